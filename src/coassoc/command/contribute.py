"""The command ``coassoc contribute``."""

import click


@click.command(short_help="Write consensus labels in the form of Gagolewski's benchmark suite.")
@click.argument("methods", nargs=-1, required=True)
@click.option("--pool", default="suite-main", show_default=True, help="Of published results.")
@click.option("--directory", default=".", show_default=True, help="Where the workflow ran.")
@click.option("--out", default="contribution", show_default=True, help="Where files go.")
def command(methods: tuple[str, ...], pool: str, directory: str, out: str) -> None:
    """Write what METHODS made of the published results of each data set, as the suite stores it.

    Labels of the first repeat of each run go to original/coassoc/ in the folder --out, a column for
    each method. What did not converge or has another number of clusters is left out, and named.
    """
    from reproduction.results.contribution import contribute

    files, left_out = contribute(directory, methods, out, pool)
    for why, datasets in left_out.items():
        click.echo(f"Without {why}: {', '.join(datasets)}", err=True)
    click.echo(f"{len(files)} files in {out}")
