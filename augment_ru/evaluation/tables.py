"""Make the tables of a report, for the terminal, the page and text files; and rows of its numbers."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from augment_ru.errors import check_known
from augment_ru.evaluation.paired import MEAN
from augment_ru.evaluation.report import AnyReport, AttackDifference, AttackReport, ModelDifference, Rate, Report
from augment_ru.evaluation.table_text import INTERVAL, NONE, ShownTable, shown, span

SEARCH = "adversary:"
"""The prefix of the names of searches against a model; the model's name follows."""
_SMALLEST_P = 0.0001
_FOLDERS = re.compile(
    r"(?<=:)(?:[^:]*/(?=[^/:]+\.(?:jsonl|json|csv|tsv|parquet|txt)(?:\.\w+)?(?:$|:))|(?:\.{0,2}|~)/(?:[^:]*/)?(?=[^/:]+$))"
)
"""Matches the folders of a path after a colon: of a row file, or of a path beginning with `/`, `./`, `../` or `~/`."""


def shown_names(names: Iterable[str]) -> Mapping[str, str]:
    """Map each name of a model or an attack to a shorter one without folders.

    Names whose short forms would be equal stay as they are.

    >>> shown_names(["linear:data/train.jsonl", "hf-causal:org/model"])
    {'linear:data/train.jsonl': 'linear:train.jsonl', 'hf-causal:org/model': 'hf-causal:org/model'}
    >>> shown_names(["linear:a/train.jsonl", "linear:b/train.jsonl"])
    {'linear:a/train.jsonl': 'linear:a/train.jsonl', 'linear:b/train.jsonl': 'linear:b/train.jsonl'}
    >>> shown_names(["adversary:linear:data/train.jsonl"])
    {'adversary:linear:data/train.jsonl': 'adversary:linear:train.jsonl'}
    """
    short = {name: name if "://" in name else _FOLDERS.sub("", name) for name in names}
    count = Counter(short.values())
    return {name: one if count[one] == 1 else name for name, one in short.items()}


def names_of(report: AnyReport) -> Mapping[str, str]:
    """Map the models and attacks of a report to the shorter names that tables show."""
    return shown_names([*(model.model for model in report.models), *report.attacks])


def shots_of(shots: int | None) -> str:
    """Return a number of demonstrations as text; a dash for None (a model that does not read demonstrations)."""
    return NONE if shots is None else str(shots)


def rates(report: AnyReport) -> ShownTable:
    """Return the main table of a report, with a row for each model.

    The row shows the main metric on the originals, and for each attack the main metric after it and its success rate.
    """
    metric, names = report.metrics[0], names_of(report)
    rows, marked = list[list[str]](), set[tuple[int, int]]()
    for model in report.models:
        score = model.metrics.get(metric)
        row = [names[model.model], shots_of(model.shots), shown(score.value if score else None)]
        for name in report.attacks:
            entry = model.attacks[name]
            changed, spread = entry.metrics.get(metric), entry.rate.spread
            marked |= {(len(rows), len(row) + 1)} if name in model.best else set()
            after = changed.after if changed else None
            row += [shown(after), shown(entry.rate.asr) + _spread(spread.std if spread else None)]
        if model.worst_case and model.worst_case_asr:
            marked |= {(len(rows), len(row))} if MEAN in model.best else set()
            row += [shown(model.asr_mean), shown(model.worst_case.value), shown(model.worst_case_asr.value)]
        rows.append(row)
    columns, heads = ["model", "shots", f"{metric}, original"], [""] * 3
    for name in report.attacks:
        columns += [f"{names[name]}: {metric}", f"{names[name]}: ASR"]
        heads += [f"{names[name]}: "] * 2
    columns += ["mean ASR", "worst case", "worst-case ASR"] if report.attacks else []
    heads += [""] * (len(columns) - len(heads))
    return ShownTable("Before and after each attack, %", columns, rows, 2, frozenset(marked), "rates", heads)


