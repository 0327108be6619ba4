"""What a release is made of, as its recipe says it: tasks, attacks, gate, shots, and who publishes it.

A recipe is read strictly: what it does not know is an error that says what there is. The same reader reads
the recipe that a manifest holds, so that a release can be rebuilt from itself.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from augment_ru.errors import AugmentError, unknown
from augment_ru.strict_tables import (
    INTEGER,
    MAYBE,
    MAYBE_TEXTS,
    NUMBER,
    TABLE,
    TABLES,
    TEXT,
    TEXTS,
    Key,
    is_integer,
    is_text,
    is_texts,
    must,
    values_of,
)

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")
RESERVED = frozenset({"lm_eval", "own", "readme.md", "manifest.json", "recipe.toml"})
"""What else stands in the folder of a release, in lower case; no task may be called so."""
ORIGINAL = "original"
"""How lm-evaluation-harness calls the rows that are not perturbed; no attack may be called so."""


@dataclass(frozen=True, slots=True)
class GatePart:
    """How alike a perturbed text must be, and how it is searched for; None: the preset's, else `Augmenter`'s default.

    `options`: those of the similarity, values as texts.
    """

    similarity: str | None = None
    threshold: float | None = None
    schedule: str | None = None
    candidates: int | None = None
    min_changes: int | None = None
    floor: float | None = None
    annotator: str | None = None
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class AttackPart:
    """An attack of the release: one test variation of every task that takes it.

    Attributes:
        spec: the attack, or several joined by `+`.
        name: the value of `perturbation` in its rows; by default the spec.
        probability: in place of the attack's own, for each part of a chain.
        threshold: in place of the gate's.
        options: the options of the attacks, by attack; values as texts.
    """

    spec: str
    name: str
    probability: float | None = None
    threshold: float | None = None
    options: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the attacks in the spec."""
        return tuple(part.strip() for part in self.spec.split("+"))

    @property
    def tables(self) -> dict[str, dict[str, str]]:
        """The options as tables."""
        return {attack: dict(values) for attack, values in self.options}


@dataclass(frozen=True, slots=True)
class TaskPart:
    """A task of the release.

    Attributes:
        name: its folder, and the value of `perturbation` in its original rows.
        test, train: its files, relative to the recipe; no train in a release without shots.
        task: the schema; by default recognised from the rows.
        fields: what is perturbed, in place of the schema's.
        constraints: in place of the schema's; None for those.
        attacks: the names of the attacks that it takes; None for all.
        licence, description: what the card says of it.
    """

    name: str
    test: str
    train: str | None = None
    task: str | None = None
    fields: tuple[str, ...] = ()
    constraints: tuple[str, ...] | None = None
    attacks: tuple[str, ...] | None = None
    licence: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Blueprint:
    """A recipe, read and checked.

    Attributes:
        name: an identifier; the tasks for lm-evaluation-harness start with it.
        shots: the numbers of demonstrations, ascending; zero-shot stands beside them always.
        episodes: how many episodes each number of shots has.
    """

    name: str
    title: str
    description: str
    licence: str
    language: tuple[str, ...]
    authors: tuple[str, ...]
    homepage: str
    tags: tuple[str, ...]
    seed: int
    preset: str
    gate: GatePart
    attacks: tuple[AttackPart, ...]
    shots: tuple[int, ...]
    episodes: int
    tasks: tuple[TaskPart, ...]

    def attacks_of(self, task: TaskPart) -> tuple[AttackPart, ...]:
        """The attacks that a task takes, in the order of the recipe."""
        return tuple(attack for attack in self.attacks if task.attacks is None or attack.name in task.attacks)

    @property
    def own_files(self) -> tuple[str, ...]:
        """The dictionaries and rule files that are not of this package, as paths; each once, in order."""
        options = [value for attack in self.attacks for _, table in attack.options for _, value in table]
        constraints = [name for task in self.tasks for name in task.constraints or ()]
        return tuple(dict.fromkeys(value for value in (*options, *constraints) if value.endswith((".tsv", ".toml"))))

    def with_files(self, place: Callable[[str], Path]) -> "Blueprint":
        """The blueprint with its own files at other places."""
        moved = {name: str(place(name)) for name in self.own_files}
        attacks = tuple(
            replace(
                attack,
                options=tuple(
                    (part, tuple((option, moved.get(value, value)) for option, value in table))
                    for part, table in attack.options
                ),
            )
            for attack in self.attacks
        )
        tasks = tuple(
            replace(task, constraints=tuple(moved.get(name, name) for name in task.constraints))
            if task.constraints is not None
            else task
            for task in self.tasks
        )
        return replace(self, attacks=attacks, tasks=tasks)

    def content(self) -> dict[str, Any]:
        """The recipe as tables again; reading them gives an equal blueprint."""
        gate = {key: value for key in GatePart.__dataclass_fields__ if (value := getattr(self.gate, key)) is not None}
        gate["options"] = dict(self.gate.options)
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "licence": self.licence,
            "language": list(self.language),
            "authors": list(self.authors),
            "homepage": self.homepage,
            "tags": list(self.tags),
            "seed": self.seed,
            "preset": self.preset,
            "gate": gate,
            "shots": {"k": list(self.shots), "episodes": self.episodes},
            "attack": [_filled(attack) | {"options": attack.tables} for attack in self.attacks],
            "task": [_filled(task) for task in self.tasks],
        }


