"""Build ``dictionaries/emoji_en.tsv``, the English words of the attack "emojify".

It is made of the English short names of emoji that are one word («cat», «pizza»; «cat face» counts as «cat») in the
package ``emoji``, and of the decisions in ``emoji_english_review.tsv``, in the folder of this script::

    python scripts/emoji_english.py --output dictionaries/emoji_en.tsv

The same version of the package gives the same output, byte for byte.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import emoji

REVIEW: Final = Path(__file__).with_name("emoji_english_review.tsv")
NEWEST: Final = 15.1
"""Many systems do not display later emoji yet."""
FULLY_QUALIFIED: Final = 2

HEADER: Final = """\
# Emoji of the same meaning for English words, for the attack "emojify" on texts without Cyrillic letters.
# Source: English short names of Unicode's emoji (package emoji {version}, BSD-3-Clause;
# names: licence Unicode-3.0, © Unicode, Inc.) and hand-written additions.
# Made by scripts/emoji_english.py; change scripts/emoji_english_review.tsv, not this file.
# Lines: {lines}, of which {added} were added by hand.
# Columns: word in the singular or the infinitive, emoji (fully qualified, separated by spaces, best first).
"""


def names() -> Iterator[tuple[str, str]]:
    """Yield names of one word and their emoji; those of animals' faces first."""
    known = emoji.EMOJI_DATA
    for wanted in ("_face:", ":"):
        for symbol, data in known.items():
            name = str(data["en"])
            if data["status"] == FULLY_QUALIFIED and data["E"] <= NEWEST and name.endswith(wanted):
                word = name.removesuffix(wanted).strip(":")
                if word.isascii() and word.isalpha() and word.islower():
                    yield word, symbol


def main() -> None:
    """Write the dictionary."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--output", type=Path, required=True)
    output: Path = parser.parse_args().output
    lines = [line.split("\t") for line in REVIEW.read_text(encoding="utf-8").split("\n") if line and line[0] != "#"]
    dropped = {word for word, decision, _ in lines if decision == "drop"}
    added = {word: symbol for word, decision, symbol in lines if decision == "add"}
    found: dict[str, list[str]] = {word: [symbol] for word, symbol in added.items()}
    for word, symbol in names():
        if word not in dropped and word not in added:
            found.setdefault(word, [])
            found[word] += [symbol] if symbol not in found[word] else []
    rows = "".join(f"{word}\t{' '.join(symbols)}\n" for word, symbols in sorted(found.items()))
    header = HEADER.format(version=emoji.__version__, lines=len(found), added=len(added))
    output.write_text(header + rows, encoding="utf-8")


if __name__ == "__main__":
    main()
