"""Temporary folders of the tests themselves: none outlives a run, or it is deleted by the next."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from commands import wait_until

_SUPPORT = Path(__file__).parent / "support"
_TAKES = "import sys, time; from own_folders import own_folder; own_folder('kind'); time.sleep(float(sys.argv[1]))"


@pytest.mark.skipif(os.name != "posix", reason="asks the system for processes")
def test_folders_end_with_their_process_or_with_the_next(tmp_path: Path) -> None:
    """Of two processes at a time neither deletes the folder of the other."""
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(_SUPPORT)}

    def take(seconds: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", _TAKES, seconds], env=environment)

    (tmp_path / "kind-of-a-user").mkdir()
    killed = take("100")
    wait_until(lambda: any(tmp_path.glob(f"kind-{killed.pid}-*")))  # Python tries the folder with a file first
    (left,) = tmp_path.glob(f"kind-{killed.pid}-*")
    assert take("0").wait() == 0
    assert left.exists()
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert left.exists()
    assert take("0").wait() == 0
    assert [path.name for path in tmp_path.iterdir()] == ["kind-of-a-user"]
