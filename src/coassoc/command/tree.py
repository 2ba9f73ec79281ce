"""The command ``coassoc tree``."""

from pathlib import Path
from typing import Any

import click

from coassoc.command.tables import (
    check_not_written,
    label_options,
    named_after,
    read_ensemble,
    seed_option,
    table_file,
)

_EXAMPLES = """\b
Examples:
  coassoc tree labels.csv --id first
  coassoc tree labels.csv --least 10 -o results
"""


@click.command(short_help="Show the clusters of a table at all resolutions.", epilog=_EXAMPLES)
@click.argument("labels")
@label_options
@click.option(
    "--least",
    type=click.IntRange(min=1),
    help="Samples that a cluster has at least; by default a fiftieth of them.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Level of the tests.",
)
@seed_option
@click.option("-o", "--output", default=".", show_default=True, metavar="FOLDER")
def command(
    labels: str, least: int | None, level: float, seed: int, output: str, **table: Any
) -> None:
    """Show the clusters of the clusterings in the file LABELS at all resolutions.

    No number of clusters is needed. tree.html has the tree of the clusters, how far each split can
    be trusted, and where each clustering stands in it; tree.csv has the splits, and
    tree_clusters.csv the clusters of the samples. LABELS is as for coassoc consensus.

    Of a file of Newick trees (.nwk, .newick, .tre, .tree) tree.html has their consensus, tree.nwk
    the majority-rule tree, and tree.csv its clusters and how many of the trees have each.
    """
    from coassoc.pages.tree import files_of_tree, write_tree
    from coassoc.selection import consensus_tree

    stem = Path(output) / "tree"
    if Path(labels).suffix in (".nwk", ".newick", ".tre", ".tree"):
        _join_hierarchies(labels, stem)
        return
    check_not_written([labels], files_of_tree(stem))
    source = table_file(labels, table)
    ensemble, unlabelled, line = read_ensemble(source)
    with named_after(labels):
        tree = consensus_tree(ensemble, least=least, level=level, random_state=seed)
    made = write_tree(stem, tree, line, len(unlabelled))
    click.echo(f"{tree.verdict}\n\n{' '.join(map(str, made))}")


def _join_hierarchies(file: str, stem: Path) -> None:
    """The consensus of the Newick trees in a file."""
    from coassoc.hierarchies import consensus_hierarchy
    from coassoc.io.text import read_text
    from coassoc.io.untrusted import reading
    from coassoc.pages.hierarchies import files_of_hierarchy, write_hierarchy

    check_not_written([file], files_of_hierarchy(stem))
    with reading(file):
        trees = [f"{tree};" for tree in read_text(Path(file)).split(";") if tree.strip()]
    with named_after(file, "(hierarchies|Newick tree)"):
        found = consensus_hierarchy(trees)
    line = f"{file}: {len(trees)} trees of {len(found.names):,} samples"
    click.echo(f"{line}.", err=True)
    made = write_hierarchy(stem, found, line)
    click.echo(f"{len(found.clusters)} clusters are in most trees.\n\n{' '.join(map(str, made))}")
