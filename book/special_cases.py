# %% [markdown]
# # Are SimCLR and SupCon special cases?

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show set-up and checks", "code_prompt_hide": "Hide set-up and checks"}
import math

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from matplotlib.colors import LinearSegmentedColormap, ListedColormap

from herocon_lite import losses, theory
from herocon_lite.repro import plots
from herocon_lite.repro.chapter import Checks, answer, attempt, badges, say
from herocon_lite.repro.text import table

plt.style.use("herocon_lite.repro.book")
torch.set_default_dtype(torch.float64)  # "equal" means to 1e-12
INF, tight = math.inf, {"rtol": 0, "atol": 1e-12}
check = Checks()


def scores(z, tau=1.0):
    """The table of cos(z_i, z_k) / tau, for all rows of z."""
    z = F.normalize(z, dim=1)
    return z @ z.T / tau


def others(S):
    """The table without its diagonal: no row is compared with itself."""
    return S.masked_fill(torch.eye(len(S), dtype=torch.bool), -INF)


def partners(y):
    """Which rows share the class of which, each row itself left out."""
    return (y[:, None] == y) & ~torch.eye(len(y), dtype=torch.bool)


def nt_xent(S):
    """SimCLR: every row is an anchor, compared with all other rows."""
    n = len(S) // 2
    return F.cross_entropy(others(S), torch.arange(2 * n).roll(n))


def eq5_unit(S):
    """Eq. 5 with g = 1: the same, but only view 1 gives anchors."""
    n = len(S) // 2
    return F.cross_entropy(others(S)[:n], torch.arange(n, 2 * n))


def eq3(S):
    """Eq. 3: anchors from view 1, compared with view 2 only."""
    n = len(S) // 2
    return F.cross_entropy(S[:n, n:], torch.arange(n))


def l_out(S, y):
    """SupCon: -log softmax over all other rows, mean over positives."""
    P = partners(y)
    log_share = others(S).log_softmax(1).masked_fill(~P, 0.0)
    return -(log_share.sum(1) / P.sum(1)).mean()


def sincere(S, y):
    """Eq. 6 for every class: other positives leave the denominator."""
    P, same = partners(y), y[:, None] == y
    log_negatives = S.masked_fill(same, -INF).logsumexp(1, keepdim=True)
    terms = F.softplus(log_negatives - S) * P
    return (terms.sum(1) / P.sum(1)).mean()


def eq7(z, y, tau=1.0, distance="indicator"):
    return losses.weighted_supervised(z, F.one_hot(y), tau, "paper", distance)


def equal(a, b):
    return torch.isclose(
        torch.as_tensor(a), torch.as_tensor(b), **tight
    ).item()


torch.manual_seed(0)
n, d = 16, 6
z1, z2 = torch.randn(n, d), torch.randn(n, d)
batches = {}  # samples per class: directions and classes
for m in ([2] * 4, [4] * 4, [8, 4, 2, 2]):
    y = torch.arange(4).repeat_interleave(torch.tensor(m))
    batches[" ".join(map(str, m))] = torch.randn(len(y), 5), y

for tau in (1.0, 0.5, 0.1):
    S, back = (
        scores(torch.cat([z1, z2]), tau),
        scores(torch.cat([z2, z1]), tau),
    )
    both = (eq5_unit(S) + eq5_unit(back)) / 2
    check(
        f"both directions of Eq. 5 are NT-Xent, τ = {tau}",
        equal(both, nt_xent(S)),
    )
    check(
        f"one direction is not, τ = {tau}",
        abs(eq5_unit(S) - nt_xent(S)) > 1e-3,
    )
    check(f"Eq. 3 lies below, τ = {tau}", eq3(S) < eq5_unit(S))
    ours = losses.weighted_unsupervised(z1, z2, None, tau)
    check(f"the library has Eq. 5, τ = {tau}", equal(eq5_unit(S), ours))
    ours = losses.nt_xent(z1, z2, tau), losses.info_nce(z1, z2, tau)
    same = equal(nt_xent(S), ours[0]) and equal(eq3(S), ours[1])
    check(f"and NT-Xent and Eq. 3, τ = {tau}", same)
    for name, (z, y) in batches.items():
        S, two = scores(z, tau), name == "2 2 2 2"
        gap = l_out(S, y) - eq7(z, y, tau)
        check(
            f"{name}, τ = {tau}: Eq. 7 is L_out or not", equal(gap, 0.0) == two
        )
        ours = equal(l_out(S, y), losses.sup_con(z, y, tau))
        check(f"{name}, τ = {tau}: the library has L_out", ours)
        balanced = name != "8 4 2 2"
        found = equal(eq7(z, y, tau), sincere(S, y)) == balanced
        check(f"{name}, τ = {tau}: SINCERE if balanced", found)
