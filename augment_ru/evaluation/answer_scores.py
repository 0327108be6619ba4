"""Score written answers and labels by exact match, token F1, macro F1 and MCC; bring answers to a normal form.

This module imports only the standard library, because each release holds a copy of it for lm-evaluation-harness.
So the harness and augment-ru score an answer in the same way.
"""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add
from typing import TypeVar

Label = TypeVar("Label", str, int)

_STRESS = "\u0301"
_ASCII_MARKS = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


def normalised(text: str, form: str = "russian") -> str:
    """Return a text in the normal form in which answers are compared.

    "squad" is the form of SQuAD's own script (Rajpurkar et al. 2016, section 4), which the benchmark MERA uses: lower
    case, no ASCII punctuation, no English articles, one space between words. The quotation marks «», ё and stress marks
    stay, and «C++» becomes «c».

    "russian" is the corresponding form for Russian, also in lower case with single spaces. All characters of the
    Unicode categories P* are removed. ё becomes е, stress marks (U+0301) are removed, and letters are composed (NFC),
    so that й typed as two characters equals й typed as one. Russian has no articles to remove. Signs such as + | $ №
    are not punctuation and stay: «C++» differs from «C».

    >>> normalised("  «Ёлки-палки»,   сказа\u0301л он… ")
    'елкипалки сказал он'
    >>> normalised("The Beatles, «Ёлки-палки»", "squad")
    'beatles «ёлкипалки»'
    """
    if form == "squad":
        return " ".join(_ARTICLES.sub(" ", text.lower().translate(_ASCII_MARKS)).split())
    composed = unicodedata.normalize("NFC", text.lower())
    kept = "".join(
        character for character in composed if character != _STRESS and unicodedata.category(character)[0] != "P"
    )
    return " ".join(unicodedata.normalize("NFC", kept).replace("ё", "е").split())


def same_answer(golds: Sequence[str], prediction: str, form: str = "russian") -> bool:
    """Tell whether a prediction equals one of the right answers, if both are in normal form.

    Args:
        golds: the right answers.
        prediction: the answer of a model.
        form: the normal form, "russian" or "squad" (`normalised`).
    """
    given = normalised(prediction, form)
    return any(normalised(gold, form) == given for gold in golds)


def token_f1(gold: str, prediction: str, form: str = "russian") -> float:
    """Return the F1 between the words of two answers, in [0, 1].

    Words are compared as multisets: a word counts as often as it occurs. If neither answer has words, the result is 1;
    if only one has words, it is 0.

    Args:
        gold: the right answer.
        prediction: the answer of a model.
        form: the normal form of the texts, "russian" or "squad" (`normalised`).

    >>> token_f1("в городе Казани", "Казани")
    0.5
    """
    wanted, given = normalised(gold, form).split(), normalised(prediction, form).split()
    if not wanted or not given:
        return float(wanted == given)
    common = sum((Counter(wanted) & Counter(given)).values())
    return 2 * common / (len(wanted) + len(given))


def best_token_f1(golds: Sequence[str], prediction: str, form: str = "russian") -> float:
    """Return the highest token F1 of a prediction with any of the right answers; 0 if there are no right answers.

    Args:
        golds: the right answers.
        prediction: the answer of a model.
        form: the normal form of the texts, "russian" or "squad" (`normalised`).
    """
    return max((token_f1(gold, prediction, form) for gold in golds), default=0.0)


def matthews(pairs: Iterable[tuple[Label, Label]]) -> float:
    """Return Matthews' correlation coefficient for several classes (Gorodkin 2004), in [-1, 1].

    It is 0 if all right labels or all predictions are the same, because the coefficient is then not defined. Each of
    `pairs` is the right label and the predicted label of one prediction.

    >>> matthews([(1, 1), (0, 0), (1, 0)])
    0.5
    """
    counts = Counter(pairs)
    golds, predictions = Counter[Label](), Counter[Label]()
    hits, total = 0, sum(counts.values())
    for (gold, prediction), count in counts.items():
        golds[gold] += count
        predictions[prediction] += count
        hits += count if gold == prediction else 0
    covariance = hits * total - sum(golds[label] * predictions[label] for label in golds)
    spreads = [total**2 - sum(count**2 for count in side.values()) for side in (golds, predictions)]
    return covariance / (spreads[0] * spreads[1]) ** 0.5 if all(spreads) else 0.0


def f1_of_true(pairs: Iterable[tuple[str, str]]) -> float:
    """Return the F1 of the positive label ("1" or "true") over pairs of a right and a predicted label.

    It is 0 if neither side of any pair is positive.

    >>> f1_of_true([("1", "1"), ("0", "1"), ("1", "1")])
    0.8
    """
    sides = [(gold in _TRUE, given in _TRUE) for gold, given in pairs]
    size = sum(gold + given for gold, given in sides)
    return 2 * sum(gold and given for gold, given in sides) / size if size else 0.0


_TRUE = ("1", "true")


def whole(items: Iterable[tuple[object, bool]]) -> float:
    """Return the share of questions whose items (such as options) are all predicted right; 0 without items.

    An item is given as a pair: the question that it belongs to, and whether its prediction is right.

    >>> whole([("a", True), ("a", False), ("b", True)])
    0.5
    """
    found: dict[object, bool] = {}
    for question, is_right in items:
        found[question] = found.get(question, True) and is_right
    return sum(found.values()) / len(found) if found else 0.0


def macro_f1(pairs: Iterable[tuple[Label, Label]], classes: Iterable[Label] = ()) -> float:
    """Return the unweighted mean of the F1 of all classes, in [0, 1]; 0 without classes.

    Args:
        pairs: the right class and the predicted class of each prediction.
        classes: classes that count even if they occur in no pair; their F1 is then 0.

    >>> macro_f1([("да", "да"), ("да", "нет")])
    0.3333333333333333
    """
    counts = Counter(pairs)
    hits: Counter[Label] = Counter()
    golds: Counter[Label] = Counter()
    predictions: Counter[Label] = Counter()
    golds.update(dict.fromkeys(classes, 0))
    for (gold, prediction), count in counts.items():
        golds[gold] += count
        predictions[prediction] += count
        hits[gold] += count if gold == prediction else 0
    scores: list[float] = []
    for label in sorted(golds.keys() | predictions.keys()):
        size = golds[label] + predictions[label]
        scores.append(2 * hits[label] / size if size else 0.0)
    return reduce(add, scores, 0.0) / len(scores) if scores else 0.0
