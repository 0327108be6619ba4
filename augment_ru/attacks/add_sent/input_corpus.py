"""The corpus of the rows of a run: the sentences and options of all its records, separated by label."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import chain

import orjson

from augment_ru.attacks.add_sent.corpus import Corpus, Lowest, is_option, statements
from augment_ru.records.record import Record, judged_fields, label_of_record, options_in

_MOST_LABELS = 100
_ROWS_PER_LABEL = 2
"""The least mean number of rows for each right answer; if there are fewer, right answers are not taken for labels."""
_NOTHING = Corpus((), ())


@dataclass(frozen=True)
class InputCorpus:
    """The sentences and options (offered answers) of the rows of a run, by label, to add to others.

    Attributes:
        parts: maps a label to the sentences and options of its rows; "" stands for rows without a label.
        labelled: whether rows are kept apart by their labels; if not, `parts` has one entry, "", with the texts of all
            rows.
    """

    parts: Mapping[str, Corpus]
    labelled: bool

    @classmethod
    def of(cls, records: Iterable[Record]) -> "InputCorpus":
        """Collect the statements and the options in the texts of records; their order does not matter.

        The texts are kept apart by the labels of the records if there are few labels with enough records each.
        """
        rows: Counter[str] = Counter()
        found: dict[str, tuple[Lowest, Lowest]] = {}
        for record in records:
            label = label_of_record(record)
            rows[label] += 1
            _collect(record, *found.setdefault(label if len(rows) <= _MOST_LABELS else "", (Lowest(), Lowest())))
        corpora = {label: Corpus(one.texts, other.texts) for label, (one, other) in sorted(found.items())}
        if len(rows) <= _MOST_LABELS and rows.total() >= _ROWS_PER_LABEL * len(rows):
            return cls(corpora, labelled=True)
        every = corpora.values()
        whole = Corpus.of(chain(*(one.sentences for one in every)), chain(*(one.options for one in every)))
        return cls({"": whole}, labelled=False)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all labels with their sentences and options, in hexadecimal digits."""
        return sha256(orjson.dumps({label: part.digest for label, part in self.parts.items()})).hexdigest()

    def for_label(self, label: str) -> Corpus:
        """Return the sentences and options of the rows with this label; an empty corpus if no row has it.

        If rows are not kept apart by labels, the sentences and options of all rows are returned.
        """
        return self.parts.get(label if self.labelled else "", _NOTHING)


def _collect(record: Record, sentences: Lowest, options: Lowest) -> None:
    """Add the statements in the texts of a record, and their options."""
    judged = judged_fields(record)
    for name in record.fields:
        if name in judged:
            continue  # it may be false, and after another record's text it would be stated as a fact
        text = record.text(name)
        stop = len(text)
        if name in record.task.layout.options and (found := options_in(text)):
            stop = found[0][0].start
            options.add(filter(is_option, (option.of(text) for _, option in found)))
        sentences.add(statements(text[:stop]))