def paper_table(report: AnyReport, *, intervals: bool = False) -> ShownTable:
    """Return the table of rates for a paper: a cell holds the main metric after an attack, and the success rate.

    Args:
        report: the report.
        intervals: whether each success rate is followed by its interval.
    """
    metric, names = report.metrics[0], names_of(report)
    reads = any(model.shots is not None for model in report.models)
    rows, marked = list[list[str]](), set[tuple[int, int]]()
    for model in report.models:
        score = model.metrics.get(metric)
        row = [
            names[model.model],
            *([shots_of(model.shots)] if reads else []),
            shown(score.value if score else None, 1),
        ]
        for name in report.attacks:
            entry = model.attacks[name]
            changed = entry.metrics.get(metric)
            marked |= {(len(rows), len(row))} if name in model.best else set()
            ends = f", {span(entry.rate.ci95)}" if intervals else ""
            row.append(f"{shown(changed.after if changed else None, 1)} ({shown(entry.rate.asr, 1)}{ends})")
        marked |= {(len(rows), len(row))} if MEAN in model.best else set()
        row.append(shown(model.asr_mean, 1))
        rows.append(row)
    columns = ["model", *(["shots"] if reads else []), f"{metric}, original", *(names[name] for name in report.attacks)]
    title = f"{metric} after each attack, and in brackets the attack success rate, %"
    return ShownTable(title, [*columns, "mean ASR"], rows, 1 + reads, frozenset(marked), "rates")


def clean(report: AnyReport) -> ShownTable:
    """Return the table of each model's metrics on the originals, with intervals if several reports are compared."""
    names = names_of(report)
    with_interval = {name for model in report.models for name, one in model.metrics.items() if isinstance(one, Rate)}
    columns = ["model", "shots"]
    for name in report.metrics:
        columns += [name, *([INTERVAL] if name in with_interval else [])]
    rows = []
    for model in report.models:
        row = [names[model.model], shots_of(model.shots)]
        for name in report.metrics:
            one = model.metrics.get(name)
            if isinstance(one, Rate):
                row += [shown(one.value) + _spread(one.spread.std if one.spread else None), span(one.ci95)]
            else:
                row.append(shown(one.value) + _spread(one.std) if one else NONE)
        rows.append(row)
    if report.majority:
        most = [shown(report.majority.get(name)) for name in report.metrics]
        rows.append(["(most frequent answer)", NONE, *most])
    return ShownTable("Metrics, %", columns, rows, 2, key="metrics")


def _spread(deviation: float | None) -> str:
    """Return the standard deviation over episodes as text; empty if there is only one episode."""
    return "" if deviation is None else f" ±{deviation:.2f}"


def _cells(rate: Rate | None) -> tuple[str, str]:
    """Return the two cells of a rate and of its interval; dashes for None."""
    return (NONE, NONE) if rate is None else (shown(rate.value), span(rate.ci95))


def _attacked(report: Report) -> Iterator[tuple[list[str], AttackReport]]:
    """Yield (cells, entry) for each attack on each model: the cells name the model, its shots, and the attack."""
    names = names_of(report)
    for model in report.models:
        for attack, entry in model.attacks.items():
            yield [names[model.model], shots_of(model.shots), names[attack]], entry


def counts(report: Report) -> ShownTable:
    """Return the table of the counts behind each success rate, with the metrics before and after the attack."""
    columns = ["model", "shots", "attack", *report.metrics, "right", "broken", "fixed", "ASR, %", INTERVAL]
    columns += ["ASR of perturbed rows, %", "ASR of all rows, %", "drop rate, %", "flips, %"]
    columns += ["edits per 100 words", "unchanged", "rejected", "rows"]
    rows = []
    for named, entry in _attacked(report):
        rate, changes = entry.rate, [entry.metrics.get(metric) for metric in report.metrics]
        cells = [NONE if one is None else f"{one.before:.1f} → {one.after:.1f}" for one in changes]
        cells += [f"{count:,}" for count in (rate.right, rate.broken, rate.fixed)]
        cells += [shown(rate.asr), span(rate.ci95), *(shown(one.value) for one in _further(entry).values())]
        cells += [shown(entry.edits_per_100_words, 1)]
        cells += [f"{count:,}" for count in (entry.unchanged, entry.rejected, entry.rows)]
        rows.append([*named, *cells])
    return ShownTable("Counts", columns, rows, 3, key="counts")


