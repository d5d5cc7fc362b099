# %% [markdown]
# # Special cases: who contains whom?
#
# *Reads in 20 minutes, runs in 10 seconds on a CPU.*
#
# A new loss is easier to trust when an old one is hidden inside it: set some
# weights to one, and you stand on known ground. HeroCon's authors
# {cite:p}`zheng2022herocon` say that their two losses contain SupCon {cite:p}`khosla2020` and SimCLR {cite:p}`chen2020simclr`
# in this way. Here we set the weights to one and look at what is left.
#
# **What we will see**
#
# - Eq. 5 with unit weights is *one direction* of SimCLR's loss. Take both
#   directions and it is SimCLR's loss exactly.
# - Eq. 7 on one-hot labels, with a distance of 0 or 1 (the *indicator*) and classes of equal
#   size, is a loss with a name of its own (SINCERE), but SupCon only if every class has exactly
#   two rows in the batch.
# - Another multi-label loss, MulSupCon, does contain SupCon.
# - The authors' public code computes a third thing. Seven switches tell it from the
#   equations, and we turn each of them alone.

# %% [markdown]
# ## A picture first: who stands in the denominator?
#
# All losses of this chapter start from one table: the **scores**
# $s_{ik} = \cos(z_i, z_k)/\tau$ of every row with every other row of the batch. With
# two views of $n$ samples we stack them, so the table has $2n$ rows: first view 1,
# then view 2. Each loss is then a cross-entropy on that table. They differ only in
# which rows are anchors and which columns they are compared with.
#
# We use `float64` throughout. When we write "equal" we mean equal to $10^{-12}$.

# %%
import math
from dataclasses import fields

import matplotlib.pyplot as plt
import pandas as pd
import torch
import torch.nn.functional as F

from herocon_lite import losses

plt.style.use("herocon_lite.repro.book")
torch.set_default_dtype(torch.float64)
INF = math.inf


def scores(z, tau=1.0):
    """The table of cos(z_i, z_k) / tau, for all rows of z."""
    z = F.normalize(z, dim=1)
    return z @ z.T / tau


def others(S):
    """The table without its diagonal: no row is compared with itself."""
    return S.masked_fill(torch.eye(len(S), dtype=torch.bool), -INF)


def agree(claim, left, right):
    assert abs(left - right) < 1e-12, f"not equal: {left} and {right}"
    print(f"{claim}: {left:.6f} (equal to 1e-12)")


# %% [markdown]
# Three losses without labels, two or three lines each.


# %%
def nt_xent(S):
    """SimCLR: every row is an anchor, compared with all other rows."""
    n = len(S) // 2
    other_view = torch.arange(2 * n).roll(n)
    return F.cross_entropy(others(S), other_view)


def eq5_unit(S):
    """Eq. 5 with g = 1: the same, but only view 1 gives anchors."""
    n = len(S) // 2
    return F.cross_entropy(others(S)[:n], torch.arange(n, 2 * n))


def eq3(S):
    """Eq. 3: anchors from view 1, compared with view 2 only."""
    n = len(S) // 2
    return F.cross_entropy(S[:n, n:], torch.arange(n))


# %% [markdown]
# And two with labels. For these we write down a single *term*, the one of anchor
# $i$ and positive $j$: SupCon has it as Khosla et al. define $L_{\text{out}}$, Eq. 6
# as the HeroCon paper prints it.


# %%
def term_out(S, y, i, j):
    """SupCon: the denominator holds every row but the anchor."""
    return others(S)[i].logsumexp(0) - S[i, j]


def term_eq6(S, y, i, j):
    """Eq. 6: the denominator holds j and the rows of other classes."""
    negatives = S[i, y != y[i]].logsumexp(0)
    return F.softplus(negatives - S[i, j])


# %% [markdown]
# Now we let autograd draw the picture. A score with a negative derivative is
# *pulled* up by the loss, one with a positive derivative is *pushed* down, and one
# with derivative zero takes no part.

# %% mystnb={"image": {"alt": "Top row: three 6 by 6 tables of anchors against keys. NT-Xent fills everything but the diagonal; Eq. 5 with g = 1 fills the upper three rows of it; Eq. 3 fills only the upper right 3 by 3 block. Bottom row: one anchor with its three positives in turn. L_out pushes the two other positives away together with the four rows of the other class; Eq. 6 leaves them out."}} tags=["hide-input"]
from matplotlib.colors import ListedColormap

PULL, PUSH, NONE = "#0072B2", "#D55E00", "#EEEEEE"
MIDDLE = {"ha": "center", "va": "center"}


def derivative(loss, n):
    S = torch.zeros(n, n, requires_grad=True)
    return torch.autograd.grad(loss(S), S)[0]


def draw(ax, table, title, rows, columns):
    ax.imshow(
        table.sign(),
        cmap=ListedColormap([PULL, NONE, PUSH]),
        vmin=-1,
        vmax=1,
    )
    for i, k in table.nonzero().tolist():
        sign = "+" if table[i, k] < 0 else "–"
        ax.text(k, i, sign, color="white", weight="bold", **MIDDLE)
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.set_xticks([k + 0.5 for k in range(len(columns))], minor=True)
    ax.set_yticks([i + 0.5 for i in range(len(rows))], minor=True)
    ax.grid(which="minor", color="white", linewidth=2)
    ax.tick_params(which="both", length=0, labelsize=9)
    ax.spines[:].set_visible(False)
    ax.set_title(title, fontsize=11)


fig = plt.figure(figsize=(8.2, 5.2))
top, bottom = fig.subfigures(2, 1, height_ratios=[1.75, 1])
names = [f"{i},{v}" for v in (1, 2) for i in (1, 2, 3)]  # sample, view
axes = top.subplots(1, 3)
for ax, loss, title in zip(
    axes,
    (nt_xent, eq5_unit, eq3),
    ("NT-Xent (SimCLR)", "Eq. 5 with g = 1", "Eq. 3 (Info-NCE)"),
    strict=True,
):
    draw(ax, derivative(loss, 6), title, names, names)
    ax.set_xlabel("key (sample, view)", fontsize=9)
axes[0].set_ylabel("anchor (sample, view)", fontsize=9)

y = torch.tensor([0, 0, 0, 0, 1, 1, 1, 1])
row_names = [f"{a}{i}" for a in "AB" for i in (1, 2, 3, 4)]
axes = bottom.subplots(1, 2)
for ax, term, title in zip(
    axes,
    (term_out, term_eq6),
    (r"$L_{out}$ (SupCon), anchor A1", "Eq. 6, anchor A1"),
    strict=True,
):
    table = []
    for j in (1, 2, 3):
        force = derivative(lambda S, j=j, term=term: term(S, y, 0, j), 8)
        table.append(force[0])
    draw(ax, torch.stack(table), title, row_names[1:4], row_names)
    ax.set_xlabel("key (class A or B)", fontsize=9)
