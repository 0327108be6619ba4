"""Люди в записи получают другие имена: «Анну Петрову ждёт Иван» → «Гульнару Сафину ждёт Рустам»."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain, groupby, product, takewhile
from typing import ClassVar, NamedTuple

from augment_ru.draws import Rng, Streams
from augment_ru.editing.replacing import written_like
from augment_ru.editing.style import is_quoted
from augment_ru.edits import Change, Edit, Note
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError, check_known
from augment_ru.language.morphology import CASES, has_reading, is_known, lemmas_of, readings
from augment_ru.language.numerals import NUMERAL_CASES
from augment_ru.language.prepositions import cases_behind
from augment_ru.resources import dictionary_path, rows, same_word
from augment_ru.text.batch import PERSON, Batch
from augment_ru.text.doc import Doc, Token
from augment_ru.text.words import LETTERS

_TAGGED = {"Nom": "nomn", "Gen": "gent", "Dat": "datv", "Acc": "accs", "Ins": "ablt", "Loc": "loct"}
_GENDERS = {"masc": "Masc", "femn": "Fem"}
_PARTS = {"Name": "name", "Patr": "patronymic", "Surn": "surname"}
_PAST_YEAR = re.compile(r"\b(?:1[0-8]\d\d|19[0-4]\d)\b|\bдо н\. ?э\.|\b[XVI]{2,}\b")
_APOSTROPHES = frozenset("'’`‘")


@dataclass(frozen=True, slots=True)
class Names(Attack):
    """Exchange the names of persons for others of the same gender, case and form of address.

    All new names of a record come from one group, such as `tatar`. The same name becomes the same new name everywhere
    in the record. A first name is exchanged for a first name, a patronymic for a patronymic, a surname for a surname.
    An initial follows the name that it stands for. A short name («Лёша») follows the full one («Алексей») if the record
    has just one full name of this gender that it may stand for; otherwise it is a name by itself.

    Some names are not exchanged: names of persons of history and of books; names beside a surname in the plural; names
    in quotations and in the right answer; and names in sentences about another country, the church, rulers or tales.
    Nor is a name exchanged if anything about it, such as its gender, is uncertain somewhere in the record.

    The constraint `named_entities` protects names from other attacks, but not from this one. In tasks whose answer is a
    name or that ask about the world, it protects them from this attack, too (`named` in the task file).

    Args:
        probability: the share of the persons who get another name, in [0, 1].
        groups: the groups of names; one of them is drawn for each record. By default all groups take part.
        words: the dictionary of names.

    Raises:
        AugmentError: there is no such dictionary or group.
    """

    name: ClassVar[str] = "names"
    group: ClassVar[str] = "who"
    layers: ClassVar[frozenset[str]] = frozenset({"entities", "morphology"})
    exchanges: ClassVar[frozenset[str]] = frozenset({PERSON})
    probability: float = 1.0
    groups: tuple[str, ...] = ()
    words: str = "names"

    def __post_init__(self) -> None:
        known = _table(self.words).groups
        for one in self.groups:
            check_known(f"{self.name}.groups", one, known)

    def wants(self, doc: Doc) -> bool:
        """Tell whether one of the words of a text may be part of a name."""
        used, large = _table(self.words).used, (word.lower() for word in doc.forms if word[0].isupper())
        ways = product(large, _GENDERS, (True, False))
        return any(_part(word, gender, used, surname=surname) for word, gender, surname in ways)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose one change for each person in each text; all texts of a record get the same new name for a person."""
        changes: list[list[Change]] = [[] for _ in range(len(batch))]
        numbers = [context.number for context in batch.contexts]
        for first, texts in groupby(range(len(batch)), lambda row: row - numbers[row]):
            members = list(texts)
            tokens = chain.from_iterable(batch.docs[row].tokens for row in members)
            if batch.contexts[first].named or not any(token.entity.endswith(PERSON) for token in tokens):
                continue
            rng = Rng(int(streams.keys[first]))
            for row, change in _exchanged(batch, members, _table(self.words), self.groups, rng):
                changes[row].append(change)
        return Proposals.of_changes(batch, changes)


