"""What a configuration asks for: catalogues, studies, their targets and cells, keys of runs."""
