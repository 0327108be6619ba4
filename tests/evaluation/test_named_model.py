"""Models as the evaluation sees them: plain functions get defaults, stated attributes are used."""

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from augment_ru import evaluate
from augment_ru.errors import AugmentError, Terminated
from augment_ru.evaluation.examples import (
    CHUNK,
    Cache,
    Example,
    NamedModel,
    Prediction,
    QuestionCounts,
    ask,
    named_spec,
)
from augment_ru.records.task import generic
from evaluations import table


def examples(count: int) -> list[Example]:
    return [Example({"text": str(number)}, generic(), str(number)) for number in range(count)]


def texts(asked: Sequence[Example]) -> list[str]:
    return [example.text for example in asked]


class Recorder:
    """A model that answers with the text, and records the sizes of its calls."""

    def __init__(self, **stated: object) -> None:
        self.calls: list[int] = []
        for name, value in stated.items():
            setattr(self, name, value)

    def __call__(self, asked: Sequence[Example], /) -> list[Prediction]:
        """The texts."""
        self.calls.append(len(asked))
        return [example.text for example in asked]


def test_a_plain_function_gets_all_defaults() -> None:
    model = NamedModel.of("m", texts)
    assert (model.signature, model.few_shot, model.cached, model.chunk, model.stream) == (None, True, True, CHUNK, None)
    assert not model.kept


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"signature": "s"}, ("s", True, True, CHUNK)),
        ({"signature": 5}, (None, True, True, CHUNK)),
        ({"few_shot": False, "chunk": 3}, (None, False, True, 3)),
        ({"signature": "s", "cached": False}, ("s", True, False, CHUNK)),
    ],
)
def test_what_a_function_states_is_used(stated: dict[str, Any], expected: tuple[object, ...]) -> None:
    model = NamedModel.of("m", Recorder(**stated))
    assert (model.signature, model.few_shot, model.cached, model.chunk) == expected
    assert model.kept == (stated == {"signature": "s"})


def test_a_chunk_bounds_each_call_and_equal_questions_are_asked_once() -> None:
    recorder, counts, progress = Recorder(chunk=4), QuestionCounts(), list[int]()
    asked = examples(10) + examples(3)
    assert ask(NamedModel.of("m", recorder), asked, None, counts, progress.append) == texts(asked)
    assert recorder.calls == [4, 4, 2]
    assert counts == QuestionCounts(questions=13, different=10, from_cache=0)
    assert sum(progress) == 13


def test_a_streaming_model_is_kept_answer_by_answer(tmp_path: Path) -> None:
    """The third answer fails; the two before it are in the cache, in any order."""
    path = tmp_path / "cache.sqlite"

    class Streaming(Recorder):
        def stream(self, asked: Sequence[Example], /) -> Iterator[tuple[int, Prediction]]:
            """The last example first; then an error."""
            yield len(asked) - 1, asked[-1].text
            yield 0, asked[0].text
            raise OSError("no connection")

    model = NamedModel.of("m", Streaming(signature="s"))
    with pytest.raises(AugmentError, match="`model` m: OSError: no connection"):
        ask(model, examples(5), Cache(path), QuestionCounts())
    assert sorted(row[0] for row in sqlite3.connect(path).execute("SELECT answer FROM answers")) == ['"0"', '"4"']
    recorder, counts = Recorder(signature="s"), QuestionCounts()
    assert ask(NamedModel.of("m", recorder), examples(5), Cache(path), counts) == list("01234")
    assert (recorder.calls, counts.from_cache) == ([3], 2)


def test_a_stream_that_ends_early_is_an_error() -> None:
    def model(asked: Sequence[Example]) -> list[Prediction]:
        pytest.fail(f"a model with a stream was asked for a whole list: {asked}")

    model.stream = lambda asked: iter([(0, asked[0].text)])  # type: ignore[attr-defined]
    with pytest.raises(AugmentError, match="`model` m: 2 examples were not answered"):
        ask(NamedModel.of("m", model), examples(3), None, QuestionCounts())


@pytest.mark.parametrize("chunk", [0, -1, "x", 2.5, None])
def test_a_chunk_is_a_whole_number(chunk: object) -> None:
    with pytest.raises(AugmentError, match=r"`model` m: chunk is .*; needs a whole number from 1 on"):
        NamedModel.of("m", Recorder(chunk=chunk))


