"""Слова пишут, как говорят в чате: «Сейчас скину фотографию, он вообще спит» → «Ну щас скину фотку, он ваще спит»."""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from augment_ru.attacks.colloquial.spoken_forms import Made, Places, SpokenForms, spoken_forms
from augment_ru.draws import Floats, Ints, Streams
from augment_ru.editing.error_classes import CountedErrors, weighted_ranks
from augment_ru.editing.form_tables import FormTable, shortened_forms
from augment_ru.editing.on_demand import LastValue, texts_at
from augment_ru.editing.openings import ADJECTIVE, LOWERED, NAME, OPENINGS
from augment_ru.editing.separators import lone
from augment_ru.editing.word_forms import WordForms
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.text.batch import Batch
from augment_ru.text.characters import DIGIT, SPACE, Mask, among

CLASSES = ("ending", "filler", "word")
_LEAST_WORDS = 3
"""Words of a sentence that may begin with a filler; one of two words is often a heading or a greeting."""
_CLAUSES = (
    "я ты он она оно мы вы они это мне тебе ему ей нам вам им меня тебя его её нас вас их у там тут здесь потом теперь "
    "сейчас сегодня завтра вчера вообще никто ничего всё все мой твой наш ваш кто-то что-то"
)
"""Words with which a clause begins behind a conjunction; in «умный, но ленивый» there is none."""
_BOUND = (
    "а ведь впрочем да же здравствуйте зато здрасте и или иначе итак либо наконец например недаром нет но однако "
    "пожалуйста привет причём спасибо также то"
)
"""First words of sentences that no filler stands in front of."""