class _Table:
    """The contents of the dictionary with this name.

    Attributes:
        groups: maps each group to its names, by (part, gender). A short name has the place of its full one; it is "" if
            there is none.
        short: maps each short name to the full ones, in lower case.
        kin: maps each name to all names that may mean the same person, in lower case with е for ё.
        stays: the names of persons who keep them, in lower case with е for ё.
        titles: words before a name that stays, such as titles.
        used: first names that Russian speakers bear, short ones too, in lower case with е for ё.
        world: matches words that tell of another country, the church, rulers or tales, in lower case with е for ё.
    """

    def __init__(self, name: str) -> None:
        self.groups: dict[str, dict[tuple[str, str], list[str]]] = {}
        self.short: dict[str, set[str]] = {}
        self.kin: defaultdict[str, set[str]] = defaultdict(set)
        kept: defaultdict[str, set[str]] = defaultdict(set)
        for group, part, masculine, feminine in rows(dictionary_path(name), columns=4):
            if group != "-":
                found = self.groups.setdefault(group, defaultdict(list))
                for gender, one in (("masc", masculine), ("femn", feminine)):
                    name, _, short = one.partition(" ")
                    found[part, gender].append(name)
                    if part == "name":
                        found["short", gender].append(short)
            elif part == "short":
                self.short[masculine.lower()] = {*feminine.lower().split("/")}
                for full in feminine.split("/"):
                    self.kin[same_word(masculine)].add(same_word(full))
                    self.kin[same_word(full)].add(same_word(masculine))
            else:
                kept[part].add(same_word(masculine))
        if not self.groups:
            raise AugmentError(f"{name}: no names; give lines with a group, a part and two forms")
        self.stays, self.titles = kept["stays"], kept["title"]
        self.used = frozenset(kept["used"] | set(map(same_word, self.short)))
        self.world = re.compile("|".join(kept["world"]))


_table = cache(_Table)


class _Part(NamedTuple):
    """A part of a name as the dictionary of word forms reads it.

    Attributes:
        part: `name`, `short`, `patronymic` or `surname`.
        lemma: its dictionary form in lower case.
        forms: the (gender, case) pairs that it may have.
    """

    part: str
    lemma: str
    forms: frozenset[tuple[str, str]]

    @property
    def is_of_both(self) -> bool:
        """Tell whether men and women may have it."""
        return len({gender for gender, _ in self.forms}) > 1


_Key = tuple[str, str, str]
"""The part, the gender and the lemma of a part of a name."""


class _Mention(NamedTuple):
    """One mention of a person's name.

    Attributes:
        row: the number of the text.
        tokens: the tokens of the name, initials among them.
        parts: the part that each token is; None for an initial.
        gender, case: the gender and the case of all parts; "" if they are not certain.
    """

    row: int
    tokens: Sequence[Token]
    parts: Sequence[_Part | None]
    gender: str
    case: str

    @property
    def keys(self) -> list[_Key]:
        """The part, the gender and the lemma of each part of the name."""
        return [(part.part, self.gender, part.lemma) for part in self.parts if part is not None]

    @property
    def initials(self) -> str:
        """The initials of a first name with a patronymic that have no surname, or are all that is told."""
        kinds = [part and part.part for part in self.parts]
        named = kinds == ["name", "patronymic"]
        letters = [one.text[0].lower() for one, kind in zip(self.tokens, kinds, strict=True) if named or kind is None]
        return "".join(letters) if len(letters) > 1 else ""

    @property
    def lemmas(self) -> list[str]:
        """The lemma of each part of the name, with е for ё."""
        return [same_word(part.lemma) for part in self.parts if part is not None]


