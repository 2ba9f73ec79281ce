"""Revisions: which fingerprints of a method's code give the same numbers.

A run is out of date when code changed that can change its numbers: that of its method with all that
it imports, of :mod:`coassoc.bench.fits`, which draws, seeds and fits, of a pool's classes, and,
where the points of its grid race, of the race and its score. Words, names and limits do not count.
The fingerprint of that code (:mod:`reproduction.plan.closure`) says too much: renaming a function
changes it and no number. So ``revisions.csv`` lists the fingerprints that were shown to give the
same labels, as one *revision*. A run of a method whose present fingerprint is listed is identified
by the revision; that of any other, an edited method or a user's own, by the fingerprint itself.

``make same-numbers`` gathers the evidence, and adds the present fingerprints or says which labels
moved.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from coassoc.metrics import METRICS
from reproduction.plan.closure import SourceCode

#: The file of the library's methods, and of races by each metric.
FILE = Path(__file__).with_name("revisions.csv")
#: Errors and their words, descriptions, names, and refusals of what would not fit into memory.
_CHANGE_NO_NUMBER = (
    "coassoc.errors",
    "coassoc.methods.docstrings",
    "coassoc.methods.memory",
    "coassoc.methods.names",
    "coassoc.methods.memory",
)


@dataclass(frozen=True, order=True)
class Line:
    """One line of the file: code with a fingerprint makes the numbers of a revision."""

    #: A method, "race by" and a metric, or "pools" and their kind.
    name: str
    revision: int
    fingerprint: str

    @property
    def identity(self) -> str:
        """What runs of that code say, such as "LWEA 1"."""
        return f"{self.name} {self.revision}"


def run_starts(module: str) -> tuple[str, ...]:
    """Code that decides what a method's runs give, that of its own module first."""
    return module, "coassoc.bench.fits", "coassoc.storage.records:Pool"


#: Module whose code decides what is in a pool of each kind, and in a shuffled one.
POOL_KINDS = {
    "generated": "coassoc.pools.generation",
    "published": "reproduction.pools.published",
    "results": "reproduction.pools.results",
    "labels": "reproduction.pools.label_import",
    "shuffled": "coassoc.pools.draws",
}


def race_starts(metric: str) -> tuple[str, ...]:
    """Code that decides a race: :class:`~reproduction.plan.closure.SourceCode` takes it."""
    score = f"coassoc.metrics:{METRICS[metric].__name__}"
    return "coassoc.racing", "coassoc.metrics:best_score", score


class Revisions:
    """Identities of the code behind runs; the lines are those of :data:`FILE` by default."""

    def __init__(self, source: SourceCode, lines: Iterable[Line] | None = None) -> None:
        self._source = source
        self._lines = list(read_lines() if lines is None else lines)
        self._known = identities(self._lines)

    def code(self, method: str, module: str, race: str | None = None) -> str:
        """Identity of the code of a run, such as "LWEA 1" or "LWEA 1, race by ARI 1"."""
        parts = [self.identity(method, run_starts(module))]
        if race:
            parts.append(self.identity(f"race by {race}", race_starts(race)))
        return ", ".join(parts)

    def pools(self, kind: str) -> str:
        """Identity of the code that makes pools of a kind, such as "pools generated 1"."""
        return self.identity(f"pools {kind}", (POOL_KINDS[kind],))

    def fingerprint(self, *starts: str) -> str:
        """Hash of the code that can change the numbers made by some modules or functions."""
        return self._source.fingerprint(*starts, without=_CHANGE_NO_NUMBER)

    def identity(self, name: str, starts: tuple[str, ...]) -> str:
        """Name and revision, or the fingerprint where the file does not have it."""
        fingerprint = self.fingerprint(*starts)
        return self._known.get((name, fingerprint), fingerprint)

    def same_as_present(self, methods: Mapping[str, str]) -> set[str]:
        """Every identity of runs whose code gives the same numbers as a method's present one."""
        of_methods = {self.code(name, module) for name, module in methods.items()}
        of_races = {self.identity(f"race by {metric}", race_starts(metric)) for metric in METRICS}
        # A run that was made before its code was listed has the fingerprint in place of the name.
        of_methods |= {x.fingerprint for x in self._lines if x.identity in of_methods}
        of_races |= {x.fingerprint for x in self._lines if x.identity in of_races}
        return of_methods | {f"{method}, {race}" for method in of_methods for race in of_races}


def identities(lines: Iterable[Line]) -> dict[tuple[str, str], str]:
    """Name and fingerprint of each line → its identity."""
    return {(line.name, line.fingerprint): line.identity for line in lines}


def read_lines(path: Path = FILE) -> list[Line]:
    """The lines of a file of revisions."""
    lines = pd.read_csv(path, dtype={"fingerprint": str})
    return [Line(*line) for line in lines.itertuples(index=False)]


def write_lines(lines: Iterable[Line], path: Path = FILE) -> None:
    """Write a file of revisions, sorted."""
    pd.DataFrame(sorted(set(lines))).to_csv(path, index=False, lineterminator="\n")
