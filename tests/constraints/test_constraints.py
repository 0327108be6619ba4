"""Constraints: how much of the gold spans they find, how little else, and that protected spans never change."""

import functools
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augment_ru import Perturber, Preparation, registry
from augment_ru.constraints.functions.named_entities.institutions import is_of_place
from augment_ru.constraints.protection import Lexicon, as_spacy, needs_matcher, protected
from augment_ru.constraints.rule_file import constraint, constraint_paths, read_constraint
from augment_ru.engine.augmenter import Augmenter
from augment_ru.engine.search import SCHEDULES
from augment_ru.errors import AugmentError
from augment_ru.jobs.check import file_problems
from augment_ru.language.annotate import Natasha
from augment_ru.records.record import list_of_texts
from augment_ru.records.task import Task
from augment_ru.resources import dictionary_path, rows
from augment_ru.text.doc import LAYERS, Doc
from profiles import examples, third
from strategies import SENTENCES


def _benchmark() -> ModuleType:
    """The benchmark that measures constraints on gold files; it is no part of the package."""
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "constraints.py"
    spec = importlib.util.spec_from_file_location("constraints_benchmark", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


measure = _benchmark()

AIMS = {
    # constraints, types: recall, precision, over-protection; on gold, and on our own texts of other genres
    ("named_entities", None): (0.99, 0.97, 0.06),
    ("jeopardy", None): (0.98, 0.96, 0.03),
    ("named_entities+jeopardy", None): (0.98, 0.95, 0.06),
    ("referents", None): (0.98, 0.95, 0.03),
    ("referents", "ANAPHOR+ANTECEDENT"): (1.0, 0.99, 0.02),
    ("referents", "VERB"): (0.96, 0.93, 0.03),
    ("multihop", None): (1.0, 1.0, 0.0),
    ("negation", None): (0.97, 0.9, 0.03),
    ("numbers", None): (0.97, 0.95, 0.03),
    ("answer_options", None): (0.97, 0.95, 0.03),
}


def _measured() -> Iterator[Any]:
    for kind in measure.KINDS:
        types = "+".join(sorted(kind.types)) if kind.types else None
        for path in kind.files(measure.GOLD):
            aims = AIMS["+".join(kind.constraints), types]
            yield pytest.param(kind, path, aims, id=f"{path.stem}-{'+'.join(kind.constraints)}-{types or 'all'}")


@functools.cache
def annotated_gold(path: Path) -> Any:  # noqa: ANN401  (the benchmark's own)
    """The rows of a file, annotated once for all kinds of gold in it."""
    kinds = [kind for kind in measure.KINDS if path in kind.files(measure.GOLD)]
    (fields,) = {kind.fields for kind in kinds}
    names = tuple(dict.fromkeys(name for kind in kinds for name in kind.constraints))
    return measure.annotated(measure.Gold(kinds[0].name, names, fields), measure.rows(path))


@pytest.mark.parametrize(("kind", "path", "aims"), list(_measured()))
def test_gold_spans_are_protected_and_little_else(kind: object, path: Path, aims: tuple[float, float, float]) -> None:
    found = measure.score(kind, measure.rows(path), annotated_gold(path), measure.ours(kind))
    recall, precision, over_protection = aims
    assert found.recall >= recall
    assert found.precision >= precision
    assert found.over_protection <= over_protection


def test_gold_texts_hold_their_spans() -> None:
    for path in sorted(measure.GOLD.glob("*.jsonl")):
        for row in measure.rows(path):
            for one in [*row.get("spans", ()), *row.get("gold", ()), *row.get("neutral", ())]:
                text = row[one.get("field", "text")]
                assert text[one["start"] : one["end"]] == one["text"], row["id"]


@pytest.mark.parametrize("path", list(constraint_paths().values()), ids=list(constraint_paths()))
def test_a_rule_file_does_what_its_examples_say(path: Path) -> None:
    assert list(file_problems([path])) == []


def _protected(spec: str, text: str, **record: object) -> list[tuple[str, str]]:
    found = constraint(spec)
    (doc,) = Natasha()([text], found.layers)
    spans = protected((found,), {**record, "text": text}, {"text": doc})
    return [(span.of(text), span.label) for span in spans["text"]]


def test_labels_that_a_function_finds_can_be_chosen() -> None:
    text = "Анна Каренина приехала в Москву и читала «Сто лет одиночества»."
    assert _protected("named_entities:PER", text) == [("Анна Каренина", "PER")]
    assert _protected("named_entities:LOC,WORK", text) == [("Москву", "LOC"), ("Сто лет одиночества", "WORK")]
    with pytest.raises(AugmentError, match="PERS"):
        constraint("named_entities:PERS")


def test_a_name_in_one_text_is_known_in_all_texts_of_the_record() -> None:
    (doc, other) = Natasha()(["Писатель Шнурре жил у моря.", "Шнурре был беден."], frozenset({"entities"}))
    spans = protected((constraint("named_entities"),), {}, {"passage": doc, "question": other})
    assert [span.of(other.text) for span in spans["question"]] == ["Шнурре"]


def test_abbreviations_of_things_are_sorted_and_written_in_capitals_unless_they_are_units() -> None:
    found = [line for (line,) in rows(dictionary_path("abbreviations"), columns=1)]
    assert found == sorted(set(found))
    units = {old for kind, old, _, _ in rows(dictionary_path("speech"), columns=4) if kind == "unit"} | {"дж", "па"}
    assert all(word.isalpha() and (word == word.upper() or word.lower() in units) for word in found)
    assert not {"МВД", "США", "ООН", "ФСБ", "МГУ", "ЦСКА"} & set(found)


@pytest.mark.parametrize("word", ["казанской", "московского", "российскому", "сирийская", "французский", "омской"])
def test_adjectives_of_places_are_told_by_the_place(word: str) -> None:
    assert is_of_place(word)


@pytest.mark.parametrize("word", ["городской", "областная", "сельского", "детской", "женский", "мэрия"])
def test_other_adjectives_are_not_of_places(word: str) -> None:
    assert not is_of_place(word)


def test_options_are_read_and_never_run() -> None:
    assert (
        list_of_texts(["Катя", "Машу"])
        == list_of_texts("['Катя', 'Машу']")
        == list_of_texts('["Катя", "Машу"]')
        == ["Катя", "Машу"]
    )
    assert list_of_texts("['Книга' 'войне']") == list_of_texts("['Книга'\n 'войне']") == ["Книга", "войне"]
    assert list_of_texts(None) == list_of_texts("[]") == []
    for hostile in ("__import__('os').getcwd()", "[" * 10_000, "{'a': 1}", "", 5, "[1, 2]", "Книга, войне", [["x"]]):
        with pytest.raises(AugmentError, match="is no list of texts"):
            list_of_texts(hostile)


@pytest.mark.parametrize(
    ("name", "text", "record", "expected"),
    [
        ("named_entities", "🔥Москва🔥 и 😀Иван😀", {}, ["Москва", "Иван"]),
        ("negation", "😀не😀люблю это", {}, ["не"]),
        ("jeopardy", "🔥ЭТОТ ФИЛЬМ🔥 сняли", {}, ["ЭТОТ", "ЭТОТ ФИЛЬМ"]),
        ("multihop", "мы были с парижем вчера, Ян", {"bridge_answers": ["Париж"]}, ["парижем"]),
        ("multihop", "Пётр пришёл.", {"bridge_answers": ["Пётр"]}, ["Пётр"]),
        ("multihop", "усы в инее, Ян", {"bridge_answers": ["Уса"]}, []),
        (
            "referents",
            "Кни́га о ла́мпе, кото́рая упала",
            {"options": ["Книга", "лампе"], "reference": "которая"},
            ["Кни́га", "ла́мпе", "кото́рая", "упала"],
        ),
    ],
)
def test_emoji_stress_marks_and_decomposed_letters_hide_nothing(
    name: str, text: str, record: dict[str, Any], expected: list[str]
) -> None:
    assert list(dict.fromkeys(found for found, _ in _protected(name, text, **record))) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("negation", "Он недоволен и неучтив, но неделя и невод тут ни при чём.", ["недоволен", "неучтив", "ни"]),
        ("negation", "Беседа удалась, хотя бесноватый гость отверг безголевой счёт.", ["отверг", "безголевой"]),
        ("negated", "Он не очень любит чай без сахара.", ["не очень любит", "без сахара"]),
        ("negated", "И не забудь закрыть соединение.", ["не забудь закрыть"]),
        ("negated", "У него не было времени думать.", ["не было времени"]),
        (
            "negated",
            "Денег нет, молчать нельзя, никто не придёт.",
            ["Денег нет", "молчать нельзя", "никто", "не придёт"],
        ),
        ("restrictors", "Едва ли не каждый спит до обеда.", ["Едва ли не каждый", "до обеда"]),
        ("numbers", "Через полчаса взвесьте 5кг, IV в. прошёл.", ["полчаса", "5кг", "IV в."]),
        ("numbers", "Выехал 26 июля в Москву с тремя CD.", ["26 июля", "тремя"]),
        ("answer_options", "Кто летает? [A] кит [B] сова", ["[A] кит", "[B] сова"]),
        ("answer_options", "Кто летает?\nA: кит\nB: сова\nОбъясните.", ["A: кит", "B: сова"]),
        ("answer_options", "Суд вправе: 1) отложить дело; 2) закрыть его.", []),
        ("answer_options", "Группа (A) выиграла, а группа (B) ещё играет.", []),
    ],
)
def test_small_words_numbers_and_options_are_told_from_what_looks_like_them(
    name: str, text: str, expected: list[str]
) -> None:
    assert [found for found, _ in _protected(name, text)] == expected


