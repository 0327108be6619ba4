"""Ray: parts as tasks of a cluster of several nodes on this machine, one of which is lost; rows of Ray Data."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread, Timer
from typing import Any, NoReturn

import pytest

from augment_ru import Augmenter, AugmentError, Perturber, Preparation
from augment_ru.engine.composition import attack_of
from augment_ru.errors import Terminated
from augment_ru.jobs.perturb import run
from augment_ru.jobs.rows import RowsJob, RunSplit
from augment_ru.registry import load_file
from augment_ru.run.engines import RAY, engine_of, in_order
from commands import PATIENCE, started_apart, wait_until, write

ray = pytest.importorskip("ray", reason='needs pip install ".[ray]"')
pytestmark = pytest.mark.filterwarnings("ignore")  # of Ray's own

ATTACK = '''"""Точка становится восклицанием: «Да.» → «Да!»; при этом проходит время."""

import time
from dataclasses import dataclass
from typing import ClassVar

from augment_ru import Attack, Edit


@dataclass(frozen=True, slots=True)
class Shout(Attack):
    """Full stops become exclamation marks, slowly."""

    name: ClassVar[str] = "shout"
    probability: float = 1.0

    def propose(self, doc, rng):
        time.sleep(0.02)
        for at, char in enumerate(doc.text):
            if char == ".":
                yield rng.change(Edit(at, at + 1, "!"))
'''
ROWS = [{"id": at, "text": f"Кошка спит на окне номер {at}. Тепло."} for at in range(400)]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of three nodes with a processor each; the first one does no parts."""
    from ray.cluster_utils import Cluster  # noqa: PLC0415

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    for _ in range(2):
        made.add_node(num_cpus=1)
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


