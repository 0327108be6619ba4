"""Check a release: its files, its rows and their edits. If asked for, rebuild rows and compare them.

The manifest holds a digest of every file, and each entry of an edit log holds a digest of itself and of its row. So a
changed byte is reported with its file and, if it is in a row, with the row. The edits are also replayed on the original
rows. So even someone who recomputes all digests can only make changes that an attack may make.

The rows are checked task by task (`check_task`): digests, replay of the edits, protected spans, labels, episodes.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from msgspec.structs import replace

from augment_ru.edits import shared_start
from augment_ru.engine.composition import attack_of
from augment_ru.errors import AugmentError, shortened
from augment_ru.evaluation.verdicts import read_judged
from augment_ru.formats.json_lines import parsed
from augment_ru.records.record import Record
from augment_ru.records.task import Task
from augment_ru.release import assemble, edit_log, manifest, original_rows, release_recipe, variations
from augment_ru.release.hard import HARD, hard_split, splits_in
from augment_ru.release.judged import judged_figures
from augment_ru.release.manifest import check_recipe
from augment_ru.release.original_rows import draw_episodes


@dataclass(frozen=True)
class ReleaseFiles:
    """A release on disk.

    Attributes:
        folder: its folder.
        content: its manifest.
    """

    folder: Path
    content: Mapping[str, Any]

    @cached_property
    def recipe(self) -> release_recipe.ReleaseRecipe:
        """The recipe of the release, which its manifest holds."""
        return release_recipe.parse_release_recipe(self.content["recipe"], manifest.MANIFEST)

    @cached_property
    def located(self) -> release_recipe.ReleaseRecipe:
        """The recipe of the release; its paths are absolute.

        The path of one of the user's own files leads to its copy in the release. The path of a model starts from the
        working folder.
        """
        return self.recipe.located(self.own, Path.cwd())

    @cached_property
    def exchanging(self) -> Mapping[str, frozenset[str]]:
        """Maps each attack of the release to the labels of the protected spans that it may replace, such as "PER".

        Attacks that are not installed here are left out.
        """
        found = {}
        for one in self.located.attacks:
            with suppress(AugmentError):
                found[one.name] = attack_of(one.spec, options=one.options).exchanges
        return found

    def own(self, name: str) -> Path:
        """Return where the release holds one of the user's own files (dictionaries, rule files and others).

        Args:
            name: the path of the file in the recipe.
        """
        return self.folder / manifest.OWN / Path(name).name

    def schema(self, number: int, task: release_recipe.TaskRecipe) -> Task:
        """Return the schema of a task of the release, which the recipe or else the manifest names.

        Args:
            number: the index of the task in the recipe, from 0.
            task: the part of the recipe on the task.

        Raises:
            AugmentError: this installation has no such schema.
        """
        named = replace(task, task=task.task or self.content["tasks"][number]["task"])
        return original_rows.schema_of(named, {}, self.own).under(self.content["recipe"].get("protocol"))

    def lines(self, name: str) -> list[bytes]:
        """Return the lines of a file of the release, without line breaks.

        Args:
            name: the path of the file in the release.
        """
        return (self.folder / name).read_bytes().removesuffix(b"\n").split(b"\n")

    def is_unchanged(self, name: str) -> bool:
        """Tell whether a file of the release has the digest that the manifest states for it.

        Args:
            name: the path of the file in the release.
        """
        return manifest.file_digest(self.folder / name) == str(self.content["files"][name]["sha256"])


class TaskCheck(NamedTuple):
    """The result of checking a task of a release.

    Attributes:
        problems: a line for each problem.
        rows: the original rows and the train rows as they were read; None if they were not checked, or if a row is
            missing or unreadable.
        figures: maps the name of each attack and search to the counts of the rows that it made.
    """

    problems: list[str]
    rows: original_rows.TaskInput | None
    figures: Mapping[str, assemble.VariationFigures]


class _Row(NamedTuple):
    """A test row, with the number of its line, from 1, and its entry of the edit log.

    `record` or `entry` is None if it cannot be read or was changed.
    """

    number: int
    record: Record | None
    entry: edit_log.Entry | None


def check_task(release: ReleaseFiles, number: int, broken: set[str]) -> TaskCheck:
    """Check the rows of a task of a release.

    Args:
        release: the release.
        number: the index of the task in the recipe, from 0.
        broken: the files that are missing or were changed; a task with one of them is not checked.
    """
    task, known = release.recipe.tasks[number], release.content["tasks"][number]
    own = {f"{manifest.OWN}/{Path(name).name}" for name in (task.task, task.prompt) if name}
    if any(name.startswith(f"{task.name}/") or name in own for name in broken):
        return TaskCheck([], None, {})
    test, edits = f"{task.name}/test.jsonl", f"{task.name}/edits.jsonl"
    try:
        schema = release.schema(number, task)
    except AugmentError as error:
        return TaskCheck([f"{test}: its rows cannot be checked: {error}"], None, {})
    train, problems = _check_train(release, task, schema, known)
    rows, unreadable = _read_rows(release, test, edits, schema)
    problems += unreadable
    names = [task.name, *release.recipe.variations_of(task)]
    size = known["test"]
    miscounted = [
        f"{name}: {count} rows; {manifest.MANIFEST} says {size} in each of {len(names)} variations"
        for name, count in ((test, len(rows)), (edits, len(release.lines(edits))))
        if count != size * len(names)
    ]
    if miscounted:
        return TaskCheck([*problems, *miscounted], None, {})
    figures, searches = assemble.no_figures(release.recipe, task), release.recipe.searches
    for variation, name in enumerate(names):
        for at in range(size):
            row = rows[variation * size + at]
            problems += _row_problems((release, task), name, at, rows[at], row)
            is_of_search = row.entry is not None and "search" in row.entry
            if variation and row.entry is not None and not unreadable and is_of_search == (name in searches):
                original = rows[at].record
                figures[name].count_entry(row.entry, original.texts() if original else {})
    if unreadable:
        return TaskCheck(problems, None, {})
    originals = original_rows.InputFile(test, "", tuple(row.record for row in rows[:size] if row.record is not None))
    problems += [] if problems else _hard_problems(release, task, originals.records, known)
    return TaskCheck(problems, original_rows.TaskInput(task, schema, originals, train), figures)


def _hard_problems(
    release: ReleaseFiles, task: release_recipe.TaskRecipe, originals: Sequence[Record], known: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the problems of the split `hard` of a task whose other rows have none."""
    if count := release.recipe.hard_of(task):
        folder, searches = release.folder / task.name, list(release.recipe.searches)
        rows, entry = hard_split(folder, originals, searches, count, labelled=bool(known["labels"]))
        if rows != (folder / f"{HARD}.jsonl").read_bytes():
            yield f"{task.name}/{HARD}.jsonl: is not what follows from the test rows and their edit log"
        if entry != known.get(HARD):
            yield f"{manifest.MANIFEST}: '{HARD}' of '{task.name}' does not follow from its rows"


