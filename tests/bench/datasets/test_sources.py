"""Fetching: mirror first, then the addresses; checksums; nothing half-written."""

import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from coassoc.bench.datasets import sources as module
from coassoc.bench.datasets.registry import DataSource, SourceFile
from coassoc.bench.datasets.sources import fetch, mirror_directory
from coassoc.errors import ConfigError, DataError
from dataset_files import write
from refusals import cases, refuses

TEXT = b"1,2,a\n3,4,b\n"
PAGE = b"<html>moved</html>"
#: The checksum of the text, and another one.
RIGHT = hashlib.sha256(TEXT).hexdigest()
SHA = "4b2a21c9be6e5ba0ad8fc0e8c3a1f8de0b9e6e3c2b8c5c1f9f1d5a1c7a3b9d10"


def source(**file: str) -> DataSource:
    return DataSource(parser="delimited", files=[SourceFile(**file)])


def zip_of(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return buffer.getvalue()


def tar_of(name: str, content: bytes, kind: bytes = tarfile.REGTYPE) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname, entry.size = kind, "elsewhere", len(content)
        archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


@pytest.fixture
def folder(tmp_path) -> Path:
    """Where fetched files are kept."""
    return tmp_path / "kept"


@pytest.fixture
def mirror(tmp_path) -> Path:
    (tmp_path / "mirror").mkdir()
    return tmp_path / "mirror"


def kept(folder: Path) -> list[str]:
    """Files that a fetch left behind, without the archives' locks."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")
    return sorted(str(path.relative_to(folder)) for path in files)


def no_page(chosen: DataSource, paths: list[Path]) -> None:
    if paths[0].read_bytes() == PAGE:
        raise DataError("not a table")


def refused(message: str, wanted: DataSource, folder: Path, mirror: Path | None = None) -> None:
    """The fetch ends with this message and keeps nothing."""
    refuses(DataError, message, fetch, "X", [wanted], folder, mirror)
    assert kept(folder) == []


def test_every_source_is_looked_for_in_the_mirror_before_any_address(folder, mirror, site):
    site.files["/a b/x.data"] = TEXT
    url = site.url("/a%20b/x.data")
    wanted = [source(url=url), source(mirror="packages/x.data")]
    write(mirror / "packages/x.data", TEXT)
    assert fetch("X", wanted, folder, mirror)["source"] == 1
    write(mirror / site.folder / "a b/x.data", TEXT)
    (file,) = fetch("X", wanted, folder, mirror)["files"]
    assert (file["path"], file["origin"]) == (f"{site.folder}/a b/x.data", url)
    assert (folder / file["path"]).read_bytes() == TEXT and site.asked == []


def test_download_and_reuse(folder, site):
    site.files["/x.data"] = TEXT
    wanted = [source(url=site.url("/x.data"), sha256=RIGHT)]
    assert fetch("X", wanted, folder) == fetch("X", wanted, folder) and site.asked == ["/x.data"]


def test_fetched_files_are_a_mirror(folder, tmp_path, site):
    site.files["/d/x.zip"] = zip_of(inner=TEXT)
    wanted = [source(url=site.url("/d/x.zip"), member="inner")]
    first = fetch("X", wanted, folder)
    site.files.clear()
    assert fetch("X", wanted, tmp_path / "other", mirror=folder) == first


def test_broken_transfer_starts_again_and_leaves_nothing_in_the_end(folder, site):
    wanted = source(url=site.url("/x"))
    site.files["/x"], site.broken["/x"] = TEXT * 1000, 5
    refused("X: all sources failed: .*/x: the download failed", wanted, folder)
    site.asked, site.broken["/x"] = [], 1
    fetch("X", [wanted], folder)
    assert (folder / site.folder / "x").read_bytes() == TEXT * 1000 and site.asked == ["/x", "/x"]


def test_unreachable_address(folder, site):
    site.server.server_close()
    message = r"X: all sources failed: .*/x: the download failed .ConnectionError.\. Try"
    refused(message, source(url=site.url("/x")), folder)


def test_another_checksum(folder, mirror, site):
    site.files["/x"] = TEXT
    write(mirror / "packages/x", TEXT)
    wrong = f"the SHA-256 is {RIGHT}, but the catalogue has {SHA}"
    refused(f"{site.url('/x')}: {wrong}", source(url=site.url("/x"), sha256=SHA), folder)
    wanted = source(mirror="packages/x", sha256=SHA)
    refused(f"{mirror}/packages/x: {wrong}", wanted, folder, mirror)


def test_nothing_anywhere_and_no_place_to_keep_it(folder, mirror):
    wanted = source(mirror="packages/x")
    refused("X: all sources failed: not in the mirror", wanted, folder, mirror)
    write(mirror / "packages/x", TEXT)
    refused("X: .*kept/file: ", wanted, write(folder / "file", TEXT), mirror)


def test_rejected_files_are_deleted_and_the_next_source_is_used(folder, site):
    site.files |= {"/bad": PAGE, "/good": TEXT}
    wanted = [source(url=site.url(path)) for path in ("/gone", "/bad", "/good")]
    lines: list[str] = []
    assert fetch("X", wanted, folder, accept=no_page, log=lines.append)["source"] == 2
    assert "404" in lines[0] and kept(folder) == [f"{site.folder}/good"]


def test_files_of_an_earlier_fetch_are_not_deleted(folder, site):
    """Two data sets may share a file that only one of them accepts."""
    site.files["/x"] = PAGE
    wanted = [source(url=site.url("/x"))]
    fetch("X", wanted, folder)
    with pytest.raises(DataError, match=r"Y: all sources failed: .*: not a table"):
        fetch("Y", wanted, folder, accept=no_page)
    assert kept(folder) == [f"{site.folder}/x"]


@pytest.mark.parametrize(
    "archive",
    [zip_of(inner=TEXT), zip_of(a__inner=TEXT), tar_of("inner", TEXT), tar_of("./a/inner", TEXT)],
    ids=["zip", "zip with folder", "tar", "tar with folder"],
)
def test_members_of_archives(folder, site, archive):
    site.files["/x.archive"] = archive
    fetch("X", [source(url=site.url("/x.archive"), member="inner", sha256=RIGHT)], folder)
    assert (folder / site.folder / "x.archive/inner").read_bytes() == TEXT


def test_an_archive_is_downloaded_once(folder, site):
    site.files["/x.zip"] = zip_of(a=TEXT, b=TEXT)
    files = [SourceFile(url=site.url("/x.zip"), member=name) for name in "ab"]
    fetch("X", [DataSource(parser="delimited", files=files)], folder)
    assert site.asked == ["/x.zip"]


@cases(
    "archive, message",
    (tar_of("inner", b"", tarfile.SYMTYPE), "the member inner is a link, not a file"),
    (tar_of("inner", b"", tarfile.LNKTYPE), "the member inner is a link, not a file"),
    (tar_of("inner", bytes(range(256)) * 50)[:300], "cannot read this file"),
    (zip_of(inner=TEXT).replace(b"1,2,a", b"1,2,x"), "cannot read this file"),
    (b"<html>", "neither a zip nor a tar archive.*put its file inner into a mirror"),
    (zip_of(other=TEXT), "cannot read this file .KeyError.*inner"),
    (zip_of(inner=bytes(10_000_000)), "a member is larger than 0 MB"),
    ids=["symlink", "link", "cut tar", "wrong sum", "page", "no member", "large"],
)
def test_archives_that_are_refused_are_deleted(folder, site, monkeypatch, archive, message):
    monkeypatch.setattr(module, "MAX_BYTES", 100_000)
    site.files["/x.zip"] = archive
    with pytest.raises(DataError, match=message):
        fetch("X", [source(url=site.url("/x.zip"), member="inner")], folder)
    assert kept(folder) == []


def test_mirror_of_the_configuration_and_of_the_environment(tmp_path, monkeypatch):
    monkeypatch.delenv("COASSOC_MIRROR", raising=False)
    assert mirror_directory({}) is None
    monkeypatch.setenv("COASSOC_MIRROR", str(tmp_path))
    assert mirror_directory({"mirror": None}) == tmp_path
    (tmp_path / "own").mkdir()
    assert mirror_directory({"mirror": str(tmp_path / "own")}) == tmp_path / "own"
    with pytest.raises(ConfigError, match=r"mirror: folder .*/nowhere not found\."):
        mirror_directory({"mirror": str(tmp_path / "nowhere")})
    monkeypatch.setenv("COASSOC_MIRROR", str(tmp_path / "nowhere"))
    refuses(ConfigError, r"COASSOC_MIRROR: folder .* not found", mirror_directory)


def test_archive_in_the_mirror(folder, mirror):
    write(mirror / "example.org/x.zip", zip_of(inner=TEXT))
    fetch("X", [source(url="https://example.org/x.zip", member="inner")], folder, mirror)
    assert (folder / "example.org/x.zip/inner").read_bytes() == TEXT
