"""The entry point of `augment-ru`: errors become one line and an exit code."""

import io
import signal
import sys
from types import FrameType
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line.

    Exit codes: 0 done, 1 an error in data or a run, 2 wrong usage, 130 interrupted, 143 terminated.
    """
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _terminated)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # where a terminal knows no Cyrillic
    try:
        from augment_ru.cli.main import cli  # noqa: PLC0415  (after the handlers, so that no moment is without them)

        cli(prog_name="augment-ru")
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(0)


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    raise SystemExit(128 + number)


if __name__ == "__main__":
    main()