axes[0].set_ylabel("positive", fontsize=9)
legend = {"+ pulled": PULL, "– pushed": PUSH, "not used": NONE}
for label, colour in legend.items():
    axes[0].plot([], [], "s", ms=9, color=colour, label=label)
bottom.legend(loc="outside lower center", ncols=3)
plt.show()

# %% [markdown]
# The whole chapter is in this picture. In the top row, Eq. 5 is the upper half of
# NT-Xent, and Eq. 3 is a corner of it. In the bottom row, look at A2, A3 and A4:
# they share the anchor's class. SupCon pulls one of them and pushes the other two
# in the same breath; Eq. 6 leaves those two in peace.

# %% [markdown]
# ## SimCLR
#
# > **The paper says** (§3.3, last sentence) that the weighted unsupervised loss
# > becomes SimCLR's objective once all negative pairs have weight one.
# >
# > **We say** it becomes one direction of it. Averaged over both directions it is
# > SimCLR's objective to the last digit, at every temperature. So the claim is
# > true after one added step.
#
# :::{prf:proposition} Eq. 5 with unit weights
# :label: special-simclr
# Let $L_u(1\to2)$ be Eq. 5 with $g \equiv 1$, both views of every other sample as
# negatives and $f = \exp(\cos/\tau)$, and $L_u(2\to1)$ the same with the views
# swapped. Then
#
# $$ \tfrac12\bigl[L_u(1\to2) + L_u(2\to1)\bigr] = \text{NT-Xent}_\tau . $$
#
# Eq. 3 is neither: it has $n-1$ negatives instead of $2n-2$, so
# Eq. 3 $< L_u(1\to2)$ for $n \ge 2$.
# :::
#
# :::{dropdown} Proof
# NT-Xent is a mean over $2n$ anchors. For an anchor in view 1 its denominator holds
# the positive, the $n-1$ other rows of view 1 and the $n-1$ other rows of view 2:
# the denominator of Eq. 5 when $j$ runs over both views, as the text below Eq. 5
# asks. The mean over $2n$ anchors is the mean of the two means over $n$. Eq. 3 leaves
# out $n-1$ positive numbers from each denominator, so each of its terms is smaller.
# :::

# %%
torch.manual_seed(0)
n, d, tau = 16, 6, 0.5
z1, z2 = torch.randn(n, d), torch.randn(n, d)
S = scores(torch.cat([z1, z2]), tau)
swapped = scores(torch.cat([z2, z1]), tau)

both = (eq5_unit(S) + eq5_unit(swapped)) / 2
pd.DataFrame(
    {
        "value": [eq3(S), eq5_unit(S), eq5_unit(swapped), both, nt_xent(S)],
        "negatives": [n - 1, 2 * n - 2, 2 * n - 2, 2 * n - 2, 2 * n - 2],
        "anchors": ["view 1", "view 1", "view 2", "both", "both"],
    },
    index=[
        "Eq. 3",
        "Eq. 5, g = 1",
        "Eq. 5, g = 1, views swapped",
        "mean of the last two",
        "NT-Xent",
    ],
).astype({"value": float}).round(6)

# %% [markdown]
# **The check**, against our own lines and against the library.

# %%
agree("Mean of both directions = NT-Xent", both, nt_xent(S))
library = losses.weighted_unsupervised(z1, z2, None, temperature=tau)
agree("Eq. 5 with g = 1 here = losses, H=None", eq5_unit(S), library)
library = losses.nt_xent(z1, z2, temperature=tau)
agree("NT-Xent here = losses.nt_xent", nt_xent(S), library)
library = losses.info_nce(z1, z2, temperature=tau)
agree("Eq. 3 here = losses.info_nce", eq3(S), library)
library = losses.cmc(z1, z2, temperature=tau)
agree("Eq. 3 both ways = losses.cmc", (eq3(S) + eq3(swapped)) / 2, library)
assert eq3(S) < eq5_unit(S)

# %% [markdown]
# So Eq. 3, which the paper writes down with SimCLR as its source, is not SimCLR's loss
# either. It is one half of contrastive multiview coding {cite:p}`tian2019cmc`, the in-batch form
# of Info-NCE {cite:p}`oord2018` with negatives from the other view only.
#
# ### Where it breaks: nobody can choose $g \equiv 1$
#
# Above we put $g = 1$ by hand. In the paper $g$ is not free, it comes out of the
# network $H$:
#
# $$ g(a, b) = \tfrac12\bigl(e^{1-\cos(a, H(b))} + e^{1-\cos(H(a), b)}\bigr) . $$
#
# :::{prf:proposition} Unit weights mean collapse
# :label: special-collapse
# Let $n \ge 3$. If $g(z_{i,1}, z_{k,j}) = 1$ for all $i \ne k$ and $j \in \{1,2\}$,
# then all $2n$ representations point in the same direction.
# :::
#
# :::{dropdown} Proof
# $g$ is the mean of two numbers $\ge 1$, so both are 1 and both cosines are 1. The
# first says that $H(z_{k,j})$ points along $z_{i,1}$ for every $i \ne k$. So for each
# $k$ the $z_{i,1}$ with $i \ne k$ share a direction, and since $n \ge 3$ these sets
# overlap: all of view 1 has one direction $u$, and so has every $H(z_{k,j})$. The
# second says that $z_{k,j}$ points along $H(z_{i,1})$, which is $u$. (With $n = 2$ a
# network that swaps the two samples escapes.)
# :::
#
# We try a few $H$, among them the paper's own kind, a linear layer and a sigmoid.


# %%
def weights(z1, z2, H):
    """g of Eq. 5 for the anchors of view 1 and the keys of both views."""
    keys = torch.cat([z1, z2])
    a, b = F.normalize(z1, dim=1), F.normalize(keys, dim=1)
    ha, hb = F.normalize(H(z1), dim=1), F.normalize(H(keys), dim=1)
    return ((1 - a @ hb.T).exp() + (1 - ha @ b.T).exp()) / 2


def eq5(z1, z2, H, tau=1.0):
    """Eq. 5: as eq5_unit, with log g added to the negatives' scores."""
    n = len(z1)
    S = others(scores(torch.cat([z1, z2]), tau))[:n]
    own = torch.eye(n, dtype=torch.bool).repeat(1, 2)
    log_g = weights(z1, z2, H).log().masked_fill(own, 0.0)
    return F.cross_entropy(S + log_g, torch.arange(n, 2 * n))


layer = torch.randn(d, d)


def sigmoid_layer(z):
    return (z @ layer).sigmoid()


