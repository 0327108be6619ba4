"""The class `Augmenter`: perturbs texts, records and datasets by one attack."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from augment_ru.engine.attack import Attack
from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepare import Constraints, Preparation
from augment_ru.engine.result import Result
from augment_ru.engine.similarity import ScoreFunction, Similarity
from augment_ru.errors import AugmentError
from augment_ru.language.annotate import Annotator
from augment_ru.records.task import Task

Data = TypeVar("Data")


class Augmenter:
    """Perturbs texts by one attack. Protected spans stay, and only texts that pass the similarity gate are returned.

    It consists of a `Preparation` (annotation and constraints) and a `Perturber` (attack, gate and search). For
    several attacks on the same records use these two directly, so that the records are prepared once.

    Immutable and picklable; several threads and processes may use it at once. The result for a text depends only on
    the settings, the seed, and the text (or the record's id).

    Args:
        attack: an attack, its name, a file of yours (`my_attack.py`) or `python:MODULE:CLASS`, or names joined by `+`.
        constraints: names, rule files or `Constraint` objects; by default those of the task; () for none;
            or a function from a task to the names.
        similarity: `meaning`, `navec`, `none`, a `Similarity`, or a function (references, candidates) -> scores.
        threshold: the lowest similarity that passes, in [0, 1]; by default the similarity's own.
        schedule: `paper` (halve the probability until the gate passes) or `strongest` (many changes that still pass).
        seed: any integer.
        probability: the share of the possible changes, in [0, 1]; by default the attack's own.
        candidates: how many perturbations are tried for each record, 1 to 1000.
        min_changes: the least number of changes at a positive probability, if a record has so many; by default the
            attack's own.
        floor: the lowest probability that the search tries, in (0, 1].
        annotator: `natasha`, `spacy:PIPELINE`, or an `Annotator`.

    Raises:
        AugmentError: a name is unknown, or a value out of its range.

    >>> augmenter = Augmenter("case", constraints=(), similarity="none", seed=1)
    >>> augmenter("Кошка спит на окне.").text
    'Кошка Спит на окне.'
    """

    def __init__(
        self,
        attack: str | Attack,
        *,
        constraints: Constraints = None,
        similarity: str | Similarity | ScoreFunction | None = "meaning",
        threshold: float | None = None,
        schedule: str = "paper",
        seed: int = 42,
        probability: float | None = None,
        candidates: int = 3,
        min_changes: int | None = None,
        floor: float = 0.01,
        annotator: str | Annotator = "natasha",
    ) -> None:
        self.preparation = Preparation(constraints, annotator)
        self.perturber = Perturber(
            attack,
            similarity=similarity,
            threshold=threshold,
            schedule=schedule,
            seed=seed,
            probability=probability,
            candidates=candidates,
            min_changes=min_changes,
            floor=floor,
        )

    @property
    def attack(self) -> Attack:
        """The attack, with the probability that it is used with."""
        return self.perturber.attack

    def __call__(self, text: str) -> Result:
        """Perturb one text."""
        return self.texts([text])[0]

    def texts(self, texts: Iterable[str]) -> list[Result]:
        """Perturb texts. The results are in the order of the texts.

        Raises:
            AugmentError: one of the texts is not a string, or contains a lone surrogate.
        """
        if isinstance(texts, str):
            raise AugmentError("texts() takes a list of texts; for one text call the augmenter itself")
        prepared = self.preparation.texts(texts, needs=[self.perturber.needs])
        return [result for chunk in prepared for result in self.perturber.perturb(chunk).results]

    def records(
        self,
        records: Iterable[Mapping[str, Any]],
        task: str | Task | None = None,
        *,
        field: str | Sequence[str] | None = None,
    ) -> Iterator[Result]:
        """Perturb the rows of a dataset chunk by chunk. The results are in the order of the rows.

        Args:
            records: rows as dictionaries; they are not changed.
            task: a task, its name, or a TOML file that states it; by default that of each row is recognised.
            field: the fields to perturb in place of the task's, such as `text`, `inputs.text`, `qas[].query`.

        Raises:
            AugmentError: no task fits a row, or a row lacks a field of its task.
        """
        for prepared in self.preparation.records(records, task, field=field, needs=[self.perturber.needs]):
            yield from self.perturber.perturb(prepared).results

    def map_dataset(
        self,
        dataset: Data,
        *,
        field: str | Sequence[str] | None = None,
        task: str | Task | None = None,
        meta: str = "full",
        num_proc: int | None = None,
        batch_size: int = 1024,
    ) -> Data:
        """Perturb a Hugging Face dataset; each row becomes the row of its result in `records`.

        Args:
            dataset: a `Dataset`, an `IterableDataset` (streaming), or a dictionary of either; it is not changed.
            field: the fields to perturb in place of the task's.
            task: a task, its name, or a TOML file that states it; by default that of each row is recognised.
            meta: full, brief or none: how much metadata the column `augment` holds, as JSON text.
            num_proc: the number of processes; not for a streamed dataset.
            batch_size: rows perturbed at once; the result does not depend on it.

        Raises:
            AugmentError: `datasets` is not installed, no task fits a row, or a row lacks a field of its task.
        """
        from augment_ru.engine.datasets import map_dataset  # noqa: PLC0415  (an extra)

        return map_dataset(self, dataset, field=field, task=task, meta=meta, num_proc=num_proc, batch_size=batch_size)
