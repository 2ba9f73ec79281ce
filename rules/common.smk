"""The plan, and the look-ups that rules make in it.

The main process checks the configuration, expands it, and writes the plan below results/plan; a
job reads the files of what it makes, and expands nothing.

Makes:  ROOT, the folder of this workflow; its package in src is what scripts import
        CONDA, the environment of all rules
        PLAN, look-ups in the plan, see reproduction.plan.files
        SETTINGS, the root seed and what else of the configuration rules use
        reported(), an output in the report, and caption(), what it says of a target

A target is a table, figure or analysis, such as eccms/table4. Functions take the wildcards of a job.
"""

import os
import sys
from contextlib import contextmanager
from pathlib import Path

from snakemake.settings.enums import Quietness
from snakemake.utils import update_config


def project_folder():
    """The folder of this workflow, also as a module; of one on a host, a checkout of its version."""
    rules = workflow.current_basedir
    if not hasattr(rules, "hosted_repo"):
        return Path(str(rules)).parent
    version = rules.hosted_repo.repo.commit(rules.ref).hexsha
    folder = Path(".snakemake", "coassoc", version).absolute()
    if not folder.is_dir():
        rules.hosted_repo.repo.git.worktree(
            "add", "--force", "--detach", folder, version
        )
    return folder


ROOT = project_folder()
CONDA = str(ROOT / "envs" / "coassoc.yaml")

# Here and in scripts, the code of this workflow comes before what is installed.
SOURCE = str(ROOT / "src")
sys.path.insert(0, SOURCE)
# By a variable: lint takes a name in quotes for one that the user has to set.
for path in ("PYTHONPATH",):
    os.environ[path] = os.pathsep.join(filter(None, [SOURCE, os.environ.get(path)]))

from coassoc.errors import CoassocError
from reproduction.plan.files import PlanFiles


@contextmanager
def mistakes_as_one_sentence():
    """Have Snakemake print configuration errors without a traceback."""
    try:
        yield
    except CoassocError as error:
        # Snakemake does not print this under --quiet all.
        if Quietness.ALL in (workflow.output_settings.quiet or ()):
            print(error, file=sys.stderr)
        raise WorkflowError(str(error)) from None


if workflow.is_main_process:
    from reproduction.plan.planning import make_plan

    with mistakes_as_one_sentence():
        make_plan(config, workflow.configfiles, ROOT)

PLAN = PlanFiles()
SETTINGS = PLAN.index["settings"]


wildcard_constraints:
    dataset="[^/]+",
    m="[0-9]+",
    method="[^/]+",
    parameters="[^/]+",
    pool="[^/]+",


def caption(w):
    """What a target shows, for the report."""
    return PLAN.target(w.target)["spec"]["caption"]


def reported(path, kind, category=None, target=None, title=None):
    """An output in the report, with unique labels.

    Outputs outside the studies have a category of their own, described by "report/{category}.rst".
    """
    labels = lambda w: {
        "target": target or PLAN.target(w.target)["name"],
        "kind": kind,
        "title": title or PLAN.target(w.target)["spec"]["title"],
    }
    caption = f"report/{(category or 'target').lower()}.rst"
    study = lambda w: PLAN.target(w.target)["study"]
    return report(path, caption=caption, category=category or study, labels=labels)
