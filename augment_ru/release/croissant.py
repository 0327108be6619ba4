"""Write the Croissant metadata of a release (MLCommons, version 1.0): its files with digests, and its columns."""

import json
from collections.abc import Mapping
from typing import Any

CROISSANT = "croissant.json"


def _croissant(names: str) -> dict[str, str]:
    return {name: f"cr:{name}" for name in names.split()}


_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **_croissant("citeAs column"),
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    **_croissant("equivalentProperty"),
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **_croissant("extract field fileProperty fileObject fileSet format includes isLiveDataset jsonPath key md5"),
    **_croissant("parentField path recordSet references regex repeated replace samplingRate"),
    "sc": "https://schema.org/",
    **_croissant("separator source subField transform"),
}
_TYPES = {"text": "sc:Text", "integer": "sc:Integer", "number": "sc:Float", "truth value": "sc:Boolean"}


COLUMN_TYPES = (*_TYPES, "other")
"""The types that `column_types` returns."""


def column_types(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the type of each column of a row, by column name: text, integer, number, truth value, or other."""
    kinds: dict[type, str] = {str: "text", bool: "truth value", int: "integer", float: "number"}
    return {name: kinds.get(type(value), "other") for name, value in row.items()}


def croissant(content: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the Croissant metadata as JSON.

    Args:
        content: the manifest.
        files: maps the path of each file of rows to its entry in the manifest, which has its digest and size.
    """
    recipe = content["recipe"]
    paths = [
        ((task["name"], split, task["columns"]), f"{task['name']}/{split}.jsonl")
        for task in content["tasks"]
        for split in ("train", "test")
        if task[split]
    ]
    found = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": recipe["name"],
        "description": recipe["description"].strip() or recipe["title"],
        "license": list(dict.fromkeys([recipe["licence"], *(task["licence"] for task in content["tasks"])])),
        "inLanguage": list(dict.fromkeys(task["language"] for task in content["tasks"])),
        "keywords": list(recipe["tags"]),
        "version": "1.0.0",
        "url": recipe["homepage"],
        "creator": [{"@type": "sc:Person", "name": name} for name in recipe["authors"]],
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
    given = {key: value for key, value in found.items() if value or key not in ("url", "creator")}
    return json.dumps(given, ensure_ascii=False, indent=1) + "\n"


def _field(records: str, path: str, column: str, kind: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{records}/{column}",
        "name": column,
        "dataType": kind,
        "source": {"fileObject": {"@id": path}, "extract": {"column": column}},
    }
