"""The page of the report: complete in itself, honest with hostile texts, and alive in a real browser."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import browser as chromium
from augment_ru import Edit, Example, Script, evaluate, registry
from augment_ru.evaluation import page as pages
from augment_ru.evaluation.evaluation import Evaluation
from augment_ru.evaluation.findings import findings
from augment_ru.evaluation.page import edits_between, page
from augment_ru.evaluation.rates import wilson
from augment_ru.evaluation.table_text import FORMATS, as_text
from augment_ru.evaluation.tables import TABLES, tables_of
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


_yes.deterministic = True  # type: ignore[attr-defined]


def test_the_page_is_complete_in_itself() -> None:
    html = page(plain())
    assert not re.search(r"""(?:src|href)=["'](?!#|data:)""", html)
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|WebSocket|innerHTML|eval\(", html)
    assert html.count("<script") == html.count("</script>") == 2
    assert "default-src 'none'" in html
    assert not re.search(r"/\*[A-Z-]+\*/", html)


def test_the_page_holds_the_report_and_every_example() -> None:
    done = plain()
    data, report = data_of(page(done)), done.report()
    for model in report["models"]:
        for entry in model["attacks"].values():
            del entry["outcomes"]
    del report["rows"], report["comparisons"]
    assert data["report"] == json.loads(json.dumps(report))
    shown = {one.key: [list(row) for row in one.rows] for one in tables_of(done.counted(), tuple(TABLES))}
    assert {key: one["rows"] for key, one in data["tables"].items()} == shown
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


def test_the_same_input_gives_the_same_bytes() -> None:
    assert page(plain()) == page(plain())
    assert data_of(page(plain(), date="2026-01-02"))["header"] == ["2026-01-02"]
    stated = evaluate(table("+-", "++"), {"m": reader}, date="2025-05-05")
    assert data_of(page(stated, date="2026-01-02"))["header"] == ["2025-05-05"], "the report's date is the page's"


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
def test_a_table_that_is_wider_than_a_telephone_fades_where_it_goes_on(window: chromium.Browser, report: Path) -> None:
    window.devtools("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=False)
    try:
        window.open(report)
        edges = "const box = document.getElementById('table'); return getComputedStyle(box).maskImage + box.className"
        found = window.run(edges)
        assert "gradient" in found
        assert found.endswith("scroll goes-on")
        window.run("document.getElementById('table').scrollLeft = 10000")
        assert any("scroll began-before" in window.run(edges) for _ in range(40)), "the end is not faded"
    finally:
        window.devtools("Emulation.clearDeviceMetricsOverride")
    window.open(report)
    assert "none" in window.run(edges), "it fits into a wide window"


@needs_browser
def test_it_draws_the_tables_and_the_plots(window: chromium.Browser, report: Path) -> None:
    window.open(report)
    assert window.all("#table tbody tr td:first-child") == ["m", "yes"]
    assert window.all("#table td.best") == [], "the constant is no better than the most frequent answer"
    assert window.all("#weak") == [
        "Not clearly better than the most frequent answer, so never marked: m, 0-shot, yes, 0-shot."
    ]
    assert window.all("#table th.group") == ["a", "b"]
    assert window.all("#table tr:last-child th")[:5] == ["model", "shots", "accuracy, original", "accuracy", "ASR"]
    assert len(window.all("#rates-plot circle")) == 4
    assert len(window.all("#strength-plot circle")) == 2
    assert window.all("#cells-plot text.strong") == [
        one["name"] for one in data_of(report.read_text("utf-8"))["subpopulations"]
    ]
    window.run("for (const one of document.querySelectorAll('details')) one.open = true")
    for _ in range(40):
        if window.all("details[data-table=counts] tbody tr"):
            break
        window.run("return new Promise(done => setTimeout(done, 50))")
    assert len(window.all("details[data-table=counts] tbody tr")) == 4
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
    rows = table(*["++"] * 30, *["+-"] * 10, *["--"] * 10)
    for at, one in enumerate(rows):
        one["genre"] = "b" if 20 <= at < 40 else "a"
        one["label"] = "yes" if at < 40 else "maybe"
    done = evaluate(rows, {"m": reader, "yes": _yes}, by=("genre",))
    told = findings(done.counted())
    assert told[0].startswith("m (0-shot) is not clearly better"), "majority is as right as the reader"
    for at in range(40, 50):
        rows[at]["label"] = "no"
    told = findings(evaluate(rows, {"m": reader, "yes": _yes}, by=("genre",)).counted())
    assert told[0].startswith(
        "a turns 20 % of the right answers of m (0-shot) wrong, 2.5 times as many where genre is b: "
        "accuracy 100.0 → 80.0 %, −20.0 points (10 broken, 0 mended)."
    )
    assert told[1] == (
        "yes (0-shot) is not clearly better than the most frequent answer (accuracy 80.00), so its rates say nothing."
    )


def test_a_rate_below_half_a_percent_is_not_told_as_none() -> None:
    rows = [*table("+-", *["++"] * 149), *(one | {"label": "no"} for one in table(*["--"] * 150, start=200))]
    (told,) = findings(evaluate(rows, {"m": reader}).counted())
    assert "turns less than 1 % of the right answers of m" in told


def test_the_finding_names_short_texts() -> None:
    """Of 60 right answers 20 break, all of them among the 30 texts of one word and a number."""
    rows = []
    for at in range(60):
        long = "" if at < 30 else " и ещё несколько слов"
        rows += table("+-" if at < 20 else "++", start=at)
        rows[-1]["text"] += long
        source = rows[-1]["augment"]["source"]["text"] + long
        rows[-1]["augment"] |= {"source": {"text": source}, "edits": {"text": [[0, len(source), rows[-1]["text"]]]}}
    rows += [one | {"label": "no"} for one in table(*["--"] * 10, start=60)]
    (told,) = findings(evaluate(rows, {"m": reader}).counted())
    assert told == (
        "a turns 29 % of the right answers of m (0-shot) wrong, 1.8 times as many in short texts (of one word): "
        "accuracy 100.0 → 71.4 %, −28.6 points (20 broken, 0 mended)."
    )


def test_a_page_without_attacks_has_the_metrics_alone() -> None:
    rows = [{"id": n, "text": f"{n} {word}", "label": "yes"} for n, word in enumerate(["yes", "no", "yes"])]
    data = data_of(page(evaluate(rows, {"reader": reader})))
    assert data["sections"] == ["robustness"]
    assert list(data["tables"]) == ["metrics"]
    assert "attack" not in data["lead"]
    rows += [{"id": n, "text": f"{n} no", "label": "no"} for n in (9, 10)]
    (told,) = data_of(page(evaluate(rows, {"reader": reader})))["findings"]
    assert told.endswith("is not clearly better than the most frequent answer (accuracy 60.00)."), "5 rows are too few"
    rows = [one | {"id": f"{one['id']}-{turn}"} for turn in range(20) for one in rows]
    (told,) = data_of(page(evaluate(rows, {"reader": reader})))["findings"]
    assert told == "reader (0-shot) has accuracy 80 %; the most frequent answer has 60 %."


@needs_browser
def test_a_page_without_attacks_is_drawn(window: chromium.Browser, tmp_path: Path) -> None:
    rows = [{"id": n, "text": f"{n} {word}", "label": "yes"} for n, word in enumerate(["yes", "no", "yes"])]
    path = tmp_path / "clean.html"
    path.write_text(page(evaluate(rows, {"reader": reader})), encoding="utf-8")
    window.open(path)
    assert window.all("#table tbody tr:first-child td") == ["reader", "0", "66.67", "40.00"]
    assert window.all("h1") == ["Evaluation report"]
    assert len(window.all("main > section")) == 1
    assert window.complaints() == []


def test_attacks_are_explained_without_their_sources() -> None:
    """A probability of a paper would be taken for that of the rows."""
    told = {name: pages.about(name) for name in registry.names("attacks")}
    assert all(told.values())
    assert not [name for name, words in told.items() if re.search(r"Table|TAPE|\d{4}", words)]
    assert "(«hello» → «руддщ»)" in told["wrong_layout"], "an example in brackets stays"


@needs_browser
def test_joined_cells_have_an_interval(window: chromium.Browser, tmp_path: Path) -> None:
    """Five cells of one row become one; its interval is Wilson's over its rows."""
    outcomes = ["+-", "++", "++", "++", "+-", *["++"] * 20]
    rows = [one | {"genre": f"g{min(at, 5)}"} for at, one in enumerate(table(*outcomes))]
    path = tmp_path / "report.html"
    path.write_text(page(evaluate(rows, {"m": reader}, by=("genre",))), encoding="utf-8")
    window.open(path)
    (words,) = {one for one in window.all("#cells-plot .cell title") if "few rows: 5 cells" in one}
    low, high = (100 * one for one in wilson(2, 5) or (0, 0))
    assert f"success rate 40.00 % (95 %: {low:.1f}–{high:.1f}), 2 of 5 broken" in words


@needs_browser
def test_long_names_of_attacks_stay_apart(window: chromium.Browser, tmp_path: Path) -> None:
    names = [f"{'x' * 60}{end}{'y' * 60}" for end in ("one", "two")]
    rows = [one for name in names for one in table("+-", "++", attack=name)]
    path = tmp_path / "report.html"
    path.write_text(page(evaluate(rows, {"m": reader})), encoding="utf-8")
    window.open(path)
    for plot in ("worst-plot", "rates-plot"):
        shown = [one for one in window.all(f"#{plot} text") if "x" in one or "y" in one]
        assert len(shown) == len(set(shown)) == 2, plot


@needs_browser
def test_filters_and_place_are_in_the_address(window: chromium.Browser, report: Path) -> None:
    window.open(report)
    window.choose("by-outcome", "all")
    window.choose("by-attack", "b")
    window.click("#pages button:last-child")
    address = window.run("return location.hash")
    assert address == "#examples?by-attack=1&by-outcome=*&page=2"
    window.run(
        "location.hash = arguments[0]; location.reload()", "#examples?by-model=1&by-attack=0&by-outcome=kept&page=2"
    )
    for _ in range(100):
        if window.run("return document.body && document.body.dataset.ready") == "yes":
            break
    assert window.all("#count") == ["70 of 140 examples."]
    assert window.all("#pages span") == ["2 of 3"]
    window.click(".example > button")
    window.choose("cells-attack", "b")
    address = window.run("return location.hash")
    assert address == "#subpopulations?cells-attack=b&by-model=1&by-attack=0&by-outcome=kept&page=2&open=25"
    window.run("location.hash = '#robustness'; location.reload()")
    window.open(report)
    window.run("location.hash = arguments[0]", address)
    for _ in range(100):
        if window.all("#pages span") == ["2 of 3"]:
            break
        window.run("return new Promise(done => setTimeout(done, 20))")
    assert len(window.all(".example .body")) == 1, "the opened example is in the address, too"
    assert window.run("return document.getElementById('cells-attack').value") == "b"


@needs_browser
def test_axes_have_round_ticks_and_scroll_areas_have_focus(window: chromium.Browser, report: Path) -> None:
    window.open(report)
    ticks = window.all("#rates-plot text.soft")
    numbers = [float(one.replace(" %", "")) for one in ticks if one.replace(" %", "").replace(".", "").isdigit()]
    assert {0.0, 5.0, 10.0} <= set(numbers) or {0.0, 2.0, 4.0} <= set(numbers)
    assert window.run("return [...document.querySelectorAll('.scroll')].every((one) => one.tabIndex === 0)")


SAVED = """
const form = document.querySelector(`.exports button[data-table="${arguments[0]}"][data-form="${arguments[1]}"]`);
const made = URL.createObjectURL;
let saved = null;
URL.createObjectURL = (blob) => { saved = blob; return made(blob); };
form.click();
URL.createObjectURL = made;
return saved.text();
"""
"""What a button saves, caught on its way to the disk."""


@needs_browser
@pytest.mark.parametrize("made", [plain, hostile])
def test_every_table_is_saved_as_the_terminal_prints_it(
    window: chromium.Browser, tmp_path: Path, made: Callable[[], Evaluation]
) -> None:
    done = made()
    path = tmp_path / "report.html"
    path.write_text(page(done), encoding="utf-8")
    window.open(path)
    shown = tables_of(done.counted(), tuple(TABLES))
    assert len(window.all(".exports button")) == 3 * len(shown)
    for table_ in shown:
        for form in FORMATS:
            assert window.run(SAVED, table_.key, form) == as_text(table_, form), (table_.key, form)
    assert window.complaints() == []


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
    window.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    try:
        window.open(report)
        assert window.run(paper) == dark
    finally:
        window.devtools("Emulation.setEmulatedMedia", features=[])


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


def searched(number: int, attack: str, outcome: str, queries: int) -> dict[str, Any]:
    """A row as a search writes it: the model reads its answer out of the text."""
    (one,) = table(outcome, attack=attack, start=number)
    status = {"+-": "broken", "++": "withstood", "--": "wrong_before"}[outcome]
    if status != "broken":
        one["text"], one["augment"]["edits"]["text"] = one["augment"]["source"]["text"], []
    broken_at = queries if status == "broken" else None
    meta = {"status": status, "queries": queries, "broken_at": broken_at, "budget": 20, "changes": 1, "minimal": True}
    one["augment"] |= {**meta, "model": f"signature of {attack}"}
    return one


@needs_browser
def test_the_curve_and_the_transfer_matrix_are_drawn(window: chromium.Browser, tmp_path: Path) -> None:
    """Of three right answers two break, after 3 and 12 queries: 0, 33, 33 and 67 % at 2, 5, 10 and 20 queries."""
    outcomes = [("+-", 3), ("+-", 12), ("++", 20), ("--", 1)]
    rows = [
        searched(number, f"adversary:{name}", outcome, queries)
        for name in ("m", "yes")
        for number, (outcome, queries) in enumerate(outcomes)
    ]
    done = evaluate(rows, {"m": reader, "yes": _yes})
    path = tmp_path / "report.html"
    path.write_text(page(done), encoding="utf-8")
    window.open(path)
    hints = window.all("#curve-plot circle title")[:4]
    assert [one.split(": ")[1].split(" (")[0] for one in hints] == [
        "0.0 % broken by 2 queries", "33.3 % broken by 5 queries",
        "33.3 % broken by 10 queries", "66.7 % broken by 20 queries",
    ]  # fmt: skip
    assert len(window.all("#curve-plot polygon")) == 2, "a band for each search"
    assert window.all("#transfer thead th") == ["asked", "shots", "adversary:m", "adversary:yes"]
    assert window.all("#transfer tbody tr:first-child td") == ["m", "0", "66.67", "66.67"]
    assert window.all("#transfer tbody tr:last-child td") == ["yes", "0", "0.00", "0.00"]
    assert "A search for the smallest change" in window.all("#about-attacks dd")[0]
    assert [one.split(": ")[1].split(" (")[0] for one in window.all("#changes-plot circle title")] == [
        "66.7 % broken, changes, at most 1"
    ] * 2
    assert window.all("#searches details[data-table=hard] tbody tr:first-child td")[1:4] == ["2", "yes", "withstood"]
    assert window.complaints() == []


@needs_browser
def test_edits_that_do_not_flip_are_only_underlined(window: chromium.Browser, tmp_path: Path) -> None:
    def fast(examples: Sequence[Example]) -> list[str]:
        return ["no" if "КОТ" in one.text else "yes" for one in examples]

    fast.cached = False  # type: ignore[attr-defined]
    edits = [[0, 3, "КОТ"], [10, 14, "ТУТ!"]]
    meta = {"attack": "a", "status": "perturbed", "source": {"text": "кот и пёс тут."}, "edits": {"text": edits}}
    done = evaluate([{"id": 1, "text": "КОТ и пёс ТУТ!", "label": "yes", "augment": meta}], {"fast": fast, "yes": _yes})
    path = tmp_path / "report.html"
    path.write_text(page(done), encoding="utf-8")
    window.open(path)
    assert (window.all(".snippet del"), window.all(".snippet ins")) == (["кот"], ["КОТ"])
    assert window.all(".snippet u") == ["ТУТ!"]
    window.choose("by-outcome", "all")
    window.choose("by-model", "yes, 0-shot")
    assert window.all(".snippet del") == ["кот", "тут."], "this model was not asked: all edits are marked"


@needs_browser
def test_invisible_characters_of_edits_are_spelt_out(window: chromium.Browser, tmp_path: Path) -> None:
    written = "к\u00adо\u200b\u200dт 👩\u200d🎓"
    meta = {"attack": "a", "status": "perturbed", "source": {"text": "кот"}, "edits": {"text": [[0, 3, written]]}}
    path = tmp_path / "report.html"
    done = evaluate([{"id": 1, "text": written, "label": "yes", "augment": meta}], {"yes": _yes})
    path.write_text(page(done), encoding="utf-8")
    window.open(path)
    window.choose("by-outcome", "all")
    assert window.all(".snippet ins") == ["к⟨U+00AD⟩о⟨U+200B⟩⟨U+200D⟩т 👩\u200d🎓"]
