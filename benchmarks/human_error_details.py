"""People's errors in detail, beside those of `misspell`: letters, places, lengths, and rates by opportunity.

    pip install -e ".[benchmarks]" && python benchmarks/human_error_details.py sentences.jsonl human_errors.json

The files are those of `human_errors.py`. Sentences of books and news have other words than blogs, and the first words
of the blogs' sentences are over-sampled. So shares of errors stand in two columns: as `misspell` made them, and with
each error weighted so that the classes are as frequent as people's. Rates are per opportunity: for each word or letter
where the error is possible. There is no gate, and nothing is protected.
"""

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from human_errors import _CLASSES, edits
from rich.console import Console
from rich.table import Table

from augment_ru import Augmenter
from augment_ru.editing.characters import neighbouring_keys
from augment_ru.language.morphology import is_known

_WORD = re.compile("[а-яё]+(?:-[а-яё]+)*")
_VOWELS = frozenset("аеёиоуыэюя")
_DONE = {"substituted": "sub", "dropped": "del", "added": "ins", "swapped": "trans"}
_REST = 4.54 / 7.16
"""Errors per 100 words behind the first of a sentence, and in all words."""

Figures = dict[tuple[str, str], float]
"""The value of each figure of each group."""


class Unit(NamedTuple):
    """A wrong word or pair of words in lower case, with е for ё as in the counts, and the class of its error."""

    old: str
    new: str
    kind: str


class Step(NamedTuple):
    """One edit of a unit: what is done, which letter goes, which comes, and at which place."""

    done: str
    old: str
    new: str
    place: int


def steps(unit: Unit) -> Iterator[Step]:
    """The edits of a unit, with the names of the counts; a stretched letter is one edit."""
    new = re.sub(r"(.)\1{2,}", r"\1", unit.new)
    if new != unit.new:
        yield Step("elongation", "", "", max(len(unit.new) - len(new) - 1, 0) and unit.new.index(_run(unit.new)))
    shift = 0
    for done, place in sorted(edits(unit.old, new), key=lambda one: one[1]):
        old = "" if done == "added" else unit.old[place]
        come = "" if done == "dropped" else new[place + shift]
        shift += {"added": 1, "dropped": -1}.get(done, 0)
        name = _DONE[done]
        if {old, come} == {" ", "-"}:
            name = "space↔hyphen"
        elif " " in (old, come) or "-" in (old, come):
            name = f"{'space' if ' ' in (old, come) else 'hyphen'} {'dropped' if old in (' ', '-') else 'added'}"
        yield Step(name, old, come, place)


def _run(word: str) -> str:
    found = re.search(r"(.)\1\1", word)
    return found[0] if found else ""


def made_by_us(texts: Sequence[str], seed: int) -> tuple[list[Unit], Counter[int]]:
    """The errors of `misspell`, and how many sentences have how many."""
    found, sentences = [], Counter[int]()
    for result in Augmenter("misspell", constraints=(), similarity="none", seed=seed).texts(texts):
        sentences[len(result.script.edits)] += 1
        for edit in result.script.edits:
            kind = edit.note.kind if edit.note and edit.note.kind else ""
            old, new = result.source[edit.start : edit.stop].lower(), edit.text.lower()
            found.append(Unit(old.replace("ё", "е"), new.replace("ё", "е"), kind.partition("+")[0]))
    return found, sentences


def weights(found: Iterable[Unit], counts: Mapping[str, Any]) -> dict[str, float]:
    """What an error of each class counts, so that the classes are as frequent as people's in all words."""
    made = Counter(unit.kind for unit in found)
    people = {name: sum(counts["classes"]["all"].get(part, 0) for part in parts) for name, parts in _CLASSES.items()}
    return {name: people[name] / number for name, number in made.items()}