def _exchanged(
    batch: Batch, members: Sequence[int], table: _Table, groups: Sequence[str], rng: Rng
) -> Iterator[tuple[int, Change]]:
    """Yield the changes of the texts of one record, each with the number of its text."""
    docs = [batch.docs[row] for row in members]
    found = [one for row, doc in zip(members, docs, strict=True) for one in _mentions(row, doc, table)]
    every = [*_of_known_gender(found)]
    there = {key for one in every for key in one.keys}
    every = [one._replace(gender="", case="") if _is_of_any(one, there, table) else one for one in every]
    mentions = _certain(batch, members, every, table)
    wanted = sorted({key for one in mentions for key in one.keys})
    whole = {key: _whole(key, wanted, table) for key in wanted}
    asked = sorted({*groups} or table.groups)
    possible = [name for name in asked if all(key[:2] in table.groups[name] for key in wanted)]
    if not wanted or not possible:
        return
    group = rng.choice(possible)
    names, new = table.groups[group], dict[_Key, str]()
    used = {same_word(word) for row in members for word in LETTERS.findall(batch.texts[row])}
    places: dict[tuple[str, str], int] = {}
    initials: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for key in wanted:
        part, gender, lemma = key
        if whole[key] not in places:  # man and wife have one surname
            forms = zip(*(names[one[:2]] for one in wanted if whole[one] == whole[key]), strict=True)
            free = [place for place, words in enumerate(forms) if all(words) and used.isdisjoint(map(same_word, words))]
            if not free:
                return
            places[whole[key]] = rng.choice(free)
        new[key] = names[part, gender][places[whole[key]]]
        used.add(same_word(new[key]))
        if part != "surname":
            first = names["name" if part == "short" else part, gender][places[whole[key]]][0]
            initials[whole[key]].update((one[0], first) for one in table.short.get(lemma, [lemma]))
    ranks = {key: rng.uniform() for key in wanted}
    for person in _persons(mentions, whole):
        keys = {key: whole[key] for one in person for key in one.keys}
        letters = {old: first for known in keys.values() for old, first in initials[known].items()}
        for row in dict.fromkeys(one.row for one in person):
            edits = [edit for one in person if one.row == row for edit in _edits(one, new, group, letters)]
            if edits:
                yield row, Change(min(map(ranks.__getitem__, keys)), tuple(sorted(edits)))


def _of_known_gender(mentions: Sequence[_Mention]) -> Iterator[_Mention]:
    """Give a surname with initials the gender of the person whose names are told: «Анна Ковалёва (А. Ковалёва)».

    One that may be a woman's in the nominative or a man's in the genitive gets none if nobody's names are told.
    """
    full = [one for one in mentions if one.gender and any(part and part.part != "surname" for part in one.parts)]
    told = {(mark, one.gender) for one in full for mark in (*one.lemmas[-1:], one.initials)}
    for one in mentions:
        genders = {gender for mark, gender in told if mark and mark in {*one.lemmas, one.initials}}
        forms = [part.forms for part in one.parts if part] if None in one.parts and one.gender else []
        known = frozenset.intersection(*forms) if forms else frozenset()
        if (genders and one.gender not in genders and known) or (not genders and known >= _WHOSE):
            sure = [form for form in known if form[0] in genders]
            gender, case = sure[0] if len(sure) == 1 else ("", "")
            yield one._replace(gender=gender, case=case)
        else:
            yield one


_WHOSE = {("femn", "nomn"), ("masc", "gent")}
"""«Морозова Т. И.» is a woman, or what is a man's."""


def _is_of_any(one: _Mention, there: AbstractSet[_Key], table: _Table) -> bool:
    """Tell whether a person may be a man or a woman: «Саша» without «Александр» or «Александра» in the record."""
    parts, either = [*filter(None, one.parts)], {(gender, one.case) for gender in _GENDERS}
    if not any(either <= part.forms for part in parts) or not all(part.is_of_both for part in parts):
        return False
    return all(("name", one.gender, full) not in there for part in parts for full in table.short.get(part.lemma, ()))


