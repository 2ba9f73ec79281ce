"""Published margins that would survive on new base clusterings: results-published/survival.csv.

    cd release && python -m benchmarks.survival

Also changes.csv: the change of each method's standing on each family of data sets, with its
published standing on the other families.

For each column of the tables that compare methods, in the five papers and in the one on GTLEC, the
own method's best row is compared with each rival by `coassoc.bench.survives`. Where a table prints
no standard deviation, that of our repeats is used (at least .007, as in the scorecard). Two
methods' scores on the same ensembles rise and fall together; their correlation is that of our
repeats, as a mean over the columns of a paper (of GTLEC, with few repeats, over those of the five
papers). Rows without a spread are left out: those with one or two repeats here and none in print.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from coassoc.bench import survives
from generated import write_into_page
from reproduction.findings.cells import COLUMN, cells_of, with_repeats
from reproduction.findings.scorecard import read_scorecard
from reproduction.findings.standing import OWN, standings
from reproduction.pages import write_numbers
from reproduction.scores.files import read_scores
from reproduction.study import acmk, eccms, gtlec, hclce, lta, rce

PUBLISHED = Path(__file__).parents[2] / "results-published"
#: Base clusterings in an ensemble and in the pool it is drawn from; 0 for ensembles of their own.
SIZES = {
    "eccms": (20, 100), "lta": (10, 100), "gtlec": (10, 100),
    "rce": (20, 0), "acmk": (10, 0), "hclce": (20, 0),
}  # fmt: skip
STUDIES = {"eccms": eccms, "lta": lta, "rce": rce, "acmk": acmk, "hclce": hclce, "gtlec": gtlec}
YARDSTICKS = {"gtlec": {"repeats": 20, "tables": ["table1"], "single": []}}


def compared_cells() -> pd.DataFrame:
    """The cells of the tables that compare methods, with the scores of the repeats."""
    yardsticks = {
        name: getattr(x, "YARDSTICK", None) or YARDSTICKS[name] for name, x in STUDIES.items()
    }
    own = {name: [row.label for row in x.OWN] for name, x in STUDIES.items()}
    cards = [
        read_scorecard(PUBLISHED / f"{name}.csv") for name in ("scorecard", "scorecard_leaders")
    ]
    cells = cells_of(pd.concat(cards, ignore_index=True), own, yardsticks)
    cells = cells[cells["main"] & (cells["metric"] != "seconds")].reset_index(drop=True)
    plain = {x: x for x in ("ACC", "NMI", "ARI", "Purity", "Precision", "Recall", "F1-score")}
    metrics = {name: plain | getattr(study, "METRICS", {}) for name, study in STUDIES.items()}
    return with_repeats(cells, read_scores(PUBLISHED / "kept/scores.parquet"), metrics)


def correlation(own: pd.Series, rival: pd.Series) -> float:
    """Correlation of two cells' scores over the repeats they share; missing without spread."""
    a, b = own["by_repeat"], rival["by_repeat"]
    if len(a) != len(b) or len(a) < 5 or not a.std() or not b.std():
        return np.nan
    return float(np.corrcoef(a, b)[0, 1])


def columns_of(cells: pd.DataFrame) -> list[tuple[tuple, pd.Series, pd.DataFrame]]:
    """Each column with its own row with the largest published mean, and its rivals."""
    found = []
    for key, part in cells.groupby(COLUMN, sort=False):
        if part["own"].any() and (~part["own"]).sum() >= 2:
            found.append((key, part.loc[part[part["own"]]["printed"].idxmax()], part[~part["own"]]))
    return found


def lines(cells: pd.DataFrame) -> pd.DataFrame:
    """A line for each published margin of rows with a spread: printed, or of three repeats here."""
    has_spread = cells["printed_sd"].notna() & (cells["std"].notna() | (cells["repeats"] >= 3))
    columns = columns_of(cells[has_spread])
    alike = pd.DataFrame([
        {"paper": key[0], "r": correlation(own, rival)}
        for key, own, rivals in columns for _, rival in rivals.iterrows()
    ]).groupby("paper")["r"].mean()  # fmt: skip
    alike = alike.fillna(alike.mean())
    found = []
    for key, own, rivals in columns:
        rows = pd.concat([own.to_frame().T, rivals]).astype({"printed": float, "printed_sd": float})
        m, M = SIZES[key[0]]
        table = survives(
            dict(zip(rows["method"], rows["printed"], strict=True)),
            dict(zip(rows["method"], rows["printed_sd"].astype(float), strict=True)),
            int(own["printed_n"]), m, M,
            own=own["method"], correlation=alike[key[0]],
        )  # fmt: skip
        best = rivals.loc[rivals["printed"].astype(float).idxmax(), "method"]
        here = rivals.set_index("method")["here"].astype(float)
        table = table.assign(
            best=table["rival"] == best,
            here=float(own["here"]) - table["rival"].map(here),
            sd_printed=bool(pd.notna(own["std"])), correlation=alike[key[0]],
        )  # fmt: skip
        about = dict(zip(COLUMN, key, strict=True)) | {
            "own": own["method"],
            "repeats": own["printed_n"],
            "m": m,
            "M": M,
        }
        found.append(table.assign(**about)[[*about, *table.columns]])
    return pd.concat(found, ignore_index=True)


def changes(cells: pd.DataFrame) -> pd.DataFrame:
    """A line for each paper, method and family of data sets."""
    lines = standings(cells)
    means = lines.groupby(["paper", "method", "family"], sort=False)[["printed", "change"]].mean()
    of_method = means["printed"].groupby(["paper", "method"], sort=False)
    others = of_method.transform("size") - 1
    elsewhere = (of_method.transform("sum") - means["printed"]) / others.where(others > 0)
    means = means.assign(elsewhere=elsewhere).dropna().reset_index()
    means["own"] = means["method"] == OWN
    return means[["paper", "method", "own", "family", "elsewhere", "change"]]


def shown(table: pd.DataFrame) -> str:
    """Margins over the best rival by paper, as Markdown."""
    best = table[table["best"]]
    positive = best[best["margin"] > 0]

    def counts(part: pd.Series) -> pd.Series:
        return part.groupby(best["paper"], sort=False).sum()

    told = pd.DataFrame({
        "margins": best.groupby("paper", sort=False).size(),
        "positive": counts(best["margin"] > 0),
        "for new draws": counts(best["low"] > 0),
        "for new pools": counts(best["pool_low"] > 0),
        "reproduced": (positive["here"] > 0).groupby(positive["paper"]).sum(),
        "expected": positive.groupby("paper")["keeps_sign"].sum().round(1),
    })  # fmt: skip
    return told.rename_axis("paper").reset_index().to_markdown(index=False)


if __name__ == "__main__":
    cells = compared_cells()
    found = {"survival": lines(cells), "changes": changes(cells)}
    write_into_page(PUBLISHED.parent / "docs/results/pools.md", "printed", shown(found["survival"]))
    for name, table in found.items():
        write_numbers(PUBLISHED / f"{name}.csv", table)
