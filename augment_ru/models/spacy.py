"""The entities of an installed spaCy pipeline, `spacy:ru_core_news_sm`, or of one in a folder."""

from collections.abc import Sequence

from augment_ru.evaluation.examples import ModelRequest
from augment_ru.language.annotate import SpacyPipeline
from augment_ru.models._tagger import Tagger, Tokens, labelled_field

_ENTITIES = frozenset({"entities"})


def spacy(request: ModelRequest, /) -> Tagger:
    """Load a pipeline of spaCy as a model that finds named entities.

    Args:
        request: what the model is made from; its `argument` is the name of the pipeline.

    Raises:
        AugmentError: the pipeline is not installed or finds no entities, or the task asks for no spans.
    """
    pipeline = SpacyPipeline(request.argument)

    def tag(texts: Sequence[str]) -> list[tuple[Tokens, Sequence[str]]]:
        tokens = [doc.tokens for doc in pipeline(texts, _ENTITIES)]
        return [([(one.start, one.stop) for one in own], [one.entity for one in own]) for own in tokens]

    return Tagger(tag, labelled_field(request.task), f"spacy|{pipeline.signature}")
