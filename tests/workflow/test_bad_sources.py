"""The stages as a user starts them: from another folder, with a mirror, with bad input."""

import gzip
from pathlib import Path

import pytest
from scipy.io import savemat

from snakemake_runs import snakemake

CATALOGUE = """
Good:
  sources: [{mirror: good.csv, parser: delimited, arguments: {label: last}}]
Cut:
  sources: [{mirror: cut.csv.gz, parser: delimited, arguments: {label: last}}]
Other:
  n: 5
  sources: [{mirror: other.csv, parser: delimited, arguments: {label: last}}]
Mine:
  file: mine.csv
  arguments: {drop: [id]}
  classes: 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mirror").mkdir()
    for name in ("good", "other"):
        (tmp_path / f"mirror/{name}.csv").write_text("1,2,a\n3,4,b\n5,6,a\n9,9,b\n")
    whole = gzip.compress("".join(f"{i},{i * i},a\n" for i in range(500)).encode())
    (tmp_path / "mirror/cut.csv.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "mine.csv").write_text(
        "id,x,y\n" + "".join(f"{i},{i % 7},{i}\n" for i in range(40))
    )
    (tmp_path / "mine.yaml").write_text(CATALOGUE)
    return tmp_path


#: Half a file, which cannot be read, and another number of samples; tests of sources have more.
BAD = ["Cut", "Other"]


def test_good_and_bad_data_sets(folder):
    targets = [f"data/datasets/{name}.h5" for name in [*BAD, "Good"]]
    targets.append("data/pools/kmeans-small/Mine.h5")
    options = ["--keep-going", "--config", f'datasets=["{folder}/mine.yaml"]', "--"]
    mirror = {"COASSOC_MIRROR": str(folder / "mirror")}
    done = snakemake(folder / "run", *options, *targets, cores=1, **mirror)
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert "Cut: no source could be used: cut.csv.gz: " in said and "cannot read this file" in said
    assert "Other: expected n = 5, found 4" in said
    left = {str(path.relative_to(folder / "run")) for path in (folder / "run/data").rglob("*.*")}
    assert left == {
        "data/sources/Good.json",
        "data/sources/good.csv",
        "data/sources/rejected/cut.csv.gz",
        "data/sources/rejected/other.csv",
        "data/datasets/Good.h5",
        "data/datasets/Mine.h5",
        "data/pools/kmeans-small/Mine.h5",
    }


def test_a_published_pool_is_fetched_from_its_own_address(folder):
    """Not from that of its data set, of which a rule that adds to another would keep the entry."""
    savemat(folder / "mirror/theirs.mat", {"members": [[1, 1], [1, 2], [2, 2], [2, 1]]})
    (folder / "pools.yaml").write_text(
        "theirs: {kind: published, size: 2, files: {Good: {mirror: theirs.mat, parser: matlab}},"
        " draws: {sizes: [2], repeats: 1}}\n"
    )
    own = ["--config", f'datasets=["{folder}/mine.yaml"]', f'pools=["{folder}/pools.yaml"]', "--"]
    mirror = {"COASSOC_MIRROR": str(folder / "mirror")}
    done = snakemake(folder / "run", *own, "data/pools/theirs/Good.h5", cores=1, **mirror)
    assert done.returncode == 0, done.stderr
    assert (folder / "run/data/sources/theirs.mat").exists()
    assert not (folder / "run/data/sources/good.csv").exists()
