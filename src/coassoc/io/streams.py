"""Labels of more samples than fit into memory, grouped by DuckDB.

A consensus of labels needs the distinct rows of the table and their frequencies, which a GROUP BY
computes. The files are then read again, and each sample gets the result for its row. The rules for
labels in :mod:`coassoc.io.labels` apply to these files, too.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyarrow import parquet

from coassoc.errors import DataError, TooLargeError, message_of
from coassoc.io.files import arrow_schema, open_table
from coassoc.io.labels import labels_of
from coassoc.io.table import TableFile
from coassoc.io.text import TEXT, kind_of
from coassoc.numerics.distinct import merge_equal_rows
from coassoc.numerics.threads import thread_count

#: Number of samples in a batch.
BATCH = 2**20
#: Bytes for each label of a distinct row, while rows are read and numbered.
_BYTES_OF_LABEL = 24
#: Bytes for the name of a sample, during the search for repeated names.
_BYTES_OF_NAME = 100


@dataclass(frozen=True, eq=False)
class StoredRows:
    """The distinct rows of a table of labels in files.

    Attributes
    ----------
    labels : (n', m) integer array
        Distinct rows in lexicographic order; −1 marks a missing label.
    sizes : (n',) integer array
        Number of samples with each row.
    keys : (q,) uint64 array
        DuckDB's hashes of the q ≥ n' distinct rows as spelled in the files, all different.
    row : (q,) integer array
        The row of `labels` for each of these rows.
    """

    labels: NDArray
    sizes: NDArray[np.int64]
    keys: NDArray[np.uint64]
    row: NDArray[np.intp]

    @property
    def n_samples(self) -> int:
        """n, the number of all samples."""
        return int(self.sizes.sum())


class LabelStream:
    """A file of labels, or a folder of files whose rows are joined in the order of their names.

    Parameters
    ----------
    source : TableFile
        A Parquet file or a folder of them, and the meaning of the columns.
    memory : int
        Limit in bytes for DuckDB, and also for the distinct rows. If DuckDB needs more, it writes
        up to twice this amount to the folder of the results before it gives up.

    Attributes
    ----------
    files : list of path
    clusterings : list
        Names of the m columns that are clusterings.

    Raises
    ------
    DataError
        If a file is not found, or two files have different columns.
    """

    def __init__(self, source: TableFile, memory: int = 10**9) -> None:
        self._place = path = Path(source.file)
        every = sorted(path.iterdir()) if path.is_dir() else [path]
        self.files = [file for file in every if kind_of(file) in (".parquet", *TEXT)]
        advice = f"Pass {source.say('each-file', 'clustering')} if each file has one clustering."
        if {file.suffix.lower() for file in self.files} != {".parquet"}:
            raise DataError(
                f"{path}: files that are read together must be Parquet. Convert text files, for "
                f"example with DuckDB's COPY 'labels.csv' TO 'labels.parquet'. {advice}"
            )
        self._source = replace(source, file=str(self.files[0]))
        self._table = open_table(self._source)
        schema = None
        for file in self.files:
            other = arrow_schema(file).remove_metadata()
            schema = schema or other
            if other != schema:  # values of another type would be converted
                raise DataError(f"{file}: not the same columns as in {self.files[0]}. {advice}")
        self._memory = memory
        self._id, _, self._positions = self._table.choose()
        self._columns = ", ".join(f"c{place}" for place in self._positions)
        self._key = f"hash({self._columns})"
        self.clusterings = [self._table.names[place] for place in self._positions]

    def distinct(self, scratch: Path) -> StoredRows:
        """Read all files and group equal rows.

        Parameters
        ----------
        scratch : path
            Folder for data that do not fit into memory.

        Raises
        ------
        DataError
            If a file cannot be read, a column is not a clustering, a sample has no label, or two
            samples have the same name.
        TooLargeError
            If the distinct rows do not fit into memory.
        """
        m = len(self._positions)
        with self._database(scratch) as database:
            grouped = f"SELECT {self._columns}, count(*) AS count FROM {self._all()} GROUP BY ALL"
            database.execute(f"CREATE TEMP TABLE found AS {grouped}")
            self._check_ids(database)
            ((q,),) = database.execute("SELECT count(*) FROM found").fetchall()
            if q * m * _BYTES_OF_LABEL > self._memory:
                raise self._too_large(f"{q:,} distinct rows of labels")
            groups = database.sql(f"SELECT *, {self._key} FROM found").to_arrow_table()
        sizes, keys = groups.column(m).to_numpy(), groups.column(m + 1).to_numpy()
        if len(np.unique(keys)) < q:
            raise self._table.error(
                "two rows of labels have the same hash. Change the order of the columns"
            )
        table = replace(
            self._table,
            names=self.clusterings,
            read=lambda at: [groups.column(j) for j in at],
            kind="distinct row",
            id=None,
            roles=replace(self._source, id=None, classes=None, without=()),
        )
        encoded = labels_of(table, sizes)
        # The path may also have the word.
        about = encoded.line.removeprefix(table.place)
        self.line = table.place + about.replace("sample", "distinct row", 1)
        if without := int(sizes[~encoded.labelled].sum()):
            raise table.error(
                f"some samples ({without:,}) have no label at all. Leave out these samples"
            )
        labels, merged, row = merge_equal_rows(encoded.labels, sizes)
        return StoredRows(labels, merged, keys, row)

    def _check_ids(self, database: Any) -> None:
        """Reject samples without a name or with another sample's name, some names at a time."""
        if self._id is None:
            return
        ((n,),) = database.execute("SELECT sum(count) FROM found").fetchall()
        parts = 1 + int(n) * _BYTES_OF_NAME // self._memory
        names = f"SELECT trim(c{self._id}::VARCHAR) AS name FROM {self._all()}"
        for part in range(parts):
            repeated = database.execute(
                f"SELECT name FROM ({names}) WHERE hash(name) % {parts} = {part} "
                "GROUP BY name HAVING count(*) > 1 OR coalesce(name, '') = '' ORDER BY name LIMIT 1"
            ).fetchone()
            if repeated:
                raise self._table.error(
                    f"several samples have the id {repeated[0] or ''!r}",
                    "Give each sample its own id",
                )

    def answer(
        self,
        output: Path,
        answer: Callable[[StoredRows], Mapping[str, NDArray]],
    ) -> StoredRows:
        """Compute results for the distinct rows, and write the results of the samples as Parquet.

        Parameters
        ----------
        output : path
            File for the names of the samples, if a column has them, and the results, in the order
            of the input files. The file appears when it is complete. If the process is killed, the
            next call removes its temporary folder ``.{name}.partial``.
        answer : callable
            Function that receives the distinct rows and returns (n',) arrays by column name.

        Returns
        -------
        StoredRows

        Raises
        ------
        DataError, TooLargeError
            As for :meth:`distinct`; also if the output cannot be written.
        """
        scratch = output.with_name(f".{output.name}.partial")
        shutil.rmtree(scratch, ignore_errors=True)
        try:
            scratch.mkdir(parents=True)
            rows = self.distinct(scratch)
            written = self._answered(scratch, rows, answer(rows))
            first, done = next(written), 0
            with parquet.ParquetWriter(scratch / output.name, first.schema) as file:
                for batch in chain([first], written):
                    file.write_table(batch)
                    done += len(batch)
            if done != rows.n_samples:
                raise self._changed()
            (scratch / output.name).replace(output)
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else message_of(error)
            raise DataError(
                f"{output}: cannot write this file ({reason}). Fix this problem, or choose another "
                "folder."
            ) from error
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        return rows

    def _answered(
        self, scratch: Path, rows: StoredRows, answers: Mapping[str, NDArray]
    ) -> Iterator[Any]:
        """Batches of the samples' names and answers, as tables of Arrow."""
        import pandas as pd
        import pyarrow as pa

        keys = pd.Index(rows.keys)
        name = "" if self._id is None else f", c{self._id}"
        with self._database(scratch) as database:
            # DuckDB keeps the order of the files if the query joins no tables.
            batches = database.sql(f"SELECT {self._key}{name} FROM {self._all()}")
            for batch in batches.to_arrow_reader(BATCH):
                place = keys.get_indexer(batch.column(0).to_numpy())
                if place.min() < 0:
                    raise self._changed()
                row = rows.row[place]
                names = {} if self._id is None else {self._table.names[self._id]: batch.column(1)}
                yield pa.table({**names, **{key: answer[row] for key, answer in answers.items()}})

    def _all(self) -> str:
        """All files as DuckDB reads them.

        Columns are called c0, c1, …, because DuckDB does not distinguish names that differ only in
        the case of letters.
        """
        columns = ", ".join(f"c{place}" for place in range(len(self._table.names)))
        files = ", ".join("'" + str(file).replace("'", "''") + "'" for file in self.files)
        return f"read_parquet([{files}], hive_partitioning = false) AS labels({columns})"

    @contextmanager
    def _database(self, scratch: Path) -> Iterator[Any]:
        import duckdb

        settings: dict[str, Any] = {
            "threads": thread_count(),
            "memory_limit": f"{self._memory // 10**6}MB",
            "temp_directory": str(scratch / "duckdb"),
            "max_temp_directory_size": f"{2 * self._memory // 10**6}MB",
        }
        try:
            with duckdb.connect(config=settings) as database:
                yield database
        except duckdb.OutOfMemoryException as error:
            raise self._too_large("the distinct rows of labels") from error
        except duckdb.Error as error:
            raise DataError(
                f"{self._place}: cannot read these labels ({message_of(error)}). Write them again."
            ) from error

    def _changed(self) -> DataError:
        return self._table.error(
            "the file changed during reading. Rerun the command when the file no longer changes"
        )

    def _too_large(self, what: str) -> TooLargeError:
        return TooLargeError(
            f"{self._table.place}: {what} do not fit into {self._memory / 1000000000.0:.1f} GB of "
            "memory. Pass coarser or fewer clusterings, which need less memory."
        )
