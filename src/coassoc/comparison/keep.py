"""Make the folder that ships with the package anew: ``make kept``, in the project's folder.

Scores come from ``results-published/``, ensembles from their sources. A method without a random
part is fitted again on every ensemble: where its scores are not the kept ones, nothing is written.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coassoc.comparison.ensembles import Ensembles
from coassoc.comparison.kept import FOLDER, Kept
from coassoc.errors import CoassocError, DataError
from coassoc.methods import METHODS
from coassoc.metrics import adjusted_rand_index, contingency_table
from coassoc.plan.methods import LIBRARY
from coassoc.plan.revisions import read_lines
from coassoc.results.score_files import write_scores
from coassoc.running.fits import fit
from coassoc.storage.configuration import load_yaml
from coassoc.storage.hdf5 import read_draws
from coassoc.storage.records import Pool
from coassoc.storage.whole import write_text, write_whole

#: Its scores show that ensembles are those of the kept results.
_WITNESS = "LWEA"
_PUBLISHED, _CONFIG = Path("results-published"), Path("config")
_SEED, _METRICS = 0, ("ACC", "NMI", "ARI", "Purity", "F-score")
#: Columns of a repeat that ship: no times, which another machine measured.
_COLUMNS = ("point", "parameters", "repeat", "status", "code", "n_clusters_found", "digits")


def keep(folder: Path = FOLDER, work: Path = Path("results/kept")) -> None:
    """Write the shipped folder; `work` keeps what is fetched and made on the way.

    Raises
    ------
    DataError
        If an ensemble is not the one behind the kept scores.
    """
    cells = pd.read_parquet(_PUBLISHED / "ranking_cells.parquet")
    cells = cells[cells["metric"] == "ARI"]
    (pool,), (m,) = cells["pool"].unique(), cells["m"].unique()
    catalogue = load_yaml(_CONFIG / "datasets.yaml")
    # Those of batteries are fetched under conditions of their own.
    cells = cells[cells["dataset"].isin(list(catalogue))]
    datasets = list(cells["dataset"].unique())
    scores = pd.read_parquet(_PUBLISHED / "ranking_scores.parquet")
    place = ["pool", "dataset", "m", "method", "block"]
    scores[place] = scores["source"].str.split("/", expand=True).to_numpy()
    pools = load_yaml(_CONFIG / "pools.yaml")
    new = work / "new"
    _write_yaml(new / "datasets.yaml", {name: catalogue[name] for name in datasets})
    _write_yaml(new / "pools.yaml", {pool: pools[pool]})
    sources = list(_sources(cells, scores))
    lines = _lines(scores, {each for *_, given in sources for each in given.get("sources", ())})
    facts: dict[str, Any] = {
        "version": version("coassoc"),
        "pool": pool,
        "m": int(m),
        "repeats": pools[pool]["draws"]["repeats"],
        "seed": _SEED,
        "metrics": list(_METRICS),
        "rows": _rows(cells, lines),
        "datasets": {name: {"fingerprint": ""} for name in datasets},
        "cells": sources,
    }
    write_text(new / "facts.json", json.dumps(facts))
    ensembles = Ensembles(Kept(new), work, report=print)
    made = {name: ensembles.made(name) for name in datasets}
    for name, each in made.items():
        _check(name, each, m, lines)
    groups = load_yaml(_CONFIG / "full.yaml")["ranking"]["groups"]
    facts["datasets"] = {
        name: _dataset(name, catalogue[name], each, groups) for name, each in made.items()
    }
    facts["made"] = made[datasets[0]].attributes["made"]
    shipped = {name: made[name] for name in datasets if _may_ship(catalogue[name])}
    write_scores(new / "scores.parquet", lines)
    write_whole(new / "ensembles.npz", _arrays(shipped, m))
    write_text(new / "facts.json", json.dumps(facts))
    for file in new.iterdir():
        write_whole(folder / file.name, file.read_bytes())


def _may_ship(entry: Mapping[str, Any]) -> bool:
    """Whether a data set's licence allows to pass on labels made of it: it must say so."""
    return str(entry["licence"]) in ("CC BY 4.0", "CC BY 3.0", "CC0", "public domain")


