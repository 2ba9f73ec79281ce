"""The words of studies, and what edits of a configuration make of their cells."""

from dataclasses import replace
from functools import partial
from types import ModuleType

import pytest

from coassoc.bench.pools.settings import PoolSettings
from coassoc.errors import ConfigError
from refusals import refuses
from reproduction.study.catalogues import Entries
from reproduction.study.checks import check_cells
from reproduction.study.compiler import cells_of, edited
from reproduction.study.configuration import Edit
from reproduction.study.studies import targets_of
from reproduction.study.words import alone, cross, methods, row, target, ways

HERE = {"pool": "kmeans-small", "m": 20}
LWEA, LWGP = methods("LWEA LWGP")


def study(**targets) -> ModuleType:
    """A study with these targets: kind and function that returns cells."""
    module = ModuleType("mine")
    for name, (kind, function) in targets.items():
        setattr(module, name, target(kind, metrics=["ARI"])(function))
    return module


def cells_in(catalogues, cells, kind="table"):
    return cells_of(targets_of(study(t=(kind, lambda: cells))), catalogues.methods)


def edit(catalogues, cells, *edits, kind="table"):
    n = {name: entry.n for name, entry in catalogues.datasets.items()}
    table = cells_in(catalogues, cells, kind)
    table = table.assign(n=table["dataset"].map(n))
    known = {"target": ["mine/t"], "dataset": n, "method": ["", *catalogues.methods]}
    return edited(table, [Edit(**x) for x in edits], known)


ROWS = cross([LWEA, LWGP], ["Wine", "Glass"], **HERE)


def test_an_edit_is_of_some_cells_and_the_first_one_on_a_cell_holds(catalogues):
    first = {"of": {"label": "LWEA", "dataset": ["Wi*"]}, "repeats": 2}
    second = {"of": {"n": ">0"}, "repeats": 3}
    assert edit(catalogues, ROWS, first, second)["repeats"].tolist() == [2, 3, 3, 3]
    skips = ({"of": {"n": f">{n}"}, "skip": f"{n}"} for n in (200, 170))
    assert edit(catalogues, ROWS, *skips)["not_run"].tolist() == ["170"] * 2 + ["200"] * 2
    tuned = cross([row("tuned", "EC-CMS", "ARI", ["alpha"])], ["Wine"], **HERE)
    grids = ({"of": {"label": "tuned"}, "grid": {"alpha": [alpha]}} for alpha in (0.8, 0.9))
    assert edit(catalogues, tuned, *grids)["part"].tolist() == [{"alpha": [0.8]}]


def test_edits_take_other_data_sets_and_pools(catalogues):
    """In the order that the cells had; what is measured alone stays whole."""
    other = {"of": {"target": "mine/*"}, "keep": {"method": ["LWG*"]}}
    table = edit(catalogues, ROWS, other | {"datasets": ["Ecoli", "Yale", "AR"]})
    assert (table["method"] + table["dataset"]).tolist() == ["LWGPEcoli", "LWGPYale"]
    cells = cross([LWEA.but(shuffled=100)], ["Wine"], **HERE)
    given = {"of": {"target": "mine/t"}, "pool": "kmeans-c", "repeats": 2}
    (cell,) = edit(catalogues, cells, given, kind="times").itertuples()
    assert (cell.pool, cell.repeats) == ("kmeans-c-shuffled", 0)


MISTAKES_IN_EDITS = {
    "entry 1: unknown target 'mine/tt'": {"of": {"target": "mine/tt"}, "repeats": 2},
    "no cell matches label LWEB": {"of": {"label": "LWEB"}, "repeats": 2},
    "none of the cells of target mine/t matches label LWEB": {
        "of": {"target": "mine_t"},
        "keep": {"label": "LWEB"},
    },
    "none of the cells of target mine/t matches dataset Ecoli": {
        "of": {"target": "mine/t"},
        "keep": {"dataset": "Ecoli"},
    },
    "unknown dataset 'Vine'. Did you mean 'Wine'": {"of": {"dataset": "Vine"}, "repeats": 2},
    "grid: unknown parameter 'alfa'": {"of": {"label": "tuned"}, "grid": {"alfa": [1]}},
}


@pytest.mark.parametrize("message", MISTAKES_IN_EDITS)
def test_a_mistake_in_an_edit_is_one_sentence(catalogues, message):
    rows = [*ROWS, *cross([row("tuned", "EC-CMS", "ARI", ["alpha"])], ["Wine"], **HERE)]
    refuses(ConfigError, message, edit, catalogues, rows, MISTAKES_IN_EDITS[message])


def test_an_edit_asks_for_no_more_repeats_than_the_pool_has(catalogues):
    table = edit(catalogues, ROWS, {"of": {"label": "LWEA"}, "repeats": 5})
    message = "LWEA on Wine has 5 repeats, but the pool kmeans-small has 3. Request"
    refuses(ConfigError, message, check_cells, table, catalogues)


def test_a_pool_has_no_more_clusters_than_samples(catalogues):
    fine = PoolSettings(name="fine", size=40, k=400)
    known = replace(catalogues, pools=Entries(fine=fine))
    with pytest.raises(ConfigError, match="pool fine has k = 400, but Wine has only 178 samples"):
        check_cells(cells_in(catalogues, cross([LWEA], ["Wine"], "fine", 20)), known)


MISTAKES = {
    "LWEB": lambda: cross(methods("LWEB"), ["Wine"], **HERE),
    "has no ensembles of 7 base": lambda: cross([LWEA], ["Wine"], "kmeans-small", 7),
    "theta of LWEA is -1": lambda: cross([row("x", "LWEA", theta=-1)], ["Wine"], **HERE),
    "'linkage'": lambda: cross([row("x", "LWEA", "ARI", ["linkage"])], ["Wine"], **HERE),
    "no free parameter with a grid": lambda: cross([row("x", "EAC-AL", "ARI")], ["Wine"], **HERE),
    "rows on Wine are call": lambda: cross([row("x", "LWEA"), row("x", "LWGP")], ["Wine"], **HERE),
    "'AIR'": lambda: cross([row("x", "LWEA", "AIR")], ["Wine"], **HERE),
    "chooses the number of clusters": lambda: cross(methods("BALLS"), ["Wine"], **HERE),
    "the pool published does not contain Wine": lambda: alone("x", ["Wine"], "published", 0),
}


@pytest.mark.parametrize("message", MISTAKES)
def test_a_mistake_in_a_study_is_one_sentence(catalogues, message):
    with pytest.raises(ConfigError, match=message):
        check_cells(cells_in(catalogues, MISTAKES[message]()), catalogues)


def test_a_target_has_title_and_caption_from_its_docstring():
    @target("table", metrics=["ARI"])
    def documented():
        """A title

        A caption
        of two lines.
        """

    again = target("table", documented.caption)(partial(documented.cells))
    assert (documented.title, documented.caption) == ("A title", "A caption of two lines.")
    assert again.title == "A title" and again.caption == documented.caption


def test_a_variant_may_have_its_own_columns(catalogues):
    variants = {"as it is": {}, "by NMI": {"columns": {"NMI": "NMI"}}}
    table = cells_in(catalogues, ways([LWEA], ["Wine"], variants=variants, **HERE), "protocol")
    assert table["columns"].tolist()[-1] == {"NMI": "NMI"}
