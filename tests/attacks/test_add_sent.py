"""Distractors: near in topic, never the answer, and the same whatever else is in the file."""
# ruff: noqa: ANN401  (JSON values and options have no better type)

import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from augment_ru import Augmenter, Chain
from augment_ru.attacks.add_sent import AddSent, distractor, prompt
from augment_ru.attacks.add_sent.corpus import Corpus, InputCorpus, is_option, is_statement, read_corpus, shipped_corpus
from augment_ru.attacks.add_sent.distractors import Gap, contains_phrase, content
from augment_ru.edits import Span
from augment_ru.engine.attack import make
from augment_ru.engine.presets import preset
from augment_ru.errors import AugmentError
from augment_ru.language.morphology import NAME_LABELS, morphology
from augment_ru.records.record import Record, contexts_of, option_markers
from augment_ru.records.task import recognise
from augment_ru.release.build import build_release
from augment_ru.release.verify import verify_release
from augment_ru.resources import dictionary_path
from augment_ru.resources import rows as rows_of
from augment_ru.text.context import Context
from augment_ru.text.words import LETTERS
from commands import run
from profiles import IS_FULL

ATTACKS = ["add_sent"]  # a small model stands for mGPT

QUESTION = "Что притягивает магнит? (A) железный гвоздь (B) резиновый мяч (C) деревянную ложку (D) стекло"


def worldtree(question: str, answer: str, **more: Any) -> dict[str, Any]:
    return {
        "question": question,
        "answer": answer,
        "exam_name": "Test",
        "school_grade": 4,
        "knowledge_type": "FACT",
        **more,
    }


def options_of(question: str) -> list[str]:
    marks = option_markers(question)
    return [
        question[mark.stop : following].strip()
        for mark, following in zip(marks, [*(mark.start for mark in marks[1:]), len(question)], strict=True)
    ]


def perturbed(rows: Sequence[dict[str, Any]], **options: Any) -> list[Any]:
    return list(Augmenter(AddSent(**options), similarity="none").records(rows))


# What a record says about its texts


@pytest.mark.parametrize("answer", ["C", "c", " C ", "С"])  # the last one is Cyrillic
def test_the_right_option_is_known_by_its_letter(answer: str) -> None:
    row = worldtree(QUESTION, answer)
    (context,) = contexts_of([Record(row, recognise(row))])
    assert context.right is not None
    assert context.right.of(QUESTION) == "деревянную ложку"
    assert context.answers == ("деревянную ложку",)
    assert [span.of(QUESTION) for span in context.wrong] == ["железный гвоздь", "резиновый мяч", "стекло"]


@pytest.mark.parametrize("answer", ["", "E", "железный гвоздь", None])
def test_without_a_right_option_no_option_is_wrong(answer: str | None) -> None:
    row = worldtree(QUESTION, "A") | {"answer": answer}
    (context,) = contexts_of([Record(row, recognise(row))])
    assert (context.answers, context.right, context.wrong) == ((), None, ())
    assert context.options == QUESTION.index("(A)")
    (result,) = perturbed([row], probability=1.0)
    assert (result.status, result.text) == ("unchanged", QUESTION)


