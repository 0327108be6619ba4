"""Find which edits of a broken row flip the answer, by asking the model again with some edits taken back."""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from augment_ru.edits import Edit
from augment_ru.engine.result import new_values
from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import answer_of, is_right
from augment_ru.evaluation.examples import Cache, NamedModel, QuestionCounts, ask
from augment_ru.evaluation.pairs import Pair, Pairs, order_of
from augment_ru.evaluation.protocol import EvaluationPlan, Wanted
from augment_ru.evaluation.rates import JudgedRun
from augment_ru.formats.row import Changed, new_row
from augment_ru.records.groups import grouped
from augment_ru.records.record import Record
from augment_ru.script import Script

Numbers: TypeAlias = Mapping[str, Sequence[int]]
"""Maps a field to the indices of some of its edits, in the order of the row's edits."""

Flipping: TypeAlias = Mapping[tuple[int, str, int], Numbers]
"""Maps (index of the run of a model, attack, index of the row among those of the attack) to the edits that flip the
row's answer.
"""

_Unit: TypeAlias = tuple[tuple[str, int], ...]
"""Edits that are taken back together, each given by its field and number."""
_Search: TypeAlias = Generator[Sequence[_Unit], bool, Sequence[_Unit]]


_MOST_QUESTIONS = 100_000
"""The limit on the questions of a run; each edit is estimated to need three questions, and most rows need fewer."""
_QUESTIONS_AN_EDIT = 3


def flipping_edits(
    judged: Sequence[JudgedRun], models: Sequence[NamedModel], plan: EvaluationPlan, cache: Cache | None, wanted: Wanted
) -> Flipping:
    """Find in each broken row a smallest set of edits that is enough to make the answer wrong.

    A row is broken if the model is right on its original and wrong on it. Smallest means that the answer is right again
    if any one edit of the set is taken back (found by delta debugging, Zeller and Hildebrandt 2002). Edits that
    exchange words with each other count as one edit. Rows with a single edit are left out, and only the first episode
    (set of demonstrations) is searched.

    Args:
        judged: the runs (answers of a model) with their outcomes (which answers the attacks broke).
        models: the models of the runs; a model has the same name as in its runs.
        plan: the questions that the models were asked.
        cache: the cache of answers; None to ask every question.
        wanted: which models are asked: `all`, `none`, or `auto` for models that answer faster than the cache can be
            read (`Model.cached` is false).

    Returns:
        The sets of edits; empty if `wanted` is `none`, the task is a dialogue, or answers are labelled spans.

    Raises:
        AugmentError: a model fails.
    """
    found: dict[tuple[int, str, int], Numbers] = {}
    by_name = {model.name: model for model in models}
    if wanted == "none" or not may_take_back(plan.pairs):
        return found
    for number, one in enumerate(judged):
        model = by_name[one.run.model]
        if wanted == "all" or not model.cached:
            found |= {(number, *key): edits for key, edits in _of_run(one, model, plan, cache)}
    return found


def may_take_back(pairs: Pairs) -> bool:
    """Tell whether models can be asked about rows with some of their edits taken back.

    They cannot in a dialogue, where a text is part of later questions, too; nor if answers are labelled spans, which
    have other places after other edits.
    """
    return pairs.task.layout.dialogue is None and pairs.kind != "spans"


def _of_run(
    judged: JudgedRun, model: NamedModel, plan: EvaluationPlan, cache: Cache | None
) -> Iterator[tuple[tuple[str, int], Numbers]]:
    """Yield ((attack, index of the row), edits) for each broken row of a run that was searched.

    The edits are those that flip the answer: their indices, by field. The rows are searched together: in every round,
    one question for each row whose search goes on is asked in a single call.
    """
    rows: list[tuple[str, int, Pair]] = []
    searches: list[_Search] = []
    left, kind = _MOST_QUESTIONS, plan.pairs.kind
    for attack, outcomes in judged.outcomes.items():
        for at in np.flatnonzero(outcomes.broken[:, 0].any(axis=0)).tolist():
            pair = plan.pairs.attacks[attack][at]
            parts = parts_of(pair, plan)
            left -= _QUESTIONS_AN_EDIT * len(parts)
            if left >= 0 and not order_of(pair.metadata) and _is_whole(pair, parts, plan):
                rows.append((attack, at, pair))
                searches.append(smallest(parts))
    open_: list[tuple[int, bool | None]] = [(at, None) for at in range(len(rows))]
    while open_:
        asked: list[tuple[int, Sequence[_Unit]]] = []
        for at, answer in open_:
            try:
                kept = next(searches[at]) if answer is None else searches[at].send(answer)
                asked.append((at, kept))
            except StopIteration as end:
                attack, row, _ = rows[at]
                yield (attack, row), _numbers(end.value)
        values = [with_edits(rows[at][2], kept, plan) for at, kept in asked]
        examples = plan.asked(values, judged.run.shots, plan.numbers(judged.run.shots)[0])
        predictions = ask(model, examples, cache, QuestionCounts())
        open_ = []
        for (at, _), prediction in zip(asked, predictions, strict=True):
            attack, row, pair = rows[at]
            answer_now = answer_of(prediction, plan.pairs.task, kind)
            broken = judged.outcomes[attack].broken[:, 0, row]
            wrong = (
                broken[field] and not is_right(kind, gold, answer_now[field], plan.pairs.task.scoring.normal_form)
                for field, gold in enumerate(plan.pairs.golds[pair.original])
                if gold is not None
            )
            open_.append((at, any(wrong)))