badges(check, reads="10 min", runs="10 s")

# %% tags=["remove-input"]
answer("""**SimCLR is, after one step. SupCon is, for exactly two samples
per class.** Eq. 5 with all weights 1 is one of the two directions of
SimCLR's loss, and the mean of both is that loss. But no network $H$ gives
weights of 1 unless the representations collapse. Eq. 7 for classes is Eq.
6, and Eq. 6 keeps the other positives out of the denominator, where SupCon
has them. It was published later under a name of its own, SINCERE, and may
be the better loss. A table in which "SupCon" is Eq. 6 compares HeroCon
with a relative of SupCon.""")

# %% mystnb={"image": {"alt": "Top row: three 6 by 6 tables of anchors against keys. NT-Xent fills everything but the diagonal; Eq. 5 with g = 1 fills the upper three rows of it; Eq. 3 fills only the upper right 3 by 3 block. Bottom row: one anchor with its three positives in turn. L_out pushes the two other positives away together with the four rows of the other class; Eq. 6 leaves them out."}, "figure": {"caption": "Who is pulled (+) and pushed (–), by autograd. Top: losses without labels, samples 1 to 3 in views 1 and 2. Bottom: anchor A1 and each of its positives. *What to see:* Eq. 5 is the upper half of NT-Xent. SupCon pulls one positive and pushes the other two; Eq. 6 does not.", "name": "fig-special-cases-denominators"}} tags=["remove-input"]
PULL, PUSH, NONE = "#0072B2", "#D55E00", "#EEEEEE"
MIDDLE = {"ha": "center", "va": "center"}


def term_out(S, y, i, j):
    """SupCon: the denominator holds every row but the anchor."""
    return others(S)[i].logsumexp(0) - S[i, j]


def term_eq6(S, y, i, j):
    """Eq. 6: the denominator holds j and the rows of other classes."""
    return F.softplus(S[i, y != y[i]].logsumexp(0) - S[i, j])


def derivative(loss, n):
    S = torch.zeros(n, n, requires_grad=True)
    return torch.autograd.grad(loss(S), S)[0]


def draw(ax, shown, title, rows, columns):
    colours = ListedColormap([PULL, NONE, PUSH])
    ax.imshow(shown.sign(), cmap=colours, vmin=-1, vmax=1)
    for i, k in shown.nonzero().tolist():
        sign = "+" if shown[i, k] < 0 else "–"
        ax.text(k, i, sign, color="white", weight="bold", **MIDDLE)
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.set_xticks([k + 0.5 for k in range(len(columns))], minor=True)
    ax.set_yticks([i + 0.5 for i in range(len(rows))], minor=True)
    ax.grid(which="minor", color="white", linewidth=2)
    ax.tick_params(which="both", length=0, labelsize=9)
    ax.spines[:].set_visible(False)
    ax.set_title(title, fontsize=11)


fig = plt.figure(figsize=(8.2, 4.8))
top, bottom = fig.subfigures(2, 1, height_ratios=[1.75, 1])
names = [f"{i},{v}" for v in (1, 2) for i in (1, 2, 3)]  # sample, view
three = (nt_xent, eq5_unit, eq3)
titles = "NT-Xent (SimCLR)", "Eq. 5 with g = 1", "Eq. 3 (Info-NCE)"
for ax, loss, title in zip(top.subplots(1, 3), three, titles, strict=True):
    draw(ax, derivative(loss, 6), title, names, names)
