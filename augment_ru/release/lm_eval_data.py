"""What the task files beside this module read: the rows of the release, their prompts' parts, and the metrics.

Part of a release made by augment-ru; lm-evaluation-harness loads it, and it needs nothing but `datasets`.
"""

import json
import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).resolve().parent.parent
_LETTERS = ("ABCDEFGHIJ", "АБВГДЕЖЗИК")
_LOOKALIKES = str.maketrans("АВСЕН", "ABCEH")


def rows(
    *,
    folder: str,
    perturbation: str,
    columns: Mapping[str, Mapping[str, Any]],
    answer: str,
    choices: Mapping[str, Any] | None = None,
    episode: int = 0,
    **_: Any,  # noqa: ANN401  (what else the harness knows of a run)
) -> Any:  # noqa: ANN401  (a datasets.DatasetDict)
    """The test rows of a perturbation, and the demonstrations of an episode in their order.

    Args:
        folder: the task's folder.
        perturbation: which rows.
        columns: the parts of the prompt: name to the paths of its fields, and what becomes of them.
        answer: the path of the right answer.
        choices: where the answers to choose from stand; None if the answer is generated.
        episode: which demonstrations; 0 has none.
    """
    import datasets  # noqa: PLC0415  (the harness brings it)

    test = [row for row in _read(folder, "test") if row["perturbation"] == perturbation]
    train = [row for row in _read(folder, "train") for number in row["episode"] if number == episode]
    if episode and not train:
        raise ValueError(f"{folder}: no train row is in episode {episode}")
    made = {
        split: [_doc(row, columns, answer, choices) for row in own] for split, own in (("test", test), ("train", train))
    }
    features = datasets.Dataset.from_list(made["test"]).features
    tables = {split: {name: [doc[name] for doc in docs] for name in features} for split, docs in made.items()}
    return datasets.DatasetDict(
        {split: datasets.Dataset.from_dict(table, features=features) for split, table in tables.items()}
    )


def _read(folder: str, split: str) -> list[dict[str, Any]]:
    path = _FOLDER / folder / f"{split}.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def _doc(
    row: Mapping[str, Any], columns: Mapping[str, Mapping[str, Any]], answer: str, choices: Mapping[str, Any] | None
) -> dict[str, Any]:
    doc: dict[str, Any] = {name: _column(row, **column) for name, column in columns.items()}
    right = _value(row, answer)
    if choices is None:
        return doc | {"answers": _answers(right)}
    labels, texts = _choices(row, **choices)
    if _label(right) not in labels:
        raise ValueError(f"the answer {right!r} is none of {', '.join(labels)}")
    return doc | {"choices": texts, "target": labels.index(_label(right))}


def _column(
    row: Mapping[str, Any],
    paths: Sequence[str],
    words: Mapping[str, str] | None = None,
    *,
    before_options: bool = False,
) -> str:
    texts = {path: _label(_value(row, path)) for path in paths}
    titled = len(texts) > 1
    text = "\n".join(f"{path.split('.')[-1]}: {one}" if titled else one for path, one in texts.items())
    if before_options and (markers := _markers(text)):
        text = text[: markers[0].start()].rstrip()
    return words[text] if words else text


def _choices(
    row: Mapping[str, Any],
    *,
    words: Sequence[Sequence[str]] = (),
    inside: str | None = None,
    fields: Sequence[Sequence[str]] = (),
    texts: str | None = None,
    tail: str = "",
) -> tuple[list[str], list[str]]:
    """The labels of a row's answers, and the answers."""
    pairs = [(label, word) for label, word in words] + [(label, _label(_value(row, path))) for label, path in fields]
    if inside:
        text = _label(_value(row, inside))
        markers = _markers(text)
        stops = [*(marker.start() for marker in markers[1:]), len(text)]
        pairs = [
            (letter, text[marker.end() : stop].strip())
            for letter, marker, stop in zip(_LETTERS[0], markers, stops, strict=False)
        ]
    if texts:
        pairs = [(text, text) for text in dict.fromkeys(_value(row, texts))]
    return [label for label, _ in pairs], [word + tail for _, word in pairs]


def _markers(text: str) -> list[re.Match[str]]:
    """The markers «(A)», «(B)», … of the options: the last run from A on, the longest of both scripts."""
    found = list(re.finditer(f"[(]([{''.join(_LETTERS)}СН])[)]", text))
    runs = [
        _run(found, [match[1].translate(_LOOKALIKES) for match in found], _LETTERS[0]),
        _run(found, [match[1] for match in found], _LETTERS[1]),
    ]
    return max(runs, key=len)


def _run(found: Sequence[re.Match[str]], letters: Sequence[str], alphabet: str) -> list[re.Match[str]]:
    for first in reversed([at for at, letter in enumerate(letters) if letter == alphabet[0]]):
        run = [first]
        for wanted in alphabet[1:]:
            after = next((at for at in range(run[-1] + 1, len(letters)) if letters[at] == wanted), None)
            if after is None:
                break
            run.append(after)
        if len(run) > 1:
            return [found[at] for at in run]
    return []


def _value(row: Mapping[str, Any], path: str) -> Any:  # noqa: ANN401  (a JSON value)
    if path in row:
        return row[path]
    value: Any = row
    for step in re.findall(r"[^.\[\]]+", path):  # qas[0].query
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def _label(value: object) -> str:
    """A value as text: 1.0 is 1, true is true."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value).strip()


def _answers(value: Any) -> list[str]:  # noqa: ANN401
    """The right answers: a text, or texts or annotated segments in a list."""
    if isinstance(value, Mapping):
        return [str(value[key]) for key in ("segment", "text") if key in value][:1]
    if isinstance(value, list):
        return [text for one in value for text in _answers(one)]
    return [_label(value)]


def scored(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """The F1 of the words and the exact match of a generated answer, with the best of the right ones."""
    said = _words(results[0])
    known = [_words(answer) for answer in doc["answers"]] or [[]]
    return {"f1": max(_f1(said, one) for one in known), "exact_match": float(any(said == one for one in known))}


_MARKS = str.maketrans("", "", string.punctuation + "«»„“”…–—")


def _words(text: str) -> list[str]:
    return text.lower().translate(_MARKS).split()


def _f1(said: Sequence[str], right: Sequence[str]) -> float:
    common = sum((Counter(said) & Counter(right)).values())
    if not said or not right:
        return float(said == right)
    return 2 * common / (len(said) + len(right))


def macro_f1(items: Sequence[tuple[int, int]]) -> float:
    """The mean of the F1 of all classes that are right or were said, from pairs (right, said)."""
    pairs = [
        (int(right), int(said)) for right, said in items
    ]  # the harness gives NumPy's, whose truth values do not add
    scores = []
    for label in sorted({label for pair in pairs for label in pair}):
        hits = sum(right == said == label for right, said in pairs)
        scores.append(2 * hits / sum((right == label) + (said == label) for right, said in pairs))
    return sum(scores) / len(scores) if scores else 0.0
