"""Files made to harm: they get one sentence, and neither memory nor disk for what they pretend."""

import gzip
import io
import os
import struct
import tarfile
import tracemalloc
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from herocon_lite.data import CARDS, fetch, formats, lazy, load
from herocon_lite.data.lazy import ImageArchive

LIMIT = 100_000
BOMB = bytes(300 * LIMIT)  # 30 MB of zeros; 30 KB when compressed


def idx(*shape: int, content: bytes = b"") -> bytes:
    return struct.pack(f">HBB{len(shape)}I", 0, 8, len(shape), *shape) + content


def npy(shape: tuple[int, ...], content: bytes) -> bytes:
    buffer = io.BytesIO()
    header = {"descr": "|u1", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(buffer, header)
    return buffer.getvalue() + content


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
    return buffer.getvalue()


def mat(shape: tuple[int, ...], content: bytes = b"") -> bytes:
    """A MATLAB 5 file with one matrix X1 of bytes, whatever its shape says."""

    def element(kind: int, data: bytes) -> bytes:
        return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)

    flags = element(6, struct.pack("<II", 9, 0))  # uint8
    inside = flags + element(5, struct.pack(f"<{len(shape)}i", *shape)) + element(1, b"X1")
    compressed = zlib.compress(element(14, inside + element(2, content)))
    head = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x0100) + b"IM"
    return head + struct.pack("<II", 15, len(compressed)) + compressed


HEADER = "@relation r\n@attribute a numeric\n@attribute b {0,1}\n"
HOSTILE = {
    "gz bomb": (formats.read_idx, gzip.compress(BOMB), "more than 100000 bytes"),
    "idx with more values than it has": (
        formats.read_idx,
        gzip.compress(idx(2**31, 2**31, 7, content=b"x")),
        "cannot be read",
    ),
    "idx with 255 axes": (formats.read_idx, gzip.compress(b"\0\0\x08\xff"), "requires a buffer"),
    "idx of floats": (formats.read_idx, gzip.compress(b"\0\0\x0d\x01\0\0\0\1"), "it starts b"),
    "gz cut short": (formats.read_idx, gzip.compress(idx(9, content=b"x" * 9))[:-9], "ended"),
    "no gz": (formats.read_idx, b"hello", "Not a gzipped file"),
    "npz bomb": (formats.read_npz, zipped(a_npy=npy((len(BOMB),), BOMB)), "more than 100000"),
    "npz with more values than it has": (
        formats.read_npz,
        zipped(a_npy=npy((2**36,), b"x" * 50)),
        "must be an .npz file of arrays",
    ),
    "npz with a pickle": (
        formats.read_npz,
        zipped(
            a_npy=b"\x93NUMPY\1\0\x46\0{'descr':'|O','fortran_order':False,'shape':(1,)}".ljust(80)
        ),
        "allow_pickle=False",
    ),
    "zip bomb": (formats.read_text, zipped(a_txt=BOMB), "more than 100000 bytes"),
    "zip without its text": (formats.read_text, zipped(b_txt=b"x"), "no item named 'a.txt'"),
    "large arff": (formats.read_arff, b"x" * (LIMIT + 1), "more than 100000 bytes"),
    "arff without rows": (formats.read_arff, HEADER.encode(), "no line @data"),
    "arff with too few columns": (
        formats.read_arff,
        (HEADER + "@data\n1\n2\n").encode(),
        "names 2 attributes, its rows have 1",
    ),
    "arff of words": (formats.read_arff, (HEADER + "@data\n1,x\n").encode(), "could not convert"),
    "arff of bytes": (formats.read_arff, b"\xff\xfe@data", "can't decode"),
    "mat that would be large": (formats.read_mat, mat((10**5, 10**4)), "more than 100000 bytes"),
    "mat with more values than it has": (formats.read_mat, mat((100, 100)), "cannot be read"),
    "mat with a shape below zero": (formats.read_mat, mat((-5, 3)), "cannot be read"),
    "mat of another version": (formats.read_mat, b"MATLAB 7.3 ".ljust(600, b"x"), "cannot be read"),
}
SUFFIX = {formats.read_text: ".zip", formats.read_npz: ".npz"}


@pytest.mark.filterwarnings("ignore:loadtxt")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_gets_a_sentence_and_little_memory(name, tmp_path):
    read, content, reason = HOSTILE[name]
    path = tmp_path / ("a" + SUFFIX.get(read, ""))
    path.write_bytes(content)
    key = ("X1",) if read is formats.read_mat else ()
    if key:
        import scipy.io  # noqa: F401, its import takes memory of its own
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=reason) as error:
            read(path, LIMIT, *key)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert str(error.value).startswith(f"{path} must be ")
    if name != "npz with more values than it has":  # asked for, never touched
        assert peak < 20 * LIMIT, peak


