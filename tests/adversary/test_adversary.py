"""The search against models that one can count by hand, and the laws that hold for every attack that is found."""

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augment_ru import Adversary, AugmentError, Example, Preparation, Script
from augment_ru.adversary import breaking
from augment_ru.adversary.adversary import Finding
from augment_ru.engine.attack import Attack
from augment_ru.evaluation.examples import Cache, example_of
from profiles import IS_FULL, examples
from strategies import ATTACKS, SENTENCES, attacks
from victims import Blank, Keywords, ScoredKeywords

assert ATTACKS  # the fixture `published` looks for it
LAWS = settings(max_examples=examples(10))
WORDS = (
    *("купи", "сегодня", "дешёвый", "билет", "на", "поезд", "в", "город", "где"),
    *("живёт", "твоя", "добрая", "старая", "тётя", "и", "семеро", "котов"),
)
BOTH = pytest.mark.parametrize("kind", [Keywords, ScoredKeywords])


def found(
    model: Keywords, text: str, label: str = "spam", attacks: Sequence[Attack] = (Blank(),), **options: object
) -> Finding:
    """What the search finds for a text, without gate and constraints."""
    adversary = Adversary(list(attacks), model, similarity="none", constraints=(), **options)  # type: ignore[arg-type]
    (one,) = adversary.records([{"text": text, "label": label}])
    return one


@BOTH
def test_of_one_change_the_search_asks_two_questions(kind: type[Keywords]) -> None:
    model = kind(frozenset({"билет"}))
    one = found(model, "билет")
    assert (one.status, one.text, one.changes, one.minimal) == ("broken", "нечто", 1, True)
    assert (one.queries, one.broken_at, model.asked) == (2, 2, ["билет", "нечто"])
    assert (list(one.before), list(one.after)) == (["spam"], ["ham"])


@BOTH
def test_of_two_changes_that_are_both_needed_it_asks_four(kind: type[Keywords]) -> None:
    model = kind(frozenset({"купи", "билет"}))
    one = found(model, "купи билет")
    assert (one.status, one.text, one.changes, one.minimal) == ("broken", "нечто нечто", 2, True)
    assert one.queries == 4  # the original, the pair, and each alone: no less shows that it is minimal
    assert sorted(model.asked) == ["купи билет", "купи нечто", "нечто билет", "нечто нечто"]


@BOTH
@pytest.mark.parametrize("keywords", [{"билет"}, {"билет", "котов"}, {"купи", "поезд", "котов"}])
def test_the_smallest_change_is_the_keywords(kind: type[Keywords], keywords: set[str]) -> None:
    model = kind(frozenset(keywords))
    one = found(model, " ".join(WORDS), budget=200)
    assert (one.status, one.minimal) == ("broken", True)
    assert one.text == " ".join("нечто" if word in keywords else word for word in WORDS)
    assert model.asked[0] == " ".join(WORDS)
    assert one.queries == len(model.asked) == len(set(model.asked))
    assert one.queries <= 2 + 2 * len(keywords) * 5  # five halvings of 17 words for each keyword, two parts each


def test_scores_save_questions() -> None:
    keywords = frozenset({"купи", "поезд", "котов"})
    queries = {kind: found(kind(keywords), " ".join(WORDS), budget=200).queries for kind in (Keywords, ScoredKeywords)}
    assert queries[ScoredKeywords] < queries[Keywords]


@BOTH
def test_one_keyword_of_three_is_enough_if_the_model_needs_three(kind: type[Keywords]) -> None:
    one = found(kind(frozenset({"купи", "поезд", "котов"}), least=3), " ".join(WORDS))
    assert (one.status, one.changes, one.minimal) == ("broken", 1, True)


@BOTH
def test_alternatives_of_a_place_are_tried(kind: type[Keywords]) -> None:
    model = kind(frozenset({"билет", "талон"}))
    one = found(model, "дешёвый билет", attacks=[Blank(words=("талон", "проезд"))])
    assert (one.status, one.text, one.minimal) == ("broken", "дешёвый проезд", True)


