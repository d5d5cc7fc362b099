# %% [markdown]
# # The unsupervised bound
#
# *Reads in 25 minutes, runs in 10 seconds on a CPU.*
#
# Why should a contrastive loss be a good thing to minimise? The paper's answer is
# information: Lemma 3.3 says that a small $L_u$ certifies that the two views share much of
# it. Here we take that lemma seriously. We prove it, look at what it can and cannot see,
# and then break it on purpose.
#
# **What we will see**
#
# - The lemma is *true*, for every critic and all weights $g \ge 1$, and a little more is true
#   than it says. Its printed proof does not show it; five other lines do.
# - With $f = \exp(\cos)$, the $f$ of the paper's experiments, the bound never passes one nat.
# - "More negatives, tighter bound" holds for the best critic without weights. In general the
#   bound may stop short, or even get looser.
# - Ways to make it false: count both views of a negative, read it off the training loss, or
#   let weights fall below one.

# %%
import json
import math
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import torch

from herocon_lite import losses, theory
from herocon_lite.repro import plots

plt.style.use("herocon_lite.repro.book")
torch.set_default_dtype(torch.float64)  # so that checks can be strict

# %% [markdown]
# ## A toy first: views that share what we choose
#
# To judge a bound on information we need data whose information is known. Take two views
# $x, y \in \mathbb R^d$ whose coordinates are standard Gaussians, coordinate by coordinate
# with correlation $\rho$ and otherwise independent. Then
#
# $$ I(X; Y) = -\frac d2 \log(1 - \rho^2) , $$
#
# and we can turn the dial $\rho$ until the views share as many *nats* as we like (one nat is
# $1/\log 2$ bits, about one and a half).

# %%
d, information = 10, 2.0
rho = theory.gaussian_correlation(d, information)
assert abs(theory.gaussian_information(d, rho) - information) < 1e-12
print(f"{d} coordinates, correlation {rho:.3f}: {information} nats shared.")

# %% [markdown]
# A *critic* $f(x, y) > 0$ scores pairs. An anchor $x$ with its own $y$ and $M$ negatives
# $y_1, \dots, y_M$ has the loss
#
# $$ L = \mathbb E \log \frac{f(x, y) + \sum_k g_k\, f(x, y_k)}{f(x, y)} , $$
#
# Eq. 3 if all $g_k = 1$ and, up to the choice of negatives, Eq. 5 if not. The paper writes
# $|\mathcal N|$ for $M$. The *bound* that we draw is $\log(M + 1) - L$. In a batch of $n$
# pairs each is the others' negative, so $M + 1 = n$:


# %%
def bound(log_f, log_g=None):
    """log(M + 1) − L of a batch; both (n, n), positives on the diagonal."""
    n = len(log_f)
    negatives = log_f if log_g is None else log_f + log_g
    terms = torch.where(torch.eye(n) == 1, log_f, negatives)
    loss = terms.logsumexp(1) - log_f.diagonal()
    return math.log(n) - loss.mean()


# %% [markdown]
# Four critics see the same pairs:
#
# - the **best** one, $r(x, y) = p(y \mid x)/p(y)$, which one knows only in toys;
# - the **cosine**, $f = \exp(\cos)$, as in the paper's experiments;
# - the cosine **weighted** by $g$, with $H$ = identity, so that $g = e^{1 - \cos}$;
# - the cosine with a small **temperature**, $f = \exp(\cos/\tau)$, $\tau = 0.1$.

# %%
generator = torch.Generator().manual_seed(0)
(x,), (y,) = theory.gaussian_pairs(1, 256, d, rho, generator)
cos, best = theory.all_cosines(x, y), theory.gaussian_log_ratio(x, y, rho)
by_hand = {
    "best": bound(best),
    "cosine": bound(cos),
    "cosine, weighted": bound(cos, log_g=1 - cos),
    "cosine, tau = 0.1": bound(cos / 0.1),
}
assert abs(bound(cos) - (math.log(256) - losses.info_nce(x, y))) < 1e-12
for name, value in by_hand.items():
    print(f"{name:18} {value:6.2f} of {information:.0f} nats, one batch")

# %% [markdown]
# The same for other $M$, over many fresh batches (`theory.gaussian_bounds`). The bars are
# three standard errors, most of them smaller than the dots.

# %% mystnb={"image": {"alt": "Four curves against the number of negatives, from 1 to 255, for views that share 2 nats. The best critic rises, below log(M+1), and bends to the truth at 2. The cosine with temperature 0.1 stays a little below it. The plain cosine levels off at about a half. The weighted cosine lies below zero everywhere."}}
looks = {
    "best": ("best critic", "o-", "#0072B2"),
    "cosine, tau = 0.1": ("exp(cos/0.1)", "^-", "#009E73"),
    "cosine": ("exp(cos)", "s-", "#D55E00"),
    "cosine, weighted": ("exp(cos), weighted", "d-", "#CC79A7"),
}
few = [1, 3, 7, 15, 31, 63, 127, 255]
live = {M: theory.gaussian_bounds(information, M, anchors=4096) for M in few}

