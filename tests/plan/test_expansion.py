"""Expansion of the configuration."""

from dataclasses import replace

import pytest

from coassoc.storage.configuration import load_yaml, validate
from plans import CONFIG, by_place, points_of, runs_of, settings
from reproduction.plan.choices import Choices
from reproduction.plan.configuration import NotRun, Override, Shortened
from reproduction.plan.keys import Source, shuffled_pool
from reproduction.plan.planning import Plan


@pytest.fixture
def planned(catalogues):
    """Plans one study as published, with other keys; expanding all of them takes a while."""

    def plan(study="eccms", **keys):
        alone = replace(catalogues, studies={study: catalogues.studies[study]})
        return Plan({**settings("full"), "ranking": None, **keys}, alone)

    return plan


def sources(target):
    """Of what all lines of scores are that a target shows."""
    return {Source.parse(text) for cell in target.cells for text in cell.sources}


def test_every_table_and_figure_has_a_target_also_where_few_are_wanted(by_default, as_published):
    few, everything = by_default, as_published
    # Of protocols nothing is left on data sets that the papers do not have.
    protocols = {target.name for target in everything.targets.values() if target.kind == "protocol"}
    assert set(few.targets) == set(everything.targets) - protocols
    assert len(everything.wanted) == len(everything.targets) > len(few.wanted)
    assert {target.name for target in few.wanted} >= {"eccms_table9", "lta_table1", "audit_order"}
    figure = "figures/lta/figure3.png"
    assert figure in few.files_by_name()["lta"]
    assert figure not in few.files() and figure not in few.files("figures")
    assert figure in everything.files("figures")


def test_a_protocol_varies_the_cells_of_printed_tables(as_published):
    size = as_published.by_path["hclce/protocol_size"]
    jaffe = [cell for cell in size.cells if (cell.row, cell.dataset) == ("LWEA", "JAFFE")]
    assert {cell.variant: cell.m for cell in jaffe} == {"m = 20": 20, "m = 10": 10}
    assert {number["table"] for number in as_published.published(size)} == {"table2", "table3"}
    nmi = as_published.by_path["hclce/protocol_nmi"].cells
    columns = {cell.variant: cell.columns for cell in nmi}
    assert columns["the larger entropy"] == {} and columns["the mean entropy"] == {"NMI": "NMI"}
    assert (
        len({(*cell.sources,) for cell in nmi if (cell.row, cell.dataset) == ("LWEA", "JAFFE")})
        == 1
    )
    rsec = as_published.by_path["hclce/protocol_rsec"].cells
    methods = {cell.variant: runs_of(cell)[0].method for cell in rsec}
    assert (methods["H, 1 drawn start"], methods["Z, 1 drawn start"]) == ("RSEC-H", "RSEC-Z")


def test_a_protocol_keeps_to_data_sets_that_are_in_print(planned):
    instead = {"datasets": ["Wine", "JAFFE"], "pool": "kmeans-small-c"}
    size = planned("hclce", override=instead).by_path["hclce/protocol_size"]
    assert {cell.dataset for cell in size.cells} == {"JAFFE"}


def test_controls_need_no_method(as_published):
    for target in ("eccms_table4", "lta_table1", "rce_table2", "acmk_table2", "hclce_table3"):
        cells = as_published.targets[target].cells
        for control in ("random", "truth"):
            controls = [cell for cell in cells if cell.reference == control]
            assert {cell.dataset for cell in controls} == {cell.dataset for cell in cells}
            for cell in controls:
                source = f"{cell.pool}/{cell.dataset}/m{cell.m}/reference"
                assert [*cell.sources] == [source] and not runs_of(cell)


def test_published_numbers_have_the_projects_names(as_published):
    tables = [x for x in as_published.targets.values() if x.section == "tables"]
    for target in tables:
        published = as_published.published(target)
        # Distances from another table's numbers, and a supplement that is not to be had.
        if target.name in ("eccms_table3", "eccms_supplement"):
            continue
        assert published
        labels = {cell.label for cell in target.cells}
        datasets = {cell.dataset for cell in target.cells}
        assert {row["dataset"] for row in published} <= datasets | {"mean"}
        assert labels & {row["method"] for row in published}


