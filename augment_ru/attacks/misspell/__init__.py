"""Слова пишут с ошибками, как люди: «Сегодня вообще не хочется» → «Седня вобще не хочеться»."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from math import fsum
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np

from augment_ru.attacks.misspell.letter_rules import LetterRule, Words
from augment_ru.draws import Floats, Ints, Keys, Streams, unit, weighted
from augment_ru.editing.error_classes import ErrorRates, check_classes, error_rates, weighted_ranks
from augment_ru.editing.on_demand import Rewritten, written_together
from augment_ru.editing.separators import JOINS, joins, lone, prefix_length
from augment_ru.editing.style import STYLES, in_chats
from augment_ru.editing.word_forms import WordForms, form_table
from augment_ru.edits import Note
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError, check_known
from augment_ru.language.frequency import is_common
from augment_ru.language.morphology import is_known
from augment_ru.resources import dictionary_path, listed_in, number_in, rows
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask, counts_before

_HIGHEST = 0.97
"""The highest rate of errors in a word: nobody misspells it every time."""
_AGAIN = 0.04
"""The share of misspelt long words that get a second error; readers take two slips in a word for a machine's."""
_LONG = 6
"""The fewest letters of a long word."""


class Form(NamedTuple):
    """A frequent misspelling of a word.

    Attributes:
        wrong: the wrong form.
        kind: the class of the error.
        rate: how often people write it: the share of the uses of the right form that are written so, in [0, 1].
    """

    wrong: str
    kind: str
    rate: float


class Misspelt(NamedTuple):
    """A word with an error.

    Attributes:
        text: the word as it is written with the error.
        kind: the class of the error. Two errors of different classes give both, joined by `+`; a word without an error
            gives "".
        is_by_rule: whether a rule over letters made the error, not the list of frequent misspellings.
    """

    text: str
    kind: str
    is_by_rule: bool = False


class RatedRule(NamedTuple):
    """A rule of misspelling, and how often people make the error.

    Attributes:
        rule: which letters are replaced by which, and beside which letters.
        kind: the class of the error.
        rate: how often people make the error where the rule fits, in [0, 1].
    """

    rule: LetterRule
    kind: str
    rate: float


class _Found(NamedTuple):
    """The errors that are possible in some words, in columns: each column has one entry for each error.

    Attributes:
        words: the number of the word.
        numbers: the number of the rule, or a negative number for a form of the lexicon (see `Misspellings._one`).
        places: the index in `Words` of the first letter that the rule replaces; 0 for a form of the lexicon.
        rates: how often people make the error.
    """

    words: Ints
    numbers: Ints
    places: Ints
    rates: Floats


