# %% [markdown]
# # What the weights do
#
# *Reads in 25 minutes, runs in 20 seconds on a CPU.*
#
# Eq. 5 of the paper {cite:p}`zheng2022herocon` multiplies each negative by a
# weight $g$, so that samples which already look alike repel each other less.
# The last chapter showed why one might want that. Here we ask what $g$ does:
# by algebra, on toys, and on data.
#
# **What we will see**
#
# - $g$ lies between 1 and $e^2$, so as a constant it can share out the push
#   differently, but never lower its total below vanilla's. With its own
#   gradient flowing it can;
# - with $H$ = identity, its gradient flowing and views that agree, $g$ is
#   a higher temperature, exactly, for the loss and for every push; at the
#   paper's $\tau = 1$ that temperature is infinite and nothing repels;
# - the loss is lowest when all weights are 1, so a free $g$ drifts there; the
#   encoders can help it by collapsing, and on poor data they do. With a `detach`
#   they did not;
# - the weights mostly help at high temperatures and hurt at low ones; two
#   other corrections, DCL and HCL, are measured on the same toy;
# - on real data a *trained* $H$ does what the paper says, in the relative
#   sense, and slowly.

# %%
import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch

from herocon_lite import losses, theory
from herocon_lite.data import load
from herocon_lite.repro import plots, simulations
from herocon_lite.repro.settings import Run
from herocon_lite.similarity import unit

plt.style.use("herocon_lite.repro.book")
torch.set_num_threads(1)  # small nets: more threads only wait
torch.set_default_dtype(torch.float64)  # so that checks can be strict
E2 = math.e**2

# %% [markdown]
# ## One anchor, two kinds of strangers
#
# The weight of a negative $b$ for an anchor $a$, with a small network $H$, is
#
# $$ g(a, b) = \tfrac12\bigl(e^{1-\cos(a, H(b))} + e^{1-\cos(H(a), b)}\bigr) , $$
#
# and Eq. 5 multiplies each $f(a, b) = e^{\cos(a, b)/\tau}$ of its denominator by it.
#
# An anchor has its positive at cosine 1, one false negative at cosine 0.9 and
# ten true ones at $-0.2$. We take $H$ = identity, so $g = e^{1 - \cos}$, and
# let autograd say how hard each is pushed. There are two ways to use $g$: as a
# constant (`detach`: the representations get no gradient through it, while a
# learned $H$ still does), or with its own gradient flowing, which is what Eq. 5
# says and what the public code does. Tables and legends call the first *detached* or
# *constant*, the second *flowing*.

# %%
table = {}
for tau in (1.0, 0.5, 0.1):
    for mode, forces in theory.anchor_forces(tau).items():
        false, true, pull = forces
        table[tau, mode] = {
            "push on the false one": false,
            "push on a true one": true,
            "all push": false + 10 * true,
            "pull": pull,
        }
pd.DataFrame(table).T.rename_axis(["tau", "weights"]).round(3)

# %% [markdown]
# Look at the first column.
#
# - At $\tau = 1$ constant weights push everybody alike, and flowing ones push
#   nobody at all.
# - At $\tau = 0.5$ both spare the false negative, and the true ones are pushed
#   more (constant) or a little less (flowing).
# - At $\tau = 0.1$ constant weights push the false negative *harder* than
#   vanilla. There is nobody else near enough to take the push.
#
# The pull on the positive never falls below vanilla's. With constant weights
# all pushes together equal it; with flowing ones they do not. The rest of the
# chapter makes this general.

# %% mystnb={"image": {"alt": "Three groups of bars, for temperatures 1, 0.5 and 0.1: the push on the false negative under vanilla, constant weights and flowing weights, each divided by vanilla's. At 1 the bars are 1, 0.45 and 0. At 0.5 they are 1, 0.61 and 0.31. At 0.1 they are 1, 1.07 and 0.97."}} tags=["hide-input"]
modes = {"vanilla": "0.6", "detached": "#0072B2", "flowing": "#D55E00"}
fig, ax = plt.subplots(figsize=(6.4, 3.2))
for place, (mode, colour) in enumerate(modes.items()):
    heights = []
    for tau in (1.0, 0.5, 0.1):
        forces = theory.anchor_forces(tau)
        heights.append(forces[mode][0] / forces["vanilla"][0])
    x = np.arange(3) + 0.27 * (place - 1)
    bars = ax.bar(x, heights, 0.25, color=colour, label=mode)
    ax.bar_label(bars, fmt="%.2f", fontsize=9)
ax.set_xticks(range(3), ["τ = 1", "τ = 0.5", "τ = 0.1"])
ax.set(ylabel="push on the false negative\n(vanilla = 1)", ylim=(0, 1.35))
ax.legend(ncols=3, loc="upper center")
plt.show()

# %% [markdown]
# ## The range of g
#
# :::{prf:proposition} Range
# :label: weights-range
# For every $H$ and all vectors, $1 \le g \le e^2$. If all coordinates of the
# representations and of $H$'s output are non-negative, $1 \le g \le e$.
# :::
#
# *Proof.* $g$ is the mean of two numbers $e^{1-\cos}$, and $\cos \in [-1, 1]$;
# with non-negative coordinates $\cos \in [0, 1]$. ∎
#
# The paper notes the range $[1, e^2]$ in its proof of Lemma 3.3. That is right. The
# second half matters if encoders end in a ReLU and $H$ in a sigmoid; in the
# public code a BatchNorm comes after the ReLU, so signs are mixed and the whole
# range is open.

