"""Hold the report of an evaluation, and the comparison of several reports; their attributes are the keys of the JSON.

docs/evaluation.md explains the keys. A decision is one prediction that is counted, for one label of one row. An episode
is one set of demonstrations. Rates, metrics and the ends of intervals are percentages; they are None if the denominator
is 0. A field whose default is None is left out of the JSON if its value is None.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec

from augment_ru.errors import AugmentError, saying_instead
from augment_ru.resources import file_bytes

FORMAT = "augment-ru evaluation"
VERSION = 3
"""The version of the report's form; it changes when a key changes its meaning or is removed."""
SIGNED = f"{FORMAT}-v{VERSION}"
"""How the signature of a report begins."""
COMPARISON = "augment-ru comparison"
COMPARISON_VERSION = 2

Interval: TypeAlias = Sequence[float]
"""The two ends of a 95 % interval."""
Letters: TypeAlias = Sequence[Sequence[str]]
"""For each label and episode, a text with the outcome of each row as a letter.

k: kept, b: broken, f: fixed, w: wrong, -: the right answer is not known."""


def as_json(value: Any) -> Any:  # noqa: ANN401  (a part of a report in, JSON values out)
    """Convert a report, or a part of one, to values that can be written as JSON.

    Each part of the report becomes an object. But the keys of a `Spread` or a `SuccessRate` are added to the object of
    the part that holds it.
    """
    if isinstance(value, list | tuple):
        return [as_json(one) for one in value]
    if not isinstance(value, msgspec.Struct):
        return {key: as_json(one) for key, one in value.items()} if isinstance(value, Mapping) else value
    found: dict[str, Any] = {}
    for one in msgspec.structs.fields(value):
        held = getattr(value, one.name)
        if held is not None or one.default is not None:
            found |= as_json(held) if isinstance(held, Spread | SuccessRate) else {one.name: as_json(held)}
    if isinstance(value, ComparedModel) and not value.attacks:  # such reports have another order of keys
        found |= {key: found.pop(key) for key in ("beats_majority", "best", "metrics", "asr_mean", "attacks")}
    return found


class Spread(msgspec.Struct, frozen=True):
    """The rates of the episodes (sets of demonstrations), and how much they differ.

    Attributes:
        std: the standard deviation of the rates (with n - 1); None for fewer than two known rates.
        episodes: the rates, in per cent; None for an episode in which nothing could be counted.
    """

    std: float | None
    episodes: Sequence[float | None]


class Rate(msgspec.Struct, frozen=True):
    """A rate with its interval, in per cent.

    Attributes:
        value: the rate; None if there is nothing to count.
        ci95: the 95 % interval of the rate.
        interval_method: how the interval is made: `wilson`, `effective` (Wilson's for a number of trials that allows
            for decisions that depend on each other), `bootstrap`, or `zou-donner` for a difference of independent
            rates; None if no method is stated.
        spread: the rate of each episode, if there are several; else None.
        right: how many predictions are right on the original (of spans: how many right spans are found in the
            originals); None for rates that do not state this count.
    """

    value: float | None
    ci95: Interval | None
    interval_method: str | None = None
    spread: Spread | None = None
    right: int | None = None


class SuccessRate(msgspec.Struct, frozen=True, kw_only=True):
    """An attack success rate in per cent, with its interval and its counts.

    The counts are summed over episodes (sets of demonstrations) and labels. A decision is one prediction that is
    counted, for one label of one row.

    Attributes:
        asr: the rate: broken / right; None if no decision is right on the original.
        ci95: the 95 % interval of the rate.
        interval_method: how the interval is made, such as `wilson`; None if no method is stated.
        spread: the rate of each episode, if there are several; else None.
        right: the number of decisions that are right on the original.
        broken: how many of these are wrong on the perturbed row.
        fixed: the number of decisions that are wrong on the original and right on the perturbed row.
    """

    asr: float | None
    ci95: Interval | None
    interval_method: str | None = None
    spread: Spread | None = None
    right: int
    broken: int
    fixed: int


