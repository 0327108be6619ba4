"""Templates: a text with {places}, filled with the values of a row; what stands in the values is never interpreted."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.records import field_paths
from augment_ru.records.offsets import kind

LABEL = "label"
"""The place of the answer."""
_PLACE = re.compile(r"\{\{|\}\}|\{([^{}\n]+)\}|[{}]")


@dataclass(frozen=True, slots=True)
class Template:
    """A text with places for values.

    Attributes:
        texts: what stands before, between and after the places; one more than `names`.
        names: what each place holds: a field, or a path into one, as in `target.span1_text` or `qas[0].query`.
    """

    texts: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Template":
        """The template that a text describes: `{name}` is a place, `{{` and `}}` are braces.

        >>> Template.of("{{{question}}} {label}.").fill({"question": "{x}", "label": "Да"})
        '{{x}} Да.'

        Raises:
            AugmentError: a brace stands alone.
        """
        texts, names, start = [""], [], 0
        for match in _PLACE.finditer(text):
            texts[-1] += text[start : match.start()]
            start = match.end()
            if match[1]:
                names.append(match[1])
                texts.append("")
            elif len(match[0]) == 1:
                raise AugmentError(
                    f"the brace '{match[0]}' at character {match.start()} of the template is no part of a {{place}}; "
                    f"write it twice for a brace"
                )
            else:
                texts[-1] += match[0][0]
        texts[-1] += text[start:]
        return cls(tuple(texts), tuple(names))

    def fill(self, values: Mapping[str, str]) -> str:
        """The text with the values in their places."""
        filled = [self.texts[0]]
        for name, text in zip(self.names, self.texts[1:], strict=True):
            filled += (values[name], text)
        return "".join(filled)

    def around(self, name: str) -> tuple["Template", "Template"]:
        """The template before the only place of this name, and the one after it."""
        at = self.names.index(name)
        return (
            Template(self.texts[: at + 1], self.names[:at]),
            Template(self.texts[at + 1 :], self.names[at + 1 :]),
        )


def with_label(template: Template) -> Template:
    """The template with a place for the answer: its own, or one at its end after a space."""
    if LABEL in template.names:
        return template
    *texts, last = template.texts
    space = "" if last[-1:].isspace() else " "
    return replace(template, texts=(*texts, last + space, ""), names=(*template.names, LABEL))


def text_of(record: Mapping[str, Any], name: str) -> str:
    """The value of a field as text; a name is one of `augment_ru.records.field_paths`.

    Raises:
        AugmentError: there is none, or it is a list or an object.
    """
    value = field_paths.value(record, name, _NOTHING)
    if value is _NOTHING:
        raise AugmentError(f"no field '{name}'; the row has {', '.join(field_paths.keys_of(record)) or 'none'}")
    if isinstance(value, Mapping | list | tuple):
        raise AugmentError(f"field '{name}' holds {kind(value)}, not a text")
    return "" if value is None else str(value)


_NOTHING = object()