fig, ax = plt.subplots()
for name, (label, style, colour) in looks.items():
    mean, error = np.array([live[M][name] for M in few]).T
    ax.errorbar(few, mean, 3 * error, fmt=style, color=colour, label=label)
ax.plot(few, np.log(np.add(few, 1)), ":", color="0.5", label="log(M + 1)")
ax.axhline(information, ls="--", color="0.3", label="true information")
ax.set(xscale="log", xlabel="negatives M", ylabel="log(M + 1) − L (nats)")
ax.set(ylim=(-0.9, 2.7), title="views that share 2 nats")
ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# No curve passes the dashed line: a bound it is. But only the blue one comes near it (and,
# with more negatives, arrives, as a later figure shows). The rest of the chapter explains each curve.

# %% [markdown]
# ## The statement
#
# > **The paper says** (Lemma 3.3) that the mutual information of the two views of a sample
# > is at least $\log|\mathcal N| - L_u$, where $L_u$ is the weighted loss of Eq. 5.
#
# :::{prf:proposition} The contrastive bound
# :label: info-bound
# Let $(x, y)$ be a pair from any joint law, and let $y_1, \dots, y_M$ be drawn independently
# of it and of each other from a law $q$. For **every** critic $f > 0$ and **all** weights
# $g_k \ge 1$,
#
# $$ \log M - L < \log(M + 1) - L \;\le\;
# D := \mathrm{KL}\bigl(p(x, y) \,\|\, p(x) q(y)\bigr) . $$
#
# If the negatives come from the marginal law of the second view, $q(y) = p(y)$, then
# $D = I(X; Y)$: Lemma 3.3, with $\log(M+1)$ in the place of $\log M$.
# :::
#
# :::{prf:proof}
# In five lines. (If $D = \infty$ there is nothing to show; else $P$ below has a density with
# respect to $Q$. We take $L < \infty$.)
#
# 1. Let $y_0 = y$ and $T = (M + 1)\, f(x, y_0) / \sum_{k=0}^M f(x, y_k)$. With all weights
#    one, $\mathbb E_P \log T = \log(M+1) - L$, where $P$ is the true law of everything.
# 2. Let $Q$ be the same law, except that $y_0$ is drawn from $q$ too, independently of $x$.
#    $P$ and $Q$ differ in the law of $(x, y_0)$ alone, so $\mathrm{KL}(P \| Q) = D$.
# 3. Under $Q$ the $M + 1$ candidates are exchangeable, so each of the shares
#    $f(x, y_j)/\sum_k f(x, y_k)$ has the same mean. They add up to one: $\mathbb E_Q T = 1$.
# 4. Jensen: $\mathbb E_P \log T - D = \mathbb E_P \log\bigl(T \frac{dQ}{dP}\bigr) \le
#    \log \mathbb E_P \bigl(T \frac{dQ}{dP}\bigr) \le \log \mathbb E_Q T = 0$.
# 5. Weights $g_k \ge 1$ enlarge the denominator, hence $L$, and only loosen the bound.
# :::
#
# This is the argument of Donsker and Varadhan applied to Info-NCE; see
# {cite:t}`oord2018` and {cite:t}`poole2019`. With $g = 1$ it is their Info-NCE bound, whose $N$
# counts all $M + 1$ candidates. Three things are worth a second look. The critic
# need not be good. The weights need only be $\ge 1$, which holds for the paper's
# $g \in [1, e^2]$. And what the loss measures is how far the *positives'* law is from the
# *negatives'* law: it is information only if the negatives come from the marginal. We will
# need that in the next chapter. ($f$ and $g$ see $x$ and $y$ only through their representations
# $z = E_1(x)$ and $w = E_2(y)$, so the proposition for the pair $(z, w)$ says more: the number is
# at most $I(Z; W) \le I(X; Y)$.)
#
# **The check.** On small alphabets the expectation is a finite sum, and
# `theory.exact_loss` takes it without random numbers: over all outcomes of the pair, and all
# ways in which $M$ negatives can spread over the letters. We try many laws, critics and
# weights.

# %%
rng = np.random.default_rng(0)
slack, slack_q = [], []
for _ in range(300):
    joint = rng.dirichlet(np.ones(9) / 2).reshape(3, 3)
    q = rng.dirichlet(np.ones(3))
    f = np.exp(rng.normal(0, 2, (3, 3)))  # a critic that knows nothing
    f = rng.choice([f, theory.density_ratio(joint) + 1e-9])  # … or all
    g = 1 + rng.exponential(rng.choice([0, 1]), (3, 3))
    M = int(rng.integers(1, 8))
    value = theory.exact_bound(joint, f, M, gamma=g)
    slack.append(theory.mutual_information(joint) - value)
    value = theory.exact_bound(joint, f, M, negatives=q, gamma=g)
    slack_q.append(theory.divergence(joint, q) - value)
assert min(slack) > -1e-9 and min(slack_q) > -1e-9
print("300 random laws, critics and weights: the bound holds each time,")
print("for marginal negatives and for any other law q (tolerance 1e-9).")

