"""Pack results with the workflow that made them as a Workflow Run RO-Crate, one ZIP file.

    python release/crate.py RESULTS FIGURES FILE.zip [CATALOGUE …]

The files of scores say of every fit which commit made it, by which revision of which method, and
on which data set. Of each commit the crate has an action: from the sources of the data sets, named
by address and checksum and not copied, to the files of scores. Another one leads from these to all
tables, pages and figures. CATALOGUE names data sets of one's own, as config/datasets.yaml does.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from rocrate.model import ContextEntity, File
from rocrate.rocrate import ROCrate

from coassoc.bench.datasets.batteries import load_batteries
from coassoc.bench.datasets.registry import SourceFile, load_datasets
from coassoc.bench.pools.settings import load_pools
from coassoc.errors import CoassocError, DataError
from reproduction.scores.files import places_of

ROOT = Path(__file__).parents[1]
#: What runs again: the workflow, its configuration and the library.
WORKFLOW = (
    "workflow", "rules", "scripts", "config", "envs", "profiles", "data/glass", "src",
    "pyproject.toml", "Makefile", "LICENSE", "CITATION.cff", "README.md",
)  # fmt: skip
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
FORMATS = {
    ".csv": "text/csv",
    ".md": "text/markdown",
    ".html": "text/html",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".parquet": "application/vnd.apache.parquet",
}
COMPLETED = "http://schema.org/CompletedActionStatus"


def crate_of(results: Path, figures: Path, catalogues: Sequence[Path] = ()) -> ROCrate:
    """The crate of folders of results and figures.

    Raises
    ------
    DataError
        If there are no scores, or a data set is in no catalogue.
    """
    crate = _workflow_crate()
    files = {
        path: _file(crate, path, str(path.resolve().relative_to(results.resolve().parent)))
        for path in _shown(results, figures)
    }
    fits = {path: lines for path in files if len(lines := _fits(path))}
    if not fits:
        raise DataError(f"{results}: no score files found. Run the workflow first.")
    sources = _Sources(crate, catalogues)
    for commit, lines in pd.concat(fits).groupby("commit"):
        made = [files[path] for path in dict.fromkeys(lines.index.get_level_values(0))]
        named = lines[["pool", "dataset"]].drop_duplicates().itertuples(index=False)
        used = {entity.id: entity for pool, name in named for entity in sources.of(pool, name)}
        _action(crate, f"#fits-{commit}", f"Fits at commit {commit}", _told(lines),
                [*used.values()], made)  # fmt: skip
    rest = [file for path, file in files.items() if path not in fits]
    told = "Tables, pages and figures from all files of scores."
    _action(crate, "#tables", "Tables and figures", told, [files[path] for path in fits], rest)
    return crate


def _workflow_crate() -> ROCrate:
    """The crate with the workflow, and who published it under which licence."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    crate = ROCrate(version="1.1")  # What the profiles are written for.
    crate.metadata.extra_contexts.append("https://w3id.org/ro/terms/workflow-run/context")
    crate.name, crate.description = citation["title"], citation["abstract"]
    crate.datePublished = _git("log", "-1", "--format=%cI") or citation["date-released"]
    licence = f"https://spdx.org/licenses/{citation['license']}"
    crate.license = _context(crate, licence, "CreativeWork", name=citation["license"])
    (author,) = citation["authors"]
    for role in ("author", "publisher"):
        crate.root_dataset[role] = _context(crate, "#authors", "Organization", name=author["name"])
    profiles = [
        _context(crate, url, "CreativeWork", name=name, version=url.rpartition("/")[2])
        for url, name in PROFILES.items()
    ]
    crate.root_dataset["conformsTo"] = profiles
    version = next(
        line.partition("==")[2]
        for line in (ROOT / "envs/constraints.txt").read_text().splitlines()
        if line.startswith("snakemake==")
    )
    facts = {"name": citation["title"], "version": citation["version"], "license": crate.license}
    crate.add_workflow(
        ROOT / "Snakefile",
        "Snakefile",
        main=True,
        lang="snakemake",
        lang_version=version,
        properties={
            **facts,
            "author": crate.root_dataset["author"],
            **_checked(ROOT / "Snakefile"),
        },
    )
    for path in map(ROOT.joinpath, WORKFLOW):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts and ".egg-info" not in str(file):
                _file(crate, file, str(file.relative_to(ROOT)))
    crate.get("README.md")["about"] = crate.root_dataset
    return crate


