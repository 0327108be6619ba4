"""Laws that hold for every attack that is found, and for compositions of them."""

import json
import random
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from augment_ru import Augmenter, Batch, Perturber, Preparation, Result, Script, Span, Streams
from augment_ru.draws import digests
from augment_ru.engine.attack import Attack, Needs, make
from augment_ru.engine.edit_table import apply
from augment_ru.engine.legality import legal
from augment_ru.engine.prepare import Prepared
from augment_ru.errors import AugmentError
from augment_ru.language.annotate import Natasha
from augment_ru.text.characters import atoms_of
from augment_ru.text.doc import Doc
from profiles import IS_FULL, examples, third
from small_models import SENTENCES as KNOWN  # the small models that stand for published ones rewrite these
from strategies import ATTACKS, OFFLINE, SENTENCES, attacks, texts, texts_of_json, texts_with_promises

LAWS = settings(max_examples=examples(60))


@lru_cache(maxsize=256)
def prepared(needs: Needs, texts: tuple[str, ...]) -> Prepared:
    """Texts without constraints, prepared once for all attacks with these needs."""
    (chunk,) = Preparation(()).texts(texts, needs=[needs])
    return chunk


def outcomes(name: str, sources: Sequence[str], **options: Any) -> Sequence[Result]:  # noqa: ANN401
    """The results of an attack without constraints and gate, as `free` gives them."""
    perturber = Perturber(name, similarity="none", **options)
    return perturber.perturb(prepared(perturber.needs, tuple(sources))).results


def free(attack: Attack, **options: object) -> Augmenter:
    """An augmenter without constraints and gate: all that the attack wants, and links protected."""
    return Augmenter(attack, constraints=(), similarity="none", **options)  # type: ignore[arg-type]


def batch_of(attack: Attack, sources: Sequence[str], protected: Sequence[Sequence[Span]] = ()) -> Batch:
    """The texts, annotated as the attack needs."""
    annotate = Natasha()
    layers = attack.layers
    return Batch(sources, annotate(sources, layers) if layers else None, protected, annotate=annotate)


@LAWS
@given(attacks(), st.lists(texts(), max_size=4), st.integers(0, 3))
def test_the_same_draws_give_the_same_edits(attack: Attack, sources: list[str], seed: int) -> None:
    once, again = (free(attack, seed=seed).texts(sources) for _ in range(2))
    assert [result.script for result in once] == [result.script for result in again]


class AnnotatesAll:
    """Natasha's annotation of every text, whether an attack wants it or not."""

    signature = "all"

    def __call__(self, texts: Sequence[str], layers: frozenset[str]) -> list[Doc]:
        """The annotation."""
        return Natasha()(texts, layers)


@LAWS
@given(attacks(), st.lists(texts(), max_size=4))
def test_what_no_attack_wants_would_not_change(attack: Attack, sources: list[str]) -> None:
    some, every = (Augmenter(attack, similarity="none", annotator=one) for one in ("natasha", AnnotatesAll()))
    assert [one.script for one in some.texts(sources)] == [one.script for one in every.texts(sources)]


def test_records_that_were_prepared_for_other_attacks_are_refused() -> None:
    address, other = Perturber("address", similarity="none"), Perturber("case", similarity="none")
    (chunk,) = Preparation().texts(["Анна спит.", "Пришли мне отчёт."], needs=[address.needs])
    assert address.perturb(chunk).results[0].text == "Анна спит."
    with pytest.raises(AugmentError, match="prepared for other attacks"):
        other.perturb(chunk)


@LAWS
@given(attacks(), texts())
def test_edits_replay_and_change_something(attack: Attack, text: str) -> None:
    result = free(attack)(text)
    script = Script(text, result.script.edits)  # checks order, overlap and bounds anew
    assert script.text == result.text
    assert (result.status == "perturbed") == (result.text != text)
    assert all(edit.text != text[edit.start : edit.stop] for edit in script.edits)


@LAWS
@given(attacks(), texts(), st.data())
def test_protected_spans_survive_verbatim(attack: Attack, text: str, data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(text)), max_size=6).map(sorted))
    spans = [Span(*place, "GIVEN") for place in zip(places[::2], places[1::2], strict=False) if place[0] < place[1]]
    batch = batch_of(attack, [text], [spans])
    found = legal(batch, attack.propose_batch(batch, Streams.of(digests([text]), 1)))
    done = apply(batch, found, np.ones(found.ranks.size, dtype=np.bool_))
    script = Script(text, done[0].edits)
    assert script.text == done.texts[0]
    for span in (*spans, *atoms_of(text)):
        mapped = script.map(span)
        assert mapped is not None
        assert mapped.of(script.text) == span.of(text)


