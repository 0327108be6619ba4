"""Work in Python: variants and epochs, frames, presets and recipes, what objects show."""

import importlib
import json
import logging
import re
from collections.abc import Sequence
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import (
    Adversary,
    Augmenter,
    AugmentError,
    Candidates,
    Chain,
    Edit,
    Example,
    Script,
    build_release,
    evaluate,
    verify_release,
)
from augment_ru.constraints.rule_file import constraint, constraint_paths
from augment_ru.engine.attack import Needs, checked_attack
from augment_ru.engine.result import difference_html, parts, visible
from augment_ru.records.task import generic, task
from augment_ru.registry import find, names
from commands import rows_of, run, write
from logs import Logs
from profiles import IS_FULL, third
from strategies import OFFLINE, SENTENCES

ROWS = [{"id": 1, "text": "Кошка спит на окне.", "n": 2}, {"id": 2, "text": "Собака лает во дворе.", "n": 3}]


def plain(attack: str = "butterfingers", **settings: object) -> Augmenter:
    """An augmenter without constraints and gate."""
    return Augmenter(attack, similarity=None, constraints=(), **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("attack", third(OFFLINE, 2))
def test_variants_are_draws_of_their_own_and_the_first_is_the_one_of_before(attack: str) -> None:
    augmenter = plain(attack)
    sources = SENTENCES if IS_FULL else SENTENCES[OFFLINE.index(attack) % 2 :: 2]
    many = [result.text for result in augmenter.texts(sources, n=3)]
    assert many[::3] == [result.text for result in augmenter.texts(sources)]
    # the variants of draw 1 with n = 3 are draws 3, 4 and 5
    for draw in range(3) if IS_FULL else [OFFLINE.index(attack) // 3 % 3]:
        later = [result.text for result in augmenter.texts(sources, n=3, draw=1)]
        assert later[draw::3] == [result.text for result in augmenter.texts(sources, draw=3 + draw)]
    assert many == [result.text for text in sources for result in augmenter.texts([text], n=3)]


def test_other_draws_change_a_text_otherwise_and_say_so() -> None:
    results = plain(probability=0.3).texts([" ".join(SENTENCES)], n=20)
    assert len({result.text for result in results}) == 20
    assert [result.metadata("brief").get("draw") for result in results] == [None, *range(1, 20)]  # type: ignore[union-attr]
    for wrong in ({"n": 0}, {"n": 1.5}, {"draw": -1}, {"draw": 1.0}, {"draw": "1"}):
        with pytest.raises(AugmentError, match="needs an integer"):
            plain().texts(["а"], **wrong)


@pytest.mark.parametrize("one", [True, np.int64(1), np.uint8(1)])
def test_an_integer_of_another_type_is_the_same_number(one: Any) -> None:  # noqa: ANN401
    wanted = plain(seed=1).texts(SENTENCES, draw=1)
    found = plain(seed=one).texts(SENTENCES, draw=one)
    assert [result.line() for result in found] == [result.line() for result in wanted]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"seed": 1.0}, "seed 1.0; needs an integer"),
        ({"threshold": "0.5"}, "`threshold` '0.5'; needs a number from 0 to 1"),
        ({"candidates": 1.5}, "`candidates` 1.5; needs an integer from 1 to 1000"),
        ({"min_changes": "a"}, "`min_changes` 'a'; needs an integer, 0 or more"),
        ({"floor": None}, "`floor` None; needs a probability over 0"),
    ],
)
def test_a_setting_of_a_wrong_type_is_an_error_that_says_what_it_must_be(
    settings: dict[str, Any], problem: str
) -> None:
    with pytest.raises(AugmentError, match=problem):
        plain(**settings)


