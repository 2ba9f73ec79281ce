"""Versions that numbers name: whether the code of each can be had."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

_HERE = Path(__file__).parent
_CHANGES = "+changes"


def versions_in_doubt(versions: Iterable[str], repository: str | Path = _HERE) -> dict[str, str]:
    """Why the code of a version cannot be had, or not exactly, by version; others are left out.

    Versions are such as :func:`coassoc.provenance.commit` names them. Outside a repository with its
    whole history no commit can be looked up, and all are told to be unchecked.
    """
    versions = set(versions)
    known = _commits({version.removesuffix(_CHANGES) for version in versions}, repository)
    found = {}
    for version in sorted(versions):
        commit = version.removesuffix(_CHANGES)
        if version == "unknown":
            found[version] = "no repository was there to name a commit"
        elif known is None:
            found[version] = "not checked, since this is no repository with its whole history"
        elif commit not in known:
            found[version] = "no commit of this repository has this name, so its code cannot be had"
        elif version != commit:
            found[version] = "files differed from this commit in ways that were not kept"
    return found


def _commits(names: set[str], repository: str | Path) -> set[str] | None:
    """Those names that begin the hash of a commit in the history; None where it is not there."""
    try:
        if _git(repository, "rev-parse", "--is-shallow-repository") != ["false"]:
            return None
        hashes = _git(repository, "rev-list", "HEAD")
    except (OSError, subprocess.CalledProcessError):
        return None
    return {name for name in names if any(each.startswith(name) for each in hashes)}


def _git(folder: str | Path, *words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.split()


def kept_in_doubt(folder: str | Path) -> pd.DataFrame:
    """Versions of kept lines of scores whose code cannot be had, or not exactly.

    Parameters
    ----------
    folder : path
        With files ``scores*.parquet`` and ``ranking_scores.parquet``.

    Returns
    -------
    DataFrame
        By version why, lines (how many), and methods (their codes); most lines first.
    """
    frames = [
        pd.read_parquet(path, columns=["commit", "code"])
        for path in sorted(Path(folder).glob("*scores*.parquet"))
    ]
    lines = pd.concat(frames, ignore_index=True).dropna(subset="commit")
    why = versions_in_doubt(lines["commit"].unique())
    lines = lines[lines["commit"].isin([*why])]
    groups = lines.groupby("commit")["code"]
    table = pd.DataFrame({"why": pd.Series(why, dtype=str), "lines": groups.size()})
    table["methods"] = groups.agg(lambda codes: ", ".join(sorted(codes.dropna().unique())))
    return table.sort_values("lines", ascending=False).rename_axis("version")
