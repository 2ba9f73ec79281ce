"""What a configuration wants to know of pools without classes, its key ``consensus``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from coassoc.errors import ConfigError
from coassoc.plan.catalogues import Catalogues
from coassoc.plan.checks import knows_n_clusters
from coassoc.plan.keys import RunKey
from coassoc.storage.configuration import check_known

__all__ = ["Consensus", "wanted_consensus"]


@dataclass(frozen=True)
class Consensus:
    """Methods on the first ensemble of a pool, whose labels are wanted or compared.

    Attributes
    ----------
    pool, dataset : str
    m : int
        Ensemble size.
    methods : list of str
    n_clusters : int or None
        As the entry says; None for the number of classes.
    range : tuple of int or None
        The first and the last number of clusters to be compared, if any are.
    labelled : bool
        Whether labels are wanted; without a number of clusters there are none.
    """

    pool: str
    dataset: str
    m: int
    methods: list[str]
    n_clusters: int | None
    range: tuple[int, int] | None
    labelled: bool

    @property
    def runs(self) -> list[RunKey]:
        """The runs that have the labels, one for each method.

        Raises
        ------
        ConfigError
            If no labels are wanted.
        """
        if not self.labelled:
            raise ConfigError(
                f"config: consensus has no n_clusters for {self.pool} on {self.dataset}."
            )
        return self._runs(self.n_clusters)

    @property
    def compared(self) -> list[RunKey]:
        """What is run at each number of clusters, one for each method.

        Raises
        ------
        ConfigError
            If no numbers of clusters are to be compared.
        """
        if self.range is None:
            raise ConfigError(f"config: consensus has no range for {self.pool} on {self.dataset}.")
        return self._runs(None)

    @property
    def files(self) -> list[str]:
        """What is made of it."""
        stem = f"results/consensus/{self.pool}/{self.dataset}"
        stems = [stem] * self.labelled + [f"{stem}/n_clusters"] * (self.range is not None)
        return [f"{each}.{suffix}" for each in stems for suffix in ("csv", "html")]

    def _runs(self, n_clusters: int | None) -> list[RunKey]:
        place = self.pool, self.dataset, self.m
        return [RunKey(*place, name, n_clusters=n_clusters) for name in self.methods]


def wanted_consensus(
    config: Mapping[str, Any], catalogues: Catalogues
) -> dict[tuple[str, str], Consensus]:
    """What the entries of a configuration want, by pool and data set.

    Raises
    ------
    ConfigError
        If an entry names what is not there or does not go together.
    """
    found: dict[tuple[str, str], Consensus] = {}
    for number, entry in enumerate(config.get("consensus") or []):
        for each in _wanted(f"consensus.{number}", entry, catalogues):
            if (each.pool, each.dataset) in found:
                raise ConfigError(
                    f"config: consensus has {each.pool} on {each.dataset} twice; name all methods "
                    "in one entry."
                )
            found[each.pool, each.dataset] = each
    return found


def _wanted(key: str, entry: Mapping[str, Any], catalogues: Catalogues) -> Iterator[Consensus]:
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
    for dataset in datasets:
        _check_features(key, entry, dataset, catalogues)
        labelled = "n_clusters" in entry or knows_n_clusters(pool, catalogues.datasets[dataset])
        if not labelled and span is None:
            raise ConfigError(
                f"config: {key} lacks the key 'n_clusters', since {dataset} has no classes; say "
                "range: [2, 10] in its place to compare these numbers of clusters first."
            )
        c, n = entry.get("n_clusters"), catalogues.datasets[dataset].n
        if c is not None and n is not None and c > n:
            raise ConfigError(f"config: {key}.n_clusters is {c}; {dataset} has {n} samples.")
        yield Consensus(pool.name, dataset, m, entry["methods"], c, span, labelled)


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


def _check_features(
    key: str, entry: Mapping[str, Any], dataset: str, catalogues: Catalogues
) -> None:
    for name in entry["methods"]:
        if catalogues.methods[name].uses_features and not catalogues.datasets[dataset].has_features:
            raise ConfigError(
                f"config: {key}.methods has {name}, which sees the samples' features, and "
                f"{dataset} has none."
            )
