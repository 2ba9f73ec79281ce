"""Each kind of figure, drawn from small inputs: what stands where."""

import io
import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import plot_embedding
from coassoc.bench.storage.records import Pool, RepeatResult, Run
from coassoc.ensemble import Ensemble
from coassoc.methods import METHODS
from plot_base_quality import draw_base_quality, repeats_against_base
from plot_before_after import draw_before_after, scores_of_refinements
from plot_convergence import draw_convergence, recorded
from plot_curves import draw_ensemble_size, draw_surface
from plot_embedding import draw_embedding, map_samples, maps_of_fits
from plot_matrices import by_class, draw_matrices, lines_of_links, link_numbers
from plot_reliability import co_association_reliability
from reproduction.figures.inputs import FittedCell
from reproduction.study.paths import Source
from scored_cells import cell, score_frame

CLASSES = np.array([1, 0, 1, 0, 2])


def fitted(dataset: str, label: str, classes=CLASSES, features=None, **attributes) -> FittedCell:
    """A method on a data set, with what its fit has set."""
    pool = Pool(classes[:, None], classes)
    return FittedCell(label, dataset, pool, features, SimpleNamespace(**attributes))


def is_drawn(figure: Figure) -> bool:
    file = io.BytesIO()
    figure.savefig(file, format="png")
    assert labels_are_legible(figure)
    return file.getvalue().startswith(b"\x89PNG")


def labels_are_legible(figure: Figure) -> bool:
    """Whether the labels of horizontal axes lie in the figure and do not overlap."""
    labels = [axis.xaxis.label for axis in figure.axes if axis.get_xlabel()]
    boxes = [label.get_window_extent() for label in labels]
    inside = all(0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in boxes)
    return inside and not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))


# -- base clusterings: base_quality, before_after ----------------------------------------------


def test_points_are_the_draws_of_the_repeats():
    pool = Pool(np.zeros((5, 4), dtype=int), None, {2: np.array([[0, 1], [2, 3], [0, 3]])})
    base = pd.DataFrame({"NMI": [0.1, 0.3, 0.5, 0.9]})
    run = score_frame([({}, [0.4, 0.8, 0.6])]).rename(columns={"ARI": "NMI"})
    run.loc[1, "status"] = "skipped: too large"
    cells, scores = [cell("M", ["s"], m=2)], {"s": run, "p/A/base": base}
    points = repeats_against_base(cells, scores, {Source("p", "A"): pool}, "NMI")
    assert points["repeat"].tolist() == [0, 2]
    assert points["base"].tolist() == pytest.approx([0.2, 0.5])
    assert points["score"].tolist() == [0.4, 0.6]
    assert points["pool_mean"].tolist() == pytest.approx([0.45, 0.45])
    assert is_drawn(draw_base_quality(points, "NMI"))
    four = pd.concat([points.assign(dataset=name) for name in "ABCD"])
    assert is_drawn(draw_base_quality(four, "NMI"))


def test_bars_are_the_scores_of_what_was_given_and_refined(blobs):
    X, y = blobs
    wrong = np.where(np.arange(45) % 5 == 0, (y + 1) % 3, y)
    estimator = METHODS["ACMK-KM"](n_clusters=3, lam=0.001, random_state=0)
    fit = fitted("A", "ACMK-KM", y)._replace(estimator=estimator.fit(np.c_[y, wrong], X=X))
    lines = pd.DataFrame(scores_of_refinements(iter([fit]), "accuracy", "ACC"))
    assert is_drawn(draw_before_after(lines, "accuracy"))
    means = lines.pivot(index="x", columns="row", values="mean")
    assert means["given"].tolist() == pytest.approx([1, 0.8])
    assert means["ACMK-KM"].tolist() == pytest.approx([1, 1])


# -- convergence -------------------------------------------------------------------------------


def test_a_curve_for_each_repeat_and_a_logarithmic_axis_where_they_fall_far():
    falling = [np.array([1.0, 0.1, 0.001]), np.array([2.0, 0.5])]
    level = [np.array([3.0, 2.0, 2.0])]
    results = ([RepeatResult(None, history={"change": x}) for x in xs] for xs in (falling, level))
    runs = [Run([{}], [of_run]) for of_run in results]
    runs[0].results[0].append(RepeatResult(None, status="skipped: too slow"))
    frames = [recorded(run, "change").assign(label="M") for run in runs]
    assert frames[0]["repeat"].value_counts().tolist() == [3, 2]
    lines = pd.concat([frames[0].assign(dataset="A"), frames[1].assign(dataset="B")])
    figure = draw_convergence(lines, "relative change")
    assert is_drawn(figure) and [axis.get_yscale() for axis in figure.axes] == ["log", "linear"]


