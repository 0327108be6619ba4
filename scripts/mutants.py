"""How many small mistakes in the code its tests find: mutants drawn by seed, each run against the tests of its package.

    python scripts/mutants.py [--groups NAME,...] [--number 150] [--seed 1] [--seconds 60] [--place FOLDER]

A mutant is a copy of the package with one change: another comparison, a constant that is one more, `and` for `or`, a
`not` that is gone, arguments in another order, a statement that is left out. First all tests of a group run once on a
copy whose statements say that they were reached. So a mutant is run only against the tests that reach its statement,
the quickest first, until one fails. It survives if none fails; a test that hangs has failed. Each mutant runs in a fork
of a process that has loaded the package, in which the code of one function is exchanged; a mutant outside functions
runs in a fork of one that has loaded only what the package imports. Processes that tests start read the changed file.

What is found is kept in the folder (by default `augment-ru-mutants` among the temporary ones), so that a run that was
stopped goes on, and a run with a larger number adds to it.
"""

import argparse
import ast
import atexit
import compileall
import copy
import json
import mmap
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from importlib import import_module
from inspect import CO_OPTIMIZED
from itertools import chain
from pathlib import Path
from pkgutil import walk_packages
from types import CodeType, FunctionType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Group:
    """Code of one kind, and the tests of its packages.

    Attributes:
        code: files and folders of the package, whose docstrings hold tests, too.
        tests: files and folders of tests.
    """

    code: tuple[str, ...]
    tests: tuple[str, ...]

    def files(self) -> list[str]:
        """The files of the code, as paths in the repository."""
        found = [path for one in self.code for path in ((ROOT / one).rglob("*.py") if "." not in one else [ROOT / one])]
        return sorted(str(path.relative_to(ROOT)) for path in found)


GROUPS = {
    "engine": Group(
        ("augment_ru/engine", "augment_ru/script.py"),
        (
            "tests/engine",
            "tests/test_edits.py",
            "tests/attacks/test_option_order.py",
            "tests/similarities/test_similarity.py",
        ),
    ),
    "meaning": Group(("augment_ru/similarities/meaning",), ("tests/similarities",)),
    "evaluation": Group(
        ("augment_ru/evaluation",),
        ("tests/evaluation", "tests/cli/test_evaluate_command.py", "tests/release/test_release_judged.py"),
    ),
    "records": Group(
        ("augment_ru/records", "augment_ru/formats"),
        (
            "tests/records",
            "tests/formats",
            "tests/jobs",
            "tests/prompting/test_protocols.py",
            "tests/cli/test_input_options.py",
            "tests/evaluation/test_rankings.py",
            "tests/evaluation/test_spans.py",
            "tests/evaluation/test_benchmarks.py",
        ),
    ),
}
LOADED = (
    "numpy", "torch", "transformers", "sklearn.linear_model", "scipy.stats", "scipy.optimize", "hypothesis", "pytest",
    "_pytest.assertion.rewrite", "xdist", "pymorphy3", "natasha", "navec", "slovnet", "click", "rich.console",
    "rich.table", "jinja2", "msgspec", "orjson", "regex", "emoji", "markdown_it", "pyarrow", "pandas", "polars",
    "tokenizers", "sentencepiece", "safetensors", "filelock",
)  # fmt: skip
"""The modules that the package and its tests import; modules that are not installed are skipped."""
_MARK = "_mutants_reached"


# Mutants


@dataclass(frozen=True)
class Mutant:
    """One change in a file.

    Attributes:
        file: the path of the file in the repository.
        number: the number of the change among all changes of the file.
        line: the line of the changed node.
        change: the code before and after the change.
    """

    file: str
    number: int
    line: int
    change: str


_COMPARED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_COMPUTED: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift,
}  # fmt: skip
_SAME = frozenset({"strict", "slots", "frozen", "stacklevel", "dtype", "copy", "maxsize"})
"""Keywords whose values change nothing that a test can see, or only the speed."""


