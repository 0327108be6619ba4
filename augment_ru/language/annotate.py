"""Annotators: they compute the tokens of texts, with entities, parts of speech, lemmas and syntax.

`Natasha` runs the models of the natasha package (slovnet, navec; no download). Many texts go through a model as one
sequence with masked gaps between them. So no text is padded to the longest, and the annotation of a text does not
depend on the other texts. `SpacyPipeline` runs an installed spaCy pipeline instead.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from sys import intern
from typing import Any, Protocol

from augment_ru.errors import AugmentError, check_known, optional, saying_instead, unknown
from augment_ru.language.morphology import lemma, may_be_name
from augment_ru.language.slovnet import entities, tags, trees
from augment_ru.language.tokens import readable, token_ranges
from augment_ru.language.truecase import truecased
from augment_ru.text.doc import LAYERS, Doc, Token
from augment_ru.text.words import held_once
from augment_ru.version import version_of

_IMPLIED = {"lemmas": {"morphology"}, "syntax": {"morphology"}}
"""Maps a layer to the layers that it is computed from."""
_TOKENS = frozenset({"tokens"})
_COLUMNS = {"entity": "", "_pos": "X", "_features": "", "_lemma": "", "_head": -1, "_relation": ""}
"""The arguments of `Token` that layers fill, in order, each with its value if its layer is not computed."""


class Annotator(Protocol):
    """Adds layers of annotation (tokens, entities, morphology, lemmas, syntax) to texts."""

    @property
    def signature(self) -> str:
        """States all that defines the annotation: the packages with their versions."""

    def __call__(self, texts: Sequence[str], layers: frozenset[str]) -> list[Doc]:
        """Annotate texts with these layers; the annotation of a text does not depend on the other texts."""


@lru_cache(maxsize=64)
def closed(layers: frozenset[str]) -> frozenset[str]:
    """Return these layers of annotation together with the layers that they are computed from.

    Raises:
        AugmentError: there is no such layer.
    """
    for layer in layers:
        check_known("layer", layer, LAYERS)
    implied = {inner for layer in layers for inner in _IMPLIED.get(layer, ())}
    return layers | implied | ({"tokens"} if layers else set())


@dataclass(frozen=True, slots=True)
class Natasha:
    """Annotates texts with the models of the natasha package: slovnet's entities, morphology and syntax.

    Lemmas come from pymorphy3.
    """

    @property
    def signature(self) -> str:
        """The names and the versions of the packages that contain the models."""
        return "+".join(f"{name}-{version_of(name)}" for name in ("natasha", "slovnet", "razdel", "pymorphy3"))

    def __call__(self, texts: Sequence[str], layers: frozenset[str]) -> list[Doc]:
        """Annotate texts with these layers, and with the layers that these are computed from.

        Raises:
            AugmentError: there is no such layer.
        """
        layers = closed(layers)
        if not layers:
            return [Doc(text) for text in texts]
        docs = [_Split(text, _Part.of(text)) for text in texts]
        return list(docs) if layers == _TOKENS else self.further(docs, layers)

    def further(self, docs: Sequence[Doc], layers: frozenset[str], *, last: bool = True) -> list[Doc]:
        """Add layers to texts that have some already; these are not computed again.

        Args:
            docs: texts that this annotator has only split into tokens (layer `tokens`), or to which this method has
                added layers with `last` False; all have the same layers.
            layers: the layers to add.
            last: whether no further layers will be added later.

        Returns:
            The texts with their old and their new layers.
        """
        known = docs[0].layers if docs else layers
        layers = closed(layers | known)
        if layers == known:
            return list(docs)
        split = [doc for doc in docs if isinstance(doc, _Split)]
        parts = [doc.part for doc in split]
        columns: dict[str, list[list[Any]]] = {}
        if known != _TOKENS:
            columns = {name: [[getattr(token, name) for token in doc.tokens] for doc in split] for name in _COLUMNS}
        if "entities" in layers - known:
            columns["entity"] = entities([truecased(part.words, may_be_name) for part in parts])
        asked = layers.intersection(("morphology", "syntax")) - known
        sentences = [words for part in parts for words in part.sentences()] if asked else []
        if "morphology" in asked:
            tagged = tags(sentences)
            columns["_pos"] = _regroup(parts, [[intern(tag.partition("|")[0]) for tag in row] for row in tagged])
            columns["_features"] = _regroup(parts, [[intern(tag.partition("|")[2]) for tag in row] for row in tagged])
        if "syntax" in asked:
            parsed = trees(sentences)
            columns["_relation"] = _regroup(parts, [[relation for _, relation in row] for row in parsed])
            columns["_head"] = _regroup(parts, [[head for head, _ in row] for row in parsed], heads=True)
        rows = [
            columns.get(name) or [[default] * len(part.words) for part in parts] for name, default in _COLUMNS.items()
        ]
        found = list[Doc]()
        for doc, *row in zip(split, *rows, strict=True):
            words = zip(doc.part.places, doc.part.words, *row, strict=True)
            tokens = tuple([_Tagged(start, stop, word, layers, *values) for (start, stop), word, *values in words])
            found.append(Doc(doc.text, tokens, layers) if last else _Split(doc.text, doc.part, layers, tokens=tokens))
        return found


class _Tagged(Token):
    """A token whose lemma is looked for when it is read: most attacks ask for the lemmas of few words."""

    __slots__ = ()

    @property
    def lemma(self) -> str:
        self._layer("lemmas")
        return lemma(self.text, self._pos, self._features)


@dataclass(frozen=True, slots=True)
class _Part:
    """The tokens of a text as the models read them.

    Attributes:
        read: the text as the models read it (`readable`): composed characters, no stress marks.
        words: the tokens of `read`.
        places: the start and the stop of each token in the original text.
        starts: the place where each token starts in `read`.
    """

    read: str
    words: list[str]
    places: list[tuple[int, int]]
    starts: list[int]

    @classmethod
    def of(cls, text: str) -> "_Part":
        read, origin = readable(text)
        found = token_ranges(read)
        places = found if origin is None else [(origin[start], origin[stop]) for start, stop in found]
        return cls(read, held_once(read[start:stop] for start, stop in found), places, [start for start, _ in found])

    def sentences(self) -> Iterator[list[str]]:
        """Yield the tokens of each sentence; every token is in exactly one."""
        from razdel import sentenize  # noqa: PLC0415

        first = 0
        for sentence in sentenize(self.read):
            last = bisect_left(self.starts, sentence.stop)
            if last > first:
                yield self.words[first:last]
            first = last


def _regroup(parts: Sequence[_Part], rows: list[list[Any]], *, heads: bool = False) -> list[list[Any]]:
    """Concatenate the values of the tokens, which are given sentence by sentence, into one list for each text.

    Args:
        parts: the texts.
        rows: the values of the tokens of each sentence, for all sentences of all texts in order.
        heads: whether the values are token numbers in the sentence; they become token numbers in the text.
    """
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


class _Split(Doc):
    """A text to which layers may be added; without other layers its `Token` objects are made when first read."""

    part: _Part

    def __init__(self, text: str, part: _Part, layers: frozenset[str] = _TOKENS, **known: tuple[Token, ...]) -> None:
        self.__dict__.update(text=text, layers=layers, part=part, forms=part.words, places=part.places, **known)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        parts = zip(self.places, self.forms, strict=True)
        return tuple([Token(start, stop, word, _TOKENS) for (start, stop), word in parts])


_OF_SPACY = {"entities": "ENT_IOB", "morphology": "POS", "lemmas": "LEMMA", "syntax": "DEP"}
"""The attribute of spaCy's tokens that shows whether a layer was computed."""


