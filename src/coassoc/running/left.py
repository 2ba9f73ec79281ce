"""What is left of everything that a configuration asks for, and how long it usually takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from coassoc.plan.artefacts import Artefact
from coassoc.plan.runs import RunSpec
from coassoc.running.progress import in_words

__all__ = ["Left", "page", "what_is_left", "write_page"]


@dataclass(frozen=True)
class Left:
    """What a table, figure or audit still waits for.

    Attributes
    ----------
    target : str
        Its name.
    runs, missing : int
        How many runs it is made of, and how many of them do not exist.
    seconds : float
        What the missing runs usually take; those that a target before it needs are counted there.
    """

    target: str
    runs: int
    missing: int
    seconds: float


def what_is_left(
    artefacts: Iterable[Artefact],
    seconds: Callable[[str, RunSpec], float],
    together: Mapping[str, str],
) -> list[Left]:
    """What each artefact waits for, by the files that are not there.

    A file that is out of date counts as there; a run in progress as not begun.

    Parameters
    ----------
    artefacts : iterable of Artefact
    seconds : callable
        Folder of the results, and a run → the seconds that the job usually takes.
    together : mapping of str to str
        Method → a name shared by the methods whose runs are one job, for those that have such.
    """
    found, counted = [], set()
    for artefact in artefacts:
        runs = {run for cell in artefact.cells if not cell.not_run for run in cell.runs}
        missing = {run for run in runs if not Path(_made(artefact, run)).exists()}
        jobs: dict[tuple[str, ...], float] = {}
        for run in missing:
            place = run.stem.replace(f"/{run.method}/", f"/{together.get(run.method, run.method)}/")
            job = (artefact.folder, place)
            if job not in counted:
                jobs[job] = max(jobs.get(job, 0.0), seconds(artefact.folder, run))
        counted |= set(jobs)
        found.append(Left(artefact.target, len(runs), len(missing), sum(jobs.values())))
    return found


def _made(artefact: Artefact, run: RunSpec) -> str:
    """The file that is there when a run is done, or the fit that a figure makes itself."""
    if artefact.kind in ("matrices", "before_after", "embedding"):
        return artefact.files[0]
    if artefact.kind == "convergence":
        return f"results/runs/{run.stem}.h5"
    return f"{artefact.folder}/{run.stem}.csv"


def page(left: Iterable[Left]) -> str:
    """The targets that wait for runs, those that take longest first, as Markdown."""
    waiting = sorted((each for each in left if each.missing), key=lambda each: -each.seconds)
    if not waiting:
        return "Nothing is left to run.\n"
    total = sum(each.seconds for each in waiting)
    lines = [
        f"About {in_words(total)} of one core are left, by the costs in config/methods.yaml.",
        "The time of a run that several targets need is counted at the first of them.",
        "",
        "| target | runs | left | about |",
        "|:--|--:|--:|--:|",
    ]
    for each in waiting:
        about = in_words(each.seconds) if each.seconds else "none of its own"
        lines.append(f"| {each.target} | {each.runs} | {each.missing} | {about} |")
    return "\n".join(lines) + "\n"


def write_page(path: str | Path, content: str) -> None:
    """Write the page, and show it."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(content, encoding="utf-8")
    print(content)
