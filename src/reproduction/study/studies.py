"""The studies of the project and of the user, and what their modules declare."""

import importlib.util
import re
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from coassoc.errors import ConfigError
from reproduction.study import acmk, arena, audit, choice, eccms, gtlec, hclce, lta, rce, survey
from reproduction.study import ranking as ranked
from reproduction.study.configuration import Configuration
from reproduction.study.words import Target

#: Names of groups of targets: sections, kinds, and values of the option "group".
GROUPS = (
    *("tables", "figures", "analyses"),
    *("protocol", "sensitivity", "ensemble_size", "ablations", "runtime"),
)
STUDIES = (acmk, arena, audit, choice, eccms, gtlec, hclce, lta, rce, survey, ranked)

#: Files of a paper's folder, all optional, by the keys of the configuration that name such files.
PAPER = {
    "studies": "study.py",
    "published": "published.csv",
    "differences": "differences.yaml",
    **{key: f"{key}.yaml" for key in ("methods", "datasets", "pools", "claims")},
}


def with_papers(config: Configuration, default: Any) -> Configuration:
    """A configuration with the files of its papers' folders.

    If it does not change the targets, which are then those of the `default`, its targets are those
    of the papers.
    """
    files: dict[str, list[str]] = {key: [] for key in PAPER}
    for folder in map(Path, config.papers):
        found = {key: folder / name for key, name in PAPER.items() if (folder / name).is_file()}
        if not found:
            raise ConfigError(
                f"config: papers: the folder {folder} does not exist or has none of the files "
                f"{', '.join(PAPER.values())}. Check the path."
            )
        for key, path in found.items():
            files[key].append(str(path))
    own = [*map(name_of_file, files["studies"])]
    targets = own if own and config.targets == default else config.targets
    changed = {key: [*getattr(config, key), *paths] for key, paths in files.items()}
    return config.model_copy(update={**changed, "targets": targets})


def name_of_file(path: str | Path) -> str:
    """Name of the study of a file; study.py and claims.yaml have the name of their folder."""
    path = Path(path)
    return path.resolve().parent.name if path.name in PAPER.values() else path.stem


def load_studies(paths: Iterable[str]) -> dict[str, ModuleType]:
    """The studies by their names, with those in a user's Python files."""
    studies = {name_of_study(study): study for study in STUDIES}
    for path in map(Path, paths):
        name = name_of_file(path)
        reserved = {*studies, *GROUPS, "claims", "scorecard"}
        if not re.fullmatch("[a-z0-9-]+", name) or path.suffix != ".py" or name in reserved:
            raise ConfigError(
                f"{path}: a study needs a new name of lower-case letters, digits and hyphens. "
                "Rename the file, or the folder of a file study.py."
            )
        studies[name] = _load_study(path, name)
    return studies


def _load_study(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    study = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(study)
    except (Exception, SystemExit) as error:
        raise ConfigError(
            f"{path}: this study cannot be imported: {error!r}. Correct the path or the file."
        ) from error
    study.SCORECARD = f"scorecard_{name}"  # type: ignore[attr-defined]
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
