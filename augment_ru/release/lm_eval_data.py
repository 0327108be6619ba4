"""Read the rows of the release, prepare them for prompts, and score answers, for the task files in this folder.

Part of a release made by augment-ru. lm-evaluation-harness loads this module by its path. The module needs only
`datasets` and four modules of augment-ru that the release holds in the same folder.
"""

import json
import re
from collections.abc import Mapping, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any


def _module_beside(name: str) -> Any:  # noqa: ANN401  (a module)
    """Load the module of this name from this folder; `import` cannot find it, as the folder is not on the path."""
    spec = spec_from_file_location(f"{__name__}.{name}", Path(__file__).with_name(f"{name}.py"))
    if spec is None or spec.loader is None:
        raise ImportError(f"{name}.py is missing beside {__file__}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if TYPE_CHECKING or __name__.startswith("augment_ru."):
    from augment_ru.evaluation import answer_scores
    from augment_ru.records import answers, dialogues, field_paths
else:
    answer_scores, answers, dialogues, field_paths = map(
        _module_beside, ("answer_scores", "answers", "dialogues", "field_paths")
    )

CONTEXT, _GAP, _NUMBERS, _QUESTION = "_context", "_gap", "_numbers", "_question"
"""Fields that are added to a row: its prompt, the white space before the answer, the indices of the entry that is asked
about, and an id of the question to which the entry belongs."""
_PLACE = re.compile(r"\{\{|\}\}|\{([^{}\n]+)\}|[{}]")
_LABEL = "label"

_FOLDER = Path(__file__).resolve().parent.parent
_DIGITS = 4
"""Scores are rounded to this many decimals; if some are then equal, the first wins, as in `augment-ru evaluate`."""


def load_rows(
    *,
    folder: str,
    perturbation: str,
    columns: Mapping[str, Mapping[str, Any]],
    answer: str,
    episode: int = 0,
    asked: Mapping[str, Any] | None = None,
    group: Sequence[str] | None = None,
    **how: Any,  # noqa: ANN401  (the arguments of `_doc`, and settings that the harness adds)
) -> Any:  # noqa: ANN401  (a datasets.DatasetDict)
    """Return the test rows of a perturbation, and the demonstrations of an episode in the order of the train file.

    Args:
        folder: the task's folder in the release.
        perturbation: the attack or search whose test rows are read, or the name of the task to read the originals.
        columns: maps the name of each part of the prompt to the arguments of `_column`.
        answer: the path of the right answer.
        episode: the number of the set of demonstrations; 0 for no demonstrations.
        asked: the arguments of `_asked`, which prepares the rows; None if rows need no preparation.
        group: a path and a value: only rows that have this value at the path are read; None to read all rows.
        how: `choices`, `separator`, `norms` and `normal_form`, as in `_doc`; other settings are ignored.

    Raises:
        ValueError: no train row is in the episode, or the answer of a row is not one of its choices.
    """
    import datasets  # noqa: PLC0415  (the harness brings it)

    test = [row for row in _read(folder, "test") if row["perturbation"] == perturbation]
    read = _read(folder, "train")
    train = [row for row in read for number in row["episode"] if number == episode]
    if group:
        test, train = (
            [row for row in rows if answers.label_of(_value(row, group[0])) == group[1]] for rows in (test, train)
        )
    if asked:
        test, train = (
            _asked(test, has_shots=bool(train) and not how.get("norms"), **asked),
            _asked(train, is_shown=True, **asked),
        )
    if episode and read and not train:
        raise ValueError(f"{folder}: no train row is in episode {episode}")
    given = {name: how[name] for name in ("choices", "separator", "norms", "normal_form") if name in how}
    made = {
        split: [_doc(row, columns, answer, is_shown=split == "train", **given) for row in own]
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


def _asked(
    rows: Sequence[Mapping[str, Any]],
    *,
    each: str | None = None,
    own: Mapping[str, str] | None = None,
    later: Sequence[str] = (),
    dialogue: Mapping[str, Any] | None = None,
    is_shown: bool = False,
    has_shots: bool = False,
) -> list[dict[str, Any]]:
    """Return the rows with the fields that their prompts need.

    Args:
        rows: the rows of one variation, or the demonstrations of an episode.
        each: the path of entries that are asked about one by one; None if a row is asked about as a whole.
        own: maps `template` to the field with the row's own template, and `values` to the field with the values that
            fill it. None if rows have no templates.
        later: how a row is shown after a demonstration, without the instruction: a template; or the text before its
            fields, the paths of these fields, and the text after them. Needed if `own` is given.
        dialogue: the arguments of `dialogues.with_contexts`; None for rows that are not dialogues.
        is_shown: whether the rows are demonstrations.
        has_shots: whether each row is asked about after demonstrations.
    """
    found = list(map(dict, dialogues.with_contexts(rows, field_paths, **dialogue) if dialogue else rows))
    if each:
        found = _by_entry(found, each, first=is_shown)
    if own:
        is_first = [not has_shots and (not is_shown or at == 0) for at in range(len(found))]
        found = [
            _with_context(row, **own, is_shown=is_shown) if first else _later(row, *later)
            for row, first in zip(found, is_first, strict=True)
        ]
    return found


def _by_entry(rows: Sequence[Mapping[str, Any]], each: str, *, first: bool) -> list[dict[str, Any]]:
    """Return a copy of the row for each entry at the path `each`, with the entry's indices; `first` keeps only one."""
    found = []
    for at, row in enumerate(rows):
        numbers = [own for own in field_paths.entries(row, each) if min(own) >= 0][: 1 if first else None]
        found += [{**row, _NUMBERS: own, _QUESTION: str((at, *own[:-1]))} for own in numbers]
    return found


def _with_context(
    row: Mapping[str, Any], template: str, values: str, *, first: str | None = None, is_shown: bool = False
) -> dict[str, Any]:
    """Return the row with its prompt, filled from the template and the values that the row holds.

    Args:
        row: the row.
        template: the field of the template.
        values: the field of its values. They fill the placeholders of the same names. If exactly one placeholder and
            one value are left over, that value fills it.
        first: the text that is put after the template of a demonstration. White space around the template of any other
            row is removed; if `first` is "", also around that of a demonstration. None to change no template.
        is_shown: whether the row is a demonstration.

    Raises:
        ValueError: the template has a placeholder without a value, or a brace that is not part of a placeholder.
    """
    text = row[template]
    if first is not None:
        text = text + first if is_shown and first else text.strip()
    held = row[values] if isinstance(row[values], Mapping) else {values: row[values]}
    names = [match[1] for match in _PLACE.finditer(text) if match[1] and match[1] != _LABEL]
    missing = [name for name in dict.fromkeys(names) if not field_paths.has_value(held, name)]
    spare = [name for name in held if name not in names]
    if len(missing) == 1 and len(spare) == 1:
        held = {**held, missing[0]: held[spare[0]]}

    def filled(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}"):
            return match[0][0]
        if match[1] == _LABEL:
            return ""
        if not match[1] or not field_paths.has_value(held, match[1]):
            raise ValueError(f"nothing fits '{match[0]}' in the template '{text}'")
        value = _value(held, match[1])
        return "" if value is None else str(value)

    if not text[-1:].isspace() and "{label}" not in text:
        text += " "
    context = _PLACE.sub(filled, text)
    return {**row, CONTEXT: context.rstrip(), _GAP: context[len(context.rstrip()) :]}


def _later(row: Mapping[str, Any], before: str, paths: Sequence[str] = (), after: str = "") -> dict[str, Any]:
    context = (
        before + _column(row, paths) + after if paths else _PLACE.sub(lambda one: str(_value(row, one[1])), before)
    )
    return {**row, CONTEXT: context.rstrip(), _GAP: context[len(context.rstrip()) :]}


def _doc(
    row: Mapping[str, Any],
    columns: Mapping[str, Mapping[str, Any]],
    answer: str,
    *,
    is_shown: bool,
    choices: Mapping[str, Any] | None = None,
    separator: str | None = None,
    norms: Sequence[str] = (),
    normal_form: str = "russian",
) -> dict[str, Any]:
    """Return what the harness gets for a row: the parts of its prompt, its right answers, and its choices.

    Args:
        row: the row.
        columns: maps the name of each part of the prompt to the arguments of `_column`.
        answer: the path of the right answer.
        is_shown: whether the row is a demonstration.
        choices: the arguments of `_choices`; None if the answer is generated.
        separator: the text that separates right answers within a text; None if a text holds only one answer.
        norms: the norms, if each has its own right label; empty if the row has one right answer.
        normal_form: the form in which written answers are compared.

    Raises:
        ValueError: the answer is not one of the choices.
    """
    numbers = row.get(_NUMBERS, ())
    doc: dict[str, Any] = {name: _column(row, numbers=numbers, **column) for name, column in columns.items()}
    doc["gap"] = gap = row.get(_GAP, "")
    golds = field_paths.values(row, field_paths.numbered(answer, numbers))
    doc["answers"] = answers.answer_texts(golds, separator) or [""]
    doc["normal_form"] = normal_form
    if choices is None:
        return doc
    labels, texts = _choices(row, **choices)
    doc |= {"choices": [gap + text for text in texts], "labels": labels, "target": 0}
    if _QUESTION in row:
        doc["question"] = row[_QUESTION]
    if norms:
        return doc | {"targets": _norm_labels(golds[0] if golds else None, norms)}
    right = [labels.index(one) for one in doc["answers"] if one in labels]
    if not right and (is_shown or "spans" not in choices):
        raise ValueError(f"the answer {', '.join(doc['answers'])!r} is none of {', '.join(labels)}")
    return doc | {"target": right[0] if right else 0}


def _norm_labels(held: Any, norms: Sequence[str]) -> list[str]:  # noqa: ANN401  (JSON values)
    """Return the label of each norm from the right answer of a row.

    `held` is a list of labels in the order of the norms, or an object that maps the beginning of each norm's name to
    its label.
    """
    if isinstance(held, Mapping):
        return [next(answers.label_of(held[key]) for key in held if norm.startswith(key)) for norm in norms]
    return [answers.label_of(one) for one in held]


def _column(
    row: Mapping[str, Any],
    paths: Sequence[str],
    words: Mapping[str, str] | None = None,
    *,
    before_options: bool = False,
    numbers: Sequence[int] = (),
) -> str:
    """Return the text that fills a placeholder of the prompt.

    Args:
        row: the row.
        paths: the paths of the fields; those that the row lacks are left out. If the row has several, each gets a
            line that starts with its name.
        words: maps each value to the word that stands for it in the prompt; None to show the value itself.
        before_options: whether the options at the end of the text are left out.
        numbers: the indices that fill the `[]` of the paths, if an entry of the row is asked about.
    """
    named = [field_paths.numbered(path, numbers) for path in paths]
    given = {path: _value(row, path) for path in named if field_paths.has_value(row, path)}
    texts = {path: value if isinstance(value, str) else answers.label_of(value) for path, value in given.items()}
    titled = len(texts) > 1
    text = "\n".join(f"{path.split('.')[-1]}: {one}" if titled else one for path, one in texts.items())
    if before_options and (markers := answers.marked_options(text)):
        text = text[: markers[0].start()].rstrip()
    return words[text] if words else text


def _choices(
    row: Mapping[str, Any],
    *,
    words: Sequence[Sequence[str]] = (),
    inside: str | None = None,
    fields: Sequence[Sequence[str]] = (),
    texts: str | None = None,
    spans: Sequence[str] = (),
    tail: str = "",
) -> tuple[list[str], list[str]]:
    """Return the labels of the answers to choose from, and the text of each.

    The arguments `words` to `spans` say where they come from.

    Args:
        row: the row.
        words: pairs of a label and its text, the same for all rows.
        inside: the path of a text that holds options with markers «(A)», «(B)», …; their labels are A, B, ….
        fields: pairs of a label and the path of its text.
        texts: the path of a list of texts that are their own labels.
        spans: the path of a list of offsets, and the path of the text that they refer to. Each piece of text that they
            mark is its own label.
        tail: the text that is appended to each answer.
    """
    pairs = [(label, word) for label, word in words]
    pairs += [(label, answers.label_of(_value(row, path))) for label, path in fields]
    if inside:
        text = answers.label_of(_value(row, inside))
        markers = answers.marked_options(text)
        stops = [*(marker.start() for marker in markers[1:]), len(text)]
        pairs = [
            (letter, text[marker.end() : stop].strip())
            for letter, marker, stop in zip(answers.LETTERS, markers, stops, strict=False)
        ]
    if texts:
        pairs = [(text, text) for text in dict.fromkeys(_value(row, texts))]
    if spans:
        places, text = (_value(row, path) for path in spans)
        pairs = [(one, one) for one in answers.texts_of_places(places, answers.label_of(text))]
    return [label for label, _ in pairs], [word + tail for _, word in pairs]


def _value(row: Mapping[str, Any], path: str) -> Any:  # noqa: ANN401  (a JSON value)
    found = list(field_paths.values(row, path))
    if not found:
        raise LookupError(f"no field '{path}' in {row}")
    return found[0]


def score_answer(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """Return the token F1 and the exact match of a generated answer: the highest over the right answers.

    Args:
        doc: the row, as lm-evaluation-harness calls a document.
        results: the generated answer, in a sequence of one.
    """
    golds, prediction, form = doc["answers"], results[0].strip(), doc.get("normal_form", "russian")
    return {
        "f1": answer_scores.best_token_f1(golds, prediction, form),
        "exact_match": float(answer_scores.same_answer(golds, prediction, form)),
    }


def score_span(doc: Mapping[str, Any], results: Sequence[tuple[float, bool]]) -> dict[str, float]:
    """Return the token F1 and the exact match of an answer that was chosen from parts of a text.

    Args:
        doc: the row, as lm-evaluation-harness calls a document.
        results: for each choice its log-likelihood, and whether greedy decoding gives it.
    """
    return score_answer(doc, [_chosen(doc, results)])


def score_norms(doc: Mapping[str, Any], results: Sequence[tuple[float, bool]]) -> dict[str, tuple[str, str]]:
    """Return pairs of labels for the metrics `mcc_0`, `mcc_1`, …, one for each norm in the task's order.

    Each pair is the right label of the norm, and the label of the chosen answer, which is the same for all norms.

    Args:
        doc: the row, as lm-evaluation-harness calls a document.
        results: for each choice its log-likelihood, and whether greedy decoding gives it.
    """
    prediction = _chosen(doc, results)
    return {f"mcc_{number}": (label, prediction) for number, label in enumerate(doc["targets"])}


def score_option(doc: Mapping[str, Any], results: Sequence[tuple[float, bool]]) -> dict[str, tuple[Any, Any]]:
    """Return the pairs that the MuSeRC metrics need for an option.

    F1a needs (right label, chosen label), EM needs (question, whether the chosen label is right).

    Args:
        doc: the row, as lm-evaluation-harness calls a document.
        results: for each choice its log-likelihood, and whether greedy decoding gives it.
    """
    right, prediction = doc["labels"][doc["target"]], _chosen(doc, results)
    return {"muserc_f1a": (right, prediction), "muserc_em": (doc["question"], right == prediction)}


def _chosen(doc: Mapping[str, Any], results: Sequence[tuple[float, bool]]) -> str:
    """Return the label of the likeliest choice."""
    scores = [round(likelihood, _DIGITS) for likelihood, _ in results]
    label: str = doc["labels"][scores.index(max(scores))]
    return label


def __getattr__(name: str) -> Any:  # noqa: ANN401  (a class of the harness, which is imported only where it runs)
    if name != "WrittenAnswers":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from lm_eval.api.task import ConfigurableTask  # noqa: PLC0415

    class WrittenAnswers(ConfigurableTask):  # type: ignore[misc, no-any-unimported, unused-ignore]
        """A task whose answers the model generates; they may be longer after demonstrations (TAPE, section 5.2).

        `metadata.max_gen_toks` holds the limits without and with demonstrations. A limit that the user sets with
        `--gen_kwargs` replaces both.
        """

        def __init__(self, config: Mapping[str, Any]) -> None:
            super().__init__(config={key: value for key, value in config.items() if key != "class"})

        def construct_requests(self, doc: Mapping[str, Any], ctx: str, **kwargs: Any) -> Any:  # noqa: ANN401
            cold, warm = self.config.metadata["max_gen_toks"]
            given = self.config.generation_kwargs
            if self.config.num_fewshot and given.get("max_gen_toks") == cold:
                given["max_gen_toks"] = warm
            return super().construct_requests(doc, ctx, **kwargs)

    return WrittenAnswers
