"""Captions of targets, with sentences on cells that the configuration leaves out."""

from collections.abc import Iterable

import pandas as pd

from coassoc.bench.pools.settings import PoolSettings
from reproduction.study.paths import Source, stored_pool
from reproduction.study.words import Target


def caption_of(target: Target, lines: pd.DataFrame, pools: dict[str, PoolSettings]) -> str:
    """The caption of a target, given its lines of results/cells.parquet."""
    caption, cells = target.caption, lines.drop_duplicates("cell")
    is_table = target.section == "tables"
    if not is_table:
        # A table shows the reasons in its cells. Other targets show only the available numbers.
        caption += _sentence_on_missing(cells)
    shown = cells[cells["not_run"].eq("") | is_table]
    if shown["instead"].any():
        shown_names = _listed(shown["dataset"])
        caption += f" This caption describes data sets other than those shown ({shown_names})."
    caption += _sentence_on_points(lines)
    whole = {
        name
        for name, m in zip(shown["pool"], shown["m"], strict=True)
        if m == pools[stored_pool(name)].size and pools[stored_pool(name)].repeats > 1
    }
    if whole:
        caption = (
            f"{caption.strip()} The following pools contain only as many base clusterings as one "
            f"ensemble: {', '.join(sorted(whole))}. All repeats on these pools therefore use the "
            "same ensemble, and deterministic methods have no spread."
        )
    return caption


def _sentence_on_missing(cells: pd.DataFrame) -> str:
    """A sentence on the cells that are not run; empty if all cells are run."""
    parts = []
    for reason, missing in cells[cells["not_run"].ne("")].groupby("not_run", sort=False):
        rows = _listed(missing["label"][missing["method"].ne("") | missing["reference"].ne("")])
        where = _listed(missing["dataset"])
        parts.append(f"{rows} on {where} ({reason})" if rows else f"{where} ({reason})")
    return f" Not run: {'; '.join(parts)}." if parts else ""


def _sentence_on_points(lines: pd.DataFrame) -> str:
    """Sentences on cells that use only a part of their grid, or that are not tuned."""
    swept, tuned, untuned = starts = (
        "Shown at only some grid points",
        "Tuned over only some grid points and the default",
        "Not tuned (default parameters)",
    )
    labels: dict[str, dict[str, list[str]]] = {start: {} for start in starts}
    n_sources = lines["cell"].value_counts()
    cut = lines[lines["source"].str.contains("points=", regex=False)].drop_duplicates("cell")
    for x in cut.itertuples():
        fitted, whole = Source.parse(x.source).points or (0, 0)
        start, place = swept if x.point != "null" else tuned, f"{x.dataset} ({fitted} of {whole})"
        if start == tuned and fitted == n_sources[x.cell] == 1:  # its one point is the default
            start, place = untuned, x.dataset
        labels[start].setdefault(place, []).append(x.label)
    return "".join(
        f" {start}: {'; '.join(f'{_listed(x)} on {place}' for place, x in places.items())}."
        for start, places in labels.items()
        if places
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))
