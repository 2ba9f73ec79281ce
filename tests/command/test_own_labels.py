"""The example of clusterings of one's own, run as its page says."""

import re
from pathlib import Path

import pandas as pd

from programs import coassoc
from snakemake_runs import ROOT

EXAMPLE = ROOT / "examples" / "own-labels"


def test_the_page_of_the_example_can_be_followed(tmp_path):
    page = (EXAMPLE / "README.md").read_text()
    (command,) = re.findall(r"^    (coassoc consensus .+)$", page, re.M)
    words = command.replace("labels.csv", str(EXAMPLE / "labels.csv"))
    for asked in (words, words.replace(" -k 3", " --numbers 2 3")):
        _, *arguments = asked.split()
        coassoc(*arguments, "-o", tmp_path)
    given = pd.read_csv(EXAMPLE / "labels.csv")
    assert (given["hdbscan"] == -1).any() and given["half of the samples"].isna().any()
    consensus = pd.read_csv(tmp_path / "consensus.csv")
    assert consensus["sample"].tolist() == given["sample"].tolist()
    compared = pd.read_csv(Path(tmp_path) / "n_clusters.csv")
    for method in ("EAC-AL", "LWEA", "LWGP"):
        assert set(consensus[method]) == {0, 1, 2}
        assert consensus[f"{method} confidence"].between(-1, 1).all()
        assert compared.loc[compared["method"] == method, "n_clusters"].tolist() == [2, 3]
    for name in ("consensus", "n_clusters"):
        assert "data:image/png" in (tmp_path / f"{name}.html").read_text()
