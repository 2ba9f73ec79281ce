"""Messages about targets before Snakemake starts, and about results when it ends."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from coassoc.bench.storage.records import Outcome
from coassoc.io.display import count_of
from reproduction.findings.inputs import Findings
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
    pages = _pages(files, cards)
    lines = [f"Open {', '.join(pages)}."] if pages else []
    findings = Findings(plan)
    for card in filter(findings.has_agreement, cards):
        lines += _compared(_agreement(card), findings.titles | {"all": "All papers"})
    missing = _without_number(plan)
    if missing:
        lines.append(f"{count_of(len(missing), 'run')} with fits that have no result:")
        lines += missing[:_SHOWN]
        lines += [f"  and {len(missing) - _SHOWN} more"] * (len(missing) > _SHOWN)
        lines.append(
            "To repeat these fits, raise 'limits' if they reached a limit, and run snakemake "
            "--forcerun with the files of the runs. Other fits of the runs are not repeated."
        )
    print("\n".join(lines), file=sys.stderr)


def _agreement(card: str) -> pd.DataFrame:
    """Number of means that agree with the published means, by paper and for all papers."""
    file = f"results/{card.replace('scorecard', 'agreement')}.csv"
    measured = pd.read_csv(below_prefix(file))
    is_counted = (measured["HGPA"] == "with") & (measured["measure"] == "within 2 se")
    counted = measured[is_counted & (measured["cells"] > 0)]
    return counted if counted["paper"].nunique() > 2 else counted[counted["paper"] != "all"]


def _pages(files: Sequence[str], cards: Sequence[str]) -> list[str]:
    """Three files to open, the scorecards first."""
    shown = [file for file in files if file.endswith((".html", ".png")) and Path(file).exists()]
    first = [file for x in cards for file in (f"results/{x}.html", f"figures/{x}.png")]
    return [*map(str, map(below_prefix, first)), *shown][:3]


def _compared(measured: pd.DataFrame, titles: Mapping[str, str]) -> list[str]:
    """The agreement as lines to print."""
    if measured.empty:
        return [
            "None of the numbers could be compared with a published number. The scorecard gives "
            "the reasons."
        ]
    lines = ["Means within two standard errors of the published means:"]
    for one in measured.itertuples():
        name = titles[one.paper].partition(":")[0]
        line = f"  {name}: {round(one.value * one.cells)} of {one.cells:.0f}"
        if pd.notna(one.wrong):
            perfect, wrong = (round(share * one.cells) for share in (one.perfect, one.wrong))
            line += f" (perfect reproduction: {perfect}; numbers of another method: {wrong})"
        lines.append(line)
    return lines


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
