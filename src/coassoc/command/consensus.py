"""The command ``coassoc consensus``."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from coassoc.command.tables import (
    check_not_written,
    check_several,
    label_options,
    named_after,
    read_ensemble,
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

T = TypeVar("T")

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
    from coassoc.io.files import is_streamed
    from coassoc.methods import METHODS, resolve_method

    choice = ""
    if (labels is None) == (similarity is None):
        raise click.UsageError(
            "The command needs LABELS or --similarity FILE, but not both. Pass one of the two."
        )
    if similarity is not None:
        if n_clusters is None:
            raise click.UsageError("--similarity needs -k. Add -k.")
        others = {
            "--align-to": align_to,
            "--agreement": agreement,
            "--each-file": table["each_file"],
        }
        for option in (name for name, value in others.items() if value):
            raise click.UsageError(f"--similarity does not work with {option}. Leave out {option}.")
        if total is not None and distance:
            raise click.UsageError(
                "--total is for counts and --distance for distances. Leave out one of the two "
                "options."
            )
        if "auto" in methods:
            choice = "auto chose EAC-AL: average linkage of the similarities."
        methods = tuple("EAC-AL" if name == "auto" else name for name in methods)
    elif total is not None or distance:
        raise click.UsageError(
            "--total and --distance need --similarity. Add --similarity, or leave out both options."
        )
    labels = labels if similarity is None else similarity
    source = table_file(labels or "", table)
    makers = {name: resolve_method(name) for name in methods}
    numbered = {
        name: "optional" if name == "auto" else METHODS.method(name).n_clusters_is
        for name in makers
    }
    compared = _is_comparison(n_clusters, numbered)
    if compared and "auto" in makers:
        choice = "auto chose LWEA: it cuts one dendrogram into each number of clusters."
        del makers["auto"]
        makers = {"LWEA": resolve_method("LWEA"), **makers}
    if choice:
        click.echo(choice, err=True)
    makers = {name: _with_progress(name, make) for name, make in makers.items()}
    c = None if n_clusters == "auto" else n_clusters
    stem = Path(output) / ("n_clusters" if compared else "consensus")
    targets = [stem.with_suffix(".csv"), *map(Path, filter(None, [save]))]
    check_not_written([str(labels)], targets)
    streamed = similarity is None and is_streamed(source)
    whole = {"--save-similarity": save, "--align-to": align_to}
    for option in (name for name, value in whole.items() if value and streamed):
        raise click.UsageError(
            f"{option} does not work with {labels}, which is read in parts. Leave out this option."
        )
    single = {**whole, "--agreement": agreement}
    for option in (name for name, value in single.items() if value and compared):
        raise click.UsageError(f"{option} needs -k. Add -k, or leave out {option}.")
    if save:
        from coassoc.io.similarities import check_ending  # it loads SciPy

        check_ending(save)
    if (numbers or draws) and not compared:
        option = "--numbers" if numbers else "--draws"
        raise click.UsageError(
            f"{option} compares several numbers of clusters, but -k sets one number. Leave out "
            "one of the two options."
        )
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
        _combine_parts(source, makers, options, stem.with_suffix(".parquet"))
        return
    if similarity is None:
        ensemble, unlabelled, line = read_ensemble(source)
    else:
        ensemble, unlabelled, line = _evidence(source, total, distance)
    if compared:
        most = ensemble.n_samples - 1
        if most < 2:
            raise click.UsageError(
                f"The number of samples ({most + 1}) is too small to compare numbers of clusters. "
                "Pass a number of clusters with -k."
            )
        # Samples with equal labels cannot be separated by more clusters than distinct rows.
        first, last = numbers or (2, max(2, min(10, most, ensemble.microclusters.count)))
        if not first <= last <= most:
            raise click.UsageError(
                f"--numbers: {first} to {last} clusters of {most + 1} samples cannot be compared. "
                f"Pass two numbers from 2 to {most}, the smaller one first."
            )
        from coassoc.selection import DisagreementWarning, select_n_clusters

        options = {"n_clusters": range(first, last + 1), "random_state": seed}
        if draws:
            options["n_draws"] = draws
        # The table of choices shows whether the criteria agree.
        with warnings.catch_warnings(action="ignore", category=DisagreementWarning):
            selections = _apply_methods(makers, partial(select_n_clusters, ensemble, **options))
        _show_selections(*selections, stem, line, len(unlabelled), choice)
    else:
        from coassoc.consensus import find_consensus

        options["align_to"] = align_to and _earlier(ensemble, *align_to)
        consensus = _apply_methods(makers, partial(find_consensus, ensemble, **options))
        _show_consensus(*consensus, stem, line, unlabelled, choice)
        if save:
            _save(ensemble, save)
            click.echo(save, err=output == "-")


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


def _save(ensemble: Ensemble, path: str) -> None:
    import numpy as np

    from coassoc.io.similarities import write_similarity
    from coassoc.pages.consensus_csv import sample_names
    from coassoc.similarity import co_association

    write_similarity(path, np.asarray(co_association(ensemble)), sample_names(ensemble))


def _earlier(ensemble: Ensemble, file: str, column: str) -> pd.Series:
    """An earlier clustering, by the names of its samples."""
    from coassoc.io.files import open_table
    from coassoc.io.labels import labels_of

    if ensemble.index is None:
        raise click.UsageError("--align-to needs the names of the samples. Pass --id COLUMN.")
    read = labels_of(open_table(table_file(file, {"id": "first", "columns": (column,)})))
    click.echo(f"{read.line}.", err=True)
    return read.frame.iloc[:, 0].astype(object)


def _show_consensus(
    results: dict[str, Consensus],
    failures: dict[str, str],
    stem: Path,
    about: str,
    unlabelled: dict[int, str],
    choice: str,
) -> None:
    """Write the consensus by each method, and print a summary."""
    choices = {name: each.choice for name, each in results.items() if each.choice is not None}
    for reason in choices.values():
        click.echo(reason, err=True)
    results = {choices[name].method if name in choices else name: results[name] for name in results}
    if str(stem.parent) == "-":
        from coassoc.pages.consensus_csv import consensus_csv

        click.echo(consensus_csv(results, unlabelled), nl=False)
        return
    from coassoc.pages.consensus import summary, write_consensus

    paths = write_consensus(stem, results, about, unlabelled, failures, choice)
    for name, each in results.items():
        if each.agreement is not None:
            click.echo(f"{name}: {each.agreement.verdict}\n")
        if each.alignment is not None:
            click.echo(f"{name}: {each.alignment.summary}\n")
    columns = ([name, *map(str, values)] for name, values in summary(results).items())
    aligned = ([cell.rjust(max(map(len, column))) for cell in column] for column in columns)
    lines = map("  ".join, zip(*aligned, strict=True))
    click.echo("\n".join([*lines, "", " ".join(map(str, paths))]))


def _show_selections(
    results: dict[str, Selection],
    failures: dict[str, str],
    stem: Path,
    about: str,
    unlabelled: int,
    choice: str,
) -> None:
    """Write the criteria for numbers of clusters by each method, and print them."""
    from coassoc.pages.n_clusters import n_clusters_csv, write_n_clusters

    if str(stem.parent) == "-":
        click.echo(n_clusters_csv(results), nl=False)
        return
    paths = write_n_clusters(stem, results, about, failures, unlabelled, choice)
    for method, selection in results.items():
        click.echo(f"{method}: {selection.verdict}\n{selection.table.to_string()}\n")
    click.echo(" ".join(map(str, paths)))


def _apply_methods(
    makers: dict[str, Callable[..., Any]], ask: Callable[..., T]
) -> tuple[dict[str, T], dict[str, str]]:
    """Results and failures of the methods. If all methods fail, raise the first reason."""
    from coassoc.errors import CoassocError, DataError

    results, failures = {}, {}
    for name, make in makers.items():
        try:
            results[name] = ask(method=make)
        except CoassocError as error:
            failures[name] = f"skipped: {error}"
        except MemoryError:
            failures[name] = "failed: out of memory"
    show_progress("")
    if not results:
        name, reason = next(iter(failures.items()))
        reason = reason.removeprefix("skipped: ")
        raise DataError(reason if name in reason or name == "auto" else f"{name}: {reason}")
    for name, reason in failures.items():
        click.echo(f"{name}: {reason}", err=True)
    return results, failures


def _is_comparison(n_clusters: int | str | None, numbered: dict[str, str]) -> bool:
    """Whether to compare numbers of clusters. A request that a method cannot meet is an error.

    `numbered` has the role of the number of clusters for each method.
    """
    given = [name for name, number in numbered.items() if number == "given"]
    chosen = [name for name, number in numbered.items() if number == "chosen"]
    if n_clusters == "auto":
        if given:
            raise click.UsageError(
                f"{given[0]} cannot choose the number of clusters. Pass a number with -k."
            )
        return False
    if n_clusters is not None and chosen:
        raise click.UsageError(f"{chosen[0]} chooses the number of clusters itself. Leave out -k.")
    if chosen and len(chosen) < len(numbered):
        raise click.UsageError(
            f"Without -k the command compares numbers of clusters, but {chosen[0]} chooses its own "
            "number. Pass this method alone."
        )
    return not chosen and n_clusters is None


def _combine_parts(
    source: TableFile,
    makers: dict[str, Callable[..., Any]],
    options: dict[str, Any],
    output: Path,
) -> None:
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
        methods=makers,
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
