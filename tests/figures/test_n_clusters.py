"""The figure of the criteria for the number of clusters."""

import numpy as np
import pytest

from coassoc.methods import METHODS
from coassoc.pages.n_clusters import plot_selection
from coassoc.selection import CRITERIA, select_n_clusters
from ensembles import noisy_ensemble


@pytest.mark.filterwarnings("ignore:The criteria disagree")
@pytest.mark.parametrize("noise", [0.02, 0.4])
def test_each_criterion_has_a_panel_with_its_choice(noise):
    labels = noisy_ensemble(80, 8, 3, seed=0, noise=noise)
    selection = select_n_clusters(labels, METHODS["LWEA"], range(2, 7), n_draws=4)
    figure = plot_selection(selection)
    axes = {axis.get_title(): axis for axis in figure.axes}
    for name in CRITERIA:
        c = selection.chosen[name]
        curve, mark = axes[f"{name}: {c}"].lines
        np.testing.assert_array_equal(curve.get_xdata(), selection.criteria.index)
        np.testing.assert_array_equal(curve.get_ydata(), selection.criteria[name])
        assert mark.get_xdata()[0] == c
    curves = axes["CDF"].lines
    assert len(curves) == 5
    for line, drawn in zip(curves, selection.distributions.values(), strict=True):
        assert line.get_ydata()[1:-1] == pytest.approx(drawn.cumulative)
