"""RuTransform, TAPE's code, beside this package: what docs/sources.md says of its functions and of its search.

With the folder of its repository in AUGMENT_RU_RUTRANSFORM. It runs as it is on the first 200 sentences of
examples/domains, each with its number as the seed; replaced are the models that it loads: tokens are those of
`spacy.blank("ru")`, and its search is given a stand-in scorer.
"""

import importlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from augment_ru import Augmenter
from augment_ru.editing.characters import keyboards

FOLDER = os.environ.get("AUGMENT_RU_RUTRANSFORM")
pytestmark = [
    pytest.mark.skipif(not FOLDER, reason="AUGMENT_RU_RUTRANSFORM names no folder of RuTransform"),
    pytest.mark.filterwarnings("ignore"),
]
ROWS = (Path(__file__).parents[2] / "examples/domains/test.jsonl").read_text("utf-8").split("\n")[:200]
SENTENCES = [json.loads(row)["text"] for row in ROWS]


@pytest.fixture
def code(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Import its modules without those that need models."""
    spacy = pytest.importorskip("spacy")
    held: dict[str, dict[str, Any]] = {
        "nltk": {},
        "nltk.corpus": {"stopwords": SimpleNamespace(words=lambda _: ["и", "в", "не", "на", "что"])},
        "bert_score": {"BERTScorer": lambda lang: None},  # noqa: ARG005
        "rutransform.constraints": {"Constraint": object},
        "rutransform.transformations.transformations.spelling": {},
        "rutransform.transformations.transformations.eda": {},
        "rutransform": {},
        "rutransform.transformations": {},
    }
    for name, values in held.items():
        module = ModuleType(name)
        module.__path__ = [str(Path(FOLDER or "", *name.split(".")))]
        vars(module).update(values)
        monkeypatch.setitem(sys.modules, name, module)
    blank = spacy.blank("ru")
    monkeypatch.setattr(spacy, "load", lambda _: blank)
    at = "rutransform.transformations"
    typos, case = (
        importlib.import_module(f"{at}.transformations.spelling.{one}")
        for one in ("butter_fingers", "change_char_case")
    )
    vars(sys.modules[f"{at}.transformations.spelling"]).update(
        vars(typos), ChangeCharCase=None, EmojifyTransformation=None
    )
    vars(sys.modules[at])["Transformer"] = importlib.import_module(f"{at}.transformer").Transformer
    found = SimpleNamespace(
        typos=typos.butter_finger,
        case=case.change_char_case,
        eda=importlib.import_module(f"{at}.transformations.eda.eda"),
        arguments=importlib.import_module("rutransform.utils.args").TransformArguments,
        search=importlib.import_module(f"{at}.transformers.spelling").SpellingTransformer,
        tokens=lambda text: [token.text for token in blank(text)],
        blank=blank,
    )
    yield found
    for name in [one for one in sys.modules if one.startswith("rutransform")]:
        monkeypatch.delitem(sys.modules, name)


RUSSIAN = "абвгдежзийклмнопрстуфхцчшщъыьэюя"
"""The letters for which it has neighbours."""


def beside(letter: str, other: str) -> bool:
    """Tell whether the keys of two letters are next to each other."""
    table = keyboards(("keyboard_ru",))
    row = table.row_of[ord(letter)]
    return ord(other) in table.substitutes[row][np.diff(table.bounds[row], prepend=0) > 0]


def slips_of(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of letters, in lower case, that differ between texts of the same lengths."""
    pairs = [(a, b) for one, other in zip(before, after, strict=True) for a, b in zip(one, other, strict=True)]
    return [(a.lower(), b.lower()) for a, b in pairs if a != b]


def ours(attack: str, probability: float) -> list[str]:
    augmenter = Augmenter(attack, probability=probability, constraints=(), similarity="none")
    return [one.text for one in augmenter.texts(SENTENCES)]


def marks(text: str) -> str:
    """Return the marks of a text without hyphens, which are in words."""
    return "".join(sign for sign in text if not sign.isalnum() and not sign.isspace() and sign != "-")


def changed(before: Sequence[object], after: Sequence[object]) -> int:
    return sum(one != other for one, other in zip(before, after, strict=True))


def test_it_joins_tokens_by_blanks_and_we_keep_white_space(code: Any) -> None:  # noqa: ANN401
    theirs = [code.case(text, code.blank, prob=0)[0] for text in SENTENCES]
    assert changed(SENTENCES, theirs) == 200
    assert changed([" ".join(code.tokens(text)) for text in SENTENCES], theirs) == 0
    assert changed(SENTENCES, ours("case", 0)) == 0


def test_its_slips_reach_two_keys_away_and_ours_the_next(code: Any) -> None:  # noqa: ANN401
    joined = [" ".join(code.tokens(text)) for text in SENTENCES]
    theirs = slips_of(joined, [code.typos(t, code.blank, prob=0.075, seed=n)[0] for n, t in enumerate(SENTENCES)])
    letters = sum(sign.lower() in RUSSIAN for text in SENTENCES for sign in text)
    assert (letters, len(theirs)) == (11022, 748)
    assert sum(not beside(*pair) for pair in theirs) == 452
    mine = slips_of(SENTENCES, ours("butterfingers", 0.075))
    assert all(beside(*pair) for pair in mine)
    assert len(mine) == 823


def test_its_case_loses_marks(code: Any) -> None:  # noqa: ANN401
    theirs = [code.case(text, code.blank, prob=0.1, seed=at)[0] for at, text in enumerate(SENTENCES)]
    joined = [" ".join(code.tokens(text)) for text in SENTENCES]
    assert changed(list(map(len, joined)), list(map(len, theirs))) == 40
    assert changed(list(map(len, SENTENCES)), list(map(len, ours("case", 0.1)))) == 0


def test_its_deletion_and_its_swaps_take_marks_for_words(code: Any) -> None:  # noqa: ANN401
    tokens = [" ".join(code.tokens(text)).split() for text in SENTENCES]
    kept = [code.eda.random_deletion(own, 0.3, at) for at, own in enumerate(tokens)]
    lost = changed([marks("".join(own)) for own in tokens], [marks("".join(own)) for own in kept])
    rate = 1 - sum(map(len, kept)) / sum(map(len, tokens))
    assert (lost, round(rate, 2)) == (88, 0.31)
    assert changed(list(map(marks, SENTENCES)), list(map(marks, ours("eda_delete", 0.3)))) == 0

    swapped = [code.eda.random_swap(own, max(1, int(0.3 * len(own))), at) for at, own in enumerate(tokens)]
    moved = [sum(map(str.__ne__, own, new)) for own, new in zip(tokens, swapped, strict=True)]
    assert (moved.count(0), moved.count(2)) == (97, 103)
    pairs = [list(zip(own, new, strict=True)) for own, new in zip(tokens, swapped, strict=True)]
    assert sum(any(one != other and marks(one) == one for one, other in own) for own in pairs) == 32


@pytest.mark.parametrize(
    ("scores", "text", "score", "asked"),
    [
        ((), "Кот спит.", 1.0, [0.4, 0.2, 0.1, 0.05]),
        ((0.95, 0.90, 0.99), "в", 0.90, [0.4]),
    ],
)
def test_its_search(code: Any, scores: Sequence[float], text: str, score: float, asked: list[float]) -> None:  # noqa: ANN401
    """It halves three times, then returns the original with 1.0; of candidates that pass it takes the last by text."""
    given = list[float]()

    class Scorer:
        def score(self, candidates: list[str], _: object) -> Any:  # noqa: ANN401
            values = dict(zip("абв", np.array(scores)[[0, 2, 1]], strict=True)) if scores else {}
            found = np.array([values.get(candidates[0], 0.0)])
            return found, found, found

    class Attack:
        def generate(self, prob: float, **_: object) -> list[str]:
            given.append(prob)
            return ["а", "б", "в"]

    search = code.search(
        ["butter_fingers"], "classification", code.arguments(probability=0.4, similarity_threshold=0.8)
    )
    search.bert_scorer, search.transformers = Scorer(), {"butter_fingers": Attack()}
    rows, found = search.transform({"text": "Кот спит.", "label": 1})
    assert ([row["text"] for row in rows], found, given) == ([text], [score], asked)
