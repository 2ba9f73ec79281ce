"""Labels of the samples as a file, and the page on them."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from coassoc.confidence import pairwise_agreement, sample_confidence
from coassoc.ensemble import Ensemble
from coassoc.errors import DataError
from coassoc.figures.consensus_page import write_consensus_page
from coassoc.results.consensus import consensus_labels, write_consensus
from coassoc.storage.records import Pool, RepeatResult, Run

LABELS = np.array([[0, 0, 0], [0, 0, 0], [0, 0, -1], [1, 1, 1], [1, 1, 1], [1, 0, 1]])
FOUND = np.array([0, 0, 0, 1, 1, 1])
NAMES = ["a, b", 'say "k"', "<i>", "é", "$x", "plain"]


def pool(samples=NAMES) -> Pool:
    names = None if samples is None else np.array(samples, dtype=object)
    attributes = {"clusterings": '["p", "<b>$q$</b>", "r"]'}
    return Pool(LABELS, None, {2: np.array([[0, 1], [1, 2]])}, attributes, names)


def run(labels=FOUND, status: str = "ok") -> Run:
    other = RepeatResult(1 - FOUND)
    return Run([{}], [[RepeatResult(labels, status=status), other]])


def test_a_line_for_each_sample(tmp_path):
    found = consensus_labels(pool(), 2, {"LWEA": run(), "A": run(None, "skipped: too slow")})
    write_consensus(tmp_path / "c.csv", found)
    table = pd.read_csv(tmp_path / "c.csv")
    assert list(table) == ["sample", "LWEA", "LWEA confidence"]
    assert table["sample"].tolist() == NAMES
    assert table["LWEA"].tolist() == FOUND.tolist()
    expected = sample_confidence(Ensemble(LABELS[:, :2]), FOUND)
    assert np.allclose(table["LWEA confidence"], expected, atol=5e-5)
    assert found.clusterings == ["p", "<b>$q$</b>"]


def test_samples_without_any_label_have_no_cluster(tmp_path):
    part = pool()
    part.attributes["unlabelled"] = '{"0": "noise", "3": "more, noise"}'
    found = consensus_labels(part, 2, {"LWEA": run()})
    write_consensus(tmp_path / "c.csv", found)
    table = pd.read_csv(tmp_path / "c.csv")
    names = ["noise", *NAMES[:2], "more, noise", *NAMES[2:]]
    assert table["sample"].tolist() == names
    assert table["LWEA"].isna().tolist() == [name not in NAMES for name in names]
    assert table["LWEA"].dropna().tolist() == FOUND.tolist()
    write_consensus_page(tmp_path / "p.html", found, "mine", "mine")
    assert "2 more have no label, and so no cluster." in (tmp_path / "p.html").read_text()


def test_samples_without_names_have_numbers():
    assert consensus_labels(pool(None), 2, {"A": run()}).samples.tolist() == [1, 2, 3, 4, 5, 6]


def test_nothing_found_is_said():
    with pytest.raises(DataError, match="No method has a consensus; A was skipped: too slow"):
        consensus_labels(pool(), 2, {"A": run(None, "skipped: too slow")})


def test_the_page_holds_its_pictures_and_what_failed(tmp_path):
    runs = {"<LWEA>": run(), "A": run(None, "skipped: labels < 0")}
    found = consensus_labels(pool(), 2, runs)
    for name in ("one", "two"):
        write_consensus_page(tmp_path / f"{name}.html", found, "mine & yours", "mine")
    page = (tmp_path / "one.html").read_text()
    assert page == (tmp_path / "two.html").read_text()
    assert page.count("data:image/png;base64,") == 3
    assert "Consensus of mine &amp; yours on mine" in page
    assert "&lt;LWEA&gt;" in page and "<LWEA>" not in page
    nmi = pairwise_agreement(Ensemble(LABELS[:, :2]))[0, 1]
    row = f"<td>&lt;b&gt;$q$&lt;/b&gt;</td><td>2</td><td>0.0%</td><td>{nmi:.3f}</td>"
    assert row in re.sub(r"\s*\n\s*", "", page)
    assert "A: skipped: labels &lt; 0" in page
    assert not re.search(r"(src|href)=\"(?!data:)", page)


def test_missing_labels_are_counted(tmp_path):
    whole = Pool(LABELS, None, {3: np.array([[0, 1, 2]])}, {"matched": "By <ids>."})
    found = consensus_labels(whole, 3, {"A": run()})
    assert found.clusterings == ["1", "2", "3"]
    write_consensus_page(tmp_path / "p.html", found, "mine", "mine")
    page = (tmp_path / "p.html").read_text()
    assert "5.6% of the labels are missing, and 0 pairs of samples are never observed" in page
    assert "By &lt;ids&gt;." in page
    assert "<title>Consensus of mine</title>" in page
