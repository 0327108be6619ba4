"""Sentences a second of each attack, compared with augmentex and nlpaug on the same sentences in the same run.

    pip install -e ".[benchmarks]" && python benchmarks/throughput.py

Prints three tables: attacks without constraints and gate against the other toolkits; what constraints cost
against natasha's own NER pass; what the gate costs once texts are annotated. Each figure is the best of
several runs, made in turns, so that a busy moment of the machine does not slow one toolkit alone.
"""

import argparse
import json
import platform
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from augment_ru import Augmenter
from augment_ru.registry import names

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
            began = time.perf_counter()
            run()
            times[name] = min(times[name], time.perf_counter() - began)
    return times


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


def main() -> None:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--file", type=Path, help="JSON lines with a field 'text', in place of made sentences")
    parser.add_argument("--count", type=int, default=20_000, help="sentences (a tenth of them with constraints)")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    if options.file:
        lines = options.file.read_text(encoding="utf-8").splitlines()
        texts = [json.loads(line)["text"] for line in lines][: options.count]
    else:
        texts = sentences(options.count)
    packages = ", ".join(
        f"{name} {version(name)}" for name in ("augment-ru", "augmentex", "nlpaug", "natasha", "numpy")
    )
    print(f"{len(texts):,} sentences, {sum(map(len, texts)) / len(texts):.0f} characters on average; one process")
    print(f"Python {platform.python_version()}, {packages}")
    console = Console(width=110)
    console.print(plain(texts, options.repeats))
    console.print(constrained(texts[: len(texts) // 10], options.repeats))
    console.print(gated(texts[: len(texts) // 10], 3))


if __name__ == "__main__":
    main()