def test_cells_that_are_left_out_keep_their_reason_in_tables(planned, as_published):
    entry = {"targets": ["eccms"], "rows": ["EC-CMS-tuned"], "datasets": ["LS"], "reason": "6 h"}
    some = {"targets": ["eccms_figure5"], "rows": ["PTGP", "LWGP"], "datasets": ["LS", "FCT"]}
    sweep = {"targets": ["eccms_figure2"], "reason": "6 h"}
    plan = planned(not_run=[entry, {**some, "reason": "4 h"}, sweep])
    table, usual = plan.by_path["eccms/table4"], as_published.by_path["eccms/table4"]
    left_out = [(cell.row, cell.dataset) for cell in table.cells if cell.not_run == "6 h"]
    assert left_out == [("EC-CMS-tuned", "LS")]
    assert len(table.cells) == len(usual.cells)
    assert not any(str(run).startswith("published/LS/m20/EC-CMS/alpha") for run in sources(table))
    assert table.spec["caption"] == usual.spec["caption"]
    own = {name for name in as_published.targets if name.startswith("eccms_")}
    assert own - set(plan.targets) == {"eccms_figure2"}
    caption = plan.by_path["eccms/figure5"].spec["caption"]
    missing = "PTGP, LWGP on LS, FCT (4 h); EC-CMS (tuned) on LS (6 h)"
    assert caption.endswith(f"at their defaults. Not run: {missing}.")
    alone = {"targets": ["audit_null"], "datasets": ["K1b", "Wap"], "reason": "7 h"}
    tests = planned("audit", not_run=[alone]).by_path["audit/null"]
    assert tests.spec["caption"].endswith("distance grows. Not run: Wap, K1b (7 h).")
    assert not {"K1b", "Wap"} & {cell.dataset for cell in tests.cells}


def test_a_tuned_row_can_race_and_any_row_be_made_on_fewer_repeats(planned, as_published):
    on_ls = {"targets": ["eccms_table4"], "datasets": ["LS"]}
    shortened = [
        {**on_ls, "rows": ["EC-CMS-tuned"], "race": True},
        {**on_ls, "rows": ["EC-CMS-tuned", "EC-CMS"], "repeats": 5},
    ]
    usual, plan = as_published, planned(shortened=shortened)
    cells = by_place(plan.by_path["eccms/table4"])
    names = {key: [run.block for run in runs_of(cell)] for key, cell in cells.items()}
    assert names["EC-CMS", "LS"] == ["repeats=5"]
    assert names["EC-CMS", "FCT"] == ["default"] == names["LWEA", "LS"]
    (raced,) = runs_of(cells["EC-CMS-tuned", "LS"])
    assert (raced.race, raced.repeats) == ("ARI", 5) and len(raced.block) < 200
    grid = runs_of(by_place(usual.by_path["eccms/table4"])["EC-CMS-tuned", "LS"])
    points = [point for run in grid for point in points_of(run, usual)]
    default = {"alpha": 0.8}  # left out of the names of runs with a single value
    assert points_of(raced, plan) == [{**default, **point} for point in points]
    assert len(points) == 70
    # What is timed is not made from these runs, and the other tables are as they were.
    assert plan.targets["eccms_table9"] == usual.targets["eccms_table9"]
    assert plan.targets["eccms_table6"] == usual.targets["eccms_table6"]


def test_a_table_can_tune_a_row_over_some_points_of_its_grid(planned, as_published):
    grid = {"alpha": [0.9, 0.6, 0.8], "lam": [1, 0.1]}
    entry = {"rows": ["EC-CMS-tuned"], "datasets": ["LS"], "grid": grid}
    plan = planned(shortened=[entry])
    usual = as_published.by_path["eccms/table4"]
    cells, others = by_place(plan.by_path["eccms/table4"]), by_place(usual)
    run, default = runs_of(cells["EC-CMS-tuned", "LS"])
    assert run.block == "alpha=0.6+0.8+0.9~lam=0.1+1~points=6of70"
    assert default == runs_of(cells["EC-CMS", "LS"])[0]
    expected = [{"alpha": a, "lam": lam} for a in (0.6, 0.8, 0.9) for lam in (0.1, 1)]
    assert points_of(run, plan) == expected and run.points == (6, 70)
    assert {key for key in cells if cells[key] != others[key]} == {("EC-CMS-tuned", "LS")}
    whole = {"lam": list(plan.catalogues.methods["EC-CMS"].parameters["lam"].grid)}
    assert planned(shortened=[{**entry, "grid": whole}]).by_path["eccms/table4"] == usual


