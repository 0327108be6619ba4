"""Rule files: how they are read, which errors they give, and that each of ours agrees with its examples."""

import pickle
import re
from pathlib import Path
from typing import Any

import pytest

from augment_ru import Augmenter, AugmentError, Span
from augment_ru.constraints.rule_file import RuleExample, constraint, constraint_paths, read_constraint
from augment_ru.jobs.check import dictionary_problems, file_problems
from augment_ru.resources import folder
from augment_ru.text.words import occurrences

GOOD = """
why = "Цена — ответ на вопрос."
[[rule]]
label = "PRICE"
pattern = [{ LIKE_NUM = true }, { LEMMA = { IN = ["рубль", "доллар"] } }]
[[example]]
text = "Кофе стоит [300 рублей]."
[[example]]
text = "Кофе остыл."
"""


def rule_file(folder: Path, content: str) -> Path:
    """A rule file with this content."""
    path = folder / "prices.toml"
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize("path", constraint_paths().values(), ids=lambda path: path.stem)
def test_every_rule_file_agrees_with_its_examples(path: Path) -> None:
    assert list(file_problems([path])) == []
    assert read_constraint(path).why


@pytest.mark.parametrize("path", sorted(folder("dictionaries").glob("*.tsv")), ids=lambda path: path.stem)
def test_every_dictionary_keeps_its_format(path: Path) -> None:
    assert list(dictionary_problems(path)) == []


