"""Methods that are commands."""

import re
import shutil
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from coassoc.bench.catalogue import load_methods
from coassoc.bench.fits import fit
from coassoc.bench.limits import Limits, limited
from coassoc.bench.own_methods import own_method, tuned
from coassoc.bench.storage.records import Outcome, RepeatResult
from coassoc.errors import ConfigError, DataError
from coassoc.methods import METHODS
from ensembles import noisy_ensemble
from refusals import cases, refused

PAGE = Path(__file__).parents[2] / "docs/howto/extend.md"
LABELS = noisy_ensemble(60, 8, 3, seed=0)


def method_of(folder: Path, command: str, more: str = ""):
    (folder / "methods.yaml").write_text(f"Mine: {{command: {command!r}{more}}}\n")
    return load_methods(folder / "methods.yaml")["Mine"]


def labels_by(folder: Path, command: str, more: str = "", seed: int = 5) -> np.ndarray:
    estimator = method_of(folder, command, more).factory(n_clusters=3, random_state=seed)
    return fit(estimator, LABELS).labels_


def test_a_command_reads_the_ensemble_and_writes_labels(tmp_path):
    labels = labels_by(tmp_path, 'sh -c "cut -d, -f2 {ensemble} > {labels}"')
    np.testing.assert_array_equal(labels, np.unique(LABELS[:, 1], return_inverse=True)[1])
    # Its number of clusters and seed; it runs in the folder of its file.
    (tmp_path / "mine.py").write_text(
        "import sys, pathlib\n_, e, out, k, seed = sys.argv\n"
        "labels = [(i + int(seed)) % int(k) for i, _ in enumerate(open(e))]\n"
        "pathlib.Path(out).write_text('\\n'.join(map(str, labels)))\n"
    )
    labels = labels_by(tmp_path, f"{sys.executable} mine.py {{ensemble}} {{labels}} {{k}} {{seed}}")
    np.testing.assert_array_equal(labels, (np.arange(60) + 5) % 3)


def test_a_changed_script_is_other_code(tmp_path):
    (tmp_path / "mine.R").write_text("1")
    first = method_of(tmp_path, "Rscript mine.R {ensemble} {labels}").record()
    (tmp_path / "mine.R").write_text("2")
    assert first != method_of(tmp_path, "Rscript mine.R {ensemble} {labels}").record()


@refused(
    DataError,
    ("no-such-program {ensemble} {labels}", "'no-such-program' cannot be started"),
    ('sh -c "echo too bad; exit 3" {ensemble} {labels}', r"exit status 3 \(too bad\)"),
    ('sh -c "(echo Error: bad; echo stopped) >&2; exit 1" {ensemble} {labels}', "(Error: bad)"),
    ("true {ensemble} {labels}", "wrote 0 labels for 60 samples"),
    ('sh -c "(echo x; cut -d, -f1 {ensemble}) > {labels}"', "wrote 61 labels for 60 samples"),
)
def test_a_failure_of_a_command_is_one_sentence(command, tmp_path):
    labels_by(tmp_path, command)


@refused(
    ConfigError,
    ("command: 'a {ensemble}'", "Mine has a command without {labels}"),
    ("command: 'a {ensemble} {labels}', estimator: 'a:B'", "either the key 'estimator' or"),
    ("estimator: 'a:B', conda: e", "the key 'conda', which does not belong"),
    ('command: "a \' {ensemble} {labels}"', "No closing quotation"),
    ("command: 'a {ensemble} {labels}', conda: e, container: c", "Keep one of the two"),
)
def test_a_mistake_in_the_entry_is_one_sentence(entry, tmp_path):
    (tmp_path / "methods.yaml").write_text(f"Mine: {{{entry}}}\n")
    load_methods(tmp_path / "methods.yaml")