def test_some_points_and_the_default_are_on_the_same_repeats(planned):
    few = {"targets": ["eccms_table4"], "rows": ["SPCE-tuned"], "race": True, "repeats": 5}
    for values, expected in (([0.01, 0.25], 2), ([0.01, 0.09], 1)):  # 0.09 is the default
        plan = planned(shortened=[{**few, "grid": {"gamma": values}}])
        runs = runs_of(by_place(plan.by_path["eccms/table4"])["SPCE-tuned", "LS"])
        assert len(runs) == expected and {run.repeats for run in runs} == {5}
        assert runs[0].race == "ARI" and runs[-1].race == (None if expected == 2 else "ARI")


TUNED = "Tuned over some points of the grid and the default only"
DRAWN = "Drawn at some points of the grid only: EC-CMS (alpha=0.8, lambda=0.4)"


@pytest.mark.parametrize(
    ("target", "row", "grid", "told"),
    [
        ("table4", "EC-CMS-tuned", {"alpha": [0.6]}, f"{TUNED}: EC-CMS (tuned) on LS (7 of 70)."),
        ("figure5", "EC-CMS-tuned", {"lam": [1]}, f"{TUNED}: EC-CMS (tuned) on LS (10 of 70)."),
        ("table4", "SPCE-tuned", {"gamma": [0.01]}, f"{TUNED}: SPCE on LS (1 of 10)."),
        # One point is no tuning where it is the default.
        ("table4", "SPCE-tuned", {"gamma": [0.09]}, "Not tuned, at the default: SPCE on LS."),
        ("figure2", "EC-CMS", {"alpha": [0.9, 0.5]}, f"{DRAWN} on LS (2 of 10)."),
    ],
)
def test_a_caption_says_what_is_made_at_a_part_of_a_grid(
    planned, as_published, target, row, grid, told
):
    plan = planned(shortened=[{"rows": [row], "datasets": ["LS"], "grid": grid}])
    one, usual = (made.by_path[f"eccms/{target}"].spec["caption"] for made in (plan, as_published))
    assert one == f"{usual.strip()} {told}"


def test_a_curve_can_have_some_points_of_its_grid(planned, as_published):
    entry = {"targets": ["eccms_figure2"], "rows": ["EC-CMS"], "datasets": ["LS"]}
    plan = planned(shortened=[{**entry, "grid": {"alpha": [0.9, 0.5]}}])
    cells, usual = (made.by_path["eccms/figure2"].cells for made in (plan, as_published))
    here = [cell for cell in usual if (cell.row, cell.dataset) == ("EC-CMS", "LS")]
    cut = [cell for cell in cells if cell not in usual]
    assert [cell for cell in usual if cell not in cells] == here
    assert [cell.x for cell in cut] == [0.5, 0.9]
    assert {run.points for cell in cut for run in runs_of(cell)} == {(2, len(here))}


@pytest.mark.parametrize(
    ("grid", "n_points", "n_runs"),
    [
        (None, 81, 9),
        ({"lam1": [0.001, 1, 1000]}, 27, 3),
        ({"lam1": [1, 1000], "lam2": [0.01, 1]}, 4, 1),
    ],
)
def test_each_point_of_a_surface_comes_from_the_run_that_has_it(planned, grid, n_points, n_runs):
    entry = {"targets": ["rce_figure1"], "rows": ["RCE-default"], "datasets": ["JAFFE"]}
    plan = planned("rce", shortened=[{**entry, "grid": grid}] if grid else [])
    declared = plan.catalogues.methods["RCE"].parameters
    defaults = {name: parameter.default for name, parameter in declared.items()}
    cells = [cell for cell in plan.by_path["rce/figure1"].cells if cell.dataset == "JAFFE"]
    assert (
        len(cells) == n_points and len({run for cell in cells for run in runs_of(cell)}) == n_runs
    )
    for cell in cells:
        (run,) = runs_of(cell)
        points = [{**defaults, **point} for point in points_of(run, plan)]
        assert points.count({**defaults, **cell.point}) == 1


def test_curves_can_be_made_on_fewer_repeats(planned):
    plan = planned(shortened=[{"rows": ["EC-CMS", "gamma1-10"], "repeats": 2}])
    (swept,) = runs_of(plan.by_path["eccms/figure2"].cells[0])
    assert swept.repeats == 2 and swept.size > 1
    (run,) = next(runs_of(x) for x in plan.by_path["eccms/table3"].cells if x.row == "gamma1-10")
    assert run.block == "gamma1=0.01+0.1+10+100~repeats=2"
    assert {run.block for run in plan.by_path["eccms/table9"].runs} == {"default"}


