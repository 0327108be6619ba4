"""Runs the models of the natasha package: entities, parts of speech and syntax of tokenised texts, and word vectors."""

import gzip
import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import groupby, islice
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.intp]

_AT_ONCE = 128
_PAGE = 128
"""So many words of navec are searched as one row of bytes."""


def best_paths(
    emissions: Sequence[npt.NDArray[np.floating]], transitions: npt.NDArray[np.floating]
) -> Iterator[tuple[int, Ints, Floats]]:
    """Find the best path of tags for each sequence that is not empty, and yield the paths in any order.

    A path has one tag for each position of the sequence. Its score is the sum of the scores of its tags and of their
    transitions (each tag after the one before).

    Args:
        emissions: for each sequence, the score of each tag at each position, shape (positions, tags).
        transitions: the score of each tag (column) after each tag (row), shape (tags, tags).

    Yields:
        The index of the sequence, from 0; its tags, shape (positions,); and, for each position, by how much the best
        path scores higher than any path with another tag there, shape (positions,).
    """
    order = sorted((at for at, row in enumerate(emissions) if len(row)), key=lambda at: len(emissions[at]))
    for first in range(0, len(order), _AT_ONCE):
        chunk = order[first : first + _AT_ONCE]
        sizes = np.array([len(emissions[at]) for at in chunk])
        scores = np.zeros((sizes.max(), len(chunk), len(transitions)))
        for column, at in enumerate(chunk):
            scores[: sizes[column], column] = emissions[at]
        best = _max_marginals(scores, transitions.astype(np.float64), sizes)
        tags = best.argmax(-1)
        ordered = np.partition(best, -2, axis=-1)
        ahead = ordered[..., -1] - ordered[..., -2]
        for column, (at, size) in enumerate(zip(chunk, sizes.tolist(), strict=True)):
            yield at, tags[:size, column], ahead[:size, column]


def _max_marginals(scores: Floats, transitions: Floats, sizes: Ints) -> Floats:
    """Compute the max-marginals (see `best_paths`) of sequences of several sizes.

    Args:
        scores: the emissions, padded to the longest sequence, shape (positions, sequences, tags).
        transitions: the score of each tag (column) after each tag (row), shape (tags, tags).
        sizes: the number of positions of each sequence, shape (sequences,).

    Returns:
        The max-marginals, in the shape of `scores`.
    """
    places, columns = np.arange(len(scores))[:, None], np.arange(sizes.size)
    mirrored = (sizes - 1 - places) % len(scores)  # the place that is as far from the end as this one from the start
    both = np.stack([scores, scores[mirrored, columns]], axis=1)  # forwards and backwards
    steps = np.stack([transitions, transitions.T])[:, None]
    reached = np.empty((2, sizes.size, *transitions.shape))
    best = np.empty(both.shape[1:])
    for before, here in zip(both[..., None], both[1:], strict=False):
        np.add(before, steps, reached)
        np.add(here, np.maximum.reduce(reached, axis=2, out=best), out=here)
    found: Floats = both[:, 0] + both[mirrored, 1, columns] - scores
    return found


Numbers = npt.NDArray[np.floating]

_KEPT = 6 * 2**20
"""The bytes of an encoder for the products of words with the first convolution: of 2,048 words in float32."""


_ALONE = 2**18
"""OpenBLAS computes products of up to this number of multiplications in one thread (interface/gemm.c:
SMP_THRESHOLD_MIN · GEMM_MULTITHREAD_THRESHOLD)."""
_NARROWEST = 16


def product(rows: Numbers, weights: Numbers) -> Numbers:
    """Return the matrix product `rows @ weights`; for few rows one thread computes it, which is faster.

    Args:
        rows: shape (rows, inputs).
        weights: shape (inputs, outputs).
    """
    # for few rows threads gain nothing, and on a busy machine BLAS waits milliseconds for them; for each of these
    # blocks of columns it uses one thread
    width = _ALONE // max(rows.size, 1) // _NARROWEST * _NARROWEST
    if width < _NARROWEST or width >= weights.shape[1]:
        return rows @ weights
    found = np.empty((len(rows), weights.shape[1]), rows.dtype)
    for start in range(0, weights.shape[1], width):
        stripe = slice(start, start + width)
        np.matmul(rows, weights[:, stripe], out=found[:, stripe])
    return found


