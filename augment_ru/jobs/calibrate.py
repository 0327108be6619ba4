"""Measure a similarity on a user's texts: score unrelated pairs and perturbed texts, and propose a threshold."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from augment_ru.attacks.add_sent.input_corpus import InputCorpus
from augment_ru.draws import Floats, digests
from augment_ru.engine.attack import Attack, Needs
from augment_ru.engine.figures import distribution
from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepare import Preparation, Prepared
from augment_ru.engine.search import DIGITS
from augment_ru.engine.similarity import Candidates, Similarity, checked_scores, scorer_of
from augment_ru.errors import AugmentError
from augment_ru.formats.files import check_outputs
from augment_ru.formats.json_lines import indented
from augment_ru.jobs.messages import checking, say, terminal_width
from augment_ru.jobs.outputs import write_file
from augment_ru.jobs.row_work import records_of
from augment_ru.jobs.rows import rows_job
from augment_ru.jobs.summary import folded
from augment_ru.records.groups import grouped
from augment_ru.records.record import Record
from augment_ru.run.engines import LOCAL, InProcess, engine_of, in_order
from augment_ru.run.work import Engine

ATTACKS = ("butterfingers", "case", "emojify", "eda_delete", "eda_swap")
"""The names of the attacks that are measured if the user names no attack."""
PROBABILITIES = (0.05, 0.1, 0.2, 0.4, 0.8)
_ROWS = 256
"""The number of records, or of pairs, that a worker scores at a time."""


class Measured(NamedTuple):
    """The similarities of pairs of texts: of unrelated texts, or of originals and what one attack made of them.

    Attributes:
        what: the name of the attack, or "unrelated texts".
        probability: the probability of the attack; None for unrelated texts.
        scores: the similarities, shape (pairs,). Of a record with several texts that an attack changed, the lowest.
        default: whether the probability is the attack's default.
        grades: how readers judge pairs of texts with such similarities: the shares of the grades 3 (same meaning), 2
            (partly lost), 1 (destroyed) and 0 (reversed), shape (4,); None if the similarity has no grades.
    """

    what: str
    probability: float | None
    scores: Floats
    default: bool = False
    grades: Floats | None = None

    def passing(self, threshold: float) -> float:
        """Return the share of the scores, in [0, 1], that are at least `threshold`."""
        return float(np.mean(self.scores >= threshold))


class Calibration(NamedTuple):
    """The scores of a similarity on a user's texts, with a proposed threshold.

    Attributes:
        scorer: the similarity's signature.
        unrelated: the scores of unrelated pairs of texts.
        attacks: the scores of each attack at each probability; each text has one random perturbation, which is kept
            whatever its score is.
        accept: the share of perturbations that must pass the threshold, in (0, 1].
        threshold: the proposed threshold. It is the highest at which, for each attack at its default probability, at
            least the share `accept` of the perturbations passes.
        default: the threshold that the similarity has by default.
    """

    scorer: str
    unrelated: Measured
    attacks: Sequence[Measured]
    accept: float
    threshold: float
    default: float

    def table(self) -> dict[str, Any]:
        """Return the distributions of scores, and the proposed threshold, as JSON values."""
        return {
            "version": 1,
            "scorer": self.scorer,
            "accept": self.accept,
            "threshold": self.threshold,
            "unrelated": self._row(self.unrelated),
            "attacks": [self._row(one) for one in self.attacks],
        }

    def _row(self, measured: Measured) -> dict[str, Any]:
        return {
            "what": measured.what,
            "probability": measured.probability,
            "pairs": measured.scores.size,
            "similarity": distribution(np.round(measured.scores, DIGITS).tolist()),
            "passing": round(measured.passing(self.threshold), DIGITS),
            "grades": None if measured.grades is None else np.round(measured.grades, DIGITS).tolist(),
        }


def calibrate_file(given: Mapping[str, Any]) -> None:
    """Score unrelated and perturbed texts of a file by a similarity; print the scores and a proposed threshold.

    Files that the options name are written as well.

    Args:
        given: the values of the options of `calibrate`, by parameter name.

    Raises:
        AugmentError: an option, a row or a file is wrong, or nothing can be measured.
    """
    report, baseline = given["report"], given["baseline"]
    with checking():
        job = rows_job({**given, "meta": "none"}, given["attacks"] or ATTACKS)
        if not all(0 < probability <= 1 for probability in given["probabilities"]):
            raise AugmentError("`probabilities`: needs a probability over 0 and at most 1")
        similarity = job.perturbers[0].similarity
        check_outputs([("`report`", report), ("`baseline`", baseline)], [job.source, *job.reads])
        if baseline is not None and (similarity is None or not similarity.can_be_rescaled):
            raise AugmentError("`baseline`: only bertscore can be rescaled; give `similarity` bertscore")
        job.check()
        engine = engine_of(LOCAL, given["workers"])
    records = list(records_of(job))
    found = calibrated(
        records,
        job.preparation,
        [perturber.attack for perturber in job.perturbers],
        similarity,
        seed=job.perturbers[0].seed,
        probabilities=given["probabilities"] or PROBABILITIES,
        accept=given["accept"],
        engine=engine,
    )
    print(*calibration_lines(found, terminal_width(sys.stdout)), sep="\n")
    write_file(report, [indented(found.table())])
    if similarity is not None and baseline is not None:
        write_file(baseline, (f"{line}\n".encode() for line in similarity.baseline_lines(*unrelated_pairs(records))))
    if wrote := [file for file in (report, baseline) if file]:
        say(f"wrote {', '.join(wrote)}")


def calibrated(
    records: Sequence[Record],
    preparation: Preparation,
    attacks: Sequence[Attack],
    similarity: Similarity | None,
    *,
    seed: int,
    probabilities: Sequence[float] = PROBABILITIES,
    accept: float = 0.9,
    engine: Engine | None = None,
) -> Calibration:
    """Score unrelated and perturbed texts of some records by a similarity, and propose a threshold.

    Args:
        records: at least two records with different texts.
        preparation: annotates and protects the records.
        attacks: the attacks whose perturbations are measured.
        similarity: the similarity to measure.
        seed: the seed of the random numbers.
        probabilities: the probabilities at which each attack is measured, in addition to its default.
        accept: the share of each attack's perturbations that must pass the proposed threshold, in (0, 1].
        engine: where the work runs; None for this process. The figures do not depend on it.

    Raises:
        AugmentError: `similarity` is None, `accept` is out of range, no field has two different texts, or no attack
            changes a text.
    """
    if similarity is None:
        raise AugmentError("`similarity` none: nothing to calibrate; give meaning, navec or bertscore")
    if not 0 < accept <= 1:
        raise AugmentError(f"`accept` {accept}; needs a share over 0, up to 1")
    if any(attack.wants_corpus for attack in attacks):
        corpus = InputCorpus.of(records)
        attacks = [attack.with_corpus(corpus) for attack in attacks]
    strengths = [
        (attack.name, Perturber(attack, similarity=None, seed=seed, probability=at), at == attack.probability)
        for attack in attacks
        for at in sorted({*probabilities, attack.probability} - {0.0})
    ]
    ones, others = unrelated_pairs(records)
    parts: list[Sequence[Record] | _Pairs] = [
        *(_Pairs(ones[at : at + _ROWS], others[at : at + _ROWS]) for at in range(0, len(ones), _ROWS)),
        *(records[at : at + _ROWS] for at in range(0, len(records), _ROWS)),
    ]
    work = partial(_scored, preparation, similarity, tuple(perturber for _, perturber, _ in strengths))
    of_pairs: list[Floats] = []
    of_attacks: list[Sequence[Floats]] = []
    for part, scores in in_order(engine or InProcess(), work, parts):
        if isinstance(part, _Pairs):
            of_pairs += scores
        else:
            of_attacks.append(scores)
    unrelated = Measured("unrelated texts", None, np.concatenate(of_pairs))
    measured = []
    for (name, perturber, is_own), parts_of in zip(strengths, zip(*of_attacks, strict=True), strict=True):
        joined = np.concatenate(parts_of)
        measured.append(Measured(name, perturber.attack.probability, joined, is_own, similarity.grades(joined)))
    own = [one for one in measured if one.default and one.scores.size]
    if not own:
        raise AugmentError("no attack changes any of these texts; give others, or other attacks with `attacks`")
    threshold = min(float(np.sort(one.scores)[-int(np.ceil(accept * one.scores.size))]) for one in own)
    changed, threshold = [one for one in measured if one.scores.size], round(threshold, DIGITS)
    return Calibration(similarity.signature, unrelated, changed, accept, threshold, similarity.threshold)


def unrelated_pairs(records: Sequence[Record]) -> tuple[list[str], list[str]]:
    """Pair each different text with an unrelated one: another text from the same field of the records.

    Returns:
        Two lists of the same length: the texts, and the unrelated text of each. They do not depend on the order of the
        records.

    Raises:
        AugmentError: no field has two different texts.
    """
    fields = grouped(item for record in records for item in record.texts().items())
    ones: list[str] = []
    others: list[str] = []
    for found in fields.values():
        texts = sorted({text for text in found if text.strip()})
        shuffled = [texts[place] for place in np.argsort(digests(texts), kind="stable").tolist()]
        if len(shuffled) > 1:
            ones += shuffled
            others += shuffled[1:] + shuffled[:1]
    if not ones:
        raise AugmentError("fewer than two different texts; unrelated pairs need at least two")
    return ones, others


class _Pairs(NamedTuple):
    """Pairs of unrelated texts: `ones[i]` and `others[i]` are a pair."""

    ones: list[str]
    others: list[str]


def _scored(
    preparation: Preparation,
    similarity: Similarity,
    perturbers: Sequence[Perturber],
    part: Sequence[Record] | _Pairs,
) -> list[Floats]:
    """Score pairs of texts, or the changes that each perturber makes to records; round scores to four decimals."""
    if isinstance(part, _Pairs):
        scorer = scorer_of(similarity, part.ones)
        return [np.round(checked_scores(scorer, np.arange(len(part.ones)), part.others), DIGITS)]
    needs = [Needs(similarity.layers), *(perturber.attack.needs for perturber in perturbers)]
    prepared = preparation.chunk(part, needs)
    return [_scores(prepared, perturber, similarity) for perturber in perturbers]


def _scores(prepared: Prepared, perturber: Perturber, similarity: Similarity) -> Floats:
    """Return, for each record that the attack changes, the lowest similarity of its texts, shape (changed records,).

    The attack makes one candidate, without a search.
    """
    results = perturber.perturb(prepared).results
    scripts = [script for result in results for script in result.scripts.values()]  # in the order of the batch's texts
    rows = np.array([row for row, script in enumerate(scripts) if script.edits], dtype=np.int64)
    if not rows.size:
        return np.empty(0)
    candidates = Candidates([scripts[row] for row in rows.tolist()])
    scores = np.round(checked_scores(scorer_of(similarity, prepared.references), rows, candidates), DIGITS)
    worst = np.full(len(results), np.inf)
    np.minimum.at(worst, prepared.owners[rows], scores)
    lowest: Floats = worst[np.isfinite(worst)]
    return lowest


_BARS = " ▁▂▃▄▅▆▇█"
_CELLS = 40


def calibration_lines(calibration: Calibration, room: int | None = None) -> Iterator[str]:
    """Yield the measured similarities as lines of text: figures, and a histogram that marks the threshold.

    Args:
        calibration: the measured similarities.
        room: the width of the terminal in characters; None if there is no terminal. In a narrow terminal, the histogram
            and some of the figures are left out.
    """
    every = [calibration.unrelated, *calibration.attacks]
    low = min(float(np.floor(min(one.scores.min() for one in every) * 20) / 20), 0.95)  # all scores may be 1
    has_grades = any(one.grades is not None for one in every)
    axis = f"{low:<.2f}{'1.00':>{_CELLS - 4 + (low >= 0)}}"
    rows = [("", "p", "pairs", "mean", "5 %", "50 %", "95 %", "passes", *(_GRADES if has_grades else ()), axis)]
    for one in every:
        strength = "" if one.probability is None else f"{one.probability:g}{'*' if one.default else ''}"
        quantiles = np.quantile(one.scores, [0.05, 0.5, 0.95])
        cells = [one.what, strength, str(one.scores.size), f"{one.scores.mean():.3f}"]
        cells += [*(f"{value:.3f}" for value in quantiles), f"{one.passing(calibration.threshold):.0%}"]
        cells += _percentages(one.grades) if has_grades else []
        rows.append((*cells, _plot(one.scores, low, calibration.threshold)))
    widths = [max(len(row[0]) for row in rows), 5, *[6] * 6, *[4] * (len(rows[0]) - 9), _CELLS + 1]
    kept = list(range(len(widths)))
    for droppable in (kept[-1], *_OUTER_QUANTILES):
        if room is not None and sum(widths[column] + 2 for column in kept) - 2 > room:
            kept.remove(droppable)
    yield f"{calibration.scorer}"
    left = {0, kept.index(len(widths) - 1)} if len(widths) - 1 in kept else {0}
    yield from folded([[row[at] for at in kept] for row in rows], [widths[at] for at in kept], 2, room, left)
    yield "* the attack's own probability"
    if has_grades:
        yield "same, part, lost, rev.: how readers graded texts with such scores; part: lost in part, rev.: reversed"
        yield (
            "the scores were fitted to readers' grades: a threshold means the same for every attack, so choose it by "
            f"these columns; the default is {calibration.default}"
        )
    unrelated = calibration.unrelated.passing(calibration.threshold)
    yield (
        f"threshold {calibration.threshold}: passes at least {calibration.accept:.0%} of every attack at its own "
        f"probability, and {unrelated:.0%} of unrelated texts"
    )
    if unrelated > 0:
        yield (
            "that threshold does not tell perturbations from unrelated texts; lower the probabilities, "
            "accept less, or take another scorer"
        )


_GRADES = ("same", "part", "lost", "rev.")
_OUTER_QUANTILES = (4, 6)
"""The indices of the columns with the 5 % and 95 % quantiles."""


def _percentages(grades: Floats | None) -> list[str]:
    return ["–"] * len(_GRADES) if grades is None else [f"{share:.0%}" for share in grades.tolist()]


def _plot(scores: Floats, low: float, threshold: float) -> str:
    """Return a histogram of the scores from `low` to 1 on one line, with a vertical bar at the threshold."""
    span = 1 - low
    counts, _ = np.histogram(np.clip(scores, low, 1), bins=_CELLS, range=(low, 1))
    cells = [_BARS[int(np.ceil(count / max(counts.max(), 1) * (len(_BARS) - 1)))] for count in counts]
    at = min(max(round((threshold - low) / span * _CELLS), 0), _CELLS)
    return f"{''.join(cells[:at])}│{''.join(cells[at:])}"
