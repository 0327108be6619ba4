"""Every task in its benchmark's own layout: what changes, what follows, and that all else stays."""

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augment_ru import Augmenter, AugmentError, Edit, Perturber, Preparation, Record, Result, Script, Span
from augment_ru.constraints.rule_file import constraint
from augment_ru.engine.attack import Attack, Needs
from augment_ru.engine.prepare import Prepared
from augment_ru.engine.result import original
from augment_ru.records import field_paths
from augment_ru.records.task import CharacterSpans, Task, recognise, task
from augment_ru.registry import names
from layouts import EXAMPLES, ROWS, STORY
from profiles import IS_FULL, examples, third
from strategies import ATTACKS, attacks, texts

LAWS = settings(max_examples=examples(60))


def perturbed(row: dict[str, Any], attack: str | Attack, name: str, **options: Any) -> Result:  # noqa: ANN401
    """The row after an attack at full strength, ungated, without constraints."""
    chosen = {"constraints": (), "similarity": "none", **options}
    if isinstance(attack, str):
        chosen["probability"] = 1.0
    (result,) = Augmenter(attack, **chosen).records([row], name)
    return result


def leaves(value: object, path: field_paths.Path = ()) -> Iterator[tuple[field_paths.Path, object]]:
    """Every value in a row that holds no other."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if inner is None:
        yield path, value
    else:
        for step, held in inner:
            yield from leaves(held, (*path, step))


def check(result: Result) -> None:
    """The law of every layout: texts replay, places follow their text, nothing else changes."""
    old, new = dict(result.record.values), result.row("none")
    metadata = result.metadata() or {}
    for name, source in metadata["source"].items():
        assert field_paths.value(old, name) == source
        assert field_paths.value(new, name) == Script(source, (Edit(*edit) for edit in metadata["edits"][name])).text
        assert set(field_paths.steps(name)) & {"instruction", "outputs", "meta", "label", "Label"} == set()
    moved = {field_paths.path_of(old, name) for name in metadata["source"]}
    moved |= {place.path for place in result.record.offsets()}
    before, after = dict(leaves(old)), dict(leaves(new))
    assert list(before) == list(after)  # the same keys in the same order
    assert {path for path in before if before[path] != after[path]} <= moved
    assert json.loads(result.line("none")) == new
    assert json.loads(result.line())["augment"] == json.loads(json.dumps(metadata))
    check_answers(new, result.record.task)
    check_words(old, new, result.record.task)
    check_characters(old, new, result.record.task)
    kept = [text for name in result.record.task.layout.kept for text in field_paths.values(old, name)]
    for name in metadata["source"]:
        for text in kept:
            assert field_paths.value(new, name).count(text) >= field_paths.value(old, name).count(text)
    for marks in result.record.task.layout.marks:
        for name in field_paths.every(old, marks.text):
            ours, theirs = (re.findall(marks.pattern, field_paths.value(row, name)) for row in (old, new))
            left = iter(theirs)  # a Latin «o» in place of a word of one letter may look like another mark
            assert all(mark in left for mark in ours)


def check_answers(new: dict[str, Any], known: Task) -> None:
    """An answer stands at its offset."""
    for answers in known.layout.answers:
        for answer in field_paths.value(new, answers.field) or ():
            if isinstance(answer, dict):
                stop = answer["offset"] + answer["length"]
                assert field_paths.value(new, answers.text)[answer["offset"] : stop] == answer["segment"]


def check_words(old: dict[str, Any], new: dict[str, Any], known: Task) -> None:
    """The word of a number is the one that it was, up to its punctuation."""
    for words in known.layout.words:
        for _, number in words.pairs:
            ours, theirs = (field_paths.value(row, words.text).split() for row in (old, new))
            first = ours[field_paths.value(old, words.field)[number]]
            core = re.search(r"\w+", first)
            assert (core[0] if core else first) in theirs[field_paths.value(new, words.field)[number]]


def check_characters(old: dict[str, Any], new: dict[str, Any], known: Task) -> None:
    """Numbers of characters enclose what they did."""
    for spans in known.layout.characters:
        (text,) = field_paths.every(old, spans.text)
        if spans.segment:
            check_segments(old, new, spans)
            continue
        for start, stop in zip(field_paths.every(old, spans.start), field_paths.every(old, spans.stop), strict=True):
            if field_paths.has_value(old, start):
                ours, theirs = (
                    (
                        field_paths.value(row, text),
                        int(field_paths.value(row, start)),
                        int(field_paths.value(row, stop)),
                    )
                    for row in (old, new)
                )
                same_span(ours, theirs)


def check_segments(old: dict[str, Any], new: dict[str, Any], spans: CharacterSpans) -> None:
    """The texts of spans stay, and stand at their numbers."""
    segments, starts = (field_paths.values(new, name) for name in (spans.segment, spans.start))
    assert segments == field_paths.values(old, spans.segment)
    for segment, start in zip(segments, starts, strict=True):
        held = field_paths.value(new, spans.text)
        assert (start, segment) == (-1, "") or held[start : start + len(segment)] == segment


def same_span(ours: tuple[str, int, int], theirs: tuple[str, int, int]) -> None:
    """A span has the characters it had, whether its last number counts as part of it or not."""
    (text, start, stop), (moved, first, last) = ours, theirs
    beyond = max(stop - len(text), 0)  # some rows count one character more than the text has
    assert moved[first : last - beyond] == text[start:stop]
    assert last - first == stop - start
    if stop < len(text) and text[stop - 1].isalnum() and text[stop].isalnum():
        assert moved[first : last + 1] == text[start : stop + 1]


@pytest.mark.parametrize("name", names("tasks"))
def test_every_task_has_rows_that_it_recognises(name: str) -> None:
    assert ROWS[name]
    twins = [one for one in names("tasks") if task(one).layout.keys == task(name).layout.keys]
    for row in ROWS[name]:
        if not task(name).layout.keys:
            assert recognise(row) is not task(name)  # it is taken by its name
        elif len(twins) == 1:
            assert recognise(row) is task(name)
        else:
            with pytest.raises(AugmentError, match="choose with `task`"):
                recognise(row)
        record = Record(row, task(name))
        assert all(record.texts()[field] == field_paths.value(row, field) for field in record.fields)
        constraints = [constraint(one).language for one in task(name).layout.constraints]
        assert set(constraints) <= {None, task(name).benchmark.language}


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_nothing_changes_without_an_attack(name: str, number: int) -> None:
    row = ROWS[name][number]
    for dumped in (
        json.dumps(row, ensure_ascii=False),
        json.dumps(row, separators=(",", ":")).replace("/", "\\/"),
        json.dumps(row, ensure_ascii=False, indent=1),
    ):
        (result,) = Augmenter("case", probability=0.0, similarity="none").records([row], name)
        record = Record(json.loads(dumped), task(name), dumped)
        assert original(record, 1).line("none") == dumped
        assert result.status == "unchanged"
        assert result.row("none") == row


SPECS = [*ATTACKS, "eda_delete+emojify", "eda_swap+butterfingers"]


@cache
def prepared(needs: Needs, first: int, step: int) -> Prepared:
    """Every row, or one of `step`, prepared for all attacks with these needs."""
    rows = [Record(ROWS[name][number], task(name)) for name, number in EXAMPLES[first::step]]
    return Preparation(()).chunk(rows, [needs])


@pytest.mark.parametrize("attack", third(SPECS, 0))
def test_a_row_keeps_its_layout_under_every_attack(attack: str) -> None:
    """In the quick profile every second row."""
    part = (0, 1) if IS_FULL else (SPECS.index(attack) % 2, 2)
    for seed in range(2 if IS_FULL else 1):
        perturber = Perturber(attack, similarity="none", probability=1.0, seed=seed)
        found = perturber.perturb(prepared(perturber.needs, *part)).results
        for (name, number), result in zip(EXAMPLES[part[0] :: part[1]], found, strict=True):
            try:
                check(result)
            except AssertionError as error:
                error.add_note(f"{name}, row {number}, seed {seed}")
                raise


@pytest.mark.parametrize("name", names("tasks"))
def test_the_constraints_of_the_task_hold_in_its_layout(name: str) -> None:
    (result,) = Augmenter("eda_delete", probability=1.0, similarity="none").records(ROWS[name][:1], name)
    check(result)
    for field, spans in result.protected.items():
        script = result.scripts[field]
        assert all(script.map(span) is not None for span in spans)


@st.composite
def spoilt(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A task with spans, and a row of it whose texts and places are arbitrary; ends may be one off."""
    text = draw(texts().filter(lambda one: len(one.split()) > 1))
    start = draw(st.integers(0, len(text) - 1))
    stop = draw(st.integers(start + 1, min(len(text) + 1, start + 12)))
    kind = draw(st.sampled_from(["russe", "rucos", "rwsd", "multiq", "mera_multiq"]))
    if kind == "russe":
        other = {"sentence2": "Кот спит.", "start2": 0, "end2": 3}
        return kind, {"word": "кот", "sentence1": text, "start1": start, "end1": stop, **other, "idx": 1}
    if kind == "rucos":
        entities = [{"start": start, "end": stop}, {"start": 0, "end": 1}]
        query = f"{text} @placeholder {text}"
        return kind, {"passage": {"text": text, "entities": entities}, "qas": [{"query": query, "idx": 1}], "idx": 1}
    if kind == "rwsd":
        numbers = draw(st.lists(st.integers(0, len(text.split()) - 1), min_size=2, max_size=2))
        target = {"span1_text": "кот", "span2_text": "он спит", "span1_index": numbers[0], "span2_index": numbers[1]}
        return kind, {"idx": 1, "target": target, "label": True, "text": text}
    stop = min(stop, len(text))
    found = [{"label": "passage", "offset": start, "length": stop - start, "segment": text[start:stop]}]
    if kind == "multiq":
        answers = {"bridge_answers": found, "main_answers": found}
        return kind, {"support_text": text, "main_text": text, "question": "Кто?", **answers}
    inputs = {"support_text": text, "text": text, "question": "Кто?"}
    return kind, {"instruction": "{text}", "inputs": inputs, "outputs": found, "meta": {"bridge_answers": found}}


