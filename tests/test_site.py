"""The pages of the documentation site, before MkDocs turns them into HTML."""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from profiles import third

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(not (ROOT / "mkdocs.yml").exists(), reason="needs the repository's documents")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The sources of all pages, by their path on the site, made once for all workers."""
    base = tmp_path_factory.getbasetemp()
    file = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "site.json"
    with FileLock(f"{file}.lock"):
        if not file.exists():
            file.write_text(json.dumps(_made(file.with_name("some.jsonl"))), encoding="utf-8")
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return found


def _made(some: Path) -> dict[str, str]:
    """In the quick profile the gallery shows attacks on a third of its texts, which are written to the file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "scripts"))
        import site_gallery  # noqa: PLC0415
        import site_pages  # noqa: PLC0415

        texts = (ROOT / "examples" / "reviews.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        some.write_text("".join(third(texts, 0)), encoding="utf-8")
        patch.setattr(site_gallery, "_EXAMPLES", some)
        made = site_pages.pages()
        for name in ("site_pages", "site_gallery"):
            sys.modules.pop(name, None)
    return {name: content.decode(errors="replace") for name, content in made.items()}  # pictures are no text


def test_every_link_leads_to_a_page_of_the_site(site: dict[str, str]) -> None:
    for name, text in site.items():
        if not name.endswith(".md"):
            continue
        prose = re.sub(r"(?ms)^ *```.*?^ *```$", "", text)
        for target in re.findall(r"\]\((?![a-z]+:|#)([^)#\s]+)", prose):
            path = (Path("/") / name).parent / target
            parts: list[str] = []
            for part in path.parts[1:]:
                parts = parts[:-1] if part == ".." else [*parts, part]
            assert "/".join(parts) in site, f"{name}: {target}"


def test_the_gallery_shows_every_attack_in_both_languages(site: dict[str, str]) -> None:
    from augment_ru.registry import names  # noqa: PLC0415

    for page in ("gallery.md", "gallery.ru.md"):
        text = site[page]
        assert re.findall(r"(?m)^### (\w+)$", text)
        assert sorted(re.findall(r"(?m)^### (\w+)$", text)) == sorted(names("attacks"))
        assert text.count("<ins>") > 50
        assert "examples -->" not in text
        assert "`augment-ru list attacks`" not in text
    assert "Как пишут люди" in site["gallery.ru.md"]


def test_the_reference_names_what_the_package_offers(site: dict[str, str]) -> None:
    import augment_ru  # noqa: PLC0415

    named = {line.rsplit(".", 1)[1] for line in site["api.md"].splitlines() if line.startswith(":::")}
    assert named == set(vars(augment_ru)["__all__"]) - {"__version__"}


def test_the_readme_of_the_package_has_links_that_work_anywhere() -> None:
    pytest.importorskip("hatchling")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "scripts"))
        from package_readme import urls, with_links  # noqa: PLC0415

    text = "See [attacks](docs/attacks.md#case), [top](#top), ![a page](docs/page.png) and `[x](y)`."
    home = "https://example.org/a"
    assert with_links(text.replace(" and `[x](y)`", ""), home) == (
        f"See [attacks]({home}/blob/main/docs/attacks.md#case), [top](#top), ![a page]({home}/raw/main/docs/page.png)."
    )
    assert urls("") == {}
    assert all(address.startswith(home) for address in urls(home).values())
    for address in ("", home):
        shown = with_links((ROOT / "README.md").read_text(encoding="utf-8"), address)
        prose = re.sub(r"(?ms)^```.*?^```$", "", shown)
        assert re.findall(r"\]\((?!https?:|#)[^)]*\)", prose) == []