def _read_rows(release: ReleaseFiles, test: str, edits: str, schema: Task) -> tuple[list[_Row], list[str]]:
    """Return the test rows with their entries, and a problem for each line that was changed or cannot be read.

    If a row and its entry do not fit together, one of them was changed. The problem blames the file of edits if only
    that file differs from its digest in the manifest; otherwise it blames the file of test rows.
    """
    problems: list[str] = []
    lines = release.lines(test)
    entries: list[edit_log.Entry | None] = []
    for number, line in enumerate(release.lines(edits), start=1):
        try:
            entries.append(edit_log.read_entry(line))
        except AugmentError as error:
            entries.append(None)
            problems.append(f"{edits}: row {number}: {_unreadable(line, error)}")
    digests = [edit_log.line_digest(line) for line in lines]
    stated = [None if entry is None else str(entry["line"]) for entry in entries]
    places = _aligned(stated, digests)
    changed = edits if release.is_unchanged(test) and not release.is_unchanged(edits) else test
    if changed == edits:
        for number, (own, place) in enumerate(zip(stated, _aligned(digests, stated), strict=True), start=1):
            if own is not None and (place is None or digests[place] != own):
                problems.append(f"{edits}: row {number}: was changed: it belongs to another row than that of {test}")
    rows = []
    for number, (line, own, place) in enumerate(zip(lines, digests, places, strict=True), start=1):
        entry = None if place is None else entries[place]
        record = None
        try:
            text, values = parsed(line)
            record = Record(values, schema, text)
            record.texts()
        except AugmentError as error:
            record = None
            problems.append(f"{test}: row {number}: {_unreadable(line, error)}")
        if place is None or (entry is not None and entry["line"] != own):
            if changed == test and record is not None:
                problems.append(f"{test}: row {number}: was changed: it does not match its digest in {edits}")
            record = entry = None
        rows.append(_Row(number, record, entry))
    return rows, problems


