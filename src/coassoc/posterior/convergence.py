"""Whether chains of draws have converged, and whether they have one mode or several.

Partitions have no mean, so chains are compared by numbers that describe a partition: its number of
clusters, its distance to the estimate, on which side of two representative partitions it lies, and
whether it joins two items, for the pairs that the draws join about as often as they separate. A
chain that spends part of its time in another mode differs in one of them, even if its estimate is
the same.

Split R̂ and the bulk effective sample size (ESS) are those of Vehtari et al. (2021): halves of
chains count as chains, values are replaced by normal scores of their ranks, and R̂ is the larger
one of the values and of their distances to the median. A difference between chains only counts if
it is larger than the autocorrelation within them explains: if B / W is the ratio of variances and N
the ESS of one of K halves, (K − 1) N B / W is about χ² with K − 1 degrees of freedom. Chains with
an ESS below 6 (4 to 6 for 40 to 60 draws, where estimates of the ESS scatter more) did not have the
time to converge.

If all chains leave a burn-in at the same time, the move itself looks like autocorrelation, and the
halves explain it. The mean of the first draws is therefore compared with that of the last half as
by Geweke (1992), but with the variance and the ESS of the last half alone, in a t test.

Sources
-------
A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Bürkner, "Rank-normalization, folding, and
localization: an improved R̂ for assessing convergence of MCMC", Bayesian Analysis 16(2), 2021;
J. Geweke, "Evaluating the accuracy of sampling-based approaches to the calculation of posterior
moments", Bayesian Statistics 4, 1992.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtri
from scipy.stats import chi2, rankdata, t

from coassoc.posterior.draws import Draws
from coassoc.posterior.losses import expected_loss, losses_of_draws
from coassoc.posterior.representatives import Representatives, representative_partitions

Array = NDArray[np.float64]

#: Number of uncertain pairs of items, of which no two share an item.
_PAIRS = 10
#: Largest R̂ and smallest ESS for each chain of chains that agree (Vehtari et al. 2021).
_RHAT, _ESS = 1.01, 100
#: Smallest R̂ of chains that have not converged, and the largest probability of such a difference.
#: A larger R̂ than the third counts in any case.
_APART, _P, _FAR = 1.12, 0.001, 1.3
#: An ESS for each chain below a tenth of its draws counts, too, but only between these numbers.
_LEAST = 4, 6
#: First draws: their fractions of a chain, their smallest difference from the last half in standard
#: deviations of normal scores, and its largest probability.
_FIRST, _SHIFT, _P_FIRST = (0.1, 0.25), 0.75, 0.0001
#: Smaller variances of normal scores are rounding errors.
_ZERO = 1e-12
#: Fewest draws of a chain from which anything can be said.
_FEWEST = 20
#: Two modes: the smallest fraction and number of draws of each, the largest fraction between them,
#: and the largest ratio of the expected losses with two partitions and with one.
_MODE, _DRAWS, _BETWEEN, _RATIO = 0.05, 10, 0.12, 0.85


@dataclass(frozen=True, eq=False)
class Convergence:
    """Comparison of chains; see :func:`convergence`.

    Attributes
    ----------
    chains : list
        Names of the chains in order.
    series : dict of str to (m,) array
        The numbers that describe the draws.
    rhat, ess : dict of str to float
        Split R̂ and bulk ESS of each of them.
    differs : bool
        Whether chains, or parts of chains, differ by more than their autocorrelation explains, or
        have fewer than four to six effective draws.
    drifts : bool
        Whether the first draws differ from the last half of the chains, as before a burn-in.
    modes : Representatives or None
        Partitions that represent the draws if there are several modes.
    covers : (k, L) array
        Fraction of the draws of each chain that each of them represents.
    """

    chains: list[Any]
    series: dict[str, Array]
    rhat: dict[str, float]
    ess: dict[str, float]
    differs: bool
    drifts: bool
    modes: Representatives | None
    covers: Array

    @property
    def agree(self) -> bool:
        """Whether several chains agree, and are long enough to tell."""
        return (
            not self.differs
            and len(self.chains) > 1
            and max(self.rhat.values(), default=np.inf) < _RHAT
            and min(self.ess.values(), default=0.0) >= _ESS * len(self.chains)
        )

    def __repr__(self) -> str:
        return f"{self.verdict}\n{self.verdict_on_modes}".strip()

    @property
    def verdict(self) -> str:
        """A sentence on the chains."""
        if not self.rhat:
            return "The chains are too short to tell whether they have converged."
        worst = max(self.rhat, key=lambda name: self.rhat[name])
        least = min(self.ess, key=lambda name: self.ess[name])
        numbers = (
            f"largest split R̂ {self.rhat[worst]:.3f} ({worst}), smallest bulk ESS "
            f"{self.ess[least]:.0f} ({least})"
        )
        if self.drifts:
            numbers = f"the first draws differ from the last. Leave out a burn-in; {numbers}"
        if self.differs:
            return f"The chains have not converged: {numbers}."
        if self.agree:
            return f"The chains agree: {numbers}."
        if len(self.chains) == 1:
            return f"One chain cannot show whether it missed a mode: {numbers}."
        return f"The chains are too short to tell whether they agree: {numbers}."

    @property
    def verdict_on_modes(self) -> str:
        """A sentence on the modes, if there are several."""
        if self.modes is None:
            return ""
        *first, last = (f"{100 * weight:.3g} %" for weight in self.modes.weights)
        shares = f"{', '.join(first)} and {last}"
        return (
            f"The draws have several modes: {len(self.modes.weights)} partitions represent "
            f"{shares} of them."
        )


def convergence(
    draws: Draws | ArrayLike,
    labels: ArrayLike,
    n_partitions: int = 2,
    random_state: int = 0,
) -> Convergence:
    """Whether chains have converged to the same posterior.

    Parameters
    ----------
    draws : (chains, draws, n) array, Draws, or anything else that :meth:`Draws.of` accepts
        With the draws of a chain in their order. Of longer chains, the last draws are compared.
    labels : (n,) array-like
        The estimate from all draws.
    n_partitions : int
        Number of partitions that represent the draws if there are several modes.
    random_state : int
        Seed of :func:`representative_partitions`.
    """
    checked = Draws.of(draws)
    distinct = list(dict.fromkeys(checked.chains.tolist()))
    of_chains = [np.flatnonzero(checked.chains == chain) for chain in distinct]
    length = min(map(len, of_chains))
    series, modes = _series(checked, labels, random_state)
    rhat, ess, differs, drifts = dict[str, float](), dict[str, float](), False, False
    least = np.clip(length / 10, *_LEAST) * len(distinct)
    if length >= _FEWEST:
        rows = np.array([mine[-length:] for mine in of_chains])
        for name, values in series.items():
            x = values[rows]
            rhat[name], ess[name] = split_rhat(x), bulk_ess(x)
            limit = max(_APART, _largest_rhat(x, _P / len(series)))
            differs |= rhat[name] > min(limit, _FAR) or ess[name] < least
            drifts |= _drifts(x, _P_FIRST / len(series))
    covers = np.empty((len(distinct), 0))
    if modes is not None and not _is_bimodal(checked, labels, modes):
        modes = None
    if modes is not None:
        number = min(n_partitions, len(checked.rows.weights))
        if number != 2:
            modes = representative_partitions(checked, number, random_state=random_state)
        nearest = [modes.nearest[chain] for chain in of_chains]
        covers = np.array([np.bincount(one, minlength=number) / len(one) for one in nearest])
    return Convergence(distinct, series, rhat, ess, bool(differs or drifts), drifts, modes, covers)


def _series(
    checked: Draws, labels: ArrayLike, random_state: int
) -> tuple[dict[str, Array], Representatives | None]:
    """Numbers that describe each draw, and two representative partitions if draws differ."""
    place = checked.rows.place
    series = {
        "number of clusters": checked.rows.n_clusters[place].astype(np.float64),
        "distance to the estimate": losses_of_draws(checked, labels, "VI"),
    }
    modes = None
    if len(checked.rows.weights) > 1:
        modes = representative_partitions(checked, 2, n_starts=8, random_state=random_state)
        near, far = (losses_of_draws(checked, one, "VI") for one in modes.labels.T)
        series["nearer to the second mode"] = near - far
    p = checked.rows.pairs / checked.n_draws
    uncertain = np.triu(p * (1 - p), 1)
    for _ in range(min(_PAIRS, len(p) // 2)):
        i, j = np.unravel_index(uncertain.argmax(), uncertain.shape)
        if uncertain[i, j] == 0:
            break
        joined = checked.rows.labels[:, i] == checked.rows.labels[:, j]
        first, second = (checked.names[checked.first[unit]] for unit in (i, j))
        series[f"{first} with {second}"] = joined[place].astype(np.float64)
        for item in (i, j):
            uncertain[item] = uncertain[:, item] = 0
    return series, modes


def _is_bimodal(checked: Draws, labels: ArrayLike, modes: Representatives) -> bool:
    """Whether two partitions are nearer to the draws than one, and few draws lie between."""
    if modes.weights.min() < max(_MODE, _DRAWS / checked.n_draws):
        return False
    near, far = (losses_of_draws(checked, one, "VI") for one in modes.labels.T)
    apart = expected_loss(Draws.of(modes.labels[:, :1], few=True), modes.labels[:, 1], "VI")
    return bool(
        (np.abs(far - near) < apart / 3).mean() <= _BETWEEN
        and modes.expected_loss <= _RATIO * expected_loss(checked, labels, "VI")
    )


def split_rhat(x: Array) -> float:
    """Rank-normalised split R̂ of (chains, draws); 1 for equal values."""
    halves = _split(x)
    folded = np.abs(halves - np.median(halves))
    return max(_rhat(_normal_scores(halves)), _rhat(_normal_scores(folded)))


def bulk_ess(x: Array) -> float:
    """Bulk effective sample size of (chains, draws)."""
    return _ess(_normal_scores(_split(x)))


def _largest_rhat(x: Array, p: float) -> float:
    """R̂ that autocorrelation within the halves of chains explains with probability p."""
    z = _normal_scores(_split(x))
    k, n = z.shape
    each = max(_ess(z - z.mean(axis=1, keepdims=True)) / k, 1.0)
    between = float(chi2.isf(p, k - 1)) / ((k - 1) * each)
    return float(np.sqrt((n - 1) / n + between))


def _drifts(x: Array, p: float) -> bool:
    """Whether the first draws of all chains together differ from the last half of the chains."""
    z = _normal_scores(x)
    last = z[:, x.shape[1] // 2 :]
    # With both extremes, a value that is absent from the last half is rare, and not impossible.
    variance, ess = np.append(last, [z.min(), z.max()]).var(), _ess(last)
    for fraction in _FIRST:
        first = z[:, : int(np.ceil(fraction * x.shape[1]))]
        shift = abs(first.mean() - last.mean())
        error = np.sqrt(variance / ess * (1 + last.size / first.size))
        if shift > _SHIFT and t.sf(shift / error, max(ess - 1, 1)) < p / (2 * len(_FIRST)):
            return True
    return False


def _split(x: Array) -> Array:
    """The first and second halves of chains, without the middle of odd ones."""
    half = x.shape[1] // 2
    return np.concatenate([x[:, :half], x[:, x.shape[1] - half :]])


def _normal_scores(x: Array) -> Array:
    ranks = rankdata(x, axis=None).reshape(x.shape)
    return np.asarray(ndtri((ranks - 0.375) / (x.size + 0.25)))


def _rhat(z: Array) -> float:
    n = z.shape[1]
    within, between = z.var(axis=1, ddof=1).mean(), z.mean(axis=1).var(ddof=1)
    if np.ptp(z) == 0:
        return 1.0
    return float(np.sqrt(between / within + (n - 1) / n)) if within > _ZERO else np.inf


def _ess(z: Array) -> float:
    """ESS of chains, by Geyer's initial monotone sequence of autocorrelations."""
    k, n = z.shape
    if np.ptp(z) < _ZERO:
        return float(z.size)
    spectrum = rfft(z - z.mean(axis=1, keepdims=True), next_fast_len(2 * n), axis=1)
    covariance = irfft(np.abs(spectrum) ** 2, next_fast_len(2 * n), axis=1)[:, :n].mean(axis=0) / n
    within = covariance[0] * n / (n - 1)
    total = covariance[0] + (z.mean(axis=1).var(ddof=1) if k > 1 else 0.0)
    rho = 1 - (within - covariance) / total
    rho[0] = 1.0
    pairs = rho[: (n - 1) // 2 * 2].reshape(-1, 2).sum(axis=1)
    stop = next((t for t, pair in enumerate(pairs) if t > 0 and pair < 0), len(pairs) - 1)
    tau = -1 + 2 * np.minimum.accumulate(pairs[:stop]).sum() + max(rho[2 * stop], 0)
    return float(z.size / max(tau, 1 / np.log10(z.size)))
