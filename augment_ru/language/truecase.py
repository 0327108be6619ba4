"""Words as they would be written with care, for a model that knows names by their capitals.

«вчера встретил машу в питере» → «вчера встретил Машу в Питере»; «МОСКВА ЖДЁТ» → «Москва ждёт». The text
itself keeps its letters: only what the model reads is changed.
"""

from collections.abc import Callable, Sequence

_SHOUTED = 4


def shouted(words: Sequence[str]) -> list[bool]:
    """Which words stand in a run of at least four words in capitals, or in a text of nothing else.

    >>> shouted("ИМЕННО В ЭТОМ ГОДУ родился".split())
    [True, True, True, True, False]
    """
    found = [False] * len(words)
    if not [word for word in words if word.isupper() and len(word) > 1]:
        return found
    letters = [(at, word) for at, word in enumerate(words) if word[0].isalpha()]
    run: list[int] = []
    for at, word in [*letters, (len(words), "")]:
        if word.isupper():
            run.append(at)
            continue
        if len(run) >= _SHOUTED or len(run) == len(letters) > 1:
            for index in run:
                found[index] = True
        run = []
    return found


def truecased(words: Sequence[str], is_name: Callable[[str, str], bool]) -> Sequence[str]:
    """The words with capitals where names may be; `is_name` is asked about a word and the one after it.

    >>> truecased("ВИДЕЛИ МАШУ".split(), lambda word, _: word == "машу")
    ['видели', 'Машу']
    """
    shouts = shouted(words)
    lower = not any(word[:1].isupper() for word in words)
    if not words or (not lower and True not in shouts):
        return words
    after = [*(word.lower() for word in words[1:]), ""]
    return [
        word if not (lower or shout) else word.capitalize() if is_name(word.lower(), following) else word.lower()
        for word, following, shout in zip(words, after, shouts, strict=True)
    ]
