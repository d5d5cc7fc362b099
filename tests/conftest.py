"""Tests run in one thread, with the sums and the waiting of the command line and the notebooks."""

import multiprocessing

from herocon_lite import environment

environment.prepare(threads=1)  # before torch is loaded; child processes inherit it

# Tests that need processes have them forked from a server, which imports once and holds no lock. A
# fork of the tests' own process shares tqdm's: killed while it has it, it stops every later test.
multiprocessing.set_forkserver_preload(["herocon_lite.repro.runner", "pandas"])
