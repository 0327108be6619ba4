"""How people's errors and those of attacks differ: their classes, shares, places and lengths; side by side.

    pip install -e ".[benchmarks]" && python benchmarks/human_errors.py sentences.jsonl human_errors.json

The first file has clean sentences in `text`. The second holds the counts of people's errors: `overall` (errors per 100
words, sentences with an error, edits per wrong word, where they stand, the share of wrong words by length) and
`classes.rest` (errors by class in words after the first of a sentence). Without it only the attacks are shown. There is
no gate, and nothing is protected.
"""

import argparse
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from augment_ru import Augmenter
from augment_ru.engine.attack import Attack, make

_WORD = re.compile("[а-яё]+(?:-[а-яё]+)*", re.IGNORECASE)
_MISSPELL = make("misspell", {"styles": "any"})
"""The attack with slang and stretched vowels in all texts: these sentences are not of chats, as people's are."""
_REST_WORDS = 23_500
"""The words in which people make the errors of `classes.rest`, at 4.54 per 100 words."""
_CLASSES = {
    "tsya": ("тся→ться", "ться→тся"), "nn": ("н/нн: нн→н", "н/нн: н→нн"), "vowel_oa": ("vowel о/а",),
    "vowel_ei": ("vowel е/и",), "vowel_other": ("vowel other pair (я/е, ы/и, э/е, о/у…)",),
    "vowel_plain": ("vowel non-phonetic",), "sibilant": ("vowel after sibilant/ц",),
    "soft_sign": ("ь dropped", "ь added", "ъ dropped", "ъ added", "ь/ъ"),
    "double_dropped": ("double consonant→single",), "doubled": ("consonant doubled",),
    "vowel_doubled": ("vowel doubled",), "hiatus": ("vowel dropped in hiatus",),
    "silent": ("silent consonant dropped", "false silent consonant"), "voicing": ("voicing pair",),
    "prefix": ("prefix з/с",), "pre_pri": ("пре/при",), "sh_shch": ("ш/щ (also adjacent key)",),
    "yot": ("й/и", "й added", "й dropped"), "letter_dropped": ("letter dropped",), "letter_added": ("letter added",),
    "key_added": ("neighbour key added",), "key_adjacent": ("adjacent key",), "substitution": ("substitution other",),
    "swapped": ("transposition",), "slang": ("slang/phonetic spelling (deliberate)",),
    "stretched": ("elongation (deliberate)",), "hyphen_dropped": ("hyphen dropped",),
    "hyphen_space": ("hyphen→space",), "ne": ("join:не/ни",), "join_particle": ("join:частица бы/же/ли/ж/б/ль",),
    "join_phrase": ("join:в общем", "join:то есть/потому что/так что"), "join_preposition": ("join:предлог",),
    "join_words": ("join:два слова",), "split": ("split:не/ни", "split:прочее"),
}  # fmt: skip
"""The classes of `misspell`, and those of the counts that they stand for."""

Changes = list[tuple[str, str]]
"""The words that a text lost, and what stands in their places."""


def changes(source: str, text: str) -> Changes:
    """The words that differ, pair by pair: words are aligned so that the fewest letters change."""
    old, new = _WORD.findall(source.lower()), _WORD.findall(text.lower())
    costs = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    steps: list[list[tuple[int, int]]] = [[(0, 0)] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) + 1):
        for j in range(len(new) + 1):
            options = [
                (costs[i - a][j - b] + _distance("".join(old[i - a : i]), "".join(new[j - b : j])) + (a != b), (a, b))
                for a, b in ((1, 1), (2, 1), (1, 2), (1, 0), (0, 1))
                if i >= a and j >= b
            ]
            if options:
                costs[i][j], steps[i][j] = min(options)
    i, j, found = len(old), len(new), []
    while i or j:
        a, b = steps[i][j]
        pair = " ".join(old[i - a : i]), " ".join(new[j - b : j])
        if pair[0] != pair[1]:
            found.append(pair)
        i, j = i - a, j - b
    return found[::-1]


def _distance(one: str, other: str) -> int:
    return 0 if one == other else len(edits(one, other))


