# %% [markdown]
# # Train HeroCon in three lines, then open the box
#
# *Reads in 15 minutes, runs in half a minute on a CPU, faster on a GPU.*
#
# So far we had losses. A loss alone learns nothing: it needs encoders, batches, an
# optimiser, and rows to learn from. Here all of them come together, first as a box
# with one button, then with its lid off.
#
# **What we will see**
#
# - handwritten digits in six views, a hundred of them labelled, learnt in three lines;
# - the same model built by hand in a dozen lines, equal to the last bit;
# - what training did: the three terms of the loss, the representation before and
#   after, the digits that are still confused;
# - how to bring your own views and labels;
# - whether it was worth it: ten splits of two data sets beside plain logistic
#   regression.

# %% [markdown]
# ## The data
#
# `mfeat` holds 2,000 handwritten digits, each described in six ways: Fourier
# coefficients of its outline, a profile, and so on. We know the class of 100 of
# them. The other 1,900 come without labels, and are also what we test on. This is
# the paper's own protocol: test *inputs* may be looked at, test *labels* may not.

# %%
import warnings

import matplotlib.pyplot as plt
import numpy as np
import torch

from herocon_lite import HeroConClassifier
from herocon_lite.data import load, split
from herocon_lite.repro import plots
from herocon_lite.runtime import pick_device

plt.style.use("herocon_lite.repro.book")
torch.set_num_threads(1)  # small nets: more threads only wait
digits = load("mfeat")
parts = split(digits, seed=0)
labelled = [view[parts.train] for view in digits.views]
unlabelled = [view[parts.unlabeled] for view in digits.views]
y = digits.labels.argmax(1)

sizes = ", ".join(str(view.shape[1]) for view in digits.views)
print(f"{len(labelled[0])} labelled and {len(unlabelled[0])} unlabelled rows")
print(f"six views of {sizes} features")

# %% [markdown]
# Training runs on a GPU if there is one.

# %% tags=["nbval-ignore-output"]
print("device:", pick_device())

# %% [markdown]
# ## Three lines

# %%
model = HeroConClassifier(steps=60, random_state=0)
model.fit(labelled, y[parts.train], unlabelled)
predicted = model.predict(unlabelled)

# %% [markdown]
# That is all. Features were scaled, six encoders were trained, and the unlabelled rows
# took part. (The default is 200 steps; 60 keep this page quick.)

# %% tags=["nbval-ignore-output"]
accuracy = model.score(unlabelled, y[parts.test])
print(f"accuracy on {len(predicted)} digits, one split: {accuracy:.3f}")

# %%
assert accuracy > 0.85, "a hundred labelled digits are enough for this"
print("More than 85 in 100 digits are right, from a hundred labelled ones.")

# %% [markdown]
# ## Open the box
#
# The estimator does nothing that you could not write yourself. It scales the
# features, builds the method called `herocon` for this problem, and hands it to the
# one training loop of the module. What is minimised is
#
# $$J = L_c + \alpha\,L_u + \beta\,L_s,$$
#
# the classification loss and the two contrastive losses of the first chapter,
# $L_u$ (Eq. 5) on all rows and $L_s$ (Eq. 7) on the labelled ones. (With one class a row, as
# here, two label vectors are either equal or not: then $L_s$ is Eq. 6.) With six views
# $L_u$ would have thirty ordered pairs of views to contrast. Each step draws one.
#
# What `build` makes: for each view an encoder (two blocks of Linear to 200, ReLU and
# BatchNorm) and a projector (one such block); one $H$ (Linear, sigmoid); a linear classifier on
# all $h$ side by side. What `train` does in a step: it takes all 100 labelled rows and 256
# unlabelled ones, adds the three terms, and goes one step of LARS downhill
# ([chapter 9](scene.ipynb) says which LARS).

# %%
from herocon_lite.methods import Problem, build
from herocon_lite.train import Schedule, predict, train

both = [np.concatenate(v) for v in zip(labelled, unlabelled, strict=True)]
exact = [v.astype(np.float64) for v in both]
scaled = [((v - v.mean(0)) / v.std(0)).astype(np.float32) for v in exact]
seen, rest = [v[:100] for v in scaled], [v[100:] for v in scaled]

