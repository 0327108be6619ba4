"""Small models through the real Hugging Face classes, saved to a folder as a user's model would be."""

import re
from pathlib import Path

import torch
from transformers import BertConfig, BertModel
from transformers.models.bert.tokenization_bert import BertTokenizer

SENTENCES = (
    "Кошка спит на окне, а собака лежит у двери.",
    "Мама мыла раму и пела старую песню.",
    "В отеле было чисто, завтрак понравился всем.",
    "Поезд из Москвы опоздал на два часа.",
    "Врач посоветовал больше гулять и меньше волноваться.",
    "Студенты сдали экзамен по физике с первого раза.",
    "Вода кипит при ста градусах, лёд тает при нуле.",
    "Почему осенью листья желтеют и опадают?",
)
MAX_LENGTH = 512


def wordpiece(folder: Path) -> BertTokenizer:
    """A cased WordPiece tokenizer of the sentences' characters, beginnings and ends of words.

    Written out, not trained: the trainer of `tokenizers` breaks ties differently in each process, so that the same
    test would meet another model each time.
    """
    words = sorted({word for sentence in SENTENCES for word in re.findall(r"\w+|[^\w\s]", sentence)})
    characters = sorted({character for word in words for character in word})
    pieces = [
        *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
        *characters,
        *(f"##{character}" for character in characters),
        *(word[:5] for word in words),
        *(f"##{word[5:]}" for word in words if len(word) > 5),
    ]
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(dict.fromkeys(pieces)), encoding="utf-8")
    return BertTokenizer(str(vocabulary), do_lower_case=False, model_max_length=MAX_LENGTH)


def bert(folder: Path, layers: int = 3, width: int = 32) -> Path:
    """A BERT encoder with random weights (seeded) and its tokenizer."""
    tokenizer = wordpiece(folder)
    with torch.random.fork_rng():
        torch.manual_seed(7)
        model = BertModel(
            BertConfig(
                vocab_size=len(tokenizer),
                hidden_size=width,
                num_hidden_layers=layers,
                num_attention_heads=4,
                intermediate_size=2 * width,
                max_position_embeddings=MAX_LENGTH,
            )
        )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