class ScorePart(msgspec.Struct, frozen=True, kw_only=True):
    """The value of a metric for some of the predictions: those for a group of rows, for a label, or for both.

    Attributes:
        group: the group of rows; None for all rows.
        label: the label, or a field of the rows and one of its values, as `field: value`; None for all labels.
        value: the value on the originals.
        before: equal to `value`, for comparison with `after`; None in the metrics of originals.
        after: the value after the attack; None in the metrics of originals.
    """

    group: str | None = None
    label: str | None = None
    value: float
    before: float | None = None
    after: float | None = None


class Score(msgspec.Struct, frozen=True):
    """The value of a metric on the originals.

    Attributes:
        value: the mean over episodes.
        std: the standard deviation over episodes; None if there is only one episode.
        parts: the values by group of rows and by label; None if there is only one group and one label.
    """

    value: float
    std: float | None = None
    parts: Sequence[ScorePart] | None = None


class ChangedScore(msgspec.Struct, frozen=True):
    """The value of a metric before and after an attack, over the rows of the attack.

    Attributes:
        before: the mean over episodes on the originals of these rows.
        after: the mean over episodes on the perturbed rows.
        before_std: the standard deviation of `before` over episodes; None if there is only one episode.
        after_std: the standard deviation of `after` over episodes; None if there is only one episode.
        parts: the values by group of rows and by label; None if there is only one group and one label.
    """

    before: float | None
    after: float | None
    before_std: float | None = None
    after_std: float | None = None
    parts: Sequence[ScorePart] | None = None


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """The success rate of an attack over the rows that share a property, such as a length from 10 to 20 words.

    Attributes:
        value: the value of the property that the rows share, as a text.
        low: the lowest number of the range; None if the value is not a range of numbers.
        high: the highest number of the range; None if the value is not a range of numbers.
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
    rate: SuccessRate
    rows: int
    accuracy_before: float | None
    accuracy_after: float | None
    wide_interval: bool
    f1_before: float | None = None
    f1_after: float | None = None


class ValidRows(msgspec.Struct, frozen=True, kw_only=True):
    """The rates of an attack over the rows that people found valid, in per cent.

    A row is valid if its perturbed text can be understood and its right answer still holds.

    Attributes:
        judged: the number of rows that people judged.
        valid: how many of these rows people found valid.
        share: the share of `valid` in `judged`.
        right: the number of decisions about valid rows that are right on the original.
        broken: how many of these are wrong on the perturbed row.
        asr: the success rate over valid rows: broken / right.
        wide_interval: whether the interval of `asr` is too wide for a conclusion, or is not known.
        asr_all_rows: broken / all decisions about valid rows.
        flip_rate: the share of predictions for valid rows that the attack changes.
        performance_drop_rate: 1 - (right decisions about valid rows after the attack) / (those before it).
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


class UnreadReport(msgspec.Struct, frozen=True, kw_only=True):
    """How many of a model's replies have no answer.

    Attributes:
        answers: the number of all answers, including the replies without one.
        refused: the number of replies that refuse to answer.
        empty: the number of empty replies.
        cut: the number of replies that were cut off at the maximum length.
        unreadable: the number of replies that name no answer.
        share: the share of these four in all answers, in per cent.
    """

    answers: int
    refused: int
    empty: int
    cut: int
    unreadable: int
    share: Rate


class OptionOrderReport(msgspec.Struct, frozen=True, kw_only=True):
    """The answers of a model before and after the options of questions are permuted.

    Attributes:
        rows: the number of rows whose options were permuted.
        kept: the share of rows in which the model chooses the option with the same content before and after.
        before: the share of each option label, such as "A", among the answers to the originals of these rows.
        after: the share of each option label among the answers to these rows.
    """

    rows: int
    kept: Rate
    before: Mapping[str, Rate]
    after: Mapping[str, Rate]


class PromptEffect(msgspec.Struct, frozen=True, kw_only=True):
    """How often a model answers right with one prompt, in per cent.

    Attributes:
        name: the name of the prompt.
        original: the share of right answers to the originals.
        attacked: the share of right answers to the perturbed rows of all attacks; None if there are no attacks.
        effect: the share of right answers over originals and attacks, minus the mean of this share over all prompts; in
            percentage points.
    """

    name: str
    original: Rate
    attacked: Rate | None
    effect: Rate


