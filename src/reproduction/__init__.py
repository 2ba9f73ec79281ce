"""The study that reproduces the papers, from the configuration to the article."""

from pathlib import Path

#: The folder of the workflow, with all files that come with it.
PROJECT = Path(__file__).parents[2]
