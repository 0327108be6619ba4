"""Read the recipe of a release: its tasks, attacks, gate and demonstrations, and who publishes it.

A recipe is a TOML file, in which unknown keys are errors. The same types read the recipe in a manifest, so that a
release can be rebuilt from its manifest. A variation of a task is its original rows, or the rows that one attack or
search makes of them.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from augment_ru.adversary.adversary import check_search
from augment_ru.adversary.defaults import ATTACKS, BUDGET, DRAWS
from augment_ru.errors import AugmentError, check_known, saying_instead, saying_where
from augment_ru.strict_tables import Number, SomeText, SomeTexts, read_toml, typed

ORIGINAL = "original"
"""What the unperturbed rows are called in lm-evaluation-harness. Attacks must not have this name."""
_ADVERSARY = "adversary"
"""The prefix of the names of variations that searches make."""
_MOST_DRAWN = 10**6
"""The maximum number of demonstrations of a task, over all its episodes."""
_CORPUS = "corpus:"
"""The prefix of the path of a text file in an attack's option."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")
_RESERVED = frozenset({"lm_eval", "own", "readme.md", "manifest.json", "recipe.toml"})
"""Names of files and folders of a release, in lower case. Tasks must not have these names."""

Options = dict[str, str | bool | int | float | tuple[str, ...]]
"""Maps options to values. In a recipe that was read, values are texts in the form of the command line."""
_Positive = Annotated[int, msgspec.Meta(ge=1)]
_Shots = tuple[_Positive, ...]


def _texts(options: Mapping[str, Any]) -> dict[str, str]:
    """Convert the values of options to the texts that one would write on the command line."""
    shown = {option: str(value).lower() if isinstance(value, bool) else value for option, value in options.items()}
    return {option: ",".join(one) if isinstance(one, tuple) else str(one) for option, one in shown.items()}


