# %% [markdown]
# # The supervised bound
#
# *Reads in 25 minutes, runs in 5 seconds on a CPU.*
#
# Lemma 3.2 is the supervised twin of the last chapter's bound: the mutual information of two
# samples of one class is said to be at least $-\frac1\sigma(L_s - N)$, where $L_s$ is Eq. 7
# and $N$ the mean over labels of $\log|\mathcal N(a)|$. This one is not merely badly proven.
# It is false, and a calculation by hand shows it. What $L_s$ does bound is worth
# knowing, too.
#
# **What we will see**
#
# - Two classes with five samples each, the paper's own $f$, all $\sigma = 1$: the left side is
#   smaller than the right side.
# - Where the proof goes wrong: the negatives of Eq. 7 come from *the other class*, the proof
#   needs them from *everywhere*. A second example shows that the factor $1/\sigma$ would be
#   wrong even then.
# - The corrected theorem: $N - L_s$ is a lower bound of a **divergence between a class and
#   the rest**, so a small loss *on fresh rows* certifies that classes are separated.
# - $\gamma$ acts as intended, $\sigma$ the other way round.

# %%
import math
from fractions import Fraction
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import torch
from scipy.stats import binom

from herocon_lite import losses, theory
from herocon_lite.repro import plots

plt.style.use("herocon_lite.repro.book")
torch.set_default_dtype(torch.float64)  # so that checks can be strict

# %% [markdown]
# ## A toy first: two classes, two points
#
# Cats and dogs, $m$ photos of each, one-hot labels. The encoder is perfect: all cats at one
# point of the circle, all dogs at the opposite one. What do two photos of one class know of
# each other? Which class it is, and no more: one coin flip, $\log 2$ nats. So Lemma 3.2 claims
# that $N - L_s$ is at most $\log 2$. (All pairs of one class have equal labels, so
# $\sigma = 1$.)
#
# Eq. 7 is easy by hand here, since all its terms are the same. A positive pair has cosine 1, each
# of the $m$ negatives has cosine $-1$ and differs from the anchor in both labels, so the Hamming
# distance gives $\gamma = 2$:
#
# $$ L_s = -\log \frac{e}{e + 2 m\, e^{-1}} = \log(1 + 2 m\, e^{-2}), \qquad N = \log m . $$

# %%
m = 5
L_s = math.log(1 + 2 * m * math.exp(-2))
print(f"by hand:        N - L_s = {math.log(m) - L_s:.6f}")
print(f"the lemma:      at most   {math.log(2):.6f}")

Y = np.repeat(np.eye(2, dtype=int), m, axis=0)  # m cats, m dogs
s = np.repeat([[1.0], [-1.0]], m, axis=0)
listed, N = theory.eq7_by_enumeration(Y, f=np.exp(s @ s.T))
library = losses.weighted_supervised(torch.tensor(s), torch.tensor(Y)).item()
assert abs(listed - L_s) < 1e-12 and abs(library - L_s) < 1e-12
assert abs(N - math.log(m)) < 1e-12
bound, information = theory.counterexample_a(m)
assert abs(bound - (N - listed)) < 1e-12 and bound > information
print("Summing Eq. 7 over all pairs, and losses.weighted_supervised, give")
print("the same to 1e-12. The lemma's right side is larger than its left.")

# %% mystnb={"image": {"alt": "Left: a circle with a blue point, the cats, on the right and a yellow one, the dogs, on the left. Right: bars of N minus L_s for m = 2, 3, 4, 5, 10, 100 samples per class, with the Hamming distance and with the indicator. A dashed line marks log 2. The Hamming bars pass it from m = 5 on, the indicator bars from m = 3 on."}} tags=["hide-input"]
fig, axes = plt.subplots(1, 2, figsize=(8.2, 3.6), width_ratios=[1, 2.2])
plots.circle(axes[0], "a perfect encoder", reach=1.25)
ends, tints = [0, math.pi], ["#0072B2", "#E69F00"]
plots.dots(axes[0], ends, tints)
plots.names(axes[0], ends, ["cats", "dogs"], tints, radius=0.66)
ms = [2, 3, 4, 5, 10, 100]
for label, gamma, shift in (
    ("Hamming, γ = 2", 2, -0.2),
    ("indicator, γ = 1", 1, 0.2),
):
    heights = [theory.counterexample_a(m, gamma).bound for m in ms]
    axes[1].bar(np.arange(len(ms)) + shift, heights, 0.38, label=label)
axes[1].axhline(math.log(2), ls="--", color="k", label="I = log 2")
axes[1].set_xticks(range(len(ms)), ms)
axes[1].set(xlabel="samples per class, m", ylabel="$N - L_s$ (nats)")
axes[1].legend(loc="upper left")
plt.show()

# %% [markdown]
# Before we call this a counterexample we must be sure that we read the lemma as it was
# meant. What is "the mutual information of $X_i$ and $X_j$"?

