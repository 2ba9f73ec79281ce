"""From configuration to runs, tables and figures: what has to be computed, and under which names.

Pure: nothing is read or written here. The expansion is

    paper ─► artefact (a table, figure or audit) ─► cells ─► runs

A *cell* is one method (a row of a table) on one data set at one ensemble size; its numbers come
from one or more *runs*. A run is (pool, data set, m, method, parameters); where one parameter has
several values the run covers them all, so a grid is a few jobs and not hundreds. A run's path says
what it is, so that tables and figures that need the same run share it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from coassoc.errors import ConfigError
from coassoc.methods import Parameter
from coassoc.plan.catalogues import Catalogues
from coassoc.plan.methods import check_parameters
from coassoc.storage.configuration import check_known

__all__ = ["Artefact", "Cell", "Experiments", "RunSpec", "parse_parameters", "parameters_name"]

#: End of the name of a pool whose samples are in random order.
SHUFFLED = "-shuffled"
#: Between the parameters in a block's name. Snakemake separates wildcards by commas when it hands
#: a job to a cluster, so that no wildcard's value may contain one.
_SEPARATOR = "~"

#: Points of a grid up to which one run covers it; more are spread over runs side by side.
_SMALL_GRID = 8

_PAGES = ("results/tables/{}.csv", "results/tables/{}.md", "results/tables/{}.html")
_PICTURES = ("figures/{}.pdf", "figures/{}.png")
#: Sections of a paper's file, and what their artefacts write.
_FILES = {
    "tables": (*_PAGES, "results/tables/{}.tex"),
    "figures": _PICTURES,
    "audits": (*_PAGES, *_PICTURES),
}


# -- names of runs ------------------------------------------------------------------------------


def parameters_name(parameters: Mapping[str, Iterable[Any]]) -> str:
    """File name of a parameter block, for example ``alpha=0.8~lam=0.1+1``; "default" if empty."""
    parts = [
        f"{name}={'+'.join(_value_name(value) for value in values)}"
        for name, values in sorted(parameters.items())
    ]
    return _SEPARATOR.join(parts) or "default"


def _value_name(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.12g}" if isinstance(value, (int, float)) else str(value)


def parse_parameters(name: str, declared: Mapping[str, Parameter]) -> list[dict[str, Any]]:
    """The points of a parameter block, from its file name; inverse of :func:`parameters_name`.

    Parameters
    ----------
    name : str
        File name.
    declared : mapping
        The method's parameters, which give the types.

    Raises
    ------
    ConfigError
        If the name does not describe parameters of the method.
    """
    if name == "default":
        return [{}]
    names, values = [], []
    for part in name.split(_SEPARATOR):
        parameter, equals, texts = part.partition("=")
        if not equals or parameter not in declared:
            raise ConfigError(
                f"Run {name!r}: {parameter!r} is not a parameter of the method; allowed are "
                f"{', '.join(declared)}."
            )
        names.append(parameter)
        known = declared[parameter]
        values.append([_parse_value(name, parameter, known, text) for text in texts.split("+")])
    return [dict(zip(names, point, strict=True)) for point in itertools.product(*values)]


def _parse_value(name: str, parameter: str, known: Parameter, text: str) -> Any:
    convert: dict[str, Any] = {
        "number": float,
        "integer": int,
        "boolean": {"yes": True, "no": False}.__getitem__,
        "choice": {str(choice): choice for choice in known.choices}.__getitem__,
    }
    try:
        return convert[known.kind](text)
    except (ValueError, KeyError) as error:
        raise ConfigError(
            f"Run {name!r}: {parameter} is {text!r}; it must be {known.allowed}."
        ) from error


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
        The candidates; empty for rows that are no method's.
    reference : str or None
        In place of a method: "mean" or "best" of the base clusterings in the pool, "ensemble-mean"
        or "ensemble-best" of those in each repeat's ensemble, or a control, "random" or "truth".
    tune : str or None
        Score by which the best candidate is chosen; None where there is a single one.
    point : dict or None
        Only this point of the runs counts.
    variant : str
        In a comparison, which of its variants this is.
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
    reference: str | None = None
    tune: str | None = None
    point: dict[str, Any] | None = None
    variant: str = ""
    not_run: str = ""

    @property
    def sources(self) -> list[str]:
        """Stems of the score files that the cell needs."""
        if self.not_run:
            return []
        if self.reference in ("mean", "best"):
            return [f"{self.pool}/{self.dataset}/base"]
        if self.reference:
            return [f"{self.pool}/{self.dataset}/m{self.m}/reference"]
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
            "reference": self.reference,
            "tune": self.tune,
            "point": self.point,
            "variant": self.variant,
            "not_run": self.not_run,
            "sources": self.sources,
        }


@dataclass(frozen=True)
class Artefact:
    """A table, a figure or an audit (both at once) of a paper.

    Attributes
    ----------
    paper, name : str
        Whose it is, and which.
    section : "tables", "figures" or "audits"
        Section of the paper's file.
    kind : str
        "table", or the kind of figure or audit.
    spec : dict
        Its entry in the paper's file.
    cells : tuple of Cell
        What it shows.
    """

    paper: str
    name: str
    section: str
    kind: str
    spec: dict[str, Any]
    cells: tuple[Cell, ...] = field(default=(), repr=False)

    @property
    def is_table(self) -> bool:
        """Whether it is a table."""
        return self.section == "tables"

    @property
    def target(self) -> str:
        """Name of its target, such as ``eccms_table4``."""
        return f"{self.paper}_{self.name}"

    @property
    def files(self) -> list[str]:
        """What it produces."""
        return [path.format(f"{self.paper}/{self.name}") for path in _FILES[self.section]]

    @property
    def folder(self) -> str:
        """Where its numbers are: scores, or times that were measured with nothing else running."""
        if self.kind == "scaling":
            return "results/scaling"
        return "results/timing" if self.spec.get("timed") else "results/scores"

    @property
    def sources(self) -> list[str]:
        """Stems of all files below its folder that its cells need, without repetition."""
        return list(dict.fromkeys(stem for cell in self.cells for stem in cell.sources))

    def belongs_to(self, group: str) -> bool:
        """Whether a group of targets has it: its section, its kind or the group in its entry."""
        return group in (self.section, self.kind, self.spec.get("group"))


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
        #: Everything of the papers, by the name of its target.
        self.artefacts: dict[str, Artefact] = {
            artefact.target: artefact
            for paper in config["papers"]
            for artefact in self._expand_paper(catalogues.papers[paper])
        }
        for artefact in self.wanted:
            self._check_draws(artefact)

    # -- queries --------------------------------------------------------------------------------

    @property
    def wanted(self) -> list[Artefact]:
        """What is made unless a target is named: those of the key ``targets``, or everything."""
        named = set(self.config.get("targets") or self.config["papers"])
        return [each for each in self.artefacts.values() if named & {each.paper, each.target}]

    def artefact(self, paper: str, name: str) -> Artefact:
        """The table or figure `name` of `paper`."""
        return self.artefacts[f"{paper}_{name}"]

    def files(self, group: str | None = None) -> list[str]:
        """Files of what is wanted: all, or a group such as "tables"."""
        wanted = (each for each in self.wanted if group is None or each.belongs_to(group))
        return [path for each in wanted for path in each.files]

    def files_of(self, paper: str) -> list[str]:
        """Files of all tables and figures of a paper."""
        own = (each for each in self.artefacts.values() if each.paper == paper)
        return [path for each in own for path in each.files]

    def points(self, method: str, parameters: str) -> list[dict[str, Any]]:
        """Parameter points of a run, from its file name."""
        return parse_parameters(parameters, self.catalogues.methods[method].parameters)

    def pools_used(self) -> list[tuple[str, str]]:
        """(pool, data set) pairs that what is wanted needs."""
        pairs = ((cell.pool, cell.dataset) for each in self.wanted for cell in each.cells)
        return list(dict.fromkeys(pairs))

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

    def published_names(self) -> dict[str, str]:
        """Names of tables in published.csv by "paper/table", where they are other ones."""
        return {
            f"{a.paper}/{a.name}": a.spec["published"]
            for a in self.artefacts.values()
            if "published" in a.spec
        }

    def published_with_reasons(self) -> list[dict[str, str]]:
        """Every published number with the reason ``why`` it is not made, empty if it is."""
        tables = {
            (each.paper, each.spec.get("published", each.name)): each
            for each in self.wanted
            if each.is_table
        }
        return [
            {**row, "why": self._why_not(row, tables.get((row["paper"], row["table"])))}
            for row in self.all_published()
        ]

    def _why_not(self, row: Mapping[str, str], table: Artefact | None) -> str:
        """Why the configuration does not make the number of a published cell."""
        if row["paper"] not in self.config["papers"]:
            return "the configuration does not name the paper"
        if table is None:
            if self.config.get("targets"):
                return "the configuration does not name the table"
            return "config/papers does not have the table"
        labels = {cell.label for cell in table.cells}
        rows = self.catalogues.papers[row["paper"]]["rows"]
        named = {rows[key].get("label", key) for key in table.spec["rows"]}
        if row["method"] not in named:
            return "method not available"
        if row["method"] not in labels:
            return "the configuration leaves the method out"
        if row["dataset"] != "mean" and row["dataset"] not in {c.dataset for c in table.cells}:
            return "the configuration takes other data sets"
        paper = self.catalogues.papers[row["paper"]]
        if row["dataset"] == "mean" and self._override(paper, table.name, "datasets"):
            return "the configuration takes other data sets"
        return ""

    # -- expansion ------------------------------------------------------------------------------

    def _check_names(self) -> None:
        check_known("config", "papers", self.config["papers"], self.catalogues.papers)
        overrides = {"override": self.override}
        known = self._target_names()
        check_known("config", "targets", self.config.get("targets") or [], known)
        for paper, own in (self.override.get("papers") or {}).items():
            check_known("config", "override.papers", [paper], known)
            overrides[f"override.papers.{paper}"] = own
        for key, override in overrides.items():
            for methods in ("leave_out", "only"):
                named = override.get(methods) or []
                check_known("config", f"{key}.{methods}", named, self.catalogues.methods)
            datasets = override.get("datasets") or []
            check_known("config", f"{key}.datasets", datasets, self.catalogues.datasets)
            pools = [override["pool"]] if override.get("pool") else []
            replaced = override.get("pools") or {}
            pools += [*replaced, *replaced.values()]
            check_known("config", f"{key}.pool", pools, self.catalogues.pools)
        self._check_not_run()

    def _target_names(self) -> list[str]:
        """Names of the papers, and of every table, figure and audit in the catalogue."""
        return [
            *self.catalogues.papers,
            *(
                f"{key}_{name}"
                for key, paper in self.catalogues.papers.items()
                for section in _FILES
                for name in paper.get(section, {})
            ),
        ]

    def _check_not_run(self) -> None:
        papers = self.catalogues.papers
        known: dict[str, Iterable[str]] = {
            "targets": self._target_names(),
            "datasets": self.catalogues.datasets,
            "rows": {row for paper in papers.values() for row in paper["rows"]},
        }
        for entry in self.config.get("not_run") or []:
            for key, names in known.items():
                check_known("config", f"not_run.{key}", entry.get(key, []), sorted(names))

    def _check_draws(self, artefact: Artefact) -> None:
        """Raise for ensembles of a size that their pool does not draw."""
        for cell in artefact.cells:
            pool = cell.pool.removesuffix(SHUFFLED)
            known = self.catalogues.pools[pool].sizes
            if cell.runs and not cell.not_run and cell.m not in known:
                raise ConfigError(
                    f"config/pools.yaml: {pool} draws ensembles of "
                    f"{', '.join(map(str, known))}, and {artefact.target} needs {cell.m}."
                )

    def _expand_paper(self, paper: Mapping[str, Any]) -> Iterator[Artefact]:
        source = f"config/papers/{paper['paper']}.yaml"
        for section in _FILES:
            for name, spec in paper.get(section, {}).items():
                single = [spec["metric"]] if "metric" in spec else []
                metrics = spec.get("metrics", single)
                check_known(source, f"{name}.metrics", metrics, paper["metrics"])
                expanded = {**spec, "metrics": {key: paper["metrics"][key] for key in metrics}}
                if "mean" in spec:
                    expanded["mean"] = self._datasets(
                        source, paper, name, {"datasets": spec["mean"]}
                    )
                cells = self._leave_out(
                    paper["paper"], name, self._cells(source, paper, name, spec)
                )
                if section != "tables":
                    # A table has a place for the reason; the others show what there is.
                    expanded["caption"] = spec["caption"].strip() + _missing(cells)
                    cells = tuple(cell for cell in cells if not cell.not_run)
                kind = spec.get("kind", "table")
                here = ", ".join(dict.fromkeys(cell.dataset for cell in cells))
                expanded["title"] = spec["title"].replace("{datasets}", here)
                if cells:
                    yield Artefact(paper["paper"], name, section, kind, expanded, cells)

    def _leave_out(self, paper: str, name: str, cells: Iterable[Cell]) -> tuple[Cell, ...]:
        """The cells, with the reason in those that the key ``not_run`` names."""
        here = {paper, f"{paper}_{name}"}
        entries = [
            entry
            for entry in self.config.get("not_run") or []
            if here & set(entry.get("targets", here))
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
        rows = self._rows(source, paper, name, spec)
        for dataset in self._datasets(source, paper, name, spec):
            pool = self._pool(source, paper, name, spec, dataset)
            if "swept" in spec:
                yield from self._sweep(source, paper, spec, pool, dataset)
            for m in self._sizes(paper, name, spec):
                x = m if spec.get("kind") == "ensemble_size" else None
                for key, row in rows:
                    yield self._cell(source, key, row, pool, dataset, m, x)
                if not rows and "swept" not in spec:
                    yield Cell(name, name, dataset, pool, m)

    def _rows(
        self, source: str, paper: Mapping[str, Any], name: str, spec: Mapping[str, Any]
    ) -> list[tuple[str, dict[str, Any]]]:
        """Rows that the configuration keeps, with their entries; in comparisons each variant."""
        keys = [*spec.get("rows", []), *spec.get("baselines", [])]
        check_known(source, f"{name}.rows", keys, paper["rows"])
        left_out = self._override(paper, name, "leave_out") or []
        only = self._override(paper, name, "only")
        rows = []
        for key in keys:
            method = paper["rows"][key].get("method")
            if method is not None and (method in left_out or (only and method not in only)):
                continue
            for variant in spec.get("variants", [{}]):
                changes = {k: v for k, v in variant.items() if k != "label"}
                entry = {**paper["rows"][key], **changes, "variant": variant.get("label", "")}
                rows.append((key, entry))
        return rows

    def _datasets(
        self, source: str, paper: Mapping[str, Any], name: str, spec: Mapping[str, Any]
    ) -> list[str]:
        named = spec["datasets"]
        if isinstance(named, str):
            check_known(source, f"{name}.datasets", [named], paper["datasets"])
            named = paper["datasets"][named]
        check_known(source, f"{name}.datasets", named, self.catalogues.datasets)
        instead = self._override(paper, name, "datasets")
        if not instead:
            return list(named)
        # A table of one data set gets one data set, tables of different ones different ones.
        known = list(dict.fromkeys(itertools.chain.from_iterable(paper["datasets"].values())))
        first = known.index(named[0]) if named[0] in known else 0
        rotated = [instead[(first + i) % len(instead)] for i in range(len(instead))]
        return sorted(rotated[: len(named)], key=instead.index)

    def _sizes(self, paper: Mapping[str, Any], name: str, spec: Mapping[str, Any]) -> list[int]:
        if "sizes" in spec:
            return list(self._override(paper, name, "sizes") or spec["sizes"])
        return [spec.get("m", paper["m"])]

    def _pool(
        self,
        source: str,
        paper: Mapping[str, Any],
        name: str,
        spec: Mapping[str, Any],
        dataset: str,
    ) -> str:
        """The pool of a data set: the configuration's, the artefact's, or the paper's."""
        usual = paper.get("pools", {}).get(dataset, paper["pool"])
        pool = self._override(paper, name, "pool") or spec.get("pool") or usual
        check_known(source, "pool", [pool], self.catalogues.pools)
        return pool

    def _override(self, paper: Mapping[str, Any], name: str, key: str) -> Any:
        """What the configuration puts in a paper's place: for one target, for it, or for all."""
        own = self.override.get("papers") or {}
        target = own.get(f"{paper['paper']}_{name}") or {}
        return target.get(key) or (own.get(paper["paper"]) or {}).get(key) or self.override.get(key)

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
        if "pool" in row:
            replaced = self.override.get("pools") or {}
            pool = replaced.get(row["pool"], row["pool"])
            check_known(source, "pool", [pool], self.catalogues.pools)
        variant = row.get("variant", "").format(pool=pool)
        if row.get("order") == "shuffled":
            pool = f"{pool}{SHUFFLED}"
        reference = row.get("base") or row.get("control")
        if reference:
            return Cell(key, label, dataset, pool, m, x, reference=reference, variant=variant)
        method, fixed = row["method"], row.get("parameters", {})
        place = Cell(key, label, dataset, pool, m, x, variant=variant)
        if "among" in row:
            return replace(place, runs=self._shared(source, place, method, row), point=dict(fixed))
        tune = row.get("tune", {})
        over = self._tuned_over(method, tune)
        blocks = self._blocks(source, pool, dataset, m, method, fixed, over, "tune")
        return replace(place, runs=tuple(blocks.values()), tune=tune.get("score"))

    def _shared(
        self, source: str, cell: Cell, method: str, row: Mapping[str, Any]
    ) -> tuple[RunSpec, ...]:
        """The run that a row shares with the rows for other values of a parameter."""
        check_known(source, "method", [method], self.catalogues.methods)
        entry = self.catalogues.methods[method]
        for point in (row["parameters"], *({n: v} for n, vs in row["among"].items() for v in vs)):
            check_parameters(source, entry, point)
        values = {name: (value,) for name, value in row["parameters"].items()}
        values |= {name: tuple(among) for name, among in row["among"].items()}
        name = parameters_name(values)
        return (RunSpec(cell.pool, cell.dataset, cell.m, method, name),)

    def _tuned_over(self, method: str, tune: Mapping[str, Any]) -> list[str]:
        """Parameters over which a row is tuned: those it names, or all that have a grid."""
        if not tune or "over" in tune:
            return list(tune.get("over", []))
        declared = self.catalogues.methods[method].parameters
        return [name for name, parameter in declared.items() if parameter.grid]

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
            blocks = self._blocks(source, pool, dataset, m, method, fixed, over)
            across = len(next(iter(blocks)))
            for values in itertools.product(*(self._grid(method, name) for name in over)):
                point = dict(zip(over, values, strict=True))
                x = values[0] if len(values) == 1 else list(values)
                runs = (blocks[values[:across]],)
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
    ) -> dict[tuple[Any, ...], RunSpec]:
        """Runs that cover a grid: a small one in one run; of others the last parameter in each.

        Returns
        -------
        dict
            Values of the parameters that a run does not vary → the run.
        """
        check_known(source, "method", [method], self.catalogues.methods)
        check_parameters(source, self.catalogues.methods[method], fixed)
        declared = self.catalogues.methods[method].parameters
        check_known(source, f"tune.over of {method}", over, declared)
        grids = [self._grid(method, name, kind) for name in over]
        inside = len(over) if math.prod(map(len, grids)) <= _SMALL_GRID else 1
        across = len(over) - inside if over else 0
        blocks = {}
        for outer in itertools.product(*grids[:across]):
            values = {name: (value,) for name, value in fixed.items()}
            values |= {name: (value,) for name, value in zip(over[:across], outer, strict=True)}
            inner = zip(over[across:], grids[across:], strict=True)
            values |= {name: tuple(grid) for name, grid in inner}
            changed = {
                name: choice
                for name, choice in values.items()
                if choice != (declared[name].default,)
            }
            blocks[outer] = RunSpec(pool, dataset, m, method, parameters_name(changed))
        return blocks

    def _grid(self, method: str, name: str, kind: str = "grid") -> list[Any]:
        """Values of a parameter: the override's for this use, or for any, or the paper's grid."""
        entry = self.catalogues.methods[method]
        overrides = [(self.override.get(key) or {}).get(name) for key in (kind, "grid")]
        values = next((values for values in overrides if values), entry.parameters[name].grid)
        if not values:
            raise ConfigError(f"config: {name} of {method} has no grid to vary over.")
        for value in values:
            check_parameters("config", entry, {name: value})
        return list(values)


def _missing(cells: Iterable[Cell]) -> str:
    """A sentence on the cells that are not run; empty if all are."""
    reasons: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for cell in cells:
        if cell.not_run:
            labels, datasets = reasons.setdefault(cell.not_run, ({}, {}))
            labels[cell.label], datasets[cell.dataset] = None, None
    parts = [
        f"{', '.join(labels)} on {', '.join(datasets)} ({reason})"
        for reason, (labels, datasets) in reasons.items()
    ]
    return f" Not run: {'; '.join(parts)}." if parts else ""
