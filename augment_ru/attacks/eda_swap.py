"""Два слова меняются местами: «кошка тихо спит» → «спит тихо кошка»."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import ClassVar

import numpy as np

from augment_ru.draws import Floats, Ints, Streams, paired
from augment_ru.engine.attack import Attack, check_guards
from augment_ru.engine.proposals import Proposals, Replacements, side_by_side
from augment_ru.errors import check_known
from augment_ru.language.morphology import QUESTION_WORDS, WordKind, has_reading, lemmas_of, readings, word_kind
from augment_ru.resources import kinds_in
from augment_ru.text.batch import Batch
from augment_ru.text.characters import counts_before, decode
from augment_ru.text.words import inner_stops, word_bounds

_MARKS = frozenset(',;:—–()[]{}«»"“”„…/|')
_FIXED = frozenset({"conjunction", "particle", "interjection", "preposition", ""})
"""The roles of words that stay, because they connect or modify other words."""
_BEFORE_NOUN = frozenset({"adjective", "participle", "number"})
_NOMINAL = frozenset({"noun", "pronoun", "number"})
_FOREIGN = "foreign"
"""The role of words in a text in which no word has a known role."""
_LONGEST_PHRASE = 4
"""How many words after a preposition or an adjective are searched for its noun."""
_ACTIONS = frozenset({"verb", "infinitive", "gerund"})
_OWNERS = frozenset({"его", "её", "ее", "их"})
"""Pronouns that stand before a noun as an adjective does."""
_AFTER_OWNER = frozenset({"noun", "adjective", "participle"})


@dataclass(frozen=True, slots=True)
class Unit:
    """A constituent of a clause (such as a noun with its adjectives), or a word inside a constituent.

    Attributes:
        start, stop: where it starts and stops, as offsets in `Batch.codes`.
        clause: the index of its clause, from 0 through the whole batch.
        role: "argument" for a noun phrase, with or without a preposition; "adjective" for an adjective or participle;
            for any other word its part of speech, such as "adverb". A constituent that stays where it is has "fixed",
            and a constituent in a text of another language has "".
        held: whether it has protected characters, which no edit may touch. Such a unit stays, and a neighbour moves to
            its other side.
    """

    start: int
    stop: int
    clause: int
    role: str
    held: bool = False

    def may_exchange(self, other: "Unit") -> bool:
        """Tell whether this constituent and its neighbour may exchange places.

        They must be in one clause. Neither may be marked as fixed, and only one may have protected characters. Their
        roles must differ, or be unknown.
        """
        fixed = self.clause != other.clause or "fixed" in (self.role, other.role) or (self.held and other.held)
        return not fixed and (not self.role or self.role != other.role)


def constituents(batch: Batch) -> list[Unit]:
    """Find the constituents (phrases or single words) of all texts; those that may not move have the role "fixed".

    A clause ends at a mark inside the sentence, at a conjunction, and with the sentence. A noun is one constituent with
    its preposition, its adjectives, and the genitives and names after it. Two nouns that «и» or «или» joins are one
    constituent, too. Conjunctions, particles, question words and words of no known kind are fixed.
    """
    return list(_constituents(batch, batch.once(_Words)))


class _Words:
    """The words of a batch, units of several words counted as one.

    Attributes:
        starts, stops: the global places where each word starts and stops.
        free: whether each word may be moved.
        texts: each word in lower case.
        capital: whether each word has a capital.
        roles: the role of each word (`WordKind.role`).
        kinds: the kind of each word; of a unit of several words, that of the last one.
        acts: whether a verb stands before each word in its clause.
        sentences, clauses: the numbers of the sentence and the clause of each word, ascending over all texts.
        torn: the places on both sides of a full stop that ends no sentence: nothing beside it may move alone.
        goes_on: whether each word is in the clause of the word before it; with one more False at the end.
    """

    def __init__(self, batch: Batch) -> None:
        starts, stops = batch.words
        ends = dict(zip(starts.tolist(), stops.tolist(), strict=True))
        every, every_stop = word_bounds(batch.codes, batch.flags)
        at = np.searchsorted(starts, every, side="right") - 1
        inside = (at >= 0) & (every > starts[at]) & (every < stops[at]) if starts.size else every < 0
        every, every_stop = every[~inside], every_stop[~inside]  # of a unit of several words the first is left
        text = decode(batch.codes)
        self.starts: list[int] = every.tolist()
        self.stops = [ends.get(start, stop) for start, stop in zip(self.starts, every_stop.tolist(), strict=True)]
        self.free = [start in ends for start in self.starts]
        self.capital = [text[start].isupper() for start in self.starts]
        self.texts = [text[start:stop].lower() for start, stop in zip(self.starts, self.stops, strict=True)]
        self.torn = frozenset(chain.from_iterable(inner_stops(text)))
        lasts = [text.rsplit(maxsplit=1)[-1] for text in self.texts]
        self.kinds = list(map(word_kind, lasts))
        rows, known = batch.rows(every).tolist(), list(map(_role, lasts, self.kinds))
        russian = {row for row, role in zip(rows, known, strict=True) if role}
        others = ("noun" if row in russian else _FOREIGN for row in rows)
        words = zip(known, others, self.texts, strict=True)
        self.roles = [role or (other if text.isalpha() else "") for role, other, text in words]
        sentences = batch.sentences(every)
        self.sentences: list[int] = sentences.tolist()
        self.clauses = _clauses(batch, every, sentences, self.roles)
        self.goes_on = [False, *(one == other for one, other in pairwise(self.clauses)), False]
        numbered = list(enumerate(self.clauses))
        first = {clause: at for at, clause in reversed(numbered) if self.roles[at] in _ACTIONS}
        self.acts = [first.get(clause, at) < at for at, clause in numbered]

    def role_behind(self, at: int) -> str:
        """Return the role of the word behind word `at`; "" at the end of a sentence."""
        behind = at + 1
        is_inside = behind < len(self.roles) and self.sentences[behind] == self.sentences[at]
        return self.roles[behind] if is_inside else ""


def _role(word: str, kind: WordKind) -> str:
    """Return the role of a word in lower case; a word such as «Унтемка» is a noun."""
    return "noun" if kind.role == "adjective" and not kind.known and has_reading(word, "NOUN") else kind.role


def _clauses(batch: Batch, starts: Ints, sentences: Ints, roles: Sequence[str]) -> list[int]:
    """Return the number of the clause of each word, ascending over all texts."""
    marks = np.isin(batch.codes, np.array([ord(mark) for mark in _MARKS], dtype=np.uint32))
    joints = np.cumsum([role == "conjunction" for role in roles]) if roles else np.zeros(0, dtype=np.int64)
    numbers: list[int] = (sentences + np.cumsum(marks)[starts] + joints).tolist()
    return numbers


def _constituents(batch: Batch, words: _Words) -> Iterator[Unit]:
    stays = _stays_before(batch)
    at, lacks_noun = 0, False
    while at < len(words.starts):
        stop = _phrase(words, at)
        own = words.roles[at]
        kind = "argument" if own in _NOMINAL or (stop > at + 1 and own != "adverb") else own
        role = {"participle": "adjective", _FOREIGN: ""}.get(kind, kind)
        modifies = kind in _BEFORE_NOUN and not has_reading(words.texts[at], "ADJS", "PRTS")
        alone = stop == at + 1 and (kind in _FIXED or modifies)
        start, end = words.starts[at], words.stops[stop - 1]
        asks = any(not QUESTION_WORDS.isdisjoint(lemmas_of(text)) for text in words.texts[at:stop])
        goes_before = lacks_noun and words.goes_on[at] and _completes(words, at)
        joined = words.texts[at].startswith("и " if words.acts[at] else ("а ", "но ", "или "))  # «читал [и не понял]»
        fixed = alone or asks or joined or goes_before or stays[end] > stays[start]
        fixed |= not words.torn.isdisjoint((start, end))
        lacks_noun = alone and (modifies or kind == "preposition")
        yield Unit(start, end, words.clauses[at], "fixed" if fixed else role, not all(words.free[at:stop]))
        at = stop


def _stays_before(batch: Batch) -> Sequence[int]:
    """Return how many characters before each place nothing may move around, because a guard protects them."""
    guards = batch.untouchable
    if guards is None:
        return [0] * (batch.codes.size + 1)
    others = batch.prepared.untouchable
    counts: list[int] = counts_before(guards if others is None else guards & ~others).tolist()
    return counts


def _completes(words: _Words, at: int) -> bool:
    """Tell whether a unit starts with the noun of the single word before it: «победный [гол забил]», «в [нём]»."""
    first, before = word_kind(words.texts[at].split()[0]), words.kinds[at - 1]
    return before.role == "preposition" or (first.role == "noun" and bool(first.cases & before.cases))


def _phrase(words: _Words, at: int) -> int:
    """Return the number of the word after the phrase that starts with word `at`; `at + 1` for a single word."""
    noun = _noun(words, at)
    if noun is None:
        behind = words.goes_on[at + 1] and words.roles[at + 1] == "adverb"
        return at + 1 + (behind and "degree" in kinds_in("negators", words.texts[at]))
    stop = _end(words, noun)
    if words.roles[at] != "preposition" and not words.acts[at]:  # «лёд [на реке] тонкий»
        until = stop
        while words.goes_on[until] and words.roles[until] == "preposition" and (inner := _noun(words, until)):
            until = _end(words, inner)
        stop = until if words.goes_on[until] else stop
    joined = stop + 1
    is_inside = joined < len(words.starts) and words.sentences[joined] == words.sentences[noun]
    if is_inside and words.texts[stop] in ("и", "или") and _are_alike(words, noun, joined):
        return _phrase(words, joined)
    return stop


def _end(words: _Words, noun: int) -> int:
    """Return the number of the word after a noun with its genitives, names and number: «глава 3», «на реке Волга»."""
    stop = noun + 1
    while (following := _genitive(words, stop)) is not None:
        stop = following
    return stop + (words.goes_on[stop] and words.texts[stop].isdigit() and not _leads_on(words, stop))


def _noun(words: _Words, at: int) -> int | None:
    """Return the number of the noun of the phrase that starts with word `at`; None if no phrase starts there."""
    for place in range(at, min(at + 1 + _LONGEST_PHRASE, len(words.roles))):
        role, following = words.roles[place], words.role_behind(place)
        if words.clauses[place] != words.clauses[at]:
            break
        is_noun = role in _NOMINAL or words.texts[place] == "это"
        owns = following in _AFTER_OWNER and (words.texts[place] in _OWNERS or _points(words, place))
        if is_noun and not owns and not (role == "number" and _leads_on(words, place)):
            return place if _agree(words, at, place) else None
        leads = is_noun or role in _BEFORE_NOUN or (role == "preposition" and place == at)
        if not leads and not (role == "adverb" and following == "adjective"):
            break
    return None


def _points(words: _Words, at: int) -> bool:
    """Tell whether a pronoun is the attribute of the noun behind it: «в [этом] районе», «в [это] время»."""
    cases = words.kinds[at + 1].cases
    return any(one.pos == "ADJF" and one.case in cases for one in readings(words.texts[at]))


def _agree(words: _Words, first: int, noun: int) -> bool:
    """Tell whether the adjectives in front of a noun may have its case."""
    cases = words.kinds[noun].cases
    attributes = (at for at in range(first, noun) if words.roles[at] in ("adjective", "participle"))
    return not cases or all(cases & words.kinds[at].cases for at in attributes)


def _genitive(words: _Words, at: int) -> int | None:
    """Return the number of the word after a genitive or name that starts at word `at`; None if none starts there."""
    noun = _noun(words, at) if words.goes_on[at] and words.roles[at] != "preposition" else None
    if noun is None or words.roles[noun] != "noun":
        return None
    kind = words.kinds[noun]
    is_name = words.capital[noun] and not words.capital[at - 1] and "nomn" in kind.cases  # «на реке Волга»
    return noun + 1 if "gent" in kind.cases or not kind.known or is_name else None


def _are_alike(words: _Words, noun: int, at: int) -> bool:
    """Tell whether a phrase in the case of the noun starts at word `at`, which follows a conjunction."""
    other = _noun(words, at)
    if other is None or words.roles[at] == "preposition":
        return False
    one, two = words.kinds[noun].cases, words.kinds[other].cases
    return not one or not two or bool(one & two)


def _leads_on(words: _Words, place: int) -> bool:
    return words.goes_on[place + 1] and words.roles[place + 1] in {"noun", "adjective"}


def inner_pairs(batch: Batch) -> list[tuple[Unit, Unit]]:
    """Find the adjectives that stand directly before their noun, and return each with its noun.

    Both must be free to move: «[большой] [дом]», «в [большом] [доме]».
    """
    words = batch.once(_Words)
    every = list(map(Unit, words.starts, words.stops, words.clauses, words.roles))
    return [
        (every[at], every[at + 1])
        for at in range(len(every) - 1)
        if (words.roles[at], words.roles[at + 1]) == ("adjective", "noun")
        and " " not in words.texts[at]
        and words.free[at]
        and words.free[at + 1]
        and words.goes_on[at + 1]
        and words.stops[at + 1] not in words.torn
        and _agree(words, at, at + 1)
    ]


SCOPES = ("clause", "anywhere")


@dataclass(frozen=True, slots=True)
class EdaSwap(Attack):
    """Exchange random words of a sentence, but no punctuation (EDA; Wei and Zou 2019).

    The default probability, 0.3, is that of the benchmark TAPE (Table 1).

    The words are paired at random, and a random number is drawn for each word. A pair is exchanged if one of its two
    numbers is below the probability p. So up to 2p of the words move, as in the paper.

    Two words are paired only within a clause, and only if they have different roles in it: «кошка видит собаку» keeps
    who sees whom, «большой дом и старое дерево» keeps what is big. A preposition moves with its phrase, and «не» with
    its word. With `scope=anywhere` any two words of a sentence are paired, as in the paper.

    Args:
        probability: the share p of the words that are drawn for an exchange, in [0, 1].
        scope: `clause` or `anywhere`.
        guards: the constraints whose spans are never moved, whatever the task; only with `scope=clause`.
        joins: the constraints whose spans are moved as one word; only with `scope=clause`.

    Raises:
        AugmentError: there is no such scope or constraint.
    """

    group: ClassVar[str] = "tape"
    probability: float = 0.3
    scope: str = "clause"
    guards: tuple[str, ...] = ("numbers", "restrictors")
    joins: tuple[str, ...] = ("negated", "units")

    def __post_init__(self) -> None:
        check_known("eda_swap.scope", self.scope, SCOPES)
        check_guards(self.name, self.guards)
        check_guards(self.name, self.joins, "joins")
        if self.scope == "anywhere":
            object.__setattr__(self, "guards", ())
            object.__setattr__(self, "joins", ())

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose to exchange the two words of every pair; the words are paired at random."""
        units = list[Unit]()
        if self.scope == "clause":
            found, pairs = batch.once(constituents), batch.once(inner_pairs)
            units = [*found, *chain.from_iterable(pairs)]
            starts = np.array([unit.start for unit in units], dtype=np.int64)
            stops = np.array([unit.stop for unit in units], dtype=np.int64)
            one, other = _paired(found, batch.draw(streams, starts, lane=1))
            inner = len(found) + np.arange(2 * len(pairs)).reshape(-1, 2)
            one, other = np.append(one, inner[:, 0]), np.append(other, inner[:, 1])
        else:
            starts, stops = batch.words
            one, other = paired(batch.sentences(starts), batch.draw(streams, starts, lane=1))
        draws = batch.draw(streams, starts)
        ranks = np.minimum(draws[one], draws[other])
        held = np.isin(np.arange(starts.size), [at for at, unit in enumerate(units) if unit.held])
        around = held[one] | held[other]
        moved = _around(batch, units, one[around], other[around], ranks[around])
        one, other, ranks = one[~around], other[~around], ranks[~around]
        swaps = Proposals.of_swaps(batch, (starts[one], stops[one]), (starts[other], stops[other]), ranks)
        return side_by_side([swaps, moved]) if moved.ranks.size else swaps


