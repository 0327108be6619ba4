"""LaTeX for a paper: what the tables hold, and that LaTeX sets them."""

import shutil
import subprocess
from pathlib import Path

import pytest

from augment_ru import evaluate
from augment_ru.errors import AugmentError
from augment_ru.evaluation.report import Report
from augment_ru.evaluation.table_text import NONE, LatexOptions, ShownTable, as_text, transposed
from augment_ru.evaluation.tables import paper_table, tables_of
from commands import fails, run, write
from evaluations import reader, table

CELLS = [["[x] <y> → ±", "-3.50"], ["*z", "-1.0 to -0.5"]]
HOSTILE = ShownTable("title", ["model", r"a_b & 50 % #$^~\{}"], CELLS, 1, frozenset({(0, 1)}))


def report() -> Report:
    """A reader that loses half of 20 right answers under a, and a constant that is right on half of 40 rows."""
    rows = [*table(*["+-", "++"] * 10), *(one | {"label": "no"} for one in table(*["--"] * 20, start=20))]
    return evaluate(rows, {"m_1": reader, "yes": lambda examples: ["yes"] * len(examples)}, shots=(0,)).counted()


def test_a_cell_holds_the_metric_and_the_rate_and_the_interval_if_asked() -> None:
    found = paper_table(report())
    assert list(found.columns) == ["model", "shots", "accuracy, original", "a", "mean ASR"]
    assert found.rows[0] == ["m_1", "0", "100.0", "75.0 (25.0)", "25.0"]
    low, high = report().models[0].attacks["a"].rate.ci95 or (0, 0)
    assert paper_table(report(), intervals=True).rows[0][3] == f"75.0 (25.0, {low:.1f}–{high:.1f})"


def test_the_table_lies_as_asked_with_caption_and_label() -> None:
    text = as_text(
        paper_table(report()), "latex", LatexOptions.of(["transposed", "caption=Отзывы, 5 %", "label=tab:a"])
    )
    assert text.splitlines() == [
        r"\begin{table}", r"\centering", r"\caption{Отзывы, 5 \%}", r"\label{tab:a}", r"\begin{tabular}{lrr}",
        r"\toprule", r" & m\_1, 0 & yes, 0 \\", r"\midrule", r"accuracy, original & 100.0 & 50.0 \\",
        r"a & 75.0 (25.0) & 50.0 (0.0) \\", r"mean ASR & 25.0 & 0.0 \\", r"\bottomrule",
        r"\end{tabular}", r"\end{table}",
    ]  # fmt: skip


def test_transposing_keeps_every_number_and_mark_in_its_place() -> None:
    wide = ShownTable(
        "t", ["model", "shots", "a", "b"], [["m", "0", "1", "2"], ["n", NONE, "3", "4"]], 2, frozenset({(1, 2)})
    )
    tall = transposed(wide)
    assert [*tall.columns] == ["", "m, 0", "n"]
    assert [*tall.rows] == [["a", "1", "3"], ["b", "2", "4"]]
    assert tall.best == {(0, 2)}


def test_what_latex_reads_as_a_command_is_escaped() -> None:
    lines = as_text(HOSTILE, "latex").splitlines()
    assert lines[2] == r"model & a\_b \& 50 \% \#\$\textasciicircum{}\textasciitilde{}\textbackslash{}\{\} \\"
    assert lines[4] == r"{[}x] $<$y$>$ $\to$ $\pm$ & \textbf{$-$3.50} \\"
    assert lines[5] == r"{*}z & $-$1.0 to $-$0.5 \\"


@pytest.mark.parametrize("text", ["caption", "caption=", "label= ", "intervals=yes", "wide", "transposed="])
def test_an_option_that_does_not_exist_is_refused_with_those_that_do(text: str) -> None:
    with pytest.raises(AugmentError, match="possible: intervals, transposed, caption=TEXT, label=TEXT"):
        LatexOptions.of([text])


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs LaTeX")
def test_latex_sets_every_table(tmp_path: Path) -> None:
    options = LatexOptions(caption="Rates, 95 % & more", label="tab:rates")
    tables = [HOSTILE, *tables_of(report())]
    parts = [as_text(paper_table(report(), intervals=True), "latex", options)]
    parts += [as_text(one, "latex", LatexOptions(transposed=flag)) for one in tables for flag in (False, True)]
    body = "\n\n".join(parts)
    head = "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}"
    (tmp_path / "paper.tex").write_text(f"{head}\\begin{{document}}\n{body}\n\\end{{document}}\n", encoding="utf-8")
    done = subprocess.run(
        [str(shutil.which("pdflatex")), "-halt-on-error", "-interaction=nonstopmode", "paper.tex"],
        cwd=tmp_path, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 10_000


def test_the_commands_print_the_table_of_a_paper(tmp_path: Path) -> None:
    rows = write(tmp_path / "rows.jsonl", *table("++", "+-", "-+", "--"))
    report_file = tmp_path / "one.json"
    names: list[str | Path] = ["--model", "never=majority", "--model", "any=random", "--train", rows, "--cache", "none"]
    done = run(
        "evaluate", rows, *names, "-o", report_file,
        "--format", "latex", "--latex", "caption=Два", "--latex", "label=tab:two", "--latex", "intervals",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    said = done.stdout.decode()
    assert said.startswith("% \\usepackage{booktabs}\n\\begin{table}\n\\centering\n\\caption{Два}\n\\label{tab:two}\n")
    assert said.count("\\caption") == said.count("\\label") == 1
    assert "\nnever & 100.0 & 100.0 (0.0, 0.0--" in said
    assert "\nany & " in said
    done = run("compare", report_file, report_file, "--format", "latex", "--latex", "transposed")
    assert "accuracy, original & " in done.stdout.decode()
    refused = fails(2, "evaluate", rows, *names, "--latex", "transposed")
    assert "--latex transposed: the tables are printed as table; give --format latex, too" in refused
