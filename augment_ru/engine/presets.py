"""Makes runs from presets (the defaults of a run under one name), recipes, and a user's choices."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from augment_ru.engine.attack import Attack, attack_name
from augment_ru.engine.composition import attack_of
from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepare import Constraints
from augment_ru.engine.similarity import Similarity, similarity_of
from augment_ru.errors import AugmentError, saying_instead, unknown
from augment_ru.options import by_name
from augment_ru.records.task import Task
from augment_ru.registry import chain_names, is_own, refuse
from augment_ru.strict_tables import Number, read_toml, typed


def _keys(lists: Collection[str], **kinds: str) -> type[msgspec.Struct]:
    """Make the type of a recipe's table.

    Args:
        lists: the keys that hold a text or several texts.
        kinds: the other keys; `texts`, `integers`, `numbers` and `truths` each name the keys with such values,
            separated by spaces.
    """
    types = {"texts": str, "integers": int, "numbers": Number, "truths": bool}
    known = dict.fromkeys(lists, str | tuple[str, ...]) | {
        key: types[kind] for kind, keys in kinds.items() for key in keys.split()
    }
    fields = [(key.replace("-", "_"), kind, msgspec.field(name=key, default=None)) for key, kind in known.items()]
    return msgspec.defstruct("Recipe", fields, forbid_unknown_fields=True)


PERTURB_LISTS = {"attack": "attacks", "field": "fields", "constraint": "constraints", "set": "options"}
"""The options of `perturb` that may be repeated, and the name of the parameter that gets the values of each."""
PERTURB_KEYS = _keys(
    PERTURB_LISTS,
    texts="task similarity schedule annotator preset meta device on-error output input-format encoding report spans",
    integers="candidates min-changes seed limit copies",
    numbers="probability threshold",
    truths="no-constraints with-original csv-safe",
)

_NAMES = ("attack", "similarity", "model", "constraint", "defence")
"""The keys whose values could name the user's own code, which a file must not do."""


EVALUATE_LISTS = {
    "model": "models", "field": "fields", "label-field": "label_fields", "metric": "metrics", "by": "by",
    "model-option": "model_options", "table": "tables", "require": "require",
    "defence": "defences",
}  # fmt: skip
"""The options of `evaluate` that may be repeated, and the name of the parameter that gets the values of each."""
EVALUATE_KEYS = _keys(
    EVALUATE_LISTS,
    texts="originals fresh task train shots device cache catch title format output html predictions verdicts date "
    "flipping input-format encoding worst-case",
    integers="episodes repeats seed",
    truths="require-point",
)


def read_recipe(
    path: Path, keys: type[msgspec.Struct] = PERTURB_KEYS, lists: Mapping[str, str] = PERTURB_LISTS
) -> Mapping[str, Any]:
    """Read the recipe of a command, and return the values of the command's options.

    The keys of a recipe are the long options of the command.

    Args:
        path: the TOML file.
        keys: a type that states the keys of the recipe and the types of their values.
        lists: for each option that may be repeated, the name of its parameter. The value becomes a tuple.

    Returns:
        The values, by the name of the parameter.

    Raises:
        AugmentError: the file cannot be read, a key is unknown, a value has the wrong type, or it names the user's own
            code.
    """
    content = read_toml(path, path.name)
    typed(path.name, content, keys)
    options: dict[str, Any] = {}
    for key, value in content.items():
        if key in _NAMES:
            for spec in [value] if isinstance(value, str) else value:
                for part in chain_names(spec):
                    refuse(part)
        if key in lists:
            options[lists[key]] = (value,) if isinstance(value, str) else tuple(value)
        else:
            options[key.replace("-", "_")] = value
    return options


def option_values(
    pairs: Sequence[str],
    names: Collection[str],
    kind: str = "attack or similarity",
    example: str = "butterfingers.probability=0.2",
) -> dict[str, dict[str, str]]:
    """Split option settings `NAME.OPTION=VALUE`, and return the values by name and option.

    Args:
        pairs: the settings, as given with `--set`.
        names: the names that may be used, such as those of the attacks and of the similarity of the run.
        kind: what these names name, for messages.
        example: a setting, for messages.

    Raises:
        AugmentError: a setting has another form, or its name is not in the run.
    """
    found = by_name("set", pairs, f"NAME.OPTION=VALUE, such as {example}")
    for pair in pairs:
        if (name := pair.partition(".")[0]) not in names:
            raise AugmentError(f"`set` {pair}: {unknown(f'{kind} of this run', name, names)}")
    return found


@dataclass(frozen=True, slots=True)
class Preset:
    """Holds the defaults of a run, for options that neither the command line nor the recipe sets.

    Attributes:
        similarity: the name of the similarity that the gate (which rejects texts that changed too much) uses.
        constraints: a function from a task to the names of its constraints; None for the constraints that the task
            itself names.
        options: maps the name of an attack, or of the similarity, to the values of its options.
        models: the Hugging Face names of the models that the attacks and the similarity need.
    """

    similarity: str = "meaning"
    constraints: Callable[[Task], Sequence[str]] | None = None
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    models: Sequence[str] = ()


