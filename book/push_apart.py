# %% [markdown]
# # From a picture to a loss
#
# *Reads in 15 minutes, runs in 10 seconds on a CPU.*
#
# This book is about one paper, "Contrastive Learning with Complex
# Heterogeneity" {cite:p}`zheng2022herocon`, HeroCon for short. It trains
# encoders on samples that come in several *views* and carry several *labels*,
# also when only a few samples have been labelled. Here we build its losses
# from nothing but a circle and a few lines of PyTorch. You need to know no
# contrastive learning to start.
#
# What we will see:
#
# - a contrastive loss pushes hardest against the sample that is most like the
#   anchor, even when the two belong together: the *false-negative problem*;
# - how the paper's weight $g$ moves that push elsewhere (Eq. 3 → Eq. 5), and
#   that, as a constant, it does not make it smaller in total;
# - how label vectors decide who is pulled and who is pushed (Eq. 6 → Eq. 7),
#   and that one of the two weights acts the other way round, by a little;
# - the one line of algebra that makes all this cheap.

# %%
import math
from itertools import permutations

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F

from herocon_lite import losses
from herocon_lite.repro import plots

plt.style.use("herocon_lite.repro.book")
torch.set_default_dtype(torch.float64)  # so that checks can be strict

# %% [markdown]
# ## A picture first
#
# An encoder turns a sample into a vector. Only its direction will matter, so
# in two dimensions a sample is a point on a circle, and a point on a circle is
# one number: its angle.
#
# Take an anchor A, say the photo of a cat. A′ is a second view of the same
# cat: another crop, or its sound. B is a *different cat*. C and D are dogs.
# Nobody told us so: there are no labels yet. A contrastive loss therefore
# takes A′ as the only *positive* and everybody else, B too, as *negatives*. It
# asks A to recognise A′ among all of them:
#
# $$ L_A = -\log \frac{e^{\cos(A, A')}}{e^{\cos(A, A')} + e^{\cos(A, B)}
# + e^{\cos(A, C)} + e^{\cos(A, D)}} $$
#
# Following minus the gradient, A′ slides towards A and the negatives slide
# away. We let autograd say how hard, with a weight on each term that is 1 for
# now.

# %%
anchor_angle = torch.tensor(90.0).deg2rad()
others = ["A′", "B", "C", "D"]
start = torch.tensor([58.0, 140.0, 215.0, 315.0]).deg2rad()


def on_circle(angle):
    return torch.stack([angle.cos(), angle.sin()], dim=-1)


def pull_and_push(weights, τ=1.0):
    """How A's loss slides A′, B, C, D, and the share of each in the sum."""
    angle = start.clone().requires_grad_()
    terms = weights * (on_circle(angle) @ on_circle(anchor_angle) / τ).exp()
    share = terms / terms.sum()
    (slide,) = torch.autograd.grad(share[0].log(), angle)  # of −loss
    return slide, share.detach()


slide, share = pull_and_push(weights=torch.ones(4))
push = share[1:]  # of B, C, D; why a share is a push: see Eq. 3
for name, part in zip(others[1:], push / push.sum(), strict=True):
    print(f"{name} takes {part:.0%} of all the push.")

# %% mystnb={"image": {"alt": "A circle with five points. The anchor A is at the top. A', its other view, sits to the right and has a green arrow towards A. B, the other cat, sits to the left of A and has a long red arrow away from A. The dogs C and D lie on the far side with short grey arrows."}}
CAT, DOG = "#0072B2", "#E69F00"
colours = [CAT, CAT, DOG, DOG]
forces = [plots.PULL, plots.WRONG, plots.PUSH, plots.PUSH]


def draw_anchor(ax, slide, title):
    plots.circle(ax, title, reach=1.15)
    plots.arrows(ax, start, slide, forces, scale=2)
    plots.dots(ax, start, colours)
    plots.names(ax, start, others, colours)
    plots.dots(ax, [anchor_angle], [CAT])
    plots.names(ax, [anchor_angle], ["A"], [CAT])
    ax.set_ylim(-1.1, 1.4)


fig, ax = plt.subplots(figsize=(4, 4.2))
draw_anchor(ax, slide, "what A's loss does to the others")
plt.show()

# %% [markdown]
# Blue points are cats, yellow ones dogs; an arrow is minus the gradient, along
# the circle. Green pulls, grey pushes, and the red arrow is the trouble: B,
# the other cat, is pushed hardest. Among the negatives it has the largest share of
# the sum, *because* it is the nearest of them. The loss undoes what the encoder got right. That is the
# **false-negative problem**. (Along the circle a push also has the factor
# $\sin\theta$, so it fades where two points nearly coincide; chapter 5 starts
# there.)
#
# > **The paper says** that one such false negative in the batch is enough to
# > keep the vanilla loss from its best solution.
# >
# > **We say** the picture shows the force at work. Whether, and how far, it
# > spoils the end result needs more care, and
# > {doc}`a chapter of its own <false_negatives>`.

