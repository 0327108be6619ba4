"""The code blocks of a page, and whether they print what the page shows.

    python tests/support/pages.py docs/tutorial.md

follows a page in the current environment and folder: it runs every command, also those that the tests leave out.

- A block behind a line that ends in a file's name and a colon («`negation.toml`:») is that file. All files of a page
  are written first.
- Every other `python` block runs, all of a page as one program.
- Every line of an `sh` block runs, but for the commands that `NOT_RUN` names.
- A `text` or `json` block directly behind an `sh` or `python` block is what that prints on stdout. If lines of it start
  with «augment-ru:», what is on stderr comes first: all of it, or only such lines. `json` is compared as a value,
  `text` by its lines without the blanks at their ends. «…» stands for anything on a line, a line «…» for any number of
  lines, and any number of seconds is right.
- What a `python` block prints is shown. A `text` block is always output: a drawing has no language.
"""

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

import commands
import page_runs

if TYPE_CHECKING:
    from markdown_it.token import Token

NOT_RUN = {
    r"^pip install ": "needs the network",
    r"^pytest$": "would run this test again",
    r"^augment-ru models pull |^hf upload ": "needs the network",
    r"^lm_eval |^cd small$": "needs weights",
    r" hf-(causal|seq2seq|classifier):| --similarity bertscore": "needs weights",
    r"openai:http": "needs a server",
    r"^python examples/online_training\.py": "trains for half an hour; tests run it on fewer rows",
}
"""The commands that the tests do not run, and why."""

LONG = {
    r"^python examples/(adversarial|augmented)_training\.py": "trains classifiers; tests run them on fewer rows",
    r"^augment-ru (perturb queries|evaluate typed)\.jsonl": "ranks documents for 1,600 queries, behind a defence, too",
    r"^augment-ru attack examples/reviews_test\.jsonl -o boosted": "asks a hundred trees; tests search with fewer",
    r"^augment-ru perturb examples/comments_train\.jsonl": "teaches a classifier; tests do it with fewer rows",
    r"^augment-ru attack examples/comments\.jsonl": "searches hundreds of comments; other pages search, too",
    r"^augment-ru attack examples/shop_test\.csv": "searches hundreds of reviews; other pages search, too",
    r"^augment-ru evaluate hidden\.jsonl": "reads thousands of comments back; other pages read some",
}
"""The commands that are run only in the full profile of the laws, and why."""

_OURS = "augment-ru:"
"""How the messages of the command line start."""
_FILE = re.compile(r"`([\w./-]+\.(?:toml|tsv|py|jsonl))`:$")


@dataclass(frozen=True)
class Block:
    """A code block of a page.

    Attributes:
        line: its line number in the page, from 1.
        file: the name of the file that it shows; empty if it shows no file.
        shown: the next block, if that shows the output of this one.
    """

    line: int
    language: str
    content: str
    file: str = ""
    shown: "Block | None" = None

    @property
    def output(self) -> str:
        """The output that is shown."""
        return self.shown.content if self.shown else ""


def blocks_of(text: str) -> list[Block]:
    """Return the code blocks of a page; a block that shows output is an attribute of the block that prints it."""
    found: list[Block] = []
    before: Token | None = None
    for token in MarkdownIt().parse(text):
        if token.type == "fence":
            name = _FILE.search(before.content) if before is not None and before.type == "inline" else None
            block = Block(token.map[0] + 1 if token.map else 0, token.info, token.content, name[1] if name else "")
            behind = before is not None and before.type == "fence" and found and found[-1].language in ("sh", "python")
            if behind and block.language in ("text", "json"):
                found[-1] = replace(found[-1], shown=block)
            else:
                found.append(block)
        if token.type in ("fence", "inline"):
            before = token
    return found


def commands_of(content: str, left_out: Mapping[str, str]) -> list[str]:
    """Return the commands of a block that are run."""
    parts = [part for line in content.replace("\\\n", "").splitlines() for part in line.split(" && ")]
    return [part for part in parts if not any(re.search(pattern, part) for pattern in left_out)]


