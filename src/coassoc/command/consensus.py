"""The command ``coassoc consensus``."""

from __future__ import annotations

from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from coassoc.command.tables import (
    check_not_written,
    label_options,
    named_after,
    progress_removed,
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
  coassoc consensus labels.csv --id first -k 5 -m LWEA -m EC-CMS -o results
  coassoc consensus labels/ --each-file samples -k 10 -o results
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
    metavar="NAME",
    help="Method, as listed by `coassoc methods`, or auto to compare several methods. "
    "May be repeated.",
)
@label_options
@click.option(
    "--weight",
    "weights",
    multiple=True,
    metavar="NAME=N",
    help="Count the clustering NAME N times. May be repeated.",
)
@click.option(
    "--truth",
    "classes",
    metavar="COLUMN",
    help=(
        "Column of reference labels. The command leaves it out of the clusterings and prints ARI, "
        "NMI and ACC of each method."
    ),
)
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
    default=20,
    help=(
        "Number of random halves of the clusterings, with which the command compares numbers of "
        "clusters."
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
    help="Also fit five methods of different kinds and report how well they agree with the result.",
)
@seed_option
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, allow_dash=True),
    default=".",
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
    draws: int,
    align_to: tuple[str, str] | None,
    agreement: bool,
    weights: tuple[str, ...],
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
    sample, or because it hardly agrees with other columns beyond chance. Choose columns
    with --columns or --except. For measurements, use coassoc subtypes.

    If you name no method, the command fits several and keeps the clusters that agree most with
    those of the others. It says whether halves of the clusterings give the same clusters, and
    whether the clusterings have two answers. With -k, it writes the report consensus.html and the
    table consensus.csv, which gives the cluster and confidence of each sample for each method.
    Without -k, it compares numbers
    of clusters and writes n_clusters.html and n_clusters.csv. BALLS, AGGLOMERATIVE, FURTHEST,
    LOCALSEARCH and PIVOT choose the number themselves and do not need -k.

    LABELS may also be a folder (--each-file). Each file of the folder contains one clustering, or
    each file is a Parquet file with some of the samples, in the order of the file names. Such
    Parquet files, and a single Parquet file larger than a gigabyte, need not fit into memory. In
    these cases the only result is consensus.parquet.
    """
    from coassoc.consensus import apply_methods, find_consensus
    from coassoc.io.files import is_streamed
    from coassoc.methods import METHODS, resolve_method
    from coassoc.methods.auto import COMPARISONS

    if (labels is None) == (similarity is None):
        raise click.UsageError("Pass either LABELS or --similarity FILE, but not both.")
    if similarity is None:
        reject("{0} needs --similarity. Leave out {0}.", "total", "distance")
    else:
        unused = "align_to", "agreement", "each_file", "in_", "weights", "classes"
        reject("{0} does not work with --similarity. Leave out {0}.", *unused)
        if n_clusters is None:
            raise click.UsageError("--similarity needs -k. Add -k.")
        if distance:
            reject("{0} is for counts, and --distance for distances. Leave out {0}.", "total")
    source = table_file(labels or similarity or "", table)
    makers: dict[str, Any] = {
        name: name if name == "auto" else resolve_method(name) for name in methods
    }
    named = [METHODS[name] for name in methods if name != "auto"]
    compared = n_clusters is None and all(method.n_clusters_is != "chosen" for method in named)
    choice = ""
    if compared:
        reject(
            "{0} needs -k. Add -k, or leave out {0}.", "save", "align_to", "agreement", "classes"
        )
        if makers.pop("auto", None):
            choice = str(COMPARISONS)
            makers = {COMPARISONS.method: resolve_method(COMPARISONS.method), **makers}
            click.echo(choice, err=True)
    else:
        reject("{0} compares several numbers of clusters. Leave out {0} or -k.", "numbers", "draws")
    makers = {name: _with_progress(name, make) for name, make in makers.items()}
    stem = Path(output) / ("n_clusters" if compared else "consensus")
    check_not_written([source.file], [stem.with_suffix(".csv"), *map(Path, filter(None, [save]))])
    if save:
        from coassoc.io.similarities import check_ending, write_similarity  # they load SciPy

        check_ending(save)
    options: dict[str, Any] = {
        "n_clusters": n_clusters,
        "random_state": seed,
        "agreement": agreement,
    }
    if similarity is None and is_streamed(source):
        in_parts = f"{labels} is read in parts, which does not work"
        parts = "save", "align_to", "weights", "classes"
        reject(f"{in_parts} with {{0}}. Leave out {{0}}.", *parts)
        if compared or output == "-":
            raise click.UsageError(f"{in_parts} without -k or with -o -.")
        _combine_parts(source, stem.with_suffix(".parquet"), {"methods": makers, **options})
        return
    if similarity:
        ensemble, unlabelled, line, truth = _evidence(source, total, distance)
    else:
        ensemble, unlabelled, line, truth = read_ensemble(source, _weights(weights))
    if compared:
        from coassoc.selection import select_n_clusters

        compare: Any = partial(select_n_clusters, ensemble, n_draws=draws, random_state=seed)
        if numbers:
            compare = partial(compare, n_clusters=range(numbers[0], numbers[1] + 1))
        with progress_removed():
            selections, failures = apply_methods(makers, compare)
        _tell_failures(failures)
        _show_selections(selections, stem, (line, failures, choice))
        return
    options["align_to"] = align_to and _earlier(ensemble, *align_to)
    with progress_removed():
        results, failures = apply_methods(makers, partial(find_consensus, ensemble, **options))
    _tell_failures(failures)
    page = {"about": line, "unlabelled": unlabelled, "failures": failures, "truth": truth}
    _show_consensus(results, stem, page)
    if source.each_file == "map" and output != "-":
        from coassoc.io.files import files_of_labels
        from coassoc.io.maps import write_maps

        files = files_of_labels(source.file)[1]
        maps: dict[str, Any] = {name: each.labels + 1 for name, each in results.items()}
        maps |= {f"{name}_confidence": each.confidence for name, each in results.items()}
        click.echo(" ".join(map(str, write_maps(files, source, stem, maps, [*unlabelled]))))
    if save:
        from coassoc.pages.consensus_csv import sample_names

        write_similarity(save, next(iter(results.values())).similarity, sample_names(ensemble))
        click.echo(save, err=output == "-")


def _weights(given: tuple[str, ...]) -> dict[str, int]:
    """How often clusterings count, by their names."""
    weights = {}
    for name, _, number in (each.rpartition("=") for each in given):
        if not name or not number.isdecimal() or int(number) < 1:
            raise click.UsageError("Write each --weight as NAME=N, with an integer N from 1 on.")
        weights[name] = int(number)
    return weights


def _with_progress(name: str, make: Any) -> Any:
    """The same method, with a line of progress for each fit on a terminal."""
    if make == "auto":
        return make
    fits = count(1)

    def made(**arguments: Any) -> Any:
        show_progress(f"{name}: fit {next(fits)}")
        return make(**arguments)

    return made


def _evidence(
    source: TableFile, total: float | None, distance: bool
) -> tuple[Ensemble, dict[int, str], str, None]:
    """Similarities in a file, as `read_ensemble` gives base clusterings."""
    from coassoc.evidence import Evidence
    from coassoc.io.display import count_of
    from coassoc.io.similarities import read_similarity

    with named_after(source.file, "similarity"):
        evidence = Evidence(*read_similarity(source, total, distance))
    kind = "counts" if total else "distances" if distance else "similarities"
    line = f"{source.file}: {kind} of {count_of(evidence.n_samples, 'sample')}"
    click.echo(f"{line}.", err=True)
    return evidence, {}, line, None


def _earlier(ensemble: Ensemble, file: str, column: str) -> pd.Series:
    """An earlier clustering, by the names of its samples."""
    if ensemble.index is None:
        raise click.UsageError("--align-to needs the names of the samples. Pass --id COLUMN.")
    read = read_labels(table_file(file, {"id": "first", "columns": (column,)}))
    return read.frame.iloc[:, 0].astype(object)


def _tell_failures(failures: dict[str, str]) -> None:
    for name, reason in failures.items():
        click.echo(f"{name}: {reason}", err=True)


def _tell_choices(results: dict[str, Consensus]) -> None:
    for name, each in results.items():
        if each.ties:
            click.echo(f"{name}: {each.ties}", err=True)
        if each.choice is not None:
            click.echo(each.choice, err=True)
        if each.support is not None:
            click.echo(each.support.verdict, err=True)


def _show_consensus(results: dict[str, Consensus], stem: Path, page: dict[str, Any]) -> None:
    """Write the consensus by each method, and print a summary."""
    _tell_choices(results)
    results = {each.choice.method if each.choice else name: each for name, each in results.items()}
    if str(stem.parent) == "-":
        from coassoc.pages.consensus_csv import consensus_csv

        click.echo(consensus_csv(results, page["unlabelled"]), nl=False)
        return
    from coassoc.pages.consensus import summary, write_consensus

    paths = write_consensus(stem, results, **page)
    _tell_agreement(results)
    for name, each in results.items():
        if each.alignment is not None:
            click.echo(f"{name}: {each.alignment.summary}\n")
    columns = []
    for name, values in summary(results, page["truth"]).items():
        texts = [name, *(f"{x:.3f}" if isinstance(x, float) else str(x) for x in values)]
        columns.append([text.rjust(max(map(len, texts))) for text in texts])
    table = "\n".join(map("  ".join, zip(*columns, strict=True)))
    click.echo(f"{table}\n\n{' '.join(map(str, paths))}")


def _tell_agreement(results: dict[str, Consensus]) -> None:
    for name, each in results.items():
        if each.agreement is not None:
            click.echo(f"{name}: {each.agreement.verdict}\n")


def _show_selections(results: dict[str, Selection], stem: Path, page: tuple[Any, ...]) -> None:
    """Write the criteria for numbers of clusters by each method, and print them."""
    from coassoc.pages.n_clusters import n_clusters_csv, write_n_clusters

    if str(stem.parent) == "-":
        click.echo(n_clusters_csv(results), nl=False)
        return
    paths = write_n_clusters(stem, results, *page)
    for method, selection in results.items():
        click.echo(f"{method}: {selection.verdict}\n{selection.table.to_string()}\n")
    click.echo(" ".join(map(str, paths)))


def _combine_parts(source: TableFile, output: Path, options: dict[str, Any]) -> None:
    """Combine base clusterings read in parts, with the options of `consensus_of_files`."""
    from coassoc.consensus import consensus_of_files
    from coassoc.io.display import count_of
    from coassoc.io.streams import LabelStream

    stream = LabelStream(source)
    clusterings = count_of(len(stream.clusterings), "clustering")
    click.echo(f"{source.file}: {clusterings}, read in parts.", err=True)
    with progress_removed():
        results = consensus_of_files(stream, output, **options)
    _tell_choices(results)
    _tell_agreement(results)
    rows = next(iter(results.values())).ensemble
    click.echo(f"{stream.line}.", err=True)
    distinct = count_of(rows.microclusters.count, "distinct row")
    click.echo(f"{count_of(rows.n_samples, 'sample')}, {distinct} of labels\n\n{output}")