def defences(report: Report) -> ShownTable:
    """Return the table of defences (normalizers in front of a model), with what each costs and recovers.

    A defence may cost right answers to the originals, and recover right answers under each attack.
    """
    names, rows = names_of(report), []
    for model in report.models:
        if (found := model.defence) is None:
            continue
        named = [names[found.of], found.name, shots_of(model.shots)]
        cost, test = found.cost, found.cost.mcnemar
        p = _probability(test.p if test else None)
        clean = [*[NONE] * 3, shown(cost.difference), span(cost.ci95), *_cells(None), shown(found.changed.value), p]
        rows.append([*named, "(none: the cost)", *clean])
        tests = {
            names[one.attack or ""]: one.mcnemar
            for one in report.comparisons
            if isinstance(one, ModelDifference) and one.attack and (one.a, one.b) == (found.of, model.model)
        }
        every = {names[attack]: one for attack, one in found.attacks.items()}
        for attack, one in (every | ({"(worst case)": found.worst_case} if found.worst_case else {})).items():
            changed, test = one.changed, tests.get(attack)
            cells = [*map(shown, (one.clean, one.attacked, one.defended)), *_cells(one.cost), *_cells(one.recovered)]
            cells += [shown(changed.value if changed else None), _probability(test.p_holm if test else None)]
            rows.append([*named, attack, *cells])
    columns = ["model", "defence", "shots", "attack", "clean", "attacked", "defended", "cost, points", INTERVAL]
    columns += ["recovered", INTERVAL, "rows changed", "p (McNemar, Holm)"]
    return ShownTable("Defences: right answers, %", columns, rows, 4, key="defences")


def catch(report: Report) -> ShownTable:
    """Return the table of filters that must catch a label: missed rows and false alarms, before and after attacks."""
    names, rows = names_of(report), []
    for model in report.models:
        if (found := model.catch) is None:
            continue
        every = {"(originals)": found.originals} | {names[attack]: one for attack, one in found.attacks.items()}
        for attack, one in every.items():
            cells = [*_cells(one.missed), *_cells(one.false_alarms)]
            cells += [shown(one.threshold, 3), *_cells(one.false_alarms_then)]
            rows.append([names[model.model], shots_of(model.shots), attack, *cells])
    labels = {model.catch.label for model in report.models if model.catch}
    columns = ["model", "shots", "attack", "missed", INTERVAL, "false alarms", INTERVAL]
    columns += ["threshold of the old recall", "false alarms on originals then", INTERVAL]
    return ShownTable(f"Filters that catch {', '.join(sorted(labels))}, %", columns, rows, 3, key="catch")


def noise(report: Report) -> ShownTable:
    """Return the table of slips (unusual answers): how often models answer a text differently when asked again.

    It also shows the success rates of attacks, with and without a correction for slips.
    """
    flips = [model.same_text_flips for model in report.models for _ in model.attacks]
    rows = []
    for (named, entry), same in zip(_attacked(report), flips, strict=True):
        if same:
            cells = [*_cells(same), shown(entry.rate.asr), span(entry.rate.ci95)]
            rows.append([*named, *cells, *_cells(entry.flips_above_noise), *_cells(entry.asr_above_noise)])
    columns = ["model", "shots", "attack", "flips on the same text", INTERVAL, "ASR", INTERVAL]
    columns += ["flips above those of the repeats", INTERVAL]
    title = "Above the noise of the model, %"
    return ShownTable(title, [*columns, "ASR above the noise", INTERVAL], rows, 3, key="noise")


def _further(entry: AttackReport) -> dict[str, Rate]:
    """Return the rates of an attack other than its success rate, by name."""
    names = ("asr_perturbed_rows", "asr_all_rows", "performance_drop_rate", "flip_rate")
    return {name: getattr(entry, name) for name in names}


