"""Слово пишется латиницей: «привет, щенок» → «privet, schenok»."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import ClassVar, NamedTuple

import numpy as np

from augment_ru.draws import Ints, Streams
from augment_ru.editing.respelling import UNITS, respell
from augment_ru.editing.targets import check_targets
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.errors import AugmentError, check_known
from augment_ru.resources import dictionary_path, folder, rows
from augment_ru.text.batch import Batch
from augment_ru.text.characters import DIGIT, WORD, Codes, counted

LEFT_OUT = "-"
"""As a spelling: the letter is left out. In the column of following letters: any letter without a line of its own."""


class _Before(NamedTuple):
    """A row that replaces the usual row of a letter before certain letters, the `followers`."""

    usual: int
    row: int
    followers: Ints


class Spellings:
    """Spells words in another alphabet, by arrays that are read from a dictionary.

    The columns of the dictionary are: a letter; the letters before which it has these spellings, or `-` for all; the
    spellings, likelier ones first. Each line is a row of the arrays.

    Args:
        name: the name of the dictionary, or a path that ends in .tsv.

    Attributes:
        row_of: for each code point, its row for any following letter; -1 if it has no such row; shape (largest code
            point + 2,).
        case_of: 1 for each small letter, 2 for each capital, 0 for other characters; of the same shape.
        before: the rows for letters that are spelled otherwise before certain letters.
        bounds: the cumulative probabilities of the spellings in each row, the last of them 1; shape (rows, largest
            number of spellings).
        firsts: the index in `texts` of the first text of each row, shape (rows,).
        texts: three texts for each spelling: in lower case, with a capital at its start, and in capitals.
        lasting: whether each code point is a letter whose spellings are never empty; of the same shape as `row_of`.

    Raises:
        AugmentError: there is no such dictionary, or one of its lines is malformed.
    """

    def __init__(self, name: str) -> None:
        table = {(letter, behind): cell.split(" ") for letter, behind, cell in rows(dictionary_path(name), columns=3)}
        letters = {letter for letter, behind in table if behind == LEFT_OUT}
        for (letter, behind), found in table.items():
            _check(name, letter, behind, found, letters)

        size = max([_LATIN, *(ord(char) + 2 for letter in letters for char in (letter, letter.upper()))])
        self.case_of = np.array([_case(chr(code)) for code in range(size)], dtype=np.int8)
        self.row_of = np.full(size, -1, dtype=np.int16)
        width = max(map(len, table.values()), default=1)
        self.bounds = np.ones((len(table), width))
        texts: list[str] = []
        firsts, before = [], []
        general = sorted(table, key=lambda key: key[1] != LEFT_OUT)  # so that a letter's row is known before its others
        for row, (letter, behind) in enumerate(general):
            found = table[letter, behind]
            firsts.append(len(texts))
            for spelling in ("" if spelling == LEFT_OUT else spelling for spelling in found):
                texts += (spelling, spelling[:1].upper() + spelling[1:], spelling.upper())
            weights = [2.0**-number for number in range(len(found))]
            self.bounds[row, : len(found) - 1] = list(accumulate(weight / sum(weights) for weight in weights))[:-1]
            if behind == LEFT_OUT:
                self.row_of[[ord(letter), ord(letter.upper())]] = row
            else:
                followers = np.array([ord(char) for one in behind for char in (one, one.upper())], dtype=np.int64)
                before.append(_Before(int(self.row_of[ord(letter)]), row, followers))
        dropped = {letter for (letter, _), found in table.items() if LEFT_OUT in found}
        self.lasting = np.zeros(size, dtype=np.bool_)
        self.lasting[[ord(char) for letter in letters - dropped for char in (letter, letter.upper())]] = True
        self.before, self.firsts, self.texts = before, np.array(firsts), Replacements.of(texts)

    def spelled(self, batch: Batch, streams: Streams, starts: Ints, stops: Ints) -> Replacements:
        """Spell words in the other alphabet, and return the new texts; characters without a spelling stay.

        If a letter has several spellings, one is drawn. If a capital is spelled by several letters, only the first is a
        capital («Щ» gives "Shch"), except in a word in capitals.

        Args:
            batch: the texts.
            streams: the random draws of each text.
            starts: the global places (offsets in `batch.codes`) where the words start.
            stops: the global places where they stop.
        """
        lengths = stops - starts
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(starts - offsets[:-1], lengths) + np.arange(int(offsets[-1]))
        here, behind = self.keys(batch.codes[places]), self.keys(batch.codes[places + 1])
        rows = self.row_of[here].astype(np.int64)
        for usual, row, followers in self.before:
            rows[(rows == usual) & np.isin(behind, followers)] = row
        found = np.flatnonzero(rows >= 0)
        rows = rows[found]

        points = batch.draw(streams, places[found], lane=1)
        chosen = (points[:, None] >= self.bounds[rows]).sum(axis=1)
        case, following = self.case_of[here[found]], self.case_of[behind[found]]
        preceding = self.case_of[self.keys(batch.codes[places[found] - 1])]
        in_capitals = (following == _CAPITAL) | ((following == 0) & (preceding == _CAPITAL))
        numbers = self.firsts[rows] + 3 * chosen + np.where(case == _CAPITAL, 1 + in_capitals, 0)

        pool = np.concatenate([self.texts.codes, batch.codes[places]])
        first = self.texts.codes.size + np.arange(places.size)
        last = first + 1
        first[found], last[found] = self.texts.offsets[numbers], self.texts.offsets[numbers + 1]
        letters = Replacements.of_ranges(pool, first, last)
        return Replacements(letters.codes, letters.offsets[offsets])

    def keys(self, codes: Codes) -> Ints:
        """Return the index in `row_of` of each code point; those beyond the array have the index of its last entry."""
        return np.minimum(codes, self.row_of.size - 1).astype(np.int64)


_SMALL, _CAPITAL = 1, 2


_LATIN = 0x180
"""All code points below this one are in the columns, so that their case is known even if the table lacks them."""


def _case(char: str) -> int:
    return _SMALL if char.islower() else _CAPITAL if char.isupper() else 0


def _check(name: str, letter: str, behind: str, found: Iterable[str], letters: set[str]) -> None:
    """Check a line of a dictionary of spellings.

    Args:
        name: the name of the dictionary, for messages.
        letter: the letter of the line.
        behind: the letters in front of which the line holds, or `-`.
        found: the spellings.
        letters: the letters that have a line with `-`.

    Raises:
        AugmentError: `letter` is not a small letter with a capital, or has no line with `-`; `behind` is neither
            letters nor `-`; or a spelling is empty or contains letters of the table.
    """
    if len(letter) != 1 or not letter.islower() or len(letter.upper()) != 1:
        raise AugmentError(f"{name}: '{letter}' is no small letter; write one letter with a capital")
    if letter not in letters:
        raise AugmentError(f"{name}: {letter}: only before '{behind}'; add a line with - in the second column")
    if behind != LEFT_OUT and not behind.isalpha():
        raise AugmentError(f"{name}: {letter}: '{behind}' are no letters; write the letters behind it, or -")
    if any(not spelling or set(spelling) & letters for spelling in found):
        raise AugmentError(f"{name}: {letter}: spellings '{' '.join(found)}'; write other letters, one space between")


@dataclass(frozen=True, slots=True)
class Transliteration(Attack):
    """Write Russian words in Latin letters.

    A word is not changed if it has letters that are neither Russian nor Latin, or marks on letters.

    Args:
        style: `chat`, as people write; `icao`, as in passports; `gost`, GOST 7.79-2000, system B; or the path of a
            `.tsv` file. Its columns are: a letter; the letters before which it has these spellings, or `-` for all; the
            spellings, likelier ones first.
        unit: what is written in Latin letters as a whole. `word`: each word by itself. `run`: the first few words of a
            sentence. `sentence`: a sentence. `message`: the whole text. The probability is the share of the words, of
            the sentences (for `run`, too) or of the texts that change.
        targets: with `unit=word`, which words change. `content`: any, but content words change first. `lexicon`: only
            words that moderation looks for. `random`: any, with equal chances. A path of a text file: only the words in
            it, one in each line.

    Raises:
        AugmentError: there is no such style, unit or word list, or a line of a file is malformed.
    """

    group: ClassVar[str] = "people"
    probability: float = 0.2
    style: str = "chat"
    unit: str = "run"
    targets: str = "content"

    def __post_init__(self) -> None:
        check_known(f"{self.name}.unit", self.unit, UNITS)
        check_targets(self.targets)
        _table(self.style)  # so that an unknown style is an error before the run starts

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose to write words in Latin letters: single words, or all words of a sentence or text (option `unit`)."""
        table = _table(self.style)
        (starts, stops), keys = batch.words, table.keys(batch.codes)
        is_latin = ((batch.codes | _CASE) >= ord("a")) & ((batch.codes | _CASE) <= ord("z"))
        is_known = (batch.flags & DIGIT != 0) | (table.row_of[keys] >= 0) | is_latin
        is_strange = (batch.flags & WORD != 0) & ~is_known
        chosen = (counted(table.lasting[keys], starts, stops) > 0) & (counted(is_strange, starts, stops) == 0)
        starts, stops = starts[chosen], stops[chosen]

        def replace(indices: Ints) -> Replacements:
            return table.spelled(batch, streams, starts[indices], stops[indices])

        return respell(batch, streams, (starts, stops), replace, unit=self.unit, targets=self.targets)


_CASE = np.uint32(0x20)
"""The bit in which capitals and small letters of ASCII differ."""
_FILES = "transliteration_"


@cache
def _table(style: str) -> Spellings:
    """Return the spellings of a style.

    Raises:
        AugmentError: there is no such style, or a line of its file is malformed.
    """
    known = [path.stem.removeprefix(_FILES) for path in folder("dictionaries").glob(f"{_FILES}*.tsv")]
    if style.endswith(".tsv"):
        return Spellings(style)
    check_known("style of transliteration", style, known)
    return Spellings(f"{_FILES}{style}")
