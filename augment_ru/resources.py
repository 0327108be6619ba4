"""The data files: their folders, and dictionaries read from them."""

from collections.abc import Iterator
from functools import cache, lru_cache
from math import inf, nan
from pathlib import Path
from typing import NamedTuple

from augment_ru.errors import AugmentError, unknown

PACKAGE = Path(__file__).resolve().parent
_INSTALLED = PACKAGE / "data"

NO_PHRASES = "-"
"""A cell of a dictionary without phrases."""

Phrase = tuple[frozenset[str], ...]
"""For each word of a phrase the words that may stand there; one that ends in `*` is the beginning of a word."""


def folder(kind: str) -> Path:
    """The folder `dictionaries`, `constraints`, `prompts` or `tasks`: in an installed package, or beside it."""
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


SMALL, LARGE = 2**20, 2**28
"""The most bytes of a file of settings, and of one that is read as a whole."""


def file_text(path: Path, where: str | None = None, *, most: int = LARGE, what: str = "a text file") -> str:
    """The text of a file that a user gave, in UTF-8, without a byte-order mark; of one without an end no more is read.

    Args:
        path: the file.
        where: its name in messages; by default the path.
        most: how many bytes it may have.
        what: what is wanted, for messages.

    Raises:
        AugmentError: it cannot be read, is longer, or is not in UTF-8.
    """
    data = file_bytes(path, where, most=most, what=what)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise AugmentError(f"{where or path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error


def file_bytes(path: Path, where: str | None = None, *, most: int = LARGE, what: str = "a file") -> bytes:
    """The content of a file that a user gave; the arguments are those of `file_text`.

    Raises:
        AugmentError: it cannot be read, or is longer.
    """
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        name = where if where and path.name in where else path
        raise AugmentError(f"{name}: cannot be read ({reason}); give the path of {what}") from error
    if len(data) > most:
        raise AugmentError(f"{where or path}: over {most:,} bytes; such a file may have no more")
    return data


def rows(path: Path, columns: int, *, default: str | None = None) -> Iterator[tuple[str, ...]]:
    """The rows of a dictionary: tab-separated columns; empty lines and lines that start with `#` are skipped.

    Args:
        path: the file.
        columns: how many columns a line has.
        default: what stands in the last column of a line that lacks it; None: no line may lack it.

    Raises:
        AugmentError: a line has another number of columns, or the file is not UTF-8.
    """
    text = file_text(path, path.name, what="a dictionary")
    for number, line in enumerate(text.split("\n"), start=1):
        if line and not line.startswith("#"):
            cells = tuple(line.split("\t"))
            if default is not None and len(cells) == columns - 1:
                cells = (*cells, default)
            if len(cells) != columns:
                possible = columns if default is None else f"{columns - 1} or {columns}"
                raise AugmentError(f"{path.name}: line {number}: {len(cells)} columns, not {possible}")
            yield cells


@cache
def dictionary(name: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """A dictionary of replacements: from (lemma, part of speech) to its replacements, the best first.

    Raises:
        AugmentError: there is no such dictionary, or a line of it is wrong.
    """
    return {(lemma, pos): tuple(found.split(" ")) for lemma, pos, found, _ in _replacements(name)}


@cache
def exceptions(name: str) -> dict[tuple[str, str], tuple[Phrase, ...]]:
    """The phrases of a dictionary of replacements in which a word stays: from (lemma, part of speech), if it has any.

    They stand in the fourth column, which may be missing; how they are written: `_phrases`.

    Raises:
        AugmentError: there is no such dictionary, or a line of it is wrong.
    """
    path = dictionary_path(name)
    found = {(lemma, pos): _phrases(f"{path.name}: {lemma} {pos}", cell) for lemma, pos, _, cell in _replacements(name)}
    return {key: phrases for key, phrases in found.items() if phrases}


def _replacements(name: str) -> Iterator[tuple[str, ...]]:
    return rows(dictionary_path(name), columns=4, default=NO_PHRASES)


class Sense(NamedTuple):
    """One sense of a word in a dictionary of synonyms.

    Attributes:
        synonyms: lemmas, the best first.
        stays: the phrases in which the word is not replaced.
        only: the phrases in which alone it is replaced; empty if it is anywhere.
    """

    synonyms: tuple[str, ...]
    stays: tuple[Phrase, ...]
    only: tuple[Phrase, ...]


@cache
def senses(name: str) -> dict[tuple[str, str], tuple[Sense, ...]]:
    """A dictionary of synonyms: from (lemma, part of speech) to its senses.

    Senses that stand in some phrases alone come first, then the others; each in the order of the file.

    Raises:
        AugmentError: there is no such dictionary, or a line of it is wrong.
    """
    path = dictionary_path(name)
    found: dict[tuple[str, str], tuple[Sense, ...]] = {}
    for lemma, pos, synonyms, stays, only in rows(path, columns=5):
        where = f"{path.name}: {lemma} {pos}"
        sense = Sense(tuple(synonyms.split(", ")), _phrases(where, stays), _phrases(where, only))
        found[lemma, pos] = (*found.get((lemma, pos), ()), sense)
    return {key: tuple(sorted(known, key=lambda sense: not sense.only)) for key, known in found.items()}


@cache
def name_heads() -> dict[str, str]:
    """Nouns that form a name with an adjective or a genitive, and the label of the name: «море» → LOC."""
    return {noun: label for noun, label, *_ in rows(dictionary_path("name_heads"), columns=2)}


@cache
def word_lists(name: str) -> dict[str, frozenset[str]]:
    """The words of each kind in a dictionary of kinds and words.

    Raises:
        AugmentError: there is no such dictionary, or a line of it is wrong.
    """
    found: dict[str, set[str]] = {}
    for kind, word in rows(dictionary_path(name), columns=2):
        found.setdefault(kind, set()).add(word)
    return {kind: frozenset(words) for kind, words in found.items()}


@lru_cache(maxsize=200_000)
def kinds_in(name: str, word: str) -> frozenset[str]:
    """The kinds of a word in a dictionary of kinds and words; none if it does not stand there.

    Raises:
        AugmentError: there is no such dictionary, or a line of it is wrong.
    """
    return frozenset(kind for kind, words in word_lists(name).items() if word in words)


def number_in(where: str, cell: str, *, least: float = 0.0, most: float = inf) -> float:
    """A number of a dictionary, over `least` and at most `most`; `where` names the line.

    Raises:
        AugmentError: it is none.
    """
    try:
        number = float(cell)
    except ValueError:
        number = nan
    if not least < number <= most:
        wanted = f"over {least:g}" + (f", at most {most:g}" if most < inf else "")
        raise AugmentError(f"{where} {cell}; needs a number {wanted}")
    return number


@cache
def shortened_words() -> frozenset[str]:
    """Words that are written short with a full stop, in lower case: «ул», «см»."""
    return frozenset(word for (word,) in rows(dictionary_path("shortened_words"), columns=1))


@cache
def opposites() -> dict[str, frozenset[str]]:
    """The words of opposite or incompatible meaning of each word: lemmas with е for ё.

    Raises:
        AugmentError: a line of the dictionary is wrong.
    """
    found: dict[str, frozenset[str]] = {}
    for left, right, *_ in rows(dictionary_path("opposites"), columns=2):
        for ones, others in ((left, right), (right, left)):
            for word in ones.split(" "):
                found[word] = found.get(word, frozenset()) | frozenset(others.split(" "))
    return found


@cache
def denials() -> dict[str, str]:
    """Words that deny, and words that only look like it: lemma with е for ё → "denies" or "affirms"."""
    return {lemma: what for lemma, what, *_ in rows(dictionary_path("denials"), columns=2)}


@cache
def common_abbreviations() -> frozenset[str]:
    """Abbreviations that name no one, in capitals: «ДНК», «НДФЛ»."""
    return frozenset(found for found, *_ in rows(dictionary_path("abbreviations"), columns=1))


def _phrases(where: str, cell: str) -> tuple[Phrase, ...]:
    """The phrases of a cell of a dictionary, as in `в силу, открыть/закрыть счёт, лучш*`; none if the cell is `-`.

    Commas separate phrases, spaces words, slashes words that may stand in the same place; `where` names the line.

    Raises:
        AugmentError: a phrase is empty, or one of its words is.
    """
    found = []
    for phrase in () if cell == NO_PHRASES else cell.split(", "):
        places = tuple(frozenset(same_word(place).split("/")) for place in phrase.split(" "))
        if any(not word.removesuffix("*").replace(NO_PHRASES, "").isalpha() for place in places for word in place):
            raise AugmentError(
                f"{where}: the phrase «{phrase}» is not words; write «word word», «word/word word» or «beginning*», "
                f"and a comma and a space between phrases"
            )
        found.append(places)
    return tuple(found)


def same_word(word: str) -> str:
    """A word as phrases are compared: in lower case, with е for ё."""
    return word.lower().replace("ё", "е")
