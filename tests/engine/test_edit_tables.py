"""Tables of edits: whatever is done with them, they hold the scripts that a list of scripts would hold."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Edit, Script
from augment_ru.edits import Note
from augment_ru.engine.edit_table import EditTable

SOURCES = ("Кошка спит.", "", "Да!", "Мы идём домой 👩‍🎓")
NOTES = st.none() | st.sampled_from([Note("кошка"), Note(kind="tsya")])
Held = tuple[int, Script]


@st.composite
def held(draw: st.DrawFn) -> list[Held]:
    """Scripts of the sources in any order, each with the number of its source."""
    found = []
    for row in draw(st.lists(st.integers(0, len(SOURCES) - 1), max_size=5)):
        places = sorted(draw(st.sets(st.integers(0, len(SOURCES[row])), max_size=6)))
        new = st.text("абя👩 ", min_size=1, max_size=3)
        pairs = zip(places[::2], places[1::2], strict=False)
        found.append((row, Script(SOURCES[row], [Edit(start, stop, draw(new), draw(NOTES)) for start, stop in pairs])))
    return found


def table(scripts: Sequence[Held]) -> EditTable:
    rows = np.array([row for row, _ in scripts], dtype=np.int64)
    return EditTable.of_scripts([script for _, script in scripts], SOURCES, rows)


def holds(made: EditTable, scripts: Sequence[Held]) -> bool:
    """Whether a table holds these scripts, their notes, their texts, and says which of them change anything."""
    edits = [[(edit, edit.note) for edit in script.edits] for _, script in scripts]
    owners = [at for at, (_, script) in enumerate(scripts) for _ in script.edits]
    return (
        (len(made), made.rows.tolist()) == (len(scripts), [row for row, _ in scripts])
        and [[(edit, edit.note) for edit in script.edits] for script in made] == edits
        and [made[at].text for at in range(len(made))] == made.texts == [script.text for _, script in scripts]
        and (made.owners.tolist(), made.changed.tolist()) == (owners, sorted({*owners}))
    )


@given(held(), held(), st.data())
def test_a_table_is_the_list_of_its_scripts(one: list[Held], other: list[Held], data: st.DataObject) -> None:
    both = EditTable.joined([table(one), table(other)])
    every = [*one, *other]
    assert holds(table(one), one)
    assert holds(both, every)
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(every))] * 2)))
    assert holds(both.part(start, stop), every[start:stop])
    assert [script.text for script in both[start:stop]] == [script.text for _, script in every[start:stop]]
    chosen = data.draw(st.lists(st.sampled_from(range(len(every))))) if every else []
    taken = both.take(np.array(chosen, dtype=np.int64))
    assert holds(taken, [every[at] for at in chosen])
    assert holds(EditTable.joined([taken, both.part(start, stop)]), [every[at] for at in chosen] + every[start:stop])