def smallest(parts: Sequence[_Unit]) -> _Search:
    """Search for a small set of edits of a row that is enough to make the answer wrong (delta debugging).

    If any one edit of the found set is taken back, the answer is right again.

    This is a generator. It yields one set of edits after another. After each, the caller sends (`send`) whether the
    answer is wrong with these edits alone. At the end the generator returns the found set.

    Args:
        parts: the edits of a row; those that exchange words with each other form one part.

    >>> search = smallest([(("text", 0),), (("text", 1),), (("text", 2),)])
    >>> kept = next(search)
    >>> try:
    ...     while True:
    ...         kept = search.send((("text", 1),) in kept)
    ... except StopIteration as end:
    ...     print(end.value)
    [(('text', 1),)]
    """
    kept, count = list(parts), 2
    while len(kept) > 1:
        bounds = [len(kept) * at // count for at in range(count + 1)]
        for start, stop in pairwise(bounds):
            rest = kept[:start] + kept[stop:]
            if (yield rest):
                kept, count = rest, max(count - 1, 2)
                break
        else:
            if count == len(kept):
                break
            count = min(2 * count, len(kept))
    return kept


def parts_of(pair: Pair, plan: EvaluationPlan) -> list[_Unit]:
    """Divide the edits of a row into parts, each of which can be taken back without the others.

    Edits that exchange words with each other form one part; any other edit is a part of its own.

    Args:
        pair: the perturbed row.
        plan: the questions of the evaluation; only its originals are used.
    """
    texts = Record(plan.pairs.originals[pair.original].values, plan.pairs.task).texts()
    found: list[_Unit] = []
    for name, edits in (pair.edits or {}).items():
        old = [texts[name][start:stop].casefold().strip() for start, stop, *_ in edits]
        new = [str(text).casefold().strip() for _, _, text, *_ in edits]
        group = list(range(len(edits)))
        for one, words in enumerate(new):
            for other, source in enumerate(old):
                if len(words) > 1 and words == source and one != other:
                    group = [group[one] if of == group[other] else of for of in group]
        found += [tuple((name, at) for at, of in enumerate(group) if of == own) for own in dict.fromkeys(group)]
    return found


def with_edits(pair: Pair, kept: Iterable[_Unit], plan: EvaluationPlan) -> dict[str, Any]:
    """Return the original of a perturbed row with only some of its edits applied.

    Offsets (places that the row states as numbers) move with the texts.

    Args:
        pair: the perturbed row.
        kept: the edits that are applied, as returned by `parts_of`.
        plan: the questions of the evaluation, from which the original is taken.
    """
    numbers = _numbers(kept)
    record = Record(plan.pairs.originals[pair.original].values, plan.pairs.task)
    scripts = {
        name: Script(text, [Edit(*(pair.edits or {})[name][at]) for at in numbers.get(name, ())])
        for name, text in record.texts().items()
    }
    return new_row(record.values, Changed(new_values(record, scripts)))


def _is_whole(pair: Pair, parts: Sequence[_Unit], plan: EvaluationPlan) -> bool:
    """Tell whether a row has at least two units of edits, and applying all of them gives exactly its texts."""
    if len(parts) < 2:  # noqa: PLR2004  (one edit needs no question)
        return False
    try:
        made = with_edits(pair, parts, plan)
    except AugmentError:
        return False
    return Record(made, plan.pairs.task).texts() == Record(pair.values, plan.pairs.task).texts()


def _numbers(kept: Iterable[_Unit]) -> dict[str, list[int]]:
    return grouped(sorted(one for unit in kept for one in unit))
