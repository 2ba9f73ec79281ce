"""Functions and constants of all rules: configuration in, paths, inputs and resources out."""

from functools import cache
from pathlib import Path

import coassoc
from coassoc.running import costs
from coassoc.plan.catalogues import load_catalogues
from coassoc.storage.configuration import check_known, load_yaml, validate
from coassoc.datasets.prepare import memory_mb
from coassoc.datasets.registry import find_local
from coassoc.errors import CoassocError
from coassoc.plan.experiments import Experiments
from coassoc.pools.generation import generation_memory_mb, generation_minutes
from coassoc.pools.settings import pools_by_dataset, pools_to_make
from coassoc.running.closure import SourceCode
from coassoc.storage.hdf5 import draw_sizes
from coassoc.storage.records import DrawSizes

ROOT = Path(workflow.basedir)


def read_configuration():
    """Check the configuration and expand it to everything that has to be made."""
    try:
        # Snakemake reads these files without a word on a key that stands twice.
        for path in workflow.configfiles:
            load_yaml(path)
        validate(dict(config), ROOT / "config" / "schemas" / "config.yaml", "config")
        return Experiments(config, load_catalogues(ROOT / "config", config))
    except CoassocError as error:
        raise WorkflowError(str(error)) from None


EXPERIMENTS = read_configuration()
CATALOGUES = EXPERIMENTS.catalogues
THREADS = config["threads"]
SOURCES = "data/sources"
CONDA = str(ROOT / "envs" / "coassoc.yaml")
GENERATED = "|".join(
    n for n, pool in CATALOGUES.pools.items() if pool.kind == "generated"
)
PUBLISHED = "|".join(
    n for n, pool in CATALOGUES.pools.items() if pool.kind == "published"
)


wildcard_constraints:
    dataset="[^/]+",
    m="[0-9]+",
    method="[^/]+",
    parameters="[^/]+",
    pool="[^/]+",


# -- the code behind results ----------------------------------------------------------------------

#: The library that scripts import, and the working directory with the user's own methods.
CODE = SourceCode(Path(coassoc.__file__).parents[1], Path.cwd())


def code_of(script):
    """Parameter of a rule: the fingerprint of its code. Where it changes, its results are made anew."""
    return lambda wildcards: CODE.fingerprint(path_of(script))


def code_of_run(script):
    """The same for a rule that runs a method."""
    return lambda wildcards: CODE.fingerprint(
        path_of(script), method_module(wildcards.method)
    )


def code_of_fits(script):
    """The same for a figure that fits methods."""
    return lambda wildcards: CODE.fingerprint(
        path_of(script), *(method_module(fit["method"]) for fit in fits(wildcards))
    )


def path_of(script):
    """The file of a script."""
    return ROOT / "scripts" / f"{script}.py"


def method_module(method):
    """The module of a method, be it the library's or the user's own."""
    return CATALOGUES.methods[method].method.module


# -- data sets and pools --------------------------------------------------------------------------


def datasets_with_features():
    """Data sets of the catalogue whose features can be had."""
    return [name for name, entry in CATALOGUES.datasets.items() if entry.has_features]


def dataset_record(wildcards):
    """The catalogue's entry of a data set."""
    return known_dataset(wildcards.dataset).record()


def known_dataset(name):
    """Entry of a data set, or a message that names those there are."""
    try:
        check_known("config/datasets.yaml", "the target", [name], CATALOGUES.datasets)
    except CoassocError as error:
        raise WorkflowError(str(error)) from None
    return CATALOGUES.datasets[name]


def dataset_files(wildcards):
    """What a data set is prepared from: local files, or the record of what was fetched."""
    entry = known_dataset(wildcards.dataset)
    if entry.is_local:
        return [str(find_local(file.file, ROOT)) for file in entry.sources[0].files]
    return f"data/sources/{wildcards.dataset}.json"


def prepare_mem_mb(wildcards, attempt):
    """Megabytes for parsing and preprocessing."""
    return memory_mb(known_dataset(wildcards.dataset)) * attempt


def pool_record(wildcards):
    """The catalogue's settings of a pool."""
    return CATALOGUES.pools[wildcards.pool].record()


def pool_source(wildcards):
    """Where a published pool comes from."""
    return CATALOGUES.pools[wildcards.pool].source_record(wildcards.dataset)


