"""Ко второму лицу обращаются иначе, на «ты» или на «Вы»: «Пришли мне отчёт» → «Пришлите мне отчёт»."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import ClassVar

from augment_ru.draws import Rng, Streams
from augment_ru.editing.replacing import predicates, written_at
from augment_ru.editing.style import is_quoted
from augment_ru.editing.syntax import ENDS, Syntax, trees_of
from augment_ru.edits import Change, Edit, Note
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError
from augment_ru.language.frequency import count_of
from augment_ru.language.inflection import WordForm, inflect, known_forms
from augment_ru.language.morphology import QUESTION_WORDS, has_form_with, has_reading, is_known
from augment_ru.records.groups import grouped
from augment_ru.resources import Phrase, dictionary_path, phrases_in, rows, same_word
from augment_ru.text.batch import Batch
from augment_ru.text.doc import Doc
from augment_ru.text.phrases import in_phrase

_TARGETS = ("either", "ты", "Вы")
_SHORTEST = 2
"""A name has more letters than this."""
_ASKED = (["не", "могли", "бы", "вы"], ["вы", "не", "могли", "бы"], ["вы", "могли", "бы"], ["могли", "бы", "вы"])
_IMPERATIVE = frozenset({"VERB", "perf", "sing", "impr", "excl"})
_SUBJECTS = {"sing": "ты", "plur": "вы"}
_CONSONANTS = frozenset("мсхш")
"""The last letters of «вам», «вас», «ваших», «ваш», after which «ж» becomes «же»."""
_LONG = {"ж": "же", "б": "бы"}
_OTHER = {"sing": "plur", "plur": "sing"}
_SELF = frozenset({"сам", "сама", "сами"})
_ADDRESSING = frozenset({"2per", "impr"})
_SELVES = {"masc": "сам", "femn": "сама"}
_ADDRESSED = frozenset({"ты", "вы"}) | _SELF
_PLACES = frozenset({"о", "об", "обо", "при"})
"""Prepositions after which «вас» is a locative, whatever the tagger says."""


@dataclass(frozen=True, slots=True)
class Address(Attack):
    """Address the reader as «Вы» instead of «ты», or the other way round; the whole text changes at once.

    Pronouns, verbs, imperatives, and the adjectives and participles that agree with the pronoun change. Quotations are
    not changed. A text is not changed if it uses both forms of address, if «вы» may be several people, if it calls
    somebody by a word that allows one form only («мама», «господин»), or if a verb in the past needs a gender that the
    text does not tell.

    Args:
        probability: the share of the texts that change, among those that can; in [0, 1].
        to: the new form of address. `ты`: only texts that say «Вы» change. `Вы`: only texts that say «ты» change.
            `either`: both change.
        capital: whether «Вы» and «Ваш» get a capital.
        requests: where «ты» becomes «Вы», the share of the simple requests that become indirect, in [0, 1]: «Пришли
            отчёт.» → «Не могли бы Вы прислать отчёт?».
        words: the dictionary of this attack: pronouns, verbs of requests, and phrases that are not changed.

    Raises:
        AugmentError: there is no such dictionary or target, or `requests` is not in [0, 1].
    """

    group: ClassVar[str] = "rewording"
    layers: ClassVar[frozenset[str]] = frozenset({"lemmas", "syntax"})
    probability: float = 1.0
    to: str = "either"
    capital: bool = True
    requests: float = 0.25
    words: str = "address"

    def __post_init__(self) -> None:
        if self.to not in _TARGETS:
            raise AugmentError(f"{self.name}.to: {self.to!r}; possible: {', '.join(_TARGETS)}")
        if not 0.0 <= self.requests <= 1.0:
            raise AugmentError(f"{self.name}.requests: {self.requests!r}; needs a number from 0 to 1")
        _table(self.words)

    def wants(self, doc: Doc) -> bool:
        """Tell whether one of the words of a text may address somebody."""
        polite, familiar = _table(self.words).polite, _table(self.words).familiar
        return any(low in polite or low in familiar or _addressing(low) for low in map(str.lower, doc.forms))

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose one change for each text, which rewrites all of its words that address somebody."""
        draws = map(Rng, streams.keys.tolist())
        return Proposals.of_changes(batch, map(self._changes, batch.once(_found, self.words), draws))

    def _changes(self, found: "_Address", rng: Rng) -> Iterator[Change]:
        to = _OTHER.get(found.number, "")
        if to and self.to in {"either", "ты" if to == "sing" else "Вы"}:
            edits = found.edits(to, lambda: rng.uniform() < self.requests, capital=self.capital)
            if edits:
                yield rng.change(*edits)


