"""Measure which methods read the order of the samples: ``make sample-order``.

A method whose line is of the present revision of its code is not measured again; those that choose
their number of clusters are never ranked, nor measured.
"""

from __future__ import annotations

import csv
import io

from coassoc.atomic import write_text
from coassoc.bench.audit import order_finding
from coassoc.bench.limits import Limits
from coassoc.bench.own_methods import own_method
from coassoc.methods import METHODS
from reproduction.study.sample_order import FILE, read_sample_order

_LIMITS = Limits(minutes=30)


def measure() -> None:
    """Bring the file up to date, a method at a time."""
    known = read_sample_order()
    for name in METHODS:
        if METHODS.method(name).n_clusters_is == "chosen":
            continue
        own = own_method(name)
        code = own.method.code
        if known.get(name, {}).get("code") == code:
            continue
        finding = order_finding(own, _LIMITS)
        known[name] = {"code": code, "answer": finding.answer, "evidence": finding.evidence}
        print(f"{name}: {finding.answer}. {finding.evidence}", flush=True)
        _write({name: known[name] for name in METHODS if name in known})


def _write(lines: dict[str, dict[str, str]]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, ["method", "code", "answer", "evidence"], lineterminator="\n")
    writer.writeheader()
    writer.writerows({"method": name, **line} for name, line in lines.items())
    write_text(FILE, text.getvalue())


if __name__ == "__main__":
    measure()
