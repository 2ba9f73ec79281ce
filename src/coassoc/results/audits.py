"""Audits: comparisons that no paper makes, as lines of numbers and as tables to read.

:func:`audit` makes one, of any of the four kinds:

:func:`compare_variants`
    Each method in several settings: samples in stored and in random order, parameters at their
    defaults and tuned, base clusterings of one pool and of another.
:func:`compare_methods`
    Methods against each other over all data sets: ranks, tests, corrections.
:func:`fit_growth`
    Time and memory against the number of samples, with fitted exponents.
:func:`coassoc.results.protocols.compare_protocols`
    Printed cells, made in each of the ways that a paper leaves open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, linregress, mannwhitneyu, rankdata, wilcoxon

from coassoc.errors import DataError
from coassoc.results.pages import write_sortable_page
from coassoc.results.protocols import compare_protocols, protocol_remark, protocol_table
from coassoc.results.tables import cell_scores, hardware_note, write_lines
from coassoc.running.provenance import commit

__all__ = [
    "LEVEL",
    "Audit",
    "Significance",
    "audit",
    "compare_methods",
    "compare_variants",
    "fit_growth",
    "growth_remark",
    "growth_table",
    "holm",
    "significance_remark",
    "significance_table",
    "variants_remark",
    "variants_table",
    "write_audit",
]

#: Probability of an error that the tests allow.
LEVEL = 0.05
#: Repeats below which a test within a data set cannot find anything.
_FEWEST_REPEATS = 6
#: Megabytes below which a measured peak is noise of the memory allocator.
_SMALLEST_PEAK = 1.0

Scores = Mapping[str, pd.DataFrame]
Cells = Iterable[Mapping[str, Any]]


class Audit(NamedTuple):
    """Result of :func:`audit`.

    Attributes
    ----------
    kind : str
        "comparison", "protocol", "significance" or "scaling".
    metric : str
        Name of the score in tables; of several, the first.
    found : DataFrame or Significance
        What the kind's function returns.
    table : DataFrame
        The numbers as text, laid out to be read.
    remark : str
        How the numbers were made.
    """

    kind: str
    metric: str
    found: Any
    table: pd.DataFrame
    remark: str

    @property
    def lines(self) -> pd.DataFrame:
        """One line per number."""
        return self.found.methods if self.kind == "significance" else self.found


def audit(
    kind: str,
    cells: Cells,
    scores: Scores,
    spec: Mapping[str, Any],
    published: Sequence[Mapping[str, str]] = (),
) -> Audit:
    """Make one audit.

    Parameters
    ----------
    kind : {"comparison", "protocol", "significance", "scaling"}
    cells : iterable of mapping
        Cells of the audit (:meth:`coassoc.plan.artefacts.Cell.as_parameters`).
    scores : mapping of str to DataFrame
        Score files, or files of measured times for "scaling", by their stems.
    spec : mapping
        The audit's entry in its file: metrics, and for "significance" relative_to.
    published : sequence of mapping
        For "protocol", the published numbers.
    """
    if kind == "scaling":
        growth = fit_growth(cells, scores)
        return Audit(kind, "seconds", growth, growth_table(growth), growth_remark(growth))
    metric, column = next(iter(spec["metrics"].items()))
    if kind == "protocol":
        found = compare_protocols(cells, scores, spec["metrics"], published)
        return Audit(kind, metric, found, protocol_table(found), protocol_remark(found))
    if kind == "significance":
        cells = list(cells)
        reference = next(cell["label"] for cell in cells if cell["row"] == spec["relative_to"])
        tests = compare_methods(cells, scores, column, reference)
        return Audit(kind, metric, tests, significance_table(tests), significance_remark(tests))
    variants = compare_variants(cells, scores, column)
    remark = variants_remark(variants, metric)
    return Audit(kind, metric, variants, variants_table(variants), remark)


def holm(p: pd.Series) -> pd.Series:
    """Holm's correction of the p-values of several tests; missing ones stay missing."""
    from statsmodels.stats.multitest import multipletests

    given = p.dropna()
    if given.empty:
        return p
    return pd.Series(multipletests(given, method="holm")[1], index=given.index).reindex(p.index)


# -- variants of a method -------------------------------------------------------------------------


