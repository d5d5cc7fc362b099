"""The command line: python -m herocon_lite COMMAND."""

import sys

from herocon_lite import environment

environment.prepare()

if __name__ == "__main__":
    from herocon_lite.repro.cli import main

    sys.exit(main())