@pytest.mark.parametrize("raised", [SystemExit(0), GeneratorExit(), RecursionError("deep"), ValueError("wrong")])
@pytest.mark.parametrize("stream", [False, True])
def test_whatever_a_model_raises_is_an_error_that_names_it(raised: BaseException, stream: bool) -> None:  # noqa: FBT001
    def fails(_: Sequence[Example]) -> Any:  # noqa: ANN401
        if stream:
            yield 0, "1"
        raise raised

    def stops(_: Sequence[Example]) -> Any:  # noqa: ANN401
        raise raised

    model = NamedModel.of("m", Recorder(stream=fails) if stream else stops)
    with pytest.raises(AugmentError, match=f"`model` m: {type(raised).__name__}: "):
        ask(model, examples(2), None, QuestionCounts())


@pytest.mark.parametrize("signal", [Terminated(143), KeyboardInterrupt()])
def test_a_signal_is_not_the_models(signal: BaseException) -> None:
    def interrupted(_: Sequence[Example]) -> list[Prediction]:
        raise signal

    with pytest.raises(type(signal)):
        ask(NamedModel.of("m", interrupted), examples(2), None, QuestionCounts())


def test_a_number_that_cannot_be_written_is_no_prediction() -> None:
    with pytest.raises(AugmentError, match="a prediction is a number of over 4,300 digits"):
        ask(NamedModel.of("m", lambda asked: [10**5000] * len(asked)), examples(2), None, QuestionCounts())


def test_a_score_that_is_no_number_is_told_as_a_score() -> None:
    class Scoring(Recorder):
        def __call__(self, asked: Sequence[Example]) -> list[Prediction]:
            return list(texts(asked))

        def scored(self, asked: Sequence[Example]) -> list[Any]:
            return [(text, [{"0": 0.5, "1": float("nan")}]) for text in texts(asked)]

    with pytest.raises(AugmentError, match=r"^`model` m: a score is nan; a model must return"):
        ask(NamedModel.of("m", Scoring()).with_scores(), examples(1), None, QuestionCounts())


@pytest.mark.parametrize("function", [lambda asked: [one.lower() for one in asked], lambda asked: ["а" in asked[0]]])
def test_a_function_of_texts_learns_how_it_gets_them(function: Any) -> None:  # noqa: ANN401
    with pytest.raises(AugmentError, match=r"'Example'.*take example.text, or set `model_options` python.input=text$"):
        ask(NamedModel.of("m", function), examples(1), None, QuestionCounts())


def test_an_answer_to_no_question_is_an_error() -> None:
    with pytest.raises(AugmentError, match="answered example 7 of 2; they are numbered from 0"):
        ask(NamedModel.of("m", Recorder(stream=lambda _: iter([(7, "1")]))), examples(2), None, QuestionCounts())


def test_an_error_without_a_message_is_told_by_its_class() -> None:
    class Mute(Exception):  # noqa: N818  (its name is what is told)
        def __str__(self) -> str:
            raise RuntimeError

    def raises(_: Sequence[Example]) -> list[Prediction]:
        raise Mute

    with pytest.raises(AugmentError, match=r"^`model` m: Mute, whose message cannot be read \(.*where\)$"):
        ask(NamedModel.of("m", raises), examples(1), None, QuestionCounts())


@pytest.mark.parametrize(
    ("text", "name", "spec"),
    [
        ("words=linear:train.jsonl", "words", "linear:train.jsonl"),
        ("мой ответ=random", "мой ответ", "random"),
        ("linear:a=b.jsonl", "linear:a=b.jsonl", "linear:a=b.jsonl"),
        ("gpt=openai:http://host/v1?key=1#gpt", "gpt", "openai:http://host/v1?key=1#gpt"),
        ("openai:http://host/v1?key=1#gpt", "openai:http://host/v1?key=1#gpt", "openai:http://host/v1?key=1#gpt"),
    ],
)
def test_a_specification_may_have_a_name_and_its_argument_any_sign(text: str, name: str, spec: str) -> None:
    assert named_spec(text) == (name, spec)


def test_models_of_one_kind_have_names_of_their_own() -> None:
    report = evaluate(table("++", "+-"), ["one=random", "other=random"], cache=None).report()
    assert [one["model"] for one in report["models"]] == ["one", "other"]
    with pytest.raises(AugmentError, match="each must have another name"):
        evaluate(table("++"), ["one=random", "one=majority"])
    with pytest.raises(AugmentError, match="has no name before ="):
        evaluate(table("++"), ["=random"])
    with pytest.raises(AugmentError, match="no model"):
        evaluate(table("++"), ["linear=train"])