PARUS = [
    {"premise": "Учитель похвалил ученика.", "choice1": "Ученик опоздал на урок.",
     "choice2": "Ученик решил трудную задачу.", "question": "cause", "label": 1, "idx": 0},
    {"premise": "Ученик получил двойку.", "choice1": "Ученик не выучил урок.",
     "choice2": "Ученик помог учителю.", "question": "cause", "label": 0, "idx": 1},
]  # fmt: skip
TERRA = [
    {"premise": "Пётр купил новую машину.", "hypothesis": "Пётр продал старую машину.", "label": "not_entailment"},
    {"premise": "Пётр купил машину дешевле.", "hypothesis": "Пётр купил себе машину.", "label": "entailment"},
]
RUSSE = [
    {"word": "дорожка", "sentence1": "Беговая дорожка стоит в зале.", "start1": 8, "end1": 15,
     "sentence2": "Мы шли по лесной дорожке.", "start2": 17, "end2": 24, "label": False, "idx": at}
    for at in range(2)
]  # fmt: skip
MERA = {
    "instruction": "{question}",
    "inputs": {"question": "Что едят зимой птицы?", "option_a": "рябину", "option_b": "рыбу",
               "option_c": "орехи", "option_d": "траву"},
    "outputs": "A", "meta": {"id": 0},
}  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "judged"),
    [(PARUS, ["choice1", "choice2"]), (TERRA, ["hypothesis"])],
    ids=["parus", "terra"],
)
def test_a_judged_field_gets_no_sentence_and_gives_none(rows: list[dict[str, Any]], judged: list[str]) -> None:
    corpus = InputCorpus.of(Record(row, recognise(row)) for row in rows)
    told = {row[name] for row in rows for name in judged}
    assert not told & {sentence for part in corpus.parts.values() for sentence in part.sentences}
    for row, result in zip(rows, perturbed(rows, probability=1.0), strict=True):
        new = result.row()
        assert [new[name] for name in judged] == [row[name] for name in judged]
        assert new["premise"] != row["premise"]


def test_a_record_gives_no_sentence_to_itself() -> None:
    row = {"support_text": "Раздан впадает в Аракс.", "main_text": "Аракс течёт в горах Армении."}
    row |= {"question": "Где течёт эта река?", "bridge_answers": [], "main_answers": []}  # type: ignore[dict-item]
    corpus = Corpus.of([row["support_text"], row["main_text"]], [])
    (result,) = perturbed([row], probability=1.0, corpus=corpus)
    assert result.row()["support_text"] == row["support_text"]
    assert result.row()["main_text"] == row["main_text"]


@pytest.mark.parametrize(
    ("row", "said", "left"),
    [
        (RUSSE[0], "На садовой дорожке лежал снег.", "В садовой беседке лежал снег."),
        (MERA, "Осенью дети собирали рябину.", "Осенью дети собирали жёлуди."),
    ],
    ids=["russe", "mera"],
)
def test_what_a_task_leaves_open_is_in_no_sentence(row: dict[str, Any], said: str, left: str) -> None:
    texts = list(Record(row, recognise(row)).texts().values())
    (refused,) = perturbed([row], probability=1.0, corpus=Corpus.of([said], []))
    (result,) = perturbed([row], probability=1.0, corpus=Corpus.of([said, left], []))
    assert refused.status == "unchanged"
    assert [script.text for script in result.scripts.values()] == [f"{text} {left}" for text in texts]


def test_answers_are_the_texts_of_the_gold_fields() -> None:
    multiq = {
        "support_text": "Раздан впадает в Аракс.",
        "main_text": "Раздан вытекает из озера Севан.",
        "question": "Где исток реки?",
        "bridge_answers": [{"label": "passage", "offset": 0, "length": 6, "segment": "Раздан"}],
        "main_answers": [{"label": "passage", "offset": 19, "length": 11, "segment": "озера Севан"}],
    }
    contexts = contexts_of([Record(multiq, recognise(multiq))])
    assert [context.answers for context in contexts] == [("озера Севан",)] * 3
    assert set(contexts[0].record) == {multiq[name] for name in ("support_text", "main_text", "question")}


# Options


def test_wrong_options_change_and_the_right_one_stays() -> None:
    for seed in range(20):
        (result,) = Augmenter(AddSent(probability=1.0), similarity="none", seed=seed).records(
            [worldtree(QUESTION, "A")]
        )
        old, new = options_of(QUESTION), options_of(result.text)
        assert new[0] == old[0]
        assert all(one != other for one, other in zip(new[1:], old[1:], strict=True))
        assert len({option.casefold() for option in new}) == 4
        assert result.text.startswith("Что притягивает магнит? (A) ")


