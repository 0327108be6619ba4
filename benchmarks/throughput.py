"""Sentences a second of each attack, compared with augmentex and nlpaug on the same sentences in the same run.

    pip install -e ".[benchmarks]" && python benchmarks/throughput.py

Prints tables: attacks without constraints and gate against the other toolkits (`plain`); what constraints cost
against natasha's own NER pass (`constrained`); what the gate costs once texts are annotated (`gated`); rows a second
of the command line (`lines`); a whole run against the annotation that it needs (`annotation`); one text at a time
(`alone`); long texts (`long`). `--tables` chooses. Each figure is the best of several runs, made in turns, so that a
busy moment of the machine does not slow one toolkit alone; `--cpu` counts the time of the processor instead.
"""

import argparse
import json
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from augment_ru import Augmenter, Perturber, Preparation
from augment_ru.constraints.rule_file import constraint
from augment_ru.engine.attack import Needs
from augment_ru.engine.prepare import CHUNK_ROWS
from augment_ru.records.task import generic
from augment_ru.registry import names

TABLES = ("plain", "constrained", "gated", "lines", "annotation", "alone", "long")
ATTACKS = [name for name in names("attacks") if name not in ("back_translation", "bae", "paraphrase")]
"""Those that run no network; the others are in neural.py."""

SEED_SENTENCES = (
    "Кошка тихо спит на подоконнике, а на улице идёт дождь.",
    "Вчера Анна Ахматова приехала в Москву на поезде и ушла.",
    "Завод выпустил в полтора раза больше машин, чем год назад.",
    "Мы заказали пиццу и салат, но курьер перепутал наш адрес.",
    "Учёные из Томска выяснили, что пчёлы умеют считать до трёх.",
    "Если завтра пойдёт дождь, занятия перенесут в другой зал.",
    "Сергей Петров купил билет до Казани и опоздал на поезд.",
    "Я прочитал этот роман в школе, а понял его только теперь.",
)


