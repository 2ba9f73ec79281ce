"""Files of soft memberships from programs for population genetics and fuzzy clustering.

- ``.Q`` (ADMIXTURE), ``.qopt`` (NGSadmix), ``.meanQ`` (fastSTRUCTURE) and other text: on each line
  K numbers, which one or two columns of words may precede: names and populations of the samples.
- Results of STRUCTURE (``…_f``), and the files of CLUMPP for individuals (``.indfile``,
  ``.outfile``) and populations (``.popfile``), for one or several runs. With USEPOPINFO, STRUCTURE
  writes the probabilities of migrant ancestors; the memberships follow as in the program.
- Tables of any kind with columns Cluster1 … ClusterK, or with chosen columns; another column may
  name the samples.
- A folder of such files, of which the first kind in this order is read, or a file map of pong.

Logs of ADMIXTURE beside the runs, and results of STRUCTURE, give scores for each K.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.io.display import count_of
from coassoc.io.features import numbers_in, with_texts_as_names
from coassoc.io.files import check_options, files_below, open_file
from coassoc.io.labels import NUMBER, encode, names_in, names_rows, texts_in
from coassoc.io.table import TableFile, listed
from coassoc.io.text import PACKED, SEPARATORS, kind_of, read_text, table_in
from coassoc.io.untrusted import check_is_file, reading

#: Suffixes of text with K numbers on each line: ADMIXTURE, NGSadmix, fastSTRUCTURE.
_NUMBERS = (".q", ".qopt", ".meanq")
#: Suffixes of tables of memberships.
_TABLES = (".csv", ".tsv", ".tab", ".xlsx", ".parquet", ".feather")
#: Kinds of files of a folder; the first that occurs is read. "_f" is the end of a name.
_KINDS = ((*_NUMBERS, ".indfile", "_f"), (".outfile",), (".popfile",), ("", ".txt", *_TABLES))
#: A sample of STRUCTURE: number, name, percentage of missing data, population, and memberships.
_SAMPLE = re.compile(r"\s*(\d+)\s+(?:(\S+)\s+)?\(\s*\d+\s*\)\s+(?:(\S+)\s+)?:\s+(.*)")
#: A population of CLUMPP, with groups as above: code, memberships, and number of samples.
_POPULATION = re.compile(r"\s*((\S+?))\s*():\s+(.*\S)\s+\d+\s*")
#: With USEPOPINFO, probabilities of migrant ancestors 0, 1, 2 … generations back.
_MIGRANT = re.compile(r"\|\s*Pop\s+(\d+):([\d.\s]+)")
#: Name of a column of memberships.
_CLUSTER = re.compile(r"Cluster[ ._]?\d+", re.IGNORECASE)
#: Probability intervals in STRUCTURE's results.
_INTERVAL = re.compile(r"\([^)]*\)")
#: A line of a file map of pong: name of the run, K, and its file.
_MAP = re.compile(r"([^\t#]\S*)\t(\d+)\t(\S.*?)\s*")
#: Scores in STRUCTURE's results and in ADMIXTURE's logs.
_LNP = re.compile(r"Estimated Ln Prob of Data\s*=\s*(-?\d+(?:\.\d+)?)")
_CV = re.compile(r"CV error \(K=(\d+)\):\s*(\d+(?:\.\d+)?)")
_LIKELIHOOD = re.compile(r"^Loglikelihood:\s*(-?\d+(?:\.\d+)?)", re.MULTILINE)
#: Rows of ADMIXTURE's table of divergences, which tell K without a CV error.
_POPS = re.compile(r"^Pop(\d+)\t", re.MULTILINE)
#: Names of columns of groups and samples.
_TITLE = re.compile(
    r"#?(super|meta)?[ ._]?(pop(ulation)?|group|region|country|locality|location|site|species|"
    r"subspecies|breed|strain|line|origin|family|cluster|fid|iid|id|ind|indiv(idual)?|sample|name|"
    r"label)s?([ ._]?(id|name|code|label))?",
    re.IGNORECASE,
)


@dataclass
class MembershipRuns:
    """Runs of memberships, and what their files tell about them.

    Attributes
    ----------
    memberships : dict of str to (n, K) array or DataFrame
        Runs by the names of their files; data frames if the files name the samples.
    scores : list of (str, int, float)
        "CV error", "log likelihood" or "ln P(D)", K, and the value, for each that is known.
    samples : list of str or None
        Names of the samples, from the runs or the file of groups.
    groups : (n,) array or None
        Group of each sample.
    order : list of str
        The groups from left to right; empty if unknown.
    line : str
        What was read.
    """

    memberships: dict[str, Any] = field(default_factory=dict)
    scores: list[tuple[str, int, float]] = field(default_factory=list)
    samples: list[str] | None = None
    groups: NDArray[Any] | None = None
    order: list[str] = field(default_factory=list)
    line: str = ""


def read_memberships(
    files: Sequence[str],
    groups: str | None = None,
    group_column: str | None = None,
    group_order: str | None = None,
    **roles: Any,
) -> MembershipRuns:
    """Runs of memberships in files and folders, and the groups of their samples.

    Parameters
    ----------
    files : sequence of str
        Files and folders of runs, and logs.
    groups : str, optional
        A table with a row for each sample. It has its group, and may have its name; a .fam file has
        families as groups. Rows are matched by name if the runs name the samples, and otherwise in
        order. By default, groups are the populations in the files of the runs.
    group_column : str, optional
        Name or number of the column of the groups, if several columns may be.
    group_order : str, optional
        A file with a group on each line, from left to right in figures; a second column has the
        name to show.
    **roles
        Attributes of :class:`~coassoc.io.table.TableFile` for all files: `id`, `columns`, `without`
        and the format of text.

    Raises
    ------
    DataError
        If there are no runs, a file cannot be read, two runs have the same name, or the groups do
        not fit the samples.
    """
    given = TableFile(", ".join(files), spelled="--{}={}", **roles)
    runs = MembershipRuns()
    listed_files = [each for file in files for each in _list_files(file, given.encoding)]
    sources = [path for name, _, path in listed_files if name]
    unused = () if any(map(_is_table, sources)) else ("id", "columns", "without")
    sources += [] if groups is None else [Path(groups)]
    kinds = [path if _is_table(path) else Path("runs.txt") for path in sources]
    check_options(given, kinds, unused=unused)
    # The form of text with memberships is plain, so these options are for the groups.
    of_text = given if groups is None else replace(given, header=None, separator=None)
    ignored: list[Path] = []
    populations: list[Any] = []
    for name, K, path in listed_files:
        if scores := _scores_in_log(path, given.encoding):
            runs.scores += scores
            continue
        if not name:
            ignored.append(path)
            continue
        source = replace(given if _is_table(path) else of_text, file=str(path))
        for part, Q, groups_in_run in _read_runs(source, runs):
            called = f"{name} {part}" if part else name
            if called in runs.memberships:
                raise DataError(f"{path}: two runs are called {called!r}. Rename one of the files.")
            if K not in (None, Q.shape[1]):
                wrong = f"the run has {Q.shape[1]} clusters, but the file map says {K}"
                raise DataError(f"{path}: {wrong}. Correct the file map.")
            runs.memberships[called] = Q
            populations.append(groups_in_run)
    if not runs.memberships:
        raise DataError(f"{', '.join(files)}: only logs were found. Pass runs of memberships, too.")
    first = next(iter(runs.memberships.values()))
    runs.samples = [*map(str, first.index)] if hasattr(first, "index") else None
    sizes = ", ".join(map(str, sorted({Q.shape[1] for Q in runs.memberships.values()})))
    n_runs, n = count_of(len(runs.memberships), "run"), count_of(len(first), "sample")
    lines = [f"{given.file}: {n_runs} of {n}, K = {sizes}"]
    if ignored:
        ends = sorted({path.suffix or path.name for path in ignored})
        lines[0] += f"; {count_of(len(ignored), 'other file')} ignored ({listed(ends, 5)})"
    if groups is not None:
        source = replace(given, file=groups, id=None, columns=(), without=())
        lines.append(_read_groups(runs, source, len(first), group_column))
    elif all(each and all(each) and each == populations[0] for each in populations):
        runs.groups = np.array(populations[0], dtype=object)
        lines.append("Groups are the populations in the files of the runs")
    if group_order is not None:
        _read_order(runs, replace(given, file=group_order))
    runs.line = ". ".join(lines)
    return runs


# -- files of runs --------------------------------------------------------------------------------


def _list_files(file: str, encoding: str | None) -> Iterator[tuple[str, int | None, Path]]:
    """Name, K if a file map has it, and path of each run; other files have no name."""
    path = Path(file)
    if not path.is_dir():
        check_is_file(path)
        rows = [] if kind_of(path) in (*_NUMBERS, *_TABLES) else _rows_of_map(path, encoding)
        yield from rows or [(_stem(path), None, path)]
        return
    every = files_below(path)
    of_kinds = [
        [p for p in every if kind_of(p) in kinds or ("_f" in kinds and p.name.endswith("_f"))]
        for kinds in _KINDS
    ]
    chosen = next(filter(None, of_kinds), None)
    if chosen is None:
        raise DataError(
            f"{path}: the folder has no file of memberships. Names of such files end in .Q, .qopt, "
            ".meanQ, _f, .indfile, .outfile, .popfile, .txt, .csv or .tsv, or have no ending. Pass "
            "files with other names one by one."
        )
    for p in every:
        name = (p.relative_to(path).parent / _stem(p)).as_posix()
        yield (name, None, p) if p in chosen else ("", None, p)


def _rows_of_map(path: Path, encoding: str | None) -> list[tuple[str, int | None, Path]]:
    """The runs in a file map of pong; none if the file is something else."""
    with reading(path):
        lines = [line for line in read_text(path, encoding).splitlines() if line and line[0] != "#"]
    rows = [*map(_MAP.fullmatch, lines)]
    if not rows or not all(rows):
        return []
    return [(row[1], int(row[2]), path.parent / row[3]) for row in rows if row]


def _is_table(path: Path) -> bool:
    return kind_of(path) in _TABLES


def _stem(path: Path) -> str:
    name = path.stem if path.suffix.lower() in PACKED else path.name
    return name[: -len(Path(name).suffix)] if kind_of(path) in (*_NUMBERS, *_TABLES) else name


def _scores_in_log(path: Path, encoding: str | None) -> list[tuple[str, int, float]]:
    """The scores in a log of ADMIXTURE; none if the file is something else."""
    if kind_of(path) not in (".log", ".out") or not path.is_file():
        return []
    with reading(path):
        text = read_text(path, encoding)
    scores = [("CV error", int(K), float(value)) for K, value in _CV.findall(text)]
    K = scores[-1][1] if scores else 1 + max(map(int, _POPS.findall(text)), default=-1)
    found = _LIKELIHOOD.findall(text)
    return scores + [("log likelihood", K, float(value)) for value in found if K]


def _read_runs(source: TableFile, runs: MembershipRuns) -> Iterator[tuple[str, Any, Any]]:
    """Part, memberships, and populations if known, of each run in a file; scores are added."""
    path = source.path
    if _is_table(path):
        yield "", _run_from_table(source), None
        return
    with reading(path):
        text = read_text(path, source.encoding)
    pattern = _POPULATION if kind_of(path) == ".popfile" else _SAMPLE
    lines = [] if kind_of(path) in _NUMBERS else text.splitlines()
    matches = [*map(pattern.fullmatch, lines)]
    rows = [match for match in matches if match]
    heads = [i for i, line in enumerate(lines) if line.startswith("Inferred ancestry of ind")]
    if rows and heads:  # STRUCTURE's samples are between a line of titles and an empty line
        ends = (i for i in range(heads[0] + 2, len(lines)) if not lines[i].strip())
        end = next(ends, len(lines))
        lines[: heads[0] + 2], lines[end:] = [""] * (heads[0] + 2), []
        rows = [match for match in matches[heads[0] + 2 : end] if match]
    for number, (line, match) in enumerate(zip(lines if rows else (), matches, strict=False), 1):
        if line.strip() and not match:
            raise DataError(
                f"{path}: line {number} is not that of a sample or population "
                f"({line.strip()[:40]!r}). Correct it."
            )
    if not rows:
        yield "", *_run_from_text(source, text)
        return
    if source.separator is not None or source.header is not None:
        raise DataError(
            f"{path}: --separator and --header are not for this kind of file. Leave them out."
        )
    starts = [i for i, match in enumerate(rows) if match[1] == rows[0][1]]
    for part, (first, last) in enumerate(zip(starts, [*starts[1:], None], strict=True), 1):
        own = rows[first:last]
        names, populations = ([match[j] for match in own] for j in (2, 3))
        text_of_numbers = "\n".join(_ancestry(path, match) for match in own).encode()
        table = table_in(TableFile(str(path), separator=" ", header=False), path, text_of_numbers)
        Q = _named(numbers_in(table), names)
        runs.scores += [("ln P(D)", Q.shape[1], float(value)) for value in _LNP.findall(text)]
        yield str(part) if len(starts) > 1 else "", Q, populations


def _ancestry(path: Path, sample: re.Match[str]) -> str:
    """The memberships of a sample of STRUCTURE as text.

    With USEPOPINFO, the first number is the probability that all ancestors are of the population of
    the sample, and each other population has the probability of one ancestor there, g generations
    back, who gives 2⁻ᵍ of the ancestry (UpdateQWithPops in STRUCTURE).
    """
    migrants = _MIGRANT.findall(sample[4])
    if not migrants:
        return _INTERVAL.sub("", sample[4])
    K, home = len(migrants) + 1, sample[3] or ""
    others = {int(pop): [*map(float, numbers.split())] for pop, numbers in migrants}
    if not home.isdigit() or {int(home), *others} != {*range(1, K + 1)}:
        raise DataError(
            f"{path}: sample {sample[2] or sample[1]} is of population {home!r}, but its line has "
            f"the populations 1 to {K}. Number the populations from 1, and run STRUCTURE again."
        )
    q = dict.fromkeys(range(1, K + 1), 0.0)
    q[int(home)] = float(sample[4].split("|")[0])
    for pop, probabilities in others.items():
        for g, p in enumerate(probabilities):
            q[pop] += p / 2**g
            q[int(home)] += p * (1 - 1 / 2**g)
    return " ".join(map(str, q.values()))


def _run_from_text(source: TableFile, text: str) -> tuple[Any, Any]:
    """Memberships, and populations if known, in lines of K numbers after one or two words."""
    rows = (line for line in text.splitlines() if line.strip() and line[0] != "#")
    first, second = next(rows, ""), next(rows, "")
    _, tab, others = first.strip().partition("\t")
    found = "," if len(first.split()) == 1 else "tab" if tab and " " not in others else "whitespace"
    mark = source.separator or found
    mark = SEPARATORS.get(mark, mark)
    at_spaces = None if mark == " " else mark
    lines = (line.strip().split(at_spaces) for line in (first, second))
    heads = [[cell.strip(' "') for cell in line] for line in lines]
    header = not any(map(NUMBER.fullmatch, heads[0]))
    if source.header is not None and source.header != header:
        raise DataError(
            f"{source.file}: the first line holds {'names' if header else 'memberships'}. Leave "
            f"out {source.say('header', '…')}."
        )
    form = replace(source, separator=mark, header=header, encoding=None, comments=True)
    table = table_in(form, source.path, text.encode())
    cells = [*filter(None, heads[header])]
    n_words = 1 + max((j for j, cell in enumerate(cells) if not NUMBER.fullmatch(cell)), default=-1)
    words = [texts_in(table, j) for j in range(n_words)]
    at = _column_of_names(words)
    groups = [column for column in words if at is None or column != words[at]]
    if len(groups) > 1 or n_words == len(cells):
        raise table.error(
            f"the first line has the words {' '.join(cells[:n_words])!r}",
            "Write K numbers on each line, after at most the name and the population of the sample",
        )
    Q = numbers_in(table, range(n_words, len(table.names)), "Write memberships as numbers")
    return Q if at is None else _named(Q, words[at]), groups[0] if groups else None


def _named(Q: NDArray[np.float64], names: Sequence[Any]) -> Any:
    """Memberships by the names of the samples, if no name occurs twice."""
    import pandas as pd

    return pd.DataFrame(Q, list(names)) if len({*names}) == len(names) else Q


def _run_from_table(source: TableFile) -> Any:
    table = with_texts_as_names(open_file(source))
    named = table.named()
    chosen = [j for j, name in enumerate(table.names) if _CLUSTER.fullmatch(str(name))]
    if source.columns or source.without:
        chosen = table.choose()[2]
    elif named is None:
        for j in {*range(len(table.names))} - {*chosen}:
            if names_rows(table.read([j])[0]):
                raise table.error(
                    f"every value of column {table.names[j]!r} is different, so the column may "
                    "name the samples",
                    f"Pass {table.say('id', table.names[j])} to match the samples of the runs by "
                    "name. Otherwise choose the columns of memberships with --columns",
                )
    if not chosen:
        raise table.error(
            "no columns are called Cluster1 … ClusterK",
            f"Choose the columns of memberships with {table.say('columns', 'A,B,…')}",
        )
    Q = numbers_in(table, chosen)
    if named is None:
        return Q
    return _named(Q, names_in(table, encode(table.read([named])[0])).tolist())


# -- groups of samples ----------------------------------------------------------------------------


def _read_groups(runs: MembershipRuns, source: TableFile, n: int, column: str | None) -> str:
    """Add the groups of the samples, and names that the runs do not have; say what was read."""
    path, rows, known = source.path, _rows(source), runs.samples or []
    titles = _titles(source, rows, known)
    rows = rows[titles is not None :]
    columns = [*map(list, zip(*rows, strict=True))]
    at = 1 if kind_of(path) == ".fam" else _column_of_names(columns, known)
    at = None if len(columns) == 1 else at
    by_name = bool(known) and at is not None
    if len(rows) != n and not by_name:
        after = "" if titles is None else f" below the column names {' '.join(titles)!r}"
        raise DataError(
            f"{path}: there are {len(rows)} rows{after} for {n} samples. Write one row for each "
            "sample. If the first line is read wrongly, pass --header true or --header false."
        )
    called = titles or [str(j + 1) for j in range(len(columns))]
    others = [j for j in range(len(columns)) if at is None or columns[j] != columns[at]]
    may = [j for j in others if column in (None, called[j])]
    may = [0] if kind_of(path) == ".fam" and column is None else may
    if len(may) != 1:
        what = f"there is no column of groups called {column!r}"
        what = f"{len(may)} columns may hold the groups" if column is None else what
        choice = listed([called[k] for k in others], 30)
        raise DataError(f"{path}: {what}. Choose one of {choice} with --group-column.")
    (j,) = may
    names = [str(i) for i in range(1, n + 1)] if at is None else columns[at]
    pairs = [*zip(names, columns[j], strict=True)]
    group_of = dict(pairs)
    wrong = [name for name in known if by_name and name not in group_of]
    wrong += [name for name, group in pairs if not group or group != group_of[name]]
    if wrong:
        raise DataError(
            f"{path}: sample {wrong[0]!r} has no group, or several. Write one row with its group."
        )
    if by_name:
        names = known
    elif at is not None:
        runs.samples = names
    runs.groups = np.array([group_of[name] for name in names], dtype=object)
    found = {*runs.groups.tolist()}
    if len(found) == n > 2:
        raise DataError(
            f"{path}: each sample has a group of its own, as if the groups were names. Write the "
            "group of each sample."
        )
    order = "in the order of the runs" if at is None else f"named in column {at + 1}"
    return f"{path}: {count_of(len(found), 'group')} in column {j + 1}, samples {order}"


def _rows(source: TableFile) -> list[list[str]]:
    """The cells of a table or a text, with the names of the columns as the first row."""
    path = source.path
    if kind_of(path) in (".xlsx", ".parquet", ".feather"):
        table = open_file(replace(source, header=True))
        columns = [texts_in(table, j) for j in range(len(table.names))]
        return [[*map(str, table.names)], *map(list, zip(*columns, strict=True))]
    check_is_file(path)
    with reading(path):
        lines = [line for line in read_text(path, source.encoding).splitlines() if line.strip()]
    if not lines:
        raise DataError(f"{path}: the file is empty. Write one row for each sample.")
    mark = source.separator or next((m for m in "\t;," if m in lines[0]), "whitespace")
    mark = SEPARATORS.get(mark, mark)
    spaced = [" ".join(line.split()) for line in lines] if mark == " " else lines
    rows = [[cell.strip() for cell in row] for row in csv.reader(spaced, delimiter=mark)]
    odd = next((i for i, row in enumerate(rows) if len(row) != len(rows[0])), None)
    spaces = mark == " " and source.separator is None and len({row[0] for row in rows}) < len(rows)
    if spaces and (odd or _column_of_names([*map(list, zip(*rows, strict=True))]) is None):
        return [[line] for line in spaced]  # a group has spaces in its name
    if odd:
        raise DataError(
            f"{path}: line {odd + 1} has {count_of(len(rows[odd]), 'cell')}, and the first "
            f"{len(rows[0])}. Separate the columns by tabs."
        )
    return rows


def _titles(source: TableFile, rows: list[list[str]], known: list[str]) -> list[str] | None:
    """The names of the columns, if the first row has them."""
    header = source.header
    if header is None and known and len(rows[0]) > 1:
        header = not {*known} & {*rows[0]}
    if header is None:
        header = kind_of(source.path) != ".fam" and any(map(_has_title, zip(*rows, strict=True)))
    return rows[0] if header else None


def _has_title(column: Sequence[str]) -> bool:
    """Whether a column has a title: an own kind of word, while all others are groups or numbers."""
    first, *rest = column
    others = all(count > 1 for count in Counter(rest).values()) or all(map(NUMBER.fullmatch, rest))
    is_word = _TITLE.fullmatch(first) or (others and not NUMBER.fullmatch(first))
    return first not in rest and bool(first and rest and is_word)


def _column_of_names(columns: list[list[str]], known: Sequence[str] = ()) -> int | None:
    """The column that names the samples: the known names, or else a different name in each row."""
    if known:
        return max(range(len(columns)), key=lambda j: len({*known} & {*columns[j]}))
    return next((j for j, column in enumerate(columns) if len({*column}) == len(column)), None)


def _read_order(runs: MembershipRuns, source: TableFile) -> None:
    """The order of the groups, and the names to show."""
    if runs.groups is None:
        raise DataError(f"{source.file}: there are no groups to order. Pass --groups, too.")
    rows = _rows(replace(source, separator=source.separator or "tab", header=None))
    shown = {row[0]: row[-1] for row in rows}
    if odd := [group for group in runs.groups if group not in shown]:
        raise DataError(f"{source.file}: group {odd[0]!r} is missing. Write each group on a line.")
    runs.order = [*dict.fromkeys(shown.values())]
    runs.groups = np.array([shown[group] for group in runs.groups], dtype=object)
