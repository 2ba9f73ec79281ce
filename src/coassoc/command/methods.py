"""The command ``coassoc methods``."""

from typing import Any

import click

from coassoc.command.tables import label_options, read_ensemble, reject, table_file


@click.command(short_help="List the consensus methods, or those that suit a table.")
@click.option(
    "--for",
    "labels",
    metavar="LABELS",
    help=(
        "Table of labels, as passed to coassoc consensus. The command lists the methods that "
        "accept the table, and gives a reason for each of the other methods."
    ),
)
@label_options
def command(labels: str | None, **table: Any) -> None:
    """List the consensus methods with their requirements and cost.

    Seconds are for one fit on one core with 1,000 distinct rows of labels, or with 1,000 samples
    and 1,000 features for methods that need features. The time grows with the number of rows or
    samples, to the given power. The mean ARI is measured against reference labels, on ensembles
    whose median number of clusters is at most the requested number, and on ensembles with a larger
    median (finer clusterings). Parentheses show the difference from the default of `coassoc
    consensus` (auto), with its 95 % interval. With --for, the list begins with
    the methods that accept the table, and gives a reason for each method that does not.
    """
    from coassoc.methods import METHODS
    from coassoc.methods.auto import measured_means
    from coassoc.methods.base import obstacles

    if labels is None:
        reject("{0} needs --for. Add --for LABELS, or leave out {0}.", *table)
    reasons = {} if labels is None else obstacles(read_ensemble(table_file(labels, table))[0])
    means = {kind: measured_means(kind) for kind in ("finer", "others")}
    width = max(map(len, METHODS))
    for name, method in METHODS.items():
        if reasons.get(name):
            continue
        title = "; needs ".join([method.title, ", ".join(method.needs)][: 1 + bool(method.needs)])
        title += "; chooses the number of clusters" * (method.n_clusters_is == "chosen")
        cost = f"{method.cost.seconds:g} s, power {method.cost.power:g}"
        click.echo(f"{name:{width}}  {cost:16}  {title}")
        click.echo(f"{'':{width}}  {'':16}  {method.paper}")
        if name in means["finer"]:
            told = {
                kind: f"{lines[name].mean:.3f} ({lines[name].versus} vs auto)"
                for kind, lines in means.items()
            }
            scores = f"mean ARI {told['others']}; with finer clusterings {told['finer']}"
            click.echo(f"{'':{width}}  {'':16}  {scores}")
    for name, reason in reasons.items():
        if reason:
            click.echo(f"{name:{width}}  {reason}", err=True)
