"""Count the results of searches against a model: success at each number of queries, and what broke the answers.

The counts come from the rows' metadata under `augment` (docs/adversary.md), so no model is asked.
"""

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from statistics import fmean
from typing import Any

import numpy as np
from msgspec.structs import replace

from augment_ru.errors import AugmentError, amount
from augment_ru.evaluation.answers import Golds
from augment_ru.evaluation.examples import Example, PredictFunction, Prediction, example_of
from augment_ru.evaluation.pairs import CHOSEN, Pair, Pairs, as_float
from augment_ru.evaluation.protocol import EvaluationPlan
from augment_ru.evaluation.rates import percent, percents, wilson
from augment_ru.evaluation.report import CurvePoint, HardRow, SearchReport, ShareBroken
from augment_ru.formats.read import read_rows
from augment_ru.records.groups import grouped
from augment_ru.records.record import Record
from augment_ru.records.task import Task
from augment_ru.text import characters
from augment_ru.text.words import LETTERS_AND_DIGITS, word_bounds

FEATURES = ("attack", "kind", "letter", "word")
"""The properties by which edits are counted: the attack, the kind (replaced, deleted …), the letter, the touched word.
"""
CHANGES, SIMILARITY = "changes, at most", "similarity, at least"
"""Two properties that are counted cumulatively: rows broken with at most so many changes, or at least so similar."""
_STEPS = {CHANGES: (1, 2, 3, 4, 5, 7, 10, 20), SIMILARITY: (1.0, 0.99, 0.98, 0.95, 0.9, 0.85, 0.8)}
_MOST = {"attack": 20, "kind": 5, "letter": 10, "word": 15}
"""How many values of each property are listed: those with the highest lower ends of their intervals."""
_FEW = 5
"""Values that were tried fewer times are listed last."""
_HARDEST = 10
_AT_ONCE = 4096
"""The number of originals whose words are counted at once; it limits the memory."""


def counted_edits(source: str, edits: Iterable[tuple[Sequence[Any], str]]) -> Mapping[str, Counter[str]]:
    """Count the edits of a text by each of four properties: attack, kind, letter and word.

    Args:
        source: the original text.
        edits: each edit as (start, stop, text), with the name of its attack.

    >>> found = counted_edits("Новый кот", [([6, 7, "*"], "masking"), ([8, 9, ""], "masking")])
    >>> {name: dict(one) for name, one in found.items()}
    {'attack': {'masking': 2}, 'kind': {'replaced': 1, 'deleted': 1}, 'letter': {'к → *': 1}, 'word': {'кот': 2}}

    Returns:
        Maps each property to a count of the edits by its value. A letter is written «к → *»; a word is the one in which
        the edit begins, in lower case.
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
    """Return how often edits or rows with a certain property broke an answer in a search against a model.

    The result has entries for the values of each property; of many values, those with the highest shares. What an entry
    counts depends on the property:

    - attack, kind of edit, letter: the edits with this value in broken rows, out of those that the search tried.
    - word: the rows that were broken by an edit of the word, out of the rows in which the search tried to edit it.
    - label: the broken rows with this label, out of the rows with this label that can be broken.
    - number of changes: the rows broken with at most so many changes, out of all rows that can be broken.
    - similarity: the rows broken by a text that is at least so similar, out of all rows that can be broken.

    Args:
        rows: the broken rows.
        right: the rows that can be broken: those that the model answers right before the search.
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
    """Return the ten rows of a search whose right answers were hardest to turn wrong (to break), the hardest first.

    Rows that the search did not break come before those that it broke. Of either kind, the rows with the most queries
    (texts that the model was asked about) come first.

    Args:
        right: the rows that can be broken: those that the model answers right before the search.
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
    """Add up the counts of the edits of several texts (`counted_edits`).

    Args:
        counts: the counts of each text by property, such as {"letter": Counter({"к → *": 1})}.
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