def valid(report: Report) -> ShownTable:
    """Return the table of success rates over the rows that people found valid, with the rates over all rows."""
    columns = ["model", "shots", "attack", "judged", "valid", "valid, %", "ASR, all rows", "ASR, valid rows", INTERVAL]
    columns += ["broken", "right", "remark"]
    rows = []
    for named, entry in _attacked(report):
        if found := entry.valid_rows:
            cells = [f"{found.judged:,}", f"{found.valid:,}", shown(found.share.value), shown(entry.rate.asr)]
            cells += [*_cells(found.asr), f"{found.broken:,}", f"{found.right:,}"]
            rows.append([*named, *cells, "too few valid rows" if found.wide_interval else NONE])
    return ShownTable("Over the rows that people found valid, %", columns, rows, 3, key="valid")


def curve(report: Report) -> ShownTable:
    """Return the table of searches against models: the success rate for each number of queries (texts asked about).

    It also shows how much the broken rows were changed.
    """
    found, names = report.searches or {}, names_of(report)
    numbers = sorted({point.queries for one in found.values() for point in one.curve})
    columns = ["attack", "budget", *(f"{number:,}" for number in numbers)]
    columns += ["queries a success", "words", "changes", "minimal, %"]
    rows = []
    for attack, one in found.items():
        rates = {point.queries: f"{shown(point.asr, 1)} ({span(point.ci95)})" for point in one.curve}
        points = [rates.get(number, NONE) for number in numbers]
        sizes = (one.queries_a_success, one.changed_words, one.changes, one.minimal)
        rows.append([names[attack], f"{one.budget:,}", *points, *(shown(size, 1) for size in sizes)])
    title = "Searches: rows broken by a number of queries, % of those right before (95 %)"
    return ShownTable(title, columns, rows, 2, key="curve")


def broke(report: Report) -> ShownTable:
    """Return the table of what broke the answers in each search against a model, with the counts behind each share.

    It has rows for attacks, kinds of edits, letters, words and other properties.
    """
    names = names_of(report)
    rows = []
    for attack, found in (report.searches or {}).items():
        for one in found.broke:
            cells = [names[attack], one.by, one.value, f"{one.broken:,}", f"{one.of:,}" if one.of else NONE]
            cells += [shown(one.share, 1), span(one.ci95), shown(one.lift)]
            rows.append([*cells, NONE if one.train_rows is None else f"{one.train_rows:,}"])
    columns = ["search", "by", "value", "broke", "of", "%", INTERVAL, "lift", "train rows"]
    return ShownTable("What broke it: edits of those tried, rows of those right before", columns, rows, 3, key="broke")


def hard(report: Report) -> ShownTable:
    """Return the table of the rows that each search against a model found hardest to break."""
    names = names_of(report)
    rows = [
        [names[attack], one.id, one.label, one.status, f"{one.queries:,}", f"{one.changes:,}"]
        for attack, found in (report.searches or {}).items()
        for one in found.hardest
    ]
    columns = ["search", "row", "label", "status", "queries", "changes"]
    return ShownTable("The hardest rows", columns, rows, 4, key="hard")


def together(report: Report) -> ShownTable:
    """Return the table of all attacks together: the worst case and the consistency of each model, with intervals.

    In the worst case a decision is right only if it is right on the original and on every perturbed row. Consistency is
    how often two versions of a record get the same prediction.
    """
    names, rows = names_of(report), []
    for model in report.models:
        rates = (model.worst_case, model.worst_case_asr, model.consistency)
        cells = chain.from_iterable(_cells(rate) for rate in rates if rate)
        rows.append([names[model.model], shots_of(model.shots), *cells])
    columns = ["model", "shots", "worst case", INTERVAL, "worst-case ASR", INTERVAL, "consistency", INTERVAL]
    return ShownTable("All attacks together, %", columns, rows, 2, key="together")


def transfer(report: Report) -> ShownTable:
    """Return the table of transfer: how often rows that a search made against one model break each of the models.

    It has no rows if there is only one model.
    """
    made, names = list(report.searches or ()), names_of(report)
    rows = [
        [names[model.model], shots_of(model.shots), *(shown(model.attacks[attack].rate.asr) for attack in made)]
        for model in report.models
        if len(report.models) > 1 and made
    ]
    title = "Transfer: rows made against a model (columns), asked of each (lines); ASR, %"
    return ShownTable(title, ["asked", "shots", *(names[attack] for attack in made)], rows, 2, key="transfer")


