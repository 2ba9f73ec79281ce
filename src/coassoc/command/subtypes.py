"""The command ``coassoc subtypes``."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coassoc.command.tables import check_not_written, seed_option, table_file, table_options

if TYPE_CHECKING:
    from coassoc.subtyping import Measurements

_EXAMPLES = """\b
Examples:
  coassoc subtypes genes.csv --samples columns --most-variable 5000 -o results
  coassoc subtypes patients.csv --algorithm hierarchical --distance pearson
  coassoc subtypes --block rna=a.csv --block meth=b.csv --samples columns
  coassoc subtypes cells.h5ad --numbers 2 10 --draws 100 --clouds 0
"""


@click.command(short_help="Find groups of samples in measurements.", epilog=_EXAMPLES)
@click.argument("table", required=False)
@click.option(
    "--block",
    "blocks",
    multiple=True,
    metavar="NAME=FILE",
    help="In place of TABLE, several times: kinds of measurements of the same samples, clustered "
    "each by itself and combined.",
)
@click.option(
    "--weight", "weights", multiple=True, metavar="NAME=NUMBER", help="Of a block; by default 1."
)
@click.option(
    "--samples",
    type=click.Choice(["rows", "columns"]),
    help="Where the samples are; must be said where both could be.",
)
@table_options
@click.option(
    "--impute",
    type=click.Choice(["median", "mean", "knn"]),
    help="What fills in missing numbers; without it they are refused.",
)
@click.option("--log", is_flag=True, help="Take log2(x + 1).")
@click.option(
    "--most-variable",
    type=click.IntRange(min=1),
    metavar="N",
    help="Keep the N features with the largest median absolute deviation.",
)
@click.option("--centre", type=click.Choice(["median", "mean"]), help="Of features: shift it to 0.")
@click.option("--z-scores", is_flag=True, help="Scale features to mean 0 and deviation 1.")
@click.option(
    "--numbers",
    nargs=2,
    type=click.IntRange(2, 1000),
    default=(2, 6),
    show_default=True,
    metavar="FIRST LAST",
    help="Numbers of clusters.",
)
@click.option("--draws", type=click.IntRange(min=2), default=1000, show_default=True)
@click.option("--items", type=float, default=0.8, show_default=True, help="Samples in a draw.")
@click.option("--features", type=float, default=1.0, show_default=True, help="Features in a draw.")
@click.option(
    "--algorithm",
    default="kmeans",
    show_default=True,
    metavar="NAME",
    help="kmeans, hierarchical, pam, leiden, or the name of a clusterer of scikit-learn.",
)
@click.option("--linkage", help="Of hierarchical: average, complete, single, weighted, ward, …")
@click.option("--distance", help="Of hierarchical and pam: euclidean, pearson, spearman, …")
@click.option(
    "--starts", "n_init", type=click.IntRange(min=1), help="Of kmeans: starts of a fit. Default: 5."
)
@click.option(
    "-m",
    "--method",
    metavar="NAME",
    help="What makes a consensus of the draws, as `coassoc methods` lists them; by default EAC-AL, "
    "and VOTE beyond 8,192 samples.",
)
@click.option(
    "--clouds",
    type=click.IntRange(min=0),
    help="Gaussian clouds, and as many uniform ones, by which the data are tested for groups: 19 "
    "or more, or 0 for no test. Default: as many as take half as long as the draws, 99 at most.",
)
@click.option("--matrices", is_flag=True, help="Write the consensus matrices too.")
@click.option("--save", is_flag=True, help="Write subtypes.joblib, which predicts new samples.")
@click.option(
    "--align-to",
    metavar="FILE",
    help="subtypes.joblib of an earlier run, whose clusters keep their names. It is a pickle: take "
    "it only from those whom you trust.",
)
@seed_option
@click.option("-o", "--output", default=".", show_default=True, metavar="FOLDER")
def command(
    table: str | None,
    blocks: tuple[str, ...],
    weights: tuple[str, ...],
    output: str,
    **options: Any,
) -> None:
    """Find groups of samples in the measurements in TABLE, for every number of clusters.

    Shares of the samples are drawn many times, each draw is clustered, and the draws are combined
    (consensus clustering by resampling, Monti et al. 2003). The data are tested for groups.

    TABLE holds numbers, in CSV and other text (also packed), Parquet, Feather, .xlsx, .npy, .npz,
    .h5, .mat or .h5ad; - is standard input. A table of labels is for coassoc consensus.

    The results are subtypes.html, a page; subtypes.csv, the cluster of each sample for each number
    and how sure it is; subtypes_criteria.csv; and the tables of ConsensusClusterPlus, whose names
    end in consensusClass.csv and consensus.csv. An interrupted run goes on with the same call.
    """
    from coassoc.pages.subtypes import files_of_subtypes, write_subtypes
    from coassoc.subtyping import subtypes

    folder = Path(output)
    first, last = options["numbers"]
    numbers = range(first, last + 1)
    files = _blocks(table, blocks)
    check_not_written(files.values(), files_of_subtypes(folder, numbers))
    read = {name: _measurements(file, numbers, options) for name, file in files.items()}
    steps = [f"{name}: {step}" if name else step for name in read for step in read[name][1]]
    data = {name: measured for name, (measured, _) in read.items()}
    given = {name: options[name] for name in ("linkage", "distance", "n_init") if options[name]}
    found = subtypes(
        data if blocks else data[""],
        numbers,
        options["draws"],
        options["items"],
        options["features"],
        options["algorithm"],
        weights=_weights(weights) if blocks else None,
        method=options["method"],
        n_clouds=options["clouds"],
        align_to=_earlier(options["align_to"]),
        random_state=options["seed"],
        kept=folder / ".subtypes",
        report=_show_progress,
        **given,
    )
    about = ", ".join(Path(file).name for file in files.values())
    made = write_subtypes(folder, found, about, steps)
    if options["matrices"]:
        from coassoc.pages.subtypes import write_matrices

        made += write_matrices(folder, found)
    if options["save"]:
        import joblib

        made += [Path(name) for name in joblib.dump(found, folder / "subtypes.joblib")]
    for k, alignment in found.alignments.items():
        click.echo(f"{k} clusters: {alignment.summary}\n")
    criteria = found.criteria.to_string(float_format="{:.3f}".format)
    click.echo(f"{found.verdict}\n\n{criteria}\n\n{' '.join(map(str, made))}")


def _pairs(given: tuple[str, ...], option: str) -> dict[str, str]:
    """Values by the names before the first equals sign."""
    pairs = [text.partition("=") for text in given]
    if not all(name and value for name, _, value in pairs):
        raise click.UsageError(f"{option} needs NAME=VALUE.")
    names = [name for name, *_ in pairs]
    if len({*names}) < len(names):
        raise click.UsageError(f"{option} has a name twice.")
    return {name: value for name, _, value in pairs}


def _blocks(table: str | None, blocks: tuple[str, ...]) -> dict[str, str]:
    """Files by the names of their blocks; a table alone has the empty name."""
    if (table is None) == (not blocks):
        raise click.UsageError("Give either TABLE or --block NAME=FILE, several times.")
    return _pairs(blocks, "--block") if table is None else {"": table}


def _weights(weights: tuple[str, ...]) -> dict[str, float] | None:
    """Weights of the blocks, if any is given."""
    try:
        return {name: float(value) for name, value in _pairs(weights, "--weight").items()} or None
    except ValueError as error:
        raise click.UsageError(f"--weight: {error}.") from error


def _measurements(
    file: str, numbers: range, options: dict[str, Any]
) -> tuple[Measurements, list[str]]:
    """The samples after what was asked to be done to them, and the steps in words."""
    import numpy as np
    from scipy.sparse import issparse

    from coassoc.io.features import read_features
    from coassoc.io.table import TableFile
    from coassoc.subtyping import Measurements

    keys = {field.name: options[field.name] for field in fields(TableFile) if field.name in options}
    table = Measurements(*read_features(table_file(file, keys)))
    rows, columns = table.X.shape
    samples = options["samples"] or ("rows" if file.endswith(".h5ad") else None)
    if samples is None:
        enough = {
            "rows": round(options["items"] * rows) > numbers[-1],
            "columns": round(options["items"] * columns) > numbers[-1],
        }
        if all(enough.values()) or not any(enough.values()):
            raise click.UsageError(
                f"{file} has {rows} rows and {columns} columns of numbers: say --samples rows or "
                "--samples columns."
            )
        samples = next(name for name in enough if enough[name])
        click.echo(f"Samples are the {samples}: the others are too few.", err=True)
    if samples == "columns":
        table = table.T
    line = f"{table.X.shape[0]:,} samples (the {samples}) × {table.X.shape[1]:,} features"
    gaps = np.isnan(table.X.data if issparse(table.X) else table.X).mean()
    line += f", {100 * gaps:.2g} % missing" if gaps else ""
    click.echo(f"{file}: {line}.", err=True)
    names = ("impute", "log", "most_variable", "centre", "z_scores")
    chosen = {name: options[name] for name in names if options[name]}
    steps = [line]
    steps += [
        name.replace("_", " ") + ("" if value is True else f" {value}")
        for name, value in chosen.items()
    ]
    return table.preprocess(**chosen), steps


def _earlier(file: str | None) -> Any:
    if file is None:
        return None
    import joblib

    from coassoc.errors import DataError
    from coassoc.subtyping import Subtypes

    if not Path(file).is_file():
        raise DataError(f"{file}: there is no such file.")
    try:
        earlier = joblib.load(file)
    except Exception as error:  # what is no pickle fails in many ways
        raise DataError(f"{file}: not a result that --save wrote.") from error
    if not isinstance(earlier, Subtypes):
        raise DataError(f"{file}: not a result that --save wrote.")
    return earlier


def _show_progress(what: str, done: int, total: int) -> None:
    if sys.stderr.isatty():
        text = f"\r{what}: {done} of {total}\033[K" if done < total else "\r\033[K"
        click.echo(text, err=True, nl=False)
