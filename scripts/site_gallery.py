"""The gallery of attacks on the documentation site: every attack runs on the same texts, now."""

import inspect
import json
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path

from augment_ru import Augmenter, AugmentError, Result, registry
from augment_ru.engine.result import parts
from augment_ru.jobs.list import headings

_EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "reviews.jsonl"
_SHOWN = 3
"""The number of examples of an attack."""
_SEED = 42
_TAGS = {"kept": ("", ""), "removed": ("<del>", "</del>"), "added": ("<ins>", "</ins>")}

_WORDS = {
    "en": {
        "text": "text", "similarity": "similarity", "none": "No text of the gallery has such a change.",
        "weights": "Runs a network; its weights are not part of the package, so there is no example here.",
        "options": "options", "of": "of", "changed": "texts changed", "gate": "rejected by the gate",
    },
    "ru": {
        "text": "текст", "similarity": "сходство", "none": "В текстах галереи такую замену сделать негде.",
        "weights": "Использует нейросеть; веса не входят в пакет, поэтому примера здесь нет.",
        "options": "параметры", "of": "из", "changed": "текстов изменено", "gate": "отклонено порогом сходства",
    },
}  # fmt: skip


def gallery(language: str) -> str:
    """Return the part of the page with all attacks, in their groups.

    Args:
        language: en or ru.
    """
    texts = [json.loads(line)["text"] for line in _EXAMPLES.read_text(encoding="utf-8").splitlines()]
    return "\n".join(_lines(texts, language))


def _lines(texts: list[str], language: str) -> Iterator[str]:
    made = {name: registry.find("attacks", "attack", name) for name in registry.names("attacks")}
    for group, title in headings(language).items():
        names = [name for name, attack in made.items() if attack.group == group]
        if names:
            yield f"## {title[0].upper() + title[1:]}\n"
        for name in names:
            yield f"### {name}\n"
            yield from _entry(name, made[name], texts, _WORDS[language], language)


def _entry(name: str, attack: type, texts: list[str], words: dict[str, str], language: str) -> Iterator[str]:
    about = sys.modules[attack.__module__] if language == "ru" else attack
    summary = (inspect.getdoc(about) or "").split("\n", 1)[0]
    yield f"{_marked(summary)} [{words['options'].capitalize()}](attacks.md#{name})\n"
    try:
        results = _results(name, tuple(texts))
    except AugmentError as error:
        if "augment-ru models pull" not in str(error) and "models]" not in str(error):
            raise
        yield f"{words['weights']}\n"
        return
    changed = [result for result in results if result.status == "perturbed"]
    rejected = sum(result.status == "rejected" for result in results)
    if not changed:
        yield f"{words['none']}\n"
        return
    yield f"| {words['text']} | {words['similarity']} |\n|---|---|"
    for result in changed[:_SHOWN]:
        yield f"| {_shown(result)} | {result.similarity} |"
    counted = f"{len(changed)} {words['of']} {len(results)} {words['changed']}"
    failed = f", {rejected} {words['gate']}" if rejected else ""
    yield f"\n<small>{counted}{failed}</small>\n"


@cache
def _results(name: str, texts: Sequence[str]) -> list[Result]:
    """Run an attack on the texts, once for both languages."""
    return list(Augmenter(name, seed=_SEED).texts(texts))


def _shown(result: Result) -> str:
    """Return the text with its changes marked, as a table cell in which no character is read as Markdown."""
    cell = "".join(f"{_TAGS[part.kind][0]}{_escaped(part.text)}{_TAGS[part.kind][1]}" for part in parts(result.script))
    return f"<span>{cell}</span>"


def _escaped(text: str) -> str:
    shown = escape(text).replace("\n", "<br>")
    return re.sub(r"[\\`*_{}\[\]|~^]", lambda found: f"&#{ord(found[0])};", shown)


def _marked(summary: str) -> str:
    return re.sub(r"[\\*_{}\[\]|]", lambda found: f"&#{ord(found[0])};", summary)