# %%
torch.manual_seed(0)
H = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Sigmoid())
a, b = torch.randn(2, 400, 8)
with torch.no_grad():
    signed = theory.weights(a, b, H)
    positive = theory.weights(a**2, b**2, H)
ends = theory.weights(a, torch.cat([a, -a]), lambda z: z)
assert signed.min() >= 1 and signed.max() <= E2
assert positive.min() >= 1 and positive.max() <= math.e
assert abs(ends.min() - 1) < 1e-8 and abs(ends.max() - E2) < 1e-8
print("160,000 signed pairs lie in [1, e²], non-negative ones in [1, e].")
print("With H = identity equal and opposite vectors reach both ends.")

# %% [markdown]
# ## Relative, never less in total
#
# Write $P_{ik}$ for vanilla's shares of anchor $i$, which are its pushes times
# $\tau$, and set $g_{ii} = 1$, since Eq. 5 does not weigh the positive.
#
# :::{prf:proposition} Shared out otherwise
# :label: weights-relative
# The shares with constant weights are
# $P^w_{ik} = g_{ik}P_{ik} / \mathbb E_{P_i}[g]$, where
# $\mathbb E_{P_i}[g] = \sum_k g_{ik} P_{ik}$. Hence
#
# 1. negative $k$ is pushed less than under vanilla if and only if
#    $g_{ik} < \mathbb E_{P_i}[g]$;
# 2. the total push, which is the pull on the positive, is
#    $1 - P^w_{ii} \ge 1 - P_{ii}$: never below vanilla;
# 3. the shares of two negatives change relative to each other by $g_k/g_l$, a
#    factor between $e^{-2}$ and $e^2$.
# :::
#
# *Proof.* The first formula is the definition of a share with the sum written
# as $\mathbb E_{P_i}[g]$ times vanilla's sum. 1 and 3 follow at once, 2 from
# $g_{ii} = 1 \le \mathbb E_{P_i}[g]$. ∎

# %%
z, w = unit(torch.randn(12, 6)), unit(torch.randn(12, 6))
own, tau = torch.eye(12, dtype=torch.bool), 0.5
g = theory.weights(z, w, lambda v: v).masked_fill(own, 1.0)
scores = (z @ w.T / tau).requires_grad_()
loss = (scores + g.log()).logsumexp(1) - scores.diagonal()
(push,) = torch.autograd.grad(loss.sum(), scores)
P = scores.detach().softmax(1)
Pw = theory.weighted_shares(P, g)
mean_g = (g * P).sum(1, keepdim=True)
assert (push - (Pw - torch.eye(12))).abs().max() < 1e-12
assert (((Pw < P) == (g < mean_g)) | own).all()
assert (Pw.diagonal() <= P.diagonal()).all()
less = (Pw < P)[~own].double().mean()
print("Shares, the condition on g and the total hold, to 1e-12.")
print(f"{less:.0%} of the negatives are pushed less, the others more.")

# %% [markdown]
# > **The paper says** that minimising $L_u$ reduces the weight of a similar
# > negative *instead of* pushing it away.
# >
# > **We say** that with $g$ as a constant a negative below the anchor's average
# > weight is pushed less, and the others, the pull on the positive included,
# > take over more than that. With the gradient flowing, as in Eq. 5, the loss
# > does lower $g$ itself ({prf:ref}`weights-drift`), most for near pairs; what
# > else that brings is below.

# %% [markdown]
# ## H = identity is a change of temperature
#
# :::{prf:proposition} A hotter loss
# :label: weights-temperature
# Let $H$ be the identity, the gradient flowing. Then
# $g f = e \cdot e^{(\frac1\tau - 1)\cos}$. If the two views of each sample
# agree, $\cos_{ii} = 1$, and $\tau < 1$, then for every set of negatives, the
# same on both sides,
#
# $$ L_u(\tau) = L_1(\tau') , \qquad \frac1{\tau'} = \frac1\tau - 1 ,
# \quad \tau' = \frac\tau{1-\tau} . $$
#
# At $\tau = 1$, agreeing or not,
# $L_u = \frac1n\sum_i\log(1 + M e^{1 - \cos_{ii}})$ with $M$ negatives: they
# do not enter at all.
# :::
#
# *Proof.* $g f = e^{1 - \cos}e^{\cos/\tau}$. Divide by the positive's
# $f_{ii} = e^{1/\tau}$: what is left is $e^{(\cos - 1)(\frac1\tau - 1)}$, which
# is vanilla's ratio at $\tau'$. At $\tau = 1$ every $gf$ is $e$. ∎
#
# The pushes, too, are those at $\tau'$. The pull on the positive is not: it keeps the
# factor $1/\tau$, so it is $1/(1-\tau)$ times vanilla's at $\tau'$. Where the views agree
# exactly it has no part along the sphere.
#
# In words: the identity takes **one off the inverse temperature**, and a low
# temperature is what makes near negatives count most {cite:p}`wang2021behaviour`.


# %%
def same(z):
    return z


torch.manual_seed(1)
z, w = torch.randn(2, 16, 8)
for k in (2, 3, 5, 10):  # tau = 1/k
    tau = 1 / k
    weighted = losses.weighted_unsupervised(z, z, same, tau)
    vanilla = losses.weighted_unsupervised(z, z, None, theory.hotter(tau))
    assert abs(weighted - vanilla) < 1e-10
    print(f"L_u at tau = 1/{k} is vanilla at tau = 1/{k - 1}, to 1e-10.")

