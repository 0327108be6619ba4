"""Distractors written by a causal language model: its continuation of the text, cleaned and cut to one sentence."""

import re
from collections.abc import Sequence

import numpy as np

from augment_ru.attacks.add_sent.distractors import CLOSING_MARKS, Gap, Generator
from augment_ru.draws import Keys, Streams
from augment_ru.edits import Edit
from augment_ru.inference.generate import Decoding, continued
from augment_ru.inference.pretrained import load
from augment_ru.text.characters import atoms_of
from augment_ru.text.words import count_russian_words

_TAGS = re.compile(r"<[^<>\n]{0,60}>|\[(?:PAD|UNK|SEP|CLS|MASK|EOS|BOS)\]")
_END_OF_OPTION = re.compile(r"[\n.;!?()…]")
_CLOSING = '»"”)'
_LEAST, _MOST = 3, 40
"""The fewest and the most Russian words of a sentence that may be a distractor."""


def from_model(name: str, decoding: Decoding, new_tokens: int, *, attempts: int, device: str, dtype: str) -> Generator:
    """Make a function that lets a causal language model write distractors: unrelated sentences, or other wrong options.

    The model continues the text. A distractor is the usable part of its continuation.

    Args:
        name: the model: a hub name in the local cache, or a folder.
        decoding: how tokens are drawn (temperature, top-k).
        new_tokens: the number of tokens that are drawn for a continuation.
        attempts: how many continuations of a text are tried at most until one is usable.
        device: the device of the model: auto, cpu or cuda[:N].
        dtype: the number format of the model's weights, such as `auto`.
    """

    def generate(gaps: Sequence[Gap], keys: Keys) -> list[list[Edit]]:
        found: list[list[Edit]] = [[] for _ in gaps]
        if not gaps:
            return found
        model = load("AutoModelForCausalLM", name, device=device, dtype=dtype)
        waiting = np.arange(len(gaps))
        for attempt in range(attempts):
            prompts = [prompt(gaps[at]) for at in waiting.tolist()]
            drawn = continued(model, prompts, Streams.of(keys[waiting], attempt).keys, decoding, new_tokens)
            for at, text in zip(waiting.tolist(), drawn, strict=True):
                new = None if text is None else distractor(gaps[at], text)
                found[at] = [] if new is None else [new]
            waiting = waiting[np.array([not found[at] for at in waiting.tolist()], dtype=np.bool_)]
            if not waiting.size:
                break
        return found

    return generate


def prompt(gap: Gap) -> str:
    """Return the text that a language model continues to fill a gap (a place for a new sentence or a new wrong option).

    For a sentence this is the text in front of the gap. For an option it is the question and «Ответ:».
    """
    return f"{gap.before}\nОтвет:" if gap.is_option else gap.before


def distractor(gap: Gap, continuation: str) -> Edit | None:
    """Return the edit that writes the usable part of a model's continuation into a gap; None if no part is usable.

    Args:
        gap: the place for a new sentence or a new wrong option.
        continuation: the text that the model wrote.
    """
    text = _TAGS.sub("", continuation)
    if "\ufffd" in text or "⁇" in text:
        text = re.split("[\ufffd⁇]", text)[0]
    new = _option(text) if gap.is_option else _sentence(gap.before, text)
    if new is None or any(atoms_of(new)) or not gap.fits(new):
        return None
    bare = new.lstrip(f"{CLOSING_MARKS} ")
    ended = gap.before[-1] in (*CLOSING_MARKS, *_CLOSING) or bare != new
    if gap.is_option or ended:
        return gap.edit(bare)
    completed = new if new[0] in ",;:" else f" {new}"  # the continuation completes the text's last sentence
    return Edit(gap.place.start, gap.place.stop, completed)


def _option(text: str) -> str | None:
    bare = text.strip().strip('«»"“”-—–: ')
    bare = _END_OF_OPTION.split(bare)[0].strip(' ,:«»"“”')
    return " ".join(bare.split()) or None


def _sentence(before: str, text: str) -> str | None:
    """Return the first sentence of a continuation; None if it is not a statement of a usual length with a closing mark.

    Args:
        before: the text that is continued.
        text: the continuation.
    """
    from razdel import sentenize  # noqa: PLC0415  (only attacks on sentences need it)

    if before[-1].isalnum() and text[:1].isalnum():
        return None  # it continues the last word
    line = next((line for line in text.splitlines() if line.strip()), "").strip()
    line = line.lstrip(".!?…»”)" if before[-1] in CLOSING_MARKS else "").lstrip()
    for sentence in sentenize(line):
        found = " ".join(sentence.text.split())
        last = found.rstrip(_CLOSING)[-1:]
        # a question would change what is asked
        if last in tuple(CLOSING_MARKS) and "?" not in found and _LEAST <= count_russian_words(found) <= _MOST:
            return found
        return None
    return None
