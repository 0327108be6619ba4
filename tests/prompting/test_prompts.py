"""Prompts: the words of the papers, strict places, the budget of RAFT; every task has a prompt."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru.errors import AugmentError
from augment_ru.jobs.check import file_problems
from augment_ru.prompting.prompt import Prompt, PromptBudget, Template
from augment_ru.prompting.prompt_file import prompt_of
from augment_ru.records.task import Task, generic, task
from augment_ru.registry import names
from augment_ru.resources import folder
from layouts import ROWS

WORLDTREE = {"question": "Что греет Землю? (A) Луна (B) Солнце (C) ветер (D) море", "answer": "B"}
WINOGRAD = {
    "text": "Птица из клетки, которая висела на стене, запела.",
    "answer": "клетки",
    "options": ["Птица", "клетки"],
    "reference": "которая",
    "label": 1,
}
MUSERC = {
    "passage": {
        "text": "(1) Кот спит. (2) Пёс лает.",
        "questions": [
            {"question": "Кто спит?", "answers": [{"text": "кот", "label": 1}, {"text": "пёс", "label": 0}]},
            {"question": "Кто лает?", "answers": [{"text": "пёс", "label": 1}]},
        ],
    }
}
MERA = {
    "instruction": "Прочти: {text}\nЧто верно? A {option_a} B {option_b}\nОтвет:",
    "inputs": {"text": "Вода {кипит}.", "option_a": "да", "option_b": "нет"},
    "outputs": "A",
    "meta": {"id": 1},
}


def word_budget(tokens: int) -> PromptBudget:
    """A budget whose tokens are words."""
    return PromptBudget(tokens, lambda text: len(text.split()), lambda text, most: " ".join(text.split()[:most]))


def whole(prompt: Prompt, record: dict[str, Any], *shots: dict[str, Any], labels: tuple[str, ...] | None = None) -> str:
    """The context of a row's only question, and its choices, a line each."""
    (filled,) = prompt.build(record, shots, labels=labels)
    return "\n".join([filled.context, *(f"{one.label} |{one.text}" for one in filled.choices)])


def test_our_prompt_files_have_no_problems() -> None:
    assert list(file_problems(sorted(folder("prompts").glob("*.toml")))) == []


def test_classification_is_asked_in_the_words_of_the_paper() -> None:
    shot = {**WINOGRAD, "answer": "Птица", "label": 0}
    assert whole(prompt_of(task("winograd")), WINOGRAD, shot) == (
        "В предложении Птица из клетки, которая висела на стене, запела.\n"
        "Слово которая относится к слову Птица? Нет.\n\n"
        "В предложении Птица из клетки, которая висела на стене, запела.\n"
        "Слово которая относится к слову клетки?\n"
        "1 | Да.\n0 | Нет."
    )


def test_a_question_is_united_with_each_of_its_options() -> None:
    assert whole(prompt_of(task("ru_worldtree")), WORLDTREE, WORLDTREE) == (
        "Что греет Землю? Солнце\n\nЧто греет Землю?\nA | Луна\nB | Солнце\nC | ветер\nD | море"
    )


@pytest.mark.parametrize(("name", "limits"), [("chegeka", (100, 200)), ("multiq", (400, 800))])
def test_answers_are_written_within_the_limits_of_the_paper(name: str, limits: tuple[int, int]) -> None:
    row = {
        "question": "Кто это?",
        "topic": "Кино",
        "answer": "Тарковский",
        "main_text": "Снял Тарковский.",
        "support_text": "Фильм.",
        "main_answers": [{"label": "passage", "offset": 5, "length": 10, "segment": "Тарковский"}],
    }
    prompt = prompt_of(task(name))
    (cold,), (warm,) = prompt.build(row), prompt.build(row, [row])
    assert (cold.tokens, warm.tokens) == limits
    assert (cold.choices, cold.stop) == ((), ("\n",))
    assert cold.context.endswith("Вопрос: Кто это? Ответ:")
    assert warm.context == f"{cold.context} Тарковский\n\n{cold.context}"


