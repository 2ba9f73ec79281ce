"""The configuration, checked and expanded, and the look-ups that rules make in it.

Needs:  config, config/*.yaml
Makes:  PLAN, everything that the configuration asks for
        CELLS, the same as a table: one row for each cell of each target, and its run
        WORK, parameters, inputs, memory and time of runs
        KEPT, the lines of scores that are taken over

A target is a table, figure or audit, such as eccms/table4. Functions take the wildcards of a job.
"""

import gc
import sys
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from snakemake.settings.enums import Quietness
from snakemake.utils import update_config

from coassoc.errors import CoassocError
from reproduction.plan.catalogues import load_catalogues
from reproduction.plan.cells import Plan
from reproduction.plan.closure import LIBRARY, SourceCode
from reproduction.plan.configuration import CONFIGURATION
from reproduction.plan.judged import Judged
from reproduction.plan.keys import (
    DATASET,
    FETCHED,
    FETCHED_POOL,
    NULLS,
    NULLS_OF_CLOUDS,
    POOL,
    RUN,
    SCORES,
    SELECTION,
    TIMED,
    RunKey,
    percent_shuffled,
)
from coassoc.methods.catalogue import endings_of_one_refinement
from reproduction.plan.revisions import Revisions
from coassoc.pools.generation import generation_memory_mb, generation_minutes
from reproduction.results.kept_scores import KeptScores, Present
from reproduction.results.spot_check import draw_runs
from reproduction.running.left import page_of_what_is_left
from coassoc.provenance import check_library
from reproduction.running.work import Work
from coassoc.storage.configuration import load_yaml
from coassoc.storage.forms import validate

gc.freeze()  # Imported modules stay: looking through them again takes a tenth of the start.


def project_folder():
    """The folder of this workflow, also as a module; of one on a host, a checkout of its version."""
    rules = workflow.current_basedir
    if not hasattr(rules, "hosted_repo"):
        return Path(str(rules)).parent
    version = rules.hosted_repo.repo.commit(rules.ref).hexsha
    folder = Path(".snakemake", "coassoc", version).absolute()
    if not folder.is_dir():
        rules.hosted_repo.repo.git.worktree(
            "add", "--force", "--detach", folder, version
        )
    return folder


ROOT = project_folder()
CONDA = str(ROOT / "envs" / "coassoc.yaml")


@contextmanager
def mistakes_as_one_sentence():
    """Have Snakemake print configuration errors without a traceback."""
    try:
        yield
    except CoassocError as error:
        # Snakemake does not print this under --quiet all.
        if Quietness.ALL in (workflow.output_settings.quiet or ()):
            print(error, file=sys.stderr)
        raise WorkflowError(str(error)) from None


def read_configuration():
    """Check the configuration and expand it to everything that has to be made."""
    check_library(ROOT)
    # Snakemake itself accepts duplicate keys in these files.
    for path in workflow.configfiles:
        load_yaml(path)
    # The defaults of what a workflow around this one leaves out.
    settings = load_yaml(ROOT / "config" / "config.yaml")
    update_config(settings, config)
    validate(settings, CONFIGURATION, "config")
    return Plan(settings, load_catalogues(ROOT / "config", settings))


with mistakes_as_one_sentence():
    PLAN = read_configuration()
    CATALOGUES = PLAN.catalogues
    JUDGED = Judged(PLAN, ROOT / "config")
    if workflow.is_main_process:
        CATALOGUES.check_clusterers()

SETTINGS = PLAN.config
CELLS = PLAN.cells()
# The library that scripts import, and the working directory with a user's own methods.
SOURCE = SourceCode(LIBRARY, Path.cwd())
REVISIONS = Revisions(SOURCE)
WORK = Work(PLAN, REVISIONS)
PRESENT = Present(CATALOGUES, REVISIONS, SETTINGS["seed"])
with mistakes_as_one_sentence():
    KEPT = KeptScores(SETTINGS.get("kept") and ROOT / SETTINGS["kept"], PRESENT)


wildcard_constraints:
    dataset="[^/]+",
    m="[0-9]+",
    method="[^/]+",
    parameters="[^/]+",
    pool="[^/]+",


def code(script, *modules, of_kind=False):
    """Fingerprint of the code of a script: it is a parameter, so that a change reruns the rule.

    Modules that it imports by their names have to be given; `of_kind` adds those of a target's kind.
    """
    path = ROOT / "scripts" / f"{script}.py"
    if not of_kind:
        return SOURCE.fingerprint(path, *modules)
    return lambda w: SOURCE.fingerprint(path, *PLAN.target(w.target).of_kind.modules)


# -- data sets and pools ----------------------------------------------------------------------------


def dataset(w):
    """The catalogue's entry of a data set, given by name or by wildcards."""
    return CATALOGUES.dataset(getattr(w, "dataset", w))


def pool(w):
    """The catalogue's settings of a pool."""
    return CATALOGUES.pools[w.pool]


def pools_of_kind(*kinds):
    """Pattern of the names of the pools of some kinds."""
    pools = CATALOGUES.pools.items()
    return either(name for name, settings in pools if settings.kind in kinds)