def _found(batch: Batch, words: str) -> "list[_Address]":
    return [_Address(syntax, _table(words)) for syntax in batch.once(trees_of)]


class _Table:
    """The contents of the dictionary with this name.

    Attributes:
        polite, familiar: map the forms of «ты» and «твой» to those of «вы» and «ваш», and the reverse.
        kinds: maps every other kind to its words, with е for ё, and each word to its polite form.
        phrases: the phrases in which nobody is addressed, by each of their words.
        open: those of them that have a beginning («лучш*»), a part of speech or a comma in place of a word.
    """

    def __init__(self, name: str) -> None:
        self.kinds: defaultdict[str, dict[str, str]] = defaultdict(dict)
        phrases: tuple[Phrase, ...] = ()
        path = dictionary_path(name)
        for kind, word, polite in rows(path, columns=3):
            if kind == "phrase":
                phrases += phrases_in(f"{path.name}: {word}", word)
            else:
                self.kinds[kind][word if kind in {"pronoun", "loct"} else same_word(word)] = polite
        self.polite = self.kinds["pronoun"]
        self.familiar: dict[str, str] = {}
        for word, polite in self.polite.items():
            if "ё" in word or polite not in self.familiar:
                self.familiar[polite] = word
        self.phrases = grouped((word, phrase) for phrase in phrases for word in frozenset().union(*phrase))
        self.open = [one for one in phrases if any(word[0] < "а" or word[-1] == "*" for place in one for word in place)]


_table = cache(_Table)


_LONGEST = 256
"""The most tokens of a sentence; a text with a longer one stays as it is."""


