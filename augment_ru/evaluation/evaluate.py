"""The work of `augment-ru evaluate`: rows and models in, an evaluation out."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import golds_of
from augment_ru.evaluation.ask import Contestant
from augment_ru.evaluation.cache import Cache
from augment_ru.evaluation.examples import Model, maker_of, model_of
from augment_ru.evaluation.metrics import Kind, metrics_of, sklearn_metrics
from augment_ru.evaluation.outcomes import Golds
from augment_ru.evaluation.pairs import Pairs, paired, task_of_rows
from augment_ru.evaluation.protocol import EPISODES, SHOTS, Plan, Sitting, demonstrations, sit
from augment_ru.evaluation.report import Evaluation, judge
from augment_ru.evaluation.subpopulations import subpopulations
from augment_ru.formats.read import Rows, read_rows, rows_of
from augment_ru.records import field_paths
from augment_ru.records.task import task as task_of

Given: TypeAlias = str | Path | Iterable[Mapping[str, Any]]
"""Rows: the path of a file, or dictionaries."""

Watch: TypeAlias = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Told of each model and how many questions it is asked; gives what is told of answers."""

Told: TypeAlias = Callable[[Sequence[Sitting]], None]


def _unwatched(name: str, questions: int) -> AbstractContextManager[Callable[[int], None]]:
    del name, questions
    return nullcontext(lambda _: None)


def evaluate(
    perturbed: Given,
    models: Mapping[str, Model | str] | Sequence[str],
    *,
    originals: Given | None = None,
    task: str | None = None,
    text_fields: Sequence[str] = (),
    label_fields: Sequence[str] = (),
    metrics: Sequence[str] = (),
    train: str | Path | None = None,
    shots: Sequence[int] = SHOTS,
    episodes: int = EPISODES,
    by: Sequence[str] = (),
    device: str = "auto",
    options: Mapping[str, Mapping[str, Any]] | None = None,
    seed: int = 42,
    cache: str | Path | None = None,
    watch: Watch = _unwatched,
    told: Told = lambda _: None,
) -> Evaluation:
    """Ask models about original and perturbed rows, and count what the attacks broke.

    Args:
        perturbed: the output of perturb with full metadata, or with the rows of the attack "original"; or any rows, if
            `originals` are given.
        models: specifications as those of `--model`; or names, each with a specification or a function that takes a
            list of `Example` and returns a list of predictions.
        originals: the unperturbed rows, if `perturbed` does not hold them.
        task: the name of the task; by default recognised by the fields of the first row.
        text_fields: the fields that were perturbed, in place of the task's.
        label_fields: the fields of the right answer, in place of the task's.
        metrics: in place of the task's.
        train: a file of rows with right answers: demonstrations, and what `linear` and its like learn from.
        shots: numbers of demonstrations.
        episodes: sets of demonstrations for each number above 0.
        by: fields whose values are told apart in the report, beside the task's own.
        device: auto, cpu or cuda[:N].
        options: options of models, by kind.
        seed: of demonstrations, of the bootstrap, and of models that draw.
        cache: a file of answers; None keeps none.
        watch: shows progress.
        told: told of the answers of each model as it is done.

    Raises:
        AugmentError: rows, names or options are wrong, or a model fails.
    """
    rows = _rows(perturbed, "row")
    found = task_of_rows(rows.rows, task_of(task) if task else None, tuple(text_fields), tuple(label_fields))
    found = replace(found, metrics=tuple(metrics) or found.metrics)
    scored = metrics_of(found.metrics)
    kind = next(iter(scored.values())).kind
    if kind != "answers":
        sklearn_metrics()  # is missed before models are asked, not after
    clean = _rows(originals, "original") if originals is not None else None
    pairs = paired(rows.rows, found, clean.rows if clean else None)
    _check_labels(label_fields, pairs)
    golds: Golds = golds_of([original.values for original in pairs.originals], found, kind)
    learnt = read_rows(str(train)) if train is not None else None
    shown = demonstrations(learnt.values, pairs, kind, seed) if learnt else None
    plan = Plan(pairs, kind, tuple(shots), episodes, shown)
    plan.check()
    cuts = subpopulations([original.values for original in pairs.originals], found, labels=kind == "labels", by=by)
    labels = _labels(golds, learnt, pairs, kind)
    shared = {"seed": seed, **({"train": str(train)} if train is not None else {})}
    contestants = _contestants(models, pairs, labels, device, options or {}, shared)
    kept = Cache(Path(cache)) if cache is not None else None
    sittings: list[Sitting] = []
    try:
        for contestant in contestants:
            with watch(contestant.name, plan.questions(contestant)) as advance:
                said = sit(contestant, plan, kept, advance)
            told(said)
            sittings += said
    finally:
        if kept:
            kept.close()
    about = {
        "data": rows.digest,
        **({"originals": clean.digest} if clean else {}),
        **({"train": learnt.digest} if learnt else {}),
        "shots": ",".join(map(str, plan.shots)),
        "episodes": str(episodes),
    }
    judged = judge(sittings, pairs, golds, kind, seed)
    return Evaluation(pairs, golds, kind, scored, judged, cuts, about, seed)