def compare_variants(cells: Cells, scores: Scores, column: str) -> pd.DataFrame:
    """Mean scores of each method, data set and variant, against the first variant.

    Parameters
    ----------
    cells : iterable of mapping
        Cells of the audit; their ``variant`` says which variant they are.
    scores : mapping of str to DataFrame
        Score files by their stems.
    column : str
        The score.

    Returns
    -------
    DataFrame
        Columns label, dataset, variant, pool, m, parameters, run, repeats, mean, std, difference
        (from the method's first variant), difference_std, p (Holm-corrected over all lines).

    Notes
    -----
    Variants that share the draws are compared repeat by repeat (Wilcoxon's signed ranks), others
    as two samples (Mann & Whitney). With fewer than six repeats no test is made.
    """
    lines = []
    first: dict[tuple[str, str], tuple[pd.Series, str]] = {}
    for cell in cells:
        frame, origin = cell_scores(cell, scores)
        good = frame[frame["status"] == "ok"].set_index("repeat")
        values = good[column] if column in good else pd.Series(dtype=float)
        draws = cell["pool"].removesuffix("-shuffled")
        start, start_draws = first.setdefault((cell["label"], cell["dataset"]), (values, draws))
        line = {key: cell[key] for key in ("label", "dataset", "variant", "pool", "m")}
        line |= {**origin, "repeats": len(values), "mean": values.mean(), "std": values.std()}
        if values is not start:
            line |= _change(start, values, paired=draws == start_draws)
        lines.append(line)
    found = pd.DataFrame(lines)
    for name in ("difference", "difference_std", "p"):
        found[name] = found.get(name, np.nan)
    return found.assign(p=holm(found["p"]))


def _change(start: pd.Series, values: pd.Series, paired: bool) -> dict[str, float]:
    """Difference from the first variant, its spread, and the p-value of no difference."""
    if paired:
        change = (values - start).dropna()
        difference, spread = change.mean(), change.std()
        if len(change) < _FEWEST_REPEATS:
            p = np.nan
        else:
            p = wilcoxon(change).pvalue if change.abs().max() > 0 else 1.0
    else:
        difference = values.mean() - start.mean()
        spread = float(np.hypot(values.std(), start.std()))
        enough = min(len(start), len(values)) >= _FEWEST_REPEATS
        p = mannwhitneyu(start, values).pvalue if enough else np.nan
    return {"difference": difference, "difference_std": spread, "p": p}


def variants_table(found: pd.DataFrame) -> pd.DataFrame:
    """Methods down, data sets and variants across; a star marks what the test finds."""
    text = found.apply(_variant_text, axis=1)
    wide = found.assign(text=text).pivot(
        index="label", columns=["dataset", "variant"], values="text"
    )
    columns = list(dict.fromkeys(zip(found["dataset"], found["variant"], strict=True)))
    wide = wide.reindex(index=list(dict.fromkeys(found["label"])), columns=columns).fillna("")
    wide.columns = [", ".join(name) for name in columns]
    return wide.rename_axis("method")


def _variant_text(line: pd.Series) -> str:
    number = f"{line['mean']:.3f}±{line['std']:.3f}" if np.isfinite(line["mean"]) else "no score"
    if not np.isfinite(line["difference"]):
        return number
    star = "*" if line["p"] < LEVEL else ""
    return f"{number} ({line['difference']:+.3f}{star})"


def variants_remark(found: pd.DataFrame, metric: str) -> str:
    """What the numbers and stars mean."""
    repeats = found["repeats"].max()
    few = (
        "" if repeats >= _FEWEST_REPEATS else f" No test with fewer than {_FEWEST_REPEATS} repeats."
    )
    return (
        f"{metric}, mean±standard deviation over {repeats} repeats; in parentheses the difference "
        f"from the first variant, with a star where it is significant at {LEVEL:g} after Holm's "
        f"correction.{few} Pools: {', '.join(dict.fromkeys(found['pool']))}; "
        f"m = {', '.join(str(m) for m in dict.fromkeys(found['m']))}."
    )


# -- methods against each other -------------------------------------------------------------------


class Significance(NamedTuple):
    """Result of :func:`compare_methods`.

    Attributes
    ----------
    methods : DataFrame
        One line per method: rank (mean over the data sets), mean; against the reference
        difference, wins, ties, losses (data sets on which the repeats tell the two apart),
        p_wilcoxon (over the data sets, Holm-corrected) and p_nemenyi.
    ranks : Series
        Mean rank of each method.
    nemenyi : DataFrame
        p-value of each pair of methods.
    friedman : float
        p-value of all methods being alike.
    blocks : int
        Data sets.
    """

    methods: pd.DataFrame
    ranks: pd.Series
    nemenyi: pd.DataFrame
    friedman: float
    blocks: int


