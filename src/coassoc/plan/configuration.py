"""Forms of config/config.yaml, of what is given in its place, and of files in config/papers."""

from __future__ import annotations

from typing import Literal

from coassoc.plan.kinds import KINDS, SAMPLES, forms_of
from coassoc.storage.forms import (
    ByKind,
    Count,
    Counts,
    Form,
    Grids,
    Names,
    Parameters,
    Size,
    Text,
    Yes,
    either,
    exactly_one,
    integer,
    listed,
    mapping,
    must,
    needs,
    not_both,
    number,
    several,
    some_of,
    text,
    told,
)

__all__ = ["CONFIGURATION", "PAPER"]

_FILES = listed(str, least=0)
_NAMES_OR_ALL = told("it must be a list of names, or all", Literal["all"], Names)
_SOME_NAMES, _GRIDS = either(Names, None), either(Grids, None)

_TIMING = Form(repeats=Count, shares=listed(number(gt=0, le=1)), stop_after=number(gt=0))
_SELECTION = Form(repeats=Count, draws=integer(ge=2), largest=integer(ge=3))
_CONSENSUS = Form(
    pool=must(str),
    methods=must(Names),
    datasets=Names,
    n_clusters=integer(ge=2),
    range=several(integer(ge=2), least=2, most=2),
    m=Count,
)
_RANKING = Form(
    pool=must(str),
    m=must(Count),
    datasets=must(_NAMES_OR_ALL),
    metrics=must(Names),
    pools=mapping(str),
    methods=_NAMES_OR_ALL,
    groups=mapping(Names, key=Text),
    tuned=Form(methods=must(Names), score=must(str)),
)
_CELLS = Form(targets=Names, datasets=Names, rows=Names)
_WHICH = "names no cells; it must say which cells, by 'targets', 'datasets' or 'rows'"
_NOT_RUN = Form(_CELLS, some_of("targets", "datasets", "rows", sentence=_WHICH), reason=must(Text))
_SHORTENED = Form(
    _CELLS,
    some_of("race", "repeats", "grid", sentence="must have 'race', 'repeats' or 'grid'"),
    rows=must(Names),
    race=Yes,
    repeats=Count,
    grid=mapping(listed(object), least=1),
)
_MEGABYTES = told(
    "allowed are a number of megabytes, auto and null", Literal["auto"], number(gt=0, le=1e9), None
)
_OF_TARGET = Form(
    datasets=_SOME_NAMES, pool=either(str, None), sizes=either(Counts, None), methods=_SOME_NAMES
)
_OVERRIDE = Form(
    _OF_TARGET,
    pools=either(mapping(str), None),
    grid=_GRIDS,
    tune=_GRIDS,
    targets=either(mapping(_OF_TARGET), None),
)

#: Keys of the configuration; config/README.md documents them.
CONFIGURATION = Form(
    name=must(Text),
    seed=must(integer(ge=0)),
    threads=must(Count),
    targets=_SOME_NAMES,
    mirror=either(str, None),
    methods=_FILES,
    datasets=_FILES,
    pools=_FILES,
    papers=_FILES,
    timing=_TIMING,
    selection=_SELECTION,
    consensus=several(_CONSENSUS, least=0),
    ranking=either(_RANKING, None),
    not_run=several(_NOT_RUN, least=0),
    shortened=several(_SHORTENED, least=0),
    limits=either(Form(minutes=either(number(gt=0, le=30_000), None), memory_mb=_MEGABYTES), None),
    override=either(_OVERRIDE, None),
)

_ENTRY_NAME = text(
    "^[A-Za-z0-9_]+$",
    "it must consist of letters, digits and _, as it becomes part of a target and of paths",
)
_CARD = text(
    "^scorecard(_[a-z]+)?$",
    "it must be 'scorecard', or 'scorecard_' and small letters, as it is a target",
)
_ROW_LABEL = text(r"^[^{}]*$", "a row's label has no braces", Text)
_TUNE = Form(score=must(str), over=Names, race=bool)
_ROW = Form(
    exactly_one("method", "base", "control"),
    needs("parameters", "method"),
    needs("tune", "method"),
    needs("samples", "method"),
    needs("among", "method", "parameters"),
    not_both("control", "pool"),
    not_both("among", "tune"),
    label=_ROW_LABEL,
    method=str,
    parameters=Parameters,
    among=mapping(listed(object), least=1),
    base=Literal["mean", "best", "ensemble-mean", "ensemble-best"],
    control=Literal["random", "truth"],
    samples=SAMPLES,
    tune=_TUNE,
    pool=str,
    same_as=str,
)
#: Keys of a file of papers; config/README.md documents them.
PAPER = Form(
    title=must(Text),
    citation=must(Text),
    pool=must(str),
    m=must(Size),
    datasets=must(mapping(Names, key=Text, least=1)),
    metrics=must(mapping(str, key=Text, least=1)),
    rows=mapping(_ROW, key=Text, least=1),
    pools=mapping(str),
    own=Names,
    scorecard=_CARD,
    aliases=mapping(str),
    tables=mapping(KINDS["table"].form, key=_ENTRY_NAME),
    figures=mapping(ByKind(forms_of("figures")), key=_ENTRY_NAME),
    audits=mapping(ByKind(forms_of("audits")), key=_ENTRY_NAME),
)
