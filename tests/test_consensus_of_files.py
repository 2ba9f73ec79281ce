"""A consensus of labels in files is that of the same labels in memory."""

import re
import resource
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pyarrow import parquet

from coassoc import DataError, Ensemble
from coassoc.confidence import sample_confidence
from coassoc.consensus import consensus_of_files
from coassoc.io.streams import LabelStream
from coassoc.io.table import TableFile
from coassoc.methods import METHODS
from coassoc.numerics.threads import use_threads
from coassoc.partition.labels import canonical_labels
from ensembles import noisy_copies
from programs import coassoc

#: The program, killed as soon as it has written the first samples.
KILLED = """
import os, signal
from pyarrow import parquet
from coassoc.__main__ import main

write = parquet.ParquetWriter.write_table

def write_and_die(*given):
    write(*given)
    os.kill(os.getpid(), signal.SIGKILL)

parquet.ParquetWriter.write_table = write_and_die
main()
"""


def start(folder: Path, output: Path, *python: str, **options) -> subprocess.Popen:
    """The program in a process of its own."""
    python = python or ("-m", "coassoc")
    words = [sys.executable, *python, "consensus", folder, "-k", "5", "-m", "LWEA"]
    words += ["--each-file", "samples"]
    pipe = subprocess.PIPE
    command = [*map(str, words), "-o", str(output.parent)]
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Four files of clusterings of which most samples follow one of five."""
    made = tmp_path_factory.mktemp("files")
    labels = noisy_copies(60_000, 10, 5, 0.02, seed=0)[0].astype(np.uint8)
    for k in range(4):
        table = pd.DataFrame(labels[k::4]).add_prefix("clustering ")
        table.to_parquet(made / f"{k}.parquet")
    return made


def test_samples_get_the_clusters_that_they_get_in_memory(folder, tmp_path):
    output = tmp_path / "consensus.parquet"
    methods = {name: METHODS[name] for name in ("LWEA", "U-SENC", "SEC")}
    with use_threads(2):
        found = consensus_of_files(LabelStream(TableFile(str(folder))), output, 5, methods)
    assert [*found] == [*methods] and found["LWEA"].ensemble.n_samples == 60_000
    made = pd.read_parquet(output)
    ensemble = Ensemble(pd.read_parquet(folder).to_numpy())
    for name, make in methods.items():
        expected = make(n_clusters=5, random_state=0).fit(ensemble).labels_
        np.testing.assert_array_equal(canonical_labels(made[name]), expected)
        confidence = sample_confidence(ensemble, expected)
        np.testing.assert_allclose(made[f"{name} confidence"], confidence, atol=1e-7)


def test_the_program_reads_a_folder_in_parts(folder, tmp_path):
    words = ["consensus", folder, "--each-file", "samples"]
    done = coassoc(*words, "-k", 5, "-m", "U-SENC", "-o", tmp_path / "out")
    output = tmp_path / "out/consensus.parquet"
    assert re.match(r"60,000 samples, [\d,]+ distinct rows of labels\n\n", done.stdout)
    assert done.stdout.endswith(f"{output}\n")
    assert done.stderr.startswith(f"{folder}: 10 clusterings, read in parts.\n")
    assert pd.read_parquet(output).columns.tolist() == ["U-SENC", "U-SENC confidence"]
    refused = coassoc(*words, code=None)
    assert "is read in parts, which does not work without -k" in refused.stderr


def test_a_full_disk_is_said_and_leaves_nothing(folder, tmp_path):
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (8_000, 8_000))
    output = tmp_path / "out/consensus.parquet"
    _, told = start(folder, output, preexec_fn=limit).communicate()
    assert f"Error: {output}: cannot write this file (File too large). Fix" in told
    assert [*output.parent.iterdir()] == []


def test_a_kill_leaves_no_result_and_the_next_call_tidies(folder, tmp_path):
    output = tmp_path / "out/consensus.parquet"
    killed = start(folder, output, "-c", KILLED)
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    assert [path.name for path in output.parent.iterdir()] == [".consensus.parquet.partial"]
    start(folder, output).communicate()
    assert parquet.read_metadata(output).num_rows == 60_000
    assert [*output.parent.iterdir()] == [output]


def test_methods_of_features_are_refused_with_nothing_written(folder, tmp_path):
    labels = LabelStream(TableFile(str(folder)))
    with pytest.raises(DataError, match="SC needs every sample, but"):
        consensus_of_files(labels, tmp_path / "out/a.parquet", 5, {"SC": METHODS["SC"]})
    assert [*tmp_path.glob("out/*"), *tmp_path.glob("out/.*")] == []