def all_pools(wildcards):
    """Every pool of the catalogue for the data sets its papers use."""
    pairs = pools_to_make(CATALOGUES.pools, CATALOGUES.datasets)
    return [f"data/pools/{pool}/{dataset}.h5" for pool, dataset in pairs]


def described_pools():
    """Data set → its pools in the report: those that the configuration uses, or the papers'."""
    pairs = EXPERIMENTS.pools_used()
    if not config["override"]:
        pairs = pools_to_make(CATALOGUES.pools, CATALOGUES.datasets)
    return pools_by_dataset(pairs)


def described_files(wildcards):
    """The data set, where its features are public, and its pools."""
    name = wildcards.dataset
    pools = described_pools().get(name, [])
    files = {"pools": [f"data/pools/{pool}/{name}.h5" for pool in pools]}
    if known_dataset(name).has_features:
        files["dataset"] = f"data/datasets/{name}.h5"
    return files


def generate_mem_mb(wildcards, attempt, threads):
    """Megabytes for k-means."""
    entry = known_dataset(wildcards.dataset)
    return generation_memory_mb(entry.n or 10000, entry.d or 1000, threads) * attempt


def generate_runtime(wildcards, attempt, threads):
    """Minutes for k-means."""
    entry = known_dataset(wildcards.dataset)
    size = CATALOGUES.pools[wildcards.pool].size
    return (
        generation_minutes(entry.n or 10000, entry.d or 1000, size, threads) * attempt
    )


# -- runs -----------------------------------------------------------------------------------------


def run_features(wildcards):
    """The data set itself, for methods that see more than the base clusterings."""
    return run_features_of(wildcards.method, wildcards.dataset)


def run_features_of(method, dataset):
    """The file of the features that a method sees, if any."""
    if CATALOGUES.methods[method].uses_features:
        return [f"data/datasets/{dataset}.h5"]
    return []


def score_features(wildcards):
    """The data set itself where its classes may be unknown: a local one without a label column."""
    entry = known_dataset(wildcards.dataset)
    labelled = entry.classes and entry.class_sizes or entry.papers
    return (
        [f"data/datasets/{wildcards.dataset}.h5"]
        if entry.is_local and not labelled
        else []
    )


def run_parameters(wildcards):
    """Parameter points of a run."""
    return EXPERIMENTS.points(wildcards.method, wildcards.parameters)


def run_size(place, repeats=None):
    """What the cost of a run depends on; `repeats` where they are not those of its pool."""
    sizes = ensemble_sizes(place)
    n_fits = len(run_parameters(place)) * (repeats or sizes.repeats)
    return fit_size(place.method, place.dataset, sizes, n_fits)


def ensemble_sizes(place):
    """Sizes of the ensembles of a run or cell; until its pool exists, what the catalogue knows."""
    path = pool_of(place)
    if Path(path).exists():
        found = pool_sizes(path, int(place.m))
        if found:
            return found
    n = known_dataset(place.dataset).n or 2000
    pool = CATALOGUES.pools[place.pool.removesuffix("-shuffled")]
    return DrawSizes(n, n, pool.repeats)


def fit_size(method, dataset, sizes, n_fits):
    """What the cost of fits of a method depends on."""
    return costs.run_size(
        CATALOGUES.methods[method],
        sizes.n_samples,
        sizes.distinct_rows,
        known_dataset(dataset).d,
        n_fits,
    )


@cache
def pool_sizes(path, m):
    """Sizes of the ensembles in a pool, read once; a damaged pool is for its readers to report."""
    try:
        return draw_sizes(path, m)
    except CoassocError:
        return None


def cost_of(method):
    """Measured cost of a method."""
    return {**costs.UNKNOWN, **CATALOGUES.methods[method].cost}


def run_memory(wildcards, attempt):
    """Megabytes for a run, more at each attempt."""
    return attempt * costs.memory_mb(cost_of(wildcards.method), run_size(wildcards))


def run_minutes(wildcards, attempt):
    """Minutes for a run, more at each attempt."""
    return attempt * costs.minutes(cost_of(wildcards.method), run_size(wildcards))


def figures_of_kind(*kinds):
    """Pattern of the figures ("paper/figure") of some kinds; matches nothing if there are none."""
    return names_of(lambda each: each.kind in kinds)


def names_of(wanted):
    """Pattern of the artefacts ("paper/name") that are wanted; matches nothing if there are none."""
    names = [
        f"{each.paper}/{each.name}"
        for each in EXPERIMENTS.artefacts.values()
        if wanted(each)
    ]
    return "|".join(names) or "(?!)"