def test_copies_are_the_variants(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", *ROWS)
    options = ("--no-constraints", "--similarity", "none", "--copies", "3", "--quiet")
    done = run("perturb", source, "--attack", "butterfingers", "--attack", "case", *options)
    assert done.stderr == b""
    rows = rows_of(done.stdout)
    order = [("butterfingers", 0), ("butterfingers", 1), ("butterfingers", 2), ("case", 0), ("case", 1), ("case", 2)]
    assert [(row["augment"]["attack"], row["augment"].get("draw", 0)) for row in rows] == order * 2
    assert [row["text"] for row in rows if row["augment"]["attack"] == "butterfingers"] == [
        result.text for result in plain().records(ROWS, n=3)
    ]


def test_pandas_frames() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS, index=["x", "y"])
    before = frame.copy()
    made = plain().frame(frame, "text", n=2)
    results = list(plain().records(ROWS, field="text", n=2))
    assert made["text"].tolist() == [result.text for result in results]
    assert [json.loads(text) for text in made["augment"]] == [result.metadata() for result in results]
    assert made.index.tolist() == ["x", "x", "y", "y"]
    assert made["n"].dtype == frame["n"].dtype
    assert plain().frame(frame, meta="none").columns.tolist() == ["id", "text", "n"]
    assert len(plain().frame(frame.iloc[:0], "text")) == 0
    assert frame.equals(before)


def test_a_column_of_pandas_keeps_its_type() -> None:
    pandas = pytest.importorskip("pandas")
    texts = [str(row["text"]) for row in ROWS]
    types = ["object", "str", "string", "category"]
    if find_spec("pyarrow"):
        types += ["string[pyarrow]", pandas.ArrowDtype(importlib.import_module("pyarrow").large_string())]
    for dtype in types:
        frame = pandas.DataFrame({"text": pandas.Series(texts, dtype=dtype)})
        made = plain().frame(frame, "text")
        assert made["text"].tolist() == [result.text for result in plain().texts(texts)]
        assert (str(made["text"].dtype) if dtype == "category" else made["text"].dtype) == (
            dtype if dtype == "category" else frame["text"].dtype
        )
        empty = plain().frame(frame.iloc[:0], "text")
        assert empty.dtypes.to_dict() == {**frame.dtypes, "augment": made["augment"].dtype}


def test_a_frame_in_which_rows_or_columns_are_not_clear_is_an_error() -> None:
    pandas = pytest.importorskip("pandas")
    texts = pandas.DataFrame({"text": ["Кошка спит.", None, "Дождь."]}, index=[7, 7, 8])
    with pytest.raises(AugmentError, match=r"column 'text': row 1 \(from 0\) has no value"):
        plain().frame(texts, "text")
    assert len(plain().frame(texts.dropna(), "text")) == 2
    with pytest.raises(AugmentError, match=r"evaluate\(\) takes no pandas frame; use frame\.to_dict"):
        evaluate(texts, {"always a": lambda examples: ["a"] * len(examples)})
    with pytest.raises(AugmentError, match="several columns 'text'"):
        plain().frame(pandas.DataFrame([["а", "б"]], columns=["text", "text"]), "text")
    with pytest.raises(AugmentError, match="field 1: is no text"):
        plain().frame(pandas.DataFrame([["а", "б"]]), 1)  # type: ignore[arg-type]
    with pytest.raises(AugmentError, match="no metadata called 'all'"):
        plain().frame(texts.iloc[:0], "text", meta="all")
    with pytest.raises(AugmentError, match=r"Series is no frame .*texts\(\) for texts"):
        plain().frame(texts["text"], "text")
    dotted = plain().frame(pandas.DataFrame({"my.text": ["Кошка спит."]}), "my.text", meta="none")
    assert dotted["my.text"].tolist() == [next(plain().records([{"my.text": "Кошка спит."}], field="my.text")).text]


