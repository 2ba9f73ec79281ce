"""Kinds of tables, figures and audits: the keys of their entries, and what makes them.

A new kind is a model of its entries, which is in one of the unions, and an entry of :data:`KINDS`
with the function that makes it; docs/extending.md has the recipes.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from coassoc.storage.models import (
    Count,
    Counts,
    DistinctList,
    Model,
    Names,
    NonEmptyDict,
    Number,
    Parameters,
    Size,
    Text,
    expected,
    known,
    once,
)

#: Targets of several tables, figures and audits, which these name as their group.
Group = Literal["sensitivity", "ensemble_size", "ablations", "runtime"]
Samples = Literal["stored", "shuffled"]
PoolName = Annotated[str, known("pools")]
DatasetNames = Annotated[Names, known("datasets")]
RowNames = Annotated[Names, known("rows")]
_RowsOrAll = Annotated[Literal["all"] | RowNames, expected("it must be a list of rows, or all")]
_Metric = Annotated[str, known("metrics")]
_Metrics = Annotated[Names, known("metrics")]
_GroupName = Annotated[str, known("groups")]
_Parts = DistinctList[Literal["method", "dataset", "metric"]]
_Title = Annotated[
    Text,
    Field(pattern=r"^([^{}]|\{datasets\})*$"),
    expected("the only braces of a title are those of {datasets}"),
]
_VariantLabel = Annotated[
    Text,
    Field(pattern=r"^([^{}]|\{pool\})*$"),
    expected("the only braces of a variant's label are those of {pool}"),
]


# -- entries --------------------------------------------------------------------------------------


class Tune(Model):
    """How a row is tuned: over some parameters, or over all with a grid that it does not set."""

    score: Annotated[str, known("tuning scores")]
    over: Names | None = None
    race: bool = False


class Variant(Model):
    """What changes each row of an audit; None or empty where it leaves the row's own."""

    label: _VariantLabel
    pool: PoolName | None = None
    tune: Tune | None = None
    samples: Samples | None = None
    method: Annotated[str, known("methods")] | None = None
    m: Count | None = None
    parameters: Parameters = Field(default={})
    metrics: NonEmptyDict[str, Annotated[str, known("scores")]] = Field(default={})


class Entry(Model):
    """What every table, figure and audit has."""

    title: _Title
    caption: str
    datasets: _GroupName | DatasetNames
    group: Group | None = None
    pool: PoolName | None = None
    pools: NonEmptyDict[Annotated[str, known("datasets")], PoolName] = Field(default={})
    m: Size | None = None


class OfRows(Entry):
    """What shows some rows."""

    rows: RowNames


class Layout(Model):
    """What a table has down and across."""

    down: _Parts
    across: _Parts


class TableEntry(OfRows):
    """A table."""

    kind: ClassVar[str] = "table"
    metrics: _Metrics
    layout: Layout
    published: str | None = None
    timed: bool = False
    mean: _GroupName | None = None
    relative_to: str | None = None


class Ranked(OfRows):
    """The table of the ranking, which a configuration asks for."""

    kind: ClassVar[str] = "table"
    metrics: _Metrics


class PoolFigure(Entry):
    """A figure of the pool alone."""

    kind: Literal["reliability", "transform"]


class _Swept(Entry):
    metric: _Metric
    baselines: RowNames = Field(default=[])
    scale: Literal["linear", "log"] | None = None


class Curves(_Swept):
    """Scores over the grid of one parameter."""

    kind: Literal["sensitivity"]
    swept: RowNames
    over: str


class Surface(Entry):
    """Scores over the grid of two parameters."""

    kind: Literal["surface"]
    metrics: _Metrics
    swept: Annotated[RowNames, Field(max_length=1)]
    over: Annotated[Names, Field(min_length=2, max_length=2)]


class SizeFigure(OfRows):
    """Scores at several ensemble sizes."""

    kind: Literal["ensemble_size"]
    metric: _Metric
    sizes: Counts


class ScoredFigure(OfRows):
    """A figure of one score."""

    kind: Literal["base_quality", "before_after"]
    metric: _Metric


class Convergence(OfRows):
    """What methods record as they iterate."""

    kind: Literal["convergence"]
    quantity: str
    axis: str | None = None


class Matrices(OfRows):
    """Learned similarities."""

    kind: Literal["matrices"]
    panels: Annotated[list[Literal["coherent-link", "difference", "truth"]], once] = Field(
        default=[]
    )
    relative: bool = False


class Embedding(OfRows):
    """Embedded samples."""

    kind: Literal["embedding"]


class Audit(Entry):
    """An audit of some rows, or of all."""

    rows: _RowsOrAll


class ScoredAudit(Audit):
    """An audit of one score."""

    metric: _Metric


class Comparison(ScoredAudit):
    """Variants of rows by one score."""

    kind: Literal["comparison"]
    variants: Annotated[DistinctList[Variant], Field(min_length=2)]


class Protocol(OfRows):
    """Ways to read a paper's protocol, against its printed numbers."""

    kind: Literal["protocol"]
    compared_with: Names
    metrics: _Metrics
    variants: Annotated[DistinctList[Variant], Field(min_length=2)]


