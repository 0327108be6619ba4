"""Finds the data files of this package, and reads the dictionaries among them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from math import inf, nan
from pathlib import Path
from typing import NamedTuple

from augment_ru.errors import AugmentError, unknown

PACKAGE = Path(__file__).resolve().parent
_INSTALLED = PACKAGE / "data"

NO_PHRASES = "-"
"""What a cell of a dictionary holds if it has no phrases."""

Phrase = tuple[frozenset[str], ...]
"""A phrase: for each position, the words that may stand there. `лучш*` stands for all words that begin with «лучш»."""


def folder(kind: str) -> Path:
    """Return the path of a data folder: `dictionaries`, `constraints`, `prompts` or `tasks`.

    In an installed package it lies in `augment_ru/data`; in a source tree, in the folder that holds `augment_ru`.
    """
    return (_INSTALLED if _INSTALLED.is_dir() else PACKAGE.parent) / kind


def dictionary_path(name: str) -> Path:
    """Return the path of a dictionary, given the name of a shipped one or the path of any other `.tsv` file.

    Raises:
        AugmentError: there is no such dictionary.
    """
    path = Path(name) if name.endswith(".tsv") else folder("dictionaries") / f"{name}.tsv"
    if not path.is_file():
        raise unknown("dictionary", name, (known.stem for known in folder("dictionaries").glob("*.tsv")))
    return path


SMALL, LARGE = 2**20, 2**28
"""The most bytes of a settings file, and of any other file that is read as a whole."""


def file_text(path: Path, where: str | None = None, *, most: int = LARGE, what: str = "a text file") -> str:
    """Read a UTF-8 file that a user gave, and return its text without a byte-order mark.

    At most one byte more than `most` is read, so an endless file such as a pipe does no harm.

    Args:
        path: the file.
        where: its name in messages; by default the path.
        most: how many bytes the file may have.
        what: what kind of file is wanted, for messages.

    Raises:
        AugmentError: the file cannot be read, is longer than `most`, or is not in UTF-8.
    """
    data = file_bytes(path, where, most=most, what=what)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise AugmentError(f"{where or path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error


def file_bytes(path: Path, where: str | None = None, *, most: int = LARGE, what: str = "a file") -> bytes:
    """Read a file that a user gave, and return its bytes.

    At most one byte more than `most` is read, so an endless file such as a pipe does no harm.

    Args:
        path: the file.
        where: its name in messages; by default the path.
        most: how many bytes the file may have.
        what: what kind of file is wanted, for messages.

    Raises:
        AugmentError: the file cannot be read, or is longer than `most` bytes.
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
    """Yield the rows of a dictionary, split at tabs; empty lines and lines that start with `#` are skipped.

    Args:
        path: the file.
        columns: how many columns a line has.
        default: the value of the last column for lines that lack it; None if all lines must have all columns.

    Raises:
        AugmentError: a line has another number of columns, or the file cannot be read as UTF-8.
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
    """Read a dictionary of replacements.

    Args:
        name: the name of a shipped dictionary, or the path of any other `.tsv` file.

    Returns:
        For each pair of a lemma and a part of speech, the words that may replace it, the best first.

    Raises:
        AugmentError: there is no such dictionary, or one of its lines is malformed.
    """
    return {(lemma, pos): tuple(found.split(" ")) for lemma, pos, found, _ in _replacements(name)}


@cache
def exceptions(name: str) -> dict[tuple[str, str], tuple[Phrase, ...]]:
    """Read, from a dictionary of replacements, the phrases in which a word must not be replaced.

    For example, «время» does not become ⏰ in «во время». The phrases stand in the optional fourth column, in the form
    that `phrases_in` describes.

    Args:
        name: the name of a shipped dictionary, or the path of any other `.tsv` file.

    Returns:
        The phrases for each pair of a lemma and a part of speech; words without phrases are absent.

    Raises:
        AugmentError: there is no such dictionary, or one of its lines is malformed.
    """
    path = dictionary_path(name)
    found = {
        (lemma, pos): phrases_in(f"{path.name}: {lemma} {pos}", cell) for lemma, pos, _, cell in _replacements(name)
    }
    return {key: phrases for key, phrases in found.items() if phrases}


def _replacements(name: str) -> Iterator[tuple[str, ...]]:
    return rows(dictionary_path(name), columns=4, default=NO_PHRASES)


@cache
def lemmas_in(read: Callable[[str], Mapping[tuple[str, str], object]], name: str) -> frozenset[str]:
    """Return the lemmas of a dictionary.

    Args:
        read: a function from the name of a dictionary to a mapping whose keys are a lemma and a part of speech.
        name: the name of a shipped dictionary, or the path of any other `.tsv` file.

    Raises:
        AugmentError: there is no such dictionary, or one of its lines is malformed.
    """
    return frozenset(lemma for lemma, _ in read(name))


class Sense(NamedTuple):
    """One sense of a word in a dictionary of synonyms.

    Attributes:
        synonyms: the lemmas that may replace the word, the best first.
        stays: the phrases in which the word is not replaced.
        only: the only phrases in which the word is replaced; empty if it is replaced in any.
    """

    synonyms: tuple[str, ...]
    stays: tuple[Phrase, ...]
    only: tuple[Phrase, ...]


@cache
def senses(name: str) -> dict[tuple[str, str], tuple[Sense, ...]]:
    """Read a dictionary of synonyms.

    Args:
        name: the name of a shipped dictionary, or the path of any other `.tsv` file.

    Returns:
        The senses of each pair of a lemma and a part of speech. Senses that hold only in some phrases come first;
        otherwise senses are in the order of the file.

    Raises:
        AugmentError: there is no such dictionary, or one of its lines is malformed.
    """
    path = dictionary_path(name)
    found: dict[tuple[str, str], tuple[Sense, ...]] = {}
    for lemma, pos, synonyms, stays, only in rows(path, columns=5):
        where = f"{path.name}: {lemma} {pos}"
        sense = Sense(tuple(synonyms.split(", ")), phrases_in(where, stays), phrases_in(where, only))
        found[lemma, pos] = (*found.get((lemma, pos), ()), sense)
    return {key: tuple(sorted(known, key=lambda sense: not sense.only)) for key, known in found.items()}


@cache
def name_heads() -> dict[str, str]:
    """Map nouns that are part of names, such as «море» in «Чёрное море», to the label of the names: LOC or ORG."""
    return {noun: label for noun, label, *_ in rows(dictionary_path("name_heads"), columns=2)}


@cache
def word_lists(name: str) -> dict[str, frozenset[str]]:
    """Read a dictionary whose lines hold a kind and a word; return the set of words of each kind.

    Args:
        name: the name of a shipped dictionary, or the path of any other `.tsv` file.

    Raises:
        AugmentError: there is no such dictionary, or one of its lines is malformed.
    """
    found: dict[str, set[str]] = {}
    for kind, word in rows(dictionary_path(name), columns=2):
        found.setdefault(kind, set()).add(word)
    return {kind: frozenset(words) for kind, words in found.items()}


@lru_cache(maxsize=200_000)
def kinds_in(name: str, word: str) -> frozenset[str]:
    """Return the kinds that a dictionary gives a word; empty if it does not list the word.

    The lines of the dictionary hold a kind and a word.

    Args:
        name: the name of a shipped dictionary, or the path of any other `.tsv` file.
        word: the word.

    Raises:
        AugmentError: there is no such dictionary, or one of its lines is malformed.
    """
    return frozenset(kind for kind, words in word_lists(name).items() if word in words)


def number_in(where: str, cell: str, *, least: float = 0.0, most: float = inf) -> float:
    """Parse a number in a cell of a dictionary.

    Args:
        where: the line of the dictionary, for messages.
        cell: the text of the cell.
        least: the number must be greater than this.
        most: the greatest number that is allowed.

    Raises:
        AugmentError: `cell` is not a number, or is out of range.
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
def listed_in(name: str) -> frozenset[str]:
    """Return the words of a dictionary with one column, such as `shortened_words` («ул», «см») or `units`.

    Raises:
        AugmentError: there is no such dictionary, or a line is malformed.
    """
    return frozenset(word for word, *_ in rows(dictionary_path(name), columns=1))


