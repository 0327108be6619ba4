"""Слова пишут с ошибками, как люди: «Сегодня вообще не хочется» → «Седня вобще не хочеться»."""

from dataclasses import dataclass
from functools import cache
from math import fsum
from typing import Any, ClassVar, cast

import numpy as np

from augment_ru.attacks.misspell.misspellings import Misspellings, Misspelt, as_written
from augment_ru.draws import Ints, Streams, unit, weighted
from augment_ru.editing.error_classes import ErrorRates, error_rates, weighted_ranks
from augment_ru.editing.on_demand import Rewritten, written_together
from augment_ru.editing.separators import JOINS, joins, lone
from augment_ru.editing.word_forms import WordForms
from augment_ru.edits import Note
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError, check_known
from augment_ru.resources import dictionary_path, listed_in, rows
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask, counts_before

_SEPARATORS = (*JOINS, "split")
"""The classes whose rates are taken from the attack `spacing`."""


@dataclass(frozen=True, slots=True)
class Misspell(Attack):
    """Misspell words as people do, each class of error as often as they do.

    Frequent misspellings («вобщем», «седня») are listed in a lexicon. Rules over letters make the others: unstressed
    vowels, -тся and -ться, double and silent consonants, neighbouring keys, letters left out, added or swapped,
    stretched vowels. Words are also joined and split, as the attack `spacing` does. No word gets two changes. Words in
    capitals and words with digits or letters that are not Russian stay.

    People write many sentences without an error. So no change is forced: a text may stay as it is (`min_changes` is 0).

    Args:
        probability: the share of the words that get an error, in an average text; in [0, 1].
        classes: the classes of errors; `all` stands for all of them.
        profile: whose errors are imitated. `blog`: those of people who write blogs. `messenger`: of people in a
            messenger. `careful`: of people who write with care.
        lexicon: the dictionary of frequent misspellings, with the columns right form, wrong form, class, share.
        rules: the dictionary of rules over letters, with the columns class, rule, errors, how many places, example.
        frequencies: the dictionary of the classes. Its columns are: the class; how many such errors 23,500 words of
            blogs have; and for each other profile a factor by which this number is multiplied.

    Raises:
        AugmentError: there is no such class, profile or dictionary, or `classes` is empty.
    """

    name: ClassVar[str] = "misspell"
    group: ClassVar[str] = "people"
    min_changes: ClassVar[int] = 0
    probability: float = 0.045
    classes: tuple[str, ...] = ("all",)
    profile: str = "blog"
    lexicon: str = "misspellings"
    rules: str = "misspell"
    frequencies: str = "misspell_classes"

    def __post_init__(self) -> None:
        if isinstance(cast("Any", self.classes), str):
            raise AugmentError(f"misspell: classes: '{self.classes}'; needs a sequence of names")
        object.__setattr__(self, "classes", tuple(self.classes))
        _plan(self)  # so that an unknown class or a wrong dictionary is an error before the run starts

    @property
    def mean_rate(self) -> float:
        """The share of the words in which people make an error of the chosen classes, in an average text; in [0, 1]."""
        return _plan(self).mean

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose an error for every word that can have one, and for every pair of words that people join."""
        plan, forms = _plan(self), batch.once(WordForms)
        fixed = _are_capitals(batch, forms) | _are_shortened(batch, forms)
        words = np.flatnonzero(_are_russian(forms) & ~fixed)
        distinct, places = forms.distinct(words)
        word_rates = plan.misspellings.rates_of(distinct)[places]
        words, word_rates = words[word_rates > 0], word_rates[word_rates > 0]
        pairs = _Pairs(batch, forms, plan, fixed)
        ranks = np.full((2, forms.starts.size), 2.0)
        ranks[0, words] = weighted_ranks(batch.draw(streams, forms.starts[words]), word_rates, plan.mean)
        ranks[1, pairs.words] = weighted_ranks(batch.draw(streams, forms.stops[pairs.words]), pairs.rates, plan.mean)
        free, joined = lone(ranks[0], ranks[1])
        words, chosen = words[free[words]], joined[pairs.words]
        pairs.words, pairs.rates = pairs.words[chosen], pairs.rates[chosen]

        starts = np.concatenate([forms.starts[words], forms.starts[pairs.words]])
        stops = np.concatenate([forms.stops[words], forms.stops[pairs.words + 1]])
        order = np.argsort(starts, kind="stable")
        starts, stops = starts[order], stops[order]
        all_ranks = np.concatenate([ranks[0, words], ranks[1, pairs.words]])[order]
        number_of_pair = np.concatenate([np.full(words.size, -1), np.arange(pairs.words.size)])[order]

        def make(indices: Ints, texts: list[str]) -> list[Rewritten]:
            keys, numbers = batch.keys(streams, starts[indices]), number_of_pair[indices]
            single = np.flatnonzero(numbers < 0)
            alone = plan.misspellings.misspelt([texts[number] for number in single.tolist()], keys[single])
            found = dict(zip(single.tolist(), alone, strict=True))
            points = unit(keys, np.zeros(keys.size, dtype=np.int64)).tolist()
            return [
                _with_note(text, found[number] if pair < 0 else pairs.misspelt(pair, text, points[number]))
                for number, (pair, text) in enumerate(zip(numbers.tolist(), texts, strict=True))
            ]

        return written_together(batch, starts, stops, all_ranks, make)


_READ = frozenset({"hyphen_dropped", "hyphen_space", "stretched", "tsya"})
"""Classes of rules whose errors have the right form as their reading, because every reader sees what is meant.