def test_rwsd_rows_name_their_referents_in_target() -> None:
    target = {"span1_text": "Фред", "span2_text": "он вернулся", "span1_index": 0, "span2_index": 4}
    found = _protected("referents", "Фред смотрел телевизор. Потом он вернулся.", target=target)
    assert found == [("Фред", "ANTECEDENT"), ("смотрел", "VERB"), ("он", "ANAPHOR"), ("вернулся", "VERB")]


@pytest.mark.parametrize(
    ("reference", "warned"),
    [("которая", False), ("Которую", False), ("котора́я", False), (None, False), ("", False), ("который", True)],
)
def test_a_row_whose_anaphor_stands_nowhere_has_a_warning(reference: str | None, warned: bool) -> None:  # noqa: FBT001
    row = {
        "text": "Ваза, которую вчера купила мама, разбилась вечером.",
        "answer": "ваза",
        "label": 1,
        "options": ["ваза", "мама"],
    }
    (result,) = Augmenter("case", similarity="none", probability=1.0).records([{**row, "reference": reference}])
    expected = ("the anaphor 'который' stands in no form in the text, so nothing protects it",) if warned else ()
    assert result.warnings == expected
    assert result.status == "perturbed"
    assert result.row()["augment"].get("warnings", []) == list(expected)
    for chosen in ((), "named_entities", "referents:ANTECEDENT"):
        (result,) = Augmenter("case", similarity="none", constraints=chosen).records([{**row, "reference": reference}])
        assert result.warnings == ()  # it is not looked for


