"""The client of OpenAI-compatible servers, against a real server on this machine that fails as servers do."""

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from augment_ru import AugmentError, evaluate
from augment_ru.evaluation.examples import (
    ModelRequest,
    NamedModel,
    QuestionCounts,
    ask,
    example_of,
    model_of,
    opened_cache,
)
from augment_ru.prompting.prompt import Choice
from augment_ru.prompting.replies import label_in
from augment_ru.records.task import generic, task
from commands import PATIENCE, run, started, wait_until
from logs import Logs
from served import Box, chat, serving

LABELS = ("negative", "positive")


def made(box: Box, labels: tuple[str, ...] | None = LABELS, name: str = "generic", **options: Any) -> Any:  # noqa: ANN401
    known = generic("text") if name == "generic" else task(name)
    return model_of(f"openai:{box.url}#tiny", ModelRequest("", known, labels), options)


def asked(*texts: str) -> list[Any]:
    return [example_of({"text": text}, generic("text")) for text in texts]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("augment_ru.models.openai._FIRST", 0.001)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def test_chat_asks_with_the_labels_and_reads_the_one_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    with serving(lambda _, question: (200, chat("Ответ: Positive." if "Хор" in str(question) else "negative"))) as box:
        model = made(box, system="Отвечай кратко.", temperature="0.3")
        assert model(asked("Хорошо.", "Плохо.")) == ["positive", "negative"]
    assert set(box.paths) == {"/v1/chat/completions"}
    question = box.asked[0]
    assert question["model"] == "tiny"
    assert question["temperature"] == 0.3
    assert [one["role"] for one in question["messages"]] == ["system", "user"]
    assert all(label in question["messages"][1]["content"] for label in LABELS)
    assert box.headers[0]["Authorization"] == "Bearer secret"
    assert "secret" not in model.signature


def test_completions_and_demonstrations() -> None:
    with serving(lambda *_: (200, {"choices": [{"text": " positive\nТекст: ещё"}]})) as box:
        shots = ({"text": "Ужасно.", "label": "negative"},)
        example = example_of({"text": "Хорошо."}, generic("text"), shots)
        assert made(box, endpoint="completions")([example]) == ["positive"]
        assert made(box, None, endpoint="completions")([example]) == ["positive"], "a written answer ends at its stop"
    assert set(box.paths) == {"/v1/completions"}
    assert "Ужасно." in box.asked[0]["prompt"]
    assert "Authorization" not in box.headers[0]


def test_each_label_of_several_is_asked_for() -> None:
    with serving(lambda _, question: (200, chat("Да" if "закон" in str(question["messages"]) else "Нет"))) as box:
        known = task("per_ethics")
        example = example_of({"source": "lenta", "text": "Сосед помог соседке."}, known)
        (said,) = made(box, ("0", "1"), "per_ethics")([example])
    assert said.keys() == set(known.scoring.gold)
    assert said["per_law"] == "1"
    assert said["per_virtue"] == "0"
    assert len(box.asked) == 5


@pytest.mark.parametrize(
    "trouble",
    [
        (429, {"error": {"message": "slow down"}}),
        (500, "oops"),
        (503, {}),
        (200, "no json"),
        (200, {"choices": []}),
        (200, {"error": "later"}),
        (200, []),
        (200, "[" * 100_000),
        (500, "[" * 100_000),
        (200, '{"choices": ' + "1" * 5000 + "}"),
    ],
)
def test_what_passes_is_tried_again(trouble: tuple[int, Any]) -> None:
    with serving(lambda number, _: trouble if number < 2 else (200, chat("positive"))) as box:
        assert made(box)(asked("а")) == ["positive"]
    assert len(box.asked) == 3


def test_a_long_wait_that_the_server_asks_for_is_logged_once(monkeypatch: pytest.MonkeyPatch, logs: Logs) -> None:
    monkeypatch.setattr("augment_ru.models.openai._WAIT_SAID", 0.02)
    with serving(lambda number, _: (429, {"error": "busy"}) if number < 2 else (200, chat("positive"))) as box:
        box.retry_after = "0.03"
        assert made(box)(asked("а")) == ["positive"]
    assert [message.partition(": ")[2] for message in logs.messages] == [
        "HTTP 429: busy; it asks to wait; asking again after 0 s"
    ]


