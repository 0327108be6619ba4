"""Files of others, changed at random: rows of every format, recipes, rule files, releases, caches of answers."""

import json
import shutil
import sqlite3
import string
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from augment_ru import AugmentError, Perturber, Preparation
from augment_ru.evaluation.cache import Cache
from augment_ru.release.manifest import encoded_manifest, read_manifest
from augment_ru.release.verify import verify_release
from faults import hostile
from faults.fuzzer import Case, Fault, Fuzzer
from faults.in_process import checked
from releases import built, recipe
from strategies import SENTENCES

_FAST = ("--attack", "butterfingers", "--no-constraints", "--similarity", "none", "-q")
_ROWS: Sequence[Mapping[str, Any]] = [
    {"text": text, "label": number % 2, "share": number / 7, "tags": ["а", None], "more": {"b": 1e-7}, "none": None}
    for number, text in enumerate(text for text in SENTENCES if "\n" not in text)
]
_KINDS = ("jsonl", "json", "csv", "tsv", "txt", "parquet", "jsonl.gz", "csv.gz", "jsonl.zst")


class Files(Fuzzer):
    """Files of every format with changed bytes, or changed values of JSON, into every format: one line, or rows that can be read again."""

    name: ClassVar[str] = "files"
    unit: ClassVar[str] = "files"
    goal: ClassVar[int] = 9_000
    share: ClassVar[float] = 2.0

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        first = folder / "first.jsonl"
        first.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in _ROWS), encoding="utf-8")
        for kind in _KINDS:
            checked("perturb", first, "-o", folder / f"good.{kind}", *_FAST, "--probability", "0", "--meta", "none")
        self._good = {kind: (folder / f"good.{kind}").read_bytes() for kind in _KINDS}

    def draw(self, random: Random) -> Case:
        """Changes of the bytes of a file, or of the values of its rows."""
        source = random.choice(_KINDS)
        changes: list[Any] = [
            hostile.byte_change(random, len(self._good[source])) for _ in range(random.choice([1, 1, 2, 5]))
        ]
        if source in {"json", "jsonl"} and random.random() < 0.7:
            changes = [hostile.change(random, list(_ROWS)) for _ in range(random.choice([1, 2, 4]))]
        skip, meta = random.random() < 0.3, random.choice(["full", "none"])
        return Case(changes, {"from": source, "to": random.choice(_KINDS), "skip": skip, "meta": meta})

    def check(self, case: Case) -> int:
        """Perturb the file; read what was written."""
        given = case.settings
        source, target = self.folder / f"in.{given['from']}", self.folder / f"out.{given['to']}"
        target.unlink(missing_ok=True)
        source.write_bytes(self._changed(given["from"], case.pieces))
        skip = ("--on-error", "skip") if given["skip"] else ()
        code = checked("perturb", source, "-o", target, *_FAST, "--meta", given["meta"], *skip)
        self.note(("written", "refused", "refused")[code])
        if target.exists() != (code == 0 or (code == 1 and given["skip"] and target.exists())):
            raise Fault(f"exit code {code}, and the output exists: {target.exists()}")
        if target.exists() and checked("perturb", target, "-o", self.folder / "again.jsonl", *_FAST, "--meta", "none"):
            if target.read_bytes().strip(b"\n\r \xef\xbb\xbf"):
                raise Fault("what was written cannot be read")
        if left := [path.name for path in self.folder.iterdir() if path.name.endswith(".part")]:
            raise Fault(f"left behind: {left}")
        return 1

    def _changed(self, kind: str, changes: Sequence[Any]) -> bytes:
        """The bytes of a file with changes of its bytes, or of its values."""
        if len(changes[0]) == len(("from", "to", "bytes")):
            return hostile.with_bytes(self._good[kind], changes)
        rows = hostile.changed(list(_ROWS), changes)
        text = json.dumps(rows) if kind == "json" else "".join(f"{json.dumps(row)}\n" for row in rows)
        return text.encode()


