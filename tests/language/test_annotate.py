"""Annotation: equal to natasha's own, independent of the other texts, on texts of any kind."""

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augment_ru import AugmentError, Doc
from augment_ru.constraints.protection import as_spacy
from augment_ru.language.annotate import Natasha, annotator, closed
from augment_ru.language.slovnet import LONGEST_TREE
from augment_ru.text.doc import LAYERS
from augment_ru.text.words import RUSSIAN
from profiles import examples
from strategies import SENTENCES, texts

ALL = frozenset(LAYERS)
annotate = Natasha()


def natasha_entities(text: str) -> list[tuple[int, int, str]]:
    """The entities that natasha's own call finds."""
    import natasha  # noqa: PLC0415

    tagger = _tagger(natasha)
    return [(span.start, span.stop, span.type) for span in tagger(text).spans]


def _tagger(natasha: Any, made: list[Any] = []) -> Any:  # noqa: ANN401, B006  (one model for all tests)
    if not made:
        made.append(natasha.NewsNERTagger(natasha.NewsEmbedding()))
    return made[0]


def entities(doc: Doc) -> list[tuple[int, int, str]]:
    """The entities of an annotated text."""
    found: list[tuple[int, int, str]] = []
    for token in doc.tokens:
        if token.entity.startswith("B-") or (token.entity and not found):
            found.append((token.start, token.stop, token.entity[2:]))
        elif token.entity:
            found[-1] = (found[-1][0], token.stop, found[-1][2])
    return found


def test_entities_are_those_of_natashas_own_call() -> None:
    sources = [text for text in SENTENCES if text.strip() and not set(text) & {"\u0301", "\u0306"}]
    docs = annotate(sources, frozenset({"entities"}))
    assert [entities(doc) for doc in docs] == [natasha_entities(text) for text in sources]
    assert entities(docs[0])


def test_a_long_text_goes_in_pieces_with_the_same_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    from augment_ru.language import slovnet as module  # noqa: PLC0415  (the size is patched)

    text = " ".join(SENTENCES[:4] * 5)
    expected = annotate([text], ALL)
    for size in (5, 17):
        monkeypatch.setattr(module, "_TOKENS_AT_ONCE", size)
        assert annotate([text], ALL) == expected


@settings(max_examples=examples(40))
@given(st.lists(texts(), min_size=1, max_size=6))
def test_annotation_does_not_depend_on_the_other_texts(sources: list[str]) -> None:
    assert annotate(sources, ALL) == [doc for text in sources for doc in annotate([text], ALL)]


@settings(max_examples=examples(60))
@given(texts())
def test_tokens_lie_in_the_text_in_order(text: str) -> None:
    (doc,) = annotate([text], ALL)
    at = 0
    for number, token in enumerate(doc.tokens):
        assert at <= token.start < token.stop <= len(text)
        assert 0 <= token.head < len(doc.tokens)
        assert not text[at : token.start].strip() or number > 0
        at = token.stop


def test_stress_marks_and_decomposed_letters_are_read_as_words() -> None:
    (doc,) = annotate(["За́мок и ёж, и йод"], ALL)
    words = {doc.text[token.start : token.stop]: token.lemma for token in doc.tokens}
    assert words["За́мок"] == "замок"
    assert words["ёж"] == "ёж"
    assert words["йод"] == "йод"


@pytest.mark.parametrize(
    ("text", "word", "lemma", "pos"),
    [
        ("Мама помыла стекло.", "стекло", "стекло", "NOUN"),
        ("Она мыла раму.", "мыла", "мыть", "VERB"),
        ("Мой брат уехал.", "Мой", "мой", "DET"),
        ("Три дня шёл дождь.", "Три", "три", "NUM"),
        ("Дети играли у моря.", "Дети", "ребёнок", "NOUN"),
    ],
)
def test_lemmas_agree_with_the_tagger(text: str, word: str, lemma: str, pos: str) -> None:
    (doc,) = annotate([text], frozenset({"lemmas"}))
    (token,) = [token for token in doc.words if token.text == word]
    assert (token.lemma, token.pos) == (lemma, pos)


READINGS = """
import sys

if sys.argv[1] == "python":
    sys.modules["dawg"] = None  # as if DAWG2 were not installed
from pymorphy3 import MorphAnalyzer

analyser = MorphAnalyzer()
for word in sys.stdin.read().split():
    print([(one.normal_form, str(one.tag), one.score, one.is_known) for one in analyser.parse(word)])
"""


def test_readings_do_not_depend_on_the_reader_of_the_dictionary() -> None:
    words = " ".join(dict.fromkeys(RUSSIAN.findall(" ".join(SENTENCES))))
    in_python, installed = (
        subprocess.run(
            [sys.executable, "-X", "utf8", "-c", READINGS, reader],
            input=f"{words} Хрюмандия бурбулятору кое-кому",
            capture_output=True,
            check=True,
            encoding="utf-8",
        ).stdout
        for reader in ("python", "installed")
    )
    assert in_python == installed
    assert "хрюмандия" in installed


def test_a_layer_that_was_not_asked_for_is_an_error_that_says_so() -> None:
    (doc,) = annotate(["Кошка спит."], frozenset({"tokens"}))
    with pytest.raises(AugmentError, match="the layer 'lemmas' was not computed for 'Кошка'"):
        _ = doc.words[0].lemma
    with pytest.raises(AugmentError, match="did you mean 'lemmas'"):
        closed(frozenset({"lemma"}))


def test_the_error_for_an_unknown_pipeline_says_how_to_install_it() -> None:
    with pytest.raises(AugmentError, match="python -m spacy download ru_core_news_xx"):
        annotator("spacy:ru_core_news_xx")(["Кошка"], frozenset({"tokens"}))


def test_a_spacy_pipeline_can_replace_natasha(tmp_path: Any) -> None:  # noqa: ANN401
    import spacy  # noqa: PLC0415

    pipeline = spacy.blank("ru")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "LOC", "pattern": "Москве"}])  # type: ignore[attr-defined]
    pipeline.to_disk(tmp_path)
    made = annotator(f"spacy:{tmp_path}")
    (doc,) = made(["Кошка в  Москве."], frozenset({"entities"}))
    assert [(token.text, token.entity) for token in doc.tokens][2] == ("Москве", "B-LOC")
    with pytest.raises(AugmentError, match="gives no lemmas, morphology"):
        made(["Кошка"], frozenset({"lemmas"}))


def test_a_spacy_doc_of_our_tokens_knows_the_layers() -> None:
    from spacy.vocab import Vocab  # noqa: PLC0415

    (doc,) = annotate(["Анна  живёт\nв Москве."], ALL)
    parsed = as_spacy(doc, Vocab())
    assert [token.text for token in parsed] == ["Анна", "живёт", "в", "Москве", "."]
    assert [token.ent_type_ for token in parsed] == ["PER", "", "", "LOC", ""]
    assert [token.pos_ for token in parsed] == ["PROPN", "VERB", "ADP", "PROPN", "PUNCT"]
    assert parsed[3].lemma_ == "москва"
    assert parsed[3].head.text == "живёт"


def test_an_endless_sentence_has_a_tree_for_each_part() -> None:
    (doc,) = Natasha()(["кошка видит рыбу и " * 400], frozenset({"tokens", "syntax"}))
    assert len(doc.tokens) == 1600
    for number, token in enumerate(doc.tokens):
        assert number // LONGEST_TREE == token.head // LONGEST_TREE
