"""The page, the figures and the tables of ``coassoc subtypes``."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from pandas.api.types import is_numeric_dtype

from coassoc.io.display import cluster_numbers, count_of
from coassoc.io.table import listed
from coassoc.numerics.distinct import places_among_distinct
from coassoc.pages.consensus_csv import sample_names
from coassoc.pages.n_clusters import plot_criteria, stars_mean
from coassoc.pages.pictures import plot_confidence, plot_consensus_matrix
from coassoc.pages.rendering import write_lines
from coassoc.pages.report import Section, write_report
from coassoc.selection.numbers import with_stars
from coassoc.subtyping import Subtypes
from coassoc.subtyping.annotations import associations, markers
from coassoc.subtyping.results import ensemble_of_draws

#: Largest numbers of samples and of annotations in the picture of a matrix.
_DRAWN, _TRACKS = 2048, 6
_STRUCTURE = (
    "A clean consensus matrix is not evidence of groups, because data without groups can give "
    "clean matrices too (Şenbabaoğlu et al. 2014). p compares the data with null data sets of the "
    "same covariance and skewness, for one k alone; the first sentence corrects it for the choice "
    "of k. “Density” is the density between two clusters relative to theirs, the largest of all "
    "pairs. Clusters are separated by gaps if it is significantly low and below ½."
)
_CRITERIA = "Each criterion chooses a number of clusters, also for data without groups."
_CLUSTERS = (
    "The colour of a pair of samples is the fraction of resamples that co-cluster them, among "
    "those that contain both, and “consensus” is its mean in a cluster. The confidence of a sample "
    "is its mean consensus with its own cluster, minus that with the nearest other cluster. The "
    "matrix shows at most 2,048 samples."
)
_ANNOTATIONS = (
    "The effect is Cramér's V for categories, and the correlation ratio of ranks for numbers. p is "
    "from permutations of the samples, and adjusted for the number of rows (Benjamini–Hochberg). "
    "Columns with one value, or with a different text in each sample, are left out."
)
#: Confidence below which samples are listed as unsure.
_UNSURE = 0.2


def files_of_subtypes(folder: str | Path, numbers: Sequence[int]) -> list[Path]:
    """The page, clusters, criteria, markers, and tables in the format of ConsensusClusterPlus."""
    ends = [".html", ".csv", "_criteria.csv", "_markers.csv", ".summary.cluster.consensus.csv"]
    ends += [".summary.item.consensus.csv", *(f".k={k}.consensusClass.csv" for k in numbers)]
    return [Path(folder) / f"subtypes{end}" for end in ends]


def write_subtypes(
    folder: str | Path,
    result: Subtypes,
    about: str,
    steps: Sequence[str] = (),
    annotations: pd.DataFrame | None = None,
) -> list[Path]:
    """Write :func:`files_of_subtypes`, and with annotations ``subtypes_associations.csv``.

    Parameters
    ----------
    folder : path
    result : Subtypes
    about : str
        Description of the samples, for the title.
    steps : sequence of str
        Descriptions of the preprocessing steps.
    annotations : DataFrame, optional
        A row for each sample.
    """
    page, clusters, criteria, marking, of_clusters, of_items, *classes = paths = files_of_subtypes(
        folder, [*result.labels]
    )
    names = sample_names(result)
    columns: dict[str, Any] = {"sample": names}
    for k, labels in result.labels.items():
        columns |= {f"k={k}": cluster_numbers(labels), f"k={k} confidence": result.confidence(k)}
        for block in result.model.blocks if len(result.model.blocks) > 1 else ():
            columns[f"k={k} confidence {block.name}"] = result.confidence(k, block.name)
    write_lines(clusters, pd.DataFrame(columns))
    write_lines(criteria, result.criteria.join(structure_table(result)), index=True)
    write_lines(marking, markers(result))
    write_lines(of_clusters, lines_of_clusters(result))
    write_lines(of_items, lines_of_items(result, names))
    for path, labels in zip(classes, result.labels.values(), strict=True):
        lines = pd.DataFrame({"sample": names, "class": places_among_distinct(labels) + 1})
        write_lines(path, lines, header=False)
    found = None
    if annotations is not None:
        found = associations(result.labels, annotations, result.model.protocol.seed)
        paths.append(Path(folder) / "subtypes_associations.csv")
        write_lines(paths[-1], found)
    sections = _sections(result, steps, annotations, found)
    write_report(page, f"Groups of samples: {about}", sections)
    return paths


def _sections(
    result: Subtypes,
    steps: Sequence[str],
    annotations: pd.DataFrame | None,
    found: pd.DataFrame | None,
) -> Iterator[Section]:
    distributions = {k: consensus.distribution for k, consensus in result.consensus.items()}
    yield Section(f"{result.verdict}\n{_about_draws(result, steps)}")
    table = with_stars(result.criteria, result.chosen).join(structure_table(result))
    yield Section(
        _STRUCTURE,
        table.rename_axis("k").reset_index(),
        {"CDF and criteria": plot_criteria(distributions, result.criteria, result.chosen)},
        "Are there groups, and how many?",
        f"{stars_mean([*result.chosen])} {_CRITERIA}",
    )
    if found is not None:
        yield Section(table=found, heading="Annotations", caption=_ANNOTATIONS)
    yield Section(heading="Clusters at each k", caption=_CLUSTERS)
    for k, labels in result.labels.items():
        confidence = result.confidence(k)
        table = pd.DataFrame(
            {
                "cluster": np.unique(cluster_numbers(labels)),
                "samples": np.bincount(places_among_distinct(labels)),
                "consensus": result.consensus[k].clusters,
                "confidence": pd.Series(confidence).groupby(labels).mean().to_numpy(),
            }
        )
        alignment, unsure = result.alignments.get(k), np.flatnonzero(confidence < _UNSURE)
        texts = (
            [f"Compared with the earlier result: {alignment.from_one.summary}"] if alignment else []
        )
        if len(unsure):
            names = sample_names(result)[unsure[np.argsort(confidence[unsure], kind="stable")]]
            texts.append(
                f"{count_of(len(unsure), 'sample')} with a confidence below {_UNSURE}, the least "
                f"confident first: {listed(names, 40)}."
            )
        yield Section(
            "\n".join(texts),
            table,
            {
                f"Consensus matrix, k = {k}": plot_matrix(result, k, annotations),
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
        lines = pd.DataFrame(result.matrix(k), names, names).rename_axis("sample")
        write_lines(paths[-1], lines, index=True)
    return paths


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


def structure_table(result: Subtypes) -> pd.DataFrame:
    """Gaps and p for each number of clusters."""
    words = {True: "by gaps", False: "no", None: "too few samples"}
    pairs = (
        density[np.tril_indices(len(density), -1)]
        for density in result.structure.densities.values()
    )
    columns: dict[str, Any] = {
        "separated": [words[answer] for answer in result.separated.values()],
        "density": [np.nan if np.isnan(of).all() else np.nanmax(of) for of in pairs],
    }
    for name, test in result.structure.clouds.items():
        columns |= {f"p {name}".strip(): test.p, f"smallest p {name}".strip(): test.least_p}
    return pd.DataFrame(columns, result.criteria.index)


def plot_matrix(result: Subtypes, k: int, annotations: pd.DataFrame | None = None) -> Figure:
    """Plot the consensus matrix at k, with a track below it for each of up to six annotations."""
    some = slice(None, None, -(-result.n_samples // _DRAWN))
    ensemble = ensemble_of_draws(result.draws[k][some], None)
    labels, confidence = cluster_numbers(result.labels[k][some]), result.confidence(k)[some]
    figure = plot_consensus_matrix(ensemble, labels, confidence)
    tracks = [] if annotations is None else [*annotations.items()][:_TRACKS]
    order = np.lexsort((-confidence, labels))
    for place, (name, column) in enumerate(tracks):
        values = column.iloc[some].iloc[order]
        if is_numeric_dtype(values):
            colours, codes = "cividis", values.to_numpy(dtype=float)
        else:
            colours, codes = (
                "tab20",
                np.where(values.isna(), np.nan, pd.factorize(values, sort=True)[0] % 20.0),
            )
        axis = figure.axes[0].inset_axes((0, -0.05 * (place + 1), 1, 0.04))
        axis.imshow(codes[None], aspect="auto", cmap=colours, interpolation="nearest")
        axis.set_xticks([])
        axis.set_yticks([0], [str(name)[:20]], fontsize=6)
    return figure
