"""Wide tables on narrow terminals: columns are folded into several tables, and no number is cut."""

from collections.abc import Collection, Sequence


def column_groups(
    widths: Sequence[int], keys: int, room: int, *, gap: int, joined: Collection[int] = ()
) -> list[list[int]]:
    """The columns of each of the tables that a table is folded into; every table begins with the key columns.

    >>> column_groups([5, 8, 8, 8], keys=1, room=27, gap=2)
    [[0, 1, 2], [0, 3]]
    >>> column_groups([5, 8, 8, 8], keys=1, room=27, gap=2, joined={3})
    [[0, 1], [0, 2, 3]]

    Args:
        widths: the widths of the columns.
        keys: how many columns from the left name a row.
        room: the width of the terminal.
        gap: the characters between two columns.
        joined: columns that stand beside the one before them, such as its interval, if the terminal has room for two.
    """
    fixed = list(range(keys))
    used = sum(widths[:keys]) + gap * keys
    groups: list[list[int]] = []
    left = 0
    units: list[list[int]] = []
    for column in range(keys, len(widths)):
        if units and column in joined and used + _need(widths, [*units[-1], column], gap) <= room + gap:
            units[-1].append(column)
        else:
            units.append([column])
    for unit in units:
        need = _need(widths, unit, gap)
        if not groups or need > left + gap:  # behind the last column stands no gap
            groups.append([*fixed])
            left = room - used
        groups[-1] += unit
        left -= need
    return groups or [fixed]


def _need(widths: Sequence[int], columns: Sequence[int], gap: int) -> int:
    """The characters that columns take, each with the gap behind it."""
    return sum(widths[column] + gap for column in columns)
