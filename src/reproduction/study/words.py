"""The words in which studies are written.

A study is a module whose docstring is its title and its citation. Each of its targets (a table,
figure or analysis) is a function that returns cells, one for each number shown; its docstring is
title and caption:

    HERE = {"pool": "published", "m": 20}

    @target("table", metrics=["ARI"], across=["dataset"])
    def table4():
        "Clustering performance"
        return cross(methods("LWEA LWGP"), ["Wine", "Glass"], **HERE)

Besides targets a module may have

=========  ========================================================================================
METRICS    name of a metric → column of the scores, where these differ
OWN        rows of the paper's own method, whose rank the scorecard follows
SAME_AS    label of a row that repeats another one's printed numbers → label of that row
YARDSTICK  what the yardsticks of agreement know of the paper: of how many repeats a printed mean
           and standard deviation are, and whether the paper states that or it is assumed; the
           tables that compare its method with others; and rows of these that combine no base
           clusterings, besides averages and bests of them ("single")
FITTED     rows whose reading of the text was chosen by printed numbers
SCORECARD  the scorecard with its published numbers
=========  ========================================================================================
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from reproduction.study.paths import shuffled_pool

#: Variants of a table of NMI, which papers divide by different means of two entropies.
NMI_DENOMINATORS = {
    "the larger entropy": {},
    "the mean entropy": {"columns": {"NMI": "NMI"}},
    "the geometric mean": {"columns": {"NMI": "NMI-geometric"}},
}
#: Arguments that `ways` passes on to cells and not to rows.
_OF_CELLS = ("m", "columns")


@dataclass(frozen=True)
class Row:
    """A row of tables: a method with parameters, or a reference that methods are compared with."""

    label: str
    method: str = ""
    #: Parameters that differ from their defaults.
    parameters: Mapping[str, Any] = field(default_factory=dict)
    #: Score by which the shown point of the grid is the best. Empty for one point.
    tune: str = ""
    #: Parameters of that grid. Empty for all parameters that have a grid and are not set.
    over: Sequence[str] = ()
    #: Further values that the same run fits.
    among: Mapping[str, list[Any]] = field(default_factory=dict)
    #: "mean" or "best" of the base clusterings in the pool. "ensemble-mean", "ensemble-best" or
    #: "ensemble-picked" of the base clusterings in the ensemble of each repeat. "random" labels, or
    #: the "truth".
    reference: str = ""
    #: Pool in place of the table's.
    pool: str = ""
    #: Percentage of the samples in random order.
    shuffled: int = 0

    def but(self, **changes: Any) -> "Row":
        """The row with other fields; `parameters` are added to its own."""
        parameters = {**self.parameters, **changes.pop("parameters", {})}
        return replace(self, parameters=parameters, **changes)


Cells = list[dict[str, Any]]


@dataclass(frozen=True)
class Target:
    """A table, figure or analysis of a study."""

    #: Kind of the script that draws it, such as "table" or "sensitivity".
    kind: str
    cells: Callable[[], Cells]
    title: str
    caption: str
    #: What the script needs to know, such as metrics.
    options: Mapping[str, Any]


def target(
    kind: str, caption: str = "", /, **options: Any
) -> Callable[[Callable[[], Cells]], Target]:
    """Make a function a target of its module, such as eccms/table4.

    Its docstring is title and caption; of targets with one caption the others name it.
    """

    def make(function: Callable[[], Cells]) -> Target:
        documented = getattr(function, "func", function)  # the attributes of a partial
        title, _, text = (inspect.getdoc(documented) or "").partition("\n\n")
        return Target(kind, function, title, caption or " ".join(text.split()), options)

    return make


def row(label: str, method: str = "", tune: str = "", over: Sequence[str] = (), **more: Any) -> Row:
    """A row; keywords that are no fields of :class:`Row` are parameters of the method."""
    given = {k: more.pop(k) for k in ("among", "reference", "pool", "shuffled") if k in more}
    return Row(label, method, more, tune, tuple(over), **given)


def methods(names: str) -> list[Row]:
    """Rows of methods at their defaults."""
    return [row(name, name) for name in names.split()]


def cross(
    rows: Iterable[Row],
    datasets: Iterable[str],
    pool: str,
    m: int,
    pools: Mapping[str, str] | None = None,
    **columns: Any,
) -> Cells:
    """Every row on every data set, on a pool or on that which `pools` has for the data set.

    m is the ensemble size, 0 for all base clusterings of the pool. Further columns of the cells are
    x, the abscissa, and `shuffled`, per cent of the samples.
    """
    own_pools = pools or {}
    return [
        _cell(x, dataset, own_pools.get(dataset, pool), m, **columns)
        for dataset in datasets
        for x in rows
    ]


def by_parameters(**parameters: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Variants for :func:`ways` that differ by their parameters."""
    return {label: {"parameters": values} for label, values in parameters.items()}


def ways(
    rows: Sequence[Row],
    datasets: Iterable[str],
    pool: str,
    m: int,
    variants: Mapping[str, Mapping[str, Any]],
    pools: Mapping[str, str] | None = None,
) -> Cells:
    """Every row on every data set in every variant: label → fields of the row, m or columns.

    A variant's columns are metrics whose column of the scores is another one than the table's.
    "{pool}" in a label is the pool's name.
    """
    cells = []
    for dataset in datasets:
        usual = (pools or {}).get(dataset, pool)
        for x in rows:
            for label, way in variants.items():
                changed = x.but(**{k: value for k, value in way.items() if k not in _OF_CELLS})
                variant = label.format(pool=changed.pool or usual)
                more = {"columns": way["columns"]} if "columns" in way else {}
                cells.append(
                    _cell(changed, dataset, usual, way.get("m", m), variant=variant, **more)
                )
    return cells


def sweep(
    rows: Iterable[Row],
    over: Sequence[str],
    datasets: Iterable[str],
    pool: str,
    m: int,
    pools: Mapping[str, str] | None = None,
) -> Cells:
    """Every row on every data set at every point of the grid of some parameters."""
    untuned = [x.but(tune="", over=tuple(over)) for x in rows]
    return cross(untuned, datasets, pool, m, pools)


def alone(
    label: str, datasets: Iterable[str], pool: str, m: int, pools: Mapping[str, str] | None = None
) -> Cells:
    """Pools by themselves."""
    return cross([row(label)], datasets, pool, m, pools)


def _cell(x: Row, dataset: str, pool: str, m: int, /, **columns: Any) -> dict[str, Any]:
    shuffled = columns.pop("shuffled", x.shuffled)
    return {
        "label": x.label,
        "dataset": dataset,
        "pool": shuffled_pool(x.pool or pool, shuffled),
        "m": m,
        "x": "",
        "variant": "",
        "reference": x.reference,
        "method": x.method,
        "fixed": x.parameters,
        "tune": x.tune,
        "over": x.over,
        "among": x.among,
        "columns": {},
        "not_run": "",
        **columns,
    }
