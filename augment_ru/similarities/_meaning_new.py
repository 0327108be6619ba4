"""The features of new words: other words in place of old ones, and words that were added."""

from collections.abc import Iterator, Sequence

from augment_ru.language.frequency import information
from augment_ru.language.morphology import lemmas_of
from augment_ru.language.slovnet import word_vector
from augment_ru.similarities._meaning_marks import negates
from augment_ru.similarities._meaning_words import Fates

_TELLING = 0.5
"""The least information of a word by which a sentence is about something."""


def of_rewritten(fates: Fates) -> Iterator[tuple[str, float]]:
    """The features of other words in place of words of the text; the two sides are compared by word vectors."""
    if not fates.replaced:
        return
    words = fates.source.words
    old = [words[number].form for numbers, _ in fates.replaced for number in numbers]
    new = [word for _, found in fates.replaced for word in found]
    unsaid = [information(word) * far for word, far in zip(old, _apart(old, new), strict=True)]
    unheard = [information(word) * far for word, far in zip(new, _apart(new, old), strict=True)]
    yield "unsaid", sum(unsaid) / fates.source.total
    yield "unheard", min(sum(unheard) / fates.source.total, 1.0)
    yield "unsaid_most", max(unsaid, default=0.0)
    yield "unheard_most", max(unheard, default=0.0)


def _apart(ones: Sequence[str], others: Sequence[str]) -> list[float]:
    """How far each word is from the nearest of the others: 1 minus the cosine of their vectors, in [0, 1]."""
    lemmas = {lemma for word in others for lemma in lemmas_of(word)}
    vectors = [vector for word in dict.fromkeys(others) if (vector := word_vector(word)) is not None]
    found = {}
    for word in dict.fromkeys(ones):  # long texts repeat their words
        mine = word_vector(word)
        if not lemmas.isdisjoint(lemmas_of(word)):
            found[word] = 0.0
        elif mine is None or not vectors:
            found[word] = 1.0
        else:
            nearest = max(float(mine @ vector) for vector in vectors)
            found[word] = 1 - min(max(nearest, 0.0), 1.0)
    return [found[word] for word in ones]


def of_added(fates: Fates) -> Iterator[tuple[str, float]]:
    """The features of words that were added: inside the text, and behind it, where they may contradict it."""
    if not fates.inserted:
        return
    end = len(fates.source.words)
    yield "inserted", float(sum(at < end for at, _ in fates.inserted))
    behind = [word for at, word in fates.inserted if at == end]
    if not behind:
        return
    own = {lemma for word in fates.source.words for lemma in lemmas_of(word.form)}
    telling = [word for word in behind if information(word) > _TELLING]
    shared = [word for word in telling if not own.isdisjoint(lemmas_of(word))]
    yield "added_same", sum(map(information, shared)) / max(sum(map(information, telling)), 1.0)
    yield "added_denial", float(bool(shared) and any(map(negates, behind)))
