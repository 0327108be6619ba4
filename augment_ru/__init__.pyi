from .adversary.adversary import Adversary as Adversary
from .constraints.rule_file import Constraint as Constraint
from .draws import Rng as Rng, Streams as Streams
from .edits import Change as Change, Edit as Edit, Note as Note, Span as Span
from .script import Script as Script
from .editing.characters import Substitutions as Substitutions, substitute_characters as substitute_characters
from .engine.attack import Attack as Attack
from .engine.augmenter import Augmenter as Augmenter
from .engine.composition import Chain as Chain, OneOf as OneOf, SomeOf as SomeOf
from .engine.proposals import Proposals as Proposals, Replacements as Replacements
from .engine.perturber import Perturber as Perturber
from .engine.prepare import Preparation as Preparation
from .engine.result import Result as Result
from .engine.similarity import (
    Candidates as Candidates,
    PlainFunction as PlainFunction,
    References as References,
    Scorer as Scorer,
    Similarity as Similarity,
)
from .normalizers._normalization import Normalization as Normalization
from .normalizers._normalizer import Normalizer as Normalizer
from .release.build import build_release as build_release
from .release.verify import verify_release as verify_release
from .errors import AugmentError as AugmentError
from .evaluation.examples import Example as Example, Model as Model
from .evaluation.evaluation import Evaluation as Evaluation, evaluate as evaluate
from .evaluation.protocol import EvaluationSettings as EvaluationSettings
from .language.annotate import Annotator as Annotator
from .models._torch import TorchModel as TorchModel
from .records.record import Record as Record
from .records.task import Task as Task
from .resources import dictionary as dictionary
from .text.batch import Batch as Batch
from .text.doc import Doc as Doc, Token as Token
from .version import __version__ as __version__
