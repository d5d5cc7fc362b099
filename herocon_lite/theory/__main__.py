"""`python -m herocon_lite.theory [PART …]`: makes the stored simulations of the theory chapters."""

import sys
from functools import partial
from pathlib import Path

from herocon_lite.theory import information, spheres

PARTS = {"bounds": information.make} | {n: partial(spheres.make, n) for n in spheres.MAKERS}


def main(names: list[str]) -> None:
    if unknown := set(names) - PARTS.keys():
        raise SystemExit(f"parts are {', '.join(PARTS)}; got {', '.join(sorted(unknown))}.")
    if not Path("results").is_dir():
        raise SystemExit("Run this from the top of the repository: results/ is not here.")
    for name in names or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
