"""The command ``coassoc compare``."""

from pathlib import Path

import click


@click.command(short_help="Compare a method of your own with all others.")
@click.argument("methods", nargs=-1, metavar="[METHOD]...")
@click.option("--quick", is_flag=True, help="Four data sets and five draws of each.")
@click.option("--tuned", is_flag=True, help="Tune the declared grid with the classes.")
@click.option("--dataset", "datasets", multiple=True, help="Only this data set; may be repeated.")
@click.option(
    "--folder", default="coassoc-compare", show_default=True, help="Where everything is kept."
)
@click.option("--mirror", help="A directory of sources, where there is no network.")
@click.option("--processes", type=click.IntRange(1), help="Fits at a time; all cores by default.")
@click.option("--minutes", default=10.0, show_default=True, help="Minutes that a fit may take.")
@click.option("--memory", type=float, help="Megabytes that a fit may take; no limit by default.")
@click.option("--export", "exported", metavar="FOLDER", help="Write the ensembles as CSV and .mat.")
@click.option(
    "--labels",
    multiple=True,
    metavar="[NAME=]FOLDER",
    help="Compare what another program made of the exported ensembles.",
)
def command(
    methods: tuple[str, ...],
    quick: bool,
    tuned: bool,
    datasets: tuple[str, ...],
    folder: str,
    mirror: str | None,
    processes: int | None,
    minutes: float,
    memory: float | None,
    exported: str | None,
    labels: tuple[str, ...],
) -> None:
    """Fit methods on the ensembles of the ranking, and compare them with the kept scores of all.

    A METHOD is a class in a file (mymethod.py:MyMethod) or in a module (package.module:MyMethod),
    or a name of 'coassoc methods', with its parameters if they are not at their defaults
    ('mymethod.py:MyMethod(alpha=0.5)'), and with a name of its own ('mine=mymethod.py:MyMethod'),
    which its seeds depend on.

    What was fitted before is not fitted again. The page is compare.html in the folder.
    """
    from coassoc.bench.benchmark import Benchmark
    from coassoc.bench.compare import compare, compare_labels
    from coassoc.bench.exchange import write_ensembles
    from coassoc.bench.limits import Limits
    from coassoc.bench.shipped import QUICK_DATASETS, QUICK_DRAWS

    if sum(map(bool, (methods, exported, labels))) != 1:
        raise click.UsageError("Give one or more methods, or --export, or --labels.")
    benchmark = Benchmark(
        datasets or (QUICK_DATASETS if quick else ()),
        QUICK_DRAWS if quick else None,
        Limits(minutes, memory),
        tuned=tuned,
        folder=Path(folder),
        mirror=mirror,
        report=click.echo,
    )
    if exported:
        write_ensembles(Path(exported), benchmark)
        click.echo(f"{exported}: the ensembles of {', '.join(benchmark.pools)}")
        return
    if labels:
        comparison = compare_labels(benchmark, dict(map(_named, labels)))
    else:
        comparison = compare(benchmark, methods, processes)
    for row in comparison.own:
        place = comparison.place(row, "ARI")
        click.echo(
            f"{row}: not ranked, no score on {place['missing']} data sets"
            if place["missing"]
            else f"{row}: place {place['place']:.0f} of {place['of']} by ARI"
        )
    click.echo(f"{folder}/{'compare_tuned' if tuned else 'compare'}.html")


def _named(text: str) -> tuple[str, Path]:
    """Name and folder of labels from elsewhere."""
    name, equals, folder = text.rpartition("=")
    return name if equals else Path(folder).resolve().name, Path(folder)
