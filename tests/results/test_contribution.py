"""Labels in the form of the benchmark suite, read again as its own files are."""

import gzip

import numpy as np
import pytest
import yaml

from coassoc.datasets.registry import SourceFile
from coassoc.errors import DataError
from coassoc.pools.draws import ALL
from reproduction.pools.results import read_results
from coassoc.pools.settings import PublishedPool
from reproduction.results.contribution import contribute
from coassoc.storage.hdf5 import write_run
from coassoc.storage.records import RepeatResult, Run

LABELS = np.array([0, 0, 1, 2, 1, 0], dtype=np.uint8)
OTHERS = np.array([2, 2, 0, 1, 1, 1], dtype=np.uint8)


@pytest.fixture
def folder(tmp_path):
    """The suite's data sets b-one, b-two-K2 and b-two-K3, and runs of two methods on them."""
    members = {
        "one": {"n": 6, "d": 2, "classes": [3], "fingerprints": {3: 16 * "0"}},
        "two": {"n": 6, "d": 2, "classes": [2, 3], "fingerprints": {2: 16 * "0", 3: 16 * "1"}},
    }
    battery = {"title": "{member}", "licence": "none", "citation": "G", "members": members}
    battery["address"] = "https://example.org/{member}"
    (tmp_path / "config").mkdir()
    (tmp_path / "config/batteries.yaml").write_text(yaml.safe_dump({"b": battery}))
    store(tmp_path, "b-one", "LWEA", LABELS)
    store(tmp_path, "b-one", "CA-SC", OTHERS)
    store(tmp_path, "b-two-K3", "LWEA", LABELS)
    store(tmp_path, "b-two-K3", "CA-SC", OTHERS, converged=False)
    store(tmp_path, "b-two-K2", "LWEA", LABELS)
    store(tmp_path, "b-two-K2", "CA-SC", None, status="MethodError: no")
    return tmp_path


def store(folder, dataset, method, labels, **outcome):
    """A run of two repeats, of which the first is the one to be contributed."""
    path = folder / f"results/runs/suite-main/{dataset}/m{ALL}/{method}/default.h5"
    path.parent.mkdir(parents=True)
    repeats = [RepeatResult(labels, **outcome), RepeatResult(LABELS[::-1].copy())]
    write_run(path, Run([{}], [repeats], {"method": method, "m": ALL}))


def test_what_is_written_has_the_form_of_the_suites_files(folder):
    files, left_out = contribute(folder, ["LWEA", "CA-SC"], folder / "out")
    names = [str(path.relative_to(folder / "out/original/coassoc")) for path in files]
    assert names == ["b/one.result3.gz", "b/two.result3.gz"]
    source_files = [SourceFile(mirror="one.result3.gz", role="coassoc")]
    arguments = {"columns": "all", "clusters": 3}
    source = PublishedPool(files=source_files, parser="results", arguments=arguments)
    labels, columns = read_results(source, files[:1])
    assert columns == ["coassoc/coassoc_LWEA", "coassoc/coassoc_CA-SC"]
    np.testing.assert_array_equal(labels, np.column_stack((LABELS, OTHERS)))
    lines = gzip.decompress(files[0].read_bytes()).decode().split("\n")
    assert lines[:2] == ['"coassoc_LWEA","coassoc_CA-SC"', "1,3"]
    assert len(lines) == 8 and lines[-1] == ""
    assert left_out == {
        "LWEA, 3 clusters in place of 2": ["b-two-K2"],
        "CA-SC, MethodError: no": ["b-two-K2"],
        "CA-SC, did not converge": ["b-two-K3"],
    }


def test_a_method_that_never_ran_is_refused_before_anything_is_written(folder):
    with pytest.raises(DataError, match=r"runs/suite-main: no runs, at the defaults, of KC; make"):
        contribute(folder, ["LWEA", "KC"], folder / "out")
    assert not (folder / "out").exists()