@LAWS
@given(attacks(), spoilt(), st.integers(0, 2))
def test_places_follow_any_text_under_any_attack(
    attack: Attack, given_row: tuple[str, dict[str, Any]], seed: int
) -> None:
    name, row = given_row
    check(perturbed(row, attack, name, seed=seed))


# cases that a reader can follow


def after(name: str, number: int, attack: str, **options: Any) -> dict[str, Any]:  # noqa: ANN401
    """The row after an attack."""
    return perturbed(ROWS[name][number], attack, name, **options).row("none")


def test_the_word_of_russe_moves_and_its_wrong_ends_stay_wrong() -> None:
    row = after("russe", 0, "eda_delete")
    assert (row["sentence1"], row["start1"], row["end1"]) == ("упал духом, поднялся пошёл.", 5, 11)
    first, second = ROWS["russe"]
    assert first["sentence1"][12:18] == "духом,"  # a comma too long, as in some rows of the benchmark
    assert row["sentence1"][row["start1"] : row["end1"]] == "духом,"
    assert second["sentence1"][16:20] == "доск"  # a letter too short
    assert first["sentence2"][6:11] == "духи "  # a space too long: the space stays, the word after it need not
    (result,) = Augmenter("case", constraints=(), similarity="none").records([first])
    assert [span.of(first["sentence2"]) for span in result.protected["sentence2"]] == ["духи "]
    row = after("russe", 1, "eda_swap", seed=1)
    assert row["sentence1"][row["start1"] : row["end1"]] == "доск"
    assert row["sentence1"][row["start1"] : row["end1"] + 1] == "доску"


