"""Models of Hugging Face and torch modules: the papers' equations, the same answers in every batch, short errors."""

import dataclasses
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import Example, LabelScores, ModelRequest, example_of, model_of
from augment_ru.inference.generate import draw_from_nucleus, likeliest
from augment_ru.inference.pretrained import Pretrained, load
from augment_ru.models import hf_causal, hf_classifier, hf_seq2seq
from augment_ru.models._torch import TorchModel
from augment_ru.models.hf_seq2seq import log_likelihoods
from augment_ru.prompting.prompt_file import prompt_of
from augment_ru.prompting.replies import index_of_best
from augment_ru.records.task import generic, task
from augment_ru.registry import names
from kept_models import kept
from profiles import IS_FULL
from small_causal import causal
from small_classifier import classifier
from small_models import SENTENCES
from small_seq2seq import seq2seq

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "models.md"
WORDS = [word.strip(",.?") for text in SENTENCES for word in text.split()]
CHOICE = [
    {
        "question": f"{text[:-1]}? "
        + " ".join(f"({'ABCD'[at]}) {WORDS[(7 * number + 5 * at) % 40]}" for at in range(4)),
        "answer": "ABCD"[number % 4],
    }
    for number, text in enumerate(SENTENCES)
]
WRITTEN = [
    {"question": text, "topic": text[:5], "question_id": number, "answer": "вода"}
    for number, text in enumerate(SENTENCES)
]


@pytest.fixture(scope="module")
def folders() -> dict[str, str]:
    return {
        "gpt2": str(kept(causal)),
        "llama": str(kept(causal, "llama")),
        "t5": str(kept(seq2seq)),
        "bert": str(kept(classifier)),
        "ethics": str(kept(classifier, task("sit_ethics").scoring.gold)),
    }


def model_of_spec(spec: str, name: str = "ru_worldtree", labels: tuple[str, ...] | None = None, **options: Any) -> Any:  # noqa: ANN401
    return model_of(spec, ModelRequest("", task(name), labels, "cpu"), options)


def examples_of(rows: Sequence[dict[str, Any]], name: str = "ru_worldtree", shots: int = 0) -> list[Example]:
    return [example_of(row, task(name), rows[:shots]) for row in rows[shots:]]


def scores_of(model: Any, examples: Sequence[Example]) -> list[tuple[LabelScores, ...]]:  # noqa: ANN401
    """The scores of the labels, for each example and each decision about it."""
    return [one.scores for one in model.scored(examples)]


def log_probabilities(pretrained: Pretrained, ids: list[int]) -> list[float]:
    """The log-probability of each token but the first."""
    with torch.inference_mode():
        logits = pretrained.model(input_ids=torch.tensor([ids])).logits[0].double().log_softmax(-1)
    return [float(logits[place, token]) for place, token in enumerate(ids[1:])]


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
@pytest.mark.parametrize("shots", [0, 1])
def test_perplexity_is_equation_1_of_tape(folders: dict[str, str], kind: str, shots: int) -> None:
    model = model_of_spec(f"hf-causal:{folders[kind]}")
    pretrained = load("AutoModelForCausalLM", folders[kind], device="cpu")
    rows = [{**row, "question": row["question"][-60:]} for row in CHOICE] if shots else CHOICE
    predictions = model(examples_of(rows, shots=shots))
    for row, prediction, (scores,) in zip(
        rows[shots:], predictions, scores_of(model, examples_of(rows, shots=shots)), strict=True
    ):
        (filled,) = prompt_of(task("ru_worldtree")).build(row, rows[:shots])
        perplexities, sizes = {}, {}
        for label, text in filled.choices:
            ids = pretrained.tokenizer(filled.context + text)["input_ids"]
            sizes[label] = len(ids) - (kind == "llama")  # <s> is not a token of the text
            perplexities[label] = math.exp(-sum(log_probabilities(pretrained, ids)) / sizes[label])
        for label, score in scores.items():
            assert math.exp(-score / max(sizes.values())) == pytest.approx(perplexities[label], rel=1e-5)
        assert prediction == min(perplexities, key=perplexities.__getitem__)


