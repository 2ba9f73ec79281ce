"""What ships: only what may, whole, and true to the kept results."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from coassoc.bench.shipped import QUICK_DATASETS, SHIPPED_FOLDER, Shipped, ensemble_fingerprint
from coassoc.bench.storage.configuration import load_yaml
from coassoc.bench.storage.hdf5 import read_dataset, read_pool
from coassoc.bench.storage.records import fingerprint
from coassoc.methods import METHODS
from coassoc.metrics import adjusted_rand_index, contingency_table

PROJECT = Path(__file__).parents[2]
SHIPPED = Shipped()
WITH_ENSEMBLES = [path.stem for path in sorted((SHIPPED_FOLDER / "pools").iterdir())]
CATALOGUE = load_yaml(PROJECT / "config/datasets.yaml")
CELLS = pd.read_parquet(PROJECT / "results-published/ranking_cells.parquet")


def test_ensembles_ship_only_where_the_licence_allows_it():
    assert {CATALOGUE[name]["licence"] for name in WITH_ENSEMBLES} == {"CC BY 4.0"}
    assert {*QUICK_DATASETS} < {*WITH_ENSEMBLES}
    assert sum(file.stat().st_size for file in SHIPPED_FOLDER.rglob("*")) < 8e6


def test_scores_of_every_cell_are_the_kept_ones():
    scores = SHIPPED.scores(SHIPPED.datasets, None)
    wide = CELLS.set_index(["row", "dataset", "metric"])["mean"]
    repeats = CELLS.set_index(["row", "dataset", "metric"])["repeats"]
    cells = SHIPPED.cells(SHIPPED.datasets)
    assert len(cells) == len(CELLS[["row", "dataset"]].drop_duplicates())
    for cell in cells:
        place = cell.label, cell.dataset
        if cell.not_run:
            assert np.isnan(wide[(*place, "ARI")])
        elif not cell.tune:
            (source,) = cell.sources
            rounded = "digits" in scores[source] and scores[source]["digits"].notna().any()
            made = scores[source]["ARI"].dropna()  # fits can fail
            near = 5e-5 if rounded else 1e-12
            assert wide[(*place, "ARI")] == pytest.approx(made.mean(), abs=near, nan_ok=True)
            assert repeats[(*place, "ARI")] == len(made)


@pytest.mark.parametrize("dataset", WITH_ENSEMBLES)
def test_a_method_has_its_kept_scores_on_the_shipped_ensembles(dataset):
    pool, m = read_pool(SHIPPED.file("pools", dataset)), SHIPPED.facts["m"]
    assert SHIPPED.datasets[dataset]["fingerprint"] == ensemble_fingerprint(pool, m)
    X = read_dataset(SHIPPED.file("datasets", dataset)).X
    assert fingerprint(X, pool.y) == CATALOGUE[dataset]["fingerprint"]
    (kept,) = SHIPPED.scores([dataset], 1)[f"kmeans-sqrt/{dataset}/m20/WEAC/default"]["ARI"]
    fitted = METHODS["WEAC"](pool.n_classes).fit(pool.labels[:, pool.draws[m][0]])
    assert adjusted_rand_index(contingency_table(pool.y, fitted.labels_)) == pytest.approx(kept)


def test_every_row_says_its_revision():
    for facts in SHIPPED.rows.values():
        assert {code.rpartition(" ")[0] for code in facts["codes"]} <= {facts["method"]}
        assert all(code.rpartition(" ")[2].isdigit() for code in facts["codes"])