def compare_methods(cells: Cells, scores: Scores, column: str, reference: str) -> Significance:
    """Demšar's tests: Friedman over data sets, then Nemenyi for all pairs and Wilcoxon for one.

    Parameters
    ----------
    cells, scores, column
        As for :func:`compare_variants`.
    reference : str
        Label of the method that the others are compared with.

    Notes
    -----
    The blocks are data sets, each with the mean over its repeats: repeats on one data set are no
    independent evidence. Data sets on which a method has no score are left out. Wins and losses
    use the repeats, paired by draw, with Holm's correction over all methods and data sets.
    """
    import scikit_posthocs

    repeats: dict[tuple[str, str], pd.Series] = {}
    for cell in cells:
        frame, _ = cell_scores(cell, scores)
        good = frame[frame["status"] == "ok"].set_index("repeat")
        if column not in good:
            raise DataError(
                f"{cell['dataset']} has no {column}, by which the methods are compared: "
                "its classes are unknown."
            )
        repeats[cell["dataset"], cell["label"]] = good[column]
    means = pd.Series({key: values.mean() for key, values in repeats.items()}).unstack(sort=False)
    means = means.dropna()
    ranks = pd.DataFrame(
        [rankdata(-row) for row in means.round(6).to_numpy()], means.index, means.columns
    ).mean()
    enough = len(means) > 1 and means.shape[1] > 2
    nemenyi = (
        scikit_posthocs.posthoc_nemenyi_friedman(means.to_numpy())
        if enough
        else pd.DataFrame(np.ones((means.shape[1],) * 2))
    )
    nemenyi = pd.DataFrame(nemenyi.to_numpy(), means.columns, means.columns)
    friedman = friedmanchisquare(*means.T.to_numpy()).pvalue if enough else np.nan
    methods = pd.DataFrame({"rank": ranks, "mean": means.mean()})
    methods["difference"] = methods["mean"] - methods.loc[reference, "mean"]
    methods = methods.join(_duels(repeats, list(means.index), list(means.columns), reference))
    others = [name for name in means if name != reference]
    p = {name: _wilcoxon(means[name] - means[reference]) for name in others}
    methods["p_wilcoxon"] = holm(pd.Series(p, dtype=float))
    methods["p_nemenyi"] = nemenyi[reference].where(nemenyi.index != reference)
    methods = methods.sort_values("rank").rename_axis("method")
    return Significance(methods, ranks, nemenyi, float(friedman), len(means))


def _wilcoxon(change: pd.Series) -> float:
    if len(change) < 2 or not change.abs().max() > 0:
        return float("nan")
    return float(wilcoxon(change).pvalue)


def _duels(
    repeats: Mapping[tuple[str, str], pd.Series],
    datasets: list[str],
    methods: list[str],
    reference: str,
) -> pd.DataFrame:
    """On how many data sets a method is better, alike and worse than the reference."""
    changes = {
        (method, dataset): (repeats[dataset, method] - repeats[dataset, reference]).dropna()
        for method in methods
        if method != reference
        for dataset in datasets
    }
    p = {
        key: _wilcoxon(change) if len(change) >= _FEWEST_REPEATS else np.nan
        for key, change in changes.items()
    }
    if not np.isfinite(list(p.values())).any():
        return pd.DataFrame(np.nan, index=methods, columns=["wins", "ties", "losses"])
    found = holm(pd.Series(p, dtype=float)) < LEVEL
    signs = pd.Series({key: np.sign(change.mean()) for key, change in changes.items()}) * found
    counts = {
        name: (signs == sign).groupby(level=0, sort=False).sum()
        for name, sign in (("wins", 1), ("ties", 0), ("losses", -1))
    }
    return pd.DataFrame(counts)


def significance_table(found: Significance) -> pd.DataFrame:
    """The comparison as text, methods by mean rank."""
    lines = found.methods
    duels = lines[["wins", "ties", "losses"]]
    return pd.DataFrame(
        {
            "mean rank": lines["rank"].map("{:.2f}".format),
            "mean": lines["mean"].map("{:.3f}".format),
            "difference": lines["difference"].map("{:+.3f}".format),
            "better / alike / worse": [
                "" if np.isnan(row).any() else " / ".join(f"{value:.0f}" for value in row)
                for row in duels.to_numpy(dtype=float)
            ],
            "p (Wilcoxon, Holm)": lines["p_wilcoxon"].map(_p_text),
            "p (Nemenyi)": lines["p_nemenyi"].map(_p_text),
        }
    ).rename_axis("method")


def significance_remark(found: Significance) -> str:
    """What was tested, on how much, and whether the methods differ at all."""
    return (
        f"{found.blocks} data sets. Friedman's test of all methods being alike: "
        f"p = {_p_text(found.friedman) or 'not defined'}. Difference, counts of data sets and "
        "p-values against the method without a difference; better and worse are counted where "
        f"the repeats differ at {LEVEL:g} after Holm's correction, which needs "
        f"{_FEWEST_REPEATS} repeats."
    )


def _p_text(p: float) -> str:
    if not np.isfinite(p):
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


# -- growth -----------------------------------------------------------------------------------


