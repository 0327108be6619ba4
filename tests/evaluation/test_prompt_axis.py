"""Prompts as an axis: the same rows under several prompts, what they do to a model, and what the variance is due to."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from augment_ru import AugmentError, evaluate
from augment_ru.evaluation.entries import SHARES, variance_shares
from augment_ru.evaluation.findings import findings
from augment_ru.evaluation.tables import prompts, variance
from augment_ru.prompting.prompt import LAYOUTS
from augment_ru.prompting.prompt_file import prompt_of, variants_of
from augment_ru.records.task import task
from augment_ru.resources import folder
from served import chat, serving

TEN = ("danetqa", "lidirus", "muserc", "parus", "rcb", "ru_openbook", "ru_worldtree", "russe", "rwsd", "terra")
ROWS: dict[str, dict[str, Any]] = {
    "danetqa": {"passage": "Кот спит.", "question": "Спит ли кот?"},
    "lidirus": {"sentence1": "Кот спит.", "sentence2": "Кто-то спит."},
    "muserc": {
        "passage": {"text": "Кот спит.", "questions": [{"question": "Кто спит?", "answers": [{"text": "Кот"}]}]}
    },
    "parus": {"premise": "Дождь.", "choice1": "Мокро.", "choice2": "Сухо.", "question": "effect"},
    "rcb": {"premise": "Кот спит.", "hypothesis": "Кот не спит."},
    "ru_openbook": {"question": "Кто спит? (A) кот (B) дуб (C) дом (D) лёд"},
    "ru_worldtree": {"question": "Кто спит? (A) кот (B) дуб (C) дом (D) лёд"},
    "russe": {"sentence1": "Лук растёт.", "sentence2": "Лук стреляет.", "word": "лук"},
    "rwsd": {"text": "Кот спит, он устал.", "target": {"span1_text": "Кот", "span2_text": "он"}},
    "terra": {"premise": "Кот спит.", "hypothesis": "Кот не спит."},
}
LABELS = {"rcb": ("contradiction", "entailment", "neutral"), "terra": ("entailment", "not_entailment")}


@pytest.mark.parametrize("name", TEN)
def test_ten_tasks_have_five_layouts_of_options(name: str) -> None:
    known = task(name)
    first = variants_of(known) - len(LAYOUTS) + 1
    labels = set()
    for layout, variant in zip(LAYOUTS, range(first, first + len(LAYOUTS)), strict=True):
        prompt = prompt_of(known, variant=variant)
        assert prompt.layout == layout
        (filled,) = prompt.build(ROWS[name], labels=LABELS.get(name))
        texts = [choice.text.strip() for choice in filled.choices]
        starts = {"letters": "А) ", "numbers": "1. ", "brackets": "(A) ", "lines": f"— {texts[0]}", "json": '{"A": "'}
        assert starts[layout] in filled.context
        wanted = {"letters": ["А", "Б"], "numbers": ["1", "2"], "lines": texts[:2]}.get(layout, ["A", "B"])
        assert texts[:2] == wanted
        assert filled.listed
        labels.add(tuple(choice.label for choice in filled.choices))
        shown = prompt.build(
            ROWS[name], [{**ROWS[name], **gold(name, filled.choices[1].label)}], labels=LABELS.get(name)
        )
        assert shown[0].turns[0][1] == texts[1]
    assert len(labels) == 1


def gold(name: str, label: str) -> dict[str, Any]:
    if name == "muserc":
        answers = [{"text": "Кот", "label": int(label)}]
        return {"passage": {"text": "Кот спит.", "questions": [{"question": "Кто спит?", "answers": answers}]}}
    return {task(name).scoring.gold[0]: label}


def test_shares_of_the_variance_are_those_that_were_drawn() -> None:
    random = np.random.default_rng(1)
    sizes = (60, 50, 200)
    wanted = np.array([1.0, 4.0, 9.0, 0.25, 2.0, 0.5, 1.0])
    parts = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    values = np.zeros(sizes)
    for part, size in zip(parts, wanted, strict=True):
        values = values + size**0.5 * random.normal(size=[sizes[axis] if axis in part else 1 for axis in range(3)])
    (found,) = variance_shares(values)
    assert found == pytest.approx(wanted / wanted.sum(), abs=0.08)
    assert len(found) == len(SHARES)
    weights = np.ones((2, 200))
    weights[1, :100], weights[1, 100:] = 2, 0
    twice = variance_shares(values, weights)
    assert twice[0] == pytest.approx(found)
    assert twice[1] == pytest.approx(variance_shares(np.concatenate([values[..., :100]] * 2, axis=2))[0])
    assert np.isnan(variance_shares(np.zeros((2, 2, 3)))).all()


def test_prompts_stand_beside_attacks(tmp_path: Path) -> None:
    rows = [
        {
            "premise": f"кот {number} спит.",
            "hypothesis": f"Кот {number} не спит.",
            "label": ("entailment", "not_entailment")[number % 2],
            "augment": {
                "attack": "case",
                "status": "perturbed",
                "source": {"premise": f"Кот {number} спит.", "hypothesis": f"Кот {number} не спит."},
                "edits": {"premise": [[0, 1, "к"]], "hypothesis": []},
            },
        }
        for number in range(12)
    ]

    def answer(_: int, question: dict[str, Any]) -> tuple[int, Any]:  # right but for the prompts with JSON and low case
        text = str(question["messages"])
        number = next(int(word) for word in text.split() if word.isdigit())
        right = number % 2 if '{"A"' in text or "кот" in text else 1 - number % 2
        return 200, chat(f"{'Да' if right else 'Нет'}")

    own = tmp_path / "own.toml"
    own.write_text(
        'template = "{premise} {hypothesis}: {label}"\n[labels]\n"Да" = "entailment"\n"Нет" = "not_entailment"\n',
        encoding="utf-8",
    )
    with serving(answer) as box:
        spec = f"m=openai:{box.url}#tiny"
        found = evaluate(rows, [spec, "random"], task="terra", prompts=["all", str(own)])
    report = found.counted()
    assert [model.model for model in report.models] == [
        *(f"m [prompt {at}]" for at in range(1, 7)),
        "m [own]",
        "random",
    ]
    (one,) = report.prompts or ()
    assert (one.model, one.rows, len(one.prompts)) == ("m", 12, 7)
    assert one.attacks["case"].value is not None
    assert one.attacks["case"].value < 0
    assert set(one.shares) == set(SHARES)
    assert sum(share.value or 0 for share in one.shares.values()) == pytest.approx(100, abs=0.05)
    assert [row[2] for row in prompts(report).rows][-2:] == ["case", "best − worst prompt"]
    assert len(variance(report).rows) == 1
    assert any("The prompt alone moves the right answers of m" in sentence for sentence in findings(report))
    with pytest.raises(AugmentError, match=r"no\.toml"):
        evaluate(rows, [spec], task="terra", prompts=[str(tmp_path / "no.toml")])


def test_prompts_without_attacks_have_no_shares_of_the_variance(tmp_path: Path) -> None:
    rows = [{"premise": f"Кот {n} спит.", "hypothesis": "Кот спит.", "label": "entailment"} for n in range(4)]
    for name, yes in (("a", "Да"), ("b", "Нет")):
        labels = f'[labels]\n"{yes}" = "entailment"\n"{"Нет" if yes == "Да" else "Да"}" = "not_entailment"\n'
        (tmp_path / f"{name}.toml").write_text(f'template = "{{premise}} {{hypothesis}}: {{label}}"\n{labels}', "utf-8")
    with serving(lambda *_: (200, chat("Да"))) as box:
        named = [str(tmp_path / f"{name}.toml") for name in "ab"]
        report = evaluate(rows, [f"m=openai:{box.url}#tiny"], task="terra", prompts=named).counted()
    (one,) = report.prompts or ()
    assert [(each.original.value, each.attacked) for each in one.prompts] == [(100.0, None), (0.0, None)]
    assert (one.attacks, one.shares, one.spread.value) == ({}, {}, 100.0)


def test_every_prompt_file_says_what_it_is() -> None:
    for name in TEN:
        assert (folder("prompts") / f"{name}.toml").read_text(encoding="utf-8").startswith("# ")