# %% [markdown]
# ## Which joint distribution?
#
# Information belongs to a joint law, and the paper names none for Lemma 3.2. It says that
# the two samples come from the same class, and Eq. 7 averages over labels $a$ and over pairs
# with that label. The law that fits is: draw a label $A$ uniformly from the $c$ labels, then
# $X$ and $X'$ **independently** from $p_A$, where $p_a$ is the law of a sample that has
# label $a$:
#
# $$ p_+(x, x') = \frac1c \sum_{a=1}^c p_a(x)\, p_a(x') . $$
#
# :::{prf:proposition} What a positive pair knows
# :label: sup-law
# Let $I_+$ be the mutual information of $p_+$.
#
# 1. $\frac1c \sum_a \mathbb E_{x, x' \sim p_a} \log \frac{p_+(x' \mid x)}{p_+(x')} = I_+$,
#    without any $\sigma$.
# 2. $I_+ \le I(X; A) \le \log c$.
# 3. With a single label, $c = 1$, or given the label, it is zero.
# :::
#
# :::{dropdown} Proof
# *1.* $\frac1c \sum_a \mathbb E_{x, x' \sim p_a}$ is the expectation under $p_+$, and what
# stands inside is the logarithm of the density ratio. *2.* $X$ and $X'$ are linked through
# $A$ only, so $X'$ knows no more of $X$ than $A$ does, and $A$ has entropy $\log c$. *3.*
# Given $A$ the two are independent.
# :::
#
# For our toy, counterexample A below, this is the most generous reading with independent draws: the two are
# linked through the class only, so $I \le \log 2$, and fixing the class makes it zero. (A
# slightly more generous one, in which the two rows must differ, is an exercise. With several
# labels one could also ask for equal label *vectors*; those are not the pairs of Eq. 7.)

# %%
rng = np.random.default_rng(0)
for _ in range(200):
    c, letters = rng.integers(1, 6, 2)
    p = rng.dirichlet(np.ones(letters) / 2, c)  # row a: p_a
    pairs = theory.positive_law(p)
    ratio = np.log(theory.density_ratio(pairs))
    by_label = sum(q @ ratio @ q for q in p) / c
    I_plus = theory.mutual_information(pairs)
    assert abs(by_label - I_plus) < 1e-8
    assert I_plus <= theory.label_information(p) + 1e-12
    assert theory.label_information(p) <= math.log(c) + 1e-12
    assert c > 1 or abs(I_plus) < 1e-12
print("200 random families of classes: all three parts hold (1e-8).")
assert abs(theory.mutual_information(np.eye(2) / 2) - math.log(2)) < 1e-12
print("Two perfectly separated classes: I = log 2, exactly.")

# %% [markdown]
# ## Counterexample A
#
# :::{prf:proposition} Lemma 3.2 is false
# :label: sup-a
# Two balanced classes with one-hot labels, $x$ determined by the class, representations
# $\pm e$, $f = \exp(\cos)$. Then $\sigma = 1$ for every positive pair, $I = \log 2$, and
#
# $$ N - L_s = \log \frac{m}{1 + \gamma\, m\, e^{-2}} > I $$
#
# for every $m \ge 5$ with the Hamming distance ($\gamma = 2$) and for every $m \ge 3$ with
# the indicator ($\gamma = 1$). As $m \to \infty$ it tends to $2 - \log \gamma$.
# :::
#
# :::{prf:proof}
# $N - L_s > \log 2$ means $m > 2 + 2 \gamma m e^{-2}$, that is,
# $e^2 > \frac{2 \gamma m}{m - 2}$. The right side falls with $m$. For $\gamma = 2$ and
# $m = 5$ it is $\frac{20}3$; for $\gamma = 1$ and $m = 3$ it is 6. And already
# $e > 1 + 1 + \frac12 + \frac16 + \frac1{24} = \frac{65}{24}$ gives
# $e^2 > \frac{4225}{576} > \frac{20}3 > 6$.
# :::
#
# There is nothing to estimate: all samples of a class are equal, so $L_s$ on any such data
# set *is* its expectation. The check uses fractions.

# %%
e_below = sum(Fraction(1, math.factorial(k)) for k in range(5))  # < e
e_above = e_below + Fraction(1, 96)  # > e: the rest is below 1/4! · 1/4
for gamma, first in ((2, 5), (1, 3)):
    assert e_below**2 > Fraction(2 * gamma * first, first - 2)
    before = first - 1
    if before > 2:  # and not yet one sample earlier
        assert e_above**2 < Fraction(2 * gamma * before, before - 2)
    bound, information = theory.counterexample_a(first, gamma)
    assert bound > information
    assert theory.counterexample_a(before, gamma).bound < information
    print(f"γ = {gamma}: false from m = {first} on, shown with fractions.")

# %% [markdown]
# Other temperatures, for those who wonder whether $\tau = 1$ is to blame. The smaller $\tau$,
# the worse; the bars above belong to the position 1.00.

# %% tags=["hide-input"]
ms = np.unique(np.geomspace(2, 1000, 40).astype(int))
taus = [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0]


def right_side(gamma):
    def row(tau):
        return [theory.counterexample_a(m, gamma, tau).bound for m in ms]

    return [row(tau) for tau in taus]


traces = [
    dict(name="Hamming, γ = 2", x=np.log10(ms), y=right_side(2)),
    dict(name="indicator, γ = 1", x=np.log10(ms), y=right_side(1)),
]
line = np.full((len(taus), len(ms)), math.log(2))
grey = dict(colour="#8A8A8A", dash="dash")
traces.append(dict(name="I = log 2", x=np.log10(ms), y=line, **grey))
plots.movable(
    traces,
    positions=[f"{tau:.2f}" for tau in taus],
    slider="temperature τ",
    start=taus.index(1.0),
    alt="N minus L_s against the number of samples per class for two "
    "distances, with the line log 2; a slider sets the temperature. Small "
    "temperatures carry both curves far above the line, large ones below.",
    xlabel="log10 of the samples per class",
    ylabel="N − Lₛ (nats)",
    yrange=(-1, 7),
)

