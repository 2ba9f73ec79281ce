"""Measurements of time, memory and results that take minutes to hours."""

import sys
from pathlib import Path

#: What is measured is made, and checked, by what the tests have.
sys.path.append(str(Path(__file__).parents[2] / "tests"))