def edits(one: str, other: str) -> list[tuple[str, int]]:
    """The edits from one string to another by optimal string alignment: what is done, and at which letter of `one`."""
    table = [[i + j if i * j == 0 else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            best = min(
                table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (one[i - 1] != other[j - 1])
            )  # fmt: skip
            if i > 1 and j > 1 and one[i - 2 : i] == other[j - 1] + other[j - 2]:
                best = min(best, table[i - 2][j - 2] + 1)
            table[i][j] = best
    i, j, found = len(one), len(other), []
    while i or j:
        if i and j and one[i - 1] == other[j - 1] and table[i][j] == table[i - 1][j - 1]:
            i, j = i - 1, j - 1
        elif (
            i > 1 and j > 1 and one[i - 2 : i] == other[j - 1] + other[j - 2] and table[i][j] == table[i - 2][j - 2] + 1
        ):
            i, j = i - 2, j - 2
            found.append(("swapped", i))
        elif i and j and table[i][j] == table[i - 1][j - 1] + 1:
            i, j = i - 1, j - 1
            found.append(("substituted", i))
        elif i and table[i][j] == table[i - 1][j] + 1:
            i -= 1
            found.append(("dropped", i))
        else:
            j -= 1
            found.append(("added", i))
    return found


def figures(pairs: Sequence[tuple[str, str]]) -> dict[str, float]:
    """The figures of a system's texts, with the names of the counts of people's errors."""
    words = wrong = clean = first = last = letters = 0
    single = Counter[bool]()
    lengths, wrong_lengths, done = Counter[str](), Counter[str](), Counter[str]()
    for source, text in pairs:
        own = _WORD.findall(source)
        words += len(own)
        lengths.update(_band(word) for word in own)
        found = changes(source, text)
        clean += not found
        for old, new in found:
            wrong += 1
            wrong_lengths[_band(old)] += 1
            made = edits(old, new)
            single[len(made) == 1] += 1
            for kind, place in made:
                done[kind] += 1
                letters += 1
                first += place == 0
                last += place >= len(old) - 1
    share = {kind: count / max(letters, 1) for kind, count in done.items()}
    return {
        "errors per 100 words": 100 * wrong / words,
        "clean sentences": clean / len(pairs),
        "wrong words with one edit": single[True] / max(single.total(), 1),
        "edits at the first letter": first / max(letters, 1),
        "edits at or behind the last": last / max(letters, 1),
        **{f"edits: {kind}": share.get(kind, 0.0) for kind in ("substituted", "dropped", "added", "swapped")},
        **{f"wrong words of {band} letters": wrong_lengths[band] / max(lengths[band], 1) for band in _BANDS},
    }


_BANDS = ("1-4", "5-6", "7-9", "10+")


def _band(word: str) -> str:
    length = len(word)
    return next(band for band, most in zip(_BANDS, (4, 6, 9, math.inf), strict=True) if length <= most)


def poisson(count: int) -> tuple[float, float]:
    """The exact 95 % interval of the mean of a count (Garwood 1936)."""
    from scipy.stats import chi2  # noqa: PLC0415

    return (chi2.ppf(0.025, 2 * count) / 2 if count else 0.0), chi2.ppf(0.975, 2 * count + 2) / 2


def people(counts: Mapping[str, Any]) -> dict[str, float]:
    """The figures of people's errors that the counts have; those of all words, first words of sentences included."""
    overall = counts["overall"]
    shares, by_length = overall["op_share"], overall["error_rate_by_length"]
    found = {
        "errors per 100 words": overall["error_units_per_100_words"],
        "clean sentences": 1 - overall["sentences_with_error"],
        "wrong words with one edit": overall["edits_per_errored_unit"]["1"],
        "edits at the first letter": overall["first_letter_share"],
        "edits at or behind the last": overall["last_letter_share"],
        "edits: substituted": shares["sub"],
        "edits: dropped": shares["del"],
        "edits: added": shares["ins"] + shares["elongation"],
        "edits: swapped": shares["trans"],
    }
    for band, lengths in zip(_BANDS, (range(1, 5), range(5, 7), range(7, 10), range(10, 16)), strict=True):
        found[f"wrong words of {band} letters"] = sum(by_length[str(one)] for one in lengths) / len(lengths)
    return found


def systems(texts: Sequence[str], seed: int) -> dict[str, list[tuple[str, str]]]:
    """The pairs of text and perturbed text of each system."""
    from augmentex import CharAug  # noqa: PLC0415

    def ours(attack: str | Attack, **options: Any) -> list[tuple[str, str]]:  # noqa: ANN401
        made = Augmenter(attack, constraints=(), similarity="none", seed=seed, **options).texts(texts)
        return [(result.source, result.text) for result in made]

    def theirs(augment: Callable[[str], str]) -> list[tuple[str, str]]:
        return [(text, augment(text)) for text in texts]

    rival = CharAug(unit_prob=0.02, min_aug=0, max_aug=5, mult_num=3, lang="rus", platform="pc", random_seed=seed)
    return {
        "misspell": ours(_MISSPELL),
        "butterfingers 0.15": ours("butterfingers"),
        "butterfingers 0.011": ours("butterfingers", probability=0.011, min_changes=0),
        "augmentex CharAug 0.02": theirs(lambda text: str(rival.augment(text=text))),
    }


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sentences", type=Path)
    parser.add_argument("counts", type=Path, nargs="?")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--repeats", type=int, default=1, help="seeds over which the first table is averaged")
    parser.add_argument("--limit", type=int, default=3000, help="sentences of the second table; the first takes all")
    given = parser.parse_args()
    texts = [json.loads(line)["text"] for line in given.sentences.read_text(encoding="utf-8").splitlines()]
    counts = json.loads(given.counts.read_text(encoding="utf-8")) if given.counts else None
    console = Console()

    words = sum(len(_WORD.findall(text)) for text in texts)
    kinds = Counter[str]()
    for seed in range(given.seed, given.seed + given.repeats):
        for result in Augmenter(_MISSPELL, constraints=(), similarity="none", seed=seed).texts(texts):
            for edit in result.script.edits:
                if edit.note and edit.note.kind:
                    kinds.update(edit.note.kind.split("+"))
    table = Table("class", "people", "95 %", "misspell", "inside", title=f"errors in {_REST_WORDS:,} words")
    rest = counts["classes"]["rest"] if counts else {}
    inside = asked = 0
    for name, parts in _CLASSES.items():
        count = sum(rest.get(part, 0) for part in parts)
        low, high = poisson(count)
        made = kinds[name] / given.repeats / words * _REST_WORDS
        large = count >= 10
        asked += large
        inside += large and low <= made <= high
        mark = "" if not large else ("yes" if low <= made <= high else "no")
        table.add_row(name, str(count), f"{low:.0f}-{high:.0f}", f"{made:.1f}", mark)
    console.print(table)
    console.print(f"classes of at least 10 cases inside the interval: {inside} of {asked}; {len(texts):,} sentences")

    found = {name: figures(pairs) for name, pairs in systems(texts[: given.limit], given.seed).items()}
    if counts:
        found = {"people (all words)": people(counts), **found}
    table = Table("figure", *found)
    for figure in next(iter(found.values())):
        table.add_row(figure, *(f"{one[figure]:.3g}" for one in found.values()))
    console.print(table)


if __name__ == "__main__":
    main()
