"""A consensus and a comparison of numbers of clusters as files, and the pages on them."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest

from coassoc.confidence import pairwise_agreement, sample_confidence
from coassoc.ensemble import Ensemble
from coassoc.errors import DataError, MethodError
from coassoc.methods import METHODS
from coassoc.pages.combining import ComparedNumbers, base_of_pool, combine, compare
from coassoc.pages.consensus_page import write_files
from coassoc.selection import CRITERIA, select_n_clusters
from coassoc.storage.hdf5 import read_pool, write_pool
from coassoc.storage.records import Pool

LABELS = np.array([[0, 0, 0], [0, 0, 0], [0, 0, -1], [1, 1, 1], [1, 1, 1], [1, 0, 1]])
FOUND = np.array([0, 0, 0, 1, 1, 1])
NAMES = ["a, b", 'say "k"', "<i>", "é", "$x", "plain"]


def pool(**attributes) -> Pool:
    attributes = {"clusterings": ["p", "<b>$q$</b>", "r"], **attributes}
    samples = np.array(NAMES, dtype=object)
    return Pool(LABELS, None, {2: np.array([[0, 1], [1, 2]])}, attributes, samples)


class Known:
    """What a user's own class may be: it has labels after fit, or fails."""

    uses_features = True

    def __init__(self, n_clusters, random_state, error=None):
        self.error = error

    def fit(self, labels, X=None):
        if self.error:
            raise self.error
        self.seen = X
        self.labels_ = FOUND
        return self


TOO_SLOW = partial(Known, error=MethodError("too slow"))


def test_a_line_for_each_sample(tmp_path):
    base = base_of_pool(pool(), 2)
    result = combine(base, {"LWEA": METHODS["LWEA"], "A": TOO_SLOW}, 2)
    write_files(tmp_path / "c", result, "mine")
    table = pd.read_csv(tmp_path / "c.csv")
    assert list(table) == ["sample", "LWEA", "LWEA confidence"]
    assert table["sample"].tolist() == NAMES
    expected = METHODS["LWEA"](2).fit(LABELS[:, :2]).labels_
    assert table["LWEA"].tolist() == expected.tolist()
    confidence = sample_confidence(Ensemble(LABELS[:, :2]), expected)
    assert np.allclose(table["LWEA confidence"], confidence, atol=5e-5)
    assert base.clusterings == ["p", "<b>$q$</b>"] and result.failures == {"A": "skipped: too slow"}


@pytest.mark.parametrize("stored", [False, True])
def test_samples_without_any_label_have_no_cluster(tmp_path, stored):
    made = pool(unlabelled={0: "noise", 3: "more, noise"})
    if stored:
        write_pool(tmp_path / "pool.h5", made)
        made = read_pool(tmp_path / "pool.h5")
    consensus = combine(base_of_pool(made, 2), {"A": Known}, 2)
    write_files(tmp_path / "c", consensus, "mine")
    table = pd.read_csv(tmp_path / "c.csv")
    names = ["noise", *NAMES[:2], "more, noise", *NAMES[2:]]
    assert table["sample"].tolist() == names
    assert table["A"].isna().tolist() == [name not in NAMES for name in names]
    assert table["A"].dropna().tolist() == FOUND.tolist()
    assert "2 more have no label, and so no cluster." in (tmp_path / "c.html").read_text()


def test_nothing_found_is_said():
    base = base_of_pool(pool(), 2)
    methods = {"A": TOO_SLOW, "B": partial(Known, error=ZeroDivisionError("0"))}
    with pytest.raises(DataError, match="No method has a consensus; A: too slow"):
        combine(base, methods, 2)
    with pytest.raises(DataError, match="No method has a consensus; B: failed: ZeroDiv"):
        combine(base, {"B": methods["B"]}, 2)
    with pytest.raises(DataError, match=r"No method gives partitions .*; LWEA: n_clus"):
        compare(base, {"LWEA": METHODS["LWEA"]}, range(2, 7), n_draws=2)
    with pytest.raises(DataError, match=r"No method gives partitions .*; B: failed: ZeroDiv"):
        compare(base, {"B": methods["B"]}, range(2, 4), n_draws=2)


