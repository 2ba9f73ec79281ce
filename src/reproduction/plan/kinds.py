"""Kinds of tables, figures and audits, one entry each.

A new kind is an entry of :data:`KINDS` with the function that makes it; docs/extending.md has the
recipes.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from coassoc.storage.forms import (
    Count,
    Counts,
    Form,
    Names,
    Parameters,
    Size,
    Text,
    Type,
    either,
    integer,
    listed,
    mapping,
    must,
    named,
    number,
    text,
    told,
)

#: Targets of several tables, figures and audits, which these name as their group.
GROUPS_OF_ENTRIES = Literal["sensitivity", "ensemble_size", "ablations", "runtime"]
SAMPLES = Literal["stored", "shuffled"]
TUNE = Form(score=must(named("tuning scores")))


@dataclass(frozen=True)
class Kind:
    """What is known of a kind."""

    #: Section of the studies' files that has its entries: "tables", "figures" or "audits".
    section: str
    #: Keys of an entry.
    form: Type
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


def located(place: str) -> Any:
    """What "module" or "module:function" names; it is imported here."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)


# -- keys of entries ------------------------------------------------------------------------------

_METRIC, _METRICS, _ROWS = named("metrics"), named("metrics", Names), named("rows", Names)
_ROWS_OR_ALL = told("it must be a list of rows, or all", Literal["all"], _ROWS)
_POOL = named("pools")
_PARTS = listed(Literal["method", "dataset", "metric"])
_TITLE = text(
    r"^([^{}]|\{datasets\})*$", "the only braces of a title are those of {datasets}", Text
)
_VARIANT_LABEL = text(
    r"^([^{}]|\{pool\})*$", "the only braces of a variant's label are those of {pool}", Text
)
_ENTRY = Form(
    title=must(_TITLE),
    caption=must(str),
    datasets=must(either(named("groups"), named("datasets", Names))),
    group=GROUPS_OF_ENTRIES,
    pool=_POOL,
    pools=mapping(_POOL, key=named("datasets"), least=1),
    m=Size,
)
_TABLE = Form(
    _ENTRY,
    metrics=must(_METRICS),
    rows=must(_ROWS),
    layout=must(Form(down=must(_PARTS), across=must(_PARTS))),
    published=str,
    timed=bool,
    mean=named("groups"),
    relative_to=str,
)
_FIGURE = Form(_ENTRY, kind=str)
_OF_ROWS = Form(_FIGURE, rows=must(_ROWS))
_SCORED = Form(_OF_ROWS, metric=must(_METRIC))
_AUDIT = Form(_FIGURE, rows=must(_ROWS_OR_ALL))
_SCORED_AUDIT = Form(_AUDIT, metric=must(_METRIC))
_SWEPT = {"scale": Literal["linear", "log"], "baselines": _ROWS, "metric": must(_METRIC)}
_CURVES = Form(_FIGURE, swept=must(_ROWS), over=must(str), **_SWEPT)
_ONE, _TWO = listed(str, most=1), listed(str, least=2, most=2)
_SURFACE = Form(_FIGURE, metrics=must(_METRICS), swept=must(named("rows", _ONE)), over=must(_TWO))
_PANELS = listed(Literal["coherent-link", "difference", "truth"], least=0)
_MATRICES = Form(_OF_ROWS, panels=_PANELS, relative=bool)
_VARIANT = Form(label=must(_VARIANT_LABEL), pool=_POOL, tune=TUNE)
_COMPARED = must(listed(Form(_VARIANT, samples=SAMPLES), least=2))
_COMPARISON = Form(_SCORED_AUDIT, variants=_COMPARED)
_PROTOCOL_VARIANT = Form(
    _VARIANT,
    method=named("methods"),
    m=Count,
    parameters=Parameters,
    metrics=mapping(named("scores"), least=1),
)
_PROTOCOL = Form(
    _OF_ROWS,
    compared_with=must(Names),
    metrics=must(_METRICS),
    variants=must(listed(_PROTOCOL_VARIANT, least=2)),
)
_PERCENTAGES = must(listed(integer(ge=0, le=100), least=2))
_ORDER = Form(_SCORED_AUDIT, relative_to=must(str), shuffled=_PERCENTAGES)
_SIGNIFICANCE = Form(_SCORED_AUDIT, relative_to=must(str), rope=must(number(ge=0)))
_ARENA = Form(_AUDIT, metrics=must(_METRICS))


def _figure(form: Type, needs: str, plot: str, **known: Any) -> Kind:
    return Kind("figures", form, needs, f"reproduction.figures.{plot}", **known)


def _audit(name: str, form: Type, needs: str, **known: Any) -> Kind:
    plot, audit = f"reproduction.figures.audits:plot_{name}", f"reproduction.results.audits.{name}"
    return Kind("audits", form, needs, plot, audit, **known)


KINDS: dict[str, Kind] = {
    "table": Kind("tables", _TABLE, "scores"),
    # -- figures
    "sensitivity": _figure(_CURVES, "scores", "scores:draw_sensitivity", numbers=True),
    "surface": _figure(_SURFACE, "scores", "scores:draw_surface", numbers=True),
    "ensemble_size": _figure(
        Form(_SCORED, sizes=must(Counts)),
        "scores",
        "scores:draw_ensemble_size",
        numbers=True,
        by_size=True,
    ),
    "base_quality": _figure(
        _SCORED, "scores", "scores:draw_base_quality", pools=True, by_classes=True, by_repeat=True
    ),
    "reliability": _figure(_FIGURE, "pools", "pools:draw_reliability", by_classes=True),
    "transform": _figure(_FIGURE, "pools", "pools:draw_transform"),
    "convergence": _figure(
        Form(_OF_ROWS, quantity=must(str), axis=str), "runs", "convergence:draw_convergence"
    ),
    "matrices": _figure(_MATRICES, "fits", "fits:draw_matrices", shows=("affinity_",)),
    "before_after": _figure(
        _SCORED,
        "fits",
        "fits:draw_before_after",
        numbers=True,
        by_classes=True,
        shows=("initial_labels_", "refined_labels_"),
    ),
    "embedding": _figure(_OF_ROWS, "fits", "fits:draw_embedding", shows=("embedding_",)),
    # -- audits
    "comparison": _audit("comparison", _COMPARISON, "scores", by_repeat=True),
    "order": _audit("order", _ORDER, "scores", by_repeat=True),
    "protocol": _audit("protocol", _PROTOCOL, "scores", of_printed=True),
    "significance": _audit("significance", _SIGNIFICANCE, "scores", by_repeat=True, least_rows=2),
    "arena": _audit("arena", _ARENA, "scores", pools=True, by_classes=True, by_repeat=True),
    "scaling": _audit("scaling", _AUDIT, "scaling"),
    "n_clusters": _audit("n_clusters", _OF_ROWS, "selection"),
    "null": _audit("null", _FIGURE, "null"),
}


def forms_of(section: str) -> dict[str, Type]:
    """The forms of entries of a section by their kinds."""
    return {name: kind.form for name, kind in KINDS.items() if kind.section == section}
