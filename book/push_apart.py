# %% [markdown]
# # Why does a contrastive loss push look-alikes apart?

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show set-up and checks", "code_prompt_hide": "Hide set-up and checks"}
import math

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F

from herocon_lite import losses
from herocon_lite.repro import plots
from herocon_lite.repro.chapter import Checks, answer, attempt, badges, say
from herocon_lite.repro.text import percent
from herocon_lite.theory import descend

plt.style.use("herocon_lite.repro.book")
torch.set_default_dtype(torch.float64)  # so that checks can be strict
photos, n = ["A", "B", "C", "D"], 4
CAT, DOG = "#0072B2", "#E69F00"
tints = [CAT, CAT, DOG, DOG]
view1 = torch.tensor([90.0, 128.0, 228.0, 300.0]).deg2rad()
view2 = torch.tensor([58.0, 140.0, 215.0, 315.0]).deg2rad()


def on_circle(angle):
    return torch.stack([angle.cos(), angle.sin()], dim=-1)


def cos(a, b):
    """Cosines of all rows of a with all rows of b."""
    return F.normalize(a, dim=1) @ F.normalize(b, dim=1).T


z1, z2 = on_circle(view1), on_circle(view2)  # (4, 2) each


def pull_and_push(weights, τ=1.0, to=view2):
    """How A's loss slides view 2, and the share of each in the sum."""
    angle = to.clone().requires_grad_()
    terms = weights * (on_circle(angle) @ z1[0] / τ).exp()
    share = terms / terms.sum()
    (slide,) = torch.autograd.grad(share[0].log(), angle)  # of −loss
    return slide, share.detach()


def constant_weights(to=view2):
    """g for H = identity; the positive keeps weight 1."""
    weights = (1 - on_circle(to) @ z1[0]).exp()
    weights[0] = 1
    return weights


slide, share = pull_and_push(torch.ones(n))
slide_g, share_g = pull_and_push(constant_weights())
push, push_g = share[1:], share_g[1:]
part, part_g = push / push.sum(), push_g / push_g.sum()

check = Checks()
near = (z2 @ z1[0])[1:]
check("B is the nearest negative", near.argmax() == 0)
check("more than half of the push falls on B", part.max() == part[0] > 0.5)
check("the weights share it out evenly", (part_g - 1 / 3).abs().max() < 1e-12)
check("B alone is pushed less", push_g[0] < push[0])
check("the dogs are pushed more", (push_g[1:] > push[1:]).all())
check("the total push grows", push_g.sum() > push.sum())
badges(check, reads="9 min", runs="10 s")

# %% tags=["remove-input"]
answer(f"""**Because every other sample counts as a negative, and the
negative nearest to the anchor is pushed hardest.** In our toy of two cats
and two dogs, {percent(part[0])} of one cat's push falls on the other cat.
HeroCon's weights $g$ share the push out, so that {percent(part_g[0])} falls
on each negative. The total push does not become smaller. The weights see
only the representations, so a dog that looks like the cat is treated as the
cat is. If the gradient flows through $g$ at temperature 1, the push can
vanish.""")

# %% mystnb={"image": {"alt": "Left: under Eq. 3 the false negative B, next to the anchor A, has a long red arrow away from A; the dogs C and D have short grey ones. Middle: with the weight g the red arrow is shorter and the arrows of C and of A' are longer. Right: bars of the part of the push on B, C and D; B falls from 64 to 33 percent, C and D rise from 19 and 17 to 33 percent."}, "figure": {"caption": "What the loss of anchor A does to its other view A′ and to B, C and D; arrows are minus the gradient along the circle. *What to see:* without weights the longest push moves B, the other cat, away from A. With weights it is shorter, and the dogs take more.", "name": "fig-push-apart-cats"}} tags=["cover", "remove-input"]
forces = [plots.PULL, plots.WRONG, plots.PUSH, plots.PUSH]


def draw_anchor(ax, slide, title):
    plots.circle(ax, title, reach=1.15)
    plots.arrows(ax, view2, slide, forces, scale=2)
    plots.dots(ax, view2, tints)
    plots.names(ax, view2, ["A′", *photos[1:]], tints)
    plots.dots(ax, view1[:1], [CAT])
    plots.names(ax, view1[:1], ["A"], [CAT])
    ax.set_ylim(-1.1, 1.4)


