"""Make the lines that `augment-ru list` prints."""

import dataclasses
import inspect
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from augment_ru import registry
from augment_ru.constraints.rule_file import constraint, constraint_paths
from augment_ru.engine.attack import GROUPS, Attack
from augment_ru.engine.similarity import similarity_of
from augment_ru.errors import AugmentError
from augment_ru.options import fields_of
from augment_ru.records.groups import grouped
from augment_ru.records.task import task

KINDS = ("attacks", "normalizers", "constraints", "similarities", "tasks", "models")


Words = Mapping[str, Mapping[str, str]]
"""The texts of a language, as kind → name → text. If a text is missing, the English one is shown."""

_ENGLISH: Words = {"groups": GROUPS}


def language_of(environment: Mapping[str, str]) -> str:
    """Return the language of an environment's locale: ru or en.

    >>> language_of({"LANG": "ru_RU.UTF-8"}), language_of({"LC_ALL": "C", "LANG": "ru_RU.UTF-8"}), language_of({})
    ('ru', 'en', 'en')
    """
    stated = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return "ru" if next(filter(None, stated), "").startswith("ru") else "en"


def _words(language: str) -> Words:
    if language == "en":
        return _ENGLISH
    return tomllib.loads(Path(__file__).with_name(f"list_{language}.toml").read_text(encoding="utf-8"))


def headings(language: str) -> Mapping[str, str]:
    """Return the headings of the groups in which attacks are listed.

    Args:
        language: en or ru.
    """
    return _words(language)["groups"]


def listing(kind: str | None, *, verbose: bool, language: str = "en") -> Iterator[str]:
    """Yield the lines that list the attacks, tasks, models or other names of this package.

    Args:
        kind: what is listed, one of `KINDS`, such as "attacks"; None for all kinds, under headings.
        verbose: whether details, such as options and files, are listed as well.
        language: en or ru; examples are in Russian.
    """
    words = _words(language)
    for shown in (kind,) if kind else KINDS:
        if not kind:
            yield f"{words.get('kinds', {}).get(shown, shown)}:"
        indent = "" if kind else "  "
        groups = {group: [*_entries(shown, names, words, verbose=verbose)] for group, names in _groups(shown)}
        width = max(len(name) for entries in groups.values() for name, _, _ in entries)
        for group, entries in groups.items():
            if group:
                yield f"{indent}{words['groups'].get(group, group)}:"
            inner = f"{indent}  " if group else indent
            for name, summary, details in entries:
                yield f"{inner}{name:<{width}}  {words.get(shown, {}).get(name, summary)}"
                if verbose:
                    for detail in details:
                        yield f"{inner}    {_detail(detail, words)}"


def _detail(line: str, words: Words) -> str:
    """Translate a line of details, such as `file: …`. What `words` does not have stays in English."""
    name, colon, value = line.partition(": ")
    known = words.get("details", {})
    return f"{known.get(name, name)}{colon}{known.get(value, value)}"


def _groups(kind: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each group of a kind and the names in it. A kind without groups yields one group named ""."""
    if kind != "attacks":
        yield "", [*constraint_paths()] if kind == "constraints" else registry.names(kind)
        return
    found = {name: registry.find("attacks", "attack", name) for name in registry.names("attacks")}
    names = grouped((getattr(made, "group", Attack.group), name) for name, made in found.items())
    yield from ((group, names[group]) for group in {**GROUPS, **names} if group in names)


def _entries(kind: str, names: Sequence[str], words: Words, *, verbose: bool) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the name, the summary and the lines of details of each entry.

    The similarity `none` and the task `generic`, which are not in `names`, are added.
    """
    if kind in {"attacks", "normalizers"}:
        for name in names:
            made = registry.find(kind, kind[:-1], name)
            summary, example = _summary(made), _example(made)
            shown = _in_english(summary, example) if words is _ENGLISH else example.removesuffix(".")
            yield name, shown, [*_set_lines(name, made)]
    elif kind == "constraints":
        for name in names:
            found = constraint(name)
            labels = ", ".join(dict.fromkeys(rule.label for rule in found.rules))
            yield name, found.why, [f"labels: {labels}", f"file: {constraint_paths()[name]}"]
    elif kind == "similarities":
        for name in names:
            yield from _similarity(name, verbose=verbose)
        yield "none", "No gate: every perturbation passes, unscored.", []
    elif kind == "models":
        for name in names:
            yield _model(name)
    else:
        for name in [*names, "generic"]:
            known = task(name)
            keys = ", ".join(sorted(known.layout.keys)) or "a text in the field 'text', or those of --field"
            fields = ", ".join(known.layout.fields or known.layout.optional)
            shown = words.get("tasks", {}).get("perturbs", "perturbs {fields}").format(fields=fields)
            constraints = ", ".join(known.layout.constraints) or "none"
            yield name, shown, [f"recognised by: {keys}", f"constraints: {constraints}"]


def _model(name: str) -> tuple[str, str, list[str]]:
    made = registry.find("models", "model", name)
    module = sys.modules[made.__module__]
    shown = name.replace("_", "-")
    options = getattr(module, "Options", None)
    listed = dataclasses.fields(options) if options is not None else ()
    details = [f"--model-option {shown}.{option.name}={option.default}" for option in listed]
    return shown, (inspect.getdoc(module) or "").split("\n", 1)[0], [*details, f"file: {inspect.getsourcefile(made)}"]


def _similarity(name: str, *, verbose: bool) -> Iterator[tuple[str, str, list[str]]]:
    made = similarity_of(name)
    if made is None:
        return
    if not verbose:  # a signature may need a digest of all weights
        yield name, _summary(type(made)), []
        return
    try:
        signature = f"signature: {made.signature}"
    except AugmentError as error:  # the model is not in the cache; its options are shown all the same
        signature = f"not ready: {error}"
    yield name, _summary(type(made)), [f"threshold: {made.threshold}", signature, *_set_lines(name, type(made))]


def _set_lines(name: str, made: Any) -> Iterator[str]:  # noqa: ANN401  (any attack's class)
    for option in fields_of(made):
        value = option.default
        shown = ",".join(value) if isinstance(value, tuple) else "none" if value is None else value
        shown = str(shown).lower() if isinstance(value, bool) else shown  # as `--set` reads it
        yield f"--set {name}.{option.name}={shown}"
    yield f"file: {inspect.getsourcefile(made)}"


def _summary(made: Any) -> str:  # noqa: ANN401
    text = (inspect.getdoc(made) or "").split("\n", 1)[0]
    return "" if text.startswith(f"{made.__name__}(") else text  # a dataclass without a docstring of its own


def _in_english(summary: str, example: str) -> str:
    """Return the English summary, followed by the Russian example from its first « on.

    >>> _in_english("Swap words.", "Слова меняются: «а б» → «б а».")
    'Swap words: «а б» → «б а»'
    """
    place = example.find("«")
    return f"{summary.rstrip('.')}: {example[place:].rstrip('.')}" if place >= 0 and summary else summary or example


def _example(made: Any) -> str:  # noqa: ANN401
    """Return the first line of its module's docstring. For an attack, this is a Russian text before and after it."""
    return (inspect.getdoc(sys.modules[made.__module__]) or _summary(made)).split("\n", 1)[0]
