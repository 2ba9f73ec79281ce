"""Each kind of figure, drawn from small inputs: what stands where."""

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import FillBetweenPolyCollection, LineCollection
from matplotlib.figure import Figure

import plot_embedding
from coassoc.ensemble import Ensemble
from coassoc.methods import METHODS
from coassoc.similarity import co_association
from coassoc.storage.records import Pool, RepeatResult, Run
from plot_base_quality import draw_base_quality, repeats_against_base
from plot_before_after import draw_before_after, scores_of_refinements
from plot_convergence import draw_convergence, recorded
from plot_curves import draw_ensemble_size, draw_surface
from plot_embedding import draw_embedding, map_samples
from plot_matrices import by_class, draw_matrices, lines_of_links, link_numbers
from plot_reliability import co_association_reliability
from plot_transform import slice_norms
from reproduction.figures.inputs import FittedCell
from reproduction.study.paths import Source
from scored_cells import cell, score_frame

CLASSES = np.array([1, 0, 1, 0, 2])
SORTED = Ensemble(np.repeat(np.arange(4), 8)[:, None] * np.ones((1, 3), dtype=int))
SHUFFLED = Ensemble(np.random.default_rng(0).permutation(np.asarray(SORTED)))


def fitted(dataset: str, label: str, classes=CLASSES, features=None, **attributes) -> FittedCell:
    """A method on a data set, with what its fit has set."""
    pool = Pool(classes[:, None], classes)
    return FittedCell(label, label, dataset, pool, features, SimpleNamespace(**attributes))


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
    axis = draw_base_quality(points, "NMI").axes[0]
    assert any(np.allclose(line.get_ydata(), 0.45) for line in axis.lines)
    assert axis.get_title() == "A" and "NMI" in axis.get_xlabel()


def test_bars_are_the_scores_of_what_was_given_and_refined(blobs):
    X, y = blobs
    wrong = np.where(np.arange(45) % 5 == 0, (y + 1) % 3, y)
    estimator = METHODS["ACMK-KM"](n_clusters=3, lam=0.001, random_state=0)
    fit = fitted("A", "ACMK-KM", y)._replace(estimator=estimator.fit(np.c_[y, wrong], X=X))
    lines = pd.DataFrame(scores_of_refinements(iter([fit]), "accuracy", "ACC"))
    axis = draw_before_after(lines, "accuracy").axes[0]
    assert [bar.get_height() for bar in axis.patches] == pytest.approx([1, 0.8, 1, 1])
    means = lines.pivot(index="x", columns="row", values="mean")
    assert means["given"].tolist() == pytest.approx([1, 0.8])
    assert means["ACMK-KM"].tolist() == pytest.approx([1, 1])


# -- convergence -------------------------------------------------------------------------------


def test_a_curve_for_each_repeat_and_a_logarithmic_axis_where_they_fall_far():
    falling = [np.array([1.0, 0.1, 0.001]), np.array([2.0, 0.5])]
    level = [np.array([3.0, 2.0, 2.0])]
    runs = [
        Run([{}], [[RepeatResult(None, history={"change": trace}) for trace in traces]])
        for traces in (falling, level)
    ]
    runs[0].results[0].append(RepeatResult(None, status="skipped: too slow"))
    traces = {name: {"M": recorded(run, "change")} for name, run in zip("AB", runs, strict=True)}
    figure = draw_convergence(traces, "relative change")
    far, near = figure.axes
    assert [len(line.get_xdata()) for line in far.lines] == [3, 2]
    assert far.lines[0].get_xdata()[0] == 1
    assert (far.get_yscale(), near.get_yscale()) == ("log", "linear")
    assert far.get_ylabel() == "relative change"
    assert len(figure.legends[0].get_texts()) == 1


# -- curves and surfaces -----------------------------------------------------------------------


def scores(names: list[str]) -> pd.DataFrame:
    lines = [
        {"label": name, "dataset": "A", "x": m, "mean": 0.5 + 0.001 * i, "std": 0.1}
        | {"repeats": 20, "run": f"published/A/m{m}/{name}/default"}
        for i, name in enumerate(names)
        for m in (10, 20, 30)
    ]
    return pd.DataFrame(lines)


