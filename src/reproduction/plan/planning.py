"""From a configuration to the files of :mod:`reproduction.plan.files`."""

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from snakemake.utils import update_config

from coassoc.atomic import write_text
from coassoc.bench.limits import Limits
from coassoc.errors import ConfigError
from coassoc.pools.settings import PoolSettings
from coassoc.storage.configuration import load_yaml, validate
from coassoc.storage.records import RepeatResult
from reproduction.plan.catalogues import load_catalogues
from reproduction.plan.checks import (
    check_target,
    clashes,
)
from reproduction.plan.configuration import Configuration
from reproduction.plan.files import FOLDER, read_plan
from reproduction.plan.judged import Judged
from reproduction.plan.keys import Source, cell_as_record, dataset_file, stored_pool
from reproduction.plan.listing import list_cells
from reproduction.plan.revisions import RACES, STEPS, code_of_pools
from reproduction.plan.studies import Target
from reproduction.plan.targets import Plan
from reproduction.scores.files import statuses_of_runs
from reproduction.scores.kept import KeptScores, Present

#: Keys of the configuration that jobs look up.
_SETTINGS = {"name", "seed", "threads", "timing", "selection", "failures"}
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
    write_changed(_Written(plan, project).texts())


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


class _Written:
    """The texts of the files of a plan."""

    def __init__(self, plan: Plan, project: Path) -> None:
        self._plan, self._project = plan, project
        self._catalogues, self._settings = plan.catalogues, plan.config
        self._judged = Judged(plan, project / "config")
        self._present = Present(plan.catalogues, self._settings.seed)
        kept = self._settings.kept
        self._kept = KeptScores(project / kept if kept else None, self._present)

    def texts(self) -> dict[Path, str]:
        """The text of each file."""
        cards = {card: self._judged.scorecard(card) for card in self._judged.cards}
        shown = [
            str(source)
            for target in self._plan.by_path.values()
            if target.made_from == "scores"
            for source in target.sources
        ]
        records = {
            "index": self._index(cards),
            "claims": self._judged.claims,
            "inputs": self._present.all_inputs(dict.fromkeys(shown)),
            "limits": self._limits(),
            **{f"targets/{k}": self._target(x) for k, x in self._plan.by_path.items()},
            **{f"cards/{k}": card for k, card in cards.items()},
            **{f"methods/{k}": self._method(k) for k in self._catalogues.methods},
            **{f"datasets/{k}": self._dataset(k) for k in self._catalogues.datasets},
            **{f"pools/{k}": self._pool(k) for k in self._catalogues.pools},
        }
        texts = {FOLDER / f"{name}.json": json.dumps(x) + "\n" for name, x in records.items()}
        return {**texts, FOLDER / "cells.csv": list_cells(self._plan).to_csv(index=False)}

    def _limits(self) -> dict[str, Any]:
        """The limits under which runs are made again that lower ones had ended.

        They belong to what a run is made from, and so stay here when it is made.
        """
        path, given = FOLDER / "limits.json", self._settings.model_dump(include={"limits"})
        limits = Limits.from_config(given)
        raised = read_plan(path) if path.is_file() else {}
        for run, statuses in statuses_of_runs(self._plan.by_path).items():
            if not all(limits.decide(RepeatResult(None, status=text)) for text in statuses):
                raised[run] = given
        return raised

    def _index(self, cards: Iterable[str]) -> dict[str, Any]:
        wanted = {target.path for target in self._plan.wanted}
        return {
            "settings": self._settings.model_dump(mode="json", include=_SETTINGS),
            "targets": {
                path: {
                    "name": target.name,
                    "section": target.section,
                    "kind": target.kind,
                    "made_from": target.made_from,
                    "wanted": path in wanted,
                    "files": target.files,
                }
                for path, target in self._plan.by_path.items()
            },
            "names": self._plan.files_by_name(),
            "clashes": clashes(self._catalogues.studies, self._plan.targets),
            "cards": list(cards),
            "methods": list(self._catalogues.methods),
            "pools": {name: pool.kind for name, pool in dict.items(self._catalogues.pools)},
            "pools_to_make": self._catalogues.pools_to_make,
            "with_features": self._catalogues.with_features,
            "unlabelled": self._catalogues.unlabelled,
            "races": RACES,
            "revisions": STEPS,
            "compared": self._present.compared(),
            "spot_check": self._spot_check(),
        }

    def _spot_check(self) -> list[str]:
        """The check of the kept runs, where one was made."""
        kept = self._settings.kept
        made = self._project / kept / "spot_check.csv" if kept else None
        return [str(made)] if made and made.exists() else []

    def _target(self, target: Target) -> dict[str, Any]:
        """What a target shows and is made from, or the mistake for which it cannot be made."""
        places = [(cell.pool, cell.dataset) for cell in target.cells]
        of_choice = target.made_from == "choice"
        return {
            "name": target.name,
            "kind": target.kind,
            "study": target.study.title,
            "spec": self._spec(target),
            "cells": [cell_as_record(cell) for cell in target.cells],
            "published": self._plan.published(target),
            "sources": self._sources(target),
            "identities": {"/".join(x): self._present.choice(*x) for x in places if of_choice},
            "mistake": self._mistake(target),
        }

    def _sources(self, target: Target) -> dict[str, dict[str, str]]:
        """What a target is made from, such as runs, each with its files by their kinds.

        Of sources whose kept lines hold, this is the file of these.
        """
        sources = {str(source): source for source in target.sources}
        kept = self._kept.among(sources, target.path) if target.made_from == "scores" else {}
        if target.made_from == "choice":
            kept = self._kept.choices(sources)
        return {
            text: {"kept": kept[text]} if text in kept else self._files(source, target.made_from)
            for text, source in sources.items()
        }

    def _files(self, source: Source, made_from: str) -> dict[str, str]:
        """Files of a source by their kinds, as far as something that is so made reads them."""
        pool, features = source.pool_file, dataset_file(source.dataset)
        match made_from:
            case "scores":
                run = {"run": self._catalogues.run_file(source)} if source.block else {}
                unlabelled = source.dataset in self._catalogues.unlabelled
                return {"pool": pool, **run, **({"features": features} if unlabelled else {})}
            case "runs":
                return {"run": self._catalogues.run_file(source)}
            case "pools":
                return {"pool": pool}
            case "fits":
                sees_features = self._catalogues.methods[source.method].uses_features
                return {"pool": pool, **({"features": features} if sees_features else {})}
            case "null":
                clouds = f"results/null/{source.pool}/clouds.csv"
                return {"measured": source.measured_file(made_from), "clouds": clouds}
        return {"measured": source.measured_file(made_from)}

    def _spec(self, target: Target) -> dict[str, Any]:
        """The entry of a target; its caption says where all repeats have one ensemble."""
        pools = {cell.pool: self._pool_settings(cell.pool) for cell in target.cells}
        whole = {
            cell.pool
            for cell in target.cells
            if cell.m == pools[cell.pool].size and pools[cell.pool].repeats > 1
        }
        if not whole:
            return target.spec
        told = (
            f" Pools of as many base clusterings as an ensemble has ({', '.join(sorted(whole))}) "
            "give the same one in each repeat: methods without random numbers have no spread."
        )
        return {**target.spec, "caption": target.spec["caption"].strip() + told}

    def _pool_settings(self, name: str) -> PoolSettings:
        return dict.__getitem__(self._catalogues.pools, stored_pool(name))

    def _mistake(self, target: Target) -> str:
        try:
            check_target(target, self._catalogues)
        except ConfigError as error:
            return str(error)
        return ""

    def _method(self, name: str) -> dict[str, Any]:
        method = self._catalogues.methods[name]
        return {
            **method.record(),
            "uses_features": method.uses_features,
            "code": method.code,
            "cost": method.cost,
        }

    def _dataset(self, name: str) -> dict[str, Any]:
        entry = self._catalogues.datasets[name]
        n, d = entry.assumed_shape
        return {
            "entry": entry.model_dump(mode="json"),
            "n": entry.n,
            "d": entry.d,
            "classes": entry.classes,
            "assumed_n": n,
            "assumed_d": d,
            "memory_mb": entry.memory_mb,
            "has_features": entry.has_features,
            **self._files_of(name),
            "identity": _hash(entry.fingerprint or entry.model_dump(mode="json")),
        }

    def _files_of(self, dataset: str) -> dict[str, Any]:
        try:
            files = self._catalogues.source_files(dataset, self._project)
        except ConfigError as error:
            return {"files": [], "mistake": str(error)}
        return {"files": files, "mistake": ""}

    def _pool(self, name: str) -> dict[str, Any]:
        pool = self._pool_settings(name)
        return {
            "settings": pool.model_dump(mode="json"),
            "mistake": pool.problem,
            "compares_pairs": any(recipe.compares_pairs for recipe in pool.recipes),
            "sources": {
                dataset: {"source": source, "identity": _hash(source)}
                for dataset in pool.files
                for source in [pool.source_record(dataset)]
            },
            "identity": _hash([code_of_pools(pool.kind), pool.model_dump(mode="json")]),
        }


def _hash(settings: Any) -> str:
    text = json.dumps(settings, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
