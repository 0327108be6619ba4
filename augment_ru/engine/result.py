"""Holds the results of attacks: for a chunk of records in columns, for each record as an object; makes their rows."""

import copy
import json
import math
import operator
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from html import escape
from itertools import chain, groupby, pairwise, repeat
from operator import itemgetter
from typing import Any, ClassVar, Literal, NamedTuple, Self, cast

import numpy as np
import orjson

from augment_ru.draws import Ints
from augment_ru.edits import Note, Span
from augment_ru.engine.edit_table import EditTable
from augment_ru.engine.prepare import Prepared
from augment_ru.engine.search import Cost, Found
from augment_ru.errors import AugmentError, brief, check_known
from augment_ru.formats.json_lines import encoded
from augment_ru.formats.row import Changed, lines_with, new_row, written
from augment_ru.records.field_paths import Path, path_of
from augment_ru.records.options import reordered
from augment_ru.records.record import AlikeRecords, Record
from augment_ru.script import Script, Triple
from augment_ru.text.batch import MARKER, OPTION, Batch
from augment_ru.text.characters import Mask
from augment_ru.text.words import word_bounds


class Part(NamedTuple):
    """A piece of a comparison of a text before and after its edits.

    Attributes:
        kind: `kept` (in both texts), `removed` (only in the source) or `added` (only in the new text).
        text: the characters.
    """

    kind: Literal["kept", "removed", "added"]
    text: str


def parts(script: Script) -> list[Part]:
    """Return the pieces of a comparison of a text before and after its edits, in order: kept, removed, added.

    The kept and removed pieces together are the source. The kept and added pieces together are the new text.

    >>> from augment_ru.edits import Edit
    >>> [f"{part.kind}: {part.text}" for part in parts(Script("кошка спит", [Edit(0, 5, "🐱")]))]
    ['removed: кошка', 'added: 🐱', 'kept:  спит']
    """
    at, found = 0, list[Part]()
    for edit in script.edits:
        removed = script.source[edit.start : edit.stop]
        found += [Part("kept", script.source[at : edit.start]), Part("removed", removed), Part("added", edit.text)]
        at = edit.stop
    found.append(Part("kept", script.source[at:]))
    return [part for part in found if part.text]


def visible(text: str) -> str:
    """Replace the invisible characters inside words by their code points, so that people see edits that insert them.

    Invisible characters that join the parts of an emoji stay.

    >>> visible("ко\u200bт 👩\u200d🎓")
    'ко⟨U+200B⟩т 👩\u200d🎓'
    """
    if text.isascii():
        return text
    shown, in_word = [], False
    for char in text:
        hidden = unicodedata.category(char) == "Cf"
        shown.append(f"⟨U+{ord(char):04X}⟩" if hidden and in_word else char)
        in_word = in_word if hidden else char.isalnum()
    return "".join(shown)


_TAGS = {
    "kept": ("", ""),
    "removed": ('<del style="background:#fdd;color:#900">', "</del>"),
    "added": ('<ins style="background:#dfd;color:#060;text-decoration:none">', "</ins>"),
}


def difference_html(script: Script) -> str:
    """Return a text as HTML that marks what its edits removed and added; all characters of the text are escaped.

    >>> from augment_ru.edits import Edit
    >>> difference_html(Script("a<b", [])), "<del" in difference_html(Script("кот", [Edit(0, 1, "К")]))
    ('a&lt;b', True)
    """
    return "".join(map(_marked, parts(script)))


def _marked(part: Part) -> str:
    before, after = _TAGS[part.kind]
    return f"{before}{escape(part.text if part.kind == 'kept' else visible(part.text))}{after}"


Status = Literal["perturbed", "unchanged", "rejected", "broken", "withstood", "wrong_before", "normalized"]
"""The status of a record.

Of an attack: perturbed (a perturbation passed the gate, which checks similarity), unchanged (nothing may be changed, or
no change has a rank below the probability), rejected (no perturbation passed). Of a search against a model: broken (a
set of changes breaks the answer), withstood (no such set was found), wrong_before (the answer to the original is
wrong), unchanged, rejected. Of a normalizer: normalized, unchanged.
"""

