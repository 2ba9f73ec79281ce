"""The methods that suit each kind of ensemble, and the gain of a choice by the labels."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coassoc.bench.statistics import family
from coassoc.io.atomic import write_text
from coassoc.pages.style import COLOURS, name_rows, styled
from reproduction.analyses import make_analysis
from reproduction.pages import note
from reproduction.scores.evidence import Evidence
from reproduction.scores.families import half_width
from reproduction.study.choice import DESIGN, ENSEMBLES
from reproduction.study.paths import place_of_pool
from reproduction.survey import choice

#: Kinds of ensembles, by their numbers of clusters.
_KINDS = {"others": "not finer than requested", "finer": "finer than requested"}
#: Number of methods that the figure shows for each kind of ensemble.
_SHOWN = 15


def analyse(evidence: Evidence) -> pd.DataFrame:
    """The score table of the measured ensembles."""
    lines = []
    for cell in evidence.cells:
        line = evidence.scores[place_of_pool(cell.pool, cell.m, cell.dataset)].iloc[0]
        about = {"problem": cell.dataset, "family": family(cell.dataset), "pool": cell.pool}
        lines.append({**line, **about})
    result = pd.DataFrame(lines)
    if "status" in result:
        result = result[result["status"].fillna("ok") == "ok"].drop(columns="status")
    first = [name for name in choice.FACTS if name in result]
    return result[[*first, *result.columns.drop(first)]].reset_index(drop=True)


def table(lines: pd.DataFrame, groups: str = "family") -> pd.DataFrame:
    """Table of the candidates on each kind of ensemble, with the fraction of the gap closed."""
    shown = choice.gaps_closed(choice.judged(lines, groups))
    texts = shown.map("{:.3f}".format)
    labels = {pool: label for label, pool in ENSEMBLES.items()}
    return texts.assign(closed=shown["closed"].map("{:.0%}".format)).rename(columns=labels)


def further_tables(lines: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The candidates chosen on other pools, and the methods on each kind of ensemble."""
    tables = {"Methods chosen on other kinds of ensembles": table(lines, "pool")}
    means = choice.means_of(lines)
    for kind, words in _KINDS.items():
        of_kind = means[means["kind"] == kind]
        texts = {
            "method": of_kind["method"],
            "mean ARI": of_kind["mean"].map("{:.3f}".format),
            "difference from auto": [
                f"{x.difference:+.3f} [{x.low:+.3f}, {x.high:+.3f}]" for x in of_kind.itertuples()
            ],
            "significant": np.where((of_kind["low"] > 0) | (of_kind["high"] < 0), "yes", "no"),
        }
        heading = f"Methods on ensembles whose clusterings are {words}"
        tables[heading] = pd.DataFrame(texts).set_index("method")
    return tables


def answer(lines: pd.DataFrame) -> str:
    """The choices of ``auto``, compared with the best fixed method and with the oracle."""
    scores = choice.judged(lines)
    shown = choice.gaps_closed(scores)
    auto, fixed, best = (
        shown.loc[name, "mean"] for name in (choice.AUTO, choice.FIXED, choice.BEST)
    )
    unseen = scores[~scores["family"].isin({family(name) for name in DESIGN})]
    held_out = choice.gaps_closed(unseen)["mean"]
    change = (unseen[choice.AUTO] - unseen[choice.CHOSEN]).to_frame(choice.AUTO)
    return note(
        "choice_answer.md",
        auto=auto,
        fixed=fixed,
        best=best,
        error=shown.loc[choice.AUTO, "standard error"],
        unseen=unseen,
        held_out=held_out[[choice.AUTO, choice.CHOSEN]],
        change=change[choice.AUTO].mean(),
        half=half_width(change, unseen["family"])[choice.AUTO],
    )


def remark(lines: pd.DataFrame, evidence: Evidence) -> str:
    """The measurements and their evaluation."""
    return note("choice.md", lines=lines[lines[choice.AUTO].notna()], design=DESIGN)


@styled
def plot(lines: pd.DataFrame, metric: str) -> Figure:
    """Differences from ``auto``, with intervals, by kind of ensemble."""
    means = choice.means_of(lines)
    figure = Figure(figsize=(7.2, 0.9 + 0.2 * _SHOWN))
    for axis, kind in zip(figure.subplots(1, len(_KINDS)), _KINDS, strict=True):
        of_kind = means[means["kind"] == kind].head(_SHOWN)
        y = np.arange(len(of_kind))
        axis.hlines(y, of_kind["low"], of_kind["high"], color=COLOURS["sky"], linewidth=2.5)
        axis.plot(of_kind["difference"], y, "o", color=COLOURS["blue"])
        axis.axvline(0, color="#333333", linewidth=0.8)
        axis.set(title=_KINDS[kind])
        axis.set_xlabel("difference in ARI from auto, 95 % CI")
        name_rows(axis, of_kind["method"])
    return figure


if __name__ == "__main__":
    make_analysis(snakemake, analyse, table, remark, plot, answer=answer, more=further_tables)
    means = choice.means_of(pd.read_csv(snakemake.output.csv))
    text = means.to_csv(index=False, lineterminator="\n", float_format="%.3f")
    write_text(snakemake.output.means, text)