def _tables(options: Mapping[str, Options]) -> dict[str, dict[str, str]]:
    return {name: _texts(table) for name, table in options.items()}


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of a recipe; unknown keys are refused."""


class GateRecipe(_Table, frozen=True):
    """The gate of a release: the similarity and the threshold that perturbed texts must pass, and how they are found.

    For each attribute but `options`, None means the preset's value, or else the default of `Augmenter`.

    Attributes:
        similarity: the similarity that scores perturbed texts.
        threshold: the lowest similarity that passes.
        schedule: how the search chooses how many changes to try: `paper` or `strongest`.
        candidates: how many random perturbations are tried for each record, 1 to 1000.
        min_changes: the fewest changes that each record gets at a positive probability.
        floor: the lowest probability of an attack that the search tries, in (0, 1].
        annotator: the name of the annotator (computes tokens, entities, morphology and syntax).
        options: the options of the similarity, by name.
    """

    similarity: str | None = None
    threshold: Number | None = None
    schedule: str | None = None
    candidates: int | None = None
    min_changes: int | None = None
    floor: Number | None = None
    annotator: str | None = None
    options: Options = {}

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "options", _texts(self.options))


class ShotsRecipe(_Table, frozen=True):
    """How many demonstrations a release draws. An episode is one draw of demonstrations.

    Attributes:
        k: how many demonstrations the episodes have, ascending, such as (1, 4, 8); every release also has a zero-shot
            episode. "task" means that each task has as many as its benchmark shows.
        episodes: how many times demonstrations are drawn for each number in `k`.
    """

    k: Literal["task"] | _Shots = (1, 4, 8)
    episodes: _Positive = 5


class AttackRecipe(_Table, frozen=True):
    """An attack of the release. It perturbs the test rows of every task that uses it; these rows are one variation.

    Attributes:
        spec: the name of an attack, or several names joined by `+`.
        name: the name of the variation (the value of `perturbation` in its rows); by default `spec`.
        probability: replaces the default probability of each attack in `spec`; None to keep it.
        threshold: replaces the threshold of the gate; None to keep it.
        options: the options of the attacks, by the name of the attack.
    """

    spec: SomeText
    name: str = ""
    probability: Number | None = None
    threshold: Number | None = None
    options: dict[str, Options] = {}

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "name", self.name or self.spec)
        msgspec.structs.force_setattr(self, "options", _tables(self.options))


class TaskRecipe(_Table, frozen=True):
    """A task of the release.

    Attributes:
        name: the name of the task's folder, and the value of `perturbation` in its original rows.
        test: the file of test rows, relative to the recipe.
        train: the file of train rows, relative to the recipe; None for a task without demonstrations.
        task: the name of its schema, or a task file of the user; None to recognise the schema from the rows.
        prompt: a prompt file of the user, used in lm-evaluation-harness; None for the prompt of the schema.
        fields: the fields that are perturbed; empty for those of the schema.
        constraints: the names or rule files of its constraints; None for those of the preset, or else of the schema.
        attacks: the names of the attacks that it uses; None for all.
        shots: how many demonstrations its episodes have, ascending; None for `k` of the release.
        licence: the licence of its rows, for the card; empty for the licence of the release.
        description: a text for the card.
    """

    name: SomeText
    test: SomeText
    train: str | None = None
    task: str | None = None
    prompt: str | None = None
    fields: tuple[str, ...] = ()
    constraints: tuple[str, ...] | None = None
    attacks: tuple[str, ...] | None = None
    shots: _Shots | None = None
    licence: str = ""
    description: str = ""


class StatementsRecipe(_Table, frozen=True):
    """The statements of a release's owner for its Croissant metadata and its card: what nobody else can know.

    Attributes:
        cite_as: how the release is cited, such as an entry of BibTeX.
        date_published: the day of publication.
        limitations: where the rows should not be used, or what they lack.
        biases: whom or what the rows show more or less often than is true of the world.
        sensitive_information: which personal or sensitive information the rows hold.
        use_cases: what the rows were checked to be good for, and what they are not for.
        social_impact: whom the release may help or harm, and what was done about it.
    """

    cite_as: str = ""
    date_published: date | None = None
    limitations: str = ""
    biases: str = ""
    sensitive_information: str = ""
    use_cases: str = ""
    social_impact: str = ""

    @property
    def missing(self) -> list[str]:
        """The names of the statements (such as limitations or biases) that the recipe lacks."""
        return [name for name in self.__struct_fields__ if not getattr(self, name)]


class CanaryRecipe(_Table, frozen=True):
    """A mark in every row; a model that knows it was trained on the release.

    Attributes:
        guid: a GUID of your own, made once (`python -c "import uuid; print(uuid.uuid4())"`).
    """

    guid: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")]


MODEL_KINDS = ("linear", "adaboost", "hf-classifier", "hf-causal", "hf-seq2seq")
"""The kinds of models that a recipe may name. They are files, whose digests can be published, and run no code."""
TRAINED = ("linear", "adaboost")
"""The kinds of models that are trained on a file of rows, by default on the train rows of the task."""


class AdversaryRecipe(_Table, frozen=True):
    """The adversarial part of a recipe: the models against which searches are made, and how.

    For each model, a search makes perturbed rows (a variation) that break its answers. A search combines changes from a
    pool, which holds the changes that attacks propose.

    Attributes:
        models: specifications KIND or KIND:ARGUMENT, with a KIND of `MODEL_KINDS`.
        attacks: the specifications of the attacks whose changes are in the pool.
        budget: the maximum number of queries to the model for a record.
        draws: how many times each attack draws changes for the pool; for a word, the pool has at most this many
            alternatives of each attack.
        probability: only changes whose rank (a random number in [0, 1)) is below this are in the pool.
        tasks: the names of the tasks that are searched; None for all.
        options: the options of the models, by kind.
        hard: the number of rows in the split `hard` of each searched task, which holds the rows that break the most
            models; None for no such split.
    """

    models: SomeTexts
    attacks: SomeTexts = ATTACKS
    budget: int = BUDGET
    draws: int = DRAWS
    probability: Number = 1.0
    tasks: SomeTexts | None = None
    options: dict[str, Options] = {}
    hard: _Positive | None = None

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "options", _tables(self.options))

    @property
    def searches(self) -> dict[str, str]:
        """Maps the name of each search, and so of the variation that it makes, to the model that it attacks.

        The name is "adversary_" and the kind of the model. Further models of a kind are numbered from 2, as in
        "adversary_linear_2". The model is given by its specification, such as "linear".
        """
        found: dict[str, str] = {}
        kinds: dict[str, int] = {}
        for model in self.models:
            kind = model.partition(":")[0]
            kinds[kind] = kinds.get(kind, 0) + 1
            found[f"{_ADVERSARY}_{kind}" + (f"_{kinds[kind]}" if kinds[kind] > 1 else "")] = model
        return found

    @property
    def own_files(self) -> tuple[str, ...]:
        """The paths of the user's own files in this part: train files of models, and files that options name."""
        trained = (argument for kind, _, argument in (one.partition(":") for one in self.models) if kind in TRAINED)
        return tuple(path for path in (*trained, *_files_in(self.options)) if path)

    def check(self, tasks: Sequence[str]) -> None:
        """Check the models that searches attack, the options of these models, and the tasks whose rows are searched.

        Args:
            tasks: the names of the tasks in the recipe.

        Raises:
            AugmentError: a model has a wrong kind or lacks its argument, an option is for a kind without a model, a
                task is unknown, or the search would be too large.
        """
        for model in self.models:
            kind, _, argument = model.partition(":")
            if kind not in MODEL_KINDS:
                problem = f"models: '{model}'; a recipe names files, runs no code and asks no server"
                raise AugmentError(f"{problem}; possible: {', '.join(MODEL_KINDS)}")
            if not argument and kind not in TRAINED:
                raise AugmentError(f"models: '{model}'; needs the folder or the name of a model, {kind}:DIR")
        _check_known("options", "kind among the models", self.options, [one.partition(":")[0] for one in self.models])
        _check_known("tasks", "task of this recipe", self.tasks or (), tasks)
        with saying_instead(lambda error: str(error).replace("`", ""), AugmentError):
            check_search(self.attacks, self.budget, self.draws)