CLEAN = "clean"
"""The reason of an unchanged record that has legal changes, but none with a rank below the probability."""
SHORT = "short"
"""The reason of an unchanged record whose texts have at most two letters each, where any change makes another word."""
NOTHING = "nothing"
"""The reason of any other unchanged record: the attack has no legal change."""

STATUSES = ("perturbed", "unchanged", "rejected")

METAS = ("full", "brief", "none")
"""How much metadata is written. full: all; brief: all without the source, edits and protected spans; none: nothing."""

Scripts = Mapping[str, Script]
Spans = Mapping[str, tuple[Span, ...]]
NO_SPANS: Spans = {}


class Settings(NamedTuple):
    """The settings of an attack and its gate (its similarity check), which all results of the attack share.

    Attributes:
        attack: the name of the attack.
        seed: the seed of the random draws.
        scorer: the signature of the gate's similarity, which states all that a score depends on; "none" without a gate.
        threshold: the lowest similarity that passes; None without a gate.
        corpus: the digest of the corpus of texts that the attack reads; "" if it has none.
        draw: the number of the random draw. Another number gives the same text other changes.
        probability: the probability of the attack.
    """

    attack: str
    seed: int
    scorer: str
    threshold: float | None
    corpus: str = ""
    draw: int = 0
    probability: float = 0.0


class Outcome(NamedTuple):
    """Holds what was found for a record: its status, similarity and so on.

    Attributes:
        status: the status (see `Status`).
        probability: the probability at which the changes were made; None unless perturbed.
        similarity: the lowest similarity of the changed texts; None if nothing was scored.
        candidate: the index of the chosen candidate (one random perturbation), from 0; None unless perturbed.
        warnings: warnings about the record.
        reason: why the record is unchanged; None with another status.
        order: for each position, the old index of the option that is there now, from 0; empty if the order is kept.
        sentences: the field, start, stop and similarity of each changed sentence; empty unless several sentences
            changed.
    """

    status: Status
    probability: float | None = None
    similarity: float | None = None
    candidate: int | None = None
    warnings: tuple[str, ...] = ()
    reason: str | None = None
    order: tuple[int, ...] = ()
    sentences: tuple[tuple[str, int, int, float], ...] = ()


UNCHANGED = Outcome("unchanged")
"""The outcome of the attack "original"."""