# %% [markdown]
# ## Views and labels
#
# The paper's "complex heterogeneity" is two things at once: a sample is seen
# through several views, and it may have several labels. We will use six photos
# through the whole chapter. Each has two views, so two encoders give two
# points on the circle, and three labels that may be on together.

# %%
photos = list("ABCDEF")
scenes = ["beach", "sunset", "mountain"]
Y = torch.tensor(
    [
        [1, 1, 0],  # A: a beach at sunset
        [1, 1, 0],  # B: another one
        [1, 0, 0],  # C: a beach
        [0, 1, 1],  # D: a mountain at sunset
        [0, 0, 1],  # E: a mountain
        [0, 0, 1],  # F: another one
    ]
)
angle1 = torch.tensor([100.0, 136.0, 46.0, 230.0, 270.0, 326.0]).deg2rad()
angle2 = torch.tensor([110.0, 124.0, 56.0, 218.0, 280.0, 314.0]).deg2rad()
z1, z2 = on_circle(angle1), on_circle(angle2)  # (6, 2) each: row i is photo i

# %% mystnb={"image": {"alt": "Left and middle: two circles, view 1 with filled and view 2 with hollow points A to F at similar angles. Right: the label matrix, six rows A to F and three columns beach, sunset, mountain. A and B have beach and sunset, C has beach, D has sunset and mountain, E and F have mountain."}} tags=["hide-input"]
# one colour for each label vector
tints = ["#0072B2", "#0072B2", "#56B4E9", "#CC79A7", "#D55E00", "#D55E00"]

fig, axes = plt.subplots(1, 3, figsize=(8, 3.1))
for ax, angle, title in [
    (axes[0], angle1, "view 1"),
    (axes[1], angle2, "view 2"),
]:
    plots.circle(ax, title, reach=1.1)
    plots.dots(ax, angle, tints, hollow=title == "view 2")
    plots.names(ax, angle, photos, tints)
plots.label_matrix(axes[2], Y, photos, scenes, tints)
axes[2].set_title("labels Y")
plt.show()

# %% [markdown]
# Photos with one colour have the same label vector. A and B do, so B is a
# false negative of A. But what is D to A? They share the sunset and differ in
# the rest. With many labels "same" and "different" become a matter of degree,
# and Eq. 7 will need that.

# %% [markdown]
# ## Eq. 3: find your other view
#
# With $f(a, b) = \exp(\cos(a, b)/\tau)$, a similarity that is always positive,
# the vanilla loss averages the $L_A$ from above over all anchors. Anchors come
# from view 1, everything they are compared with from view 2:
#
# $$ L_1 = -\frac1n \sum_i \log \frac{f(z_{i,1}, z_{i,2})}
# {f(z_{i,1}, z_{i,2}) + \sum_{k \ne i} f(z_{i,1}, z_{k,2})} \tag{3} $$
#
# This is Info-NCE {cite:p}`oord2018` between two views {cite:p}`tian2019cmc`.
# The paper's experiments use the *temperature* $\tau = 1$, and so do we unless
# we say otherwise.


# %%
def cos(a, b):
    """Cosines of all rows of a with all rows of b."""
    return F.normalize(a, dim=1) @ F.normalize(b, dim=1).T


def f(a, b, τ=1.0):
    return (cos(a, b) / τ).exp()


def eq3(z1, z2):
    similarity = f(z1, z2)  # row i: anchor i against all of view 2
    positive = similarity.diagonal()  # same photo, other view
    return -(positive / similarity.sum(1)).log().mean()


# %%
error = (eq3(z1, z2) - losses.info_nce(z1, z2)).abs()
assert error < 1e-12
print("Eq. 3 in three lines equals losses.info_nce to 1e-12.")

# %% [markdown]
# Two facts make this loss easy to read.
#
# It is the cross-entropy of the question "which of the $n$ is my partner?". If
# all embeddings are equal, every answer is as good as any other, and the loss
# is $\log n$. That is where a useless encoder stands.
#
# Write $P_{ik}$ for the share of sample $k$ in the sum of anchor $i$. Then the
# gradient of anchor $i$'s own term, one of the $n$ of which the loss is the mean, with
# respect to its cosines is $P_{ik}/\tau$ for a negative and $-(1 - P_{ii})/\tau$ for the
# positive. A share *is* a push, and since shares
# add up to one, **all pushes of an anchor together equal its pull**.

# %%
n = len(photos)
equal = torch.ones(n, 2)
assert torch.isclose(eq3(equal, equal), torch.tensor(n).log())
print(f"Equal embeddings: {eq3(equal, equal):.4f} = log {n}.")