class ReleaseRecipe(_Table, frozen=True, kw_only=True):
    """The content of a recipe; `parse_release_recipe` has checked it.

    Attributes:
        name: the name of the release, with which the names of its tasks for lm-evaluation-harness start.
        title: the title of the release; its name by default.
        description: a text for the card.
        licence: the licence of the rows.
        language: the language of the card; the tasks state the languages of their rows.
        authors: the authors.
        homepage: the address of a page about the release.
        tags: words by which the release can be found.
        seed: the seed of all draws.
        preset: the preset whose defaults are used.
        protocol: the protocol of the tasks' benchmark, such as `mera-2024`; None for those that the task files state.
        gate: the similarity and the threshold that perturbed rows must pass.
        shots: how many demonstrations are drawn.
        attacks: the attacks; each makes a variation of every task that uses it.
        tasks: the tasks.
        adversary: the searches against models; None for none.
        statements: what only the owner of the release knows; None if nothing is stated.
        canary: a mark by which a model that was trained on the release can be found; None for none.
    """

    name: SomeText
    title: str = ""
    description: str = ""
    licence: SomeText
    language: Literal["en", "ru"] = "en"
    authors: tuple[str, ...] = ()
    homepage: str = ""
    tags: tuple[str, ...] = ()
    seed: int = 42
    preset: str = "offline"
    protocol: str | None = None
    gate: GateRecipe = GateRecipe()
    shots: ShotsRecipe = ShotsRecipe()
    attacks: Annotated[tuple[AttackRecipe, ...], msgspec.Meta(min_length=1)] = msgspec.field(name="attack")
    tasks: Annotated[tuple[TaskRecipe, ...], msgspec.Meta(min_length=1)] = msgspec.field(name="task")
    adversary: AdversaryRecipe | None = None
    statements: StatementsRecipe | None = None
    canary: CanaryRecipe | None = None

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "title", self.title or self.name)

    @property
    def searches(self) -> dict[str, str]:
        """Maps the name of each search to the specification of the model that it attacks (`AdversaryRecipe.searches`).

        It is empty if the recipe has no adversarial part.
        """
        return self.adversary.searches if self.adversary else {}

    def searches_of(self, task: TaskRecipe) -> dict[str, str]:
        """Map the name of each search that is made for a task to the specification of the model that it attacks.

        The result is empty if no search is made for the task.
        """
        is_searched = self.adversary is not None and (self.adversary.tasks is None or task.name in self.adversary.tasks)
        return self.searches if is_searched else {}

    def hard_of(self, task: TaskRecipe) -> int:
        """Return how many rows the split `hard` of a task has; 0 if it has no such split."""
        return (self.adversary.hard or 0) if self.adversary and self.searches_of(task) else 0

    def variations_of(self, task: TaskRecipe) -> tuple[str, ...]:
        """Return the names of the attacks and searches that perturb rows of a task, in the order of its test file."""
        return (*(attack.name for attack in self.attacks_of(task)), *self.searches_of(task))

    def attacks_of(self, task: TaskRecipe) -> tuple[AttackRecipe, ...]:
        """Return the attacks that a task uses, in the order of the recipe."""
        return tuple(attack for attack in self.attacks if task.attacks is None or attack.name in task.attacks)

    @property
    def own_files(self) -> tuple[str, ...]:
        """The paths of the user's own files, each once.

        They are dictionaries, word lists, corpora, rule files, task files, prompt files, and files of models.
        """
        options = [path for attack in self.attacks for path in _files_in(attack.options)]
        named = [name for task in self.tasks for name in (*(task.constraints or ()), task.task, task.prompt)]
        paths = (value.removeprefix(_CORPUS) for value in (*options, *filter(_names_file, named)) if value)
        return tuple(dict.fromkeys((*paths, *(self.adversary.own_files if self.adversary else ()))))

    def located(self, place: Callable[[str], Path], models: Path) -> "ReleaseRecipe":
        """Return a copy of the recipe with absolute paths of the user's own files and models.

        Args:
            place: returns the location of one of the user's own files, given its path in the recipe.
            models: the folder that contains the folders of models; names on the Hub stay as they are.
        """
        moved = {f"{kind}{name}": f"{kind}{place(name)}" for name in self.own_files for kind in ("", _CORPUS)}
        for model in self.searches.values():
            kind, _, argument = model.partition(":")
            if argument in moved or (argument and (models / argument).is_dir()):
                moved[model] = f"{kind}:{moved.get(argument, models / argument)}"

        def at(value: Any) -> Any:  # noqa: ANN401  (JSON values)
            if isinstance(value, dict):
                return {key: at(one) for key, one in value.items()}
            if isinstance(value, list):
                return [at(one) for one in value]
            return moved.get(value, value) if isinstance(value, str) else value

        return msgspec.convert(at(self.content()), ReleaseRecipe)

    def content(self) -> dict[str, Any]:
        """Return the recipe as JSON values, from which `parse_release_recipe` makes an equal recipe."""
        content = json.loads(json.dumps(msgspec.to_builtins(self)))  # JSON has lists where we have tuples
        return {key: _given(value) for key, value in content.items() if value is not None}

    def check(self) -> None:
        """Check the names, options and numbers of the recipe.

        Raises:
            AugmentError: a name is not valid, unknown or used twice, or a number is too large.
        """
        _check_name("", self.name)
        _check_shots("[shots]: k", () if self.shots.k == "task" else self.shots.k, self.shots.episodes)
        known = [attack.name for attack in self.attacks]
        for number, attack in enumerate(self.attacks, 1):
            where = f"[[attack]] {number}: "
            _check_name(where, attack.name)
            parts = [part.strip() for part in attack.spec.split("+")]
            _check_known(f"{where}options", "attack in the spec", attack.options, parts)
        for number, task in enumerate(self.tasks, 1):
            where = f"[[task]] {number}: "
            _check_name(where, task.name)
            if task.name.lower() in _RESERVED:
                raise AugmentError(f"{where}rename '{task.name}': the release has a file of that name")
            _check_known(f"{where}attacks", "attack of this recipe", task.attacks or (), known)
            if task.prompt is not None and not task.prompt.endswith(".toml"):
                raise AugmentError(f"{where}prompt: '{task.prompt}'; needs a prompt file of your own, FILE.toml")
            _check_shots(f"{where}shots", task.shots or (), self.shots.episodes)
        if self.adversary:
            with saying_where("[adversary]"):
                self.adversary.check([task.name for task in self.tasks])
        self._check_twins()

    def _check_twins(self) -> None:
        """Check that names are different.

        Raises:
            AugmentError: two attacks, two tasks, or two of the user's own files have the same name, or the names of
                two tasks for lm-evaluation-harness would be the same.
        """
        for kind, names in (
            ("[[attack]]", [attack.name for attack in self.attacks]),
            ("[[task]]", [task.name.lower() for task in self.tasks]),
            ("your own files", [Path(file).name for file in self.own_files]),
        ):
            if twin := next((name for name in names if names.count(name) > 1), None):
                raise AugmentError(f"two of {kind} are called '{twin}'; give one another name")
        given = [*(attack.name for attack in self.attacks), *self.searches]
        owners = {identifier(name).lower(): name for name in given}
        if len(owners) < len(given) or ORIGINAL in owners:
            problem = f"attacks called {', '.join(given)}; needs names that differ in letters, none '{ORIGINAL}'"
            raise AugmentError(problem)
        for task in self.tasks:
            variations = [ORIGINAL, *map(identifier, self.variations_of(task))]
            for ending in ("", *(f"_{variation}" for variation in variations)):
                name = f"{identifier(task.name)}{ending}".lower()
                if name in owners:
                    raise AugmentError(f"'{name}' would name both {owners[name]} and {task.name}; rename one")
                owners[name] = task.name


