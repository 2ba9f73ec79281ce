"""The example of clusterings of one's own, run as its page says."""

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

from snakemake_runs import ROOT, copy_project, forked, said

EXAMPLE = ROOT / "examples" / "own-labels"
RESULTS = "results/consensus/my-clusterings"


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    return copy_project(tmp_path_factory.mktemp("labels") / "project")


def follow(project: Path, name: str, labels: str | None = None) -> tuple[Path, str]:
    """A copy of the example, and what its command says there."""
    folder = Path(shutil.copytree(EXAMPLE, project / "examples" / name))
    if labels is not None:
        (folder / "labels.csv").write_text(labels)
    (command,) = re.findall(r"^```bash\n(.*?)^```", (folder / "README.md").read_text(), re.S | re.M)
    program, *words = command.split()
    assert program == "snakemake"
    return folder, said(forked(words, folder))


def test_the_page_of_the_example_can_be_followed(project):
    folder, output = follow(project, "own-labels")
    given = pd.read_csv(folder / "labels.csv")
    assert (given["hdbscan"] == -1).any() and given["half of the samples"].isna().any()
    consensus = pd.read_csv(folder / RESULTS / "my-clusterings.csv")
    assert consensus["sample"].tolist() == given["sample"].tolist(), output[-3000:]
    for method in ("EAC-AL", "LWEA", "LWGP"):
        assert set(consensus[method]) == {0, 1, 2}
        assert consensus[f"{method} confidence"].between(-1, 1).all()
    assert "data:image/png" in (folder / RESULTS / "my-clusterings.html").read_text()
    compared = pd.read_csv(folder / RESULTS / "my-clusterings" / "n_clusters.csv")
    for method in ("EAC-AL", "LWEA", "LWGP"):
        assert compared.loc[compared["method"] == method, "n_clusters"].tolist() == [*range(2, 9)]
    page = (folder / RESULTS / "my-clusterings" / "n_clusters.html").read_text()
    assert page.count("data:image/png") == 3


def test_a_mistake_is_one_sentence(project, tmp_path):
    more = "".join(f"{i},1,2\n" for i in range(8))
    folder, output = follow(project, tmp_path.name, f"sample,a,b\nx,1,1\nx,2,2\n{more}")
    assert "coassoc: labels.csv: row 3 has the id 'x' of row 2 again." in output
    assert not (folder / RESULTS).exists()