C = cos(z1, z2).requires_grad_()
loss = (C.exp().sum(1).log() - C.diagonal()).mean()  # Eq. 3 of the cosines
(grad,) = torch.autograd.grad(loss, C)
P = C.softmax(1)
assert torch.allclose(n * grad, P - torch.eye(n), atol=1e-12)
print("The gradient is P − identity, to 1e-12: push = share.")

# %% [markdown]
# So one table shows all forces of Eq. 3 at once. A row is an anchor in view 1,
# a column a photo in view 2; the diagonal holds the positives.

# %% mystnb={"image": {"alt": "A six by six heat map. The diagonal is purple: each anchor pulls its own other view. Everything else is orange: push. It is darkest where two photos are near, A with B, E with F and D with E, although A and B, and E and F, have the same labels."}} tags=["hide-input"]
fig, ax = plt.subplots(figsize=(5, 4.1))
image = plots.pair_map(ax, torch.eye(n) - P.detach(), photos, limit=0.4)
ax.set(xlabel="photo in view 2", ylabel="anchor in view 1", title="Eq. 3")
bar = fig.colorbar(image, extend="max")
bar.set_label("push  ←  force  →  pull")
plt.show()

# %% [markdown]
# Each row adds up to zero, as promised. And the darkest pushes fall on near
# pairs, A with B and E with F among them: the cat's story again, twice.

# %% [markdown]
# ## Eq. 5: weigh the negatives
#
# > **The paper says** that a negative which already looks like the anchor is
# > likely to be a false one, so it should count less. It multiplies each
# > negative by a weight computed from the representations.
#
# $$ g(a, b) = \tfrac12 \left(e^{1 - \cos(a, H(b))}
# + e^{1 - \cos(H(a), b)}\right) $$
#
# $H$ is a small learned layer. To see the idea in its purest form we take $H$
# = identity in all pictures; then $g = e^{1-\cos(a, b)}$. Cosines lie in
# $[-1, 1]$, so $g$ lies in $[1, e^2]$, whatever $H$ is.


# %%
def g(a, b, H):
    return ((1 - cos(a, H(b))).exp() + (1 - cos(H(a), b)).exp()) / 2


torch.manual_seed(0)
a, b = torch.randn(2, 500, 16)
H = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Sigmoid())
weights = g(a, b, H)
assert weights.min() >= 1 and weights.max() <= math.e**2
print(f"g stays in [1, e²] on {weights.numel():,} random pairs.")

# %% mystnb={"image": {"alt": "Three curves against the angle between two samples, from 0 to 180 degrees. The weight g rises from 1 to e squared, the similarity f falls from e to 1/e, and their product is a flat line at e."}} tags=["hide-input"]
degrees = torch.linspace(0, 180, 181)
cosine = degrees.deg2rad().cos()

fig, ax = plt.subplots(figsize=(6.4, 3.4))
ax.axhspan(1, math.e**2, color="#0072B2", alpha=0.07)
ax.plot(degrees, (1 - cosine).exp(), label="weight $g$")
ax.plot(degrees, cosine.exp(), label="similarity $f$")
ax.plot(degrees, torch.full_like(degrees, math.e), "--", label="$g · f$")
ax.set_yticks([0, 1, math.e, math.e**2], ["0", "1", "$e$", "$e^2$"])
ax.set_xticks(range(0, 181, 30))
ax.set_xlabel("angle between the two samples (degrees)")
ax.set_ylabel("factor")
ax.set_title("H = identity, τ = 1; shaded: the range of g")
ax.legend(loc="upper left")
plt.show()

# %% [markdown]
# Near samples get weight 1, far ones up to $e^2$. With $H$ = identity and
# $\tau = 1$ the product $g \cdot f$ is even flat: each negative counts the
# same. Keep that dashed line in mind, it will come back to bite.
#
# Back to the cats and dogs: the same picture, each negative times its $g$. We
# treat the weights as constants here, which in PyTorch is a `detach`.

# %%
near = cos(on_circle(anchor_angle)[None], on_circle(start))[0]
weights = (1 - near).exp()  # H = identity
weights[0] = 1  # the positive keeps weight 1
slide_g, share_g = pull_and_push(weights)
push_g = share_g[1:]

part, part_g = push / push.sum(), push_g / push_g.sum()
print(f"B's part of the push: {part[0]:.0%} → {part_g[0]:.0%}")
print(f"push on B alone:      {push[0]:.2f} → {push_g[0]:.2f}")
print(f"push on C alone:      {push[1]:.2f} → {push_g[1]:.2f}")
print(f"all push = pull:      {push.sum():.2f} → {push_g.sum():.2f}")

