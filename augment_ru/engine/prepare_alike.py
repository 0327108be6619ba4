"""Prepares records that come in columns, where nothing has to be annotated or protected."""

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
    """What `preparation.chunk` gives; from columns, if the records come so and need neither layers nor rules.

    Raises:
        AugmentError: as `Preparation.chunk`.
    """
    if not isinstance(records, AlikeRecords) or any(map(any, needs)) or offers_options(records.task):
        return preparation.chunk(records, needs)
    if preparation.constraints(records.task):
        return preparation.chunk(records, needs)
    batch = Batch(records.texts, annotate=preparation.annotate, contexts=partial(contexts_of, records))
    count = len(records)
    return Prepared(records, [records.field] * count, np.arange(count), digests(records.keys), batch)
