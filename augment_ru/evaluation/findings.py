"""Say in words what a report found: a sentence or two for each model."""

from collections.abc import Iterator

from augment_ru.evaluation.pairs import WORST_ROWS
from augment_ru.evaluation.report import AttackReport, ChosenFrom, ModelReport, Report
from augment_ru.evaluation.table_text import span
from augment_ru.evaluation.tables import names_of

_FEW = 20
"""A cell with fewer right predictions than this is not mentioned."""
_LEAST = 0.5
"""The lowest percentage that is not rounded to 0."""
_TIMES = 1.5
"""A cell is mentioned if its rate is at least this many times the rate of all rows."""

_ENDS = {
    "length": ("in short texts (of {} words)", "in long texts (of {} words)"),
    "readability": (
        "in texts that are hard to read (readability {})",
        "in texts that are easy to read (readability {})",
    ),
    "type_token_ratio": (
        "in texts that repeat words ({} different words / words)",
        "in texts that hardly repeat words",
    ),
}
"""What the lowest and the highest cell of a measured property are called."""


def findings(report: Report) -> list[str]:
    """Say in sentences what an evaluation found.

    For each model, one or two sentences say which attack breaks most of its right answers, how many this attack breaks,
    and in which subpopulation (group of rows) it breaks most. If a model was asked with several prompts, its sentence
    compares the effect of the prompt with that of the worst attack. A last sentence names the models whose slips
    (answers that a model does not usually give to the text) may have been counted as broken answers.
    """
    prompted = {f"{one.model} [" for one in report.prompts or ()}
    plain = [model for model in report.models if model.prompt is None or not any(map(model.model.startswith, prompted))]
    told = [one for model in plain for one in _of_model(report, model)] + list(_of_prompts(report))
    unsure = (one for one in report.models if one.attacks and one.same_text_flips is None and not one.deterministic)
    if names := list(dict.fromkeys(names_of(report)[one.model] for one in unsure)):
        told.append(f"Slips of {', '.join(names)} may count as broken: each text was asked about once (repeats).")
    return told


def _of_prompts(report: Report) -> Iterator[str]:
    names = names_of(report)
    for one in report.prompts or ():
        shots = "" if one.shots is None else f" ({one.shots}-shot)"
        text = f"The prompt alone moves the right answers of {one.model}{shots} by {one.spread.value:.1f} points"
        text += f"; {one.worst} is the worst, in {one.worst_in:.0f} % of the resamples"
        known = {name: effect.value for name, effect in one.attacks.items() if effect.value is not None}
        if known:
            worst = min(known, key=lambda name: (known[name], name))
            text += f". Over all prompts {names[worst]} changes them by {known[worst]:+.1f} points".replace("-", "−")
        yield f"{text}."


def _of_model(report: Report, model: ModelReport) -> Iterator[str]:
    names = names_of(report)
    name = names[model.model] + ("" if model.shots is None else f" ({model.shots}-shot)")
    rates = {attack: one.rate.asr for attack, one in model.attacks.items() if one.rate.asr is not None}
    if model.same_text_flips is not None:
        yield from _above_noise(report, model, name)
    metric = report.metrics[0]
    if not model.beats_majority:
        beside = f" ({metric.replace('_', ' ')} {report.majority[metric]:.2f})" if metric in report.majority else ""
        so = ", so its rates say nothing" if model.attacks else ""
        yield f"{name} is not clearly better than the most frequent answer{beside}{so}."
    elif not model.attacks:
        most = report.majority.get(metric)
        beside = "" if most is None else f"; the most frequent answer has {most:.0f} %"
        yield f"{name} has {metric.replace('_', ' ')} {model.metrics[metric].value:.0f} %{beside}."
    elif rates:
        attack = max(rates, key=lambda one: (rates[one], one))
        worst, entry, together = rates[attack], model.attacks[attack], model.worst_case_asr
        if not worst:
            yield f"No attack breaks a right answer of {name}."
            return
        where = next(_where(report, entry, worst), "")
        every = (together and together.value) or 0.0
        all_ = f" All attacks together break {_whole(every)} %." if len(rates) > 1 and every > worst else ""
        subject = _subject(report, model, attack, names[attack])
        yield f"{subject} {_whole(worst)} % of the right answers of {name} wrong{where}{_change(entry)}.{all_}"


