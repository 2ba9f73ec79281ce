"""The studies of the project and of the user, and what their modules declare."""

import importlib.util
import re
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from coassoc.errors import ConfigError
from reproduction.study import acmk, arena, audit, choice, eccms, gtlec, hclce, lta, rce, survey
from reproduction.study import ranking as ranked
from reproduction.study.words import Target

#: Names of groups of targets: sections, kinds, and values of the option "group".
GROUPS = (
    *("tables", "figures", "analyses"),
    *("protocol", "sensitivity", "ensemble_size", "ablations", "runtime"),
)
STUDIES = (acmk, arena, audit, choice, eccms, gtlec, hclce, lta, rce, survey, ranked)


def load_studies(paths: Iterable[str]) -> dict[str, ModuleType]:
    """The studies by their names, with those in a user's Python files."""
    studies = {name_of_study(study): study for study in STUDIES}
    for path in map(Path, paths):
        reserved = {*studies, *GROUPS, "claims", "scorecard"}
        if not re.fullmatch(r"[a-z0-9]+\.py", path.name) or path.stem in reserved:
            raise ConfigError(
                f"{path}: a study needs a new name with only lower-case letters and digits before "
                ".py. Rename the file."
            )
        studies[path.stem] = _load_study(path)
    return studies


def _load_study(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    study = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(study)
    except (Exception, SystemExit) as error:
        raise ConfigError(
            f"{path}: this study cannot be imported: {error!r}. Correct the path or the file."
        ) from error
    if not targets_of(study):
        raise ConfigError(
            f"{path}: no function has the decorator @target. Decorate at least one function."
        )
    return study


def name_of_study(study: ModuleType) -> str:
    """Name of a study, which is the name of its module."""
    return study.__name__.rpartition(".")[2]


def targets_of(study: ModuleType) -> dict[str, Target]:
    """The targets of a study by their paths, such as "eccms/table4"."""
    name = name_of_study(study)
    targets = {key: x for key, x in vars(study).items() if isinstance(x, Target)}
    return {key if key == name else f"{name}/{key}": x for key, x in targets.items()}


def title_of(study: ModuleType) -> str:
    """The title of a study, the first line of its docstring."""
    return (study.__doc__ or name_of_study(study)).strip().splitlines()[0]


def scorecard_of(study: ModuleType) -> str:
    """The scorecard that contains a study's published numbers."""
    return getattr(study, "SCORECARD", "scorecard")
