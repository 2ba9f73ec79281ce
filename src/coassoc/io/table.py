"""A table whose columns are read on demand, and the user's description of it."""

import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from shlex import quote
from typing import Any, Literal

from coassoc.errors import DataError, did_you_mean
from coassoc.io.frames import FrameLibrary

#: The path that means standard input.
STANDARD_INPUT = Path("standard input")
#: Names that pandas gives to columns without a name.
UNNAMED = re.compile(r"(Unnamed: \d+|__index_level_\d+__)?$")
#: Largest number of names to list in a sentence.
_LISTED = 8


@dataclass(frozen=True, kw_only=True)
class TableFile:
    """The path of a table, and the user's description of it.

    Attributes
    ----------
    file : str
        Path, "-" for CSV from standard input, or "labels" for an object.
    id : hashable or None
        Column that names the samples, or "first" for the first column.
    classes : hashable or None
        The column of the classes.
    columns : tuple of hashable
        Names of the columns to read, or patterns such as "leiden_*"; if empty, all columns.
    without : tuple
        Columns to leave out, in the same form.
    missing : tuple
        Values that mean that a sample has no cluster.
    in_ : "rows", "columns" or None
        Where the clusterings are. If they are rows, `id` names them. None: they are columns, unless
        there are more of them than rows.
    variable : str or None
        Name of the array in files with several arrays; None for the usual or the only array.
    separator : str or None
        Separator of text files. Default: a comma; for .tsv a tab; for .txt the separator found in
        the first line.
    header : bool or None
        Whether the first line names the columns. None: it does, unless it contains a number.
    encoding : str or None
        Encoding of text files; None for UTF-8 or the encoding of a byte order mark.
    comments : bool
        Whether lines that begin with #, such as comments of Stan, are skipped.
    sheet : str or None
        Sheet of an Excel file; None for the only sheet.
    each_file : "clustering", "members", "samples" or None
        Content of each file of a folder: a clustering of all samples ("clustering", or "members"
        with the members of a cluster on each line), or all clusterings of some samples ("samples").
    spelled : str
        Form in which a user gives these keys, for messages.
    """

    file: str = field(kw_only=False)
    id: Any = None
    classes: Any = None
    columns: tuple[Any, ...] = ()
    without: tuple[Any, ...] = ()
    missing: tuple[Any, ...] = ()
    in_: Literal["rows", "columns"] | None = None
    variable: str | None = None
    separator: str | None = None
    header: bool | None = None
    encoding: str | None = None
    comments: bool = False
    sheet: str | None = None
    each_file: Literal["clustering", "members", "samples"] | None = None
    spelled: str = "{}: {}"

    @property
    def path(self) -> Path:
        """Path of the file, or :data:`STANDARD_INPUT`."""
        return STANDARD_INPUT if self.file == "-" else Path(self.file)

    def say(self, key: str, value: Any) -> str:
        """How a user gives a key."""
        return self.spelled.format(key, value)


