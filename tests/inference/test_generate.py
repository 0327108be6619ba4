"""Texts that models write: the same in every batch, with the model's probabilities, and only if the model stops."""
# ruff: noqa: ANN401, SLF001  (models and tokenizers have no better type; what must not matter is set inside)

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from augment_ru.draws import Streams, digests
from augment_ru.errors import AugmentError
from augment_ru.inference import generate, pretrained
from augment_ru.inference.batches import TokensByDevice
from augment_ru.inference.generate import Decoding, chosen_of, continued, gumbel, rewritten
from augment_ru.inference.pretrained import Pretrained, load
from kept_models import kept, kept_copy
from profiles import IS_FULL, pairs
from small_models import SENTENCES
from small_networks import gpt2, marian, t5

_TEXTS = [*SENTENCES[:6], f"{SENTENCES[0]} {SENTENCES[6]}", "Собака и кошка сдали экзамен по физике.", "Да."]
TEXTS = _TEXTS if IS_FULL else _TEXTS[::2]
WAYS = {
    "greedy": Decoding(),
    "drawn": Decoding(temperature=1.0),
    "few": Decoding(temperature=0.7, top_k=3),
    "beams": Decoding(beams=3),
}
KINDS = ["translator", "paraphraser", "storyteller"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def translator() -> Pretrained:
    return load("AutoModelForSeq2SeqLM", str(kept(marian)))


@pytest.fixture(scope="module")
def paraphraser() -> Pretrained:
    return load("AutoModelForSeq2SeqLM", str(kept(t5)))


@pytest.fixture(scope="module")
def storyteller() -> Pretrained:
    return load("AutoModelForCausalLM", str(kept(gpt2)))


def keys_of(texts: list[str], seed: int = 1) -> Any:
    return Streams.of(digests(texts), seed).keys


def run(model: Pretrained, texts: list[str], decoding: Decoding, seed: int = 1) -> dict[str, str | None]:
    if model.model.config.is_encoder_decoder:
        outputs = rewritten(model, texts, keys_of(texts, seed), decoding)
    else:
        outputs = continued(model, texts, keys_of(texts, seed), decoding, 20)
    return dict(zip(texts, outputs, strict=True))


@pytest.mark.parametrize(
    ("decoding", "kind"),
    [pytest.param(WAYS[way], kind, id=f"{way}-{kind}") for way, kind in pairs(list(WAYS), KINDS)],
)
def test_batch_size_and_order_do_not_matter(
    decoding: Decoding, kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    model: Pretrained = request.getfixturevalue(kind)
    together = run(model, TEXTS, decoding)
    assert any(together.values())
    assert run(model, TEXTS[::-1], decoding) == together
    for text in TEXTS:
        assert run(model, [text], decoding)[text] == together[text]
    monkeypatch.setattr(generate, "BATCH_TOKENS", TokensByDevice(cpu=100, gpu=100))
    assert run(model, TEXTS, decoding) == together


@pytest.mark.parametrize("kind", ["translator", "storyteller"])
def test_a_row_with_a_close_choice_is_written_again_alone(
    kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    model: Pretrained = request.getfixturevalue(kind)
    expected = run(model, TEXTS, Decoding(temperature=1.0))
    sizes: list[int] = []
    work = generate._written

    def counted(model: Pretrained, ids: Any, *rest: Any, **options: Any) -> Any:
        sizes.append(len(ids))
        return work(model, ids, *rest, **options)

    monkeypatch.setattr(generate, "_written", counted)
    monkeypatch.setattr(generate, "CLOSE", 1e6)  # every choice is close
    assert run(model, TEXTS, Decoding(temperature=1.0)) == expected
    assert sizes.count(1) >= len(TEXTS)


def test_the_seed_changes_draws_and_nothing_else(storyteller: Pretrained) -> None:
    outcomes = {tuple(run(storyteller, TEXTS, Decoding(temperature=1.0), seed).values()) for seed in range(4)}
    assert len(outcomes) == 4
    assert run(storyteller, TEXTS, Decoding(), 1) == run(storyteller, TEXTS, Decoding(), 2)


def test_draws_have_the_probabilities_of_the_model() -> None:
    rows = 40_000
    logits = np.array([2.0, 1.0, 0.0, -1.0])
    values = np.tile(logits, (rows, 1))
    names = np.tile(np.arange(4), (rows, 1))
    keys = digests(map(str, range(rows)))
    for temperature in (0.5, 1.0, 2.0):
        decoding = Decoding(temperature=temperature, top_k=3)
        chosen, _ = chosen_of(values, names, keys, 7, decoding=decoding, tolerance=0.0)
        shares = np.exp(logits[:3] / temperature)
        assert np.bincount(chosen, minlength=4)[:3] / rows == pytest.approx(shares / shares.sum(), abs=0.01)
        assert chosen.max() == 2  # of the three likeliest


def test_gumbel_noise_has_the_mean_and_variance_of_its_kind() -> None:
    noise = gumbel(digests(map(str, range(200_000))), np.zeros(200_000, dtype=np.uint64))
    assert noise.mean() == pytest.approx(np.euler_gamma, abs=0.01)
    assert noise.var() == pytest.approx(np.pi**2 / 6, abs=0.03)


@pytest.mark.parametrize(
    ("values", "expected"),
    [([3.0, 1.0], False), ([3.0, 3.0 - 1e-6], True), ([3.0, 2.999], False), ([1.0, -np.inf], False)],
)
def test_close_choices_are_reported(values: list[float], expected: object) -> None:
    keys = digests(["a"])
    row = np.array([values])
    _, found = chosen_of(row, np.array([[0, 1]]), keys, 0, decoding=Decoding(), tolerance=2e-4)
    assert found.tolist() == [expected]


def test_the_first_token_below_the_list_makes_a_choice_close_too() -> None:
    keys = digests(map(str, range(500)))
    values = np.tile([1.0, 1.0 - 1e-7], (500, 1))
    names = np.tile([3, 4], (500, 1))
    _, close = chosen_of(values, names, keys, 0, decoding=Decoding(temperature=1.0, top_k=1), tolerance=2e-4)
    assert close.all()  # rounding decides which of them is on the list


def test_the_global_generators_are_left_alone(storyteller: Pretrained) -> None:
    state = torch.random.get_rng_state()
    run(storyteller, TEXTS, Decoding(temperature=1.0))
    assert torch.equal(torch.random.get_rng_state(), state)


def test_inputs_that_are_empty_or_too_long_have_no_output(translator: Pretrained, storyteller: Pretrained) -> None:
    assert run(translator, ["кот " * 400], Decoding()) == {"кот " * 400: None}
    assert rewritten(translator, [], keys_of([]), Decoding()) == []
    assert continued(storyteller, [], keys_of([]), Decoding(), 5) == []
    assert run(storyteller, [""], Decoding()) == {"": None}
    outputs = run(storyteller, ["Кошка спит. " * 300], Decoding())  # reads the end of it
    assert all(outputs.values())


def test_a_model_that_does_not_stop_has_no_output(folder: Path) -> None:
    model = load("AutoModelForSeq2SeqLM", str(kept_copy(folder / "endless", t5)))
    model.model.generation_config.exponential_decay_length_penalty = None
    model.model.generation_config.suppress_tokens = [model.tokenizer.eos_token_id, model.tokenizer.pad_token_id]
    some = SENTENCES if IS_FULL else SENTENCES[:1]
    assert run(model, list(some), Decoding()) == dict.fromkeys(some)


def test_out_of_memory_halves_the_batch(translator: Pretrained, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run(translator, TEXTS, Decoding())
    work = translator.model.generate
    sizes: list[int] = []

    def cramped(inputs: Any, **options: Any) -> Any:
        sizes.append(len(inputs))
        if len(inputs) > 3:
            raise torch.OutOfMemoryError("as a small GPU says")
        return work(inputs, **options)

    monkeypatch.setattr(translator.model, "generate", cramped)
    assert run(translator, TEXTS, Decoding()) == expected
    assert max(sizes) > 3
    monkeypatch.setattr(translator.model, "generate", _full)
    with pytest.raises(AugmentError, match="out of memory at a sequence of"):
        run(translator, TEXTS, Decoding())


def _full(inputs: Any, **options: Any) -> Any:
    raise torch.OutOfMemoryError(f"{len(inputs)} {len(options)}")


@pytest.mark.parametrize("options", [{"beams": 0}, {"temperature": 0.0}, {"temperature": -1.0}, {"top_k": 0}])
def test_values_out_of_range_are_one_line(options: dict[str, Any]) -> None:
    with pytest.raises(AugmentError, match=r"needs a number|needs an integer, 1 or more") as error:
        Decoding(**options)
    assert "\n" not in str(error.value)


@pytest.fixture(autouse=True, scope="module")
def _released() -> Iterator[None]:
    yield
    pretrained.release()
    assert not pretrained._load.cache_info().currsize