# %% [markdown]
# ### Is the toy too neat?
#
# Perfect classes, identical samples: a reader may suspect a degenerate case. So we let a
# photo show the wrong animal with probability $\varepsilon$, keep the paper's
# $f = \exp(\cos)$ and $\gamma = 2$, and sum over all outcomes (`theory.noisy_classes`). And
# we take genuine multi-label vectors (made up), with $\sigma < 1$ for some pairs, through the
# library: $K$ classes, each with a second label that is on for half of its samples, at
# temperatures below the paper's 1. Where $N > L_s$ and $\sigma \le 1$ the lemma's right side is at
# least $N - L_s$, whatever its $\sigma$ means, so that is what we compare.

# %%
for flip in (0.1, 0.05, 0.01):
    toy = theory.noisy_classes(flip, M=256)
    assert toy.bound > toy.information
    print(f"{flip:4.0%} noise: N - L_s = {toy.bound:.3f}", end=" ")
    print(f"> I = {toy.information:.3f}")


# %%
def two_labels(K):
    """Label vectors: class u is label 2u, its samples may have 2u + 1."""
    Y = np.zeros((2 * K, 2 * K), int)
    for u, b in product(range(K), (0, 1)):
        Y[2 * u + b, [2 * u, 2 * u + 1]] = 1, b
    return Y


for K, tau in ((2, 0.5), (4, 0.25)):
    kinds = two_labels(K)
    p = kinds.T / kinds.sum(0)[:, None]  # row a: law of the kinds with a
    I_plus = theory.mutual_information(theory.positive_law(p))
    Y = np.repeat(kinds, 5, axis=0)  # five samples of each kind
    s = (np.eye(K) - 1 / K).repeat(10, axis=0)  # classes on a simplex
    L_s = losses.weighted_supervised(torch.tensor(s), torch.tensor(Y), tau)
    bound = np.log((Y == 0).sum(0)).mean() - L_s.item()
    assert bound > I_plus
    print(f"{2 * K} labels, τ = {tau}: N - L_s = {bound:.3f}", end=" ")
    print(f"> I = {I_plus:.3f}")

# %% [markdown]
# In general: if the classes are well separated and $\tau$ is small, $L_s \approx 0$ and
# $N - L_s \approx \log|\mathcal N(a)|$, which grows with the data set, while $I_+ \le \log c$
# does not. **There, the better the training, the further the lemma is from the truth.**
#
# At the paper's $\tau = 1$ the cosine sets a limit. Put $c$ balanced classes, with $M$
# negatives for each label, on a simplex, the best place for them (by Jensen, as for the ceiling of
# [chapter 7](unsupervised_bound.ipynb); for SupCon see {cite:t}`graf2021`): $\cos = 1$ within a class and $-\frac1{c-1}$ between two. Then
#
# $$ N - L_s = \log\frac{M}{1 + \gamma M e^{-c/((c-1)\tau)}}
# \;<\; \frac{c}{(c-1)\,\tau} - \log\gamma , $$
#
# and this stays above $I_+ = \log c$ only if there are few classes:

# %%
for gamma, name in ((2, "Hamming"), (1, "indicator")):
    over = []
    for c in range(2, 11):
        limit = c / (c - 1) - math.log(gamma)  # τ = 1, M to infinity
        over += [c] if limit > math.log(c) else []
        y = np.arange(20 * c) % c
        s = torch.tensor((np.eye(c) - 1 / c)[y])
        Y = torch.tensor(np.eye(c)[y])
        L_s = losses.weighted_supervised(s, Y, distance=name.lower())
        M = 20 * (c - 1)
        exact = math.log(M) - math.log1p(gamma * M * math.exp(-c / (c - 1)))
        assert abs(math.log(M) - L_s.item() - exact) < 1e-9 and exact < limit
    told = ", ".join(map(str, over))
    print(f"{name}: separated classes, τ = 1: the lemma fails for c = {told}")

# %% [markdown]
# With classes that overlap $I_+$ is smaller, and the lemma can fail for more classes, too. Let
# a sample show, with chance $\varepsilon$, the point of another class, each equally likely. Among the $M$
# negatives of an anchor the number of those that show its own point is binomial, so the loss
# is a finite sum again.


# %%
def overlapping(c, flip, M=1000, gamma=1):
    """N − L_s and I₊ of c classes on a simplex, exactly."""
    other = flip / (c - 1)
    p = other + (1 - flip - other) * np.eye(c)  # row a: p_a
    f = np.exp(np.eye(c) - (1 - np.eye(c)) / (c - 1))  # point by point
    k = np.arange(M + 1)  # negatives on the anchor's own point
    S = gamma * (k * f[0, 0] + (M - k) * f[0, 1])
    n = p[1:].mean(0)  # points of the samples without the first label
    law = binom.pmf(k, M, n[:, None])  # a row for each place of the anchor
    terms = (law[:, None] * np.log1p(S / f[..., None])).sum(2)
    I_plus = theory.mutual_information(theory.positive_law(p))
    return math.log(M) - p[0] @ terms @ p[0], I_plus


for c, flip in ((4, 0.15), (5, 0.24), (10, 0.485)):
    bound, I_plus = overlapping(c, flip)
    assert bound > I_plus and overlapping(c, flip, gamma=2)[0] < I_plus
    print(f"{c} classes, {flip:.1%} noise: {bound:.3f} > {I_plus:.3f}")

# %% [markdown]
# So, at the paper's $\tau = 1$, the lemma is false with the Hamming distance for two classes, and
# with the indicator for ten that overlap. (With the Hamming distance, which doubles the negatives here, it holds in these
# three.) With ten *separated* classes at $\tau = 1$ its inequality happens to hold.
# It does so because the critic cannot see more than $\frac{c}{(c-1)\tau}$ nats, less than
# $\log c$ here, and not because of the proof.

