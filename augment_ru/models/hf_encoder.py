"""A sentence encoder of Hugging Face: it ranks the documents of a corpus by the cosine of their vectors."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.evaluation.examples import ModelRequest
from augment_ru.inference.batches import each_batch, padded
from augment_ru.inference.pretrained import Pretrained, context_of
from augment_ru.models._hugging_face import LoadingOptions, batch_budget, loaded, signature_of
from augment_ru.models._options import limited
from augment_ru.models._search import Ranker, corpus_of

POOLINGS = ("mean", "cls")


@dataclass(frozen=True, slots=True)
class Options(LoadingOptions):
    """The options of `--model-option hf-encoder.NAME=VALUE`: those of `LoadingOptions`, and the following.

    Attributes:
        depth: how many documents a ranking holds at most.
        corpus: the file of the documents, or their rows; one must be given.
        pooling: how the vector of a text is made: `mean` of its token vectors, or `cls`, the vector of its first token.
        query: a text that is put before each query, such as "query: ".
        document: a text that is put before each document, such as "passage: ".
    """

    depth: int = limited(100, positive=True)
    corpus: str | Sequence[Mapping[str, str]] | None = None
    pooling: str = limited("mean", possible=POOLINGS)
    query: str = ""
    document: str = ""


def embedded(pretrained: Pretrained, given: Options, texts: Sequence[str]) -> Floats:
    """Return a vector for each text, shape (texts, size), with the norm 1; texts beyond the context window are cut.

    Args:
        pretrained: the network.
        given: the options of the model, such as how vectors are made (`pooling`).
        texts: the texts.

    Raises:
        AugmentError: a text does not fit into memory.
    """
    import torch  # noqa: PLC0415

    config = pretrained.model.config
    found = np.zeros((len(texts), int(config.hidden_size)))
    if not texts:
        return found
    tokenizer = pretrained.tokenizer
    ids = tokenizer(list(texts), truncation=True, max_length=context_of(pretrained), verbose=False)["input_ids"]

    def embed(batch: Ints) -> None:
        tokens, mask = padded([ids[at] for at in batch], pretrained.device, pad=tokenizer.pad_token_id or 0)
        with torch.inference_mode():
            states = pretrained.model(input_ids=tokens, attention_mask=mask).last_hidden_state.double()
        weights = mask[..., None].double()
        vectors = states[:, 0] if given.pooling == "cls" else (states * weights).sum(1) / weights.sum(1).clamp(min=1)
        found[batch] = torch.nn.functional.normalize(vectors, dim=1).cpu().numpy()

    each_batch(np.array([len(one) for one in ids]), batch_budget(pretrained, given), embed)
    return found


def hf_encoder(request: ModelRequest, /) -> Ranker:
    """Load an encoder of transformers, and embed the documents that it ranks.

    Args:
        request: what the model is made from. Its `argument` is a folder or a name on the hub; the option `corpus` names
            the file of the documents.

    Raises:
        AugmentError: there is no such model or file, or an option is wrong.
    """
    given: Options = request.options
    corpus = corpus_of(given.corpus, request.encoding)
    pretrained = loaded("AutoModel", request.argument, request.device, given)
    defining = {name: getattr(given, name) for name in ("pooling", "query", "document", "depth")}
    vectors = embedded(pretrained, given, [given.document + text for text in corpus.texts])
    signature = signature_of("hf-encoder", pretrained, None, {**defining, "corpus": corpus.digest})

    def score(texts: Sequence[str]) -> Iterator[Floats]:
        yield from (vectors @ query for query in embedded(pretrained, given, [given.query + text for text in texts]))

    return Ranker(score, corpus, given.depth, signature, pretrained.device.type == "cpu", cached=True)
