"""The decisions of the networks of annotation: those of float64, whatever rounds the scores in float32."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augment_ru.language import slovnet
from augment_ru.language.slovnet import best_paths
from augment_ru.text.words import LETTERS
from profiles import examples
from strategies import SENTENCES, texts

KINDS = ("ner", "morph", "syntax")
WORDS = [found for text in SENTENCES if (found := LETTERS.findall(text))]


def annotated(sentences: list[list[str]]) -> tuple[object, ...]:
    """All decisions for these sentences."""
    return slovnet.entities(sentences), slovnet.tags(sentences), slovnet.trees(sentences)


@settings(max_examples=examples(15))
@given(st.lists(texts().map(str.split), min_size=1, max_size=4))
def test_every_decision_is_that_of_float64(sentences: list[list[str]]) -> None:
    sentences = [words for words in sentences if words] or WORDS[:1]
    found = annotated(sentences)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slovnet, "NOISE", np.inf)  # so that all is decided again
        assert annotated(sentences) == found
        patch.setattr(slovnet, "_network", slovnet._precise)  # noqa: SLF001  (and nothing in float32)
        patch.setattr(slovnet, "NOISE", 0.0)
        assert annotated(sentences) == found


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_done_again_at_a_place_is_what_the_whole_sentence_gives(kind: str) -> None:
    network = slovnet._precise(kind)  # noqa: SLF001
    places = [(at, place) for at, words in enumerate(WORDS) for place in range(len(words))]
    alone = network.at_places(WORDS, places)
    assert alone.dtype == np.float64
    assert np.abs(alone - np.concatenate(list(network.encoded(WORDS)))).max() < 1e-10


def test_noise_under_the_bound_changes_no_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tag is moved by as much as float32 may move it, so near tags change places unless they are decided again."""
    network, exact = slovnet._network("morph"), slovnet._precise("morph")  # noqa: SLF001
    scores = [exact.model.head(outputs) for outputs in exact.encoded(WORDS)]
    expected = slovnet.tags(WORDS)
    gaps = np.concatenate([np.diff(np.partition(row, -2)[:, -2:]).ravel() for row in scores])
    noise = float(np.sort(gaps)[4])  # five words of these sentences are that near
    moved = 0
    for seed in range(10):
        shift = np.random.default_rng(seed).uniform(-noise, noise, len(network.labels)).astype(np.float32)
        head = type(network.model.head)(network.model.head.proj.replace(bias=_plus(network, shift)))
        model = type(network.model)(network.model.emb, network.model.encoder, head)
        noisy = replace(network, model=model)
        monkeypatch.setattr(slovnet, "_network", lambda _, noisy=noisy: noisy)
        monkeypatch.setattr(slovnet, "_precise", lambda _: exact)
        monkeypatch.setattr(slovnet, "NOISE", 2.1 * noise)
        assert slovnet.tags(WORDS) == expected
        monkeypatch.setattr(slovnet, "NOISE", 0.0)
        moved += slovnet.tags(WORDS) != expected
    assert moved


def _plus(network: slovnet._Network, shift: np.ndarray) -> object:
    bias = network.model.head.proj.bias
    return bias.replace(array=bias.array + shift)


@settings(max_examples=examples(60))
@given(st.lists(st.integers(0, 5), min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_the_crf_finds_the_best_path_and_how_far_ahead_it_is(sizes: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    emissions, transitions = [rng.normal(size=(size, 3)) for size in sizes], rng.normal(size=(3, 3))
    found = {at: (tags, ahead) for at, tags, ahead in best_paths(emissions, transitions)}
    assert found.keys() == {at for at, size in enumerate(sizes) if size}
    for at, (tags, ahead) in found.items():
        places = range(len(emissions[at]))
        scores = {
            path: sum(emissions[at][place, path[place]] for place in places)
            + sum(transitions[path[place - 1], path[place]] for place in places[1:])
            for path in product(range(3), repeat=len(places))
        }
        best = max(scores, key=lambda path: scores[path])
        assert tuple(tags.tolist()) == best
        for place in places:
            other = max(score for path, score in scores.items() if path[place] != best[place])
            assert ahead[place] == pytest.approx(scores[best] - other)
