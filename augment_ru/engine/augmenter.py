"""The one object that most users hold: texts and records in, results out."""

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
    """Perturbs texts by one attack, keeps what is protected, returns only what still means the same.

    It is a `Preparation` (annotation and constraints) and a `Perturber` (attack, gate and search). For several
    attacks on the same records use these two, so that the records are prepared once.

    Immutable and picklable; may be used from several threads and processes at once. What a text becomes
    depends on the settings, the seed and the text (or the record's id), and on nothing else.

    Args:
        attack: an attack, its name, or names joined by `+`.
        constraints: names, rule files or `Constraint` objects; by default those of the task; () for none;
            or a function of the task that names them.
        similarity: `navec`, `none`, a `Similarity`, or a function (references, candidates) -> scores.
        threshold: the lowest similarity that passes, by default the similarity's own.
        schedule: `paper` (halve the probability until the gate passes) or `strongest` (as many changes as pass).
        seed: any integer; 0 is a seed like any other.
        probability: in place of the attack's own.
        candidates: how many perturbations are tried for each record.
        min_changes: how many changes a positive probability makes at least, where there are so many.
        floor: the lowest probability that the search goes down to.
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
        similarity: str | Similarity | ScoreFunction | None = "navec",
        threshold: float | None = None,
        schedule: str = "paper",
        seed: int = 42,
        probability: float | None = None,
        candidates: int = 3,
        min_changes: int = 1,
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
        """The attack, with its probability."""
        return self.perturber.attack

    def __call__(self, text: str) -> Result:
        """Perturb one text."""
        return self.texts([text])[0]

    def texts(self, texts: Iterable[str]) -> list[Result]:
        """Perturb texts; results stand in their order.

        Raises:
            AugmentError: one of the texts is no string, or holds a lone surrogate.
        """
        if isinstance(texts, str):
            raise AugmentError("texts() takes a list of texts; for one text call the augmenter itself")
        prepared = self.preparation.texts(texts, layers=self.attack.layers)
        return [result for chunk in prepared for result in self.perturber.perturb(chunk).results]

    def records(
        self,
        records: Iterable[Mapping[str, Any]],
        task: str | Task | None = None,
        *,
        field: str | Sequence[str] | None = None,
    ) -> Iterator[Result]:
        """Perturb dataset rows one chunk after another; results come in their order.

        Args:
            records: rows as dictionaries; they are not changed.
            task: a task or its name; by default recognised from each row's fields.
            field: the fields to perturb, in place of the task's: `text`, `inputs.text`, `qas[].query`.

        Raises:
            AugmentError: no task fits, or a row lacks a field of it.
        """
        for prepared in self.preparation.records(records, task, field=field, layers=self.attack.layers):
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
        """Perturb a Hugging Face dataset; its rows become what `records` makes of them.

        Args:
            dataset: a `Dataset`, `IterableDataset` (streaming), or a dictionary of either; it is not changed.
            field: the fields to perturb, in place of the task's.
            task: a task or its name; by default recognised from each row's fields.
            meta: full, brief or none: what the column `augment` holds, as a text of JSON.
            num_proc: processes; not for a dataset that is streamed.
            batch_size: rows worked on at once; the outcome does not depend on it.

        Raises:
            AugmentError: the library is missing, no task fits, or a row lacks a field of it.
        """
        from augment_ru.engine.datasets import map_dataset  # noqa: PLC0415  (an extra)

        return map_dataset(self, dataset, field=field, task=task, meta=meta, num_proc=num_proc, batch_size=batch_size)
