"""What the values of the shared options ask for: the run, how it is split, the files that it reads, models' options."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from augment_ru.errors import AugmentError

if TYPE_CHECKING:
    from augment_ru.engine.prepare import Preparation
    from augment_ru.engine.presets import Run
    from augment_ru.jobs.rows import Split


class Choices(NamedTuple):
    """The preparation and the run that the options of a command ask for."""

    preparation: "Preparation"
    run: "Run"


def choices(given: Mapping[str, Any], attacks: Sequence[str], *, asks_model: bool = False) -> Choices:
    """Make a preparation and a run from attacks and options, with the defaults of the preset.

    Args:
        given: the values of `SETUP`, and those of `SEARCH` and `PROBABILITY` where the command has them.
        attacks: the specifications of the attacks.
        asks_model: whether the run asks a model, too, which may need the device.

    Raises:
        AugmentError: a name is unknown, or a value does not fit.
    """
    from augment_ru.engine.attack import attack_name  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.engine.prepare import Preparation  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.engine.presets import AttackChoice, GateChoice, preset, run_of  # noqa: PLC0415
    from augment_ru.engine.recipe import option_values  # noqa: PLC0415
    from augment_ru.own_code import chain_names, is_own  # noqa: PLC0415

    if twins := [attack for number, attack in enumerate(attacks) if attack in attacks[:number]]:
        raise AugmentError(f"--attack {twins[0]}: is given twice; name it once")
    if given["no_constraints"] and given["constraints"]:
        raise AugmentError("--constraint and --no-constraints contradict each other; give one")
    defaults = preset(given["preset"] or "offline")
    constraints = () if given["no_constraints"] else given["constraints"] or defaults.constraints
    spec = given["similarity"] or defaults.similarity
    similarity = "python" if is_own(spec) else spec.partition(":")[0]
    parts = {attack_name(name) for attack in attacks for name in chain_names(attack)}
    options = option_values(given["options"], {*parts, similarity})
    run = run_of(
        defaults,
        [AttackChoice(attack, options, given.get("probability")) for attack in attacks],
        GateChoice(
            spec, options.get(similarity, {}), {key: given[key] for key in _SEARCH if given.get(key) is not None}
        ),
        seed=given["seed"],
        device=given["device"],
        may_import=True,  # a recipe that names code was refused when it was read
    )
    if given["device"] not in (None, "auto", "cpu") and not (run.runs_network or asks_model):
        raise AugmentError(f"--device {given['device']}: nothing in this run uses a GPU; leave it out")
    return Choices(Preparation(constraints, given["annotator"] or "natasha"), run)


_NO_FACTS = {"source", "output", "report", "quiet", "recipe", "cache", "workers", "resume", "engine"}
"""Parameters on which no row depends."""


def split_of(given: Mapping[str, Any], reads: Sequence[str]) -> "Split":
    """How a run is split into parts.

    Args:
        given: the values of `SPLIT` and of all other options.
        reads: the files and folders that options name.

    Raises:
        AugmentError: a file cannot be read.
    """
    from augment_ru.formats.files import named_files  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.jobs.facts import facts_of  # noqa: PLC0415
    from augment_ru.jobs.rows import Split  # noqa: PLC0415
    from augment_ru.own_code import chain_names  # noqa: PLC0415

    facts: Mapping[str, Any] = {}
    if given["resume"]:
        params = {param.name: param for param in click.get_current_context().command.params}
        options = {params[name].opts[0]: value for name, value in given.items() if name not in _NO_FACTS}
        specs = [*given["attacks"], given["similarity"] or "", given.get("model") or ""]
        own = [part for spec in specs for part in chain_names(spec)]
        facts = facts_of(options, [*reads, *named_files([*own, given.get("train") or ""])], own)
    return Split(given["workers"], given["resume"], given["engine"], max(1, int(given["part_size"] * 2**20)), facts)


def files_read(given: Mapping[str, Any]) -> list[str]:
    """The files and folders that options of `SETUP` and `INPUT` name, or a recipe; call it after `choices`.

    Of the user's own code they are the files that `choices` has run.
    """
    from augment_ru.formats.files import named_files  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.own_code import own_files  # noqa: PLC0415

    chosen = [pair.partition("=")[2] for pair in given["options"]]
    model = (given["similarity"] or "").partition(":")[2]
    task = given["task"] or ""
    files = named_files([given.get("recipe") or "", *given["constraints"], *chosen, model])
    return [*files, *([task] if task.endswith(".toml") else []), *map(str, own_files())]


_SEARCH = ("threshold", "schedule", "candidates", "min_changes")


def merged(given: Mapping[str, Any], recipe: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the command line, and those of a recipe that the command line does not set."""

    def absent(value: object) -> bool:  # 0 is not absent: it may be a seed, a probability or a limit
        return value is None or value is False or value == ()

    context = click.get_current_context()
    types = {param.name: param for param in context.command.params}
    values = dict(given)
    for key, value in recipe.items():
        if absent(given[key]):
            param = types[key]
            values[key] = value if isinstance(value, tuple | bool) else param.type.convert(value, param, context)
    return values


def model_options(pairs: Sequence[str]) -> dict[str, dict[str, str]]:
    """The values `KIND.NAME=VALUE` of `--model-option`, by kind of model and name.

    Raises:
        AugmentError: a value has another form.
    """
    found: dict[str, dict[str, str]] = {}
    for pair in pairs:
        left, equals, value = pair.partition("=")
        kind, dot, name = left.partition(".")
        if not (equals and dot and kind and name):
            raise AugmentError(f"--model-option {pair}: must be KIND.NAME=VALUE, as in linear.analyzer=char")
        found.setdefault(kind, {})[name] = value
    return found
