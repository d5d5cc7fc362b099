# %% [markdown]
# # Scene: six labels, 120 labelled pictures
#
# *Reads in 12 minutes, runs in half a minute on a CPU.*
#
# Scene {cite}`boutell2004scene` has 2,407 photographs, each described by 294 colour
# features and marked with any of six labels: beach, sunset, and so on. The paper
# {cite}`zheng2022herocon` learns from 120 of them and tests on the rest. This is the
# left half of its Table 2, the smallest of its four experiments, and the one that we
# can run in full, many times.
#
# **What we will see**
#
# - what the paper prints, and how far apart its rows are for five repetitions;
# - the settings of the text and of the public code, side by side;
# - a quick version that trains while you wait, on another data set;
# - the stored runs on Scene: every method, up to 20 seeds, beside the paper's number;
# - each part of HeroCon asked alone: what do the weights bring, what does each
#   contrastive term, what changes with the form, the preset and the protocol?
#
# The stored runs grow. What this page says of them is written by a cell from the
# numbers at hand, or checked by one, and a part that has no runs says so.

# %%
import math
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import torch
from scipy import stats

from herocon_lite.data import load
from herocon_lite.data.cards import find_card
from herocon_lite.data.splits import LABELED, RELEASED_FOLDS
from herocon_lite.methods import METHODS
from herocon_lite.repro import ledger, paper, plots, runner, settings
from herocon_lite.repro.chapter import commands, difference_table
from herocon_lite.repro.paper_tables import (
    paper_gap_is_significant,
    paper_table,
    switched_on,
    verdicts,
)
from herocon_lite.repro.query import Store
from herocon_lite.repro.stats import compare, interval
from herocon_lite.repro.text import describe, format_diff, format_mean, table
from herocon_lite.train import Schedule

plt.style.use("herocon_lite.repro.book")
torch.set_num_threads(1)  # the matrices below are small


# %% [markdown]
# ## What the paper reports
#
# F1 and AUC, the mean of five repetitions and their standard deviation. Which averages
# over labels these are, the paper does not say; the public code weights F1 by how often
# a label occurs and takes the plain mean of AUC, and so do we. With five repetitions, the 95 %
# interval of a mean is the printed deviation times 1.24, if that deviation is the
# sample's.

# %% mystnb={"markdown_format": "gfm"} tags=["hide-input"]
printed = paper.RESULTS["scene"]
paper_table("scene")

# %% [markdown]
# > **The paper says** (section 4.2) that HeroCon and HeroCon-u outperform all
# > baselines; that they gain 2.2 % and 0.9 % of F1 over Info-NCE, which suggests that
# > equal weights for all negatives cost something; and that HeroCon's lead of more than
# > 1.9 % over DeepMTMV, MIB and C2AE may come from the unlabelled data.
#
# The gains can be read off the table, as points, not per cent. How sure could one be of
# them, from the table alone? Welch's test needs only means, deviations and the number of
# repetitions.

# %%
apart = partial(paper_gap_is_significant, "scene")
for name in list(printed)[:-1]:
    gap = 100 * (printed["HeroCon"].f1 - printed[name].f1)
    told = "told apart" if apart("HeroCon", name) else "not told apart"
    print(f"HeroCon − {name:9} {gap:.1f} points of F1, {told}")
pairs = list(combinations(printed, 2))
told = sum(apart(*pair) for pair in pairs)
assert told < len(pairs) / 2
print(f"Of all {len(pairs)} pairs of rows, {told} are told apart.")

