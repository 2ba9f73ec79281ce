"""Data sets: the catalogue, their sources, and the conversion of files to (X, y).

==============  ==================================================================================
module          content
==============  ==================================================================================
registry        the data sets and their properties (``config/datasets.yaml``)
sources         origins of their files: first a mirror directory, then the addresses in order
parsers         conversion of a file to features and classes
preprocessing   named steps from the features in a file to the features that a paper clustered
prepare         all steps for one data set, and a check that the result is correct
==============  ==================================================================================
"""