# %% [markdown]
# ### And the printed proof?
#
# > **The paper says** (Appendix, proof of Lemma 3.3), in short: put in the best critic
# > $f = r$; drop $g$, since $g \ge 1$; replace the sum over negatives by $M$ times its mean,
# > which is one; drop a 1 inside the logarithm. What is left is $-I + \log M$.
# >
# > **We say** the statement is true and this does not prove it. Putting in the best critic
# > is sound once the order is turned round: dropping $g$ first gives $L_u \ge L(f, g = 1)$,
# > and $r$ minimises that one, so what holds for $r$ holds for every $f$. (With weights $r$
# > is not the best critic.) The replacement, marked
# > "≈" in the paper, goes the *wrong way*: the logarithm is concave, so
# > $\mathbb E \log(1 + aS) \le \log(1 + a\,\mathbb E S)$, and a chain of "$\ge$" that needs a
# > lower bound of the left side cannot pass through it. The last "$\ge$" is an equality.
# > Not proven there, true all the same.

# %%
joint = np.array([[4, 1, 1], [1, 4, 1], [2, 1, 5]]) / 20
r, truth = theory.density_ratio(joint), theory.mutual_information(joint)
for M in (1, 4, 16):
    loss = theory.exact_loss(joint, joint.sum(0), r, M)
    replaced = (joint * np.log1p(M / r)).sum()  # the sum by M times 1
    assert loss < replaced
    print(f"M = {M:2}: L = {loss:.4f} < {replaced:.4f}, sum replaced")

# %% [markdown]
# ## Many negatives
#
# The paper uses hundreds or thousands of negatives, so we look there too. That takes minutes,
# hence the file `results/theory_bounds.json`, made by
# `python -m herocon_lite simulate bounds`. First we see that it agrees with the live run
# above.

# %%
stored = json.loads(Path("../results/theory_bounds.json").read_text())
truths, many = stored["information"], stored["negatives"]
table = {  # critic: (information, negatives) of means and standard errors
    name: (np.array(part["mean"]), np.array(part["error"]))
    for name, part in stored["critics"].items()
}
row = truths.index(information)
for name, (mean, error) in table.items():
    for column, M in enumerate(few):
        value, own = live[M][name]
        both = math.hypot(own, error[row, column])
        assert abs(value - mean[row, column]) < 3 * both + 1e-9
print(f"Stored: M up to {max(many)}, I from 0 to {max(truths):.0f} nats.")
print("It agrees with the live run within three standard errors, wherever")
print(f"both were computed (I = {information:g} nats, M up to {max(few)}).")

# %% mystnb={"image": {"alt": "Three panels of bound against number of negatives up to 4095, for true information 0.5, 2 and 8 nats. The best critic reaches the truth at 0.5 and 2 and is still below 8 at the right edge. The cosine levels off at about 0.24, 0.5 and 0.83. Its weighted form is negative in all panels. The cosine with temperature 0.1 is negative and falling at 0.5 nats, good at 2 and levels off near 5 at 8 nats."}} tags=["hide-input"]
fig, axes = plt.subplots(1, 3, figsize=(8.4, 3.9))
for ax, nats in zip(axes, (0.5, 2.0, 8.0), strict=True):
    row = truths.index(nats)
    for name, (label, style, colour) in looks.items():
        mean, error = (part[row] for part in table[name])
        look = dict(fmt=style, color=colour, label=label, ms=3.5, lw=1.5)
        ax.errorbar(many, mean, 3 * error, **look)
    rise = np.log(np.add(many, 1))
    ax.plot(many, rise, ":", color="0.5", label="log(M + 1)")
    ax.axhline(nats, ls="--", color="0.3", label="true information")
    ax.set(xscale="log", xlabel="negatives M", title=f"I = {nats:g}")
    ax.set_ylim(-1.1 if nats < 8 else -0.8, max(1.2, 1.15 * nats))
axes[0].set_ylabel("log(M + 1) − L (nats)")
handles, names = axes[0].get_legend_handles_labels()
fig.legend(handles, names, loc="outside lower center", ncols=3)
plt.show()

# %% [markdown]
# Move the true information yourself (horizontal: doublings of the batch, $\log_2(M+1)$):

# %% tags=["hide-input"]
doublings = np.log2(np.add(many, 1))
flat = np.ones((1, len(many)))
traces = [
    dict(name=label, x=doublings, y=table[name][0], colour=colour)
    for name, (label, _, colour) in looks.items()
]
traces += [
    dict(
        name="true information",
        x=doublings,
        y=np.array(truths)[:, None] * flat,
        colour="#8A8A8A",
        dash="dash",
    ),
    dict(
        name="log(M + 1)",
        x=doublings,
        y=np.repeat(np.log(np.add(many, 1)) * flat, len(truths), 0),
        colour="#8A8A8A",
        dash="dot",
    ),
]
plots.movable(
    traces,
    positions=[f"{nats:g} nats" for nats in truths],
    slider="true information",
    start=truths.index(2.0),
    alt="Bounds of four critics against the number of negatives; a slider "
    "sets the true information from 0 to 8 nats. The best critic follows "
    "the truth, the cosine never passes one nat.",
    xlabel="log2(M + 1)",
    ylabel="log(M + 1) − L (nats)",
    yrange=(-4, 8.5),
)

