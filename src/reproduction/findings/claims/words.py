"""Functions with which claims are written.

A module of claims has one function for each claim, whose docstring is the claim in this project's
words. The function returns the check that decides the claim, or the verdict if no check can decide
it:

    @claim("Section IV-B1, second observation")
    def improves_lwea():
        "Tuned against the classes, EC-CMS improves LWEA on all data sets."
        return above("eccms_table4", [TUNED], over=["LWEA"])

If a further check differs from the claim's check in one argument, such as the rows, the function
takes this argument, and `also` and `depends` contain its value in place of a check:

    @claim("Section IV-B1, second observation", also={"at its default": [DEFAULT]})
    def improves_lwea(rows=(TUNED,)):
        …

docs/explanation/agreement-measures.md states the rules, for example when a claim is judged against
the best of the other methods, and when against each of them. If a paper tunes its own method
against the classes and the compared methods run at their defaults, the claim says so, or an
additional check counts the cells at the default.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from reproduction.findings.claims.checks import Check

#: Subject of an additional check, if the claim is about a method tuned against the classes.
AT_DEFAULT = "at its default"
#: What verdicts of LTA and of ACMK depend on.
ORDER = "the order of the samples in the file"
ENDING = (
    "the graph of the final step (the filter's copy A, which fits the published numbers, or the "
    "graph W, as in the paper's text)"
)
#: Each of these → the condition of the check that decides a claim, and the other condition.
CONDITIONS = {
    ORDER: ("in the order of the file", "with shuffled samples"),
    ENDING: ("with A", "with W"),
}


@dataclass(frozen=True)
class Claim:
    """A claim of a paper."""

    #: Name, such as "eccms-best-ari", and study of the paper.
    name: str
    paper: str
    #: Place in the paper, and wording.
    place: str
    text: str
    #: The check that decides the claim, or the verdict if no check can.
    decided_by: Check | str
    #: Number of cells in which the claim must hold: "all", "most" (more than half), or a number.
    needs: str | int = "all"
    #: Whether the claim is on the page of findings.
    headline: bool = False
    #: Key of CONDITIONS → check under the other condition. If its verdict is of a different kind,
    #: the verdict on the claim depends on the condition.
    depends: Mapping[str, Check] = field(default_factory=dict)
    #: Subject → additional check, whose count follows the verdict.
    also: Mapping[str, Check] = field(default_factory=dict)

    @property
    def checks(self) -> dict[str, Check]:
        """The checks by their subjects; "" is the subject of the deciding check."""
        decisive = {"": self.decided_by} if isinstance(self.decided_by, Check) else {}
        return {**decisive, **self.depends, **self.also}


def claim(
    place: str,
    needs: str | int = "all",
    *,
    headline: bool = False,
    depends: Mapping[str, Any] | None = None,
    also: Mapping[str, Any] | None = None,
) -> Callable[[Callable[..., Any]], Claim]:
    """Turn a function into a claim of the paper after which its module is named."""

    def make(function: Callable[..., Any]) -> Claim:
        paper = function.__module__.rpartition(".")[2]
        name = function.__name__.strip("_").replace("_", "-")
        text = " ".join((inspect.getdoc(function) or "").split())
        beside = [
            {what: x if isinstance(x, Check) else function(x) for what, x in (given or {}).items()}
            for given in (depends, also)
        ]
        return Claim(f"{paper}-{name}", paper, place, text, function(), needs, headline, *beside)

    return make