def sentences(count: int) -> list[str]:
    """Different sentences of about 54 characters, made of the ones above."""
    words = [sentence.rstrip(".").split(" ") for sentence in SEED_SENTENCES]
    made: list[str] = []
    number = 0
    while len(made) < count:
        one, two = words[number % 8], words[(number // 8) % 8]
        cut = 2 + number // 64 % 5
        text = " ".join([*one[:cut], *two[cut:]])[:53].rsplit(" ", 1)[0]
        made.append(f"{text.rstrip(' ,')} {number % 97}.")
        number += 1
    return made


def best(runs: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """The shortest time of each, in seconds, the runs taken in turns."""
    times = dict.fromkeys(runs, float("inf"))
    for _ in range(repeats):
        for name, run in runs.items():
            began = clock()
            run()
            times[name] = min(times[name], clock() - began)
    return times


def clock() -> float:
    """The time in seconds, of the processor with `--cpu`."""
    return time.process_time() if "--cpu" in sys.argv else time.perf_counter()


def outputs(augmenter: Augmenter, texts: Sequence[str]) -> list[str]:
    """The perturbed texts, handed out as strings, as the other toolkits do."""
    return [result.text for result in augmenter.texts(texts)]


def each(function: Callable[[Any], Any], inputs: Sequence[Any]) -> list[Any]:
    """The function's value for each input."""
    return [function(one) for one in inputs]


def plain(texts: Sequence[str], repeats: int) -> Table:
    """Attacks alone, against the other toolkits' attacks of the same kind at the same strength."""
    import nlpaug.augmenter.char as nac  # noqa: PLC0415
    import nlpaug.augmenter.word as naw  # noqa: PLC0415
    from augmentex import CharAug, WordAug  # noqa: PLC0415

    chars = CharAug(unit_prob=0.15, min_aug=1, max_aug=1000, mult_num=3, lang="rus", platform="pc", random_seed=1)
    words = WordAug(unit_prob=0.3, min_aug=1, max_aug=1000, lang="rus", platform="pc", random_seed=1)
    typos = nac.KeyboardAug(lang="uk", aug_char_p=0.15, aug_word_p=1.0, aug_char_max=None, aug_word_max=None)
    deletes = naw.RandomWordAug(action="delete", aug_p=0.3, aug_max=None)
    swaps = naw.RandomWordAug(action="swap", aug_p=0.3, aug_max=None)
    rivals: dict[str, tuple[Callable[[str], Any], Callable[[str], Any]]] = {
        "butterfingers": (lambda text: chars.augment(text, action="typo"), typos.augment),
        "eda_delete": (lambda text: words.augment(text, action="delete"), deletes.augment),
        "eda_swap": (lambda text: words.augment(text, action="swap"), swaps.augment),
    }
    table = Table("attack", "sentences/s", "augmentex", "ratio", "nlpaug", "ratio")
    few = texts[: max(len(texts) // 10, 100)]
    for name in ATTACKS:
        augmenter = Augmenter(name, constraints=(), similarity="none")
        augmenter.texts(texts[:100])
        runs: dict[str, Callable[[], object]] = {"ours": partial(outputs, augmenter, texts)}
        if name in rivals:
            runs["augmentex"] = partial(each, rivals[name][0], texts)
            runs["nlpaug"] = partial(each, rivals[name][1], few)
        times = best(runs, repeats)
        rates = {key: (len(few) if key == "nlpaug" else len(texts)) / value for key, value in times.items()}
        cells = [f"{rates['ours']:,.0f}"]
        for rival in ("augmentex", "nlpaug"):
            cells += [f"{rates[rival]:,.0f}", f"{rates['ours'] / rates[rival]:.1f}"] if rival in rates else ["", ""]
        table.add_row(name, *cells)
    return table


def constrained(texts: Sequence[str], repeats: int) -> Table:
    """Everything with named entities protected, against natasha's own NER pass on the same texts."""
    from natasha import Doc, NewsEmbedding, NewsNERTagger, Segmenter  # noqa: PLC0415

    segmenter, tagger = Segmenter(), NewsNERTagger(NewsEmbedding())

    def natasha_pass() -> None:
        for text in texts:
            doc = Doc(text)
            doc.segment(segmenter)
            doc.tag_ner(tagger)

    own = "natasha's NER pass"
    runs: dict[str, Callable[[], object]] = {own: natasha_pass}
    for name in ATTACKS:
        augmenter = Augmenter(name, constraints=("named_entities",), similarity="none")
        augmenter.texts(texts[:50])
        runs[name] = partial(outputs, augmenter, texts)
    times = best(runs, repeats)
    table = Table("with named_entities", "sentences/s", "time / natasha's NER pass")
    for name, seconds in times.items():
        table.add_row(
            name, f"{len(texts) / seconds:,.0f}", f"{seconds / times['natasha' + chr(39) + 's NER pass']:.2f}"
        )
    return table


def gated(texts: Sequence[str], repeats: int) -> Table:
    """The gates meaning and navec on texts that are annotated already: three candidates a sentence."""
    table = Table(
        "after annotation", "meaning, sentences/s", "navec", "ratio", "meaning, strongest", "navec, strongest"
    )
    for name in ATTACKS:
        rates: dict[tuple[str, str], float] = {}
        for schedule in ("paper", "strongest"):
            runs: dict[str, Callable[[], object]] = {}
            for similarity in ("meaning", "navec"):
                augmenter = Augmenter(name, constraints=("named_entities",), schedule=schedule, similarity=similarity)
                chunks = list(augmenter.preparation.texts(texts, needs=[augmenter.perturber.needs]))
                runs[similarity] = partial(each, augmenter.perturber.perturb, chunks)
            for similarity, seconds in best(runs, repeats).items():
                rates[schedule, similarity] = len(texts) / seconds
        paper = rates["paper", "meaning"], rates["paper", "navec"]
        more = rates["strongest", "meaning"], rates["strongest", "navec"]
        table.add_row(
            name, *(f"{rate:,.0f}" for rate in paper), f"{paper[0] / paper[1]:.1f}", *(f"{rate:,.0f}" for rate in more)
        )
    return table


def command_line(texts: Sequence[str], repeats: int) -> Table:
    """Rows a second of `perturb` without constraints and gate, from JSON lines to JSON lines."""
    from augment_ru.cli.main import cli  # noqa: PLC0415

    rows = [json.dumps({"id": number, "text": text}, ensure_ascii=False) for number, text in enumerate(texts)]
    table = Table("perturb", *(f"--meta {meta}, rows/s" for meta in METAS))
    with tempfile.TemporaryDirectory() as folder:
        source, few = Path(folder, "in.jsonl"), Path(folder, "few.jsonl")
        source.write_text("\n".join(rows) + "\n", encoding="utf-8")
        few.write_text("\n".join(rows[:100]) + "\n", encoding="utf-8")
        for name in ("butterfingers", "people"):
            runs: dict[str, Callable[[], object]] = {}
            for meta in METAS:
                options = ["--attack", name, "--no-constraints", "--similarity", "none", "--meta", meta, "--quiet"]
                arguments = [*options, "-o", str(Path(folder, "out.jsonl"))]
                cli(["perturb", str(few), *arguments], standalone_mode=False)
                runs[meta] = partial(cli, ["perturb", str(source), *arguments], standalone_mode=False)
            times = best(runs, repeats)
            table.add_row(name, *(f"{len(texts) / times[meta]:,.0f}" for meta in METAS))
    return table


METAS = ("brief", "full", "none")
FIVE = ("butterfingers", "case", "eda_delete", "eda_swap", "emojify")


def annotation(texts: Sequence[str], repeats: int) -> Table:
    """The defaults (names protected, the gate `meaning`) against the annotation that they need."""
    table = Table("at the defaults", "annotation, ms a sentence", "all, ms a sentence", "ratio")
    for attacks in (("butterfingers",), FIVE):
        preparation, perturbers = Preparation(), [Perturber(name) for name in attacks]
        needs = [one.needs for one in perturbers]
        constraints = [*preparation.constraints(generic()), *map(constraint, sorted(Needs.of_all(needs).guards))]
        layers = Needs.of_all(needs).layers.union(*(one.layers for one in constraints))

        def annotate(layers: frozenset[str] = layers, preparation: Preparation = preparation) -> None:
            for at in range(0, len(texts), CHUNK_ROWS):
                preparation.annotate(texts[at : at + CHUNK_ROWS], layers)

        def work(preparation: Preparation = preparation, perturbers: Sequence[Perturber] = perturbers) -> None:
            for prepared in preparation.texts(texts, needs=[one.needs for one in perturbers]):
                for one in perturbers:
                    one.perturb(prepared)

        work()
        times = best({"annotation": annotate, "all": work}, repeats)
        alone, whole = (1000 * times[name] / len(texts) for name in ("annotation", "all"))
        table.add_row(", ".join(attacks), f"{alone:.3f}", f"{whole:.3f}", f"{whole / alone:.2f}")
    return table


def one_at_a_time(texts: Sequence[str], repeats: int) -> Table:
    """What a text costs by itself and in a list, after some were perturbed."""
    table = Table("butterfingers", "one text at a time, ms", "in a list, ms")
    gates: dict[str, dict[str, Any]] = {"at the defaults": {}, "alone": {"constraints": (), "similarity": "none"}}
    for label, settings in gates.items():
        augmenter = Augmenter("butterfingers", **settings)
        each(augmenter, texts)
        times = best({"one": partial(each, augmenter, texts), "list": partial(augmenter.texts, texts)}, repeats)
        table.add_row(label, *(f"{1000 * times[name] / len(texts):.3f}" for name in ("one", "list")))
    return table


def long(texts: Sequence[str]) -> Table:
    """What a character costs in texts of several lengths, at the defaults."""
    table = Table("characters", "µs a character, at the defaults")
    augmenter = Augmenter("butterfingers")
    augmenter.texts(texts[:100])
    for length in (25_000, 100_000, 400_000):
        text = " ".join(texts)[:length]
        text += " " + text * ((length - len(text)) // max(len(text), 1))
        (seconds,) = best({"long": partial(augmenter, text)}, 1).values()
        table.add_row(f"{len(text):,}", f"{1e6 * seconds / len(text):.1f}")
    return table


def main() -> None:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--file", type=Path, help="JSON lines with a field 'text', in place of made sentences")
    parser.add_argument("--count", type=int, default=20_000, help="sentences (a tenth of them with constraints)")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--tables", nargs="*", default=TABLES, choices=TABLES, help="which tables are printed")
    parser.add_argument("--cpu", action="store_true", help="count the time of the processor, for a busy machine")
    options = parser.parse_args()
    if options.file:
        rows = options.file.read_text(encoding="utf-8").splitlines()
        texts = [json.loads(line)["text"] for line in rows][: options.count]
    else:
        texts = sentences(options.count)
    packages = ", ".join(
        f"{name} {version(name)}" for name in ("augment-ru", "augmentex", "nlpaug", "natasha", "numpy")
    )
    print(f"{len(texts):,} sentences, {sum(map(len, texts)) / len(texts):.0f} characters on average; one process")
    print(f"Python {platform.python_version()}, {packages}")
    console = Console(width=110)
    few = texts[: len(texts) // 10]
    made: dict[str, Callable[[], Table]] = {
        "plain": lambda: plain(texts, options.repeats),
        "constrained": lambda: constrained(few, options.repeats),
        "gated": lambda: gated(few, 3),
        "lines": lambda: command_line(texts, options.repeats),
        "annotation": lambda: annotation(few, options.repeats),
        "alone": lambda: one_at_a_time(few[:500], options.repeats),
        "long": lambda: long(texts),
    }
    for name in options.tables:
        console.print(made[name]())


if __name__ == "__main__":
    main()
