"""The command line: ``python -m coassoc origin TABLE DATASET ROW METRIC``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from coassoc.errors import CoassocError


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command; a user's mistake ends it with one sentence."""
    parser = argparse.ArgumentParser(prog="python -m coassoc")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("origin", help="say where a number of a table comes from")
    command.add_argument("table", help="name of the table's target, such as eccms_table4")
    command.add_argument("dataset")
    command.add_argument("row", help="the method's name in the table")
    command.add_argument("metric", help="the metric's name in the table")
    command.add_argument("--directory", default=".", help="where the workflow ran")
    chosen = parser.parse_args(arguments)
    # Imported here, so that --help costs no numerics.
    from coassoc.results.origin import as_text, origin

    try:
        steps = origin(chosen.directory, chosen.table, chosen.dataset, chosen.row, chosen.metric)
    except CoassocError as error:
        sys.exit(f"coassoc: {error}")
    print(as_text(steps))


if __name__ == "__main__":
    main()
