"""Слова пишут, как говорят в чате: «Сейчас скину фотографию, он вообще спит» → «Ну щас скину фотку, он ваще спит»."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np

from augment_ru.draws import Floats, Ints, Streams
from augment_ru.editing.error_classes import CountedErrors, weighted_ranks
from augment_ru.editing.on_demand import Rewritten, written_together
from augment_ru.editing.separators import lone
from augment_ru.editing.style import STYLES, in_chats, is_loose
from augment_ru.editing.word_forms import FormTable, WordForms, form_table, with_e
from augment_ru.edits import Note
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError, check_known
from augment_ru.resources import dictionary_path, listed_in, number_in, rows, word_lists
from augment_ru.text.batch import Batch
from augment_ru.text.characters import DIGIT, SPACE, Mask, among

_BRACES = re.compile(r"\{([^{}]*)\}")
_FIRST, _COMMA, _ANY = "^", ", ", "*"
_OPENERS = ("asked", "dated", "later", "said", "told")
"""The kinds of first words of sentences before which a filler may stand.

`told` are those of `filler_places` in the first sentence of a text, `later` the same ones in another sentence.
"""
_READ = "old"
"""The class of forms that normalizers read, and that hardly anybody writes today."""
_REMEMBERED = 100_000


class Spoken(NamedTuple):
    """A form in which people write a word as they say it: «щас» for «сейчас».

    Attributes:
        text: the form.
        kind: its class: `word`, `ending` or `filler`.
        share: how often people write this form where they could, in [0, 1].
    """

    text: str
    kind: str
    share: float


@dataclass(frozen=True, slots=True)
class Entry:
    """The spoken forms («щас») of one word or phrase («сейчас»).

    Attributes:
        written: the word or phrase in lower case, with the signs of the dictionary. `^` means at the start of a
            sentence, a comma means after a comma, `*` stands for any word or any beginning of a word.
        forms: the spoken forms.
    """

    written: str
    forms: tuple[Spoken, ...]

    @property
    def rate(self) -> float:
        """The share of the occurrences of this word or phrase for which people write a spoken form, in [0, 1]."""
        return min(sum(form.share for form in self.forms), 1.0)

    @property
    def opens(self) -> bool:
        """Whether the forms are fillers that are put before the first word of a sentence."""
        return self.written[0] == _FIRST and self.written[-1] == _ANY

    def spoken(self, form: Spoken, old: str) -> str:
        """Return a spoken form of a word or phrase with the capitals of the old text.

        A filler («ну») is put before the old text. An ending replaces the ending of the old text.

        Args:
            form: one of the spoken forms of this word or phrase.
            old: the text that it replaces.
        """
        if self.opens:
            filler = form.text.removesuffix(_ANY)
            return _capitalised(filler, old) + old[:1].lower() + old[1:]
        if self.written.startswith(_ANY):
            stem = old[: 1 - len(self.written)]
            return stem + (form.text.upper() if _is_shouted(old) else form.text)
        if _is_shouted(old):
            return form.text.upper()
        return _capitalised(form.text, old)


def _capitalised(text: str, old: str) -> str:
    return text[:1].upper() + text[1:] if old[:1].isupper() else text


def _is_shouted(word: str) -> bool:
    return len(word) > 1 and word.isupper()


Places: TypeAlias = tuple[Ints, Ints]
"""Places where spoken forms may be written, in columns: the number of the word, the number of the entry."""


class SpokenForms:
    """The spoken forms («щас») that a dictionary has for words and phrases («сейчас»).

    Args:
        entries: the words and phrases with their spoken forms.

    Attributes:
        entries: the words and phrases, as they were given.
        rates: for each word or phrase, the share of its occurrences for which people write a spoken form, shape
            (entries,).
        fillers: a table (see `form_table`) of the words by which a filler («ну», «короче») is recognised in a text.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        self._forms = [(entry, form) for entry in entries for form in entry.forms]
        counts = np.array([len(entry.forms) for entry in entries], dtype=np.int64)
        self._bounds = np.concatenate([[0], np.cumsum(counts)])
        self._shares = np.concatenate([[0.0], np.cumsum([form.share for _, form in self._forms])])
        self.rates = np.array([entry.rate for entry in entries], dtype=np.float64)
        self._endings = [(entry.written[1:], at) for at, entry in enumerate(entries) if entry.written[0] == _ANY]
        self._openers = {one.written[1:-1]: at for at, one in enumerate(entries) if one.opens}
        said = {form.text for at in self._openers.values() for form in entries[at].forms}
        said |= {form.text for entry in entries if entry.written.startswith(_COMMA) for form in entry.forms}
        self.fillers = form_table(sorted({text.removesuffix(f" {_ANY}").split()[-1].strip(",") for text in said}))
        numbers = {entry.written: at for at, entry in enumerate(entries) if _ANY not in entry.written}
        self._behind = with_e({text.removeprefix(_COMMA): at for text, at in numbers.items() if text[0] == ","})
        self._elsewhere = with_e({text: at for text, at in numbers.items() if text[0] not in "^,"})
        first = with_e({text.removeprefix(_FIRST): at for text, at in numbers.items() if text[0] == _FIRST})
        self._at_first = {**self._elsewhere, **first}
        self.made = lru_cache(maxsize=_REMEMBERED)(self._made)

    def words(self, forms: WordForms, first: Mask) -> tuple[Places, Places]:
        """Find the words of a batch that have a spoken form, and the phrases of two words that have one.

        Args:
            forms: the words of the batch.
            first: whether each word begins a sentence, shape (words,).

        Returns:
            A pair of arrays for words, and a pair for phrases. The first array of a pair has the index of each word
            found, or of the first word of each phrase. The second one has the index of its entry in `entries`.
        """
        single, entries = self._listed(forms.texts, first)
        pairs, phrases = self._listed(forms.pairs, first)
        ends = [(forms.end_in(ending), at) for ending, at in self._endings]
        words = np.concatenate([single, *(words for words, _ in ends)])
        entries = np.concatenate([entries, *(np.full(words.size, at) for words, at in ends)])
        _, at = np.unique(words, return_index=True)  # a word that is listed does not change its ending
        denied = np.array([at > 0 and forms.texts[at - 1] == "не" for at in pairs.tolist()], dtype=np.bool_)
        return (words[at], entries[at]), (pairs[~denied], phrases[~denied])

    def _listed(self, texts: Sequence[str], first: Mask) -> Places:
        tables = self._elsewhere, self._at_first
        numbers = np.array(
            [tables[opens].get(text, -1) for text, opens in zip(texts, first.tolist(), strict=True)], dtype=np.int64
        )
        words = np.flatnonzero(numbers >= 0)
        return words, numbers[words]

    def drawn(self, entries: Ints, points: Floats) -> Ints:
        """Draw one spoken form for each word or phrase; a form that people write more often is likelier.

        Args:
            entries: the index of each word or phrase in `self.entries`.
            points: a draw from U[0, 1) for each word or phrase, same shape.

        Returns:
            The index of each drawn form among all forms of the dictionary; same shape.
        """
        firsts, lasts = self._bounds[entries], self._bounds[entries + 1]
        targets = self._shares[firsts] + points * (self._shares[lasts] - self._shares[firsts])
        numbers: Ints = np.clip(np.searchsorted(self._shares, targets, side="right") - 1, firsts, lasts - 1)
        return numbers

    def _made(self, number: int, old: str) -> Rewritten:
        """Write a spoken form instead of a word or phrase; return the new text, and the note of its edit.

        Args:
            number: the index of the form among all forms of the dictionary, as `drawn` returns it.
            old: the word or phrase that is replaced.
        """
        entry, form = self._forms[number]
        return entry.spoken(form, old), Note(old, form.kind)

    def starts(self, forms: WordForms, words: Ints, asks: Mask, opens: Mask) -> Places:
        """Return the words before which a filler («ну») may be put, and the entry of these fillers in the dictionary.

        Args:
            forms: the words of a batch.
            words: the indices of words that begin a sentence.
            asks: whether the sentence of each of them is a question, shape (words,).
            opens: whether each of them is the first word of its text, shape (words,).

        Returns:
            The indices of the words, and for each the index of the entry in `entries`.
        """
        where = {"asked": asks, "told": ~asks & opens, "later": ~asks & ~opens}
        fits = np.zeros((len(self._openers), words.size), dtype=np.bool_)
        for row, kind in enumerate(self._openers):
            table = _table("told" if kind == "later" else kind)
            fits[row] = where.get(kind, ~asks) & forms.ranges_in(table, forms.starts[words], forms.stops[words])
        numbers, at = np.nonzero(fits)
        return words[at], np.array(list(self._openers.values()), dtype=np.int64)[numbers]

    def behind(self, forms: WordForms, behind_comma: Mask, clause: Mask) -> tuple[Places, Places]:
        """Find where a filler («типа») may be put after a conjunction.

        Args:
            forms: the words of a batch.
            behind_comma: whether each word follows a comma, shape (words,).
            clause: whether each word would begin a clause if a conjunction stood before it, shape (words,).

        Returns:
            A pair of arrays for conjunctions of one word («что»), and a pair for conjunctions of two words. The first
            array of a pair has the index of each conjunction's first word. The second one has the index of its entry in
            `entries`.
        """
        found = []
        padded = np.concatenate([clause, [False, False]])
        beside = np.concatenate([forms.beside, [False, False]])
        of_one, of_two = forms.find(self._behind), forms.find_pairs(self._behind)
        for length, (words, entries) in enumerate((of_one, of_two), start=1):
            fits = behind_comma[words] & beside[words + length - 1] & padded[words + length]
            found.append((words[fits], entries[fits]))
        return found[0], found[1]


