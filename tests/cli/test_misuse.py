"""What the command line says where it is used wrongly: what, what is possible, and what to do, in one line."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from augment_ru.cli.main import cli
from augment_ru.jobs.messages import with_flags
from commands import fails, run, write
from profiles import third


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("perturb", "in.jsonl", "--probability", "0,15"), "--probability: '0,15' is not a number; write 0.15 (see"),
        (("perturb", "in.jsonl", "--probability", "15%"), "--probability: '15%' is not a number; write 0.15 (see"),
        (("perturb", "in.jsonl", "--threshold", "much"), "--threshold: 'much' is not a number (see"),
        (
            ("perturb", "in.jsonl", "--attack", "case", "--set", "case.probability=0,2"),
            "case.probability: '0,2' is not a number; write 0.2 (see",
        ),
        (("perturb", "in.jsonl", "--attack", "case", "--part-size", "nan"), "--part-size nan: needs a number of meb"),
        (
            ("perturb", "in.jsonl", "--attack", "option_order", "--threshold", "0.9"),
            "--threshold 0.9: nothing scores the orders of option_order; leave it out",
        ),
        (("perturb", "in.jsonl", "--seed", "x"), "--seed: 'x' is not a whole number (see"),
        (("perturb", "in.jsonl"), "no attack; name one with --attack; augment-ru list attacks shows them (see"),
        (
            ("--attack", "people", "perturb", "in.jsonl"),
            "No such option '--attack'; options stand after the command, as in augment-ru perturb … --attack … (see",
        ),
        (("--no-such", "perturb", "in.jsonl"), "No such option '--no-such' (see augment-ru --help)"),
        (
            ("perturb", "in.jsonl", "--probabilty", "1"),
            "'--probabilty'. Did you mean '--probability'? (see",
        ),
        (
            ("evaluate", "in.jsonl", "--schedule", "paper"),
            "'--schedule'; it is an option of perturb, explain",
        ),
        (
            ("in.jsonl", "--attack", "people"),
            "in.jsonl: is a file; a command stands before it, as in augment-ru perturb in.jsonl",
        ),
        (("people", "in.jsonl"), "no command called 'people'; known: attack, calibrate,"),
        (("preturb", "in.jsonl"), "no command called 'preturb'; did you mean 'perturb'? known: perturb, attack,"),
        (("verdicts", "exprt"), "no command called 'exprt'; did you mean 'export'? known: export, import (see"),
        (("perturb", "--attack", "people"), "Missing argument 'IN|-'; usage: augment-ru perturb [OPTIONS] IN|- (see"),
        (
            ("perturb", "in.jsonl", "more", "--attack", "case"),
            "too many arguments (more); one run takes one input, ",
        ),
        (("check", "--no-such"), "No such option '--no-such' (see augment-ru check --help)"),
        (
            ("explain", "in.jsonl"),
            "in.jsonl: is a file; explain takes a text, perturb shows what it changes in a file (see",
        ),
        (("к" * 5000,), "no command called 'кккк"),
        (("list", "masking"), "error: 'masking' is not one of 'attacks', 'normalizers'"),
    ],
)
def test_a_mistake_is_told_with_its_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    write(tmp_path / "in.jsonl", {"text": "кот"})
    monkeypatch.chdir(tmp_path)
    assert said in fails(2, *arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            "perturb in.jsonl --attack case --part-size 2",
            "--part-size: the input is one part; give --workers or --resu",
        ),
        (
            "normalize in.jsonl --part-size 2",
            "--part-size: the input is one part; give --workers or --resume, or leave",
        ),
        (
            "perturb in.jsonl --attack case --similarity none --candidates 9",
            "--candidates 9: --similarity none scores n",
        ),
        ("perturb in.jsonl --attack case --similarity none --schedule paper", "--schedule paper: --similarity none sc"),
        (
            "attack in.jsonl --model linear:in.jsonl --device cuda",
            "--device cuda: nothing in this run uses a GPU; leav",
        ),
        ("similarity in.jsonl --device cuda", "--device cuda: nothing in this run uses a GPU; leave it out"),
        ("explain кот --normalizer people --seed 3", "--seed: is about attacks; give --attack, too, or leave it out"),
        ("compare in.jsonl --title Оба", "--title: stands in the comparison; give -o or --html, too, or leave it out"),
    ],
)
def test_an_option_that_would_do_nothing_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, said: str
) -> None:
    write(tmp_path / "in.jsonl", {"text": "кот", "label": "a"})
    monkeypatch.chdir(tmp_path)
    assert said in fails(2, *arguments.split())


def _options(command: click.Command, *names: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The options that take a value, each with the names of its command."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            if (inner := command.get_command(context, name)) is not None:
                yield from _options(inner, *names, name)
    for option in command.params:
        if isinstance(option, click.Option) and not option.is_flag and not option.count:
            yield names, option.opts[-1]


def test_an_option_without_its_value_is_an_error() -> None:
    every = list(_options(cli))
    assert len(every) > 150
    for names, option in third(every, 0):
        assert f"'{option}' requires an argument" in fails(2, *names, option), names


def test_a_value_may_begin_with_a_minus(tmp_path: Path) -> None:
    path = write(tmp_path / "in.jsonl", {"text": "кот"})
    assert run("perturb", path, "--attack", "case", "--seed", "-1").returncode == 0


def test_no_completion_ends_in_an_error(tmp_path: Path) -> None:
    environment = {"_AUGMENT_RU_COMPLETE": "bash_complete", "COMP_WORDS": "augment-ru nothing ", "COMP_CWORD": "2"}
    done = subprocess.run(
        [sys.executable, "-c", "from augment_ru.cli.main import cli; cli(prog_name='augment-ru')"],
        env=environment, capture_output=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.stderr == b""


def options_of(command: click.Command) -> list[click.Parameter]:
    """The options of a command and of the commands in it."""
    inner = [one for name in getattr(command, "commands", {}) for one in options_of(command.commands[name])]  # type: ignore[attr-defined]
    return [*inner, *(one for one in command.params if isinstance(one, click.Option))]


def test_a_parameter_in_a_message_is_shown_as_the_option_that_sets_it() -> None:
    options = [(one.name, with_flags(f"`{one.name}`"), one.opts) for one in options_of(cli)]
    wrong = [(name, shown) for name, shown, possible in options if shown[0] != "`" and shown not in possible]
    assert wrong == []
    resumed = {*cli.commands["perturb"].params, *cli.commands["attack"].params}  # --resume names what has changed
    unknown = {one.name for one in resumed if isinstance(one, click.Option) and one.expose_value} - {
        name for name, shown, _ in options if shown[0] != "`"
    }
    assert unknown == {"recipe", "quiet"}
