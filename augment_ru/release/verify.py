"""Check a release: its files, its rows and their edits. If asked for, rebuild rows and compare them.

The manifest holds a digest of every file, and each entry of an edit log holds a digest of itself and of its row. So a
changed byte is reported with its file and, if it is in a row, with the row. The edits are also replayed on the original
rows. So even someone who adapts all digests can only make changes that an attack may make.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from augment_ru.edits import shared_start
from augment_ru.errors import AugmentError, shortened
from augment_ru.evaluation.verdicts import read_judged
from augment_ru.release import manifest
from augment_ru.release.assemble import CARD, RECIPE, derived_files, task_entry
from augment_ru.release.card import shown_demonstrations, shown_pairs
from augment_ru.release.hard import splits_in
from augment_ru.release.judged import judged_figures
from augment_ru.release.lm_eval import stated_prompts
from augment_ru.release.manifest_shape import check_recipe
from augment_ru.release.original_rows import TaskInput, constraints_of
from augment_ru.release.release_recipe import StatementsRecipe, TaskRecipe, parse_release_recipe, read_release_recipe
from augment_ru.release.searched_models import Searched, Searches, model_entries, searched
from augment_ru.release.variation_figures import add_figures, entries_of, figure_entries, no_figures
from augment_ru.release.variations import Timing, Tools, make_tools, settings_of, variations
from augment_ru.release.verify_rows import ReleaseFiles, TaskCheck, check_task

_MOST = 20
"""The maximum number of problems in one file that are reported one by one."""


def verify_release(folder: str | Path, *, rebuild: int = 0, expect: str | None = None) -> Iterator[str]:
    """Yield a line for each problem of a release, such as "rwsd/test.jsonl: row 3: was changed: …".

    Args:
        folder: the release.
        rebuild: how many original rows of each task are perturbed again, to check that the result equals the release.
        expect: the digest of the manifest with which the release was published; None if it is not known.

    Raises:
        AugmentError: the folder is not a release.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise AugmentError(f"{folder}: no such folder")
    if not (folder / manifest.MANIFEST).exists():
        raise AugmentError(f"{folder}: has no {manifest.MANIFEST}, so it is not a complete release")
    yield from map(shortened, _problems(folder, rebuild, expect))


def unchecked(folder: str | Path) -> str:
    """Say what `verify_release` cannot check, and which of the owner's statements (`[statements]`) the recipe lacks.

    If another version of the code than the installed one built the release, the card, the task files for
    lm-evaluation-harness and the figures of the manifest are not checked.

    Returns:
        One or two sentences; "" if everything is checked and stated.

    Raises:
        AugmentError: the manifest cannot be read.
    """
    content = manifest.read_manifest(Path(folder) / manifest.MANIFEST)
    other = manifest.other_code(content)
    left = f"the card, lm_eval/ and the figures of {manifest.MANIFEST}, which {other}; install that code to check them"
    recipe = parse_release_recipe(content["recipe"], manifest.MANIFEST)
    unstated = ", ".join((recipe.statements or StatementsRecipe()).missing)
    found = [f"not checked: {left}"] if other else []
    found += [f"not stated by [statements] of the recipe: {unstated}"] if unstated else []
    return shortened("; ".join(found))


def _problems(folder: Path, rebuild: int, expect: str | None) -> Iterator[str]:
    try:
        release = ReleaseFiles(folder, manifest.read_manifest(folder / manifest.MANIFEST))
        check_recipe(manifest.MANIFEST, release.content, release.recipe)
    except AugmentError as error:
        yield f"{error}; nothing else was checked"
        return
    content = release.content
    if expect is not None and (digest := manifest.own_digest(folder / manifest.MANIFEST)) != expect.lower():
        yield f"{manifest.MANIFEST}: its digest is {digest}, not the expected {expect}"
    yield from _unlisted(release)
    expected = _expected_files(release)
    if unlisted := sorted(expected - content["files"].keys()):
        yield from (f"{manifest.MANIFEST}: does not list {name}; nothing else was checked" for name in unlisted)
        return
    missing = {name for name in content["files"] if not (folder / name).is_file()}
    yield from (f"{name}: is missing" for name in sorted(missing))
    changed = {name for name in content["files"].keys() - missing if not release.is_unchanged(name)}
    yield from _sizes(release, missing | changed)
    broken = missing | {name for name in changed if name.startswith(f"{manifest.OWN}/")}
    checks = [_check(release, number, broken) for number in range(len(content["tasks"]))]
    in_rows = [line for check in checks for line in _abridged(check.problems)]
    yield from in_rows
    yield from _changed_files(release, checks, changed)
    yield from _recipe_problems(release, changed | missing)
    if not manifest.other_code(content) and not any(name.startswith(f"{manifest.OWN}/") for name in broken):
        yield from _derived_problems(release, expected, changed | missing)
        if not (in_rows or changed or missing):
            try:
                yield from _manifest_problems(release, checks)
            except AugmentError as error:  # for example, an unknown preset
                yield f"{manifest.MANIFEST}: {error}"
    if rebuild and changed | missing:
        yield "nothing was rebuilt: repair the files first"
    elif rebuild:
        yield from _abridged(_rebuild_problems(release, checks, rebuild))


