"""The README of the package, whose links work wherever it is shown. A hook of hatchling.

    AUGMENT_RU_HOME=https://HOST/OWNER/REPOSITORY python -m build

On a package index a link to a file of the repository leads nowhere. If the address of the repository is given, such
links become absolute, and the package states its addresses; without it they become plain text, pictures their
descriptions.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

HOME = "AUGMENT_RU_HOME"
"""The environment variable with the address of the repository."""
_LINK = re.compile(r"(!?)\[((?:[^\[\]`]|`[^`]*`)*)\]\((?![a-z]+:|#)([^)\s]+)\)")


class Readme(MetadataHookInterface):
    """Sets `readme`, and `urls` where they are known."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the fields to the metadata of the project."""
        home = os.environ.get(HOME, "").rstrip("/")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": with_links(text, home)}
        metadata["urls"] = urls(home)


def with_links(text: str, home: str) -> str:
    """A README with absolute links to the files of the repository; with their texts alone if it has no address.

    >>> with_links("See [attacks](docs/attacks.md#case) and ![a page](docs/page.png).", "https://a.org/b")
    'See [attacks](https://a.org/b/blob/main/docs/attacks.md#case) and ![a page](https://a.org/b/raw/main/docs/page.png).'
    >>> with_links("See [attacks](docs/attacks.md), [top](#top), [PyPI](https://pypi.org).", "")
    'See attacks, [top](#top), [PyPI](https://pypi.org).'
    """

    def absolute(found: re.Match[str]) -> str:
        mark, shown, target = found.groups()
        return f"{mark}[{shown}]({home}/{'raw' if mark else 'blob'}/main/{target})" if home else shown

    parts = re.split(r"(?ms)(^```.*?^```$)", text)
    return "".join(part if number % 2 else _LINK.sub(absolute, part) for number, part in enumerate(parts))


def urls(home: str) -> dict[str, str]:
    """Return the addresses of the project; none if the address of its repository is not known."""
    if not home:
        return {}
    return {
        "Homepage": home,
        "Documentation": f"{home}/blob/main/docs/index.md",
        "Changelog": f"{home}/blob/main/CHANGELOG.md",
        "Issues": f"{home}/issues",
    }