def test_the_sentences_of_muserc_keep_their_numbers_and_words() -> None:
    passage = after("muserc", 0, "eda_swap")["passage"]
    old = ROWS["muserc"][0]["passage"]
    assert passage["text"] != old["text"]
    assert re.findall(r"\(\d\)", passage["text"]) == ["(1)", "(2)", "(3)"]
    for ours, theirs in zip(re.split(r"\(\d\)", old["text"]), re.split(r"\(\d\)", passage["text"]), strict=True):
        assert sorted(re.findall(r"\w+", ours)) == sorted(re.findall(r"\w+", theirs))
    assert [question["answers"] for question in passage["questions"]] == [
        question["answers"] for question in old["questions"]
    ]


def test_rucos_keeps_entities_marks_and_placeholder() -> None:
    row = after("rucos", 0, "butterfingers")
    text, query = row["passage"]["text"], row["qas"][0]["query"]
    assert text.count("\n@highlight\n") == 2
    assert query.count("@placeholder") == 1
    for entity, name in zip(row["passage"]["entities"], ("Абхазии", "Суху", "DW", "Астамур Дбар"), strict=True):
        assert text[entity["start"] : entity["end"]] == name
    assert "Сухум" in text  # the last letter stays although the number leaves it out
    assert text != STORY
    answer = row["qas"][0]["answers"][0]
    assert text[answer["start"] : answer["end"]] == answer["text"]


