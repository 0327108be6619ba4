"""Answers tasks of `verdicts export` in place of people, so that the next steps can be tried before there are any.

    python examples/stand_in_annotators.py tasks.json answers.json

Each of three stand-ins calls a text readable while the share of letters that stayed is above a bound of its own. What
they answer says nothing about the texts.
"""

import argparse
import json
from difflib import SequenceMatcher
from pathlib import Path

BOUNDS = (0.9, 0.95, 0.97)


def main() -> None:
    """Read the tasks, write them with answers in the form of an export of Label Studio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", type=Path)
    parser.add_argument("answers", type=Path)
    given = parser.parse_args()
    tasks = json.loads(given.tasks.read_text(encoding="utf-8"))
    for task in tasks:
        kept = SequenceMatcher(None, task["data"]["original"], task["data"]["perturbed"], autojunk=False).ratio()
        said = ["да" if kept > bound else "нет" for bound in BOUNDS]
        task["annotations"] = [
            {"completed_by": number, "result": [{"value": {"choices": [answer]}}]} for number, answer in enumerate(said)
        ]
    given.answers.write_text(json.dumps(tasks, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
