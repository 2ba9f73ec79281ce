"""Reasons why cells differ from the published numbers (config/differences.yaml)."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from coassoc.errors import check_known
from coassoc.storage.configuration import Model, NonEmptyList, read_model

_DIFFERENCES = "config/differences.yaml"
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


def load_differences(
    folder: Path, studies: Iterable[str], published: Iterable[Mapping[str, str]]
) -> list[dict[str, Any]]:
    """Read the reasons why published cells differ or cannot be compared, and check the cells.

    An entry with a name that no published number has raises a ConfigError.
    """
    differences: list[Difference] = read_model(
        folder / "differences.yaml", NonEmptyList[Difference]
    )
    numbers = list(published)
    for place, entry in enumerate(differences, start=1):
        check_known(_DIFFERENCES, f"entry {place}, paper", [entry.paper], studies)
        of_paper = [printed for printed in numbers if printed["paper"] == entry.paper]
        for key in ("table", "dataset", "method", "metric"):
            published_names = sorted({printed[key] for printed in of_paper})
            names = getattr(entry, f"{key}s") or []
            check_known(_DIFFERENCES, f"entry {place}, {key}s", names, published_names)
    keys: dict[str, Any] = {"mode": "json", "by_alias": True, "exclude_unset": True}
    return [entry.model_dump(**keys) for entry in differences]
