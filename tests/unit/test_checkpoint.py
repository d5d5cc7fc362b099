"""Files are whole or as they were: after a kill, on a full disk, with several writers."""

import os
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from herocon_lite.checkpoint import atomic_write


def test_bytes_text_and_functions_are_written(tmp_path):
    path = tmp_path / "new" / "folder" / "file"
    for content, wanted in (
        (b"\x00\r\n", b"\x00\r\n"),
        ("τ = 1\n", "τ = 1\n".encode()),
        (lambda beside: beside.write_bytes(b"mine"), b"mine"),
    ):
        atomic_write(path, content)
        assert path.read_bytes() == wanted
    assert [p.name for p in path.parent.iterdir()] == ["file"]
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_a_writer_that_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    atomic_write(path, "old")

    def half(beside):
        beside.write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        atomic_write(path, half)
    assert path.read_text() == "old" and len(list(tmp_path.iterdir())) == 1


def test_a_folder_or_a_file_in_the_way_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "file" / "inside", tmp_path / "folder"):
        with pytest.raises(OSError, match=rf"{path} could not be written \("):
            atomic_write(path, "text")
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="limits are POSIX's")
def test_a_full_disk_is_named_and_the_old_file_stays(tmp_path):
    code = f"""
import resource
from herocon_lite.checkpoint import atomic_write
atomic_write({str(tmp_path / "file")!r}, "old")
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))  # stands for a full disk
try:
    atomic_write({str(tmp_path / "file")!r}, b"x" * 5000)
except OSError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"{tmp_path / 'file'} could not be written (File too large)" in run.stdout
    assert (tmp_path / "file").read_text() == "old" and len(list(tmp_path.iterdir())) == 1


def test_readers_and_writers_at_once_see_whole_files(tmp_path):
    path, size = tmp_path / "file", 200_000
    atomic_write(path, b"0" * size)

    def write(digit):
        for _ in range(20):
            atomic_write(path, b"%d" % digit * size)

    with ThreadPoolExecutor(3) as pool:
        writers = [pool.submit(write, digit) for digit in (1, 2, 3)]
        while not all(w.done() for w in writers):
            content = path.read_bytes()
            assert len(content) == size and len(set(content)) == 1
        assert all(w.exception() is None for w in writers)
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_killed_writer_leaves_a_whole_file(tmp_path):
    path, size = tmp_path / "file", 2_000_000
    code = f"""
from herocon_lite.checkpoint import atomic_write
while True:
    for digit in b"12":
        atomic_write({str(path)!r}, bytes([digit]) * {size})
"""
    for number in range(5):
        writer = subprocess.Popen([sys.executable, "-c", code])
        while not path.exists():
            time.sleep(0.01)
        time.sleep(0.02 * number)
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        content = path.read_bytes()
        assert len(content) == size and len(set(content)) == 1
        path.unlink()
