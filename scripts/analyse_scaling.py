"""Time and memory against the number of samples, with fitted exponents."""

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator
from scipy.stats import linregress

from coassoc.bench.summaries import hardware_note
from coassoc.pages.style import name_rows, styled
from reproduction.analyses import make_analysis
from reproduction.figures.layout import shared_legend
from reproduction.pages import note
from reproduction.scores.evidence import Evidence

#: Megabytes below which a measured peak is noise of the memory allocator.
SMALLEST_PEAK = 1.0
#: Fitted quantities, with the smallest value that is used.
_FITTED = {"seconds": 0.0, "peak_mb": SMALLEST_PEAK}
_METHOD = ["label", "dataset", "pool", "m"]
_MACHINE = ["cpu", "cores", "threads", "commit"]


def analyse(evidence: Evidence) -> pd.DataFrame:
    """Exponents b of time and memory, fitted as a nᵇ by least squares of the logarithms.

    There is one line per method, data set and n, with n, n_micro, seconds and peak_mb (medians over
    the repeats) and their standard deviations seconds_std and peak_mb_std. The following columns
    are equal in all lines of a method: seconds_exponent, seconds_error, peak_mb_exponent,
    peak_mb_error, label, dataset, pool, m, cpu, cores, threads, commit.
    """
    good = evidence.lines.query("status == 'ok'")
    methods = good.groupby(_METHOD, sort=False).ngroup()  # keep the order of the cells
    by_n = good.groupby([methods, *_METHOD, "n"])
    result = by_n[["n_micro", *_FITTED]].median().join(by_n[[*_FITTED]].std().add_suffix("_std"))
    result = result.join(by_n[_MACHINE].first()).droplevel(0).reset_index("n")
    for name, least in _FITTED.items():
        slopes = {
            place: _slope(lines.set_index("n")[name], least)
            for place, lines in result.groupby(_METHOD, sort=False)
        }
        columns = [f"{name}_exponent", f"{name}_error"]
        result = result.join(pd.DataFrame(slopes, index=columns).T.rename_axis(_METHOD))
    return result.reset_index()


def _slope(values: pd.Series, least: float) -> tuple[float, float]:
    """Slope of log(values) against log(n) and its standard error, from at least three sizes."""
    large = values[values > least]
    if len(large) < 3:
        return np.nan, np.nan
    fit = linregress(np.log(large.index.to_numpy(dtype=float)), np.log(large))
    return float(fit.slope), float(fit.stderr)


def table(result: pd.DataFrame) -> pd.DataFrame:
    """Table of the seconds at each n, the memory at the largest n, and both exponents."""
    wide = result.pivot(index="label", columns="n", values=[*_FITTED])
    texts = wide.loc[list(dict.fromkeys(result["label"]))].map("{:.3g}".format).replace("nan", "")
    largest = result.loc[result.groupby("label")["n"].idxmax()].set_index("label")
    columns = {f"seconds, n = {n}": texts["seconds", n] for n in sorted(result["n"].unique())}
    columns["exponent of time"] = largest.apply(_exponent, axis=1, name="seconds")
    columns[f"MB, n = {result['n'].max()}"] = texts["peak_mb", result["n"].max()]
    columns["exponent of memory"] = largest.apply(_exponent, axis=1, name="peak_mb")
    return pd.DataFrame(columns, index=texts.index).rename_axis("method")


def _exponent(line: pd.Series, name: str) -> str:
    exponent, error = line[f"{name}_exponent"], line[f"{name}_error"]
    return f"{exponent:.2f}±{error:.2f}" if np.isfinite(exponent) else ""


def remark(result: pd.DataFrame, evidence: Evidence) -> str:
    """The fitted model, and the machine of the measurements."""
    datasets, m = result["dataset"].unique(), result["m"].iloc[0]
    about = {"smallest": SMALLEST_PEAK, "hardware": hardware_note(result)}
    return note("scaling.md", datasets=datasets, m=m, **about)


# -- figure --------------------------------------------------------------------------------------


@styled
def plot(times: pd.DataFrame, metric: str) -> Figure:
    """Seconds and megabytes, one row per method with a dot for each n, and the exponents.

    A line joins the smallest and the largest value of a method, and dots darken with n.

    Methods measured on the most samples come first. Among them, faster methods come first.
    """
    largest = times.sort_values("n").groupby("label").last()
    largest = largest.sort_values(["n", "seconds"], ascending=[False, True])
    figure = Figure(figsize=(7.2, 1.0 + 0.16 * len(largest)))
    left, right = figure.subplots(1, 2, sharey=True)
    sizes = sorted(times["n"].unique())
    # The shades use all sizes, because few small fits have a measurable peak of memory.
    shades = dict(
        zip(sizes, colormaps["viridis_r"](np.linspace(0.15, 1.0, len(sizes))), strict=True)
    )
    titles = ("seconds per fit", "peak memory (MB)")
    for axis, (name, least), title in zip((left, right), _FITTED.items(), titles, strict=True):
        measured, y = times[times[name] > least], {x: k for k, x in enumerate(largest.index)}
        ends = measured.groupby("label")[name].agg(["min", "max"]).reindex(largest.index)
        axis.hlines(range(len(y)), ends["min"], ends["max"], color="#BBBBBB", linewidth=0.8)
        for n, shade in shades.items():
            of_size = measured[measured["n"] == n]
            dots = {"markersize": 4, "color": shade, "label": f"n = {n}"}
            axis.plot(of_size[name], of_size["label"].map(y), "o", **dots)
        beside = {"transform": axis.get_yaxis_transform(), "va": "center", "fontsize": 7}
        for row, b in enumerate(largest[f"{name}_exponent"]):
            axis.text(1.02, row, f"{round(b, 1) + 0.0:.1f}" if np.isfinite(b) else "–", **beside)
        axis.text(1.02, -1.2, "b", style="italic", **beside)
        axis.set(xscale="log", xlabel=title)
        axis.xaxis.set(major_locator=LogLocator(subs=(1, 3)), minor_locator=NullLocator())
        axis.xaxis.set_major_formatter("{x:g}")
    name_rows(left, largest.index, 0.6)
    shared_legend(figure)
    return figure


if __name__ == "__main__":
    make_analysis(snakemake, analyse, table, remark, plot)