def fit_growth(cells: Cells, scores: Scores) -> pd.DataFrame:
    """Exponents b of time and memory, fitted as a nᵇ by least squares of the logarithms.

    Parameters
    ----------
    cells : iterable of mapping
    scores : mapping of str to DataFrame
        Files of :func:`coassoc.running.timing.measure_scaling` by their stems.

    Returns
    -------
    DataFrame
        One line per method, data set and n: label, dataset, n, n_micro, seconds and peak_mb
        (medians over the repeats), their spreads seconds_std and peak_mb_std; and the same on all
        lines of a method: seconds_exponent, seconds_error, peak_mb_exponent, peak_mb_error, and
        cpu, cores, threads, pool, m, commit.
    """
    lines = []
    for cell in cells:
        frame, _ = cell_scores(cell, scores)
        good = frame[frame["status"] == "ok"]
        by_n = good.groupby("n")
        points = by_n[["n_micro", "seconds", "peak_mb"]].median()
        spread = by_n[["seconds", "peak_mb"]].std().add_suffix("_std")
        fitted = {
            f"{name}_{part}": value
            for name, least in (("seconds", 0.0), ("peak_mb", _SMALLEST_PEAK))
            for part, value in _exponent(points[name], least).items()
        }
        origin = {key: cell[key] for key in ("label", "dataset", "pool", "m")}
        machine = {key: frame[key].iloc[0] for key in ("cpu", "cores", "threads", "commit")}
        lines.append(points.join(spread).reset_index().assign(**fitted, **origin, **machine))
    return pd.concat(lines, ignore_index=True)


def _exponent(values: pd.Series, least: float) -> dict[str, float]:
    """Slope of log(values) against log(n), and its standard error; needs three sizes."""
    large = values[values > least]
    if len(large) < 3:
        return {"exponent": np.nan, "error": np.nan}
    fit = linregress(np.log(large.index.to_numpy(dtype=float)), np.log(large))
    return {"exponent": float(fit.slope), "error": float(fit.stderr)}


def growth_table(found: pd.DataFrame) -> pd.DataFrame:
    """Seconds at each n, the memory at the largest, and both exponents."""
    rows = {}
    for label, lines in found.groupby("label", sort=False):
        largest = lines.loc[lines["n"].idxmax()]
        seconds = zip(lines["n"], lines["seconds"], strict=True)
        row = {f"seconds, n = {n}": f"{value:.3g}" for n, value in seconds}
        row["exponent of time"] = _exponent_text(largest, "seconds")
        row[f"MB, n = {found['n'].max()}"] = (
            f"{largest['peak_mb']:.3g}" if largest["n"] == found["n"].max() else ""
        )
        row["exponent of memory"] = _exponent_text(largest, "peak_mb")
        rows[label] = row
    columns = [
        *(f"seconds, n = {n}" for n in sorted(found["n"].unique())),
        "exponent of time",
        f"MB, n = {found['n'].max()}",
        "exponent of memory",
    ]
    table = pd.DataFrame.from_dict(rows, orient="index").reindex(columns=columns)
    return table.fillna("").rename_axis("method")


def _exponent_text(line: pd.Series, name: str) -> str:
    if not np.isfinite(line[f"{name}_exponent"]):
        return ""
    return f"{line[f'{name}_exponent']:.2f}±{line[f'{name}_error']:.2f}"


def growth_remark(found: pd.DataFrame) -> str:
    """What was fitted, and where it was measured."""
    datasets = ", ".join(dict.fromkeys(found["dataset"]))
    return (
        f"Random shares of {datasets}, m = {found['m'].iloc[0]}; medians over the repeats; time "
        "and memory fitted as a power of n, with the standard error of the exponent. Memory is "
        f"what a fit adds to the process; less than {_SMALLEST_PEAK:g} MB is not fitted. "
        f"{hardware_note(found)}"
    )


# -- writing ----------------------------------------------------------------------------------


def write_audit(paths: Mapping[str, Any], result: Audit, spec: Mapping[str, Any]) -> None:
    """Write an audit as CSV (one line per number), Markdown and a web page.

    Parameters
    ----------
    paths : mapping
        Paths for "csv", "md" and "html".
    result : Audit
        What was found.
    spec : mapping
        The audit's entry in its file: title, caption.
    """
    title, caption, table = spec["title"], spec["caption"], result.table
    note = f"{result.remark} Version {commit()}."
    index = result.lines.index.name is not None
    write_lines(paths["csv"], result.lines, index)
    Path(paths["md"]).write_text(
        f"# {title}\n\n{caption}\n\n{table.to_markdown()}\n\n{note}\n", encoding="utf-8"
    )
    write_sortable_page(paths["html"], table, title=title, caption=caption, note=note)