# %% [markdown]
# ## The proof, line by line
#
# > **The paper says** (Appendix, proof of Lemma 3.2), in our words:

# %% [markdown]
# | line | what it does | verdict |
# |---|---|---|
# | 1 | puts in $f = r = P(X_j \mid X_i)/P(X_j)$ as the best critic | **not justified**: best for marginal negatives; for those of Eq. 7 it is $p_a/n_a$ |
# | 2 | rewrites $L_s = \mathbb E\log(1 + \frac{1}{\sigma r_{ij}} \sum_k \gamma\, r_{ik})$ | correct algebra |
# | 3 | drops $\sigma$ and $\gamma$: $\sigma \in [\frac1c, 1]$, $\gamma \in [1, c]$, so $L_s$ can only fall | **correct**, and the part that survives |
# | 4 | "≈": the sum over negatives becomes $\lvert\mathcal N(a)\rvert$ times its mean | **wrong way**, as in Lemma 3.3 (Jensen) |
# | 5 | that mean is 1: $\mathbb E_{X_k} r_{ik} = 1$ | **the fatal step**: true if $X_k$ comes from the marginal; in Eq. 7 it comes from the samples *without* label $a$ |
# | 6 | drops the 1 inside the logarithm | correct |
# | 7 | $\mathbb E \log \frac{P(X_j)}{P(X_j \mid X_i)} = -\sigma I$ | **wrong**: it is $-I_+$ ({prf:ref}`sup-law`). The $\sigma$ of line 3 is gone and cannot come back. (The text defines $I$ with the opposite sign here, a slip.) |
# | 8 | divides by $\sigma$ | **not well-formed**: $\sigma$ differs from pair to pair, and stands outside the expectation |

# %% [markdown]
# Lines 3 and 5 can be looked at in numbers. Line 3: over all label vectors of four labels. Line
# 5: what is the mean of $r$ over the marginal, and over the class that Eq. 7 draws from?

# %%
c = 4
for u, v in product(product((0, 1), repeat=c), repeat=2):
    dist = sum(i != j for i, j in zip(u, v, strict=True))
    for a in range(c):
        if u[a] == v[a] == 1:  # a positive pair for label a
            assert Fraction(1, c) <= 1 - Fraction(dist, c) <= 1
        if u[a] == 1 and v[a] == 0:  # an anchor and its negative
            assert 1 <= dist <= c
print("σ lies in [1/c, 1] and γ in [1, c] for all pairs of label vectors.")

for flip in (0.3, 0.1, 0.0):
    p = np.array([[1 - flip, flip], [flip, 1 - flip]])
    r = theory.density_ratio(theory.positive_law(p))
    everywhere = p[0] @ r @ p.mean(0)  # anchor in class 0, X_k anywhere
    as_in_eq7 = p[0] @ r @ p[1]  # X_k from the other class
    assert abs(everywhere - 1) < 1e-12 and as_in_eq7 < 1
    print(f"{flip:4.0%} noise: marginal {everywhere:.2f}", end=", ")
    print(f"other class {as_in_eq7:.2f}")

# %% [markdown]
# For separated classes the mean that line 5 takes to be 1 is 0. Note also the range of
# $\sigma$: the text below Eq. 7 lets it approach 0 for unlike labels, but a positive pair shares
# label $a$, so $\sigma \ge 1/c$, as the proof says.

# %% [markdown]
# ## Counterexample B: the factor $1/\sigma$
#
# Repair line 5: let the negatives come from the marginal $p_+$. Repair lines 1 and 4 by the
# last chapter's proof. Is the lemma then true? Without the factor $1/\sigma$ yes (we will
# prove it). With it, no.
#
# A sample is $(U, b)$: one of four classes and a fair bit. Label $2U - 1$ is always on, label
# $2U$ only if $b = 1$, so $c = 8$. A positive pair shares $U$; the label that chose it is the
# first one, and then both bits are free, or the second, and then both are 1. So the two bits
# have the law
#
# $$ \begin{pmatrix} 1/8 & 1/8 \\ 1/8 & 5/8 \end{pmatrix}, \qquad
# \sigma = 1 \text{ if the bits agree, } \tfrac78 \text{ if not}, \qquad
# \mathbb E\sigma = \tfrac{31}{32} . $$
#
# The critic is the best one, $\gamma = 1$, and $M$ negatives come from $p_+$. What follows is
# an exact multinomial sum. The lemma does not say which $\sigma$ it means, so we try
# three.

# %%
kinds = two_labels(4)
p = kinds.T / kinds.sum(0)[:, None]
I_plus = theory.mutual_information(theory.positive_law(p))
one, I_b = theory.counterexample_b(256, sigma="one")
assert abs(I_plus - I_b) < 1e-12 and one < I_b
print(f"I = {I_b:.5f}; log M - L_s at M = 256: {one:.5f}, below I.")
for reading in ("mean", "least", "mean inverse"):
    row = [theory.counterexample_b(M, sigma=reading) for M in (16, 256)]
    assert row[0].bound < I_b < row[1].bound
    print(f"divided by σ ({reading}): {row[1].bound:.5f}, above I.")

