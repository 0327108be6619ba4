"""What is logged in a test. The plugin of pytest looks through all loggers in each test, and torch has thousands."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


class Logs(logging.Handler):
    """Keeps the records that reach the root logger."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        self.records.append(record)

    @property
    def messages(self) -> list[str]:
        """What the records say."""
        return [record.getMessage() for record in self.records]

    @contextmanager
    def from_level(self, level: int) -> Iterator[None]:
        """Let the package log from this level on."""
        logger = logging.getLogger("augment_ru")
        before = logger.level
        logger.setLevel(level)
        try:
            yield
        finally:
            logger.setLevel(before)
