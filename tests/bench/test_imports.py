"""What is imported where only POSIX systems have it."""

import subprocess
import sys


def test_methods_are_compared_and_audited_where_there_is_neither_fcntl_nor_resource():
    code = """
import sys
sys.modules.update(dict.fromkeys(["fcntl", "resource"]))
import coassoc.bench.audit, coassoc.bench.compare, coassoc.bench.exchange, coassoc.bench.pages
from coassoc.bench.limits import NO_LIMITS
audit = coassoc.bench.audit.audit(lambda labels: labels[:, 0], sizes=(), limits=NO_LIMITS)
print(audit.findings[0].answer)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("no\n", 0), done.stderr