@pytest.mark.parametrize("name", ["sit_ethics", "per_ethics"])
def test_every_norm_is_a_question_of_its_own(name: str) -> None:
    known = task(name)
    prompt = prompt_of(known)
    asked = prompt.build({"text": "Он помог соседу."}, [{"text": "Он украл.", **dict.fromkeys(known.scoring.gold, 1)}])
    assert tuple(one.field for one in asked) == tuple(prompt.targets)
    assert set(prompt.targets) == set(known.scoring.gold)
    assert all("Он украл." in one.context and "Да.\n\n" in one.context for one in asked)
    assert prompt.answer(["1", "0", "1", "0", "0"]) == dict(zip(prompt.targets, "10100", strict=True))


def test_the_paper_has_several_templates_for_some() -> None:
    one, five = (prompt_of(task("winograd"), variant=variant) for variant in (1, 5))
    assert whole(five, WINOGRAD).startswith("«Птица из клетки")
    assert one != five
    with pytest.raises(AugmentError, match="variant 6; the file has 5, from 1"):
        prompt_of(task("winograd"), variant=6)


def test_every_answer_of_muserc_is_judged_by_itself() -> None:
    prompt = prompt_of(task("muserc"))
    asked = prompt.build(MUSERC, [MUSERC])
    assert [one.context.rsplit("Вопрос: ", 1)[1].split("\n")[:2] for one in asked] == [
        ["Кто спит?", "Ответ: кот"],
        ["Кто спит?", "Ответ: пёс"],
        ["Кто лает?", "Ответ: пёс"],
    ]
    assert "Верен ли этот ответ? Да.\n\n" in asked[1].context
    assert prompt.answer(["1", "0", "1"]) == ["1", "0", "1"]


def test_names_of_rucos_are_its_candidates() -> None:
    text = "Иван уехал. Пётр остался.\n@highlight\nИван в пути"
    row = {
        "passage": {"text": text, "entities": [{"start": 0, "end": 4}, {"start": 12, "end": 15}]},
        "qas": [{"query": "@placeholder дома", "answers": [{"text": "Пётр", "start": 12, "end": 16}]}],
    }
    (asked,) = prompt_of(task("rucos")).build(row, [row])
    assert [one.label for one in asked.choices] == ["Иван", "Пётр"]
    assert "стоит: Пётр\n\n" in asked.context


def test_options_in_fields_keep_the_spelling_of_the_data() -> None:
    row = {"premise": "Кран чинят.", "choice1": "Тёк.", "choice2": "Сух.", "question": "cause", "idx": 1, "label": 0}
    assert whole(prompt_of(task("parus")), row, row) == (
        "Кран чинят.\nПричина: Тёк.\n\nКран чинят.\nПричина:\n0 | Тёк.\n1 | Сух."
    )


@pytest.mark.parametrize(
    ("labels", "spelt"),
    [(None, ("true", "false")), (("false",), ("true", "false")), (("0", "1"), ("1", "0"))],
)
def test_labels_are_spelt_as_in_the_data(labels: tuple[str, ...] | None, spelt: tuple[str, str]) -> None:
    row = {"question": "Спит?", "passage": "Кот спит.", "label": True}
    (asked,) = prompt_of(task("danetqa")).build(row, [row], labels=labels)
    assert tuple(one.label for one in asked.choices) == spelt
    assert "Ответ: Да." in asked.context


def test_rows_of_mera_bring_their_own_template() -> None:
    known = Task.of("mera", fields=("inputs.text",), gold=("outputs",), prompt="mera")
    body = "Прочти: Вода {кипит}.\nЧто верно? A да B нет\nОтвет:"
    assert whole(prompt_of(known), MERA, labels=("A", "B")) == f"{body}\nA | A\nB | B"
    card = {**MERA, "inputs": {"question": "Вода?", "option_a": "да", "option_b": "нет"}}
    assert "Прочти: Вода?\n" in whole(prompt_of(known), card, labels=("A", "B"))
    with pytest.raises(AugmentError, match="no field 'text'"):
        prompt_of(known).build({**MERA, "inputs": {}}, labels=("A",))


