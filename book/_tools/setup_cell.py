# Make `herocon_lite` importable: no-op if installed; a checkout's own copy; on Colab, a clone.
import os
import subprocess
import sys
from importlib.util import find_spec

if find_spec("herocon_lite") is None:
    if not os.path.isdir("../herocon_lite"):
        url = os.environ.get("HEROCON_REPO", "REPOSITORY")
        if not os.path.isdir("repo"):  # after a restart the clone is still there
            subprocess.run(["git", "clone", "-q", "--depth", "1", url, "repo"], check=True)
            print(f"Cloned {url} into {os.path.abspath('repo')}.")
        needed = {"pooch": "pooch", "safetensors": "safetensors", "tqdm": "tqdm", "yaml": "pyyaml"}
        missing = [package for module, package in needed.items() if find_spec(module) is None]
        if missing:  # without their dependencies: torch and numpy stay as they are
            pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps"]
            subprocess.run([*pip, *missing], check=True)
            print(f"Installed {', '.join(missing)}.")
        os.chdir("repo/book")
    sys.path.insert(0, os.path.abspath(".."))

from herocon_lite import environment

environment.prepare(threads=1)  # before torch is loaded: small networks gain nothing from more
