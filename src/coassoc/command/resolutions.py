"""The command ``coassoc resolutions``."""

from pathlib import Path
from typing import Any

import click

from coassoc.command.tables import (
    check_not_written,
    label_options,
    named_after,
    output_option,
    read_ensemble,
    table_file,
)

_EXAMPLES = """\b
Examples:
  coassoc resolutions meta.csv --id first --columns leiden_0.5_0,leiden_0.5_1,leiden_1_0,leiden_1_1
  coassoc resolutions runs.csv --pattern 'k15_r(?P<resolution>[0-9.]+)_s\\d'
"""


@click.command(short_help="Find a stable resolution.", epilog=_EXAMPLES)
@click.argument("labels")
@label_options
@click.option(
    "--pattern",
    metavar="REGEX",
    help=(
        'Regular expression that finds the resolution in a column name. Its group "resolution" '
        "marks the number, as in 'k15_r(?P<resolution>[0-9.]+)'."
    ),
)
@output_option
def command(labels: str, pattern: str | None, output: str, **table: Any) -> None:
    """Compare the clusterings in the file LABELS at several resolutions.

    The resolution of a column is the only number in its name, or the number after "res". A run
    number may follow, as in leiden_0.5_3. For other names, pass --pattern. Each resolution needs
    columns from at least two seeds. With one column each, only neighbouring resolutions are
    compared. The report resolutions.html shows how well runs agree at each
    resolution, how stable each cluster is, and how clusters divide from one resolution to the next.
    The numbers are in resolutions.csv, resolutions_clusters.csv and resolutions_samples.csv. LABELS
    can have any format that coassoc consensus reads.
    """
    from coassoc.pages.resolutions import files_of_resolutions, write_resolutions
    from coassoc.selection import compare_resolutions, resolutions_in

    stem = Path(output) / "resolutions"
    check_not_written([labels], files_of_resolutions(stem))
    ensemble, _, line, _ = read_ensemble(table_file(labels, table))
    with named_after(labels):
        values = resolutions_in(ensemble.clusterings, pattern).tolist() if pattern else None
        result = compare_resolutions(ensemble, values)
    paths = write_resolutions(stem, result, line)
    click.echo(f"{result.verdict}\n\n{result.table.to_string()}\n\n{' '.join(map(str, paths))}")
