"""Annotation: texts to tokens with entities, parts of speech, lemmas and syntax.

`Natasha` runs the models of the natasha package (slovnet, navec; no download). All texts of a call go
through a model as one sequence with a masked gap between them, so that none waits for the longest and
what a text gets does not depend on its neighbours. `SpacyPipeline` takes an installed spaCy pipeline
instead.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from augment_ru.data import name_heads
from augment_ru.doc import LAYERS, Doc, Token
from augment_ru.errors import AugmentError, unknown
from augment_ru.truecase import truecased

_IMPLIED = {"lemmas": {"morphology"}, "syntax": {"morphology"}}
_TOKENS_AT_ONCE = 512  # measured: the models' matrices stay in the cache
RUSSIAN = re.compile(r"[а-яё]+(?:[-’'][а-яё]+)*", re.IGNORECASE)
"""What pymorphy3 may be asked about: it fails on characters that have no name."""
_ESCAPES = re.compile(r"\\[nrt]")
_STRESS = "\u0300\u0301"


class Annotator(Protocol):
    """Adds the layers that are asked for to texts."""

    @property
    def signature(self) -> str:
        """All that defines what it finds: package and version."""

    def __call__(self, texts: Sequence[str], layers: frozenset[str]) -> list[Doc]:
        """Annotate the texts, each as if alone."""


def closed(layers: frozenset[str]) -> frozenset[str]:
    """The layers with those they build on.

    Raises:
        AugmentError: there is no such layer.
    """
    for layer in layers:
        if layer not in LAYERS:
            raise unknown("layer", layer, LAYERS)
    implied = {inner for layer in layers for inner in _IMPLIED.get(layer, ())}
    return layers | implied | ({"tokens"} if layers else set())


@dataclass(frozen=True, slots=True)
class Natasha:
    """The models of the natasha package: slovnet NER, morphology and syntax; lemmas from pymorphy3."""

    @property
    def signature(self) -> str:
        """The versions of the packages that hold the models."""
        from importlib.metadata import version  # noqa: PLC0415  (30 ms that most runs do not need)

        return "+".join(f"{name}-{version(name)}" for name in ("natasha", "slovnet", "razdel", "pymorphy3"))

    def __call__(self, texts: Sequence[str], layers: frozenset[str]) -> list[Doc]:
        """Annotate the texts.

        Raises:
            AugmentError: there is no such layer.
        """
        layers = closed(layers)
        if not layers:
            return [Doc(text) for text in texts]
        parts = [_Part.of(text) for text in texts]
        columns: dict[str, list[list[Any]]] = {}
        if "entities" in layers:
            columns["entity"] = _entities([truecased(part.words, _may_be_name) for part in parts])
        if "morphology" in layers:
            sentences = [words for part in parts for words in part.sentences()]
            tags = _tags(sentences)
            columns["_pos"] = _regroup(parts, [[tag.partition("|")[0] for tag in row] for row in tags])
            columns["_features"] = _regroup(parts, [[tag.partition("|")[2] for tag in row] for row in tags])
            if "syntax" in layers:
                trees = _trees(sentences)
                columns["_relation"] = _regroup(parts, [[relation for _, relation in row] for row in trees])
                columns["_head"] = _regroup(parts, [[head for head, _ in row] for row in trees], heads=True)
        if "lemmas" in layers:
            columns["_lemma"] = [
                [_lemma(word, pos, features) for word, pos, features in zip(part.words, *row, strict=True)]
                for part, *row in zip(parts, columns["_pos"], columns["_features"], strict=True)
            ]
        names = list(columns)
        return [
            Doc(
                text,
                tuple(
                    Token(start, stop, word, layers, **dict(zip(names, values, strict=True)))
                    for (start, stop), word, *values in zip(part.places, part.words, *rows, strict=True)
                ),
                layers,
            )
            for text, part, *rows in zip(texts, parts, *columns.values(), strict=True)
        ]


@dataclass(frozen=True, slots=True)
class _Part:
    """A text's tokens as the models read them (composed, no stress marks), and where they stand."""

    read: str
    words: list[str]
    places: list[tuple[int, int]]
    starts: list[int]

    @classmethod
    def of(cls, text: str) -> "_Part":
        from razdel import tokenize  # noqa: PLC0415  (loaded only where texts are annotated)

        read, origin = _readable(text)
        tokens = list(tokenize(read))
        places = [(token.start, token.stop) for token in tokens]
        if origin is not None:
            places = [(origin[start], origin[stop]) for start, stop in places]
        return cls(read, [token.text for token in tokens], places, [token.start for token in tokens])

    def sentences(self) -> Iterator[list[str]]:
        """The words of each sentence; every word is in one."""
        from razdel import sentenize  # noqa: PLC0415

        stops = [sentence.stop for sentence in sentenize(self.read)]
        first = 0
        for stop in stops:
            last = first
            while last < len(self.starts) and self.starts[last] < stop:
                last += 1
            if last > first:
                yield self.words[first:last]
            first = last


