"""The consensus of base clusterings by several methods: a table, and a page with figures."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.atomic import write_text
from coassoc.confidence import agreement_with_base, diversity, pairwise_agreement
from coassoc.display import count_of
from coassoc.ensemble import Ensemble
from coassoc.evidence import Evidence
from coassoc.io.table import listed
from coassoc.pages.consensus_csv import consensus_csv
from coassoc.pages.pictures import (
    plot_agreement,
    plot_confidence,
    plot_consensus_matrix,
    plot_diversity,
)
from coassoc.pages.report import Columns, Section, describe_input, write_report
from coassoc.pages.style import short_name

#: Largest number of base clusterings to compare pairwise. If there are more, this many are drawn.
_COMPARED = 100
_NONE: Mapping[Any, str] = MappingProxyType({})


def write_consensus(
    stem: str | Path,
    results: Mapping[str, Any],
    about: str,
    unlabelled: Mapping[int, str] = _NONE,
    failures: Mapping[str, str] = _NONE,
    choice: str = "",
) -> list[Path]:
    """Write a CSV file and a self-contained HTML file.

    Parameters
    ----------
    stem : path
        Path of the files without their endings.
    results : mapping of str to Consensus
        Method → result of :func:`coassoc.find_consensus`, all for the same ensemble.
    about : str
        Description of the data, for the title. See :func:`describe_input`.
    unlabelled : mapping of int to str
        As for :func:`consensus_csv`.
    failures : mapping of str to str
        Method → reason why it found no consensus.
    choice : str
        Sentence that says why a method was chosen, if neither the user named it nor its result
        gives the reason.

    Returns
    -------
    list of Path
    """
    table, page = Path(f"{stem}.csv"), Path(f"{stem}.html")
    write_text(table, consensus_csv(results, unlabelled))
    ensemble, methods = next(iter(results.values())).ensemble, summary(results)
    del methods["sizes"]
    title, described = describe_input(about, ensemble, len(unlabelled))
    sentences = [described]
    if unlabelled:
        sentences.append(f"No clustering has a label for {listed([*unlabelled.values()], 20)}.")
    if ensemble.has_missing and (n_pairs := ensemble.n_unobserved_pairs):
        pairs = count_of(n_pairs, "pair")
        sentences.append(f"No base clustering labels both samples of {pairs}.")
    sentences += [
        *([choice] if choice else []),
        *_aggregated(results),
        *(f"{name}: {reason}" for name, reason in failures.items()),
    ]
    sections = [
        Section("\n".join(sentences), methods, caption=_methods_caption(results)),
        *(section for item in results.items() for section in _method_sections(*item)),
        *([] if isinstance(ensemble, Evidence) else [_base_section(ensemble)]),
    ]
    write_report(page, f"Consensus of {title}", sections)
    return [table, page]


def summary(results: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Columns with an entry for each method."""
    each = [*results.values()]
    sizes = [np.unique(one.labels, return_counts=True)[1] for one in each]
    columns = {}
    if not isinstance(each[0].ensemble, Evidence):
        means = [np.nanmean(agreement_with_base(one.ensemble, one.labels)) for one in each]
        columns["NMI with base"] = [f"{mean:.3f}" for mean in means]
    return {
        "method": [*results],
        "clusters": [*map(len, sizes)],
        "mean confidence": [f"{one.confidence.mean():.3f}" for one in each],
        "closer to another": [int((one.confidence < 0).sum()) for one in each],
        **columns,
        "sizes": [" ".join(map(str, counts)) for counts in sizes],
    }