def _above_noise(report: Report, model: ModelReport, name: str) -> Iterator[str]:
    """Yield how often a model answers the same text differently, and what the strongest attack breaks above that."""
    flips = (model.same_text_flips and model.same_text_flips.value) or 0.0
    if not flips:
        yield f"{name} answered every text the same each time."
        return
    rates = {attack: one.asr_above_noise for attack, one in model.attacks.items() if one.asr_above_noise}
    attack = max(rates, key=lambda one: (rates[one].value or 0.0, one), default="")
    above = ""
    if attack and (ends := rates[attack].ci95):
        shown_name = names_of(report)[attack]
        above = f"; above that noise {shown_name} breaks {rates[attack].value or 0.0:.1f} % (95 %: {span(ends)})"
    yield f"{name} answers {flips:.1f} % of the same texts differently when asked again{above}."


def _subject(report: Report, model: ModelReport, attack: str, name: str) -> str:
    """Return the subject and the verb of a sentence.

    For example «case turns», or «A search of at most 100 queries a row turns» if the search was made against the model.
    """
    if attack == WORST_ROWS:
        return "The rows that were chosen as the worst turn"
    search = (report.searches or {}).get(attack)
    if search is None:
        return f"{name} turns"
    if search.model == model.signature:
        return f"A search of at most {search.budget:,} queries a row turns"
    return f"The rows of the search {name} turn"


def _whole(percentage: float) -> str:
    """Return a percentage above 0 as a whole number, or "less than 1" if it is below 0.5."""
    return f"{percentage:.0f}" if percentage >= _LEAST else "less than 1"


def _change(entry: AttackReport) -> str:
    """Return as text the metric before and after, the change in points, and the numbers of broken and mended answers.

    It is empty if no metric is known before and after.
    """
    for metric, one in entry.metrics.items():
        if one.before is not None and one.after is not None:
            points = f"{one.after - one.before:+.1f}".replace("-", "−")
            counts = f"{entry.rate.broken:,} broken, {entry.rate.fixed:,} mended"
            return f": {metric.replace('_', ' ')} {one.before:.1f} → {one.after:.1f} %, {points} points ({counts})"
    return ""


def _where(report: Report, entry: AttackReport, rate: float) -> Iterator[str]:
    """Yield a clause for each cell of a subpopulation in which clearly more answers break than in all rows.

    The cell with the highest rate comes first.
    """
    cells = [
        (-cell.rate.asr / rate, name, cell.value, at, len(own))
        for name, own in entry.subpopulations.items()
        for at, cell in enumerate(own)
        if cell.rate.right >= _FEW and cell.rate.asr and cell.rate.asr >= _TIMES * rate
        if cell.rate.ci95 and cell.rate.ci95[0] > rate
    ]
    for times, name, value, at, size in sorted(cells):
        often = "twice as many" if f"{-times:.1f}" == "2.0" else f"{-times:.1f} times as many"
        if name in _ENDS and at in (0, size - 1):
            told = _ENDS[name][at > 0].format(value).replace("(of 1 words)", "(of one word)")
        else:
            told = f"where {'the right answer' if name in report.gold else name.replace('_', ' ')} is {value}"
        yield f", {often} {told}"


def about_chosen(chosen: ChosenFrom) -> str:
    """Describe worst-case rows in two sentences: what they were chosen from, and what their rate means.

    A worst-case row is the perturbed row of its original that breaks most of the models.

    Args:
        chosen: the attacks and models that they were chosen from.
    """
    models = f" ({', '.join(chosen.models)})" if chosen.models else ""
    attacks = f" among the rows of {', '.join(chosen.attacks)}" if chosen.attacks else ""
    return (
        f"Of each original the row that breaks most of the models{models}{attacks}: what an adversary who may choose "
        "the attack does to these models. To others it is no worst case."
    )
