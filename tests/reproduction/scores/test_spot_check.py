"""Sampled kept runs, fitted again."""

import json

import numpy as np
import pandas as pd
import pytest

from coassoc.bench.fits import partition
from coassoc.bench.storage.records import Pool
from coassoc.metrics import METRICS, score_against
from reproduction.scores.sampling import sample_runs
from spot_check import check_runs, draw_line
from tasks import noisy_pool, task

POINTS = [{"theta": 0.2}, {"theta": 0.8}]
RUN = "p/A/m6/LWEA/theta=0.2+0.8"


def test_one_run_in_twenty_is_sampled_whatever_else_is_kept():
    runs = [f"p/A/m6/LWEA/theta={i}" for i in range(1000)]
    kept = {run: "one" if i < 750 else "two" for i, run in enumerate(runs)}
    kept |= dict.fromkeys(["p/A/base", "p/A/m6/reference"], "one")
    drawn = sample_runs(kept, seed=0)
    assert 30 <= len(drawn) <= 70 and set(drawn) <= {*runs}
    assert list(drawn) != sorted(drawn, key=runs.index)
    assert all(file == kept[run] for run, file in drawn.items())
    assert list(sample_runs(kept, seed=1)) != list(drawn)
    fewer = sample_runs(dict.fromkeys(runs[:300], "one"), seed=0)
    assert fewer and list(fewer) == [run for run in drawn if run in fewer]


@pytest.fixture
def pool() -> Pool:
    pool = noisy_pool(42)
    pool.y = np.arange(42) % 3  # of which no partition has a score that is a round number
    return pool


@pytest.fixture
def what():
    return task("LWEA", points=POINTS, pool="p", dataset="A")


@pytest.fixture
def kept(pool, what) -> pd.DataFrame:
    """Lines as a run has them, of eight fits."""
    lines = []
    for point, parameters in enumerate(POINTS):
        for repeat, draw in enumerate(pool.draws[6]):
            estimator = what.factory()(**what.arguments(point, repeat, 3)).fit(pool.labels[:, draw])
            scores = score_against(pool.references, partition(estimator.labels_))
            line = {"point": point, "parameters": json.dumps(parameters), "repeat": repeat}
            lines.append({**line, "status": "ok", "code": "LWEA 1", "seconds": 0.1, **scores})
    return pd.DataFrame(lines)


OTHERS = [name for name in METRICS if name not in ("NMI", "ARI")]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda kept: kept, "equal"),
        (lambda kept: kept.drop(columns=OTHERS), "equal"),
        (lambda kept: kept.assign(ARI=np.nextafter(kept["ARI"], 2)), "equal"),
        (lambda kept: kept.assign(ARI=kept["ARI"] + 1e-9), "differs"),
        (lambda kept: kept.round(4), "differs"),
        (lambda kept: kept.round(4).assign(digits=4.0), "equal"),
        (lambda kept: kept.round(4).assign(digits=4.0, ARI=kept["ARI"] + 1e-4), "differs"),
        (lambda kept: kept.assign(seconds=61.0), "too long"),
        (lambda kept: kept.assign(parameters='{"theta": 0.3}'), "other parameters"),
    ],
)
def test_what_becomes_of_kept_and_of_changed_lines(tmp_path, pool, what, kept, change, expected):
    lines = change(kept)
    check_runs(tmp_path / "check.csv", {RUN: what}, {RUN: lines}, lambda run: (pool, None))
    (line,) = pd.read_csv(tmp_path / "check.csv").to_dict("records")
    drawn = draw_line(RUN, lines, seed=0)
    assert (line["parameters"], line["repeat"]) == (drawn["parameters"], drawn["repeat"])
    assert line["outcome"] == expected
    fitted = expected in ("equal", "differs")
    assert np.isnan(line["difference"]) != fitted
    if fitted:  # only scores that are kept are compared
        assert (line["difference"] > 1e-12) == (expected == "differs")
        assert line["scores"] == len(lines.columns.intersection(METRICS))


def test_only_what_was_fitted_is_drawn(kept):
    kept.loc[kept.index != 5, "status"] = "not run: the point left the race"
    assert draw_line(RUN, kept, seed=0).name == 5


def test_a_stopped_check_goes_on(tmp_path, pool, what, kept):
    tasks = {f"p/A/m6/LWEA/{i}": what for i in range(3)}
    lines = dict.fromkeys(tasks, kept)
    seen = []
    check_runs(tmp_path / "check.csv", {}, {}, None)  # stopped before its first fit

    def inputs(run):
        if len(seen) == 2:
            raise KeyboardInterrupt
        seen.append(run)
        return pool, None

    with pytest.raises(KeyboardInterrupt):
        check_runs(tmp_path / "check.csv", tasks, lines, inputs)
    seen.clear()
    check_runs(tmp_path / "check.csv", tasks, lines, inputs)
    assert seen == [[*tasks][2]]
    assert pd.read_csv(tmp_path / "check.csv")["run"].tolist() == [*tasks]