class _Layer(NamedTuple):
    """A layer of an encoder: a convolution over three words, a rectifier and a normalisation.

    Attributes:
        weights: the weights for the word before, the word itself and the word after, shape (inputs, 3 · outputs).
        bias: the bias of the convolution, shape (outputs,).
        scale, shift: the factor and the summand of the normalisation, shape (outputs,).
    """

    weights: Numbers
    bias: Numbers
    scale: Numbers
    shift: Numbers

    @classmethod
    def of(cls, layer: Any, dtype: npt.DTypeLike) -> "_Layer":  # noqa: ANN401  (slovnet has no types)
        """Convert a layer of slovnet; its numbers get the type `dtype`."""
        kernel = layer.conv.weight.array  # outputs, inputs, 3
        weights = np.ascontiguousarray(kernel.transpose(1, 2, 0).reshape(kernel.shape[1], -1), dtype=dtype)
        norm = layer.norm
        scale = norm.weight.array.astype(np.float64) / norm.std.array
        shift = norm.bias.array - norm.mean.array * scale
        return cls(weights, *(one.astype(dtype) for one in (layer.conv.bias.array, scale, shift)))

    def __call__(self, products: Numbers, gaps: npt.NDArray[np.bool_]) -> Numbers:
        """Return the output for each word or gap of a sequence, shape (words, outputs).

        Args:
            products: the products of the inputs with `weights`, shape (words, 3 · outputs).
            gaps: whether each entry is a gap, shape (words,); the output there is 0.
        """
        size = self.bias.size
        found = products[:, size : 2 * size] + self.bias
        found[1:] += products[:-1, :size]
        found[:-1] += products[1:, 2 * size :]
        np.maximum(found, 0, out=found)
        found *= self.scale
        found += self.shift
        found[gaps] = 0
        return found


