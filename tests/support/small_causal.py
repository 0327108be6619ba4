"""Small causal language models through the real Hugging Face classes, saved to a folder as a user's model would be."""

from pathlib import Path

import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import BloomConfig, BloomForCausalLM, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM
from transformers import PreTrainedTokenizerFast as FastTokenizer

from small_models import SENTENCES

CONTEXT = 128
WORDS = (*SENTENCES, "Да. Нет.", "Текст: Вопрос: Ответ:", "Возможные метки: Метка:")

CHAT_TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>\n{{ message.content }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)


def tokenizer(folder: Path, *, starts: bool = False) -> FastTokenizer:
    """Make a byte-level BPE tokenizer trained on the sentences; with `starts` it puts <s> before every text."""
    folder.mkdir(parents=True, exist_ok=True)
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(
        WORDS, vocab_size=400, min_frequency=1, special_tokens=["<s>", "</s>"], show_progress=False
    )
    trained.save(str(folder / "tokenizer.json"))
    ends = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "</s>"}
    made = FastTokenizer(tokenizer_file=str(folder / "tokenizer.json"), model_max_length=CONTEXT, **ends)  # type: ignore[no-untyped-call]
    if starts:
        from tokenizers.processors import TemplateProcessing  # noqa: PLC0415

        made.backend_tokenizer.post_processor = TemplateProcessing(
            single="<s> $A", special_tokens=[("<s>", made.bos_token_id)]
        )
    return made


def causal(folder: Path, kind: str = "gpt2") -> Path:
    """A language model with random weights (seeded, and large, so that contexts matter) and its tokenizer.

    Args:
        folder: where it is saved.
        kind: gpt2 (absolute positions), llama (rotary positions, <s> before every text), chat (a llama with a chat
            template and a longer context, without <s>), bloom (ALiBi).
    """
    words = tokenizer(folder, starts=kind == "llama")
    if kind == "chat":
        words.chat_template = CHAT_TEMPLATE
        words.model_max_length = 2048
    ends = {"bos_token_id": words.bos_token_id, "eos_token_id": words.eos_token_id, "pad_token_id": words.pad_token_id}
    with torch.random.fork_rng():
        torch.manual_seed(7)
        size = len(words)
        model: torch.nn.Module
        if kind == "gpt2":
            model = GPT2LMHeadModel(
                GPT2Config(vocab_size=size, n_positions=CONTEXT, n_embd=32, n_layer=2, n_head=4, **ends)
            )
        elif kind in {"llama", "chat"}:
            model = LlamaForCausalLM(
                LlamaConfig(
                    vocab_size=size,
                    hidden_size=32,
                    intermediate_size=48,
                    num_hidden_layers=2,
                    num_attention_heads=4,
                    num_key_value_heads=2,
                    max_position_embeddings=2048 if kind == "chat" else CONTEXT,
                    **ends,
                )
            )
        else:
            model = BloomForCausalLM(BloomConfig(vocab_size=size, hidden_size=32, n_layer=2, n_head=4, **ends))
        for weights in model.parameters():
            if weights.dim() > 1:
                torch.nn.init.normal_(weights, std=0.25)
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    return folder