@BOTH
def test_statuses(kind: type[Keywords]) -> None:
    model = kind(frozenset({"билет"}))
    assert found(model, "билет", label="ham").status == "wrong_before"
    assert found(model, "https://билет.рф").status in {"unchanged", "wrong_before"}
    left = found(model, "билет", attacks=[Blank(words=("БИЛЕТ",))])
    assert (left.status, left.reason, left.text, left.queries) == ("withstood", "nothing left to try", "билет", 2)
    spent = found(model, "билет", budget=1)
    assert (spent.status, spent.reason, spent.text, spent.queries) == ("withstood", "budget", "билет", 1)
    nothing = found(model, "билет", attacks=[Blank(words=())])
    assert (nothing.status, nothing.queries) == ("unchanged", 1)


@BOTH
def test_the_gate_holds_for_what_is_asked(kind: type[Keywords]) -> None:
    def shared(olds: Sequence[str], news: Sequence[str]) -> list[float]:
        words = [(old.split(), new.split()) for old, new in zip(olds, news, strict=True)]
        return [sum(word in new for word in old) / len(old) for old, new in words]

    model = kind(frozenset({"билет", "поезд"}))
    text = "купи билет на поезд"
    adversary = Adversary([Blank()], model, similarity=shared, threshold=0.5, constraints=())
    (one,) = adversary.records([{"text": text, "label": "spam"}])
    assert (one.status, one.text, one.similarity) == ("broken", "купи нечто на нечто", 0.5)
    assert all(len(set(asked.split()) & set(text.split())) >= 2 for asked in model.asked)
    model.asked.clear()
    strict = Adversary([Blank()], model, similarity=shared, threshold=0.8, constraints=())
    (one,) = strict.records([{"text": text, "label": "spam"}])
    assert (one.status, one.similarity, one.text, model.asked) == ("rejected", 0.75, text, [text])


@BOTH
def test_without_minimal_it_stops_at_the_first_break(kind: type[Keywords]) -> None:
    one = found(kind(frozenset({"билет"})), " ".join(WORDS), minimal=False)
    assert one.status == "broken"
    assert one.queries == one.broken_at


@BOTH
def test_a_target(kind: type[Keywords]) -> None:
    model = kind(frozenset({"билет"}))
    assert found(model, "билет", target="ham").status == "broken"
    reached = found(model, "привет", label="ham", target="ham")
    assert (reached.status, reached.reason) == ("unchanged", "right already")
    into = found(model, "дай талон", label="ham", target="spam", attacks=[Blank(words=("билет", "ключ"))])
    assert (into.status, into.changes, into.minimal) == ("broken", 1, True)
    assert found(model, "билет", target="третий").status == "withstood"


class Hashed:
    """A model whose label hangs on the letters of a text in no simple way; it gives scores, or not."""

    few_shot = False
    deterministic = True

    def __init__(self, *, scores: bool) -> None:
        self.asked: list[str] = []
        self.calls: list[int] = []
        if scores:
            self.scored = self._scored

    @staticmethod
    def odds(text: str) -> float:
        pairs = pairwise(ord(letter) for letter in text.lower() if letter.isalpha())
        return sum((left * 37 + right * 11) % 101 - 50 for left, right in pairs) / 50 + 0.3

    def __call__(self, examples: Sequence[Example]) -> list[str]:
        self.asked += [example.text for example in examples]
        self.calls.append(len(examples))
        return ["spam" if self.odds(example.text) > 0 else "ham" for example in examples]

    def _scored(self, examples: Sequence[Example]) -> list[tuple[str, list[dict[str, float]]]]:
        labels = self(examples)
        return [
            (label, [{"ham": 0.0, "spam": self.odds(example.text)}])
            for label, example in zip(labels, examples, strict=True)
        ]


ROWS = [
    {"id": number, "text": text, "label": "spam" if Hashed.odds(text) > 0 else "ham"}
    for number, text in enumerate(SENTENCES)
]


@LAWS
@given(attacks(), st.booleans(), st.integers(0, 3), st.sampled_from([5, 30]))
def test_laws_of_what_is_found(attack: Attack, scores: bool, seed: int, budget: int) -> None:  # noqa: FBT001
    model = Hashed(scores=scores)
    for row in ROWS[:4] if IS_FULL else [ROWS[seed]]:
        model.asked.clear()
        adversary = Adversary([attack], model, seed=seed, budget=budget)
        (one,) = adversary.records([row])
        asked = list(model.asked)
        assert asked[0] == row["text"]
        assert len(asked) == len(set(asked)) == one.queries <= budget
        source = one.record.values["text"]
        assert Script(source, one.scripts["text"].edits).text == one.text
        for span in () if attack.exchanges else one.protected["text"]:
            assert one.scripts["text"].map(span) is not None
        if one.status != "broken":
            assert (one.text, one.changes, one.after) == (source, 0, one.before)
            assert (one.reason != "") == (one.status == "withstood")
            continue
        assert one.text in asked[1:]
        assert (model.odds(one.text) > 0) != (model.odds(source) > 0)
        assert one.similarity is not None
        assert one.similarity >= (one.settings.threshold or 0)
        assert one.broken_at is not None
        assert 2 <= one.broken_at <= one.queries
        assert len(one.attacks["text"]) == len(one.scripts["text"].edits)
        assert one.metadata() == json.loads(json.dumps(one.metadata()))


