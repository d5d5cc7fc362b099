# %% [markdown]
# # What do several views and labels look like?

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show set-up and checks", "code_prompt_hide": "Hide set-up and checks"}
import json
from math import erf, sqrt
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from herocon_lite.data import load
from herocon_lite.repro.chapter import (
    Checks,
    answer,
    attempt,
    badges,
    fold,
    say,
)
from herocon_lite.repro.label_counts import (
    growing_sets,
    label_counts,
    partner_chance,
    set_sizes,
)
from herocon_lite.repro.text import percent, table
from herocon_lite.views import two_views

plt.style.use("herocon_lite.repro.book")
check = Checks()
digits = load("mfeat")  # real, embedded
genes = load("yeast")  # real, embedded
mnist = load("mnist5k")  # real, embedded
faces = load("faces", n=2000)  # SYNTHETIC, drawn by code
stored = Path("../results/label_counts.json").read_text()
counted = json.loads(stored)["sets"]  # aggregate counts of the full data
for dataset in (mnist, genes, digits, faces):
    shapes = [view.shape[1:] for view in dataset.views]
    counted[dataset.name] = {"views": shapes, **label_counts(dataset.labels)}
celeba, scene = counted["celeba"], counted["scene"]

# views that come with the data
VIEWS = ["Fourier", "profiles", "Karhunen-Loève"]
VIEWS += ["pixels", "Zernike", "shape"]


def nearest(x):
    """For each sample the nearest other one, features standardised."""
    x = (x - x.mean(0)) / x.std(0)
    square = (x**2).sum(1)
    distance = square[:, None] + square - 2 * x @ x.T
    np.fill_diagonal(distance, np.inf)
    return distance.argmin(1)


digit = digits.labels.argmax(1)
either = np.isin(digit, (6, 9))
hit, swap = {}, {}
for name, view in zip(VIEWS, digits.views, strict=True):
    guess = digit[nearest(view)]
    hit[name] = (guess == digit).mean()
    swap[name] = (guess == 15 - digit)[either].mean()  # 6 for 9, 9 for 6
blind = [name for name in VIEWS if swap[name] > 0.3]
never = [name for name in VIEWS if swap[name] == 0]
check(
    "three views mix up six and nine", blind == ["Fourier", "Zernike", "shape"]
)
check("the other three never do", len(never) == 3 and "pixels" in never)

# views that are made: the noises of "noisy MNIST"
RATES, SHARES = (0, 0.1, 0.25, 0.5, 1), (0, 0.25, 0.5, 0.75, 1)
some = mnist.take(np.arange(0, 5000, 5), "every fifth digit")
pixels = some.views[0] / 255
mean, std = pixels.mean(), pixels.std()


def below(rate, mean, std):
    """Share of N(mean, std = variance) below the rate."""
    return (1 + erf((rate - mean) / std**2 / sqrt(2))) / 2


def found(views):
    """How often the most similar raw picture of view 2 is the partner."""
    one, two = (view.reshape(len(view), -1) / 255 for view in views)
    one, two = (x / np.linalg.norm(x, axis=1)[:, None] for x in (one, two))
    return ((one @ two.T).argmax(1) == np.arange(len(one))).mean()


noisy, noise_rows, easy = {}, [], {}
forms = [("paper", "uniform", {})]
forms += [("gaussian", f"share {s:g}", {"share": s}) for s in SHARES]
forms += [("released", f"rate {r:g}", {"rate": r}) for r in RATES]
for recipe, told, setting in forms:
    level = next(iter(setting.values()), 1)
    pair = two_views(some, recipe, seed=0, **setting)
    noisy[recipe, level] = pair.views
    on = here = level
    if recipe == "released":
        here = below(level, mean, std)
        on = below(
            level,
            counted["mnist"]["pixel_mean"],
            counted["mnist"]["pixel_std"],
        )
    changed = (pair.views[0] != some.views[0]).mean()
    assert changed <= here + 0.01  # noise that rounds to nothing is on, too
    easy[recipe, level] = found(pair.views)
    noise_rows.append(
        [
            recipe,
            told,
            percent(on),
            percent(changed),
            percent(easy[recipe, level]),
        ]
    )
