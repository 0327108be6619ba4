"""The pages of the documentation site: those of docs/, and those that the build makes. A hook of MkDocs.

    pip install ".[docs]" && mkdocs build --strict

The pages of docs/ are read on a code host, too, so their links are paths in the repository. Here they become links of
the site. What a page links to outside docs/ is part of the site: a page, or a page that shows the file. Made are the
overview (README), the gallery of attacks, whose examples are run now, and the reference of the public names.
"""

import ast
import json
import os
import posixpath
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from site_gallery import gallery

ROOT = Path(__file__).resolve().parents[1]
BUILT = ROOT / "build" / "pages"

_PAGES = {
    "README.md": "overview.md",
    "README.ru.md": "overview.ru.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
"""Files of the repository that are pages, and their place on the site."""
_ELSEWHERE = "repository"
"""The folder of the site with other files that pages link to."""
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#|/)([^)#\s]+)(#[^)\s]*)?(?=\))")
_OTHER_LANGUAGE = re.compile(r"^\[(По-русски|In English)\].*\n\n", re.MULTILINE)
"""The line of links below the start of a README; the site has a menu."""
_FOREIGN = "https://unpkg.com/iframe-worker/shim"
_SEARCH = "site_search.js"
_CODE = re.compile(r"(^ *```.*?^ *```$)", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^##+ (.+)$", re.MULTILINE)
_EXAMPLES = re.compile(r"<!-- examples -->.*<!-- /examples -->", re.DOTALL)
"""Where the examples of the gallery stand, and what a host of code shows there."""
_LANGUAGES = {"json": "json", "jsonl": "json", "py": "python", "toml": "toml", "sh": "sh"}


def on_config(config: Any) -> Any:  # noqa: ANN401  (MkDocs calls it with its own object)
    """Make the pages, and let MkDocs build from them."""
    write_pages(BUILT)
    config["docs_dir"] = str(BUILT)
    return config


def on_post_page(output: str, page: Any, config: Any) -> str:  # noqa: ANN401  (as above)
    """Return the page with our own script for the search in a folder; the theme's script is on another host."""
    del config
    return output.replace(_FOREIGN, posixpath.relpath(_SEARCH, posixpath.dirname(page.url) or "."))


def on_post_template(output_content: str, template_name: str, config: Any) -> str:  # noqa: ANN401  (as above)
    """Do what `on_post_page` does for the page that a server shows if an address does not exist."""
    del template_name, config
    return output_content.replace(_FOREIGN, f"/{_SEARCH}")


def write_pages(folder: Path) -> None:
    """Write the sources of all pages of the site to a folder, replacing its content."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in pages().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def pages() -> dict[str, bytes]:
    """Return the sources of all pages and pictures, by their paths on the site."""
    made = {"api.md": _reference().encode()}
    queue = [f"docs/{path.relative_to(ROOT / 'docs').as_posix()}" for path in sorted((ROOT / "docs").rglob("*.*"))]
    queue += _PAGES
    seen = set(queue)
    while queue:
        source = queue.pop()
        if not source.endswith(".md") and source.startswith("docs/"):
            made[site_path(source)] = (ROOT / source).read_bytes()
            continue
        text = _text_of(source)
        for target in _targets(source, text):
            if target not in seen:
                seen.add(target)
                queue.append(target)
        page = relinked(source, _with_english_anchors(source, text))
        if found := _EXAMPLES.search(page):
            page = page.replace(found[0], gallery("ru" if source.endswith(".ru.md") else "en"))
        made[site_path(source)] = page.encode()
    return made


def site_path(source: str) -> str:
    """Return the path on the site of a file of the repository."""
    if source.startswith("docs/"):
        return source.removeprefix("docs/")
    if source in _PAGES:
        return _PAGES[source]
    if (ROOT / source).is_dir():
        return f"{_ELSEWHERE}/{source}/index.md"
    name = source if source.endswith(".md") else f"{source.replace('.', '_')}.md"  # «.py.md» would be a language
    return f"{_ELSEWHERE}/{name}"


def relinked(source: str, text: str) -> str:
    """Replace the paths in the repository that a page links to by links of the site."""
    here = posixpath.dirname(site_path(source))

    def link(found: re.Match[str]) -> str:
        target = site_path(_resolved(source, found[1])).replace(".ru.md", ".md")
        return f"{posixpath.relpath(target, here or '.')}{found[2] or ''}"

    return _outside_code(text, lambda part: _LINK.sub(link, part))


def _with_english_anchors(source: str, text: str) -> str:
    """A translated page whose headings have the anchors of the English page, too: pages in English link to them.

    Raises:
        SystemExit: the two pages have other sections.
    """
    if not source.endswith(".ru.md"):
        return text
    english = source.replace(".ru.md", ".md")
    anchors = [_anchor(heading) for heading in _headings(_text_of(english))]
    if len(anchors) != len(_headings(text)):
        raise SystemExit(f"{source}: has {len(_headings(text))} sections, {english} has {len(anchors)}")
    left = iter(anchors)
    return _outside_code(
        text, lambda part: _HEADING.sub(lambda found: f'<a id="{next(left)}"></a>\n\n{found[0]}', part)
    )


def _headings(text: str) -> list[str]:
    return [found[1] for part in _CODE.split(text)[::2] for found in _HEADING.finditer(part)]


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")


def _targets(source: str, text: str) -> Iterator[str]:
    """The files of the repository that a page links to.

    Raises:
        SystemExit: there is no such file.
    """
    for part in _CODE.split(text)[::2]:
        for found in _LINK.finditer(part):
            target = _resolved(source, found[1])
            if not (ROOT / target).exists():
                raise SystemExit(f"{source}: a link to {found[1]}, which does not exist")
            yield target


def _resolved(source: str, link: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), link))


def _outside_code(text: str, made: Callable[[str], str]) -> str:
    """The text with every part outside of code blocks replaced."""
    parts = _CODE.split(text)
    return "".join(part if number % 2 else made(part) for number, part in enumerate(parts))


def _text_of(source: str) -> str:
    """A file of the repository as a page: a text as it is, code in a block, a folder as the list of its files."""
    path = ROOT / source
    if path.is_dir():
        listed = "".join(f"- [{one.name}]({path.name}/{one.name})\n" for one in sorted(path.iterdir()) if one.is_file())
        return f"# {source}\n\n{listed}"
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        return "\n".join(_cells(json.loads(text)))
    if path.suffix == ".md":
        return _OTHER_LANGUAGE.sub("", text, count=1) if source in _PAGES else text
    return f"# {source}\n\n```{_LANGUAGES.get(path.suffix[1:], '')}\n{text}```\n"


def _cells(notebook: Mapping[str, Any]) -> Iterator[str]:
    """The cells of a notebook as a page: texts, code, and what the code shows."""
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        yield f"{source}\n" if cell["cell_type"] == "markdown" else f"```python\n{source}\n```\n"
        for output in cell.get("outputs", ()):
            data = output.get("data", {"text/plain": output.get("text", ())})
            if "text/html" in data:
                yield f'<div class="shown">{"".join(data["text/html"])}</div>\n'
            else:
                yield f"```text\n{''.join(data['text/plain']).rstrip()}\n```\n"


def _reference() -> str:
    """The page of the public names, in the order of `augment_ru/__init__.pyi`."""
    tree = ast.parse((ROOT / "augment_ru" / "__init__.pyi").read_text(encoding="utf-8"))
    lines = ["# API", "", "What `from augment_ru import …` offers. Options of attacks: [attacks](attacks.md).", ""]
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            lines += [
                f"::: augment_ru.{node.module}.{name.name}\n" for name in node.names if name.name != "__version__"
            ]
    return "\n".join(lines)


if __name__ == "__main__":
    write_pages(BUILT)
    print(os.path.relpath(BUILT))
