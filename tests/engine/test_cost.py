"""Laws of cost: what is done grows with the length of a text, not with its square."""

import pytest

from augment_ru.constraints.protection import protected
from augment_ru.constraints.rule_file import constraint
from augment_ru.engine.augmenter import Augmenter
from augment_ru.text.doc import LAYERS, Doc, Token
from budgets import calls_of
from profiles import IS_FULL, third

SIZES = (800, 1600) if IS_FULL else (200, 400)
_SENTENCE = "Старый врач Иван Петров сказал, что год, который прошёл, был ему дорог. "


def _doc(sentences: int) -> Doc:
    """A text with annotation by rules that are as good as any here: names have capitals, verbs are the third words."""
    text = _SENTENCE * sentences
    ranges = [(start, stop) for start, stop in _ranges(text)]
    tokens = tuple(
        Token(
            start,
            stop,
            text[start:stop],
            frozenset(LAYERS),
            "B-PER" if text[start:stop] == "Иван" else "I-PER" if text[start:stop] == "Петров" else "",
            "VERB" if text[start:stop] in {"сказал", "прошёл", "был"} else "NOUN",
            "",
            text[start:stop].lower(),
            at,
            "root",
        )
        for at, (start, stop) in enumerate(ranges)
    )
    return Doc(text, tokens, frozenset(LAYERS))


def _ranges(text: str) -> list[tuple[int, int]]:
    found = []
    start = 0
    for word in text.split():
        bare = word.rstrip(",.")
        start = text.index(word, start)
        found.append((start, start + len(bare)))
        found += [(at, at + 1) for at in range(start + len(bare), start + len(word))]
        start += len(word)
    return found


@pytest.mark.parametrize("name", ["named_entities", "referents", "negated", "numbers", "restrictors"])
def test_constraints_of_a_text_four_times_as_long_take_four_times_thecalls_of(name: str) -> None:
    found = (constraint(name),)
    record = {"options": ["врач", "год"], "reference": "который"}
    short, long = _doc(100), _doc(400)
    protected(found, record, {"text": short})  # so that tables are read
    calls = [calls_of(lambda doc=doc: protected(found, record, {"text": doc})) for doc in (short, long)]  # type: ignore[misc]
    assert calls[1] <= 4.4 * calls[0]


@pytest.mark.parametrize("name", third(["butterfingers", "casing", "misspell", "punctuation", "spacing"], 1))
def test_the_calls_for_a_text_do_not_grow_with_its_square(name: str) -> None:
    augmenter = Augmenter(name, constraints=())
    augmenter(_SENTENCE * 100)
    # of texts with so many changed sentences that the threshold of each hardly rises any more
    calls = [calls_of(lambda size=size: augmenter(_SENTENCE * size)) for size in SIZES]  # type: ignore[misc]
    assert calls[1] <= 2.7 * calls[0]  # it would be 4; the rounds of the search differ