# %% [markdown]
# This test is too cautious if all methods learnt from the same five draws, which the
# paper does not say: differences on the same draw vary less than the draws do. It is
# the reason why we pair everything below, and why we run more than five.
#
# ## The rows, by name
#
# Every method has an encoder for each view and, save C2AE, a classifier with the
# cross-entropy $L_c$. What else it minimises, and whether it sees rows without labels:
#
# | method | besides $L_c$ | sees unlabelled rows |
# |---|---|---|
# | DNN | nothing | no |
# | Info-NCE {cite}`oord2018` | α · contrast of the two views, all negatives alike | yes |
# | SupCon {cite}`khosla2020` | β · contrast of rows with and without the same label vector | no |
# | MIB {cite}`federici2020mib` | α · (what one view knows alone, less what both know) | yes |
# | C2AE {cite}`yeh2017c2ae` | in place of $L_c$: rows and label vectors meet in one space, and go back to labels | no |
# | DeepMTMV {cite}`zheng2019deepmtmv` | nothing; a narrow network that splits into groups of labels as it trains | no |
# | HeroCon-s | $\beta L_s$, Eq. 7: contrast by labels, weighted by how much label vectors differ | no |
# | HeroCon-u | $\alpha L_u$, Eq. 5: contrast of the views, negatives weighted by $g$ | yes |
# | HeroCon | $\alpha L_u + \beta L_s$ | yes |
#
# All are trained with momentum, and no layer's gradient may move it by more than a set
# share of its norm: LARS {cite}`you2017lars` in the public code's form, which mostly is
# plain momentum ([point C4](point_by_point.ipynb)). Four words of the command line come back on every page:
# the *form* (two copies, at least one of them noisy, and Eq. 5; or one view and [Eq. 4](push_apart.ipynb)), the *preset* (losses as
# printed, or as the public code has them), the *protocol* (transductive: the unlabelled
# rows are the test rows; inductive: they are not), and the *budget* (`paper`: its steps and
# its rows a step). Two rows are *told apart* if the 95 % interval of their difference
# excludes zero.
#
# ## The settings side by side
#
# Scene is the one data set on which the paper's text, its README and its code have
# the same numbers. They differ in what the numbers are applied to. The last column is
# what the main rows of this chapter do; the other choice has rows of its own.

# %% mystnb={"markdown_format": "gfm"} tags=["hide-input"]
text, code = (settings.paper_config("scene", p) for p in ("paper", "released"))
plan = Schedule(text.steps)
SEEDS = 20  # of each main row: what we are aiming at
n = 2407


def both(field):
    a, b = getattr(text, field), getattr(code, field)
    return [a, b, "as both" if a == b else a]


folds = RELEASED_FOLDS["scene"]
alpha_beta = [f"{s.alpha}, {s.beta}" for s in (text, code)]
momentum = f"{plan.momentum}, {plan.trust}"
drawn = [f"{LABELED['scene']}, at random", f"folds 0 to 4 of {folds}"]
on = [switched_on(preset) for preset in ("paper", "released", "paper")]
rows = [
    ["steps, all rows in each", *both("steps")],
    ["α, β of HeroCon", *alpha_beta, "as both"],
    ["α of HeroCon-u", *both("alpha_u")],
    ["β of HeroCon-s", *both("beta_s")],
    ["α, β of baselines", "not given", "not given", "of -u, of -s"],
    ["learning rate", plan.lr, plan.lr, "as both"],
    ["momentum, LARS trust", "not given", momentum, "as the code"],
    ["labelled rows", *drawn, "as the text"],
    ["unlabelled rows", "the test rows", "the test rows", "as both"],
    ["second view", "none: Eq. 4", "a faintly noisy copy", "as the code"],
    ["negatives come from", "the one view", "the other view", "both: Eq. 5"],
    ["number of them", n - 1, n - 1, f"{n - 1}, each in two views"],
    ["switched on in the losses", *on],
    ["F1 counts a label above", "not given", 0.4, 0.4],
    ["repetitions", paper.REPETITIONS, "5 folds", f"{SEEDS} seeds"],
]
table(["", "the text", "the public code", "main rows here"], rows)

# %%
assert settings.RELEASED["scene"] == {} and text == code
print("The numbers of text and code are the same on Scene.")

# %% [markdown]
# Three lines matter most. *Second view*: section 4.2 names Eq. 4, one encoder whose
# output is compared with its own input; the code makes two copies of every row, adds
# noise of a hundredth of the data's deviation to one of them (even rows: the first, odd
# rows: the second), and uses the two-view loss, for which such a pair is easy to find
# ([point E1](point_by_point.ipynb)). All methods of the main rows get the two copies, so that
# the contrastive ones differ in nothing but the loss. *Labelled rows*: the code takes
# folds in file order, the text draws at random. *Switches*: `label_sum` makes β count
# six times. [The appendix](point_by_point.ipynb) takes the switches one by one.
#
# ## A miniature, live
#
# ```{admonition} Quick, yeast, not Scene
# :class: note
# This trains while the notebook runs: the embedded `yeast` (two views, 14 labels,
# 120 labelled rows), the budget `smoke` (200 unlabelled rows a step) cut to 20 steps,
# three seeds. It shows how such a comparison is made. It decides nothing about Scene.
# ```

