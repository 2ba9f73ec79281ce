"""What runs asked a cluster for, and what they took.

    cd release && python -m benchmarks.cluster_requests DIRECTORY      # where the workflow ran

For each method: the number of runs, the largest share of its request that a run used, and the
median of request over use. A share above 1 is a job that a cluster would have ended.
"""

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from coassoc.bench.datasets.batteries import load_batteries
from coassoc.bench.datasets.registry import load_datasets
from coassoc.bench.storage.hdf5 import DrawSizes, draw_sizes, read_run
from coassoc.methods import METHODS, Method
from reproduction.running import costs

ROOT = Path(__file__).parents[2]
DATASETS = load_datasets(ROOT / "config/datasets.yaml")
DATASETS |= load_batteries(ROOT / "config/batteries.yaml")


class Use(NamedTuple):
    """What a run took: its size and fits, megabytes and seconds of the processor."""

    method: str
    draws: DrawSizes
    n_features: int | None
    fits: int
    megabytes: float
    processor: float

    @property
    def memory(self) -> float:
        """Share of the memory asked for."""
        return self.megabytes / costs.memory_mb(*self._size)

    @property
    def time(self) -> float:
        """Share of the time asked for."""
        return self.processor / 60 / costs.minutes(self.fits * costs.seconds(*self._size))

    @property
    def _size(self) -> tuple[Method, DrawSizes, int | None]:
        return METHODS[self.method], self.draws, self.n_features


def uses(folder: Path) -> Iterator[Use]:
    """All finished runs below a folder in which the workflow ran."""
    for path in sorted(folder.glob("benchmarks-out/runs/*/*/m*/*/*.tsv")):
        pool, dataset, m, methods, name = path.relative_to(folder / "benchmarks-out/runs").parts
        # A job of several endings is judged by the first, a batch not at all.
        method = methods.partition("+")[0]
        run = folder / "results/runs" / pool / dataset / m / methods / name
        pool_file = folder / f"data/pools/{pool}/{dataset}.h5"
        if not run.with_suffix(".h5").exists() or method not in METHODS:
            continue
        sizes = draw_sizes(pool_file, int(m[1:]))
        with path.open() as file:
            *_, line = csv.DictReader(file, delimiter="\t")
        if sizes is None or "NA" in (line["max_rss"], line["cpu_time"]):
            continue
        results = read_run(run.with_suffix(".h5"), method).results
        d = DATASETS[dataset].d
        fits = sum(map(len, results))
        yield Use(method, sizes, d, fits, float(line["max_rss"]), float(line["cpu_time"]))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    runs = list(uses(parser.parse_args().folder))
    print(f"{'method':10} {'runs':>5} {'memory':>7} {'median':>7} {'time':>7}")
    for method in dict.fromkeys(use.method for use in runs):
        own = [use for use in runs if use.method == method]
        print(
            f"{method:10} {len(own):5} {max(use.memory for use in own):7.2f}"
            f" {median(1 / use.memory for use in own):7.2f} {max(use.time for use in own):7.2f}"
        )


if __name__ == "__main__":
    main()