class Encoder:
    """Encodes words with one of slovnet's models: gives a vector for each word, which depends on the words around it.

    The output of its first layer for a word is cached.

    Args:
        model: slovnet's model.
        gap: the number, in the model's vocabulary, that stands for a gap between two texts in one sequence.
        dtype: the floating type in which the encoder computes.
    """

    def __init__(self, model: Any, gap: int, dtype: npt.DTypeLike) -> None:  # noqa: ANN401  (slovnet has no types)
        self._gap = gap
        layers = model.encoder.layers
        self._first, *self._others = (_Layer.of(layer, dtype) for layer in layers)
        self.reach = sum(layer.conv.padding for layer in layers)
        """How many words on either side of a word its output depends on."""
        words, shapes = model.emb.word, model.emb.shape.weight.array.astype(dtype)
        self._indexes, self._codes = words.indexes.array, words.codes.array.astype(dtype)
        self._parts = np.arange(len(self._codes))
        self._of_word, of_shape = self._first.weights[: words.dim], self._first.weights[words.dim :]
        self._of_shapes = shapes @ of_shape
        self._kept = np.empty((_KEPT // self._of_word[0].nbytes, self._of_word.shape[1]), dtype)
        self._row_of: dict[int, int] = {}
        self._lock = Lock()

    def __call__(self, words: Sequence[int], shapes: Sequence[int]) -> Numbers:
        """Encode a sequence of words and gaps; return the output, shape (words, 64).

        Args:
            words: the number of each word in the model's vocabulary.
            shapes: the number of each word's shape.
        """
        gaps = np.array(words) == self._gap
        products = self._products(words)
        products += self._of_shapes[np.array(shapes)]
        products[gaps] = 0
        found = self._first(products, gaps)
        for layer in self._others:
            found = layer(product(found, layer.weights), gaps)
        return found

    def _products(self, words: Sequence[int]) -> Numbers:
        """Return the products of the words' vectors with the weights of the first convolution, shape (words, 768)."""
        with self._lock:
            new = [word for word in dict.fromkeys(words) if word not in self._row_of]
            if len(self._row_of) + len(new) > len(self._kept):
                self._row_of.clear()
                new = list(dict.fromkeys(words))
            if new:
                first = len(self._row_of)
                vectors: Numbers = self._codes[self._parts, self._indexes[new]].reshape(len(new), -1)
                self._kept[first : first + len(new)] = product(vectors, self._of_word)
                self._row_of.update(zip(new, range(first, first + len(new)), strict=True))
            rows = np.array([self._row_of[word] for word in words])
            found: Numbers = self._kept[rows]
            return found


LONGEST_TREE = 512
"""The most words that are parsed as one tree; a longer sentence gets several trees."""
_TOKENS_AT_ONCE = 512  # measured: the models' matrices stay in the cache
NOISE = 1e-3
"""How far the score of the best tag, path, head or relation must exceed the next one for float32 to decide.

Smaller differences are decided in float64, so every decision is the one that float64 gives. The measured error of such
differences in float32 was at most 3.6e-5: with three kinds of arithmetic on 3,000 sentences in batches of 40 and 512
tokens, and with two kinds on 1,175 sentences of shuffled words, capitals and digits. This bound is 28 times as large.
"""


@dataclass(frozen=True, slots=True)
class _Network:
    """One of slovnet's models.

    Attributes:
        model: slovnet's network; only its output layers are used.
        encoder: its encoder.
        pad: the word number and the shape number that stand for a gap.
        labels: the tags or relations that the model predicts, by number.
    """

    model: Any
    encoder: Encoder
    pad: tuple[int, int]
    labels: list[str]

    def encoded(
        self, sentences: Sequence[Sequence[str]], read: Callable[[Numbers], Numbers] = np.asarray
    ) -> Iterator[Numbers]:
        """Yield what is read of the encoder's output for each sentence, shape (words, values).

        A long sentence is encoded in pieces, each together with the words around it that influence its output.

        Args:
            sentences: the words of each sentence.
            read: what is read of an output, shape (words, dimensions): a row for each word; by default the output.
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
                parts.append(read(output[before : before + min(_TOKENS_AT_ONCE, len(words) - start)]))
            yield np.concatenate(parts) if len(parts) > 1 else parts[0]

    def at_places(
        self, sentences: Sequence[Sequence[str]], places: Sequence[tuple[int, int]]
    ) -> npt.NDArray[np.floating]:
        """Return the encoder's output for single words, computed from only the words that influence it.

        Args:
            sentences: the words of each sentence.
            places: the number of a sentence and the number of a word in it, for each wanted word.

        Returns:
            Shape (places, dimensions).
        """
        reach = self.encoder.reach
        starts = [max(place - reach, 0) for _, place in places]
        around = [sentences[at][start : place + reach + 1] for (at, place), start in zip(places, starts, strict=True)]
        outputs = self.encoded(around)
        return np.stack([row[place - start] for row, (_, place), start in zip(outputs, places, starts, strict=True)])

    def _encoded_pieces(self, pieces: Sequence[Sequence[str]]) -> Iterator[npt.NDArray[np.floating]]:
        """Yield the encoder's output for each piece; several pieces are encoded as one sequence with gaps between."""
        start = 0
        while start < len(pieces):
            stop, size = start, 0
            while stop < len(pieces) and (stop == start or size + len(pieces[stop]) < _TOKENS_AT_ONCE):
                size += len(pieces[stop]) + 1
                stop += 1
            pairs = [self.pad]
            for words in pieces[start:stop]:
                pairs += map(_encoded, words)
                pairs.append(self.pad)
            outputs = self.encoder(*zip(*pairs, strict=True))
            at = 1
            for words in pieces[start:stop]:
                yield outputs[at : at + len(words)]
                at += len(words) + 1
            start = stop


def _shipped(name: str) -> Path:
    """Return the path of a file of the natasha package, which is not imported: that takes half a second and 14 MB."""
    return Path(str(find_spec("natasha").origin)).parent / "data" / name  # type: ignore[union-attr]


@cache
def _shapes() -> Any:  # noqa: ANN401  (slovnet has no types)
    """Return slovnet's names of letter cases and endings (shapes), which all its models number alike."""
    from slovnet.exec.pack import Pack  # noqa: PLC0415  (loaded only where texts are annotated)

    with Pack(_shipped("model/slovnet_ner_news_v1.tar")) as pack:
        return pack.load_vocab("shape")


@lru_cache(maxsize=50_000)
def _encoded(word: str) -> tuple[int, int]:
    """Return the numbers of a word and of its shape, which all models read; this takes 20 µs."""
    from slovnet.shape import word_shape  # noqa: PLC0415

    words = embedding().vocab
    number = words.number_of(word.lower())
    return words.counts.size - 2 if number is None else number, _shapes().encode(word_shape(word))


@cache
def _network(kind: str) -> _Network:
    """Return one of natasha's models (`ner`, `morph` or `syntax`); it is loaded once for each process.

    All three number words as navec does, so the list of words that a model's file holds, too, is not read: 40 MB each.
    """
    from slovnet.exec import model as models  # noqa: PLC0415  (loaded only where texts are annotated)
    from slovnet.exec.pack import Pack  # noqa: PLC0415

    maker = {"ner": models.NER, "morph": models.Morph, "syntax": models.Syntax}[kind]
    with Pack(_shipped(f"model/slovnet_{kind}_news_v1.tar")) as pack:
        model = pack.load_model(maker)
        model = model.inject_arrays(dict(pack.load_arrays(model.weights))).inject_navec(embedding())
        labels = pack.load_vocab("rel" if kind == "syntax" else "tag")
    pad = embedding().vocab.counts.size - 1
    return _Network(model, Encoder(model, pad, np.float32), (pad, _shapes().pad_id), labels.items)


@cache
def _precise(kind: str) -> _Network:
    """Return one of natasha's models with its weights in float64; it is made once for each process."""
    network = _network(kind)
    model = copy(network.model)
    for layer in {"head", "rel"}.intersection(model.__attributes__):  # the output layers, all that is read of it
        setattr(model, layer, _in_float64(getattr(model, layer)))
    return replace(network, model=model, encoder=Encoder(network.model, network.pad[0], np.float64))


def _in_float64(part: Any) -> Any:  # noqa: ANN401  (slovnet has no types)
    """Return a copy of a part of a model with its floating arrays in float64; other values are not copied."""
    if isinstance(part, list):
        return [_in_float64(one) for one in part]
    if isinstance(part, np.ndarray):
        return part.astype(np.float64) if np.issubdtype(part.dtype, np.floating) else part
    names = getattr(part, "__attributes__", None)
    return part if names is None else type(part)(*(_in_float64(getattr(part, name)) for name in names))


class WordNumbers:
    """Gives each word of navec (natasha's word vectors) its number, which is its place in alphabetical order.

    The words are held as bytes, which takes 6 MB; strings in a dictionary would take 40 MB.

    Args:
        file: the unpacked file of navec's words: the number of entries, the count of each entry (four bytes), and a
            line for each entry. The last two entries are no words: `<unk>` (any unknown word) and `<pad>` (padding).

    Attributes:
        counts: how often each entry occurs in the news that the vectors were made from, shape (words + 2,); 0 for the
            last two.
    """

    def __init__(self, file: bytes) -> None:
        self.counts = np.frombuffer(file, np.uint32, int.from_bytes(file[:4], "little"), 4).copy()
        words = file[4 + self.counts.nbytes :].split(b"\n")[:-2]
        self._firsts = words[::_PAGE]
        self._pages = [b"\n%b\n" % b"\n".join(words[at : at + _PAGE]) for at in range(0, len(words), _PAGE)]

    def __iter__(self) -> Iterator[str]:
        return iter(b"".join(self._pages).decode().split())

    def number_of(self, word: str) -> int | None:
        """Return the number of a word in lower case, from 0; None for an unknown word."""
        line = word.encode("utf-8", "surrogatepass")
        number = bisect_right(self._firsts, line) - 1
        page = self._pages[number]
        place = page.find(b"\n%b\n" % line)
        return None if place < 0 else number * _PAGE + page.count(b"\n", 0, place)


@cache
def embedding() -> Any:  # noqa: ANN401  (navec has no types)
    """Return the navec vectors of the natasha package, loaded once for each process: 250,000 words, 300 dimensions."""
    from navec.navec import META, PQ, PQ_, VOCAB, Meta, Navec  # noqa: PLC0415
    from navec.tar import Tar  # noqa: PLC0415

    class Vectors(PQ):  # type: ignore[misc]
        """Navec's vectors without the table for comparing words quickly, which takes 126 MB and is unused here."""

        def precompute(self) -> None:
            self.qdims = np.arange(self.qdim)

    with Tar(_shipped("emb/navec_news_v1_1B_250K_300d_100q.tar")) as tar:
        words = WordNumbers(gzip.decompress(tar.load(VOCAB).read()))
        return Navec(Meta.from_file(tar.load(META)), words, Vectors.from_file(tar.load(PQ_)))


@lru_cache(maxsize=50_000)
def number_of(word: str) -> int | None:
    """Return the number of a word in lower case among the words of `embedding`, from 0; None for an unknown word."""
    return embedding().vocab.number_of(word)  # type: ignore[no-any-return]


@lru_cache(maxsize=50_000)
def word_vector(word: str) -> npt.NDArray[np.float64] | None:
    """Return the navec vector of a word in lower case, scaled to length 1, shape (300,); None for an unknown word.

    A word with ё that is unknown is looked up with е.
    """
    if (number := number_of(word)) is None and (number := number_of(word.replace("ё", "е"))) is None:
        return None
    vector = embedding().pq[number].astype(np.float64)
    length = math.sqrt(float(vector @ vector))
    return vector / length if length else None


def entities(texts: Sequence[Sequence[str]]) -> list[list[str]]:
    """Find entities in texts (lists of words); return the tag of each word: `B-PER`, `I-PER`, …; "" outside entities.

    The tags are the same as those of slovnet's own NER.
    """
    network = _network("ner")
    labels = ["" if label == "O" else label for label in network.labels]
    head, transitions = network.model.head, network.model.head.crf.transitions.array
    scores = list(network.encoded(texts, head))
    found: list[list[str]] = [[] for _ in texts]
    unsure = []
    for at, best, ahead in best_paths(scores, transitions):
        found[at] = [labels[tag] for tag in best]
        unsure += [(at, place) for place in (ahead < NOISE).nonzero()[0].tolist()]
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
    """Tag sentences (lists of words); return the part of speech and the features of each word, as `NOUN|Case=Nom|…`."""
    network = _network("morph")
    places = [(at, place) for at, words in enumerate(sentences) for place in range(len(words))]
    found = np.zeros(len(places), dtype=np.intp)
    unsure: list[int] = []
    start, held = 0, list[Numbers]()
    for number, outputs in enumerate(network.encoded(sentences), 1):
        held.append(outputs)
        if (size := sum(map(len, held))) >= _TOKENS_AT_ONCE or number == len(sentences):
            found[start : start + size], near = _best(network.model.head(np.concatenate(held)))
            unsure += (start + near).tolist()
            start, held = start + size, []
    if unsure:
        exact = _precise("morph")
        again = exact.at_places(sentences, [places[at] for at in unsure])
        found[unsure] = exact.model.head(again).argmax(-1)
    queue = iter(found.tolist())
    return [[network.labels[next(queue)] for _ in words] for words in sentences]


def trees(sentences: list[list[str]]) -> list[list[tuple[int, str]]]:
    """Parse sentences (lists of words); return the syntactic head of each word, and its relation to this head.

    The head is the index of a word in the sentence, from 0; a root is its own head.

    A sentence of more than `LONGEST_TREE` words is cut into parts of that many words, each with a tree of its own.
    """
    parsed = _parsed(_network("syntax"), sentences)
    if unsure := [at for at, (*_, is_sure) in enumerate(parsed) if not is_sure]:
        for at, one in zip(unsure, _parsed(_precise("syntax"), [sentences[at] for at in unsure]), strict=True):
            parsed[at] = one
    labels = _network("syntax").labels
    return [[(head, labels[one]) for head, one in zip(*found, strict=True)] for *found, _ in parsed]


def _parsed(network: _Network, sentences: Sequence[Sequence[str]]) -> list[tuple[list[int], list[int], bool]]:
    """Parse sentences; those with the same number of words at once.

    Returns:
        For each sentence: the index of each word's head, the number of each word's relation, and whether all of these
        decisions are certain in spite of rounding (`NOISE`).
    """
    found: list[tuple[list[int], list[int], bool]] = [([], [], True)] * len(sentences)
    order = sorted(range(len(sentences)), key=lambda at: len(sentences[at]))
    outputs = network.encoded([sentences[at] for at in order])
    for size, alike in groupby(zip(order, outputs, strict=True), key=lambda one: len(one[1])):
        while size and (few := list(islice(alike, max(_TOKENS_AT_ONCE // size, 1)))):
            rows = np.stack([output for _, output in few])
            heads_of, relations_of = np.zeros((2, len(few), size), dtype=np.intp)
            unsure = set[int]()
            for first in range(0, size, LONGEST_TREE):
                part = rows[:, first : first + LONGEST_TREE]
                words = part.shape[1]
                heads, near = _best(network.model.head(part).reshape(-1, words + 1))
                relations, nearer = _best(network.model.rel(part, heads.reshape(-1, words)).reshape(heads.size, -1))
                unsure.update(place // words for place in (*near.tolist(), *nearer.tolist()))
                own = np.where(heads > 0, heads - 1, np.arange(heads.size) % words)
                heads_of[:, first : first + words] = own.reshape(-1, words) + first
                relations_of[:, first : first + words] = relations.reshape(-1, words)
            for number, (at, _) in enumerate(few):
                found[at] = heads_of[number].tolist(), relations_of[number].tolist(), number not in unsure
    return found


def _best(scores: npt.NDArray[np.floating]) -> tuple[Ints, Ints]:
    """Return the best column of each row, shape (rows,), and the numbers of the rows that are a close choice.

    A choice is close if another column is less than `NOISE` worse than the best one.

    Args:
        scores: shape (rows, columns).
    """
    best = scores.argmax(-1)
    least = scores[np.arange(best.size), best] - NOISE
    return best, np.flatnonzero(np.count_nonzero(scores > least[:, None], axis=-1) > 1)