def models(report: AnyReport) -> ShownTable:
    """Return the table of differences between any two models, with intervals and tests.

    Their success rates under each attack are compared. If there are no attacks, their rates of right answers are
    compared.
    """
    names = names_of(report)
    rows = []
    for one in report.comparisons:
        if isinstance(one, ModelDifference):
            attack = [names[one.attack]] if one.attack is not None else []
            both = (names[name] + _shots_after(shots) for name, shots in zip((one.a, one.b), one.shots, strict=True))
            rows.append([*attack, *both, *_difference(one)])
    difference, *columns = _difference_columns("broken" if report.attacks else "right")
    first = ["attack", "first", "second", difference] if report.attacks else ["first", "second", _RIGHT_DIFFERENCE]
    title = "Differences between models" + (", of the answers right in both" if report.attacks else "")
    return ShownTable(title, [*first, *columns], rows, len(first) - 1, key="models")


def attacks(report: AnyReport) -> ShownTable:
    """Return the table of differences between the success rates of any two attacks on each model."""
    names = names_of(report)
    rows = [
        [names[one.model] + _shots_after(one.shots), names[one.a], names[one.b], *_difference(one)]
        for one in report.comparisons
        if isinstance(one, AttackDifference)
    ]
    columns = ["model", "first", "second", *_difference_columns("broken")]
    return ShownTable("Differences between attacks", columns, rows, 3, key="attacks")


_RIGHT_DIFFERENCE = "right, first − second, points"


def _difference_columns(counted: str) -> list[str]:
    """Return the names of the columns that show a difference between two attack success rates.

    Args:
        counted: the decisions that McNemar's test counts, `broken` or `right`; two of the names contain this word.
    """
    columns = ["ASR, first − second, points", INTERVAL, "decisions", f"{counted}: first", f"{counted}: second"]
    return [*columns, "only first", "only second", "p (McNemar)", "p (Holm)"]


def _difference(one: ModelDifference | AttackDifference) -> Sequence[str]:
    """Return the cells of a difference of two rates: the difference, its interval, and McNemar's test.

    If there is no test, its cells are dashes.
    """
    cells, test = [shown(one.difference), span(one.ci95)], one.mcnemar
    if test is None:
        return [*cells, *[NONE] * 7]
    numbers = (test.decisions, test.a, test.b, test.only_a, test.only_b)
    return [*cells, *(f"{number:,}" for number in numbers), _probability(test.p), _probability(test.p_holm)]


def _probability(p: float | None) -> str:
    if p is None:
        return NONE
    return "< 0.0001" if p < _SMALLEST_P else f"{p:.4f}"


def _shots_after(shots: int | None) -> str:
    """Return the number of demonstrations as a suffix for a model's name; empty for a model that does not read them."""
    return "" if shots is None else f", {shots}-shot"


def strength(report: Report) -> ShownTable:
    """Return the table of success rates by how strong the perturbation is.

    Each row is for a range of the similarity to the original, or of the share of possible changes that the attack made
    (the probability).
    """
    columns = ["model", "shots", "attack", "by", "range", "rows", "right", "broken", "ASR, %", INTERVAL]
    rows = _by_cells(report, "strength")
    return ShownTable("Success rate by strength", columns, rows, 5, key="strength")


def rates_by_subpopulation(report: Report) -> ShownTable:
    """Return the table of success rates for groups of originals, by each property, such as length or label."""
    columns = ["model", "shots", "attack", "property", "cell", "rows", "right before, %", "right after, %"]
    columns += ["F1 before", "F1 after", "right", "broken", "ASR, %", INTERVAL]
    rows = _by_cells(report, "subpopulations", ("accuracy_before", "accuracy_after", "f1_before", "f1_after"))
    return ShownTable("Subpopulations", columns, rows, 5, key="subpopulations")