def test_the_first_demonstration_of_mera_alone_has_its_instruction() -> None:
    known = Task.of(
        "mera", fields=("inputs.text",), inputs=("inputs.text", "inputs.option_a"), gold=("outputs",), prompt="mera"
    )
    asked = whole(prompt_of(known), MERA, MERA, MERA, labels=("A", "B"))
    first = "Прочти: Вода {кипит}.\nЧто верно? A да B нет\nОтвет:"
    later = "text: Вода {кипит}.\noption_a: да\nОтвет:"
    assert asked == f"{first} A\n\n{later} A\n\n{later}\nA | A\nB | B"


RAFT = sorted(name for name in ROWS if name.startswith("raft_"))


@pytest.mark.parametrize("name", RAFT)
def test_each_task_of_raft_has_its_instruction_and_the_labels(name: str) -> None:
    (asked,) = prompt_of(task(name)).build(ROWS[name][0], labels=("yes", "no"))
    instruction, labels = asked.context.split("\n\n")[0].rsplit("\n", 1)
    assert labels == "Possible labels: yes, no."
    assert len(instruction.split()) > 15


def test_any_classification_has_a_prompt() -> None:
    assert whole(
        prompt_of(generic()), {"text": "Ура!"}, {"text": "Увы.", "label": "грусть"}, labels=("грусть", "х")
    ) == ("Возможные метки: грусть, х.\n\nТекст: Увы.\nМетка: грусть\n\nТекст: Ура!\nМетка:\nгрусть | грусть\nх | х")
    english = Task.of("reviews", fields=("Title", "Body"), language="en")
    assert whole(prompt_of(english), {"Title": "Bad", "Body": "Broke."}, labels=("no",)) == (
        "Possible labels: no.\n\nTitle: Bad\nBody: Broke.\nLabel:\nno | no"
    )
    (free,) = prompt_of(generic()).build({"text": "Ура!"})
    assert free.context == "Текст: Ура!\nМетка:"
    assert not free.choices


@pytest.mark.parametrize("name", names("tasks"))
def test_every_task_has_a_prompt_for_its_answers(name: str) -> None:
    assert set(prompt_of(task(name)).targets) <= set(task(name).scoring.gold)


@given(text=st.text(), other=st.text())
def test_nothing_in_the_data_is_interpreted(text: str, other: str) -> None:
    template = Template.of("{{{a}}} и {b[0].c}")
    assert template.fill({"a": text, "b[0].c": other}) == f"{{{text}}} и {other}"


