"""The catalogues: what their schemas allow, and what config/README.md says of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from coassoc.storage.configuration import load_yaml

CONFIG = Path(__file__).parents[2] / "config"


def keys_of(schema) -> set[str]:
    """Names of all properties in a schema, at any depth."""
    if isinstance(schema, list):
        return set().union(*map(keys_of, schema))
    if not isinstance(schema, dict):
        return set()
    return set(schema.get("properties", {})).union(*map(keys_of, schema.values()))


@pytest.mark.parametrize(
    ("schema", "heading"),
    [
        ("config", "config.yaml"),
        ("datasets", "datasets.yaml"),
        ("pools", "pools.yaml"),
        ("methods", "methods.yaml"),
        ("paper", "papers/*.yaml"),
    ],
)
def test_the_readme_documents_every_key_and_no_other(schema, heading):
    text = (CONFIG / "README.md").read_text()
    section = text.split(f"## {heading} — ")[1].split("\n## ")[0]
    section = re.sub("```.*?```", "", section, flags=re.DOTALL)
    keys = keys_of(load_yaml(CONFIG / "schemas" / f"{schema}.yaml"))
    documented = {
        word
        for quoted in re.findall("`([^`]+)`", section)
        for word in re.findall("[A-Za-z_0-9]+", quoted)
    }
    assert keys and keys <= documented, sorted(keys - documented)
    # The first cell of a line of a table names keys, in the list of kinds the second does.
    first = {
        name.split(".")[-1]
        for line in section.splitlines()
        if line.startswith("| `")
        for name in re.findall("`([^`]+)`", line.split("|")[1])
    }
    kinds = {"reliability", "sensitivity", "surface", "convergence", "matrices", "before_after"}
    kinds |= {"embedding", "ensemble_size", "base_quality", "comparison", "protocol"}
    kinds |= {"significance", "scaling", "n_clusters", "order", "transform"}
    assert first - kinds <= keys, sorted(first - kinds - keys)