# %% tags=["nbval-ignore-output"]
yeast, seeds = load("yeast"), range(3)
quick = ["dnn", "herocon-s", "herocon-u", "herocon"]
records = {}
for method in quick:
    run = settings.Run("yeast", method, overrides=(("steps", 20),))
    every = [replace(run, seed=seed) for seed in seeds]
    records[method] = [runner.execute(run, yeast) for run in every]
scores = {
    metric: {m: [r["metrics"][metric] for r in records[m]] for m in quick}
    for metric in ("f1", "auc")
}
for method in quick:
    told = " ".join(f"{score:.3f}" for score in scores["f1"][method])
    print(f"{method:13} F1 of three seeds: {told}")

# %% [markdown]
# A column is one seed, so one draw of the 120 labelled rows, and that draw can matter
# more than the method. So we compare within columns.

# %% mystnb={"image": {"alt": "Two panels, F1 and AUC, quick runs on yeast: for three methods the difference to DNN on the same seed, three dots each, with mean and a wide 95 percent interval around zero."}} tags=["nbval-ignore-output"]
fig, axes = plt.subplots(1, 2, figsize=(9, 2.8), sharey=True)
for ax, metric in zip(axes, ("f1", "auc"), strict=True):
    plain = np.array(scores[metric]["dnn"])
    gains = {m: 100 * (scores[metric][m] - plain) for m in quick[1:]}
    plots.seed_rows(ax, gains, zero=True)
    ax.set(xlabel=f"{metric.upper()} less DNN's, same seed (points)")
fig.suptitle("quick, yeast, not Scene", fontsize=11)
plt.show()

# %%
spread = {m: np.ptp(scores["f1"][m]) for m in quick}
steps = {r["settings"]["steps"] for m in quick for r in records[m]}
change = np.subtract(scores["f1"]["herocon-s"], scores["f1"]["dnn"])
assert steps == {20} and min(spread.values()) > 0.02
assert np.abs(change).max() < 0.01
print("Seeds move F1 by more than 2 points, L_s with its small weight by")
print("less than 1: so small a change can only be looked for within seeds.")


# %% [markdown]
# ## The stored runs on Scene
#
# Now the real thing: 200 steps with all rows in each, as the paper has it. Each seed
# draws its own 120 labelled rows; the other 2,287 rows are test set and unlabelled set
# at once. It draws the first weights too, so that the contrastive methods of one seed
# start from the same network.


# %% tags=["nbval-ignore-output"]
store = Store("../results", "scene", form="two_noisy")
stored, runs, difference = store.frame, store.runs, store.difference
have = [len(runs(method)) >= SEEDS for method in METHODS]
print(f"{len(stored)} runs are stored;", end=" ")
print(f"{sum(have)} of {len(have)} main rows have {SEEDS} seeds.")

# %%
once = stored.groupby(["split", "protocol", "seed"])["split.checksum"]
assert (once.nunique() == 1).all(), "a seed must name one split"
random_draws = stored[stored["split"] == "paper"]
assert set(random_draws["split.train"]) == {LABELED["scene"]}
assert stored["f1"].between(0.3, 1).all()
assert stored["auc"].between(0.5, 1).all()
usual = stored[~stored["changes"].str.contains("steps=")]
assert set(usual["settings.steps"]) == {text.steps}
files = find_card("scene").checksum.items()
for read in stored["data_checksums"]:
    assert read.items() <= files, "another file than the card's"
print("All runs: the paper's budget, the card's files, one split a seed.")

# %% [markdown]
# ### Every method
#
# Dots are seeds, a diamond is their mean, the bar its 95 % interval (Student's t). A
# cross is what the paper prints. First the nine rows of Table 2, then controls and
# methods that the paper does not have: *DNN + BN(U)* sends the unlabelled rows
# through the encoders and puts no loss on them, so that only BatchNorm's statistics
# change; *HeroCon-u, g = 1* is HeroCon-u without its weights; CMC
# {cite}`tian2019cmc`, debiased {cite}`chuang2020dcl` and hard-negative
# {cite}`robinson2021hcl` contrast and MulSupCon {cite}`zhang2024mulsupcon` are added
# because readers ask about them.

