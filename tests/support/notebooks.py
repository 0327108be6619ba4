"""Runs notebooks as Jupyter shows them, and compares what the cells show with what they hold.

    python tests/support/notebooks.py examples/notebooks/*.ipynb

runs notebooks, each in its own folder as Jupyter does, and writes what their cells show. A cell shows what it prints,
and the value of its last line: as HTML if it has some, and as text.
"""

import ast
import contextlib
import io
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def run(notebook: Mapping[str, Any], name: str) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Yield the number of each code cell, from 0, and its outputs as in notebook files; all cells are one program."""
    space: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            yield number, list(_shown("".join(cell["source"]), f"{name}, cell {number}", space))


def _shown(source: str, name: str, space: dict[str, Any]) -> Iterator[dict[str, Any]]:
    body = ast.parse(source, name)
    last = body.body[-1] if body.body else None
    if isinstance(last, ast.Expr):
        body.body.pop()
    with contextlib.redirect_stdout(io.StringIO()) as stream:
        exec(compile(body, name, "exec"), space)  # noqa: S102  (a document of the repository)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), space)  # noqa: S307
    if stream.getvalue():
        yield {"name": "stdout", "output_type": "stream", "text": _lines(stream.getvalue())}
    if value is not None:
        html = getattr(value, "_repr_html_", None)
        data = {"text/html": _lines(html())} if html else {}
        data["text/plain"] = _lines(repr(value))
        yield {"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def written(notebook: Mapping[str, Any]) -> str:
    """Return a notebook as the text of its file."""
    return f"{json.dumps(notebook, ensure_ascii=False, indent=1)}\n"


def main() -> None:
    """Run the notebooks that are named, and write what their cells show."""
    for path in map(Path, sys.argv[1:]):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        with contextlib.chdir(path.parent):
            for number, outputs in run(notebook, path.name):
                notebook["cells"][number]["outputs"] = outputs
        path.write_text(written(notebook), encoding="utf-8")


if __name__ == "__main__":
    main()
