"""The rankings of your own search engine, in a file: for each query its `text` and its `ranking`, a list of ids."""

from collections.abc import Mapping, Sequence

from augment_ru.errors import AugmentError, brief
from augment_ru.evaluation.examples import Example, ModelRequest, PredictFunction, Prediction
from augment_ru.formats.read import read_rows


def ranking(request: ModelRequest, /) -> PredictFunction:
    """Make a model that answers with the rankings in a file, which another search engine made.

    Args:
        request: what the model is made from; its `argument` is the file.

    Raises:
        AugmentError: there is no such file, or a row lacks its text or its ranking.
    """
    if not request.argument:
        raise AugmentError("needs the file of the rankings, as in ranking:rankings.jsonl")
    known: dict[str, list[str]] = {}
    for where, row in read_rows(request.argument, encoding=request.encoding).rows:
        if not isinstance(row.get("text"), str) or not isinstance(row.get("ranking"), list):
            raise AugmentError(f"{where}: needs the text of a query and its ranking, a list of ids")
        known[row["text"]] = row["ranking"]
    return by_text(known, request.argument)


def by_text(known: Mapping[str, Prediction], path: str) -> PredictFunction:
    """Return a model that looks up its answers by the texts of the questions; it raises an error for other texts.

    Args:
        known: maps the text of each question to its answer.
        path: the file of the answers, for messages.
    """

    def predict(examples: Sequence[Example]) -> list[Prediction]:
        if missing := [one.text for one in examples if one.text not in known]:
            problem = f"{path}: has no answer to {brief(missing[0])} and {len(missing) - 1:,} others"
            raise AugmentError(f"{problem}; the texts of perturbed rows need one, too")
        return [known[one.text] for one in examples]

    predict.deterministic = True  # type: ignore[attr-defined]
    predict.few_shot = False  # type: ignore[attr-defined]
    return predict