# -- curves and surfaces -----------------------------------------------------------------------


def scores(names: list[str]) -> pd.DataFrame:
    lines = [
        {"label": name, "dataset": "A", "x": m, "mean": 0.5 + 0.001 * i, "std": 0.1}
        | {"repeats": 20, "run": f"published/A/m{m}/{name}/default"}
        for i, name in enumerate(names)
        for m in (10, 20, 30)
    ]
    return pd.DataFrame(lines)


def curves(summary: pd.DataFrame) -> Figure:
    return draw_ensemble_size(summary, {"metric": "ARI"})


@pytest.mark.parametrize("number", [2, 5, 13])
def test_curves_of_few_and_of_many_methods(number):
    frame = scores([f"M{i}" for i in range(number - 1)] + ["EC-CMS (tuned)"])
    assert is_drawn(curves(frame))
    few = frame["label"] == "M0"
    frame.loc[few, "run"] = "published/A/m10/M0/lam=0.1~repeats=3"
    frame.loc[few, "repeats"] = 3
    assert curves(frame).axes[0].get_title() == "A\nM0: 3 repeats"


def test_a_surface():
    pairs = itertools.product((0.5, 0.6), (0.1, 1.0))
    lines = [{"dataset": "A", "metric": "ARI", "x": x, "mean": 0.5, "std": 0.1} for x in pairs]
    assert is_drawn(draw_surface(pd.DataFrame(lines).assign(repeats=20), {"over": ["a", "b"]}))


# -- embedding ---------------------------------------------------------------------------------


def test_map_keeps_classes_apart(blobs):
    X, y = blobs
    places = map_samples(X)
    assert places.shape == (45, 2)
    distances = np.linalg.norm(places[:, None] - places, axis=2) + 1e9 * np.eye(45)
    assert (y[distances.argmin(axis=1)] == y).all()
    np.testing.assert_array_equal(places, map_samples(X))


def test_maps_of_embeddings(blobs, monkeypatch):
    monkeypatch.setattr(plot_embedding, "map_samples", lambda points, seed: points[:, :2])
    X, y = blobs
    shown = [fitted(*place, y, X, embedding_=X[:, :3]) for place in ("A1", "A2", "B1")]
    assert is_drawn(draw_embedding(maps_of_fits(shown, seed=0)))


# -- matrices ----------------------------------------------------------------------------------


def test_numbers_of_links():
    y = np.array([0, 0, 0, 1])
    similarity = np.array([[9, 4, 3, 4], [4, 9, 2, 0], [3, 2, 9, 1], [4, 0, 1, 9]]) / 2
    # Pairs of one class have 4, 3 and 2, the others 4, 0 and 1: 6.5 of 9 comparisons.
    strong = {"strong": 2 / 6, "recall of strong": 1 / 3, "precision of strong": 1 / 2}
    expected = {**strong, "between": 5 / 12, "AUC": 6.5 / 9}
    assert link_numbers(similarity, y) == pytest.approx(expected)
    lines = lines_of_links([fitted("A", "1", affinity_=np.eye(5))], coherent=True)
    assert [line["row"] for line in lines][::5] == ["1", "coherent-link"]


def test_samples_are_ordered_by_class_with_borders_between():
    similarity = np.arange(25.0).reshape(5, 5)
    image, borders = by_class(similarity, CLASSES, diagonal=-1.0)
    order = [1, 3, 0, 2, 4]
    expected = similarity[np.ix_(order, order)]
    np.fill_diagonal(expected, -1.0)
    assert np.array_equal(image, expected) and borders.tolist() == [2, 4]


def test_heat_maps_begin_with_the_coherent_links():
    learned = {"CA": np.full((5, 5), 0.5), "M": np.eye(5)}
    fits = [fitted("A", name, affinity_=matrix) for name, matrix in learned.items()]
    figure = draw_matrices(fits, coherent=True)
    titles = [axis.get_title() for axis in figure.axes[:4]]
    assert titles == ["coherent-link", "CA", "M", "ground truth"] and is_drawn(figure)


# -- reliability -------------------------------------------------------------------------------


def test_reliability_counts_pairs():
    labels = np.array([[0, 0], [0, 0], [0, 1], [1, 1]])
    curve = co_association_reliability(Ensemble(labels), np.array([0, 0, 0, 1]))
    assert curve["value"].tolist() == [0, 0.5, 1]
    assert curve["share"].tolist() == pytest.approx([2 / 6, 3 / 6, 1 / 6])
    assert curve["precision"].tolist() == pytest.approx([3 / 6, 3 / 4, 1])
    assert curve["recall"].tolist() == pytest.approx([1, 1, 1 / 3])
