"""Write one screen on what was found."""

from reproduction.plan.files import PlanFiles, read_plan
from reproduction.results.findings import write_findings
from reproduction.running.scripting import job

with job(snakemake.log[0]):
    plan, given, files = PlanFiles(), read_plan(snakemake.input.plan), snakemake.input
    titles = [plan.target(arena)["spec"]["title"] for arena in plan.arenas]
    write_findings(
        snakemake.output[0],
        {
            "claims": files.claims,
            "card": files.card,
            "agreement": files.agreement,
            "ranking": next(iter(files.ranking), None),
            "arenas": dict(zip(titles, files.arenas, strict=True)),
            "checked": next(iter(files.checked), None),
        },
        [name for name, claim in given["claims"].items() if claim.get("headline")],
        given["titles"],
        plan.present_codes(),
        [name for name in plan.index["methods"] if plan.method(name)["uses_features"]],
    )