ray1, ray2 = (torch.rand(n, 1) + 0.1 for _ in range(2))
ray = torch.randn(1, d)  # all rows will be positive multiples of it
cases = {
    "random z, H(z) = z": (z1, z2, lambda z: z),
    "random z, H = sigmoid(linear)": (z1, z2, sigmoid_layer),
    "random z, H = a constant": (z1, z2, lambda z: z1.mean(0).expand_as(z)),
    "all z on one ray, H(z) = z": (ray1 * ray, ray2 * ray, lambda z: z),
}
table = {}
for name, (a, b, H) in cases.items():
    off = ~torch.eye(n, dtype=torch.bool).repeat(1, 2)
    g = weights(a, b, H)[off]
    unit_weights = eq5_unit(scores(torch.cat([a, b])))
    table[name] = [g.min(), g.max(), eq5(a, b, H), unit_weights]
    assert abs(eq5(a, b, H) - losses.weighted_unsupervised(a, b, H)) < 1e-12
    assert -1e-12 < eq5(a, b, H) - unit_weights < 2  # since 1 <= g <= e²
columns = ["smallest g", "largest g", "Eq. 5", "Eq. 5 with g = 1"]
pd.DataFrame(table, index=columns).T.astype(float).round(4)

# %% [markdown]
# Only the last row reaches $g \equiv 1$, and there every representation is the same:
# both losses are $\log(2n-1)$, the value of not knowing anything. "Setting the weights
# to one" is a fine sentence about the *form* of the loss. It is not a setting of the
# *model*, and training cannot reach it without collapse.

# %%
agree("On the ray, Eq. 5 = log(2n - 1)", eq5(a, b, H), math.log(2 * n - 1))

# %% [markdown]
# ### And the public code?
#
# The released code multiplies the positive in the *denominator* by $g$, too, and not the one
# in the numerator. Then any constant $g$, not only $g \equiv 1$, comes out of the fraction:
# it adds $\log g$ to the loss and nothing to the gradient. The code also
# takes its anchors from view 2 and its negatives from view 1 only. So its special case
# is Eq. 3 with the views swapped:

# %%
swapped1 = scores(torch.cat([z2, z1]))
code = losses.weighted_unsupervised(z1, z2, None, preset="released")
agree("Released, g = 1: Eq. 3 with views swapped", code, eq3(swapped1))
agree("which is info_nce(z2, z1)", code, losses.info_nce(z2, z1))

# A constant g that a network can make: H points where no z ever points.
wide1, wide2 = F.pad(z1, (0, 1)), F.pad(z2, (0, 1))  # one more column, all 0
axis = torch.eye(d + 1)[-1]


def orthogonal(z):
    return axis.expand_as(z)  # cos(z, H(z')) = 0, so g = e everywhere


library = losses.weighted_unsupervised(
    wide1,
    wide2,
    orthogonal,
    preset="released",
)
agree("Released with g = e, less log e, is too", library - 1, eq3(swapped1))

# %% [markdown]
# ## SupCon
#
# > **The paper says** (§3.3) that with one label per sample the distance in Eq. 7
# > turns into an indicator, all weights become one, Eq. 7 becomes Eq. 6, and Eq. 6 is
# > exactly SupCon.
# >
# > **We say** the first three steps hold, if one takes the indicator and not the
# > Hamming distance that the experiments declare. The last step does not: Eq. 6 is not
# > the loss of Khosla et al. It is the one later published as SINCERE
# > {cite:p}`feeney2023sincere`.
#
# (The indicator distance is 0 if two label vectors are equal and 1 if they are not.)
#
# Here are both, for a whole batch. The mean over anchors is the one Khosla et al. take.


# %%
def partners(y):
    """Which rows share the class of which, each row itself left out."""
    return (y[:, None] == y) & ~torch.eye(len(y), dtype=torch.bool)


def l_out(S, y):
    """SupCon: -log softmax over all other rows, mean over positives."""
    P = partners(y)
    log_share = others(S).log_softmax(1).masked_fill(~P, 0.0)
    return -(log_share.sum(1) / P.sum(1)).mean()


def sincere(S, y):
    """Eq. 6 for every class: other positives leave the denominator."""
    P = partners(y)
    same = y[:, None] == y
    log_negatives = S.masked_fill(same, -INF).logsumexp(1, keepdim=True)
    terms = F.softplus(log_negatives - S) * P
    return (terms.sum(1) / P.sum(1)).mean()


def eq7(S, Y, indicator=False, self_pairs=False):
    """Eq. 7, label by label; Y is the 0/1 label matrix."""
    c, means = Y.shape[1], []
    dist = (Y[:, None] != Y).sum(2).clamp(max=1 if indicator else c)
    for a in range(c):
        has, lacks = Y[:, a] == 1, Y[:, a] == 0
        negatives = S[has][:, lacks] + dist[has][:, lacks].log()
        positives = S[has][:, has] + (1 - dist[has][:, has] / c).log()
        terms = F.softplus(negatives.logsumexp(1)[:, None] - positives)
        itself = torch.eye(len(terms), dtype=torch.bool)
        means.append(terms[~itself | self_pairs].mean())
    return sum(means) / c


# %% [markdown]
# Three batches of random directions with four classes. Eq. 7 comes in three
# readings: with the indicator, with the Hamming distance between one-hot vectors,
# and with the indicator when a row also counts as its own positive (as the public code
# has it).

# %%
torch.manual_seed(0)
sizes = {"2 2 2 2": [2] * 4, "4 4 4 4": [4] * 4, "8 4 2 2": [8, 4, 2, 2]}
batches = {}
for name, m in sizes.items():
    y = torch.arange(4).repeat_interleave(torch.tensor(m))
    batches[name] = torch.randn(len(y), 5), y

table = {}
for name, (z, y) in batches.items():
    S, Y = scores(z), F.one_hot(y)
    table[name] = {
        "SupCon, L_out": l_out(S, y),
        "SINCERE": sincere(S, y),
        "Eq. 7 indicator": eq7(S, Y, indicator=True),
        "Eq. 7 Hamming": eq7(S, Y),
        "Eq. 7 ind. + self": eq7(S, Y, indicator=True, self_pairs=True),
    }
frame = pd.DataFrame(table).T.rename_axis("rows per class")
frame.astype(float).round(6)

# %% [markdown]
# In the first row three columns agree, in the second two, in the third none. The library gives the same numbers, and its `sup_con_eq6` is Eq. 7 with the indicator.

# %%
self_pairs = losses.Switches(self_pairs=True)
for name, (z, y) in batches.items():
    Y, ours = F.one_hot(y), table[name]
    indicator = losses.weighted_supervised(z, Y, distance="indicator")
    eq6_self = losses.sup_con_eq6(z, Y, preset=self_pairs)
    from_library = {
        "SupCon, L_out": losses.sup_con(z, y, temperature=1.0),
        "Eq. 7 indicator": indicator,
        "Eq. 7 Hamming": losses.weighted_supervised(z, Y),
        "Eq. 7 ind. + self": eq6_self,
    }
    for column, value in from_library.items():
        assert abs(ours[column] - value) < 1e-12
    assert abs(indicator - losses.sup_con_eq6(z, Y)) < 1e-12
