"""Models that slip: how often they answer the same text differently, and what an attack breaks above that."""

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from augment_ru import Example, evaluate
from augment_ru.evaluation.entries import _usually_broken
from augment_ru.evaluation.evaluation import Evaluation
from augment_ru.evaluation.examples import NamedModel
from augment_ru.evaluation.findings import findings
from layouts import ROWS

LABELS = ("нет", "да")


class Slipping:
    """Answers as `usual` says, but slips with the given probability; it counts its answers."""

    signature = "slipping"

    def __init__(self, usual: dict[str, str], slips: float) -> None:
        self.usual, self.slips, self.random, self.answers = usual, slips, random.Random(7), 0

    def __call__(self, examples: Sequence[Example]) -> list[str]:
        self.answers += len(examples)
        usual = [self.usual[example.text] for example in examples]
        return [LABELS[one == LABELS[0]] if self.random.random() < self.slips else one for one in usual]


def rows(count: int, broken: float) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, str]]:
    """Originals, perturbed rows and usual answers: every tenth is wrong before, and a share of the others breaks."""
    originals, perturbed, usual = [], [], {}
    for number in range(count):
        label = LABELS[number % 2]
        wrong, text, changed = LABELS[number % 2 == 0], f"Кот номер {number}.", f"Кит номер {number}."
        originals.append({"id": number, "text": text, "label": label})
        perturbed.append({"id": number, "text": changed, "label": label, "augment": {"attack": "letters"}})
        usual[text] = wrong if number % 10 == 0 else label
        usual[changed] = wrong if number % 10 == 0 or number % 100 < 100 * broken else label
    return originals, perturbed, usual


def counted(model: Slipping, data: tuple[Any, Any, Any], **settings: Any) -> Evaluation:  # noqa: ANN401
    """Evaluate a model on the rows."""
    return evaluate(data[1], {"model": model}, originals=data[0], flipping="none", **settings)


@pytest.mark.parametrize("slips", [0.05, 0.1])
@pytest.mark.parametrize("broken", [0.0, 0.3])
def test_the_rate_above_the_noise_is_that_of_the_usual_answers(slips: float, broken: float) -> None:
    data = rows(400, broken)
    entry = counted(Slipping(data[2], slips), data, repeats=3).counted().models[0]
    attack = entry.attacks["letters"]
    truth = 100 * broken
    assert attack.rate.ci95 is not None
    assert attack.asr_above_noise is not None
    low, high = attack.asr_above_noise.ci95 or (0.0, 0.0)
    assert low <= truth <= high
    assert high - low < 20
    assert attack.flips_above_noise is not None
    low, high = attack.flips_above_noise.ci95 or (0.0, 0.0)
    broken_rows = sum(number % 10 > 0 and number % 100 < truth for number in range(100))
    assert low <= broken_rows * (1 - 2 * slips) ** 2 <= high  # two slips undo each other
    assert entry.same_text_flips is not None
    low, high = entry.same_text_flips.ci95 or (0.0, 0.0)
    assert low <= 100 * 2 * slips * (1 - slips) <= high
    if not broken:
        assert attack.rate.ci95[0] > 0  # slips alone look like broken answers


def test_a_model_that_answers_the_same_has_its_rates_as_they_are() -> None:
    data = rows(50, 0.2)
    entry = counted(Slipping(data[2], 0.0), data, repeats=2).counted().models[0]
    above, rate = entry.attacks["letters"].asr_above_noise, entry.attacks["letters"].rate
    assert above is not None
    assert (above.value, above.ci95, above.interval_method) == (rate.asr, rate.ci95, rate.interval_method)
    more = entry.attacks["letters"].flips_above_noise
    assert more is not None
    assert more.value == entry.attacks["letters"].flip_rate.value  # every flip is the attack's
    assert entry.same_text_flips is not None
    assert entry.same_text_flips.value == 0


def test_a_model_that_slips_on_perturbed_texts_alone_slips() -> None:
    originals, perturbed, usual = rows(40, 0.0)
    asked: Counter[str] = Counter()

    def slipping(examples: Sequence[Example]) -> list[str]:
        asked.update(example.text for example in examples)
        return [LABELS[asked[one.text] % 2] if one.text.startswith("Кит") else usual[one.text] for one in examples]

    found = evaluate(perturbed, {"model": slipping}, originals=originals, flipping="none", repeats=2)
    flips = found.counted().models[0].same_text_flips
    assert flips is not None
    assert flips.value == 50.0  # of two texts of each row one


def test_each_repeat_is_asked_and_kept_by_the_cache(tmp_path: Path) -> None:
    data = rows(20, 0.2)
    model = Slipping(data[2], 0.3)
    first = counted(model, data, repeats=3, cache=tmp_path / "answers.sqlite").report()
    assert model.answers == 3 * 40
    assert counted(model, data, repeats=3, cache=tmp_path / "answers.sqlite").report() == first
    assert model.answers == 3 * 40
    once = counted(model, data, cache=tmp_path / "answers.sqlite").report()
    assert model.answers == 3 * 40
    assert once["models"][0]["attacks"]["letters"]["asr"] == first["models"][0]["attacks"]["letters"]["asr"]


def test_the_report_says_what_one_answer_to_each_text_hides() -> None:
    data = rows(20, 0.2)
    (_, said) = findings(counted(Slipping(data[2], 0.0), data).counted())
    assert "Slips of model may count as broken" in said
    said = findings(counted(Slipping(data[2], 0.3), data, repeats=2).counted())[0]
    assert "% of the same texts differently" in said

    def sure(examples: Sequence[Example]) -> list[str]:
        return ["да"] * len(examples)

    assert not NamedModel.of("model", sure).deterministic
    sure.deterministic = True  # type: ignore[attr-defined]
    assert NamedModel.of("model", sure).deterministic


def test_slips_are_solved_exactly() -> None:
    # 10 % slips; 80 % usually right, of which a quarter is usually wrong afterwards; the wrong stay wrong
    s, right, after = 0.1, 0.8, 0.6
    before, now = (np.array([share * (1 - s) + (1 - share) * s]) for share in (right, after))
    both = after * (1 - s) ** 2 + (right - after) * (1 - s) * s + (1 - right) * s**2
    found = _usually_broken(before, now, np.array([both]), np.array([s * (1 - s)]), other=1.0)
    assert found == pytest.approx([0.25])


@pytest.mark.parametrize(("name", "differ"), [("mera_chegeka", 100.0), ("chegeka", 0.0)])
def test_answers_are_the_same_in_the_normal_form_of_the_task(name: str, differ: float) -> None:
    """The form of SQuAD, with which MERA scores, keeps ё and chevrons."""
    turns: Counter[str] = Counter()

    def model(examples: Sequence[Example]) -> list[str]:
        turns.update(one.text for one in examples)
        return [("Ёлка", "«Елка»")[turns[one.text] % 2] for one in examples]

    found = evaluate(ROWS[name], {"model": model}, task=name, originals=ROWS[name], repeats=2).counted().models[0]
    assert found.same_text_flips is not None
    assert found.same_text_flips.value == differ
