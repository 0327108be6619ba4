"""Tasks whose answers are written: how long an answer may be depends on whether there are demonstrations.

Part of a release made by augment-ru. lm-evaluation-harness loads this module by its path.
"""

from collections.abc import Mapping
from typing import Any


def __getattr__(name: str) -> Any:  # noqa: ANN401  (a class of the harness, which is imported only where it runs)
    if name != "WrittenAnswers":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from lm_eval.api.task import ConfigurableTask  # noqa: PLC0415

    class WrittenAnswers(ConfigurableTask):  # type: ignore[misc, no-any-unimported, unused-ignore]
        """A task of written answers: with demonstrations an answer may be longer (TAPE, section 5.2).

        `metadata.max_gen_toks` holds both limits; one that the user gives with `--gen_kwargs` is taken instead.
        """

        def __init__(self, config: Mapping[str, Any]) -> None:
            super().__init__(config={key: value for key, value in config.items() if key != "class"})

        def construct_requests(self, doc: Mapping[str, Any], ctx: str, **kwargs: Any) -> Any:  # noqa: ANN401
            cold, warm = self.config.metadata["max_gen_toks"]
            given = self.config.generation_kwargs
            if self.config.num_fewshot and given.get("max_gen_toks") == cold:
                given["max_gen_toks"] = warm
            return super().construct_requests(doc, ctx, **kwargs)

    return WrittenAnswers
