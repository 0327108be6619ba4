"""Questions of dialogues get the earlier questions with their right answers."""

from typing import Any

from augment_ru.records import field_paths
from augment_ru.records.dialogues import with_contexts


def asked(number: int | None, dialogue: str, question: str, answer: str) -> dict[str, Any]:
    turn = {} if number is None else {"turn": number}
    return {"inputs": {"q": question, "a": "да", "b": "нет", "context": ""}, "right": answer, "of": dialogue} | turn


def contexts(rows: list[dict[str, Any]], later: str = "") -> list[str]:
    how: dict[str, Any] = {
        "asked": ("inputs.q",),
        "answer": "right",
        "options": ("inputs.a", "inputs.b"),
        "later": later,
    }
    found = with_contexts(rows, field_paths, id="of", turn="turn", context="inputs.context", **how)
    return [row["inputs"]["context"] for row in found]


ROWS = [
    asked(2, "д1 ", "Он спит?", "2"),
    asked(1, "д1", "Это кот?", "1"),
    asked(3, "д1", "Он ест?", "1"),
    asked(1, "д2", "Идёт дождь?", "0"),
    asked(2, "д2", "Мокро?", "3"),
    asked(3, "д2", "Пасмурно?", "нет"),
    asked(4, "д2", "Холодно?", "1"),
    asked(None, "д1", "Который час?", "1"),
]


def test_a_question_is_asked_with_what_was_said_before() -> None:
    assert contexts(ROWS) == [
        "Это кот?\nда",
        "",
        "Это кот?\nда\nОн спит?\nнет",
        "",
        "Идёт дождь?",
        "Идёт дождь?\nМокро?",
        "Идёт дождь?\nМокро?\nПасмурно?",
        "",
    ]
    assert all(row["inputs"]["context"] == "" for row in ROWS)


def test_a_template_says_how_earlier_questions_are_written() -> None:
    assert (
        contexts(ROWS[:3], "Вопрос: {inputs.q} Ответ:")[2] == "Вопрос: Это кот? Ответ: 1\n\nВопрос: Он спит? Ответ: 2\n"
    )


def test_the_context_may_be_a_field_of_the_row() -> None:
    rows = [{"q": "Это кот?", "right": "1", "of": 1, "turn": 1, "c": "?"}, {"q": "Спит?", "of": 1, "turn": 2, "c": "?"}]
    found = with_contexts(
        rows, field_paths, id="of", turn="turn", context="c", asked=("q",), answer="right", options=(), later=""
    )
    assert [row["c"] for row in found] == ["", "Это кот?"]
