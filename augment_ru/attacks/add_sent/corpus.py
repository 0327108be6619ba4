"""The corpus that distractors are drawn from: sentences and options of a text file, of other rows, or shipped ones."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import orjson

from augment_ru.draws import Floats, Ints, digests
from augment_ru.errors import AugmentError, saying_instead
from augment_ru.language.frequency import all_words, count_of
from augment_ru.language.morphology import word_kind
from augment_ru.language.slovnet import embedding, word_vector
from augment_ru.records.record import Record, judged_fields, label_of_record, options_in
from augment_ru.resources import dictionary_path, rows
from augment_ru.text.characters import atoms_of
from augment_ru.text.words import LETTERS, count_russian_words

Vectors: TypeAlias = npt.NDArray[np.float64]
"""The vector of a text, shape (dimensions,), or of several, shape (texts, dimensions)."""

_STEPS = 2**20
"""Vectors are rounded to multiples of 1 / `_STEPS`.

Then products of two vectors are exact in float64, in whatever order they are added.
"""

_LEAST_LETTERS = 3
_RARE = 1e-5
"""The frequency of words that have half the greatest weight; chosen by eye on short sentences."""


def topics(texts: Sequence[str]) -> Vectors:
    """Return the topic vector of each text (see `topic`), shape (texts, dimensions)."""
    width: int = embedding().pq.dim
    return np.stack([topic(text) for text in texts]) if texts else np.zeros((0, width))


@lru_cache(maxsize=4096)
def topic(text: str) -> Vectors:
    """Return the topic of a text: the weighted mean of its nouns' vectors, scaled to length 1; shape (dimensions,).

    If no noun has a vector, the vectors of all words are taken. If no word has one, the result is zero. A word of
    frequency p has the weight 1e-5 / (1e-5 + p), so that rare words count most. The weights are those of Arora, Liang
    and Ma 2017, "A simple but tough-to-beat baseline for sentence embeddings".
    """
    long = [word for word in LETTERS.findall(text.lower()) if len(word) >= _LEAST_LETTERS]
    known = [(word, vector) for word in long if (vector := word_vector(word)) is not None]
    known = [(word, vector) for word, vector in known if word_kind(word).role == "noun"] or known
    if not known:
        return np.zeros(embedding().pq.dim)
    total = all_words()
    mean = np.sum([vector * (_RARE / (_RARE + count_of(word) / total)) for word, vector in known], axis=0)
    length = float(np.linalg.norm(mean))
    found: Vectors = np.round(mean * (_STEPS / length)) / _STEPS if length else mean
    return found


MOST = 20_000
"""The most sentences, and the most options, of a corpus; if there are more, those of the lowest hashes are kept."""
_SHORTEST, _LONGEST = 4, 40
"""The fewest and the most Russian words of a sentence that may be a distractor."""
_LONGEST_OPTION = 12


@dataclass(frozen=True)
class Corpus:
    """Sentences and options without duplicates, from which distractors (texts to put into others) are drawn.

    Attributes:
        sentences: statements, with their closing marks, in alphabetical order.
        options: phrases without a closing mark, in alphabetical order.
    """

    sentences: tuple[str, ...]
    options: tuple[str, ...]

    @classmethod
    def of(cls, sentences: Iterable[str], options: Iterable[str], most: int = MOST) -> "Corpus":
        """Make a corpus of sentences and options, with a limit on the number of each.

        The texts with the lowest hashes are kept. So the order in which texts are given does not matter.

        Args:
            sentences: the sentences.
            options: the options (offered answers).
            most: how many sentences, and how many options, the corpus may have.
        """
        return cls(Lowest(most).add(sentences).texts, Lowest(most).add(options).texts)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the sentences and options, in hexadecimal digits."""
        return sha256(orjson.dumps([self.sentences, self.options])).hexdigest()

    def __hash__(self) -> int:
        return hash(self.digest)

    def for_label(self, label: str) -> "Corpus":
        """Return this corpus, whatever the label: its texts do not belong to labels, as those of `InputCorpus` do."""
        del label
        return self

    def near(self, text: str) -> tuple[Ints, Floats]:
        """Sort the sentences of the corpus by how near they are to a text in topic, the nearest first.

        Returns:
            The index of each sentence, from 0; and its nearness (the cosine of the topics), in [-1, 1].
        """
        return _order(self._sentence_topics, text)

    def near_option(self, option: str, question: str) -> tuple[Ints, Floats]:
        """Sort the options (offered answers) of the corpus by their nearness to one option in topic, the nearest first.

        Args:
            option: the option with which the options of the corpus are compared.
            question: the question of that option; it is used instead of the option if no word of the option has a
                vector.

        Returns:
            The index of each option of the corpus, from 0; and its nearness (the cosine of the topics), in [-1, 1].
        """
        return _order(self._option_topics, option if topic(option).any() else question)

    @cached_property
    def _sentence_topics(self) -> Vectors:
        return topics(self.sentences)

    @cached_property
    def _option_topics(self) -> Vectors:
        return topics(self.options)


