"""A small classifier of texts or tokens, through the real Hugging Face classes, saved as a user's model would be."""

from collections.abc import Sequence
from pathlib import Path

import torch
import transformers
from transformers import BertConfig

from small_models import MAX_LENGTH, wordpiece


def classifier(
    folder: Path, labels: Sequence[str] = ("LABEL_0", "LABEL_1"), head: str = "SequenceClassification"
) -> Path:
    """A BERT classifier with random weights (seeded, and large, so that texts matter) and its tokenizer."""
    tokenizer = wordpiece(folder)
    with torch.random.fork_rng():
        torch.manual_seed(8)  # some pairs of SENTENCES get each label; with 7 all get the second
        model = getattr(transformers, f"BertFor{head}")(
            BertConfig(
                vocab_size=len(tokenizer),
                hidden_size=32,
                num_hidden_layers=2,
                num_attention_heads=4,
                intermediate_size=64,
                max_position_embeddings=MAX_LENGTH,
                id2label=dict(enumerate(labels)),
                label2id={label: number for number, label in enumerate(labels)},
            )
        )
        for weights in model.parameters():
            if weights.dim() > 1:
                torch.nn.init.normal_(weights, std=0.3)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
