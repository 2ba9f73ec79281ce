"""The catalogues and the plans of the project's configurations, made once for all tests."""

from typing import Any

import pytest
from snakemake.utils import update_config

from coassoc.plan.catalogues import Catalogues, load_catalogues
from coassoc.plan.cells import Plan
from coassoc.storage.configuration import load_yaml
from snakemake_runs import ROOT

CONFIG = ROOT / "config"


def settings(*names: str) -> dict[str, Any]:
    """The default configuration with others on top, such as "full"."""
    config = load_yaml(CONFIG / "config.yaml")
    for name in names:
        update_config(config, load_yaml(CONFIG / f"{name}.yaml"))
    return config


@pytest.fixture(scope="session")
def catalogues() -> Catalogues:
    return load_catalogues(CONFIG)


@pytest.fixture(scope="session")
def as_published(catalogues) -> Plan:
    """The plan of config/full.yaml, for tests that only look at it."""
    return Plan(settings("full"), catalogues)