@LAWS
@given(st.booleans(), st.permutations(range(len(ROWS))), st.integers(1, len(ROWS)))
def test_order_and_subset_make_no_difference(scores: bool, order: list[int], count: int) -> None:  # noqa: FBT001
    adversary = Adversary(["butterfingers", "eda_delete"], Hashed(scores=scores), budget=20)
    whole = [one.line() for one in adversary.records(ROWS)]
    some = order[:count]
    assert [one.line() for one in adversary.records([ROWS[at] for at in some])] == [whole[at] for at in some]


@pytest.mark.parametrize("scores", [True, False])
def test_a_smaller_budget_breaks_what_was_broken_by_then(scores: bool) -> None:  # noqa: FBT001
    long = list(Adversary(["butterfingers"], Hashed(scores=scores), budget=60).records(ROWS))
    assert any(one.broken_at for one in long)
    for budget in (2, 3, 5, 10):
        short = Adversary(["butterfingers"], Hashed(scores=scores), budget=budget).records(ROWS)
        early = [one.broken_at if one.broken_at and one.broken_at <= budget else None for one in long]
        assert [one.broken_at for one in short] == early


@pytest.mark.parametrize("scores", [True, False])
def test_the_model_is_called_once_a_round(scores: bool) -> None:  # noqa: FBT001
    model = Hashed(scores=scores)
    results = list(Adversary(["butterfingers"], model, budget=10).records(ROWS))
    assert len(model.calls) <= max(one.queries for one in results)
    assert sum(model.calls) == len(model.asked) == len(set(model.asked))


def test_at_least_95_of_100_successes_are_minimal_when_the_budget_is_large() -> None:
    for scores in (True, False):
        model = Hashed(scores=scores)
        adversary = Adversary(["butterfingers"], model, budget=300, similarity="none", constraints=())
        broken = [one for one in adversary.records(ROWS) if one.status == "broken"]
        assert len(broken) >= 8
        assert all(one.minimal for one in broken)
        for one in broken:
            edits = one.scripts["text"].edits  # each is a change of its own
            for left in edits:
                text = Script(one.scripts["text"].source, [edit for edit in edits if edit is not left]).text
                assert (model.odds(text) > 0) == (one.record.values["label"] == "spam")