@dataclass(frozen=True, slots=True)
class SpacyPipeline:
    """Annotates texts with the installed spaCy pipeline `name`, such as `ru_core_news_sm`."""

    name: str

    @property
    def signature(self) -> str:
        """The name of the pipeline and its version."""
        return f"{self.name}-{_spacy_pipeline(self.name).meta.get('version', '?')}"

    def __call__(self, texts: Sequence[str], layers: frozenset[str]) -> list[Doc]:
        """Annotate the texts with the pipeline.

        Raises:
            AugmentError: the pipeline is not installed, or does not compute one of the layers.
        """
        layers = closed(layers)
        pipeline = _spacy_pipeline(self.name)
        docs = []
        for text, parsed in zip(texts, pipeline.pipe(texts), strict=True):
            read = layers - {"tokens"} if len(parsed) else ()
            if missing := sorted(layer for layer in read if not parsed.has_annotation(_OF_SPACY[layer])):
                raise AugmentError(f"the spaCy pipeline '{self.name}' gives no {', '.join(missing)}; use another one")
            tokens = [token for token in parsed if not token.is_space]
            number = {token.i: place for place, token in enumerate(tokens)}
            made = []
            for one in tokens:
                entity = f"{one.ent_iob_}-{one.ent_type_}" if one.ent_type_ else ""
                tag = (one.pos_ or "X", str(one.morph), one.lemma_.lower())
                head = number.get(one.head.i, number[one.i])
                made.append(Token(one.idx, one.idx + len(one.text), one.text, layers, entity, *tag, head, one.dep_))
            docs.append(Doc(text, tuple(made), layers))
        return docs


@cache
def _spacy_pipeline(name: str) -> Any:  # noqa: ANN401
    spacy = optional("spacy", f"annotator spacy:{name}: spaCy is not installed; possible: natasha", "spacy")
    told = f"the spaCy pipeline '{name}' is not installed; try: python -m spacy download {name}"
    with saying_instead(told, OSError):
        return spacy.load(name)


def annotator(name: str) -> Annotator:
    """Return the annotator with this name: `natasha`, or `spacy:PIPELINE`.

    Raises:
        AugmentError: the name has neither form.
    """
    if name == "natasha":
        return Natasha()
    if name.startswith("spacy:"):
        return SpacyPipeline(name.removeprefix("spacy:"))
    raise unknown("annotator", name, ["natasha", "spacy:PIPELINE"])
