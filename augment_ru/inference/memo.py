"""What was worked out, kept for the next that ask."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Memo(Generic[T]):
    """What a function made of texts; the oldest are forgotten.

    The candidates of a search ask models for the same texts. Only what depends on no draw is kept.
    """

    def __init__(self, most: int = 100_000) -> None:
        self._most = most
        self._known: OrderedDict[tuple[Hashable, str], T] = OrderedDict()
        self._lock = Lock()

    def __call__(
        self, name: Hashable, texts: Sequence[str], function: Callable[[Sequence[str]], Sequence[T]]
    ) -> list[T]:
        """The function's value for each text, worked out once for each; `name` stands for the function."""
        with self._lock:
            known = {text: self._known[name, text] for text in texts if (name, text) in self._known}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        known.update(zip(new, function(new), strict=True))
        with self._lock:
            for text in new:
                self._known[name, text] = known[text]
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return [known[text] for text in texts]
