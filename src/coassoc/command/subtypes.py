"""The command ``coassoc subtypes``."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coassoc.command.tables import (
    check_not_written,
    measurement_options,
    named_after,
    output_option,
    seed_option,
    show_step,
    table_file,
)

if TYPE_CHECKING:
    from coassoc.subtyping import Measurements

_EXAMPLES = """\b
Examples:
  coassoc subtypes genes.csv --samples columns --most-variable 5000 -o results
  coassoc subtypes patients.csv --samples rows --algorithm hierarchical --distance pearson
  coassoc subtypes --block rna=a.csv --block meth=b.csv --samples columns
  coassoc subtypes rna.csv --samples columns --annotate pheno.csv --replicates patient
  coassoc subtypes cells.h5ad --numbers 2 10 --draws 100 --clouds 0
"""


@click.command(short_help="Find groups of samples in a table of measurements.", epilog=_EXAMPLES)
@click.argument("table", required=False)
@click.option(
    "--block",
    "blocks",
    multiple=True,
    metavar="NAME=FILE",
    help=(
        "Table for one kind of measurement, to use instead of TABLE. Repeat the option for each "
        "kind. The command clusters each kind separately and combines the results. Replicates are "
        "named by --replicates."
    ),
)
@measurement_options
@click.option(
    "--numbers",
    nargs=2,
    type=click.IntRange(2, 1000),
    default=(2, 6),
    metavar="FIRST LAST",
    help="Smallest and largest number of clusters to try.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=2),
    default=1000,
    help="Number of resamples for each number of clusters.",
)
@click.option("--items", type=float, default=0.8, help="Fraction of samples in a resample.")
@click.option("--features", type=float, default=1.0, help="Fraction of features in a resample.")
@click.option(
    "--algorithm",
    type=click.Choice(["kmeans", "hierarchical", "pam"]),
    default="kmeans",
    help="Algorithm that clusters each resample.",
)
@click.option(
    "--linkage",
    help="Linkage for hierarchical clustering: average, complete, single, weighted, ward, …",
)
@click.option(
    "--distance", help="Distance for hierarchical and pam: euclidean, pearson, spearman, …"
)
@click.option(
    "--starts",
    "n_init",
    type=click.IntRange(min=1),
    help="Number of starts of each k-means run. Default: 20 up to 256 samples, or 5.",
)
@click.option(
    "-m",
    "--method",
    metavar="NAME",
    default="EAC-AL",
    help="Consensus method, as listed by `coassoc methods`.",
)
@click.option(
    "--clouds",
    type=click.IntRange(min=0),
    default=49,
    help=(
        "Number of null data sets with which the data are compared: at least 49, or 0 for no "
        "comparison."
    ),
)
@click.option(
    "--annotate",
    metavar="FILE",
    help=(
        "Table with annotations of the samples, such as batch, sex and purity, whose first column "
        "names the samples. The report compares them with the clusters."
    ),
)
@click.option(
    "--replicates",
    metavar="COLUMN",
    help="Column of the annotations with equal values for replicates, such as the patient.",
)
@click.option("--matrices", is_flag=True, help="Also write the consensus matrices to files.")
@click.option(
    "--save",
    is_flag=True,
    help="Also write subtypes.joblib, from which Python can assign new samples to the clusters.",
)
@click.option(
    "--align-to",
    metavar="FILE",
    help=(
        "Keep the cluster names of an earlier run. Pass the file subtypes.joblib of that run. "
        "Pickle files can run code, so load only files that you trust."
    ),
)
@seed_option
@output_option
def command(
    table: str | None,
    blocks: tuple[str, ...],
    output: str,
    **options: Any,
) -> None:
    """Find groups of samples in the measurements in TABLE.

    For each number of clusters, the command clusters many random subsets of the samples and
    combines the results (Monti et al. 2003). It compares the data with null data, and looks for
    gaps between the clusters, which tell groups from a continuum.

    TABLE contains numbers. Its format is CSV or other text (also compressed), Parquet, Feather,
    .xlsx, .npy, .npz, .h5, .mat or .h5ad; "-" reads CSV from standard input. For a table of labels,
    use coassoc consensus.

    The command writes the report subtypes.html and several tables. subtypes.csv lists the cluster
    and confidence of each sample for each number of clusters, subtypes_criteria.csv the criteria
    and gaps, and subtypes_markers.csv the features that differ most between clusters. The tables
    …consensusClass.csv and …consensus.csv have the format of ConsensusClusterPlus. To resume an
    interrupted run, repeat the command.
    """
    from coassoc.errors import CoassocError
    from coassoc.pages.subtypes import files_of_subtypes, write_matrices, write_subtypes
    from coassoc.subtyping import subtypes
    from coassoc.subtyping.protocol import remove_kept

    folder = Path(output)
    numbers = range(options["numbers"][0], options["numbers"][1] + 1)
    files = _blocks(table, blocks)
    if options["replicates"] and not options["annotate"]:
        raise click.UsageError("--replicates names a column of --annotate. Pass --annotate FILE.")
    inputs = [*files.values(), *filter(None, [options["annotate"]])]
    check_not_written(inputs, files_of_subtypes(folder, numbers))
    read = {name: read_measurements(file, options) for name, file in files.items()}
    steps = [f"{name}: {step}" if name else step for name in read for step in read[name][1]]
    data = {name: measured for name, (measured, _) in read.items()}
    annotations = _annotations(options["annotate"], [measured for measured, _ in read.values()])
    groups = None
    if (column := options["replicates"]) is not None:
        if column not in annotations:
            raise click.UsageError(
                f"{options['annotate']}: --replicates {column!r} is not a column. The columns are "
                f"{', '.join(annotations)}."
            )
        groups = annotations[column]
    names = ("items", "features", "algorithm", "method", "linkage", "distance", "n_init")
    earlier = _earlier(options["align_to"])
    try:
        result = subtypes(
            data if blocks else data[""],
            numbers,
            options["draws"],
            n_clouds=options["clouds"],
            groups=groups,
            align_to=earlier,
            random_state=options["seed"],
            kept=folder / ".subtypes",
            report=show_step,
            **{name: options[name] for name in names if options[name] is not None},
        )
    except CoassocError:  # the command would fail again
        remove_kept(folder / ".subtypes")
        raise
    about = ", ".join(Path(file).name for file in files.values())
    if annotations is not None:
        annotations = annotations.loc[result.index]
    paths = write_subtypes(folder, result, about, steps, annotations)
    if options["matrices"]:
        paths += write_matrices(folder, result)
    if options["save"]:
        import joblib

        paths += [Path(name) for name in joblib.dump(result, folder / "subtypes.joblib")]
    for k, alignment in result.alignments.items():
        click.echo(f"{k} clusters: {alignment.from_one.summary}\n")
    criteria = result.criteria.to_string(float_format="{:.3f}".format)
    click.echo(f"{result.verdict}\n\n{criteria}\n\n{' '.join(map(str, paths))}")


def _blocks(table: str | None, blocks: tuple[str, ...]) -> dict[str, str]:
    """Files by the names of their blocks; a table alone has the empty name."""
    files = {name: file for name, _, file in (block.partition("=") for block in blocks)}
    if "" in files or "" in files.values() or len(files) < len(blocks):
        raise click.UsageError(
            "Write each --block as NAME=FILE, and each NAME once. For a column that names patients "
            "or other replicates, pass --annotate FILE --replicates COLUMN."
        )
    if (table is None) == (not blocks):
        raise click.UsageError("Pass either TABLE or --block NAME=FILE, but not both.")
    return files or {"": str(table)}


def _annotations(file: str | None, tables: list[Measurements]) -> Any:
    """Annotations of all samples, in a data frame whose index names them."""
    if file is None:
        return None
    import numpy as np
    import pandas as pd

    from coassoc.io.features import as_numbers
    from coassoc.io.files import open_table
    from coassoc.io.labels import encode, names_in
    from coassoc.io.table import TableFile
    from coassoc.subtyping.annotations import match_annotations

    if any(table.samples is None for table in tables):
        raise click.UsageError("--annotate needs names of the samples, which the table lacks.")
    table = open_table(TableFile(file))
    first, *columns = table.read(range(len(table.names)))
    values = {}
    for name, column in zip(table.names[1:], columns, strict=True):
        numbers = as_numbers(column, ())
        codes, texts = encode(column)
        values[name] = (
            np.array([*texts, None], object)[codes] if isinstance(numbers, str) else numbers
        )
    frame = pd.DataFrame(values, names_in(table, encode(first)))
    every = pd.Index(np.concatenate([table.samples for table in tables])).unique()
    return match_annotations(frame, every.to_numpy(dtype=object), file)


def read_measurements(file: str, options: dict[str, Any]) -> tuple[Measurements, list[str]]:
    """The samples after the requested preprocessing, and its steps in words."""
    import numpy as np
    from scipy.sparse import issparse

    from coassoc.io.display import count_of
    from coassoc.io.features import read_features, warn_of_classes
    from coassoc.io.table import TableFile, listed
    from coassoc.subtyping import Measurements
    from coassoc.subtyping.samples import check_samples

    keys = {field.name: options[field.name] for field in fields(TableFile) if field.name in options}
    table = Measurements(*read_features(table_file(file, keys)))
    rows, columns = table.X.shape
    samples = options["samples"] or ("rows" if file.endswith(".h5ad") else None)
    if samples is None:
        raise click.UsageError(
            f"{file}: the samples could be the {rows} rows or the {columns} columns of numbers. "
            "Pass --samples rows or --samples columns."
        )
    if samples == "columns":
        table = table.T
    if table.features is not None and not issparse(table.X):
        warn_of_classes(file, zip(table.features, table.X.T, strict=True))
    n, d = table.X.shape
    line = f"{count_of(n, 'sample')} (the {samples}) × {count_of(d, 'feature')}"
    gaps = np.isnan(table.X.data if issparse(table.X) else table.X).mean()
    line += f", {100 * gaps:.2g} % missing" if gaps else ""
    if options.get("drop_empty") and not issparse(table.X):
        empty = table.names[1][np.isnan(table.X).all(axis=0)]
        line += f"; without {listed(empty)} (no numbers)" if len(empty) else ""
    click.echo(f"{file}: {line}.", err=True)
    check_samples(table.X, table.samples, file)
    names = ("drop_empty", "impute", "log", "most_variable", "centre", "z_scores")
    chosen = {name: options[name] for name in names if options.get(name)}
    steps = [f"{name} {value}".removesuffix(" True") for name, value in chosen.items()]
    with named_after(file, "X"):
        table = table.preprocess(**chosen)
    return table, [line, *(step.replace("_", " ") for step in steps)]


def _earlier(file: str | None) -> Any:
    if file is None:
        return None
    import joblib

    from coassoc.errors import DataError
    from coassoc.subtyping import Subtypes

    earlier = None
    with suppress(Exception):  # a file that is not a pickle fails in many ways
        earlier = joblib.load(file)
    if not isinstance(earlier, Subtypes):
        raise DataError(
            f"{file}: this file was not written by coassoc subtypes --save. Pass the "
            "subtypes.joblib of an earlier run."
        )
    return earlier