def _check(release: ReleaseFiles, number: int, broken: set[str]) -> TaskCheck:
    """Check the rows of a task. Return an empty check if a file of it is in `broken`, which is reported elsewhere."""
    task = release.recipe.tasks[number]
    own = {f"{manifest.OWN}/{Path(name).name}" for name in (task.task, task.prompt) if name}
    if any(name.startswith(f"{task.name}/") or name in own for name in broken):
        return TaskCheck([], None, {})
    return check_task(release, number)


def _unlisted(release: ReleaseFiles) -> Iterator[str]:
    """Yield a problem for each file that the manifest does not list.

    Names that start with a dot belong to other tools (git, the Hub) and are allowed.
    """
    known = {manifest.MANIFEST, *release.content["files"]}
    for path in sorted(release.folder.rglob("*")):
        parts = path.relative_to(release.folder).parts
        name = "/".join(parts)
        if path.is_file() and name not in known and not parts[0].startswith("."):
            remedy = "; Python may run it in place of a file that was checked: delete it" * (path.suffix == ".pyc")
            yield f"{name}: does not belong to the release{remedy}"


def _sizes(release: ReleaseFiles, skipped: set[str]) -> Iterator[str]:
    """Yield a problem for each unchanged file whose number of bytes or lines is wrong in the manifest."""
    names = sorted(release.content["files"].keys() - skipped)
    for name, found in manifest.file_entries(release.folder, names).items():
        for key, value in found.items():
            if (stated := release.content["files"][name][key]) != value:
                yield f"{manifest.MANIFEST}: '{key}' of {name} is {stated!r}; the file has {value}"


def _changed_files(release: ReleaseFiles, checks: Sequence[TaskCheck], changed: set[str]) -> Iterator[str]:
    """Yield a problem for each changed file that the checks of tasks have not reported.

    For a file that is made from the manifest, it names the first changed line.
    """
    reported = {line.partition(":")[0] for check in checks for line in check.problems}
    tasks = {task["name"] for task in release.content["tasks"]}
    others = sorted(changed - reported)
    derived = _derived(release) if {name.partition("/")[0] for name in others} - tasks else {}
    for name in others:
        path = release.folder / name
        digest = release.content["files"][name]["sha256"]
        if name in derived and sha256(derived[name].encode()).hexdigest() == digest:
            yield f"{name}: line {_first_difference(derived[name].encode(), path.read_bytes())}: was changed"
        else:
            yield f"{name}: was changed"


def _recipe_problems(release: ReleaseFiles, skipped: set[str]) -> Iterator[str]:
    """Yield a problem if `recipe.toml` is unchanged but is not the recipe in the manifest."""
    if RECIPE in skipped:
        return
    try:
        if read_release_recipe(release.folder / RECIPE).content() != release.content["recipe"]:
            yield f"{RECIPE}: is not the recipe in {manifest.MANIFEST}"
    except AugmentError as error:
        yield f"{RECIPE}: {error}"


def _derived_problems(release: ReleaseFiles, expected: set[str], skipped: set[str]) -> Iterator[str]:
    """Yield a problem for each file made from the manifest that is superfluous, is not listed or has other content."""
    listed = release.content["files"].keys()
    derived = _derived(release)
    for name in sorted(listed - expected - derived.keys()):
        yield f"{name}: does not belong to the release"
    for name in sorted(derived.keys() - listed - expected):
        yield f"{manifest.MANIFEST}: does not list {name}"
    for name in sorted(derived.keys() & listed - skipped):
        data = (release.folder / name).read_bytes()
        if data != derived[name].encode():
            line = _first_difference(derived[name].encode(), data)
            yield f"{name}: line {line}: is not what follows from {manifest.MANIFEST}"


