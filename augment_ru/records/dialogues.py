"""Give each question of a dialogue (as in the dataset ruTiE) what was said before it: questions with right answers.

This module needs the standard library alone: a release holds a copy of it for lm-evaluation-harness.
"""

import re
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

_PLACE = re.compile(r"\{([^{}\n]+)\}")


def with_contexts(
    rows: Sequence[Mapping[str, Any]],
    paths: ModuleType,
    *,
    id: str,  # noqa: A002  (as in the task)
    turn: str,
    context: str,
    **how: Any,  # noqa: ANN401  (those of `_turn`)
) -> list[Mapping[str, Any]]:
    """Write the earlier questions of its dialogue, with their right answers, into each row; return the new rows.

    Args:
        rows: the rows, each of which is a question; all original, or all perturbed by one attack.
        paths: the module `field_paths`, of this package or of a release.
        id: the path of the dialogue's id.
        turn: the path of the number of the question in its dialogue; a row without one stays as it is.
        context: the path of the field that gets the earlier questions and answers, such as `inputs.context`.
        how: how an earlier question is written, as `Task.turns` states it: `asked`, `answer`, `options`, `later`.
    """
    dialogues: dict[str, list[tuple[int, int]]] = {}
    for at, row in enumerate(rows):
        if isinstance(number := paths.value(row, turn), int):
            dialogues.setdefault(str(paths.value(row, id)).strip(), []).append((number, at))
    found = list(rows)
    for own in dialogues.values():
        said: dict[int, str] = {}
        for number, at in sorted(own):
            path = paths.path_of(rows[at], context)
            holder = paths.value(rows[at], paths.named(path[:-1])) if len(path) > 1 else rows[at]
            before = "\n".join(text for earlier, text in said.items() if earlier < number)
            found[at] = paths.with_value(rows[at], path[:-1], {**holder, path[-1]: before})
            said[number] = _turn(rows[at], paths, **how)
    return found


def _turn(
    row: Mapping[str, Any], paths: ModuleType, *, asked: Sequence[str], answer: str, options: Sequence[str], later: str
) -> str:
    """Return a question with its right answer.

    Args:
        row: the row.
        paths: the module `field_paths`.
        asked: the paths of the question, which is followed by the text of the right option, if there is one.
        answer: the path of the right answer, which is the number of an option, from 1.
        options: the paths of the options.
        later: the template of a question, which is followed by the right answer itself; "" for the form above.
    """
    label = str(paths.value(row, answer) or "").strip()
    if later:
        return f"{_PLACE.sub(lambda one: str(paths.value(row, one[1])), later)} {label}\n"
    texts = [str(paths.value(row, name)) for name in asked]
    if label.isascii() and label.isdigit() and 1 <= int(label) <= len(options):
        texts.append(str(paths.value(row, options[int(label) - 1])))
    return "\n".join(texts)
