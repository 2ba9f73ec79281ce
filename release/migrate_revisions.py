"""Name the code behind kept results by revisions where fingerprints stood: once, for version 0.2.0.

    python release/migrate_revisions.py FOLDER …

Up to version 0.1.0 a result named the code behind it by a fingerprint, or by the revision that
``fingerprints.csv`` beside this file lists for it. Now it names the revision alone. In every table
of the folders, CSV or Parquet, the column ``code`` is written anew; no other value changes. What is
of code that was never listed keeps its fingerprint, which is the name of no present code. A race
was part of the fingerprint for some time: the runs of that time, known by their names, name it too.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from coassoc.atomic import write_bytes, write_text

LISTED = Path(__file__).with_name("fingerprints.csv")
_RACE = re.compile("race=([^~]+)")
#: What a line says of its run: its path, or the parts of it.
_PATH, _PARTS = ("source", "run"), ("method", "block")


def listed(path: Path = LISTED) -> dict[tuple[str, str], str]:
    """Name of a method or race, and a fingerprint of its code → name and revision."""
    with path.open(newline="") as file:
        return {
            (line["name"], line["fingerprint"]): f"{line['name']} {line['revision']}"
            for line in csv.DictReader(file)
        }


def identity(code: str, method: str, block: str, known: Mapping[tuple[str, str], str]) -> str:
    """What a line of a run names now, such as "LWEA 1" or "LWEA 1, race by ARI 1".

    Parameters
    ----------
    code : str
        What it named before.
    method, block : str
        Name of the run's method, and of its block of parameters.
    known : mapping
        As of :func:`listed`.
    """
    made_by, _, raced = code.partition(", ")
    named = known.get((method, made_by), made_by)
    race = _RACE.search(block)
    if race is None or named not in known.values():
        return ", ".join(filter(None, [named, raced]))
    by = f"race by {race[1]}"
    return f"{named}, {known.get((by, raced), raced) or f'{by} 1'}"


def migrate(folder: Path) -> dict[str, int]:
    """Write the tables of a folder that change; file → how many lines of it changed."""
    known, changed = listed(), {}
    for path in sorted(folder.rglob("*")):
        move = {".csv": _migrate_csv, ".parquet": _migrate_parquet}.get(path.suffix)
        if move and (count := move(path, known)):
            changed[str(path)] = count
    return changed


def _migrate_csv(path: Path, known: Mapping[tuple[str, str], str]) -> int:
    with path.open(newline="", encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    if not {"code", "run"} <= set(header):
        return 0
    code, run = header.index("code"), header.index("run")
    row = header.index("row" if "row" in header else "method") if "mean" in header else run
    # A mean over data sets is of no run, and of the method of its row.
    runs = {(line[row], line[code]): line[run] for line in lines if line[run]}
    moved = [[*line] for line in lines]
    for line in moved:
        of_run = line[run] or runs.get((line[row], line[code]), "")
        line[code] = _moved(line[code], of_run, known)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *moved])
    count = sum(old != new for old, new in zip(lines, moved, strict=True))
    if count:
        write_text(path, text.getvalue())
    return count


def _moved(code: str, run: str, known: Mapping[tuple[str, str], str]) -> str:
    if not code or not run:
        return code
    *_, method, block = run.split("/")
    return identity(code, method, block, known)


def _migrate_parquet(path: Path, known: Mapping[tuple[str, str], str]) -> int:
    file = pq.ParquetFile(path)
    names = file.schema_arrow.names
    if "code" not in names:
        return 0
    place = next(([name] for name in _PATH if name in names), _PARTS)
    table = file.read()
    columns = [table["code"].to_pylist(), *(table[name].to_pylist() for name in place)]
    distinct = {line: _moved(line[0], "/".join(line[1:]), known) for line in
                {line for line in zip(*columns, strict=True) if line[0]}}  # fmt: skip
    codes = [distinct.get(line) for line in zip(*columns, strict=True)]
    count = sum(old != new for old, new in zip(columns[0], codes, strict=True))
    if count:
        field = table.schema.field("code")
        table = table.set_column(names.index("code"), field, pa.array(codes, field.type))
        sink = io.BytesIO()
        pq.write_table(table, sink, write_page_checksum=True)
        write_bytes(path, sink.getvalue())
    return count


if __name__ == "__main__":
    for name in sys.argv[1:]:
        for file, count in migrate(Path(name)).items():
            print(f"{file}: {count:,} lines")
