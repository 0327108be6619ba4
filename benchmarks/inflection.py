"""Round trips of inflection: a token, its lemma, the lemma put into the form of the token.

    python benchmarks/inflection.py TEXTS.jsonl [--worst 10]

Prints for each part of speech how many tokens come back letter for letter, and tokens a second with empty and with
filled caches. The tokens are all Russian nouns, adjectives, verbs and participles of the texts, as the tagger finds
them; names are left out. A word that is refused did not come back.
"""

import argparse
import json
import time
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from augment_ru.language.annotate import Natasha
from augment_ru.language.frequency import count_of
from augment_ru.language.inflection import inflect, word_form
from augment_ru.language.morphology import analysis, morphology

CLASSES = {"NOUN": "nouns", "ADJ": "adjectives", "VERB": "verbs", "AUX": "verbs"}
Word = tuple[str, str, str]
"""A word with its part of speech and its features, by the tagger."""


def words_of(path: Path) -> dict[str, list[Word]]:
    """The words of the texts of a file, by class."""
    texts = [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]
    found: dict[str, list[Word]] = {}
    for doc in Natasha()(texts, frozenset({"morphology"})):
        for token in doc.tokens:
            if token.pos in CLASSES and analysis(token.text, token.pos, token.features) is not None:
                name = "participles" if "VerbForm=Part" in token.features else CLASSES[token.pos]
                found.setdefault(name, []).append((token.text, token.pos, token.features))
    return found


def comes_back(word: Word) -> bool:
    """Whether the lemma of a word, put into the form of the word, is the word again; e may stand for ё in it."""
    form, found = word_form(*word), analysis(*word)
    return form is not None and found is not None and inflect(form.lemma, form) == found.form


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--worst", type=int, default=10, help="the most frequent words that do not come back")
    given = parser.parse_args()
    found = words_of(given.texts)
    morphology(), count_of("")
    table = Table("class", "tokens", "come back", "per cent", "a second, first", "a second, again")
    failed: Counter[Word] = Counter()
    for name, words in sorted(found.items()):
        times = []
        for _ in range(2):
            began = time.perf_counter()
            back = [comes_back(word) for word in words]
            times.append(time.perf_counter() - began)
        failed.update(word for word, good in zip(words, back, strict=True) if not good)
        rates = (f"{len(words) / seconds:,.0f}" for seconds in times)
        table.add_row(name, f"{len(words):,}", f"{sum(back):,}", f"{100 * sum(back) / len(words):.2f}", *rates)
    Console().print(table)
    for (word, pos, features), count in failed.most_common(given.worst):
        print(f"{count}  {word}  {pos}  {features}")


if __name__ == "__main__":
    main()
