# ruff: noqa: S607, PLC0415  (programs of the system; libraries that only one step needs)
"""Fit the dictionary `ocr` to what Tesseract makes of rendered sentences.

Three steps: `read` renders sentences in free fonts and has Tesseract read them; `fit` aligns what it read with the
sentences and writes the dictionary; `compare` tells how well a classifier tells the attack's output from Tesseract's.

    python scripts/fit_ocr.py read sentences.jsonl pairs.jsonl --fonts fit --lines 2000 --quality fair
    python scripts/fit_ocr.py fit pairs.jsonl dictionaries/ocr.tsv
    python scripts/fit_ocr.py compare held_out_pairs.jsonl

It needs Pillow, scikit-learn, the programs `tesseract` (with `rus`) and `fc-list`, and fonts with Cyrillic.
"""

import argparse
import io
import json
import random
import re
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from augment_ru.attacks.ocr import (
    KINDS,
    LONGEST,
    NOTHING,
    QUALITIES,
    SPACE,
    kind_of_sign,
)
from augment_ru.draws import Floats
from augment_ru.engine.attack import make

HELD_OUT = (
    "Bookman Uralic",
    "Carlito",
    "Clear Sans",
    "Coelacanth",
    "Crimson",
    "Cuprum",
    "FreeSerif",
    "Hack",
    "Heuristica",
    "Inter",
    "Lato",
    "Nimbus Mono PS",
    "PT Sans",
    "Raleway",
    "URW Gothic",
    "monofur",
)
"""Families of fonts that are never fitted: they are for the comparison alone."""
FITTED = (
    "Agave",
    "Alegreya",
    "Andika",
    "Anonymous Pro",
    "Antykwa Torunska",
    "BABEL Unicode",
    "C059",
    "CMU Bright",
    "CMU Concrete",
    "CMU Sans Serif",
    "CMU Serif",
    "CMU Typewriter Text",
    "Cantarell",
    "Caslon",
    "Charis SIL",
    "Comfortaa",
    "Cormorant Garamond",
    "DejaVu Sans",
    "DejaVu Serif",
    "Droid Sans Mono",
    "EB Garamond",
    "Fantasque Sans Mono",
    "Fira Code",
    "Fira Sans",
    "Forum",
    "FreeMono",
    "FreeSans",
    "Gentium Plus",
    "Go",
    "Go Mono",
    "IBM 3270",
    "IBM Plex Mono",
    "IBM Plex Sans",
    "IBM Plex Serif",
    "Iwona",
    "JetBrains Mono",
    "Jura",
    "Kurier",
    "LXGW WenKai",
    "Liberation Mono",
    "Liberation Sans",
    "Liberation Sans Narrow",
    "Liberation Serif",
    "Linux Biolinum O",
    "Linux Libertine O",
    "MPH 2B Damase",
    "Manrope",
    "Merriweather",
    "Mint Spirit",
    "Monoid",
    "Montserrat",
    "Nimbus Sans",
    "Noto Sans",
    "Noto Serif",
    "Nunito",
    "Old Standard TT",
    "Open Sans",
    "P052",
    "PT Mono",
    "PT Sans Caption",
    "PT Serif",
    "Play",
    "Playfair Display",
    "Poiret One",
    "Roboto",
    "Roboto Mono",
    "Roboto Slab",
    "STIX Two Text",
    "Smiley Sans",
    "Source Code Pro",
    "Source Sans Pro",
    "Source Serif Pro",
    "Spectral",
    "Symbola",
    "Tahoma",
    "Tempora",
    "Tuffy",
    "UM Typewriter",
    "Vollkorn",
    "XCharter",
    "Yanone Kaffeesatz",
    "mononoki",
    "okolaks",
)
"""The fitted families of Debian's packages `fonts-*` and `texlive-fonts-extra`, some decorative ones among them."""
STYLES = {"Regular": 8, "Book": 8, "Roman": 8, "Bold": 2, "Italic": 2, "Oblique": 2}
"""How often each style of a family is drawn; other styles are never drawn."""
LOOKS = {
    "good": {"size": (18, 40), "blur": (0.2, 1.3), "noise": (0, 8), "turn": 0.6, "ink": (0, 100), "jpeg": (35, 90)},
    "fair": {"size": (12, 29), "blur": (0.6, 1.9), "noise": (1, 13), "turn": 1.0, "ink": (10, 130), "jpeg": (20, 75)},
    "poor": {"size": (11, 25), "blur": (0.7, 2.1), "noise": (3, 15), "turn": 1.3, "ink": (20, 140), "jpeg": (15, 60)},
}
"""What a line looks like at each quality, every number drawn evenly from its range.

The size in pixels, the radius of the blur, the deviation of the noise, the largest angle in degrees, the grey of the
ink (paper is 200 to 255), the quality of the JPEG.
"""


