"""What the documentation says agrees with the library."""

import doctest
import re
import runpy
import tomllib
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

import coassoc
from ensembles import noisy_ensemble

ROOT = Path(__file__).parents[1]
PAGES = sorted(ROOT.glob("docs/**/*.md"))
WITH_EXAMPLES = sorted(
    ".".join(file.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    for file in ROOT.glob("src/coassoc/**/*.py")
    if ">>> " in file.read_text(encoding="utf-8")
)


def test_the_citation_is_of_this_version_and_of_the_papers():
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (cff["version"], cff["license"]) == (coassoc.__version__, project["license"])
    # The project has as many addresses here as there.
    addresses = {cff[key] for key in ("url", "repository-code") if key in cff}
    assert addresses == set(project.get("urls", {}).values())
    cited = [{author["family-names"] for author in paper["authors"]} for paper in cff["references"]]
    for name in ("eccms", "lta", "rce", "acmk", "hclce"):
        citation = str(import_module(f"reproduction.study.{name}").__doc__)
        assert [authors for authors in cited if all(author in citation for author in authors)]


@pytest.mark.parametrize("module", WITH_EXAMPLES)
@pytest.mark.usefixtures("short_audits")
def test_examples_of_docstrings_give_what_they_show(module):
    assert doctest.testmod(import_module(module)).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_file_of_the_project_that_a_page_names_is_there(page):
    prose = re.sub("```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    folders = "src|scripts|rules|config|tests|release|docs|results-published|envs|examples"
    named = re.findall(rf"`((?:{folders})/[a-z0-9_./-]+\.[a-z]+)`", prose)
    assert [name for name in named if not (ROOT / name).is_file()] == []


@cache
def import_assemble() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs/site/assemble.py"))


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("site")
    import_assemble()["assemble"](target)
    return target


def test_every_link_of_the_site_has_an_end(site):
    pages = sorted(site.rglob("*.md"))
    assert {"index.md", "methods.md", "gallery.md", "studies/eccms.md"} <= {
        page.relative_to(site).as_posix() for page in pages
    }
    for page in pages:
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
        for place in re.findall(r"\]\((?!https?:|#)([^)\s#]+)", text):
            assert (site / place.lstrip("/")).exists(), f"{page.name}: {place}"
        for place in re.findall(r'<a href="(?:\.\./)*([^"]+)"', text):
            assert (site / "whole" / place).exists(), f"{page.name}: {place}"


def test_every_page_of_docs_is_in_a_menu(site):
    menus = import_assemble()["MENUS"].values()
    listed = {path for menu in menus for path in menu.values()}
    pages = {page.relative_to(ROOT).as_posix() for page in PAGES}
    assert pages - listed == {"docs/README.md"}
    overview = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    assert [page for page in pages if page[5:] not in overview and page != "docs/README.md"] == []


#: Pages whose Python other tests run.
RUN_ELSEWHERE = {
    "docs/tutorials/cells.md": "tests/cells/test_cells_of_adata.py",
    "docs/tutorials/own-method.md": "tests/workflow/test_recipes.py",
    "docs/howto/extend.md": "tests/workflow/test_recipes.py",
}


def blocks(page: str) -> list[str]:
    """The Python blocks of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


NAMES = ["README.md", *(page.relative_to(ROOT).as_posix() for page in PAGES)]
WITH_PYTHON = {*filter(blocks, NAMES)}


@pytest.mark.parametrize("page", sorted(WITH_PYTHON - RUN_ELSEWHERE.keys()))
def test_the_python_of_a_page_runs(tmp_path, monkeypatch, page):
    """In its order; `labels` are base clusterings, as the pages say."""
    monkeypatch.chdir(tmp_path)
    Path("examples").symlink_to(ROOT / "examples")
    labels = noisy_ensemble(100, 12, 5, seed=0)
    table = pd.DataFrame(labels, columns=[f"clustering {j}" for j in range(12)])
    Path("labels").mkdir()
    for k, part in enumerate(np.array_split(np.arange(100), 3)):
        table.iloc[part].to_parquet(f"labels/{k}.parquet", index=False)
    X = np.random.default_rng(0).normal(size=(40, 3))
    names = {"labels": labels, "X": X, "new": X, "more": X}
    for block in blocks(page):
        if "import Client" in block:  # whose processes take long to start
            in_threads = partial(import_module("distributed").Client, processes=False)
            monkeypatch.setattr("dask.distributed.Client", in_threads)
        exec(block, names)
    if "dask" in names:  # both engines find the same
        answers, expected = map(pd.read_parquet, ("results/answers", "results/consensus.parquet"))
        assert answers["LWEA"].tolist() == (expected["LWEA"] - 1).tolist()


def test_the_page_of_peers_is_that_of_the_kept_lines():
    peers = import_module("benchmarks.peers")
    assert peers.PAGE.read_text(encoding="utf-8") == peers.page(pd.read_csv(peers.KEPT))


def test_every_make_target_that_a_page_names_exists():
    targets = {*re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)}
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES):
        named = re.findall(r"(?:`|^    )make ([a-z-]+)(?:`|$)", page.read_text(), re.M)
        assert {*named} <= targets, page
