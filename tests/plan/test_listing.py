"""The table of everything that is wanted."""

import pytest

from reproduction.plan.listing import list_cells


@pytest.fixture(scope="module")
def cells(as_published):
    return list_cells(as_published)


def test_every_cell_of_every_target_has_its_lines(as_published, cells):
    assert set(cells["target"]) == {*as_published.by_path} >= {"eccms/table4", "ranking"}
    for path, target in as_published.by_path.items():
        rows = cells[cells["target"] == path]
        assert set(rows["source"]) - {""} >= {x for cell in target.cells for x in cell.sources}
        assert set(rows["run_file"]) - {""} == {
            as_published.catalogues.run_file(run) for run in target.runs
        }
        assert set(rows["pool_file"]) - {""} == {
            f"data/pools/{cell.pool}/{cell.dataset}.h5" for cell in target.cells if not cell.not_run
        }
    assert not cells.isna().any(axis=None)


def test_a_line_says_which_run_is_made_for_which_target(cells):
    run = "results/runs/published/Ecoli/m20/EC-CMS/default.h5"
    lines = cells[(cells["run_file"] == run) & cells["wanted"]].set_index("target")
    assert {"eccms/table4", "eccms/table8"} <= set(lines.index)
    line = lines.loc["eccms/table4"]
    assert (line["method"], line["parameters"], line["tune"]) == ("EC-CMS", "default", "")
    assert line["source"] == "published/Ecoli/m20/EC-CMS/default"


def test_what_is_measured_has_files_of_its_own(cells):
    places = {"eccms/table9": "timing", "audit/scaling": "scaling"}
    places |= {"audit/n_clusters": "selection", "audit/null": "null"}
    for target, place in places.items():
        files = cells.loc[cells["target"] == target, "measured_file"]
        assert files.str.fullmatch(rf"results/{place}/\S+\.csv").all(), target
    assert (cells.loc[cells["made_from"] == "scores", "measured_file"] == "").all()


def test_figures_of_base_clusterings_have_their_scores_too(cells):
    shown = cells[cells["target"] == "lta/figure2"]
    assert "published/BinAlpha/base" in set(shown["source"])


def test_only_methods_that_see_features_need_them(cells):
    acmk, eccms = (cells[cells["target"] == name] for name in ("acmk/figure1", "eccms/figure4"))
    assert set(acmk["features_file"]) == {f"data/datasets/{name}.h5" for name in acmk["dataset"]}
    assert set(eccms["features_file"]) == {""}
