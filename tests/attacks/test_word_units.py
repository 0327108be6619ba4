"""Which words go, stay and move together in `eda_delete` and `eda_swap`."""

import pytest

from augment_ru import Augmenter, Perturber, Preparation
from augment_ru.attacks.eda_swap import constituents
from augment_ru.engine.edit_table import one_by_one
from augment_ru.engine.legality import legal
from outcomes import drawn


def changes(attack: str, text: str, candidate: int = 0) -> list[tuple[float, str]]:
    """The legal changes of a text, the lowest ranks first: the rank, and the text with this change alone."""
    perturber = Perturber(attack)
    (prepared,) = Preparation(constraints=()).texts([text], needs=[perturber.needs])
    prepared = prepared.seen_by(perturber.attack)
    found = legal(prepared.batch, perturber.proposals(prepared, candidate)).settled()
    return sorted(zip(found.ranks.tolist(), one_by_one(prepared.batch, found).texts, strict=True))


def test_what_only_adds_goes_before_what_the_sentence_is_about() -> None:
    texts = [text for _, text in changes("eda_delete", "Вчера старый врач тихо открыл дверь больницы.")]
    assert set(texts[:2]) <= {
        "старый врач тихо открыл дверь больницы.",
        "Вчера врач тихо открыл дверь больницы.",
        "Вчера старый врач открыл дверь больницы.",
    }
    assert all("открыл" in text for text in texts)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Он долго искал книгу, которую ему подарили.", "которую"),
        ("Где вчера стояла наша машина?", "Где"),
        ("Брат стал известным врачом.", "врачом"),
        ("Она опоздала, потому что проспала.", "потому что"),
        ("Вчера наши соседи купили пять новых стульев.", "пять новых стульев"),
        ("Сестра встретила его на вокзале.", "его"),
        ("Муж хочет собаку, а я кошку.", "я кошку"),
        ("Вчера пришёл новый мастер, его брат.", "его брат"),
        ("Скажи быстро, сколько углов у новой фигуры.", "сколько углов"),
        ("У наших соседей вчера был праздник.", "был"),
        ("Мне всегда легко было её петь.", "легко"),
        ("После смерти отца сын тихо продал дом.", "смерти отца"),
        ("По Гайчу сегодня сложно что-то сказать.", "По Гайчу"),
        ("А я громко смеялся, когда начальник пошутил?", "я"),
        ("Вчера выступил начальник штаба флота.", "штаба"),
        ("Проезд бесплатный, если есть социальная карта.", "социальная"),
        ("Детям до шести лет вход сегодня закрыт.", "до шести лет"),
        ("Вчера дети получили по одной новой книге.", "по одной"),
        ("Вчера мы узнали, что у соседки есть французские корни.", "французские"),
        ("До неё там ничего не было, а теперь стоит новый театр.", "До неё"),
        ("Он для нашего нового завода всё!", "Он"),
    ],
)
def test_what_holds_a_sentence_together_does_not_go_alone(text: str, kept: str) -> None:
    found = [new for _, new in changes("eda_delete", text)]
    assert found
    assert all(kept in new for new in found)


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("Сам директор вчера не пришёл.", "директор вчера не пришёл."),
        ("Сосед тоже не пришёл.", "Сосед не пришёл."),
        ("У соседки есть младшая сестра.", "У соседки младшая сестра."),
        ("Поэтому и нам не следует спешить.", "Поэтому нам не следует спешить."),
        ("Он шёл к дому.", "Он шёл дому."),
        ("Потом дети ушли домой.", "дети ушли домой."),
    ],
)
def test_what_a_reader_hardly_misses_may_go(text: str, gone: str) -> None:
    assert any(gone == new for candidate in range(10) for _, new in changes("eda_delete", text, candidate))


@pytest.mark.parametrize("candidate", range(5))
def test_an_attribute_may_go_in_a_phrase_beside_a_word_that_stays(candidate: int) -> None:
    found = [new for _, new in changes("eda_delete", "вошли с холодной вежливостью", candidate)]
    assert "вошли с вежливостью" in found


def test_a_conjunction_does_not_go_without_what_it_joins() -> None:
    found = [new for _, new in changes("eda_delete", "Ими часто управляли Вилли и Сет.")]
    assert "Ими часто управляли Вилли." in found
    assert "Ими часто управляли Вилли Сет." not in found