# %% [markdown]
# And at $\tau = 1$: shuffle the negatives as you like, nothing happens. The
# loss is smallest, $\log(1 + M)$, wherever the views agree, and total collapse
# is one of these places.

# %%
n, M = 16, 2 * 15  # negatives of both views
for place in (torch.randn(n, 8), torch.ones(n, 8)):  # spread, collapsed
    a, b = (place.clone().requires_grad_() for _ in range(2))
    value = losses.weighted_unsupervised(a, b, same, 1.0)
    assert abs(value - math.log(1 + M)) < 1e-10
    slopes = torch.autograd.grad(value, (a, b))
    assert max(slope.abs().max() for slope in slopes) < 1e-10
print("Spread out or collapsed: loss log(1 + M) and no force, to 1e-10.")

# %% [markdown]
# Slide the temperature. The curves show how hard a negative is pushed, as a
# function of its angle from the anchor, scaled so that vanilla and constant
# weights agree at 90 degrees.

# %% tags=["hide-input"]
degrees = np.linspace(0, 180, 61)
cosine = np.cos(np.deg2rad(degrees))
steps = range(1, 11)
vanilla = np.array([np.exp(k * cosine) for k in steps])
constant = np.array([np.exp((k - 1) * cosine) for k in steps])
flowing = np.array([(k - 1) / k * np.exp((k - 1) * cosine) for k in steps])
names = "vanilla", "constant weights", "flowing weights"
plots.movable(
    [
        {
            "name": name,
            "x": degrees,
            "y": np.log10(np.maximum(y, 1e-9)).round(4) + 0.0,
        }
        for name, y in zip(names, (vanilla, constant, flowing), strict=True)
    ],
    [f"1/{k}" for k in steps],
    "temperature τ",
    "Push on a negative against its angle from the anchor, on a logarithmic "
    "scale, for vanilla, constant and flowing weights with H = identity. At "
    "tau = 1 constant weights give a flat line; at small tau all three "
    "nearly agree.",
    "angle between anchor and negative (degrees)",
    "log₁₀ of the push, relative",
    (0, 180),
    (-5, 5),
    start=1,
)

# %% mystnb={"image": {"alt": "Three panels, for temperatures 1, 1/2 and 1/10: the logarithm of the relative push against the angle from 0 to 180 degrees. Vanilla falls with the angle. Constant weights are flat at temperature 1, less steep than vanilla at 1/2 and nearly as steep at 1/10. Flowing weights lie just below; at temperature 1 there is none."}} tags=["hide-input"]
fig, axes = plt.subplots(1, 3, figsize=(8, 3), sharey=True)
for ax, k in zip(axes, (1, 2, 10), strict=True):
    ax.plot(degrees, np.log10(vanilla[k - 1]), label="vanilla")
    ax.plot(degrees, np.log10(constant[k - 1]), label="constant")
    if k > 1:  # at τ = 1 flowing weights push nothing at all
        ax.plot(degrees, np.log10(flowing[k - 1]), ":", label="flowing")
    ax.set(title=f"τ = 1/{k}" if k > 1 else "τ = 1", xlabel="angle (degrees)")
    ax.set_xticks([0, 90, 180])
axes[0].set_ylabel("log₁₀ of the push")
axes[1].legend(fontsize=9)
plt.show()

# %% [markdown]
# At $\tau = 1$, the paper's own, the weights change everything. At $\tau = 0.1$
# they change little: the inverse temperature goes from ten to nine.
#
# ## Where free weights go
#
# In the paper $H$ is learned, by the same loss. What does the loss want?
#
# :::{prf:proposition} Downhill is one
# :label: weights-drift
# $\partial L_u/\partial g_{ik} = \frac1n P^w_{ik}/g_{ik} > 0$ for every
# negative. So over all weights in $[1, e^2]$ the loss is least at $g \equiv 1$,
# which is vanilla. With $n \ge 3$ samples, and both views as negatives, a
# network $H$ reaches $g \equiv 1$ only if all representations point in one
# direction. (With negatives of the other view alone: each view in its own.)
# :::
#
# *Proof.* The derivative of $\log\sum_k g_{ik}f_{ik}$ is $f_{ik}/\sum_k
# g_{ik}f_{ik}$. And $g_{ik} = 1$ needs $\cos(z_i, H(z_k)) = 1$; for given $k$
# all anchors $z_i$, $i \ne k$, then share the direction of $H(z_k)$. Two choices
# of $k$ cover all samples, and for $n \ge 3$ the two sets of anchors overlap, so
# their direction is one. The other half, $\cos(H(z_i), z_k) = 1$, says the same
# of the negatives, whichever view they are of. ∎

# %%
z, w = unit(torch.randn(8, 5)), unit(torch.randn(8, 5))
own = torch.eye(8, dtype=torch.bool)
free = (1 + (E2 - 1) * torch.rand(8, 8)).masked_fill(own, 1.0)
start = free[~own].mean().item()
for _ in range(300):
    free = free.detach().requires_grad_()
    loss = (z @ w.T + free.log()).logsumexp(1) - (z * w).sum(1)
    (slope,) = torch.autograd.grad(loss.mean(), free)
    assert (slope > 0).all()
    free = (free - 20 * slope).clamp(1.0, E2)  # stays in its range
