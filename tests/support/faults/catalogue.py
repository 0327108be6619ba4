"""All fuzzers, by name."""

from faults.fuzzer import Fuzzer
from faults.kills import Kills
from faults.models import Models, Servers
from faults.perturbing import OfOthers, Perturbations
from faults.reading import Caches, Files, Manifests, Recipes, Rules, Tampering

FUZZERS: dict[str, type[Fuzzer]] = {
    one.name: one
    for one in (
        *(Perturbations, OfOthers, Files, Manifests, Tampering, Recipes, Rules, Caches, Models, Servers, Kills),
    )
}
