"""Compare how words sound and where their stress is with the speech synthesiser espeak-ng.

    python scripts/sound.py [--words 5000] [--differences 20]

It needs the program `espeak-ng` (GPL, run beside; the package uses nothing of it). Words are drawn from the 60,000 most
frequent ones of `language.frequency`, by a fixed seed. Printed is the share of the words that `language.sound`
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
_SPELT = {"tʃʲ": "ч", "tʃ": "ч", "ts": "ц", "ː": "", "ˌ": "", '"': "", "^": "'", "ʲ": "'"}
_SIGNS = dict(zip("ʌɑaæɪiyuʊʉoɵɛeəɐpbtdkɡgfvszʃʒxmnɭlrjɕʑɣ", "ааааииыууоооээаапбтдкггфвсзшжхмнллрйщзг", strict=False))


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


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=5000)
    parser.add_argument("--differences", type=int, default=0, help="how many differing words are printed")
    options = parser.parse_args()
    counts = word_counts()
    spelt = [word for word in counts if re.fullmatch("[а-яё]{2,}", word) and any(map(word.count, VOWELS))]
    frequent = sorted(spelt, key=lambda word: -counts[word])[:_FREQUENT]
    words = random.Random(35).sample(frequent, options.words)
    command = ["espeak-ng", "-v", "ru", "-q", "--ipa"]
    lines = subprocess.run(command, input="\n".join(words), text=True, capture_output=True, check=True).stdout
    told = [heard(line.strip()) for line in lines.strip("\n").split("\n")]
    found, different = np.zeros((len(words), 3), dtype=np.bool_), []
    for at, (word, (said, stress)) in enumerate(zip(words, told, strict=True)):
        vowels, yo = (np.array([letter in marked for letter in word]) for marked in (VOWELS, "ё"))
        estimated = int(np.argmin(unstressed([word], np.zeros(len(word), dtype=np.int64), vowels, yo)[vowels]))
        right = 0 if vowels.sum() == 1 else stress
        ours = [alike(transcription(word, place)) for place in (right, estimated)]
        found[at] = [*(one == alike(said) for one in ours), right == estimated]
        if not found[at, 0]:
            different.append(f"{word}: espeak-ng {alike(said)}, here {ours[0]}")
    shares = found.mean(axis=0)
    print(
        f"{len(words)} words: told the stress {shares[0]:.3f}, estimated {shares[1]:.3f}, same stress {shares[2]:.3f}"
    )
    print("\n".join(different[: options.differences]))


if __name__ == "__main__":
    main()
