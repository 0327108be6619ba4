"""The number of examples that a law draws: few by default, all if HYPOTHESIS_PROFILE is `full`."""

import os

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "quick")
IS_FULL = PROFILE == "full"
QUICK = 15
"""The most examples of a law in the quick profile."""


def examples(number: int) -> int:
    """Return the number of examples for a law that draws `number` of them in the full profile."""
    return number if IS_FULL else min(number, QUICK)
