"""What the rules of a workflow ask: inputs, parameters, memory and time of each job.

A job is identified by its *wildcards*, the names in the paths of its results; all else is looked up
in the expanded configuration. Nothing here depends on the program that runs the workflow.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from coassoc.errors import ConfigError
from coassoc.plan.artefacts import Artefact, Cell
from coassoc.plan.experiments import Experiments
from coassoc.plan.judgements import artefacts_of, load_claims, load_differences
from coassoc.plan.methods import endings_of_one_refinement
from coassoc.plan.papers import Paper
from coassoc.plan.runs import RunSpec
from coassoc.plan.wanted_ranking import Ranking
from coassoc.running.closure import SourceCode
from coassoc.running.consensus_jobs import ConsensusJobs
from coassoc.running.data_jobs import DataJobs
from coassoc.running.left import page, what_is_left
from coassoc.running.requests import Requests, pool_file
from coassoc.running.run_jobs import (
    RunJobs,
    Wildcards,
    run_features,
    run_of,
    run_task,
)
from coassoc.running.tasks import SCORES_OF_RACES
from coassoc.running.timing import Measurement

__all__ = ["Jobs"]

#: Seconds that a job takes besides its fits, most of them for its imports.
_JOB_SECONDS = 3.0
#: Ending of the names of scorecards that take the tables that exist already.
_SO_FAR = "_so_far"


class Jobs:
    """What each job needs.

    Parameters
    ----------
    experiments : Experiments
        Everything that the configuration asks for.
    project : path
        The folder of the workflow, with ``scripts`` and ``config``.

    Attributes
    ----------
    claims : dict
        The claims of the papers by their names.
    differences : list of dict
        Why published cells differ or cannot be compared.

    Raises
    ------
    ConfigError
        If a claim or a difference names what does not exist.
    """

    def __init__(self, experiments: Experiments, project: str | Path) -> None:
        self._experiments = experiments
        self._catalogues = experiments.catalogues
        self._config = experiments.config
        self._project = Path(project)
        self._requests = Requests(experiments.catalogues)
        folder, published = self._project / "config", experiments.all_published()
        self.claims = load_claims(folder, self._papers)
        self.differences = load_differences(folder, self._papers, published)
        #: The library that scripts import, and the working directory with a user's own methods.
        self._source = SourceCode(Path(__file__).parents[2], Path.cwd())
        #: Jobs that make data sets and pools.
        self.data = DataJobs(experiments, self._project)
        #: Jobs of one method, whichever it is.
        self.of_any_method = RunJobs(experiments, self._fingerprint)
        #: Rules that run methods: those with one refinement have a rule of their own.
        self.run_rules = {"run_method": self.of_any_method}
        for methods in endings_of_one_refinement(self._catalogues.methods):
            rule = f"run_{'+'.join(methods)}"
            self.run_rules[rule] = RunJobs(experiments, self._fingerprint, methods)
        #: Jobs that make labels of samples, or compare numbers of clusters.
        self.consensus = ConsensusJobs(experiments, self._fingerprint)

    # -- code -----------------------------------------------------------------------------------

    def code(self, script: str) -> Callable[[Wildcards], str]:
        """Fingerprint of the code of a script, for each of its jobs."""
        return lambda wildcards: self._fingerprint(script, ())

    def code_of_figure(
        self, drawn_by: Mapping[str, str], fits: bool = False
    ) -> Callable[[Wildcards], str]:
        """Fingerprint of the code that draws a figure, and of the methods that it may fit.

        Parameters
        ----------
        drawn_by : mapping
            Kind of figure → "module:function".
        fits : bool
        """

        def code(wildcards: Wildcards) -> str:
            module, _, _ = drawn_by[self.kind(wildcards)].partition(":")
            methods = (run.method for _, run in self._runs(wildcards)) if fits else ()
            return self._fingerprint("make_figure", methods, modules=(module,))

        return code

    def codes_of_methods(self, wildcards: Wildcards) -> list[str]:
        """Fingerprints of the code of all methods, for each way in which they can be run."""
        together = [rule.methods for rule in self.run_rules.values() if rule.methods]
        ways = itertools.product(
            ("run_method", "time_method"),
            [[name] for name in self._catalogues.methods] + together,
            (False, True),
        )
        return sorted({self._fingerprint(*way) for way in ways})

    def _fingerprint(
        self,
        script: str,
        methods: Iterable[str],
        raced: bool = False,
        modules: Iterable[str] = (),
    ) -> str:
        modules = {
            *modules,
            *(self._catalogues.methods[method].method.module for method in methods),
        }
        if raced:
            modules.add(SCORES_OF_RACES)
        return self._source.fingerprint(self._project / "scripts" / f"{script}.py", *modules)

    # -- runs -----------------------------------------------------------------------------------

    def measurement(self) -> dict[str, Any]:
        """How times are measured, as the record of a :class:`Measurement`."""
        return {**self._config["timing"], "threads": self._config["threads"]}

    def names_of_methods_alone(self) -> str:
        """Pattern of the names of methods that no rule runs together with others."""
        together = {name for rule in self.run_rules.values() for name in rule.methods}
        return "|".join(
            re.escape(name) for name in self._catalogues.methods if name not in together
        )

    def look(self) -> dict[str, Any]:
        """On how much numbers of clusters are looked at, as the record of a :class:`Look`."""
        return {**self._config["selection"], "threads": self._config["threads"]}

    def look_minutes(self, wildcards: Wildcards, attempt: int) -> int:
        """Minutes for a look at numbers of clusters, more at each attempt."""
        return attempt * self._requests.minutes(run_of(wildcards), 1, self._looked_at())

    def _looked_at(self) -> int:
        """Ensembles of all looks of a run; each is cut at many c for little more than a fit."""
        look = self._config["selection"]
        return int(look["repeats"] * (1 + look["draws"]))

    # -- tables, figures and audits -------------------------------------------------------------

    def artefact(self, wildcards: Wildcards) -> Artefact:
        """The table, figure or audit ("paper/name") that a job makes."""
        return self._experiments.artefact(*wildcards.artefact.split("/"))

    def pattern(self, section: str, *kinds: str) -> str:
        """Pattern of the artefacts of a section, or of some kinds; without any, it fits nothing."""
        names = [
            f"{each.paper}/{each.name}"
            for each in self._experiments.artefacts.values()
            if each.section == section and (not kinds or each.kind in kinds)
        ]
        return "|".join(names) or "(?!)"

    def paper_title(self, wildcards: Wildcards) -> str:
        """Title of the paper of an artefact."""
        return self._catalogues.papers[self.artefact(wildcards).paper].title

    def labels(self, kind: str) -> Callable[[Wildcards], dict[str, str]]:
        """What a report's list says of a table or figure; equal labels would hide one another."""

        def labels(wildcards: Wildcards) -> dict[str, str]:
            found = self.artefact(wildcards)
            return {"target": found.target, "kind": kind, "title": found.spec["title"]}

        return labels

    def specification(self, wildcards: Wildcards) -> dict[str, Any]:
        """The entry of an artefact in its paper's file."""
        return self.artefact(wildcards).spec

    def kind(self, wildcards: Wildcards) -> str:
        """Kind of a figure or audit."""
        return self.artefact(wildcards).kind

    def cells(self, wildcards: Wildcards) -> list[dict[str, Any]]:
        """Cells of an artefact."""
        return [cell.as_parameters() for cell in self.artefact(wildcards).cells]

    def published(self, wildcards: Wildcards) -> list[dict[str, str]]:
        """Published numbers of a table."""
        return self._experiments.published(self.artefact(wildcards))

    def score_folder(self, wildcards: Wildcards) -> str:
        """Folder of the scores, or of the measured times, that an artefact needs."""
        return self.artefact(wildcards).folder

    def score_files(self, wildcards: Wildcards) -> list[str]:
        """Score files, or files of measured times, that an artefact needs."""
        found = self.artefact(wildcards)
        return [f"{found.folder}/{stem}.csv" for stem in found.sources]

    def all_score_files(self) -> list[str]:
        """Score files of everything that the configuration asks for."""
        stems = (
            stem
            for each in self._experiments.wanted
            if each.folder == "results/scores"
            for stem in each.sources
        )
        return [f"results/scores/{stem}.csv" for stem in dict.fromkeys(stems)]

    def base_score_files(self, wildcards: Wildcards) -> list[str]:
        """Scores of the base clusterings of each pool of a figure."""
        cells = self.artefact(wildcards).cells
        files = (f"results/scores/{cell.pool}/{cell.dataset}/base.csv" for cell in cells)
        return list(dict.fromkeys(files))

    def pool_files(self, wildcards: Wildcards) -> list[str]:
        """Pools that a figure is drawn from directly."""
        cells = self.artefact(wildcards).cells
        return list(dict.fromkeys(pool_file(cell.pool, cell.dataset) for cell in cells))

    def run_files(self, wildcards: Wildcards) -> list[str]:
        """Runs that a figure reads directly, one for each cell."""
        return [f"results/runs/{run.stem}.h5" for _, run in self._runs(wildcards)]

    # -- figures that fit methods ---------------------------------------------------------------

    def fits(self, wildcards: Wildcards) -> list[dict[str, Any]]:
        """The fits that a figure makes itself: for each cell the task and its files."""
        return [
            {
                "label": cell.label,
                "dataset": cell.dataset,
                "task": run_task(run, self._experiments).record(),
                "pool_file": pool_file(run.pool, run.dataset),
                "features_file": "".join(run_features(run, self._experiments)),
            }
            for cell, run in self._runs(wildcards)
        ]

    def fit_features(self, wildcards: Wildcards) -> list[str]:
        """Data sets that the methods of a figure see."""
        runs = (run for _, run in self._runs(wildcards))
        files = (file for run in runs for file in run_features(run, self._experiments))
        return list(dict.fromkeys(files))

    def fits_memory(self, wildcards: Wildcards, attempt: int) -> int:
        """Megabytes for the largest fit of a figure."""
        return attempt * max(self._requests.memory_mb(run) for _, run in self._runs(wildcards))

    def fits_minutes(self, wildcards: Wildcards, attempt: int) -> int:
        """Minutes for all fits of a figure."""
        return attempt * sum(
            self._requests.minutes(run, points=1, repeats=1) for _, run in self._runs(wildcards)
        )

    def _runs(self, wildcards: Wildcards) -> list[tuple[Cell, RunSpec]]:
        return [(cell, run) for cell in self.artefact(wildcards).cells for run in cell.runs]

    # -- ranking --------------------------------------------------------------------------------

    def ranked_scores(self, wildcards: Wildcards) -> list[str]:
        """Score files of all methods that are ranked."""
        return [f"results/scores/{stem}.csv" for stem in self._ranking.artefact.sources]

    def ranked_cells(self, wildcards: Wildcards) -> list[dict[str, Any]]:
        """Every method on every data set."""
        return [cell.as_parameters() for cell in self._ranking.artefact.cells]

    def ranked_metrics(self, wildcards: Wildcards) -> dict[str, str]:
        """Scores by which methods are ranked, and their times, with their columns."""
        metrics: dict[str, str] = self._ranking.artefact.spec["metrics"]
        return metrics

    def ranked_rows(self, wildcards: Wildcards) -> dict[str, dict[str, Any]]:
        """What is known of the rows of the ranking."""
        return self._ranking.rows

    def ranked_datasets(self, wildcards: Wildcards) -> dict[str, dict[str, Any]]:
        """What is known of its data sets."""
        return self._ranking.datasets

    def ranking_if_wanted(self) -> list[str]:
        """The ranks, where the configuration wants any."""
        return ["results/ranking.csv"] if self._experiments.ranking else []

    @property
    def _ranking(self) -> Ranking:
        if self._experiments.ranking is None:
            raise ConfigError("config: the key ranking is missing; it says what is to be ranked.")
        return self._experiments.ranking

    # -- scorecard ------------------------------------------------------------------------------

    def table_files(self, wildcards: Wildcards) -> list[str]:
        """Tables of a scorecard, as CSV: all of the configuration, or those there are already."""
        papers = self._experiments.papers_on(_scorecard(wildcards))
        tables = [each for each in self._experiments.wanted if each.is_table]
        paths = [each.numbers for each in tables if each.paper in papers]
        if not wildcards.card.endswith(_SO_FAR):
            return paths
        return [path for path in paths if Path(path).exists()]

    def published_on(self, wildcards: Wildcards) -> list[dict[str, str]]:
        """Published numbers of a scorecard, with the reasons for those that are not made."""
        return self._experiments.published_with_reasons(_scorecard(wildcards))

    def numbers_of_claims(self, wildcards: Wildcards) -> list[str]:
        """What claims are judged by, as CSV: all that the configuration has, or what is there."""
        artefacts = self._experiments.artefacts
        named = artefacts_of(self.claims)
        paths = [artefacts[target].numbers for target in named if target in artefacts]
        if wildcards.claims == "claims":
            return paths
        return [path for path in paths if Path(path).exists()]

    def headlines(self) -> list[str]:
        """Names of the claims that the page of findings shows."""
        return [name for name, claim in self.claims.items() if claim.get("headline")]

    def own_methods(self) -> dict[str, list[str]]:
        """Paper → labels of its own method's rows."""
        return {
            name: [paper.label(row) for row in paper.own] for name, paper in self._papers.items()
        }

    def datasets_of_papers(self) -> dict[str, list[str]]:
        """Paper → its data sets."""
        return {
            name: sorted({each for names in paper.datasets.values() for each in names})
            for name, paper in self._papers.items()
        }

    @property
    def _papers(self) -> Mapping[str, Paper]:
        return self._experiments.catalogues.papers

    # -- progress -------------------------------------------------------------------------------

    def expected_seconds(self, rule: str, wildcards: Wildcards) -> float:
        """Seconds that a job of a rule usually takes."""
        return _JOB_SECONDS + self._fitting_seconds(rule, wildcards)

    def what_is_left(self) -> str:
        """A page on the runs that are missing, by target, with the time that they usually take."""

        def seconds(folder: str, run: RunSpec) -> float:
            return _JOB_SECONDS + self._seconds_for(folder.removeprefix("results/"), run)

        together = {name: rule for rule, jobs in self.run_rules.items() for name in jobs.methods}
        return page(what_is_left(self._experiments.wanted, seconds, together))

    def _fitting_seconds(self, rule: str, wildcards: Wildcards) -> float:
        if rule in self.run_rules:
            return self.run_rules[rule].usual_seconds(wildcards)
        if rule == "time_method":
            return self._seconds_for(wildcards.measured, run_of(wildcards))
        if rule == "select_n_clusters":
            return self._seconds_for("selection", run_of(wildcards))
        if rule == "compare_n_clusters":
            return self.consensus.usual_seconds(wildcards)
        if rule in ("plot_before_after", "plot_embedding", "plot_matrices"):
            ask = self._requests.usual_seconds
            return sum(ask(run, points=1, repeats=1) for _, run in self._runs(wildcards))
        return 0.0

    def _seconds_for(self, made: str, run: RunSpec) -> float:
        """Seconds that the fits of a run usually take; `made` is the folder of their results."""
        points = self.of_any_method.n_points(run)
        if made in ("timing", "scaling"):
            measurement = Measurement(**self.measurement())
            shares = measurement.shares if made == "scaling" else (1.0,)
            return self._requests.seconds_to_measure(run, points, measurement, shares)
        if made == "selection":
            return self._requests.usual_seconds(run, 1, self._looked_at())
        return self._requests.usual_seconds(run, points)


def _scorecard(wildcards: Wildcards) -> str:
    """The scorecard of a job, whether it makes the missing tables or not."""
    return str(wildcards.card).removesuffix(_SO_FAR)
