"""The object that users hold: from several threads and processes, over streams, without side effects."""

import multiprocessing
import pickle
import re
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import augment_ru
from augment_ru import Augmenter, AugmentError, Chain, OneOf, Perturber, Preparation, Result, SomeOf, Span
from augment_ru.engine.attack import make
from augment_ru.engine.composition import attack_of
from augment_ru.engine.proposals import Replacements
from augment_ru.language.annotate import Natasha
from outcomes import became
from profiles import IS_FULL, third
from strategies import ATTACKS, SENTENCES

TEXTS = [f"{sentence} {number}" for sentence in SENTENCES for number in range(3)]


@pytest.mark.parametrize("spec", third([*ATTACKS, "eda_delete+butterfingers"], 0))
def test_a_copy_does_the_same(spec: str) -> None:
    augmenter = Augmenter(spec, candidates=2, seed=5)
    copy = pickle.loads(pickle.dumps(augmenter))  # noqa: S301  (made here)
    assert became(copy, SENTENCES) == became(augmenter, SENTENCES)


@pytest.mark.parametrize("spec", ["butterfingers", "emojify", "bae"], ids=["in columns", "by text", "a network"])
def test_threads_do_the_same(spec: str) -> None:
    augmenter = Augmenter(spec, candidates=2, seed=5)
    expected = became(augmenter, TEXTS)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(became, [augmenter] * 4, [TEXTS] * 4)) == [expected] * 4


def test_a_new_process_does_the_same() -> None:
    specs = ["butterfingers", "emojify", *(["bae"] if IS_FULL else [])]  # torch is slow to load
    augmenters = [Augmenter(spec, candidates=2, seed=5) for spec in specs]
    every = [TEXTS] * len(augmenters)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as processes:
        assert list(processes.map(became, augmenters, every)) == list(map(became, augmenters, every))


def test_results_are_picklable_values() -> None:
    for result in Augmenter("eda_swap").texts(TEXTS[:4]):
        copy = pickle.loads(pickle.dumps(result))  # noqa: S301  (made here)
        assert copy == result
        assert hash(copy) == hash(result)
        assert copy.row() == result.row()
        assert result.text in repr(result)


def test_records_stream() -> None:
    """No more rows are read ahead than a chunk holds."""
    read = 0

    def rows() -> Iterator[dict[str, Any]]:
        nonlocal read
        for number in range(10**9):
            read += 1
            yield {"id": number, "text": f"Кошка номер {number} спит."}

    stream = Augmenter("case", constraints=(), similarity="none").records(rows())
    assert next(stream).record.values["id"] == 0
    assert read < 2000


def test_a_record_keeps_its_bytes_in_any_subset_and_order() -> None:
    rows = [{"id": number, "text": text} for number, text in enumerate(TEXTS)]
    augmenter = Augmenter("eda_swap")
    whole = {result.record.values["id"]: result.line() for result in augmenter.records(rows)}
    for subset in (rows[::2], rows[::-1], rows[5:6]):
        for result in augmenter.records(subset):
            assert result.line() == whole[result.record.values["id"]]


def test_the_id_tells_equal_texts_apart() -> None:
    rows = [{"id": number, "text": "Кошка тихо спит на тёплом окне."} for number in range(20)]
    found = {result.text for result in Augmenter("butterfingers", similarity="none").records(rows)}
    assert len(found) == 20
    without = [{"text": row["text"]} for row in rows]
    assert len({result.text for result in Augmenter("butterfingers", similarity="none").records(without)}) == 1


def test_texts_and_records_of_texts_agree() -> None:
    augmenter = Augmenter("butterfingers", constraints=(), similarity="none")
    assert [result.text for result in augmenter.texts(TEXTS)] == [
        result.text for result in augmenter.records({"text": text} for text in TEXTS)
    ]


def test_no_records_and_no_texts() -> None:
    assert Augmenter("case").texts([]) == []
    assert list(Augmenter("case").records([])) == []


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(AugmentError, match="not a text"):
        Augmenter("case").texts(["кот", None])  # type: ignore[list-item]


def test_a_chain_does_one_after_another_and_offsets_refer_to_the_original() -> None:
    chain = Chain((make("emojify", {"probability": 1.0}), make("case", {"probability": 1.0})))
    result = Augmenter(chain, constraints=(), similarity="none")("Кошка и собака спят дома.")
    assert result.text.startswith("🐱") or result.text.startswith("🐈")
    assert " И " in result.text
    assert {edit.start for edit in result.script.edits} >= {0, 6}
    assert attack_of("emojify+case").name == chain.name


