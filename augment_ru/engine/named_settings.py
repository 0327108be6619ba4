"""Arguments of `Augmenter` from a preset or from a recipe."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from augment_ru.engine.attack import Attack
from augment_ru.engine.presets import AttackChoice, GateChoice, preset, run_of
from augment_ru.engine.recipe import option_values, read_recipe
from augment_ru.errors import AugmentError
from augment_ru.own_code import chain_names

_SEARCH = ("threshold", "schedule", "candidates", "min_changes")


def preset_settings(name: str, attack: str | Attack, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of an augmenter with the defaults of a preset.

    Raises:
        AugmentError: there is no such preset, or a name is unknown.
    """
    defaults = preset(name)
    similarity = settings.get("similarity", defaults.similarity)
    choices = [AttackChoice(attack)] if isinstance(attack, str) else []
    gate = GateChoice(similarity if isinstance(similarity, str) else "none")
    run = run_of(defaults, choices, gate, may_import=True)
    return {
        "attack": run.perturbers[0].attack if choices else attack,
        "constraints": defaults.constraints,
        "schedule": defaults.schedule,
        **settings,
        "similarity": run.similarity if isinstance(similarity, str) else similarity,
    }


def recipe_settings(path: Path, attack: str | None) -> dict[str, Any]:
    """The arguments of an augmenter with the settings of a recipe of `perturb`.

    Raises:
        AugmentError: the recipe is invalid, or it is not clear which of its attacks is meant.
    """
    given = read_recipe(path)
    attacks = given.get("attacks", ())
    if attack is None and len(attacks) == 1:
        (attack,) = attacks
    if attack is None or attack not in attacks:
        known = ", ".join(attacks) or "none"
        said = f"has {len(attacks)} attacks" if attack is None else f"has no attack '{attack}'"
        raise AugmentError(f"{path.name}: {said}; name one with attack=…: {known}")
    defaults = preset(given.get("preset", "offline"))
    similarity = given.get("similarity", defaults.similarity)
    parts = chain_names(attack)
    everything = {part for one in attacks for part in chain_names(one)} | {similarity.partition(":")[0]}
    options = option_values(given.get("options", ()), everything)
    run = run_of(
        defaults,
        [AttackChoice(attack, {part: options.get(part, {}) for part in parts}, given.get("probability"))],
        GateChoice(
            similarity,
            options.get(similarity.partition(":")[0], {}),
            {key: given[key] for key in _SEARCH if key in given},
        ),
        seed=given.get("seed"),
        device=given.get("device"),
    )
    (made,) = run.perturbers
    constraints = () if given.get("no_constraints") else given.get("constraints") or defaults.constraints
    return {
        "attack": made.attack, "constraints": constraints, "similarity": run.similarity, "threshold": made.threshold,
        "schedule": made.schedule, "seed": made.seed, "candidates": made.candidates, "min_changes": made.min_changes,
        "annotator": given.get("annotator", "natasha"),
    }  # fmt: skip
