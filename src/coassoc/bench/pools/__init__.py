"""Pools of the study: their settings, draws, and files."""