class _Sources:
    """The sources of data sets and of published pools, entities by address or file."""

    def __init__(self, crate: ROCrate, catalogues: Sequence[Path]) -> None:
        self._crate = crate
        self._sets: dict[str, Any] = dict(load_datasets(ROOT / "config/datasets.yaml", *catalogues))
        self._sets |= load_batteries(ROOT / "config/batteries.yaml")
        self._pools = load_pools(ROOT / "config/pools.yaml")

    def of(self, pool: str, dataset: str) -> Iterator[Any]:
        """Entities of the files behind a data set, and of its base clusterings if published."""
        made = self._pools.get(pool)
        if made and made.kind == "results":
            facts = {"name": made.title, "citation": made.citation}
            yield _context(self._crate, f"#{pool}", "CreativeWork", **facts)
        elif made and dataset in made.files:
            facts = {"name": f"base clusterings of {dataset}", "citation": made.citation}
            yield from (self._entity(file, facts) for file in made.files[dataset].files)
        if dataset not in self._sets:
            raise DataError(
                f"No catalogue lists the data set {dataset}. Pass the file that lists it."
            )
        entry = self._sets[dataset]
        facts = {"name": entry.title or dataset, "citation": entry.citation}
        facts |= {"license": entry.licence, "conditionsOfAccess": entry.terms}
        files = [file for source in entry.sources[:1] for file in source.files]
        yield from (self._entity(file, facts) for file in files or [SourceFile(file=dataset)])

    def _entity(self, file: SourceFile, facts: Mapping[str, Any]) -> Any:
        place = file.url or f"#{file.file or file.mirror}"
        name = f"{place}#{file.member}" if file.member else place
        if (known := self._crate.get(name)) is not None:
            return known
        facts = {**facts, "sha256": file.sha256, "identifier": file.member}
        facts = {key: value for key, value in facts.items() if value}
        if not file.url:
            return _context(self._crate, name, "CreativeWork", **facts)
        return self._crate.add(File(self._crate, name, properties=facts))


def _shown(*folders: Path) -> Iterator[Path]:
    """Files that a reader opens, and files of scores; published figures only where asked for."""
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in FORMATS and "published" not in path.relative_to(folder).parts:
                yield path


def _fits(path: Path) -> pd.DataFrame:
    """Commit, code, method, pool and data set of each fit in a file of scores, else no lines."""
    if path.suffix != ".parquet":
        return pd.DataFrame()
    lines = pd.read_parquet(path)
    if not {"commit", "code", "repeat", "status"} <= set(lines):
        return pd.DataFrame()
    if "source" in lines:
        lines = lines.assign(**places_of(lines)[["pool", "dataset", "method"]])
    lines = lines[lines["commit"].notna()]
    return lines[["commit", "code", "pool", "dataset", "method"]]


def _told(lines: pd.DataFrame) -> str:
    """How many fits of which methods, each with its revision or the fingerprint of its code."""
    code = lines["code"].str.split(", ").str[0]
    names = [
        code if code.startswith(f"{method} ") else f"{method} {code}"
        for method, code in zip(lines["method"], code, strict=True)
    ]
    counts = pd.Series(names).value_counts().sort_index()
    methods = ", ".join(f"{name} ({count:,})" for name, count in counts.items())
    return (
        f"{len(lines):,} fits on {lines['dataset'].nunique()} data sets, by methods and revisions "
        f"of their code: {methods}."
    )


def _action(
    crate: ROCrate, name: str, title: str, told: str, used: Sequence[Any], made: Sequence[Any]
) -> None:
    properties = {"name": title, "description": told, "actionStatus": COMPLETED}
    ends = {"object": _one(used), "result": _one(made)}
    action = crate.add_action(crate.mainEntity, name, **ends, properties=properties)
    crate.root_dataset.append_to("mentions", action)


def _one(values: Sequence[Any]) -> Any:
    """A value by itself, several as a list: as the specification recommends."""
    return values[0] if len(values) == 1 else list(values)


def _file(crate: ROCrate, path: Path, place: str) -> Any:
    facts = {"encodingFormat": FORMATS.get(path.suffix, "text/plain"), **_checked(path)}
    return crate.add_file(path, place, properties={"name": place, **facts})


def _checked(path: Path) -> dict[str, str]:
    content = path.read_bytes()
    return {"sha256": hashlib.sha256(content).hexdigest(), "contentSize": str(len(content))}


def _context(crate: ROCrate, place: str, kind: str, **facts: str) -> Any:
    return crate.add(ContextEntity(crate, place, properties={"@type": kind, **facts}))


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def main(results: str, figures: str, target: str, *catalogues: str) -> None:
    """Write the ZIP file `target` of folders of results and figures."""
    try:
        crate = crate_of(Path(results), Path(figures), [Path(path) for path in catalogues])
    except CoassocError as error:
        sys.exit(f"coassoc: {error}")
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    crate.write_zip(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
