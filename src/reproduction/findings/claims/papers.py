"""The claims of all papers, and a check that the studies contain all that the claims name."""

from typing import TYPE_CHECKING

from coassoc.errors import check_known
from reproduction.findings.claims import acmk, eccms, hclce, lta, rce
from reproduction.findings.claims.checks import ON_CURVES, Check
from reproduction.findings.claims.words import Claim
from reproduction.study.kinds import KINDS, MADE_FROM
from reproduction.study.paths import name_of

if TYPE_CHECKING:
    from reproduction.study.plan import Plan

#: Claims by their names, in the order of the papers.
CLAIMS = {
    claim.name: claim
    for paper in (eccms, lta, rce, acmk, hclce)
    for claim in vars(paper).values()
    if isinstance(claim, Claim)
}
#: Rows and metrics of these files that the cells lack.
_ROWS = {"reliability": ("share", "precision", "recall"), "matrices": ("coherent-link",)}
_METRICS = {"matrices": ("strong", "recall of strong", "precision of strong", "between", "AUC")}


def judged_targets() -> list[str]:
    """Targets whose numbers judge the claims, each once."""
    checks = (check for claim in CLAIMS.values() for check in claim.checks.values())
    return list(dict.fromkeys(target for check in checks for target in check.targets))


def check_claim(claim: Claim, plan: "Plan") -> None:
    """Raise a ConfigError for a target, row, metric or data set that the study does not have."""
    for what, check in claim.checks.items():
        kinds = KINDS["figures"] if check.kind in ON_CURVES else MADE_FROM
        targets = {
            name_of(path): path
            for path, target in plan.targets.items()
            if target.kind in kinds and path.split("/")[0] == claim.paper
        }
        place = f"{claim.name}{what and f', {what}'}"
        check_known(place, check.kind, check.targets, targets)
        _check_names(place, check, [targets[name] for name in check.targets], plan)


def _check_names(place: str, check: Check, paths: list[str], plan: "Plan") -> None:
    """Raise for a row, metric or data set that targets do not have."""
    cells = [cell for path in paths for cell in plan.unedited[path]]
    kinds = [plan.targets[path].kind for path in paths]
    rows, datasets, variants = (
        {cell[column] for cell in cells} for column in ("label", "dataset", "variant")
    )
    metrics = {name for path in paths for name in plan.columns(path)}
    rows.update(*(_ROWS.get(kind, ()) for kind in kinds))
    shown = metrics.union(*(_METRICS.get(kind, ()) for kind in kinds))
    by = check.options.get("by")
    for key, names, allowed in (
        ("rows", check.rows, rows),
        ("datasets", check.datasets or [], datasets),
        ("metrics", check.metrics or [], shown),
        ("by", by if isinstance(by, dict) else [], metrics),
        ("variant", [check.variant] if check.variant else [], variants),
    ):
        check_known(
            place, f"{check.kind} on {', '.join(check.targets)}, {key}", names, sorted(allowed)
        )
