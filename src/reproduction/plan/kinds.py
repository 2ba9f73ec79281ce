"""Kinds of tables, figures and analyses: the keys of their entries, and what they are made from.

A new kind is a model of its entries, which is in one of the unions, an entry of :data:`KINDS`, and
a rule with its script; docs/extending.md has the recipes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from coassoc.storage.configuration import (
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

#: Targets of several tables, figures and analyses, which these name as their group.
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
    """What changes each row of an analysis; None or empty where it leaves the row's own."""

    label: _VariantLabel
    pool: PoolName | None = None
    tune: Tune | None = None
    samples: Samples | None = None
    method: Annotated[str, known("methods")] | None = None
    m: Count | None = None
    parameters: Parameters = Field(default={})
    metrics: NonEmptyDict[str, Annotated[str, known("scores")]] = Field(default={})


class Entry(Model):
    """What every table, figure and analysis has."""

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


class Analysis(Entry):
    """An analysis of some rows, or of all."""

    rows: _RowsOrAll


class ScoredAnalysis(Analysis):
    """An analysis of one score."""

    metric: _Metric


class Comparison(ScoredAnalysis):
    """Variants of rows by one score."""

    kind: Literal["comparison"]
    variants: Annotated[DistinctList[Variant], Field(min_length=2)]


class Protocol(OfRows):
    """Ways to read a paper's protocol, against its printed numbers."""

    kind: Literal["protocol"]
    compared_with: Names
    metrics: _Metrics
    variants: Annotated[DistinctList[Variant], Field(min_length=2)]


class Order(ScoredAnalysis):
    """The same rows where some samples are shuffled."""

    kind: Literal["order"]
    relative_to: str
    shuffled: Annotated[DistinctList[Annotated[int, Field(ge=0, le=100)]], Field(min_length=2)]


class Significance(ScoredAnalysis):
    """Whether rows differ from another one."""

    kind: Literal["significance"]
    relative_to: str
    rope: Annotated[Number, Field(ge=0)]


class Arena(Analysis):
    """Rows on many data sets."""

    kind: Literal["arena"]
    metrics: _Metrics


class Scaling(Analysis):
    """Times of growing parts of the data sets."""

    kind: Literal["scaling"]


class NumbersOfClusters(OfRows):
    """Criteria for the number of clusters."""

    kind: Literal["n_clusters"]


class Null(Entry):
    """Tests of structure."""

    kind: Literal["null"]


class Choice(Entry):
    """Which method suits which ensemble: how ensembles are made, and the pool of each."""

    kind: Literal["choice"]
    ensembles: NonEmptyDict[Text, PoolName]


FigureEntry = Annotated[
    PoolFigure | Curves | Surface | SizeFigure | ScoredFigure | Convergence | Matrices | Embedding,
    Field(discriminator="kind"),
]
AnalysisEntry = Annotated[
    Comparison
    | Protocol
    | Order
    | Significance
    | Arena
    | Scaling
    | NumbersOfClusters
    | Null
    | Choice,
    Field(discriminator="kind"),
]


#: Of a target.
AnyEntry = TableEntry | Ranked | FigureEntry | AnalysisEntry


# -- kinds ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """What is known of a kind."""

    #: Section of the studies' files that has its entries: "tables", "figures" or "analyses".
    section: str
    #: What it is made from: "scores" of runs, "timing" or "scaling" (times measured alone),
    #: "selection" (criteria for the number of clusters), "null" (tests of structure), "choice"
    #: (all methods on an ensemble of each kind), "runs" with their history, "pools", or "fits",
    #: methods fitted on first draws.
    made_from: str
    #: Whether, as a figure, it has a CSV file of its numbers; tables and analyses have.
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
    #: Rows and metrics of its numbers besides those of its entry.
    rows: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()


_figure, _analysis = partial(Kind, "figures"), partial(Kind, "analyses")

KINDS: dict[str, Kind] = {
    "table": Kind("tables", "scores"),
    # -- figures
    "sensitivity": _figure("scores", numbers=True),
    "surface": _figure("scores", numbers=True),
    "ensemble_size": _figure("scores", numbers=True, by_size=True),
    "base_quality": _figure("scores", pools=True, by_classes=True, by_repeat=True),
    "reliability": _figure(
        "pools", numbers=True, by_classes=True, rows=("share", "precision", "recall")
    ),
    "transform": _figure("pools"),
    "convergence": _figure("runs"),
    "matrices": _figure(
        "fits",
        numbers=True,
        shows=("affinity_",),
        rows=("coherent-link",),
        metrics=("strong", "recall of strong", "precision of strong", "between", "AUC"),
    ),
    "before_after": _figure(
        "fits", numbers=True, by_classes=True, shows=("initial_labels_", "refined_labels_")
    ),
    "embedding": _figure("fits", shows=("embedding_",)),
    # -- analyses
    "comparison": _analysis("scores", by_repeat=True),
    "order": _analysis("scores", by_repeat=True),
    "protocol": _analysis("scores", of_printed=True),
    "significance": _analysis("scores", by_repeat=True, least_rows=2),
    "arena": _analysis("scores", pools=True, by_classes=True, by_repeat=True),
    "scaling": _analysis("scaling"),
    "n_clusters": _analysis("selection"),
    "null": _analysis("null"),
    "choice": _analysis("choice", by_classes=True),
}
