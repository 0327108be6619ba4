"""Words by a masked language model: whole words, of the same kind and letter case, the same in every batch."""
# ruff: noqa: ANN401  (models and tokenizers have no better type)

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from augment_ru import Augmenter
from augment_ru.attacks.bae import Bae
from augment_ru.engine.attack import make
from augment_ru.errors import AugmentError
from augment_ru.inference import masked
from augment_ru.inference.masked import GAP, GapWord, same_kind, whole_words, with_gap, words_for
from augment_ru.inference.pretrained import Pretrained, load
from augment_ru.text.words import RUSSIAN
from small_models import SENTENCES

ATTACKS = ["bae"]  # a small model stands for its default


@pytest.fixture(scope="module")
def model(published: Path) -> Pretrained:
    return load("AutoModelForMaskedLM", str(published / "models--ai-forever--ruBert-base" / "snapshots" / "small"))


def test_the_head_runs_on_the_gap_alone_and_says_the_same(model: Pretrained, monkeypatch: pytest.MonkeyPatch) -> None:
    contexts = [f"Кошка {GAP} на окне.", f"{GAP} мыла раму и пела старую песню.", f"Вода кипит при {GAP}"]
    expected = words_for(model, contexts)
    monkeypatch.setattr(masked, "HEADS", {})
    whole = words_for(model, contexts)
    for ours, theirs in zip(expected, whole, strict=True):
        assert len(ours) > 10
        assert [word.text for word in ours] == [word.text for word in theirs]
        assert [word.logit for word in ours] == pytest.approx([word.logit for word in theirs], abs=1e-5)
    ids = model.tokenizer(contexts[0].replace(GAP, "[MASK]"), return_tensors="pt")
    with torch.inference_mode():
        logits = model.model(**ids).logits[0, ids["input_ids"][0].tolist().index(model.tokenizer.mask_token_id)]
    assert expected[0][0].logit == pytest.approx(float(logits[expected[0][0].token]), abs=1e-5)
    assert [word.logit for word in expected[0]] == sorted((word.logit for word in expected[0]), reverse=True)


def test_only_whole_russian_words_are_listed(model: Pretrained) -> None:
    found = whole_words(model.name, model.tokenizer)
    assert {"спит", "окне", "песню"} <= set(found.values())
    assert all(RUSSIAN.fullmatch(word) for word in found.values())
    assert not any(token.startswith("##") for token in model.tokenizer.convert_ids_to_tokens(list(found)))