# %%
torch.manual_seed(0)
problem = Problem(tuple(v.shape[1:] for v in scaled), 10, "multiclass")
chosen = model.get_params()
names = ("alpha", "beta", "temperature", "detach", "pairs")
method = build("herocon", problem, **{name: chosen[name] for name in names})
rows = {"unlabeled_batch": chosen["unlabeled_batch"], "drop_last": True}
plan = Schedule(chosen["steps"], lr=chosen["lr"], **rows)
train(method, seen, digits.labels[parts.train], rest, plan, seed=0)
by_hand = predict(method, rest, "multiclass")

assert np.array_equal(by_hand, model.predict_proba(unlabelled))
print("The estimator and the dozen lines agree in every bit.")

# %% [markdown]
# ### The loss, term by term
#
# The model keeps what each term was along the way, weights included.

# %% mystnb={"image": {"alt": "Three curves over the training steps: the classification loss falls to almost nothing, the weighted view contrast jumps about one value without a trend, the weighted label contrast falls steadily by about a tenth."}}
steps = [row["step"] for row in model.history_]
fig, axes = plt.subplots(1, 3, figsize=(9, 2.7), layout="constrained")
titles = {
    "L_c": "classification, $L_c$",
    "L_u": r"views, $\alpha L_u$",
    "L_s": r"labels, $\beta L_s$",
}
for ax, (name, title) in zip(axes, titles.items(), strict=True):
    ax.plot(steps, [row[name] for row in model.history_])
    ax.set(title=title, xlabel="step", ylabel="weighted loss")
plt.show()

# %% [markdown]
# $L_c$ nearly vanishes: a hundred rows are soon learnt by heart. The other two
# cannot, because unit vectors can only be so far apart: $L_u$ has to tell every row
# from all the others of its batch, $L_s$ every class from the others. $L_u$ hardly
# moves in these 60 steps, and jumps because each step draws another pair of views and other
# rows. What the three terms together change shows in the representation, below.

# %%
first, last = model.history_[0], model.history_[-1]
assert last["L_c"] < first["L_c"] / 10
assert abs(last["L_u"] / first["L_u"] - 1) < 0.1
assert last["L_s"] > first["L_s"] / 2
print("L_c falls by more than a factor of ten, L_u moves by under a tenth.")

# %% [markdown]
# ### The representation, before and after
#
# `transform` gives the joint representation $S$: what the six encoders say, side by
# side. We look at its two main directions on the rows that had no labels, once with
# fresh encoders and once with the trained ones.

# %% mystnb={"image": {"alt": "Two scatter plots of numerals in seven colours. Before training some digits already lie apart and others overlap; after training most of them form tighter groups of their own."}}
from sklearn.decomposition import PCA

fresh = HeroConClassifier(steps=1, lr=1e-12, random_state=0)
fresh.fit(labelled, y[parts.train], unlabelled)
shown = np.arange(0, 1900, 4)
fig, axes = plt.subplots(1, 2, figsize=(9, 4.3), layout="constrained")
titles = ("before", "after training")
for ax, net, title in zip(axes, (fresh, model), titles, strict=True):
    S = net.transform(unlabelled)
    S = S / np.linalg.norm(S, axis=1, keepdims=True)
    plane = PCA(2, random_state=0).fit_transform(S)
    for row in shown:
        digit = y[parts.test][row]
        ax.text(*plane[row], digit, color=f"C{digit % 7}", fontsize=8)
    reach = 1.1 * np.abs(plane).max()
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), title=title)
    ax.set(xlabel="first direction", ylabel="second direction")
plt.show()


# %% [markdown]
# A picture in two of many dimensions can flatter. A number does not: how often is a
# row's nearest neighbour, by cosine, of its own class?


# %% tags=["nbval-ignore-output"]
def neighbour_agrees(net):
    S = net.transform(unlabelled)
    S = S / np.linalg.norm(S, axis=1, keepdims=True)
    cosine = S @ S.T - 2 * np.eye(len(S))
    return (y[parts.test][cosine.argmax(1)] == y[parts.test]).mean()


before, after = neighbour_agrees(fresh), neighbour_agrees(model)
told = f"{before:.3f} before, {after:.3f} after"
print("nearest neighbour of the same digit:", told)

# %%
assert before > 0.8, "six views describe digits well from the start"
told = "more" if after > before else "less"
print(f"After training it agrees {told} often.")

# %% [markdown]
# ### Which digits are confused?

