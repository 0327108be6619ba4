"""Write and check the edit log: the edits that made each row of a test file, and digests that show later changes.

Line i of `edits.jsonl` is the entry of line i of `test.jsonl`. The entry of an original row holds its protected spans;
the entry of a perturbed row holds its status and its edits. Every entry has a digest of its row (`line`) and a digest
of the entry itself (`digest`), so that `verify` names the file and the row of a changed byte.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Annotated, Any, Literal

import msgspec

from augment_ru.adversary.adversary import Finding
from augment_ru.edits import Edit, Span, shared_start
from augment_ru.engine.result import NO_SPANS, Outcome, Result, Settings
from augment_ru.errors import AugmentError, saying_instead
from augment_ru.evaluation.pairs import OF_SEARCHES
from augment_ru.formats.json_lines import encoded, parsed
from augment_ru.records.options import comparable, made_equal, questions_of, reordered
from augment_ru.records.record import Record, option_markers
from augment_ru.release.manifest import MOST
from augment_ru.release.original_rows import PERTURBATION, with_perturbation
from augment_ru.script import Script
from augment_ru.strict_tables import typed
from augment_ru.text.batch import OPTION

_SETTINGS = Settings("replay", 0, "none", None)
_DIGEST = ',"digest":"'
_HEX = 16
Entry = Mapping[str, Any]
"""A line of the edit log (what it says about one test row of a release); docs/release.md lists its keys."""

_Count = Annotated[int, msgspec.Meta(ge=0)]
_Score = Annotated[float, msgspec.Meta(ge=-MOST, le=MOST)] | None
_Places = dict[str, list[tuple[int, int, str]]]
"""Maps a field to a list of [start, stop, text]."""


class _Part(msgspec.Struct, forbid_unknown_fields=True):
    """An object in the edit log whose attributes are its keys; unknown keys are refused."""


class _Line(_Part):
    row: int
    perturbation: str
    line: str
    digest: str


class _Original(_Line):
    status: Literal["original"]
    protected: _Places


class _Search(_Part):
    status: str
    prediction: Any
    queries: _Count
    broken_at: int | None
    budget: _Count
    changes: _Count
    minimal: bool
    attacks: dict[str, list[Any]]
    reason: Any = None
    breaks: list[str] = []
    confirmed: dict[str, float | None] | None = None

    def __post_init__(self) -> None:
        is_broken = self.status == "broken"
        if self.queries > self.budget:
            raise ValueError(f"'queries' is {self.queries}; the budget is {self.budget}")
        if is_broken == (self.broken_at is None) or is_broken != (self.changes > 0):
            raise ValueError(f"'status' is {self.status!r}, with {self.changes} changes at query {self.broken_at}")


class _Perturbed(_Line):
    status: Literal["perturbed", "unchanged", "rejected"]
    probability: _Score
    similarity: _Score
    candidate: Any
    edits: _Places
    order: list[_Count] = []
    notes: dict[str, Any] = {}
    protected: _Places = {}
    search: _Search | None = None

    def __post_init__(self) -> None:
        if self.search and OF_SEARCHES.get(self.search.status, self.search.status) != self.status:
            raise ValueError(f"'status' is {self.status!r}; that of its search is {self.search.status!r}")
        if not self.search and self.status == "perturbed" and self.probability is None:
            raise ValueError("'probability' is null; it must be a number")


def line_digest(line: str | bytes) -> str:
    """Return a 64-bit BLAKE2b digest of a line of a file, in hexadecimal digits."""
    return blake2b(line if isinstance(line, bytes) else line.encode(), digest_size=_HEX // 2).hexdigest()


def original_entry(row: int, name: str, line: str, protected: Mapping[str, Sequence[Any]]) -> str:
    """Return what the edit log says about an original row, as a line of JSON.

    The edit log is a file of a release with an entry for each test row.

    Args:
        row: the row's number in the input file, from 0.
        name: the value of the row's field `perturbation`.
        line: the row as it is written in the release.
        protected: the spans that attacks must not touch, by field.
    """
    held = {"row": row, PERTURBATION: name, "status": "original", "protected": protected, "line": line_digest(line)}
    return _with_digest(held)


def result_entry(
    row: int,
    name: str,
    line: str,
    result: Result | Finding,
    protected: Mapping[str, Sequence[Any]],
    *,
    breaks: Sequence[str] = (),
) -> str:
    """Return what the edit log says about a row that an attack or a search made, as a line of JSON.

    The edit log is a file of a release with an entry for each test row. The entry states the status of the row
    (perturbed, rejected or unchanged) and its edits.

    Args:
        row: the index of the original row from which the row was made, from 0.
        name: the value of the row's field `perturbation`.
        line: the row as it is written in the release.
        result: the result of the attack or the search.
        protected: the protected spans of the original row. The spans that the attack protected are written only if they
            differ from these: an attack that may replace wrong options does not protect them.
        breaks: for a row of a search, the other searches whose models it breaks, too, by name.
    """
    if isinstance(result, Finding):
        state: dict[str, Any] = {"status": OF_SEARCHES.get(result.status, result.status), "probability": None}
        state |= {"similarity": result.similarity, "candidate": None}
        state["search"] = result.search() | {"attacks": result.made_by()} | ({"breaks": breaks} if breaks else {})
    else:
        state = {key: getattr(result, key) for key in ("status", "probability", "similarity", "candidate")}
    own = {field: placed(result.protected.get(field, ())) for field in result.scripts}
    entry = {
        "row": row,
        PERTURBATION: name,
        **state,
        "edits": {field: list(script.triples) for field, script in result.scripts.items()},
        **({"order": list(result.order)} if result.order else {}),
        **result.notes(),
        **({} if own == protected else {"protected": own}),
        "line": line_digest(line),
    }
    return _with_digest(entry)


def placed(spans: Iterable[Span]) -> list[list[Any]]:
    """Return protected spans in the form of the edit log: [start, stop, label] for each."""
    return [[span.start, span.stop, span.label] for span in spans]


def _with_digest(values: Mapping[str, Any]) -> str:
    body = encoded(values)
    return f'{body[:-1]}{_DIGEST}{line_digest(body)}"}}'


def read_entry(line: bytes) -> Entry:
    """Read a line of the edit log: what it says about one test row of a release.

    Raises:
        AugmentError: the line does not match its digest, or is not an entry.
    """
    body, mark, rest = line.rpartition(_DIGEST.encode())
    if not mark or rest != f'{line_digest(body + b"}")}"}}'.encode():
        raise AugmentError("was changed: its digest does not match")
    values = parsed(line)[1]
    kind = _Original if values.get("status") == "original" else _Perturbed
    typed("is not an entry of the edit log", values, kind)
    return values


def replayed_line(original: Record, name: str, entry: Entry) -> str:
    """Make a perturbed row again: apply the edits that the edit log states for it to its original row.

    The row is returned as a line of JSON, with the value `name` in its field `perturbation`.

    Args:
        original: the original row.
        name: the name of the attack or search that made the row.
        entry: what the edit log says about the row.

    Raises:
        AugmentError: the edits, or the order of the options, do not fit the row.
    """
    texts, edits, order = original.texts(), entry["edits"], tuple(entry.get("order", ()))
    if edits.keys() != texts.keys():
        raise AugmentError(f"has edits of {', '.join(edits) or 'nothing'}; the task perturbs {', '.join(texts)}")
    scripts = {field: Script(text, (Edit(*edit) for edit in edits[field])) for field, text in texts.items()}
    if order:
        with saying_instead(lambda error: f"has an order that does not fit: {error}", ValueError):
            moved = reordered(original, order).edits
        if any(scripts[field].edits != tuple(moved.get(field, ())) for field in scripts):
            raise AugmentError("has other edits than the order of its options asks for")
    is_new = order or any(script.edits for script in scripts.values())
    outcome = Outcome("perturbed" if is_new else "unchanged", order=order)
    return with_perturbation(Result.of(original, scripts, NO_SPANS, outcome, _SETTINGS).line("none"), name)


def protection_problem(
    original: Record, entry: Entry, protected: Mapping[str, Sequence[Any]], exchanges: frozenset[str] = frozenset()
) -> str | None:
    """Check that an attack or search has not touched the protected spans of a row; return a message, or None.

    The entry of the perturbed row in the edit log must list the protected spans of the original row, and no edit may
    touch a listed span. The message is about the first span that is not listed or is touched.

    Args:
        original: the original row.
        entry: the entry of the perturbed row. It need not list the text of a wrong option, but must list the option's
            marker, such as «(A)». If options are permuted, it need not list spans that move with an option.
        protected: the protected spans of the original row, by field.
        exchanges: the labels of the spans that the attack may replace, such as names. These spans need not be listed,
            unless the right answers of the task depend on who is named (`Layout.named`).
    """
    exchanges = frozenset() if original.task.layout.named else exchanges
    edits, own = entry["edits"], entry.get("protected", protected)
    for field, spans in protected.items():
        kept = [tuple(span) for span in own.get(field, ())]
        for start, stop, label in spans:
            if (
                (start, stop, label) not in kept
                and label not in exchanges
                and not (label == OPTION and any(span[0] == start and span[2] == OPTION for span in kept))
                and not (entry.get("order") and any(at < stop and start < end for at, end, _ in edits.get(field, ())))
            ):
                return f"does not protect the {label} at {start} of '{field}', as its original row does"
    for field, spans in own.items():
        script = Script(original.text(field), (Edit(*edit) for edit in edits.get(field, ())))
        for start, stop, label in spans:
            span = Span(start, stop, label)
            if script.map(span) is None:
                return f"an edit of '{field}' touches the protected {label} '{span.of(script.source)}' at {start}"
    return None


def row_problem(original: Record, expected: str, row: Record) -> str | None:
    """Check that a perturbed row is its original row with the edits applied.

    Return a message about the first difference; None if there is none.

    Args:
        original: the original row.
        expected: the original row with the edits applied, as a line of JSON.
        row: the perturbed row in the release.
    """
    if row.line != expected and (problem := _field_problem(original, parsed(expected.encode())[1], row)):
        return problem
    try:
        row.anchors()
    except AugmentError as error:
        return str(error)
    for field in original.task.layout.options:
        if field in row.values:
            texts = (original.text(field), row.text(field))
            ours, theirs = ([span.of(text) for span in option_markers(text)] for text in texts)
            if ours != theirs:
                return f"'{field}' has the options {' '.join(theirs)}; the original row has {' '.join(ours)}"
    return None if row.line == expected else "has other white space or escapes than its edits make"


def option_problem(original: Record, row: Record, entry: Entry) -> str | None:
    """Check that options that differ in the original row also differ in the perturbed row.

    Return a message about the first two that became equal; None if there are none. Permuted options are not checked,
    since they are those of the original row.

    Args:
        original: the original row.
        row: the perturbed row.
        entry: what the edit log says about the perturbed row.
    """
    for ours, theirs in () if entry.get("order") else zip(questions_of(original), questions_of(row), strict=False):
        forms = [[comparable(option.text) for option in options] for options in (ours, theirs)]
        if len(ours) == len(theirs) and (pairs := made_equal(*forms)):
            one, other = (theirs[number] for number in pairs[0])
            equal = f"{one.name} and {other.name} are equal, {_cut(one.text.strip(), 0)!r}"
            return f"the options {equal}; in the original row they differ"
    return None


def _field_problem(original: Record, expected: Mapping[str, Any], row: Record) -> str | None:
    """Return a message about the first field without the expected value; None if all fields have it."""
    if list(expected) != list(row.values):
        return f"has the fields {', '.join(row.values)}; the original row has {', '.join(expected)}"
    for field, value in expected.items():
        if row.values[field] != value:
            kind = "label" if field in original.task.scoring.gold else "field"
            return f"{kind} '{field}' is not what the original and its edits make: {_shown(row.values[field], value)}"
    return None


def _shown(found: object, expected: object) -> str:
    """Return a text that shows two values. Of long values it shows only the part where the difference starts."""
    left, right = (value if isinstance(value, str) else repr(value) for value in (found, expected))
    at = max(shared_start(left, right) - 10, 0)
    return f"{_cut(left, at)!r}, not {_cut(right, at)!r}"


def _cut(text: str, at: int) -> str:
    return f"{'…' if at else ''}{text[at : at + 40]}{'…' if at + 40 < len(text) else ''}"
