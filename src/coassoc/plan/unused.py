"""Settings of a configuration without effect; they are usually typos.

Settings are compared with everything in the studies' files, not with what is made: the default
configuration and those on top of it may name targets that are not made now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from coassoc.errors import ConfigError
from coassoc.metrics import METRICS
from coassoc.plan.catalogues import Catalogues
from coassoc.plan.expansion import can_race, tuned_over
from coassoc.plan.ranked import RANKING, ranked_rows
from coassoc.plan.studies import varied


class Shown(NamedTuple):
    """A row of a target, as it is or in a variant."""

    targets: set[str]
    kind: str
    key: str
    row: Mapping[str, Any]
    swept: list[str]
    tuned: list[str]


def check_used(config: Mapping[str, Any], shown: Iterable[Shown]) -> None:
    """Raise a ConfigError for a setting without any effect; all that it names exists."""
    shown = list(shown)
    for sentence in (*_of_override(config.get("override") or {}, shown), *_of_cells(config, shown)):
        raise ConfigError(f"config: {sentence}.")


def names_with_effect(shown: Iterable[Shown]) -> dict[str, list[str]]:
    """Parameters whose grids, and pools of single rows, that a configuration may replace."""
    tuned = {name for each in shown for name in each.tuned}
    swept = {name for each in shown for name in each.swept}
    pools = {each.row["pool"] for each in shown if "pool" in each.row}
    return {"grids": sorted(tuned | swept), "tuned": sorted(tuned), "pools of rows": sorted(pools)}


def shown_rows(config: Mapping[str, Any], catalogues: Catalogues) -> Iterator[Shown]:
    """All rows of the studies and the ranking, wherever they are shown."""

    def tuned(row: Mapping[str, Any]) -> list[str]:
        if row.get("method") not in catalogues.methods or "tune" not in row:
            return []
        method = catalogues.methods[row["method"]]
        return tuned_over(method, row["tune"], row.get("parameters", {}))

    for study in catalogues.studies.values():
        for target in study.targets:
            names = {study.name, target.name}
            for key in (*target.rows, *target.swept):
                for variant in ({}, *target.spec.get("variants", [])):
                    row = varied(study.rows[key], variant)
                    yield Shown(names, target.kind, key, row, target.over, tuned(row))
    for key, row in ranked_rows(config, catalogues).items():
        yield Shown({RANKING}, RANKING, key, row, [], tuned(row))


def _of_override(override: Mapping[str, Any], shown: Iterable[Shown]) -> Iterator[str]:
    of_studies = [each for each in shown if each.kind != RANKING]
    for target, own in {"": override, **(override.get("targets") or {})}.items():
        key = f"override.targets.{target}" if target else "override"
        here = [each for each in of_studies if not target or target in each.targets]
        for name in own.get("methods") or []:
            if all(each.row.get("method") != name for each in here):
                yield f"{key}.methods has {name!r}, of which there is no row"
        if own.get("sizes") and all(each.kind != "ensemble_size" for each in here):
            yield f"{key} has 'sizes', which is for figures of ensemble sizes"


def _of_cells(config: Mapping[str, Any], shown: Iterable[Shown]) -> Iterator[str]:
    """Rows and targets that are named together must meet."""
    for listed in ("not_run", "shortened"):
        for number, cells in enumerate(config.get(listed) or []):
            key, rows = f"{listed}.{number}", cells.get("rows", [])
            targets = cells.get("targets", [])
            here = [each for each in shown if not targets or each.targets & {*targets}]
            for target in targets if rows else []:
                if not any(target in each.targets and each.key in rows for each in here):
                    yield f"{key} has the target {target!r}, which shows none of its rows"
            for row in rows:
                called = [each for each in here if each.key == row]
                if targets and not called:
                    yield f"{key} has the row {row!r}, which none of its targets shows"
                if listed == "shortened":
                    yield from _shortened(key, cells, row, called)


def _shortened(
    key: str, cells: Mapping[str, Any], row: str, called: Iterable[Shown]
) -> Iterator[str]:
    """Only rows of methods have fits to save, and only tuned ones races and grids."""
    if all("method" not in each.row for each in called):
        yield f"{key}.rows has {row!r}, which is no row of a method in its targets"
    if "race" in cells and not any(can_race(each.row.get("tune", {})) for each in called):
        scores = ", ".join(METRICS)
        yield f"{key}.race names the row {row!r}, which is not tuned there by one of {scores}"
    for name in cells.get("grid", {}):
        if all(name not in each.tuned for each in called):
            yield (f"{key}.grid has {name!r}, over which none of its targets tunes the row {row!r}")
