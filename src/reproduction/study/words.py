"""Functions with which studies are written.

A study is a module whose docstring is its title and citation. Each of its targets (a table, figure
or analysis) is a function that returns cells, one for each number. Its docstring gives the title
and the caption:

    HERE = {"pool": "published", "m": 20}

    @target("table", metrics=["ARI"], across=["dataset"])
    def table4():
        "Clustering performance"
        return cross(methods("LWEA LWGP"), ["Wine", "Glass"], **HERE)

In addition to targets, a module may define

=========  ========================================================================================
METRICS    metric → column of the scores, if their names differ
OWN        rows of the paper's own method, whose rank the scorecard reports
SAME_AS    label of a row → label of the row whose published numbers it repeats
YARDSTICK  settings of the agreement measures: the number of repeats behind a published mean
           ("repeats"), whether the paper states this number ("stated"), the tables that compare
           its method with others ("tables"), and their rows that combine no base clusterings, apart
           from averages and bests of base clusterings ("single")
FITTED     rows for which the interpretation of the text was chosen by published numbers
SCORECARD  the scorecard that contains the published numbers
=========  ========================================================================================
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from reproduction.study.kinds import KINDS
from reproduction.study.paths import shuffled_pool


@dataclass(frozen=True)
class Row:
    """A row of tables: a method with parameters, or a reference with which methods are compared."""

    label: str
    method: str = ""
    #: Parameters that differ from their defaults.
    fixed: Mapping[str, Any] = field(default_factory=dict)
    #: Score that chooses the best point of the grid. Empty for a single point.
    tune: str = ""
    #: Parameters of this grid. Empty for all parameters that have a grid and are not set.
    over: Sequence[str] = ()
    #: Further values that the same run fits.
    among: Mapping[str, list[Any]] = field(default_factory=dict)
    #: "mean" or "best" of the base clusterings in the pool. "ensemble-mean", "ensemble-best" or
    #: "ensemble-picked" of the base clusterings in the ensemble of each repeat. "random" labels, or
    #: the "truth".
    reference: str = ""
    #: Pool that replaces the table's pool.
    pool: str = ""
    #: Percentage of the samples that are shuffled.
    shuffled: int = 0

    def but(self, **changes: Any) -> "Row":
        """The row with changed fields; other keywords are parameters of the method."""
        given = {k: changes.pop(k) for k in [*changes] if k not in self.__dataclass_fields__}
        return replace(self, fixed={**self.fixed, **given}, **changes)


Cells = list[dict[str, Any]]


@dataclass(frozen=True)
class Target:
    """A table, figure or analysis of a study."""

    #: Kind of the script that draws it, such as "table" or "sensitivity".
    kind: str
    cells: Callable[[], Cells]
    title: str
    caption: str
    #: Options for the script, such as metrics.
    options: Mapping[str, Any]

    @property
    def section(self) -> str:
        """Section of the target: "tables", "figures" or "analyses"."""
        return KINDS[self.kind].section

    @property
    def reads(self) -> str:
        """What the target reads, such as "scores"."""
        return KINDS[self.kind].reads


def target(
    kind: str, caption: str = "", /, **options: Any
) -> Callable[[Callable[[], Cells]], Target]:
    """Turn a function into a target of its module, such as eccms/table4.

    Its docstring gives the title and the caption. Targets can share the caption of another target.
    """

    def make(function: Callable[[], Cells]) -> Target:
        # A partial object lacks the docstring of its function.
        documented = getattr(function, "func", function)
        title, _, text = (inspect.getdoc(documented) or "").partition("\n\n")
        return Target(kind, function, title, caption or " ".join(text.split()), options)

    return make


def row(label: str, method: str = "", tune: str = "", over: Sequence[str] = (), **more: Any) -> Row:
    """A row. Keywords that are not fields of :class:`Row` are parameters of the method."""
    return Row(label, method, tune=tune, over=tuple(over)).but(**more)


def methods(names: str) -> list[Row]:
    """Rows of methods at their defaults."""
    return [row(name, name) for name in names.split()]


#: Rows with which all rows of a table can be compared.
CONTROLS = [row("Random labels", reference="random"), row("True classes", reference="truth")]


def cross(
    rows: Iterable[Row],
    datasets: Iterable[str],
    pool: str,
    m: int,
    pools: Mapping[str, str] | None = None,
    **columns: Any,
) -> Cells:
    """Cells of every row on every data set, with `pool`, or with the data set's pool in `pools`.

    m is the ensemble size, 0 for all base clusterings of the pool. Further columns of the cells are
    x (the abscissa) and `shuffled` (the percentage of shuffled samples).
    """
    own_pools = pools or {}
    return [
        _cell(x, dataset, own_pools.get(dataset, pool), m, **columns)
        for dataset in datasets
        for x in rows
    ]


def ways(
    rows: Sequence[Row],
    datasets: Iterable[str],
    variants: Mapping[str, Mapping[str, Any]],
    m: int,
    **place: Any,
) -> Cells:
    """Cells of every row on every data set in every variant (label → changes).

    A variant changes fields of the row, parameters of its method, m, or columns. The columns are
    the metrics whose column of the scores differs from that of the table. "{pool}" in a label
    stands for the name of the pool. `place` has the pool and pools of :func:`cross`.
    """
    cells = []
    for dataset in datasets:
        for x in rows:
            for label, way in variants.items():
                changes = dict(way)
                here = {"m": changes.pop("m", m), "columns": changes.pop("columns", {})}
                cells += cross([x.but(**changes)], [dataset], variant=label, **here, **place)
    return [cell | {"variant": cell["variant"].format(pool=cell["pool"])} for cell in cells]


def sweep(rows: Iterable[Row], over: Sequence[str], datasets: Iterable[str], **place: Any) -> Cells:
    """Cells of every row on every data set at every point of the grid of some parameters.

    `place` has the pool, m and pools of :func:`cross`.
    """
    return cross([x.but(tune="", over=tuple(over)) for x in rows], datasets, **place)


def alone(label: str, datasets: Iterable[str], pool: str, m: int, **place: Any) -> Cells:
    """Cells of pools, without methods."""
    return cross([row(label)], datasets, pool, m, **place)


def _cell(x: Row, dataset: str, pool: str, m: int, /, **columns: Any) -> dict[str, Any]:
    cell = {**vars(x), "dataset": dataset, "m": m, "x": "", "variant": "", "columns": {}}
    cell |= {"not_run": "", **columns}
    return cell | {"pool": shuffled_pool(x.pool or pool, cell.pop("shuffled"))}
