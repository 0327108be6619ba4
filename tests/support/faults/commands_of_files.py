"""Every command with every kind of file that a user gives it, one of them changed at random."""

import json
from collections.abc import Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from faults import hostile
from faults.fuzzer import Case, Fault, Fuzzer
from faults.in_process import checked
from strategies import SENTENCES

_FAST = ("--no-constraints", "--similarity", "none")
_QUIET = ("-q",)
_COMMANDS: Sequence[tuple[tuple[str, ...], tuple[str, ...]]] = (
    (("perturb", "rows.jsonl", "--attack", "case", "-o", "out.jsonl", *_FAST, *_QUIET), ("rows.jsonl",)),
    (("perturb", "rows.csv", "--attack", "case", "-o", "out.csv", "--encoding", "cp1251", *_FAST), ("rows.csv",)),
    (("perturb", "rows.jsonl.gz", "--attack", "case", "-o", "out.jsonl", *_FAST, *_QUIET), ("rows.jsonl.gz",)),
    (("perturb", "rows.jsonl", "--attack", "case", "-o", "out.jsonl", "--task", "task.toml", *_FAST), ("task.toml",)),
    (("perturb", "rows.jsonl", "--attack", "case", "-o", "out.jsonl", "--constraint", "rule.toml"), ("rule.toml",)),
    (("perturb", "rows.jsonl", "-o", "out.jsonl", "--recipe", "recipe.toml"), ("recipe.toml",)),
    (
        (
            "perturb",
            "rows.jsonl",
            "--attack",
            "masking",
            "--set",
            "masking.targets=words.txt",
            "-o",
            "out.jsonl",
            *_FAST,
        ),
        ("words.txt",),
    ),
    (
        ("perturb", "rows.jsonl", "--attack", "emojify", "--set", "emojify.emoji=emoji.tsv", "-o", "out.jsonl", *_FAST),
        ("emoji.tsv",),
    ),
    (
        (
            "perturb",
            "rows.jsonl",
            "--attack",
            "add_sent",
            "--set",
            "add_sent.generator=corpus:corpus.txt",
            "-o",
            "out.jsonl",
        ),
        ("corpus.txt",),
    ),
    (
        (
            "attack",
            "rows.jsonl",
            "--model",
            "linear:train.jsonl",
            "--attack",
            "case",
            "--budget",
            "3",
            "-o",
            "out.jsonl",
            "--cache",
            "none",
            *_FAST,
            *_QUIET,
        ),
        ("rows.jsonl", "train.jsonl"),
    ),
    (
        ("evaluate", "perturbed.jsonl", "--model", "linear:train.jsonl", "-o", "out.json", "--cache", "none", *_QUIET),
        ("perturbed.jsonl", "train.jsonl"),
    ),
    (
        (
            "evaluate",
            "perturbed.jsonl",
            "--model",
            "majority:train.jsonl",
            "--originals",
            "rows.jsonl",
            "--html",
            "out.html",
            *_QUIET,
            "--verdicts",
            "verdicts.jsonl",
            "--cache",
            "none",
        ),
        ("rows.jsonl", "verdicts.jsonl"),
    ),
    (("evaluate", "perturbed.jsonl", "--recipe", "evaluate.toml", "-o", "out.json", *_QUIET), ("evaluate.toml",)),
    (("compare", "report.json", "other.json", "--html", "out.html", *_QUIET), ("report.json", "other.json")),
    (("totals", "report.json"), ("report.json",)),
    (("verdicts", "export", "report.json", "-o", "out.tsv", "--size", "5"), ("report.json",)),
    (
        (
            "verdicts",
            "export",
            "perturbed.jsonl",
            "-o",
            "out.json",
            "--predictions",
            "predictions.jsonl",
            "--size",
            "5",
        ),
        ("perturbed.jsonl", "predictions.jsonl"),
    ),
    (("verdicts", "import", "answers.json", "answers.tsv", "-o", "out.jsonl"), ("answers.json", "answers.tsv")),
    (("similarity", "pairs.jsonl", "-o", "out.jsonl"), ("pairs.jsonl",)),
    (("similarity", "perturbed.jsonl"), ("perturbed.jsonl",)),
    (("calibrate", "rows.jsonl", "--attack", "case", "--limit", "5", "--at", "0.5"), ("rows.jsonl",)),
    (
        ("check", "rule.toml", "task.toml", "prompt.toml", "emoji.tsv"),
        ("rule.toml", "task.toml", "prompt.toml", "emoji.tsv"),
    ),
    (("explain", "Кошка спит.", "--attack", "case", "--constraint", "rule.toml"), ("rule.toml",)),
)
"""The commands, and the files of each that may be changed."""