@dataclass(frozen=True, eq=False)
class Perturbed:
    """Holds the results of one attack for a chunk (the records that it perturbed at once), in arrays.

    Attributes:
        settings: the settings of the attack and its gate (similarity check).
        prepared: the records, as the attack saw them.
        edits: the edits that were made in each text, in the order of the texts of the batch.
        found: what the search for similar new texts found for each record.
        possible: whether each record has a change with a rank (random number) below the probability, shape (records,).
        clean: whether each record has allowed changes, but none with a rank below the probability, shape (records,).
    """

    settings: Settings
    prepared: Prepared
    edits: EditTable
    found: Found
    possible: Mask
    clean: Mask

    def __len__(self) -> int:
        return len(self.prepared)

    @property
    def words(self) -> Ints:
        """The number of words of each original text, shape (texts,)."""
        batch = self.prepared.batch.prepared
        return np.bincount(batch.once(_rows_of_words), minlength=len(batch))

    @property
    def cost(self) -> Cost:
        """How much the search used the similarity: calls, scored pairs of texts, and texts that a network read."""
        return self.found.cost

    @cached_property
    def results(self) -> list["Result"]:
        """The results of all records, in their order."""
        return [Result(self, at) for at in range(len(self))]

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """The outcome for each record: its status, similarity and so on."""
        found, warned, sentences = self.found, self.warned, self._sentences
        scores = [None if math.isnan(score) else score + 0.0 for score in found.similarities.tolist()]  # no -0.0
        columns = (found.candidates.tolist(), found.probabilities.tolist(), scores, self.possible.tolist())
        made: dict[tuple[Any, ...], Outcome] = {}
        outcomes = []
        for at, found_of in enumerate(zip(*columns, self._reasons, strict=True)):
            key = found_of, warned.get(at, ()), found.orders.get(at, ())
            outcome = made.get(key) or made.setdefault(key, _outcome(*key))
            outcomes.append(outcome._replace(sentences=sentences[at]) if at in sentences else outcome)
        return outcomes

    @cached_property
    def _sentences(self) -> Mapping[int, tuple[tuple[str, int, int, float], ...]]:
        """The changed sentences (`Result.sentences`) of records with several of them, by the number of the record."""
        found: dict[int, list[tuple[str, int, int, float]]] = {}
        if self.found.sentences is None:
            return {}
        batch, starts, stops, scores = self.prepared.batch, *self.found.sentences
        rows, owners = batch.rows(starts).tolist(), self.prepared.owners.tolist()
        for row, start, stop, score in zip(rows, starts.tolist(), stops.tolist(), scores.tolist(), strict=True):
            text, at = batch.texts[row], int(batch.starts[row])
            sentence = text[start - at : stop - at].rstrip()
            one = (self.prepared.fields[row], start - at, start - at + len(sentence), score)
            found.setdefault(owners[row], []).append(one)
        return {owner: tuple(every) for owner, every in found.items()}

    @cached_property
    def _reasons(self) -> list[str]:
        """The reason that each record has if it is unchanged: `CLEAN`, `SHORT` or `NOTHING`."""
        rows, few = self.prepared.owners, self.prepared.batch.prepared.of_few_letters
        reasons = np.full(len(self), NOTHING, dtype=object)
        if few is not None:
            texts, longer = (np.bincount(of, minlength=len(self)) for of in (rows, rows[~few]))
            reasons[(texts > 0) & (longer == 0)] = SHORT
        reasons[self.clean] = CLEAN
        return cast("list[str]", reasons.tolist())

    @cached_property
    def warned(self) -> Mapping[int, tuple[str, ...]]:
        """The warnings about records, by the index of the record; records without warnings are absent."""
        ours, found = self.prepared.warnings, self.found.warnings
        return {at: every for at in {*ours, *found} if (every := (*ours.get(at, ()), *found.get(at, ())))}

    def scripts(self, at: int) -> Scripts:
        """Return the scripts (edits) of the record with this index, by field."""
        return {self.prepared.fields[row]: self.edits[row] for row in self.prepared.rows(at)}

    def protected(self, at: int) -> Spans:
        """Return the protected spans (no edit could touch them) of the record with this index, by field."""
        fields, rows = self.prepared.fields, self.prepared.rows(at)
        return {fields[row]: tuple(Span(*span) for span in self._spans[row]) for row in rows}

    def changed(self, at: int, meta: str) -> Changed:
        """Return the new values of the row of a record, and its metadata.

        Args:
            at: the index of the record, from 0.
            meta: how much metadata is returned: `full`, `brief` or `none`.
        """
        record, every = self.prepared.records[at], self.metadata(meta)
        metadata = None if every is None else every[at].decode()
        return Changed(new_values(record, self.scripts(at), self.outcomes[at].order), metadata)

    def lines(self, records: AlikeRecords, meta: str) -> Iterator[bytes]:
        """Yield each row with its new values as a line of JSON.

        Args:
            records: the records of these results, as they were read.
            meta: how much metadata is written: `full`, `brief` or `none`.
        """
        return lines_with(
            records, self.edits.texts, self.metadata(meta), lambda at: written(records[at], self.changed(at, meta))
        )

    def metadata(self, meta: str) -> Sequence[bytes] | None:
        """Return the metadata of each record as JSON, or None if `meta` is `none`.

        Args:
            meta: how much metadata is returned: `full`, `brief` or `none`.

        Raises:
            AugmentError: `meta` is another word.
        """
        check_known("metadata", meta, METAS)
        return None if meta == "none" else self._full if meta == "full" else self._brief

    @cached_property
    def _brief(self) -> list[bytes]:
        made = {one: encoded(brief_metadata(self.settings, one)).encode() for one in dict.fromkeys(self.outcomes)}
        return [made[one] for one in self.outcomes]

    @cached_property
    def _full(self) -> list[bytes]:
        prepared, edits = self.prepared, self.edits
        bounds = list(pairwise(edits.firsts.tolist()))
        further: Iterable[Mapping[str, Any]] = repeat({})
        if edits.notes:
            notes = [edits.notes[start:stop] for start, stop in bounds]
            rows = map(prepared.rows, range(len(self)))
            further = [noted({prepared.fields[row]: notes[row] for row in held}) for held in rows]
        return full_metadata(
            self._brief,
            prepared.fields,
            prepared.first_rows,
            sources=prepared.batch.texts,
            edits=[edits.triples[start:stop] for start, stop in bounds],
            further=further,
            spans=self._spans,
        )

    @cached_property
    def _spans(self) -> Sequence[Sequence[Triple]]:
        """The start, the stop and the label of each protected span, for each text."""
        batch, places = self.prepared.batch, self.prepared.batch.starts.tolist()
        starts, stops, labels = batch.spans
        found: list[list[Triple]] = [[] for _ in batch.texts]
        owners = batch.rows(starts).tolist() if labels else ()
        for row, start, stop, label in zip(owners, starts.tolist(), stops.tolist(), labels, strict=True):
            found[row].append((start - places[row], stop - places[row], label))
        for at in self.found.orders:
            for row in self.prepared.rows(at):
                found[row] = _unmoved(found[row], self.edits[row].triples)
        return found


