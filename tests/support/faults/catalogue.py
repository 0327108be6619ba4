"""All fuzzers, by name; `kills-ray` where Ray is installed."""

from importlib.util import find_spec

from faults.caches import Caches
from faults.commands_of_files import Commands
from faults.files import Files
from faults.fuzzer import Fuzzer
from faults.kills import Kills, KillsOnRay
from faults.models import Models, Servers
from faults.perturbing import OfOthers, Perturbations
from faults.published import Manifests, Tampering
from faults.toml import Recipes, Rules

_RAY = find_spec("ray")
_ALL: list[type[Fuzzer]] = [
    *(Perturbations, OfOthers, Files, Commands, Manifests, Tampering, Recipes, Rules, Caches, Models, Servers, Kills)
]
if _RAY is not None and _RAY.origin is not None:  # a folder of this name is no package
    _ALL.append(KillsOnRay)

FUZZERS = {one.name: one for one in _ALL}
