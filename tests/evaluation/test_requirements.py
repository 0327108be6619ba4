"""Requirements on rates and metrics: their form, what they are judged on, and what is said."""

from collections.abc import Sequence

import pytest

from augment_ru import AugmentError, Example, evaluate
from augment_ru.evaluation.entries import Requirement
from augment_ru.evaluation.evaluation import Evaluation


def model(examples: Sequence[Example]) -> list[str]:
    """Answers right unless a text has the word «не»."""
    return ["да" if "не" in example.text.split() else "нет" for example in examples]


model.few_shot = False  # type: ignore[attr-defined]


def judged(*require: str) -> Evaluation:
    """Forty rows, all answered right, of which four break."""
    originals = [{"id": number, "text": f"кот {number} спит", "label": "нет"} for number in range(40)]
    rows = [
        {**row, "text": f"кот {row['id']} {'не ' * (at < 4)}спал", "augment": {"attack": "adversary:linear:a(b)"}}
        for at, row in enumerate(originals)
    ]
    return evaluate(rows, {"model": model}, originals=originals, require=require)


def test_the_end_of_the_interval_is_judged_or_the_estimate() -> None:
    evaluation = judged("asr <= 15", "asr(adversary:linear:a(b))<=9.9 %", "accuracy >= 95", "asr_all_rows >= 3")
    assert evaluation.failures(point=True) == [
        "model: asr(adversary:linear:a(b)) is 10.00, over 9.9 (asr(adversary:linear:a(b))<=9.9 %)"
    ]
    assert [line.split(" (")[0] for line in evaluation.failures()] == [
        "model: asr(adversary:linear:a(b)) is 10.00, 95 % 3.96–23.05; the upper end is over 15",
        "model: asr(adversary:linear:a(b)) is 10.00, 95 % 3.96–23.05; the upper end is over 9.9",
        "model: accuracy is 100.00, 95 % 91.24–100.00; the lower end is under 95",
    ]


def test_metrics_after_an_attack_and_rates_of_all_attacks() -> None:
    met = judged("accuracy(adversary:linear:a(b)) >= 75", "macro_f1 >= 90", "worst_case >= 75", "worst_case_asr <= 25")
    assert met.failures() == []
    assert len(judged("macro_f1(adversary:linear:a(b)) >= 50").failures()) == 1  # F1 of «да» is 0, of «нет» 95


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("asr(people) < 5", "must be NAME <= NUMBER"),
        ("asr(people) <= five", "must be NAME <= NUMBER"),
        ("asr(people) <= 5", "no attack called 'people'"),
        ("acuracy >= 5", "did you mean 'accuracy'"),
        ("worst_case(adversary:linear:a(b)) >= 5", "is no number of one attack"),
        ("asr_above_noise <= 5", "`repeats` 3"),
    ],
)
def test_what_cannot_be_required_is_said_before_a_model_is_asked(text: str, said: str) -> None:
    with pytest.raises(AugmentError) as error:
        judged(text)
    assert said in str(error.value)
    assert f"`require` {text}" in str(error.value)


def test_an_unknown_number_fails() -> None:
    rows = [{"id": 1, "text": "кот не спит", "label": "нет", "augment": {"attack": "x"}}]
    originals = [{"id": 1, "text": "кот не спал", "label": "нет"}]
    evaluation = evaluate(rows, {"model": model}, originals=originals, require=("asr(x) <= 5",))
    assert evaluation.failures() == ["model: asr(x) is not known (asr(x) <= 5)"]
    assert Requirement.of("asr(x) <= 5").limit == 5
