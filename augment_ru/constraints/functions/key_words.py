"""Protects the word that a task asks about, in every form: the verb of RCB, the ambiguous word of RUSSE."""

from collections.abc import Mapping, Sequence

from augment_ru.constraints.rule_file import Docs, Row
from augment_ru.edits import Span
from augment_ru.language.morphology import lemmas_of
from augment_ru.records.field_paths import strings

_FIELDS = ("verb", "word")


def key_words(record: Row, docs: Docs) -> Mapping[str, Sequence[Span]]:
    """Find the forms of the record's `verb` or `word` in each text: «сказать» → «Он [сказал], что придёт».

    Args:
        record: the row.
        docs: its annotated fields, by name.
    """
    given = [word.split() for name in _FIELDS for word in strings(record.get(name))]
    wanted = frozenset(lemma for words in given if len(words) == 1 for lemma in lemmas_of(words[0].lower()))
    if not wanted:
        return {}
    found = {}
    for name, doc in docs.items():
        words = [word for word in doc.words if not wanted.isdisjoint(lemmas_of(word.text.lower()))]
        found[name] = [Span(word.start, word.stop, "WORD") for word in words]
    return found