def test_the_verb_of_rcb_stays_in_every_form() -> None:
    for name in ("rcb", "mera_rcb"):
        (result,) = Augmenter("butterfingers", probability=1.0, similarity="none").records(ROWS[name], name)
        verb = {"rcb": "сказал", "mera_rcb": "судил"}[name]
        premise = result.record.fields[0]
        spans = [span for span in result.protected[premise] if span.label == "WORD"]
        assert [span.of(result.scripts[premise].source) for span in spans] == [verb]
        assert verb in result.scripts[premise].text


def test_an_answer_of_mera_without_a_place_is_protected_all_the_same() -> None:
    (result,) = Augmenter("butterfingers", probability=1.0, similarity="none").records(ROWS["mera_multiq"][1:])
    assert "Пётр Сомов" in result.row()["inputs"]["text"]
    assert result.row()["outputs"] == "Пётр Сомов"


def test_persons_of_ruethics_stay_as_the_question_names_them() -> None:
    text = after("mera_ruethics", 0, "butterfingers")["inputs"]["text"]
    assert text.startswith("Хозяин завода")
    assert "рабочим" in text


def test_numbers_in_a_table_are_texts_and_stay_texts() -> None:
    row = {**ROWS["russe"][0], "start1": "12", "end1": "18"}
    new = perturbed(row, "eda_delete", "russe").row("none")
    assert (new["start1"], new["end1"], new["start2"]) == ("5", "11", 0)


