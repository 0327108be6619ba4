"""Rewrites ranges of a text («5» as «пять»), for the attacks `numbers` and `abbreviations`."""

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from augment_ru.draws import Rng, Streams
from augment_ru.editing.error_classes import check_classes
from augment_ru.editing.replacing import writes_yo, written_like
from augment_ru.edits import Change, Edit, Note
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals
from augment_ru.language.morphology import has_form
from augment_ru.language.numerals import ends_in_short
from augment_ru.language.prepositions import fitting
from augment_ru.text.batch import Batch

_PREPOSITION = re.compile(r"(?<![\w-])(со?|во?|ко?|об?)(?=\s+$)", re.IGNORECASE)
_SHORT = re.compile(r"\b([а-яё]+)\.\s+$")
_OPENING = re.compile(r"(?:^|[.!?…]|\n)[\s\"«„(—–-]*$")


class Place(NamedTuple):
    """One way to rewrite a range of a text, such as «5» as «пять».

    Attributes:
        start, stop: the places where the range starts and stops.
        text: the new text.
        kind: the class of the change, such as `words`.
        before: the start, the stop and the new form of the preposition before the range, if it changes («с» to «со»);
            otherwise None.
        more: further ranges with their new texts, which change together with this one.
    """

    start: int
    stop: int
    text: str
    kind: str
    before: tuple[int, int, str] | None = None
    more: "tuple[Place, ...]" = ()


Ways = Sequence[tuple[Place, ...]]
"""The ranges of a text that can be rewritten: for each range, at least one way to rewrite it."""


def open_sentence(text: str, place: int) -> bool:
    """Tell whether a sentence may begin at this place: at the start of the text or a line, or after a sentence."""
    return _OPENING.search(text[:place]) is not None and not ends_in_short(text[:place])


def end_of_short(text: str, stop: int) -> int:
    """Return where an abbreviation ends, without its full stop if that also ends the sentence.

    Args:
        text: the text.
        stop: the place after the abbreviation with its full stop.

    Returns:
        `stop`, or the place before the full stop.
    """
    ends = text[stop - 1] == "." and re.match(r"\s*$|\s+[«\"—–-]*\s*[А-ЯЁA-Z]", text[stop:]) is not None
    return stop - ends


def fitted(text: str, place: Place) -> Iterator[Place]:
    """Fit the new text of a place to the text around it: its capital, its е or ё, and the preposition before it.

    Yield the fitted place. Yield nothing if the right form of the preposition is uncertain, if a number in figures
    would open a sentence, or behind an abbreviation that the dictionary lacks («с 1 янв. 2025»).

    Args:
        text: the text.
        place: the range of the text with the new text that replaces it.
    """
    new, opens = place.text, open_sentence(text, place.start)
    short = _SHORT.search(text[: place.start]) if opens else None
    if (opens and new[0].isdigit()) or (short and not has_form(short[1])):
        return
    if not writes_yo(text):
        new = new.replace("ё", "е").replace("Ё", "Е")
    if opens and text[place.start : place.start + 1].isupper() | text[place.start : place.start + 1].isdigit():
        new = new[0].upper() + new[1:]
    match = _PREPOSITION.search(text[: place.start])
    word = match[1].lower() if match else ""
    if match is None or not new[0].isalpha() or "." in new[:5]:
        yield place._replace(text=new)
    elif form := fitting(word, new.split(" ")[0].lower()):
        before = None if form == word else (*match.span(1), written_like(form, match[1]))
        yield place._replace(text=new, before=before)


def _one_way(text: str, row: Iterable[tuple[Place, ...]]) -> Ways:
    """Keep the ranges that change in the same class as the first one of their sentence.

    So a sentence does not get «5 тысяч руб.», with one word written out and the other shortened. Changes of the class
    `forms` go with every other class.
    """
    ways: dict[int, str] = {}
    kept = []
    for place in sorted(row, key=lambda one: one[0].start):
        kind, whole = place[0].kind, (place[0], *place[0].more)
        sentences = {len(_BREAK.findall(text[: one.start])) for one in whole if kind != "forms"}
        if all(ways.setdefault(sentence, kind) == kind for sentence in sentences):
            kept.append(place)
    return kept


