"""The training of the scorer of ``EnsembleClusterer``: ``make scorer``."""
