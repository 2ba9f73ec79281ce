"""Files of scores (one for each target) and of measured times and criteria (one for each run).

All functions that read a file raise a DataError if the file is incomplete or if its content differs
from its checksums.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.bench.storage.records import ORIGIN, Outcome
from coassoc.errors import DataError
from coassoc.io.atomic import write_bytes
from reproduction.study.paths import Source, below_prefix

#: Column of a file of scores that identifies a line.
SOURCE = "source"
#: Column of collected scores with the code and hashes of settings, as in Present.made_by.
MADE_BY = "made_by"
#: Types of columns that would otherwise be read as numbers, such as the version 12e4567.
AS_TEXT = dict.fromkeys(ORIGIN, str)
#: Columns of integers, which missing values would turn into floating-point numbers.
_WHOLE = (
    *("clustering", "n_clusters", "point", "repeat", "n_iter", "n_clusters_found", "classes"),
    *("n", "n_micro", "threads", "cores"),
)


def write_scores(path: str | Path, scores: pd.DataFrame) -> None:
    """Write scores as Parquet with checksums; the file appears only when it is complete."""
    named = scores.copy(deep=False)
    named.attrs = {"columns": [*scores]}  # the checksums of Parquet do not cover the names
    write_bytes(path, named.to_parquet(index=False, write_page_checksum=True))


def _read_checked(path: str | Path, **options: Any) -> pd.DataFrame:
    """Read scores, if the values and names of the columns agree with their checksums."""
    scores = pd.read_parquet(path, page_checksum_verification=True, **options)
    if scores.attrs.pop("columns", [*scores]) != [*scores]:
        raise ValueError("names of columns")
    return scores


def read_scores(*paths: str | Path) -> dict[str, pd.DataFrame]:
    """Read the scores of targets, by source; columns without values are left out."""
    sources: dict[str, pd.DataFrame] = {}
    for path in paths:
        with _refuse_damaged(path, "scores"):
            sources = _by_source(_read_checked(path)) | sources
    return sources


@contextmanager
def _refuse_damaged(path: str | Path, content: str) -> Iterator[None]:
    """Turn the errors of a file that cannot be read into one sentence."""
    try:
        yield
    except (ValueError, OSError, KeyError, TypeError, NotImplementedError) as error:
        raise DataError(
            f"{path}: this is not a complete file of {content}. Delete it and rerun Snakemake."
        ) from error


def _by_source(scores: pd.DataFrame) -> dict[str, pd.DataFrame]:
    given = scores.notna().groupby(scores[SOURCE], sort=False)
    gaps = pd.concat([given.any(), given.all()], axis=1)
    # Thousands of sources have only a few dozen sets of columns, and choosing columns takes the
    # most time.
    kind = scores[SOURCE].map(dict(zip(gaps.index, map(bytes, gaps.to_numpy()), strict=True)))
    frames = {}
    for _, alike in scores.groupby(kind, sort=False):
        for source, of_source in _own_columns(alike).groupby(alike[SOURCE].to_numpy(), sort=False):
            frames[source] = of_source.reset_index(drop=True)
    return {str(source): frames[source] for source in gaps.index}


def _own_columns(lines: pd.DataFrame) -> pd.DataFrame:
    """Lines of sources with the same columns, without the columns of other sources."""
    always = ("stability", "commit")
    kept = [name for name in lines if name in always or lines[name].notna().any()]
    frame = lines[kept].drop(columns=SOURCE).reset_index(drop=True)
    whole = {name: "int64" for name in _WHOLE if name in frame and frame[name].notna().all()}
    return frame.astype(whole | ({"converged": bool} if "converged" in frame else {}))


def collect_scores(
    paths: Iterable[str | Path], made_by: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """The scores of all targets in one frame, with each run once.

    In addition to the column source (and "made_by", if requested), the frame has the parts of the
    source in the columns pool, dataset, m, method and block. The method is "base" for base
    clusterings, which have no m, and "reference" for the references of methods.
    """
    sources = read_scores(*paths)
    frames = [frame.assign(**{SOURCE: source}) for source, frame in sources.items()]
    lines = pd.concat(frames, ignore_index=True)
    if made_by:
        lines[MADE_BY] = [made_by[source] for source in lines[SOURCE]]
    return lines.join(places_of(lines))


def minutes_of(scores: Mapping[str, pd.DataFrame]) -> dict[str, float]:
    """Processor minutes of all fits of each run; a run of at most five is of the core."""
    frames = {source: frame for source, frame in scores.items() if "cpu_seconds" in frame}
    return {source: frame["cpu_seconds"].sum() / 60 for source, frame in frames.items()}


def read_statuses(targets: Iterable[str]) -> pd.DataFrame:
    """Source and status of each line of the existing scores of the targets."""
    frames = [pd.DataFrame(columns=[SOURCE, "status"], dtype="str")]
    for target in targets:
        path = below_prefix(f"results/scores/{target}.parquet")
        if path.is_file():
            with suppress(OSError, ValueError):  # the next reader reports the damaged file
                frames.append(pd.read_parquet(path, columns=[SOURCE, "status"]).dropna())
    return pd.concat(frames)


def read_collected(files: Mapping[str, str | Path]) -> dict[str, pd.DataFrame]:
    """Lines of sources from files of collected scores, in the form of :func:`read_scores`."""
    frames: dict[str, pd.DataFrame] = {}
    for path in dict.fromkeys(files.values()):
        sources = [source for source, file in files.items() if file == path]
        with _refuse_damaged(path, "scores"):
            lines = _read_checked(path, filters=[(SOURCE, "in", sources)])
        frames |= _by_source(lines.drop(columns=[*Source._fields, MADE_BY], errors="ignore"))
    return frames


def places_of(lines: pd.DataFrame) -> pd.DataFrame:
    """Pool, data set, m, method and block of each line, from its source."""
    stems = lines[SOURCE].unique()
    places = pd.DataFrame(map(Source.parse, stems), index=stems).astype({"m": "Int64"})
    return places.loc[lines[SOURCE]].set_index(lines.index)


def printed_numbers(published: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Published numbers as columns label, dataset, metric, published_mean and published_std."""
    columns = ["method", "dataset", "metric", "mean", "std"]
    names = ["label", "dataset", "metric", "published_mean", "published_std"]
    printed = pd.DataFrame(list(published), columns=columns).set_axis(names, axis=1)
    printed[names[3:]] = printed[names[3:]].apply(pd.to_numeric, errors="coerce")
    return printed.drop_duplicates(ignore_index=True)  # a table may print a column twice


def read_measured(files: Mapping[str, str]) -> dict[str, pd.DataFrame]:
    """Measurements by their files, each from its archive or, without one, from the file itself."""
    archived = read_collected({file: archive for file, archive in files.items() if archive})
    frames = {file: frame.dropna(axis="columns", how="all") for file, frame in archived.items()}
    for file in files.keys() - frames.keys():
        with _refuse_damaged(file, "measurements"):
            frames[file] = _read_checked(below_prefix(file))
    return {file: frames[file] for file in files}


def collect_measurements(files: Mapping[str, str], made_by: Mapping[str, str]) -> pd.DataFrame:
    """Measurements in one table, with source (their file) and made_by (their origin).

    Files with an avoidable failure are left out. `files` is as in :func:`read_measured`.
    """
    frames = []
    for file, frame in read_measured(files).items():
        statuses = frame["status"].dropna() if "status" in frame else ()
        if not any(Outcome.of(status).may_be_mended for status in statuses):
            frames.append(frame.assign(**{SOURCE: file, MADE_BY: made_by[file]}))
    return pd.concat(frames or [pd.DataFrame(columns=[SOURCE, MADE_BY])], ignore_index=True)