def test_the_page_holds_its_pictures_and_what_failed(tmp_path):
    methods = {"<LWEA>": METHODS["LWEA"], "A": partial(Known, error=MethodError("labels < 0"))}
    consensus = combine(base_of_pool(pool(), 2), methods, 2)
    for name in ("one", "two"):
        write_files(tmp_path / name, consensus, "mine & yours")
    page = (tmp_path / "one.html").read_text()
    assert page == (tmp_path / "two.html").read_text()
    assert page.count("data:image/png;base64,") == 3
    assert "Consensus of mine &amp; yours" in page
    assert "&lt;LWEA&gt;" in page and "<LWEA>" not in page
    nmi = pairwise_agreement(Ensemble(LABELS[:, :2]))[0, 1]
    row = f"<td>&lt;b&gt;$q$&lt;/b&gt;</td><td>2</td><td>0.0%</td><td>{nmi:.3f}</td>"
    assert row in re.sub(r"\s*\n\s*", "", page)
    assert "A: skipped: labels &lt; 0" in page
    assert not re.search(r"(src|href)=\"(?!data:)", page)


def test_missing_labels_are_counted_and_missing_names_are_numbers(tmp_path):
    whole = Pool(LABELS, None, {3: np.array([[0, 1, 2]])}, {"matched": "By <ids>."})
    consensus = combine(base_of_pool(whole, 3), {"A": Known}, 2)
    assert consensus.base.clusterings == ["1", "2", "3"]
    assert consensus.base.samples.tolist() == [1, 2, 3, 4, 5, 6]
    write_files(tmp_path / "p", consensus, "mine")
    page = (tmp_path / "p.html").read_text()
    assert "5.6% of the labels are missing, and 0 pairs of samples are never observed" in page
    assert "By &lt;ids&gt;." in page
    assert "<title>Consensus of mine</title>" in page


def test_features_are_for_methods_that_see_them():
    given = Known(2, 0)
    methods = {"A": lambda **arguments: given, "LWEA": METHODS["LWEA"]}
    consensus = combine(base_of_pool(pool(), 2), methods, 2, features=np.eye(6))
    assert list(consensus.partitions) == ["A", "LWEA"] and (given.seen == np.eye(6)).all()


@pytest.fixture(scope="module")
def compared() -> ComparedNumbers:
    labels = np.random.default_rng(0).integers(0, 4, (40, 6))
    labels[0, 0] = -1
    base = base_of_pool(Pool(labels, None, {6: np.arange(6)[None]}, {}), 6)
    methods = {"<LWEA>": METHODS["LWEA"], "DREC": METHODS["DREC"]}
    return compare(base, methods, range(2, 5), n_draws=3)


@pytest.mark.filterwarnings("ignore:The criteria disagree")
def test_a_line_for_each_number_says_which_criteria_choose_it(tmp_path, compared):
    write_files(tmp_path / "n", compared, "mine")
    table = pd.read_csv(tmp_path / "n.csv").set_index("n_clusters")
    expected = select_n_clusters(compared.base.ensemble, METHODS["LWEA"], range(2, 5), n_draws=3)
    assert set(table["method"]) == {"<LWEA>"} and table.index.tolist() == [2, 3, 4]
    names = list(CRITERIA)
    assert np.allclose(table[names], expected.criteria[names], rtol=1e-5)
    chosen = {
        name: c for c, names in table["chosen by"].dropna().items() for name in names.split(", ")
    }
    assert chosen == expected.chosen


def test_the_page_shows_the_criteria_and_what_failed(tmp_path, compared):
    write_files(tmp_path / "n", compared, "mine & yours")
    page = (tmp_path / "n.html").read_text()
    assert "How many clusters? mine &amp; yours" in page
    assert "&lt;LWEA&gt;" in page and "DREC: skipped: DREC is not defined where" in page
    assert "The criteria disagree on the number of clusters: PAC" in page
    assert page.count(" *</td>") == len(CRITERIA)
    assert page.count("data:image/png;base64,") == 1
    assert not re.search(r"(src|href)=\"(?!data:)", page)