def test_only_exchanged_options_are_free_of_their_constraint() -> None:
    row = worldtree(QUESTION, "A")
    (result,) = perturbed([row], probability=1.0)
    kept = [span.of(QUESTION) for span in result.protected["question"]]
    assert "(A) железный гвоздь" in kept
    assert {"(B)", "(C)", "(D)"} <= set(kept)
    assert not any(mark + " " in span for span in kept for mark in ("(B)", "(C)", "(D)"))
    (typos,) = Augmenter("butterfingers", similarity="none").records([row])
    assert options_of(typos.text) == options_of(QUESTION)


@pytest.mark.parametrize(
    "chain", [("add_sent", "butterfingers"), ("butterfingers", "add_sent"), ("emojify", "add_sent", "case")]
)
def test_in_a_chain_the_others_leave_options_alone(chain: tuple[str, ...]) -> None:
    parts = tuple(make(name, {"probability": 1.0}) for name in chain)
    (result,) = Augmenter(Chain(parts), similarity="none").records([worldtree(QUESTION, "A")])
    new = options_of(result.text)
    assert new[0] == "железный гвоздь"
    known = {option.casefold() for option in shipped_corpus().options}
    assert {option.casefold() for option in new[1:]} <= known
    assert all(option == option.lower() or option in shipped_corpus().options for option in new[1:])
    assert "Что притягивает" not in result.text


def test_a_wrong_option_that_another_rule_protects_stays() -> None:
    question = "Кто написал этот роман? (A) Лев Толстой (B) Фёдор Достоевский (C) сосед по даче"
    (result,) = perturbed([worldtree(question, "A")], probability=1.0)
    new = options_of(result.text)
    assert new[:2] == ["Лев Толстой", "Фёдор Достоевский"]
    assert new[2] != "сосед по даче"


def test_the_gate_and_the_row_take_exchanged_options() -> None:
    row = worldtree(QUESTION, "A")
    (result,) = Augmenter("add_sent", threshold=0.5, min_changes=1).records([row])
    assert result.status == "perturbed"
    assert result.row()["answer"] == "A"


# Sentences


SAID = "Ёж прошуршал под кустом смородины."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Кошка спит на окне.", f"Кошка спит на окне. {SAID}"),
        ("Кошка спит на окне", f"Кошка спит на окне. {SAID}"),
        ("Кошка спит (на окне)", f"Кошка спит (на окне). {SAID}"),
        ("Кошка спит :)", f"Кошка спит :) {SAID}"),
        ("Кошка спит)))", f"Кошка спит))) {SAID}"),
        ("«Кошка спит!»", f"«Кошка спит!» {SAID}"),
        ("Кошка спит 🐱", f"Кошка спит 🐱 {SAID}"),
        ("Кошка спит #кот", f"Кошка спит #кот {SAID}"),
        ("Кошка спит, см. ya.ru/cat?id=1", f"Кошка спит, см. ya.ru/cat?id=1 {SAID}"),
        ("Скидка на корм 50%", f"Скидка на корм 50%. {SAID}"),
        # a text that waits for more, or a reply: in front
        ("Кошка спит:\n", f"{SAID} Кошка спит:\n"),
        ("Дважды два =", f"{SAID} Дважды два ="),
        ("Корм:\n1. Рыба\n2. Мясо", f"{SAID}\nКорм:\n1. Рыба\n2. Мясо"),
        ("— Где кошка?", f"{SAID} — Где кошка?"),
        # a list or a line without a closing mark: a line of its own
        ("Купить:\n- корм\n- миску", f"Купить:\n- корм\n- миску\n{SAID}"),
        ("— Где кошка?\n— Спит.", f"— Где кошка?\n— Спит.\n{SAID}"),
        ("Плюсы: спит\r\nМинусы: ест", f"Плюсы: спит\r\nМинусы: ест\r\n{SAID}"),
        ("Кошка спит.\nСобака лает.", f"Кошка спит.\nСобака лает. {SAID}"),
        # options: behind the question
        ("Кто спит? А) кошка Б) собака", f"Кто спит? {SAID} А) кошка Б) собака"),
        ("Кто спит?\nA. кошка\nB. собака", f"Кто спит? {SAID}\nA. кошка\nB. собака"),
        ("Кто спит? 1) кошка 2) собака", f"Кто спит? {SAID} 1) кошка 2) собака"),
        ("Пришли А. Котов и Б. Псов.", f"Пришли А. Котов и Б. Псов. {SAID}"),
        ("Два минуса. 1) ест 2) спит. Зато тихая.", f"Два минуса. 1) ест 2) спит. Зато тихая. {SAID}"),
    ],
)  # fmt: skip
def test_the_sentence_stands_where_it_is_one_of_its_own(text: str, expected: str) -> None:
    attack = AddSent(corpus=Corpus.of([SAID], ()))
    result = Augmenter(attack, constraints=(), similarity="none", probability=1.0)(text)
    (edit,) = result.script.edits
    assert edit.start == edit.stop
    assert result.text == expected