class Manifests(Fuzzer):
    """Manifests with other values and a right digest: verify names every change, in little time and memory."""

    name: ClassVar[str] = "manifests"
    unit: ClassVar[str] = "manifests"
    goal: ClassVar[int] = 10_000
    share: ClassVar[float] = 3.0
    free: ClassVar[Sequence[tuple[str, ...]]] = (
        ("environment",), ("annotator",), ("scorer",), ("data",), ("inputs", "*", "sha256"),
    )  # fmt: skip
    """What no file of a release proves: where it was built, and from which bytes."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._release = folder / "release"
        built(recipe(folder / "made"), self._release)
        self._content = read_manifest(self._release / "manifest.json")

    def draw(self, random: Random) -> Case:
        """Changes of values."""
        return Case([hostile.change(random, self._content) for _ in range(random.choice([1, 1, 1, 2, 4]))])

    def check(self, case: Case) -> int:
        """Verify the release with the changed manifest."""
        content = hostile.changed(self._content, case.pieces)
        path = self._release / "manifest.json"
        try:
            data = encoded_manifest(content)
        except (ValueError, RecursionError, AttributeError):
            self.note("no manifest")
            return 1
        path.write_bytes(data)
        try:
            problems = list(verify_release(self._release))
        except AugmentError as error:
            problems = [str(error)]
        if any("\n" in line for line in problems):
            raise Fault(f"a problem of several lines: {problems}")
        self.note("named" if problems else "free")
        if not problems and content["environment"]["code"] != self._content["environment"]["code"]:
            return 1  # other code makes other files, so nothing here says what follows from the recipe
        if not problems and _without_free(content, self.free) != _without_free(self._content, self.free):
            raise Fault("a change that is not named")
        return 1


def _without_free(content: Any, free: Sequence[Sequence[str]]) -> Any:  # noqa: ANN401  (JSON values)
    """A manifest without what no file proves."""
    content = json.loads(json.dumps(content))
    for path in free:
        for holder in content[path[0]] if len(path) > 1 else [content]:
            holder.pop(path[-1], None)
    return content


class Tampering(Fuzzer):
    """Releases with changed bytes in any file: verify names the file."""

    name: ClassVar[str] = "tampering"
    unit: ClassVar[str] = "files"
    goal: ClassVar[int] = 3_000

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._release = folder / "release"
        built(recipe(folder / "made"), self._release)
        self._names = sorted(
            path.relative_to(self._release).as_posix() for path in self._release.rglob("*") if path.is_file()
        )

    def draw(self, random: Random) -> Case:
        """Changes of the bytes of a file."""
        name = random.choice(self._names)
        size = (self._release / name).stat().st_size
        return Case([hostile.byte_change(random, size) for _ in range(random.choice([1, 2]))], {"name": name})

    def check(self, case: Case) -> int:
        """Verify the release, then mend it."""
        path = self._release / case.settings["name"]
        before = path.read_bytes()
        after = hostile.with_bytes(before, case.pieces)
        try:
            path.write_bytes(after)
            problems = list(verify_release(self._release))
        except AugmentError as error:
            problems = [str(error)]
        finally:
            path.write_bytes(before)
        if (after != before) != any(line.startswith(f"{case.settings['name']}:") for line in problems):
            raise Fault(f"a change that is not named: {problems}")
        if any("\n" in line for line in problems):
            raise Fault(f"a problem of several lines: {problems}")
        self.note("named" if problems else "unchanged")
        return 1


_LITERALS = (
    "0", "-1", "1", "1e400", "nan", "inf", "9" * 5000, "10000000000", "true", '""', '"x"', "'''", '"\\u0000"', "[]", "{}",
    "[[]]", "[1000000000]", '["x", "x"]', "[" * 2000, "1979-05-27", '"/dev/zero"', '"../../etc/passwd"', "[1, 1, 1]",
    '"' + "я" * 3000 + '"', '"{0,4294967296}"', '"*"', '"python:os:system"', '"x.py"', '"corpus:/dev/zero"', '"bae"',
    '"butterfingers+butterfingers"', '"(a+)+$"', '{ REGEX = "(a+)+$" }', "{ IN = [1] }", '{ "==" = 10 }', "0x7f", "-0",
)  # fmt: skip


def _line_change(random: Random, text: str) -> tuple[int, str, str]:
    """A change of a line of TOML: which, what is done, and what stands there."""
    at = random.randrange(len(text.split("\n")))
    kind = random.choice(["value", "value", "value", "delete", "twice", "before", "bytes", "key"])
    return at, kind, random.choice(_LITERALS)


def _with_lines(text: str, changes: Sequence[tuple[int, str, str]]) -> str:
    """TOML with changed lines."""
    lines = text.split("\n")
    for at, kind, literal in changes:
        if at >= len(lines):
            continue
        line = lines[at]
        if kind == "value" and "=" in line:
            lines[at] = f"{line.partition('=')[0]}= {literal}"
        elif kind == "delete":
            del lines[at]
        elif kind == "twice":
            lines.insert(at, line)
        elif kind == "before":
            lines.insert(at, f"new = {literal}")
        elif kind == "bytes":
            lines[at] = line[: len(line) // 2] + literal + line[len(line) // 2 :]
        elif kind == "key":
            lines[at] = line.replace("=", f"{_key(literal)} =", 1)
    return "\n".join(lines)


def _key(literal: str) -> str:
    """A key made of a literal."""
    return "".join(char for char in literal if char in string.ascii_letters)[:9] or "k"


class Recipes(Fuzzer):
    """Recipes of perturb, of evaluate and of releases with other lines: one line, or a run."""

    name: ClassVar[str] = "recipes"
    unit: ClassVar[str] = "recipes"
    goal: ClassVar[int] = 3_000
    texts: ClassVar[Mapping[str, str]] = {
        "perturb": 'attack = ["butterfingers", "case"]\nprobability = 0.2\nsimilarity = "none"\nseed = 7\ncandidates = 2\n'
        'no-constraints = true\nset = ["case.probability=0.1"]\nmeta = "brief"\nlimit = 2\ncopies = 1\non-error = "stop"\n'
        'schedule = "paper"\nmin-changes = 1\nfield = "question"\n',
        "release": '\nname = "tiny"\nlicence = "mit"\ntitle = "Т"\nseed = 4\npreset = "offline"\nlanguage = ["ru"]\n[gate]\n'
        'similarity = "none"\ncandidates = 2\nschedule = "paper"\nmin_changes = 1\n[shots]\nk = [1, 4]\nepisodes = 2\n'
        '[[attack]]\nspec = "butterfingers"\nprobability = 0.2\n[[attack]]\nspec = "eda_swap+case"\nname = "swapped"\n'
        'options.case.probability = 0.1\n[[task]]\nname = "school"\ntrain = "train.jsonl"\ntest = "test.jsonl"\n'
        'attacks = ["butterfingers"]\nconstraints = []\n',
    }

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        recipe(folder)
        (folder / "recipe.toml").unlink()

    def draw(self, random: Random) -> Case:
        """Changes of lines of a recipe."""
        kind = random.choice(list(self.texts))
        changes = [_line_change(random, self.texts[kind]) for _ in range(random.choice([1, 1, 2, 3]))]
        return Case(changes, {"kind": kind})

    def check(self, case: Case) -> int:
        """Run the command with the recipe."""
        kind = case.settings["kind"]
        path = self.folder / "recipe.toml"
        path.write_text(_with_lines(self.texts[kind], case.pieces), encoding="utf-8")
        if kind == "perturb":
            code = checked(
                "perturb", self.folder / "test.jsonl", "-o", self.folder / "out.jsonl", "--recipe", path, "-q"
            )
        else:
            code = checked("release", path, "-o", self.folder / "made")
            shutil.rmtree(self.folder / "made", ignore_errors=True)
            for left in self.folder.glob(".made*"):
                shutil.rmtree(left, ignore_errors=True)
        self.note(("run", "refused", "refused")[code])
        return 1


class Rules(Fuzzer):
    """Rule files with other lines: one line, or protected spans, in time for a long text."""

    name: ClassVar[str] = "rules"
    unit: ClassVar[str] = "rule files"
    goal: ClassVar[int] = 3_000
    text: ClassVar[str] = (
        'why = "Имена."\nlanguage = "ru"\nlayers = ["entities", "morphology", "lemmas", "syntax"]\n[[rule]]\nlabel = "A"\npattern = [\n'
        '{ LEMMA = "кот" },\n{ POS = { IN = ["NOUN", "ADJ"] }, OP = "+" },\n{ LOWER = "и", OP = "?" },\n'
        '{ TEXT = { REGEX = "^п" }, OP = "*" },\n{ LENGTH = { ">=" = 3 } },\n{ MORPH = { IS_SUPERSET = ["Case=Nom"] } },\n'
        ']\n[[rule]]\nlabel = "B"\nfields = ["answer"]\n[[rule]]\nlabel = "C"\nfunction = "referents"\n'
        '[[example]]\ntext = "Спит [кот]."\nrecord = { answer = "кот" }\n'
    )
    texts: ClassVar[Sequence[str]] = (*SENTENCES[:5], "кот и пёс " * 200, "п" * 2000)
    number: int = 0

    def draw(self, random: Random) -> Case:
        """Changes of lines of the rule file."""
        return Case([_line_change(random, self.text) for _ in range(random.choice([1, 1, 2, 3]))])

    def check(self, case: Case) -> int:
        """Protect texts by the rules, and perturb them."""
        self.number += 1  # rule files are read once for each name
        path = self.folder / f"rules{self.number}.toml"
        path.write_text(_with_lines(self.text, case.pieces), encoding="utf-8")
        try:
            perturber = Perturber("butterfingers", similarity="none", seed=1)
            for prepared in Preparation((str(path),)).texts(self.texts, needs=[perturber.needs]):
                list(perturber.perturb(prepared).results)
            self.note("run")
        except AugmentError as error:
            if "\n" in str(error):
                raise Fault(f"an error of several lines: {error}") from error
            self.note("refused")
        finally:
            path.unlink()
        return 1


_SQL = (
    "INSERT INTO answers VALUES (x'{key}', {value})",
    "INSERT OR REPLACE INTO answers VALUES ({value}, {value})",
    "CREATE TABLE more (x)",
    "CREATE VIEW more AS SELECT * FROM answers",
    "CREATE INDEX more ON answers (answer)",
    "CREATE TRIGGER t AFTER INSERT ON answers BEGIN INSERT INTO answers SELECT randomblob(16), 1 FROM answers; END",
    "DROP TABLE answers",
    "ALTER TABLE answers ADD COLUMN x",
    "ALTER TABLE answers RENAME TO others",
    "CREATE VIEW answers AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS key, x AS answer FROM c",  # fmt: skip  # noqa: E501
    "PRAGMA user_version = 7",
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = {value}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA encoding = 'UTF-16'",
)
_SQL_VALUES = ("1", "NULL", "1.5", "'x'", "'\"x\"'", "x'00ff'", "''", "'[1, 2]'", "'{'", "zeroblob(100000)",
               "'" + "[" * 50_000 + "'", "'1e999'", "'" + "9" * 5000 + "'", "'\"\\ud800\"'")  # fmt: skip


class Caches(Fuzzer):
    """Caches of answers with other tables, values and bytes: one line, or answers that are values of JSON."""

    name: ClassVar[str] = "caches"
    unit: ClassVar[str] = "caches"
    goal: ClassVar[int] = 10_000

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._keys = [bytes([number] * 16) for number in range(64)]
        cache = Cache(folder / "good.sqlite")
        cache.put((key, ["да", None, 5, {"a": [1.5]}][number % 4]) for number, key in enumerate(self._keys))
        cache.close()
        self._good = (folder / "good.sqlite").read_bytes()

    def draw(self, random: Random) -> Case:
        """Statements of SQL, and changes of bytes."""
        pieces: list[Any] = []
        for _ in range(random.choice([1, 1, 2, 4])):
            if random.random() < 0.5:
                key = random.choice(self._keys).hex()
                pieces.append(random.choice(_SQL).format(key=key, value=random.choice(_SQL_VALUES)))
            else:
                pieces.append(hostile.byte_change(random, len(self._good)))
        return Case(pieces)

    def check(self, case: Case) -> int:
        """Read the cache, and write to it."""
        path = self.folder / "cache.sqlite"
        for left in self.folder.glob("cache.sqlite*"):
            left.unlink()
        path.write_bytes(self._good)
        for piece in case.pieces:
            if isinstance(piece, str):
                with suppress(sqlite3.Error):
                    file = sqlite3.connect(path)
                    file.executescript(piece)
                    file.close()
            else:
                path.write_bytes(hostile.with_bytes(path.read_bytes(), [piece]))
        try:
            cache = Cache(path)
            try:
                found = cache.get([*self._keys, b"another key"])
                json.dumps(list(found.values()))
                cache.put([(b"another key", "да")])
                if cache.get([b"another key"]) != {b"another key": "да"}:
                    raise Fault("an answer that was written is lost")
                self.note("read")
            finally:
                cache.close()
        except AugmentError as error:
            if "\n" in str(error):
                raise Fault(f"an error of several lines: {error}") from error
            self.note("refused")
        return 1
