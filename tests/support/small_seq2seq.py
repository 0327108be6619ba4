"""A small T5 through the real Hugging Face classes, saved to a folder as a user's model would be."""

from pathlib import Path

import torch
from tokenizers import SentencePieceUnigramTokenizer
from tokenizers.processors import TemplateProcessing
from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

from small_models import SENTENCES

CONTEXT = 128


def seq2seq(folder: Path) -> Path:
    """A T5 with random weights (seeded, and large, so that prompts matter) and a Unigram tokenizer that ends texts."""
    folder.mkdir(parents=True, exist_ok=True)
    trained = SentencePieceUnigramTokenizer()
    trained.train_from_iterator(
        [*SENTENCES, "Да. Нет.", "Текст: Вопрос: Ответ: Метка:"],
        vocab_size=200,
        special_tokens=["<pad>", "</s>", "<unk>"],
        unk_token="<unk>",  # noqa: S106  (no password)
        show_progress=False,
    )
    trained.post_processor = TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    trained.save(str(folder / "tokenizer.json"))
    ends = {"eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_file=str(folder / "tokenizer.json"), model_max_length=CONTEXT, **ends
    )
    with torch.random.fork_rng():
        torch.manual_seed(7)
        model = T5ForConditionalGeneration(
            T5Config(  # type: ignore[call-arg]  # what starts the decoder is a keyword that the base class takes
                vocab_size=len(tokenizer),
                d_model=32,
                d_kv=8,
                d_ff=48,
                num_layers=2,
                num_heads=4,
                decoder_start_token_id=0,
                pad_token_id=0,
                eos_token_id=1,
            )
        )
        for weights in model.parameters():
            if weights.dim() > 1:
                torch.nn.init.normal_(weights, std=0.3)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
