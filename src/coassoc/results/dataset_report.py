"""Report on data sets and pools: a summary for each data set, and tables over all of them.

A summary is a plain dictionary (stored as JSON), so that tables and pictures are made from it
without reading features or pools again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.datasets.registry import DatasetEntry
from coassoc.errors import ConfigError
from coassoc.pools.generation import scaled
from coassoc.pools.quality import describe_pool
from coassoc.results.pages import write_lines, write_page
from coassoc.storage.records import Dataset, Pool

#: Points of a projection that are kept for the picture.
MAX_POINTS = 3000
#: Ensemble sizes at which the number of microclusters is reported.
SIZES = (10, 20)


def summarize_dataset(
    entry: DatasetEntry, dataset: Dataset | None, pools: Mapping[str, Pool]
) -> dict[str, Any]:
    """Properties of a data set and its pools for tables and pictures, as JSON-like values.

    The data set is None where the features are not public.
    """
    summary: dict[str, Any] = {
        "name": entry.name,
        "title": entry.title,
        "papers": list(entry.papers),
        "licence": entry.licence,
        "note": entry.note or "",
        "n": entry.n,
        "d": entry.d,
        "classes": entry.classes,
        "class_sizes": list(entry.class_sizes),
        "features": dataset is not None,
    }
    if dataset is not None:
        X, y = dataset.X, dataset.y
        summary |= {
            "n": X.shape[0],
            "d": X.shape[1],
            "density": float(X.nnz / np.prod(X.shape)) if sp.issparse(X) else 1.0,
            "source": dataset.attributes["source"],
            "fingerprint": dataset.attributes["fingerprint"],
            "projection": projection(X, y),
        }
        if y is not None:
            sizes = np.bincount(y[y >= 0]).tolist()
            summary |= {"classes": len(sizes), "class_sizes": sizes}
        if dataset.truths is not None:
            summary["noise_points"] = (dataset.truths < 0).sum(axis=1).tolist()
    elif not summary["class_sizes"]:
        known = (np.bincount(pool.y).tolist() for pool in pools.values() if pool.y is not None)
        summary["class_sizes"] = next(known, [])
    return summary | {"pools": {name: _described(pool, dataset) for name, pool in pools.items()}}


def _described(pool: Pool, dataset: Dataset | None) -> dict[str, Any]:
    """Quality of a pool, with the fixed-point test on the features as its rule scales them."""
    X = None
    if dataset is not None:
        with suppress(ConfigError):  # features that cannot be scaled so
            X = scaled(dataset.X, pool.attributes["preprocessing"])
    found = describe_pool(pool, X, SIZES)
    shares = {str(m): values.tolist() for m, values in found.pop("microclusters").items()}
    about = {key: pool.attributes[key] for key in ("kind", "made", "preprocessing", "k_rule")}
    about |= {"size": pool.labels.shape[1], "n": len(pool.labels), "microclusters": shares}
    return about | {key: values.tolist() for key, values in found.items()}


def projection(X: Any, y: np.ndarray | None) -> dict[str, Any]:
    """Two principal components (of sparse data: two singular vectors), of at most 3000 samples.

    Returns
    -------
    dict
        ``points`` (p × 2), ``classes`` (p, or empty), ``share`` of the variance of each axis.
    """
    from sklearn.decomposition import PCA, TruncatedSVD

    if min(X.shape) < 2:
        return {"points": [], "classes": [], "share": []}
    model = TruncatedSVD if sp.issparse(X) else PCA
    options = {} if sp.issparse(X) else {"svd_solver": "randomized"}
    fitted = model(2, random_state=0, **options)
    points = fitted.fit_transform(X)
    shown = np.linspace(0, len(points) - 1, min(len(points), MAX_POINTS)).astype(int)
    return {
        "points": np.round(points[shown], 6).tolist(),
        "classes": [] if y is None else y[shown].tolist(),
        "share": fitted.explained_variance_ratio_.tolist(),
    }


# -- tables -------------------------------------------------------------------------------------


def dataset_table(summaries: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """One line per data set: size, classes, noise points, density, licence, source, note.

    Class sizes are those of the first reference labelling, without its noise points.
    """
    lines = [
        {
            "dataset": summary["name"],
            "papers": ", ".join(summary["papers"]),
            **{key: summary[key] for key in ("n", "d", "classes")},
            "smallest class": min(summary["class_sizes"], default=np.nan),
            "largest class": max(summary["class_sizes"], default=np.nan),
            "reference labellings": len(summary.get("noise_points", [0])),
            "noise points of each": ", ".join(map(str, summary.get("noise_points", []))),
            "density": summary.get("density", np.nan),
            "licence": summary["licence"],
            "features from": summary.get("source", "not public"),
            "fingerprint": summary.get("fingerprint", ""),
            "note": summary["note"],
        }
        for summary in summaries
    ]
    return pd.DataFrame(lines)


#: What a report says of single base clusterings.
_OF_BASE = ("k", "ari", "nmi", "fixed_point")


def _base_clusterings(summaries: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """One line for each base clustering of all pools."""
    frames = [
        pd.DataFrame({key: pool[key] for key in _OF_BASE if key in pool}).assign(
            dataset=summary["name"],
            pool=name,
            **{key: pool[key] for key in ("n", "kind", "k_rule", "preprocessing")},
            **{f"n'/n at m={m}": np.mean(pool["microclusters"].get(str(m), np.nan)) for m in SIZES},
        )
        for summary in summaries
        for name, pool in summary["pools"].items()
    ]
    columns = ["dataset", "pool", "n", "kind", "k_rule", "preprocessing", *_OF_BASE]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)


def pool_table(summaries: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """One line per pool: k, agreement with the classes, n'/n, share of fixed points."""
    base = _base_clusterings(summaries)
    base = base.reindex(columns=[*base, *set(_OF_BASE) - set(base)])
    columns = {"n": ("n", "first"), "base clusterings": ("k", "size")}
    columns |= {"k from": ("k", "min"), "k median": ("k", "median"), "k to": ("k", "max")}
    for score in ("ari", "nmi"):
        columns |= {f"{score.upper()} {how}": (score, how) for how in ("mean", "std")}
    columns |= {name: (name, "first") for name in base if name.startswith("n'/n")}
    columns |= {f"fixed point {how}": ("fixed_point", how) for how in ("mean", "min")}
    return base.groupby(["dataset", "pool"], sort=False).agg(**columns).reset_index()


