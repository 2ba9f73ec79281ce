"""From a configuration to the lines of results/cells.parquet: a line per cell and source."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from coassoc.bench.datasets.prepare import check_local
from coassoc.bench.limits import STOPPED, Limits
from coassoc.bench.storage.hdf5 import read_run
from coassoc.bench.storage.records import Outcome
from coassoc.errors import DataError
from reproduction.scores.files import read_statuses
from reproduction.study.batches import batches_of
from reproduction.study.cells import table_of, with_runs, without_long_runs
from reproduction.study.check import check_cells, check_references, entries_in
from reproduction.study.edits import edited, edited_together
from reproduction.study.kept import KEPT, kept_runs, minutes_of_runs
from reproduction.study.paths import RANKING, Source, below_prefix
from reproduction.study.stored import as_stored

if TYPE_CHECKING:
    from reproduction.study.plan import Plan


def planned_cells(plan: "Plan", paths: Iterable[str], added: bool = False) -> pd.DataFrame:
    """The cells of some targets, as the configuration edits them (see :func:`edited`).

    If the targets are `added` to a plan, an entry may select cells of other targets that it names.
    """
    catalogues, config = plan.catalogues, plan.config
    paths, edits = [*paths], config.edits or []
    others = edited_together(paths, edits, plan.targets) - {*paths} if added else set()
    targets = {path: plan.targets[path] for path in [*paths, *sorted(others)]}
    cells = table_of(targets, catalogues.methods)
    n = {name: entry.n or 0 for name, entry in catalogues.datasets.items()}
    cells["n"] = cells["dataset"].map(n).fillna(0)
    names_of = {"target": [*plan.targets], "dataset": [*n], "method": ["", *catalogues.methods]}
    cells = edited(cells, edits, names_of)
    cells = cells[~cells["target"].isin(others)]
    if config.longest_run:
        minutes = minutes_of_runs(plan.project / KEPT)
        cells = without_long_runs(cells, catalogues.methods, minutes, config.longest_run)
    check_cells(cells, catalogues)
    check_references(plan, cells)
    return cells.assign(n=cells["dataset"].map(n))


def planned_lines(plan: "Plan", paths: Iterable[str], added: bool = False) -> pd.DataFrame:
    """The lines of some targets, which may be `added` to those of an earlier plan."""
    catalogues = plan.catalogues
    cells = planned_cells(plan, paths, added).reset_index(drop=True)
    lines = with_runs(cells.assign(cell=np.arange(len(cells))), catalogues.methods)
    for name in entries_in(plan.config.datasets):
        if name in {*lines["dataset"]} and catalogues.datasets[name].is_local:
            check_local(catalogues.datasets[name], plan.project)
    scored = lines["reads"].eq("scores") & lines["source"].ne("")
    made_by = {x: plan.present.made_by(x) for x in lines["source"][scored].unique()}
    lines["made_by"] = lines["source"].where(scored).map(made_by).fillna("")
    lines["archive"] = _archives(plan, lines)
    published = {name for name, pool in catalogues.pools.items() if pool.kind == "results"}
    lines["batch"] = batches_of(lines, catalogues.methods, published)
    return as_stored(lines)


def _archives(plan: "Plan", lines: pd.DataFrame) -> pd.Series:
    """The file with the archived lines of each source; empty if the source must be computed."""
    files = pd.Series(None, lines.index, dtype=object)
    scored, ranked = lines["made_by"].ne(""), lines["target"].eq(RANKING)
    for ranking, part in ((False, scored), (True, scored & ranked)) if plan.config.kept else ():
        made_by = lines[part].set_index("source")["made_by"].to_dict()
        archived = kept_runs(plan.project / str(plan.config.kept), made_by, ranking)
        files = files.fillna(lines["source"][part].map(archived))
    return files.fillna("")


def raised_limits(plan: "Plan", lines: pd.DataFrame, earlier: Mapping[str, Any]) -> dict[str, Any]:
    """Limits for the runs to repeat because an earlier limit stopped some of their fits.

    The limits are among the inputs of such a run, so those recorded `earlier` stay after the run is
    repeated. The scores tell which runs have such fits, and the runs' files tell their limits.
    """
    given = plan.config.model_dump(include={"limits"})
    limits = Limits.from_config(given)
    raised = dict(earlier)
    files = dict(zip(lines["source"], lines["run_file"], strict=True))
    scores = read_statuses(lines["target"].unique())
    stopped = [text for text in scores["status"].unique() if Outcome.of(text) in STOPPED]
    for text in {*scores["source"][scores["status"].isin(stopped)]} & {*files}:
        with suppress(DataError):  # a damaged file is reported when it is scored
            run = read_run(below_prefix(files[text]), Source.parse(text).method)
            if not limits.decide_run(run):
                raised[text] = given
    return raised