@given(
    tokens=st.integers(90, 400),
    sizes=st.lists(st.integers(1, 300), min_size=0, max_size=5),
    target=st.integers(1, 400),
)
def test_the_budget_is_shared_as_raft_shares_it(tokens: int, sizes: list[int], target: int) -> None:
    prompt = prompt_of(generic())
    shots = [{"text": " ".join([f"ш{number}"] * size), "label": "да"} for number, size in enumerate(sizes)]
    (asked,) = prompt.build({"text": "т " * target}, shots, labels=("да", "нет"), budget=word_budget(tokens))
    assert len((asked.context + max((one.text for one in asked.choices), key=len)).split()) <= tokens
    left = tokens - 4  # «Возможные метки: да, нет.»; separators are no words
    fixed = 3  # «Текст: … Метка: да»
    for number, size in enumerate(sizes):
        assert asked.context.split().count(f"ш{number}") == min(size, 3 * left // (4 * len(sizes)) - fixed)
    assert asked.context.count("Метка: да") == len(sizes)  # labels stay whole
    assert asked.context.split().count("т") == min(target, (left // 4 if sizes else left) - fixed)


def test_the_longest_field_is_cut_first() -> None:
    row = {"question": "Был ли сын?", "passage": "слово " * 50}
    (asked,) = prompt_of(task("danetqa")).build(row, budget=word_budget(20))
    assert "Вопрос: Был ли сын?" in asked.context
    assert asked.context.count("слово") == 13


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_of_ones_own_overrides_ours(tmp_path: Path) -> None:
    path = written(tmp_path, 'template = "{text} → {label}!"\n[labels]\n"хорошо" = ["1"]\n"плохо" = ["0"]\n')
    assert whole(prompt_of(generic(), path), {"text": "Ура"}) == "Ура →\n1 | хорошо!\n0 | плохо!"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('templat = "x"', "no key called 'templat'; did you mean 'template'?"),
        ("", "needs one of template, targets, own; has none"),
        ("template = 1", "'template' is 1; it must be a text or a list of at least one text"),
        ('template = "{text"', "the brace '{' at character 0 of the template is no part of a {place}"),
        ('template = "{label} {label}"', "{label} stands more than once"),
        ('template = "x"\ntokens = 5', "'tokens' is 5; it must be a list of 2 integers"),
        ('template = "x"\ntokens = [5]', "'tokens' is [5]; it must be a list of 2 integers"),
        ('template = "x"\ntokens = [0, 5]', "tokens is [0, 5]; it must be two numbers from 1"),
        (
            'template = "x"\n[labels]\na = ["1"]\nb = []',
            "[labels]: 'b' is []; it must be a text or a list",
        ),
        ('template = "x"\n[labels]\na = ["1"]\nb = ["1"]', "two words for one label in 1, 1"),
        ('template = "x"\n[labels]\na = ["1", "2"]\nb = ["3"]', "as many spellings of its label as the others"),
        ('template = "x"\n[options]\ninside = "q"\ntexts = "t"', "options: needs one of"),
        ('template = "x"\ninstruction = "{text}"', "instruction: no place {text}; possible: {labels}"),
        ("template = ", "Invalid value"),
    ],
)
def test_an_error_in_a_file_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(AugmentError) as caught:
        prompt_of(generic(), written(tmp_path, text))
    assert any(one in str(caught.value) for one in message.split("|"))
    assert str(caught.value).startswith(f"{tmp_path.name}/mine.toml: ")
    assert "\n" not in str(caught.value)
    assert list(file_problems([written(tmp_path, text)]))


def test_a_missing_field_or_label_is_named() -> None:
    with pytest.raises(AugmentError, match="no field 'reference'; the row has text, answer"):
        prompt_of(task("winograd")).build({"text": "а", "answer": "б"})
    with pytest.raises(AugmentError, match="demonstration 1: no right answer in the field 'label'"):
        prompt_of(task("winograd")).build(WINOGRAD, [{**{k: v for k, v in WINOGRAD.items() if k != "label"}}])
    with pytest.raises(AugmentError, match="words for the labels true, false; or 1, 0, but the data has 7"):
        prompt_of(task("danetqa")).build({"question": "а", "passage": "б"}, labels=("7",))
    with pytest.raises(AugmentError, match=r"has no options «\(A\)"):
        prompt_of(task("ru_worldtree")).build({"question": "Что?"})
    with pytest.raises(AugmentError, match=r"a budget of 21 tokens leaves 8 for this text, and .* alone have 11"):
        prompt_of(generic()).build({"text": "а"}, [], labels=("да " * 9, "нет"), budget=word_budget(21))
    with pytest.raises(AugmentError, match=r"prompts?/no\.toml: cannot be read \(No such file or directory\)"):
        prompt_of(generic(), "prompts/no.toml")
    with pytest.raises(AugmentError, match="no prompt called 'nо'"):
        prompt_of(Task.of("x", fields=("text",), prompt="nо"))


def test_a_file_in_the_wrong_form_is_linted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, '# Source: me. Licence: CC0.\ntemplate = "Текст: {text}" \n')
    assert list(file_problems([path])) == [f"{tmp_path.name}/mine.toml: line 2: ends in space"]
    assert list(file_problems([written(tmp_path, 'template = "x"\n')])) == [], "private: no source, no licence"
    monkeypatch.setattr("augment_ru.jobs.check.folder", lambda kind: tmp_path)  # noqa: ARG005
    assert list(file_problems([written(tmp_path, 'template = "x"\n')])) == [
        f"{tmp_path.name}/mine.toml: the header names no source and no licence"
    ]


def test_prompts_are_plain_data() -> None:
    (asked,) = prompt_of(task("ru_worldtree")).build(WORLDTREE)
    assert json.loads(json.dumps(asked.choices))[1] == ["B", " Солнце"]