fig, axes = plt.subplots(1, 3, figsize=(8, 3.6), dpi=160)
draw_anchor(axes[0], slide, "vanilla loss (Eq. 3)")
draw_anchor(axes[1], slide_g, "weighted by g (Eq. 5)")
plots.share_bars(axes[2], [part, part_g], photos[1:], forces[1:])
axes[2].set_title("who takes the push")
told = "The loss knows only that A′ is another view of A."
fig.suptitle(f"{told} To it, B is the nearest stranger.", fontsize=11)
plots.force_legend(fig, {"cat": CAT, "dog": DOG})
plt.show()

# %% [markdown]
# ## A picture first
#
# An encoder turns a sample into a vector, and a contrastive loss looks only at
# its direction. In two dimensions a direction is a point on a circle.
#
# A is the photo of a cat, seen in view 1. A′ is the same cat in view 2: another
# crop, say, or its sound. B is a different cat, C and D are dogs, all in view 2.
# There are no labels. A contrastive loss takes A′ as the only *positive* and all
# others as *negatives*, and asks A to recognise A′ among them:
#
# $$ L_A = -\log \frac{e^{\cos(A, A')}}{e^{\cos(A, A')} + e^{\cos(A, B)}
# + e^{\cos(A, C)} + e^{\cos(A, D)}} $$
#
# The share of a photo in that sum is how hard it is pushed:

# %%
cosines = z2 @ z1[0]  # of A with A′, B, C, D
share = cosines.exp() / cosines.exp().sum()
push = share[1:] / share[1:].sum()
[f"{name}: {part:.0%}" for name, part in zip("BCD", push, strict=True)]

# %% [markdown]
# B is pushed hardest *because* it is near, so the loss undoes what the encoder
# got right. B is a **false negative**: it belongs to A, and the loss cannot know.
# How much that spoils the end result is another question:
# [Does one false negative spoil the loss?](false_negatives.ipynb)
#
# ## Eq. 3: find your other view
#
# With $f(a, b) = \exp(\cos(a, b)/\tau)$, the vanilla loss averages $L_A$ over all
# anchors. Anchors come from view 1, everything else from view 2:
#
# $$ L_1 = -\frac1n \sum_i \log \frac{f(z_{i,1}, z_{i,2})}
# {f(z_{i,1}, z_{i,2}) + \sum_{k \ne i} f(z_{i,1}, z_{k,2})} \tag{3} $$
#
# This is Info-NCE {cite:p}`oord2018` between two views {cite:p}`tian2019cmc`. The
# paper's experiments {cite:p}`zheng2022herocon` use the *temperature* $\tau = 1$, and
# so do we unless we say otherwise. Equal embeddings have the loss $\log n$. In code it is the cross-entropy of the question
# "which of the $n$ is my other view?" (`cos` has the cosines of all pairs):


# %%
def eq3(z1, z2, τ=1.0):
    scores = cos(z1, z2) / τ  # row i: anchor i against all of view 2
    return F.cross_entropy(scores, torch.arange(len(z1)))


assert torch.isclose(eq3(z1, z2), losses.info_nce(z1, z2), atol=1e-12)

# %% [markdown]
# :::{prf:proposition} A share is a push
# :label: push-share
# Let $P_{ik}$ be the share of sample $k$ in the sum of anchor $i$, and $L_i$ its term of
# Eq. 3. Then $\partial L_i / \partial \cos_{ik} = P_{ik}/\tau$ for a negative $k$, and
# $\partial L_i / \partial \cos_{ii} = -(1 - P_{ii})/\tau$ for the positive. All pushes
# of an anchor together equal its pull.
# :::
#
# :::{dropdown} Proof
# $L_i = \log \sum_k e^{\cos_{ik}/\tau} - \cos_{ii}/\tau$. The derivative of a
# log-sum-exp is the softmax, which is $P$. The rows of $P$ add up to one, so
# $\sum_{k \ne i} P_{ik} = 1 - P_{ii}$.
# :::
#
# Among negatives the largest share is that of the nearest one: that is the answer to
# the question in the title. Along the circle a push also has the factor $\sin\theta$, so
# it fades where two points nearly coincide.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
for τ in (1.0, 0.5):
    C = cos(z1, z2).requires_grad_()
    (grad,) = torch.autograd.grad(F.cross_entropy(C / τ, torch.arange(n)), C)
    P = (C / τ).softmax(1).detach()
    force = (P - torch.eye(n)) / τ
    assert torch.allclose(n * grad, force, atol=1e-12)
    assert not torch.allclose(n * grad, P - torch.eye(n)) or τ == 1
    assert force.sum(1).abs().max() < 1e-12
