"""The program ``coassoc``, also called as ``python -m coassoc``."""

import gc
import sys


def main() -> None:
    """Run one command."""
    gc.set_threshold(100_000)  # modules and tables are many objects, of which none can be freed
    try:
        from coassoc.command import program
    except ModuleNotFoundError as error:
        sys.exit(
            f"coassoc needs the package {error.name}. Install it with pip install "
            "'coassoc[tables]'."
        )
    program(prog_name="coassoc")


if __name__ == "__main__":
    main()