def _filled(part: AttackPart | TaskPart) -> dict[str, Any]:
    """The attributes of a part that are set."""
    values = {key: getattr(part, key) for key in type(part).__dataclass_fields__}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items() if _is_set(value)}


def _is_set(value: object) -> bool:
    return value is not None and value != ""


def read(path: Path) -> Blueprint:
    """The blueprint in a recipe file.

    Raises:
        AugmentError: the file cannot be read, or says something that a release cannot have.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise AugmentError(f"{path}: cannot be read ({error.strerror})") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise AugmentError(f"{path}: not TOML: {error}") from error
    return blueprint(content, str(path))


def blueprint(content: Mapping[str, Any], where: str) -> Blueprint:
    """The blueprint that these tables spell; `where` they are from goes before each complaint.

    Raises:
        AugmentError: a key is missing or unknown, or a value does not fit.
    """
    top = values_of(where, content, _TOP)
    gate = values_of(f"{where}: [gate]", top["gate"], _GATE)
    shots = values_of(f"{where}: [shots]", top["shots"], _SHOTS)
    attacks = tuple(_attack(f"{where}: [[attack]] {number}", raw) for number, raw in enumerate(top["attack"], 1))
    tasks = tuple(_task(f"{where}: [[task]] {number}", raw, attacks) for number, raw in enumerate(top["task"], 1))
    for kind, names in (("attack", [one.name for one in attacks]), ("task", [one.name.lower() for one in tasks])):
        if not names:
            raise AugmentError(f"{where}: no [[{kind}]]; name at least one")
        if twin := next((name for name in names if names.count(name) > 1), None):
            raise AugmentError(f"{where}: two of [[{kind}]] are called '{twin}'; give one another name")
    for task in tasks:
        if shots["k"] and task.train is None:
            raise AugmentError(f"{where}: task '{task.name}' has no train file; give one, or set k = [] in [shots]")
    values = {key: top[key] for key in ("title", "description", "licence", "homepage", "seed", "preset")}
    made = Blueprint(
        name=_name(where, top["name"]),
        **values | {"title": top["title"] or top["name"]},
        language=tuple(top["language"]),
        authors=tuple(top["authors"]),
        tags=tuple(top["tags"]),
        gate=GatePart(**gate | {"options": _options(f"{where}: [gate]", gate["options"])}),
        attacks=attacks,
        shots=_shots(where, shots["k"]),
        episodes=_positive(f"{where}: [shots]: episodes", shots["episodes"]),
        tasks=tasks,
    )
    _distinct(where, made)
    files = [Path(file).name for file in made.own_files]
    if twin := next((name for name in files if files.count(name) > 1), None):
        raise AugmentError(f"{where}: two files of your own are called {twin}; rename one")
    return made


def identifier(name: str) -> str:
    """A name as lm-evaluation-harness takes it: other characters become `_`."""
    return re.sub(r"\W+", "_", name)


def _distinct(where: str, plan: Blueprint) -> None:
    """Nothing, if no two things of a release are called the same by lm-evaluation-harness, letter case aside.

    Raises:
        AugmentError: two are.
    """
    found = {identifier(attack.name).lower(): attack.name for attack in plan.attacks}
    if len(found) < len(plan.attacks) or ORIGINAL in found:
        names = ", ".join(attack.name for attack in plan.attacks)
        raise AugmentError(f"{where}: attacks called {names}; needs names that differ in letters, none '{ORIGINAL}'")
    for task in plan.tasks:
        variations = [ORIGINAL, *(identifier(attack.name) for attack in plan.attacks_of(task))]
        for name in ("", *(f"_{variation}" for variation in variations)):
            called = f"{identifier(task.name)}{name}".lower()
            if called in found:
                raise AugmentError(f"{where}: '{called}' would name both {found[called]} and {task.name}; rename one")
            found[called] = task.name


def _attack(where: str, raw: Mapping[str, Any]) -> AttackPart:
    values = values_of(where, raw, _ATTACK)
    name = _name(where, values["name"] or values["spec"])
    options = tuple(
        (attack, _options(f"{where}: options.{attack}", table)) for attack, table in values["options"].items()
    )
    known = [part.strip() for part in values["spec"].split("+")]
    for attack, _ in options:
        if attack not in known:
            raise AugmentError(f"{where}: options: {unknown('attack in the spec', attack, known)}")
    return AttackPart(values["spec"], name, values["probability"], values["threshold"], options)


def _options(where: str, table: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(table, Mapping):
        raise AugmentError(f"{where} is {table!r}; needs a table of options: {{ NAME = VALUE }}")
    return tuple((option, _text(f"{where}: {option}", value)) for option, value in table.items())


def _text(where: str, value: object) -> str:
    """An option's value as the text that the command line would give."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ",".join(value)
    if isinstance(value, str | int | float):
        return str(value)
    raise AugmentError(f"{where}: {value!r}; needs a text, a number, true or false, or a list of texts")


