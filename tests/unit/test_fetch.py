"""Finding and fetching files, against a local server that misbehaves in every way we know."""

import errno
import hashlib
import subprocess
import sys
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from herocon_lite.data import CARDS, Card, fetch, load
from herocon_lite.data.cards import File

CONTENT = bytes(range(256)) * 400  # 102,400 bytes
SHA = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"


class Server:
    """A local HTTP server; ``answers`` maps a path to the answers it gives one after another."""

    def __init__(self):
        self.answers: dict[str, list] = {}
        self.asked: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                server.asked.append(self.path)
                answers = server.answers.get(self.path, [("status", 404)])
                kind, value = answers.pop(0) if len(answers) > 1 else answers[0]
                if kind == "status":
                    self.send_error(value)
                elif kind == "redirect":
                    self.send_response(302)
                    self.send_header("Location", value)
                    self.end_headers()
                else:
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(value)))
                    self.end_headers()
                    # "dies": promises all, sends half, hangs up
                    self.wfile.write(value if kind == "whole" else value[: len(value) // 2])
                    if kind == "hangs":
                        self.wfile.flush()
                        server.half_sent.set()
                        server.go_on.wait(20)
                self.close_connection = True

            def log_message(self, *_):
                pass

        self.half_sent, self.go_on = threading.Event(), threading.Event()
        self.httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.httpd.daemon_threads = True
        threading.Thread(target=self.httpd.serve_forever, args=(0.01,), daemon=True).start()

    def url(self, path: str, *answers) -> str:
        self.answers[path] = list(answers)
        return f"http://127.0.0.1:{self.httpd.server_port}{path}"


@pytest.fixture
def server():
    server = Server()
    yield server
    server.go_on.set()
    server.httpd.shutdown()
    server.httpd.server_close()


@pytest.fixture
def root(tmp_path, monkeypatch):
    """An empty downloads folder, no HEROCON_DATA, and no waiting between rounds."""
    monkeypatch.delenv("HEROCON_DATA", raising=False)
    monkeypatch.delenv("HEROCON_ACCEPT_TERMS", raising=False)
    for proxy in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
    root = tmp_path / "downloads"
    root.mkdir()
    monkeypatch.setattr(fetch, "download_folder", lambda: root)
    monkeypatch.setattr(fetch.time, "sleep", lambda seconds: None)
    return root


def toy_card(*urls: str) -> Card:
    file = File("a.bin", SHA, len(CONTENT), urls)
    return Card(
        "toy", "Toy", "multiclass", "A toy.", "https://toy.example/page", "toy licence", "Nobody.",
        {"a": (file,)}, by_hand="Ask Nobody.", stand_in="yeast",
    )  # fmt: skip


def get(card: Card) -> Path:
    paths, _ = fetch.obtain(card, ("a",), download=True, accept_terms=False)
    return paths["a"]


def assert_only(root: Path, *files: str) -> None:
    """Nothing but these files below root: no temporary, no empty folder."""
    assert sorted(str(p.relative_to(root)) for p in root.rglob("*") if not p.is_dir()) == list(
        files
    )
    assert [p for p in root.rglob("*") if p.is_dir() and not any(p.iterdir())] == []


def assert_right(root: Path, card: Card) -> None:
    assert get(card).read_bytes() == CONTENT
    assert_only(root, "toy/a.bin")


def assert_refused(root: Path, card: Card, reason: str) -> None:
    with pytest.raises(FileNotFoundError, match=reason):
        get(card)
    assert_only(root)


# ------------------------------------------------------------------ downloads that end well


def test_good_file_is_fetched_once(root, server):
    card = toy_card(server.url("/a", ("whole", CONTENT)))
    assert_right(root, card)
    assert_right(root, card)
    assert server.asked == ["/a"]


def test_redirect(root, server):
    target = server.url("/moved", ("whole", CONTENT))
    assert_right(root, toy_card(server.url("/a", ("redirect", target))))


def test_404_then_a_good_mirror(root, server):
    gone = server.url("/gone", ("status", 404))
    assert_right(root, toy_card(gone, server.url("/mirror", ("whole", CONTENT))))
    assert server.asked == ["/gone", "/mirror"]


def test_server_that_dies_half_way_is_tried_again(root, server):
    assert_right(root, toy_card(server.url("/a", ("dies", CONTENT), ("whole", CONTENT))))
    assert len(server.asked) == 2


def test_wrong_official_file_then_a_good_mirror(root, server):
    wrong = server.url("/a", ("whole", b"<html>moved</html>"))
    assert_right(root, toy_card(wrong, server.url("/b", ("whole", CONTENT))))


# ------------------------------------------------------------------ downloads that must not count


def test_truncated_file(root, server):
    """The server believes it sent all: only the checksum knows."""
    short = server.url("/a", ("whole", CONTENT[:-1]))
    assert_refused(root, toy_card(short), "does not match")


def test_wrong_checksum(root, server):
    other = server.url("/a", ("whole", CONTENT[::-1]))
    assert_refused(root, toy_card(other), "does not match")
    assert len(server.asked) == fetch.MAX_ATTEMPTS


def test_server_that_always_dies(root, server):
    assert_refused(root, toy_card(server.url("/a", ("dies", CONTENT))), "127.0.0.1")


def test_server_that_sends_without_end_is_stopped(root, server):
    much = server.url("/a", ("whole", CONTENT * 30))
    assert_refused(root, toy_card(much), f"sends more than {2 * len(CONTENT)} bytes")


def test_error_names_address_file_place_licence_and_stand_in(root, server):
    url = server.url("/a", ("status", 404))
    with pytest.raises(FileNotFoundError) as error:
        get(toy_card(url))
    for text in (url, "a.bin", str(root), "toy licence", 'load("yeast")', "Ask Nobody", "404"):
        assert text in str(error.value), text


def test_full_disk(root, server, monkeypatch):
    import pooch

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", full)
    with pytest.raises(OSError, match=r"a\.bin could not be written: No space left") as error:
        get(toy_card(server.url("/a", ("whole", CONTENT))))
    assert error.value.errno == errno.ENOSPC
    assert_only(root)


def test_killed_fetch_leaves_nothing_that_looks_whole(root, server):
    url = server.url("/a", ("hangs", CONTENT), ("whole", CONTENT))
    code = f"""
from pathlib import Path
from herocon_lite.data import fetch
from test_fetch import get, toy_card
fetch.download_folder = lambda: Path({str(root)!r})
get(toy_card({url!r}))
"""
    child = subprocess.Popen(
        [sys.executable, "-c", code], cwd=Path(__file__).parent, stderr=subprocess.DEVNULL
    )
    assert server.half_sent.wait(30)
    child.kill()
    child.wait()
    assert not (root / "toy").exists()
    assert get(toy_card(url)).read_bytes() == CONTENT


# ------------------------------------------------------------------ finding


def test_own_folder_comes_first_and_is_never_written_to(root, server, tmp_path, monkeypatch):
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.setenv("HEROCON_DATA", str(own))
    card = toy_card(server.url("/a", ("whole", CONTENT)))
    assert get(card) == root / "toy" / "a.bin"
    assert list(own.iterdir()) == []
    (own / "toy").mkdir()
    (own / "toy" / "a.bin").write_bytes(CONTENT)
    assert get(card) == own / "toy" / "a.bin"


def test_damaged_file_on_disk_is_an_error_and_stays(root, server):
    (root / "toy").mkdir()
    (root / "toy" / "a.bin").write_bytes(CONTENT[:-1])
    card = toy_card(server.url("/a", ("whole", CONTENT)))
    with pytest.raises(ValueError, match=r"cannot be used: its sha256 is .* truncated, changed"):
        get(card)
    assert server.asked == [] and (root / "toy" / "a.bin").exists()
    (root / "toy" / "a.bin").write_bytes(CONTENT)  # mended: noticed in the same process
    assert get(card).read_bytes() == CONTENT


def test_data_folder_that_does_not_exist(root, monkeypatch):
    monkeypatch.setenv("HEROCON_DATA", "/no/such/folder")
    with pytest.raises(NotADirectoryError, match="HEROCON_DATA must name a folder"):
        get(toy_card())


def test_download_can_be_switched_off(root, server):
    card = toy_card(server.url("/a", ("whole", CONTENT)))
    with pytest.raises(FileNotFoundError, match=r"lacks a\.bin"):
        fetch.obtain(card, ("a",), download=False, accept_terms=False)
    assert server.asked == []


def test_set_that_can_only_be_had_by_hand_is_not_begun(root, server, monkeypatch):
    """MOCHA's licence file has an address, its frames have none."""
    card = CARDS["mocha"]
    licence = replace(card.parts["licence"][0], urls=(server.url("/l", ("whole", b"licence")),))
    parts = {**card.parts, "licence": (licence,)}
    monkeypatch.setitem(CARDS, "mocha", replace(card, parts=parts))
    with pytest.raises(FileNotFoundError, match="not an official one"):
        load("mocha")
    assert server.asked == []
    assert_only(root)


def test_a_second_file_that_fails_leaves_an_incomplete_set(root, server):
    """What was fetched is kept and not fetched again, and the set does not count as whole."""
    card = toy_card(server.url("/a", ("whole", CONTENT)))
    bad = server.url("/b", *[("status", 500)] * fetch.MAX_ATTEMPTS, ("whole", CONTENT))
    card = replace(card, parts={**card.parts, "b": (File("b.bin", SHA, len(CONTENT), (bad,)),)})
    with pytest.raises(FileNotFoundError, match="500"):
        fetch.obtain(card, ("a", "b"), download=True, accept_terms=False)
    assert_only(root, "toy/a.bin")
    assert fetch.locate(card, ("a", "b"))[0] is None
    fetch.obtain(card, ("a", "b"), download=True, accept_terms=False)
    assert_only(root, "toy/a.bin", "toy/b.bin")
    assert server.asked.count("/a") == 1


def test_terms_must_be_accepted(root, server, monkeypatch):
    url = server.url("/a", ("status", 404))
    card = CARDS["celeba"]
    parts = {part: (replace(files[0], urls=(url,)),) for part, files in card.parts.items()}
    monkeypatch.setitem(CARDS, "celeba", replace(card, parts=parts))
    with pytest.raises(PermissionError, match="HEROCON_ACCEPT_TERMS=celeba"):
        load("celeba")
    assert server.asked == []
    with pytest.raises(FileNotFoundError):
        load("celeba", accept_terms=True)
    asked = len(server.asked)
    assert asked > 0
    monkeypatch.setenv("HEROCON_ACCEPT_TERMS", "another, celeba")
    with pytest.raises(FileNotFoundError):
        load("celeba")
    assert len(server.asked) > asked


def test_what_has_no_checksum_is_never_fetched(root, server):
    """XRMB's checksums are not known, so it is fetched by hand."""
    assert not any(file.urls for part in CARDS["xrmb"].parts.values() for file in part)
    with pytest.raises(FileNotFoundError, match="Their checksums are not known"):
        load("xrmb", accept_terms=True)


def test_load_end_to_end(root, server, monkeypatch):
    """Two small files in Scene's format, from a server into arrays."""
    header = "".join(f"@attribute Att{i} numeric\n" for i in range(294))
    header += "".join(f"@attribute Label{i} {{0,1}}\n" for i in range(6)) + "\n@data\n"
    row = ",".join(["0.25"] * 294 + ["0", "1", "0", "0", "0", "1"])
    parts = {}
    for part, rows in (("train", 3), ("test", 2)):
        content = (f"@relation scene\n{header}" + f"{row}\n" * rows).encode()
        checksum = f"sha256:{hashlib.sha256(content).hexdigest()}"
        url = server.url(f"/{part}", ("whole", content))
        parts[part] = (File(f"scene-{part}.arff", checksum, len(content), (url,)),)
    monkeypatch.setitem(CARDS, "scene", replace(CARDS["scene"], parts=parts))
    data = load("scene")
    assert data.views[0].shape == (5, 294) and data.views[0].dtype == "float32"
    assert data.labels.tolist() == [[0, 1, 0, 0, 0, 1]] * 5
    assert data.label_names == tuple(f"Label{i}" for i in range(6))
    assert data.checksums == data.card.checksum
