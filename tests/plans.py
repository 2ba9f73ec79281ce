"""What tests of plans start from: catalogues and plans, made once."""

from typing import Any

import pytest
from snakemake.utils import update_config

from coassoc.storage.configuration import load_yaml
from reproduction.study.catalogues import Catalogues, load_catalogues
from reproduction.study.plan import Plan
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
def as_published() -> Plan:
    """The plan of config/full.yaml, for tests that only look at it; nothing is written."""
    return Plan(settings("full"))


def mistakes(table: str) -> list[tuple[str, ...]]:
    """The cells of a table of mistakes, the last one a pattern of what is said.

    A line that begins with a bar continues the one above.
    """
    lines = table.strip().replace("\n    | ", " | ").splitlines()
    return [tuple(line.split(" | ")) for line in lines]
