"""Parts that a run has done, kept beside its output, so that a run that was killed goes on where it stood."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.formats.fitting import Learnt
from augment_ru.jobs.rows import RowsJob
from augment_ru.jobs.part import JobPart, PartDone
from augment_ru.run.stores import PartStore, store_of, stores_beside

_FACTS = "facts.json"


@dataclass(slots=True)
class KeptParts:
    """What is kept of a run.

    Attributes:
        store: where it is; None if nothing is kept.
        found: how many parts an earlier run had done.
        is_whole: whether the output has all of them, so that they are not needed any more.
    """

    store: PartStore | None = None
    found: int = 0
    is_whole: bool = False

    def find(self, part: JobPart) -> PartDone | None:
        """What an earlier run made of a part; None if it was not done, or its file is damaged."""
        data = None if self.store is None else self.store.read(part.name)
        done = None if data is None else _read(data)
        self.found += done is not None
        return done

    def save(self, part: JobPart, outcome: PartDone) -> None:
        """Keep what was made of a part; the file has its name when it is whole.

        Raises:
            AugmentError: the file cannot be written.
        """
        if self.store is not None and not outcome.failed:
            self.store.write(part.name, _written(outcome))


def _written(done: PartDone) -> bytes:
    body = done.rejects + done.rows
    header = {
        "digest": blake2b(body).hexdigest(),
        "rejects": len(done.rejects),
        "counts": done.counts,
        "names": done.learnt.names,
        "types": done.learnt.types,
    }
    return json.dumps(header).encode() + b"\n" + body


def _read(data: bytes) -> PartDone | None:
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
def kept_parts(job: RowsJob) -> Iterator[KeptParts]:
    """The parts that are kept of a run; without `resume` none.

    Raises:
        AugmentError: other parts stand beside the output, another run is writing it, or the folder is not safe.
    """
    if job.output is None or not job.split.resume:
        yield KeptParts()
        return
    corpora = [perturber.attack.corpus_digest for perturber in job.perturbers]
    given = {**job.split.facts, "the corpus of the rows": corpora}
    text = json.dumps(given, ensure_ascii=False, sort_keys=True, default=str)
    facts = text.encode("utf-8", "surrogatepass")  # the name of a file need not be UTF-8
    store = store_of(job.output, blake2b(facts, digest_size=8).hexdigest())
    for other in stores_beside(job.output):
        if other.place != store.place:
            raise AugmentError(f"--resume: {_difference(other, given)} (or delete the folder {other.place})")
    with store.held(job.output):
        if store.read(_FACTS) is None:
            store.write(_FACTS, facts)
        kept = KeptParts(store)
        yield kept
    if kept.is_whole:
        store.delete()


def _difference(store: PartStore, facts: Mapping[str, Any]) -> str:
    """How the parts of a store were made otherwise."""
    try:
        before = json.loads(store.read(_FACTS) or b"")
    except ValueError:
        return "parts of another run stand beside the output; run without it to begin anew"
    now = json.loads(json.dumps(facts, ensure_ascii=False, default=str))
    for name in [*dict.fromkeys([*now, *before])]:
        if before.get(name) != now.get(name):
            what = f"{name} was {before.get(name)!r} and is {now.get(name)!r}"
            return f"the parts that are done were made otherwise: {what}; give it as before, or run without --resume"
    return "parts of another run stand beside the output; run without it to begin anew"
