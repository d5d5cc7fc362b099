# %% [markdown]
# # The noise case study: does one view let the noise in?
#
# *Reads in 14 minutes, runs in under half a minute on a CPU.*
#
# Section 4.4 of the paper {cite}`zheng2022herocon` adds more and more noise to MNIST
# {cite}`lecun1998mnist`, trains four methods on one noisy view and on two, and sees those
# with an unsupervised term lose much with one. It also says why. A result can be run
# again; an explanation can be tested by itself, and that is what most of this chapter does.
#
# **What we will see**
#
# - what Figure 2 claims, and the sentence that explains it;
# - a toy in which the explanation is right, with the condition that it needs;
# - whether MNIST with the paper's noise meets that condition, read off a spectrum;
# - the test on real digits, live: how much of a representation is noise;
# - the stored runs of the case study, Figure 2 with dots and intervals: the drop comes
#   back, and most of it is there without any noise.
#
# The stored runs grow. What this page says of them is written by a cell from the
# numbers at hand, or checked by one, and a part that has no runs says so.

# %%
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch

from herocon_lite import losses
from herocon_lite.data import load, split
from herocon_lite.data.cards import find_card
from herocon_lite.data.splits import LABELED
from herocon_lite.methods import Problem, build
from herocon_lite.repro import ledger, paper, plots, settings, stats
from herocon_lite.repro.ledger.rules import EQUIVALENCE_MARGIN
from herocon_lite.repro.paper_tables import verdicts
from herocon_lite.repro.query import CASE_STUDY_ROWS, Store, case_study
from herocon_lite.repro.stats import compare
from herocon_lite.repro.text import describe, format_diff, format_mean, table
from herocon_lite.train import Schedule, predict, train
from herocon_lite.views import two_views

plt.style.use("herocon_lite.repro.book")
torch.set_num_threads(1)  # the matrices below are small

# %% [markdown]
# ## What the paper reports
#
# Figure 2 is two panels without a table, so there are no values to set beside ours,
# only four messages and a reason. The [ledger](ledger.ipynb) has a row for each.

# %% mystnb={"markdown_format": "gfm"} tags=["hide-input"]
messages = [c for c in paper.FIGURES if c.where.startswith("Fig. 2")]
assert len(messages) == 5
table(["where", "message"], [[c.where, c.claim] for c in messages])

# %% [markdown]
# > **The paper says** why it thinks HeroCon-u and HeroCon drop with one view: Eq. 4
# > maximises the mutual information between the representation and the *input*, so a
# > noisy input puts noise into the representation. Eq. 5, with two views, does better.
# > It calls this a conjecture.
#
# Two questions, then. Does the drop come back? And is that the reason?
#
# ## The settings side by side
#
# "One view" is a noisy picture and Eq. 4. "Two views" are two pictures of the same
# digit, each with noise of its own, and Eq. 5. What "noise" means differs between the
# text and the public code; [chapter 3](views_and_labels.ipynb) shows the three recipes, and
# points E5 and E6 of [the appendix](point_by_point.ipynb) say what the code's *rate* does.

# %% mystnb={"markdown_format": "myst"} tags=["hide-input"]
text, code = (settings.paper_config("mnist", p) for p in ("paper", "released"))
labelled, own = LABELED["mnist"], paper.CASE_STUDY
rows = [
    ["noise", "deviation σ of the pixels", "deviation σ²", "as the text"],
    ["level", "share of pixels", "values below it", "as the text"],
    ["levels", "0, 25, 50, 75, 100 %", "not given", "as the text"],
    ["steps", text.steps, code.steps, text.steps],
    ["labelled rows", "20 a digit", "200 in a row", "as the text"],
    [
        "unlabelled rows a step",
        text.unlabeled_batch,
        code.unlabeled_batch,
        CASE_STUDY_ROWS,
    ],
    [
        "so $\\lvert N\\rvert$",
        text.unlabeled_batch + labelled - 1,
        code.unlabeled_batch + labelled - 1,
        CASE_STUDY_ROWS + labelled - 1,
    ],
    ["α of HeroCon-u, HeroCon", own["alpha"], "not given", "as the text"],
    ["β of HeroCon-s, HeroCon", own["beta"], "not given", "as the text"],
    ["$L_c$ on classes", "cross-entropy", "binary, a class", "as the code"],
    ["map from x to z in Eq. 4", "none", "no Eq. 4", "linear, learned"],
    ["arithmetic", "not given", "float64", "layers in bfloat16"],
    ["repetitions", "not given", "not given", "3 seeds"],
]
table(["", "the text", "the public code", "here"], rows)

