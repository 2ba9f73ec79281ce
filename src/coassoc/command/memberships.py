"""The command ``coassoc memberships``."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from coassoc.command.tables import check_not_written, output_option, table_options

_EXAMPLES = """\b
Examples:
  coassoc memberships runs/ --groups ind2pop.txt -o found
  coassoc memberships K3_run1.csv K3_run2.csv --id first -o found
"""


@click.command(short_help="Align several runs of soft memberships.", epilog=_EXAMPLES)
@click.argument("files", nargs=-1, required=True)
@table_options
@click.option(
    "--groups",
    metavar="FILE",
    help=(
        "Table of sample groups, such as populations: one column of groups, with the samples in "
        "the order of the runs, or columns with sample names and groups, or a .fam file. Default: "
        "the populations in STRUCTURE's results."
    ),
)
@click.option(
    "--group-column", metavar="COLUMN", help="Name or number of the column of groups in --groups."
)
@click.option(
    "--group-order",
    metavar="FILE",
    help=(
        "File that lists the groups from left to right, one on each line. A second column holds "
        "names to show."
    ),
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    default=0.97,
    help="Smallest mean similarity of matched clusters at which two runs belong to the same mode.",
)
@output_option
def command(
    files: tuple[str, ...],
    groups: str | None,
    group_column: str | None,
    group_order: str | None,
    threshold: float,
    output: str,
    **table: Any,
) -> None:
    """Align the runs of soft memberships in FILES, find their modes, and compare values of K.

    FILES are .Q, .qopt and .meanQ files, STRUCTURE results, files of CLUMPP, tables with the
    columns Cluster1 … ClusterK, file maps of pong, logs of ADMIXTURE, or folders of such files.
    Samples are rows, and K may differ between runs.

    The command writes the report memberships.html, with scores for each K and bar plots for each K
    and mode. For each K, memberships.csv lists the cluster of each sample in the largest mode, its
    confidence, and its mean memberships in each mode. memberships_k.csv lists the scores of each K,
    and memberships_runs.csv the mode and the column order of each run. The folders
    memberships_aligned and memberships_modes contain the aligned runs and the means of the modes as
    .Q files.
    """
    from coassoc.io.memberships import read_memberships
    from coassoc.pages.memberships import files_of_memberships, write_memberships
    from coassoc.soft import align_memberships, compare_numbers

    stem, about = Path(output) / "memberships", (groups, group_column, group_order)
    given = [*files, *filter(None, (groups, group_order))]
    check_not_written(given, files_of_memberships(stem))
    if group_column is not None and groups is None:
        raise click.UsageError("--group-column is for --groups. Pass --groups FILE.")
    for file in files:
        if Path(file).is_dir() and Path(output).resolve().is_relative_to(Path(file).resolve()):
            raise click.UsageError(
                f"{output} is inside {file}, where every file is read as a run. Choose another "
                "folder for the results with -o."
            )
    runs = read_memberships(files, *about, **table)
    click.echo(f"{runs.line}.", err=True)
    aligned = replace(align_memberships(runs.memberships, threshold), index=runs.samples)
    evidence = compare_numbers(aligned, runs.scores)
    paths = write_memberships(stem, aligned, evidence, runs.groups, runs.order, runs.line)
    said = "\n".join(filter(None, [repr(aligned), evidence.verdict]))
    click.echo(f"{said}\n\n{' '.join(map(str, paths))}")
