"""Whether the code of a version can be had, of a repository made for it and of the kept lines."""

import subprocess

import pandas as pd
import pytest

from reproduction import origin, versions


@pytest.fixture
def repository(tmp_path):
    def git(*words):
        named = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
        done = subprocess.run(["git", *named, *words], cwd=tmp_path, capture_output=True, text=True)
        return done.stdout.strip()

    git("init")
    git("commit", "--allow-empty", "-m", "first")
    return tmp_path, git("rev-parse", "--short", "HEAD")


def test_what_is_no_commit_and_what_differed_from_one_is_told(repository):
    folder, commit = repository
    changed, other = f"{commit}+changes", "0123abc" if commit[0] != "0" else "1234abc"
    found = versions.versions_in_doubt(
        [commit, changed, other, f"{other}+changes", "unknown"], folder
    )
    assert set(found) == {changed, other, f"{other}+changes", "unknown"}
    assert found[changed].startswith("files differed from this commit")
    assert found[other] == found[f"{other}+changes"]
    assert found[other].startswith("no commit of this repository")


def test_outside_a_repository_nothing_is_claimed(tmp_path):
    found = versions.versions_in_doubt(["0123abc"], tmp_path)
    assert found["0123abc"].startswith("not checked")


def test_lines_in_doubt_are_counted_with_their_methods(tmp_path, monkeypatch, capsys):
    lines = {"commit": ["aaaaaaa", "bbbbbbb", "bbbbbbb", None], "code": ["M 1", "N 1", "M 1", None]}
    pd.DataFrame(lines).to_parquet(tmp_path / "scores.parquet")
    pd.DataFrame(lines)[1:2].to_parquet(tmp_path / "ranking_scores.parquet")
    monkeypatch.setattr(versions, "_commits", lambda names, repository: {"aaaaaaa"})
    table = versions.kept_in_doubt(tmp_path)
    assert table[["lines", "methods"]].to_dict("index") == {
        "bbbbbbb": {"lines": 3, "methods": "M 1, N 1"}
    }
    origin.main(["--versions", str(tmp_path)])
    assert "bbbbbbb: 3 lines; no commit of this repository has this name" in capsys.readouterr().out


def test_a_number_without_a_commit_says_so():
    step = origin.Link("run", "run.h5", {"commit": "unknown"})
    assert origin._with_doubts(step).facts["in doubt"].startswith("unknown: no repository")
