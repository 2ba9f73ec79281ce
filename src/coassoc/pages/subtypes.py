"""The page, the figures and the tables of ``coassoc subtypes``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coassoc.io.display import cluster_numbers, count_of
from coassoc.pages.consensus_csv import sample_names
from coassoc.pages.n_clusters import plot_criteria, stars_mean
from coassoc.pages.pictures import plot_confidence, plot_consensus_matrix
from coassoc.pages.rendering import write_lines
from coassoc.pages.report import Section, write_report
from coassoc.selection.numbers import with_stars
from coassoc.subtyping import Subtypes
from coassoc.subtyping.results import ensemble_of_draws

#: Largest number of samples in the picture of a matrix.
_DRAWN = 2048
_NO_EVIDENCE = (
    "A clean consensus matrix is not evidence of groups, because data without groups can give "
    "clean matrices too (Şenbabaoğlu et al. 2014). The test for groups therefore compares the data "
    "with null data sets that have the same mean and covariance. The statistic is the "
    "within-cluster sum of squares of k-means in the k − 1 leading principal components, divided "
    "by the total sum of squares. The table gives p for one k alone, and the verdict corrects it "
    "for the choice of k."
)
_CRITERIA = (
    "On data sets with known classes, none of these criteria recovers the number of classes "
    "reliably."
)
_CLUSTERS = (
    "The colour of a pair of samples is the fraction of resamples that co-cluster them, among "
    "those that contain both, and “consensus” is its mean in a cluster. The confidence of a sample "
    "is its mean consensus with its own cluster, minus that with the nearest other cluster. The "
    "matrix shows at most 2,048 samples."
)


def files_of_subtypes(folder: str | Path, numbers: Sequence[int]) -> list[Path]:
    """The page, the clusters, the criteria, and tables in the format of ConsensusClusterPlus."""
    ends = [".html", ".csv", "_criteria.csv", ".summary.cluster.consensus.csv"]
    ends += [".summary.item.consensus.csv", *(f".k={k}.consensusClass.csv" for k in numbers)]
    return [Path(folder) / f"subtypes{end}" for end in ends]


def write_subtypes(
    folder: str | Path, result: Subtypes, about: str, steps: Sequence[str] = ()
) -> list[Path]:
    """Write :func:`files_of_subtypes`.

    Parameters
    ----------
    folder : path
    result : Subtypes
    about : str
        Description of the samples, for the title.
    steps : sequence of str
        Descriptions of the preprocessing steps.
    """
    page, clusters, criteria, of_clusters, of_items, *classes = paths = files_of_subtypes(
        folder, [*result.labels]
    )
    names = sample_names(result)
    columns: dict[str, Any] = {"sample": names}
    for k, labels in result.labels.items():
        columns |= {f"k={k}": cluster_numbers(labels), f"k={k} confidence": result.confidence(k)}
        for block in result.model.blocks if len(result.model.blocks) > 1 else ():
            columns[f"k={k} confidence {block.name}"] = result.confidence(k, block.name)
    write_lines(clusters, pd.DataFrame(columns))
    write_lines(criteria, criteria_table(result), index=True)
    write_lines(of_clusters, lines_of_clusters(result))
    write_lines(of_items, lines_of_items(result, names))
    for path, labels in zip(classes, result.labels.values(), strict=True):
        lines = pd.DataFrame({"sample": names, "class": _codes(labels) + 1})
        write_lines(path, lines, header=False)
    write_report(page, f"Groups of samples: {about}", _sections(result, steps))
    return paths


def _sections(result: Subtypes, steps: Sequence[str]) -> Iterator[Section]:
    distributions = {k: consensus.distribution for k, consensus in result.consensus.items()}
    yield Section(f"{result.verdict}\n{_about_draws(result, steps)}")
    yield Section(
        _NO_EVIDENCE,
        with_stars(criteria_table(result), result.chosen).rename_axis("k").reset_index(),
        {"CDF and criteria": plot_criteria(distributions, result.criteria, result.chosen)},
        "Are there groups, and how many?",
        f"{stars_mean([*result.chosen])} {_CRITERIA}",
    )
    yield Section(heading="Clusters at each k", caption=_CLUSTERS)
    for k, labels in result.labels.items():
        confidence = result.confidence(k)
        table = pd.DataFrame(
            {
                "cluster": np.unique(cluster_numbers(labels)),
                "samples": np.bincount(_codes(labels)),
                "consensus": result.consensus[k].clusters,
                "confidence": pd.Series(confidence).groupby(labels).mean().to_numpy(),
            }
        )
        alignment = result.alignments.get(k)
        yield Section(
            f"Compared with the earlier result: {alignment.from_one.summary}" if alignment else "",
            table,
            {
                f"Consensus matrix, k = {k}": plot_matrix(result, k),
                f"Confidence, k = {k}": plot_confidence(cluster_numbers(labels), confidence),
            },
            f"{k} clusters",
        )


def _about_draws(result: Subtypes, steps: Sequence[str]) -> str:
    protocol = result.model.protocol
    blocks = [
        f"{block.name + ': ' if block.name else ''}{count_of(len(block.places), 'sample')}, "
        f"{count_of(block.data.X.shape[1], 'feature')}, {block.protocol.n_draws:,} resamples"
        for block in result.model.blocks
    ]
    return (
        f"{'; '.join([*steps, *blocks])}. A resample contains {100 * protocol.items:.0f} % of the "
        f"samples and {100 * protocol.features:.0f} % of the features. Resamples are clustered by "
        f"{protocol.algorithm} and combined by {result.model.method}, with seed {protocol.seed}."
    )


def write_matrices(folder: str | Path, result: Subtypes) -> list[Path]:
    """Write the consensus matrices, with a row and a column for each sample."""
    names, paths = sample_names(result), []
    for k in result.labels:
        paths.append(Path(folder) / f"subtypes.k={k}.consensusMatrix.csv")
        lines = pd.DataFrame(result.matrices[k], names, names).rename_axis("sample")
        write_lines(paths[-1], lines, index=True)
    return paths


def _codes(labels: NDArray) -> NDArray[np.intp]:
    """Clusters 0, 1, … in increasing order of their labels."""
    return np.unique(labels, return_inverse=True)[1]


def lines_of_clusters(result: Subtypes) -> pd.DataFrame:
    """A row for each number of clusters and cluster, in the format of ConsensusClusterPlus."""
    means = {
        k: pd.Series(consensus.clusters, range(1, len(consensus.clusters) + 1))
        for k, consensus in result.consensus.items()
    }
    return pd.concat(means, names=["k", "cluster"]).rename("clusterConsensus").reset_index()


def lines_of_items(result: Subtypes, names: Any) -> pd.DataFrame:
    """A row for each number of clusters, cluster and sample, as in ConsensusClusterPlus."""
    items = {
        k: pd.DataFrame(consensus.items, names, range(1, len(consensus.clusters) + 1)).unstack()
        for k, consensus in result.consensus.items()
    }
    return pd.concat(items, names=["k", "cluster", "item"]).rename("itemConsensus").reset_index()


def criteria_table(result: Subtypes) -> pd.DataFrame:
    """The criteria, with p of the test for groups at each number of clusters if it was run."""
    p = {f"p {name}".strip(): test.p for name, test in result.clouds.items()}
    return result.criteria.assign(**p)


def plot_matrix(result: Subtypes, k: int) -> Figure:
    """Plot the consensus matrix at k, as :func:`coassoc.pages.pictures.plot_consensus_matrix`."""
    some = slice(None, None, -(-result.n_samples // _DRAWN))
    ensemble = ensemble_of_draws(result.draws[k][some], None)
    labels = cluster_numbers(result.labels[k][some])
    return plot_consensus_matrix(ensemble, labels, result.confidence(k)[some])
