"""The words in which claims are written.

A module of claims has a function for each, whose docstring is the claim in this project's words. It
returns the check that decides it, or the verdict where no check can:

    @claim("Section IV-B1, second observation", also={"at its default": above(…)})
    def improves_lwea():
        "Tuned against the classes, EC-CMS improves LWEA on all data sets."
        return above("eccms_table4", [TUNED], over=["LWEA"])

docs/explanation/agreement-measures.md has the rules, among them when a claim is judged against the
best of the others and when against one at a time. Where a paper tunes its own method with the
classes and the compared ones are at their defaults here, the claim says so, or has the count at the
default beside it.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from reproduction.claims.checks import Check

#: What a check is on that stands beside one of a method tuned against the classes.
AT_DEFAULT = "at its default"


@dataclass(frozen=True)
class Claim:
    """What a paper claims."""

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
    #: A condition → the check under it: where its verdict is of another kind, that depends on it.
    depends: Mapping[str, Check] = field(default_factory=dict)
    #: What other checks are on → these, whose counts stand beside the verdict.
    also: Mapping[str, Check] = field(default_factory=dict)

    @property
    def checks(self) -> dict[str, Check]:
        """The checks by what they are on; "" is what decides."""
        decisive = {"": self.decided_by} if isinstance(self.decided_by, Check) else {}
        return {**decisive, **self.depends, **self.also}


def claim(
    place: str,
    needs: str | int = "all",
    *,
    headline: bool = False,
    depends: Mapping[str, Check] | None = None,
    also: Mapping[str, Check] | None = None,
) -> Callable[[Callable[[], Check | str]], Claim]:
    """Make a function a claim of the paper whose study its module is called after."""

    def make(function: Callable[[], Check | str]) -> Claim:
        paper = function.__module__.rpartition(".")[2]
        name = function.__name__.strip("_").replace("_", "-")
        text = " ".join((inspect.getdoc(function) or "").split())
        beside = (depends or {}, also or {})
        return Claim(f"{paper}-{name}", paper, place, text, function(), needs, headline, *beside)

    return make
