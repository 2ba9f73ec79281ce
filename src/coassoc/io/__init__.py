"""One reader of tables, which reads unambiguous tables, shows what it read, and rejects the rest.

The same reader serves labels (:mod:`~coassoc.io.labels`), features (:mod:`~coassoc.io.features`)
and draws of a posterior (:mod:`~coassoc.io.draws`), from files of every kind
(:mod:`~coassoc.io.files`).

A column is a clustering if

1. its values are whole numbers from 0 on, or texts;
2. it is not unique for each sample, as names are;
3. it has more than one value.

Over all columns there is one check: a column that agrees with no other one beyond chance is named
(:mod:`~coassoc.io.agreement`). In all of these cases the user chooses.
"""
