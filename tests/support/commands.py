"""The command line: in this process, in a copy of a new one, or in a process of its own.

A command in this process costs least. It has streams, arguments, a folder and modules of a user's own for itself, and
what it changes is put back. A copy of a process that has just started (`copies`) also has variables, signals and
descriptors of its own, can start workers, and knows no network of this process. A new process is needed where a test
is about the start: variables that are read there, encodings, what is imported, and once for each command.
"""

import importlib
import io
import json
import logging
import os
import re
import runpy
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, chdir, contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Self

from copies import Copy
from profiles import IS_FULL

PATIENCE = 120.0
"""The seconds that a test waits for an event that must happen: far more than it takes on a busy machine."""

_HERE = Path(__file__).parent
_COPIED = re.compile(r"--workers|--engine|/dev/std.*|(?:[^/]+=)?[^/=]+\.(?:tsv|txt)")
"""Arguments of commands that start processes, write to descriptors, or name dictionaries of the working folder: what
was read of these is known by the name, which means another file in another folder."""
_INSTALLED = (sys.prefix, sys.base_prefix, str(_HERE.parents[1]))
"""The beginnings of the files of modules that are not a user's own: those of packages, of this one and of its tests."""


def run(
    *args: str | Path,
    stdin: bytes = b"",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    fresh: bool = False,
    forks: bool = False,
) -> subprocess.CompletedProcess[bytes]:
    """Run a command with these arguments in this process.

    If it is to be `fresh`, has variables of its own, starts processes or writes to descriptors, it runs in a copy of a
    process that has just started; without `fork`, in a new one. With `forks`, in the quick profile, the workers of a
    copy are copies, too: for tests that are not about how a worker starts.
    """
    words = list(map(str, args))
    if not (fresh or env is not None or any(map(_COPIED.fullmatch, words))):
        from augment_ru.cli.main import cli  # noqa: PLC0415  (files of tests without a command load nothing)

        return _within(lambda: cli(prog_name="augment-ru"), ["augment-ru", *words], stdin, cwd)
    if not hasattr(os, "fork"):
        return run_apart(*args, stdin=stdin, cwd=cwd, env=env)
    return copied(command, words, *(["forks"] if forks and not IS_FULL else []), stdin=stdin, cwd=cwd, env=env)


def _within(
    work: Callable[[], Any], line: Sequence[str], stdin: bytes, cwd: Path | None
) -> subprocess.CompletedProcess[bytes]:
    """Do some work in this process under a command line, and put back what it changes."""
    code: Any = 0
    with ExitStack() as stack:
        files = given, out, said = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        given.write(stdin)
        given.seek(0)
        stack.enter_context(chdir(cwd or Path.cwd()))
        stack.enter_context(_alone(line, *(file.fileno() for file in files)))
        try:
            code = work() or 0
        except SystemExit as end:
            code = end.code or 0
        except BaseException:  # noqa: BLE001  (a new process, too, would print it and end)
            code = 1
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        out.seek(0)
        said.seek(0)
        done = subprocess.CompletedProcess(line, code, out.read(), said.read())
    if code:
        print(done.stderr.decode(errors="replace"), file=sys.__stderr__)  # pytest shows it beside a failure
    return done


@contextmanager
def _alone(line: Sequence[str], *descriptors: int) -> Iterator[None]:
    """Give a command arguments and streams; hide what a user's own code left in this process, and then what it left."""
    from augment_ru import registry  # noqa: PLC0415
    from augment_ru.constraints.rule_file import constraint  # noqa: PLC0415
    from augment_ru.formats import files  # noqa: PLC0415

    log = logging.getLogger("augment_ru")
    kept: list[list[Any]] = [log.handlers, sys.path, registry._loaded, files._renamed]  # noqa: SLF001
    before, modules, variables = [[*one] for one in kept], dict(sys.modules), dict(os.environ)
    imported, streams = dict(registry._imported), (sys.argv, sys.stdin, sys.stdout, sys.stderr)  # noqa: SLF001
    own_files = registry.own_files()

    def forget() -> None:
        if own_files or registry.own_files() or any(".toml" in word for word in line):
            registry.load_file.cache_clear()
            constraint.cache_clear()
        for changed in (registry._loaded, registry._imported, files._renamed):  # noqa: SLF001
            changed.clear()
        importlib.invalidate_caches()

    forget()
    if own := set(map(str, own_files)):
        for name in [name for name, module in modules.items() if str(getattr(module, "__file__", None)) in own]:
            del sys.modules[name]
    places = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path not in sys.path]
    sys.path[:] = places + [path for path in sys.path if Path(path) != _HERE]
    sys.argv = [*line]
    sys.stdin, sys.stdout, sys.stderr = _streams(*descriptors)
    try:
        with warnings.catch_warnings():
            _warn_as_ever()
            yield
    finally:
        sys.argv, sys.stdin, sys.stdout, sys.stderr = streams
        forget()
        for now, was in zip(kept, before, strict=True):
            now[:] = was
        registry._imported.update(imported)  # noqa: SLF001
        if os.environ != variables:
            os.environ.clear()
            os.environ.update(variables)
        for name in sys.modules.keys() - modules.keys():
            if not str(getattr(sys.modules[name], "__file__", None) or sys.prefix).startswith(_INSTALLED):
                del sys.modules[name]
        sys.modules.update(modules)