print("All batches: our lines = herocon_lite.losses, to 1e-12.")

# %% [markdown]
# :::{prf:proposition} When Eq. 7 is SupCon
# :label: special-supcon
# Let every row have one class, let there be at least two classes and at least two
# rows in each. Take Eq. 7 with the indicator distance, without self pairs, at the
# temperature of $L_{\text{out}}$. Then
#
# 1. Eq. 7 is the mean over classes of Eq. 6;
# 2. it equals $L_{\text{out}}$ (mean over anchors) for all representations **if and
#    only if every class has exactly two rows**.
# :::
#
# :::{dropdown} Proof
# *1.* Two rows with label $a$ have equal one-hot vectors: distance 0, $\sigma = 1$. A
# row with label $a$ and one without it differ: $\gamma = 1$.
#
# *2, if.* Anchor $i$ has one partner $p$. "All rows but $i$" is then "$p$ and the
# other classes", so both losses have the same term. There are as many ordered pairs as
# rows, and equally many in each class, so both means are the plain mean.
#
# *2, only if.* Let all rows of a class coincide, and let any two classes have the same
# cosine $\rho$. Put $q = e^{(\rho-1)/\tau}$, let class $a$ have $m_a$ rows, $n$ in all,
# $K$ classes. Then
#
# $$
# \begin{aligned}
# L_{\text{out}} &= \sum_a \tfrac{m_a}{n} \log\bigl(m_a - 1 + (n - m_a)\,q\bigr), \\
# \text{Eq. 7} &= \sum_a \tfrac1K \log\bigl(1 + (n - m_a)\,q\bigr) .
# \end{aligned}
# $$
#
# If they agree for all representations, they agree for all $q$ in an interval, and
# being analytic in $q$, for all $q > 0$. Let $q \to 0$: the second goes to 0, the
# first to $\sum_a \frac{m_a}{n}\log(m_a-1)$, a sum of terms $\ge 0$ that vanishes
# only if every $m_a = 2$.
# :::

# %%
z, y = batches["2 2 2 2"]
Y = F.one_hot(y)
for tau in (1.0, 0.1):
    S = scores(z, tau)
    claim = f"Two rows per class, tau = {tau}: Eq. 7 = L_out"
    agree(claim, eq7(S, Y, indicator=True), l_out(S, y))
for name in ("4 4 4 4", "8 4 2 2"):
    gap = table[name]["SupCon, L_out"] - table[name]["Eq. 7 indicator"]
    assert gap > 0.01
    print(f"{name}: L_out is larger by {gap:.4f}")

# %% [markdown]
# ### More rows per class
#
# The proof's example makes a good picture. Let the classes be orthonormal: rows of
# one class coincide, rows of different classes have cosine 0. That is a batch a
# supervised loss should be happy with. With $K$ classes of $m$ rows,
#
# $$ L_{\text{out}} = \log\bigl(m-1 + (K-1)\,m\,e^{-1/\tau}\bigr), \qquad
# \text{Eq. 6} = \log\bigl(1 + (K-1)\,m\,e^{-1/\tau}\bigr) , $$
#
# and Eq. 7 with the Hamming distance has $2(K-1)$ in place of $K-1$. Lines are these
# formulas, dots come from `herocon_lite.losses`.

# %% mystnb={"image": {"alt": "Two panels, loss against rows per class m from 2 to 64 on a logarithmic axis, for four orthonormal classes. At temperature 1 all three losses grow with m, L_out fastest, Hamming above the indicator. At temperature 0.1 L_out climbs from 0 to about 4, on top of the dotted floor log(m - 1), while both forms of Eq. 7 stay at 0. L_out and Eq. 7 with the indicator meet at m = 2."}}
K, ms = 4, [2, 4, 8, 16, 32, 64]
fine = torch.logspace(1, 6, 100, base=2)
fig, axes = plt.subplots(1, 2, figsize=(8.2, 3.7), sharey=True)
for ax, tau in zip(axes, (1.0, 0.1), strict=True):
    q = math.exp(-1 / tau)
    curves = {
        r"$L_{out}$ (SupCon)": (fine - 1 + (K - 1) * fine * q).log(),
        "Eq. 7, Hamming": (1 + 2 * (K - 1) * fine * q).log(),
        "Eq. 6 = Eq. 7, indicator": (1 + (K - 1) * fine * q).log(),
    }
    dots = [[], [], []]
    for m in ms:
        y = torch.arange(K).repeat_interleave(m)
        z, Y = torch.eye(K)[y], F.one_hot(y)
        dots[0].append(losses.sup_con(z, y, tau))
        dots[1].append(losses.weighted_supervised(z, Y, tau))
        dots[2].append(losses.sup_con_eq6(z, Y, tau))
        others_sum = (K - 1) * m * q
        assert abs(dots[0][-1] - math.log(m - 1 + others_sum)) < 1e-12
        assert abs(dots[1][-1] - math.log1p(2 * others_sum)) < 1e-12
        assert abs(dots[2][-1] - math.log1p(others_sum)) < 1e-12
    for number, (name, line) in enumerate(curves.items()):
        ax.plot(fine, line, color=f"C{number}", label=name)
        ax.plot(ms, dots[number], "os^"[number], color=f"C{number}")
    ax.plot(fine, (fine - 1).log(), "k:", lw=1.5, label="floor log(m − 1)")
    ax.set_xscale("log", base=2)
    ax.set_xticks(ms, ms)
    ax.set_xlabel("rows per class m (count)")
    ax.set_title(f"temperature τ = {tau:g}")
axes[0].set_ylabel("loss (nats)")
axes[0].legend(fontsize=9)
plt.show()
print("Closed forms = herocon_lite.losses at every dot, to 1e-12.")

# %% [markdown]
# At $\tau = 0.1$ Eq. 6 calls this batch solved. $L_{\text{out}}$ cannot: its other
# positives stay in the denominator, and by Jensen's inequality it never goes below
# $\log(m-1)$, whatever the representation. A floor is no fault as such, since a constant
# has no gradient. But values of the two losses cannot be compared, and the next
# section shows that the extra terms do have a gradient.

