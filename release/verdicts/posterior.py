"""What ``coassoc posterior`` says of chains of which it is known whether they converged.

The limits in :mod:`coassoc.posterior.convergence` were raised after a look at thirty sets of "few
draws" and "items stay astray", and chosen with other seeds of the same kinds. The rates of these
kinds are therefore not those of unseen data. No limit was chosen on "ten uncertain items", "three
modes, mixed" and "three chains in three modes".
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from coassoc.posterior import Draws, convergence, point_estimate
from verdicts import Product, kind

Chains = NDArray[np.int64]

#: Three partitions of 30 items: three clusters, two of them merged, and four others.
MODES = np.array([np.arange(30) // 10, np.minimum(np.arange(30) // 10, 1), np.arange(30) % 4])


def noisy(
    rng: np.random.Generator, places: NDArray[np.int64], noise: float | NDArray[np.float64] = 0.1
) -> Chains:
    """Chains × draws × items: modes at given places, with items gone astray and other names."""
    draws = MODES[places]
    is_astray = rng.random(draws.shape) < noise
    draws = np.where(is_astray, rng.integers(0, 4, draws.shape), draws)
    names = np.argsort(rng.random((*draws.shape[:2], 5)))
    return np.take_along_axis(names, draws, axis=2)


def one_mode(
    rng: np.random.Generator, chains: int = 4, draws: int = 300, noise: float = 0.1
) -> Chains:
    """Independent draws around one partition."""
    return noisy(rng, np.zeros((chains, draws), int), noise)


def mixed(
    rng: np.random.Generator, p: float = 0.4, other: int = 1, chains: int = 4, draws: int = 300
) -> Chains:
    """Independent draws of two modes."""
    return noisy(rng, np.where(rng.random((chains, draws)) < p, other, 0))


def switching(rng: np.random.Generator, stay: float, draws: int = 300) -> Chains:
    """Chains that stay in one of two modes with a probability in each step."""
    moves = rng.random((4, draws)) > stay
    moves[:, 0] = rng.random(4) < 0.5
    return noisy(rng, np.cumsum(moves, axis=1) % 2)


def sticky_items(rng: np.random.Generator, stay: float = 0.8) -> Chains:
    """One mode, whose items stay astray for some draws, as in a Gibbs sampler."""
    states = one_mode(rng, noise=0.1)
    draws = noisy(rng, np.zeros((4, 300), int), 0.0)
    astray, into = rng.random((4, 30)) < 0.1, rng.integers(0, 4, (4, 30))
    for t in range(states.shape[1]):
        renewed = rng.random(astray.shape) > stay
        astray = np.where(renewed, rng.random(astray.shape) < 0.1, astray)
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


def said(chains: Chains) -> set[str]:
    """The sentences of a data set."""
    draws = Draws.of(chains)
    found = convergence(draws, point_estimate(draws, n_starts=8).labels)
    keys = {"differs": found.differs, "agree": found.agree, "modes": found.modes is not None}
    return {key for key, is_said in keys.items() if is_said}


PRODUCT = Product(
    "Posterior draws",
    {
        "differs": "The chains have not converged",
        "agree": "The chains agree",
        "modes": "The draws have several modes",
    },
    {
        "independent draws": kind(one_mode, plain="agree"),
        "little noise": kind(partial(one_mode, noise=0.02), plain="agree"),
        "much noise": kind(partial(one_mode, noise=0.3), plain="agree"),
        "two long chains": kind(partial(one_mode, chains=2, draws=800), plain="agree"),
        "eight chains": kind(partial(one_mode, chains=8), plain="agree"),
        "few draws": kind(partial(one_mode, draws=40), open="agree"),
        "one chain": kind(partial(one_mode, chains=1, draws=1000)),
        "ten uncertain items": kind(uneven, plain="agree"),
        "items stay astray": kind(sticky_items, true="agree"),
        "Gibbs sampler, clear groups": kind(partial(gibbs, apart=5.0), true="agree", open="modes"),
        "Gibbs sampler, no groups": kind(partial(gibbs, apart=0.0), true="agree", open="modes"),
        "two modes, mixed": kind(mixed, plain="agree modes"),
        "two distant modes, mixed": kind(partial(mixed, other=2), plain="agree modes"),
        "one mode in ten draws": kind(partial(mixed, p=0.1, other=2), plain="agree modes"),
        "three modes, mixed": kind(partial(three_modes, is_stuck=False), plain="agree modes"),
        "modes for five draws each": kind(partial(switching, stay=0.8), true="agree",
                                          plain="modes"),
        "one chain partly elsewhere": kind(partial(partly, first=180, last=300, chains=1),
                                           plain="differs", true="modes"),
        "one chain stuck elsewhere": kind(partial(partly, first=0, last=300, chains=1),
                                          plain="differs modes"),
        "two chains stuck elsewhere": kind(partial(partly, first=0, last=300, chains=2),
                                           plain="differs modes"),
        "three chains in three modes": kind(partial(three_modes, is_stuck=True),
                                            plain="differs modes"),
        "stuck where clusters merge": kind(partial(partly, first=0, last=300, chains=1, other=1),
                                           plain="differs modes"),
        "burn-in in all chains": kind(partial(partly, first=0, last=90, chains=4),
                                      plain="differs", open="modes"),
        "short burn-in": kind(partial(partly, first=0, last=30, chains=4),
                              true="differs", open="modes"),
        "one chain with more noise": kind(looser, plain="differs"),
        "modes for 200 draws each": kind(partial(switching, stay=0.995),
                                         plain="differs", true="modes"),
    },
    said,
)  # fmt: skip
