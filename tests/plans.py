"""What tests of plans start from: catalogues and plans, made once."""

from typing import Any

import pytest
from snakemake.utils import update_config

from coassoc.storage.configuration import load_yaml
from coassoc.storage.records import Cell
from reproduction.plan.catalogues import Catalogues, load_catalogues
from reproduction.plan.keys import Source
from reproduction.plan.planning import Plan
from reproduction.plan.studies import Target
from snakemake_runs import ROOT, TWO_DATASETS

CONFIG = ROOT / "config"


def settings(*names: str) -> dict[str, Any]:
    """That of two data sets with others on top, such as "full"."""
    config = load_yaml(TWO_DATASETS)
    for name in names:
        update_config(config, load_yaml(CONFIG / f"{name}.yaml"))
    return config


@pytest.fixture(scope="session")
def catalogues() -> Catalogues:
    return load_catalogues(CONFIG)


@pytest.fixture(scope="session")
def by_default(catalogues) -> Plan:
    """The plan of two data sets, for tests that only look at it."""
    return Plan(settings(), catalogues)


@pytest.fixture(scope="session")
def as_published(catalogues) -> Plan:
    """The plan of config/full.yaml, for tests that only look at it."""
    return Plan(settings("full"), catalogues)


def by_place(target: Target) -> dict[tuple[str, str], Cell]:
    """The cells of a target by their rows and data sets."""
    return {(cell.row, cell.dataset): cell for cell in target.cells}


def runs_of(cell: Cell) -> list[Source]:
    """Those sources of a cell that are runs: one, or the candidates of a tuned row."""
    return [source for source in map(Source.parse, cell.sources) if source.block]


def points_of(run: Source, plan: Plan) -> list[dict[str, Any]]:
    """The parameter points of a run."""
    declared = plan.catalogues.methods[run.method].parameters
    return run.parameter_points(declared)


def mistakes(table: str) -> list[tuple[str, ...]]:
    """The cells of a table of mistakes, the last one a pattern of what is said.

    A line that begins with a bar continues the one above.
    """
    lines = table.strip().replace("\n    | ", " | ").splitlines()
    return [tuple(line.split(" | ")) for line in lines]
