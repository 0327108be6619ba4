"""Batches: many texts in one array, with their annotation, protected spans and borders."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from augment_ru.draws import Floats, Ints, Keys, Streams
from augment_ru.edits import Span
from augment_ru.text import characters
from augment_ru.text.characters import BREAK, CLUSTER, DIGIT, WORD, Counts, Flags, Mask
from augment_ru.text.code_blocks import JSON
from augment_ru.text.context import NO_CONTEXT, Context
from augment_ru.text.doc import Annotate, Doc
from augment_ru.text.words import word_bounds

T = TypeVar("T")
OPTION = "OPTION"
"""The label of the protected spans of options and of their markers."""
CONTEXT = "CONTEXT"
"""The label of the text between labelled spans, which is protected where only the labelled spans are perturbed."""
PERSON = "PER"
"""The label of a protected span that is the name of a person."""
MARKER = 3
"""The number of characters of an option's marker, as in «(A)»."""
_FEW = 2
"""A text of at most this many letters, such as «А» or «ок», is too short to lose one."""
_BEGINNING = 12
"""How many characters `of_few_letters` reads first; in most texts they hold more than two letters, which is enough."""


class AttackView(NamedTuple):
    """States which protected spans of a batch an attack may edit, and which phrases count as one word for it.

    Attributes:
        exchanges_options: whether the attack may replace the wrong options (offered answers) of a question.
        exchanges: the labels of the protected names that the attack may replace, such as `PER` (persons).
        guards: the names of the constraints whose spans the attack may not touch, for any task (its guards).
        joins: the names of constraints; each span that they find counts as one word for the attack.
    """

    exchanges_options: bool
    exchanges: frozenset[str]
    guards: tuple[str, ...]
    joins: tuple[str, ...]


