"""Messages about targets before Snakemake starts, and about results when it ends."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from coassoc.bench.storage.records import Outcome
from coassoc.io.display import count_of
from reproduction.findings.inputs import Findings
from reproduction.pages import render
from reproduction.scores.files import read_statuses
from reproduction.study.paths import Source, below_prefix
from reproduction.study.plan import Plan

#: Largest number of lines to show.
_SHOWN = 10
#: Outcomes of fits that need no report.
_FINE = ("ok", Outcome.LEFT_THE_RACE.value)


def report_results(plan: Plan, files: Sequence[str]) -> None:
    """Print which requested files to open, and which runs have fits without a result."""
    cards = [x for x in plan.cards() if str(below_prefix(f"results/{x}.csv")) in files]
    first = [file for x in cards for file in (f"results/{x}.html", f"figures/{x}.png")]
    shown = [file for file in files if file.endswith((".html", ".png")) and Path(file).exists()]
    findings, missing = Findings(plan), _without_number(plan)
    text = render(
        "ending.txt",
        pages=[*map(str, map(below_prefix, first)), *shown][:3],
        agreements=[_agreement(card) for card in cards if findings.has_agreement(card)],
        titles=findings.titles | {"all": "All papers"},
        number=count_of(len(missing), "run"),
        missing=missing,
        most=_SHOWN,
    )
    print(text.strip("\n"), file=sys.stderr)


def _agreement(card: str) -> pd.DataFrame:
    """Number of means that agree with the published means, by paper and for all papers."""
    file = f"results/{card.replace('scorecard', 'agreement')}.csv"
    measured = pd.read_csv(below_prefix(file))
    is_counted = (measured["HGPA"] == "with") & (measured["measure"] == "within 2 se")
    counted = measured[is_counted & (measured["cells"] > 0)]
    return counted if counted["paper"].nunique() > 2 else counted[counted["paper"] != "all"]


def _without_number(plan: Plan) -> list[str]:
    """A line for each run with failed or skipped fits, according to the existing scores."""
    lines = {}
    for target in plan.paths(reads="scores"):
        places = plan.of(target).drop_duplicates("source").set_index("source")
        scores = read_statuses([target])
        failed = scores[~scores["status"].isin(_FINE)]
        for text, bad in failed.groupby("source")["status"]:
            source = Source.parse(text)
            if source.block and text in places.index:
                archive, run_file = places.loc[text, ["archive", "run_file"]]
                where = f"archived in {archive}" if archive else below_prefix(run_file)
                fits = (scores["source"] == text).sum()
                lines[text] = (
                    f"  {source.method} on {source.dataset}: {len(bad)} of {fits} fits "
                    f"{bad.iloc[0]} ({where})"
                )
    return [lines[text] for text in sorted(lines)]
