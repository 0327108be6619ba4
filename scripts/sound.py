"""Compare how words sound and where their stress is with the speech synthesiser espeak-ng.

    python scripts/sound.py [--words 5000] [--differences 20]

It needs the program `espeak-ng` (GPL, run beside; nothing of it is used by the package). Words are drawn from the 60,000
most frequent ones of `language.frequency`, by a fixed seed. Printed is the share of the words that `language.sound`
says as espeak-ng does: if it is told the stress of espeak-ng, and with the stress that `misspell` estimates; then the
share in which the two have the same stress. Softness before another consonant is not compared. espeak-ng says «я»
without stress as «а», which counts as a difference: by Аванесов it is «и».
"""

import argparse
import random
import re
import subprocess

import numpy as np

from augment_ru.attacks.misspell.letter_rules import unstressed
from augment_ru.language.frequency import word_counts
from augment_ru.language.sound import VOWELS, transcription

_FREQUENT = 60_000
_SPELT = {"tʃʲ": "ч", "tʃ": "ч", "ts": "ц", "ː": "", "ˌ": "", "ʲ": "'"}
_SIGNS = dict(
    zip("ʌɑaæɪiyuʊʉoɵɛeəɐpbtdkɡgfvszʃʒxmnɭlrjɕʑɣ", "ааааииыууоооээаапбтдкггфвсзшжхмнллрйщзг", strict=False)
)


def heard(ipa: str) -> tuple[str, int]:
    """Return what espeak-ng says in the letters of `language.sound`, and which vowel is stressed."""
    for old, new in _SPELT.items():
        ipa = ipa.replace(old, new)
    before, mark, _ = ipa.partition("ˈ")
    said = "".join(_SIGNS.get(sign, sign) for sign in ipa if sign != "ˈ")
    stress = sum(_SIGNS.get(sign, "") in {*"аиыуоэ"} for sign in before) if mark else -1
    return said, stress


def alike(said: str) -> str:
    """Return sounds without what is not compared: softness before consonants, doubles, marks after «ч», «щ», «й»."""
    said = re.sub("([щйч])'", r"\1", said).replace("''", "'")
    said = re.sub("щ(?=[тч]')", "с", said)
    return re.sub(r"(.)\1", r"\1", re.sub("([бвгдзклмнпрстфх])'(?=[бвгджзклмнпрстфхцчшщ])", r"\1", said))