# %% [markdown]
# ### What the other positives do
#
# :::{prf:proposition} Pull and push inside a class
# :label: special-repulsion
# Let $w_{ip}$ be the softmax share of $p$ among all rows but $i$. For rows $i \ne p$ of
# one class with $|P(i)|$ partners,
#
# $$ \frac{\partial L_{\text{out}}}{\partial s_{ip}} =
# \frac1n\Bigl(w_{ip} - \frac1{|P(i)|}\Bigr), \qquad
# \frac{\partial\,\text{SINCERE}}{\partial s_{ip}} =
# -\frac{1 - \pi_{ip}}{n\,|P(i)|} < 0, $$
#
# with $\pi_{ip} = f_{ip}/(f_{ip} + \sum_{k \in \text{other classes}} f_{ik})$. So SupCon
# *pushes* a partner away once it takes more than its fair share; Eq. 6 never does.
# :::
#
# :::{dropdown} Proof
# The terms of anchor $i$ in $L_{\text{out}}$ sum up to
# $\log\sum_{k\ne i} e^{s_{ik}} - \frac1{|P(i)|}\sum_{p} s_{ip}$; differentiate. In
# SINCERE $s_{ip}$ occurs only in the term of the pair $(i,p)$, which is
# $-\frac{1}{n|P(i)|}\log\pi_{ip}$.
# :::
#
# Two classes of four rows in three dimensions, $\tau = 0.1$:

# %% mystnb={"image": {"alt": "Two 8 by 8 tables of derivatives for two classes of four rows. Left, SupCon: inside the two same-class blocks most cells are blue (pulled), some are orange (pushed). Right, Eq. 6: every same-class cell is blue; outside the blocks both losses push."}}
from matplotlib.colors import LinearSegmentedColormap

torch.manual_seed(4)
z, y = torch.randn(8, 3), torch.tensor([0] * 4 + [1] * 4)
P = partners(y)
forces = []
for loss in (l_out, sincere):
    S = scores(z, tau=0.1).requires_grad_()
    forces.append(torch.autograd.grad(loss(S, y), S)[0])

blue_to_orange = LinearSegmentedColormap.from_list("", [PULL, "white", PUSH])
fig, axes = plt.subplots(1, 2, figsize=(8.2, 3.7))
titles = r"$L_{out}$ (SupCon)", "Eq. 6 (SINCERE)"
for ax, title, force in zip(axes, titles, forces, strict=True):
    picture = ax.imshow(force, cmap=blue_to_orange, vmin=-0.05, vmax=0.05)
    for i, k in (P & (force > 1e-12)).nonzero().tolist():
        ax.text(k, i, "push", fontsize=8, **MIDDLE)
    for corner in (-0.5, 3.5):
        block = plt.Rectangle((corner, corner), 4, 4, fill=False, lw=1.5)
        ax.add_patch(block)
    ax.set_xticks(range(8), row_names)
    ax.set_yticks(range(8), row_names)
    ax.set(title=title, xlabel="key k (row)", ylabel="anchor i (row)")
label = r"$\partial L/\partial s_{ik}$ (nats per unit)"
fig.colorbar(picture, ax=axes, extend="both", label=label)
plt.show()

# %%
supcon, eq6_force = forces
share = others(scores(z, 0.1)).softmax(1)
assert (supcon - (share - 1 / 3) / 8)[P].abs().max() < 1e-12
print("The formula for L_out matches autograd to 1e-12.")
pushed = [int((force[P] > 1e-12).sum()) for force in forces]
print(f"Same-class pairs pushed, of {int(P.sum())} ordered pairs:")
print(f"L_out {pushed[0]}, Eq. 6 {pushed[1]}.")
assert pushed[0] > 0 and (eq6_force[P] <= 0).all()

# %% [markdown]
# (These are derivatives by the score as anchor $i$ sees it; a cosine enters twice, once
# from each side.) In fairness, the HeroCon paper wrote down something that can be argued
# to be *better* than what it meant to generalise: that is the argument of the SINCERE
# paper. The other side: SupCon's push levels the partners out, so that no near one is
# favoured over the far ones. Which is better is a question for experiments. That they
# are two losses is not.
#
# ### Three more differences, one by one
#
# **Hamming on one-hot vectors.** Two different one-hot vectors differ in *two* places, so
# $\gamma = 2$, always. That is a margin: doubling all negatives is the same as
# lowering every positive cosine by $\tau \log 2$, and each term grows by
# $\log\frac{1 + 2r}{1 + r}$, between $0$ and $\log 2$ ($r$: negatives over positive).
#
# **Class balance.** Eq. 7 gives every class the weight $1/c$, SupCon and SINCERE give it
# its share of the rows. On unequal classes these differ, and neither is wrong: with Eq. 7
# a row of a small class counts more.

# %%
z, y = batches["8 4 2 2"]
S, Y = scores(z), F.one_hot(y)
margin = S - math.log(2) * partners(y)  # a score is cos / tau
agree("Hamming = margin log 2", eq7(S, Y), eq7(margin, Y, indicator=True))
growth = eq7(S, Y) - eq7(S, Y, indicator=True)
assert 0 < growth < math.log(2)
print(f"It adds {growth:.4f}, less than log 2 = {math.log(2):.4f}.")

count = torch.bincount(y)
per_class = []
for a in range(4):
    one_label = (y == a).long()[:, None]
    per_class.append(losses.sup_con_eq6(z, one_label))
per_class = torch.stack(per_class)
by_rows = (per_class * count).sum() / len(y)
indicator = eq7(S, Y, indicator=True)
agree("Mean over classes = Eq. 7", per_class.mean(), indicator)
agree("Mean over rows = SINCERE", by_rows, sincere(S, y))
frame = pd.DataFrame({"rows": count, "Eq. 6": per_class})
frame["weight in Eq. 7"] = 1 / 4
frame["weight in SINCERE"] = count / len(y)
frame.rename_axis("class").round(4)

# %% [markdown]
# **One label only** ($c = 1$), the binary setting in which the paper introduces Eq. 6.
# Now Hamming and indicator agree ($\gamma = 1$), so that worry is gone. But $P(a)$ holds
# the rows *with* the label: class 0 gives no anchors, and nothing draws its rows
# together. Exchanging the names of the classes changes the loss.

# %%
torch.manual_seed(1)
z, y = torch.randn(12, 5), torch.tensor([0] * 6 + [1] * 6)
S, ones, zeros = scores(z), y[:, None], 1 - y[:, None]
two_labels = eq7(S, F.one_hot(y), indicator=True)
binary = {
    "Eq. 7, c = 1": eq7(S, ones),
    "Eq. 7, c = 1, classes renamed": eq7(S, zeros),
    "Eq. 7, c = 2 (one-hot), indicator": two_labels,
    "SupCon, L_out": l_out(S, y),
}
mean = (eq7(S, ones) + eq7(S, zeros)) / 2
agree("c = 2 is the mean of the two c = 1", mean, two_labels)
S.requires_grad_()
(force,) = torch.autograd.grad(eq7(S, ones), S)
assert (force[:6] == 0).all() and (force[6:, :6] > 0).all()
assert abs(eq7(S, ones) - eq7(S, ones, indicator=True)) < 1e-12
print("With c = 1 no row of class 0 is an anchor; all are only pushed.")
pd.DataFrame({"value": binary}).astype(float).round(4)

