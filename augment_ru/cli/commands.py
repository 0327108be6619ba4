"""The commands: the options and the help of each. The work of a command is a function of `augment_ru.jobs`.

The function gets the values of the options by the names of their parameters. It is imported when the command runs, so
that --help loads nothing heavy.
"""
# ruff: noqa: D301, PLC0415 (the backspace tells click to keep the line breaks; imports take time)

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import get_completion_class

from augment_ru import jobs
from augment_ru.adversary.defaults import ATTACKS, BUDGET, DRAWS, LEAST
from augment_ru.cli import shared_options as shared
from augment_ru.cli.shared_options import Command, HelpfulGroup, attack_option, option, table_format, with_options
from augment_ru.errors import AugmentError

_PATH = click.Path(path_type=Path)


@click.command(cls=Command)
@click.argument("source", metavar="IN|-")
@shared.OUTPUT
@attack_option("An attack (see augment-ru list attacks); A+B applies A, then B.")
@with_options(*shared.INPUT, shared.SPANS, shared.PROBABILITY, *shared.SEARCH, *shared.SETUP)
@option("--recipe FILE.toml", "Read options from a file; options of the command line override them.")
@option("--with-original", 'Also write each row unperturbed, as attack "original".')
@with_options(*shared.ROWS)
@option("--report FILE.json", "Write the table at the end of the run as JSON.")
@option("--copies N", "Perturbations of each row by each attack, from different draws.  [default: 1]", least=1)
@with_options(*shared.SPLIT, shared.QUIET)
def perturb(**given: Any) -> int:  # noqa: ANN401
    """Perturb the rows of a file.

    Writes one row for each input row and attack. The end of a file's name gives its format: .jsonl, .json, .csv,
    .tsv, .parquet, or .txt with a text on each line; all but .parquet may be packed (.gz, .zst). stdin holds JSON
    Lines. On a terminal, without -o, the differences are shown in colours.

    \b
    augment-ru perturb in.jsonl -o out.jsonl --attack butterfingers
    augment-ru perturb train.csv -o out.csv --attack emojify --field "Tweet text"
    augment-ru perturb in.jsonl --attack eda_swap --attack butterfingers+emojify --seed 7
    """
    from augment_ru.engine.presets import PERTURB_KEYS, PERTURB_LISTS

    return jobs.perturb.perturb_rows(_with_recipe(given, PERTURB_KEYS, PERTURB_LISTS))


@click.command(cls=Command)
@click.argument("source", metavar="IN|-")
@shared.OUTPUT
@shared.NORMALIZER
@option("--set NAME.OPTION=VALUE...", "Set an option of a normalizer (see list -v).", dest="options")
@with_options(*shared.INPUT, *shared.ROWS, *shared.SPLIT, shared.QUIET)
def normalize(**given: Any) -> int:  # noqa: ANN401
    """Write the texts of a file as they were meant: undo what hides words from a filter, or undo people's errors.

    Formats are those of perturb. On a terminal, without -o, the differences are shown in colours.

    \b
    augment-ru normalize in.jsonl -o out.jsonl
    augment-ru normalize in.csv -o out.csv --normalizer people --field comment
    """
    given["normalizers"] = given["normalizers"] or ("evasion",)
    return jobs.perturb.normalize_rows(given)


