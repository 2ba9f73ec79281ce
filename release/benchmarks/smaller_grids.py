"""What tuning over some points of a grid misses, by the scores of whole grids.

    cd release && python -m benchmarks.smaller_grids ARI '{"alpha": [0.6, 0.9]}' \\
        EC-CMS ../results/scores/*/*.parquet

The files have the scores of targets; of the method's runs those that raced or have fewer repeats
are left out.
Printed is, for each whole grid, the best mean score and by how much the best of the points given
stays below it.
"""

import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from coassoc.methods import METHODS
from reproduction.scores.files import collect_scores
from reproduction.study.paths import Source


def whole_runs(method: str, paths: list[str]) -> pd.DataFrame:
    """Scores of runs over a grid in which every point had all repeats."""
    lines = collect_scores(paths)
    lines = lines[(lines["method"] == method) & (lines["block"] != "default")]

    def is_whole(block: str) -> bool:
        run = Source("", "", 0, method, block)
        return not (run.race or run.repeats or run.points)

    return lines[lines["block"].map(is_whole)]


def mean_scores(method: str, lines: pd.DataFrame, score: str) -> pd.DataFrame:
    """A line for each point: all parameters of the method, and the mean of the score."""
    declared = METHODS[method].parameters.items()
    defaults = {name: parameter.default for name, parameter in declared}
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


def main(score: str, part: str, method: str, paths: list[str]) -> None:
    """Print a table of all grids."""
    lines = [
        {"grid": " ".join(map(str, place)), **line}
        for place, lines in whole_runs(method, paths).groupby(["dataset", "pool", "m"])
        for line in missed(mean_scores(method, lines, score), json.loads(part), score)
    ]
    table = pd.DataFrame(lines)
    print(table.to_markdown(index=False, floatfmt=".4f"))
    print(f"\n{table['missed'].mean():.4f} on average, {table['missed'].max():.4f} at most")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