assert (free == 1).all()
print(f"Free weights: {start:.1f} on average at first, exactly 1 at last.")

# %% [markdown]
# A sigmoid layer cannot do that for spread-out samples. It lowers the weights
# where that pays most, and $P^w_{ik}$ says where: at *near* negatives. So here
# is the mechanism by which $g$ becomes small for similar pairs, as the paper
# says it does; before training it knows nothing. We let $H$ alone learn, on
# fixed samples of four classes.

# %%
torch.manual_seed(0)
classes = torch.arange(4).repeat_interleave(16)
one_hot = torch.eye(4)[classes]
signs = {"signed": torch.randn(4, 32)}
signs["non-negative"] = torch.rand(4, 32) ** 4
table = {}
for name, mean in signs.items():
    noise = torch.randn(2, 64, 32)
    z = unit(mean)[classes] + 0.08 * noise[0]
    w = z + 0.03 * noise[1]
    if name == "non-negative":
        z, w = z.relu(), w.relu()
    for tau in (1.0, 0.1):
        for when, found in zip(
            ("before", "after"),
            theory.fit_weight_net(unit(z), unit(w), one_hot, tau, 120),
            strict=True,
        ):
            table[name, tau, when] = {
                "g, same class": found["g_identical"],
                "g, other class": found["g_disjoint"],
                "share of push, g = 1": found["share"],
                "share with g": found["weighted_share"],
            }
frame = pd.DataFrame(table).T.rename_axis(["samples", "tau", "training"])
frame.round(2)

# %%
for name, tau in {key[:2] for key in table}:
    before, after = table[name, tau, "before"], table[name, tau, "after"]
    assert abs(before["g, same class"] - before["g, other class"]) < 0.05
    assert after["g, same class"] < after["g, other class"] - 0.05
    assert after["share with g"] < after["share of push, g = 1"]
print("Before training g does not tell classes apart (within 0.05);")
print("after it, in all four cases, pairs of one class have the smaller mean.")

# %% [markdown]
# The share columns say how much of the push falls on the anchor's own class.
# Training $H$ lowers it by a few hundredths at most; for signed samples at
# $\tau = 0.1$ nothing can be seen.

# %% [markdown]
# ## Trained together: the way out is collapse
#
# {prf:ref}`weights-drift` has a dark side. $H$ cannot make all weights 1 while
# samples are spread out, but the encoders can remove that obstacle. At
# $\tau = 1$, where repulsion is weak, collapse costs little.
#
# The test: two views that share a known amount of information (correlated
# Gaussians), affine encoders (a linear layer with a bias), a sigmoid $H$, and
# nothing but Eq. 5 as the loss. The bias is what makes collapse possible:
# without it $z$ and $-z$ are equally likely, so that the mean of
# $g = e\cdot e^{-\cos}$ is that of $e\cosh(\cos)$, at least $e$ whatever $H$ is.


# %%
together = {}
for mode in ("vanilla", "flowing", "detached"):
    found = theory.joint_training(0.5, mode, steps=200, batch=128)
    together[mode] = found
flow, cut = together["flowing"], together["detached"]
assert flow["g"] < 1.01 and min(flow["positive"], flow["negative"]) > 0.98
assert cut["g"] > 2 and cut["positive"] - cut["negative"] > 0.2
assert abs(cut["contrast"] - together["vanilla"]["contrast"]) < 0.05
kind = {"steps": 200, "batch": 128, "bias": False}
straight = theory.joint_training(0.5, "flowing", **kind)
assert straight["g"] > math.e and straight["contrast"] > 0.15
print("0.5 nats shared, 200 steps of 128 pairs.")
print("Flowing weights: g is 1 within 0.01, and the mean cosines of positives")
print("and of negatives are above 0.98: collapse.")
print("Detached weights: g above 2, partners found as well as by vanilla.")
print("Flowing, but no bias: g above e, and no collapse.")

# %% [markdown]
# The longer record, made once by
# `python -m herocon_lite simulate joint` (500 steps, three seeds; means). *Positive* and
# *negative* are mean cosines, *contrast* is $\log n - L_1$ on fresh pairs, in nats: a lower
# bound on what one encoder's output tells of the other's, at $\tau = 1$ always below one
# nat ([chapter 7](unsupervised_bound.ipynb)). Vanilla has a $g$ too, that of an $H$ which is neither trained nor used:

# %%
store = simulations.stored("..")
rows = pd.DataFrame(store["joint"]["rows"])
columns = ["g", "positive", "negative", "contrast"]
groups = rows.groupby(["information", "mode"], sort=False)
groups[columns].mean().round(2).abs()

# %% mystnb={"image": {"alt": "Info-NCE estimate on fresh pairs against the information that the views share, 0.5, 2 and 6 nats, with a dot for each of three seeds. Vanilla and detached weights lie on top of each other and rise to about 0.8. Flowing weights lie far below: at zero for 0.5 nats, a little above zero for 2, at about 0.45 for 6."}} tags=["hide-input"]
fig, ax = plt.subplots(figsize=(6.2, 3.4))
for place, (mode, colour) in enumerate(modes.items()):
    part = rows[rows["mode"] == mode]
    x = part["information"].map({0.5: 0, 2.0: 1, 6.0: 2})
    x = x + 0.12 * (place - 1)
    ax.plot(x, part["contrast"], "o", color=colour, label=mode, alpha=0.8)