def _with_recipe(given: dict[str, Any], keys: type[Any], lists: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of the options, with those of the recipe for options that the command line does not set.

    Without a recipe, return `given`. `keys` and `lists` are arguments of `read_recipe`.
    """
    if not given["recipe"]:
        return given
    from augment_ru.engine.presets import read_recipe

    with jobs.messages.checking():
        recipe = read_recipe(Path(given["recipe"]), keys, lists)
    context = click.get_current_context()
    types = {param.name: param for param in context.command.params}
    values = dict(given)
    for name, value in recipe.items():
        key = "form" if name == "format" else name
        if context.get_parameter_source(key) == ParameterSource.DEFAULT:
            param = types[key]
            values[key] = value if isinstance(value, tuple | bool) else param.type.convert(value, param, context)
    return values


@click.command(cls=Command, short_help="Count the right answers of models that perturbations break.")
@click.argument("source", metavar="PERTURBED.jsonl|FOLDER|-")
@option("--model [NAME=]KIND[:ARGUMENT]...", "See augment-ru list models; NAME: how it is shown.")
@option(
    "--defence NAME[+NAME]...", "Also each model behind this normalizer (A+B: one after another): its cost and gain."
)
@option("--originals FILE", "The unperturbed rows, if PERTURBED does not hold them.")
@option("--fresh FILE", "Rows that no model can know, perturbed in the same way: the control of contamination.")
@with_options(*shared.INPUT, *shared.MODEL)
@shared.METRIC
@option("--shots K,K,…|task", "Numbers of demonstrations; task: its benchmark's.  [default: 0; with --protocol task]")
@option("--protocol NAME", "How the benchmark asks and scores: mera-paper, or mera-2024, as its code does since.")
@option("--prompts all|FILE.toml...", "Ask under all prompts of the task, or of prompt files.", dest="prompts")
@option("--nearest KIND[:ARGUMENT]", "Show the train rows nearest to each row: tfidf, hf-encoder:MODEL.")
@option("--judge NAME=MODEL...", "A classifier of style, meaning, fluency: the joint score of ruDetox.")
@option("--episodes N", "Sets of demonstrations for each K.  [default: 5]")
@option("--repeats N", "Ask N times: how often the model slips, and what attacks break above that.", default=1)
@option("--require TEXT...", "Exit with code 3 if a number fails: 'asr(people) <= 5', by its interval.", dest="require")
@option("--require-point", "Judge what --require names by the estimate, not by the end of its interval.")
@option("--catch LABEL", "The label that a filter is to catch: missed rows and false alarms apart, by threshold.")
@option("--by FIELD...", "Also report by the values of a field.", dest="by")
@shared.DEVICE
@option("--seed N", "The seed of the random numbers.", default=42)
@option("--verdicts FILE.jsonl", "Human verdicts: count every rate also over valid rows.")
@option("--title TEXT", "The title of the report.")
@option("--date TEXT|none", "The date of the report.  [default: on the page the day when the rows were written]")
@option("--flipping auto|all|none", "Models asked which edits flip an answer; auto: the fast ones.  [default: auto]")
@option(
    "--table NAME...",
    "Print this table: rates, spans, counts, noise, defences, catch, contamination, together, valid, curve, broke, "
    "hard, transfer, models, attacks, strength, subpopulations, or all.  [default: what has few rows]",
)
@table_format()
@shared.LATEX
@option("--recipe FILE.toml", "Options in a file; those given here override them.")
@option("-o/--output REPORT.json", "The report as JSON; - for stdout.")
@option("--html REPORT.html", "The report as a web page.")
@option("--predictions FILE.jsonl", "Every prediction, to recount the report.")
@option("--submission FILE", "The answers to the originals, as MERA or Russian SuperGLUE takes them.")
@option("--worst-case FILE.jsonl", "For each original the row that breaks most of the models.")
@shared.QUIET
def evaluate(**given: Any) -> int:  # noqa: ANN401
    """Count how many of a model's right predictions the attacks break.

    \b
    augment-ru evaluate perturbed.jsonl --model linear:train.jsonl --html report.html
    augment-ru evaluate release/task --model hf-causal:gpt --shots 0,4
    augment-ru evaluate perturbed.jsonl --model hf-causal:gpt --train train.jsonl --shots 0,1,4,8 -o report.json
    """
    from augment_ru.engine.presets import EVALUATE_KEYS, EVALUATE_LISTS

    return jobs.evaluate.run_evaluation(_with_recipe(given, EVALUATE_KEYS, EVALUATE_LISTS))


@click.command(cls=Command, short_help="Search for the smallest changes that break a model's answers.")
@click.argument("source", metavar="IN|-")
@shared.OUTPUT
@option("--html REPORT.html", "What broke the answers, as a web page; needs -o.")
@option("--model [NAME=]KIND[:ARGUMENT]", "The model; see augment-ru list models.", required=True)
@option("--defence NAME", "Search through this normalizer (A+B: one after another): the model behind it is asked.")
@attack_option("An attack whose changes are in the pool.", ", ".join(ATTACKS))
@option("--budget N", "The most queries for a row.", default=BUDGET)
@option(
    "--guide KIND[:ARGUMENT]",
    "A model with scores that orders the queries of one with labels alone; asking it is not counted.",
)
@option("--targeted LABEL", "Make the model give this label.  [default: any wrong answer]", dest="target")
@option("--no-minimal", "Stop at the first set of changes that breaks the answer.")
@option(
    "--confirm N",
    "Ask again at least N times whether a text broke the answer, to tell slips of the model; 0: believe one answer.  "
    f"[default: {LEAST}, or 0 for models that are deterministic]",
)
@option("--draws N", "Random draws of each attack in the pool.", default=DRAWS)
@option("--time SECONDS", "End the searches after this time.", dest="seconds")
@with_options(
    *shared.INPUT, shared.SPANS, shared.METRIC, *shared.MODEL, *shared.POOL, *shared.ROWS, *shared.SPLIT, shared.QUIET
)
def attack(**given: Any) -> int:  # noqa: ANN401
    """Search for the smallest change of each row that turns a model's right answer wrong.

    Writes one row for each input row. A query is a text that the model is asked about. If a run was killed, the next
    one asks only what is not in the cache. On a terminal, without -o, the differences are shown in colours.

    \b
    augment-ru attack in.jsonl -o out.jsonl --model linear:train.jsonl
    augment-ru attack in.jsonl -o out.jsonl --model hf-classifier:MODEL --attack butterfingers --attack homoglyphs
    """
    return jobs.attack.attack_rows(given)


class _Release(HelpfulGroup):
    """A group that builds a recipe if its first argument is not the name of a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. If the first is a recipe, put the command `build` before it."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["build", *args]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help of `build`, and then the list of the other commands."""
        build_.format_help(ctx, formatter)
        with formatter.section("Commands"):
            formatter.write_dl([("verify DIR", verify.get_short_help_str(80))])


@click.group(cls=_Release, short_help="Build an adversarial test set to publish, or check one.")
def release() -> None:
    """Build adversarial test sets for publication as a benchmark, or check them."""


@release.command("build", cls=Command, hidden=True, options_metavar="[OPTIONS] -o DIR")
@click.argument("recipe", metavar="RECIPE.toml")
@option("-o/--output DIR", "A new folder; it appears when the release is complete.", required=True)
@shared.WORKERS
@option("--resume", "Continue a build that was killed.")
@with_options(shared.DEVICE, shared.QUIET)
def build_(**given: Any) -> None:  # noqa: ANN401
    """Build a release: original and perturbed test sets, few-shot episodes, card, manifest, tasks for lm-eval.

    \b
    augment-ru release tape-like.toml -o tape-like
    augment-ru release verify tape-like --rebuild 20
    """
    jobs.release.make_release(given)


@release.command(cls=Command)
@click.argument("folder", metavar="DIR")
@option("--rebuild N", "Perturb N rows of each task again and compare.", least=0, default=0)
@option("--expect SHA256", "The digest of the manifest as it was published.")
def verify(**given: Any) -> None:  # noqa: ANN401
    """Check a release: every file, row and edit. Print each change since it was built, with the file and the row."""
    jobs.release.check_release(**given)


@click.command(cls=Command)
@click.argument("text")
@attack_option("An attack to explain.", "butterfingers")
@shared.NORMALIZER
@with_options(shared.PROBABILITY, *shared.SEARCH, *shared.SETUP)
def explain(text: str, **given: Any) -> None:  # noqa: ANN401
    """Show which changes are applied to a text, and why.

    Prints the protected spans with the rules that protect them. For each attack, prints the changes that it proposes,
    with their ranks, and says of each whether it was dropped (and why), applied, or not applied. For a normalizer,
    prints its edits and other possible readings of the text.
    """
    jobs.explain.explain_text(text, given)


@click.command("list", cls=Command)
@click.argument(
    "kind",
    required=False,
    type=click.Choice(["attacks", "normalizers", "constraints", "similarities", "tasks", "models"]),
)
@option("-v/--verbose", "Also show options, reasons and files.")
@option("--lang en|ru", "The language.  [default: that of the locale]")
def list_(kind: str | None, verbose: bool, lang: str | None) -> None:  # noqa: FBT001
    """List attacks, normalizers, constraints, similarities, tasks and models."""
    from augment_ru.jobs.list import language_of, listing

    for line in listing(kind, verbose=verbose, language=lang or language_of(os.environ)):
        click.echo(line)


@click.command(cls=Command)
@click.argument("files", nargs=-1, metavar="[FILE]...")
def check(files: tuple[str, ...]) -> None:
    """Check dictionaries, rule files, task files and prompt files.

    Dictionaries end in .tsv, the other files in .toml. A function that is a constraint is given as FILE.py:FUNCTION.
    Examples that rule files or such functions state are run, too. Without FILE, checks the files of this package,
    except its task files.
    """
    paths = [Path(file) for file in files]
    jobs.messages.print_problems(jobs.check.file_problems(paths), unchecked=partial(jobs.check.prompts_of_files, paths))


@click.command(cls=Command)
@click.argument("source", metavar="IN|-")
@attack_option("An attack whose perturbations should pass.", "five attacks")
@option("--accept SHARE", "Share of perturbations that should pass the threshold.", default=0.9)
@option("--at P...", "A probability to measure at.", dest="probabilities")
@option("--limit N", "Read only the first N rows.", least=2, default=200)
@option("--report FILE.json", "Write the figures as JSON.")
@option("--write-baseline FILE", "Write bertscore's scores of unrelated texts for each layer.", dest="baseline")
@with_options(*shared.INPUT, shared.PROBABILITY, *shared.SETUP, shared.WORKERS)
def calibrate(**given: Any) -> None:  # noqa: ANN401
    """Measure a similarity on your texts and propose a threshold.

    Prints a histogram of the scores of unrelated texts, and one for each attack at several probabilities. Each text is
    perturbed once, and no gate checks it. At the proposed threshold, at least the share --accept of each attack's
    perturbations passes, if the attack has its default probability.

    \b
    augment-ru calibrate in.jsonl
    augment-ru calibrate in.jsonl --similarity bertscore --attack butterfingers --accept 0.95
    """
    jobs.calibrate.calibrate_file(given)


@click.command(cls=Command, short_help="Score given pairs of texts.")
@click.argument("source", metavar="PAIRS|-")
@with_options(shared.SIMILARITY, shared.SET, *shared.FILE_FORM, shared.DEVICE)
@option("-o/--output OUT.jsonl", "Each pair with its score.", type=_PATH)
@table_format()
def similarity(**given: Any) -> None:  # noqa: ANN401
    """Score given pairs of texts: rows with `original` and `perturbed`, or the output of perturb.

    Prints the mean, deviation and quantiles of the scores for each attack, × 100, as in Table 1 of TAPE. Pairs that an
    attack left unchanged count, too. Rows of perturb that state their edits get the score that the gate gave them.

    \b
    augment-ru similarity pairs.jsonl --similarity bertscore:bert-base-multilingual-cased
    """
    jobs.similarity.score_pairs(given)


@click.command(cls=Command, short_help="Put the reports of several evaluations side by side.")
@click.argument("reports", nargs=-1, required=True, metavar="REPORT.json...")
@option("-o/--output COMPARISON.json", "The comparison as JSON; - for stdout.")
@option("--html PAGE.html", "The comparison as a web page.")
@table_format()
@shared.LATEX
@option("--title TEXT", "The title of the comparison.")
@option("--date TEXT", "The date of the comparison.")
@option("--seed N", "The seed of the bootstrap.", default=42)
@shared.QUIET
def compare(**given: Any) -> None:  # noqa: ANN401
    """Compare the models in the reports of several evaluations, over the rows that all of the reports share.

    \b
    augment-ru evaluate perturbed.jsonl --model linear:train.jsonl -o linear.json
    augment-ru evaluate perturbed.jsonl --model hf-causal:gpt -o gpt.json
    augment-ru compare linear.json gpt.json --html both.html
    """
    jobs.evaluate.compare_reports(given)


@click.command(cls=Command, short_help="Means over tasks, from several reports.")
@click.argument("reports", nargs=-1, required=True, metavar="REPORT.json...", type=_PATH)
@table_format("json")
def totals(reports: tuple[Path, ...], form: str) -> None:
    """Print the means of models over tasks, from the reports of evaluate.

    They are computed like the totals of MERA and Russian SuperGLUE, and like Tables 3 and 4 of TAPE.

    \b
    augment-ru evaluate release/winograd --model linear -o winograd.json
    augment-ru evaluate release/ru_worldtree --model linear -o ru_worldtree.json
    augment-ru totals winograd.json ru_worldtree.json
    """
    jobs.evaluate.print_totals(reports, form)


@click.group(cls=HelpfulGroup, short_help="Have people judge perturbed rows.")
def verdicts() -> None:
    """Have people judge perturbed rows, and count rates over those that they find valid.

    \b
    augment-ru verdicts export perturbed.jsonl -o tasks.json
    augment-ru verdicts import answers.json -o verdicts.jsonl
    augment-ru evaluate perturbed.jsonl --model linear:train.jsonl --verdicts verdicts.jsonl
    """


@verdicts.command("export", cls=Command)
@click.argument("source", metavar="REPORT.json|ROWS|RELEASE")
@option(
    "-o/--output TASKS.json|TASKS.tsv",
    "Tasks for Label Studio (.json, with the interface beside it in .xml) or for Toloka (.tsv).",
    required=True,
)
@option("--originals FILE", "The unperturbed rows, if they are elsewhere.")
@with_options(*shared.INPUT)
@option("--predictions FILE", "The predictions of evaluate: draw every outcome in its proportion.")
@option("--size N", "Rows to judge.", default=200, least=1)
@option("--seed N", "The seed of the draw.", default=42)
def export(source: str, output: str, **given: Any) -> None:  # noqa: ANN401
    """Write a sample of perturbed rows for annotators to judge.

    The question is in Russian, and no attack is named. A whole release is sampled task by task. From a report of
    evaluate, rows are sampled so that each outcome (such as broken) of the report's first model has the same share in
    the sample as in the report.
    """
    jobs.verdicts.export_sample(source, Path(output), given)


@verdicts.command("import", cls=Command)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="ANSWERS...")
@option("-o/--output VERDICTS.jsonl", "The verdicts.", type=_PATH)
@option("--release FOLDER", "The release whose card and manifest state the shares of valid rows.", type=_PATH)
@option(
    "--aggregate majority|dawid-skene",
    "How answers are joined; dawid-skene needs augment-ru[verdicts].",
    default="majority",
)
def import_(files: tuple[Path, ...], output: Path | None, release: Path | None, aggregate: str) -> None:
    """Read the answers of annotators, exported by Label Studio (.json) or Toloka (.tsv).

    \b
    augment-ru verdicts import answers.json -o verdicts.jsonl
    augment-ru verdicts import answers.json --release my_release
    """
    jobs.verdicts.import_answers(list(files), output, release, aggregate)


