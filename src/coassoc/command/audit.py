"""The command ``coassoc audit``."""

import click


@click.command(short_help="Ask what a method of your own reads and survives.")
@click.argument("method")
@click.option("--folder", default="coassoc-audit", show_default=True, help="Where the page is put.")
@click.option("--minutes", default=1.0, show_default=True, help="Minutes that a fit may take.")
@click.option("--memory", default=4000.0, show_default=True, help="Megabytes that a fit may take.")
def command(method: str, folder: str, minutes: float, memory: float) -> None:
    """Ask whether a method reads the order of the samples, seeds, threads and more.

    METHOD is named as for 'coassoc compare'. The page is audit.html in the folder.
    """
    from coassoc.bench.audit import audit_method
    from coassoc.bench.limits import Limits
    from coassoc.bench.own_methods import own_method

    audit = audit_method(own_method(method), limits=Limits(minutes, memory), report=click.echo)
    audit.write(folder)
    click.echo(f"{folder}/audit.html")
