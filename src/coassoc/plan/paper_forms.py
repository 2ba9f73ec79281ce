"""Forms of the files in config/papers: a table, figure or audit has the keys of its kind alone."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Required

from pydantic import Field
from typing_extensions import TypedDict

from coassoc.storage.forms import (
    ByKind,
    Count,
    Counts,
    Distinct,
    Grids,
    Names,
    Parameters,
    Text,
    exactly_one,
    keys,
    needs,
    not_both,
    told,
)

__all__ = ["AUDITS", "FIGURES", "Group", "PaperForm", "Shown"]

#: Targets of several tables, figures and audits that name one of these.
Group = Literal["sensitivity", "ensemble_size", "ablations", "runtime"]

_Samples = Literal["stored", "shuffled"]
_NamesOrAll = Annotated[Literal["all"] | Names, told("it must be a list of rows, or all")]
_EntryName = Annotated[
    str,
    Field(pattern="^[A-Za-z0-9_]+$"),
    told("it must consist of letters, digits and _, as it becomes part of a target and of paths"),
]
_Label = Annotated[Text, Field(pattern=r"^[^{}]*$"), told("a row's label has no braces")]
_Title = Annotated[
    Text,
    Field(pattern=r"^([^{}]|\{datasets\})*$"),
    told("the only braces of a title are those of {datasets}"),
]
_VariantLabel = Annotated[
    Text,
    Field(pattern=r"^([^{}]|\{pool\})*$"),
    told("the only braces of a variant's label are those of {pool}"),
]
_Scorecard = Annotated[
    str,
    Field(pattern="^scorecard(_[a-z]+)?$"),
    told("it must be 'scorecard', or 'scorecard_' and small letters, as it is a target"),
]
_Parts = Annotated[list[Literal["method", "dataset", "metric"]], Field(min_length=1), Distinct]


@keys()
class _Tune(TypedDict, total=False):
    score: Required[str]
    over: Names
    race: bool


@keys(
    exactly_one("method", "base", "control"),
    needs("parameters", "method"),
    needs("tune", "method"),
    needs("samples", "method"),
    needs("among", "method", "parameters"),
    not_both("control", "pool"),
    not_both("among", "tune"),
)
class _Row(TypedDict, total=False):
    label: _Label
    method: str
    parameters: Parameters
    among: Annotated[Grids, Field(min_length=1)]
    base: Literal["mean", "best", "ensemble-mean", "ensemble-best"]
    control: Literal["random", "truth"]
    samples: _Samples
    tune: _Tune
    pool: str


@keys()
class _Layout(TypedDict):
    down: _Parts
    across: _Parts


class _Entry(TypedDict, total=False):
    """What all tables, figures and audits have."""

    title: Required[_Title]
    caption: Required[str]
    datasets: Required[str | Names]
    group: Group
    pool: str
    pools: Annotated[dict[str, str], Field(min_length=1)]
    m: Count


@keys()
class _Table(_Entry, total=False):
    metrics: Required[Names]
    rows: Required[Names]
    layout: Required[_Layout]
    published: str
    timed: bool
    mean: str
    relative_to: str


@keys()
class Shown(_Entry):
    """A figure of a pool alone, and what all figures and audits have."""

    kind: str


@keys()
class _Curves(Shown, total=False):
    metric: Required[str]
    swept: Required[Names]
    over: Required[str]
    scale: Literal["linear", "log"]
    baselines: Names


@keys()
class _Surface(Shown):
    metrics: Names
    swept: Annotated[list[str], Field(min_length=1, max_length=1)]
    over: Annotated[list[str], Field(min_length=2, max_length=2), Distinct]


@keys()
class _OfRows(Shown):
    rows: Names


@keys()
class _Convergence(_OfRows, total=False):
    quantity: Required[str]
    axis: str


@keys()
class _Matrices(_OfRows, total=False):
    panels: Annotated[list[Literal["coherent-link", "difference", "truth"]], Distinct]
    relative: bool


@keys()
class _Scored(_OfRows):
    metric: str


@keys()
class _EnsembleSize(_Scored):
    sizes: Counts


class _Audit(Shown):
    rows: _NamesOrAll


class _ScoredAudit(_Audit):
    metric: str


@keys()
class _VariantTune(TypedDict):
    score: str


class _Variant(TypedDict, total=False):
    label: Required[_VariantLabel]
    pool: str
    tune: _VariantTune


@keys()
class _ComparisonVariant(_Variant, total=False):
    samples: _Samples


@keys()
class _Comparison(_ScoredAudit):
    variants: Annotated[list[_ComparisonVariant], Field(min_length=2)]


@keys()
class _Order(_ScoredAudit):
    relative_to: str
    shuffled: Annotated[list[Annotated[int, Field(ge=0, le=100)]], Field(min_length=2), Distinct]


@keys()
class _ProtocolVariant(_Variant, total=False):
    method: str
    m: Count
    parameters: Parameters
    metrics: Annotated[dict[str, str], Field(min_length=1)]


@keys()
class _Protocol(_OfRows):
    compared_with: Names
    metrics: Names
    variants: Annotated[list[_ProtocolVariant], Field(min_length=2)]


@keys()
class _Significance(_ScoredAudit):
    relative_to: str
    rope: Annotated[float, Field(ge=0)]


@keys()
class _Scaling(_Audit):
    pass


#: Kinds of figures, and the keys of each.
FIGURES: dict[str, type] = {
    "reliability": Shown,
    "transform": Shown,
    "sensitivity": _Curves,
    "surface": _Surface,
    "convergence": _Convergence,
    "matrices": _Matrices,
    "before_after": _Scored,
    "embedding": _OfRows,
    "ensemble_size": _EnsembleSize,
    "base_quality": _Scored,
}
#: Kinds of audits, and the keys of each.
AUDITS: dict[str, type] = {
    "comparison": _Comparison,
    "order": _Order,
    "protocol": _Protocol,
    "significance": _Significance,
    "scaling": _Scaling,
    "n_clusters": _OfRows,
}


@keys()
class PaperForm(TypedDict, total=False):
    """Keys of a file of papers; config/README.md documents them."""

    title: Required[Text]
    citation: Required[Text]
    pool: Required[str]
    m: Required[Count]
    datasets: Required[Annotated[dict[Text, Names], Field(min_length=1)]]
    metrics: Required[Annotated[dict[Text, str], Field(min_length=1)]]
    rows: Annotated[dict[Text, _Row], Field(min_length=1)]
    pools: dict[str, str]
    own: Names
    scorecard: _Scorecard
    aliases: dict[str, str]
    tables: dict[_EntryName, _Table]
    figures: dict[_EntryName, Annotated[dict[str, Any], ByKind(FIGURES)]]
    audits: dict[_EntryName, Annotated[dict[str, Any], ByKind(AUDITS)]]