PAPER_CONSTRAINTS = ("named_entities", "jeopardy", "referents", "multihop")
"""The constraints of the benchmark TAPE (Taktasheva et al. 2022): Appendix D, Table 4."""

PAPER_PROBABILITIES = {
    "butterfingers": 0.15, "emojify": 0.4, "eda_delete": 0.3, "eda_swap": 0.3, "back_translation": 0.5, "add_sent": 0.5,
}  # fmt: skip
"""The probabilities of TAPE's attacks: Table 1."""

PAPER_MODEL = "bert-base-multilingual-cased"
"""The model of TAPE's similarity, BERTScore: section 4.2.2, footnote 11."""

PAPER_GENERATOR = "THUMT/mGPT"
"""The language model of TAPE's attack AddSent: section 4.2.1, footnote 10."""

_PAPER_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "eda_delete": {"guards": (), "joins": (), "weighs": ""}, "eda_swap": {"scope": "anywhere"},
    "emojify": {"guards": ()}, "add_sent": {"generator": f"hf:{PAPER_GENERATOR}"},
}  # fmt: skip
"""The options by which the attacks of TAPE differ from today's."""


def paper_constraints(task: Task) -> Sequence[str]:
    """Return those constraints of a task that the paper on the benchmark TAPE uses, too.

    The paper protects no numbers, negations or options.
    """
    return tuple(name for name in task.layout.constraints if name in PAPER_CONSTRAINTS)


PRESETS: Mapping[str, Callable[[], Preset]] = {
    "offline": Preset,
    "tape": lambda: Preset(
        similarity=f"bertscore:{PAPER_MODEL}",
        constraints=paper_constraints,
        options={name: {"probability": p, **_PAPER_OPTIONS.get(name, {})} for name, p in PAPER_PROBABILITIES.items()},
        models=(PAPER_MODEL, "Helsinki-NLP/opus-mt-ru-en", "Helsinki-NLP/opus-mt-en-ru", PAPER_GENERATOR),
    ),
}


def preset(name: str) -> Preset:
    """Return the preset (the defaults of a run) with this name.

    Raises:
        AugmentError: there is no such preset.
    """
    if name not in PRESETS:
        raise AugmentError(f"preset '{name}'; possible: {', '.join(PRESETS)}")
    return PRESETS[name]()


@dataclass(frozen=True, slots=True)
class AttackChoice:
    """States an attack and its options, as a user chose them.

    Attributes:
        spec: the name of the attack, or names joined by `+`.
        options: maps the name of an attack to the values of its options. Values given as strings are parsed.
        probability: the share of the possible changes that are made, for each attack whose `options` do not state it;
            by default the attack's own.
        threshold: the lowest similarity that passes; by default the threshold of the run, or else the similarity's own.
        name: the name under which error messages mention this choice; "" to leave it out.
    """

    spec: str
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    probability: float | None = None
    threshold: float | None = None
    name: str = ""


class Run(NamedTuple):
    """Holds the attacks of a run and their gate (the similarity check of changed texts), ready to be used.

    Attributes:
        perturbers: for each attack, the object that applies it.
        similarity: the similarity of the gate; None without a gate.
        scorer: the signature of the similarity, which states all that a score depends on; "none" without a gate.
        runs_network: whether an attack or the similarity was placed on a device because it runs a network.
    """

    perturbers: list[Perturber]
    similarity: Similarity | None
    scorer: str
    runs_network: bool


def run_of(
    defaults: Preset,
    attacks: Sequence[AttackChoice],
    similarity: str | None = None,
    *,
    options: Mapping[str, Any] = MappingProxyType({}),
    search: Mapping[str, Any] = MappingProxyType({}),
    seed: int | None = None,
    device: str | None = None,
    may_import: bool = False,
) -> Run:
    """Make the attacks and the gate of a run from a preset and a user's choices.

    Args:
        defaults: the preset.
        attacks: the attacks, as the user chose them.
        similarity: the similarity of the gate of all attacks, as `NAME` or `NAME:ARGUMENT`; None for the preset's.
        options: the values of the options of the similarity, by name.
        search: arguments of `Perturber` (threshold, schedule, candidates, min_changes, floor).
        seed: the seed of the random draws; None for the default of `Perturber`.
        device: the device of all networks; None leaves their devices as they are.
        may_import: whether the names of the attacks and of the similarity may be those of the user's own code, such as
            `my_attack.py`. True if the user gave them, False if they come from a file.

    Raises:
        AugmentError: a name is unknown, a value does not fit, or the similarity's model is not in the local cache.
    """
    spec = similarity or defaults.similarity
    made = similarity_of(spec, {**defaults.options.get(spec.partition(":")[0], {}), **options}, may_import=may_import)
    on_device = made.on_device(device) if made and device else made
    runs_network = on_device is not made
    search = {**search, **({} if seed is None else {"seed": seed})}
    perturbers = []
    for choice in attacks:
        named = saying_instead(partial(_in_recipe, choice.name), AugmentError)
        with named if choice.name else nullcontext():
            of_attacks = _options(defaults, choice, may_import=may_import)
            attack = attack_of(choice.spec, options=of_attacks, may_import=may_import)
            placed = attack.on_device(device) if device else attack
            runs_network |= placed is not attack
            own = search if choice.threshold is None else {**search, "threshold": choice.threshold}
            perturbers.append(Perturber(placed, similarity=on_device, **own))
    scorer = on_device.signature if on_device else "none"  # a model that is not there is an error before anything runs
    return Run(perturbers, on_device, scorer, runs_network)


