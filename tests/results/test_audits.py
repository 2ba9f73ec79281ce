"""Audits: paired differences, corrections, ranks and exponents on numbers known beforehand."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import friedmanchisquare, wilcoxon

from coassoc.figures.audits import plot_audit
from coassoc.results.audits import audit, write_audit
from coassoc.results.audits.bayesian import signed_ranks
from coassoc.results.audits.evidence import holm, signed_rank_p
from coassoc.results.audits.growth import fit_growth, growth_remark, growth_table
from coassoc.results.audits.n_clusters import (
    count_finds,
    finds_remark,
    finds_table,
    recommended,
)
from coassoc.results.audits.order import compare_orders, order_remark, order_table, readers
from coassoc.results.audits.power import power, smallest_p
from coassoc.results.audits.significance import (
    compare_methods,
    significance_remark,
    significance_table,
)
from coassoc.results.audits.variants import (
    compare_variants,
    order_kept,
    variants_remark,
    variants_table,
)


def cell(label, dataset, source, variant="", pool="p"):
    plain = {"row": label, "label": label, "dataset": dataset, "pool": pool, "m": 20, "x": None}
    plain |= {"reference": None, "tune": None, "point": None, "variant": variant}
    return {**plain, "sources": [source]}


def scores(values):
    return pd.DataFrame(
        {"parameters": "{}", "repeat": range(len(values)), "status": "ok", "ARI": values}
    )


@pytest.fixture
def random():
    return np.random.default_rng(3)


def test_holm_is_what_it_is_in_the_textbook():
    p = pd.Series([0.01, np.nan, 0.04, 0.03, 0.005])
    corrected = holm(p)
    assert corrected.tolist()[:1] == pytest.approx([0.03])
    assert corrected.dropna().tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert np.isnan(corrected[1])


def test_variants_on_the_same_draws_are_compared_repeat_by_repeat(random):
    stored = random.normal(0.5, 0.1, 12)
    frames = {"a": scores(stored), "b": scores(stored - 0.05 - 0.001 * np.arange(12))}
    frames["other"] = scores(stored[::-1])
    cells = [
        cell("M", "A", "a", "stored"),
        cell("M", "A", "b", "shuffled", "p-shuffled"),
        cell("M", "A", "other", "pool q", "q"),
    ]
    found = compare_variants(cells, frames, "ARI").set_index("variant")
    change = frames["b"]["ARI"] - frames["a"]["ARI"]
    line = found.loc["shuffled"]
    assert line["difference"] == pytest.approx(change.mean())
    assert line["difference_std"] == pytest.approx(change.std())
    assert line["p"] == pytest.approx(2 * wilcoxon(change).pvalue)  # the smaller of two tests
    # Another pool has other draws: the spreads add up, although the values are the same.
    unpaired = found.loc["pool q"]
    assert unpaired["difference"] == pytest.approx(0)
    assert unpaired["difference_std"] == pytest.approx(np.sqrt(2) * stored.std(ddof=1))
    assert np.isnan(found.loc["stored", "difference"])
    text = variants_table(found.reset_index()).loc["A, M", "shuffled"]
    assert text.endswith(f"({change.mean():+.3f}*)")


def test_the_table_names_fewer_repeats():
    frames = {"a": scores([0.5, 0.6, 0.7]), "b": scores([0.1, 0.2])}
    cells = [cell("M", "A", "a", "one"), cell("L", "A", "b", "one")]
    table = variants_table(compare_variants(cells, frames, "ARI"))
    assert table.loc["A, M", "one"] == "0.600±0.100"
    assert table.loc["A, L", "one"] == "0.150±0.071, r = 2"


def test_few_repeats_are_no_evidence():
    frames = {"a": scores([0.5, 0.6, 0.7]), "b": scores([0.1, 0.2, 0.3])}
    found = compare_variants(
        [cell("M", "A", "a", "one"), cell("M", "A", "b", "two")], frames, "ARI"
    )
    assert found["p"].isna().all()
    assert "*" not in variants_table(found).to_string()
    assert "No test" in variants_remark(found, "ARI")


def test_the_order_of_methods_on_other_base_clusterings():
    means = {  # of methods K, L, M on data sets A and B, in the variants one, two and three
        "A": {"one": (0.1, 0.2, 0.3), "two": (0.4, 0.5, 0.6), "three": (0.3, 0.2, 0.1)},
        "B": {"one": (0.1, 0.2, 0.3), "two": (0.1, 0.3, 0.2), "three": (0.5, 0.5, 0.5)},
    }
    frames, cells = {}, []
    for dataset, variants in means.items():
        for variant, numbers in variants.items():
            for method, number in zip("KLM", numbers, strict=True):
                source = f"{dataset}{variant}{method}"
                frames[source] = scores([number])
                cells.append(cell(method, dataset, source, variant, pool=variant))
    kept = order_kept(compare_variants(cells, frames, "ARI"))
    # Of B's pool three, on which all methods are equal, nothing can be said.
    assert kept.to_dict() == pytest.approx({"two": (1 + 0.5) / 2, "three": -1})
    remark = variants_remark(compare_variants(cells, frames, "ARI"), "ARI")
    assert remark.endswith("first variant, mean over data sets: two 0.75, three -1.00.")


@pytest.fixture
def orders(random):
    """A reader of the order, a method that is as good in any order, and the plain one."""
    frames, cells = {}, []
    for dataset in ("set 0", "set 1"):
        noise = random.normal(0, 0.02, 8)
        for percent in (0, 50, 100):
            gains = {"reader": 0.3 - 0.0025 * percent, "steady": 0.1, "plain": 0.0}
            for name, gain in gains.items():
                source = f"{name} {dataset} {percent}"
                frames[source] = scores(0.5 + gain + noise)
                cells.append(cell(name, dataset, source) | {"x": percent})
    return cells, frames


def test_the_gain_of_a_reader_goes_with_the_order(orders):
    found = compare_orders(*orders, "ARI", "plain")
    lines = found.set_index(["label", "dataset", "shuffled"])
    assert lines.loc[("reader", "set 1", 50), "gain"] == pytest.approx(0.175)
    assert lines.loc[("reader", "set 1", 50), "difference"] == pytest.approx(-0.125)
    assert lines.loc[("steady", "set 0", 100), "difference"] == pytest.approx(0)
    # Eight repeats that all fall, the smallest of which Holm multiplies by twelve comparisons.
    smallest = 2 / 2**8
    assert lines.loc[("reader", "set 0", 100), "p"] == pytest.approx(12 * smallest)
    assert readers(found) == []
    sixteen = {
        key: pd.concat([frame, frame.assign(repeat=frame["repeat"] + 8)])
        for key, frame in orders[1].items()
    }
    assert readers(compare_orders(orders[0], sixteen, "ARI", "plain")) == ["reader"]


def test_a_gain_over_few_draws_is_that_over_the_plain_method_on_these(orders):
    cells, frames = orders
    few = {key: frame[:1] if "steady" in key else frame for key, frame in frames.items()}
    found = compare_orders(cells, few, "ARI", "plain").set_index(["label", "dataset", "shuffled"])
    assert found.loc[("steady", "set 0", 0), "repeats"] == 1
    assert found.sort_index().loc["steady", "gain"].to_list() == pytest.approx([0.1] * 6)
    # Where the plain method is missing there is no gain.
    alone = [each for each in cells if (each["label"], each["dataset"]) != ("plain", "set 0")]
    found = compare_orders(alone, frames, "ARI", "plain").set_index("dataset")
    assert found.loc["set 0", "gain"].isna().all() and found.loc["set 1", "gain"].notna().all()


def test_what_is_left_of_a_gain_is_said_in_words(orders):
    cells, frames = orders
    frames = {
        key: pd.concat([frame, frame.assign(repeat=frame["repeat"] + 8)])
        for key, frame in frames.items()
    }
    table = order_table(compare_orders(cells, frames, "ARI", "plain"))
    assert table.loc["reader", "100 % shuffled"] == "+0.050"
    words = table["what is left"]
    assert words["reader"] == "It reads the order of the file: 17% of its gain of 0.300 is left."
    assert words["steady"] == "It does not read the order: 100% of its gain of 0.100 is left."
    assert words["plain"] == "It has no gain to lose."


def test_a_data_set_without_all_percentages_is_no_part_of_the_means(orders):
    cells, frames = orders
    frames["reader set 1 50"]["status"] = "skipped: too slow"
    frames["steady set 0 100"]["status"] = frames["steady set 1 0"]["status"] = "skipped"
    found = compare_orders(cells, frames, "ARI", "plain")
    table = order_table(found)
    assert table["data sets"].to_dict() == {"reader": "1", "steady": "0", "plain": "2"}
    assert table.loc["steady", "what is left"] == "No data set has scores at every percentage."
    assert "plain itself has" in order_remark(found, "ARI", "plain")


def test_signed_ranks_are_exact_with_equal_changes(random):
    distinct = pd.Series(random.normal(0.3, 1, 14))
    assert signed_rank_p(distinct) == pytest.approx(wilcoxon(distinct, method="exact").pvalue)
    assert signed_rank_p(pd.Series([-0.1] * 20)) == pytest.approx(2 / 2**20)
    assert signed_rank_p(pd.Series([0.0, 0.0])) == 1
    tied = pd.Series([1.0, 1.0, -1.0, 2.0, 0.0, 2.0])
    signs = np.array(list(itertools.product((0, 1), repeat=5)))
    sums = signs @ [2, 2, 2, 4.5, 4.5]  # mean ranks of 1, 1, 1, 2, 2
    assert signed_rank_p(tied) == pytest.approx(2 * (sums >= 13).mean())


def test_the_repeats_of_an_audit_of_order_are_one_number_or_two(orders):
    cells, frames = orders
    remark = order_remark(compare_orders(cells, frames, "ARI", "plain"), "ARI", "plain")
    assert remark.endswith(", 8 repeats.")
    frames["reader set 1 50"]["status"] = ["skipped: too slow", *["ok"] * 7]
    remark = order_remark(compare_orders(cells, frames, "ARI", "plain"), "ARI", "plain")
    assert remark.endswith(", 7 to 8 repeats.")


@pytest.fixture
def contest(random):
    """On nine data sets A is best, B and C are alike, D fails on one of them."""
    frames, cells = {}, []
    for d in range(9):
        level = random.uniform(0.3, 0.6)
        for name, gain in (("A", 0.2), ("B", 0.0), ("C", 0.0), ("D", -0.1)):
            noise = random.normal(0, 0.02, 10)
            frames[f"{name}{d}"] = scores(level + gain + noise)
            cells.append(cell(name, f"set {d}", f"{name}{d}"))
    frames["D8"]["status"] = "skipped: too large"
    return cells, frames


def test_methods_against_each_other(contest):
    found = compare_methods(*contest, "ARI", "A", 0.01)
    assert found.blocks == 8  # the data set that D lacks is no block
    assert found.ranks["A"] == 1 and found.ranks["D"] == 4
    assert found.ranks.sum() == pytest.approx(10)
    assert found.nemenyi.loc["A", "D"] < 0.001
    _, frames = contest
    means = np.array([[frames[f"{m}{d}"]["ARI"].mean() for d in range(8)] for m in "ABCD"])
    assert found.friedman == pytest.approx(friedmanchisquare(*means).pvalue)
    lines = found.methods
    assert lines.loc["D", ["wins", "ties", "losses"]].tolist() == [0, 0, 8]
    assert lines.loc["B", "difference"] == pytest.approx(means[1].mean() - means[0].mean())
    smallest = 2 / 2**8  # of all signs alike on eight data sets
    assert lines.loc["D", "p_wilcoxon"] == pytest.approx(3 * smallest)
    table = significance_table(found)
    assert table.index[0] == "A" and table.loc["A", "p (Nemenyi)"] == ""
    assert table.loc["D", "better / alike / worse"] == "0 / 0 / 8"
    assert "8 data sets" in significance_remark(found)


def test_two_data_sets_are_enough_for_a_diagram_and_one_is_not(contest):
    cells, frames = contest
    few = [c for c in cells if c["dataset"] in ("set 0", "set 1")]
    assert np.isfinite(compare_methods(few, frames, "ARI", "A", 0.01).friedman)
    one = [c for c in cells if c["dataset"] == "set 0"]
    found = compare_methods(one, frames, "ARI", "A", 0.01)
    assert np.isnan(found.friedman) and (found.nemenyi == 1).all(axis=None)
    assert significance_table(found).loc["B", "p (Wilcoxon, Holm)"] == ""


def growing(seconds, peak_mb, sizes=(100, 200, 400, 800)):
    """Measurements of three repeats at each n that grow as 10^-6 n^seconds, 10^-4 n^peak_mb."""
    n = np.repeat(sizes, 3)
    frame = pd.DataFrame({"n": n, "n_micro": n, "status": "ok", "parameters": json.dumps({})})
    frame = frame.assign(seconds=1e-6 * n**seconds, peak_mb=1e-4 * n**peak_mb)
    return frame.assign(repeat=0, cpu="a processor", cores=2, threads=1, commit="abc")


def test_exponents_are_recovered():
    frame = growing(1.7, 2.0)
    found = fit_growth([cell("M", "A", "m")], {"m": frame})
    assert found["seconds_exponent"].unique() == pytest.approx([1.7])
    assert found["peak_mb_exponent"].unique() == pytest.approx([2.0])
    table = growth_table(found)
    assert table.loc["M", "exponent of time"] == "1.70±0.00"
    assert table.loc["M", "MB, n = 800"] == "64"
    assert "a processor, 2 cores, 1 of them used" in growth_remark(found)
    # Below a megabyte there is nothing to fit.
    small = frame.assign(peak_mb=1e-3 * frame["n"] ** 0.5)
    found = fit_growth([cell("M", "A", "m")], {"m": small})
    assert found["peak_mb_exponent"].isna().all()


def test_growth_is_drawn_fast_methods_first_and_stopped_ones_last():
    frames = {
        "slow": growing(2.5, 2.0),
        "stopped": growing(1.0, 2.0, sizes=(100, 200)),
        "fast": growing(0.0, 2.0),
    }
    cells = [cell(name, "A", name) for name in frames]
    figure = plot_audit(audit("scaling", cells, frames, {}))
    seconds, memory = figure.axes
    assert [text.get_text() for text in seconds.get_yticklabels()] == ["fast", "slow", "stopped"]
    assert [text.get_text() for text in seconds.texts] == ["0.0", "2.5", "–", "b"]
    dots = {line.get_label(): line.get_ydata().tolist() for line in seconds.lines}
    assert sorted(dots["n = 200"]) == [0, 1, 2] and sorted(dots["n = 400"]) == [0, 1]
    # A megabyte or less is the allocator's noise.
    assert min(x for line in memory.lines for x in line.get_xdata()) > 1


def look(classes, **best):
    """Criteria at c = 2 … 6 for two repeats, each best at the c that is given for it."""
    numbers = np.tile(np.arange(2, 7), 2)
    frame = pd.DataFrame({"n_clusters": numbers, "repeat": np.repeat([0, 1], 5)})
    frame = frame.assign(parameters="{}", status="ok", classes=float(classes))
    for name in ("stability", "ANMI", "silhouette", "eigengap"):
        frame[name] = (numbers == best[name]).astype(float)
    frame["PAC"] = (numbers != best["PAC"]).astype(float)
    return frame.assign(**{"delta area": np.where(numbers <= best["delta"], 0.2, 0.01)})


@pytest.fixture
def looks():
    """On A, four of the six criteria find 3; on B, one finds 4. C has no classes."""
    frames = {
        "a": look(3, PAC=3, delta=3, stability=3, ANMI=6, silhouette=3, eigengap=2),
        "b": look(4, PAC=2, delta=2, stability=4, ANMI=6, silhouette=6, eigengap=3),
        "c": look(np.nan, PAC=2, delta=2, stability=2, ANMI=2, silhouette=2, eigengap=2),
    }
    return [cell("M", name.upper(), name) for name in frames], frames


def test_finds_are_counted_by_data_set(looks):
    found = count_finds(*looks)
    assert set(found["dataset"]) == {"A", "B"} and len(found) == 2 * 2 * 7
    table = finds_table(found)
    assert table.loc["M, stability", "finds c"] == "100%"
    assert table.loc["M, PAC", ["finds c", "c ± 1", "mean miss"]].tolist() == ["50%", "50%", "1.0"]
    assert table.loc["M, ANMI", "mean of chosen − c"] == "+2.5"
    assert table.loc["M, ANMI", "off by a factor"] == f"{np.sqrt(2 * 1.5):.2f}"
    assert table.loc["M, eigengap", ["A (3)", "B (4)"]].tolist() == ["2", "3"]
    # Of the six, two choose 2 and two choose 6 on B; the smaller is the vote.
    assert table.loc["M, majority", ["A (3)", "B (4)"]].tolist() == ["3", "2"]
    assert recommended(found) == ("M", "stability")
    remark = finds_remark(found)
    assert "2 data sets, 2 repeats" in remark and "would be right in 20%" in remark
    assert "All criteria agree in 0 of 4 cases. 4 or more agree in 2 of 4 cases" in remark
    assert "right in 100% of these" in remark
    assert remark.endswith("Recommended: stability with M, which finds c in 100%.")


def test_what_is_right_too_seldom_is_not_recommended(looks):
    cells, frames = looks
    for frame in frames.values():
        frame["classes"] += 10
    found = count_finds(cells, frames)
    assert recommended(found) is None
    remark = finds_remark(found)
    assert "None can be recommended: none finds c on 50% of the data sets." in remark
    assert "Out of the range: A, B." in remark


def test_repeats_that_failed_are_no_finds(looks):
    cells, frames = looks
    frames["a"].loc[frames["a"]["repeat"] == 1, "status"] = "skipped: too large"
    found = count_finds(cells, frames)
    assert found.groupby("dataset")["repeat"].nunique().to_dict() == {"A": 1, "B": 2}


def test_an_audit_is_written_as_text_and_page(tmp_path, contest):
    paths = {end: tmp_path / f"a.{end}" for end in ("csv", "md", "html")}
    spec = {
        "title": "Who <wins>?",
        "caption": "Look.",
        "metrics": {"score": "ARI"},
        "relative_to": "A",
        "rope": 0.01,
    }
    result = audit("significance", *contest, spec)
    assert (result.metric, result.found.blocks) == ("score", 8)
    write_audit(paths, result, spec)
    assert pd.read_csv(paths["csv"], index_col="method").loc["A", "rank"] == 1
    assert paths["md"].read_text().startswith("# Who \\<wins>?\n\nLook.")
    assert "Who &lt;wins&gt;?" in paths["html"].read_text()


def test_the_curves_of_an_order_audit_are_drawn(orders):
    spec = {"metrics": {"ARI": "ARI"}, "relative_to": "plain"}
    figure = plot_audit(audit("order", *orders, spec))
    panels = [axis for axis in figure.axes if axis.get_visible()]
    assert [axis.get_title() for axis in panels] == ["set 0", "set 1"]
    curves = {line.get_label(): line for line in panels[0].lines}
    assert curves["plain"].get_color() == "#000000"
    assert curves["plain"].get_xdata().tolist() == [0, 50, 100]


def test_signed_ranks_believe_what_the_differences_say(random):
    assert signed_ranks(np.full(20, 0.05), 0.01).better > 0.99
    assert signed_ranks(np.full(20, -0.05), 0.01).worse > 0.99
    assert signed_ranks(random.normal(0, 0.002, 20), 0.01).alike > 0.99
    found = signed_ranks(random.normal(0, 0.1, 12), 0.01)
    assert sum(found) == pytest.approx(1) and found.better < 0.9 and found.worse < 0.9


def test_one_difference_has_the_probability_that_the_posterior_gives():
    # Of one data set with weight w beside the prior, the pairs above r have w (2 − w), and these
    # are most where w > 1 − √½. The weight has the density of Beta(1, ½).
    above = np.sqrt(np.sqrt(0.5))
    assert signed_ranks([1.0], 0.01).better == pytest.approx(above, abs=0.015)


def test_eight_data_sets_and_twelve_comparisons_cannot_reject():
    assert smallest_p(8, 12) == pytest.approx(12 * 2 / 2**8)
    assert power(8, 12, 5.0) == 0
    assert power(27, 12, 0.0) < 0.05 < 0.5 < power(27, 12, 1.0) < power(27, 12, 2.0)


def test_the_page_says_what_can_be_found(contest):
    few = significance_remark(compare_methods(*contest, "ARI", "A", 0.01))
    assert "8 data sets and 3 comparisons Wilcoxon's p after Holm's correction is 0.023" in few
    found = compare_methods(*contest, "ARI", "A", 0.01)
    many = found._replace(methods=pd.concat([found.methods] * 4))
    assert "cannot find anything at 0.05" in significance_remark(many)
    assert found.methods.loc["D", "worse"] > 0.99 and np.isnan(found.methods.loc["A", "worse"])
    assert "within 0.01" in significance_table(found).to_string()