def artefact(wildcards):
    """The table, figure or audit that a rule makes."""
    (name,) = (
        wildcards[key]
        for key in ("table", "figure", "audit")
        if key in wildcards.keys()
    )
    return EXPERIMENTS.artefact(*name.split("/"))


def figure_kind(wildcards):
    """Kind of a figure or audit."""
    return artefact(wildcards).kind


def timing_threads(wildcards):
    """All cores, so that no other job runs beside one that measures times."""
    return workflow.cores or THREADS


def report_category(wildcards):
    """Under which head the report lists a table or figure: its paper."""
    return CATALOGUES.papers[artefact(wildcards).paper].title


def report_labels(kind):
    """What the report's list says of a table or figure; equal labels would hide one another."""

    def labels(wildcards):
        found = artefact(wildcards)
        return {"target": found.target, "kind": kind, "title": found.spec["title"]}

    return labels


def pool_of(cell):
    """The pool of a cell."""
    return f"data/pools/{cell.pool}/{cell.dataset}.h5"


def pool_files(wildcards):
    """Pools that a figure is drawn from directly."""
    cells = artefact(wildcards).cells
    return list(dict.fromkeys(pool_of(cell) for cell in cells))


def run_files(wildcards):
    """Runs that a figure reads directly, one for each cell."""
    return [
        f"results/runs/{run.stem}.h5"
        for cell in artefact(wildcards).cells
        for run in cell.runs
    ]


def fits(wildcards):
    """What a figure fits by itself: for each cell the method, its parameters and its input."""
    return [
        {
            **cell.as_parameters(),
            "method": run.method,
            "parameters": EXPERIMENTS.points(run.method, run.parameters)[0],
            "estimator": CATALOGUES.methods[run.method].method.record(),
            "pool_file": pool_of(cell),
            "features": "".join(run_features_of(run.method, cell.dataset)),
        }
        for cell in artefact(wildcards).cells
        for run in cell.runs
    ]


def fit_requests(wildcards, request):
    """What each fit of a figure asks for: one fit of a method on one ensemble."""
    return [
        request(
            cost_of(run.method),
            fit_size(
                run.method,
                cell.dataset,
                ensemble_sizes(cell),
                1,
            ),
        )
        for cell in artefact(wildcards).cells
        for run in cell.runs
    ]


def fits_memory(wildcards, attempt):
    """Megabytes for the largest fit of a figure."""
    return attempt * max(fit_requests(wildcards, costs.memory_mb))


def fits_minutes(wildcards, attempt):
    """Minutes for all fits of a figure."""
    return attempt * sum(fit_requests(wildcards, costs.minutes))


def fit_features(wildcards):
    """Data sets that the methods of a figure see."""
    return list(
        dict.fromkeys(fit["features"] for fit in fits(wildcards) if fit["features"])
    )


def score_files(wildcards):
    """Score files, or files of measured times, that a table, figure or audit needs."""
    found = artefact(wildcards)
    return [f"{found.folder}/{stem}.csv" for stem in found.sources]


def score_folder(wildcards):
    """Folder of the files that a table, figure or audit needs."""
    return artefact(wildcards).folder


def base_score_files(wildcards):
    """Scores of the base clusterings of each pool of a figure."""
    cells = artefact(wildcards).cells
    return list(
        dict.fromkeys(
            f"results/scores/{cell.pool}/{cell.dataset}/base.csv" for cell in cells
        )
    )


def cells(wildcards):
    """Cells of a table or figure."""
    return [cell.as_parameters() for cell in artefact(wildcards).cells]


def specification(wildcards):
    """The entry of a table or figure in its paper's file."""
    return artefact(wildcards).spec


def published(wildcards):
    """Published numbers of a table."""
    return EXPERIMENTS.published(artefact(wildcards))


def all_score_files():
    """Score files of everything the configuration asks for."""
    stems = (
        stem
        for each in EXPERIMENTS.wanted
        if each.folder == "results/scores"
        for stem in each.sources
    )
    return [f"results/scores/{stem}.csv" for stem in dict.fromkeys(stems)]


def table_files(wildcards):
    """The tables of the configuration, as CSV: all of them, or those that are there already."""
    paths = [path for path in EXPERIMENTS.files("tables") if path.endswith(".csv")]
    if wildcards.card == "scorecard":
        return paths
    return [path for path in paths if Path(path).exists()]
