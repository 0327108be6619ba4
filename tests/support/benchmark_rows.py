"""Rows of all tasks of TAPE, Russian SuperGLUE, MERA and RAFT, with every label of each, in test and train files."""

import copy
from collections.abc import Mapping
from typing import Any

from layouts import ROWS, Row

MERA_INSTRUCTIONS = {
    "mera_rutie": "Вы ведёте диалог.\n{context}\n{question}\n1. {choice1}\n2. {choice2}\nКакой ответ верен?",
    "mera_rudetox": "Скажите вежливо: {inputs}\nОтвет:\n",
}
"""The instruction of a task's rows; that of the other tasks names all their inputs."""

OTHERS: Mapping[str, Mapping[str, Any]] = {
    "winograd": {"label": 0},
    "ru_worldtree": {"answer": "B"},
    "ru_openbook": {"answer": "C"},
    "sit_ethics": {"sit_virtue": 0, "sit_moral": 0, "sit_law": 1, "sit_justice": 1, "sit_util": 0},
    "per_ethics": {"per_virtue": 0, "per_moral": 0, "per_law": 0, "per_justice": 1, "per_util": 1},
    "lidirus": {"label": 1},
    "rcb": {"label": "entailment"},
    "parus": {"label": 1},
    "terra": {"label": "entailment"},
    "russe": {"label": 1},
    "rwsd": {"label": True},
    "danetqa": {"label": True},
    "mera_rwsd": {"outputs": "Нет"},
    "mera_ruworldtree": {"outputs": "A"},
    "mera_ruopenbookqa": {"outputs": "B"},
    "mera_mathlogicqa": {"outputs": "A"},
    "mera_rummlu": {"outputs": "C"},
    "mera_mamuramu": {"outputs": "B"},
    "mera_parus": {"outputs": "2"},
    "mera_rcb": {"outputs": "1"},
    "mera_rutie": {"outputs": "2"},
    "mera_ruethics": {"outputs": ["1", "0", "1", "0", "0"]},
    "mera_ruhatespeech": {"outputs": "2"},
    "mera_ruhhh": {"outputs": "2"},
    "raft_ade_corpus_v2": {"Label": "ADE-related"},
    "raft_banking_77": {"Label": "card_arrival"},
    "raft_neurips_impact_statement_risks": {"Label": "doesn't mention a harmful application"},
    "raft_one_stop_english": {"Label": "advanced"},
    "raft_overruling": {"Label": "not overruling"},
    "raft_semiconductor_org_types": {"Label": "company"},
    "raft_systematic_review_inclusion": {"Label": "not included"},
    "raft_tai_safety_research": {"Label": "TAI safety research"},
    "raft_terms_of_service": {"Label": "not potentially unfair"},
    "raft_tweet_eval_hate": {"Label": "hate speech"},
    "raft_twitter_complaints": {"Label": "no complaint"},
}
"""Another right answer for the rows of a task."""

WITHOUT_PROMPT = ("chat", "mera_use", "retrieval", "spans")
"""Tasks without a question that a prompt could ask, or whose answers the harness cannot score."""

WITHOUT_TRAIN = ("lidirus", "mera_ruethics")
"""Tasks without demonstrations: one has only a test set, the other has no single right answer."""


def benchmark_tasks() -> list[str]:
    """Return the tasks of TAPE, Russian SuperGLUE, MERA and RAFT, and the task of SQuAD's layout."""
    return [name for name in ROWS if name not in WITHOUT_PROMPT]


def benchmark_rows(name: str, ending: str) -> list[Row]:
    """Return at least four rows of a task, with every label among them; `ending` is added to a text of each row.

    All rows come from `layouts`, so they have the layout of their benchmark; only rows for further labels are made
    here.
    """
    known = [row for row in ROWS[name] if _is_answered(row)]
    if name == "raft_tai_safety_research":  # whose row has no label, as in a test file
        known = [{**row, "Label": "not TAI safety research"} for row in ROWS[name]]
    rows = [*copy.deepcopy(known), *({**copy.deepcopy(row), **OTHERS.get(name, {})} for row in known)]
    rows = rows if len(rows) > 2 else [*rows, *copy.deepcopy(rows)]
    for number, row in enumerate(rows):
        _extend(row, name, f" {ending} {number}.")
        if name.startswith("mera_"):
            _of_mera(row, name, number)
        elif "idx" in row:
            row["idx"] = number
        elif name == "squad":
            row["id"] = number
    return rows


def _is_answered(row: Row) -> bool:
    """Tell whether a row has a right answer; some rows of the layouts have none."""
    if "homonymia_type" not in row and row.get("options"):
        return False  # a Winograd row without its pronoun, which a prompt needs
    if "passage" in row and isinstance(row["passage"], dict):
        questions: list[Row] = row.get("qas") or row["passage"].get("questions") or []
        return bool(questions) and all("answers" in one for one in questions)
    if "context" in row:
        return any(row["answers"]["text"])
    return any(key in row for key in ("label", "answer", "outputs", "main_answers", "sit_law", "per_law", "Label"))


_OF_RAFT = ("Sentence", "Query", "Impact statement", "Article", "Paper title", "Title", "Tweet", "Tweet text")
"""Names of the text fields in RAFT's rows."""


def _extend(row: Row, name: str, ending: str) -> None:
    """Add a text to the end of a text of the row, so that rows differ."""
    for holder in (row, row.get("inputs"), row.get("passage")):
        for key in ("text", "question", "premise", "sentence2", "passage", "main_text", "query", "reply_2", *_OF_RAFT):
            if isinstance(holder, dict) and isinstance(holder.get(key), str) and (name, key) != ("parus", "question"):
                holder[key] += ending
                return
    row["inputs"] += ending


def _of_mera(row: Row, name: str, number: int) -> None:
    """Give a row of MERA the instruction of its task, and its position in a dialogue, a domain or among questions."""
    inputs = row["inputs"]
    places = "\n".join(f"{{{key}}}" for key in inputs) if isinstance(inputs, dict) else "{inputs}"
    row["instruction"] = MERA_INSTRUCTIONS.get(name, f"Прочитайте и ответьте.\n{places}\nОтвет:")
    row["meta"] = {**row["meta"], "id": number}
    if name == "mera_rutie":
        row["meta"] |= {"dialog_id": number // 2, "question_id": number % 2}
        row["inputs"] = {**inputs, "context": ""}
    if name in {"mera_mamuramu", "mera_rummlu"}:
        row["meta"]["domain"] = ("STEM", "гуманитарные науки")[number // 2 % 2]
    if name == "mera_ruethics":
        row["meta"]["question"] = ("correct", "good")[number // 2 % 2]
