"""A forked child is never stuck, and waiting threads leave the processor to others."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import torch

from herocon_lite import HeroConClassifier, fitting
from herocon_lite.runtime import isolated_rng, num_threads, one_thread, whole_step

FORK = """
import os, signal, threading, time
import numpy as np
from herocon_lite import HeroConClassifier

x = np.random.default_rng(0).standard_normal((60, 8))
Y = (x[:, :3] > 0).astype(int)

def fit(steps):
    model = HeroConClassifier(steps=steps, threshold=0.5, random_state=0)
    return model.fit([x[:, :4], x[:, 4:]], Y).predict_proba([x[:, :4], x[:, 4:]])

wanted = fit(3)
long = threading.Thread(target=fit, args=(3000,))
long.start()
time.sleep(0.5)  # it is training now, and holds the lock
child = os.fork()
if child == 0:
    signal.alarm(60)
    os._exit(0 if np.array_equal(fit(3), wanted) else 1)
assert long.is_alive()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_fork_during_another_threads_fit_can_fit(threads):
    env = {**os.environ, "OMP_NUM_THREADS": threads}
    command = [sys.executable, "-W", "ignore", "-c", FORK]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=200)
    assert done.stdout.strip() == "0", (done.stdout, done.stderr)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_waits_for_the_step_of_another_thread():
    """In a step torch's generator may be locked, and the child would have it locked for ever."""
    inside, over = threading.Event(), []

    def step():
        with whole_step():
            inside.set()
            time.sleep(0.3)
            over.append(True)

    thread = threading.Thread(target=step)
    thread.start()
    inside.wait()
    child = os.fork()
    if child == 0:
        os._exit(0 if over else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    thread.join()


@pytest.mark.filterwarnings("ignore:.*settled")
def test_training_and_prediction_of_tables_take_one_thread(monkeypatch):
    seen, each = [], fitting.each

    def look(*_):
        seen.append(torch.get_num_threads())

    monkeypatch.setattr(fitting, "each", lambda *given: look() or each(*given))
    x = np.random.default_rng(0).standard_normal((60, 8))
    model = HeroConClassifier(steps=3, device="cpu", callbacks=[look])
    with num_threads(2):
        model.fit([x[:, :4], x[:, 4:]], (x[:, :3] > 0).astype(int))
        trained = len(seen)
        model.predict([x[:, :4], x[:, 4:]])
        model.transform([x[:, :4], x[:, 4:]])
        assert len(seen) > trained > 3 and {*seen} == {1} and torch.get_num_threads() == 2


def test_a_prediction_waits_for_no_fit_and_leaves_its_threads_alone():
    trains, done = threading.Event(), threading.Event()

    def other():
        with isolated_rng():
            trains.set()
            done.wait(60)

    thread = threading.Thread(target=other)
    with num_threads(2):
        thread.start()
        trains.wait(60)
        with one_thread():
            assert torch.get_num_threads() == 2
        done.set()
        thread.join()
        with one_thread():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
