"""Another workflow takes this one as a module, with its own configuration and names of rules."""

import gzip

from scipy.io import savemat

from dataset_files import write
from snakemake_runs import ROOT, SMALL, forked, snakemake

OUTER = """
configfile: "config/config.yaml"

module coassoc:
    snakefile: "SNAKEFILE"
    config: config
    prefix: "below/here"

use rule * from coassoc as theirs_*
"""


WANTED = "results/scores/eccms/figure2.parquet"
#: One run behind these scores.
ONE_METHOD = SMALL.replace("LWGP, LWEA, EC-CMS", "LWEA")


def test_a_workflow_around_it_gives_all_its_files_a_prefix_and_its_rules_names(finished, tmp_path):
    """But no prefix to files of the user's own."""
    finished.copy_data(tmp_path / "below/here")
    lines = "".join(f"{i % 4},{i % 3}\n" for i in range(30))
    (tmp_path / "mine.csv").write_text("a,b\n" + lines)
    (tmp_path / "mine.yaml").write_text("Mine: {file: mine.csv}\n")
    (tmp_path / "own.yaml").write_text("own: {kind: labels, file: mine.csv}\n")
    made = [WANTED, "data/datasets/Mine.h5", "data/pools/own/own.h5", "figures/eccms/figure1.pdf"]
    wanted = [f"below/here/{name}" for name in made]
    outer = write(tmp_path / "workflow/Snakefile", OUTER.replace("SNAKEFILE", f"{ROOT}/Snakefile"))
    own = ONE_METHOD + "datasets: [mine.yaml]\npools: [own.yaml]\n"
    write(tmp_path / "config/config.yaml", own)
    words = ["--snakefile", str(outer), "--directory", str(tmp_path), "--cores", "2"]
    told = forked([*words, *wanted], tmp_path)
    assert "rule theirs_run_method:" in told and all((tmp_path / name).is_file() for name in wanted)
    assert {path.name for path in tmp_path.iterdir()} == {
        *("workflow", "config", "below", ".snakemake", "mine.csv", "mine.yaml", "own.yaml")
    }


# -- BAD SOURCES -----------------------------------------------------------------------------------

# The stages as a user starts them: from another folder, with a mirror, with bad input.


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
    assert "cannot read this file" in told and "Other: n is 4, but the catalogue has 5" in told
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
