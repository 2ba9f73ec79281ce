"""Every kind of figure that a paper's file may name has a function that draws it."""

from __future__ import annotations

from importlib import import_module

import pytest

from coassoc.figures.kinds import DRAWN_BY
from coassoc.storage.configuration import load_yaml
from snakemake_runs import ROOT


def test_the_kinds_are_those_of_the_schema():
    schema = load_yaml(ROOT / "config/schemas/paper.yaml")
    figure = schema["properties"]["figures"]["additionalProperties"]
    assert set(figure["properties"]["kind"]["enum"]) == set(DRAWN_BY)


@pytest.mark.parametrize("place", DRAWN_BY.values())
def test_a_kind_has_a_function(place):
    module, function = place.split(":")
    assert function in import_module(module).__all__