FACTORS = np.array([0.0, 0.03, 0.1, 0.2, 0.35, 0.5, 0.8, 1.2, 2.0, 3.0, 4.5, 7.0, 10.0, 15.0, 22.0])
"""The factors of errors that a text may draw."""
LEAST = 5
"""The fewest errors for which the signs beside them are told apart, instead of their kinds."""
OF_SHAPE, OF_ONE = 5.0, 1.0
"""How many errors the mean of all confusions counts as beside those of a class, and a class beside one confusion."""
SEEN = 20
"""A sign is steady if so many of its errors, and half of them, are in lines without other errors.

No family of fonts has more than half of them: what one font alone does comes together in its lines.
"""
ALWAYS = 0.9
"""A sign that is misread at so many of its places is never read as itself: at the others its neighbours are, too."""
Context = tuple[str, str, str]
"""Signs, with what stands before and after them: a sign or a kind of signs."""
Counts = dict[tuple[Context, str, str], float]
"""How many times a context is read as a string, or how many places it has (with ""), at a quality."""
Rates = dict[tuple[Context, str], dict[str, float]]
"""How often a context is read as a string at each quality."""
Aligned = tuple[str, str, dict[tuple[int, int], str], str]
"""A sentence, its quality, for each misread range what is read instead, and the family of the font."""
ALL = ("",)
"""The class of all confusions."""
LENGTHS = range(20, 141)
"""How many signs the sentences have."""
MOST = {"good": 300, "fair": 40, "poor": 40}
"""A family counts as at most so many pictures of a quality; good ones have a tenth of the errors."""
ODD = 2.0
"""A family with more times the errors of the median one counts less: its errors count as so many times the median's."""
IN_FAMILIES = 4
"""The fewest families that have the errors for which the signs beside them are told apart."""
SETTLED = 1e-6
"""The shares of the levels are found when no round changes one by more."""
RAREST = 0.001
"""The smallest share of a level that is kept."""
FEWEST = 50
"""The fewest texts of either kind that a classifier is trained on."""
HEADER = """\
# What a scanner misreads, for the attack "ocr": what signs between others are taken for, how often.
# Source: fitted by scripts/fit_ocr.py to {lines} pictures of sentences of RuBLiMP (Apache-2.0; a sign «–» was added to
#   some: in front, between numbers, between words), rendered in {fonts} free families of fonts at three qualities
#   (size, blur, noise, rotation, contrast, compression) and read by Tesseract 5, `rus`. A family with many pictures or
#   many errors counts less.
#   Levels: how many times more errors than the mean the lines of a quality have, and their share.
# Licence: Apache-2.0 (numbers are facts).
# Columns: sign before (or its kind), signs, sign behind (or its kind), what is read, errors in 100,000 places at each
#   quality (good, fair, poor). ␣ is a space, ∅ no sign. Lines `level`: quality, factor, share. Lines `sign`: a quality
#   and a sign whose errors there do not depend on the level.
"""


