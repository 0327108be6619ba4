"""Keep computed values in a cache of limited size."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Memo(Generic[T]):
    """Keeps the values that a model or a function returns for texts, so that each is computed once; it is thread-safe.

    It keeps the newest values, at most `most` of them. Only values that do not depend on a random draw may be kept.
    """

    def __init__(self, most: int = 100_000) -> None:
        self._most = most
        self._known: OrderedDict[tuple[Hashable, str], T] = OrderedDict()
        self._lock = Lock()

    def __call__(
        self, name: Hashable, texts: Sequence[str], function: Callable[[Sequence[str]], Sequence[T]]
    ) -> list[T]:
        """Return the function's value for each text, and compute it only for texts that are not in the cache.

        Args:
            name: the key of the function: all that its values depend on, except the text.
            texts: the texts.
            function: computes the values of the given texts, in their order.
        """
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
