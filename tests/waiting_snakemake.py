"""Snakemake with its libraries imported, which forks for each run that it is asked for.

Importing takes longer than most dry runs do, and is the same each time. The project's own code is
not imported here: each run imports it anew, from where its PYTHONPATH says.

A line read is a request, and the exit status of its run is the line written.
"""

# ruff: noqa: F401

import json
import os
import sys

import h5py
import nbformat
import pydantic
import requests
import scipy.cluster.hierarchy
import scipy.optimize
import sklearn.cluster
import smart_open
import snakemake.report.html_reporter
from snakemake.cli import main


def become(words: list[str], environment: dict[str, str], folder: str, output: str) -> None:
    """Be the process that was asked for, and write what it says to a file.

    It does not wait for the timers that Snakemake's scheduler leaves, which do nothing any more.
    """
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for number, path in enumerate((os.devnull, output, output)):
        os.dup2(os.open(path, os.O_RDWR | os.O_APPEND), number)
    sys.path[:1] = [folder, *environment["PYTHONPATH"].split(os.pathsep)]
    sys.argv = ["snakemake", *words]
    try:
        main()
    except SystemExit as end:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(end.code if isinstance(end.code, int) else int(end.code is not None))


if __name__ == "__main__":
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            become(**json.loads(line))
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
