"""MERA's own scorer on a submission: `python mera_scorer.py REPOSITORY` in a folder with the files named below.

Its code is run as it is, from the archive that is sent in to the figures: files, errors, types, scores, totals. What is
replaced is what it imports or downloads: `omegaconf`, the two functions of transformers 4 that transformers 5 has no
more, and the datasets with their private answers; and three calls of `float` get numbers, since NumPy no longer makes
them of arrays.
"""

import importlib
import json
import pickle
import re
import string
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

GOLDS, JUDGES, SENT, FOUND = "golds.json", "judges.json", "submission.zip", "found.json"
"""Rows with right answers by task, in lower case; folders of ruDetox' models; the submission; what the scorer says."""


def words_of(text: str) -> list[str]:
    """SQuAD's normal form: lower case, without the ASCII punctuation, without articles."""
    kept = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", kept).split()


def token_f1(gold: str, answer: str) -> float:
    first, second = words_of(gold), words_of(answer)
    if not first or not second:
        return float(first == second)
    same = sum((Counter(first) & Counter(second)).values())
    return 2 * same / (len(first) + len(second))


def exact(gold: str, answer: str) -> int:
    return int(words_of(gold) == words_of(answer))


def squad_modules() -> dict[str, Any]:
    """Return what stands for the modules of transformers 4 by their names."""
    held, above = ModuleType("squad_metrics"), ModuleType("metrics")
    vars(held).update(compute_f1=token_f1, compute_exact=exact)
    vars(above).update(squad_metrics=held)
    return {"transformers.data.metrics": above, "transformers.data.metrics.squad_metrics": held}


def _settings(path: str) -> Any:  # noqa: ANN401  (what a YAML file holds)
    yaml: Any = importlib.import_module("yaml")

    class Settings(SimpleNamespace):
        def __getitem__(self, name: str) -> Any:  # noqa: ANN401
            return getattr(self, name)

    text = json.dumps(yaml.safe_load(Path(path).read_text("utf-8")))
    return json.loads(text, object_hook=lambda held: Settings(**held))


def main(repository: Path) -> None:
    """Score the submission of this folder, and write what the scorer answers."""
    import datasets  # noqa: PLC0415

    scoring = repository / "modules/scoring"
    configs = Path("configs")
    configs.mkdir()
    for path in (scoring / "configs").iterdir():
        (configs / path.name).write_bytes(path.read_bytes())
    lines = [f"{key}: {value}" for key, value in json.loads(Path(JUDGES).read_text("utf-8")).items()]
    lines += ["extension: .json", "split: test", "use_in_total: false", "device: cpu", "calibrations_ru_path: ru.pkl"]
    (configs / "rudetox.yaml").write_text("\n".join(lines), "utf-8")

    golds = json.loads(Path(GOLDS).read_text("utf-8"))
    omegaconf = ModuleType("omegaconf")
    omegaconf.OmegaConf = SimpleNamespace(load=_settings)  # type: ignore[attr-defined]
    sys.modules |= {"omegaconf": omegaconf, **squad_modules()}
    datasets.load_dataset = lambda path, name: {"test": golds.get(name, [])}  # noqa: ARG005
    sys.path.insert(0, str(scoring))
    worker = importlib.import_module("src.worker").Worker(conf="configs/main.yaml")
    calibrator = importlib.import_module("src.tasks.rudetox").get_calibrator()
    Path("ru.pkl").write_bytes(pickle.dumps(calibrator))
    errors, judging = worker.load(), worker.tasks["ruDetox"]
    for kind in ("style", "meaning", "fluency"):
        setattr(judging, f"{kind}_calibration", lambda scores: calibrator.predict(scores[:, None]).item())
    found = {"loading": errors, **worker.evaluate(local_path=SENT, remove_local_file=False)}
    Path(FOUND).write_text(json.dumps(found, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
