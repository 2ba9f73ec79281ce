"""The command ``coassoc audit``."""

import click


@click.command(short_help="Test how your own method behaves.")
@click.argument("method")
def command(method: str) -> None:
    """Test how a method behaves.

    The audit tests whether the method depends on sample order, seeds or threads, how it handles
    degenerate and large inputs, and how much time and memory it needs. A fit may take a minute and
    4 GB. Name the METHOD as for 'coassoc compare'. The command writes the report
    coassoc-audit/audit.html.
    """
    from coassoc.bench.audit import audit_method
    from coassoc.bench.own_methods import own_method

    audit = audit_method(own_method(method), report=click.echo)
    audit.write("coassoc-audit")
    click.echo("\ncoassoc-audit/audit.html")
