"""The example of clusterings of one's own, run as its page says."""

import re
import shutil
from pathlib import Path

import pandas as pd

from snakemake_runs import ROOT, copy_project, follow_command

EXAMPLE = ROOT / "examples" / "own-labels"
RESULTS = "results/consensus/my-clusterings"


def test_the_page_of_the_example_can_be_followed(tmp_path):
    project = copy_project(tmp_path / "project")
    folder = Path(shutil.copytree(EXAMPLE, project / "examples/own-labels"))
    (command,) = re.findall(r"^```bash\n(.*?)^```", (folder / "README.md").read_text(), re.S | re.M)
    follow_command(command, folder)
    given = pd.read_csv(folder / "labels.csv")
    assert (given["hdbscan"] == -1).any() and given["half of the samples"].isna().any()
    consensus = pd.read_csv(folder / RESULTS / "my-clusterings.csv")
    assert consensus["sample"].tolist() == given["sample"].tolist()
    for method in ("EAC-AL", "LWEA", "LWGP"):
        assert set(consensus[method]) == {0, 1, 2}
        assert consensus[f"{method} confidence"].between(-1, 1).all()
    assert "data:image/png" in (folder / RESULTS / "my-clusterings.html").read_text()
    compared = pd.read_csv(folder / RESULTS / "my-clusterings" / "n_clusters.csv")
    for method in ("EAC-AL", "LWEA", "LWGP"):
        assert compared.loc[compared["method"] == method, "n_clusters"].tolist() == [*range(2, 9)]
    page = (folder / RESULTS / "my-clusterings" / "n_clusters.html").read_text()
    assert page.count("data:image/png") == 3
