"""The research object: what is packed, who is named, and where everything came from."""

import hashlib
import json
import re
import runpy
from pathlib import Path
from zipfile import ZipFile

import pandas as pd
import pytest
import yaml
from jsonschema import Draft202012Validator

import crate
from reproduction import PROJECT
from snakemake_runs import ROOT

SCORES = "results/scores/eccms/table4.parquet"


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
    crate.main(*map(str, (results / "results", results / "figures", results / "crate.zip")))
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


def test_files_of_metadata_say_what_the_citation_says():
    for name, content in runpy.run_path(str(ROOT / "release/metadata.py"))["metadata"]().items():
        told = json.loads((ROOT / name).read_text("utf-8"))
        assert told == content, f"Run 'python release/metadata.py': {name} is out of date."
        assert "doi" not in told


def test_the_version_and_its_date_are_those_of_the_changelog():
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    heading = f"## {cff['version']} ({cff['date-released']})"
    assert re.findall(r"^## \d.*", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)[0] == heading


# -- VERIFY ----------------------------------------------------------------------------------------

# `make verify`: what a changed folder of results leads to.


verify = runpy.run_path(str(PROJECT / "release/verify.py"))["main"]
RUN = Path("results/runs/kmeans-small/Wine/m20/LWEA/default.h5")
TABLE = Path("results/tables/eccms/table4.csv")


@pytest.fixture
def folder(finished, tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(finished.copy(tmp_path / "copy"))
    return tmp_path / "copy"


def certificate() -> dict:
    return yaml.safe_load(Path("results/certificate.yml").read_text())


def test_what_differs_is_told(folder, capsys):
    assert verify(".", 2) == 0 and certificate()["checked"]["refits"] == 2
    assert not certificate()["differs"] and "" not in certificate()["numbers_by_commit"]
    capsys.readouterr()
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


# -- STANDARDS -------------------------------------------------------------------------------------

# What the workflow catalogue and editors read: schemas, workflows of GitHub, the test run.


SCHEMAS = runpy.run_path(str(ROOT / "release/schemas.py"))
FILES = [ROOT / ".test/config.yaml", *ROOT.glob("config/*.yaml")]
FILES += [*ROOT.glob("examples/own-paper/*.yaml"), *ROOT.glob("config/claims/*.yaml")]


@pytest.mark.parametrize("kind", SCHEMAS["MODELS"])
def test_schemas_are_current(kind):
    stored = (ROOT / f"config/schemas/{kind}.json").read_text(encoding="utf-8")
    assert stored == SCHEMAS["text_of"](kind), "run: make schemas"


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_files_name_a_schema_that_accepts_them(path):
    first, text = path.read_text(encoding="utf-8").partition("\n")[::2]
    schema = path.parent / first.removeprefix("# yaml-language-server: $schema=")
    Draft202012Validator.check_schema(made := json.loads(schema.read_text(encoding="utf-8")))
    assert not [x.message for x in Draft202012Validator(made).iter_errors(yaml.safe_load(text))]
