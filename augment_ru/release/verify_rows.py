"""Check the rows of a release, task by task: digests, replay of the edits, protected spans, labels, episodes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from augment_ru.engine.composition import attack_of
from augment_ru.errors import AugmentError
from augment_ru.formats.json_lines import parsed
from augment_ru.records.record import Record
from augment_ru.records.task import Task
from augment_ru.release import edit_log
from augment_ru.release.episodes import draw_episodes
from augment_ru.release.hard import HARD, hard_split
from augment_ru.release.manifest import MANIFEST, OWN, file_digest
from augment_ru.release.original_rows import CANARY, EPISODE, PERTURBATION, InputFile, TaskInput, schema_of
from augment_ru.release.release_recipe import ReleaseRecipe, TaskRecipe, parse_release_recipe
from augment_ru.release.variation_figures import VariationFigures, entries_of, figure_entries, no_figures


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
    def recipe(self) -> ReleaseRecipe:
        """The recipe of the release, which its manifest holds."""
        return parse_release_recipe(self.content["recipe"], MANIFEST)

    @cached_property
    def located(self) -> ReleaseRecipe:
        """The recipe of the release, with absolute paths in place of relative ones.

        The path of one of the user's own files leads to its copy in the release. The path of a model starts from the
        working folder.
        """
        return self.recipe.located(self.own, Path.cwd())

    @cached_property
    def exchanging(self) -> Mapping[str, frozenset[str]]:
        """For each attack of the release, the labels of the protected spans (such as names) that it may replace.

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
        return self.folder / OWN / Path(name).name

    def schema(self, number: int, task: TaskRecipe) -> Task:
        """Return the schema of a task of the release, which the recipe or else the manifest names.

        Args:
            number: the index of the task in the recipe, from 0.
            task: the part of the recipe on the task.

        Raises:
            AugmentError: this installation has no such schema.
        """
        named = replace(task, task=task.task or self.content["tasks"][number]["task"])
        return schema_of(named, {}, self.own).under(self.content["recipe"].get("protocol"))

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
        return file_digest(self.folder / name) == str(self.content["files"][name]["sha256"])


class TaskCheck(NamedTuple):
    """The result of checking a task of a release.

    Attributes:
        problems: a line for each problem.
        rows: the original rows and the train rows as they were read; None if a row is missing or unreadable.
        figures: maps the name of each perturbed variation to its counts.
    """

    problems: list[str]
    rows: TaskInput | None
    figures: Mapping[str, VariationFigures]


class _Row(NamedTuple):
    """A test row and its entry of the edit log. `record` or `entry` is None if it cannot be read or was changed."""

    number: int
    """The number of the line, from 1."""
    record: Record | None
    entry: edit_log.Entry | None


def check_task(release: ReleaseFiles, number: int) -> TaskCheck:
    """Check the rows of a task of a release. All files of the task must exist.

    Args:
        release: the release.
        number: the index of the task in the recipe, from 0.
    """
    task, known = release.recipe.tasks[number], release.content["tasks"][number]
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
        f"{name}: {count} rows; {MANIFEST} says {size} in each of {len(names)} variations"
        for name, count in ((test, len(rows)), (edits, len(release.lines(edits))))
        if count != size * len(names)
    ]
    if miscounted:
        return TaskCheck([*problems, *miscounted], None, {})
    figures, searches = no_figures(release.recipe, task), release.recipe.searches
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
    for entry, stated in zip(entries_of(figure_entries(figures)), entries_of(known), strict=True):
        if entry != stated:
            problems.append(f"{MANIFEST}: the figures of '{entry['name']}' on '{task.name}' are not those of the rows")
    originals = InputFile(test, "", tuple(row.record for row in rows[:size] if row.record is not None))
    problems += [] if problems else _hard_problems(release, task, originals.records, known)
    return TaskCheck(problems, TaskInput(task, schema, originals, train), figures)


