"""What tuning over some points of a grid misses, by the scores of whole grids.

    cd tests && python -m benchmarks.smaller_grids ARI '{"alpha": [0.6, 0.9]}' \\
        ../results/scores/published/*/m20/EC-CMS

Each folder has the score files of a method; runs that raced or have fewer repeats are left out.
Printed is, for each whole grid, the best mean score and by how much the best of the points given
stays below it.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.methods import METHODS
from coassoc.plan.runs import points_in, race_in, repeats_in


def whole_runs(folder: Path) -> list[Path]:
    """Score files of runs over a grid in which every point had all repeats."""
    files = sorted(path for path in folder.glob("*.csv") if path.stem != "default")
    shortened = (race_in, repeats_in, points_in)
    return [path for path in files if not any(found(path.stem) for found in shortened)]


def mean_scores(folder: Path, score: str) -> pd.DataFrame:
    """A line for each point: all parameters of the method, and the mean of the score."""
    lines = pd.concat([pd.read_csv(path) for path in whole_runs(folder)])
    declared = METHODS.method(folder.name).parameters.items()
    defaults = {name: each.default for name, each in declared}
    points = pd.DataFrame([defaults | json.loads(text) for text in lines["parameters"]])
    scored = points.assign(**{score: lines[score].to_numpy()})
    return scored.groupby(list(defaults), sort=False, as_index=False)[score].mean()


def missed(
    means: pd.DataFrame, part: Mapping[str, Sequence[Any]], score: str
) -> Iterator[dict[str, Any]]:
    """A line for each grid over the parameters of `part`: points that agree in all others."""
    others = [name for name in means if name not in (score, *part)]
    for fixed, grid in means.groupby(others) if others else [((), means)]:
        kept = grid
        for name, values in part.items():
            kept = kept[kept[name].isin(values)]
        if math.prod(map(len, part.values())) == len(kept) < len(grid):
            yield {
                "points": f"{len(kept)} of {len(grid)}",
                "other parameters": ", ".join(map(str, fixed)),
                "best": grid[score].max(),
                "missed": grid[score].max() - kept[score].max(),
            }


def main(score: str, part: str, folders: list[str]) -> None:
    """Print a table of all grids."""
    lines = [
        {"grid": f"{folder.name} on {folder.parts[-3]}", **line}
        for folder in map(Path, folders)
        if whole_runs(folder)
        for line in missed(mean_scores(folder, score), json.loads(part), score)
    ]
    found = pd.DataFrame(lines)
    print(found.to_markdown(index=False, floatfmt=".4f"))
    print(f"\n{found['missed'].mean():.4f} on average, {found['missed'].max():.4f} at most")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
