"""Instruct models are asked as their makers ask them: chat templates, demonstrations, system messages, reasoning."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import ModelRequest, example_of, model_of
from augment_ru.inference.pretrained import load
from augment_ru.prompting.chat import Chat, messages_of, system_of
from augment_ru.prompting.encoder import PromptEncoder
from augment_ru.prompting.prompt import FilledPrompt
from augment_ru.prompting.prompt_file import prompt_of
from augment_ru.records.task import task
from harness import simple_evaluate
from kept_models import kept
from profiles import IS_FULL
from small_causal import causal
from small_models import SENTENCES

LABELS = ("entailment", "not_entailment")
SYSTEM = "Отвечай одним словом."
_EACH = "{% for m in messages %}"
_GO = "{% if add_generation_prompt %}"
ALTERNATE = "{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('must alternate') }}{% endif %}"
TEMPLATES = {
    "turns of a role and an end": _EACH + "<|{{ m.role }}|>\n{{ m.content }}</s>\n{% endfor %}" + _GO + "<|assistant|>\n{% endif %}",  # noqa: E501
    "a begin token": "<s>" + _EACH + "[{{ m.role }}] {{ m.content }}</s>{% endfor %}" + _GO + "[assistant] {% endif %}",
    "a begin token by its name": "{{ bos_token }}" + _EACH + "{{ m.role }}: {{ m.content }}{{ eos_token }}{% endfor %}" + _GO + "assistant:{% endif %}",  # noqa: E501
    "no system: refused": "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}" + _EACH + "<{{ m.role }}>{{ m.content }}</s>{% endfor %}" + _GO + "<assistant>{% endif %}",  # noqa: E501
    "no system: dropped": _EACH + "{% if m.role != 'system' %}<{{ m.role }}>{{ m.content }}{% endif %}{% endfor %}" + _GO + "<assistant>{% endif %}",  # noqa: E501
    "the system in the user's first turn": "{% if messages[0].role == 'system' %}{% set s = messages[0].content + '\n\n' %}{% set rest = messages[1:] %}{% else %}{% set s = '' %}{% set rest = messages %}{% endif %}{% for m in rest %}{% if m.role == 'user' %}[INST] {{ (s if loop.first else '') + m.content }} [/INST]{% else %} {{ m.content }}</s>{% endif %}{% endfor %}",  # noqa: E501
    "strict alternation": "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}" + _EACH + ALTERNATE + "<{{ m.role }}>{{ m.content | trim }}</s>{% endfor %}" + _GO + "<assistant>{% endif %}",  # noqa: E501
    "strict alternation after a system": "{% if messages[0].role == 'system' %}<<SYS>>{{ messages[0].content }}<</SYS>>{% set rest = messages[1:] %}{% else %}{% set rest = messages %}{% endif %}{% for m in rest %}" + ALTERNATE + "<{{ m.role }}>{{ m.content }}</s>{% endfor %}" + _GO + "<assistant>{% endif %}",  # noqa: E501
    "a default system": "{% if messages[0].role != 'system' %}<|system|>Ты полезный помощник.</s>{% endif %}" + _EACH + "<|{{ m.role }}|>{{ m.content }}</s>{% endfor %}" + _GO + "<|assistant|>{% endif %}",  # noqa: E501
    "prefilled reasoning": _EACH + "<|{{ m.role }}|>\n{{ m.content }}</s>\n{% endfor %}" + _GO + "<|assistant|>\n<think>\n{% endif %}",  # noqa: E501
    "reasoning that can be switched off": _EACH + "<|{{ m.role }}|>\n{{ m.content.split('</think>')[-1] }}</s>\n{% endfor %}" + _GO + "<|assistant|>\n{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}{% endif %}",  # noqa: E501
    "tools": "{% if tools %}<tools>{{ tools | tojson }}</tools>{% endif %}" + _EACH + "<|{{ m.role }}|>{% if m.tool_calls is defined %}{{ m.tool_calls | tojson }}{% endif %}{{ m.content }}</s>{% endfor %}" + _GO + "<|assistant|>{% endif %}",  # noqa: E501
}  # fmt: skip
NO_SYSTEM = {"no system: refused", "no system: dropped", "strict alternation"}


@pytest.fixture(scope="module")
def folder() -> str:
    return str(kept(causal, "chat"))


def filled(shots: int) -> FilledPrompt:
    """Return a prompt of TERRa with demonstrations."""
    rows = [
        {"premise": one, "hypothesis": other, "idx": at, "label": LABELS[at % 2]}
        for at, (one, other) in enumerate(pairwise(SENTENCES))
    ]
    (found,) = prompt_of(task("terra")).build(rows[0], rows[1 : 1 + shots], labels=LABELS)
    return found


def without_thought(text: str) -> str:
    """Close the reasoning that a template opened."""
    return text + "\n</think>\n\n" if text.rstrip().endswith("<think>") else text


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("system", [None, SYSTEM])
@pytest.mark.parametrize("shots", [0, 2])
@pytest.mark.parametrize("reasoning", [0, 8])
def test_tokens_equal_those_of_apply_chat_template(
    folder: str, name: str, system: str | None, shots: int, reasoning: int
) -> None:
    pretrained = load("AutoModelForCausalLM", folder, device="cpu")
    own = type(pretrained.tokenizer).from_pretrained(folder)
    own.chat_template = TEMPLATES[name]
    for form in ("turns", "message"):
        prompt = filled(shots)
        messages = messages_of(prompt, form, system)
        if system and name in NO_SYSTEM:  # it stands in the user's turn
            messages = messages_of(prompt, form, None)
            messages[0]["content"] = f"{SYSTEM}\n\n{messages[0]['content']}"
        wanted = own.apply_chat_template(
            messages, add_generation_prompt=True, enable_thinking=reasoning > 0, return_dict=False
        )
        if not reasoning and name == "prefilled reasoning":
            wanted += own("\n</think>\n\n", add_special_tokens=False)["input_ids"]
        encoder = PromptEncoder.of(pretrained, Chat(own, form, system, reasoning))
        encoder = PromptEncoder(own, encoder.start, encoder.chat)
        assert encoder.contexts([prompt], 2048)[0].tolist() == wanted
        roles = [one["role"] for one in messages_of(prompt, form, system)]
        assert roles.count("assistant") == (shots if form == "turns" else 0)
        for (request, *_), choice in zip([encoder.continuations([prompt], 2048)[0]], prompt.choices, strict=False):
            answer = own(choice.text.lstrip(), add_special_tokens=False)["input_ids"]
            assert request.tokens.tolist()[request.first :] == answer


ROWS = [
    {"premise": SENTENCES[at % 8], "hypothesis": f"{at}. {SENTENCES[(at * 5 + at // 8) % 8]}", "idx": at}
    for at in range(250 if IS_FULL else 48)
]
SHOWN = [{**row, "label": LABELS[at % 2]} for at, row in enumerate(ROWS[::-1][:2])]


@pytest.mark.filterwarnings("ignore")  # of the harness and what it imports
@pytest.mark.parametrize("form", ["turns", "message"])
def test_predictions_equal_those_of_the_harness(folder: str, form: str, tmp_path: Path) -> None:
    pytest.importorskip("lm_eval")
    from lm_eval.models.huggingface import HFLM  # noqa: PLC0415
    from lm_eval.tasks import TaskManager  # noqa: PLC0415

    prompt = prompt_of(task("terra"))
    for name, rows in (("test", ROWS), ("train", SHOWN)):
        docs = []
        for row in rows:
            (own,) = prompt.build(row, labels=LABELS)
            docs.append({"q": own.context, "choices": [one.text.strip() for one in own.choices], "gold": 0})
            docs[-1]["gold"] = LABELS.index(row.get("label", LABELS[0]))
        data = "".join(f"{json.dumps(doc, ensure_ascii=False)}\n" for doc in docs)
        (tmp_path / f"{name}.jsonl").write_text(data, encoding="utf-8")
    files = {name: str(tmp_path / f"{name}.jsonl") for name in ("test", "train")}
    (tmp_path / "asked.yaml").write_text(
        f"task: asked\ndataset_path: json\ndataset_kwargs:\n  data_files: {json.dumps(files)}\n"
        "training_split: train\ntest_split: test\nfewshot_split: train\nfewshot_config: {sampler: first_n}\n"
        "output_type: multiple_choice\ndoc_to_text: '{{q}}'\ndoc_to_choice: '{{choices}}'\ndoc_to_target: gold\n",
        encoding="utf-8",
    )
    found = simple_evaluate(
        HFLM(pretrained=folder, device="cpu", batch_size=16, max_length=2048),
        tasks=["asked"],
        task_manager=TaskManager(include_path=str(tmp_path), include_defaults=False),
        num_fewshot=2,
        bootstrap_iters=0,
        apply_chat_template=True,
        fewshot_as_multiturn=form == "turns",
        system_instruction=SYSTEM,
        log_samples=True,
    )
    samples = sorted(found["samples"]["asked"], key=lambda one: one["doc_id"])
    theirs = [[float(one[0]) for one in sample["filtered_resps"]] for sample in samples]
    model = chat_model(folder, chat=form, system=SYSTEM)
    scored = model.scored([example_of(row, task("terra"), tuple(SHOWN)) for row in ROWS])
    assert [LABELS[int(np.argmax(scores))] for scores in theirs] == [one.prediction for one in scored]
    assert len({one.prediction for one in scored}) == 2
    for scores, one in zip(theirs, scored, strict=True):  # the harness scores the line feed before the answer, too
        ours = [one.scores[0][label] for label in LABELS]
        assert ours[0] - ours[1] == pytest.approx(scores[0] - scores[1], abs=2e-3)


def chat_model(folder: str, name: str = "terra", labels: tuple[str, ...] | None = LABELS, **options: Any) -> Any:  # noqa: ANN401
    return model_of(f"hf-causal:{folder}", ModelRequest("", task(name), labels, device="cpu"), options)


def test_a_system_message_of_mera_is_known(folder: str) -> None:
    assert str(system_of("mera")).startswith("Реши задачу по инструкции ниже.")
    assert system_of("Кратко.") == "Кратко."
    assert "system-" in chat_model(folder, system="mera").signature


class Speaks:
    """A network that writes what a test says: first its reasoning, then its reply."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, said: dict[str, str]) -> None:
        self.read: dict[str, list[list[int]]] = {}
        tokenizer = load("AutoModelForCausalLM", str(kept(causal, "chat")), device="cpu").tokenizer

        def generated(_: object, prompts: Any, tokens: Any, limits: Any, purpose: str, stops: Any) -> list[list[int]]:  # noqa: ANN401
            del stops
            self.read[purpose] = [one.tolist() for one in tokens]
            ids = tokenizer(said[purpose], add_special_tokens=False)["input_ids"]
            return [ids[:limit] for limit, _ in zip(limits, prompts, strict=True)]

        monkeypatch.setattr("augment_ru.models._hugging_face.PromptedNetwork._generated", generated)
        self.decode = tokenizer.decode


