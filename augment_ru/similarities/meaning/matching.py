"""From the edits of a text to the fates of its words: what the edits touch is matched with what they write."""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache

from augment_ru.edits import Edit
from augment_ru.language.morphology import is_known, lemmas_of
from augment_ru.similarities.meaning.words import Fates, Source, digits_of, form_of, forms_of

_MOST_PAIRS = 400
"""Of longer stretches nobody can say which new word is which old one misspelt."""
_NEAR = 0.5
"""A new word stands for an old one if it differs in at most this share of the letters of the longer one."""


def fates_of(source: Source, edits: Sequence[Edit], *, is_guess: bool = False) -> Fates:
    """Find what became of each word of a text under these edits.

    Args:
        source: the text.
        edits: in order.
        is_guess: whether the edits are guessed from two texts (`word_edits`): then words that are gone and new words
            may stand for each other wherever they are.
    """
    fates = Fates(source, is_guess=is_guess)
    return _matched(source, list(_stretches(source, edits, fates)), fates)


def _matched(source: Source, stretches: Sequence["_Stretch"], fates: Fates) -> Fates:
    """Return the fates with those of the words in these stretches added."""
    for stretch in stretches:
        _match_inside(source, stretch, fates)
    left = [stretch for stretch in stretches if stretch.old or stretch.new]
    for same in (_same_form, lemmas_of):
        _match_across(source, left, fates, same)
    for stretch in left:
        _match_near(source, stretch, fates)
        _leave(source, stretch, fates)
    if fates.moved:
        fates.order = list(_order(source, stretches))
    if fates.is_guess and fates.lost and (fates.inserted or fates.replaced):
        fates.replaced.append((fates.lost, [word for _, word in fates.inserted]))
        fates.lost, fates.inserted = [], []
    return fates


def word_edits(source: Source, text: str) -> list[Edit]:
    """Edits that lead from a text to another one, word by word."""
    new = Source(text)
    matcher = SequenceMatcher(None, source.forms, new.forms, autojunk=False)
    edits = []
    for what, first, last, begin, end in matcher.get_opcodes():
        if what != "equal":
            start = source.starts[first] if first < len(source.forms) else len(source.text)
            stop = source.stops[last - 1] if last > first else start
            written = text[new.starts[begin] : new.stops[end - 1]] if end > begin else ""
            edits.append(Edit(start, stop, written if last > first else f" {written} "))
    return edits


@dataclass(slots=True)
class _Stretch:
    """Words of the source that edits touch together, and the words that replace them.

    Attributes:
        first, last: the words touched are first to last - 1.
        old: the numbers of the words that have no counterpart yet.
        new: the words that replace them and have no counterpart yet, by their order.
        distance: how many letters the edits write or take.
        placed: from the order of a new word to the number of the old word that it is.
    """

    first: int
    last: int
    old: list[int]
    new: dict[int, str]
    distance: int
    placed: dict[int, int] = field(default_factory=dict)

    def match(self, at: int, number: int) -> None:
        """Note that a new word is this old word.

        Args:
            at: the order of the new word.
            number: the number of the old word.
        """
        del self.new[at]
        self.placed[at] = number


def _stretches(source: Source, edits: Sequence[Edit], fates: Fates) -> Iterator[_Stretch]:
    """Yield the stretches of the edits; words written as signs are noted at once."""
    held: list[Edit] = []
    first = last = 0
    for edit in edits:
        begin, end = _touched(source, edit)
        if end == begin + 1 and edit.read != edit.text and form_of(edit.read) == source.forms[begin]:
            fates.signs.append(begin)
        elif held and begin < last:
            held.append(edit)
            last = max(last, end)
        else:
            if held:
                yield _stretch(source, held, first, last)
            held, first, last = [edit], begin, end
    if held:
        yield _stretch(source, held, first, last)


def _touched(source: Source, edit: Edit) -> tuple[int, int]:
    """Return the number of the first word that an edit touches, and of the word after the last.

    An insertion touches a word if it stands inside it, or beside it and the letters grow together; so does an edit
    that takes away what stands between two words.
    """
    begin = bisect_right(source.stops, edit.start)
    end = bisect_left(source.starts, edit.stop)
    if edit.start == edit.stop:
        begin = bisect_left(source.stops, edit.start) if edit.text[:1].isalnum() else begin
        end = bisect_right(source.starts, edit.stop) if edit.text[-1:].isalnum() else end
    elif begin >= end and not edit.text and _are_letters(source.text, edit.start - 1, edit.stop):
        begin, end = begin - 1, end + 1
    return begin, max(begin, end)


def _are_letters(text: str, *places: int) -> bool:
    return all(0 <= place < len(text) and text[place].isalnum() for place in places)


def _stretch(source: Source, edits: Sequence[Edit], first: int, last: int) -> _Stretch:
    start, stop = edits[0].start, edits[-1].stop
    if first < last:
        start, stop = min(source.starts[first], start), max(source.stops[last - 1], stop)
    text, at, new, distance = source.text, start, "", 0
    for edit in edits:
        written = edit.read
        new += text[at : edit.start] + written
        at = edit.stop
        distance += max(at - edit.start, len(written))
    new += text[at:stop]
    return _Stretch(first, last, list(range(first, last)), dict(enumerate(forms_of(new))), distance)


