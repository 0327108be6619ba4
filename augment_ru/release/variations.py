"""Make the variations of rows: the original rows, and the rows that each attack and search of the task makes."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepare import Preparation, Prepared
from augment_ru.engine.presets import AttackChoice, preset, run_of
from augment_ru.engine.similarity import Scorer, Similarity
from augment_ru.errors import AugmentError
from augment_ru.language.annotate import Annotator, annotator
from augment_ru.records.record import Record
from augment_ru.release.edit_log import original_entry, result_entry
from augment_ru.release.original_rows import rules_of, with_perturbation
from augment_ru.release.release_recipe import TRAINED, ReleaseRecipe, TaskRecipe
from augment_ru.release.searched_models import Searched, Searches

_SEARCH = ("schedule", "candidates", "min_changes", "floor")


class SharedSimilarity(Similarity):
    """A similarity that prepares the original texts of a shard (part of the rows) only once for all attacks."""

    def __init__(self, inner: Similarity) -> None:
        self._inner = inner
        self._references: Sequence[str] = ()
        self._scorer: Scorer | None = None

    @property
    def signature(self) -> str:
        """The signature of the similarity that all attacks share."""
        return self._inner.signature

    @property
    def threshold(self) -> float:
        """The threshold of the similarity that all attacks share."""
        return self._inner.threshold

    @property
    def layers(self) -> frozenset[str]:
        """The layers of annotation that the similarity reads; all attacks share this similarity."""
        return self._inner.layers

    def against(self, references: Sequence[str]) -> Scorer:
        """Return a scorer for these originals; if they are the object of the last call, the scorer is the same."""
        if self._scorer is None or references is not self._references:
            self._references, self._scorer = references, self._inner.against(references)
        return self._scorer


class Tools(NamedTuple):
    """The attacks, gate and annotator of a recipe; made once in each process.

    Attributes:
        recipe: the recipe.
        perturbers: maps the name of each attack in the recipe to the attack with its gate.
        annotate: the annotator.
        scorer: the signature of the similarity.
        models: whether an attack, the similarity or a search runs a network.
        searches: the searches against models; None if the recipe has none.
    """

    recipe: ReleaseRecipe
    perturbers: Mapping[str, Perturber]
    annotate: Annotator
    scorer: str
    models: bool
    searches: Searches | None = None


def make_tools(recipe: ReleaseRecipe, device: str = "auto") -> Tools:
    """Make the attacks, gate, annotator and searches of a recipe.

    Args:
        recipe: the recipe, with absolute paths.
        device: the device that models run on: auto, cpu, cuda or cuda:N.

    Raises:
        AugmentError: the name of an attack, similarity or annotator is unknown, a value is out of range, or an attack
            needs all rows of a run at once.
    """
    gate = recipe.gate
    given = {"threshold": gate.threshold} | {key: getattr(gate, key) for key in _SEARCH}
    adversary = recipe.adversary
    pooled = [AttackChoice(one, {}, adversary.probability, None, one) for one in adversary.attacks] if adversary else []
    named = (AttackChoice(one.spec, one.options, one.probability, one.threshold, one.name) for one in recipe.attacks)
    run = run_of(
        preset(recipe.preset),
        [*named, *pooled],
        gate.similarity,
        options=dict(gate.options),
        search={key: value for key, value in given.items() if value is not None},
        seed=recipe.seed,
        device=device,
        wrap=SharedSimilarity,
    )
    names = [*(one.name for one in recipe.attacks), *(adversary.attacks if adversary else ())]
    for name, perturber in zip(names, run.perturbers, strict=True):
        if perturber.attack.wants_corpus:
            problem = f"attack '{name}': reads all rows of a run, so none could be rebuilt by itself"
            raise AugmentError(f"{problem}; give its generator a file (corpus:FILE), or leave it out")
    own = run.perturbers[: len(recipe.attacks)]
    perturbers = {attack.name: perturber for attack, perturber in zip(recipe.attacks, own, strict=True)}
    searches = Searches(adversary, run.perturbers[len(own) :], recipe.seed, device) if adversary else None
    models = run.runs_network or any(model.partition(":")[0] not in TRAINED for model in recipe.searches.values())
    return Tools(recipe, perturbers, annotator(gate.annotator or "natasha"), run.scorer, models, searches)


def settings_of(tools: Tools) -> dict[str, dict[str, Any]]:
    """Return the settings of each attack for the manifest: its probability, threshold and number of candidates.

    Args:
        tools: the attacks, gate and annotator of the recipe.
    """
    return {
        name: {"probability": one.attack.probability, "threshold": one.threshold, "candidates": one.candidates}
        for name, one in tools.perturbers.items()
    }


@dataclass(slots=True)
class Timing:
    """How many seconds the build of a release took, by kind of work.

    Attributes:
        annotation: the seconds for annotation.
        perturbing: maps the name of each attack to the seconds for its proposals, the search and the gate.
        writing: the seconds for writing.
        clock: the function that tells the time.
    """

    annotation: float = 0.0
    perturbing: dict[str, float] = field(default_factory=dict)
    writing: float = 0.0
    clock: Callable[[], float] = time.perf_counter

    def add(self, other: "Timing") -> None:
        """Add the seconds of another timing to these."""
        self.annotation += other.annotation
        self.writing += other.writing
        for name, seconds in other.perturbing.items():
            self.perturbing[name] = self.perturbing.get(name, 0.0) + seconds


def variations(
    tools: Tools, task: TaskRecipe, records: Mapping[int, Record], timing: Timing, given: Searched | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield the variations of some rows of a task: the original rows, then the rows of each attack and each search.

    Each is its name, its rows, and what the edit log says about each row, both as lines of JSON without line breaks.

    Args:
        tools: the attacks, gate and annotator of the recipe.
        task: the part of the recipe on the task.
        records: maps the index of a row in the test file, from 0, to the original row with its line. At least one.
        timing: how many seconds each kind of work took; the seconds of this call are added to it.
        given: what attacked models are made from: the labels and the train file of the task; None if it is not
            searched.
    """
    rows = list(records.values())
    needs = [tools.perturbers[attack.name].needs for attack in tools.recipe.attacks_of(task)]
    if tools.searches and given:
        needs += [one.needs for one in tools.searches.perturbers]
    began = timing.clock()
    prepared = Preparation(rules_of(tools.recipe, task, rows[0].task), tools.annotate).chunk(rows, needs)
    timing.annotation += timing.clock() - began
    protected = _protected(prepared)
    originals = [record.line or "" for record in rows]
    of_originals = zip(records, originals, protected, strict=True)
    entries = [original_entry(number, task.name, line, spans) for number, line, spans in of_originals]
    yield task.name, originals, entries
    results: dict[str, Any] = {}
    searches = tools.recipe.searches_of(task)
    for name in tools.recipe.variations_of(task):
        began = timing.clock()
        if tools.searches and given and name in searches:
            results[name] = tools.searches.findings(name, prepared, given)
        else:
            results[name] = tools.perturbers[name].perturb(prepared).results
        timing.perturbing[name] = timing.perturbing.get(name, 0.0) + timing.clock() - began
    searched = {name: results[name] for name in searches}
    breaks = tools.searches.breaks(searched, given) if tools.searches and given else {}
    for name, found in results.items():
        done = timing.clock()
        lines = [with_perturbation(one.line("none"), name) for one in found]
        rows_of = zip(records, lines, found, protected, breaks.get(name, [()] * len(lines)), strict=True)
        entries = [result_entry(at, name, line, one, spans, breaks=own) for at, line, one, spans, own in rows_of]
        timing.writing += timing.clock() - done
        yield name, lines, entries


def _protected(prepared: Prepared) -> list[dict[str, list[list[Any]]]]:
    """Return the spans that attacks must not touch, as [start, stop, label], by field, in a dict for each record."""
    return [
        {
            prepared.fields[text]: [[span.start, span.stop, span.label] for span in prepared.batch.protected(text)]
            for text in prepared.rows(at)
        }
        for at in range(len(prepared))
    ]
