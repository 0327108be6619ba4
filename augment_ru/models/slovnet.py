"""Named entities (PER, LOC, ORG) by natasha's NER: slovnet's network on razdel's tokens, installed with augment-ru."""

from collections.abc import Sequence
from importlib.metadata import version

from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import ModelRequest
from augment_ru.language.slovnet import entities
from augment_ru.models._tagger import Tagger, Tokens, labelled_field, words_of


def _tag(texts: Sequence[str]) -> list[tuple[Tokens, Sequence[str]]]:
    read = [words_of(text) for text in texts]
    tags = entities([words for _, words in read])
    return [(places, own) for (places, _), own in zip(read, tags, strict=True)]


def slovnet(request: ModelRequest, /) -> Tagger:
    """Load slovnet's model of named entities.

    It reads texts unchanged; the annotator `natasha`, in contrast, first corrects their letter case.

    Args:
        request: what the model is made from; its `argument` must be empty.

    Raises:
        AugmentError: an argument is given, or the task asks for no spans.
    """
    if request.argument:
        raise AugmentError("slovnet takes no argument; leave it out")
    versions = "+".join(f"{name}-{version(name)}" for name in ("natasha", "slovnet", "razdel"))
    return Tagger(_tag, labelled_field(request.task), f"slovnet|{versions}")
