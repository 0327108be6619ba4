"""The corpus that distractors are drawn from: sentences and options of a file, of other records, or shipped ones."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from heapq import heappush, heappushpop
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from augment_ru.draws import Ints, digests
from augment_ru.errors import AugmentError
from augment_ru.language.morphology import morphology
from augment_ru.language.slovnet import embedding, word_vector
from augment_ru.records.context import judged_fields, options_in
from augment_ru.records.record import Record
from augment_ru.resources import dictionary_path, rows
from augment_ru.text.characters import atoms_of
from augment_ru.text.words import LETTERS, RUSSIAN, count_russian_words

MOST = 20_000
"""The most sentences and the most options of a corpus; of more, those with the lowest hashes are kept."""
FEW = 200
"""If the records have fewer sentences or options, the shipped ones are added, so that there is a choice of topics."""
_SHORTEST, _LONGEST = 4, 40
"""The fewest and the most Russian words of a sentence that may distract."""
_LONGEST_OPTION = 12
_KEPT = 4096
_LEAST_LETTERS = 3
_RARE = 1e-5
"""The frequency at which a word has half the greatest weight; chosen by eye on the shipped sentences."""


@dataclass(frozen=True)
class Corpus:
    """Sentences and options, each once, in order.

    Attributes:
        sentences: statements, with their closing marks.
        options: phrases without a closing mark.
    """

    sentences: tuple[str, ...]
    options: tuple[str, ...]

    @classmethod
    def of(cls, sentences: Iterable[str], options: Iterable[str], most: int = MOST) -> "Corpus":
        """The corpus of these, in any order: at most so many sentences and options, those of the lowest hashes."""
        return cls(_lowest(sentences, most), _lowest(options, most))

    def near(self, text: str) -> Sequence[int]:
        """The numbers of the sentences nearest in topic to a text, the nearest first."""
        return self._nearest("sentence", text)

    def near_option(self, option: str, question: str) -> Sequence[int]:
        """The numbers of the options nearest to an option, the nearest first; to its question if no word is known."""
        return self._nearest("option", option if _topic(option).any() else question)

    def _nearest(self, kind: str, text: str) -> Sequence[int]:
        """The order of `_order`, kept because all candidates of a search ask for it."""
        found = self._known.get((kind, text))
        if found is None:
            found = _order(self._sentence_topics if kind == "sentence" else self._option_topics, text)
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[kind, text] = found
        return found

    @cached_property
    def _known(self) -> dict[tuple[str, str], Sequence[int]]:
        return {}

    @cached_property
    def _sentence_topics(self) -> npt.NDArray[np.float32]:
        return _topics(self.sentences)

    @cached_property
    def _option_topics(self) -> npt.NDArray[np.float32]:
        return _topics(self.options)


def _lowest(texts: Iterable[str], most: int) -> tuple[str, ...]:
    """At most so many different texts, those of the lowest hashes: no order of reading changes which."""
    heap: list[tuple[int, str]] = []
    kept: set[str] = set()
    for text in texts:
        if text in kept:
            continue
        entry = -int(digests([text])[0]), text
        kept.add(text)
        if len(heap) < most:
            heappush(heap, entry)
        else:
            kept.discard(heappushpop(heap, entry)[1])
    return tuple(sorted(kept))


@lru_cache(maxsize=2)
def read_corpus(path: str) -> Corpus:
    """The corpus of a text file: its sentences, and its short lines without a closing mark as options.

    Raises:
        AugmentError: there is no such file, it is not UTF-8, or no line of it may distract.
    """
    file = Path(path)
    if not file.is_file():
        raise AugmentError(f"corpus {path}: no such file; give a text file in UTF-8")
    try:
        with file.open(encoding="utf-8-sig") as stream:
            found = [*_of_lines(stream)]
    except UnicodeDecodeError as error:
        raise AugmentError(f"corpus {path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    corpus = Corpus.of((text for text, is_option in found if not is_option), (text for text, opt in found if opt))
    if not (corpus.sentences or corpus.options):
        raise AugmentError(f"corpus {path}: no Russian sentence of {_SHORTEST} to {_LONGEST} words in it")
    return corpus


@cache
def shipped_corpus() -> Corpus:
    """The sentences and phrases of `dictionaries/distractors.tsv`."""
    found = [*_of_lines(text for (text,) in rows(dictionary_path("distractors"), columns=1))]
    return Corpus.of((text for text, is_option in found if not is_option), (text for text, opt in found if opt))


def corpus_of(records: Iterable[Record]) -> Corpus:
    """The statements in the texts of records, and their options; the shipped ones are added if there are few."""
    options: list[str] = []

    def statements() -> Iterator[str]:
        for record in records:
            judged = judged_fields(record)
            for name in record.fields:
                if name in judged:
                    continue  # it may be false, and behind another record's text it would be stated as a fact
                text = record.text(name)
                stop = len(text)
                if name in record.task.options and (found := options_in(text)):
                    stop = found[0][0].start
                    options.extend(option.of(text) for _, option in found if is_option(option.of(text)))
                yield from _statements(text[:stop])

    found = Corpus.of(statements(), ())  # `statements` collects the options on the way
    found = Corpus(found.sentences, Corpus.of((), options).options)
    more = shipped_corpus()
    return Corpus.of(
        found.sentences + (() if len(found.sentences) >= FEW else more.sentences),
        found.options + (() if len(found.options) >= FEW else more.options),
    )


def _of_lines(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    for line in lines:
        bare = line.strip()
        if bare and bare[-1] not in ".!?…" and is_option(bare):
            yield bare, True
        else:
            for sentence in _statements(bare):
                yield sentence, False


def _statements(text: str) -> Iterator[str]:
    from razdel import sentenize  # noqa: PLC0415  (only attacks on sentences need it)

    for line in text.splitlines():
        for sentence in sentenize(line):
            if is_statement(sentence.text):
                yield sentence.text


def is_statement(text: str) -> bool:
    """Whether a text is one Russian sentence that states something: no question, without links and markup."""
    return (
        text[-1:] in (".", "!", "…")
        and (text[0].isupper() or text[0] in "«—")
        and _SHORTEST <= count_russian_words(text) <= _LONGEST
        and "\n" not in text
        and not any(atoms_of(text))
    )


def is_option(text: str) -> bool:
    """Whether a text may be an option of a question: a few words on one line, at least one of them Russian."""
    return (
        0 < len(text.split()) <= _LONGEST_OPTION
        and count_russian_words(text) > 0
        and "\n" not in text
        and not re.search(r"\([A-ZА-Я]\)", text)
        and not any(atoms_of(text))
    )


def contains_phrase(text: str, phrase: str) -> bool:
    """Whether the words of a phrase stand in a text one after another, each in any form.

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
    """The dictionary forms of all readings of a word, and the word itself, with е for ё."""
    forms = {word}
    if RUSSIAN.fullmatch(word):
        forms |= {str(analysis.normal_form) for analysis in morphology().parse(word)}
    return frozenset(form.replace("ё", "е") for form in forms)


