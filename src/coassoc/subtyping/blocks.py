"""Blocks of measurements of the same samples, and the assignment of new samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import ConfigError, DataError
from coassoc.io.display import count_of
from coassoc.numerics.seeds import seed_from_names
from coassoc.subtyping.algorithms import representatives
from coassoc.subtyping.item_consensus import pairs_with_clusters
from coassoc.subtyping.measurements import Measurements
from coassoc.subtyping.protocol import Protocol
from coassoc.subtyping.samples import check_samples


@dataclass(frozen=True, eq=False)
class Block:
    """Measurements of one kind, such as genes or proteins.

    Attributes
    ----------
    name : str
        Name of the block; empty if there is only one block.
    data : Measurements
    protocol : Protocol
    places : (n_b,) integer array
        Positions of its samples among all samples.
    """

    name: str
    data: Measurements
    protocol: Protocol
    places: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ClusteredBlocks:
    """The samples that were clustered, and the protocol.

    Attributes
    ----------
    blocks : list of Block
    samples : (n,) array or None
        Names of all samples.
    n_samples : int
    protocol : Protocol
        The requested protocol. Each of several blocks has its own seed.
    method : str or callable
        The consensus method for the resamples.
    """

    blocks: list[Block]
    samples: NDArray | None
    n_samples: int
    protocol: Protocol
    method: Any

    @classmethod
    def of(cls, X: Any, protocol: Protocol, method: Any, groups: Any = None) -> ClusteredBlocks:
        """Cluster one block, or several named blocks.

        Equal `groups` are replicates: a value for each sample, or a pandas Series by their names.

        Raises
        ------
        ConfigError
            If there is no block.
        DataError
            If samples of the blocks cannot be matched, or a block cannot be clustered.
        """
        given = X if isinstance(X, Mapping) else {"": X}
        if not given:
            raise ConfigError("X is a mapping without a table. Pass at least one table.")
        tables = {}
        for name, table in given.items():
            tables[name] = data = Measurements.of(table, name or "X")
            data.check_finite(name or "X")
            check_samples(data.X, data.samples, name or "X")
        samples, places = _matched(tables)
        n = max(int(place.max()) for place in places.values()) + 1
        codes = None if groups is None else _group_codes(groups, samples, n)
        blocks = []
        for name, data in tables.items():
            seed = seed_from_names(protocol.seed, "block", name) if name else protocol.seed
            own = None if codes is None else np.unique(codes[places[name]], return_inverse=True)[1]
            of_block = replace(protocol, seed=seed, groups=own)
            of_block.check_samples(data.X, name or "X")
            blocks.append(Block(name, data, of_block, places[name]))
        return cls(blocks, samples, n, protocol, method)

    def columns(self) -> Iterator[tuple[Block, slice]]:
        """Each block with its columns of the resamples."""
        start = 0
        for block in self.blocks:
            yield block, slice(start, start + block.protocol.n_draws)
            start += block.protocol.n_draws

    def predict(self, X: Any, draws: NDArray, labels: NDArray[np.intp]) -> NDArray[np.intp]:
        """Clusters of new samples; see :meth:`coassoc.subtyping.Subtypes.predict`.

        Parameters
        ----------
        X : (n_new, d) array, sparse matrix or table; or a mapping of them
            The new samples. If there are several blocks, some may be missing.
        draws : (n, B) array
            Labels of the resamples at k clusters.
        labels : (n,) integer array
            The k clusters.
        """
        given = X if isinstance(X, Mapping) else {"": X}
        unknown = [name for name in given if name not in {block.name for block in self.blocks}]
        if unknown:
            known = ", ".join(repr(block.name) for block in self.blocks)
            raise DataError(
                f"X has a block {unknown[0]!r}, which the clustered data do not have. Pass only "
                f"the blocks {known}."
            )
        new = {
            block.name: _new_samples(given[block.name], block.data)
            for block in self.blocks
            if block.name in given
        }
        n_new = next(iter(new.values())).shape[0]
        assigned = np.full((n_new, draws.shape[1]), -1, dtype=np.int16)
        for block, columns in self.columns():
            if block.name in new:
                assigned[:, columns] = _assigned(
                    block, draws[block.places, columns], new[block.name]
                )
        names, codes = np.unique(labels, return_inverse=True)
        together, common = pairs_with_clusters(draws, codes, assigned)
        return names[(together / common).argmax(axis=1)]

    @cached_property
    def representatives(self) -> NDArray[np.intp]:
        """Samples that stand for all in the consensus: all of them, unless there are many."""
        return representatives(self.n_samples, self.protocol.seed)


def _assigned(block: Block, draws: NDArray, new: Any) -> NDArray[np.intp]:
    """(n_new, B) cluster of each resample of a block that each new sample joins."""
    nearest = []
    for b, column in enumerate(draws.T):
        items = np.flatnonzero(column >= 0)
        features = block.protocol.features_of(b, new.shape[1])
        nearest.append(
            block.protocol.algorithm.nearest(
                block.data.X[items][:, features], column[items], new[:, features]
            )
        )
    return np.column_stack(nearest)


def _matched(tables: Mapping[str, Measurements]) -> tuple[Any, dict[str, NDArray[np.intp]]]:
    """Names of all samples, in the order of the first block that has them, and the places of each.

    Without names the samples of all blocks are the same in the same order.
    """
    import pandas as pd

    names = {name: pd.Index(t.samples) for name, t in tables.items() if t.samples is not None}
    if any(index.has_duplicates for index in names.values()):
        raise DataError("X: several samples have the same name. Name each sample once.")
    sizes = {name: table.X.shape[0] for name, table in tables.items()}
    if len(tables) == 1 or (not names and len({*sizes.values()}) == 1):
        samples = next(iter(tables.values())).samples
        return samples, {name: np.arange(size) for name, size in sizes.items()}
    if len(names) < len(tables):
        raise DataError(
            f"The samples of some blocks have no names by which to match them, and the blocks have "
            f"{sizes} samples. Pass tables whose rows are named."
        )
    every = pd.Index(np.concatenate([*names.values()])).unique()
    if len(every) == sum(sizes.values()):
        raise DataError("The blocks have no sample in common. Check the row names of the tables.")
    return every.to_numpy(dtype=object), {name: every.get_indexer(x) for name, x in names.items()}


def _group_codes(groups: Any, samples: Any, n: int) -> NDArray[np.intp]:
    """(n,) numbers of the sets of replicates."""
    import pandas as pd

    if isinstance(groups, pd.Series) and samples is not None:
        groups = groups.reindex(samples)
    codes = pd.factorize(np.asarray(groups, dtype=object))[0]
    if len(codes) != n or (codes < 0).any():
        named = f"{np.count_nonzero(codes >= 0)} of {len(codes)} values"
        raise DataError(
            f"groups: there are {named} for {n} samples. Pass a value for each sample, the same "
            "value for replicates."
        )
    return np.asarray(codes, dtype=np.intp)


def _new_samples(X: Any, fitted: Measurements) -> Any:
    """Features of new samples, in the order of the fitted ones."""
    given = Measurements.of(X)
    given.check_finite()
    if given.features is not None and fitted.features is not None:
        missing = [name for name in fitted.features if name not in {*given.features}]
        if missing:
            raise DataError(
                f"X lacks {count_of(len(missing), 'feature')} of the clustered data, such as "
                f"{missing[0]!s}. Pass X with all features of the clustered data."
            )
        place = {name: j for j, name in enumerate(given.features)}
        return given.X[:, [place[name] for name in fitted.features]]
    if given.X.shape[1] != fitted.X.shape[1]:
        raise DataError(
            f"X has {given.X.shape[1]} features, but the clustered data have {fitted.X.shape[1]}. "
            "Pass X with the same features."
        )
    return given.X
