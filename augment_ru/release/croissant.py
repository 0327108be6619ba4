"""Write the Croissant metadata of a release (MLCommons, version 1.1).

The metadata describe the files with their digests, and the columns of the rows. The fields for responsible AI
(Croissant RAI 1.0, PROV-O) hold what the release knows of itself, and what its recipe states in `[statements]`.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from augment_ru.release.hard import splits_in

CROISSANT = "croissant.json"


_TYPES = {"text": "sc:Text", "integer": "sc:Integer", "number": "sc:Float", "truth value": "sc:Boolean"}


_USES = (
    "Evaluation of robustness: compare a model's answers on the original rows and on the same rows under each attack. "
    "Rows made against a model show how bad that model can be made; they are no sample of what people write."
)
_GATE = "It measures similarity; it does not measure whether the right answer is still right."
COLUMN_TYPES = (*_TYPES, "other")
"""The names of types, such as integer, that `column_types` returns for the columns of rows."""


def column_types(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the type of each column of a row, by column name: text, integer, number, truth value, or other.

    Args:
        row: the row: maps the names of columns to values.
    """
    kinds: dict[type, str] = {str: "text", bool: "truth value", int: "integer", float: "number"}
    return {name: kinds.get(type(value), "other") for name, value in row.items()}


def croissant(content: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the metadata of a release in the format Croissant, as JSON.

    Args:
        content: the manifest.
        files: maps the path of each file of rows to its entry in the manifest, which has its digest and size.
    """
    recipe = content["recipe"]
    paths = [
        ((task["name"], split, task["columns"]), f"{task['name']}/{split}.jsonl")
        for task in content["tasks"]
        for split in splits_in(task)
    ]
    found = {
        "@context": json.loads(Path(__file__).with_name("croissant_context.json").read_text(encoding="utf-8")),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": recipe["name"],
        "description": recipe["description"].strip() or recipe["title"],
        "license": list(dict.fromkeys([recipe["licence"], *(task["licence"] for task in content["tasks"])])),
        "inLanguage": list(dict.fromkeys(task["language"] for task in content["tasks"])),
        "keywords": list(recipe["tags"]),
        "version": "1.0.0",
        "url": recipe["homepage"],
        "creator": [{"@type": "sc:Person", "name": name} for name in recipe["authors"]],
        **_responsible(content),
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": path,
                "name": path,
                "contentUrl": path,
                "encodingFormat": "application/jsonlines",
                "sha256": files[path]["sha256"],
                "contentSize": f"{files[path]['bytes']} B",
            }
            for _, path in paths
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": f"{name}_{split}",
                "name": f"{name}_{split}",
                "field": [  # lists and objects are not described
                    _field(f"{name}_{split}", path, column, _TYPES[kind])
                    for column, kind in columns.items()
                    if kind in _TYPES
                ],
            }
            for (name, split, columns), path in paths
        ],
    }
    given = {key: value for key, value in found.items() if value not in ("", [])}
    return json.dumps(given, ensure_ascii=False, indent=1) + "\n"


def _field(records: str, path: str, column: str, kind: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{records}/{column}",
        "name": column,
        "dataType": kind,
        "source": {"fileObject": {"@id": path}, "extract": {"column": column}},
    }


def _responsible(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields for responsible AI. Those that only the owner knows are empty if the recipe lacks them."""
    recipe, tasks = content["recipe"], content["tasks"]
    stated = recipe.get("statements", {})
    rows = {key: sum(one[key] for one in content["attacks"]) for key in ("rows", "perturbed")}
    gate = content["scorer"]
    limits = [
        f"{rows['perturbed']:,} of {rows['rows']:,} rows of attacks differ from their originals. "
        + ("No gate was used." if gate == "none" else f"Each passed the gate {gate}. {_GATE}"),
        *([_judged(content["judged"])] if content.get("judged") else ["Nobody has judged the rows of this release."]),
        "Other attacks, dictionaries or seeds give other figures.",
    ]
    protected = list(dict.fromkeys(name for task in tasks for name in task["constraints"]))
    biases = [
        f"{attack['name']}: {attack['unchanged'] + attack['rejected']:,} of {attack['rows']:,} rows keep their text"
        for attack in content["attacks"]
    ]
    biases += [f"No edit touches what these constraints protect: {', '.join(protected)}."] if protected else []
    return {
        "datePublished": stated.get("date_published", ""),
        "citeAs": stated.get("cite_as", ""),
        "rai:dataLimitations": limits + _stated(stated, "limitations"),
        "rai:dataBiases": biases + _stated(stated, "biases"),
        "rai:personalSensitiveInformation": _stated(stated, "sensitive_information"),
        "rai:dataUseCases": [_USES, *_stated(stated, "use_cases")],
        "rai:dataSocialImpact": _stated(stated, "social_impact"),
        "rai:hasSyntheticData": True,
        "prov:wasDerivedFrom": [
            {
                "@type": "prov:Entity",
                "@id": f"urn:sha256:{one['sha256']}",
                "prov:label": f"{one['file']} ({one['task']}, {one['split']}, {one['rows']} rows)",
            }
            for one in content["inputs"]
        ],
        "prov:wasGeneratedBy": {
            "@type": "prov:Activity",
            "prov:label": f"augment-ru {content['environment']['augment_ru']}, seed {recipe['seed']}: "
            + ", ".join(f"{one['name']} ({one['spec']})" for one in content["attacks"])
            + "".join(f", {one['name']} (search against {one['model']})" for one in content.get("models", ())),
        },
    }


def _judged(judged: Mapping[str, Any]) -> str:
    share = "none" if judged["share"] is None else f"{judged['share']:.1f} %"
    return f"People judged {judged['judged']} rows; {share} are valid."


def _stated(stated: Mapping[str, str], key: str) -> list[str]:
    return [stated[key]] if stated.get(key) else []
