"""What an evaluation found, in words."""

from collections.abc import Iterator, Mapping
from typing import Any

from augment_ru.evaluation.tables import beats_majority

_FEW = 20
"""Right predictions below which a cell says nothing."""
_TIMES = 1.5
"""How many times the rate of all rows a cell's must be to be told."""


def findings(report: Mapping[str, Any]) -> list[str]:
    """A sentence for each model: the attack that breaks most of its right answers, where, and the worst case."""
    found: list[str] = []
    for model in report["models"]:
        name = model["model"] + ("" if model["shots"] is None else f" ({model['shots']}-shot)")
        if not beats_majority(report, model):
            if report["majority"]:
                found.append(f"{name} is no better than the most frequent answer, so its rates say nothing.")
            continue
        rates = {attack: entry for attack, entry in model["attacks"].items() if entry["asr"] is not None}
        if not rates:
            continue
        attack = max(rates, key=lambda one: (rates[one]["asr"], one))
        worst = rates[attack]
        if not worst["asr"]:
            found.append(f"No attack breaks a right answer of {name}.")
            continue
        where = next(_where(worst), "")
        together = model["worst_case_asr"]["value"]
        every = f" All attacks together break {together:.0f} %." if len(rates) > 1 and together > worst["asr"] else ""
        found.append(f"{attack} turns {worst['asr']:.0f} % of the right answers of {name} wrong{where}.{every}")
    return found


def _where(entry: Mapping[str, Any]) -> Iterator[str]:
    """The cells of a subpopulation in which clearly more answers break, the clearest first."""
    cells = [
        (cell["asr"] / entry["asr"], name, cell)
        for name, own in entry["subpopulations"].items()
        for cell in own
        if cell["right"] >= _FEW and cell["asr"] >= _TIMES * entry["asr"] and cell["ci95"][0] > entry["asr"]
    ]
    for times, name, cell in sorted(cells, key=lambda one: (-one[0], one[1], one[2]["value"])):
        yield f", {times:.1f} times as many where {name.replace('_', ' ')} is {cell['value']}"