def test_log_likelihood_is_equation_1_of_mera_and_the_harness(folders: dict[str, str]) -> None:
    instance = pytest.importorskip("lm_eval.api.instance")
    from lm_eval.models.huggingface import HFLM  # noqa: PLC0415

    pretrained = load("AutoModelForCausalLM", folders["gpt2"], device="cpu")
    harness = HFLM(pretrained=pretrained.model, tokenizer=pretrained.tokenizer, device="cpu", batch_size=3)
    model = model_of_spec(f"hf-causal:{folders['gpt2']}", score="loglikelihood")
    for row, (scores,) in zip(CHOICE, scores_of(model, examples_of(CHOICE)), strict=True):
        (filled,) = prompt_of(task("ru_worldtree")).build(row)
        requests = [
            instance.Instance(request_type="loglikelihood", doc={}, arguments=(filled.context, one.text), idx=number)
            for number, one in enumerate(filled.choices)
        ]
        theirs = [score for score, _ in harness.loglikelihood(requests, disable_tqdm=True)]
        assert list(scores.values()) == pytest.approx(theirs, abs=1e-4)
        before = len(pretrained.tokenizer(filled.context)["input_ids"])
        whole = pretrained.tokenizer(filled.context + filled.choices[2].text)["input_ids"]
        assert scores["C"] == pytest.approx(sum(log_probabilities(pretrained, whole)[before - 1 :]), abs=1e-4)


def test_the_first_token_of_a_label_is_scored_as_in_raft(folders: dict[str, str]) -> None:
    pretrained = load("AutoModelForCausalLM", folders["gpt2"], device="cpu")
    model = model_of_spec(
        f"hf-causal:{folders['gpt2']}", "terra", ("entailment", "not_entailment"), score="first-token"
    )
    rows = [{"premise": one, "hypothesis": SENTENCES[0], "idx": 1} for one in SENTENCES[:3]]
    for row, (scores,) in zip(rows, scores_of(model, examples_of(rows, "terra")), strict=True):
        (filled,) = prompt_of(task("terra")).build(row, labels=("entailment", "not_entailment"))
        before = len(pretrained.tokenizer(filled.context)["input_ids"])
        for choice in filled.choices:
            ids = pretrained.tokenizer(filled.context + choice.text)["input_ids"]
            assert scores[choice.label] == pytest.approx(log_probabilities(pretrained, ids)[before - 1], abs=1e-4)
    with pytest.raises(AugmentError, match="«alike one» and «alike two» begin with the same token; take loglikelihood"):
        model_of(
            f"hf-causal:{folders['gpt2']}",
            ModelRequest("", generic("text"), ("alike one", "alike two"), "cpu"),
            {"score": "first-token"},
        )([example_of({"text": "вода"}, generic("text"))])


def test_a_model_of_entailment_is_asked_about_each_label(folders: dict[str, str]) -> None:
    pretrained = load("AutoModelForSequenceClassification", folders["bert"], device="cpu")
    labels, spec = ("вода", "поезд", "кошка"), f"hf-classifier:{folders['bert']}"
    request = ModelRequest("", generic("text"), labels, "cpu")
    options = {"hypothesis": "Это {label}.", "mapping": "LABEL_1=entailment"}
    model: Any = model_of(spec, request, options)
    examples = [example_of({"text": text}, generic("text")) for text in SENTENCES]
    for text, (scores,), given in zip(SENTENCES, scores_of(model, examples), model(examples), strict=True):
        with torch.inference_mode():
            pairs = [pretrained.tokenizer(text, f"Это {label}.", return_tensors="pt") for label in labels]
            wanted = [float(pretrained.model(**one).logits[0, 1]) for one in pairs]
        assert list(scores.values()) == pytest.approx(wanted, abs=1e-4)
        assert given == labels[int(np.argmax(wanted))]
    assert len(set(model(examples))) > 1
    other: Any = model_of(spec, request, {**options, "hypothesis": "Тут {label}."})
    assert model.signature != other.signature
    for wrong, message in (
        ({"hypothesis": "Это {label}."}, "name one with mapping=X=entailment"),
        ({**options, "hypothesis": "Это оно."}, "needs a sentence with {label}"),
        ({**options, "mapping": "LABEL_1"}, "'LABEL_1' is no pair of labels"),
    ):
        with pytest.raises(AugmentError, match=message):
            model_of(spec, request, wrong)


