"""Let people judge perturbed rows: draw a sample, write questions, read their answers, and measure their agreement."""

import csv
import io
import json
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from augment_ru.draws import Streams, digests
from augment_ru.errors import MALFORMED, AugmentError, optional, saying_instead
from augment_ru.evaluation.answers import by_field, golds_of
from augment_ru.evaluation.examples import titled_text
from augment_ru.evaluation.pairs import Pair, Pairs
from augment_ru.formats.read import read_rows
from augment_ru.records.groups import grouped
from augment_ru.records.record import Record
from augment_ru.resources import file_text

VALID, INVALID, UNCLEAR = "valid", "invalid", "unclear"
ANSWERS = {"да": VALID, "нет": INVALID, "неясно": UNCLEAR}
"""Maps the answer that an annotator chooses (yes, no, unclear in Russian) to its verdict."""

_MOST_VOTES = 10**6
"""The most votes for one row."""

QUESTION = (
    "Прочитайте исходный и изменённый тексты. Понятен ли изменённый текст и остаётся ли верный ответ верным и для "
    "него? «да» — если и то и другое, «нет» — если хотя бы одно не так, «неясно» — если решить нельзя."
)

LABELS = Path(__file__).with_name("label_studio.xml")
"""The XML file with the labelling interface of Label Studio, in which the tasks of `label_studio` are shown."""


class Vote(NamedTuple):
    """The verdict of one person on one perturbed row.

    Attributes:
        id: the id of the row.
        annotator: the name of the person, whom Label Studio and Toloka call an annotator.
        verdict: valid, invalid or unclear.
    """

    id: str
    annotator: str
    verdict: str


def id_of(pairs: Pairs, pair: Pair) -> str:
    """Return an id for a perturbed row: a hash of its texts and its original's texts, 16 hexadecimal digits.

    Args:
        pairs: all rows, with the originals.
        pair: the row.
    """
    texts = [Record(values, pairs.task).read() for values in (pairs.originals[pair.original].values, pair.values)]
    return blake2b(json.dumps(texts, ensure_ascii=True).encode(), digest_size=8).hexdigest()


def sampled(
    pairs: Pairs, size: int, seed: int, outcome_of: Mapping[tuple[str, int], str] | None = None
) -> list[tuple[str, Pair]]:
    """Draw a sample of the perturbed rows, for people to judge; return each as (attack, row).

    All attacks get about the same number of rows. An outcome (kept, broken, fixed, wrong) has the same share in the
    sample of an attack as in all rows of the attack. Rows with the same outcome are equally likely to be drawn. So
    rates over the sample estimate those of the attack.

    Args:
        pairs: the original and perturbed rows.
        size: how many rows to draw; fewer are returned if an attack has too few.
        seed: the seed of the draw.
        outcome_of: maps (attack, index of the row among those of the attack) to the outcome of the row; None to sample
            without regard to outcomes.
    """
    rows = perturbed(pairs)
    found: list[tuple[str, Pair]] = []
    for attack, wanted in zip(rows, shares(size, [1] * len(rows)), strict=True):
        strata = grouped(((outcome_of or {}).get((attack, at), ""), at) for at in rows[attack])
        order = sorted(strata)
        parts = shares(min(wanted, len(rows[attack])), [len(strata[name]) for name in order])
        for name, count in zip(order, parts, strict=True):
            stream = Streams.of(digests([f"verdicts:{attack}:{name}"]), seed)
            own = np.array(strata[name])
            draws = stream.uniform(np.zeros(len(own), np.int64), own)
            drawn = sorted(own[np.argsort(draws, kind="stable")[:count]])
            found += [(attack, pairs.attacks[attack][at]) for at in drawn]
    return found


def perturbed(pairs: Pairs) -> dict[str, list[int]]:
    """Return the indices of the rows of each attack that are perturbed (not unchanged, not rejected).

    Attacks without such rows are left out.
    """
    places = ((attack, at) for attack, own in pairs.attacks.items() for at in range(len(own)))
    return grouped((attack, at) for attack, at in places if pairs.attacks[attack][at].status == "perturbed")