def test_a_set_phrase_goes_as_one() -> None:
    found = [new for _, new in changes("eda_delete", "Ремонт вчера оплатил жилец за свой счёт.")]
    assert any("свой" not in new for new in found)
    assert all(("за свой счёт" in new) != ("жилец." in new) for new in found if "жилец" in new)


def test_the_only_word_that_may_go_goes() -> None:
    assert [text for _, text in changes("eda_delete", "Вчера шёл.")] == ["шёл."]


def test_each_of_two_words_at_the_start_may_go_alone() -> None:
    assert {text for _, text in changes("eda_delete", "Вчера тихо шёл.")} == {"тихо шёл.", "Вчера шёл."}


def test_the_first_word_of_a_later_sentence_goes_with_the_space_behind_it() -> None:
    free = Augmenter("eda_delete", constraints=(), similarity="none", probability=0.6)
    found = drawn(free, "Кот спит. Вчера мама приехала.", 12)
    edits = {(edit.start, edit.stop) for result in found for edit in result.script.edits}
    assert (10, 16) in edits
    assert (9, 15) not in edits


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "Студенты потеряли веру в законность решений мирового сообщества.",
            ["Студенты", "потеряли", "веру", "в законность решений мирового сообщества"],
        ),
        ("Маша и Петя вчера купили свежий хлеб.", ["Маша и Петя", "вчера", "купили", "свежий хлеб"]),
        (
            "На день рождения брат подарил очень красивую книгу.",
            ["На день рождения", "брат", "подарил", "очень красивую книгу"],
        ),
        ("Лёд на этой реке тонок.", ["Лёд на этой реке", "тонок"]),
        ("Село стоит на реке Волга.", ["Село", "стоит", "на реке Волга"]),
        ("Он понял смысл главы 3.", ["Он", "понял", "смысл главы 3"]),
    ],
)
def test_the_constituents_of_a_clause(text: str, parts: list[str]) -> None:
    (prepared,) = Preparation(constraints=()).texts([text], needs=[Perturber("eda_swap").needs])
    batch = prepared.seen_by(Perturber("eda_swap").attack).batch
    assert [text[unit.start : unit.stop] for unit in constituents(batch)] == parts


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("Победный гол забил защитник.", "гол забил"),
        ("Он купался и не тонул летом.", "и не тонул"),
        ("Старый дом и сад видел капитан и мурлышек.", "и"),
    ],
)
def test_what_belongs_to_the_words_before_it_stays(text: str, fixed: str) -> None:
    (prepared,) = Preparation(constraints=()).texts([text], needs=[Perturber("eda_swap").needs])
    batch = prepared.seen_by(Perturber("eda_swap").attack).batch
    assert {text[unit.start : unit.stop]: unit.role for unit in constituents(batch)}[fixed] == "fixed"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Завтра директор подпишет доп. соглашение.", "доп. соглашение"),
        ("Доп. соглашение подпишет завтра директор.", "Доп. соглашение"),
        ("Фирма купила новое изд. книги.", "новое изд. книги."),
    ],
)
def test_an_abbreviation_keeps_its_full_stop_and_what_it_stands_beside(text: str, kept: str) -> None:
    swaps = [Augmenter("eda_swap", constraints=(), similarity="none", probability=1.0, seed=at) for at in range(10)]
    found = {swap(text).text for swap in swaps}
    assert found - {text}
    assert all(kept in one for one in found)


@pytest.mark.parametrize("seed", range(5))
def test_a_name_stays_and_its_neighbour_moves_around_it(seed: int) -> None:
    new = Augmenter("eda_swap", similarity="none", probability=1.0, seed=seed)("Вчера Иван Петров приехал.").text
    assert "Иван Петров" in new


@pytest.mark.parametrize(("text", "following"), [("Он увидел дом", "И кошка спит."), ("Кошка видит его", "Дом стоит.")])
def test_a_constituent_ends_with_its_text(text: str, following: str) -> None:
    swap = Augmenter("eda_swap", constraints=(), similarity="none", probability=1.0)
    assert [one.text for one in swap.texts([text, following])] == [swap(text).text, swap(following).text]
