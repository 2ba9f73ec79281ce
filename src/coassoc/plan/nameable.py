"""What a configuration may name of the studies and the ranking, made now or not.

The default configuration and those on top of it may name targets that are not made now.
"""

from collections.abc import Mapping
from typing import Any

from coassoc.plan.catalogues import Catalogues
from coassoc.plan.expansion import tuned_over
from coassoc.plan.ranked import RANKING, ranked_rows
from coassoc.plan.studies import varied


def nameable(config: Mapping[str, Any], catalogues: Catalogues) -> dict[str, list[str]]:
    """Targets, rows, parameters that are varied or tuned over, and pools of single rows."""
    studies, ranked = catalogues.studies, ranked_rows(config, catalogues)
    every = [target for study in studies.values() for target in study.targets]
    targets = [*studies, *(target.name for target in every)]
    rows = [*ranked.values()] + [
        varied(target.study.rows[key], variant)
        for target in every
        for key in (*target.rows, *target.swept)
        for variant in ({}, *target.spec.get("variants", []))
    ]
    tuned = {
        name
        for row in rows
        if "tune" in row and row.get("method") in catalogues.methods
        for name in tuned_over(
            catalogues.methods[row["method"]], row["tune"], row.get("parameters", {})
        )
    }
    varied_over = {name for target in every for name in target.over}
    keys = {key for study in studies.values() for key in study.rows}
    return {
        "targets": targets,
        "targets and ranking": [*targets, RANKING],
        "rows": sorted(keys | ranked.keys()),
        "grids": sorted(tuned | varied_over),
        "tuned": sorted(tuned),
        "pools of rows": sorted({row["pool"] for row in rows if "pool" in row}),
    }
