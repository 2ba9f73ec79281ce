"""The consensus of base clusterings by several methods: a table, and a page with figures."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from coassoc.confidence import cluster_confidence
from coassoc.ensemble import Ensemble
from coassoc.evidence import Evidence
from coassoc.io.atomic import write_text
from coassoc.io.table import listed
from coassoc.metrics import METRICS, contingency_table
from coassoc.numerics.distinct import first_places, places_among_distinct
from coassoc.pages.consensus_csv import consensus_csv
from coassoc.pages.pictures import plot_confidence, plot_consensus_matrix
from coassoc.pages.report import Section, file_name, write_report

_NONE: Mapping[Any, str] = MappingProxyType({})
_MEANINGS = (
    "The confidence of a sample is the mean fraction of base clusterings that join it with the "
    "other samples of its cluster, minus the same mean for the nearest other cluster. “closer to "
    "another” is the number of samples with negative confidence. “NMI with base” is the mean NMI "
    "with the base clusterings. “tightness” is the mean co-association of two samples of a "
    "cluster, and “stability” is the mean Jaccard coefficient with the most similar cluster of "
    "each base clustering. Grey marks pairs of samples that no base clustering labels together."
)


def write_consensus(
    stem: str | Path,
    results: Mapping[str, Any],
    about: str,
    unlabelled: Mapping[int, str] = _NONE,
    failures: Mapping[str, str] = _NONE,
    truth: Any = None,
) -> list[Path]:
    """Write a CSV file and a self-contained HTML file.

    Parameters
    ----------
    stem : path
        Path of the files without their endings.
    results : mapping of str to Consensus
        Method → result of :func:`coassoc.find_consensus`, all for the same ensemble.
    about : str
        Description of the data, such as "labels.csv: 150 samples × 9 clusterings".
    unlabelled : mapping of int to str
        As for :func:`consensus_csv`.
    failures : mapping of str to str
        Method → reason why it found no consensus.
    truth : (n,) array, optional
        Reference classes of the samples.

    Returns
    -------
    list of Path
    """
    table, page = Path(f"{stem}.csv"), Path(f"{stem}.html")
    write_text(table, consensus_csv(results, unlabelled))
    lines = [f"{about}.", *(f"{name}: {reason}" for name, reason in failures.items())]
    if unlabelled:
        lines.append(f"No clustering has a label for {listed([*unlabelled.values()], 20)}.")
    methods = summary(results, truth)
    del methods["sizes"]
    sections = [Section("\n".join(lines), methods, caption=_MEANINGS)]
    for method, result in results.items():
        sections += _method_sections(method, result)
    ensemble = next(iter(results.values())).ensemble
    if not isinstance(ensemble, Evidence):
        sections.append(_base_section(ensemble, results))
    write_report(page, f"Consensus of {file_name(about)}", sections)
    return [table, page]


def summary(results: Mapping[str, Any], truth: Any = None) -> dict[str, list[Any]]:
    """Columns with a row for each method, and its agreement with reference classes if known."""
    columns: dict[str, list[Any]] = {}
    for method, result in results.items():
        sizes = np.unique(result.labels, return_counts=True)[1]
        row = {
            "method": method,
            "clusters": len(sizes),
            "mean confidence": result.confidence.mean(),
            "closer to another": np.count_nonzero(result.confidence < 0),
        }
        if len(result.nmi_with_base):
            row["NMI with base"] = np.nanmean(result.nmi_with_base)
        if truth is not None:
            table = contingency_table(truth, result.labels)
            row |= {name: METRICS[name](table) for name in ("ARI", "NMI", "ACC")}
        for name, value in {**row, "sizes": " ".join(map(str, sizes))}.items():
            columns.setdefault(name, []).append(value)
    return columns


def _method_sections(method: str, result: Any) -> list[Section]:
    """The sections on the result of one method."""
    sizes, tightness, stability = cluster_confidence(result.ensemble, result.labels)
    places = places_among_distinct(result.labels)
    clusters = {
        "cluster": result.shown[first_places(places)],
        "confidence": np.bincount(places, result.confidence) / sizes,
        "samples": sizes,
        "tightness": tightness,
        "stability": stability,
    }
    figures = {
        f"Consensus matrix of {method}": plot_consensus_matrix(
            result.ensemble, result.shown, result.confidence
        ),
        f"Confidence, {method}": plot_confidence(result.shown, result.confidence),
    }
    said = [
        result.ties,
        result.choice,
        *(each.verdict for each in (result.support, result.agreement) if each),
    ]
    sections = [Section("\n".join(map(str, filter(None, said))), clusters, figures, method)]
    if result.answers:
        labelled = np.all([labels >= 0 for labels in result.answers.values()], axis=0)
        one, other = (labels[labelled] for labels in result.answers.values())
        counts = contingency_table(one, other)
        both = {"answer 1": np.unique(one) + 1}
        both |= {f"answer 2: {k + 1}": counts[:, j] for j, k in enumerate(np.unique(other))}
        sections.append(Section("Samples in the clusters of the two answers.", both))
    if result.alignment:
        sections.append(Section(result.alignment.summary, result.alignment.table))
    return sections


def _base_section(ensemble: Ensemble, results: Mapping[str, Any]) -> Section:
    """The section on the base clusterings."""
    table = {
        "base clustering": ensemble.clusterings,
        "clusters": ensemble.n_clusters_per_clustering,
        "missing (%)": 100 * (ensemble.labels < 0).mean(axis=0),
        **{f"NMI with {method}": result.nmi_with_base for method, result in results.items()},
    }
    return Section(table=table, heading="Base clusterings")
