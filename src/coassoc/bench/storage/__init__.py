"""Files: records, HDF5, the journal of a run, and configuration."""