@pytest.mark.parametrize("score", ["perplexity", "loglikelihood"])
@pytest.mark.parametrize("shots", [0, 2])
def test_answers_do_not_depend_on_the_batch_or_the_order(folders: dict[str, str], score: str, shots: int) -> None:
    rows = [{**row, "question": row["question"][-70:]} for row in CHOICE]
    examples = examples_of(rows, shots=shots)
    model = model_of_spec(f"hf-causal:{folders['gpt2']}", score=score)
    together = model(examples)
    assert [model([one])[0] for one in examples] == together
    assert model(examples[::-1]) == together[::-1]
    assert model_of_spec(f"hf-causal:{folders['gpt2']}", score=score, batch_tokens="20")(examples) == together
    assert len(set(together)) > 1


def test_a_model_may_be_spread_over_devices_or_run_in_half_width(folders: dict[str, str]) -> None:
    pytest.importorskip("accelerate")
    examples = examples_of(CHOICE)
    whole = model_of_spec(f"hf-causal:{folders['gpt2']}")
    assert model_of_spec(f"hf-causal:{folders['gpt2']}", device_map="auto")(examples) == whole(examples)
    half = model_of_spec(f"hf-causal:{folders['gpt2']}", dtype="bfloat16")
    for (one,), (other,) in zip(scores_of(whole, examples), scores_of(half, examples), strict=True):
        assert one == pytest.approx(other, rel=0.05)


def test_long_prompts_lose_their_beginning_at_the_same_place_for_all_answers(folders: dict[str, str]) -> None:
    model = model_of_spec(f"hf-causal:{folders['gpt2']}")
    long = [{**CHOICE[0], "question": " ".join(SENTENCES) + " " + CHOICE[0]["question"]}]
    assert scores_of(model, examples_of(long))
    longer = [{**long[0], "question": "Начало. " + long[0]["question"]}]
    (one,), (other,) = scores_of(model, examples_of(long))[0], scores_of(model, examples_of(longer))[0]
    assert one == pytest.approx(other, abs=1e-3)  # the texts differ only in the part that is cut off


def test_the_budget_shortens_prompts(folders: dict[str, str]) -> None:
    model = model_of_spec(f"hf-causal:{folders['gpt2']}", name="winograd", budget="90")
    row = {"text": " ".join(SENTENCES), "answer": "кошка", "reference": "она", "options": ["кошка"], "label": 1}
    (filled,) = model.prompt.build(row, budget=model.budget)
    count = model.budget.count
    assert count(filled.context + filled.choices[0].text) <= 90
    assert filled.context.endswith("Слово она относится к слову кошка?")
    assert filled.context.startswith("В предложении Кошка спит")
    assert filled.context != model.prompt.build(row)[0].context


@pytest.mark.parametrize("kind", ["gpt2", "t5"])
def test_written_answers_are_drawn_from_the_nucleus_and_the_same_in_every_batch(
    folders: dict[str, str], kind: str
) -> None:
    spec = f"hf-{'causal' if kind == 'gpt2' else 'seq2seq'}:{folders[kind]}"
    examples = examples_of(WRITTEN if IS_FULL else WRITTEN[::2], "chegeka")
    model = model_of_spec(spec, "chegeka", max_tokens="12")
    together = model(examples)
    assert [model([one])[0] for one in examples] == together
    assert model(examples[::-1]) == together[::-1]
    assert model_of_spec(spec, "chegeka", max_tokens="12", batch_tokens="40")(examples) == together
    assert model_of_spec(spec, "chegeka", max_tokens="12", seed=7)(examples) != together
    assert all("\n" not in one for one in together)
    assert model_of_spec(spec, "chegeka", max_tokens="12", top_p="0.0001")(examples) == model_of_spec(
        spec, "chegeka", max_tokens="12", top_p="none"
    )(examples)