_RULE = """why = "Числа решают."
[[rule]]
label = "NUMBER"
pattern = [{ TEXT = { REGEX = "^[0-9]+$" } }, { LOWER = { IN = ["кг", "руб"] }, OP = "?" }]
[[example]]
text = "Купили [5 кг] муки."
[[example]]
text = "Купили муки."
"""
_TASK = """fields = ["text"]
keys = ["text", "label", "share"]
constraints = ["numbers"]
gold = ["label"]
metrics = ["accuracy"]
"""
_PROMPT = """# Source: the laws of this repository.
# Licence: CC0-1.0.
template = "{text}\\nМетка: {label}"
"""
_RECIPE = """attack = ["case"]
similarity = "none"
seed = 7
"""
_EVALUATE = """model = ["majority:train.jsonl"]
cache = "none"
"""


class Commands(Fuzzer):
    """Every command, with one of the files that it reads changed: what comes of it is an answer, or one line."""

    name: ClassVar[str] = "commands"
    unit: ClassVar[str] = "files"
    goal: ClassVar[int] = 10_000
    share: ClassVar[float] = 3.0

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        texts = [text for text in SENTENCES if "\n" not in text][:12]
        rows = [{"text": text, "label": number % 2, "share": number / 7} for number, text in enumerate(texts)]
        self._write("rows.jsonl", "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
        self._write("train.jsonl", (folder / "rows.jsonl").read_text(encoding="utf-8"))
        table = "text,label\n" + "".join(f'"{row["text"]}",{row["label"]}\n' for row in rows)
        (folder / "rows.csv").write_bytes(table.encode("cp1251", "replace"))
        for name, content in {
            "rule.toml": _RULE, "task.toml": _TASK, "prompt.toml": _PROMPT, "recipe.toml": _RECIPE,
            "evaluate.toml": _EVALUATE, "words.txt": "кошка\nдом\n",
            "corpus.txt": "Доцент вчера долго искал очки на столе.\nУтром над рекой шёл сильный дождь.\n",
            "emoji.tsv": "# Source: own.\n# Licence: CC0-1.0.\nдом\tNOUN\t🏠\nкошка\tNOUN\t🐱\n",
            "pairs.jsonl": '{"original": "Кот спит.", "perturbed": "Кот спал."}\n' * 3,
        }.items():  # fmt: skip
            self._write(name, content)
        self._do("perturb", "rows.jsonl", "--attack", "case", "--attack", "butterfingers", "-o", "perturbed.jsonl")
        self._do("perturb", "rows.jsonl", "--attack", "case", "-o", "rows.jsonl.gz", "--meta", "none")
        for name in ("report.json", "other.json"):
            self._do(
                *(
                    "evaluate",
                    "perturbed.jsonl",
                    "--model",
                    "majority:train.jsonl",
                    "-o",
                    name,
                    "--predictions",
                    "predictions.jsonl",
                ),
                *("--cache", "none", *_QUIET),
            )
        self._do("verdicts", "export", "perturbed.jsonl", "-o", "tasks.json", "--size", "4")
        tasks = json.loads((folder / "tasks.json").read_bytes())
        answered = [_answered(task, who) for task in tasks for who in (1, 2)]
        self._write("answers.json", json.dumps(answered, ensure_ascii=False))
        ids = [task["data"]["id"] for task in tasks]
        lines = [f"{one}\tworker{who}\tда\n" for one in ids for who in (1, 2)]
        self._write("answers.tsv", "INPUT:id\tASSIGNMENT:worker_id\tOUTPUT:verdict\n" + "".join(lines))
        self._do("verdicts", "import", "answers.json", "-o", "verdicts.jsonl")
        self._good = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}

    def draw(self, random: Random) -> Case:
        """A command, one of its files, and what is changed in it."""
        number = random.randrange(len(_COMMANDS))
        name = random.choice(_COMMANDS[number][1])
        size = len(self._good[name])
        kind = random.choice(["bytes", "bytes", "bytes", "values", "whole"])
        changes: list[Any] = [hostile.byte_change(random, size) for _ in range(random.choice([1, 1, 2, 5]))]
        if kind == "whole":
            changes = [random.choice([*_WHOLE])]
        if kind == "values" and name.endswith((".json", ".jsonl")):
            changes = [hostile.change(random, self._values(name)) for _ in range(random.choice([1, 2]))]
        else:
            kind = "bytes" if kind == "values" else kind
        return Case(changes, {"command": number, "file": name, "kind": kind})

    def check(self, case: Case) -> int:
        """Run the command with the changed file."""
        given = case.settings
        for name, data in self._good.items():
            if name in _COMMANDS[given["command"]][0]:
                (self.folder / name).write_bytes(data)
        (self.folder / given["file"]).write_bytes(self._changed(given["file"], given["kind"], case.pieces))
        code = self._do(*_COMMANDS[given["command"]][0])
        self.note(("done", "refused", "refused")[code])
        for path in self.folder.iterdir():
            if path.name.endswith(".part"):
                raise Fault(f"left behind: {path.name}")
            if path.name.startswith("out"):
                path.unlink()
        (self.folder / given["file"]).write_bytes(self._good[given["file"]])
        return 1

    def shown(self, case: Case) -> str:
        """The command with its change."""
        return f"{' '.join(_COMMANDS[case.settings['command']][0])} {super().shown(case)}"

    def _write(self, name: str, content: str) -> None:
        (self.folder / name).write_text(content, encoding="utf-8")

    def _do(self, *words: str) -> int:
        """Run a command on the files of the folder."""
        with chdir(self.folder):
            return checked(*words)

    def _values(self, name: str) -> Any:  # noqa: ANN401
        data = self._good[name]
        return json.loads(data) if name.endswith(".json") else [json.loads(line) for line in data.splitlines()]

    def _changed(self, name: str, kind: str, changes: Sequence[Any]) -> bytes:
        data = self._good[name]
        if not changes:
            return data
        if kind == "bytes":
            return hostile.with_bytes(data, changes)
        if kind == "whole":
            return bytes(_WHOLE[changes[0]](data))
        values = hostile.changed(self._values(name), changes)
        if name.endswith(".json"):
            return json.dumps(values, ensure_ascii=False).encode("utf-8", "surrogatepass")
        lines = (json.dumps(row, ensure_ascii=False) for row in values)
        return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")


