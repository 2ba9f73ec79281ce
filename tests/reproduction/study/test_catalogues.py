"""The catalogues: what their models allow, and what config/README.md says of it."""

import re

import pytest
from pydantic import TypeAdapter

from coassoc.bench.catalogue import MethodKeys
from coassoc.bench.datasets.batteries import Battery
from coassoc.bench.datasets.registry import DatasetKeys
from coassoc.bench.pools.settings import PoolEntry
from coassoc.errors import ConfigError
from coassoc.pools.base_clusterings import check_recipes
from plans import CONFIG
from reproduction.study.catalogues import Catalogues, load_catalogues
from reproduction.study.configuration import Configuration


def keys_of(model) -> set[str]:
    """Names of all keys in a model, at any depth."""
    schema = TypeAdapter(model).json_schema()
    models = [schema, *schema.get("$defs", {}).values()]
    return {key for definition in models for key in definition.get("properties", {})}


@pytest.mark.parametrize(
    ("model", "heading"),
    [
        (Configuration, "config.yaml"),
        (DatasetKeys, "datasets.yaml"),
        (Battery, "batteries.yaml"),
        (PoolEntry, "pools.yaml"),
        (MethodKeys, "methods.yaml"),
    ],
)
def test_the_readme_documents_every_key_and_no_other(model, heading):
    text = (CONFIG / "README.md").read_text()
    section = text.split(f"## {heading} — ")[1].split("\n## ")[0]
    section = re.sub("```.*?```", "", section, flags=re.DOTALL)
    keys = keys_of(model)
    quoted = " ".join(re.findall("`([^`]+)`", section))
    documented = {*re.findall("[A-Za-z_0-9]+", quoted)}
    assert keys and keys <= documented, sorted(keys - documented)
    # The first cell of a line of a table names keys.
    heads = " ".join(re.findall(r"^\| (`[^|]*)", section, re.MULTILINE))
    first = {name.split(".")[-1] for name in re.findall("`([^`]+)`", heads)}
    assert first <= keys, sorted(first - keys)


@pytest.fixture
def own(tmp_path, monkeypatch) -> Catalogues:
    """With a data set of one's own, in a folder in which nothing is made yet."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.yaml").write_text("Mine: {file: mine.csv, classes: 5}")
    return load_catalogues(CONFIG, {"datasets": ["own.yaml"]})


def test_what_a_data_set_is_prepared_from(own, tmp_path):
    assert own.source_files("Ecoli", CONFIG.parent) == ["data/sources/Ecoli.json"]
    # It comes with the project, which may be anywhere; the sum of its content stands for it.
    assert own.source_files("Glass", CONFIG.parent) == [] and "sha256" in str(own.datasets["Glass"])
    with pytest.raises(ConfigError, match=r"mine\.csv"):
        own.source_files("Mine", CONFIG.parent)
    (tmp_path / "mine.csv").write_text("1,2\n")
    # As it is written, so that another place of the folder changes nothing.
    assert own.source_files("Mine", CONFIG.parent) == ["mine.csv"]
    assert "Mine" in own.unlabelled and not {"Glass", "Ecoli"} & set(own.unlabelled)


def test_the_clusterers_of_the_catalogue_exist(own):
    for pool in own.pools.values():
        check_recipes(pool.name, pool.recipes)
