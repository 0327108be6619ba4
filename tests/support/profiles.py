"""How many examples a law draws: few for every change, all of them where HYPOTHESIS_PROFILE is `full`."""

import os

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "quick")
IS_FULL = PROFILE == "full"
QUICK = 15
"""Examples at most of a law in the quick profile."""


def examples(number: int) -> int:
    """The examples of a law that draws this number in the full profile."""
    return number if IS_FULL else min(number, QUICK)