y = torch.tensor([0, 0, 0, 0, 1, 1, 1, 1])
row_names = [f"{a}{i}" for a in "AB" for i in (1, 2, 3, 4)]
axes, inside = bottom.subplots(1, 2), []
titles = r"$L_{out}$ (SupCon), anchor A1", "Eq. 6, anchor A1"
for ax, term, title in zip(axes, (term_out, term_eq6), titles, strict=True):
    forces = []
    for j in (1, 2, 3):
        whole = derivative(lambda S, j=j, term=term: term(S, y, 0, j), 8)
        forces.append(whole[0])
    draw(ax, torch.stack(forces), title, row_names[1:4], row_names)
    inside.append([int((force[1:4] > 0).sum()) for force in forces])
axes[0].set_ylabel("positive", fontsize=9)
legend = {"+ pulled": PULL, "– pushed": PUSH, "not used": NONE}
for label, colour in legend.items():
    axes[0].plot([], [], "s", ms=9, color=colour, label=label)
bottom.legend(loc="outside lower center", ncols=3)
plt.show()
assert inside == [[2, 2, 2], [0, 0, 0]]  # positives that are pushed

# %% [markdown]
# ## A table of scores
#
# All losses here start from one table, the *scores* $s_{ik} = \cos(z_i, z_k)/\tau$ of every
# row with every other row of the batch. Two views of $n$ samples make $2n$ rows. Each loss
# is a cross-entropy on that table. They differ in which rows are anchors, and with which
# columns an anchor is compared:

# %%
n, view2 = len(z1), torch.arange(n, 2 * n)
S = others(scores(torch.cat([z1, z2]), tau=0.5))  # (2n, 2n), no diagonal
simclr = F.cross_entropy(S, torch.arange(2 * n).roll(n))  # all rows
eq5 = F.cross_entropy(S[:n], view2)  # Eq. 5 with g = 1: anchors in view 1
info_nce = F.cross_entropy(S[:n, n:], torch.arange(n))  # against view 2

# %% [markdown]
# ## SimCLR: true after one step
#
# The paper {cite:p}`zheng2022herocon` says that the weighted unsupervised loss becomes
# SimCLR's {cite:p}`chen2020simclr` once all negative pairs have weight one.
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
# the positive, the $n-1$ other rows of view 1 and the $n-1$ other rows of view 2: that of
# Eq. 5. The mean over $2n$ anchors is the mean of the two means over $n$. Eq. 3 leaves
# out $n-1$ positive numbers from each denominator, so each of its terms is smaller.
# :::
#
# So Eq. 3, for which the paper cites SimCLR, is half of contrastive multiview coding
# {cite:p}`tian2019cmc`, the in-batch form of Info-NCE {cite:p}`oord2018`. And in the paper
# $g$ is not free, it comes out of the network $H$:
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
# second says that $z_{k,j}$ points along $H(z_{i,1})$, which is $u$. With $n = 2$ a
# network that swaps the two samples escapes.
# :::

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show the check: four networks H", "code_prompt_hide": "Hide the check"}
layer = torch.randn(d, d)
ray1, ray2 = (torch.rand(n, 1) + 0.1 for _ in range(2))
ray = torch.randn(1, d)  # all rows will be positive multiples of it
cases = {
    "random z, H(z) = z": (z1, z2, lambda z: z),
    "random z, H = sigmoid(linear)": (z1, z2, lambda z: (z @ layer).sigmoid()),
    "random z, H constant": (z1, z2, lambda z: z1.mean(0).expand_as(z)),
    "all z on one ray, H(z) = z": (ray1 * ray, ray2 * ray, lambda z: z),
}
off, rows = ~torch.eye(n, dtype=torch.bool).repeat(1, 2), []
for name, (a, b, H) in cases.items():
    g = theory.weights(a, torch.cat([a, b]), H)[off]
    with_g = losses.weighted_unsupervised(a, b, H)
    unit_g = losses.weighted_unsupervised(a, b, None)
    assert -1e-12 < with_g - unit_g < 2  # since 1 <= g <= e²
    values = (g.min(), g.max(), with_g, unit_g)
    rows.append([name, *(f"{value:.2f}" for value in values)])