# %% [markdown]
# ### What survives
#
# One case of {prf:ref}`special-supcon` is worth more than it seems. Let every sample be a
# class of its own and let its two views be the class's two rows. Then every class has
# exactly two rows, and Eq. 7 is $L_{\text{out}}$, which is now NT-Xent. So the *form* of
# Eq. 7, the supervised loss, contains SimCLR, exactly and with no second direction to add.
# (The paper feeds it one row a sample, both views side by side; here, as in SupCon, each
# view is a row.)

# %%
sample = torch.arange(n).repeat(2)  # n samples, view 1 and then view 2
rows, simclr = torch.cat([z1, z2]), losses.nt_xent(z1, z2, 0.5)
one_hot = F.one_hot(sample)
own = losses.weighted_supervised(rows, one_hot, 0.5, distance="indicator")
agree("Eq. 7, sample = class, is NT-Xent", own, simclr)
own = losses.sup_con(rows, sample, 0.5)
agree("L_out, sample = class, is NT-Xent", own, simclr)

# %% [markdown]
# ## MulSupCon: the multi-label loss that does contain SupCon
#
# MulSupCon {cite:p}`zhang2024mulsupcon` came two years later. For each label of each
# anchor it takes one full SupCon term, denominator and all, and averages. There are no
# weights inside the logarithm. With one label per row nothing is left to average, and it
# *is* $L_{\text{out}}$, for classes of any size.


# %%
def mul_sup_con(S, Y):
    """One L_out for every label that an anchor has, averaged over those."""
    log_share = others(S).log_softmax(1)
    total = 0
    for a in range(Y.shape[1]):
        has = Y[:, a] == 1
        itself = torch.eye(int(has.sum()), dtype=torch.bool)
        log_positives = log_share[has][:, has].masked_fill(itself, 0.0)
        total = total - log_positives.sum() / (has.sum() - 1)
    return total / Y.sum()


for name, (z, y) in batches.items():
    S, Y = scores(z), F.one_hot(y)
    agree(f"{name}: MulSupCon = L_out", mul_sup_con(S, Y), l_out(S, y))
    library = losses.mul_sup_con(z, Y, temperature=1.0)
    assert abs(library - mul_sup_con(S, Y)) < 1e-12

# %% [markdown]
# On a batch with several labels per row the two part ways. Eight rows, three labels; we
# ask each loss what it does to a pair that shares 0, 1 or 2 labels.

# %%
labels = ["a", "a", "ab", "b", "b", "bc", "c", "abc"]
Y = torch.tensor([[int(a in row) for a in "abc"] for row in labels])
torch.manual_seed(2)
z = torch.randn(8, 5)
shared = Y @ Y.T
rows = {}
for name, loss in {"MulSupCon": mul_sup_con, "Eq. 7": eq7}.items():
    S = scores(z, tau=0.5).requires_grad_()
    value = loss(S, Y)
    (force,) = torch.autograd.grad(value, S)
    for t in range(3):
        chosen = force[(shared == t) & ~torch.eye(8, dtype=torch.bool)]
        rows.setdefault(t, {"ordered pairs": len(chosen)})
        rows[t][f"{name}: mean derivative"] = chosen.mean().item()
        rows[t][f"{name}: pairs pushed"] = int((chosen > 1e-12).sum())
    print(f"{name}: {value:.4f}")
frame = pd.DataFrame(rows).T.rename_axis("labels shared")
whole = {c: int for c in frame if "pairs" in c}
frame.round(4).astype(whole)

# %% [markdown]
# Both pull harder the more labels a pair shares, simply because such a pair takes part in
# more terms. And with several labels Eq. 7 loses its clean record: a row that shares label
# $a$ with the anchor and lacks its label $b$ is a positive for $a$ and a negative for $b$,
# and the second may win.

# %% [markdown]
# ## The public code: seven switches
#
# The released code departs from Eq. 5 and Eq. 7 in seven points. Each is a switch in
# `losses.Switches` (the seventh is the `distance` argument). One batch, eight rows with
# the labels above, two views, each switch turned alone:

# %%
z1, z2, layer = torch.randn(8, 5), torch.randn(8, 5), torch.randn(5, 5)
s = torch.cat([z1, z2], dim=1)  # the paper's S: both views side by side


def H(z):
    return (z @ layer).sigmoid()


def both_losses(preset, distance="hamming"):
    L_u = losses.weighted_unsupervised(z1, z2, H, preset=preset)
    L_s = losses.weighted_supervised(s, Y, preset=preset, distance=distance)
    return {"L_u": L_u.item(), "L_s": L_s.item()}


table = {"the paper: all off": both_losses("paper")}
for switch in fields(losses.Switches):
    alone = losses.Switches(**{switch.name: True})
    table[switch.name] = both_losses(alone)
table['distance="indicator"'] = both_losses("paper", "indicator")
table['preset="released"'] = both_losses("released")
frame = pd.DataFrame(table).T.rename_axis("switch")
change = frame - frame.iloc[0]
frame["change of L_u"], frame["change of L_s"] = change["L_u"], change["L_s"]
frame.round(4) + 0.0

# %% [markdown]
# In words, from top to bottom:
#
# - **positive_weighted**: $g$ also multiplies the positive in the denominator. A constant
#   $g$ then only adds $\log g$, as we saw above.
# - **transposed**: in one half of $g$ the two samples change places.
# - **view2_anchors**: anchors from view 2, negatives from view 1 only. Half as many
#   negatives, so of the three this one moves $L_u$ most.
# - **label_sum**: a sum over labels instead of a mean. Exactly $c$ times Eq. 7, so the
#   trade-off $\beta$ counts $c$ times as much.
# - **self_pairs**: a row is its own positive. Its cosine is 1 whatever the network does,
#   so these terms pull nothing; they only push negatives.
# - **gamma_by_cardinality**: $\gamma$ divided by the mean number of labels per row, in one
#   file of the code. On one-hot labels it does nothing.
# - **indicator**: distance 1 between all rows whose labels differ, so all $\gamma = 1$, and
#   $\sigma = 1 - 1/c$ for such a pair; what the code uses when each row has one class.
#
# `preset="released"` turns five of them on: `gamma_by_cardinality` stands in a branch that no
# published command runs, and the indicator is for classes.
#
# On one-hot labels the code's supervised loss is thus a special case we can name: $c$ times
# Eq. 6 with self pairs. (The code also subtracts constants, which change its printed values
# and no gradient; we leave them out.)

# %%
c = Y.shape[1]
paper = table["the paper: all off"]["L_s"]
agree("label_sum = c * paper", table["label_sum"]["L_s"], c * paper)
released = table['preset="released"']["L_s"]
alone = table["self_pairs"]["L_s"]
agree("released = c * self_pairs", released, c * alone)

