"""The catalogues: what their models allow, and what config/README.md says of it."""

import re
import sys

import pytest
from pydantic import TypeAdapter

from coassoc.bench.catalogue import MethodKeys, load_methods
from coassoc.bench.datasets.batteries import Battery
from coassoc.bench.datasets.registry import DatasetKeys
from coassoc.bench.pools.settings import PoolEntry
from coassoc.errors import ConfigError
from coassoc.methods import METHODS
from coassoc.pools.base_clusterings import check_recipes
from plans import CONFIG
from refusals import cases, refuses
from reproduction.study.catalogues import Catalogues, load_catalogues
from reproduction.study.configuration import Configuration
from reproduction.study.paths import Source, block_of


def keys_of(model) -> set[str]:
    """Names of all keys in a model, at any depth."""
    schema = TypeAdapter(model).json_schema()
    models = [schema, *schema.get("$defs", {}).values()]
    return {key for definition in models for key in definition.get("properties", {})}


@cases(
    "model, heading",
    (Configuration, "config.yaml"),
    (DatasetKeys, "datasets.yaml"),
    (Battery, "batteries.yaml"),
    (PoolEntry, "pools.yaml"),
    (MethodKeys, "methods.yaml"),
)
def test_the_readme_documents_every_key_and_no_other(model, heading):
    text = (CONFIG / "README.md").read_text()
    section = text.split(f"## {heading} — ")[1].split("\n## ")[0]
    section = re.sub("```.*?```", "", section, flags=re.DOTALL)
    keys = keys_of(model)
    documented = {*re.findall("[A-Za-z_0-9]+", " ".join(re.findall("`([^`]+)`", section)))}
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
    refuses(ConfigError, r"mine\.csv", own.source_files, "Mine", CONFIG.parent)
    (tmp_path / "mine.csv").write_text("1,2\n")
    # As it is written, so that another place of the folder changes nothing.
    assert own.source_files("Mine", CONFIG.parent) == ["mine.csv"]
    assert "Mine" in own.unlabelled and not {"Glass", "Ecoli"} & set(own.unlabelled)


def test_the_clusterers_of_the_catalogue_exist(own):
    for pool in own.pools.values():
        check_recipes(pool.name, pool.recipes)


# -- METHODS ---------------------------------------------------------------------------------------

# The catalogue of methods: what is read from their classes, and what is said of unusable ones.


CLASS = """
from coassoc.methods import number

class Mine:
    beta: float = number(1.0, above=0, grid=(0.1, 1))

    def __init__(self, n_clusters=2, *, beta=1.0, random_state=None):
        self.n_clusters = n_clusters

    def fit(self, labels):
        return self
"""


def method_of(folder, monkeypatch, text, more=""):
    """The only entry of a catalogue, its class in a module of this name alone."""
    module = f"own_{abs(hash(folder))}"
    (folder / f"{module}.py").write_text(text)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (folder / "methods.yaml").write_text(
        f"Mine: {{title: Own, paper: none, estimator: '{module}:Mine'{more}}}\n"
    )
    return load_methods(folder / "methods.yaml")["Mine"]


def test_own_methods_are_added_to_those_of_the_library(tmp_path, monkeypatch):
    assert set(load_methods()) == set(METHODS)
    method = method_of(tmp_path, monkeypatch, CLASS)
    assert (method.title, method.paper) == ("Own", "none")
    (tmp_path / "methods.yaml").write_text("LWEA: {estimator: 'own:Mine'}\n")
    with pytest.raises(ConfigError, match=r"methods.yaml: LWEA is a method of coassoc\. Choose"):
        load_methods(tmp_path / "methods.yaml")


def test_a_plain_class_declares_its_parameters_like_the_library(tmp_path, monkeypatch):
    method = method_of(tmp_path, monkeypatch, CLASS)
    assert method.parameters["beta"].grid == (0.1, 1) and method.parameters["beta"].default == 1.0
    assert not method.uses_features
    method.check_parameters("here.yaml", {"beta": 2})
    with pytest.raises(ConfigError, match=r"here.yaml: beta of Mine is 0. It must be a number"):
        method.check_parameters("here.yaml", {"beta": 0})
    with pytest.raises(ConfigError, match=r"of .* 'bet'\. Did you mean 'beta'\? Choose from beta"):
        method.check_parameters("here.yaml", {"bet": 0})