# %% mystnb={"image": {"alt": "Curves of log M minus L_s, divided by four readings of sigma, against the number of negatives from 4 to 1024. Without a factor the curve stays below the dashed line I. Divided by the mean sigma it crosses the line just before 256, with the mean of 1/sigma a little earlier, divided by the least sigma already before 32."}} tags=["hide-input"]
Ms = [4, 8, 16, 32, 64, 128, 256, 512, 1024]
names = {
    "least": ("÷ least σ", "^-"),
    "mean inverse": ("× E(1/σ)", "s-"),
    "mean": ("÷ E σ", "o-"),
    "one": ("no factor", "d-"),
}
fig, ax = plt.subplots()
for reading, (label, style) in names.items():
    heights = [theory.counterexample_b(M, sigma=reading).bound for M in Ms]
    ax.plot(Ms, heights, style, label=label, ms=4)
ax.axhline(I_b, ls="--", color="k", label="I")
ax.set_xscale("log", base=2)
ax.set_xticks(Ms, Ms)
ax.set(xlabel="negatives M", ylabel="right side of the lemma (nats)")
ax.set_ylim(1.1, 1.7)
ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# Why, in one line: for $M \to \infty$ the weighted bound tends to $I - \mathbb E \log\frac1\sigma$
# (the weight costs its logarithm), and dividing by $\sigma$ gives back more than was lost
# whenever
#
# $$ I > \frac{\mathbb E \log(1/\sigma)}{1 - \mathbb E \sigma} . $$
#
# :::{prf:proposition} No factor 1/σ
# :label: sup-b
# With negatives from the marginal, $f = r$, $\gamma = 1$ and $\mathbb E\sigma < 1$, the claim
# $I \ge (\log M - L_s)/\mathbb E\sigma$ fails for all large $M$ if
# $I > \mathbb E \log(1/\sigma) / (1 - \mathbb E\sigma)$. For a constant $\sigma$ that
# threshold is $\log(1/\sigma)/(1-\sigma) \ge 1$.
# :::
#
# :::{dropdown} Proof
# By the law of large numbers (on a finite alphabet, say) the weighted loss satisfies
# $\log M - L_s \to \mathbb E \log(\sigma r) - \mathbb E \log \mathbb E[r] =
# I - \mathbb E \log(1/\sigma)$. This exceeds $I\, \mathbb E\sigma$ exactly under the stated
# condition. And $-\log \sigma \ge 1 - \sigma$.
# :::

# %%
threshold = 0.25 * math.log(8 / 7) / (1 - 31 / 32)
limit = theory.counterexample_b_limit()
assert threshold < I_b < limit.bound
gap = abs(theory.counterexample_b(1024).bound - limit.bound)
assert gap < 0.005
print(f"threshold {threshold:.3f} < I = {I_b:.3f}, so the lemma must fail;")
print(f"limit {limit.bound:.4f}, met to 0.005 at M = 1024.")

# %% [markdown]
# > **We say** that Lemma 3.2 is **false as printed** (A), and stays false with the
# > negatives repaired as long as the factor $1/\sigma$ is there (B). B is not Eq. 7: it changes where the negatives
# > come from and sets $\gamma = 1$, in order to test that one step alone.

# %% [markdown]
# ## What can be proven
#
# The last chapter's proposition did not ask where negatives come from: {prf:ref}`info-bound`
# holds for any law $q$, and bounds the divergence of the positives from *that*. Here the
# positives of label $a$ have the law $p_a$, and the negatives the law $n_a$ of samples
# without label $a$.
#
# :::{prf:proposition} What Eq. 7 bounds
# :label: sup-kl
# Let the labelled rows be independent draws, let each label have at least two rows with it and
# one without, and take the term of each label $a$ in expectation given which rows have it. For any critic $f > 0$, any $\sigma \le 1$ and
# $\gamma \ge 1$, and pairs $i \ne j$,
#
# $$ \frac1c \sum_a \mathrm{KL}(p_a \,\|\, n_a) \;\ge\;
# \frac1c \sum_a \log\bigl(|\mathcal N(a)| + 1\bigr) - L_s \;>\; N - L_s , $$
#
# where $|\mathcal N(a)|$ is the number of rows without $a$. The critic may even be told the
# label $a$, which that of Eq. 7 is not.
# :::
#
# :::{prf:proof}
# Fix $a$ and the anchor $x_i$. Since $i \ne j$, $x_j \sim p_a$ is independent of $x_i$; the
# negatives are independent draws from $n_a$. So this is {prf:ref}`info-bound` with
# $p(x, y) = p_a(x)\, p_a(y)$ and $q = n_a$, and there $D = \mathrm{KL}(p_a \| n_a)$. With
# weights, $\frac{\sigma f_{ij}}{\sigma f_{ij} + \sum_k \gamma f_{ik}} \le
# \frac{f_{ij}}{f_{ij} + \sum_k f_{ik}}$, so $L_s$ only grows. Average over $a$.
#
# If labels are one-hot and the numbers of rows in *all* classes are fixed, the negatives are a
# stratified sample, and $n_a$ is the mixture with the rows' shares. The bound stands: $\frac1{f_0 + S} = \int_0^\infty e^{-t f_0} e^{-tS} dt$, the mean of $e^{-tS}$
# is a product over the negatives, and by the inequality of the means it is at most what
# independent draws from the mixture $n_a$ give. So $\mathbb E_Q T \le 1$ in the proof there.
# :::
#
# :::{prf:proposition} What a bound on information would need
# :label: sup-mi
# If the negatives are independent draws from the marginal of $p_+$, then for any $f > 0$,
# $\sigma \le 1$ and $\gamma \ge 1$: $I_+ \ge \log(M + 1) - L_s$. Without a factor $1/\sigma$.
# :::
#
# :::{prf:proof}
# {prf:ref}`info-bound` with $p = p_+$ and $q$ its marginal; weights as above. (A marginal
# negative may have the anchor's own label vector, Hamming distance 0. To keep
# $\gamma \ge 1$ take $\max(1, \gamma)$.)
# :::
#
# So $N - L_s$ can be large *only* if a class is easy to tell from the rest. That is a fine thing
# to maximise; it is just not the mutual information of two samples. The authors of SINCERE
# {cite:p}`feeney2023sincere`, whose loss is Eq. 7 on one-hot labels with the indicator distance
# and classes of equal size, relate it to a divergence between a class and the rest, too.
#
# **The check**: random laws, critics and weights, by exact sums; then the noisy cats and
# dogs.