def _changes(  # noqa: C901, PLR0912  (a case for each kind of node)
    node: ast.AST, *, in_function: bool
) -> Iterator[Callable[[], ast.AST]]:
    """Yield a function for each way to change one node; the function makes the node that replaces it."""

    def other(**values: Any) -> Callable[[], ast.AST]:  # noqa: ANN401
        def made() -> ast.AST:
            new = copy.copy(node)
            for name, value in values.items():
                setattr(new, name, value)
            return new

        return made

    match node:
        case ast.Compare(ops=[op]) if type(op) in _COMPARED:
            yield other(ops=[_COMPARED[type(op)]()])
        case ast.BoolOp(op=op):
            yield other(op=ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield lambda: operand
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in _COMPUTED and in_function:
            yield other(op=_COMPUTED[type(op)]())
        case ast.Constant(value=bool() as value):
            yield other(value=not value)
        case ast.Constant(value=int() | float() as value):
            yield other(value=value + 1)
        case ast.Call(args=[first, second, *rest]) if not any(isinstance(one, ast.Starred) for one in (first, second)):
            yield other(args=[second, first, *rest])
        case ast.IfExp(body=body, orelse=orelse):
            yield other(body=orelse, orelse=body)
        case ast.If(test=test) | ast.While(test=test):
            yield other(test=ast.UnaryOp(ast.Not(), test))
        case ast.Slice(lower=ast.expr() as lower):
            yield other(lower=ast.BinOp(lower, ast.Add(), ast.Constant(1)))
        case ast.Slice(upper=ast.expr() as upper):
            yield other(upper=ast.BinOp(upper, ast.Sub(), ast.Constant(1)))
        case ast.Continue():
            yield ast.Break
        case ast.Break():
            yield ast.Continue
    if in_function:
        match node:
            case ast.Return(value=ast.expr()) if ast.unparse(node) != "return None":
                yield other(value=ast.Constant(None))
            case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise() | ast.Delete():
                yield ast.Pass


class _Places:
    """All nodes of a module that may change, in order, each with the statement in which it stands.

    Left out are annotations, decorators, docstrings, the messages of errors, and what is only for type checkers.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.found: list[tuple[ast.AST, str, int | None, ast.AST, Callable[[], ast.AST], ast.stmt]] = []
        self._below(tree, tree.body[0], in_function=False)

    def _below(self, node: ast.AST, statement: ast.stmt, *, in_function: bool) -> None:
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "bases"):
                continue
            for at, one in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(one, ast.AST) and not self._is_left_out(one):
                    inside = in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                    holder = one if isinstance(one, ast.stmt) else statement
                    for change in _changes(one, in_function=inside):
                        self.found.append((node, name, at, one, change, holder))
                    if not isinstance(one, ast.Raise):
                        self._below(one, holder, in_function=inside)

    @staticmethod
    def _is_left_out(node: ast.AST) -> bool:
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Import() | ast.ImportFrom() | ast.JoinedStr():
                return True
            case ast.keyword(arg=str() as name):
                return name in _SAME
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="_log")))):
                return True
        return False


def mutants_of(file: str) -> list[tuple[Mutant, str]]:
    """Return every mutant of a file, with the place of the statement that contains the change."""
    found = []
    for number, (_, _, _, node, change, holder) in enumerate(_Places(_tree(file)).found):
        new = change()
        shown = [one.test if isinstance(one, ast.If | ast.While) else one for one in (node, new)]
        old, now = (" ".join(ast.unparse(one).split()) for one in shown)
        told = f"{old} → {now}"
        line = getattr(node, "lineno", holder.lineno)
        found.append((Mutant(file, number, line, told), f"{file}:{holder.lineno}:{holder.col_offset}"))
    return found


def mutated(mutant: Mutant) -> ast.Module:
    """Return the code of a file with the change."""
    tree = _tree(mutant.file)
    parent, name, at, _, change, _ = _Places(tree).found[mutant.number]
    if at is None:
        setattr(parent, name, change())
    else:
        getattr(parent, name)[at] = change()
    return ast.fix_missing_locations(tree)


def _tree(file: str) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"))


# What a test reaches


def _marked(file: str, places: dict[str, int]) -> str:
    """Return the code of a file with a mark in each statement of its functions, which notes that it was reached.

    The numbers of the marks are added to `places`.
    """
    tree = _tree(file)
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]:
        for node in ast.walk(function):
            for name in ("body", "orelse", "finalbody"):
                block = getattr(node, name, None)
                if isinstance(block, list) and not isinstance(node, ast.ClassDef):
                    setattr(node, name, list(chain.from_iterable(_with_mark(file, one, places) for one in block)))
    head = [at for at, one in enumerate(tree.body) if isinstance(one, ast.ImportFrom) and one.module == "__future__"]
    tree.body.insert(max(head, default=0) + 1, ast.parse(f"from {_MARK} import REACHED as {_MARK}").body[0])
    return ast.unparse(ast.fix_missing_locations(tree))


def _with_mark(file: str, statement: ast.stmt, places: dict[str, int]) -> list[ast.stmt]:
    docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    place = f"{file}:{getattr(statement, 'lineno', 0)}:{getattr(statement, 'col_offset', 0)}"
    if docstring or not hasattr(statement, "lineno") or place in places:  # a mark itself, or of an outer function
        return [statement]
    number = places.setdefault(place, len(places))
    target = ast.Subscript(ast.Name(_MARK, ast.Load()), ast.Constant(number), ast.Store())
    return [ast.Assign(targets=[target], value=ast.Constant(1)), statement]


_SHARED = """import mmap, os
with open(os.environ["AUGMENT_RU_REACHED"], "r+b") as file:
    REACHED = mmap.mmap(file.fileno(), 0)
"""


class _Watch:
    """A plugin of pytest that notes the seconds of each test and the statements that it and its processes reach."""

    def __init__(self, reached: mmap.mmap) -> None:
        self.reached = reached
        self.found: dict[str, tuple[float, list[int]]] = {}
        self.failed: set[str] = set()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        del nodeid
        self.reached[:] = bytes(len(self.reached))
        self._start = _seconds()

    def pytest_collection_finish(self) -> None:
        _use_cache_of_tests()

    def pytest_runtest_logreport(self, report: Any) -> None:  # noqa: ANN401
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        numbers = [at for at, byte in enumerate(self.reached[:]) if byte]
        self.found[nodeid] = (round(_seconds() - self._start, 3), numbers)


def _use_cache_of_tests() -> None:
    """Let models be read from the folder that the tests name; it was read when this process loaded what they import."""
    constants: Any = sys.modules.get("huggingface_hub.constants")
    if constants is not None:
        constants.HF_HUB_CACHE = os.environ["HF_HUB_CACHE"]


class _Order:
    """A plugin of pytest that runs tests in the order in which they are named."""

    def __init__(self, names: Sequence[str]) -> None:
        self.places = {name: at for at, name in enumerate(names)}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted((one for one in items if one.nodeid in self.places), key=lambda one: self.places[one.nodeid])
        _use_cache_of_tests()


def _seconds() -> float:
    return sum(os.times()[:4])


# Processes


def _load() -> None:
    """Load the modules that the package and its tests import, but neither the package nor the tests."""
    for name in LOADED:
        try:
            import_module(name)
        except ImportError:
            continue
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)


def _load_package() -> None:
    """Load all modules of the package, and the dictionary of word forms."""
    import augment_ru  # noqa: PLC0415  (of the copy)

    for module in walk_packages(augment_ru.__path__, "augment_ru."):
        with suppress(ImportError):
            import_module(module.name)
    import_module("augment_ru.language.morphology").morphology()


def _exchange(file: str, tree: ast.Module) -> bool:
    """Put the code of a changed module into the functions of the loaded module; tell whether each was found."""
    module = sys.modules.get(file.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    if module is None:  # it needs an extra
        return False
    path = str(module.__file__)
    old, new = (_functions(compile(one, path, "exec")) for one in (_tree(file), tree))
    differing = {key for key in {*old, *new} if old.get(key) != new.get(key)}
    functions = _loaded_functions(vars(module), module.__name__)
    found = {(one.__code__.co_qualname, one.__code__.co_firstlineno): one for one in functions}
    for cached in [*vars(module).values()]:
        if hasattr(type(cached), "cache_clear"):
            cached.cache_clear()
    if not differing or not differing <= found.keys() & new.keys():
        return False
    try:
        for key in differing:
            found[key].__code__ = new[key]
    except ValueError:  # it has other variables of the function around it
        return False
    return True


def _functions(code: CodeType) -> dict[tuple[str, int], CodeType]:
    """Return the code of the functions of a module and of its classes, by name and first line."""
    found = {}
    for one in code.co_consts:
        if isinstance(one, CodeType):
            if one.co_flags & CO_OPTIMIZED:
                found[one.co_qualname, one.co_firstlineno] = one
            else:  # a class
                found.update(_functions(one))
    return found


def _loaded_functions(names: Mapping[str, Any], module: str) -> Iterator[FunctionType]:
    for value in list(names.values()):
        if isinstance(value, type):
            if value.__module__ == module:
                yield from _loaded_functions(value.__dict__, module)
            continue
        for one in (value, *(getattr(value, name, None) for name in ("__wrapped__", "__func__", "func", "fget"))):
            if isinstance(one, FunctionType) and one.__module__ == module:
                yield one


_BROKEN = 70
"""The exit code of a process in which something other than pytest failed."""


def _apart(work: Callable[[], int], log: Path, seconds: float) -> int | None:
    """Do work in a fork of this process; return its exit code, or None after more than `seconds` of processor time."""
    child = os.fork()
    if child == 0:
        code = _BROKEN
        try:
            os.setsid()
            with log.open("wb") as stream:
                os.dup2(stream.fileno(), 1)
                os.dup2(stream.fileno(), 2)
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
            try:
                code = work()
            except BaseException:  # noqa: BLE001  (it is told in the log)
                traceback.print_exc()
                sys.stderr.flush()
            atexit._run_exitfuncs()  # noqa: SLF001  (os._exit does not)
        finally:
            os._exit(code)
    until = time.monotonic() + 10 * seconds
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > until:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.02)
    with_children = os.waitstatus_to_exitcode(ended[1])
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what it started and did not end
    return None if with_children < 0 else with_children


def _pytest(tests: Sequence[str], temporary: Path, plugins: Sequence[object]) -> int:
    """Run tests of the copy that is the working folder, and return pytest's exit code."""
    import pytest  # noqa: PLC0415  (loaded before the fork)

    shared = [
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        "--tb=line",
        "-rN",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
    ]
    code = int(pytest.main([*shared, f"--basetemp={temporary}", *tests], plugins=list(plugins)))
    shutil.rmtree(temporary, ignore_errors=True)
    return code


class Copy:
    """A copy of the repository whose files can be changed, for the tests to run in."""

    def __init__(self, place: Path) -> None:
        self.place = place
        shutil.rmtree(place, ignore_errors=True)
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"],  # noqa: S607
            cwd=ROOT, capture_output=True, text=True, check=True,
        )  # fmt: skip
        for name in listed.stdout.splitlines():
            if (ROOT / name).is_file():
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, place / name)
        self.compile(place / "augment_ru")

    @staticmethod
    def compile(path: Path) -> None:
        """Compile code so that a change of a file is seen by its content, not by its second."""
        from py_compile import PycInvalidationMode  # noqa: PLC0415

        (compileall.compile_dir if path.is_dir() else compileall.compile_file)(
            str(path), quiet=1, force=True, invalidation_mode=PycInvalidationMode.CHECKED_HASH
        )

    def write(self, file: str, code: str) -> None:
        """Put other code into a file."""
        (self.place / file).write_text(code, encoding="utf-8")
        self.compile(self.place / file)

    def restore(self, file: str) -> None:
        """Put the repository's code into a file."""
        self.write(file, (ROOT / file).read_text(encoding="utf-8"))

    def enter(self) -> None:
        """Make the copy the working folder of this process and of those that it starts."""
        os.chdir(self.place)
        os.environ["PYTHONPATH"] = str(self.place)
        os.environ["HYPOTHESIS_PROFILE"] = "mutants"
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        os.environ.pop("PYTEST_XDIST_WORKER", None)
        sys.path.insert(0, str(self.place))


