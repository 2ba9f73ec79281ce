"""The scorecard: the published and the reproduced number of every cell that the papers print."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from coassoc.bench.statistics import family
from coassoc.bench.storage.records import ORIGIN
from coassoc.io.display import count_of
from reproduction.scores.families import drawn_times
from reproduction.scores.files import AS_TEXT
from reproduction.study.paths import Source

#: Largest difference, in its standard deviations between two single repeats, that counts as small.
LARGEST_Z = 2.0
#: Largest absolute differences that count as near and as close.
NEAR, CLOSE = 0.05, 0.02
#: Columns that say whether the difference of a compared cell is within a bound, from lenient to
#: strict.
YARDSTICKS = ("within 2 sd", f"within {NEAR:g}", "within 2 se", f"within {CLOSE:g}")
#: Smallest spread of a score, because papers print three digits and many print no spread at all.
SMALLEST_SPREAD = 0.01

_TABLE = ["paper", "table"]
#: Columns that identify a published number.
KEYS = [*_TABLE, "dataset", "method", "metric"]
_FOUND = ["mean", "std", "repeats", "reason", "pool", "m", "reference", "parameters", "run"]
_FOUND += ["distance", *ORIGIN]
#: Verdicts on a published cell. The first two are the verdicts on compared cells.
VERDICTS = ["within 2 sd", "beyond 2 sd", "not comparable", "not run"]
COMPARED = WITHIN, BEYOND = VERDICTS[:2]


def read_tables(paths: Sequence[str | Path]) -> pd.DataFrame:
    """Read the lines with reproduced numbers, or with reasons for missing numbers, from CSV files.

    The paths are ``…/{paper}/{table}.csv``.
    """
    frames = []
    for path in map(Path, paths):
        paper, table = path.parent.name, path.stem
        frame = pd.read_csv(path, dtype=AS_TEXT).assign(paper=paper, table=table)
        frames.append(frame[frame["row"].notna()])
    if not frames:
        return pd.DataFrame(columns=[*KEYS, *_FOUND, "label"]).drop(columns="method")
    return pd.concat(frames, ignore_index=True)


def read_scorecard(path: str | Path) -> pd.DataFrame:
    """Read a scorecard from its CSV file."""
    card = pd.read_csv(path, dtype=AS_TEXT, low_memory=False)
    return card.fillna({"reason": "", "shortened": "", "repeats_cell": ""})


def compare_tables(given: Mapping[str, Any], tables: Sequence[str | Path]) -> pd.DataFrame:
    """The scorecard of some tables, from their CSV files.

    `given` is from :meth:`reproduction.findings.inputs.Findings.scorecard`.
    """
    published = pd.DataFrame(given["published"])
    names = [*zip(published["paper"], published["method"], strict=True)]
    published = published.assign(
        same_as=[given["same_as"][paper].get(method, method) for paper, method in names],
        fitted=[method in given["fitted"][paper] for paper, method in names],
        why=[_why_missing(number, given) for number in given["published"]],
    )
    repeats = {paper: values["repeats"] for paper, values in given["yardsticks"].items()}
    return scorecard(published, read_tables(tables), given["differences"], repeats)


def _why_missing(number: Mapping[str, str], given: Mapping[str, Any]) -> str:
    """Reason why a published number is not computed; empty if it is computed."""
    table = given["tables"].get(f"{number['paper']}/{number['table']}")
    if table is None:
        return str(given["without_table"])
    if number["method"] in table["omitted"]:
        return "the configuration omits the method"
    if number["method"] not in table["rows"]:
        return "the method is not available"
    uses_dataset = number["dataset"] in table["datasets"]
    return "" if uses_dataset else "the configuration uses other data sets"


def scorecard(
    published: pd.DataFrame,
    reproduced: pd.DataFrame,
    differences: Sequence[Mapping[str, Any]] = (),
    printed_repeats: Mapping[str, int] = MappingProxyType({}),
) -> pd.DataFrame:
    """One line for each published cell.

    Published numbers have paper, table, dataset (under this project's name), method, metric, mean,
    std, why (the reason why the configuration does not compute this cell, otherwise empty), same_as
    (the method whose published numbers the method repeats) and fitted (whether a setting or the
    interpretation of the text was chosen by comparison with published numbers). Numbers may be
    strings, which are empty if there is no number. Reproduced lines are from :func:`read_tables`.
    Differences are entries of config/differences.yaml, which list cells that cannot be compared,
    and causes of differences.

    Returns
    -------
    DataFrame
        Columns of `published` without why and same_as, and reproduced_mean, reproduced_std,
        repeats, pool, m, reference (for base clusterings instead of a method), parameters, run,
        distance (whether the number is a distance from another row), commit, code, shortened (how
        the run was shortened), difference, z, verdict, the bounds (:data:`YARDSTICKS`; True or
        False if the numbers are compared), reason, and repeats_cell (for a number that the paper
        prints more than once, the table and method of the cell that gives the verdict).

    Notes
    -----
    z is the difference divided by √(s_r² + s_p²), where s_r and s_p are the standard deviations of
    the reproduced and of the published repeats. If the paper prints no standard deviation, s_r
    replaces s_p. Standard errors use s²/repeats instead of s², see :func:`with_errors`. The
    published number of repeats is in `printed_repeats`, by paper; without it, it is the reproduced
    number. Times have no z, because they were measured on different machines.

    A number that a paper prints in several tables gets one verdict, from the first cell that was
    run. Its standard deviation is that of the first cell with a standard deviation.
    """
    card = published.assign(
        mean=pd.to_numeric(published["mean"]), std=pd.to_numeric(published["std"])
    )
    numbers = ["reproduced_mean", "reproduced_std"]
    found = reproduced.rename(columns={"label": "method"}).reindex(columns=KEYS + _FOUND)
    found = found.rename(columns={"mean": numbers[0], "std": numbers[1]})
    card = card.merge(found, on=KEYS, how="left", validate="many_to_one")
    # A mean over different data sets has the name of the published cell but is a different number.
    card[numbers] = card[numbers].astype(float).where(card["why"] == "")
    card["distance"] = card["distance"].eq(True)
    once = _printed_first(card)
    card["std"] = card["std"].fillna(card["std"].groupby(once).transform("first"))
    card["difference"] = card["reproduced_mean"] - card["mean"]
    own_std = card["reproduced_std"].fillna(0.0)
    spread = np.sqrt(own_std**2 + card["std"].fillna(own_std) ** 2).clip(lower=SMALLEST_SPREAD)
    card["z"] = (card["difference"] / spread).where(card["metric"] != "seconds")
    card["shortened"] = card["run"].map(_shortened)
    card["verdict"] = np.where(card["z"].abs() > LARGEST_Z, BEYOND, WITHIN)
    card.loc[card["reproduced_mean"].isna(), "verdict"] = "not run"
    card.loc[card["metric"] == "seconds", "verdict"] = "not comparable"
    card["reason"] = _reasons(card, reproduced)
    _apply_differences(card, differences)
    repeats = card["repeats"].astype(float)
    printed_n = card["paper"].map(dict(printed_repeats)).astype(float).fillna(repeats)
    errors = with_errors(card.assign(repeats=repeats, printed_n=printed_n))["error"]
    limits = (LARGEST_Z * spread, NEAR, two_errors(errors), CLOSE)
    compared = card["verdict"].isin(COMPARED)
    for name, limit in zip(YARDSTICKS, limits, strict=True):
        passed = card["difference"].abs() <= limit + 1e-9
        card[name] = passed.astype(object).where(compared, None)
    # A repeated number differs from the first cell with this number only in its place.
    judged = card.loc[once].set_axis(card.index)
    first = (judged["table"] + ": " + judged["method"]).where(once != card.index, "")
    judged[KEYS] = card[KEYS]
    return judged.assign(repeats_cell=first).drop(columns=["why", "same_as"])


def with_errors(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells with here, the standard deviations and numbers of repeats, error and freedom.

    If only one standard deviation is known, it is used for both means. Joint standard deviations
    are at least :data:`SMALLEST_SPREAD`, because papers print three digits.
    """
    here_n = cells["repeats"].clip(lower=1)
    printed, here = (cells[key].astype(float) for key in ("std", "reproduced_std"))
    here = here.where(here_n > 1)
    least = SMALLEST_SPREAD / np.sqrt(2)
    cells = cells.assign(
        here=cells["reproduced_mean"].astype(float),
        here_n=here_n,
        # A published average over base clusterings has as many base clusterings as the reproduced
        # average. This number differs from the number of repeats of the methods.
        printed_n=cells["printed_n"].where(cells["reference"].isna(), here_n),
        printed_sd=printed.fillna(here).fillna(0.0).clip(lower=least),
        here_sd=here.fillna(printed).fillna(0.0).clip(lower=least),
    )
    numbers = (cells[key] for key in ("here_sd", "here_n", "printed_sd", "printed_n"))
    cells["error"], cells["freedom"] = difference_error(*numbers)
    return cells


def difference_error(first_sd: Any, first_n: Any, second_sd: Any, second_n: Any) -> Any:
    """Standard error of the difference of two means, and its degrees of freedom (Welch)."""
    first, second = first_sd**2 / first_n, second_sd**2 / second_n
    freedom = (first + second) ** 2 / (
        first**2 / np.maximum(first_n - 1, 1) + second**2 / np.maximum(second_n - 1, 1)
    )
    return np.sqrt(first + second), freedom


def two_errors(error: Any) -> Any:
    """The largest difference of two means that is "within 2 se", from its standard error."""
    return np.maximum(2 * error, SMALLEST_SPREAD)


def _printed_first(card: pd.DataFrame) -> pd.Series:
    """For each cell, the index of the first cell that was run and has the same published number."""
    index = card.index.to_series()
    run = index.where(card["reproduced_mean"].notna())
    numbers = [card[key] for key in ("paper", "dataset", "same_as", "metric", "mean")]
    first = index.groupby(numbers).transform("first")
    return run.groupby(numbers).transform("first").fillna(first).astype(int)


def _shortened(run: Any) -> str:
    """How a run was shortened (successive halving, fewer repeats or grid points); often empty."""
    if not run or pd.isna(run):
        return ""
    source = Source.parse(run)
    repeats = count_of(source.repeats, "repeat") if source.repeats else ""
    points = "{} of {} points".format(*source.points) if source.points else ""
    return ", ".join(filter(None, ["race" if source.race else "", repeats, points]))


def named_by(entry: Mapping[str, Any], cells: pd.DataFrame) -> pd.Series:
    """Select the cells that an entry of config/differences.yaml names.

    Cells have the columns paper, table, dataset, method and metric.
    """
    named = cells["paper"] == entry["paper"]
    for column in ("table", "dataset", "method", "metric"):
        if f"{column}s" in entry:
            named &= cells[column].isin(entry[f"{column}s"])
    return named


def _apply_differences(card: pd.DataFrame, differences: Sequence[Mapping[str, Any]]) -> None:
    """Mark cells that cannot be compared, and add causes; earlier entries take precedence."""
    for entry in differences:
        named = named_by(entry, card)
        if entry.get("not_comparable"):
            aside = named & card["verdict"].isin(COMPARED)
            card.loc[aside, "verdict"] = "not comparable"
            card.loc[aside, "z"] = np.nan
        else:
            aside = named & (card["verdict"] == BEYOND) & (card["reason"] == "")
        card.loc[aside, "reason"] = f"{entry['because']} (shown by: {entry['shown_by']})"


def _reasons(card: pd.DataFrame, reproduced: pd.DataFrame) -> Any:
    """Reasons why cells were not run or cannot be compared; empty for the other cells."""
    built, tables = (pd.MultiIndex.from_frame(lines[_TABLE]) for lines in (reproduced, card))
    is_built = tables.isin(built)
    of_run = card["reason"].astype(object).fillna("").str.removeprefix("not run: ")
    reasons = {
        "": card["verdict"].isin(COMPARED),
        "time on another machine": card["verdict"] == "not comparable",
        "the table was not built": ~is_built & (card["why"] == ""),
        "the table was built without this cell": card["repeats"].isna() & (card["why"] == ""),
    }
    others = card["why"].where(card["why"] != "", of_run.replace("", "no score"))
    return np.select([*reasons.values()], [*reasons], others)


def verdict_counts(card: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """For each group, in order, the number of cells and the number with each verdict."""
    counts = pd.get_dummies(card["verdict"], dtype=int).reindex(columns=VERDICTS, fill_value=0)
    counts.insert(0, "cells", 1)
    return counts.groupby([card[key] for key in keys], sort=False).sum()


def limits_of_agreement(card: pd.DataFrame) -> pd.DataFrame:
    """Limits that would contain 95 % of each paper's differences if they were normally distributed.

    The 95 % intervals come from a bootstrap over families of data sets.

    Returns
    -------
    DataFrame
        A line for each paper and measure, with value, low, high, cells and data sets. The measures
        are "mean difference", and "lower limit" and "upper limit" (1.96 standard deviations from
        the mean difference).

    References
    ----------
    J. M. Bland, D. G. Altman, "Statistical methods for assessing agreement between two methods of
    clinical measurement", Lancet 327, 307-310, 1986.
    """
    lines = []
    for paper, of_paper in scores_compared(card).groupby("paper", sort=False):
        powers = of_paper.assign(one=1.0, square=of_paper["difference"] ** 2)
        families = powers["dataset"].map(family)
        sums = powers[["one", "difference", "square"]].groupby(families).sum().to_numpy()
        drawn = drawn_times(len(sums), 0)
        n, first, second = (np.vstack((np.ones(len(sums), int), drawn)) @ sums).T
        mean = first / n
        reach = 1.96 * np.sqrt(np.maximum(second / n - mean**2, 0))
        limits = {"mean difference": 0, "lower limit": -reach, "upper limit": reach}
        for measure, distance in limits.items():
            value, *draws = mean + distance
            ends = np.quantile(draws, [0.025, 0.975])
            counts = len(of_paper), of_paper["dataset"].nunique()
            lines.append((paper, measure, value, *ends, *counts))
    columns = ["paper", "measure", "value", "low", "high", "cells", "data sets"]
    return pd.DataFrame(lines, columns=columns)


def scores_compared(card: pd.DataFrame) -> pd.DataFrame:
    """Compared cells with scores (no times or distances), with each published number once."""
    is_score = ~card["metric"].eq("seconds") & ~card["distance"].eq(True)
    return card[card["verdict"].isin(COMPARED) & is_score & (card["repeats_cell"] == "")]
