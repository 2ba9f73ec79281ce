"""The methods that suit each kind of ensemble, and the gain of a choice by the labels."""

import numpy as np
import pandas as pd

from coassoc.bench.statistics import family
from coassoc.io.atomic import write_text
from reproduction.analyses import make_analysis
from reproduction.pages import note
from reproduction.scores.evidence import Evidence
from reproduction.scores.families import half_width
from reproduction.study.choice import DESIGN, ENSEMBLES
from reproduction.study.paths import place_of_pool
from reproduction.survey import choice

#: Kinds of ensembles, by their numbers of clusters.
_KINDS = {"others": "not finer than requested", "finer": "finer than requested"}


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


def table(lines: pd.DataFrame) -> pd.DataFrame:
    """Table of the candidates on each kind of ensemble, with the fraction of the gap closed."""
    shown = choice.gaps_closed(choice.judged(lines))
    texts = shown.map("{:.3f}".format)
    labels = {pool: label for label, pool in ENSEMBLES.items()}
    return texts.assign(closed=shown["closed"].map("{:.0%}".format)).rename(columns=labels)


def further_tables(lines: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The methods on each kind of ensemble."""
    tables, means = {}, choice.means_of(lines)
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


if __name__ == "__main__":
    make_analysis(snakemake, analyse, table, remark, answer=answer, more=further_tables)
    means = choice.means_of(pd.read_csv(snakemake.output.csv))
    text = means.to_csv(index=False, lineterminator="\n", float_format="%.3f")
    write_text(snakemake.output.means, text)