def _by_cells(report: Report, kind: str, accuracies: Sequence[str] = ()) -> list[list[str]]:
    """Return a table row for each cell of every attack.

    Args:
        report: the report.
        kind: which cells: `subpopulations` or `strength`.
        accuracies: the names of the percentages of a cell that are shown between its number of rows and its counts.
    """
    return [
        [
            *(*named, by, cell.value, f"{cell.rows:,}", *(shown(getattr(cell, name)) for name in accuracies)),
            *(f"{cell.rate.right:,}", f"{cell.rate.broken:,}", shown(cell.rate.asr), span(cell.rate.ci95)),
        ]
        for named, entry in _attacked(report)
        for by, cells in getattr(entry, kind).items()
        for cell in cells
    ]


def prompts(report: Report) -> ShownTable:
    """Return the table of how much prompts and attacks change a model's right answers, in percentage points."""
    names, rows = names_of(report), []
    for one in report.prompts or ():
        named = [shown_names([one.model])[one.model], shots_of(one.shots)]
        for own in one.prompts:
            worst = " (worst)" if own.name == one.worst else ""
            after = own.attacked
            cells = [shown(own.original.value), shown(after.value if after else None)]
            rows.append([*named, f"{own.name}{worst}", *cells, *_cells(own.effect)])
        effects = {names[attack]: effect for attack, effect in one.attacks.items()}
        for name, effect in (effects | {"best − worst prompt": one.spread}).items():
            rows.append([*named, name, NONE, NONE, *_cells(effect)])
    columns = ["model", "shots", "prompt or attack", "right, original", "right, attacked", "effect, points", INTERVAL]
    title = "Prompts and attacks: right answers, %; a prompt against the mean of all, an attack against the original"
    return ShownTable(title, columns, rows, 3, key="prompts")


def variance(report: Report) -> ShownTable:
    """Return the table of how much of the variance of right answers is due to the prompt, the attack and the row.

    It has a row for each model that was asked with several prompts.
    """
    found = [one for one in report.prompts or () if one.shares]
    parts = list(found[0].shares) if found else []
    rows = []
    for one in found:
        cells = [f"{shown(share.value, 1)} ({span(share.ci95)})" for share in one.shares.values()]
        rows.append([shown_names([one.model])[one.model], shots_of(one.shots), *cells])
    title = "What the variance of right answers is due to, % (95 %)"
    return ShownTable(title, ["model", "shots", *parts], rows, 2, key="variance")


def unread(report: Report) -> ShownTable:
    """Return the table of the models' replies from which no answer could be read, by model and attack."""
    names, rows = names_of(report), []
    for model in report.models:
        found = {"(original)": model.unread} | {names[key]: one.unread for key, one in model.attacks.items()}
        for name, one in found.items():
            if one is not None:
                counts = (one.answers, one.refused, one.empty, one.cut, one.unreadable)
                cells = [f"{count:,}" for count in counts]
                rows.append([names[model.model], shots_of(model.shots), name, *cells, *_cells(one.share)])
    columns = ["model", "shots", "attack", "answers", "refused", "empty", "cut", "unreadable", "share, %", INTERVAL]
    return ShownTable("Replies without an answer", columns, rows, 3, key="unread")


def option_orders(report: Report) -> ShownTable:
    """Return the table of permuted options: how a model's answers change when options change their order.

    It shows the share of kept answers (with the option of the same content), and the share of each label among the
    answers before and after.
    """
    rows = []
    for named, entry in _attacked(report):
        if one := entry.option_order:
            both = ((label, before.value, one.after[label].value) for label, before in one.before.items())
            pairs = (f"{label} {shown(before, 1)} → {shown(after, 1)}" for label, before, after in both)
            rows.append([*named, f"{one.rows:,}", *_cells(one.kept), ", ".join(pairs)])
    columns = ["model", "shots", "attack", "permuted", "same content, %", INTERVAL, "share of each answer, %"]
    return ShownTable("Options in another order", columns, rows, 3, key="orders")


