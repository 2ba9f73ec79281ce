"""Doing it: runs, times, limits, costs, progress, provenance."""