def curves(summary: pd.DataFrame, *own: str) -> Figure:
    return draw_ensemble_size(summary, {"metric": "ARI", "own": own})


@pytest.mark.parametrize("number", [5, 13])
def test_of_many_methods_the_paper_s_own_has_a_band_and_the_others_bars(number):
    few = curves(scores(["LWEA", "EC-CMS"]), "EC-CMS")
    assert len(few.axes[0].collections) == 2 and len(few.legends) == 1
    names = [f"M{i}" for i in range(number - 1)] + ["EC-CMS (tuned)"]
    figure = curves(scores(names), "EC-CMS (tuned)")
    (axis,) = figure.axes
    kinds = [type(collection) for collection in axis.collections]
    assert (kinds.count(FillBetweenPolyCollection), kinds.count(LineCollection)) == (1, number - 1)
    bars = [x for x in axis.collections if isinstance(x, LineCollection)]
    assert [np.ptp(bar.get_segments()[0][:, 1]) for bar in bars] == pytest.approx([0.2] * len(bars))
    assert not figure.legends
    assert [text.get_text() for text in axis.texts] == [name.split(" (")[0] for name in names]
    heights = [text.xyann[1] for text in axis.texts]
    # They lie within a hundredth of the scores, and their names apart and beside the panel.
    assert min(np.diff(heights)) > 0.05 and 0 <= min(heights) and max(heights) <= 1


def test_fewer_repeats_stand_above_the_panel():
    frame = scores(["LTA-EA", "LTA-SC", "LWEA"])
    few = frame["label"] != "LWEA"
    frame.loc[few, "run"] = "published/A/m10/LTA/lam=0.1~repeats=3"
    frame.loc[few, "repeats"] = 3
    assert curves(frame).axes[0].get_title() == "A\nLTA-EA, LTA-SC: 3 repeats"
    assert curves(frame[few]).axes[0].get_title() == "A\n3 repeats"
    # A method that failed in some repeats was not shortened.
    assert curves(scores(["LWEA"]).assign(repeats=19)).axes[0].get_title() == "A"


@pytest.mark.parametrize(
    ("repeats", "std", "title"),
    [(20, 0.03, "A: ARI, mean over 20 repeats (each ±0.03)"), (1, None, "A: ARI, one repeat")],
)
def test_the_title_says_over_how_many_repeats(repeats, std, title):
    lines = [
        {"dataset": "A", "metric": "ARI", "x": pair, "mean": 0.5, "std": std, "repeats": repeats}
        for pair in itertools.product((0.5, 0.6), (0.1, 1.0))
    ]
    figure = draw_surface(pd.DataFrame(lines), {"over": ["alpha", "lam"]})
    assert figure.axes[0].get_title() == title


# -- embedding ---------------------------------------------------------------------------------


def test_map_keeps_classes_apart(blobs):
    X, y = blobs
    places = map_samples(X)
    assert places.shape == (45, 2)
    distances = np.linalg.norm(places[:, None] - places, axis=2) + 1e9 * np.eye(45)
    assert (y[distances.argmin(axis=1)] == y).all()
    np.testing.assert_array_equal(places, map_samples(X))


def test_one_map_per_embedding(blobs, monkeypatch):
    monkeypatch.setattr(plot_embedding, "map_samples", lambda points, seed: points[:, :2])
    X, y = blobs
    shown = [fitted(*place, y, X, embedding_=X[:, :3]) for place in ("A1", "A2", "B1")]
    figure = draw_embedding(shown, seed=0)
    shown = [axis for axis in figure.axes if axis.get_visible()]
    assert [axis.get_title() for axis in shown] == ["features", "1", "2", "features", "1"]
    points = shown[1].collections[0]
    assert len(points.get_offsets()) == 45
    assert len(np.unique(points.get_facecolors(), axis=0)) == 3


# -- matrices ----------------------------------------------------------------------------------