# %%
for name, (mean, error) in table.items():
    limit = np.minimum(np.array(truths)[:, None], np.log(np.add(many, 1)))
    assert (mean <= limit + 3 * error + 1e-9).all(), name
for name in ("best", "cosine"):
    assert (table[f"{name}, weighted"][0] <= table[name][0]).all()
print("In all cells: weighted ≤ unweighted ≤ min(I, log(M + 1)),")
print("the second within three standard errors.")

# %% [markdown]
# ## The ceilings
#
# Why does the orange curve stop? Not because of the data, as the slider shows: at 8 nats it
# still lies under one.
#
# :::{prf:proposition} Ceilings
# :label: info-ceiling
# Negatives from the marginal of $y$, independent of the pair.
#
# 1. For any critic and any weights $g \ge 1$, $\log(M+1) - L \le \log(M+1)$.
# 2. For $f = \exp(\cos/\tau)$, any encoders, any data and any weights $g \ge 1$,
#
#    $$ \log M - L \;\le\; \log \frac{M}{1 + M e^{-1/\tau}} \;<\; \frac1\tau . $$
#
# 3. For $f = \exp(\cos)$ and $g = e^{1-\cos}$ ($\tau = 1$, $H$ = identity),
#    $\log M - L < \log(M+1) - L \le 0$: the bound says nothing.
# :::
#
# :::{dropdown} Proof
# *1.* $L \ge 0$.
#
# *2.* It is enough to show it for $g = 1$. Write $L = \mathbb E \log(1 + \sum_k e^{a_k})$
# with $a_k = (\cos(z, w_k) - \cos(z, w))/\tau$ for the unit vectors $z, w, w_k$ of anchor,
# positive and negatives. The function $(a_k) \mapsto \log(1 + \sum_k e^{a_k})$ is convex and
# symmetric, so by Jensen $L \ge \log(1 + M e^{\bar a})$ with $\bar a = \mathbb E a_k$. Since
# $z$ and $w_k$ are independent,
# $-\tau \bar a = \mathbb E\, z \cdot w - \mathbb E z \cdot \mathbb E w
# = \mathbb E\, (z - \mathbb E z) \cdot (w - \mathbb E w)
# \le \sqrt{\mathbb E |z - \mathbb E z|^2\, \mathbb E |w - \mathbb E w|^2} \le 1$, because
# $\mathbb E |z - \mathbb E z|^2 = 1 - |\mathbb E z|^2$. So
# $\log M - L \le \log \frac{M}{1 + M e^{-1/\tau}} = -\log(\frac1M + e^{-1/\tau})$.
#
# *3.* Then $g f = e$ for every negative, and $f \le e$ for the positive, so
# $L = \mathbb E \log(1 + M e / f) \ge \log(1 + M)$.
#
# *In one batch* of $n = M + 1$ pairs the negatives are the other rows, and the mean over the
# rows replaces the expectation. The covariance then carries a factor $n/(n-1)$, so
# the ceiling is $\log \frac{M}{1 + M e^{-n/((n-1)\tau)}}$, for each batch, without any
# expectation. A regular simplex reaches it.
# :::
#
# The range $f \in [1/e, e]$ alone would only give two nats. The second nat is out of reach
# because positives and negatives have the same marginals: an encoder that is far from all
# negatives ($z \equiv e$, $w \equiv -e$) is as far from its positives. The difference of their
# mean cosines is a covariance, and that is at most 1.
#
# **The check** uses the form for one batch, which leaves no room for chance: whatever the
# encoder, no batch may pass. We try random networks, and a regular simplex, which must
# arrive exactly.

# %%
torch.manual_seed(0)
highest = -math.inf
for tau in (1.0, 0.5, 0.1):
    for trial in range(200):
        n, width = int(torch.randint(2, 40, ())), 1 + trial % 16
        z1 = (torch.randn(n, 8) @ torch.randn(8, width)).tanh()
        z2 = z1 + (trial % 4) * torch.randn(n, width)
        L = losses.info_nce(z1, z2, temperature=tau).item()
        room = theory.batch_ceiling(n - 1, tau) - (math.log(n - 1) - L)
        highest = max(highest, -room)
    simplex = torch.eye(32) - 1 / 32
    L = losses.info_nce(simplex, simplex, temperature=tau).item()
    assert abs(math.log(31) - L - theory.batch_ceiling(31, tau)) < 1e-8
assert highest < 1e-9
print("600 random encoders stay under the ceiling of their batch (1e-9);")
print("a regular simplex reaches it to 1e-8.")

# %% [markdown]
# What does that mean for the paper's own settings, $\tau = 1$ and its sizes of $\mathcal N$?