z, y = batches["8 4 2 2"]
S, one_hot = scores(z), F.one_hot(y)
code = losses.weighted_supervised(z, one_hot, 1.0, "released", "indicator")
eq6_self = eq7(S, one_hot, indicator=True, self_pairs=True)
agree("released, one-hot = c * (Eq. 6 with self)", code, 4 * eq6_self)

by_cardinality = losses.Switches(gamma_by_cardinality=True)
same = losses.weighted_supervised(z, one_hot, preset=by_cardinality)
agree("gamma_by_cardinality does nothing there", same, eq7(S, one_hot))

# %% [markdown]
# ## Two relatives that keep NT-Xent inside
#
# HeroCon's weights are meant for false negatives. Two other losses start from the same worry: the
# debiased loss (DCL, {cite:p}`chuang2020dcl`) subtracts the false negatives one expects,
# and the hard-negative loss (HCL, {cite:p}`robinson2021hcl`) gives near negatives more
# weight on top. For both, NT-Xent is a *setting*: $\tau^+ = 0$ and $\beta = 0$ (HCL's own
# $\beta$, not the weight of $L_s$).
#
# With $N = 2n - 2$ negatives of anchor $i$ and $w_k = f_{ik}^\beta$, the negatives' sum is
# replaced by
#
# $$ \max\Bigl\{\frac1{1-\tau^+}\Bigl(N \frac{\sum_k w_k f_{ik}}{\sum_k w_k}
# - \tau^+ N f_i^+\Bigr),\; N e^{-1/\tau}\Bigr\} , $$
#
# where $f_i^+$ is the positive. At $\tau^+ = \beta = 0$ the first entry is
# $\sum_k f_{ik}$, and since $f \ge e^{-1/\tau}$ it is never below the second.


# %%
def hard_negative(S, tau, tau_plus, beta):
    """HCL by its formula; beta = 0 is DCL. S: scores of two views."""
    N, n = len(S) - 2, len(S) // 2
    rows = torch.arange(2 * n)
    positive = S[rows, rows.roll(n)].exp()
    f = others(S).exp()
    f[rows, rows.roll(n)] = 0.0  # negatives only
    w = f**beta * (f > 0)
    total = N * (w * f).sum(1) / w.sum(1) - tau_plus * N * positive
    total = (total / (1 - tau_plus)).clamp(min=N * math.exp(-1 / tau))
    return (1 + total / positive).log().mean()


torch.manual_seed(3)
z1 = torch.randn(16, 6)
z2 = z1 + 0.5 * torch.randn(16, 6)  # views that resemble each other
S = scores(torch.cat([z1, z2]), 0.5)
simclr = losses.nt_xent(z1, z2, 0.5)
agree("DCL, tau_plus = 0", losses.debiased(z1, z2, 0.5, 0.0), simclr)
hcl = losses.hard_negative(z1, z2, 0.5, tau_plus=0.0, beta=0.0)
agree("HCL, tau_plus = beta = 0", hcl, simclr)

table = {"NT-Xent": simclr}
settings = ("DCL", 0.1, 0), ("HCL", 0, 1), ("both", 0.1, 1)
for name, tau_plus, beta in settings:
    value = losses.hard_negative(z1, z2, 0.5, tau_plus, beta)
    assert abs(value - hard_negative(S, 0.5, tau_plus, beta)) < 1e-12
    table[f"{name}: tau_plus = {tau_plus}, beta = {beta}"] = value
weighted = losses.over_pairs(
    losses.weighted_unsupervised,
    [z1, z2],
    H=lambda z: z,
    temperature=0.5,
)
table["Eq. 5 both ways, H(z) = z"] = weighted
frame = pd.DataFrame({"value": table}).astype(float)
frame["less NT-Xent"] = frame["value"] - float(simclr)
frame.round(4)

# %% [markdown]
# The signs tell the three ideas apart. DCL *takes away* from the negatives, so it lies
# below NT-Xent here. HCL at $\tau^+ = 0$ lies above, always, since large $f$ get large
# weights. Eq. 5 lies above too, for another reason: $g \ge 1$, so it can shift weight
# between negatives but never lower their sum.

# %% [markdown]
# ## The map
#
# Every arrow below was checked in this chapter to $10^{-12}$. A solid arrow needs a choice
# of settings or labels, a mean over both directions or a constant factor, no more. A dashed one holds under a condition that ordinary
# training does not meet. (Eq. 6 stands for its mean over classes; SINCERE's mean over rows
# is the same if the classes are equally large.)

# %% mystnb={"image": {"alt": "A map of twelve losses in four columns and three rows, with arrows. Top row: MulSupCon leads to SupCon with one-hot labels; SupCon leads to SimCLR's NT-Xent when every sample is its own class; DCL and HCL lead to NT-Xent with tau plus and beta zero. Middle row: Eq. 7 leads to Eq. 6 with one-hot labels and the indicator; Eq. 6 leads up to SupCon only with two rows per class (dashed); Eq. 5 leads to Eq. 5 with g = 1 only by hand (dashed), which leads up to NT-Xent as the mean of both directions. Bottom row: the released L_s is joined to Eq. 7; the released L_u leads to Eq. 3 when g is constant; Eq. 3 leads to CMC as the mean of both directions."}} tags=["hide-input"]
SUP, UNSUP = "#DCEAF5", "#FBE6D8"
nodes = {
    "mul": (0, 2, "MulSupCon", SUP),
    "out": (1, 2, "SupCon\n$L_{out}$", SUP),
    "nt": (2, 2, "SimCLR\nNT-Xent", UNSUP),
    "dcl": (3, 2, "DCL, HCL", UNSUP),
    "eq7": (0, 1, "HeroCon $L_s$\nEq. 7", SUP),
    "eq6": (1, 1, "Eq. 6\n(SINCERE)", SUP),
    "one": (2, 1, "one direction\nof NT-Xent", UNSUP),
    "eq5": (3, 1, "HeroCon $L_u$\nEq. 5", UNSUP),
    "rs": (0, 0, "released\n$L_s$", SUP),
    "cmc": (1, 0, "CMC", UNSUP),
    "eq3": (2, 0, "Info-NCE\nEq. 3", UNSUP),
    "ru": (3, 0, "released\n$L_u$", UNSUP),
}
edges = [
    ("mul", "out", "one-hot\nlabels", "-"),
    ("out", "nt", "sample =\nclass", "-"),
    ("dcl", "nt", "$τ^+ = 0$\n$β = 0$", "-"),
    ("eq7", "eq6", "one-hot,\nindicator", "-"),
    ("eq6", "out", "two rows\nin each class", "--"),
    ("eq5", "one", "$g = 1$\n(by hand)", "--"),
    ("one", "nt", "mean of both\ndirections", "-"),
    ("rs", "eq7", "÷ c, no\nself pairs", "-"),
    ("eq3", "cmc", "both\nways", "-"),
    ("ru", "eq3", "constant $g$\n(view 2 → 1)", "--"),
]
X, HEIGHT, W, T = 2.75, 1.75, 0.72, 0.36  # grid, half width, half height
fig, ax = plt.subplots(figsize=(8.4, 4.6))
for x, height, text, colour in nodes.values():
    corner = x * X - W, height * HEIGHT - T
    box = plt.Rectangle(corner, 2 * W, 2 * T, fc=colour, ec="0.3", lw=1)
    ax.add_patch(box)
    ax.text(x * X, height * HEIGHT, text, fontsize=10, **MIDDLE)