def run_script(path: Path, *args: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a script in this process, and put back what it changes."""

    def script() -> None:
        runpy.run_path(str(path), run_name="__main__")

    return _within(script, [str(path), *args], b"", cwd)


def command(words: Sequence[str], *options: str) -> None:
    """Run a command with these arguments as the program of this process; with "forks", its workers are its forks."""
    from augment_ru.__main__ import main  # noqa: PLC0415

    if "forks" in options:
        processes: Any = import_module("augment_ru.run.processes")
        context = _Forks()
        processes.get_context = lambda _: context
    sys.argv = ["augment-ru", *words]
    main()


class _Forks:
    """What `Processes` uses of `multiprocessing.get_context`. A fork closes the ends of pipes that are not its own."""

    def __init__(self) -> None:
        self._ours: list[Connection] = []

    def Pipe(self) -> tuple[Connection, Connection]:  # noqa: N802
        ours, theirs = get_context("fork").Pipe()
        self._ours.append(ours)
        return ours, theirs

    def Process(self, target: Callable[..., None], args: tuple[Any, ...]) -> ForkProcess:  # noqa: N802
        return get_context("fork").Process(target=self._begun, args=(target, args))

    def _begun(self, target: Callable[..., None], args: tuple[Any, ...]) -> None:
        for one in self._ours:
            one.close()
        target(*args)


def copied(
    function: Callable[..., object],
    *arguments: object,
    stdin: bytes = b"",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Call a function of a module, with arguments that can be pickled, in a process like one that has just started."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        given.write(stdin)
        given.seek(0)
        code = Copy(function, *arguments, streams=(given, out, said), cwd=cwd, env=env).wait()
        assert code is not None
        out.seek(0)
        said.seek(0)
        done = subprocess.CompletedProcess([*map(str, arguments)], code, out.read(), said.read())
        if code:
            print(done.stderr.decode(errors="replace"), file=sys.stderr)  # pytest shows it beside a failure
        return done


def on_terminal(*args: str | Path, columns: int = 80) -> str:
    """What a command prints on a terminal of this width, stdout and stderr together, in a copy."""
    import pty  # noqa: PLC0415  (only Unix has terminals)

    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color"}
    copy = Copy(command, list(map(str, args)), streams=(theirs,) * 3, env=environment)
    os.close(theirs)
    printed = b""
    with suppress(OSError):  # the other side is closed
        while data := os.read(ours, 65536):
            printed += data
    copy.wait()
    os.close(ours)
    return printed.decode().replace("\r\n", "\n")


def run_apart(*args: str | Path, stdin: bytes = b"", **options: Any) -> subprocess.CompletedProcess[bytes]:  # noqa: ANN401
    """Run a command with these arguments in a new process."""
    command = [sys.executable, "-m", "augment_ru", *map(str, args)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, **options)


def load() -> None:
    """Load what commands load: command line, annotation, dictionaries, gate, normalizer, scikit-learn."""
    import rich._emoji_codes  # noqa: F401, PLC0415  (files of tests without a command load nothing)
    import sklearn.feature_extraction.text  # noqa: PLC0415
    import sklearn.linear_model  # noqa: F401, PLC0415

    from augment_ru import Augmenter, Normalizer, attacks, cli, jobs  # noqa: PLC0415

    for package in (attacks, cli, jobs):
        for module in iter_modules(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    lines = (_HERE.parents[1] / "examples" / "reviews.jsonl").read_text(encoding="utf-8").splitlines()
    for attack in ("butterfingers", "eda_delete", "eda_swap"):
        list(Augmenter(attack).records(map(json.loads, lines)))
    Normalizer("evasion+spoken")("Лучшее к.a.зино")


def begin(cwd: str, env: Mapping[str, str]) -> None:
    """Reset a copy as if it had just started: streams, folder, variables, warnings, what packages offer.

    Processes that it starts import augment-ru as their main program.
    """
    sys.stdin, sys.stdout, sys.stderr = _streams(0, 1, 2)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.path[:] = [path for path in sys.path if Path(path) != _HERE]
    for path in reversed(os.environ.get("PYTHONPATH", "").split(os.pathsep)):
        if path and path not in sys.path:
            sys.path.insert(0, path)
    sys.modules["__main__"] = program = ModuleType("__main__")
    program.__spec__ = find_spec("augment_ru.__main__")
    _warn_as_ever()
    from augment_ru import registry  # noqa: PLC0415  (as in `load`)

    registry.offered.cache_clear()
    constants: Any = sys.modules.get("huggingface_hub.constants")
    if constants is not None:  # it reads the variable once, when it is imported
        constants.HF_HUB_CACHE = os.environ.get("HF_HUB_CACHE", constants.HF_HUB_CACHE)


def _streams(given: int, out: int, said: int) -> tuple[io.TextIOWrapper, io.TextIOWrapper, io.TextIOWrapper]:
    """Open stdin, stdout and stderr as Python does at its start, with the error handling that the command sets."""
    stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(given, closefd=False)), "utf-8")
    stdout, stderr = (
        io.TextIOWrapper(
            io.BufferedWriter(io.FileIO(number, "w", closefd=False)), "utf-8", "backslashreplace", line_buffering=lines
        )
        for number, lines in ((out, os.isatty(out)), (said, True))
    )
    return stdin, stdout, stderr


def _warn_as_ever() -> None:
    """Filter warnings as Python does at its start."""
    warnings.resetwarnings()
    for unsaid in (DeprecationWarning, ResourceWarning):
        warnings.simplefilter("ignore", unsaid)


def fails(code: int, *args: str | Path, stdin: bytes = b"", fresh: bool = False, forks: bool = False) -> str:
    """Run a command that must fail with this exit code, and return the single line that it prints."""
    done = run(*args, stdin=stdin, fresh=fresh, forks=forks)
    assert done.returncode == code, done.stderr.decode()
    (line,) = [line for line in done.stderr.decode().split("\n") if line]
    assert line.startswith("augment-ru: error: ")
    return line


class _Started:
    """What tests use of `subprocess.Popen`, for a command in a copy of a process that has just started."""

    def __init__(self, words: Sequence[str], cwd: Path | None, **pipes: int) -> None:
        ends = {name: os.pipe() for name in pipes}
        theirs = {name: ends[name][name != "stdin"] for name in ends}
        ours = {name: ends[name][name == "stdin"] for name in ends}
        streams = [theirs.get(name, number) for number, name in enumerate(("stdin", "stdout", "stderr"))]
        self._copy = Copy(command, list(words), streams=streams, cwd=cwd)
        for number in theirs.values():
            os.close(number)
        files = {name: os.fdopen(number, "wb" if name == "stdin" else "rb") for name, number in ours.items()}
        self.stdin, self.stdout, self.stderr = (files.get(name) for name in ("stdin", "stdout", "stderr"))
        self.pid, self.send_signal = self._copy.pid, self._copy.send
        self.returncode: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in (self.stdin, self.stdout, self.stderr):
            if file is not None:
                with suppress(BrokenPipeError):
                    file.close()
        self.wait()

    def kill(self) -> None:
        """Kill it."""
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int | None:
        """Return its exit code, negative if a signal ended it."""
        self.returncode = self._copy.wait(timeout)
        assert self.returncode is not None, "it runs on"
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[bytes, bytes]:
        """Wait for its end; return what it wrote."""
        with self:
            found = [b"" if file is None else file.read() for file in (self.stdout, self.stderr)]
            self.wait(timeout)
        return found[0], found[1]


def started(words: list[str], *, cwd: Path | None = None, **pipes: int) -> "subprocess.Popen[bytes] | _Started":
    """Start augment-ru with these arguments; in the quick profile in a copy of a process that has just started.

    Args:
        words: the arguments.
        cwd: the working folder; that of this process by default.
        pipes: `subprocess.PIPE` for each standard stream that the test reads or writes.
    """
    if not IS_FULL and hasattr(os, "fork"):
        return _Started(words, cwd, **pipes)
    return started_apart([sys.executable, "-m", "augment_ru", *words], cwd=cwd, **pipes)


def started_apart(command: list[str], **options: Any) -> subprocess.Popen[bytes]:  # noqa: ANN401
    """Start a process that an interrupt ends even if this process ignores interrupts, as background jobs do.

    A child inherits an ignored signal, but a signal with a handler gets its default action in the child.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(command, **options)
    finally:
        signal.signal(signal.SIGINT, before)


def wait_until(happened: Callable[[], object]) -> None:
    """Wait until a condition is true; fail if it does not become true."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, f"nothing happened in {PATIENCE} seconds"
        time.sleep(0.01)


def write(path: Path, *rows: object) -> Path:
    """Write rows to a file of JSON lines, and return its path."""
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return path


def rows_of(data: bytes) -> list[dict[str, Any]]:
    """Parse the rows of JSON lines."""
    return [json.loads(line) for line in data.decode().split("\n") if line]