def test_a_chain_protects_what_the_original_says() -> None:
    for seed in range(10):
        chain = attack_of("eda_swap+eda_delete+butterfingers+case").with_probability(0.9)
        result = Augmenter(chain, similarity="none", seed=seed)("Вчера Анна Ахматова гуляла по Москве с друзьями.")
        for span in (Span(6, 19), Span(30, 36)):
            mapped = result.script.map(span)
            assert mapped is not None
            assert mapped.of(result.text) in ("Анна Ахматова", "Москве")


class Rewrite(augment_ru.Attack):
    """Writes «бодро гуляет» over a part of a text that begins and ends inside words which later parts leave alone."""

    name = "rewrite"
    probability = 1.0

    def propose(self, doc: augment_ru.Doc, rng: augment_ru.Rng) -> Iterator[augment_ru.Change]:
        """One change."""
        del rng
        start, stop = doc.text.index("икогда"), doc.text.index("т ночью")
        yield augment_ru.Change(0.1, (augment_ru.Edit(start, stop, "икогда бодро гуляе"),))


def test_a_chain_goes_on_where_a_part_has_rewritten_what_later_parts_leave_alone() -> None:
    chain = Chain((Rewrite(), make("eda_delete", {"probability": 1.0})))
    result = Augmenter(chain, constraints=(), similarity="none")("Кот никогда не спит ночью, а ловит мышей.")
    assert "никогда бодро гуляет" in result.text  # the whole of what was written stands for what was protected


def test_one_of_chooses_for_each_text() -> None:
    chosen = OneOf((make("case", {"probability": 1.0}), make("butterfingers", {"probability": 1.0})))
    results = Augmenter(chosen, constraints=(), similarity="none").texts([f"кошка {n} спит" for n in range(60)])
    cased = sum(result.text == result.source.upper() for result in results)
    assert 15 < cased < 45


def test_a_composition_reads_the_layers_of_all_its_parts() -> None:
    parts = [make(name) for name in ("case", "word_order", "emojify")]
    layers = frozenset[str]().union(*(part.layers for part in parts))
    assert len(layers) > max(len(parts[0].layers), len(parts[2].layers))
    assert {one.layers for one in (Chain(parts), OneOf(parts), SomeOf(parts, 2))} == {layers}


def test_some_of_needs_a_count_that_fits() -> None:
    with pytest.raises(AugmentError, match="count 3; needs an integer from 1 to 1"):
        SomeOf((make("case"),), 3)
    for wrong in ((), "case"):
        with pytest.raises(AugmentError, match="at least one"):
            Chain(wrong)
    with pytest.raises(AugmentError, match="did you mean 'case'"):
        OneOf(("caze",))
    assert Chain(("eda_swap", "case")).name == "eda_swap+case"


def test_an_attack_of_ones_own_is_held_to_the_law() -> None:
    """It proposes whatever it likes; the engine lets through what is legal."""

    class Rude(augment_ru.Attack):
        name = "rude"
        probability = 1.0

        def propose(self, doc: augment_ru.Doc, rng: augment_ru.Rng) -> Iterator[augment_ru.Change]:
            yield rng.change(augment_ru.Edit(0, len(doc.text), "всё"))
            yield rng.change(augment_ru.Edit(2, 5, "сам"))
            yield rng.change(augment_ru.Edit(14, 15, ""))  # would glue «в» to «Москве»
            yield rng.change(augment_ru.Edit(0, 1, doc.text[:1]))  # changes nothing

    result = Augmenter(Rude(), similarity="none")("Я так и живу в Москве.")
    assert result.text == "Я сам и живу в Москве."


def test_an_attack_that_proposes_nothing_is_refused() -> None:
    class Empty(augment_ru.Attack):
        name = "empty"
        probability = 0.5

    class Stranger:
        name = "stranger"
        probability = 0.5

    with pytest.raises(AugmentError, match=r"define propose\(doc, rng\)"):
        Augmenter(Empty(), similarity="none")("Кошка")
    for use in (Augmenter, lambda attack: Chain(("case", attack))):
        with pytest.raises(AugmentError, match=r"Stranger is not an attack; give the name of one, or inherit from"):
            use(Stranger())  # type: ignore[arg-type]
        with pytest.raises(AugmentError, match=r"Empty is a class, not an attack; give one that is made: Empty\(\)"):
            use(Empty)  # type: ignore[arg-type]


def test_settings_of_an_augmenter_cannot_be_set_afterwards() -> None:
    augmenter = Augmenter("case", seed=1)
    with pytest.raises(AttributeError, match="no attribute 'seed'"):
        augmenter.seed = 2  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(augmenter))("Кошка спит на окне.").text == augmenter("Кошка спит на окне.").text  # noqa: S301


