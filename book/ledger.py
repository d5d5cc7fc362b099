# %% [markdown]
# # Every claim, with a verdict: the ledger
#
# *Reads in 5 minutes, runs in 10 seconds on a CPU.*
#
# One row for each claim of the HeroCon paper {cite}`zheng2022herocon` that we took up: its lemmas
# and ranges, the counts of its Table 1, every cell of its two result tables, the sentences that set
# one method above another, and what its figures say. Each row has the paper's value, the public code's where
# we know it, ours with its interval, a verdict, and the page that shows it.
#
# **What we will see**
#
# - The rules that make a verdict, and when they were changed.
# - A summary in the form of a reproducibility report.
# - The ledger. Type a word, or choose a verdict.
#
# This page is made from the stored runs. It fills in as they come, and the command line prints the
# same rows:
#
# ```sh
# python -m herocon_lite ledger --csv
# ```

# %%
from collections import Counter
from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import HTML, Markdown
from scipy.stats import ttest_ind_from_stats

from herocon_lite.repro import ledger, paper, plots, points, query, stats
from herocon_lite.repro.ledger import rules, words
from herocon_lite.repro.ledger.rules import State
from herocon_lite.repro.text import table

plt.style.use("herocon_lite.repro.book")

# %% tags=["nbval-ignore-output"]
rows = ledger.ledger("../results")
runs = query.load("../results")
cells = [row for row in rows if row.kind == "cell"]
print(f"{len(rows)} claims, {len(runs)} stored runs")

# %% [markdown]
# ## Summary
#
# In the form that reproducibility challenges ask for. Every result in it comes from a cell.
#
# ### Scope
#
# The paper proposes two weighted contrastive losses for data with several views and several labels.
# It claims that (1) the vanilla loss is harmed by false negatives and weights relieve that, (2) both
# losses bound mutual information from below, (3) its method outperforms others with few labels, on
# four data sets, (4) it withstands noise, and (5) its time grows with the square of the negative
# set. We took the claims that are listed in `herocon_lite/repro/paper.yaml`; explanations that no run here can
# test are left out, save one (G6).

# %% mystnb={"markdown_format": "gfm"} tags=["remove-input", "nbval-ignore-output"]
kinds = Counter(row.kind for row in rows)
lines = []
for kind, title in ledger.KINDS.items():
    open_ = {ledger.Verdict.NOT_RUN, ledger.Verdict.UNDECIDED}
    decided = [r for r in rows if r.kind == kind and r.verdict not in open_]
    lines.append([title, kinds[kind], len(decided)])
table(["claims", "rows", "with a verdict"], lines, align="lrr")

# %% [markdown]
# ### Method
#
# We wrote the losses, the methods and the training loop anew from the paper's text; the public code
# was read and never copied. Settings are the paper's: labelled rows are drawn anew for every
# seed, and the test rows serve as unlabelled rows. Where a run departs from them, its row's budget says how. Where one view must become two, "ours" has two noisy
# copies, as the public code does; Eq. 4, which the text names, stands beside it. Statements are
# checked by computation, and the theory chapters have the proofs. XRMB could not be had, so its cells
# say "not run"; another two-view speech set, MOCHA, has a page of its own, since it is not XRMB.

# %% tags=["remove-input", "nbval-ignore-output"]
if len(runs):
    hours = runs["seconds"].sum() / 3600
    seeds = {row.seeds for row in cells if row.seeds}
    sets = ", ".join(sorted(set(runs["data"])))
    text = f"So far: {len(runs)} runs on {sets}, {hours:.1f} hours in all"
    if seeds:
        few, many = min(seeds), max(seeds)
        told = few if few == many else f"{few} to {many}"
        text += f"; cells with runs have {told} seeds"
    machines = ", ".join(sorted(set(runs["device"])))
    text += f". Trained on: {machines}."
else:
    text = "No runs are stored yet."
Markdown(text)

# %% [markdown]
# ### Results

# %% mystnb={"markdown_format": "gfm"} tags=["remove-input", "nbval-ignore-output"]
crossed = pd.crosstab(
    pd.Series([row.verdict for row in rows], name="verdict"),
    pd.Series([row.kind for row in rows], name="kind"),
).reindex(index=list(ledger.Verdict), columns=list(ledger.KINDS))
crossed = crossed.fillna(0).astype(int)
lines = [
    [f"**{verdict}**", *(count or "" for count in counts), counts.sum()]
    for verdict, counts in crossed.iterrows()
]
heads = ["verdict", *(f"{kind}s" for kind in crossed), "all"]
align = "l" + "r" * (len(heads) - 1)
table(heads, lines, align=align)

