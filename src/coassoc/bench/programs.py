"""Methods that are commands, such as scripts in R, Octave or Julia."""

import os
import re
import shlex
import subprocess
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
import scipy.io

from coassoc.errors import DataError
from coassoc.numerics.processes import end_with_parent


@dataclass
class Program:
    """A command that reads an ensemble from a file and writes a label for each sample to another.

    Parameters
    ----------
    command : str
        The command, without a shell. In its words, ``{ensemble}`` and ``{labels}`` stand for the
        paths of the files, ``{k}`` for the number of clusters, and ``{seed}`` for an integer below
        2³¹.
    format : str
        "csv": a row for each sample, a column for each base clustering, no header. "mat": a MATLAB
        file with labels (samples × base clusterings), n_clusters and seed. Clusters are numbered
        from 1.
    container, conda : str
        Image in which Apptainer runs the command, or name or path of the environment in which conda
        runs it.
    folder : str
        The command's working directory.
    files : mapping
        Hashes of the files that the command names, so that a changed file repeats the fits.
    """

    depends_on_sample_order = True

    n_clusters: int
    random_state: int | None = None
    command: str = ""
    format: Literal["csv", "mat"] = "csv"
    container: str = ""
    conda: str = ""
    folder: str = "."
    files: dict[str, str] = field(default_factory=dict)

    def fit(self, labels: Any) -> "Program":
        """Run the command on an ensemble; ``labels_`` are the clusters that it writes.

        Raises
        ------
        DataError
            If the command cannot be started, fails, or does not write one label for each sample.
        """
        table, seed = np.asarray(labels) + 1, (self.random_state or 0) % 2**31
        if (table < 1).any():
            raise DataError("a command needs complete labels, but some are missing")
        with TemporaryDirectory(prefix="coassoc-") as place:
            ensemble, found = Path(place, f"ensemble.{self.format}"), Path(place, "labels.csv")
            if self.format == "mat":
                numbers = {"n_clusters": float(self.n_clusters), "seed": float(seed)}
                scipy.io.savemat(ensemble, {"labels": table.astype(float), **numbers})
            else:
                np.savetxt(ensemble, table, fmt="%d", delimiter=",")
            values = {"ensemble": ensemble, "labels": found, "k": self.n_clusters, "seed": seed}
            fill = partial(re.sub, r"\{(\w+)\}", lambda name: str(values.get(name[1], name[0])))
            _run([*self._around(place), *map(fill, shlex.split(self.command))], self.folder)
            written = found.read_text(encoding="utf-8").split() if found.is_file() else []
        if len(written) != len(table) or {"NA", "NaN", "nan"} & {*written}:
            raise DataError(
                f"the command wrote {len(written)} labels for {len(table)} samples. Write one for "
                "each sample, without a header, each on a line"
            )
        self.labels_ = np.unique(written, return_inverse=True)[1]
        return self

    def _around(self, place: str) -> list[str]:
        """The words that run a command in its container or environment."""
        here = str(Path(self.folder).resolve())
        if self.container:
            return ["apptainer", "exec", "--bind", f"{place},{here}", "--pwd", here, self.container]
        if self.conda:
            by = "--prefix" if "/" in self.conda else "--name"
            return ["conda", "run", "--no-capture-output", by, self.conda]
        return []


def _run(words: list[str], folder: str) -> None:
    alone = end_with_parent if os.name == "posix" else None
    given: dict[str, Any] = {"cwd": folder, "stdin": subprocess.DEVNULL, "preexec_fn": alone}
    try:
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", **given)
    except OSError as error:
        raise DataError(f"{words[0]!r} cannot be started ({error.strerror})") from error
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        # R says more after the line of the error.
        told = [x for x in said if x.lower().startswith("error")] or said[-1:]
        reason = f" ({told[-1].strip()[:200]})" if told else ""
        raise DataError(f"{words[0]!r} ended with exit status {done.returncode}{reason}")
