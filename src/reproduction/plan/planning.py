"""From a configuration to the files of :mod:`reproduction.plan.files`."""

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from snakemake.utils import update_config

from coassoc.atomic import write_text
from coassoc.errors import ConfigError
from coassoc.storage.configuration import load_yaml, validate
from reproduction.plan.catalogues import load_catalogues
from reproduction.plan.configuration import Configuration
from reproduction.plan.files import FOLDER, read_plan
from reproduction.plan.keys import stored_pool
from reproduction.plan.listing import list_cells
from reproduction.plan.records import records_of
from reproduction.plan.targets import Plan

#: Files of Snakemake's that are there while one of them works.
_LOCKS = Path(".snakemake/locks")


def make_plan(config: Mapping[str, Any], files: Iterable[str | Path], project: Path) -> None:
    """Check a configuration, expand it, and write the plan.

    Parameters
    ----------
    config : mapping
        The configuration, as Snakemake has put it together.
    files : iterable of path
        The files it is from; Snakemake accepts duplicate keys in them.
    project : Path
        The folder of the workflow, with ``config``.

    Raises
    ------
    ConfigError
        For what is wrong with the configuration or a file that it names.
    """
    for path in files:
        load_yaml(path)
    # The defaults of what a workflow around this one leaves out.
    defaults, settings = (load_yaml(project / "config" / "config.yaml") for _ in range(2))
    update_config(settings, config)
    if "consensus" in settings:  # a key until version 0.2
        raise ConfigError(
            "config: there is no key 'consensus' any more; use the program `coassoc consensus`."
        )
    validate(settings, Configuration, "config")
    plan = Plan(settings, load_catalogues(project / "config", settings))
    plan.catalogues.check_clusterers(_checked_pools(plan))
    if settings["override"] and settings["override"].get("datasets"):
        _check_own_datasets(plan, defaults["override"]["datasets"])
    _tell_of_another(plan.config.name)
    records = {FOLDER / f"{name}.json": x for name, x in records_of(plan, project).items()}
    texts = {path: json.dumps(record) + "\n" for path, record in records.items()}
    write_changed({**texts, FOLDER / "cells.csv": list_cells(plan).to_csv(index=False)})


def _checked_pools(plan: Plan) -> list[str]:
    """Pools of what is wanted, and all of the user's own; others are checked as they are made."""
    used = {stored_pool(cell.pool) for target in plan.wanted for cell in target.cells}
    own = {name for path in plan.config.pools for name in load_yaml(path)}
    return sorted(used | own)


def _check_own_datasets(plan: Plan, defaults: list[str]) -> None:
    """Refuse an own study whose data sets those of the default configuration replace.

    Snakemake merges configurations, so that what one does not mention stays.
    """
    own = {Path(path).stem for path in plan.config.studies}
    for target in plan.targets.values():
        study = target.study
        named = {name for names in study.datasets.values() for name in names} - {*defaults}
        replaced = plan.choices.instead(target, "datasets") == defaults
        if study.name in own and named and replaced:
            raise ConfigError(
                f"config: override.datasets of config/config.yaml, {', '.join(defaults)}, would "
                f"take the place of {', '.join(sorted(named))} in {study.source}; say "
                "'override: null' in your configuration to have the study's own, or name others by "
                f"'override: {{targets: {{{study.name}: {{datasets: […]}}}}}}'."
            )


def _tell_of_another(name: str) -> None:
    """Say that results of another configuration are in the place of this one's."""
    if not (FOLDER / "index.json").is_file():
        return
    before = read_plan(FOLDER / "index.json")["settings"].get("name", name)
    if before != name:
        print(
            f"Tables and figures of the configuration {before!r} are in {FOLDER.parent}/ and "
            f"figures/; what differs in {name!r} takes their place. The key 'prefix' keeps both.",
            file=sys.stderr,
        )


def write_changed(texts: Mapping[Path, str]) -> None:
    """Write files whose content changed; others below their folders, of an earlier plan, go.

    Where another Snakemake works in this folder, its jobs read the plan, and so it stays.
    """
    changed = {
        path: text
        for path, text in texts.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    }
    if changed and (FOLDER / "index.json").is_file() and any(_LOCKS.glob("*")):
        print(
            "Another Snakemake works in this folder, or was killed (then run snakemake --unlock); "
            "its plan stays, and is what you see here.",
            file=sys.stderr,
        )
        return
    for path, text in changed.items():
        write_text(path, text)
    folders = {path.parent for path in texts}
    for path in [path for folder in folders for path in folder.glob("*.json")]:
        if path not in texts:
            path.unlink()
