"""The version of the package."""

from functools import cache

__version__ = "0.1.0"


@cache
def version_of(package: str) -> str:
    """Return the version of an installed package."""
    from importlib.metadata import version  # noqa: PLC0415  (imports take time)

    return version(package)