# A run


@dataclass(frozen=True)
class Reached:
    """Which tests of a group reach which statement.

    Attributes:
        seconds: the seconds of each test, by its name.
        tests: the names of the tests that reach a statement, by its place, or a file, by its path.
    """

    seconds: Mapping[str, float]
    tests: Mapping[str, Sequence[str]]

    def of(self, mutant: Mutant, place: str) -> list[str]:
        """Return the tests that may notice a mutant, the quickest first; outside functions all tests of the file."""
        known = self.tests[place] if place in self.tests else self.tests.get(mutant.file) or self.seconds
        return sorted(known, key=lambda test: (self.seconds[test], test))


def reached_by(group: Group, place: Path) -> Reached:
    """Run the tests of a group on marked code, unless this was done before; return what they reached."""
    kept = place / "reached.json"
    if not kept.exists():
        marked, places = Copy(place / "marked"), dict[str, int]()
        for file in group.files():
            marked.write(file, _marked(file, places))
        (marked.place / f"{_MARK}.py").write_text(_SHARED, encoding="utf-8")
        flags = place / "reached"
        flags.write_bytes(bytes(len(places)))
        watch = _Watch(_shared(flags))

        def work() -> int:
            marked.enter()
            os.environ["AUGMENT_RU_REACHED"] = str(flags)
            code = _pytest([*group.tests, *group.code], place / "temporary", [watch])
            kept.with_suffix(".begun").write_text(json.dumps([places, watch.found, sorted(watch.failed)]), "utf-8")
            return code

        code = _apart(work, place / "reached.log", 3600)
        if code not in (0, 1):
            raise SystemExit(f"the tests do not run on the marked code: {place / 'reached.log'}")
        kept.with_suffix(".begun").rename(kept)
    places, found, failed = json.loads(kept.read_text("utf-8"))
    if failed:
        print(f"left out, since they fail on code that is not mutated: {', '.join(failed)}")
    names = {number: name for name, number in places.items()}
    tests: dict[str, set[str]] = {name: set() for name in places}
    by_file: dict[str, set[str]] = defaultdict(set)
    for test, (_, numbers) in found.items():
        for name in () if test in failed else (names[number] for number in numbers):
            tests[name].add(test)
            by_file[name.split(":")[0]].add(test)
    both = {name: sorted(some) for name, some in {**tests, **by_file}.items()}
    return Reached({test: seconds for test, (seconds, _) in found.items()}, both)


