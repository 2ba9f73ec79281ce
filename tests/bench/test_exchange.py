"""Ensembles for other programs, and what these make of them."""

import csv
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.io

from coassoc.bench.benchmark import Benchmark
from coassoc.bench.compare import compare_labels
from coassoc.bench.comparison import Comparison
from coassoc.bench.exchange import write_ensembles
from coassoc.errors import DataError
from coassoc.methods import METHODS
from refusals import refuses


@pytest.fixture(autouse=True)
def of_one_score(monkeypatch):
    monkeypatch.setattr(Comparison, "metrics", ["ARI"])


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory) -> Benchmark:
    return Benchmark(("Wine", "Glass"), 5, folder=tmp_path_factory.mktemp("compare"))


@pytest.fixture(scope="module")
def exported(benchmark, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("out")
    write_ensembles(folder, benchmark)
    return folder


@pytest.fixture(scope="module")
def solved(exported, tmp_path_factory) -> Path:
    """What a program elsewhere does: LWEA of each draw, from the files alone."""
    folder = tmp_path_factory.mktemp("solved")
    for line in csv.DictReader((exported / "ensembles.csv").open()):
        table = pd.read_csv(exported / f"{line['file']}.csv")
        columns = []
        for draw in range(1, int(line["draws"]) + 1):
            labels = table[[name for name in table if name.startswith(f"{draw}.")]].to_numpy()
            columns.append(METHODS["LWEA"](int(line["n_clusters"])).fit(labels).labels_ + 1)
        np.savetxt(folder / f"{line['file']}.labels.csv", np.array(columns).T, "%d", ",")
    return folder


@pytest.fixture
def mine(solved, tmp_path) -> Path:
    """Such labels, of which a test changes some."""
    return Path(shutil.copytree(solved, tmp_path / "mine"))


def test_labels_of_lwea_from_elsewhere_land_on_its_row(benchmark, solved):
    table = compare_labels(benchmark, "elsewhere", solved).means("ARI").T.stack()
    assert table["elsewhere"].to_dict() == pytest.approx(table["LWEA"].to_dict(), abs=1e-12)
    assert (benchmark.folder / "compare.html").exists()
    assert not (benchmark.folder / "compare_times.csv").exists()


def test_both_files_say_the_same_and_not_in_the_order_of_the_classes(exported):
    stem = pd.read_csv(exported / "ensembles.csv")["file"][0]
    content = scipy.io.loadmat(exported / f"{stem}.mat")
    table = pd.read_csv(exported / f"{stem}.csv")
    np.testing.assert_array_equal(content["labels"][:, 2, 4], table["5.3"])
    assert content["n_clusters"] == 3 and content["labels"].min() == 1


def test_what_is_missing_or_foreign_is_told(benchmark, mine):
    (file,) = mine.glob("Wine*")
    whole = file.read_text()
    wrong = {
        "\n".join(whole.splitlines()[1:]): "177 rows and 5 columns. It must have integers in 178",
        whole.replace("1", "1.5", 1): "178 rows and 5 columns. It must have integers",
        "labels\n" + whole: "separated by commas, and no header",
        whole.replace(",", ";"): "separated by commas",
    }
    for text, message in wrong.items():
        file.write_text(text)
        refuses(DataError, message, compare_labels, benchmark, "mine", mine)
    file.rename(mine / "Wine.0123456789abcdef-5.labels.csv")
    refuses(DataError, "Export the ensembles again", compare_labels, benchmark, "mine", mine)


def test_a_draw_without_labels_is_a_failure(benchmark, mine, monkeypatch):
    monkeypatch.setattr(Comparison, "write", lambda *_: None)
    (file,) = mine.glob("Glass*")
    labels = np.genfromtxt(file, delimiter=",")
    labels[:, 3] = np.nan
    np.savetxt(file, labels, "%g", ",")
    comparison = compare_labels(benchmark, "mine", mine)
    (failure,) = comparison.failures().values.tolist()
    assert failure == ["Glass", "failed: a sample has no label", 1, 5]
    assert comparison.place("ARI")["missing"] == 1
