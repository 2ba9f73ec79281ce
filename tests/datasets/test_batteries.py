"""Batteries of data sets, and the rule that their files follow."""

import pytest

from coassoc.datasets.batteries import load_batteries
from coassoc.errors import ConfigError


def test_labellings_of_one_number_of_classes_are_one_data_set(project):
    entries = load_batteries(project / "config/batteries.yaml")
    assert len({(entry.battery, entry.battery_member) for entry in entries.values()}) == 73
    assert len(entries) == 89 and {"wut-x1", "wut-x2-K3", "wut-x2-K4"} <= {*entries}
    fuzzy = entries["graves-fuzzyx-K2"]
    ends = [file.url.partition("/graves/")[2] for file in fuzzy.sources[0].files]
    assert ends == [f"fuzzyx.{end}.gz" for end in ("data", "labels1", "labels3", "labels4")]
    assert (fuzzy.name, fuzzy.classes, fuzzy.n) == ("graves-fuzzyx-K2", 2, 1000)
    assert all(entry.may_have_classes and entry.terms for entry in entries.values())


@pytest.mark.parametrize(
    ("member", "message"),
    [
        ("{n: 9, d: 2, classes: [2]}", "b.members.m lacks the key 'fingerprints'"),
        ("{n: 9, d: 2, classes: [2], fingerprints: {3: x}}", "m has .* for different numbers"),
        ("{n: 9, d: 2, classes: [], fingerprints: {}}", "b.members.m.classes is empty"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path, member, message):
    path = tmp_path / "own.yaml"
    about = "title: t, licence: l, citation: c, address: 'https://a.org/{member}'"
    path.write_text(f"b: {{{about}, members: {{m: {member}}}}}")
    with pytest.raises(ConfigError, match=message):
        load_batteries(path)
