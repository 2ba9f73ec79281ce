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
        "Table of sample groups, such as populations: either one column of groups, with "
        "the samples in the order of the rows of the runs, or two columns: sample names and groups."
    ),
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    default=0.97,
    show_default=True,
    help="Smallest mean similarity of matched clusters at which two runs belong to the same mode.",
)
@output_option
def command(
    files: tuple[str, ...],
    groups: str | None,
    threshold: float,
    output: str,
    **table: Any,
) -> None:
    """Align the runs of soft memberships in FILES and find their modes.

    FILES are .Q, .qopt and .meanQ files, STRUCTURE results, CLUMPP indfiles, tables with the
    columns Cluster1 … ClusterK, or folders of such files. Samples are rows, and K may differ
    between runs.

    The command writes the report memberships.html, with bar plots for each K and mode. For each K,
    memberships.csv lists the cluster of each sample, its confidence and its mean memberships in
    each mode. memberships_runs.csv lists the mode and the column order of each run. The folder
    memberships_aligned contains the aligned runs as .Q files.
    """
    from coassoc.io.memberships import read_groups, read_memberships
    from coassoc.pages.memberships import files_of_memberships, write_memberships
    from coassoc.soft import align_memberships

    stem = Path(output) / "memberships"
    check_not_written([*files, *filter(None, [groups])], files_of_memberships(stem))
    for file in files:
        if Path(file).is_dir() and Path(output).resolve().is_relative_to(Path(file).resolve()):
            raise click.UsageError(
                f"{output} is inside {file}, where every file is read as a run. Choose another "
                "folder for the results with -o."
            )
    runs, line = read_memberships(files, **table)
    click.echo(f"{line}.", err=True)
    aligned, of_samples = align_memberships(runs, threshold), None
    if groups is not None:
        n = len(aligned.memberships[min(aligned.levels)])
        index, of_samples = read_groups(groups, n, aligned.index)
        aligned = replace(aligned, index=index)
    paths = write_memberships(stem, aligned, of_samples, line)
    click.echo(f"{aligned!r}\n\n{' '.join(map(str, paths))}")
