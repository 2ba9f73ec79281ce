"""The command ``coassoc consensus``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from coassoc.command.tables import (
    check_not_written,
    check_several,
    label_options,
    named_after,
    read_ensemble,
    read_labels,
    reject,
    seed_option,
    show_progress,
    table_file,
)

if TYPE_CHECKING:
    import pandas as pd

    from coassoc.consensus import Consensus
    from coassoc.ensemble import Ensemble
    from coassoc.io.table import TableFile
    from coassoc.selection import Selection

_EXAMPLES = """\b
Examples:
  coassoc consensus labels.csv --id first -k 5
  coassoc consensus labels.csv --id first -k 5 -m LWEA -m EC-CMS -o results
  coassoc consensus labels/ --each-file samples -k 10 -o results
  coassoc consensus labels.csv --id first -m LOCALSEARCH
  coassoc consensus labels.csv --id first -k 5 --align-to old/consensus.csv LWEA
  coassoc consensus --similarity cards.csv -k 5
"""


class _NumberOrAuto(click.IntRange):
    """A number of clusters from 1 on, or "auto"."""

    name = "integer or auto"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        return value if value == "auto" else super().convert(value, param, ctx)


@click.command(short_help="Combine the clusterings in a table.", epilog=_EXAMPLES)
@click.argument("labels", required=False)
@click.option(
    "--similarity",
    metavar="FILE",
    help=(
        "File of similarities (0 to 1) to use instead of LABELS: a square or triangular table, or "
        "a list with two names and a value in each row. Works with methods that need only a "
        "co-association matrix."
    ),
)
@click.option(
    "--total",
    type=click.FloatRange(min=0, min_open=True),
    metavar="NUMBER",
    help=(
        "Largest possible count, for a --similarity file of counts. In a card sort, this is the "
        "number of participants. The command divides each count by this number."
    ),
)
@click.option(
    "--distance",
    is_flag=True,
    help=(
        "Read the numbers in the --similarity file as distances, and convert each distance to the "
        "similarity 1 − distance / largest distance."
    ),
)
@click.option(
    "--save-similarity",
    "save",
    metavar="FILE",
    help="Write the co-association matrix for other programs, as .csv, .npz or .mtx.",
)
@click.option(
    "-k",
    "--n-clusters",
    type=_NumberOrAuto(min=1),
    metavar="NUMBER|auto",
    help=(
        "Number of clusters, or auto to let the method choose it. Without -k the command compares "
        "numbers of clusters."
    ),
)
@click.option(
    "-m",
    "--method",
    "methods",
    multiple=True,
    default=["auto"],
    show_default=True,
    metavar="NAME",
    help="Method, as listed by `coassoc methods`, or auto to choose a method that suits the table. "
    "May be repeated.",
)
@label_options
@click.option(
    "--numbers",
    nargs=2,
    type=click.IntRange(min=2),
    metavar="FIRST LAST",
    help="Range of numbers of clusters to compare. Default: 2 10.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=2),
    help=(
        "Number of random halves of the clusterings, with which the command compares numbers of "
        "clusters. Default: 20."
    ),
)
@click.option(
    "--align-to",
    nargs=2,
    metavar="FILE COLUMN",
    help=(
        "Keep the cluster names of an earlier clustering. Pass a table with sample names in the "
        "first column, such as an earlier consensus.csv, and the name of the column that holds the "
        "clustering."
    ),
)
@click.option(
    "--agreement",
    is_flag=True,
    help="Also fit five top-ranked methods and report how well they agree with the result.",
)
@seed_option
@click.option(
    "-o",
    "--output",
    default=".",
    show_default=True,
    metavar="FOLDER",
    help='Folder for the results. "-" writes only the CSV table to standard output.',
)
def command(
    labels: str | None,
    similarity: str | None,
    total: float | None,
    distance: bool,
    save: str | None,
    n_clusters: int | Literal["auto"] | None,
    methods: tuple[str, ...],
    numbers: tuple[int, int] | None,
    draws: int | None,
    align_to: tuple[str, str] | None,
    agreement: bool,
    seed: int,
    output: str,
    **table: Any,
) -> None:
    """Combine the clusterings in the file LABELS into one.

    Rows are samples and columns are clusterings. Labels are integers or strings. Empty cells, NA,
    -1 and the values of --missing count as missing labels. LABELS is text (.csv, .tsv, .txt; also
    .gz, .bz2, .xz, .zst, .zip), .xlsx, Parquet, Feather, .npy, .npz, .h5, .mat or .h5ad; "-" reads
    CSV from standard input. The command prints what it read. It stops if a column does not look
    like a clustering, because it contains fractions, only one value, or a different value for each
    sample, or because it agrees with no other column more than expected by chance. Choose columns
    with --columns or --except. For measurements, use coassoc subtypes.

    If you name no method, the command picks one that scored well on similar ensembles and prints
    the reason. With -k, it writes the report consensus.html and the table consensus.csv, which
    gives the cluster and confidence of each sample for each method. Without -k, it compares numbers
    of clusters and writes n_clusters.html and n_clusters.csv. BALLS, AGGLOMERATIVE, FURTHEST,
    LOCALSEARCH and PIVOT choose the number themselves and do not need -k.

    LABELS may also be a folder (--each-file). Each file of the folder contains one clustering, or
    each file is a Parquet file with some of the samples, in the order of the file names. Such
    Parquet files, and a single Parquet file larger than a gigabyte, need not fit into memory. In
    these cases the only result is consensus.parquet.
    """
    from coassoc.consensus import apply_methods, find_consensus
    from coassoc.io.files import is_streamed
    from coassoc.methods import resolve_method
    from coassoc.methods.auto import COMPARISONS, SIMILARITIES

    if (labels is None) == (similarity is None):
        raise click.UsageError(
            "The command needs LABELS or --similarity FILE, but not both. Pass one of the two."
        )
    if similarity is None:
        reject(
            "--total and --distance need --similarity. Add --similarity, or leave out both "
            "options.",
            {"--total": total, "--distance": distance or None},
        )
    else:
        if n_clusters is None:
            raise click.UsageError("--similarity needs -k. Add -k.")
        reject(
            "--similarity does not work with {0}. Leave out {0}.",
            {
                "--align-to": align_to,
                "--agreement": agreement or None,
                "--each-file": table["each_file"],
                "--in": table["in_"],
            },
        )
        if total and distance:
            raise click.UsageError(
                "--total is for counts and --distance for distances. Leave out one of the two "
                "options."
            )
    source = table_file(labels or similarity or "", table)
    makers = {name: resolve_method(name) for name in methods}
    compared = _is_comparison(n_clusters, methods)
    choice, chosen = "", COMPARISONS if compared else SIMILARITIES if similarity else None
    if chosen and makers.pop("auto", None):
        choice, makers = str(chosen), {chosen.method: resolve_method(chosen.method), **makers}
        click.echo(choice, err=True)
    makers = {name: _with_progress(name, make) for name, make in makers.items()}
    stem = Path(output) / ("n_clusters" if compared else "consensus")
    check_not_written([source.file], [stem.with_suffix(".csv"), *map(Path, filter(None, [save]))])
    streamed = similarity is None and is_streamed(source)
    whole = {"--save-similarity": save, "--align-to": align_to}
    if streamed:
        reject(
            f"{{0}} does not work with {labels}, which is read in parts. Leave out this option.",
            whole,
        )
    if compared:
        message = "{0} needs -k. Add -k, or leave out {0}."
        reject(message, {**whole, "--agreement": agreement or None})
    else:
        reject(
            "{0} compares several numbers of clusters, but -k sets one number. Leave out one of "
            "the two options.",
            {"--numbers": numbers, "--draws": draws},
        )
    if save:
        from coassoc.io.similarities import check_ending  # it loads SciPy

        check_ending(save)
    c = None if n_clusters == "auto" else n_clusters
    options: dict[str, Any] = {"n_clusters": c, "random_state": seed, "agreement": agreement}
    if streamed:
        if compared:
            raise click.UsageError(
                f"{labels} is read in parts, so numbers of clusters cannot be compared. Pass a "
                "number of clusters with -k."
            )
        if output == "-":
            raise click.UsageError(
                f"{labels} is read in parts, so the result cannot go to standard output. Pass a "
                "folder with -o."
            )
        _combine_parts(source, stem.with_suffix(".parquet"), {"methods": makers, **options})
        return
    read = _evidence(source, total, distance) if similarity else read_ensemble(source)
    ensemble, unlabelled, line = read
    options["align_to"] = align_to and _earlier(ensemble, *align_to)
    ask: Any = partial(find_consensus, ensemble, **options)
    if compared:
        ask = _comparison(ensemble, numbers, draws, seed)
    try:
        results, failures = apply_methods(makers, ask)
    finally:
        show_progress("")
    for name, reason in failures.items():
        click.echo(f"{name}: {reason}", err=True)
    show = _show_selections if compared else _show_consensus
    page = {"about": line, "unlabelled": unlabelled, "failures": failures, "choice": choice}
    show(results, stem, page)
    if save:
        from coassoc.io.similarities import write_similarity
        from coassoc.pages.consensus_csv import sample_names

        matrix = next(iter(results.values())).similarity
        write_similarity(save, matrix, sample_names(ensemble))
        click.echo(save, err=output == "-")


def _is_comparison(n_clusters: int | str | None, methods: Sequence[str]) -> bool:
    """Whether to compare numbers of clusters. A request that a method cannot meet is an error."""
    from coassoc.methods import METHODS

    roles: dict[str, str] = {}  # the first method of each role
    for name in methods:
        role = "optional" if name == "auto" else METHODS.method(name).n_clusters_is
        roles.setdefault(role, name)
    given, chosen = roles.get("given"), roles.get("chosen")
    if n_clusters == "auto" and given:
        raise click.UsageError(
            f"{given} cannot choose the number of clusters. Pass a number with -k."
        )
    if n_clusters not in (None, "auto") and chosen:
        raise click.UsageError(f"{chosen} chooses the number of clusters itself. Leave out -k.")
    if n_clusters is None and chosen and len(roles) > 1:
        raise click.UsageError(
            f"Without -k the command compares numbers of clusters, but {chosen} chooses its own "
            "number. Pass this method alone."
        )
    return n_clusters is None and not chosen


def _evidence(
    source: TableFile, total: float | None, distance: bool
) -> tuple[Ensemble, dict[int, str], str]:
    """Similarities in a file, as `read_ensemble` gives base clusterings."""
    from coassoc.display import count_of
    from coassoc.evidence import Evidence
    from coassoc.io.similarities import read_similarity

    S, names = read_similarity(source, total, distance)
    with named_after(source.file, "similarity"):
        evidence = Evidence(S, names)
    kind = "counts" if total else "distances" if distance else "similarities"
    line = f"{source.file}: {kind} of {count_of(evidence.n_samples, 'sample')}"
    click.echo(f"{line}.", err=True)
    return evidence, {}, line


def _earlier(ensemble: Ensemble, file: str, column: str) -> pd.Series:
    """An earlier clustering, by the names of its samples."""
    if ensemble.index is None:
        raise click.UsageError("--align-to needs the names of the samples. Pass --id COLUMN.")
    read = read_labels(table_file(file, {"id": "first", "columns": (column,)}))
    return read.frame.iloc[:, 0].astype(object)


def _comparison(
    ensemble: Ensemble, numbers: tuple[int, int] | None, draws: int | None, seed: int
) -> Callable[..., Selection]:
    """The comparison of numbers of clusters by one method."""
    from coassoc.selection import select_n_clusters

    most = ensemble.n_samples - 1
    if most < 2:
        raise click.UsageError(
            f"The number of samples ({most + 1}) is too small to compare numbers of clusters. Pass "
            "a number of clusters with -k."
        )
    options: dict[str, Any] = {"n_draws": draws} if draws else {}
    if numbers:
        first, last = numbers
        if not first <= last <= most:
            raise click.UsageError(
                f"--numbers: {first} to {last} clusters of {most + 1} samples cannot be compared. "
                f"Pass two numbers from 2 to {most}, the smaller one first."
            )
        options["n_clusters"] = range(first, last + 1)

    def compare(method: Callable[..., Any]) -> Selection:
        return select_n_clusters(ensemble, method, random_state=seed, **options)

    return compare


def _show_consensus(results: dict[str, Consensus], stem: Path, page: dict[str, Any]) -> None:
    """Write the consensus by each method, and print a summary."""
    choices = {name: each.choice for name, each in results.items() if each.choice is not None}
    for reason in choices.values():
        click.echo(reason, err=True)
    results = {choices[name].method if name in choices else name: results[name] for name in results}
    if str(stem.parent) == "-":
        from coassoc.pages.consensus_csv import consensus_csv

        click.echo(consensus_csv(results, page["unlabelled"]), nl=False)
        return
    from coassoc.pages.consensus import summary, write_consensus

    paths = write_consensus(stem, results, **page)
    for name, each in results.items():
        if each.agreement is not None:
            click.echo(f"{name}: {each.agreement.verdict}\n")
        if each.alignment is not None:
            click.echo(f"{name}: {each.alignment.summary}\n")
    table = summary(results).to_string(index=False, float_format="{:.3f}".format)
    click.echo(f"{table}\n\n{' '.join(map(str, paths))}")


def _show_selections(results: dict[str, Selection], stem: Path, page: dict[str, Any]) -> None:
    """Write the criteria for numbers of clusters by each method, and print them."""
    from coassoc.pages.n_clusters import n_clusters_csv, write_n_clusters

    if str(stem.parent) == "-":
        click.echo(n_clusters_csv(results), nl=False)
        return
    paths = write_n_clusters(stem, results, page["about"], page["failures"], page["choice"])
    for method, selection in results.items():
        click.echo(f"{method}: {selection.verdict}\n{selection.table.to_string()}\n")
    click.echo(" ".join(map(str, paths)))


def _combine_parts(source: TableFile, output: Path, options: dict[str, Any]) -> None:
    """Combine base clusterings read in parts, with the options of `consensus_of_files`."""
    from coassoc.consensus import consensus_of_files
    from coassoc.display import count_of
    from coassoc.io.streams import LabelStream

    stream = LabelStream(source)
    check_several(stream.clusterings, source.file)
    files = count_of(len(stream.files), "file")
    click.echo(
        f"{source.file}: {len(stream.clusterings)} clusterings in {files}, read in parts.", err=True
    )
    show_progress("looking for distinct rows")
    results = consensus_of_files(
        stream,
        output,
        progress=lambda done, samples: show_progress(f"{done:,} of {samples:,} samples written"),
        **options,
    )
    show_progress("")
    for name, each in results.items():
        if each.choice is not None:
            click.echo(each.choice, err=True)
        if each.agreement is not None:
            click.echo(f"{name}: {each.agreement.verdict}\n")
    rows = next(iter(results.values())).ensemble
    click.echo(f"{stream.line}.", err=True)
    distinct = count_of(rows.microclusters.count, "distinct row")
    click.echo(f"{count_of(rows.n_samples, 'sample')}, {distinct} of labels\n\n{output}")


def _with_progress(name: str, make: Callable[..., Any]) -> Callable[..., Any]:
    """The same method, with a line of progress for each fit on a terminal."""
    fits = count(1)

    def made(**arguments: Any) -> Any:
        show_progress(f"{name}: fit {next(fits)}")
        return make(**arguments)

    return made
