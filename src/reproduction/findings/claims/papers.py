"""The claims of all papers."""

from reproduction.findings.claims import acmk, eccms, hclce, lta, rce
from reproduction.findings.claims.words import Claim

#: Claims by their names, in the order of the papers.
CLAIMS = {
    claim.name: claim
    for paper in (eccms, lta, rce, acmk, hclce)
    for claim in vars(paper).values()
    if isinstance(claim, Claim)
}


def judged_targets() -> list[str]:
    """Targets whose numbers judge the claims, each once."""
    checks = (check for claim in CLAIMS.values() for check in claim.checks.values())
    return list(dict.fromkeys(target for check in checks for target in check.targets))
