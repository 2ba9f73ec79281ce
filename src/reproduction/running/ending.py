"""What Snakemake says of targets before it starts, and of results at its end."""

import sys
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from pathlib import Path

from coassoc.storage.records import Outcome
from reproduction.scores.files import statuses_of_runs
from reproduction.study.cards import Cards
from reproduction.study.paths import Source, below_prefix
from reproduction.study.plan import Plan

#: Lines that are shown at most.
_SHOWN = 10


def hint_at_names(words: Iterable[str], known: Collection[str]) -> None:
    """Say which name was probably meant by a word of the command line that is nearly one.

    Snakemake looks for its targets later, and names no others.
    """
    for word in words:
        near = get_close_matches(word, known, n=1, cutoff=0.8)
        if near and word not in known and not Path(word).exists():
            print(f"There is no target {word!r}; did you mean {near[0]!r}?", file=sys.stderr)


def tell_end(plan: Plan) -> int:
    """Say where the results are and which have no number; how many runs these are of."""
    said = [
        f"Tables are in {below_prefix('results/tables')}/, figures in {below_prefix('figures')}/."
    ]
    if all(number["why"] for number in Cards(plan).scorecard("scorecard")["published"]):
        said.append(
            "None of the numbers is compared with print: the data sets are not the papers'. Those "
            "come with --configfile config/full.yaml."
        )
    missing = _without_number(plan)
    if missing:
        said.append(f"Of {len(missing)} runs, fits have no result:")
        said += missing[:_SHOWN]
        said += [f"  and {len(missing) - _SHOWN} more"] * (len(missing) > _SHOWN)
        said.append(
            "What a limit ended is tried again once the key 'limits' allows more; to try another "
            "again, delete its file and start the workflow again."
        )
    print("\n".join(said), file=sys.stderr)
    return len(missing)


def _without_number(plan: Plan) -> list[str]:
    """A line for each run with fits that failed or were skipped, of the scores that are there."""
    lines = {}
    for target in plan.paths(made_from="scores"):
        found, rows = statuses_of_runs([target]), plan.of(target).drop_duplicates("source")
        places = rows[["source", "kept", "run_file"]].itertuples(index=False)
        for text, kept, run_file in [place for place in places if place.source in found]:
            statuses, source = found[text], Source.parse(text)
            bad = statuses[~statuses.isin(["ok", Outcome.LEFT_THE_RACE.value])]
            if len(bad):
                where = f"kept in {kept}" if kept else below_prefix(run_file)
                lines[text] = (
                    f"  {source.method} on {source.dataset}: {len(bad)} of {len(statuses)} fits "
                    f"{bad.iloc[0]} ({where})"
                )
    return [lines[text] for text in sorted(lines)]
