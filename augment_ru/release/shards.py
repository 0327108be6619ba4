"""Shards: a shard has all variations (original and perturbed) of a part of the rows of a task, in a file of its own.

One process makes it. A shard depends only on the recipe and its original rows. So shards may be made in any order, by
any number of processes, and a shard that a killed run has finished can be kept.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeAlias

from augment_ru.engine.prepare import CHUNK_CHARACTERS
from augment_ru.records.record import Record
from augment_ru.release.variations import Searched, Timing, Tools, variations
from augment_ru.run.stores import sealed, unsealed

SHARD_ROWS = 256
"""The number of original rows in a shard. This is about five seconds of work, and a killed run loses no more."""


class ShardInput(NamedTuple):
    """The original rows of a shard: a part of the rows of a task that one worker perturbs.

    Attributes:
        task: the index of the task in the recipe, from 0.
        first: the index of the first row in the test file, from 0.
        records: the rows.
        searched: what the models that searches attack are made from: the labels and the train file of the task; None
            if no search is made for the task.
    """

    task: int
    first: int
    records: tuple[Record, ...]
    searched: Searched | None = None


def split_into_shards(whole: ShardInput, size: int = SHARD_ROWS) -> Iterator[ShardInput]:
    """Divide the rows of a task into shards, each of which one worker perturbs.

    Args:
        whole: all rows of the task.
        size: the number of rows in a shard; shards of long rows have fewer.
    """
    first = characters = 0
    for at, record in enumerate(whole.records):
        characters += len(record.line or "")
        if at + 1 == len(whole.records) or at + 1 - first == size or characters >= CHUNK_CHARACTERS:
            yield whole._replace(first=first, records=whole.records[first : at + 1])
            first, characters = at + 1, 0


Shard: TypeAlias = Mapping[str, tuple[bytes, bytes]]
"""Maps the name of each variation of a shard to two blocks of lines: its rows, and their part of the edit log."""


def make_shard(tools: Tools, shard: ShardInput) -> tuple[bytes, Timing]:
    """Perturb the rows of a shard (a part of the rows of a task).

    Returns the content of the shard's file, and how many seconds each kind of work took.

    Args:
        tools: the attacks, gate (similarity check) and annotator of the recipe.
        shard: the original rows.
    """
    timing = Timing()
    records = dict(enumerate(shard.records, start=shard.first))
    found = {
        name: tuple("".join(f"{line}\n" for line in lines).encode() for lines in (rows, entries))
        for name, rows, entries in variations(tools, tools.recipe.tasks[shard.task], records, timing, shard.searched)
    }
    return sealed(found), timing


def read_shard(path: Path) -> Shard | None:
    """Read the file of a shard (a part of the rows of a task, with all variations of them).

    Return None if the file does not exist or is not complete.
    """
    with suppress(OSError):
        return unsealed(path.read_bytes(), dict[str, tuple[bytes, bytes]])
    return None
