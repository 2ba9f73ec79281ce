"""Train the scorer on synthetic data: ``src/coassoc/answer/scorer.json``.

    cd release && python -m scorer FOLDER [--sets 299] [--jobs 2]

The numbers of the candidates of each synthetic set are kept in FOLDER; stopped, it goes on where it
was. The target is the adjusted Rand index with the classes, less its mean over the set, at the
right number of clusters and at others, so that one score also compares numbers of clusters.
"""

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import adjusted_rand_score

from coassoc.answer.finding import find_candidates
from coassoc.answer.indices import COLUMNS, ViewIndices, describe
from coassoc.answer.scorer import FILE
from coassoc.answer.views import views_of
from scorer.synthetic import synthetic_set

#: Numbers of clusters to describe besides the number of classes.
_OTHERS = 2
_MOST = 15
_MODELS = 2


def describe_set(folder: Path, number: int) -> Path:
    """Write the numbers and targets of all candidates of a synthetic set."""
    path = folder / f"{number:04d}.npz"
    if path.exists():
        return path
    X, y, kind = synthetic_set(number)
    k = len(np.unique(y[y > 0]))
    rng = np.random.default_rng(number)
    near = [x for x in (k - 1, k + 1) if x >= 2]
    far = [x for x in range(2, _MOST + 1) if abs(x - k) > 1]
    others = {int(rng.choice(near)), *map(int, rng.choice(far, _OTHERS - 1, replace=False))}
    views, tables, targets, numbers = views_of(X), [], [], []
    trees: dict[str, dict] = {name: {} for name in views}
    indices = {name: ViewIndices(view) for name, view in views.items()}
    for requested in (k, *sorted(others)):
        found = find_candidates(views, np.arange(len(X)), requested, 0, trees)
        tables.append(describe(found.each, indices, found.agreement, X.shape[1]))
        targets += [adjusted_rand_score(y[y > 0], x.labels[y > 0]) for x in found.each]
        numbers += [requested] * len(found.each)
    np.savez_compressed(
        path, table=np.vstack(tables).astype(np.float32), target=targets, k=numbers, classes=k
    )
    print(number, kind, X.shape, k, flush=True)
    return path


def train(paths: list[Path]) -> dict[str, object]:
    """The trees of the scorer, as they are written."""
    rows, targets, weights = [], [], []
    for path in paths:
        one = np.load(path)
        right = one["k"] == one["classes"]
        # Half of the weight is for the comparison of candidates with the right number.
        weight = np.where(right, 0.5 / right.sum(), 0.5 / max(1, (~right).sum()))
        rows.append(one["table"])
        targets.append(one["target"] - np.average(one["target"], weights=weight))
        weights.append(weight)
    table, target, weight = (np.concatenate(x) for x in (rows, targets, weights))
    trees: list[dict[str, list]] = []
    for seed in range(_MODELS):
        model = HistGradientBoostingRegressor(
            max_iter=250, learning_rate=0.05, max_leaf_nodes=15, min_samples_leaf=60,
            l2_regularization=5, max_features=0.3, random_state=seed,
        ).fit(table, target, sample_weight=weight)  # fmt: skip
        for (predictor,) in model._predictors:
            nodes = predictor.nodes
            leaf = nodes["is_leaf"].astype(bool)
            trees.append(
                {
                    "column": nodes["feature_idx"].tolist(),
                    "threshold": [
                        float(f"{x:.6g}") for x in np.where(leaf, 0, nodes["num_threshold"])
                    ],
                    "left": np.where(leaf, -1, nodes["left"].astype(int)).tolist(),
                    "right": np.where(leaf, -1, nodes["right"].astype(int)).tolist(),
                    "value": [
                        float(f"{x / _MODELS:.4g}") for x in np.where(leaf, nodes["value"], 0)
                    ],
                }
            )
    return {"columns": list(COLUMNS), "sets": len(paths), "trees": trees}


def main() -> None:
    """Describe the synthetic sets, train, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", type=int, default=299)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(given.jobs) as pool:
        paths = list(pool.map(partial(describe_set, given.folder), range(given.sets)))
    text = json.dumps(train(paths), separators=(",", ":"), ensure_ascii=False)
    FILE.write_text(text.replace('{"column"', '\n{"column"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