def _readable(text: str) -> tuple[str, list[int] | None]:
    r"""The text composed and without stress marks, and the place of each character of it in the text.

    A line feed that is spelt out, as TAPE's MultiQ does («\nКазань»), is read as spaces.
    """
    if "\\" in text:
        text = _ESCAPES.sub("  ", text)
    if unicodedata.is_normalized("NFC", text) and not any(mark in text for mark in _STRESS):
        return text, None
    pieces: list[str] = []
    origin: list[int] = []
    at = 0
    while at < len(text):
        stop = at + 1
        while stop < len(text) and unicodedata.combining(text[stop]):
            stop += 1
        kept = "".join(char for char in text[at:stop] if char not in _STRESS or stop - at == 1)
        piece = unicodedata.normalize("NFC", kept)
        pieces.append(piece)
        origin += [at] * len(piece)
        at = stop
    return "".join(pieces), [*origin, len(text)]


def _regroup(parts: Sequence[_Part], rows: list[list[Any]], *, heads: bool = False) -> list[list[Any]]:
    """Values of sentences as values of texts; heads count in the text, not in the sentence."""
    found: list[list[Any]] = []
    queue = iter(rows)
    for part in parts:
        values: list[Any] = []
        while len(values) < len(part.words):
            shift = len(values)
            row = next(queue)
            values += [value + shift for value in row] if heads else row
        found.append(values)
    return found


@dataclass(frozen=True, slots=True)
class _Network:
    """One of slovnet's models with the tables that encode its input and decode its output."""

    model: Any
    encode: Callable[[str], tuple[int, int]]
    pad: tuple[int, int]
    labels: list[str]

    def encoded(self, sentences: Sequence[Sequence[str]]) -> Iterator[npt.NDArray[np.float32]]:
        """The encoder's output for each sentence, shape (words, dimensions).

        A long sentence goes in pieces, each with as many words around it as the encoder looks at.
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
        """The encoder's output for each piece: several pieces in one sequence, a masked gap between them."""
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
    """One of natasha's models, loaded once a process."""
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
    """The navec vectors of the natasha package: 250,000 words of news, 300 dimensions, loaded once."""
    from natasha.data import NEWS_EMBEDDING  # noqa: PLC0415
    from navec import Navec  # noqa: PLC0415

    return Navec.load(NEWS_EMBEDDING)


def _entities(texts: Sequence[Sequence[str]]) -> list[list[str]]:
    """The entity of each word, `B-PER`, `I-PER`, …, or "" for none: as slovnet's own call decides."""
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


def _tags(sentences: list[list[str]]) -> list[list[str]]:
    """The part of speech and features of each word, `NOUN|Case=Nom|…`."""
    network = _network("morph")
    labels = network.labels
    return [[labels[tag] for tag in network.model.head(outputs).argmax(-1)] for outputs in network.encoded(sentences)]


def _trees(sentences: list[list[str]]) -> list[list[tuple[int, str]]]:
    """The head (its number in the sentence; its own for a root) and relation of each word."""
    network = _network("syntax")
    model, labels = network.model, network.labels
    trees: list[list[tuple[int, str]]] = []
    for outputs in network.encoded(sentences):
        size = len(outputs)
        mask = np.ones((1, size), dtype=np.bool_)
        heads = model.head.decode(model.head(outputs[None]), mask)
        relations = model.rel.decode(model.rel(outputs[None], heads), mask)[0]
        trees.append(
            [
                (place if head == 0 else int(head) - 1, labels[relation])
                for place, (head, relation) in enumerate(zip(heads[0], relations, strict=True))
            ]
        )
    return trees


_POS = {
    "NOUN": ("NOUN",),
    "PROPN": ("NOUN",),
    "ADJ": ("ADJF", "ADJS", "COMP"),
    "DET": ("ADJF", "NPRO"),
    "VERB": ("VERB", "INFN", "PRTF", "PRTS", "GRND"),
    "AUX": ("VERB", "INFN", "PRTF", "PRTS", "GRND"),
    "ADV": ("ADVB", "COMP", "PRED"),
    "PRON": ("NPRO", "ADJF"),
    "NUM": ("NUMR",),
    "ADP": ("PREP",),
    "CCONJ": ("CONJ",),
    "SCONJ": ("CONJ",),
    "PART": ("PRCL",),
    "INTJ": ("INTJ",),
}
_GRAMMEMES = {
    "Case=Nom": "nomn", "Case=Gen": "gent", "Case=Dat": "datv", "Case=Acc": "accs", "Case=Ins": "ablt",
    "Case=Loc": "loct", "Number=Sing": "sing", "Number=Plur": "plur", "Gender=Masc": "masc",
    "Gender=Fem": "femn", "Gender=Neut": "neut", "Animacy=Anim": "anim", "Animacy=Inan": "inan",
    "Aspect=Perf": "perf", "Aspect=Imp": "impf",
}  # fmt: skip