assert [row[2] == "1.00" for row in rows] == [False] * 3 + [True]
assert equal(with_g, math.log(2 * n - 1))  # on the ray: nothing is known
swapped = torch.eye(2), torch.eye(2), lambda z: z.flip(0)  # n = 2 escapes
g = theory.weights(swapped[0], torch.cat(swapped[:2]), swapped[2])
assert equal(g[0, 1], 1.0) and equal(g[1, 0], 1.0)
heads = ["representations and H", "smallest g", "largest g", "Eq. 5", "g = 1"]
table(heads, rows, align="lrrrr")

# %% [markdown]
# Only on one ray is $g \equiv 1$. There both losses are $\log(2n-1)$, the value of knowing
# nothing. The special case is one of the formula, not of the trained model.
#
# ## SupCon: true for two samples per class
#
# With one label per sample, the paper says, the distance in Eq. 7 turns into an indicator,
# all weights become one, Eq. 7 becomes Eq. 6, and Eq. 6 is exactly SupCon
# {cite:p}`khosla2020`. The last step does not hold. Khosla et al.'s $L_{\text{out}}$ has
# *every* row but the anchor in its denominator; Eq. 6 has one positive and the negatives, as
# in SINCERE {cite:p}`feeney2023sincere`.
#
# :::{prf:proposition} When Eq. 7 is SupCon
# :label: special-supcon
# Let every row have one class, let there be at least two classes and at least two
# rows in each. Take Eq. 7 with the indicator distance, without self pairs, at the
# temperature of $L_{\text{out}}$. Then, in any dimension $d \ge 1$,
#
# 1. Eq. 7 is the mean over classes of Eq. 6;
# 2. it equals $L_{\text{out}}$ for all representations **if and only if every class has
#    exactly two rows**.
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
# *2, only if.* Put all $n$ rows on one point, which needs no more than one dimension. All
# $f$ are equal and cancel. With $m_a$ rows in class $a$ and $K$ classes,
#
# $$ L_{\text{out}} = \log(n-1), \qquad
# \text{Eq. 7} = \frac1K \sum_a \log(1 + n - m_a) . $$
#
# As $m_a \ge 2$, each term of the second is at most $\log(n-1)$, so the two are equal only
# if every $m_a = 2$.
# :::

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show the check: all rows on one point", "code_prompt_hide": "Hide the check"}
rows = []
for m in ([2, 2], [2, 2, 2], [3, 2], [4, 4, 4], [8, 4, 2, 2]):
    y = torch.arange(len(m)).repeat_interleave(torch.tensor(m))
    point, total, K = torch.ones(len(y), 1), sum(m), len(m)  # d = 1
    out = losses.sup_con(point, y, 0.3)
    ours = eq7(point, y, 0.3)
    gap = theory.collapsed_supcon_gap(m)
    assert equal(out, math.log(total - 1)) and equal(out - ours, gap)
    assert equal(gap, 0.0) == (set(m) == {2})
    wrong = sum(math.log(total - k) for k in m) / K  # n − m for 1 + n − m
    by_rows = sum(k * math.log(1 + total - k) for k in m) / total
    assert not equal(ours, wrong)
    assert equal(ours, by_rows) == (len(set(m)) == 1)  # weights m/n for 1/K
    assert not equal(ours, eq7(point, y, 0.3, "hamming"))
    rows.append([", ".join(map(str, m)), f"{out:.4f}", f"{ours:.4f}"])
    rows[-1].append(f"{gap:.4f}")
table(
    ["samples per class", "L_out", "Eq. 7", "difference"], rows, align="lrrr"
)

