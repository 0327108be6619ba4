"""Rows in the form that perturb writes, and a model that finds its answers in the text."""

from collections.abc import Sequence
from typing import Any

from augment_ru import Example


def row(
    attack: str,
    number: int,
    text: str,
    source: str,
    status: str = "perturbed",
    /,
    **fields: object,
) -> dict[str, Any]:
    """Make a row in the form that perturb writes, with one edit that replaces the whole text."""
    edits = [[0, len(source), text]] if text != source else []
    meta = {"attack": attack, "status": status, "source": {"text": source}, "edits": {"text": edits}}
    similarity = {"similarity": 0.9, "probability": 0.1} if status == "perturbed" else {}
    return {"id": number, "text": text, **fields, "augment": meta | similarity}


def table(*outcomes: str, attack: str = "a", start: int = 0) -> list[dict[str, Any]]:
    """Make rows that `reader` answers right or wrong as `outcomes` say.

    `+-` means right before and wrong after the perturbation; a dot at the end: unchanged; an exclamation mark:
    rejected.
    """
    rows = []
    for number, outcome in enumerate(outcomes, start=start):
        source = f"{number} {'yes' if outcome[0] == '+' else 'no'}"
        text = f"{number} {'yes' if outcome[1] == '+' else 'no'} {attack}"
        status = {".": "unchanged", "!": "rejected"}.get(outcome[2:], "perturbed")
        rows.append(row(attack, number, text if status == "perturbed" else source, source, status, label="yes"))
    return rows


def reader(examples: Sequence[Example]) -> list[str]:
    """Answer each example with its second word."""
    return [example.text.split()[1] for example in examples]


reader.deterministic = True  # type: ignore[attr-defined]
