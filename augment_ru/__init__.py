"""Perturb Russian texts as people and adversaries do, and keep what carries the task and the meaning.

The public names are listed in `__init__.pyi`; each is loaded from its module when it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
