"""The program ``coassoc``, also called as ``python -m coassoc``."""

import sys


def main() -> None:
    """Run one command."""
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