def _shared(path: Path) -> mmap.mmap:
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), 0)


_HANGS = 5
"""A test hangs if it takes this many times its seconds on marked code plus this many seconds."""


@dataclass(frozen=True)
class Trial:
    """Tries the mutants of a group.

    Attributes:
        place: a folder for the files that the tests write.
        reached: which tests reach which statements.
        seconds: the most seconds of processor time for one mutant.
    """

    place: Path
    reached: Reached
    seconds: float

    def fate(self, mutant: Mutant, tests: Sequence[str], copied: Copy) -> str:
        """Return the fate of a mutant: `killed`, `survived`, `not reached`, or `out of time` (it survived so far)."""
        if not tests:
            return "not reached"
        tree = mutated(mutant)
        copied.write(mutant.file, ast.unparse(tree))
        begun = self.place / "begun"
        begun.write_text("0", encoding="utf-8")

        class Progress:
            def pytest_runtest_logstart(self, nodeid: str) -> None:
                begun.write_text(f"{_seconds()} {nodeid}", encoding="utf-8")

        def work() -> int:
            if not _exchange(mutant.file, tree):
                for name in [one for one in sys.modules if one.split(".")[0] == "augment_ru"]:
                    del sys.modules[name]
            files = list(dict.fromkeys(test.split("::")[0] for test in tests))
            named = list(tests) if len(tests) <= 300 else files  # noqa: PLR2004  (so many names are slow to find)
            return _pytest(["-x", *named], self.place / "temporary", [_Order(tests), Progress()])

        try:
            code = _apart(work, self.place / "last.log", self.seconds)
        finally:
            copied.restore(mutant.file)
        if code == _BROKEN:
            raise SystemExit(f"{mutant.file}: this mutant could not be tried: {self.place / 'last.log'}")
        at, _, test = begun.read_text("utf-8").partition(" ")
        if code is None and self.seconds - float(at) < _HANGS * (1 + self.reached.seconds.get(test, 0)):
            return "out of time"  # the test that was stopped may not hang; before it none failed
        return "survived" if code == 0 else "killed"


