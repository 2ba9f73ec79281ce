"""Tables of labels as users have them, and the sentences for those that are none."""

from decimal import Decimal
from io import StringIO
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from coassoc import DataError, Ensemble, EnsembleClusterer, align, align_memberships, communities
from coassoc.confidence import sample_confidence
from coassoc.hierarchies import consensus_hierarchy
from coassoc.io import arrays, files
from coassoc.methods import METHODS
from coassoc.metrics import contingency_table
from label_routes import ROUTES, observed
from refusals import refused, refuses

NAN = float("nan")
LARGE = 2**53

#: Cells of a column, and its clusters.
READ: dict[str, tuple[list[Any], list[int]]] = {
    "numbers": ([10, 9, 2, 10], [2, 1, 0, 2]),
    "gaps and noise": ([10, -1, None, 9], [1, -1, -1, 0]),
    "floats": ([10.0, 2.0, -1.0, NAN], [1, 0, -1, -1]),
    "decimals": ([Decimal(10), Decimal("2.0"), None, Decimal("9.00")], [2, 0, -1, 1]),
    "more than 2**53, with a gap": ([LARGE + 1, LARGE, None, LARGE + 1], [1, 0, -1, 1]),
    "more than 2**63": ([2**64 - 1, 2**64 - 2, 3, 2**63], [3, 2, 0, 1]),
    "texts": (["T cell", "B cell", "é ß", "T cell"], [1, 0, 2, 1]),
    "texts and noise": (["T cell", "B cell", "-1", "T cell"], [1, 0, -1, 1]),
    "texts without a label": (["a", None, "NA", "NaN", "nan", "None", "null"], [0, *[-1] * 6]),
    "more of them": (["a", "N/A", "<NA>", "NaT", "n/a", "NULL", "#N/A"], [0, *[-1] * 6]),
    "texts of numbers": (["10", "9", "-1", "10", None], [1, 0, -1, 1, -1]),
    "texts of large numbers": ([str(LARGE + 1), str(LARGE), "NA"], [1, 0, -1]),
    "numbers among texts": (["10", "9", "x", "-1", "1_0"], [0, 2, 3, -1, 1]),
    "no numbers": (["1_0", "10", "1_0"], [1, 0, 1]),
    "space around": ([" a", "a ", "-1 ", "b"], [0, 0, -1, 1]),
}
#: Cells of a column, and what is said of it.
REFUSED: dict[str, tuple[list[Any], str]] = {
    "a fraction": ([1.5, 1.0], r"1\.5, but a label is a non-negative"),
    "negative": ([3, -2], r"-2, but a label is.*missing"),
    "infinite": ([3.0, float("inf")], "inf, but a label is"),
    "too large": ([1e300, 1.0], r"1e\+300, a number too large to be exact"),
    "names": ([f"s{i}" for i in range(20)], "20 different values for 20 samples, .*id[=:]"),
    "one value": ([3] * 20, "one value, 3"),
    "nothing": (["NA", None, "-1"], "no label at all"),
}


@pytest.fixture(autouse=True)
def no_other_process(monkeypatch):
    """A process for each of the files takes longer than all else; other tests have it."""
    for module in (arrays, files):
        monkeypatch.setattr(module, "in_own_process", lambda read, *given: read(*given))


def test_columns_of_one_name_and_a_column_that_is_chosen_alone():
    frame = pd.DataFrame([[0, 1], [1, 1], [0, 0]], columns=["a", "a"])
    assert Ensemble(frame).labels.tolist() == [[0, 1], [1, 1], [0, 0]]
    frame.columns = ["ab", "b"]
    assert Ensemble(frame, columns="ab").labels.tolist() == [[0], [1], [0]]


@pytest.mark.parametrize("oddity", READ)
@pytest.mark.parametrize("route", ROUTES)
def test_every_route_reads_the_same(tmp_path, route, oddity):
    cells, expected = READ[oddity]
    if route == "xlsx" and oddity.startswith("more than"):  # Excel's numbers are floating-point
        refuses(DataError, ", a number too large to be exact", ROUTES[route], tmp_path, cells)
        return
    labels = ROUTES[route](tmp_path, cells)
    assert labels[:, 0].tolist() == expected
    assert labels[:, 1].tolist() == [i % 2 for i in range(len(cells))]


@pytest.mark.parametrize("oddity", REFUSED)
@pytest.mark.parametrize("route", ROUTES)
def test_every_route_refuses_the_same(tmp_path, route, oddity):
    cells, message = REFUSED[oddity]
    if (route, oddity) == ("xlsx", "infinite"):
        message = "numbers and strings, such as"  # Excel has no infinity but a text
    if ("values for" in message or "one value" in message) and "columns" in route:
        assert len(ROUTES[route](tmp_path, cells)) == 20
        return
    refuses(DataError, message, ROUTES[route], tmp_path, cells)


