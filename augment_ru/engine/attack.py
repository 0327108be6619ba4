"""The class `Attack`, which every attack inherits from, and functions that find and check attacks."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias, cast

from augment_ru import registry
from augment_ru.constraints.rule_file import constraint
from augment_ru.draws import Rng, Streams
from augment_ru.edits import Change
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError, failing, saying_instead, saying_where
from augment_ru.options import configured, on_device
from augment_ru.registry import class_name, is_own, own_class
from augment_ru.text.batch import AttackView, Batch
from augment_ru.text.doc import Doc

Wants: TypeAlias = tuple[Callable[[Doc], bool], ...]


class Needs(NamedTuple):
    """States what an attack, or several attacks and their gates (similarity checks), need to know about texts.

    Attributes:
        layers: the layers of annotation that are read, such as `lemmas`.
        guards: the names of the constraints whose spans are needed: spans that no edit may touch, and spans that count
            as one word.
        wants: functions that tell whether an attack may change a text, one of each attack (`Attack.wants`). In a record
            without a text that one of them wants, nothing is protected. If there are no functions, every text is
            wanted.
        layered: those functions of `wants` that belong to attacks that read layers or guards. A record without a text
            that one of them wants is not annotated with these layers.
        scored: whether a gate scores the changed texts.
    """

    layers: frozenset[str] = frozenset()
    guards: frozenset[str] = frozenset()
    wants: Wants = ()
    layered: Wants = ()
    scored: bool = False

    @classmethod
    def of_all(cls, needs: Iterable["Needs"]) -> "Needs":
        """Join the needs of several attacks and gates (similarity checks), so that each text is annotated once for all.

        The layers of annotation and the guards (names of constraints) of all are united. `scored` is True if any gate
        scores the changed texts. An attack without a function in `wants` wants every text, so the joined needs then
        have none there, either; the same holds for `layered`.
        """
        given = list(needs)
        every = [one for one in given if one.layers or one.guards]
        layers, guards = (frozenset().union(*(getattr(one, name) for one in every)) for name in ("layers", "guards"))
        wants, layered = [one.wants for one in given], [one.layered for one in every]
        joined = [tuple(chain.from_iterable(each)) if all(each) else () for each in (wants, layered)]
        return cls(layers, guards, joined[0], joined[1], any(one.scored for one in given))


LOSSES = ("negation", "negated", "numbers", "restrictors")
"""The names of constraints that protect what a sentence must not lose; used as guards by attacks that lose words."""


GROUPS = {
    "people": "how people type, in chats and search",
    "adversaries": "adversaries of moderation",
    "learners": "learners of Russian",
    "channels": "what texts go through: scanners, recognisers",
    "rewording": "the same in other words",
    "otherwise": "the same thing written otherwise",
    "who": "who it is about",
    "tape": "the TAPE paper",
    "other": "other",
}
"""The groups in which attacks are listed, by what they test, with the heading of each group."""


class Attack(ABC):
    """The base class of attacks. An attack proposes changes of texts, each with a rank: a random number in [0, 1).

    The engine decides which of the changes are made: usually those with a rank below the probability. To write an
    attack, inherit from this class in a frozen dataclass and give it a `probability`. Define one of two
    methods: `propose`, which reads one text at a time, or `propose_batch`, which reads all texts of a batch and their
    protected spans. The other fields of the dataclass are the options of the attack on the command line.

    The engine reads only the members of this class. All members except `probability` have a default.
    """

    __slots__ = ()
    group: ClassVar[str] = "other"
    """What the attack tests: one of `GROUPS`."""

    @property
    def name(self) -> str:
        """The name of the attack on the command line: by default that of its class, as `eda_swap` for `EdaSwap`.

        The random draws depend on it.
        """
        return class_name(type(self))

    @property
    @abstractmethod
    def probability(self) -> float:
        """The share of its possible changes that the attack makes, in [0, 1]."""

    @property
    def layers(self) -> frozenset[str]:
        """The layers of annotation that the attack reads, such as `lemmas` (see `text.doc.LAYERS`); by default none."""
        return frozenset()

    @property
    def guards(self) -> Sequence[str]:
        """The names of the constraints whose spans no edit of this attack may touch, whatever the task.

        The constraints protect what a text must not lose by this kind of edit, such as its numbers. By default there
        are no guards.
        """
        return ()

    @property
    def joins(self) -> Sequence[str]:
        """The names of constraints; each span that they find counts as one word for the attack. By default none."""
        return ()

    @property
    def needs(self) -> Needs:
        """The needs of this attack: the layers of annotation that it reads, its guards, and which texts it wants."""
        wants = () if type(self).wants is Attack.wants else (self.wants,)
        return Needs(self.layers, frozenset((*self.guards, *self.joins)), wants, wants)

    def wants(self, doc: Doc) -> bool:
        """Tell whether the attack may change a text; by default it may change any text.

        If no attack may change a text of a record, the record is annotated no further. So return False only if it is
        certain. The attack is asked when `doc` has no layer of annotation but `tokens`. An attack that reads `syntax`
        is asked again when all its layers but `syntax` are there (`doc.layers`).
        """
        del doc
        return True

    @property
    def min_changes(self) -> int:
        """The fewest changes that each record gets, whatever their ranks, at a positive probability; by default 1.

        If a record has fewer possible changes, all of them are made. With 0, only changes with a rank (random number)
        below the probability are made, so a record may get no change.
        """
        return 1

    @property
    def exchanges_options(self) -> bool:
        """Whether the attack may replace wrong options (offered answers) if the record says which option is right."""
        return False

    @property
    def exchanges(self) -> frozenset[str]:
        """The labels of protected names, such as `PER`, that the attack may replace; by default none.

        If a task states that right answers depend on names (`named` in its task file), the names stay protected.
        """
        return frozenset()

    @property
    def view(self) -> AttackView:
        """The properties of the attack that decide which protected spans it may edit (`Batch.seen_by`)."""
        return AttackView(self.exchanges_options, self.exchanges, tuple(self.guards), tuple(self.joins))

    @property
    def permutes_options(self) -> bool:
        """Whether the attack changes no texts, but reorders the options (offered answers) of questions (`order_of`)."""
        return False

    def order_of(self, record: Any, rng: Rng, draw: int) -> tuple[int, ...] | None:  # noqa: ANN401  (as `with_corpus`)
        """Return the new order of the options of a record's question; None to keep their order.

        Only attacks that permute options (`permutes_options`) define this method.

        Args:
            record: the record.
            rng: the random draws of the record; they are the same for every `draw`.
            draw: which of the possible orders is wanted, from 0.

        Returns:
            For each position, the index of the option that moves there, from 0.
        """
        del record, rng, draw
        return None

    @property
    def wants_corpus(self) -> bool:
        """Whether the attack needs a corpus (texts from the input of the run) and was not given it yet."""
        return False

    def with_corpus(self, corpus: Any) -> Self:  # noqa: ANN401  (a package below this one defines it)
        """Return a copy of the attack with a corpus (texts from the run's input); the attack itself if it needs none.

        Args:
            corpus: an `augment_ru.attacks.add_sent.corpus.InputCorpus`.
        """
        del corpus
        return self

    @property
    def corpus_digest(self) -> str:
        """The SHA-256 of the corpus of texts that the attack reads; "" if it reads only the package's own files."""
        return ""

    def with_probability(self, probability: float) -> Self:
        """Return a copy of the attack with another probability.

        Raises:
            AugmentError: the probability is not in [0, 1].
        """
        return cast("Self", replace(cast("Any", self), probability=check_probability(self.name, probability)))

    def with_min_changes(self, count: int) -> Self:
        """Return an attack that proposes enough changes for a run in which every record must get at least `count`.

        By default this is the attack itself, since an attack proposes all its possible changes. Only an attack that
        proposes no more changes than needed overrides this method, and returns a copy.
        """
        del count
        return self

    def without_gate(self) -> Self:
        """Return the attack for a run in which no similarity check rejects texts.

        By default this is the attack itself. Only an attack that proposes more changes because some are rejected
        overrides this method, and returns a copy.
        """
        return self

    def on_device(self, device: str) -> Self:
        """Return a copy of the attack with its networks on a device: auto, cpu, cuda or cuda:N.

        If the attack has no option `device`, return the attack itself.
        """
        return on_device(self, device)

    def propose(self, doc: Doc, rng: Rng) -> Iterable[Change]:
        """Propose changes of one text. `rng.change` makes a change with a random rank.

        Args:
            doc: the text, with the layers of annotation that the attack reads.
            rng: the random draws of the text.

        Raises:
            AugmentError: the attack defines neither this method nor `propose_batch`.
        """
        del doc, rng
        raise AugmentError(f"{type(self).__name__}: define propose(doc, rng) or propose_batch(batch, streams)")

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose changes of all texts of a batch, in arrays; by default it calls `propose` for each text.

        Args:
            batch: the texts, with the spans that are protected from this attack.
            streams: the random streams of the texts. `batch.draw(streams, places)` draws from them.
        """
        keys = streams.keys.tolist()
        return Proposals.of_changes(
            batch, (self.propose(doc, Rng(key)) for doc, key in zip(batch.docs, keys, strict=True))
        )


def proposals_of(attack: Attack, batch: Batch, streams: Streams) -> Proposals:
    """Return the changes that an attack proposes for the texts of a batch; wrong arrays of a user's attack are refused.

    `Proposals` hold arrays, such as the places of the edits, and functions, such as the one that makes the new texts.
    The arrays are checked now: they must hold numbers and have one dimension. What a function returns is checked later,
    whenever the function is called.

    Args:
        attack: the attack, which may be a user's own.
        batch: the texts, with the spans that are protected from this attack.
        streams: the random streams of the texts.

    Raises:
        AugmentError: the attack fails; the message names the attack and the error.
    """
    guard = partial(failing, f"attack '{attack.name}'")
    with guard():
        found = attack.propose_batch(batch, streams)
        if not isinstance(found, Proposals):
            raise AugmentError(f"attack '{attack.name}': propose_batch returned {type(found).__name__}, not Proposals")
        return found.guarded(guard)


def checked_attack(attack: object) -> Attack:
    """Check that an object is an attack with a valid probability, and return it.

    Raises:
        AugmentError: the object does not inherit from `Attack`, or its probability is not in [0, 1].
    """
    if not isinstance(attack, Attack):
        if isinstance(attack, type) and issubclass(attack, Attack):
            raise AugmentError(
                f"{attack.__name__} is a class, not an attack; give one that is made: {attack.__name__}()"
            )
        kind = type(attack).__name__
        raise AugmentError(f"{kind} is not an attack; give the name of one, or inherit from augment_ru.Attack")
    check_probability(attack.name, attack.probability)
    return attack


def check_guards(name: str, guards: Iterable[str], option: str = "guards") -> None:
    """Check that there is a constraint for each name that an attack gives as a guard.

    Args:
        name: the name of the attack, for the message.
        guards: the names of the constraints.
        option: the option of the attack that holds these names, for the message.

    Raises:
        AugmentError: there is no constraint with the name of a guard.
    """
    for guard in guards:
        with saying_where(f"{name}.{option}"):
            constraint(guard)


def check_probability(name: str, probability: object) -> float:
    """Check that a probability is a number in [0, 1], and return it as a float.

    Args:
        name: the name of the attack, for the message.
        probability: the value to check.

    Raises:
        AugmentError: the probability is not a number in [0, 1].
    """
    if isinstance(probability, bool) or not isinstance(probability, int | float) or not 0.0 <= probability <= 1.0:
        raise AugmentError(f"{name}: probability {probability!r}; needs a number from 0 to 1")
    return float(probability)


def make(name: str, options: Mapping[str, Any] | None = None) -> Attack:
    """Make an attack of this package from its name and options.

    Args:
        name: the name of an attack of this package.
        options: the values of its options, by name. A value given as a string is parsed.

    Raises:
        AugmentError: there is no such attack or option, or a value does not fit.
    """
    return checked_attack(configured(name, registry.find("attacks", "attack", name), options or {}))


def own_attack(spec: str, options: Mapping[str, Any]) -> Attack:
    """Make an attack from a module or file of the user's own.

    Args:
        spec: `my_attack.py` or `python:MODULE:CLASS`.
        options: the values of its options, by name.

    Raises:
        AugmentError: the attack cannot be imported or made, has no such option, or a value does not fit.
    """
    name, made = attack_name(spec), own_class(spec, Attack)
    # an argument without a default, or a method that is not defined
    with saying_instead(lambda error: f"{spec}: {made.__name__} cannot be made: {error}", TypeError):
        return checked_attack(configured(name, made, options))


def attack_name(spec: str) -> str:
    """Return the name under which a user sets the options of an attack, as in `--set NAME.OPTION=VALUE`.

    Args:
        spec: the name of an attack, or `my_attack.py` or `python:MODULE:CLASS`.

    Returns:
        `spec` itself if it is a name; otherwise the name of the class.

    Raises:
        AugmentError: the class cannot be imported, or has the name of an attack that exists already.
    """
    if not is_own(spec):
        return spec
    made = own_class(spec, Attack)
    if not (isinstance(made.name, str) or made.name is Attack.name):  # a field or a property of the class
        raise AugmentError(f"{spec}: its class has no name; write `name: ClassVar[str]`")
    name = class_name(made)
    if name in registry.names("attacks"):
        raise AugmentError(f"{spec}: an attack called '{name}' is there already; give its class another name")
    return name
