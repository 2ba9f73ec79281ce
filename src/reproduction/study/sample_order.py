"""Dependence of the library's methods on sample order, as measured by ``coassoc audit``.

``make sample-order`` repeats the measurements of earlier revisions in ``sample_order.csv``.
"""

import csv
from pathlib import Path

#: The file of the library's methods.
FILE = Path(__file__).with_name("sample_order.csv")


def read_sample_order() -> dict[str, dict[str, str]]:
    """Method → code, answer ("yes" if it depends on sample order) and evidence."""
    with FILE.open(newline="", encoding="utf-8") as file:
        return {line.pop("method"): line for line in csv.DictReader(file)}


def reads_order(method: str, declared: bool) -> bool:
    """Whether a method depends on sample order: as measured, or as a user's class declares."""
    measured = read_sample_order().get(method)
    return declared if measured is None else measured["answer"] == "yes"
