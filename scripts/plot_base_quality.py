"""Plot the score of each repeat against the mean score of its base clusterings."""

from coassoc.figures.base_quality import plot_base_quality, repeats_against_base
from coassoc.figures.style import save
from coassoc.results.summaries import read_scores_by_stem
from coassoc.running.scripting import job
from coassoc.storage.hdf5 import read_pool

with job(snakemake.log[0]):
    metric, column = next(iter(snakemake.params.spec["metrics"].items()))
    base = read_scores_by_stem(snakemake.input.base, "results/scores")
    pools = [read_pool(path) for path in snakemake.input.pools]
    points = repeats_against_base(
        snakemake.params.cells,
        read_scores_by_stem(snakemake.input.scores, "results/scores"),
        {stem.removesuffix("/base"): frame for stem, frame in base.items()},
        dict(zip((stem.removesuffix("/base") for stem in base), pools, strict=True)),
        column,
    )
    save(plot_base_quality(points, metric), dict(snakemake.output.items()))