@dataclass
class Table:
    """A table whose columns are read on demand."""

    #: Source that begins messages: a file, or "labels".
    place: str
    #: Names of the columns.
    names: list[Any]
    #: Function that takes the positions of columns and returns the content of each.
    read: Callable[[Sequence[int]], list[Any]]
    #: Row number of the first sample in its file, or None if the table is an object.
    first_row: int | None = None
    #: (n,) names of the samples.
    samples: Any = None
    #: Word for a sample in messages.
    kind: str = "sample"
    #: Position of the column that names the samples, if the table itself marks one.
    id: int | None = None
    #: Whether the columns may hold any kind of observation, in which case the user must choose the
    #: clusterings.
    observations: bool = False
    #: Whether the table is an array of numbers that was passed as an object.
    numbers: bool = False
    #: Options from the user.
    roles: TableFile = TableFile("labels", spelled="Ensemble(labels, {}={})")
    #: Library of the table object. Results for its samples are returned in the same library.
    library: FrameLibrary = "pandas"

    def error(self, message: str, advice: str = "") -> DataError:
        """An error of the table: what is wrong, and what to do."""
        return DataError(f"{self.place}: {message}." + (f" {advice}." if advice else ""))

    def sample(self, i: int) -> str:
        """The i-th sample as its table names it."""
        if self.first_row is None:
            return f"{self.kind} {i if self.samples is None else self.samples[i]}"
        called = "" if self.samples is None else f" ({self.samples[i]})"
        return f"{'row' if self.kind == 'sample' else self.kind} {i + self.first_row}{called}"

    def say(self, key: str, values: Sequence[Any]) -> str:
        """Text with which a user gives a key with one or several values."""
        if self.first_row is None:
            real = {str(name): name for name in self.names}
            values = [real.get(value, value) for value in values]
            one = len(values) == 1 and key != "columns"
            text = repr(values[0] if one else [*values])
            if self.observations and key == "missing":  # not every function of an AnnData has it
                return f"adata.obs[columns] = adata.obs[columns].replace({text}, numpy.nan)"
            return self.roles.say(key, text)
        texts = [str(value) for value in values]
        if self.roles.spelled.startswith("-"):  # in a shell
            # Use a pattern if a name has a comma, which separates names.
            texts = [re.sub(r"[,*[]", "?", text) if "," in text else text for text in texts]
            once = texts if key == "missing" else [",".join(texts)]
            options = (self.roles.say(key, quote(text)) for text in once)
            # A value that begins with - would look like an option.
            return " ".join(each.replace(f"{key} -", f"{key}=-", 1) for each in options)
        texts = [text if re.fullmatch(r"[\w.-]*\w", text) else repr(text) for text in texts]
        several = key in ("columns", "except", "missing")
        return self.roles.say(key, f"[{', '.join(texts)}]" if several else texts[0])

    def id_of(self, position: int) -> str:
        """Text with which a user declares that a column names the samples."""
        first = self.first_row is not None and position == 0 and not self.names[0]
        return self.say("id", ["first" if first else self.names[position]])

    def choose(self) -> tuple[int | None, int | None, list[int]]:
        """Positions of the column of sample names, the column of classes, and the other columns.

        Raises
        ------
        DataError
            If a column is missing, occurs twice or has no name, or if no column is left.
        """
        roles, named = self.roles, self.named()
        class_column = None if roles.classes is None else self.position("classes", roles.classes)
        others = [j for j in range(len(self.names)) if j not in (named, class_column)]
        if self.observations and not roles.columns:
            raise self.error(
                "not every column of obs is a clustering",
                f"Choose the clusterings with {self.say('columns', ['NAME', '…'])} from "
                + ", ".join(str(self.names[j]) for j in others),
            )
        left_out = {*self._matching("except", roles.without, others)}
        chosen = [
            j
            for j in self._matching("columns", roles.columns, others) or others
            if j not in left_out
        ]
        if not chosen:
            raise self.error(
                "no columns are left after id, classes and except. Name fewer columns in the three "
                "options"
            )
        used = [j for j in (named, class_column, *chosen) if j is not None]
        ((twice, times),) = Counter(used).most_common(1)
        if times > 1:
            raise self.error(
                f"column {self.names[twice]!r} is used twice, in id, classes or columns. Use each "
                "column once"
            )
        times_of = Counter(self.names)
        for j in chosen:
            if self.first_row is not None and times_of[self.names[j]] > 1:
                self.position("columns", self.names[j])  # raises an error
            if UNNAMED.match(str(self.names[j])):
                called = f"is called {self.names[j]!r}" if self.names[j] else "has no name"
                way = (
                    f"Pass {self.id_of(j)} if the column names the samples, or give the column a "
                    "name"
                )
                raise self.error(
                    f"column {j + 1} {called}", way if not j else "Give the column a name"
                )
        return named, class_column, chosen

    def named(self) -> int | None:
        """Position of the column that names the samples."""
        if self.roles.id == "first":
            return 0
        return self.id if self.roles.id is None else self.position("id", self.roles.id)

    def _matching(self, key: str, patterns: Sequence[Any], among: Sequence[int]) -> list[int]:
        """Positions of columns by their names, or by patterns, each of which matches some names."""
        positions: dict[int, None] = {}
        text = ",".join(map(str, patterns))
        if len(patterns) > 1 and text in self.names:  # a name with commas, in a shell
            patterns = [text]
        for name in patterns:
            is_pattern = isinstance(name, str) and name not in self.names and {*"*?["} & {*name}
            fits = (
                [j for j in among if fnmatchcase(str(self.names[j]), name)]
                if is_pattern
                else [self.position(key, name)]
            )
            if not fits:
                raise self.error(
                    f"{key} has the pattern {name!r}, which matches no column. The columns are "
                    f"{listed(self.names)}"
                )
            positions |= dict.fromkeys(fits)
        return [*positions]

    def position(self, key: str, name: Any) -> int:
        """Position of the only column with a name."""
        times = self.names.count(name)
        if not times:
            hint = did_you_mean(name, self.names)
            raise self.error(
                f"{key}: {name!r} is not a column{hint}",
                f"The columns are {listed(self.names, 30)}",
            )
        if times > 1:
            called = f"are called {name!r}" if name else "have no name"
            raise self.error(f"{times} columns {called}", "Give each column its own name")
        return self.names.index(name)

    def patterns(self, good: Sequence[str]) -> list[str]:
        """A pattern that matches only the names of some columns, or these names."""
        prefix = os.path.commonprefix([*good])  # noqa: RUF071 — the function checks for letters
        others = {str(name) for name in self.names} - {*good}
        if len(good) > 1 and len(prefix) > 1 and not any(n.startswith(prefix) for n in others):
            return [f"{prefix}*"]
        return [*good[:_LISTED], *(["…"] if len(good) > _LISTED else [])]


def shortened(text: Any) -> str:
    """A string from a file, shortened for a message."""
    text = str(text)
    return text if len(text) <= 60 else f"{text[:59]}…"


def listed(names: Sequence[Any], most: int = _LISTED) -> str:
    """A list of names, shortened for a message."""
    more = [f"… ({len(names)} in all)"] if len(names) > most else []
    return ", ".join([*map(shortened, names[:most]), *more])