# %%
rng = np.random.default_rng(1)
slack_kl, slack_mi = [], []
for _ in range(150):
    p, n = rng.dirichlet(np.ones(3), 2)  # p_a and n_a on three letters
    f = np.exp(rng.normal(0, 2, (3, 3)))
    f = rng.choice([f, np.tile(p / n, (3, 1))])  # any critic, or the best
    weights = dict(
        sigma=rng.uniform(rng.choice([0.2, 1]), 1, (3, 3)),
        gamma=rng.uniform(1, rng.choice([1, 4]), (3, 3)),
    )
    M = int(rng.integers(1, 9))
    value = theory.exact_bound(np.outer(p, p), f, M, n, **weights)
    slack_kl.append(theory.divergence(np.outer(p, p), n) - value)
    pairs = theory.positive_law([p, n])  # two labels, marginal negatives
    value = theory.exact_bound(pairs, f, M, **weights)
    slack_mi.append(theory.mutual_information(pairs) - value)
assert min(slack_kl) > -1e-9 and min(slack_mi) > -1e-9
print("150 random laws, critics and weights: both propositions hold")
print(f"(tolerance 1e-9); the closest came to {min(slack_kl):.4f} nats.")

# %%
print("noise   N - L_s     KL       I₊     I(X;A)   at M = 256")
for flip in (0.3, 0.1, 0.01):
    toy = theory.noisy_classes(flip, 256, critic="best", gamma=1)
    assert toy.information < toy.bound < toy.kl
    print(f"{flip:4.0%} ", end="")
    print(*(f"{value:8.4f}" for value in toy))
print("N - L_s stays below the divergence, far above the information.")

# %% mystnb={"image": {"alt": "Two panels, noise 10 percent and 1 percent, with N minus L_s against the number of negatives. The best critic climbs to the dashed line KL at the top; the curve of Eq. 7 with the cosine and the Hamming distance lies lower, yet both cross the dotted line of the information I plus."}} tags=["hide-input"]
Ms = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
kinds_of_critic = {
    "best critic, told the label, γ = 1": dict(critic="best", gamma=1),
    "Eq. 7 as printed: exp(cos), γ = 2": dict(critic="cosine", gamma=2),
}
fig, axes = plt.subplots(1, 2, figsize=(8.2, 3.8))
for ax, flip in zip(axes, (0.1, 0.01), strict=True):
    for label, kind in kinds_of_critic.items():
        toys = [theory.noisy_classes(flip, M, **kind) for M in Ms]
        ax.plot(Ms, [toy.bound for toy in toys], "o-", label=label, ms=4)
    kl, I_plus = toys[0].kl, toys[0].information
    ax.axhline(kl, ls="--", color="k", label="KL(class ‖ rest)")
    ax.axhline(I_plus, ls=":", color="k", label="information I₊")
    ax.set(xscale="log", xlabel="negatives M", title=f"{flip:.0%} noise")
axes[0].set_ylabel("$N - L_s$ (nats)")
handles, names = axes[0].get_legend_handles_labels()
fig.legend(handles, names, loc="outside lower center", ncols=2)
plt.show()

# %% [markdown]
# Move the noise (horizontal: $\log_2 M$). With little noise the divergence grows without
# bound and the information stops at $\log 2$.

# %% tags=["hide-input"]
flips = [0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001]
grid = {
    label: [[theory.noisy_classes(e, M, **kind) for M in Ms] for e in flips]
    for label, kind in kinds_of_critic.items()
}


def curve(name, label, field, **look):
    """One field of the toys of one critic, for each noise and each M."""
    heights = [[getattr(toy, field) for toy in row] for row in grid[label]]
    return dict(name=name, x=np.log2(Ms), y=heights, **look)


best = "best critic, told the label, γ = 1"
traces = [curve(label, label, "bound") for label in grid]
look = dict(colour="#009E73", dash="dash")
traces.append(curve("KL(class ‖ rest)", best, "kl", **look))
look = dict(colour="#8A8A8A", dash="dot")
traces.append(curve("information I₊", best, "information", **look))
plots.movable(
    traces,
    positions=[f"{flip:.1%}" for flip in flips],
    slider="noise",
    start=flips.index(0.1),
    alt="N minus L_s of two critics against the number of negatives, with "
    "lines for the divergence between the classes and for the information "
    "of a positive pair; a slider sets the noise from 40 to 0.1 percent.",
    xlabel="log2 of the negatives M",
    ylabel="N − Lₛ (nats)",
    yrange=(-2, 7.2),
)

# %% [markdown]
# ### Where the corrected theorem stops
#
# *Perfect classes.* Then $\mathrm{KL} = \infty$, and the bound, though true, says nothing. In
# counterexample A nothing was violated but the lemma.
#
# *Self pairs.* With $i = j$, which Eq. 7 does not rule out and the public code includes,
# $x_j$ is not independent of $x_i$, and the statement fails. Let the labels be pure chance, so that
# $\mathrm{KL}(p_a \| n_a) = 0$, and let all samples be orthogonal. Only the self pairs
# have a cosine other than 0, and they alone lift the right side above zero:

# %%
m, M = 10, 100  # rows with and without the label
s, Y = torch.eye(m + M), torch.zeros(m + M, 1)
Y[:m] = 1
pure = losses.sup_con_eq6(s, Y).item()
itself = losses.Switches(self_pairs=True)
mixed = losses.sup_con_eq6(s, Y, preset=itself).item()
lift = (math.log1p(M) - math.log1p(M / math.e)) / m
assert abs(math.log1p(M) - pure) < 1e-8
assert abs(math.log1p(M) - mixed - lift) < 1e-8
others = abs(math.log1p(M) - pure)
print(f"KL = 0. Without self pairs the bound is {others:.3f};")
print(f"with them it claims {lift:.3f} nats.")

# %% [markdown]
# *Rows that were trained on.* As in [chapter 7](unsupervised_bound.ipynb), $f$ must not have been
# fitted to the rows it is judged on. Labels by coin flip have $\mathrm{KL} = 0$. An encoder that
# has learnt the rows by heart puts those with the label at $e$ and the rest at $-e$:

# %%
s = torch.cat([torch.ones(m, 1), -torch.ones(M, 1)])
by_heart = math.log1p(M) - losses.sup_con_eq6(s, Y).item()
assert abs(by_heart - math.log1p(M) + math.log1p(M * math.exp(-2))) < 1e-8
print(f"KL = 0. On rows learnt by heart the bound claims {by_heart:.3f} nats.")

# %% [markdown]
# *The cosine.* It has a ceiling here, too.
#
# :::{prf:proposition} The supervised ceiling
# :label: sup-ceiling
# For $f = \exp(\cos/\tau)$, $\sigma \le 1$, $\gamma \ge 1$ and $M$ negatives for each label,
# $N - L_s \le \log\frac{M}{1 + M e^{-2/\tau}} < \frac2\tau$. Two opposite classes with
# $\gamma = 1$ reach it.
# :::
#
# :::{dropdown} Proof
# Each negative has $f_{ik}/f_{ij} \ge e^{-2/\tau}$, so each term of $L_s$ is at least
# $\log(1 + M e^{-2/\tau})$. Opposite classes have equality; see counterexample A.
# :::
#
# Two nats at $\tau = 1$, where $L_u$ has one: with labels the negatives can all lie on
# the far side.

# %%
torch.manual_seed(0)
for tau in (1.0, 0.5):
    for trial in range(200):
        m, c = 2 + trial % 5, 2 + trial % 3
        Y = torch.eye(c).repeat(m, 1)
        s = torch.randn(m * c, 1 + trial % 4)
        L_s = losses.weighted_supervised(s, Y, tau, distance="indicator")
        M = m * (c - 1)
        assert math.log(M) - L_s < theory.supervised_ceiling(M, tau) + 1e-9
    s = torch.tensor([[1.0], [-1.0]]).repeat_interleave(7, 0)
    Y = torch.eye(2).repeat_interleave(7, 0)
    L_s = losses.weighted_supervised(s, Y, tau, distance="indicator")
    assert abs(math.log(7) - L_s - theory.supervised_ceiling(7, tau)) < 1e-9
print("400 random batches stay under the ceiling (1e-9); A reaches it.")

# %% [markdown]
# ## Which way do σ and γ act?
#
# > **The paper says** (below Eq. 7) that $\sigma$ makes the similarity of a positive pair
# > follow the similarity of their labels, and $\gamma$ pushes the more, the more two label
# > vectors differ.
#
# :::{prf:proposition} Pull and push in Eq. 7
# :label: sup-weights
# In the term of label $a$ and the pair $(i, j)$ let
# $\pi = \sigma f_{ij} / (\sigma f_{ij} + \sum_k \gamma_k f_{ik})$. The pull on the pair
# is the derivative by $\cos_{ij}/\tau$ with its sign changed. It equals $1 - \pi$, and it **falls** with $\sigma$. The
# push on negative $k$ is $(1 - \pi)$ times its share $\gamma_k f_{ik} / \sum_l \gamma_l
# f_{il}$, and it rises with $\gamma_k$.
# :::
#
# :::{dropdown} Proof
# The term is $\log(1 + \sum_k \gamma_k f_{ik}/(\sigma f_{ij}))$. Its derivative by
# $\log f_{ij}$ is $-(1 - \pi)$, by $\log f_{ik}$ it is
# $\gamma_k f_{ik}/(\sigma f_{ij} + \sum_l \gamma_l f_{il})$. The first has $\sigma$ in the
# denominator of $1 - \pi = \sum_l \gamma_l f_{il} / (\sigma f_{ij} + \sum_l \gamma_l f_{il})$;
# the second has the form $\gamma_k/(\text{const} + \gamma_k f_{ik})$, times $f_{ik}$.
# :::
#
# As a factor inside the logarithm $\sigma$ drops out of the numerator's gradient and is left only in
# the denominator, where a small one makes the positive look unfinished.


# %%
def forces(sigma, gamma, near=0.8, far=0.0):
    """Pull on the positive and push on each negative, by autograd."""
    gamma = torch.as_tensor(gamma)
    cos = torch.tensor([near] + [far] * len(gamma), requires_grad=True)
    terms = torch.cat([torch.tensor([sigma]), gamma]) * cos.exp()
    loss = -(terms[0] / terms.sum()).log()
    (grad,) = torch.autograd.grad(loss, cos)
    return -grad[0].item(), grad[1:]


