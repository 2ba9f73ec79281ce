"""From configuration to runs, tables and figures: what has to be computed, and under which names.

Pure: nothing is read or written here. The expansion is

    paper ─► artefact (a table or figure) ─► cells ─► runs

A *cell* is one method (a row of a table) on one data set at one ensemble size; its numbers come
from one or more *runs*. A run is (pool, data set, m, method, parameters); where one parameter has
several values the run covers them all, so a grid is a few jobs and not hundreds. A run's path says
what it is, so that tables and figures that need the same run share it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from coassoc.catalogues import Catalogues
from coassoc.configuration import check_known, check_parameters
from coassoc.errors import ConfigError

__all__ = ["Artefact", "Cell", "Experiments", "RunSpec", "parse_parameters", "parameters_name"]

#: End of the name of a pool whose samples are in random order.
SHUFFLED = "-shuffled"


# -- names of runs ------------------------------------------------------------------------------


def parameters_name(parameters: Mapping[str, Iterable[Any]]) -> str:
    """File name of a parameter block, for example ``alpha=0.8,lam=0.1+1``; "default" if empty."""
    parts = [
        f"{name}={'+'.join(_value_name(value) for value in values)}"
        for name, values in sorted(parameters.items())
    ]
    return ",".join(parts) or "default"


def _value_name(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.12g}" if isinstance(value, (int, float)) else str(value)


def parse_parameters(name: str, declared: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The points of a parameter block, from its file name; inverse of :func:`parameters_name`.

    Parameters
    ----------
    name : str
        File name.
    declared : mapping
        The method's parameters in config/methods.yaml, which give the types.

    Raises
    ------
    ConfigError
        If the name does not describe parameters of the method.
    """
    if name == "default":
        return [{}]
    names, values = [], []
    for part in name.split(","):
        parameter, equals, texts = part.partition("=")
        if not equals or parameter not in declared:
            raise ConfigError(
                f"Run {name!r}: {parameter!r} is not a parameter of the method; allowed are "
                f"{', '.join(declared)}."
            )
        names.append(parameter)
        kind = declared[parameter]["type"]
        values.append([_parse_value(name, parameter, kind, text) for text in texts.split("+")])
    return [dict(zip(names, point, strict=True)) for point in itertools.product(*values)]


def _parse_value(name: str, parameter: str, kind: str, text: str) -> Any:
    convert: dict[str, Any] = {
        "number": float,
        "integer": int,
        "string": str,
        "boolean": {"yes": True, "no": False}.__getitem__,
    }
    try:
        return convert[kind](text)
    except (ValueError, KeyError) as error:
        raise ConfigError(f"Run {name!r}: {parameter}={text} is not a {kind}.") from error


@dataclass(frozen=True)
class RunSpec:
    """One job: a method on all draws of m base clusterings, for a block of parameters."""

    pool: str
    dataset: str
    m: int
    method: str
    parameters: str

    @property
    def stem(self) -> str:
        """Path below ``results/runs`` and ``results/scores``, without ending."""
        return f"{self.pool}/{self.dataset}/m{self.m}/{self.method}/{self.parameters}"


@dataclass(frozen=True)
class Cell:
    """Numbers of one row on one data set at one ensemble size.

    Attributes
    ----------
    row : str
        Key of the row in the paper's file.
    label : str
        Name of the row in the table.
    dataset, pool, m : str, str, int
        Where it comes from.
    x : value or None
        Abscissa, in figures.
    runs : tuple of RunSpec
        The candidates; empty for rows about the base clusterings.
    base : str or None
        "mean" or "best" of the base clusterings in the pool.
    tune : str or None
        Score by which the best candidate is chosen; None where there is a single one.
    point : dict or None
        Only this point of the runs counts.
    not_run : str
        Why the configuration leaves the cell out; empty for cells that are made.
    """

    row: str
    label: str
    dataset: str
    pool: str
    m: int
    x: Any = None
    runs: tuple[RunSpec, ...] = ()
    base: str | None = None
    tune: str | None = None
    point: dict[str, Any] | None = None
    not_run: str = ""

    @property
    def sources(self) -> list[str]:
        """Stems of the score files that the cell needs."""
        if self.not_run:
            return []
        if self.base:
            return [f"{self.pool}/{self.dataset}/base"]
        return [run.stem for run in self.runs]

    def as_parameters(self) -> dict[str, Any]:
        """Plain form for a workflow's ``params``."""
        return {
            "row": self.row,
            "label": self.label,
            "dataset": self.dataset,
            "pool": self.pool,
            "m": self.m,
            "x": self.x,
            "base": self.base,
            "tune": self.tune,
            "point": self.point,
            "not_run": self.not_run,
            "sources": self.sources,
        }