class Order(ScoredAudit):
    """The same rows where some samples are shuffled."""

    kind: Literal["order"]
    relative_to: str
    shuffled: Annotated[DistinctList[Annotated[int, Field(ge=0, le=100)]], Field(min_length=2)]


class Significance(ScoredAudit):
    """Whether rows differ from another one."""

    kind: Literal["significance"]
    relative_to: str
    rope: Annotated[Number, Field(ge=0)]


class Arena(Audit):
    """Rows on many data sets."""

    kind: Literal["arena"]
    metrics: _Metrics


class Scaling(Audit):
    """Times of growing parts of the data sets."""

    kind: Literal["scaling"]


class NumbersOfClusters(OfRows):
    """Criteria for the number of clusters."""

    kind: Literal["n_clusters"]


class NullAudit(Entry):
    """Tests of structure."""

    kind: Literal["null"]


FigureEntry = Annotated[
    PoolFigure | Curves | Surface | SizeFigure | ScoredFigure | Convergence | Matrices | Embedding,
    Field(discriminator="kind"),
]
AuditEntry = Annotated[
    Comparison | Protocol | Order | Significance | Arena | Scaling | NumbersOfClusters | NullAudit,
    Field(discriminator="kind"),
]


#: Of a target.
AnyEntry = TableEntry | Ranked | FigureEntry | AuditEntry


# -- kinds ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """What is known of a kind."""

    #: Section of the studies' files that has its entries: "tables", "figures" or "audits".
    section: str
    #: What it is made from: "scores" of runs, "timing" or "scaling" (times measured alone),
    #: "selection" (criteria for the number of clusters), "null" (tests of structure), "runs" with
    #: their history, "pools", or "fits", methods fitted on first draws.
    needs: str
    #: "module:function" that draws it: a figure from :class:`~reproduction.figures.inputs.Inputs`, an
    #: audit from what it has found and the name of its score.
    plot: str = ""
    #: Of an audit the module with its functions ``compare``, ``table`` and ``remark``.
    audit: str = ""
    #: Whether, as a figure, it has a CSV file of its numbers; tables and audits have.
    numbers: bool = False
    #: Whether it also reads pools.
    pools: bool = False
    #: Whether it has cells for several ensemble sizes.
    by_size: bool = False
    #: Whether it is of the paper's data sets alone, whose numbers are in print.
    of_printed: bool = False
    #: Least number of rows, some being compared with others.
    least_rows: int = 0
    #: Whether it needs the classes themselves, not only scores.
    by_classes: bool = False
    #: Whether it looks at single repeats, which the base clusterings of a whole pool do not have.
    by_repeat: bool = False
    #: Attributes of a fitted estimator that it shows.
    shows: tuple[str, ...] = ()

    @property
    def modules(self) -> list[str]:
        """The modules that make it."""
        return [place.partition(":")[0] for place in (self.plot, self.audit) if place]


def imported(place: str) -> Any:
    """What "module" or "module:function" names; it is imported here."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)


def _figure(needs: str, plot: str, **known: Any) -> Kind:
    return Kind("figures", needs, f"reproduction.figures.{plot}", **known)


def _audit(name: str, needs: str, **known: Any) -> Kind:
    plot, audit = f"reproduction.figures.audits:plot_{name}", f"reproduction.results.audits.{name}"
    return Kind("audits", needs, plot, audit, **known)


KINDS: dict[str, Kind] = {
    "table": Kind("tables", "scores"),
    # -- figures
    "sensitivity": _figure("scores", "scores:draw_sensitivity", numbers=True),
    "surface": _figure("scores", "scores:draw_surface", numbers=True),
    "ensemble_size": _figure(
        "scores",
        "scores:draw_ensemble_size",
        numbers=True,
        by_size=True,
    ),
    "base_quality": _figure(
        "scores", "scores:draw_base_quality", pools=True, by_classes=True, by_repeat=True
    ),
    "reliability": _figure("pools", "pools:draw_reliability", by_classes=True),
    "transform": _figure("pools", "pools:draw_transform"),
    "convergence": _figure("runs", "convergence:draw_convergence"),
    "matrices": _figure("fits", "fits:draw_matrices", shows=("affinity_",)),
    "before_after": _figure(
        "fits",
        "fits:draw_before_after",
        numbers=True,
        by_classes=True,
        shows=("initial_labels_", "refined_labels_"),
    ),
    "embedding": _figure("fits", "fits:draw_embedding", shows=("embedding_",)),
    # -- audits
    "comparison": _audit("comparison", "scores", by_repeat=True),
    "order": _audit("order", "scores", by_repeat=True),
    "protocol": _audit("protocol", "scores", of_printed=True),
    "significance": _audit("significance", "scores", by_repeat=True, least_rows=2),
    "arena": _audit("arena", "scores", pools=True, by_classes=True, by_repeat=True),
    "scaling": _audit("scaling", "scaling"),
    "n_clusters": _audit("n_clusters", "selection"),
    "null": _audit("null", "null"),
}