equal = torch.ones(n, 2)
assert torch.isclose(eq3(equal, equal), torch.tensor(n).log())
say("✓ The gradient is $(P - I)/\\tau$, to 1e-12, at two temperatures.")

# %% [markdown]
# ## Eq. 5: weigh the negatives
#
# The paper argues that a negative which already looks like the anchor is likely to be
# a false one, and should count less. It multiplies each negative by a weight:
#
# $$ g(a, b) = \tfrac12 \left(e^{1 - \cos(a, H(b))}
# + e^{1 - \cos(H(a), b)}\right) $$
#
# $H$ is a small learned layer. In our pictures $H$ is the identity, so that
# $g = e^{1-\cos(a, b)}$. Whatever $H$ is, $g$ lies between 1 and $e^2$: near samples
# get 1, opposite ones $e^2$. Eq. 5 is Eq. 3 with these weights and with negatives from
# *both* views, as in SimCLR {cite:p}`chen2020simclr`:
#
# $$ L_u = -\frac1n \sum_i \log \frac{f(z_{i,1}, z_{i,2})}{f(z_{i,1}, z_{i,2})
# + \sum_{k \ne i} \sum_{j \in \{1, 2\}} g(z_{i,1}, z_{k,j})\,
# f(z_{i,1}, z_{k,j})} \tag{5} $$


# %%
def eq5(z1, z2, H, τ=1.0):
    n, keys = len(z1), torch.cat([z1, z2])
    f = (cos(z1, keys) / τ).exp()
    g = ((1 - cos(z1, H(keys))).exp() + (1 - cos(H(z1), keys)).exp()) / 2
    own = torch.eye(n, dtype=torch.bool).repeat(1, 2)  # the anchor itself
    negatives = (g * f).masked_fill(own, 0).sum(1)
    positive = f[:, n:].diagonal()
    return -(positive / (positive + negatives)).log().mean()


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
def identity(z):
    return z


torch.manual_seed(1)
w1, w2 = torch.randn(2, 20, 16)  # 20 samples in 16 dimensions
layer = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Sigmoid())
for a, b, net in [(z1, z2, identity), (w1, w2, layer)]:
    for τ in (1.0, 0.3):
        ours = losses.weighted_unsupervised(a, b, net, temperature=τ)
        assert torch.isclose(eq5(a, b, net, τ), ours, atol=1e-12)
say("""✓ Eq. 5 as typed here equals `losses.weighted_unsupervised` to 1e-12,
for the identity and for a random layer with a sigmoid, at two τ.""")

# %% mystnb={"image": {"alt": "Three four by four heat maps of anchors A to D against photos, purple pull on the diagonal and orange push elsewhere. Under Eq. 3 and under Eq. 5 with g equal to one the pushes between A and B and between C and D are the strongest. Under Eq. 5 with weights all pushes of a row are the same and the pulls are larger."}, "figure": {"caption": "Pull (+) and push (−) of each anchor on each photo; the two views of a negative are added. *What to see:* under Eq. 3 the strongest pushes fall on the other cat and the other dog. The weights level each row, and its pull grows.", "name": "fig-push-apart-maps"}} tags=["remove-input"]
keys = torch.cat([z1, z2])
own = torch.eye(n, dtype=torch.bool).repeat(1, 2)
f, g = cos(z1, keys).exp(), (1 - cos(z1, keys)).exp()


def force_map(terms):
    """Pull and push: terms (4, 8), the anchor's own photo left out."""
    terms = terms.masked_fill(own, 0)
    terms = terms[:, :n] + terms[:, n:] + cos(z1, z2).exp().diag().diag()
    return torch.eye(n) - terms / terms.sum(1, keepdim=True)


only_view2 = torch.tensor([0.0, 1.0]).repeat_interleave(n)
maps = [force_map(terms) for terms in (only_view2 * f, f, g * f)]
titles = ["Eq. 3", "Eq. 5 with g = 1", "Eq. 5"]
fig, axes = plt.subplots(1, 3, figsize=(8, 2.9), sharey=True)
for ax, force, title in zip(axes, maps, titles, strict=True):
    image = plots.pair_map(ax, force, photos, limit=0.7)
    ax.set(xlabel="photo", title=title)
axes[0].set_ylabel("anchor in view 1")
bar = fig.colorbar(image, ax=axes, shrink=0.85)
bar.set_label("push  ←  force  →  pull")
plt.show()

for force in maps[:2]:  # cat on cat, dog on dog
    assert force.argmin(1).tolist() == [1, 0, 3, 2]