@dataclass(frozen=True)
class Artefact:
    """A table or a figure of a paper."""

    paper: str
    name: str
    kind: str
    spec: dict[str, Any]
    cells: tuple[Cell, ...] = field(default=(), repr=False)

    @property
    def is_table(self) -> bool:
        """Whether it is a table."""
        return self.kind == "table"

    @property
    def target(self) -> str:
        """Name of its target, such as ``eccms_table4``."""
        return f"{self.paper}_{self.name}"

    @property
    def files(self) -> list[str]:
        """What it produces."""
        if self.is_table:
            return [
                f"results/tables/{self.paper}/{self.name}.{end}" for end in ("csv", "md", "tex")
            ]
        return [f"figures/{self.paper}/{self.name}.{end}" for end in ("pdf", "png")]

    @property
    def sources(self) -> list[str]:
        """Stems of all score files its cells need, without repetition."""
        return list(dict.fromkeys(stem for cell in self.cells for stem in cell.sources))


class Experiments:
    """Everything that a configuration asks for.

    Parameters
    ----------
    config : mapping
        The user's configuration, already valid against its schema.
    catalogues : Catalogues
        Methods, data sets, pools, papers and published numbers.

    Raises
    ------
    ConfigError
        If the configuration names something unknown, or a parameter out of range.
    """

    def __init__(self, config: Mapping[str, Any], catalogues: Catalogues) -> None:
        self.config = config
        self.catalogues = catalogues
        self.override: Mapping[str, Any] = config.get("override") or {}
        self._check_names()
        self.artefacts: dict[str, Artefact] = {}
        for paper in config["papers"]:
            for artefact in self._expand_paper(catalogues.papers[paper]):
                self.artefacts[artefact.target] = artefact

    # -- queries --------------------------------------------------------------------------------

    def artefact(self, paper: str, name: str) -> Artefact:
        """The table or figure `name` of `paper`."""
        return self.artefacts[f"{paper}_{name}"]

    def files(self, kind: str | None = None, paper: str | None = None) -> list[str]:
        """Files of all artefacts, of one paper or of one kind, such as "table" or "figure"."""
        return [
            path
            for artefact in self.artefacts.values()
            if paper in (None, artefact.paper)
            and (
                kind in (None, artefact.kind)
                or (kind == "figure" and not artefact.is_table)
                or kind == artefact.spec.get("group")
            )
            for path in artefact.files
        ]

    def points(self, method: str, parameters: str) -> list[dict[str, Any]]:
        """Parameter points of a run, from its file name."""
        return parse_parameters(parameters, self.catalogues.methods[method]["parameters"])

    def pools_used(self) -> list[tuple[str, str]]:
        """(pool, data set) pairs that the artefacts need."""
        pairs = ((cell.pool, cell.dataset) for a in self.artefacts.values() for cell in a.cells)
        return list(dict.fromkeys(pairs))

    def sizes(self, pool: str) -> list[int]:
        """All ensemble sizes for which a pool needs draws."""
        sizes = {c.m for a in self.artefacts.values() for c in a.cells if c.pool == pool}
        return sorted(sizes | set(self.catalogues.pools[pool].sizes))

    def published(self, artefact: Artefact) -> list[dict[str, str]]:
        """Published numbers of a table, with this project's names of the data sets."""
        table = artefact.spec.get("published", artefact.name)
        return [
            row
            for row in self.all_published()
            if row["paper"] == artefact.paper and row["table"] == table
        ]

    def all_published(self) -> list[dict[str, str]]:
        """Every published number, with this project's names of the data sets."""
        aliases = {name: p.get("aliases", {}) for name, p in self.catalogues.papers.items()}
        return [
            {**row, "dataset": aliases[row["paper"]].get(row["dataset"], row["dataset"])}
            for row in self.catalogues.published
        ]

    # -- expansion ------------------------------------------------------------------------------

    def _check_names(self) -> None:
        check_known("config", "papers", self.config["papers"], self.catalogues.papers)
        left_out = self.override.get("leave_out") or []
        check_known("config", "override.leave_out", left_out, self.catalogues.methods)
        overrides = {"override": self.override}
        for paper, own in (self.override.get("papers") or {}).items():
            check_known("config", "override.papers", [paper], self.catalogues.papers)
            overrides[f"override.papers.{paper}"] = own
        for key, override in overrides.items():
            datasets = override.get("datasets") or []
            check_known("config", f"{key}.datasets", datasets, self.catalogues.datasets)
            pools = [override["pool"]] if override.get("pool") else []
            check_known("config", f"{key}.pool", pools, self.catalogues.pools)
        self._check_not_run()

    def _check_not_run(self) -> None:
        papers = self.catalogues.papers
        known = {
            "papers": papers,
            "datasets": self.catalogues.datasets,
            "rows": {row for paper in papers.values() for row in paper["rows"]},
            "targets": {
                name
                for paper in papers.values()
                for kind in ("tables", "figures")
                for name in paper.get(kind, {})
            },
        }
        for entry in self.config.get("not_run") or []:
            for key, names in known.items():
                check_known("config", f"not_run.{key}", entry.get(key, []), sorted(names))

    def _expand_paper(self, paper: Mapping[str, Any]) -> Iterator[Artefact]:
        source = f"config/papers/{paper['paper']}.yaml"
        for kind in ("tables", "figures"):
            for name, spec in paper.get(kind, {}).items():
                single = [spec["metric"]] if "metric" in spec else []
                metrics = spec.get("metrics", single)
                check_known(source, f"{name}.metrics", metrics, paper["metrics"])
                expanded = {**spec, "metrics": {key: paper["metrics"][key] for key in metrics}}
                cells = self._leave_out(
                    paper["paper"], name, self._cells(source, paper, name, spec)
                )
                if kind == "figures":
                    # A table says why a number is missing; a figure shows what there is.
                    cells = tuple(cell for cell in cells if not cell.not_run)
                artefact_kind = "table" if kind == "tables" else spec["kind"]
                if cells:
                    yield Artefact(paper["paper"], name, artefact_kind, expanded, cells)

    def _leave_out(self, paper: str, name: str, cells: Iterable[Cell]) -> tuple[Cell, ...]:
        """The cells, with the reason in those that the key ``not_run`` names."""
        entries = [
            entry
            for entry in self.config.get("not_run") or []
            if paper in entry.get("papers", [paper]) and name in entry.get("targets", [name])
        ]

        def reason(cell: Cell) -> str:
            for entry in entries:
                if cell.dataset in entry.get("datasets", [cell.dataset]) and cell.row in entry.get(
                    "rows", [cell.row]
                ):
                    return str(entry["reason"])
            return ""

        return tuple(replace(cell, not_run=reason(cell)) for cell in cells)

    def _cells(
        self, source: str, paper: Mapping[str, Any], name: str, spec: Mapping[str, Any]
    ) -> Iterator[Cell]:
        rows = [*spec.get("rows", []), *spec.get("baselines", [])]
        check_known(source, f"{name}.rows", rows, paper["rows"])
        left_out = self.override.get("leave_out") or []
        rows = [row for row in rows if paper["rows"][row].get("method") not in left_out]
        kind = spec.get("kind", "table")
        for dataset in self._datasets(source, paper, name, spec):
            pool = self._pool(source, paper, spec, dataset)
            if "swept" in spec:
                yield from self._sweep(source, paper, spec, pool, dataset)
            for m in self._sizes(paper, spec):
                x = m if kind == "ensemble_size" else None
                for row in rows:
                    yield self._cell(source, row, paper["rows"][row], pool, dataset, m, x)
                if not rows and "swept" not in spec:
                    yield Cell(name, name, dataset, pool, m)

    def _datasets(
        self, source: str, paper: Mapping[str, Any], name: str, spec: Mapping[str, Any]
    ) -> list[str]:
        named = spec["datasets"]
        if isinstance(named, str):
            check_known(source, f"{name}.datasets", [named], paper["datasets"])
            named = paper["datasets"][named]
        check_known(source, f"{name}.datasets", named, self.catalogues.datasets)
        instead = self._override(paper["paper"], "datasets")
        if not instead:
            return list(named)
        # A table of one data set gets one data set, tables of different ones different ones.
        known = list(dict.fromkeys(itertools.chain.from_iterable(paper["datasets"].values())))
        first = known.index(named[0]) if named[0] in known else 0
        rotated = [instead[(first + i) % len(instead)] for i in range(len(instead))]
        return sorted(rotated[: len(named)], key=instead.index)

    def _sizes(self, paper: Mapping[str, Any], spec: Mapping[str, Any]) -> list[int]:
        if "sizes" in spec:
            return list(self._override(paper["paper"], "sizes") or spec["sizes"])
        return [spec.get("m", paper["m"])]

    def _pool(
        self, source: str, paper: Mapping[str, Any], spec: Mapping[str, Any], dataset: str
    ) -> str:
        """The pool of a data set: the configuration's, the artefact's, or the paper's."""
        usual = paper.get("pools", {}).get(dataset, paper["pool"])
        pool = self._override(paper["paper"], "pool") or spec.get("pool") or usual
        check_known(source, "pool", [pool], self.catalogues.pools)
        return pool

    def _override(self, paper: str, key: str) -> Any:
        """What the configuration puts in a paper's place: for that paper, or for all."""
        own = (self.override.get("papers") or {}).get(paper) or {}
        return own.get(key) or self.override.get(key)

    def _cell(
        self,
        source: str,
        key: str,
        row: Mapping[str, Any],
        pool: str,
        dataset: str,
        m: int,
        x: Any = None,
    ) -> Cell:
        label = row.get("label", key)
        if row.get("order") == "shuffled":
            pool = f"{pool}{SHUFFLED}"
        if "base" in row:
            return Cell(key, label, dataset, pool, m, x, base=row["base"])
        method, fixed = row["method"], row.get("parameters", {})
        tune = row.get("tune")
        over = tune["over"] if tune else []
        runs = self._blocks(source, pool, dataset, m, method, fixed, over, "tune")
        return Cell(key, label, dataset, pool, m, x, runs, tune=tune["score"] if tune else None)

    def _sweep(
        self,
        source: str,
        paper: Mapping[str, Any],
        spec: Mapping[str, Any],
        pool: str,
        dataset: str,
    ) -> Iterator[Cell]:
        m, over = spec.get("m", paper["m"]), spec["over"]
        over = [over] if isinstance(over, str) else list(over)
        check_known(source, "swept", spec["swept"], paper["rows"])
        for key in spec["swept"]:
            row = paper["rows"][key]
            method, label = row["method"], row.get("label", key)
            fixed = row.get("parameters", {})
            runs = self._blocks(source, pool, dataset, m, method, fixed, over)
            for values in itertools.product(*(self._grid(method, name) for name in over)):
                point = dict(zip(over, values, strict=True))
                x = values[0] if len(values) == 1 else list(values)
                yield Cell(key, label, dataset, pool, m, x, runs, point=point)

    def _blocks(
        self,
        source: str,
        pool: str,
        dataset: str,
        m: int,
        method: str,
        fixed: Mapping[str, Any],
        over: list[str],
        kind: str = "grid",
    ) -> tuple[RunSpec, ...]:
        """Runs that cover a grid: the last parameter varies inside a run, the others across."""
        check_known(source, "method", [method], self.catalogues.methods)
        declared = self.catalogues.methods[method]["parameters"]
        check_parameters(source, method, fixed, declared)
        check_known(source, f"tune.over of {method}", over, declared)
        grids = [self._grid(method, name, kind) for name in over]
        blocks = []
        for outer in itertools.product(*grids[:-1]):
            values = {name: (value,) for name, value in fixed.items()}
            values |= {name: (value,) for name, value in zip(over[:-1], outer, strict=True)}
            if over:
                values[over[-1]] = tuple(grids[-1])
            changed = {
                name: choice
                for name, choice in values.items()
                if choice != (declared[name]["default"],)
            }
            blocks.append(RunSpec(pool, dataset, m, method, parameters_name(changed)))
        return tuple(blocks)

    def _grid(self, method: str, name: str, kind: str = "grid") -> list[Any]:
        """Values of a parameter: the override's for this use, or for any, or the paper's grid."""
        entry = self.catalogues.methods[method]["parameters"][name]
        overrides = [(self.override.get(key) or {}).get(name) for key in (kind, "grid")]
        values = next((values for values in overrides if values), entry.get("grid"))
        if not values:
            raise ConfigError(f"config/methods.yaml: {name} of {method} has no grid to vary over.")
        for value in values:
            check_parameters("config", method, {name: value}, {name: entry})
        return list(values)
