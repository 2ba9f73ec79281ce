"""Fetching: mirror first, then the addresses; checksums; nothing half-written."""

import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from coassoc.datasets import sources as module
from coassoc.datasets.registry import Source, SourceFile
from coassoc.datasets.sources import fetch, mirror_directory, mirror_path
from coassoc.errors import ConfigError, DataError

TEXT = b"1,2,a\n3,4,b\n"
#: The checksum of that, and another one.
RIGHT = hashlib.sha256(TEXT).hexdigest()
SHA = "4b2a21c9be6e5ba0ad8fc0e8c3a1f8de0b9e6e3c2b8c5c1f9f1d5a1c7a3b9d10"


def put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def source(**file: str) -> Source:
    return Source(parser="delimited", files=[SourceFile(**file)])


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


def kept(folder: Path) -> list[str]:
    """Files that a fetch left behind, without the archives' locks."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")
    return sorted(str(path.relative_to(folder)) for path in files)


def test_mirror_comes_before_the_network(tmp_path, site):
    mirror, folder = tmp_path / "mirror", tmp_path / "kept"
    put(mirror / "example.org/a b/x.data", TEXT)
    record = fetch("X", [source(url="https://example.org/a%20b/x.data")], folder, mirror)
    assert record["files"][0]["path"] == "example.org/a b/x.data"
    assert record["files"][0]["origin"] == "https://example.org/a%20b/x.data"
    assert (folder / "example.org/a b/x.data").read_bytes() == TEXT
    assert site.asked == []


def test_every_source_is_looked_for_in_the_mirror_before_any_address(tmp_path, site):
    mirror = tmp_path / "mirror"
    put(mirror / "packages/x.data", TEXT)
    site.files["/x.data"] = TEXT
    wanted = [source(url=site.url("/x.data")), source(mirror="packages/x.data")]
    assert fetch("X", wanted, tmp_path / "kept", mirror)["source"] == 1
    assert site.asked == []


def test_download_and_reuse(tmp_path, site):
    site.files["/x.data"] = TEXT
    wanted = [source(url=site.url("/x.data"), sha256=RIGHT)]
    first = fetch("X", wanted, tmp_path / "kept")
    second = fetch("X", wanted, tmp_path / "kept")
    assert first == second
    assert site.asked == ["/x.data"]


def test_fetched_files_are_a_mirror(tmp_path, site):
    site.files["/d/x.zip"] = zip_of(inner=TEXT)
    wanted = [source(url=site.url("/d/x.zip"), member="inner")]
    first = fetch("X", wanted, tmp_path / "kept")
    site.files.clear()
    second = fetch("X", wanted, tmp_path / "other", mirror=tmp_path / "kept")
    assert first == second


def test_next_source_when_the_first_is_gone(tmp_path, site):
    site.files["/b"] = TEXT
    lines: list[str] = []
    wanted = [source(url=site.url("/a")), source(url=site.url("/b"))]
    record = fetch("X", wanted, tmp_path / "kept", log=lines.append)
    assert record["source"] == 1
    assert "404" in lines[0]


def test_broken_transfer_starts_again(tmp_path, site):
    site.files["/x"], site.broken["/x"] = TEXT * 1000, 1
    record = fetch("X", [source(url=site.url("/x"))], tmp_path / "kept")
    assert (tmp_path / "kept" / record["files"][0]["path"]).read_bytes() == TEXT * 1000
    assert site.asked == ["/x", "/x"]


def test_broken_transfer_leaves_nothing(tmp_path, site):
    site.files["/x"], site.broken["/x"] = TEXT * 1000, 5
    with pytest.raises(DataError, match=r"X: no source could be used: .*/x: the transfer broke"):
        fetch("X", [source(url=site.url("/x"))], tmp_path / "kept")
    assert kept(tmp_path / "kept") == []


def test_unreachable_address(tmp_path, site):
    site.server.server_close()
    with pytest.raises(DataError, match=r"X: no source could be used: .*/x: cannot be reached\.$"):
        fetch("X", [source(url=site.url("/x"))], tmp_path / "kept")


def test_download_with_another_checksum(tmp_path, site):
    site.files["/x"] = TEXT
    with pytest.raises(DataError, match=f"expected sha256 {SHA}, found {RIGHT}"):
        fetch("X", [source(url=site.url("/x"), sha256=SHA)], tmp_path / "kept")
    assert kept(tmp_path / "kept") == []


def test_wrong_file_in_the_mirror(tmp_path):
    mirror = tmp_path / "mirror"
    put(mirror / "packages/x", TEXT)
    with pytest.raises(DataError, match=rf"{mirror}/packages/x: expected sha256 {SHA}, found "):
        fetch("X", [source(mirror="packages/x", sha256=SHA)], tmp_path / "kept", mirror)
    assert kept(tmp_path / "kept") == []


def test_nothing_anywhere(tmp_path):
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    with pytest.raises(DataError, match="X: no source could be used: nothing of it in the mirror"):
        fetch("X", [source(mirror="packages/x")], tmp_path / "kept", mirror)
    with pytest.raises(DataError, match="no mirror directory is set"):
        fetch("X", [source(mirror="packages/x")], tmp_path / "kept")


def test_rejected_files_are_put_aside_and_the_next_source_is_used(tmp_path, site):
    site.files |= {"/bad": b"<html>moved</html>", "/good": TEXT}

    def accept(chosen: Source, paths: list[Path]) -> None:
        if not paths[0].read_bytes().startswith(b"1"):
            raise DataError("not a table")

    wanted = [source(url=site.url("/bad")), source(url=site.url("/good"))]
    folder = tmp_path / "kept"
    record = fetch("X", wanted, folder, accept=accept)
    assert record["source"] == 1
    assert kept(folder) == [f"{site.folder}/good", f"rejected/{site.folder}/bad"]


def test_files_of_an_earlier_fetch_are_not_put_aside(tmp_path, site):
    """Two data sets may share a file that only one of them accepts."""
    site.files["/x"] = TEXT
    fetch("X", [source(url=site.url("/x"))], tmp_path / "kept")

    def refuse(chosen: Source, paths: list[Path]) -> None:
        raise DataError("too small")

    with pytest.raises(DataError, match=r"Y: no source could be used: .*: too small"):
        fetch("Y", [source(url=site.url("/x"))], tmp_path / "kept", accept=refuse)
    assert kept(tmp_path / "kept") == [f"{site.folder}/x"]


@pytest.mark.parametrize(
    "archive",
    [
        zip_of(inner=TEXT),
        zip_of(folder__inner=TEXT),
        tar_of("inner", TEXT),
        tar_of("./a/inner", TEXT),
    ],
    ids=["zip", "zip with folder", "tar", "tar with folder"],
)
def test_members_of_archives(tmp_path, site, archive):
    site.files["/x.archive"] = archive
    wanted = source(url=site.url("/x.archive"), member="inner", sha256=RIGHT)
    record = fetch("X", [wanted], tmp_path / "kept")
    assert record["files"][0]["path"].endswith("/x.archive/inner")
    assert (tmp_path / "kept" / record["files"][0]["path"]).read_bytes() == TEXT


def test_an_archive_is_downloaded_once(tmp_path, site):
    site.files["/x.zip"] = zip_of(a=TEXT, b=TEXT)
    files = [SourceFile(url=site.url("/x.zip"), member=name) for name in "ab"]
    fetch("X", [Source(parser="delimited", files=files)], tmp_path / "kept")
    assert site.asked == ["/x.zip"]


def test_archive_in_the_mirror(tmp_path):
    mirror = tmp_path / "mirror"
    put(mirror / "example.org/x.zip", zip_of(inner=TEXT))
    wanted = source(url="https://example.org/x.zip", member="inner")
    record = fetch("X", [wanted], tmp_path / "kept", mirror)
    assert (tmp_path / "kept" / record["files"][0]["path"]).read_bytes() == TEXT


@pytest.mark.parametrize(
    ("archive", "message"),
    [
        (tar_of("inner", b"", tarfile.SYMTYPE), "the member inner is a link, not a file"),
        (tar_of("inner", b"", tarfile.LNKTYPE), "the member inner is a link, not a file"),
        (tar_of("inner", bytes(range(256)) * 50)[:300], "the archive is damaged"),
        (zip_of(inner=TEXT).replace(b"1,2,a", b"1,2,x"), "the archive is damaged"),
        (zip_of(inner=TEXT)[:50], "neither a zip nor a tar archive"),
        (b"<html>", "neither a zip nor a tar archive"),
        (zip_of(other=TEXT), "the archive has no member inner"),
        (zip_of(inner=bytes(10_000_000)), "a member is larger than 100000 bytes"),
    ],
    # Bytes of archives have the time in them, and workers must find the same names.
    ids=["symlink", "link", "cut tar", "wrong sum", "cut zip", "page", "no member", "large"],
)
def test_archives_that_are_refused_are_put_aside(tmp_path, site, monkeypatch, archive, message):
    monkeypatch.setattr(module, "MAX_BYTES", 100_000)
    site.files["/x.zip"] = archive
    with pytest.raises(DataError, match=message):
        fetch("X", [source(url=site.url("/x.zip"), member="inner")], tmp_path / "kept")
    assert kept(tmp_path / "kept") == [f"rejected/archives/{site.folder}/x.zip"]


def test_archives_that_cannot_be_unpacked_say_what_to_do(tmp_path):
    wanted = source(url="https://example.org/x.rar", member="inner")
    with pytest.raises(DataError, match=r"unpack it yourself .* member at example.org/x.rar"):
        fetch("X", [wanted], tmp_path / "kept")


def test_unwritable_folder(tmp_path):
    put(tmp_path / "mirror/packages/x", TEXT)
    (tmp_path / "kept").write_text("a file, not a folder")
    with pytest.raises(DataError, match=r"X: .*kept: "):
        fetch("X", [source(mirror="packages/x")], tmp_path / "kept", tmp_path / "mirror")


def test_mirror_of_the_configuration_and_of_the_environment(tmp_path, monkeypatch):
    monkeypatch.delenv("COASSOC_MIRROR", raising=False)
    assert mirror_directory({}) is None
    monkeypatch.setenv("COASSOC_MIRROR", str(tmp_path))
    assert mirror_directory({"mirror": None}) == tmp_path
    (tmp_path / "own").mkdir()
    assert mirror_directory({"mirror": str(tmp_path / "own")}) == tmp_path / "own"
    with pytest.raises(ConfigError, match=r"mirror: there is no directory .*/nowhere\."):
        mirror_directory({"mirror": str(tmp_path / "nowhere")})
    monkeypatch.setenv("COASSOC_MIRROR", str(tmp_path / "nowhere"))
    with pytest.raises(ConfigError, match=r"COASSOC_MIRROR: there is no directory"):
        mirror_directory()


def test_paths_below_a_mirror():
    assert mirror_path(SourceFile(url="https://example.org/a", mirror="p/q")) == "p/q"
