"""Make the folder that ships with the package anew: ``make kept``, in the project's folder.

Scores come from ``results-published/`` and, of runs that are not there, from the folder as it is;
base clusterings from ``data/pools/`` or else from the sources of the data. A method without a
random part is fitted again on every ensemble: where its scores are not the kept ones, nothing is
written.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coassoc.bench.benchmark import Benchmark
from coassoc.bench.datasets.batteries import load_batteries
from coassoc.bench.datasets.registry import DatasetEntry, load_datasets
from coassoc.bench.fits import fit
from coassoc.bench.shipped import SHIPPED_FOLDER, Shipped, ensemble_fingerprint
from coassoc.bench.storage.configuration import load_yaml
from coassoc.bench.storage.hdf5 import read_pool, write_dataset, write_pool
from coassoc.bench.storage.records import Pool
from coassoc.errors import CoassocError, DataError
from coassoc.io.atomic import write_bytes, write_text
from coassoc.methods import METHODS
from coassoc.metrics import score_against
from reproduction.scores.files import SOURCE, places_of
from reproduction.study.ranking import GROUPS

#: Its scores show that ensembles are those of the kept results.
_WITNESS = "LWEA"
_PUBLISHED, _CONFIG = Path("results-published"), Path("config")
_SEED, _METRICS = 0, ("ACC", "NMI", "ARI", "Purity", "F-score")
#: Columns of a repeat that ship: no times, which another machine measured.
_COLUMNS = ("point", "parameters", "repeat", "status", "code", "n_clusters_found")
#: Licences that allow to pass on a data set and labels made of it: one that says so.
_FREE = ("CC BY 4.0", "CC BY 3.0", "CC0", "public domain")


def keep(folder: Path = SHIPPED_FOLDER, work: Path = Path("results/kept")) -> None:
    """Write the shipped folder; `work` keeps what is fetched and made on the way.

    Raises
    ------
    DataError
        If an ensemble is not the one behind the kept scores.
    """
    cells = pd.read_parquet(_PUBLISHED / "ranking_cells.parquet").query("metric == 'ARI'")
    (pool,), (m,) = cells["pool"].unique(), cells["m"].unique()
    scores = _scores(folder)
    known = load_datasets(_CONFIG / "datasets.yaml")
    known |= load_batteries(_CONFIG / "batteries.yaml")
    entries = {name: known[name] for name in cells["dataset"].unique()}
    pools = load_yaml(_CONFIG / "pools.yaml")
    new = work / "new"
    _write_yaml(new / "datasets.yaml", {name: _plain(dataset) for name, dataset in entries.items()})
    _write_yaml(new / "pools.yaml", {pool: pools[pool]})
    sources = list(_sources(cells, scores[SOURCE].unique()))
    lines = _lines(scores, {source for *_, given in sources for source in given.get("sources", ())})
    facts: dict[str, Any] = {
        "version": version("coassoc"),
        "pool": pool,
        "m": int(m),
        "seed": _SEED,
        "metrics": list(_METRICS),
        "rows": _rows(cells, lines),
        "datasets": {},
        "cells": sources,
    }
    write_text(new / "facts.json", json.dumps(facts))
    benchmark = Benchmark(folder=work, report=print, shipped=Shipped(new))
    for name, entry in entries.items():
        earlier = Path("data/pools") / pool / f"{name}.h5"
        made = read_pool(earlier) if earlier.exists() else benchmark.base_clusterings(name)
        repeats = _checked(name, made, m, lines)
        facts["made"] = made.attributes["made"]
        facts["datasets"][name] = {
            "n": len(made.labels),
            "d": entry.d,
            "classes": made.n_classes,
            "groups": [
                *([f"battery {entry.battery}"] if entry.battery else []),
                *(group for group, names in GROUPS.items() if name in names),
            ],
            "licence": entry.licence,
            "citation": entry.citation,
            "repeats": repeats,
            "fingerprint": ensemble_fingerprint(made, m),
        }
        if entry.licence in _FREE:
            about = {"name": name, "licence": entry.licence, "citation": entry.citation}
            dataset = replace(benchmark.features_and_classes(name), attributes=about)
            write_dataset(new / "datasets" / f"{name}.h5", dataset)
            about = {"pool": pool, "dataset": name, "made": facts["made"]}
            drawn = replace(made, draws={m: made.draws[m]}, attributes=about)
            write_pool(new / "pools" / f"{name}.h5", drawn)
    # A fifth less than by default.
    stored: dict[str, Any] = {"compression": "brotli", "compression_level": 11}
    stored |= {"write_page_checksum": True}
    write_bytes(new / "scores.parquet", lines.to_parquet(index=False, **stored))
    write_text(new / "facts.json", json.dumps(facts))
    shutil.copytree(new, folder, dirs_exist_ok=True)


def _scores(folder: Path) -> pd.DataFrame:
    """Lines of all runs, new ones first."""
    files = [_PUBLISHED / "kept/ranking_scores.parquet", folder / "scores.parquet"]
    new, old = (pd.read_parquet(file) if file.exists() else pd.DataFrame() for file in files)
    if new.empty or old.empty:
        return new if old.empty else old
    return pd.concat([new, old[~old[SOURCE].isin(new[SOURCE])]], ignore_index=True)


def _plain(entry: DatasetEntry) -> dict[str, Any]:
    """An entry as a catalogue has it."""
    return entry.model_dump(exclude_defaults=True, exclude={"name"})


def _sources(cells: pd.DataFrame, known: Any) -> Iterator[tuple[str, str, dict]]:
    """Row, data set, and the runs behind the cell or the reason why there are none."""
    for cell in cells.itertuples():
        if not isinstance(cell.run, str):
            yield cell.row, cell.dataset, {"not_run": cell.reason.removeprefix("not run: ")}
            continue
        several = [cell.run]
        if _is_tuned(cell.row) and "race=" not in cell.run:
            place = cell.run.rpartition("/")[0] + "/"
            grids = [source for source in known if source.startswith(place)]
            several = [grid for grid in grids if "+" in grid and "race=" not in grid]
        yield cell.row, cell.dataset, {"sources": several}


def _is_tuned(row: str) -> bool:
    return row.endswith(" (tuned)")


def _lines(scores: pd.DataFrame, sources: set[str]) -> pd.DataFrame:
    """Lines of the runs, in the form of a file of scores."""
    scores = scores[scores[SOURCE].isin(sources)]
    codes = scores["code"].str.split(", ").str[0]
    shown = [*_COLUMNS, *_METRICS, SOURCE]
    whole = dict.fromkeys(("point", "repeat"), "int64")
    return scores.assign(code=codes)[shown].astype(whole).reset_index(drop=True)


def _rows(cells: pd.DataFrame, lines: pd.DataFrame) -> dict[str, dict[str, Any]]:
    method = places_of(lines)["method"]
    codes = lines["code"].groupby(method).unique()
    return {
        row: {
            "method": name,
            "title": METHODS[name].title,
            "tune": "ARI" if _is_tuned(row) else None,
            "tuned": _is_tuned(row),
            "reads_order": METHODS[name].depends_on_sample_order,
            "codes": sorted(codes[name]),
        }
        for row in cells["row"].unique()
        if (name := row.removesuffix(" (tuned)"))
    }


def _checked(name: str, pool: Pool, m: int, lines: pd.DataFrame) -> int:
    """How many draws of a data set the kept scores are of, on which the witness is fitted again."""
    of_dataset = lines[places_of(lines)["dataset"] == name]
    repeats = int(of_dataset["repeat"].max()) + 1
    plain = ("/default", f"/repeats={repeats}")
    method = places_of(of_dataset)["method"]
    of_witness = of_dataset[(method == _WITNESS) & of_dataset[SOURCE].str.endswith(plain)]
    kept = of_witness.sort_values("repeat")["ARI"]
    scores = [
        score_against(pool.references, fit(METHODS[_WITNESS](pool.n_classes), labels).labels_)
        for labels in (pool.labels[:, draw] for draw in pool.draws_of(m)[:repeats])
    ]
    again = [score["ARI"] for score in scores]
    if len(kept) != repeats or not np.allclose(again, kept, rtol=0, atol=1e-12):
        raise DataError(
            f"{name}: {_WITNESS} scores differently on these base clusterings than on the archived "
            "ones. A different version of scikit-learn or a different processor computed the "
            "archived ones."
        )
    return repeats


def _write_yaml(path: Path, entries: Mapping[str, Any]) -> None:
    """An entry in a line; what JSON writes is YAML."""
    lines = (f"{json.dumps(name)}: {json.dumps(entry)}\n" for name, entry in entries.items())
    write_text(path, "".join(lines))


if __name__ == "__main__":
    try:
        keep()
    except CoassocError as error:
        sys.exit(f"coassoc: {error}")