def test_a_slow_answer_is_tried_again() -> None:
    asked_again = threading.Event()

    def answer(number: int, _: object) -> tuple[int, Any]:
        if number == 0:
            asked_again.wait(PATIENCE)
        asked_again.set()
        return 200, chat("positive")

    with serving(answer) as box:
        assert made(box, timeout="0.5")(asked("а")) == ["positive"]
    assert len(box.asked) >= 2


def test_an_answer_that_drips_is_tried_again() -> None:
    with serving(lambda number, _: (200 if number else 203, chat("positive"))) as box:
        assert made(box, timeout="0.5")(asked("а")) == ["positive"]
    assert len(box.asked) >= 2


@contextmanager
def raw_server(first: bytes, drop: bytes) -> Iterator[str]:
    """A server that reads a question, sends the first bytes at once, and then a drop again and again, for a minute."""
    done = threading.Event()
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while not done.is_set():
            with suppress(OSError):
                connected, _ = listening.accept()
                with connected:
                    connected.recv(2**16)
                    connected.sendall(first)
                    for _ in range(1200):
                        if done.wait(0.05):
                            break
                        connected.sendall(drop)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
    finally:
        done.set()
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()


@pytest.mark.parametrize(
    ("first", "drop"),
    [
        (b"", b"H"),
        (b"HTTP/1.1 200 OK\r\n", b"X"),
        (b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", b" "),
        (b"HTTP/1.1 500 No\r\nContent-Length: 5000\r\n\r\n", b"x"),
        (b"HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X-A: b\r\n"),
    ],
)
def test_the_timeout_is_that_of_a_whole_attempt(first: bytes, drop: bytes) -> None:
    with raw_server(first, drop) as url:
        options = {"retries": "0", "timeout": "0.2"}
        model = model_of(f"openai:{url}#tiny", ModelRequest("", generic("text"), LABELS), options)
        began = time.monotonic()
        with pytest.raises(AugmentError, match="1 attempts failed"):
            model(asked("а"))
        assert time.monotonic() - began < 10, "the server would go on for a minute"


def test_whoever_stops_listening_does_not_wait_for_a_server_that_hangs() -> None:
    hangs = threading.Event()

    def answer(number: int, _: object) -> tuple[int, Any]:
        if number:
            hangs.wait(PATIENCE)
        return 200, chat("positive")

    with serving(answer) as box:
        said = made(box, concurrency="2").stream(asked("а", "б", "в"))
        assert next(said)[1] == "positive"
        wait_until(lambda: box.now)
        said.close()
        hanging = box.now
        hangs.set()
    assert hanging, "the question that hangs was waited for"


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (401, {"error": {"message": "bad key"}}, "HTTP 401: bad key"),
        (404, {"error": "no model 'tiny'"}, "HTTP 404: no model 'tiny'"),
        (400, "<html>broken</html>", "HTTP 400: <html>broken</html>"),
        (302, "", "HTTP 302"),
    ],
)
def test_what_does_not_pass_is_not_tried_again(status: int, body: Any, message: str) -> None:  # noqa: ANN401
    with serving(lambda *_: (status, body)) as box, pytest.raises(AugmentError, match=message):
        made(box)(asked("а"))
    assert len(box.asked) == 1


def test_it_gives_up_and_says_why() -> None:
    with serving(lambda *_: (500, {"error": {"message": "out of memory"}})) as box:
        with pytest.raises(AugmentError, match="3 attempts failed, the last with: HTTP 500: out of memory"):
            made(box, retries="2")(asked("а"))
        url = box.url
    assert len(box.asked) == 3
    model = model_of(f"openai:{url}#tiny", ModelRequest("", generic("text"), LABELS), {"retries": "1"})
    with pytest.raises(AugmentError, match="2 attempts failed, the last with: ConnectionRefusedError"):
        model(asked("а"))


