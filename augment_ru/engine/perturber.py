"""The class `Perturber`: applies one attack to prepared records, with its gate and search."""

import copy
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from numbers import Real
from typing import Any, Self

import numpy as np

from augment_ru.draws import Keys, Streams, digests, mix
from augment_ru.engine.applied import Applied, apply
from augment_ru.engine.attack import Attack, Needs, checked_attack, proposals_of
from augment_ru.engine.composition import attack_of
from augment_ru.engine.gate import Gate, Legal
from augment_ru.engine.legality import legal_of_each
from augment_ru.engine.outcome import Chunk, Settings
from augment_ru.engine.prepared import Prepared
from augment_ru.engine.proposals import Proposals
from augment_ru.engine.result import Result
from augment_ru.engine.schedules import SCHEDULES
from augment_ru.engine.search import Cost, Found, cut
from augment_ru.engine.similarity import ScoreFunction, Similarity, scorer_of, similarity_of
from augment_ru.engine.tiles import Tiles
from augment_ru.errors import AugmentError, unknown
from augment_ru.formats.row import Changed
from augment_ru.options import integer
from augment_ru.records.record import Record
from augment_ru.text.characters import Mask

_MOST_CANDIDATES = 1000
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Perturbed:
    """What became of a chunk of records.

    Attributes:
        cost: the cost of the search.
        chunk: the results in columns; None if there is no record.
    """

    cost: Cost
    chunk: Chunk | None

    @cached_property
    def results(self) -> list[Result]:
        """The results, in the order of the records; they are made when they are first read."""
        return [] if self.chunk is None else [Result(self.chunk, at) for at in range(len(self.chunk))]

    def rows(self, meta: str) -> list[tuple[Record, Changed]]:
        """The records, and what is written for each: the same as its result says, which is not made."""
        chunk = self.chunk
        numbers = range(0 if chunk is None else len(chunk))
        return [] if chunk is None else [(chunk.record(at), chunk.changed(at, meta)) for at in numbers]