def _hard_problems(
    release: ReleaseFiles, task: TaskRecipe, originals: Sequence[Record], known: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the problems of the split `hard` of a task whose other rows have none."""
    if count := release.recipe.hard_of(task):
        folder, searches = release.folder / task.name, list(release.recipe.searches)
        rows, entry = hard_split(folder, originals, searches, count, labelled=bool(known["labels"]))
        if rows != (folder / f"{HARD}.jsonl").read_bytes():
            yield f"{task.name}/{HARD}.jsonl: is not what follows from the test rows and their edit log"
        if entry != known.get(HARD):
            yield f"{MANIFEST}: '{HARD}' of '{task.name}' does not follow from its rows"


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
    owner: tuple[ReleaseFiles, TaskRecipe], name: str, at: int, original: _Row, row: _Row
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
    yield from _mark_problems(release.recipe, test, row.record, name, ([], "it must be [] in a test row"))
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


def _mark_problems(
    recipe: ReleaseRecipe, where: str, record: Record, name: str, episode: tuple[list[int], str]
) -> Iterator[str]:
    """Yield the problems of the fields that a release adds to a row.

    Args:
        recipe: the recipe of the release.
        where: the file and the row, for messages.
        record: the row.
        name: the value that its field `perturbation` must have.
        episode: the value that its field `episode` must have, and the words with which a message says so.
    """
    values = record.values
    if values.get(PERTURBATION) != name:
        yield f"{where}: perturbation is {values.get(PERTURBATION)!r}; it must be {name!r}"
    yield from canary_problems(recipe, where, record)
    if values.get(EPISODE) != episode[0]:
        yield f"{where}: episode is {values.get(EPISODE)!r}; {episode[1]}"


def canary_problems(recipe: ReleaseRecipe, where: str, record: Record) -> Iterator[str]:
    """Yield a line for each problem of a row with the canary, the mark that every row of a release has.

    The row must have it in a field of its own, and in no text that a model is shown. Nothing is checked if the recipe
    has no canary.

    Args:
        recipe: the recipe of the release.
        where: the file and the row, for the lines.
        record: the row.
    """
    if recipe.canary is None:
        return
    guid = recipe.canary.guid
    if record.values.get(CANARY) != guid:
        yield f"{where}: {CANARY} is {record.values.get(CANARY)!r}; it must be {guid!r}"
    yield from (f"{where}: '{field}' holds the canary" for field, text in record.texts().items() if guid in text)


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
    if (entry["row"], entry[PERTURBATION]) != (at, name):
        return f"is of row {entry['row']} under {entry[PERTURBATION]!r}; it must be of row {at} under {name!r}"
    if (entry["status"] == "original") != original:
        return f"status is {entry['status']!r}, which does not fit perturbation {name!r}"
    return None


def _search_problem(recipe: ReleaseRecipe, entry: edit_log.Entry, name: str) -> str | None:
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
    release: ReleaseFiles, task: TaskRecipe, schema: Task, known: Mapping[str, Any]
) -> tuple[InputFile | None, list[str]]:
    """Return the train rows whose digests match, and the problems of all train rows.

    The rows are None if the task has no train rows.
    """
    name = f"{task.name}/train.jsonl"
    if not known["train"]:
        return None, []
    problems = []
    lines = release.lines(name)
    if len(lines) != known["train"]:
        problems.append(f"{name}: {len(lines)} rows; {MANIFEST} says {known['train']}")
    stated, digests = known["train_digests"], [edit_log.line_digest(line) for line in lines]
    episodes = draw_episodes(release.recipe, task, schema, known.get("train_groups", [None] * known["train"]))
    records = []
    for number, (line, place) in enumerate(zip(lines, _aligned(stated, digests), strict=True), start=1):
        if place is None or stated[place] != digests[number - 1]:
            problems.append(f"{name}: row {number}: was changed: it does not match its digest in {MANIFEST}")
            continue
        text, values = parsed(line)
        records.append(Record(values, schema, text))
        drawn = episodes[place], f"the draw of the seed is {episodes[place]}"
        problems += _mark_problems(release.recipe, f"{name}: row {number}", records[-1], task.name, drawn)
    return InputFile(name, "", tuple(records)), problems