def test_an_offset_that_does_not_match_names_record_and_field() -> None:
    row = {
        "support_text": "Тверь — город.", "main_text": "В Твери тепло.", "question": "Где тепло?",
        "bridge_answers": [{"label": "passage", "offset": 3, "length": 5, "segment": "Тверь"}], "main_answers": [],
    }  # fmt: skip
    with pytest.raises(AugmentError, match=r"bridge_answers\[0\].*Тверь.*support_text"):
        list(Augmenter("case", similarity="none").records([row]))


def test_offsets_follow_the_text_through_every_attack() -> None:
    row = {
        "support_text": "Река Белая — приток.", "main_text": "На Белой стоит старый город Уфа.", "question": "Что?",
        "bridge_answers": [{"label": "passage", "offset": 5, "length": 5, "segment": "Белая"}],
        "main_answers": [{"label": "passage", "offset": 28, "length": 3, "segment": "Уфа"}],
    }  # fmt: skip
    for attack in registry.names("attacks"):
        for result in Augmenter(attack, similarity="none", probability=1.0).records([row]):
            new = result.row(meta="none")
            for field, text in (("bridge_answers", "support_text"), ("main_answers", "main_text")):
                at, segment = new[field][0]["offset"], new[field][0]["segment"]
                assert new[text][at : at + len(segment)] == segment