# %%
sizes = {"CelebA": 249, "Scene": 2406, "N-MNIST": 4199, "XRMB": 4999}
for name, M in sizes.items():
    top = theory.ceiling(M)
    print(f"{name:8} M = {M}: log M = {math.log(M):.1f},", end=" ")
    print(f"ceiling {top:.3f} nats")
    assert top < 1
allowed = {M: f"{theory.ceiling(M):.2f}" for M in (10, 36, 100, 5000)}
told = ", ".join(f"{top} with {M}" for M, top in allowed.items())
print("Allowed at most:", told)
assert allowed[36] == "0.93" and allowed[100] == "0.97"

# %% mystnb={"image": {"alt": "Ceilings of log M minus L against the number of negatives M, on a logarithmic axis up to 5000. For temperature 1 the curve flattens at one nat after some thirty negatives, for 0.5 at two nats, for 0.2 at five. For 0.1 it follows log M nearly to the right edge. Four dots mark the sizes of the paper's negative sets, all on the lowest curve."}} tags=["hide-input"]
M_axis = np.unique(np.geomspace(1, 5000, 120).astype(int))
fig, ax = plt.subplots()
for tau in (0.1, 0.2, 0.5, 1.0):
    heights = [theory.ceiling(int(M), tau) for M in M_axis]
    ax.plot(M_axis, heights, label=f"τ = {tau:g}")
ax.plot(M_axis, np.log(M_axis), ":", color="0.4", label="log M")
tops = [theory.ceiling(M) for M in sizes.values()]
ax.plot(sizes.values(), tops, "o", color="k", label="the paper's settings")
ax.set(xscale="log", xlabel="negatives M", ylabel="ceiling (nats)")
ax.set(ylim=(-0.8, 9), title="what f = exp(cos/τ) can ever see")
ax.legend(loc="upper left")
plt.show()

# %% [markdown]
# At $\tau = 1$ the ceiling has come within 0.1 of its limit after a few dozen negatives. The
# temperature, not $|\mathcal N|$, decides how much the bound can see. (SimCLR and its kin
# use $\tau$ between about 0.05 and 0.5, which fits with that.) None of this says that training at $\tau = 1$ is
# bad. It says that what such training achieves is not explained by this bound.

# %% [markdown]
# ## Tighter as $|\mathcal N|$ grows?
#
# > **The paper says** (below Eq. 5, after Lemma 3.3, and in Section 4.5) that the lower bound
# > becomes tighter as the negative set grows, and offers as a demonstration that the F1
# > score rises with $|\mathcal N|$.
#
# :::{prf:proposition} More negatives
# :label: info-more
# Negatives from the marginal of $y$; $B_M = \log(M+1) - L$.
#
# 1. *The best critic, no weights* ($f = r$, $g = 1$). What the bound misses is
#    $I - B_M = \mathbb E[A \log A]$, where $A$ is the mean of $r(x, \cdot)$ over $M + 1$
#    independent draws from $p(y)$. It never grows with $M$, and if $I < \infty$ it goes to 0.
# 2. *Any critic on independent views.* If $I = 0$, $g = 1$ and $\mathbb E|\log f| < \infty$, $B_M$ never grows with $M$: from
#    $B_0 = 0$ it falls to $\mathbb E \log f - \mathbb E_x \log \mathbb E_{y} f$, and it is
#    constant only if $f$ ignores $y$.
# 3. *Limits*, for fixed bounded $f$, $1/f$ and $g$ (for $g = 1$ and $f = e^{\cos/\tau}$ it is the
#    limit of {cite:t}`wang2020uniformity`):
#    $B_M \to \mathbb E \log f(x, y) - \mathbb E_x \log \mathbb E_{y' \sim p(y)}
#    [g(x,y') f(x, y')]$. With $f = r$ this is $I - \mathbb E_x \log \mathbb E[g \mid x]$, where
#    $y$ follows $p(y \mid x)$: for $g \equiv e$ exactly $I - 1$.
# :::
#
# :::{dropdown} Proof
# *1.* With $A = \frac1{M+1} \sum_{k=0}^M r(x, y_k)$, $B_M = \mathbb E_P \log(r(x, y_0)/A) =
# I - \mathbb E_P \log A$. Changing from $P$ to the law $Q$ in which $y_0$ is a marginal draw,
# too, costs the factor $r(x, y_0)$: $\mathbb E_P \log A = \mathbb E_Q[r(x, y_0) \log A] =
# \mathbb E_Q[A \log A]$, the last by exchangeability. Means of exchangeable numbers form a
# reverse martingale: $A_{M} = \mathbb E[A_{M-1} \mid A_M, A_{M+1}, \dots]$. Since
# $a \log a$ is convex, Jensen gives
# $\mathbb E[A_M \log A_M] \le \mathbb E[A_{M-1} \log A_{M-1}]$. The limit: $A_M \to
# \mathbb E_Q r = 1$ almost surely, and with $\varphi(a) = a \log a \ge -1/e$ we have
# $\varphi(A_M) \le \mathbb E[\varphi(A_0) \mid A_M, A_{M+1}, \dots]$. If $\mathbb E\varphi(A_0) = I$ is
# finite, these are uniformly integrable, so $\mathbb E\varphi(A_M) \to \varphi(1) = 0$.
#
# *2.* Now the positive is a marginal draw as well, so
# $B_M = \mathbb E \log f - \mathbb E \log A$ with $A$ the mean of $M + 1$ independent
# $f(x, y_k)$. The same martingale, and $\log$ concave: $\mathbb E \log A$ never falls. For
# $M = 0$ both are equal. As in 1, $\log A_M \ge \mathbb E[\log A_0 \mid A_M, \dots]$ is
# uniformly integrable from below, and with Jensen above $\mathbb E \log A_M \to
# \mathbb E_x \log \mathbb E_y f$. Already $B_1 = B_0$ needs equality in Jensen:
# $f(x, y_0) = f(x, y_1)$ almost surely.
#
# *3.* The law of large numbers inside the logarithm. For $f = r$,
# $\mathbb E_{p(y')}[g\, r] = \mathbb E[g \mid x]$.
# :::
#
# **The check**, by exact sums on the 3 × 3 law from above.

