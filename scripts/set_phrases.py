"""Find set phrases by association, and write dictionaries/set_phrases.tsv.

    python scripts/set_phrases.py SENTENCES.jsonl ...

Words that stand beside each other far more often than chance has it are a set phrase: «железная дорога», «раз в год».
The sentences are those of RuBLiMP (rows with a `text`) and those of dictionaries/distractors.tsv. A phrase is a pair of
lemmas, or a pair with a preposition between them, that stands in at least `LEAST` sentences and has a normalised
pointwise mutual information (Bouma 2009) of at least `NPMI`. Names, numbers and pairs without a noun are left out.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from math import log
from pathlib import Path

from augment_ru.language.morphology import readings
from augment_ru.resources import dictionary_path, rows
from augment_ru.similarities.meaning.words import words_of

LEAST = 3
NPMI = 0.4
HEADER = """# Set phrases: words that stand beside each other far more often than by chance; they move or go together.
# Source: counted by scripts/set_phrases.py in 11,446 sentences of RuBLiMP (Taktasheva et al. 2024), Apache-2.0, and in
# distractors.tsv. Licence: Apache-2.0.
# Columns: the lemmas of the phrase, parted by spaces.
"""
_NAMES = {"Name", "Surn", "Patr", "Geox", "Orgn", "Abbr", "Init"}
_CONTENT = {"NOUN", "ADJF", "VERB", "INFN", "ADVB"}


def sentences(paths: list[str]) -> Iterator[str]:
    """Yield the sentences of the files, then those of the shipped dictionary."""
    for path in paths:
        for line in Path(path).read_text("utf-8").splitlines():
            yield json.loads(line)["text"]
    yield from (sentence for _, sentence in rows(dictionary_path("distractors"), columns=2))


def tagged(sentence: str) -> list[tuple[str, str]]:
    """Return the lemma and the part of speech of each word; no part of speech for names and after a mark."""
    found = []
    last = 0
    for start, stop in words_of(sentence):
        word = sentence[start:stop]
        if sentence[last:start].strip():
            found.append(("", ""))
        last = stop
        one = readings(word.lower())[0]
        bad = word[0].isupper() or not one.known or one.grammemes & _NAMES
        found.append((one.lemma.replace("ё", "е"), "" if bad else one.pos))
    return found


def main() -> None:
    """Count the phrases and write the dictionary."""
    words: Counter[str] = Counter()
    phrases: Counter[tuple[str, ...]] = Counter()
    for sentence in sentences(sys.argv[1:]):
        found = tagged(sentence)
        words.update(lemma for lemma, pos in found if pos)
        seen = set()
        for at in range(len(found) - 1):
            for part in (found[at : at + 2], found[at : at + 3]):
                kinds = [pos for _, pos in part]
                inner = kinds[1:-1]
                if {kinds[0], kinds[-1]} <= _CONTENT and "NOUN" in kinds and inner in ([], ["PREP"]):
                    seen.add(tuple(lemma for lemma, _ in part))
        phrases.update(seen)
    total = words.total()
    kept = []
    for phrase, count in phrases.items():
        if count < LEAST:
            continue
        npmi = log(count * total / (words[phrase[0]] * words[phrase[-1]])) / -log(count / total)
        if npmi >= NPMI:
            kept.append(" ".join(phrase))
    path = dictionary_path("distractors").with_name("set_phrases.tsv")
    path.write_text(HEADER + "".join(f"{one}\n" for one in sorted(kept)), "utf-8")


if __name__ == "__main__":
    main()
