"""Presets: the defaults of a run under one name. Same code, other parameters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.records.task import Task


@dataclass(frozen=True, slots=True)
class Preset:
    """What holds where the command line and the recipe say nothing.

    Attributes:
        settings: arguments of an `Augmenter`.
        options: options of attacks and of the similarity, by name.
        models: the hub's names of the models that these run.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    models: Sequence[str] = ()


PAPER_CONSTRAINTS = ("named_entities", "jeopardy", "referents", "multihop")
"""TAPE (Taktasheva et al. 2022), Appendix D, Table 4."""

PAPER_PROBABILITIES = {
    "butterfingers": 0.15, "emojify": 0.4, "eda_delete": 0.3, "eda_swap": 0.3, "back_translation": 0.5, "add_sent": 0.5,
}  # fmt: skip
"""The same, Table 1."""

PAPER_MODEL = "bert-base-multilingual-cased"
"""The same, section 4.2.2, footnote 11."""

PAPER_GENERATOR = "ai-forever/mGPT"
"""The language model of AddSent; the same, section 4.2.1, names the model mGPT."""


def paper_constraints(task: Task) -> Sequence[str]:
    """Of a task's constraints those that the paper has; ours on numbers, negation and options are not among them."""
    return tuple(name for name in task.constraints if name in PAPER_CONSTRAINTS)


PRESETS: Mapping[str, Callable[[], Preset]] = {
    "offline": Preset,
    "tape": lambda: Preset(
        settings={
            "similarity": f"bertscore:{PAPER_MODEL}",
            "schedule": "paper",
            "constraints": paper_constraints,
        },
        options={
            **{name: {"probability": probability} for name, probability in PAPER_PROBABILITIES.items()},
            "add_sent": {"probability": PAPER_PROBABILITIES["add_sent"], "generator": f"hf:{PAPER_GENERATOR}"},
        },
        models=(PAPER_MODEL, "Helsinki-NLP/opus-mt-ru-en", "Helsinki-NLP/opus-mt-en-ru", PAPER_GENERATOR),
    ),
}


def preset(name: str) -> Preset:
    """The preset of this name.

    Raises:
        AugmentError: there is none.
    """
    if name not in PRESETS:
        raise AugmentError(f"preset '{name}'; possible: {', '.join(PRESETS)}")
    return PRESETS[name]()