def _methods_caption(results: Mapping[str, Any]) -> str:
    names = (
        "A cluster can take the name of an earlier cluster if more than half of the samples of "
        "either cluster are also in the other cluster."
        if any(consensus.alignment for consensus in results.values())
        else "The clusters of each method are numbered independently."
    )
    given = isinstance(next(iter(results.values())).ensemble, Evidence)
    share = "similarity between" if given else "fraction of base clusterings that join"
    joined = "and" if given else "with"
    base = "" if given else " “NMI with base” is the mean NMI with the base clusterings."
    return (
        f"The confidence of a sample is the mean {share} it {joined} the other samples of its "
        "cluster, minus the same mean for the nearest other cluster. It is 1 if all base "
        "clusterings agree, and negative if the sample is closer to another cluster. “closer to "
        f"another” is the number of samples with negative confidence.{base} {names}"
    )


def _method_sections(method: str, result: Any) -> Iterator[Section]:
    """The sections on the result of one method."""
    sentences = [str(result.choice)] if result.choice else []
    sentences.append(f"Clusters with their numbers of samples: {_sizes(result)}.")
    table = None
    if result.alignment:
        sentences += result.alignment.summary.splitlines()
        table = result.alignment.table
    shown = result.ensemble, result.labels, result.confidence
    figures = {
        f"Consensus matrix of {method}": plot_consensus_matrix(*shown),
        f"Confidence, {method}": plot_confidence(*shown),
    }
    yield Section("\n".join(sentences), table, figures, heading=method)
    if result.agreement is not None:
        figure = plot_agreement(result.names, result.agreement)
        shown_is = f"Agreement of top-ranked methods with {method}"
        yield Section(result.agreement.verdict, figures={shown_is: figure})


def _base_section(ensemble: Ensemble) -> Section:
    """The section on the base clusterings; if there are many, on a random sample."""
    drawn, sentence = ensemble, ""
    if ensemble.n_clusterings > _COMPARED:
        generator = np.random.default_rng(0)
        columns = generator.choice(ensemble.n_clusterings, _COMPARED, replace=False)
        drawn = ensemble.select_clusterings(np.sort(columns).tolist())
        count = f"{ensemble.n_clusterings:,}"
        sentence = (
            f"The table and the figure show {_COMPARED} random base clusterings out of {count}."
        )
    agreement = pairwise_agreement(drawn)
    names = list(map(short_name, map(str, drawn.clusterings)))
    return Section(
        sentence,
        _clusterings(drawn, agreement),
        {"Agreement of the base clusterings": plot_diversity(drawn, names)},
        f"Base clusterings (diversity {diversity(agreement):.2f})",
    )


def _sizes(consensus: Any) -> str:
    """Each cluster by its name, in the order of the pictures, with the number of its samples."""
    _, first, sizes = np.unique(consensus.labels, return_index=True, return_counts=True)
    names = consensus.names[first]
    return ", ".join(f"{name} ({size})" for name, size in zip(names, sizes, strict=True))


def _aggregated(results: Mapping[str, Any]) -> list[str]:
    """Sentences on the disagreements of the methods that minimise them."""
    meaning = (
        "the number of sample pairs on which the consensus and a base clustering disagree, summed "
        "over all base clusterings, is"
    )
    return [
        f"{method}: {meaning} {float(consensus.estimator.disagreements_):,.10g}."
        for method, consensus in results.items()
        if hasattr(consensus.estimator, "disagreements_")
    ]


def _clusterings(ensemble: Ensemble, agreement: NDArray[np.float64]) -> Columns:
    """The base clusterings with their full names, which a figure may shorten or fail to draw."""
    others = np.ma.masked_invalid(agreement)
    others[np.diag_indices(len(others))] = np.ma.masked
    missing = ensemble.microclusters.r @ (ensemble.distinct_labels < 0) / ensemble.n_samples
    means = others.mean(axis=1).filled(np.nan).tolist()
    return {
        "base clustering": ensemble.clusterings,
        "clusters": ensemble.n_clusters_per_clustering.tolist(),
        "missing": [f"{100 * share:.1f} %" for share in missing],
        "mean NMI with other clusterings": [
            "" if mean != mean else f"{mean:.3f}" for mean in means
        ],
    }