def _recoded(data: bytes, encoding: str) -> bytes:
    return data.decode("utf-8", "replace").encode(encoding, "replace")


_WHOLE: Mapping[str, Any] = {
    "empty": lambda _: b"",
    "blank": lambda _: b"\n" * 5000,
    "cp1251": lambda data: _recoded(data, "cp1251"),
    "utf-16": lambda data: _recoded(data, "utf-16"),
    "mark": lambda data: b"\xef\xbb\xbf" + data,
    "half": lambda data: data[: len(data) // 2],
    "twice": lambda data: data + data,
    "nulls": lambda data: data + b"\0" * 100,
    "deep": lambda data: data + b"[" * 6000,
    "all deep": lambda _: b"[" * 100_000,
    "deep objects": lambda _: b'{"a":' * 6000,
    "dots": lambda _: b"a." * 20_000 + b"a = 1\n",
    "a number": lambda _: b"9" * 10_000,
    "a list": lambda _: b"[]",
    "null": lambda _: b"null",
    "an object": lambda _: b"{}",
    "a long line": lambda data: data + b"a" * 2**20,
    "returns": lambda data: data.replace(b"\n", b"\r"),
    "no ends": lambda data: data.replace(b"\n", b" "),
}
"""Changes of a whole file."""


def _answered(task: Mapping[str, Any], who: int) -> dict[str, Any]:
    """A task of Label Studio with an answer."""
    result = [{"value": {"choices": ["да"]}, "from_name": "verdict", "to_name": "original", "type": "choices"}]
    return {**task, "annotations": [{"completed_by": who, "was_cancelled": False, "result": result}]}