def test_lists_of_objects_may_be_columns_as_in_hugging_face_datasets() -> None:
    row = dict(ROWS["multiq"][0])
    (main,) = row["main_answers"]
    row["main_answers"] = {key: [value] for key, value in main.items()}
    new = perturbed(row, "eda_delete", "multiq").row("none")
    (offset,) = new["main_answers"]["offset"]
    assert offset < main["offset"]
    assert new["main_text"][offset : offset + main["length"]] == main["segment"]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("russe", {"end1": 12}, "start1, end1: 12 to 12 is no span of 'sentence1' (53 characters)"),
        ("russe", {"start2": -1}, "start2, end2: -1 to 11 is no span"),
        ("russe", {"end1": 99}, "12 to 99 is no span"),
        ("russe", {"start1": None}, "start1, end1: need two numbers of characters; have None and 18"),
        ("russe", {"start1": True}, "have True and 18"),
        ("russe", {"start1": "9" * 5000}, f"have {'9' * 40}… and 18"),
        ("russe", {"start1": 10**4000}, f"start1, end1: 1{'0' * 39}… to 18 is no span of 'sentence1' (53 characters)"),
        ("rwsd", {"target": {"span1_text": "б", "span1_index": "9" * 5000}}, f"word {'9' * 40}… of a text of"),
        ("russe", {"sentence2": 5}, "field 'sentence2' holds a number"),
        ("muserc", {"passage": {"text": "x"}}, "no field 'passage.questions[].question'; the row has idx, passage, "),
        ("muserc", {"passage": {"text": "x", "questions": [{"idx": 1}]}}, "no field 'passage.questions[0].question'"),
        ("muserc", {"passage": {"text": "x", "questions": "y"}}, "no field 'passage.questions[].question'"),
        ("mera_parus", {"inputs": {"premise": "x"}}, "no field 'inputs.choice1'"),
        ("mera_multiq", {"outputs": 7}, "field 'outputs' holds a number, not a list of answers"),
        (
            "mera_rwsd",
            {"inputs": {"text": "а б", "span1_text": "б", "span1_index": 4}},
            "inputs.span1_index: word 4",
        ),
    ],
)
def test_a_row_that_contradicts_itself_is_refused(name: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(AugmentError, match=re.escape(message)):
        perturbed({**ROWS[name][0], **change}, "case", name)


def test_a_constraint_of_another_language_is_refused() -> None:
    for name in ("jeopardy", "referents", "named_entities", "negation", "numbers", "multihop", "key_words"):
        augmenter = Augmenter("case", constraints=name, similarity="none")
        with pytest.raises(AugmentError, match=rf"'{name}' reads Russian, the texts of the task .* are English"):
            list(augmenter.records(ROWS["raft_twitter_complaints"]))
    augmenter = Augmenter("case", constraints="answer_options", similarity="none")
    assert list(augmenter.records(ROWS["raft_twitter_complaints"]))


def test_symbols_are_no_sentence_of_mera() -> None:
    row = {"instruction": "{inputs}", "inputs": "[ ] ( { } )", "outputs": "0", "meta": {"id": 1}}
    with pytest.raises(AugmentError, match="no task has the fields instruction, inputs, outputs, meta"):
        recognise(row)


def test_fields_are_named_by_paths() -> None:
    row = {"a": {"b": [{"c": "кошка спит"}, {"c": "пёс лает"}]}, "a.b": "мышь бежит", "id": 1}
    augmenter = Augmenter("case", constraints=(), similarity="none", probability=1.0)
    (result,) = augmenter.records([row], field=["a.b[].c", "a.b"])
    assert result.record.fields == ("a.b[0].c", "a.b[1].c", "a.b")  # a key of just this name goes before a path
    assert result.row("none") == {"a": {"b": [{"c": "КОШКА СПИТ"}, {"c": "ПЁС ЛАЕТ"}]}, "a.b": "МЫШЬ БЕЖИТ", "id": 1}


@given(st.lists(st.one_of(st.integers(0, 9), st.text("abЖ -", min_size=1)), min_size=1, max_size=5))
def test_a_name_leads_back_to_its_path(path: list[str | int]) -> None:
    if isinstance(path[0], str):
        assert field_paths.steps(field_paths.named(path)) == tuple(path)


def test_spans_given_beyond_a_space_stay_as_they_are() -> None:
    place = next(iter(Record(ROWS["rucos"][1], task("rucos")).offsets()))
    assert place.span == Span(STORY.index("DW"), STORY.index("DW") + 3, "ENTITY")


# documents


def table_row(known: Task) -> str:
    """The row of docs/formats.md for a task; the page says once what the tasks in English have in common."""

    def names_of(values: Iterable[str]) -> str:
        return ", ".join(f"`{value}`" for value in values)

    fields = [*known.layout.fields, *(f"{name} (if there)" for name in known.layout.optional)]
    steps = [f"offsets in `{answers.field}`" for answers in known.layout.answers]
    steps += [f"word numbers in `{words.field}`" for words in known.layout.words]
    steps += [f"`{spans.start}`, `{spans.stop or spans.segment}`" for spans in known.layout.characters]
    stays = [f"option markers in {names_of(known.layout.options)}"] if known.layout.options else []
    stays += [marks.label for marks in known.layout.marks]
    stays += [f"the words of {names_of(known.layout.kept)}"] if known.layout.kept else []
    cells = [f"`{known.name}`", ", ".join(f"`{name}`" if " (" not in name else name for name in fields)]
    rest = ["; ".join(steps + stays), names_of(known.scoring.metrics)]
    if known.benchmark.language == "en":
        assert rest == ["", "`macro_f1`"]
        return f"{cells[0]} ({cells[1]})"
    return f"| {' | '.join(cells + rest)} |".replace("  ", " ")


def test_the_tables_of_tasks_say_what_their_files_do() -> None:
    document = Path(__file__).parents[2] / "docs" / "formats.md"
    if not document.exists():
        pytest.skip("needs the repository's documents")
    text = document.read_text(encoding="utf-8")
    assert [name for name in names("tasks") if table_row(task(name)) not in text] == []
    (draws,) = (line for line in text.split("\n") if line.startswith("- *Draws depend on*"))
    by_texts = draws.split("if the row has none, and of ")[1]
    for known in map(task, names("tasks")):
        assert (f"`{known.name}`" in by_texts) == (not known.layout.id), known.name
        assert not known.layout.id or f"`{known.layout.id}`" in draws, known.name
