"""Inputs of scorecards and claims: tables, published numbers, and reasons for missing numbers."""

from dataclasses import asdict
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from coassoc.bench.storage.configuration import Model, NonEmptyList, read_model
from coassoc.bench.storage.records import hash_of
from coassoc.errors import ConfigError, check_known
from reproduction.findings.claims.catalogue import Claim, judged_targets, read_claims
from reproduction.findings.claims.checks import Check
from reproduction.study.cells_file import Given
from reproduction.study.paths import name_of
from reproduction.study.plan import Plan
from reproduction.study.studies import name_of_file, scorecard_of, targets_of, title_of

_Names = NonEmptyList[str]
#: Papers with claims, in their order on pages.
_OF_CLAIMS = ("eccms", "lta", "rce", "acmk", "hclce")
#: The scorecard of the project's papers.
_PAPERS = "scorecard"


class Difference(Model):
    """A reason why cells differ from the published numbers (config/differences.yaml)."""

    paper: str
    because: str
    shown_by: str
    tables: _Names | None = None
    datasets: _Names | None = None
    methods: _Names | None = None
    metrics: _Names | None = None
    not_comparable: bool = False


class Findings:
    """Inputs of the findings of the papers, from a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    @cached_property
    def titles(self) -> dict[str, str]:
        """Titles of the studies."""
        return {name: title_of(study) for name, study in self.plan.studies.items()}

    @cached_property
    def differences(self) -> list[dict[str, Any]]:
        """Reasons why cells differ from the published numbers, or cannot be compared."""
        own = map(Path, self.plan.config.differences)
        paths = [self.plan.project / "config/differences.yaml", *own]
        entries = [x for path in paths for x in read_model(path, NonEmptyList[Difference])]
        return [x.model_dump(mode="json", by_alias=True, exclude_unset=True) for x in entries]

    @cached_property
    def _yardsticks(self) -> dict[str, Any]:
        """Settings of the agreement measures for each paper that has an own method."""
        studies = self.plan.studies.items()
        return {name: x.YARDSTICK for name, x in studies if hasattr(x, "YARDSTICK")}

    def scorecard(self, card: str) -> Given:
        """What the job of a scorecard needs besides its tables.

        The titles of all studies, the differences, and about the studies on the scorecard: labels
        of the own methods (own), same_as, yardsticks, fitted (labels of the rows whose setting a
        protocol chose by comparison with published numbers), columns of the metrics, tables (rows
        and data sets), and the published numbers.
        """
        plan = self.plan
        metrics: dict[str, dict[str, str]] = {}
        for path in self.scored_tables(card):
            metrics.setdefault(path.split("/")[0], {}).update(plan.columns(path))
        studies = {name: x for name, x in plan.studies.items() if self._is_on(card, name)}
        published = [x for x in plan.catalogues.published if x["paper"] in studies]
        if not published:
            raise ConfigError(f"{card}: {', '.join(studies)} has no published.csv. Add this file.")
        return Given(
            titles=self.titles,
            differences=self.differences,
            own={name: [x.label for x in getattr(y, "OWN", [])] for name, y in studies.items()},
            same_as={name: getattr(x, "SAME_AS", {}) for name, x in studies.items()},
            yardsticks={name: x for name, x in self._yardsticks.items() if name in studies},
            fitted={name: sorted(self._fitted(name)) for name in studies},
            metrics=metrics,
            tables={path: self.shown(path) for path in self.scored_tables(card)},
            without_table="the configuration omits the table"
            if plan.config.targets
            else "the study has no such table",
            published=published,
        )

    def wanted_files(self) -> list[str]:
        """The files to build if no target is named, with the claims of a user's papers."""
        own = [x for x in self.plan.cards(wanted=True) if x != _PAPERS and self.claims_on(x)]
        claims = [f"results/{card.replace('scorecard', 'claims')}.csv" for card in own]
        return [*self.plan.wanted_files(), *claims]

    def check_claims(self) -> None:
        """Raise a ConfigError if a claim of a user's paper is about a table that does not exist."""
        known = list(map(name_of, self.plan.targets))
        for file in self.plan.config.claims:
            check_known(file, "study", [name_of_file(file)], self.plan.studies)
            claims = read_claims([file])
            check_known(file, "table", judged_targets(claims), known)
            for check in chain.from_iterable(claim.checks.values() for claim in claims):
                self._check_rows(file, check)

    def _check_rows(self, file: str, check: Check) -> None:
        paths = {name_of(path): path for path in self.plan.targets}
        targets = [paths[name] for name in check.targets]
        if all(self.plan.targets[path].section == "tables" for path in targets):
            labels = {cell["label"] for path in targets for cell in self.plan.unedited[path]}
            for key in check.options.keys() & {"rows", "over", "but"}:
                names = check.options[key]
                check_known(file, "row", [] if names == "others" else names, labels)

    def claims_on(self, card: str) -> list[Claim]:
        """The claims of the papers on a scorecard."""
        folder, own = self.plan.project / "config/claims", self.plan.config.claims
        files = [*(str(folder / f"{paper}.yaml") for paper in _OF_CLAIMS), *own]
        return read_claims(file for file in files if self._is_on(card, name_of_file(file)))

    def _fitted(self, name: str) -> set[str]:
        """Labels of the rows of a study that were chosen by comparison with published numbers.

        Either a protocol compared values of a parameter that the paper does not state, or the study
        declares that the interpretation of the text was chosen in this way.
        """
        study, chosen = self.plan.studies[name], set()
        for path, target in targets_of(study).items():
            if target.kind == "protocol":
                runs: dict[str, set[str]] = {}
                for cell in self.plan.unedited[path]:
                    runs.setdefault(cell["label"], set()).add(repr((cell["method"], cell["fixed"])))
                if any(len(several) > 1 for several in runs.values()):
                    chosen |= set(runs)
        same = {x for x, other in getattr(study, "SAME_AS", {}).items() if other in chosen}
        return chosen | same | {x.label for x in getattr(study, "FITTED", [])}

    def has_agreement(self, card: str) -> bool:
        """Whether a paper on a scorecard has settings of the agreement measures."""
        return any(self._is_on(card, name) for name in self._yardsticks)

    def _is_on(self, card: str, study: str) -> bool:
        return scorecard_of(self.plan.studies[study]) == card

    def scored_tables(self, card: str = _PAPERS) -> list[str]:
        """The requested tables of scores on a scorecard.

        Tables of times are left out, because the papers measured their times on other machines.
        """
        paths = self.plan.paths(wanted=True, section="tables", reads="scores")
        return [path for path in paths if self._is_on(card, path.split("/")[0])]

    def shown(self, path: str) -> dict[str, list[str]]:
        """Rows and data sets of a table, and the rows that the configuration omits.

        "mean" is among the data sets if they are those of the paper.
        """
        lines = self.plan.of(path)
        rows = list(lines["label"].unique())
        means = [] if lines["instead"].any() else ["mean"]
        every = dict.fromkeys(cell["label"] for cell in self.plan.unedited[path])
        return {
            "rows": rows,
            "datasets": [*lines["dataset"].unique(), *means],
            "omitted": [label for label in every if label not in rows],
        }

    def claims(self, card: str = _PAPERS) -> Given:
        """What the job of the claims needs besides numbers."""
        datasets = {
            name: sorted({x["dataset"] for p in targets_of(study) for x in self.plan.unedited[p]})
            for name, study in self.plan.studies.items()
        }
        return Given(
            claims=hash_of(list(map(asdict, self.claims_on(card)))),
            datasets=datasets,
            titles=self.titles,
            differences=self.differences,
        )

    def findings(self) -> Given:
        """What the page of findings needs besides the pages that it summarises."""
        plan = self.plan
        methods = plan.catalogues.methods.items()
        return Given(
            claims=self.claims()["claims"],
            titles=self.titles,
            headlines=[claim.name for claim in self.claims_on(_PAPERS) if claim.headline],
            arenas=[plan.title(path) for path in plan.paths(wanted=True, kind="arena")],
            codes=plan.present.codes(),
            of_features=[name for name, method in methods if method.uses_features],
        )

    # -- files that rules read --------------------------------------------------------------------

    def tables(self, card: str) -> list[str]:
        """CSV files of the tables of a scorecard."""
        return list(map(self.plan.numbers_of, self.scored_tables(card)))

    def judged_protocols(self) -> list[str]:
        """The requested protocols of the papers on the scorecard."""
        paths = self.plan.paths(wanted=True, kind="protocol")
        papers = [name for name in self._yardsticks if self._is_on(_PAPERS, name)]
        return [path for path in paths if path.split("/")[0] in papers]

    def judged(self, card: str) -> list[str]:
        """CSV files that judge claims."""
        paths = {name_of(path): path for path in self.plan.paths(wanted=True)}
        targets = judged_targets(self.claims_on(card))
        return [self.plan.numbers_of(paths[name]) for name in targets if name in paths]

    def spot_check(self) -> list[str]:
        """The table of the spot check, if there is one."""
        kept = self.plan.config.kept
        file = self.plan.project / kept / "spot_check.csv" if kept else None
        return [str(file)] if file and file.exists() else []
