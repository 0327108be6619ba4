"""Rewritten sentences: which are given to the model, what stays, and what becomes of its outputs."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")

from augment_ru import Augmenter, Batch, Chain, Edit, Span, Streams
from augment_ru.draws import Keys, digests
from augment_ru.editing.rewriting import LONGEST, Sentence, aligned, formatted_like, rewrite_sentences, sentences
from augment_ru.engine.attack import make
from augment_ru.engine.edit_table import apply
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError
from profiles import IS_FULL
from small_models import SENTENCES
from small_networks import copied
from strategies import texts

ATTACKS = ["back_translation", "paraphrase"]  # small models stand for them
SOME = SENTENCES if IS_FULL else SENTENCES[::2]
MODELS = {"back_translation": ("forward", "backward"), "paraphrase": ("model",)}


def rewritten(
    sources: Sequence[str], said: Mapping[str, str | None], protected: Sequence[Sequence[Span]] = (), p: float = 1.0
) -> tuple[list[str], list[list[str]]]:
    """The texts after rewriting by a model that knows only these outputs, and the inputs that it was given."""
    asked: list[list[str]] = []

    def rewrite(pieces: Sequence[str], keys: Keys) -> list[str | None]:
        assert len(keys) == len(pieces)
        asked.append(list(pieces))
        return [said.get(piece) for piece in pieces]

    batch = Batch(sources, None, protected)
    found = rewrite_sentences(batch, Streams(digests(sources)), p, rewrite, min_words=2)
    done = apply(batch, found, np.ones(found.ranks.size, dtype=np.bool_)).texts
    return done, [pieces for pieces in asked if pieces]


def test_a_sentence_is_rewritten_and_white_space_stays() -> None:
    text = "  Кошка спит.   Собака лает!\n\tПоезд ушёл.  "
    done, _ = rewritten([text], {"Кошка спит.": "Кот дремлет.", "Поезд ушёл.": "Электричка отошла."})
    assert done == ["  Кот дремлет.   Собака лает!\n\tЭлектричка отошла.  "]


def test_emoji_around_a_sentence_stay() -> None:
    text = "👨‍👩‍👧 «Кошка спит!» 👋🏽 Собака лает 🐕🔥"
    done, asked = rewritten([text], {"«Кошка спит!»": "«Кот дремлет!»", "Собака лает": "Пёс рычит"})
    assert done == ["👨‍👩‍👧 «Кот дремлет!» 👋🏽 Пёс рычит 🐕🔥"], asked


def test_the_whole_sentence_is_rewritten_if_protected_spans_are_in_the_output() -> None:
    text = "Вчера Анна приехала в Москву."
    spans = [[Span(6, 10), Span(22, 28)]]
    said = {text: "Накануне Анна прибыла в Москву."}
    done, asked = rewritten([text], said, spans)
    assert done == ["Накануне Анна прибыла в Москву."]
    assert asked == [[text]]


def test_the_stretches_between_are_rewritten_if_they_are_not() -> None:
    text = "Вчера рано утром Анна, наша соседка, приехала в Москву."
    anna, moscow = text.index("Анна"), text.index("Москву")
    spans = [[Span(anna, anna + 4), Span(moscow, moscow + 6)]]
    said = {
        text: "Вчера рано утром Аня приехала в столицу.",
        "Вчера рано утром": "Вчера на рассвете.",
        "наша соседка, приехала в": "Соседка прибыла в",
    }
    done, asked = rewritten([text], said, spans)
    assert done == ["Вчера на рассвете Анна, соседка прибыла в Москву."]
    assert asked == [[text], ["Вчера рано утром", "наша соседка, приехала в"]]


def test_lone_words_beside_names_stay() -> None:
    text = "Приехал Иванов."
    assert rewritten([text], {text: "Иванова прибыла.", "Приехал": "Прибыл"}, [[Span(8, 14)]])[1] == []


def test_letters_glued_to_what_is_protected_stay() -> None:
    text = "купил iPhone’ом снимок очень хороший"
    (sentence,) = sentences(Batch([text], None, [[Span(6, 12)]]), 0)
    assert [text[start:stop] for start, stop in sentence.stretches] == ["купил", "ом снимок очень хороший"]
    glued = "купил iPhoneом снимок очень"
    (sentence,) = sentences(Batch([glued], None, [[Span(6, 12)]]), 0)
    assert [glued[start:stop] for start, stop in sentence.stretches] == ["купил", "снимок очень"]


def test_a_mark_in_the_middle_of_a_name_ends_no_sentence() -> None:
    text = "Мы были в г. Санкт-Петербург. Там шёл дождь."
    assert [text[one.start : one.stop] for one in sentences(Batch([text], None, [[Span(10, 28)]]), 0)] == [
        "Мы были в г. Санкт-Петербург.",
        "Там шёл дождь.",
    ]


@given(texts(), st.data())
def test_stretches_lie_in_order_outside_what_is_protected(text: str, data: st.DataObject) -> None:
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    given_spans = [Span(*pair) for pair in zip(places[::2], places[1::2], strict=False) if pair[0] < pair[1]]
    batch = Batch([text], None, [given_spans])
    at = 0
    for sentence in sentences(batch, 0):
        assert at <= sentence.start < sentence.stop
        at = sentence.stop
        inner = sentence.start
        for start, stop in sentence.stretches:
            assert inner <= start < stop <= sentence.stop
            assert stop - start <= LONGEST
            assert not any(span.start < stop and start < span.stop for span in batch.protected(0))
            inner = stop


def test_a_long_sentence_goes_in_pieces_that_are_cut_at_marks() -> None:
    clause = "и ещё один день прошёл в ожидании письма, которого никто не писал"
    text = "Наступил вечер, " + ", ".join([clause] * 20) + "."
    (sentence,) = sentences(Batch([text]), 0)
    pieces = [text[start:stop] for start, stop in sentence.stretches]
    assert len(pieces) > 1
    assert " ".join(pieces) == text
    assert all(piece.endswith(",") for piece in pieces[:-1])


def test_the_probability_decides_which_sentences_the_model_is_given() -> None:
    sources = [f"Кошка номер {number} спит. Собака номер {number} лает." for number in range(200)]
    _, asked = rewritten(sources, {}, p=1e-9)
    assert len(asked[0]) == 200  # the one of the lowest rank in each text
    assert len(asked) == 2  # and, since the model had nothing to say, the other one
    said = {piece: piece.replace("номер", "под номером") for piece in asked[0] + asked[1]}
    done, asked = rewritten(sources, said, p=0.3)
    assert sum(map(len, asked)) == sum(text.count("под номером") for text in done)
    assert 0.3 * 400 < sum(map(len, asked)) < 0.75 * 400
    assert all(1 <= text.count("под номером") <= 2 for text in done)


def test_probability_zero_asks_for_nothing() -> None:
    assert rewritten(["Кошка спит."], {"Кошка спит.": "Кот дремлет."}, p=0.0) == (["Кошка спит."], [])


@pytest.mark.parametrize(
    ("source", "output", "expected"),
    [
        ("Он пришёл?", "Он приехал.", "Он приехал?"),
        ("Он пришёл!", "Он приехал?", "Он приехал!"),
        ("и он ушёл", "И он удалился.", "и он удалился"),
        ("Ну и ну…", "вот это да", "Вот это да…"),
        ("в США", "США далеко", "США далеко"),
        ("ОН ПРИШЁЛ", "он приехал", "ОН ПРИЕХАЛ"),
        ("кот", "cat", None),
        ("кот", "", None),
        ("кот", "<unk> кот", None),
        ("кот спит", " кот\n дремлет ", "кот дремлет"),
    ],
)
def test_outputs_take_the_capital_and_the_mark_of_their_source(source: str, output: str, expected: str | None) -> None:
    assert formatted_like(source, output) == expected


def test_only_the_words_that_change_are_in_the_edit() -> None:
    text = "Кошка тихо спит на окне."
    batch = Batch([text])
    found = rewrite_sentences(
        batch, Streams(digests([text])), 1.0, lambda _, __: ["Кошка мирно дремлет на окне."], min_words=1
    )
    assert apply(batch, found, np.ones(1, dtype=np.bool_)).texts == ["Кошка мирно дремлет на окне."]
    assert [text[start:stop] for start, stop in zip(found.starts, found.stops, strict=True)] == ["тихо спит"]


def test_names_must_come_back_as_whole_words_and_in_order() -> None:
    text = "Анна и Анна Петровна пели."
    sentence = Sentence(0, len(text), (Span(0, 4), Span(7, 20)), ())
    assert aligned(text, sentence, "Пели Аннабель и Анна Петровна.") is None
    assert aligned(text, sentence, "Анна Петровна и Анна пели.") is None
    assert aligned(text, sentence, "Анна с Анной: Анна Петровна пели.") == [Edit(4, 7, " с Анной: ")]


def _proposed(name: str, sources: list[str], **options: object) -> Proposals:
    batch = Batch(sources)
    return make(name, options).propose_batch(batch, Streams(digests(sources)))


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("options", [{}, {"beams": 1}, {"temperature": 1.0}], ids=["beams", "greedy", "drawn"])
def test_outputs_do_not_depend_on_the_batch(name: str, options: dict[str, object]) -> None:
    sources = [f"{one} {SENTENCES[number - 3]}" for number, one in enumerate(SOME)]
    augmenter = Augmenter(make(name, options), similarity="none", probability=0.6)
    together = [result.script for result in augmenter.texts(sources)]
    assert any(script.edits for script in together)
    assert [result.script for result in augmenter.texts(sources[::-1])][::-1] == together
    assert [augmenter(text).script for text in sources] == together


def test_threads_share_the_models() -> None:
    augmenter = Augmenter(make("back_translation", {"temperature": 1.0}), similarity="none", probability=1.0)
    expected = [augmenter(text).text for text in SOME]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda text: augmenter(text).text, SOME)) == expected


@pytest.mark.parametrize("name", ATTACKS)
def test_a_temperature_makes_candidates_differ(name: str) -> None:
    made = make(name, {"temperature": 2.0, "probability": 1.0})
    outcomes = {Augmenter(made, similarity="none", seed=seed)(SENTENCES[0]).text for seed in range(8)}
    assert len(outcomes) > 2


@pytest.mark.parametrize("name", ATTACKS)
def test_chains_and_gates_take_them(name: str) -> None:
    text = f"{SENTENCES[3]} {SENTENCES[4]}"
    result = Augmenter(Chain((name, "butterfingers")), probability=1.0, similarity="none")(text)
    assert result.status == "perturbed"
    assert "Москвы" in result.text
    gated = Augmenter(name, threshold=0.0, schedule="strongest")(text)
    assert gated.status == "perturbed"
    assert gated.similarity is not None


@pytest.mark.parametrize("name", ATTACKS)
def test_errors_of_models_are_one_line(name: str, tmp_path: Path, published: Path) -> None:
    small = published / "models--Helsinki-NLP--opus-mt-ru-en" / "snapshots" / "small"
    gpt = published / "models--THUMT--mGPT" / "snapshots" / "small"
    bare = copied(small, tmp_path / "bare", without="*.spm")
    for file in ("tokenizer_config.json", "tokenizer.json", "vocab.json", "special_tokens_map.json"):
        (bare / file).unlink(missing_ok=True)
    weightless = copied(small, tmp_path / "weightless", without="model.safetensors")
    for folder, message in (
        ("no-such/model", "neither a folder nor in the local cache; get it with: augment-ru models pull no-such/model"),
        (str(tmp_path / "nothing"), "no such folder"),
        (str(bare), "no tokenizer"),
        (str(gpt), "AutoModelForSeq2SeqLM"),
        (str(weightless), "cannot be loaded"),
    ):
        with pytest.raises(AugmentError, match=message) as error:
            _proposed(name, ["Кошка спит на окне."], **dict.fromkeys(MODELS[name], folder))
        assert "\n" not in str(error.value)
