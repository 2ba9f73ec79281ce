"""`make verify`: what a changed folder of results leads to."""

import runpy
from pathlib import Path

import pandas as pd
import pytest
import yaml

from reproduction import PROJECT

verify = runpy.run_path(str(PROJECT / "release/verify.py"))["main"]
RUN = Path("results/runs/kmeans-small/Wine/m20/LWEA/default.h5")
TABLE = Path("results/tables/eccms/table4.csv")


@pytest.fixture
def folder(finished, tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(finished.copy(tmp_path / "copy"))
    return tmp_path / "copy"


def certificate() -> dict:
    return yaml.safe_load(Path("results/certificate.yml").read_text())


def test_a_whole_folder_has_a_certificate(folder):
    assert verify(".", 2) == 0
    told = certificate()
    assert told["checked"]["refits"] == 2 and told["checked"]["runs"] >= 2
    assert told["checked"]["numbers of tables"] == pd.read_csv(TABLE)["mean"].notna().sum() + sum(
        pd.read_csv(x)["mean"].notna().sum() for x in TABLE.parent.glob("*.csv") if x != TABLE
    )
    assert not told["differs"] and str(TABLE) in [x["file"] for x in told["manifest"]]
    assert "" not in told["numbers_by_commit"]


def test_what_differs_is_told(folder, capsys):
    lines = pd.read_csv(TABLE)
    is_lwea = lines["label"].eq("LWEA")
    lines.loc[is_lwea, "mean"] += 0.01
    lines.to_csv(TABLE, index=False)
    other = bytearray(RUN.read_bytes())
    other[len(other) // 2] ^= 1
    RUN.write_bytes(other)
    assert verify(".", 0) == 1
    differs = certificate()["differs"]
    assert any(x.startswith("eccms/table4 LWEA Wine ARI: the table has") for x in differs)
    # One bit of a file changes its content, or changes nothing.
    assert len(differs) == 1 or any(f"{RUN}: this HDF5 file is truncated or" in x for x in differs)
    assert f"{len(differs)} differ.\nCertificate" in capsys.readouterr().out
