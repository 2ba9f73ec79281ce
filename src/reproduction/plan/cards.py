"""What scorecards, claims, findings and the ranking are made from, as rules look it up."""

from coassoc.errors import ConfigError
from reproduction.plan.files import PlanFiles
from reproduction.plan.keys import RANKING, below_prefix


def tables(plan: PlanFiles, card: str, so_far: str) -> list[str]:
    """Tables of a scorecard, as CSV: all of them, or those that are there."""
    return _there(plan.card(card)["tables"], so_far)


def others_with_own_methods(plan: PlanFiles) -> list[str]:
    """Scorecards of papers that came after the five, with methods of their own."""
    others = [card for card in plan.index["cards"] if card != "scorecard"]
    return [card for card in others if plan.card(card)["yardsticks"]]


def tables_of_methods(plan: PlanFiles, card: str) -> list[str]:
    """Tables of a scorecard, as CSV, that compare its papers' own methods with others."""
    given = plan.card(card)
    asked = {
        f"{x}/{table}" for x, known in given["yardsticks"].items() for table in known["tables"]
    }
    made = {
        f"results/tables/{path}.csv"
        for path in plan.targets(section="tables")
        if f"{path.split('/')[0]}/{given['names'].get(path, path.split('/')[-1])}" in asked
    }
    return [table for table in given["tables"] if table in made]


def scored_tables(plan: PlanFiles) -> list[str]:
    """Targets that are tables of the scorecard whose numbers are scores."""
    made = tables(plan, "scorecard", so_far="")
    scored = plan.targets(section="tables", made_from="scores")
    return [target for target in scored if f"results/tables/{target}.csv" in made]


def judged_protocols(plan: PlanFiles) -> list[str]:
    """Protocols of the scorecard's papers that are made."""
    papers = plan.card("scorecard")["yardsticks"]
    made = plan.targets(kind="protocol", wanted=True)
    return [target for target in made if target.split("/")[0] in papers]


def judged(plan: PlanFiles, so_far: str) -> list[str]:
    """What claims are judged by, as CSV: all of it, or what is there."""
    return _there(plan.claims["numbers"], so_far)


def _there(paths: list[str], so_far: str) -> list[str]:
    """The files, or those of them that exist where only these are taken."""
    return [path for path in paths if below_prefix(path).exists()] if so_far else paths


def arenas(plan: PlanFiles) -> list[str]:
    """The arenas that are wanted; the first gives the answer of the findings."""
    return plan.targets(kind="arena", wanted=True)


def ranking(plan: PlanFiles) -> str:
    """The file of the ranking; a ConfigError where the configuration wants none."""
    if RANKING not in plan.index["targets"]:
        raise ConfigError("config: the key ranking is missing; it says what is to be ranked.")
    return f"results/plan/targets/{RANKING}.json"