def _task(where: str, raw: Mapping[str, Any], attacks: tuple[AttackPart, ...]) -> TaskPart:
    values = values_of(where, raw, _TASK)
    name = _name(where, values["name"])
    if name.lower() in RESERVED:
        raise AugmentError(f"{where}: no task may be called '{name}'; the release has a file of that name")
    for attack in values["attacks"] or ():
        if attack not in {one.name for one in attacks}:
            raise AugmentError(
                f"{where}: attacks: {unknown('attack of this recipe', attack, (a.name for a in attacks))}"
            )
    lists = {key: None if values[key] is None else tuple(values[key]) for key in ("constraints", "attacks")}
    return TaskPart(**values | lists | {"name": name, "fields": tuple(values["fields"])})


def _name(where: str, name: str) -> str:
    if not NAME.fullmatch(name):
        raise AugmentError(f"{where}: '{name}' is no name; use Latin letters, digits, and any of _ . + - inside it")
    return name


def _shots(where: str, numbers: list[Any]) -> tuple[int, ...]:
    for number in numbers:
        _positive(f"{where}: [shots]: k", number)
    if numbers != sorted(set(numbers)):
        raise AugmentError(f"{where}: [shots]: k = {numbers}; needs different numbers in ascending order")
    return tuple(numbers)


def _positive(where: str, number: object) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise AugmentError(f"{where}: {number!r}; needs a number from 1 on")
    return number


_TOP = {
    "name": must(TEXT), "title": TEXT, "description": TEXT, "licence": must(TEXT),
    "language": Key(is_texts, "a list of texts", ["ru"]), "authors": TEXTS, "homepage": TEXT,
    "tags": TEXTS, "seed": Key(is_integer, "an integer", 42),
    "preset": Key(is_text, "a text", "offline"), "gate": TABLE, "shots": TABLE, "attack": TABLES, "task": TABLES,
}  # fmt: skip
_GATE = {
    "similarity": MAYBE, "threshold": NUMBER, "schedule": MAYBE, "candidates": INTEGER,
    "min_changes": INTEGER, "floor": NUMBER, "annotator": MAYBE, "options": TABLE,
}  # fmt: skip
_SHOTS = {
    "k": Key(lambda value: isinstance(value, list), "a list of numbers", [1, 4, 8]),
    "episodes": Key(is_integer, "an integer", 5),
}
_ATTACK = {
    "spec": must(TEXT), "name": TEXT, "probability": NUMBER, "threshold": NUMBER, "options": TABLE,
}  # fmt: skip
_TASK = {
    "name": must(TEXT), "test": must(TEXT), "train": MAYBE, "task": MAYBE, "fields": TEXTS,
    "constraints": MAYBE_TEXTS, "attacks": MAYBE_TEXTS, "licence": TEXT, "description": TEXT,
}  # fmt: skip