@dataclass(frozen=True)
class Drawn:
    """The mutants of a group that were drawn, and their fates.

    Attributes:
        name: the name of the group.
        every: how many mutants the group has.
        mutants: the drawn mutants, each with its place.
        trial: tries the mutants.
        told: the file that keeps the fate of each mutant.
    """

    name: str
    every: int
    mutants: Sequence[tuple[Mutant, str]]
    trial: Trial
    told: Path

    def known(self) -> dict[tuple[str, int], dict[str, Any]]:
        """Return the fates of mutants so far."""
        rows = map(json.loads, self.told.read_text("utf-8").splitlines() if self.told.exists() else ())
        return {(row["file"], row["number"]): row for row in rows}

    def go(self, at: int, copied: Copy) -> None:
        """Try the mutant with this number, unless it was tried before, and keep its fate."""
        mutant, where = self.mutants[at]
        if (mutant.file, mutant.number) not in self.known():
            tests = self.trial.reached.of(mutant, where)
            row = {"fate": self.trial.fate(mutant, tests, copied), "tests": len(tests), **vars(mutant)}
            with self.told.open("a", encoding="utf-8") as stream:
                stream.write(f"{json.dumps(row, ensure_ascii=False)}\n")

    def tell(self) -> None:
        """Print the mutants that survived, and how many there are."""
        known = self.known()
        rows = [known[mutant.file, mutant.number] for mutant, _ in self.mutants]
        for row in sorted((row for row in rows if row["fate"] != "killed"), key=lambda row: (row["file"], row["line"])):
            print(f"{row['file']}:{row['line']}: {row['fate']} ({row['tests']} tests): {row['change']}")
        fates = ", ".join(f"{count} {fate}" for fate, count in Counter(row["fate"] for row in rows).most_common())
        print(f"{self.name}: {len(rows)} drawn of {self.every}: {fates}\n", flush=True)


