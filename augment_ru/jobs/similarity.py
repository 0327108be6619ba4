"""The work of `augment-ru similarity`: scores of given pairs of texts, and their figures by attack."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from augment_ru.edits import Edit
from augment_ru.engine.attack import Needs
from augment_ru.engine.figures import distribution
from augment_ru.engine.prepare import Preparation
from augment_ru.engine.search import DIGITS
from augment_ru.engine.similarity import Candidates, Similarity
from augment_ru.errors import AugmentError
from augment_ru.evaluation.page import edits_between
from augment_ru.evaluation.table_text import ShownTable
from augment_ru.formats.read import Row
from augment_ru.formats.row import KEY
from augment_ru.script import Script

ALL = "(pairs)"
"""The attack of pairs that name none."""


class TextPair(NamedTuple):
    """An original text and a perturbed one, and the attack that made it."""

    attack: str
    original: str
    perturbed: str


def pairs_in(row: Row) -> list[TextPair]:
    """The pairs of a row: `original` and `perturbed`, or each text of `augment.source` with the row's own.

    Raises:
        AugmentError: the row has neither.
    """
    values = row.values
    meta = values.get(KEY)
    attack = meta.get("attack") if isinstance(meta, Mapping) else values.get("attack")
    name = attack if isinstance(attack, str) else ALL
    source = meta.get("source") if isinstance(meta, Mapping) else None
    if isinstance(source, Mapping):
        found = [(text, values.get(field)) for field, text in source.items()]
    else:
        found = [(values.get("original"), values.get("perturbed"))]
    if not found or not all(isinstance(one, str) for pair in found for one in pair):
        raise AugmentError(f"{row.where}: needs the texts 'original' and 'perturbed', or a row of augment-ru perturb")
    return [TextPair(name, str(original), str(perturbed)) for original, perturbed in found]


def scored(pairs: Sequence[TextPair], similarity: Similarity, preparation: Preparation) -> list[float]:
    """The similarity of each pair, to four digits.

    The edits of a pair are those between its words; similarities that read edits may score it a little otherwise than
    with the edits that an attack made.
    """
    found: list[float] = []
    for prepared in preparation.texts((pair.original for pair in pairs), needs=[Needs(similarity.layers)]):
        start = len(found)
        own = pairs[start : start + len(prepared)]
        scripts = [
            Script(one.original, (Edit(*edit) for edit in edits_between(one.original, one.perturbed))) for one in own
        ]
        scores = similarity.against(prepared.references).score(np.arange(len(own)), Candidates(scripts))
        found += np.round(scores, DIGITS).tolist()
    return found


def figures(pairs: Sequence[TextPair], scores: Sequence[float]) -> dict[str, dict[str, Any]]:
    """By attack the number of pairs and the distribution of their scores."""
    by_attack: dict[str, list[float]] = {}
    for pair, score in zip(pairs, scores, strict=True):
        by_attack.setdefault(pair.attack, []).append(score)
    return {name: {"pairs": len(own), **(distribution(own) or {})} for name, own in by_attack.items()}


def figures_table(found: Mapping[str, Mapping[str, Any]]) -> ShownTable:
    """The figures as a table; scores × 100, as in ShownTable 1 of TAPE."""
    keys = ("mean", "std", "5%", "50%", "95%")
    rows = [[name, f"{own['pairs']:,}", *(f"{100 * own[key]:.2f}" for key in keys)] for name, own in found.items()]
    return ShownTable("Similarity × 100", ["attack", "pairs", "mean", "std", "5 %", "median", "95 %"], rows, 1)
