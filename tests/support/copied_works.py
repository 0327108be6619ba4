"""What tests of copies let them do; a copy finds a function in its module."""

import json
import os
import sys

from commands import copied


def print_known() -> None:
    """Print the modules that are loaded, the variables and the folder."""
    print(json.dumps([[*sys.modules], dict(os.environ), os.getcwd()]))  # noqa: PTH109  (no more than the string)


def nested(depth: int) -> None:
    """Print this depth after what a copy prints that is one less deep."""
    if depth:
        sys.stdout.write(copied(nested, depth - 1).stdout.decode())
    print(depth, end=" ")
