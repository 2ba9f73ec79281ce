"""The command line ``coassoc``, with one module for each command.

Modules of commands import numerical libraries only when called, so that help is instant.
"""

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import click

from coassoc.errors import CoassocError

#: The commands in the order of the help. Each is the function `command` of the module with its
#: name.
COMMANDS = (
    *("consensus", "cluster", "subtypes", "tree", "resolutions", "communities"),
    *("posterior", "memberships", "methods", "compare", "audit"),
)


class _Commands(click.Group):
    """Commands that are imported when they are called, with errors of one sentence."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        return import_module(f"coassoc.command.{cmd_name}").command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _remark_once()
                return super().invoke(ctx)
        except BrokenPipeError:  # the reader of the output closed it
            raise
        except ModuleNotFoundError as error:
            raise click.ClickException(
                f"This command needs the package {error.name}. Install it with pip install "
                "'coassoc[tables]', 'coassoc[large]' (labels beyond memory), 'coassoc[maps]' (maps "
                "of labels), 'coassoc[compare]' (compare and audit) or 'coassoc[workflow]' (files "
                "of the workflow)."
            ) from error
        except (CoassocError, OSError, MemoryError) as error:
            raise click.ClickException(str(error) or "There is too little memory.") from error


def _remark_once() -> Callable[..., None]:
    """A function that prints a warning, unless it has printed the same text before."""
    printed: set[str] = set()

    def remark(message: Warning | str, *_: Any, **__: Any) -> None:
        if str(message) not in printed:
            printed.add(str(message))
            click.echo(str(message), err=True)

    return remark


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "show_default": True}
)
@click.version_option(package_name="coassoc")
def program() -> None:
    """Ensemble clustering: combine many clusterings of the same samples into one.

    A command that fails reports what is wrong and what to do. Its exit status is 1, or 2 for a
    wrong option.
    """