def shares(found: Sequence[Unit], weight: Mapping[str, float], frequent: frozenset[tuple[str, str]]) -> Figures:
    """Shares of errors and of edits; of the letters in edits, those of the same kind of edit."""
    total, parts = defaultdict[str, float](float), defaultdict[tuple[str, str], float](float)

    def add(group: str, name: str, heavy: float) -> None:
        total[group] += heavy
        parts[group, name] += heavy

    keys = neighbouring_keys("keyboard_ru")
    for unit in found:
        heavy, made = weight[unit.kind], list(steps(unit))
        add("edits in a wrong word", str(len(made)), heavy)
        add("wrong words that are words", "yes" if all(map(is_known, _WORD.findall(unit.new))) else "no", heavy)
        add("forms seen three times or more", "yes" if (unit.old, unit.new) in frequent else "no", heavy)
        for step in made:
            add("edits", step.done, heavy)
            last = step.place >= len(unit.old) - 1
            add("place", "first letter" if step.place == 0 else "last letter" if last else "inside", heavy)
            add("fifth of the word", str(min(5 * step.place // max(len(unit.old) - 1, 1), 4) + 1), heavy)
            if step.done == "sub":
                near = step.new in {key for key, _ in keys.get(step.old, ())}
                add("substituted by", "neighbouring key" if near else "another key", heavy)
                add("substituted", "vowel for vowel" if {step.old, step.new} <= _VOWELS else "other", heavy)
                add("letter for letter", f"{step.old}→{step.new}", heavy)
            elif step.done == "del":
                add("letter dropped", step.old, heavy)
            elif step.done == "ins":
                beside = step.new in unit.old[max(step.place - 1, 0) : step.place + 1]
                add("letter added", step.new, heavy)
                add("added is a copy", "yes" if beside else "no", heavy)
    return {place: value / total[place[0]] for place, value in parts.items()}


def shares_of_people(counts: Mapping[str, Any]) -> Figures:
    """The same figures of people's errors, in all words."""
    overall = counts["overall"]
    found: Figures = {("edits in a wrong word", n): share for n, share in overall["edits_per_errored_unit"].items()}
    found["wrong words that are words", "yes"] = overall["real_word_share"]
    errors = overall["words"] * overall["error_units_per_100_words"] / 100
    often = sum(number for _, number in counts["frequent_forms"] if number > 2)
    found["forms seen three times or more", "yes"] = often / errors
    found |= {("edits", name): share for name, share in overall["op_share"].items()}
    found["place", "first letter"] = overall["first_letter_share"]
    found["place", "last letter"] = overall["last_letter_share"]
    found |= {("fifth of the word", str(at)): one for at, one in enumerate(overall["position_fifths"], start=1)}
    keys, kinds = overall["substitution_keys"], overall["insertion_kinds"]
    substituted = keys["adjacent key"] + keys["not adjacent"]
    found["substituted by", "neighbouring key"] = keys["adjacent key"] / substituted
    found["substituted", "vowel for vowel"] = keys["vowel↔vowel"] / substituted
    made = overall["edits_per_100_words"] * overall["words"] / 100
    groups = (("letter for letter", "sub"), ("letter dropped", "del"), ("letter added", "ins"))
    for (group, short), key in zip(groups, ("substitutions", "deletions", "insertions"), strict=True):
        number = made * overall["op_share"][short]
        found |= {(group, name): count / number for name, count in overall[f"top_{key}"][:_LISTED]}
    found["added is a copy", "yes"] = kinds["repeat of neighbour"] / sum(kinds.values())
    return found


_LISTED = 20
"""Letters of each kind of edit that are shown."""


def rates(texts: Sequence[str], found: Sequence[Unit]) -> Figures:
    """Errors for each opportunity, with the names of the counts."""
    words = Counter(word for text in texts for word in _WORD.findall(text.lower().replace("ё", "е")))
    pairs = Counter[str]()
    for text in texts:
        own = _WORD.findall(text.lower().replace("ё", "е"))
        pairs.update(f"{one} {other}" for one, other in pairwise(own))
    made = [(unit, list(steps(unit))) for unit in found]

    def kinds(*names: str) -> int:
        return sum(unit.kind in names for unit, _ in made)

    def letters(letter: str) -> int:
        return sum(word.count(letter) * number for word, number in words.items())

    def exchanged(old: str, new: str) -> int:
        return sum(step.old == old and step.new == new for _, one in made for step in one)

    def matching(pattern: str, of: Counter[str] = words) -> int:
        return sum(number for word, number in of.items() if re.search(pattern, word))

    def matching_places(pattern: str) -> int:
        return sum(number * len(re.findall(pattern, word)) for word, number in words.items())

    def wrong(right: str) -> int:
        return sum(unit.old == right or unit.old.startswith(f"{right} ") for unit, _ in made)

    tsya = [unit for unit, _ in made if unit.kind == "tsya"]
    doubles = r"([бвгджзклмпрстфхцчшщ])\1"
    counted = {
        "тся→ться per -тся word": (sum(unit.old.endswith("тся") for unit in tsya), matching("тся$")),
        "ться→тся per -ться word": (sum(unit.old.endswith("ться") for unit in tsya), matching("ться$")),
        "нн→н per нн": (sum("нн" in unit.old and unit.kind == "nn" for unit, _ in made), letters("нн")),
        "н→нн per single н between vowels/before vowel": (
            sum("нн" not in unit.old and unit.kind == "nn" for unit, _ in made),
            matching_places("(?<!н)н(?=[аеиоуыэюя])"),
        ),
        "double consonant→single (not н)": (kinds("double_dropped"), matching_places(doubles)),
        "не/ни joined per «не/ни + word»": (kinds("ne"), matching("^н[еи] ", pairs)),
        "частица бы/же/ли/ж/б joined": (kinds("join_particle"), matching(" (бы|б|же|ж|ли|ль)$", pairs)),
        "hyphen lost (dropped or →space) per hyphenated word": (kinds("hyphen_dropped", "hyphen_space"), matching("-")),
        "в общем → вобщем/вообщем": (wrong("в общем"), pairs["в общем"]),
        "вообще → вобще/ваще/…": (wrong("вообще"), words["вообще"]),
        "сегодня → седня": (wrong("сегодня"), words["сегодня"]),
        "кстати → кстате": (wrong("кстати"), words["кстати"]),
        "очень elongated/оч": (wrong("очень"), words["очень"]),
        "естественно misspelt": (wrong("естественно"), words["естественно"]),
        "что misspelt (што/че/шо)": (wrong("что"), words["что"]),
        "ь dropped per ь": (exchanged("ь", ""), letters("ь")),
        "ъ→ь/dropped per ъ": (exchanged("ъ", "ь") + exchanged("ъ", ""), letters("ъ")),
        "щ→ш per щ": (exchanged("щ", "ш"), letters("щ")),
        "space dropped per space": (exchanged(" ", ""), sum(pairs.values())),
        **{f"{old}→{new} per {old}": (exchanged(old, new), letters(old)) for old, new in ("оа", "ао", "еи", "ие")},
    }
    return {("errors per opportunity", name): one / max(of, 1) for name, (one, of) in counted.items()}


def rates_by_length(texts: Sequence[str], found: Sequence[Unit]) -> Figures:
    """The share of the words of each length that have an error; those of 15 letters and more together."""
    words = Counter(min(len(word), _LONGEST) for text in texts for word in _WORD.findall(text.lower()))
    wrong = Counter(min(len(unit.old), _LONGEST) for unit in found if " " not in unit.old)
    return {("wrong words by letters", str(size)): wrong[size] / words[size] for size in range(1, _LONGEST + 1)}


_LONGEST = 15


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sentences", type=Path)
    parser.add_argument("counts", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[42])
    given = parser.parse_args()
    texts = [json.loads(line)["text"] for line in given.sentences.read_text(encoding="utf-8").splitlines()]
    counts = json.loads(given.counts.read_text(encoding="utf-8"))
    found, sentences = [], Counter[int]()
    for seed in given.seeds:
        more, errors = made_by_us(texts, seed)
        found += more
        sentences += errors
    frequent = frozenset(tuple(form.split("→")) for form, number in counts["frequent_forms"] if number > 2)
    plain = shares(found, defaultdict(lambda: 1.0), frequent)
    weighted = shares(found, weights(found, counts), frequent)
    _print("shares", shares_of_people(counts), {"misspell": plain, "misspell, people's classes": weighted})

    per = {("errors per opportunity", name): one["rate"] for name, one in counts["rate_per_opportunity"].items()}
    overall = counts["overall"]
    per |= {("wrong words by letters", n): rate * _REST for n, rate in overall["error_rate_by_length"].items()}
    often = texts * len(given.seeds)
    ours = rates(often, found) | rates_by_length(often, found)
    _print("rates; people's by letters times .63, for words behind the first", per, {"misspell": ours})
    counted = overall["errors_per_errored_sentence"]
    people = {("errors in a wrong sentence", n): one / sum(counted.values()) for n, one in counted.items()}
    wrong = sum(number for errors, number in sentences.items() if errors)
    many = {("errors in a wrong sentence", str(n)): number / wrong for n, number in sentences.items() if n}
    _print(f"sentences; clean {sentences[0] / sentences.total():.3f}", people, {"misspell": many})


def _print(title: str, people: Figures, ours: Mapping[str, Figures]) -> None:
    table = Table("group", "figure", "people", *ours, title=title)
    for group, name in people:
        values = [one.get((group, name), 0.0) for one in ours.values()]
        table.add_row(group, name, f"{people[group, name]:.3g}", *(f"{value:.3g}" for value in values))
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