@pytest.mark.parametrize(
    ("thought", "limit", "ends"),
    [
        ("<think>Да? Нет.</think>", 50, "<think>Да? Нет.</think>\n\n"),
        ("<think>Да? Нет. И ещё долго.", 12, "\n</think>\n\n"),
        ("Нет", 50, "<|assistant|>\n"),
    ],
)
@pytest.mark.parametrize("score", ["loglikelihood", "reply"])
def test_reasoning_has_a_budget_and_is_closed(
    folder: str, monkeypatch: pytest.MonkeyPatch, *, thought: str, limit: int, ends: str, score: str
) -> None:
    says = Speaks(monkeypatch, {"reason": thought, "generate": "Нет."})
    model = chat_model(folder, reasoning=limit, score=score)
    (found,) = model.scored([example_of(ROWS[0], task("terra"))])
    if score == "reply":
        assert found.prediction == "not_entailment"
        assert says.decode(says.read["generate"][0]).endswith(ends)
    else:
        assert set(found.scores[0]) == set(LABELS)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("Да", "entailment"),
        ("Нет, не следует", "not_entailment"),
        ("<think>Может быть, да? Нет.</think> Да", "entailment"),
        ("Извините, я не могу ответить.", "\x00refused"),
        ("", ""),
        ("Затрудняюсь", "\x00unreadable"),
        ("<think>Может быть, да", "\x00cut"),
    ],
)
def test_replies_are_read_by_the_same_rules(
    folder: str, monkeypatch: pytest.MonkeyPatch, reply: str, said: str
) -> None:
    Speaks(monkeypatch, {"generate": reply})
    model = chat_model(folder, score="reply")
    assert model([example_of(ROWS[0], task("terra"))]) == [said]


def test_without_a_template_prompts_are_plain_texts() -> None:
    plain = str(kept(causal, "gpt2"))
    assert "chat=" not in chat_model(plain).signature
    assert "score=perplexity" in chat_model(plain).signature
    for options in ({"chat": "turns"}, {"system": "Кратко."}, {"reasoning": 5}):
        with pytest.raises(AugmentError, match=r"asked with texts|chat=none"):
            chat_model(plain, **options)
