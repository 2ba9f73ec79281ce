"""Numbers of clusters compared, as a file and as a page."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pandas as pd
import pytest

from coassoc.figures.selection_page import write_selection_page
from coassoc.methods import METHODS
from coassoc.results.consensus import write_comparison
from coassoc.running.selecting import Comparison
from coassoc.selection import CRITERIA, DisagreementWarning, select_n_clusters


@pytest.fixture(scope="module")
def found() -> Comparison:
    labels = np.random.default_rng(0).integers(0, 4, (40, 6))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DisagreementWarning)
        selection = select_n_clusters(labels, METHODS["LWEA"], range(2, 5), n_draws=3)
    return Comparison({"<LWEA>": selection}, {"DREC": "skipped: labels < 0"})


def test_a_line_for_each_number_says_which_criteria_choose_it(tmp_path, found):
    write_comparison(tmp_path / "n.csv", found)
    table = pd.read_csv(tmp_path / "n.csv").set_index("n_clusters")
    (selection,) = found.selections.values()
    assert set(table["method"]) == {"<LWEA>"} and table.index.tolist() == [2, 3, 4]
    assert np.allclose(table[list(CRITERIA)], selection.criteria[list(CRITERIA)], rtol=1e-5)
    chosen = {
        name: c for c, names in table["chosen by"].dropna().items() for name in names.split(", ")
    }
    assert chosen == selection.chosen


def test_the_page_shows_the_criteria_and_what_failed(tmp_path, found):
    write_selection_page(tmp_path / "n.html", found, "mine & yours", "mine")
    page = (tmp_path / "n.html").read_text()
    assert "How many clusters? mine &amp; yours on mine" in page
    assert "&lt;LWEA&gt;" in page and "DREC: skipped: labels &lt; 0" in page
    assert "The criteria disagree on the number of clusters: PAC" in page
    assert page.count(" *</td>") == len(CRITERIA)
    assert page.count("data:image/png;base64,") == 1
    assert not re.search(r"(src|href)=\"(?!data:)", page)
