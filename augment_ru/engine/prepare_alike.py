"""Prepares records that were read as columns, if they need no annotation and no constraints."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from augment_ru.draws import digests
from augment_ru.engine.attack import Needs
from augment_ru.engine.prepare import Preparation, Prepared
from augment_ru.records.alike import AlikeRecords
from augment_ru.records.context import contexts_of
from augment_ru.records.options import offers_options
from augment_ru.records.record import Record
from augment_ru.text.batch import Batch


def prepared_chunk(preparation: Preparation, records: Sequence[Record], needs: Sequence[Needs]) -> Prepared:
    """Prepare records as `preparation.chunk` does, with the same result.

    If the records were read as columns and need neither layers of annotation nor constraints, the batch is made from
    the columns, which is faster.

    Raises:
        AugmentError: as in `Preparation.chunk`.
    """
    if not isinstance(records, AlikeRecords) or any(map(any, needs)) or offers_options(records.task):
        return preparation.chunk(records, needs)
    if preparation.constraints(records.task):
        return preparation.chunk(records, needs)
    batch = Batch(records.texts, annotate=preparation.annotate, contexts=partial(contexts_of, records))
    count = len(records)
    return Prepared(records, [records.field] * count, np.arange(count), digests(records.keys), batch)