off = maps[2][~torch.eye(n, dtype=torch.bool)].reshape(n, n - 1)
assert (off.max(1).values - off.min(1).values).max() < 1e-12
assert (maps[2].diagonal() > maps[1].diagonal()).all()

# %% [markdown]
# :::{prf:proposition} Constant weights move the push, they do not lower it
# :label: push-weights
# Let the weights be constants $g_{ik} \ge 1$, and the representations the same. Then
# no anchor's total push, and so no anchor's pull, is smaller than with $g = 1$. Between
# two negatives the ratio of the pushes changes by $g_{ik}/g_{il}$, which lies between
# $e^{-2}$ and $e^2$.
# :::
#
# :::{dropdown} Proof
# The pull is $1 - f_{ii}/(f_{ii} + \sum_k g_{ik} f_{ik})$, times $1/\tau$. The sum grows
# with each $g_{ik}$. Pushes are in the ratio of their terms $g_{ik} f_{ik}$.
# :::

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
low, high = math.inf, 0
for seed in range(200):
    torch.manual_seed(seed)
    a, b = torch.randn(2, 8, 4)
    plain = cos(a, b).exp()
    weight = (1 - cos(a, b)).exp().fill_diagonal_(1)
    pull = 1 - plain.softmax(1).diagonal()  # any positive matrix will do
    pull, pull_g = (
        1 - (m / m.sum(1, keepdim=True)).diagonal()
        for m in (plain, weight * plain)
    )
    assert (pull_g >= pull).all()
    smaller = plain * weight / math.e**2  # a constant below 1 breaks it
    smaller.diagonal().copy_(plain.diagonal())
    low = min(
        low, (1 - (smaller / smaller.sum(1)[:, None]).diagonal() - pull).min()
    )
    high = max(high, weight.max())
assert low < -0.01 and 1 < high < math.e**2
say("""✓ On 200 random batches no anchor pulls or pushes less with weights.
With $g/e^2$, which is below 1, some do.""")

# %% [markdown]
# So the paper's sentence, that the weight reduces the role of similar negatives, is
# right *relative to the other negatives*. In the toy the weights see no more than the
# loss does: a dog in the place of B would be treated alike.
#
# With one view only, the paper contrasts a representation with its own input $x$:
#
# $$ L_u = -\frac1n \sum_i \log \frac{f(A x_i, z_i)}{f(A x_i, z_i)
# + \sum_{k \ne i} g(z_i, z_k)\, f(A x_i, z_k)} \tag{4} $$
#
# The learned matrix $A$ is ours: the paper's $f(x_i, z_i)$ needs an input and a
# representation of the same size. With $g = 1$ this is the paper's Eq. 2. Both are
# `losses.input_contrast`. The public code has neither: it makes two noisy copies and
# takes Eq. 5.
#
# ## Temperature against weight
#
# With $H$ = identity and $\tau = 1$ the product $g \cdot f$ is constant, so every
# negative counts the same. At a lower temperature $f$ wins: it varies by a factor of up
# to $e^{2/\tau}$, and $g$ by at most $e^2$. Above $\tau = 1$ the farthest negative is
# pushed hardest.

# %% mystnb={"image": {"alt": "Left: three curves against the angle between two samples, from 0 to 180 degrees. The weight g rises from 1 to e squared, the similarity f falls from e to 1/e, and their product is a flat line at e. Right: the share of the push that falls on B against its angle from A. At temperature 1 it falls from 72 to 26 percent without weights and is flat at one third with them; at temperature 0.2 it falls from nearly all to almost nothing, with and without weights."}, "figure": {"caption": "Left: weight, similarity and their product at τ = 1. Right: share of the push on B while B moves around the circle. *What to see:* the weights flatten the share at τ = 1. At τ = 0.2 they hardly change it.", "name": "fig-push-apart-temperature"}} tags=["remove-input"]
degrees = torch.linspace(2, 180, 90)
cosine = degrees.deg2rad().cos()


def share_of_b(τ, weighted):
    """Part of the push on B, in percent, for each angle from A."""
    dogs = near[1:].expand(len(degrees), 2)
    c = torch.cat([cosine[:, None], dogs], dim=1)
    log_g = (1 - c) * weighted  # H = identity
    return 100 * (c / τ + log_g).softmax(1)[:, 0]


