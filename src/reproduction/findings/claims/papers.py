"""The claims of all papers."""

from collections.abc import Iterable
from typing import Any

from reproduction.findings.claims import acmk, eccms, hclce, lta, rce
from reproduction.findings.claims.words import Claim


def claims_in(modules: Iterable[Any]) -> dict[str, Claim]:
    """The claims in some modules, by their names."""
    values = (x for module in modules for x in vars(module).values())
    return {x.name: x for x in values if isinstance(x, Claim)}


#: Claims by their names, in the order of the papers.
CLAIMS = claims_in((eccms, lta, rce, acmk, hclce))


def judged_targets(claims: Iterable[Claim] = CLAIMS.values()) -> list[str]:
    """Targets whose numbers judge the claims, each once."""
    checks = (check for claim in claims for check in claim.checks.values())
    return list(dict.fromkeys(target for check in checks for target in check.targets))