@cache
def morphology() -> Any:  # noqa: ANN401  (pymorphy3 has no types)
    """The pymorphy3 analyser, loaded once."""
    import pymorphy3  # noqa: PLC0415  (a quarter of a second)

    return pymorphy3.MorphAnalyzer()


_NAMES = frozenset({"Name", "Surn", "Patr", "Geox", "Orgn"})
_SHORTEST_NAME = 3


@lru_cache(maxsize=100_000)
def _may_be_name(word: str, following: str) -> bool:
    """Whether a word without case may be a name: by its grammemes, or because no dictionary has it.

    An adjective may be one before a noun that makes names: «сенная площадь».
    """
    if len(word) < _SHORTEST_NAME or not RUSSIAN.fullmatch(word):
        return False
    analyses = morphology().parse(word)
    if any(_NAMES & analysis.tag.grammemes for analysis in analyses):
        return True
    if not any(analysis.is_known for analysis in analyses):
        return True
    heads = name_heads()
    return bool(
        RUSSIAN.fullmatch(following)
        and any(analysis.tag.POS == "ADJF" and "Apro" not in analysis.tag for analysis in analyses)
        and any(analysis.normal_form in heads for analysis in morphology().parse(following))
    )


@lru_cache(maxsize=100_000)
def _lemma(word: str, pos: str, features: str) -> str:
    """The lemma of the analysis that agrees best with the tagger; the most frequent one among equals.

    Only Russian words are analysed: others have no dictionary form here, and pymorphy3 fails on characters
    that have no name.
    """
    if not RUSSIAN.fullmatch(word):
        return word.lower()
    wanted = _POS.get(pos, ())
    grammemes = {_GRAMMEMES[name] for name in features.split("|") if name in _GRAMMEMES}

    def agreement(analysis: Any) -> tuple[bool, int]:  # noqa: ANN401
        return analysis.tag.POS in wanted, len(grammemes & analysis.tag.grammemes)

    return str(max(morphology().parse(word), key=agreement).normal_form)


@dataclass(frozen=True, slots=True)
class SpacyPipeline:
    """An installed spaCy pipeline (`ru_core_news_sm`, …) in place of natasha's models."""

    name: str

    @property
    def signature(self) -> str:
        """The pipeline and its version."""
        meta = _spacy_pipeline(self.name).meta
        return f"{self.name}-{meta.get('version', '?')}"

    def __call__(self, texts: Sequence[str], layers: frozenset[str]) -> list[Doc]:
        """Annotate the texts with all that the pipeline has.

        Raises:
            AugmentError: the pipeline is not installed, or lacks a layer that is asked for.
        """
        layers = closed(layers)
        pipeline = _spacy_pipeline(self.name)
        docs = []
        for text, parsed in zip(texts, pipeline.pipe(texts), strict=True):
            has = {
                "tokens": True,
                "entities": parsed.has_annotation("ENT_IOB"),
                "morphology": parsed.has_annotation("POS"),
                "lemmas": parsed.has_annotation("LEMMA"),
                "syntax": parsed.has_annotation("DEP"),
            }
            if missing := sorted(layer for layer in layers if not has[layer] and len(parsed)):
                raise AugmentError(f"the spaCy pipeline '{self.name}' gives no {', '.join(missing)}; use another one")
            tokens = [token for token in parsed if not token.is_space]
            number = {token.i: place for place, token in enumerate(tokens)}
            docs.append(
                Doc(
                    text,
                    tuple(
                        Token(
                            token.idx,
                            token.idx + len(token.text),
                            token.text,
                            layers,
                            entity=f"{token.ent_iob_}-{token.ent_type_}" if token.ent_type_ else "",
                            _pos=token.pos_ or "X",
                            _features=str(token.morph),
                            _lemma=token.lemma_.lower(),
                            _head=number.get(token.head.i, number[token.i]),
                            _relation=token.dep_,
                        )
                        for token in tokens
                    ),
                    layers,
                )
            )
        return docs


@cache
def _spacy_pipeline(name: str) -> Any:  # noqa: ANN401
    import spacy  # noqa: PLC0415  (seconds)

    try:
        return spacy.load(name)
    except OSError as error:
        raise AugmentError(
            f"the spaCy pipeline '{name}' is not installed; try: python -m spacy download {name}"
        ) from error


def annotator(name: str) -> Annotator:
    """The annotator of this name: `natasha`, or `spacy:PIPELINE`.

    Raises:
        AugmentError: there is no such annotator.
    """
    if name == "natasha":
        return Natasha()
    if name.startswith("spacy:"):
        return SpacyPipeline(name.removeprefix("spacy:"))
    raise unknown("annotator", name, ["natasha", "spacy:PIPELINE"])
