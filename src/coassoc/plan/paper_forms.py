"""Forms of the files in config/papers: a table, figure or audit has the keys of its kind alone."""

from __future__ import annotations

from typing import Literal

from coassoc.storage.forms import (
    ByKind,
    Count,
    Counts,
    Form,
    Names,
    Parameters,
    Text,
    either,
    exactly_one,
    integer,
    listed,
    mapping,
    needs,
    not_both,
    number,
    required,
    text,
    told,
)

__all__ = ["AUDITS", "FIGURES", "GROUPS_OF_ENTRIES", "PAPER"]

#: Targets of several tables, figures and audits, which these name as their group.
GROUPS_OF_ENTRIES = Literal["sensitivity", "ensemble_size", "ablations", "runtime"]

_SAMPLES = Literal["stored", "shuffled"]
_NAMES_OR_ALL = told("it must be a list of rows, or all", Literal["all"], Names)
_PARTS = listed(Literal["method", "dataset", "metric"])
_ENTRY_NAME = text(
    "^[A-Za-z0-9_]+$",
    "it must consist of letters, digits and _, as it becomes part of a target and of paths",
)
_SCORECARD = text(
    "^scorecard(_[a-z]+)?$",
    "it must be 'scorecard', or 'scorecard_' and small letters, as it is a target",
)
_LABEL = text(r"^[^{}]*$", "a row's label has no braces", Text)
_TITLE = text(
    r"^([^{}]|\{datasets\})*$", "the only braces of a title are those of {datasets}", Text
)
_VARIANT_LABEL = text(
    r"^([^{}]|\{pool\})*$", "the only braces of a variant's label are those of {pool}", Text
)

_TUNE = Form(required("score"), score=str, over=Names, race=bool)
_ROW = Form(
    exactly_one("method", "base", "control"),
    needs("parameters", "method"),
    needs("tune", "method"),
    needs("samples", "method"),
    needs("among", "method", "parameters"),
    not_both("control", "pool"),
    not_both("among", "tune"),
    label=_LABEL,
    method=str,
    parameters=Parameters,
    among=mapping(listed(object), least=1),
    base=Literal["mean", "best", "ensemble-mean", "ensemble-best"],
    control=Literal["random", "truth"],
    samples=_SAMPLES,
    tune=_TUNE,
    pool=str,
)
_ENTRY = Form(
    required("title", "caption", "datasets"),
    title=_TITLE,
    caption=str,
    datasets=either(str, Names),
    group=GROUPS_OF_ENTRIES,
    pool=str,
    pools=mapping(str, least=1),
    m=Count,
)
_TABLE = Form(
    _ENTRY,
    required("metrics", "rows", "layout"),
    metrics=Names,
    rows=Names,
    layout=Form(required("down", "across"), down=_PARTS, across=_PARTS),
    published=str,
    timed=bool,
    mean=str,
    relative_to=str,
)

_FIGURE = Form(_ENTRY, kind=str)
_OF_ROWS = Form(_FIGURE, required("rows"), rows=Names)
_SCORED = Form(_OF_ROWS, required("metric"), metric=str)
#: Kinds of figures, and the keys of each.
FIGURES = {
    "reliability": _FIGURE,
    "transform": _FIGURE,
    "sensitivity": Form(
        _FIGURE,
        required("metric", "swept", "over"),
        metric=str,
        swept=Names,
        over=str,
        scale=Literal["linear", "log"],
        baselines=Names,
    ),
    "surface": Form(
        _FIGURE,
        required("metrics", "swept", "over"),
        metrics=Names,
        swept=listed(str, most=1),
        over=listed(str, least=2, most=2),
    ),
    "convergence": Form(_OF_ROWS, required("quantity"), quantity=str, axis=str),
    "matrices": Form(
        _OF_ROWS,
        panels=listed(Literal["coherent-link", "difference", "truth"], least=0),
        relative=bool,
    ),
    "before_after": _SCORED,
    "embedding": _OF_ROWS,
    "ensemble_size": Form(_SCORED, required("sizes"), sizes=Counts),
    "base_quality": _SCORED,
}

_AUDIT = Form(_FIGURE, required("rows"), rows=_NAMES_OR_ALL)
_SCORED_AUDIT = Form(_AUDIT, required("metric"), metric=str)
_VARIANT = Form(
    required("label"), label=_VARIANT_LABEL, pool=str, tune=Form(required("score"), score=str)
)
_PROTOCOL_VARIANT = Form(
    _VARIANT, method=str, m=Count, parameters=Parameters, metrics=mapping(str, least=1)
)
#: Kinds of audits, and the keys of each.
AUDITS = {
    "comparison": Form(
        _SCORED_AUDIT,
        required("variants"),
        variants=listed(Form(_VARIANT, samples=_SAMPLES), least=2),
    ),
    "order": Form(
        _SCORED_AUDIT,
        required("relative_to", "shuffled"),
        relative_to=str,
        shuffled=listed(integer(ge=0, le=100), least=2),
    ),
    "protocol": Form(
        _OF_ROWS,
        required("compared_with", "metrics", "variants"),
        compared_with=Names,
        metrics=Names,
        variants=listed(_PROTOCOL_VARIANT, least=2),
    ),
    "significance": Form(
        _SCORED_AUDIT, required("relative_to", "rope"), relative_to=str, rope=number(ge=0)
    ),
    "scaling": _AUDIT,
    "n_clusters": _OF_ROWS,
}

#: Keys of a file of papers; config/README.md documents them.
PAPER = Form(
    required("title", "citation", "pool", "m", "datasets", "metrics"),
    title=Text,
    citation=Text,
    pool=str,
    m=Count,
    datasets=mapping(Names, key=Text, least=1),
    metrics=mapping(str, key=Text, least=1),
    rows=mapping(_ROW, key=Text, least=1),
    pools=mapping(str),
    own=Names,
    scorecard=_SCORECARD,
    aliases=mapping(str),
    tables=mapping(_TABLE, key=_ENTRY_NAME),
    figures=mapping(ByKind(FIGURES), key=_ENTRY_NAME),
    audits=mapping(ByKind(AUDITS), key=_ENTRY_NAME),
)
