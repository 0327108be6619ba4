"""Wide tables on narrow terminals: columns are folded into several tables, and no number is cut."""

from collections.abc import Sequence


def column_groups(widths: Sequence[int], keys: int, room: int, *, gap: int) -> list[list[int]]:
    """The columns of each of the tables that a table is folded into; every table begins with the key columns.

    >>> column_groups([5, 8, 8, 8], keys=1, room=27, gap=2)
    [[0, 1, 2], [0, 3]]

    Args:
        widths: the widths of the columns.
        keys: how many columns from the left name a row.
        room: the width of the terminal.
        gap: the characters between two columns.
    """
    fixed = list(range(keys))
    used = sum(widths[:keys]) + gap * keys
    groups: list[list[int]] = []
    left = 0
    for column in range(keys, len(widths)):
        need = widths[column] + gap
        if not groups or need > left + gap:  # behind the last column stands no gap
            groups.append([*fixed])
            left = room - used
        groups[-1].append(column)
        left -= need
    return groups or [fixed]
