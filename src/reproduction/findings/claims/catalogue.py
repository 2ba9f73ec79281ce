"""Claims of papers, read from config/claims/ or from the file claims.yaml of a user's paper."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field, model_validator

from coassoc.bench.storage.configuration import Count, ItemName, Model, Text, mistake, read_model
from reproduction.findings.claims.checks import DECIDE, Check, check_of
from reproduction.study.studies import name_of_file

#: What verdicts of LTA and of ACMK depend on.
ORDER = "the order of the samples in the file"
ENDING = (
    "the graph of the final step (the filter's copy A, which fits the published numbers, or the "
    "graph W, as in the paper's text)"
)
#: Each of these by its name in files of claims.
_CONDITIONS = {"order": ORDER, "ending": ENDING}
#: Each of these → the condition of the check that decides a claim, and the other condition.
CONDITIONS = {
    ORDER: ("in the order of the file", "with shuffled samples"),
    ENDING: ("with A", "with W"),
}


class ClaimKeys(Model):
    """An entry of a file of claims."""

    #: Place in the paper, and wording.
    place: Text
    text: Text
    #: The check that decides the claim, or the verdict if no check can.
    check: dict[str, Any] | None = None
    verdict: Text | None = None
    #: Number of cells in which the claim must hold: "all", "most" (more than half), or a number.
    needs: Literal["all", "most"] | Count = "all"
    #: Whether the claim is on the page of findings.
    headline: bool = False
    #: Condition → check, or changes of the deciding check, under the other condition. If its
    #: verdict is of a different kind, the verdict on the claim depends on the condition.
    depends: dict[Literal["order", "ending"], dict[str, Any]] = Field(default={})
    #: Subject → additional check, or changes of the deciding check; its count follows the verdict.
    also: dict[Text, dict[str, Any]] = Field(default={})

    @model_validator(mode="after")
    def _is_decided(self) -> "ClaimKeys":
        if (self.check is None) == (self.verdict is None):
            raise mistake("has a check and a verdict, or neither. Keep exactly one of the two")
        return self


@dataclass(frozen=True)
class Claim:
    """A claim of a paper. Fields are as in :class:`ClaimKeys`."""

    #: Name, such as "eccms-best-ari", and study of the paper.
    name: str
    paper: str
    place: str
    text: str
    decided_by: Check | str
    needs: str | int = "all"
    headline: bool = False
    depends: Mapping[str, Check] = field(default_factory=dict)
    also: Mapping[str, Check] = field(default_factory=dict)

    @property
    def checks(self) -> dict[str, Check]:
        """The checks by their subjects; "" is the subject of the deciding check."""
        decisive = {"": self.decided_by} if isinstance(self.decided_by, Check) else {}
        return {**decisive, **self.depends, **self.also}


def read_claims(paths: Iterable[str]) -> list[Claim]:
    """The claims in some files. A mistake raises a ConfigError."""
    read = {path: read_model(path, dict[ItemName, ClaimKeys]) for path in paths}
    return [_claim(path, name, keys) for path, own in read.items() for name, keys in own.items()]


def _claim(path: str, name: str, keys: ClaimKeys) -> Claim:
    base, paper = keys.check or {}, name_of_file(path)

    def check(given: dict[str, Any]) -> Check:
        is_whole = not DECIDE.keys().isdisjoint(given)
        return check_of(given if is_whole else base | given, paper, f"{path}: {name}")

    return Claim(
        name=f"{paper}-{name}",
        paper=paper,
        decided_by=keys.verdict or check(base),
        depends={_CONDITIONS[what]: check(given) for what, given in keys.depends.items()},
        also={what: check(given) for what, given in keys.also.items()},
        **keys.model_dump(include={"place", "text", "needs", "headline"}),
    )


def judged_targets(claims: Iterable[Claim]) -> list[str]:
    """Targets whose numbers judge the claims, each once."""
    checks = (check for claim in claims for check in claim.checks.values())
    return list(dict.fromkeys(target for check in checks for target in check.targets))
