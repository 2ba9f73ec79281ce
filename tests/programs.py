"""The program ``coassoc`` in the process of the tests."""

from typing import Any

from click.testing import CliRunner, Result

from coassoc.command import program


def coassoc(*words: object, code: int | None = 0, **options: Any) -> Result:
    """What the program does; it ends with this exit status, or with any if there is none."""
    done = CliRunner().invoke(program, [*map(str, words)], **options)
    assert code is None or done.exit_code == code, done.output
    return done
