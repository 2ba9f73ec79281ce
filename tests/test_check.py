"""`make check` and the kernels that the study asks for."""

import os
import platform
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from coassoc.bench.provenance import kernel, versions
from refusals import cases
from reproduction import PROJECT
from reproduction.running import kernels
from reproduction.running.kernels import PINNED, VARIABLE, can_run_pinned, pin_kernel

about_kernels = runpy.run_path(str(PROJECT / "release/check.py"))["about_kernels"]


def processors(folder: Path, features: str) -> Path:
    path = folder / "cpuinfo"
    path.write_text(f"processor\t: 0\nmodel name\t: one\nflags\t\t: fpu {features} sse2\n")
    return path


def test_the_kernels_are_pinned_where_they_can_run(tmp_path):
    with_avx2, without = processors(tmp_path, "avx2"), tmp_path / "none"
    assert can_run_pinned("x86_64", with_avx2) and not can_run_pinned("aarch64", with_avx2)
    assert not can_run_pinned("x86_64", without)
    assert not can_run_pinned("x86_64", processors(tmp_path, "avx avx512f"))


@cases("can, asked, expected", (True, "", PINNED), (True, "Nehalem", "Nehalem"), (False, "", None))
def test_other_kernels_that_were_asked_for_stay(monkeypatch, can, asked, expected):
    monkeypatch.setattr(kernels, "can_run_pinned", lambda: can)
    environment = {VARIABLE: asked} if asked else {}
    pin_kernel(environment)
    assert environment.get(VARIABLE) == expected


@pytest.mark.skipif(
    platform.machine() != "x86_64" or kernel() == "unknown", reason="no OpenBLAS of x86-64"
)
def test_the_kernel_is_the_one_that_openblas_was_asked_for():
    words = "from coassoc.bench.provenance import kernel; print(kernel())"
    environment = {**os.environ, VARIABLE: "Nehalem"}
    command = [sys.executable, "-c", words]
    out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "Nehalem"


def test_no_result_depends_on_the_kernel():
    assert kernel() not in versions().values()
