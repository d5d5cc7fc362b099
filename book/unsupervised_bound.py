# %% [markdown]
# # Does a small $L_u$ certify shared information?

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show set-up and checks", "code_prompt_hide": "Hide set-up and checks"}
import json
import math
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch

from herocon_lite import losses, theory
from herocon_lite.repro import plots, settings
from herocon_lite.repro.chapter import (
    Checks,
    answer,
    attempt,
    badges,
    fold,
    say,
)
from herocon_lite.repro.query import Store
from herocon_lite.repro.stats import Direction, compare
from herocon_lite.repro.text import format_mean, table

plt.style.use("herocon_lite.repro.book")
torch.set_default_dtype(torch.float64)  # so that checks can be strict
check = Checks()

# Gaussian views whose shared information is known, and four critics.
d, information = 10, 2.0
rho = theory.gaussian_correlation(d, information)
few = [1, 3, 7, 15, 31, 63, 127, 255]
live = {M: theory.gaussian_bounds(information, M, anchors=4096) for M in few}
looks = {
    "best": ("best critic", "o-", "#0072B2"),
    "cosine, tau = 0.1": ("exp(cos/0.1)", "^-", "#009E73"),
    "cosine": ("exp(cos)", "s-", "#D55E00"),
    "cosine, weighted": ("exp(cos), weighted", "d-", "#CC79A7"),
}
highest = {name: max(live[M][name][0] for M in few) for name in looks}
for name in looks:
    under = all(
        live[M][name][0]
        <= min(information, math.log(M + 1)) + 3 * live[M][name][1]
        for M in few
    )
    check(f"{name}: the bound holds", under)
check("only the best critic comes near", highest["best"] > 1.8)
check("exp(cos) stops below one nat", highest["cosine"] < 1)
check("with weights it never passes zero", highest["cosine, weighted"] < 0)

# The same up to 4,095 negatives and for 0 to 8 nats, stored.
stored = json.loads(Path("../results/theory_bounds.json").read_text())
truths, many = stored["information"], stored["negatives"]
kept = {
    name: (np.array(part["mean"]), np.array(part["error"]))
    for name, part in stored["critics"].items()
}
limit = np.minimum(np.array(truths)[:, None], np.log(np.add(many, 1)))
row = truths.index(information)
for name, (mean, error) in kept.items():
    holds = (mean <= limit + 3 * error + 1e-9).all()
    check(f"{name}: the bound holds in every stored cell", holds)
    gaps = [abs(live[M][name][0] - mean[row, k]) for k, M in enumerate(few)]
    room = [
        3 * math.hypot(live[M][name][1], error[row, k]) + 1e-9
        for k, M in enumerate(few)
    ]
    same = all(gap < most for gap, most in zip(gaps, room, strict=True))
    check(f"{name}: stored and live agree within 3 standard errors", same)

# MOCHA: what log(|N| + 1) − L_u says of the rows it was trained on.
store = Store("../results", "mocha", form=None)
chosen = settings.paper_config("mocha")
alpha = chosen.alpha
base = {"unlabeled_batch": 750}
SIZES = {
    100: base | {"negatives": 100},
    200: base | {"negatives": 200},
    500: {"unlabeled_batch": 251},
    999: base | {"alpha": alpha, "beta": chosen.beta},
    1999: {"unlabeled_batch": 1750},
    4999: {},
}


def runs(N, column="f1"):
    return store.runs("herocon", column, changes=SIZES[N]).loc[:4]


def last_bound(N):
    last = runs(N, "history").map(lambda steps: steps[-1]["L_u"])
    return math.log(N + 1) - last.astype(float) / alpha


numbers = pd.concat({N: last_bound(N) for N in SIZES}, axis=1).dropna()
scores = pd.concat({N: 100 * runs(N) for N in SIZES}, axis=1).dropna()
decade = np.log10(list(SIZES)) - np.log10(list(SIZES)).mean()
slope = compare(numbers @ decade / (decade @ decade))
below = int((numbers < 0).sum().sum())