check(
    "released noise: nearly all partners are found",
    easy["released", 0.1] > 0.99,
)
check("case study's: most", 0.85 < easy["gaussian", 1] < 1)
check("uniform noise: fewer than six in ten", easy["paper", 1] < 0.6)
draws = mean + std**2 * np.random.default_rng(0).standard_normal(1_000_000)
for rate in RATES:
    gap = abs((draws < rate).mean() - below(rate, mean, std))
    check(f"a million draws agree at rate {rate}", gap < 0.002)
full = below(
    0.5, counted["mnist"]["pixel_mean"], counted["mnist"]["pixel_std"]
)
check("the rate stops counting at one half", full > 0.99)

# labels
Y = genes.labels.astype(int)
together = Y.T @ Y  # (14, 14): genes with both classes
also = 100 * together / together.diagonal()[:, None]
check("classes 12 and 13 come together", also[11, 12] > 95)
rates = celeba["rates"]
like = [rates.get(name, 1 - rates["No_Beard"]) for name in faces.label_names]
off = np.abs(faces.labels.mean(0) - like).max()
check("drawn faces have CelebA's rates, to five points", off < 0.05)
check("Table 1: MNIST", counted["mnist"]["mean_set"] == 7000)
check("Table 1: CelebA, vectors", celeba["vectors"] == 115114)
check("Table 1: CelebA, mean", round(celeba["mean_set"], 2) == 1.76)
chances = {
    "CelebA, 500": [f["partner"]["500"] for f in celeba["first_labels"]],
    "CelebA, 50": [f["partner"]["50"] for f in celeba["first_labels"]],
    "yeast, 120": [partner_chance(n, 120) for n in growing_sets(genes.labels)],
    "Scene, 120": [f["partner"]["120"] for f in scene["first_labels"]],
}
rare, common = chances["CelebA, 50"][-1], chances["Scene, 120"][-1]
check("CelebA, 50: hardly ever", rare < 0.01)
check("CelebA, 500: rarely", chances["CelebA, 500"][-1] < 0.05)
check("Scene, 120: nearly always", common > 0.97)
check(
    "nearly half of CelebA's faces are alone",
    0.4 < celeba["unique_share"] < 0.5,
)
badges(check, reads="9 min", runs="20 s")

# %% tags=["remove-input"]
answer(f"""**Views differ in what they can see, and labels come together.**
Of six views of a handwritten digit three mix up six and nine, and three
never do. Views made by adding noise are easy to match: with the public
code's noise raw pixels find {percent(easy["released", 0.1])} of the
partners before any training. The counts in the paper's Table 1 are right.
Its conclusion, that SupCon cannot be applied to several labels, holds for
CelebA and not for Scene: there {percent(common)} of the samples find an
equal among 120.""")

# %% mystnb={"image": {"alt": "Top: six panels of one handwritten six: its pixels as a small picture, and the Fourier, profile, Karhunen-Loeve, Zernike and morphological features as bars. Bottom: five drawn faces labelled synthetic, beside a matrix with thirteen attribute columns, a filled square where a face has the attribute. Each of these five has three of them, and no two have the same three."}, "figure": {"caption": "Top: one handwritten six in six views; bars are standardised features. Bottom: five SYNTHETIC faces and their attributes. *What to see:* nothing in the bars looks like a six. No two faces have the same labels, and some labels are shared.", "name": "fig-views-and-labels-both"}} tags=["remove-input"]
INK, GREY = "#0072B2", "#C9CED3"


def picture(ax, image, title="", size=9):
    """A grey or a coloured picture, without axes."""
    if image.ndim == 3:
        image = image[0] if len(image) == 1 else image.transpose(1, 2, 0)
    ax.imshow(image, cmap="gray")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)
    ax.set_title(title, fontsize=size)