for start, end, text, style in edges:
    (x0, y0, *_), (x1, y1, *_) = nodes[start], nodes[end]
    dx, dy = x1 - x0, y1 - y0
    tail = x0 * X + dx * W, y0 * HEIGHT + dy * T
    head = x1 * X - dx * W, y1 * HEIGHT - dy * T
    colour = "#B04A00" if style == "--" else "0.2"
    arrow = dict(arrowstyle="-|>", ls=style, color=colour, lw=1.5)
    arrow |= dict(shrinkA=1, shrinkB=1)
    ax.annotate("", head, tail, arrowprops=arrow)
    x, height = (tail[0] + head[0]) / 2, (tail[1] + head[1]) / 2
    if dx:  # the words stand above a level arrow, beside an upright one
        height, across, up = height + 0.07, "center", "bottom"
    else:
        x, across, up = x + 0.12, "left", "center"
    ax.text(x, height, text, fontsize=9, color=colour, ha=across, va=up)
for colour, name in ((SUP, "with labels"), (UNSUP, "without labels")):
    ax.plot([], [], "s", ms=10, color=colour, mec="0.3", label=name)
ax.plot([], [], "-", color="0.2", label="by choice")
ax.plot([], [], "--", color="#B04A00", label="under a condition")
ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=4)
ax.set_xlim(-W - 0.1, 3 * X + W + 0.1)
ax.set_ylim(-T - 0.1, 2 * HEIGHT + T + 0.1)
ax.axis("off")
plt.show()

# %% [markdown]
# ## What we learnt
#
# - **SimCLR: true with one added step.** Eq. 5 with $g \equiv 1$ is one direction of
#   NT-Xent, the mean of both is NT-Xent. But $g \equiv 1$ is a statement about the formula:
#   no network $H$ gives it unless the representations have collapsed.
# - **SupCon: not as stated, but true for two rows per class.** Eq. 7 on one-hot labels with the
#   indicator is Eq. 6, and that is SINCERE, averaged over classes. With the Hamming distance
#   it has a margin of $\tau\log2$ besides.
# - **The difference does not count against the paper.** Eq. 6 never pushes rows of one class apart,
#   SupCon does. It is another loss, and perhaps a better one.
# - Consequently a table in which "SupCon" means Eq. 6 compares HeroCon with a relative of
#   SupCon. In our own tables the row *SupCon* is Khosla's loss where rows have several labels
#   ([chapter 9](scene.ipynb)), and Eq. 6, as in the paper, where they have one class
#   ([chapter 10](speech.ipynb)); each page says so.
#
# ## Exercises
#
# :::{exercise} A class with a single row
# :label: special-ex-single
# Take $p$ classes with two rows and $r$ classes with only one. Such a lonely row has no
# partner: it adds 0 to $L_{\text{out}}$ and still counts in $n$; its label adds 0 to Eq. 7
# and still counts in $c$. Are the two losses still equal? If not, what is their ratio?
# :::
#
# :::{dropdown} Solution
# Both are the same sum of terms, divided by different counts.
# :::

# %% tags=["hide-cell"]
torch.manual_seed(5)
p, r = 4, 3
y = torch.cat([torch.arange(p).repeat(2), p + torch.arange(r)])
z = torch.randn(len(y), 5)
supcon = losses.sup_con(z, y, temperature=1.0)
eq7_value = losses.weighted_supervised(z, F.one_hot(y), distance="indicator")
# L_out = 2p/(2p + r) · mean term, Eq. 7 = p/(p + r) · mean term
ratio = (2 * p + r) / (2 * p + 2 * r)
agree("Eq. 7 / L_out = (2p + r) / (2p + 2r)", eq7_value / supcon, ratio)
assert eq7_value < supcon

# %% [markdown]
# :::{exercise} Weights that know nothing
# :label: special-ex-orthogonal
# Let $H$ point in a direction that is orthogonal to all representations, as `orthogonal`
# above, so that $g \equiv e$. In the released code such weights drop out. What do they do in
# Eq. 5 as printed, where the positive keeps weight one? Write it as a change of the scores.
# :::
#
# :::{dropdown} Solution
# As with the Hamming distance, a margin: each positive score is lowered by one.
# :::

# %% tags=["hide-cell"]
tau = 0.5
wide1, wide2 = F.pad(z1, (0, 1)), F.pad(z2, (0, 1))
axis = torch.eye(wide1.shape[1])[-1]
weighted = losses.weighted_unsupervised(wide1, wide2, orthogonal, tau)
S = scores(torch.cat([z1, z2]), tau)
m = len(z1)
lowered = S.clone()
lowered[torch.arange(m), torch.arange(m, 2 * m)] -= 1  # cosine less tau
agree("g = e is a margin of tau on the cosine", weighted, eq5_unit(lowered))

# %% [markdown]
# :::{exercise} A temperature without repulsion
# :label: special-ex-temperature
# {prf:ref}`special-repulsion` says when SupCon pushes a same-class pair. Show that for a
# balanced batch of $n$ rows, $m \ge 3$ per class, this is impossible if
# $\tau \ge 2/\log\frac{n-2}{m-2}$, and that the bound is sharp.
# :::
#
# :::{dropdown} Solution
# The share $w_{ip}$ is largest when $p$ is on top of the anchor (score
# $1/\tau$) and all other $n-2$ rows lie opposite (score $-1/\tau$). Then $w_{ip} > 1/(m-1)$
# means $(m-2)\,e^{2/\tau} > n-2$.
# :::

# %% tags=["hide-cell"]
y = torch.tensor([0] * 4 + [1] * 4)
P, limit = partners(y), 2 / math.log((8 - 2) / (4 - 2))
worst = torch.tensor([[1.0], [1.0]] + [[-1.0]] * 6)  # p on i, rest opposite


def pushed_pairs(z, tau):
    S = scores(z, tau).requires_grad_()
    return int((torch.autograd.grad(l_out(S, y), S)[0][P] > 1e-12).sum())


assert pushed_pairs(worst, limit + 0.01) == 0
assert pushed_pairs(worst, limit - 0.01) > 0
assert all(pushed_pairs(torch.randn(8, 3), limit) == 0 for _ in range(300))
print(f"n = 8, m = 4: no repulsion from tau = {limit:.3f} on.")
print("300 random batches at that tau: no pair pushed.")