def _whole(key: _Key, wanted: Sequence[_Key], table: _Table) -> tuple[str, str]:
    """Return the part and the lemma of a name; of a short one, those of the only full name that it may stand for."""
    full = [one for one in wanted if one[:2] == ("name", key[1]) and one[2] in table.short.get(key[2], ())]
    return full[0][::2] if key[0] == "short" and len(full) == 1 else key[::2]


def _persons(mentions: Sequence[_Mention], whole: Mapping[_Key, tuple[str, str]]) -> list[list[_Mention]]:
    """Join the mentions that share a part of a name; `whole` is the part and the lemma of each, in full."""
    found: list[tuple[set[tuple[str, str]], list[_Mention]]] = []
    for one in mentions:
        own = {*(whole[key] for key in one.keys), *([("initials", one.initials)] if one.initials else ())}
        same = [known for known in found if not known[0].isdisjoint(own)]
        keys = own.union(*(known[0] for known in same))
        joined = [other for known in same for other in known[1]]
        found = [known for known in found if known not in same] + [(keys, [*joined, one])]
    return [joined for _, joined in found]


def _edits(one: _Mention, new: Mapping[_Key, str], group: str, initials: Mapping[str, str]) -> Iterator[Edit]:
    """Yield the edits of one mention; an initial changes if the record has the name that it may stand for."""
    for token, part in zip(one.tokens, one.parts, strict=True):
        if part is not None:
            name = declined(new[part.part, one.gender, part.lemma], part.part, one.gender, one.case)
            word = written_like(name.lower(), token.text)
        else:
            word = initials.get(token.text[0].lower(), token.text[0]).upper() + token.text[1:]
        if word != token.text:
            yield Edit(token.start, token.stop, word, Note(token.text, group))


def _certain(batch: Batch, members: Sequence[int], every: Sequence[_Mention], table: _Table) -> list[_Mention]:
    """Return the mentions that may change: each part of their names is certain everywhere in the record."""
    text = "\n".join(batch.texts[row] for row in members)
    large = {one.text for row in members for one in batch.docs[row].tokens if one.text.istitle()}
    if _PAST_YEAR.search(text) or any({"Surn", "plur"} <= readings(word)[0].grammemes for word in large):
        return []  # «Пётр и Анна Волковы»: half a family would get new names
    context = batch.contexts[members[0]]
    fixed = {same_word(one) for given in (*context.answers, *context.forbidden) for one in LETTERS.findall(given)}
    held = {lemma for word in fixed for lemma in (word, *map(same_word, lemmas_of(word)))} | table.stays
    before = batch.untouchable_before
    inside = {(one.row, token.start) for one in every if one.case for token in one.tokens}
    for row in members:
        for token in batch.docs[row].tokens:
            if token.text[0].isupper() and (row, token.start) not in inside:
                words = map(same_word, (token.text, *lemmas_of(token.text.lower())))
                held.update(short for word in words for short in _plain(word))
    first = {same_word(part.lemma) for one in every for part in one.parts if part and part.part != "surname"}
    for one in every:
        whose = _plain(one.lemmas[0]).intersection(first) if len(one.parts) == len(one.lemmas) == 1 else set[str]()
        held.update(*([one.lemmas, whose] if whose.difference(one.lemmas) else []))  # «Володина» beside «Володя»
        start, stop = (batch.starts[one.row] + place for place in (one.tokens[0].start, one.tokens[-1].stop))
        if not one.case or before[start] < before[stop]:
            held.update(one.lemmas)
    left = [one for one in every if one.case and any(one.parts)]
    while True:
        kept = [one for one in left if not any(held & {lemma, *table.kin.get(lemma, ())} for lemma in one.lemmas)]
        if len(kept) == len(left):
            return kept
        held.update(lemma for one in left if one not in kept for lemma in one.lemmas)
        left = kept


def _plain(word: str) -> set[str]:
    """Return the names that a form such as «ванька», «олечка», «леха», «олин» may come from, and the word itself."""
    stem = _TENDER.sub("", word)
    return {word, f"{stem}а", f"{stem}я"} if stem != word else {word, re.sub("ха$", "ша", word)}


