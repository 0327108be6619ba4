"""The evaluation itself: from rows and models to an `Evaluation`."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from augment_ru.errors import AugmentError, amount
from augment_ru.evaluation.answers import check_labels_shared, golds_of, labels_among
from augment_ru.evaluation.cache import Cache
from augment_ru.evaluation.evaluation import Evaluation
from augment_ru.evaluation.examples import Model, ModelRequest, PredictFunction, example_of, maker_of, model_of
from augment_ru.evaluation.flipping import flipping_edits
from augment_ru.evaluation.intervals import scipy_stats
from augment_ru.evaluation.loading import TEST, loaded
from augment_ru.evaluation.metrics import metrics_of, over_classes
from augment_ru.evaluation.named_model import NamedModel
from augment_ru.evaluation.pairs import Pairs
from augment_ru.evaluation.protocol import (
    EvaluationPlan,
    EvaluationSettings,
    ModelRun,
    RowsOrFile,
    demonstrations,
    run_model,
)
from augment_ru.evaluation.rates import evaluated_runs
from augment_ru.evaluation.subpopulations import no_field, subpopulations
from augment_ru.evaluation.verdicts import read_verdicts, with_verdicts
from augment_ru.formats.read import read_rows
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
    settings: EvaluationSettings | None = None,
    *,
    progress: Progress = _no_progress,
    on_model_done: DoneHook = lambda _: None,
    **changes: Any,  # noqa: ANN401  (values of the settings)
) -> Evaluation:
    """Ask models about original and perturbed rows, and count the right predictions that the attacks break.

    Args:
        perturbed: the output of perturb, with full metadata or with the rows of the attack "original"; the test file of
            a task in a release, or its folder; or any rows, if the settings name the originals.
        models: specifications as for `--model`; or names, each with a specification or a function that takes a list of
            `Example` and returns a list of predictions.
        settings: what is done with them; None for the defaults.
        progress: the progress hook.
        on_model_done: the hook that is called with the runs of each model.
        changes: settings by name, instead of those in `settings`: `evaluate(rows, models, shots=(0, 4))`.

    Raises:
        AugmentError: rows, names or settings are wrong, a model fails, or an extra is missing.
    """
    settings = replace(settings or EvaluationSettings(), **changes)
    check_models(models, settings.options)
    scope = loaded(perturbed, settings)
    train = scope.train if settings.train is None else settings.train
    task = scope.pairs.task.changed(metrics=tuple(settings.metrics)) if settings.metrics else scope.pairs.task
    scored = metrics_of(task.scoring.metrics)
    kind = next(iter(scored.values())).kind
    pairs = replace(scope.pairs, task=task)
    if settings.verdicts is not None:
        pairs = with_verdicts(pairs, read_verdicts(str(settings.verdicts)))
    if max(len(models), len(pairs.attacks)) > 1:
        scipy_stats()  # better missed before models are asked than after
    originals = [original.values for original in pairs.originals]
    for name in settings.label_fields:
        if not any(field_paths.values(values, name) for values in originals):
            raise no_field(f"`label_fields` {name}: no original has this field", originals)
    golds = golds_of(originals, task, kind)
    train_rows = read_rows(str(train), encoding=settings.encoding) if train is not None else None
    shots = (task.benchmark.shots,) if settings.shots is None else settings.shots
    shown = demonstrations(train_rows.values, pairs, kind, settings.seed) if train_rows and any(shots) else None
    plan = EvaluationPlan(pairs, kind, shots, settings.episodes, shown)
    plan.check()
    found = subpopulations(originals, task, labels=kind == "labels", by=settings.by)
    shown_golds = golds_of(train_rows.values, task, kind) if train_rows else []
    check_labels_shared(f"`train` {train}", labels_among(shown_golds, kind) or (), labels_among(golds, kind))
    labels = labels_among([*golds, *shown_golds], kind)
    scored = over_classes(scored, labels) if task.scoring.every_class and labels else scored
    train_file = str(train) if train is not None else None
    request = ModelRequest("", task, labels, settings.device, None, settings.encoding, train_file, settings.seed)
    named = _named_models(models, request, settings.options)
    _warn_of_learned(named, pairs)
    answers = None if settings.cache in {None, "none"} else Cache(Path(settings.cache))
    runs: list[ModelRun] = []
    try:
        for model in named:
            with progress(model.name, plan.questions(model)) as advance:
                own = run_model(model, plan, answers, advance)
            on_model_done(own)
            runs += own
        judged = evaluated_runs(runs, pairs, golds, kind, settings.seed)
        flips = flipping_edits(judged, named, plan, golds, answers, settings.flipping)
    finally:
        if answers:
            answers.close()
    defining = {
        "data": scope.digest,
        **({"originals": scope.digest_of_originals} if scope.digest_of_originals else {}),
        **({"train": train_rows.digest} if train_rows else {}),
        **({"verdicts": Path(settings.verdicts).name} if settings.verdicts is not None else {}),
        "shots": ",".join(map(str, shots)),
        "episodes": str(settings.episodes),
    }
    return Evaluation(
        pairs, golds, kind, scored, judged, found, settings, defining, _name_of(perturbed), flips, scope.specs
    )


def _name_of(perturbed: RowsOrFile) -> str | None:
    """The name of a file of rows without its folder; of a task in a release that of its folder; None without a file."""
    if not isinstance(perturbed, str | Path):
        return None
    path = Path(perturbed)
    if str(perturbed) == "-":
        return "stdin"
    return path.resolve().parent.name if path.name == TEST else path.resolve().name


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
        raise AugmentError("no model; name one with `models`; augment-ru list models shows them")
    if not isinstance(models, Mapping) and len(set(models)) < len(models):
        raise AugmentError("`models`: each must be another one")
    values = models.values() if isinstance(models, Mapping) else models
    specs = [model for model in values if isinstance(model, str)]
    for spec in specs:
        maker_of(spec)
    kinds = {spec.partition(":")[0] for spec in specs}
    for kind in options:
        if kind not in kinds:
            there = ", ".join(sorted(kinds)) or "functions alone"
            raise AugmentError(f"`model_options` {kind}.…: no model of this kind; there are {there}")


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
