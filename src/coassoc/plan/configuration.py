"""Form of config/config.yaml, config/full.yaml and of what is given with --config."""

from __future__ import annotations

from typing import Literal

from coassoc.storage.forms import (
    Count,
    Counts,
    Form,
    Grids,
    Names,
    Text,
    Yes,
    either,
    integer,
    listed,
    mapping,
    must,
    number,
    several,
    some_of,
    told,
)

__all__ = ["CONFIGURATION"]

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

#: Its keys; config/README.md documents them.
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
