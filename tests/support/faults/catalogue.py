"""All fuzzers, by name."""

from faults.caches import Caches
from faults.files import Files
from faults.fuzzer import Fuzzer
from faults.kills import Kills
from faults.models import Models, Servers
from faults.perturbing import OfOthers, Perturbations
from faults.published import Manifests, Tampering
from faults.toml import Recipes, Rules

FUZZERS: dict[str, type[Fuzzer]] = {
    one.name: one
    for one in (
        *(Perturbations, OfOthers, Files, Manifests, Tampering, Recipes, Rules, Caches, Models, Servers, Kills),
    )
}
