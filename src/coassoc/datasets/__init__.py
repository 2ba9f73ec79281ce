"""Data sets: the catalogue, their sources, and the conversion of files to (X, y).

==============  ==================================================================================
module          answers
==============  ==================================================================================
registry        which data sets there are and what is known of them (``config/datasets.yaml``)
sources         where their files come from: a mirror directory first, then the addresses in order
parsers         how a file becomes features and classes
preprocessing   the named steps between the file and the features that a paper clustered
prepare         all of it for one data set, and the check that it is the right one
==============  ==================================================================================
"""
