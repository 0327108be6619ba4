"""The entry point of `augment-ru`: errors become one line and an exit code."""

import signal
import sys
from types import FrameType
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line.

    Exit codes: 0 done, 1 an error in data or a run, 2 wrong usage, 130 interrupted, 143 terminated.
    """
    signal.signal(signal.SIGTERM, _terminated)
    from augment_ru.cli import cli  # noqa: PLC0415  (after the handler, so that no moment is without it)

    cli(prog_name="augment-ru")
    sys.exit(0)


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    raise SystemExit(128 + number)


if __name__ == "__main__":
    main()