six, shown = 1203, np.arange(5)
fig = plt.figure(figsize=(8, 5.4))
top, bottom = fig.subfigures(2, 1, height_ratios=[1, 2])
order = [3, 0, 1, 2, 4, 5]  # the pixels first
for ax, v in zip(top.subplots(1, 6), order, strict=True):
    values = digits.views[v][six]
    if VIEWS[v] == "pixels":
        picture(ax, values.reshape(16, 15))
    else:
        spread = digits.views[v].std(0)
        standard = (values - digits.views[v].mean(0)) / spread
        ax.bar(np.arange(len(values)), standard, width=1, color=INK)
        ax.axhline(0, color=GREY, lw=1, zorder=0)
        ax.axis("off")
    ax.set_title(f"{VIEWS[v]}\n{len(values)} numbers", fontsize=9)

ax = bottom.subplots()
for row, i in enumerate(shown):
    where = (-1.75, -0.75, row + 0.5, row - 0.5)
    ax.imshow(faces.views[0][i].transpose(1, 2, 0), extent=where)
    for column, has in enumerate(faces.labels[i] == 1):
        edge, fill = (INK, INK) if has else (GREY, "white")
        ax.plot(column, row, "s", ms=15, mfc=fill, mec=edge)
names = [name.replace("_", " ") for name in faces.label_names]
ax.set_xticks(range(13), names, rotation=40, ha="right", fontsize=9)
ax.set_yticks([])
ax.set(xlim=(-1.8, 12.5), ylim=(4.55, -0.55), aspect="equal")
ax.spines[:].set_visible(False)
ax.tick_params(length=0)
plt.show()
assert len(np.unique(faces.labels[shown], axis=0)) == 5

# %% [markdown]
# ## Which data?
#
# A post in a social network may have a picture and a text, and several tags. Data with
# several views and several labels is what the paper {cite:p}`zheng2022herocon` calls
# *complex heterogeneity*. Of its four data sets only CelebA {cite:p}`liu2015celeba` has
# several labels and, made from one picture, two views. XRMB {cite:p}`wang2015xrmb` has two
# views of its own; we could not obtain it, so MOCHA-TIMIT
# {cite:p}`wrench2000mocha` takes its place. [Data cards](data_cards.ipynb) lists all sets and the sizes of their views. Four
# of them lie inside this project.
#
# ## Are views blind?
#
# Mfeat {cite:p}`duin_mfeat` has 2,000 handwritten digits in six views. We give each view a
# simple task: find the nearest other digit. Is it the same digit?

# %%
view = digits.views[VIEWS.index("Fourier")]
guess = digit[nearest(view)]  # the digit of the nearest other sample
six_or_nine = np.isin(digit, (6, 9))
right = (guess == digit).mean()
mixed_up = (guess == 15 - digit)[six_or_nine].mean()
print(f"Fourier: {right:.0%} right, 6 and 9 mixed up in {mixed_up:.0%}")

# %% mystnb={"image": {"alt": "Two bar charts over the six views. Left: the nearest neighbour has the right digit in 96 to 97 percent of cases for profiles, Karhunen-Loeve and pixels, about 79 percent for Fourier and Zernike, 66 percent for shape. Right: six and nine are swapped never by the first three, but in half to three quarters of the cases by Fourier, Zernike and shape."}, "figure": {"caption": "Nearest neighbours by one view at a time. *What to see:* the three views in orange mix up six and nine, the others never do.", "name": "fig-views-and-labels-blind"}} tags=["remove-input"]
fig, axes = plt.subplots(1, 2, figsize=(8, 2.5), sharey=True)
by_hit = sorted(hit, key=hit.get)
colours = ["#D55E00" if name in blind else INK for name in by_hit]
titles = "nearest neighbour is the same digit", "6 and 9 mixed up"
for ax, part, title in zip(axes, (hit, swap), titles, strict=True):
    bars = ax.barh(
        by_hit, [100 * part[name] for name in by_hit], color=colours
    )
    ax.bar_label(bars, fmt="%.0f", padding=3, fontsize=9)
    ax.set(title=title, xlabel="%", xlim=(0, 108))
