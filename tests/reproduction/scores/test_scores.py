"""Scores: where labels are missing, and those of a target."""

import json
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest

from coassoc.bench.fits import partition
from coassoc.bench.scores import score_run
from coassoc.bench.storage.hdf5 import read_pool, write_pool
from coassoc.bench.storage.records import Pool, RepeatResult, Run
from coassoc.confidence import pairwise_agreement
from coassoc.errors import DataError
from coassoc.metrics import (
    METRICS,
    adjusted_rand_index,
    contingency_table,
    normalized_mutual_information,
    score_against,
)
from refusals import cases, refuses
from reproduction.scores.files import read_scores, write_scores
from reproduction.scores.references import score_pool, score_references
from reproduction.study.paths import Source
from score import score_source
from spot_check import check_runs, draw_line
from tasks import execute_run, noisy_pool, task

LABELS = np.array([[0, 0], [0, 0], [0, -1], [1, 1], [1, 1], [1, 0]])
CLASSES = np.array([0, 0, 1, 1, 1, 1])
FOUND = np.array([0, 0, 0, 1, 1, 1])
#: The samples that the second base clustering has.
THERE = [0, 1, 3, 4, 5]


@pytest.fixture
def pool() -> Pool:
    return Pool(LABELS, CLASSES, {2: np.array([[0, 1]])}, {"fingerprint": "p"})


def tables_of(partition):
    """The contingency tables of a partition with the base clusterings, each on its samples."""
    whole = contingency_table(partition, LABELS[:, 0])
    return whole, contingency_table(partition[THERE], LABELS[THERE, 1])


def test_base_clusterings_are_scored_on_their_samples(pool):
    lines = score_pool(pool)
    aris = [adjusted_rand_index(table) for table in tables_of(CLASSES)]
    assert [line["ARI"] for line in lines] == pytest.approx(aris) and lines[1]["n_clusters"] == 2
    references = score_references(pool, 2, n_clusters=2, seed=0, names=("p", "d"))
    mean = next(line for line in references if line["reference"] == "ensemble-mean")
    assert mean["ARI"] == pytest.approx(np.mean(aris))


def test_agreement_with_base_clusterings_is_on_their_samples(pool):
    attributes = {"pool_fingerprint": "p", "m": 2, "n_clusters": 2}
    (line,) = score_run(Run([{}], [[RepeatResult(FOUND)]], attributes), pool)
    expected = np.mean([normalized_mutual_information(table) for table in tables_of(FOUND)])
    assert line["ANMI"] == pytest.approx(expected)


# -- of a target --------------------------------------------------------------------------------

RUNS = ["p/A/m6/LWEA/default", "p/A/m6/LWEA/theta=1"]
SOURCES = [*RUNS, "p/A/base", "p/A/m6/reference"]


@pytest.fixture
def scored(tmp_path, monkeypatch):
    """Scores of two runs, base clusterings and references, in a folder with what they are of."""
    monkeypatch.chdir(tmp_path)
    write_pool("data/pools/p/A.h5", noisy_pool(42, repeats=2))
    for run in RUNS:
        fit(run, 0.4)
    return score()


def fit(run: str, theta: float) -> None:
    what = task("LWEA", points=[{"theta": theta}], pool="p", dataset="A")
    execute_run(f"results/runs/{run}.h5", what, read_pool("data/pools/p/A.h5"))


def score():
    """Write and read the scores."""
    pool, frames = read_pool("data/pools/p/A.h5"), []
    for text in SOURCES:
        source = Source.parse(text)
        lines = score_source(source, pool, source.run_file(source.method), False, 3, 0)
        frames.append(pd.DataFrame(lines).assign(source=text))
    write_scores("results/scores/t/one.parquet", pd.concat(frames))
    return read_scores("results/scores/t/one.parquet")


