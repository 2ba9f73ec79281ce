"""Put the scores of all targets into one file, and hashes of the settings behind them."""

import json
from pathlib import Path

from reproduction.running.scripting import job
from reproduction.scores.files import collect_scores, write_hashes

with job(snakemake.log[0]):
    collect_scores(snakemake.input.scores).to_parquet(snakemake.output.scores, index=False)
    write_hashes(snakemake.output.inputs, json.loads(Path(snakemake.input.inputs).read_text()))
