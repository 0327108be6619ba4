"""Build ``dictionaries/emoji.tsv``, the dictionary of the attack "emojify".

The dictionary maps a Russian lemma and its Universal POS tag to emoji of the
same meaning. It has two sources: the Russian emoji annotations of Unicode CLDR,
and a reviewed list of decisions, ``emoji_review.tsv``, in the folder of this
script. A word is in the dictionary only if a decision puts it there.

To run it::

    npm pack cldr-annotations-full@48.2.0 cldr-annotations-derived-full@48.2.0
    mkdir annotations derived
    tar xzf cldr-annotations-full-48.2.0.tgz -C annotations
    tar xzf cldr-annotations-derived-full-48.2.0.tgz -C derived
    python scripts/emoji_dictionary.py annotations/package derived/package \
        --output dictionaries/emoji.tsv

The packages ``pymorphy3`` and ``emoji`` must be installed. The same input gives
the same output, byte for byte. With ``--pending`` the script writes no
dictionary: it prints the words of CLDR that have no decision yet, in the format
of the review file.

A line of the review file has the columns lemma, POS, decision and emoji, and
optionally a fifth one, the phrases in which the word stays («-» if it has none
but a remark follows), and a sixth one, a remark. The decisions are:

``keep``
    CLDR annotates every listed emoji with this lemma.
``replace``
    CLDR has the lemma, but at least one emoji was chosen by hand.
``add``
    CLDR does not have the lemma; the line was written by hand.
``drop``
    CLDR has the lemma, but it is left out. The emoji are those of CLDR.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import emoji
import pymorphy3

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

REVIEW: Final = Path(__file__).with_name("emoji_review.tsv")
MAX_EMOJI: Final = 4
MAX_EMOJI_VERSION: Final = 15.1
"""Many systems do not display later emoji yet."""

VARIATION_SELECTOR: Final = "\ufe0f"
SKIN_TONES: Final = frozenset("🏻🏼🏽🏾🏿")
WORD: Final = re.compile(r"[а-яё]+(?:-[а-яё]+)*")
PHRASE_WORD: Final = re.compile(r"[а-яё]+(?:-[а-яё]+)*\*?")
NO_PHRASES: Final = "-"
FLAG_NAME_PREFIX: Final = "флаг: "
DECISIONS: Final = ("keep", "replace", "add", "drop")

POS_OF_GRAMMEME: Final = {
    "NOUN": "NOUN",
    "ADJF": "ADJ",
    "ADJS": "ADJ",
    "VERB": "VERB",
    "INFN": "VERB",
    "PRTF": "VERB",
    "PRTS": "VERB",
    "GRND": "VERB",
    "ADVB": "ADV",
    "PRED": "ADV",
    "NUMR": "NUM",
    "INTJ": "INTJ",
}
"""The Universal POS tag of each part of speech of OpenCorpora in use here."""

HEADER: Final = """\
# Emoji of the same meaning for Russian words, for the attack "emojify".
# Source: Russian emoji annotations of Unicode CLDR {version}
# (npm packages cldr-annotations-full and cldr-annotations-derived-full,
# licence Unicode-3.0, © Unicode, Inc.) and hand-written additions.
# Made by scripts/emoji_dictionary.py; change scripts/emoji_review.tsv, not this file.
# Generated: the words (lemmatised with pymorphy3) and their emoji offered by CLDR.
# Reviewed: every line was read; {dropped} words of CLDR were dropped.
# Kept from CLDR, with a choice among its emoji: {kept} lines.
# Word of CLDR, emoji chosen by hand: {replaced} lines.
# Word and emoji added by hand: {added} lines.
# Lines: {lines}. Distinct lemmas: {lemmas}.
# Columns: lemma (normal form of pymorphy3), Universal POS tag,
# emoji (fully qualified, at most {max_emoji}, separated by spaces, best first),
# phrases in which the word stays, because it is not meant or the emoji does not fit; "-" if there are none.
# Phrases are separated by a comma and a space: "во время, открыть/закрыть счёт, лучш*" are three.
#   A lemma stands for all its forms; any other form for itself ("в силу", not "в силе").
#   A slash separates words that may stand in the same place; "лучш*" is every word that begins so.
#   The words follow each other with only spaces between; ё is as good as е. One word alone is a phrase too.
# Lines with phrases: {phrases}.
"""


class ReviewError(ValueError):
    """A line of the review file is wrong."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """One CLDR keyword, in lower case, of one fully qualified emoji.

    ``proper``: whether CLDR writes the keyword with a capital letter;
    ``rank``: how well the keyword fits the emoji, lower is better.
    """

    symbol: str
    word: str
    proper: bool
    rank: tuple[int, int, int]


@dataclass(frozen=True, slots=True, order=True)
class Decision:
    """One line of the review file."""

    lemma: str
    pos: str
    verdict: str
    symbols: tuple[str, ...]
    phrases: str = NO_PHRASES
    remark: str = ""


def qualified_emoji() -> dict[str, str]:
    """Return the fully qualified emoji, by their text without variation selectors."""
    return {
        symbol.replace(VARIATION_SELECTOR, ""): symbol
        for symbol, data in emoji.EMOJI_DATA.items()
        if data["status"] == emoji.STATUS["fully_qualified"]
        and data["E"] <= MAX_EMOJI_VERSION
        and not SKIN_TONES.intersection(symbol)
    }


def read_package(folder: Path) -> tuple[str, dict[str, dict[str, list[str]]]]:
    """Read the version and the Russian annotations of a CLDR npm package."""
    version = json.loads((folder / "package.json").read_text("utf-8"))["version"]
    for kind in ("annotations", "annotationsDerived"):
        path = folder / kind / "ru" / "annotations.json"
        if path.is_file():
            content: dict[str, Any] = json.loads(path.read_text("utf-8"))
            return version, content[kind]["annotations"]
    message = f"{folder} holds no Russian annotations"
    raise FileNotFoundError(message)


def read_keywords(
    entries: dict[str, dict[str, list[str]]],
    known: dict[str, str],
) -> Iterator[Annotation]:
    """Yield the single Russian words among the keywords of CLDR."""
    for order, (key, entry) in enumerate(entries.items()):
        symbol = known.get(key.replace(VARIATION_SELECTOR, ""))
        if symbol is None:
            continue
        keywords = entry.get("default", [])
        name = entry.get("tts", [""])[0].removeprefix(FLAG_NAME_PREFIX)
        for keyword in dict.fromkeys((name, *keywords)):
            word = unicodedata.normalize("NFC", keyword).lower()
            if WORD.fullmatch(word):
                rank = (keyword != name, len(keywords), order)
                yield Annotation(symbol, word, keyword[0].isupper(), rank)


class Lexicon:
    """The annotations of CLDR, by lemma.

    ``version``: the version of CLDR; ``offers``: the emoji of each lemma, best
    first; ``candidates``: the likely pairs of lemma and POS.
    """

    def __init__(self, folders: Iterable[Path], morph: pymorphy3.MorphAnalyzer) -> None:
        """Read the packages and lemmatise their keywords."""
        known = qualified_emoji()
        ranks: dict[str, dict[str, tuple[int, int, int]]] = defaultdict(dict)
        versions: set[str] = set()
        self.candidates: set[tuple[str, str]] = set()
        for folder in folders:
            version, entries = read_package(folder)
            versions.add(version)
            for item in read_keywords(entries, known):
                parses = morph.parse(item.word)
                for lemma in {parse.normal_form for parse in parses} | {item.word}:
                    best = ranks[lemma].get(item.symbol, item.rank)
                    ranks[lemma][item.symbol] = min(best, item.rank)
                pos = POS_OF_GRAMMEME.get(parses[0].tag.POS)
                if item.proper and pos in {"NOUN", None}:
                    pos = "PROPN"
                if pos:
                    self.candidates.add((parses[0].normal_form, pos))
        self.version = ", ".join(sorted(versions))
        self.offers = {lemma: tuple(sorted(of_lemma, key=of_lemma.__getitem__)) for lemma, of_lemma in ranks.items()}

    def pending(self, decisions: Iterable[Decision]) -> list[Decision]:
        """Return the candidates whose lemma has no decision."""
        decided = {decision.lemma for decision in decisions}
        return sorted(
            Decision(lemma, pos, "drop", self.offers[lemma][:MAX_EMOJI])
            for lemma, pos in self.candidates
            if lemma not in decided
        )


def read_review(path: Path) -> list[Decision]:
    """Read the decisions, in the order of the file."""
    decisions = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) not in {4, 5, 6}:
            message = f"{path.name}, line {number}: {len(fields)} columns, not 4 to 6"
            raise ReviewError(message)
        lemma, pos, verdict, symbols, *rest = fields
        decisions.append(Decision(lemma, pos, verdict, tuple(symbols.split(" ")), *rest))
    return decisions


def has_lemma(morph: pymorphy3.MorphAnalyzer, lemma: str, pos: str) -> bool:
    """Return whether pymorphy3 has the lemma as a normal form with this tag."""
    wanted = "NOUN" if pos == "PROPN" else pos
    return any(
        parse.normal_form == lemma and POS_OF_GRAMMEME.get(parse.tag.POS) == wanted for parse in morph.parse(lemma)
    )


def phrase_faults(decision: Decision, morph: pymorphy3.MorphAnalyzer) -> Iterator[str]:
    """Yield what is wrong with the phrases of one decision: each must hold the word itself or a form of it."""
    phrases = [] if decision.phrases == NO_PHRASES else decision.phrases.split(", ")
    if phrases and decision.verdict == "drop":
        yield "'drop', but it has phrases"
    if len(set(phrases)) != len(phrases):
        yield "a phrase is repeated"
    for phrase in phrases:
        words = re.split("[ /]", phrase)
        if not all(PHRASE_WORD.fullmatch(word) for word in words):
            yield f"the phrase «{phrase}» is not Russian words in lower case"
        elif not any(is_form(word, decision, morph) for word in words):
            yield f"the phrase «{phrase}» does not hold the word"


def is_form(word: str, decision: Decision, morph: pymorphy3.MorphAnalyzer) -> bool:
    """Return whether a word of a phrase is the lemma or a form of it, or the beginning of one («лучш*»)."""
    if word.endswith("*"):
        return any(
            form.word.startswith(word[:-1])
            for parse in morph.parse(decision.lemma)
            if parse.normal_form == decision.lemma
            for form in parse.lexeme
        )
    return word == decision.lemma or any(parse.normal_form == decision.lemma for parse in morph.parse(word))


def faults(
    decision: Decision,
    offered: Sequence[str],
    morph: pymorphy3.MorphAnalyzer,
    symbols: frozenset[str],
) -> Iterator[str]:
    """Yield what is wrong with one decision."""
    lemma, verdict = decision.lemma, decision.verdict
    if verdict not in DECISIONS:
        yield f"unknown decision {verdict!r}"
    if unicodedata.normalize("NFC", lemma) != lemma or not WORD.fullmatch(lemma):
        yield "the lemma is not one lower-case Cyrillic word"
    if len(set(decision.symbols)) != len(decision.symbols):
        yield "an emoji is repeated"
    if len(decision.symbols) > MAX_EMOJI:
        yield f"more than {MAX_EMOJI} emoji"
    if unknown := [symbol for symbol in decision.symbols if symbol not in symbols]:
        yield f"not a fully qualified emoji in use: {' '.join(unknown)}"
    if verdict != "drop" and not has_lemma(morph, lemma, decision.pos):
        yield f"pymorphy3 has no such {decision.pos}"
    if verdict in {"keep", "drop"} and not set(decision.symbols) <= set(offered):
        yield f"{verdict!r}, but CLDR offers {' '.join(offered) or 'nothing'}"
    if verdict == "add" and offered:
        yield f"'add', but CLDR offers {' '.join(offered)}"
    if verdict == "replace" and (not offered or set(decision.symbols) <= set(offered)):
        yield f"'replace', but CLDR offers {' '.join(offered) or 'nothing'}"
    yield from phrase_faults(decision, morph)


def check(
    decisions: Sequence[Decision],
    lexicon: Lexicon,
    morph: pymorphy3.MorphAnalyzer,
) -> None:
    """Raise an error that lists everything wrong with the review file."""
    symbols = frozenset(qualified_emoji().values())
    problems = [
        f"{decision.lemma} {decision.pos}: {fault}"
        for decision in decisions
        for fault in faults(
            decision,
            lexicon.offers.get(decision.lemma, ()),
            morph,
            symbols,
        )
    ]
    keys = [(decision.lemma, decision.pos) for decision in decisions]
    problems += [
        f"{second[0]} {second[1]}: repeated or out of order"
        for first, second in itertools.pairwise(keys)
        if second <= first
    ]
    if problems:
        raise ReviewError("\n".join(problems))


def render(decisions: Sequence[Decision], version: str) -> str:
    """Return the text of the dictionary."""
    entries = [decision for decision in decisions if decision.verdict != "drop"]
    verdicts = Counter(decision.verdict for decision in decisions)
    header = HEADER.format(
        version=version,
        kept=verdicts["keep"],
        replaced=verdicts["replace"],
        added=verdicts["add"],
        dropped=verdicts["drop"],
        lines=len(entries),
        lemmas=len({entry.lemma for entry in entries}),
        max_emoji=MAX_EMOJI,
        phrases=sum(entry.phrases != NO_PHRASES for entry in entries),
    )
    lines = (f"{entry.lemma}\t{entry.pos}\t{' '.join(entry.symbols)}\t{entry.phrases}\n" for entry in entries)
    return header + "".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script; return its exit status."""
    parser = argparse.ArgumentParser(
        description="Build the emoji dictionary from CLDR and the review file.",
    )
    parser.add_argument(
        "packages",
        nargs="+",
        type=Path,
        help="unpacked CLDR npm packages: the annotations and the derived ones",
    )
    parser.add_argument(
        "--review",
        type=Path,
        default=REVIEW,
        help="the review file (%(default)s)",
    )
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--output", type=Path, help="the dictionary to write")
    action.add_argument(
        "--pending",
        action="store_true",
        help="print the candidates without a decision instead",
    )
    options = parser.parse_args(arguments)
    morph = pymorphy3.MorphAnalyzer()
    lexicon = Lexicon(options.packages, morph)
    decisions = read_review(options.review)
    pending = lexicon.pending(decisions)
    if options.pending:
        for item in pending:
            symbols = " ".join(item.symbols)
            sys.stdout.write(f"{item.lemma}\t{item.pos}\t{item.verdict}\t{symbols}\n")
        return 0
    try:
        check(decisions, lexicon, morph)
    except ReviewError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    text = render(decisions, lexicon.version)
    options.output.write_text(text, "utf-8", newline="\n")
    sys.stderr.write(f"{len(pending)} candidates without a decision\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
