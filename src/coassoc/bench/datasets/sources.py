"""Finding the files of a data set or a published pool: local copy, mirror, then each address.

Files are kept as ``<folder>/<host>/<path of the url>[/<member of the archive>]``. A mirror has the
same layout, so a folder of fetched files *is* a mirror for a machine without a network. A file gets
its final name only when it is complete and its checksum is correct.
"""

import hashlib
import json
import os
import shutil
import tarfile
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, cast
from urllib.parse import unquote, urlsplit

from coassoc.bench.datasets.registry import DataSource, SourceFile
from coassoc.errors import ConfigError, DataError
from coassoc.io.atomic import hold_lock
from coassoc.io.untrusted import MAX_BYTES, reading

#: Environment variable that names a mirror directory.
MIRROR_VARIABLE = "COASSOC_MIRROR"
#: Seconds to wait for a connection, and for more data, before an address counts as unreachable.
TIMEOUT = (10, 60)
#: How often a broken transfer starts again.
RETRIES = 2

Accept = Callable[[DataSource, list[Path]], Any]


def mirror_directory(config: Mapping[str, Any] | None = None) -> Path | None:
    """The mirror named by the key ``mirror`` of a configuration or by the environment, or None.

    A ConfigError is raised if the directory does not exist.
    """
    named = (config or {}).get("mirror")
    origin = "config: mirror" if named else MIRROR_VARIABLE
    named = named or os.environ.get(MIRROR_VARIABLE)
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise ConfigError(f"{origin}: folder {folder} not found. Check the path.")
    return folder


def mirror_path(file: SourceFile) -> str:
    """Path of a file below a mirror directory, and below the folder of fetched files.

    >>> mirror_path(SourceFile(url="https://example.org/a/b.zip", member="c.data"))
    'example.org/a/b.zip/c.data'
    """
    if file.mirror is not None:
        return file.mirror
    path = _url_path(file)
    return f"{path}/{file.member}" if file.member else path


def fetch(
    name: str,
    sources: Sequence[DataSource],
    folder: str | Path,
    mirror: Path | None = None,
    accept: Accept = lambda source, paths: None,
    log: Callable[[str], None] = lambda message: None,
) -> dict[str, Any]:
    """Get all files of the first source that is available and intact.

    Parameters
    ----------
    name : str
        Name of the data, for messages.
    sources : sequence of DataSource
        Sources in order of preference.
    folder : path
        Folder for fetched files.
    mirror : path, optional
        A directory searched for every source before any address is tried.
    accept : callable, optional
        Function that receives the source and the paths of its files. If it raises a DataError, the
        next source is tried.
    log : callable
        Function that receives a line of progress.

    Returns
    -------
    dict
        ``source`` (position in `sources`) and ``files``: role, path below `folder`, sha256, and
        `origin`, the public address (the same wherever the bytes came from).

    Raises
    ------
    DataError
        If all sources fail. The message gives the reason for each source.
    """
    folder = Path(folder)
    reasons = []
    for place in [None] if mirror is None else [mirror, None]:
        for position, source in enumerate(sources):
            if not source.files:
                continue
            try:
                files = [_keep(file, folder, place) for file in source.files]
                _accepted(source, files, folder, accept)
            except _Absent:
                continue
            except DataError as error:
                reasons.append(str(error).rstrip("."))
                log(f"{name}: {error}")
                continue
            except OSError as error:
                raise DataError(f"{name}: {folder}: {error.strerror or error}.") from error
            for record, come_from in files:
                where = come_from or "an earlier download"
                log(f"{name}: {record['path']} from {where}, {record['sha256']}")
            return {"source": position, "files": [record for record, _ in files]}
    raise DataError(
        f"{name}: all sources failed: {'; '.join(reasons or [f'not in the mirror {mirror}'])}. Try "
        "again later, or put the files into a mirror folder."
    )


def fetched_files(manifest: str | Path, folder: str | Path) -> tuple[int, list[Path], str]:
    """Position of the source, its files and their origins, as recorded by :func:`fetch`."""
    content = json.loads(Path(manifest).read_text())
    paths = [Path(folder) / file["path"] for file in content["files"]]
    for path in paths:
        if not path.is_file():
            raise DataError(f"{path}: file not found. Delete {manifest} to fetch the file again.")
    origins = [file["origin"] for file in content["files"]]
    return content["source"], paths, ", ".join(dict.fromkeys(origins))


class _Absent(Exception):
    """A file is not in this place; the next place or source is tried silently."""


#: Record of a file, and its origin, which is "" if the file was present already.
_Kept = tuple[dict[str, str], str]


def _keep(file: SourceFile, folder: Path, mirror: Path | None) -> _Kept:
    """Put one file in its place below `folder`, unless a good copy is there already."""
    path = mirror_path(file)
    target = folder / path

    def put(new: Path) -> str:
        if mirror is not None:
            return _copy_from_mirror(file, new, mirror)
        return _from_network(file, new, folder)

    come_from = _stored(target, file.sha256, put)
    record = {
        "role": file.role,
        "path": path,
        "origin": f"{file.url} ({file.member})" if file.member else file.url or path,
        "sha256": sha256_of(target),
    }
    return record, come_from


