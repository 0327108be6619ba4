"""The evaluation itself: from rows and models to an `Evaluation`."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from augment_ru.errors import AugmentError, amount
from augment_ru.evaluation.answers import check_labels_shared, golds_of, labels_among
from augment_ru.evaluation.cache import Cache
from augment_ru.evaluation.evaluation import Evaluation
from augment_ru.evaluation.examples import Model, ModelRequest, PredictFunction, example_of, maker_of, model_of
from augment_ru.evaluation.flipping import WANTED, Wanted, flipping_edits
from augment_ru.evaluation.intervals import scipy_stats
from augment_ru.evaluation.loading import TEST, RowsOrFile, loaded
from augment_ru.evaluation.metrics import Kind, metrics_of, over_classes, sklearn_metrics
from augment_ru.evaluation.named_model import NamedModel
from augment_ru.evaluation.pairs import Pairs
from augment_ru.evaluation.protocol import EPISODES, SHOTS, EvaluationPlan, ModelRun, demonstrations, run_model
from augment_ru.evaluation.rates import evaluated_runs
from augment_ru.evaluation.subpopulations import subpopulations
from augment_ru.evaluation.verdicts import read_verdicts, with_verdicts
from augment_ru.formats.encodings import UTF8
from augment_ru.formats.read import read_rows
from augment_ru.options import integer
from augment_ru.records import field_paths

_log = logging.getLogger(__name__)

Models: TypeAlias = Mapping[str, Model | PredictFunction | str] | Sequence[str]
"""Specifications as for `--model`; or names, each with a specification or a function."""

Progress: TypeAlias = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""A progress hook: called with a model's name and its number of questions; returns a context manager, whose value is a
function to call with the number of questions that are answered."""

DoneHook: TypeAlias = Callable[[Sequence[ModelRun]], None]
"""A hook that is called with the runs of each model when all its questions are answered."""


def _no_progress(name: str, questions: int) -> AbstractContextManager[Callable[[int], None]]:
    del name, questions
    return nullcontext(lambda _: None)


