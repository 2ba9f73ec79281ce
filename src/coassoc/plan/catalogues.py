"""The catalogues under config/: methods, data sets, pools, papers and published numbers."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from coassoc.datasets.registry import Entry, load_datasets
from coassoc.plan.methods import MethodEntry, load_methods
from coassoc.plan.papers import Paper, load_papers
from coassoc.pools.settings import PoolSettings, load_pools

__all__ = ["Catalogues", "load_catalogues"]


@dataclass(frozen=True)
class Catalogues:
    """Everything under config/ that is not the user's choice of what to run.

    Attributes
    ----------
    methods : dict of str to MethodEntry
        Entries of methods.yaml.
    datasets : dict of str to Entry
        Entries of datasets.yaml and of the user's own files.
    pools : dict of str to PoolSettings
        Entries of pools.yaml.
    papers : dict of str to Paper
        Their tables, figures and audits.
    published : list of dict
        Rows of published.csv.
    """

    methods: dict[str, MethodEntry]
    datasets: dict[str, Entry]
    pools: dict[str, PoolSettings]
    papers: dict[str, Paper]
    published: list[dict[str, str]]


def load_catalogues(folder: str | Path, datasets: Iterable[str | Path] = ()) -> Catalogues:
    """Read and check all catalogues in a config folder.

    Parameters
    ----------
    folder : path
        The folder with methods.yaml, datasets.yaml, pools.yaml, published.csv and papers.
    datasets : iterable of path
        Further files of data sets, the user's own.

    Raises
    ------
    ConfigError
        If a file is missing, is not YAML, or breaks its schema.
    """
    folder = Path(folder)
    with (folder / "published.csv").open(newline="") as file:
        published = list(csv.DictReader(file))
    schemas = folder / "schemas"
    return Catalogues(
        load_methods(folder / "methods.yaml", schemas / "methods.yaml"),
        load_datasets(folder / "datasets.yaml", *datasets),
        load_pools(folder / "pools.yaml"),
        load_papers(sorted((folder / "papers").glob("*.yaml")), schemas / "paper.yaml"),
        published,
    )