def test_the_same_files_whole_are_read(tmp_path):
    """The makers above make files that are right when they do not lie."""
    path = tmp_path / "a.zip"
    for read, content, expected in (
        (formats.read_idx, gzip.compress(idx(2, 1, content=b"ab")), [[97], [98]]),
        (formats.read_arff, (HEADER + "@data\n1,0\n").encode(), [[1, 0]]),
    ):
        path.write_bytes(content)
        got = read(path, LIMIT)
        assert (got[1] if isinstance(got, tuple) else got).tolist() == expected
    path.write_bytes(mat((2, 2), b"\1\2\3\4"))
    assert formats.read_mat(path, LIMIT, "X1").tolist() == [[1, 3], [2, 4]]
    path.write_bytes(zipped(a_npy=npy((2,), b"ab"), a_txt=b"text"))
    path.rename(tmp_path / "a.npz")
    path.write_bytes(zipped(a_txt=b"text"))
    assert formats.read_text(path, LIMIT) == "text"


# ------------------------------------------------------------------ pictures inside an archive


def picture(width: int, height: int) -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    Image.new("1", (width, height)).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.mark.parametrize("side", [300, 20_000])
def test_a_picture_that_unpacks_to_too_many_pixels_is_not_decoded(tmp_path, side):
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(**{"1_jpg": picture(side, side)}))
    with pytest.raises(ValueError, match=r"1\.jpg in .* at most 77608 pixels; it cannot be read"):
        ImageArchive.open(path, ["1.jpg"])


def test_what_is_no_picture(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(**{"1_jpg": b"hello"}))
    with pytest.raises(ValueError, match="cannot identify image file"):
        ImageArchive.open(path, ["1.jpg"])


def test_a_picture_that_is_a_bomb_in_its_zip(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(**{"1_jpg": picture(20, 20) + BOMB}))
    ImageArchive.open(path, ["1.jpg"])  # its header is that of a small picture
    tracemalloc.start()
    ImageArchive.open(path, ["1.jpg"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * lazy.MAX_BYTES < len(BOMB)


def test_a_picture_stored_with_too_many_bytes(tmp_path):
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        info = tarfile.TarInfo("1.jpg")
        info.size = lazy.MAX_BYTES + 1
        archive.addfile(info, io.BytesIO(bytes(info.size)))
    with pytest.raises(ValueError, match=f"an image of {lazy.MAX_BYTES + 1} bytes"):
        ImageArchive.open(path, ["1.jpg"])


@pytest.mark.parametrize("evil", ["../1.jpg", "/1.jpg", "a/../../1.jpg"])
def test_paths_inside_an_archive_lead_nowhere(tmp_path, evil):
    """Members are read in place; nothing is ever unpacked."""
    folder = tmp_path / "inside"
    folder.mkdir()
    with tarfile.open(folder / "a.tar", "w") as archive:
        info = tarfile.TarInfo(evil)
        info.size = len(picture(4, 4))
        archive.addfile(info, io.BytesIO(picture(4, 4)))
        link = tarfile.TarInfo("2.jpg")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    images = ImageArchive.open(folder / "a.tar", ["1.jpg", "2.jpg"])
    assert images.names == ("1.jpg",)  # a link is no picture
    assert images(np.array([0])).shape == (1, 3, 4, 4)
    assert os.listdir(folder) == ["a.tar"] and os.listdir(tmp_path) == ["inside"]


# ------------------------------------------------------------------ whole data sets


def test_every_card_limits_what_its_files_may_expand_to():
    for card in CARDS.values():
        for file in (file for part in card.parts.values() for file in part):
            assert 0 < file.limit < 8e9 and card.limit(Path(file.path)) == file.limit
            packed = file.path.endswith((".gz", ".npz")) or file.path == "list_attr_celeba.zip"
            assert bool(file.expanded) == (packed or card.name == "xrmb"), file.path
            assert not file.urls or file.checksum, file.path


def test_a_set_is_refused_before_it_expands(tmp_path, monkeypatch):
    """A file with the right name, on a card that knows no checksum."""
    monkeypatch.setenv("HEROCON_DATA", str(tmp_path))
    (tmp_path / "mnist").mkdir()
    card = CARDS["mnist"]
    small = {
        part: (replace(files[0], checksum=None, urls=(), expanded=LIMIT),)
        for part, files in card.parts.items()
    }
    monkeypatch.setitem(CARDS, "mnist", replace(card, parts=small))
    for files in small.values():
        (tmp_path / "mnist" / files[0].path).write_bytes(gzip.compress(BOMB))
    with pytest.raises(ValueError, match=r"ubyte\.gz must be a gzipped IDX file.* more than"):
        load("mnist")


def test_a_file_without_checksum_must_not_be_twice_too_large(tmp_path):
    (file,) = CARDS["xrmb"].parts["view 1"]
    path = tmp_path / file.path
    with path.open("wb") as stream:
        stream.write(file.starts_with)
        stream.truncate(file.limit + 1)  # a hole: no disk is used
    assert f"expected at most {file.limit}" in fetch.find_fault(path, file)
    with path.open("wb") as stream:
        stream.write(file.starts_with)
    assert fetch.find_fault(path, file) == ""
