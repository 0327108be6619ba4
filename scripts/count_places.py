"""Count the places of the rules of misspelling in running text, and write them into dictionaries/misspell.tsv.

python scripts/count_places.py sentences.jsonl
"""

import json
import re
import sys
from pathlib import Path

import numpy as np

from augment_ru.attacks.misspell.letter_rules import LetterRule, Words
from augment_ru.resources import dictionary_path

_WORD = re.compile("[а-яё]+(?:-[а-яё]+)*")
_WORDS = 23_500
"""The number of words of the blogs in which the errors were counted."""
_COUNTED = {"Б(->)Б": 198.0, "Б(-> )Б": 198.0}
"""Places of rules in the blogs, which have twice as many hyphens: between what they and the sentences have."""


def main() -> None:
    """Read rows with a `text`, count, and rewrite the dictionary."""
    texts = [json.loads(line)["text"].lower() for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
    words = [word for text in texts for word in _WORD.findall(text)]
    columns = Words(words)
    path = dictionary_path("misspell")
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            lines.append(line)
            continue
        kind, rule, errors, _, example = line.split("\t")
        _, weights = LetterRule(rule).places(columns)
        places = _COUNTED.get(rule, float(np.sum(weights)) / len(words) * _WORDS)
        lines.append("\t".join((kind, rule, errors, f"{max(places, float(errors)):.4g}", example)))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
