"""The work of `augment-ru release`: build a release, or check one."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from augment_ru.jobs.messages import checking, print_problems, progress, say
from augment_ru.jobs.rows import check_device
from augment_ru.release.build import ReleaseBuild
from augment_ru.release.verify import unchecked, verify_release


def make_release(given: Mapping[str, Any]) -> None:
    """Build the release of a recipe.

    Args:
        given: the values of the options of `release build`, by parameter name.

    Raises:
        AugmentError: the recipe, a file that it names, or a row is wrong.
    """
    output, quiet = given["output"], given["quiet"]
    with checking():
        recipe, workers, device = Path(given["recipe"]), given["workers"] or 1, given["device"] or "auto"
        prepared = ReleaseBuild(recipe, Path(output), workers, device, resume=given["resume"])
        check_device(device, used=prepared.tools.models)
    with progress("release", "shards", quiet=quiet) as advance:
        report = prepared.run(lambda count, total: advance(count, total=total))
    for line in (str(report), report.prompts, f"wrote {output}"):
        say(line, quiet=quiet)


def check_release(folder: str, *, rebuild: int, expect: str | None) -> None:
    """Check a release. Print each problem; if there are none, print what was not checked.

    Args:
        folder: the folder of the release.
        rebuild: how many original rows of each task are perturbed again for comparison.
        expect: the digest of the manifest as it was published; None if it is not known.

    Raises:
        AugmentError: problems were found, or the folder is not a release.
    """
    place = Path(folder)
    print_problems(verify_release(place, rebuild=rebuild, expect=expect), f"{folder}: ", partial(unchecked, place))