def evaluate(
    perturbed: RowsOrFile,
    models: Models,
    *,
    originals: RowsOrFile | None = None,
    task: str | None = None,
    text_fields: Sequence[str] = (),
    label_fields: Sequence[str] = (),
    metrics: Sequence[str] = (),
    train: str | Path | None = None,
    shots: Sequence[int] | None = SHOTS,
    episodes: int = EPISODES,
    by: Sequence[str] = (),
    device: str = "auto",
    options: Mapping[str, Mapping[str, Any]] | None = None,
    seed: int = 42,
    cache: str | Path | None = None,
    title: str | None = None,
    date: str | None = None,
    flipping: Wanted = "auto",
    verdicts: str | Path | None = None,
    input_format: str | None = None,
    encoding: str = UTF8,
    progress: Progress = _no_progress,
    on_model_done: DoneHook = lambda _: None,
) -> Evaluation:
    """Ask models about original and perturbed rows, and count the right predictions that the attacks break.

    Args:
        perturbed: the output of perturb, with full metadata or with the rows of the attack "original"; the test file of
            a task in a release, or its folder; or any rows, if `originals` are given.
        models: specifications as for `--model`; or names, each with a specification or a function that takes a list of
            `Example` and returns a list of predictions.
        originals: the unperturbed rows, if `perturbed` does not hold them.
        task: the name of the task; by default it is recognised by the fields of the first row.
        text_fields: the perturbed fields, in place of the task's.
        label_fields: the fields of the right answer, in place of the task's.
        metrics: the metrics, in place of the task's.
        train: a file of rows with right answers: demonstrations, and the training data of `linear` and similar models;
            by default, the train rows of the release.
        shots: the numbers of demonstrations; None for as many as the benchmark of the task shows.
        episodes: the number of sets of demonstrations for each number above 0.
        by: fields that split the report into subpopulations, beside the task's own.
        device: auto, cpu or cuda[:N].
        options: options of models, by kind.
        seed: the seed of demonstrations, of the bootstrap, and of models that draw.
        cache: the file of the cache of answers; None or "none" for no cache.
        title: the title of the report.
        date: the date that the report states; None for none.
        flipping: of which models the page marks the edits that flip an answer, which takes further questions: `auto`
            of those that are faster than the cache, `all`, or `none`.
        verdicts: a file of human verdicts (`augment-ru verdicts import`): every rate is then also counted over the rows
            that are valid.
        input_format: the format of the file `perturbed`, as the end of a file's name without its dot; None goes by the
            name.
        encoding: the encoding of files of rows that are not in UTF-8: perturbed rows, originals, train rows.
        progress: the progress hook.
        on_model_done: the hook that is called with the runs of each model.

    Raises:
        AugmentError: rows, names or options are wrong, a model fails, or an extra is missing.
    """
    check_models(models, options or {})
    scope = loaded(
        perturbed,
        originals,
        task=task,
        text_fields=text_fields,
        label_fields=label_fields,
        input_format=input_format,
        encoding=encoding,
    )
    train = scope.train if train is None else train
    schema = scope.pairs.task.changed(metrics=tuple(metrics)) if metrics else scope.pairs.task
    scored = metrics_of(schema.scoring.metrics)
    kind = next(iter(scored.values())).kind
    pairs = replace(scope.pairs, task=schema)
    if verdicts is not None:
        pairs = with_verdicts(pairs, read_verdicts(str(verdicts)))
    if flipping not in WANTED:
        raise AugmentError(f"flipping={flipping!r}: must be one of {', '.join(WANTED)}")
    _check_extras(kind, len(models), len(pairs.attacks))
    _check_labels(label_fields, pairs)
    golds = golds_of([original.values for original in pairs.originals], schema, kind)
    train_rows = read_rows(str(train), encoding=encoding) if train is not None else None
    numbers = (schema.benchmark.shots,) if shots is None else _numbers(shots)
    shown = demonstrations(train_rows.values, pairs, kind, seed) if train_rows and any(numbers) else None
    plan = EvaluationPlan(pairs, kind, numbers, episodes, shown)
    plan.check()
    found = subpopulations([original.values for original in pairs.originals], schema, labels=kind == "labels", by=by)
    shown_golds = golds_of(train_rows.values, pairs.task, kind) if train_rows else []
    check_labels_shared(f"--train {train}", labels_among(shown_golds, kind) or (), labels_among(golds, kind))
    labels = labels_among([*golds, *shown_golds], kind)
    scored = over_classes(scored, labels) if schema.scoring.every_class and labels else scored
    train_file = str(train) if train is not None else None
    request = ModelRequest("", pairs.task, labels, device, None, encoding, train_file, seed)
    named = _named_models(models, request, options or {})
    _warn_of_learned(named, pairs)
    answers = None if cache in {None, "none"} else Cache(Path(cache))
    runs: list[ModelRun] = []
    try:
        for model in named:
            with progress(model.name, plan.questions(model)) as advance:
                own = run_model(model, plan, answers, advance)
            on_model_done(own)
            runs += own
        judged = evaluated_runs(runs, pairs, golds, kind, seed)
        flips = flipping_edits(judged, named, plan, golds, answers, flipping)
    finally:
        if answers:
            answers.close()
    settings = {
        "data": scope.digest,
        **({"originals": scope.digest_of_originals} if scope.digest_of_originals else {}),
        **({"train": train_rows.digest} if train_rows else {}),
        **({"verdicts": Path(verdicts).name} if verdicts is not None else {}),
        "shots": ",".join(map(str, plan.shots)),
        "episodes": str(episodes),
    }
    name = _name_of(perturbed)
    return Evaluation(pairs, golds, kind, scored, judged, found, settings, seed, title, name, date, flips, scope.specs)