# %% mystnb={"image": {"alt": "Left: under Eq. 3 the false negative B, next to the anchor A, has a long red arrow away from A; the dogs C and D have short grey ones. Middle: with the weight g the red arrow is shorter and the arrows of C and of A' are longer. Right: bars of the part of the push on B, C and D; B falls from 64 to 33 percent, C and D rise from 19 and 17 to 33 percent."}} tags=["cover", "hide-input"]
fig, axes = plt.subplots(1, 3, figsize=(8, 3.6), dpi=160)
draw_anchor(axes[0], slide, "vanilla loss (Eq. 3)")
draw_anchor(axes[1], slide_g, "weighted by g (Eq. 5)")
plots.share_bars(axes[2], [part, part_g], others[1:], forces[1:])
axes[2].set_title("who takes the push")
told = "The loss knows only that A′ is another view of A."
fig.suptitle(f"{told} To it, B is the nearest stranger.", fontsize=11)
plots.force_legend(fig, {"cat": CAT, "dog": DOG})
plt.show()

# %% [markdown]
# About half of B's part has gone to the dogs. Two things are true at once:
#
# > **The paper says** the weight reduces the role of similar negatives.
# >
# > **We say** it does so *relative to the other negatives*. Since $g \ge 1$
# > the sum of the negatives can only grow, so with $g$ held constant, as here,
# > the total push (and the pull, which equals it) never falls below vanilla.
# > And $g$ sees only the representations: a dog that happens to look like A is
# > spared as well.
#
# Eq. 5 is Eq. 3 with these weights, and with one more change: negatives come
# from *both* views, as in SimCLR {cite:p}`chen2020simclr`.
#
# $$ L_u = -\frac1n \sum_i \log \frac{f(z_{i,1}, z_{i,2})}{f(z_{i,1}, z_{i,2})
# + \sum_{k \ne i} \sum_{j \in \{1, 2\}} g(z_{i,1}, z_{k,j})\,
# f(z_{i,1}, z_{k,j})} \tag{5} $$
#
# (The sum over $j$ is ours: the paper leaves $j$ open, and its text asks for both views.)
#
# And if there is one view only? Then the paper contrasts a representation with its own
# input, by the same weights:
#
# $$ L_u = -\frac1n \sum_i \log \frac{f(A x_i, z_i)}{f(A x_i, z_i)
# + \sum_{k \ne i} g(z_i, z_k)\, f(A x_i, z_k)} \tag{4} $$
#
# (The matrix $A$ is ours, and learned: the paper writes $f(x_i, z_i)$, which needs an input
# and a representation of the same size.) It is `losses.input_contrast`; with $g = 1$ it is the
# paper's Eq. 2.


# %%
def eq5(z1, z2, g):
    positive = f(z1, z2).diagonal()
    others = 1 - torch.eye(len(z1))  # all but the photo itself
    negatives = 0
    for z in (z1, z2):  # negatives from both views
        negatives += (others * g(z1, z) * f(z1, z)).sum(1)
    return -(positive / (positive + negatives)).log().mean()


def no_weight(a, b):
    return torch.ones(len(a), len(b))


def identity(z):
    return z


def g_identity(a, b):
    return g(a, b, identity)


# %%
torch.manual_seed(1)
w1, w2 = torch.randn(2, 20, 16)  # 20 samples in 16 dimensions
for a, b, net in [(z1, z2, identity), (w1, w2, H)]:
    ours = eq5(a, b, lambda p, q, net=net: g(p, q, net))
    assert (ours - losses.weighted_unsupervised(a, b, net)).abs() < 1e-12
print("Eq. 5, literally, equals losses.weighted_unsupervised to 1e-12,")
print("for H = identity and for a random layer with a sigmoid.")

# %%
for seed in range(100):
    torch.manual_seed(seed)
    a, b = torch.randn(2, 8, 4)
    positive, plain = f(a, b).diagonal(), f(a, b)
    weighted = g_identity(a, b) * plain
    weighted.diagonal().copy_(positive)  # the positive keeps weight 1
    pull, pull_g = (1 - positive / m.sum(1) for m in (plain, weighted))
    assert (pull_g >= pull).all()
print("100 random batches: no anchor pulls or pushes less with weights.")


# %%
def force_map(g):
    """Pull and push of Eq. 5, the two views of a negative added."""
    terms = sum(g(z1, z) * f(z1, z) for z in (z1, z2))
    terms.diagonal().copy_(f(z1, z2).diagonal())  # the positive
    return torch.eye(n) - terms / terms.sum(1, keepdim=True)


