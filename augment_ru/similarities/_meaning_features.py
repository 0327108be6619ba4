"""What a text loses by its edits, as numbers. Each feature is named here and explained in `dictionaries/meaning.tsv`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from augment_ru.constraints.protector import Protector
from augment_ru.constraints.rule_file import constraint
from augment_ru.language.legibility import rivals
from augment_ru.language.morphology import kind_of, lemmas_of
from augment_ru.similarities._meaning_words import Fates, Source, Word
from augment_ru.text.doc import Doc, Token

_CONTENT = frozenset({"noun", "verb", "infinitive", "participle", "gerund", "adjective", "adverb", "number", ""})
_VERBAL = frozenset({"verb", "infinitive", "participle"})
_NOMINAL = frozenset({"noun", "pronoun", "number"})
_MARKS = ("negation", "numbers", "restrictors")
_BOUND_NEGATORS = frozenset({"не", "ни", "без", "безо", "нет"})
_SHORT = 3


@lru_cache(maxsize=100_000)
def marks_of(word: str) -> frozenset[str]:
    """Which of the constraints `negation`, `numbers` and `restrictors` protect a word that stands alone."""
    doc = Doc(word, (Token(0, len(word), word, frozenset({"tokens"})),), frozenset({"tokens"}))
    return frozenset(name for name in _MARKS if _protectors()[name]([{}], [{"text": doc}])[0]["text"])


@lru_cache(maxsize=1)
def _protectors() -> Mapping[str, Protector]:
    return {name: Protector((constraint(name),)) for name in _MARKS}
