"""What an evaluation found, in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from augment_ru.evaluation.pairs import WORST_ROWS
from augment_ru.evaluation.shown_names import names_of
from augment_ru.evaluation.tables import beats_majority

_FEW = 20
"""Right predictions below which a cell says nothing."""
_LEAST = 0.5
"""The lowest percentage that is not rounded to 0."""
_TIMES = 1.5
"""How many times the rate of all rows a cell's must be to be told."""

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


def findings(report: Mapping[str, Any]) -> list[str]:
    """A sentence for each model: the attack that breaks most of its right answers, where, and the worst case."""
    return [one for model in report["models"] for one in _of_model(report, model)]


def _of_model(report: Mapping[str, Any], model: Mapping[str, Any]) -> Iterator[str]:
    names = names_of(report)
    name = names[model["model"]] + ("" if model["shots"] is None else f" ({model['shots']}-shot)")
    if not beats_majority(report, model):
        if report["majority"]:
            so = ", so its rates say nothing" if model["attacks"] else ""
            yield f"{name} is no better than the most frequent answer{so}."
        return
    if not model["attacks"]:
        yield from _without_attacks(report, model, name)
        return
    rates = {attack: entry for attack, entry in model["attacks"].items() if entry["asr"] is not None}
    if not rates:
        return
    attack = max(rates, key=lambda one: (rates[one]["asr"], one))
    worst = rates[attack]
    if not worst["asr"]:
        yield f"No attack breaks a right answer of {name}."
        return
    where = next(_where(report, worst), "")
    together = model["worst_case_asr"]["value"]
    every = f" All attacks together break {_whole(together)} %." if len(rates) > 1 and together > worst["asr"] else ""
    subject = _subject(report, model, attack, names[attack])
    yield f"{subject} {_whole(worst['asr'])} % of the right answers of {name} wrong{_change(worst)}{where}.{every}"


def _without_attacks(report: Mapping[str, Any], model: Mapping[str, Any], name: str) -> Iterator[str]:
    """The main metric of a model on the rows as they are."""
    for metric, one in model["metrics"].items():
        if one["value"] is None:
            return
        most = report["majority"].get(metric)
        beside = "" if most is None else f"; the most frequent answer has {most:.0f} %"
        yield f"{name} has {metric.replace('_', ' ')} {one['value']:.0f} %{beside}."
        return


def _subject(report: Mapping[str, Any], model: Mapping[str, Any], attack: str, name: str) -> str:
    """The attack and its verb; a search says against which model, with how many queries."""
    if attack == WORST_ROWS:
        return "The rows that were chosen as the worst turn"
    search = report.get("searches", {}).get(attack)
    if search is None:
        return f"{name} turns"
    if search["model"] == model["signature"]:
        return f"A search of at most {search['budget']:,} queries a row turns"
    return f"The rows of the search {name} turn"


def _whole(percentage: float) -> str:
    """A percentage above 0 without digits after the point."""
    return f"{percentage:.0f}" if percentage >= _LEAST else "less than 1"


def _change(entry: Mapping[str, Any]) -> str:
    """The main metric before and after, in brackets."""
    for metric, one in entry["metrics"].items():
        return f" ({metric.replace('_', ' ')} {one['before']:.0f} → {one['after']:.0f} %)"
    return ""


def _where(report: Mapping[str, Any], entry: Mapping[str, Any]) -> Iterator[str]:
    """The cells of a subpopulation in which clearly more answers break, the clearest first."""
    cells = [
        (cell["asr"] / entry["asr"], name, at, own)
        for name, own in entry["subpopulations"].items()
        for at, cell in enumerate(own)
        if cell["right"] >= _FEW and cell["asr"] >= _TIMES * entry["asr"] and cell["ci95"][0] > entry["asr"]
    ]
    for times, name, at, own in sorted(cells, key=lambda one: (-one[0], one[1], one[3][one[2]]["value"])):
        often = "twice as many" if f"{times:.1f}" == "2.0" else f"{times:.1f} times as many"
        yield f", {often} {_cell(report, name, at, own)}"


def _cell(report: Mapping[str, Any], name: str, at: int, own: Sequence[Mapping[str, Any]]) -> str:
    """A cell of a property in words."""
    value = own[at]["value"]
    if name in _ENDS and at in (0, len(own) - 1):
        return _ENDS[name][at > 0].format(value).replace("(of 1 words)", "(of one word)")
    if name in report["gold"]:
        return f"where the right answer is {value}"
    return f"where {name.replace('_', ' ')} is {value}"