def test_a_rule_file_of_ones_own_works_by_path(tmp_path: Path) -> None:
    path = tmp_path / "colours.toml"
    path.write_text(
        'why = "Colours are asked for."\n[[rule]]\nlabel = "COLOUR"\npattern = [{ LEMMA = { IN = ["красный"] } }]\n'
        '[[example]]\ntext = "Мой [красный] шарф."\n[[example]]\ntext = "Мой шарф."\n',
        encoding="utf-8",
    )
    assert list(file_problems([path])) == []
    assert read_constraint(path).layers >= {"lemmas"}
    result = Augmenter("butterfingers", constraints=[str(path)], probability=1.0, similarity="none")("Красная площадь")
    assert result.text.startswith("Красная")


def test_word_lists_are_matched_as_regular_expressions() -> None:
    pattern = [{"TEXT": {"REGEX": r"\d"}, "OP": "+"}, {"LOWER": {"IN": ["км", "часов"]}, "OP": "?"}]
    assert not needs_matcher(pattern)
    lexicon = Lexicon([("NUMBER", pattern)])
    for _ in range(2):
        found = lexicon.find(["ехал", "12", "КМ", "за", "3", "часов"])
        assert list(found) == [("NUMBER", 1, 3), ("NUMBER", 4, 6)]
    assert list(lexicon.find(["семь", "дней"])) == []
    assert list(lexicon.find([])) == []


TESTS = {
    "LOWER": ["не", "кошка", {"IN": ["в", "на"]}, {"NOT_IN": [".", ","]}],
    "TEXT": ["Маша", {"REGEX": "^[А-Я]"}],
    "LEMMA": ["кошка", {"IN": ["идти", "не", "весь"]}, {"NOT_IN": ["кот"]}, {"REGEX": "ть$"}],
    "POS": ["NOUN", {"IN": ["VERB", "ADP"]}, {"NOT_IN": ["PUNCT"]}, {"REGEX": "^P"}],
    "MORPH": [{"REGEX": "Case=Nom"}, {"REGEX": "Polarity=Neg"}, "Case=Nom|Gender=Fem|Number=Sing"],
    "ENT_TYPE": ["PER", {"IN": ["LOC", "ORG"]}, ""],
    "DEP": ["nsubj", {"REGEX": "^acl"}],
}
tests_of_tokens = st.dictionaries(st.sampled_from(sorted(TESTS)), st.integers(0, 9), min_size=1, max_size=2).map(
    lambda drawn: {name: TESTS[name][number % len(TESTS[name])] for name, number in drawn.items()}
)


@settings(max_examples=examples(300))
@given(pattern=st.lists(tests_of_tokens, min_size=1, max_size=3))
def test_patterns_over_annotation_find_what_spacy_finds(pattern: list[dict[str, Any]]) -> None:
    docs = spacy_docs()
    matcher = pytest.importorskip("spacy.matcher").Matcher(docs[0].vocab)
    assert not needs_matcher(pattern)
    matcher.add("found", [pattern], greedy="LONGEST")
    lexicon = Lexicon([("found", pattern)])
    for doc, theirs in zip(annotated(), docs, strict=True):
        found = sorted(matcher(theirs))
        assert sorted(lexicon.find(lexicon.read(doc))) == [("found", start, stop) for _, start, stop in found]


@functools.cache
def annotated() -> list[Doc]:
    """Sentences with every layer."""
    texts = [*SENTENCES, "Маша не видела в Казани ни одной кошки, которая весь день шла бы на завод «Заря»."]
    return Natasha()(texts, frozenset(LAYERS))