# %% [markdown]
# ### What more samples per class do
#
# Let $K$ classes of $m$ samples be orthonormal: one point a class, cosine 0 between
# classes. A supervised loss should have its minimum there. But
#
# $$ L_{\text{out}} = \log\bigl(m-1 + (K-1)\,m\,e^{-1/\tau}\bigr), \qquad
# \text{Eq. 6} = \log\bigl(1 + (K-1)\,m\,e^{-1/\tau}\bigr) . $$
#
# $L_{\text{out}}$ never goes below $\log(m-1)$, whatever the representation. A floor is no
# fault, since a constant has no gradient, but values of the two losses cannot be compared.

# %% mystnb={"image": {"alt": "Two panels, loss against samples per class m from 2 to 64 on a logarithmic axis, for four orthonormal classes. At temperature 1 all three losses grow with m, L_out fastest, Hamming above the indicator. At temperature 0.1 L_out climbs from 0 to about 4, on top of the dotted floor log(m - 1), while both forms of Eq. 7 stay at 0. L_out and Eq. 7 with the indicator meet at m = 2."}, "figure": {"caption": "Four orthonormal classes of m samples; lines are the formulas, dots the library. *What to see:* L_out and Eq. 6 meet at m = 2 only. At τ = 0.1 Eq. 6 is solved, and L_out stands on its floor.", "name": "fig-special-cases-classes"}} tags=["remove-input"]
K, ms = 4, [2, 4, 8, 16, 32, 64]
fine = torch.logspace(1, 6, 60, base=2)
STYLES = {r"$L_{out}$ (SupCon)": "o", "Eq. 7, Hamming": "s", "Eq. 6": "^"}


def closed(m, tau):
    """Three losses at orthonormal classes."""
    q = (K - 1) * m * math.exp(-1 / tau)
    return [(m - 1 + q).log(), (2 * q).log1p(), q.log1p()]


fig, axes = plt.subplots(1, 2, figsize=(8.2, 3.1), sharey=True)
for ax, tau in zip(axes, (1.0, 0.1), strict=True):
    dots = []
    for m in ms:
        y = torch.arange(K).repeat_interleave(m)
        z, Y = torch.eye(K)[y], F.one_hot(y)
        three = [losses.sup_con(z, y, tau)]
        three += [losses.weighted_supervised(z, Y, tau)]
        three += [losses.sup_con_eq6(z, Y, tau)]
        formula = closed(torch.tensor(float(m)), tau)
        assert all(equal(a, b) for a, b in zip(three, formula, strict=True))
        assert equal(three[0], three[2]) == (m == 2)
        dots.append(three)
    columns = list(zip(*dots, strict=True))
    lines = zip(STYLES.items(), closed(fine, tau), columns, strict=True)
    for number, ((name, mark), line, dot) in enumerate(lines):
        ax.plot(fine, line, color=f"C{number}", label=name)
        ax.plot(ms, dot, mark, color=f"C{number}")
    ax.plot(fine, (fine - 1).log(), "k:", lw=1.5, label="floor log(m − 1)")
    ax.set_xscale("log", base=2)
    ax.set_xticks(ms, ms)
    ax.set_xlabel("samples per class m")
    ax.set_title(f"temperature τ = {tau:g}")
axes[0].set_ylabel("loss (nats)")
axes[0].legend(fontsize=9)
plt.show()

# %% tags=["remove-input"]
places = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0)
few = torch.arange(2.0, 65.0, 2.0)
plots.movable(
    [
        {"name": name, "x": few, "y": [closed(few, t)[k] for t in places]}
        for k, name in enumerate(("L_out (SupCon)", "Eq. 7, Hamming", "Eq. 6"))
    ],
    [f"{t:g}" for t in places],
    "temperature τ",
    "Three losses of four orthonormal classes against samples per class",
    "samples per class m",
    "loss (nats)",
    yrange=(0, 6.5),
    start=3,
)

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

