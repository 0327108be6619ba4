"""The work of `augment-ru attack`: read rows, search for the changes that break a model's answers, and write them."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from augment_ru.adversary.adversary import NAME, Adversary, check_search
from augment_ru.adversary.case import STATUSES, SearchCase
from augment_ru.adversary.confirmation import MEASURED
from augment_ru.adversary.defaults import ATTACKS
from augment_ru.adversary.goal import Goal
from augment_ru.errors import AugmentError, amount, unknown
from augment_ru.evaluation import examples
from augment_ru.evaluation.answers import answer_kind, different_golds, labels_of_different
from augment_ru.evaluation.defences import Defence
from augment_ru.evaluation.evaluation import checked_models, evaluate
from augment_ru.evaluation.loading import loaded
from augment_ru.evaluation.pairs import task_of_rows
from augment_ru.evaluation.protocol import EvaluationSettings
from augment_ru.evaluation.searches import learned_from, recorded, told
from augment_ru.formats.files import check_input, check_outputs, twice
from augment_ru.formats.read import RowsRead, read_rows
from augment_ru.jobs.messages import Advance, checking, progress, say
from augment_ru.jobs.outputs import is_shown, write_file
from augment_ru.jobs.parts import write_parts
from augment_ru.jobs.perturb import wrote
from augment_ru.jobs.row_work import MadeRows, OnChunk, RowWork, opened, where_of, write_rows
from augment_ru.jobs.rows import RowsJob, model_options, rows_job
from augment_ru.jobs.summary import Tally
from augment_ru.records.record import Record
from augment_ru.records.task import Task


def attack_rows(given: Mapping[str, Any]) -> int:
    """Search for changes of each row that break the model's answer.

    Returns the exit code: 1 if rows were skipped, else 0.

    Args:
        given: the values of the options of `attack`, by parameter name.

    Raises:
        AugmentError: an option, a row or a file is wrong, or the model fails.
    """
    with checking():
        rows = _checked(given)
    tally = Tally({})
    with opened(rows) as stream, twice(stream) as content:  # the labels are read before the rows
        reading = RowsRead(content, rows.input_kind, where_of(rows))
        coming = iter(reading)
        first = list(islice(coming, min(MEASURED, rows.limit or MEASURED)))
        if not first:
            raise AugmentError(f"{where_of(rows)}: no rows; a search needs at least one")
        schema = task_of_rows(first[:1], rows.schema, tuple(rows.fields), tuple(given["label_fields"]))
        schema = schema.scored_by(given["metrics"] or ())
        labels = _labels(given, rows.encoding, (row.values for row in chain(first, coming)), schema)
        content.seek(0)
        total = reading.count if rows.limit is None else min(rows.limit, reading.count)
        seconds = given["seconds"]
        # each search depends on the labels of all rows
        split = replace(rows.split, facts={**rows.split.facts, "the rows": reading.digest})
        until = seconds and time.time() + seconds
        shown: list[Any] | None = [] if is_shown(rows.output) else None
        job = replace(rows, split=split, accepts=partial(_check_answer, schema.scoring.gold))
        work = SearchRows(job, given, schema, labels, [one.values for one in first], until)
        with progress("attack", "rows", total, quiet=rows.quiet) as advance:
            if split.has_parts:
                write_parts(work, tally, lambda done: advance(done.rows, note=_note(tally.searches)), content)
            else:
                write_rows(work, tally, advance, content, None if shown is None else shown.extend)
    if shown is not None:  # only now, because the bar was on the same terminal
        from augment_ru.jobs.differences import shows_differences  # noqa: PLC0415  (only a terminal needs it)

        shows_differences(lambda found: f"changes: {found.changes}, queries: {found.queries}")(shown)
    say(_closing(tally), quiet=rows.quiet)
    if [name for name in STATUSES if tally.searches[name]] == ["wrong_before"]:
        say("the model answers no row right; are the labels of the rows those of the model?", quiet=rows.quiet)
    say(wrote(rows, tally), quiet=rows.quiet)
    if given["html"] is not None:
        _tell_what_broke(rows, given)
    elif rows.meta == "full" and not rows.quiet and shown is None:
        with suppress(AugmentError):  # rows that `evaluate` cannot read are written all the same
            _tell_what_broke(rows, given)
    return 1 if tally.skipped else 0


def _checked(given: Mapping[str, Any]) -> RowsJob:
    """Check all options, and return the run that they ask for.

    Raises:
        AugmentError: a name, a value or a file is wrong.
    """
    probability = 1.0 if given["probability"] is None else given["probability"]
    models = dict.fromkeys(filter(None, (given["model"], given["guide"])))
    named = checked_models(list(models), model_options(given["model_options"]))
    has_network = any(examples.runs_network(str(spec)) for _, spec in named)
    rows = rows_job({**given, "probability": probability}, given["attacks"] or ATTACKS, asks_model=has_network)
    cache = [] if given["cache"] == "none" else [given["cache"] or str(examples.default_path())]
    rows = replace(rows, reads=[*rows.reads, *cache])
    rows.check()
    if given["defence"] is not None:
        Defence.of(given["defence"])
    attacks = [one.attack for one in rows.perturbers]
    check_search(attacks, given["budget"], given["draws"], given["seconds"], given["confirm"])
    if given["train"] is not None:
        check_input(given["train"], "`train`")
    if given["html"] is not None:
        check_outputs([("`html`", given["html"])], [rows.source, *rows.reads])
        if rows.output is None or rows.output == given["html"] or rows.meta != "full":
            raise AugmentError("`html`: the page reads rows with their edits; give another `output`, and `meta` full")
    if given["resume"] and given["seconds"] is not None:
        raise AugmentError("`resume`: with `seconds` the rows depend on the speed; leave one of them out")
    return rows


@dataclass(frozen=True, slots=True)
class SearchRows(RowWork):
    """Searches for changes that break a model's answers, for the rows of a run of the command `attack`.

    Attributes:
        job: the run: its files, the task and the attacks.
        given: the values of the options, by parameter name.
        schema: the task of the rows.
        labels: the labels that the model may answer with; None if its answers are free text.
        originals: the first rows of the input. They are used to measure how often the model slips (gives an answer that
            it does not usually give).
        deadline: the Unix time (in seconds) at which the searches end; None for no deadline.
    """

    given: Mapping[str, Any]
    schema: Task
    labels: tuple[str, ...] | None
    originals: Sequence[Mapping[str, Any]]
    deadline: float | None

    def begin(self) -> OnChunk:
        """Load the model, and return the function that searches a chunk (the records that are read at once)."""
        job, given = self.job, self.given
        model = self._model(given["model"])
        if given["defence"] is not None:
            model = Defence.of(given["defence"]).protect(model, answer_kind(self.schema))
        adversary = Adversary(
            job.perturbers,
            model,
            preparation=job.preparation,
            guide=None if given["guide"] is None else self._model(given["guide"]),
            budget=given["budget"],
            target=given["target"],
            minimal=not given["no_minimal"],
            draws=given["draws"],
            seconds=None if self.deadline is None else max(self.deadline - time.time(), _AT_ONCE),
            confirm=given["confirm"],
        )
        scoring = self.schema.scoring
        cached = partial(examples.opened_cache, given["cache"] or examples.default_path())  # several may have it open
        if adversary.confirm:
            with cached() as cache:
                adversary.use_cache(cache)
                adversary.measure_slips([Record(values, self.schema) for values in self.originals])

        def on_chunk(chunk: Sequence[Record], tally: Tally, advance: Advance) -> MadeRows:
            counts = tally.searches.copy()  # so that a chunk that fails counts nothing
            own = {"gold": scoring.gold, "metrics": scoring.metrics}
            records = [replace(record, task=record.task.changed(**own)) for record in chunk]

            def finished(case: SearchCase) -> None:
                counts[str(case.status)] += 1
                counts.update({case.reason} & _LEFT_OUT)
                counts["queries"] += case.queries
                counts["again"] += 0 if case.confirmation is None else case.confirmation.again
                advance(1, note=_note(counts))

            before = adversary.ledger.counts.from_cache
            with cached() as cache:
                adversary.use_cache(cache)
                found = adversary.search(job.preparation.chunk(records, adversary.needs), finished)
            counts["cached"] += adversary.ledger.counts.from_cache - before
            tally.searches = counts
            tally.written += len(found)
            tally.warned += sum(bool(one.warnings) for one in found)
            return MadeRows(found)

        return on_chunk

    def _model(self, spec: str) -> examples.NamedModel:
        """Load the model with this specification."""
        given, job = self.given, self.job
        device, seed = given["device"] or "auto", job.perturbers[0].seed
        request = examples.ModelRequest("", self.schema, self.labels, device, None, job.encoding, given["train"], seed)
        options = model_options(given["model_options"]).get(examples.named_spec(spec)[1].partition(":")[0], {})
        return examples.NamedModel.made(spec, request, options)


def _check_answer(gold: Sequence[str], record: Record) -> None:
    """Check that a record has a right answer in the fields `gold`.

    Raises:
        AugmentError: the record has no right answer.
    """
    Goal.of(replace(record, task=record.task.changed(gold=tuple(gold)))).check_known()


def _tell_what_broke(rows: RowsJob, given: Mapping[str, Any]) -> None:
    """Print what broke the answers in the rows that were written, and write the page of their evaluation.

    No model is asked: the answers are read from the rows.
    """
    if rows.output is None or not Path(rows.output).is_file():
        return
    fields, golds, seed = tuple(rows.fields), tuple(given["label_fields"]), rows.perturbers[0].seed
    settings = EvaluationSettings(
        task=given["task"], text_fields=fields, label_fields=golds, seed=seed, flipping="none"
    )
    pairs = loaded(rows.output, settings).pairs
    argument = examples.named_spec(given["model"])[1].partition(":")[2]
    train = argument if argument and Path(argument).is_file() else given["train"]
    learned = learned_from(train, pairs.task, rows.encoding) if train else frozenset()
    for line in told(pairs, learned):
        say(line, quiet=rows.quiet)
    if given["html"] is not None:
        from augment_ru.evaluation.page import page  # noqa: PLC0415  (loaded only for `html`)

        named = {attack.removeprefix(f"{NAME}:"): recorded(pairs, learned) for attack in pairs.attacks}
        write_file(given["html"], [page(evaluate(rows.output, named, settings)).encode("utf-8", "replace")])
        say(f"wrote the page to {given['html']}", quiet=rows.quiet)


_AT_ONCE = 1e-3
"""How many seconds a search may still take when the deadline has passed."""


def _labels(
    given: Mapping[str, Any], encoding: str, rows: Iterable[Mapping[str, Any]], schema: Task
) -> tuple[str, ...] | None:
    """Return the labels of the rows and of the train file; None if answers are free text.

    Args:
        given: the values of the options, by parameter name.
        encoding: the encoding of the train file.
        rows: the rows; they are read one by one.
        schema: the task of the rows.

    Raises:
        AugmentError: no row has the label `target`, at which the search aims.
    """
    golds = different_golds(rows, schema)
    labels, target = labels_of_different(golds, schema), given["target"]
    if target is not None and labels and target not in labels:
        raise AugmentError(f"`target`: {unknown('label of the rows', target, labels)}")
    if given["train"]:
        shown = read_rows(given["train"], encoding=encoding).values
        labels = labels_of_different(golds | different_golds(shown, schema), schema)
    return labels


_LEFT_OUT = {"right already", "not asked"}
"""Reasons of searches whose rows rates leave out: the right answer is the target label; the time was over before."""


def _closing(tally: Tally) -> str:
    """Return the line that sums up a run."""
    count = tally.searches
    right = sum(count[name] for name in STATUSES) - sum(count[name] for name in ("wrong_before", *_LEFT_OUT))
    others = " and not the target" if count["right already"] else ""
    rate = f" ({count['broken'] / right:.1%} of {right:,} right{others})" if right else ""
    statuses = ", ".join(f"{count[name]:,} {name}" for name in STATUSES) + rate
    parts = [f"{amount(tally.rows, 'row')} in", statuses, amount(count["queries"], "query", "queries")]
    parts[-1] += f", {count['again']:,} of them to confirm" if count["again"] else ""
    parts += [f"{amount(count['cached'], 'answer')} from the cache"] if count["cached"] else []
    return tally.line(*parts)


def _note(count: Counter[str]) -> str:
    """Return the text that the progress bar shows after the rate."""
    if not count:
        return ""
    queries = amount(count["queries"], "query", "queries")
    return f"; {count['broken']:,} broken, {count['withstood']:,} withstood, {queries}"