def _sources(cells: pd.DataFrame, scores: pd.DataFrame) -> Iterator[tuple[str, str, dict]]:
    """Row, data set, and the runs behind the cell or the reason why there are none."""
    blocks = scores.groupby(["dataset", "method"])["block"].unique()
    for cell in cells.itertuples():
        if not isinstance(cell.run, str):
            yield cell.row, cell.dataset, {"not_run": cell.reason.removeprefix("not run: ")}
            continue
        place, _, block = cell.run.rpartition("/")
        several = [block]
        if _is_tuned(cell.row) and "race=" not in block:
            method = place.rpartition("/")[2]
            grids = blocks[cell.dataset, method]
            several = [each for each in grids if "+" in each and "race=" not in each]
        yield cell.row, cell.dataset, {"sources": [f"{place}/{each}" for each in several]}


def _is_tuned(row: str) -> bool:
    return row.endswith(" (tuned)")


def _lines(scores: pd.DataFrame, sources: set[str]) -> pd.DataFrame:
    """Lines of the runs, in the form of a file of scores."""
    known = {(each.name, each.fingerprint): f"{each.name} {each.revision}" for each in read_lines()}
    scores = scores[scores["source"].isin(sources)]
    first = scores["code"].str.split(", ").str[0]
    codes = [known.get(each, each[1]) for each in zip(scores["method"], first, strict=True)]
    shown = [*_COLUMNS, *_METRICS, "source"]
    whole = dict.fromkeys(("point", "repeat"), "int64")
    return scores.assign(code=codes).reindex(columns=shown).astype(whole).reset_index(drop=True)


def _rows(cells: pd.DataFrame, lines: pd.DataFrame) -> dict[str, dict[str, Any]]:
    titles = load_yaml(LIBRARY)
    method = lines["source"].str.split("/").str[3]
    codes = lines["code"].groupby(method).unique()
    rounded = set(method[lines["digits"].notna()])
    rows = {}
    for row in cells["row"].unique():
        name = row.removesuffix(" (tuned)")
        rows[row] = {
            "method": name,
            "title": titles[name]["title"],
            "tune": "ARI" if _is_tuned(row) else None,
            "tuned": _is_tuned(row),
            "reads_order": METHODS.method(name).depends_on_sample_order,
            "codes": sorted(codes[name]),
            "note": "scores of repeats kept to four digits" if name in rounded else "",
        }
    return rows


def _dataset(
    name: str, entry: Mapping[str, Any], pool: Pool, groups: Mapping[str, list[str]]
) -> dict[str, Any]:
    return {
        "n": len(pool.labels),
        "classes": pool.n_classes,
        "groups": [group for group, names in groups.items() if name in names],
        "licence": entry["licence"],
        "citation": entry["citation"],
        "fingerprint": pool.attributes["fingerprint"],
    }


def _check(name: str, pool: Pool, m: int, lines: pd.DataFrame) -> None:
    """Fit the witness on every draw; its scores must be the kept ones."""
    place = f"{pool.attributes['pool']}/{name}/m{m}/{_WITNESS}/default"
    kept = lines[lines["source"] == place].sort_values("repeat")["ARI"]
    found = [
        adjusted_rand_index(
            contingency_table(pool.classes, fit(METHODS[_WITNESS](pool.n_classes), labels).labels_)
        )
        for labels in (pool.labels[:, draw] for draw in read_draws(pool, m))
    ]
    if len(kept) != len(found) or not np.allclose(found, kept, rtol=0, atol=1e-12):
        raise DataError(
            f"{name}: {_WITNESS} has other scores on these base clusterings than on those of the "
            "kept results; they were made by another version of scikit-learn, or on another "
            "processor."
        )


def _arrays(pools: Mapping[str, Pool], m: int) -> bytes:
    arrays: dict[str, Any] = {}
    for name, pool in pools.items():
        arrays[f"{name}/labels"] = pool.labels
        arrays[f"{name}/y"] = np.asarray(pool.y, dtype=np.int64)
        arrays[f"{name}/draws"] = np.asarray(pool.draws[m], dtype=np.int64)
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def _write_yaml(path: Path, entries: Mapping[str, Any]) -> None:
    """An entry in a line; what JSON writes is YAML."""
    lines = (f"{json.dumps(name)}: {json.dumps(each)}\n" for name, each in entries.items())
    write_text(path, "".join(lines))


if __name__ == "__main__":
    try:
        keep()
    except CoassocError as error:
        sys.exit(f"coassoc: {error}")