# %% [markdown]
# Four lines need a word. *Unlabelled rows*: fewer than the text has, since 40 kinds of
# runs on a CPU must fit. *Arithmetic*: as in [chapter 13](noisy_mnist.ipynb), which asks
# what it changes. *$L_c$*: a binary cross-entropy for each class, as there. *Map*: Eq. 4 compares $X_i$ with $Z_i$, which have different
# sizes; ours learns a matrix $A$ and compares $AX_i$ ([chapter 1](push_apart.ipynb)).
# At noise 0 the two "views" are the same picture twice.
#
# ## The explanation as an argument
#
# *This paragraph is heuristic, as the paper's is.* Write a noisy picture as
# $x_v = c + \varepsilon_v$: what is clean, and noise that belongs to view $v$ alone.
# Minimising Eq. 4 raises a lower bound on $I(X_1; Z_1)$, and every bit of $x_1$ that
# $z_1$ keeps can raise it, a bit of $\varepsilon_1$ as much as a bit of $c$. Minimising
# Eq. 5 raises one on $I(Z_1; Z_2)$.
# Since $Z_1$ is made from $X_1$ and $Z_2$ from $X_2$, and the two noises are
# independent given $c$, $I(Z_1; Z_2) \le I(Z_1; c)$: noise counts only as far as it helps
# to read $c$. So Eq. 4 *may* keep noise and Eq. 5 has little use for it. The gaps in
# this: *may* is not *must*; the information between $x$ and a $z$ that is computed from
# it without noise is infinite for most networks, so it cannot rank them; and with
# $f = \exp(\cos)$ the bound ends at one nat ([chapter 7](unsupervised_bound.ipynb)), which
# may be reached before any noise is needed.
#
# ## A toy where it is right, and when
#
# Two numbers of signal, two of noise, and an encoder that can pass on two:
#
# $$
# x_v = (s, \varepsilon_v) \in \mathbb{R}^4, \quad s \sim N(0, I), \quad
# \varepsilon_v \sim N(0, \rho^2 I), \qquad z_v = W_v^\top x_v \in \mathbb{R}^2 .
# $$
#
# Eq. 4 pulls $z_1$ to $A x_1$, Eq. 5 pulls it to $z_2$; both without weights
# ($g = 1$), plain gradient steps, new samples in each.


# %%
def draw(n, rho, shared=False):
    """Signal, view 1's noise, and both views."""
    s, e1, e2 = torch.randn(3, n, 2)
    e2 = e1 if shared else e2
    return s, rho * e1, [torch.cat([s, rho * e], 1) for e in (e1, e2)]


def fit(equation, rho, seed, shared=False, steps=60, n=128):
    torch.manual_seed(seed)
    W, V = (0.1 * torch.randn(2, 4, 2)).unbind()
    for _ in range(steps):
        x1, x2 = draw(n, rho, shared)[2]
        W, V = W.detach().requires_grad_(), V.detach().requires_grad_()
        if equation == 4:  # V is the map A
            loss = losses.input_contrast(x1, x1 @ W, lambda x, V=V: x @ V)
        else:  # V is the second view's encoder
            loss = losses.weighted_unsupervised(x1 @ W, x2 @ V, None)
        slopes = torch.autograd.grad(loss, (W, V))
        W, V = W - 2 * slopes[0], V - 2 * slopes[1]
    return W.detach()


# %% [markdown]
# Then a linear probe asks $z_1$ for the signal and for the noise: least squares on a
# thousand new rows, $R^2$ on another thousand. An $R^2$ of 1 means that all is there.


# %%
def r2(h, target):
    """Of a linear probe from h (n, d) to the target (n, k).

    Fitted on every other row, with a little ridge; tested on the rest.
    """
    h, target = (np.asarray(a, float) for a in (h, target))
    h, target = h - h[::2].mean(0), target - target[::2].mean(0)
    h = h / (h[::2].std(0) + 1e-9)
    ridge = 0.01 * len(h[::2]) * np.eye(h.shape[1])
    B = np.linalg.solve(h[::2].T @ h[::2] + ridge, h[::2].T @ target[::2])
    rest = target[1::2] - h[1::2] @ B
    return 1 - (rest**2).sum() / (target[1::2] ** 2).sum()


def probe(equation, rho, seed, shared=False):
    W = fit(equation, rho, seed, shared)
    s, noise, (x1, _) = draw(2000, rho)
    return r2(x1 @ W, s), r2(x1 @ W, noise)


RHO, seeds = (0.25, 0.5, 1, 2), range(2)
toy = {
    (equation, rho): np.mean([probe(equation, rho, k) for k in seeds], 0)
    for equation in (4, 5)
    for rho in RHO
}

# %%
noise_kept = {case: found[1] for case, found in toy.items()}
assert all(noise_kept[5, rho] < 0.15 for rho in RHO)
assert all(toy[5, rho][0] > 0.8 for rho in RHO)
assert noise_kept[4, 0.25] < 0.1 and noise_kept[4, 2] > 0.7
print("Eq. 5: over 80 % of the signal, under 15 % of the noise, at all ρ.")
print("Eq. 4: under 10 % of the noise at ρ = 0.25, over 70 % at ρ = 2.")

# %% mystnb={"image": {"alt": "Two panels over the noise's deviation rho, from 0.25 to 2. Left, Eq. 4: the curve of the signal kept falls from nearly 1 to a little above 0 while that of the noise kept climbs from 0 to about 0.9, crossing near rho 1. Right, Eq. 5: the signal stays near 1 and the noise near 0 throughout."}} tags=["hide-input"]
fig, axes = plt.subplots(1, 2, figsize=(9, 3), sharey=True)
for ax, equation in zip(axes, (4, 5), strict=True):
    kept = np.array([toy[equation, rho] for rho in RHO])
    for column, name in enumerate(("signal", "noise")):
        style = {"color": plots.OKABE_ITO[column], "label": name}
        ax.plot(RHO, kept[:, column], "oD"[column] + "-", **style)
    ax.axvline(1, color=plots.FAINT, zorder=0)
    titles = {4: "Eq. 4, one view", 5: "Eq. 5, two views"}
    ax.set(xscale="log", title=titles[equation])
    ax.set_xticks(RHO, RHO)
    ax.minorticks_off()
    ax.set(xlabel="deviation ρ of the noise (signal: 1)")