@pytest.mark.parametrize("name", third(OFFLINE, 0))
@settings(max_examples=10 if IS_FULL else 4)
@given(texts_with_promises())
def test_code_formulas_and_placeholders_stay_without_constraints(name: str, made: tuple[str, list[str]]) -> None:
    text, kept = made
    result = free(make(name), probability=1.0)(text)
    at = 0
    for part in kept:
        at = text.index(part, at)
        mapped = result.script.map(Span(at, at + len(part)))
        assert mapped is not None
        assert mapped.of(result.text) == part
        at += len(part)


@pytest.mark.parametrize("name", third(OFFLINE, 1))
@settings(max_examples=10 if IS_FULL else 4)
@given(texts_of_json(), st.sampled_from([None, 2]), st.booleans())
def test_json_keeps_its_keys_and_its_shape(name: str, value: object, indent: int | None, escaped: bool) -> None:  # noqa: FBT001
    text = json.dumps(value, ensure_ascii=escaped, indent=indent)
    result = free(make(name), probability=1.0)(text)
    assert shape(json.loads(result.text)) == shape(value)


def shape(value: object) -> object:
    """A value of JSON without its texts."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape(inner) for inner in value]
    return "" if isinstance(value, str) else value


@LAWS
@given(attacks(), texts())
def test_no_edit_cuts_a_grapheme_cluster(attack: Attack, text: str) -> None:
    ends = {0, *(match.end() for match in regex.finditer(r"\X", text))}
    for edit in free(attack, probability=1.0)(text).script.edits:
        assert {edit.start, edit.stop} <= ends


@LAWS
@given(attacks(), st.lists(texts(), min_size=2, max_size=5), st.randoms(use_true_random=False))
def test_neighbours_and_order_do_not_matter(attack: Attack, sources: list[str], chance: random.Random) -> None:
    augmenter = free(attack)
    alone = {text: augmenter(text).script for text in sources}
    shuffled = chance.sample(sources, len(sources))
    assert {result.source: result.script for result in augmenter.texts(shuffled)} == alone


ENDINGS = (")", " 1)", " 2.", ",", " —", " -", " ул.", " т.", " не", " @", "", ".")
BEGINNINGS = ("У кота вчера было много дел.", "1.", "г.", "ул.", "- Хлеб лежит на столе.", " да, кот спит.", ",")


@pytest.mark.parametrize("name", third(ATTACKS, 2))
def test_the_end_of_the_text_before_does_not_matter(name: str) -> None:
    """In the quick profile each ending stands before one of the beginnings, in one run."""
    if not IS_FULL:
        sources = [
            text
            for at, end in enumerate(ENDINGS)
            for text in (f"Кот пришёл домой{end}", BEGINNINGS[at % len(BEGINNINGS)])
        ]
        alone = {one.source: one.script for one in outcomes(name, BEGINNINGS, probability=1.0)}
        assert all(one.script == alone[one.source] for one in outcomes(name, sources, probability=1.0)[1::2])
        return
    for first in BEGINNINGS:
        sources = [first, *(text for end in ENDINGS for text in (f"Кот пришёл домой{end}", first))]
        (only,) = outcomes(name, [first], probability=1.0)
        assert all(result.script == only.script for result in outcomes(name, sources, probability=1.0)[::2])


@pytest.mark.parametrize("name", third(ATTACKS, 3))
def test_protected_spans_of_the_texts_beside_do_not_matter(name: str) -> None:
    augmenter = free(make(name, {"probability": 1.0}))
    sources = [*BEGINNINGS, *SENTENCES][0 if IS_FULL else ATTACKS.index(name) % 2 :: 1 if IS_FULL else 2]
    beside = [text for source in sources for text in ("@olga, ответьте, пожалуйста, @olga", source)]
    assert [one.script for one in augmenter.texts(beside)[1::2]] == [one.script for one in augmenter.texts(sources)]


@LAWS
@given(attacks(), texts())
def test_the_callers_random_state_is_left_alone(attack: Attack, text: str) -> None:
    state, array_state = random.getstate(), np.random.get_state()  # noqa: NPY002  (the global state is the point)
    free(attack)(text)
    assert random.getstate() == state
    after = np.random.get_state()  # noqa: NPY002
    assert str(after) == str(array_state)


@LAWS
@given(st.sampled_from(ATTACKS), texts(), st.integers(0, 2))
def test_edits_at_a_lower_probability_are_among_those_at_a_higher_one(name: str, text: str, seed: int) -> None:
    edits = [
        set(free(make(name), probability=probability, seed=seed, min_changes=0)(text).script.edits)
        for probability in (0.1, 0.4, 0.9)
    ]
    assert edits[0] <= edits[1] <= edits[2]


@LAWS
@given(attacks(), texts())
def test_probability_zero_changes_nothing(attack: Attack, text: str) -> None:
    result = Augmenter(attack, constraints=(), probability=0.0)(text)
    assert (result.text, result.status, result.script.edits) == (text, "unchanged", ())


@pytest.mark.parametrize("name", third(ATTACKS, 4))
def test_nothing_to_change_is_said_to_be_unchanged(name: str) -> None:
    for text in ("", " ", "\n\t ", "…", "\u200d"):
        (result,) = outcomes(name, [text], probability=1.0)
        assert (result.text, result.status) == (text, "unchanged")


SHORT = ("А", "ок", "Да", "ОК.", "я, я?", "№ 5 б)", "её", "go")


@pytest.mark.parametrize("name", third(ATTACKS, 5))
def test_a_text_of_one_or_two_letters_keeps_its_letters(name: str) -> None:
    for seed in range(4):
        for result in outcomes(name, SHORT, probability=1.0, seed=seed):
            words, now = (re.findall(r"[^\W\d_]+", one.casefold()) for one in (result.source, result.text))
            assert [word for word in now if word in words] == words
            assert result.reason == (None if result.status == "perturbed" else "short")


_ASKING = "Жду Ивана Петрова. Пришли ему отчёт. Покажи план. Назови дату. Перечисли всех."
_COSY = "Ура, мама! Пьём чай, едим суп, хлеб и булку на балконе, ну очень вкусно! Кот спит, а я вяжу кофту."
_SHORTENED = "Через 2 дня 5 кошек, т. е. все, сидели 8 часов в г. Казани, т. к. там 12 рыб, сыр и т. д."


@pytest.mark.parametrize("name", third(ATTACKS, 6))
def test_every_seed_gives_other_outcomes_and_zero_is_a_seed(name: str) -> None:
    sources = [
        _ASKING,
        _SHORTENED,
        _COSY,
        *SENTENCES,
        *(" ".join((*KNOWN[at:], *KNOWN[:at])) for at in range(len(KNOWN))),
    ]
    seeds = [0, 1, -1, 2**70] if IS_FULL else [0, (1, -1, 2**70)[ATTACKS.index(name) // 3 % 3]]
    found = {tuple(result.text for result in outcomes(name, sources, seed=seed)) for seed in seeds}
    assert len(found) == len(seeds)


@pytest.mark.parametrize("name", third(ATTACKS, 7))
def test_equal_texts_of_different_rows_are_changed_in_different_ways(name: str) -> None:
    text = f"{_ASKING} {' '.join(KNOWN[:6])} Кошка и собака бегут домой, а ещё темно, но они знают, что идти недалеко."
    if name in ("abbreviations", "numbers"):
        text = f"{text} {_SHORTENED}"
    if name in ("colloquial", "diminutives"):
        text = f"{_COSY} А завтра, говорят, будет дождь. Ладно, потом решим. Ну что, кто сегодня идёт гулять? Ты где?"
    perturber = Perturber(name, similarity="none")
    found = perturber.perturb(prepared_rows(perturber.needs, text, 60 if IS_FULL else 12)).results
    assert len({result.text for result in found}) >= len(found) // 6


@cache
def prepared_rows(needs: Needs, text: str, count: int) -> Prepared:
    """Rows of the same text, prepared as `prepared` does."""
    (chunk,) = Preparation(()).records([{"id": number, "text": text} for number in range(count)], needs=[needs])
    return chunk


@pytest.mark.parametrize("name", third(ATTACKS, 8))
def test_min_changes_holds_where_the_cut_leaves_nothing(name: str) -> None:
    text = "Кошка спит на окне, собака бежит домой."
    attack = make(name)
    result = free(attack, probability=1e-9, min_changes=1)(text)
    assert result.status == free(attack, probability=1.0)(text).status
    assert bool(result.script.edits) == (result.status == "perturbed")
    run = name in ("transliteration", "wrong_layout")
    assert len(result.script.edits) <= (9 if run else 2)  # a swap is two edits, a run of words and signs several


@pytest.mark.parametrize("name", third(ATTACKS, 9))
def test_a_draw_without_changes_leaves_the_text_clean(name: str) -> None:
    text = "Кошка спит на окне, собака бежит домой."
    possible = free(make(name), probability=1.0)(text).status == "perturbed"
    for similarity in ("none", "meaning"):
        result = Augmenter(make(name), constraints=(), probability=1e-9, min_changes=0, similarity=similarity)(text)
        assert (result.status, result.reason) == ("unchanged", "clean" if possible else "nothing")
        assert result.row()["augment"]["reason"] == result.reason


@pytest.mark.parametrize("name", third(ATTACKS, 10))
def test_the_name_is_that_of_the_file(name: str) -> None:
    attack = make(name)
    assert attack.name == name
    assert type(attack).__module__ == f"augment_ru.attacks.{name}"
    assert 0 < attack.probability <= 1