def comparison_table(summaries: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """One line per published pool that has a generated one of the same rule beside it.

    The mean ARI depends above all on which k were drawn. ``difference at equal k`` compares every
    published base clustering with the generated ones of the nearest k.
    """
    base = _base_clusterings(summaries)
    if "ari" not in base:
        return pd.DataFrame()
    # How the numbers of clusters of a pool were chosen, and how its features were scaled.
    rule = ["dataset", "k_rule", "preprocessing"]
    pools = base.dropna(subset="ari").drop_duplicates(["dataset", "pool"])
    generated = pools[pools["kind"] == "generated"].drop_duplicates(rule)
    pairs = pools[pools["kind"] == "published"].merge(generated, on=rule, suffixes=("", " like it"))
    by_pool = dict(iter(base.groupby(["dataset", "pool"])))
    lines = []
    for dataset, published, like in pairs[["dataset", "pool", "pool like it"]].to_numpy():
        theirs, ours = by_pool[dataset, published], by_pool[dataset, like]
        at_equal_k = _at(theirs["k"].to_numpy(), ours["k"].to_numpy(), ours["ari"].to_numpy())
        means = {
            side: pool[["ari", "nmi", "k"]].mean()
            for side, pool in (("published", theirs), ("generated", ours))
        }
        line = {"dataset": dataset, "published pool": published, "generated pool": like}
        line |= {f"ARI {side}": mean["ari"] for side, mean in means.items()}
        line["difference"] = means["generated"]["ari"] - means["published"]["ari"]
        line["difference at equal k"] = (at_equal_k - theirs["ari"]).mean()
        line |= {f"NMI {side}": mean["nmi"] for side, mean in means.items()}
        line |= {f"mean k {side}": mean["k"] for side, mean in means.items()}
        lines.append(line)
    return pd.DataFrame(lines)


def _at(wanted: NDArray, k: NDArray, scores: NDArray, neighbours: int = 5) -> NDArray:
    """Mean score of the base clusterings whose k is nearest to each wanted one, ties included."""
    distance = abs(wanted[:, None] - k)
    limit = np.sort(distance, axis=1)[:, : min(neighbours, len(k))][:, -1:]
    near = distance <= limit
    return near @ scores / near.sum(axis=1)


def write_report(summaries: Sequence[Mapping[str, Any]], paths: Mapping[str, str | Path]) -> None:
    """Write the tables as CSV ("datasets", "pools" and "comparison") and all on a page ("page")."""
    tables = {
        "datasets": dataset_table(summaries),
        "pools": pool_table(summaries),
        "comparison": comparison_table(summaries),
    }
    for key, table in tables.items():
        write_lines(paths[key], table)
    hidden = ["features from", "fingerprint"]
    tables["datasets"] = tables["datasets"].drop(columns=hidden, errors="ignore")
    write_page(paths["page"], "datasets.md", **tables)