def _derived(release: ReleaseFiles) -> dict[str, str]:
    """Return the text of each file that is made from the manifest, by path."""
    content = {key: value for key, value in release.content.items() if key != "files"}
    return derived_files(content, release.content["files"], release.folder)


def _first_difference(ours: bytes, theirs: bytes) -> int:
    """Return the number of the first line that differs, from 1."""
    return shared_start(ours.split(b"\n"), theirs.split(b"\n")) + 1


def _abridged(problems: Iterable[str]) -> list[str]:
    """Return the first `_MOST` problems of each file, and for each file with more a line that counts the rest."""
    kept: list[str] = []
    counts: dict[str, int] = {}
    for line in problems:
        name = line.partition(":")[0]
        counts[name] = counts.get(name, 0) + 1
        if counts[name] <= _MOST:
            kept.append(line)
    return [*kept, *(f"{name}: and {count - _MOST} more" for name, count in counts.items() if count > _MOST)]


def _expected_files(release: ReleaseFiles) -> set[str]:
    """Return the files that the release must have, except those that are made from the manifest."""
    rows = {f"{task['name']}/{file}.jsonl" for task in release.content["tasks"] for file in (*splits_in(task), "edits")}
    judged = {manifest.VERDICTS} if release.content.get("judged") else set()
    return {CARD, RECIPE, *rows, *judged, *(f"{manifest.OWN}/{Path(name).name}" for name in release.recipe.own_files)}


def _manifest_problems(release: ReleaseFiles, checks: Sequence[TaskCheck]) -> Iterator[str]:
    """Yield the problems of the manifest of a release whose rows have no problems."""
    content, recipe = release.content, release.recipe
    shown = shown_demonstrations(release.folder, content["tasks"], content["inputs"])
    head = {
        "name": (recipe.name, "the name of the recipe"),
        "settings": (_settings(release), "what the recipe sets"),
        "prompts": (stated_prompts(content, release.folder / manifest.OWN), "how its tasks are asked"),
        "examples": (shown_pairs(release.folder, content["tasks"]), "pairs of rows of the release"),
        "demonstrations": (shown, "demonstrations of the release"),
    }
    if content.get("judged"):
        rows = read_judged(str(release.folder / manifest.VERDICTS))
        head["judged"] = (judged_figures(release.folder, content, rows), "what its verdicts come to")
    for key, (expected, what) in head.items():
        if content.get(key) != expected:
            yield f"{manifest.MANIFEST}: '{key}' is not {what}"
    known_tasks = {task.name for task in recipe.tasks}
    yield from (
        f"{manifest.MANIFEST}: 'inputs' has one of '{one['task']}', which is no task of the recipe"
        for one in content["inputs"]
        if one["task"] not in known_tasks
    )
    totals = no_figures(recipe)
    stated_models = {one["name"]: one["model"] for one in content.get("models", ())}
    if stated_models != recipe.searches:
        yield f"{manifest.MANIFEST}: its models are not those of the recipe"
    for check, known in zip(checks, content["tasks"], strict=True):
        if check.rows is not None:
            yield from _entry_problems(release, check.rows, known)
        add_figures(totals, check.figures)
    for entry, stated in zip(entries_of(figure_entries(totals, recipe)), entries_of(content), strict=True):
        if entry != stated:
            yield f"{manifest.MANIFEST}: the figures of '{entry['name']}' over all tasks are not those of the rows"


def _settings(release: ReleaseFiles) -> Mapping[str, Any]:
    """Return the settings of the attacks as the recipe gives them.

    If something that they need is not installed here, return the settings that the manifest states.
    """
    try:
        return settings_of(make_tools(release.located))
    except AugmentError:
        stated: Mapping[str, Any] = release.content["settings"]
        return stated


def _entry_problems(release: ReleaseFiles, rows: TaskInput, known: Mapping[str, Any]) -> Iterator[str]:
    """Yield the problems of a task's entry in the manifest; its figures are not checked here."""
    name = rows.recipe.name
    inputs = [(one["split"], one["file"], one["rows"]) for one in release.content["inputs"] if one["task"] == name]
    expected = [(split, getattr(rows.recipe, split), known[split]) for split in ("train", "test") if known[split]]
    if inputs != expected:
        wanted = "those of the recipe with the numbers of rows of the release"
        yield f"{manifest.MANIFEST}: the inputs of '{name}' are not {wanted}"
    for key, value in task_entry(release.recipe, rows).items():
        if key not in ("attacks", "searches") and value != known.get(key):
            yield f"{manifest.MANIFEST}: '{key}' of '{name}' does not follow from its rows and the recipe"


