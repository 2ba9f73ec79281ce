"""Write the page of findings."""

from reproduction.findings.claims.papers import CLAIMS
from reproduction.findings.page import write_findings
from reproduction.running.scripting import job
from reproduction.study.cards import Cards
from reproduction.study.plan import Plan

with job(snakemake.log[0]):
    plan, files = Plan(snakemake.config), dict(snakemake.input.items())
    cards = Cards(plan)
    titles = [plan.title(arena) for arena in plan.paths(wanted=True, kind="arena")]
    files["arenas"] = dict(zip(titles, files["arenas"], strict=True))
    files |= {name: next(iter(files[name]), None) for name in ("ranking", "checked")}
    write_findings(
        dict(snakemake.output.items()),
        files,
        [name for name, claim in CLAIMS.items() if claim.headline],
        cards.titles,
        plan.present_codes(),
        [name for name, method in plan.catalogues.methods.items() if method.uses_features],
    )