# %%
Ms = [0, 1, 2, 4, 8, 16, 32, 64]
best = [theory.exact_bound(joint, r, M) for M in Ms]
for M, value in zip(Ms, best, strict=True):
    assert abs(truth - theory.exact_gap(joint, M) - value) < 1e-8
assert (np.diff(best) > 0).all()
print("1. I − bound = E[A log A] to 1e-8, and it falls at every step.")

apart = np.outer(joint.sum(1), joint.sum(0))  # same marginals, I = 0
loosened = [theory.exact_bound(apart, r**2, M) for M in Ms]
assert (np.diff(loosened) < 0).all() and abs(loosened[0]) < 1e-12
print("2. On independent views the bound of f = r² falls at every step.")

g = np.array([[1, 2, 3], [2, 1, 3], [3, 2, 1]])  # near pairs count less
limit = truth - joint.sum(1) @ np.log((joint * g).sum(1) / joint.sum(1))
near, far = (theory.exact_bound(joint, r, M, gamma=g) for M in (400, 100))
assert abs(near - limit) < abs(far - limit) / 3.5
assert abs(near - limit) < 0.002
constant = theory.exact_bound(joint, r, 400, gamma=math.e) - (truth - 1)
assert abs(constant) < 0.002
print(f"3. With weights the limit is {limit:.3f} nats, not {truth:.3f};")
print("   at M = 400 it is met to 0.002, and so is I − 1 for g = e.")

# %% mystnb={"image": {"alt": "Five exact curves against the number of negatives from 0 to 255, all starting at 0. The best critic rises to the true information, about 0.2 nats. The critic r to the power 1.5 rises too and stops short of it. The best critic with weights and the critic r cubed fall and level off between -0.2 and -0.3. On independent views the square of r falls to about -0.8."}} tags=["hide-input"]
Ms = [0, 1, 3, 7, 15, 31, 63, 127, 255]
curves = {
    "best critic r": (joint, r, 1, "o-"),
    "overconfident: $f = r^{1.5}$": (joint, r**1.5, 1, "v-"),
    "r, weighted by g": (joint, r, g, "d-"),
    "very overconfident: f = r³": (joint, r**3, 1, "^-"),
    "independent views, f = r²": (apart, r**2, 1, "s-"),
}
fig, ax = plt.subplots()
for name, (law, f, weight, style) in curves.items():
    values = [theory.exact_bound(law, f, M, gamma=weight) for M in Ms]
    ax.plot(np.log2(np.add(Ms, 1)), values, style, label=name, ms=4)
ax.axhline(truth, ls="--", color="0.3", label="true information")
ax.set_xticks(range(len(Ms)), Ms)
ax.set(xlabel="negatives M", ylabel="log(M + 1) − L (nats)")
ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# So, when does the sentence hold?
#
# | setting | with more negatives the bound | the sentence is |
# |---|---|---|
# | best critic, $g = 1$ | gets tighter, up to $I$ | true |
# | $f = r$, weights $g$ | tends to $I - \mathbb E\log\mathbb E[g \mid x]$, not to $I$ | not true in the limit |
# | $f = \exp(\cos/\tau)$, any encoder | stops below $1/\tau$, one nat as used | true at most up to there |
# | $f = \exp(\cos)$, $g = e^{1-\cos}$ | never above 0, for any $M$ | empty |
# | fixed critic, little information | can get looser | false |
#
# > **We say** that the claim is true for the best critic without weights, and false in general. What
# > survives for every critic is that the *cap* $\log(M+1)$ rises. And an F1 score that
# > grows with $|\mathcal N|$ shows that more negatives helped the classifier there. It is no
# > evidence about a bound: better bounds need not give better representations
# > {cite:p}`tschannen2020`, and from 100 to 5,000 negatives even the *ceiling* of this one
# > moves only from 0.97 to 1.00 nat.

