"""Batteries of data sets whose files follow one rule: ``config/batteries.yaml``.

Gagolewski's benchmark suite for clustering has six batteries. A member has a file of features and a
file for each of its reference labellings, in which 0 marks a noise point. A member whose labellings
have different numbers of classes becomes several data sets, one for each number.
"""

from pathlib import Path

from pydantic import Field

from coassoc.bench.datasets.registry import DatasetEntry, DataSource, SourceFile, Url
from coassoc.bench.storage.configuration import Count, Model, catalogue_entries


class Member(Model):
    """A data set of a battery.

    Attributes
    ----------
    n, d : int
        Numbers of samples and features.
    classes : list of int
        Number of classes of each reference labelling, in the order of their files.
    fingerprints : dict of int to str
        Fingerprints of the prepared features and labellings, for each number of classes.
    same_as : str or None
        The data set of config/datasets.yaml that has the same samples.
    """

    n: Count
    d: Count
    classes: list[Count] = Field(min_length=1)
    fingerprints: dict[int, str]
    same_as: str | None = None


class Battery(Model):
    """Data sets of one folder.

    Attributes
    ----------
    address : str
        Address of the files. ``{member}`` is replaced by the member, and ``.data.gz``,
        ``.labels0.gz``, ``.labels1.gz``, … is appended.
    """

    title: str
    licence: str
    citation: str
    terms: str | None = None
    address: Url
    members: dict[str, Member]


def load_batteries(*paths: str | Path) -> dict[str, DatasetEntry]:
    """The data sets of all batteries in catalogues such as config/batteries.yaml.

    They are named after the battery, the member and, if there are several, the number of classes:
    ``wut-x1``, ``wut-x2-K3``, ``wut-x2-K4``.
    """
    entries = [
        _entry(name, battery, member, classes)
        for _, name, battery in catalogue_entries(paths, Battery)
        for member, facts in battery.members.items()
        for classes in sorted(set(facts.classes))
    ]
    return {entry.name: entry for entry in entries}


def _entry(name: str, battery: Battery, member: str, classes: int) -> DatasetEntry:
    facts = battery.members[member]
    first = facts.classes[0]
    address = battery.address.format(member=member)
    labels = [
        SourceFile(url=f"{address}.labels{number}.gz", role="labels")
        for number, of_file in enumerate(facts.classes)
        if of_file == classes
    ]

    def called(classes: int) -> str:
        return f"{name}-{member}" + f"-K{classes}" * (len(set(facts.classes)) > 1)

    return DatasetEntry(
        name=called(classes),
        battery=name,
        battery_member=member,
        same_as=facts.same_as if classes == first else called(first),
        title=battery.title.format(member=member),
        n=facts.n,
        d=facts.d,
        classes=classes,
        licence=battery.licence,
        citation=battery.citation,
        terms=battery.terms,
        fingerprint=facts.fingerprints[classes],
        sources=[
            DataSource(
                files=[SourceFile(url=f"{address}.data.gz"), *labels],
                parser="delimited",
                arguments={"separator": "whitespace", "noise": 0},
            )
        ],
    )