class Batch:
    """Holds several texts in one array of code points, with their annotation and protected spans. Immutable.

    A place in this array, counted through all texts, is called a global place. Text i is `codes[starts[i]:starts[i + 1]
    - 1]`; a line feed follows it.

    Args:
        texts: the texts.
        docs: the annotated texts; None if the texts are not annotated.
        protected: the protected spans of each text; by default no spans. The batch adds links, addresses, mentions,
            hashtags, markup, code and formulas (`atoms`).
        borders: the places in each text that no change may reach across, such as the starts of its options.
        annotate: a function that annotates texts. A composition calls it for the text that one attack passes on to the
            next.
        contexts: a function that returns what the record of each text says about the text, such as the right answers.
            It is called when `contexts` is first read. By default nothing is known.
        guarded: maps the name of each guard (a constraint that some attacks keep to) to its spans in each text. They
            are protected only from attacks that name this guard.

    Attributes:
        texts, borders, annotate, guarded: as given.
        codes: the code points of all texts, shape (codes,).
        starts: the global place where each text starts, and the end of the array, shape (texts + 1,).
        flags: for each code point, what it is (letter, digit, white space and so on) as a sum of bits, shape (codes,).
    """

    def __init__(
        self,
        texts: Sequence[str],
        docs: Sequence[Doc] | None = None,
        protected: Sequence[Sequence[Span]] = (),
        borders: Sequence[Sequence[int]] = (),
        annotate: Annotate | None = None,
        *,
        contexts: Callable[[], Sequence[Context]] | None = None,
        guarded: Mapping[str, Sequence[Sequence[Span]]] | None = None,
    ) -> None:
        self.texts = texts
        self._docs = docs
        self.codes, self.starts = characters.encode(self.texts)
        self.flags: Flags = characters.classes(self.codes)
        self.borders = borders
        self.annotate = annotate
        self._given = protected
        self._contexts = contexts
        self.guarded = guarded or {}
        self._prepared: Batch | None = None
        self._joined: Sequence[Sequence[Span]] = ()
        self._views: dict[AttackView, Batch] = {}
        self._kept: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def prepared(self) -> "Batch":
        """The batch before `seen_by` fitted it to one attack; this batch itself if `seen_by` was not called."""
        return self if self._prepared is None else self._prepared

    @cached_property
    def docs(self) -> Sequence[Doc]:
        """The texts with their annotation; if the texts are not annotated, documents without tokens."""
        return [Doc(text) for text in self.texts] if self._docs is None else self._docs

    def once(self, find: Callable[..., T], *options: Hashable) -> T:
        """Return `find(self, *options)`; it is computed once for this batch and these options, then taken from a cache.

        Args:
            find: a function of a batch and of the options.
            options: further arguments.
        """
        key = (find, *options)
        if key not in self._kept:
            self._kept[key] = find(self, *options)
        found: T = self._kept[key]
        return found

    @cached_property
    def contexts(self) -> Sequence[Context]:
        """The context of each text: what its record says about it, such as right answers, options and label."""
        return [NO_CONTEXT] * len(self.texts) if self._contexts is None else self._contexts()

    def draw(self, streams: Streams, places: Ints, lane: int = 0) -> Floats:
        """Draw a number from U[0, 1) for each of these places in the batch, shape (places,).

        The numbers do not depend on the other texts of the batch.

        Args:
            streams: the random streams of the texts.
            places: the global places (offsets in `codes`, the joined texts).
            lane: 0 or 1: each place has two independent random numbers. By convention 0 is used for ranks (a change is
                made if its rank is below the probability), and 1 for choices.
        """
        rows = self._row_of[places]
        return streams.uniform(rows, places - self.starts[rows], lane)

    def keys(self, streams: Streams, places: Ints) -> Keys:
        """Return a key (seed) of further random draws for each of these places in the batch, shape (places,).

        Args:
            streams: the random streams of the texts.
            places: the global places (offsets in `codes`, the joined texts).
        """
        rows = self._row_of[places]
        return streams.inner(rows, places - self.starts[rows])

    def seen_by(self, attack: AttackView) -> "Batch":
        """Return the batch for one attack: with the spans that are protected from it, and the words that it may edit.

        The spans of the attack's guards (constraints that it keeps to, whatever the task) are added to the protected
        spans. Some protected spans may be edited by certain attacks:

        - An attack that exchanges options (offered answers) may edit the texts of wrong ones («(B) пробка»), but not
          their markers, and not what another rule protects inside them.
        - An attack that exchanges names, such as those labelled `PER`, may edit them, unless the answers of the record
          depend on names (`Context.named`).

        Args:
            attack: what the attack may edit (`Attack.view`).
        """
        whole = self.prepared
        found = whole._views.get(attack) or whole._view(attack)  # noqa: SLF001  (another batch of this class)
        if found is not whole:  # which is not kept, so that a batch does not wait for the search for cycles
            whole._views[attack] = found  # noqa: SLF001
        return found

    def _view(self, attack: AttackView) -> "Batch":
        spans = self._with_free_options() if attack.exchanges_options else self._given
        names = attack.exchanges
        if names and any(span.label in names for row in spans for span in row):
            rows = zip(spans, self.contexts, strict=False)
            spans = [[one for one in row if one.label not in names or context.named] for row, context in rows]
        if attack.guards:
            given = spans or [()] * len(self)
            spans = [[*own, *more] for own, more in zip(given, self._of_guards(attack.guards), strict=True)]
        joined = self._of_guards(attack.joins)
        if spans is self._given and not any(joined):
            return self
        other = copy(self)
        other._prepared = self  # noqa: SLF001  (another batch of this class)
        for name in ("spans", "untouchable", "untouchable_before", "words"):  # these depend on the spans
            other.__dict__.pop(name, None)
        other._given, other._joined, other._kept = spans, joined, {}  # noqa: SLF001  (another batch of this class)
        return other

    def _of_guards(self, names: Sequence[str]) -> list[list[Span]]:
        """Return the spans of these guards in each text; a guard that the batch was not prepared with adds no span."""
        rows: list[list[Span]] = [[] for _ in range(len(self))]
        for name in names:
            for row, spans in zip(rows, self.guarded.get(name, ()), strict=False):
                row.extend(spans)
        return rows

    def _with_free_options(self) -> Sequence[Sequence[Span]]:
        """Return the given spans without the texts of wrong options."""
        spans: list[Sequence[Span]] = []
        for given, context in zip(self._given, self.contexts, strict=False):
            free = [
                span
                for span in given
                if span.label == OPTION
                and any(span.start <= wrong.start and span.stop == wrong.stop for wrong in context.wrong)
            ]
            markers = [Span(span.start, span.start + MARKER, OPTION) for span in free]
            spans.append([*(span for span in given if span not in free), *markers] if free else given)
        return self._given if all(new is given for new, given in zip(spans, self._given, strict=False)) else spans

    @cached_property
    def _row_of(self) -> Ints:
        return np.arange(len(self.texts)).repeat(self.lengths + 1)

    def rows(self, places: Ints) -> Ints:
        """Return the index of the text that each place in `codes` (the joined texts) is in, from 0, shape (places,)."""
        return self._row_of[places]

    @cached_property
    def lengths(self) -> Ints:
        """The number of code points of each text, shape (texts,)."""
        return self.starts[1:] - self.starts[:-1] - 1

    @cached_property
    def cuttable(self) -> Mask | None:
        """For each place in `codes` (the joined texts), whether an edit may start or stop there, shape (codes + 1,).

        No edit may start or stop inside a grapheme cluster, such as a letter with its combining mark. Protected spans
        are ignored here. The result is None if an edit may start and stop everywhere.
        """
        return characters.cuttable(self.codes, self.flags, self.starts)

    @cached_property
    def atoms(self) -> Sequence[Span]:
        """The links, markup, code and formulas of all texts, which no attack may touch, as spans of `codes`."""
        return characters.atoms(self.codes, self.flags, self.starts)

    @cached_property
    def in_json(self) -> Mask | None:
        """Whether each text is JSON, shape (texts,); None if no text is.

        In a JSON text only string values may change.
        """
        places = [span.start for span in self.prepared.atoms if span.label == JSON]
        if not places:
            return None
        return characters.marked(len(self), self.rows(np.array(places)))

    @cached_property
    def of_few_letters(self) -> Mask | None:
        """For each text, whether it has only one or two letters, shape (texts,); None if no text has so few."""
        bits = WORD | DIGIT | CLUSTER
        begins, ends = self.starts[:-1, None], self.starts[1:, None]
        heads = np.minimum(begins + np.arange(_BEGINNING), ends - 1)  # the line feed after a text is no letter
        if (((self.flags[heads] & bits) == WORD).sum(axis=1) > _FEW).all():  # mostly; no text is counted whole then
            return None
        letters = (self.flags & bits) == WORD
        counts = characters.counted(letters, self.starts[:-1], self.starts[1:])
        found: Mask = (counts > 0) & (counts <= _FEW)
        return found if found.any() else None

    @cached_property
    def spans(self) -> tuple[Ints, Ints, list[str]]:
        """The protected spans of all texts, sorted by place: their starts and stops in `codes`, and their labels."""
        found = [(one.start, one.stop, one.label) for one in self.prepared.atoms]  # found once for all attacks
        for at, spans in zip(self.starts.tolist(), self._given, strict=False):
            found += ((at + one.start, at + one.stop, one.label) for one in spans if one.start < one.stop)
        found.sort()
        places = np.array([one[:2] for one in found], dtype=np.int64).reshape(-1, 2)
        return places[:, 0], places[:, 1], [label for _, _, label in found]

    @cached_property
    def untouchable(self) -> Mask | None:
        """Whether each code point is protected, shape (codes,); None if no code point is."""
        starts, stops, _ = self.spans
        if not starts.size:
            return None
        begun, ended = (np.bincount(places, minlength=self.codes.size + 1) for places in (starts, stops))
        depth: Ints = begun - ended
        return depth[:-1].cumsum() > 0

    @cached_property
    def untouchable_before(self) -> Counts:
        """The number of protected code points before each place in `codes` (the joined texts), shape (codes + 1,)."""
        covered = np.zeros(self.codes.size, dtype=np.bool_) if self.untouchable is None else self.untouchable
        return characters.counts_before(covered)

    @cached_property
    def fences(self) -> Ints:
        """The places in `codes` (the joined texts of the batch) that no change may reach across, ascending.

        They are the starts of texts, borders inside texts (such as the starts of options), and, in a JSON text, the
        starts of the syntax between values.
        """
        fences = self.starts[:-1]
        inner = [] if self.in_json is None else [span.start for span in self.prepared.atoms if span.label == JSON]
        if inner or any(self.borders):
            borders = self.borders or [()] * len(self)
            inner += [start + border for start, row in zip(fences.tolist(), borders, strict=True) for border in row]
            fences = np.unique(np.concatenate([fences, np.array(inner, dtype=np.int64)]))
        return fences

    def segments(self, places: Ints) -> Ints:
        """Return the index of the segment that each place in `codes` (the joined texts) is in, shape (places,).

        A segment is a text, or a part of a text between two places that no change may reach across (`fences`).
        Segments are numbered from 0 in the whole batch.
        """
        if self.fences.size == len(self.texts):
            return self._row_of[places]
        return np.searchsorted(self.fences, places, side="right") - 1

    def sentences(self, places: Ints) -> Ints:
        """Return an index of the sentence or line that each place in `codes` (the joined texts) is in, shape (places,).

        Different sentences of the batch have different indices, in ascending order. A sentence ends at a mark such as
        «.» or «?», at a line end, or at a place that no change may reach across (`fences`).
        """
        return characters.counts_before((self.flags & BREAK) != 0)[places + 1] + self.segments(places)

    @cached_property
    def words(self) -> tuple[Ints, Ints]:
        """The starts and the stops, in `codes` (the joined texts), of the words that may be edited.

        A word that contains a protected character, or that starts or stops inside a grapheme cluster (a letter with its
        combining marks), is left out. If this batch was made for an attack that treats some phrases as one word
        (`AttackView.joins`), each of these phrases is one word.
        """
        starts, stops = word_bounds(self.codes, self.flags)
        if any(self._joined):
            starts, stops = self._merged(starts, stops)
        free = np.ones(starts.size, dtype=np.bool_)
        if self.untouchable is not None:
            before = self.untouchable_before
            free &= before[starts] == before[stops]
        if self.cuttable is not None:
            free &= self.cuttable[starts] & self.cuttable[stops]
            # a combining mark at the start of a text would join another character if it were moved after one
            free &= (self.flags[starts] & CLUSTER == 0) | ~np.isin(starts, self.starts)
        return starts[free], stops[free]

    def _merged(self, starts: Ints, stops: Ints) -> tuple[Ints, Ints]:
        """Merge the words inside each joined span into one word.

        Args:
            starts: the global start of each word, in order.
            stops: the global stop of each word.

        Returns:
            The starts and the stops of the words after merging.
        """
        firsts = np.ones(starts.size, dtype=np.bool_)
        for at, row in zip(self.starts.tolist(), self._joined, strict=False):
            for span in row:
                first, last = np.searchsorted(starts, (at + span.start, at + span.stop)).tolist()
                firsts[first + 1 : last] = False
        begins = np.flatnonzero(firsts)
        return starts[begins], stops[np.append(begins[1:], starts.size) - 1]

    def protected(self, row: int) -> list[Span]:
        """Return the protected spans of one text, sorted, with places counted from the start of the text.

        Args:
            row: the index of the text, from 0.
        """
        starts, stops, labels = self.spans
        at = int(self.starts[row])
        first, last = np.searchsorted(starts, self.starts[row : row + 2]).tolist()
        return [Span(int(starts[index]) - at, int(stops[index]) - at, labels[index]) for index in range(first, last)]