def _aligned(stated: Sequence[str | None], found: Sequence[str | None]) -> list[int | None]:
    """Return for each digest in `found` the index in `stated` to compare it with; None if there is none.

    If both have the same length, the indices are 0, 1, …. Otherwise a line was added, deleted, cut in two or joined to
    the next. Then the lines at the start and at the end whose digests are equal get an index, and those between them
    get None, so that only these are reported.
    """
    if len(stated) == len(found):
        return list(range(len(found)))
    least = min(len(stated), len(found))
    head = next((at for at in range(least) if stated[at] != found[at] or stated[at] is None), least)
    rest = range(least - head)
    tail = next((at for at in rest if stated[-1 - at] != found[-1 - at] or stated[-1 - at] is None), len(rest))
    middle = len(found) - head - tail
    return [*range(head), *[None] * middle, *range(len(stated) - tail, len(stated))]


def _row_problems(
    owner: tuple[ReleaseFiles, release_recipe.TaskRecipe], name: str, at: int, original: _Row, row: _Row
) -> Iterator[str]:
    """Yield the problems of a row whose digests match: reasons why no attack can have made it from its original.

    Args:
        owner: the release, and the task of the row.
        name: the name of the variation to which the row belongs.
        at: the number of the original row, from 0.
        original: the original row.
        row: the row to check; for the original variation, the same object as `original`.
    """
    release, task = owner
    test, edits = f"{task.name}/test.jsonl: row {row.number}", f"{task.name}/edits.jsonl: row {row.number}"
    if original.record is None or original.entry is None or row.record is None or row.entry is None:
        return
    entry = row.entry
    yield from mark_problems(release.recipe, test, row.record, name, [])
    wrong = _entry_problem(entry, at, name, original=row is original)
    if problem := wrong or _search_problem(release.recipe, entry, name):
        yield f"{edits}: {problem}"
        return
    try:
        if row is original:
            row.record.anchors()
            return
        if entry["status"] != "perturbed" and any(entry["edits"].values()):
            yield f"{edits}: status is {entry['status']!r}, but there are edits"
        protected, exchanges = original.entry["protected"], release.exchanging.get(name, frozenset())
        if problem := edit_log.protection_problem(original.record, entry, protected, exchanges=exchanges):
            yield f"{edits}: {problem}"
        expected = edit_log.replayed_line(original.record, name, entry)
        wrong = edit_log.row_problem(original.record, expected, row.record)
        if problem := wrong or edit_log.option_problem(original.record, row.record, entry):
            yield f"{test}: {problem}"
    except AugmentError as error:
        yield f"{test}: {error}"


def mark_problems(
    recipe: release_recipe.ReleaseRecipe, where: str, record: Record, name: str, episode: Sequence[int]
) -> Iterator[str]:
    """Check the fields that the release added to a row (perturbation, episode, canary); yield a line for each problem.

    If the recipe has a canary, every row must have it in a field of its own, and in no text that a model is shown.

    Args:
        recipe: the recipe of the release.
        where: the file and the row, for the lines.
        record: the row.
        name: the value that its field `perturbation` must have.
        episode: the numbers of the episodes that show the row.
    """
    marks = {**original_rows.marks_of(recipe, name), original_rows.EPISODE: episode}
    for field, expected in marks.items():
        if (found := record.values.get(field)) != expected:
            yield f"{where}: {field} is {found!r}; it must be {expected!r}"
    shown = record.texts().items() if recipe.canary else ()
    yield from (f"{where}: '{field}' holds the canary" for field, text in shown if marks[original_rows.CANARY] in text)


def _unreadable(line: bytes, error: AugmentError) -> str:
    """Return why a line cannot be read.

    If it is not UTF-8, the reason leaves out the advice on encodings, which is meant for the user's own files.
    """
    try:
        line.decode()
    except UnicodeDecodeError as fault:
        return f"was changed: not UTF-8 at byte {fault.start}"
    return str(error)