def test_a_row_can_race_wherever_it_is(catalogues):
    study = catalogues.studies["eccms"]
    row = study.rows["EC-CMS-tuned"]
    raced = row.model_copy(update={"tune": row.tune.model_copy(update={"race": True})})
    rows = {**study.rows, "EC-CMS-tuned": raced}
    studies = {"eccms": study.model_copy(update={"rows": rows})}
    plan = Plan({**settings("full"), "ranking": None}, replace(catalogues, studies=studies))
    cells = [cell for cell in plan.by_path["eccms/table4"].cells if cell.row == "EC-CMS-tuned"]
    assert [[run.race for run in runs_of(cell)] for cell in cells] == [["ARI"]] * 8


def of_the_small_machine(key, model):
    """The entries of a key of config/two-cores.yaml."""
    return validate(load_yaml(CONFIG / "two-cores.yaml")[key], list[model], key)


def concerned(plan, entry):
    """Cells of all studies and of the ranking that an entry of the small machine concerns."""
    left_out = isinstance(entry, NotRun)
    alone = Choices(Override(), [entry] * left_out, [entry] * (not left_out))
    targets = [
        target
        for target in (*plan.targets.values(), plan.ranking)
        if {target.name, target.study.name} & set(entry.targets or [target.name])
    ]
    return [
        cell
        for target in targets
        for cell in target.cells
        if alone.on(target).reason(cell)
        or any(alone.on(target).shortened(cell, key) for key in ("race", "repeats", "grid"))
    ]


def test_every_reason_of_the_small_machine_leaves_something_out(as_published):
    for entry in of_the_small_machine("not_run", NotRun):
        assert concerned(as_published, entry), entry


def test_every_shortening_of_the_small_machine_shortens_something(catalogues, as_published):
    entries = load_yaml(CONFIG / "two-cores.yaml")["shortened"]
    shortened = Plan({**settings("full"), "shortened": entries}, catalogues)
    usual = {run for target in as_published.targets.values() for run in sources(target)}
    usual |= sources(as_published.ranking)
    for entry in of_the_small_machine("shortened", Shortened):
        cells = concerned(shortened, entry)
        new = {Source.parse(run) for cell in cells for run in cell.sources} - usual
        assert {run.dataset for run in new} >= set(entry.datasets or []), entry
        grids = [run for run in new if "+" in run.block]
        assert all(run.race for run in grids) or not entry.race


def test_audits_compare_variants_of_the_same_rows(catalogues, as_published):
    order = [c for c in as_published.by_path["audit/order"].cells if c.dataset == "Ecoli"]
    shuffled = {percent: shuffled_pool("published", percent) for percent in (0, 10, 25, 50, 100)}
    assert {cell.x: cell.pool for cell in order} == shuffled
    methods, rows = catalogues.methods, catalogues.studies["audit"].rows
    of_labels = {key for key, row in rows.items() if not methods[row.method].uses_features}
    assert {cell.row for cell in order} == of_labels
    scaling = as_published.by_path["audit/scaling"].cells
    assert {cell.row for cell in scaling} == set(rows)  # rows: all
    pool = as_published.by_path["audit/pool"].cells
    pools = ("published", "kmeans-sqrt", "subspaces", "projections", "mixture")
    assert {cell.variant for cell in pool} == {f"pool {name}" for name in pools}
    tuned = [c for c in as_published.by_path["audit/tuning"].cells if c.row == "RCE"]
    assert [cell.tune for cell in tuned[:4]] == [None, "ARI", "ANMI", "stability"]
    assert runs_of(tuned[1]) == runs_of(tuned[2]) and len(runs_of(tuned[1])) == 9  # 81 points
    assert runs_of(tuned[0])[0].block == "default"


def test_an_entry_may_have_other_pools_for_single_data_sets(as_published):
    pools = {cell.dataset: cell.pool for cell in as_published.by_path["audit/n_clusters"].cells}
    assert pools["Ecoli"] == "published"  # the paper's
    assert pools["Wine"] == "kmeans-sqrt"
    assert pools["Yale"] == "kmeans-sqrt"  # before the paper's own for Yale


def test_an_override_can_name_one_target(by_default):
    assert {c.dataset for c in by_default.by_path["audit/scaling"].cells} == {"Digits"}
    assert {c.dataset for c in by_default.by_path["audit/tuning"].cells} == {"Glass", "Wine"}
    pools = {cell.pool for cell in by_default.by_path["audit/pool"].cells}
    assert {"kmeans-small", "kmeans-small-c", "mixture"} <= pools
