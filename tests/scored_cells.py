"""Score files of a few rows, the cells of a table that reads them, and pages as they are read."""

import json
import re
from contextlib import nullcontext
from types import SimpleNamespace

import pandas as pd
import pytest

from coassoc.bench.storage.records import Cell
from coassoc.bench.summaries import summarize


def score_frame(points):
    return pd.DataFrame(
        [
            {"parameters": json.dumps(p), "repeat": i, "status": "ok", "ARI": ari, "seconds": 1.0}
            for p, values in points
            for i, ari in enumerate(values)
        ]
    )


def run_scores(*values, **columns):
    """Scores of a run at one point, one in each repeat."""
    return score_frame([({}, values)]).assign(**columns)


def cell(row, sources, dataset="A", **changes):
    return Cell(row, dataset, **{"pool": "p", "m": 20, "sources": sources, **changes})


def analysis_job(folder, evidence, monkeypatch):
    """The files of an analysis, and the job that makes them of the evidence."""
    monkeypatch.setattr("reproduction.analyses.job", nullcontext)
    monkeypatch.setattr("reproduction.analyses.read_evidence", lambda job: evidence)
    paths = {end: folder / f"a.{end}" for end in ("csv", "md", "html")}
    return paths, SimpleNamespace(output=paths, log=[""])


def numbers_in(text):
    """All numbers in order, which stay the same when sentences change."""
    return " ".join(re.findall(r"-?\d+(?:\.\d+)?", text))


def known_of(repeats):
    """What yardsticks know of the paper of :func:`card_of`."""
    return {"p": {"repeats": repeats, "stated": True, "tables": ["t"], "single": []}}


def card_of(lines, repeats, spread, pool="kmeans-c"):
    """A scorecard of a paper, of lines with its data sets, methods, means and reproduced means."""
    card = pd.DataFrame(lines).assign(std=spread, reproduced_std=spread, repeats=repeats)
    card = card.assign(paper="p", table="t", metric="ACC", distance=False, reference=None)
    runs = pool + "/" + card["dataset"] + "/m10/" + card["method"] + "/default"
    return card.assign(verdict="within 2 sd", repeats_cell="", parameters="{}", run=runs)


def as_read(page):
    """A page in Markdown with all white space as single blanks, and the cells of its tables."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines()]
    return " ".join(page.split()), rows


@pytest.fixture
def scores():
    return {
        "one": run_scores(0.2, 0.4),
        "grid": score_frame([({"alpha": 0.7}, [0.5, 0.7]), ({"alpha": 0.8}, [0.8, 0.2])]),
        "base": pd.DataFrame({"clustering": [0, 1, 2], "ARI": [0.1, 0.2, 0.6]}),
        "reference": pd.DataFrame(
            [
                {"reference": name, "repeat": i, "status": "ok", "ARI": ari}
                for name, values in {"ensemble-best": [0.2, 0.6], "truth": [1.0, 1.0]}.items()
                for i, ari in enumerate(values)
            ]
        ),
    }


@pytest.fixture
def summary(scores):
    cells = [
        cell("one", ["one"]),
        cell("tuned", ["grid"], tune="ARI"),
        cell("point", ["grid"], point={"alpha": 0.8}),
        cell("Base clusterings (average)", ["base"], reference="mean"),
        cell("Base clusterings (best)", ["base"], reference="best"),
        cell("Best of the ensemble", ["reference"], reference="ensemble-best"),
        cell("True classes", ["reference"], reference="truth"),
    ]
    return summarize(cells, scores, {"ARI": "ARI"})
