"""What a configuration asks for: catalogues, names of runs, artefacts, expansion."""