def _entry_problem(entry: edit_log.Entry, at: int, name: str, *, original: bool) -> str | None:
    """Return a message if an entry cannot belong to row `at` of the variation `name`; None if it can."""
    row, variation = entry["row"], entry[original_rows.PERTURBATION]
    if (row, variation) != (at, name):
        return f"is of row {row} under {variation!r}; it must be of row {at} under {name!r}"
    if (entry["status"] == "original") != original:
        return f"status is {entry['status']!r}, which does not fit perturbation {name!r}"
    return None


def _search_problem(recipe: release_recipe.ReleaseRecipe, entry: edit_log.Entry, name: str) -> str | None:
    """Return a message if an entry's search is missing, unexpected or does not fit the recipe; None if it fits."""
    search = entry.get("search")
    adversary = recipe.adversary if name in recipe.searches else None
    if (search is None) != (adversary is None):
        return f"{'has no' if search is None else 'has a'} search, which does not fit perturbation {name!r}"
    if search is not None and adversary is not None:
        if search["budget"] != adversary.budget:
            return f"the budget is {search['budget']}; the recipe's is {adversary.budget}"
        made_by = {attack for attacks in search["attacks"].values() for attack in attacks}
        if (search["status"] == "broken") != bool(made_by):
            return f"is {search['status']}, and names {len(made_by)} attacks"
        others = set(search.get("breaks", ()))
        if others - (recipe.searches.keys() - {name}) or (others and not made_by):
            return f"breaks {', '.join(sorted(others))}, which does not fit its search"
    return None


def _check_train(
    release: ReleaseFiles, task: release_recipe.TaskRecipe, schema: Task, known: Mapping[str, Any]
) -> tuple[original_rows.InputFile | None, list[str]]:
    """Return the train rows whose digests match, and the problems of all train rows.

    The rows are None if the task has no train rows.
    """
    name = f"{task.name}/train.jsonl"
    if not known["train"]:
        return None, []
    problems = []
    lines = release.lines(name)
    if len(lines) != known["train"]:
        problems.append(f"{name}: {len(lines)} rows; {manifest.MANIFEST} says {known['train']}")
    stated, digests = known["train_digests"], [edit_log.line_digest(line) for line in lines]
    episodes = draw_episodes(release.recipe, task, schema, known.get("train_groups", [None] * known["train"]))
    records = []
    for number, (line, place) in enumerate(zip(lines, _aligned(stated, digests), strict=True), start=1):
        if place is None or stated[place] != digests[number - 1]:
            problems.append(f"{name}: row {number}: was changed: it does not match its digest in {manifest.MANIFEST}")
            continue
        text, values = parsed(line)
        records.append(Record(values, schema, text))
        problems += mark_problems(release.recipe, f"{name}: row {number}", records[-1], task.name, episodes[place])
    return original_rows.InputFile(name, "", tuple(records)), problems


_MOST = 20
"""The maximum number of problems in one file that are reported one by one."""


