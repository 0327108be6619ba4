"""Finds what edits did to the words of a text (their fates), by matching the words that edits touch with new words.

A stretch is a run of words that edits touch together, with the words that the edits write there.
"""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache

from augment_ru.language.morphology import has_form, is_known, lemmas_of
from augment_ru.similarities.meaning.claims import decides
from augment_ru.similarities.meaning.quantities import amounts_of
from augment_ru.similarities.meaning.words import Fates, Source, Written, digits_of, form_of, forms_of

_MOST_PAIRS = 400
"""The most pairs of an old and a new word in a stretch in which misspelt words are searched for."""
_NEAR = 0.5
"""A new word may be a misspelling of an old one if they differ in at most this share of the longer one's letters."""


def fates_of(source: Source, edits: Sequence[Written], other: Source | None = None) -> Fates:
    """Find what edits do to each word of a text: whether it is lost, misspelt, moved, replaced and so on.

    Args:
        source: the text, with its words.
        edits: the edits, sorted by place.
        other: the new text, if the edits are not known, but were guessed from the two texts (`word_edits`). None if the
            edits are known.
    """
    fates = Fates(source, edits=edits, other=other)
    if not (stretches := _stretches(source, edits, fates)):  # most edits only misspell words
        return fates
    for stretch in stretches:
        _match_inside(source, stretch)
    left = [stretch for stretch in stretches if stretch.old or stretch.new]
    for same in (lambda word: (word,), lemmas_of):
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


def guessed_fates(source: Source, text: str) -> Fates:
    """Find what became of each word of a text (lost, misspelt, moved, replaced…), if only the new text is known.

    Args:
        source: the original text, with its words.
        text: the new text.
    """
    new = Source(text)
    return fates_of(source, word_edits(source, new), new)


def word_edits(source: Source, new: Source) -> list[Written]:
    """Align an original with a new text word by word, and return edits that turn the original into the new text."""
    matcher = SequenceMatcher(None, source.forms, new.forms, autojunk=False)
    edits = []
    for what, first, last, begin, end in matcher.get_opcodes():
        if what != "equal":
            start = source.starts[first] if first < len(source.forms) else len(source.text)
            stop = source.stops[last - 1] if last > first else start
            written = new.text[new.starts[begin] : new.stops[end - 1]] if end > begin else ""
            written = written if last > first else f" {written} "
            edits.append((start, stop, written, written))
    return edits


@dataclass(slots=True)
class _Stretch:
    """A run of words of the source that edits touch together, and the new words that replace it.

    Attributes:
        first, last: the numbers of the touched words, as a half-open range: `last` is one past the last word.
        old: the numbers of the touched words that are not matched with a new word yet.
        new: the new words that are not matched yet, by their positions among all new words of the stretch.
        placed: the numbers of the matched old words, by the positions of their new words.
    """

    first: int
    last: int
    old: list[int]
    new: dict[int, str]
    placed: dict[int, int] = field(default_factory=dict)

    def match(self, at: int, number: int) -> None:
        """Note that a new word is the counterpart of an old word.

        Args:
            at: the position of the new word among the new words.
            number: the number of the old word.
        """
        del self.new[at]
        self.placed[at] = number


def _stretches(source: Source, edits: Sequence[Written], fates: Fates) -> list[_Stretch]:
    """Return the stretches of the edits, in order.

    A word that is written as a sign is in no stretch; it is added to `fates.signs`. Stretches of one word that is the
    same, or misspelt, are left out. A misspelt word is added to `fates.damaged`, with the number of characters that the
    edits insert or delete; a replacement counts the longer of both sides.
    """
    text, starts, stops, forms = source.text, source.starts, source.stops, source.forms
    found: list[_Stretch] = []
    first, last, at, new, distance = -1, 0, 0, "", 0
    beyond = len(text) + 1  # an edit there touches no word, so that the last stretch is closed, too
    for start, stop, written, said in (*edits, (beyond, beyond, "", "")):
        # it touches the words in which it stands, and those whose letters it joins
        begin = (bisect_left if written[:1].isalnum() else bisect_right)(stops, start)
        end = (bisect_right if written[-1:].isalnum() else bisect_left)(starts, stop)
        if begin >= end and not written and text[start - 1 : start].isalnum() and text[stop : stop + 1].isalnum():
            begin, end = begin - 1, end + 1  # a deletion joins two words
        if said != written and end == begin + 1 and form_of(said) == forms[begin]:
            fates.signs.append((begin, written))
            continue
        if begin < last:
            last = max(last, end)
        else:
            if first >= 0:
                words = forms_of(new + text[at : stops[last - 1]] if first < last else new)
                if last - first != 1 or len(words) != 1 or is_another(forms[first], words[0], distance):
                    found.append(_Stretch(first, last, list(range(first, last)), dict(enumerate(words))))
                elif words[0] != forms[first]:
                    fates.damaged.append((first, words[0], distance))
            first, last, new, distance = begin, max(begin, end), "", 0
            at = starts[first] if first < last and starts[first] < start else start
        new += text[at:start] + said
        distance += max(stop - start, len(said))
        at = stop
    return found


