"""Write JSON schemas of the configuration and its catalogues, with which editors complete keys.

    make schemas

The schemas come from the models that read the files, and their descriptions from config/README.md.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from coassoc.bench.catalogue import MethodKeys
from coassoc.bench.datasets.batteries import Battery
from coassoc.bench.datasets.registry import DatasetKeys
from coassoc.bench.pools.settings import PoolEntry
from coassoc.bench.storage.configuration import ItemName
from reproduction.findings.claims.catalogue import ClaimKeys
from reproduction.findings.inputs import Difference
from reproduction.study.configuration import Configuration

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "config/schemas"
#: Kind of file → the model that reads it. A configuration may lack keys, which have defaults.
MODELS: dict[str, Any] = {
    "config": Configuration,
    "datasets": dict[ItemName, DatasetKeys],  # type: ignore[valid-type]
    "batteries": dict[ItemName, Battery],  # type: ignore[valid-type]
    "pools": dict[ItemName, PoolEntry],  # type: ignore[valid-type]
    "methods": dict[ItemName, MethodKeys],  # type: ignore[valid-type]
    "differences": list[Difference],
    "claims": dict[ItemName, ClaimKeys],  # type: ignore[valid-type]
}
#: Keys of pydantic for numbers that may be integers or not, and the standard ones.
_STANDARD = {"gt": "exclusiveMinimum", "ge": "minimum", "lt": "exclusiveMaximum", "le": "maximum"}


def schema(kind: str) -> dict[str, Any]:
    """The JSON schema of a kind of file."""
    made: dict[str, Any] = TypeAdapter(MODELS[kind]).json_schema()
    inner = made.get("$defs", {})
    for name, model in {"": made, **inner}.items():
        if kind == "config" and name != "Edit":
            model.pop("required", None)
    if "DataSource" in inner:  # the keys of a single file or source may be at the outer level
        inner["DataSource"]["required"] = []
        for outer, within in (("DataSource", "SourceFile"), ("DatasetKeys", "DataSource")):
            of_inner = inner.get(within, {}).get("properties", {})
            if outer in inner:
                inner[outer]["properties"] = of_inner | inner[outer]["properties"]
    if "DatasetKeys" in inner:
        inner["DatasetKeys"]["properties"]["class_sizes"]["anyOf"].append({"type": "integer"})
    if "MatlabPool" in inner:
        inner["MatlabPool"]["required"] = []
        inner["MatlabPool"]["properties"] |= inner["SourceFile"]["properties"]
    _standardise(made, _descriptions(kind))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": kind, **made}


def _standardise(node: Any, descriptions: dict[str, str]) -> None:
    """Rename keys to the standard's, and replace titles of keys by their descriptions."""
    for value in node if isinstance(node, list) else node.values():
        if isinstance(value, (dict, list)):
            _standardise(value, descriptions)
    if isinstance(node, dict):
        for name, standard in _STANDARD.items():
            if isinstance(node.get(name), (int, float)):
                node[standard] = node.pop(name)
        for name, value in node.get("properties", {}).items():
            value.pop("title", None)
            if name in descriptions:
                value["description"] = descriptions[name]


def _descriptions(kind: str) -> dict[str, str]:
    """The meaning of each key in the page's tables on a kind of file."""
    page = (ROOT / "config/README.md").read_text(encoding="utf-8")
    section = re.split(rf"^## {kind}\.yaml", page, flags=re.M)[-1].split("\n## ")[0]
    meanings: dict[str, str] = {}
    for keys, text in re.findall(r"^\| (`[^|]*`) \| ([^|]*)", section, re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).replace("`", "").strip()
        meanings |= dict.fromkeys(re.findall("`([^`]*)`", keys), plain)
    return meanings


def text_of(kind: str) -> str:
    """The text of the file of a schema."""
    return json.dumps(schema(kind), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for kind in MODELS:
        (FOLDER / f"{kind}.json").write_text(text_of(kind), encoding="utf-8")
