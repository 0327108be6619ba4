"""Names as tables show them: shorter where nothing is lost."""

from hypothesis import given
from hypothesis import strategies as st

from augment_ru.evaluation.tables import shown_names

NAMES = st.lists(st.text("ab/:.~", max_size=8).map(lambda text: f"linear:{text}x.jsonl"), max_size=6)


@given(NAMES)
def test_different_names_stay_different_and_keep_their_end(names: list[str]) -> None:
    shown = shown_names(names)
    assert list(shown) == list(dict.fromkeys(names))
    assert len(set(shown.values())) == len(set(names))
    assert all(one.endswith("x.jsonl") and len(one) <= len(name) for name, one in shown.items())


def test_folders_are_left_out_of_files_and_of_paths() -> None:
    assert list(
        shown_names([
            "linear:/srv/texts/data/train.jsonl", "adversary:linear:../data/train.csv.gz", "hf-causal:./models/gpt",
            "hf-classifier:~/models/bert", "hf-causal:ai-forever/rugpt3", "openai:http://host:8000/v1#gpt", "majority",
        ]).values()
    ) == [
        "linear:train.jsonl", "adversary:linear:train.csv.gz", "hf-causal:gpt",
        "hf-classifier:bert", "hf-causal:ai-forever/rugpt3", "openai:http://host:8000/v1#gpt", "majority",
    ]  # fmt: skip