@pytest.mark.parametrize(
    ("text", "too_near"),
    [
        ("Какой врач лечит зубы?", "Стоматолог"),
        ("Суп принесли холодным, официант дважды перепутал заказ.", "борщ"),
        ("Наш поезд опоздал на три часа.", "вагон"),
    ],
)
def test_the_sentence_is_near_in_topic_but_about_something_else(text: str, too_near: str) -> None:
    added = [perturbed_text(text, seed) for seed in range(30)]
    assert len(set(added)) >= 5
    assert not any(too_near in sentence for sentence in added)
    assert not any(content(sentence) & content(text) for sentence in added)
    order, nearness = shipped_corpus().near(text)
    known = dict(zip((shipped_corpus().sentences[at] for at in order), nearness.tolist(), strict=True))
    assert all(0.15 < known[sentence] <= 0.3 for sentence in added)


def perturbed_text(text: str, seed: int) -> str:
    """The sentence that is added."""
    result = Augmenter("add_sent", constraints=(), similarity="none", seed=seed, probability=1.0)(text)
    return result.text.removeprefix(text).strip()


def test_a_sentence_shares_no_word_with_any_text_of_the_record() -> None:
    row = {"passage": "Кошка спит на окне.", "question": "Лаяла ли собака?", "label": True}
    corpus = Corpus.of(["Собаки играли во дворе.", "Лай доносился издалека.", SAID], ())
    for seed in range(5):
        (result,) = Augmenter(AddSent(corpus=corpus, probability=1.0), similarity="none", seed=seed).records([row])
        assert "Собаки" not in result.row()["passage"]


def test_no_distractor_mentions_the_answer_in_any_form() -> None:
    corpus = Corpus.of(["В Москве выпал снег.", "Москвичи гуляют в парке.", "Поезд опоздал на час."], ())
    row = {"question_id": 1, "question": "Столица России.", "answer": "Москва", "topic": "Города"}
    for seed in range(12):
        attack = AddSent(corpus=corpus, probability=1.0)
        (result,) = Augmenter(attack, similarity="none", seed=seed).records([row])
        assert "Москве" not in result.text


@pytest.mark.parametrize(
    ("text", "answer", "found"),
    [
        ("Он жил в Нижнем Новгороде.", "Нижний Новгород", True),
        ("Нижний этаж, Новгород далеко.", "Нижний Новгород", False),
        ("Дело было в 1812 году.", "1812", True),
        ("Дом 18123.", "1812", False),
        ("Ёлка растёт.", "елка", True),
        ("Да, пожалуй.", "да", True),
        ("Кошка спит.", "", False),
    ],
)
def test_mentions_are_found_by_word_and_form(text: str, answer: str, found: object) -> None:
    assert contains_phrase(text, answer) is found


