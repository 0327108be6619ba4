"""What broke the answers in a search: edits of broken rows, by attack, kind, letter and word, out of those tried."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from augment_ru.evaluation.answers import Golds
from augment_ru.evaluation.pairs import Pair, Pairs, as_float
from augment_ru.evaluation.rates import percent, percents, wilson
from augment_ru.evaluation.report import HardRow, ShareBroken
from augment_ru.text.words import LETTERS_AND_DIGITS

FEATURES = ("attack", "kind", "letter", "word")
"""The properties of an edit that are counted."""
CHANGES, SIMILARITY = "changes, at most", "similarity, at least"
"""Two properties that are counted cumulatively: rows broken with at most so many changes, or at least so similar."""
_STEPS = {CHANGES: (1, 2, 3, 4, 5, 7, 10, 20), SIMILARITY: (1.0, 0.99, 0.98, 0.95, 0.9, 0.85, 0.8)}
_MOST = {"attack": 20, "kind": 5, "letter": 10, "word": 15}
"""How many values of each property are listed: those with the highest lower ends of their intervals."""
_FEW = 5
"""Values that were tried fewer times are listed last."""
_HARDEST = 10


def counted_edits(source: str, edits: Iterable[tuple[Sequence[Any], str]]) -> Mapping[str, Counter[str]]:
    """Count the edits of a text by each of four properties: attack, kind, letter and word.

    Args:
        source: the original text.
        edits: each edit as (start, stop, text), with the name of its attack.

    >>> found = counted_edits("Новый кот", [([6, 7, "*"], "masking"), ([8, 9, ""], "masking")])
    >>> {name: dict(one) for name, one in found.items()}
    {'attack': {'masking': 2}, 'kind': {'replaced': 1, 'deleted': 1}, 'letter': {'к → *': 1}, 'word': {'кот': 2}}

    Returns:
        For each property, how many edits have each of its values. A letter is written «к → *»; a word is one that the
        edit touches, in lower case.
    """
    found: dict[str, Counter[str]] = {name: Counter() for name in FEATURES}
    words = [(one.start(), one.end(), one[0].lower()) for one in LETTERS_AND_DIGITS.finditer(source)]
    starts = [start for start, *_ in words]
    for (start, stop, text, *_), attack in edits:
        old = source[start:stop]
        found["attack"][attack] += 1
        swapped = len(old) > 1 and old != text and sorted(old) == sorted(text)
        found["kind"]["swapped" if swapped else "inserted" if not old else "replaced" if text else "deleted"] += 1
        if len(old) == len(text) == 1:
            found["letter"][f"{old} → {text}"] += 1
        at = bisect_right(starts, start) - 1
        if at >= 0 and start < words[at][1] + (start == stop):
            found["word"][words[at][2]] += 1
    return found


def shares_broken(
    rows: Sequence[Pair], right: Sequence[Pair], golds: Golds, learned: Mapping[str, int]
) -> list[ShareBroken]:
    """Return how often edits and rows broke an answer in a search against a model, by property and by its value.

    What is counted depends on the property:

    - attack, kind of edit, letter: the edits with this value in broken rows, out of those that the search tried.
    - word: the rows that were broken by an edit of the word, out of the rows in which the search tried to edit it.
    - label: the broken rows with this label, out of the rows with this label that can be broken.
    - number of changes: the rows broken with at most so many changes, out of all rows that can be broken.
    - similarity: the rows broken by a text that is at least so similar, out of all rows that can be broken.

    Args:
        rows: the broken rows.
        right: the rows that can be broken: those that the model has right before the search.
        golds: the right answers of the originals.
        learned: maps each word to the number of the model's train rows that contain it; empty if they are not known.
    """
    broke = _in_rows(_edits_of(pair) for pair in rows)
    tried = _in_rows(_tried_of(pair.metadata.get("tried")) for pair in right)
    found = [one for name in FEATURES for one in _of_edits(name, broke[name], tried[name])]
    if learned:
        found = [replace(one, train_rows=learned.get(one.value, 0)) if one.by == "word" else one for one in found]
    labels = {pair.original: ", ".join(map(str, golds[pair.original])) for pair in right}
    of_labels, of_broken = Counter(labels.values()), Counter(labels[pair.original] for pair in rows)
    if 1 < len(of_labels) <= _MOST["attack"]:
        found += [_share("label", name, of_broken[name], count) for name, count in of_labels.most_common()]
    changes = [value for pair in rows if (value := as_float(pair.metadata.get("changes"))) is not None]
    scores = [pair.similarity for pair in rows if pair.similarity is not None]
    for by, sizes in ((CHANGES, changes), (SIMILARITY, scores)):
        reached = 0
        for at in _STEPS[by]:
            hits = sum(one <= at if by == CHANGES else one >= at for one in sizes)
            if hits > reached or 0 < hits < len(sizes):
                found.append(_share(by, f"{at:g}", hits, len(right)))
            reached = hits
    return found


def hardest(right: Sequence[Pair], pairs: Pairs) -> list[HardRow]:
    """Return the ten rows of a search that were hardest to break, the hardest first.

    Rows that the search did not break come before those that it broke. In each of the two groups, the rows with the
    most queries come first.

    Args:
        right: the rows that can be broken: those that the model has right before the search.
        pairs: all rows, from which the ids and the right answers are taken.
    """

    def order(pair: Pair) -> tuple[int, int]:
        at = pair.metadata.get("broken_at")
        return (1, at) if isinstance(at, int) else (2, int(pair.metadata["queries"]))

    asked = [pair for pair in right if pair.metadata.get("status") in {"broken", "withstood"}]
    return [
        HardRow(
            str(pairs.originals[pair.original].id),
            ", ".join(map(str, pairs.golds[pair.original])),
            str(pair.metadata["status"]),
            int(pair.metadata["queries"]),
            int(as_float(pair.metadata.get("changes")) or 0),
        )
        for pair in sorted(asked, key=order, reverse=True)[:_HARDEST]
    ]


def _tried_of(given: object) -> Mapping[str, Counter[str]]:
    """Read the entry `tried` of a row; counts that are no integers are left out."""
    stated = given if isinstance(given, Mapping) else {}
    parts = ((name, own) for name in FEATURES if isinstance(own := stated.get(name), Mapping))
    return {name: Counter({str(key): one for key, one in own.items() if isinstance(one, int)}) for name, own in parts}


def _in_rows(counts: Iterable[Mapping[str, Counter[str]]]) -> dict[str, Counter[str]]:
    """Add up the counts of rows; a word counts once for each row."""
    return summed({**one, "word": Counter(list(one.get("word", ())))} for one in counts)


def _edits_of(pair: Pair) -> Mapping[str, Counter[str]]:
    """Count the edits of a row; empty where the row does not state its edits with their attacks and sources."""
    sources, attacks = pair.metadata.get("source"), pair.metadata.get("attacks")
    if not (pair.edits and isinstance(sources, Mapping) and isinstance(attacks, Mapping)):
        return {}
    return summed(
        counted_edits(str(sources[name]), zip(edits, map(str, own), strict=False))
        for name, edits in pair.edits.items()
        if name in sources and isinstance(own := attacks.get(name), list)
    )


def summed(counts: Iterable[Mapping[str, Counter[str]]]) -> dict[str, Counter[str]]:
    """Add up the counts of several texts: for each property of their edits, how often each value occurs.

    Args:
        counts: the counts of each text, such as {"letter": Counter({"к → *": 1})}.
    """
    found: dict[str, Counter[str]] = {name: Counter() for name in FEATURES}
    for one in counts:
        for name in FEATURES:
            found[name].update(one.get(name, ()))
    return found


def _of_edits(by: str, broke: Counter[str], tried: Counter[str]) -> Iterator[ShareBroken]:
    """Yield the share of each value of a property, with its lift: the share divided by that of all values together."""
    known = tried if tried.total() else broke
    overall = broke.total() / tried.total() if tried.total() else 0.0
    shares = [_share(by, name, broke[name], tried[name], overall) for name in known]
    shares.sort(key=lambda one: (0 < one.of < _FEW, -(one.ci95 or (0.0,))[0], -one.broken, one.value))
    yield from shares[: _MOST[by]]


def _share(by: str, value: str, broken: int, of: int, overall: float = 0.0) -> ShareBroken:
    broken_of = min(broken, of)
    share = broken_of / of if of else None
    lift = round(share / overall, 2) if share is not None and overall else None
    return ShareBroken(by, value, broken, of, percent(share), percents(wilson(broken_of, of)), lift)
