"""Which consensus clusterings a configuration wants as labels, its key ``consensus``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from coassoc.errors import ConfigError
from coassoc.plan.catalogues import Catalogues
from coassoc.plan.checks import knows_n_clusters
from coassoc.plan.runs import RunSpec, parameters_name
from coassoc.pools.settings import PoolSettings
from coassoc.storage.configuration import check_known

__all__ = ["Consensus", "wanted_consensus"]


@dataclass(frozen=True)
class Consensus:
    """Methods on the first ensemble of a pool, whose labels are wanted.

    Attributes
    ----------
    pool, dataset : str
    m : int
        Ensemble size.
    runs : dict of str to RunSpec
        Method → its run.
    """

    pool: str
    dataset: str
    m: int
    runs: dict[str, RunSpec]

    @property
    def files(self) -> list[str]:
        """What is made of it."""
        stem = f"results/consensus/{self.pool}/{self.dataset}"
        return [f"{stem}.csv", f"{stem}.html"]


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
    check_known("config", f"{key}.pool", [entry["pool"]], catalogues.pools)
    check_known("config", f"{key}.methods", entry["methods"], catalogues.methods)
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
    for dataset in datasets:
        _check_n_clusters(key, entry, pool, dataset, catalogues)
        _check_features(key, entry, dataset, catalogues)
        c = {"n_clusters": [entry["n_clusters"]]} if "n_clusters" in entry else {}
        name = parameters_name(c)
        runs = {each: RunSpec(pool.name, dataset, m, each, name) for each in entry["methods"]}
        yield Consensus(pool.name, dataset, m, runs)


def _check_n_clusters(
    key: str, entry: Mapping[str, Any], pool: PoolSettings, dataset: str, catalogues: Catalogues
) -> None:
    if "n_clusters" not in entry and not knows_n_clusters(pool, catalogues.datasets[dataset]):
        raise ConfigError(
            f"config: {key} lacks the key 'n_clusters', since {dataset} has no classes."
        )


def _check_features(
    key: str, entry: Mapping[str, Any], dataset: str, catalogues: Catalogues
) -> None:
    for name in entry["methods"]:
        if catalogues.methods[name].uses_features and not catalogues.datasets[dataset].has_features:
            raise ConfigError(
                f"config: {key}.methods has {name}, which sees the samples' features, and "
                f"{dataset} has none."
            )