# %% mystnb={"image": {"alt": "Two six by six heat maps, anchors against photos, purple pull on the diagonal and orange push elsewhere. Left, with g = 1, the push is strongest between near photos such as A and B and weakest between far ones. Right, with the weights, all pushes are the same and the pulls are larger."}} tags=["hide-input"]
fig, axes = plt.subplots(1, 2, figsize=(8, 3.7))
for ax, weight in zip(axes, [no_weight, g_identity], strict=True):
    image = plots.pair_map(ax, force_map(weight), photos, limit=0.4)
    ax.set(xlabel="photo, both views", ylabel="anchor in view 1")
axes[0].set_title("Eq. 5 with g = 1")
axes[1].set_title("Eq. 5")
bar = fig.colorbar(image, ax=axes, shrink=0.85, extend="max")
bar.set_label("push  ←  force  →  pull")
plt.show()

# %% [markdown]
# Same points, same negatives, only $g$ differs. The weights have levelled the
# pushes, the near pairs are no longer singled out, and the pulls have grown.
#
# `losses.weighted_unsupervised` has a switch that the equation does not have. With `detach=True` the weights are constants for the representations,
# as in our pictures; with `detach=False`, the default, the gradient also flows
# through $g$. The value is the same, the forces are not, as we shall see under
# *Where it breaks*.

# %% [markdown]
# ## Eq. 6: let a label choose the pairs
#
# With labels we know who belongs together. Let one binary label split the
# photos into those that have it, $\mathcal P$, and those that lack it,
# $\mathcal N$. Each ordered pair $i \ne j$ from $\mathcal P$ is a positive
# pair, contrasted with all of $\mathcal N$:
#
# $$ L_{sup} = -\operatorname*{mean}_{i \ne j \in \mathcal P} \log
# \frac{f(s_i, s_j)}{f(s_i, s_j) + \sum_{k \in \mathcal N} f(s_i, s_k)}
# \tag{6} $$
#
# (Whether a row is its own positive the paper does not say. We leave $i = j$ out; its
# public code does not.)
#
# Here $s_i$ is both views of photo $i$ side by side, one longer vector. (The paper has one
# representation for everything. Its public code, and we, have two: encoders give $h_{i,v}$,
# and projectors make $z_{i,v}$ of them, as in SimCLR. Eq. 5 contrasts the $z$; Eq. 7 and the classifier take the $h$ side by side. On the circle
# there is no projector, and $h = z$.) The
# paper takes the idea from supervised contrastive learning
# {cite:p}`khosla2020`; what the two have in common, and what not, is the next
# chapter's matter.
#
# ## Eq. 7: weigh the pairs by their labels
#
# With $c$ labels, do this for each label $a$ and take the mean. Two photos
# that share label $a$ may still differ in the others, so the paper adds two
# weights, both made of the Hamming distance, the number of labels in which two
# photos differ:
#
# $$ L_s = -\frac1c \sum_{a=1}^{c} \operatorname*{mean}_{i \ne j \in
# \mathcal P(a)} \log \frac{\sigma_{ij} f(s_i, s_j)}{\sigma_{ij} f(s_i, s_j)
# + \sum_{k \in \mathcal N(a)} \gamma_{ik} f(s_i, s_k)} \tag{7} $$
#
# $$ \sigma_{ij} = 1 - \frac{\text{dist}(Y_i, Y_j)}{c}, \qquad
# \gamma_{ik} = \text{dist}(Y_i, Y_k) $$
#
# Positives share label $a$ and negatives differ in it, so $\sigma$ lies in
# $[1/c, 1]$ and $\gamma$ in $[1, c]$. With $\sigma = \gamma = 1$ it is Eq. 6
# for each label, so one loop does for both. We write it as a function of the
# cosines, since we want the force on each pair.


# %%
def per_label(C, Y, σ, γ):
    total = 0
    for has in Y.T.bool():  # one label after the other
        rows = has.nonzero()[:, 0].tolist()
        pairs = list(permutations(rows, 2))
        for i, j in pairs:
            positive = σ[i, j] * C[i, j].exp()
            negatives = (γ[i] * C[i].exp())[~has].sum()
            total -= (positive / (positive + negatives)).log() / len(pairs)
    return total / Y.shape[1]


# %%
s = torch.cat([z1, z2], dim=1)  # (6, 4)
C = cos(s, s)
dist = (Y[:, None] != Y).sum(2)  # (6, 6) Hamming distances
σ, γ = 1 - dist / Y.shape[1], dist
one = torch.ones(n, n)

beach = Y[:, :1]
eq6 = losses.sup_con_eq6(s, beach)
assert (per_label(C, beach, one, one) - eq6).abs() < 1e-12
print("The loop with σ = γ = 1 equals losses.sup_con_eq6 to 1e-12.")
eq7 = losses.weighted_supervised(s, Y)
assert (per_label(C, Y, σ, γ) - eq7).abs() < 1e-12
print("The loop with σ and γ equals losses.weighted_supervised to 1e-12.")

