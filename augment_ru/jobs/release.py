"""The work of `augment-ru release`: build a release, or check one."""

from functools import partial
from pathlib import Path

from augment_ru.jobs.flags import checking
from augment_ru.jobs.progress import print_problems, progress, say
from augment_ru.release.build import ReleaseBuild
from augment_ru.release.verify import unchecked, verify_release


def make_release(
    recipe: str, *, output: str, workers: int | None, resume: bool, device: str | None, quiet: bool
) -> None:
    """Build the release of a recipe.

    Args:
        recipe: the recipe file.
        output: the folder to create.
        workers: how many processes build it; None for one.
        resume: whether to continue a build that was killed.
        device: where networks run; None for auto.
        quiet: whether no progress and no messages are shown.

    Raises:
        AugmentError: the recipe, a file that it names, or a row is wrong.
    """
    with checking():
        prepared = ReleaseBuild(Path(recipe), Path(output), workers or 1, resume, device or "auto")
    with progress("release", "shards", quiet=quiet) as advance:
        report = prepared.run(lambda count, total: advance(count, total=total))
    say(str(report), quiet=quiet)
    say(report.prompts, quiet=quiet)
    say(f"wrote {output}", quiet=quiet)


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
