"""What the workflow catalogue and editors read: schemas, workflows of GitHub, the test run."""

import json
import re
import runpy

import pytest
import yaml
from jsonschema import Draft202012Validator

from coassoc.bench.storage.configuration import load_yaml
from reproduction.study.plan import Plan
from snakemake_runs import ROOT

SCHEMAS = runpy.run_path(str(ROOT / "release/schemas.py"))
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FILES = [ROOT / ".test/config.yaml", *ROOT.glob("config/*.yaml")]
FILES += ROOT.glob("examples/own-paper/*.yaml")


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


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("config", {"targts": ["eccms"]}),
        ("config", {"edits": [{"keep": {"dataset": "Wine"}}]}),
        ("datasets", {"Mine": {"file": "a.csv", "arguments": 3}}),
        ("pools", {"Mine": {"kind": "generated", "draws": {"sizes": [0], "repeats": 1}}}),
        ("methods", {"Mine": {"estimator": "no colon"}}),
    ],
)
def test_schemas_reject_mistakes(kind, content):
    assert [*Draft202012Validator(SCHEMAS["schema"](kind)).iter_errors(content)]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_of_github_name_what_there_is(path):
    text = path.read_text(encoding="utf-8")
    steps = [x for job in yaml.safe_load(text)["jobs"].values() for x in job["steps"]]
    assert all(("run" in x) != ("uses" in x) for x in steps)
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)
    for command in (x["run"] for x in steps if "run" in x):
        words = command.split()
        assert words[0] != "make" or {*words[1:]} <= {*targets}
        for word in words:
            if re.match(r"(envs|\.test|config)/", word):
                assert (ROOT / word).is_file(), word
    assert "MIRROR" not in text


def test_the_test_run_needs_no_download(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = Plan(load_yaml(ROOT / ".test/config.yaml"))
    plan.write()
    assert plan.wanted == {"eccms/table6"}
    assert set(plan.of("eccms/table6")["pool_file"]) == {"data/pools/published/Ecoli.h5"}
