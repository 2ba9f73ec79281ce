"""The way of one number."""

import re
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import yaml

from coassoc.errors import ConfigError
from refusals import cases, refuses
from reproduction.one import describe_cell, main
from reproduction.study.plan import Plan
from snakemake_runs import SMALL, forked


@pytest.fixture
def finished_folder(finished, tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(finished.copy(tmp_path / "copy"))
    monkeypatch.setattr(sys, "argv", ["snakemake"])  # as Snakemake reads it
    return tmp_path / "copy"


@pytest.mark.parametrize("row", ["LWEA", "EC-CMS (tuned)"])
def test_the_printed_lines_compute_the_number(row, finished_folder):
    text = describe_cell(Plan(yaml.safe_load(SMALL)), f"eccms/table4/{row}/Wine")
    numbers = pd.read_csv("results/tables/eccms/table4.csv")
    (mean,) = numbers.loc[numbers["label"].eq(row) & numbers["metric"].eq("ARI"), "mean"]
    assert text.partition("\n")[0].endswith("src/reproduction/study/eccms.py, table4")
    assert f"mean {mean:.6g}" in text and "the paper prints no number" in text
    text = text.partition(", NMI (")[0]
    of_repeats = [float(x) for x in re.findall(r"repeat \d+, seed \d+: (.*)", text)]
    with redirect_stdout(StringIO()):
        exec(text.partition("without Snakemake:\n")[2], names := {})
    assert names["scores"] == pytest.approx(of_repeats, abs=1e-6)
    assert sum(names["scores"]) / len(names["scores"]) == pytest.approx(mean, abs=1e-6)


def test_a_number_of_a_figure_is_not_in_print(finished_folder):
    numbers = pd.read_csv("figures/eccms/figure2.csv")
    cell = "/".join(numbers.loc[0, ["label", "dataset"]])
    text = describe_cell(Plan(yaml.safe_load(SMALL)), f"eccms/figure2/{cell}")
    assert f"mean {numbers.loc[0, 'mean']:.6g}" in text and "the paper prints no number" in text


def test_a_table_that_the_configuration_leaves_out_is_built(finished_folder, capsys, monkeypatch):
    def run(command: list[str]) -> SimpleNamespace:
        """By the Snakemake that waits."""
        forked(command[3:], finished_folder)
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr("reproduction.one.subprocess.run", run)
    Path("figure.yaml").write_text(SMALL.replace("[eccms]", "[eccms_figure2, eccms_figure3]"))
    main("eccms/table4/LWEA/Wine", "figure.yaml")
    assert "pool file: data/pools/kmeans-small/Wine.h5" in capsys.readouterr().out


@cases(
    "cell, said",
    ("eccms/table44/LWEA/Wine", "unknown table 'eccms/table44'. Did you mean"),
    ("eccms/table4/LWEA/Vine", "LWEA: unknown data set 'Vine'. Did you mean 'Wine'"),
    ("eccms/table4/LWAE/Wine", "eccms/table4: unknown row 'LWAE'. Did you mean 'LWEA'"),
)
def test_a_misspelt_cell_is_told(cell, said, finished_folder):
    refuses(ConfigError, re.escape(said), describe_cell, Plan(yaml.safe_load(SMALL)), cell)
