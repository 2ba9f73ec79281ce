"""What a configuration makes of the studies: targets with their cells."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from snakemake.utils import update_config

from coassoc.errors import ConfigError
from coassoc.storage.configuration import load_yaml, validate
from reproduction.plan.catalogues import Catalogues, load_catalogues
from reproduction.plan.checks import check_names, check_study, check_target, named_like_a_target
from reproduction.plan.choices import Choices
from reproduction.plan.configuration import Configuration
from reproduction.plan.expansion import expand
from reproduction.plan.keys import stored_pool
from reproduction.plan.ranked import ranking_of
from reproduction.plan.studies import GROUPS, Target


def plan_of(config: Mapping[str, Any], project: Path) -> Plan:
    """The plan of a configuration, with the defaults of what it leaves out.

    What is wrong with it or a file that it names is a ConfigError.
    """
    settings = load_yaml(project / "config" / "config.yaml")
    update_config(settings, config)
    if "consensus" in settings:  # a key until version 0.2
        raise ConfigError(
            "config: there is no key 'consensus' any more; use the program `coassoc consensus`."
        )
    validate(settings, Configuration, "config")
    plan = Plan(settings, load_catalogues(project / "config", settings))
    plan.catalogues.check_clusterers(_checked_pools(plan))
    return plan


def _checked_pools(plan: Plan) -> list[str]:
    """Pools of what is wanted, and all of the user's own; others are checked as they are made."""
    used = {stored_pool(cell.pool) for target in plan.wanted for cell in target.cells}
    own = {name for path in plan.config.pools for name in load_yaml(path)}
    return sorted(used | own)


class Plan:
    """Everything that a configuration of the right form asks for.

    Unknown names and contradictory keys are a ConfigError.
    """

    def __init__(self, config: Mapping[str, Any], catalogues: Catalogues) -> None:
        self.config: Configuration = validate(config, Configuration, "config")
        self.catalogues = catalogues
        self.choices = Choices.of(self.config)
        studies = catalogues.studies.values()
        for study in studies:
            check_study(study, catalogues)
        check_names(config, self.config, catalogues)
        #: The table of the ranking; None where the configuration wants none.
        self.ranking = ranking_of(self.config, catalogues)
        entries = (target for study in studies for target in study.targets)
        expanded = (expand(entry, catalogues.methods, self.choices) for entry in entries)
        #: The targets of all studies of which the configuration leaves something, by their names.
        self.targets: dict[str, Target] = {
            target.name: target for target in expanded if target is not None
        }
        if not self.wanted:
            raise ConfigError("config: override.methods and not_run leave nothing of the targets.")
        # What is wanted, and all of the user's own; the rest is checked when it is asked for.
        own = {Path(path).stem for path in self.config.studies}
        for target in [*self.wanted, *self._of_studies(own), *filter(None, [self.ranking])]:
            check_target(target, catalogues)

    @property
    def wanted(self) -> list[Target]:
        """What is made unless a target is named: those of the key ``targets``, or everything."""
        named = set(self.config.targets or self.catalogues.studies)
        return [
            target for target in self.targets.values() if named & {target.study.name, target.name}
        ]

    def _of_studies(self, studies: Collection[str]) -> list[Target]:
        return [target for target in self.targets.values() if target.study.name in studies]

    @cached_property
    def by_path(self) -> dict[str, Target]:
        """Everything that can be shown, by its path such as "eccms/table4"; the ranking too."""
        ranked = [self.ranking] if self.ranking else []
        return {target.path: target for target in [*self.targets.values(), *ranked]}

    def published(self, target: Target) -> list[dict[str, str]]:
        """Published numbers of a table, or of those that a protocol is compared with."""
        tables = getattr(target.entry, "compared_with", [target.name_in_published])
        numbers = self.catalogues.published
        return [x for x in numbers if x["paper"] == target.study.name and x["table"] in tables]

    def files(self, group: str | None = None) -> list[str]:
        """Files of what is wanted: all, or a group such as "tables"."""
        return _files(
            target
            for target in self.wanted
            if group in (None, target.section, target.kind, target.entry.group)
        )

    def files_by_name(self) -> dict[str, list[str]]:
        """Files of each table, figure and analysis, of each study and each group, by their names.

        A study with the name of a group is a ConfigError.
        """
        studies = self.catalogues.studies
        for name, study in studies.items():
            if name in GROUPS:
                raise ConfigError(named_like_a_target(study))
        return {
            **{name: target.files for name, target in self.targets.items()},
            **{name: _files(self._of_studies([name])) for name in studies},
            **{group: self.files(group) for group in GROUPS},
        }


def _files(targets: Iterable[Target]) -> list[str]:
    return [path for target in targets for path in target.files]