axes[0].set(ylabel="$R^2$ of the probe", ylim=(-0.05, 1.05))
axes[0].legend()
plt.show()

# %% [markdown]
# The paper's mechanism is real: with loud noise Eq. 4 fills its two numbers with it,
# and Eq. 5 never does. But there is a condition. **Eq. 4 goes by variance, much as
# principal components do; Eq. 5 goes by what the views share, much as canonical
# correlations do.** Below $\rho = 1$, where each direction of noise varies less than
# each direction of signal, Eq. 4 keeps the signal, too.
#
# ## Does MNIST meet the condition?
#
# What counts is the variance *per direction*. A digit's variance lies in few
# directions, since neighbouring pixels go together. Noise drawn for each pixel alone
# is spread over all 784. So we can make a prediction from a spectrum. And we can
# make a noise that should behave otherwise: the same normal distribution at each
# pixel, but one draw for a whole block of 7 × 7 pixels. We call 1 and 7 its *grain*.

# %%
digits = load("mnist5k")
pixels = digits.views[0].astype(np.float32) / 255
mean, std = pixels.mean(), pixels.std()


def noisy(seed, grain):
    """The digits with N(μ, σ) noise, one draw a block; cut to bytes."""
    shape = (len(pixels), 1, 28 // grain, 28 // grain)
    random = np.random.default_rng((seed, grain))
    noise = mean + std * random.standard_normal(shape, np.float32)
    noise = noise.repeat(grain, 2).repeat(grain, 3)
    return (255 * np.clip(pixels + noise, 0, 1) + 0.5).astype(np.uint8)


GRAINS = (1, 7)
copies = {grain: [noisy(k, grain) for k in range(3)] for grain in GRAINS}
some = digits.take(np.arange(0, 5000, 5), "every fifth")
books = two_views(some, "gaussian", seed=0, share=1.0).views[0]
for grain in GRAINS:
    for moment in (np.mean, np.std):
        gap = moment(copies[grain][0][::5]) - moment(books)
        assert abs(gap) < 1.5  # of 255
print("Both grains: mean and deviation of the noisy pixels as in the")
print("case study's own noise, within 1.5 grey levels of 255.")

# %% mystnb={"image": {"alt": "Three rows of digits from MNIST: clean; with fine noise, one draw a pixel, grainy but readable; with coarse noise, one draw for each block of seven by seven pixels, a patchwork of grey squares over the digit."}} tags=["hide-input"]
shown = np.flatnonzero(np.arange(len(pixels)) % 500 == 7)
names = {1: "fine noise\n(grain 1)", 7: "coarse noise\n(grain 7)"}
pictures = {"clean": digits.views[0]}
pictures |= {names[grain]: copies[grain][0] for grain in GRAINS}
fig, axes = plt.subplots(3, 1, figsize=(8.5, 3.2))
for ax, (name, images) in zip(axes, pictures.items(), strict=True):
    ax.imshow(np.hstack(images[shown, 0]), cmap="gray", vmin=0, vmax=255)
    ax.set_yticks([14], [name])
    ax.set_xticks([])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
plt.show()


# %%
def spectrum(rows):
    """Variances along the principal directions, largest first."""
    flat = rows[::2].reshape(2500, -1)
    return np.linalg.eigvalsh(np.cov(flat.T))[::-1]


of_digits = spectrum(pixels)
of_noise = {}
for grain in GRAINS:
    noise = copies[grain][0].astype(np.float32) / 255 - pixels
    of_noise[grain] = spectrum(noise)
above = {g: int((of_digits > of_noise[g][0]).sum()) for g in GRAINS}
totals = [of_noise[g].sum() for g in GRAINS]
assert 20 < above[1] < 40 and above[7] < 8
assert abs(totals[0] / totals[1] - 1) < 0.05
print("Both noises have the same total variance, within 5 %.")
print("Directions in which digits vary more than noise does in its own")
print("loudest: over 20 with fine noise, under 8 with coarse.")
crossing = int((of_digits > of_noise[1]).sum())
assert 55 < crossing < 90
print("Rank by rank, fine noise is the louder one from somewhere between the")
print("55th and the 90th direction on.")

# %% mystnb={"image": {"alt": "Variance along principal directions, both axes logarithmic: the digits' curve starts at 5 and falls steadily; fine noise starts below 0.5 and is flat, under the digits for the first thirty or so directions; coarse noise lies at about 2 for sixteen directions, above the digits from the fifth or so on, then drops."}} tags=["hide-input"]
fig, ax = plt.subplots(figsize=(6.4, 3.4))
number = np.arange(1, 785)
ax.plot(number, of_digits, color=plots.INK, label="digits")
for grain, colour in zip(GRAINS, plots.OKABE_ITO, strict=False):
    name = names[grain].replace("\n", " ")
    ax.plot(number, of_noise[grain], color=colour, label=name)
ax.set(xscale="log", yscale="log", ylim=(2e-3, 10))
ax.set(xlabel="principal direction, of its own spectrum", ylabel="variance")
ax.legend()
plt.show()

# %% [markdown]
# The paper's noise is on the left side of the toy's crossing: in the directions that
# matter most, digits are louder. So we predict, and this was written before any full
# run existed: **with the paper's noise, Eq. 4 does not fill the representation with
# noise; with coarse noise of the same strength it does, and Eq. 5 does neither.**
#
# ## The test, live
#
# ```{admonition} Quick, mnist5k, not the case study
# :class: note
# 5,000 embedded digits, 200 of them labelled; a small MLP (50, 50) in place of the
# CNN; 100 unlabelled rows a step, 30 steps, tested on 1,600 digits; α = 0.5 as in the
# case study. Two seeds draw labels and first weights; the noise stays the same.
# ```
#
# How much of a representation is noise? Take a picture $x$ and a copy $x'$ with new
# noise, and send both through the *same* encoder. With $\bar h$ the mean over pictures,
#
# $$
# \nu = \frac{\tfrac12\, \mathbb{E}\, \lVert h(x) - h(x') \rVert^2}
# {\mathbb{E}\, \lVert h(x) - \bar h \rVert^2} .
# $$
#
# It is 0 if noise does not reach $h$, and 1 if $h$ is nothing but noise. The probe
# stands beside it: $R^2$ from $h$ to the noise, averaged over the 16 blocks of 7 × 7
# pixels. The two ask different things. The probe asks whether the noise *can be read*,
# however faint; $\nu$ asks how much of $h$ it *is*. We always take view 1's encoder,
# so both forms have 50 numbers to keep things in.


# %%
def noise_share(h, again):
    return ((h - again) ** 2).sum() / 2 / ((h - h.mean(0)) ** 2).sum()


def trained(grain, form, alpha, seed):
    views = copies[grain][: 1 if form == "eq4" else 2]
    shapes = tuple(view.shape[1:] for view in views)
    widths = {"widths": (50, 50)}
    problem = Problem(shapes, 10, "multiclass", "mlp", widths)
    options = {"alpha": alpha, "form": form} if alpha else {}
    torch.manual_seed(seed)
    # without L_u the unlabelled rows still pass through BatchNorm
    net = build("herocon-u" if alpha else "dnn-bnu", problem, **options)
    parts, plan = split(digits, seed=seed), Schedule(30, None, 100)
    seen, other = ([v[r] for v in views] for r in (parts.train, parts.test))
    train(net, seen, digits.labels[parts.train], other, plan, seed)
    net = net.eval().cpu()  # the probes below are NumPy's
    return net, parts.test[::3], [view[::3] for view in other]


def measured(grain, form, alpha, seed):
    """ν, the probe's R² for the noise, and the accuracy."""
    net, test, other = trained(grain, form, alpha, seed)
    first, _, fresh = (copies[grain][k][test] for k in range(3))
    with torch.no_grad():
        made = [net.encoders[0](torch.from_numpy(x)) for x in (first, fresh)]
    h, again = (x.double().numpy() for x in made)
    noise = first / 255 - pixels[test]
    blocks = noise.reshape(-1, 4, 7, 4, 7).mean((2, 4)).reshape(-1, 16)
    guess = predict(net, other, "multiclass").argmax(1)
    right = (guess == digits.labels[test].argmax(1)).mean()
    return noise_share(h, again), r2(h, blocks), right


# %% tags=["nbval-ignore-output"]
FORMS = {"one view": "eq4", "two views": "two_noisy"}
cases = list(product(GRAINS, FORMS, (0.0, 0.5)))
test = {}
for grain, views, alpha in cases:
    found = [measured(grain, FORMS[views], alpha, k) for k in range(2)]
    test[grain, views, alpha] = np.array(found)
print("From α = 0 to α = 0.5:")
for grain, views in product(GRAINS, FORMS):
    before, after = (test[grain, views, a].mean(0) for a in (0.0, 0.5))
    told = zip(("ν", "R²", "accuracy"), before, after, strict=True)
    told = [f"{name} {b:.2f} → {a:.2f}" for name, b, a in told]
    print(f"grain {grain}, {views:9}:", "; ".join(told))

# %% mystnb={"image": {"alt": "Three panels, quick runs on mnist5k: noise share of the representation, R2 of the noise probe, and accuracy. In each, arrows lead from the network without the unsupervised term to the one with it, for fine and coarse noise and for one and two views. Fine noise: the share falls in both forms. Coarse noise: it rises with one view and falls with two."}} tags=["hide-input", "nbval-ignore-output"]
fig, axes = plt.subplots(1, 3, figsize=(9.5, 3), sharey=True)
heads = ["noise share ν of h", "probe's $R^2$ for the noise", "accuracy"]
places = list(product(GRAINS, FORMS))
for column, (ax, name) in enumerate(zip(axes, heads, strict=True)):
    for row, (grain, views) in enumerate(places):
        colour = plots.OKABE_ITO[views == "one view"]
        found = [test[grain, views, a] for a in (0.0, 0.5)]
        for seed in range(2):
            start, end = (values[seed, column] for values in found)
            y = row + 0.24 * (seed - 0.5)
            style = {"arrowstyle": "-|>", "color": colour, "lw": 2}
            style |= {"shrinkA": 0, "shrinkB": 0, "mutation_scale": 12}
            ax.annotate("", (end, y), (start, y), arrowprops=style)
            ring = {"mfc": "white", "mec": colour, "mew": 1.5, "ms": 5}
            ax.plot(start, y, "o", **ring)
            ax.plot(end, y, alpha=0)  # the axes reach to the arrow's tip
    ax.axhline(1.5, color=plots.FAINT, lw=1)
    ax.set(xlabel=name, ylim=(3.6, -0.6))
    ax.margins(x=0.15)
grain_names = {1: "fine", 7: "coarse"}
told = [f"{grain_names[g]} noise, {views}" for g, views in places]
axes[0].set_yticks(range(4), told)
axes[0].tick_params(axis="y", length=0)
title = "quick, mnist5k: ring, without $L_u$; tip, with it"
fig.suptitle(title, fontsize=11)
plt.show()

# %%
change = {p: test[(*p, 0.5)] - test[(*p, 0.0)] for p in places}
nu = {place: found[:, 0] for place, found in change.items()}
assert (nu[1, "one view"] < -0.02).all()
assert (nu[1, "two views"] < -0.02).all()
assert (nu[7, "one view"] > 0.03).all()
assert (nu[7, "two views"] < -0.02).all()
reading = change[7, "one view"][:, 1] - change[7, "two views"][:, 1]
assert (reading > 0.05).all()
worth = change[7, "two views"][:, 2] - change[7, "one view"][:, 2]
assert worth.mean() > 0.02
louder = [change[1, views][:, 1].mean() for views in FORMS]
assert min(louder) > 0 and max(louder) < 0.08
print("Fine noise: L_u lowers the noise share in both forms, both seeds, and")
print("the probe reads a little more of it, in both forms alike.")
print("Coarse noise: Eq. 4 raises it, Eq. 5 lowers it, both seeds; the")
print("probe reads more noise after Eq. 4, and L_u is worth more accuracy")
print("with two views than with one, by over 2 points on average.")

# %% [markdown]
# So the prediction holds in the miniature. **The mechanism is real, and here the
# paper's noise does not set it off**: Eq. 4 lets noise in if the noise is louder
# than the signal in its directions, and noise drawn pixel by pixel is not, in the
# first few dozen. There Eq. 4 makes noise a smaller share of $h$, as Eq. 5 does. (A
# linear probe finds what is left a little easier to read, after either.)
#
# Two limits. Our $h$ has 50 numbers, the public code's 512; past the crossing of the two
# spectra fine noise is the louder, so a wide $h$ has room for it. Change `widths` and
# see what is left of the filter, and whether the two forms then differ. And the miniature
# does not show the paper's drop, the full runs below do, and their records hold no weights. So $\nu$ cannot say
# why. But the full runs can be asked another question: is the drop there *without* noise?
#
# One more thing is confounded in "one view or two": the second copy has *new noise on
# the same digit*, so two views simply hold more about it (exercise 3). DNN shows how
# much. A fair question is therefore not *two views − one* of HeroCon-u, but what
# $L_u$ adds to DNN **within** each form, and whether that changes with the noise. (Part
# of it may be BatchNorm's: DNN sees no unlabelled rows. The control without contrast
# of [chapter 13](noisy_mnist.ipynb), *DNN + BN(U)*, has no runs in this study.)
#
# ## The stored runs
#
# The whole MNIST, the CNN, 500 steps, 500 unlabelled rows a step. A seed draws the
# labelled digits, the noise and the first weights.


# %% tags=["nbval-ignore-output"]
store = Store("../results", "mnist", form="two_noisy")
SEEDS, SHARES = 3, (0, 0.25, 0.5, 0.75, 1)
FOUR = ("DNN", "HeroCon-s", "HeroCon-u", "HeroCon")


def kind(name, views, share):
    """How the record of such a run is found."""
    return case_study(ledger.OURS[name], share) | {"form": FORMS[views]}


every = list(product(FOUR, FORMS, SHARES))
first = slice(SEEDS - 1)  # seeds, where another chapter wants more
f1 = {case: store.runs(**kind(*case)).loc[first] for case in every}
have = sum(len(found) >= SEEDS for found in f1.values())
total = sum(map(len, f1.values()))
print(f"{total} runs of the case study are stored;", end=" ")
print(f"{have} of {len(every)} kinds have {SEEDS} seeds.")

# %%
assert len({str(kind(*case)) for case in every}) == len(every)
for found in f1.values():
    assert found.index.is_unique and found.between(0, 1).all()
ours = ["share=" in changes for changes in store.frame["changes"]]
studied = store.frame[np.array(ours, bool)]
assert set(studied["settings.steps"]) <= {text.steps}
assert set(studied["split.train"]) <= {labelled}
files = find_card("mnist").checksum.items()
assert all(read.items() <= files for read in studied["data_checksums"])
print("All runs there are: 500 steps, 200 labels, the card's files.")

# %% tags=["hide-input", "nbval-ignore-output"]
print("Kinds with products of rounded numbers (chapter 13 compares the two):")
for case in every:
    how = store.runs(metric="bfloat16", **kind(*case)).loc[first]
    if (how == "rounded").any():
        name, views, share = case
        print(f"  {name}, {views}, noise {share:.0%}")

# %% tags=["hide-input", "nbval-ignore-output"] mystnb={"image": {"alt": "Figure 2 redrawn: F1 against the share of noisy pixels, 0 to 100 percent, left with two views, right with one. For each of four methods a faint dot a seed, the mean and its 95 percent interval, joined by a line. A panel without runs says not run yet."}}
fig, axes = plt.subplots(1, 2, figsize=(9.5, 4), sharey=True)
for ax, views in zip(axes, ("two views", "one view"), strict=True):
    for number, name in enumerate(FOUR):
        x = 100 * np.array(SHARES) + 3 * (number - 1.5)
        values = [f1[name, views, share] for share in SHARES]
        plots.seed_course(ax, x, values, plots.OKABE_ITO[number], name)
    if not any(len(f1[m, views, s]) for m in FOUR for s in SHARES):
        centre = {"ha": "center", "va": "center", "color": plots.PUSH}
        ax.text(0.5, 0.5, "not run yet", transform=ax.transAxes, **centre)
    ax.set(title=views, xlabel="noisy pixels (%)", xlim=(-10, 110))
    ax.set_xticks([100 * share for share in SHARES])
axes[0].set_ylabel("F1, N-MNIST")
if total == 0:
    axes[0].set_yticks([])
keys = axes[0].get_legend_handles_labels()
fig.legend(*keys, loc="outside lower center", ncols=4)
plt.show()

# %% mystnb={"markdown_format": "gfm"} tags=["hide-input", "nbval-ignore-output"]
rows = [
    [views, f"{share:.0%}", *(format_mean(f1[m, views, share]) for m in FOUR)]
    for views, share in product(("two views", "one view"), SHARES)
]
table(["", "noise", *(f"{name}, F1 [95 %]" for name in FOUR)], rows)

# %% [markdown]
# ### One question, one row
#
# Differences on the same seed, in points. First the paper's messages, *two views − one*
# also without noise, then the explanation. The last five rows are the sharpest test of it:
# what $L_u$ adds to DNN at full noise, less what it adds without noise; how much of that
# is one view's alone; and the first as a trend, the slope of a straight line through all
# levels of noise at hand. The explanation says that these are well below zero with one
# view, and further below than with two.


# %% tags=["hide-input"]
def gap(a, b):
    return store.difference(kind(*a), kind(*b)).loc[first]


def worth_of(views, share):
    """What L_u adds to DNN, in points."""
    return gap(("HeroCon-u", views, share), ("DNN", views, share))


def trend(views):
    """Slope of L_u's worth over the share of noise, by seed."""
    worths = pd.DataFrame({s: worth_of(views, s) for s in SHARES})
    worths = [(seed, row.dropna()) for seed, row in worths.iterrows()]
    worths = {seed: row for seed, row in worths if len(row) >= 3}
    slopes = [np.polyfit(row.index, row, 1)[0] for row in worths.values()]
    return pd.Series(slopes, list(worths), dtype=float)


answers, NOISY = {}, {1: "full noise", 0: "no noise"}
for views in FORMS:
    for name in ("DNN", "HeroCon-u", "HeroCon"):
        asked = f"full noise, {views}: HeroCon-s − {name}"
        answers[asked] = gap(("HeroCon-s", views, 1), (name, views, 1))
for share, name in product((1, 0), FOUR):
    asked = f"{NOISY[share]}: {name}, two views − one"
    answers[asked] = gap((name, "two views", share), (name, "one view", share))
for views, name in product(FORMS, FOUR):
    asked = f"{views}: {name}, no noise − full"
    answers[asked] = gap((name, views, 0), (name, views, 1))
for views, share in product(FORMS, SHARES):
    asked = f"$L_u$, {views}, noise {share:.0%}: HeroCon-u − DNN"
    answers[asked] = worth_of(views, share)
rise = {v: (worth_of(v, 1) - worth_of(v, 0)).dropna() for v in FORMS}
for views in FORMS:
    answers[f"$L_u$, {views}: at full noise − without"] = rise[views]
alone = (rise["one view"] - rise["two views"]).dropna()
answers["the same, one view − two"] = alone
for views in FORMS:
    answers[f"$L_u$, {views}: trend, from none to full"] = trend(views)
TESTS = len(answers)  # all that are asked, run or not

# %% mystnb={"markdown_format": "myst"} tags=["hide-input", "nbval-ignore-output"]
rows = [
    [
        name,
        len(found),
        format_diff(compare(found)),
        describe(compare(found, TESTS), SEEDS),
    ]
    for name, found in answers.items()
]
table(["question", "seeds", "F1 [95 %]", "so the first is"], rows)

# %%
for views, share in product(FORMS, SHARES):
    a, b = (f1[name, views, share] for name in ("HeroCon-u", "DNN"))
    assert np.allclose(worth_of(views, share), 100 * (a - b).dropna())
    for name in ("HeroCon-u", "HeroCon"):
        used = store.runs(metric="settings.alpha", **kind(name, views, share))
        assert set(used) <= {own["alpha"]}
print("The rows are made of the dots above, and those of runs with the")
print("case study's own α.")

# %% [markdown]
# What $L_u$ adds to DNN at each level of noise, in a picture:

# %% tags=["hide-input", "nbval-ignore-output"] mystnb={"image": {"alt": "What L_u adds to DNN, in points of F1, against the share of noisy pixels, with dots for seeds, means and 95 percent intervals. One view: far below zero without noise, at about minus eight points, and rising with every step of noise to about minus five. Two views: near zero without noise, about plus two at full noise."}}
fig, ax = plt.subplots(figsize=(6.4, 3.4))
for number, views in enumerate(FORMS):
    colour, x = plots.OKABE_ITO[views == "one view"], 100 * np.array(SHARES)
    values = [worth_of(views, share) for share in SHARES]
    marker = "oD"[number]
    plots.seed_course(ax, x + 2 * number, values, colour, views, marker)
ax.axhline(0, color=plots.FAINT, zorder=0)
ax.set(xlabel="noisy pixels (%)", ylabel="$L_u$ adds (points of F1)")
ax.set_xticks([100 * share for share in SHARES])
ax.legend()
plt.show()

# %%
rising = "$L_u$, one view: trend, from none to full"
assert stats.interval(answers[rising]).lo > 0
print("One view: the more noise, the less L_u costs; the trend's 95 %")
print("interval, over three seeds, lies above zero.")

# %% [markdown]
# ## The verdict
#
# The ledger's rows about Figure 2. The first four ask what the paper reads off it; where
# that is *two views − one* (G3, G4), DNN's share of it is left in. The last asks its reason: with one view,
# does $L_u$ cost more at full noise than without?

# %% mystnb={"markdown_format": "gfm"} tags=["hide-input", "nbval-ignore-output"]
everything = ledger.ledger("../results")
entries = [r for r in everything if r.where.startswith("Fig. 2")]
verdicts(entries)

# %%
assert [r.claim for r in entries] == [c.claim for c in messages]
assert {r.verdict for r in entries} <= set(ledger.Verdict)
print(f"{len(entries)} rows, one for each message of the figure, and one")
print("for its reason.")

# %% [markdown]
# And the explanation, from the runs at hand:

# %% tags=["hide-input", "nbval-ignore-output"]
one, two = rise.values()
print("What full noise does to the worth of L_u (points of F1):")
for views, found in (("one view ", one), ("two views", two)):
    told = describe(compare(found, TESTS), SEEDS)
    print(f"  {views}: {format_diff(compare(found))}: {told}")
print(f"  one view − two: {format_diff(compare(alone))}")
if len(alone) < stats.MIN_SEEDS:
    print("Full runs: too few to say whether the pattern is there.")
else:
    a, b = stats.interval(one), stats.interval(alone)
    if a.lo > 0:
        print("With one view L_u costs less with noise than without; the")
        print("explanation asks for more.")
        if b.lo <= 0 <= b.hi:
            print("With two views its worth rises, too; whether more or less")
            print("than with one is not told apart.")
    elif a.hi < 0 and b.hi < 0:
        print("With one view noise lowers the worth of L_u, and more than")
        print("with two: the pattern that the explanation asks for is")
        print("there. Its cause is another matter: see the test above.")
    elif a.hi < 0:
        print("With one view noise lowers the worth of L_u; whether it does")
        print("so more than with two views is not told apart.")
    elif a.lo > -EQUIVALENCE_MARGIN:
        print("With one view, a loss of two points is excluded: the pattern")
        print("that the explanation asks for is not there.")
    else:
        print("The interval is too wide to say whether the pattern that the")
        print("explanation asks for is there.")

# %%
for share in (0, 1):
    assert stats.interval(worth_of("one view", share)).hi < 0
assert stats.interval(worth_of("two views", 1)).lo > 0
assert stats.interval(one).lo > 0
best = answers["full noise, two views: HeroCon-s − HeroCon"]
assert stats.interval(best).hi < 0
for name in ("HeroCon-u", "HeroCon"):
    drop = [answers[f"{n}: {name}, two views − one"] for n in NOISY.values()]
    assert drop[1].mean() > drop[0].mean() / 2 > 1
    assert stats.interval(drop[1]).lo > 0
for name in ("HeroCon-s", "HeroCon"):
    lost = answers[f"two views: {name}, no noise − full"]
    assert stats.interval(lost).lo > 2
print("HeroCon-u − DNN, intervals over three seeds. One view: below zero with")
print(
    "full noise and without any, and further below without. Two views: above"
)
print(
    "zero with full noise; there HeroCon is above HeroCon-s, and noise costs"
)
print("both over two points. And from two views to one HeroCon-u and HeroCon")
print(
    "lose F1 without noise, on the mean over half of what they lose with it."
)

# %% [markdown]
# **The drop comes back; the reason that the paper gives does not explain it here** (three
# seeds, each interval by itself; Eq. 4 with our linear map, and 699 negatives). With one
# view HeroCon-u and HeroCon fall behind themselves with two, and $L_u$ costs HeroCon-u F1.
# But most of the drop is there with no noise to let in, and within one view $L_u$ costs
# *less* as noise grows; for HeroCon the interval is wide on both sides of zero. What Eq. 4
# does to these networks, it mostly does to clean digits. A small part for the noise is not
# excluded: with two views the worth of $L_u$ rises with noise as well, and by how much more
# or less three seeds cannot tell. (That comparison is not clean, either: two views without
# noise are one picture twice, an easy task for Eq. 5.) And not all else of the figure comes
# back: with two views HeroCon-s is not the best, and noise is no small matter. We have not
# found out what Eq. 4 does. A guess: to be told from 699 others by a linear map of its
# pixels, $z$ must keep what sets a digit apart from others of its class, which is what a
# classifier must forget; and α = 0.5 asks for it loudly. With α = 0.1, uniform noise and
# 1,000 rows a step, [chapter 13](noisy_mnist.ipynb) asks what $L_u$ adds in this form.
#
# ## What surprised us
#
# 1. The explanation sounds right, and it is right in a toy. The condition that the toy
#    exposed made us predict that it does not apply here. The prediction did not go far
#    enough: most of the drop needs no noise at all.
# 2. In the miniature, Eq. 4 makes noise a *smaller* share of the representation when
#    the noise is fine: comparing with a linear map of the input need not copy it.
# 3. Same noise at each pixel, other grain, opposite outcome. A "noise level" in per
#    cent of pixels says little about what noise does to a contrastive loss.
#
# ## Make it again
#
# Runs that are stored are skipped. `python -m herocon_lite data mnist` says whether
# MNIST is there. The table tells what the stored runs took: processor minutes, summed,
# and the peak of the process.
#
# ```sh
# for form in two_noisy eq4; do
#   for share in 0 0.25 0.5 0.75 1; do
#     go() {
#       method=$1; shift
#       python -m herocon_lite run mnist $method --form $form \
#         --views gaussian --budget paper --seeds 3 \
#         --set share=$share precision=bfloat16 "$@"
#     }
#     go dnn
#     go herocon-s beta=10
#     go herocon-u unlabeled_batch=500 alpha=0.5
#     go herocon unlabeled_batch=500 alpha=0.5 beta=10
#   done
# done
# ```

# %% mystnb={"markdown_format": "gfm"} tags=["hide-input", "nbval-ignore-output"]
rows = []
for name, views in product(FOUR, FORMS):
    cost, peak, cells = [], [], ["–", "–", "–"]
    for share in SHARES:
        case = kind(name, views, share)
        cost += [*store.runs(metric="cost", **case).loc[first]]
        peak += [*store.runs(metric="peak_mib", **case).loc[first]]
    if cost:
        cells = [f"{sum(cost) / 60:.0f}", f"{max(cost):.0f}"]
        cells.append(f"{max(peak) / 1024:.1f}")
    wanted = SEEDS * len(SHARES)
    rows.append([name, views, f"{len(cost)} of {wanted}", *cells])
heads = ["method", "", "runs stored", "minutes, all", "longest run (s)"]
table([*heads, "peak (GiB)"], rows)

# %%
assert studied["seconds"].gt(0).all() and studied["peak_mib"].gt(0).all()
print(f"{SEEDS * len(every)} runs make the whole case study.")

# %% [markdown]
# ## What we learnt
#
# - An explanation makes predictions of its own. Test those, not only the result it
#   came with.
# - Contrast with the input (Eq. 4) goes by variance: it keeps whatever is loud,
#   signal or noise. Contrast between views (Eq. 5) goes by what they share.
# - White noise on MNIST is quiet in the directions in which digits are loud. Coarse
#   noise of the same deviation is not, and there Eq. 4 does what the paper says of it.
# - An effect of noise is a difference between noise and none. Ask for the end of the
#   curve without it before you explain the other.
# - "Two views" also means twice the data on each digit. Compare within a form.
#
# ## Exercises
#
# **1.** Noise with grain $q$ and deviation $\sigma$, before it is cut off at black and
# white: what are the eigenvalues of its covariance, and how many? From which grain on
# (a divisor of 28) is it louder than the digits' loudest direction?

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Show solution 1", "code_prompt_hide": "Hide solution 1"}
loud = []
for grain in (1, 2, 4, 7, 14, 28):
    line = np.kron(np.eye(28 // grain), np.ones((grain, grain)))
    # Cov = σ² (line ⊗ line), so its eigenvalues are products of line's
    values = np.linalg.eigvalsh(line)
    found = std**2 * np.outer(values, values).ravel()
    large = found[found > 1e-6]
    assert len(large) == 784 // grain**2
    assert np.allclose(large, grain**2 * std**2)
    if large[0] > of_digits[0]:
        loud.append(grain)
print("784/q² eigenvalues of q²σ² each, the rest 0.")
print(f"Louder than the digits' loudest direction: from q = {loud[0]}.")
assert loud[0] == 14
# Cut off at 0 and 1, part of the noise on black is lost:
assert of_noise[7][0] < 49 * std**2 < of_digits[0]

# %% [markdown]
# **2.** Give both views of the toy the *same* noise ($\varepsilon_1 = \varepsilon_2$),
# with $\rho = 2$. What does Eq. 5 keep now, and what does the argument say?

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Show solution 2", "code_prompt_hide": "Hide solution 2"}
kept = {}
for shared in (False, True):
    found = [probe(5, 2, k, shared)[1] for k in range(2)]
    kept[shared] = np.mean(found)
assert kept[False] < 0.15 and kept[True] > 0.6
print("Own noise: Eq. 5 keeps under 15 % of it. Shared: over 60 %.")
print("Noise that the views share is signal to a contrastive loss: it")
print("raises the information between them. A camera's fixed pattern,")
print("or a fault of the scanner, is of this kind.")

# %% [markdown]
# **3.** How much do two noisy copies know more than one? Without any network: the
# nearest of ten class means, from the 200 labelled digits, with fine noise; once on
# copy 1, once on the mean of copies 1 and 2. What does that say about *two views −
# one*?

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Show solution 3", "code_prompt_hide": "Hide solution 3"}
one, two = (copies[1][k].reshape(5000, -1) / 255 for k in (0, 1))
truth = digits.labels.argmax(1)
right = {"one": [], "two": []}
for seed in range(3):
    parts = split(digits, seed=seed)
    for name, x in (("one", one), ("two", (one + two) / 2)):
        seen, y = x[parts.train], truth[parts.train]
        means = np.array([seen[y == k].mean(0) for k in range(10)])
        far = (means**2).sum(1) - 2 * x[parts.test] @ means.T
        right[name].append((far.argmin(1) == truth[parts.test]).mean())
gain = 100 * np.subtract(right["two"], right["one"])
assert (gain > 0).all()
print("Two copies are better on each of three seeds, without any loss that")
print("contrasts them. So 'two views − one' is not the worth of Eq. 5.")