def test_a_text_never_gets_a_sentence_of_its_own() -> None:
    text = "Поезд опоздал на час."
    corpus = Corpus.of([text, "поезд  опоздал на час!"], ())
    assert Augmenter(AddSent(corpus=corpus), similarity="none")(text).status == "unchanged"


# Corpora


def test_a_corpus_is_the_same_in_any_order_and_bounded() -> None:
    sentences = [f"Поезд номер {number} опоздал на час." for number in range(300)]
    shuffled = random.Random(1).sample(sentences, 300)
    assert Corpus.of(sentences, ()) == Corpus.of(shuffled + sentences[:50], ())
    assert len(Corpus.of(sentences, (), most=40).sentences) == 40
    assert Corpus.of(sentences, (), most=40) == Corpus.of(shuffled + sentences[:50], (), most=40)


def test_a_file_is_read_as_sentences_and_options(tmp_path: Path) -> None:
    file = tmp_path / "corpus.txt"
    file.write_text(
        "Поезд опоздал на час. А вы его ждали?\nСоседи уехали в отпуск.\n"
        "паровой двигатель\n\nСм. сайт ya.ru/x сегодня.\n",
        encoding="utf-8",
    )
    corpus = read_corpus(str(file))
    assert corpus.sentences == ("Поезд опоздал на час.", "Соседи уехали в отпуск.")
    assert corpus.options == ("паровой двигатель",)
    attack = make("add_sent", {"generator": f"corpus:{file}"})
    assert not attack.wants_corpus
    assert Augmenter(attack, similarity="none", probability=1.0)("Автобус ушёл.").text in (
        "Автобус ушёл. Поезд опоздал на час.",
        "Автобус ушёл. Соседи уехали в отпуск.",
    )


def test_the_shipped_corpus_is_sound() -> None:
    corpus = shipped_corpus()
    assert len(corpus.options) >= 90
    assert all(map(is_option, corpus.options))
    table = list(rows_of(dictionary_path("distractors"), columns=2))
    assert len(table) == len(corpus.sentences) == len({sentence for _, sentence in table}) >= 2000
    assert table == sorted(table)
    counts = Counter(topic for topic, _ in table)
    assert len(counts) >= 40
    assert min(counts.values()) >= 50
    assert [sentence for sentence in corpus.sentences if not is_statement(sentence)] == []


NEGATION = re.compile(r"\b(?:не|ни|нет|нету|без|безо|нельзя|никто|ничто|ничего|никого|никогда|нигде|никак\w*)\b")


def test_shipped_sentences_are_neutral() -> None:
    sentences = shipped_corpus().sentences
    assert [one for one in sentences if NEGATION.search(one.lower()) or re.search(r"\d|[A-Za-z]", one)] == []
    capitals = [one for one in sentences if re.search(r"[А-ЯЁ]", one[1:])]
    assert capitals == []  # a name would be one
    firsts = [LETTERS.findall(one.lower())[0] for one in sentences]
    only_names = [word for word in firsts if all(map(_is_name, morphology().parse(word)))]
    assert only_names == []


def _is_name(reading: Any) -> bool:
    return bool(NAME_LABELS.keys() & reading.tag.grammemes)


@pytest.mark.parametrize(
    "generator",
    ["", "words", "hf", "hf:", "corpus", "corpus:", "shipped:x", "corpus:no-such.txt", "corpus:/", "mgpt:x"],
)
def test_unknown_generators_are_refused_in_one_line(generator: str) -> None:
    with pytest.raises(
        AugmentError, match=r"possible: shipped, corpus:input, corpus:FILE, hf:MODEL|no such file"
    ) as error:
        make("add_sent", {"generator": generator})
    assert "\n" not in str(error.value)


def test_a_file_without_russian_sentences_is_an_error(tmp_path: Path) -> None:
    for data, message in ((b"only English here.\n", "no Russian sentence"), (b"\xff\xfe\x00", "not UTF-8")):
        file = tmp_path / "bad.txt"
        file.write_bytes(data)
        read_corpus.cache_clear()
        with pytest.raises(AugmentError, match=message):
            make("add_sent", {"generator": f"corpus:{file}"})