# %% mystnb={"image": {"alt": "Two 8 by 8 tables of derivatives for two classes of four samples. Left, SupCon: inside the two same-class blocks most cells are blue (pulled), some are orange (pushed). Right, Eq. 6: every same-class cell is blue; outside the blocks both losses push."}, "figure": {"caption": "Derivative of the loss by each score, two classes of four samples in three dimensions, τ = 0.1. *What to see:* inside the black squares SupCon pushes some pairs of one class. Eq. 6 pushes none.", "name": "fig-special-cases-repulsion"}} tags=["remove-input"]
torch.manual_seed(4)
z, y = torch.randn(8, 3), torch.tensor([0] * 4 + [1] * 4)
P, forces = partners(y), []
for loss in (l_out, sincere):
    S = scores(z, tau=0.1).requires_grad_()
    forces.append(torch.autograd.grad(loss(S, y), S)[0])
blue_to_orange = LinearSegmentedColormap.from_list("", [PULL, "white", PUSH])
fig, axes = plt.subplots(1, 2, figsize=(8.2, 3.3))
titles = r"$L_{out}$ (SupCon)", "Eq. 6 (SINCERE)"
for ax, title, force in zip(axes, titles, forces, strict=True):
    image = ax.imshow(force, cmap=blue_to_orange, vmin=-0.05, vmax=0.05)
    for i, k in (P & (force > 1e-12)).nonzero().tolist():
        ax.text(k, i, "push", fontsize=8, **MIDDLE)
    for corner in (-0.5, 3.5):
        block = plt.Rectangle((corner, corner), 4, 4, fill=False, lw=1.5)
        ax.add_patch(block)
    ax.set_xticks(range(8), row_names)
    ax.set_yticks(range(8), row_names)
    ax.set(title=title, xlabel="key k", ylabel="anchor i")
label = r"$\partial L/\partial s_{ik}$"
fig.colorbar(image, ax=axes, extend="both", label=label)
plt.show()

share = others(scores(z, 0.1)).softmax(1)
f = scores(z, 0.1).exp()
negatives = (f * (y[:, None] != y)).sum(1, keepdim=True)
by_hand = [(share - 1 / 3) / 8, -(1 - f / (f + negatives)) / (8 * 3)]
for force, formula in zip(forces, by_hand, strict=True):
    assert torch.allclose(force[P], formula[P], **tight)
assert not torch.allclose(forces[0][P], ((share - 1 / 4) / 8)[P], **tight)
assert (forces[0][P] > 0).any() and (forces[1][P] < 0).all()

# %% [markdown]
# Which is better is a question for experiments: SupCon's push levels the partners out, so
# that no near one is favoured over the far ones. That they are two losses is not in
# question. In our tables the method *SupCon* is Khosla's loss on data with several labels
# and Eq. 6, as in the paper, on classes; each page says which.
#
# ## Relatives
#
# Which loss contains which, each line checked to $10^{-12}$ on random batches. DCL
# {cite:p}`chuang2020dcl` subtracts the false negatives one expects, HCL
# {cite:p}`robinson2021hcl` gives near negatives more weight. MulSupCon
# {cite:p}`zhang2024mulsupcon` takes one full SupCon term for each label.

