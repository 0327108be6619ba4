"""The command line: in this process, in a copy of it, or in a process of its own.

A command in this process costs least. It has streams, arguments, a folder and modules of a user's own for itself, and
what it changes is put back. A copy (a fork) also has variables, signals and descriptors of its own, can start workers,
and knows no network of this process. A new process is needed where a test is about the start: variables that are read
there, encodings, what is imported, and once for each command.
"""

import gc
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
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import IO, Any, NoReturn

from profiles import IS_FULL

PATIENCE = 120.0
"""The seconds that a test waits for an event that must happen: far more than it takes on a busy machine."""

_HERE = Path(__file__).parent
_SCORED = frozenset({"evaluate", "compare", "attack", "release", "totals"})
"""Commands that import scikit-learn or SciPy."""
_COPIED = re.compile(r"--workers|--engine|/dev/std.*|(?:[^/]+=)?[^/=]+\.(?:tsv|txt)")
"""Arguments of commands that start processes, write to descriptors, or name dictionaries of the working folder: what
was read of these is known by the name, which means another file in another folder."""
_OF_NETWORKS = ("augment_ru.inference", "augment_ru.models", "augment_ru.prompting", "augment_ru.similarities")
"""Packages whose functions cache what they read of a network."""
_LRU = type(cache(id))
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

    If it is to be `fresh`, has variables of its own, starts processes or writes to descriptors, it runs in a copy of
    this process; without `fork`, in a new one. With `forks`, in the quick profile, the workers of a copy are copies,
    too: for tests that are not about how a worker starts.
    """
    words = list(map(str, args))
    if not (fresh or env is not None or any(map(_COPIED.fullmatch, words))):
        from augment_ru.cli.main import cli  # noqa: PLC0415  (files of tests without a command load nothing)

        return _within(lambda: cli(prog_name="augment-ru"), ["augment-ru", *words], stdin, cwd)
    if not hasattr(os, "fork"):
        return run_apart(*args, stdin=stdin, cwd=cwd, env=env)
    load(scored=bool(_SCORED.intersection(words[:1])))
    work = _command(words)
    return copied(_with_forks(work) if forks and not IS_FULL else work, words, stdin=stdin, cwd=cwd, env=env)


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
    own = set(map(str, own_files))
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
        for name, module in [one for one in sys.modules.items() if one[0] not in modules]:
            if not str(getattr(module, "__file__", None) or sys.prefix).startswith(_INSTALLED):
                del sys.modules[name]
        sys.modules.update(modules)


def run_script(path: Path, *args: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a script in this process, and put back what it changes."""

    def script() -> None:
        runpy.run_path(str(path), run_name="__main__")

    return _within(script, [str(path), *args], b"", cwd)


def _command(words: Sequence[str]) -> Callable[[], None]:
    """The work of a command with these arguments."""

    def command() -> None:
        from augment_ru.__main__ import main  # noqa: PLC0415

        sys.argv = ["augment-ru", *words]
        main()

    return command


def _with_forks(work: Callable[[], None]) -> Callable[[], None]:
    """The work, done in a process whose workers are forks of it. It is a copy, so that nothing is put back."""

    def done() -> None:
        processes: Any = import_module("augment_ru.run.processes")
        forks = _Forks()
        processes.get_context = lambda _: forks
        work()

    return done


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
    work: Callable[[], object],
    name: Sequence[str],
    *,
    stdin: bytes = b"",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Do some work in a fork of this process that is reset as if it had just started."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        given.write(stdin)
        given.seek(0)
        sys.stdout.flush()
        forget = _forgetting()
        child = _forked()
        if child == 0:
            _work_and_end(work, (given, out, said), cwd, env, forget)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        said.seek(0)
        done = subprocess.CompletedProcess(name, code, out.read(), said.read())
        if code:
            print(done.stderr.decode(errors="replace"), file=sys.stderr)  # pytest shows it beside a failure
        return done


def on_terminal(*args: str | Path, columns: int = 80) -> str:
    """What a command prints on a terminal of this width, stdout and stderr together, in a copy of this process."""
    import pty  # noqa: PLC0415  (only Unix has terminals)

    load(scored=bool(_SCORED.intersection(map(str, args[:1]))))
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color"}
    forget = _forgetting()
    child = _forked()
    if child == 0:
        os.close(ours)
        with open(theirs, "wb", buffering=0) as stream:  # noqa: PTH123  (a descriptor)
            work = _command(list(map(str, args)))
            _work_and_end(work, (stream, stream, stream), None, environment, forget)
    os.close(theirs)
    printed = b""
    with suppress(OSError):  # the other side is closed
        while data := os.read(ours, 65536):
            printed += data
    os.waitpid(child, 0)
    os.close(ours)
    return printed.decode().replace("\r\n", "\n")