class PromptsReport(msgspec.Struct, frozen=True, kw_only=True):
    """How much the right answers of a model depend on the prompt.

    Attributes:
        model: the name of the model.
        shots: the number of demonstrations; None for a model that does not read them.
        rows: the number of originals that are counted: those whose right answer is known and for which every
            attack has a row.
        prompts: how often the model is right with each prompt.
        attacks: the change of the share of right answers under each attack, in percentage points, as the mean over
            prompts.
        spread: the difference between the best and the worst prompt on originals, in percentage points.
        worst: the prompt with the fewest right answers over originals and attacks.
        worst_in: the percentage of bootstrap resamples in which the prompt `worst` is the worst.
        shares: the shares of the variance of right answers that are due to prompt, attack, row and their pairs, in per
            cent; empty if there are no attacks.
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


class ContaminationReport(msgspec.Struct, frozen=True, kw_only=True):
    """How many right answers perturbation costs a model; it costs more if the model knows the originals by heart.

    Attributes:
        rows: the number of perturbed rows that are counted: the right answer is known, and people did not find the row
            invalid.
        before: the percentage of right answers to the originals of these rows.
        after: the percentage of right answers to these rows.
        difference: `before` minus `after`, in percentage points, with a paired interval.
        fresh: the same report for fresh rows (rows that no model can know); None if there are none.
        excess: `difference` minus that of the fresh rows, in percentage points; None without fresh rows.
    """

    rows: int
    before: float | None
    after: float | None
    difference: Rate
    fresh: "ContaminationReport | None" = None
    excess: Rate | None = None


class AttackReport(msgspec.Struct, frozen=True, kw_only=True):
    """The counts, rates and metrics of an attack on a model; rates are in per cent.

    A decision is one prediction that is counted, for one label of one row; it is broken if it is right on the original
    and wrong on the perturbed row.

    Attributes:
        rate: the attack success rate with its counts.
        unchanged: the number of rows that the attack left unchanged.
        rejected: the number of rows of which no perturbation was similar enough to the original to pass the gate.
        rows: the number of rows.
        decisions: the number of predictions for rows whose right answer is known.
        asr_perturbed_rows: the success rate over the rows whose status is `perturbed`.
        asr_all_rows: broken / all decisions, even those that are wrong on the original.
        flips: the number of predictions that the attack changes; those of rows without a known right answer count, too.
        flip_rate: the share of predictions that the attack changes.
        performance_drop_rate: 1 - (right decisions after the attack) / (right decisions before it).
        flips_above_noise: how much more often answers differ between the original and the perturbed text than between
            repeats on one text; None if there were no repeats.
        asr_above_noise: the success rate corrected for slips (answers that the model does not usually give); None if
            there were no repeats.
        metrics: the metrics before and after the attack.
        valid_rows: the rates over the rows that people found valid; None if there are no verdicts.
        labels: for a task whose rows have several labels, the success rate for each label; else None.
        unread: how many replies have no answer; None if every reply of the model has one.
        option_order: how answers change if the attack permutes options; None if it permuted none.
        spans: what becomes of the right spans that the model finds in the originals, as shares: it finds them again
            (kept), with another border (border), with another label (type), or not at all (lost). `Rate.right` is the
            number of these spans. None if answers are not spans.
        contamination: the right answers lost on these rows, compared with rows that no model can know. None for rows
            that were chosen because they break answers (by a search, or as the worst case).
        edits_per_100_words: the number of edits per 100 words of the changed originals; None if edits are not known.
        subpopulations: the success rates for the values of each property of the originals.
        strength: the success rate for ranges of the similarity to the original, and for ranges of the share of possible
            changes that the attack made (the probability); empty for rows that were chosen because they break answers.
        outcomes: a list for each label, with a text for each episode, with a letter for each row (k: kept, b: broken,
            f: fixed, w: wrong, -: the right answer is not known).
    """

    rate: SuccessRate
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


class ModelReport(msgspec.Struct, frozen=True, kw_only=True):
    """The results of a model with one number of demonstrations.

    Attributes:
        model: the name of the model.
        signature: all that defines its answers; None if the model has no signature.
        prompt: the name of its prompt; None if models were not asked with several prompts.
        shots: the number of demonstrations; None for a model that does not read them.
        episodes: the number of sets of demonstrations.
        deterministic: whether the model states that it always answers a question in the same way.
        same_text_flips: how often two answers to the same text differ; None if every text was asked about once.
        defence: for a model behind a normalizer, the right answers that the normalizer costs and recovers; None for a
            bare model.
        catch: for a filter of rows with a certain label, the rows that it misses, and its false alarms; None if the
            model was not evaluated as such a filter.
        beats_majority: whether a test finds it better than the most frequent answer on the originals.
        best: the attacks that break this model clearly less often than they break the others. The entry `asr_mean`
            stands for the mean over attacks.
        metrics: the metrics on the originals.
        unread: how many replies to the originals have no answer; None if all replies, to all rows, have one.
        worst_case: the share of decisions that are right on the original and on all perturbed rows.
        worst_case_asr: the share of decisions right on the original that at least one perturbed row breaks.
        consistency: how often the original and the perturbed rows of a record get the same prediction.
        asr_mean: the mean success rate of the attacks.
        attacks: the results of each attack.
        outcomes: if the report has no attacks, the outcomes of the originals as letters (k: right, w: wrong); else
            None.
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


