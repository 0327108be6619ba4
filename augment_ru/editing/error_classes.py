"""Reads how often people make errors of each class; attacks draw errors at these rates."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, cast

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.edits import Note
from augment_ru.engine.attack import Attack
from augment_ru.errors import AugmentError, check_known
from augment_ru.resources import dictionary_path, number_in, rows

_PHRASES_APART = ", "


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """States how often people make an error at one kind of place.

    Attributes:
        places: where the error can be made, as the dictionary writes it, such as «не *» («не» and any word after it).
        rate: the share of these places at which people make the error, in (0, 1].
    """

    places: str
    rate: float

    @property
    def phrases(self) -> tuple[str, ...]:
        """The phrases in `places`, where commas separate them: «не *, ни *» gives «не *» and «ни *»."""
        return tuple(self.places.split(_PHRASES_APART))


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """Holds the rates at which people make errors of some classes, as a dictionary states them.

    Attributes:
        by_class: the rates of each class of errors. A class has one rate for each kind of place where people make such
            errors, such as «не *» («не» and any word after it).
        mean: the number of errors of all these classes divided by the number of places where they can be made. A place
            where two classes are possible counts once.
    """

    by_class: Mapping[str, tuple[ErrorRate, ...]]
    mean: float

    def of(self, name: str) -> tuple[ErrorRate, ...]:
        """Return how often people make errors of a class at each kind of place («не *»); empty for an unknown class."""
        return self.by_class.get(name, ())

    def times(self, factors: Mapping[str, float]) -> "ErrorRates":
        """Return the rates of errors, each multiplied by the factor of its class, but at most 0.99.

        The attribute `mean` keeps its value.

        Args:
            factors: a number of at least 0 for each class; the rates of classes without a factor stay as they are.
        """
        found = {
            name: tuple(ErrorRate(one.places, min(one.rate * factors.get(name, 1.0), _HIGHEST_RATE)) for one in rates)
            for name, rates in self.by_class.items()
        }
        return ErrorRates(found, self.mean)

    def rate(self, name: str) -> float:
        """Return how often people make errors of a class: the share of the possible places where they make one.

        If a class has several kinds of places, the rates of all kinds are added. An unknown class gives 0.
        """
        return math.fsum(one.rate for one in self.of(name))


def check_classes(attack: str, classes: tuple[str, ...], possible: tuple[str, ...]) -> None:
    """Check the option `classes` of an attack, which names the classes of errors that it makes.

    Args:
        attack: the name of the attack, for the message.
        classes: the value of the option.
        possible: the classes that the attack knows.

    Raises:
        AugmentError: `classes` is empty, or the attack does not know one of them.
    """
    if not classes:
        raise AugmentError(f"{attack}: classes: none; name at least one of {', '.join(possible)}")
    for name in classes:
        check_known(f"class of {attack}", name, possible)


@cache
def error_rates(attack: str, dictionary: str, classes: tuple[str, ...], possible: tuple[str, ...]) -> ErrorRates:
    """Read from a dictionary how often people make errors of some classes.

    The columns of the dictionary are: class of the error; at which places it is made; how many such errors people made
    in a sample of texts; how many such places the sample has; example.

    Args:
        attack: the name of the attack, for messages.
        dictionary: the name of a shipped dictionary, or a path that ends in .tsv.
        classes: the classes wanted.
        possible: the classes that the attack knows.

    Raises:
        AugmentError: `classes` is empty, the attack or the dictionary lacks one of the classes, there is no such
            dictionary, or one of its numbers is wrong.
    """
    check_classes(attack, classes, possible)
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
    """Turn random numbers into ranks, so that errors that people often make are made more often than rare ones.

    An error is made if its rank is below the probability. The rate of an error is the share of its places at which
    people make it. The odds of a number x in [0, 1] are odds(x) = x / (1 - x). At probability p, an error of rate r is
    made with the odds odds(r) · odds(p) / odds(mean). So errors of higher rates are made more often at any p; at
    p = mean each error is made as often as people make it, and at p = 1 all errors are made. If all rates equal the
    mean, the ranks are the draws.

    Args:
        draws: draws from U[0, 1), shape (places,).
        rates: the rate of the error at each place, in (0, 1], same shape; a rate over 0.99 counts as 0.99.
        mean: the mean of the rates of all places in an average text, in (0, 1).

    Returns:
        The ranks, in [0, 1), shape (places,).
    """
    rates, mean = np.minimum(rates, _HIGHEST_RATE), min(mean, _HIGHEST_RATE)
    late, soon = draws * (mean * (1.0 - rates)), (1.0 - draws) * ((1.0 - mean) * rates)
    ranks: Floats = late / (late + soon)
    return np.minimum(ranks, _BELOW_ONE)


_HIGHEST_RATE = 0.99
_BELOW_ONE = np.nextafter(1.0, 0.0)


def drawn_class(points: Floats, bounds: Floats) -> Ints:
    """Draw a class of errors for each place, by the rates of the classes; return their indices, shape (places,).

    Args:
        points: a uniform draw for each place, between 0 and the sum of the rates of all classes there, shape (places,).
        bounds: the cumulative rates of the classes, shape (classes,), or (places, classes) if they differ by place.
    """
    chosen: Ints = np.minimum((points[:, None] >= bounds).sum(axis=1), bounds.shape[-1] - 1)
    return chosen


def kind_notes(kinds: Ints, classes: Sequence[str]) -> Callable[[Ints], Sequence[Note]]:
    """Return a function from indices of edits to their notes. A note names the class of the error that the edit makes.

    Args:
        kinds: the index of each edit's class in `classes`, shape (edits,).
        classes: the names of the classes.
    """
    notes = [Note(kind=name) for name in classes]
    return lambda indices: [notes[kind] for kind in kinds[indices].tolist()]


class CountedErrors(Attack):
    """An attack that makes the errors that people make, each class of errors as often as a dictionary says.

    To write one, inherit from this class in a frozen dataclass and define `propose_batch`. There, `self.counted()`
    tells how often each error is made.
    """

    __slots__ = ()
    known: ClassVar[tuple[str, ...]]
    """The classes of errors that the attack can make."""
    classes: tuple[str, ...]
    """The classes of errors that the attack makes."""
    rates: str
    """The name of the dictionary with the rates of the classes."""

    def __post_init__(self) -> None:
        if isinstance(cast("Any", self.classes), str):
            raise AugmentError(f"{self.name}: classes: '{self.classes}'; needs a sequence of names")
        object.__setattr__(self, "classes", tuple(self.classes))
        self.counted()  # so that an unknown class or a wrong dictionary is an error before the run starts

    def counted(self) -> ErrorRates:
        """Return how often people make each error of the attack's classes.

        Raises:
            AugmentError: there is no such class or dictionary, or `classes` is empty.
        """
        return error_rates(self.name, self.rates, self.classes, self.known)

    @property
    def mean_rate(self) -> float:
        """How many errors of these classes people make, as a share of all places in an average text; in (0, 1]."""
        return self.counted().mean