def within(sizes):
    """Correlation of bound and F1, each seed's own level taken out."""
    some = (t[list(sizes)] for t in (numbers, scores))
    pair = [t.sub(t.mean(axis=1), axis=0) for t in some]
    return float(np.corrcoef(*(t.to_numpy().ravel() for t in pair))[0, 1])


together, without = within(SIZES), within([N for N in SIZES if N != 500])
over = [
    (numbers[N] < theory.batch_ceiling(N) + math.log((N + 1) / N) + 1e-4).all()
    for N in SIZES
]
check("the number does not move with |N|", slope.direction is Direction.NONE)
check("it is below zero in every stored run", below == numbers.size)
check("one size decides its sign", together < 0 < without)
check("no stored run passes the ceiling of its batch", all(over))
badges(check, reads="9 min", runs="20 s")

# %% tags=["remove-input"]
answer("""**Yes, but never more than one nat.** Lemma 3.3 is true: $\\log(M + 1) - L_u$ is at most the information that two views share,
for every critic and all weights $g \\ge 1$. Its printed proof does not show it; five other lines do. With the paper's critic,
$\\exp(\\cos)$, the bound stays below one nat whatever the views share. With weights it stays below zero here. More negatives
tighten it for the best critic only.""")

# %% tags=["remove-input"] mystnb={"image": {"alt": "Four curves against the number of negatives, from 1 to 255, for views that share 2 nats. The best critic rises, below log(M+1), and bends to the truth at 2. The cosine with temperature 0.1 stays a little below it. The plain cosine levels off at about a half. The weighted cosine lies below zero everywhere."}, "figure": {"caption": "The bound log(M + 1) - L of four critics, for Gaussian views that share 2 nats. Bars are three standard errors. *What to see:* no curve passes the dashed truth. Only the best critic comes near it; the paper's critic stops at a quarter of it, and with weights the bound says nothing.", "name": "fig-ub-critics"}}
fig, ax = plt.subplots(figsize=(7, 3.4))
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
# ## A toy with known information
#
# To judge a bound on information we need data whose information is known. Take two views $x, y \in \mathbb R^d$ with standard
# Gaussian coordinates, correlated coordinate by coordinate with $\rho$ and otherwise independent. They share
# $I(X; Y) = -\frac d2 \log(1 - \rho^2)$ *nats* (one nat is about 1.4 bits), and $\rho$ sets how many.
#
# A *critic* $f(x, y) > 0$ scores pairs. An anchor $x$ with its own $y$ and $M$ negatives $y_1, \dots, y_M$ has the loss
#
# $$ L = \mathbb E \log \frac{f(x, y) + \sum_k g_k\, f(x, y_k)}{f(x, y)} . $$
#
# This is Eq. 3 if all $g_k = 1$ and, up to the choice of negatives, Eq. 5 if not. The paper writes $|\mathcal N|$ for $M$. In a
# batch of $n$ pairs each is the others' negative, so $M + 1 = n$.
#
# The figure compares the paper's critic $\exp(\cos)$ with three others:
#
# - the density ratio $r(x, y) = p(y \mid x)/p(y)$, which is the best critic and known only in toys;
# - the cosine at temperature 0.1;
# - the cosine weighted by $g = e^{1 - \cos}$, with $H$ = identity.
#
# ## The bound, and why it holds
#
# > **The paper says** (Lemma 3.3) that the mutual information of the two views of a sample is at least
# > $\log|\mathcal N| - L_u$, where $L_u$ is the weighted loss of Eq. 5.
#
# :::{prf:proposition} The contrastive bound
# :label: info-bound
# Let $(x, y)$ be a pair from any joint law, and let $y_1, \dots, y_M$ be drawn independently of it and of each other from a law
# $q$. For **every** critic $f > 0$ and **all** weights $g_k \ge 1$,
#
# $$ \log M - L < \log(M + 1) - L \;\le\; D := \mathrm{KL}\bigl(p(x, y) \,\|\, p(x) q(y)\bigr) . $$
#
# If the negatives come from the marginal law of the second view, $q(y) = p(y)$, then $D = I(X; Y)$: Lemma 3.3, with
# $\log(M+1)$ in the place of $\log M$.
# :::
#
# :::{dropdown} Proof, in five lines
# If $D = \infty$ there is nothing to show; else $P$ below has a density with respect to $Q$. We take $L < \infty$.
#
# 1. Let $y_0 = y$ and $T = (M + 1)\, f(x, y_0) / \sum_{k=0}^M f(x, y_k)$. With all weights one,
#    $\mathbb E_P \log T = \log(M+1) - L$, where $P$ is the true law of everything.
# 2. Let $Q$ be the same law, except that $y_0$ is drawn from $q$ too, independently of $x$. $P$ and $Q$ differ in the law of
#    $(x, y_0)$ alone, so $\mathrm{KL}(P \| Q) = D$.
# 3. Under $Q$ the $M + 1$ candidates are exchangeable, so each of the shares $f(x, y_j)/\sum_k f(x, y_k)$ has the same mean. They
#    add up to one: $\mathbb E_Q T = 1$.
# 4. Jensen: $\mathbb E_P \log T - D = \mathbb E_P \log\bigl(T \frac{dQ}{dP}\bigr) \le
#    \log \mathbb E_P \bigl(T \frac{dQ}{dP}\bigr) \le \log \mathbb E_Q T = 0$.
# 5. Weights $g_k \ge 1$ enlarge the denominator, hence $L$, and only loosen the bound.
#
# This is the argument of Donsker and Varadhan applied to Info-NCE; see {cite:t}`oord2018` and {cite:t}`poole2019`.
# :::
#
# The critic need not be good. The weights need only be at least one, which holds for the paper's $g \in [1, e^2]$. And the loss
# measures how far the *positives'* law is from the *negatives'* law: that is information only if negatives come from the marginal.
#
# On small alphabets the expectation is a finite sum, so the bound can be checked without random error.

