"""Сокращения раскрывают, слова сокращают: «в г. Казани, т. е. в РФ» → «в городе Казани, то есть…»."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar

from augment_ru.attacks.numbers import listed
from augment_ru.editing.numbered import Place, WritesOtherwise, end_of_short, open_sentence
from augment_ru.editing.style import chat_points
from augment_ru.language.inflection import noun_of
from augment_ru.language.morphology import GENDERS, Reading, readings
from augment_ru.language.numerals import (
    ANY_CASE,
    NO_GENITIVE,
    NUMERAL_CASES,
    case_of_unit,
    cases_at,
    noun_after,
    nouns_behind,
    time_noun,
)
from augment_ru.language.prepositions import cases_behind
from augment_ru.language.shortenings import every_form, like_title, phrase_in, shortenings
from augment_ru.records.groups import grouped
from augment_ru.resources import same_word

CLASSES = ("full", "short")
_LEAST_POINTS = 5
_FEW, _MANY = 2, 5


def _phrase(short: str, words: str, text: str, match: re.Match[str]) -> Iterator[Place]:
    """«т. е.» ↔ «то есть»."""
    dated = short == "н. э." and re.search(r"\b[вг]\.\s(?:до\s)?$", text[: match.start()])
    if match["short"] and not dated and ("." in short or not _is_acronym(match["short"], text)):
        # «и т. д. Потом» may end a sentence, «т. е. Москва» goes on
        stop = end_of_short(text, match.end()) if short[:2] in {"и ", "н."} else match.end()
        yield Place(match.start(), stop, words, "full")
    elif not match["short"] and not open_sentence(text, match.start()):
        yield _shortened(text, match.start(), match.end(), short)


def _chat(short: str, words: str, text: str, match: re.Match[str]) -> Iterator[Place]:
    """«спс» ↔ «спасибо»; words are shortened in chats alone."""
    if match["short"] and not _is_acronym(match["short"], text):
        apart = words == "может быть" and text[match.end() :][:1] == " "
        if not apart or re.search(r"(?:^|[^\w\s]|\b[иа]|\bно)\s*$", text[: match.start()]):
            yield Place(match.start(), match.end(), words + "," * apart, "full")
    elif (
        not match["short"]
        and chat_points(text) >= _LEAST_POINTS
        and not re.search(r"\bне\s+$", text[: match.start()], re.IGNORECASE)
    ):
        yield Place(match.start(), match.end(), short, "short")


def _is_acronym(short: str, text: str) -> bool:
    """Tell whether capitals are no word of chats: «ПЖ» in a report, «по ТК РФ»; in «ТК МЫ ОПОЗДАЛИ» they are."""
    return short.isupper() and not (text.isupper() and re.search(r"\w{5}", text))


def _shortened(text: str, start: int, stop: int, short: str) -> Place:
    return Place(start, stop, short[:-1] if short[-1] == "." and text[stop : stop + 1] == "." else short, "short")


def _title(short: str, words: str, text: str, match: re.Match[str]) -> Iterator[Place]:
    """«в г. Казани» ↔ «в городе Казани»."""
    start, stop = match.span()
    if not match["short"]:
        if _is_title(text, start, stop, words) and not open_sentence(text, start):
            yield _shortened(text, start, stop, like_title(short, text[start:stop], words))
        return
    name = re.match(r"\s*([А-ЯЁ][а-яё]+(?:-[А-ЯЁ]?[а-яё]+)*)", text[stop:])
    if words == "имени":
        yield Place(start, stop, words + " " * (text[stop : stop + 1] != " "), "full")
    elif name:
        if words not in _STREETS and {"Name", "Surn"} & readings(name[1])[0].grammemes:
            return  # «о. Павел»
        cases = _likely(text[:start])
        own = {case for one in readings(name[1]) for case in NUMERAL_CASES if case in one.grammemes and one.name}
        declined = own & cases and "nomn" not in own and words not in _STREETS
        found = {phrase_in(f"{words}*", case) for case in (cases & own if declined else cases)}
        if len(found) == 1:
            yield Place(start, stop, found.pop() + " " * (text[stop : stop + 1] != " "), "full")


_STREETS = frozenset({"улица", "площадь", "переулок", "набережная", "проспект", "бульвар"})


def _is_title(text: str, start: int, stop: int, words: str) -> bool:
    """Tell whether a noun belongs to the name after it: «парк имени Горького», not «в городе Иван»."""
    before = re.search(r"([А-Яа-яЁё-]+)\s+$", text[:start])
    name = re.match(r"\s+([А-ЯЁа-яё-]+)", text[stop:])
    likeliest = readings(before[1])[0] if before else None
    object_ = likeliest is not None and {"VERB", "INFN", "GRND"} & {likeliest.pos} and "tran" in likeliest.grammemes
    if object_ or _IN_A_LIST.search(text[:start]) or _LIST.match(text, stop) or _is_story(text):
        return False  # all of the list would have to be shortened
    if words in _SETTLED and not (_STATED.search(text) or _PLACED.search(text) or "PRTS" in _traits(text)):
        return False  # «Забан, через город Ди, дошёл до Валанса»
    if (likeliest and likeliest.pos in {"ADJF", "PRTF"}) or re.search(r"(?:[—–]|\bбыл[аио]?|\bпро)\s+$", text[:start]):
        return False  # «центральная площадь Испании», «Альнис — озеро Литвы», «рассказал про город»
    first = readings(name[1])[0] if name else None
    noun = likeliest is not None and likeliest.pos == "NOUN"
    if words == "имени" or first is None:
        return noun and words == "имени"
    person = likeliest and "anim" in likeliest.grammemes and first.name != "LOC" and _PERSON.match(text, stop)
    person = person or re.match(r"(?:\s+(?!Респ)[А-ЯЁ][а-яё]+){3}", text[stop:])  # «деревни Будрус Айид Мора»
    called = words not in _STREETS and first.known and {"Name", "Patr"} & first.grammemes
    if person or called or text[start:stop] == "деревню":
        return False  # «командир города Девлетбей», «в городе Иван»; who is brought «в деревню» is told about
    cases = cases_at(text[:start])
    one = cases == {"accs", "loct"} and first.case != "gent"  # «на станции Панки»
    plural = any({"nomn", "plur"} <= one.grammemes for one in readings(text[start:stop]))
    certain = noun or one or not plural or cases.isdisjoint({"nomn", "accs"})  # not «города Саку и Томи»
    return certain or (likeliest is not None and likeliest.pos == "COMP")


def _is_story(text: str) -> bool:
    """Tell whether a text tells what somebody did, with no figures and no passive; stories have no «г.» and «р.»."""
    traits = _traits(text)
    return {"VERB", "past", "perf"} <= traits and "PRTS" not in traits and _STATED.search(text) is None


_SETTLED = frozenset({"город", "деревня", "село", "остров"})
"""What has a letter that a reader may take for another word: «священник г. Датэн», «до д. Донатир»."""
_STATED = re.compile(
    r"\d|родил|умер|област|губерн|уезд|\bстало?\b|[аеиоуыя]ло\b|протека|впада|берег|приток|исток|являет|центр"
)
_PERSON = re.compile(r"\s+[А-ЯЁ][а-яё]+\s+[А-ЯЁ][а-яё]+|\s+[А-ЯЁ][а-яё]*(?:бе[йя]|ха?на?|[оеи][вн]а?|яна?|ко|ича?)\b")
_LIST = re.compile(r"(?:\s+[А-ЯЁ][\w-]*)+\s*(?:,|\sи)\s+(?:[А-ЯЁ]|[а-яё]+\s+[А-ЯЁ])")
_IN_A_LIST = re.compile(r"(?:,|\bи)\s+$")


def _likely(before: str) -> frozenset[str]:
    """Return the likely cases of a noun after a text; after another noun, on which it depends, the genitive."""
    cases = cases_at(before)
    if (cases == ANY_CASE or not cases) and (word := re.search(r"([А-Яа-яЁё]+)\s+$", before)):
        return frozenset({"gent"}) if readings(word[1])[0].pos == "NOUN" else cases
    if re.search(r"\bпо\s+$", before, re.IGNORECASE):
        return frozenset({"datv"})
    if re.search(r"\b[вВ]\s+$", before):
        return cases if _goes().search(_CLAUSE.split(before)[-1]) else frozenset({"loct"})
    return frozenset({"nomn"}) if not before.strip() else cases


_CLAUSE = re.compile(r"[,;:.!?()«»\"—–]")


@cache
def _goes() -> re.Pattern[str]:
    """Return the pattern of words behind which «в» may demand the accusative: «письмо в», «завод в»."""
    other, behind, start = (
        "|".join(key for key, own in listed("goes").items() if own == kind) for kind in ("not", "behind", "start")
    )
    prefix = "[вс]ъ?|[зн]а|пере|[пд]о|по?д|при|про?|[оу]б?|вы|ото?|из|раз"
    return re.compile(rf"\b(?!{other})(?:(?:{prefix})?(?:{behind})|{start})[а-яё]*", re.IGNORECASE)


def _region(short: str, words: str, text: str, match: re.Match[str]) -> Iterator[Place]:
    """«в Тульской обл.» ↔ «в Тульской области»."""
    adjective = readings(match["name"])
    if adjective[0].pos != "ADJF" or open_sentence(text, match.start()):
        return
    start, stop = match.span("word")
    if not match["short"]:
        if _PLACED.search(text) and not re.search(r"\bцентр\s+$", text[: match.start()]):
            yield _shortened(text, start, stop, like_title(short, text[start:stop], words))
        return
    cases = _likely(text[: match.start()])
    noun = noun_of(words)
    gender = noun.gender if noun else ""
    own = {case for one in adjective for case in NUMERAL_CASES if {case, gender, "sing"} <= one.grammemes}
    found = {phrase_in(f"{words}*", case) for case in own & cases}
    if len(found) == 1:
        yield Place(start, end_of_short(text, stop), found.pop(), "full")


_PLACED = re.compile(r"— (?:[а-яё-]+ )?(?:сел|дер|гор|пос|рек|озе|хут|аул|ст|му|ос|лев|прав)|расп[оа]л|наход|вход[ия]т")
"""Signs of a text that tells where a place is; there natives write «Тульской обл.»."""


def _time(short: str, words: str, text: str, match: re.Match[str]) -> Iterator[Place]:
    """«в 1980 г.» ↔ «в 1980 году», «1980-х гг.» ↔ «1980-х годов», «XX в.» ↔ «XX века»."""
    start, stop = match.span("word")
    if not match["short"]:
        bare = match["word"] in {"год", "век"} and not cases_behind((text[: match.start()].split() or [""])[-1].lower())
        if match["ending"] != "м" and not bare:  # «в 1261-м г.», «помнит 2006 г.»
            yield _shortened(text, start, stop, short)
        return
    cases, ending = cases_at(text[: match.start()]), match["ending"]
    case = "loct" if "loct" in cases and len(cases) == _FEW else "gent" if cases in (ANY_CASE, NO_GENITIVE) else ""
    case = case or (next(iter(cases)) if len(cases) == 1 else "gent" if "gent" in cases else "")
    if ending:
        case = {"е": "nomn", "х": case if case in {"gent", "loct"} else "gent", "м": "datv"}[ending]
    if case:
        lemma = {"годы": "год", "века": "век"}.get(words, words)
        yield Place(start, end_of_short(text, stop), time_noun(lemma, case, many=lemma != words), "full")


def _unit(short: str, words: str, text: str, match: re.Match[str]) -> Iterator[Place]:
    """«5 тыс.» ↔ «5 тысяч», «1,5 км» ↔ «1,5 километра»."""
    (start, stop), before = match.span("word"), text[: match.start()]
    if _COMPOUND.search(before) or re.match(r"\s+\d+\s?[а-яё]", text[stop:]):
        return  # «2 ч 48 мин.»
    if not match["short"]:
        narrow = short[-1] == "." and short not in _PRINTED and "past" in _traits(text)
        if short != "р." and not narrow and not re.search(r"[а-я]{4}", match["scale"] or ""):  # «5 тысяч л»
            yield _shortened(text, start, stop, short)
    elif _SHORT_UNIT.match(text, stop) or (short == "р." and len(match["whole"]) < _PRICE and not match["scale"]):
        return  # «3 тысячи экз.», «повторить 2 р.»
    elif words == "процент" and any(one.case == "nomn" for one in nouns_behind(text[stop:])):
        return  # «50% скидка»
    elif case := case_of_unit(before, text[match.end() :]):
        number = _MANY if match["scale"] else _FEW if match["part"] else int(re.sub(r"\D", "", match["whole"]))
        gap = "" if text[start - 1].isspace() else " "
        new = gap + noun_after(number, words, "nomn" if match["part"] or match["scale"] else case)
        yield Place(start, end_of_short(text, stop), new, "full")


_COMPOUND = re.compile(r"\d\s?(?!(?:до|и|по|из|на|или)\b)[а-яё]+\.?\s+$")
_PRICE = 3
"""The fewest figures with which «р.» surely is a price; «2 р.» may mean twice."""
_PRINTED = frozenset({"тыс.", "руб.", "долл."})
"""Abbreviations with a full stop that are written in stories and news, too."""
_SHORT_UNIT = re.compile(r"\s*(?:(?:руб|экз|чел|шт|коп|р|долл)\.|(?:кг|км|мл?|га|[гтл]|см)\b)")


def _acronym(short: str, words: str, text: str, match: re.Match[str]) -> Iterator[Place]:
    """«в РФ» ↔ «в Российской Федерации»."""
    start, stop = match.span()
    if not match["short"]:
        yield Place(start, stop, short, "short")
        return
    named = re.match(r"\s+([А-ЯЁ][а-яё]+)", text[stop:])
    if re.search(r"\b(?:долл[а-я.]*|[А-ЯЁ]{2,}|ко)\s+$", text[:start]) or (
        named and words.startswith("Федеральн") and readings(named[1])[0].name == "LOC"
    ):
        return  # «долларов США», «СУ СКП РФ», «ко ГДР» for «когда», «сборная ФСИН Москвы»
    found = {phrase_in(words, case) for case in _cases_of_acronym(words, text[:start], text[stop:])}
    if len(found) == 1 and text[stop : stop + 1] != "-":
        yield Place(start, stop, found.pop(), "full")


def _cases_of_acronym(words: str, before: str, behind: str) -> frozenset[str]:
    """Return the cases that an acronym may have between two texts; none if it may be a subject or an object."""
    word, verb = re.search(r"([А-Яа-яЁё-]+)\s+$", before), re.match(r"\s+(?:не\s+)?([а-яё]+)", behind)
    last = [one for one in words.split(" ") if one[-1] == "*"][-1][:-1].lower().split("-")[-1]
    head = next(one for one in readings(last) if {"NOUN", "nomn"} <= {one.pos, *one.grammemes})
    follows, likeliest = readings(verb[1])[0] if verb else None, readings(word[1])[0] if word else None
    subject = _agree(head, follows)
    if verb and re.search(r"\b[вВ]\s+$", before) and _goes().match(verb[1]):
        return frozenset()  # «в ЕС входят»
    pair = re.search(r"([А-Яа-яЁё-]+)\s+(?:и|или)\s+$", before)
    if pair and pair[1].isupper():
        return _cases_of_acronym(words, before[: pair.start()], behind)
    if not word or not likeliest or (likeliest.pos in _NO_OWNER and not pair):
        return frozenset({"nomn"}) if subject else frozenset()
    if pair or likeliest.pos in {"ADJF", "PRTF"}:  # «в Китае и США», «в западных СМИ»
        beside, marks = pair or word, set() if pair else head.grammemes & {"sing", "plur"}
        marks |= head.grammemes & GENDERS if "sing" in marks else set()
        ways = [one.grammemes for one in readings(beside[1]) if marks <= one.grammemes and "anim" not in one.grammemes]
        own = _likely(before[: beside.start()]) & frozenset().union(*ways)
        return own if not pair or readings(pair[1])[0].name else frozenset()
    cases, denied = _likely(before), re.search(r"\bн[еи]\s+[а-яё]+\s+$", before)
    if likeliest.pos == "NOUN":  # «цен СМИ не приводят», but «сотрудники ФСБ задержали»
        clear = "nomn" in likeliest.grammemes and ("anim" in likeliest.grammemes or not subject)
        is_verb = follows is not None and follows.pos in {"VERB", "INFN", "PRED", "PRTS"}
        cases = frozenset() if is_verb and not (clear and _agree(likeliest, follows)) else frozenset({"gent"})
    elif likeliest.pos in {"VERB", "INFN", "GRND"}:  # «сделала ФСБ»: who, or whom?
        either = frozenset({"nomn", "accs"} if _agree(head, likeliest) else {"accs"})
        cases = either if "tran" in likeliest.grammemes and not denied else frozenset()
    return cases


_NO_OWNER = frozenset({"CONJ", "PRCL", "ADVB", "PRED", "NPRO"})
"""Parts of speech of words before a subject, which govern no noun."""


def _agree(subject: Reading, verb: Reading | None) -> bool:
    """Tell whether a word is a verb that agrees with a noun as its subject."""
    if verb is None or verb.pos not in {"VERB", "PRTS"} or {"1per", "2per"} & verb.grammemes:
        return False
    return verb.grammemes & (GENDERS | {"sing", "plur"}) <= subject.grammemes


_Find = Callable[[str, str, str, re.Match[str]], Iterator[Place]]


@cache
def _compiled(at: int) -> tuple[re.Pattern[str], str, str, _Find]:
    """Return the pattern, the abbreviation, the full words and the rewriting function of a line of the dictionary.

    Args:
        at: the number of the line.
    """
    kind, short, words = shortenings()[at]
    pattern, find = _pattern(kind, short, words)
    return re.compile(pattern, re.IGNORECASE if kind in {"phrase", "chat", "read"} else 0), short, words, find


def _pattern(kind: str, short: str, words: str) -> tuple[str, _Find]:
    brief = re.escape(short).replace(r"\ ", r"\s?")
    unsure = r"(?!\s+[«\"]?[А-ЯЁA-Z])" if kind in {"region", "time"} else ""  # «в 1703 г. Пётр», «в 1703 г. Умер»
    end = unsure if short.endswith((".", "%")) else r"(?![\w-])"
    brief = rf"(?P<short>{brief}{end})"
    if kind in {"phrase", "chat", "read"}:
        full = _NEVER if kind == "read" else words.replace(" ", r"\s+").replace("е", "[её]")
        clause = r"(?<=[,(] )" if words == "может быть" else ""
        rest = r"(?!\s+раз\b|\s+и\b|,)" if words in {"так как", "то есть"} else ""
        if words == "и другие":  # «Ивановым и др.»: in which case?
            brief, rest = f"(?P<short>{_NEVER})", r"(?=\s*(?:[.;)]|$))"
        return rf"(?<![\w.-])(?:{brief}|{clause}{full}(?![\w-]){rest})", _chat if kind == "chat" else _phrase
    forms = _any_of(every_form(kind, words))
    if kind == "acronym":
        return rf"(?<![\w-])(?:{brief}|(?:{forms})(?![\w-]))", _acronym
    if kind in {"title", "person"}:
        name, forms = r"[А-ЯЁ][а-яё.]+", forms if kind == "title" else _NEVER
        return rf"(?<![\w.-])(?<!\d )(?:{brief}(?=\s?{name})|(?<!по )(?:{forms})(?=\s{name}))", _title
    full = rf"(?:{forms})(?![\w-])"
    if kind == "region":
        return rf"(?<![\w-])(?P<name>[А-ЯЁ][а-яё-]+)\s+(?P<word>{brief}|{full})", _region
    if kind == "time":
        number = _ROMAN if words in {"век", "века"} else _YEAR
        return rf"{number}\s?(?P<word>{brief}|(?<=\s){full})", _time
    point = r"\." if short in {"г", "т"} else r"\.\s*[а-яё(]"  # «2019 г.», «5 т. к.»
    return rf"{_COUNT}\s?(?P<word>{brief}(?![\w/²³]|{point})|(?<=\s){full})", _unit


def _any_of(forms: Iterable[str]) -> str:
    return "|".join(map(re.escape, forms)).replace("ё", "[её]")


_NEVER = r"(?!)"
_ROMAN, _YEAR = r"\b[IVX]+(?P<ending>)", r"(?<![\w–—-])\d{4}(?:-(?P<ending>[ехм])|(?!-))"
_COUNT = (
    r"(?<![\w.,:/–—-])(?P<whole>\d{1,3}(?:[ \u00a0]\d{3})+|\d+)(?:,(?P<part>\d+))?"
    r"(?P<scale>\s(?:тысяч[аи]?|млн|миллион[а-я]*|млрд))?"
)


_TRIGGER = re.compile(r"[а-я]+|%")
"""Splits a text, in lower case with е for ё, into words by which the patterns are found that may match it."""


@cache
def _triggers() -> dict[str, list[int]]:
    """Map the last word of each abbreviation, and of its full form, to the numbers of the dictionary lines with it."""
    lines = (
        (at, (short, *every_form(kind, words)))
        for at, (kind, short, words) in enumerate(shortenings())
        if kind != "numbered"
    )
    return grouped((_TRIGGER.findall(same_word(text))[-1], at) for at, texts in lines for text in texts)


_SPEAKER = re.compile(
    r"(?i)\b(?:я|меня|мне|мною?|мы|на[см]|ты|теб[яе]|(?:мо|тво)(?:[йяеию]|ей|его)|наш[а-яё]*|вчера|(?:после)?завтра)\b|[!?]"
)
"""Signs of a story or a talk: «я», «твой», «вчера», a question. There nobody writes «т. к.» or «ст. Стрекочи»."""


@dataclass(frozen=True, slots=True)
class Abbreviations(WritesOtherwise):
    """Write abbreviations out, and shorten words and phrases that have an abbreviation.

    - `full`: «т. е.», «ул.», «5 тыс.», «1980-х гг.», «РФ», «спс» in words, in the case that the words around require;
      an abbreviation stays if its case is not certain;
    - `short`: the reverse. «спасибо» becomes «спс», but only in texts in the style of a chat (`editing.style`). Other
      words are not shortened at the start of a sentence, nor in a text with «я», a question or an exclamation.

    All units of measure of a text change together or not at all, and so do all years, titles, regions and acronyms. A
    text of over 1,000 characters is treated in pieces. Texts about abbreviations are not changed, and abbreviations in
    notes («7 мин. пешк.») are not written out.

    The attack also changes names of places and organisations («РФ»), although the constraint `named_entities` protects
    them: the new form means the same. It leaves these names alone only in tasks whose answer is a name (`named` in the
    task file).

    Args:
        probability: the share of the abbreviations, and of the words with an abbreviation, that change; in [0, 1].
        classes: which of these classes of changes are made.

    Raises:
        AugmentError: there is no such class, or `classes` is empty.
    """

    known: ClassVar[tuple[str, ...]] = CLASSES
    exchanges: ClassVar[frozenset[str]] = frozenset({"LOC", "ORG"})
    classes: tuple[str, ...] = CLASSES

    def places(self, text: str) -> Iterator[tuple[Place, ...]]:
        """Yield the ways to rewrite each abbreviation in a text, and each word that has an abbreviation."""
        triggers, taken = _triggers(), list[Place]()
        asked = {at for word in _TRIGGER.findall(same_word(text)) for at in triggers.get(word, ())}
        groups: dict[tuple[_Find, str], list[Place]] = {}
        for at in sorted(asked) if not _ABOUT.search(text) else ():
            pattern, short, words, find = _compiled(at)
            rows = [list(find(short, words, text, match)) for match in pattern.finditer(text)]
            places = [place for row in rows for place in row]
            found = [one for one in places if all(one.stop <= of.start or of.stop <= one.start for of in taken)]
            kinds = {place.kind for place in found}
            whole = len(kinds) == 1 and len(found) == max(len(rows), len(_everywhere(at).findall(text)))
            if whole and _suits(text, kind := kinds.pop(), find, short):
                taken += found
                if find in _TOGETHER:
                    groups.setdefault((find, kind), []).extend(found)
                else:
                    yield from ((place,) for place in found)
        for (find, kind), (first, *more) in ((group, sorted(found)) for group, found in groups.items()):
            if len(_rest(find, kind).findall(text)) <= 1 + len(more):
                yield (first._replace(more=tuple(more)),)


_UNITS = re.compile(
    r"\d\s?(?:%|(?:[гтлчмрВАЖ]|[кмсд]м|[км]г|мл|га|шт|кв|мин|сек|коп|руб|долл|чел|экз|тыс|млн|млрд|мес)(?!\w))|[²³₽]|[а-яё]\.?/[а-яё]"
)
"""Units in short."""
_REGIONS = re.compile("[А-ЯЁ][а-яё-]+ (?:район|област)")
_TOGETHER = frozenset({_acronym, _region, _time, _title, _unit})
"""Functions whose matches change all together in a text or not at all; other matches change one by one."""
_ABOUT = re.compile(
    r"ъ\b|сокращени|аббревиатур|\bбукв[аыуе]\b|расшифров|(?:не|надо|нужно|можно|нельзя) писать\b|\bпишется|\bпишутся",
    re.IGNORECASE,
)
"""Words of texts about abbreviations, and the old spelling («цѣна 5 коп., съ картинками»)."""


@cache
def _rest(find: _Find, kind: str) -> re.Pattern[str]:
    """Return the pattern of all of which none may stay as it is beside one that changes."""
    if (find, kind) == (_acronym, "full"):
        acronyms = _any_of(short for of, short, _ in shortenings() if of == "acronym")
        return re.compile(rf"\b(?:{acronyms})\b")
    others: dict[tuple[_Find, str], re.Pattern[str]] = {(_unit, "full"): _UNITS, (_region, "short"): _REGIONS}
    return others.get((find, kind), re.compile(_NEVER))


@cache
def _everywhere(at: int) -> re.Pattern[str]:
    """Return the pattern of all occurrences of a unit or a time, also of those that cannot change.

    Args:
        at: the number of its line in the dictionary.
    """
    kind, short, words = shortenings()[at]
    forms = _any_of((short, *every_form(kind, words)))
    street = rf"\b(?:{forms})(?!\w)" if words in _STREETS else _NEVER
    return re.compile(rf"(?:[\dIVX]|-[а-яё]+)\s?(?:{forms})(?!\w)" if kind in {"time", "unit"} else street)


def _suits(text: str, kind: str, find: "_Find", short: str) -> bool:
    """Tell whether changes of this class suit a text: headings are not shortened, and notes are not written out."""
    if kind == "short" and (text.rstrip().endswith(".") if find is _chat else _SPEAKER.search(text)):
        return False
    verbs, traits = {"VERB", "INFN", "PRTS"}, _traits(text)
    spoken = "—" in text or not traits.isdisjoint({*verbs, "ADJS", "PRED", "NPRO"})
    if kind == "short":
        return spoken or re.search(r"[.!?…]\W*$", text) is not None
    told = spoken if find in {_acronym, _time} else short not in _MEASURES or not traits.isdisjoint(verbs)
    return find is _chat or (told and {one[0] for one in _NOTES.finditer(text)} <= _parts())


_MEASURES = frozenset({"%", "г", "мин.", "мл", "мм", "см", "сек."})
"""What lists and notes have in short."""
_NOTES = re.compile(
    r"\b(?:ст|ч)\. л\b|\bг\.\s?[вр]\.|\bт\. ?к?м\b|(?<![\w.])[А-Яа-яё][а-яё]{0,4}\.(?=\s*[а-яё\d,;:/(])"
    r"|\b[а-яё]{1,3}/[а-яё]+|\bкв\b|(?<=\d)\s?[чс]\b(?!\.)"
)
"""Abbreviations; a text with one that the dictionary lacks is taken for a note."""


@cache
def _parts() -> frozenset[str]:
    """Return the words of all abbreviations that the dictionary has."""
    return frozenset(word for _, short, _ in shortenings() for word in short.split(" "))


@lru_cache(maxsize=1)
def _traits(text: str) -> frozenset[str]:
    """Return the parts of speech and the grammemes that the words of a text have in their likeliest readings."""
    likeliest = (readings(word)[0] for word in re.findall("[А-Яа-яЁё-]{2,}", text))
    return frozenset[str]().union(*((one.pos, *one.grammemes) for one in likeliest))
