"""Execution: runs, timing, limits, costs, progress, provenance."""
