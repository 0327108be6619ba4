"""The models of the natasha package: entities, parts of speech and syntax of tokenised texts; word vectors."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from augment_ru.language.crf import Ints, best_paths
from augment_ru.language.encoder import Encoder

LONGEST_TREE = 512
"""Words of the longest sentence that has one tree."""
_TOKENS_AT_ONCE = 512  # measured: the models' matrices stay in the cache
NOISE = 1e-3
"""How much better in float32 the best tag, path, head or relation must be than the next to stand.

Nearer ones are decided in float64, so every decision is that of float64. Between near ones the difference of scores in
float32 was wrong by at most 3.6e-5 under three kinds of arithmetic on 3,000 sentences, in batches of 40 and 512 tokens,
and under two on 1,175 of shuffled words, capitals and digits; the bound is 28 times that.
"""


@dataclass(frozen=True, slots=True)
class _Network:
    """One of slovnet's models.

    Attributes:
        model: the network, of which the head is used.
        encoder: its encoder.
        encode: from a word to the numbers of the word and of its shape.
        pad: the numbers that stand for a gap.
        labels: the tags or relations that it tells apart.
    """

    model: Any
    encoder: Encoder
    encode: Callable[[str], tuple[int, int]]
    pad: tuple[int, int]
    labels: list[str]

    def encoded(self, sentences: Sequence[Sequence[str]]) -> Iterator[npt.NDArray[np.floating]]:
        """The encoder's output for each sentence, shape (words, dimensions).

        A long sentence is encoded in pieces, each with as many words around it as the encoder sees.
        """
        reach = self.encoder.reach
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

    def at_places(
        self, sentences: Sequence[Sequence[str]], places: Sequence[tuple[int, int]]
    ) -> npt.NDArray[np.floating]:
        """The encoder's output at these places alone, from the words around them that it sees.

        Args:
            sentences: the words of each.
            places: the number of a sentence, and that of a word in it.

        Returns:
            Shape (places, dimensions).
        """
        reach = self.encoder.reach
        starts = [max(place - reach, 0) for _, place in places]
        around = [sentences[at][start : place + reach + 1] for (at, place), start in zip(places, starts, strict=True)]
        outputs = self.encoded(around)
        return np.stack([row[place - start] for row, (_, place), start in zip(outputs, places, starts, strict=True)])

    def _encoded_pieces(self, pieces: Sequence[Sequence[str]]) -> Iterator[npt.NDArray[np.floating]]:
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
            outputs = self.encoder(*zip(*pairs, strict=True))
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
    encoder = Encoder(infer.model, words.pad_id, np.float32)
    return _Network(infer.model, encoder, encode, (words.pad_id, shapes.pad_id), list(labels.items))


@cache
def _precise(kind: str) -> _Network:
    """One of natasha's models with its weights in float64; made once a process."""
    network = _network(kind)
    encoder = Encoder(network.model, network.pad[0], np.float64)
    return replace(network, model=_in_float64(network.model), encoder=encoder)


def _in_float64(part: Any) -> Any:  # noqa: ANN401  (slovnet has no types)
    """A copy of a part of a model, with its numbers in float64; whole numbers are shared."""
    if isinstance(part, list):
        return [_in_float64(one) for one in part]
    if isinstance(part, np.ndarray):
        return part.astype(np.float64) if np.issubdtype(part.dtype, np.floating) else part
    names = getattr(part, "__attributes__", None)
    return part if names is None else type(part)(*(_in_float64(getattr(part, name)) for name in names))


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
    labels = ["" if label == "O" else label for label in network.labels]
    head, transitions = network.model.head, network.model.head.crf.transitions.array
    scores = [head(outputs) for outputs in network.encoded(texts)]
    found: list[list[str]] = [[] for _ in texts]
    unsure = []
    for at, best, ahead in best_paths(scores, transitions):
        found[at] = [labels[tag] for tag in best]
        unsure += [(at, place) for place in np.flatnonzero(ahead < NOISE).tolist()]
    if unsure:
        exact = _precise("ner")
        again = {at: scores[at].astype(np.float64) for at, _ in unsure}
        for (at, place), row in zip(unsure, exact.model.head(exact.at_places(texts, unsure)), strict=True):
            again[at][place] = row
        numbers = list(again)
        for number, best, _ in best_paths(list(again.values()), transitions):
            found[numbers[number]] = [labels[tag] for tag in best]
    return found


def tags(sentences: list[list[str]]) -> list[list[str]]:
    """The part of speech and features of each word, `NOUN|Case=Nom|…`."""
    network = _network("morph")
    places = [(at, place) for at, words in enumerate(sentences) for place in range(len(words))]
    found = np.zeros(len(places), dtype=np.intp)
    outputs = np.concatenate([*network.encoded(sentences), np.zeros((0, network.model.head.proj.in_dim), np.float32)])
    unsure = []
    for start in range(0, len(places), _TOKENS_AT_ONCE):
        rows = slice(start, start + _TOKENS_AT_ONCE)
        found[rows], near = _best(network.model.head(outputs[rows]))
        unsure += (start + near).tolist()
    if unsure:
        exact = _precise("morph")
        again = exact.at_places(sentences, [places[at] for at in unsure])
        found[unsure] = exact.model.head(again).argmax(-1)
    queue = iter(found.tolist())
    return [[network.labels[next(queue)] for _ in words] for words in sentences]


def trees(sentences: list[list[str]]) -> list[list[tuple[int, str]]]:
    """The head and the relation of each word; the head is a word number in the sentence, a root is its own head.

    A sentence over `LONGEST_TREE` words gets a tree for each so many words: the network compares all words with all.
    """
    network = _network("syntax")
    parsed = [_tree(network, outputs) for outputs in network.encoded(sentences)]
    if unsure := [at for at, (*_, is_sure) in enumerate(parsed) if not is_sure]:
        exact = _precise("syntax")
        for at, outputs in zip(unsure, exact.encoded([sentences[at] for at in unsure]), strict=True):
            parsed[at] = _tree(exact, outputs)
    return [
        [
            (place if head == 0 else head - 1, network.labels[relation])
            for place, (head, relation) in enumerate(zip(heads.tolist(), relations.tolist(), strict=True))
        ]
        for heads, relations, _ in parsed
    ]


def _tree(network: _Network, outputs: npt.NDArray[np.floating]) -> tuple[Ints, Ints, bool]:
    """The number of each word's head (0 for a root, else from 1), that of its relation, and whether all are sure."""
    found: list[tuple[Ints, Ints]] = [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
    is_sure = True
    for first in range(0, len(outputs), LONGEST_TREE):
        part = outputs[first : first + LONGEST_TREE]
        heads, unsure_heads = _best(network.model.head(part[None])[0])
        relations, unsure_relations = _best(network.model.rel(part[None], heads[None])[0])
        found.append((np.where(heads > 0, heads + first, 0), relations))
        is_sure &= not (unsure_heads.size or unsure_relations.size)
    return np.concatenate([heads for heads, _ in found]), np.concatenate([one for _, one in found]), is_sure


def _best(scores: npt.NDArray[np.floating]) -> tuple[Ints, Ints]:
    """The best column of each row, shape (rows,), and the rows in which another column is within the noise of it."""
    best = scores.argmax(-1)
    least = scores[np.arange(best.size), best] - NOISE
    return best, np.flatnonzero(np.count_nonzero(scores > least[:, None], axis=-1) > 1)
