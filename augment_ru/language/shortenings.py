"""Matches abbreviations with the words that they stand for, in all cases: «ул.» for «улице», «г-ну» for «господину»."""

from functools import cache, lru_cache

from augment_ru.language.inflection import inflect, known_forms, noun_of
from augment_ru.language.numerals import NUMERAL_CASES
from augment_ru.resources import dictionary_path, rows, same_word

_PLURALS = {"годы": "год", "века": "век"}


@cache
def shortenings() -> tuple[tuple[str, str, str], ...]:
    """Read the dictionary of abbreviations: the kind of each («unit» for «км»), the abbreviation, the full words."""
    return tuple((kind, short, words) for kind, short, words in rows(dictionary_path("shortenings"), columns=3))


@lru_cache(maxsize=10_000)
def phrase_in(words: str, case: str) -> str:
    """Put a phrase of the dictionary of abbreviations into a case; only its words with «*» change.

    «Российская* Федерация*» in `gent` is «Российской Федерации». A phrase in the plural stays in the plural.

    Args:
        words: the phrase in the nominative.
        case: the case by its name in pymorphy3.
    """
    marked = [word.removesuffix("*") for word in words.split(" ") if word.endswith("*")]
    heads = [one for one in known_forms(marked[-1].lower()) if one.case == "nomn"]
    head = min(heads, key=lambda one: one.kind != "NOUN")
    number = "plur" if head.number == "plur" else "sing"
    found = []
    for word in words.split(" "):
        if word.endswith("*"):
            form = next(one for one in known_forms(word[:-1].lower()) if one.case == "nomn")
            marks = [case, number] if form.kind == "NOUN" or number == "plur" else [case, number, head.gender]
            marks += ["inan"] if form.kind != "NOUN" and case == "accs" else []
            new = inflect(form.lemma, form.having(*marks)) or word[:-1].lower()
            parts = zip(new.split("-"), word.split("-"), strict=False)
            found.append("-".join(part.capitalize() if old[0].isupper() else part for part, old in parts))
        else:
            found.append(word)
    return " ".join(found)


def unit_forms(kind: str, words: str) -> tuple[str, ...]:
    """Return all forms of a noun that its abbreviation may stand for: «км» for «километр», «километра» and so on.

    Args:
        kind: the kind of the abbreviation in the dictionary, such as `unit` («км») or `time` («г.»).
        words: the noun in the nominative. Of «годы» and «века» only plural forms are returned; of other nouns of the
            kinds `time` and `region` only singular ones.
    """
    noun = noun_of(_PLURALS.get(words, words))
    if noun is None:
        return (words,)
    numbers = ("plur",) if words in _PLURALS else ("sing",) if kind in {"time", "region"} else ("sing", "plur")
    cases = (*NUMERAL_CASES, "loc2")
    found = (inflect(noun.lemma, noun.having(number, case)) or words for number in numbers for case in cases)
    return tuple(dict.fromkeys("годов" if kind == "time" and form == "лет" else form for form in found))


def like_title(short: str, form: str, words: str) -> str:
    """Give an abbreviation with a hyphen the ending of its full form: «г-н» for «господину» is «г-ну».

    Args:
        short: the abbreviation; one without a hyphen is returned as it is.
        form: the full word in its case.
        words: the full word in the nominative.
    """
    stem = words[:-1] if words[-1] in "аья" else words
    return short.rstrip("а") + form[len(stem) :] if "-" in short else short


@cache
def every_form(kind: str, words: str) -> tuple[str, ...]:
    """Return all forms of the words that an abbreviation of the dictionary stands for.

    Args:
        kind: the kind of the abbreviation in the dictionary, such as `unit`.
        words: the full words in the nominative; of several words, only those with «*» change. Words of the kinds
            `phrase`, `chat` and `read` have one form.
    """
    if kind in {"phrase", "chat", "read"} or words == "имени":
        return (words,)
    if kind in {"unit", "time", "region"}:
        return unit_forms(kind, words)
    starred = words if "*" in words else f"{words}*"
    return tuple(dict.fromkeys(phrase_in(starred, case) for case in NUMERAL_CASES))


@lru_cache(maxsize=20_000)
def stands_for(one: str, other: str) -> bool:
    """Tell whether one of two texts is an abbreviation of the other: «ул.» and «улице».

    >>> stands_for("улице", "ул."), stands_for("улице", "пл.")
    (True, False)
    """
    return _bare(one) in _pairs().get(_bare(other), ()) or _bare(other) in _pairs().get(_bare(one), ())


def _bare(text: str) -> str:
    return same_word(text).replace(".", "").replace(" ", "").replace("\u00a0", "")


@cache
def _pairs() -> dict[str, set[str]]:
    """Map the forms of words, without spaces, to their abbreviations."""
    found: dict[str, set[str]] = {}
    for kind, short, words in shortenings():
        for form in every_form(kind, words):
            found.setdefault(_bare(form), set()).add(_bare(like_title(short, form, words)))
    return found