# %% [markdown]
# ## Where it breaks
#
# {prf:ref}`info-bound` has conditions. Negatives must be independent draws from the *second*
# view's law, and the critic must not have been fitted to the very pairs it is judged on.
# Weights must be at least one. Each of these can be violated.
#
# ### Counting both views
#
# > **The paper says** (below Eq. 5) that both views of each other sample serve as negatives,
# > which makes the negative set larger.
# >
# > **We say** it depends on what $|\mathcal N|$ counts. A first view $x_k$ is not a draw
# > from $p(y)$.
#
# :::{prf:proposition} Two views, two counts
# :label: info-views
# Let the denominator hold both views of the $n - 1$ other samples.
#
# 1. $\log(n-1) - L_u < I$ still holds: count *samples*.
# 2. $\log(2(n-1)) - L_u \le I$ is false in general; with weights $g$ our example breaks it
#    at $\tau = 0.1$, and not at $\tau = 1$.
# :::
#
# :::{dropdown} Proof
# *1.* Further terms, all above zero, in the denominator enlarge $L_u$, and without them it is
# {prf:ref}`info-bound`.
#
# *2.* Let view 2 always be the same unit vector $e$, so that $I = 0$. Let view 1 be
# $\frac12 e + \frac{\sqrt3}2 u$, with $u$ one of $K$ orthonormal vectors orthogonal to $e$, drawn at random. The
# positive has cosine $\frac12$, as have all second views; two first views have cosine
# $\frac14$ unless they share their direction $u$, which is rare for large $K$. First views are *easier* negatives than the
# second ones, and yet each is counted in full. For $K \to \infty$,
# $L_u = \log\bigl(1 + (n-1)(1 + e^{-1/(4\tau)})\bigr)$, so that
# $\log(2(n-1)) - L_u \to \log \frac{2}{1 + e^{-1/(4\tau)}} > 0$ as $n \to \infty$. For the
# weighted case see the check.
# :::
#
# The expectation over batches is an exact sum (how many of the others share my direction?);
# and on a batch in which nobody does, the library's Eq. 5 must give the formula.

# %%
n = 256
z1, z2 = theory.both_views_batch(n)
axis = z2[:1]


def H(z):  # a saturated layer: the same answer for everybody
    return axis.expand(len(z), -1)


for tau, K in ((1.0, 10**3), (0.5, 10**3), (0.1, 10**6)):
    for net, name in ((None, "g = 1   "), (H, "weighted")):
        kind = dict(temperature=tau, weighted=net is not None)
        one = theory.both_views_loss(n, K, **kind, alone=True)
        library = losses.weighted_unsupervised(z1, z2, net, temperature=tau)
        assert abs(library.item() - one) < 1e-8
        L = theory.both_views_loss(n, K, **kind)
        by_views, by_samples = math.log(2 * (n - 1)) - L, math.log(n - 1) - L
        assert by_samples < 0
        assert (by_views > 0) == (net is None or tau == 0.1)
        print(f"τ = {tau}, {name}: both counted {by_views:+.3f}", end=", ")
        print(f"samples counted {by_samples:+.3f}; I = 0")
print("The library's Eq. 5 agrees with the formula to 1e-8.")

# %% [markdown]
# A positive number claims information where there is none. To be fair to the paper: its
# definition $\mathcal N_i = \mathcal D \setminus \{i\}$ and the sizes it quotes (2406, 4199,
# 4999, 249) count samples, so the lemma is safe, and its public code uses negatives from one view
# only. It is the sentence about a larger set and a tighter bound that invites the false count.
#
# ### Reading the bound off the training loss
#
# The bound is about an expectation over fresh pairs. Take views that share *nothing*, and 64
# pairs of them. A look-up table that gives each training pair a direction of its own has
# $L = \log(1 + 63\, e^{-1/\tau})$ on those pairs. A small network does not need many steps
# to come close.

# %%
n, tau = 64, 0.1
table_z = torch.eye(n)  # row i: the direction that pair i was given
looked_up = losses.info_nce(table_z, table_z, temperature=tau).item()
assert abs(looked_up - math.log1p((n - 1) * math.exp(-1 / tau))) < 1e-8
train, fresh, error = theory.memorise(n=n, temperature=tau)
assert train > 3 and fresh + 3 * error < 0
claimed = math.log(n - 1) - looked_up
print(f"look-up table, on its own pairs: {claimed:+.1f} nats")
print(f"small network, on its own pairs: {train:+.1f} nats")
print(f"small network, on fresh pairs:   {fresh:+.1f} nats")
print("the truth:                        0   (fresh pairs obey it, 3 s.e.)")

# %% [markdown]
# On fresh pairs the bound holds, as it must. On the training pairs the number says nothing about
# information; and the pairs on which $L_u$ is minimised are training pairs, in the paper as
# everywhere.
#
# A quieter case of the same kind: with BatchNorm in training mode the score of a pair depends
# on the rest of the batch, so $f$ is not a function of two samples, and step 3 of the proof
# is not available as it stands. That does not make the bound false; it is then *not proven*.
#
# ### Weights below one
#
# Step 5 needs $g \ge 1$. The paper's $g$ has it. A weight that is normalised so that an
# anchor's negatives have weight one on average, as one might be tempted to do, has not:

# %%
g = np.array([[1, 3, 3], [3, 1, 3], [3, 3, 1]], float)
g /= (g @ joint.sum(0))[:, None]  # mean over the negatives' law
value = theory.exact_bound(joint, r, 64, gamma=g)
assert value > truth
print(f"mean one: 'bound' {value:.3f} > information {truth:.3f}")

# %% [markdown]
# ## What we learnt
#
# - **Lemma 3.3 is true**, with $\log(M+1)$ even, for every critic and all weights $g \ge 1$,
#   as a statement about expectations with independent negatives from the second view. The
#   printed proof is **not a proof**; five lines are.
# - At $\tau = 1$ **the bound cannot exceed one nat**, and beyond a few dozen negatives that
#   ceiling hardly moves. With $H$ = identity the bound is never above zero.
# - **"Tighter with more negatives"** is true for the best critic without weights, and **false
#   in general**.
# - Count samples, not views, and never read the bound off pairs that were trained on.
# - A contrastive loss compares the law of the positives with the law of the negatives. Whether
#   that is *information* depends on where the negatives come from.

# %% [markdown]
# ## Exercises
#
# :::{exercise} A temperature that could see it all
# :label: info-ex-temperature
# At which $\tau$ could $\log M - L_u$ reach $I = 2$ nats with $M = 255$? Find it from
# {prf:ref}`info-ceiling`. Does the cosine critic on our Gaussians reach it there?
# :::

# %% mystnb={"code_prompt_hide": "Hide the solution", "code_prompt_show": "Show the solution"} tags=["hide-cell"]
M = 255
tau = -1 / math.log(math.exp(-2) - 1 / M)
assert abs(theory.ceiling(M, tau) - 2) < 1e-8
print(f"The ceiling is 2 nats at tau = {tau:.3f}; below that it is higher.")
generator = torch.Generator().manual_seed(1)
x, y = theory.gaussian_pairs(20, M + 1, d, rho, generator)
values = theory.batch_bound(theory.all_cosines(x, y) / tau)
mean, error = theory.mean_and_error(values - math.log((M + 1) / M))
assert mean + 3 * error < 1.5
print("The raw Gaussians stay below 1.5 there: a ceiling is no promise.")

# %% [markdown]
# :::{exercise} The best critic under weights
# :label: info-ex-weighted
# With weights, $f = r$ is no longer best. Show that for $M \to \infty$ the critic $f = r/g$
# reaches $I - \mathbb E \log g(x, y)$, that this is at least what $r$ reaches, and that
# nothing beats it. Check it with the $g$ of the section on more negatives.
# :::
#
# :::{dropdown} Hint
# Put $h = g f$ into the limit of {prf:ref}`info-more`, part 3.
# :::

# %% mystnb={"code_prompt_hide": "Hide the solution", "code_prompt_show": "Show the solution"} tags=["hide-cell"]
# With h = g f the limit is E log h − E log E[h] − E log g. The first two
# are the unweighted limit of h: at most I, and equal to I for h = r. That
# E log g ≤ E log E[g|x] is Jensen.
g = np.array([[1, 2, 3], [2, 1, 3], [3, 2, 1]])


def limit(f):
    mean = (joint.sum(0) * g * f).sum(1)  # over a marginal negative
    return (joint * np.log(f)).sum() - joint.sum(1) @ np.log(mean)


assert abs(limit(r / g) - (truth - (joint * np.log(g)).sum())) < 1e-12
rng = np.random.default_rng(1)
others = [limit(np.exp(rng.normal(size=(3, 3)))) for _ in range(1000)]
assert limit(r / g) > limit(r) and limit(r / g) > max(others)
print(f"limit with f = r: {limit(r):.3f}; with f = r/g: {limit(r / g):.3f}")
print("1000 random critics: none is better.")

# %% [markdown]
# :::{exercise} How bad can the double count be?
# :label: info-ex-cone
# In the proof of {prf:ref}`info-views` view 1 stood at 60° to the axis. Which angle makes
# the false claim largest, and how large can it get as $\tau \to 0$?
# :::

# %% mystnb={"code_prompt_hide": "Hide the solution", "code_prompt_show": "Show the solution"} tags=["hide-cell"]
# At the angle t the positive has cosine cos t, two first views have
# cos² t; for large n the excess is log 2/(1 + exp(−(cos t − cos² t)/tau)).
degrees = np.arange(1, 90)
c = np.cos(np.radians(degrees))
for tau in (1.0, 0.1, 0.01):
    excess = np.log(2 / (1 + np.exp(-(c - c**2) / tau)))
    assert degrees[excess.argmax()] == 60
assert abs(excess.max() - math.log(2)) < 1e-8
print("60° is the worst angle at each temperature; the excess tends to")
print("log 2, what one gains by counting every negative twice.")
