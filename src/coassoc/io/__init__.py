"""The reader of tables, which reports what it read, and rejects ambiguous tables.

The same reader handles labels (:mod:`~coassoc.io.labels`), features (:mod:`~coassoc.io.features`)
and posterior draws (:mod:`~coassoc.io.chains`) in all file formats (:mod:`~coassoc.io.files`).

A column is a clustering if

1. its values are non-negative integers or strings;
2. its values do not all differ, as the values of names do;
3. it has more than one value.

A further check compares the columns: it reports a column that agrees with no other column more than
expected by chance (:mod:`~coassoc.io.column_checks`). In all of these cases the user decides.
"""
