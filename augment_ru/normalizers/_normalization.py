"""The class `Normalization`, which every normalizer inherits from, chains of them, and functions that find them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from augment_ru import registry
from augment_ru.edits import Edit, Note
from augment_ru.errors import AugmentError, brief, failing, saying_where
from augment_ru.options import by_name, configured
from augment_ru.registry import chain_names, class_name, is_own, own_class
from augment_ru.script import Script


class TextReading(NamedTuple):
    """One reading of a text: what its author may have meant.

    Attributes:
        script: the edits that lead from the text to the reading.
        score: the probability of this reading among all readings that were found, in (0, 1].
    """

    script: Script
    score: float


class Normalization:
    """The base class of normalizers, which return the edits that turn a text into what its author meant.

    To write one, inherit from this class in a frozen dataclass, whose fields are its options. Define one
    of two methods: `edits`, which takes one text, or `scripts`, which takes many.
    """

    __slots__ = ()

    @property
    def name(self) -> str:
        """The name on the command line: by default that of its class, as `spelling` for `SpellingNormalization`.

        Each edit also has it in its note, as `kind`, to tell what made the edit.
        """
        return class_name(type(self))

    def edits(self, text: str) -> Iterable[Edit]:
        """Return the edits that lead from a text to what was meant; none if the text is to stay as it is."""
        del text
        raise AugmentError(f"{type(self).__name__}: a normalizer needs edits(text) or scripts(texts); define one")

    def scripts(self, texts: Sequence[str]) -> list[Script]:
        """Return, for each text, the script (the edits) that leads from it to what its author meant.

        By default it is made of what `edits` returns. The script of a text may not depend on the other texts.
        """
        found = [Script.of(text, ()) for text in texts]
        for at in self.changing(texts):
            found[at] = self._script(texts[at])
        return found

    def changing(self, texts: Sequence[str]) -> Sequence[int]:
        """Tell quickly which of some texts this normalizer may change: return their indices; by default all."""
        return range(len(texts))

    def readings(self, text: str, n: int) -> list[TextReading]:
        """Return up to `n` texts that the author of a text may have meant, the likeliest first.

        By default there is only one, with probability 1: the text to which the script from `scripts` leads.
        """
        del n
        return [TextReading(self.scripts([text])[0], 1.0)]

    def with_next(self, following: "Normalization") -> "Normalization | None":
        """Return one normalizer that does, in one step, the work of this one and then of `following`.

        The default is None: there is no such normalizer.
        """
        del following
        return None

    def _script(self, text: str) -> Script:
        """Return the script of the edits of a text, each with a note that has this normalizer's name as its kind."""
        made = []
        for one in self.edits(text):
            given: object = one  # of the user's own code
            if not isinstance(given, Edit):
                raise TypeError(f"edits() gave {brief(given)}; give Edit(start, stop, text) for each")
            made.append(Edit(given.start, given.stop, given.text, given.note or Note(kind=self.name)))
        with saying_where(f"normalizer '{self.name}', {brief(text)}"):
            return Script(text, made) if made else Script.of(text, ())


@dataclass(frozen=True)
class NormalizationChain(Normalization):
    """Several normalizers that work one after another, each on the text that the one before it returned.

    The edits that the chain returns are edits of the original text.

    Args:
        parts: the normalizers, in order.
    """

    parts: tuple[Normalization, ...] = field(metadata={"option": False})

    @property
    def name(self) -> str:
        """The names of the normalizers in the chain, joined by `+`."""
        return "+".join(one.name for one in self.parts)

    @property
    def steps(self) -> Sequence[Normalization]:
        """The normalizers of the chain; neighbours that can work in one step are joined (`with_next`)."""
        found: list[Normalization] = []
        for part in self.parts:
            joined = found[-1].with_next(part) if found else None
            found[-1:] = [joined] if joined is not None else [*found[-1:], part]
        return found

    def readings(self, text: str, n: int) -> list[TextReading]:
        """Return up to `n` texts that the author of a text may have meant, the likeliest first.

        Each normalizer is given every text that the normalizers before it returned.
        """
        found = [TextReading(Script.of(text, ()), 1.0)]
        for part in self.steps:
            found = [
                TextReading(one.script.then(other.script), one.score * other.score)
                for one in found
                for other in part.readings(one.script.text, n)
            ]
            found.sort(key=lambda one: -one.score)
        return found[:n]

    def scripts(self, texts: Sequence[str]) -> list[Script]:
        """Return, for each text, a script (edits) with the changes of all normalizers of the chain."""
        steps = self.steps
        found = [Script.of(text, ()) for text in texts]
        left = sorted({at for part in steps for at in part.changing(texts)})
        for part in steps:
            for at, script in zip(left, scripts_of(part, [found[at].text for at in left]), strict=True):
                if script.triples:
                    found[at] = found[at].then(script) if found[at].triples else script
        return found


def scripts_of(one: Normalization, texts: Sequence[str]) -> list[Script]:
    """Return the script (the edits) that a normalizer makes for each text, and check that no text lacks one.

    Args:
        one: the normalizer, which may be a user's own.
        texts: the texts.

    Raises:
        AugmentError: the normalizer fails, or does not return one script for each text; the message names it.
    """
    with failing(f"normalizer '{one.name}'"):
        found = one.scripts(texts)
        if [script.source for script in found] != list(texts):
            raise AugmentError(f"normalizer '{one.name}': scripts() must return one Script for each text, in order")
        return found


def normalizations_of(specs: Sequence[str], pairs: Sequence[str] = ()) -> "Normalization":
    """Make a chain of the normalizers that several specifications name.

    Args:
        specs: the specifications, in the order in which the normalizers work. Each is a name, a file of yours,
            `python:MODULE:CLASS`, or several of these joined by `+`.
        pairs: options of normalizers, each `NAME.OPTION=VALUE`.

    Raises:
        AugmentError: a name or an option is unknown, or a value does not fit.
    """
    options = by_name("options", pairs, "NAME.OPTION=VALUE, as in spelling.typing=true")
    made = normalization_of("+".join(specs), options)
    known = {one.name for one in (made, *getattr(made, "parts", ()))}
    if spare := sorted(options.keys() - known):
        raise AugmentError(
            f"`options` {spare[0]}: no normalizer of this run has this name; it has {', '.join(sorted(known))}"
        )
    return made


def normalization_of(
    spec: str | Normalization, options: Mapping[str, Mapping[str, Any]] | None = None
) -> Normalization:
    """Make the normalizer of a specification: a name, a file of yours, `python:MODULE:CLASS`, or these joined by `+`.

    Args:
        spec: the specification, or a normalizer, which is returned as it is.
        options: maps the name of a normalizer to its options, by name; values given as texts are parsed.

    Raises:
        AugmentError: a name or an option is unknown, or a value does not fit.
    """
    if isinstance(spec, Normalization):
        return spec
    if not isinstance(spec, str):
        raise AugmentError(
            f"{type(spec).__name__} is not a normalizer; give the name of one, or inherit from augment_ru.Normalization"
        )
    made = []
    for name in chain_names(spec):
        kind = own_class(name, Normalization) if is_own(name) else registry.find("normalizers", "normalizer", name)
        try:
            made.append(configured(name, kind, (options or {}).get(class_name(kind), {})))
        except TypeError as error:  # an argument without a default, or a method that is not defined
            raise AugmentError(f"{name}: {kind.__name__} cannot be made: {error}") from error
    return NormalizationChain(tuple(made)) if len(made) > 1 else made[0]
