"""Small sequence-to-sequence models and language models through the real classes, saved as a user's would be."""
# ruff: noqa: ANN401  (tokenizers, and the options of configurations)

import json
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sentencepiece
import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    MarianConfig,
    MarianMTModel,
    T5Config,
    T5ForConditionalGeneration,
)
from transformers.models.gpt2.tokenization_gpt2 import GPT2Tokenizer
from transformers.models.marian.tokenization_marian import MarianTokenizer
from transformers.models.t5.tokenization_t5 import T5Tokenizer

from small_models import SENTENCES, wordpiece

MAX_LENGTH = 128
STEPS = 150
ENDED = (24, 1.5)
"""After so many tokens the end of a text gets likelier with each: what was not taught would go on and on."""


def _taught(model: torch.nn.Module, inputs: dict[str, torch.Tensor]) -> None:
    """Train the model until it generates these sentences and stops after each, as a real model does."""
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    model.eval()  # without dropout: there is nothing to generalise to
    for _ in range(STEPS):
        optimizer.zero_grad()
        model(**inputs).loss.backward()
        optimizer.step()


def _pairs(tokenizer: Any, shift: int) -> dict[str, torch.Tensor]:
    """Pair each sentence with the sentence `shift` places further down the list as its translation."""
    batch = tokenizer(list(SENTENCES), text_target=[*SENTENCES[shift:], *SENTENCES[:shift]], padding=True)
    labels = [[token if token != tokenizer.pad_token_id else -100 for token in row] for row in batch["labels"]]
    ids, mask = torch.tensor(batch["input_ids"]), torch.tensor(batch["attention_mask"])
    return {"input_ids": ids, "attention_mask": mask, "labels": torch.tensor(labels)}


def _pieces(folder: Path, name: str, size: int, **options: Any) -> Path:
    """A sentencepiece model trained on the sentences."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.model"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES),
        model_prefix=str(folder / name),
        vocab_size=size,
        model_type="bpe",  # whole words after so few sentences
        character_coverage=1.0,
        hard_vocab_limit=False,
        minloglevel=2,
        **options,
    )
    (folder / f"{name}.vocab").unlink()
    return path


_SMALL_MARIAN: dict[str, Any] = {
    "d_model": 32,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
}


def marian(folder: Path, seed: int = 1, **shape: Any) -> Path:
    """A MarianMT translator: taught the sentences, or of another shape with random weights (seeded)."""
    path = _pieces(folder, "source", 400)
    (folder / "source.spm").write_bytes(path.read_bytes())
    (folder / "target.spm").write_bytes(path.read_bytes())
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(path))
    path.unlink()
    tokens = ["</s>", "<unk>"]
    tokens += [piece for piece in map(pieces.id_to_piece, range(len(pieces))) if piece not in ("<s>", *tokens)]
    tokens += [f"<unused{number}>" for number in range(len(tokens), shape.get("vocab_size", 0) - 1)]
    tokens.append("<pad>")
    vocabulary = folder / "vocab.json"
    vocabulary.write_text(json.dumps({token: at for at, token in enumerate(tokens)}), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a package is recommended
        tokenizer = MarianTokenizer(
            str(folder / "source.spm"), str(folder / "target.spm"), str(vocabulary), model_max_length=MAX_LENGTH
        )
    pad = len(tokens) - 1
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = MarianMTModel(
            MarianConfig(
                **{"vocab_size": len(tokens), "max_position_embeddings": MAX_LENGTH, **(shape or _SMALL_MARIAN)},
                pad_token_id=pad,
                eos_token_id=0,
                decoder_start_token_id=pad,
                forced_eos_token_id=0,
            )
        )
        if not shape:
            _taught(model, _pairs(tokenizer, seed))
            model.generation_config.exponential_decay_length_penalty = ENDED
    model.generation_config.bad_words_ids = [[pad]]
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


_SMALL_T5 = {"d_model": 32, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2}


def t5(folder: Path, seed: int = 2, **shape: Any) -> Path:
    """A T5: taught the sentences, or of another shape with random weights (seeded)."""
    path = _pieces(folder, "spiece", 400, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(path))
    vocabulary = [(pieces.id_to_piece(at), pieces.get_score(at)) for at in range(len(pieces))]
    tokenizer = T5Tokenizer(vocab=vocabulary, extra_ids=0, model_max_length=MAX_LENGTH)
    more: dict[str, Any] = {"decoder_start_token_id": 0, "tie_word_embeddings": False}
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = T5ForConditionalGeneration(T5Config(**{"vocab_size": len(tokenizer), **more, **(shape or _SMALL_T5)}))
        if not shape:
            _taught(model, _pairs(tokenizer, seed))
            model.generation_config.exponential_decay_length_penalty = ENDED
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


_SMALL_GPT2: dict[str, Any] = {"n_embd": 32, "n_layer": 1, "n_head": 2}


def gpt2(folder: Path, seed: int = 3, **shape: Any) -> Path:
    """A GPT-2 with a byte-level tokenizer: taught the sentences, or of another shape with random weights (seeded)."""
    folder.mkdir(parents=True, exist_ok=True)
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(
        SENTENCES, vocab_size=450, min_frequency=1, show_progress=False, special_tokens=["<|endoftext|>"]
    )
    trained.save_model(str(folder))
    tokenizer = GPT2Tokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"), model_max_length=MAX_LENGTH)
    end: Any = tokenizer.convert_tokens_to_ids("<|endoftext|>")
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = GPT2LMHeadModel(
            GPT2Config(
                **{"vocab_size": len(tokenizer), "n_positions": MAX_LENGTH, **(shape or _SMALL_GPT2)},
                bos_token_id=end,
                eos_token_id=end,
            )
        )
        texts = [" ".join([*SENTENCES[at:], *SENTENCES[:at]]) for at in range(len(SENTENCES))]
        ids = torch.tensor([row[:100] for row in tokenizer(texts)["input_ids"]])
        if not shape:
            _taught(model, {"input_ids": ids, "labels": ids})
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


_SMALL_BERT: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "initializer_range": 0.5,
}


def masked(folder: Path, seed: int = 4, **shape: Any) -> Path:
    """A BERT for masked words with random weights (seeded), small or of another shape, and its tokenizer."""
    tokenizer = wordpiece(folder)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = BertForMaskedLM(
            BertConfig(**{"vocab_size": len(tokenizer), "max_position_embeddings": 512, **(shape or _SMALL_BERT)})
        )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


PUBLISHED: dict[str, Callable[[Path], Path]] = {
    "Helsinki-NLP/opus-mt-ru-en": lambda folder: marian(folder, 1),
    "Helsinki-NLP/opus-mt-en-ru": lambda folder: marian(folder, 5),
    "cointegrated/rut5-base-paraphraser": t5,
    "ai-forever/ruBert-base": masked,
    "THUMT/mGPT": gpt2,
}
"""The models that attacks name by default, and the small ones that stand for them in tests."""


def hub(cache: Path) -> Path:
    """Make a local cache in which the published names lead to small models."""
    for name, build in PUBLISHED.items():
        entry = cache / f"models--{name.replace('/', '--')}"
        build(entry / "snapshots" / "small")
        (entry / "refs").mkdir()
        (entry / "refs" / "main").write_text("small")
    return cache


def copied(folder: Path, target: Path, *, without: str = "") -> Path:
    """Copy a saved model, without the files whose names match a pattern."""
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns(without) if without else None)
    return target
