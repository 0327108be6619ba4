"""The rows that several reports share, by the keys that reports state."""

from collections import Counter
from collections.abc import Mapping, Sequence


def shared_rows(rows: Sequence[Mapping[str, Sequence[str]]]) -> dict[str, list[tuple[str, list[int]]]]:
    """By attack the keys of the rows that all reports have, each with its number in every report.

    A row that stands in a report twice is shared as often as every report has it.
    """
    found: dict[str, list[tuple[str, list[int]]]] = {}
    for attack, keys in rows[0].items():
        if all(attack in other for other in rows):
            numbers = [_by_occurrence(other[attack]) for other in rows]
            own = [
                (key, [number[key, turn] for number in numbers])
                for key, turn in _by_occurrence(keys)
                if all((key, turn) in number for number in numbers)
            ]
            if own:
                found[attack] = own
    return found


def _by_occurrence(keys: Sequence[str]) -> dict[tuple[str, int], int]:
    """The number of each row, by its key and how many rows before it have the same key."""
    seen = Counter[str]()
    found: dict[tuple[str, int], int] = {}
    for number, key in enumerate(keys):
        found[key, seen[key]] = number
        seen[key] += 1
    return found
