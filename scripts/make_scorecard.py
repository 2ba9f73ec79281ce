"""Compare every published cell with the reproduced tables."""

from pathlib import Path

import pandas as pd

from coassoc.figures.agreement import plot_agreement
from coassoc.figures.style import save
from coassoc.scorecard import rank_agreement, scorecard, summary_page
from coassoc.scripting import job

with job(snakemake.log[0]):
    tables = [
        pd.read_csv(path).assign(paper=Path(path).parent.name, table=Path(path).stem)
        for path in snakemake.input.tables
    ]
    published = pd.DataFrame(snakemake.params.published).assign(
        mean=lambda frame: pd.to_numeric(frame["mean"]),
        std=lambda frame: pd.to_numeric(frame["std"]),
    )
    card = scorecard(published, pd.concat(tables, ignore_index=True))
    ranks = rank_agreement(card)
    card.to_csv(snakemake.output.csv, index=False, float_format="%.6g")
    Path(snakemake.output.md).write_text(summary_page(card, ranks, snakemake.params.titles))
    save(plot_agreement(card), {"pdf": snakemake.output.pdf, "png": snakemake.output.png})
