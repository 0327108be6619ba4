"""What holds back Python's search for cyclic garbage."""

import gc
from contextlib import suppress

import pytest

from augment_ru.signals import uncollected


@pytest.mark.parametrize("was_on", [True, False])
def test_garbage_is_searched_for_after_the_block_as_before_it(was_on: bool) -> None:  # noqa: FBT001
    (gc.enable if was_on else gc.disable)()
    try:
        with suppress(KeyError), uncollected():
            assert not gc.isenabled()
            raise KeyError
        assert gc.isenabled() is was_on
    finally:
        gc.enable()