def test_the_nucleus_is_that_of_a_full_sort() -> None:
    rng = np.random.default_rng(6)
    for spread in (0.1, 1.0, 4.0):
        scores = np.exp(spread * rng.standard_normal(9000)).round(2) + 1e-3  # many are equal
        probabilities = scores / scores.sum()
        order = np.argsort(-probabilities, kind="stable")
        for top_p in (0.05, 0.5, 0.8):
            size = int(np.searchsorted(np.cumsum(probabilities[order]), top_p - 1e-9)) + 1
            assert likeliest(probabilities, top_p)[:size].tolist() == order[:size].tolist()
            points = np.cumsum(probabilities[order[:size]])
            for draw in (0.0, 0.3, 0.999):
                wanted = order[np.searchsorted(points, draw * points[-1], side="right")]
                assert draw_from_nucleus(probabilities, top_p, draw) == wanted


def test_a_greedy_answer_is_the_likeliest_token_by_token(folders: dict[str, str]) -> None:
    pretrained = load("AutoModelForCausalLM", folders["gpt2"], device="cpu")
    (written,) = model_of_spec(f"hf-causal:{folders['gpt2']}", "chegeka", max_tokens="9", top_p="none")(
        examples_of(WRITTEN[:1], "chegeka")
    )
    (filled,) = prompt_of(task("chegeka")).build(WRITTEN[0])
    ids = pretrained.tokenizer(filled.context)["input_ids"]
    start = len(ids)
    with torch.inference_mode():
        for _ in range(9):
            ids.append(int(pretrained.model(input_ids=torch.tensor([ids])).logits[0, -1].argmax()))
    assert written == pretrained.tokenizer.decode(ids[start:], skip_special_tokens=True).split("\n")[0].strip()


