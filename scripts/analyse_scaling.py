"""Time and memory against the number of samples, with fitted exponents."""

import numpy as np
import pandas as pd
from scipy.stats import linregress

from coassoc.bench.summaries import hardware_note
from reproduction.analyses import make_analysis
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


if __name__ == "__main__":
    make_analysis(snakemake, analyse, table, remark)