class _Address:
    """How a text addresses its reader.

    Attributes:
        pronouns: the numbers of the tokens that are forms of «ты», «твой», «вы», «ваш»; each with `sing` or `plur`.
        verbs: the numbers of the verbs in the second person and of the imperatives, with their forms.
        number: `sing` for «ты», `plur` for «вы», "" if the text addresses nobody, addresses both ways, or stays.
    """

    def __init__(self, syntax: Syntax, table: _Table) -> None:
        doc = syntax.doc
        self.doc, self.syntax, self._tokens, self._table = doc, syntax, doc.tokens, table
        self.pronouns: dict[int, str] = {}
        self.verbs: dict[int, WordForm] = {}
        self._sure = self._doubtful = False
        self._lower = [token.text.lower() for token in doc.tokens]
        ends = [-1, *(at for at, word in enumerate(self._lower) if word in ENDS), len(self._lower)]
        sentences = [range(end + 1, following) for end, following in pairwise(ends)]
        self._sentences = [one for one in sentences for _ in range(len(one) + 1)]  # with the mark that ends it
        self._numbers = {word.start: number for number, word in enumerate(doc.words)}
        for at, token in enumerate(doc.tokens if max(map(len, sentences)) < _LONGEST else ()):
            word = self._lower[at]
            number = "sing" if word in table.polite else "plur" if word in table.familiar else ""
            if number and token.pos in {"NOUN", "PROPN"} and token.text[0].isupper() and not self._starts(at):
                continue  # a name that looks like a pronoun
            form = None if number else self._verb(at)
            if not number and form is None:
                self._doubtful |= self._may_ask(at)
            elif form and not self._stays(at):
                self.verbs[at] = form
            elif number and not self._stays(at):
                self.pronouns[at], self._sure = number, True
        numbers = {*self.pronouns.values(), *(form.number for form in self.verbs.values())}
        self.number = numbers.pop() if len(numbers) == 1 and self._sure and not self._doubtful else ""

    def _verb(self, at: int) -> WordForm | None:
        """Return the form of a token if it is a verb that addresses somebody, otherwise None.

        The dictionary decides; if the word may also be something else, the tagger must agree.
        """
        token, word = self._tokens[at], self._lower[at]
        found = _addressing(word)
        aside = word in self._table.kinds["aside"] and self._is_call(at)
        if not found or aside or (at and self._lower[at - 1] == "ни"):
            return None
        if token.text != word and (not self._starts(at) or self._is_before_name(at)):
            return None  # a name
        imperative = "impr" in found[0].grammemes
        if len(found) > 1:  # «купите»: an imperative, or the future of «вы»
            imperative = not self._is_statement(at)
            found = tuple(one for one in found if ("impr" in one.grammemes) == imperative)
            sure = self._is_at_front(at) if imperative else self._is_asked_or_joined(at)
            self._doubtful |= "perf" in found[0].grammemes and not sure
        certain = all(map(_addresses, known_forms(word)))
        if not (certain or self._is_tagged(at) or (imperative and self._takes_object(at))):
            return None
        if not self._is_tagged(at) and any(map(_is_finite, self._lower[at + 1 : at + 2])):
            return None  # «Мири был в их руках»
        self._sure |= self._is_tagged(at) or found[0].number == "plur" or not imperative
        self._sure |= self._starts(at) or (certain and self._opens(at))
        return None if imperative and self._is_condition(at) else found[0]

    def _may_ask(self, at: int) -> bool:
        """Tell whether a word that is taken for another may be an imperative: «Полей цветы», «ешь и пей»."""
        first = at
        while first and (self._tokens[first - 1].pos == "ADV" or self._lower[first - 1] in self._table.polite):
            first -= 1
        if all("impr" not in one.grammemes for one in _addressing(self._lower[at])) or not self._opens(first):
            return False
        if at > 1 and self._lower[at - 1] == "и" and at - 2 in self.verbs:
            return True
        following = known_forms(self._lower[at + 1]) if at + 1 < len(self._lower) else ()
        if all(one.kind != "NOUN" or one.case != "accs" for one in following) or following[0].case == "gent":
            return False
        own = {(one.case, one.number, one.gender) for one in known_forms(self._lower[at]) if one.kind != "NOUN"}
        ways = {(one.case, one.number, gender) for one in following if one.case for gender in ("", one.gender)}
        return own.isdisjoint(ways)

    def _opens(self, at: int) -> bool:
        """Tell whether a word is the first of a clause, but for «и», «а» or «не»."""
        return not at or self.syntax.marks[at - 1] or self._lower[at - 1] in {"и", "а", "не"}

    def _is_before_name(self, at: int) -> bool:
        """Tell whether a capitalised word follows, so that a word at the start of a sentence may be a first name."""
        following = self._tokens[at + 1 : at + 2]
        if self._is_tagged(at) or not following or not following[0].text.istitle():
            return False
        return not is_known(following[0].text) or has_reading(following[0].text, "nomn")

    def _is_asked_or_joined(self, at: int) -> bool:
        """Tell whether a verb is in a question, or in a clause with «если», «что», «которых»."""
        tokens, end, before = self._tokens, self._sentences[at].stop, range(self._clause(at).start, at)
        joined = any(tokens[one].pos == "SCONJ" or tokens[one].lemma in QUESTION_WORDS for one in before)
        return joined or (end < len(tokens) and "?" in tokens[end].text)

    def _is_at_front(self, at: int) -> bool:
        """Tell whether a form such as «купите» is tagged as an imperative, or no noun is between «и» and it."""
        joins = (one for one in range(self._clause(at).start, at) if self._lower[one] == "и")
        before = range(max(joins, default=self._clause(at).start), at)
        return "Mood=Imp" in self._tokens[at].features or all(self._tokens[one].pos != "NOUN" for one in before)

    def _is_tagged(self, at: int) -> bool:
        token = self._tokens[at]
        return token.pos in {"VERB", "AUX"} and ("Person=2" in token.features or "Mood=Imp" in token.features)

    def _takes_object(self, at: int) -> bool:
        """Tell whether a word at the start of a clause can only be an imperative, as in «Пришли отчёт»."""
        forms = known_forms(self._lower[at])
        others = [one for one in forms if "impr" not in one.grammemes]
        if (at and not self.syntax.marks[at - 1]) or any(one.kind != "VERB" or "tran" in one.word for one in others):
            return False  # «Нашли человека»
        return any(
            all(one.kind == "NOUN" and one.case != "gent" for one in found)
            and {(one.case, one.number) for one in found} >= {("accs", "sing")}
            and not self.syntax.preposition(other)
            for other in range(at + 1, self._sentences[at].stop)
            if (found := known_forms(self._lower[other]))
        )

    def _clause(self, at: int) -> range:
        """Return the numbers of the tokens between the marks around a token."""
        marks = self.syntax.marks
        first, last = at, at + 1
        while first and not marks[first - 1]:
            first -= 1
        while last < len(marks) and not marks[last]:
            last += 1
        return range(first, last)

    def _is_statement(self, at: int) -> bool:
        """Tell whether a form such as «купите» is a future tense: «вы» is near it, or the sentence is a question."""
        words, clause = self._lower, self._clause(at)
        if any("impr" in one.grammemes for other in clause for one in _addressing(words[other])[:1] if other != at):
            return False
        return self._is_asked_or_joined(at) or not _ADDRESSED.isdisjoint(words[self._sentences[at].start : clause.stop])

    def _is_condition(self, at: int) -> bool:
        """Tell whether an imperative states a condition: «приди он раньше», «не будь дождя»."""
        being = self._tokens[at].lemma == "быть"
        sentence = set(self._lower[self._sentences[at].start : self._sentences[at].stop])
        alone = not self._is_tagged(at) and sentence.isdisjoint(_ADDRESSED)
        if not sentence.isdisjoint({"бы", "б"}) and (alone or being or (at and self._lower[at - 1] == "не")):
            return True
        beside = [self._tokens[other] for other in self._clause(at) if at < other <= at + 1 + being]
        return any(
            _is_subject(one.text) or (being and one.pos == "NOUN" and "Case=Nom" in one.features) for one in beside
        )

    def _stays(self, at: int) -> bool:
        """Tell whether a token is inside a quotation, or part of a phrase in which nobody is addressed."""
        token = self._tokens[at]
        word = self._numbers.get(token.start)
        if is_quoted(self.doc.text, token.start):
            return True
        forms = {same_word(token.text), same_word(token.lemma)} if word is not None else ()
        phrases = [phrase for form in forms for phrase in self._table.phrases.get(form, ())]
        return bool(phrases) and in_phrase(self.doc.text, self.doc.words, word or 0, [*phrases, *self._table.open])

    def edits(self, to: str, draw: Callable[[], bool], *, capital: bool) -> tuple[Edit, ...]:
        """Return the edits that address the reader the other way; empty if it is not certain how to.

        Args:
            to: `sing` for «ты», `plur` for «вы».
            draw: tells, once for each request that may become indirect, whether it does.
            capital: whether «вы» gets a capital.
        """
        if not self._is_certain(to):
            return ()
        requests = self._requests(to, "Вы" if capital else "вы", draw)
        words = {at: self._pronoun(at, to, capital=capital) for at in self.pronouns}
        if not all(words.values()):
            return ()
        for at, form in self.verbs.items():
            word = inflect(form.lemma, form.having(to))
            if word is None or word == self._lower[at]:
                return ()
            words[at] = written_at(self.syntax, at, word)
        agreeing = self._predicates(to, _inside(requests))
        if agreeing is None:
            return ()
        words.update({at: written_at(self.syntax, at, word) for at, word in agreeing.items()})
        words.update(self._particles(words))
        if to == "plur":
            greetings = self._table.kinds["greeting"]
            for at, word in enumerate(self._lower):
                if word in greetings and self._is_call(at) and not self._stays(at):
                    words[at] = written_at(self.syntax, at, greetings[word])
        return self._joined(words, requests)

    def _particles(self, words: Mapping[int, str]) -> dict[int, str]:
        """Return «же» and «бы» for each «ж» and «б» after a word that now ends in a consonant, by token number."""
        follow = {at + 1: _LONG.get(self._lower[at + 1]) for at in words if at + 1 < len(self._lower)}
        return {at: new for at, new in follow.items() if new and words[at - 1][-1] in _CONSONANTS}

    def _joined(self, words: Mapping[int, str], requests: Mapping[int, tuple[int, str]]) -> tuple[Edit, ...]:
        """Return the edits that write new words and requests; `requests` as `_requests` returns them."""
        text, tokens, inside = self.doc.text, self._tokens, _inside(requests)
        ranges = {at: (at, word) for at, word in words.items() if at not in inside} | dict(requests)
        places = [(tokens[first].start, tokens[last].stop, new) for first, (last, new) in ranges.items()]
        edits = [Edit(*one, Note(text[one[0] : one[1]])) for one in places if text[one[0] : one[1]] != one[2]]
        return tuple(sorted(edits))

    def _requests(self, to: str, you: str, draw: Callable[[], bool]) -> dict[int, tuple[int, str]]:
        """Find the requests that become indirect («Не могли бы Вы …?») or direct, and their closing marks.

        Returns:
            Maps the number of the first token of each replaced range to the number of its last token and the new text.
        """
        found: dict[int, tuple[int, str]] = {}
        for first in range(len(self._tokens)):
            if to == "plur" and first in self.verbs:
                last, new = first, self._indirect(first, you)
            else:
                last, new = self._direct(first) if to == "sing" else (first, "")
            mark = self._sentences[last].stop if new else -1
            if mark >= 0:
                old, other = (".", "?") if to == "plur" else ("?", ".")
                if mark < len(self._tokens) and self._tokens[mark].text == old and (to == "sing" or draw()):
                    found[first], found[mark] = (last, new), (mark, other)
                    more = self._joined_infinitive(last) if to == "sing" else -1
                    if more >= 0:
                        found[more] = (more, self._imperative(more))
        return found

    def _indirect(self, at: int, you: str) -> str:
        """Return «Не могли бы Вы» with the infinitive of an imperative; "" if the request cannot be said so."""
        form, sentence = self.verbs[at], range(at, self._sentences[at].stop)
        if not ({"impr", "perf"} <= form.grammemes and same_word(form.lemma) in self._table.kinds["request"]):
            return ""
        single = sum(one in self.verbs for one in sentence) == 1 and self.syntax.child(at, "conj", "parataxis") is None
        short = {token.text for token in self._tokens[sentence.start : sentence.stop]}.isdisjoint({":", "—", "–", ";"})
        if not (self._starts(at) and single and short and len(self._clause(at)) > 1):
            return ""
        return f"{written_at(self.syntax, at, 'не')} могли бы {you} {written_at(self.syntax, at, form.lemma).lower()}"

    def _direct(self, at: int) -> tuple[int, str]:
        """Return the imperative for an indirect request («Не могли бы Вы прислать») that starts at a token.

        Returns:
            The number of the request's last token, and the imperative; "" if no such request starts there.
        """
        asked = next((one for one in _ASKED if self._lower[at : at + len(one)] == one), None)
        last = at + len(asked or ())
        if asked is None or last >= len(self._tokens) or not (at == 0 or self._starts(at)):
            return at, ""
        is_request = "не" in asked or self._lower[last] in self._table.kinds["request"]
        new = self._imperative(last) if is_request else ""
        return last, written_at(self.syntax, at, new) if new else ""

    def _imperative(self, at: int) -> str:
        """Return the imperative of a perfective infinitive; "" for other words."""
        form = next((one for one in known_forms(self._lower[at]) if {"INFN", "perf"} <= one.grammemes), None)
        return (inflect(form.lemma, form._replace(grammemes=_IMPERATIVE)) if form else None) or ""

    def _joined_infinitive(self, at: int) -> int:
        """Return the number of the next infinitive after one in its sentence if «и» joins the two; otherwise -1."""
        for other in range(at + 1, self._sentences[at].stop):
            if any("INFN" in one.grammemes for one in known_forms(self._lower[other])):
                return other if self._lower[other - 1] == "и" and self._imperative(other) else -1
        return -1

    def _pronoun(self, at: int, to: str, *, capital: bool) -> str:
        token, table = self._tokens[at], self._table
        word, before = self._lower[at], self._lower[at - 1] if at else ""
        place = before in _PLACES or (before in {"в", "во", "на"} and "Case=Loc" in token.features)
        if to == "plur":
            found = table.kinds["loct"].get(word, table.polite[word]) if place or before == "в" else table.polite[word]
            small = not capital
        else:
            others = {polite: one for one, polite in table.kinds["loct"].items()}
            found = others.get(word, table.familiar[word]) if place else table.familiar[word]
            if word == "вас" and before in {"в", "во"} and not place:
                return ""  # «в тебе» or «в тебя»
            small = not self._starts(at)
        written = written_at(self.syntax, at, found)
        if token.text.isupper() and len(token.text) > 1:
            return written
        if to == "plur" and capital and not found.startswith("по-"):
            return written[0].upper() + written[1:]
        return written[0].lower() + written[1:] if small and not self._starts(at) else written

    def _starts(self, at: int) -> bool:
        """Tell whether a token is the first word of a sentence or a line."""
        tokens = self._tokens
        before = at - 1
        while before >= 0 and self.syntax.marks[before] and tokens[before].text not in ENDS | {":", ","}:
            before -= 1
        gap = self.doc.text[tokens[before].stop : tokens[at].start]
        return before < 0 or tokens[before].text in ENDS or "\n" in gap

    def _is_certain(self, to: str) -> bool:
        """Tell whether one person is addressed, who may be addressed the other way."""
        kinds = self._table.kinds
        calls = kinds["close" if to == "plur" else "formal"]
        commands = any("impr" in form.grammemes for form in self.verbs.values())
        if not (self.pronouns or commands or "?" in self.doc.text):
            return False  # «тише едешь — дальше будешь»
        for at, token in enumerate(self._tokens):
            lemma = same_word(token.lemma)
            beside = "ты" in self._lower[max(at - 1, 0) : at + 2]
            if lemma in calls and (beside or self._is_call(at)) and not self._stays(at):
                return False  # «дурак ты, Саня»
            is_all = "Number=Sing" in token.features or "ё" in self._lower[at]  # «всё»
            if to == "sing" and (
                (same_word(token.text) in kinds["several"] and self._is_addressed(at) and not is_all)
                or (token.text.istitle() and len(token.text) > _SHORTEST and has_reading(token.text, "Patr"))
                or (lemma in calls and at and same_word(self._tokens[at - 1].text) in self._table.familiar)
            ):
                return False
            familiar = same_word(token.text.lower()) in _short_names() or token.text.endswith("ка")
            if to == "plur" and token.text.istitle() and familiar and self._is_call(at):
                return False  # «Ванька», «Саня»
            if to == "plur" and at in self.pronouns and token.text.istitle() and not self._starts(at):
                return False  # God
        return True

    def _is_call(self, at: int) -> bool:
        """Tell whether a noun stands between punctuation marks, as a form of address does: «Ну, Саня, пошли»."""
        tokens, marks = self._tokens, self.syntax.marks
        first, last = at - 1, at + 1
        while first >= 0 and tokens[first].pos in {"ADJ", "DET", "PROPN"}:
            first -= 1
        while last < len(tokens) and (tokens[last].pos in {"PROPN", "DET"} or tokens[last].text[0].isupper()):
            last += 1
        return (first < 0 or marks[first]) and (last >= len(tokens) or marks[last])

    def _is_addressed(self, at: int) -> bool:
        """Tell whether a word such as «все» says how many are addressed."""
        if self._is_call(at) or self._tokens[at].head in self.pronouns:
            return True
        beside = self._tokens[max(at - 2, 0) : at + 3]
        return any(same_word(one.text) in self._table.familiar for one in beside)

    def _predicates(self, to: str, done: Collection[int]) -> dict[int, str] | None:
        """Return the new words of the predicates of «ты» or «вы», and of «сам»; None if one is not certain.

        Args:
            to: as in `edits`.
            done: the numbers of the tokens in requests that are replaced as a whole.
        """
        tokens, old = self._tokens, _OTHER[to]
        gender = self._gender() if to == "sing" else ""
        own = self._own_predicates(old, done)
        found = {at: _agreeing(self._lower[at], old, gender) for at in own or ()}
        if own is None or not all(found.values()):
            return None
        settled = {*self.verbs, *found, *done}
        for at, token in enumerate(tokens):
            if at in settled or self._stays(at):
                continue
            if token.lemma != "сам":
                if _likely_addressing(self._lower[at], old) or self._may_be_own(at, old):
                    return None
            elif self._is_own(at, settled, old):
                if self._lower[at] in _SELF:
                    found[at] = "сами" if to == "plur" else _SELVES.get(gender, "")
                if to == "sing" and not found.get(at):
                    return None
        return found

    def _own_predicates(self, old: str, done: Collection[int]) -> list[int] | None:
        """Return the token numbers of the past tenses and short adjectives whose subject is «ты» or «вы».

        Return None if another word may be their subject.

        Args:
            old: how the text addresses: `sing` for «ты», `plur` for «вы».
            done: as in `_predicates`.
        """
        syntax, tokens = self.syntax, self._tokens
        found: dict[int, None] = {}
        for at in (one for one in self.pronouns if self._lower[one] in _SUBJECTS.values()):
            if at in done:
                continue
            if syntax.child(at, "acl:relcl", "conj", "nummod") is not None:
                return None
            if old == "plur" and any(
                "Number=Plur" in tokens[other].features
                and tokens[other].pos in {"NOUN", "ADJ"}
                and "Case=Nom" in tokens[other].features
                for other in (*self._clause(at), tokens[at].head)
            ):
                return None  # «вы герои»
            clause = self._clause_of_predicate(at, old)
            there = [other for other in clause if self._is_predicate(other, old)]
            named = (one for one in clause if _is_subject(tokens[one].text) and one not in self.pronouns)
            if there and not all(map(self._is_call, named)):
                return None
            below = [
                other
                for other in predicates(syntax, at)
                if self._is_predicate(other, old)
                and not any(_is_subject(tokens[one].text) for one in self._clause(other) if one not in clause)
            ]
            found.update(dict.fromkeys([*there, *below]))
        for at, form in self.verbs.items():  # «будь готов», «будешь рад»
            if form.lemma == "быть":
                found.update(dict.fromkeys(other for other in self._clause(at) if self._is_predicate(other, old)))
        subjects = [child for at in found if (child := syntax.child(at, "nsubj")) is not None]
        if any(_is_subject(tokens[at].text) and at not in self.verbs for at in subjects):
            return None
        return list(found)

    def _clause_of_predicate(self, at: int, old: str) -> range:
        """Return the clause of a pronoun, or the next one with a predicate if only commas stand between them."""
        clause, tokens = self._clause(at), self._tokens
        while clause and not any(other in self.verbs or self._is_predicate(other, old) for other in clause):
            if clause.stop + 1 >= len(tokens) or tokens[clause.stop].text != "," or self.syntax.marks[clause.stop + 1]:
                break
            clause = self._clause(clause.stop + 1)
        return clause

    def _is_predicate(self, at: int, old: str) -> bool:
        """Tell whether a token is a past tense, a short adjective or a short participle of this number."""
        return self._tokens[at].pos != "ADV" and bool(_predicate(self._lower[at], old))

    def _is_own(self, at: int, settled: set[int], old: str) -> bool:
        """Tell whether a form of «сам» belongs to the one who is addressed."""
        beside = [self._lower[other] for other in (at - 1, at + 1) if 0 <= other < len(self._tokens)]
        table = self._table.polite if old == "sing" else self._table.familiar
        if self._lower[at] not in _SELF:
            return any(one in table for one in beside)
        clause = self._clause(at)
        own = any(other in settled or self._lower[other] in _SUBJECTS.values() for other in clause)
        return own and not any(_is_subject(self._tokens[other].text) for other in clause)

    def _may_be_own(self, at: int, old: str) -> bool:
        """Tell whether a past tense or a short adjective without a subject may speak of the one who is addressed."""
        token, syntax = self._tokens[at], self.syntax
        if token.pos not in {"VERB", "ADJ"} or not self._is_predicate(at, old):
            return False
        clause = self._clause(at)
        if any(_is_subject(self._tokens[other].text) for other in clause):
            return False
        if any(other in self.pronouns for other in clause):
            return False  # «тебя увидел», «вас привезли»
        head, seen = at, {at}
        while syntax.child(head, "nsubj", "csubj") is None:
            relation, head = self._tokens[head].relation, self._tokens[head].head
            if relation not in {"conj", "cop", "aux", "aux:pass", "parataxis"} or head in seen:
                dependent = old == "sing" and relation in {"acl:relcl", "advcl", "ccomp"}  # «всё, что мог»
                return dependent or relation in {"root", "conj", "parataxis"}
            seen.add(head)
        return False

    def _gender(self) -> str:
        """Return the gender that a text tells of the one who is addressed, by a name or a singular adjective."""
        found = set()
        for at, token in enumerate(self._tokens):
            if self._lower[at] in {"сам", "сама"} and self._is_own(at, set(self.verbs), "plur"):
                found.add("femn" if self._lower[at] == "сама" else "masc")
            form = self.syntax.form(at) if token.pos in {"NOUN", "PROPN"} and self._is_call(at) else None
            if form is not None and "Name" in form.word and form.case == "nomn" and form.number == "sing":
                found.add(form.gender)
        return found.pop() if len(found) == 1 else ""