class McNemar(msgspec.Struct, frozen=True, kw_only=True):
    """McNemar's test of two models, or of two attacks on one model, on the same decisions.

    The two are called `a` and `b`. A decision is one prediction that is counted; it is broken if it is right on the
    original and wrong on the perturbed row.

    Attributes:
        counted: which decisions the test counts: the `right` ones or the `broken` ones.
        decisions: the number of decisions that are tested.
        a: how many decisions are right (or broken) for a.
        b: how many decisions are right (or broken) for b.
        only_a: how many decisions are right (or broken) for a and not for b.
        only_b: how many decisions are right (or broken) for b and not for a.
        difference: the difference of the two shares, in percentage points.
        p: the p value.
        p_holm: the p value corrected by Holm's method, since several tests are made: one for each attack on two models,
            or one for each pair of attacks on a model.
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


class ModelDifference(msgspec.Struct, frozen=True, kw_only=True):
    """The difference between the success rates of an attack on two models, in percentage points.

    Only the predictions are counted that are right on the original for both models. If there are no attacks, the
    percentages of right predictions are compared.

    Attributes:
        between: always "models".
        attack: the attack; None if there are no attacks.
        a: the name of the first model.
        b: the name of the second model.
        shots: how many demonstrations a is shown, and how many b; None for a model that does not read them.
        difference: the rate of a minus that of b.
        ci95: the 95 % interval of the difference.
        clear: whether the interval that is corrected for the number of attacks does not contain 0, and McNemar's test
            (if there is one) finds a difference, too.
        mcnemar: McNemar's test, corrected for the number of attacks; None if the data do not allow it.
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


class DefendedAttack(msgspec.Struct, frozen=True, kw_only=True):
    """The right answers that an attack costs a bare model (without a normalizer), and that a defence recovers.

    Attributes:
        clean: the percentage of right answers of the bare model to the originals of the attack's rows.
        attacked: the percentage of right answers of the bare model to the perturbed rows.
        defended: the percentage of right answers of the model behind the defence to the perturbed rows.
        cost: `clean` minus `attacked`, in percentage points.
        recovered: (defended - attacked) / (clean - attacked); None if the interval of `cost` does not lie above 0.
        changed: the percentage of perturbed rows that the normalizer changes; None for the worst case.
    """

    clean: float | None
    attacked: float | None
    defended: float | None
    cost: Rate
    recovered: Rate | None
    changed: Rate | None = None


class DefenceReport(msgspec.Struct, frozen=True, kw_only=True):
    """The right answers that a defence costs a model on the originals, and that it recovers under attacks.

    Attributes:
        name: the name of the normalizer.
        of: the name of the bare model.
        changed: the percentage of originals that the defence changes.
        cost: how many right answers to the originals the defence costs: the rate of the bare model minus that of the
            model behind the defence, with a test.
        attacks: the right answers that each attack costs, and that the defence recovers.
        worst_case: the same for the worst case over all attacks; None if there are no attacks.
    """

    name: str
    of: str
    changed: Rate
    cost: ModelDifference
    attacks: Mapping[str, DefendedAttack]
    worst_case: DefendedAttack | None = None