REVIEWS = [
    {"id": number, "label": label, "text": text}
    for number, (label, text) in enumerate(
        (label, f"{what} у {whom} {how}.")
        for label, how in (("good", "радует каждый день"), ("bad", "сломалось за неделю"))
        for what in ("Зеркало", "Кресло", "Радио", "Ружьё", "Пианино", "Ведро")
        for whom in ("племянника", "дедушки", "почтальона", "рыбака")
    )
]


def test_the_corpus_of_a_run_is_apart_for_each_label_and_the_same_in_any_order() -> None:
    records = [Record(row, recognise(row)) for row in REVIEWS]
    corpus = InputCorpus.of(records)
    assert corpus == InputCorpus.of(records[::-1])
    assert corpus.digest == InputCorpus.of(records[::-1]).digest != InputCorpus.of(records[1:]).digest
    assert set(corpus.parts) == {"good", "bad"}
    for row in REVIEWS:
        assert row["text"] in corpus.for_label(str(row["label"])).sentences
    assert corpus.for_label("other") == Corpus((), ())
    free = [Record({"text": f"Вопрос номер {number} решён сегодня.", "label": f"ответ {number}"}, recognise(REVIEWS[0]))
            for number in range(300)]  # fmt: skip
    asked = InputCorpus.of(free)
    assert not asked.labelled
    assert len(asked.for_label("ответ 7").sentences) == 300
    assert asked == InputCorpus.of(free[::-1])


def run_perturb(source: Path, *more: str, given: str | None = None) -> list[dict[str, Any]]:
    options = ("--attack", "add_sent", "--no-constraints", "--similarity", "none", "--probability", "1", *more)
    done = run("perturb", source if given is None else "-", *options, stdin=(given or "").encode())
    assert done.returncode == 0, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_rows_of_a_run_are_its_corpus_on_request(tmp_path: Path) -> None:
    source = tmp_path / "rows.jsonl"
    lines = [json.dumps(row, ensure_ascii=False) for row in REVIEWS]
    source.write_text("\n".join(lines), encoding="utf-8")
    asked = ["--set", "add_sent.generator=corpus:input"]
    found = run_perturb(source, *asked)
    assert found == run_perturb(source, *asked, given="\n".join(lines))
    backwards = run_perturb(source, *asked, given="\n".join(lines[::-1]))
    assert sorted(map(json.dumps, backwards)) == sorted(map(json.dumps, found))
    corpus = InputCorpus.of(Record(row, recognise(row)) for row in REVIEWS)
    added = 0
    for row, new in zip(REVIEWS, found, strict=True):
        assert new["augment"]["corpus"] == corpus.digest
        if more := new["text"].removeprefix(row["text"]).strip():
            added += 1
            assert more in corpus.for_label(str(row["label"])).sentences
            assert more != row["text"]
    assert "corpus" not in run_perturb(source)[0]["augment"]
    assert Chain(("case", make("add_sent", {"generator": "corpus:input"}))).wants_corpus
    assert not Chain(("case", "add_sent")).wants_corpus


def test_in_a_chain_a_record_gives_no_sentence_to_itself() -> None:
    rows = [{"id": 1, "text": "Старый паром отошёл от пристани."}, {"id": 2, "text": "Повар чистил рыбу."}]
    corpus = InputCorpus.of(Record(row, recognise(row)) for row in rows)
    chain = Chain((make("eda_swap", {"probability": 1.0}), AddSent(probability=1.0, corpus=corpus)))
    for row, result in zip(rows, Augmenter(chain, similarity="none", constraints=()).records(rows), strict=True):
        assert result.text != row["text"]
        assert str(row["text"]) not in result.text


