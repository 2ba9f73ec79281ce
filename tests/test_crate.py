"""The research object: what is packed, who is named, and where everything came from."""

import hashlib
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pandas as pd
import pytest
import yaml

ROOT = Path(__file__).parents[1]
SCORES = "results/scores/eccms/table4.parquet"


def pack(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command on the results of a folder."""
    words = [folder / "results", folder / "figures", folder / "crate.zip"]
    command = [sys.executable, ROOT / "release/crate.py", *words]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True)


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Path:
    """Results of two methods, made at two commits, a table and a figure."""
    folder = tmp_path_factory.mktemp("packed")
    for name in (SCORES, "results/tables/eccms/table4.csv", "figures/eccms/figure2.png"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("0.5")
    run = {"pool": "published", "status": "ok", "repeat": 0}
    lines = [
        {**run, "dataset": "Ecoli", "method": "LWEA", "commit": "abc1234", "code": "LWEA 1"},
        {**run, "dataset": "Wine", "method": "CA-SC", "commit": "def5678", "code": "CA-SC 1"},
    ]
    pd.DataFrame(lines).to_parquet(folder / SCORES)
    return folder


@pytest.fixture(scope="module")
def packed(results) -> dict[str, dict]:
    """Entities of the crate by their names; the files lie beside the results."""
    done = pack(results)
    assert done.returncode == 0, done.stderr
    with ZipFile(results / "crate.zip") as file:
        file.extractall(results / "crate")
    metadata = json.loads((results / "crate/ro-crate-metadata.json").read_text("utf-8"))
    return {entity["@id"]: entity for entity in metadata["@graph"]}


def names(value: dict | list[dict]) -> list[str]:
    return [entity["@id"] for entity in (value if isinstance(value, list) else [value])]


def test_the_musts_of_the_specifications(packed):
    """RO-Crate 1.1; Workflow RO-Crate 1.0; Process and Workflow Run Crate 0.5."""
    root, about = packed["./"], packed["ro-crate-metadata.json"]
    assert about["about"] == {"@id": "./"}
    assert "https://w3id.org/ro/crate/1.1" in names(about["conformsTo"])
    assert root["@type"] == "Dataset" and root["name"] and root["description"]
    assert re.match(r"\d{4}-\d\d-\d\d", root["datePublished"]) and names(root["license"])
    for profile in ("process/0.5", "workflow/0.5"):
        assert f"https://w3id.org/ro/wfrun/{profile}" in names(root["conformsTo"])
    workflow = packed[root["mainEntity"]["@id"]]
    assert workflow["@type"] == ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
    assert "snakemake" in workflow["programmingLanguage"]["@id"]
    for action in names(root["mentions"]):
        assert packed[action]["@type"] == "CreateAction"
        assert packed[action]["instrument"] == root["mainEntity"]
    files = {name for name, entity in packed.items() if "File" in entity["@type"]}
    assert files <= set(names(root["hasPart"]))


def test_files_have_their_checksums(packed, results):
    for name, entity in packed.items():
        if "File" in entity["@type"] and not name.startswith("http"):
            content = (results / "crate" / name).read_bytes()
            assert entity["sha256"] == hashlib.sha256(content).hexdigest(), name
            assert entity["contentSize"] == str(len(content))


def test_outputs_have_the_runs_the_code_and_the_sources_behind_them(packed):
    published, *data = names(packed["#fits-abc1234"]["object"])
    assert published.endswith("dataset/Ecoli.mat") and set(data) <= set(packed)
    assert len(packed[published]["sha256"]) == 64 and packed[published]["citation"]
    assert "LWEA 1 (1)" in packed["#fits-abc1234"]["description"]
    assert packed["#fits-def5678"]["result"] == {"@id": SCORES}
    made = names(packed["#tables"]["result"])
    assert made == ["results/tables/eccms/table4.csv", "figures/eccms/figure2.png"]


def test_what_cannot_be_packed_is_told_in_a_sentence(results, tmp_path):
    done = pack(tmp_path)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "no score files found" in done.stderr
    (tmp_path / SCORES).parent.mkdir(parents=True)
    pd.read_parquet(results / SCORES).assign(dataset="Mine").to_parquet(tmp_path / SCORES)
    done = pack(tmp_path)
    assert "No catalogue lists the data set Mine" in done.stderr


def test_files_of_metadata_say_what_the_citation_says():
    for name, content in runpy.run_path(str(ROOT / "release/metadata.py"))["metadata"]().items():
        told = json.loads((ROOT / name).read_text("utf-8"))
        assert told == content, f"Run 'python release/metadata.py': {name} is out of date."
        assert "doi" not in told


def test_the_version_and_its_date_are_those_of_the_changelog():
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    heading = f"## {cff['version']} ({cff['date-released']})"
    assert re.findall(r"^## \d.*", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)[0] == heading
