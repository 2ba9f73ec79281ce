"""What the papers claim, and why cells differ: config/claims.yaml and config/differences.yaml."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from coassoc.errors import ConfigError
from coassoc.plan.papers import Entry, Paper
from coassoc.storage.configuration import check_known, validated_yaml

__all__ = ["CHECKS", "Check", "artefacts_of", "load_claims", "load_differences"]


class Check(NamedTuple):
    """A kind of check.

    Attributes
    ----------
    on_curves : bool
        Whether it looks at curves, which are in figures.
    """

    on_curves: bool = False


#: Kinds of checks by their keys in config/claims.yaml, which are also the names of their functions
#: in :mod:`coassoc.results.claims.checks`.
CHECKS = {
    "above": Check(),
    "significant": Check(),
    "gain": Check(),
    "small": Check(),
    "peak": Check(on_curves=True),
    "curve_above": Check(on_curves=True),
    "rising": Check(on_curves=True),
    "stable": Check(on_curves=True),
}

_CLAIMS, _DIFFERENCES = "config/claims.yaml", "config/differences.yaml"


def load_claims(folder: Path, papers: Mapping[str, Paper]) -> dict[str, dict[str, Any]]:
    """Read the claims, and check that all they name exists.

    Parameters
    ----------
    folder : path
        The folder of the configuration.
    papers : mapping
        The papers by their names.

    Raises
    ------
    ConfigError
        If a claim is neither judged by exactly one check nor says why it is not, or names a paper,
        table, figure, row, metric or data set that there is not.
    """
    claims: dict[str, dict[str, Any]] = validated_yaml(
        folder / "claims.yaml", folder / "schemas" / "claims.yaml"
    )
    for name, claim in claims.items():
        check_known(_CLAIMS, f"{name}.paper", [claim["paper"]], papers)
        _check_one_way(name, claim)
        for place, judged in ((name, claim), (f"{name}.depends", claim.get("depends", {}))):
            for kind in CHECKS:
                if kind in judged:
                    entries = _judged_by(kind, papers[claim["paper"]])
                    _check_names(f"{place}.{kind}", judged[kind], entries)
    return claims


def _check_one_way(name: str, claim: Mapping[str, Any]) -> None:
    ways = [key for key in (*CHECKS, "cannot", "tested_by") if key in claim]
    if len(ways) != 1:
        raise ConfigError(
            f"{_CLAIMS}: {name} has {' and '.join(ways) or 'no check'}; a claim has exactly one of "
            f"{', '.join(CHECKS)}, cannot and tested_by."
        )
    if ways[0] in CHECKS and "needs" not in claim:
        raise ConfigError(f"{_CLAIMS}: {name} lacks the key 'needs': all, most or a number.")
    if "depends" in claim and len([key for key in CHECKS if key in claim["depends"]]) != 1:
        raise ConfigError(f"{_CLAIMS}: {name}.depends must have exactly one check beside 'what'.")


def _judged_by(kind: str, paper: Paper) -> dict[str, Entry]:
    """Target → the entries of a paper that have what a kind of check looks at."""
    return {
        entry.target: entry
        for entry in paper.entries
        if not CHECKS[kind].on_curves or entry.section == "figures"
    }


def _check_names(place: str, spec: Mapping[str, Any], entries: Mapping[str, Entry]) -> None:
    """Raise for a target, row, metric or data set that there is not."""
    check_known(_CLAIMS, f"{place}.in", spec["in"], entries)
    shown = {row for target in spec["in"] for row in _rows(entries[target])}
    named = [*spec.get("rows", []), *spec.get("but", [])]
    named += [spec["row"]] if "row" in spec else []
    over = spec.get("over", [])
    named += [over] if isinstance(over, str) and over != "others" else []
    named += over if isinstance(over, list) else []
    check_known(_CLAIMS, f"{place} on {', '.join(spec['in'])}", named, sorted(shown))
    named_entries = [entries[target] for target in spec["in"]]
    datasets = {dataset for entry in named_entries for dataset in entry.datasets}
    metrics = {metric for entry in named_entries for metric in entry.metrics}
    by = spec["by"] if isinstance(spec.get("by"), dict) else []
    check_known(_CLAIMS, f"{place}.datasets", spec.get("datasets", []), sorted(datasets))
    check_known(_CLAIMS, f"{place}.metrics", [*spec.get("metrics", []), *by], sorted(metrics))


def _rows(entry: Entry) -> list[str]:
    """The rows, curves and baselines of a table or figure."""
    return [row for key in ("rows", "swept", "baselines") for row in entry.spec.get(key, [])]


def artefacts_of(claims: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Targets whose numbers the claims are judged by, without repetition."""
    specs = [
        judged[kind]
        for claim in claims.values()
        for judged in (claim, claim.get("depends", {}))
        for kind in CHECKS
        if kind in judged
    ]
    return list(dict.fromkeys(target for spec in specs for target in spec["in"]))


def load_differences(
    folder: Path, papers: Mapping[str, Paper], published: Iterable[Mapping[str, str]]
) -> list[dict[str, Any]]:
    """Read why published cells differ or cannot be compared, and check that there are such cells.

    Parameters
    ----------
    folder : path
        The folder of the configuration.
    papers : mapping
        The papers by their names.
    published : iterable of mapping
        The published numbers, with this project's names of the data sets.

    Raises
    ------
    ConfigError
        If an entry names a paper, table, data set, method or metric that no published number has.
    """
    differences: list[dict[str, Any]] = validated_yaml(
        folder / "differences.yaml", folder / "schemas" / "differences.yaml"
    )
    numbers = list(published)
    for place, entry in enumerate(differences, start=1):
        check_known(_DIFFERENCES, f"entry {place}, paper", [entry["paper"]], papers)
        own = [each for each in numbers if each["paper"] == entry["paper"]]
        for key in ("table", "dataset", "method", "metric"):
            known = sorted({each[key] for each in own})
            check_known(_DIFFERENCES, f"entry {place}, {key}s", entry.get(f"{key}s", []), known)
    return differences
