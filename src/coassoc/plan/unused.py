"""Settings of a configuration that nothing uses; they are usually typos.

Settings are compared with everything in the papers' files, not with what is made: the default
configuration and those on top of it may well speak of targets that are not made today.
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
    for sentence in _Use(config, catalogues).unused():
        raise ConfigError(f"config: {sentence}.")


class _Use:
    """What a configuration's settings could be of use for."""

    def __init__(self, config: Mapping[str, Any], catalogues: Catalogues) -> None:
        self._config = config
        self._catalogues = catalogues
        self._override: Mapping[str, Any] = config.get("override") or {}
        self._entries = [each for paper in catalogues.papers.values() for each in paper.entries]
        self._ranked = ranked_rows(config, catalogues)

    def unused(self) -> Iterator[str]:
        """A sentence on each setting without effect."""
        yield from self._grids()
        yield from self._pools()
        yield from self._methods("override", self._override, self._entries)
        for target, own in (self._override.get("targets") or {}).items():
            key, entries = f"override.targets.{target}", self._entries_of(target)
            yield from self._methods(key, own, entries)
            if own.get("sizes") and all(each.kind != "ensemble_size" for each in entries):
                yield f"{key} has 'sizes', which is for figures of ensemble sizes"
        for listed in ("not_run", "shortened"):
            for number, cells in enumerate(self._config.get(listed) or []):
                yield from self._cells(f"{listed}.{number}", cells)
        for number, cells in enumerate(self._config.get("shortened") or []):
            yield from self._shortened(f"shortened.{number}", cells)

    def _entries_of(self, target: str) -> list[Entry]:
        """Those of a paper, or the one that has the target."""
        return [each for each in self._entries if target in (each.paper.name, each.target)]

    # -- what takes the place of the papers' choices ----------------------------------------------

    def _grids(self) -> Iterator[str]:
        rows = itertools.chain(
            *(paper.rows.values() for paper in self._catalogues.papers.values()),
            *map(_rows, self._entries),
            self._ranked.values(),
        )
        tuned = {name for row in rows for name in self._tuned_row(row)}
        shown = {name for entry in self._entries for name in entry.over}
        for key, used, what in (
            ("grid", tuned | shown, "tuned or shown"),
            ("tune", tuned, "tuned"),
        ):
            for name in self._override.get(key) or {}:
                if name not in used:
                    yield f"override.{key} has {name!r}, over which no row is {what}"

    def _tuned_row(self, row: _Row) -> list[str]:
        if "method" not in row or "tune" not in row:
            return []
        method = self._catalogues.methods[row["method"]]
        return tuned_over(method, row["tune"], row.get("parameters", {}))

    def _pools(self) -> Iterator[str]:
        """Pools can be replaced that a row or a variant names itself."""
        rows = [row for paper in self._catalogues.papers.values() for row in paper.rows.values()]
        rows += [each for entry in self._entries for each in entry.spec.get("variants", [])]
        for name in self._override.get("pools") or {}:
            if all(row.get("pool") != name for row in rows):
                yield (
                    f"override.pools has {name!r}, which no row or variant names; override.pool "
                    "takes the place of all others"
                )

    def _methods(self, key: str, own: Mapping[str, Any], entries: Iterable[Entry]) -> Iterator[str]:
        shown = {row.get("method") for entry in entries for row in _rows(entry)}
        for name in own.get("methods") or []:
            if name not in shown:
                yield f"{key}.methods has {name!r}, of which there is no row"

    # -- cells ------------------------------------------------------------------------------------

    def _cells(self, key: str, cells: Mapping[str, Any]) -> Iterator[str]:
        """Of rows and targets that are named together, none is named in vain."""
        rows = cells.get("rows", [])
        shown = {target: self._shown(target) for target in cells.get("targets", [])}
        if not rows or not shown:
            return
        for target, there in shown.items():
            if there.isdisjoint(rows):
                yield f"{key} has the target {target!r}, which shows none of its rows"
        for row in rows:
            if not any(row in there for there in shown.values()):
                yield f"{key} has the row {row!r}, which none of its targets shows"

    def _shown(self, target: str) -> set[str]:
        """Keys of the rows of a target."""
        if target == RANKING:
            return {*self._ranked}
        return {key for each in self._entries_of(target) for key in (*each.rows, *each.swept)}

    def _shortened(self, key: str, cells: Mapping[str, Any]) -> Iterator[str]:
        """Fewer fits need rows that are fitted, races and grids rows that are tuned."""
        for name in cells["rows"]:
            rows = self._rows_called(name, cells)
            if all("method" not in row for row in rows):
                yield f"{key}.rows has {name!r}, which is no row of a method in its targets"
            if "race" in cells and not any(can_race(row.get("tune", {})) for row in rows):
                yield (
                    f"{key}.race names the row {name!r}, which is not tuned there by one of "
                    f"{', '.join(METRICS)}"
                )
            for parameter in cells.get("grid", {}):
                if all(parameter not in self._tuned_row(row) for row in rows):
                    yield (
                        f"{key}.grid has {parameter!r}, over which none of its targets tunes the "
                        f"row {name!r}"
                    )

    def _rows_called(self, name: str, cells: Mapping[str, Any]) -> list[_Row]:
        """The rows of a name in the targets of some cells; in all where they name none."""
        entries = self._entries
        if "targets" in cells:
            entries = [each for target in cells["targets"] for each in self._entries_of(target)]
        rows = [each.paper.rows[name] for each in entries if name in (*each.rows, *each.swept)]
        if RANKING in cells.get("targets", [RANKING]) and name in self._ranked:
            rows.append(self._ranked[name])
        return rows


def _rows(entry: Entry) -> Iterator[_Row]:
    """Rows of an entry, as they are and in each of its variants."""
    for key in (*entry.rows, *entry.swept):
        row = entry.paper.rows[key]
        yield row
        yield from ({**row, **variant} for variant in entry.spec.get("variants", []))