def test_a_corpus_has_its_digest_in_the_row(tmp_path: Path) -> None:
    file = tmp_path / "corpus.txt"
    file.write_text("Соседи уехали в отпуск.\n", encoding="utf-8")
    given = make("add_sent", {"generator": f"corpus:{file}", "probability": 1.0})
    (result,) = Augmenter(given, similarity="none").records([{"text": "Кошка спит."}])
    known = Corpus.of(["Соседи уехали в отпуск."], ())
    assert result.row()["augment"]["corpus"] == known.digest
    (chained,) = Augmenter(Chain(("case", given)), similarity="none").records([{"text": "Кошка спит."}])
    assert chained.row("brief")["augment"]["corpus"] == result.row()["augment"]["corpus"]
    assert not make("add_sent").corpus_digest
    assert not make("add_sent", {"generator": "hf:x"}).corpus_digest


def test_without_all_rows_their_corpus_is_an_error(tmp_path: Path) -> None:
    attack = make("add_sent", {"generator": "corpus:input"})
    with pytest.raises(AugmentError, match="only perturb and calibrate read all rows first") as error:
        Augmenter(attack, similarity="none")("Кошка спит.")
    assert "\n" not in str(error.value)
    recipe = _recipe(tmp_path, '[attack.options.add_sent]\ngenerator = "corpus:input"\n')
    with pytest.raises(AugmentError, match="none could be rebuilt by itself"):
        build_release(recipe, tmp_path / "out")


# Independence of the other rows


def test_a_row_depends_on_nothing_else_in_the_file() -> None:
    augmenter = Augmenter("add_sent", similarity="none", probability=1.0)
    whole = {result.record.values["id"]: result.text for result in augmenter.records(REVIEWS)}
    for seed in range(3):
        some = random.Random(seed).sample(REVIEWS, 1 + 7 * seed)
        assert {result.record.values["id"]: result.text for result in augmenter.records(some)} == {
            row["id"]: whole[row["id"]] for row in some
        }


def _recipe(folder: Path, options: str = "") -> Path:
    rows = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in REVIEWS)
    (folder / "rows.jsonl").write_text(rows, encoding="utf-8")
    file = folder / "recipe.toml"
    file.write_text(
        f"""
name = "reviews"
licence = "CC0-1.0"
[gate]
similarity = "none"
[shots]
k = []
[[attack]]
spec = "add_sent"
probability = 1.0
{options}
[[task]]
name = "reviews"
test = "rows.jsonl"
constraints = []
""",
        encoding="utf-8",
    )
    return file


@pytest.mark.parametrize("given", [False, True])
def test_a_release_and_a_run_make_the_same_rows(tmp_path: Path, given: bool) -> None:  # noqa: FBT001
    file = tmp_path / "mine.txt"
    file.write_text("Соседи уехали в отпуск.\nТрамвай повернул к вокзалу.\n", encoding="utf-8")
    options = '[attack.options.add_sent]\ngenerator = "corpus:mine.txt"\n' if given else ""
    build_release(_recipe(tmp_path, options), tmp_path / "out")
    lines = (tmp_path / "out" / "reviews" / "test.jsonl").read_text(encoding="utf-8").splitlines()
    released = [json.loads(line)["text"] for line in lines[len(REVIEWS) :]]
    more = ["--set", f"add_sent.generator=corpus:{file}"] if given else []
    assert released == [row["text"] for row in run_perturb(tmp_path / "rows.jsonl", *more)]
    assert released != [row["text"] for row in REVIEWS]
    assert (tmp_path / "out" / "own" / "mine.txt").is_file() is given
    if given:
        file.unlink()
        read_corpus.cache_clear()
        assert list(verify_release(tmp_path / "out", rebuild=3)) == []


# A language model


def gap(before: str, *answers: str, option: str = "") -> Gap:
    text = f"{before} (A) {option}" if option else before
    place = Span(len(text) - len(option), len(text)) if option else Span(len(text), len(text))
    return Gap(0, place, before, text, Context(answers, wrong=(place,) if option else ()))