# %% tags=["hide-input", "nbval-ignore-output"] mystnb={"image": {"alt": "Two panels, F1 and AUC on Scene, one row a method: a faint dot for each seed, the mean with its 95 percent interval, and a cross at the value that the paper prints. Rows without runs say so."}}
NAMES = {name: ledger.OURS[name] for name in printed}
NAMES |= {"DNN + BN(U)": "dnn-bnu", "HeroCon-u, g = 1": "herocon-u-g1"}
NAMES |= {"CMC": "cmc", "debiased": "debiased"}
NAMES |= {"hard negatives": "hard-negative", "MulSupCon": "mulsupcon"}
assert set(NAMES.values()) == set(METHODS)
own = [name.startswith("HeroCon") for name in NAMES]
colours = [plots.OKABE_ITO[1 if mine else 0] for mine in own]
fig, axes = plt.subplots(1, 2, figsize=(9, 6), sharey=True)
for ax, metric in zip(axes, ("f1", "auc"), strict=True):
    values = {name: runs(ours, metric) for name, ours in NAMES.items()}
    crosses = {name: getattr(cell, metric) for name, cell in printed.items()}
    plots.seed_rows(ax, values, crosses, colours)
    ax.axhline(len(printed) - 0.5, color=plots.FAINT, lw=1)
    ax.set(xlabel=metric.upper())
plt.show()

# %% mystnb={"markdown_format": "gfm"} tags=["hide-input", "nbval-ignore-output"]
rows = []
for name, ours in NAMES.items():
    row = [name]
    for metric in ("f1", "auc"):
        found = runs(ours, metric)
        told = getattr(printed.get(name), metric, None)
        row += ["–" if told is None else f"{told:.4f}", format_mean(found)]
    rows.append([*row, len(found)])
heads = ["method", "F1, paper", "F1, ours [95 %]"]
table([*heads, "AUC, paper", "AUC, ours [95 %]", "seeds"], rows)

# %% [markdown]
# Levels depend on the draw of the labelled rows and on details that the paper does not
# fix; differences on the same draw depend on them much less. Even so, one level can
# be checked without any contrastive method: that of the plain network.

# %%
plain = interval(runs("dnn").loc[:19])
assert plain.lo > printed["DNN"].f1 + printed["DNN"].f1_sd
gap = 100 * (plain.mean - printed["DNN"].f1)
print(f"Our DNN stands {gap:.1f} points of F1 above the paper's, 20 seeds.")


# %% [markdown]
# ## One question, one row
#
# Each row below is a difference of two kinds of runs that differ in one thing, or in
# what the text below names, seed by seed, in points (hundredths). The sentence beside it
# is made from its interval alone: *better* or *worse* if the interval excludes zero, *not
# told apart* if it does not. Many intervals are looked at together, and where nothing is
# to be found one in twenty excludes zero all the same; where Bonferroni's wider interval
# would not, the sentence says that, too.


# %% tags=["hide-input"]
u, g1, s = ({"method": m} for m in ("herocon-u", "herocon-u-g1", "herocon-s"))
full, dnn, bnu = ({"method": m} for m in ("herocon", "dnn", "dnn-bnu"))
eq4, rel, ind = (
    {"form": "eq4"},
    {"preset": "released"},
    {"protocol": "inductive"},
)
QUESTIONS = {
    "the weights: HeroCon-u − (g = 1)": (u, g1),
    "$L_u$: HeroCon-u − DNN": (u, dnn),
    "$L_u$: HeroCon-u − (DNN + BN(U))": (u, bnu),
    "$L_u$, g = 1: − (DNN + BN(U))": (g1, bnu),
    "$L_s$: HeroCon-s − DNN": (s, dnn),
    "$L_s$: HeroCon-s − (DNN + BN(U))": (s, bnu),
    "both: HeroCon − DNN": (full, dnn),
    "both: HeroCon − (DNN + BN(U))": (full, bnu),
    "$L_u$ on top: HeroCon − HeroCon-s": (full, s),
    "$L_s$ on top: HeroCon − HeroCon-u": (full, u),
    "BN(U) alone: (DNN + BN(U)) − DNN": (bnu, dnn),
    "Eq. 4 − two copies: HeroCon": (full | eq4, full),
    "Eq. 4 − two copies: HeroCon-u": (u | eq4, u),
    "one encoder − two: DNN": (dnn | eq4, dnn),
    "$L_u$, Eq. 4: − DNN, one encoder": (u | eq4, dnn | eq4),
    "released − paper: HeroCon-s": (s | rel, s),
    "released − paper: HeroCon-u": (u | rel, u),
    "released − paper: HeroCon": (full | rel, full),
    "inductive − transductive: DNN": (dnn | ind, dnn),
    "inductive − transductive: HeroCon-u": (u | ind, u),
    "inductive − transductive: HeroCon": (full | ind, full),
    "both, inductive: HeroCon − DNN": (full | ind, dnn | ind),
    "both, inductive: HeroCon − BN(U)": (full | ind, bnu | ind),
    "the weights, inductive": (u | ind, g1 | ind),
}
answers = store.differences(QUESTIONS)
TESTS = len(answers)  # all that are asked, run or not

