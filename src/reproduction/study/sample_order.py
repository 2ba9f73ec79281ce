"""Which of the library's methods read the order of the samples, as ``coassoc audit`` measured it.

``make sample-order`` measures again what ``sample_order.csv`` has of an earlier revision.
"""

from __future__ import annotations

import csv
from pathlib import Path

#: The file of the library's methods.
FILE = Path(__file__).with_name("sample_order.csv")


def read_sample_order() -> dict[str, dict[str, str]]:
    """Method → code, answer ("yes" if it reads the order) and evidence."""
    with FILE.open(newline="", encoding="utf-8") as file:
        return {line.pop("method"): line for line in csv.DictReader(file)}


def reads_order(method: str, declared: bool) -> bool:
    """Whether a method reads the order: as measured, or, of a user's own, as its class says."""
    measured = read_sample_order().get(method)
    return declared if measured is None else measured["answer"] == "yes"
