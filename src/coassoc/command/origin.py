"""The command ``coassoc origin``."""

import click


@click.command(short_help="Say where a number of a table comes from.")
@click.argument("table")
@click.argument("dataset")
@click.argument("row")
@click.argument("metric")
@click.option(
    "--directory", default=".", show_default=True, help="Where the workflow ran, or kept results."
)
def command(table: str, dataset: str, row: str, metric: str, directory: str) -> None:
    """Say which files are behind a number of a table, back to the source of the data.

    TABLE is the name of its target, such as eccms_table4; ROW and METRIC are named as there.
    """
    from reproduction.results.origin import as_text, origin

    click.echo(as_text(origin(directory, table, dataset, row, metric)))
