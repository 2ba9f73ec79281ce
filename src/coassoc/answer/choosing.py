"""The choice among the candidates: by the scorer, or the medoid."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coassoc.answer.finding import COMPARED, Candidates, find_candidates
from coassoc.answer.members import Trees, available_members
from coassoc.answer.views import Array, views_of
from coassoc.ensemble import Ensemble
from coassoc.errors import ConfigError
from coassoc.numerics.seeds import seed_sequence

#: Weight of the mean agreement beside the predicted ARI if numbers of clusters are compared.
_AGREEMENT = 0.3
Report = Callable[[str, int, int], None]

#: Neighbours that vote for the cluster of another sample.
_NEIGHBOURS = 5


class Scored(NamedTuple):
    """A candidate by its name, with its kind, number of clusters, score and mean agreement."""

    candidate: str
    kind: str
    k: int
    score: float
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
    candidates : list of Scored
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
    candidates: list[Scored]
    agreement: Mapping[str, Array]
    failed: Mapping[str, str]
    n_compared: int


def choose(
    X: Array, numbers: Iterable[int], by: str, seed: int, report: Report = lambda *_: None
) -> Answer:
    """Fit all members for some numbers of clusters, and choose one candidate.

    Parameters
    ----------
    X : (n, d) array or sparse matrix
    numbers : numbers of clusters; more than one only with the scorer
    by : "scorer" or "medoid"
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
    found, scores = [], []
    trees: dict[str, Trees] = {name: {} for name in views}
    score = _scorer({name: view[rows] for name, view in views.items()}, X.shape[1], by)
    total = len(numbers) * len(views) * len(available_members())
    ticks = count(1)
    for k in numbers:
        tick = lambda: report("Clustering", next(ticks), total)
        found.append(find_candidates(views, rows, k, seed, trees, tick))
        if not found[-1].each:
            raise ConfigError(f"n_clusters is {k}, but no algorithm finds clusters in X. Check X.")
        more = _AGREEMENT * found[-1].mean_agreement if len(numbers) > 1 else 0.0
        scores.append(score(found[-1]) + more)
    places = [(a, b) for a, each in enumerate(scores) for b in range(len(each))]
    order = sorted(places, key=lambda place: -scores[place[0]][place[1]])
    a, b = order[0]
    members = [x.labels for x in found[a].each if x.kind != "consensus"]
    best, titles = found[a].each[b], [x.title for x in found[a].each]
    labels, confidence = best.labels, _confidence(members, best.labels)
    if len(rows) < n:
        view = views[best.view or "raw"]
        labels, confidence = nearest_values(view[rows], view, labels, confidence)
        labels = found[a].on_all.get(b, labels)
    agreements = [each.mean_agreement for each in found]
    return Answer(
        labels=labels,
        confidence=confidence,
        view=best.view or "raw",
        candidates=[
            Scored(x.title, x.kind, found[a].k, float(scores[a][b]), float(agreements[a][b]))
            for a, b in order
            for x in [found[a].each[b]]
        ],
        agreement=dict(zip(titles, found[a].agreement, strict=True)),
        failed={title: why for each in found for title, why in each.failed.items()},
        n_compared=len(rows),
    )


def _scorer(views: Mapping[str, Array], d: int, by: str) -> Callable[[Candidates], Array]:
    """Predicts ARI, up to a constant of the data set, or returns the mean ARI with the members."""
    if by == "medoid":
        return lambda found: found.mean_agreement
    from coassoc.answer.indices import ViewIndices, describe
    from coassoc.answer.scorer import load_scorer, predict

    indices = {name: ViewIndices(view) for name, view in views.items()}
    return lambda found: predict(describe(found.each, indices, found.agreement, d), load_scorer())


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
