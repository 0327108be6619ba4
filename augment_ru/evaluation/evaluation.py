"""Evaluate models on rows: ask all models, judge their answers, and compute the report.

The same answers give the same report, byte for byte.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from augment_ru.errors import AugmentError, amount, saying_instead
from augment_ru.evaluation import answers, entries, examples, protocol, rates, tables
from augment_ru.evaluation.defences import Defence, defence_report
from augment_ru.evaluation.flipping import Flipping, flipping_edits, may_take_back
from augment_ru.evaluation.loading import TEST, Loaded, loaded
from augment_ru.evaluation.paired import RunsInPairs, is_better
from augment_ru.evaluation.pairs import CHOSEN, WORST_ROWS, Pair, Pairs
from augment_ru.evaluation.protocol import EvaluationPlan, EvaluationSettings, ModelRun
from augment_ru.evaluation.report import SIGNED, AttackReport, Data, DefenceReport, ModelReport, Rate, Report, as_json
from augment_ru.evaluation.rewriting import Judges
from augment_ru.evaluation.searches import edits_per_100_words, is_searched, searches
from augment_ru.evaluation.subpopulations import Subpopulation, exchanged_names, no_field, subpopulations
from augment_ru.evaluation.table_text import as_html, as_text
from augment_ru.evaluation.verdicts import read_verdicts, with_verdicts
from augment_ru.formats.read import read_rows
from augment_ru.formats.row import KEY
from augment_ru.records import field_paths
from augment_ru.records.task import Task
from augment_ru.version import __version__, version_of

_OF_CLASSES = ("macro_f1", "mcc")
"""The metrics that give each class the same weight, however many rows it has."""

CORRECT = {
    "labels": "same label",
    "answers": "exact match after normalisation",
    "lists": "every option judged rightly",
    "rankings": "a relevant document among the first",
    "spans": "every span with its label and no other",
    "exercises": "all points",
}


@dataclass(frozen=True)
class Evaluation:
    """The judged answers of all models, from which the report, the page and the predictions are made.

    Attributes:
        pairs: the original and perturbed rows, with their right answers.
        metrics: the metrics, by name.
        judged: every model run (the answers of one model with one number of demonstrations), with its outcomes:
            which answers are kept right, broken, fixed or wrong under each attack.
        subpopulations: the properties (length, label, subject) by which the report divides the originals into groups.
        settings: the settings of the evaluation.
        defining: the rows and settings that define the numbers, by name; the signature states them and the models.
        data: the name of the row file, without its folder; None for rows made in Python.
        flipping: maps a broken row to a smallest set of its edits that still makes the answer wrong, found by asking
            the model again.
        specs: for rows of a release, maps the name of each attack in its rows to the specification of the attack.
        defences: maps the name of each model behind a defence to the defence and the name of the bare model.
        catches: for filters that must catch a label (`settings.catch`): maps the name of each model to the probability
            of this label in each row.
        fresh: the evaluation of the same models on fresh rows, which no model can know; None if there are none.
        learned: the texts that models were trained on.
    """

    pairs: Pairs
    metrics: Mapping[str, answers.Metric]
    judged: Sequence[rates.JudgedRun]
    subpopulations: Sequence[Subpopulation]
    settings: EvaluationSettings
    defining: Mapping[str, str]
    data: str | None = None
    flipping: Flipping = field(default_factory=dict)
    specs: Mapping[str, str] = field(default_factory=dict)
    defences: Mapping[str, tuple[Defence, str]] = field(default_factory=dict)
    catches: Mapping[str, entries.Catches] = field(default_factory=dict)
    fresh: "Evaluation | None" = None
    learned: frozenset[str] = field(default=frozenset(), repr=False)

    def __repr__(self) -> str:
        models = ", ".join(dict.fromkeys(one.run.model for one in self.judged))
        attacks = ", ".join(self.pairs.attacks)
        return f"Evaluation(models: {models}; attacks: {attacks}; originals: {len(self.pairs.originals):,})"

    def _repr_html_(self) -> str:
        """Return the table of rates as HTML, for notebooks; every name is escaped."""
        return as_html(tables.tables_of(self.counted())[0])

    @property
    def signature(self) -> str:
        """Return one line with everything that defines the numbers: rows, models and settings."""
        parts = {
            "asr": "broken/right",
            "correct": CORRECT[self.pairs.kind].replace(" ", "-"),
            "task": self.pairs.task.name,
            "fields": ",".join(self.pairs.task.layout.fields),
            "gold": ",".join(self.pairs.task.scoring.gold),
            "metrics": ",".join(self.metrics),
            **self.defining,
            "seed": str(self.settings.seed),
            "bootstrap": str(rates.RESAMPLES),
            "augment-ru": __version__,
            "scikit-learn": version_of("scikit-learn") if find_spec("sklearn") else "none",
        }
        return "|".join([SIGNED, *(f"{name}={value}" for name, value in parts.items())])

    def report(self) -> dict[str, Any]:
        """Return the report as JSON values; its keys are explained in docs/evaluation.md."""
        found: dict[str, Any] = as_json(self.counted())
        return found

    def counted(self) -> Report:
        """Return the report as a `Report`, with typed attributes; it is computed once and kept."""
        return self._counted

    @cached_property
    def _counted(self) -> Report:
        task, pairs, majority = self.pairs.task, self.pairs, self._majority()
        in_pairs = RunsInPairs(self.judged, self.settings.seed)
        beats = [self._beats(judged, majority) for judged in self.judged]
        best = in_pairs.best(beats)
        return Report(
            signature=self.signature,
            title=self.settings.title,
            date=self.settings.date,
            data=Data(self.data, self.defining["data"]),
            task=task.name,
            protocol=self.settings.protocol or next(iter(task.benchmark.protocols), None),
            fields=task.layout.fields,
            gold=task.scoring.gold,
            metrics=list(self.metrics),
            correct=CORRECT[pairs.kind],
            originals=len(pairs.originals),
            originals_without_gold=sum(None in gold for gold in pairs.golds),
            attacks=list(pairs.attacks),
            specs=self.specs or None,
            majority=majority,
            models=[self._model(*one) for one in zip(self.judged, beats, best, strict=True)],
            comparisons=in_pairs.comparisons() if pairs.attacks else [],
            prompts=entries.prompts_report(self.judged, self.settings.seed) or None,
            searches=searches(pairs, self.learned) or None,
            worst_of=entries.chosen_from(pairs.attacks[WORST_ROWS]) if WORST_ROWS in pairs.attacks else None,
            rows=rates.row_keys(pairs),
            original_rows=None if pairs.attacks else rates.original_keys(pairs),
        )

    def _majority(self) -> dict[str, float]:
        """Return the score of each metric if every row got the most frequent answer; empty if there is none."""
        if self.pairs.kind not in {"labels", "answers"}:
            return {}
        found = rates.scores(self.metrics, self.pairs, [self._constant()])
        return {name: score.value for name, score in found.items()}

    def _constant(self) -> list[answers.Answer]:
        """Return the answers of a model that gives the most frequent right answer to every original."""
        golds = self.pairs.golds
        return [tuple(answers.most_frequent(column) for column in zip(*golds, strict=True))] * len(golds)

    def _beats(self, judged: rates.JudgedRun, majority: Mapping[str, float]) -> bool:
        """Tell whether a model is clearly better than the most frequent answer.

        Its main metric must be higher, and a test must show that more of its decisions are right. If the main metric is
        macro F1 or MCC, which weigh classes alike, the test compares the mean recall of the classes instead. The result
        is True if `majority` lacks the main metric.
        """
        metric = next(iter(self.metrics))
        if metric not in majority:
            return True
        run, pairs = judged.run, self.pairs
        if rates.scores(self.metrics, pairs, run.originals)[metric].value <= majority[metric]:
            return False
        constant = replace(run, originals=[self._constant()])
        right, other = (rates.outcomes_of(one, pairs) for one in (run, constant))
        golds = [[None if gold is None else str(gold) for gold in row] for row in pairs.golds]
        labels = np.array(golds, object).T[:, None]
        classes = [np.ones_like(other.known)]
        if metric in _OF_CLASSES:
            classes = [labels == label for label in sorted({one for one in labels.flat if one is not None})]
        return is_better(right, other, classes, self.settings.seed)

    def _model(self, judged: rates.JudgedRun, beats_majority: bool, best: Sequence[str]) -> ModelReport:  # noqa: FBT001  (of zip)
        run, pairs, catch, seed = judged.run, self.pairs, self.settings.catch, self.settings.seed
        scores = self.catches.get(run.model)
        attacks = {attack: self._attack(judged, attack) for attack in pairs.attacks}
        return ModelReport(
            model=run.model,
            signature=run.signature,
            prompt=run.prompt.prompt if run.prompt else None,
            shots=run.shots,
            episodes=run.episodes,
            deterministic=run.deterministic,
            defence=self._defence(judged),
            catch=None if catch is None else entries.catch_report(catch, judged, pairs, scores, seed),
            same_text_flips=entries.same_text_flips(run, pairs, seed) if run.repeats else None,
            beats_majority=beats_majority,
            best=best,
            metrics=rates.scores(self.metrics, pairs, run.originals),
            unread=entries.unread_report(judged, ""),
            worst_case=judged.rate("", rates.WORST) if attacks else None,
            worst_case_asr=judged.rate("", rates.WORST_ASR) if attacks else None,
            consistency=judged.rate("", rates.CONSISTENCY) if attacks else None,
            asr_mean=rates.mean_asr({attack: one.rate for attack, one in attacks.items()}),
            attacks=attacks,
            outcomes=None if attacks else rates.outcomes_of(run, pairs).letters,
        )

    @cached_property
    def _edits_per_100_words(self) -> Mapping[str, float | None]:
        return edits_per_100_words(self.pairs)

    @cached_property
    def _quartiles(self) -> Mapping[str, entries.Quartiles]:
        """The quartiles of each attack; rows that were chosen because they break would distort them, and have none."""
        own = {attack: rows for attack, rows in self.pairs.attacks.items() if attack != WORST_ROWS}
        return {one: entries.quartiles_of(rows) for one, rows in own.items() if not any(map(is_searched, rows))}

    def _attack(self, judged: rates.JudgedRun, attack: str) -> AttackReport:
        """Return the report's entry on what an attack does to a model."""
        run, outcomes, pairs, seed = judged.run, judged.outcomes[attack], self.pairs, self.settings.seed
        rows, quartiles = pairs.attacks[attack], self._quartiles.get(attack)
        fresh = self.fresh.counted() if self.fresh else None
        status = Counter(pair.status for pair in rows)
        perturbed = outcomes.right & rates.flags_of(pair.status == "perturbed" for pair in rows)
        labels = {name: rates.success_rate(outcomes, at) for at, name in enumerate(pairs.task.scoring.decided)}
        return AttackReport(
            rate=judged.success(attack),
            unchanged=status["unchanged"],
            rejected=status["rejected"],
            rows=len(rows),
            decisions=int(outcomes.known.sum()),
            asr_perturbed_rows=judged.rate(attack, "asr_perturbed_rows", int(perturbed.sum())),
            asr_all_rows=judged.rate(attack, "asr_all_rows"),
            flips=int(outcomes.flipped.sum()),
            flip_rate=judged.rate(attack, "flip_rate"),
            performance_drop_rate=judged.drop_rate(attack),
            flips_above_noise=entries.flips_above_noise(run, pairs, attack, seed) if run.repeats else None,
            asr_above_noise=entries.above_noise(judged, pairs, attack, seed) if run.repeats else None,
            metrics=rates.changed_scores(self.metrics, pairs, run, attack),
            valid_rows=entries.valid_rows_report(judged, attack, rows),
            labels=labels if len(labels) > 1 else None,
            unread=entries.unread_report(judged, attack),
            option_order=entries.option_order_report(judged, pairs, attack),
            spans=entries.spans_report(judged, attack),
            contamination=None if quartiles is None else entries.contamination_report(judged, attack, pairs, fresh),
            edits_per_100_words=self._edits_per_100_words[attack],
            subpopulations={
                one.name: entries.group_cells(one, self.metrics, pairs, judged, attack) for one in self.subpopulations
            },
            strength={
                by: [entries.cell_of_rows(outcomes, inside, name, **ends) for inside, name, ends in cells]
                for by, cells in (quartiles or {}).items()
            },
            outcomes=outcomes.letters,
        )

    def _defence(self, judged: rates.JudgedRun) -> DefenceReport | None:
        """Return how many right answers the defence of a run costs and recovers; None for a bare model."""
        if judged.run.model not in self.defences:
            return None
        defence, name = self.defences[judged.run.model]
        (bare,) = (one for one in self.judged if (one.run.model, one.run.shots) == (name, judged.run.shots))
        changed = self._changed[defence.name]
        return defence_report(defence.name, bare, judged, self.pairs, changed=changed, seed=self.settings.seed)

    @cached_property
    def _changed(self) -> Mapping[str, Mapping[str, Rate]]:
        return {one.name: one.changed(self.pairs) for one, _ in self.defences.values()}

    def failures(self, *, point: bool = False) -> list[str]:
        """Return a sentence for each number that does not meet its requirement, such as `asr(people) <= 5`.

        The requirements are those of the settings (`require`).

        Args:
            point: True to judge the numbers themselves; False to judge the end of each 95 % interval that is nearer to
                failing (the upper end for <=).
        """
        report, found = self.counted(), list[str]()
        for one in map(entries.Requirement.of, self.settings.require):
            for judged, model in zip(self.judged, report.models, strict=True):
                metric = partial(entries.metric_of, self.metrics, self.pairs, judged.run, seed=self.settings.seed)
                for name, known in one.of_model(model, metric):
                    problem = one.problem(known, point=point)
                    shots = "" if model.shots is None else f" ({model.shots}-shot)"
                    found += [f"{model.model}{shots}: {name} {problem} ({one.text})"] if problem else []
        return found

    def to_frame(self) -> Any:  # noqa: ANN401  (pandas is no dependency)
        """Return the numbers of the report as a pandas DataFrame, with a row for each model and attack.

        Raises:
            AugmentError: pandas is not installed.
        """
        with saying_instead("to_frame needs pandas; pip install pandas", ImportError):
            import pandas as pd  # noqa: PLC0415  (a package of the user's)
        return pd.DataFrame(tables.numbers(self.counted()))

    def to_markdown(self) -> str:
        """Return the tables of the report that `augment-ru evaluate` prints by default, in markdown."""
        parts = [f"{table.title}\n\n{as_text(table, 'markdown')}" for table in tables.tables_of(self.counted())]
        return "\n".join(parts)

    def submission(self) -> dict[str, Any] | list[dict[str, Any]]:
        """Return the answers to the originals as the benchmark of the task wants them submitted.

        For the benchmark MERA the result is one JSON object with the answers to all originals. For Russian SuperGLUE it
        is a list of objects sorted by `idx`: one for each original, which is one line of the submission file. Such an
        object holds `idx` and `label`; for MuSeRC it holds `idx` and a label for each answer option of the passage.

        Raises:
            AugmentError: the task is of neither benchmark, a row has no id, or there are several models, numbers of
                shots, or sets of demonstrations.
        """
        first = self.judged[0].run
        return _submitted(self.pairs, first.originals[0], len(self.judged), first.episodes)

    def predictions(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each answer to a perturbed row; if there are no attacks, for each answer to an original.

        A model answers once for each number of demonstrations and each set of them (episode). A row (a dictionary)
        holds the model, shots, episode, attack, id, right answer, both predictions, the status of the perturbed row and
        the outcome: all that is needed to count the report again.
        """
        task = self.pairs.task
        for judged in self.judged:
            run = judged.run
            for episode in range(run.episodes):
                if not self.pairs.attacks:
                    yield from (self._row(run, episode, None, at) for at in range(len(self.pairs.originals)))
                for attack, pairs in self.pairs.attacks.items():
                    letters = [label[episode] for label in judged.outcomes[attack].letters]
                    for row, pair in enumerate(pairs):
                        prediction = answers.prediction_json(run.attacks[attack][episode][row], task)
                        outcome = answers.by_field([rates.OUTCOMES[of_rows[row]] for of_rows in letters], task)
                        yield self._row(run, episode, attack, pair.original, (prediction, pair.status, outcome))

    def _row(
        self, run: ModelRun, episode: int, attack: str | None, original: int, after: Sequence[Any] = (None, None, None)
    ) -> dict[str, Any]:
        """Return a row of predictions.

        Args:
            run: the model run.
            episode: the index of the episode.
            attack: the name of the attack; None for an original.
            original: the index of the original.
            after: the prediction for the perturbed row, the row's status, and its outcome; all None for an original.
        """
        task = self.pairs.task
        return {
            "model": run.model,
            "shots": run.shots,
            "episode": episode,
            "attack": attack,
            "id": self.pairs.originals[original].id,
            "gold": answers.by_field(self.pairs.golds[original], task),
            "original_prediction": answers.prediction_json(run.originals[episode][original], task),
            **dict(zip(("prediction", "status", "outcome"), after, strict=True)),
        }

    def worst_case(self) -> Iterator[dict[str, Any]]:
        """Yield for each original, in order, the perturbed row that breaks the most decisions.

        A decision is one prediction of one model with one set of demonstrations; it is broken if it is right on the
        original and wrong on the perturbed row. If several rows break equally many, the one most similar to its
        original is taken. If several are equally similar, the one whose attack comes first is taken. If no row of an
        original breaks a decision, its most similar row is taken.

        These rows are chosen because they break decisions, so a success rate over them is too high. Therefore each row
        lists the attacks and models it was chosen from, and `evaluate` counts these rows as an attack of their own.
        """
        best: dict[int, tuple[tuple[int, float], Pair]] = {}
        for attack, rows in self.pairs.attacks.items():
            broken = sum(judged.outcomes[attack].broken.sum(axis=(0, 1)) for judged in self.judged)
            for pair, count in zip(rows, np.broadcast_to(broken, len(rows)).tolist(), strict=True):
                strength = (count, 1.0 if pair.similarity is None else pair.similarity)
                if pair.original not in best or strength > best[pair.original][0]:
                    best[pair.original] = (strength, pair)
        models = list(dict.fromkeys(judged.run.model for judged in self.judged))
        chosen = {CHOSEN: {"attacks": list(self.pairs.attacks), "models": models}}
        for original in sorted(best):
            pair = best[original][1]
            yield {**pair.values, KEY: {"attack": pair.attack, **pair.metadata, **chosen}}  # noqa: PD011  (a row has values, too)


def _submitted(
    pairs: Pairs, given: Sequence[answers.Answer], models: int, sets: int
) -> dict[str, Any] | list[dict[str, Any]]:
    """Return a submission (`Evaluation.submission`).

    Args:
        pairs: the rows.
        given: the answer to each original.
        models: the number of models, or of numbers of shots; more than one is an error.
        sets: the number of sets of demonstrations; more than one is an error.
    """
    task = pairs.task
    if not (task.benchmark.protocols or task.layout.id == "idx") or models > 1 or sets > 1:
        raise AugmentError(
            "`submission`: needs a task of MERA or Russian SuperGLUE, one model, and one set of demonstrations; "
            f"got {task.name}, {amount(models, 'model')}, {amount(sets, 'set')}"
        )
    if not task.benchmark.protocols:
        own = zip(pairs.originals, given, strict=True)
        lines = [_submitted_line(row.values, answer, pairs.kind) for row, (answer, *_) in own]
        return sorted(lines, key=lambda line: (len(str(line["idx"])), str(line["idx"])))  # 9 before 10
    norms, dialogue, rows = task.scoring.norms, task.layout.dialogue, []
    for original, (answer, *_) in zip(pairs.originals, given, strict=True):
        names = (dialogue.id, dialogue.turn) if dialogue else ("meta.id",)
        meta = {name.removeprefix("meta."): field_paths.value(original.values, name) for name in names}
        if None in meta.values():
            raise AugmentError(f"`submission`: a row has no {' or '.join(names)}")
        number = answer if answer in {"0", "1"} else "-1"  # the scorer of norms refuses what is no number
        rows.append({"outputs": dict.fromkeys(norms, number) if norms else answer, "meta": meta})
    return {"data": {"test": rows}}


def _submitted_line(row: Mapping[str, Any], answer: Any, kind: answers.Kind) -> dict[str, Any]:  # noqa: ANN401  (of the kind)
    """Return a line of a submission to Russian SuperGLUE as an object; its labels are booleans, integers or texts.

    Raises:
        AugmentError: the row has no `idx`.
    """
    if "idx" not in row:
        raise AugmentError("`submission`: a row has no idx")
    if kind != "lists":
        return {"idx": row["idx"], "label": _typed(answer) if kind == "labels" else answer}
    labels, questions = iter(answer), list[dict[str, Any]]()
    for asked in row["passage"]["questions"]:
        own = [{"idx": one["idx"], "label": _typed(next(labels, "0"))} for one in asked["answers"]]
        questions.append({"idx": asked["idx"], "answers": own})
    return {"idx": row["idx"], "passage": {"questions": questions}}


def _typed(label: str) -> str | int | bool:
    return {"true": True, "false": False}.get(label, int(label) if label.isdecimal() else label)


_log = logging.getLogger(__name__)

_Given: TypeAlias = examples.Model | examples.PredictFunction | str
Models: TypeAlias = Mapping[str, _Given] | Sequence[str]
"""A list of specifications as for `--model`, or a mapping from names to specifications, models or functions."""

Progress: TypeAlias = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""A progress hook, which is called with a model's name and its number of questions and returns a context manager. The
value of the context manager is a function, which is called with the number of newly answered questions."""

DoneHook: TypeAlias = Callable[[Sequence[ModelRun]], None]
"""A function that is called for each model, with its runs (its answers), after all its questions were answered."""


def evaluate(
    perturbed: protocol.RowsOrFile | Loaded,
    models: Models,
    settings: EvaluationSettings | None = None,
    *,
    progress: Progress = lambda *_: nullcontext(lambda _: None),
    on_model_done: DoneHook = lambda _: None,
    **changes: Any,  # noqa: ANN401  (values of the settings)
) -> Evaluation:
    """Ask models about original and perturbed rows, and count the right predictions that the attacks break.

    Args:
        perturbed: the rows, or their file. The file may be the folder or the test file of a task in a release, or an
            output of perturb that has full metadata or holds the originals (rows of the attack "original"). If the
            settings name the originals, any rows will do.
        models: a list of specifications as for `--model`, or a mapping from names to models. In a mapping, a model is a
            specification, or a function that takes a list of `Example` and returns a list of predictions.
        settings: the settings of the evaluation; None for the defaults.
        progress: a function that shows progress. It takes the name of a model and the number of its questions, and
            returns a context manager. The context manager yields a function, which is called with the number of newly
            answered questions.
        on_model_done: a function that is called with the runs of each model (its answers) when the model is done.
        changes: settings by name, which replace those in `settings`: `evaluate(rows, models, shots=(0, 4))`.

    Raises:
        AugmentError: rows, names or settings are wrong, a model fails, or an optional dependency is not installed.
    """
    settings = replace(settings or EvaluationSettings(), **changes)
    given = checked_models(models, settings.options, settings.nearest or "")
    scope = perturbed if isinstance(perturbed, Loaded) else loaded(perturbed, settings)
    train = scope.release.train if settings.train is None else settings.train
    task = scope.pairs.task.scored_by(settings.metrics)
    scored = answers.metrics_of(task.scoring.metrics, task.scoring.normal_form)
    pairs = replace(scope.pairs, task=task)
    if settings.verdicts is not None:
        pairs = with_verdicts(pairs, read_verdicts(str(settings.verdicts)))
    originals = [original.values for original in pairs.originals]  # noqa: PD011  (a row has values)
    _check_labels(settings.label_fields, originals)
    fresh_rows = _fresh_rows(pairs, settings)
    judges = Judges.of(settings.judges, examples.ModelRequest("", task, device=settings.device), pairs.kind)
    scored, pairs = judges.added(scored, pairs.with_golds())
    train_rows = read_rows(str(train), encoding=settings.encoding) if train is not None else None
    shots = (task.benchmark.shots,) if settings.shots is None else settings.shots
    shown = protocol.demonstrations(train_rows.values, pairs, settings.seed) if train_rows and any(shots) else None
    shown = shown and replace(shown, nearest=_nearest(settings, shown, task))
    plan = EvaluationPlan(pairs, shots, settings.episodes, shown, settings.repeats)
    entries.check_catch(settings.catch, pairs)
    for text in settings.require:
        entries.Requirement.of(text).check(tuple(scored), tuple(pairs.attacks), settings.repeats)
    found = [*subpopulations(originals, task, settings.by), *exchanged_names(pairs)]
    shown_golds = answers.golds_of(train_rows.values, task, pairs.kind) if train_rows else []
    learned, labels = (answers.labels_among(one, pairs.kind) for one in (shown_golds, [*pairs.golds, *shown_golds]))
    answers.check_labels_shared(f"`train` {train}", learned or (), answers.labels_among(pairs.golds, pairs.kind))
    scored = answers.over_classes(scored, labels) if task.scoring.every_class and labels else scored
    request = examples.ModelRequest(
        "", task, labels, settings.device, None, settings.encoding, None if train is None else str(train), settings.seed
    )
    asked = _with_prompts(given, task, settings)
    bare_ones = [
        examples.NamedModel.of(name, examples.model_of(model, request, own) if isinstance(model, str) else model)
        for name, model, own, _ in asked
    ]
    _warn_of_learned(bare_ones, pairs)
    protected = [
        (one, bare, one.protect(bare, pairs.kind)) for one in map(Defence.of, settings.defences) for bare in bare_ones
    ]
    named = [*bare_ones, *(model for *_, model in protected)]
    _check_read(plan, settings, named)
    with examples.opened_cache(settings.cache) as cache:
        runs, catches = list[ModelRun](), dict[str, entries.Catches]()
        for model, prompt in zip_longest(named, (prompt for *_, prompt in asked)):
            with progress(model.name, plan.questions(model)) as advance:
                own_runs = protocol.run_model(model, plan, cache, advance, prompt)
            on_model_done(own_runs)
            runs += own_runs
            if settings.catch is not None and (scores := entries.catch_scores(model, plan, settings.catch, cache)):
                catches[model.name] = scores
        judged = rates.evaluated_runs(runs, pairs, settings.seed)
        flips = flipping_edits(judged, named, plan, cache, settings.flipping)
    fresh = fresh_rows and evaluate(
        fresh_rows[0], {one.name: one.predict for one in bare_ones}, fresh_rows[1], train=train
    )
    stated = {
        "nearest": shown and shown.nearest and (shown.nearest.signature or settings.nearest),
        "judges": judges.signature if settings.judges else None,
        "data": scope.digest,
        "fresh": fresh and fresh.defining["data"],
        "originals": scope.digest_of_originals,
        "train": train_rows and train_rows.digest,
        "verdicts": settings.verdicts and Path(settings.verdicts).name,
        "shots": ",".join(map(str, shots)),
        "episodes": str(settings.episodes),
        "repeats": str(settings.repeats) if settings.repeats > 1 else None,
        "protocol": settings.protocol,
    }
    defining = {name: value for name, value in stated.items() if value}
    specs = {attack: scope.release.specs[attack] for attack in pairs.attacks if attack in scope.release.specs}
    behind = {model.name: (one, bare.name) for one, bare, model in protected}
    name, known = _name_of(perturbed), frozenset().union(*(one.learned for one in bare_ones))
    return Evaluation(
        pairs, scored, judged, found, settings, defining, name, flips, specs, behind, catches, fresh, known
    )


def _check_read(plan: EvaluationPlan, settings: EvaluationSettings, models: Sequence[examples.NamedModel]) -> None:
    """Check that demonstrations suffice, that a model reads those asked for, the submission, and `flipping`."""
    few_shot = any(model.few_shot for model in models)
    if settings.shots is not None and max(settings.shots) > 0 and not few_shot:
        raise AugmentError(f"`shots` {max(settings.shots)}: no model reads demonstrations; hf-causal and openai do")
    plan.check(needed=few_shot)
    if settings.flipping == "all" and not may_take_back(plan.pairs):
        raise AugmentError("`flipping` all: no edit of a dialogue or of labelled spans is taken back; leave it out")
    if settings.submits:
        sets = [episodes for model in models for _, episodes in plan.runs_of(model)]
        _submitted(plan.pairs, [("",)] * len(plan.pairs.originals), len(sets), len(sets[0]))
    if settings.nearest is not None and not (plan.demonstrations and few_shot):
        raise AugmentError(
            f"`nearest` {settings.nearest}: no model is shown demonstrations; give `train`, `shots` above 0 and a "
            "model that reads them, such as hf-causal"
        )


def _check_labels(fields: Sequence[str], originals: Sequence[Mapping[str, Any]]) -> None:
    for name in fields:
        if not any(field_paths.values(values, name) for values in originals):
            raise no_field(f"`label_fields` {name}: no original has this field", originals)


def _fresh_rows(pairs: Pairs, settings: EvaluationSettings) -> tuple[Loaded, EvaluationSettings] | None:
    """Read the fresh rows (`settings.fresh`); return them with the settings for them, or None if there are none.

    Raises:
        AugmentError: the rows are wrong, share no attack with `pairs`, or contain one of its originals.
    """
    if settings.fresh is None:
        return None
    own = replace(settings, fresh=None, originals=None, verdicts=None, catch=None, require=(), prompts=(), options={})
    own = replace(own, by=(), flipping="none", submits=False)
    rows = loaded(settings.fresh, own)
    entries.check_fresh(pairs, rows.pairs)
    return rows, own


def _name_of(perturbed: object) -> str | None:
    """Return the name under which the report shows the rows; None for rows made in Python.

    It is the file name without its folder, "stdin" for "-", and for a test file of a release the name of its folder.
    """
    if not isinstance(perturbed, str | Path):
        return None
    path = Path(perturbed)
    if str(perturbed) == "-":
        return "stdin"
    return path.resolve().parent.name if path.name == TEST else path.resolve().name


def checked_models(models: Models, options: Mapping[str, Any], nearest: str = "") -> list[tuple[str, _Given]]:
    """Check the names, kinds and options of models; return a pair for each: its name and the model.

    Args:
        models: a list of specifications, or a mapping from names to models.
        options: options of models, by kind and name; each must be for the kind of one of the models.
        nearest: the specification of the model that chooses demonstrations, which may have options, too; "" for none.

    Raises:
        AugmentError: `models` is not a list or mapping or is empty, two models are the same, a kind does not exist, or
            an option is for a kind that no model has.
    """
    listed: object = models  # in a list only texts; a function or another model needs a name
    if not isinstance(listed, Mapping | list | tuple) or not all(isinstance(one, str) for one in listed):
        raise AugmentError("models: must be a list, as ['majority'], or names with models, as {'mine': model}")
    if not models:
        raise AugmentError("no model; name one with `models`; augment-ru list models shows them")
    given = models.items() if isinstance(models, Mapping) else map(examples.named_spec, models)
    named: list[tuple[str, _Given]] = [*given]
    if len({name for name, _ in named}) < len(named):
        raise AugmentError("`models`: each must have another name; NAME=KIND[:ARGUMENT] gives one")
    specs = [model for _, model in named if isinstance(model, str)]
    for spec in specs:
        examples.maker_of(spec)
    kinds = {spec.partition(":")[0] for spec in specs}
    for kind in options.keys() - {nearest.partition(":")[0]}:
        if kind not in kinds:
            there = ", ".join(sorted(kinds)) or "functions alone"
            raise AugmentError(f"`model_options` {kind}.…: no model of this kind; there are {there}")
    return named


def _nearest(settings: EvaluationSettings, shown: protocol.Demonstrations, task: Task) -> examples.NamedModel | None:
    """Return the model that ranks train rows by their nearness to a question; None if `settings.nearest` is None.

    Raises:
        AugmentError: the model does not rank documents, or cannot be made.
    """
    if (spec := settings.nearest) is None:
        return None
    kind = spec.partition(":")[0]
    made = examples.options_class(spec)
    if not {"corpus", "depth"} <= {one.name for one in fields(made)} if made else True:
        raise AugmentError(f"`nearest` {spec}: ranks no documents by their texts; take tfidf or hf-encoder:MODEL")
    corpus = [{"_id": str(at), "text": examples.example_of(row, task).text} for at, row in enumerate(shown.rows)]
    request = examples.ModelRequest("", task, None, settings.device, seed=settings.seed)
    own = {**settings.options.get(kind, {}), "corpus": corpus, "depth": max(len(corpus), 1)}
    return examples.NamedModel.of("nearest", examples.model_of(spec, request, own))


def _with_prompts(
    models: Iterable[tuple[str, _Given]], task: Task, settings: EvaluationSettings
) -> list[tuple[str, _Given, Mapping[str, Any], protocol.PromptOf | None]]:
    """Return, for each prompt that a model is asked with, the name, the model, its options, and the prompt.

    A model that reads no prompts is returned once, with the options of its kind and no prompt.

    Raises:
        AugmentError: a prompt file cannot be read, or no model reads prompts.
    """
    found: list[tuple[str, _Given, Mapping[str, Any], protocol.PromptOf | None]] = []
    for name, model in models:
        options = settings.options.get(model.partition(":")[0], {}) if isinstance(model, str) else {}
        variants = getattr(examples.options_class(model), "variants", None) if isinstance(model, str) else None
        if not settings.prompts or variants is None:
            found.append((name, model, options, None))
            continue
        for given in settings.prompts:
            stem, template = ("prompt", {}) if given == "all" else (Path(given).stem, {"template": given})
            count = variants(task, template.get("template"))
            for variant in range(1, count + 1):
                prompt = stem if template and count == 1 else f"{stem} {variant}"
                own = {**options, "variant": variant, **template}
                found.append((f"{name} [{prompt}]", model, own, protocol.PromptOf(name, prompt)))
    if settings.prompts and not any(prompt for *_, prompt in found):
        raise AugmentError(f"`prompts` {settings.prompts[0]}: no model reads prompts; hf-causal and openai do")
    return found


def _warn_of_learned(models: Sequence[examples.NamedModel], pairs: Pairs) -> None:
    """Log a warning for each model that was trained on texts that it is asked about."""
    for model in models:
        if not model.learned:
            continue
        texts = (examples.example_of(original.values, pairs.task).text for original in pairs.originals)
        if seen := sum(text in model.learned for text in texts):
            rows = amount(len(pairs.originals), "original")
            _log.warning(
                "%s: was trained on %s of the %s, so its rates say little of new texts; train it on other rows",
                model.name, f"{seen:,}", rows,
            )  # fmt: skip
