"""The command ``coassoc methods``."""

from __future__ import annotations

import click


@click.command(short_help="List the consensus methods.")
def command() -> None:
    """List the consensus methods: which need the samples' features, and which complete labels."""
    from coassoc.methods import METHODS

    for name in METHODS:
        estimator = METHODS.method(name).estimator
        needs = ["features"] * estimator.uses_features
        needs += ["complete labels"] * (not estimator.takes_missing)
        click.echo(f"{name:12}{', '.join(needs)}".rstrip())
