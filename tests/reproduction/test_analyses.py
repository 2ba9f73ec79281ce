"""Analyses: paired differences, corrections, ranks and exponents on numbers known beforehand."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import wilcoxon

import analyse_comparison
import analyse_n_clusters
import analyse_order
import analyse_scaling
from reproduction.analyses import make_analysis
from reproduction.scores.evidence import Evidence
from scored_cells import analysis_job, cell, run_scores

SPEC = {"metrics": {"ARI": "ARI"}, "relative_to": "plain"}


def evidence(frames, changes=(), published=(), **spec):
    """Score lines by label, data set and, where there are some, variant or percentage shuffled.

    The cells of a variant may have `changes`.
    """
    cells = []
    for place in frames:
        label, dataset, variant = (*place, "")[:3]
        about = {"variant": variant, "x": variant, "columns": {}, **dict(changes).get(variant, {})}
        cells.append(cell(label, [str(place)], dataset, **about))
    scores = {str(place): frame for place, frame in frames.items()}
    return Evidence(cells, scores, SPEC | spec | {"published": published})


def analysed(script, asked):
    """The lines, the table and the remark of an analysis, by its script."""
    lines = script.analyse(asked)
    return lines, script.table(lines), script.remark(lines, asked)


@pytest.fixture
def random():
    return np.random.default_rng(3)


def test_variants_on_the_same_draws_are_compared_repeat_by_repeat(random):
    stored, change = random.normal(0.5, 0.1, 12), -0.05 - 0.0012 * np.arange(12)
    values = {"stored": stored, "shuffled": stored + change, "pool q": stored[::-1]}
    pools = {"shuffled": {"pool": "p-shuffled"}, "pool q": {"pool": "q"}}
    frames = {("M", "A", variant): run_scores(*aris) for variant, aris in values.items()}
    result, table, _ = analysed(analyse_comparison, evidence(frames, pools))
    lines = result.set_index("variant")[["difference", "difference_std", "p"]]
    p = 2 * wilcoxon(change).pvalue  # the smaller of two tests
    assert lines.loc["shuffled"].tolist() == pytest.approx([change.mean(), change.std(ddof=1), p])
    # Another pool has other draws: the spreads add up, although the values are the same.
    spread = np.sqrt(2) * stored.std(ddof=1)
    assert lines.loc["pool q"].tolist()[:2] == pytest.approx([0, spread])
    assert np.isnan(lines.loc["stored", "difference"])
    assert table.loc["A, M", "shuffled"].endswith(f"({change.mean():+.3f}*)")


@pytest.fixture
def orders(random):
    """A reader of the order, a method that is as good in any order, and the plain one."""
    frames = {}
    for dataset in ("set 0", "set 1"):
        noise = random.normal(0.5, 0.02, 8)
        for percent in (0, 50, 100):
            gains = {"reader": 0.3 - 0.0025 * percent, "steady": 0.1, "plain": 0.0}
            for name, gain in gains.items():
                frames[name, dataset, percent] = run_scores(*(noise + gain))
    return frames


def twice(frames):
    """Every repeat again, so that tests find more."""
    again = {place: frame.assign(repeat=frame["repeat"] + 8) for place, frame in frames.items()}
    return {place: pd.concat([frame, again[place]]) for place, frame in frames.items()}


def test_the_gain_of_a_reader_goes_with_the_order(orders):
    gains = analyse_order.analyse(evidence(orders))
    lines = gains.set_index(["label", "dataset", "shuffled"])[["gain", "difference", "p"]]
    assert lines.loc["reader", "set 1", 50].tolist()[:2] == pytest.approx([0.175, -0.125])
    assert lines.loc[("steady", "set 0", 100), "difference"] == pytest.approx(0)
    # Eight repeats that all fall, the smallest of which Holm multiplies by twelve comparisons.
    assert lines.loc[("reader", "set 0", 100), "p"] == pytest.approx(12 * 2 / 2**8)
    assert analyse_order.readers(gains) == []
    assert analyse_order.readers(analyse_order.analyse(evidence(twice(orders)))) == ["reader"]


def test_a_gain_over_few_draws_is_that_over_the_plain_method_on_these(orders):
    few = {place: frame[:1] if "steady" in place else frame for place, frame in orders.items()}
    lines = analyse_order.analyse(evidence(few))
    lines = lines.set_index(["label", "dataset", "shuffled"]).sort_index()
    assert lines.loc[("steady", "set 0", 0), "repeats"] == 1
    assert lines.loc["steady", "gain"].to_list() == pytest.approx([0.1] * 6)
    # Where the plain method is missing there is no gain.
    rest = {key: frame for key, frame in orders.items() if key[:2] != ("plain", "set 0")}
    gains = analyse_order.analyse(evidence(rest)).set_index("dataset")["gain"]
    assert gains["set 0"].isna().all() and gains["set 1"].notna().all()


def test_what_a_test_could_not_find_is_not_told_as_absent(orders):
    """Three repeats have no p; the p of eight is not small enough for so many comparisons."""
    few = {place: frame[:3] for place, frame in orders.items()}
    for frames in (few, orders):
        lines, table, _ = analysed(analyse_order, evidence(frames))
        assert not lines["tested"].any() and analyse_order.readers(lines) == []
        assert table.loc["reader", ["tested", "dependence on order"]].tolist() == [
            "0 of 2",
            "not tested",
        ]
    many = twice(orders)
    for percent in (0, 50, 100):
        many["steady", "set 1", percent] = many["steady", "set 1", percent][:3]
    _, table, _ = analysed(analyse_order, evidence(many))
    assert table["tested"].to_dict() == {"reader": "2 of 2", "steady": "1 of 2", "plain": "2 of 2"}
    found = {"reader": "found", "steady": "not found", "plain": "not found"}
    assert table["dependence on order"].to_dict() == found


def test_a_data_set_without_all_percentages_is_no_part_of_the_means(orders):
    for place in (("reader", "set 1", 50), ("steady", "set 0", 100), ("steady", "set 1", 0)):
        orders[place]["status"] = "skipped: too slow"
    _, table, remark = analysed(analyse_order, evidence(orders))
    assert remark.endswith("0 to 8 repeats).")
    assert table["data sets"].to_dict() == {"reader": "1", "steady": "0", "plain": "2"}
    assert table.loc["steady", "0 % shuffled"] == ""


def growing(seconds, peak_mb, sizes=(100, 200, 400, 800)):
    """Measurements of three repeats at each n that grow as 10^-6 n^seconds, 10^-4 n^peak_mb."""
    n = np.repeat(sizes, 3)
    frame = pd.DataFrame({"n": n, "n_micro": n, "status": "ok", "parameters": "{}"})
    frame = frame.assign(seconds=1e-6 * n**seconds, peak_mb=1e-4 * n**peak_mb)
    return frame.assign(repeat=0, cpu="a processor", cores=2, threads=1, commit="abc")


def measured(**frames):
    return evidence({(name, "A"): frame for name, frame in frames.items()})


@pytest.fixture
def stopped():
    return measured(slow=growing(2.5, 2.0), stopped=growing(1.0, 2.0, sizes=(100, 200)))


def test_exponents_are_recovered(stopped):
    growth, table, remark = analysed(analyse_scaling, measured(M=growing(1.7, 2.0)))
    assert growth["seconds_exponent"].unique() == pytest.approx([1.7])
    assert growth["peak_mb_exponent"].unique() == pytest.approx([2.0])
    shown = table.loc["M", ["exponent of time", "MB, n = 800"]].tolist()
    assert shown == ["1.70±0.00", "64"] and "a processor, using 1 of 2 cores" in remark
    # Below a megabyte there is nothing to fit.
    small = analyse_scaling.analyse(measured(M=growing(1.7, 0.5)))
    assert small["peak_mb_exponent"].isna().all()
    _, table, _ = analysed(analyse_scaling, stopped)
    assert table.loc["stopped", "seconds, n = 800"] == ""


def criteria(classes, **best):
    """Criteria at c = 2 … 6 for two repeats, each best at the c that is given for it."""
    numbers = np.tile(np.arange(2, 7), 2)
    frame = pd.DataFrame({"n_clusters": numbers, "repeat": np.repeat([0, 1], 5)})
    frame = frame.assign(parameters="{}", status="ok", classes=float(classes))
    most = ("stability", "ANMI", "silhouette", "eigengap")
    frame = frame.assign(**{name: 1.0 * (numbers == best[name]) for name in most})
    frame["delta area"] = np.where(numbers <= best["delta"], 0.2, 0.01)
    return frame.assign(PAC=1.0 * (numbers != best["PAC"]))


@pytest.fixture
def looks():
    """On A, four of the six criteria find 3; on B, one finds 4. C has no classes."""
    frames = {
        "A": criteria(3, PAC=3, delta=3, stability=3, ANMI=6, silhouette=3, eigengap=2),
        "B": criteria(4, PAC=2, delta=2, stability=4, ANMI=6, silhouette=6, eigengap=3),
        "C": criteria(np.nan, PAC=2, delta=2, stability=2, ANMI=2, silhouette=2, eigengap=2),
    }
    return evidence({("M", dataset): frame for dataset, frame in frames.items()})


def test_finds_are_counted_by_data_set(looks):
    choices, table, remark = analysed(analyse_n_clusters, looks)
    assert set(choices["dataset"]) == {"A", "B"} and len(choices) == 2 * 2 * 7
    assert table.loc["M, eigengap", ["A (3)", "B (4)"]].tolist() == ["2", "3"]
    # Of the six, two choose 2 and two choose 6 on B; the smaller is the vote.
    assert table.loc["M, majority", ["A (3)", "B (4)"]].tolist() == ["3", "2"]
    assert "would be right in 20 %" in remark
    assert remark.endswith(
        "All criteria agree in 0 of 4 cases. Four or more criteria agree in 2 of 4 cases, and "
        "choose the number of classes in 100 % of the cases in which they agree. The best "
        "criterion, stability with M, finds the number of classes in 100 % of cases."
    )


def test_what_is_right_too_seldom_is_not_recommended(looks):
    for frame in looks.scores.values():
        frame["classes"] += 10
    _, _, remark = analysed(analyse_n_clusters, looks)
    assert "finds the number of classes in 0 % of cases." in remark
    assert "The number of classes of A, B is outside the range." in remark


def test_repeats_that_failed_are_no_finds(looks):
    on_a = next(iter(looks.scores.values()))
    on_a.loc[on_a["repeat"] == 1, "status"] = "skipped: too large"
    repeats = analyse_n_clusters.analyse(looks).groupby("dataset")["repeat"].nunique()
    assert repeats.to_dict() == {"A": 1, "B": 2}


@pytest.mark.parametrize(
    ("script", "fixture"),
    [(analyse_order, "orders"), (analyse_scaling, "stopped"), (analyse_n_clusters, "looks")],
)
def test_an_analysis_is_written_as_numbers_text_and_page(
    script, fixture, tmp_path, request, monkeypatch
):
    asked = request.getfixturevalue(fixture)
    if isinstance(asked, dict):
        asked = evidence(asked, relative_to="plain")
    asked.spec.update(title="Who <wins>?", caption="Look.")
    paths, job = analysis_job(tmp_path, asked, monkeypatch)
    make_analysis(job, script.analyse, script.table, script.remark)
    assert len(pd.read_csv(paths["csv"])) == len(script.analyse(asked))
    assert paths["md"].read_text().startswith("# Who \\<wins>?\n\nLook.")
    assert "Who &lt;wins&gt;?" in paths["html"].read_text()