# %% tags=["remove-input", "nbval-ignore-output"]
text = []
found = [row for row in rows if row.verdict is ledger.Verdict.FALSE]
text.append(f"- **{len(found)} statements are false:**")
text[-1] += " " + "; ".join(f"{r.number} ({r.where})" for r in found) + "."
found = [row for row in rows if row.verdict is ledger.Verdict.CONTRADICTED]
text.append(f"- **{len(found)} sentences are denied by the paper's own")
text[-1] += " tables:** " + ", ".join(row.number for row in found) + "."
for title in paper.TITLES.values():
    here = [row for row in cells if row.data == title]
    told = Counter(row.verdict for row in here)
    counts = ", ".join(f"{told[v]} {v}" for v in ledger.Verdict if told[v])
    text.append(f"- **{title}**, {len(here)} cells: {counts}.")
Markdown("\n".join(text))

# %% [markdown]
# ### What was easy
#
# - The losses: small formulas, and each can be compared with a loop, a closed form or a library.
# - Table 1: the counts are right.
# - Scene: small, public, and the one set on which text and public code have the same numbers.
# - The counterexamples: two classes of five samples are enough to refute Lemma 3.2.
#
# ### What was hard
#
# - **XRMB** could not be had, and **CelebA** at the paper's size needs a GPU.
# - **The baselines**: their weights, and how they were joined to the classifier, are not published.
# - **One view**: Eq. 4 cannot be computed as printed, and the public code does something else.
# - **Which experiment?** Text, tables and public code differ in many places; the count is below.
# - **N-MNIST**: the noise is described in three ways, and one column looks like the AUC of hard
#   predictions.
# - **Few repetitions**: the paper has five and no test. The second cell below asks how many
#   pairs of methods that are next to each other in rank can be told apart with five.
#
# We did not write to the authors.

# %%
kinds = Counter(point.effect for point in points.POINTS)
print(f"{len(points.POINTS)} points where paper, tables and code differ:")
print(", ".join(f"{kinds[name]} {name}" for name in points.EFFECTS))

# %%
apart = total = 0
for methods in paper.RESULTS.values():
    f1 = sorted({(c.f1, c.f1_sd) for c in methods.values()})
    auc = sorted({(c.auc, c.auc_sd) for c in methods.values()})
    for (a, sd_a), (b, sd_b) in [*pairwise(f1), *pairwise(auc)]:
        # two means of five, as if nothing was paired
        means = (a, sd_a, 5, b, sd_b, 5)
        test = ttest_ind_from_stats(*means, equal_var=False)
        apart, total = apart + (test.pvalue < 0.05), total + 1
told = f"{apart} of {total} pairs of neighbours in rank are told apart"
print(f"{told} by the printed numbers.")

