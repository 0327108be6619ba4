"""True case: the usual letter case of words, for a model that recognises names by their capitals.

«вчера встретил машу в питере» → «вчера встретил Машу в Питере»; «МОСКВА ЖДЁТ» → «Москва ждёт». Only the input of the
model is changed, never the text itself.
"""

from collections.abc import Callable, Sequence

_RUN = 4
"""In a run of at least this many words in capitals, capitals do not mark names."""


def shouted(words: Sequence[str]) -> list[bool]:
    """Return whether each word is in a run of at least four words in capitals, or in a text of only such words.

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
        if len(run) >= _RUN or len(run) == len(letters) > 1:
            for index in run:
                found[index] = True
        run = []
    return found


def truecased(words: Sequence[str], is_name: Callable[[str, str], bool]) -> Sequence[str]:
    """Restore the letter case of words where it tells nothing: in runs of capitals, and in texts without capitals.

    Args:
        words: the words of a text.
        is_name: a function that tells whether a word may be a name. It is called with the word and the word after it,
            both in lower case.

    Returns:
        The words in order. Where the case told nothing, names begin with a capital and others are in lower case; other
        words are unchanged.

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
