"""Figures: from summaries to vector PDF and PNG, one module per kind of figure."""