class Misspellings:
    """Makes the misspellings of some classes of errors, by a lexicon of frequent misspellings and rules over letters.

    Args:
        lexicon: the dictionary of frequent misspellings: its name, or a path that ends in .tsv. The columns are: right
            form; wrong form; class of the error; share of the uses of the right form that people write so.
        rules: the dictionary of rules over letters. The columns are: class of the error; rule; how many errors by the
            rule people made in a sample of texts; at how many places of the sample the rule fits; example.
        factors: for each class of errors that is wanted, a number by which the rates of its errors are multiplied.
        prefixes: the prefixes that people split from words («на верное»), longer ones first, each with how often people
            split it.

    Attributes:
        forms: maps right forms to their frequent misspellings. A right form is a word, or a phrase of two words, in
            lower case with е for ё.
        phrases: the misspellings of each right form that is a phrase.
        phrase_table: finds these phrases in a batch, and gives the index of each in `phrases`.
        beginnings: maps beginnings of words, of at least three letters, to their misspellings.
        stems: the first three letters of these beginnings.
        rules: the rules over letters.
        prefixes: maps each prefix that people split from words to how often they do it.

    Raises:
        AugmentError: there is no such dictionary, or one of its lines is malformed.
    """

    def __init__(self, lexicon: str, rules: str, factors: Mapping[str, float], prefixes: Mapping[str, float]) -> None:
        self.forms: dict[str, tuple[Form, ...]] = {}
        self.beginnings: dict[str, tuple[Form, ...]] = {}
        phrases: dict[str, str] = {}
        for right, wrong, kind, share in rows(dictionary_path(lexicon), columns=4):
            rate = number_in(f"{lexicon}: {right} {wrong}: share", share)
            if kind in factors:
                key = right.replace("ё", "е")
                where = self.beginnings if key.endswith("*") else self.forms
                key = key.removesuffix("*")
                form = Form(wrong.removesuffix("*"), kind, min(rate * factors[kind], _HIGHEST))
                where[key] = (*where.get(key, ()), form)
                if " " in key:
                    phrases[key] = max(right, phrases.get(key, right), key=lambda one: "ё" in one)
        self.rules = [
            RatedRule(
                LetterRule(rule),
                kind,
                factors[kind]
                * number_in(f"{rules}: {rule}: errors", errors)
                / number_in(f"{rules}: {rule}: places", places),
            )
            for kind, rule, errors, places, _ in rows(dictionary_path(rules), columns=5)
            if kind in factors
        ]
        self.stems = frozenset(beginning[:_SHORTEST_BEGINNING] for beginning in self.beginnings)
        self.phrases = [self.forms[phrase] for phrase in phrases]
        self.phrase_table = form_table(list(phrases.values()))
        self.prefixes = dict(prefixes)
        self._rates: dict[str, float] = {}
        """The rates of words that were asked for, so that a frequent word is computed once."""

    def of(self, word: str) -> list[Form]:
        """Return the listed misspellings of a word in lower case.

        If people split the word after a prefix («на верное»), the split word is one of the misspellings.
        """
        plain = word.replace("ё", "е")
        found = list(self.forms.get(plain, ()))
        if plain[:_SHORTEST_BEGINNING] in self.stems:
            for length in range(_SHORTEST_BEGINNING, len(word) + 1):
                forms = self.beginnings.get(plain[:length], ())
                found.extend(Form(form.wrong + word[length:], form.kind, form.rate) for form in forms)
        length = prefix_length(word, tuple(self.prefixes)) if self.prefixes else 0
        if length:
            found.append(Form(f"{word[:length]} {word[length:]}", "split", self.prefixes[word[:length]]))
        return found

    def rates_of(self, words: Sequence[str]) -> Floats:
        """Return how often people misspell each word: the share of its uses, in [0, 0.97], shape (words,).

        Args:
            words: the words in lower case.
        """
        known = self._rates
        new = [word for word in words if word not in known]
        if new:
            if len(known) > _REMEMBERED:
                known.clear()
                new = list(words)
            for some in (new[at : at + _AT_ONCE] for at in range(0, len(new), _AT_ONCE)):
                found = self._found(Words(some), [self.of(word) for word in some])
                rates = np.minimum(np.bincount(found.words, found.rates, minlength=len(some)), _HIGHEST)
                known.update(zip(some, rates.tolist(), strict=True))
        return np.array([known[word] for word in words], dtype=np.float64)

    def misspelt(self, words: Sequence[str], keys: Keys) -> list[Misspelt]:
        """Return each word with an error; errors that people make more often are likelier to be drawn.

        A word without a possible error stays as it is. A few long words that a rule over letters changed get a second
        error.

        Args:
            words: the words, as they are written.
            keys: the key (seed) of each word's random draws, shape (words,).
        """
        made = self._once(words, keys, [self.of(word.lower()) for word in words])
        again = np.flatnonzero(unit(keys, np.full(keys.size, _MORE)) < _AGAIN).tolist()
        again = [at for at in again if made[at].is_by_rule and len(words[at]) >= _LONG]
        if again:
            following = self._once([made[at].text for at in again], keys[again] ^ _SECOND, [[]] * len(again))
            for at, (text, kind, _) in zip(again, following, strict=True):
                if kind and text != words[at]:  # the second error must not mend the first
                    kinds = dict.fromkeys((made[at].kind, kind))
                    made[at] = Misspelt(text, "+".join(kinds), is_by_rule=True)
        return made

    def _once(self, words: Sequence[str], keys: Keys, lexicon: Sequence[Sequence[Form]]) -> list[Misspelt]:
        columns = Words([word.lower() for word in words])
        found = self._found(columns, lexicon)
        order = np.argsort(found.words, kind="stable")
        bounds = np.searchsorted(found.words[order], np.arange(len(words) + 1))
        sums = np.concatenate([[0.0], np.cumsum(found.rates[order])])
        widths = sums[bounds[1:]] - sums[bounds[:-1]]
        tries = []
        for number in range(_TRIES):
            targets = sums[bounds[:-1]] + unit(keys, np.full(keys.size, _WHICH - number)) * widths
            tries.append(np.minimum(np.searchsorted(sums, targets, side="right") - 1, bounds[1:] - 1))
        made: list[Misspelt] = []
        for number, word in enumerate(words):
            if bounds[number] == bounds[number + 1]:
                made.append(Misspelt(word, ""))
                continue
            for chosen in tries:
                at = order[chosen[number]]
                start = int(found.places[at] - columns.starts[number])
                one = self._one(word, int(found.numbers[at]), start, lexicon[number], keys[number])
                if not (one.is_by_rule and one.kind not in _TAKEN_FOR_THE_WORD and _is_other_word(one.text.lower())):
                    break
            made.append(one)
        return made

    def _one(self, word: str, which: int, start: int, lexicon: Sequence[Form], key: np.uint64) -> Misspelt:
        """Return a word with one error.

        Args:
            word: the word as it is written.
            which: the number of the rule that makes the error; a negative number -1 - n means form n of the lexicon.
            start: the index of the first letter that the rule replaces.
            lexicon: the forms of the lexicon for this word.
            key: the key of the word's draws.
        """
        if which < 0:
            form = lexicon[-1 - which]
            return Misspelt(as_written(form.wrong, word), form.kind)
        text = _changed(word, start, self.rules[which].rule, key)
        return Misspelt(text, self.rules[which].kind, is_by_rule=True)

    def _found(self, columns: Words, lexicon: Sequence[Sequence[Form]]) -> _Found:
        found: list[tuple[Ints, Ints, Ints, Floats]] = []
        for number, (rule, _, rate) in enumerate(self.rules):
            places, weights = rule.places(columns)
            owners = columns.words[places if rule.length else places - 1]
            found.append((owners, np.full(places.size, number), places, weights * rate))
        known = [(word, -1 - at, form.rate) for word, forms in enumerate(lexicon) for at, form in enumerate(forms)]
        listed = np.array(known, dtype=np.float64).reshape(-1, 3)
        words, numbers = listed[:, 0].astype(np.int64), listed[:, 1].astype(np.int64)
        found.append((words, numbers, np.zeros(len(known), dtype=np.int64), listed[:, 2]))
        return _Found(*(np.concatenate(column) for column in zip(*found, strict=True)))


