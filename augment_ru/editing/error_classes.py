"""The classes of errors that people make, and how often they make them; attacks draw them at these rates."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, cast

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.edits import Note
from augment_ru.engine.attack import Attack
from augment_ru.errors import AugmentError, unknown
from augment_ru.resources import dictionary_path, number_in, rows

_PHRASES_APART = ", "


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """How often people make an error.

    Attributes:
        places: the places where it can be made, in the notation of the dictionary.
        rate: the share of these places at which it is made, in (0, 1].
    """

    places: str
    rate: float

    @property
    def phrases(self) -> tuple[str, ...]:
        """The places as phrases, which commas separate: «не *, ни *»."""
        return tuple(self.places.split(_PHRASES_APART))


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """The rates of some classes of errors.

    Attributes:
        by_class: the rates of each class, one for each kind of place where it can be made.
        mean: the errors of all these classes divided by all their places; places that two classes share count once.
    """

    by_class: Mapping[str, tuple[ErrorRate, ...]]
    mean: float

    def of(self, name: str) -> tuple[ErrorRate, ...]:
        """The rates of a class; none if it is not among these."""
        return self.by_class.get(name, ())

    def times(self, factors: Mapping[str, float]) -> "ErrorRates":
        """These rates, those of each class multiplied by its factor; classes without one stay. `mean` is the old one.

        Args:
            factors: a number of 0 or more for each class.
        """
        found = {
            name: tuple(ErrorRate(one.places, min(one.rate * factors.get(name, 1.0), _HIGHEST_RATE)) for one in rates)
            for name, rates in self.by_class.items()
        }
        return ErrorRates(found, self.mean)

    def rate(self, name: str) -> float:
        """The rate of a class that has only one; 0 if it is not among these."""
        return math.fsum(one.rate for one in self.of(name))


@cache
def error_rates(attack: str, dictionary: str, classes: tuple[str, ...], possible: tuple[str, ...]) -> ErrorRates:
    """The rates of these classes in a dictionary: class, places, errors, how many places, example.

    Args:
        attack: the name of the attack, for messages.
        dictionary: the name of a shipped dictionary, or a path that ends in .tsv.
        classes: the classes wanted.
        possible: the classes that the attack knows.

    Raises:
        AugmentError: no class is named, the attack or the dictionary does not have it, or a number is wrong.
    """
    if not classes:
        raise AugmentError(f"{attack}: classes: none; name at least one of {', '.join(possible)}")
    for name in classes:
        if name not in possible:
            raise unknown(f"class of {attack}", name, possible)
    found: dict[str, list[ErrorRate]] = {}
    errors, opportunities = 0.0, {}
    for name, places, *counts, _ in rows(dictionary_path(dictionary), columns=5):
        if name in classes:
            of = number_in(f"{dictionary}: {name} {places}: places", counts[1])
            made = number_in(f"{dictionary}: {name} {places}: errors", counts[0], most=of)
            found.setdefault(name, []).append(ErrorRate(places, made / of))
            errors += made
            opportunities[places] = of
    if lacking := [name for name in classes if name not in found]:
        raise AugmentError(f"{dictionary}: no line '{lacking[0]}'; give places, errors, how many places, an example")
    return ErrorRates({name: tuple(one) for name, one in found.items()}, errors / math.fsum(opportunities.values()))


def weighted_ranks(draws: Floats, rates: Floats, mean: float) -> Floats:
    """Ranks by which each error is made as often as people make it if the probability is their mean rate.

    A place is active at probability p with the odds of its rate, times the odds of p, divided by the odds of `mean`. So
    likelier errors come first at any p, and at 1 all are made. Where all rates equal the mean, the ranks are the draws.

    Args:
        draws: draws from U[0, 1), shape (places,).
        rates: the rate of each place, in (0, 1], same shape; over 0.99 it counts as 0.99.
        mean: the mean rate of all places in an average text, in (0, 1).
    """
    rates, mean = np.minimum(rates, _HIGHEST_RATE), min(mean, _HIGHEST_RATE)
    late, soon = draws * (mean * (1.0 - rates)), (1.0 - draws) * ((1.0 - mean) * rates)
    ranks: Floats = late / (late + soon)
    return np.minimum(ranks, _BELOW_ONE)


_HIGHEST_RATE = 0.99
_BELOW_ONE = np.nextafter(1.0, 0.0)


def drawn_class(points: Floats, bounds: Floats) -> Ints:
    """The number of the class that each draw falls on, shape (places,).

    Args:
        points: draws from U[0, 1) times the last bound, shape (places,).
        bounds: the cumulative rates of the classes, shape (classes,), or of each place (places, classes).
    """
    chosen: Ints = np.minimum((points[:, None] >= bounds).sum(axis=1), bounds.shape[-1] - 1)
    return chosen


def kind_notes(kinds: Ints, classes: Sequence[str]) -> Callable[[Ints], Sequence[Note]]:
    """A function from the indices of edits to their notes, which name the class of the error.

    Args:
        kinds: the number of the class of each edit, shape (edits,).
        classes: the names of the classes.
    """
    notes = [Note(kind=name) for name in classes]
    return lambda indices: [notes[kind] for kind in kinds[indices].tolist()]


class CountedErrors(Attack):
    """An attack that makes people's errors, each class as often as a dictionary says.

    To write one, inherit from this class in a frozen dataclass and define `propose_batch`, which reads `counted`.
    """

    __slots__ = ()
    known: ClassVar[tuple[str, ...]]
    """The classes of errors that the attack can make."""
    classes: tuple[str, ...]
    """Those that it makes."""
    rates: str
    """The dictionary of the classes."""

    def __post_init__(self) -> None:
        if isinstance(cast("Any", self.classes), str):
            raise AugmentError(f"{self.name}: classes: '{self.classes}'; needs a sequence of names")
        object.__setattr__(self, "classes", tuple(self.classes))
        self.counted()  # so that an unknown class or a wrong dictionary is an error before the run starts

    def counted(self) -> ErrorRates:
        """How often people make each error of the classes.

        Raises:
            AugmentError: there is no such class or dictionary, or none is named.
        """
        return error_rates(self.name, self.rates, self.classes, self.known)

    @property
    def mean_rate(self) -> float:
        """How often people make an error of the classes, at the places of an average text; in (0, 1]."""
        return self.counted().mean