@cache
def opposites() -> dict[str, frozenset[str]]:
    """Map each lemma to those of opposite or incompatible meaning («ночь» to «день», «утро»); all with е for ё.

    Raises:
        AugmentError: a line of the dictionary is malformed.
    """
    lines = [(left.split(" "), right.split(" ")) for left, right, *_ in rows(dictionary_path("opposites"), columns=2)]
    return mutual((one, other) for left, right in lines for one in left for other in right)


def mutual(pairs: Iterable[tuple[str, ...]]) -> dict[str, frozenset[str]]:
    """Map each word of some pairs, first or second, to all words that it is paired with; all are written with е for ё.

    >>> mutual([("ёж", "ежик"), ("еж", "колючка")])["еж"] == {"ежик", "колючка"}
    True
    """
    found: dict[str, set[str]] = {}
    for pair in pairs:
        one, other = map(same_word, pair)
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


@cache
def denials() -> dict[str, str]:
    """Map lemmas that deny («запретить») to "denies", and those that only look so to "affirms"; with е for ё."""
    return {lemma: what for lemma, what, *_ in rows(dictionary_path("denials"), columns=2)}


def phrases_in(where: str, cell: str) -> tuple[Phrase, ...]:
    """Parse the phrases in a cell of a dictionary, such as `в силу, открыть/закрыть счёт, лучш*`.

    A comma and a space separate phrases, and a space separates words. A slash separates words that may stand in the
    same position. `лучш*` stands for every word that begins so. `,что` stands for a comma and the word «что».

    Args:
        where: the line of the dictionary, for messages.
        cell: the text of the cell.

    Returns:
        The phrases; empty if the cell is `-`.

    Raises:
        AugmentError: a phrase or a word is empty, or has a character that is not allowed there.
    """
    found = []
    for phrase in () if cell == NO_PHRASES else cell.split(", "):
        places = tuple(frozenset(same_word(place).split("/")) for place in phrase.split(" "))
        if any(
            not word.removeprefix(",").removesuffix("*").replace(NO_PHRASES, "").isalpha()
            for place in places
            for word in place
        ):
            remedy = "write «word word», «word/word word» or «beginning*», and a comma and a space between phrases"
            raise AugmentError(f"{where}: the phrase «{phrase}» is not words; {remedy}")
        found.append(places)
    return tuple(found)


def same_word(word: str) -> str:
    """Return a word in the form in which words of phrases are compared: in lower case, with е for ё."""
    return word.lower().replace("ё", "е")