@pytest.mark.parametrize("kind", ["container", "conda"])
def test_a_container_or_environment_runs_the_command(kind, tmp_path, monkeypatch):
    """A program of this name on the path stands for Apptainer or conda."""
    program = tmp_path / {"container": "apptainer", "conda": "conda"}[kind]
    program.write_text(
        '#!/bin/sh\necho "$@" > ' + str(tmp_path / "given") + "\n"
        'while [ "$1" != sh ]; do shift; done\n"$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    command = 'sh -c "cut -d, -f1 {ensemble} > {labels}"'
    assert len(labels_by(tmp_path, command, f", {kind}: some-image")) == 60
    given = (tmp_path / "given").read_text()
    begin = "exec --bind /" if kind == "container" else "run --no-capture-output --name some-image "
    assert given.startswith(begin) and "some-image sh -c" in given


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits need Linux")
def test_a_limit_ends_the_command_too(tmp_path):
    waits = tmp_path / "waits.py"
    note = "open('process', 'w').write(str(os.getpid()))"
    waits.write_text(f"import os, time\n{note}\ntime.sleep(60)\n")
    method = method_of(tmp_path, f"{sys.executable} {waits} {{ensemble}} {{labels}}")

    def run() -> RepeatResult:
        return RepeatResult(fit(method.factory(n_clusters=3), LABELS).labels_)

    with limited(run, Limits(minutes=0.03)) as fit_in_time:
        assert fit_in_time().outcome is Outcome.TOO_SLOW
    time.sleep(0.2)
    command = Path("/proc", (tmp_path / "process").read_text(), "cmdline")
    assert not command.exists() or not command.read_bytes()  # as of a process that has ended


def labels_by_page(folder: Path, name: str, file: str, program: str) -> np.ndarray:
    """Labels by a script of the page, with its entry there."""
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    page = PAGE.read_text(encoding="utf-8")
    (script,) = re.findall(rf"^```.*\n[#%] {file}\n(.*?)^```", page, re.S | re.M)
    (folder / file).write_text(script)
    (entry,) = re.findall(rf"^({name}:\n(?:  .*\n)+)", page, re.M)
    (folder / "methods.yaml").write_text(entry)
    make = load_methods(folder / "methods.yaml")[name].factory
    return fit(make(n_clusters=3, random_state=0), LABELS).labels_


def test_a_script_in_r(tmp_path):
    labels = labels_by_page(tmp_path, "EAC-R", "eac.R", "Rscript")
    same = METHODS["EAC-AL"](n_clusters=3).fit_predict(LABELS)
    assert len({*zip(labels, same, strict=True)}) == 3


def test_a_script_in_octave(tmp_path):
    labels = labels_by_page(tmp_path, "Medoid", "medoid.m", "octave-cli")
    together = [(column[:, None] == column).ravel() for column in LABELS.T]
    agreement = [sum((x == y).sum() for y in together) for x in together]
    best = LABELS[:, int(np.argmax(agreement))]
    np.testing.assert_array_equal(labels, np.unique(best, return_inverse=True)[1])


# -- OWN METHODS -----------------------------------------------------------------------------------

# Own methods as a command names them.


FOLDER = Path(__file__).parent
CHEATS = FOLDER / "cheats.py"


@cases(
    "text, row, name, values",
    ("LWEA", "LWEA", "LWEA", {}),
    ("LWEA(theta=0.2)", "LWEA(theta=0.2)", "LWEA", {"theta": 0.2}),
    ("mine=LWEA", "mine", "mine", {}),
    (f"{CHEATS}:Honest", "Honest", "Honest", {}),
    (f"a = {CHEATS}:Tunable( theta = 2 )", "a", "a", {"theta": 2}),
    ("coassoc.methods.lwe:LWEA", "LWEA", "LWEA", {}),
)
def test_a_method_is_a_class_or_a_name_with_its_parameters(text, row, name, values):
    own = own_method(text)
    assert (own.row, own.method.name, own.values) == (row, name, values)
    assert own.method.factory(n_clusters=2, random_state=0, **own.values)


@refused(
    ConfigError,
    ("LWEE", "neither a method of coassoc .* Write it as mymethod.py:MyMethod"),
    ("nowhere.py:Mine", "file nowhere.py not found"),
    ("LWEA(theta=0)", "theta of LWEA is 0. It must be a number greater than 0"),
    ("LWEA(alpha=1)", "unknown parameter of LWEA 'alpha'. Choose from theta"),
    ("LWEA(theta=x)", "Write them as"),
)
def test_a_mistake_is_one_sentence(text):
    own_method(text)


def test_a_file_is_not_taken_for_a_module_of_the_same_name(tmp_path):
    (tmp_path / "random.py").write_text("class Mine:\n    def fit(self, labels): ...\n")
    with pytest.raises(ConfigError, match=r"another module is called 'random'. Rename the file"):
        own_method(f"{tmp_path / 'random.py'}:Mine")


def test_a_grid_leaves_out_what_is_given():
    own = tuned(own_method(f"{CHEATS}:Tunable"))
    assert own.grid == [{"theta": theta} for theta in (0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4)]
    with pytest.raises(ConfigError, match="none of the parameters declares a grid"):
        tuned(own_method(f"{CHEATS}:Tunable(theta=1)"))
