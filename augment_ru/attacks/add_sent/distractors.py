"""Distractors: a sentence that is added after a text, or another text that replaces a wrong option.

If a sentence after the text would be read as part of it (of a list, for example), it is added before the text.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise

import numpy as np

from augment_ru.attacks.add_sent.corpus import Corpus, is_option
from augment_ru.attacks.add_sent.input_corpus import InputCorpus
from augment_ru.attacks.add_sent.option_types import option_type, other_amounts
from augment_ru.draws import Ints, Keys, Streams, unit
from augment_ru.editing.on_demand import changes_in_rounds, places_of
from augment_ru.edits import Edit, Note, Span
from augment_ru.engine.proposals import Proposals
from augment_ru.language.morphology import lemmas_of, morphology
from augment_ru.records.options import comparable
from augment_ru.text.batch import Batch
from augment_ru.text.context import Context
from augment_ru.text.words import LETTERS, RUSSIAN, count_russian_words

_CONTENT = {"NOUN", "ADJF", "ADJS", "COMP", "VERB", "INFN", "PRTF", "PRTS", "GRND"}
_EMPTY = {"быть", "мочь", "стать", "самый"}
"""Lemmas that are content words by their part of speech but say nothing about the topic."""
_ROOT = 5
"""How many letters of dictionary forms are compared, so that a noun equals the verb or adjective derived from it."""
_SUFFIX = re.compile(
    r"(?:[её]?нный|[оеё]?в?ный|ной|[оеё]вый|с?кий|ск[оа]й|ние|тель|ник|ник|щик|ость|[еоё]?к|ня|[аяоеьыйиё])+$"
)
_SOFTENED = str.maketrans("чжшщц", "кгхск")
"""Consonants before a suffix, and those they come from: «песчаный» of «песок», «снежный» of «снег»."""
_FLEETING = re.compile("[аеёиоуыэюяйьъ]")


def contains_phrase(text: str, phrase: str) -> bool:
    """Tell whether a text contains the words of a phrase one after another, each in any form.

    >>> contains_phrase("В Москве выпал снег.", "Москва"), contains_phrase("В Москве выпал снег.", "снегопад")
    (True, False)
    """
    wanted = [_forms(word) for word in LETTERS.findall(phrase.lower())]
    if not wanted:
        return bool(phrase.strip()) and re.search(rf"(?<!\w){re.escape(phrase.strip())}(?!\w)", text) is not None
    found = [_forms(word) for word in LETTERS.findall(text.lower())]
    return any(
        all(one & other for one, other in zip(wanted, found[at : at + len(wanted)], strict=True))
        for at in range(len(found) - len(wanted) + 1)
    )


@lru_cache(maxsize=100_000)
def _forms(word: str) -> frozenset[str]:
    """Return the dictionary forms of all readings of a word, and the word itself, with е for ё."""
    return frozenset((word.replace("ё", "е"), *(form.replace("ё", "е") for form in lemmas_of(word))))


@lru_cache(maxsize=8192)
def content(text: str) -> frozenset[str]:
    """Return the content words of a text in short forms, so that texts with related words share some.

    Content words are nouns, adjectives, verbs, and words in other alphabets. A Russian word gives two strings: up to
    five first letters of its dictionary form, and its root (two letters, a hyphen and the next two consonants). A word
    that may come from several dictionary forms gives the strings of all of them. A word in another alphabet gives
    itself in lower case.

    >>> sorted(content("Мы работали.") & content("Трудная работа!"))
    ['ра-бт', 'работ']
    >>> content("башенный кран") & content("в башне"), content("снежный") & content("снег")
    (frozenset({'ба-х'}), frozenset({'сн-г'}))
    """
    return frozenset().union(*map(_roots, LETTERS.findall(text.lower())))


@lru_cache(maxsize=100_000)
def _roots(word: str) -> frozenset[str]:
    if not RUSSIAN.fullmatch(word):
        return frozenset({word})
    readings = morphology().parse(word)
    if readings[0].tag.POS not in _CONTENT or "Apro" in readings[0].tag:
        return frozenset()
    forms = {str(reading.normal_form) for reading in readings if reading.tag.POS in _CONTENT}
    found = {form.replace("ё", "е") for form in forms - _EMPTY}
    return frozenset((*(form[:_ROOT] for form in found), *map(_root, found)))


def _root(form: str) -> str:
    stem = form[:2] + _SUFFIX.sub("", form[2:])
    return f"{stem[:2]}-{_FLEETING.sub('', stem[2:].translate(_SOFTENED))[:2]}"


CLOSING_MARKS = ".!?…"
_CLOSING = "»”“\"'’)]"
_PAIRS = {")": "(", "]": "["}
_HANGING = tuple(",;:=(«[{-–—")
"""Signs at the end of a text that announce more; a sentence after them would be taken for what they announce."""
_OPEN = ("L", "N", "Sc", "Sm")
"""Unicode categories of the last character of a sentence that has no closing mark yet."""
_OPEN_SIGNS = "%‰°№_*/"
_ITEM = re.compile(r"[ \t]*(?:[-–—•·*▪◦]|\(?\d{1,3}[.)]|\(?[^\W\d_][.)])[ \t]")
"""The start of a line of a list or a dialogue."""
_OPTION = re.compile(
    r"""(?: (?<!\S) \(? (?P<bracket>[^\W_]) \)      # a letter or digit with a bracket anywhere
        | (?: ^ | (?<=[.!?:;]\ ) ) (?P<stop>[^\W_]) \.  # with a full stop only where a sentence may start
        ) (?=\s)""",
    re.VERBOSE | re.MULTILINE,
)
"""The start of an option of a question."""
_NEXT_SENTENCE = re.compile(r"[.!?…]\s+\S")
_FIRST_OPTIONS = ("AB", "АБ", "АВ", "ab", "аб", "ав", "12")


def end_of_question(text: str) -> int:
    """Find the place in a text where a sentence can be added.

    This is the end of the question if options follow it, and otherwise the end of the text.

    >>> text = "Что тонет в воде? А) камень Б) пробка"
    >>> text[: end_of_question(text)]
    'Что тонет в воде?'
    """
    options = list(_OPTION.finditer(text))
    signs = [option["bracket"] or option["stop"] for option in options]
    for first, (one, two) in zip(options, pairwise(signs), strict=False):
        before = text[: first.start()].rstrip()
        if one + two in _FIRST_OPTIONS and count_russian_words(before):
            goes_on = _NEXT_SENTENCE.search(text, options[-1].end())
            return len(text.rstrip() if goes_on else before)
    return len(text.rstrip())


def added(text: str, end: int, new: str, *, after_link: bool) -> Edit:
    """Return the edit that adds a sentence to a text.

    A full stop is added before the new sentence if the text has none there. If the sentence would look like part of a
    list there, or like something that the text announces with a colon, it is put in front of the whole text instead.

    Args:
        text: the text.
        end: the place where the sentence is put.
        new: the sentence, with its closing mark.
        after_link: whether a link or markup ends at this place; then no full stop is put after it.
    """
    before = text[:end]
    breaks = re.search(r"\r?\n", text.rstrip())
    is_item = _ITEM.match(before, before.rfind("\n") + 1) is not None
    if (is_item and breaks is None) or (before.endswith(_HANGING) and not after_link):
        start = len(text) - len(text.lstrip())
        return Edit(start, start, f"{new}{breaks[0] if breaks else ' '}")
    is_open = not after_link and _is_open(before)
    if breaks is not None and (is_item or is_open):
        return Edit(end, end, f"{breaks[0]}{new}")
    return Edit(end, end, f"{'. ' if is_open else ' '}{new}")


def _is_open(before: str) -> bool:
    """Tell whether a text lacks a closing mark; an emoji or a smiley made of brackets counts as one."""
    last = before[-1]
    if last in _CLOSING:
        opening = _PAIRS.get(last)
        if opening and before.count(last) > before.count(opening):
            return False
        inner = before.rstrip(_CLOSING)[-1:]
        return inner not in tuple(CLOSING_MARKS)
    return last in _OPEN_SIGNS or unicodedata.category(last).startswith(_OPEN)


_LINKS = ("EMAIL", "URL", "MENTION", "HASHTAG", "MARKUP")
_REACH = 1000
"""How many characters at the end of a text define its topic."""
_NEAREST_SAFE = 0.3
"""The greatest nearness in topic at which a sentence may be a distractor; see `from_corpus`."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A place in a text where a distractor is put: a new sentence, or a text instead of a wrong option.

    Attributes:
        row: the index of the text in the batch, from 0.
        place: the span of the wrong option that is replaced; or an empty span where a sentence is added, at the end of
            the text or of its question.
        before: the text before that place; for an option, the question without its options.
        text: the whole text.
        context: what the record says about the text, such as its right answers.
        closed: whether a link or markup ends at the place, so that no full stop is put there.
    """

    row: int
    place: Span
    before: str
    text: str
    context: Context
    closed: bool = False

    @property
    def is_option(self) -> bool:
        """Whether the new text replaces a wrong option (offered answer); if not, it is a sentence that is added."""
        return self.place.start < self.place.stop

    @property
    def old(self) -> str:
        """The option that is replaced; "" if a sentence is added."""
        return self.place.of(self.text)

    def fits(self, new: str) -> bool:
        """Tell whether a distractor (a new sentence or option) may be put at this place.

        It must not contain a right answer or a phrase that the record forbids. A sentence must not be in the record
        already. An option must differ from all options of the question, and not be part of a right answer.
        """
        if any(contains_phrase(new, answer) for answer in (*self.context.answers, *self.context.forbidden)):
            return False
        if not self.is_option:
            return not any(comparable(new) in comparable(text) for text in (self.text, *self.context.record))
        return (
            is_option(new)
            and comparable(new) not in map(comparable, (self.old, *self.others))
            and not any(contains_phrase(answer, new) for answer in self.context.answers)
        )

    @property
    def content(self) -> frozenset[str]:
        """The content words that a new text at this place must not contain, in the short form that `content` returns.

        They are those of the record's texts (for an option, only of its question), of the right answers and of
        forbidden phrases.
        """
        texts = (self.before,) if self.is_option else (self.text, *self.context.record)
        return frozenset().union(*map(content, (*texts, *self.context.answers, *self.context.forbidden)))

    @property
    def others(self) -> tuple[str, ...]:
        """The options of the question besides the one that is replaced; the right one is among them."""
        spans = (self.context.right, *self.context.wrong)
        return tuple(span.of(self.text) for span in spans if span is not None and span != self.place)

    def edit(self, new: str) -> Edit:
        """Return the edit that puts a distractor (a new sentence or option) at this place.

        A new option gets the letter case and the closing mark of the old one. The note of the edit gives the old option
        as its reading (what the new text stands for). So a similarity does not count the exchange of an option as a
        loss of meaning.
        """
        if not self.is_option:
            return added(self.text, self.place.stop, new, after_link=self.closed)
        if self.old[0].islower() and not new[1:2].isupper():
            new = new[0].lower() + new[1:]
        elif self.old[0].isupper():
            new = new[0].upper() + new[1:]
        marks = self.old[len(self.old.rstrip(CLOSING_MARKS)) :]
        return Edit(self.place.start, self.place.stop, new.rstrip(CLOSING_MARKS) + marks, Note(self.old))


Generator = Callable[[Sequence[Gap], Keys], Sequence[Iterable[Edit]]]
"""A function from gaps and their keys to edits for each gap: the drawn distractor first, then those to use instead."""


def distract(batch: Batch, streams: Streams, probability: float, generate: Generator, *, least: int = 1) -> Proposals:
    """Propose to add a sentence to each text or, if it is a question with options, to replace each wrong option.

    To make such a text (a distractor) takes long. So distractors are made only for changes whose rank (a random number
    in [0, 1)) is below the probability, and for as many more as a text needs to have `least` changes.

    Args:
        batch: the texts.
        streams: the random draws of each text.
        probability: the share of the possible changes that the attack makes, in [0, 1].
        generate: a function that makes the distractors for some places in texts.
        least: how many changes are proposed for each text if it has that many possible ones; at least 1.
    """
    gaps = [gap for row in range(len(batch)) for gap in _gaps(batch, row)]
    places = places_of(batch, ((gap.row, gap.place.start) for gap in gaps))
    ranks = batch.draw(streams, places)
    keys = batch.keys(Streams.of(streams.keys, "distract"), places)
    taken: list[set[str]] = [set() for _ in range(len(batch))]

    def write(wanted: Ints) -> list[list[Edit]]:
        new = generate([gaps[at] for at in wanted.tolist()], keys[wanted])
        written: list[list[Edit]] = [[] for _ in new]
        # in the order of ranks: changes that are active at lower probabilities choose first
        for at in np.argsort(ranks[wanted], kind="stable").tolist():
            gap = gaps[wanted[at]]
            edit = next((edit for edit in new[at] if comparable(edit.text) not in taken[gap.row]), None)
            if edit is not None:
                taken[gap.row].add(comparable(edit.text))
                written[at].append(edit)
        return written

    return changes_in_rounds(batch, places, ranks, probability, write, least=least)


_MANY_ANSWERS = re.compile(
    r"\b(?:не|нет|ни|без|кроме|нельзя|никогда|исключени\w+|отсутств\w+|не(?:возможн|верн|правильн)\w+|ошибочн\w+|ложн\w+"
    r"|сам(?:ый|ая|ое|ые|ого|ой|ую|ым|ом|ыми|ых)|наи(?:бол|мен|больш|меньш|лучш|худш)\w+|лучш\w+|\w{2,}(?:ейш|айш)\w+"
    r"|(?:больше|меньше|чаще|скорее|быстрее|сильнее|раньше|позже|выше|ниже|дальше|ближе|хуже) (?:всего|всех))\b"
)
"""Negations and superlatives: in such a question almost any other option is right, or may be."""


def _gaps(batch: Batch, row: int) -> Iterator[Gap]:
    text, context = batch.texts[row], batch.contexts[row]
    if context.options is not None:
        spans = batch.protected(row)
        before = text[: context.options].strip()
        for wrong in () if _MANY_ANSWERS.search(before.lower()) else context.wrong:
            free = not any(one.start < wrong.stop and one.stop > wrong.start for one in spans)
            if free and count_russian_words(wrong.of(text)):
                yield Gap(row, wrong, before, text, context)
    elif count_russian_words(text) and not context.judged:
        end = end_of_question(text)
        closed = any(span.stop == end and span.label in _LINKS for span in batch.protected(row))
        yield Gap(row, Span(end, end), text[:end], text, context, closed)


def from_corpus(corpus: Corpus | InputCorpus, nearest: int) -> Generator:
    """Make a function that draws distractors (new sentences or wrong options) from the safe texts of a corpus.

    A sentence is safe if it shares no content word with the record or its answers, and if the cosine of its topic with
    that of the text is at most 0.3. A nearer sentence is mostly about the very same thing: after «Какой врач лечит
    зубы?» a sentence about a dentist gives the answer away.

    An option is first put into the grammatical form of the one that it replaces. It is safe if it shares no content
    word with its question or the right option, and if it is no nearer in topic to the right option than to the replaced
    one.

    Args:
        corpus: the sentences and options.
        nearest: a distractor is drawn from this many safe texts, those nearest in topic.
    """

    def generate(gaps: Sequence[Gap], keys: Keys) -> list[Iterable[Edit]]:
        points = unit(keys, np.zeros(keys.size, dtype=np.int64)).tolist()
        found: list[Iterable[Edit]] = []
        for gap, point in zip(gaps, points, strict=True):
            fitting = _fitting(corpus.for_label(gap.context.label), replace(gap, row=0), nearest)
            first = int(point * len(fitting))
            found.append(map(gap.edit, (*fitting[first:], *fitting[:first])))
        return found

    return generate


@lru_cache(maxsize=4096)
def _fitting(corpus: Corpus, gap: Gap, nearest: int) -> Sequence[str]:
    """Find the texts that one is drawn from; they are cached, since all candidates of a search need them."""
    return tuple(islice(_safe(corpus, gap), nearest))


def _safe(corpus: Corpus, gap: Gap) -> Iterator[str]:
    """Yield the texts of a corpus that may be put into a gap, the nearest in topic first."""
    taken = gap.content
    if gap.is_option:
        every = _options(corpus, gap)
    else:
        order, nearness = corpus.near(gap.before[-_REACH:])
        first = int(np.count_nonzero(nearness > _NEAREST_SAFE))
        every = (corpus.sentences[at] for at in order[first:])
    return (text for text in every if taken.isdisjoint(content(text)) and gap.fits(text))


def _options(corpus: Corpus, gap: Gap) -> Iterator[str]:
    """Yield the options of a corpus in the grammatical type of the option of a gap, the nearest in topic first.

    Options with the mark of the old option come first, so that a sentence is replaced by a sentence where possible.
    """
    old = option_type(gap.old)
    others = [found for found in map(option_type, gap.others) if found is not None]
    if old is None or (len(others) > 1 and all(one.kind != old.kind for one in others)):
        return  # an option of a type of its own was read wrongly: «ели» among trees is no verb
    yield from other_amounts(old)
    order, nearness = corpus.near_option(gap.old, gap.before)
    by_right, to_right = corpus.near_option(next(iter(gap.context.answers), ""), gap.before)
    safe = order[to_right[np.argsort(by_right)][order] <= nearness].tolist()
    for at in sorted(safe, key=lambda at: _mark(corpus.options[at]) != _mark(gap.old)):
        new = option_type(corpus.options[at])
        made = None if new is None else old.made_of(new, others)
        if made is not None:
            yield made


def _mark(text: str) -> str:
    """Return the closing mark of a text, or ""."""
    return text[-1] if text[-1] in CLOSING_MARKS else ""
