"""What is protected, in concrete cases."""

from augment_ru import Augmenter

PUSHKIN = "Пушкин жил в Москве, а умер в Петербурге."


def test_chosen_entity_types_are_the_protected_ones() -> None:
    result = Augmenter("case", constraints="named_entities:PER", similarity="none", probability=1.0)(PUSHKIN)
    assert "Пушкин" in result.text
    assert "Москве" not in result.text


def test_words_are_protected_by_their_place_in_the_text() -> None:
    text = " \n Пушкин  писал,  а Пушкин гулял."
    result = Augmenter("eda_delete", probability=1.0, similarity="none")(text)
    assert result.text.count("Пушкин") == 2