def test_a_line_feed_ends_an_answer(folders: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of_spec(f"hf-causal:{folders['gpt2']}", "chegeka", max_tokens="40", top_p="none")
    pretrained = load("AutoModelForCausalLM", folders["gpt2"], device="cpu")
    (feed,) = pretrained.tokenizer("\n")["input_ids"]
    steps: list[int] = []
    forward = pretrained.model.forward

    def prefers_a_line_feed(**inputs: Any) -> Any:  # noqa: ANN401
        out = forward(**inputs)
        steps.append(1)
        if len(steps) == 4:
            out.logits[..., feed] += 1e4
        return out

    monkeypatch.setattr(pretrained.model, "forward", prefers_a_line_feed)
    (written,) = model(examples_of(WRITTEN[:1], "chegeka"))
    assert len(steps) == 4
    assert "\n" not in written


def test_the_decoder_scores_answers_to_what_the_encoder_reads(folders: dict[str, str]) -> None:
    pretrained = load("AutoModelForSeq2SeqLM", folders["t5"], device="cpu")
    encode = pretrained.tokenizer
    model = model_of_spec(f"hf-seq2seq:{folders['t5']}")
    examples = examples_of(CHOICE)
    for row, (scores,) in zip(CHOICE, scores_of(model, examples), strict=True):
        (filled,) = prompt_of(task("ru_worldtree")).build(row)
        for label, text in filled.choices:
            target = encode(text.strip(), return_tensors="pt")["input_ids"]
            with torch.inference_mode():
                out = pretrained.model(**encode(filled.context, return_tensors="pt"), labels=target)
            assert scores[label] == pytest.approx(-float(out.loss) * target.shape[1], abs=1e-4)
    assert model(examples[::-1]) == model(examples)[::-1]
    assert len(set(model(examples))) > 1
    assert log_likelihoods(pretrained, [], [], 100) == []


def test_a_classifier_reads_texts_and_pairs(folders: dict[str, str]) -> None:
    pretrained = load("AutoModelForSequenceClassification", folders["bert"], device="cpu")
    rows = [{"premise": one, "hypothesis": other, "idx": 1} for one in SENTENCES for other in SENTENCES]
    model = model_of_spec(f"hf-classifier:{folders['bert']}", "terra", labels=("0", "1"))
    examples = examples_of(rows, "terra")
    pairs = [pretrained.tokenizer(row["premise"], row["hypothesis"], return_tensors="pt") for row in rows]
    with torch.inference_mode():
        wanted = [int(pretrained.model(**one).logits.argmax()) for one in pairs]
    assert model(examples) == [str(one) for one in wanted]
    assert model(examples[::-1]) == model(examples)[::-1]
    assert len(set(wanted)) > 1
    mapped = model_of_spec(f"hf-classifier:{folders['bert']}", "terra", mapping="LABEL_0=не следует,LABEL_1=следует")
    assert mapped(examples) == [["не следует", "следует"][one] for one in wanted]
    single = model_of_spec(f"hf-classifier:{folders['bert']}", "terra", fields="hypothesis")
    assert single(examples) != model(examples)


def test_a_classifier_of_several_labels_gives_each_a_yes_or_no(folders: dict[str, str]) -> None:
    model = model_of_spec(f"hf-classifier:{folders['ethics']}", "sit_ethics")
    predictions = model(examples_of([{"text": text} for text in SENTENCES], "sit_ethics"))
    assert all(set(one) == set(task("sit_ethics").scoring.gold) for one in predictions)
    assert {value for one in predictions for value in one.values()} == {"0", "1"}


def test_a_torch_module_answers_in_batches_that_fit() -> None:
    sizes: list[int] = []

    class Lengths(torch.nn.Module):
        """Long texts are of the second class."""

        def forward(self, lengths: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
            assert not self.training
            assert torch.is_inference_mode_enabled()
            if lengths.shape[0] > 3:
                raise torch.OutOfMemoryError
            sizes.append(lengths.shape[0])
            return torch.stack([bias.expand_as(lengths), lengths], dim=1)

    def collate(examples: Sequence[Example]) -> dict[str, torch.Tensor]:
        return {"lengths": torch.tensor([float(len(one.text)) for one in examples]), "bias": torch.tensor([39.0])}

    model = TorchModel(Lengths(), collate, ("короткий", "длинный"), device="cpu", autocast="bfloat16")
    examples = [example_of({"text": text}, generic()) for text in SENTENCES]
    assert model(examples) == ["длинный" if len(text) > 39 else "короткий" for text in SENTENCES]
    assert sum(sizes) == len(SENTENCES)
    assert model([]) == []
    with pytest.raises(AugmentError, match="the module has 2 outputs for 3 labels"):
        TorchModel(Lengths(), collate, ("а", "б", "в"), device="cpu")(examples[:1])
    with pytest.raises(AugmentError, match="1 predictions for 2 examples"):
        TorchModel(Lengths(), collate, decode=lambda _: ["а"], device="cpu")(examples[:2])
    with pytest.raises(AugmentError, match="needs labels"):
        TorchModel(Lengths(), collate)


def test_every_model_states_what_the_evaluation_reads(folders: dict[str, str]) -> None:
    for spec in (f"hf-causal:{folders['gpt2']}", f"hf-seq2seq:{folders['t5']}", "openai:http://localhost#tiny"):
        model = model_of_spec(spec)
        assert (model.few_shot, model.cached, model.chunk > 0, bool(model.signature)) == (True, True, True, True)
    model = model_of_spec(f"hf-classifier:{folders['bert']}", "terra", ("0", "1"))
    assert (model.few_shot, model.cached, model.chunk, bool(model.signature)) == (False, True, 256, True)
    module = TorchModel(torch.nn.Identity(), list, ("а",), device="cpu", signature="тождество", cached=False, chunk=7)
    assert (module.few_shot, module.cached, module.chunk, module.signature) == (False, False, 7, "тождество")


def test_equal_scores_are_decided_by_order_and_not_by_noise() -> None:
    assert index_of_best([-1.00004, -1.00001]) == 0
    assert index_of_best([-1.0002, -1.0001]) == 1


def test_signatures_differ_with_weights_prompts_and_labels(folders: dict[str, str], tmp_path: Path) -> None:
    ours = model_of_spec(f"hf-causal:{folders['gpt2']}").signature
    assert model_of_spec(f"hf-causal:{folders['gpt2']}").signature == ours
    assert model_of_spec(f"hf-causal:{folders['gpt2']}", variant="1", score="loglikelihood").signature != ours
    for spec in (f"hf-causal:{folders['gpt2']}", f"hf-seq2seq:{folders['t5']}"):
        signatures = [
            model_of_spec(spec, "generic", labels).signature
            for labels in (None, ("да", "нет"), ("да", "нет", "спорно"))
        ]
        assert len(set(signatures)) == 3, "prompts name the labels: answers of other labels are other answers"
    path = tmp_path / "mine.toml"
    path.write_text('template = "{question}: {label}"\n[options]\ninside = "question"\n', encoding="utf-8")
    mine = model_of_spec(f"hf-causal:{folders['gpt2']}", template=str(path))
    assert (
        mine.signature.split("|")[2]
        == ours.split("|")[2]
        != model_of_spec(f"hf-causal:{folders['llama']}").signature.split("|")[2]
    )
    assert mine.signature != ours


@pytest.mark.parametrize(
    ("spec", "name", "options", "message"),
    [
        ("hf-causal:{gpt2}", "ru_worldtree", {"score": "ppl"}, "option score=ppl; possible: auto, perplexity"),
        (
            "hf-causal:{gpt2}",
            "ru_worldtree",
            {"scor": "x"},
            "no option of hf-causal called 'scor'; did you mean 'score'",
        ),
        ("hf-causal:{gpt2}", "ru_worldtree", {"top_p": "2"}, "option top_p=2.0; must be above 0 and at most 1"),
        ("hf-causal:{gpt2}", "ru_worldtree", {"budget": "0"}, "option budget=0; must be at least 1"),
        ("hf-causal:{gpt2}", "ru_worldtree", {"budget": "much"}, "hf-causal.budget: 'much' is not an integer"),
        ("hf-causal:{gpt2}", "ru_worldtree", {"template": "no.toml"}, "no.toml: cannot be read (No such file"),
        ("hf-causal:{gpt2}", "ru_worldtree", {"dtype": "int8"}, "dtype 'int8'; possible: auto, float32"),
        ("hf-causal:{bert}", "ru_worldtree", {}, "AutoModelForCausalLM"),
        ("hf-causal:nobody/nothing", "ru_worldtree", {}, "augment-ru models pull nobody/nothing"),
        ("hf-causal", "ru_worldtree", {}, "model (no name): no such folder"),
        ("hf-seq2seq:{t5}", "ru_worldtree", {"score": "x"}, "no option of hf-seq2seq called 'score'"),
        ("hf-classifier:{bert}", "terra", {"mapping": "LABEL_0"}, "'LABEL_0' is no pair of labels"),
        (
            "hf-classifier:{bert}",
            "terra",
            {"mapping": "a=b"},
            "no label of the model called 'a'; known: LABEL_0, LABEL_1",
        ),
        ("hf-classifier:{bert}", "terra", {}, "match them with the option mapping=LABEL_0=entailment,…"),
        ("hf-classifier:{bert}", "terra", {"fields": "a,b,c"}, "must name one or two fields"),
        ("hf-classifier:{bert}", "sit_ethics", {}, "the data's sit_virtue, sit_law"),
    ],
)
def test_an_error_is_one_line(
    folders: dict[str, str], spec: str, name: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(AugmentError) as caught:
        model_of_spec(spec.format(**folders), name, labels=("entailment", "not_entailment"), **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not DOCUMENT.exists(), reason="needs the repository's documents")
def test_the_document_names_every_kind_and_option_and_its_code_runs() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for kind in names("models"):
        assert f"`{kind.replace('_', '-')}" in text
    for options in (hf_causal.Options, hf_seq2seq.Options, hf_classifier.Options):
        for field in dataclasses.fields(options):
            assert f"`{field.name}" in text
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    for block in blocks:
        space: dict[str, Any] = {}
        exec(compile(block, "models.md", "exec"), space)  # noqa: S102  (our own document)
        if "model" in space:
            assert space["model"](examples_of([{"text": "Ура!"}], "generic"))[0] in ("короткий", "длинный")
    assert blocks