_TRIES = 4
"""The most errors that are drawn for a word until one does not make another word («сделал» from «сделали»)."""
_TAKEN_FOR_THE_WORD = frozenset({"hyphen_dropped", "hyphen_space", "tsya"})
"""Classes whose errors are read as the right word, even if they make another word."""
_WHICH, _MORE, _FIRST_DRAW = _TRIES - 1, _TRIES, _TRIES
"""The numbers of a word's draws.

They are: the first choice of an error, with further choices at the numbers below; whether a second error follows; and
the number after which the draws of the rules begin.
"""
_SECOND = np.uint64(0x5851F42D4C957F2D)
"""A constant that makes the draws of a second error differ from those of the first one."""
_SHORTEST_BEGINNING = 3
_REMEMBERED = 200_000
_AT_ONCE = 2_000
"""Rates of so many words are computed at once: those of all words of a long text would take 60 MB."""


def _is_other_word(word: str) -> bool:
    """Tell whether a misspelling is another word that readers know."""
    return is_known(word) and is_common(word)


def as_written(wrong: str, word: str) -> str:
    """Write a misspelling as the text writes the word: with its initial capital, and with е for ё if it has no ё.

    Args:
        wrong: the misspelling in lower case.
        word: the right form as it is written in the text.
    """
    if "ё" in wrong and "ё" not in word.lower():
        wrong = wrong.replace("ё", "е")
    return wrong[:1].upper() + wrong[1:] if word[:1].isupper() else wrong


def _changed(word: str, start: int, rule: LetterRule, key: np.uint64) -> str:
    keys, numbers = np.array([key]), count(_FIRST_DRAW + 1)
    old = word[start : start + rule.length]
    new = rule.written(old.lower(), lambda: float(unit(keys, np.array([next(numbers)]))[0]))
    if old[:1].isupper():
        new = new[:1].upper() + new[1:]
        if not new:  # «Однако» → «Днако»
            return word[:start] + word[start + 1 :].capitalize()
    return word[:start] + new + word[start + rule.length :]


