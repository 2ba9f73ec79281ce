"""Forms of config/config.yaml, of what is given in its place, and of files in config/studies."""

from __future__ import annotations

from typing import Literal

from coassoc.bench.columns import TIMES
from coassoc.metrics import METRICS
from coassoc.storage.forms import (
    ByKind,
    Count,
    Counts,
    Form,
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
    named,
    needs,
    not_both,
    number,
    several,
    some_of,
    text,
    told,
)
from reproduction.plan.kinds import KINDS, SAMPLES, TUNE, forms_of
from reproduction.scores.columns import SCORES, TUNING_SCORES

#: Names that files of configuration may give besides those of catalogues, see
#: :func:`coassoc.storage.forms.named`.
KNOWN = {
    "columns": (*SCORES, *TIMES),
    "scores": SCORES,
    "tuning scores": TUNING_SCORES,
    "metrics of classes": METRICS,
}

_FILES = listed(str, least=0)
_POOL, _DATASETS = named("pools"), named("datasets", Names)
_METHODS, _TARGETS, _ROWS = named("methods", Names), named("targets", Names), named("rows", Names)
_METHODS_OR_ALL, _DATASETS_OR_ALL = (
    told("it must be a list of names, or all", Literal["all"], names)
    for names in (_METHODS, _DATASETS)
)
_GRIDS, _TUNED = (
    either(mapping(listed(object), key=named(names)), None) for names in ("grids", "tuned")
)

_TIMING = Form(repeats=Count, shares=listed(number(gt=0, le=1)), stop_after=number(gt=0))
_SELECTION = Form(repeats=Count, draws=integer(ge=2), largest=integer(ge=3))
_BATTERIES = Form(
    names=must(named("batteries", Names)),
    repeats=Count,
    up_to=Count,
    methods_up_to=mapping(Count, key=named("methods")),
)
_RANKING = Form(
    pool=must(_POOL),
    m=must(Size),
    batteries=either(_BATTERIES, None),
    datasets=must(_DATASETS_OR_ALL),
    metrics=must(named("metrics of classes", Names)),
    pools=mapping(_POOL, key=named("datasets")),
    methods=_METHODS_OR_ALL,
    groups=either(mapping(_DATASETS, key=Text), None),
    tuned=either(Form(methods=must(_METHODS), score=must(named("tuning scores"))), None),
)
_CELLS = Form(targets=named("targets and ranking", Names), datasets=_DATASETS, rows=_ROWS)
_WHICH = "names no cells; it must say which cells, by 'targets', 'datasets' or 'rows'"
_NOT_RUN = Form(_CELLS, some_of("targets", "datasets", "rows", sentence=_WHICH), reason=must(Text))
_SHORTENED = Form(
    _CELLS,
    some_of("race", "repeats", "grid", sentence="must have 'race', 'repeats' or 'grid'"),
    rows=must(_ROWS),
    race=Yes,
    repeats=Count,
    grid=mapping(listed(object), least=1),
)
_MEGABYTES = told(
    "allowed are a number of megabytes, auto and null", Literal["auto"], number(gt=0, le=1e9), None
)
_OF_TARGET = Form(
    datasets=either(_DATASETS, None),
    pool=either(_POOL, None),
    sizes=either(Counts, None),
    methods=either(_METHODS, None),
)
_OVERRIDE = Form(
    _OF_TARGET,
    pools=either(mapping(_POOL, key=named("pools of rows")), None),
    grid=_GRIDS,
    tune=_TUNED,
    targets=either(mapping(_OF_TARGET, key=named("targets")), None),
)

#: Keys of the configuration; config/README.md documents them.
CONFIGURATION = Form(
    name=must(Text),
    seed=must(integer(ge=0)),
    threads=must(Count),
    targets=either(_TARGETS, None),
    mirror=either(str, None),
    kept=either(str, None),
    methods=_FILES,
    datasets=_FILES,
    pools=_FILES,
    studies=_FILES,
    timing=_TIMING,
    selection=_SELECTION,
    ranking=either(_RANKING, None),
    not_run=several(_NOT_RUN, least=0),
    shortened=several(_SHORTENED, least=0),
    limits=either(Form(minutes=either(number(gt=0, le=30_000), None), memory_mb=_MEGABYTES), None),
    override=either(_OVERRIDE, None),
)

_TARGET_KEY = text(
    "^[A-Za-z0-9_]+$",
    "it must consist of letters, digits and _, as it becomes part of a target and of paths",
)
_CARD = text(
    "^scorecard(_[a-z]+)?$",
    "it must be 'scorecard', or 'scorecard_' and small letters, as it is a target",
)
_ROW = Form(
    exactly_one("method", "base", "control"),
    needs("parameters", "method"),
    needs("tune", "method"),
    needs("samples", "method"),
    needs("among", "method", "parameters"),
    not_both("control", "pool"),
    not_both("among", "tune"),
    label=text(r"^[^{}]*$", "a row's label has no braces", Text),
    method=named("methods"),
    parameters=Parameters,
    among=mapping(listed(object), least=1),
    base=Literal["mean", "best", "ensemble-mean", "ensemble-best", "ensemble-picked"],
    control=Literal["random", "truth"],
    samples=SAMPLES,
    tune=Form(TUNE, over=Names, race=bool),
    pool=_POOL,
    same_as=named("rows"),
    fitted=Yes,
)
#: Keys of a file of a study; config/README.md documents them.
STUDY = Form(
    title=must(Text),
    citation=must(Text),
    pool=must(_POOL),
    m=must(Size),
    datasets=must(mapping(_DATASETS, key=Text, least=1)),
    metrics=must(mapping(named("columns"), key=Text, least=1)),
    rows=mapping(_ROW, key=Text, least=1),
    pools=mapping(_POOL, key=named("datasets")),
    own=named("rows", Names),
    scorecard=_CARD,
    aliases=mapping(named("datasets")),
    tables=mapping(KINDS["table"].form, key=_TARGET_KEY),
    figures=mapping(ByKind(forms_of("figures")), key=_TARGET_KEY),
    audits=mapping(ByKind(forms_of("audits")), key=_TARGET_KEY),
)