# %% mystnb={"image": {"alt": "A ten by ten table of counts: rows are true digits, columns the digits they were taken for. Right answers are left out; a few cells stand out."}}
confused = np.zeros((10, 10), int)
np.add.at(confused, (y[parts.test], predicted), 1)
np.fill_diagonal(confused, 0)
fig, ax = plt.subplots(figsize=(5, 4.2), layout="constrained")
image = ax.imshow(confused, cmap="Blues")
for row, column in np.argwhere(confused > 0):
    count = confused[row, column]
    ink = "white" if count > confused.max() / 2 else "black"
    style = {"ha": "center", "va": "center", "fontsize": 8, "color": ink}
    ax.text(column, row, count, **style)
ax.set(xticks=range(10), yticks=range(10))
ax.set(xlabel="taken for", ylabel="digit", title="wrong answers")
fig.colorbar(image, label="rows")
plt.show()

# %%
wrong = confused.sum()
assert wrong == (predicted != y[parts.test]).sum()
worst = np.sort(confused.ravel())[::-1][:5].sum()
assert worst > wrong / 5
print("Five of ninety possible confusions make over a fifth of the errors.")

# %% [markdown]
# ## Your own data
#
# Views are arrays with the same rows. Labels come in one of two forms.
#
# | your labels | give | what comes back |
# |---|---|---|
# | one class a row | a vector of numbers or words | `predict`: classes; `predict_proba`: a distribution |
# | any number of labels a row | a matrix of 0 and 1 | `predict`: 0/1; `predict_proba`: one probability a label |
#
# Rows without labels go into `unlabeled=`, or stay in place with −1 or NaN in their
# label row. One view is enough: a second one is then made by adding noise. If a tool
# insists on a single array, such as scikit-learn's `GridSearchCV`, put the views
# side by side and say where they end with `view_sizes`. (And shuffle its folds, as below:
# each needs labelled rows.)
#
# With a matrix of labels `predict` says yes above a threshold. It is chosen by
# cross-validation inside your labelled rows ([chapter 16](settings.ipynb) tells why), which
# takes five more fits; `threshold=0.5` saves them.
#
# Here are genes with 14 labels, several to a gene, in one array of 79 + 24
# features, most of them unlabelled.

# %%
from sklearn.model_selection import GridSearchCV, KFold

genes = load("yeast")
side_by_side = np.hstack(genes.views)[:400]
Y = genes.labels[:400].astype(int)
Y[120:] = -1  # not known

quick = HeroConClassifier(
    view_sizes=(79, 24),
    steps=20,
    unlabeled_batch=100,
    threshold=0.5,  # given, not chosen: the search is short
    random_state=0,
)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # a rare label may be absent from a fold
    folds = KFold(2, shuffle=True, random_state=0)
    grid = {"beta": [0.0, 0.1]}
    search = GridSearchCV(quick, grid, cv=folds, error_score="raise")
    search.fit(side_by_side, Y)
print("tried:", [p["beta"] for p in search.cv_results_["params"]])
assert np.isfinite(search.cv_results_["mean_test_score"]).all()

# %% [markdown]
# Wrong input gets a sentence before anything is trained.

# %%
hole = [view.copy() for view in labelled]
hole[2][5, 0] = np.nan
try:
    model.fit(hole, y[parts.train])
except ValueError as error:
    print(error)

# %% [markdown]
# ## Was it worth it?
#
# Two honest opponents: logistic regression on all views side by side, scaled; and the
# estimator's own network without contrast, `alpha=0, beta=0`. The first ten splits of
# each data set, none left out, nothing tuned: 100 labelled rows of mfeat and 120 of yeast, 200
# steps. Only the estimator learns from the unlabelled rows. These runs are stored;
# `python -m herocon_lite compare` makes them again.

# %%
from pathlib import Path

from herocon_lite.repro.estimator_benchmark import differences
from herocon_lite.repro.files import read_lines

stored = read_lines(Path("../results/estimator.jsonl"))
OTHERS = {"network": "the bare network"}
OTHERS |= {"logistic_regression": "logistic regression"}
for name in ("mfeat", "yeast"):
    runs = [row for row in stored if row["data"] == name]
    for other, words in OTHERS.items():
        sides = ("herocon", other)
        both = [np.mean([row[s]["auc"] for row in runs]) for s in sides]
        d = differences(stored, name, other)
        print(f"{name}: macro AUC {both[0]:.4f}, {words} {both[1]:.4f};")
        ends = f"{d.mean:+.4f} [{d.lo:+.4f}, {d.hi:+.4f}]"
        print(f"   difference {ends}, {len(runs)} splits")

