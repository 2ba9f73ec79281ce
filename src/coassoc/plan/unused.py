"""Settings of a configuration that nothing makes use of: as a rule something else was meant.

Everything is compared with all that the papers' files have, and not with what is made: the
embedded default and the files on top of it may well speak of targets that are not made today.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from coassoc.errors import ConfigError
from coassoc.metrics import METRICS
from coassoc.plan.artefacts import RANKING
from coassoc.plan.catalogues import Catalogues
from coassoc.plan.grids import can_race, tuned_over
from coassoc.plan.papers import Entry
from coassoc.plan.wanted_ranking import ranked_rows

__all__ = ["check_used"]

_Row = Mapping[str, Any]


def check_used(config: Mapping[str, Any], catalogues: Catalogues) -> None:
    """Raise a ConfigError for a setting without any effect.

    Parameters
    ----------
    config : mapping
        The configuration; all that it names exists.
    catalogues : Catalogues
    """
    _Use(config, catalogues).check()


class _Use:
    def __init__(self, config: Mapping[str, Any], catalogues: Catalogues) -> None:
        self._config = config
        self._catalogues = catalogues
        self._override: Mapping[str, Any] = config.get("override") or {}
        self._entries = [each for paper in catalogues.papers.values() for each in paper.entries]
        self._ranked = ranked_rows(config, catalogues)

    def check(self) -> None:
        self._check_grids()
        self._check_pools()
        self._check_methods("override", self._override, self._entries)
        for target, own in (self._override.get("targets") or {}).items():
            self._check_own(f"override.targets.{target}", own, self._entries_of(target))
        for listed in ("not_run", "shortened"):
            for number, cells in enumerate(self._config.get(listed) or []):
                self._check_cells(f"{listed}.{number}", cells)
        for number, cells in enumerate(self._config.get("shortened") or []):
            self._check_repeats(f"shortened.{number}", cells)
            self._check_race(f"shortened.{number}", cells)
            self._check_points(f"shortened.{number}", cells)

    def _entries_of(self, target: str) -> list[Entry]:
        """Those of a paper, or the one that has the target."""
        return [each for each in self._entries if target in (each.paper.name, each.target)]

    # -- what takes the place of the papers' choices ----------------------------------------------

    def _check_grids(self) -> None:
        tuned = set(self._tuned())
        shown = {name for entry in self._entries for name in entry.over}
        for key, used in (("grid", tuned | shown), ("tune", tuned)):
            for name in self._override.get(key) or {}:
                if name not in used:
                    what = "tuned or shown" if key == "grid" else "tuned"
                    raise ConfigError(
                        f"config: override.{key} has {name!r}, over which no row is {what}."
                    )

    def _tuned(self) -> Iterator[str]:
        """Parameters over which any row is tuned."""
        for paper in self._catalogues.papers.values():
            for row in paper.rows.values():
                yield from self._tuned_row(row)
        for entry in self._entries:
            for variant in entry.spec.get("variants", []):
                for key in entry.rows:
                    yield from self._tuned_row({**entry.paper.rows[key], **variant})
        for row in self._ranked.values():
            yield from self._tuned_row(row)

    def _tuned_row(self, row: _Row) -> list[str]:
        if "method" not in row or "tune" not in row:
            return []
        method = self._catalogues.methods[row["method"]]
        return tuned_over(method, row["tune"], row.get("parameters", {}))

    def _check_pools(self) -> None:
        """Pools can be replaced that a row or a variant names itself."""
        rows = [row for paper in self._catalogues.papers.values() for row in paper.rows.values()]
        rows += [each for entry in self._entries for each in entry.spec.get("variants", [])]
        named = {row["pool"] for row in rows if "pool" in row}
        for name in self._override.get("pools") or {}:
            if name not in named:
                raise ConfigError(
                    f"config: override.pools has {name!r}, which no row or variant names; "
                    "override.pool takes the place of all others."
                )

    def _check_own(self, key: str, own: Mapping[str, Any], entries: list[Entry]) -> None:
        self._check_methods(key, own, entries)
        if own.get("sizes") and all(each.kind != "ensemble_size" for each in entries):
            raise ConfigError(f"config: {key} has 'sizes', which is for figures of ensemble sizes.")

    def _check_methods(self, key: str, own: Mapping[str, Any], entries: list[Entry]) -> None:
        shown = {row.get("method") for entry in entries for row in _rows(entry)}
        for name in own.get("methods") or []:
            if name not in shown:
                raise ConfigError(f"config: {key}.methods has {name!r}, of which no row is there.")

    # -- cells ------------------------------------------------------------------------------------

    def _check_cells(self, key: str, cells: Mapping[str, Any]) -> None:
        """Of rows and targets that are named together, none is named in vain."""
        rows, targets = cells.get("rows", []), cells.get("targets", [])
        if not rows or not targets:
            return
        shown = {target: self._shown(target) for target in targets}
        for target, there in shown.items():
            if there.isdisjoint(rows):
                raise ConfigError(
                    f"config: {key} has the target {target!r}, which shows none of its rows."
                )
        for row in rows:
            if all(row not in there for there in shown.values()):
                raise ConfigError(
                    f"config: {key} has the row {row!r}, which none of its targets shows."
                )

    def _shown(self, target: str) -> set[str]:
        """Keys of the rows of a target."""
        if target == RANKING:
            return {*self._ranked}
        return {key for each in self._entries_of(target) for key in (*each.rows, *each.swept)}

    def _check_repeats(self, key: str, cells: Mapping[str, Any]) -> None:
        """Fewer fits need rows that are fitted."""
        for name in cells["rows"]:
            if all("method" not in row for row in self._named(cells, name)):
                raise ConfigError(
                    f"config: {key}.rows has {name!r}, which is no row of a method in its targets."
                )

    def _check_race(self, key: str, cells: Mapping[str, Any]) -> None:
        """Rows that are to race are tuned, by a score that each repeat has by itself."""
        for name in cells["rows"] if cells.get("race") else []:
            if not any(can_race(row.get("tune", {})) for row in self._named(cells, name)):
                raise ConfigError(
                    f"config: {key}.race names the row {name!r}, which is not tuned there by one "
                    f"of {', '.join(METRICS)}."
                )

    def _check_points(self, key: str, cells: Mapping[str, Any]) -> None:
        """Fewer points of a grid need targets whose rows are tuned over it."""
        for name, parameter in itertools.product(cells["rows"], cells.get("grid", {})):
            if all(parameter not in self._tuned_row(row) for row in self._named(cells, name)):
                raise ConfigError(
                    f"config: {key}.grid has {parameter!r}, over which none of its targets tunes "
                    f"the row {name!r}."
                )

    def _named(self, cells: Mapping[str, Any], name: str) -> list[_Row]:
        """What is a row's name in the targets of some cells; in all where they name none."""
        entries = self._entries
        if "targets" in cells:
            entries = [each for target in cells["targets"] for each in self._entries_of(target)]
        found = [each.paper.rows[name] for each in entries if name in (*each.rows, *each.swept)]
        if RANKING in cells.get("targets", [RANKING]) and name in self._ranked:
            found.append(self._ranked[name])
        return found


def _rows(entry: Entry) -> Iterable[_Row]:
    """Rows of an entry, and what its variants make of them."""
    yield from (entry.paper.rows[key] for key in (*entry.rows, *entry.swept))
    yield from entry.spec.get("variants", [])