# %% [markdown]
# To see what the labels alone ask for, we put all photos equally far apart
# (all cosines 0) and read the net force of every pair: minus the gradient by
# its cosine, both directions added.


# %%
def net_force(σ, γ):
    C = torch.zeros(n, n, requires_grad=True)
    (grad,) = torch.autograd.grad(per_label(C, Y, σ, γ), C)
    return -(grad + grad.T)


equal_weights, weighted = net_force(one, one), net_force(σ, γ)
for force in (equal_weights, weighted):  # on D, from E and from A
    assert force[3, 4] > 1.5 * force[3, 0] > 0

# %% mystnb={"image": {"alt": "Two heat maps of the net force between each two of the six photos, purple for pull and orange for push. In both, A and B pull each other most and photos without a common label push each other. With the weights of Eq. 7 the pushes between photos that differ in all three labels, such as A and E or C and D, are clearly stronger than with equal weights."}} tags=["hide-input"]
fig, axes = plt.subplots(1, 2, figsize=(8, 3.7))
for ax, force in zip(axes, [equal_weights, weighted], strict=True):
    force.fill_diagonal_(math.nan)  # no pair
    image = plots.pair_map(ax, force, photos, limit=0.22)
    ax.set(xlabel="photo", ylabel="photo")
axes[0].set_title("Eq. 6, per label")
axes[1].set_title("Eq. 7")
bar = fig.colorbar(image, ax=axes, shrink=0.85)
bar.set_label("push  ←  net force  →  pull")
plt.show()

# %% [markdown]
# A and B share two labels and pull each other most. D shares the sunset with A
# and B and the mountain with E and F; it is drawn both ways, to E and F harder. Photos with nothing in common are pushed, and with $\gamma$ the
# push is firmer the more labels differ: A–E and C–D differ in all three, C–E
# in two. All as advertised. And $\sigma$?


# %%
def pull(anchor, partner, scene):
    """Pull of a pair in the term of one label, all cosines 0."""
    i, j = photos.index(anchor), photos.index(partner)
    lacks = Y[:, scenes.index(scene)] == 0
    negatives = γ[i][lacks].sum()
    return (negatives / (σ[i, j] + negatives)).item()


twin, cousin = pull("E", "F", "mountain"), pull("E", "D", "mountain")
print(f"mountain: E pulls F, its twin (σ = 1),   with {twin:.3f}")
print(f"mountain: E pulls D, a cousin (σ = 2/3), with {cousin:.3f}")
assert cousin > twin

both = pull("A", "B", "beach") + pull("A", "B", "sunset")
print(f"A pulls B over beach + sunset with {both:.3f} in all,")
print(f"A pulls C over the beach alone with {pull('A', 'C', 'beach'):.3f}.")

# %% [markdown]
# > **The paper says** $\sigma$ draws two samples the closer, the more alike
# > their label vectors are.
# >
# > **We say** it is the other way round, by a little. $\sigma$ stands inside
# > the logarithm, above and below the line: a small $\sigma$ makes the
# > positive look unfinished, and the loss pulls *harder*. In the mountain's
# > term E pulls D, which differs, harder than F, its twin. What does favour
# > similar pairs is plain counting: a pair with two labels in common stands in
# > two terms of the sum, and is a negative in fewer.

# %% [markdown]
# ## All together: Eq. 1
#
# The full objective adds a classifier's cross-entropy $L_c$, and two numbers
# $\alpha$ and $\beta$ set how much the rest counts:
#
# $$ J = L_c + \alpha L_u + \beta L_s \tag{1} $$
#
# $L_u$ needs no labels and sees all samples; $L_c$ and $L_s$ see the labelled
# ones.

# %%
torch.manual_seed(0)
classifier = torch.nn.Linear(4, 3)  # both views → one score per label
L_c = F.binary_cross_entropy_with_logits(classifier(s), Y.double())
L_u = losses.weighted_unsupervised(z1, z2, identity)
L_s = losses.weighted_supervised(s, Y)
J = L_c + 0.1 * L_u + 0.1 * L_s
print(f"L_c {L_c:.3f}   L_u {L_u:.3f}   L_s {L_s:.3f}   J {J:.3f}")

# %% [markdown]
# On the circle we have no encoder to train, but we can let the points
# themselves go downhill and see where each loss would like them to be. They
# start where we put them, as if by an encoder that knows a little already.
# Both views are drawn, view 1 outside and view 2 inside; the radius means
# nothing. The weights of Eq. 5 are held constant here (`detach=True`); the next section
# shows why. And we add Eq. 7 to Eq. 3, not to Eq. 5, so that the last picture differs from
# the second by the labels alone.


