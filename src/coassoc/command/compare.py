"""The command ``coassoc compare``."""

from pathlib import Path

import click


@click.command(short_help="Compare your own method with the methods of coassoc.")
@click.argument("method", required=False)
@click.option("--quick", is_flag=True, help="Use four data sets with five ensembles each.")
@click.option(
    "--tuned",
    is_flag=True,
    help=(
        "Tune the parameters of the method over the grid declared in its class, using the "
        "reference labels."
    ),
)
@click.option(
    "--export",
    "exported",
    metavar="FOLDER",
    help=(
        "Folder to which the command writes the ensembles as .csv and .mat files, so that another "
        "program can cluster them."
    ),
)
@click.option(
    "--labels",
    metavar="[NAME=]FOLDER",
    help=(
        "Folder with the labels that another program computed for the exported ensembles. NAME is "
        "the name in the report (default: the folder's name)."
    ),
)
def command(
    method: str | None,
    quick: bool,
    tuned: bool,
    exported: str | None,
    labels: str | None,
) -> None:
    """Fit a method to the ensembles of the ranking and compare its scores with the scores of all
    other methods.

    The METHOD is a class in a file (mymethod.py:MyMethod) or in a module (package.module:MyMethod),
    or a name listed by 'coassoc methods'. Put parameters in parentheses, as in
    'mymethod.py:MyMethod(alpha=0.5)', and a name of your choice before an equals sign, as in
    'mine=mymethod.py:MyMethod'. The random seeds depend on this name.

    A fit may take ten minutes. The command does not repeat finished fits. It writes the report
    coassoc-compare/compare.html.
    """
    from coassoc.bench.benchmark import Benchmark
    from coassoc.bench.compare import compare, compare_labels
    from coassoc.bench.exchange import write_ensembles
    from coassoc.bench.shipped import QUICK_DATASETS, QUICK_DRAWS

    if sum(map(bool, (method, exported, labels))) != 1:
        raise click.UsageError("Pass exactly one of METHOD, --export and --labels.")
    benchmark = Benchmark(
        QUICK_DATASETS if quick else (),
        QUICK_DRAWS if quick else None,
        tuned=tuned,
        report=click.echo,
    )
    if exported:
        write_ensembles(Path(exported), benchmark)
        click.echo(f"{exported}: wrote the ensembles of {', '.join(benchmark.pools)}")
        return
    if labels:
        name, _, folder = labels.rpartition("=")
        if not Path(folder).is_dir():
            raise click.BadParameter(f"{folder} is not a folder.", param_hint="--labels")
        comparison = compare_labels(benchmark, name or Path(folder).resolve().name, Path(folder))
    else:
        comparison = compare(benchmark, str(method))
    place = comparison.place("ARI")
    rank = f"rank {place['rank']:.0f} of {place['of']} by ARI"
    missing = f"not ranked, because {place['missing']} data sets have no score"
    click.echo(f"{comparison.row}: {missing if place['missing'] else rank}")
    click.echo(f"{benchmark.folder}/{'compare_tuned' if tuned else 'compare'}.html")