ax.axhline(0, color=plots.FAINT, zorder=0)
ax.set_xticks(range(3), ["0.5", "2", "6"])
ax.set(xlabel="information that the views share (nats)")
ax.set_ylabel("Info-NCE estimate\non fresh data (nats)")
ax.legend(title="weights")
plt.show()

# %%
mean = groups["contrast"].mean()
for nats in (0.5, 2.0, 6.0):
    assert mean[nats, "flowing"] < 0.65 * mean[nats, "vanilla"]
    assert abs(mean[nats, "detached"] - mean[nats, "vanilla"]) < 0.03
assert mean[0.5, "flowing"] < 0.01
print("Flowing weights lose a third or more at every level, all at 0.5.")
print("Detached weights stay within 0.03 nats of vanilla.")

# %% [markdown]
# So at the paper's temperature the unsupervised term *alone* may prefer to
# collapse. In the whole method the classification loss and $L_s$ stand
# against it, and on real data below we see no collapse. `detach=True` takes the
# danger away, and cost nothing here; on MOCHA it seems to cost a little
# ([chapter 16](settings.ipynb)).

# %% [markdown]
# ## When weighting helps, and when it hurts
#
# Now the question of the chapter, on a toy with a scale. Two classes of $m$
# samples on a sphere, two views each. A tether draws every sample to its
# class's place, at opposite poles; it stands in for the classification loss.
# A contrastive loss pushes the samples apart, so each has $m - 1$ false
# negatives and $m$ true ones. We let the two fight until they rest and read off
# the mean cosine of samples of one class: 1 if the false negatives do no harm.
#
# Everybody plays the same game, with both views as anchors and as negatives:
#
# - **vanilla**, which is NT-Xent {cite:p}`chen2020simclr`; **identity** and
#   **learned** weights of Eq. 5, flowing or detached;
# - **DCL** {cite:p}`chuang2020dcl` subtracts the false negatives it expects,
#   **HCL** {cite:p}`robinson2021hcl` does so and stresses near negatives. Both
#   must be told the share of false negatives, and here they are told the truth.
#
# HCL weighs a negative by $f^\beta$ (its own $\beta$, here 1): near ones *more*. With
# $H$ = identity $g = e f^{-\tau}$ is its opposite.
#
# Made once by `python -m herocon_lite simulate dial` (1,500 steps, three
# seeds). We run a small part again to see that the record is right.

# %%
dial = store["dial"]
taus = dial["taus"]  # 1/1, 1/2, ..., 1/10
kinds = [kind for kind in dial["same"] if kind != "oracle"]
same_class = {}  # (3, taus, seeds): for 1, 3 and 7 false negatives
for kind, by_count in dial["same"].items():
    same_class[kind] = np.array([by_count[count] for count in "137"])
for kind in ("vanilla", "identity"):
    again = theory.equilibrium(kind, 4, [1.0, 0.5, 0.2, 0.1], steps=500)
    recorded = same_class[kind][1][[0, 1, 4, 9], 0]
    assert np.abs(again["same"][:, 0].numpy() - recorded).max() < 0.01
print("Vanilla and identity, run again with 500 steps: as recorded,")
print("within 0.01.")
spread = max(np.ptp(x, axis=2).max() for x in same_class.values())
print(f"The three seeds differ by at most {spread:.2f}.")

# %% tags=["hide-input"]
plots.movable(
    [
        {
            "name": kind,
            "x": [1, 3, 7],
            "y": same_class[kind].mean(2).T.round(4) + 0.0,
        }
        | ({"dash": "dash"} if "detached" in kind else {})
        | ({"colour": "#8A8A8A"} if kind == "vanilla" else {})
        for kind in kinds
    ],
    [f"1/{k}" for k in range(1, 11)],
    "temperature τ",
    "Cosine of samples of one class at rest, against the number of false "
    "negatives, 1, 3 or 7, for seven losses. At tau = 1 most weighted ones "
    "lie above vanilla, at tau = 1/5 and below beneath it; DCL stays "
    "near 1 throughout.",
    "false negatives of each sample",
    "cosine within a class",
    (0.5, 7.5),
    (0, 1.05),
    start=1,
)

# %% mystnb={"image": {"alt": "Cosine within a class at rest against the inverse temperature, 1 to 10, one panel each for 1, 3 and 7 false negatives. Vanilla falls to a minimum between inverse temperature 2 and 4 and rises again. The identity's curve is vanilla's, moved by one to the right: above it at first, below it after the minimum. From inverse temperature 4 on the other weights lie near the identity's; at 1 to 3 they scatter. DCL stays near one. HCL rises from about 0.5 to 0.85."}} tags=["hide-input"]
look = {
    "vanilla": {"color": "0.35", "lw": 2.5},
    "identity": {"color": "#0072B2"},
    "identity, detached": {"color": "#0072B2", "ls": "--"},
    "learned": {"color": "#D55E00"},
    "learned, detached": {"color": "#D55E00", "ls": "--"},
    "DCL": {"color": "#009E73"},
    "HCL": {"color": "#CC79A7", "ls": (0, (4, 4))},
}
fig, axes = plt.subplots(1, 3, figsize=(8.4, 3.9), sharey=True)
for place, ax in enumerate(axes):
    for kind, style in look.items():
        heights = same_class[kind][place].mean(1)
        flows = ", flowing" if kind in ("identity", "learned") else ""
        ax.plot(range(1, 11), heights, label=kind + flows, **style)
    count = [1, 3, 7][place]
    ax.set_title(f"{count} false negative{'s' if count > 1 else ''}")
    ax.set_xticks([1, 2, 4, 6, 8, 10])
    ax.set_xlabel("1/τ")