class CatchAfter(msgspec.Struct, frozen=True, kw_only=True):
    """The errors of a filter that must catch one label, on the originals or after an attack.

    Attributes:
        missed: the percentage of rows with the label to which the model gives another label.
        false_alarms: the percentage of rows with other labels to which the model gives the label.
        threshold: after an attack, the highest threshold of the label's probability, in [0, 1], at which the filter
            misses no larger share of the perturbed rows than it missed of the originals. None for the originals, and if
            the model gives no scores.
        false_alarms_then: the false alarms on the originals at this threshold; None if `threshold` is None.
        curves: the percentages `missed` and `false_alarms` at each of `CatchReport.thresholds`; None if the model gives
            no scores.
    """

    missed: Rate
    false_alarms: Rate
    threshold: float | None = None
    false_alarms_then: Rate | None = None
    curves: Mapping[str, Sequence[float | None]] | None = None


class CatchReport(msgspec.Struct, frozen=True, kw_only=True):
    """The errors of a filter that must catch one label: the rows that it misses, and its false alarms.

    Attributes:
        label: the label that the filter must catch.
        originals: its errors on the originals.
        attacks: its errors after each attack.
        thresholds: the thresholds of the label's probability at which the curves of errors are drawn, in [0, 1].
    """

    label: str
    originals: CatchAfter
    attacks: Mapping[str, CatchAfter]
    thresholds: Sequence[float]


class AttackDifference(msgspec.Struct, frozen=True, kw_only=True):
    """The difference between the success rates of two attacks on a model, in percentage points.

    Attributes:
        between: always "attacks".
        model: the name of the model.
        shots: its number of demonstrations; None if it does not read them.
        a: the first attack.
        b: the second attack.
        difference: the rate of a minus that of b.
        ci95: the interval of the difference.
        mcnemar: McNemar's test; None if the data do not allow it.
    """

    between: str = "attacks"
    model: str
    shots: int | None
    a: str
    b: str
    difference: float | None
    ci95: Interval | None
    mcnemar: McNemar | None = None


class CurvePoint(msgspec.Struct, frozen=True):
    """The success rate of a search against a model if it may make only so many queries.

    Attributes:
        queries: the most queries (texts that the model is asked about) for a record.
        broken: for how many rows the search found a text with a wrong answer within this number of queries.
        asr: `broken` divided by the number of rows that the model answers right before the search, in per cent.
        ci95: the 95 % interval of the rate.
    """

    queries: int
    broken: int
    asr: float | None
    ci95: Interval | None


class ShareBroken(msgspec.Struct, frozen=True):
    """How often edits or rows with one value of a property broke an answer in a search against a model.

    Attributes:
        by: the property, such as "letter".
        value: its value, such as "к → *".
        broken: how many edits or rows with this value broke an answer.
        of: how many edits or rows with this value the search tried.
        share: broken / of, in per cent.
        ci95: the 95 % interval of the share.
        lift: `share` divided by the same share over all values of the property; None if it is not known.
        train_rows: the number of the model's train rows that contain the word `value`; None if they are not known.
    """

    by: str
    value: str
    broken: int
    of: int
    share: float | None
    ci95: Interval | None
    lift: float | None
    train_rows: int | None = None


class HardRow(msgspec.Struct, frozen=True):
    """A row that a search could not break (turn the model's right answer wrong), or broke only after many queries.

    Attributes:
        id: the id of the original.
        label: its right answer.
        status: `withstood` (not broken) or `broken`.
        queries: the number of queries that the search spent.
        changes: the number of changes in the found text; 0 if none was found.
    """

    id: str
    label: str
    status: str
    queries: int
    changes: int


