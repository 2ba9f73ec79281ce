"""Runs that are still to be made, and the time that they usually take."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from reproduction.plan.cells import Plan
from reproduction.plan.keys import RunKey
from coassoc.methods.catalogue import endings_of_one_refinement
from reproduction.plan.studies import Target

#: From the path of a target to those of its sources whose lines of scores are kept.
KeptRuns = Callable[[str], Collection[str]]
#: Seconds that a job takes besides its fits, most of them for its imports.
_JOB_SECONDS = 3.0


@dataclass(frozen=True)
class Left:
    """How many runs a table, figure or audit still lacks, and the seconds that they usually take.

    The time of a run that an earlier target needs too is counted there.
    """

    target: str
    runs: int
    missing: int
    seconds: float


def what_is_left(plan: Plan, seconds: Callable[[str, RunKey], float], kept: KeptRuns) -> list[Left]:
    """The missing runs of each wanted target.

    A run is missing if neither its file nor kept lines of scores exist: an outdated file counts, a
    run in progress does not. `seconds` gives the usual time of a run, by what is made of it.
    """
    endings = endings_of_one_refinement(plan.catalogues.methods)
    together = {name: "+".join(names) for names in endings for name in names}
    left, counted = [], set()
    for target in plan.wanted:
        runs = set(target.runs)
        missing = {run for run in runs if not Path(_made(target, run)).exists()}
        if target.needs == "scores":
            there = kept(target.path)
            missing = {run for run in missing if run.stem not in there}
        jobs: dict[tuple[str, ...], float] = {}
        for run in missing:
            job = (target.needs, replace(run, method=together.get(run.method, run.method)).stem)
            if job not in counted:
                jobs[job] = max(jobs.get(job, 0.0), _JOB_SECONDS + seconds(target.needs, run))
        counted |= set(jobs)
        left.append(Left(target.name, len(runs), len(missing), sum(jobs.values())))
    return left


def _made(target: Target, run: RunKey) -> str:
    """The file that is there when a run is done, or the figure that makes its fits itself."""
    if target.needs == "fits":
        return target.files[0]
    return run.measured_path(target.needs) or run.path()


def page_of_what_is_left(
    plan: Plan, seconds: Callable[[str, RunKey], float], kept: KeptRuns
) -> str:
    """What :func:`what_is_left` finds, as :func:`page` shows it."""
    return page(what_is_left(plan, seconds, kept))


def page(left: Iterable[Left]) -> str:
    """The targets that wait for runs, those that take longest first, as Markdown."""
    waiting = sorted((row for row in left if row.missing), key=lambda row: -row.seconds)
    if not waiting:
        return "Nothing is left to run.\n"
    total = sum(row.seconds for row in waiting)
    lines = [
        f"About {in_words(total)} of one core are left, by the costs of the methods.",
        "The time of a run that several targets need is counted at the first of them.",
        "",
        "| target | runs | left | about |",
        "|:--|--:|--:|--:|",
    ]
    for row in waiting:
        about = in_words(row.seconds) if row.seconds else "none of its own"
        lines.append(f"| {row.target} | {row.runs} | {row.missing} | {about} |")
    return "\n".join(lines) + "\n"


def in_words(seconds: float) -> str:
    """A duration as one says it: minutes below two hours, then hours, then days."""
    for unit, length in (("days", 86400), ("hours", 3600)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    minutes = max(round(seconds / 60), 1)
    return "1 minute" if minutes == 1 else f"{minutes} minutes"