# %%
def downhill(loss, steps=400, rate=0.5):
    angles = torch.stack([angle1, angle2]).requires_grad_()
    for _ in range(steps):
        (grad,) = torch.autograd.grad(loss(*on_circle(angles)), angles)
        angles = (angles - rate * grad).detach().requires_grad_()
    return angles.detach()


def eq5_detached(z1, z2):
    return losses.weighted_unsupervised(z1, z2, identity, detach=True)


def eq3_and_eq7(z1, z2):
    s = torch.cat([z1, z2], dim=1)
    return losses.info_nce(z1, z2) + losses.weighted_supervised(s, Y)


ends = {
    "start": torch.stack([angle1, angle2]),
    "after Eq. 3": downhill(losses.info_nce),
    "after Eq. 5, g constant": downhill(eq5_detached),
    "after Eq. 3 + Eq. 7": downhill(eq3_and_eq7),
}
for title, (end1, _) in ends.items():
    z = on_circle(end1)
    print(f"{title:23} cos(A, B) = {z[0] @ z[1]:5.2f}", end="   ")
    print(f"cos(E, F) = {z[4] @ z[5]:5.2f}")

for end in ends["after Eq. 3"]:  # a regular hexagon, in each view
    gaps = end.rad2deg().remainder(360).sort().values.diff()
    assert (gaps - 60).abs().max() < 1
centre = on_circle(ends["after Eq. 5, g constant"]).mean(dim=(0, 1)).norm()
assert centre < 1e-3
print("After Eq. 5 the points' centre is the circle's middle, to 1e-3.")

# %% mystnb={"image": {"alt": "Four pairs of circles. Start: the six photos roughly in the order of their labels. After Eq. 3: a regular hexagon, each photo 60 degrees from the next. After Eq. 5: the views have closed up and the photos keep their places. After Eq. 3 and Eq. 7: A and B lie on one point, C near them, E and F on one point on the other side, with D next to them."}} tags=["hide-input"]
fig, axes = plt.subplots(1, 4, figsize=(8, 2.4))
for ax, (title, (end1, end2)) in zip(axes, ends.items(), strict=True):
    plots.circle(ax, radii=[1, 0.75], reach=1.1)
    plots.dots(ax, end1, tints)
    plots.dots(ax, end2, tints, radius=0.75, hollow=True)
    plots.names(ax, end1, photos, tints, radius=0.52)
    ax.set_title(title, fontsize=10)
plt.show()

# %% [markdown]
# Eq. 3 ends in a regular hexagon: every photo as far from its neighbours as
# any other, same labels or not. Eq. 5 brings the views together and moves the
# centre of all points to the middle of the circle; beyond that the photos stay
# about where they were. It keeps what the encoder knows, it does not add to
# it. Labels add: with Eq. 7 the twins meet, and C and D settle on the side of
# those they are most like.

# %% [markdown]
# ## Where it breaks
#
# Remember the dashed line, $g \cdot f = e$. Let the gradient flow through $g$,
# with $H$ = identity and $\tau = 1$, and a constant has no gradient: all push
# is gone. Once the two views agree, *any* arrangement has the same loss, also
# the one where all photos sit on one point and nothing can be told apart.

# %%
apart = on_circle(angle1)
collapsed = torch.ones(n, 2)
for z in (apart, collapsed):
    value = losses.weighted_unsupervised(z, z, identity)
    assert (value - math.log(1 + 2 * (n - 1))).abs() < 1e-12
print(f"Spread out or collapsed, L_u = log {1 + 2 * (n - 1)}, to 1e-12.")

spread = losses.info_nce(apart, apart)
print(f"Eq. 3 can tell: {spread:.3f} spread out", end=", ")
print(f"{losses.info_nce(collapsed, collapsed):.3f} collapsed.")

# %% [markdown]
# A learned $H$ is not the identity, and $J$ has two more terms, which do mind
# a collapse. So this is a warning and not yet a verdict;
# {doc}`a later chapter <weights>` looks at it with care.

# %% [markdown]
# ## The one idea that makes it fast
#
# Written as above, Eq. 5 builds several $n \times n$ matrices and keeps them
# for the backward pass. But for unit vectors $\hat z$ and
# $\hat h = H(z)/|H(z)|$ a cosine is a dot product, and a product of
# exponentials is the exponential of a sum:
#
# $$ g(z_i, z_k)\, f(z_i, z_k) = \frac e2 \left[
# e^{\hat z_i \cdot (\hat z_k/\tau - \hat h_k)} +
# e^{(\hat z_i/\tau - \hat h_i) \cdot \hat z_k} \right] $$
#
# So the weighted sum is two plain sums of exponentials of dot products, with
# $u = \hat z/\tau - \hat h$ in the place of $\hat z/\tau$ on one side. No
# approximation.

