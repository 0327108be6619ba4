"""Fixtures that several test files share, and a cache of models in which published names lead to small ones."""
# ruff: noqa: E402  (the place of the cache is read at import)

import gc
import json
import logging
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from own_folders import own_folder

gc.disable()  # until all is imported and collected: what is made until then stays
# pytest-xdist ends its workers without their exit handlers, so theirs are in the folder of the process that starts them
_ALL = Path(os.environ["AUGMENT_RU_TEST_MODELS"]) if "PYTEST_XDIST_WORKER" in os.environ else None
CACHE = own_folder("augment-ru-models") if _ALL is None else _ALL / os.environ["PYTEST_XDIST_WORKER"]
CACHE.mkdir(exist_ok=True)
os.environ["AUGMENT_RU_TEST_MODELS"] = str(CACHE if _ALL is None else _ALL)
if "AUGMENT_RU_TEST_COPIES" not in os.environ:  # workers share one process that is copied
    os.environ["AUGMENT_RU_TEST_COPIES"] = str(own_folder("augment-ru-copies"))
# before anything imports huggingface_hub, which reads it once; processes that tests start inherit it
os.environ["HF_HUB_CACHE"] = str(CACHE)
# images of containers forbid kept bytecode: every process that a test starts would compile the package again
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # for small matrices and networks threads cost more than they save
for name in ("COLUMNS", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
    os.environ.pop(name, None)  # a table is as wide and as plain as it is without a terminal, whatever the user's is

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, Phase, settings

from kept_models import kept_copy
from logs import Logs
from profiles import PROFILE, QUICK

# a busy machine is no fault of an example
_calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", _calm, max_examples=QUICK)
settings.register_profile("full", _calm)
_drawn = [Phase.explicit, Phase.generate]  # that an example fails is enough
settings.register_profile("mutants", _calm, max_examples=QUICK, phases=_drawn, database=None, derandomize=True)
settings.load_profile(PROFILE)


def pytest_collection_finish() -> None:
    """Let no later collection of garbage walk through what lives to the end, nor copies of this process copy it.

    Garbage is collected seldom: by default a tenth of the processor time of the tests would go into it.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_unconfigure() -> None:
    """End the process of which tests made copies."""
    if "copies" in sys.modules:
        sys.modules["copies"].end()


def _only_here(host: bytes | str | None, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401  (getaddrinfo's own)
    name = host.decode() if isinstance(host, bytes) else host
    if name not in (None, "", "localhost", "127.0.0.1", "::1"):
        raise RuntimeError(f"a test looks up {name}; no test needs the network")
    return _LOOKUP(host, *arguments, **options)


_LOOKUP = socket.getaddrinfo
socket.getaddrinfo = _only_here  # for all that is imported and made from here on, fixtures of a session too


@pytest.fixture
def logs() -> Iterator[Logs]:
    """What is logged in the test."""
    kept = Logs()
    logging.getLogger().addHandler(kept)
    yield kept
    logging.getLogger().removeHandler(kept)


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small BERT encoder in a folder: three layers, 512 places."""
    import small_models  # noqa: PLC0415  (as in `pytest_configure`)

    return kept_copy(tmp_path_factory.mktemp("models") / "bert", small_models.bert)


@pytest.fixture(scope="session")
def small_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release of the example, built once for all workers; nobody may write into it."""
    from releases import EXAMPLE, built  # noqa: PLC0415  (files of tests without a release load nothing)

    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "small_release"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            built(EXAMPLE / "small.toml", folder, resume=True)
    return folder


@pytest.fixture(scope="session")
def other_processors(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[str]]]:
    """What must be the same on every processor, by the kinds that this machine can compute as; once for all workers."""
    import processor_rows  # noqa: PLC0415  (as in `small_release`)

    base = tmp_path_factory.getbasetemp()
    file = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "processors.json"
    with FileLock(f"{file}.lock"):
        if not file.exists():
            every = {core: processor_rows.under(core) for core in processor_rows.CORES}
            file.write_text(json.dumps({core: found for core, found in every.items() if found}), encoding="utf-8")
    found: dict[str, dict[str, list[str]]] = json.loads(file.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="session", autouse=True)
def published(request: pytest.FixtureRequest) -> Path:
    """A cache with small models under the names that attacks have by default, if a test runs attacks."""
    parents = {item.getparent(pytest.Module) for item in request.session.items}
    if any(hasattr(parent.obj, "ATTACKS") for parent in parents if parent is not None):
        from small_networks import hub  # noqa: PLC0415

        kept_copy(CACHE, hub)
    return CACHE
