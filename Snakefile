"""Ensemble clustering: five papers, one pipeline.

`snakemake --cores 8` builds all targets of config/config.yaml. `snakemake --list` lists the targets:
all tables, figures and analyses, the studies, and groups such as "tables". config/README.md explains
every key.
"""

from snakemake.cli import get_argument_parser
from snakemake.utils import min_version

min_version("9.17")


configfile: f"{workflow.current_basedir}/config/config.yaml"


include: "rules/common.smk"
include: "rules/datasets.smk"
include: "rules/pools.smk"
include: "rules/consensus.smk"
include: "rules/scores.smk"
include: "rules/tables.smk"
include: "rules/figures.smk"


rule all:
    default_target: True
    input:
        lambda w: FINDINGS.wanted_files(),


localrules:
    all,


onstart:
    # To limit the rate of submissions, Snakemake 9 looks for jobs every second, once for each job that
    # has ended. Only a cluster needs the limit.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


onsuccess:
    report_results(PLAN, requested_files())


# Only the main process receives targets by name.
if workflow.is_main_process:
    with mistakes_as_one_sentence():
        NAMED = PLAN.files_by_name()
        FINDINGS.check_claims()
        for name in NAMED.keys() & {rule.name for rule in workflow.rules}:
            raise ConfigError(
                f"studies: {name!r} is the name of a Snakemake rule. Rename the study."
            )
    for name, files_of_target in NAMED.items():

        rule:
            name:
                name
            input:
                files_of_target,
            localrule: True

    # Snakemake stores the targets only after it has read this file.
    options, _ = get_argument_parser().parse_known_args(sys.argv[1:])
    # A target with a slash or a dot is a file, and an outer workflow has targets of its own.
    if Path(workflow.main_snakefile).parent in (ROOT, ROOT / "workflow"):
        names = [x for x in options.targets if not re.search("[/.]", x)]
        known = sorted({*NAMED, *(rule.name for rule in workflow.rules)})
        with mistakes_as_one_sentence():
            check_known("command line", "target", names, known)
    if {"-n", "--dry-run", "--dryrun"} & {*sys.argv}:
        with mistakes_as_one_sentence():
            print(f"coassoc: {forecast(PLAN, options.targets)}.", file=sys.stderr)
