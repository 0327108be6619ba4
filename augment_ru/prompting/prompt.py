"""Prompts: the text that asks a model about a row, and the answers to choose from.

A prompt has the parts that the benchmark RAFT uses (Alex et al. 2021, section 4.1.1): an instruction, demonstrations,
and the row itself with a place for the answer. Its words come from a file `prompts/NAME.toml`, one for each task.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, NamedTuple

from augment_ru.errors import AugmentError, saying_where
from augment_ru.evaluation.examples import Prediction, titled_text
from augment_ru.inference.pretrained import short_digest
from augment_ru.records import field_paths
from augment_ru.records.answers import LETTERS, answer_texts, label_of
from augment_ru.records.offsets import kind, offsets_of
from augment_ru.records.record import list_of_texts, option_markers, options_in
from augment_ru.records.task import Task

LABEL = "label"
"""The name of the place for the answer in the template of a prompt: `{label}`."""
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
        after = at + 1
        return Template(self.texts[:after], self.names[:at]), Template(self.texts[after:], self.names[after:])


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


_CYRILLIC = "АБВГДЕЖЗИК"

OPTIONS = "options"
"""The name of the place in a template that is filled with the list of the choices: `{options}`."""
LAYOUTS = ("letters", "numbers", "brackets", "lines", "json")
"""How choices are listed: «А) …», «1. …», «(A) …», «— …» (the answer is then the text itself), or as JSON."""


class Choice(NamedTuple):
    """One of the answers that a model chooses from.

    Attributes:
        label: its label in the data.
        text: the answer as it is written in the prompt.
    """

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Options:
    """Says where a row of the data lists the options of its question; exactly one attribute is set.

    Attributes:
        inside: the text field that ends with its options «(A) … (B) …»; a prompt shows the field without them.
        fields: maps the field that holds an option to the label of this option, such as `choice1` to "0". If data sets
            write the label in several ways, all are given.
        texts: a field with a list of texts; each text is also its label.
        spans: the path of a list of spans in the row; the text of each span is also its label.
    """

    inside: str | None = None
    fields: Mapping[str, tuple[str, ...]] | None = None
    texts: str | None = None
    spans: str | None = None


def spelled(name: str, table: Mapping[str, tuple[str, ...]], labels: Sequence[str] | None) -> tuple[Choice, ...]:
    """Return the choices of a prompt: each word that stands for a label («Да»), with the label as the data write it.

    Data sets write the same labels in several ways: "1" and "0", or "true" and "false". The first way in `table` that
    has all labels of the data is taken.

    Args:
        name: the name of the prompt, for messages.
        table: maps each word to the spellings of its label, in the order of these ways.
        labels: the labels of the data; None if they are not known.

    >>> spelled("danetqa", {"Да": ("true", "1"), "Нет": ("false", "0")}, ["0", "1"])
    (Choice(label='1', text='Да'), Choice(label='0', text='Нет'))

    Raises:
        AugmentError: no way of writing in the table has all labels of the data.
    """
    columns = list(zip(*table.values(), strict=True))
    for column in columns:
        if set(labels or ()) <= set(column):
            return tuple(Choice(label, word) for label, word in zip(column, table, strict=True))
    known = "; or ".join(", ".join(column) for column in columns)
    raise AugmentError(f"prompt {name}: has words for the labels {known}, but the data has {', '.join(labels or ())}")


def laid_out(choices: Sequence[Choice], layout: str) -> tuple[str, tuple[Choice, ...]]:
    r"""List choices in a text; return it, and the choices with their marks in the list («А») as their texts.

    In a list without marks (`lines`), the choices keep their texts.

    Args:
        choices: the choices.
        layout: how they are listed, one of `LAYOUTS`: with letters, numbers or brackets, as lines, or as JSON.

    >>> laid_out((Choice("1", "да"), Choice("0", "нет")), "letters")
    ('А) да\nБ) нет', (Choice(label='1', text='А'), Choice(label='0', text='Б')))
    """
    texts = [choice.text for choice in choices]
    if layout == "lines":
        return "\n".join(f"— {text}" for text in texts), tuple(choices)
    numbers = [str(number) for number in range(1, len(texts) + 1)]
    signs = {"letters": _CYRILLIC, "numbers": numbers}.get(layout, LETTERS)
    form = {"letters": "{}) {}", "numbers": "{}. {}", "brackets": "({}) {}"}.get(layout, "")
    listed = "\n".join(form.format(sign, text) for sign, text in zip(signs, texts, strict=False))
    if layout == "json":
        listed = json.dumps(dict(zip(signs, texts, strict=False)), ensure_ascii=False)
    return listed, tuple(Choice(choice.label, sign) for choice, sign in zip(choices, signs, strict=False))


@dataclass(frozen=True, slots=True)
class PromptBudget:
    """Limits the length of prompts: the most tokens, and the functions of the tokenizer that count them.

    Attributes:
        tokens: the most tokens of the whole prompt with its answer.
        count: returns the number of tokens of a text.
        cut: returns the longest beginning of a text that has at most the given number of tokens.
    """

    tokens: int
    count: Callable[[str], int]
    cut: Callable[[str, int], str]

    def shares(self, head: str, separator: str, shots: int, answer: int) -> tuple[int, int]:
        """Return how many tokens of a prompt the row may have, and how many each demonstration may have.

        The tokens that the other parts leave are divided: a quarter is for the row, and the demonstrations share the
        rest. Without demonstrations all are for the row (as in the benchmark RAFT, section 4.1.1).

        Args:
            head: the instruction, with the separator after it.
            separator: the text between the parts of the prompt.
            shots: the number of demonstrations.
            answer: the number of tokens that are kept free for a generated answer.
        """
        left = self.tokens - self.count(head) - shots * self.count(separator) - answer
        return (left // 4, 3 * left // (4 * shots)) if shots else (left, 0)

    def fitted(self, template: Template, values: Mapping[str, str], words: Sequence[str], share: int) -> dict[str, str]:
        """Cut the values of a row, the longest first, so that the template filled with them has at most `share` tokens.

        Args:
            template: the template: a text with the names of values, and of the label, in braces.
            values: the value of each name, without the label.
            words: the words that may be written for the label; room is left for the longest.
            share: how many tokens the filled template may have, of all tokens of the prompt.

        Raises:
            AugmentError: the template and the label alone have more tokens.
        """
        word = max(words, key=self.count, default="")
        left = share - self.count(template.fill({**dict.fromkeys(values, ""), LABEL: word}))
        if left < 0:
            raise AugmentError(
                f"a budget of {self.tokens} tokens leaves {share} for this text, and its template and label alone "
                f"have {share - left}; raise it, or take fewer demonstrations"
            )
        found: dict[str, str] = {}
        order = sorted(values, key=lambda name: len(values[name]))  # the longest value is cut first
        for name in order:
            times = template.names.count(name)
            found[name] = self.cut(values[name], left // times)
            left = max(left - self.count(found[name]) * times, 0)
        while order and (excess := self.count(template.fill({**found, LABEL: word})) - share) > 0:
            last = order[-1]  # inside the template a text may have a token more than alone
            found[last] = self.cut(found[last], max(self.count(found[last]) - excess, 0))
            if not found[last]:
                order.pop()
        return found


LIMITS = (100, 200)
"""The most tokens of a generated answer, without and with demonstrations; as in the benchmark TAPE for its task CheGeKa
(section 5.2)."""
FIELDS = "fields"
"""The name of the place in a template that is filled with all texts of the row that a model reads: `{fields}`."""


@dataclass(frozen=True, slots=True)
class FilledPrompt:
    """The prompt for one question about a row.

    Attributes:
        field: the field whose value is asked for.
        context: the prompt up to the place of the answer, without white space at its end.
        choices: the answers to choose from; empty if the model generates the answer as text. The text of a choice
            includes the white space before the answer, and what the template has after the answer.
        tokens: the most tokens of a generated answer.
        stop: the strings that end a generated answer.
        turns: the context in pairs of a question and an answer: first the demonstrations, last the row, whose answer is
            empty. The first question begins with the instruction.
        listed: whether the context already lists the choices.
    """

    field: str
    context: str
    choices: tuple[Choice, ...]
    tokens: int
    stop: tuple[str, ...]
    turns: tuple[tuple[str, str], ...]
    listed: bool = False


@dataclass(frozen=True, slots=True)
class OwnTemplate:
    """Says where a row of the data holds the template of its own prompt (as in the benchmark MERA).

    Attributes:
        template: the field that holds the template.
        values: the field that holds the values for the template.
        later: the template of all rows after the first demonstration: further demonstrations, and the row that is asked
            about (MERA, section 4.1). They do not use their own template, since it repeats the instruction.
        by: the field whose value chooses a template from `kinds` instead of `later`; "" to use `later` for all rows.
        kinds: maps the values of the field `by` to templates.
        first: the text that is added to the template of the first demonstration; "" to add nothing. White space around
            a template is removed if nothing is added to it. None: all templates stay as they are.
    """

    template: str
    values: str
    later: Template
    first: str | None = None
    by: str = ""
    kinds: Mapping[str, Template] = field(default_factory=dict)

    def after(self, row: Mapping[str, Any]) -> Template:
        """Return the template for a row that follows the first demonstration; it does not repeat the instruction.

        Args:
            row: the row.

        Raises:
            AugmentError: the prompt file has no template for the row in `kinds`.
        """
        if not self.by:
            return self.later
        if (kind := text_of(row, self.by)) not in self.kinds:
            raise AugmentError(f"field '{self.by}' is {kind}; `later` has templates for {', '.join(self.kinds)}")
        return self.kinds[kind]

    def of(self, row: Mapping[str, Any], *, shown: bool) -> Template:
        """Return the template that a row holds, with a place for the answer.

        Args:
            row: the row.
            shown: whether the row is a demonstration.
        """
        text = text_of(row, self.template)
        if self.first is not None:
            text = text + self.first if shown and self.first else text.strip()
        return with_label(Template.of(text))


@dataclass(frozen=True, slots=True)
class Prompt:
    """Makes the prompts that ask a model about the rows of a task; the content of a file in `prompts/`.

    Attributes:
        name: the name of its file.
        task: the task of the rows.
        targets: maps each field whose value is asked for to a template, which has a place for the label.
        instruction: the text at the beginning of the prompt.
        separator: the text between the instruction, the demonstrations and the row.
        labels: maps each word that stands for a label to the ways in which data write the label, for example «Да» to
            `true` and `1`.
        options: where the row lists its options; None if it does not list any.
        words: maps each field whose values are shown in other words to a mapping from its values to these words.
        writes: whether the model generates the answer as text even if there are labels to choose from.
        limits: the most tokens of a generated answer: without demonstrations, and with them.
        stop: the strings that end a generated answer.
        own: where the row holds its own template; None if `targets` holds the templates.
        each: the entries that are asked about one by one, for example `questions[].answers[]`; the prediction is then
            a list.
        layout: how the place `{options}` of a template lists the choices, one of `LAYOUTS`; None if the prompt
            does not list them.
    """

    # the names of the attributes are part of `digest`
    name: str
    task: Task
    targets: Mapping[str, Template]
    instruction: Template | None = None
    separator: str = "\n\n"
    labels: Mapping[str, tuple[str, ...]] | None = None
    options: Options | None = None
    words: Mapping[str, Mapping[str, str]] | None = None
    writes: bool = False
    limits: tuple[int, int] = LIMITS
    stop: tuple[str, ...] = ("\n",)
    own: OwnTemplate | None = None
    each: str | None = None
    layout: str | None = None

    @property
    def digest(self) -> str:
        """The name of the prompt, with a digest (eight hexadecimal digits) of all its values except the task."""
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "task"}
        if self.layout is None:  # so that prompts without a layout keep their digests
            del values["layout"]
        if self.own:
            unset = {"first": self.own.first is None, "by": not self.own.by, "kinds": not self.own.by}
            values["own"] = {key: value for key, value in asdict(self.own).items() if not unset.get(key)}
        text = json.dumps(values, ensure_ascii=False, sort_keys=True, default=asdict)
        return f"{self.name}-{short_digest(text.encode())}"

    def build(
        self,
        record: Mapping[str, Any],
        shots: Sequence[Mapping[str, Any]] = (),
        *,
        labels: Sequence[str] | None = None,
        budget: PromptBudget | None = None,
    ) -> tuple[FilledPrompt, ...]:
        """Return the prompts for a row: one for each question that is asked about it.

        There is a question for each field whose value is asked for; if the entries of a list are asked about one by one
        (`each`), there is a question for each entry.

        Args:
            record: the row; its right answer is not used.
            shots: the demonstrations: rows with right answers, in the order of the prompt.
            labels: the classes of the data; needed if the prompt's file does not name them.
            budget: the most tokens of a prompt; None to cut nothing. Of the tokens that instruction and separators
                leave, the row may have a quarter, and the demonstrations share the rest; without demonstrations, the
                row may have all (as in the benchmark RAFT, section 4.1.1). Fields are cut at their ends, the longest
                first; labels are never cut.

        Raises:
            AugmentError: a field is missing, a label has no word, or the budget is too small.
        """

        def filled(field: str, numbers: tuple[int, ...]) -> FilledPrompt:
            choices = () if self.writes else self._choices(record, labels)
            limit = self.limits[bool(shots)]
            head = ""
            if self.instruction and choices:
                words = ", ".join(choice.text for choice in choices)
                head = self.instruction.fill({"labels": words}) + self.separator
            answer, start, turns = 0 if choices else limit, head, []
            whole, part = budget.shares(head, self.separator, len(shots), answer) if budget else (0, 0)
            for number, shot in enumerate(shots, start=1):
                with saying_where(f"demonstration {number}"):
                    entry = next(iter(self._entries(shot)), ())
                    word = self._answer(field_paths.numbered(field, entry), shot, labels)
                    template, values = self._values(field, shot, entry, labels, later=number > 1, shown=True)
                    values = budget.fitted(template, values, [word], part) if budget else values
                head += template.fill({**values, LABEL: word}) + self.separator
                before, after = template.around(LABEL)
                turns.append((before.fill(values).rstrip(), word + after.fill(values)))
            template, values = self._values(field, record, numbers, labels, later=bool(shots))
            if budget:
                values = budget.fitted(template, values, [choice.text for choice in choices], whole)
            before, after = template.around(LABEL)
            context = head + before.fill(values)
            gap = context[len(context.rstrip()) :]
            tail = after.fill(values)
            offered = tuple(Choice(label, gap + word + tail) for label, word in choices)
            turns.append((before.fill(values).rstrip(), ""))
            turns[0] = (start + turns[0][0], turns[0][1])
            listed = self.layout is not None and bool(choices)
            return FilledPrompt(field, context.rstrip(), offered, limit, self.stop, tuple(turns), listed)

        return tuple(filled(field, numbers) for field in self.targets for numbers in self._entries(record))

    def answer(self, answers: Sequence[str]) -> Prediction:
        """Combine the answers to the prompts of a row into one prediction.

        The prediction is a list if entries of the row are asked about one by one (`each`). Otherwise it maps the fields
        that are asked for to the answers; if there is only one field, it is the answer itself.

        Args:
            answers: the answer to each prompt, in their order.
        """
        if self.each:
            return list(answers)
        return answers[0] if len(self.targets) == 1 else dict(zip(self.targets, answers, strict=True))

    def _entries(self, record: Mapping[str, Any]) -> list[tuple[int, ...]]:
        """Return the entries of `each`, as tuples of indices into its lists; without `each`, one empty tuple."""
        return field_paths.entries(record, self.each) if self.each else [()]

    def _values(
        self,
        field: str,
        record: Mapping[str, Any],
        numbers: tuple[int, ...],
        labels: Sequence[str] | None,
        *,
        later: bool,
        shown: bool = False,
    ) -> tuple[Template, dict[str, str]]:
        """Return the template for a row, and the values of its places except the label.

        `later` says whether a demonstration comes before the row, and `shown` whether it is one itself.
        """
        if self.own and not later:
            template = self.own.of(record, shown=shown)
            return template, _own_values(template, field_paths.value(record, self.own.values), self.own.values)
        template = self.own.after(record) if self.own else self.targets[field]
        own = {} if self.layout is None else {OPTIONS: laid_out(self._offered(record, labels), self.layout)[0]}
        return template, {
            name: own[name] if name in own else self._value(record, name, numbers)
            for name in template.names
            if name != LABEL
        }

    def _value(self, record: Mapping[str, Any], name: str, numbers: tuple[int, ...]) -> str:
        if name == FIELDS and FIELDS not in record:
            return titled_text(record, self.task)
        text = text_of(record, field_paths.numbered(name, numbers))
        if self.options and name == self.options.inside:
            markers = option_markers(text)
            return text[: markers[0].start].rstrip() if markers else text
        known = (self.words or {}).get(name)
        if known is not None:
            if text not in known:
                raise AugmentError(f"prompt {self.name}: no word for {name} '{text}'; it has {', '.join(known)}")
            return known[text]
        return text

    def _choices(self, record: Mapping[str, Any], labels: Sequence[str] | None) -> tuple[Choice, ...]:
        """Return the labels to choose from, each with the text of its answer: its words, or its mark in the layout."""
        offered = self._offered(record, labels)
        return offered if self.layout is None else laid_out(offered, self.layout)[1]

    def _offered(self, record: Mapping[str, Any], labels: Sequence[str] | None) -> tuple[Choice, ...]:
        """Return the labels to choose from, each with its words.

        They are the row's options, or else the labels of the prompt file, or else those of the data, in their order.
        """
        if self.options:
            return tuple(self._listed(self.options, record, labels))
        if self.labels:
            return spelled(self.name, self.labels, labels)
        return tuple(Choice(label, label) for label in labels or ())

    def _listed(self, options: Options, record: Mapping[str, Any], labels: Sequence[str] | None) -> Iterator[Choice]:
        """Yield each option that a row lists, in the order of the row, as a label and a text."""
        if options.inside:
            text = text_of(record, options.inside)
            if not (found := options_in(text)):
                raise AugmentError(f"field '{options.inside}' has no options «(A) … (B) …»")
            yield from (Choice(letter, option.of(text)) for letter, (_, option) in zip(LETTERS, found, strict=False))
        elif options.fields:
            for label, field in spelled(self.name, options.fields, labels):
                yield Choice(label, text_of(record, field))
        elif options.texts:
            listed = list_of_texts(field_paths.value(record, options.texts))
            yield from (Choice(text, text) for text in dict.fromkeys(listed))
        elif options.spans:
            start = field_paths.steps(options.spans)
            fields = [characters.text for characters in self.task.layout.characters]
            places = [place for place in offsets_of(record, self.task, fields) if place.path[: len(start)] == start]
            texts = (place.span.of(text_of(record, place.text)).strip() for place in places)
            yield from (Choice(text, text) for text in dict.fromkeys(texts))

    def _answer(self, field: str, shot: Mapping[str, Any], labels: Sequence[str] | None) -> str:
        """Return the right answer of a demonstration as it is written in the prompt."""
        golds = field_paths.values(shot, field)
        if not golds:
            raise AugmentError(f"no right answer in the field '{field}'; demonstrations need one")
        choices = () if self.writes else self._choices(shot, labels)
        if not choices:
            return answer_text(golds[0], self.task.scoring.separator)
        gold = label_of(golds[0])
        spellings = {**(self.labels or {}), **((self.options and self.options.fields) or {})}
        for choice in choices:
            same = next((known for known in spellings.values() if choice.label in known), (choice.label,))
            if gold in same:
                return choice.text
        known = ", ".join(choice.label for choice in choices)
        raise AugmentError(f"prompt {self.name}: no word for label '{gold}'; it has words for {known}")


def answer_text(value: object, separator: str | None = None) -> str:
    """Return the text of a right answer that a row states.

    If the row states several answers, this is the first. If the answer is an object, this is the text that it holds.

    Args:
        value: what the row states: a text, a number, a list of answers, or an annotated answer.
        separator: what stands between several answers in one text, such as ";"; None if a text is one answer.

    >>> answer_text([{"label": "passage", "offset": 0, "length": 5, "segment": "Мехмо"}])
    'Мехмо'

    Raises:
        AugmentError: the value holds no answer.
    """
    text = next(iter(answer_texts(value, separator)), None)
    if text is None:
        raise AugmentError("the right answer is empty")
    return text


def _own_values(template: Template, held: object, field: str) -> dict[str, str]:
    """Return the values for a row's own template.

    If exactly one place and one value are left without a match by name, the value is put into that place.
    """
    source = held if isinstance(held, Mapping) else {field: held}
    names = [name for name in dict.fromkeys(template.names) if name != LABEL]
    missing = [name for name in names if not field_paths.has_value(source, name)]
    spare = [name for name in source if name not in names]
    if len(missing) == 1 and len(spare) == 1:
        source = {**source, missing[0]: source[spare[0]]}
    return {name: text_of(source, name) for name in names}
