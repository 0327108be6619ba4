"""What a model is given of a row: all fields that its task names as input, whether or not they are perturbed."""

import json
from pathlib import Path
from typing import Any

import pytest

from augment_ru import evaluate
from augment_ru.evaluation.examples import ModelRequest, example_of, model_of
from augment_ru.prompting.prompt_file import prompt_of
from augment_ru.records.record import Record
from augment_ru.records.task import task
from augment_ru.registry import names
from layouts import EXAMPLES, ROWS

LEFT_OUT = {
    "raft_neurips_impact_statement_risks": {"Paper link"},
    "raft_systematic_review_inclusion": {"Authors"},
    "raft_tai_safety_research": {"Url", "Author"},
}
"""Fields of RAFT that deal with authors or are links: section 4.1.1 of the paper leaves them out."""


@pytest.mark.parametrize("name", sorted(name for name in ROWS if name.startswith("raft_")))
def test_raft_is_asked_with_all_its_fields_but_authors_and_links(name: str) -> None:
    (row,) = ROWS[name]
    known = task(name)
    wanted = row.keys() - {"ID", "Label"} - LEFT_OUT.get(name, set())
    assert set(known.layout.read) == wanted
    question = example_of(row, known)
    prompt = prompt_of(known).build(question.record, labels=("a", "b"))[0].context
    for field in wanted:
        assert row[field] in question.text
        assert row[field] in prompt


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_what_is_perturbed_is_read_and_the_right_answer_is_not(name: str, number: int) -> None:
    record = Record(ROWS[name][number], task(name))
    read = record.read()
    assert record.texts().items() <= read.items()
    assert not set(record.task.scoring.gold) & read.keys()
    missing = [field for field in record.task.layout.inputs if "[" not in field and field not in read]
    assert set(missing) <= {*record.task.layout.optional, "meta.task", "reference"}, missing


@pytest.mark.parametrize("name", [name for name in names("tasks") if task(name).benchmark.prompt == "mera"])
def test_every_value_of_mera_s_inputs_is_read(name: str) -> None:
    row = ROWS[name][0]
    inputs = row["inputs"] if isinstance(row["inputs"], dict) else {"": row["inputs"]}
    text = example_of(row, task(name)).text
    assert all(value in text for value in inputs.values() if isinstance(value, str))


def test_rows_that_differ_in_a_field_that_is_not_perturbed_are_told_apart(tmp_path: Path) -> None:
    """The organisation alone decides: a bag of words learns it, and a random draw is another one for each."""
    rows: list[dict[str, Any]] = [
        {"Paper title": "Chips that sleep", "Organization name": name, "ID": str(number), "Label": label}
        for number, (name, label) in enumerate([("Tver University", "university"), ("Volga Chips Ltd", "company")] * 12)
    ]
    train = tmp_path / "train.jsonl"
    train.write_text("".join(f"{json.dumps(row)}\n" for row in rows[:12]))
    perturbed = [{**row, "Paper title": "Chips taht sleep", "augment": {"attack": "a"}} for row in rows[12:]]
    report = evaluate(perturbed, [f"linear:{train}"], originals=rows[12:], task="raft_semiconductor_org_types").report()
    assert report["models"][0]["metrics"]["macro_f1"]["value"] == 100.0

    known = task("raft_semiconductor_org_types")
    random = model_of("random", ModelRequest("", known, ("company", "university")))
    drawn = random([example_of({**rows[0], "Organization name": f"Firm {n}"}, known) for n in range(40)])
    assert len(set(map(str, drawn))) == 2