def _around(batch: Batch, units: Sequence[Unit], ones: Ints, others: Ints, ranks: Floats) -> Proposals:
    """Propose to move the free unit of each pair of neighbours to the other side of the held one, which stays.

    Args:
        batch: the texts.
        units: the units.
        ones: the index of the first unit of each pair, shape (pairs,).
        others: the index of the second one, same shape.
        ranks: the rank of each pair, same shape.
    """
    edits: list[tuple[int, int, str]] = []
    for one, other in ((units[one], units[other]) for one, other in zip(ones.tolist(), others.tolist(), strict=True)):
        gap = decode(batch.codes[one.stop : other.start])
        if one.held:
            moved = decode(batch.codes[other.start : other.stop])
            edits += [(one.start, one.start, moved + gap), (one.stop, other.stop, "")]
        else:
            moved = decode(batch.codes[one.start : one.stop])
            edits += [(one.start, other.start, ""), (other.stop, other.stop, gap + moved)]
    starts, stops = np.array([edit[:2] for edit in edits], dtype=np.int64).reshape(-1, 2).T
    texts = Replacements.of([text for _, _, text in edits])
    return Proposals(starts, stops, np.repeat(np.arange(ranks.size), 2), ranks, texts.take)


def _paired(found: Sequence[Unit], draws: Floats) -> tuple[Ints, Ints]:
    """Pair neighbours of the same clause that may exchange places, in a random order, each unit once.

    Args:
        found: the units.
        draws: a draw from U[0, 1) for each unit, which sets the order.

    Returns:
        The indices of the first and of the second unit of each pair.
    """
    pairs: list[int] = []
    taken: set[int] = set()
    for at in np.argsort(draws[: max(len(found) - 1, 0)], kind="stable").tolist():
        one, other = found[at], found[at + 1]
        if not (at in taken or at + 1 in taken) and one.may_exchange(other):
            pairs.append(at)
            taken |= {at, at + 1}
    first = np.array(sorted(pairs), dtype=np.int64)
    return first, first + 1