def _addresses(form: WordForm) -> bool:
    """Tell whether a form is a verb in the second person or an imperative."""
    marks = form.grammemes & {"2per", "impr", "incl"}
    told = bool(marks) and "incl" not in marks and "Abbr" not in form.variants  # «см.»
    return form.kind == "VERB" and bool(form.number) and told


@cache
def _addressing(word: str) -> tuple[WordForm, ...]:
    """Return the forms of a verb that address somebody, at most one imperative and one other; empty for other words."""
    found: dict[bool, WordForm] = {}
    if not (word.endswith(("шь", "шься")) or has_form_with(word, _ADDRESSING)):
        return ()
    for one in filter(_addresses, known_forms(word)):
        found.setdefault("impr" in one.grammemes, one)
    return tuple(found.values())


def _is_finite(word: str) -> bool:
    """Tell whether a word is most likely a past tense, or a verb in the third person."""
    return any({"past", "3per"} & one.grammemes and "VERB" in one.grammemes for one in known_forms(word)[:1])


@cache
def _likely_addressing(word: str, number: str) -> bool:
    """Tell whether a word is most likely a verb that addresses somebody in this number."""
    found = known_forms(word)[:1]
    return bool(found) and found[0] in _addressing(word) and found[0].number == number


@cache
def _predicate(word: str, number: str) -> tuple[WordForm, ...]:
    """Return the forms of a past tense, a short adjective or a short participle that «ты» or «вы» may have."""
    return tuple(
        one
        for one in known_forms(word)[:2]
        if not one.grammemes.isdisjoint({"past", "ADJS", "PRTS"})
        and not one.case
        and one.number == number
        and one.gender != "neut"
        and "GRND" not in one.grammemes
    )