def test_every_source_has_the_lines_of_its_kind(scored):
    pool = read_pool("data/pools/p/A.h5")
    assert list(scored) == SOURCES
    assert scored["p/A/base"]["ARI"].tolist() == [line["ARI"] for line in score_pool(pool)]
    assert scored[RUNS[0]]["repeat"].tolist() == [0, 1] and "clustering" not in scored[RUNS[0]]
    references = scored["p/A/m6/reference"].set_index(["reference", "repeat"])
    first = references.loc["ensemble-picked", 0]
    agreement = pairwise_agreement(pool.labels[:, pool.draws[6][0]])
    assert first["diversity"] == pytest.approx(1 - (agreement.sum() - 6) / 30)
    ensembles = {f"ensemble-{name}" for name in ("mean", "best", "picked")}
    assert {*references.index.unique("reference")} == {"random", "truth", *ensembles}


def test_a_file_of_scores_that_was_cut_or_damaged_is_refused(scored, tmp_path):
    path = tmp_path / "results/scores/t/one.parquet"
    whole = path.read_bytes()
    damaged = [whole[:length] for length in range(0, len(whole), 50)]
    name = whole.index(b"\x03ARI")
    damaged += [b"", b"x", whole[:999] + b"\xff" + whole[1000:]]
    damaged += [whole[:name] + b"\x03QRI" + whole[name + 4 :]]
    for content in damaged:
        path.write_bytes(content)
        refuses(DataError, r"one.parquet: .*Delete it and rerun Snakemake\.$", read_scores, path)
    for place in range(0, len(whole), 50):  # one bit changes nothing, or the file is refused
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with suppress(DataError):
            for source, lines in read_scores(path).items():
                pd.testing.assert_frame_equal(lines, scored[source])


# -- SPOT CHECK ------------------------------------------------------------------------------------

# Sampled kept runs, fitted again.


POINTS = [{"theta": 0.2}, {"theta": 0.8}]
RUN = "p/A/m6/LWEA/theta=0.2+0.8"


@pytest.fixture
def few() -> Pool:
    few = noisy_pool(42)
    few.y = np.arange(42) % 3  # of which no partition has a score that is a round number
    return few


@pytest.fixture
def what():
    return task("LWEA", points=POINTS, pool="p", dataset="A")


@pytest.fixture
def kept(few, what) -> pd.DataFrame:
    """Lines as a run has them, of eight fits."""
    lines = []
    for point, parameters in enumerate(POINTS):
        for repeat, draw in enumerate(few.draws[6]):
            estimator = what.factory()(**what.arguments(point, repeat, 3)).fit(few.labels[:, draw])
            scores = score_against(few.references, partition(estimator.labels_))
            line = {"point": point, "parameters": json.dumps(parameters), "repeat": repeat}
            lines.append({**line, "status": "ok", "code": "LWEA 1", "seconds": 0.1, **scores})
    return pd.DataFrame(lines)


OTHERS = [name for name in METRICS if name not in ("NMI", "ARI")]


@cases(
    "change, expected",
    (lambda kept: kept, "equal"),
    (lambda kept: kept.drop(columns=OTHERS), "equal"),
    (lambda kept: kept.assign(ARI=np.nextafter(kept["ARI"], 2)), "equal"),
    (lambda kept: kept.assign(ARI=kept["ARI"] + 1e-9), "differs"),
    (lambda kept: kept.round(4), "differs"),
    (lambda kept: kept.assign(seconds=61.0), "too long"),
    (lambda kept: kept.assign(parameters='{"theta": 0.3}'), "other parameters"),
)
def test_what_becomes_of_kept_and_of_changed_lines(tmp_path, few, what, kept, change, expected):
    lines = change(kept)
    for _ in range(2):  # a check that was stopped goes on
        check_runs(tmp_path / "check.csv", {RUN: what}, {RUN: lines}, lambda run: (few, None))
    (line,) = pd.read_csv(tmp_path / "check.csv").to_dict("records")
    drawn = draw_line(RUN, lines, seed=0)
    assert (line["parameters"], line["repeat"]) == (drawn["parameters"], drawn["repeat"])
    assert line["outcome"] == expected
    fitted = expected in ("equal", "differs")
    assert np.isnan(line["difference"]) != fitted
    if fitted:  # only scores that are kept are compared
        assert (line["difference"] > 1e-12) == (expected == "differs")
        assert line["scores"] == len(lines.columns.intersection(METRICS))
