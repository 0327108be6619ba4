"""The fuzzers for a long run: `python -m tests.long --minutes 60`; what they are: tests/support/faults."""

import signal
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "support")]

from faults.main import main  # noqa: E402  (its folder must be on the path)

signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that its folder is deleted
sys.exit(main())