plt.show()

# %% [markdown]
# A nine is a six turned by half a circle, and Fourier and Zernike features are made so
# that turning matters little. So a sample that puzzles one view may be plain in another.
# There is a price: a contrastive loss between views wants two encoders to agree, and they
# cannot agree on what only one of them can see.
#
# ## Are made views easy?
#
# MNIST {cite:p}`lecun1998mnist` has one view. The paper adds noise, and describes it in
# three ways. Its data section has Gaussian noise in one sentence and uniform noise on
# [0, 1] in the next (recipe `paper`). Its case study draws from a normal distribution
# with MNIST's mean and deviation, on a share of the pixels (`gaussian`). The public code
# draws from a normal whose deviation is the *variance* of the pixels, and adds the noise
# where its **value** is below a `rate` (`released`). That rate is no percentage.

# %%
pair = two_views(some, "released", rate=0.1, seed=0)  # 1,000 digits
one, two = (view.reshape(1000, -1) / 255 for view in pair.views)
one, two = (x / np.linalg.norm(x, axis=1)[:, None] for x in (one, two))
partner = (one @ two.T).argmax(1)  # the most similar raw picture
print(f"{(partner == np.arange(1000)).mean():.0%} of the partners found")

# %% tags=["remove-input"]
with_noise = ", ".join(row[2] for row in noise_rows[-len(RATES) :])
say(f"""The case study's noise on all pixels leaves
{percent(easy["gaussian", 1])} of the pairs to be found this way, the
uniform one {percent(easy["paper", 1])}. The public code's rates 0, 0.1,
0.25, 0.5 and 1 put noise on {with_noise} of the pixels.""")

# %% tags=["remove-input"]
heads = ["recipe", "level", "pixels with noise", "pixels changed"]
heads = [*heads, "partners found by raw pixels"]
fold("All recipes and levels", table(heads, noise_rows, align="llrrr"))

# %% mystnb={"image": {"alt": "Two rows of six pictures of one handwritten digit. First column: clean above, uniform noise over the whole picture below, the digit barely visible. Above, Gaussian noise on 0, 25, 50, 75 and 100 percent of the pixels, from clean to grainy. Below, the released form at rates 0, 0.1, 0.25, 0.5 and 1, which look almost clean at 0 and 0.1 and veiled in faint grey from 0.25 on."}, "figure": {"caption": "One digit under the three noises. *What to see:* the uniform noise fills the picture, the Gaussian sprinkles it. The public code's is faint, and stops growing at a rate of one half.", "name": "fig-views-and-labels-noise"}} tags=["remove-input"]
which = 420
fig, axes = plt.subplots(2, 6, figsize=(8, 3.2))
picture(axes[0, 0], some.views[0][which], "clean")
picture(axes[1, 0], noisy["paper", 1][0][which], "uniform")
for column, (share, rate) in enumerate(zip(SHARES, RATES, strict=True), 1):
    image = noisy["gaussian", share][0][which]
    picture(axes[0, column], image, f"gaussian, {share:.0%}")
    image = noisy["released", rate][0][which]
    picture(axes[1, column], image, f"released, {rate}")
plt.show()

# %% [markdown]
# Two noisy copies share everything but the noise. Where it is faint, the question of
# Eq. 3, "which of these is my other view?", needs no understanding of digits. A result on
# "noisy MNIST" means little until it says which noise:
# [Noisy MNIST: which noise, which AUC?](noisy_mnist.ipynb)
#
# Pictures in colour get their views from cropping and recolouring: one change a view, as
# the paper names them; both on both, as SimCLR {cite:p}`chen2020simclr` does; or the
# public code's fixed crop and green noise.