sigmas = [1 / 6, 0.5, 1.0]
for M in (1, 60, 400):
    pulls = [forces(sigma, [2.0] * M)[0] for sigma in sigmas]
    assert np.abs(pulls - theory.pull(sigmas, M)).max() < 1e-12
    assert pulls[0] > pulls[1] > pulls[2]
    told = ", ".join(f"{pull:.3f}" for pull in pulls)
    print(f"M = {M:3}: pull {told} for σ = 1/6, 1/2, 1")
low, high = (forces(1.0, [g, 2.0, 2.0])[1][0].item() for g in (1.0, 3.0))
assert high > low
print(f"push on a negative: {low:.2f} with γ = 1, {high:.2f} with γ = 3.")

# %% mystnb={"image": {"alt": "Pull on a positive pair against sigma from 1/6 to 1. For one negative it falls from about 0.84 to 0.47, for five negatives from 0.96 to 0.82, for sixty and more it is nearly flat close to 1."}} tags=["hide-input"]
axis = np.linspace(1 / 6, 1, 60)
fig, ax = plt.subplots(figsize=(5.6, 3.4))
for M in (1, 5, 60, 400):
    name = f"{M} negative" + "s" * (M > 1)
    ax.plot(axis, theory.pull(axis, M), label=name)
ax.set(xlabel="σ: share of equal labels", ylabel="pull on the pair")
ax.set(ylim=(0.4, 1.03), title="like label vectors are pulled less")
ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# > **We say**: $\gamma$ does what the paper wants. $\sigma$ acts **the other way round**, and
# > with many negatives hardly at all. Similar pairs *are* favoured by Eq. 7, for another
# > reason: a pair with $t$ common labels stands in $t$ of the $c$ terms.

# %% [markdown]
# ## What we learnt
#
# - **Lemma 3.2 is false**: two classes, five samples each, no $\sigma$ involved. The
#   fatal step takes negatives of the other class for draws from the marginal.
# - **The factor $1/\sigma$ is wrong on its own account**, also with marginal negatives.
# - **What survives**: the ranges of $\sigma$ and $\gamma$, and that weights can only loosen a
#   bound.
# - **What is true instead**: $N - L_s \le \frac1c\sum_a \mathrm{KL}(p_a \| n_a)$. A
#   small supervised loss on fresh rows certifies separation. With negatives from the marginal, and
#   without $1/\sigma$, it would bound information.
# - The falsehood of the lemma says nothing against Eq. 7 as a training loss. It says that
#   "maximises mutual information" has not been shown to be the reason why it works.

# %% [markdown]
# ## Exercises
#
# :::{exercise} The strict reading
# :label: sup-ex-strict
# Somebody objects: the two samples are drawn from a *finite* labelled set, without replacement, and $X$ is
# the photo itself, not its class. Compute the mutual information of two different rows of
# one class in counterexample A. From which $m$ on is the lemma false under this reading?
# :::

# %% mystnb={"code_prompt_hide": "Hide the solution", "code_prompt_show": "Show the solution"} tags=["hide-cell"]
# Row j alone: uniform on 2m. Given i: uniform on the m − 1 others of its
# class. So I = log(2m) − log(m − 1), a little more than log 2.


def rows_information(m):
    same = np.kron(np.eye(2), np.ones((m, m)) - np.eye(m))
    return theory.mutual_information(same / same.sum())


for m in range(2, 200):
    information = math.log(2 * m / (m - 1))
    assert m > 40 or abs(rows_information(m) - information) < 1e-9
    assert (theory.counterexample_a(m).bound > information) == (m >= 7)
print("Under this reading the lemma is false from m = 7 on.")

# %% [markdown]
# :::{exercise} Hot enough
# :label: sup-ex-tau
# For which $\tau$ does counterexample A cease to be one, for every $m$? (Slide and see, then
# compute.)
# :::

# %% mystnb={"code_prompt_hide": "Hide the solution", "code_prompt_show": "Show the solution"} tags=["hide-cell"]
# N − L_s rises with m to 2/τ − log γ. It stays below log 2 for every m if
# and only if τ ≥ 2/log(2γ).
for gamma in (1, 2):
    tau = 2 / math.log(2 * gamma)
    hot = theory.counterexample_a(10**9, gamma, tau).bound
    less = theory.counterexample_a(10**9, gamma, tau - 0.01).bound
    assert hot < math.log(2) < less
    assert abs(math.exp(2 / tau) - 2 * gamma) < 1e-9
    print(f"γ = {gamma}: from τ = {tau:.2f} on")
print("There a positive pair has at most 2γ times the f of a negative one.")

# %% [markdown]
# :::{exercise} A weight that works
# :label: sup-ex-outside
# Where should $\sigma$ stand so that pairs with like labels are pulled more? Compare the
# pulls for $\sigma = 1$ and $\sigma = \frac12$, with $M = 60$.
# :::

# %% mystnb={"code_prompt_hide": "Hide the solution", "code_prompt_show": "Show the solution"} tags=["hide-cell"]
# In front of the logarithm: σ · log(1 + Σ γ f_ik / f_ij). The pull is then
# σ (1 − π) with π free of σ.
inside = [forces(sigma, [2.0] * 60)[0] for sigma in (1.0, 0.5)]
outside = [sigma * forces(1.0, [2.0] * 60)[0] for sigma in (1.0, 0.5)]
assert inside[0] < inside[1] and outside[0] > outside[1]
assert abs(outside[0] - 2 * outside[1]) < 1e-12
print(f"inside the logarithm:  {inside[0]:.3f} and {inside[1]:.3f}")
print(f"outside the logarithm: {outside[0]:.3f} and {outside[1]:.3f}")