So have all misspellings of the lexicon and all joined words.
"""


def _with_note(old: str, new: Misspelt) -> Rewritten:
    """Return a wrong form and its note: the class of the error, and the right form if a reader recognises it.

    Args:
        old: the right form.
        new: the wrong form.
    """
    return new.text, Note(old if not new.is_by_rule or new.kind in _READ else None, new.kind)


class _Plan:
    """The misspellings and rates that the options of an attack select.

    Attributes:
        misspellings: the misspellings.
        joins: how often words are joined or split.
        mean: the share of words in which people make an error of the classes.
    """

    def __init__(self, classes: tuple[str, ...], profile: str, lexicon: str, rules: str, frequencies: str) -> None:
        table = {name: cells for name, *cells in rows(dictionary_path(frequencies), columns=5)}
        check_known("profile of misspell", profile, PROFILES)
        if not classes:
            raise AugmentError(f"misspell: classes: none; name at least one of all, {', '.join(table)}")
        for name in classes:
            check_known("class of misspell", name, ("all", *table))
        chosen = tuple(name for name in table if name in classes or "all" in classes)
        column = PROFILES.index(profile)  # the first column, of `blog`, has counts instead of factors
        every = {name: float(table[name][column]) if column else 1.0 for name in chosen}
        factors = {name: factor for name, factor in every.items() if factor > 0}
        self.mean = fsum(float(table[name][0]) * factor for name, factor in factors.items()) / _WORDS
        separators = tuple(name for name in _SEPARATORS if name in factors)
        spacing = error_rates("misspell", "spacing", separators, separators) if separators else ErrorRates({}, 0.0)
        self.joins = spacing.times({name: factors[name] * _NOT_LISTED.get(name, 1.0) for name in separators})
        parted = {prefix.removesuffix("*"): one.rate for one in self.joins.of("split") for prefix in one.phrases}
        prefixes = dict(sorted(parted.items(), key=lambda one: (-len(one[0]), one[0])))
        self.misspellings = Misspellings(lexicon, rules, factors, prefixes)


_plan_of = cache(_Plan)


def _plan(attack: Misspell) -> _Plan:
    return _plan_of(attack.classes, attack.profile, attack.lexicon, attack.rules, attack.frequencies)


PROFILES = ("blog", "messenger", "careful")
_WORDS = 23_500
"""The number of words in which the errors of the dictionary of classes were counted."""


_NOT_LISTED = {"ne": 0.65, "split": 0.45}
"""The share of a class's rate that is left for words outside the lexicon.

The lexicon already has most words that are joined with «не» («незнаю»).
"""


def _are_capitals(batch: Batch, forms: WordForms) -> Mask:
    """Tell whether each word has at least two letters and all are capitals."""
    capital = counts_before(batch.codes != forms.codes)
    lengths = forms.stops - forms.starts
    same: Mask = (capital[forms.stops] - capital[forms.starts] == lengths) & (lengths > 1)
    return same


def _are_shortened(batch: Batch, forms: WordForms) -> Mask:
    """Tell whether each word is an abbreviation with a full stop: «см.», «ул.»."""
    found: Mask = batch.codes[forms.stops] == ord(".")
    found[found] = forms.ranges_in(listed_in("shortened_words"), forms.starts[found], forms.stops[found])
    return found


def _are_russian(forms: WordForms) -> Mask:
    """Tell whether each word consists of Russian letters and hyphens alone."""
    codes = forms.codes
    russian = ((codes >= ord("а")) & (codes <= ord("я"))) | (codes == ord("ё")) | (codes == ord("-"))
    other = counts_before(~russian)
    same: Mask = other[forms.starts] == other[forms.stops]
    return same


class _Pairs:
    """Pairs of neighbouring words that people write as one word, or misspell as a phrase.

    Args:
        batch: the texts.
        forms: the words of the batch.
        plan: the misspellings and their rates.
        fixed: whether each word must stay, so that it is in no pair; shape (words,).

    Attributes:
        words: the number of the first word of each pair, ascending, shape (pairs,).
        rates: how often people make an error in each pair, same shape.
    """

    def __init__(self, batch: Batch, forms: WordForms, plan: _Plan, fixed: Mask) -> None:
        joined, its_rates, kinds = joins(batch, forms, plan.joins)
        join_rates = np.zeros(forms.starts.size)
        self._kinds = np.zeros(forms.starts.size, dtype=np.int64)
        join_rates[joined], self._kinds[joined] = its_rates, kinds
        self._phrases = plan.misspellings.phrases
        self._phrase_of = np.full(forms.starts.size, -1)
        words, numbers = forms.find_pairs(plan.misspellings.phrase_table)
        self._phrase_of[words] = numbers
        phrase_rates = np.array([fsum(one.rate for one in phrase) for phrase in self._phrases] + [0.0])
        found = phrase_rates[self._phrase_of]
        rates = np.maximum(join_rates, found)
        rates[:-1][fixed[:-1] | fixed[1:]] = 0.0
        self.words = np.flatnonzero(rates > 0)
        self.rates = rates[self.words]

    def misspelt(self, pair: int, text: str, point: float) -> Misspelt:
        """Return a pair of words as people write it by mistake.

        Args:
            pair: the number of the pair.
            text: the pair as it is written.
            point: a draw from U[0, 1), which chooses one of several wrong forms of a phrase.
        """
        word = int(self.words[pair])
        phrase = int(self._phrase_of[word])
        if phrase < 0:
            return Misspelt("".join(text.split()), JOINS[self._kinds[word]])
        forms = self._phrases[phrase]
        form = forms[weighted([form.rate for form in forms], point)]
        return Misspelt(as_written(form.wrong, text), form.kind)
