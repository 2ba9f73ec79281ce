"""The configuration, checked and expanded, and what the names in paths may be.

Needs:  config, config/*.yaml
Makes:  EXPERIMENTS, everything that the configuration asks for
        JOBS, which knows for each job its inputs, parameters, memory and time
"""

from contextlib import contextmanager
from pathlib import Path

from snakemake.utils import update_config

from coassoc.errors import CoassocError
from coassoc.plan.catalogues import load_catalogues
from coassoc.plan.configuration import CONFIGURATION
from coassoc.plan.experiments import Experiments
from coassoc.running.jobs import Jobs
from coassoc.running.provenance import check_library
from coassoc.storage.configuration import load_yaml, validate

# Of this workflow, also where another one takes it as a module.
ROOT = Path(str(workflow.current_basedir)).parent


@contextmanager
def mistakes_as_one_sentence():
    """Have Snakemake print what is wrong with a configuration, and nothing besides."""
    try:
        yield
    except CoassocError as error:
        raise WorkflowError(str(error)) from None


def read_configuration():
    """Check the configuration and expand it to everything that has to be made."""
    check_library(ROOT)
    # Snakemake reads these files without a word on a key that stands twice.
    for path in workflow.configfiles:
        load_yaml(path)
    # The defaults of what a workflow around this one leaves out.
    settings = load_yaml(ROOT / "config" / "config.yaml")
    update_config(settings, config)
    validate(settings, CONFIGURATION, "config")
    return Experiments(settings, load_catalogues(ROOT / "config", settings))


with mistakes_as_one_sentence():
    EXPERIMENTS = read_configuration()
    JOBS = Jobs(EXPERIMENTS, ROOT)
    if workflow.is_main_process:
        JOBS.data.check_clusterers()

#: Where files of data sets and pools are kept as they were fetched.
SOURCES = "data/sources"
CONDA = str(ROOT / "envs" / "coassoc.yaml")


wildcard_constraints:
    dataset="[^/]+",
    m="[0-9]+",
    method="[^/]+",
    parameters="[^/]+",
    pool="[^/]+",
