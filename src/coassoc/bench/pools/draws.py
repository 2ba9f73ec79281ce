"""Draws: the base clusterings that form the ensemble of each repeat."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from coassoc.bench.storage.records import Pool
from coassoc.errors import ConfigError, DataError
from coassoc.numerics.seeds import seed_sequence

#: Ensemble size for draws of all base clusterings, whatever their number. Catalogues write "all".
ALL = 0


def size_name(m: int) -> str:
    """Name of an ensemble size."""
    return "all" if m == ALL else str(m)


def make_draws(
    pool_size: int,
    sizes: Sequence[int],
    repeats: int,
    scheme: str = "random",
    random_state: int = 0,
    names: Sequence[str] = (),
) -> dict[int, NDArray[np.intp]]:
    """Which base clusterings form the ensemble of each repeat.

    Parameters
    ----------
    pool_size : int
        M, the number of base clusterings in the pool.
    sizes : sequence of int
        Ensemble sizes m; :data:`ALL` for M.
    repeats : int
        Number of ensembles of each size.
    scheme : "random" or "disjoint"
        "random": m of M without replacement, independently for each repeat. "disjoint": repeat r
        takes base clusterings r·m … (r+1)·m − 1 (RCE: 200 in 10 groups of 20).
    random_state, names
        As in :func:`generate_pool`. The draw of a repeat depends only on the number of the repeat.

    Returns
    -------
    dict of int to (repeats, m) integer array
        Base clusterings of each draw, in increasing order.

    Raises
    ------
    ConfigError
        If the pool is too small for an ensemble, or for disjoint ensembles.
    """
    check_draws(pool_size, sizes, repeats, scheme)

    def drawn(m: int, repeat: int) -> NDArray[np.intp]:
        if m == ALL:
            return np.arange(pool_size)
        if scheme == "disjoint":
            return np.arange(repeat * m, (repeat + 1) * m)
        generator = np.random.default_rng(seed_sequence(random_state, *names, "draw", m, repeat))
        return np.sort(generator.choice(pool_size, m, replace=False))

    return {m: np.array([drawn(m, repeat) for repeat in range(repeats)]) for m in sizes}


def check_draws(pool_size: int, sizes: Sequence[int], repeats: int, scheme: str) -> None:
    """Raise a ConfigError for draws that are impossible with a pool of this size."""
    if scheme not in ("random", "disjoint"):
        raise ConfigError(f"draws.scheme is {scheme!r}. It must be 'random' or 'disjoint'.")
    for m in (pool_size if size == ALL else size for size in sizes):
        needed = m * repeats if scheme == "disjoint" else m
        if not 1 <= needed <= pool_size:
            groups = f"{repeats} disjoint ensembles" if scheme == "disjoint" else "an ensemble"
            raise ConfigError(
                f"draws: a pool of {pool_size} base clusterings is too small for {groups} of {m}. "
                "Draw fewer ensembles, or smaller ones."
            )


def check_labelled(labels: NDArray, draws: Mapping[int, NDArray], place: str) -> None:
    """Raise a DataError for a draw in which a sample has no label at all.

    The labels are (n, M), with −1 for missing labels, and the draws are those of
    :func:`make_draws`. The message begins with `place`.
    """
    if labels.min(initial=0) >= 0:
        return
    labelled = labels >= 0
    for m, rows in draws.items():
        for repeat, draw in enumerate(rows):
            missing = np.flatnonzero(~labelled[:, draw].any(axis=1))
            if len(missing):
                raise DataError(
                    f"{place}: sample {missing[0] + 1} has no label in any of the {m} base "
                    f"clusterings of draw {repeat}. Draw more base clusterings, or leave out fewer "
                    "samples."
                )


def shuffle_pool(pool: Pool, name: str, random_state: int = 0, percent: int = 100) -> Pool:
    """The same pool with its samples shuffled, to audit methods for dependence on their order.

    Parameters
    ----------
    pool : Pool
    name : str
        Name of the data set; part of the seed.
    random_state : int
        Root seed of the experiment.
    percent : int
        Percentage of the samples that are shuffled. They are chosen at random, and the other
        samples stay in place. The samples of a smaller percentage are among those of a larger one.

    Returns
    -------
    Pool
        Pool with the same draws. Its attribute ``sample_order`` records how much is shuffled.
    """
    generator = np.random.default_rng(seed_sequence(random_state, name, "order of the samples"))
    shuffled = generator.permutation(len(pool.labels))
    chosen = shuffled[: round(percent / 100 * len(shuffled))]
    order = np.arange(len(shuffled))
    order[np.sort(chosen)] = chosen
    y, samples = (None if array is None else array[order] for array in (pool.y, pool.samples))
    attributes = {**pool.attributes, "sample_order": f"{percent} % shuffled"}
    truths = None if pool.truths is None else pool.truths[:, order]
    return Pool(pool.labels[order], y, pool.draws, attributes, samples, truths)
