"""A token classifier of Hugging Face, such as one for named entities: a word gets the tag of its first token."""

from collections.abc import Sequence

import numpy as np

from augment_ru.draws import Ints
from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import ModelRequest
from augment_ru.inference.batches import each_batch, padded
from augment_ru.inference.pretrained import Pretrained, context_of
from augment_ru.models._hugging_face import LoadingOptions, batch_budget, loaded, signature_of
from augment_ru.models._tagger import Tagger, Tokens, labelled_field, words_of
from augment_ru.prompting.replies import DIGITS

Options = LoadingOptions


def tagged(pretrained: Pretrained, texts: Sequence[str], budget: int) -> list[tuple[Tokens, Sequence[str]]]:
    """Tag the words of each text; return a pair for each: the places of its words, and their tags, such as B-PER.

    Words beyond what the model can read at once get the tag O (no entity).

    Args:
        pretrained: the network.
        texts: the texts.
        budget: the most tokens in a batch, padding included.

    Raises:
        AugmentError: a text does not fit into memory.
    """
    import torch  # noqa: PLC0415

    tokenizer, names = pretrained.tokenizer, pretrained.model.config.id2label
    read = [words_of(text) for text in texts]
    limit = context_of(pretrained)
    encoded = [tokenizer(words, is_split_into_words=True, truncation=True, max_length=limit) for _, words in read]
    tags = [["O"] * len(words) for _, words in read]

    def tag(batch: Ints) -> None:
        rows = [encoded[at]["input_ids"] for at in batch]
        tokens, mask = padded(rows, pretrained.device, pad=tokenizer.pad_token_id or 0)
        with torch.inference_mode():
            logits = pretrained.model(input_ids=tokens, attention_mask=mask).logits.double().cpu().numpy()
        best = np.round(logits, DIGITS).argmax(axis=2)
        for row, at in enumerate(batch.tolist()):
            for place, word in reversed(list(enumerate(encoded[at].word_ids()))):
                if word is not None:
                    tags[at][word] = names[int(best[row, place])]

    each_batch(np.array([len(one["input_ids"]) for one in encoded], dtype=np.int64), budget, tag)
    return [(places, own) for (places, _), own in zip(read, tags, strict=True)]


def hf_tokens(request: ModelRequest, /) -> Tagger:
    """Load a token classifier of transformers, which finds labelled spans.

    Args:
        request: what the model is made from; its `argument` is a folder or a name on the hub.

    Raises:
        AugmentError: there is no such model, its tokenizer does not say which word a token belongs to, or the task asks
            for no spans.
    """
    given: Options = request.options
    pretrained = loaded("AutoModelForTokenClassification", request.argument, request.device, given)
    if not pretrained.tokenizer.is_fast:
        raise AugmentError(f"model {request.argument}: its tokenizer does not say which words its tokens belong to")
    budget = batch_budget(pretrained, given)
    return Tagger(
        lambda texts: tagged(pretrained, texts, budget),
        labelled_field(request.task),
        signature_of("hf-tokens", pretrained, None, {}),
        pretrained.device.type == "cpu",
    )
