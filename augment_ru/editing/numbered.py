"""What `numbers` and `abbreviations` share: places of a text with the ways in which they may be written."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from augment_ru.draws import Rng, Streams
from augment_ru.editing.replacing import written_like, writes_yo
from augment_ru.edits import Change, Edit, Note
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError, unknown
from augment_ru.language.prepositions import fitting
from augment_ru.text.batch import Batch

_PREPOSITION = re.compile(r"(?<![\w-])(со?|во?|ко?|об?)(?=\s+$)", re.IGNORECASE)
_OPENING = re.compile(r"(?:^|[.!?…]|\n)[\s\"«„(—–-]*$")


class Place(NamedTuple):
    """A range of a text, a new text for it, and the class of the change; `before`: a new form of its preposition."""

    start: int
    stop: int
    text: str
    kind: str
    before: tuple[int, int, str] | None = None


def check_classes(name: str, classes: Sequence[str], possible: Sequence[str]) -> None:
    """Check the option `classes` of an attack.

    Raises:
        AugmentError: there is no such class, or `classes` is empty.
    """
    if not classes:
        raise AugmentError(f"{name}.classes is empty; possible: {', '.join(possible)}")
    for one in classes:
        if one not in possible:
            raise unknown(f"{name}.classes", one, possible)


def open_sentence(text: str, place: int) -> bool:
    """Tell whether a sentence or a text may begin at this place."""
    return _OPENING.search(text[:place]) is not None


def fitted(text: str, place: Place) -> Iterator[Place]:
    """Yield a place with the capitals, the ё and the preposition of its text; nothing if its preposition is not certain.

    Figures never open a sentence.
    """
    new, opens = place.text, open_sentence(text, place.start)
    if opens and new[0].isdigit():
        return
    if not writes_yo(text):
        new = new.replace("ё", "е").replace("Ё", "Е")
    if opens and text[place.start : place.start + 1].isupper() | text[place.start : place.start + 1].isdigit():
        new = new[0].upper() + new[1:]
    match = _PREPOSITION.search(text[: place.start])
    word = match[1].lower() if match else ""
    if match is None or not new[0].isalpha():
        yield place._replace(text=new)
    elif form := fitting(word, new.split(" ")[0].lower()):
        before = None if form == word else (*match.span(1), written_like(form, match[1]))
        yield place._replace(text=new, before=before)


def proposed(batch: Batch, streams: Streams, found: Iterable[Sequence[Sequence[Place]]]) -> Proposals:
    """Propose a change for each place of each text, in one of its ways, drawn at random.

    Args:
        batch: the texts.
        streams: the random streams of the texts.
        found: for each text its places, each with at least one way.
    """
    draws = map(Rng, streams.keys.tolist())
    rows = zip(batch.texts, found, draws, strict=True)
    return Proposals.of_changes(batch, ([_change(text, rng, ways) for ways in places] for text, places, rng in rows))


def _change(text: str, rng: Rng, ways: Sequence[Place]) -> Change:
    place = ways[0] if len(ways) == 1 else rng.choice(ways)
    edits = [Edit(place.start, place.stop, place.text, Note(text[place.start : place.stop], place.kind))]
    if place.before:
        start, stop, form = place.before
        edits.insert(0, Edit(start, stop, form, Note(text[start:stop])))
    return rng.change(*edits)
