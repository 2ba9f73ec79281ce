"""The page of findings: headline claims, counts of the scorecard, and the best methods."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.bench.statistics import LEVEL
from reproduction.findings.agreement import leading_table, lenient_share
from reproduction.findings.margins import margins_table
from reproduction.findings.readings import choices_table
from reproduction.findings.scorecard import COMPARED, read_scorecard, verdict_counts
from reproduction.pages import write_numbers, write_rendered
from reproduction.survey import arena
from reproduction.survey.choice import recommended
from reproduction.survey.ranks import ALL_DATASETS

#: Number of top-ranked methods shown.
_SHOWN = 8
#: Columns of the counts of tests.
_COUNTS = ["arena", "rival", "better", "worse"]


def write_findings(
    paths: Mapping[str, str | Path], files: Mapping[str, Any], given: Mapping[str, Any]
) -> None:
    """Write the page as Markdown ("page"), and the counts of the tests in the arenas ("arenas").

    Files are claims.csv ("claims"), scorecard.csv ("card"), agreement.csv ("agreement"),
    margins.csv ("margins"), readings.csv ("readings"), ranking.csv ("ranking"), the numbers of each
    benchmark ("arenas"; the first gives the answer), and the spot check of archived runs
    ("checked"; empty if there is none). `given` is from
    :meth:`reproduction.findings.inputs.Findings.findings`.
    """
    claims = pd.read_csv(files["claims"])
    card = read_scorecard(files["card"])
    ranks = pd.read_csv(files["ranking"])
    checked = [pd.read_csv(file)["outcome"].value_counts() for file in files["checked"]]
    shown = claims.set_index("claim").loc[given["headlines"]]
    shown["claim"] = [f"[{text}](claims_cells.md#{name})" for name, text in shown["text"].items()]
    shown["datasets"] = shown["data sets"].str.split(", ").str.len()
    agreement = pd.read_csv(files["agreement"])
    counts = verdict_counts(card, ["paper"])
    counts.insert(1, "compared", counts[COMPARED].sum(axis=1))
    counts.loc["all"] = counts.sum()
    arenas, tested = _summarize_arenas(dict(zip(given["arenas"], files["arenas"], strict=True)))
    write_numbers(paths["arenas"], tested)
    reproduced = card[card["reference"].isna()].dropna(subset=["run", "reproduced_mean"])
    write_rendered(
        paths["page"],
        "findings.md",
        n_claims=len(claims),
        headlines=shown,
        counts=counts.drop(columns=COMPARED),
        agreement=leading_table(agreement),
        lenient=lenient_share(agreement),
        margins=margins_table(pd.read_csv(files["margins"]), ["in print", "here", "change"]),
        readings=choices_table(pd.read_csv(files["readings"])),
        titles=given["titles"],
        recommended=recommended(),
        best=None if ranks.empty else _best(ranks, given["of_features"]),
        **arenas,
        made=len(reproduced),
        current=reproduced["code"].isin(given["codes"]).sum(),
        checked=next(iter(checked), None),
    )


def _summarize_arenas(files: Mapping[str, Any]) -> tuple[dict[str, Any], pd.DataFrame]:
    """Summary of the benchmarks for the page, and the counts of their tests.

    The page contains the answer of the first benchmark, a line for each benchmark, and the
    differences of the means in the other benchmarks.
    """
    shown: dict[str, Any] = {"arena": None, "gains": {}}
    first, lines = pd.DataFrame(), []
    counts = [pd.DataFrame(columns=_COUNTS)]
    for title, path in files.items():
        numbers = pd.read_csv(path)
        benchmark = arena.Arena(numbers)
        counts.append(benchmark.counts.reset_index().assign(arena=Path(path).stem)[_COUNTS])
        link = "/".join(Path(path).with_suffix(".md").parts[-3:])
        named = {"arena": f"[{Path(path).stem}]({link})", "title": title}
        lines.append(named | arena.summarize_arena(benchmark))
        if first.empty:
            shown["arena"], first = arena.answer(benchmark), numbers
        else:
            gained = arena.mean_gains(numbers, first)
            shown["gains"][title] = {
                "methods": gained.drop([*arena.RIVALS]),
                "picked": gained[arena.PICKED],
            }
    return shown | {"arenas": pd.DataFrame(lines)}, pd.concat(counts, ignore_index=True)


def _best(ranks: pd.DataFrame, of_features: Collection[str]) -> dict[str, Any] | None:
    """The best methods by the first score on all data sets; None if no method is ranked."""
    metric = ranks["metric"].iloc[0]
    default = ranks[(ranks["metric"] == metric) & ~ranks["tuned"] & ~ranks["all_methods"]]
    whole = default[default["group"] == ALL_DATASETS]
    missing = whole[~whole["readers"] & whole["rank"].isna()]
    whole = whole.dropna(subset="rank")
    blind, together = (
        whole[whole["readers"] == readers].sort_values("rank", ignore_index=True)
        for readers in (False, True)
    )
    if blind.empty:
        return None
    readers = together[~together["label"].isin(blind["label"])]
    table = blind[["label", "rank", "mean", "seconds"]].head(_SHOWN)
    return {
        "metric": metric,
        "n_methods": len(blind),
        "n_datasets": blind["n_datasets"].iloc[0],
        "of_features": [label for label in table["label"] if label in of_features],
        "table": table.set_axis(
            ["method", "mean rank", f"mean {metric}", "seconds of a fit"], axis="columns"
        ),
        "near": list(blind.loc[blind["p_first"] >= LEVEL, "label"]),
        "first_share": blind["first_share"].iloc[0],
        "n_together": len(together),
        "readers": [f"{line.label} {line.Index + 1}" for line in readers.itertuples()],
        "missing": list(missing["label"]),
    }
