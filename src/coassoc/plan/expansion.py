"""From the entry of a table, figure or audit in a paper's file to its cells and their runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from coassoc.errors import ConfigError
from coassoc.plan.artefacts import Artefact, Cell
from coassoc.plan.catalogues import Catalogues
from coassoc.plan.choices import Choices, Shorter, sentence_on_missing, sentence_on_points
from coassoc.plan.grids import blocks, can_race, size, tuned_over
from coassoc.plan.keys import RunKey, shuffled_pool
from coassoc.plan.methods import MethodEntry, check_parameters
from coassoc.plan.papers import Entry, varied

__all__ = ["expand"]

Row = Mapping[str, Any]


def expand(entry: Entry, catalogues: Catalogues, choices: Choices) -> Artefact | None:
    """What an entry shows under a configuration; None where nothing of it is left.

    Raises
    ------
    ConfigError
        If a parameter that is varied has no grid, or a grid of the configuration a bad value.
    """
    return _Expansion(entry, catalogues, choices).artefact()


class _Expansion:
    def __init__(self, entry: Entry, catalogues: Catalogues, choices: Choices) -> None:
        self._entry = entry
        self._paper = entry.paper
        self._spec = entry.spec
        self._catalogues = catalogues
        self._choices = choices

    def artefact(self) -> Artefact | None:
        cells = tuple(
            replace(cell, not_run=self._choices.reason(self._entry, cell)) for cell in self._cells()
        )
        spec = dict(self._spec)
        if self._entry.section != "tables":
            # A table has a place for the reason; the others show what there is.
            spec["caption"] = spec["caption"].strip() + sentence_on_missing(cells)
            cells = tuple(cell for cell in cells if not cell.not_run)
        spec["caption"] = spec["caption"].strip() + sentence_on_points(cells)
        here = ", ".join(dict.fromkeys(cell.dataset for cell in cells))
        spec["title"] = spec["title"].replace("{datasets}", here)
        spec["metrics"] = {name: self._paper.metrics[name] for name in self._entry.metrics}
        if self._entry.kind == "ensemble_size":
            spec["own"] = [self._paper.label(row) for row in self._paper.own]
        if "mean" in spec:
            spec["mean"] = self._datasets(self._paper.datasets[self._spec["mean"]])
        entry = self._entry
        return Artefact(self._paper, entry.section, entry.name, spec, cells) if cells else None

    # -- which cells ----------------------------------------------------------------------------

    def _cells(self) -> Iterator[Cell]:
        rows = self._rows()
        for dataset in self._datasets(self._entry.datasets):
            pool = self._pool(dataset)
            yield from self._swept(pool, dataset)
            for m in self._sizes():
                x = m if self._entry.kind == "ensemble_size" else None
                if not self._entry.rows and "swept" not in self._spec:  # the pool alone is shown
                    yield Cell(self._entry.name, self._entry.name, dataset, pool, m)
                for key, row in rows:
                    yield self._cell(row, Cell(key, row.get("label", key), dataset, pool, m, x))

    def _rows(self) -> list[tuple[str, Row]]:
        """Rows that the configuration keeps, with their entries; each variant where there are."""
        rows: list[tuple[str, Row]] = []
        for key in self._entry.rows:
            row = self._paper.rows[key]
            if "method" in row and not self._choices.keeps(self._entry, row["method"]):
                continue
            for variant in self._variants():
                rows.append((key, {**varied(row, variant), "variant": variant.get("label", "")}))
        return rows

    def _variants(self) -> list[Row]:
        """What each row is shown in: variants, percentages of shuffled samples, or just itself."""
        if "shuffled" in self._spec:
            return [{"shuffled": percent} for percent in self._spec["shuffled"]]
        return list(self._spec.get("variants", [{}]))

    def _datasets(self, named: list[str]) -> list[str]:
        """Some data sets of the entry, or those that the configuration puts in their place."""
        instead = self._choices.instead(self._entry, "datasets")
        if not instead:
            return named
        if self._entry.kind == "protocol":  # other data sets have no published numbers
            return [dataset for dataset in named if dataset in instead]
        # A table of one data set gets one data set, tables of different ones different ones.
        known = list(dict.fromkeys(itertools.chain.from_iterable(self._paper.datasets.values())))
        first = known.index(named[0]) if named[0] in known else 0
        rotated = [instead[(first + i) % len(instead)] for i in range(len(instead))]
        return sorted(rotated[: len(named)], key=instead.index)

    def _sizes(self) -> list[int]:
        """Ensemble sizes."""
        if "sizes" in self._spec:
            return list(self._choices.instead(self._entry, "sizes") or self._spec["sizes"])
        return [self._spec.get("m", self._paper.m)]

    def _pool(self, dataset: str) -> str:
        """The pool of a data set: the configuration's, the entry's, or the paper's."""
        usual = self._spec.get("pool") or self._paper.pools.get(dataset, self._paper.pool)
        own = self._spec.get("pools", {}).get(dataset, usual)
        return str(self._choices.instead(self._entry, "pool") or own)

    # -- which runs -----------------------------------------------------------------------------

    def _cell(self, row: Row, cell: Cell) -> Cell:
        """The cell of a row, from where it stands."""
        if "pool" in row:
            cell = replace(cell, pool=self._choices.pool(row["pool"]))
        cell = replace(cell, variant=row["variant"].format(pool=cell.pool))
        cell = replace(cell, m=row.get("m", cell.m), columns=row.get("metrics", {}))
        if row.get("samples") == "shuffled":
            cell = replace(cell, pool=shuffled_pool(cell.pool, 100))
        if "shuffled" in row:
            percent = row["shuffled"]
            cell = replace(cell, pool=shuffled_pool(cell.pool, percent), x=percent)
        reference = row.get("base") or row.get("control")
        if reference:
            return replace(cell, reference=reference)
        if "among" in row:
            return replace(cell, runs=self._shared_run(row, cell), point=dict(row["parameters"]))
        score = row.get("tune", {}).get("score")
        return replace(cell, runs=self._own_runs(row, cell), tune=score)

    def _own_runs(self, row: Row, cell: Cell) -> tuple[RunKey, ...]:
        """The run of a row, or those over whose grid it is tuned.

        A part of a grid is no excuse to fall behind the method's default: the default is a point of
        it, in a run of its own where the part lacks it.
        """
        method, tune = self._catalogues.methods[row["method"]], row.get("tune", {})
        fixed = row.get("parameters", {})
        shorter = self._shorter(cell)
        race = tune.get("score") if can_race(tune) and (shorter.race or tune.get("race")) else None
        over = tuned_over(method, tune, fixed) if tune else []
        whole = self._grids(method, over, tuned=True)
        grids = self._fewer_points(shorter, whole, cell)
        points = None if grids == whole else (size(grids), size(whole))
        run = _run(cell, method, race=race, repeats=shorter.repeats, points=points)
        varied = blocks(method, fixed, grids, together=bool(race)).values()
        runs = [run.at(values) for values in varied]
        if points and not all(method.parameters[name].default in grids[name] for name in over):
            (values,) = blocks(method, fixed, {}).values()
            runs.append(_run(cell, method, repeats=shorter.repeats).at(values))
        return tuple(runs)

    def _shorter(self, cell: Cell) -> Shorter:
        """How the cell is made with fewer fits; of measured times and looks nothing is saved."""
        if self._spec.get("timed") or self._entry.kind in ("scaling", "n_clusters"):
            return Shorter()
        return self._choices.shorter(self._entry, cell)

    def _fewer_points(
        self, shorter: Shorter, whole: dict[str, list[Any]], cell: Cell
    ) -> dict[str, list[Any]]:
        """The part of a grid that a cell is tuned over."""
        part = {}
        for name, values in whole.items():
            kept = shorter.grid.get(name, values)
            strange = [str(value) for value in kept if value not in values]
            if strange:
                raise ConfigError(
                    f"config: shortened.grid.{name} has {', '.join(strange)}, which is not in the "
                    f"grid of {cell.row} in {self._entry.target}; allowed are "
                    f"{', '.join(map(str, values))}."
                )
            part[name] = [value for value in values if value in kept]
        return part

    def _shared_run(self, row: Row, cell: Cell) -> tuple[RunKey, ...]:
        """The run that a row shares with the rows for other values of a parameter."""
        method = self._catalogues.methods[row["method"]]
        single = {name: (value,) for name, value in row["parameters"].items()}
        together = {name: tuple(values) for name, values in row["among"].items()}
        run = _run(cell, method, repeats=self._shorter(cell).repeats)
        return (run.at(single | together),)

    def _swept(self, pool: str, dataset: str) -> Iterator[Cell]:
        """Cells of a figure's curves or surfaces, one for each point of the grid."""
        over = self._entry.over
        for key in self._entry.swept:
            row, label = self._paper.rows[key], self._paper.label(key)
            method = self._catalogues.methods[row["method"]]
            grids = self._grids(method, over, tuned=False)
            varied = blocks(method, row.get("parameters", {}), grids)
            across = len(next(iter(varied)))
            m = self._spec.get("m", self._paper.m)
            for values in itertools.product(*grids.values()):
                x = values[0] if len(values) == 1 else list(values)
                cell = Cell(key, label, dataset, pool, m, x)
                run = _run(cell, method, repeats=self._shorter(cell).repeats)
                point = dict(zip(over, values, strict=True))
                yield replace(cell, runs=(run.at(varied[values[:across]]),), point=point)

    def _grids(self, method: MethodEntry, over: list[str], *, tuned: bool) -> dict[str, list[Any]]:
        """Values of some parameters: the configuration's, or those of the method's paper."""
        grids = {}
        for name in over:
            values = self._choices.grid(name, tuned) or method.parameters[name].grid
            if not values:
                raise ConfigError(
                    f"{self._paper.source}: {self._entry.target} varies {name} of {method.name}, "
                    "which has no grid; give one by override.grid of the configuration."
                )
            for value in values:
                check_parameters("config", method, {name: value})
            grids[name] = list(values)
        return grids


def _run(cell: Cell, method: MethodEntry, **changes: Any) -> RunKey:
    """The run of a cell at the defaults of its method."""
    place = RunKey.from_path(cell.pool, cell.dataset, cell.m, method.name, "default")
    return replace(place, **changes)