def read_release_recipe(path: Path) -> ReleaseRecipe:
    """Read the recipe in a TOML file.

    Raises:
        AugmentError: the file cannot be read, or a key or value in it is wrong.
    """
    return parse_release_recipe(read_toml(path), str(path))


def parse_release_recipe(content: Mapping[str, Any], where: str) -> ReleaseRecipe:
    """Convert the content of a TOML file to a recipe, and check it.

    Args:
        content: the tables of the TOML file.
        where: the name of the file, for messages.

    Raises:
        AugmentError: a key is missing or unknown, a value is wrong, or a name is used twice.
    """
    recipe = typed(where, content, ReleaseRecipe)
    with saying_where(where):
        recipe.check()
    return recipe


def identifier(name: str) -> str:
    """Convert a name to one that lm-evaluation-harness accepts.

    Each run of characters other than letters, digits or _ becomes `_`.
    """
    return re.sub(r"\W+", "_", name)


def check_drawn(where: str, shots: Sequence[int], episodes: int) -> None:
    """Check that a task does not have more demonstrations than a release may draw.

    Args:
        where: where the numbers are set, for messages.
        shots: how many demonstrations the episodes have.
        episodes: how many episodes there are for each number in `shots`.

    Raises:
        AugmentError: there are more than a million demonstrations.
    """
    drawn = sum(shots) * episodes
    if drawn > _MOST_DRAWN:
        raise AugmentError(f"{where} times episodes are {drawn:,} demonstrations; at most {_MOST_DRAWN:,}")


