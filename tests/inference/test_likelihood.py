"""Log-likelihoods: equal to a loop over single sequences, whatever prefixes they share, in every batch and order."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from augment_ru.draws import Floats
from augment_ru.inference.likelihood import (
    Likelihoods,
    Request,
    by_trees,
    common_length,
    rows_of_sequences,
    tree_of,
)
from augment_ru.inference.pretrained import Pretrained, context_of, load
from kept_models import kept
from small_causal import CONTEXT, causal

KINDS = ("gpt2", "llama", "bloom")


@pytest.fixture(scope="module")
def models() -> dict[str, Pretrained]:
    return {kind: load("AutoModelForCausalLM", str(kept(causal, kind)), device="cpu") for kind in KINDS}


@pytest.fixture(scope="module")
def model(models: dict[str, Pretrained]) -> Pretrained:
    return models["gpt2"]


def by_definition(model: Pretrained, request: Request) -> float:
    """The definition: one forward pass, all log-probabilities, a sum."""
    with torch.inference_mode():
        logits = model.model(input_ids=torch.from_numpy(request.tokens)[None]).logits[0].double().log_softmax(-1)
    places = range(request.first, request.tokens.size)
    return float(sum(logits[place - 1, request.tokens[place]] for place in places))


def watch_calls(
    monkeypatch: pytest.MonkeyPatch, model: Pretrained, look: Callable[[Mapping[str, torch.Tensor]], None]
) -> None:
    """Call `look` with the inputs of every call of the model."""
    forward = model.model.forward

    def shown(**inputs: torch.Tensor) -> object:
        look(inputs)
        return forward(**inputs)

    monkeypatch.setattr(model.model, "forward", shown)


def assert_equal(model: Pretrained, questions: Sequence[Sequence[Request]], found: Sequence[Floats]) -> None:
    for question, scores in zip(questions, found, strict=True):
        for request, score in zip(question, scores, strict=True):
            assert score == pytest.approx(by_definition(model, request), abs=1e-4)


tokens = st.lists(st.integers(2, 60), min_size=1, max_size=6)


@st.composite
def drawn_questions(draw: st.DrawFn) -> list[list[Request]]:
    """Questions whose sequences share beginnings of all lengths, scored from any token on."""
    stems = draw(st.lists(tokens, min_size=1, max_size=3))
    questions = []
    for _ in range(draw(st.integers(1, 5))):
        begin = [*draw(st.sampled_from(stems)), *draw(st.sampled_from([[], *stems])), *draw(tokens)]
        ends = draw(st.lists(st.one_of(st.just([]), tokens), min_size=1, max_size=4))
        sequences = [np.array([*begin, *end]) for end in ends]
        questions.append([Request(one, draw(st.integers(1, one.size))) for one in sequences])
    return questions


@given(questions=drawn_questions(), budget=st.sampled_from([3, 12, 500]))
def test_trees_give_the_numbers_of_a_plain_loop(model: Pretrained, questions: list[list[Request]], budget: int) -> None:
    assert_equal(model, questions, Likelihoods(model, budget, trees=True)(questions))


@pytest.mark.parametrize("kind", KINDS)
def test_every_architecture_gives_the_numbers_of_a_plain_loop(models: dict[str, Pretrained], kind: str) -> None:
    model = models[kind]
    rng = np.random.default_rng(1)
    shots = rng.integers(2, 60, 70)
    questions = [
        [
            Request(np.concatenate([shots, body, rng.integers(2, 60, size)]), 1 if number % 2 else 75)
            for size in (1, 1, 3, 6)
        ]
        for number in range(6)
        for body in [rng.integers(2, 60, 5 + number)]
    ]
    made = Likelihoods.of(model)
    assert made.trees == (kind != "bloom")  # ALiBi goes by places in the row
    assert_equal(model, questions, made(questions))


def test_numbers_do_not_depend_on_the_batch_or_the_order(model: Pretrained) -> None:
    rng = np.random.default_rng(2)
    body = [rng.integers(2, 60, size) for size in (9, 14, 9, 30, 21)]
    questions = [[Request(np.append(one, end), 1) for end in (5, 6, 7)] for one in body]
    made = Likelihoods.of(model)
    together = made(questions)
    for number, question in enumerate(questions):
        (alone,) = made([question])
        assert np.abs(alone - together[number]).max() < 1e-5
    for before, after in zip(together, reversed(made(questions[::-1])), strict=True):
        assert np.abs(before - after).max() < 1e-5


def test_what_the_sequences_of_a_row_share_is_computed_once(model: Pretrained, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    shots = rng.integers(2, 60, 80)
    requests = [Request(np.concatenate([shots, [9, number], [end]]), 1) for number in range(20) for end in (5, 6)]
    fed: list[int] = []
    watch_calls(monkeypatch, model, lambda inputs: fed.append(inputs["input_ids"].numel()))
    by_trees(model, requests, 512)
    assert fed == [81 + 20]  # the demonstrations with their separator, and a token a question


def test_out_of_memory_halves_the_batch(model: Pretrained, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    questions = [[Request(rng.integers(2, 60, 100), 1)] for _ in range(12)]

    def narrow(inputs: Mapping[str, torch.Tensor]) -> None:
        if inputs["input_ids"].shape[0] > 2:
            raise torch.OutOfMemoryError

    watch_calls(monkeypatch, model, narrow)
    assert_equal(model, questions, Likelihoods(model, 5000, trees=False)(questions))
    assert_equal(model, questions, Likelihoods(model, 5000, trees=True)(questions))


def test_sequences_longer_than_an_attention_window_are_given_whole(
    model: Pretrained, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Likelihoods.of(model)
    masks: list[int] = []
    watch_calls(monkeypatch, model, lambda inputs: masks.append(inputs["attention_mask"].dim()))
    monkeypatch.setattr(model.model.config, "sliding_window", 16, raising=False)
    made([[Request(np.arange(2, 2 + size), 1), Request(np.arange(2, 1 + size), 1)] for size in (16, 10)])
    made([[Request(np.arange(2, 19), 1)]])
    assert masks == [4, 2]


def test_the_context_is_the_smaller_of_what_model_and_tokenizer_say(model: Pretrained) -> None:
    assert context_of(model) == CONTEXT


@given(questions=drawn_questions())
def test_a_token_attends_to_exactly_those_before_it_in_its_sequence(questions: list[list[Request]]) -> None:
    requests = sorted((one for question in questions for one in question), key=lambda one: one.tokens.tolist())
    made = tree_of(requests)
    prefixes = {tuple(one.tokens[:size].tolist()) for one in requests for size in range(1, one.tokens.size)}
    assert {tuple(made.tokens[np.flatnonzero(row)].tolist()) for row in made.mask} == prefixes
    assert made.tokens.size == len(prefixes)  # each once


@given(questions=drawn_questions(), most=st.integers(0, 12))
def test_rows_hold_every_sequence_once_and_no_more_than_fits(questions: list[list[Request]], most: int) -> None:
    requests = [one for question in questions for one in question]
    rows = rows_of_sequences(requests, most)
    assert sorted(index for row in rows for index in row) == list(range(len(requests)))
    for row in rows:
        tokens = [requests[index].tokens for index in row]
        own = (after.size - common_length(before, after) for before, after in pairwise(tokens))
        assert sum(own) <= most
