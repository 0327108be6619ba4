"""The search with labels alone and a guide, against models that one can count by hand."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from augment_ru import Adversary, AugmentError, Preparation
from augment_ru.adversary.adversary import Finding
from augment_ru.adversary.breaking import Guidance, break_by_guide
from augment_ru.adversary.knowledge import Draws, Knowledge, Verdict
from augment_ru.engine.pool import pools
from augment_ru.evaluation.examples import Cache
from victims import Blank, Keywords, ScoredKeywords

TEXT = "купи сегодня дешёвый билет на поезд в город где живёт твоя добрая старая тётя и семеро котов"
ROWS = [
    {"text": TEXT, "label": "spam"},
    *({"text": f"{word} и билет на поезд", "label": "spam"} for word in TEXT.split()),
]
KEYWORDS = frozenset({"купи", "поезд", "котов"})


def found(
    model: Keywords, guide: Keywords | None, rows: Sequence[dict[str, str]] = ROWS[:1], **options: object
) -> list[Finding]:
    """What the search finds, without gate and constraints."""
    shared = {"similarity": "none", "constraints": (), "budget": 60, **options}
    return list(Adversary([Blank(words=("нечто", "некто"))], model, guide=guide, **shared).records(rows))  # type: ignore[arg-type]


def test_the_first_question_is_the_one_that_breaks_the_guide() -> None:
    model, guide = Keywords(KEYWORDS), ScoredKeywords(KEYWORDS)
    (one,) = found(model, guide)
    assert (one.status, one.broken_at, one.changes, one.minimal) == ("broken", 2, 3, True)
    assert {
        script.source[edit.start : edit.stop] for script in one.scripts.values() for edit in script.edits
    } == KEYWORDS


def test_questions_to_the_guide_are_not_counted() -> None:
    model, guide = Keywords(KEYWORDS), ScoredKeywords(KEYWORDS)
    (one,) = found(model, guide)
    assert one.queries == len(model.asked) == len(set(model.asked))
    assert len(guide.asked) == 1 + 2 * len(TEXT.split())  # the original, and each change alone


@pytest.mark.parametrize("keywords", [{"сегодня"}, {"тётя", "добрая"}, {"нет"}])
def test_a_guide_that_errs_does_not_hide_what_breaks_the_model(keywords: set[str]) -> None:
    (one,) = found(Keywords(KEYWORDS), ScoredKeywords(frozenset(keywords)))
    assert (one.status, one.changes, one.minimal) == ("broken", 3, True)


def test_one_letter_of_each_word_comes_before_several() -> None:
    adversary = Adversary(["butterfingers"], Keywords(KEYWORDS), similarity="none")
    (prepared,) = Preparation(constraints=()).texts(["погода хорошая"], needs=adversary.needs)
    pool = pools(prepared, adversary.perturbers, 3)[0]
    knowledge, places = Knowledge(pool, None, Verdict(1.0, passed=True)), pool.places
    effects = np.linspace(1.0, 2.0, len(pool))
    search = break_by_guide(knowledge, Guidance(np.array([1.0]), effects[:, None]), Draws(1))
    chosen, most = next(search), []
    strongest = {int(np.flatnonzero(places == place)[-1]) for place in set(places.tolist())}
    assert set(chosen) == strongest
    for _ in range(12):
        most.append(int(np.bincount(places[list(chosen)]).max()))
        knowledge.learn(chosen, verdict := Verdict(1.0, passed=True))
        chosen = search.send(verdict)
    assert most[0] == most[1] == 1 < max(most)
    assert most.count(1) >= len(most) / 2


def test_with_a_guide_a_row_depends_on_nothing_but_itself() -> None:
    keywords, other = frozenset({"билет", "семеро"}), frozenset({"поезд", "билет"})
    whole = found(Keywords(keywords), ScoredKeywords(other), ROWS)
    alone = [one for row in reversed(ROWS) for one in found(Keywords(keywords), ScoredKeywords(other), [row])]
    assert [one.line() for one in whole] == [one.line() for one in reversed(alone)]
    assert {one.status for one in whole} >= {"broken"}


def test_the_metadata_names_the_guide() -> None:
    guide = ScoredKeywords(KEYWORDS, signature="keywords|v1")
    (with_guide,), (without,) = (found(Keywords(KEYWORDS), one) for one in (guide, None))
    assert (with_guide.metadata() or {})["guide"] == "keywords|v1"
    assert "guide" not in (without.metadata() or {})


def test_answers_of_the_guide_are_kept_in_the_cache(tmp_path: Path) -> None:
    lines = []
    for number_asked in (1 + 2 * len(TEXT.split()), 0):
        guide = ScoredKeywords(KEYWORDS, signature="keywords|v1")
        with closing(Cache(tmp_path / "answers.sqlite")) as cache:
            (one,) = found(Keywords(KEYWORDS), guide, cache=cache)
        assert len(guide.asked) == number_asked
        lines.append(one.line())
    assert lines[0] == lines[1]


def test_errors() -> None:
    with pytest.raises(AugmentError, match="`guide` guide: gives no scores"):
        found(Keywords(KEYWORDS), Keywords(KEYWORDS))
    with pytest.raises(AugmentError, match="`model` model gives scores itself and needs no guide; leave it out"):
        found(ScoredKeywords(KEYWORDS), ScoredKeywords(KEYWORDS))
