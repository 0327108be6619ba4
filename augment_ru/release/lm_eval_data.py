"""What the task files beside this module read: the rows of the release, the parts of their prompts, the scores.

Part of a release made by augment-ru. lm-evaluation-harness loads this module by its path; it needs `datasets` and the
two modules of augment-ru that the release holds beside it, nothing else.
"""

import json
import re
from collections.abc import Mapping, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any


def _module_beside(name: str) -> Any:  # noqa: ANN401  (a module)
    """The module of this name in this folder; `import` does not find it, for the harness imports no folder."""
    spec = spec_from_file_location(f"{__name__}.{name}", Path(__file__).with_name(f"{name}.py"))
    if spec is None or spec.loader is None:
        raise ImportError(f"{name}.py is missing beside {__file__}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if TYPE_CHECKING or __name__.startswith("augment_ru."):
    from augment_ru.evaluation import answer_scores
    from augment_ru.records import answers
else:
    answer_scores, answers = _module_beside("answer_scores"), _module_beside("answers")

_FOLDER = Path(__file__).resolve().parent.parent
_LETTERS = ("ABCDEFGHIJ", "АБВГДЕЖЗИК")
_LOOKALIKES = str.maketrans("АВСЕН", "ABCEH")


def load_rows(
    *,
    folder: str,
    perturbation: str,
    columns: Mapping[str, Mapping[str, Any]],
    answer: str,
    choices: Mapping[str, Any] | None = None,
    separator: str | None = None,
    episode: int = 0,
    **_: Any,  # noqa: ANN401  (the harness adds its own settings)
) -> Any:  # noqa: ANN401  (a datasets.DatasetDict)
    """The test rows of a perturbation, and the demonstrations of an episode in their order.

    Args:
        folder: the task's folder in the release.
        perturbation: the perturbation whose test rows are read.
        columns: the parts of the prompt, name to the arguments of `_column`.
        answer: the path of the right answer.
        choices: the arguments of `_choices`; None if the answer is generated.
        separator: what stands between several right answers in one text.
        episode: the number of the set of demonstrations; 0 for none.

    Raises:
        ValueError: no train row is in the episode, or an answer is none of its choices.
    """
    import datasets  # noqa: PLC0415  (the harness brings it)

    test = [row for row in _read(folder, "test") if row["perturbation"] == perturbation]
    train = [row for row in _read(folder, "train") for number in row["episode"] if number == episode]
    if episode and not train:
        raise ValueError(f"{folder}: no train row is in episode {episode}")
    made = {
        split: [_doc(row, columns, answer, choices, separator) for row in own]
        for split, own in (("test", test), ("train", train))
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
    row: Mapping[str, Any],
    columns: Mapping[str, Mapping[str, Any]],
    answer: str,
    choices: Mapping[str, Any] | None,
    separator: str | None = None,
) -> dict[str, Any]:
    doc: dict[str, Any] = {name: _column(row, **column) for name, column in columns.items()}
    right = _value(row, answer)
    if choices is None:
        return doc | {"answers": answers.answer_texts(right, separator) or [""]}
    labels, texts = _choices(row, **choices)
    if answers.label_of(right) not in labels:
        raise ValueError(f"the answer {right!r} is none of {', '.join(labels)}")
    return doc | {"choices": texts, "target": labels.index(answers.label_of(right))}


def _column(
    row: Mapping[str, Any],
    paths: Sequence[str],
    words: Mapping[str, str] | None = None,
    *,
    before_options: bool = False,
) -> str:
    """The text that fills a placeholder of the prompt.

    Args:
        row: the row.
        paths: the paths of its fields; several get a line each, with the field's name; missing ones are left out.
        words: what stands for each value in the prompt.
        before_options: whether the options at the end of the text are left out.
    """
    given = {path: _value(row, path) for path in paths if _has(row, path)}
    texts = {path: value if isinstance(value, str) else answers.label_of(value) for path, value in given.items()}
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
    """The labels of the answers to choose from, and their texts.

    Args:
        row: the row.
        words: pairs of a label and its text, the same for all rows.
        inside: the path of a text that holds options with markers «(A)», «(B)», …; their labels are A, B, ….
        fields: pairs of a label and the path of its text.
        texts: the path of a list of texts that are their own labels.
        tail: what is put behind each text.
    """
    pairs = [(label, word) for label, word in words]
    pairs += [(label, answers.label_of(_value(row, path))) for label, path in fields]
    if inside:
        text = answers.label_of(_value(row, inside))
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


def _has(row: Mapping[str, Any], path: str) -> bool:
    try:
        _value(row, path)
    except (KeyError, IndexError, TypeError, ValueError):
        return False
    return True


def score_answer(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """The token F1 and the exact match of a generated answer, each with the best of the right answers."""
    golds, prediction = doc["answers"], results[0]
    return {
        "f1": answer_scores.best_token_f1(golds, prediction),
        "exact_match": float(answer_scores.same_answer(golds, prediction)),
    }