# %% tags=["remove-input"]
rng, slack = np.random.default_rng(0), []
for _ in range(300):
    law = rng.dirichlet(np.ones(9) / 2).reshape(3, 3)
    q = rng.dirichlet(np.ones(3))
    f = np.exp(rng.normal(0, 2, (3, 3)))  # a critic that knows nothing
    f = rng.choice([f, theory.density_ratio(law) + 1e-9])  # … or all
    g = 1 + rng.exponential(rng.choice([0, 1]), (3, 3))
    M = int(rng.integers(1, 8))
    value = theory.exact_bound(law, f, M, gamma=g)
    slack.append(theory.mutual_information(law) - value)
    value = theory.exact_bound(law, f, M, negatives=q, gamma=g)
    slack.append(theory.divergence(law, q) - value)
assert min(slack) > -1e-9 and min(slack) < 0.05
say(
    f"It holds for {len(slack) // 2} random laws, critics and weights, with marginal negatives and with any other law $q$ "
    "(tolerance $10^{-9}$)."
)

# %% [markdown]
# :::{dropdown} What is wrong with the printed proof
# It puts in the best critic $f = r$, drops $g$ since $g \ge 1$, replaces the sum over negatives by $M$ times its mean, which is
# one, and drops a 1 inside the logarithm. What is left is $-I + \log M$.
#
# Putting in the best critic is sound once the order is turned round: dropping $g$ first gives $L_u \ge L(f, g = 1)$, and $r$
# minimises that one. With weights, $r$ is not the best critic. The replacement, marked "≈" in the paper, goes the *wrong way*:
# the logarithm is concave, so $\mathbb E \log(1 + aS) \le \log(1 + a\,\mathbb E S)$. The chain of "$\ge$" needs a lower
# bound of the left side, and this is an upper one. The last "$\ge$" is an equality. So the lemma is not proven there, and true all
# the same.
# :::

# %% tags=["remove-cell"]
joint = np.array([[4, 1, 1], [1, 4, 1], [2, 1, 5]]) / 20
r, truth = theory.density_ratio(joint), theory.mutual_information(joint)
for M in (1, 4, 16):
    replaced = (joint * np.log1p(M / r)).sum()  # the sum by M times 1
    assert theory.exact_loss(joint, joint.sum(0), r, M) < replaced