@pytest.mark.parametrize(
    ("rows", "models", "options", "message"),
    [
        (["кот"], ["random"], {}, "'кот': no row; give dictionaries, or the path of a file"),
        (None, ["random"], {}, "None: no row; give dictionaries"),
        ([{"text": "кот", "label": "a"}], "random", {}, r"models: must be a list, as \['majority'\]"),
        ([{"text": "кот", "label": "a"}], len, {}, "models: must be a list"),
        ([{"text": "кот", "label": "a"}], ["random"], {"shots": "0"}, "`shots` '0': must be a list of integers"),
        ([{"text": "кот", "label": "a"}], ["random"], {"shots": 0}, "`shots` 0: must be a list of integers"),
        ([{"text": "кот", "label": "a"}], ["random"], {"shots": ["0"]}, "shots '0'; needs an integer"),
    ],
)
def test_wrong_arguments_of_evaluate_are_one_line(
    rows: list[dict[str, str]], models: list[str], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(AugmentError, match=message):
        evaluate(rows, models, **options)


def test_the_files_of_a_release_may_be_named_by_texts(tmp_path: Path) -> None:
    with pytest.raises(AugmentError, match=r"recipe\.toml: cannot be read"):
        build_release(str(tmp_path / "recipe.toml"), str(tmp_path / "made"))
    with pytest.raises(AugmentError, match="made: no such folder"):
        list(verify_release(str(tmp_path / "made")))


def test_polars_frames() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(ROWS)
    made = plain().frame(frame, "text", n=2)
    assert made["text"].to_list() == [result.text for result in plain().records(ROWS, field="text", n=2)]
    assert made.schema == {**frame.schema, "augment": polars.String}
    assert plain().frame(frame[:0], "text").schema == made.schema
    types = {polars.Categorical: polars.Categorical, polars.Enum([row["text"] for row in ROWS]): polars.String}
    for dtype, kept in types.items():
        cast = plain().frame(frame.with_columns(polars.col("text").cast(dtype)), "text", n=2)
        assert cast["text"].cast(polars.String).equals(made["text"])
        assert cast["text"].dtype == kept
    with pytest.raises(AugmentError, match=r"frame\.collect"):
        plain().frame(frame.lazy(), "text")
    with pytest.raises(AugmentError, match=r"row 1 \(from 0\) has no value"):
        plain().frame(polars.DataFrame({"text": ["а", None]}), "text")


def test_what_is_no_row_or_no_attack_is_an_error_that_says_what_to_do() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS)
    for method in (plain().records, plain().texts):
        with pytest.raises(AugmentError, match="use frame"):
            method(frame)
    for wrong in ({"text": ["Кошка"]}, None):
        with pytest.raises(AugmentError, match="texts\\(\\) takes a list of texts"):
            plain().texts(wrong)  # type: ignore[arg-type]
    with pytest.raises(AugmentError, match="texts\\(\\) takes texts"):
        list(plain().records(["Кошка"]))  # type: ignore[list-item]
    with pytest.raises(AugmentError, match="no column 'body'; the frame has id, text, n"):
        plain().frame(frame, "body")
    with pytest.raises(AugmentError, match="is no frame"):
        plain().frame(ROWS, "text")
    with pytest.raises(AugmentError, match="Chain"):
        Augmenter(["case", "eda_swap"])  # type: ignore[arg-type]
    assert Augmenter(Chain(["case", "eda_swap"])).attack.name == "case+eda_swap"


@pytest.mark.parametrize("key", [1, None, ("text",)])
@pytest.mark.parametrize("inside", [False, True])
def test_a_key_that_is_no_text_is_an_error(key: object, inside: bool) -> None:  # noqa: FBT001
    """`csv.DictReader` gives the key None to what a row has over its columns."""
    row: Any = {"text": "Кошка спит.", "label": "a", **({"more": [{key: 1}]} if inside else {key: 1})}
    for work in (
        lambda: list(Augmenter("case").records([row])),
        lambda: evaluate([row], {"m": lambda examples: ["a"] * len(examples)}),
    ):
        with pytest.raises(AugmentError, match=re.escape(f"the key {key!r} is no text; name every field")):
            work()


def test_a_threshold_without_a_similarity_is_an_error() -> None:
    for similarity in (None, "none"):
        with pytest.raises(
            AugmentError, match=r"`threshold` 0\.5: `similarity` none scores nothing; leave one of them out"
        ):
            Augmenter("case", similarity=similarity, threshold=0.5)


def test_presets_and_recipes_are_those_of_the_command_line(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        'attack = ["case", "eda_swap"]\nset = ["case.probability=0.6"]\nseed = 3\nsimilarity = "navec"\n'
        'constraint = "named_entities"\n',
        encoding="utf-8",
    )
    source = write(tmp_path / "in.jsonl", *ROWS)
    rows = rows_of(run("perturb", source, "--recipe", recipe).stdout)
    for at, attack in enumerate(("case", "eda_swap")):
        made = Augmenter.from_recipe(recipe, attack)
        assert [result.row() for result in made.records(ROWS)] == rows[at::2]
    with pytest.raises(AugmentError, match="has 2 attacks; name one with attack=…: case, eda_swap"):
        Augmenter.from_recipe(recipe)
    offline = Augmenter.from_preset("offline", "case", seed=3)
    assert [result.row() for result in offline.records(ROWS)] == [
        result.row() for result in Augmenter("case", seed=3).records(ROWS)
    ]
    with pytest.raises(AugmentError, match="preset 'online'"):
        Augmenter.from_preset("online", "case")


TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)


@given(TEXTS, TEXTS, TEXTS)
def test_parts_and_html_hold_the_source_and_the_text(before: str, removed: str, added: str) -> None:
    script = Script(before + removed, [Edit(len(before), len(before + removed), added)] if removed or added else [])
    assert "".join(part.text for part in parts(script) if part.kind != "added") == script.source
    assert "".join(part.text for part in parts(script) if part.kind != "removed") == script.text
    html = difference_html(script)
    shown = "".join(
        part.text if part.kind == "kept" else visible(part.text) for part in parts(script) if part.kind != "removed"
    )
    assert unescape(re.sub(r"<del.*?</del>|</?ins.*?>", "", html, flags=re.DOTALL)) == shown


def test_an_edit_of_invisible_characters_can_be_seen() -> None:
    script = Script("кот спит", [Edit(0, 3, "к\u00adо\u200b\u200dт"), Edit(4, 8, "👩\u200d🎓")])
    assert "к⟨U+00AD⟩о⟨U+200B⟩⟨U+200D⟩т" in difference_html(script)
    assert "👩\u200d🎓" in difference_html(script)
    line = ("explain", "Товар как на фото.", "--attack", "homoglyphs", "--set", "homoglyphs.invisible=true")
    shown = run(*line, "--set", "homoglyphs.letters=0", "--probability", "1", "--similarity", "none").stdout.decode()
    assert re.search(r"Товар → \w+⟨U\+[0-9A-F]+⟩\w+ +applied", shown)
    assert re.search(r"\{\+\w+⟨U\+\w+⟩\w+\+\}", shown)


def test_reprs_are_short() -> None:
    result = plain()("Кошка спит на окне. " * 1000)
    many = {f"field {number}": "Кошка спит на окне. " * 50 for number in range(40)}
    row = next(plain().records([many], field=list(many)))
    preparation = Augmenter("people").preparation
    (prepared,) = preparation.texts(["Кошка спит на окне. " * 1000], needs=[Needs(frozenset({"lemmas"}))])
    proposals = plain().perturber.proposals(prepared, 0)
    example = Example(many, generic(), many["field 1"], (many,) * 50)
    for shown in (
        *(result, result.record, result.script, result.outcome, result.settings, row, row.record, plain()),
        *(plain().perturber, preparation, proposals, prepared.batch.docs[0], example, Candidates([result.script])),
        *map(constraint, constraint_paths()),
        *map(task, names("tasks")),
        *(checked_attack(find("attacks", "attack", name)()) for name in names("attacks")),
        Edit(0, 0, "Кошка спит на окне. " * 1000),
        Chain(["people"] * 20),
    ):
        assert len(repr(shown)) < 1400, type(shown)
        assert repr(shown).count("\n") < 10, type(shown)
    assert "<ins" in result._repr_html_()


def test_what_a_search_found_shows_itself_as_a_result_does() -> None:
    def model(examples: Sequence[Example]) -> list[str]:
        return ["a" if one.text.startswith("Кошка") else "b" for one in examples]

    adversary = Adversary(["case"], model, similarity="none", constraints=())
    assert repr(adversary) == "Adversary('case', model='model', budget=50)"
    (found,) = adversary.records([{"text": "Кошка спит на окне. " * 200, "label": "a"}])
    assert repr(found).startswith("Finding(broken, {'text': '")
    assert re.search(r"'\}, changes=1, queries=\d+\)$", repr(found))
    assert len(repr(found)) < 300
    assert "<ins" in found._repr_html_()


def test_runs_are_logged_and_nothing_is_printed(logs: Logs, capsys: pytest.CaptureFixture[str]) -> None:
    with logs.from_level(logging.DEBUG):
        plain()("Кошка спит на окне.")
    assert "butterfingers: 1 records" in "\n".join(logs.messages)
    assert capsys.readouterr() == ("", "")