_MOST_QUERIES = 2**53
"""A row that states more queries than this was not made by a search; sums of such numbers do not fit into a float."""
_QUERIES = (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
"""The numbers of queries on a curve. Only those below the budget are used; the last point is the budget itself."""
_DIGITS = 2
_TOLD = 4
"""How many values of a property, and how many of the hardest rows, the terminal shows."""


def searches(pairs: Pairs, learned: Iterable[str]) -> dict[str, SearchReport]:
    """Return the results of each search against a model, by the name of the attack in its rows.

    Args:
        pairs: the original and perturbed rows; attacks whose rows no search made are left out.
        learned: the texts of the model's train rows.
    """
    words = Counter(word for text in learned for word in set(map(str.lower, LETTERS_AND_DIGITS.findall(text))))
    found = {attack: list(filter(is_searched, rows)) for attack, rows in pairs.attacks.items()}
    return {attack: _of_search(rows, pairs, words) for attack, rows in found.items() if rows}


def is_searched(pair: Pair) -> bool:
    """Tell whether a row was made by a search against a model.

    Worst-case rows (the row of each original that breaks most models) do not count, even if they come from a search,
    because they were chosen by what they break.
    """
    if CHOSEN in pair.metadata:
        return False
    counts = pair.metadata.get("queries"), pair.metadata.get("budget")
    return all(isinstance(count, int) and 0 <= count <= _MOST_QUERIES for count in counts)


def learned_from(path: str, task: Task, encoding: str) -> frozenset[str]:
    """Return the texts of the rows in a train file; an empty set if it cannot be read or has no rows of the task.

    Args:
        path: the path of the file.
        task: the task.
        encoding: the encoding of the file, if it is not UTF-8.
    """
    with suppress(AugmentError):
        return frozenset(example_of(values, task).text for values in read_rows(path, encoding=encoding).values)
    return frozenset()


def recorded(pairs: Pairs, learned: frozenset[str]) -> PredictFunction:
    """Make a model that repeats the answers of the attacked model, which searches wrote into their rows.

    So the searches can be evaluated without the model that they attacked.

    Args:
        pairs: the original rows and the rows of the searches.
        learned: the texts that the attacked model was trained on.
    """
    plan = EvaluationPlan(pairs, (0,), 1, None)
    rows = [pair for own in pairs.attacks.values() for pair in own]
    said = [pair.metadata.get("prediction") or {} for pair in rows]
    before = dict(zip((pair.original for pair in rows), (one.get("before") for one in said), strict=True))
    answers = [before.get(at) for at in range(len(pairs.originals))] + [one.get("after") for one in said]
    known = dict(zip(map(_asked, plan.examples(None, 0)), answers, strict=True))

    def answer(examples: Sequence[Example]) -> list[Prediction]:
        return ["" if (found := known.get(_asked(one))) is None else found for one in examples]

    answer.deterministic, answer.learned = True, learned  # type: ignore[attr-defined]
    return answer


def _asked(example: Example) -> str:
    return json.dumps(example.record, sort_keys=True, default=str)


def told(pairs: Pairs, learned: Iterable[str]) -> Iterator[str]:
    """Yield lines that say what broke the answers in searches against a model (for the command `attack`).

    For each property of edits and rows (such as the letter that was changed), a line names the values with the highest
    shares of broken answers. The last line of a search names the rows that were hardest to break.

    Args:
        pairs: the original rows and the rows of the searches.
        learned: the texts of the model's train rows; a line says how many of them have a word that broke answers.
    """
    for found in searches(pairs.with_golds(), learned).values():
        by = grouped((one.by, one) for one in found.broke if one.broken or one.by == "label")
        for name, shares in by.items():
            if found.broken:
                yield f"broke, by {name}: " + "; ".join(map(_in_words, shares[: _TOLD if name in FEATURES else None]))
        if found.hardest:
            yield "hardest rows: " + ", ".join(f"{one.id} ({one.queries:,})" for one in found.hardest[:_TOLD])


def _in_words(one: ShareBroken) -> str:
    """Return a share in words, such as `masking ×1.9 (8 of 12)`."""
    lift = "" if one.lift is None else f" ×{one.lift:.1f}"
    train = "" if one.train_rows is None else f"; in {amount(one.train_rows, 'train row')}"
    return f"{one.value}{lift} ({one.broken:,}{f' of {one.of:,}' if one.of else ''}{train})"


def _of_search(rows: Sequence[Pair], pairs: Pairs, learned: Mapping[str, int]) -> SearchReport:
    """Return the results of a search; its rates count only the rows that `can_be_broken`."""
    breakable = [pair for pair in rows if can_be_broken(pair.metadata)]
    right = [pair.metadata for pair in breakable]
    broken = [pair for pair in rows if pair.metadata.get("status") == "broken"]
    budget = max(int(pair.metadata["budget"]) for pair in rows)
    queries = sum(int(one["queries"]) for one in right)
    words = [changed_words(Record(pairs.originals[pair.original].values, pairs.task).texts(), pair) for pair in broken]
    return SearchReport(
        model=rows[0].metadata.get("model"),
        budget=budget,
        right=len(right),
        broken=len(broken),
        curve=[_point(number, right) for number in (*(one for one in _QUERIES if one < budget), budget)],
        queries=queries,
        queries_a_success=ratio(queries, len(broken)),
        changes=_mean([count for pair in broken if (count := as_float(pair.metadata.get("changes"))) is not None]),
        changed_words=_mean([float(count) for count in words if count is not None]),
        minimal=ratio(100 * sum(bool(pair.metadata.get("minimal")) for pair in broken), len(broken)),
        similarity=_mean([pair.similarity for pair in broken if pair.similarity is not None], digits=4),
        broke=shares_broken(broken, breakable, pairs.golds, learned),
        hardest=hardest(breakable, pairs),
    )


def can_be_broken(search: Mapping[str, Any]) -> bool:
    """Tell whether a row counts in the success rate of the search that made it.

    The row counts if the model was asked about the original and answers it right. If the search aims at a certain
    answer (the target), the model must also not give this answer to the original.

    Args:
        search: the metadata that the search wrote into the row.
    """
    return search.get("status") != "wrong_before" and search.get("reason") not in {"right already", "not asked"}


def _point(queries: int, right: Sequence[Mapping[str, Any]]) -> CurvePoint:
    """Return the success rate within a number of queries, with Wilson's interval."""
    hits = sum(isinstance(at := one.get("broken_at"), int) and at <= queries for one in right)
    band = wilson(hits, len(right))
    ends = band and [round(100 * end, _DIGITS) for end in band]
    return CurvePoint(queries, hits, ratio(100 * hits, len(right)), ends)


def changed_words(texts: Mapping[str, str], pair: Pair) -> int | None:
    """Count the words of the original that the edits touch; an edit that touches no word counts as one word.

    Args:
        texts: the original texts, by field.
        pair: the perturbed row.

    Returns:
        The number of words; None if the edits of the row are not known.
    """
    if pair.edits is None:
        return None
    touched = 0
    for name, edits in pair.edits.items():
        words = [word.span() for word in LETTERS_AND_DIGITS.finditer(texts[name])]
        hit: set[int] = set()
        for start, stop, *_ in edits:
            own = {at for at, (begin, end) in enumerate(words) if begin < max(stop, start + 1) and start < end}
            hit |= own
            touched += not own
        touched += len(hit)
    return touched


def edits_per_100_words(pairs: Pairs) -> dict[str, float | None]:
    """Return the number of edits of each attack per 100 words of the originals.

    Only rows with known edits count. The number is None if there are none.

    Args:
        pairs: the original and perturbed rows.
    """
    words_of: list[int] = []
    for start in range(0, len(pairs.originals), _AT_ONCE):
        records = [Record(one.values, pairs.task) for one in pairs.originals[start : start + _AT_ONCE]]
        codes, starts = characters.encode(["\n".join(record.texts().values()) for record in records])
        words, _ = word_bounds(codes, characters.classes(codes))
        words_of += np.diff(np.searchsorted(words, starts)).tolist()
    found: dict[str, float | None] = {}
    for attack, rows in pairs.attacks.items():
        changed = [pair for pair in rows if pair.edits and any(pair.edits.values())]
        edits = sum(len(one) for pair in changed for one in (pair.edits or {}).values())
        found[attack] = ratio(100 * edits, sum(words_of[pair.original] for pair in changed))
    return found


def ratio(count: float, of: int) -> float | None:
    """Return `count / of`, rounded to two decimals; None if `of` is 0."""
    return round(count / of, _DIGITS) if of else None


def _mean(values: Sequence[float], digits: int = _DIGITS) -> float | None:
    return round(fmean(values), digits) if values else None
