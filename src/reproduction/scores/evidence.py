"""Evidence: what the job of a target reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from coassoc.bench.storage.records import Cell
from coassoc.bench.summaries import Scores, lines_of, summarize, with_values
from reproduction.scores.files import read_measured, read_scores
from reproduction.study.cells_file import read_cells
from reproduction.study.paths import place_measured


@dataclass(frozen=True)
class Evidence:
    """Inputs of one target."""

    cells: Sequence[Cell]
    #: Measured times for "scaling", criteria at several numbers of clusters for "n_clusters", and
    #: scores otherwise. Empty if the target is made from other files.
    scores: Scores
    #: Options of the target in its study, such as metrics, with its title and caption.
    spec: Mapping[str, Any]

    @property
    def metric(self) -> str:
        """Name of the (first) score in tables; empty if the target requests no score."""
        return next(iter(self.spec.get("metrics", {})), "")

    @cached_property
    def lines(self) -> pd.DataFrame:
        """Score lines of all cells, including failed repeats, with label, dataset, … and run."""
        return lines_of(self.cells, self.scores)

    @property
    def summary(self) -> pd.DataFrame:
        """Mean and standard deviation of each cell and metric (see :func:`summarize`)."""
        options = self.spec["metrics"], self.spec.get("relative_to")
        return summarize(self.cells, self.scores, *options)

    @property
    def values(self) -> pd.DataFrame:
        """The score lines with the target's score as ``value``; NaN for failed repeats."""
        return with_values(self.lines, self.spec["metrics"][self.metric])


def read_evidence(snakemake: Any) -> Evidence:
    """Read what the job of a target needs, given its rule's inputs and its parameter ``spec``."""
    spec, scores = snakemake.params.spec, {}
    if "measured" in spec:
        measured = read_measured(spec["measured"])
        scores = {place_measured(file): frame for file, frame in measured.items()}
    elif file := snakemake.input.get("scores"):
        scores = read_scores(file)
    return Evidence(read_cells(spec["target"]), scores, spec)
