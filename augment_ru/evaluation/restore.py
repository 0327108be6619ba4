"""Originals restored from the metadata of an output row: its edits are undone, and its offsets move back with them."""

from typing import Any

from augment_ru.edits import Edit
from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import without_metadata
from augment_ru.formats.read import Row
from augment_ru.formats.row import KEY, Changed, replaced
from augment_ru.records import field_paths
from augment_ru.records.record import Record
from augment_ru.records.task import Task
from augment_ru.script import Script


def restored_row(row: Row, task: Task) -> dict[str, Any]:
    """The original of an output row: its texts are those of `augment.source`, its offsets are taken back.

    Raises:
        AugmentError: the metadata does not fit the row.
    """
    meta = row.values[KEY]
    values = without_metadata(row.values)
    back: dict[str, Script] = {}
    try:
        for name, source in meta["source"].items():
            script = Script(source, (Edit(*edit) for edit in meta["edits"].get(name, ())))
            _check_text(name, script, field_paths.value(values, name))
            back[name] = inverse_script(script)
        record = Record(values, task)
        new: dict[field_paths.Path, Any] = {
            field_paths.path_of(values, name): script.text for name, script in back.items()
        }
        new |= {place.path: place.after(back[place.text]) for place in record.offsets() if place.text in back}
        return replaced(record, Changed(new))
    except (TypeError, AttributeError) as error:
        raise AugmentError(f"{row.where}: augment.source or augment.edits is damaged: {error}") from error
    except AugmentError as error:
        raise AugmentError(f"{row.where}: {error}") from error


def _check_text(name: str, script: Script, value: object) -> None:
    if script.text != value:
        raise AugmentError(f"augment.edits do not give the text of '{name}'; was the file changed by hand?")


def inverse_script(script: Script) -> Script:
    """The script that leads from the new text back to the source.

    >>> inverse_script(Script("кот спит", [Edit(0, 3, "🐱")])).edits
    (Edit(start=0, stop=1, text='кот'),)
    """
    edits: list[Edit] = []
    shift = 0
    for edit in script.edits:
        start = edit.start + shift
        back = Edit(start, start + len(edit.text), script.source[edit.start : edit.stop])
        if edits and edits[-1].stop == back.start:  # adjacent deletions would become two insertions at one place
            back = Edit(edits[-1].start, back.stop, edits.pop().text + back.text)
        edits.append(back)
        shift += len(edit.text) - (edit.stop - edit.start)
    return Script(script.text, edits)
