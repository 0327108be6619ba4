"""Tells which words say the same or nearly so: synonyms, both aspects of a verb, words of one root, short forms."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations

from augment_ru.edits import shared_start
from augment_ru.language.morphology import lemmas_of, word_kind
from augment_ru.language.shortenings import stands_for
from augment_ru.resources import dictionary_path, mutual, opposites, rows
from augment_ru.similarities.meaning.quantities import amounts_of

_MOST_PAIRS = 4096
"""The most pairs of words that are compared by their roots."""
_LEAST_ROOT, _LEAST_SKELETON = 4, 3
_ENDING = re.compile(
    r"(?:ировать|овать|евать|ывать|ивать|нуть|ить|ать|ять|еть|ти|чь|ение|ание|нение|тие|ство|ость|ный|ной|ский|овый|ка|ия|ие|ый|ий"
    r"|ой|[аяоеьйиы])(?:ся|сь)?$"
)
_VOWELS = re.compile("[аеиоуыэюяьъ]")
_VERBAL = frozenset({"verb", "infinitive", "participle", "gerund"})


@cache
def _synonyms() -> dict[str, frozenset[str]]:
    """Map each lemma to the lemmas of the same sense, in both directions."""
    return mutual(_same_senses())


def _same_senses() -> Iterator[tuple[str, ...]]:
    """Yield the pairs of lemmas of one sense from all dictionaries that list such pairs."""
    for name, columns, place in (("synonyms", 5, 2), ("aspect_pairs", 2, 1), ("diminutives", 5, 2)):
        for word, *cells in rows(dictionary_path(name), columns=columns):
            yield from ((word, other) for other in cells[place - 1].split(", "))
    for (group,) in rows(dictionary_path("same_sense"), columns=1):
        yield from combinations(group.split(" "), 2)


@cache
def _partners() -> dict[str, frozenset[str]]:
    """Map each verb to its partners of the other aspect."""
    return mutual(rows(dictionary_path("aspect_pairs"), columns=2))


@lru_cache(maxsize=100_000)
def are_opposite(one: str, other: str) -> bool:
    """Tell whether two words in lower case mean the opposite, in any form and aspect: «наступал» and «отступил»."""
    table, partners = opposites(), _partners()
    mine, theirs = (
        {*lemmas_of(word), *(two for lemma in lemmas_of(word) for two in partners.get(lemma, ()))}
        for word in (one, other)
    )
    return any(not table.get(lemma, frozenset()).isdisjoint(theirs) for lemma in mine)


@lru_cache(maxsize=100_000)
def senses_of(word: str) -> frozenset[str]:
    """Return the lemmas of a word in lower case, with all lemmas that have the same sense in the dictionaries."""
    synonyms = _synonyms()
    lemmas = {word, *lemmas_of(word)}
    return frozenset(lemmas.union(*(synonyms.get(lemma, ()) for lemma in lemmas)))


@lru_cache(maxsize=100_000)
def are_alike(one: str, other: str) -> bool:
    """Tell whether two words in lower case are forms of one lemma, say the same number, or have the same sense."""
    if amounts_of(one) and amounts_of(one) == amounts_of(other):
        return True
    return not (
        senses_of(one).isdisjoint((other, *lemmas_of(other))) and senses_of(other).isdisjoint((one, *lemmas_of(one)))
    )


def unlike(ones: Sequence[str], others: Sequence[str]) -> set[str]:
    """Return the words of the first list that no word of the second list resembles in meaning.

    Words resemble each other if they have the same sense, state the same number, share a root, or one is an
    abbreviation of the other. In lists with more than 4,096 pairs, roots and abbreviations are not compared.

    Args:
        ones: the words that are compared, in lower case.
        others: the words with which they are compared.
    """
    near = frozenset[str]().union(*map(senses_of, others))
    lemmas = {lemma for word in others for lemma in (word, *lemmas_of(word))}
    left = {word for word in ones if lemmas.isdisjoint(senses_of(word)) and near.isdisjoint((word, *lemmas_of(word)))}
    amounts = {amounts_of(word) for word in others}
    left = {word for word in left if not (amounts_of(word) and amounts_of(word) in amounts)}
    if len(left) * len(others) > _MOST_PAIRS:
        return left
    return {word for word in left if not any(stands_for(word, other) or _of_one_root(word, other) for other in others)}


@lru_cache(maxsize=100_000)
def _of_one_root(one: str, other: str) -> bool:
    """Tell whether two words of different parts of speech share their root: «отменить» and «отмена»."""
    roles = [word_kind(word).role for word in (one, other)]
    if "" in roles or min(len(one), len(other)) < _LEAST_ROOT or (roles[0] == roles[1]) or set(roles) <= _VERBAL:
        return False
    left, right = (_ENDING.sub("", lemmas_of(word)[0]) for word in (one, other))
    bare, spare = _VOWELS.sub("", left), _VOWELS.sub("", right)
    shared = shared_start(bare, spare)
    begin = shared_start(left, right)
    if begin < _LEAST_SKELETON:
        return False
    same = shared >= _LEAST_SKELETON and shared >= min(len(bare), len(spare)) - 1
    return same or left == right or begin >= max(_LEAST_ROOT, min(len(left), len(right)) - 1)