def _numbers(shots: Any) -> tuple[int, ...]:  # noqa: ANN401  (whatever a user gives)
    """Numbers of demonstrations; whether they are possible is the plan's business.

    Raises:
        AugmentError: they are no list of integers.
    """
    if isinstance(shots, str) or not isinstance(shots, Iterable):
        raise AugmentError(f"shots={shots!r}: must be a list of integers, such as (0, 4)")
    return tuple(integer("shots", number) for number in shots)


def _name_of(perturbed: RowsOrFile) -> str | None:
    """The name of a file of rows without its folder; of a task in a release that of its folder; None without a file."""
    if not isinstance(perturbed, str | Path):
        return None
    path = Path(perturbed)
    if str(perturbed) == "-":
        return "stdin"
    return path.resolve().parent.name if path.name == TEST else path.resolve().name


def _check_extras(kind: Kind, models: int, attacks: int) -> None:
    """Nothing, if the packages that the report needs are installed: better before models are asked than after.

    Raises:
        AugmentError: one is not.
    """
    if kind != "answers":
        sklearn_metrics()
    if models > 1 or attacks > 1:
        scipy_stats()


def _check_labels(fields: Sequence[str], pairs: Pairs) -> None:
    """Nothing, if each of these fields is in some original.

    Raises:
        AugmentError: one is in none.
    """
    rows = [original.values for original in pairs.originals]
    for name in fields:
        if not any(field_paths.values(values, name) for values in rows):
            there = ", ".join(dict.fromkeys(field for values in rows for field in values))
            raise AugmentError(f"--label-field {name}: no original has this field; the fields are {there}")


def check_models(models: Models, options: Mapping[str, Any]) -> None:
    """Nothing, if the names and kinds of the models are right.

    Raises:
        AugmentError: there is no model, two are the same, a kind does not exist, or an option fits none of them.
    """
    if isinstance(models, str) or callable(models):
        raise AugmentError(
            "models: must be a list, such as ['majority'], or names with models, such as {'mine': model}"
        )
    if not models:
        raise AugmentError("no model; name one with --model; augment-ru list models shows them")
    if not isinstance(models, Mapping) and len(set(models)) < len(models):
        raise AugmentError("--model: each must be another one")
    values = models.values() if isinstance(models, Mapping) else models
    specs = [model for model in values if isinstance(model, str)]
    for spec in specs:
        maker_of(spec)
    kinds = {spec.partition(":")[0] for spec in specs}
    for kind in options:
        if kind not in kinds:
            there = ", ".join(sorted(kinds)) or "functions alone"
            raise AugmentError(f"--model-option {kind}.…: no model of this kind; there are {there}")


def _named_models(models: Models, request: ModelRequest, options: Mapping[str, Mapping[str, Any]]) -> list[NamedModel]:
    """The models under their names; those of specifications are made here.

    Args:
        models: the models.
        request: what every model is made from.
        options: further options, by kind of model.

    Raises:
        AugmentError: there is no model, two are the same, an option fits none, or a model cannot be made.
    """
    given = models if isinstance(models, Mapping) else {spec: spec for spec in models}
    named: list[NamedModel] = []
    for name, model in given.items():
        if isinstance(model, str):
            model = model_of(model, request, options.get(model.partition(":")[0]))  # noqa: PLW2901
        named.append(NamedModel.of(name, model))
    return named


def _warn_of_learned(models: Sequence[NamedModel], pairs: Pairs) -> None:
    """Log a warning for each model that was trained on texts that it is asked about."""
    for model in models:
        if not model.learned:
            continue
        if seen := sum(example_of(original.values, pairs.task).text in model.learned for original in pairs.originals):
            rows = amount(len(pairs.originals), "original")
            _log.warning(
                "%s: was trained on %s of the %s, so its rates say little of new texts; train it on other rows",
                model.name, f"{seen:,}", rows,
            )  # fmt: skip
