"""Normalizers in front of models: what they cost and recover, what a filter misses; and searches through them."""

from collections.abc import Sequence
from typing import Any

import pytest

from augment_ru import Adversary, AugmentError, Example, evaluate
from augment_ru.evaluation import tables
from augment_ru.evaluation.defences import Defence
from augment_ru.evaluation.evaluation import Evaluation
from augment_ru.evaluation.examples import NamedModel, Scored, example_of
from augment_ru.evaluation.page import page
from augment_ru.records.task import task_or_file

LOOKS = str.maketrans("аоес", "aoec")


class Filter:
    """A filter that knows the word «казино»; its scores say how sure it is."""

    few_shot = False
    deterministic = True
    signature = "filter"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, examples: Sequence[Example]) -> list[str]:
        return [one.prediction for one in self.scored(examples)]  # type: ignore[misc]

    def scored(self, examples: Sequence[Example]) -> list[Scored]:
        self.asked += [example.text for example in examples]
        sure = [2.0 * ("казино" in example.text) - 1 for example in examples]
        return [Scored("ad" if one > 0 else "fine", ({"ad": one, "fine": 0.0},)) for one in sure]


def rows() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Forty comments, half of them ads; the attack hides the word of three quarters of the ads."""
    originals: list[dict[str, Any]] = [
        {"id": at, "text": f"Новое казино, вход номер {at}." if at % 2 else f"Новое кафе, дом {at}.", "label": label}
        for at, label in enumerate(("fine", "ad") * 20)
    ]
    hidden = [
        {**row, "text": row["text"].replace("казино", "казино".translate(LOOKS)) if row["id"] % 8 != 1 else row["text"]}
        for row in originals
    ]
    return originals, [{**row, "augment": {"attack": "letters"}} for row in hidden]


def defended(model: Filter, **settings: Any) -> Evaluation:  # noqa: ANN401
    """Evaluate the filter, bare and behind `skeleton`."""
    originals, hidden = rows()
    return evaluate(
        hidden, {"filter": model}, originals=originals, defences=("skeleton",), flipping="none", by=(), **settings
    )


def test_what_a_defence_costs_and_recovers() -> None:
    bare, behind = defended(Filter()).counted().models
    assert (bare.model, bare.defence) == ("filter", None)
    assert (behind.model, behind.signature) == ("skeleton + filter", "filter|defence=skeleton")
    found = behind.defence
    assert found is not None
    assert (found.name, found.of, found.cost.difference, found.changed.value) == ("skeleton", "filter", 0.0, 0.0)
    attack = found.attacks["letters"]
    assert (attack.clean, attack.attacked, attack.defended) == (100.0, 62.5, 100.0)
    assert attack.recovered is not None
    assert (attack.recovered.value, attack.recovered.ci95) == (100.0, [100.0, 100.0])
    assert attack.changed is not None
    assert attack.changed.value == 37.5
    assert found.worst_case is not None
    assert found.worst_case.recovered is not None


def test_nothing_is_recovered_of_what_costs_nothing() -> None:
    originals, _ = rows()
    same = [{**row, "augment": {"attack": "nothing"}} for row in originals]
    evaluation = evaluate(same, {"filter": Filter()}, originals=originals, defences=("skeleton",), flipping="none")
    found = evaluation.counted().models[1].defence
    assert found is not None
    assert found.attacks["nothing"].recovered is None


def test_the_model_is_asked_what_the_defence_reads_and_shares_its_answers(tmp_path: Any) -> None:  # noqa: ANN401
    model = Filter()
    defended(model, cache=tmp_path / "answers.sqlite")
    assert len(set(model.asked)) == len(model.asked) == 40 + 15  # what skeleton reads, the bare model was asked


def test_tables_and_page_show_defences_and_what_they_read() -> None:
    evaluation = defended(Filter(), catch="ad")
    report = evaluation.counted()
    (cost, attack, worst) = tables.defences(report).rows
    assert [one[3] for one in (cost, attack, worst)] == ["(none: the cost)", "letters", "(worst case)"]
    assert attack[4:7] == ["100.00", "62.50", "100.00"]
    assert '"read":{"skeleton":{"text":"Новое казино, вход номер 3."}}' in page(evaluation)


def test_missed_and_false_alarms_and_the_threshold_of_the_old_recall() -> None:
    bare, behind = (one.catch for one in defended(Filter(), catch="ad").counted().models)
    assert bare is not None
    assert behind is not None
    assert (bare.originals.missed.value, bare.originals.false_alarms.value) == (0.0, 0.0)
    after = bare.attacks["letters"]
    assert (after.missed.value, after.false_alarms.value) == (75.0, 0.0)
    assert after.threshold == 0.2689  # the score of every row without the word, rounded down
    assert after.false_alarms_then is not None
    assert after.false_alarms_then.value == 100.0  # what the old recall costs
    assert behind.attacks["letters"].missed.value == 0.0
    assert after.curves is not None
    assert [after.curves["missed"][at] for at in (0, 20, 40)] == [0.0, 75.0, 100.0]
    assert [after.curves["false_alarms"][at] for at in (0, 20, 40)] == [100.0, 0.0, 0.0]
    with pytest.raises(AugmentError, match="`catch`: no label of the rows called 'adv'"):
        defended(Filter(), catch="adv")


def test_offsets_follow_what_a_defence_reads() -> None:
    task = task_or_file("russe")
    row = {
        "word": "коса", "sentence1": "Дев\u200bичья коса.", "sentence2": "Остр\u00adая коса.", "start1": 9, "end1": 13,
        "start2": 8, "end2": 12, "label": True,
    }  # fmt: skip
    (read,) = Defence.of("invisible").read([example_of(row, task)])
    places = [read.record[f"sentence{at}"][read.record[f"start{at}"] : read.record[f"end{at}"]] for at in (1, 2)]
    assert places == ["коса", "коса"]


def test_a_search_asks_the_model_behind_its_defence() -> None:
    given = [{"id": 1, "text": "Новое казино, вход номер 3.", "label": "ad"}]
    bare, behind = (
        Adversary(["homoglyphs"], model, similarity="none", budget=60).records(given)
        for model in (NamedModel.of("filter", Filter()), Defence.of("skeleton").protect(NamedModel.of("f", Filter())))
    )
    (broken,), (withstood,) = list(bare), list(behind)
    assert (broken.status, withstood.status) == ("broken", "withstood")
    stated = withstood.settings.attack, withstood.search_settings.signature
    assert stated == ("adversary:skeleton + f", "filter|defence=skeleton")
