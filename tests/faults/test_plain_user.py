"""A user without privileges, without a home, and with a project that he may not write to.

The test needs root, to become somebody else. The other user may read everything, since the
interpreter may lie in root's home, but can write to his own folder only.
"""

import os
import pwd
import shutil
import subprocess
from pathlib import Path

import pytest

from coassoc.bench.storage.hdf5 import read_run
from snakemake_runs import ROOT, command, environment, said, write_configuration

TARGET = "results/runs/kmeans-small/Wine/m20/LWEA/default.h5"
#: Capabilities of the other user: to read what he may not.
READING = "-all,+dac_read_search"


@pytest.mark.skipif(os.geteuid() != 0, reason="not root: all tests run as a plain user")
@pytest.mark.skipif(not shutil.which("setpriv"), reason="setpriv (of util-linux) is not installed")
def test_a_plain_user_without_a_home_runs_the_workflow(finished, tmp_path):
    folder, nobody = tmp_path / "work", pwd.getpwnam("nobody")
    finished.copy_data(folder)
    configuration = write_configuration(folder)
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    who = ["setpriv", "--reuid", str(nobody.pw_uid), "--regid", str(nobody.pw_gid)]
    who += ["--clear-groups", "--inh-caps", READING, "--ambient-caps", READING]
    who += ["--bounding-set", READING]
    variables = {name: value for name, value in environment().items() if name != "HOME"}
    variables["XDG_CACHE_HOME"] = str(folder / "cache")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*who, *words], env=variables, capture_output=True, text=True)

    assert run("touch", str(ROOT / "x")).returncode != 0
    done = run(*command(folder, *configuration, "--", TARGET))
    assert done.returncode == 0, said(done)[-3000:]
    results = read_run(folder / TARGET).results
    assert {result.status for result in results[0]} == {"ok"}
    assert {path.stat().st_uid for path in Path(folder).rglob("results/*")} == {nobody.pw_uid}