def pool_mb(w, attempt, threads):
    n, d = dataset(w).assumed_shape
    return attempt * generation_memory_mb(n, d, pool(w).recipes, threads)


def pool_minutes(w, attempt, threads):
    n, d = dataset(w).assumed_shape
    recipes, size = pool(w).recipes, pool(w).size or 100
    return attempt * generation_minutes(n, d, recipes, size, threads)


# -- runs: of a target, or of the methods that are named, or of the wildcard `method` ---------------


def runs(w, methods=()):
    if "target" in w.keys():
        return PLAN.target(w.target).runs
    return [
        RunKey.from_stem(f"{w.pool}/{w.dataset}/m{w.m}/{method}/{w.parameters}")
        for method in methods or [w.method]
    ]


def task(w):
    """What is fitted for a file."""
    return WORK.task(*runs(w))


def tasks(*methods):
    """What is fitted for all files of a job, which share one refinement."""
    return lambda w: [list(map(WORK.task, runs(w, methods)))]


def features(*methods):
    """The data set itself, for methods that see more than the base clusterings."""
    return lambda w: WORK.features(runs(w, methods))


def run_mb(*methods, of=None):
    return lambda w, attempt: attempt * WORK.memory_mb(of or runs(w, methods))


def run_minutes(*methods, of=None, made="scores"):
    return lambda w, attempt: attempt * WORK.minutes(of or runs(w, methods), made)


# Methods that end one refinement have a rule of their own; all others have run_method.
ENDINGS = endings_of_one_refinement(CATALOGUES.methods)
TOGETHER = [method for methods in ENDINGS for method in methods]


def batches():
    """Runs fitted by one job, if ``batches`` is set: those on one pool shown by the same targets."""
    if not SETTINGS.get("batches"):
        return []
    shown = with_kept(CELLS).query(
        "wanted and needs in ['scores', 'runs'] and run_file != '' and not kept"
    )
    shown = shown[~shown["method"].isin(TOGETHER)].groupby("source", sort=False)
    alike = shown.agg(
        {"target": frozenset, "pool_file": "first", "features_file": "first"}
    )
    groups = alike.reset_index().groupby(list(alike), sort=False)["source"]
    return [list(map(RunKey.from_stem, stems)) for _, stems in groups if len(stems) > 1]


# -- targets: tables, figures and audits ------------------------------------------------------------


def either(names):
    """Pattern of some names; of none, one that fits nothing."""
    return "|".join(names) or "(?!)"


def targets(section, *needs, numbers=(True, False)):
    """Pattern of the targets of a section that are made from something.

    `numbers` chooses kinds with or without a CSV file of their numbers.
    """
    return either(
        target.path
        for target in PLAN.targets.values()
        if (target.section, target.needs) in [(section, need) for need in needs]
        and target.of_kind.numbers in numbers
    )


@cache
def kept(target):
    """Those sources of a target whose kept lines of scores hold, with the file of each."""
    sources = CELLS.loc[CELLS["target"] == target, "source"].unique()
    return KEPT.among(filter(None, sources), target)


def with_kept(cells):
    """The table of cells, saying of each whether its lines of scores are kept ones."""
    of_scores = cells[cells["needs"] == "scores"].groupby("target")["source"]
    is_kept = of_scores.apply(lambda sources: sources.isin(kept(sources.name)))
    return cells.assign(
        kept=is_kept.reset_index(0, drop=True).reindex(cells.index, fill_value=False)
    )


# Of the kept runs, where one was made.
SPOT_CHECKS = (
    [ROOT / SETTINGS["kept"] / "spot_check.csv"] if SETTINGS.get("kept") else []
)


@cache
def spot_checked():
    """Sampled kept runs of the wanted targets and the ranking, with the file of each."""
    shown = CELLS[(CELLS["needs"] == "scores") & (CELLS["source"] != "")]
    shown = shown[shown["wanted"] | (shown["target"] == "ranking")]
    sources = {
        name: list(stems)
        for name, stems in shown.groupby("target", sort=False)["source"]
    }
    drawn = draw_runs(KEPT, sources, SETTINGS["seed"])
    return {RunKey.from_stem(run): file for run, file in drawn.items()}


def target(w):
    """What a target shows: its kind, entry, cells and published numbers."""
    return PLAN.parameters(w.target)


def files(column, but_kept=False):
    """Distinct values of a column of the table of cells for a target.

    `but_kept` leaves out what is known from kept lines of scores.
    """

    def of_target(w):
        PLAN.target(w.target)  # which can be made
        cells = CELLS[CELLS["target"] == w.target]
        if but_kept:
            cells = cells[~cells["source"].isin(kept(w.target))]
        return [value for value in cells[column].unique() if value]

    return of_target


def reported(path, kind, category=None, target=None, title=None):
    """An output in the report, with unique labels.

    Outputs outside the studies have a category of their own, described by "report/{category}.rst".
    """
    labels = lambda w: {
        "target": target or PLAN.target(w.target).name,
        "kind": kind,
        "title": title or PLAN.target(w.target).spec["title"],
    }
    caption = f"report/{(category or 'target').lower()}.rst"
    study = lambda w: PLAN.target(w.target).study.title
    return report(path, caption=caption, category=category or study, labels=labels)
