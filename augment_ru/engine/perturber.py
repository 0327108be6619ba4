"""The class `Perturber`: applies one attack to prepared records, and searches for texts that stay similar enough."""

import copy
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Any, Self

import numpy as np

from augment_ru.draws import Ints, Rng, Streams, digests, mix
from augment_ru.edits import Change
from augment_ru.engine.attack import Attack, Needs, checked_attack, proposals_of
from augment_ru.engine.composition import attack_of
from augment_ru.engine.edit_table import apply
from augment_ru.engine.legality import legal
from augment_ru.engine.prepare import Prepared
from augment_ru.engine.proposals import Proposals, one_behind_another
from augment_ru.engine.result import Perturbed, Settings
from augment_ru.engine.search import SCHEDULES, Found, Gate, Plan, Units, cut
from augment_ru.engine.similarity import ScoreFunction, Scorer, Similarity, scorer_of, similarity_of
from augment_ru.errors import AugmentError, check_known
from augment_ru.options import integer
from augment_ru.records.options import reordered
from augment_ru.text.characters import Mask

_MOST_CANDIDATES = 1000
# between so many code points of all candidates, columns have 32 bits: half the memory
_LONG, _LONGEST = 2**18, 2**29
_log = logging.getLogger(__name__)


class Perturber:
    """Applies one attack to records that a `Preparation` has prepared, with a gate and a search.

    The gate lets only texts pass whose similarity to the original is at least the threshold. The search looks for such
    texts.

    A perturber is immutable and picklable. The result for a record depends only on the settings, the seed, and the
    record's id or texts.

    Args:
        attack: an attack, its name, a file of yours (`my_attack.py`) or `python:MODULE:CLASS`, or names joined by `+`.
        similarity: `meaning`, `navec`, `none`, a `Similarity`, or a function (references, candidates) -> scores.
        threshold: the lowest similarity that passes, in [0, 1]; by default the similarity's own.
        schedule: how the search goes: `paper` (halve the probability until the texts pass the gate) or `strongest` (as
            many changes as still pass).
        seed: the seed of all random draws, any integer.
        probability: the share of the possible changes that are made, in [0, 1]; by default the attack's own.
        candidates: how many random perturbations are tried for each record, 1 to 1000.
        min_changes: the fewest changes that each record gets at a positive probability. If the similarity scores
            sentences, the number holds for each sentence. Where fewer changes are possible, all of them are made. With
            0, a record may get none: only changes with a rank (random number) below the probability are made. By
            default the attack's own number.
        floor: the lowest probability that the search tries, in (0, 1].

    Raises:
        AugmentError: a name is unknown, or a value is out of range.
    """

    def __init__(
        self,
        attack: str | Attack,
        *,
        similarity: str | Similarity | ScoreFunction | None = "meaning",
        threshold: float | None = None,
        schedule: str = "paper",
        seed: int = 42,
        probability: float | None = None,
        candidates: int = 3,
        min_changes: int | None = None,
        floor: float = 0.01,
    ) -> None:
        self.attack = attack_of(attack, may_import=True) if isinstance(attack, str) else checked_attack(attack)
        if probability is not None:
            self.attack = self.attack.with_probability(probability)
        self.similarity = None if self.attack.permutes_options else similarity_of(similarity, may_import=True)
        self.attack = self.attack if self.similarity else self.attack.without_gate()
        if threshold is not None and not (_is_number(threshold) and 0.0 <= threshold <= 1.0):
            raise AugmentError(f"`threshold` {threshold!r}; needs a number from 0 to 1")
        if threshold is not None and similarity in (None, "none"):
            raise AugmentError(f"`threshold` {threshold}: `similarity` none scores nothing; leave one of them out")
        check_known("schedule", str(schedule), SCHEDULES)
        if not (_is_number(floor) and 0.0 < floor <= 1.0):
            raise AugmentError(f"`floor` {floor!r}; needs a probability over 0")
        self.threshold = self.similarity.threshold if threshold is None and self.similarity else threshold
        self.schedule = schedule
        self.seed = integer("seed", seed)
        self.candidates = integer("`candidates`", candidates, least=1, most=_MOST_CANDIDATES)
        least_changes = self.attack.min_changes if min_changes is None else min_changes
        self.min_changes = integer("`min_changes`", least_changes, least=0)
        self.attack = self.attack.with_min_changes(self.min_changes)
        self.floor = floor
        self.draw = 0

    def __repr__(self) -> str:
        gate = type(self.similarity).__name__ if self.similarity else "none"
        draw = f", draw={self.draw}" if self.draw else ""
        return f"Perturber({self.attack!r}, similarity={gate}, threshold={self.threshold}, seed={self.seed}{draw})"

    def at_draw(self, draw: int) -> Self:
        """Return a copy of this perturber with other random draws, so that the same text gets other changes.

        Args:
            draw: the number of the draw, an integer of 0 or more; a new perturber has draw 0.

        Raises:
            AugmentError: `draw` is not such a number.
        """
        number = integer("draw", draw, least=0)
        if number == self.draw:
            return self
        other = copy.copy(self)
        other.draw = number
        return other

    def with_corpus(self, corpus: Any) -> Self:  # noqa: ANN401  (as `Attack.with_corpus`)
        """Return a copy of this perturber whose attack has a corpus: texts from the input of the run.

        An attack that needs no corpus stays as it is.
        """
        other = copy.copy(self)
        other.attack = self.attack.with_corpus(corpus)
        return other

    @property
    def needs(self) -> Needs:
        """The needs of the attack and the similarity: which layers of annotation they read, and of which texts."""
        own, read = self.attack.needs, self.similarity.layers if self.similarity else frozenset()
        layered = () if read else own.layered  # a similarity may read any text
        return own._replace(layers=own.layers | read, layered=layered, scored=self.similarity is not None)

    @property
    def settings(self) -> Settings:
        """The settings of the attack and its gate (similarity check), which all results of this perturber share."""
        scorer = self.similarity.signature if self.similarity else "none"
        threshold = self.threshold if self.similarity else None
        return Settings(
            self.attack.name,
            self.seed,
            scorer,
            threshold,
            self.attack.corpus_digest,
            self.draw,
            self.attack.probability,
        )

    def perturb(self, prepared: Prepared) -> Perturbed:
        """Perturb prepared records, and return the results of all records together, in arrays.

        Raises:
            AugmentError: the attack or the similarity fails, or reads a layer of annotation that was not computed.
        """
        prepared = prepared.seen_by(self.attack)
        began = time.perf_counter()
        if self.attack.permutes_options or not prepared.batch:  # there may be no text, as in rows with empty lists
            perturbed = self._in_other_order(prepared)
        elif self.similarity is None or self.attack.probability == 0:
            perturbed = self._without_gate(prepared)
        else:
            perturbed = self._through_gate(prepared, self.similarity)
        _log.debug("%s: %d records in %.3f s", self.attack.name, len(prepared), time.perf_counter() - began)
        return perturbed

    def proposals(self, prepared: Prepared, candidate: int) -> Proposals:
        """Return all changes that the attack proposes for one candidate (one random perturbation), allowed or not.

        Args:
            prepared: the records, with the spans that are protected from this attack (`Prepared.seen_by`).
            candidate: the index of the candidate, from 0.
        """
        return proposals_of(self.attack, prepared.batch, self._streams(prepared, [candidate]))

    def _streams(self, prepared: Prepared, candidates: Sequence[int]) -> Streams:
        """Return a stream for each text and candidate.

        The streams of all texts for the first candidate come first, then those for the next candidate. The key of a
        stream depends on the seed, attack, record, field, candidate and draw.
        """
        draw = (self.draw,) if self.draw else ()
        shared = Streams.of(prepared.keys, self.seed, self.attack.name)
        own = Streams.of(shared.spread(candidates).keys, *draw).keys[:, prepared.owners]
        names = tuple(dict.fromkeys(prepared.fields))
        salts = digests(names)
        if len(names) > 1:
            salts = salts[[names.index(name) for name in prepared.fields]]
        return Streams(mix((own ^ salts).ravel()))

    def _plan(
        self, prepared: Prepared, candidates: int, units_of: Callable[[Proposals], Units]
    ) -> tuple[Plan, Mask, Ints, Units]:
        """Plan the changes of each candidate that the engine allows.

        Args:
            prepared: the records.
            candidates: the number of candidates.
            units_of: returns what is searched by itself (sentences or records), given these changes.

        Returns:
            The plan; whether each of its changes is active at the attack's probability, shape (changes,); the number of
            active changes of each try, shape (tries,); and what is searched by itself.
        """
        batch = prepared.batch
        keys = self._streams(prepared, range(candidates)).keys.reshape(candidates, -1)
        is_long = _LONG < batch.codes.size * candidates < _LONGEST
        proposed = (proposals_of(self.attack, batch, Streams(own)) for own in keys)
        every = [one.in_columns_of(np.int32) if is_long else one for one in proposed]
        found = legal(batch, one_behind_another(every, candidates=True))
        del every  # the columns of a long text take 30 MB
        firsts = found.starts[found.first_edits]
        if prepared.unread is not None and prepared.unread[batch.rows(found.starts)].any():
            raise AugmentError(f"{self.attack.name}: the records were prepared for other attacks; give its `needs` too")
        units = units_of(found)
        number = units.records.size
        owners = units.owners.astype(found.changes.dtype)[units.pieces(firsts)]
        owners += 0 if found.candidates is None else found.candidates * number
        plan = Plan.of(found, owners, candidates * number)
        active = cut(found, plan.owners, self.attack.probability, self.min_changes)
        return plan, active, np.bincount(plan.owners[active], minlength=plan.levels.size), units

    def _in_other_order(self, prepared: Prepared) -> Perturbed:
        """Return the records with their options in another order; no legality or gate applies, as no words change."""
        keys = Streams.of(prepared.keys, self.seed, self.attack.name).keys.tolist()
        found, changes = Found.nothing(len(prepared)), [list[Change]() for _ in prepared.fields]
        for at, (record, key) in enumerate(zip(prepared.records, keys, strict=True)):
            order = self.attack.order_of(record, Rng(key), self.draw)
            if order is None or order == tuple(range(len(order))):
                continue
            found.orders[at], found.candidates[at], found.probabilities[at] = order, 0, self.attack.probability
            edits = reordered(record, order).edits
            for row in prepared.rows(at):
                if own := edits.get(prepared.fields[row]):
                    changes[row].append(Change(0.0, tuple(own)))
        proposals = Proposals.of_changes(prepared.batch, changes)
        none = np.zeros(len(prepared), dtype=np.bool_)
        edits_of = apply(prepared.batch, proposals, np.ones(proposals.ranks.size, dtype=np.bool_))
        return Perturbed(self.settings, prepared, edits_of, found, none, none)

    def _without_gate(self, prepared: Prepared) -> Perturbed:
        whole = Units.whole(prepared.batch, prepared.owners, len(prepared))
        every, active, changes, _ = self._plan(prepared, 1, lambda _: whole)
        clean = (every.levels > 0) & (changes == 0)
        if prepared.questions is not None:
            active = prepared.questions.kept_apart(every.proposals, every.owners, active)
        changed = np.bincount(every.owners[active], minlength=len(prepared)) > 0
        found = Found.nothing(len(prepared))
        found.candidates[changed] = 0
        found.probabilities[:] = self.attack.probability
        edits = apply(prepared.batch, every.proposals, active)
        return Perturbed(self.settings, prepared, edits, found, changes > 0, clean)

    def _through_gate(self, prepared: Prepared, similarity: Similarity) -> Perturbed:
        records, scorer = len(prepared), scorer_of(similarity, prepared.references)
        every, active, changes, units = self._plan(prepared, self.candidates, partial(self._units, prepared, scorer))
        clean = (every.levels[: units.records.size] > 0) & (changes[: units.records.size] == 0)
        if clean.any():
            dirty = ~np.tile(clean, self.candidates)
            active &= dirty[every.owners]
            changes *= dirty
        gate = Gate(
            prepared.batch,
            units,
            every,
            active,
            scorer,
            candidates=self.candidates,
            threshold=float(self.threshold or 0.0),
            min_changes=self.min_changes,
            questions=prepared.questions,
        )
        del every, active
        best = SCHEDULES[self.schedule](gate, self.attack.probability, self.min_changes, self.floor)
        edits = gate.taken(best)
        best = gate.finished(best, prepared.owners, records, self.attack.probability)
        possible, cleared = np.zeros((2, records), dtype=np.bool_)
        possible[units.records[gate.by_candidate(changes).max(axis=0) > 0]] = True
        cleared[units.records[clean]] = True
        kept = replace(prepared)  # results, which may be kept for long, do not hold the scorer
        return Perturbed(self.settings, kept, edits, best, possible, cleared & ~possible)

    @staticmethod
    def _units(prepared: Prepared, scorer: Scorer, found: Proposals) -> Units:
        """Return the units of the search: sentences, if the scorer scores these; otherwise records.

        A record with questions is always one unit.
        """
        batch, sentences = prepared.batch, scorer.sentences
        if sentences is None or (sentences.size == len(prepared) == len(set(prepared.owners.tolist()))):
            return Units.whole(batch, prepared.owners, len(prepared))
        whole = np.zeros(0, dtype=np.int64) if prepared.questions is None else prepared.questions.records
        return Units.sentences(batch, prepared.owners, sentences, found, whole)


def _is_number(value: object) -> bool:
    return isinstance(value, Real)