class Lowest:
    """Keeps a limited number of the different texts that are added to it: those with the lowest hashes.

    So the order in which texts are added does not matter.

    Args:
        most: the most texts that are kept.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept: set[str] = set()

    def add(self, texts: Iterable[str]) -> "Lowest":
        """Add texts, and return this collection, so that calls can be chained."""
        for text in texts:
            self._kept.add(text)
            if len(self._kept) >= 2 * self._most:
                self._kept = set(self.texts)
        return self

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that the collection keeps, sorted."""
        texts = sorted(self._kept)
        if len(texts) <= self._most:
            return tuple(texts)
        lowest = np.argsort(digests(texts), kind="stable")[: self._most]
        return tuple(texts[at] for at in np.sort(lowest).tolist())


@lru_cache(maxsize=2)
def read_corpus(path: str) -> Corpus:
    """Read a text file of sentences and options from which distractors (texts to put into others) are drawn.

    A short line without a closing mark is an option. From all other lines, each statement is taken as a sentence.

    Raises:
        AugmentError: there is no such file, it is not UTF-8, or none of its lines can be a distractor.
    """
    file = Path(path)
    if not file.is_file():
        raise AugmentError(f"corpus {path}: no such file; give a text file in UTF-8")
    sentences, options = Lowest(), Lowest()
    told = saying_instead(
        lambda error: f"corpus {path}: not UTF-8 at byte {error.start}; save it as UTF-8", UnicodeDecodeError
    )
    with told, file.open(encoding="utf-8-sig") as stream:
        for line in map(str.strip, stream):
            if line and line[-1] not in ".!?…" and is_option(line):
                options.add([line])
            else:
                sentences.add(statements(line))
    corpus = Corpus(sentences.texts, options.texts)
    if not (corpus.sentences or corpus.options):
        raise AugmentError(f"corpus {path}: no Russian sentence of {_SHORTEST} to {_LONGEST} words in it")
    return corpus


@cache
def shipped_corpus() -> Corpus:
    """Read the distractors of this package: sentences to add to texts, and phrases to replace wrong options (answers).

    The sentences stand in `dictionaries/distractors.tsv`, the phrases in `dictionaries/distractor_options.tsv`.
    """
    sentences = rows(dictionary_path("distractors"), columns=2)
    options = rows(dictionary_path("distractor_options"), columns=1)
    return Corpus.of((sentence for _, sentence in sentences), (option for (option,) in options))


def statements(text: str) -> Iterator[str]:
    """Yield the sentences of a text that could be added to other texts: Russian statements without links and markup."""
    from razdel import sentenize  # noqa: PLC0415  (only attacks on sentences need it)

    for line in text.splitlines():
        for sentence in sentenize(line):
            if is_statement(sentence.text):
                yield sentence.text


