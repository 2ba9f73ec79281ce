"""What ``coassoc posterior`` says of chains of which it is known whether they converged.

All limits in :mod:`coassoc.posterior` were chosen with other seeds, and the numbers of these data
sets begin at 10,000 because earlier versions were measured with the first ones.

A data set is chains, and as many further draws of the same posterior. If a set of items is said to
be jointly certain in 95 % of the draws, these tell whether it is in at least 90 % of others. The
orientation is judged by the first draws of a chain, fewer than there are items, as they are and
transposed.
"""

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from coassoc.partition.labels import canonical_labels
from coassoc.posterior import (
    Draws,
    convergence,
    partial_partition,
    point_estimate,
)
from verdicts import Kind, Product, kind

Chains = NDArray[np.int64]

#: Three partitions of 30 items: three clusters, two of them merged, and four others.
MODES = np.array([np.arange(30) // 10, np.minimum(np.arange(30) // 10, 1), np.arange(30) % 4])


def noisy(
    rng: np.random.Generator, places: NDArray[np.int64], noise: float | NDArray[np.float64] = 0.1
) -> Chains:
    """Chains × draws × items: modes of draws or items, with items gone astray and other names."""
    draws = MODES[places] if places.ndim == 2 else MODES[places, np.arange(30)]
    is_astray = rng.random(draws.shape) < noise
    draws = np.where(is_astray, rng.integers(0, 4, draws.shape), draws)
    names = np.argsort(rng.random((*draws.shape[:2], 5)))
    return np.take_along_axis(names, draws, axis=2)


def one_mode(
    rng: np.random.Generator,
    chains: int = 4,
    draws: int = 300,
    noise: float | NDArray[np.float64] = 0.1,
) -> Chains:
    """Independent draws around one partition."""
    return noisy(rng, np.zeros((chains, draws), int), noise)


def mixed(rng: np.random.Generator, p: float = 0.4, other: int = 1, noise: float = 0.1) -> Chains:
    """Independent draws of two modes."""
    return noisy(rng, np.where(rng.random((4, 300)) < p, other, 0), noise)


def switching(rng: np.random.Generator, stay: float, chains: int = 4, draws: int = 300) -> Chains:
    """Chains that stay in one of two modes with a probability in each step."""
    moves = rng.random((chains, draws)) > stay
    moves[:, 0] = rng.random(chains) < 0.5
    return noisy(rng, np.cumsum(moves, axis=1) % 2)


def sticky_items(
    rng: np.random.Generator, stay: float = 0.8, noise: float | NDArray[np.float64] = 0.1
) -> Chains:
    """One mode, whose items stay astray for some draws, as in a Gibbs sampler."""
    draws = np.empty((4, 300, 30), dtype=np.int64)
    astray, into = rng.random((4, 30)) < noise, rng.integers(0, 4, (4, 30))
    for t in range(300):
        renewed = rng.random(astray.shape) > stay
        astray = np.where(renewed, rng.random(astray.shape) < noise, astray)
        into = np.where(renewed, rng.integers(0, 4, into.shape), into)
        draws[:, t] = np.where(astray, into, MODES[0])
    return draws


def gibbs(rng: np.random.Generator, apart: float, burn_in: int = 100, chains: int = 4) -> Chains:
    """A collapsed Gibbs sampler of a Dirichlet process mixture of normal numbers."""
    y = rng.normal(size=30) + apart * (np.arange(30) // 10 - 1)
    kept = np.empty((chains, 250, 30), dtype=np.int64)
    for chain in range(chains):
        z = rng.integers(0, 1 + 3 * (chain % 2), 30)
        for sweep in range(burn_in + 250):
            for i in range(30):
                z[i] = 30
                size = np.bincount(z, minlength=31)[:30]
                total = np.bincount(z, y, minlength=31)[:30]
                variance = 1 / (1 / 9 + size)
                weight = np.where(size > 0, size, 0.0)
                weight[size.argmin()] = 0.5
                error = (y[i] - variance * total) ** 2 / (variance + 1)
                p = weight * np.exp(-error / 2) / np.sqrt(variance + 1)
                z[i] = np.searchsorted(np.cumsum(p), rng.random() * p.sum())
            if sweep >= burn_in:
                kept[chain, sweep - burn_in] = z
    return kept


def partly(rng: np.random.Generator, first: int, last: int, chains: int, other: int = 2) -> Chains:
    """Four chains, some of which spend a part of their time in another mode."""
    places = np.zeros((4, 300), int)
    places[:chains, first:last] = other
    return noisy(rng, places)


def uneven(rng: np.random.Generator) -> Chains:
    """One mode with ten items that are often astray."""
    return noisy(rng, np.zeros((4, 300), int), np.where(np.arange(30) % 3 == 0, 0.5, 0.05))


def three_modes(rng: np.random.Generator, is_stuck: bool) -> Chains:
    """Three chains that visit three modes, or stay in one each."""
    mixed = rng.integers(0, 3, (3, 400))
    return noisy(rng, np.repeat(np.arange(3)[:, None], 400, axis=1) if is_stuck else mixed)


def looser(rng: np.random.Generator) -> Chains:
    """One of four chains around the same partition, with more items astray."""
    noise = np.array([0.25, 0.1, 0.1, 0.1])[:, None, None]
    return noisy(rng, np.zeros((4, 300), int), noise)


def gradual(rng: np.random.Generator, chains: int = 4) -> Chains:
    """Chains whose items leave another mode one by one during the first draws."""
    is_far = rng.random((chains, 300, 30)) < 1 - np.arange(300)[:, None] / 100
    return noisy(rng, np.where(is_far, 2, 0))


def rarely_lost(rng: np.random.Generator) -> Chains:
    """Draws of one partition without noise, of which 3 % are random partitions."""
    is_lost = rng.random((4, 300, 1)) < 0.03
    return one_mode(rng, noise=np.where(is_lost, 1.0, 0.0))


def gibbs_twice(rng: np.random.Generator, apart: float) -> tuple[Chains, Chains]:
    """Chains and further chains for the same numbers."""
    chains = gibbs(rng, apart, chains=8)
    return chains[:4], chains[4:]


def read(labels: Chains) -> tuple[Draws, str]:
    """Draws, and what the product says of rows that agree more than columns do."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        draws = Draws.of(labels, few=True)
    return draws, " ".join(str(one.message) for one in told)


def said(data: tuple[Chains, Chains]) -> set[str]:
    """The sentences of a data set."""
    chains, further = data
    draws, warning = read(chains)
    found = convergence(draws, point_estimate(draws, n_starts=8).labels)
    sure = partial_partition(draws)
    labels = sure.labels
    inside = np.flatnonzero(labels >= 0)
    others, _ = read(further[:, :, inside])
    is_same = (others.labels == canonical_labels(labels[inside])).all(axis=1)
    further = others.rows.weights[is_same].sum() / others.n_draws
    keys = {
        "differs": found.differs,
        "agree": found.agree,
        "modes": found.modes is not None,
        "certain": sure.holds and len(inside) >= 10,
        "gone": sure.holds and further < 0.9,
        "may": not sure.holds,
        "rows": "rows look like draws" in warning,
        "turned": "draws: the rows" in read(chains[0, :25])[1],
    }
    return {key for key, is_said in keys.items() if is_said}


def twice(make: Callable[..., Chains], true: str = "", plain: str = "", open: str = "") -> Kind:
    """A kind of chains with further chains. One mode tells the orientation of its draws."""
    open = open if "certain" in plain else f"{open} may"
    return kind(lambda rng: (make(rng), make(rng)), true, plain, open)


HALF = np.where(np.arange(30) % 2 == 0, 0.0, 0.5)

PRODUCT = Product(
    "Posterior draws",
    {
        "differs": "The chains have not converged",
        "agree": "The chains agree",
        "modes": "The draws have several modes",
        "certain": "In 95 % of the draws, at least 10 of 30 items have exactly these clusters",
        "gone": "In 95 % of the draws, at least N items have exactly these clusters (fewer than "
                "90 % of further draws)",
        "may": "This may not hold in further draws",
        "rows": "The rows look like draws (columns are)",
        "turned": "The rows look like draws, or may be draws (rows are)",
    },
    {
        "independent draws": twice(one_mode, plain="agree turned"),
        "little noise": twice(partial(one_mode, noise=0.02), plain="agree turned"),
        "much noise": twice(partial(one_mode, noise=0.3), true="turned", plain="agree"),
        "two long chains": twice(partial(one_mode, chains=2, draws=800), plain="agree turned"),
        "eight chains": twice(partial(one_mode, chains=8), plain="agree turned"),
        "few draws": twice(partial(one_mode, draws=40), plain="turned", open="agree"),
        "little noise, one chain of 50 draws": twice(
            partial(one_mode, noise=0.02, chains=1, draws=50), plain="turned"),
        "one chain": twice(partial(one_mode, chains=1, draws=1000), plain="turned"),
        "ten uncertain items": twice(uneven, plain="agree turned"),
        "items stay astray": twice(sticky_items, true="agree", plain="turned"),
        "items stay astray for 20 draws": twice(
            partial(sticky_items, stay=0.95, noise=0.05), true="turned", open="agree differs"),
        "Gibbs sampler, clear groups": Kind(partial(gibbs_twice, apart=5.0),
            frozenset({"agree", "turned"}), open=frozenset({"modes", "certain", "may"})),
        "Gibbs sampler, no groups": Kind(partial(gibbs_twice, apart=0.0),
            frozenset({"agree", "turned"}), open=frozenset({"modes", "certain", "may"})),
        "two modes, mixed": twice(mixed, plain="agree modes turned"),
        "two distant modes, mixed": twice(partial(mixed, other=2), true="turned",
                                          plain="agree modes"),
        "one mode in ten draws": twice(partial(mixed, p=0.1, other=2), plain="agree modes turned"),
        "three modes, mixed": twice(partial(three_modes, is_stuck=False), true="turned",
                                    plain="agree modes"),
        "modes for five draws each": twice(partial(switching, stay=0.8), true="agree",
                                           plain="modes turned"),
        "modes for ten draws each, one chain": twice(
            partial(switching, stay=0.9, chains=1, draws=1000), plain="modes turned"),
        "15 certain items": twice(partial(one_mode, noise=HALF), plain="agree certain",
                                  true="turned"),
        "15 certain items, few draws": twice(partial(one_mode, noise=HALF, draws=40),
                                             plain="certain", true="turned", open="agree"),
        "15 certain items, one chain of 40 draws": twice(
            partial(one_mode, noise=HALF, chains=1, draws=40), plain="certain", true="turned"),
        "15 certain items, one chain": twice(
            partial(one_mode, noise=HALF, chains=1, draws=1000), plain="certain", true="turned"),
        "15 certain items, eight chains": twice(partial(one_mode, noise=HALF, chains=8),
                                                plain="agree certain", true="turned"),
        "15 certain items, others stay astray": twice(partial(sticky_items, noise=HALF),
                                                      plain="certain", true="agree turned"),
        "two modes without noise": twice(partial(mixed, noise=0.0),
                                         plain="agree modes certain turned"),
        "3 % random partitions": twice(rarely_lost, plain="agree certain turned"),
        "one chain partly elsewhere": twice(partial(partly, first=180, last=300, chains=1),
                                            plain="differs turned", true="modes"),
        "one chain stuck elsewhere": twice(partial(partly, first=0, last=300, chains=1),
                                           plain="differs modes turned"),
        "two chains stuck elsewhere": twice(partial(partly, first=0, last=300, chains=2),
                                            plain="differs modes turned"),
        "three chains in three modes": twice(partial(three_modes, is_stuck=True),
                                             plain="differs modes turned"),
        "stuck where clusters merge": twice(partial(partly, first=0, last=300, chains=1, other=1),
                                            plain="differs modes turned"),
        "burn-in in all chains": twice(partial(partly, first=0, last=90, chains=4),
                                       plain="differs turned", open="modes"),
        "short burn-in": twice(partial(partly, first=0, last=30, chains=4),
                               true="differs", plain="turned", open="modes"),
        "gradual burn-in": twice(gradual, plain="differs", true="turned", open="modes"),
        "one chain, burn-in": twice(partial(gradual, chains=1),
                                    plain="differs", true="turned", open="modes"),
        "one chain with more noise": twice(looser, plain="differs", true="turned"),
        "modes for 200 draws each": twice(partial(switching, stay=0.995),
                                          plain="differs turned", true="modes"),
    },
    said,
    first=20_000,
)  # fmt: skip