# %%
τ = 0.5
ẑ, ĥ = F.normalize(w1, dim=1), F.normalize(H(w1), dim=1)
u = ẑ / τ - ĥ
literal = g(w1, w1, H) * f(w1, w1, τ)
folded = math.e / 2 * ((ẑ @ u.T).exp() + (u @ ẑ.T).exp())
assert ((literal - folded) / literal).abs().max() < 1e-12
print("g · f as two exponentials of dot products: equal to 1e-12.")

whole = losses.weighted_unsupervised(w1, w2, H)
chunked = losses.weighted_unsupervised(w1, w2, H, chunk=3)
assert (whole - chunked).abs() < 1e-12
print("Three rows at a time: the same loss, to 1e-12.")

# %% [markdown]
# Row sums of exponentials can be taken a few rows at a time and taken again in
# the backward pass, so the memory is $O(n \cdot \text{chunk})$, not $O(n^2)$.
# How much time and memory that saves on your machine:
# `python -m herocon_lite bench`.

# %% [markdown]
# ## What we learnt
#
# - Under Eq. 3 a negative's cosine is pushed by its share of the sum, hardest for
#   the nearest. If that is a false negative, it is the wrong one.
# - The weight $g$ of Eq. 5 moves push from near negatives to far ones. Held
#   constant it is relative: the total never falls below that of $g = 1$.
# - In Eq. 7 the labels in common decide who is pulled, $\gamma$ strengthens
#   the push as intended, and $\sigma$ acts the other way round, by a little.
# - If gradients flow through $g$ at $\tau = 1$, the push can vanish.
# - $g \cdot f$ is two exponentials of dot products; that makes Eq. 5 cheap and
#   stays exact.

# %% [markdown]
# ## Exercises
#
# :::{exercise}
# :label: picture-hard-negative
# Move the dog C to 40°, as near to A as the cat B. What does $g$ do to it? Can
# any weight computed from the representations alone do better?
# :::

# %% mystnb={"code_prompt_hide": "Hide the solution", "code_prompt_show": "Show the solution"} tags=["hide-cell"]
moved = torch.tensor([140.0, 40.0, 315.0]).deg2rad()  # B, C, D
near = (moved - anchor_angle).cos()
weights = (1 - near).exp()
assert torch.isclose(weights[0], weights[1])
print(f"g is {weights[0]:.2f} for the cat B, {weights[1]:.2f} for the dog C.")
print("At the same angle it cannot tell them apart. A learned H may, if")
print("it uses the direction of the vectors and not just their cosine.")

# %% [markdown]
# :::{exercise}
# :label: picture-temperature
# Many methods use a small temperature. Back to the cats and dogs: which part
# of the push falls on B at $\tau = 1, 0.5, 0.1$, with and without $g$? Why
# does the weight lose its grip?
# :::

# %% mystnb={"code_prompt_hide": "Hide the solution", "code_prompt_show": "Show the solution"} tags=["hide-cell"]
weights = (1 - (start - anchor_angle).cos()).exp()
weights[0] = 1
parts = {}
for τ in (1.0, 0.5, 0.1):
    for name, w in [("plain", torch.ones(4)), ("with g", weights)]:
        push = pull_and_push(w, τ)[1][1:]
        parts[name, τ] = push[0] / push.sum()
        print(f"τ = {τ:.1f}, {name:6}: B takes {parts[name, τ]:.1%}")
assert parts["with g", 0.1] > 0.99
assert torch.isclose(parts["with g", 0.5], parts["plain", 1.0])
print("Between two negatives g changes the ratio by at most e², about 7.4;")
print("f changes it by up to e^(2/τ), which at τ = 0.1 is far more.")
print("And with H = identity g just acts like a higher temperature:")
print("τ = 0.5 with g gives the numbers of τ = 1 without.")

# %% [markdown]
# :::{exercise}
# :label: picture-sigma
# Change Eq. 7 so that $\sigma$ does what the paper describes: E should pull
# its twin F harder than D. Moving one letter is enough.
# :::


# %% mystnb={"code_prompt_hide": "Hide the solution", "code_prompt_show": "Show the solution"} tags=["hide-cell"]
def pull_outside(anchor, partner, scene):
    """σ in front of the logarithm scales the whole term, pull included."""
    i, j = photos.index(anchor), photos.index(partner)
    lacks = Y[:, scenes.index(scene)] == 0
    negatives = γ[i][lacks].sum()
    return (σ[i, j] * negatives / (1 + negatives)).item()


twin = pull_outside("E", "F", "mountain")
cousin = pull_outside("E", "D", "mountain")
assert twin > cousin
print(f"With σ · log(…): E pulls F with {twin:.3f}, D with {cousin:.3f}.")
