"""Snakemake with its libraries imported, which forks for each run that it is asked for.

Importing takes longer than most dry runs and most jobs do, and is the same each time. The project's
own code is not imported here: each run imports it anew, from where its PYTHONPATH says. The script
of a job runs in a fork of its Snakemake.

All processes of the tests connect to it, at the address that it is given. A line that one of them
writes is a request, and the exit status of its run is the answer. It ends after the last of them.
"""

# ruff: noqa: F401

import gc
import json
import os
import runpy
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from socketserver import ForkingMixIn, StreamRequestHandler, UnixStreamServer
from subprocess import CalledProcessError
from typing import Any

import h5py
import matplotlib.backends.backend_agg
import matplotlib.backends.backend_pdf
import matplotlib.figure
import nbformat
import numba
import pandas
import pyarrow.parquet
import pydantic
import requests
import scipy.cluster.hierarchy
import scipy.optimize
import sklearn.cluster
import smart_open
import snakemake.report.html_reporter
from snakemake.benchmark import benchmarked
from snakemake.cli import get_argument_parser, main
from snakemake.script import PythonScript


def fork(work: Callable[..., Any], *arguments: Any) -> int:
    """Start a call in a forked process, and return the number of the process.

    It does not wait for the timers that Snakemake's scheduler leaves, which do nothing any more.
    Nor do its collections of garbage look through what is here already.
    """
    gc.freeze()
    if process := os.fork():
        return process
    code: Any = 0
    try:
        work(*arguments)
    except SystemExit as end:
        code = end.code
    except BaseException:
        code = traceback.format_exc()
    if isinstance(code, str):
        print(code, file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


def become(words: list[str], environment: dict[str, str], folder: str, output: str) -> None:
    """Be the Snakemake that was asked for, and write what it says to a file."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for number, path in enumerate((os.devnull, output, output)):
        os.dup2(os.open(path, os.O_RDWR | os.O_APPEND), number)
    sys.path[:1] = [folder, *environment["PYTHONPATH"].split(os.pathsep)]
    sys.argv = ["snakemake", *words]
    main()


def run_script(script: PythonScript, command: str, fname: str, **options: Any) -> None:
    """Run the script of a job in a fork, where Snakemake would start Python anew."""
    process = fork(run_as_program, fname, str(script.threads))
    with benchmarked(process, script.bench_record):
        _, status = os.waitpid(process, 0)
    if status:
        raise CalledProcessError(os.waitstatus_to_exitcode(status), command)


def run_as_program(path: str, threads: str) -> None:
    os.environ["OMP_NUM_THREADS"] = threads
    runpy.run_path(path, run_name="__main__")


class Requests(StreamRequestHandler):
    """The requests of a process, one after the other."""

    def handle(self) -> None:
        for line in self.rfile:
            run = fork(lambda request: become(**request), json.loads(line))
            _, status = os.waitpid(run, 0)
            self.wfile.write(f"{os.waitstatus_to_exitcode(status)}\n".encode())


class Server(ForkingMixIn, UnixStreamServer):
    timeout = 60

    def serve(self) -> None:
        """Serve until all that have connected are gone."""
        self.handle_request()
        self.timeout = 1
        while self.active_children:
            self.handle_request()


if __name__ == "__main__":
    PythonScript._execute_cmd = run_script
    get_argument_parser()  # looks for plugins
    numba.njit("float64(float64)")(lambda x: x)  # starts the compiler
    address = Path(sys.argv[1])
    address.unlink(missing_ok=True)
    with Server(str(address), Requests) as server:
        print("ready", flush=True)
        server.serve()
        address.unlink()
        server.serve()  # who connected in that moment