class _Pieces:
    """A tokenizer of which only the vocabulary is asked."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def __len__(self) -> int:
        return len(self.tokens)

    def convert_ids_to_tokens(self, numbers: Any) -> list[str]:
        return [self.tokens[number] for number in numbers]

    def decode(self, numbers: list[int]) -> str:
        letters = {"Ġкот": " кот", "кот": "кот"}
        return "".join(letters.get(self.tokens[number], "?") for number in numbers)


@pytest.mark.parametrize(
    ("tokens", "found"),
    [
        (["кот", "##кот", "[MASK]", "cat", "кт", "я", "ж"], {0: "кот", 5: "я"}),
        (["▁кот", "кот", "▁cat", "<mask>", "▁и"], {0: "кот", 4: "и"}),
        (["Ġкот", "кот", "Ġcat"], {0: "кот"}),
    ],
)
def test_whole_words_are_known_in_every_kind_of_vocabulary(tokens: list[str], found: dict[int, str]) -> None:
    assert whole_words(str(tokens), _Pieces(tokens)) == found


def test_a_gap_has_words_around_it_and_no_half_ones() -> None:
    text = "слово " * 200 + "здесь" + " слово" * 200
    at = text.index("здесь")
    seen = with_gap(text, at, at + 5)
    assert seen.count(GAP) == 1
    assert set(seen.replace(GAP, " ").split()) == {"слово"}
    assert len(seen) < 650
    assert with_gap("Кошка спит.", 6, 10) == f"Кошка {GAP}."


def test_odd_contexts_have_no_words(model: Pretrained) -> None:
    odd = ["без пропуска", f"два {GAP} пропуска {GAP}", f"своя [MASK] и {GAP}", "., " * 300 + GAP]
    assert words_for(model, odd) == [(), (), (), ()]
    assert words_for(model, []) == []


class Forgetful(Bae):
    """Runs the model anew for every batch."""

    name: ClassVar[str] = "bae"

    def words(self, contexts: Sequence[str], *, remembered: bool = True) -> Sequence[tuple[GapWord, ...]]:
        del remembered
        return super().words(contexts, remembered=False)


class Doubtful(Bae):
    """Takes every draw for a close call."""

    name: ClassVar[str] = "bae"

    def tolerance(self) -> float:
        return 1e6


@dataclass(frozen=True)
class Listing(Bae):
    """Has a list of words in place of a model."""

    lists: tuple[GapWord, ...] = ()

    def words(self, contexts: Sequence[str], *, remembered: bool = True) -> Sequence[tuple[GapWord, ...]]:
        del remembered
        return [self.lists] * len(contexts)


def listed(*words: str) -> tuple[GapWord, ...]:
    """Words that are all as likely."""
    return tuple(GapWord(word, 0.0, at) for at, word in enumerate(words))


@pytest.mark.parametrize("mode", ["replace", "insert", "either"])
def test_the_same_words_in_every_batch(mode: str) -> None:
    attack = Forgetful(probability=0.5, mode=mode, same_pos=False)
    augmenter = Augmenter(attack, similarity="none", constraints=())
    together = [result.script for result in augmenter.texts(SENTENCES)]
    assert all(script.edits for script in together)
    assert [result.script for result in augmenter.texts(SENTENCES[::-1])][::-1] == together
    assert [augmenter(text).script for text in SENTENCES] == together


def test_a_remembered_list_of_words_is_the_one_that_the_model_gives() -> None:
    texts = [f"{sentence} И ещё." for sentence in SENTENCES]
    fresh, remembering = (
        Augmenter(attack(probability=1.0, same_pos=False), similarity="none", constraints=())
        for attack in (Forgetful, Bae)
    )
    expected = [result.script for result in fresh.texts(texts)]
    for _ in range(2):
        assert [result.script for result in remembering.texts(texts)] == expected


def test_a_close_call_is_settled_by_the_row_alone() -> None:
    certain, doubtful = (
        Augmenter(attack(probability=1.0, same_pos=False), similarity="none", constraints=())
        for attack in (Bae, Doubtful)
    )
    expected = [result.text for result in certain.texts(SENTENCES)]
    assert [result.text for result in doubtful.texts(SENTENCES)] == expected


def test_words_take_the_letter_case_of_what_they_replace() -> None:
    attack = Listing(probability=1.0, same_pos=False, lists=listed("ночь"))
    augmenter = Augmenter(attack, similarity="none", constraints=())
    assert augmenter("Кошка СПИТ, а  собака — нет 5 раз!").text == "Ночь НОЧЬ, ночь  ночь — нет 5 раз!"


def test_words_are_inserted_behind_words() -> None:
    attack = Listing(probability=1.0, mode="insert", lists=listed("очень"))
    augmenter = Augmenter(attack, similarity="none", constraints=())
    assert augmenter("Кошка спит, ДА.").text == "Кошка очень спит очень, ДА ОЧЕНЬ."


def test_a_word_gives_way_to_another_of_its_kind() -> None:
    attack = Listing(probability=1.0, lists=listed("кошка", "быстро", "бежит", "собака", "из"))
    for seed in range(5):
        augmenter = Augmenter(attack, similarity="none", constraints=(), seed=seed)
        assert augmenter("Кошка спит на окне").text.split()[:3] == ["Собака", "бежит", "из"]
    assert same_kind("кошка", "собака")
    assert not same_kind("кошка", "бежит")


def test_what_is_drawn_is_as_likely_as_the_model_says() -> None:
    words = (GapWord("ночь", 1.0, 5), GapWord("день", 0.0, 7), GapWord("час", -1.0, 9))
    texts = [f"Кошка {number}" for number in range(4000)]
    attack = Listing(probability=1.0, same_pos=False, lists=words)
    found = [result.text.split()[0] for result in Augmenter(attack, similarity="none", constraints=()).texts(texts)]
    shares = np.exp([1.0, 0.0, -1.0])
    assert [found.count(word) / 4000 for word in ("Ночь", "День", "Час")] == pytest.approx(
        (shares / shares.sum()).tolist(), abs=0.03
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "both"}, "possible: replace, insert, either"),
        ({"top_k": "0"}, "needs an integer, 1 or more"),
        ({"temperature": "0"}, "over 0"),
    ],
)
def test_wrong_options_are_one_line(options: dict[str, str], message: str) -> None:
    with pytest.raises(AugmentError, match=message):
        make("bae", options)


def test_a_model_of_another_kind_is_one_line(published: Path) -> None:
    marian = published / "models--Helsinki-NLP--opus-mt-ru-en" / "snapshots" / "small"
    with pytest.raises(AugmentError, match="AutoModelForMaskedLM") as error:
        Augmenter(Bae(model=str(marian)), similarity="none")("Кошка спит.")
    assert "\n" not in str(error.value)