@functools.cache
def spacy_docs() -> list[Any]:
    """The same sentences as documents of spaCy."""
    vocabulary = pytest.importorskip("spacy").blank("ru").vocab
    return [as_spacy(doc, vocabulary) for doc in annotated()]


def test_without_spacy_rules_of_tokens_run_and_others_name_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    monkeypatch.setitem(sys.modules, "spacy.matcher", None)
    file = tmp_path / "rule.toml"
    rule = 'why = "w"\n[[rule]]\nlabel = "N"\npattern = [{}]\n'.format
    file.write_text(rule('{ LEMMA = { IN = ["не", "нет"] }, POS = { NOT_IN = ["NOUN"] } }'), encoding="utf-8")
    found = Augmenter("eda_delete", constraints=(str(file),))("Маша не пришла.")
    assert [span.label for span in found.protected["text"] if span.label == "N"] == ["N"]
    file = tmp_path / "harder.toml"
    file.write_text(rule('{ LEMMA = "не", OP = "+" }'), encoding="utf-8")
    with pytest.raises(AugmentError, match=r'rule 1: only spaCy matches OP beside annotation; .*"\.\[spacy\]"'):
        Augmenter("eda_delete", constraints=(str(file),))("Маша не пришла.")


INSERTED = ["😂", "👨‍👩‍👧", "и́х", "ё", "\n", "\u00a0", "НЕ", "XIX", "5 км", "(A) да (B) нет", "«Ё»", "@user", "эта"]
NAMES = ["Москву", "Анна Каренина", "ТАСС", "А. П. Чехов", "«Три сестры»", "Ростов-на-Дону", "X", "ЭТОТ ФИЛЬМ"]
WORDS = ["кошка", "спит", "и", "видит", "старый", "дом", "без", "который", "открылась", ",", "."]
ALL = ("named_entities", "jeopardy", "numbers", "negation", "answer_options", "referents", "multihop")
ATTACKS = [*registry.names("attacks"), "butterfingers+case", "eda_swap+emojify", "emojify+butterfingers"]
TASK = Task.of("anything", fields=("text", "question"), id="id")

texts = st.lists(st.sampled_from([*INSERTED, *NAMES, *WORDS]), min_size=1, max_size=20).map(" ".join)


@settings(max_examples=examples(15, 3))  # each asks every attack
@given(rows=st.lists(st.tuples(texts, texts), min_size=1, max_size=4), way=st.sampled_from(["none", *SCHEDULES]))
def test_what_is_protected_stays_through_every_attack(rows: list[tuple[str, str]], way: str) -> None:
    gate: dict[str, Any] = {"similarity": "none"} if way == "none" else {"schedule": way, "threshold": 0.9}
    perturbers = [Perturber(attack, probability=1.0, **gate) for attack in third(ATTACKS, 2)]
    records = [
        {"id": number, "text": text, "question": question, "options": "['кошка', 'дом']", "reference": "который",
         "bridge_answers": [{"segment": "Анна Каренина"}], "main_answers": ["Москва"]}
        for number, (text, question) in enumerate(rows)
    ]  # fmt: skip
    (prepared,) = Preparation(ALL).records(records, TASK, needs=[one.needs for one in perturbers])
    for perturber in perturbers:
        for result in perturber.perturb(prepared).results:
            for field, spans in result.protected.items():
                script = result.scripts[field]
                for span in spans:
                    mapped = script.map(span)
                    assert mapped is not None, perturber
                    assert mapped.of(script.text) == span.of(script.source), perturber


def test_an_empty_text_and_one_of_marks_alone_have_nothing_to_protect() -> None:
    for text in ("", " ", "«»", '""', "()", "... — …", "«", "(", "😂"):
        for name in constraint_paths():
            record = {"options": ["кошка"], "reference": "она", "bridge_answers": [{"segment": "—"}]}
            assert _protected(name, text, **record) == [], (name, text)
