"""Writes the metadata of a chunk of rows as JSON directly from columns, the same as row by row but faster."""

from collections.abc import Iterable, Sequence
from itertools import repeat

import orjson

from augment_ru.edits import Note
from augment_ru.engine.result import METAS, UNCHANGED, Outcome, Perturbed, Settings, brief_metadata
from augment_ru.errors import unknown
from augment_ru.script import Triple


def is_spelt(settings: Settings) -> bool:
    """Tell whether this module can write metadata with these settings; it cannot if the seed needs over 64 bits."""
    try:
        orjson.dumps(settings._asdict())
    except TypeError:
        return False
    return True


class Metadata:
    """Writes the metadata of records that have one text each, all in the same field.

    The settings must be ones for which `is_spelt` is True.

    Args:
        meta: how much metadata is written: full, brief or none.
        field: the field of the texts.
        sources: the original text of each record, as JSON.

    Raises:
        AugmentError: there is no such `meta`.
    """

    def __init__(self, meta: str, field: str, sources: Sequence[bytes]) -> None:
        if meta not in METAS:
            raise unknown("metadata", meta, METAS)
        self._meta, self._sources = meta, sources
        self._field = orjson.dumps(field)

    def of_chunk(self, chunk: Perturbed) -> list[bytes] | None:
        """Return the metadata of each result of a chunk, as JSON; None if `meta` is none."""
        if self._meta == "none":
            return None
        brief = _brief(chunk.settings, chunk.outcomes)
        if self._meta == "brief":
            return brief
        return self._full(brief, chunk.only_edits(), chunk.only_protected())

    def of_originals(self, settings: Settings) -> list[bytes] | None:
        """Return the metadata of each record's unperturbed row, as JSON; None if `meta` is none."""
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
        """Extend brief metadata by the source, the edits with their notes, and the protected spans.

        Args:
            brief: the brief metadata of each record, as JSON.
            edits: the edits of each record and their notes.
            protected: the start, the stop and the label of each protected span of each record.
        """
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
    """Return the brief metadata of outcomes as JSON; an outcome object that occurs several times is encoded once."""
    made: dict[int, bytes] = {}
    for outcome in {id(one): one for one in outcomes}.values():
        made[id(outcome)] = orjson.dumps(brief_metadata(settings, outcome))
    return [made[id(outcome)] for outcome in outcomes]
