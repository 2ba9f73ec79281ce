"""Reasons why cells differ from the published numbers (config/differences.yaml)."""

from pathlib import Path
from typing import Any

from coassoc.bench.storage.configuration import Model, NonEmptyList, read_model

_Names = NonEmptyList[str]


class Difference(Model):
    """A reason why cells differ from the published numbers, or cannot be compared."""

    paper: str
    because: str
    shown_by: str
    tables: _Names | None = None
    datasets: _Names | None = None
    methods: _Names | None = None
    metrics: _Names | None = None
    not_comparable: bool = False


def load_differences(folder: Path) -> list[dict[str, Any]]:
    """Read the reasons why published cells differ or cannot be compared."""
    differences = read_model(folder / "differences.yaml", NonEmptyList[Difference])
    keys: dict[str, Any] = {"mode": "json", "by_alias": True, "exclude_unset": True}
    return [entry.model_dump(**keys) for entry in differences]