def job(folder: Path, **options: Any) -> RowsJob:  # noqa: ANN401
    (folder / "shouting.py").write_text(ATTACK, encoding="utf-8")
    (folder / "in.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), encoding="utf-8")
    attacks = [Perturber(attack_of(str(folder / "shouting.py"), may_import=True), similarity="none")]
    base = RowsJob(str(folder / "in.jsonl"), str(folder / "out.jsonl"), attacks, Preparation(()), task=None, fields=())
    return replace(base, quiet=True, **options)


def test_a_node_is_lost(cluster: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:  # noqa: ANN401
    """Each row is written once, in its place, as one process writes it, although a machine is lost on the way."""
    run(job(tmp_path))
    expected = (tmp_path / "out.jsonl").read_bytes()
    (tmp_path / "out.jsonl").unlink()
    lost = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()

    def lose() -> None:
        wait_until(lambda: len([*tmp_path.glob(".out.*.parts/0*")]) >= 3)
        cluster.remove_node(lost, allow_graceful=False)

    thread = Thread(target=lose)
    thread.start()
    run(job(tmp_path, split=RunSplit(engine=RAY, resume=True, part_bytes=2000)))
    thread.join()
    wait_until(lambda: len([node for node in ray.nodes() if node["Alive"]]) == 3)  # Ray may notice after the run
    assert (tmp_path / "out.jsonl").read_bytes() == expected
    assert capfd.readouterr().out == ""  # the rows may be written there
    assert [json.loads(line)["id"] for line in expected.splitlines()] == [row["id"] for row in ROWS]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_driver_that_was_killed_is_gone_on_with(cluster: Any, tmp_path: Path, number: int) -> None:  # noqa: ANN401
    """What its parts had written is kept, and the output has the bytes that one process writes."""
    run(job(tmp_path))
    expected = (tmp_path / "out.jsonl").read_bytes()
    (tmp_path / "out.jsonl").unlink()
    command = [
        *(sys.executable, "-m", "augment_ru", "perturb", "in.jsonl", "-o", "out.jsonl", "--attack", "shouting.py"),
        *("--similarity", "none", "--no-constraints", "--engine", f"ray:{cluster.address}", "--part-size", "0.002"),
        "--resume",
    ]
    driver = started_apart(command, cwd=tmp_path, stderr=subprocess.PIPE)
    wait_until(lambda: len([*tmp_path.glob(".out.*.parts/0*")]) >= 3 or driver.poll() is not None)
    driver.send_signal(number)
    _, said = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == (-number if number == signal.SIGKILL else 128 + number), said.decode()
    assert not (tmp_path / "out.jsonl").exists()
    kept = len([*tmp_path.glob(".out.*.parts/0*")])
    assert kept >= 3
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, timeout=PATIENCE)
    assert f"{kept} parts kept" in done.stderr.decode()
    assert (tmp_path / "out.jsonl").read_bytes() == expected
    assert {path.name for path in tmp_path.iterdir()} == {"in.jsonl", "out.jsonl", "shouting.py"}


def test_files_are_named_from_the_folder_of_the_driver(cluster: Any, tmp_path: Path) -> None:  # noqa: ANN401
    rows = [{**row, "label": at % 2} for at, row in enumerate(ROWS[:20])]
    write(tmp_path / "in.jsonl", *rows)
    command = [
        *(sys.executable, "-m", "augment_ru", "attack", "in.jsonl", "--model", "majority:in.jsonl", "--cache", "none"),
        *("--attack", "butterfingers", "--similarity", "none", "--no-constraints", "--budget", "3", "-q"),
    ]
    written = []
    for name, more in (("one", []), ("ray", ["--engine", f"ray:{cluster.address}", "--part-size", "0.0005"])):
        done = subprocess.run(
            [*command, "-o", f"{name}.jsonl", *more], cwd=tmp_path, capture_output=True, check=False, timeout=PATIENCE
        )
        assert done.returncode == 0, done.stderr.decode()
        written.append((tmp_path / f"{name}.jsonl").read_bytes())
    assert written[0] == written[1]


def _ends(number: int, frame: object) -> NoReturn:
    del frame
    raise Terminated(128 + number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_a_cluster_is_begun_ends_it(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it raises reaches none of Ray's calls, which would end the program with 1; the cluster is ended."""
    calls: list[str] = []

    def init(**options: Any) -> None:  # noqa: ANN401
        del options
        os.kill(os.getpid(), number)
        time.sleep(0.3)
        calls.append("init")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", init)
    monkeypatch.setattr(ray, "shutdown", lambda: calls.append("shutdown"))
    before = signal.signal(number, _ends)
    try:
        with pytest.raises(Terminated) as found:
            run(job(tmp_path, split=RunSplit(engine=RAY)))
        assert signal.getsignal(number) is _ends
    finally:
        signal.signal(number, before)
    assert found.value.code == 128 + number
    assert calls == ["init", "shutdown"]


SLOW = '''"""Work that takes a minute."""

import time


def slow(part):
    time.sleep(60)
'''


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_parts_are_waited_for_is_raised_as_it_is(
    cluster: Any,  # noqa: ANN401
    number: signal.Signals,
    tmp_path: Path,
) -> None:
    """Ray's call that waits makes SystemExit(1) of it."""
    del cluster
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    work = load_file(tmp_path / "slow.py").slow
    before = signal.signal(number, _ends)
    timer = Timer(1.0, lambda: os.kill(os.getpid(), number))
    timer.start()
    try:
        with pytest.raises(Terminated) as found:
            next(in_order(engine_of(RAY, 1), work, [1, 2, 3]))
        assert signal.getsignal(number) is _ends
    finally:
        signal.signal(number, before)
        timer.join()
    assert found.value.code == 128 + number


def test_the_first_error_of_the_input_is_reported(cluster: Any, tmp_path: Path) -> None:  # noqa: ANN401
    del cluster
    made = job(tmp_path, split=RunSplit(engine=RAY, part_bytes=2000))
    lines = (tmp_path / "in.jsonl").read_text().splitlines()
    (tmp_path / "in.jsonl").write_text("\n".join([*lines[:100], "{", *lines[100:300], "[", *lines[300:]]))
    with pytest.raises(AugmentError, match="line 101: not JSON"):
        run(made)
    assert not (tmp_path / "out.jsonl").exists()


ENDS = '''"""Work that ends a program."""


def ends(part):
    if part == 2:
        raise SystemExit(part)
    return part
'''


def test_work_that_ends_a_program_is_an_error(cluster: Any, tmp_path: Path) -> None:  # noqa: ANN401
    """It is not done again and again."""
    del cluster
    (tmp_path / "ends.py").write_text(ENDS, encoding="utf-8")
    work = load_file(tmp_path / "ends.py").ends
    done = in_order(engine_of(RAY, 1), work, [1, 2, 3])
    assert next(done) == (1, 1)
    with pytest.raises(SystemExit):
        next(done)


@pytest.mark.parametrize("meta", ["full", "none"])
def test_ray_data_keeps_order_and_columns(cluster: Any, meta: str) -> None:  # noqa: ANN401
    import ray.data  # noqa: PLC0415

    from augment_ru.run.ray import perturb  # noqa: PLC0415

    del cluster
    augmenter = Augmenter("butterfingers", similarity="none", constraints=())
    rows = [{**row, "list": [row["id"]], "none": None} for row in ROWS]
    dataset = ray.data.from_items(rows, override_num_blocks=7)
    found = perturb(dataset, augmenter, meta=meta, batch_size=30).take_all()
    expected = [result.row(meta) for result in augmenter.records(rows)]
    if meta != "none":
        found = [{**row, "augment": json.loads(row["augment"])} for row in found]
    assert found == expected
    with pytest.raises(AugmentError, match=r"is not a ray\.data\.Dataset"):
        perturb(rows, augmenter)
