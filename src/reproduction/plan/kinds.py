"""Kinds of tables, figures and analyses: the keys of their entries, and what they are made from.

A new kind is a class of entries, which is in one of the unions, and a rule with its script;
docs/extending.md has the recipes.
"""

from __future__ import annotations

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
#: What is measured apart from runs, of what targets may be made.
MEASURED = ("timing", "scaling", "selection", "null", "choice")
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
    """What every table, figure and analysis has: keys in a file, and what is known of its kind."""

    #: What it is made from: "scores" of runs, "timing" or "scaling" (times measured alone),
    #: "selection" (criteria for the number of clusters), "null" (tests of structure), "choice"
    #: (all methods on an ensemble of each kind), "runs" with their history, "pools", or "fits",
    #: methods fitted on first draws.
    made_from: ClassVar[str] = "scores"
    #: Whether, as a figure, it has a CSV file of its numbers; tables and analyses have.
    has_numbers: ClassVar[bool] = False
    #: Whether it also reads pools.
    reads_pools: ClassVar[bool] = False
    #: Whether it has cells for several ensemble sizes.
    by_size: ClassVar[bool] = False
    #: Whether it is of the paper's data sets alone, whose numbers are in print.
    of_printed: ClassVar[bool] = False
    #: Least number of rows, some being compared with others.
    least_rows: ClassVar[int] = 0
    #: Whether it needs the classes themselves, not only scores.
    by_classes: ClassVar[bool] = False
    #: Whether it looks at single repeats, which the base clusterings of a whole pool do not have.
    by_repeat: ClassVar[bool] = False
    #: Attributes of a fitted estimator that it shows.
    shows: ClassVar[tuple[str, ...]] = ()
    #: Rows and metrics of its numbers besides those that its keys name.
    further_rows: ClassVar[tuple[str, ...]] = ()
    further_metrics: ClassVar[tuple[str, ...]] = ()

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


class ReliabilityFigure(Entry):
    """What agreement between base clusterings tells about the classes."""

    kind: Literal["reliability"]
    made_from = "pools"
    has_numbers = True
    by_classes = True
    further_rows = ("share", "precision", "recall")


class TransformFigure(Entry):
    """The co-association of a pool and what a transform makes of it."""

    kind: Literal["transform"]
    made_from = "pools"


class _Swept(Entry):
    metric: _Metric
    baselines: RowNames = Field(default=[])
    scale: Literal["linear", "log"] | None = None


class CurvesFigure(_Swept):
    """Scores over the grid of one parameter."""

    kind: Literal["sensitivity"]
    has_numbers = True
    swept: RowNames
    over: str


class SurfaceFigure(Entry):
    """Scores over the grid of two parameters."""

    kind: Literal["surface"]
    has_numbers = True
    metrics: _Metrics
    swept: Annotated[RowNames, Field(max_length=1)]
    over: Annotated[Names, Field(min_length=2, max_length=2)]


class SizeFigure(OfRows):
    """Scores at several ensemble sizes."""

    kind: Literal["ensemble_size"]
    has_numbers = True
    by_size = True
    metric: _Metric
    sizes: Counts


class BaseQualityFigure(OfRows):
    """Scores of methods beside those of the base clusterings."""

    kind: Literal["base_quality"]
    reads_pools = True
    by_classes = True
    by_repeat = True
    metric: _Metric


class BeforeAfterFigure(OfRows):
    """Scores before and after a refinement."""

    kind: Literal["before_after"]
    made_from = "fits"
    has_numbers = True
    by_classes = True
    shows = ("initial_labels_", "refined_labels_")
    metric: _Metric


class ConvergenceFigure(OfRows):
    """What methods record as they iterate."""

    kind: Literal["convergence"]
    made_from = "runs"
    quantity: str
    axis: str | None = None


class MatricesFigure(OfRows):
    """Learned similarities."""

    kind: Literal["matrices"]
    made_from = "fits"
    has_numbers = True
    shows = ("affinity_",)
    further_rows = ("coherent-link",)
    further_metrics = (
        "strong",
        "recall of strong",
        "precision of strong",
        "between",
        "AUC",
    )
    panels: Annotated[list[Literal["coherent-link", "difference", "truth"]], once] = Field(
        default=[]
    )
    relative: bool = False


class EmbeddingFigure(OfRows):
    """Embedded samples."""

    kind: Literal["embedding"]
    made_from = "fits"
    shows = ("embedding_",)


class Analysis(Entry):
    """An analysis of some rows, or of all."""

    rows: _RowsOrAll


class ScoredAnalysis(Analysis):
    """An analysis of one score."""

    metric: _Metric


class ComparisonAnalysis(ScoredAnalysis):
    """Variants of rows by one score."""

    kind: Literal["comparison"]
    by_repeat = True
    variants: Annotated[DistinctList[Variant], Field(min_length=2)]


class ProtocolAnalysis(OfRows):
    """Ways to read a paper's protocol, against its printed numbers."""

    kind: Literal["protocol"]
    of_printed = True
    compared_with: Names
    metrics: _Metrics
    variants: Annotated[DistinctList[Variant], Field(min_length=2)]


class OrderAnalysis(ScoredAnalysis):
    """The same rows where some samples are shuffled."""

    kind: Literal["order"]
    by_repeat = True
    relative_to: str
    shuffled: Annotated[DistinctList[Annotated[int, Field(ge=0, le=100)]], Field(min_length=2)]


class SignificanceAnalysis(ScoredAnalysis):
    """Whether rows differ from another one."""

    kind: Literal["significance"]
    by_repeat = True
    least_rows = 2
    relative_to: str
    rope: Annotated[Number, Field(ge=0)]


class ArenaAnalysis(Analysis):
    """Rows on many data sets."""

    kind: Literal["arena"]
    reads_pools = True
    by_classes = True
    by_repeat = True
    metrics: _Metrics


class ScalingAnalysis(Analysis):
    """Times of growing parts of the data sets."""

    kind: Literal["scaling"]
    made_from = "scaling"


class NumbersOfClustersAnalysis(OfRows):
    """Criteria for the number of clusters."""

    kind: Literal["n_clusters"]
    made_from = "selection"


class NullAnalysis(Entry):
    """Tests of structure."""

    kind: Literal["null"]
    made_from = "null"


class ChoiceAnalysis(Entry):
    """Which method suits which ensemble: how ensembles are made, and the pool of each."""

    kind: Literal["choice"]
    made_from = "choice"
    by_classes = True
    ensembles: NonEmptyDict[Text, PoolName]


FigureEntry = Annotated[
    ReliabilityFigure
    | TransformFigure
    | CurvesFigure
    | SurfaceFigure
    | SizeFigure
    | BaseQualityFigure
    | BeforeAfterFigure
    | ConvergenceFigure
    | MatricesFigure
    | EmbeddingFigure,
    Field(discriminator="kind"),
]
AnalysisEntry = Annotated[
    ComparisonAnalysis
    | ProtocolAnalysis
    | OrderAnalysis
    | SignificanceAnalysis
    | ArenaAnalysis
    | ScalingAnalysis
    | NumbersOfClustersAnalysis
    | NullAnalysis
    | ChoiceAnalysis,
    Field(discriminator="kind"),
]


#: Of a target.
AnyEntry = TableEntry | Ranked | FigureEntry | AnalysisEntry