# %% mystnb={"image": {"alt": "For each of two data sets ten dots and a bar: the difference in macro AUC between the estimator and its bare network, and between it and logistic regression, on the same split, with the mean and its 95 per cent interval against zero."}}
gains = {}
for name in ("mfeat", "yeast"):
    runs = [row for row in stored if row["data"] == name]
    for other, words in OTHERS.items():
        pairs = [(row["herocon"]["auc"], row[other]["auc"]) for row in runs]
        gains[f"{name}, less {words}"] = [a - b for a, b in pairs]
fig, ax = plt.subplots(figsize=(7, 2.6), layout="constrained")
plots.seed_rows(ax, gains, zero=True)
ax.set(xlabel="AUC of HeroConClassifier, less the other's")
plt.show()

# %%
for name in ("mfeat", "yeast"):
    for other, words in OTHERS.items():
        d = differences(stored, name, other)
        told = "above that of" if d.lo > 0 else "below that of"
        told = "not told apart from that of" if d.lo <= 0 <= d.hi else told
        print(f"{name}: HeroConClassifier's AUC is {told} {words}")
right = differences(stored, "mfeat", "network", "accuracy")
assert right.lo < 0 < right.hi
print("(95 % intervals over ten splits). Its accuracy on mfeat is not told")
print("apart from that of the bare network: AUC sees smaller things.")

# %% [markdown]
# ## What we learnt
#
# - A few labelled rows, many unlabelled ones and several views are enough for three
#   lines to work.
# - The box holds encoders, a classifier, and three terms of loss. Built by hand it
#   is the same to the last bit.
# - The classification loss is used up early; the contrastive terms stay far above
#   zero.
# - A gain over logistic regression, which is linear, may be the network's. The bare
#   network is a fairer opponent, but it never sees the unlabelled rows, not even in
#   BatchNorm's statistics. What contrast alone brings takes a third one
#   ([chapter 10](speech.ipynb)).
#   [Chapter 17](should_you_use_it.ipynb) has the answer for the paper's own data on one page.
#
# ## Exercises
#
# **1.** With `alpha=0` and `beta=0` the estimator is a plain neural network. How
# much of the accuracy above is left?

# %% tags=["hide-cell", "nbval-ignore-output"] mystnb={"code_prompt_show": "Show solution 1", "code_prompt_hide": "Hide solution 1"}
plain = HeroConClassifier(alpha=0, beta=0, steps=60, random_state=0)
plain.fit(labelled, y[parts.train])
left = plain.score(unlabelled, y[parts.test])
print(f"plain network {left:.3f}, HeroCon {accuracy:.3f}; one split")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Check solution 1", "code_prompt_hide": "Hide check 1"}
assert left > 0.8 and left > accuracy - 0.01
print("Most of it, on this split all of it: the network alone gets over 80")
print("in 100 right. Many splits are needed to see a difference.")

# %% [markdown]
# **2.** Save the model, load it, and show that nothing was lost. Why is the file not
# a pickle?

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Show solution 2", "code_prompt_hide": "Hide solution 2"}
import tempfile

with tempfile.TemporaryDirectory() as folder:
    model.save(f"{folder}/digits.safetensors")
    again = HeroConClassifier.load(f"{folder}/digits.safetensors")
assert np.array_equal(again.predict(unlabelled), predicted)
print("Equal. Reading a pickle may run a stranger's code; numbers cannot.")

# %% [markdown]
# **3.** Give the estimator only one of the six views. What does it contrast then, and
# does the answer to "how many digits are right" depend on which view it is?

# %% tags=["hide-cell", "nbval-ignore-output"] mystnb={"code_prompt_show": "Show solution 3", "code_prompt_hide": "Hide solution 3"}
alone = []
for v in range(6):
    net = HeroConClassifier(steps=20, random_state=0)
    net.fit(labelled[v], y[parts.train], unlabelled[v])
    alone.append(net.score(unlabelled[v], y[parts.test]))
print("accuracy of each view alone:", " ".join(f"{a:.2f}" for a in alone))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Check solution 3", "code_prompt_hide": "Hide check 3"}
assert max(alone) - min(alone) > 0.1 and max(alone) < accuracy + 0.05
print("It contrasts a row with its own noisy copy; views differ by over 0.1.")