def _stored(target: Path, sha256: str | None, put: Callable[[Path], str]) -> str:
    """Create a file that appears when complete; returns its origin, "" if the file exists."""
    if target.is_file() and sha256 in (None, sha256_of(target)):
        return ""
    target.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".", dir=target.parent) as folder:
        new = Path(folder) / target.name
        come_from = put(new)
        if sha256 is not None and sha256_of(new) != sha256:
            raise DataError(
                f"{come_from}: the SHA-256 is {sha256_of(new)}, but the catalogue has "
                f"{sha256}. Download the file again, or correct the catalogue."
            )
        new.replace(target)
    return come_from


def _accepted(source: DataSource, files: list[_Kept], folder: Path, accept: Accept) -> None:
    """Let `accept` judge the files; new ones that fail are deleted."""
    try:
        accept(source, [folder / record["path"] for record, _ in files])
    except DataError as error:
        for record, come_from in files:
            if come_from:
                (folder / record["path"]).unlink()
        raise DataError(f"{files[0][0]['path']}: {error}") from error


def _copy_from_mirror(file: SourceFile, target: Path, mirror: Path) -> str:
    """Copy a file from the mirror, or extract it from an archive in the mirror."""
    path = mirror / mirror_path(file)
    if path.is_file():
        shutil.copyfile(path, target)
        return str(path)
    if file.member and file.url:
        archive = mirror / _url_path(file)
        if archive.is_file():
            _extract(archive, file.member, target)
            return f"{archive} ({file.member})"
    raise _Absent


def _from_network(file: SourceFile, target: Path, folder: Path) -> str:
    """Download a file, or download its archive and extract the file."""
    url = file.url
    if url is None:
        raise _Absent
    if file.member is None:
        return _download(url, target)
    archive = folder / "archives" / _url_path(file)
    # One process at a time, so that an archive is downloaded once.
    with hold_lock(archive.with_name(f"{archive.name}.lock")):
        _stored(archive, None, partial(_download, url))
        try:
            _extract(archive, file.member, target)
        except DataError:
            archive.unlink()
            raise
    return f"{url} ({file.member})"


def _download(url: str, target: Path) -> str:
    import requests

    attempt = 0
    while True:
        try:
            with requests.get(url, stream=True, timeout=TIMEOUT) as answer:
                answer.raise_for_status()
                with target.open("wb") as file:
                    file.writelines(answer.iter_content(1 << 20))
            return url
        except requests.RequestException as error:
            if attempt == RETRIES or isinstance(error, requests.HTTPError):
                status = getattr(error.response, "status_code", type(error).__name__)
                raise DataError(f"{url}: the download failed ({status})") from error
        attempt += 1
        time.sleep(attempt)


# -- archives and compressed files --------------------------------------------------------------


def _extract(archive: Path, member: str, target: Path) -> None:
    """Write one member of a zip or tar archive to `target`, whatever path its name spells."""
    with reading(archive):
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as opened:
                info = opened.getinfo(_full_name(opened.namelist(), member))
                _copy(opened.open(info), info.file_size, target, archive)
        elif tarfile.is_tarfile(archive):
            with tarfile.open(archive) as tar:
                entry = tar.getmember(_full_name(tar.getnames(), member))
                if not entry.isfile():
                    raise DataError(f"{archive}: the member {member} is a link, not a file.")
                _copy(cast(IO[bytes], tar.extractfile(entry)), entry.size, target, archive)
        else:
            raise DataError(
                f"{archive}: neither a zip nor a tar archive. Unpack another archive yourself, and "
                f"put its file {member} into a mirror folder (COASSOC_MIRROR)."
            )


def _full_name(names: Sequence[str], member: str) -> str:
    """Name of a member in the archive: as given, or the only member with this name in a folder."""
    inside = [name for name in names if name.endswith(f"/{member}")]
    if member not in names and len(inside) == 1:
        return inside[0]
    return member


def _copy(stream: IO[bytes], size: int, target: Path, origin: Path) -> None:
    """Copy a member; its stream yields no more bytes than the archive declares."""
    if size > MAX_BYTES:
        raise DataError(
            f"{origin}: a member is larger than {MAX_BYTES / 1e6:,.0f} MB. Choose a smaller source."
        )
    with stream, target.open("wb") as out:
        shutil.copyfileobj(stream, out)


# -- files ----------------------------------------------------------------------------------------


def sha256_of(path: str | Path) -> str:
    """Checksum of a file, in hexadecimal."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _url_path(file: SourceFile) -> str:
    parts = urlsplit(file.url or "")
    return f"{parts.netloc.replace(':', '_')}{unquote(parts.path)}"