# %% tags=["remove-input"]
S, back = scores(torch.cat([z1, z2]), 0.5), scores(torch.cat([z2, z1]), 0.5)
target, sample = nt_xent(S), torch.arange(n).repeat(2)
pile = torch.cat([z1, z2])
uneven, y = batches["8 4 2 2"]
Y = F.one_hot(y)
even, y_even = batches["4 4 4 4"]
hcl = losses.hard_negative
rows = {
    ("SimCLR", "Eq. 5", "g = 1 by hand, mean of both directions"): (
        (eq5_unit(S) + eq5_unit(back)) / 2,
        target,
    ),
    (
        "SimCLR",
        "Eq. 7",
        "views as rows, each sample its own class, indicator",
    ): (
        eq7(pile, sample, 0.5),
        target,
    ),
    ("SimCLR", "SupCon", "views as rows, each sample its own class"): (
        losses.sup_con(pile, sample, 0.5),
        target,
    ),
    ("SimCLR", "DCL", "its share of false negatives 0"): (
        losses.debiased(z1, z2, 0.5, 0.0),
        target,
    ),
    ("SimCLR", "HCL", "that share 0, its own β = 0"): (
        hcl(z1, z2, 0.5, tau_plus=0.0, beta=0.0),
        target,
    ),
    ("CMC", "Eq. 3", "mean of both directions"): (
        (eq3(S) + eq3(back)) / 2,
        losses.cmc(z1, z2, 0.5),
    ),
    ("Eq. 6", "Eq. 7", "one label a sample, indicator"): (
        eq7(uneven, y),
        losses.sup_con_eq6(uneven, Y),
    ),
    ("SINCERE", "Eq. 6", "classes of equal size"): (
        losses.sup_con_eq6(even, F.one_hot(y_even)),
        sincere(scores(even), y_even),
    ),
    ("SupCon", "Eq. 6", "two samples in every class"): (
        eq7(*batches["2 2 2 2"]),
        losses.sup_con(*batches["2 2 2 2"], temperature=1.0),
    ),
    ("SupCon", "MulSupCon", "one label a sample"): (
        losses.mul_sup_con(uneven, Y, temperature=1.0),
        losses.sup_con(uneven, y, temperature=1.0),
    ),
}
assert all(equal(a, b) for a, b in rows.values())
near = z1 + 0.5 * z2  # views that resemble each other
plain = losses.nt_xent(z1, near, 0.5)
assert (
    losses.debiased(z1, near, 0.5, 0.1) < plain < hcl(z1, near, 0.5, 0.0, 1.0)
)
table(["this loss", "is in", "if"], rows)

# %% [markdown]
# In the second line, the *form* of the supervised Eq. 7 contains SimCLR, with
# no second direction to add. The paper gives it one row a sample, both views side by side.
#
# ## Where it breaks
#
# - **Hamming on classes.** Two one-hot vectors differ in *two* places, so $\gamma = 2$: a
#   margin of $\tau \log 2$ on every positive cosine. The paper declares the Hamming
#   distance for all experiments; the equality above needs the indicator.
# - **Unequal classes.** Eq. 7 gives every class the weight $1/c$, SupCon and SINCERE its
#   share of the samples.
# - **One label only.** With $c = 1$ the samples without the label are never anchors, and
#   nothing draws them together. Renaming the classes changes the loss.
# - **The public code** has other forms:
#   [Paper against code, point by point](point_by_point.ipynb) turns its switches one by one.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show the checks of these", "code_prompt_hide": "Hide the checks"}
S, count = scores(uneven), torch.bincount(y)
lowered = S - math.log(2) * partners(y)  # a score is cos / tau
per_class = [losses.sup_con_eq6(uneven, (y == a)[:, None]) for a in range(4)]


def from_scores(S):
    """Eq. 7 with the indicator, from a table of scores."""
    means = []
    for a in range(4):
        log_negatives = S[y == a][:, y != a].logsumexp(1)[:, None]
        terms = F.softplus(log_negatives - S[y == a][:, y == a])
        means.append(terms[~torch.eye(len(terms), dtype=torch.bool)].mean())
    return sum(means) / 4


assert equal(from_scores(S), eq7(uneven, y))
assert equal(from_scores(lowered), eq7(uneven, y, distance="hamming"))
growth = eq7(uneven, y, distance="hamming") - eq7(uneven, y)
assert 0 < growth < math.log(2)
per_class = torch.stack(per_class)
assert equal(per_class.mean(), eq7(uneven, y))
assert equal((per_class * count).sum() / len(y), sincere(S, y))