class SearchReport(msgspec.Struct, frozen=True, kw_only=True):
    """The results of a search against a model. Means are over the broken rows; they are None if no row was broken.

    A row is broken if the search turned the model's right answer wrong.

    Attributes:
        model: the model that the search attacked; None if it is not known.
        budget: the most queries (texts that the model is asked about) for a record.
        right: the number of rows that the model answers right before the search.
        broken: how many of these the search broke.
        curve: the success rate of the search for several limits on its queries.
        queries: the number of queries spent on all rows that the model answers right before the search.
        queries_a_success: queries / broken rows.
        changes: the mean number of changes.
        changed_words: the mean number of words that the edits touch.
        minimal: the percentage of broken rows in which every change is needed: if any one is taken back, the answer is
            right again.
        similarity: the mean similarity.
        broke: how often edits or rows with a certain property broke an answer, such as edits of the letter «к → *».
        hardest: the rows that were hardest to break.
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


class ChosenFrom(msgspec.Struct, frozen=True):
    """The attacks and models that worst-case rows were chosen from: of each original the row that breaks most models.

    Attributes:
        attacks: the attacks whose rows they were chosen from.
        models: the models that were used to choose them.
    """

    attacks: Sequence[str]
    models: Sequence[str]


class Data(msgspec.Struct, frozen=True):
    """The rows that were evaluated.

    Attributes:
        name: the name of their file without its folder; None for rows made in Python.
        digest: a hash of the rows; None if it is not known.
    """

    name: str | None
    digest: str | None


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The report of an evaluation.

    Attributes:
        format: a text that marks the file as a report.
        version: the version of the file format.
        signature: one line with everything that defines the numbers.
        unit: the unit of all rates and metrics: "percent".
        title: the title; None for none.
        date: the date; None for none.
        data: the file of the rows and a hash of them.
        task: the name of the task.
        protocol: the protocol of its benchmark; None for none.
        fields: the perturbed fields.
        gold: the fields of the right answer.
        metrics: the names of the metrics, the main one first.
        correct: what makes a prediction right, such as "same label".
        originals: the number of originals.
        originals_without_gold: the number of originals whose right answer is not known.
        attacks: the attacks.
        specs: for rows of a release, maps the name of each attack in its rows to the specification of the attack; else
            None.
        majority: the metrics of a model that always gives the most frequent answer.
        models: the results of each model and number of demonstrations.
        comparisons: the differences of each pair of models, and of each pair of attacks.
        prompts: how answers depend on the prompt; None if one prompt was used.
        searches: the results of each search against a model; None if there are none.
        worst_of: if the rows are worst-case rows, the attacks and models they were chosen from; else None.
        rows: a key of each row, by attack; by these keys reports are compared.
        original_rows: if the report has no attacks, a key of each original; else None.
    """

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


class ComparedReport(msgspec.Struct, frozen=True, kw_only=True):
    """A report in a comparison of several.

    Attributes:
        name: its name in the comparison.
        data: the file of its rows and a hash of them; None if it states none.
        date: its date; None if it states none.
        signature: what defines its numbers; None if it states none.
        rows: the number of its perturbed rows.
        shared: how many of them all reports share.
        attacks_left_out: its attacks that are not compared, because another report lacks them.
    """

    name: str
    data: Data | None
    date: str | None
    signature: str | None
    rows: int
    shared: int
    attacks_left_out: Sequence[str]


class ComparedAttack(msgspec.Struct, frozen=True, kw_only=True):
    """The results of an attack on a model, over the rows that all compared reports share.

    Attributes:
        rate: the attack success rate with its counts.
        rows: the number of shared rows.
        metrics: the metrics before and after the attack.
    """

    rate: SuccessRate
    rows: int
    metrics: Mapping[str, ChangedScore]