# %% mystnb={"markdown_format": "myst"} tags=["hide-input", "nbval-ignore-output"]
difference_table(answers, SEEDS)

# %% tags=["hide-input", "nbval-ignore-output"] mystnb={"image": {"alt": "Two panels, F1 and AUC on Scene, one row for each question of the table above: a faint dot for each seed's paired difference, the mean with its 95 percent interval, and a line at zero. Rows without runs say so."}}
groups = [11, 4, 3, 6]  # parts of the method, form, preset, protocol
colours = np.repeat(plots.OKABE_ITO[: len(groups)], groups)
plots.difference_panels(answers, colours, (9, 7.4))
plt.show()

# %% [markdown]
# How to read the groups:
#
# - **Parts of the method.** HeroCon-s never sees an unlabelled row, so DNN is its fair
#   opponent. HeroCon-u does see them, and BatchNorm takes statistics from them, so
#   *DNN + BN(U)* is the fairer one there. *On top* compares the full method with one
#   term less; from HeroCon-u to HeroCon the weight α changes too (0.3 to 0.7), from
#   HeroCon-s to HeroCon β (0.01 to 0.02), as in the paper.
# - **Form.** Eq. 4 has one encoder where the two copies have two. *One encoder − two*
#   shows what that alone does to DNN. The row for $L_u$ in Eq. 4 has BatchNorm's share
#   in it; its control is not run.
# - **Preset.** All switches of the public code at once.
# - **Protocol.** Inductive: half of the rows without labels are seen in training, the
#   other half are the test set. The labelled rows of a seed are the same in both
#   protocols, the test rows are not, so these dots scatter more. DNN uses no
#   unlabelled rows; its row shows what the other test set alone does.
#
# A few things hold whatever the numbers are, and are checked:

# %%
whole, one, more = (
    answers[name, "f1"]
    for name in (
        "both: HeroCon − DNN",
        "$L_s$: HeroCon-s − DNN",
        "$L_u$ on top: HeroCon − HeroCon-s",
    )
)
both_ways = (one + more).dropna()
assert np.allclose(whole.reindex(both_ways.index), both_ways)
print("Differences are paired by seed: they add up along HeroCon-s.")

# %% [markdown]
# ## The five released folds
#
# The public code trains on the small part of a stratified split into 20, folds 0 to 4,
# without shuffling. That code was run once on these folds before this book was begun (it is
# not part of this repository), and its means are known; no record is kept. Our runs on the same folds, with all its switches
# on, should come close; they cannot be equal, since weights and noise are drawn
# differently. The intervals are over folds, which both programs share, so they are far
# wider than what may separate the two: look at the means.

# %% mystnb={"markdown_format": "gfm"} tags=["hide-input", "nbval-ignore-output"]
rows = []
for (_, name), means in paper.RELEASED.items():
    for preset in ("released", "paper"):
        row = [name, preset]
        for metric, mean in zip(("f1", "auc"), means, strict=True):
            where = {"preset": preset, "split": "released"}
            found = runs(ledger.OURS[name], metric, **where).loc[:4]
            row += [f"{mean:.3f}", format_mean(found, 3)]
        rows.append([*row, len(found)])
heads = ["method", "our preset", "F1, code", "F1, ours [95 %]"]
table([*heads, "AUC, code", "AUC, ours [95 %]", "folds"], rows)

# %%
of_fold = stored[stored["split"] == "released"]
assert of_fold["split.train"].between(118, 123).all()
released = {"preset": "released", "split": "released"}
for (_, name), means in paper.RELEASED.items():
    for metric, mean in zip(("f1", "auc"), means, strict=True):
        ours = runs(ledger.OURS[name], metric, **released).loc[:4]
        assert len(ours) == 5 and abs(ours.mean() - mean) < 0.01
