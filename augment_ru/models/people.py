"""Answers of people, as a human baseline (TAPE, section 5.3): for each `text` the `answers` of annotators by name."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import ModelRequest, PredictFunction
from augment_ru.evaluation.verdicts import Vote, weighed
from augment_ru.formats.read import read_rows
from augment_ru.models._options import check_one_of
from augment_ru.models.ranking import by_text
from augment_ru.records.answers import label_of


@dataclass(frozen=True, slots=True)
class Options:
    """The options of `--model-option people.NAME=VALUE`.

    Attributes:
        aggregate: how the answers to a text are joined: the most frequent by `majority`, of equal ones the first
            alphabetically; or by `dawid-skene`, who weigh annotators by their errors.
    """

    aggregate: str = "majority"


def people(request: ModelRequest, /) -> PredictFunction:
    """Read the file that `argument` names.

    Raises:
        AugmentError: there is no such file, a row lacks its text or its answers, or crowd-kit is not installed.
    """
    check_one_of("aggregate", request.options.aggregate, ("majority", "dawid-skene"))
    votes = list[Vote]()
    for where, row in read_rows(request.argument, encoding=request.encoding).rows if request.argument else ():
        if not isinstance(row.get("text"), str) or not isinstance(row.get("answers"), Mapping) or not row["answers"]:
            raise AugmentError(f"{where}: needs the text of a question and answers, an object of annotators")
        votes += [Vote(row["text"], str(who), label_of(said)) for who, said in row["answers"].items()]
    if not votes:
        raise AugmentError("needs a file of answers, as in people:answers.jsonl")
    if request.options.aggregate != "majority":
        return by_text(weighed(votes), request.argument)
    counts: dict[str, Counter[str]] = {}
    for vote in votes:
        counts.setdefault(vote.id, Counter())[vote.verdict] += 1
    return by_text({text: min(own, key=lambda one: (-own[one], one)) for text, own in counts.items()}, request.argument)