# %% mystnb={"image": {"alt": "A row of drawn faces, labelled synthetic. One face is shown as it is and then in two views by three recipes: paper, crop and colour each in one view; simclr, both in both views; released, a fixed crop with red and blue swapped in view 1 and green noise on the lower half in view 2."}, "figure": {"caption": "A SYNTHETIC face, two views by each recipe. *What to see:* the public code's views differ in red and blue and stand in the corner of a black square.", "name": "fig-views-and-labels-faces"}} tags=["remove-input"]
few = faces.take(np.array([0, 8]), "two faces")
ways = ("paper", "simclr", "released")
pairs = [two_views(few, recipe, seed=3) for recipe in ways]
ratios = [1, 0.15, 1, 1, 0.15, 1, 1, 0.15, 1, 1]
fig, axes = plt.subplots(1, 10, figsize=(8.4, 1.7), width_ratios=ratios)
for ax in axes[[1, 4, 7]]:
    ax.axis("off")
picture(axes[0], few.views[0][0], "face")
for pair, recipe, start in zip(pairs, ways, (2, 5, 8), strict=True):
    for number in (0, 1):
        title = f"{recipe}\nview {number + 1}"
        picture(axes[start + number], pair.views[number][0], title)
plt.show()

# %% [markdown]
# ## Labels come together
#
# A digit has one label. A yeast gene {cite:p}`elisseeff2001` has several, and they depend
# on each other.

# %% mystnb={"image": {"alt": "Left: histogram of the number of classes a yeast gene has, from one to eleven, most often four. Right: heat map of fourteen yeast classes; a cell is the percentage of genes with the row's class that also have the column's. Classes 12 and 13 come almost always together, and classes 1 to 5 overlap with their neighbours. Class 14 is very rare."}, "figure": {"caption": "Labels of yeast genes: how many a gene has, and which come together, in per cent. *What to see:* classes 12 and 13 are nearly one label; 14 is so rare that a small batch has none of it.", "name": "fig-views-and-labels-yeast"}} tags=["remove-input"]
fig, axes = plt.subplots(1, 2, figsize=(8.4, 3.5), width_ratios=[1, 1.7])
per_gene = np.bincount(Y.sum(1))
axes[0].bar(range(len(per_gene)), per_gene, color=INK)
axes[0].set(xlabel="classes of a gene", ylabel="genes", title="label count")
ax = axes[1]
ax.imshow(also, cmap="cividis", vmin=0, vmax=100)
for i, j in np.ndindex(14, 14):
    colour = "black" if also[i, j] > 55 else "white"
    style = dict(ha="center", va="center", fontsize=6.5, color=colour)
    ax.text(j, i, f"{also[i, j]:.0f}", **style)
numbers = range(1, 15)
yours = [f"{k} ({n})" for k, n in zip(numbers, Y.sum(0), strict=True)]
ax.set_yticks(range(14), yours, fontsize=8)
ax.set_xticks(range(14), numbers, fontsize=8)
ax.tick_params(length=0)
ax.set(xlabel="… also has class", ylabel="of genes with class (how many)")
plt.show()
assert per_gene.argmax() == 4 and Y[:, 13].sum() < 40

# %% [markdown]
# ## Table 1, counted again
#
# SupCon {cite:p}`khosla2020` pulls samples of one class together. With several labels the
# obvious reading is "same label vector". The paper's Table 1 counts how often a vector
# repeats, and concludes that SupCon cannot be applied to multi-label data. Let $n_v$
# samples have the label vector $v$.
#
# $$ \text{mean over vectors: } \frac{\sum_v n_v}{\sum_v 1} \qquad
# \text{mean over samples: } \frac{\sum_v n_v \cdot n_v}{\sum_v n_v} $$
#
# The first is the paper's. The second is what a *sample* sees when it looks for its kind:
# large sets hold more samples, so samples live in large sets.

