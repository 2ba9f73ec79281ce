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
    must,
    needs,
    not_both,
    number,
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

_TUNE = Form(score=must(str), over=Names, race=bool)
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
    title=must(_TITLE),
    caption=must(str),
    datasets=must(either(str, Names)),
    group=GROUPS_OF_ENTRIES,
    pool=str,
    pools=mapping(str, least=1),
    m=Count,
)
_TABLE = Form(
    _ENTRY,
    metrics=must(Names),
    rows=must(Names),
    layout=must(Form(down=must(_PARTS), across=must(_PARTS))),
    published=str,
    timed=bool,
    mean=str,
    relative_to=str,
)

_FIGURE = Form(_ENTRY, kind=str)
_OF_ROWS = Form(_FIGURE, rows=must(Names))
_SCORED = Form(_OF_ROWS, metric=must(str))
#: Kinds of figures, and the keys of each.
FIGURES = {
    "reliability": _FIGURE,
    "transform": _FIGURE,
    "sensitivity": Form(
        _FIGURE,
        metric=must(str),
        swept=must(Names),
        over=must(str),
        scale=Literal["linear", "log"],
        baselines=Names,
    ),
    "surface": Form(
        _FIGURE,
        metrics=must(Names),
        swept=must(listed(str, most=1)),
        over=must(listed(str, least=2, most=2)),
    ),
    "convergence": Form(_OF_ROWS, quantity=must(str), axis=str),
    "matrices": Form(
        _OF_ROWS,
        panels=listed(Literal["coherent-link", "difference", "truth"], least=0),
        relative=bool,
    ),
    "before_after": _SCORED,
    "embedding": _OF_ROWS,
    "ensemble_size": Form(_SCORED, sizes=must(Counts)),
    "base_quality": _SCORED,
}

_AUDIT = Form(_FIGURE, rows=must(_NAMES_OR_ALL))
_SCORED_AUDIT = Form(_AUDIT, metric=must(str))
_VARIANT = Form(label=must(_VARIANT_LABEL), pool=str, tune=Form(score=must(str)))
_PROTOCOL_VARIANT = Form(
    _VARIANT, method=str, m=Count, parameters=Parameters, metrics=mapping(str, least=1)
)
#: Kinds of audits, and the keys of each.
AUDITS = {
    "comparison": Form(
        _SCORED_AUDIT, variants=must(listed(Form(_VARIANT, samples=_SAMPLES), least=2))
    ),
    "order": Form(
        _SCORED_AUDIT, relative_to=must(str), shuffled=must(listed(integer(ge=0, le=100), least=2))
    ),
    "protocol": Form(
        _OF_ROWS,
        compared_with=must(Names),
        metrics=must(Names),
        variants=must(listed(_PROTOCOL_VARIANT, least=2)),
    ),
    "significance": Form(_SCORED_AUDIT, relative_to=must(str), rope=must(number(ge=0))),
    "scaling": _AUDIT,
    "n_clusters": _OF_ROWS,
}

#: Keys of a file of papers; config/README.md documents them.
PAPER = Form(
    title=must(Text),
    citation=must(Text),
    pool=must(str),
    m=must(Count),
    datasets=must(mapping(Names, key=Text, least=1)),
    metrics=must(mapping(str, key=Text, least=1)),
    rows=mapping(_ROW, key=Text, least=1),
    pools=mapping(str),
    own=Names,
    scorecard=_SCORECARD,
    aliases=mapping(str),
    tables=mapping(_TABLE, key=_ENTRY_NAME),
    figures=mapping(ByKind(FIGURES), key=_ENTRY_NAME),
    audits=mapping(ByKind(AUDITS), key=_ENTRY_NAME),
)