def contamination(report: Report) -> ShownTable:
    """Return the table of the right answers that models lose on perturbed rows.

    If there are fresh rows, which no model can know, the table also shows the right answers lost on these.
    """
    rows = []
    for named, entry in _attacked(report):
        if (one := entry.contamination) is None or not one.rows:
            continue
        cells = []
        for side in (one, one.fresh):
            cells += [shown(side.before), shown(side.after), *_cells(side.difference)] if side else [NONE] * 4
        rows.append([*named, f"{one.rows:,}", *cells, *_cells(one.excess)])
    columns = ["model", "shots", "attack", "rows", "originals", "perturbed", "difference", INTERVAL]
    columns += ["fresh originals", "fresh perturbed", "fresh difference", INTERVAL, "excess", INTERVAL]
    title = "Contamination: right answers to originals less those to the same rows perturbed, points"
    return ShownTable(title, columns, rows, 3, key="contamination")


def spans(report: Report) -> ShownTable:
    """Return the table of labelled spans: what attacks do to the right spans that models find in the originals.

    In the perturbed text, a span is found again, found with another border or label, or lost. The table also shows the
    main metric for each label, before and after the attack.
    """
    rows = []
    for named, entry in _attacked(report):
        if one := entry.spans:
            fates = (f"{shown(one[fate].value, 1)} ({span(one[fate].ci95)})" for fate in ("lost", "type", "border"))
            parts = entry.metrics[report.metrics[0]].parts or ()
            by_label = (f"{part.label} {shown(part.before, 1)} → {shown(part.after, 1)}" for part in parts)
            rows.append([*named, f"{one['kept'].right:,}", *fates, ", ".join(by_label)])
    title = "Spans found in the originals: lost, with another type or border, % (95 %)"
    columns = ["model", "shots", "attack", "right", "lost", "type", "border", f"{report.metrics[0]} by type"]
    return ShownTable(title, columns, rows, 3, key="spans")


_TABLES = (
    rates, spans, counts, noise, defences, catch, contamination, together, valid, curve, broke, hard, transfer, prompts,
    variance, option_orders, unread, models, attacks, strength, rates_by_subpopulation,
)  # fmt: skip
_KEYS = {option_orders: "orders", rates_by_subpopulation: "subpopulations"}
TABLES: Mapping[str, Callable[[Report], ShownTable]] = {_KEYS.get(one, one.__name__): one for one in _TABLES}
"""Maps the key of each table of a report to the function that makes it, which mostly has this name."""

SHORT = (
    "rates", "spans", "counts", "noise", "defences", "catch", "together", "valid", "curve", "transfer", "prompts",
    "variance", "orders", "unread",
)  # fmt: skip
"""The tables that are printed by default; the other tables have very many rows."""


def tables_of(report: Report, keys: Sequence[str] = SHORT) -> list[ShownTable]:
    """Return the tables of a report that have rows; without attacks only those of metrics and of unread replies.

    Args:
        report: the report.
        keys: the names of the wanted tables, as for `--table`, in this order.

    Raises:
        AugmentError: one of the tables does not exist.
    """
    check_tables(keys)
    first = [] if report.attacks else [clean(report)]
    wanted = [key for key in keys if report.attacks or key == "unread"]
    return first + [table for key in wanted if (table := TABLES[key](report)).rows]


def check_tables(keys: Sequence[str]) -> None:
    """Check that there are tables with these names, as for `--table`.

    Args:
        keys: the names.

    Raises:
        AugmentError: there is no table with one of the names.
    """
    for key in keys:
        check_known("table", key, TABLES)


def numbers(report: Report) -> list[dict[str, Any]]:
    """Return the numbers of a report: a mapping for each model and attack; without attacks, one for each model."""
    found = []
    for model in report.models:
        scores = {name: one.value for name, one in model.metrics.items()}
        own: dict[str, Any] = {"model": model.model, "shots": model.shots, "episodes": model.episodes, **scores}
        found += [] if report.attacks else [own]
        for attack, entry in model.attacks.items():
            row = {**own, "attack": attack}
            for metric, change in entry.metrics.items():
                row |= {f"{metric}_before": change.before, f"{metric}_after": change.after}
            row |= {name: getattr(entry.rate, name) for name in ("asr", "right", "broken", "fixed")}
            row |= {name: getattr(entry, name) for name in ("unchanged", "rejected", "rows")}
            row["asr_low"], row["asr_high"] = entry.rate.ci95 or (None, None)
            found.append(row | {name: rate.value for name, rate in _further(entry).items()})
    return found
