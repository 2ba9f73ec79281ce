"""The papers' own numbers, and why a configuration does not make some of them."""

from __future__ import annotations

from collections.abc import Mapping

from coassoc.plan.artefacts import Artefact
from coassoc.plan.catalogues import Catalogues
from coassoc.plan.choices import Choices
from coassoc.plan.papers import Entry

__all__ = ["name_in_published", "names_in_published", "published_numbers", "why_missing"]


def published_numbers(catalogues: Catalogues) -> list[dict[str, str]]:
    """Every published number, with this project's names of the data sets."""
    aliases = {name: paper.aliases for name, paper in catalogues.papers.items()}
    return [
        {**number, "dataset": aliases[number["paper"]].get(number["dataset"], number["dataset"])}
        for number in catalogues.published
    ]


def name_in_published(artefact: Artefact) -> str:
    """Name of a table in published.csv."""
    return str(artefact.spec.get("published", artefact.name))


def names_in_published(artefact: Artefact) -> list[str]:
    """Names in published.csv of the tables beside whose numbers its own stand."""
    return list(artefact.spec.get("compared_with", [name_in_published(artefact)]))


def why_missing(number: Mapping[str, str], table: Artefact, entry: Entry, choices: Choices) -> str:
    """Why a table does not have a published number; empty if it has.

    Parameters
    ----------
    number : mapping
        A line of published.csv.
    table : Artefact
        The table to which it belongs.
    entry : Entry
        The table's entry in its paper's file.
    choices : Choices
        What the configuration chooses.
    """
    if number["method"] not in {entry.paper.label(row) for row in entry.rows}:
        return "method not available"
    if number["method"] not in {cell.label for cell in table.cells}:
        return "the configuration leaves the method out"
    if number["dataset"] == "mean":
        others = bool(choices.instead(entry, "datasets"))
    else:
        others = number["dataset"] not in {cell.dataset for cell in table.cells}
    return "the configuration takes other data sets" if others else ""