@cache
def spoken_forms(dictionary: str, classes: tuple[str, ...], possible: tuple[str, ...]) -> SpokenForms:
    """Read the spoken forms («щас» for «сейчас») of some classes from a dictionary.

    The columns of the dictionary are: written form («сейчас»); spoken form («щас»); its class; the share of the uses of
    the written form that people write so.

    Args:
        dictionary: the name of a shipped dictionary, or a path that ends in .tsv.
        classes: the classes wanted.
        possible: the classes that the attack knows.

    Raises:
        AugmentError: there is no such dictionary, or one of its lines is malformed.
    """
    found: dict[str, list[Spoken]] = {}
    for written, spoken, kind, cell in rows(dictionary_path(dictionary), columns=4):
        where = f"{dictionary}: {written} {spoken}"
        if kind not in (*possible, _READ):
            raise AugmentError(f"{where}: class {kind}; possible: {', '.join(possible)}")
        if written[0] == _FIRST and written[-1] == _ANY and written[1:-1] not in _OPENERS:
            raise AugmentError(f"{where}: kind {written[1:-1]!r}; possible: {', '.join(_OPENERS)}")
        share = number_in(f"{where}: share", cell, most=1.0)
        if kind in classes:
            for key, text in expanded(where, written, spoken):
                found.setdefault(key, []).append(Spoken(text, kind, share))
    return SpokenForms([Entry(key, tuple(_fitting(key, found))) for key in found])