_TENDER = re.compile("(?:(?:[оеи]ч|ень|ь)?ка|ин)$")


def _mentions(row: int, doc: Doc, table: _Table) -> Iterator[_Mention]:
    """Yield the names of persons in a text; a name that must stay has no case.

    All names stay in a sentence about another country, the church, rulers or a tale, and beside the full name of a
    foreigner.
    """
    at, tokens = 0, doc.tokens
    sentences = list(accumulate((one.text in _ENDS for one in tokens), initial=0))
    elsewhere = {
        sentence
        for sentence, one in zip(sentences, tokens, strict=False)
        if table.world.match(same_word(one.text)) and not one.entity.endswith(PERSON)
    }
    found: dict[int, _Mention] = {}
    while at < len(tokens):
        last = next((one for one in range(at, len(tokens)) if not _belongs(doc, at, one)), len(tokens))
        if last > at:
            found[at] = one = _mention(row, doc, at, last, table)
            if not any(one.parts) and len(one.tokens) > 1 and not any(_is_used(word, table) for word in one.tokens):
                elsewhere.add(sentences[at])
        at = max(last, at + 1)
    for at, one in found.items():
        yield one._replace(gender="", case="") if sentences[at] in elsewhere else one


def _is_used(token: Token, table: _Table) -> bool:
    """Tell whether a word may be a first name that Russian speakers bear."""
    return not table.used.isdisjoint(map(same_word, lemmas_of(token.text.lower())))


def _mention(row: int, doc: Doc, at: int, last: int, table: _Table) -> _Mention:
    """Return the name that begins at token `at` and ends before token `last`."""
    tokens = [one for one in doc.tokens[at:last] if one.text != "."]
    before = doc.tokens[at - 1].text.lower() if at else ""
    beside = doc.tokens[last] if last < len(doc.tokens) else None
    stays = (
        is_quoted(doc.text, tokens[0].start)
        or not {before, *lemmas_of(before)}.isdisjoint(table.titles)
        or before in _APOSTROPHES
        or (at > 0 and doc.tokens[at - 1].entity.endswith(PERSON))
        or (at > 1 and _is_titled(doc.tokens[at - 2], doc.tokens[at - 1]))
        or (beside is not None and (beside.text[0].isupper() or beside.entity == f"I-{PERSON}"))
        or (beside is not None and _is_attribute(tokens[-1], beside))
    )
    parts = _parts(tokens, table)
    opens, cases = at == 0 or doc.tokens[at - 1].text in _ENDS, cases_behind(before) or CASES
    gender, case = ("", "") if stays or parts is None else _form(tokens, parts, cases, opens=opens)
    around = takewhile(lambda one: one.pos != "PUNCT", doc.tokens[last : last + _REACH])
    if case == "nomn" and not _agrees([*doc.tokens[max(at - 2, 0) : at], *around], gender):
        gender = case = ""
    return _Mention(row, tokens, parts or [None] * len(tokens), gender, case)


def _is_titled(before: Token, token: Token) -> bool:
    """Tell whether a word in front of a name belongs to a larger name: «Христофоров Пётр», «Маршал Жуков»."""
    return before.text not in _ENDS and before.text.isalnum() and token.text.istitle() and not token.entity


def _is_attribute(token: Token, following: Token) -> bool:
    """Tell whether a word agrees with the noun after it, as in «Тонькин номер»."""
    return following.pos == "NOUN" and following.text.islower() and _case(token) == _case(following) != ""


def _agrees(tokens: Sequence[Token], gender: str) -> bool:
    """Tell whether the first past tense beside a subject has its gender."""
    past = next((one.features for one in tokens if "Tense=Past" in one.features and "Gender=" in one.features), "")
    return not past or f"Gender={_GENDERS[gender]}" in past