_BREAK = re.compile(r"[.!?…]\s+[А-ЯЁ]|\n")


@dataclass(frozen=True, slots=True)
class WritesOtherwise(Attack):
    """Rewrite ranges of a text, such as numbers. If a range can be rewritten in several ways, one of them is drawn.

    Args:
        probability: the share of the ranges that change, in [0, 1].
        classes: which classes of changes are made; each attack that inherits from this class has classes of its own.

    Raises:
        AugmentError: there is no such class, or `classes` is empty.
    """

    group: ClassVar[str] = "otherwise"
    known: ClassVar[tuple[str, ...]]
    probability: float = 0.5
    classes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_classes(self.name, self.classes, self.known)

    @abstractmethod
    def places(self, text: str) -> Iterable[tuple[Place, ...]]:
        """Return, for each range of a text that can be rewritten, such as a number, all ways to rewrite it.

        Ways of all classes (such as `date`) are returned, also of those that the option `classes` leaves out.
        """

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose a change for each range of each text, such as a number, that can be rewritten."""
        return Proposals.of_changes(batch, self.changes(batch, streams))

    def changes(self, batch: Batch, streams: Streams) -> Iterator[list[Change]]:
        """Yield the changes of each text, one for each range (such as a number) that can be rewritten.

        Args:
            batch: the texts.
            streams: the random draws of each text.
        """
        rows = zip(batch.texts, map(Rng, streams.keys.tolist()), batch.once(_places, self), strict=True)
        for text, rng, found in rows:
            places = (ways[0] if len(ways) == 1 else rng.choice(ways) for ways in found)
            yield [rng.change(*edits_at(text, place)) for place in places]


def _places(batch: Batch, attack: WritesOtherwise) -> list[Ways]:
    return [list(in_pieces(text, attack)) for text in batch.texts]


def in_pieces(text: str, attack: WritesOtherwise) -> Iterator[tuple[Place, ...]]:
    """Yield, for each range of a text that an attack can rewrite, such as a number, the ways to do so.

    A text of over 1,000 characters is read in pieces, which is faster.
    """
    for piece in _PIECE.finditer(text) if len(text) > _LONG else _WHOLE.finditer(text):
        for ways in _one_way(piece[0], _fitted(piece[0], attack)):
            yield tuple(_moved(place, piece.start()) for place in ways)


def _moved(place: Place, by: int) -> Place:
    before = place.before and (place.before[0] + by, place.before[1] + by, place.before[2])
    more = tuple(_moved(one, by) for one in place.more)
    return place._replace(start=place.start + by, stop=place.stop + by, before=before, more=more)


_LONG = 1_000
_WHOLE = re.compile(r"(?s).+")
_PIECE = re.compile(
    r"(?s).{400,4000}?(?:(?:[а-яё]{6}[.!?…]|[!?…])\s+(?=[А-ЯЁ])|\n|\Z)|.{1,4000}(?:(?<=\s)|\Z)|.{1,4000}"
)
"""A piece of a long text: it ends where a sentence ends, but not after a possible abbreviation, or else at a space."""


def _fitted(text: str, attack: WritesOtherwise) -> Iterator[tuple[Place, ...]]:
    for places in attack.places(text):
        fits = (new for place in places if place.kind in attack.classes for new in _whole_fitted(text, place))
        if found := tuple(fits):
            yield found


def _whole_fitted(text: str, place: Place) -> Iterator[Place]:
    more = tuple(new for one in place.more for new in fitted(text, one))
    if len(more) == len(place.more):
        yield from (new._replace(more=more) for new in fitted(text, place))


def edits_at(text: str, place: Place) -> list[Edit]:
    """Return the edits that rewrite one place of a text, and what changes with it, such as its preposition."""
    edits = []
    for one in (place, *place.more):
        if one.before:
            start, stop, form = one.before
            edits.append(Edit(start, stop, form, Note(text[start:stop])))
        edits.append(Edit(one.start, one.stop, one.text, Note(text[one.start : one.stop], one.kind)))
    return edits
