"""Rejection rates of tests of structure, on clouds with and without groups and on data sets."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import binomtest, false_discovery_control

from coassoc.bench.statistics import LEVEL
from coassoc.pages.style import COLOURS, name_rows, styled
from reproduction.analyses import make_analysis
from reproduction.figures.layout import shared_legend
from reproduction.scores.evidence import Evidence
from reproduction.study.paths import CLOUDS, place_of_pool

#: Clouds without groups first.
_SHAPES = ("Gaussian", "elongated", "uniform", "groups")
_COLUMNS = ["shape", "name", "n", "d", "distance", "repeat", "observed", "mean", "z"]
_COLUMNS += ["p_features", "p_labels"]


def analyse(evidence: Evidence) -> pd.DataFrame:
    """Results of both tests on each cloud and each data set.

    Returns
    -------
    DataFrame
        A line for each cloud or data set, with shape ("data set" for data sets), name, n, d,
        distance, repeat, and the results of :func:`reproduction.survey.nulls.nulls_of_dataset`.
    """
    frames = [evidence.scores[place_of_pool(evidence.cells[0].pool, 0, CLOUDS)]]
    for cell in evidence.cells:
        lines = evidence.scores[place_of_pool(cell.pool, cell.m, cell.dataset)]
        frames.append(lines.assign(shape="data set", name=cell.dataset, distance=0, repeat=0))
    result = pd.concat(frames, ignore_index=True).reindex(columns=_COLUMNS)
    return result.assign(name=result["name"].fillna(result.apply(_name_of_cloud, axis=1)))


def _name_of_cloud(line: pd.Series) -> str:
    apart = f", {line['distance']:g} apart" if line["distance"] else ""
    return f"{line['shape']}, n = {line['n']:,}, d = {line['d']}{apart}"


def rates(result: pd.DataFrame) -> pd.DataFrame:
    """Rejection rate of each test and mean z, for each data set and kind of cloud.

    The rates are NaN if nothing was tested. The p-values of data sets are corrected over the data
    sets. The feature-based test is inconclusive for data sets below its null (column below).
    """
    keys = ["shape", "name", "d", "n", "distance"]
    sets = result["shape"] == "data set"
    below = sets & (result["p_features"] > 1 - LEVEL / 2)
    result = result.assign(below=below, p_features=result["p_features"].mask(below))
    rejected = {test: _rejected(result[f"p_{test}"], sets) for test in ("features", "labels")}
    groups = result.assign(**rejected).groupby(keys, sort=False)
    means = groups[[*rejected, "observed", "mean", "z", "below"]].mean()
    lines = means.assign(repeats=groups.size(), tested=groups["features"].count()).reset_index()
    clouds = lines[lines["shape"] != "data set"]
    order = clouds["shape"].map(_SHAPES.index)
    clouds = clouds.assign(order=order).sort_values(["order", "d", "n", "distance"], kind="stable")
    parts = clouds.drop(columns="order"), lines[lines["shape"] == "data set"]
    return pd.concat(parts, ignore_index=True)


def _rejected(p: pd.Series, sets: pd.Series) -> pd.Series:
    """1.0 if a test rejects, 0.0 if it does not, NaN if there is no p-value.

    The p-values of data sets are corrected over the data sets (Benjamini & Hochberg).
    """
    p_values = p[sets].dropna()
    if len(p_values):
        p = p.astype(float)
        p[p_values.index] = false_discovery_control(p_values)
    return (p <= LEVEL).astype(float).where(p.notna())


def table(result: pd.DataFrame) -> pd.DataFrame:
    """Table of the rejection rates, with a row for each kind of cloud and each data set."""
    lines = rates(result)
    sets = lines["shape"] == "data set"

    def share(name: str) -> pd.Series:
        texts = lines[name].map("{:.0%}".format).mask(sets, lines[name].map({1: "yes", 0: "no"}))
        texts = texts.where(lines[name].notna(), "not tested")
        return texts.mask((lines["below"] > 0) & (name == "features"), "below the null")

    columns_of = {
        "n": lines["n"].map("{:,}".format),
        "d": lines["d"].map(str),
        "simulated data sets": lines["repeats"].map(str).mask(sets, ""),
        "feature-based null rejected": share("features"),
        "label-based null rejected": share("labels"),
        "mean ARI": lines["observed"].map("{:.2f}".format),
        "mean ARI on Gaussian null data": lines["mean"].map("{:.2f}".format),
        "z": lines["z"].map("{:+.1f}".format),
    }
    return pd.DataFrame(columns_of).set_index(pd.Index(lines["name"], name="data"))


def remark(result: pd.DataFrame, evidence: Evidence) -> str:
    """Description of the tests, and the total number of false rejections."""
    lines = rates(result)
    flat, sets = (lines[lines["shape"] == shape] for shape in ("Gaussian", "data set"))
    rejections, alarms = ((part["features"] * part["tested"]).sum() for part in (sets, flat))
    text = (
        f"The statistic is the mean ARI over all pairs of {evidence.cells[0].m} base clusterings "
        "(fewer base clusterings on the largest simulated data sets). z is the number of standard "
        "deviations between this statistic and its mean over Gaussian null data sets. The level is "
        f"{LEVEL:g}. The p-values of the real data sets are corrected by the Benjamini–Hochberg "
        "procedure. On simulated Gaussian data, the feature-based null hypothesis is rejected in "
        f"{alarms:.0f} of {flat['tested'].sum()} cases, and the label-based null hypothesis in "
        f"{100 * np.average(flat['labels'], weights=flat['repeats']):.0f} % of cases. On the real "
        f"data sets, the feature-based null hypothesis is rejected for {rejections:.0f} of "
        f"{sets['tested'].sum()} tested data sets."
    )
    if (below := sets.loc[sets["below"] > 0, "name"]).empty:
        return text
    return (
        f"{text} The feature-based test is inconclusive for {', '.join(below)}, because the base "
        f"clusterings agree less on the data set than on {100 * (1 - LEVEL / 2):.1f} % of its "
        "Gaussian null data sets. Heavy tails can have this effect."
    )


# -- figure --------------------------------------------------------------------------------------


@styled
def plot(tests: pd.DataFrame, metric: str) -> Figure:
    """Rejection rates of both tests on clouds, with 95 % intervals, and z of data sets."""
    shares = rates(tests)
    clouds, sets = (
        shares[(shares["shape"] == "data set") == of_data_sets] for of_data_sets in (False, True)
    )
    figure = Figure(figsize=(7.2, 1.2 + 0.17 * max(len(clouds), len(sets))))
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    y = np.arange(len(clouds))
    looks = {
        "features": (COLOURS["blue"], COLOURS["blue"], 4),
        "labels": (COLOURS["orange"], "none", 7),
    }
    for name, (colour, face, size) in looks.items():
        look = {"color": colour, "markersize": size, "markerfacecolor": face}
        left.plot(clouds[name], y, "o", label=f"{name.removesuffix('s')}-based null", **look)
        counts = (clouds[name] * clouds["repeats"]).round().astype(int)
        tests = map(binomtest, counts, clouds["repeats"])
        ends = [test.proportion_ci(method="wilson") for test in tests]
        left.hlines(y, *np.reshape(ends, (-1, 2)).T, color=colour, linewidth=0.8)
    left.axvline(LEVEL, color="#333333", linewidth=0.8)
    left.set(xlabel="rejection rate on simulated data", xlim=(-0.03, 1.03))
    name_rows(left, clouds["name"])
    right.plot(sets["z"], np.arange(len(sets)), "o", color=COLOURS["blue"])
    right.axvline(0, color="#333333", linewidth=0.8)
    right.set_xlabel("z of real data sets\n(red: null hypothesis rejected)")
    rejected = (sets["features"] > 0).to_numpy()
    right.plot(sets["z"][rejected], np.flatnonzero(rejected), "o", color=COLOURS["red"])
    name_rows(right, sets["name"])
    shared_legend(figure)
    return figure


if __name__ == "__main__":
    make_analysis(snakemake, analyse, table, remark, plot)