def drawn(name: str, number: int, seed: int, seconds: float, place: Path) -> Drawn:
    """Draw mutants of a group, after its tests have run on marked code."""
    group = GROUPS[name]
    code = b"".join((ROOT / file).read_bytes() for file in group.files())
    folder = place / f"{name}-{blake2b(code, digest_size=4).hexdigest()}"
    folder.mkdir(parents=True, exist_ok=True)
    every = [one for file in group.files() for one in mutants_of(file)]
    random.Random(f"{seed} {name}").shuffle(every)
    trial = Trial(folder, reached_by(group, folder), seconds)
    return Drawn(name, len(every), every[:number], trial, folder / f"mutants-{seed}.jsonl")


def main() -> None:
    """Try the mutants of the named groups, one of each group in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", default=",".join(GROUPS))
    parser.add_argument("--number", type=int, default=150, help="mutants of each group")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60, help="of the processor for one mutant at most")
    parser.add_argument("--place", type=Path, default=Path(tempfile.gettempdir()) / "augment-ru-mutants")
    given = parser.parse_args()
    sys.path.pop(0)  # this folder: a test may have a module of the same name
    place = given.place.resolve()
    _load()
    found = [drawn(name, given.number, given.seed, given.seconds, place) for name in given.groups.split(",")]
    copied = Copy(place / "copy")
    copied.enter()
    _load_package()
    for at in range(given.number):
        for group in found:
            if at < len(group.mutants):
                group.go(at, copied)
    for group in found:
        group.tell()


if __name__ == "__main__":
    main()
