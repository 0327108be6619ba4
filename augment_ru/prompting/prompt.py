"""Prompts: the question of a row in words, and what may be answered; one file `prompts/NAME.toml` a task.

The parts of a prompt are those of RAFT (Alex et al. 2021, section 4.1.1): instructions, demonstrations, and the row
itself, with the place of its answer last.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from hashlib import blake2b
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import Prediction
from augment_ru.prompting.budget import Budget, Shares
from augment_ru.prompting.choices import Candidate, Options, choices, spelled
from augment_ru.prompting.template import LABEL, Template, text_of, with_label
from augment_ru.records import field_paths
from augment_ru.records.answers import answer_texts, label_of
from augment_ru.records.record import Record, option_markers
from augment_ru.records.task import Task

LIMITS = (100, 200)
"""Tokens of a written answer, without and with demonstrations, as TAPE has them for CheGeKa (section 5.2)."""
FIELDS = "fields"
"""The place of all texts that are perturbed."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A prompt for one question.

    Attributes:
        field: the field whose value is asked for.
        context: the prompt up to the place of the answer, without white space at its end.
        candidates: the answers to choose from, each with what stands between it and the context; none to generate.
        tokens: how many tokens a generated answer may have.
        stop: what ends a generated answer.
    """

    field: str
    context: str
    candidates: tuple[Candidate, ...]
    tokens: int
    stop: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prompt:
    """How the rows of a task are asked about: what a file in `prompts/` says.

    Attributes:
        name: of its file.
        task: whose rows it asks about.
        targets: for each field that is asked for, the template, with a place for the label.
        instruction: what stands first, once.
        separator: what stands between instruction, demonstrations and the row.
        labels: the word of each label, with the spellings of the label in data, one for each convention.
        options: where the row lists its answers; None if it does not.
        words: for a field, the words that stand for its values.
        writes: whether the answer is written in any case; else only where there are no labels to choose from.
        limits: the most tokens of a written answer, without and with demonstrations.
        stop: what ends a generated answer.
        own: the fields of the row's own template and of its values (MERA); None if the template is `targets`'.
        each: the entries that are asked about one by one, as in `questions[].answers[]`; the answer is then a list.
    """

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
    own: tuple[str, str] | None = None
    each: str | None = None

    @property
    def digest(self) -> str:
        """The prompt's name and eight characters that change with its words."""
        said = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "task"}
        words = json.dumps(said, ensure_ascii=False, sort_keys=True, default=asdict)
        return f"{self.name}-{blake2b(words.encode(), digest_size=4).hexdigest()}"

    def build(
        self,
        record: Mapping[str, Any],
        shots: Sequence[Mapping[str, Any]] = (),
        *,
        labels: Sequence[str] | None = None,
        budget: Budget | None = None,
    ) -> tuple[Filled, ...]:
        """The prompts of a row, one for each field that is asked for.

        Args:
            record: the row; its right answer is not looked at.
            shots: the demonstrations, rows with right answers, in the order in which they stand.
            labels: the classes of the data, where the prompt's file does not name them.
            budget: RAFT's (section 4.1.1): of the E tokens that instruction and separators leave, the row gets a
                quarter, and each of N demonstrations 3/(4N); without demonstrations the row gets all. Fields are cut
                at their ends, the longest first; labels stay whole.

        Raises:
            AugmentError: a field is missing, a label has no word, or the budget is too small.
        """
        return tuple(
            self._filled((field, numbers), record, shots, labels, budget)
            for field in self.targets
            for numbers in self._entries(record)
        )

    def answer(self, said: Sequence[str]) -> Prediction:
        """What was said to the prompts of a row, as the prediction for the row."""
        if self.each:
            return list(said)
        return said[0] if len(self.targets) == 1 else dict(zip(self.targets, said, strict=True))

    def _entries(self, record: Mapping[str, Any]) -> list[tuple[int, ...]]:
        """The numbers of the entries that are asked about, one for each `[]`; for a row itself none."""
        names = field_paths.every(record, self.each) if self.each else [""]
        return [tuple(step for step in field_paths.steps(name) if isinstance(step, int)) for name in names]

    def _filled(
        self,
        target: tuple[str, tuple[int, ...]],
        record: Mapping[str, Any],
        shots: Sequence[Mapping[str, Any]],
        labels: Sequence[str] | None,
        budget: Budget | None,
    ) -> Filled:
        field, numbers = target
        candidates = () if self.writes else self._candidates(record, labels)
        limit = self.limits[bool(shots)]
        head = ""
        if self.instruction and candidates:
            words = ", ".join(one.text for one in candidates)
            head = self.instruction.fill({"labels": words}) + self.separator
        share = Shares(budget, head, self.separator, len(shots), 0 if candidates else limit) if budget else None
        for number, shot in enumerate(shots, start=1):
            try:
                entry = next(iter(self._entries(shot)), ())
                word = self._answer(_numbered(field, entry), shot, labels)
                template, values = self._values(field, shot, entry)
                values = share.demonstration(template, values, word) if share else values
            except AugmentError as error:
                raise AugmentError(f"demonstration {number}: {error}") from error
            head += template.fill({**values, LABEL: word}) + self.separator
        template, values = self._values(field, record, numbers)
        if share:
            values = share.target(template, values, [one.text for one in candidates])
        before, after = template.around(LABEL)
        context = head + before.fill(values)
        gap = context[len(context.rstrip()) :]
        tail = after.fill(values)
        answers = tuple(Candidate(label, gap + word + tail) for label, word in candidates)
        return Filled(field, context.rstrip(), answers, limit, self.stop)

    def _values(
        self, field: str, record: Mapping[str, Any], numbers: tuple[int, ...]
    ) -> tuple[Template, dict[str, str]]:
        """The template for a row, and the texts for its places but that of the label."""
        if self.own:
            template = with_label(Template.of(text_of(record, self.own[0])))
            return template, _own_values(template, field_paths.value(record, self.own[1]), self.own[1])
        template = self.targets[field]
        return template, {name: self._value(record, name, numbers) for name in template.names if name != LABEL}

    def _value(self, record: Mapping[str, Any], name: str, numbers: tuple[int, ...]) -> str:
        if name == FIELDS and FIELDS not in record:
            texts = Record(record, self.task).texts()
            titled = len(texts) > 1
            return "\n".join(f"{path.split('.')[-1]}: {text}" if titled else text for path, text in texts.items())
        text = text_of(record, _numbered(name, numbers))
        if self.options and name == self.options.inside:
            markers = option_markers(text)
            return text[: markers[0].start].rstrip() if markers else text
        known = (self.words or {}).get(name)
        if known is not None:
            if text not in known:
                raise AugmentError(f"prompt {self.name}: no word for {name} '{text}'; it has {', '.join(known)}")
            return known[text]
        return text

    def _candidates(self, record: Mapping[str, Any], labels: Sequence[str] | None) -> tuple[Candidate, ...]:
        """The labels to choose from, in the order of the file or of the row, and their words."""
        if self.options:
            return tuple(choices(self.name, self.options, self.task, record, labels))
        if self.labels:
            return spelled(self.name, self.labels, labels)
        return tuple(Candidate(label, label) for label in labels or ())

    def _answer(self, field: str, shot: Mapping[str, Any], labels: Sequence[str] | None) -> str:
        """The text of the right answer of a demonstration."""
        golds = field_paths.values(shot, field)
        if not golds:
            raise AugmentError(f"no right answer in the field '{field}'; demonstrations come from a train file")
        candidates = () if self.writes else self._candidates(shot, labels)
        if not candidates:
            return answer_text(golds[0])
        gold = label_of(golds[0])
        spellings = {**(self.labels or {}), **((self.options and self.options.fields) or {})}
        for candidate in candidates:
            same = next((known for known in spellings.values() if candidate.label in known), (candidate.label,))
            if gold in same:
                return candidate.text
        raise AugmentError(
            f"prompt {self.name}: no word for label '{gold}'; it has {', '.join(one.label for one in candidates)}"
        )


def answer_text(value: object) -> str:
    """A right answer as the text to write: of several the first, of an annotated one its segment.

    >>> answer_text([{"label": "passage", "offset": 0, "length": 5, "segment": "Мехмо"}])
    'Мехмо'

    Raises:
        AugmentError: there is no answer.
    """
    text = next(iter(answer_texts(value)), None)
    if text is None:
        raise AugmentError("the right answer is empty")
    return text


def _numbered(name: str, numbers: Sequence[int]) -> str:
    """The name with the numbers of an entry in its `[]`, from the left."""
    for number in numbers[: name.count("[]")]:
        name = name.replace("[]", f"[{number}]", 1)
    return name


def _own_values(template: Template, held: Any, field: str) -> dict[str, str]:  # noqa: ANN401  (any JSON value)
    """The values for a row's own template; one place and one value that are left over belong together."""
    source = held if isinstance(held, Mapping) else {field: held}
    names = [name for name in dict.fromkeys(template.names) if name != LABEL]
    missing = [name for name in names if not field_paths.has_value(source, name)]
    spare = [name for name in source if name not in names]
    if len(missing) == 1 and len(spare) == 1:
        source = {**source, missing[0]: source[spare[0]]}
    return {name: text_of(source, name) for name in names}