# %% [markdown]
# ## How a verdict is made
#
# | verdict | a cell of a table | a sentence that compares methods |
# |---|---|---|
# | **reproduced** | the paper's mean lies in our 95 % interval, widened by the standard deviation that the paper prints (a row whose order against DNN is missed says so) | for all its pairs, our paired interval lies above zero (and reaches the gain, where the text gives one) |
# | **in part** | the number is missed, but the order against DNN is found: our paired interval lies on the paper's side of zero; or, for AUC on N-MNIST, F1 is met and the area of hard predictions fits | at least half of the pairs hold, or hold with a smaller gain than the text gives; or, on data with one view, it fails with the public code's two copies and holds with the text's Eq. 4 |
# | **not reproduced** | neither | fewer hold, and one at least fails, its interval having room for zero and not for the printed gain (half a point, where none is printed), or goes the other way |
# | **undecided** | fewer than three seeds, or an interval wider than ± 0.02 that has room for the paper's mean | pairs wait for seeds, or have room for both |
# | **contradicted by the paper's own table** | | the printed means say otherwise; no runs are needed |
#
# A sentence that two methods do about equally well holds if the interval of their difference lies
# within ± 2 points, and fails if it lies outside; that one loses *much* holds if the interval lies
# beyond 2 points.
#
# *When?* The rules were fixed before most of the runs were there. Three were changed with runs
# in view: *not reproduced* once asked that half of the pairs fail (two sentences about Scene would then
# be *undecided*); a wide interval once left even a missed mean undecided, and dropping that moved cells
# of N-MNIST to *not reproduced* and to *in part* alike ([chapter 13](noisy_mnist.ipynb) counts them); and
# *much* once meant above zero, which changed before we had looked at any run of the case study. Three
# came into the repository together with what they judge: that Eq. 4 may save a sentence in part,
# which has changed no verdict so far; row G6, whose question stood in
# [chapter 14](one_view_noise.ipynb) before, for HeroCon-u alone; and the rule for Figure 4, made
# stricter ([chapter 12](cost.ipynb)).
#
# *Why widen?* The paper's mean is of five repetitions and uncertain, too. One printed deviation, added
# to our interval, needs no guess how that deviation was computed; it reaches up to 1.8 times as far as
# Welch's test with three seeds, and up to 1.4 times with twenty. *Why a limit?* Without one, few and
# scattered runs would reproduce everything. *Why is the order a part?* Tables are read as
# comparisons, and a level depends on splits and preprocessing that the text does not fix. *Why all
# pairs?* A sentence that says "all baselines" is not true if one is missing: the best it can then
# get is "in part". Asking for all also needs no correction for many tests: it makes the test
# stricter, not laxer. *In part* has no such protection: among many cells a few orders will be
# found by chance. Nor has it a limit: a number may be far off and counts, if the method stands on the
# paper's side of DNN.
#
# For lemmas and figures a check is computed on the spot: **reproduced** if it holds, **in part** if a
# piece or a repaired form does, **false** if there is a counterexample.
#
# The rules are functions. On made-up runs:

# %%
printed, sd = 0.60, 0.01
toys = {
    "three seeds around the paper's mean": [0.600, 0.606, 0.603],
    "three seeds, five points above": [0.650, 0.653, 0.651],
    "three seeds, scattered": [0.55, 0.60, 0.66],
    "one run, exactly the paper's mean": [0.60],
}
for name, values in toys.items():
    found = rules.judge_cell(printed, sd, values)
    why = words.cell_reason(found)
    print(f"{name}: {found.verdict}" + (f" ({why})" if why else ""))
found = rules.judge_cell(
    printed, sd, [0.65, 0.653, 0.651], rules.Order.FOUND, True
)
print(f"five points above, order against DNN found: {found.verdict}")
assert found.verdict is ledger.Verdict.IN_PART

# %%
three = stats.compare([1.0, 1.2, 1.1])  # points
small, two = stats.compare([-0.1, 0.1, 0.0]), stats.compare([1.0, 1.2])
assert rules.judge_order(three, printed=1.0) is State.HOLDS
assert rules.judge_order(small, printed=1.0) is State.FAILS
assert rules.judge_order(small, printed=0.2) is State.OPEN
assert rules.judge_order(two, printed=1.0) is State.WAITING
states = [State.HOLDS, State.HOLDS, State.FAILS]
print(f"{words.count_states(states)}: {rules.judge_comparison(states)}")

# %% [markdown]
# ## Ours beside the paper's
#
# Scene, the first set that was run. Grey: the paper's mean and its 95 % interval, ± 1.24 of the
# standard deviations it prints. Blue: ours, with the 95 % interval of the mean. A method without
# blue has fewer than two stored runs.

# %% mystnb={"image": {"alt": "Two panels, F1 and AUC on Scene, nine methods. For each, a grey bar with the mean that the paper prints and its 95 percent interval, and below it in blue our mean with its 95 percent interval, where runs are stored."}} tags=["hide-input", "nbval-ignore-output"]
fig, axes = plt.subplots(1, 2, figsize=(9, 4.2), sharey=True)
methods = list(paper.RESULTS["scene"])
mine = {row.claim: row for row in cells if row.data == "Scene"}
for ax, metric in zip(axes, paper.METRICS, strict=True):
    for place, method in enumerate(methods):
        values = paper.RESULTS["scene"][method]._asdict()
        mean, sd = values[metric.lower()], values[f"{metric.lower()}_sd"]
        style = {"color": plots.PUSH, "capsize": 0, "lw": 3, "alpha": 0.6}
        ax.errorbar(mean, place - 0.15, xerr=1.24 * sd, fmt="o", **style)
        row = mine[f"{metric} of {method}"]
        if row.seeds > 1:
            blue = plots.OKABE_ITO[0]
            ax.plot([row.lo, row.hi], [place + 0.15] * 2, lw=3, color=blue)
            ax.plot((row.lo + row.hi) / 2, place + 0.15, "D", color=blue)
    ax.set(xlabel=metric, ylim=(len(methods) - 0.5, -0.5))
    ax.set_yticks(range(len(methods)), methods)