class ComparedModel(msgspec.Struct, frozen=True, kw_only=True):
    """The results of a model, over the rows that all compared reports share.

    Attributes:
        report: the name of its report.
        of: its name in that report.
        beats_majority: whether a test finds it better than the most frequent answer on the originals.
        best: the attacks that break this model clearly less often than they break the others. The entry `asr_mean`
            stands for the mean over attacks.
        model: its name in the comparison.
        signature: all that defines its answers; None if the model has no signature.
        shots: the number of demonstrations; None for a model that does not read them.
        episodes: the number of sets of demonstrations.
        metrics: the metrics on the originals, with intervals.
        worst_case: the share of decisions that are right on the original and on all perturbed rows.
        worst_case_asr: the share of decisions right on the original that at least one perturbed row breaks.
        asr_mean: the mean success rate of the attacks.
        attacks: the results of each attack.
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


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison of several reports over the rows that all of them share.

    Attributes:
        format: a text that marks the file as a comparison.
        version: the version of the file format.
        signature: one line with everything that defines the numbers.
        unit: the unit of all rates and metrics: "percent".
        title: the title; None for none.
        date: the date; None for none.
        reports: the compared reports.
        task: the name of their task.
        gold: the fields of the right answer.
        correct: what makes a prediction right, such as "same label".
        metrics: the names of the metrics.
        majority: the metrics of a model that always gives the most frequent answer.
        originals: the number of shared originals.
        originals_without_gold: the number of originals whose right answer is not known.
        rows: the number of shared rows of each attack.
        attacks: the attacks that all reports have.
        models: the results of the models over the shared rows.
        comparisons: the differences of each pair of models, and of each pair of attacks.
    """

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
    majority: Mapping[str, float] = {}
    originals: int
    originals_without_gold: int = 0
    rows: Mapping[str, int]
    attacks: Sequence[str]
    models: Sequence[ComparedModel]
    comparisons: Sequence[ModelDifference | AttackDifference]


AnyReport: TypeAlias = Report | Comparison


class SavedScore(msgspec.Struct, frozen=True, kw_only=True):
    """The value of a metric as a report file holds it.

    Attributes:
        value: the value, in per cent; None if there is none.
    """

    value: float | None


class SavedAttack(msgspec.Struct, frozen=True, kw_only=True):
    """The results of an attack, as far as they are read from a report file.

    Attributes:
        asr: the attack success rate, in per cent.
        outcomes: a list for each label, with a text for each episode, with a letter for each row (k: kept, b: broken,
            f: fixed, w: wrong, -: the right answer is not known).
    """

    asr: float | None = None
    outcomes: Letters = ()


class SavedModel(msgspec.Struct, frozen=True, kw_only=True):
    """The results of a model, as far as they are read from a report file.

    Attributes:
        model: the name of the model.
        signature: a text that names all that its answers depend on; None if the model states none.
        shots: the number of demonstrations; None for a model that does not read them.
        beats_majority: whether a test finds it better than the most frequent answer on the originals.
        metrics: the metrics on the originals.
        attacks: the results of each attack.
        outcomes: if the report has no attacks, the outcomes of the originals as letters (k: right, w: wrong); else
            empty.
    """

    model: str
    signature: str | None = None
    shots: int | None
    beats_majority: bool = True
    metrics: Mapping[str, SavedScore]
    attacks: Mapping[str, SavedAttack]
    outcomes: Letters = ()


class SavedReport(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a report file (of `evaluate -o`) that are read; files of older versions may lack some of them.

    Attributes:
        version: the version of the file format.
        signature: one line with everything that defines the numbers.
        title: the title.
        date: the date.
        data: the file of the rows and a hash of them.
        task: the name of the task.
        protocol: the protocol of its benchmark.
        gold: the fields of the right answer.
        metrics: the names of the metrics, the main one first.
        correct: what makes a prediction right, such as "same label".
        attacks: the attacks.
        majority: the metrics of a model that always gives the most frequent answer.
        models: the results of the models.
        rows: a key of each row, by attack; by these keys reports are compared.
        original_rows: a key of each original.
    """

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
    majority: Mapping[str, float] = msgspec.field(default_factory=dict)
    models: Annotated[Sequence[SavedModel], msgspec.Meta(min_length=1)]
    rows: Mapping[str, Sequence[str]] | None = None
    original_rows: Sequence[str] | None = None


def read_report(path: Path) -> SavedReport:
    """Read the report in a file that `evaluate -o` wrote.

    Raises:
        AugmentError: the file cannot be read, or does not hold a report.
    """
    problem = f"{path}: is no JSON; give a report.json of evaluate -o"
    with saying_instead(problem, msgspec.DecodeError, ValueError, RecursionError):
        data = file_bytes(path, most=2**30, what="a report.json of evaluate")
        return saved_report(msgspec.json.decode(data), str(path))


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
    problem = f"{where}: is damaged, or no report of augment-ru evaluate"
    with saying_instead(lambda error: f"{problem}: {error}", msgspec.ValidationError):
        return msgspec.convert(values, SavedReport)