def verify_release(folder: str | Path, *, rebuild: int = 0, expect: str | None = None) -> Iterator[str]:
    """Check a release; yield a line for each problem, such as "rwsd/test.jsonl: row 3: was changed: …".

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
    recipe = release_recipe.parse_release_recipe(content["recipe"], manifest.MANIFEST)
    unstated = ", ".join((recipe.statements or release_recipe.StatementsRecipe()).missing)
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
    checks = [check_task(release, number, broken) for number in range(len(content["tasks"]))]
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
    if assemble.RECIPE in skipped:
        return
    try:
        if release_recipe.read_release_recipe(release.folder / assemble.RECIPE).content() != release.content["recipe"]:
            yield f"{assemble.RECIPE}: is not the recipe in {manifest.MANIFEST}"
    except AugmentError as error:
        yield f"{assemble.RECIPE}: {error}"


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
    return assemble.derived_files(content, release.content["files"], release.folder)


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
    own = {f"{manifest.OWN}/{Path(name).name}" for name in release.recipe.own_files}
    return {assemble.CARD, assemble.RECIPE} | rows | judged | own


def _manifest_problems(release: ReleaseFiles, checks: Sequence[TaskCheck]) -> Iterator[str]:
    """Yield the problems of the manifest of a release whose rows have no problems."""
    content, recipe = release.content, release.recipe
    stated = {**content, "inputs": [(one["task"], one["split"], one["file"], one["rows"]) for one in content["inputs"]]}
    stated["models"] = {one["name"]: one["model"] for one in content.get("models", ())}
    expected: dict[str, Any] = {"name": recipe.name, "models": recipe.searches}
    with suppress(AugmentError):  # an attack cannot be made where its model is missing
        expected["settings"] = variations.settings_of(variations.make_tools(release.located))
    expected["inputs"] = [
        (task.name, split, getattr(task, split), known[split])
        for task, known in zip(recipe.tasks, content["tasks"], strict=True)
        for split in ("train", "test")
        if known[split]
    ]
    expected |= assemble.shown_entries(content, release.folder)
    if content.get("judged"):
        rows = read_judged(str(release.folder / manifest.VERDICTS))
        expected["judged"] = judged_figures(release.folder, content, rows)
    totals = assemble.no_figures(recipe)
    for check, known in zip(checks, content["tasks"], strict=True):
        entry = assemble.task_entry(recipe, check.rows) | assemble.figure_entries(check.figures) if check.rows else {}
        for key, value in entry.items():
            if value != known.get(key):
                yield f"{manifest.MANIFEST}: '{key}' of '{known['name']}' does not follow from its rows and the recipe"
        assemble.add_figures(totals, check.figures)
    for key, value in (expected | assemble.figure_entries(totals, recipe)).items():
        if stated.get(key) != value:
            yield f"{manifest.MANIFEST}: '{key}' is not what follows from the recipe and the files of the release"


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
        tools = variations.make_tools(release.located)
        known = [check.rows for check in checks if check.rows is not None]
        files = [release.folder / rows.recipe.name / "train.jsonl" if rows.train else None for rows in known]
        given = [variations.searched(release.recipe, *one) for one in zip(known, files, strict=True)]
        differences = list(_differences(release, tools, list(zip(known, given, strict=True))))
    except AugmentError as error:
        yield f"{manifest.MANIFEST}: nothing can be rebuilt here: {error}"
        return
    here = f" (this installation differs: {', '.join(differences)})" if differences else ""
    coming = iter(given)
    for task, check in zip(release.located.tasks, checks, strict=True):
        if check.rows is None:
            yield f"{task.name}/test.jsonl: nothing was rebuilt: repair the rows first"
            continue
        rows, entries = (release.lines(f"{task.name}/{file}.jsonl") for file in ("test", "edits"))
        records = check.rows.test.records
        size = len(records)
        places = Random(f"{release.recipe.seed} {task.name}").sample(range(size), min(count, size))
        drawn = {at: records[at] for at in sorted(places)}
        for variation, (name, new_rows, new_entries) in enumerate(
            variations.variations(tools, task, drawn, Counter(), next(coming))
        ):
            for at, row, entry in zip(drawn, new_rows, new_entries, strict=True):
                line = variation * size + at
                if (row.encode(), entry.encode()) != (rows[line], entries[line]):
                    file = "test" if row.encode() != rows[line] else "edits"
                    yield (
                        f"{task.name}/{file}.jsonl: row {line + 1}: '{name}' makes something else of row {at + 1}{here}"
                    )


def _differences(
    release: ReleaseFiles, tools: variations.Tools, tasks: Sequence[variations.SearchedTask]
) -> Iterator[str]:
    """Yield how the installation that built the release differs from this one: versions, scorer, data files, models.

    Raises:
        AugmentError: a dictionary or rule file of the release does not exist here, or a model cannot be made.
    """
    content, recipe = release.content, release.recipe
    before, now = content["environment"], manifest.environment(tools.models)
    if before["code"] != now["code"] and before["augment_ru"] == now["augment_ru"]:
        yield "the code of augment-ru"
    stated, here = (
        {"augment-ru": one["augment_ru"], "python": one["python"], "unicode": one["unicode"], **one["packages"]}
        for one in (before, now)
    )
    stated["scorer"], here["scorer"] = content["scorer"], tools.scorer
    yield from (f"{name} {one}, {here.get(name, 'none')}" for name, one in stated.items() if here.get(name) != one)
    rules = {name for rows, _ in tasks for name in original_rows.constraints_of(recipe, rows.recipe, rows.schema)}
    data: Mapping[str, Any] = manifest.data_files(recipe, rules, release.own)
    for name, digest in content["data"].items():
        if data.get(name) != digest:
            yield name
    models = variations.model_entries(recipe, tools.searches, tasks) if tools.searches else []
    for model, known in zip(models, content.get("models", ()), strict=True):
        if model["files"] != known["files"] or model["signatures"].items() - known["signatures"].items():
            yield f"the model {known['model']}"