def _check_shots(where: str, numbers: tuple[int, ...], episodes: int) -> None:
    if [*numbers] != sorted(set(numbers)):
        raise AugmentError(f"{where} = {[*numbers]}; needs different numbers in ascending order")
    check_drawn(where, numbers, episodes)


def _check_name(where: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise AugmentError(f"{where}'{name}' is no valid name; use Latin letters, digits, and _ . + - after the first")


def _check_known(where: str, kind: str, names: Iterable[str], known: Collection[str]) -> None:
    with saying_where(where):
        for name in names:
            check_known(kind, name, known)


def _names_file(value: object) -> bool:
    """Tell whether a value is a file of the user: a dictionary, word list, corpus, or rule, task or prompt file."""
    return isinstance(value, str) and (
        value.endswith((".tsv", ".toml", ".txt", ".jsonl"))
        or (value.startswith(_CORPUS) and value != f"{_CORPUS}input")
    )


def _files_in(options: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return [value for table in options.values() for value in table.values() if _names_file(value)]


def _given(value: Any) -> Any:  # noqa: ANN401  (values of JSON)
    """Return a table without the keys whose value is None or ""; do so for each table in a list. Keep other values."""
    if isinstance(value, list):
        return [_given(one) for one in value]
    return {key: one for key, one in value.items() if one not in (None, "")} if isinstance(value, Mapping) else value