def _topics(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """A unit vector for each text, zero where no word is known; shape (texts, dimensions)."""
    width: int = embedding().pq.dim
    return np.stack([_topic(text) for text in texts]) if texts else np.zeros((0, width), dtype=np.float32)


@lru_cache(maxsize=4096)
def _topic(text: str) -> Any:  # noqa: ANN401  (an array)
    """The weighted mean of the vectors of the nouns, of length 1; of all words if no noun has a vector.

    A word of frequency p has the weight a / (a + p): Arora, Liang and Ma 2017, "A simple but tough-to-beat
    baseline for sentence embeddings".
    """
    long = [word for word in LETTERS.findall(text.lower()) if len(word) >= _LEAST_LETTERS]
    known = [(word, vector) for word in long if (vector := word_vector(word)) is not None]
    known = [(word, vector) for word, vector in known if _is_noun(word)] or known
    if not known:
        return np.zeros(embedding().pq.dim, dtype=np.float32)
    counts, total = _counts()
    mean = np.sum([vector * (_RARE / (_RARE + counts.get(word, 0) / total)) for word, vector in known], axis=0)
    length = float(np.linalg.norm(mean))
    return (mean / length if length else mean).astype(np.float32)


@lru_cache(maxsize=50_000)
def _is_noun(word: str) -> bool:
    return RUSSIAN.fullmatch(word) is not None and morphology().parse(word)[0].tag.POS == "NOUN"


@cache
def _counts() -> tuple[dict[str, int], int]:
    """How often each word occurs in the texts that the vectors were trained on, and how many words these have."""
    vocabulary = embedding().vocab
    counts = dict(zip(vocabulary.words, map(int, vocabulary.counts), strict=True))
    return counts, sum(counts.values())


_NEAREST = 200


def _order(topics: npt.NDArray[np.float32], text: str) -> Sequence[int]:
    """The numbers of the nearest 200 texts at most, the nearest first; ties stay in the order of the corpus."""
    if not len(topics):
        return []
    nearness: Ints = -(topics @ _topic(text))
    found: list[int] = np.argsort(nearness, kind="stable")[:_NEAREST].tolist()
    return found