print("All three within a point of the public code, on its folds.")

# %% [markdown]
# ## The verdict
#
# By the rules of the [ledger](ledger.ipynb), which were fixed before most runs were there,
# and made stricter once with Scene's in view (else S5 and S6 would be *undecided*). A
# cell is *reproduced* if the paper's mean lies in our interval, widened by the paper's
# own deviation; a sentence is, if every comparison in it holds. "About equally well"
# means within two points. A cell is *in part* if the number is missed and the order against
# DNN is found; a sentence is, if at least half of its comparisons hold. A comparison *fails*
# if its interval has room for zero and not for the printed gain (half a point, where none
# is printed), is *left open* if it has room for both, and *goes the other way* if it lies on
# the other side of zero. The rows below are the ledger's own.

# %% mystnb={"markdown_format": "gfm"} tags=["hide-input", "nbval-ignore-output"]
entries = [r for r in ledger.ledger("../results") if r.data == "Scene"]
claims = [r for r in entries if r.kind in ("cell", "comparison")]
verdicts(claims)

# %% tags=["hide-input", "nbval-ignore-output"]
counts = Counter(r.verdict for r in claims)
told = ", ".join(f"{k} {v}" for v, k in counts.most_common())
sentences = [f"Of {len(claims)} rows: {told}."]
short = {
    "The weights g": "the weights: HeroCon-u − (g = 1)",
    "The term L_u, against DNN + BN(U)": "$L_u$: HeroCon-u − (DNN + BN(U))",
    "The term L_s, against DNN": "$L_s$: HeroCon-s − DNN",
    "Both terms, against DNN": "both: HeroCon − DNN",
    "Eq. 4 in place of two copies": "Eq. 4 − two copies: HeroCon",
    "L_u in the form of Eq. 4": "$L_u$, Eq. 4: − DNN, one encoder",
    "The public code's switches": "released − paper: HeroCon",
    "Both, test rows not seen in training": "both, inductive: HeroCon − DNN",
}
for title, name in short.items():
    found = answers[name, "f1"]
    words = describe(compare(found, TESTS), SEEDS)
    if len(found) > 1:
        words = f"F1 {format_diff(compare(found))} points: {words}"
    sentences.append(f"- {title}: {words}.")
there = 100 * (printed["HeroCon"].f1 - printed["DNN"].f1)
here = format_diff(compare(answers["both: HeroCon − DNN", "f1"]))
sentences.append(f"- HeroCon's gain on DNN: {there:+.1f} in the paper,")
sentences.append(f"  {here} here: in F1 at the fixed threshold.")
print("\n".join(sentences))

# %%
assert len(claims) == 2 * len(printed) + 7
denied = {r.number for r in claims if r.verdict.startswith("contradicted")}
assert len(denied) == 1, "one sentence is denied by Table 2 itself"
print("HeroCon-u does not outperform C2AE's AUC in the paper's own table.")

# %% [markdown]
# ## What surprised us
#
# Five things that we did not expect when we began. The cell states each as it stands
# with the runs at hand.

# %% tags=["hide-input", "nbval-ignore-output"]
d = interval(100 * runs("dnn"))
p = 100 * printed["DNN"].f1
side = "above" if d.lo > p else "below" if d.hi < p else "at"
print(f"1. The plain network: F1 {d.mean:.1f} [{d.lo:.1f}, {d.hi:.1f}],")
print(f"   {side} the {p:.1f} that the paper prints.")

draws, fold = 100 * runs("dnn"), 100 * runs("dnn", **released)
gap = stats.ttest_ind(draws, fold, equal_var=False).confidence_interval()
told = "differ" if gap.low > 0 or gap.high < 0 else "are not told apart"
ends = f"{gap.low:+.1f} to {gap.high:+.1f}".replace("-", "−")
means = [f"{found.mean():.1f} on {len(found)}" for found in (draws, fold)]
print(f"2. The draw: DNN has F1 {means[0]} random draws and")
print(f"   {means[1]} released folds; these {told}")
print(f"   (Welch, difference {ends}).")

for number, name in ((3, "SupCon"), (4, "MulSupCon")):
    found = difference({"method": NAMES[name]}, dnn)
    words = describe(compare(found, TESTS), SEEDS)
    print(
        f"{number}. {name} − DNN: F1 {format_diff(compare(found))}: {words}."
    )

