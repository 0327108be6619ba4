"""Templates: texts with {places} that are filled with the values of a row; braces in values stay as they are."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.records import field_paths
from augment_ru.records.offsets import kind

LABEL = "label"
"""The name of the place for the answer."""
_PLACE = re.compile(r"\{\{|\}\}|\{([^{}\n]+)\}|[{}]")


@dataclass(frozen=True, slots=True)
class Template:
    """A text with places for values, each written {name}.

    Attributes:
        texts: the texts before, between and after the places; one more than `names`.
        names: the field for each place, or a path into a field, for example `target.span1_text` or `qas[0].query`.
    """

    texts: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Template":
        """Parse a text in which `{name}` is a place, and `{{` and `}}` stand for braces.

        >>> Template.of("{{{question}}} {label}.").fill({"question": "{x}", "label": "Да"})
        '{{x}} Да.'

        Raises:
            AugmentError: a brace is neither doubled nor part of a place.
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
                    f"double it to write a brace"
                )
            else:
                texts[-1] += match[0][0]
        texts[-1] += text[start:]
        return cls(tuple(texts), tuple(names))

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the text of the template with values in its places.

        Args:
            values: maps the name of each place to its value; every place needs one.
        """
        filled = [self.texts[0]]
        for name, text in zip(self.names, self.texts[1:], strict=True):
            filled += (values[name], text)
        return "".join(filled)

    def around(self, name: str) -> tuple["Template", "Template"]:
        """Return the parts of the template before and after a place.

        Args:
            name: the name of the place, which must occur once.
        """
        at = self.names.index(name)
        return (
            Template(self.texts[: at + 1], self.names[:at]),
            Template(self.texts[at + 1 :], self.names[at + 1 :]),
        )


def with_label(template: Template) -> Template:
    """Return a template that has a place for the answer; if there is none, it is added at the end, after a space."""
    if LABEL in template.names:
        return template
    *texts, last = template.texts
    space = "" if last[-1:].isspace() else " "
    return replace(template, texts=(*texts, last + space, ""), names=(*template.names, LABEL))


def text_of(record: Mapping[str, Any], name: str) -> str:
    """Return the value of a field as text; null becomes the empty text.

    Args:
        record: the row.
        name: the path of the field, such as `qas[0].query`.

    Raises:
        AugmentError: the row has no such field, or its value is a list or an object.
    """
    value = field_paths.value(record, name, _NOTHING)
    if value is _NOTHING:
        raise AugmentError(f"no field '{name}'; the row has {', '.join(field_paths.keys_of(record)) or 'none'}")
    if isinstance(value, Mapping | list | tuple):
        raise AugmentError(f"field '{name}' holds {kind(value)}, not a text")
    return "" if value is None else str(value)


_NOTHING = object()
