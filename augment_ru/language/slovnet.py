"""The models of the natasha package: entities, parts of speech and syntax of tokenised texts; word vectors."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

LONGEST_TREE = 512
"""Words of the longest sentence that has one tree."""

_TOKENS_AT_ONCE = 512  # measured: the models' matrices stay in the cache


@dataclass(frozen=True, slots=True)
class _Network:
    """One of slovnet's models.

    Attributes:
        model: the network.
        encode: from a word to the numbers of the word and of its shape.
        pad: the numbers that stand for a gap.
        labels: the tags or relations that it tells apart.
    """

    model: Any
    encode: Callable[[str], tuple[int, int]]
    pad: tuple[int, int]
    labels: list[str]

    def encoded(self, sentences: Sequence[Sequence[str]]) -> Iterator[npt.NDArray[np.float32]]:
        """The encoder's output for each sentence, shape (words, dimensions).

        A long sentence is encoded in pieces, each with as many words around it as the encoder sees.
        """
        reach = sum(layer.conv.padding for layer in self.model.encoder.layers)
        pieces = [
            (words[max(start - reach, 0) : start + _TOKENS_AT_ONCE + reach], min(start, reach), start)
            for words in sentences
            for start in range(0, max(len(words), 1), _TOKENS_AT_ONCE)
        ]
        outputs = self._encoded_pieces([words for words, _, _ in pieces])
        queue = zip(pieces, outputs, strict=True)
        for words in sentences:
            parts = []
            for _ in range(0, max(len(words), 1), _TOKENS_AT_ONCE):
                (_, before, start), output = next(queue)
                parts.append(output[before : before + min(_TOKENS_AT_ONCE, len(words) - start)])
            yield np.concatenate(parts) if len(parts) > 1 else parts[0]

    def _encoded_pieces(self, pieces: Sequence[Sequence[str]]) -> Iterator[npt.NDArray[np.float32]]:
        """The encoder's output for each piece; several pieces are one sequence, with a masked gap between them."""
        start = 0
        while start < len(pieces):
            stop, size = start, 0
            while stop < len(pieces) and (stop == start or size + len(pieces[stop]) < _TOKENS_AT_ONCE):
                size += len(pieces[stop]) + 1
                stop += 1
            pairs = [self.pad]
            for words in pieces[start:stop]:
                pairs += map(self.encode, words)
                pairs.append(self.pad)
            ids, shapes = np.array(pairs).T[:, None]
            gaps = ids == self.pad[0]
            inputs = self.model.emb(ids, shapes)
            inputs[gaps] = 0
            outputs = self.model.encoder(inputs, gaps)[0]
            at = 1
            for words in pieces[start:stop]:
                yield outputs[at : at + len(words)]
                at += len(words) + 1
            start = stop


@cache
def _network(kind: str) -> _Network:
    """One of natasha's models (ner, morph, syntax); loaded once a process."""
    import natasha  # noqa: PLC0415  (half a second)
    from slovnet.shape import word_shape  # noqa: PLC0415

    maker = {
        "ner": natasha.NewsNERTagger,
        "morph": natasha.NewsMorphTagger,
        "syntax": natasha.NewsSyntaxParser,
    }
    infer = maker[kind](embedding()).infer
    words, shapes = infer.encoder.words_vocab, infer.encoder.shapes_vocab

    @lru_cache(maxsize=50_000)
    def encode(word: str) -> tuple[int, int]:
        return words.encode(word.lower()), shapes.encode(word_shape(word))

    labels = infer.decoder.rels_vocab if kind == "syntax" else infer.decoder.tags_vocab
    return _Network(infer.model, encode, (words.pad_id, shapes.pad_id), list(labels.items))


@cache
def embedding() -> Any:  # noqa: ANN401  (navec has no types)
    """The navec vectors of the natasha package: 250,000 words of news, 300 dimensions; loaded once a process."""
    from natasha.data import NEWS_EMBEDDING  # noqa: PLC0415
    from navec import Navec  # noqa: PLC0415

    return Navec.load(NEWS_EMBEDDING)


@lru_cache(maxsize=50_000)
def word_vector(word: str) -> npt.NDArray[np.float64] | None:
    """The navec vector of a word in lower case, also with е for ё: of length 1, shape (300,); None if there is none.

    In float64, so that products of vectors differ between processors by far less than the digits that are kept.
    """
    found = embedding().get(word)
    if found is None:
        found = embedding().get(word.replace("ё", "е"))
    if found is None:
        return None
    vector = found.astype(np.float64)
    length = math.sqrt(float(vector @ vector))
    return vector / length if length else None


def entities(texts: Sequence[Sequence[str]]) -> list[list[str]]:
    """The entity tag of each word: `B-PER`, `I-PER`, …, "" for none; equal to the output of slovnet's own call."""
    network = _network("ner")
    model, labels = network.model, ["" if label == "O" else label for label in network.labels]
    scores = [model.head(outputs) for outputs in network.encoded(texts)]
    found: list[list[str]] = [[] for _ in texts]
    order = sorted((index for index, row in enumerate(scores) if len(row)), key=lambda index: len(scores[index]))
    for first in range(0, len(order), 128):
        chunk = order[first : first + 128]
        longest = len(scores[chunk[-1]])
        emissions = np.zeros((len(chunk), longest, len(labels)), dtype=np.float32)
        mask = np.zeros((len(chunk), longest), dtype=np.bool_)
        for place, index in enumerate(chunk):
            emissions[place, : len(scores[index])] = scores[index]
            mask[place, : len(scores[index])] = True
        for index, tags in zip(chunk, model.head.crf.decode(emissions, mask), strict=True):
            found[index] = [labels[tag] for tag in tags]
    return found


def tags(sentences: list[list[str]]) -> list[list[str]]:
    """The part of speech and features of each word, `NOUN|Case=Nom|…`."""
    network = _network("morph")
    labels = network.labels
    return [[labels[tag] for tag in network.model.head(outputs).argmax(-1)] for outputs in network.encoded(sentences)]


def trees(sentences: list[list[str]]) -> list[list[tuple[int, str]]]:
    """The head and the relation of each word; the head is a word number in the sentence, a root is its own head.

    A sentence over `LONGEST_TREE` words gets a tree for each so many words: the network compares all words with all.
    """
    network = _network("syntax")
    model, labels = network.model, network.labels
    trees: list[list[tuple[int, str]]] = []
    for sentence in network.encoded(sentences):
        tree: list[tuple[int, str]] = []
        for first in range(0, len(sentence), LONGEST_TREE):
            outputs = sentence[None, first : first + LONGEST_TREE]
            mask = np.ones(outputs.shape[:2], dtype=np.bool_)
            heads = model.head.decode(model.head(outputs), mask)
            relations = model.rel.decode(model.rel(outputs, heads), mask)[0]
            tree += [
                (place if head == 0 else first + int(head) - 1, labels[relation])
                for place, (head, relation) in enumerate(zip(heads[0], relations, strict=True), first)
            ]
        trees.append(tree)
    return trees
