"""How often criteria without classes choose the number of classes, and their mean error."""

import numpy as np
import pandas as pd

from coassoc.selection.numbers import CRITERIA, choices
from reproduction.analyses import make_analysis
from reproduction.pages import note
from reproduction.scores.evidence import Evidence

#: Name of the majority vote: the c that most criteria choose, or the smallest such c.
VOTE = "majority"
_PLACE = ["label", "dataset", "pool", "m", "repeat", "classes"]


def analyse(evidence: Evidence) -> pd.DataFrame:
    """The number of clusters that each criterion chooses on each data set and repeat.

    The lines have label, criterion, dataset, pool, m, repeat, classes, largest (the largest
    compared number), chosen, and agreeing (number of criteria with the same choice). Data sets
    without classes and repeats without a result are left out.
    """
    good = evidence.lines.query("status == 'ok' and classes.notna()")
    lines = []
    for place, criteria in good.groupby(_PLACE, sort=False):
        chosen = choices(criteria.set_index("n_clusters"))
        votes = list(chosen.values())
        vote = min(votes, key=lambda c: (-votes.count(c), c))
        largest = criteria["n_clusters"].max()
        for criterion, c in [*chosen.items(), (VOTE, vote)]:
            lines.append((*place, criterion, largest, c, votes.count(c)))
    order = ["label", "criterion", *_PLACE[1:], "largest", "chosen", "agreeing"]
    columns = [*_PLACE, "criterion", "largest", "chosen", "agreeing"]
    return pd.DataFrame(lines, columns=columns)[order].astype({"classes": int})


def _by_criterion(result: pd.DataFrame) -> pd.DataFrame:
    """Means for each method and criterion; each data set counts once, for any number of repeats."""
    miss = result["chosen"] - result["classes"]
    numbers = {
        "found": (miss == 0).astype(float),
        "near": (miss.abs() <= 1).astype(float),
        "miss": miss.abs(),
        "bias": miss,
        "factor": np.log2(result["chosen"] / result["classes"]).abs(),
    }
    keys = ["label", "criterion"]
    by_dataset = result.assign(**numbers).groupby([*keys, "dataset"], sort=False)[[*numbers]].mean()
    return by_dataset.groupby(keys, sort=False).mean()


def table(result: pd.DataFrame) -> pd.DataFrame:
    """Table of methods and criteria: how often c was found, the mean error, and each data set."""
    means = _by_criterion(result)
    columns = {
        "finds c": means["found"].map("{:.0%}".format),
        "c ± 1": means["near"].map("{:.0%}".format),
        "mean absolute error": means["miss"].map("{:.1f}".format),
        "mean error (chosen − classes)": means["bias"].map("{:+.1f}".format),
        "factor of error": (2 ** means["factor"]).map("{:.2f}".format),
    }
    chosen = result.groupby(["label", "criterion", "dataset"], sort=False)["chosen"].median()
    classes = result.drop_duplicates("dataset").set_index("dataset")["classes"]
    for dataset, number in classes.items():
        text = chosen.xs(dataset, level="dataset").map("{:g}".format)
        columns[f"{dataset} ({number})"] = text.reindex(means.index, fill_value="")
    texts = pd.DataFrame(columns).set_axis(means.index.map(", ".join))
    return texts.rename_axis("method, criterion")


def remark(result: pd.DataFrame, evidence: Evidence) -> str:
    """The protocol, the success rate of chance, and that of the best criterion."""
    datasets, votes = result.drop_duplicates("dataset"), result[result["criterion"] == VOTE]
    agreeing = []
    for least, name in ((len(CRITERIA), "All criteria agree"), (4, "Four or more criteria agree")):
        cases = votes[votes["agreeing"] >= least]
        agreeing.append((name, len(cases), (cases["chosen"] == cases["classes"]).mean()))
    shares = _by_criterion(result)["found"]
    return note(
        "n_clusters.md",
        datasets=datasets,
        repeats=result["repeat"].nunique(),
        chance=(1 / (datasets["largest"] - 1)).mean(),
        beyond=datasets.loc[datasets["classes"] > datasets["largest"], "dataset"],
        vote=VOTE,
        votes=votes,
        agreeing=agreeing,
        best=None if shares.empty else shares.round(6).idxmax(),
        share=shares.max(),
    )


if __name__ == "__main__":
    make_analysis(snakemake, analyse, table, remark)