def heat_maps(learned: dict[str, np.ndarray], panel: str, relative: bool = False) -> Figure:
    fits = [fitted("A", name, affinity_=matrix) for name, matrix in learned.items()]
    return draw_matrices(fits, {"panels": [panel], "relative": relative})


def test_numbers_of_links():
    y = np.array([0, 0, 0, 1])
    similarity = np.array([[9, 4, 3, 4], [4, 9, 2, 0], [3, 2, 9, 1], [4, 0, 1, 9]]) / 2
    # Pairs of one class have 4, 3 and 2, the others 4, 0 and 1: 6.5 of 9 comparisons.
    assert link_numbers(similarity, y) == pytest.approx(
        {
            "strong": 2 / 6,
            "recall of strong": 1 / 3,
            "precision of strong": 1 / 2,
            "between": 5 / 12,
            "AUC": 6.5 / 9,
        }
    )
    lines = lines_of_links([fitted("A", "1", affinity_=np.eye(5))], ["coherent-link"])
    assert {line["row"] for line in lines} == {fitted("A", "1").row, "coherent-link"}


def test_samples_are_ordered_by_class_with_borders_between():
    similarity = np.arange(25.0).reshape(5, 5)
    image, borders = by_class(similarity, CLASSES, diagonal=-1.0)
    order = [1, 3, 0, 2, 4]
    expected = similarity[np.ix_(order, order)]
    np.fill_diagonal(expected, -1.0)
    assert np.array_equal(image, expected)
    assert borders.tolist() == [2, 4]


def test_coherent_link_is_where_the_first_similarity_is_one():
    similarity = np.where(CLASSES[:, None] == CLASSES, 1.0, 0.9)
    learned = {"CA": similarity, "M": np.full((5, 5), 0.3)}
    link, first, second = heat_maps(learned, "coherent-link").axes[:3]
    assert [axis.get_title() for axis in (link, first, second)] == ["coherent link", "CA", "M"]
    order = np.argsort(CLASSES, kind="stable")
    assert np.array_equal(link.images[0].get_array(), similarity[np.ix_(order, order)] == 1)


def test_frame_marks_the_classes_between_which_most_is_lost():
    before = np.full((5, 5), 0.5)
    after = before.copy()
    after[[1, 4], [4, 1]] = 0.1  # a sample of class 0 and the one of class 2
    after[[0, 3], [3, 0]] = 0.3  # a sample of class 1 and one of class 0
    change = heat_maps({"M": before, "N": after}, "difference").axes[2]
    frames = {tuple(np.round(frame.get_bbox().bounds, 9)) for frame in change.patches}
    assert frames == {(-0.5, 3.5, 2.0, 1.0), (3.5, -0.5, 1.0, 2.0)}
    gained = heat_maps({"M": np.zeros((5, 5)), "N": np.eye(5)}, "difference").axes[2]
    assert not gained.patches


# -- reliability and transform -----------------------------------------------------------------


def test_reliability_counts_pairs():
    labels = np.array([[0, 0], [0, 0], [0, 1], [1, 1]])
    curve = co_association_reliability(Ensemble(labels), np.array([0, 0, 0, 1]))
    assert curve["value"].tolist() == [0, 0.5, 1]
    assert curve["share"].tolist() == pytest.approx([2 / 6, 3 / 6, 1 / 6])
    assert curve["precision"].tolist() == pytest.approx([3 / 6, 3 / 4, 1])
    assert curve["recall"].tolist() == pytest.approx([1, 1, 1 / 3])


def test_the_norms_are_those_of_the_transform_few_of_a_sorted_file():
    A = np.asarray(co_association(SHUFFLED))
    k, i = np.arange(1, 17)[:, None], np.arange(32)
    transform = np.exp(-2j * np.pi * k * i / 32) @ A
    assert np.allclose(slice_norms(SHUFFLED), np.sqrt((np.abs(transform) ** 2).sum(axis=1)))
    few, many = (np.sort(slice_norms(ensemble) ** 2)[::-1] for ensemble in (SORTED, SHUFFLED))
    assert few[:4].sum() > 0.8 * few.sum() and many[:4].sum() < 0.6 * many.sum()
