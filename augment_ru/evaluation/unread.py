"""Mark and count replies without an answer: refused, empty, cut off, unreadable."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

KINDS = ("refused", "empty", "cut", "unreadable")
"""Why a reply has no answer: the model refuses, says nothing, was cut off by its limit, or names no answer."""

EMPTY = ""
REFUSED, CUT, UNREADABLE = "\x00refused", "\x00cut", "\x00unreadable"
"""The predictions that stand for a reply that refuses, was cut off, or names no answer. Metrics count each of them as
an empty answer, which is never right.
"""
_KIND_OF = {EMPTY: "empty", REFUSED: "refused", CUT: "cut", UNREADABLE: "unreadable"}

UnreadCounts: TypeAlias = Mapping[str, int]
"""Maps each kind of reply without an answer (`KINDS`) that occurs to the number of such replies, and "answers" to the
number of all replies.
"""

_REFUSAL = re.compile(
    r"не (?:могу|можем|буду|в состоянии) (?:\w+ ){0,2}?(?:ответить|отвечать|помо|обсуждать|выполнить|дать|судить)"
    r"|как (?:языковая|нейросетевая|большая|ии)[ -]\w*\s?модель|языковые модели не (?:обладают|имеют)"
    r"|^\W*(?:извините|простите|к сожалению)\b"
    r"|\bI(?:'m| am)(?: sorry| unable| not able)"
    r"|\bI (?:can(?:no|')t|won't|will not) (?:\w+ )?(?:help|answer|assist|provide)"
    r"|as an ai\b",
    re.IGNORECASE,
)


def is_refusal(reply: str) -> bool:
    """Tell whether a reply refuses to answer, by phrases that are typical of Russian and English refusals.

    >>> is_refusal("Извините, я не могу ответить на этот вопрос."), is_refusal("Не могу знать: Петербург")
    (True, False)
    """
    return _REFUSAL.search(reply) is not None


def unread_counts(predictions: Iterable[object]) -> UnreadCounts:
    """Count the answers of a model, and its replies without an answer, by kind.

    The kinds are "refused", "empty", "cut" (off at the maximum length) and "unreadable". Kinds that do not occur are
    left out.

    Args:
        predictions: the predictions; special texts such as `REFUSED` mark replies without an answer.

    >>> unread_counts(["B", REFUSED, {"per_law": "1", "per_virtue": ""}])
    {'answers': 4, 'refused': 1, 'empty': 1}
    """
    texts = Counter(text for prediction in predictions for text in _texts(prediction))
    found: Counter[str] = Counter()
    for text, count in texts.items():
        found[_KIND_OF.get(text) or ("refused" if is_refusal(text) else "")] += count
    return {"answers": texts.total(), **{kind: found[kind] for kind in KINDS if kind in found}}


def without_marks(prediction: Any) -> Any:  # noqa: ANN401  (JSON values)
    """Replace the marks of replies without an answer by empty texts; return the new prediction.

    Such a mark is a special text, for example `REFUSED`, that stands in place of the answer.

    Args:
        prediction: a text, or a list or mapping of texts.
    """
    if isinstance(prediction, str):
        return EMPTY if prediction in _KIND_OF else prediction
    if isinstance(prediction, Mapping):
        return {key: without_marks(one) for key, one in prediction.items()}
    return [without_marks(one) for one in prediction] if isinstance(prediction, Sequence) else prediction


def _texts(prediction: object) -> Iterator[str]:
    if isinstance(prediction, str) or not isinstance(prediction, Mapping | Sequence):
        yield EMPTY if prediction is None else str(prediction)
    else:
        for one in prediction.values() if isinstance(prediction, Mapping) else prediction:
            yield from _texts(one)