def test_what_is_wrong_with_a_text_can_be_printed() -> None:
    """A lone surrogate cannot be written to a terminal; neither can pandas' NaN be told from a number."""
    with pytest.raises(AugmentError, match="lone surrogate U\\+D800 at character 7") as raised:
        Augmenter("case")("привет \ud800")
    assert str(raised.value).encode()
    with pytest.raises(AugmentError, match="field 'text' holds NaN, not a text"):
        list(Augmenter("case").records([{"text": float("nan")}]))


def test_one_prepared_batch_serves_many_attacks() -> None:
    """The texts are annotated once, and each attack does what it does alone."""
    calls: list[int] = []

    class Counting(Natasha):
        def __call__(self, texts: Sequence[str], layers: frozenset[str]) -> list[augment_ru.Doc]:
            calls.append(len(texts))
            return super().__call__(texts, layers)

    texts = ["Маша купила билет в Казань за 2500 рублей.", "Кошка спит на окне."]
    attacks = [Perturber(name, seed=7) for name in ("butterfingers", "emojify", "eda_swap")]
    needs = [attack.needs for attack in attacks]
    found: dict[str, list[Result]] = {}
    for prepared in Preparation(annotator=Counting()).texts(texts, needs=needs):
        found |= {one.attack.name: one.perturb(prepared).results for one in attacks}
    assert calls == [2]
    for name, results in found.items():
        assert results == Augmenter(name, seed=7).texts(texts)


def test_a_wrong_statement_about_order_costs_nothing_but_time() -> None:
    """Edits that overlap or reach over a text's end are dropped, whatever the attack states of them."""

    class Careless(augment_ru.Attack):
        name = "careless"
        probability = 1.0

        def propose_batch(self, batch: augment_ru.Batch, streams: augment_ru.Streams) -> augment_ru.Proposals:
            starts = np.repeat(batch.starts[:-1], 3) + np.tile([2, 0, 4], len(batch))
            new = Replacements.of(["xyz"] * starts.size)
            ranks = batch.draw(streams, starts)
            return augment_ru.Proposals.of_edits(starts, starts + 3, ranks, new.take, clean=True)

    for sources in (["Кошка спит.", "Дом.", "Собака лает."], ["Собака лает.", "Дом."]):
        for result in Augmenter(Careless(), similarity="none").texts(sources):
            assert result.status == "perturbed"
            assert augment_ru.Script(result.source, result.script.edits).text == result.text


def test_an_edit_of_the_line_end_of_a_text_is_dropped() -> None:
    class Beyond(augment_ru.Attack):
        name = "beyond"
        probability = 1.0

        def propose_batch(self, batch: augment_ru.Batch, streams: augment_ru.Streams) -> augment_ru.Proposals:
            ends = batch.starts[1:] - 1
            ranks = batch.draw(streams, ends)
            return augment_ru.Proposals.of_edits(
                ends, ends + 1, ranks, Replacements.of(["ы"] * ends.size).take, clean=True
            )

    results = Augmenter(Beyond(), similarity="none").texts(["Кошка спит.", "Собака лает."])
    assert [(result.status, result.text) for result in results] == [
        ("unchanged", "Кошка спит."),
        ("unchanged", "Собака лает."),
    ]


@pytest.mark.parametrize(
    ("start", "stop", "rank", "number", "message"),
    [
        (-3, -2, 0.5, 0, "proposed edit 0: global places -3 to -2"),
        (2, 1, 0.5, 0, "proposed edit 0: global places 2 to 1"),
        (99, 100, 0.5, 0, "proposed edit 0: global places 99 to 100"),
        (0, 1, float("nan"), 0, "proposed change 0: rank nan"),
        (0, 1, 1.0, 0, "proposed change 0: rank 1.0"),
        (0, 1, 0.5, 1, "changes are numbered 0, 1, 2"),
    ],
)
def test_columns_that_do_not_fit_the_batch_are_an_error(
    start: int, stop: int, rank: float, number: int, message: str
) -> None:
    class Wrong(augment_ru.Attack):
        name = "wrong"
        probability = 1.0

        def propose_batch(
            self,
            batch: augment_ru.Batch,  # noqa: ARG002
            streams: augment_ru.Streams,  # noqa: ARG002
        ) -> augment_ru.Proposals:
            return augment_ru.Proposals(
                np.array([start]), np.array([stop]), np.array([number]), np.array([rank]), Replacements.of(["ы"]).take
            )

    with pytest.raises(augment_ru.AugmentError, match=message):
        Augmenter(Wrong(), similarity="none").texts(["Кошка спит."])


def test_two_seeds_at_once_do_not_disturb_each_other() -> None:
    one, two = Augmenter("eda_swap", seed=1), Augmenter("eda_swap", seed=2)
    expected = became(one, TEXTS), became(two, TEXTS)
    found: dict[int, Any] = {}

    def work(number: int, augmenter: Augmenter) -> None:
        found[number] = became(augmenter, TEXTS)

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate((one, two))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (found[0], found[1]) == expected


