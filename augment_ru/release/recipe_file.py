"""Reading the recipe of a release: strictly, so that a misspelt key or a name used twice is an error.

The same reader reads the recipe that a manifest holds, so that a release can be rebuilt from itself.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from augment_ru.adversary.adversary import check_search
from augment_ru.adversary.defaults import ATTACKS, BUDGET, DRAWS
from augment_ru.errors import AugmentError, unknown
from augment_ru.release.recipe import (
    BY_TASK,
    MODEL_KINDS,
    ORIGINAL,
    TRAINED,
    AdversaryRecipe,
    AttackRecipe,
    GateRecipe,
    ReleaseRecipe,
    TaskRecipe,
    check_drawn,
    identifier,
)
from augment_ru.strict_tables import (
    INTEGER,
    LIST,
    NUMBER,
    SOME_TEXTS,
    TABLE,
    TABLES,
    TEXT,
    TEXTS,
    Key,
    Kind,
    checked,
    read_toml,
    table_values,
)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")
_RESERVED = frozenset({"lm_eval", "own", "readme.md", "manifest.json", "recipe.toml"})
"""The other names in the folder of a release, in lower case; no task may have one of them."""

_MOST_SEED = 2**63

_NUMBERS_OR_TASK = Kind(f"a list of numbers, or '{BY_TASK}'", lambda value: value == BY_TASK or LIST.fits(value))

_TOP = {
    "name": Key(TEXT, required=True), "title": Key(TEXT, ""), "description": Key(TEXT, ""),
    "licence": Key(TEXT, required=True), "language": Key(TEXTS, ("ru",)), "authors": Key(TEXTS, ()),
    "homepage": Key(TEXT, ""), "tags": Key(TEXTS, ()), "seed": Key(INTEGER, 42), "preset": Key(TEXT, "offline"),
    "gate": Key(TABLE, {}), "shots": Key(TABLE, {}), "attack": Key(TABLES, required=True),
    "task": Key(TABLES, required=True), "adversary": Key(TABLE),
}  # fmt: skip
_GATE = {
    "similarity": Key(TEXT), "threshold": Key(NUMBER), "schedule": Key(TEXT), "candidates": Key(INTEGER),
    "min_changes": Key(INTEGER), "floor": Key(NUMBER), "annotator": Key(TEXT), "options": Key(TABLE, {}),
}  # fmt: skip
_SHOTS = {"k": Key(_NUMBERS_OR_TASK, [1, 4, 8]), "episodes": Key(INTEGER, 5)}
_ATTACK = {
    "spec": Key(TEXT, required=True), "name": Key(TEXT, ""), "probability": Key(NUMBER), "threshold": Key(NUMBER),
    "options": Key(TABLE, {}),
}  # fmt: skip
_TASK = {
    "name": Key(TEXT, required=True), "test": Key(TEXT, required=True), "train": Key(TEXT), "task": Key(TEXT),
    "fields": Key(TEXTS, ()), "constraints": Key(TEXTS), "attacks": Key(TEXTS), "shots": Key(LIST),
    "licence": Key(TEXT, ""), "description": Key(TEXT, ""),
}  # fmt: skip
_ADVERSARY = {
    "models": Key(SOME_TEXTS, required=True), "attacks": Key(SOME_TEXTS, list(ATTACKS)), "budget": Key(INTEGER, BUDGET),
    "draws": Key(INTEGER, DRAWS), "probability": Key(NUMBER, 1.0), "tasks": Key(SOME_TEXTS), "options": Key(TABLE, {}),
}  # fmt: skip


def read_release_recipe(path: Path) -> ReleaseRecipe:
    """The recipe in a TOML file.

    Raises:
        AugmentError: the file cannot be read, or a key or value in it is wrong.
    """
    return parse_release_recipe(read_toml(path), str(path))


def parse_release_recipe(content: Mapping[str, Any], where: str) -> ReleaseRecipe:
    """The recipe in the content of a TOML file.

    Args:
        content: the tables.
        where: the file they come from, for messages.

    Raises:
        AugmentError: a key is missing or unknown, a value does not fit, or two things have one name.
    """
    top = table_values(where, content, _TOP)
    gate = table_values(f"{where}: [gate]", top["gate"], _GATE)
    shots = table_values(f"{where}: [shots]", top["shots"], _SHOTS)
    attacks = tuple(_attack(f"{where}: [[attack]] {number}", raw) for number, raw in enumerate(top["attack"], 1))
    episodes = _positive(f"{where}: [shots]: episodes", shots["episodes"])
    tasks = tuple(
        _task(f"{where}: [[task]] {number}", raw, attacks, episodes) for number, raw in enumerate(top["task"], 1)
    )
    values = {key: top[key] for key in ("title", "description", "licence", "homepage", "seed", "preset")}
    recipe = ReleaseRecipe(
        name=_name(where, top["name"]),
        **values | {"title": top["title"] or top["name"]},
        language=tuple(top["language"]),
        authors=tuple(top["authors"]),
        tags=tuple(top["tags"]),
        gate=GateRecipe(**gate | {"options": _options(f"{where}: [gate]: options", gate["options"])}),
        attacks=attacks,
        shots=None if shots["k"] == BY_TASK else _shots(f"{where}: [shots]: k", shots["k"], episodes),
        episodes=episodes,
        tasks=tasks,
        adversary=_adversary(f"{where}: [adversary]", top["adversary"], tasks)
        if top["adversary"] is not None
        else None,
    )
    _check_names(where, recipe)
    return recipe


def _check_names(where: str, recipe: ReleaseRecipe) -> None:
    """Refuse a recipe in which two things of one kind have one name.

    Raises:
        AugmentError: two attacks, tasks or own files do, or two tasks for lm-evaluation-harness would.
    """
    if twin := _twin([attack.name for attack in recipe.attacks]):
        raise AugmentError(f"{where}: two of [[attack]] are called '{twin}'; give one another name")
    if twin := _twin([task.name.lower() for task in recipe.tasks]):
        raise AugmentError(f"{where}: two of [[task]] are called '{twin}'; give one another name")
    if twin := _twin([Path(file).name for file in recipe.own_files]):
        raise AugmentError(f"{where}: two of your own files are called '{twin}'; rename one")
    given = [*(attack.name for attack in recipe.attacks), *recipe.searches]
    owners = {identifier(name).lower(): name for name in given}
    if len(owners) < len(given) or ORIGINAL in owners:
        names = ", ".join(given)
        raise AugmentError(f"{where}: attacks called {names}; needs names that differ in letters, none '{ORIGINAL}'")
    for task in recipe.tasks:
        variations = [ORIGINAL, *map(identifier, recipe.variations_of(task))]
        for ending in ("", *(f"_{variation}" for variation in variations)):
            name = f"{identifier(task.name)}{ending}".lower()
            if name in owners:
                raise AugmentError(f"{where}: '{name}' would name both {owners[name]} and {task.name}; rename one")
            owners[name] = task.name


def _twin(names: Sequence[str]) -> str | None:
    """The first name that occurs twice; None if all differ."""
    return next((name for name in names if names.count(name) > 1), None)


def _attack(where: str, raw: Mapping[str, Any]) -> AttackRecipe:
    values = table_values(where, raw, _ATTACK)
    name = _name(where, values["name"] or values["spec"])
    options = tuple(
        (attack, _options(f"{where}: options.{attack}", table)) for attack, table in values["options"].items()
    )
    recipe = AttackRecipe(values["spec"], name, values["probability"], values["threshold"], options)
    for attack in recipe.tables:
        if attack not in recipe.parts:
            raise AugmentError(f"{where}: options: {unknown('attack in the spec', attack, recipe.parts)}")
    return recipe


def _options(where: str, value: object) -> tuple[tuple[str, str], ...]:
    table = checked(where, value, TABLE)
    return tuple((option, _option_text(f"{where}: '{option}'", value)) for option, value in table.items())


def _option_text(where: str, value: object) -> str:
    """The value of an option as the text that one would write on the command line."""
    if isinstance(value, bool):
        return str(value).lower()
    if TEXTS.fits(value):
        return ",".join(checked(where, value, TEXTS))
    if isinstance(value, str | int | float):
        return str(value)
    raise AugmentError(f"{where} is {value!r}; it must be a text, a number, true or false, or a list of texts")


def _task(where: str, raw: Mapping[str, Any], attacks: Sequence[AttackRecipe], episodes: int) -> TaskRecipe:
    values = table_values(where, raw, _TASK)
    name = _name(where, values["name"])
    if name.lower() in _RESERVED:
        raise AugmentError(f"{where}: no task may be called '{name}': the release has a file of that name; rename it")
    known = [attack.name for attack in attacks]
    for attack in values["attacks"] or ():
        if attack not in known:
            raise AugmentError(f"{where}: attacks: {unknown('attack of this recipe', attack, known)}")
    lists = {key: None if values[key] is None else tuple(values[key]) for key in ("constraints", "attacks")}
    shots = None if values["shots"] is None else _shots(f"{where}: shots", values["shots"], episodes)
    return TaskRecipe(**values | lists | {"fields": tuple(values["fields"]), "shots": shots})


def _adversary(where: str, raw: Mapping[str, Any], tasks: Sequence[TaskRecipe]) -> AdversaryRecipe:
    values = table_values(where, raw, _ADVERSARY)
    for model in values["models"]:
        kind, _, argument = model.partition(":")
        if kind not in MODEL_KINDS:
            raise AugmentError(
                f"{where}: models: '{model}'; a recipe names files, runs no code and asks no server; "
                f"possible: {', '.join(MODEL_KINDS)}"
            )
        if not argument and kind not in TRAINED:
            raise AugmentError(f"{where}: models: '{model}'; needs the folder or the name of a model, {kind}:DIR")
    kinds = [model.partition(":")[0] for model in values["models"]]
    for kind in values["options"]:
        if kind not in kinds:
            raise AugmentError(f"{where}: options: {unknown('kind among the models', kind, kinds)}")
    known = [task.name for task in tasks]
    for task in values["tasks"] or ():
        if task not in known:
            raise AugmentError(f"{where}: tasks: {unknown('task of this recipe', task, known)}")
    options = tuple((kind, _options(f"{where}: options.{kind}", one)) for kind, one in values["options"].items())
    try:
        check_search(len(values["attacks"]), values["budget"], values["draws"], None)
    except AugmentError as error:
        said = str(error).replace("`", "")  # parameters are keys here
        raise AugmentError(f"{where}: {said}") from error
    lists = {key: tuple(values[key]) for key in ("models", "attacks")}
    named = None if values["tasks"] is None else tuple(values["tasks"])
    return AdversaryRecipe(**values | lists | {"tasks": named, "options": options})


def _name(where: str, name: str) -> str:
    if not _NAME.fullmatch(name):
        raise AugmentError(
            f"{where}: '{name}' is not a valid name; use Latin letters, digits, and any of _ . + - after the first"
        )
    return name


def _shots(where: str, numbers: list[Any], episodes: int) -> tuple[int, ...]:
    for number in numbers:
        _positive(where, number)
    if numbers != sorted(set(numbers)):
        raise AugmentError(f"{where} = {numbers}; needs different numbers in ascending order")
    check_drawn(where, numbers, episodes)
    return tuple(numbers)


def _positive(where: str, number: object) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise AugmentError(f"{where}: {number!r}; needs a whole number from 1 on")
    return number