@dataclass(frozen=True, slots=True)
class Colloquial(CountedErrors):
    """Write words as they are spoken in chats, and put fillers where a clause begins.

    `word`: spoken forms of words and phrases («щас», «ваще», «комп», «мб»), nouns in their case; `ending`: -тся and
    -ться as -цца; `filler`: «ну», «короче, » at the start of a sentence, «типа» and others behind a conjunction.
    A sentence gets at most one filler, and none if it has one. Likelier forms come first (`weighted_ranks`).

    Args:
        probability: the share of the places that change, in an average text; in [0, 1]. Places are listed words,
            verbs in -ся, starts of sentences and of clauses.
        classes: the classes of forms.
        rates: the dictionary of the classes, and how often people write them.
        forms: the dictionary of the forms: as written, as spoken, class, share.

    Raises:
        AugmentError: there is no such class or dictionary, or none is named, or a line of one is wrong.
    """

    name: ClassVar[str] = "colloquial"
    group: ClassVar[str] = "people"
    known: ClassVar[tuple[str, ...]] = CLASSES
    probability: float = 0.2
    classes: tuple[str, ...] = CLASSES
    rates: str = "colloquial_classes"
    forms: str = "colloquial"

    def __post_init__(self) -> None:
        CountedErrors.__post_init__(self)
        self._spoken()

    def _spoken(self) -> SpokenForms:
        return spoken_forms(self.forms, self.classes, CLASSES)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose one spoken form or filler for every word or phrase that can have one."""
        spoken, mean, forms = self._spoken(), self.mean_rate, WordForms(batch)
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
        every = Places(*(np.concatenate(column) for column in zip(*(one for one, _, _ in columns), strict=True)))
        sizes = [one.words.size for one, _, _ in columns]
        is_pair = np.repeat([pair for _, pair, _ in columns], sizes)
        is_filler = np.repeat([filler for _, _, filler in columns], sizes)
        # the lane of a filler's rank is that of choices, so that a word's form and a filler are drawn apart
        draws = np.empty(every.words.size)
        for lane, chosen in enumerate((~is_filler, is_filler)):
            draws[chosen] = batch.draw(streams, forms.starts[every.words[chosen]], lane)
        ranks = weighted_ranks(draws, every.rates, mean)
        kept = _one_filler(sentences, every, ranks, is_filler)
        kept &= _apart(forms.starts.size, every, ranks, is_pair, kept)
        order = np.flatnonzero(kept)[np.argsort(every.words[kept], kind="stable")]
        every, is_pair = every.only(order), is_pair[order]
        begins, ends = forms.starts[every.words], forms.stops[every.words + is_pair]
        points = batch.draw(Streams.of(streams.keys, "form"), begins)

        def made(indices: Ints) -> list[Made]:
            olds = texts_at(batch, begins[indices], ends[indices])
            numbers = spoken.drawn(every.entries[indices], points[indices]).tolist()
            return [spoken.made(number, old) for number, old in zip(numbers, olds, strict=True)]

        last = LastValue(made)
        return Proposals.of_edits(
            begins,
            ends,
            ranks[order],
            lambda indices: Replacements.of([one.text for one in last(indices)]),
            clean=True,
            notes=lambda indices: [one.note for one in last(indices)],
        )


@cache
def _table(words: str) -> FormTable:
    return FormTable(words.split())


def _filled(
    batch: Batch, forms: WordForms, spoken: SpokenForms, first: Mask, sentences: Ints
) -> tuple[Places, tuple[Places, Places]]:
    """Fillers at the starts of sentences, and behind conjunctions of one word and of two."""
    said = np.zeros(int(sentences[-1]) + 1 if sentences.size else 0, dtype=np.bool_)
    said[sentences[forms.find(spoken.fillers)[0]]] = True
    ahead = _LEAST_WORDS - 1
    starts = np.flatnonzero(first[:-ahead])
    starts = starts[(sentences[starts + ahead] == sentences[starts]) & ~said[sentences[starts]]]
    places = forms.starts[starts]
    is_open = (batch.flags[places - 1] & SPACE != 0) | (batch.codes[places - 1] == ord("\n"))  # so is place -1
    cyrillic = (forms.codes[places] >= ord("а")) & (forms.codes[places] <= ord("ё"))
    loud = [_is_loud(batch, forms, words) for words in (starts, starts + 1)]  # «ну» would look odd in front of them
    starts = starts[is_open & cyrillic & forms.letters[starts] & ~(loud[0] & loud[1])]
    starts = starts[_are_sentences(batch, forms, starts) & _has_known_case(batch, forms, starts)]
    free = np.ones(first.size, dtype=np.bool_)
    free[forms.find(_table(_BOUND), starts)[0]] = False
    starts = starts[free[starts]]

    clause = np.zeros(first.size, dtype=np.bool_)
    clause[forms.find(_table(_CLAUSES))[0]] = True
    comma = (batch.codes[forms.starts - 2] == ord(",")) & (batch.codes[forms.starts - 1] == ord(" ")) & ~said[sentences]
    return spoken.starts(starts), spoken.behind(forms, comma, clause)


def _are_sentences(batch: Batch, forms: WordForms, words: Ints) -> Mask:
    """Whether a sentence of its own begins with each of these words.

    «1. Хлеб» and «- хлеб» are items of lists, «Ответ: на столе» has a label, «Куда? — спросил он» goes on, and so does
    what stands behind a word that is written short («ул. Ленина»).
    """
    places = forms.starts[words]
    begins = places == batch.starts[batch.rows(places)]
    before = np.where(begins, ord("\n"), batch.codes[places - 2])  # not the last character of the text before
    earlier = batch.codes[places - 3]  # a line feed, if a text begins two places behind it
    item = (earlier == ord("\n")) & among(before, _BULLETS) | (before == ord(")")) | (before == ord("."))
    item &= (batch.flags[places - 3] & DIGIT != 0) | (before != ord("."))
    goes_on = among(before, _DASHES) & (batch.codes[places] == forms.codes[places])
    label = batch.codes[forms.stops[words]] == ord(":")
    shortened = np.zeros(forms.starts.size, dtype=np.bool_)
    shortened[forms.find(shortened_forms(), words - 1)[0]] = True
    short = shortened[words - 1] & (forms.stops[words - 1] == places - 2) & (before == ord("."))
    fits: Mask = ~(item | goes_on | label | short)
    return fits


_BULLETS = "-•*·"
_DASHES = "—–-"


def _has_known_case(batch: Batch, forms: WordForms, words: Ints) -> Mask:
    """Whether it is certain if each of these words keeps its capital behind a filler; one that has none is."""
    following = forms.starts[words + 1]
    capital = batch.codes[forms.starts[words]] != forms.codes[forms.starts[words]]
    kinds = forms.values(words, OPENINGS)
    certain = (kinds & (LOWERED | NAME)) != 0
    certain &= (kinds & ADJECTIVE == 0) | (batch.codes[following] == forms.codes[following])
    known: Mask = ~capital | _is_loud(batch, forms, words) | certain
    return known


def _is_loud(batch: Batch, forms: WordForms, words: Ints) -> Mask:
    """Whether each of these words has two letters or more and ends in a capital."""
    last = forms.stops[words] - 1
    loud: Mask = (batch.codes[last] != forms.codes[last]) & (last > forms.starts[words])
    return loud


def _one_filler(sentences: Ints, every: Places, ranks: Floats, is_filler: Mask) -> Mask:
    """All places but the fillers of a sentence that has one of a lower rank."""
    kept = ~is_filler
    fillers = np.flatnonzero(is_filler)
    said_in = sentences[every.words[fillers]]
    lowest = np.full(int(sentences[-1]) + 1 if sentences.size else 0, 2.0)
    np.minimum.at(lowest, said_in, ranks[fillers])
    kept[fillers] = ranks[fillers] == lowest[said_in]
    return kept


def _apart(words: int, every: Places, ranks: Floats, is_pair: Mask, kept: Mask) -> Mask:
    """Of places that share a word those of the lowest ranks."""
    lowest = np.full((2, words), 2.0)
    for kind, chosen in enumerate((kept & ~is_pair, kept & is_pair)):
        np.minimum.at(lowest[kind], every.words[chosen], ranks[chosen])
    free, joined = lone(lowest[0], lowest[1])
    is_lowest = ranks == lowest[is_pair.astype(np.int64), every.words]
    apart: Mask = is_lowest & np.where(is_pair, joined[every.words], free[every.words])
    return apart