def test_results_are_equal_whatever_stands_beside_their_records() -> None:
    augmenter = Augmenter("butterfingers", similarity="none", constraints=())
    alone, *_ = augmenter.texts(["Кот спит на диване."])
    beside, *_ = augmenter.texts(["Кот спит на диване.", "Пишите на a@b.ru."])
    assert alone == beside
    assert hash(alone) == hash(beside)


def test_a_part_of_probability_0_leaves_the_text_to_the_next_part() -> None:
    chain = Chain((make("case", {"probability": 0.0}), make("emojify", {"probability": 1.0})))
    (result,) = Augmenter(chain, similarity="none", constraints=()).texts(["Кошка видит рыбу."])
    assert result.text == "🐈 👀 🐟."


@dataclass(frozen=True)
class _OfWords(augment_ru.Attack):
    """Writes what it was given in the place of each word."""

    texts: Any
    notes: Any = None
    name: ClassVar[str] = "of_words"
    probability: float = 1.0

    def propose_batch(self, batch: augment_ru.Batch, streams: augment_ru.Streams) -> augment_ru.Proposals:
        starts, stops = batch.words
        ranks = batch.draw(streams, starts)
        return augment_ru.Proposals.of_edits(starts, stops, ranks, self.texts, notes=self.notes)


def test_new_texts_of_columns_are_a_list_or_a_function_that_returns_one() -> None:
    for texts in (["Кот", "бежит"], lambda indices: [["Кот", "бежит"][at] for at in indices.tolist()]):
        assert Augmenter(_OfWords(texts), similarity=None)("Кошка спит.").text == "Кот бежит."


@pytest.mark.parametrize(
    ("texts", "notes", "message"),
    [
        (lambda _: 5, None, "'int' object is not iterable"),
        (lambda indices: indices[9], None, "IndexError"),
        (lambda _: ["ы"], None, "1 new texts for 2 edits; return one each"),
        (["ы"], None, "1 new texts for 2 edits; give one each"),
        (lambda indices: [5] * indices.size, None, "TypeError"),
        (["ы", "э"], lambda _: 5, "'int' object is not iterable"),
        (["ы", "э"], lambda indices: ["ы"] * indices.size, "wrong notes for 2 edits; return a Note or None for each"),
    ],
)
def test_an_attack_whose_functions_fail_later_is_an_error_that_names_it(texts: Any, notes: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(augment_ru.AugmentError, match=f"^(attack 'of_words' failed: )?.*{re.escape(message)}"):
        _ = Augmenter(_OfWords(texts, notes), similarity=None)("Кошка спит.").script.notes


class _Told(augment_ru.Similarity):
    """A similarity whose scorer returns what it was given."""

    threshold = 0.5
    signature = "told"

    def __init__(self, scores: Any) -> None:  # noqa: ANN401
        self.scores = scores

    def against(self, references: Sequence[str]) -> Any:  # noqa: ANN401
        del references
        scorer = type("Told", (augment_ru.Scorer,), {"score": lambda _, __, candidates: self.scores(len(candidates))})
        return scorer()


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (lambda size: np.ones(size + 1), "scores of shape (2,) for 1 pairs; return one a pair"),
        (lambda _: None, "scores of shape () for 1 pairs"),
        (lambda size: np.full(size, np.nan), "a score of nan; scores are numbers of at most 1"),
        (lambda size: np.full(size, 1.5), "a score of 1.5; scores are numbers of at most 1"),
        (lambda size: ["x"] * size, "the similarity (Told) failed: ValueError"),
        (lambda size: 1 / (size - size), "the similarity (Told) failed: ZeroDivisionError"),
    ],
)
def test_scores_that_are_none_are_an_error(scores: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(augment_ru.AugmentError, match=re.escape(message)):
        Augmenter("case", similarity=_Told(scores), candidates=1, probability=1.0)("Кошка спит.")


def test_a_later_part_may_undo_what_an_earlier_one_has_changed() -> None:
    """«25» → «двадцать пять» → «25»: what was proposed for the text in between fits no other text."""
    chain = Chain([make(name, {"probability": 0.9}) for name in ("numbers", "add_sent", "numbers")])
    text = "Вчера Анна Ахматова гуляла по Москве и кормила 25 голубей."
    seeds = range(40 if IS_FULL else 16)
    found = [Augmenter(chain, similarity=None, constraints=(), seed=seed)(text) for seed in seeds]
    assert {one.status for one in found} == {"perturbed", "unchanged"}
    assert all(one.text == text for one in found if one.status == "unchanged")
