"""Each method in several settings, called variants, against the first of them.

Parameters at their defaults and tuned, base clusterings of one pool and of another.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
from scipy.stats import mannwhitneyu, spearmanr

from coassoc.plan.keys import stored_pool
from coassoc.results.audits.evidence import Evidence
from coassoc.results.audits.statistics import FEWEST_REPEATS, LEVEL, holm, signed_rank_p


def compare(evidence: Evidence) -> pd.DataFrame:
    """Mean scores of each method, data set and variant, against the method's first variant.

    Returns
    -------
    DataFrame
        Columns label, dataset, variant, pool, m, parameters, run, repeats, mean, std, difference
        (from the first variant), difference_std, p (Holm-corrected over all lines).

    Notes
    -----
    Variants that share the draws are compared repeat by repeat (Wilcoxon's signed ranks), others
    as two samples (Mann & Whitney). With fewer than six repeats no test is made.
    """
    lines = []
    first: dict[tuple[str, str], tuple[pd.Series, str]] = {}
    for cell, values, line in evidence.values():
        draws = stored_pool(cell["pool"])
        start, start_draws = first.setdefault((cell["label"], cell["dataset"]), (values, draws))
        if values is not start:
            line |= _change(start, values, paired=draws == start_draws)
        place = {key: cell[key] for key in ("label", "dataset", "variant")}
        lines.append(place | line)
    found = pd.DataFrame(lines)
    for name in ("difference", "difference_std", "p"):
        found[name] = found.get(name, np.nan)
    return found.assign(p=holm(found["p"]))


def _change(start: pd.Series, values: pd.Series, paired: bool) -> dict[str, float]:
    """Difference from the first variant, its spread, and the p-value of no difference."""
    if paired:
        change = (values - start).dropna()
        difference, spread = change.mean(), change.std()
        p = signed_rank_p(change) if len(change) >= FEWEST_REPEATS else np.nan
    else:
        difference = values.mean() - start.mean()
        spread = float(np.hypot(values.std(), start.std()))
        enough = min(len(start), len(values)) >= FEWEST_REPEATS
        p = mannwhitneyu(start, values).pvalue if enough else np.nan
    return {"difference": difference, "difference_std": spread, "p": p}


def table(found: pd.DataFrame) -> pd.DataFrame:
    """Data sets and their methods down, variants across; a star marks what the test finds."""
    text = found.apply(_text, axis=1, most=found["repeats"].max())
    names = ("dataset", "label", "variant")
    datasets, labels, variants = (list(dict.fromkeys(found[name])) for name in names)
    wide = found.assign(text=text).set_index([*names])["text"].unstack()
    lines = [line for line in itertools.product(datasets, labels) if line in wide.index]
    wide = wide.loc[lines, variants].fillna("").set_axis([", ".join(line) for line in lines])
    return wide.rename_axis("data set, method").rename_axis(None, axis="columns")


def _text(line: pd.Series, most: int) -> str:
    """Score and difference from the first variant, and the repeats where they are not the most."""
    text = f"{line['mean']:.3f}±{line['std']:.3f}" if np.isfinite(line["mean"]) else "no score"
    if np.isfinite(line["difference"]):
        star = "*" if line["p"] < LEVEL else ""
        text += f" ({line['difference']:+.3f}{star})"
    return text if line["repeats"] == most else f"{text}, r = {line['repeats']}"


def order_kept(found: pd.DataFrame) -> pd.Series:
    """How far the methods keep their order: rank correlation of their means with the first variant.

    For each other variant Spearman's coefficient, the mean over the data sets with three methods
    or more. Data sets on which all methods are equal say nothing and are left out.
    """
    coefficients = []
    for _, here in found.groupby("dataset", sort=False):
        means = here.pivot(index="label", columns="variant", values="mean")
        first, *others = dict.fromkeys(here["variant"])
        for other in others:
            both = means[[first, other]].dropna()
            if len(both) >= 3 and (both.nunique() > 1).all():
                coefficients.append((other, spearmanr(both[first], both[other]).statistic))
    lines = pd.DataFrame(coefficients, columns=["variant", "coefficient"])
    return lines.groupby("variant", sort=False)["coefficient"].mean()


def remark(found: pd.DataFrame, evidence: Evidence) -> str:
    """What the numbers and stars mean, and what becomes of the order on other base clusterings."""
    repeats = found["repeats"].max()
    few = "" if repeats >= FEWEST_REPEATS else f" No test with fewer than {FEWEST_REPEATS} repeats."
    text = (
        f"{evidence.metric}, mean±standard deviation over {repeats} repeats; in parentheses the "
        f"difference from the first variant, with a star where it is significant at {LEVEL:g} "
        f"after Holm's correction.{few} Pools: {', '.join(dict.fromkeys(found['pool']))}; "
        f"m = {', '.join(map(str, dict.fromkeys(found['m'])))}."
    )
    kept = order_kept(found)
    if found["pool"].map(stored_pool).nunique() == 1 or kept.empty:
        return text
    numbers = ", ".join(f"{name} {value:.2f}" for name, value in kept.items())
    return (
        f"{text} Rank correlation with the order of the first variant, mean over data sets: "
        f"{numbers}."
    )
