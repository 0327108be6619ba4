"""Croissant metadata of a release (MLCommons, version 1.0): its files with their digests, the columns of its rows."""

import json
from collections.abc import Mapping
from typing import Any

CROISSANT = "croissant.json"

_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_TYPES = {"text": "sc:Text", "integer": "sc:Integer", "number": "sc:Float", "truth value": "sc:Boolean"}


def column_types(row: Mapping[str, Any]) -> dict[str, str]:
    """The columns of a row with the type of each: text, integer, number, truth value, or other."""
    kinds: dict[type, str] = {str: "text", bool: "truth value", int: "integer", float: "number"}
    return {name: kinds.get(type(value), "other") for name, value in row.items()}


def croissant(content: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> str:
    """The metadata as JSON.

    Args:
        content: the manifest.
        files: the digest of each file of rows, by path.
    """
    recipe = content["recipe"]
    paths = {
        (task["name"], split): f"{task['name']}/{split}.jsonl"
        for task in content["tasks"]
        for split in ("train", "test")
        if task[split]
    }
    found = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": recipe["name"],
        "description": recipe["description"].strip() or recipe["title"],
        "license": list(dict.fromkeys([recipe["licence"], *(task["licence"] for task in content["tasks"])])),
        "inLanguage": recipe["language"],
        "keywords": list(recipe["tags"]),
        "version": "1.0.0",
        **({"url": recipe["homepage"]} if recipe["homepage"] else {}),
        **(
            {"creator": [{"@type": "sc:Person", "name": name} for name in recipe["authors"]]}
            if recipe["authors"]
            else {}
        ),
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
            for path in paths.values()
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": f"{name}_{split}",
                "name": f"{name}_{split}",
                "field": [_field(f"{name}_{split}", path, column, kind) for column, kind in _columns(content, name)],
            }
            for (name, split), path in paths.items()
        ],
    }
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def _columns(content: Mapping[str, Any], name: str) -> list[tuple[str, str]]:
    """The columns with values of one type; lists and objects are not described."""
    task = next(one for one in content["tasks"] if one["name"] == name)
    return [(column, _TYPES[kind]) for column, kind in task["columns"].items() if kind in _TYPES]


def _field(records: str, path: str, column: str, kind: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{records}/{column}",
        "name": column,
        "dataType": kind,
        "source": {"fileObject": {"@id": path}, "extract": {"column": column}},
    }