def test_what_a_busy_server_answered_is_kept_and_the_same_again_goes_on(tmp_path: Path) -> None:
    examples, counts, free = asked("а", "б"), QuestionCounts(), threading.Event()

    def answer(number: int, _: object) -> tuple[int, Any]:
        return (200, chat("positive")) if not number or free.is_set() else (429, {"error": "slow down"})

    with serving(answer) as box, opened_cache(tmp_path / "answers.sqlite") as cache:
        model = NamedModel.of("tiny", made(box, retries="0", concurrency="1"))
        said = r"HTTP 429: slow down; a smaller openai\.concurrency may help"
        with pytest.raises(AugmentError, match=f"{said}; the answers so far are kept: run the same again to go on$"):
            ask(model, examples, cache, counts)
        with pytest.raises(AugmentError, match=f"{said}$"):
            ask(model, examples[1:], cache, counts)
        with pytest.raises(AugmentError, match=f"{said}$"):
            ask(model, examples, None, counts)
        free.set()
        before = len(box.asked)
        assert ask(model, examples, cache, counts) == ["positive"] * 2
        assert len(box.asked) == before + 1


def test_questions_go_at_once_and_answers_keep_their_order() -> None:
    later = threading.Event()

    def answer(number: int, question: dict[str, Any]) -> tuple[int, Any]:
        if number == 0:  # answered after a question that was asked later
            assert later.wait(PATIENCE)
        else:
            later.set()
        return 200, chat("positive" if "чёт 1" in question["messages"][0]["content"] else "negative")

    texts = [f"чёт {number % 2}" + " и" * number for number in range(12)]
    with serving(answer) as box:
        assert made(box, concurrency="4")(asked(*texts)) == [LABELS[number % 2] for number in range(12)]
    assert 2 <= box.most <= 4


def rows() -> list[dict[str, Any]]:
    found = []
    for number in range(10):
        meta = {
            "attack": "a",
            "status": "perturbed",
            "source": {"text": f"Текст {number}."},
            "edits": {"text": [[0, 1, "т"]]},
        }
        found.append({"id": number, "text": f"текст {number}.", "label": "positive", "augment": meta})
    return found


def test_an_interrupted_evaluation_goes_on_where_it_was(tmp_path: Path) -> None:
    cache = tmp_path / "answers.sqlite"
    with serving(lambda number, _: (200, chat("positive")) if number < 7 else (401, {"error": "key expired"})) as box:
        spec = f"openai:{box.url}#tiny"
        options = {"openai": {"concurrency": "1"}}
        train = tmp_path / "train.jsonl"
        train.write_text(
            '{"text": "Другое.", "label": "negative"}\n{"text": "Ещё.", "label": "positive"}\n', encoding="utf-8"
        )
        with pytest.raises(AugmentError, match="key expired"):
            evaluate(rows(), [spec], cache=cache, options=options, train=train)
        before = len(box.asked)
        assert 8 <= before <= 9
        box.answer = lambda *_: (200, chat("positive"))
        done = evaluate(rows(), [spec], cache=cache, options=options, train=train)
        assert len(box.asked) - before == 20 - 7, "what was answered is not asked again"
        assert done.judged[0].run.counts.from_cache == 7
        again = evaluate(rows(), [spec], cache=cache, options=options, train=train)
        assert len(box.asked) - before == 20 - 7
        assert again.report() == done.report()
        evaluate(rows(), [spec], cache=cache, options={"openai": {"temperature": "1"}}, train=train)
        assert len(box.asked) - before == 20 - 7 + 20, "another temperature is another model"


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("B", "B"),
        ("(B) термометр", "B"),
        ("В) термометр", "B"),  # the Cyrillic letter
        ("Термометр.", "B"),
        ("Правильный ответ — термометр, а не линейка", "B"),
        ("Я думаю, что весы", "C"),
        ("Не знаю", ""),
        ("", ""),
        ("Актёр", ""),
        ("Ответ: C", "C"),
        ("**Ответ:** Б? Нет. Итоговый ответ: А", "A"),
    ],
)
def test_which_option_a_reply_names(reply: str, said: str) -> None:
    options = [Choice("A", " линейка"), Choice("B", " термометр"), Choice("C", " весы")]
    assert label_in(reply, options) == said


@pytest.mark.parametrize(
    ("reply", "said"), [("Да", "1"), ("нет, не относится", "0"), ("Данет", ""), ("1", "1"), ("не да", "1"), ("…", "")]
)
def test_which_word_a_reply_names(reply: str, said: str) -> None:
    assert label_in(reply, [Choice("1", " Да."), Choice("0", " Нет.")]) == said


