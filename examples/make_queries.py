"""Write a small search in BEIR's layout: corpus.jsonl, queries.jsonl and qrels.jsonl.

    python examples/make_queries.py

The documents are the sentences of examples/domains. A query has the four longest words of a sentence.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

WORDS, LETTERS, QUERIES = 4, 5, 400
"""The words of a query, the fewest letters of each, and the most queries."""


def write(name: str, rows: Iterable[dict[str, Any]]) -> None:
    """Write rows as JSON lines."""
    Path(name).write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")


def query(text: str) -> str:
    """Return the longest words of a text in their order; nothing if it has too few long ones."""
    words = re.findall(r"\w+", text)
    longest = sorted(range(len(words)), key=lambda at: -len(words[at]))[:WORDS]
    if len(longest) < WORDS or len(words[longest[-1]]) < LETTERS:
        return ""
    return " ".join(words[at] for at in sorted(longest))


lines = [
    line
    for name in ("test", "train")
    for line in Path(f"examples/domains/{name}.jsonl").read_text(encoding="utf-8").splitlines()
]
rows = [json.loads(line) for line in lines]
queries = [{"_id": f"q{row['id']}", "text": text} for row in rows if (text := query(row["text"]))][:QUERIES]
write("corpus.jsonl", [{"_id": str(row["id"]), "text": row["text"]} for row in rows])
write("queries.jsonl", queries)
write("qrels.jsonl", [{"query-id": one["_id"], "corpus-id": one["_id"][1:], "score": 1} for one in queries])