def _fitting(key: str, found: Mapping[str, list[Spoken]]) -> list[Spoken]:
    """Return the spoken forms of a key; at the start of a sentence also the forms that may be written anywhere."""
    anywhere = found.get(key.removeprefix(_FIRST), []) if key.startswith(_FIRST) else []
    return [*found[key], *anywhere]


def expanded(where: str, written: str, spoken: str) -> Iterator[tuple[str, str]]:
    """Yield each written form that a line of the dictionary stands for, together with its spoken form.

    >>> list(expanded("", "комп{,а}", "пк{,шка}"))
    [('комп', 'пк'), ('компа', 'пкшка')]

    Args:
        where: the place of the line, for messages of errors.
        written: the written form, possibly with several endings in braces.
        spoken: the spoken form, with as many endings in braces.

    Raises:
        AugmentError: the braces of the two forms have different numbers of endings.
    """
    old, new = _BRACES.search(written), _BRACES.search(spoken)
    if old is None:
        yield written, spoken
        return
    endings = old[1].split(",")
    others = new[1].split(",") if new else [""] * len(endings)
    if len(others) != len(endings):
        raise AugmentError(f"{where}: {len(endings)} endings, and {len(others)} of what is spoken; give as many")
    for ending, other in zip(endings, others, strict=True):
        text = spoken[: new.start()] + other + spoken[new.end() :] if new else spoken
        yield written[: old.start()] + ending + written[old.end() :], text


CLASSES = ("ending", "filler", "word")
_LEAST_POINTS = 2
"""The points of style that a text needs."""
_LEAST_WORDS = 3
"""The fewest words of a sentence that may begin with a filler; one of two words is often a heading or a greeting."""


