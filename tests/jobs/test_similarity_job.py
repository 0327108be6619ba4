"""Scores of given pairs: those of the function itself, figures by attack, and errors that name the row."""

import json
import statistics
from collections.abc import Sequence
from pathlib import Path

import pytest

from augment_ru import Augmenter, AugmentError
from augment_ru.engine.prepare import Preparation
from augment_ru.engine.similarity import PlainFunction, similarity_of
from augment_ru.formats.read import Row
from augment_ru.jobs.similarity import ALL, TextPair, figures, pairs_in, scored
from commands import run

TEXTS = ["Жили с семьёй в отеле у моря, номер был чистый.", "Суп остыл, а официант забыл про хлеб.", "Мама мыла раму."]


def test_a_function_scores_each_pair_and_figures_are_by_attack() -> None:
    def share(references: Sequence[str], candidates: Sequence[str]) -> list[float]:
        return [len(set(a) & set(b)) / len(set(a) | set(b)) for a, b in zip(references, candidates, strict=True)]

    pairs = [TextPair(["x", "y"][at % 2], text, text[::2]) for at, text in enumerate(TEXTS * 30)]
    found = scored(pairs, PlainFunction(share), Preparation(()))
    assert found == [round(one, 4) for one in share([p.original for p in pairs], [p.perturbed for p in pairs])]
    own = [score for pair, score in zip(pairs, found, strict=True) if pair.attack == "x"]
    made = figures(pairs, found)
    assert made["x"]["pairs"] == 45
    assert made["x"]["mean"] == pytest.approx(statistics.fmean(own), abs=1e-4)
    assert made["x"]["std"] == pytest.approx(statistics.pstdev(own), abs=1e-4)


@pytest.mark.parametrize("name", ["meaning", "navec"])
def test_a_text_is_like_itself_and_less_like_another(name: str) -> None:
    similarity = similarity_of(name)
    assert similarity is not None
    same, other = scored(
        [TextPair("", TEXTS[0], TEXTS[0]), TextPair("", TEXTS[0], TEXTS[2])], similarity, Preparation(())
    )
    assert same == pytest.approx(1.0, abs=1e-3)
    assert other < same


def test_the_scores_of_typos_are_those_that_perturb_gave(tmp_path: Path) -> None:
    """Navec compares the texts alone, so the given pair has the score of the row."""
    results = list(Augmenter("butterfingers", similarity="navec", seed=3).texts(TEXTS))
    path = tmp_path / "pairs.jsonl"
    rows = [
        {"original": one, "perturbed": done.text, "attack": "typos"} for one, done in zip(TEXTS, results, strict=True)
    ]
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    done = run("similarity", path, "--similarity", "navec", "-o", tmp_path / "out.jsonl", "--format", "csv")
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().splitlines()[1].startswith("typos,3,")
    given = [
        json.loads(line)["similarity"] for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert given == [result.similarity if result.status == "perturbed" else pytest.approx(1.0) for result in results]


@pytest.mark.parametrize("attack", ["emojify", "butterfingers", "eda_swap"])
def test_rows_of_perturb_have_the_score_that_the_gate_gave_them(attack: str) -> None:
    """Their edits are read, with what stands for an emoji."""
    results = list(Augmenter(attack, seed=3).texts(TEXTS))
    rows = [Row(f"line {at}", json.loads(one.line())) for at, one in enumerate(results, 1)]
    similarity = similarity_of("meaning")
    assert similarity is not None
    found = scored([pair for row in rows for pair in pairs_in(row)], similarity, Preparation(()))
    assert found == [one.similarity if one.status == "perturbed" else 1.0 for one in results]
    assert "perturbed" in {one.status for one in results}


@pytest.mark.parametrize(
    "edits", [[[0, 1, "М"]], [[0, 99, ""]], [["0", 1, "М"]], [[0, 1]], [3], [[0, 2, "a"], [1, 3, ""]]]
)
def test_edits_that_do_not_lead_to_the_text_are_refused(edits: list[object]) -> None:
    row = {"text": "Рама.", "augment": {"attack": "a", "source": {"text": "Мама."}, "edits": {"text": edits}}}
    with pytest.raises(AugmentError, match=r"line 2: 'augment.edits' do not lead from 'augment.source' to 'text'"):
        pairs_in(Row("line 2", row))


def test_rows_of_perturb_are_pairs_and_others_are_named() -> None:
    row = {"text": "Мама мыал раму.", "augment": {"attack": "a", "source": {"text": "Мама мыла раму."}, "edits": {}}}
    assert pairs_in(Row("line 1", row)) == [TextPair("a", "Мама мыла раму.", "Мама мыал раму.")]
    assert pairs_in(Row("line 1", {"original": "а", "perturbed": "б"})) == [TextPair(ALL, "а", "б")]
    with pytest.raises(AugmentError, match="line 7: needs the texts 'original' and 'perturbed'"):
        pairs_in(Row("line 7", {"text": "а"}))


def test_options_of_the_similarity_hold_for_given_pairs(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    pair = {"original": TEXTS[0], "perturbed": TEXTS[0].replace(" ", " не ", 1)}
    path.write_text(json.dumps(pair, ensure_ascii=False) + "\n", encoding="utf-8")
    for context in ("0", "0.5"):
        out = tmp_path / f"{context}.jsonl"
        done = run("similarity", path, "--similarity", "navec", "--set", f"navec.context={context}", "-o", out)
        assert done.returncode == 0, done.stderr.decode()
        made = similarity_of("navec", {"context": context})
        assert made is not None
        expected = scored([TextPair("", pair["original"], pair["perturbed"])], made, Preparation(()))
        assert json.loads(out.read_text(encoding="utf-8"))["similarity"] == expected[0]
    done = run("similarity", path, "--set", "navec.context=true")
    assert done.stderr.decode().startswith("augment-ru: error: --set navec.context=true: no similarity")