def _match_inside(source: Source, stretch: _Stretch) -> None:
    """Match the words of a stretch that are unchanged and keep their order."""
    numbers, new = list(stretch.old), list(stretch.new.values())
    forms = [source.forms[number] for number in numbers]
    if set(forms).isdisjoint(new):
        return
    for block in SequenceMatcher(None, forms, new, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            stretch.old.remove(numbers[block.a + step])
            stretch.match(block.b + step, numbers[block.a + step])


def is_another(form: str, word: str, apart: int) -> bool:
    """Tell whether readers take a new word for another word, not for the old word or a misspelling of the old word.

    They do if all letters differ, or if the sentence would claim something else, as with «ты» for «я».

    Args:
        form: the old word, in lower case.
        word: the new word, in lower case.
        apart: how many letters differ.
    """
    return form != word and ((apart > 1 and apart >= max(len(form), len(word)) > 1) or turns(form, word))


def turns(form: str, word: str) -> bool:
    """Tell whether a new word changes what a sentence claims: another number, or «же» in place of «не».

    Args:
        form: the old word, in lower case.
        word: the new word, in lower case.
    """
    if not (form.isalpha() and word.isalpha()) and digits_of(form) != digits_of(word):
        return True
    if (form[:2] == "не" or word[:2] == "не") and "не" in {word.removesuffix(form), form.removesuffix(word)}:
        return True
    return has_form(word) and (decides(form) or decides(word))


def _match_across(
    source: Source, stretches: Sequence[_Stretch], fates: Fates, same: Callable[[str], Sequence[str]]
) -> None:
    """Match the words that moved to another stretch, or to another position in their stretch.

    Args:
        source: the text.
        stretches: the stretches; matched words are removed from `old` and `new`.
        fates: the fates; moved and reshaped words are added.
        same: returns the keys of a word; an old and a new word that share a key are matched.
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
    """Remove words that are matched already from the front of a queue; return the next word, or None if it is empty."""
    while waiting:
        stretch, number = waiting[0]
        if number in stretch.old:
            return waiting[0]
        waiting.popleft()
    return None


def _match_near(source: Source, stretch: _Stretch, fates: Fates) -> None:
    """Match the words of a stretch that are misspelt, split by a space, or written together."""
    if not (stretch.old and stretch.new):
        return
    forms = [source.forms[number] for number in stretch.old]
    written = list(stretch.new.values())
    joined, rest, read = "".join(written), iter(forms[0]), list[tuple[int, str, int]]()
    if "".join(forms) == joined:  # joined words are read at sight
        read = [(number, form, len(written) > len(forms)) for number, form in zip(stretch.old, forms, strict=True)]
    elif len(forms) == 1 < len(written) and not digits_of(forms[0]) and all(letter in rest for letter in joined):
        read = [(stretch.old[0], joined, len(forms[0]) - len(joined))]  # «ш*м*т»
    if read:
        fates.damaged += read
        stretch.placed[next(iter(stretch.new))] = stretch.old[0]
        stretch.old, stretch.new = [], {}
    for number in list(stretch.old) if len(stretch.old) * len(stretch.new) <= _MOST_PAIRS else ():
        near = _nearest(source.forms[number], stretch)
        if near is not None:
            apart, at = near
            fates.damaged.append((number, stretch.new[at], apart))
            stretch.old.remove(number)
            stretch.match(at, number)


def _nearest(form: str, stretch: _Stretch) -> tuple[int, int] | None:
    """Find the new word of a stretch that is most likely a misspelling of a word.

    New words that the dictionary has count as other words, not as misspellings.

    Args:
        form: the form of the word.
        stretch: the stretch of the word.

    Returns:
        The edit distance and the position of the new word; None if no new word is near enough (`_NEAR`).
    """
    best = None
    for at, word in stretch.new.items():
        longest = max(len(form), len(word))
        near = abs(len(form) - len(word)) <= _NEAR * longest or form.startswith(word)
        if near and not is_known(word) and not turns(form, word):
            apart = 1 if len(word) > 1 and form.startswith(word) else edit_distance(form, word)  # «дет.» for «детской»
            if apart <= _NEAR * longest:
                best = min(best or (apart, at), (apart, at))
    return best


def _leave(source: Source, stretch: _Stretch, fates: Fates) -> None:
    """Add the words of a stretch that remain without a counterpart to `fates`: lost, inserted, replaced or damaged."""
    old, new = stretch.old, list(stretch.new.values())
    if not new:
        fates.lost += old
    elif not old:
        fates.inserted += ((stretch.first, word) for word in new)
    elif any(is_known(word) or amounts_of(word) for word in new):
        fates.replaced.append((old, new))
    else:  # nobody can read them
        fates.damaged += ((number, word, len(source.forms[number])) for number, word in zip(old, new, strict=False))
        fates.lost += old[len(new) :]


def _order(source: Source, stretches: Sequence[_Stretch]) -> Iterator[int]:
    """Yield the numbers of the source's words that remain in the new text, in their new order."""
    at = 0
    for stretch in stretches:
        yield from range(at, stretch.first)
        yield from (stretch.placed[place] for place in sorted(stretch.placed))
        at = stretch.last
    yield from range(at, len(source.forms))


_LONGEST = 40
"""The most letters of a word that is compared letter by letter."""


@lru_cache(maxsize=100_000)
def edit_distance(one: str, other: str) -> int:
    """Return the edit distance of two words: the fewest letters to replace, insert or delete (Levenshtein 1966).

    Words of more than 40 letters are not compared in full. Their distance is the length of the longer word, unless the
    words are equally long and differ in at most one letter.
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
