"""Files: records, HDF5, the journal of a run, configuration, and untrusted HDF5."""