print("5. A baseline without any contrast:")
for metric in ("f1", "auc"):
    found = difference({"method": "deepmtmv"}, dnn, metric)
    words = describe(compare(found, TESTS), SEEDS)
    print(
        f"   DeepMTMV − DNN: {metric.upper()} {format_diff(compare(found))}: {words}."
    )

# %%
for name in ("supcon", "mulsupcon"):
    found = difference({"method": name}, dnn).loc[:19]
    assert interval(found).hi < 0
print("Label contrast in Khosla's form and in MulSupCon's lowers DNN's F1.")

# %% [markdown]
# If the second is real, it may explain the first. The public code's folds follow the order of the file,
# where rows of one label that stand side by side may be pictures of one occasion; a
# fold would then be less varied than a random draw of its size. That is a guess: five
# folds are few, and no cell here tests it. It is a reason to compare methods on the
# same draws, and levels with care.
#
# The fifth, a gain in F1 without one in AUC, says that F1 here depends on where a
# network puts its probabilities, beside the fixed threshold of 0.4, and not on their
# order alone. [Chapter 16](choose_settings.ipynb) follows that up.
#
# The third and the fourth come with a warning of their own. The paper does not say how SupCon was
# made to fit several labels, nor its weight and temperature. Ours takes rows with the
# identical label vector as positives {cite}`khosla2020`, temperature 0.1, and
# HeroCon-s's β; another choice may do better.
#
# ## Make it again
#
# Runs that are stored are skipped, so a command that was stopped goes on where it was.
# `python -m herocon_lite data scene` says whether Scene is there, and where it comes
# from. The minutes are what the stored runs took, summed: processor time where the
# record has it, else wall time on a machine of two cores that was shared with other
# work, one thread a run. Memory is the peak of the whole process, libraries included.

# %% mystnb={"markdown_format": "gfm"} tags=["hide-input", "nbval-ignore-output"]
COMMANDS = [
    (list(METHODS), {}, SEEDS),
    (["dnn", "herocon-u", "herocon"], {"form": "eq4"}, SEEDS),
    (["herocon-s", "herocon-u", "herocon"], {"preset": "released"}, SEEDS),
    (["dnn", "dnn-bnu", "herocon-u-g1", "herocon-u", "herocon"], ind, SEEDS),
    (["dnn", "herocon-s", "herocon"], released, 5),
    (["dnn", "herocon-s", "herocon"], {"split": "released"}, 5),
]
commands(store, COMMANDS)

# %%
assert stored["seconds"].gt(0).all() and stored["peak_mib"].gt(0).all()
assert stored["peak_mib"].max() < 8 * 1024
print("No stored run needed more than 8 GiB.")

# %% [markdown]
# `python -m herocon_lite table scene` prints all rows, with every form, preset and
# protocol.
#
# ## What we learnt
#
# - Five repetitions leave most pairs of rows of this table within each other's reach.
#   Pairing by seed narrows the intervals; exercise 1 measures by how much.
# - A difference means something beside its control only: the same network, the same
#   draw, one thing changed. Each has a row above, with its answer.
# - The public code's means on its own folds can be met. The level that the paper
#   prints for the plain network cannot, on random draws: ours is higher.
# - F1 at 0.4 mixes two things, the order of the probabilities and where they lie.
#   [Chapter 16](choose_settings.ipynb) asks again with a threshold of each method's own.
#
# And the answers, as the runs at hand have them:

# %% tags=["hide-input", "nbval-ignore-output"]
for title, name in {
    "Contrast of views, beyond BatchNorm": "$L_u$: HeroCon-u − (DNN + BN(U))",
    "Its weights g": "the weights: HeroCon-u − (g = 1)",
    "Contrast of labels": "$L_s$: HeroCon-s − DNN",
}.items():
    told = [
        describe(compare(answers[name, m], TESTS), SEEDS)
        for m in ("f1", "auc")
    ]
    print(f"{title}: F1 {told[0]}; AUC {told[1]}.")

# %% [markdown]
# ## Exercises
#
# **1.** How many seeds does it take to see a difference of one point of F1, if a 95 %
# interval must come out narrower than one point to each side? Answer once for two
# independent sets of runs and once for paired ones. Take the deviations from the
# stored runs of `dnn` and `herocon-s`.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Show solution 1", "code_prompt_hide": "Hide solution 1"}
a, b = (100 * runs(m).loc[:19] for m in ("herocon-s", "dnn"))
alone = math.hypot(a.std(), b.std())  # of a difference, independent runs
together = (a - b).std()  # of a difference on the same seed


