"""What jobs need of the plan: their parameters, and their lines of results/cells.parquet.

The main process of the workflow writes the lines of all targets. The job of a target reads the
lines of this target and checks that they have the digest with which the job was planned.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.atomic import write_bytes
from coassoc.errors import ConfigError
from coassoc.storage.records import Cell, hash_of
from reproduction.study.kinds import KINDS, READ_POOLS
from reproduction.study.paths import below_prefix

#: The table of cells and their sources.
CELLS = below_prefix("results/cells.parquet")

#: Lock files of Snakemake, which exist while a Snakemake process runs.
_LOCKS = Path(".snakemake/locks")


class Given(dict[str, Any]):
    """A parameter of a rule, of which Snakemake records and prints only a hash."""

    def __repr__(self) -> str:
        return hash_of(self)


def digest_of(lines: pd.DataFrame) -> str:
    """Hash of a target's cells and their sources."""
    rows = lines.drop(columns=["cell", "n", "batch", "made_by"])
    hashes = pd.util.hash_pandas_object(rows, index=False).to_numpy()
    return hashlib.sha256(hashes.tobytes()).hexdigest()[:16]


def store_lines(lines: pd.DataFrame) -> None:
    """Write results/cells.parquet, unless another Snakemake process reads it."""
    if CELLS.is_file() and any(_LOCKS.glob("*")):
        raise ConfigError(
            f"{CELLS}: another Snakemake run in this folder has a different configuration. "
            "Wait until it ends, or set the key 'prefix' in this configuration. If the other "
            "run was killed, run snakemake --unlock."
        )
    write_bytes(CELLS, lines.to_parquet(index=False))


def read_lines(target: str, digest: str) -> pd.DataFrame:
    """The lines of a target.

    Raises
    ------
    ConfigError
        If the lines do not have this digest, because a later run has planned other lines.
    """
    lines = pd.read_parquet(CELLS, filters=[("target", "==", target)])
    if digest_of(lines) != digest:
        raise ConfigError(
            f"{CELLS}: another Snakemake run has planned different cells of {target} since this "
            "run began. Set the key 'prefix' in one of the two configurations and start again."
        )
    return lines


def read_cells(target: str, digest: str) -> list[Cell]:
    """The cells of a target. Figures and analyses leave out cells that are not run."""
    lines = read_lines(target, digest)
    sources = lines[lines["source"].ne("")].groupby("cell")["source"].agg(list)
    return [
        Cell(
            label=c.label,
            dataset=c.dataset,
            pool=c.pool,
            m=int(c.m),
            x=None if c.x == '""' else json.loads(c.x),
            # The last source is the whole pool if the kind also reads it.
            sources=sources.get(c.cell, [])[: -1 if c.kind in READ_POOLS else None],
            reference=c.reference or None,
            tune=c.tune or None,
            point=json.loads(c.point),
            variant=c.variant,
            columns=json.loads(c.columns),
            not_run=c.not_run,
        )
        for c in lines.drop_duplicates("cell").itertuples(index=False)
        if c.kind in KINDS["tables"] or not c.not_run
    ]