axes[0].set_ylabel("cosine within a class")
handles, texts = axes[0].get_legend_handles_labels()
fig.legend(handles, texts, loc="outside lower center", ncols=4, fontsize=9)
plt.show()

# %% [markdown]
# What we read off, and check below:
#
# 1. Vanilla's harm is *not* monotone in the temperature. It is largest in the
#    middle. More false negatives do more harm at low temperatures; at high ones
#    it is the other way round (the true negatives grow in number, too).
# 2. The identity's curve is vanilla's, one step to the right, as
#    {prf:ref}`weights-temperature` predicts where views agree. So it helps left of the minimum and
#    hurts right of it.
# 3. Learned weights behave alike at low temperatures: they hurt. At $\tau = 1$
#    they help with three and seven false negatives; with one, flowing weights
#    hurt and detached ones help.
# 4. DCL, told the truth, leaves the classes nearly as they are: it subtracts
#    the near negatives so thoroughly that hardly any push is left. HCL pays a
#    little at $\tau = 1$ and gains everywhere else.

# %%
curves = {kind: x.mean(2) for kind, x in same_class.items()}  # (3, taus)
vanilla, identity = curves["vanilla"], curves["identity"]
lowest = vanilla.argmin(1)
assert (lowest > 0).all() and (lowest < 5).all()
assert (np.diff(vanilla[:, 3:], axis=0) < 0).all()  # tau <= 1/4
assert (np.diff(vanilla[:, :2], axis=0) > 0).all()  # tau >= 1/2
assert np.abs(identity[:, 1:] - vanilla[:, :-1]).max() < 0.005
for kind in kinds[1:5]:  # the weights of Eq. 5
    assert (curves[kind][:, 4:] < vanilla[:, 4:]).all()  # tau <= 1/5
    if kind != "learned":
        assert (curves[kind][:, 0] > vanilla[:, 0] + 0.1).all()  # tau = 1
flowing = curves["learned"][:, 0] - vanilla[:, 0]
assert flowing[0] < -0.05 and (flowing[1:] > 0.1).all()
assert (curves["DCL"] > 0.95).all()
assert (curves["HCL"][:, 0] < vanilla[:, 0]).all()
assert (curves["HCL"][:, 1:] > vanilla[:, 1:]).all()
print("Identity at 1/k equals vanilla at 1/(k - 1), within 0.005.")
print("All four weightings hurt at tau = 1/5 and below.")
print("At tau = 1 all help, but for flowing learned weights with one")
print("false negative. DCL keeps the cosine above 0.95.")

# %% [markdown]
# ### And if there are no false negatives?
#
# A correction is only as good as the trouble it corrects. Take eight samples
# of eight different classes, whose places resemble each other: cosine 0.5 at
# the tether. Now every push is deserved, and vanilla uses it. We read off the
# cosine of *different* classes: lower is better. DCL and HCL are told a share
# of 0.1, as one would guess when one does not know.

# %% mystnb={"image": {"alt": "Cosine of different classes at rest against the inverse temperature, 1 to 10; a dotted line at 0.5 marks the tether. Vanilla lies near minus 0.1 for high temperatures and rises to 0.3 at the lowest. The identity and the learned weights with flowing gradients are far above vanilla at temperature 1 and slightly below it at low ones. Detached weights lie slightly below vanilla. DCL and HCL lie on top of each other, at the tether from inverse temperature 5 on."}} tags=["hide-input"]
strangers = {}
for kind, values in store["strangers"]["different"].items():
    strangers[kind] = np.array(values)
fig, ax = plt.subplots(figsize=(6.4, 3.9))
for kind, style in look.items():
    ax.plot(range(1, 11), strangers[kind].mean(1), label=kind, **style)
ax.axhline(0.5, color="0.6", ls=":", lw=1.2, label="at the tether")
ax.set_xticks(range(1, 11))
ax.set(xlabel="1/τ", ylabel="cosine of different classes")
ax.set_title("no false negatives: lower is better")
fig.legend(loc="outside right center", fontsize=9)
plt.show()

# %%
mean = {kind: values.mean(1) for kind, values in strangers.items()}
assert mean["identity"][0] > 0.49 > mean["vanilla"][0] + 0.4
assert mean["learned"][0] > mean["vanilla"][0] + 0.1
for kind in ("identity, detached", "learned, detached"):
    assert (mean[kind] < mean["vanilla"]).all()
assert (mean["DCL"][4:] > 0.45).all() and mean["vanilla"][4] < 0.1
print("tau = 1, flowing weights: strangers stay closer than under vanilla.")
print("Detached weights never hurt here; DCL with a wrong guess stops")
print("pushing at tau = 1/5 and below.")

# %% [markdown]
# So yes: correcting what is not wrong hurts, with two of the three ideas. A
# flowing $g$ at high temperatures, most at $\tau = 1$, spares look-alike
# strangers, since it cannot know that they are strangers. DCL and HCL with a guess
# of 10 % switch the push off at low temperatures. Detached weights are harmless: they shift the push to far
# negatives and enlarge it in total.