fig, axes = plt.subplots(1, 2, figsize=(8, 2.7))
ax = axes[0]
ax.plot(degrees, (1 - cosine).exp(), label="weight $g$")
ax.plot(degrees, cosine.exp(), label="similarity $f$")
ax.plot(degrees, torch.full_like(degrees, math.e), "--", label="$g · f$")
ax.set_yticks([0, 1, math.e, math.e**2], ["0", "1", "$e$", "$e^2$"])
ax.set(ylabel="factor")
ax.legend(loc="upper left")
ax = axes[1]
for τ, colour in ((1.0, "C0"), (0.2, "C1")):
    for weighted, style in ((False, "-"), (True, "--")):
        name = f"τ = {τ:g}" + ", with g" * weighted
        curve = share_of_b(τ, weighted)
        ax.plot(degrees, curve, style, color=colour, label=name)
ax.set(ylabel="push on B (%)", ylim=(-3, 103))
ax.legend(fontsize=9)
for ax in axes:
    ax.set_xticks(range(0, 181, 45))
    ax.set_xlabel("angle from the anchor (degrees)")
plt.show()

assert (share_of_b(1.0, True) - 100 / 3).abs().max() < 1e-9
assert (share_of_b(0.2, True) - share_of_b(0.2, False)).abs().max() < 10
assert torch.isclose(part[0], share_of_b(1.0, False)[24] / 100)  # at 50°
assert (share_of_b(1.5, True).diff() > 0).all()  # above 1 it rises

# %% tags=["remove-input"]
temperatures = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0)
plots.movable(
    [
        {
            "name": name,
            "x": degrees[::2],
            "y": [share_of_b(τ, weighted)[::2] for τ in temperatures],
            "dash": dash,
        }
        for name, weighted, dash in (
            ("vanilla", False, "solid"),
            ("weighted by g", True, "dash"),
        )
    ],
    [f"{τ:g}" for τ in temperatures],
    "temperature τ",
    "Share of the push on B against its angle from A, for eight temperatures",
    "angle of B from the anchor (degrees)",
    "push on B (%)",
    yrange=(0, 100),
    start=5,
)

# %% [markdown]
# ## Where do the points go?
#
# There is no encoder on the circle, but we can let the points themselves go downhill.
# The weights are constants here (`detach=True`).

# %%
H = torch.nn.Identity()


def frozen(z1, z2):
    return losses.weighted_unsupervised(z1, z2, H, detach=True)


eq3_end = descend(losses.info_nce, z1, z2, steps=600, lr=1.0)[:2]
eq5_end = descend(frozen, z1, z2, steps=600, lr=1.0)[:2]

# %% mystnb={"image": {"alt": "Three pairs of circles, view 1 outside, view 2 inside. Start: A and B near the top, C lower left, D lower right, the views some degrees apart. After Eq. 3: a square, each photo 90 degrees from the next. After Eq. 5: the views have closed up and A and B are still nearer to each other than 90 degrees."}, "figure": {"caption": "View 1 outside, view 2 inside. *What to see:* Eq. 3 ends in a square, cats no nearer than others. Eq. 5 brings the views together and the centre to the middle; A and B stay neighbours.", "name": "fig-push-apart-ends"}} tags=["remove-input"]
ends = {"start": (z1, z2), "after Eq. 3": eq3_end}
ends["after Eq. 5, g constant"] = eq5_end


def angles(z):
    return torch.atan2(z[:, 1], z[:, 0])


fig, axes = plt.subplots(1, 3, figsize=(8, 2.5))
for ax, (title, (end1, end2)) in zip(axes, ends.items(), strict=True):
    plots.circle(ax, radii=[1, 0.75], reach=1.1)
    plots.dots(ax, angles(end1), tints)
    plots.dots(ax, angles(end2), tints, radius=0.75, hollow=True)
    plots.names(ax, angles(end1), photos, tints, radius=0.52)
    ax.set_title(title, fontsize=10)
plt.show()

for z in eq3_end:  # a square, in each view
    gaps = angles(z).rad2deg().remainder(360).sort().values.diff()
    assert (gaps - 90).abs().max() < 0.1
assert torch.cat(eq5_end).mean(0).norm() < 1e-3  # centre in the middle
assert (eq5_end[0] * eq5_end[1]).sum(1).min() > 0.9999  # views agree
assert (
    eq5_end[0][0] @ eq5_end[0][1] > 0.2 > 0.01 > eq3_end[0][0] @ eq3_end[0][1]
)