def shares(total: int, sizes: Sequence[int]) -> list[int]:
    """Divide a number into whole numbers in given proportions, by the method of largest remainders.

    Args:
        total: the number to divide, which the parts add up to.
        sizes: the sizes that the parts are in proportion to.

    >>> shares(10, [1, 1, 1])
    [4, 3, 3]
    """
    found = [total * size // sum(sizes) for size in sizes]
    for at in sorted(range(len(sizes)), key=lambda at: (-(total * sizes[at] % sum(sizes)), at))[: total - sum(found)]:
        found[at] += 1
    return found


def questions(pairs: Pairs, sample: Sequence[tuple[str, Pair]]) -> Iterator[dict[str, str]]:
    """Yield, for each sampled row, what people are asked in order to judge it; the attack is not named.

    Each item is a dictionary of texts: `id`, `original`, `perturbed`, `answer` (the right one) and `question` (the same
    sentence for all rows). Rows with equal texts get the same id.

    Args:
        pairs: all rows, with the originals.
        sample: the sampled rows, each as (attack, row).
    """
    for _, pair in sample:
        original = pairs.originals[pair.original].values
        (gold,) = golds_of([original], pairs.task, pairs.kind)
        right = by_field([_told(one) for one in gold], pairs.task)
        yield {
            "id": id_of(pairs, pair),
            "original": titled_text(original, pairs.task),
            "perturbed": titled_text(pair.values, pairs.task),
            "answer": right if isinstance(right, str) else json.dumps(right, ensure_ascii=False),
            "question": QUESTION,
        }


def _told(gold: object) -> object:
    return " / ".join(map(str, gold)) if isinstance(gold, tuple) else gold


def label_studio(rows: Iterable[Mapping[str, str]]) -> str:
    """Return questions for people who judge rows as tasks of Label Studio, in JSON.

    Args:
        rows: the questions, as `questions` yields them.
    """
    return json.dumps([{"data": dict(row)} for row in rows], ensure_ascii=False, indent=1) + "\n"


def toloka(rows: Iterable[Mapping[str, str]]) -> str:
    """Return questions for people who judge rows as a TSV table for Toloka.

    Line feeds and tabs in texts become spaces.

    Args:
        rows: the questions, as `questions` yields them.
    """
    stream = io.StringIO()
    names = ("id", "original", "perturbed", "answer", "question")
    writer = csv.writer(stream, dialect="excel-tab", lineterminator="\n")
    writer.writerow([f"INPUT:{name}" for name in names])
    writer.writerows([" ".join(row[name].split()) for name in names] for row in rows)
    return stream.getvalue()


def read_votes(path: Path) -> list[Vote]:
    """Read people's verdicts on perturbed rows from an export of Label Studio (JSON) or Toloka (TSV).

    Raises:
        AugmentError: the file cannot be read, or an answer is not one of those offered.
    """
    text = file_text(path, what="an export of Label Studio or Toloka")
    remedy = "no export with answers, of Label Studio (.json) or Toloka (.tsv); export the finished tasks"
    with saying_instead(f"{path}: is {remedy}", *MALFORMED, csv.Error):
        found = list(_of_toloka(text) if path.suffix == ".tsv" else _of_label_studio(json.loads(text)))
        hash(tuple(found))  # a TypeError if an id is, say, an object
    for vote in found:
        if vote.verdict not in (VALID, INVALID, UNCLEAR):
            raise AugmentError(f"{path}: {vote.id}: the answer is {vote.verdict!r}; possible: {', '.join(ANSWERS)}")
    return found


def _of_label_studio(tasks: Sequence[Mapping[str, Any]]) -> Iterator[Vote]:
    for task in tasks:
        for number, annotation in enumerate(task["annotations"]):
            if annotation.get("was_cancelled") or not annotation["result"]:
                continue
            chosen = annotation["result"][0]["value"]["choices"][0]
            by = annotation.get("completed_by", number)
            who = str(by.get("id", by)) if isinstance(by, Mapping) else str(by)
            if not isinstance(identity := task["data"]["id"], str):
                raise TypeError
            yield Vote(identity, who, ANSWERS.get(chosen, chosen))


def _of_toloka(text: str) -> Iterator[Vote]:
    for row in csv.DictReader(io.StringIO(text), dialect="excel-tab"):
        if row.get("OUTPUT:verdict"):
            said = row["OUTPUT:verdict"]
            yield Vote(row["INPUT:id"], row["ASSIGNMENT:worker_id"], ANSWERS.get(said, said))


def check_votes(votes: Iterable[Vote]) -> None:
    """Check that nobody judged a row twice, because such a vote would count twice.

    Raises:
        AugmentError: a person has two answers for one row.
    """
    seen: set[tuple[str, str]] = set()
    for vote in votes:
        if (vote.annotator, vote.id) in seen:
            raise AugmentError(f"annotator {vote.annotator} answers row {vote.id} twice; give each answer once")
        seen.add((vote.annotator, vote.id))


def agreement(rows: Iterable[Mapping[str, Any]]) -> float | None:
    """Return how well people's verdicts agree: Krippendorff's α for nominal data (Krippendorff 2019, chapter 12).

    Only rows with at least two votes count. The formula uses these numbers of votes:

    - m: those for a row.
    - c: those for a row with one verdict (valid, invalid or unclear); Σ c² is over the three verdicts.
    - n: those for all rows.
    - t: those for all rows with one verdict; Σ t² is over the three verdicts.

    α = 1 - (n - 1) · Σ [(m² - Σ c²) / (m - 1)] / (n² - Σ t²), where the sum before the bracket is over rows. The result
    is None if α is not defined.

    Args:
        rows: the judged rows, whose field `votes` has the number of votes for each verdict.
    """
    counts = np.array([[row["votes"][one] for one in (VALID, INVALID, UNCLEAR)] for row in rows], np.int64)
    counts = counts.reshape(-1, 3)
    counts = counts[counts.sum(axis=1) > 1]
    votes, totals = counts.sum(axis=1), counts.sum(axis=0)
    expected = int(totals.sum() ** 2 - (totals**2).sum())
    if not expected:
        return None
    observed = float(((votes**2 - (counts**2).sum(axis=1)) / (votes - 1)).sum())
    return 1 - (int(totals.sum()) - 1) * observed / expected


def judged(votes: Sequence[Vote]) -> Iterator[dict[str, Any]]:
    """Yield each judged row with its verdict (valid, invalid or unclear) and the number of votes for each verdict.

    The verdict is the one that more than half of the votes give; if there is none, it is unclear.

    Args:
        votes: the votes of all people.
    """
    for name, given in grouped((vote.id, vote.verdict) for vote in votes).items():
        counts = Counter(given)
        first, most = counts.most_common(1)[0]
        verdict = first if 2 * most > counts.total() else UNCLEAR
        yield {"id": name, "verdict": verdict, "votes": {one: counts[one] for one in (VALID, INVALID, UNCLEAR)}}


def by_dawid_skene(rows: Iterable[Mapping[str, Any]], votes: Sequence[Vote]) -> list[dict[str, Any]]:
    """Return judged rows with verdicts by the model of Dawid and Skene (1979), which weighs people by their errors.

    The verdict of the majority is kept in the field `majority`.

    Args:
        rows: the judged rows, with the verdicts of the majority (as `judged` yields them).
        votes: the votes of all people.

    Raises:
        AugmentError: crowd-kit or pandas is not installed.
    """
    found = weighed(votes)
    return [{**row, "verdict": found[row["id"]], "majority": row["verdict"]} for row in rows]


def weighed(votes: Sequence[Vote]) -> dict[str, str]:
    """Return the most likely verdict of each row, by the model of Dawid and Skene (1979).

    The model weighs people by their errors. The result maps ids of rows to verdicts.

    Raises:
        AugmentError: crowd-kit or pandas is not installed.
    """
    what = "answers joined by Dawid and Skene need pandas and crowd-kit"
    pandas, crowd = optional("pandas", what, "verdicts"), optional("crowdkit.aggregation", what, "verdicts")
    table = pandas.DataFrame([(vote.id, vote.annotator, vote.verdict) for vote in votes])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # crowd-kit calls pandas in a way that pandas will drop
        found = crowd.DawidSkene(n_iter=100).fit_predict(table.set_axis(["task", "worker", "label"], axis=1))
    return {str(name): str(label) for name, label in found.items()}


def read_verdicts(path: str) -> dict[str, str]:
    """Read people's verdicts from a file that `augment-ru verdicts import` wrote.

    The result maps the ids of rows to their verdicts: valid, invalid or unclear.

    Raises:
        AugmentError: the file cannot be read, or a row is not a verdict.
    """
    return {row["id"]: row["verdict"] for _, row in _read_verdicts(path)}


def read_judged(path: str) -> list[Mapping[str, Any]]:
    """Read the judged rows in a file that `augment-ru verdicts import` wrote.

    Each row holds an id, a verdict, and the number of votes for each verdict.

    Raises:
        AugmentError: the file cannot be read, or a row lacks a verdict or votes.
    """
    found = []
    for where, row in _read_verdicts(path):
        votes = row.get("votes")
        counts = [votes.get(one) for one in ANSWERS.values()] if isinstance(votes, Mapping) else [None]
        if not all(type(one) is int and 0 <= one <= _MOST_VOTES for one in counts):
            raise AugmentError(f"{where}: has no votes; augment-ru verdicts import writes them")
        found.append(row)
    return found


def _read_verdicts(path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for where, row in read_rows(path).rows:
        if row.get("verdict") not in (VALID, INVALID, UNCLEAR) or not isinstance(row.get("id"), str):
            raise AugmentError(f"{where}: is no verdict; augment-ru verdicts import writes them")
        yield where, row


def with_verdicts(pairs: Pairs, known: Mapping[str, str]) -> Pairs:
    """Return the rows with a verdict (valid, invalid or unclear) added to each perturbed row that people judged.

    Args:
        pairs: the original and perturbed rows.
        known: maps ids of rows (`id_of`) to verdicts.

    Raises:
        AugmentError: no row was judged.
    """

    def judged_pair(pair: Pair) -> Pair:
        return replace(pair, verdict=known.get(id_of(pairs, pair))) if pair.status == "perturbed" else pair

    found = {attack: list(map(judged_pair, own)) for attack, own in pairs.attacks.items()}
    if not any(pair.verdict for own in found.values() for pair in own):
        raise AugmentError("`verdicts`: none is of a row that is evaluated; judge a sample of these rows")
    return replace(pairs, attacks=found)