def _unmoved(spans: Sequence[Triple], edits: Sequence[Triple]) -> list[Triple]:
    """Return the protected spans that still hold in a text whose options were permuted.

    These are the spans that no edit reaches; of an option that an edit reaches, its marker.

    Args:
        spans: the start, the stop and the label of each protected span.
        edits: the start, the stop and the new text of each edit.
    """
    found = []
    for start, stop, label in spans:
        reached = [at for at, end, _ in edits if at < stop and start < end]
        end = start + MARKER if label == OPTION and reached else stop
        if not reached or end <= min(reached):
            found.append((start, end, label))
    return found


def _rows_of_words(batch: Batch) -> Ints:
    return batch.rows(word_bounds(batch.codes, batch.flags)[0])


def _outcome(
    found: tuple[int, float, float | None, bool, str], warnings: tuple[str, ...], order: tuple[int, ...]
) -> Outcome:
    candidate, probability, similarity, possible, reason = found
    if candidate >= 0:
        return Outcome("perturbed", probability, similarity, candidate, warnings, order=order)
    if possible:
        return Outcome("rejected", None, similarity, None, warnings)
    return Outcome("unchanged", None, similarity, None, warnings, reason)


class Result:
    """The result of an attack for one record: its new texts, similarity, status and so on. Immutable and picklable."""

    _VALUES: ClassVar[tuple[str, ...]] = ("record", "scripts", "protected", "outcome", "settings")
    _chunk: Perturbed
    _at: int

    def __init__(self, chunk: Perturbed, at: int) -> None:
        self.__dict__.update(_chunk=chunk, _at=at)

    @classmethod
    def of(
        cls, record: Record, scripts: Scripts, protected: Spans, outcome: Outcome, settings: Settings, **more: object
    ) -> Self:
        """Make the result of one record; `Perturbed.results` makes those of all records that were perturbed at once.

        Args:
            record: the original record.
            scripts: the script (the edits) of each field.
            protected: the protected spans of each field.
            outcome: the status, similarity and so on.
            settings: the settings of the attack and its gate (similarity check).
            more: the additional values of a subclass, by name.
        """
        result = cls.__new__(cls)
        result.__dict__.update(
            record=record, scripts=scripts, protected=protected, outcome=outcome, settings=settings, **more
        )
        return result

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} is immutable: cannot set {name} to {value!r}")

    @cached_property
    def record(self) -> Record:
        """The original record."""
        return self._chunk.prepared.records[self._at]

    @cached_property
    def settings(self) -> Settings:
        """The settings of the attack and its similarity check: attack, seed, similarity, threshold, corpus, draw."""
        return self._chunk.settings

    @cached_property
    def outcome(self) -> Outcome:
        """The status, similarity and so on of the record; they are also properties of the result, such as `status`."""
        return self._chunk.outcomes[self._at]

    @cached_property
    def scripts(self) -> Scripts:
        """The script (the edits) of each field to perturb; there are no edits unless `status` is "perturbed"."""
        return self._chunk.scripts(self._at)

    @cached_property
    def protected(self) -> Spans:
        """The protected spans of each field: no edit was allowed to touch them."""
        return self._chunk.protected(self._at)

    @property
    def status(self) -> Status:
        """The status, such as "perturbed", "unchanged" (no change allowed or drawn), "rejected" (too dissimilar)."""
        return self.outcome.status

    @property
    def reason(self) -> str | None:
        """Why a record is unchanged; None for other records.

        "clean": changes are allowed, but none has a rank (the random number of a change) below the probability.
        "short": the texts have at most two letters each. "nothing": the attack has no change that is allowed.
        """
        return self.outcome.reason

    @property
    def probability(self) -> float | None:
        """The probability at which the changes were made, at most that of the attack; None unless perturbed.

        It is the share of the possible changes that the attack was to make. For the schedule `strongest` it is the
        largest probability that makes exactly these changes.
        """
        return self.outcome.probability

    @property
    def similarity(self) -> float | None:
        """The lowest similarity of the changed texts, at most 1, rounded to 4 digits; None if nothing was scored.

        For a rejected record it is the best similarity that failed.
        """
        return self.outcome.similarity

    @property
    def sentences(self) -> tuple[tuple[str, int, int, float], ...]:
        """The changed sentences: for each its field, its start and stop in the original text, and its similarity.

        The result is empty unless several sentences changed and each was scored by itself.
        """
        return self.outcome.sentences

    @property
    def candidate(self) -> int | None:
        """The index of the chosen candidate (one random perturbation), from 0; None unless perturbed.

        If several sentences changed, each has its own candidate. This is the candidate of the first of them.
        """
        return self.outcome.candidate

    @property
    def order(self) -> tuple[int, ...]:
        """The new order of the options (offered answers), as their old indices, from 0; empty if it did not change."""
        return self.outcome.order

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings, such as that something to protect is missing, or that a text is too long for the similarity."""
        return self.outcome.warnings

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._VALUES)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((self.record.key, self.outcome, self.settings))

    def __reduce__(self) -> tuple[Callable[[], Self], tuple[()]]:
        return partial(type(self).of, **dict(zip(self._VALUES, self._values(), strict=True))), ()

    def __repr__(self) -> str:
        texts = {name: script.text for name, script in self.scripts.items()}
        return f"Result({self.status}, {brief(texts)}, similarity={self.similarity}, probability={self.probability})"

    def _repr_html_(self) -> str:
        """Return the status, the similarity and the texts with their changes marked, as HTML; notebooks show it."""
        score = "" if self.similarity is None else f", similarity {self.similarity}"
        texts = "".join(
            f'<div style="white-space:pre-wrap">{f"<b>{escape(name)}:</b> " if len(self.scripts) > 1 else ""}'
            f"{difference_html(script)}</div>"
            for name, script in self.scripts.items()
        )
        return f"<div><small>{escape(self.status)}{score}</small>{texts}</div>"

    @property
    def script(self) -> Script:
        """The script (the edits) of the record's only perturbed field.

        Raises:
            AugmentError: the record has several such fields, or none.
        """
        if len(self.scripts) != 1:
            raise AugmentError(f"the record has {len(self.scripts)} texts: {', '.join(self.scripts)}; use .scripts")
        return next(iter(self.scripts.values()))

    @property
    def text(self) -> str:
        """The new text of the record's only perturbed field.

        Raises:
            AugmentError: the record has several such fields, or none.
        """
        if "scripts" in self.__dict__ or len(rows := self._chunk.prepared.rows(self._at)) != 1:
            return self.script.text
        return self._chunk.edits.texts[rows.start]

    @property
    def source(self) -> str:
        """The original text of the record's only perturbed field.

        Raises:
            AugmentError: the record has several such fields, or none.
        """
        return self.script.source

    def row(self, meta: str = "full") -> dict[str, Any]:
        """Return the row with its new texts and offsets, and with metadata under the key `augment`.

        Args:
            meta: how much metadata the row gets: `full`, `brief` or `none`.
        """
        return new_row(copy.deepcopy(dict(self.record.values)), self.changed(meta))

    def line(self, meta: str = "full") -> str:
        """Return the new row as a line of JSON; unchanged values are written with the characters that were read.

        Args:
            meta: how much metadata the row gets: `full`, `brief` or `none`.
        """
        return written(self.record, self.changed(meta))

    def changed(self, meta: str = "full") -> Changed:
        """Return the new values of the row (texts and offsets), and its metadata.

        Args:
            meta: how much metadata is returned: `full`, `brief` or `none`.
        """
        if "_chunk" in self.__dict__:
            return self._chunk.changed(self._at, meta)
        return Changed(new_values(self.record, self.scripts, self.outcome.order), self._metadata(meta))

    def metadata(self, meta: str = "full") -> dict[str, Any] | None:
        """Return the metadata that rows get under the key `augment`; None if `meta` is `none`.

        Args:
            meta: how much metadata is returned: `full`, `brief` or `none`.
        """
        found: dict[str, Any] | None = json.loads(self._metadata(meta) or "null")
        return found

    def _metadata(self, meta: str) -> str | None:
        """Return the metadata as JSON; None if `meta` is "none"."""
        if "_chunk" in self.__dict__:
            return self._chunk.changed(self._at, meta).metadata
        check_known("metadata", meta, METAS)
        if meta == "none":
            return None
        brief, scripts = encoded(self._brief()), self.scripts
        if meta == "brief":
            return brief
        found = [self.protected.get(name, ()) for name in scripts]
        (full,) = full_metadata(
            [brief.encode()],
            [*scripts],
            [0, len(scripts)],
            sources=[script.source for script in scripts.values()],
            edits=[script.triples for script in scripts.values()],
            further=[self._further()],
            spans=[[(span.start, span.stop, span.label) for span in spans] for spans in found],
        )
        return full.decode()

    def _brief(self) -> dict[str, Any]:
        """Return the brief metadata."""
        return brief_metadata(self.settings, self.outcome)

    def _further(self) -> dict[str, Any]:
        """Return the entries that the full metadata have after the edits, by name."""
        return self.notes()

    def notes(self) -> dict[str, Any]:
        """Return the entry `notes` of the metadata: for each field, the note of each edit (or None).

        A note is what an edit carries besides its new text, such as the class of the error. The result is empty if no
        edit has a note.
        """
        scripts = self.scripts.items()
        return noted({name: script.notes or [None] * len(script.triples) for name, script in scripts})


def brief_metadata(settings: Settings, outcome: Outcome) -> dict[str, Any]:
    """Return the metadata of a record without its original text, its edits and its protected spans.

    Args:
        settings: the settings of the attack and its gate (similarity check).
        outcome: the status, similarity and so on of the record.
    """
    brief: dict[str, Any] = {"attack": settings.attack, "status": outcome.status}
    if outcome.reason:
        brief["reason"] = outcome.reason
    brief["probability"] = outcome.probability
    brief["similarity"] = outcome.similarity
    brief["scorer"] = settings.scorer
    brief["threshold"] = settings.threshold
    brief["seed"] = settings.seed
    brief["candidate"] = outcome.candidate
    if outcome.sentences:
        brief["sentences"] = {
            name: [list(one[1:]) for one in held] for name, held in groupby(outcome.sentences, key=itemgetter(0))
        }
    if settings.draw or settings.corpus or outcome.warnings:
        brief |= occasional(draw=settings.draw, corpus=settings.corpus, warnings=outcome.warnings)
    return brief | ({"order": list(outcome.order)} if outcome.order else {})


def occasional(*, draw: int = 0, corpus: str = "", warnings: Sequence[str] = ()) -> dict[str, Any]:
    """Return the entries of the metadata that only some rows have.

    An entry is left out if its value is 0 or empty. A repeated warning is kept once.

    Args:
        draw: the number of the random draw.
        corpus: the digest of the corpus (collection of texts) that the attack read.
        warnings: warnings about the record.
    """
    entries = {"draw": draw, "corpus": corpus, "warnings": list(dict.fromkeys(warnings))}
    return {name: value for name, value in entries.items() if value}


def full_metadata(
    brief: Iterable[bytes],
    fields: Sequence[str],
    first_rows: Sequence[int],
    *,
    sources: Sequence[str],
    edits: Sequence[Sequence[Triple]],
    further: Iterable[Mapping[str, Any]],
    spans: Sequence[Sequence[Triple]],
) -> list[bytes]:
    """Return the full metadata of each record as JSON.

    Args:
        brief: the metadata of each record without its texts, edits and protected spans, as JSON.
        fields: the field of each text.
        first_rows: the index of each record's first text, followed by the number of texts.
        sources: each text before its edits.
        edits: the edits of each text, each as start, stop and new text.
        further: for each record, the entries that follow the edits in its metadata, by name.
        spans: the start, the stop and the label of each protected span of each text.
    """
    known = {name: encoded(name).encode() + b":" for name in dict.fromkeys(fields)}
    names = [known[name] for name in fields]
    have_one = list(first_rows) == list(range(len(fields) + 1))

    def column(values: Sequence[object]) -> list[bytes]:
        spelt = list(map(operator.add, names, map(orjson.dumps, values)))
        return spelt if have_one else [b",".join(spelt[start:stop]) for start, stop in pairwise(first_rows)]

    rows = zip(brief, column(sources), column(edits), further, column(spans), strict=False)
    return [
        b'%b,"source":{%b},"edits":{%b}%b,"protected":{%b}}'
        % (head[:-1], source, edits, f",{encoded(more)[1:-1]}".encode() if more else b"", own)
        for head, source, edits, more, own in rows
    ]


def noted(notes: Mapping[str, Sequence[Note | None]]) -> dict[str, Any]:
    """Return the entry `notes` of the metadata; an empty dictionary if no edit has a note.

    Args:
        notes: the notes of each field: for each edit what it carries besides its new text, or None.
    """
    values = {name: [note and note.values() for note in found] for name, found in notes.items()}
    return {"notes": values} if any(chain.from_iterable(values.values())) else {}


def new_values(record: Record, scripts: Scripts, order: Sequence[int] = ()) -> dict[Path, Any]:
    """Return the values of a row that edits change: new texts, and offsets that moved because of them.

    Args:
        record: the original record.
        scripts: the script (the edits) of each field.
        order: for each position, the old index of the option that is there now; empty if the options keep their order.
            A new order also changes the right answer, and options that stand in fields of their own.

    Returns:
        The new values, by their paths in the row.
    """
    values: dict[Path, Any] = {}
    new: list[str] = []
    for name, script in scripts.items():
        text = script.text
        if text != script.source:
            values[path_of(record.values, name)] = text
            new.append(name)
    for place in record.offsets() if new else ():
        if place.text in new:
            values[place.path] = place.after(scripts[place.text])
    if order:
        values.update(reordered(record, order).values)
    return values


def original(record: Record, seed: int) -> Result:
    """Return the result of the attack `original`, which changes nothing.

    Args:
        record: the record.
        seed: the seed, which is only stated in the metadata.
    """
    scripts = {name: Script(text) for name, text in record.texts().items()}
    return Result.of(record, scripts, NO_SPANS, UNCHANGED, Settings("original", seed, "none", None))
