"""What tests of plans start from: catalogues and plans, made once."""

from typing import Any

import pytest
from snakemake.utils import update_config

from coassoc.bench.storage.configuration import load_yaml
from reproduction.findings.claims.catalogue import read_claims
from reproduction.study.catalogues import Catalogues, load_catalogues
from reproduction.study.plan import Plan
from snakemake_runs import ROOT, TWO_DATASETS

CONFIG = ROOT / "config"
#: Claims of the five papers by their names.
CLAIMS = {
    claim.name: claim
    for name in ("eccms", "lta", "rce", "acmk", "hclce")
    for claim in read_claims([f"{CONFIG}/claims/{name}.yaml"])
}


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
