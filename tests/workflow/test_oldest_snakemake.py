"""The oldest Snakemake that the Snakefile says it takes."""

import re
import subprocess
import sys

import pandas as pd
import pytest

from snakemake_runs import ROOT, SMALL, command, environment, said, write_configuration


@pytest.mark.slow
def test_the_oldest_snakemake_makes_a_table(finished, tmp_path):
    (oldest,) = re.findall(r'^min_version\("(.*)"\)$', (ROOT / "Snakefile").read_text(), re.M)
    packages, folder = tmp_path / "packages", tmp_path / "work"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", packages]
    subprocess.run([*pip, f"snakemake=={oldest}.0"], check=True)
    finished.copy_data(folder)
    named = write_configuration(folder, SMALL.replace("LWGP, LWEA, EC-CMS", "LWEA"))
    variables = environment() | {"PYTHONPATH": f"{packages}:{ROOT / 'src'}"}
    words = command(folder, "eccms_table4", *named)
    done = subprocess.run(words, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, said(done)
    tables = (place / "results/tables/eccms/table4.csv" for place in (finished.folder, folder))
    new, made = (pd.read_csv(x).set_index(["row", "metric"])["mean"] for x in tables)
    assert made["LWEA", "ARI"] == new["LWEA", "ARI"]