def test_arrays_of_numbers_may_have_any_number_of_clusters():
    singletons = np.arange(50)[:, None]
    for labels in (singletons, singletons.astype(float), singletons.tolist(), [[2**64 - 1], [0]]):
        assert Ensemble(labels).n_clusters_total == len(labels)
    masked = np.ma.array(np.column_stack([singletons, singletons]), mask=[[True, False]] * 50)
    refuses(DataError, r"'0' .no label at all", Ensemble, masked)
    exact = np.array([[2**24 - 1]], np.float32)
    assert Ensemble(exact).labels.tolist() == [[0]]
    refuses(DataError, r"16777216\.0, a number too large to be exact", Ensemble, exact + 1)


def test_a_column_that_names_the_samples_is_asked_about_and_may_be_chosen():
    cells = [f"AACT-{i}" for i in range(30)]
    frame = pd.DataFrame({"barcode": cells, "leiden": ["0", "1", "-1"] * 10, "kmeans": [0, 1] * 15})
    refuses(DataError, r"'barcode' .30 different values .*id=…", Ensemble, frame)
    named = Ensemble(frame, id="barcode")
    assert list(named.index) == cells and named.n_clusters_total == 4
    assert Ensemble(frame[["kmeans"]].to_numpy()).index is None
    assert Ensemble(frame, columns=["barcode", "leiden"]).n_clusters_total == 32
    wrong = frame.assign(leiden=2.5).set_index("barcode")
    refuses(DataError, r"^labels: these columns .*'leiden' .2\.5, but a", Ensemble, wrong)
    with pytest.raises(DataError, match=r"columns: 'leidne' is not a column .did you"):
        Ensemble(frame, columns=["leidne"])


def test_masked_entries_count_wherever_labels_and_numbers_are_given():
    column = np.ma.array([0, 0, 1, 1], mask=[0, 0, 0, 1])
    assert align(column, to=[5, 5, 7, 7]).labels.tolist() == [5, 5, 7, -1]
    square = np.ma.array(np.eye(4), mask=np.eye(4)[::-1])
    for call in (
        lambda: contingency_table(column, [0, 0, 1, 1]),
        lambda: sample_confidence(Ensemble([[0], [0], [1], [1]]), column),
        lambda: METHODS["ACMK-SC"](2).fit([[0], [0], [1], [1]], X=square),
        lambda: align_memberships([square, np.eye(4)]),
        lambda: communities(square),
        lambda: EnsembleClusterer(2).fit(square),
        lambda: consensus_hierarchy([square]),
    ):
        refuses(DataError, r"entry \d(, \d)? is masked", call)


def read(text: str) -> pd.DataFrame:
    return pd.read_csv(StringIO(text))


def test_columns_may_be_called_by_numbers_in_their_order():
    frame = read("2,3,10\n0,1,2\n1,1,2\n")
    np.testing.assert_array_equal(Ensemble(frame), [[0, 0, 0], [1, 0, 0]])


@refused(
    DataError,
    (np.zeros((0, 3)), "Pass a non-empty, dense array"),
    (np.array([[0, 1], [-3, 2]]), "'0' .-3"),
    (np.array([[0j], [1j]]), "complex"),
    ([["a", 1], [2, 1]], "'0' .numbers and strings, such as 2 and .a."),
    ([[0, 1], [-1, None]], "sample 1 has no label at all. Leave out such samples"),
    ([[0, None], [1, None]], "'1' .no label at all"),
    ([[0, 1], [-1, -1], [-1, -1]], "sample 1 \\(and 1 more\\) has no label at all"),
    ([[0, 1], [1]], "the rows differ in length"),
    (sp.csr_array(np.eye(3)), r"the shape \(\)\. Pass a non-empty, dense array"),
    (read("0,2,0.1\n0,1,2\n1,1,2\n"), "called 0, 2, 0.1, as if .* Read the file without a header"),
    (pd.DataFrame({"a": [0, 1]}, ["x", "x"]), "several samples have the name 'x' in the index"),
    (observed([1, 2]), "not every column of obs is a clustering. Choose .* from a, b"),
    ([[0, 1, 2], [1, 1, 2]], "2 lists of 3 labels would be 2 samples in 3 clust.*column_stack"),
    (pd.DataFrame({"a": [[1], [2]]}), "column 'a' has values that cannot be labels"),
    (pd.DataFrame({"a": pd.to_datetime(["2020", "2021"])}), "'a' .values of type .*Timestamp|date"),
)
def test_what_is_no_table_of_labels_gets_one_sentence(labels):
    Ensemble(labels)