# %% [markdown]
# ## On real data, live: yeast
#
# The embedded yeast set {cite:p}`elisseeff2001` has two views and 14 labels,
# and many genes share the whole label vector: these are its false negatives.
# We train HeroCon as printed, 120 steps with 120 labelled and 200 unlabelled rows
# each, and look at $g$ on 400 rows: its mean over the two views of a row
# (`g_positive`), over rows with the same labels (`g_identical`) and with none in common
# (`g_disjoint`), its `correlation` with the cosine, and the mean cosines. One run, one
# seed: an illustration.

# %% tags=["nbval-ignore-output"]
torch.set_default_dtype(torch.float32)
run = Run("yeast", "herocon", seed=0, budget="smoke")
watched = simulations.watch_weights(run, load("yeast"), (0, 40, 80, 120), 400)
torch.set_default_dtype(torch.float64)
frame = pd.DataFrame(watched["steps"]).set_index("step")
shown = ["g_positive", "g_identical", "g_disjoint", "correlation"]
shown += ["cos_identical", "cos_disjoint"]
frame[shown].round(2)

# %%
first, last = frame.iloc[0], frame.iloc[-1]
assert abs(first["correlation"]) < 0.4 and last["correlation"] < -0.6
assert last["g_identical"] < last["g_disjoint"] < first["g_disjoint"] - 0.3
assert last["g_positive"] < last["g_identical"]
assert 0.02 < last["cos_identical"] - last["cos_disjoint"] < 0.25
print("At first g says little about the cosine of a pair; after 120 steps")
print("it follows it closely (correlation below -0.6). All g have fallen.")

# %% [markdown]
# The drift of {prf:ref}`weights-drift` is in the numbers: every column of $g$
# falls. And $g$ has become small for *near* pairs. Between identical and disjoint
# labels it differs by little, before as after: on yeast the encoder has put
# identical labels nearer by about a tenth of a cosine only. Scene, below, is where an
# effect on labels is seen.

# %% [markdown]
# ## On real data, stored: Scene
#
# Scene {cite:p}`boutell2004scene` is one of the paper's sets. It states no licence
# and is not embedded here, so this is a record of aggregate numbers, made
# by `python -m herocon_lite simulate scene`: preset "paper", the paper's
# budget (200 steps, all rows in each), two noisy copies of each row and Eq. 5 (the
# text names Eq. 4; [chapter 9](scene.ipynb) has both), looked at on all pairs of
# unlabelled rows. `share` is the part of the push that would fall on rows with identical
# labels if $g$ were 1, `weighted_share` the part that does.

# %%
runs = store["scene"]["runs"]
flat = []
for run in runs:
    flat += [{"seed": run["seed"]} | step for step in run["steps"]]
frame = pd.DataFrame(flat)
shown = ["g_positive", "g_identical", "g_disjoint", "correlation"]
shown += ["share", "weighted_share"]
print("Means of", frame["seed"].nunique(), "seeds")
frame.groupby("step")[shown].mean().round(2) + 0.0

# %% mystnb={"image": {"alt": "Two plots over 200 steps of training on Scene, a thin line for each seed and a thick one for the mean. Left: the mean weight g of positive pairs, of pairs with identical labels and of pairs with disjoint labels. All start near 2.9; they fall to about 1.7, 1.9 and 2.3. Right: the share of the push on rows with identical labels. Without weights it rises from 0.15 to above 0.2 within 50 steps; with weights it rises less and falls back to about 0.18. A dotted line marks the even share at 0.15."}} tags=["hide-input"]
groups = {
    "g_positive": ("two views of a row", "#009E73"),
    "g_identical": ("identical labels", "#0072B2"),
    "g_disjoint": ("disjoint labels", "#D55E00"),
}
shares = {
    "share": ("if g were 1", "0.35"),
    "weighted_share": ("with g", "#0072B2"),
}
fig, axes = plt.subplots(1, 2, figsize=(8, 3.6))
for ax, lines in zip(axes, (groups, shares), strict=True):
    for name, (label, colour) in lines.items():
        for _, one in frame.groupby("seed"):
            ax.plot(one["step"], one[name], color=colour, lw=0.7)
        middle = frame.groupby("step")[name].mean()
        ax.plot(middle.index, middle, "o-", color=colour, label=label)
    ax.set_xlabel("step")
    ax.legend(fontsize=9)
axes[0].set(ylabel="mean weight g", ylim=(1, 3.2))
even = frame["even_share"].mean()
axes[1].axhline(even, color="0.5", ls=":", lw=1.2, label="even share")
axes[1].set(ylim=(0, None))
axes[1].legend(fontsize=9, loc="lower right")
axes[1].set_ylabel("share of the push that falls\non identical labels")
plt.show()

# %%
first = frame[frame["step"] == 0]
last = frame[frame["step"] == 200].set_index("seed")
assert (first["correlation"].abs() < 0.3).all()
assert (last["correlation"] < -0.7).all()
assert (last["g_identical"] < last["g_disjoint"] - 0.2).all()
assert (last["g_positive"] < last["g_identical"]).all()
assert (last["cos_disjoint"] < 0.1).all()  # no collapse
excess = last["share"] - last["even_share"]
spared = (last["share"] - last["weighted_share"]) / excess
assert spared.between(0.2, 0.6).all()
print("At the end, in every seed: g is smaller for identical labels than")
print("for disjoint ones by 0.2 or more, and it takes away between a fifth")
print("and three fifths of the excess push on identical labels.")

