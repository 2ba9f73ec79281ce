"""The plan, and functions with which rules query it.

The main process checks the configuration and writes the planned cells of the studies to
results/cells.parquet. The job of a target reads only the rows of this target.

Makes:  ROOT, the folder of this workflow, from whose src folder scripts import the package
        CONDA, the environment of all rules
        PLAN, see reproduction.study.plan
        FINDINGS, see reproduction.findings.inputs
        SETTINGS, the configuration with its defaults
        planned(), a target of a job, for its input function
        reported(), an output in the report
        measurements() and scorecard_files(), inputs and outputs of one rule
        script_of(), the script of a figure or analysis

Jobs read no catalogue, because their rules pass them the model of their entry. Snakemake does not
compare models with those of earlier runs. For this, the rules have the parameter `identity`.

A target is a table, figure or analysis, such as eccms/table4. Functions take the wildcards of a job.
"""

import os
import re
import sys
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import yaml
from snakemake.path_modifier import PathModifier
from snakemake.utils import update_config


def project_folder():
    """Return the folder of this workflow. For a hosted module, check out its version first."""
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


if re.search(r"[^\w@%+=:,./-]", sys.executable):
    raise WorkflowError(
        f"{sys.executable}: Snakemake cannot start scripts with this path of Python. Install the "
        "environment at a path without spaces, quotes and brackets."
    )

ROOT = project_folder()
CONDA = str(ROOT / "envs" / "coassoc.yaml")


def retyped(given):
    """Parse values of --config like those of a file. Snakemake leaves "null" and lists as strings."""
    if isinstance(given, dict):
        return {key: retyped(value) for key, value in given.items()}
    if isinstance(given, list):
        return [retyped(value) for value in given]
    simple = isinstance(given, str) and re.fullmatch(
        r"null|true|false|[-+.\deE]+", given
    )
    return yaml.safe_load(given) if simple else given


def prefix_of_module():
    """The prefix of all paths, from the key `prefix` or from an outer workflow."""
    if config.get("prefix"):
        modifier = workflow.modifier
        modifier.path_modifier = PathModifier(
            None, str(config["prefix"]), workflow, modifier.path_modifier
        )
    folders = ("data", "results", "figures", "logs")
    moved = [workflow.modifier.path_modifier.replace_prefix(f"{x}/x") for x in folders]
    prefix, *others = {x.removesuffix(f"{y}/x") for x, y in zip(moved, folders)}
    if others:
        raise WorkflowError(
            "The module coassoc does not support 'replace_prefix' for single folders. Use 'prefix'."
        )
    return prefix


# An outer workflow passes its own configuration.
if config == workflow.config:
    update_config(config, retyped(workflow.config_settings.config))

# Here and in scripts, the code of this workflow takes precedence over an installed package.
SOURCE = str(ROOT / "src")
sys.path.insert(0, SOURCE)
# Scripts find these variables in their environment. The names are in variables, because lint reads a
# quoted name as one that the user must set.
for path, prefix in (("PYTHONPATH", "COASSOC_PREFIX"),):
    os.environ[path] = os.pathsep.join(filter(None, [SOURCE, os.environ.get(path)]))
    os.environ[prefix] = prefix_of_module()

from coassoc.errors import CoassocError, ConfigError, check_known
from coassoc.bench.storage.configuration import load_yaml
from reproduction.running.kernels import pin_kernel
from reproduction.findings.inputs import Findings
from reproduction.study.kinds import MEASURED
from reproduction.study.paths import name_of
from reproduction.study.plan import Plan
from reproduction.study.revisions import STEPS
from reproduction.study.cells_file import Given
from reproduction.study.studies import title_of

# With the same kernels, scripts round equally on all supported processors.
pin_kernel()


@contextmanager
def mistakes_as_one_sentence():
    """End Snakemake with one line if the configuration has an error."""
    try:
        yield
    except CoassocError as error:
        # Snakemake would add lines of this file, and print nothing with --quiet all.
        print(f"coassoc: {error}", file=sys.stderr)
        sys.exit(1)


with mistakes_as_one_sentence():
    PLAN = Plan(config, ROOT)
    FINDINGS, SETTINGS = Findings(PLAN), PLAN.config

if workflow.is_main_process:
    from reproduction.running.ending import report_results
    from reproduction.running.costs import forecast
    from reproduction.study.paths import below_prefix

    with mistakes_as_one_sentence():
        for path in workflow.configfiles:
            load_yaml(path)  # Snakemake accepts duplicate keys
        PLAN.write(unlocking="--unlock" in sys.argv)


wildcard_constraints:
    dataset="[^/]+",
    m="[0-9]+",
    method="[^/]+",
    block="[^/]+",
    pool="[^/]+",


def planned(target):
    """A target. If the configuration does not request it, the main process plans it here."""
    PLAN.add(target)
    return target


def reported(path, kind, category=None, target=None, title=None):
    """An output in the report, with unique labels.

    Outputs outside the studies have a separate category, which "report/{category}.rst" describes.
    """
    # Snakemake puts these strings into a script without escaping, so they must not close its tag.
    as_text = lambda text: text.replace("</", "< /")
    labels = lambda w: {
        "target": target or name_of(w.target),
        "kind": kind,
        "title": title or as_text(PLAN.title(w.target)),
    }
    caption = f"report/{(category or 'target').lower()}.rst"
    study = lambda w: as_text(title_of(PLAN.studies[w.target.split("/")[0]]))
    return report(path, caption=caption, category=category or study, labels=labels)


def requested_files():
    """The requested files: those of named targets, files named directly, or all."""
    named = PLAN.files_by_name()
    files = [
        file
        for target in workflow.dag_settings.targets or ["all"]
        for file in (
            FINDINGS.wanted_files() if target == "all" else named.get(target, [target])
        )
    ]
    return [str(below_prefix(file)) for file in dict.fromkeys(files)]


@cache
def measurements():
    """Files of measurements behind the requested targets, each with its archive, or with ""."""
    targets = PLAN.paths(reads=[*MEASURED], wanted=True)
    return Given({k: x for path in targets for k, x in PLAN.measured(path).items()})


def scorecard_files(card):
    """Output files of a scorecard."""
    page, figure = "Every published cell", "Published, reproduced"
    return {
        "csv": f"results/{card}.csv",
        "md": f"results/{card}.md",
        "html": reported(f"results/{card}.html", "table", "Scorecard", card, page),
        # The limits of agreement in the figure.
        "limits": f"figures/{card}.csv",
        "pdf": f"figures/{card}.pdf",
        "png": reported(f"figures/{card}.png", "figure", "Scorecard", card, figure),
    }


def script_of(target):
    """The script that draws a figure or analysis."""
    if target.kind in ("sensitivity", "surface", "ensemble_size"):
        return "plot_curves"
    return f"{'plot' if target.section == 'figures' else 'analyse'}_{target.kind}"
