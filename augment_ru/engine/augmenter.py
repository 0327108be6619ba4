"""The class `Augmenter`: perturbs texts, records and datasets with one attack."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

from augment_ru.engine.attack import Attack
from augment_ru.engine.frames import refuse_frame
from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepare import Constraints, Preparation, Prepared
from augment_ru.engine.presets import preset_settings, recipe_settings
from augment_ru.engine.result import Result
from augment_ru.engine.similarity import ScoreFunction, Similarity
from augment_ru.errors import AugmentError
from augment_ru.language.annotate import Annotator
from augment_ru.options import integer
from augment_ru.records.task import Task

Data = TypeVar("Data")


class Augmenter:
    """Perturbs texts with one attack. Protected spans stay, and only texts that stay similar enough are returned.

    An augmenter consists of a `Preparation` (annotation and constraints) and a `Perturber` (attack, gate and search).
    For several attacks on the same records use these two directly, so that the records are prepared once.

    An augmenter is immutable and picklable; several threads and processes may use it at once. The result for a text
    depends only on the settings, the seed, and the text (or the record's id).

    Args:
        attack: an attack, its name, a file of yours (`my_attack.py`) or `python:MODULE:CLASS`, or names joined by `+`.
        constraints: what is protected: names of constraints, rule files, or `Constraint` objects. () for nothing. By
            default, each record has the constraints that its task names.
        similarity: `meaning`, `navec`, `none`, a `Similarity`, or a function (references, candidates) -> scores.
        threshold: the lowest similarity that passes, in [0, 1]; by default the similarity's own.
        schedule: how the search goes: `paper` (halve the probability until the texts pass the gate) or `strongest` (as
            many changes as still pass).
        seed: the seed of all random draws, any integer.
        probability: the share of the possible changes that are made, in [0, 1]; by default the attack's own.
        candidates: how many random perturbations are tried for each record, 1 to 1000.
        min_changes: the fewest changes that each record gets at a positive probability. A record with fewer possible
            changes gets all of them. By default the attack's own number.
        floor: the lowest probability that the search tries, in (0, 1].
        annotator: `natasha`, `spacy:PIPELINE`, or an `Annotator`.

    Raises:
        AugmentError: a name is unknown, or a value is out of range.

    >>> augmenter = Augmenter("case", constraints=(), similarity="none", seed=1)
    >>> augmenter("Кошка спит на окне.").text
    'Кошка Спит на окне.'
    """

    __slots__ = ("perturber", "preparation")

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
        if isinstance(attack, Sequence) and not isinstance(attack, str):
            raise AugmentError(
                "an Augmenter has one attack; for a list give Chain([...]) to apply them one after another, "
                "OneOf([...]) to choose one for each text, or make an Augmenter for each"
            )
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
        """The attack, with the probability at which this augmenter uses it."""
        return self.perturber.attack

    @classmethod
    def from_preset(cls, preset: str, attack: str | Attack, **settings: Any) -> Self:  # noqa: ANN401  (of `Augmenter`)
        """Make an augmenter with the defaults of a preset (default settings under one name).

        Args:
            preset: `offline` or `tape`.
            attack: an attack, its name, or names joined by `+`. The preset sets options only of attacks given by name.
            settings: arguments of `Augmenter`, which override the preset.

        Raises:
            AugmentError: there is no such preset, or an argument does not fit.
        """
        return cls(**preset_settings(preset, attack, settings))

    @classmethod
    def from_recipe(cls, path: str | Path, attack: str | None = None) -> Self:
        """Make an augmenter with the settings of a recipe: a TOML file with the options of the command `perturb`.

        Keys of the recipe about files and rows are ignored.

        Args:
            path: the TOML file.
            attack: the attack to use, as the recipe names it; needed if the recipe names several.

        Raises:
            AugmentError: the recipe is invalid, or it is not clear which of its attacks is meant.
        """
        return cls(**recipe_settings(Path(path), attack))

    def __repr__(self) -> str:
        return f"Augmenter{repr(self.perturber).removeprefix('Perturber')}"

    def __call__(self, text: str, *, draw: int = 0) -> Result:
        """Perturb one text; for `draw` see `texts`."""
        return self.texts([text], draw=draw)[0]

    def texts(self, texts: Iterable[str], *, n: int = 1, draw: int = 0) -> list[Result]:
        """Perturb texts. The results are in the order of the texts, and the n results of a text follow one another.

        The results for one text are drawn independently. They usually differ, but for a short text some may be equal.

        Args:
            texts: the texts.
            n: how many perturbations of each text are made.
            draw: the number of the random draw, at least 0. Another number, such as that of the epoch, gives other
                changes.

        Raises:
            AugmentError: one of the texts is not a string, or contains a lone surrogate; `n` or `draw` is too small.
        """
        if isinstance(texts, str):
            raise AugmentError("texts() takes a list of texts; for one text call the augmenter itself")
        if isinstance(texts, Mapping) or not isinstance(texts, Iterable):
            raise AugmentError(f"texts() takes a list of texts, not {type(texts).__name__}; use records() for rows")
        refuse_frame(texts, "texts()")
        return list(self._results(self.preparation.texts(texts, needs=[self.perturber.needs]), n, draw))

    def _results(self, chunks: Iterable[Prepared], n: int, draw: int) -> Iterator[Result]:
        """Yield n results for each record. The random draws have the numbers n·draw to n·draw + n − 1.

        So calls with the same n and another `draw` use other random numbers.
        """
        n, draw = integer("n", n, least=1), integer("draw", draw, least=0)
        perturbers = [self.perturber.at_draw(n * draw + copy) for copy in range(n)]
        for chunk in chunks:
            for results in zip(*(one.perturb(chunk).results for one in perturbers), strict=True):
                yield from results

    def records(
        self,
        records: Iterable[Mapping[str, Any]],
        task: str | Task | None = None,
        *,
        field: str | Sequence[str] | None = None,
        n: int = 1,
        draw: int = 0,
    ) -> Iterator[Result]:
        """Perturb the rows of a dataset, and yield the results in the order of the rows.

        Args:
            records: rows as dictionaries; they are not modified.
            task: a task, its name, or a TOML file that states it; by default each row's task is recognised.
            field: the fields to perturb instead of the task's, such as `text`, `inputs.text` or `qas[].query`.
            n: how many perturbations of each row are made.
            draw: the number of the random draw, at least 0. Another number, such as that of the epoch, gives other
                changes.

        Raises:
            AugmentError: no task fits a row, or a row lacks a field of its task.
        """
        refuse_frame(records, "records()")
        prepared = self.preparation.records(records, task, field=field, needs=[self.perturber.needs])
        return self._results(prepared, n, draw)

    def frame(
        self,
        frame: Data,
        field: str | Sequence[str] | None = None,
        *,
        task: str | Task | None = None,
        meta: str = "full",
        n: int = 1,
        draw: int = 0,
    ) -> Data:
        """Perturb the rows of a pandas or polars frame; the result is a new frame of the same kind.

        Args:
            frame: a `pandas.DataFrame` or a `polars.DataFrame`; it is not modified.
            field: the columns to perturb instead of the task's.
            task: a task, its name, or a TOML file that states it; by default each row's task is recognised.
            meta: full, brief or none: how much metadata the column `augment` holds, as JSON text.
            n: how many rows are made of each row; they follow one another, in pandas with the same index.
            draw: the number of the random draw, at least 0. Another number, such as that of the epoch, gives other
                changes.

        Raises:
            AugmentError: `frame` is not a frame, a column is missing, or a row lacks a text.
        """
        from augment_ru.engine.frames import perturbed_frame  # noqa: PLC0415  (only frames need it)

        return perturbed_frame(frame, field, meta, n, partial(self.records, task=task, field=field, n=n, draw=draw))

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
        """Perturb the rows of a Hugging Face dataset; the result is a new dataset with as many rows.

        Args:
            dataset: a `Dataset`, an `IterableDataset` (streaming), or a dictionary of either; it is not modified.
            field: the fields to perturb instead of the task's.
            task: a task, its name, or a TOML file that states it; by default each row's task is recognised.
            meta: full, brief or none: how much metadata the column `augment` holds, as JSON text.
            num_proc: the number of processes; not possible for a streamed dataset.
            batch_size: how many rows are perturbed at once; the result does not depend on it.

        Raises:
            AugmentError: `datasets` is not installed, no task fits a row, or a row lacks a field of its task.
        """
        from augment_ru.engine.frames import PerturbsColumns, map_dataset  # noqa: PLC0415  (an extra)

        columns = PerturbsColumns(partial(self.records, task=task, field=field), meta)
        return map_dataset(dataset, columns, num_proc, batch_size)
