"""The archive that ships with the package: ensembles, and the scores of the ranked methods.

``make kept`` (``release/keep.py``) builds the folder ``kept``, which contains

=================  ================================================================================
file               content
=================  ================================================================================
facts.json         version; pool, m, seed; for each row its method, title and revision; for each
                   data set n, classes, groups, licence, the number of its ensembles and their
                   fingerprint; for each cell its runs, or the reason why there are none
scores.parquet     one line for each repeat of each run, as in the workflow's files of scores, but
                   without times, which were measured on another machine
pools/             base clusterings, draws and classes if the licence allows it, as in the workflow
datasets/          their features, as in the workflow
datasets.yaml      sources of the other data sets, as entries of config/datasets.yaml
pools.yaml         recipe of the base clusterings, as the entry of config/pools.yaml
=================  ================================================================================
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coassoc.bench.storage.records import Cell, Pool

if TYPE_CHECKING:
    import pandas as pd

#: Folder of the shipped scores and ensembles.
SHIPPED_FOLDER = Path(__file__).with_name("kept")
#: Data sets of a quick comparison, and the number of draws of each.
QUICK_DATASETS, QUICK_DRAWS = ("Glass", "Wine", "BreastCancer", "Ecoli"), 5


@dataclass(frozen=True)
class Shipped:
    """The scores of the ranking and the ensembles behind them, read from a folder."""

    folder: Path = SHIPPED_FOLDER

    @cached_property
    def facts(self) -> dict[str, Any]:
        """Content of ``facts.json``."""
        facts: dict[str, Any] = json.loads((self.folder / "facts.json").read_text("utf-8"))
        return facts

    @property
    def rows(self) -> dict[str, dict[str, Any]]:
        """Row → method, title, revisions, and whether it is tuned and depends on sample order."""
        return dict(self.facts["rows"])

    @property
    def datasets(self) -> dict[str, dict[str, Any]]:
        """Data set → n, d, classes, groups, licence, citation, repeats, fingerprint."""
        return dict(self.facts["datasets"])

    def datasets_of(self, tuned: bool) -> list[str]:
        """Data sets on which rows with default parameters, or tuned rows, were ranked."""
        present = {
            dataset for row, dataset, _ in self.facts["cells"] if self.rows[row]["tuned"] == tuned
        }
        return [name for name in self.datasets if name in present]

    def file(self, kind: str, dataset: str) -> Path:
        """File of the base clusterings ("pools") or the features ("datasets") of a data set."""
        return self.folder / kind / f"{dataset}.h5"

    def cells(self, datasets: Collection[str]) -> list[Cell]:
        """Cells on some data sets, as input of :func:`~coassoc.bench.summaries.summarize`."""
        return [
            self.cell(row, dataset, **{"tune": self.rows[row]["tune"], **given})
            for row, dataset, given in self.facts["cells"]
            if dataset in datasets
        ]

    def cell(self, row: str, dataset: str, **given: Any) -> Cell:
        """A row on a data set; `given` has its sources, tune and not_run."""
        return Cell(row, dataset, self.facts["pool"], self.facts["m"], **given)

    def scores(self, datasets: Collection[str], most: int | None) -> dict[str, pd.DataFrame]:
        """Rows of the first repeats (None for all) on some data sets, by their source."""
        import pandas as pd

        lines = pd.read_parquet(self.folder / "scores.parquet", page_checksum_verification=True)
        selected = lines[lines["source"].str.split("/").str[1].isin(datasets)]
        if most is not None:
            selected = selected[selected["repeat"] < most]
        return {str(source): group for source, group in selected.groupby("source", sort=False)}


def ensemble_fingerprint(pool: Pool, m: int) -> str:
    """Fingerprint of the ensembles of m base clusterings and of the classes."""
    return replace(pool, draws={m: pool.draws[m]}).fingerprint