plt.show()

# %% [markdown]
# ## The ledger
#
# Numbers: L a statement, N a count, T a table's cell, S a sentence, G a figure. Intervals of the last
# column but one are 95 %, Student's t over seeds; differences of sentences are in points, paired by
# seed. They cover another draw of labelled rows, noise and first weights, not another test set.
# "Beside" has other runs that bear on a row: one view (with Eq. 4, where the method has it), the noise
# of the public code, that code's variant and folds, the
# protocol in which the unlabelled rows are not the test rows. "Public code" is the mean of that
# code on its own five folds of Scene, measured before this project began and not run again here; no
# record of it is kept.

# %% tags=["remove-input"]
verdicts = list(ledger.Verdict)
HTML(plots.search_box("claim", "scene auc", "Verdict", verdicts))

# %% tags=["remove-cell"]
shown = []


def table_of(kind, data=None):
    """The rows of a kind, as Markdown."""
    chosen = [r for r in rows if r.kind == kind and data in (None, r.data)]
    shown.extend(chosen)
    return Markdown(ledger.to_markdown(chosen, Path(".")))


# %% [markdown]
# ### Lemmas, ranges, special cases

# %% mystnb={"markdown_format": "myst"} tags=["remove-input", "nbval-ignore-output"]
table_of("statement")

# %% [markdown]
# ### Table 1 and other counts

# %% mystnb={"markdown_format": "myst"} tags=["remove-input", "nbval-ignore-output"]
table_of("count")

# %% [markdown]
# ### Table 2, Scene

# %% mystnb={"markdown_format": "myst"} tags=["remove-input", "nbval-ignore-output"]
table_of("cell", "Scene")

# %% [markdown]
# ### Table 2, N-MNIST

# %% mystnb={"markdown_format": "myst"} tags=["remove-input", "nbval-ignore-output"]
table_of("cell", "N-MNIST")

# %% [markdown]
# ### Table 3, XRMB

# %% mystnb={"markdown_format": "myst"} tags=["remove-input", "nbval-ignore-output"]
table_of("cell", "XRMB")

# %% [markdown]
# ### Table 3, CelebA

# %% mystnb={"markdown_format": "myst"} tags=["remove-input", "nbval-ignore-output"]
table_of("cell", "CelebA")

# %% [markdown]
# ### Sentences that compare methods
#
# In the paper's column stands the least of the differences on which a sentence hangs, from the
# paper's own table, in points. Ours begin with the pairs that fail, if there are any.

# %% mystnb={"markdown_format": "myst"} tags=["remove-input", "nbval-ignore-output"]
table_of("comparison")

# %% [markdown]
# ### Figures

# %% mystnb={"markdown_format": "myst"} tags=["remove-input", "nbval-ignore-output"]
table_of("figure")

# %% [markdown]
# ## What stays true
#
# Runs will come, and verdicts with them. These do not change:

# %%
assert shown == rows and len(rows) >= 90
assert len(cells) == 2 * sum(map(len, paper.RESULTS.values())) == 72
for row in rows:
    assert row.verdict in ledger.Verdict
    assert row.kind != "count" or row.verdict == "reproduced"
    assert Path(f"{row.page}.ipynb").exists()
    if row.kind in ("cell", "comparison"):
        judged = {"reproduced", "in part", "not reproduced"}
        assert row.verdict not in judged or row.seeds >= stats.MIN_SEEDS
    if row.data == "XRMB" and row.verdict == "not run":
        assert "XRMB is not available" in row.why
print("Every claim that we took up has a row and a page;")
print("no cell and no sentence has been judged on fewer than three seeds.")

# %% [markdown]
# ## What we learnt
#
# - A table's cell is a claim, and this paper makes over a hundred claims. To check all of them one
#   needs the rule first and the runs second.
# - A verdict needs an interval on both sides. Five repetitions tell few neighbours of the tables
#   apart.
# - The strongest findings here needed no training at all: a counterexample, a count, and the paper's
#   own tables read beside its sentences.
