"""Tiny files in the formats of the catalogue, and a web server that can misbehave."""

import gzip
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coassoc.bench.datasets.features import Parsed
from coassoc.bench.datasets.parsers import parse

#: Features that files hold.
X = np.array([[1.5, 2.0], [3.0, 4.0], [5.0, 6.5]])
SPARSE = np.array([[0, 2, 0, 1], [0, 0, 0, 0], [3, 0, 0, 4.0]])

PROJECT = Path(__file__).parents[1]


@pytest.fixture
def project() -> Path:
    return PROJECT


class Site:
    """A web server on this machine: `files` by path; a path in `broken` ends half-way."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.broken: dict[str, int] = {}
        self.asked: list[str] = []
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append(self.path)
                body = site.files.get(self.path)
                if body is None:
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if site.broken.get(self.path, 0) > 0:
                    site.broken[self.path] -= 1
                    body = body[: len(body) // 2]
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.server.server_port}"
        #: Where its files are kept.
        self.folder = self.host.replace(":", "_")
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def url(self, path: str) -> str:
        return f"http://{self.host}{path}"


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """The server; downloads that start again do so at once."""
    monkeypatch.setattr("coassoc.bench.datasets.sources.time.sleep", lambda seconds: None)
    site = Site()
    yield site
    site.server.shutdown()
    site.server.server_close()


def unix_compress(text: str) -> bytes:
    """A .Z file of a short text: nothing but literal codes of nine bits."""
    assert len(text) < 250
    bits = "".join(format(byte, "09b")[::-1] for byte in text.encode())
    bits += "0" * (-len(bits) % 8)
    packed = bytes(int(bits[i : i + 8][::-1], 2) for i in range(0, len(bits), 8))
    return b"\x1f\x9d\x90" + packed


def gz(text: str) -> bytes:
    return gzip.compress(text.encode())


def write(path: Path, content: str | bytes) -> Path:
    """Write a small file, in folders that are made, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def parsed(parser: str, path: Path, content: str | bytes | None = None, **arguments: Any) -> Parsed:
    """What a parser finds in one file, of which the content is written before if it is given."""
    if content is not None:
        write(path, content)
    return parse(parser, {"data": [path]}, arguments)
