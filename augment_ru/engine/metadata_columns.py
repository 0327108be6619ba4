"""The metadata of a chunk of rows as JSON, from columns: what `encoded` makes of the metadata of each result."""

from collections.abc import Iterable, Sequence
from itertools import repeat

import orjson

from augment_ru.edits import Note
from augment_ru.engine.result import METAS, UNCHANGED, Outcome, Perturbed, Settings, brief_metadata
from augment_ru.errors import unknown
from augment_ru.script import Triple


def is_spelt(settings: Settings) -> bool:
    """Tell whether metadata with these settings can be made here; not with a seed over 64 bits."""
    try:
        orjson.dumps(settings._asdict())
    except TypeError:
        return False
    return True


class Metadata:
    """The metadata of records that have one text each, all in the same field, under settings that are spelt.

    Args:
        meta: full, brief or none.
        field: the field.
        sources: the text of each record, as JSON.

    Raises:
        AugmentError: there is no such `meta`.
    """

    def __init__(self, meta: str, field: str, sources: Sequence[bytes]) -> None:
        if meta not in METAS:
            raise unknown("metadata", meta, METAS)
        self._meta, self._sources = meta, sources
        self._field = orjson.dumps(field)

    def of_chunk(self, chunk: Perturbed) -> list[bytes] | None:
        """Return the metadata of the results of a chunk; None for none."""
        if self._meta == "none":
            return None
        brief = _brief(chunk.settings, chunk.outcomes)
        if self._meta == "brief":
            return brief
        return self._full(brief, chunk.only_edits(), chunk.only_protected())

    def of_originals(self, settings: Settings) -> list[bytes] | None:
        """Return the metadata of rows that are left unperturbed; None for none."""
        if self._meta == "none":
            return None
        brief = _brief(settings, [UNCHANGED] * len(self._sources))
        return brief if self._meta == "brief" else self._full(brief, repeat(([], ())), repeat([]))

    def _full(
        self,
        brief: Iterable[bytes],
        edits: Iterable[tuple[Sequence[Triple], Sequence[Note | None]]],
        protected: Iterable[Sequence[Triple]],
    ) -> list[bytes]:
        """Brief metadata with the source, the edits with their notes, and the protected spans."""
        name = self._field
        found: list[bytes] = []
        for head, source, (triples, notes), spans in zip(brief, self._sources, edits, protected, strict=False):
            said = [note and note.values() for note in notes]
            found.append(
                b'%b,"source":{%b:%b},"edits":{%b:%b}%b,"protected":{%b:%b}}'
                % (
                    head[:-1],
                    name,
                    source,
                    name,
                    orjson.dumps(triples),
                    b',"notes":{%b:%b}' % (name, orjson.dumps(said)) if any(said) else b"",
                    name,
                    orjson.dumps(spans) if spans else b"[]",
                )
            )
        return found


def _brief(settings: Settings, outcomes: Sequence[Outcome]) -> list[bytes]:
    """Return the brief metadata of outcomes; that of outcomes which are one object is made once."""
    made: dict[int, bytes] = {}
    for outcome in {id(one): one for one in outcomes}.values():
        made[id(outcome)] = orjson.dumps(brief_metadata(settings, outcome))
    return [made[id(outcome)] for outcome in outcomes]
