"""The page of the report: complete in itself, honest with hostile texts, and alive in a real browser."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import browser as chromium
from augment_ru import Edit, Example, Script, evaluate
from augment_ru.evaluation import page as pages
from augment_ru.evaluation.finding import findings
from augment_ru.evaluation.page import edits_between, page
from augment_ru.evaluation.report import Evaluation
from evaluations import reader, table

HOSTILE = [
    "</script><script>document.body.dataset.hacked = 'yes'</script>",
    "<img src=x onerror=\"document.body.dataset.hacked='yes'\">",
    "<!--<script>",
    "&lt;b&gt; \u2028 ]]> `${1}` /*DATA*/ /*SCRIPT*/",
    "javascript:alert(1) \" ' \\",
]


def hostile() -> Evaluation:
    """Texts, ids, labels, attacks and model names that try to be markup."""
    rows: list[dict[str, Any]] = []
    for number, evil in enumerate(HOSTILE):
        source, text = f"до {evil} после", f"до {evil} после!"
        meta = {
            "attack": f"a{evil}",
            "status": "perturbed",
            "similarity": 0.9,
            "probability": 0.1,
            "source": {"text": source},
            "edits": {"text": [[len(source), len(source), "!"]]},
            "protected": {"text": [[0, 2, evil]]},
        }
        rows.append({"id": evil, "text": text, "label": evil, "genre": evil, "augment": meta})
        rows.append(rows[-1] | {"id": number})

    def model(examples: Sequence[Example]) -> list[str]:
        return [HOSTILE[0] for _ in examples]

    return evaluate(rows, {HOSTILE[0]: model, HOSTILE[1]: reader}, by=("genre",))


def data_of(html: str) -> dict[str, Any]:
    """What the page's script reads."""
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    read: dict[str, Any] = json.loads(found)
    return read


def plain() -> Evaluation:
    """Two models, two attacks, 70 rows each, every outcome."""
    outcomes = ["+-", "++", "-+", "--", "++.", "+-!"] + ["++"] * 64
    return evaluate([*table(*outcomes), *table(*outcomes[::-1], attack="b")], {"m": reader, "yes": _yes})


def _yes(examples: Sequence[Example]) -> list[str]:
    return ["yes"] * len(examples)


def test_the_page_is_complete_in_itself() -> None:
    html = page(plain())
    assert not re.search(r"""(?:src|href)=["'](?!#|data:)""", html)
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|WebSocket|innerHTML|eval\(", html)
    assert html.count("<script") == html.count("</script>") == 2
    assert "default-src 'none'" in html
    assert not re.search(r"/\*[A-Z-]+\*/", html)


def test_the_page_holds_the_report_and_every_example() -> None:
    done = plain()
    data = data_of(page(done))
    assert data["report"] == json.loads(json.dumps(done.report()))
    assert len(data["examples"]) == 140
    assert data["left_out"] == 0
    predictions = list(done.predictions())
    for number, example in enumerate(data["examples"]):
        assert [one[2] for one in example["predictions"]] == [
            predictions[number]["outcome"],
            predictions[number + 140]["outcome"],
        ]
        original = data["originals"][example["original"]]
        assert len(original["cells"]) == len(data["subpopulations"])


def test_hostile_texts_stay_texts() -> None:
    html = page(hostile())
    assert html.count("<script") == html.count("</script>") == 2
    assert "<img" not in html
    data = data_of(html)
    assert {original["texts"]["text"][3:-6] for original in data["originals"]} == set(HOSTILE)


def test_of_very_many_examples_some_are_drawn_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "EXAMPLES", 50)
    data = data_of(page(plain()))
    assert len(data["examples"]) == 50
    assert data["left_out"] == 90
    assert data == data_of(page(plain())), "the same ones every time"


@given(st.text("аб .,-", max_size=30), st.text("аб .,-", max_size=30))
def test_edits_between_two_texts_turn_one_into_the_other(source: str, text: str) -> None:
    assert Script(source, (Edit(*edit) for edit in edits_between(source, text))).text == text


def test_between_long_texts_there_is_one_edit() -> None:
    long = "слово " * 5000
    (edit,) = edits_between(long + "кот" + long, long + "пёс" + long)
    assert edit == [len(long), len(long) + 3, "пёс"]


# in a browser

needs_browser = pytest.mark.skipif(not chromium.AVAILABLE, reason="needs chromium and chromedriver")


@pytest.fixture(scope="module")
def window() -> Iterator[chromium.Browser]:
    with chromium.browser() as found:
        found.size(1280, 900)
        yield found


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page(plain()), encoding="utf-8")
    return path


@needs_browser
def test_it_draws_the_tables_and_the_plots(window: chromium.Browser, report: Path) -> None:
    window.open(report)
    assert window.all("#table tbody tr td:first-child") == ["m", "yes"]
    assert window.all("#table td.best") == [], "the constant is no better than the most frequent answer"
    assert window.all("#weak") == ["No better than the most frequent answer, so never marked: m, 0-shot, yes, 0-shot."]
    assert window.all("#table th")[:5] == ["model", "shots", "accuracy", "a: accuracy", "a: ASR"]
    assert len(window.all("#counts tbody tr")) == 4
    assert len(window.all("#rates-plot circle")) == 4
    assert len(window.all("#strength-plot circle")) == 2
    assert window.all("#cells-plot text.strong") == [
        one["name"] for one in data_of(report.read_text("utf-8"))["subpopulations"]
    ]
    assert window.complaints() == []