def _in_recipe(attack: str, error: BaseException) -> str:
    """Return the message of an error in a recipe, which has keys where the command line has flags: no backquotes."""
    return f"attack '{attack}': {error}".replace("`", "")


def _options(defaults: Preset, choice: AttackChoice, *, may_import: bool) -> dict[str, dict[str, Any]]:
    """Return the options of each attack of a choice, by name.

    The choice's options override its probability, and both override the options of the preset.
    """
    chosen = {} if choice.probability is None else {"probability": choice.probability}
    names = [attack_name(part) if may_import else part for part in chain_names(choice.spec)]
    return {name: {**defaults.options.get(name, {}), **chosen, **choice.options.get(name, {})} for name in names}


_OF_GATE = ("threshold", "schedule", "candidates")
_SEARCH = (*_OF_GATE, "min_changes")


def asked_run(given: Mapping[str, Any], attacks: Sequence[str], known: Sequence[str] = ()) -> tuple[Run, Constraints]:
    """Make the run that the options of a command or a recipe ask for, and find its constraints.

    The options may name the user's own code, which is then run. A recipe that names such code is refused when it is
    read.

    Args:
        given: the values of the options, by the name of the parameter. An option that the user did not set is None or
            missing.
        attacks: the attacks: names, or names joined by `+`.
        known: further names of attacks. Options of these attacks may be set, although the run does not use them.

    Returns:
        The run, and the constraints in a form that `Preparation` takes.

    Raises:
        AugmentError: a name is unknown, or a value does not fit.
    """
    defaults = preset(given.get("preset") or "offline")
    spec = given.get("similarity") or defaults.similarity
    of_gate = [f"`{name}` {given[name]}" for name in _OF_GATE if given.get(name) is not None]
    if spec == "none" and of_gate:
        raise AugmentError(f"{of_gate[0]}: `similarity` none scores nothing; leave one of them out")
    similarity = "python" if is_own(spec) else spec.partition(":")[0]
    names = {attack_name(name) for attack in (*attacks, *known) for name in chain_names(attack)}
    options = option_values(given.get("options", ()), {*names, similarity})
    run = run_of(
        defaults,
        [AttackChoice(attack, options, given.get("probability")) for attack in attacks],
        spec,
        options=options.get(similarity, {}),
        search={key: given[key] for key in _SEARCH if given.get(key) is not None},
        seed=given.get("seed"),
        device=given.get("device"),
        may_import=True,
    )
    if of_gate and attacks and not any(one.similarity for one in run.perturbers):
        raise AugmentError(f"{of_gate[0]}: nothing scores the orders of {attacks[0]}; leave it out")
    return run, () if given.get("no_constraints") else given.get("constraints") or defaults.constraints


def preset_settings(name: str, attack: str | Attack, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `Augmenter` for a preset (the defaults of a run under one name) and an attack.

    Args:
        name: the name of the preset.
        attack: the attack, or its name.
        settings: arguments of `Augmenter`, which override the preset.

    Raises:
        AugmentError: there is no such preset, or a name is unknown.
    """
    defaults = preset(name)
    similarity = settings.get("similarity", defaults.similarity)
    choices = [AttackChoice(attack)] if isinstance(attack, str) else []
    run = run_of(defaults, choices, similarity if isinstance(similarity, str) else "none", may_import=True)
    return {
        "attack": run.perturbers[0].attack if choices else attack,
        "constraints": defaults.constraints,
        **settings,
        "similarity": run.similarity if isinstance(similarity, str) else similarity,
    }


def recipe_settings(path: Path, attack: str | None) -> dict[str, Any]:
    """Return the arguments of `Augmenter` for one attack of a recipe: a TOML file of options for `perturb`.

    Args:
        path: the recipe.
        attack: the attack, as the recipe names it; None if the recipe has only one.

    Raises:
        AugmentError: the recipe is invalid, or it is not clear which of its attacks is meant.
    """
    given = read_recipe(path)
    attacks = given.get("attacks", ())
    if attack is None and len(attacks) == 1:
        (attack,) = attacks
    if attack is None or attack not in attacks:
        known = ", ".join(attacks) or "none"
        said = f"has {len(attacks)} attacks" if attack is None else f"has no attack '{attack}'"
        raise AugmentError(f"{path.name}: {said}; name one with attack=…: {known}")
    run, constraints = asked_run(given, [attack], attacks)
    (made,) = run.perturbers
    return {
        "attack": made.attack, "constraints": constraints, "similarity": run.similarity, "threshold": made.threshold,
        "schedule": made.schedule, "seed": made.seed, "candidates": made.candidates, "min_changes": made.min_changes,
        "annotator": given.get("annotator", "natasha"),
    }  # fmt: skip