# %% tags=["remove-input"]
rows = []
for name in ("mnist", "celeba", "scene", "mocha", "yeast", "birds", "faces"):
    counts = counted[name]
    row = [f"{counts['rows']:,}", counts["labels"]]
    row += [f"{counts['cardinality']:.1f}", f"{counts['vectors']:,}"]
    row += [f"{counts['mean_set']:,.2f}", f"{counts['size_biased']:,.2f}"]
    synthetic = ", drawn" * (name == "faces")
    rows.append(
        [f"`{name}`{synthetic}", *row, percent(counts["unique_share"])]
    )
heads = ["data set", "samples", "labels", "a sample", "vectors"]
heads += ["mean over vectors", "over samples", "alone"]
table(heads, rows, align="lrrrrrrr")

# %% tags=["remove-input"]
say(f"""Table 1 is right to its last digit. CelebA looks emptier in it than
to a face: a face has {celeba["size_biased"] - 1:.0f} equals on average,
though {percent(celeba["unique_share"])} of the faces have none. But
training sees batches. In a random batch of $b$ of all $n$ samples, one
meets its equal with probability""")

# %% [markdown]
# $$ 1 - \sum_v \frac{n_v}{n} \prod_{t=0}^{b-2} \frac{n - n_v - t}{n - 1 - t} . $$

# %% mystnb={"image": {"alt": "Two plots against the number of labels used, up to 40. Left, logarithmic: distinct label vectors. CelebA follows two to the k at first, then bends and reaches 115,114 at 40 labels; yeast reaches 198 at 14, Scene 15 at 6. Right: the chance that a sample finds a partner with the same vector in a batch. For CelebA it falls from 100 percent to almost nothing at 40 labels, earlier for a batch of 50 than of 500. For yeast at batch 120 it is about 76 percent at 14 labels, for Scene at batch 120 it stays at 98 percent."}, "figure": {"caption": "With the first k labels of each set: how many label vectors there are, and how likely a sample meets its equal in a random batch. *What to see:* on CelebA the chance falls to almost nothing. On Scene it stays near one.", "name": "fig-views-and-labels-partner"}} tags=["remove-input"]
stages = list(growing_sets(genes.labels))
curves = {
    "CelebA": [f["vectors"] for f in celeba["first_labels"]],
    "yeast": [len(sizes) for sizes in stages],
    "Scene": [f["vectors"] for f in scene["first_labels"]],
}
colour = {"CelebA": "#0072B2", "yeast": "#D55E00", "Scene": "#009E73"}
fig, axes = plt.subplots(1, 2, figsize=(8.4, 3.3))
k = np.arange(1, 41)
ax = axes[0]
ax.plot(k[:20], 2.0 ** k[:20], ":", color="0.5", label="$2^k$")
for name, values in curves.items():
    ax.plot(k[: len(values)], values, color=colour[name], label=name)
    ax.plot(len(values), values[-1], "o", color=colour[name])
ax.axhline(celeba["rows"], color=GREY, lw=1)
ax.text(40, celeba["rows"] * 1.2, "CelebA's faces", ha="right", fontsize=9)
ax.set(yscale="log", xlabel="labels used, k", title="distinct label vectors")
ax.legend()
ax = axes[1]
for name, values in chances.items():
    style = "--" if name.endswith(" 50") else "-"
    c, part = colour[name.split(",")[0]], 100 * np.array(values)
    ax.plot(k[: len(values)], part, style, color=c, label=name)
    ax.plot(len(values), part[-1], "o", color=c)
ax.set(xlabel="labels used, k", ylabel="%", ylim=(-3, 103))
ax.set_title("an equal in a random batch of …")
ax.legend(fontsize=9)
plt.show()

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show the check of the formula", "code_prompt_hide": "Hide the check"}
random = np.random.default_rng(0)
_, vector = np.unique(genes.labels, axis=0, return_inverse=True)
met = []
for _ in range(2000):
    batch = vector.ravel()[random.choice(len(genes), 120, replace=False)]
    met.append((np.bincount(batch)[batch] > 1).mean())