def test_a_written_answer_ends_at_a_stop() -> None:
    with serving(lambda *_: (200, chat(" \n Москва \nВопрос: а?"))) as box:
        assert made(box, labels=None)(asked("Столица?")) == ["Москва"]


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        ("openai:localhost:80#m", {}, "must be openai:URL#MODEL"),
        ("openai:http://localhost", {}, "must be openai:URL#MODEL"),
        ("openai:file:///etc/passwd#m", {}, "must be openai:URL#MODEL"),
        ("openai:http://h#m", {"endpoint": "embeddings"}, "option endpoint=embeddings; possible: chat, completions"),
        ("openai:http://h#m", {"concurrency": "0"}, "must be at least 1"),
        ("openai:http://h#m", {"timeout": "0"}, "must be positive"),
        ("openai:http://h#m", {"top_k": "5"}, "no option of openai called 'top_k'"),
    ],
)
def test_wrong_addresses_and_options(spec: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(AugmentError, match=message):
        model_of(spec, ModelRequest("", generic("text"), LABELS), options)


def test_without_httpx_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(AugmentError, match=r'need httpx; .*pip install "\.\[openai\]"'):
        model_of("openai:http://h#m", ModelRequest("", generic("text"), LABELS))


THREE = ("contradiction", "entailment", "neutral")


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("<think>Может быть, neutral? Нет.</think> entailment", "entailment"),
        ("<think>entailment</think> Не neutral. Ответ: contradiction.", "contradiction"),
        ("Рассуждаю: neutral?</think>entailment", "entailment"),
        ("<think>Может быть, neutral", "\x00cut"),
        ("neutral, а не entailment", "neutral"),
        ("Как языковая модель я не имею мнения.", "\x00refused"),
        ("Сложно сказать", "\x00unreadable"),
        (None, ""),
    ],
)
def test_reasoning_is_cut_and_the_last_answer_behind_it_counts(reply: str | None, said: str) -> None:
    with serving(lambda *_: (200, chat(reply))) as box:
        assert made(box, THREE)(asked("а")) == [said]


def test_refusals_and_cut_replies_are_told_by_the_server() -> None:
    def answer(number: int, _: object) -> tuple[int, Any]:
        body = chat("Я думаю, что")
        body["choices"][0]["finish_reason"] = "content_filter" if number else "length"
        return 200, body

    with serving(answer) as box:
        assert made(box, concurrency="1")(asked("а", "б")) == ["\x00cut", "\x00refused"]


def test_limits_and_settings_are_sent_as_the_server_wants_them() -> None:
    with serving(lambda *_: (200, chat("positive"))) as box:
        options: dict[str, Any] = {
            "limit_field": "max_completion_tokens",
            "temperature": "none",
            "seed": "none",
            "reasoning": "500",
        }
        made(box, **options)(asked("а"))
        made(box, system="mera")(asked("а"))
    assert {*box.asked[0]} == {"model", "max_completion_tokens", "messages"}
    assert box.asked[0]["max_completion_tokens"] == 564
    assert box.asked[1]["messages"][0]["content"].startswith("Реши задачу по инструкции ниже.")


def test_demonstrations_are_turns_or_one_message() -> None:
    shots = ({"text": "Ужасно.", "label": "negative"},)
    with serving(lambda *_: (200, chat("positive"))) as box:
        for form in ("turns", "message"):
            made(box, chat=form)([example_of({"text": "Хорошо."}, generic("text"), shots)])
    assert [one["role"] for one in box.asked[0]["messages"]] == ["user", "assistant", "user"]
    assert box.asked[0]["messages"][1]["content"] == "negative"
    (message,) = box.asked[1]["messages"]
    assert all(text in message["content"] for text in ("Ужасно.", "negative", "Хорошо.", "Варианты ответа"))