# %% [markdown]
# Eq. 3 puts every photo as far from its neighbours as any other. Eq. 5 keeps what the
# encoder knows; it does not add to it. Labels add:
# [How do several labels decide who is pulled?](several_labels.ipynb)
#
# ## Where it breaks
#
# Let the gradient flow through $g$, with $H$ = identity and $\tau = 1$. The constant
# product $g \cdot f$ has no gradient, so all push is gone. Once the two views agree, all
# arrangements have the same loss, even the one where all photos sit on one point.

# %%
for z in (z1, torch.ones(n, 2)):  # spread out, and all on one point
    L_u, L_1 = losses.weighted_unsupervised(z, z, H), losses.info_nce(z, z)
    assert torch.isclose(L_u, torch.tensor(1 + 2 * (n - 1)).log())
    print(f"Eq. 5: {L_u:.3f}   Eq. 3: {L_1:.3f}")

# %% [markdown]
# A learned $H$ is not the identity, and HeroCon's objective has two more terms, which
# do punish a collapse. [What do the weights g do?](weights.ipynb) follows this up.
#
# ## Why it is fast
#
# Written as above, Eq. 5 keeps several $n \times n$ matrices for the backward pass. But
# for unit vectors $\hat z$ and $\hat h = H(z)/|H(z)|$ a cosine is a dot product, and a
# product of exponentials is the exponential of a sum:
#
# $$ g(z_i, z_k)\, f(z_i, z_k) = \frac e2 \left[
# e^{\hat z_i \cdot u_k} + e^{u_i \cdot \hat z_k} \right], \qquad
# u = \hat z/\tau - \hat h $$
#
# The weighted sum is two plain sums of exponentials of dot products, exactly. They can
# be taken a few rows at a time, and again in the backward pass: memory is
# $O(n \cdot \text{chunk})$, not $O(n^2)$.

# %%
a, h, τ = F.normalize(w1, dim=1), F.normalize(layer(w1), dim=1), 0.5
u = a / τ - h
folded = math.e / 2 * ((a @ u.T).exp() + (u @ a.T).exp())
g = ((1 - a @ h.T).exp() + (1 - h @ a.T).exp()) / 2
assert torch.allclose(folded, g * (a @ a.T / τ).exp(), rtol=1e-12)
chunked = losses.weighted_unsupervised(w1, w2, layer, chunk=3)
assert torch.isclose(chunked, eq5(w1, w2, layer), atol=1e-12)

# %% [markdown]
# [How many negatives, and at what cost?](cost.ipynb) measures time and memory.
#
# ## What we learnt
#
# - Under Eq. 3 a negative is pushed by its share of the sum, the nearest one hardest.
#   If that one is a false negative, the push is wrong.
# - The weights $g$ move push from near negatives to far ones. As constants they never
#   lower the total.
# - At a low temperature the weights hardly matter. At $\tau = 1$, with gradients
#   through $g$, the push can vanish.
#
# ## Exercises
#
# **1.** Move the dog C to 40°, as near to A (at 90°) as the cat B (at 140°). What is
# C's push divided by B's, without weights and with them?

# %%
without, with_g = ..., ...
attempt("push_apart.moved_dog", without, with_g)

# %% mystnb={"code_prompt_show": "Show solution 1", "code_prompt_hide": "Hide solution 1"} tags=["hide-cell"]
moved = torch.tensor([58.0, 140.0, 40.0, 315.0]).deg2rad()
plain = pull_and_push(torch.ones(n), to=moved)[1]
weighted = pull_and_push(constant_weights(moved), to=moved)[1]
without, with_g = plain[2] / plain[1], weighted[2] / weighted[1]
# No weight made of the cosine alone can separate them. A learned H may, if
# it uses the direction of the vectors.
attempt("push_apart.moved_dog", without, with_g)

# %% [markdown]
# **2.** With $H$ = identity and constant weights, Eq. 5 at $\tau = 0.2$ shares the push
# out as if there were no weights and another temperature. Which one?

# %%
temperature = ...
attempt("push_apart.same_as", temperature)

# %% mystnb={"code_prompt_show": "Show solution 2", "code_prompt_hide": "Hide solution 2"} tags=["hide-cell"]
# log(g f) = 1 + cos · (1/τ − 1), so 1/τ' = 1/τ − 1
temperature = 1 / (1 / 0.2 - 1)
weighted = pull_and_push(constant_weights(), τ=0.2)[1][1:]
plain = pull_and_push(torch.ones(n), τ=temperature)[1][1:]
assert torch.allclose(weighted / weighted.sum(), plain / plain.sum())
attempt("push_apart.same_as", temperature)
