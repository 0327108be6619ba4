"""What was done to each row of a test file, line by line: enough to replay it, and to see that nobody changed it.

Line i of `edits.jsonl` belongs to line i of `test.jsonl`. An original row's line names what is protected in
it; a perturbed row's line, what became of it and the edits. Both hold a digest of their row (`line`) and one
of themselves (`digest`), so that a changed byte is found with its place.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from augment_ru.edits import Edit, Script, Span
from augment_ru.engine.result import NO_SPANS, Outcome, Result, Settings
from augment_ru.errors import AugmentError
from augment_ru.formats.json_lines import encoded, parsed
from augment_ru.records.record import Record, option_markers
from augment_ru.release.sources import PERTURBATION, with_perturbation
from augment_ru.text.batch import OPTION

_SETTINGS = Settings("replay", 0, "none", None)
_DIGEST = ',"digest":"'
_HEX = 16

Evidence = Mapping[str, Any]


def digest(line: str | bytes) -> str:
    """64 bits of BLAKE2b of a line, in hexadecimal digits."""
    return blake2b(line if isinstance(line, bytes) else line.encode(), digest_size=_HEX // 2).hexdigest()


def of_original(row: int, name: str, line: str, protected: Mapping[str, Sequence[Any]]) -> str:
    """The evidence of an original row: what no attack may touch in it, by field."""
    return _signed({"row": row, PERTURBATION: name, "status": "original", "protected": protected, "line": digest(line)})


def of_result(row: int, name: str, line: str, result: Result, protected: Mapping[str, Sequence[Any]]) -> str:
    """The evidence of a row that an attack was let loose on.

    `protected` is what its original says; where the attack is free to more (wrong options), its own is written.
    """
    own = spans_of(result)
    return _signed(
        {
            "row": row,
            PERTURBATION: name,
            "status": result.status,
            "probability": result.probability,
            "similarity": result.similarity,
            "candidate": result.candidate,
            "edits": {
                field: [[edit.start, edit.stop, edit.text] for edit in script.edits]
                for field, script in result.scripts.items()
            },
            **({} if own == protected else {"protected": own}),
            "line": digest(line),
        }
    )


def spans_of(result: Result) -> dict[str, list[list[Any]]]:
    """What the attack of a result may not touch, by field."""
    return {
        field: [[span.start, span.stop, span.label] for span in result.protected.get(field, ())]
        for field in result.scripts
    }


def _signed(values: Mapping[str, Any]) -> str:
    body = encoded(values)
    return f'{body[:-1]}{_DIGEST}{digest(body)}"}}'


def signed(line: bytes) -> Evidence:
    """The evidence in a line, if it is what was written.

    Raises:
        AugmentError: it is not.
    """
    body, mark, rest = line.rpartition(_DIGEST.encode())
    if not mark or rest != f'{digest(body + b"}")}"}}'.encode():
        raise AugmentError("was changed: its digest is another")
    values = parsed(line)[1]
    if not _shaped(values):
        raise AugmentError("is no evidence of a row: a key is missing, not known, or holds something else")
    return values


_COMMON = {"row", PERTURBATION, "status", "line", "digest"}
_STATUSES = ("perturbed", "unchanged", "rejected")


def _shaped(values: Evidence) -> bool:
    """Whether it has the keys of evidence, and they hold what they may."""
    keys = values.keys() - {"protected"}
    if values.get("status") == "original":
        return keys == _COMMON and _spans(values.get("protected"), (int, int, str))
    return (
        keys == _COMMON | {"probability", "similarity", "candidate", "edits"}
        and values["status"] in _STATUSES
        and all(isinstance(values[key], float | int | None) for key in ("probability", "similarity"))
        and _spans(values["edits"], (int, int, str))
        and _spans(values.get("protected", {}), (int, int, str))
    )


def _spans(value: object, kinds: tuple[type, ...]) -> bool:
    """Whether it is a table of lists of lists of such values."""
    return isinstance(value, Mapping) and all(
        isinstance(entries, list)
        and all(
            isinstance(entry, list) and len(entry) == len(kinds) and all(map(isinstance, entry, kinds))
            for entry in entries
        )
        for entries in value.values()
    )


def replayed(original: Record, name: str, edits: Mapping[str, Sequence[Any]]) -> str:
    """The line that the edits make of an original row.

    Raises:
        AugmentError: the edits do not fit its texts.
    """
    texts = original.texts()
    if edits.keys() != texts.keys():
        raise AugmentError(f"edits of {', '.join(edits) or 'nothing'}; the task perturbs {', '.join(texts)}")
    scripts = {field: Script(text, (Edit(*edit) for edit in edits[field])) for field, text in texts.items()}
    outcome = Outcome("perturbed" if any(script.edits for script in scripts.values()) else "unchanged")
    return with_perturbation(Result(original, scripts, NO_SPANS, outcome, _SETTINGS).line("none"), name)


def broken(original: Record, proof: Evidence, protected: Mapping[str, Sequence[Any]]) -> str | None:
    """The first protected span that an edit touches, as a complaint; None if all are whole.

    Args:
        original: the original row.
        proof: the evidence of the perturbed row, which may free wrong options, but not their markers.
        protected: what the evidence of the original row says.
    """
    edits, own = proof["edits"], proof.get("protected", protected)
    for field, spans in protected.items():
        kept = [tuple(span) for span in own.get(field, ())]
        for start, stop, label in spans:
            if (start, stop, label) not in kept and not (
                label == OPTION and any(span[0] == start and span[2] == OPTION for span in kept)
            ):
                return f"frees the protected {label} at {start} of '{field}'"
    for field, spans in own.items():
        script = Script(original.text(field), (Edit(*edit) for edit in edits.get(field, ())))
        for start, stop, label in spans:
            span = Span(start, stop, label)
            if script.map(span) is None:
                return f"an edit of '{field}' touches the protected {label} '{span.of(script.source)}' at {start}"
    return None


def unlike(original: Record, expected: str, row: Record) -> str | None:
    """What a perturbed row has that its original and the edits do not give it, as a complaint; None if nothing.

    Args:
        original: the original row.
        expected: the line that the edits make of it.
        row: what stands in the release.
    """
    wanted = parsed(expected.encode())[1]
    if list(wanted) != list(row.values):
        return f"has the fields {', '.join(row.values)}; the original row has {', '.join(wanted)}"
    for field, value in wanted.items():
        if row.values[field] != value:
            kind = "label" if field in original.task.gold else "field"
            return f"{kind} '{field}' is not what the original and its edits make: {_shown(row.values[field], value)}"
    try:
        row.anchors()
    except AugmentError as error:
        return str(error)
    for field in original.task.options:
        if field in wanted:
            ours, theirs = (
                [span.of(one.text(field)) for span in option_markers(one.text(field))] for one in (original, row)
            )
            if ours != theirs:
                return f"'{field}' has the options {' '.join(theirs)}; the original row has {' '.join(ours)}"
    return None if row.line == expected else "is written otherwise than its edits make it"


def _shown(found: object, wanted: object) -> str:
    """Two values, or the place where two long texts part."""
    left, right = (value if isinstance(value, str) else repr(value) for value in (found, wanted))
    at = next((at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    at = max(at - 10, 0)
    return f"{_cut(left, at)!r}, not {_cut(right, at)!r}"


def _cut(text: str, at: int) -> str:
    return f"{'…' if at else ''}{text[at : at + 40]}{'…' if at + 40 < len(text) else ''}"
