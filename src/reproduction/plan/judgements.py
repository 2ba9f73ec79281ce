"""What the papers claim, and why cells differ: config/claims.yaml and config/differences.yaml."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from coassoc.storage.configuration import validated_yaml
from coassoc.storage.forms import (
    Count,
    Form,
    Type,
    Yes,
    exactly_one,
    integer,
    mapping,
    must,
    not_both,
    number,
    several,
    told,
)
from coassoc.storage.names import check_known
from reproduction.plan.studies import SECTIONS, Study, Target

_CLAIMS, _DIFFERENCES = "config/claims.yaml", "config/differences.yaml"

_NAMES = several(str)
_OVER = told("it must be a list of rows, or others", Literal["others"], _NAMES)
_BY, _NUMBER, _OF = number(ge=0), number(), Literal["mean", "std"]
_PLACE = Form(**{"in": must(_NAMES), "metrics": _NAMES, "datasets": _NAMES})
_ROWS = Form(_PLACE, rows=must(_NAMES))
_RIVALS = Form(_ROWS, over=must(_OVER), but=_NAMES)
_ABOVE = Form(
    _RIVALS,
    each=bool,
    either=Yes,
    by=_BY,
    of=_OF,
    averaged=Yes,
    together=Yes,
    printed_rivals=Yes,
)
_GAIN = Form(
    _PLACE,
    row=must(str),
    over=must(str),
    mean=must(Literal["ratios", "scores"]),
    by=must(mapping(_NUMBER, least=1)),
)
_FROM_TO = {"from": must(_NUMBER), "to": must(_NUMBER)}


@dataclass(frozen=True)
class Check:
    """A way to decide a claim."""

    #: "module:function" that yields the decisions.
    decide: str
    #: Keys of its entry in config/claims.yaml.
    form: Type
    #: Whether it looks at curves, which are in figures.
    on_curves: bool = False


def _check(name: str, form: Type, on_curves: bool = False) -> dict[str, Check]:
    return {name: Check(f"reproduction.results.claims.checks:{name}", form, on_curves)}


_SHARE = number(ge=0, le=1)
_CURVE_ABOVE = Form(
    _ROWS,
    not_both("share", "by"),
    not_both("share", "each"),
    over=must(_OVER),
    by=_BY,
    each=bool,
    at=_NUMBER,
    share=_SHARE,
    **_FROM_TO,
)
_RISING = Form(_ROWS, by=_BY, of=_OF, ends=Yes, each=Yes, backwards=Yes)
#: All checks by their keys in config/claims.yaml.
CHECKS: dict[str, Check] = {
    **_check("above", _ABOVE),
    **_check("significant", Form(_RIVALS, repeats=must(integer(ge=2)))),
    **_check("gain", _GAIN),
    **_check("small", Form(_ROWS, by=must(_BY), **{"from": _NUMBER})),
    **_check("peak", Form(_ROWS, at=must(several(_NUMBER)), by=_BY), on_curves=True),
    **_check("curve_above", _CURVE_ABOVE, on_curves=True),
    **_check("rising", _RISING, on_curves=True),
    **_check("stable", Form(_ROWS, by=must(_BY), share=must(_SHARE)), on_curves=True),
}
_FORMS = {name: check.form for name, check in CHECKS.items()}


def _share_is_told(claim: Mapping[str, Any]) -> str | None:
    """A check is on several cells, and says of how many it must be true."""
    if "needs" in claim or not _checks_of(claim):
        return None
    return "lacks the key 'needs': all, most or a number"


_SECOND = Form(exactly_one(*CHECKS), what=must(str), **_FORMS)
_CLAIM = Form(
    exactly_one(*CHECKS, "cannot", "tested_by"),
    _share_is_told,
    paper=must(str),
    place=must(str),
    claim=must(str),
    headline=Yes,
    needs=told("allowed are all, most and a number", Literal["all", "most"], Count),
    cannot=str,
    tested_by=str,
    depends=_SECOND,
    also=several(_SECOND),
    **_FORMS,
)
_DIFFERENCE = Form(
    paper=must(str),
    because=must(str),
    shown_by=must(str),
    tables=_NAMES,
    datasets=_NAMES,
    methods=_NAMES,
    metrics=_NAMES,
    not_comparable=bool,
)


def load_claims(folder: Path, studies: Mapping[str, Study]) -> dict[str, dict[str, Any]]:
    """Read the claims, and check that all they name exists, or raise a ConfigError."""
    claims: dict[str, dict[str, Any]] = validated_yaml(folder / "claims.yaml", mapping(_CLAIM))
    for name, claim in claims.items():
        check_known(_CLAIMS, f"{name}.paper", [claim["paper"]], studies)
        targets = studies[claim["paper"]].targets
        for place, judged in _judged(name, claim):
            for kind, spec in _checks_of(judged):
                sections = ("figures",) if CHECKS[kind].on_curves else SECTIONS
                there = {
                    target.name: target
                    for target in targets
                    if target.section in sections
                    and (target.section != "figures" or target.of_kind.numbers)
                }
                _check_names(f"{place}.{kind}", spec, there)
    return claims


def _judged(name: str, claim: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """A claim and its other checks, with their places in the file."""
    yield name, claim
    yield f"{name}.depends", claim.get("depends", {})
    for place, other in enumerate(claim.get("also", []), start=1):
        yield f"{name}.also, {place}", other


def _checks_of(judged: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return [(kind, judged[kind]) for kind in CHECKS if kind in judged]


def _check_names(place: str, spec: Mapping[str, Any], targets: Mapping[str, Target]) -> None:
    """Raise for a target, row, metric or data set that does not exist."""
    check_known(_CLAIMS, f"{place}.in", spec["in"], targets)
    over, by = spec.get("over", []), spec.get("by")
    rows = [*spec.get("rows", []), *spec.get("but", []), *filter(None, [spec.get("row")])]
    rows += over if isinstance(over, list) else [over] * (over != "others")
    metrics = [*spec.get("metrics", []), *(by if isinstance(by, dict) else [])]
    judged = [targets[name] for name in spec["in"]]
    for key, names, known in (
        (f"{place} on {', '.join(spec['in'])}", rows, [[*x.rows, *x.swept] for x in judged]),
        (f"{place}.datasets", spec.get("datasets", []), [target.datasets for target in judged]),
        (f"{place}.metrics", metrics, [target.metrics for target in judged]),
    ):
        check_known(_CLAIMS, key, names, sorted({*itertools.chain.from_iterable(known)}))


def judged_targets(claims: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Targets whose numbers the claims are judged by, without repetition."""
    judged = (entry for name, claim in claims.items() for _, entry in _judged(name, claim))
    specs = (spec for entry in judged for _, spec in _checks_of(entry))
    return list(dict.fromkeys(target for spec in specs for target in spec["in"]))


def load_differences(
    folder: Path, studies: Mapping[str, Study], published: Iterable[Mapping[str, str]]
) -> list[dict[str, Any]]:
    """Read the reasons why published cells differ or cannot be compared, and check the cells.

    An entry that names what no published number has is a ConfigError.
    """
    path = folder / "differences.yaml"
    differences: list[dict[str, Any]] = validated_yaml(path, several(_DIFFERENCE))
    numbers = list(published)
    for place, entry in enumerate(differences, start=1):
        check_known(_DIFFERENCES, f"entry {place}, paper", [entry["paper"]], studies)
        own = [printed for printed in numbers if printed["paper"] == entry["paper"]]
        for key in ("table", "dataset", "method", "metric"):
            known = sorted({printed[key] for printed in own})
            check_known(_DIFFERENCES, f"entry {place}, {key}s", entry.get(f"{key}s", []), known)
    return differences
