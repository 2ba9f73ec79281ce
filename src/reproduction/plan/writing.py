"""The files of :mod:`reproduction.plan.files`: what they have; written where that changed."""

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from coassoc.atomic import write_text
from coassoc.bench.limits import Limits
from coassoc.errors import ConfigError
from coassoc.methods.registry import Method
from coassoc.pools.settings import PoolSettings
from coassoc.storage.configuration import load_yaml
from coassoc.storage.records import RepeatResult
from reproduction.plan.catalogues import Catalogues
from reproduction.plan.checks import check_target, clashes
from reproduction.plan.files import FOLDER, read_plan
from reproduction.plan.judged import Judged
from reproduction.plan.keys import Source, dataset_file, stored_pool
from reproduction.plan.listing import list_cells
from reproduction.plan.planning import Plan, plan_of
from reproduction.plan.revisions import RACES, STEPS, code_of_pools
from reproduction.plan.studies import Target
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
    plan = plan_of(config, project)
    _tell_of_another(plan.config.name)
    records = {FOLDER / f"{name}.json": x for name, x in _records(plan, project).items()}
    texts = {path: json.dumps(record) + "\n" for path, record in records.items()}
    write_changed({**texts, FOLDER / "cells.csv": list_cells(plan).to_csv(index=False)})


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


def _records(plan: Plan, project: Path) -> dict[str, Any]:
    """The content of each file, by its name without ending; the project has kept results."""
    catalogues, kept_in = plan.catalogues, plan.config.kept
    folder = project / kept_in if kept_in else None
    present = Present(catalogues, plan.config.seed)
    kept, judged = KeptScores(folder, present), Judged(plan, project / "config")
    made = folder / "spot_check.csv" if folder else None
    shown = [
        str(source)
        for target in plan.by_path.values()
        if target.made_from == "scores"
        for source in target.sources
    ]
    return {
        "index": {
            **_index(plan),
            "cards": judged.cards,
            "compared": present.compared(),
            "spot_check": [str(made)] if made and made.exists() else [],
        },
        "claims": judged.claims,
        "inputs": present.all_inputs(dict.fromkeys(shown)),
        "limits": _limits(plan),
        **{f"targets/{k}": _target(x, plan, kept) for k, x in plan.by_path.items()},
        **{f"cards/{card}": judged.scorecard(card) for card in judged.cards},
        **{f"methods/{k}": _method(method) for k, method in catalogues.methods.items()},
        **{f"datasets/{k}": _dataset(k, catalogues, project) for k in catalogues.datasets},
        **{f"pools/{k}": _pool(dict.__getitem__(catalogues.pools, k)) for k in catalogues.pools},
    }


def _index(plan: Plan) -> dict[str, Any]:
    catalogues, wanted = plan.catalogues, {target.path for target in plan.wanted}
    return {
        "settings": plan.config.model_dump(mode="json", include=_SETTINGS),
        "targets": {
            path: {
                "name": target.name,
                "section": target.section,
                "kind": target.kind,
                "made_from": target.made_from,
                "wanted": path in wanted,
                "files": target.files,
            }
            for path, target in plan.by_path.items()
        },
        "names": plan.files_by_name(),
        "clashes": clashes(catalogues.studies, plan.targets),
        "methods": list(catalogues.methods),
        "pools": {name: pool.kind for name, pool in dict.items(catalogues.pools)},
        "pools_to_make": catalogues.pools_to_make,
        "with_features": catalogues.with_features,
        "races": RACES,
        "revisions": STEPS,
    }


def _limits(plan: Plan) -> dict[str, Any]:
    """The limits under which runs are made again that lower ones had ended.

    They belong to what a run is made from, and so stay here when it is made.
    """
    path, given = FOLDER / "limits.json", plan.config.model_dump(include={"limits"})
    limits = Limits.from_config(given)
    raised = read_plan(path) if path.is_file() else {}
    for run, statuses in statuses_of_runs(plan.by_path).items():
        if not all(limits.decide(RepeatResult(None, status=text)) for text in statuses):
            raised[run] = given
    return raised


# -- targets --------------------------------------------------------------------------------------


def _target(target: Target, plan: Plan, kept: KeptScores) -> dict[str, Any]:
    """What a target shows and is made from, or the mistake for which it cannot be made.

    It is made from sources, such as runs. Each has its files by their kinds, or, where its kept
    lines hold, the file of these.
    """
    made_from = target.made_from
    sources = {str(source): source for source in target.sources}
    places = [source[:2] for source in sources.values() if made_from == "choice"]
    held: dict[str, str] = {}
    if made_from == "scores":
        held = kept.among(sources, target.path)
    if made_from == "choice":
        held = kept.choices(sources)
    files = {
        name: {"kept": held[name]} if name in held else _files(source, made_from, plan.catalogues)
        for name, source in sources.items()
    }
    return {
        "name": target.name,
        "kind": target.kind,
        "study": target.study.title,
        "spec": _spec(target, plan.catalogues),
        "cells": list(map(vars, target.cells)),
        "published": plan.published(target),
        "sources": files,
        "identities": {"/".join(place): kept.present.choice(*place) for place in places},
        "mistake": _mistake(target, plan.catalogues),
    }


def _files(source: Source, made_from: str, catalogues: Catalogues) -> dict[str, str]:
    """Files of a source by their kinds, as far as something that is so made reads them."""
    pool, features = {"pool": source.pool_file}, {"features": dataset_file(source.dataset)}
    match made_from:
        case "scores":
            run = {"run": catalogues.run_file(source)} if source.block else {}
            return {**pool, **run, **(features if source.dataset in catalogues.unlabelled else {})}
        case "runs":
            return {"run": catalogues.run_file(source)}
        case "pools":
            return pool
        case "fits":
            return {**pool, **(features if catalogues.features_file(source) else {})}
    clouds = {"clouds": f"results/null/{source.pool}/clouds.csv"} if made_from == "null" else {}
    return {"measured": source.measured_file(made_from), **clouds}


def _spec(target: Target, catalogues: Catalogues) -> dict[str, Any]:
    """The entry of a target; its caption says where all repeats have one ensemble."""
    names = {cell.pool for cell in target.cells}
    pools = {name: dict.__getitem__(catalogues.pools, stored_pool(name)) for name in names}
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


def _mistake(target: Target, catalogues: Catalogues) -> str:
    try:
        check_target(target, catalogues)
    except ConfigError as error:
        return str(error)
    return ""


# -- catalogues -----------------------------------------------------------------------------------


def _method(method: Method) -> dict[str, Any]:
    return {
        **method.record(),
        "uses_features": method.uses_features,
        "code": method.code,
        "cost": method.cost,
    }


def _dataset(name: str, catalogues: Catalogues, project: Path) -> dict[str, Any]:
    entry = catalogues.datasets[name]
    n, d = entry.assumed_shape
    files, mistake = [], ""
    try:
        files = catalogues.source_files(name, project)
    except ConfigError as error:
        mistake = str(error)
    return {
        "entry": entry.model_dump(mode="json"),
        "n": entry.n,
        "d": entry.d,
        "classes": entry.classes,
        "assumed_n": n,
        "assumed_d": d,
        "memory_mb": entry.memory_mb,
        "has_features": entry.has_features,
        "files": files,
        "mistake": mistake,
        "identity": _hash(entry.fingerprint or entry.model_dump(mode="json")),
    }


def _pool(pool: PoolSettings) -> dict[str, Any]:
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
