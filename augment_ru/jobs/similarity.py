"""The work of `augment-ru similarity`: score given pairs of texts, and print figures for each attack."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np

from augment_ru.edits import Edit, Note
from augment_ru.engine.attack import Needs
from augment_ru.engine.figures import distribution
from augment_ru.engine.prepare import Preparation
from augment_ru.engine.presets import option_values
from augment_ru.engine.search import DIGITS
from augment_ru.engine.similarity import Candidates, Similarity, checked_scores, scorer_of, similarity_of
from augment_ru.errors import AugmentError, amount
from augment_ru.evaluation.page import edits_between
from augment_ru.evaluation.table_text import ShownTable
from augment_ru.formats.files import UTF8, check_encoding, check_outputs, named_files
from augment_ru.formats.read import Row, read_rows
from augment_ru.formats.row import KEY
from augment_ru.jobs.evaluate import print_shown
from augment_ru.jobs.messages import checking, say
from augment_ru.jobs.outputs import json_lines, write_file
from augment_ru.jobs.rows import check_device
from augment_ru.records.groups import grouped
from augment_ru.registry import own_files
from augment_ru.script import Script

ALL = "(pairs)"
"""Stands for the name of the attack in pairs whose rows name none."""


class TextPair(NamedTuple):
    """An original text and a perturbed text.

    Attributes:
        attack: the attack that made the perturbed text; "(pairs)" if the row names no attack.
        original: the original text.
        perturbed: the perturbed text.
        script: the edits; None if the row does not state them.
    """

    attack: str
    original: str
    perturbed: str
    script: Script | None = None


def pairs_in(row: Row) -> list[TextPair]:
    """Return the pairs of texts in a row.

    In an output of perturb, each text in `augment.source` is paired with the text of its field. Any other row holds one
    pair, in `original` and `perturbed`.

    Raises:
        AugmentError: the row holds no pair, or its edits do not lead from one text to the other.
    """
    values = row.values
    meta = values.get(KEY)
    attack = meta.get("attack") if isinstance(meta, Mapping) else values.get("attack")
    name = attack if isinstance(attack, str) else ALL
    source = meta.get("source") if isinstance(meta, Mapping) else None
    if isinstance(source, Mapping):
        found = [(field, text, values.get(field)) for field, text in source.items()]
    else:
        found = [("", values.get("original"), values.get("perturbed"))]
    if not found or not all(isinstance(one, str) for pair in found for one in pair):
        raise AugmentError(f"{row.where}: needs the texts 'original' and 'perturbed', or a row of augment-ru perturb")
    texts = [(field, str(one), str(other)) for field, one, other in found]
    return [TextPair(name, one, other, _script(row, field, one, other)) for field, one, other in texts]


class _Reading(msgspec.Struct):
    """The reading in the note of an edit."""

    reading: str | None = None


class _Metadata(msgspec.Struct):
    """The edits in the metadata of a row.

    Attributes:
        edits: maps a field to (start, stop, new text) of each edit.
        notes: maps a field to the note of each edit, or None for an edit without a note.
    """

    edits: dict[str, list[tuple[int, int, str]]] = {}
    notes: dict[str, list[_Reading | None]] = {}


def _script(row: Row, field: str, original: str, perturbed: str) -> Script | None:
    """Return the edits of a text, with their notes, from the metadata of its row; None if these state no edits.

    Raises:
        AugmentError: the edits do not lead from one text to the other.
    """
    try:
        stated = msgspec.convert(row.values.get(KEY) or {}, _Metadata)
        if (edits := stated.edits.get(field)) is None:
            return None
        notes = stated.notes.get(field) or [None] * len(edits)
        read = [Note(note.reading) if note and note.reading else None for note in notes]
        script = Script(original, [Edit(*edit, note) for edit, note in zip(edits, read, strict=True)])
    except (ValueError, AugmentError):
        script = None
    if script is None or script.text != perturbed:
        raise AugmentError(f"{row.where}: 'augment.edits' do not lead from 'augment.source' to '{field}'")
    return script


def score_pairs(given: Mapping[str, Any]) -> None:
    """Score the pairs of texts in a file, write each pair with its score, and print how scores are distributed.

    The distribution is printed for each attack.

    Args:
        given: the values of the options of `similarity`, by parameter name.

    Raises:
        AugmentError: an option or a row is wrong, or there are no pairs.
    """
    source, output, spec = given["source"], given["output"], given["similarity"] or "meaning"
    encoding, name = given["encoding"] or UTF8, spec.partition(":")[0]
    with checking():
        made = similarity_of(
            spec,
            option_values(given["options"], [name], "similarity", f"{name}.OPTION=VALUE").get(name, {}),
            may_import=True,
        )
        read = [source, *named_files([spec.partition(":")[2]]), *map(str, own_files())]
        check_outputs([("`output`", None if output is None else str(output))], read)
        check_encoding(encoding)
        placed = made and made.on_device(given["device"] or "auto")
        check_device(given["device"], used=placed is not made)
        if placed is None:
            raise AugmentError("`similarity` none: nothing to score with; give meaning, navec or bertscore")
    pairs = [pair for row in read_rows(source, given["input_format"], encoding).rows for pair in pairs_in(row)]
    if not pairs:
        raise AugmentError(f"{source}: no pairs")
    scores = scored(pairs, placed, Preparation(()))
    if output is not None:
        rows = ((*pair[:3], score) for pair, score in zip(pairs, scores, strict=True))
        names = ("attack", "original", "perturbed", "similarity")
        write_file(output, json_lines(dict(zip(names, row, strict=True)) for row in rows))
        say(f"wrote {amount(len(pairs), 'pair')} to {output}")
    print_shown([figures_table(figures(pairs, scores))], given["form"])


def scored(pairs: Sequence[TextPair], similarity: Similarity, preparation: Preparation) -> list[float]:
    """Return the similarity of each pair, rounded to four decimals.

    If a pair states its edits, the score equals that of a run with the same similarity that made it. Otherwise the
    edits are derived from the words that differ, and a similarity that reads edits may give a slightly different score.

    Args:
        pairs: the pairs of texts.
        similarity: what scores them.
        preparation: annotates the texts, if the similarity reads annotation.
    """
    found: list[float] = []
    for prepared in preparation.texts((pair.original for pair in pairs), needs=[Needs(similarity.layers)]):
        start = len(found)
        own = pairs[start : start + len(prepared)]
        scripts = [
            one.script or Script(one.original, (Edit(*edit) for edit in edits_between(one.original, one.perturbed)))
            for one in own
        ]
        scores = checked_scores(scorer_of(similarity, prepared.references), np.arange(len(own)), Candidates(scripts))
        found += np.round(scores, DIGITS).tolist()
    return found


def figures(pairs: Sequence[TextPair], scores: Sequence[float]) -> dict[str, dict[str, Any]]:
    """Return the distribution of scores for each attack.

    Args:
        pairs: the pairs of texts, each with the attack that made it.
        scores: the score of each pair.

    Returns:
        For each attack, the number of its pairs (`pairs`), and the mean, standard deviation and quantiles of their
        scores.
    """
    by_attack = grouped((pair.attack, score) for pair, score in zip(pairs, scores, strict=True))
    return {name: {"pairs": len(own), **(distribution(own) or {})} for name, own in by_attack.items()}


def figures_table(found: Mapping[str, Mapping[str, Any]]) -> ShownTable:
    """Lay out the distributions of scores as a table, × 100, as in Table 1 of the paper on the benchmark TAPE.

    Args:
        found: the distribution of each attack, as `figures` returns it.
    """
    keys = ("mean", "std", "5%", "50%", "95%")
    rows = [[name, f"{own['pairs']:,}", *(f"{100 * own[key]:.2f}" for key in keys)] for name, own in found.items()]
    return ShownTable("Similarity × 100", ["attack", "pairs", "mean", "std", "5 %", "median", "95 %"], rows, 1)
