"""What the papers claim, why cells differ, and what yardsticks assume: files of config."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from coassoc.errors import check_known
from coassoc.storage.configuration import (
    Count,
    Model,
    NonEmptyDict,
    NonEmptyList,
    Number,
    exactly_one,
    expected,
    mistake,
    read_model,
)
from reproduction.study.cells import KINDS
from reproduction.study.plan import Plan, name_of

_CLAIMS, _DIFFERENCES = "config/claims.yaml", "config/differences.yaml"
_YARDSTICKS = "config/yardsticks.yaml"

_Names = NonEmptyList[str]
_Over = Annotated[Literal["others"] | _Names, expected("it must be a list of rows, or others")]
_By = Annotated[Number, Field(ge=0)]
_Share = Annotated[Number, Field(ge=0, le=1)]
_Statistic = Literal["mean", "std"]

# -- checks: ways to decide a claim ---------------------------------------------------------------


class Check(Model):
    """What every check has: where it looks."""

    targets: _Names = Field(alias="in")
    metrics: _Names | None = None
    datasets: _Names | None = None
    variant: str | None = None

    @property
    def row_names(self) -> list[str]:
        """All rows that it names."""
        several = [getattr(self, key, None) for key in ("rows", "but", "over")]
        named = itertools.chain(*(names for names in several if isinstance(names, list)))
        return [*named, *([self.row] if isinstance(self, Gain) else [])]

    @property
    def metric_names(self) -> list[str]:
        """All metrics that it names."""
        by = getattr(self, "by", None)
        return [*(self.metrics or ()), *(by if isinstance(by, dict) else ())]


class _OfRows(Check):
    rows: _Names


class Significant(_OfRows):
    """Rows better than the best of others by a t-test."""

    over: _Over
    but: _Names | None = None
    repeats: Annotated[int, Field(ge=2)]


class Above(_OfRows):
    """Rows at least as good as the best of others."""

    over: _Over
    but: _Names | None = None
    each: bool = False
    either: Literal[True] | None = None
    by: _By | None = None
    of: _Statistic | None = None
    averaged: Literal[True] | None = None
    together: Literal[True] | None = None
    printed_rivals: Literal[True] | None = None


class Gain(Check):
    """Mean relative gain over the best of others, a number for each metric, to within a quarter."""

    row: str
    over: _Over
    but: _Names | None = None
    mean: Literal["ratios", "scores"]
    by: NonEmptyDict[str, Number]


class Small(_OfRows):
    """Rows of distances that are small, or of scores near a number."""

    by: _By
    start: Number | None = Field(default=None, alias="from")
    x: Number | None = None


class Peak(_OfRows):
    """Where curves are at their best."""

    at: NonEmptyList[Number]
    by: _By | None = None


class CurveAbove(_OfRows):
    """Curves above a row or all other curves, or near it."""

    over: _Over
    start: Number = Field(alias="from")
    end: Number = Field(alias="to")
    by: _By | None = None
    each: bool | None = None
    at: Number | None = None
    share: _Share | None = None

    @model_validator(mode="after")
    def _check(self) -> CurveAbove:
        for other in ("by", "each"):
            if self.share is not None and getattr(self, other) is not None:
                raise mistake(f"may have 'share' or {other!r}, not both")
        return self


class Rising(_OfRows):
    """Curves that never fall, or end above their start."""

    by: _By | None = None
    of: _Statistic | None = None
    ends: Literal[True] | None = None
    each: Literal[True] | None = None
    backwards: Literal[True] | None = None


class Stable(_OfRows):
    """A share of the points of curves or surfaces near the best."""

    by: _By
    share: _Share


class Checked(Model):
    """One check."""

    above: Above | None = None
    significant: Significant | None = None
    gain: Gain | None = None
    small: Small | None = None
    peak: Peak | None = None
    curve_above: CurveAbove | None = None
    rising: Rising | None = None
    stable: Stable | None = None

    @property
    def checks(self) -> dict[str, Check]:
        """Its checks by their names; a claim that cannot be tested has none."""
        named = {name: getattr(self, name) for name in CHECKS}
        return {name: check for name, check in named.items() if check is not None}


#: All checks by their keys in config/claims.yaml: functions of
#: :mod:`reproduction.claims.checks` that yield the decisions.
CHECKS = tuple(Checked.model_fields)
#: Those that look at curves, which are in figures.
ON_CURVES = ("peak", "curve_above", "rising", "stable")


class OtherCheck(Checked):
    """A check beside that of a claim."""

    what: str

    @model_validator(mode="after")
    def _check(self) -> OtherCheck:
        exactly_one(self, *CHECKS)
        return self


class Claim(Checked):
    """What a paper claims; config/claims.yaml documents the keys."""

    paper: str
    place: str
    claim: str
    headline: Literal[True] | None = None
    needs: Annotated[
        Literal["all", "most"] | Count | None, expected("allowed are all, most and a number")
    ] = None
    cannot: str | None = None
    tested_by: str | None = None
    fails: str | None = None
    depends: OtherCheck | None = None
    also: NonEmptyList[OtherCheck] | None = None

    @model_validator(mode="after")
    def _check(self) -> Claim:
        exactly_one(self, *CHECKS, "cannot", "tested_by", "fails")
        if self.checks and self.needs is None:
            # A check is on several cells, and says of how many it must be true.
            raise mistake("lacks the key 'needs': all, most or a number")
        return self

    @property
    def judged(self) -> Iterator[tuple[str, Checked]]:
        """The claim and its other checks, with their places in the entry."""
        yield "", self
        if self.depends:
            yield ".depends", self.depends
        for place, other in enumerate(self.also or (), start=1):
            yield f".also, {place}", other


class Difference(Model):
    """Why cells differ from what is printed, or cannot be compared."""

    paper: str
    because: str
    shown_by: str
    tables: _Names | None = None
    datasets: _Names | None = None
    methods: _Names | None = None
    metrics: _Names | None = None
    not_comparable: bool = False


class Yardstick(Model):
    """What the yardsticks know of a paper; config/yardsticks.yaml documents the keys."""

    repeats: Annotated[int, Field(ge=2)]
    stated: bool
    tables: _Names
    single: list[str]
    tuned: bool


def load_yardsticks(folder: Path, studies: Iterable[str]) -> dict[str, Yardstick]:
    """Read what is known of each paper, and check that there is such a study."""
    papers: dict[str, Yardstick] = read_model(folder / "yardsticks.yaml", dict[str, Yardstick])
    check_known(_YARDSTICKS, "papers", papers, studies)
    return papers


#: Figures that have a CSV file of their numbers, as tables and analyses have, and rows and metrics
#: of these besides those of their cells.
_FIGURES = {
    "sensitivity": ((), ()),
    "surface": ((), ()),
    "ensemble_size": ((), ()),
    "before_after": ((), ()),
    "reliability": (("share", "precision", "recall"), ()),
    "matrices": (
        ("coherent-link",),
        ("strong", "recall of strong", "precision of strong", "between", "AUC"),
    ),
}


def load_claims(folder: Path, plan: Plan) -> dict[str, Claim]:
    """Read the claims, and check that all they name exists, or raise a ConfigError."""
    claims: dict[str, Claim] = read_model(folder / "claims.yaml", dict[str, Claim])
    with_numbers = {**KINDS["tables"], **KINDS["analyses"], **_FIGURES}
    for name, claim in claims.items():
        check_known(_CLAIMS, f"{name}.paper", [claim.paper], plan.studies)
        for place, judged in claim.judged:
            for kind, check in judged.checks.items():
                kinds = _FIGURES if kind in ON_CURVES else with_numbers
                there = {
                    name_of(path): path
                    for path, target in plan.targets.items()
                    if target.kind in kinds and path.split("/")[0] == claim.paper
                }
                _check_names(f"{name}{place}.{kind}", check, there, plan)
    return claims


def _check_names(place: str, check: Check, targets: Mapping[str, str], plan: Plan) -> None:
    """Raise for a target, row, metric or data set that does not exist."""
    check_known(_CLAIMS, f"{place}.in", check.targets, targets)
    paths = [targets[name] for name in check.targets]
    cells = [cell for path in paths for cell in plan.unedited[path]]
    further = [_FIGURES.get(plan.targets[path].kind, ((), ())) for path in paths]
    known = {column: {cell[column] for cell in cells} for column in ("label", "dataset", "variant")}
    metrics = {name for path in paths for name in plan.columns(path)}
    for key, names, there in (
        (
            f"{place} on {', '.join(check.targets)}",
            check.row_names,
            known["label"].union(*(rows for rows, _ in further)),
        ),
        (f"{place}.datasets", check.datasets or [], known["dataset"]),
        (f"{place}.metrics", check.metric_names, metrics.union(*(own for _, own in further))),
        (f"{place}.variant", [check.variant] if check.variant else [], known["variant"]),
    ):
        check_known(_CLAIMS, key, names, sorted(there))


def judged_targets(claims: Mapping[str, Claim]) -> list[str]:
    """Targets whose numbers the claims are judged by, without repetition."""
    judged = (entry for claim in claims.values() for _, entry in claim.judged)
    checks = (check for entry in judged for check in entry.checks.values())
    return list(dict.fromkeys(target for check in checks for target in check.targets))


def load_differences(
    folder: Path, studies: Iterable[str], published: Iterable[Mapping[str, str]]
) -> list[Difference]:
    """Read the reasons why published cells differ or cannot be compared, and check the cells.

    An entry that names what no published number has is a ConfigError.
    """
    differences: list[Difference] = read_model(
        folder / "differences.yaml", NonEmptyList[Difference]
    )
    numbers = list(published)
    for place, entry in enumerate(differences, start=1):
        check_known(_DIFFERENCES, f"entry {place}, paper", [entry.paper], studies)
        own = [printed for printed in numbers if printed["paper"] == entry.paper]
        for key in ("table", "dataset", "method", "metric"):
            known = sorted({printed[key] for printed in own})
            names = getattr(entry, f"{key}s") or []
            check_known(_DIFFERENCES, f"entry {place}, {key}s", names, known)
    return differences
