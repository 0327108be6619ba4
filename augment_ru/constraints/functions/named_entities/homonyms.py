"""First words of sentences that are a given name or a common noun: «Вера угасла», «Вера сказала»."""

from augment_ru.constraints.functions.named_entities.names import Labels
from augment_ru.constraints.functions.named_entities.view import View
from augment_ru.language.readings import has_reading, lemmas, readings

_OF_THINGS = frozenset({
    "угаснуть", "угасать", "гаснуть", "погаснуть", "вянуть", "завянуть", "увянуть", "увядать", "завядать", "цвести",
    "расцвести", "расцветать", "зацвести", "отцвести", "отцветать", "распуститься", "распускаться", "благоухать",
    "пахнуть", "колоться", "осыпаться", "опасть", "облететь", "иссякнуть", "иссякать", "таять", "растаять", "рухнуть",
    "рушиться", "крепнуть", "окрепнуть", "укрепиться", "теплиться", "тлеть", "вспыхнуть", "засохнуть", "сохнуть",
    "прорасти", "закончиться", "кончиться", "окрылять", "длиться", "таиться", "зародиться", "возникнуть", "ослабеть",
    "ослабнуть", "истаять", "померкнуть", "меркнуть", "рассеяться", "сохраняться", "означать", "оправдаться",
    "рычать", "зарычать", "реветь", "зареветь", "развеяться", "сбыться", "сломаться", "разбиться", "бродить", "взойти",
})  # fmt: skip
"""What feelings, plants and beasts do, but people seldom."""
_OF_PERSONS = frozenset({
    "сказать", "заявить", "сообщить", "ответить", "спросить", "рассказать", "добавить", "отметить", "подчеркнуть",
    "улыбнуться", "засмеяться", "вздохнуть", "кивнуть", "подумать", "купить", "сесть", "лечь", "встать", "позвонить",
    "написать", "прочитать", "приехать", "уехать", "учиться", "работать", "решить", "согласиться", "отказаться",
    "признаться", "пояснить", "объяснить", "уточнить", "считать", "признать", "попросить", "предложить", "поступить",
    "хотеть", "захотеть", "надеть", "открыть", "взять", "забыть", "вспомнить", "увидеть", "посмотреть", "услышать",
})  # fmt: skip
"""What people do, but feelings, plants and beasts do not."""
_SHORTEST = 3
"""The fewest characters of a given name."""
_NEAR = 4
"""How many tokens after the first word its verb may stand."""


def first_words(view: View, labels: Labels) -> None:
    """Take the label from a first word whose verb is one of things; label one whose verb is one of persons."""
    for at in view.starts:
        word = view.texts[at]
        if at + 1 >= len(labels) or labels[at + 1] or view.capitals[at + 1] or labels[at] not in ("", "PER"):
            continue
        if len(word) < _SHORTEST or not _is_homonym(word):
            continue
        verb = _verb(view, at + 1)
        done = lemmas(verb) if verb else frozenset()
        last = "умирать" in done and "последней" in view.texts[at + 1 : at + _NEAR]
        if last or done & _OF_THINGS or (verb and has_reading(verb, "2per")):  # «любовь не купишь»
            labels[at] = ""
        elif done & _OF_PERSONS:
            labels[at] = "PER"


def _is_homonym(word: str) -> bool:
    """Whether a word in the nominative is a given name, or a common noun."""
    found = [reading for reading in readings(word) if "nomn" in reading.grammemes and reading.pos == "NOUN"]
    return any("Name" in reading.grammemes for reading in found) and any(
        reading.known and not reading.name for reading in found
    )


def _verb(view: View, at: int) -> str:
    """The first verb behind a word, in its clause; "" if there is none."""
    for word in view.texts[at : at + _NEAR]:
        if not word[0].isalpha():
            break
        if any(reading.pos in {"VERB", "PRTS"} for reading in readings(word)[:2]):
            return word
    return ""