@click.group(cls=HelpfulGroup)
def models() -> None:
    """Download models for attacks and similarities."""


@models.command(cls=Command)
@click.argument("names", nargs=-1, metavar="NAME...")
@option("--preset TEXT", "Download every model that a preset needs.")
@option("--revision COMMIT", "Branch, tag or commit to download.")
def pull(names: tuple[str, ...], preset: str | None, revision: str | None) -> None:
    """Download models from the Hugging Face hub into the local cache.

    Downloads weights as safetensors if the repository has them, and never code. No other part of augment-ru uses
    the internet, except the servers that you name (openai:URL).

    \b
    augment-ru models pull bert-base-multilingual-cased
    augment-ru models pull --preset tape
    """
    from augment_ru.engine.presets import preset as preset_of
    from augment_ru.inference.pretrained import pull as fetch

    with jobs.messages.checking():
        wanted = [*names, *(preset_of(preset).models if preset else ())]
        if not wanted:
            problem = f"preset {preset} needs no model; name a model" if preset else "no model is named; name one"
            raise AugmentError(f"{problem}, or give `preset` tape")
    for name in wanted:
        click.echo(f"{name}: {fetch(name, revision)}")


@click.command(cls=Command, short_help="Print a script that completes commands in a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that completes commands, options and names in a shell.

    \b
    eval "$(augment-ru completion bash)"     # in ~/.bashrc
    eval "$(augment-ru completion zsh)"      # in ~/.zshrc
    augment-ru completion fish | source      # in ~/.config/fish/config.fish
    """
    made = get_completion_class(shell)
    if made is None:
        raise AugmentError(f"{shell}: click has no completion for it")
    root = click.get_current_context().find_root()
    click.echo(made(root.command, {}, "augment-ru", "_AUGMENT_RU_COMPLETE").source())