def _belongs(doc: Doc, first: int, at: int) -> bool:
    """Tell whether token `at` belongs to the name of a person that starts at token `first`."""
    token, before = doc.tokens[at], doc.tokens[at - 1]
    named = token.entity.endswith(PERSON) and token.text[0].isupper()
    if at == first:
        return named
    if doc.text[before.stop : token.start] not in {"", " ", "\u00a0"}:
        return False
    return len(before.text) == 1 if token.text == "." else named and not token.entity.startswith("B-")


def _parts(tokens: Sequence[Token], table: _Table) -> list[_Part | None] | None:
    """Return the part that each token of a name is, None for an initial; no list unless each is surely such a part."""
    found: list[_Part | None] = []
    for token in tokens:
        if len(token.text.rstrip(".")) == 1:
            found.append(None)
            continue
        gender = "femn" if "Gender=Fem" in token.features else "masc"
        named = any(one and one.part in {"name", "short"} for one in found)
        part = _part(token.text.lower(), gender, table.used, surname=named)
        if part is None or (part.part == "name" and _FAMILIAR.search(part.lemma)):
            return None  # «Ванька» has no like in other groups
        if part.part == "name" and part.lemma in table.short:
            part = part._replace(part="short")
        found.append(part)
    names = [one.part for one in found if one is not None]
    backwards = names[:1] == ["surname"] and len(names) == _BOTH
    unsure = len(tokens) == 1 and not _is_certain_alone(tokens[0].text.lower())
    unsure |= names == ["name"] and same_word(next(filter(None, found)).lemma) not in table.used
    return None if len(names) > len(set(names)) or backwards or unsure else found


@cache
def _part(word: str, likely: str, used: frozenset[str], *, surname: bool) -> _Part | None:
    """Return what part of a name a word in lower case is; None if it is no name, or may be two names of a gender.

    Args:
        word: the word.
        likely: the gender of the name that is meant if the word may be two names: «Александра».
        used: of two names of this gender one of these is meant, in lower case with е for ё.
        surname: whether the word follows a first name, so that it cannot be one.
    """
    forms: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for one in readings(word):
        part = next((_PARTS[mark] for mark in _PARTS if mark in one.grammemes), "")
        if not part or "sing" not in one.grammemes or not (one.known or part == "surname"):
            continue
        genders = _GENDERS if {"ms-f", "Ms-f"} & one.grammemes else one.grammemes & _GENDERS.keys()
        pairs = {(gender, case) for gender in genders for case in one.grammemes & CASES}
        lemma = same_word(one.lemma) if part == "surname" else one.lemma  # «Сергачев», «Сергачёв»
        forms.setdefault((part, lemma), set()).update(pairs)
    if not forms and (surname or not is_known(word)):
        forms = _by_ending(word)
    if not forms:
        return None
    order = ("surname", "name", "patronymic") if surname else ("name", "patronymic", "surname")
    part = min((one for one, _ in forms), key=order.index)
    same = [one for known, one in forms if known == part]
    if len(same) > 1:
        likeliest = [one for one in same if any(gender == likely for gender, _ in forms[part, one])]
        same = [one for one in likeliest if same_word(one) in used] if len(likeliest) > 1 else likeliest
    if len(same) != 1 or (surname and part == "name"):
        return None
    return _Part(part, same[0], frozenset(forms[part, same[0]]))


def _is_certain_alone(word: str) -> bool:
    """Tell whether a name of one word, in lower case, is in the dictionary or surely a Russian surname: «Степанищев».

    «Тонькин» may be an adjective, and a word such as «Эрхина» the first name of a woman.
    """
    if is_known(word):
        return True
    stem, end, _ = word.rpartition("ин")
    return bool(_CERTAIN.fullmatch(word)) and not (end and any(has_reading(stem + vowel, "Name") for vowel in "ая"))


def _by_ending(word: str) -> dict[tuple[str, str], set[tuple[str, str]]]:
    """Read a word that the dictionary lacks as a Russian surname: «Шекальникова», «Разумовского».

    Returns:
        Maps ("surname", stem) to the (gender, case) pairs that the word may have; empty if it is no surname.
    """
    forms: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for one in _endings("surname"):
        for case, ending in zip(NUMERAL_CASES, one.endings, strict=True):
            if found := re.fullmatch(f"([а-яё]{{2,}}{one.end}){ending}", word):
                forms.setdefault(("surname", found[1]), set()).add((one.gender, case))
    return forms


