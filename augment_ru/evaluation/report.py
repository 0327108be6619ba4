"""The report of an evaluation, and a comparison of several, as dataclasses; the fields are the keys of their JSON.

docs/evaluation.md explains the keys. Rates, metrics and the ends of intervals are percentages; they are None if the
denominator is 0. A field whose default is None is left out of the JSON if its value is None.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec

from augment_ru.errors import AugmentError
from augment_ru.resources import file_bytes

FORMAT = "augment-ru evaluation"
VERSION = 3
"""The version of the report's form; it changes when a key changes its meaning or is removed."""
COMPARISON = "augment-ru comparison"
COMPARISON_VERSION = 2

Interval: TypeAlias = Sequence[float]
"""The two ends of a 95 % interval."""
Letters: TypeAlias = Sequence[Sequence[str]]
"""For each label and episode, a text with the outcome of each row as a letter.

k: kept, b: broken, f: fixed, w: wrong, -: the row has no right answer."""

_INLINE = {"inline": True}
"""Marks a field whose keys are written directly into the JSON object that holds it, instead of an object of its own."""


def as_json(value: Any) -> Any:  # noqa: ANN401  (a part of a report in, JSON values out)
    """Convert a report, or a part of one, to JSON values."""
    if isinstance(value, Mapping):
        return {key: as_json(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(one) for one in value]
    if not is_dataclass(value):
        return value
    found: dict[str, Any] = {}
    for one in fields(value):
        own = as_json(getattr(value, one.name))
        if own is not None or one.default is not None:
            found |= own if one.metadata == _INLINE else {one.name: own}
    if isinstance(value, ComparedModel) and not value.attacks:  # such reports have another order of keys
        found |= {key: found.pop(key) for key in ("beats_majority", "best", "metrics", "asr_mean", "attacks")}
    return found


@dataclass(frozen=True, slots=True)
class Spread:
    """The rate of each episode, and their standard deviation (n - 1; None for fewer than two known rates)."""

    std: float | None
    episodes: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate with its interval.

    Attributes:
        value: the rate.
        ci95: the 95 % interval of the rate.
        interval_method: `wilson`, `effective` (Wilson's for the effective number of trials), `bootstrap`, or
            `zou-donner` for a difference of independent rates; None if no method is stated.
        spread: the spread of the rate over episodes; None if there is only one episode.
        right: how many decisions are right on the original; None for rates that do not state this count.
    """

    value: float | None
    ci95: Interval | None
    interval_method: str | None = None
    spread: Spread | None = field(default=None, metadata=_INLINE)
    right: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessRate:
    """An attack success rate with its interval and its counts, which are summed over episodes and labels."""

    asr: float | None
    ci95: Interval | None
    interval_method: str | None = None
    spread: Spread | None = field(default=None, metadata=_INLINE)
    right: int
    broken: int
    fixed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePart:
    """The value of a metric for a part of the decisions: those of a group of rows, of a label, or of both.

    `before` and `after` are its values before and after an attack; None in the metrics of originals.
    """

    group: str | None = None
    label: str | None = None
    value: float
    before: float | None = None
    after: float | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """The value of a metric on the originals: the mean over episodes, and the standard deviation of several episodes.

    `parts` holds the values by group of rows and by label; None if there is only one group and one label.
    """

    value: float
    std: float | None = None
    parts: Sequence[ScorePart] | None = None


@dataclass(frozen=True, slots=True)
class ChangedScore:
    """The value of a metric before and after an attack, over the rows of the attack."""

    before: float | None
    after: float | None
    before_std: float | None = None
    after_std: float | None = None
    parts: Sequence[ScorePart] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The success rate of an attack over some of its rows.

    Attributes:
        value: the name of the cell.
        low: the lowest number in the cell; None if the cell is not a range of numbers.
        high: the highest number in the cell; None as for `low`.
        rate: the success rate.
        rows: the number of rows.
        accuracy_before: the percentage of right decisions on the originals.
        accuracy_after: the percentage of right decisions on the perturbed rows.
        wide_interval: whether the interval is wider than 20 percentage points, or is not known.
        f1_before: the macro F1 of the classes, or the token F1 of written answers, on the originals; None if neither is
            a metric of the task.
        f1_after: the same on the perturbed rows.
    """

    value: str
    low: float | None = None
    high: float | None = None
    rate: SuccessRate = field(metadata=_INLINE)
    rows: int
    accuracy_before: float | None
    accuracy_after: float | None
    wide_interval: bool
    f1_before: float | None = None
    f1_after: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidRows:
    """The rates of an attack over the rows that people found valid.

    People judged `judged` rows and found `valid` of them valid, the share `share`. `wide_interval` says that the
    interval of the success rate is too wide for a conclusion, or is not known.
    """

    judged: int
    valid: int
    share: Rate
    right: int
    broken: int
    asr: Rate
    wide_interval: bool
    asr_all_rows: Rate
    flip_rate: Rate
    performance_drop_rate: Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadReport:
    """How many of a model's replies have no answer, by kind, and their share of all answers (`evaluation.unread`)."""

    answers: int
    refused: int
    empty: int
    cut: int
    unreadable: int
    share: Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionOrderReport:
    """How the answers of a model change when the options of questions are permuted.

    Attributes:
        rows: the number of rows whose options were permuted.
        kept: the share of rows in which the model chooses the option with the same content before and after.
        before: the share of each label among the answers to the originals of these rows.
        after: the share of each label among the answers to these rows.
    """

    rows: int
    kept: Rate
    before: Mapping[str, Rate]
    after: Mapping[str, Rate]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptEffect:
    """The share of right answers with one prompt: on the originals (`original`) and over all attacks (`attacked`).

    `effect` is its difference from the mean of all prompts, over originals and attacks, in percentage points.
    """

    name: str
    original: Rate
    attacked: Rate | None
    effect: Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptsReport:
    """How much the right answers of a model depend on the prompt.

    Attributes:
        model: the name of the model.
        shots: the number of demonstrations; None for a model that does not read them.
        rows: the originals that are counted: those with a right answer and a row of each attack.
        prompts: the prompts.
        attacks: for each attack the mean over prompts of the change of right answers, in percentage points.
        spread: the difference between the best and the worst prompt on originals, in percentage points.
        worst: the prompt with the fewest right answers over originals and attacks.
        worst_in: the percentage of resamples in which it is the worst.
        shares: the shares of the variance (`prompts.variance_shares`), in per cent; empty without attacks.
    """

    model: str
    shots: int | None
    rows: int
    prompts: Sequence[PromptEffect]
    attacks: Mapping[str, Rate]
    spread: Rate
    worst: str
    worst_in: float
    shares: Mapping[str, Rate]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContaminationReport:
    """How many right answers perturbation costs a model; it costs more if the model knows the originals by heart.

    Attributes:
        rows: the number of perturbed rows with a right answer.
        before: the percentage of right answers to the originals of these rows.
        after: the percentage of right answers to these rows.
        difference: `before` minus `after`, in percentage points, with a paired interval.
        fresh: the same for the fresh rows; None if there are none.
        excess: `difference` minus that of the fresh rows, in percentage points; None without fresh rows.
    """

    rows: int
    before: float | None
    after: float | None
    difference: Rate
    fresh: "ContaminationReport | None" = None
    excess: Rate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackReport:
    """The counts, rates and metrics of an attack on a model.

    `spans` maps each `spans.Fate` to its share of the right spans that the model finds in the originals; `Rate.right`
    is the number of these spans. It is None if answers are no spans.
    """

    rate: SuccessRate = field(metadata=_INLINE)
    unchanged: int
    rejected: int
    rows: int
    decisions: int
    asr_perturbed_rows: Rate
    asr_all_rows: Rate
    flips: int
    flip_rate: Rate
    performance_drop_rate: Rate
    flips_above_noise: Rate | None = None
    asr_above_noise: Rate | None = None
    metrics: Mapping[str, ChangedScore]
    valid_rows: ValidRows | None = None
    labels: Mapping[str, SuccessRate] | None = None
    unread: UnreadReport | None = None
    option_order: OptionOrderReport | None = None
    spans: Mapping[str, Rate] | None = None
    contamination: ContaminationReport | None = None
    edits_per_100_words: float | None = None
    subpopulations: Mapping[str, Sequence[Cell]]
    strength: Mapping[str, Sequence[Cell]]
    outcomes: Letters


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReport:
    """The results of a model with one number of shots. Without attacks it has no rates, but `outcomes`.

    Attributes:
        deterministic: whether the model states that it always answers a question in the same way.
        same_text_flips: how often two answers to the same text differ; None if every text was asked about once.
        catch: its missed rows and false alarms as a filter; None if no label was to be caught.
        defence: the right answers that the defence in front of the model costs and recovers; None for a bare model.
        beats_majority: whether a test finds it better than the most frequent answer on the originals.
        best: the attacks, or `asr_mean`, under which its rate is clearly the lowest of all models.
        prompt: the name of its prompt; None if models were not asked with several prompts.
        unread: how many replies to the originals have no answer; None if no reply at all, under any attack, lacks one.
    """

    model: str
    signature: str | None
    prompt: str | None = None
    shots: int | None
    episodes: int
    deterministic: bool
    same_text_flips: Rate | None = None
    defence: "DefenceReport | None" = None
    catch: "CatchReport | None" = None
    beats_majority: bool
    best: Sequence[str]
    metrics: Mapping[str, Score]
    unread: UnreadReport | None = None
    worst_case: Rate | None = None
    worst_case_asr: Rate | None = None
    consistency: Rate | None = None
    asr_mean: float | None
    attacks: Mapping[str, AttackReport]
    outcomes: Letters | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemar:
    """McNemar's test of the same decisions for two models, or under two attacks, `a` and `b`.

    Attributes:
        counted: which decisions are counted: `right` or `broken`.
        decisions: the number of decisions that are tested.
        a: how many decisions are counted for a.
        b: how many decisions are counted for b.
        only_a: how many decisions are counted only for a.
        only_b: how many decisions are counted only for b.
        difference: the difference of the two shares, in percentage points.
        p: the p value.
        p_holm: the p value corrected by Holm's method: two models are tested under several attacks, and a model is
            tested with several pairs of attacks.
    """

    counted: str
    decisions: int
    a: int
    b: int
    only_a: int
    only_b: int
    difference: float | None
    p: float
    p_holm: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDifference:
    """The difference between the success rates of an attack on two models, in percentage points.

    Only decisions count that both models have right on the original. Without attacks, `attack` is None and the rates of
    right decisions are compared. `clear` says that the interval leaves out 0 and the test, if there is one, finds a
    difference; both are corrected for the number of attacks.
    """

    between: str = "models"
    attack: str | None = None
    a: str
    b: str
    shots: Sequence[int | None]
    difference: float | None
    ci95: Interval | None
    clear: bool
    mcnemar: McNemar | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DefendedAttack:
    """How many right answers an attack costs a bare model, and how many of these a defence recovers.

    Attributes:
        clean: the percentage of right answers of the bare model to the originals of the attack's rows.
        attacked: the same to the perturbed rows.
        defended: the percentage of right answers of the model behind the defence to the perturbed rows.
        cost: `clean` minus `attacked`, in percentage points.
        recovered: (defended - attacked) / (clean - attacked); None if the interval of `cost` does not lie above 0.
        changed: the percentage of perturbed rows that the defence changes; None for the worst case.
    """

    clean: float | None
    attacked: float | None
    defended: float | None
    cost: Rate
    recovered: Rate | None
    changed: Rate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DefenceReport:
    """How many right answers a defence costs a model on the originals, and how many it recovers under attacks.

    Attributes:
        name: the name of the normalizer.
        of: the name of the bare model.
        changed: the percentage of originals that the defence changes.
        cost: the right answers of the bare model to the originals minus those behind the defence, with their test.
        attacks: for each attack, its cost and what the defence recovers of it.
        worst_case: the same for the worst case over all attacks; None without attacks.
    """

    name: str
    of: str
    changed: Rate
    cost: ModelDifference
    attacks: Mapping[str, DefendedAttack]
    worst_case: DefendedAttack | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchAfter:
    """The errors of a filter that must catch one label, on the originals or after an attack.

    Attributes:
        missed: the percentage of rows with the label to which the model gives another label.
        false_alarms: the percentage of rows with other labels to which the model gives the label.
        threshold: after an attack, the highest score, in [0, 1], that works as a threshold without missing a larger
            share of rows than the model's answers to the originals; None without scores.
        false_alarms_then: the false alarms on the originals at this threshold.
        curves: the percentages `missed` and `false_alarms` at each of `CatchReport.thresholds`; None without scores.
    """

    missed: Rate
    false_alarms: Rate
    threshold: float | None = None
    false_alarms_then: Rate | None = None
    curves: Mapping[str, Sequence[float | None]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchReport:
    """The missed rows and false alarms of a filter.

    Attributes:
        label: the label that the filter must catch.
        originals: its errors on the originals.
        attacks: its errors after each attack.
        thresholds: the score thresholds of the curves, in [0, 1].
    """

    label: str
    originals: CatchAfter
    attacks: Mapping[str, CatchAfter]
    thresholds: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackDifference:
    """The difference between the success rates of two attacks on a model, in percentage points."""

    between: str = "attacks"
    model: str
    shots: int | None
    a: str
    b: str
    difference: float | None
    ci95: Interval | None
    mcnemar: McNemar | None = None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The success rate of a search within a number of queries."""

    queries: int
    broken: int
    asr: float | None
    ci95: Interval | None


@dataclass(frozen=True, slots=True)
class ShareBroken:
    """How often tried edits, or rows, with one value of a property broke an answer: `broken` out of `of`.

    `by` is the property, such as "letter", and `value` its value. `lift` is `share` divided by the share of all tried
    edits; None if it is not known. `train_rows` is the number of the model's train rows that contain the word `value`;
    None if they are not known.
    """

    by: str
    value: str
    broken: int
    of: int
    share: float | None
    ci95: Interval | None
    lift: float | None
    train_rows: int | None = None


@dataclass(frozen=True, slots=True)
class HardRow:
    """A row that withstood a search, or that was broken late: its id, right answer, status, queries and changes."""

    id: str
    label: str
    status: str
    queries: int
    changes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchReport:
    """The results of a search: counts, the success rate within numbers of queries, and means over the broken rows.

    `minimal` is the percentage of broken rows whose set of changes is minimal. The means are None if no row was broken.
    """

    model: str | None
    budget: int
    right: int
    broken: int
    curve: Sequence[CurvePoint]
    queries: int
    queries_a_success: float | None
    changes: float | None
    changed_words: float | None
    minimal: float | None
    similarity: float | None
    broke: Sequence[ShareBroken] = ()
    hardest: Sequence[HardRow] = ()


@dataclass(frozen=True, slots=True)
class ChosenFrom:
    """The attacks that worst-case rows were chosen from, and the models that were used to choose them."""

    attacks: Sequence[str]
    models: Sequence[str]


@dataclass(frozen=True, slots=True)
class Data:
    """The file of rows without its folder (None for rows made in Python), and a hash of the rows."""

    name: str | None
    digest: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The report of an evaluation."""

    format: str = FORMAT
    version: int = VERSION
    signature: str
    unit: str = "percent"
    title: str | None = None
    date: str | None = None
    data: Data
    task: str
    protocol: str | None = None
    fields: Sequence[str]
    gold: Sequence[str]
    metrics: Sequence[str]
    correct: str
    originals: int
    originals_without_gold: int
    attacks: Sequence[str]
    specs: Mapping[str, str] | None = None
    majority: Mapping[str, float]
    models: Sequence[ModelReport]
    comparisons: Sequence[ModelDifference | AttackDifference]
    prompts: Sequence[PromptsReport] | None = None
    searches: Mapping[str, SearchReport] | None = None
    worst_of: ChosenFrom | None = None
    rows: Mapping[str, Sequence[str]]
    original_rows: Sequence[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedReport:
    """A report in a comparison: the number of its rows, how many of them all reports share, and where it comes from.

    `attacks_left_out` names its attacks that are not compared, because another report lacks them.
    """

    name: str
    data: Data | None
    date: str | None
    signature: str | None
    rows: int
    shared: int
    attacks_left_out: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedAttack:
    """The results of an attack on a model over the shared rows."""

    rate: SuccessRate = field(metadata=_INLINE)
    rows: int
    metrics: Mapping[str, ChangedScore]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedModel:
    """The results of a model over the shared rows.

    `report` is the name of its report, `of` the model's name in that report, and `model` its name in the comparison.
    """

    report: str
    of: str
    beats_majority: bool
    best: Sequence[str]
    model: str
    signature: str | None
    shots: int | None
    episodes: int
    metrics: Mapping[str, Rate]
    worst_case: Rate | None = None
    worst_case_asr: Rate | None = None
    asr_mean: float | None
    attacks: Mapping[str, ComparedAttack]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A comparison of several reports over the rows that all of them share."""

    format: str = COMPARISON
    version: int = COMPARISON_VERSION
    signature: str
    unit: str = "percent"
    title: str | None = None
    date: str | None = None
    reports: Sequence[ComparedReport]
    task: str
    gold: Sequence[str]
    correct: str
    metrics: Sequence[str]
    majority: Mapping[str, float]
    originals: int
    originals_without_gold: int
    rows: Mapping[str, int]
    attacks: Sequence[str]
    models: Sequence[ComparedModel]
    comparisons: Sequence[ModelDifference | AttackDifference]


AnyReport: TypeAlias = Report | Comparison
AnyModel: TypeAlias = ModelReport | ComparedModel


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedScore:
    """The value of a metric in a report file."""

    value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedAttack:
    """The entry of an attack in a report file."""

    asr: float | None = None
    outcomes: Letters = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedModel:
    """The entry of a model in a report file."""

    model: str
    signature: str | None = None
    shots: int | None
    beats_majority: bool = True
    metrics: Mapping[str, SavedScore]
    attacks: Mapping[str, SavedAttack]
    outcomes: Letters = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedReport:
    """The parts of an `evaluate -o` file that are read; files of older versions may lack some keys."""

    version: int = 1
    signature: str | None = None
    title: str | None = None
    date: str | None = None
    data: Data | None = None
    task: str
    protocol: str | None = None
    gold: Sequence[str] = ()
    metrics: Sequence[str] = ()
    correct: str = ""
    attacks: Sequence[str]
    majority: Mapping[str, float] = field(default_factory=dict)
    models: Annotated[Sequence[SavedModel], msgspec.Meta(min_length=1)]
    rows: Mapping[str, Sequence[str]] | None = None
    original_rows: Sequence[str] | None = None


def read_report(path: Path) -> SavedReport:
    """Read the report in a file that `evaluate -o` wrote.

    Raises:
        AugmentError: the file cannot be read, or does not hold a report.
    """
    try:
        data = file_bytes(path, most=2**30, what="a report.json of evaluate")
        return saved_report(msgspec.json.decode(data), str(path))
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise AugmentError(f"{path}: is no JSON; give a report.json of evaluate -o") from error


def saved_report(values: object, where: str) -> SavedReport:
    """Convert JSON values to a report.

    Args:
        values: the values.
        where: what messages call the source of the values.

    Raises:
        AugmentError: the values are not a report.
    """
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise AugmentError(f"{where}: is no report; give the file of augment-ru evaluate -o REPORT.json")
    try:
        return msgspec.convert(values, SavedReport)
    except msgspec.ValidationError as error:
        raise AugmentError(f"{where}: is damaged, or no report of augment-ru evaluate: {error}") from error
