"""The library where the system is not POSIX, as on Windows."""

import os
import subprocess
import sys

from coassoc.methods import METHODS

#: What Python has on POSIX systems only, hidden before the library is imported.
HIDDEN = """
import os, sys
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
for name in ("fork", "getuid", "register_at_fork", "sched_getaffinity", "sysconf"):
    delattr(os, name)
"""
#: A loop that nobody has compiled yet.
LOOP = """
from coassoc.numerics.compiled import compiled

@compiled("f(f1)")
def first(x):
    return x[0]
"""
FIT = """
import coassoc, coassoc.bench.audit, coassoc.bench.compare, coassoc.bench.exchange
import coassoc.confidence, coassoc.consensus, coassoc.selection
from coassoc.bench.limits import NO_LIMITS
from coassoc.methods import METHODS

classes = [METHODS.method(name).estimator for name in METHODS]
labels = [[0, 1, 0], [0, 1, 0], [1, 0, 1], [1, 0, 0]]
found = METHODS["LWEA"](2).fit_predict(labels)
print(len(classes), found, coassoc.find_consensus(labels, 2).labels)
audit = coassoc.audit(lambda labels: labels[:, 0], sizes=(), limits=NO_LIMITS)
print(audit.findings[0].answer)

import loop, numpy
print(loop.first(numpy.ones(2)))
"""


def test_the_library_does_without_posix(tmp_path):
    (tmp_path / "loop.py").write_text(LOOP)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    command = [sys.executable, "-c", HIDDEN + FIT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{len(METHODS)} [0 0 1 1] [0 0 1 1]\nno\n1.0\n"
    assert [*tmp_path.glob("__pycache__/*.nbi")]