@dataclass(frozen=True, slots=True)
class Colloquial(CountedErrors):
    """Write words as they are spoken in chats, and put fillers («ну») where a clause begins.

    - `word`: spoken forms of words and phrases («щас», «ваще», «комп», «мб»); nouns keep their grammatical case;
    - `ending`: -тся and -ться written as -цца;
    - `filler`: «ну», «короче, » before some first words of a sentence; «типа» and others after a conjunction.

    A sentence gets at most one filler, and none if it already has one. The more often people write a form, the more
    often this attack writes it. Only texts in the style of a chat or a review change (`editing.style`). Quotations are
    not changed.

    Args:
        probability: the share of the possible places that change in an average text, in [0, 1]. Possible places are the
            words of the dictionary, verbs in -ся, and starts of sentences and of clauses.
        classes: which of these classes of forms are used.
        rates: the dictionary that says how often people write the forms of each class.
        forms: the dictionary of the forms. Its columns are: written form («сейчас»); spoken form («щас»); class of the
            form; share of the uses of the written form that people write so.
        styles: which texts change: `chat`, texts in the style of a chat or a review; `any`, all texts.

    Raises:
        AugmentError: there is no such class, dictionary or style, `classes` is empty, or a line of a dictionary is
            malformed.
    """

    group: ClassVar[str] = "people"
    known: ClassVar[tuple[str, ...]] = CLASSES
    probability: float = 0.2
    classes: tuple[str, ...] = CLASSES
    rates: str = "colloquial_classes"
    forms: str = "colloquial"
    styles: str = "chat"

    def __post_init__(self) -> None:
        CountedErrors.__post_init__(self)
        check_known(f"{self.name}.styles", self.styles, STYLES)
        self._spoken()

    def _spoken(self) -> SpokenForms:
        return spoken_forms(self.forms, self.classes, CLASSES)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose one spoken form or filler for every word or phrase that can have one."""
        spoken, mean, forms = self._spoken(), self.mean_rate, batch.once(WordForms)
        first, sentences = forms.first, batch.sentences(forms.starts)
        words, phrases = spoken.words(forms, first)
        starts, (behind, behind_phrases) = _filled(batch, forms, spoken, first, sentences)
        columns = [  # what changes, whether it is a phrase, whether it is a filler
            (words, False, False),
            (phrases, True, False),
            (starts, False, True),
            (behind, False, True),
            (behind_phrases, True, True),
        ]
        every, entries = (np.concatenate(column) for column in zip(*(one for one, _, _ in columns), strict=True))
        sizes = [one[0].size for one, _, _ in columns]
        is_pair = np.repeat([pair for _, pair, _ in columns], sizes)
        is_filler = np.repeat([filler for _, _, filler in columns], sizes)
        # ranks of fillers are drawn in the lane of choices, so that they do not depend on the ranks of the words
        draws = np.empty(every.size)
        for lane, chosen in enumerate((~is_filler, is_filler)):
            draws[chosen] = batch.draw(streams, forms.starts[every[chosen]], lane)
        ranks = weighted_ranks(draws, spoken.rates[entries], mean)
        kept = np.ones(every.size, dtype=np.bool_)
        if self.styles == "chat":
            kept = in_chats(batch, forms.starts[every], _LEAST_POINTS)
            places = forms.starts[every[is_filler]]
            loose = np.array([is_loose(text) for text in batch.texts], dtype=np.bool_)
            kept[is_filler] &= in_chats(batch, places, _LEAST_POINTS + 1) & loose[batch.rows(places)]
        kept &= _one_filler(sentences, every, ranks, is_filler)
        kept &= _apart(forms.starts.size, every, ranks, is_pair, kept)
        order = np.flatnonzero(kept)[np.argsort(every[kept], kind="stable")]
        every, entries = every[order], entries[order]
        begins, ends = forms.starts[every], forms.stops[every + is_pair[order]]
        points = batch.draw(Streams.of(streams.keys, "form"), begins)

        def make(indices: Ints, olds: list[str]) -> list[Rewritten]:
            numbers = spoken.drawn(entries[indices], points[indices]).tolist()
            return [spoken.made(number, old) for number, old in zip(numbers, olds, strict=True)]

        return written_together(batch, begins, ends, ranks[order], make)


@cache
def _table(kind: str) -> FormTable:
    return form_table(sorted(word_lists("filler_places")[kind]))


def _filled(
    batch: Batch, forms: WordForms, spoken: SpokenForms, first: Mask, sentences: Ints
) -> tuple[Places, tuple[Places, Places]]:
    """Find the places for fillers.

    Args:
        batch: the texts.
        forms: the words of the batch.
        spoken: the spoken forms of the attack.
        first: whether each word begins a sentence.
        sentences: the number of the sentence of each word.

    Returns:
        The places at starts of sentences; and, as a pair, those after conjunctions of one word and of two words.
    """
    said = np.zeros(int(sentences[-1]) + 1 if sentences.size else 0, dtype=np.bool_)
    said[sentences[forms.find(spoken.fillers)[0]]] = True
    ahead = _LEAST_WORDS - 1
    starts = np.flatnonzero(first[:-ahead])
    starts = starts[(sentences[starts + ahead] == sentences[starts]) & ~said[sentences[starts]]]
    places = forms.starts[starts]
    is_open = (batch.flags[places - 1] & SPACE != 0) | (batch.codes[places - 1] == ord("\n"))  # code -1 is a line feed
    cyrillic = (forms.codes[places] >= ord("а")) & (forms.codes[places] <= ord("ё"))
    loud = [_is_loud(batch, forms, words) for words in (starts, starts + 1)]  # «ну» would look odd in front of them
    starts = starts[is_open & cyrillic & forms.letters[starts] & ~(loud[0] & loud[1])]
    starts = starts[_are_sentences(batch, forms, starts)]
    ends = forms.stops[np.searchsorted(sentences, sentences[starts], side="right") - 1]
    asks = (batch.codes[ends] == ord("?")) | (batch.codes[np.minimum(ends + 1, batch.codes.size - 1)] == ord("?"))
    opens = batch.starts[batch.rows(forms.starts[starts])] == forms.starts[starts]
    clause = forms.ranges_in(_table("clause"), forms.starts, forms.stops)
    comma = (batch.codes[forms.starts - 2] == ord(",")) & (batch.codes[forms.starts - 1] == ord(" ")) & ~said[sentences]
    return spoken.starts(forms, starts, asks, opens), spoken.behind(forms, comma, clause)


def _are_sentences(batch: Batch, forms: WordForms, words: Ints) -> Mask:
    """Tell whether a sentence of its own begins with each of these words.

    These do not: items of lists («1. Хлеб», «- хлеб»), labels («Ответ: на столе»), a sentence that goes on («Куда? —
    спросил он»), and what follows an abbreviation («ул. Ленина»).
    """
    places = forms.starts[words]
    begins = places == batch.starts[batch.rows(places)]
    before = np.where(begins, ord("\n"), batch.codes[places - 2])  # not the last character of the text before
    earlier = batch.codes[places - 3]  # a line feed, if a text begins two places before the word
    item = (earlier == ord("\n")) & among(before, _BULLETS) | (before == ord(")")) | (before == ord("."))
    item &= (batch.flags[places - 3] & DIGIT != 0) | (before != ord("."))
    goes_on = among(before, _DASHES) & (batch.codes[places] == forms.codes[places])
    label = batch.codes[forms.stops[words]] == ord(":")
    shortened = forms.ranges_in(listed_in("shortened_words"), forms.starts[words - 1], forms.stops[words - 1])
    short = shortened & (forms.stops[words - 1] == places - 2) & (before == ord("."))
    fits: Mask = ~(item | goes_on | label | short)
    return fits


_BULLETS = "-•*·"
_DASHES = "—–-"


def _is_loud(batch: Batch, forms: WordForms, words: Ints) -> Mask:
    """Tell whether each of these words has at least two letters and ends in a capital."""
    last = forms.stops[words] - 1
    loud: Mask = (batch.codes[last] != forms.codes[last]) & (last > forms.starts[words])
    return loud


def _one_filler(sentences: Ints, every: Ints, ranks: Floats, is_filler: Mask) -> Mask:
    """Choose the places to keep: in each sentence, the filler of the lowest rank, and all places of other forms.

    Returns:
        Whether each place is kept.
    """
    kept = ~is_filler
    fillers = np.flatnonzero(is_filler)
    said_in = sentences[every[fillers]]
    lowest = np.full(int(sentences[-1]) + 1 if sentences.size else 0, 2.0)
    np.minimum.at(lowest, said_in, ranks[fillers])
    kept[fillers] = ranks[fillers] == lowest[said_in]
    return kept


def _apart(words: int, every: Ints, ranks: Floats, is_pair: Mask, kept: Mask) -> Mask:
    """Of places that share a word, keep the one of the lowest rank.

    Args:
        words: the number of words in the batch.
        every: the first word of each place.
        ranks: the rank of each place.
        is_pair: whether each place is a phrase of two words.
        kept: whether each place is still possible.

    Returns:
        Whether each place is kept.
    """
    lowest = np.full((2, words), 2.0)
    for kind, chosen in enumerate((kept & ~is_pair, kept & is_pair)):
        np.minimum.at(lowest[kind], every[chosen], ranks[chosen])
    free, joined = lone(lowest[0], lowest[1])
    is_lowest = ranks == lowest[is_pair.astype(np.int64), every]
    apart: Mask = is_lowest & np.where(is_pair, joined[every], free[every])
    return apart
