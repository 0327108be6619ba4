"""The data files: their folders, and dictionaries read from them."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from augment_ru.errors import AugmentError, unknown

PACKAGE = Path(__file__).resolve().parent
_INSTALLED = PACKAGE / "data"


def folder(kind: str) -> Path:
    """The folder `dictionaries`, `constraints` or `prompts`: in an installed package, or beside it in a checkout."""
    return (_INSTALLED if _INSTALLED.is_dir() else PACKAGE.parent) / kind


def dictionary_path(name: str) -> Path:
    """The file of a dictionary: the name of a shipped one, or the path of another, which ends in .tsv.

    Raises:
        AugmentError: there is no such dictionary.
    """
    path = Path(name) if name.endswith(".tsv") else folder("dictionaries") / f"{name}.tsv"
    if not path.is_file():
        raise unknown("dictionary", name, (known.stem for known in folder("dictionaries").glob("*.tsv")))
    return path


def rows(path: Path, columns: int) -> Iterator[tuple[str, ...]]:
    """The rows of a dictionary: tab-separated columns; empty lines and lines that start with `#` are skipped.

    Raises:
        AugmentError: a line has another number of columns, or the file is not UTF-8.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise AugmentError(f"{path.name}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if line and not line.startswith("#"):
            cells = tuple(line.split("\t"))
            if len(cells) != columns:
                raise AugmentError(f"{path.name}: line {number}: {len(cells)} columns, not {columns}")
            yield cells


@cache
def dictionary(name: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """A dictionary of replacements: from (lemma, part of speech) to its replacements, the best first.

    Raises:
        AugmentError: there is no such dictionary, or a line of it is wrong.
    """
    return {(lemma, pos): tuple(found.split(" ")) for lemma, pos, found in rows(dictionary_path(name), columns=3)}


@cache
def name_heads() -> dict[str, str]:
    """Nouns that form a name with an adjective or a genitive, and the label of the name: «море» → LOC."""
    return {noun: label for noun, label, *_ in rows(dictionary_path("name_heads"), columns=2)}


@cache
def denials() -> dict[str, str]:
    """Words that deny, and words that only look like it: lemma with е for ё → "denies" or "affirms"."""
    return {lemma: what for lemma, what, *_ in rows(dictionary_path("denials"), columns=2)}


def common_abbreviations() -> frozenset[str]:
    """Abbreviations that name no one, in capitals: «ДНК», «НДФЛ»."""
    return frozenset(found for found, *_ in rows(dictionary_path("abbreviations"), columns=1))