# %% [markdown]
# > **The paper says** that similar samples get small weights.
# >
# > **We say** on Scene they do, after training. At first $g$ says little
# > about similarity; at 50 of 200 steps it begins to. All weights shrink while
# > the network learns, the drift of {prf:ref}`weights-drift`, but there is no
# > collapse: disjoint labels stay at cosines near zero.
#
# The share counts pairs by $P^w$ alone; the force that flows through $g$ itself
# is not in it. And it speaks of pushes, not of F1: what the weights are worth
# there is for the chapters with the tables.

# %% [markdown]
# ## What we learnt
#
# | statement | verdict |
# |---|---|
# | $g \in [1, e^2]$ | **true**, for every $H$ |
# | $g$ reduces the weight of similar negatives | **true relative to other negatives**, once $H$ is trained. The push on *one* negative falls if and only if its $g$ lies below the anchor's mean ($g$ constant). The push on *all together* **never falls** below vanilla's if $g$ is held constant; it **may fall or rise** if its gradient flows, down to none at all ($H$ = identity, $\tau = 1$) |
# | the weights relieve the harm of false negatives | on toys **mostly true at high temperatures**, $\tau = 1$ among them; **false at low ones**, where they add to it |
# | ($H$ = identity, gradient flowing) | where the views of a sample agree, **an exact change of temperature** for the loss and every push, $1/\tau \to 1/\tau - 1$; at $\tau = 1$ no repulsion at all |
# | training $H$ with the rest of the network (as in the public code) | the paper says that minimising $L_u$ lowers $g$; **not discussed**: that it rewards $g \to 1$ for all pairs and, at $\tau = 1$ on poor data, collapse. With `detach` the toy did not collapse |
#
# The toys have free points and a tether in place of a network. They show which
# way the forces point, not how large an effect on F1 is.
#
# ## Exercises
#
# :::{exercise} The turning point
# :label: weights-ex-turn
# One false negative at cosine 0.9, ten true ones at $-0.2$, $H$ = identity,
# constant weights. Below which temperature do the weights push the false
# negative harder than vanilla?
# :::
#
# :::{dropdown} Solution
# By {prf:ref}`weights-relative` the push is smaller if and only if the false
# negative's $g = e^{0.1}$ lies below the mean of $g$ under vanilla's shares.
# As $\tau$ falls, the shares move to the positive and the false negative, whose
# weights are 1 and $e^{0.1}$, and the mean falls below $e^{0.1}$.
# :::

# %% tags=["hide-cell"]
cosine = torch.tensor([1.0, 0.9] + [-0.2] * 10)
g = (1 - cosine).exp()


def gap(tau):
    return ((cosine / tau).softmax(0) @ g - g[1]).item()


low, high = 0.1, 1.0
assert gap(low) < 0 < gap(high)
for _ in range(60):
    middle = (low + high) / 2
    low, high = (low, middle) if gap(middle) > 0 else (middle, high)
for tau, harder in ((low - 0.01, True), (low + 0.01, False)):
    forces = theory.anchor_forces(tau)
    assert (forces["detached"][0] > forces["vanilla"][0]) == harder
print(f"Below tau = {low:.3f} constant weights push it harder.")

# %% [markdown]
# :::{exercise} Beyond one
# :label: weights-ex-beyond
# What does Eq. 5 with $H$ = identity do at $\tau = 2$?
# :::
#
# :::{dropdown} Solution
# $\frac1\tau - 1 = -\frac12$: the inverse temperature is negative, and the loss
# *attracts* negatives. Total collapse is the minimum.
# :::

# %% tags=["hide-cell"]
torch.manual_seed(0)
z = unit(torch.randn(6, 4))
value = {}
places = {"spread": theory.simplex(6), "collapsed": z[:1].expand(6, 4)}
for name, points in places.items():
    value[name] = losses.weighted_unsupervised(points, points, same, 2.0)
cold = theory.anchor_forces(2.0)["flowing"]
assert cold[0] < 0 and cold[1] < 0  # a negative push is a pull
assert value["collapsed"] < value["spread"]
assert abs(value["collapsed"] - math.log(1 + 2 * 5)) < 1e-10
print("At tau = 2 every negative is pulled, and collapse is cheapest.")

# %% [markdown]
# :::{exercise} The positive, weighted too
# :label: weights-ex-positive
# The public code multiplies the positive in the denominator by $g_{ii}$ as
# well. With $H$ = identity and $\tau = 1$, what is left of the loss?
# :::
#
# :::{dropdown} Solution
# All $M + 1$ terms of the sum are $e$, so the loss is
# $1 + \log(M+1) - \cos_{ii}$, on average over anchors: a plain pull of the two
# views, of constant strength, and nothing else.
# :::

# %% tags=["hide-cell"]
z, w = torch.randn(2, 7, 4)
switch = losses.Switches(positive_weighted=True)
value = losses.weighted_unsupervised(z, w, same, 1.0, preset=switch)
agree = (unit(z) * unit(w)).sum(1).mean()
M = 2 * 6
assert abs(value - (1 + math.log(M + 1) - agree)) < 1e-10
print("Equal to 1 + log(M + 1) - mean cosine of the views, to 1e-10.")
