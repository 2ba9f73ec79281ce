"""The choice among the candidates: the medoid."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coassoc.answer.finding import COMPARED, find_candidates
from coassoc.answer.members import Trees, available_members
from coassoc.answer.views import Array, views_of
from coassoc.ensemble import Ensemble
from coassoc.numerics.seeds import seed_sequence

Report = Callable[[str, int, int], None]

#: Neighbours that vote for the cluster of another sample.
_NEIGHBOURS = 5


class Compared(NamedTuple):
    """A candidate by its name, with its kind, number of clusters and mean agreement."""

    candidate: str
    kind: str
    k: int
    agreement: float


@dataclass(frozen=True)
class Answer:
    """The answer, and what it was chosen from.

    Attributes
    ----------
    labels : (n,) integer array
    confidence : (n,) array
        Co-association of the members with the own cluster less that with the nearest other one.
    view : str
        The view of the answer.
    candidates : list of Compared
        The best first.
    agreement : dict of str to (q,) array
        Adjusted Rand indices of each candidate with the answer's number of clusters with all of
        them, in the same order.
    failed : dict of str to str
        Why members have no labels.
    n_compared : int
        The number of samples on which candidates were compared.
    """

    labels: NDArray[np.intp]
    confidence: Array
    view: str
    candidates: list[Compared]
    agreement: Mapping[str, Array]
    failed: Mapping[str, str]
    n_compared: int


def choose(X: Array, numbers: Iterable[int], seed: int, report: Report = lambda *_: None) -> Answer:
    """Fit all members for some numbers of clusters, and choose the medoid.

    Parameters
    ----------
    X : (n, d) array or sparse matrix
    numbers : numbers of clusters, which are compared if there are several
    seed : int
    report : callable
        Called with a step, the number of finished fits and their total.

    Raises
    ------
    ConfigError
        If no member clusters these samples.
    """
    views, numbers = views_of(X), list(numbers)
    n = X.shape[0]
    rows = np.arange(n)
    if n > COMPARED:
        rng = np.random.default_rng(seed_sequence(seed, "compared samples"))
        rows = np.sort(rng.choice(n, COMPARED, replace=False))
    found = []
    trees: dict[str, Trees] = {name: {} for name in views}
    total = len(numbers) * len(views) * len(available_members())
    ticks = count(1)
    for k in numbers:
        tick = lambda: report("Clustering", next(ticks), total)
        found.append(find_candidates(views, rows, k, seed, trees, tick))
    agreements = [each.mean_agreement for each in found]
    places = [(a, b) for a, each in enumerate(agreements) for b in range(len(each))]
    order = sorted(places, key=lambda place: -agreements[place[0]][place[1]])
    a, b = order[0]
    members = [x.labels for x in found[a].each if x.kind != "consensus"]
    best, titles = found[a].each[b], [x.title for x in found[a].each]
    labels, confidence = best.labels, _confidence(members, best.labels)
    if len(rows) < n:
        view = views[best.view or "raw"]
        labels, confidence = nearest_values(view[rows], view, labels, confidence)
        labels = labels if best.on_all is None else best.on_all
    return Answer(
        labels=labels,
        confidence=confidence,
        view=best.view or "raw",
        candidates=[
            Compared(x.title, x.kind, found[a].k, float(agreements[a][b]))
            for a, b in order
            for x in [found[a].each[b]]
        ],
        agreement=dict(zip(titles, found[a].agreement, strict=True)),
        failed={title: why for each in found for title, why in each.failed.items()},
        n_compared=len(rows),
    )


def _confidence(members: list[NDArray[np.intp]], labels: NDArray[np.intp]) -> Array:
    from coassoc.confidence import sample_confidence

    return sample_confidence(Ensemble.from_clusterings(np.column_stack(members)), labels)


def nearest_values(known: Any, new: Any, *values: NDArray) -> list[NDArray]:
    """Values of new samples from those of known ones.

    The five nearest known samples vote for their labels, with weights inverse to their distances. A
    number is that of the nearest.

    Parameters
    ----------
    known, new : (n, d) and (n_new, d) arrays or sparse matrices
    values : (n,) arrays of labels or numbers
    """
    from sklearn.neighbors import NearestNeighbors

    near = NearestNeighbors(n_neighbors=min(_NEIGHBOURS, known.shape[0])).fit(known)
    distances, index = near.kneighbors(new)
    weights = 1 / np.maximum(distances, 1e-300)
    spread = []
    for each in values:
        found = each[index]
        votes = [(weights * (found == column[:, None])).sum(axis=1) for column in found.T]
        most = np.argmax(votes, axis=0) if each.dtype.kind == "i" else 0
        spread.append(found[np.arange(len(found)), most])
    return spread
