"""The configuration, checked and expanded, and what the names in paths may be.

Needs:  config, config/*.yaml
Makes:  EXPERIMENTS, everything that the configuration asks for
        JOBS, which knows for each job its inputs, parameters, memory and time
"""

from pathlib import Path

from coassoc.errors import CoassocError
from coassoc.plan.catalogues import load_catalogues
from coassoc.plan.experiments import Experiments
from coassoc.running.jobs import Jobs
from coassoc.storage.configuration import load_yaml, validate

ROOT = Path(workflow.basedir)


def read_configuration():
    """Check the configuration and expand it to everything that has to be made."""
    try:
        # Snakemake reads these files without a word on a key that stands twice.
        for path in workflow.configfiles:
            load_yaml(path)
        validate(dict(config), ROOT / "config" / "schemas" / "config.yaml", "config")
        return Experiments(config, load_catalogues(ROOT / "config", config))
    except CoassocError as error:
        raise WorkflowError(str(error)) from None


EXPERIMENTS = read_configuration()
JOBS = Jobs(EXPERIMENTS, ROOT)
#: Where files of data sets and pools are kept as they were fetched.
SOURCES = "data/sources"
CONDA = str(ROOT / "envs" / "coassoc.yaml")


wildcard_constraints:
    dataset="[^/]+",
    m="[0-9]+",
    method="[^/]+",
    parameters="[^/]+",
    pool="[^/]+",
