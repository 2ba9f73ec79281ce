"""The choice among the candidates: by the scorer, or the medoid."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coassoc.answer.candidates import agreement
from coassoc.answer.finding import COMPARED, Candidates, find_candidates
from coassoc.answer.members import Trees
from coassoc.answer.views import Array, views_of
from coassoc.ensemble import Ensemble
from coassoc.errors import ConfigError
from coassoc.numerics.seeds import seed_sequence

#: A second answer has nearly the score of the first, and an ARI below this with it.
_GAP, _DIFFERENT = 0.2, 0.6
#: Neighbours that give a label to a sample that was not compared.
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
    second : (n,) integer array or None
        Labels of a different candidate that scores nearly as high.
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
    second: NDArray[np.intp] | None
    failed: Mapping[str, str]
    n_compared: int


def choose(X: Array, numbers: Iterable[int], by: str, seed: int) -> Answer:
    """Fit all members for some numbers of clusters, and choose one candidate.

    Parameters
    ----------
    X : (n, d) array or sparse matrix
    numbers : numbers of clusters; more than one only with the scorer
    by : "scorer" or "medoid"
    seed : int

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
    for k in numbers:
        found.append(find_candidates(views, rows, k, seed, trees))
        if not found[-1].each:
            raise ConfigError(f"n_clusters is {k}, but no algorithm finds clusters in X. Check X.")
        scores.append(_scores(found[-1], views, rows, X.shape[1], by))
    places = [(a, b) for a, each in enumerate(scores) for b in range(len(each))]
    order = sorted(places, key=lambda place: -scores[place[0]][place[1]])
    (a, b), views_compared = order[0], {name: view[rows] for name, view in views.items()}

    def on_all(a: int, b: int) -> NDArray[np.intp]:
        candidate = found[a].each[b]
        if b in found[a].on_all:
            return found[a].on_all[b]
        view = candidate.view or "raw"
        return _spread(candidate.labels, views_compared[view], views[view], rows)

    second = _second(found, scores, order) if by == "scorer" else None
    members = [x.labels for x in found[a].each if x.kind != "consensus"]
    best, titles = found[a].each[b], [x.title for x in found[a].each]
    view = best.view or "raw"
    confidence = _confidence(members, best.labels)
    agreements = [each.mean_agreement for each in found]
    return Answer(
        labels=on_all(a, b),
        confidence=_spread(confidence, views_compared[view], views[view], rows, neighbours=1),
        view=view,
        candidates=[
            Scored(x.title, x.kind, found[a].k, float(scores[a][b]), float(agreements[a][b]))
            for a, b in order
            for x in [found[a].each[b]]
        ],
        agreement=dict(zip(titles, found[a].agreement, strict=True)),
        second=None if second is None else on_all(*second),
        failed={title: why for each in found for title, why in each.failed.items()},
        n_compared=len(rows),
    )


def _scores(
    found: Candidates, views: Mapping[str, Array], rows: NDArray[np.intp], d: int, by: str
) -> Array:
    """The predicted ARI, up to a constant of the data set, or the mean ARI with the members."""
    if by == "medoid":
        return found.mean_agreement
    from coassoc.answer.indices import describe
    from coassoc.answer.scorer import load_scorer, predict

    compared = {name: view[rows] for name, view in views.items()}
    return predict(describe(found.each, compared, found.agreement, d), load_scorer())


def _second(
    found: list[Candidates], scores: list[Array], order: list[tuple[int, int]]
) -> tuple[int, int] | None:
    """The best candidate of another kind that scores nearly as high and differs from the first."""
    a, b = order[0]
    first = found[a].each[b]
    for c, d in order[1:]:
        if scores[c][d] < scores[a][b] - _GAP:
            return None
        other = found[c].each[d]
        if agreement([first.labels, other.labels])[0, 1] < _DIFFERENT:
            return c, d
    return None


def _confidence(members: list[NDArray[np.intp]], labels: NDArray[np.intp]) -> Array:
    from coassoc.confidence import sample_confidence

    return sample_confidence(Ensemble.from_clusterings(np.column_stack(members)), labels)


def _spread(
    values: NDArray,
    compared: Array,
    view: Array,
    rows: NDArray[np.intp],
    neighbours: int = _NEIGHBOURS,
) -> NDArray:
    """Values of all samples from those of the compared ones: the most frequent near value."""
    if len(rows) == len(view):
        return values
    from sklearn.neighbors import NearestNeighbors

    near = NearestNeighbors(n_neighbors=neighbours).fit(compared)
    found = near.kneighbors(view, return_distance=False)
    if neighbours == 1:
        spread = values[found[:, 0]]
    else:
        votes = np.zeros((len(view), int(values.max()) + 1), dtype=np.int8)
        np.add.at(votes, (np.arange(len(view))[:, None], values[found]), 1)
        spread = votes.argmax(axis=1)
    spread[rows] = values
    return spread
