"""Protocols: printed cells in several variants, and the rule that chooses among these."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from coassoc.figures.audits import plot_audit
from coassoc.results.audits import audit, protocols

SPEC = {"metrics": {"NMI": "NMI-max"}}


def cell(dataset, source, variant, columns=None):
    plain = {"row": "KM", "label": "KM", "dataset": dataset, "pool": "p", "m": 20, "x": None}
    plain |= {"reference": None, "tune": None, "point": None, "variant": variant}
    return {**plain, "columns": columns or {}, "sources": [source]}


def scores(**columns):
    return pd.DataFrame({"parameters": "{}", "repeat": [0, 1], "status": "ok", **columns})


def printed(dataset, mean, metric="NMI"):
    return {"dataset": dataset, "method": "KM", "metric": metric, "mean": mean, "std": "0.02"}


PUBLISHED = [printed("A", "0.5"), printed("B", "0.6"), printed("B", "0.9", "ACC")]


@pytest.fixture
def found():
    """Variant "max" is as printed, "mean" is 0.1 above, and "raw" is as printed on A alone."""
    frames = {
        "A": scores(**{"NMI-max": [0.49, 0.51], "NMI": [0.59, 0.61]}),
        "B": scores(**{"NMI-max": [0.6, 0.62], "NMI": [0.7, 0.7]}),
        "A-raw": scores(**{"NMI-max": [0.5, 0.5]}),
        "B-raw": scores(**{"NMI-max": [np.nan, np.nan]}),
    }
    cells = [cell(name, name, "max") for name in "AB"]
    cells += [cell(name, name, "mean", {"NMI": "NMI"}) for name in "AB"]
    cells += [cell(name, f"{name}-raw", "raw") for name in "AB"]
    return protocols.compare_protocols(cells, frames, SPEC["metrics"], PUBLISHED)


def test_each_printed_cell_stands_beside_each_variant(found):
    assert len(found) == 6  # the printed ACC is of no metric that the protocol compares
    line = found[(found["dataset"] == "B") & (found["variant"] == "mean")].iloc[0]
    assert (line["column"], line["published_mean"]) == ("NMI", 0.6)
    assert line["difference"] == pytest.approx(0.1)


def test_the_rule_counts_only_cells_that_all_variants_have(found):
    fits = protocols.fits(found)
    # On A, the only cell with a score in every variant, "raw" and "max" are both as printed: the
    # first counts.
    assert fits["cells"].tolist() == [1, 1, 1]
    assert protocols.best_variant(found) == "max"
    two = found[found["variant"] != "raw"]
    assert protocols.fits(two)["cells"].tolist() == [2, 2]
    assert protocols.fits(two)["absolute"].tolist() == pytest.approx([0.005, 0.1])
    assert protocols.fits(two)["close"].tolist() == [2, 0]
    reordered = two.iloc[::-1]
    assert protocols.best_variant(reordered) == "max"


def test_what_no_variant_explains_is_said(found):
    bad = found.assign(difference=found["difference"] + 0.5)
    assert "0 of 2 cells are further" in protocols.protocol_remark(found)
    assert "2 of 2 cells are further" in protocols.protocol_remark(bad)


def test_table_has_the_fit_first_and_print_beside_the_variants(found):
    table = protocols.protocol_table(found)
    assert list(table.columns) == ["in print", "max", "mean", "raw"]
    assert table.index[0] == "mean absolute difference"
    assert table.loc["cells within 0.02"].tolist() == ["", "1 of 1", "0 of 1", "1 of 1"]
    assert table.loc["KM, B, NMI"].tolist() == [
        "0.600",
        "0.610 (+0.010)",
        "0.700 (+0.100)",
        "no score",
    ]


def test_an_audit_of_this_kind_has_its_figure():
    frames = {"A": scores(**{"NMI-max": [0.4, 0.4], "NMI": [0.5, 0.5]})}
    cells = [cell("A", "A", "max"), cell("A", "A", "mean", {"NMI": "NMI"})]
    result = audit("protocol", cells, frames, SPEC, PUBLISHED)
    assert "It is “mean”" in result.remark
    figure = plot_audit(result)
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["max", "mean"]
    dots = [line.get_xdata().tolist() for line in figure.axes[0].lines if line.get_marker() == "o"]
    np.testing.assert_allclose(np.concatenate(dots), [-0.1, 0.0], atol=1e-12)