def test_a_minimal_set_is_not_taken_for_the_smallest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once a set is minimal, the search goes on for smaller ones, most of them of other changes."""
    found = {}
    for more in (0, breaking._MORE):  # noqa: SLF001
        monkeypatch.setattr(breaking, "_MORE", more)
        found[more] = [
            one
            for seed in range(4)
            for one in Adversary(
                ["butterfingers"], Hashed(scores=True), budget=300, similarity="none", constraints=(), seed=seed
            ).records(ROWS)
        ]
    before, after = found.values()
    pairs = [(one, other) for one, other in zip(before, after, strict=True) if one.status == "broken"]
    assert len(pairs) >= 8
    assert all(one.changes >= other.changes and one.queries <= other.queries for one, other in pairs)
    assert any(one.minimal and one.changes > other.changes for one, other in pairs)


def test_a_cache_keeps_what_was_asked(tmp_path: Path) -> None:
    lines = []
    for run in range(2):
        model = ScoredKeywords(frozenset({"билет"}), signature="keywords|v1")
        cache = Cache(tmp_path / "cache.sqlite")
        adversary = Adversary([Blank()], model, similarity="none", constraints=(), cache=cache)
        lines.append([one.line() for one in adversary.records([{"text": "купи билет на поезд", "label": "spam"}])])
        cache.close()
        assert (len(model.asked) == 0) == (run == 1)
    assert lines[0] == lines[1]


def test_what_a_killed_run_asked_is_not_asked_again(tmp_path: Path) -> None:
    row = {"text": " ".join(WORDS), "label": "spam"}

    class Killed(Keywords):
        def __call__(self, examples: Sequence[Example], /) -> list[str]:
            if self.calls == 4:
                raise KeyboardInterrupt
            return super().__call__(examples)

    def run(model: Keywords) -> list[str]:
        cache = Cache(tmp_path / "cache.sqlite")
        try:
            adversary = Adversary([Blank()], model, similarity="none", constraints=(), cache=cache)
            return [one.line() for one in adversary.records([row])]
        finally:
            cache.close()

    keywords = frozenset({"билет", "котов"})
    first = Killed(keywords, signature="v1")
    with pytest.raises(KeyboardInterrupt):
        run(first)
    second, whole = Keywords(keywords, signature="v1"), Keywords(keywords)
    assert run(second) == [one.replace('"model":"model"', '"model":"v1"') for one in run(whole)]
    assert first.asked + second.asked == whole.asked


def test_guards_and_constraints_hold() -> None:
    model = Keywords(frozenset({"не"}))
    (one,) = Adversary(["eda_delete"], model, budget=50).records([{"text": "Я не люблю этот город.", "label": "spam"}])
    assert one.status in {"withstood", "rejected"}
    assert all("не" in text for text in model.asked)


def test_prepared_records_serve() -> None:
    adversary = Adversary([Blank()], Keywords(frozenset({"билет"})), similarity="none", preparation=Preparation(()))
    prepared = adversary.preparation.records([{"text": "билет", "label": "spam"}], needs=adversary.needs)
    assert [one.status for chunk in prepared for one in adversary.search(chunk)] == ["broken"]


def test_the_time_ends_a_search() -> None:
    model = Keywords(frozenset({"билет"}))
    adversary = Adversary([Blank()], model, similarity="none", constraints=(), seconds=1e-9)
    results = list(adversary.records([{"text": "билет", "label": "spam"}] * 2))
    assert [(one.status, one.reason, one.queries, one.text) for one in results] == [
        ("unchanged", "not asked", 0, "билет")
    ] * 2
    assert not model.asked


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": 0}, "`budget` 0; needs an integer, 1 or more"),
        ({"draws": 0}, "`draws` 0; needs an integer from 1 to 100"),
        ({"seconds": 0.0}, "`seconds` 0.0; needs a number of seconds over 0"),
    ],
)
def test_values_out_of_range(options: dict[str, object], message: str) -> None:
    with pytest.raises(AugmentError, match=message):
        Adversary([Blank()], Keywords(frozenset()), **options)  # type: ignore[arg-type]


def test_mistakes_are_explained() -> None:
    model = Keywords(frozenset({"билет"}))
    with pytest.raises(AugmentError, match="no attack"):
        Adversary([], model)
    with pytest.raises(AugmentError, match="give a list of attacks"):
        Adversary("butterfingers", model)
    with pytest.raises(AugmentError, match="no right answer in 'label'; name its field with `label_fields`"):
        list(Adversary([Blank()], model).records([{"text": "билет"}]))
    with pytest.raises(AugmentError, match="its scores are no list of labels with numbers"):
        list(Adversary([Blank()], _Wrong()).records([{"text": "билет", "label": "spam"}]))


class _Wrong:
    def __call__(self, examples: Sequence[Example]) -> list[str]:
        return ["spam"] * len(examples)

    def scored(self, examples: Sequence[Example]) -> list[tuple[str, list[dict[str, str]]]]:
        return [("spam", [{"spam": "much"}]) for _ in examples]


def test_a_question_is_that_of_the_changed_row() -> None:
    """Questions are put together from the parts of the first; of a row with offsets they are made from the row."""
    rows: list[tuple[dict[str, Any], str | None]] = [
        ({"hypothesis": "Кот спит", "premise": "Кот лежит и спит", "id": 7, "label": "entailment"}, "terra"),
        ({"text": "Кот спит", "title": "О котах", "label": "да"}, None),
    ]
    asked: list[Example] = []

    def model(examples: Sequence[Example]) -> list[str]:
        asked.extend(examples)
        return [str(rows[0][0]["label"] if "premise" in one.record else "да") for one in examples]

    for row, task in rows:
        list(Adversary([Blank()], model, similarity="none", constraints=(), confirm=0).records([row], task))
    assert len(asked) > len(rows)
    assert asked == [example_of({**one.record, "label": "?"}, one.task) for one in asked]
