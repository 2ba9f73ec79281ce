"""Compare every published cell with the reproduced tables."""

from pathlib import Path

import pandas as pd

from coassoc.figures.agreement import plot_agreement
from coassoc.figures.style import save
from coassoc.pages import write_sortable_page
from coassoc.scorecard import rank_agreement, read_tables, scorecard, summary_page
from coassoc.scripting import job

with job(snakemake.log[0]):
    published = pd.DataFrame(snakemake.params.published).assign(
        mean=lambda frame: pd.to_numeric(frame["mean"]),
        std=lambda frame: pd.to_numeric(frame["std"]),
    )
    card = scorecard(published, read_tables(snakemake.input.tables, snakemake.params.names))
    output = snakemake.output
    card.to_csv(output.csv, index=False, float_format="%.6g", lineterminator="\n")
    Path(output.md).write_text(summary_page(card, rank_agreement(card), snakemake.params.titles))
    write_sortable_page(
        output.html,
        card.drop(columns=["pool", "m", "parameters", "run"]).round(4).set_index("paper"),
        title="Scorecard",
        caption="Every published cell beside the reproduced one.",
        note="z: difference over the spread of the repeats, here and in the paper together.",
    )
    save(plot_agreement(card), {"pdf": output.pdf, "png": output.png})
