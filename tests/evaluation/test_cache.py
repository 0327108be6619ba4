"""The place of the cache of answers."""

import sys
from pathlib import Path

import pytest

from augment_ru.evaluation.cache import default_path


def test_the_environment_names_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_path() == tmp_path / "augment-ru" / "responses.sqlite"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the folder of Linux")
@pytest.mark.parametrize("value", [None, ""])
def test_without_it_the_file_is_in_the_user_s_cache_folder(
    value: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    if value is None:
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", value)
    assert default_path() == tmp_path / ".cache" / "augment-ru" / "responses.sqlite"