exact = partner_chance(set_sizes(genes.labels), 120)
assert abs(np.mean(met) - exact) < 0.005
assert abs(np.mean(met) - partner_chance(set_sizes(genes.labels), 100)) > 0.01
say(f"""In the paper's batches of 50, {100 * rare:.1f} % of CelebA's faces
meet an equal, and {100 * chances["CelebA, 500"][-1]:.1f} % among all 500
labelled ones. So the argument holds on CelebA. It is an argument about
*many* labels, not about *several*: on Scene {percent(common)} meet one
among 120, and SupCon can be used as it is.""")

# %% [markdown]
# ## Where it breaks
#
# The same number cuts both ways. Unsupervised losses suffer from negatives that are the
# anchor's equals, the *false negatives* of
# [Why does a contrastive loss push look-alikes apart?](push_apart.ipynb) A random other
# sample is one with probability (mean over samples − 1)/(n − 1):

# %% tags=["remove-input"]
negatives = {"scene": 2406, "mnist": 4199, "mocha": 4999, "celeba": 249}
rows, equals = [], {}
for name, size in negatives.items():
    share = (counted[name]["size_biased"] - 1) / (counted[name]["rows"] - 1)
    equals[name] = size * share
    rows.append(
        [f"`{name}`", f"{size:,}", f"{equals[name]:,.2f}", f"{share:.3%}"]
    )
assert equals["celeba"] < 0.02 < 100 < min(equals["scene"], equals["mnist"])
heads = ["data set", "negatives of an anchor", "its equals among them"]
table([*heads, "share"], rows, align="lrrr")

# %% [markdown]
# The sizes are the paper's; MOCHA's is XRMB's. Where exact equals are too rare for SupCon,
# they are too rare to harm a vanilla loss. On CelebA both halves of the paper's motivation
# cannot rest on the same notion of "equal". They can rest on *partial* matches, which the
# weights $\sigma$, $\gamma$ and $g$ are for; Table 1 does not count those.
#
# ## What we learnt
#
# - A view may be blind to what another sees. Two noisy copies differ in nothing but the
#   noise, and faint noise makes pairs that raw pixels find.
# - "Noisy MNIST" is three different things, and the released `rate` is no share of pixels.
# - Table 1 is right. Exact label matches vanish with many labels, as on CelebA; with 15
#   label vectors, as on Scene, they do not.
#
# ## Exercises
#
# **1.** The mean over samples is never below the mean over vectors. By how much does it
# lie above it for yeast, and when are the two equal?

# %%
above = ...  # from set_sizes(genes.labels)
attempt("views_and_labels.size_biased", above)

# %% mystnb={"code_prompt_show": "Show solution 1", "code_prompt_hide": "Hide solution 1"} tags=["hide-cell"]
# Σ n² / Σ n = (mean² + variance) / mean, so it lies variance / mean above.
# Equal: all sets have one size, as the 500 digits of each kind in mnist5k.
sizes = set_sizes(genes.labels)
above = sizes.var() / sizes.mean()
assert set_sizes(mnist.labels).var() == 0
attempt("views_and_labels.size_biased", above)

# %% [markdown]
# **2.** Take the seven most frequent classes of yeast, and then the seven rarest. With
# which does a gene find an equal more easily in a batch of 120? Why?

# %%
easier = ...  # "most frequent" or "rarest"
attempt("views_and_labels.seven_classes", easier)

# %% mystnb={"code_prompt_show": "Show solution 2", "code_prompt_hide": "Hide solution 2"} tags=["hide-cell"]
by_rate = np.argsort(genes.labels.mean(0))
chance = {
    name: partner_chance(set_sizes(genes.labels[:, chosen]), 120)
    for name, chosen in {
        "rarest": by_rate[:7],
        "most frequent": by_rate[7:],
    }.items()
}
easier = max(chance, key=chance.get)
# Many genes have none of the rare classes, and to SupCon these are one class:
# alike in what they are not. Per label, as in Eq. 7, they would not be pulled.
attempt("views_and_labels.seven_classes", easier)