def _form(
    tokens: Sequence[Token], parts: Sequence[_Part | None], cases: AbstractSet[str], *, opens: bool
) -> tuple[str, str]:
    """Return the gender and the case that all parts of a name share; "" and "" if they are not certain.

    Args:
        tokens: the tokens of the name.
        parts: the part that each token is; None for an initial.
        cases: the cases that the preposition before the name allows.
        opens: whether the name opens a sentence, where any word has a capital.
    """
    known = [(token, part) for token, part in zip(tokens, parts, strict=True) if part is not None]
    if not known or any("Number=Plur" in token.features for token, _ in known):
        return "", ""
    shared = {form for form in frozenset.intersection(*(part.forms for _, part in known)) if form[1] in cases}

    def agreeing(form: tuple[str, str]) -> int:
        gender = f"Gender={_GENDERS[form[0]]}"
        return sum((gender in one.features) + (form[1] == _TAGGED.get(_case(one), "")) for one, _ in known)

    first = _TAGGED.get(_case(known[0][0]), "")
    best = sorted(shared, key=lambda form: (-agreeing(form), form[1] != first, form))
    if not best or (len({gender for gender, _ in shared}) > 1 and agreeing(best[0]) < 2 * len(known)):
        return "", ""
    unsure = len(best) > 1 and agreeing(best[0]) == agreeing(best[1]) and best[0][1] != first
    if len(known) == 1:
        token, part = known[0]
        nouns = (one for one in readings(token.text.lower()) if one.known and one.pos == "NOUN")
        doubtful = opens and not all(one.name for one in nouns)
        agreed = agreeing(best[0]) == _BOTH or (not part.is_of_both and best[0][1] == first)
        unsure |= not agreed or len({case for _, case in part.forms}) == len(CASES) or doubtful
    return ("", "") if unsure else best[0]


_BOTH = 2
"""A single name must have the gender and the case that the tagger gives it."""
_REACH = 6


_ENDS = frozenset(".!?…")
_FAMILIAR = re.compile("[^и]ка$|ха$")


def _case(token: Token) -> str:
    return token.features.partition("Case=")[2][:3]


_CERTAIN = re.compile(
    "[а-яё]{3,}(?:(?:[оеё]в|[сц]к(?=[иоауыя]))(?:|а|у|ым|е|ой|ий|ого|ому|им|ом|ая|ую)|[гжкхчшщ]ин(?:|у|ым|е)|[её]нко|ян[ауе]?|дзе)"
)


class _Ending(NamedTuple):
    """How a name ends: see the header of the dictionary `name_endings`."""

    gender: str
    part: str
    end: str
    cut: int
    endings: list[str]


@cache
def _endings(kind: str) -> Sequence[_Ending]:
    return [
        _Ending(gender, part, end, int(cut), endings.replace("-", "").split(" "))
        for _, own, gender, part, end, cut, endings in rows(dictionary_path("name_endings"), columns=7)
        if own == kind
    ]


@cache
def declined(name: str, part: str, gender: str, case: str) -> str:
    """Return a case of a person's name.

    >>> declined("Юрий", "name", "masc", "loct"), declined("Сафин", "surname", "masc", "ablt")
    ('Юрии', 'Сафиным')

    Args:
        name: the nominative.
        part: `name`, `short`, `patronymic` or `surname`.
        gender: `masc` or `femn`.
        case: the case, as pymorphy3 names it.
    """
    for one in _endings("case") if case != "nomn" else ():
        if one.gender in {"any", gender} and one.part in {"any", part} and re.search(f"{one.end}$", name):
            return name[: len(name) - one.cut] + one.endings[NUMERAL_CASES.index(case)]
    return name
