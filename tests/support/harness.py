"""lm-evaluation-harness without what it asks of the machine by processes, which costs more than it evaluates."""

from typing import Any
from unittest.mock import patch


def simple_evaluate(*models: object, **options: Any) -> Any:  # noqa: ANN401
    """What the function of this name in `lm_eval` finds, without the versions of all that is installed."""
    from lm_eval import evaluator  # noqa: PLC0415  (it loads much)

    with patch.object(evaluator, "add_env_info"), patch.object(evaluator, "get_git_commit_hash", return_value="none"):
        return evaluator.simple_evaluate(*models, **options)
