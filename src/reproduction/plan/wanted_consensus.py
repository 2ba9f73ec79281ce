"""Entries of the configuration's key ``consensus``: consensus of pools without classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from coassoc.errors import ConfigError
from reproduction.plan.catalogues import Catalogues
from reproduction.plan.checks import knows_n_clusters
from reproduction.plan.keys import DATASET, RunKey
from coassoc.tables.label_files import count_samples
from coassoc.storage.names import check_known


@dataclass(frozen=True)
class WantedConsensus:
    """Methods on the first ensemble of a pool, whose labels are wanted or compared."""

    pool: str
    dataset: str
    #: Ensemble size.
    m: int
    methods: list[str]
    #: As the entry says; None for the number of classes, or that which methods choose.
    n_clusters: int | None
    #: Whether all methods choose the number of clusters.
    unasked: bool
    #: The first and the last number of clusters to be compared, if any are.
    range: tuple[int, int] | None
    #: Whether labels are wanted; without a number of clusters there are none.
    labelled: bool
    #: The file of a pool of labels, which is read where it is.
    labels_file: str | None
    #: The file of the data set whose samples have these labels, where it has features.
    features_of_labels: list[str]

    @property
    def runs(self) -> list[RunKey]:
        """What a fit of each method takes is what these runs take."""
        place = self.pool, self.dataset, self.m
        return [RunKey(*place, name, n_clusters=self.n_clusters) for name in self.methods]

    @property
    def about(self) -> str:
        """Its subject in titles; a pool of labels may be a data set by itself."""
        return self.pool if self.dataset == self.pool else f"{self.pool} on {self.dataset}"

    @property
    def stem(self) -> str:
        """Of the files with the labels; of a comparison it is the folder."""
        return f"results/consensus/{self.pool}/{self.dataset}"

    @property
    def files(self) -> list[str]:
        """What is made of it."""
        stems = [self.stem] * self.labelled + [f"{self.stem}/n_clusters"] * bool(self.range)
        return [f"{stem}.{suffix}" for stem in stems for suffix in ("csv", "html")]

    def shown(self, file: str) -> dict[str, str]:
        """How one of the files appears in a report."""
        title = "Numbers of clusters" if file.startswith(f"{self.stem}/") else "Clusters"
        kind = "table" if file.endswith(".csv") else "page"
        return {"kind": kind, "target": self.about, "title": title}

    def fits(self, draws: int) -> int:
        """Number of fits of each method, where numbers of clusters are compared on some draws."""
        first, last = self.range or (1, 0)
        return self.labelled + (1 + draws) * (1 + last - first)


def wanted_consensus(config: Mapping[str, Any], catalogues: Catalogues) -> list[WantedConsensus]:
    """What the entries of a configuration want; a ConfigError for what does not go together."""
    wanted: dict[tuple[str, str], WantedConsensus] = {}
    for number, entry in enumerate(config.get("consensus") or []):
        for consensus in _wanted(f"consensus.{number}", entry, catalogues):
            if (consensus.pool, consensus.dataset) in wanted:
                raise ConfigError(
                    f"config: consensus has {consensus.pool} on {consensus.dataset} twice; name "
                    "all methods in one entry."
                )
            wanted[consensus.pool, consensus.dataset] = consensus
    return [*wanted.values()]


def _wanted(
    key: str, entry: Mapping[str, Any], catalogues: Catalogues
) -> Iterator[WantedConsensus]:
    pool = catalogues.pools[entry["pool"]]
    known = catalogues.datasets_of(pool)
    if pool.dataset is None and "datasets" not in entry:
        raise ConfigError(f"config: {key} lacks the key 'datasets'; {pool.name} has several.")
    datasets = entry.get("datasets", known)
    check_known("config", f"{key}.datasets", datasets, known)
    m = entry.get("m", max(pool.sizes))
    if m not in pool.sizes:
        sizes = ", ".join(map(str, pool.sizes))
        raise ConfigError(f"config: {key}.m is {m}; {pool.name} draws ensembles of {sizes}.")
    span = _range(key, entry, m, catalogues)
    unasked = _unasked(key, entry, catalogues)
    c = None if unasked else entry.get("n_clusters")
    # Numbers that are compared are less than that of the samples.
    least = max(c or 0, (span or [-1])[-1] + 1)
    seeing = [name for name in entry["methods"] if catalogues.methods[name].uses_features]
    for name in datasets:
        dataset = catalogues.datasets[name]
        if seeing and not dataset.has_features:
            raise ConfigError(
                f"config: {key}.methods has {seeing[0]}, which sees the samples' features, and "
                f"{name} has none."
            )
        labelled = unasked or c is not None or knows_n_clusters(pool, dataset)
        if not labelled and span is None:
            raise ConfigError(
                f"config: {key} lacks the key 'n_clusters', since {name} has no classes; say "
                "range: [2, 10] in its place to compare these numbers of clusters first."
            )
        n = dataset.n or (count_samples(pool.labels) if pool.labels else None)
        if n is not None and least > n:
            wrong = "n_clusters" if least == c else "range"
            raise ConfigError(f"config: {key}.{wrong} is {entry[wrong]}; {name} has {n} samples.")
        labels = pool.labels.file if pool.labels else None
        features = [DATASET.format(dataset=name)] if labels and dataset.has_features else []
        what = m, entry["methods"], c, unasked, span, labelled
        yield WantedConsensus(pool.name, name, *what, labels, features)


def _unasked(key: str, entry: Mapping[str, Any], catalogues: Catalogues) -> bool:
    """Whether all methods choose the number of clusters; who may and who must is checked."""
    kinds = {name: catalogues.methods[name].n_clusters_is for name in entry["methods"]}
    asked = "range" if "range" in entry else "n_clusters"
    c = entry.get("n_clusters")
    for name, kind in kinds.items():
        if kind == "chosen" and asked in entry and c != "auto":
            raise ConfigError(
                f"config: {key} has the key {asked!r}, and {key}.methods has {name}, which chooses "
                "the number of clusters; give it an entry without that key."
            )
        if kind == "given" and c == "auto":
            raise ConfigError(
                f"config: {key}.n_clusters is 'auto', and {key}.methods has {name}, which must be "
                "given a number."
            )
    return c == "auto" or set(kinds.values()) == {"chosen"}


def _range(
    key: str, entry: Mapping[str, Any], m: int, catalogues: Catalogues
) -> tuple[int, int] | None:
    """The first and the last number of clusters to be compared."""
    if "range" not in entry:
        return None
    first, last = entry["range"]
    if first > last:
        raise ConfigError(f"config: {key}.range is [{first}, {last}]; the smaller number is first.")
    if m < 2:
        raise ConfigError(
            f"config: {key}.range compares what halves of the base clusterings give, and there is "
            "one base clustering only."
        )
    for name in entry["methods"]:
        if catalogues.methods[name].uses_features:
            raise ConfigError(
                f"config: {key}.range compares numbers of clusters by the base clusterings alone, "
                f"and {key}.methods has {name}, which sees the samples' features."
            )
    return first, last
