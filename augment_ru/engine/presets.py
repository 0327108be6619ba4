"""Presets: the defaults of a run under one name; and runs made from a preset and what a user chose."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from augment_ru.engine.composition import attack_of
from augment_ru.engine.perturber import Perturber
from augment_ru.engine.similarity import Similarity, similarity_of
from augment_ru.errors import AugmentError
from augment_ru.records.task import Task


@dataclass(frozen=True, slots=True)
class Preset:
    """What holds where the command line and the recipe say nothing.

    Attributes:
        similarity: the name of the gate's similarity.
        schedule: that of the search.
        constraints: the names of the constraints that hold for a task; None for the task's own.
        options: options of attacks and of the similarity, by name.
        models: the hub's names of the models that these run.
    """

    similarity: str = "navec"
    schedule: str = "paper"
    constraints: Callable[[Task], Sequence[str]] | None = None
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    models: Sequence[str] = ()


PAPER_CONSTRAINTS = ("named_entities", "jeopardy", "referents", "multihop")
"""TAPE (Taktasheva et al. 2022), Appendix D, Table 4."""

PAPER_PROBABILITIES = {
    "butterfingers": 0.15, "emojify": 0.4, "eda_delete": 0.3, "eda_swap": 0.3, "back_translation": 0.5, "add_sent": 0.5,
}  # fmt: skip
"""The same, Table 1."""

PAPER_MODEL = "bert-base-multilingual-cased"
"""The same, section 4.2.2, footnote 11."""

PAPER_GENERATOR = "ai-forever/mGPT"
"""The language model of AddSent; the same, section 4.2.1, names the model mGPT."""


def paper_constraints(task: Task) -> Sequence[str]:
    """Of a task's constraints those that the paper has; ours on numbers, negation and options are not among them."""
    return tuple(name for name in task.constraints if name in PAPER_CONSTRAINTS)


PRESETS: Mapping[str, Callable[[], Preset]] = {
    "offline": Preset,
    "tape": lambda: Preset(
        similarity=f"bertscore:{PAPER_MODEL}",
        constraints=paper_constraints,
        options={
            **{name: {"probability": probability} for name, probability in PAPER_PROBABILITIES.items()},
            "add_sent": {"probability": PAPER_PROBABILITIES["add_sent"], "generator": f"hf:{PAPER_GENERATOR}"},
        },
        models=(PAPER_MODEL, "Helsinki-NLP/opus-mt-ru-en", "Helsinki-NLP/opus-mt-en-ru", PAPER_GENERATOR),
    ),
}


def preset(name: str) -> Preset:
    """The preset of this name.

    Raises:
        AugmentError: there is none.
    """
    if name not in PRESETS:
        raise AugmentError(f"preset '{name}'; possible: {', '.join(PRESETS)}")
    return PRESETS[name]()


@dataclass(frozen=True, slots=True)
class AttackChoice:
    """An attack as a user chose it.

    Attributes:
        spec: its name, or names joined by `+`.
        options: options by the name of the attack; texts are read as the option's type.
        probability: in place of each attack's own, where the options name none.
        threshold: in place of the gate's.
        name: how it is called in messages; by default not named.
    """

    spec: str
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    probability: float | None = None
    threshold: float | None = None
    name: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """The names in the spec."""
        return tuple(part.strip() for part in self.spec.split("+"))


@dataclass(frozen=True, slots=True)
class GateChoice:
    """The gate and the search as a user chose them; None: the preset's, else the default of `Perturber`.

    Attributes:
        similarity: `NAME` or `NAME:ARGUMENT`.
        options: options of the similarity.
        search: arguments of `Perturber`: threshold, schedule, candidates, min_changes, floor.
    """

    similarity: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    search: Mapping[str, Any] = field(default_factory=dict)


class Run(NamedTuple):
    """The attacks of a run and their gate.

    Attributes:
        perturbers: one for each attack.
        similarity: the gate's; None without a gate.
        scorer: its signature; "none" without a gate.
        runs_network: whether an attack or the similarity does.
    """

    perturbers: list[Perturber]
    similarity: Similarity | None
    scorer: str
    runs_network: bool


def run_of(
    defaults: Preset,
    attacks: Sequence[AttackChoice],
    gate: GateChoice,
    *,
    seed: int | None = None,
    device: str | None = None,
    wrap: Callable[[Similarity], Similarity] = lambda similarity: similarity,
) -> Run:
    """The perturbers that a preset and a user's choices stand for.

    Args:
        defaults: the preset.
        attacks: one perturber each.
        gate: of all of them.
        seed: of all random draws.
        device: for networks.
        wrap: gives the similarity that the perturbers use, made of the one that was chosen.

    Raises:
        AugmentError: a name is unknown, a value does not fit, or the similarity's model is not in the local cache.
    """
    spec = gate.similarity or defaults.similarity
    similarity = similarity_of(spec, {**defaults.options.get(spec.partition(":")[0], {}), **gate.options})
    on_device = similarity.on_device(device) if similarity and device else similarity
    runs_network = on_device is not similarity
    search = {"schedule": defaults.schedule, **gate.search}
    if seed is not None:
        search["seed"] = seed
    gated = wrap(on_device) if on_device else None
    perturbers = []
    for choice in attacks:
        try:
            attack = attack_of(choice.spec, options=_options(defaults, choice))
            placed = attack.on_device(device) if device else attack
            runs_network |= placed is not attack
            own = search if choice.threshold is None else {**search, "threshold": choice.threshold}
            perturbers.append(Perturber(placed, similarity=gated, **own))
        except AugmentError as error:
            where = f"attack '{choice.name}': " if choice.name else ""
            raise AugmentError(f"{where}{error}") from error
    scorer = on_device.signature if on_device else "none"  # a model that is not there is an error before anything runs
    return Run(perturbers, on_device, scorer, runs_network)


def _options(defaults: Preset, choice: AttackChoice) -> dict[str, dict[str, Any]]:
    """The options of each attack of a spec: the preset's, over them the probability, over it the user's options."""
    chosen = {} if choice.probability is None else {"probability": choice.probability}
    return {part: {**defaults.options.get(part, {}), **chosen, **choice.options.get(part, {})} for part in choice.parts}
