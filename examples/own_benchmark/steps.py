"""A release of two tasks of one's own, from its recipe to a card that says what people found; prints every step.

    python examples/own_benchmark/steps.py FOLDER

FOLDER is new; the release is FOLDER/release. A script answers in place of annotators, so that the answers say nothing
about the texts.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(sys.argv[0]).parent


def step(*words: object) -> None:
    """Print a command, run it, and print what it prints."""
    command = [str(word) for word in words]
    print("$", *command)
    program = ["-m", "augment_ru", *command[1:]] if command[0] == "augment-ru" else command[1:]
    done = subprocess.run(  # noqa: S603  (our own commands)
        [sys.executable, *program], capture_output=True, encoding="utf-8", check=False
    )
    print(done.stdout + done.stderr, end="")


def damage(release: Path, copy: Path) -> None:
    """Copy the release, and change a word of a row and a word of the card there."""
    shutil.copytree(release, copy)
    for name, old, new in (("questions/test.jsonl", "Маяк", "Замок"), ("README.md", "Искажения", "Изменения")):
        text = (copy / name).read_text(encoding="utf-8")
        (copy / name).write_text(text.replace(old, new, 1), encoding="utf-8")


def main() -> None:
    """Build, check, damage a copy, list the tasks for lm-evaluation-harness, have people judge, check again."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir()
    release, tasks, answers = (folder / name for name in ("release", "tasks.json", "answers.json"))
    step("augment-ru", "check", HERE / "complaints.toml")
    step("augment-ru", "release", HERE / "recipe.toml", "-o", release)
    step("augment-ru", "release", "verify", release, "--rebuild", "3")
    damage(release, folder / "damaged")
    step("augment-ru", "release", "verify", folder / "damaged")
    print("Tasks for lm-evaluation-harness:")
    print(*sorted(path.stem for path in (release / "lm_eval").glob("own_*_*.yaml")), sep="\n")
    step("augment-ru", "verdicts", "export", release, "--size", "24", "-o", tasks)
    step("python", HERE.parent / "stand_in_annotators.py", tasks, answers)
    step("augment-ru", "verdicts", "import", answers, "--release", release)
    step("augment-ru", "release", "verify", release)
    card = (release / "README.md").read_text(encoding="utf-8")
    print(card.partition("## Проверка людьми")[2].partition("\n## ")[0].strip())


if __name__ == "__main__":
    main()