half = torch.tensor([0] * 6 + [1] * 6)  # c = 1: label off, label on
torch.manual_seed(1)
s = torch.randn(12, 5)
on, flipped = (
    losses.weighted_supervised(s, x[:, None]) for x in (half, 1 - half)
)
assert not equal(on, flipped)
assert equal((on + flipped) / 2, eq7(s, half))
say("""✓ The margin, the two means over classes, and $c = 2$ as the mean of
the two $c = 1$ hold to 1e-12; $c = 1$ changes when the classes are
renamed.""")

# %% [markdown]
# ## What we learnt
#
# - **SimCLR: true with one added step** in the formula. In the model $g \equiv 1$ means
#   collapse.
# - **SupCon: true for two samples per class only**, in any dimension. Otherwise Eq. 7 on
#   classes is SINCERE, averaged over classes.
# - **That is no point against HeroCon.** Eq. 6 never pushes samples of one class apart;
#   SupCon does.
#
# ## Exercises
#
# **1.** Take $p$ classes with two samples and $r$ classes with one. A lonely sample adds 0
# to $L_{\text{out}}$ and counts in $n$; its class adds 0 to Eq. 7 and counts in $c$. What is
# Eq. 7 divided by $L_{\text{out}}$, for $p = 4$ and $r = 3$?

# %%
ratio = ...
attempt("special_cases.lonely", ratio)

# %% mystnb={"code_prompt_show": "Show solution 1", "code_prompt_hide": "Hide solution 1"} tags=["hide-cell"]
p, r = 4, 3  # both are one sum of 2p equal terms, divided by different counts
ratio = (2 * p + r) / (2 * p + 2 * r)
y_lonely = torch.cat([torch.arange(p).repeat(2), p + torch.arange(r)])
z = torch.randn(len(y_lonely), 5)
assert equal(eq7(z, y_lonely) / losses.sup_con(z, y_lonely, 1.0), ratio)
attempt("special_cases.lonely", ratio)

# %% [markdown]
# **2.** Let $H$ point where no representation ever points, so that $g \equiv e$. In Eq. 5
# that lowers every positive cosine by a margin. Which one, at $\tau = 0.5$?

# %%
margin = ...
attempt("special_cases.margin", margin)

# %% mystnb={"code_prompt_show": "Show solution 2", "code_prompt_hide": "Hide solution 2"} tags=["hide-cell"]
margin = 0.5  # e times every negative: a positive score lower by 1, cos by tau
wide1, wide2 = F.pad(z1, (0, 1)), F.pad(z2, (0, 1))  # one more column, all 0
axis = torch.eye(d + 1)[-1]
weighted = losses.weighted_unsupervised(
    wide1, wide2, lambda z: axis.expand_as(z), temperature=0.5
)
lowered = scores(torch.cat([z1, z2]), 0.5)
lowered[torch.arange(n), torch.arange(n, 2 * n)] -= margin / 0.5
assert equal(weighted, eq5_unit(lowered))
attempt("special_cases.margin", margin)

# %% [markdown]
# **3.** From which temperature on does SupCon push no pair of one class apart, whatever the
# representations, in a batch of two classes of four?

# %%
limit = ...
attempt("special_cases.no_repulsion", limit)

# %% mystnb={"code_prompt_show": "Show solution 3", "code_prompt_hide": "Hide solution 3"} tags=["hide-cell"]
# The share w is largest with p on the anchor and all others opposite. It is
# above 1/(m − 1) if (m − 2) e^(2/τ) > n − 2.
limit = 2 / math.log((8 - 2) / (4 - 2))
classes = torch.tensor([0] * 4 + [1] * 4)
worst = torch.tensor([[1.0], [1.0]] + [[-1.0]] * 6)


def pushed_pairs(z, tau):
    S = scores(z, tau).requires_grad_()
    (force,) = torch.autograd.grad(l_out(S, classes), S)
    return int((force[partners(classes)] > 1e-12).sum())


assert (
    pushed_pairs(worst, limit - 0.01) > 0 == pushed_pairs(worst, limit + 0.01)
)
assert all(pushed_pairs(torch.randn(8, 3), limit) == 0 for _ in range(300))
attempt("special_cases.no_repulsion", limit)
