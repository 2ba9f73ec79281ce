"""The file results/cells.parquet, which the main process writes and jobs read.

Each line is a cell and a source of its numbers. The columns are

=============  =================================================================================
target         path of the target, with its kind and what it reads (columns kind and reads)
cell           number of the cell, from 0
label          row of the table or figure, with its variant, reference, method and tune
dataset        data set, its number of samples (n), and whether it replaces another (instead)
pool           pool, and ensemble size (m)
x              abscissa, in JSON like point (of the grid) and columns (of the scores)
not_run        reason why the cell is left out
source         source of lines of scores, as in :mod:`reproduction.study.paths`
run_file       files of the source: also pool_file, features_file and measured_file
made_by        origin that new lines of the source would have
archive        file with the archived lines of the source
batch          file of the batch that computes the run
=============  =================================================================================
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.bench.storage.records import Cell, hash_of
from coassoc.errors import ConfigError
from coassoc.io.atomic import write_bytes
from reproduction.study.kinds import KINDS
from reproduction.study.paths import below_prefix

#: The table of cells and their sources.
CELLS = below_prefix("results/cells.parquet")

#: Columns whose values are stored as JSON.
_AS_JSON = ("x", "point", "columns")
#: Columns that are not stored, because the names of runs have their values.
_IN_NAMES = ["fixed", "grid", "part", "race", "repeats"]
#: Columns that do not affect a target.
_NOT_READ = ["cell", "n", "batch", "made_by"]

#: Lock files of Snakemake, which exist while a Snakemake process runs.
_LOCKS = Path(".snakemake/locks")


class Given(dict[str, Any]):
    """A parameter of a rule, of which Snakemake records and prints only a hash."""

    def __repr__(self) -> str:
        return hash_of(self)


@dataclass
class PlannedLines:
    """The lines of results/cells.parquet, by target and by batch.

    Their attribute ``configuration`` is a hash of the configuration.
    """

    lines: pd.DataFrame

    @classmethod
    def read(cls) -> "PlannedLines":
        """The content of the file; empty if there is none, or if another version wrote it."""
        read = ["target", "kind", "not_run", "batch", "run_file"]
        if CELLS.is_file():
            lines = pd.read_parquet(CELLS)
            if {*read} <= {*lines} and {*lines["kind"]} <= {*KINDS}:
                return cls(lines)
        return cls(pd.DataFrame(columns=read))

    @cached_property
    def of_targets(self) -> dict[str, pd.DataFrame]:
        """The lines of each target that shows any of its cells."""
        shown = self.lines["not_run"].eq("") | self.lines["kind"].map(_is_table)
        left = {*self.lines["target"][shown.astype(bool)]}
        groups = self.lines.groupby("target", sort=False)
        return {path: lines for path, lines in groups if path in left}

    @cached_property
    def batches(self) -> dict[str, list[str]]:
        """The run files of each batch."""
        lines = self.lines[self.lines["batch"].ne("")]
        return {batch: sorted({*files}) for batch, files in lines.groupby("batch")["run_file"]}

    def replaced(self, lines: pd.DataFrame, configuration: str) -> "PlannedLines":
        """Write other lines if they differ, and return the content of the file.

        Raises
        ------
        ConfigError
            If another Snakemake process reads the file.
        """
        lines.attrs = {"configuration": configuration}
        planned = PlannedLines(lines)
        for batch, files in planned.batches.items():
            # The job of a batch recomputes a run whose file was deleted.
            if not all(below_prefix(file).exists() for file in files):
                below_prefix(batch).unlink(missing_ok=True)
        if self.lines.equals(lines) and self.lines.attrs == lines.attrs:
            return self
        if CELLS.is_file() and any(_LOCKS.glob("*")):
            raise ConfigError(
                f"{CELLS}: another Snakemake run in this folder has a different configuration. "
                "Wait until it ends, or set the key 'prefix' in this configuration. If the other "
                "run was killed, run snakemake --unlock."
            )
        write_bytes(CELLS, lines.to_parquet(index=False))
        return PlannedLines.read()


def as_stored(lines: pd.DataFrame) -> pd.DataFrame:
    """The lines of some cells as they are stored: numbers, text, and JSON for other values."""
    lines = lines.drop(columns=_IN_NAMES)
    text = {column: lines[column].map(json.dumps) for column in _AS_JSON}
    typed = {"m": int, "n": int, "instead": bool}
    texts = {column: "str" for column in lines if column not in (*typed, "cell")}
    return lines.assign(**text).astype({**typed, **texts})


def digest_of(lines: pd.DataFrame) -> str:
    """Hash of a target's cells and their sources."""
    hashes = pd.util.hash_pandas_object(lines.drop(columns=_NOT_READ), index=False).to_numpy()
    return hashlib.sha256(hashes.tobytes()).hexdigest()[:16]


def read_lines(target: str) -> pd.DataFrame:
    """The lines of a target."""
    return pd.read_parquet(CELLS, filters=[("target", "==", target)])


def read_cells(target: str) -> list[Cell]:
    """The cells of a target. Figures and analyses leave out cells that are not run."""
    lines = read_lines(target)
    sources = lines[lines["source"].ne("")].groupby("cell")["source"].agg(list)
    return [
        Cell(
            label=c.label,
            dataset=c.dataset,
            pool=c.pool,
            m=int(c.m),
            x=None if c.x == '""' else json.loads(c.x),
            # The last source is the whole pool if the kind also reads it.
            sources=sources.get(c.cell, [])[: -1 if KINDS[c.kind].whole_pools else None],
            reference=c.reference or None,
            tune=c.tune or None,
            point=json.loads(c.point),
            variant=c.variant,
            columns=json.loads(c.columns),
            not_run=c.not_run,
        )
        for c in lines.drop_duplicates("cell").itertuples(index=False)
        if _is_table(c.kind) or not c.not_run
    ]


def _is_table(kind: str) -> bool:
    """Whether targets of a kind show cells that are not run."""
    return KINDS[kind].section == "tables"
