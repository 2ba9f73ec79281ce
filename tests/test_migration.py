"""Kept results of version 0.1, whose code was known by fingerprints, name revisions."""

import runpy

import pandas as pd
import pytest

from snakemake_runs import ROOT

SCRIPT = runpy.run_path(str(ROOT / "release/migrate_revisions.py"))
#: A listed one, that is shared by all methods of a module, and one that nobody listed.
SHARED, UNKNOWN = "cbf4dd4bac7e229c", "0123456789abcdef"
RUN, RACED = "p/Glass/m20/LWEA/default", "p/Glass/m20/LWEA/theta=0.2+0.4~race=ARI~repeats=5"


@pytest.mark.parametrize(
    ("code", "run", "named"),
    [
        (SHARED, RUN, "LWEA 1"),
        (SHARED, RUN.replace("LWEA", "LWSC"), "LWSC 1"),
        (SHARED, RACED, "LWEA 1, race by ARI 1"),
        (f"{SHARED}, race by ARI 1", RACED, "LWEA 1, race by ARI 1"),
        ("LWEA 1", RUN, "LWEA 1"),
        ("LWEA 1, race by ARI 1", RACED, "LWEA 1, race by ARI 1"),
        (UNKNOWN, RUN, UNKNOWN),
        (UNKNOWN, RACED, UNKNOWN),
    ],
)
def test_a_line_names_the_revision_of_its_method(code, run, named, tmp_path):
    *_, method, block = run.split("/")
    places = {"pool": "p", "dataset": "Glass", "m": 20, "method": method, "block": block}
    lines = {"ARI": [0.25, 0.5], "code": [code, None]}
    tables = {
        "by_run.parquet": pd.DataFrame({**lines, "source": run}),
        "by_parts.parquet": pd.DataFrame({**lines, **places}),
        "table.csv": pd.DataFrame({**lines, "row": "a", "run": run, "mean": "a, b"}),
    }
    for name, table in tables.items():
        write = table.to_parquet if name.endswith("t") else table.to_csv
        write(tmp_path / name, index=False)
    changed = SCRIPT["migrate"](tmp_path)
    assert changed == ({str(tmp_path / name): 1 for name in tables} if code != named else {})
    for name, before in tables.items():
        read = pd.read_parquet if name.endswith("t") else pd.read_csv
        after = read(tmp_path / name)
        assert list(after) == list(before)
        assert after["code"].tolist()[0] == named and after["code"].isna().tolist()[1]
        same = after.drop(columns="code")
        pd.testing.assert_frame_equal(same, before.drop(columns="code"), check_dtype=False)


def test_a_mean_over_data_sets_is_of_the_method_of_its_row(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(f"row,run,mean,code\nLW,{RUN},0.5,{SHARED}\nLW,,0.5,{SHARED}\n")
    SCRIPT["migrate"](tmp_path)
    assert path.read_text() == f"row,run,mean,code\nLW,{RUN},0.5,LWEA 1\nLW,,0.5,LWEA 1\n"


def test_kept_results_are_converted():
    for folder in ("results-published", "figures/published"):
        assert SCRIPT["migrate"](ROOT / folder) == {}
