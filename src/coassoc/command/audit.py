"""The command ``coassoc audit``."""

import click


@click.command(short_help="Test how your own method behaves.")
@click.argument("method")
@click.option("--folder", default="coassoc-audit", show_default=True, help="Folder for the report.")
@click.option(
    "--minutes", default=1.0, show_default=True, help="Time limit for each fit, in minutes."
)
@click.option(
    "--memory", default=4000.0, show_default=True, help=("Memory limit for each fit, in megabytes.")
)
def command(method: str, folder: str, minutes: float, memory: float) -> None:
    """Test how a method behaves.

    The audit tests whether the method depends on sample order, seeds or threads, how it handles
    degenerate and large inputs, and how much time and memory it needs. Name the METHOD as for
    'coassoc compare'. The command writes audit.html to the folder.
    """
    from coassoc.bench.audit import audit_method
    from coassoc.bench.limits import Limits
    from coassoc.bench.own_methods import own_method

    audit = audit_method(own_method(method), limits=Limits(minutes, memory), report=click.echo)
    audit.write(folder)
    click.echo(f"{folder}/audit.html")