def enough(sd, sets, reach=1.0):
    """The least n whose interval is mean ± reach or narrower."""
    n = 2
    while stats.t.ppf(0.975, sets * (n - 1)) * sd / math.sqrt(n) > reach:
        n += 1
    return n


assert len(a) == len(b) == 20
apart, paired = enough(alone, sets=2), enough(together, sets=1)
print(f"independent: {apart} seeds each; paired: {paired}")
assert paired < 10 < apart

# %% [markdown]
# **2.** The public code counts a label as predicted above 0.4, not above 0.5. What
# does that do to F1 and to AUC? Look at the stored runs (`f1_at_05`), then at a whole
# curve on yeast.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Show solution 2", "code_prompt_hide": "Hide solution 2", "image": {"alt": "F1 against the threshold for a network trained on yeast: flat on the left, with a low top near 0.3, then falling to zero; vertical lines at 0.4 and 0.5."}}
for method in ("dnn", "supcon", "herocon-s"):
    change = 100 * (runs(method, "f1_at_05") - runs(method)).loc[:19]
    mean, _, lo, hi = interval(change)
    told = f"{mean:+.1f} [{lo:+.1f}, {hi:+.1f}]"
    print(f"{method:9} F1 at 0.5 less F1 at 0.4: {told} points")
    assert lo > 0  # for these three networks

# a network trained by hand, to have its probabilities
from herocon_lite.data import split
from herocon_lite.methods import Problem, build
from herocon_lite.metrics import evaluate
from herocon_lite.train import predict, train

parts = split(yeast, seed=0)
torch.manual_seed(0)
shapes = tuple(view.shape[1:] for view in yeast.views)
net = build("dnn", Problem(shapes, 14, "multilabel"))
rows_of = [[v[r] for v in yeast.views] for r in (parts.train, parts.test)]
train(net, rows_of[0], yeast.labels[parts.train], None, Schedule(30), 0)
P, Y = predict(net, rows_of[1], "multilabel"), yeast.labels[parts.test]
cuts = np.linspace(0.05, 0.95, 10)
found = [evaluate(Y, P, "multilabel", threshold=c) for c in cuts]
assert np.ptp([f["auc"] for f in found]) == 0  # it has no threshold

fig, ax = plt.subplots(figsize=(5, 3))
ax.plot(cuts, [f["f1"] for f in found], "o-", ms=4)
for cut in (0.4, 0.5):
    ax.axvline(cut, color=plots.FAINT, zorder=0)
ax.set(xlabel="threshold", ylabel="F1", title="one run on yeast, not Scene")
plt.show()

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Check solution 2", "code_prompt_hide": "Hide check 2"}
curve = np.array([f["f1"] for f in found])
assert np.ptp(curve) > 0.1 and cuts[curve.argmax()] < 0.5
everything = evaluate(Y, np.ones_like(P), "multilabel")["f1"]
assert abs(curve[0] - everything) < 0.01
print("AUC does not move. F1 moves by over 0.1; which cut is best depends")
print("on data and network: above 0.4 for those three on Scene (not for")
print("DeepMTMV: chapter 16), below 0.5 for this one on yeast. The")
print("flat left end is F1 of predicting every label for every row.")

# %% [markdown]
# **3.** Suppose a gain of 0.3 points is real, and that its paired differences vary as
# those of *DNN + BN(U)* and DNN do. How often do five seeds show it (interval above
# zero), and how often do twenty? Simulate with normal differences.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Show solution 3", "code_prompt_hide": "Hide solution 3"}
sd = answers["BN(U) alone: (DNN + BN(U)) − DNN", "f1"].loc[:19].std()
random = np.random.default_rng(0)
power = {}
for n in (5, 20):
    sample = random.normal(0.3, sd, (20_000, n))
    error = sample.std(1, ddof=1) / math.sqrt(n)
    t = stats.t.ppf(0.975, n - 1)
    power[n] = (sample.mean(1) - t * error > 0).mean()
    exact = stats.nct.sf(t, n - 1, 0.3 * math.sqrt(n) / sd)
    assert abs(power[n] - exact) < 3 * math.sqrt(0.25 / 20_000)
    print(f"{n:2} seeds: seen in {100 * power[n]:.0f} of 100 experiments")
assert power[20] > 2 * power[5]