def _match_inside(source: Source, stretch: _Stretch, fates: Fates) -> None:
    """Match the words that are unchanged and in order in their stretch; a single word may have other letters."""
    if len(stretch.old) == len(stretch.new) == 1:
        (number,), ((at, word),) = stretch.old, stretch.new.items()
        form = source.forms[number]
        if form != word:
            if stretch.distance >= max(len(form), len(word)):
                return
            if digits_of(form) != digits_of(word):  # another number
                return
            fates.damaged.append((number, word, stretch.distance))
        stretch.old = []
        stretch.match(at, number)
        return
    numbers, new = list(stretch.old), list(stretch.new.values())
    forms = [source.forms[number] for number in numbers]
    if len(forms) == 1 or len(new) == 1:  # the first that is the same
        found = next(
            ((at, place) for at, form in enumerate(forms) for place, word in enumerate(new) if form == word), None
        )
        if found is not None:
            stretch.old.remove(numbers[found[0]])
            stretch.match(found[1], numbers[found[0]])
        return
    for block in SequenceMatcher(None, forms, new, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            stretch.old.remove(numbers[block.a + step])
            stretch.match(block.b + step, numbers[block.a + step])


def _same_form(word: str) -> Sequence[str]:
    return (word,)


def _match_across(
    source: Source, stretches: Sequence[_Stretch], fates: Fates, same: Callable[[str], Sequence[str]]
) -> None:
    """Match the words that stand in another stretch, or in another order.

    Args:
        source: the text.
        stretches: its stretches.
        fates: what is found is added.
        same: returns the keys of a word; words that share a key are matched.
    """
    waiting: dict[str, deque[tuple[_Stretch, int]]] = {}
    if not any(stretch.new for stretch in stretches):
        return
    for stretch in stretches:
        for number in stretch.old:
            for key in same(source.forms[number]):
                waiting.setdefault(key, deque()).append((stretch, number))
    for stretch in stretches:
        for at, word in list(stretch.new.items()):
            found = next((one for key in same(word) if (one := _first(waiting.get(key)))), None)
            if found is None:
                continue
            home, number = found
            home.old.remove(number)
            stretch.match(at, number)
            is_same = source.forms[number] == word
            if home is not stretch or is_same:
                fates.moved.append(number)
            if not is_same:
                fates.reshaped.append((number, word))


def _first(waiting: "deque[tuple[_Stretch, int]] | None") -> tuple[_Stretch, int] | None:
    """Return the first word that has no counterpart yet, and drop the words before it."""
    while waiting:
        stretch, number = waiting[0]
        if number in stretch.old:
            return waiting[0]
        waiting.popleft()
    return None


def _match_near(source: Source, stretch: _Stretch, fates: Fates) -> None:
    """Match the words that are misspelt, parted by a space, or written together."""
    if not (stretch.old and stretch.new):
        return
    forms = [source.forms[number] for number in stretch.old]
    written = list(stretch.new.values())
    if "".join(forms) == "".join(written):
        for number, form in zip(stretch.old, forms, strict=True):
            fates.damaged.append((number, form, 1))
        stretch.placed.update(dict.fromkeys(list(stretch.new)[:1], stretch.old[0]))
        stretch.old, stretch.new = [], {}
        return
    if len(stretch.old) * len(stretch.new) > _MOST_PAIRS:
        return
    for number in list(stretch.old):
        near = _nearest(source.forms[number], stretch)
        if near is not None:
            apart, at = near
            fates.damaged.append((number, stretch.new[at], apart))
            stretch.old.remove(number)
            stretch.match(at, number)


def _nearest(form: str, stretch: _Stretch) -> tuple[int, int] | None:
    """The distance and the order of the new word that a word was misspelt as; None if no new word is near enough.

    A word that the dictionary has is another word and no misspelling.
    """
    best = None
    for at, word in stretch.new.items():
        longest = max(len(form), len(word))
        if abs(len(form) - len(word)) <= _NEAR * longest and not is_known(word) and not digits_of(word):
            apart = edit_distance(form, word)
            if apart <= _NEAR * longest:
                best = min(best or (apart, at), (apart, at))
    return best


def _leave(source: Source, stretch: _Stretch, fates: Fates) -> None:
    """Note the words of a stretch that have no counterpart."""
    old, new = stretch.old, list(stretch.new.values())
    if not new:
        fates.lost += old
    elif not old:
        fates.inserted += ((stretch.first, word) for word in new)
    elif any(is_known(word) or digits_of(word) for word in new):
        fates.replaced.append((old, new))
    else:  # nobody can read them
        fates.damaged += ((number, word, len(source.forms[number])) for number, word in zip(old, new, strict=False))
        fates.lost += old[len(new) :]


def _order(source: Source, stretches: Sequence[_Stretch]) -> Iterator[int]:
    """Yield the numbers of the words that are left, in their new order."""
    at = 0
    for stretch in stretches:
        yield from range(at, stretch.first)
        yield from (stretch.placed[place] for place in sorted(stretch.placed))
        at = stretch.last
    yield from range(at, len(source.forms))


_LONGEST = 40
"""Letters of words that are compared letter by letter."""


@lru_cache(maxsize=100_000)
def edit_distance(one: str, other: str) -> int:
    """Return the number of letters to replace, add or take away between two words (Levenshtein 1966).

    If a word has more than 40 letters, the length of the longer word.
    """
    if len(one) == len(other):
        differing = sum(left != right for left, right in zip(one, other, strict=True))
        if differing <= 1:
            return differing
    if max(len(one), len(other)) > _LONGEST:
        return max(len(one), len(other))
    row = list(range(len(other) + 1))
    for at, left in enumerate(one, start=1):
        before, row[0] = row[0], at
        for place, right in enumerate(other, start=1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (left != right))
    return row[-1]