@needs_browser
def test_examples_are_filtered_paged_and_opened(window: chromium.Browser, report: Path) -> None:
    window.open(report)
    assert window.all("#count") == ["2 of 140 examples."], "open on broken"
    assert set(window.all(".example .badge")) == {"broken"}
    assert window.all(".example .snippet del")
    assert window.all(".example .snippet ins")
    window.choose("by-outcome", "all")
    (count,) = window.all("#count")
    assert count == "140 of 140 examples."
    assert len(window.all(".example")) == 25
    assert window.all("#pages span") == ["1 of 6"]
    window.click("#pages button:last-child")
    assert window.all("#pages span") == ["2 of 6"]

    window.choose("by-attack", "b")
    window.choose("by-outcome", "broken")
    assert window.all(".example .badge") == ["broken"]
    window.click(".example > button")
    assert window.all(".example .texts del")
    assert window.all(".example .texts ins")
    assert window.all(".example .body .badge") == ["broken", "kept"]
    assert "right answer: yes" in window.all(".example .facts")[0]
    window.click(".example > button")
    assert window.all(".example .body") == []

    window.choose("by-outcome", "all")
    window.write("#by-text", "69 YES")
    for _ in range(40):
        if window.all("#count") == ["1 of 140 examples."]:
            break
        window.run("return new Promise(done => setTimeout(done, 50))")
    assert window.all("#count") == ["1 of 140 examples."]


@needs_browser
def test_cells_of_a_subpopulation_filter_examples(window: chromium.Browser, report: Path) -> None:
    window.open(report)
    window.choose("by-outcome", "all")
    data = data_of(report.read_text(encoding="utf-8"))
    for one in data["subpopulations"]:
        window.choose("by-subpopulation", one["name"])
        shown = 0
        for cell in one["cells"]:
            window.choose("by-cell", cell)
            shown += int(window.all("#count")[0].split()[0])
        assert shown == 140
    window.choose("cells-model", "yes, 0-shot")
    window.choose("cells-attack", "b")
    assert window.complaints() == []


def test_the_finding_is_told_in_words() -> None:
    """Of 40 right answers 10 break; they are the 10 of the genre b, of 20."""
    rows = table(*["++"] * 30, *["+-"] * 10, *["--"] * 5)
    for at, one in enumerate(rows):
        one["genre"] = "b" if 20 <= at < 40 else "a"
        one["label"] = "yes" if at < 40 else "maybe"
    done = evaluate(rows, {"m": reader, "yes": _yes}, by=("genre",))
    told = findings(done.report())
    assert told[0].startswith("No better") or "no better" in told[0], "majority is as right as the reader"
    for at in range(40, 45):
        rows[at]["label"] = "no"
    told = findings(evaluate(rows, {"m": reader, "yes": _yes}, by=("genre",)).report())
    assert told[0].startswith(
        "a turns 22 % of the right answers of m (0-shot) wrong, 2.3 times as many where genre is b."
    )
    assert told[1] == "yes (0-shot) is no better than the most frequent answer, so its rates say nothing."


@needs_browser
def test_filters_and_place_are_in_the_address(window: chromium.Browser, report: Path) -> None:
    window.open(report)
    window.choose("by-outcome", "all")
    window.choose("by-attack", "b")
    window.click("#pages button:last-child")
    address = window.run("return location.hash")
    assert address == "#examples?by-model=0&by-attack=1&page=2"
    window.run(
        "location.hash = arguments[0]; location.reload()", "#examples?by-model=1&by-attack=0&by-outcome=kept&page=2"
    )
    for _ in range(100):
        if window.run("return document.body && document.body.dataset.ready") == "yes":
            break
    assert window.all("#count") == ["70 of 140 examples."]
    assert window.all("#pages span") == ["2 of 3"]


@needs_browser
def test_axes_have_round_ticks_and_scroll_areas_have_focus(window: chromium.Browser, report: Path) -> None:
    window.open(report)
    ticks = window.all("#rates-plot text.soft")
    numbers = [float(one.replace(" %", "")) for one in ticks if one.replace(" %", "").replace(".", "").isdigit()]
    assert {0.0, 5.0, 10.0} <= set(numbers) or {0.0, 2.0, 4.0} <= set(numbers)
    assert window.run("return [...document.querySelectorAll('.scroll')].every((one) => one.tabIndex === 0)")
    assert len(window.all(".exports button")) == 9, "three tables in three formats"


@needs_browser
def test_light_and_dark(report: Path, window: chromium.Browser) -> None:
    window.open(report)
    paper = "return getComputedStyle(document.body).backgroundColor"
    light = window.run(paper)
    window.click("#theme")
    dark = window.run(paper)
    assert light != dark
    window.click("#theme")
    assert window.run(paper) == light
    with chromium.browser(dark=True) as other:
        other.open(report)
        assert other.run(paper) == dark


@needs_browser
def test_nothing_is_wider_than_a_narrow_window(report: Path, window: chromium.Browser) -> None:
    window.size(400, 800)
    try:
        window.open(report)
        window.click(".example > button")
        wide, inner = window.run("return [document.documentElement.scrollWidth, window.innerWidth]")
        assert wide <= inner
    finally:
        window.size(1280, 900)


@needs_browser
def test_hostile_texts_do_nothing_in_a_browser(window: chromium.Browser, tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(page(hostile()), encoding="utf-8")
    window.open(path)
    window.click(".example > button")
    assert window.run("return document.body.dataset.hacked") is None
    assert window.all("img") == []
    assert HOSTILE[0] in window.all(".example .texts p")[0]
    assert window.complaints() == []
