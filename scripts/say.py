"""Write a text that the plan has ready, and print it where it is to be read at once."""

from coassoc.storage.whole import write_text

write_text(snakemake.log[0], snakemake.params.text)
if snakemake.params.shown:
    print(snakemake.params.text)
