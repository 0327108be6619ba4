"""Reports as a comparison reads them: checked, under names that tell them apart; errors name their files."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from augment_ru.errors import AugmentError
from augment_ru.evaluation.report import FORMAT, VERSION
from augment_ru.evaluation.totals import read_report


class NamedReport(NamedTuple):
    """A report under the name that the comparison gives it.

    Attributes:
        name: the name.
        values: the report; it is checked when it is compared.
        file: its file, which errors name; None for a report that was read from none.
    """

    name: str
    values: Any
    file: str | None = None

    @property
    def where(self) -> str:
        """How errors call it."""
        return self.file or self.name


def named_report(path: Path) -> NamedReport:
    """A report that `augment-ru evaluate -o` wrote, under its title, or else under the name of its file.

    Raises:
        AugmentError: the file cannot be read, or holds none.
    """
    values = read_report(path)
    title = values.get("title")
    return NamedReport(title if isinstance(title, str) and title else path.stem, values, str(path))


def check_report(report: NamedReport) -> None:
    """Nothing, if this is a report with the outcomes of its rows.

    Raises:
        AugmentError: it is not.
    """
    values = report.values
    if not isinstance(values, Mapping) or values.get("format") != FORMAT:
        raise AugmentError(f"{report.where}: is no report; give the file of augment-ru evaluate -o REPORT.json")
    if values.get("version") != VERSION:
        raise AugmentError(
            f"{report.where}: is a report of version {values.get('version')!r}; this augment-ru compares version "
            f"{VERSION}; run augment-ru evaluate again"
        )
    rows, attacks = values.get("rows"), values.get("attacks")
    if not isinstance(rows, Mapping) or not isinstance(attacks, list):
        raise no_rows(report)
    with damage_named(report):
        if not all(isinstance(key, str) for keys in rows.values() for key in keys):
            raise TypeError("keys of rows are texts")
        for key in ("task", "gold", "correct", "signature", "majority", "metrics"):
            values[key]
        for model in values["models"]:
            for key in ("model", "signature", "shots", "metrics", "attacks"):
                model[key]


def no_rows(report: NamedReport) -> AugmentError:
    """The error for a report of an older version."""
    return AugmentError(f"{report.where}: states no rows, so an older version wrote it; run augment-ru evaluate again")


@contextmanager
def damage_named(report: NamedReport) -> Iterator[None]:
    """Reads of a report; what fails in the block is an error that names the report.

    Raises:
        AugmentError: something failed.
    """
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise AugmentError(f"{report.where}: is damaged, or no report of augment-ru evaluate: {error!r}") from error


def names_apart(reports: Sequence[NamedReport]) -> list[str]:
    """The names of the reports; a name that occurs several times gets its file, and what is equal then a number."""
    count = Counter(report.name for report in reports)
    names = [
        f"{report.name} ({Path(report.file).name})" if report.file and count[report.name] > 1 else report.name
        for report in reports
    ]
    count, seen = Counter(names), Counter[str]()
    found = []
    for name in names:
        seen[name] += 1
        found.append(f"{name} {seen[name]}" if count[name] > 1 else name)
    return found


def nothing_shared(reports: Sequence[NamedReport]) -> AugmentError:
    """The error for reports that share no rows: what each of them has."""
    names = [report.file or name for report, name in zip(reports, names_apart(reports), strict=True)]
    listed = [list(report.values["rows"]) for report in reports]
    if not all(listed):
        told = ", ".join(name for name, own in zip(names, listed, strict=True) if not own)
        return AugmentError(f"{told}: no attacks, and others have some; compare reports with attacks, or those without")
    if not set.intersection(*map(set, listed)):
        told = "; ".join(f"{name}: {', '.join(own)}" for name, own in zip(names, listed, strict=True))
        return AugmentError(f"the reports share no attack ({told}); evaluate the models on the same perturbed rows")
    data = (report.values.get("data") or {} for report in reports)
    told = ", ".join(f"{name} of {one.get('name') or 'rows'}" for name, one in zip(names, data, strict=True))
    return AugmentError(f"the reports share no rows ({told}); evaluate the models on the same perturbed rows")
