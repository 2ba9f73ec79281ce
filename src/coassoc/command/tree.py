"""The command ``coassoc tree``."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from coassoc.command.tables import (
    check_not_written,
    label_options,
    named_after,
    output_option,
    read_ensemble,
    reject,
    seed_option,
    table_file,
)

_EXAMPLES = """\b
Examples:
  coassoc tree labels.csv --id first
  coassoc tree runs/ --nested --id first -o results
"""


@click.command(short_help="Build a tree of clusters from coarse to fine.", epilog=_EXAMPLES)
@click.argument("labels")
@label_options
@click.option(
    "--nested",
    is_flag=True,
    help=(
        "Read LABELS as a folder of tables. Each table is a hierarchy whose columns are nested "
        "clusterings, coarsest first."
    ),
)
@seed_option
@output_option
def command(
    labels: str,
    nested: bool,
    seed: int,
    output: str,
    **table: Any,
) -> None:
    """Build a tree of clusters, from coarse to fine, from the clusterings in the file LABELS.

    You do not need to choose a number of clusters. The report tree.html shows the tree, how
    reliable each split is, and the resolution of each clustering. tree.csv lists the splits, and
    tree_clusters.csv lists the cluster of each sample. LABELS can have any format that coassoc
    consensus reads.

    LABELS may also be a file of Newick trees (.nwk, .newick, .tre, .tree) or a folder of tables
    with nested columns (--nested). In this case tree.html shows the consensus of the trees,
    tree.nwk contains the majority-rule tree, and tree.csv lists its clusters, with the fraction of
    trees that contain each cluster.
    """
    from coassoc.pages.tree import files_of_tree, write_tree
    from coassoc.selection import consensus_tree

    stem = Path(output) / "tree"
    if nested or Path(labels).suffix.lower() in (".nwk", ".newick", ".tre", ".tree"):
        if nested:
            reject("{0} does not work with --nested. Leave out {0}.", "each_file", "seed")
        else:
            about = f"{{0}} is for tables, but {labels} has Newick trees. Leave out {{0}}."
            reject(about, "seed", *table)
        trees = _nested_tables(labels, table) if nested else _newick_trees(labels)
        _join_hierarchies(labels, trees, stem)
        return
    check_not_written([labels], files_of_tree(stem))
    ensemble, _, line, _ = read_ensemble(table_file(labels, table))
    with named_after(labels):
        tree = consensus_tree(ensemble, random_state=seed)
    paths = write_tree(stem, tree, line)
    click.echo(f"{tree.verdict}\n\n{' '.join(map(str, paths))}")


def _newick_trees(file: str) -> list[Any]:
    from coassoc.hierarchies import read_newick
    from coassoc.io.text import read_text
    from coassoc.io.untrusted import reading

    with named_after(file, "Newick tree"), reading(file):
        return read_newick(read_text(Path(file)))


def _nested_tables(folder: str, table: dict[str, Any]) -> list[Any]:
    """A data frame of labels by the names of the samples for each file of a folder."""
    import pandas as pd

    from coassoc.io.files import check_options, files_of_labels, open_file
    from coassoc.io.labels import labels_of

    source, files = table_file(folder, table), files_of_labels(folder)[1]
    check_options(source, files)
    frames = []
    for file in files:
        read = labels_of(open_file(replace(source, file=str(file))))
        click.echo(f"{read.line}.", err=True)
        if read.samples is None:
            raise click.UsageError(f"{file} does not name its samples. Pass --id COLUMN.")
        frames.append(pd.DataFrame(read.labels, index=read.samples))
    return frames


def _join_hierarchies(file: str, trees: list[Any], stem: Path) -> None:
    """Write the consensus of hierarchies."""
    from coassoc.hierarchies import consensus_hierarchy
    from coassoc.io.display import count_of
    from coassoc.pages.hierarchies import files_of_hierarchy, write_hierarchy

    check_not_written([file], files_of_hierarchy(stem))
    with named_after(file, "hierarchies"):
        result = consensus_hierarchy(trees)
    line = f"{file}: {count_of(len(trees), 'tree')} of {count_of(len(result.names), 'sample')}"
    click.echo(f"{line}.", err=True)
    paths = write_hierarchy(stem, result, line)
    clusters = count_of(len(result.clusters), "cluster")
    click.echo(f"Majority-rule tree: {clusters}\n\n{' '.join(map(str, paths))}")
