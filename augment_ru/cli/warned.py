"""What the package logs as a warning, as a line on stderr."""

import logging

import click

from augment_ru.jobs.flags import with_options


class _Lines(logging.Handler):
    """Prints each warning as one line, on the stderr of the moment."""

    def emit(self, record: logging.LogRecord) -> None:
        click.echo(f"augment-ru: warning: {with_options(record.getMessage())}", err=True)


def show_warnings() -> None:
    """Print what the package logs from here on, warnings and worse; calling it twice changes nothing."""
    log = logging.getLogger("augment_ru")
    if not any(isinstance(handler, _Lines) for handler in log.handlers):
        log.addHandler(_Lines(logging.WARNING))