# %% [markdown]
# ## Why never more than one nat?
#
# :::{prf:proposition} Ceilings
# :label: info-ceiling
# Negatives from the marginal of $y$, independent of the pair.
#
# 1. For any critic and any weights $g \ge 1$, $\log(M+1) - L \le \log(M+1)$.
# 2. For $f = \exp(\cos/\tau)$, any encoders, any data and any weights $g \ge 1$,
#    $\log M - L \le \log \frac{M}{1 + M e^{-1/\tau}} < \frac1\tau$.
# 3. For $f = \exp(\cos)$ and $g = e^{1-\cos}$ ($\tau = 1$, $H$ = identity), $\log M - L < \log(M+1) - L \le 0$: the bound says
#    nothing.
# :::
#
# :::{dropdown} Proof
# *1.* $L \ge 0$.
#
# *2.* It is enough to show it for $g = 1$. Write $L = \mathbb E \log(1 + \sum_k e^{a_k})$ with
# $a_k = (\cos(z, w_k) - \cos(z, w))/\tau$ for the unit vectors $z, w, w_k$ of anchor, positive and negatives. The function
# $(a_k) \mapsto \log(1 + \sum_k e^{a_k})$ is convex and symmetric, so by Jensen $L \ge \log(1 + M e^{\bar a})$ with
# $\bar a = \mathbb E a_k$. Since $z$ and $w_k$ are independent,
# $-\tau \bar a = \mathbb E\, z \cdot w - \mathbb E z \cdot \mathbb E w = \mathbb E\, (z - \mathbb E z) \cdot (w - \mathbb E w)
# \le \sqrt{\mathbb E |z - \mathbb E z|^2\, \mathbb E |w - \mathbb E w|^2} \le 1$, because
# $\mathbb E |z - \mathbb E z|^2 = 1 - |\mathbb E z|^2$. So
# $\log M - L \le \log \frac{M}{1 + M e^{-1/\tau}} = -\log(\frac1M + e^{-1/\tau})$.
#
# *3.* Then $g f = e$ for every negative, and $f \le e$ for the positive, so
# $L = \mathbb E \log(1 + M e / f) \ge \log(1 + M)$.
#
# *In one batch* of $n = M + 1$ pairs the mean over the rows replaces the expectation. The covariance then carries a factor
# $n/(n-1)$, so the ceiling is $\log \frac{M}{1 + M e^{-n/((n-1)\tau)}}$, for each batch. A regular simplex reaches it.
# :::
#
# The range $f \in [1/e, e]$ alone would give two nats. The second one is out of reach because positives and negatives have the same
# marginals: an encoder that is far from all negatives is as far from its positives.

# %%
simplex = torch.eye(32) - 1 / 32  # the 32 corners of a regular simplex
L = losses.info_nce(simplex, simplex, temperature=1.0)
print(f"{math.log(31) - L:.4f} = {theory.batch_ceiling(31):.4f}, the ceiling")

# %% tags=["remove-input"]
torch.manual_seed(0)
nearest = math.inf
for tau in (1.0, 0.5, 0.1):
    for trial in range(200):
        n, width = int(torch.randint(2, 40, ())), 1 + trial % 16
        z1 = (torch.randn(n, 8) @ torch.randn(8, width)).tanh()
        z2 = z1 + (trial % 4) * torch.randn(n, width)
        L = losses.info_nce(z1, z2, temperature=tau).item()
        bound = math.log(n - 1) - L
        nearest = min(nearest, theory.batch_ceiling(n - 1, tau) - bound)
    L = losses.info_nce(simplex, simplex, temperature=tau).item()
    assert abs(math.log(31) - L - theory.batch_ceiling(31, tau)) < 1e-8
assert -1e-9 < nearest < 0.2
sizes = {"CelebA": 249, "Scene": 2406, "N-MNIST": 4199, "XRMB": 4999}
tops = {name: theory.ceiling(M) for name, M in sizes.items()}
assert min(tops.values()) > 0.98 and max(tops.values()) < 1
assert f"{theory.ceiling(36):.2f}" == "0.93"
say(
    f"No batch of 600 random encoders passes its ceiling, and the simplex reaches it at three temperatures. At the paper's $\\tau = 1$ "
    f"and its {min(sizes.values())} to {max(sizes.values()):,} negatives the ceiling lies between {min(tops.values()):.2f} and "
    f"{max(tops.values()):.4f} nats. It is {theory.ceiling(36):.2f} with 36 negatives already. The temperature decides how much the "
    "bound can see, not the number of negatives."
)