@pytest.mark.parametrize(
    ("before", "continuation", "expected"),
    [
        ("Кошка спит.", " Собака лает у ворот. Потом она уснула", " Собака лает у ворот."),
        ("Кошка спит.", "\n\nСобака лает у ворот.\nЕщё", " Собака лает у ворот."),
        ("Кошка спит", ", если в доме тихо. А потом", ", если в доме тихо."),
        ("Кошка спит", " и видит сны. Потом", " и видит сны."),
        ("Кошка спит", ". Собака лает у ворот. Потом", ". Собака лает у ворот."),
        ("Кошка спит", " . Собака лает у ворот. Потом", ". Собака лает у ворот."),
        ("Кошка спит", "ся у меня дома.", None),  # goes on with the last word
        ("Кошка спит.", " Собака лает у ворот и", None),  # no end
        ("Кошка спит.", " Да.", None),  # too short to distract
        ("Кошка спит.", " А где собака наша?", None),  # asks another question
        ("Кошка спит.", " Собака лает<|endoftext|> у ворот.</s>", " Собака лает у ворот."),
        ("Кошка спит.", " Читайте на https://ya.ru/x сегодня же.", None),
        ("Кошка спит.", " Dog is barking at us.", None),
        ("Кошка спит.", " Кошка спит.", None),
        ("Кошка спит.", " Собака \ufffd лает у ворот.", None),
    ],
)
def test_continuations_are_cut_and_cleaned(before: str, continuation: str, expected: str | None) -> None:
    edit = distractor(gap(before), continuation)
    assert (edit.text if edit else None) == expected


def test_continuations_with_the_answer_are_refused() -> None:
    assert distractor(gap("Столица России.", "Москва"), " Она стоит на Москве-реке.") is not None
    assert distractor(gap("Столица России.", "Москва"), " Я был в Москве дважды.") is None


@pytest.mark.parametrize(
    ("continuation", "expected"),
    [
        (" лёд и снег. Потом", "лёд и снег"),
        (" Лёд и снег\n(B) вода", "лёд и снег"),
        (" «горячий чай»;", "горячий чай"),
        (" вода", None),  # the one that stands there
        (" 42", None),
        ("", None),
        (" железный гвоздь", None),  # the right one
    ],
)
def test_an_option_is_the_first_phrase_of_a_continuation(continuation: str, expected: str | None) -> None:
    place = gap("Что тонет?", "гвоздь", option="вода")
    edit = distractor(place, continuation)
    assert (edit.text if edit else None) == expected
    assert prompt(place) == "Что тонет?\nОтвет:"


def test_the_preset_of_the_paper_takes_its_model() -> None:
    assert preset("tape").options["add_sent"]["generator"] == "hf:THUMT/mGPT"
    assert AddSent().generator == "shipped"


def test_a_language_model_writes_the_same_in_every_batch() -> None:
    pytest.importorskip("torch")
    from small_models import SENTENCES  # noqa: PLC0415  (torch)

    attack = make("add_sent", {"generator": "hf:THUMT/mGPT", "new_tokens": 40, "temperature": 0.8, "attempts": 2})
    augmenter = Augmenter(attack, similarity="none", constraints=())
    some = SENTENCES if IS_FULL else SENTENCES[::2]
    texts = [*some, "", "🙂", "Кошка спит на окне. " * 60]
    together = [result.script for result in augmenter.texts(texts)]
    assert sum(bool(script.edits) for script in together) >= len(some) // 2
    assert [result.script for result in augmenter.texts(texts[::-1])][::-1] == together
    assert [augmenter(text).script for text in texts] == together
    rows = [worldtree(QUESTION, "A"), worldtree(QUESTION.replace("магнит", "сильный магнит"), "C")]
    outcomes = [result.text for result in augmenter.records(rows)]
    assert options_of(outcomes[0])[0] == "железный гвоздь"
    assert outcomes == [augmenter_result.text for row in rows for augmenter_result in augmenter.records([row])]