def _rebuild_problems(release: ReleaseFiles, checks: Sequence[TaskCheck], count: int) -> Iterator[str]:
    """Yield a problem for each row that comes out differently when it is made again.

    Each problem says how this installation differs from the one that built the release.

    Args:
        release: the release.
        checks: the checks of its tasks.
        count: how many original rows of each task are made again. They are drawn with the seed of the release; all are
            taken if the task has fewer.
    """
    try:
        tools = make_tools(release.located)
        differences = list(_differences(release, checks, tools))
        given = [_searched(release, task, check) for task, check in zip(release.located.tasks, checks, strict=True)]
        if tools.searches:
            differences += _model_differences(release, checks, tools.searches, given)
    except AugmentError as error:
        yield f"{manifest.MANIFEST}: nothing can be rebuilt here: {error}"
        return
    here = f" (this installation differs: {', '.join(differences)})" if differences else ""
    for task, check, one in zip(release.located.tasks, checks, given, strict=True):
        if check.rows is None:
            yield f"{task.name}/test.jsonl: nothing was rebuilt: repair the rows first"
            continue
        rows, entries = (release.lines(f"{task.name}/{file}.jsonl") for file in ("test", "edits"))
        records = check.rows.test.records
        size = len(records)
        places = Random(f"{release.recipe.seed} {task.name}").sample(range(size), min(count, size))
        drawn = {at: records[at] for at in sorted(places)}
        for variation, (name, new_rows, new_entries) in enumerate(variations(tools, task, drawn, Timing(), one)):
            for at, row, entry in zip(drawn, new_rows, new_entries, strict=True):
                line = variation * size + at
                if (row.encode(), entry.encode()) != (rows[line], entries[line]):
                    file = "test" if row.encode() != rows[line] else "edits"
                    yield (
                        f"{task.name}/{file}.jsonl: row {line + 1}: '{name}' makes something else of row {at + 1}{here}"
                    )


def _searched(release: ReleaseFiles, task: TaskRecipe, check: TaskCheck) -> Searched | None:
    """Return the data that a task's models are made from; None if the task is not searched or has unreadable rows."""
    if check.rows is None or not release.recipe.searches_of(task):
        return None
    return searched(check.rows, release.folder / task.name / "train.jsonl" if check.rows.train else None)


def _model_differences(
    release: ReleaseFiles, checks: Sequence[TaskCheck], searches: Searches, given: Sequence[Searched | None]
) -> Iterator[str]:
    """Yield the models that differ from those of the release.

    Raises:
        AugmentError: a model cannot be made here.
    """
    rows = [check.rows for check in checks if check.rows is not None]
    here = [one for check, one in zip(checks, given, strict=True) if check.rows is not None]
    for now, before in zip(model_entries(release.recipe, searches, rows, here), release.content["models"], strict=True):
        if now["files"] != before["files"] or now["signatures"].items() - before["signatures"].items():
            yield f"the model {before['model']}"


def _differences(release: ReleaseFiles, checks: Sequence[TaskCheck], tools: Tools) -> Iterator[str]:
    """Yield how the installation that built the release differs from this one: versions, scorer, data files.

    Raises:
        AugmentError: a dictionary or rule file of the release does not exist here.
    """
    content, recipe = release.content, release.recipe
    before, now = content["environment"], manifest.environment(tools.models)
    if before["augment_ru"] != now["augment_ru"]:
        yield f"augment-ru {before['augment_ru']}, {now['augment_ru']}"
    elif before["code"] != now["code"]:
        yield "the code of augment-ru"
    for key in ("python", "unicode"):
        if before[key] != now[key]:
            yield f"{key} {before[key]}, {now[key]}"
    for name, version in before["packages"].items():
        if now["packages"].get(name) != version:
            yield f"{name} {version}, {now['packages'].get(name, 'none')}"
    if content["scorer"] != tools.scorer:
        yield f"scorer {content['scorer']}, {tools.scorer}"
    known = [check.rows for check in checks if check.rows is not None]
    rules = {name for rows in known for name in constraints_of(recipe, rows.recipe, rows.schema)}
    data: Mapping[str, Any] = manifest.data_files(recipe, rules, release.own)
    for name, digest in content["data"].items():
        if data.get(name) != digest:
            yield name