def test_a_rule_file_works_by_its_path(tmp_path: Path) -> None:
    path = rule_file(tmp_path, GOOD)
    assert list(file_problems([path])) == []
    for seed in range(5):
        augmenter = Augmenter("butterfingers", constraints=[str(path)], similarity="none", probability=1.0, seed=seed)
        result = augmenter("Кофе стоит  300 рублей, чай — 5.")
        assert "300 рублей" in result.text
        assert result.protected["text"] == (Span(12, 22, "PRICE"),)
        assert "Кофе" not in result.text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("LEMMA", "LEMA", "rule 1: no attribute called 'LEMA'; did you mean 'LEMMA'"),
        ("LIKE_NUM = true", 'LIKE_NUM = true, OP = "!"', "instead of '!' use NOT_IN"),
        ("why =", "whi =", "no key called 'whi'; did you mean 'why'"),
        ('label = "PRICE"', "", "rule 1: 'label' is missing; it must be a text"),
        ("pattern =", "patern =", "no key called 'patern'; did you mean 'pattern'"),
        ("[[rule]]", '[[rule]]\nfields = ["answer"]', "has pattern and fields; give one of"),
        ("[300 рублей]", "[300 рублей", "a bracket is not closed"),
        ("[[rule]]", "[[rule", "not TOML"),
        ("LIKE_NUM = true", "LIKE_NUM = 7.5", "rule 1: spaCy refuses the pattern"),
        ('IN = ["рубль", "доллар"]', 'REGEX = "["', "rule 1: LEMMA REGEX '[': unterminated character set"),
        ("LIKE_NUM = true", 'POS = "NOUNN"', "no part of speech called 'NOUNN'; did you mean 'NOUN'"),
        ("LIKE_NUM = true", 'POS = { IN = ["VERB", "NOMEN"] }', "no part of speech called 'NOMEN'"),
        ("[{ LIKE_NUM", "[5, { LIKE_NUM", "5 in the pattern; each token must be a table"),
        ('why = "Цена — ответ на вопрос."', "why = 5", "'why' is 5; it must be a text"),
        ('text = "Кофе остыл."', "text = 5", "example 2: 'text' is 5; it must be a text"),
        ('text = "Кофе остыл."', 'text = "Кофе"\nrecord = 5', "example 2: 'record' is 5; it must be a table"),
        ("[[rule]]", 'layers = ["lemma"]\n[[rule]]', "layers: no layer called 'lemma'; did you mean 'lemmas'"),
        (
            "[[rule]]",
            '[[rule]]\nlabel = "X"\nfields = "answer"\n[[rule]]',
            "'fields' is 'answer'; it must be a list of at least one text",
        ),
        ("[[rule]]", '[[rule]]\nlabel = "X"\nfunction = "no"\n[[rule]]', "no function called 'no'"),
    ],
)
def test_a_wrong_rule_file_is_refused_in_one_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = rule_file(tmp_path, GOOD.replace(old, new))
    (line,) = file_problems([path])
    assert message in line
    assert "prices.toml" in line


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Кофе остыл.", "Кофе [остыл].", "no example with nothing protected"),
        ("[300 рублей]", "300 рублей", "no example with something protected"),
        ("[300 рублей]", "300 [рублей]", "expected Кофе стоит 300 [рублей]., got Кофе стоит [300 рублей]."),
    ],
)
def test_examples_can_fail(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert any(message in line for line in file_problems([rule_file(tmp_path, GOOD.replace(old, new))]))


def test_entity_types_can_be_chosen() -> None:
    """The published toolkit's choice of types is inverted: it protects everything else."""
    text = "Анна живёт в Москве."
    for label, span in (("PER", Span(0, 4, "PER")), ("LOC", Span(13, 19, "LOC"))):
        augmenter = Augmenter("case", constraints=[f"named_entities:{label}"], similarity="none")
        assert augmenter(text).protected["text"] == (span,)
    with pytest.raises(AugmentError, match="no label of named_entities called 'PERS'; did you mean 'PER'"):
        constraint("named_entities:PERS")


def test_values_of_fields_are_protected_as_whole_words(tmp_path: Path) -> None:
    path = rule_file(
        tmp_path,
        """
why = "Ответ должен остаться в тексте."
[[rule]]
label = "ANSWER"
fields = ["answer", "options"]
[[example]]
text = "[Рига] — столица, а бригада — нет, [рига] тоже."
record = { answer = "Рига" }
[[example]]
text = "Бригада едет."
record = { answer = "Рига" }
""",
    )
    assert list(file_problems([path])) == []
    rows: list[dict[str, Any]] = [{"text": "Дом и сад, и рыба", "options": ["сад", "дом и сад"], "answer": None}]
    (result,) = Augmenter("butterfingers", constraints=[str(path)], similarity="none", probability=1.0).records(rows)
    assert result.text.startswith("Дом и сад, ")
    assert not result.text.endswith("рыба")


def test_occurrences_are_whole_words_in_any_case() -> None:
    text = "Рига, рига, бригада, Рига-Товарная, «РИГА»"
    assert [span.start for span in occurrences(text, ["рига"], "X")] == [0, 6, 21, 37]
    assert list(occurrences(text, ["", " "], "X")) == []


def test_examples_mark_their_spans() -> None:
    example = RuleExample("[Анна] и [Пётр] спят")
    assert example.text == "Анна и Пётр спят"
    assert [span.of(example.text) for span in example.spans] == ["Анна", "Пётр"]


def test_a_constraint_is_picklable_and_needs_only_its_layers() -> None:
    found = constraint("named_entities")
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301  (made here)
    assert "syntax" not in found.layers


def test_a_missing_function_says_what_there_is(tmp_path: Path) -> None:
    path = rule_file(tmp_path, 'why = "…"\n[[rule]]\nlabel = "X"\nfunction = "nothing"\n')
    with pytest.raises(AugmentError, match="no function called 'nothing'"):
        Augmenter("case", constraints=[str(path)], similarity="none")("Кошка")


def test_a_long_run_of_one_entity_takes_no_longer_than_its_length() -> None:
    """For a run of tokens that `OP = "+"` matches, spaCy's Matcher lists every part: 20,000 tokens took gigabytes."""
    text = "Мы долго писали этот отчёт. " + "%" * 20_000 + " Теперь он наконец готов."
    result = Augmenter("eda_delete", similarity="none")(text)
    assert result.status == "perturbed"
    assert "%" * 20_000 in result.text


def test_matches_that_touch_are_one_span(tmp_path: Path) -> None:
    path = rule_file(tmp_path, 'why = "…"\n[[rule]]\nlabel = "UP"\npattern = [{ IS_UPPER = true, OP = "+" }]\n')
    text = "СЛОВО " * 1000 + "конец"
    (span,) = Augmenter("case", constraints=str(path), similarity="none")(text).protected["text"]
    assert span == Span(0, 5999, "UP")


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ('{ LOWER = "кот", OP = "{0,4294967296}" }', "a token may be repeated 100 times"),
        ('{ LOWER = "кот", OP = "{9999999999999999999999}" }', "a token may be repeated 100 times"),
        ('{ LOWER = "кот", OP = "{5,1}" }', "OP '{5,1}'; the least number stands first"),
        (", ".join(['{ OP = "*" }'] * 12), "12 tokens without an end"),
        (", ".join(['{ OP = "{1,}" }'] * 5), "5 tokens without an end"),
        (", ".join(["{}"] * 101), "a pattern of 101 tokens; it may have 100"),
    ],
)
def test_a_pattern_has_bounds(tmp_path: Path, pattern: str, message: str) -> None:
    with pytest.raises(AugmentError, match=re.escape(message)):
        read_constraint(rule_file(tmp_path, f'why = "…"\n[[rule]]\nlabel = "X"\npattern = [{pattern}]\n'))
