"""What lines of scores are of, to and from their names."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


def stem_of(path: str | Path, n_parts: int = 5) -> str:
    """What a file is of, the last parts of its path: five of a run's, two of a pool's."""
    return "/".join(Path(path).with_suffix("").parts[-n_parts:])


class ScoreSource(NamedTuple):
    """What lines of scores are of: a run, base clusterings of a pool, or references."""

    pool: str
    dataset: str
    #: Ensemble size; None for all base clusterings of a pool.
    m: int | None = None
    #: "base" for base clusterings, "reference" for what methods are compared with.
    method: str = "base"
    #: Name of a run's block of parameters; empty for what is no run.
    block: str = ""

    @classmethod
    def of(cls, stem: str) -> ScoreSource:
        """The source with a stem."""
        pool, dataset, *rest = stem.split("/")
        if len(rest) == 1:
            return cls(pool, dataset, None, *rest)
        return cls(pool, dataset, int(rest[0].removeprefix("m")), *rest[1:])

    @property
    def stem(self) -> str:
        """Its name; that of a run is the run's stem."""
        size = "" if self.m is None else f"m{self.m}"
        return "/".join(filter(None, (self.pool, self.dataset, size, self.method, self.block)))

    def path(self, pattern: str, **others: str) -> str:
        """A file by one of the patterns of :mod:`reproduction.plan.keys`; a KeyError without its m."""
        names = {name: part for name, part in self._asdict().items() if part is not None}
        return pattern.format(**names, parameters=self.block, **others)
