"""The stages as a user starts them: from another folder, with a mirror, with bad input."""

import gzip

from scipy.io import savemat

from snakemake_runs import snakemake

#: Cut is half a file, which cannot be read, and Other has another number of samples; tests of
#: sources have more that is bad. Of Clustered others published the base clusterings.
CATALOGUE = """
Good:
  sources: [{mirror: good.csv, parser: delimited, arguments: {label: last}}]
Cut:
  sources: [{mirror: cut.csv.gz, parser: delimited, arguments: {label: last}}]
Other:
  n: 5
  sources: [{mirror: other.csv, parser: delimited, arguments: {label: last}}]
Clustered:
  sources: [{mirror: clustered.csv, parser: delimited, arguments: {label: last}}]
Mine:
  file: mine.csv
  arguments: {drop: [id]}
  classes: 2
"""
POOLS = """
theirs:
  kind: published
  size: 2
  files: {Clustered: {mirror: theirs.mat, parser: matlab}}
  draws: {sizes: [2], repeats: 1}
"""


def test_good_and_bad_data_sets_and_a_published_pool(tmp_path):
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    for name in ("good", "other", "clustered"):
        (mirror / f"{name}.csv").write_text("1,2,a\n3,4,b\n5,6,a\n9,9,b\n")
    whole = gzip.compress("".join(f"{i},{i * i},a\n" for i in range(500)).encode())
    (mirror / "cut.csv.gz").write_bytes(whole[: len(whole) // 2])
    members = [[1, 1], [1, 2], [2, 2], [2, 1]]
    savemat(mirror / "theirs.mat", {"members": members, "others": members[::-1]})
    rows = "".join(f"{i},{i % 7},{i}\n" for i in range(40))
    (tmp_path / "mine.csv").write_text("id,x,y\n" + rows)
    (tmp_path / "mine.yaml").write_text(CATALOGUE)
    (tmp_path / "pools.yaml").write_text(POOLS)
    own = [f'datasets=["{tmp_path}/mine.yaml"]', f'pools=["{tmp_path}/pools.yaml"]']
    targets = [f"data/datasets/{name}.h5" for name in ("Cut", "Other", "Good")]
    targets += ["data/pools/kmeans-small/Mine.h5", "data/pools/theirs/Clustered.h5"]
    folder = tmp_path / "run"
    options = ["--keep-going", "--config", *own, "--"]
    told = snakemake(folder, *options, *targets, cores=1, fails=True, COASSOC_MIRROR=str(mirror))
    assert "coassoc: Cut: all sources failed: cut.csv.gz: " in told
    assert "cannot read this file" in told
    assert "Other: n is 4, but the catalogue has 5" in told
    # The published pool comes from its own address, and not from that of its data set.
    assert {str(path.relative_to(folder)) for path in (folder / "data").rglob("*.*")} == {
        "data/sources/Good.json",
        "data/sources/good.csv",
        "data/sources/theirs/Clustered.json",
        "data/sources/theirs.mat",
        "data/datasets/Good.h5",
        "data/datasets/Mine.h5",
        "data/pools/kmeans-small/Mine.h5",
        "data/pools/theirs/Clustered.h5",
    }
    edited = POOLS.replace("parser: matlab", "parser: matlab, arguments: {labels: others}")
    (tmp_path / "pools.yaml").write_text(edited)
    again = ["--config", *own, "--", targets[-1]]
    snakemake(folder, "--until", "fetch_pool", *again, cores=1, COASSOC_MIRROR=str(mirror))
    assert "rule import_pool" in snakemake(folder, "--dry-run", *again)