def test_what_a_name_fixes_cannot_be_set(tmp_path, monkeypatch):
    method = method_of(tmp_path, monkeypatch, CLASS, ", fixed: {beta: 3}")
    assert method.factory(n_clusters=4).n_clusters == 4 and method.factory.keywords == {"beta": 3}
    with pytest.raises(ConfigError, match=r"Mine has no parameters\. Remove 'beta'"):
        method.check_parameters("here.yaml", {"beta": 2})


@cases(
    "old, new, message",
    ("class Mine", "class Other", "which cannot be imported"),
    ("class Mine", "import absent_module\nclass Mine", "No module named 'absent_module'"),
    ("def fit", "def fitt", "not a class with a fit method"),
    ("n_clusters=2, *", "*", "must take n_clusters, random_state and its parameters by name"),
    (", random_state=None", "", "must take n_clusters, random_state"),
    ("n_clusters=2, *", "path, n_clusters=2, *", "nothing else without a default"),
    ("beta=1.0", "gamma=1.0", "declares 'beta', but __init__ has no such argument"),
    ("number(1.0", "numbr(1.0", "name 'numbr' is not defined"),
    ("(0.1, 1)", "(0.1, -1)", "the grid of beta has -1. It must be a number greater than 0"),
)
def test_an_unusable_class_is_told_before_anything_runs(tmp_path, monkeypatch, old, new, message):
    assert old in CLASS
    method = method_of(tmp_path, monkeypatch, CLASS.replace(old, new))
    with pytest.raises(ConfigError, match=message) as raised:
        method.check_parameters("here.yaml", {})
    assert str(raised.value).count("methods.yaml: Mine: ") == 1 and "\n" not in str(raised.value)


# -- PATHS -----------------------------------------------------------------------------------------

# Sources of lines of scores and parameters of runs, to and from texts; points of a run.


DECLARED = METHODS["EC-CMS"].parameters


@pytest.mark.parametrize("name", ["race", "repeats", "points"])
def test_a_parameter_with_the_name_of_what_shortens_a_run_is_refused(name):
    with pytest.raises(ConfigError, match=f"the parameter {name!r} cannot be set"):
        block_of({name: [1, 2]}, {name: DECLARED["alpha"]})


@cases(
    "text, source",
    ("p/A/base", Source("p", "A")),
    ("p/A/m20/reference", Source("p", "A", 20, "reference")),
    ("p/A/m20/LWEA/theta=0.2", Source("p", "A", 20, "LWEA", "theta=0.2")),
    ("p-shuffled-25/A/m20/LWEA/default", Source("p-shuffled-25", "A", 20, "LWEA", "default")),
)
def test_a_source_is_read_from_its_text(text, source):
    assert Source.parse(text) == source and str(source) == text
    assert source.pool_file == f"data/pools/{source.pool}/A.h5"


def test_points_have_the_types_of_the_parameters():
    values = {"alpha": (0.7, 0.75), "lam": (0.001, 1000.0), "lock": (False,), "similarity": ("ca",)}
    block = block_of(values, DECLARED, repeats=5)
    assert block == "alpha=0.7+0.75~lam=0.001+1000~lock=no~similarity=ca~repeats=5"
    run = Source("p", "A", 20, "EC-CMS", block)
    points = run.parameter_points(DECLARED)
    assert len(points) == run.size == 4
    assert points[0] == {"alpha": 0.7, "lam": 0.001, "lock": False, "similarity": "ca"}


@pytest.mark.parametrize("block", ["beta=1", "alpha", "alpha=big", "lock=maybe"])
def test_a_path_of_no_run_is_told(block):
    with pytest.raises(ConfigError, match=f"{block}: these are not parameters of EC-CMS"):
        Source("p", "A", 20, "EC-CMS", block).parameter_points(DECLARED)