def is_statement(text: str) -> bool:
    """Tell whether a text is one Russian statement of 4 to 40 words: no question, no links and no markup."""
    return (
        text[-1:] in (".", "!", "…")
        and (text[0].isupper() or text[0] in "«—")
        and _SHORTEST <= count_russian_words(text) <= _LONGEST
        and "\n" not in text
        and not any(atoms_of(text))
    )


def is_option(text: str) -> bool:
    """Tell whether a text may be an option (offered answer): 1 to 12 words on one line, at least one in Russian."""
    return (
        0 < len(text.split()) <= _LONGEST_OPTION
        and count_russian_words(text) > 0
        and "\n" not in text
        and not re.search(r"\([A-ZА-Я]\)", text)
        and not any(atoms_of(text))
    )


def _order(known: Vectors, text: str) -> tuple[Ints, Floats]:
    """Sort texts by their nearness to a text, the nearest first; equally near ones stay in the order of the corpus.

    Args:
        known: the topic vectors of the texts.
        text: the text that they are compared with.

    Returns:
        The indices of the texts, and the nearness of each.
    """
    nearness: Floats = known @ topic(text)
    order: Ints = np.argsort(-nearness, kind="stable")
    return order, nearness[order]


_MOST_LABELS = 100
_ROWS_PER_LABEL = 2
"""The least mean number of rows for each right answer; if there are fewer, right answers are not taken for labels."""
_NOTHING = Corpus((), ())


@dataclass(frozen=True)
class InputCorpus:
    """The sentences and options (offered answers) of the rows of a run, by label, to add to others.

    Attributes:
        parts: maps a label to the sentences and options of its rows; "" stands for rows without a label.
        labelled: whether rows are kept apart by their labels; if not, `parts` has one entry, "", with the texts of all
            rows.
    """

    parts: Mapping[str, Corpus]
    labelled: bool

    @classmethod
    def of(cls, records: Iterable[Record]) -> "InputCorpus":
        """Collect the statements and the options in the texts of records; their order does not matter.

        The texts are kept apart by the labels of the records if there are few labels with enough records each.
        """
        rows: Counter[str] = Counter()
        found: dict[str, tuple[Lowest, Lowest]] = {}
        for record in records:
            label = label_of_record(record)
            rows[label] += 1
            _collect(record, *found.setdefault(label if len(rows) <= _MOST_LABELS else "", (Lowest(), Lowest())))
        corpora = {label: Corpus(one.texts, other.texts) for label, (one, other) in sorted(found.items())}
        if len(rows) <= _MOST_LABELS and rows.total() >= _ROWS_PER_LABEL * len(rows):
            return cls(corpora, labelled=True)
        every = corpora.values()
        whole = Corpus.of(chain(*(one.sentences for one in every)), chain(*(one.options for one in every)))
        return cls({"": whole}, labelled=False)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all labels with their sentences and options, in hexadecimal digits."""
        return sha256(orjson.dumps({label: part.digest for label, part in self.parts.items()})).hexdigest()

    def for_label(self, label: str) -> Corpus:
        """Return the sentences and options of the rows with this label; an empty corpus if no row has it.

        If rows are not kept apart by labels, the sentences and options of all rows are returned.
        """
        return self.parts.get(label if self.labelled else "", _NOTHING)


def _collect(record: Record, sentences: Lowest, options: Lowest) -> None:
    """Add the statements in the texts of a record, and their options."""
    judged = judged_fields(record)
    for name in record.fields:
        if name in judged:
            continue  # it may be false, and after another record's text it would be stated as a fact
        text = record.text(name)
        stop = len(text)
        if name in record.task.layout.options and (found := options_in(text)):
            stop = found[0][0].start
            options.add(filter(is_option, (option.of(text) for _, option in found)))
        sentences.add(statements(text[:stop]))