def run_apart(*args: str | Path, stdin: bytes = b"", **options: Any) -> subprocess.CompletedProcess[bytes]:  # noqa: ANN401
    """Run a command with these arguments in a new process."""
    command = [sys.executable, "-m", "augment_ru", *map(str, args)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, **options)


def _forked() -> int:
    """0 in a copy of this process, the number of the copy in this one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12: this process has threads (of xdist)
        return os.fork()


@cache
def load(*, scored: bool) -> None:
    """Import what a command imports at its start: command line, annotation, gate; if `scored`, also scikit-learn."""
    import rich._emoji_codes  # noqa: F401, PLC0415  (files of tests without a command load nothing)

    if scored:
        import sklearn.feature_extraction.text  # noqa: PLC0415
        import sklearn.linear_model  # noqa: F401, PLC0415
    from augment_ru import Augmenter, attacks, cli, jobs  # noqa: PLC0415

    for package in (attacks, cli, jobs):
        for module in iter_modules(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    for attack in ("butterfingers", "eda_swap"):
        list(Augmenter(attack).records([{"text": "Кошка Маша спит на окне."}]))


def _forgetting() -> Callable[[], None]:
    """What unloads the modules of the tests and of users in a copy of this process, and forgets networks there.

    What to unload is looked up here, before the fork: whatever a copy looks at it copies, and the modules that are
    loaded stand on ten thousand pages.
    """
    from augment_ru import registry  # noqa: PLC0415

    files = [(name, str(getattr(module, "__file__", None))) for name, module in sys.modules.items()]
    own, here = set(map(str, registry.own_files())), f"{_HERE}{os.sep}"
    modules = [
        name for name, file in files if file in own or (file.startswith(here) and os.sep not in file[len(here) :])
    ]
    caches: list[Callable[[], None]] = [registry._loaded.clear, registry._imported.clear]  # noqa: SLF001
    caches.append(registry.load_file.cache_clear)
    loaded: Any = sys.modules.get("augment_ru.inference.pretrained")
    if loaded is not None:
        caches.append(loaded._loaded.clear)  # noqa: SLF001
    memo: Any = sys.modules.get("augment_ru.inference.memo")
    for name, module in list(sys.modules.items()):
        if name.startswith("augment_ru."):
            for value in vars(module).values():
                if isinstance(value, _LRU) and name.startswith(_OF_NETWORKS):
                    caches.append(value.cache_clear)
                elif memo is not None and isinstance(value, memo.Memo):
                    caches.append(value._known.clear)  # noqa: SLF001  (nobody but tests needs to forget)

    def forget() -> None:
        for name in modules:
            del sys.modules[name]
        for cleared in caches:
            cleared()

    return forget


def _work_and_end(
    work: Callable[[], object],
    streams: tuple[IO[bytes], ...],
    cwd: Path | None,
    env: Mapping[str, str] | None,
    forget: Callable[[], None],
) -> NoReturn:
    """Do the work in this process, reset as if it had just started, and exit."""
    code: Any = 1
    gc.freeze()  # a collection of garbage would write into all that this process shares with its parent, so copy it
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream.fileno(), number)
        forget()
        _begin(cwd, env)
        work()
        code = 0
    except SystemExit as end:
        code = end.code or 0
        if isinstance(code, str):
            print(code, file=sys.stderr)
    except BaseException:  # noqa: BLE001  (a new process, too, would print it and end)
        traceback.print_exc()
    finally:
        for written in (sys.stdout, sys.stderr):
            written.flush()
        os._exit(code if isinstance(code, int) else 1)


def _begin(cwd: Path | None, env: Mapping[str, str] | None) -> None:
    """Reset this process: streams, folder, variables, signals, warnings.

    Processes that this one starts import augment-ru as their main program.
    """
    sys.stdin, sys.stdout, sys.stderr = _streams(0, 1, 2)
    if cwd is not None:
        os.chdir(cwd)
    if env is not None:
        os.environ.clear()
        os.environ.update(env)
    for path in reversed(os.environ.get("PYTHONPATH", "").split(os.pathsep)):
        if path and path not in sys.path:
            sys.path.insert(0, path)
    sys.path[:] = [path for path in sys.path if Path(path) != _HERE]
    sys.modules["__main__"] = program = ModuleType("__main__")
    program.__spec__ = find_spec("augment_ru.__main__")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    _warn_as_ever()
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


def started(command: list[str], **options: Any) -> subprocess.Popen[bytes]:  # noqa: ANN401
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
