"""Form of the files in config/papers; a table, figure or audit has the keys of its kind alone."""

from __future__ import annotations

from typing import Literal

from coassoc.plan.kinds import KINDS, SAMPLES, forms_of
from coassoc.storage.forms import (
    ByKind,
    Count,
    Form,
    Names,
    Parameters,
    Text,
    exactly_one,
    listed,
    mapping,
    must,
    needs,
    not_both,
    text,
)

__all__ = ["PAPER"]

_ENTRY_NAME = text(
    "^[A-Za-z0-9_]+$",
    "it must consist of letters, digits and _, as it becomes part of a target and of paths",
)
_SCORECARD = text(
    "^scorecard(_[a-z]+)?$",
    "it must be 'scorecard', or 'scorecard_' and small letters, as it is a target",
)
_LABEL = text(r"^[^{}]*$", "a row's label has no braces", Text)
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
    m=must(Count),
    datasets=must(mapping(Names, key=Text, least=1)),
    metrics=must(mapping(str, key=Text, least=1)),
    rows=mapping(_ROW, key=Text, least=1),
    pools=mapping(str),
    own=Names,
    scorecard=_SCORECARD,
    aliases=mapping(str),
    tables=mapping(KINDS["table"].form, key=_ENTRY_NAME),
    figures=mapping(ByKind(forms_of("figures")), key=_ENTRY_NAME),
    audits=mapping(ByKind(forms_of("audits")), key=_ENTRY_NAME),
)
