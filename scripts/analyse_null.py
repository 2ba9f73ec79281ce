"""How often tests of structure reject: on clouds without groups, on groups, on data sets."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coassoc.bench.statistics import LEVEL
from coassoc.pages.style import COLOURS, name_rows, styled
from reproduction.analyses import Evidence, read_evidence, write_analysis
from reproduction.figures.layout import shared_legend
from reproduction.running.scripting import job

#: Clouds without groups first.
_SHAPES = ("Gaussian", "elongated", "uniform", "groups")


def compare(evidence: Evidence) -> pd.DataFrame:
    """Both tests of each cloud and each data set.

    Returns
    -------
    DataFrame
        A line for each: shape ("data set" for these), name, n, d, distance, repeat, and what
        :func:`reproduction.running.nulls.nulls_of_dataset` finds.
    """
    cell = evidence.cells[0]
    frames = [evidence.scores[f"results/null/{cell.pool}/clouds"]]
    for cell in evidence.cells:
        lines = evidence.scores[f"results/null/{cell.pool}/m{cell.m}/{cell.dataset}"]
        frames.append(lines.assign(shape="data set", name=cell.dataset, distance=0, repeat=0))
    result = pd.concat(frames, ignore_index=True)
    names = [_name(line) for line in result.itertuples()]
    columns = ["shape", "name", "n", "d", "distance", "repeat", "observed", "mean", "z"]
    return result.assign(name=names)[[*columns, "p_features", "p_labels"]]


def _name(line: Any) -> str:
    """What is tested: a data set, or clouds of one kind."""
    if line.shape == "data set":
        return str(line.name)
    apart = f", {line.distance:g} apart" if line.distance else ""
    return f"{line.shape}, n = {line.n:,}, d = {line.d}{apart}"


def rates(result: pd.DataFrame) -> pd.DataFrame:
    """A line for each data set and kind of cloud: how often each test rejects, and the mean z."""
    keys = ["shape", "name", "d", "n", "distance"]
    rejected = {test: result[f"p_{test}"] <= LEVEL for test in ("features", "labels")}
    groups = result.assign(**rejected).groupby(keys, sort=False)
    means = groups[[*rejected, "observed", "mean", "z"]].mean()
    lines = means.assign(repeats=groups.size()).reset_index()
    clouds = lines[lines["shape"] != "data set"].sort_values(["d", "n", "distance"])
    order = clouds.set_index("shape").loc[[x for x in _SHAPES if x in set(clouds["shape"])]]
    return pd.concat((order.reset_index(), lines[lines["shape"] == "data set"]), ignore_index=True)


def table(result: pd.DataFrame) -> pd.DataFrame:
    """Kinds of clouds and data sets down, and how often each test rejects."""
    lines = rates(result)
    sets = lines["shape"] == "data set"

    def share(name: str) -> pd.Series:
        return lines[name].map("{:.0%}".format).mask(sets, lines[name].map({1: "yes", 0: "no"}))

    known = {
        "n": lines["n"].map("{:,}".format),
        "d": lines["d"].map(str),
        "clouds": lines["repeats"].map(str).mask(sets, ""),
        "null from features rejected": share("features"),
        "null from labels rejected": share("labels"),
        "mean ARI": lines["observed"].map("{:.2f}".format),
        "of Gaussian clouds": lines["mean"].map("{:.2f}".format),
        "z": lines["z"].map("{:+.1f}".format),
    }
    return pd.DataFrame(known).set_index(pd.Index(lines["name"], name="what is tested"))


def remark(result: pd.DataFrame, evidence: Evidence) -> str:
    """How the tests were made, and the false alarms in all."""
    flat = result[result["shape"] == "Gaussian"]
    sets = result[result["shape"] == "data set"]
    false, of = int((flat["p_features"] <= LEVEL).sum()), len(flat)
    labels = (flat["p_labels"] <= LEVEL).mean()
    rejected = int((sets["p_features"] <= LEVEL).sum())
    return (
        f"The statistic is the mean ARI of {evidence.cells[0].m} base clusterings (fewer on the "
        "largest clouds), z its distance from the mean over the null's Gaussian clouds in their "
        f"standard deviations; p ≤ {LEVEL:g} where it is larger than on all of them. On Gaussian "
        f"clouds the null from features is rejected in {false} of {of} cases, that from labels in "
        f"{labels:.0%}; on data sets the null from features in {rejected} of {len(sets)}."
    )


# -- figure --------------------------------------------------------------------------------------


@styled
def plot(tests: pd.DataFrame, metric: str) -> Figure:
    """How often both nulls are rejected on clouds and on groups, and z of each data set."""
    shares = rates(tests)
    clouds, sets = (shares[(shares["shape"] == "data set") == wanted] for wanted in (False, True))
    figure = Figure(figsize=(7.2, 1.2 + 0.17 * max(len(clouds), len(sets))))
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    for name, (colour, filled) in {"features": ("blue", True), "labels": ("orange", False)}.items():
        face, size = (COLOURS[colour], 4) if filled else ("none", 7)
        look = {"linestyle": "", "marker": "o", "markersize": size, "markerfacecolor": face}
        y = np.arange(len(clouds))
        left.plot(clouds[name], y, color=COLOURS[colour], label=f"null from {name}", **look)
    left.axvline(LEVEL, color="#333333", linewidth=0.8)
    left.set(xlabel="share of clouds on which it is rejected", xlim=(-0.03, 1.03))
    name_rows(left, clouds["name"])
    right.plot(sets["z"], np.arange(len(sets)), "o", color=COLOURS["blue"])
    right.axvline(0, color="#333333", linewidth=0.8)
    right.set_xlabel("z of data sets (red: rejected)")
    rejected = (sets["features"] > 0).to_numpy()
    right.plot(sets["z"][rejected], np.flatnonzero(rejected), "o", color=COLOURS["red"])
    name_rows(right, sets["name"])
    shared_legend(figure)
    return figure


if __name__ == "__main__":
    with job(snakemake.log[0]):
        evidence = read_evidence(snakemake.input)
        result = compare(evidence)
        shown = table(result), remark(result, evidence), plot(result, evidence.metric)
        write_analysis(snakemake.output, evidence.spec, result, *shown)
