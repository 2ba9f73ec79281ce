"""The methods that suit each kind of ensemble, and the gain of a choice by the labels."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coassoc.methods.auto import TAKEN
from coassoc.pages.rendering import write_lines
from coassoc.pages.style import COLOURS, name_rows, styled
from reproduction.findings.analyses import write_analysis
from reproduction.findings.choice import AUTO, BEST, FACTS, FIXED, gaps_closed, judged, means_of
from reproduction.findings.families import family
from reproduction.running.scripting import job
from reproduction.scores.evidence import Evidence, read_evidence

#: Kinds of ensembles, by their numbers of clusters.
_KINDS = {"others": "not finer than requested", "finer": "finer than requested"}
#: Number of methods that the figure shows for each kind of ensemble.
_SHOWN = 15


def analyse(evidence: Evidence) -> pd.DataFrame:
    """The score table of the measured ensembles."""
    lines = []
    for cell in evidence.cells:
        line = evidence.scores[f"results/choice/{cell.pool}/m{cell.m}/{cell.dataset}"].iloc[0]
        about = {"problem": cell.dataset, "family": family(cell.dataset), "pool": cell.pool}
        lines.append({**line, **about})
    result = pd.DataFrame(lines)
    if "status" in result:
        result = result[result["status"].fillna("ok") == "ok"].drop(columns="status")
    first = [name for name in FACTS if name in result]
    return result[[*first, *result.columns.drop(first)]].reset_index(drop=True)


def table(lines: pd.DataFrame, groups: str, labels: Mapping[str, str]) -> pd.DataFrame:
    """Table of the candidates on each kind of ensemble, with the fraction of the gap closed."""
    shown = gaps_closed(judged(lines, groups))
    texts = shown.map("{:.3f}".format)
    texts["closed"] = shown["closed"].map("{:.0%}".format)
    return texts.rename(columns=labels)


def table_of_kind(means: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Methods on a kind of ensemble, each compared with the method that ``auto`` chooses."""
    of_kind = means[means["kind"] == kind]
    interval = [f"{x.difference:+.3f} [{x.low:+.3f}, {x.high:+.3f}]" for x in of_kind.itertuples()]
    columns = {"method": of_kind["method"], "mean ARI": of_kind["mean"].map("{:.3f}".format)}
    significant = np.where((of_kind["low"] > 0) | (of_kind["high"] < 0), "yes", "no")
    columns |= {f"difference from {TAKEN[kind]}": interval, "significant": significant}
    return pd.DataFrame(columns).set_index("method")


def answer(lines: pd.DataFrame) -> str:
    """The choices of ``auto``, compared with the best fixed method and with the oracle."""
    shown = gaps_closed(judged(lines))
    short, error = shown.loc[AUTO, "mean"] - shown.loc[FIXED, "mean"], shown.loc[AUTO]
    worth = lines[["right in the core", "right elsewhere"]].groupby(lines["problem"]).mean()
    better = (worth["right in the core"] > worth["right elsewhere"]).sum()
    return (
        f"The method auto has a mean ARI of {shown.loc[AUTO, 'mean']:.3f}. An oracle that knows "
        "the best fixed method for each kind of ensemble reaches a mean ARI of "
        f"{shown.loc[FIXED, 'mean']:.3f} (auto minus oracle: {short:+.3f}, standard error "
        f"{error['standard error']:.3f}). An oracle that knows the best method for each ensemble "
        f"reaches a mean ARI of {shown.loc[BEST, 'mean']:.3f}. Top-ranked methods agree on "
        f"{100 * lines['core'].mean():.0f} % of the samples (the core). They assign "
        f"{100 * lines['right in the core'].mean():.0f} % of the core samples and "
        f"{100 * lines['right elsewhere'].mean():.0f} % of the other samples correctly. On "
        f"{better} of {len(worth.dropna())} data sets the accuracy is higher for the core samples "
        "than for the other samples."
    )


def remark(lines: pd.DataFrame) -> str:
    """The measurements and their evaluation."""
    return (
        f"The table uses {len(lines)} ensembles from {lines['problem'].nunique()} data sets in "
        f"{lines['family'].nunique()} families, with at most 500 samples per data set. In the "
        "first table, a candidate is chosen and evaluated on different families of data sets, and "
        "in the second table, on different kinds of ensembles. The rule of the method auto was "
        "written with knowledge of all families and kinds. The column “closed” shows the fraction "
        "of the gap between the best fixed method and the best method of each ensemble that a "
        "candidate closes. Standard errors and 95 % CIs treat families as units. The CIs are not "
        "adjusted for multiple comparisons."
    )


@styled
def plot(means: pd.DataFrame) -> Figure:
    """Differences from the method that ``auto`` chooses, with intervals, by kind of ensemble."""
    kinds = [kind for kind in _KINDS if kind in set(means["kind"])]
    figure = Figure(figsize=(7.2, 0.9 + 0.2 * _SHOWN))
    for axis, kind in zip(figure.subplots(1, len(kinds), squeeze=False)[0], kinds, strict=True):
        of_kind = means[means["kind"] == kind].head(_SHOWN)
        y = np.arange(len(of_kind))
        axis.hlines(y, of_kind["low"], of_kind["high"], color=COLOURS["sky"], linewidth=2.5)
        axis.plot(of_kind["difference"], y, "o", color=COLOURS["blue"])
        axis.axvline(0, color="#333333", linewidth=0.8)
        axis.set(title=_KINDS[kind])
        axis.set_xlabel(f"difference in ARI from {TAKEN[kind]}, 95 % CI")
        name_rows(axis, of_kind["method"])
    return figure


if __name__ == "__main__":
    with job(snakemake.log[0]):
        evidence = read_evidence(snakemake)
        labels = {cell.pool: cell.label for cell in evidence.cells}
        lines = analyse(evidence)
        means = means_of(lines)
        write_lines(snakemake.output.means, means)
        by_family, by_pool = (table(lines, groups, labels) for groups in ("family", "pool"))
        more = {"Methods chosen on other kinds of ensembles": by_pool}
        more |= {
            f"Methods on ensembles whose clusterings are {words}": table_of_kind(means, kind)
            for kind, words in _KINDS.items()
            if kind in set(means["kind"])
        }
        about = evidence.spec, lines, by_family, remark(lines), plot(means), answer(lines), more
        write_analysis(snakemake.output, *about)
