"""Bits that tell which normalizers a word needs to be read, and edits that name these normalizers."""

from augment_ru.edits import Edit, Note

NAMES = ("skeleton", "masks", "separators", "layout", "transliteration", "stretching", "spelling")
"""The normalizers of words. Bit i of a reading is set if it needs normalizer i. Two further bits may be set:
`WEAK`, if a sign stands for a letter as only in hidden words; `HEARD`, if a word is spelt by its sound on purpose."""
SKELETON, MASKS, SEPARATORS, LAYOUT, SPELT, REPEATED, SPELLING, WEAK, HEARD = (1 << place for place in range(9))


def names_of_bits(bits: int) -> str:
    """Return the names of the normalizers that some bits stand for: `NAMES[i]` for each bit i set, joined by `+`.

    If no bit has a name, the result is `skeleton`.
    """
    return "+".join(name for place, name in enumerate(NAMES) if bits >> place & 1) or NAMES[0]


def read_as(start: int, stop: int, text: str, bits: int) -> Edit:
    """Return an edit whose note names the normalizers that made it.

    Args:
        start: where the replaced word starts in the text.
        stop: where it stops.
        text: the new word.
        bits: the normalizers: bit i is set for `NAMES[i]`.
    """
    return Edit(start, stop, text, Note(kind=names_of_bits(bits)))


BOTH = SKELETON | SPELT
"""The bits of `skeleton` and `transliteration`, which are seldom needed together for one word."""