_SEPARATORS = (*JOINS, "split")
"""The classes whose rates are taken from the attack `spacing`."""


@dataclass(frozen=True, slots=True)
class Misspell(Attack):
    """Misspell words as people do, with each class of errors as frequent as in people's texts.

    Frequent misspellings («вобщем», «седня») are listed in a lexicon. Rules over letters make the others: unstressed
    vowels, -тся and -ться, double and silent consonants, neighbouring keys, letters left out, added or swapped,
    stretched vowels. Words are also joined and split, as the attack `spacing` does. No word gets two changes. Words in
    capitals and words with digits or letters that are not Russian are not changed.

    People write many sentences without an error. So no change is forced: a text may stay as it is (`min_changes` is 0).

    Args:
        probability: the share of the words that get an error, in an average text; in [0, 1].
        classes: the classes of errors; `all` stands for all of them.
        profile: whose errors are imitated. `blog`: those of people who write blogs. `messenger`: of people in a
            messenger. `careful`: of people who write with care.
        lexicon: the dictionary of frequent misspellings. Its columns are: right form; wrong form; class of the error;
            share of the uses of the right form that people write so.
        rules: the dictionary of rules over letters. Its columns are: class of the error; rule; how many errors by the
            rule people made in a sample of texts; at how many places of the sample the rule fits; example.
        frequencies: the dictionary of the classes. Its columns are: the class; how many such errors 23,500 words of
            blogs have; and for each other profile a factor by which this number is multiplied.
        styles: which texts get the forms that people write on purpose, «седня» and «оооочень»: `chat`, texts in the
            style of a chat or a review; `any`, all texts.

    Raises:
        AugmentError: there is no such class, profile or dictionary, or `classes` is empty.
    """

    group: ClassVar[str] = "people"
    min_changes: ClassVar[int] = 0
    probability: float = 0.045
    classes: tuple[str, ...] = ("all",)
    profile: str = "blog"
    lexicon: str = "misspellings"
    rules: str = "misspell"
    frequencies: str = "misspell_classes"
    styles: str = "chat"

    def __post_init__(self) -> None:
        if isinstance(cast("Any", self.classes), str):
            raise AugmentError(f"misspell: classes: '{self.classes}'; needs a sequence of names")
        object.__setattr__(self, "classes", tuple(self.classes))
        check_known("misspell.styles", self.styles, STYLES)
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
        plain = words[:0]  # where the words start that get no form that is written on purpose
        if self.styles == "chat" and plan.plain is not plan.misspellings:
            rates = plan.plain.rates_of(distinct)[places]
            other = np.flatnonzero(rates != word_rates)
            other = other[~in_chats(batch, forms.starts[words[other]], _LEAST_POINTS)]
            word_rates[other] = rates[other]
            plain = forms.starts[words[other]]
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
            is_plain = np.isin(starts[indices[single]], plain)
            found: dict[int, Misspelt] = {}
            for known, of in ((plan.misspellings, single[~is_plain]), (plan.plain, single[is_plain])):
                alone = known.misspelt([texts[number] for number in of.tolist()], keys[of])
                found.update(zip(of.tolist(), alone, strict=True))
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
        plain: those without the forms that people write on purpose.
        joins: how often words are joined or split.
        mean: the share of words in which people make an error of the classes.
    """

    def __init__(self, classes: tuple[str, ...], profile: str, lexicon: str, rules: str, frequencies: str) -> None:
        table = {name: cells for name, *cells in rows(dictionary_path(frequencies), columns=5)}
        check_known("profile of misspell", profile, PROFILES)
        check_classes("misspell", classes, ("all", *table))
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
        slips = {name: factor for name, factor in factors.items() if float(table[name][_CAREFUL])}
        self.plain = Misspellings(lexicon, rules, slips, prefixes) if slips != factors else self.misspellings


_plan_of = cache(_Plan)


def _plan(attack: Misspell) -> _Plan:
    return _plan_of(attack.classes, attack.profile, attack.lexicon, attack.rules, attack.frequencies)


PROFILES = ("blog", "messenger", "careful")
_CAREFUL = PROFILES.index("careful")
_LEAST_POINTS = 2
"""The points of style that a text needs for forms that people write on purpose."""
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