def test_choices_are_scored_by_the_log_probabilities_that_completions_echo() -> None:
    def answer(_: int, question: dict[str, Any]) -> tuple[int, Any]:
        text = question["prompt"]
        cut = len(text) - len("positive")
        scores = [None, -1.0, -0.5 if text.endswith("positive") else -2.0, -9.0]
        held = {"text_offset": [0, 5, cut, len(text)], "token_logprobs": scores}
        return 200, {"choices": [{"text": text, "logprobs": held}], "usage": {"prompt_tokens": 7}}

    options: dict[str, Any] = {"endpoint": "completions", "score": "loglikelihood"}
    with serving(answer) as box:
        model = made(box, **options)
        assert model(asked("Хорошо.")) == ["positive"]
    assert [question["echo"] for question in box.asked] == [True, True]
    assert model.spent == {"prompt_tokens": 14}
    with (
        serving(lambda *_: (200, {"choices": [{"text": "positive"}]})) as box,
        pytest.raises(AugmentError, match="echoes no log-probabilities of the prompt; take score=reply"),
    ):
        made(box, **options)(asked("а"))
    with pytest.raises(AugmentError, match="take endpoint=completions"):
        made(box, score="loglikelihood")


def test_questions_stay_open_across_chunks_and_none_is_asked_twice(tmp_path: Path) -> None:
    late = threading.Event()

    def answer(number: int, _: object) -> tuple[int, Any]:
        if number == 0:  # answered after all others were asked: nobody waits for it
            assert late.wait(PATIENCE)
        if number == 19:
            late.set()
        return 200, {**chat("positive"), "usage": {"prompt_tokens": 10, "completion_tokens": 2}}

    with serving(answer) as box:
        found = evaluate(rows(), [f"openai:{box.url}#tiny"], cache=tmp_path / "a.sqlite", options={"openai": {}})
        counts = found.judged[0].run.counts
        assert len(box.asked) == 20
        assert counts.spent == {"prompt_tokens": 200, "completion_tokens": 40}
        assert 200 <= counts.expected <= 1000
        box.answer = lambda number, _: (200, chat("positive")) if number != 23 else (401, {"error": "key"})
        more = [{**one, "text": f"{one['text']} Да.", "id": one["id"] + 10} for one in rows()]
        for one in more:
            one["augment"] = {**one["augment"], "source": {"text": f"{one['augment']['source']['text']} Да."}}
        options = {"openai": {"concurrency": "8"}}
        with pytest.raises(AugmentError, match="key"):
            evaluate(more, [f"openai:{box.url}#tiny"], cache=tmp_path / "a.sqlite", options=options)
        box.answer = lambda *_: (200, chat("positive"))
        evaluate(more, [f"openai:{box.url}#tiny"], cache=tmp_path / "a.sqlite", options=options)
        texts = [str(question["messages"]) for question in box.asked]
        assert len(texts) == len(set(texts)) + 1, "the refused question alone is asked again"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_waits_for_open_questions_and_a_resumed_run_asks_nothing_twice(tmp_path: Path, number: int) -> None:
    signalled = threading.Event()

    def answer(number: int, _: object) -> tuple[int, Any]:
        if number >= 4:  # open when the signal comes
            assert signalled.wait(PATIENCE)
            time.sleep(0.3)
        return 200, chat("positive")

    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows()), encoding="utf-8")
    with serving(answer) as box:
        words = ["evaluate", str(path), "--model", f"openai:{box.url}#tiny", "--cache", str(tmp_path / "a.sqlite")]
        words += ["--model-option", "openai.concurrency=4", "-o", str(tmp_path / "report.json")]
        with started(words, stderr=subprocess.PIPE) as process:
            wait_until(lambda: box.now == 4 and len(box.asked) == 8)
            process.send_signal(number)
            signalled.set()
            assert process.wait(PATIENCE) == 128 + number
        assert len(box.asked) == 8
        assert run(*words).returncode == 0
    texts = [str(question["messages"]) for question in box.asked]
    assert len(texts) == len(set(texts)) == 20


def test_unread_replies_are_counted_by_model_and_attack() -> None:
    def answer(_: int, question: dict[str, Any]) -> tuple[int, Any]:
        return 200, chat("positive" if "Текст: Текст" in str(question["messages"]) else "Не знаю")

    with serving(answer) as box:
        report = evaluate(rows(), [f"openai:{box.url}#tiny"], train=None).counted()
    (model,) = report.models
    assert model.unread is not None
    assert (model.unread.answers, model.unread.unreadable) == (10, 0)
    after = model.attacks["a"].unread
    assert after is not None
    assert (after.answers, after.unreadable, after.share.value) == (10, 10, 100.0)