class Perturber:
    """An attack with its gate and search, for records that a `Preparation` has prepared.

    Immutable and picklable. The result for a record depends only on the settings, the seed, and the record's id or
    texts.

    Args:
        attack: an attack, its name, a file of yours (`my_attack.py`) or `python:MODULE:CLASS`, or names joined by `+`.
        similarity: `meaning`, `navec`, `none`, a `Similarity`, or a function (references, candidates) -> scores.
        threshold: the lowest similarity that passes, in [0, 1]; by default the similarity's own.
        schedule: `paper` (halve the probability until the gate passes) or `strongest` (many changes that still pass).
        seed: any integer.
        probability: the share of the possible changes, in [0, 1]; by default the attack's own.
        candidates: how many perturbations are tried for each record, 1 to 1000.
        min_changes: the least number of changes at a positive probability, if a record has so many; by default the
            attack's own. With 0 a record is left clean if no change of its first candidate is active.
        floor: the lowest probability that the search tries, in (0, 1].

    Raises:
        AugmentError: a name is unknown, or a value out of its range.
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
        self.similarity = similarity_of(similarity, may_import=True)
        if threshold is not None and not (_is_number(threshold) and 0.0 <= threshold <= 1.0):
            raise AugmentError(f"threshold {threshold!r}; needs a number from 0 to 1")
        if schedule not in SCHEDULES:
            raise unknown("schedule", str(schedule), SCHEDULES)
        if not (_is_number(floor) and 0.0 < floor <= 1.0):
            raise AugmentError(f"floor {floor!r}; needs a probability over 0")
        self.threshold = self.similarity.threshold if threshold is None and self.similarity else threshold
        self.schedule = schedule
        self.seed = integer("seed", seed)
        self.candidates = integer("candidates", candidates, least=1, most=_MOST_CANDIDATES)
        least_changes = self.attack.min_changes if min_changes is None else min_changes
        self.min_changes = integer("min_changes", least_changes, least=0)
        self.attack = self.attack.with_min_changes(self.min_changes)
        self.floor = floor
        self.draw = 0

    def __repr__(self) -> str:
        gate = type(self.similarity).__name__ if self.similarity else "none"
        draw = f", draw={self.draw}" if self.draw else ""
        return f"Perturber({self.attack!r}, similarity={gate}, threshold={self.threshold}, seed={self.seed}{draw})"

    def at_draw(self, draw: int) -> Self:
        """The same perturber with the random numbers of another draw: the same text gets other changes.

        Args:
            draw: the number of the draw, 0 or more; 0 is that of every perturber.

        Raises:
            AugmentError: it is no such number.
        """
        number = integer("draw", draw, least=0)
        if number == self.draw:
            return self
        other = copy.copy(self)
        other.draw = number
        return other

    def with_corpus(self, corpus: Any) -> Self:  # noqa: ANN401  (as `Attack.with_corpus`)
        """The same perturber with a corpus for its attack, if the attack wants one."""
        other = copy.copy(self)
        other.attack = self.attack.with_corpus(corpus)
        other.__dict__.pop("needs", None)
        return other

    @cached_property
    def needs(self) -> Needs:
        """What the records must be prepared with."""
        read = self.similarity.layers if self.similarity else frozenset()
        return Needs.of_all([self.attack.needs, Needs(read)])

    @property
    def settings(self) -> Settings:
        """The settings that are the same for all its results."""
        scorer = self.similarity.signature if self.similarity else "none"
        threshold = self.threshold if self.similarity else None
        return Settings(self.attack.name, self.seed, scorer, threshold, self.attack.corpus_digest, self.draw)

    def perturb(self, prepared: Prepared) -> Perturbed:
        """Perturb prepared records.

        Raises:
            AugmentError: the attack or the similarity fails, or reads a layer that was not computed.
        """
        if not len(prepared):
            return Perturbed(Cost(), None)
        prepared = prepared.seen_by(self.attack)
        began = time.perf_counter()
        if not prepared.batch:  # no record has a text, as rows whose list of texts is empty
            none = np.zeros(len(prepared), dtype=np.bool_)
            applied = apply(prepared.batch, Proposals.of_changes(prepared.batch, ()), none[:0])
            perturbed = self._perturbed(prepared, applied, Found.nothing(len(prepared)), possible=none, clean=none)
        elif self.similarity is None or self.attack.probability == 0:
            perturbed = self._without_gate(prepared)
        else:
            perturbed = self._through_gate(prepared, self.similarity)
        _log.debug("%s: %d records in %.3f s", self.attack.name, len(prepared), time.perf_counter() - began)
        return perturbed

    def proposals(self, prepared: Prepared, candidate: int) -> Proposals:
        """The proposals of the attack for a candidate, before it is decided which are legal.

        Args:
            prepared: the records with what is protected from the attack (`Prepared.seen_by`).
            candidate: the number of the candidate, from 0.
        """
        return proposals_of(self.attack, prepared.batch, self._streams(prepared, [candidate]))

    def _streams(self, prepared: Prepared, candidates: Sequence[int]) -> Streams:
        """The stream of each text for each candidate, one candidate behind another.

        Its key depends on the seed, attack, record, field, candidate and draw.
        """
        draw = (self.draw,) if self.draw else ()
        shared = Streams.of(prepared.keys, self.seed, self.attack.name)
        own = Streams.of(shared.spread(candidates).keys, *draw).keys[:, prepared.owners]
        names = tuple(dict.fromkeys(prepared.fields))
        salts = _salts(names)
        if len(names) > 1:
            salts = salts[[names.index(name) for name in prepared.fields]]
        return Streams(mix((own ^ salts).ravel()))

    def _legal(self, prepared: Prepared, tiles: Tiles) -> Legal:
        """The legal changes of the first candidates, one for each tile."""
        batch = prepared.batch
        streams = self._streams(prepared, range(tiles.count))
        proposed = [proposals_of(self.attack, batch, Streams(keys)) for keys in streams.keys.reshape(tiles.count, -1)]
        found = legal_of_each(batch, proposed)
        tries = [tiles.tries[candidate][batch.rows(one.starts[one.first_edits])] for candidate, one in enumerate(found)]
        proposals, owners = tiles.proposals(found), np.concatenate(tries)
        return Legal(proposals, owners, cut(proposals, owners, self.attack.probability, self.min_changes))

    def _without_gate(self, prepared: Prepared) -> Perturbed:
        proposed, owners, active = self._legal(prepared, Tiles(prepared.batch, prepared.owners, len(prepared), 1))
        changes = np.bincount(owners[active], minlength=len(prepared))
        clean = (np.bincount(owners, minlength=len(prepared)) > 0) & (changes == 0)
        if prepared.questions is not None:
            active = prepared.questions.kept_apart(proposed, owners, active)
        changed = np.bincount(owners[active], minlength=len(prepared)) > 0
        found = Found.nothing(len(prepared))
        found.candidates[changed] = 0
        found.probabilities[:] = self.attack.probability
        applied = apply(prepared.batch, proposed, active)
        return self._perturbed(prepared, applied, found, possible=changes > 0, clean=clean)

    def _through_gate(self, prepared: Prepared, similarity: Similarity) -> Perturbed:
        tiles = Tiles(prepared.batch, prepared.owners, len(prepared), self.candidates)
        found_legal = self._legal(prepared, tiles)
        changes = np.bincount(found_legal.owners[found_legal.active], minlength=tiles.count * tiles.records)
        first = np.bincount(found_legal.owners, minlength=changes.size)[: tiles.records]
        clean = (first > 0) & (changes[: tiles.records] == 0)
        if clean.any():
            dirty = ~np.tile(clean, tiles.count)
            found_legal = found_legal._replace(active=found_legal.active & dirty[found_legal.owners])
            changes *= dirty
        gate = Gate(
            tiles,
            found_legal,
            scorer_of(similarity, prepared.references),
            threshold=float(self.threshold or 0.0),
            min_changes=self.min_changes,
            questions=prepared.questions,
        )
        found = SCHEDULES[self.schedule](gate, self.attack.probability, self.min_changes, self.floor)
        possible = gate.by_candidate(changes).max(axis=0) > 0
        return self._perturbed(prepared, gate.taken(found), found, possible=possible, clean=clean)

    def _perturbed(
        self, prepared: Prepared, applied: Applied, found: Found, *, possible: Mask, clean: Mask
    ) -> Perturbed:
        chunk = Chunk(self.settings, prepared, applied, found, possible=possible, clean=clean)
        return Perturbed(found.cost, chunk)


@lru_cache(maxsize=256)
def _salts(fields: tuple[str, ...]) -> Keys:
    return digests(fields)


def _is_number(value: object) -> bool:
    return isinstance(value, Real)