def fonts(part: str) -> list[tuple[tuple[str, str], int]]:
    """Return the fitted or the held-out families with their font files, each with its weight."""
    names = FITTED if part == "fit" else HELD_OUT
    listed = subprocess.run(
        ["fc-list", ":lang=ru", "file", "family", "style"], capture_output=True, text=True, check=True
    )
    found: dict[tuple[str, str], str] = {}
    for line in sorted(listed.stdout.splitlines()):
        file, family, style = line.split(":", 2)
        names_of, style = family.strip().split(","), style.removeprefix("style=").split(",")[0]
        for name in names:
            if name in names_of and style in STYLES:
                found.setdefault((name, style), file)
    families = {name: sum(STYLES[style] for one, style in found if one == name) for name, _ in found}
    return [((name, file), STYLES[style] * 1000 // families[name]) for (name, style), file in found.items()]


def rendered(text: str, font: str, look: dict[str, Any], draw: random.Random) -> bytes:
    """Return the picture of a line, as a JPEG."""
    from PIL import Image, ImageDraw, ImageFilter, ImageFont

    size = round(draw.uniform(*look["size"]))
    face = ImageFont.truetype(font, size)
    left, top, right, bottom = face.getbbox(text)
    paper, ink = round(draw.uniform(200, 255)), round(draw.uniform(*look["ink"]))
    picture = Image.new("L", (round(right - left) + 4 * size, round(bottom - top) + 2 * size), paper)
    ImageDraw.Draw(picture).text((2 * size - left, size - top), text, fill=ink, font=face)
    turn = draw.uniform(-look["turn"], look["turn"])
    picture = picture.rotate(turn, resample=Image.Resampling.BICUBIC, expand=True, fillcolor=paper)
    picture = picture.filter(ImageFilter.GaussianBlur(draw.uniform(*look["blur"]) * size / 30))
    noise = np.random.default_rng(draw.getrandbits(32)).normal(
        0, draw.uniform(*look["noise"]), (picture.height, picture.width)
    )
    picture = Image.fromarray(np.clip(np.asarray(picture) + noise, 0, 255).astype(np.uint8))
    written = io.BytesIO()
    picture.save(written, "JPEG", quality=round(draw.uniform(*look["jpeg"])))
    return written.getvalue()


def pages(paths: list[Path], folder: Path) -> list[Any]:
    """Return what Tesseract reads in each picture; None where it crashes, which a few pictures bring about."""
    listed = folder / "list.txt"
    listed.write_text("".join(f"{path}\n" for path in paths))
    command = ["tesseract", str(listed), "-", "-l", "rus", "--psm", "7", "--dpi", "300"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={"OMP_THREAD_LIMIT": "1"})
    if done.returncode == 0:
        return [*done.stdout.split("\f")][: len(paths)]
    half = len(paths) // 2
    return pages(paths[:half], folder) + pages(paths[half:], folder) if half else [None]


def read(options: argparse.Namespace) -> None:
    """Render sentences, have Tesseract read them, and write the pairs, 50 at a time."""
    draw = random.Random(options.seed)
    lines = options.sentences.read_text(encoding="utf-8").splitlines()
    texts = [" ".join(json.loads(line)["text"].split()) for line in lines]
    texts = [text for text in texts if len(text) in LENGTHS]
    draw.shuffle(texts)
    texts = texts[options.skip :]
    files, weights = zip(*fonts(options.fonts), strict=True)
    with options.pairs.open("a", encoding="utf-8") as out, tempfile.TemporaryDirectory() as folder:
        for start in range(0, options.lines, 50):
            made: list[dict[str, Any]] = []
            for number, text in enumerate(texts[start : start + 50]):
                quality = draw.choice(QUALITIES) if options.quality == "all" else options.quality
                ((family, font),) = draw.choices(files, weights)
                path = Path(folder) / f"{number}.jpg"
                path.write_bytes(rendered(text, font, LOOKS[quality], draw))
                made.append({"text": text, "quality": quality, "font": Path(font).name, "family": family, "path": path})
            for one, page in zip(made, pages([one.pop("path") for one in made], Path(folder)), strict=True):
                if page is not None:
                    out.write(json.dumps(one | {"read": " ".join(page.split())}, ensure_ascii=False) + "\n")
            out.flush()


def operations(old: str, new: str) -> list[tuple[int, int, int, int]]:
    """Align two texts; return what differs as the starts and stops of short ranges in both.

    Neighbouring differences are one range as long as it has at most three old and three new signs.
    """
    width = len(new) + 1
    costs = [list(range(width))]
    for at, sign in enumerate(old, start=1):
        above, line = costs[-1], [at]
        for to, letter in enumerate(new, start=1):
            line.append(min(above[to - 1] + (sign != letter), above[to] + 1, line[-1] + 1))
        costs.append(line)
    at, to = len(old), len(new)
    steps: list[tuple[int, int, int, int]] = []
    while at or to:
        here = costs[at][to]
        if at and to and here == costs[at - 1][to - 1] + (old[at - 1] != new[to - 1]):
            at, to = at - 1, to - 1
            if old[at] != new[to]:
                steps.append((at, at + 1, to, to + 1))
        elif at and here == costs[at - 1][to] + 1:
            at -= 1
            steps.append((at, at + 1, to, to))
        else:
            to -= 1
            steps.append((at, at, to, to + 1))
    found: list[tuple[int, int, int, int]] = []
    for start, stop, begin, end in reversed(steps):
        if found:
            first, last, one, other = found[-1]
            if (last, other) == (start, begin) and stop - first <= LONGEST and end - one <= LONGEST:
                found[-1] = (first, stop, one, end)
                continue
        found.append((start, stop, begin, end))
    return found


def around(text: str, start: int, stop: int, letters: Sequence[int]) -> list[Context]:
    """Return the contexts of a range, from the kinds of the signs beside it to these signs themselves.

    Whether a space is lost depends on how long the words are, not on the letters beside it.
    """
    old = text[start:stop]
    sides: list[tuple[str, ...]] = []
    for at in (start - 1, stop):
        sign, length = (text[at], letters[at]) if 0 <= at < len(text) else ("\n", 0)
        kind = kind_of_sign(sign, length)
        sides.append((kind,) if sign == "\n" or (old == " " and sign.isalpha()) else (kind, sign))
    return [(left, old, right) for right in sides[1] for left in sides[0]]


def letters_of(text: str) -> list[int]:
    """Return for each sign how many letters and digits the word around it has, 0 between words."""
    found = [0] * len(text)
    for word in re.finditer(r"[^\W_]+", text):
        found[word.start() : word.end()] = [word.end() - word.start()] * (word.end() - word.start())
    return found


def shape_of(old: str, new: str) -> tuple[str, str]:
    """Return the class of a misreading: letters, digits, spaces and other signs that come and go, or another case."""
    if old and old.lower() == new.lower():
        return ("case", "")
    shapes = [
        "".join("␣" if one.isspace() else "л" if one.isalpha() else "5" if one.isdigit() else "." for one in signs)
        for signs in (old, new)
    ]
    return (shapes[0], shapes[1])


def fit(options: argparse.Namespace) -> None:
    """Count confusions in their contexts and the levels of errors, and write the dictionary.

    A picture with an error to every third sign is not fitted; one in which Tesseract finds no line counts as such.
    """
    pairs = [json.loads(line) for path in options.pairs for line in path.open(encoding="utf-8")]
    aligned: list[Aligned] = []
    for one in pairs:
        text, new = one["text"], one["read"]
        ranges = operations(text, new) if text != new else []
        found = {(start, stop): new[begin:end] for start, stop, begin, end in ranges}
        if len(found) * LONGEST < len(text):
            aligned.append((text, one["quality"], found, one["family"]))
    where = contexts_of(aligned)
    steady = [*steady_signs(aligned)]
    always = {sign for sign, _, is_always in steady if is_always}
    weights = weights_of(aligned, always)
    places: Counts = defaultdict(float)
    counted: Counts = defaultdict(float)
    for (_, quality, _, _), line, weight in zip(aligned, where, weights.tolist(), strict=True):
        for context, new in line:
            places[context, "", quality] += weight
            if new is not None:
                counted[context, new, quality] += weight
    rates = rates_of(places, counted, always)
    written = [f"sign\t{quality}\t{_written(sign)}\t-\t-\t-\t-" for sign, quality, _ in steady]
    for quality in QUALITIES:
        own = {sign for sign, which, _ in steady if which == quality}
        at = [number for number, (_, which, _, _) in enumerate(aligned) if which == quality]
        scaled = [
            [(context, new is not None) for context, new in where[number] if context[1] not in own] for number in at
        ]
        levels = levels_of(scaled, weights[at], sums_of(rates, quality))
        written += [f"level\t{quality}\t{factor:g}\t{share:.4f}\t-\t-\t-" for factor, share in levels]
    print(len(pairs), len(aligned), len(rates), *written)
    for (context, new), by_quality in rates.items():
        cells = (f"{by_quality[quality] * 1e5:.3g}" for quality in QUALITIES)
        written.append("\t".join((*map(_written, (*context, new)), *cells)))
    header = HEADER.format(lines=len(aligned), fonts=len({family for *_, family in aligned}))
    options.dictionary.write_text(
        header + "".join(f"{line}\n" for line in sorted(written, key=lambda line: line.split("\t"))), encoding="utf-8"
    )


def weights_of(aligned: Sequence[Aligned], always: set[str]) -> Floats:
    """Return what each line counts, shape (lines,): a family counts as few pictures, an odd one as fewer.

    Signs that are always misread make no family odd.
    """
    pictures: Counter[tuple[str, str]] = Counter()
    errors: Counter[tuple[str, str]] = Counter()
    for text, quality, found, family in aligned:
        pictures[quality, family] += 1
        errors[quality, family] += sum(text[start:stop] not in always for start, stop in found)
    weights: dict[tuple[str, str], float] = {}
    for quality in QUALITIES:
        rates = {one: errors[one] / count for one, count in pictures.items() if one[0] == quality}
        each = [*rates.values()]
        usual = ODD * float(np.median(each) or np.mean(each))  # of few pictures, most families may have no error
        weights |= {
            one: min(MOST[quality] / pictures[one], 1.0) * (min(usual / rate, 1.0) if rate else 1.0)
            for one, rate in rates.items()
        }
    return np.array([weights[quality, family] for _, quality, _, family in aligned])


def contexts_of(aligned: Sequence[Aligned]) -> list[list[tuple[Context, str | None]]]:
    """Return for each line the contexts in which something may be misread, and what was read there; None if nothing.

    A place has the nearest context that the dictionary has, as in the attack.
    """
    totals: Counter[Context] = Counter()
    families: dict[Context, set[str]] = defaultdict(set)
    for text, _, found, family in aligned:
        letters = letters_of(text)
        for start, stop in found:
            for context in around(text, start, stop, letters):
                totals[context] += 1
                families[context].add(family)
    olds = {old for _, old, _ in totals}
    told = {
        context
        for context, count in totals.items()
        if _is_by_kind(context) or (count >= LEAST and len(families[context]) >= IN_FAMILIES)
    }
    where: list[list[tuple[Context, str | None]]] = []
    nearest: dict[tuple[str, int, int], Context | None] = {}
    for text, _, found, _ in aligned:
        letters, padded = [*letters_of(text), 0], f"\n{text}\n"
        where.append([])
        for start in range(len(text) + 1):
            for stop in range(start, min(start + LONGEST, len(text)) + 1):
                if text[start:stop] not in olds:
                    continue
                key = (padded[start : stop + 2], letters[start - 1] if start else 0, letters[stop])
                if key not in nearest:
                    told_at = [one for one in around(text, start, stop, letters) if one in told]
                    nearest[key] = told_at[-1] if told_at else None
                known = nearest[key]
                if known is not None:
                    where[-1].append((known, found.get((start, stop))))
    return where


def rates_of(places: Counts, counted: Counts, always: set[str]) -> Rates:
    """Return how often each confusion is made at each quality, as a share of the places of its context.

    Most confusions are too rare to be counted by quality: the rate at all qualities is multiplied by how much more
    often confusions of this class are made at the quality, and drawn to what was counted there. The rates of signs that
    are always misread have the sum 1.
    """
    both: dict[tuple[Context, str], float] = defaultdict(float)
    seen: dict[Context, float] = defaultdict(float)
    for (context, new, _), count in counted.items():
        both[context, new] += count
    for (context, _, _), count in places.items():
        seen[context] += count
    shapes = {one: (one[0][1],) if one[0][1] in always else shape_of(one[0][1], one[1]) for one in sorted(both)}
    rates: Rates = {one: {} for one in shapes}
    for quality in QUALITIES:
        usual = {one: both[one] * places[one[0], "", quality] / seen[one[0]] for one in shapes}
        expected: dict[tuple[str, ...], float] = defaultdict(float)
        found: dict[tuple[str, ...], float] = defaultdict(float)
        for (context, new), shape in shapes.items():
            for key in (shape, ALL) if context[1] not in always else (shape,):
                expected[key] += usual[context, new]
                found[key] += counted[context, new, quality]
        mean = found[ALL] / expected[ALL]
        for (context, new), shape in shapes.items():
            ratio = (found[shape] + OF_SHAPE * mean) / (expected[shape] + OF_SHAPE)
            drawn = (counted[context, new, quality] + OF_ONE) / (usual[context, new] * ratio + OF_ONE)
            rates[context, new][quality] = min(drawn * ratio * both[context, new] / seen[context], 1.0)
        sums = sums_of(rates, quality)
        for (context, _), by_quality in rates.items():
            if context[1] in always:
                by_quality[quality] /= sums[context]
    return rates


def sums_of(rates: Rates, quality: str) -> dict[Context, float]:
    """Return how often an error is made in each context at a quality."""
    sums: dict[Context, float] = defaultdict(float)
    for (context, _), by_quality in rates.items():
        sums[context] += by_quality[quality]
    return sums


def steady_signs(aligned: Sequence[Aligned]) -> Iterator[tuple[str, str, bool]]:
    """Yield signs whose errors do not depend on the line, with the quality, and whether they are always misread.

    Spaces are lost in clean lines, too, if words stand close in a font; «–» is not among the signs that Tesseract
    writes.
    """
    errors, seen, alone = Counter[tuple[str, str]](), Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    families: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for text, quality, found, family in aligned:
        seen.update((sign, quality) for sign in text)
        misread = [text[start:stop] for start, stop in found]
        for one in misread:
            errors[one, quality] += 1
            families[one, quality][family] += 1
        if len(set(misread)) == 1:
            alone[misread[0], quality] += len(misread)
    for sign, quality in sorted(seen):
        total = sum(errors[sign, one] for one in QUALITIES)
        is_always = total >= max(SEEN, ALWAYS * sum(seen[sign, one] for one in QUALITIES))
        half = errors[sign, quality] / 2
        is_spread = max(families[sign, quality].values(), default=0) <= half
        if is_always or (is_spread and alone[sign, quality] >= max(SEEN, half)):
            yield sign, quality, is_always


def levels_of(where: Sequence[Any], weights: Floats, rates: dict[Context, float]) -> list[tuple[float, float]]:
    """Return the factors of errors in the lines of a quality with their shares, by expectation and maximisation.

    `where` has the contexts of each line whose errors depend on the level, and whether the error was made; `weights`
    what each line counts.
    """
    mine = [(sum(is_error for _, is_error in one), sum(rates[context] for context, _ in one)) for one in where]
    counts, expected = np.array(mine, dtype=float).T
    means = np.maximum(expected[:, None] * FACTORS, 1e-9)
    logs = counts[:, None] * np.log(means) - means
    likely = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares = np.full(len(FACTORS), 1 / len(FACTORS))
    for _ in range(2000):
        posterior = likely * shares
        before = shares
        shares = np.average(posterior / posterior.sum(axis=1, keepdims=True), axis=0, weights=weights)
        if np.abs(shares - before).max() < SETTLED:
            break
    return [(factor, share) for factor, share in zip(FACTORS.tolist(), shares.tolist(), strict=True) if share >= RAREST]


def _is_by_kind(context: Context) -> bool:
    return context[0] in KINDS and context[2] in KINDS


def _written(cell: str) -> str:
    return cell.replace(" ", SPACE) or NOTHING


def compare(options: argparse.Namespace) -> None:
    """Tell how well character n-grams tell the attack's output from Tesseract's, and how many lines are clean."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline

    from augment_ru import Augmenter

    pairs = [json.loads(line) for line in options.pairs.open(encoding="utf-8")]
    for quality in QUALITIES:
        mine = [one for one in pairs if one["quality"] == quality]
        texts = [one["text"] for one in mine]
        attack = Augmenter(make("ocr", {"quality": quality}), constraints=(), similarity="none", seed=options.seed)
        made = [result.text for result in attack.texts(texts)]
        sentences = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        lines: tuple[list[str], list[str]] = ([], [])
        shown: list[int] = []
        words: tuple[list[str], list[str]] = ([], [])
        of_words: tuple[list[int], list[int]] = ([], [])
        for one, other in zip(mine, made, strict=True):
            if one["read"] != one["text"] and other != one["text"]:
                shown.append(sentences[one["text"]])
                for which, new in enumerate((one["read"], other)):
                    lines[which].append(new)
            for which, new in enumerate((one["read"], other)):
                changed = [*(Counter(new.split()) - Counter(one["text"].split())).elements()]
                words[which].extend(changed)
                of_words[which].extend([sentences[one["text"]]] * len(changed))
        clean = [
            sum(new == text for new, text in zip(news, texts, strict=True)) / len(texts)
            for news in ([one["read"] for one in mine], made)
        ]
        said = [f"{quality}: clean {clean[0]:.3f} and {clean[1]:.3f}"]
        for what, (real, ours) in (("lines", lines), ("words", words)):
            if min(len(real), len(ours)) < FEWEST:
                said.append(f"too few {what} ({len(real)}, {len(ours)})")
                continue
            labels = [0] * len(real) + [1] * len(ours)
            groups = shown * 2 if real is lines[0] else of_words[0] + of_words[1]
            model = make_pipeline(
                TfidfVectorizer(analyzer="char", ngram_range=(1, 4), sublinear_tf=True),
                LogisticRegression(C=10, max_iter=1000),
            )
            scores = cross_val_predict(
                model, real + ours, labels, groups=groups, cv=GroupKFold(5), method="decision_function"
            )
            said.append(f"{what} AUC {roc_auc_score(labels, scores):.3f} ({len(real)}, {len(ours)})")
        print("; ".join(said))


def main() -> None:
    """Run one of the steps."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    steps = parser.add_subparsers(required=True)
    step = steps.add_parser("read")
    step.add_argument("sentences", type=Path)
    step.add_argument("pairs", type=Path)
    step.add_argument("--fonts", choices=("fit", "held-out"), default="fit")
    step.add_argument("--lines", type=int, default=1000)
    step.add_argument("--skip", type=int, default=0)
    step.add_argument("--seed", type=int, default=1)
    step.add_argument("--quality", choices=(*QUALITIES, "all"), default="all")
    step.set_defaults(run=read)
    step = steps.add_parser("fit")
    step.add_argument("pairs", type=Path, nargs="+")
    step.add_argument("dictionary", type=Path)
    step.set_defaults(run=fit)
    step = steps.add_parser("compare")
    step.add_argument("pairs", type=Path)
    step.add_argument("--seed", type=int, default=1)
    step.set_defaults(run=compare)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