def is_shown(printed: str, shown: Block) -> bool:
    """Tell whether a block shows what was printed."""
    if shown.language == "json":
        return bool(json.loads(printed) == json.loads(shown.content))
    pattern = re.escape("".join(f"{line.rstrip()}\n" for line in shown.content.splitlines()))
    pattern = re.sub(r"(?m)^…\\\n", r"(?:.*\\n)*", pattern).replace("…", ".*")
    pattern = re.sub(r"\d+\\\.\d+\\ s\b", r"\\d+\\.\\d+\\ s", pattern)
    pattern = re.sub(r"[\d,.\\]+\\ rows\\ a\\ second", r"[\\d,.]+\\ rows\\ a\\ second", pattern)
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in printed.splitlines())) is not None


def followed(
    page: str, found: Sequence[Block], left_out: Mapping[str, str], *, copies: bool = False
) -> dict[Block, str]:
    """Run the blocks of a page in the current folder; return for each wrong block what is wrong.

    With `copies`, commands of augment-ru alone run the package that the process imports, not the one that is installed.

    Raises:
        AssertionError: a block that must not fail fails.
    """
    for block in found:
        if block.file:
            Path(block.file).parent.mkdir(parents=True, exist_ok=True)
            Path(block.file).write_text(block.content, encoding="utf-8")
    wrong = {
        block: problem
        for block, out in _printed(page, found, left_out, copies=copies).items()
        if (problem := _problem(block, out, left_out))
    }
    for block in found:
        if not block.file and block.language == "text":
            wrong[block] = "output that nothing prints; a drawing has no language"
    return wrong


def _printed(page: str, found: Sequence[Block], left_out: Mapping[str, str], *, copies: bool) -> dict[Block, list[str]]:
    """Return what each block of a page prints, in each form in which the page may show it."""
    files = [block for block in found if block.file and block.language == "python"]
    runs = files + [block for block in found if not block.file and block.language in ("sh", "python")]
    tasks = [
        {
            "language": block.language,
            "commands": commands_of(block.content, left_out),
            "content": f"import runpy; runpy.run_path({block.file!r})" if block.file else block.content,
            "name": f"{page}, line {block.line}",
            "fails": f"{_OURS} error:" in block.output,
            "copies": copies,
        }
        for block in runs
    ]
    if not runs:
        return {}
    if copies and not any(block.file.startswith("augment_ru/") for block in found):  # this process has its own package
        done = commands.copied(page_runs.print_blocks, tasks)
    else:
        line = [sys.executable, page_runs.__file__]
        done = subprocess.run(line, input=json.dumps(tasks).encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return {
        block: _ways(out, messages) if _OURS in block.output else [out]
        for block, (out, messages) in zip(runs, json.loads(done.stdout), strict=True)
    }


def _ways(out: str, messages: str) -> list[str]:
    ours = [line for line in messages.splitlines(keepends=True) if line.startswith(_OURS)]
    return [f"{''.join(ours)}{out}", f"{messages}{out}"]


def _problem(block: Block, printed: Sequence[str], left_out: Mapping[str, str]) -> str:
    """Return what is wrong with a block that printed this; empty if nothing is."""
    if block.shown is None:
        return f"what it prints is not shown:\n{printed[0]}" if printed[0] and block.language == "python" else ""
    if block.language == "sh" and not commands_of(block.content, left_out):
        return "it shows the output of commands that are not run here"
    if not any(is_shown(way, block.shown) for way in printed):
        return f"shown:\n{block.shown.content}printed:\n{printed[-1]}"
    return ""


def main() -> None:
    """Follow the pages that are named; exit code 1 if one is not true."""
    for page in sys.argv[1:]:
        wrong = followed(page, blocks_of(Path(page).read_text(encoding="utf-8")), {})
        for block, problem in wrong.items():
            print(f"{page}, line {block.line}: {problem}")
        if wrong:
            sys.exit(1)
        print(f"{page}: true")


if __name__ == "__main__":
    main()