def _rows(given: Given, name: str) -> Rows:
    return read_rows(str(given)) if isinstance(given, str | Path) else rows_of(given, name)


def _check_labels(fields: Sequence[str], pairs: Pairs) -> None:
    """Nothing, if every field that was named holds a right answer in some original.

    Raises:
        AugmentError: no original has one of them.
    """
    rows = [original.values for original in pairs.originals]
    for name in fields:
        if not any(field_paths.values(values, name) for values in rows):
            there = ", ".join(dict.fromkeys(field for values in rows for field in values))
            raise AugmentError(f"--label-field {name}: no original has this field; the fields are {there}")


def _labels(golds: Golds, learnt: Rows | None, pairs: Pairs, kind: Kind) -> tuple[str, ...] | None:
    """The classes that occur among the right answers, those of the train file included."""
    if kind == "answers":
        return None
    known = [*golds, *(golds_of(learnt.values, pairs.task, kind) if learnt else ())]
    return tuple(sorted({label for gold in known for label in _flat(gold)}))


def _flat(gold: Any) -> Iterator[str]:  # noqa: ANN401  (texts, nested in tuples)
    """The labels of a right answer, however deep."""
    if isinstance(gold, str):
        yield gold
    elif gold is not None:
        for one in gold:
            yield from _flat(one)


def check_models(models: Mapping[str, Model | str] | Sequence[str], options: Mapping[str, Any]) -> None:
    """Nothing, if the models can be made as far as can be told before there are rows.

    Raises:
        AugmentError: there is none, two are the same, a kind does not exist, or an option is for none of them.
    """
    if not models:
        raise AugmentError("no model; name one with --model (augment-ru list models)")
    if isinstance(models, str) or (not isinstance(models, Mapping) and len(set(models)) < len(models)):
        raise AugmentError("--model: each must be another one")
    specs = [one for one in (models.values() if isinstance(models, Mapping) else models) if isinstance(one, str)]
    for spec in specs:
        maker_of(spec)
    kinds = {spec.partition(":")[0] for spec in specs}
    for kind in options:
        if kind not in kinds:
            there = ", ".join(sorted(kinds)) or "functions alone"
            raise AugmentError(f"--model-option {kind}.…: no model of this kind; there are {there}")


def _contestants(  # noqa: PLR0917  (passed on as they are)
    models: Mapping[str, Model | str] | Sequence[str],
    pairs: Pairs,
    labels: tuple[str, ...] | None,
    device: str,
    options: Mapping[str, Mapping[str, Any]],
    shared: Mapping[str, Any],
) -> list[Contestant]:
    """The models, made.

    Raises:
        AugmentError: there is none, two have one name, or an option is for no model.
    """
    check_models(models, options)
    named = models if isinstance(models, Mapping) else {spec: spec for spec in models}
    found: list[Contestant] = []
    for name, one in named.items():
        if isinstance(one, str):
            mine = {**shared, **options.get(one.partition(":")[0], {})}
            made = model_of(one, task=pairs.task, labels=labels, device=device, options=mine)
            found.append(Contestant(name, made))
        else:
            found.append(Contestant(name, one))
    return found
