"""Parts that a run has done, kept beside its output, so that a run that was killed goes on where it stood."""

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from augment_ru.errors import AugmentError
from augment_ru.formats.files import followed, locked, replacing
from augment_ru.formats.fitting import Learnt
from augment_ru.jobs.job import Job

if TYPE_CHECKING:
    from augment_ru.jobs.parts import Part, PartDone

_PRIVATE = 0o700
_FACTS, _LOCK = "facts.json", "lock"


@dataclass(slots=True)
class KeptParts:
    """The folder of the parts of a run.

    Attributes:
        folder: where they are; None if nothing is kept.
        found: how many an earlier run had done.
        is_whole: whether the output has all of them, so that they are not needed any more.
    """

    folder: Path | None = None
    found: int = 0
    is_whole: bool = False

    def find(self, part: "Part") -> "PartDone | None":
        """What an earlier run made of a part; None if it was not done, or its file is damaged."""
        if self.folder is None:
            return None
        try:
            done = _read((self.folder / part.name).read_bytes())
        except OSError:
            return None
        self.found += done is not None
        return done

    def save(self, part: "Part", outcome: "PartDone") -> None:
        """Keep what was made of a part; the file has its name when it is whole.

        Raises:
            AugmentError: the file cannot be written.
        """
        if self.folder is not None and not outcome.failed:
            with replacing(self.folder / part.name, listed=False) as stream:
                stream.write(_written(outcome))


def _written(done: "PartDone") -> bytes:
    body = done.rejects + done.rows
    header = {
        "digest": blake2b(body).hexdigest(),
        "rejects": len(done.rejects),
        "counts": done.counts,
        "names": done.learnt.names,
        "types": done.learnt.types,
    }
    return json.dumps(header).encode() + b"\n" + body


def _read(data: bytes) -> "PartDone | None":
    from augment_ru.jobs.parts import PartDone  # noqa: PLC0415  (which imports this module)

    line, _, body = data.partition(b"\n")
    try:
        header = json.loads(line)
        if blake2b(body).hexdigest() != header["digest"]:
            return None
        size = header["rejects"]
        types = tuple((tuple(path), kind) for path, kind in header["types"])
        return PartDone(body[size:], body[:size], header["counts"], Learnt(tuple(header["names"]), types))
    except (ValueError, KeyError, TypeError):
        return None


@contextmanager
def kept_parts(job: Job) -> Iterator[KeptParts]:
    """The parts that are kept of a run; without `resume` none.

    Raises:
        AugmentError: other parts stand beside the output, another run is writing it, or the folder is not safe.
    """
    if job.output is None or not job.split.resume:
        yield KeptParts()
        return
    target = followed(Path(job.output))
    corpora = [perturber.attack.corpus_digest for perturber in job.perturbers]
    given = {**job.split.facts, "the corpus of the rows": corpora}
    facts = json.dumps(given, ensure_ascii=False, sort_keys=True, default=str)
    folder = _folder(target, facts)
    for other in _folders(target):
        if other != folder:
            raise AugmentError(f"--resume: {_difference(other, given)} (or delete the folder {other})")
    _make(folder)
    kept = KeptParts(folder)
    with locked(folder / _LOCK) as free:
        if not free:
            raise AugmentError(f"{job.output}: another run is writing it; wait, or give another file")
        if not (folder / _FACTS).exists():
            with replacing(folder / _FACTS, listed=False) as stream:
                stream.write(facts.encode())
        yield kept
    if kept.is_whole:
        shutil.rmtree(folder, ignore_errors=True)


def sweep_parts(output: str) -> None:
    """Delete the parts that runs which were killed kept beside an output."""
    if not Path(output).exists() or Path(output).is_file():
        for folder in _folders(followed(Path(output))):
            _delete(folder)


def _folder(target: Path, facts: str) -> Path:
    return target.with_name(f".{target.name}.{blake2b(facts.encode(), digest_size=8).hexdigest()}.parts")


def _folders(target: Path) -> list[Path]:
    """The folders of parts beside an output."""
    ours = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{16}}\.parts")
    return sorted(path for path in target.parent.iterdir() if ours.fullmatch(path.name))


def _make(folder: Path) -> None:
    """Make the folder, for this user alone, or take the one that is there.

    Raises:
        AugmentError: it is none, or another user may write to it.
    """
    try:
        with suppress(FileExistsError):
            folder.mkdir(mode=_PRIVATE)
        status = folder.lstat()
        safe = folder.is_dir() and not folder.is_symlink()
        if safe and hasattr(os, "geteuid"):
            safe = status.st_uid == os.geteuid() and not status.st_mode & 0o022
    except OSError as error:
        raise AugmentError(f"{folder}: cannot be made: {error.strerror}; choose another place with -o") from error
    if not safe:
        raise AugmentError(f"{folder}: others can write to it, so parts in it are not trusted; delete it")


def _delete(folder: Path) -> None:
    """Delete a folder of parts, unless a run is at work in it, or it is not ours."""
    try:
        _make(folder)
    except AugmentError:
        return
    with locked(folder / _LOCK) as free:
        if free:
            shutil.rmtree(folder, ignore_errors=True)


def _difference(folder: Path, facts: Mapping[str, Any]) -> str:
    """How the parts in a folder were made otherwise."""
    try:
        before = json.loads((folder / _FACTS).read_bytes())
    except (OSError, ValueError):
        return "parts of another run stand beside the output; run without it to begin anew"
    now = json.loads(json.dumps(facts, ensure_ascii=False, default=str))
    for name in [*dict.fromkeys([*now, *before])]:
        if before.get(name) != now.get(name):
            what = f"{name} was {before.get(name)!r} and is {now.get(name)!r}"
            return f"the parts that are done were made otherwise: {what}; give it as before, or run without --resume"
    return "parts of another version stand beside the output; run without it to begin anew"