@cache
def _agreeing(word: str, old: str, gender: str) -> str:
    """Return the same predicate in the other number; "" if it needs a gender and none is given.

    Of two words, the one that people write more often is taken: «уверены», not «уверенны».
    """
    wanted = ("plur",) if old == "sing" else ("sing", gender)
    found = [inflect(one.lemma, one.having(*wanted)) for one in _predicate(word, old) if wanted[-1]]
    return max((one for one in found if one), key=lambda one: count_of(one.replace("ё", "е")), default="")


@cache
def _is_subject(word: str) -> bool:
    """Tell whether a word can only be a subject: a nominative that is no accusative."""
    found = known_forms(word.lower())
    named = bool(found) and found[0].kind in {"NOUN", "NPRO"} and word.lower() not in _ADDRESSED
    cases = {one.first_case for one in found}
    return named and "nomn" in cases and "accs" not in cases


@cache
def _short_names() -> frozenset[str]:
    """Return the names among friends of the dictionary `names`, in lower case with е for ё."""
    found = rows(dictionary_path("names"), columns=4)
    return frozenset(same_word(short.lower()) for _, part, short, _ in found if part == "short")


def _inside(requests: Mapping[int, tuple[int, str]]) -> frozenset[int]:
    """Return the numbers of all tokens in the ranges that `_requests` returns."""
    return frozenset(at for first, (last, _) in requests.items() for at in range(first, last + 1))
