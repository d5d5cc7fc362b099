# %% [markdown]
# # How do I add my own method?

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show set-up", "code_prompt_hide": "Hide set-up"}
import contextlib
import io
import os
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

from herocon_lite.methods import register_file
from herocon_lite.repro import plots
from herocon_lite.repro.chapter import Checks, answer, attempt, badges, say
from herocon_lite.repro.query import Store
from herocon_lite.repro.runner import execute_all
from herocon_lite.repro.settings import Run
from herocon_lite.repro.stats import compare

plt.style.use("herocon_lite.repro.book")
here = Path.cwd()
os.chdir(tempfile.mkdtemp())  # what this page writes goes there
check = Checks()
badges(check, reads="4 min", runs="15 s")

# %% tags=["remove-input"]
answer("""**Write one class of about ten lines, and train it with one command.** It gets the encoders, the splits, the schedule and the
stored record of every other row, so your loss is all that differs. `table --against` then says whether it beats a stored row, paired by seed
and with intervals.""")

# %% [markdown]
# ## The class
#
# `ViewContrast` trains $L_c + \alpha\,L_u$ on all samples, labelled or not. You fill in $L_u$. Its argument is a list with the projections
# of each view, each of shape (samples, dimensions). This one only pulls the two views together, without negatives:

# %%
# %%writefile my_method.py
import torch.nn.functional as F

from herocon_lite.methods.contrastive import ViewContrast


class Attract(ViewContrast):
    def unsupervised(self, z):
        z1, z2 = (F.normalize(v, dim=1) for v in z)
        return (z1 - z2).square().sum(1).mean()


# %% [markdown]
# For a loss that reads labels, subclass `Contrastive`, set `beta` and write `supervised(self, S, Y)`. For anything else subclass
# `Method` and return named terms. `python -m herocon_lite run` checks shapes, seeds and finiteness for you.
#
# ## The command
#
# ```sh
# python -m herocon_lite run yeast my_method.py:Attract --budget paper --seeds 20
# python -m herocon_lite table yeast --against herocon-u-g1
# ```
#
# Options of the class can be set as for any row: `--set alpha=1`. A record carries a digest of your file, so a changed file is a new run, and
# the same one is never trained twice. The same in Python, with quick runs beside three stored kinds:

# %% tags=["remove-output"]
mine = register_file("my_method.py:Attract")
rows = ["dnn", "dnn-bnu", "herocon-u-g1", mine]
runs = [Run("yeast", m, seed) for seed in range(5) for m in rows]
with contextlib.redirect_stderr(io.StringIO()):  # no bars here
    execute_all(runs, Path("mine"))

# %% tags=["remove-input"] mystnb={"image": {"alt": "Two panels, F1 and AUC on yeast. One row each for the plain network, contrast with equal weights and the new method shows the difference to the control: a dot per seed, mean and 95 percent interval, and a line at zero. All lie within two points of zero."}, "figure": {"caption": "Quick runs on yeast, five seeds of 60 steps: F1 and AUC minus those of the control *DNN + BN(U)*, in points. *What to see:* the new row stands beside the stored kinds, on the same seeds and splits. Quick runs decide nothing.", "name": "fig-own-method"}}
store = Store("mine", "yeast", budget="smoke")
TITLES = {"dnn": "DNN", "herocon-u-g1": "L_u, g ≡ 1", mine: "Attract"}
gaps = {
    (title, metric): store.difference(
        {"method": name}, {"method": "dnn-bnu"}, metric
    )
    for name, title in TITLES.items()
    for metric in ("f1", "auc")
}
axes = plt.subplots(1, 2, figsize=(9, 1.8), sharey=True, layout="constrained")[
    1
]
for ax, metric in zip(axes, ("f1", "auc"), strict=True):
    plots.seed_rows(
        ax, {t: gaps[t, metric] for t in TITLES.values()}, zero=True
    )
    ax.set(xlabel=f"{metric.upper()} − control, points")
os.chdir(here)
plt.show()

# %% tags=["remove-input"]
found = {key: compare(values) for key, values in gaps.items()}
assert all(c.n == 5 for c in found.values())
assert all(abs(c.estimate) < 2.5 for c in found.values())
say(f"""All {len(found)} differences are within three points of zero. Run the paper's budget and twenty seeds before you believe one, and
correct for the number of comparisons ([How do we compare methods fairly?](compare_fairly.ipynb)).""")

# %% [markdown]
# ## What is the same for every row
#
# | | |
# |---|---|
# | data, splits, seeds | `data.split`: the same labelled samples for all methods of a seed |
# | encoders, classifier, projectors | `models`: two layers of 200 a view on tables |
# | optimiser, steps, batches | `train`: LARS, the schedule of the data set |
# | scores | `metrics.evaluate`: weighted F1 at 0.4, macro AUC |
# | record | one line in `results/runs/`, with commit, versions, processor and splits |
#
# ## Where it breaks
#
# - **Your file is code.** `run` executes it. Run only files that you trust.
# - **One file.** Put helpers into the same file, or into an installed package; only this file's digest is in the record.
# - **Scale.** The weight $\alpha$ has no meaning across losses of different size. Choose it inside the labelled samples
#   (`--protocol cross-validation`), for the rival, too.
#
# ## What we learnt
#
# - A fair row is a loss and nothing else: everything around it is shared and recorded.
# - Compare with the control and with the nearest row, not with the plain network alone.
# - Quick runs show that code works. They do not show that a method does.
#
# ## Exercises
#
# **1.** Two views agree perfectly. What is the loss of `Attract`, and what is it if they are opposite?

# %%
answer_1 = ..., ...  # equal, opposite
attempt("add_a_method.ends", *answer_1)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Show solution 1", "code_prompt_hide": "Hide solution 1"}
answer_1 = 0, 4  # |z − z|² and |z + z|² of unit vectors
attempt("add_a_method.ends", *answer_1)
