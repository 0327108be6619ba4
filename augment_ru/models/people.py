"""Answers of people, as a human baseline (TAPE, section 5.3): for each `text` the `answers` of annotators by name.

An answer is a label or a text; for several labels, an object with a label for each field (Ethics), or a list (MuSeRC).
The labels of each field are aggregated separately.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import ModelRequest, PredictFunction, Prediction
from augment_ru.evaluation.verdicts import Vote, weighed
from augment_ru.formats.read import read_rows
from augment_ru.models._options import CheckedOptions, limited
from augment_ru.models.ranking import by_text
from augment_ru.records.answers import label_of
from augment_ru.records.groups import grouped


@dataclass(frozen=True, slots=True)
class Options(CheckedOptions):
    """The options of the model `people` (a file of people's answers), set by `--model-option people.NAME=VALUE`.

    Attributes:
        aggregate: how the answers to a text become one. `majority` takes the most frequent answer; of equally frequent
            ones, the first in alphabetical order. `dawid-skene` weighs people by their estimated errors.
    """

    aggregate: str = limited("majority", possible=("majority", "dawid-skene"))


def people(request: ModelRequest, /) -> PredictFunction:
    """Make a model that answers as people did; a file has the answers of several people to each text.

    The option `aggregate` says how these answers become one: the most frequent one is taken, or people are weighed by
    how reliable they are.

    Args:
        request: what the model is made from; its `argument` is the file.

    Raises:
        AugmentError: there is no such file, a row lacks its text or its answers, the people of a row answer
            different fields, or crowd-kit is needed (`dawid-skene`) and not installed.
    """
    votes: dict[Any, list[Vote]] = {}
    for where, row in read_rows(request.argument, encoding=request.encoding).rows if request.argument else ():
        if not isinstance(row.get("text"), str) or not isinstance(row.get("answers"), Mapping) or not row["answers"]:
            raise AugmentError(f"{where}: needs the text of a question and answers, an object of annotators")
        parts = {str(who): _parts(said) for who, said in row["answers"].items()}
        if len({frozenset(said) for said in parts.values()}) > 1:
            raise AugmentError(f"{where}: annotators must answer the same parts")
        for who, said in parts.items():
            for key, label in said.items():
                votes.setdefault(key, []).append(Vote(row["text"], who, label_of(label)))
    if not votes:
        raise AugmentError("needs a file of answers, as in people:answers.jsonl")
    join = _most_frequent if request.options.aggregate == "majority" else weighed
    joined: dict[str, dict[Any, str]] = {}
    for key, own in votes.items():
        for text, label in join(own).items():
            joined.setdefault(text, {})[key] = label
    return by_text({text: _whole(answer) for text, answer in joined.items()}, request.argument)


def _parts(said: object) -> Mapping[Any, object]:
    """Return the labels of an answer by key: the field, the index in a list, or None for a single label."""
    if isinstance(said, Mapping):
        return said
    return dict(enumerate(said)) if isinstance(said, list) else {None: said}


def _whole(parts: Mapping[Any, str]) -> Prediction:
    if None in parts:
        return parts[None]
    return [parts[at] for at in range(len(parts))] if 0 in parts else parts


def _most_frequent(votes: Iterable[Vote]) -> dict[str, str]:
    given = grouped((vote.id, vote.verdict) for vote in votes)
    return {text: min(own, key=lambda one: (-own.count(one), one)) for text, own in given.items()}
