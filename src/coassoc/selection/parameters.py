"""Choice of parameters without known classes, by the stability of the consensus."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from coassoc.confidence import diversity, pairwise_agreement
from coassoc.ensemble import Ensemble
from coassoc.errors import ConfigError
from coassoc.methods import resolve_method
from coassoc.numerics.integers import integer_arguments
from coassoc.selection.resampling import Factory, draw_partitions

if TYPE_CHECKING:
    import pandas as pd

    from coassoc.methods.names import MethodName


class ParameterChoice(NamedTuple):
    """The result of :func:`choose_parameters`.

    Attributes
    ----------
    best : dict
        The chosen parameters, for ``method(n_clusters=c, **best)``.
    points : DataFrame
        A row for each grid point: its parameters and its stability.
    """

    best: dict[str, Any]
    points: pd.DataFrame


def stability(partitions: Ensemble) -> float:
    """Mean ARI between the partitions of different draws by one method.

    Parameters
    ----------
    partitions : Ensemble
        Result of :func:`~coassoc.selection.resampling.draw_partitions`.
    """
    return 1 - diversity(pairwise_agreement(partitions, "ARI"))


@integer_arguments("n_clusters", "n_draws", "random_state")
def choose_parameters(
    labels: ArrayLike | Ensemble,
    method: MethodName | Factory,
    n_clusters: int,
    grid: Mapping[str, Sequence[Any]],
    *,
    n_draws: int = 20,
    random_state: int = 0,
) -> ParameterChoice:
    """Choose the parameters at which the consensus depends least on the draw of base clusterings.

    At each grid point, the method computes a consensus of each of B random halves of the base
    clusterings, the same halves at all points. The stability of a point is the mean ARI over all
    pairs of its partitions. The function chooses the point with the largest stability, and the
    first one of several equal points. No classes are needed.

    Parameters
    ----------
    labels : (n, m) table of labels, or Ensemble
        The base clusterings, m ≥ 2; see :class:`coassoc.Ensemble`.
    method : str or callable
        The consensus method: its name in :data:`coassoc.methods.METHODS`, or a callable that
        returns an estimator from ``n_clusters``, ``random_state`` and the parameters of the grid.
    n_clusters : int
        c.
    grid : mapping of str to sequence
        Values of each parameter, such as the values that the method's papers try:
        ``METHODS["EC-CMS"].parameters["alpha"].grid``.
    n_draws : int
        B, at least 2.
    random_state : int
        Seed of all random numbers.

    Raises
    ------
    ConfigError
        If the grid is empty, or `n_draws` is below 2.
    DataError
        If there is only one base clustering, or a sample is in no draw.

    Notes
    -----
    A point can be stable and wrong. For example, a partition that merges all but a few samples into
    one cluster is often the same for all draws. Look at the partition before you trust the choice.
    """
    import pandas as pd

    if not grid or not all(len(values) for values in grid.values()):
        raise ConfigError(
            f"grid is {dict(grid)!r}. It must have values for at least one parameter."
        )
    ensemble, method = Ensemble.of(labels), resolve_method(method)
    points = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    makers = (partial(method, **point) for point in points)
    drawn = (draw_partitions(m, ensemble, [n_clusters], n_draws, random_state) for m in makers)
    stabilities = [stability(partitions[n_clusters]) for partitions in drawn]
    return ParameterChoice(
        points[int(np.argmax(stabilities))], pd.DataFrame(points).assign(stability=stabilities)
    )