# %% tags=["remove-input"]
doublings = np.log2(np.add(many, 1))
flat = np.ones((1, len(many)))
traces = [
    dict(name=label, x=doublings, y=kept[name][0], colour=colour)
    for name, (label, _, colour) in looks.items()
]
levels = {
    "true information": (np.array(truths)[:, None] * flat, "dash"),
    "log(M + 1)": (
        np.repeat(doublings[None] * math.log(2), len(truths), 0),
        "dot",
    ),
}
traces += [
    dict(name=name, x=doublings, y=y, colour="#8A8A8A", dash=dash)
    for name, (y, dash) in levels.items()
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

# %% [markdown]
# Move the true information. The best critic follows it as far as $\log(M + 1)$ lets it; $\exp(\cos)$ stays below one nat at every
# position. The 4,095 negatives at the right edge take minutes, so these values are stored
# (`python -m herocon_lite simulate bounds`).
#
# ## Do more negatives tighten it?
#
# > **The paper says** (below Eq. 5 and in section 4.5) that the lower bound becomes tighter as the negative set grows, and shows
# > that the F1 score rises with $|\mathcal N|$.
#
# :::{prf:proposition} More negatives
# :label: info-more
# Negatives from the marginal of $y$; $B_M = \log(M+1) - L$.
#
# 1. *The best critic, no weights* ($f = r$, $g = 1$). What the bound misses is $I - B_M = \mathbb E[A \log A]$, where $A$ is the
#    mean of $r(x, \cdot)$ over $M + 1$ independent draws from $p(y)$. It never grows with $M$, and if $I < \infty$ it goes to 0.
# 2. *Any critic on independent views.* If $I = 0$, $g = 1$ and $\mathbb E|\log f| < \infty$, $B_M$ never grows with $M$: from
#    $B_0 = 0$ it falls to $\mathbb E \log f - \mathbb E_x \log \mathbb E_{y} f$, and it is constant only if $f$ ignores $y$.
# 3. *Limits*, for fixed bounded $f$, $1/f$ and $g$:
#    $B_M \to \mathbb E \log f(x, y) - \mathbb E_x \log \mathbb E_{y' \sim p(y)} [g(x,y') f(x, y')]$. With $f = r$ this is
#    $I - \mathbb E_x \log \mathbb E[g \mid x]$, where $y$ follows $p(y \mid x)$: for $g \equiv e$ exactly $I - 1$.
# 4. *Encoders retrained for every $M$*, $f = \exp(z(x) \cdot w(y)/\tau)$ with unit vectors in $d$ dimensions. If $y$ has two
#    values and $d \ge 2$, the best bound never falls with $M$. In $d = 1$ it can.
# :::
#
# :::{dropdown} Proof
# *1.* With $A = \frac1{M+1} \sum_{k=0}^M r(x, y_k)$, $B_M = \mathbb E_P \log(r(x, y_0)/A) = I - \mathbb E_P \log A$. Changing from
# $P$ to the law $Q$ in which $y_0$ is a marginal draw, too, costs the factor $r(x, y_0)$:
# $\mathbb E_P \log A = \mathbb E_Q[r(x, y_0) \log A] = \mathbb E_Q[A \log A]$, the last by exchangeability. Means of exchangeable
# numbers form a reverse martingale: $A_{M} = \mathbb E[A_{M-1} \mid A_M, A_{M+1}, \dots]$. Since $a \log a$ is convex, Jensen gives
# $\mathbb E[A_M \log A_M] \le \mathbb E[A_{M-1} \log A_{M-1}]$. The limit: $A_M \to \mathbb E_Q r = 1$ almost surely, and with
# $\varphi(a) = a \log a \ge -1/e$ we have $\varphi(A_M) \le \mathbb E[\varphi(A_0) \mid A_M, A_{M+1}, \dots]$. If
# $\mathbb E\varphi(A_0) = I$ is finite, these are uniformly integrable, so $\mathbb E\varphi(A_M) \to \varphi(1) = 0$.
#
# *2.* Now the positive is a marginal draw as well, so $B_M = \mathbb E \log f - \mathbb E \log A$ with $A$ the mean of $M + 1$
# independent $f(x, y_k)$. The same martingale, and $\log$ concave: $\mathbb E \log A$ never falls. For $M = 0$ both are equal. As in
# 1, $\log A_M \ge \mathbb E[\log A_0 \mid A_M, \dots]$ is uniformly integrable from below, and with Jensen above
# $\mathbb E \log A_M \to \mathbb E_x \log \mathbb E_y f$. Already $B_1 = B_0$ needs equality in Jensen: $f(x, y_0) = f(x, y_1)$ almost
# surely.
#
# *3.* The law of large numbers inside the logarithm. For $f = r$, $\mathbb E_{p(y')}[g\, r] = \mathbb E[g \mid x]$. For $g = 1$ and
# $f = e^{\cos/\tau}$ it is the limit of {cite:t}`wang2020uniformity`.
#
# *4.* With $w = (\pm 1, 0)$ each $x$ chooses its own difference of the two scores in $[-2/\tau, 2/\tau]$, so the supremum is a sum
# over $x$. For one $x$ the free optimum is $f \propto r(x, \cdot)$ at every $M$, and the bound is concave in the difference. So the
# best is the difference of $\log r$, clipped: the same $f$ for all $M$. Both $r$ and $\hat f = f/\mathbb E f$ have two values and
# mean 1, so $r = 1 + c(\hat f - 1)$ with $c \ge 1$. With $A_M$ the mean of $M + 1$ independent $\hat f$,
# $\mathbb E_P \log \hat f - B_M = (1 - c)\,\mathbb E \log A_M + c\,\mathbb E[A_M \log A_M]$, and by the martingale of part 1 both
# summands fall with $M$. For $d = 1$ see the example below.
# :::
#
# Part 4 has an exact counterexample with four outcomes. In one dimension encoders are signs, so all sixteen can be tried:

# %%
four = [[0.45, 0.05], [0.05, 0.45]]  # two values of x, two of y
on_line = [theory.best_bound_on_a_line(four, M, 0.3) for M in (1, 2, 10)]
in_plane = [theory.best_bound_of_two_values(four, M, 0.3) for M in (1, 2, 3)]
print("d = 1:", *(f"{abs(b):.4f}" for b in on_line), "for M = 1, 2, 10")
print("d ≥ 2:", *(f"{b:.3f}" for b in in_plane), "for M = 1, 2, 3")

# %% tags=["remove-input"]
assert (
    on_line[0] > 0.0126
    and max(on_line[1:]) < 1e-12
    and in_plane == sorted(in_plane)
)
Ms = [0, 1, 2, 4, 8, 16, 32, 64]
best = [theory.exact_bound(joint, r, M) for M in Ms]
misses = [theory.exact_gap(joint, M) for M in Ms]
assert (
    np.allclose(np.add(best, misses), truth, atol=1e-8)
    and (np.diff(best) > 0).all()
)
apart = np.outer(joint.sum(1), joint.sum(0))  # same marginals, I = 0
loosened = [theory.exact_bound(apart, r**2, M) for M in Ms]
assert (np.diff(loosened) < 0).all() and abs(loosened[0]) < 1e-12
g = np.array([[1, 2, 3], [2, 1, 3], [3, 2, 1]])  # near pairs count less
end = truth - joint.sum(1) @ np.log((joint * g).sum(1) / joint.sum(1))
near, far = (theory.exact_bound(joint, r, M, gamma=g) for M in (400, 100))
assert abs(near - end) < min(0.002, abs(far - end) / 3.5)
constant = theory.exact_bound(joint, r, 400, gamma=math.e)
assert abs(constant - (truth - 1)) < 0.002
say(
    f"""Parts 1 to 3 are checked by exact sums on a law with three by three outcomes and $I$ = {truth:.2f} nats. The gap is
$\\mathbb E[A \\log A]$ to $10^{{-8}}$. On independent views the bound falls at every step, to {loosened[-1]:.2f} at $M = 64$. With weights
it tends to {end:.2f} nats, not to {truth:.2f}. With three or more values of $y$ and $d \\ge 2$, whether part 4 holds is open: we have
neither a proof nor a counterexample.""".replace("-0", "−0")
)

# %% [markdown]
# | setting | with more negatives the bound | the sentence is |
# |---|---|---|
# | best critic, $g = 1$ | gets tighter, up to $I$ | true |
# | $f = r$, weights $g$ | tends to $I - \mathbb E\log\mathbb E[g \mid x]$, not to $I$ | not true in the limit |
# | $f = \exp(\cos/\tau)$, any encoder | stops below $1/\tau$ | true at most up to there |
# | the same, retrained for each $M$, $d = 1$ | can fall from above 0 to 0 | false |
# | $f = \exp(\cos)$, $g = e^{1-\cos}$ | never above 0 | empty |
# | fixed critic, little information | can get looser | false |
#
# An F1 score that grows with $|\mathcal N|$ shows that more negatives helped the classifier. It is no evidence about a bound: better
# bounds need not give better representations {cite:p}`tschannen2020`.

# %% tags=["remove-input"]
rows = [
    [
        f"{N:,}",
        f"{math.log(N + 1):.2f}",
        f"{theory.ceiling(N, sharp=True):.2f}",
        format_mean(numbers[N], 2).replace("-", "−"),
        format_mean(scores[N], 1),
    ]
    for N in SIZES
]
heads = [
    "negatives",
    "log(M + 1)",
    "ceiling of exp(cos)",
    "log(M + 1) − $L_u$ [95 %]",
    "F1 [95 %]",
]
fold("The stored runs, by number of negatives", table(heads, rows))

# %% tags=["remove-input"]
say(
    f"""From stored HeroCon runs on MOCHA, {len(numbers)} seeds for each size, we read $\\log(M + 1) - L_u$ off the last step. It is below zero in all
{numbers.size} runs, where a lower bound on information says nothing. It does not change with the number of negatives. Within seeds its
correlation with F1 is {together:+.1f}, and {without:+.1f} without the smallest batch, the one with 500 negatives. One size decides the
sign, so this is no evidence that the bound moves F1.""".replace(
        "is -", "is −"
    )
)

# %% [markdown]
# ## Where it breaks
#
# {prf:ref}`info-bound` has conditions: independent negatives from the *second* view's law, a critic that was not fitted to the pairs
# it is judged on, and weights of at least one. Each can be violated.
#
# :::{prf:proposition} Two views, two counts
# :label: info-views
# Let the denominator hold both views of the $n - 1$ other samples, as below Eq. 5.
#
# 1. $\log(n-1) - L_u < I$ still holds: count *samples*.
# 2. $\log(2(n-1)) - L_u \le I$ is false in general; with weights $g$ our example breaks it at $\tau = 0.1$, and not at $\tau = 1$.
# :::
#
# :::{dropdown} Proof
# *1.* Further terms above zero in the denominator enlarge $L_u$, and without them it is {prf:ref}`info-bound`.
#
# *2.* Let view 2 always be the same unit vector $e$, so that $I = 0$. Let view 1 be $\frac12 e + \frac{\sqrt3}2 u$, with $u$ one of
# $K$ orthonormal vectors orthogonal to $e$, drawn at random. The positive has cosine $\frac12$, as have all second views; two first
# views have cosine $\frac14$ unless they share their direction $u$, which is rare for large $K$. First views are *easier* negatives
# than second ones, and yet each is counted in full. For $K \to \infty$,
# $L_u = \log\bigl(1 + (n-1)(1 + e^{-1/(4\tau)})\bigr)$, so that
# $\log(2(n-1)) - L_u \to \log \frac{2}{1 + e^{-1/(4\tau)}} > 0$ as $n \to \infty$. For the weighted case see the check.
# :::

# %% tags=["remove-input"]
n = 256
z1, z2 = theory.both_views_batch(n)


def H(z):  # a saturated layer: the same answer for everybody
    return z2[:1].expand(len(z), -1)


rows = []
for tau, K in ((1.0, 10**3), (0.1, 10**6)):
    for net, name in ((None, "$g = 1$"), (H, "weighted")):
        kind = dict(temperature=tau, weighted=net is not None)
        one = theory.both_views_loss(n, K, **kind, alone=True)
        library = losses.weighted_unsupervised(z1, z2, net, temperature=tau)
        assert abs(library.item() - one) < 1e-8
        L = theory.both_views_loss(n, K, **kind)
        by_views, by_samples = math.log(2 * (n - 1)) - L, math.log(n - 1) - L
        assert by_samples < 0 and (by_views > 0) == (net is None or tau == 0.1)
        shown = (
            f"{value:+.2f}".replace("-", "−")
            for value in (by_views, by_samples)
        )
        rows.append([f"{tau:g}", name, *shown])
table(
    ["τ", "weights", "both views counted (nats)", "samples counted (nats)"],
    rows,
)

# %% [markdown]
# These views share nothing, so a positive number is a false claim. The sizes that the paper quotes count samples, so its lemma is
# safe. The sentence about a larger set and a tighter bound invites the false count. The library's Eq. 5 agrees with the formula of
# this example to $10^{-8}$.
#
# **Reading it off the training loss.** The bound is about fresh pairs. Take 64 pairs of views that share nothing, and
# train a small network on them.

# %% tags=["remove-cell"]
train, fresh, error = theory.memorise(n=64, temperature=0.1)

# %% tags=["remove-input"]
looked_up = losses.info_nce(
    torch.eye(64), torch.eye(64), temperature=0.1
).item()
assert abs(looked_up - math.log1p(63 * math.exp(-10))) < 1e-8
assert train > 3 and fresh + 3 * error < 0
say(f"""It claims {train:.0f} nats on its own pairs, and a number below zero on fresh ones; the truth is 0. A look-up table would claim
{math.log(63) - looked_up:.0f}. $L_u$ is minimised on training pairs, in the paper as everywhere. With BatchNorm in training mode the score
of a pair depends on the rest of the batch. Step 3 of the proof fails then, and the bound is *not proven*.""")

# %% tags=["remove-input"]
low = np.array([[1, 3, 3], [3, 1, 3], [3, 3, 1]], float)
low /= (low @ joint.sum(0))[:, None]  # mean over the negatives' law
value = theory.exact_bound(joint, r, 64, gamma=low)
assert value > truth
say(f"""**Weights below one.** The paper's $g$ is at least one. Weights that average one over an anchor's negatives are not: on the
three-by-three law the "bound" becomes {value:.2f} nats, above the information of {truth:.2f}.""")

# %% [markdown]
# ## What we learnt
#
# - Lemma 3.3 is true, with $\log(M+1)$ even, for every critic and all weights $g \ge 1$. The printed proof is not a proof.
# - At $\tau = 1$ the bound cannot exceed one nat, and beyond a few dozen negatives that ceiling hardly moves.
# - Count samples, not views, and never read the bound off pairs that were trained on.
#
# ## Exercises
#
# **1.** At which $\tau$ could $\log M - L_u$ reach 2 nats with $M = 255$? Use {prf:ref}`info-ceiling`.

# %%
answer_1 = ...  # a temperature
attempt("unsupervised_bound.temperature", answer_1)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Show solution 1", "code_prompt_hide": "Hide solution 1"}
answer_1 = -1 / math.log(math.exp(-2) - 1 / 255)
attempt("unsupervised_bound.temperature", answer_1)

# %% [markdown]
# **2.** With weights, $f = r$ is no longer the best critic as $M \to \infty$. Which critic is, on the law `joint` with the weights `g`?

# %%
answer_2 = ...  # a 3 × 3 array; joint, r and g are there
attempt("unsupervised_bound.critic", answer_2)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Show solution 2", "code_prompt_hide": "Hide solution 2"}
# With h = g f the limit is E log h − E log E[h] − E log g. The first two
# are the unweighted limit of h: at most I, and equal to I for h = r.
answer_2 = r / g
attempt("unsupervised_bound.critic", answer_2)
