# %% [markdown]
# # Which settings matter, and can you choose them without test labels?

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show set-up and checks", "code_prompt_hide": "Hide set-up and checks"}
import json
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch

from herocon_lite import HeroConClassifier
from herocon_lite.data import load, split
from herocon_lite.repro import ablations, plots
from herocon_lite.repro.ablations import AS_PRINTED, CHANGES, GRID
from herocon_lite.repro.chapter import (
    Page,
    answer,
    attempt,
    caption,
    fold,
    say,
    wide,
)
from herocon_lite.repro.stats import Direction, compare
from herocon_lite.repro.text import (
    ci,
    format_effect,
    format_points,
    mark,
    percent,
    points,
    table,
)

plt.style.use("herocon_lite.repro.book")
torch.set_num_threads(1)  # the training below is small
page = Page("settings")
f1, auc, check, TESTS = page.f1, page.auc, page.check, page.tests
scene, mocha = page.stores["Scene"], page.stores["MOCHA"]
LOWER, NONE, HIGHER = Direction.LOWER, Direction.NONE, Direction.HIGHER

# the surface of α and β
surface = {
    metric: ablations.surface(mocha, metric) for metric in ("f1", "auc")
}
means = {metric: 100 * values.mean(2) for metric, values in surface.items()}
HOME, THEIRS = (2, 0), (1, 4)  # Table 3's point, and the paper's best on XRMB
top = tuple(
    int(k) for k in np.unravel_index(means["f1"].argmax(), means["f1"].shape)
)
span, worst = np.ptp(means["f1"]), "the paper's best − Table 3's"
kept = np.mean(
    [pick.kept for pick in ablations.pick_best(surface["f1"], HOME)]
)
by_alpha, by_beta, rest = ablations.variance_shares(means["f1"])
noise = ablations.run_noise(surface["f1"][:, :3])

# thresholds on Scene
METHODS = {
    "DNN": "dnn",
    "HeroCon-s": "herocon-s",
    "HeroCon": "herocon",
    "DeepMTMV": "deepmtmv",
}
curves = {
    name: ablations.by_threshold(scene, ours) for name, ours in METHODS.items()
}
grid = sorted(curves["DNN"])
LEADS = [
    ("HeroCon", "DNN"),
    ("HeroCon-s", "DNN"),
    ("DeepMTMV", "DNN"),
    ("HeroCon", "DeepMTMV"),
]
leads = {}
for a, b in LEADS:
    found = ablations.own_thresholds(scene, METHODS[a], METHODS[b])
    found["change"] = found["own"] - found["fixed"]
    leads[a, b] = {name: compare(found[name], TESTS) for name in found}
counts = json.loads(Path("../results/label_counts.json").read_text())
counts = counts["sets"]["scene"]
frequency = counts["cardinality"] / counts["labels"]
pair = page.kind("deepmtmv"), page.kind("dnn")
at_090 = compare(scene.difference(*pair, "f1_at_0.9"), TESTS)
given = {
    name: scene.runs(ours, "mean_probability").dropna().mean()
    for name, ours in METHODS.items()
}

# choices inside the labelled samples
inside, judged = {}, {}
for data, store in (("Scene", scene), ("MOCHA", mocha)):
    inside[data], judged[data] = (
        ablations.scores(store, p) for p in ablations.PROTOCOLS
    )
cv, tested = inside["Scene"], judged["Scene"]
threshold = cv[[AS_PRINTED[0]]]  # all thresholds of HeroCon as printed
change = cv[[c for c in cv if c[1] == AS_PRINTED[1]]]
full = curves["HeroCon"]
full = pd.DataFrame({(AS_PRINTED[0], t): full[t] for t in full})
CHOICES = {  # label: candidates inside, judged on the test samples
    "Scene: the threshold": (threshold, tested),
    "Scene: the threshold, all samples in each step": (threshold, full),
    "Scene: a change, at threshold 0.4": (change, tested),
    "Scene: a change and a threshold": (cv, tested),
    "MOCHA: a change": (inside["MOCHA"], judged["MOCHA"]),
}
gains = {name: ablations.gain(*both) for name, both in CHOICES.items()}
ceilings = {
    name: ablations.best_by_test(*both).mean()
    for name, both in CHOICES.items()
}
chosen = {name: compare(found, TESTS) for name, found in gains.items()}
by_threshold, at_full, by_change, by_both, on_mocha = chosen.values()
names = list(CHOICES)
more = compare((gains[names[3]] - gains[names[0]]).dropna(), TESTS)
cooler = {
    data: sum(
        name.startswith("τ") for name, _ in ablations.chosen(inside[data])
    )
    for data in inside
}

# An author wrote the sentences below around numbers from the runs. Each thing
# they state is checked here: if new runs change one, the build stops and
# somebody rewrites the sentence.
page.check_runs()
page.check_marks(
    {
        worst: "▽▽",
        "from β = 0.001 to 10, α = 0.1": "▽▽",
        "from β = 0.001 to 10, α = 0.01": "▽▽",
        "from β = 0.001 to 10, α = 0.001": "▽▽",
        "from α = 0.1 to 0.01, β = 10": "▽▽",
        "from α = 1 to 0.01, β = 10": "▽▽",
        "from α = 0.001 to 0.1, β = 0.001": "△△",
        "from α = 0.1 to 0.01, β = 0.001": "▽▽",
        "from α = 0.1 to 1, β = 0.001": "△△",
        "from α = 0.1 to 10, β = 0.001": "△△",
        "DeepMTMV − DNN": "▲○",
        "τ = 0.2": "▼▼▲△▽▽",
        "τ = 0.1": "▼▼▲△▽▽",
        "views averaged": "▲△○○○○",
        "cosine schedule": "▼○▼▽▽▽",
        "deeper projector": "○▽▼▽○▽",
    }
)
same = [
    page.kind(name, data)
    == {"method": "herocon", "changes": ablations.changes(store.data, name)}
    for data, store in page.stores.items()
    for name in CHANGES
]
check("the pages compare the changes that the command runs", all(same))
check(
    "the surface is complete",
    all(np.isfinite(v).all() for v in surface.values()),
)
check(
    "its best point is α = 10, β = 0.1",
    (GRID[top[0]], GRID[top[1]]) == (10, 0.1),
)
check("F1 grows with α at each β", (np.diff(means["f1"], axis=0) > 0).all())
check(
    "F1 falls from β = 0.1 to 10 at each α",
    (np.diff(means["f1"][:, 2:], axis=1) < 0).all(),
)
check(
    "β up to 0.1 moves F1 by under a point",
    np.ptp(means["f1"][:, :3], axis=1).max() < 1.1,
)
check("α has more of the variance than β", by_alpha > by_beta > 10 * rest)
seeds = ablations.pick_best(surface["f1"], HOME)
check(
    "every seed picks the same point for F1",
    {pick.point for pick in seeds} == {top},
)
check("four points of it are kept", 4 < kept < 5.5)
check("DeepMTMV falls behind DNN at 0.9", at_090.direction is LOWER)
apart = {
    pair: [found[k].direction for k in ("fixed", "own", "change")]
    for pair, found in leads.items()
}
check(
    "HeroCon keeps a smaller lead over DNN",
    apart["HeroCon", "DNN"] == [HIGHER, HIGHER, LOWER],
)
check("so does DeepMTMV", apart["DeepMTMV", "DNN"] == [HIGHER, HIGHER, LOWER])
check(
    "DeepMTMV's lead over HeroCon goes",
    apart["HeroCon", "DeepMTMV"] == [LOWER, NONE, HIGHER],
)
check(
    "HeroCon-s gains no lead",
    apart["HeroCon-s", "DNN"] == [HIGHER, HIGHER, NONE],
)
ends = {t for _, t in ablations.chosen(threshold)}
check("some seeds choose an end of the grid", ends & {grid[0], grid[-1]})
check(
    "leads are over 20 seeds",
    {found["own"].n for found in leads.values()} == {20},
)
check(
    "DNN gives too many labels, DeepMTMV does not",
    given["DNN"] > 0.25 > 0.2 > given["DeepMTMV"],
)
check("the threshold pays", [mark(by_threshold), mark(at_full)] == ["▲", "▲"])
check(
    "it pays alike at both sizes",
    abs(by_threshold.estimate - at_full.estimate) < 0.2,
)
check(
    "a change alone does not, clearly",
    [mark(by_change), mark(on_mocha)] == ["○", "○"],
)
check("a change on top adds nothing", more.direction is NONE and more.hi < 0.5)
check(
    "a choice is no better than its ceiling",
    all(ceilings[n] >= chosen[n].estimate for n in names),
)
check(
    "no seed of Scene and three of MOCHA choose a lower τ",
    cooler == {"Scene": 0, "MOCHA": 3},
)
better = Counter(
    n
    for n in CHANGES
    if n != AS_PRINTED[0]
    for d in page.stores
    if auc[f"{n}, {d}"].direction is HIGHER
)
check("no change raises AUC on two data sets", max(better.values()) == 1)
check(
    "a seed has 120 labels on Scene",
    scene.select("dnn")["split.train"].eq(120).all(),
)
page.badges(reads="9 min", runs="15 s")

# %% tags=["remove-input"]
answer(f"""**α, β and the temperature matter; the threshold is what you can choose.** On MOCHA F1 spans {span:.0f} points over a grid of
α and β. A large α helps and a large β harms, the opposite of what the paper reports for XRMB: its best point costs
{ci(-f1[worst])} here, with {f1[worst].n} seeds. A lower temperature helps on MOCHA and costs on Scene and N-MNIST. Without test labels one
choice pays: a
threshold from cross-validation inside 120 labelled photos gains {ci(by_threshold)} of F1 on Scene. Choosing a change of the method as
well adds nothing detectable.""")

# %% tags=["remove-input"] mystnb={"image": {"alt": "Left: a map of mean F1 on MOCHA over log10 alpha and log10 beta, five by five; values rise from about 30 at the lower right, small alpha and large beta, to about 48 at the top, large alpha and beta up to 0.1. Frames mark Table 3's point, the paper's best on XRMB, and the best here. Right: mean F1 on Scene with a band against the threshold for DNN, HeroCon-s, HeroCon and DeepMTMV; the first three rise towards 0.95, DeepMTMV falls."}, "figure": {"caption": "Left: mean F1 on MOCHA over α and β. Right: mean F1 on Scene with its 95 % band against the threshold above which a label counts; the line is at 0.4, the public code's. *What to see:* the best point lies at the upper edge, where α is large, and the paper's best at the lower right. On the right the methods change their order with the threshold.", "name": "fig-settings-surface"}}
fig, (left, right) = plt.subplots(
    1, 2, figsize=(9, 3.9), width_ratios=(1, 1.1)
)
ticks = [f"{np.log10(value):.0f}".replace("-", "−") for value in GRID]
frames = {
    "Table 3": (*HOME, plots.OKABE_ITO[3]),
    "best, paper (XRMB)": (*THEIRS, plots.OKABE_ITO[5]),
    "best here": (*top, plots.WRONG),
}
plots.value_map(left, means["f1"], ticks, ticks, frames)
left.set(xlabel="log10 β", ylabel="log10 α", title="MOCHA: F1")
left.legend(
    fontsize=8,
    ncols=3,
    loc="upper center",
    bbox_to_anchor=(0.45, -0.2),
    columnspacing=0.8,
)
for (name, found), colour in zip(
    curves.items(), plots.OKABE_ITO, strict=False
):
    drawn = plots.seed_band(right, grid, 100 * found[grid], colour)
    style = {"ha": "right", "va": "center", "fontsize": 9, "color": colour}
    right.text(0.08, drawn[0].mean, f"{name} ({len(found)})", **style)
right.axvline(0.4, color=plots.FAINT, zorder=0)
right.set(xlim=(-0.25, 1), xlabel="threshold", title="Scene: F1 (seeds)")
right.set_xticks(np.arange(0, 1.01, 0.2))
plt.show()

# %% tags=["remove-input"]
lines = [
    [
        f"α = {alpha:g}",
        *(f"{a:.1f}, {b:.1f}" for a, b in zip(*row, strict=True)),
    ]
    for alpha, *row in zip(GRID, means["f1"], means["auc"], strict=True)
]
maps = table(["F1, AUC", *(f"β = {beta:g}" for beta in GRID)], lines)
SOME = (0.1, 0.4, 0.5, 0.7, 0.9, 0.95, 0.98)
lines = [
    [name, *(f"{100 * found[t].mean():.1f}" for t in SOME)]
    for name, found in curves.items()
]
thresholds = table(["F1 at", *SOME], lines)
fold("The numbers in this figure", f"{maps.data}\n\n{thresholds.data}")

# %% [markdown] tags=["constants"]
# ## Why this experiment
#
# > **The paper says** (section 4.5, Fig. 3(a)) that on XRMB, with 4,999 negatives, a large β and a small α usually do better, that
# > α = 0.01 with β = 10 is best, and that HeroCon relies mainly on the supervised term there.
#
# We could not obtain XRMB, so these claims stay *not run* in the ledger; MOCHA takes its place under its own name. The paper did not
# use its best point for its own Table 3, which has α = 0.1 and β = 0.001. There HeroCon-u is better than HeroCon-s, so the supervised
# term is not the main one. Elsewhere it gives β = 0.01 for Table 3, so which β made that table is open. And it names no validation set, so
# we take its best point to be the best by test labels.
#
# That is our second question. Out of many settings the best on the test samples looks better than it is. A user has no test labels. What
# can be gained by choices that never look at one?

# %% [markdown]
# ## What we ran
#
# - **α and β.** HeroCon on MOCHA at 5 × 5 points with 999 negatives, not 4,999, since that takes 75 runs; three seeds. All other
#   settings are those of [Speech: does it help with two real views?](speech.ipynb).
# - **Threshold.** On Scene a sample has several labels, and each counts above a threshold; the public code has 0.4 for all data. F1 is
#   stored at eleven thresholds from 0.1 to 0.98.
# - **Ten changes** to HeroCon: three temperatures τ, and seven changes of loss, network or schedule. They have smaller steps than the
#   main runs, 420 samples on Scene, 500 on MOCHA and 400 on N-MNIST; *as printed* has the same.
# - **The rule.** Each seed chooses by five-fold cross-validation inside its own labelled samples, with the unlabelled ones taking part as
#   usual. The test samples judge that choice, once. Seeds do not share choices, because one seed's labelled samples are another's test
#   samples ([How do we compare methods fairly?](compare_fairly.ipynb)).
#
# The rule in two lines: `chosen` sees the cross-validation only, `gain` looks its choice up on the test samples, in points.

# %%
PRINTED, OTHER = AS_PRINTED, ("another", 0.4)
two = pd.DataFrame({PRINTED: [0.60, 0.61], OTHER: [0.62, 0.60]})
test = pd.DataFrame({PRINTED: [0.65, 0.66], OTHER: [0.64, 0.70]})
picks = list(ablations.chosen(two))  # seed 0 takes the other one
picks, ablations.gain(two, test).round(1).tolist()

# %% [markdown]
# ## Which α and β?

# %% tags=["remove-input"]
page.differences("surface", "MOCHA")

# %% tags=["remove-input"]
caption(f"""Paired differences in points with 95 % intervals. ▲ better, ▼ worse, after Bonferroni's correction for all {TESTS}
comparisons of this chapter and its extended results; △ ▽ before correction only; ○ no significant difference; – not run.""")

# %% tags=["remove-input"]
say(f"""A large α is better at every β, and a β above 0.1 worse at every α. Of the variance of the 25 means α has {percent(by_alpha)} and β
{percent(by_beta)}. Below β = 0.1 it hardly matters. Three seeds are too few for any of these differences to survive the correction.

**Is the best point luck?** It is the best of 25 by test labels, so it must look too good. Here little of it is luck: each seed picks
the same point, α = {GRID[top[0]]:g} and β = {GRID[top[1]]:g}, and on the other seeds it keeps {kept:.1f} points over Table 3's. A run's
noise is {noise:.1f} points for β up to 0.1, small against the {span:.0f} points of the surface. But the point lies at the edge of the
grid, so the best α may be larger still.""")

# %% [markdown]
# ## What does a fixed threshold hide?

# %% tags=["remove-input"]
say(f"""Two networks without any contrast are far apart on Scene in F1 and close in AUC: DeepMTMV − DNN is {ci(f1["DeepMTMV − DNN"])} in
F1 at 0.4, {ci(auc["DeepMTMV − DNN"])} in AUC, and {ci(at_090)} in F1 at 0.9. DNN's probability for a label is
{percent(given["DNN"])} on average, DeepMTMV's {percent(given["DeepMTMV"])}, and photos have {percent(frequency)} of the labels. A network
that expects too many says *yes* too often at 0.4, whatever the order of its answers. So
each method should have a threshold of its own. The labelled samples can choose it:""")

# %% tags=["remove-input"]
lines = [
    [
        f"{a} − {b}",
        *(format_effect(found[name]) for name in ("fixed", "own", "change")),
    ]
    for (a, b), found in leads.items()
]
wide(
    table(
        [
            "Scene, 20 seeds",
            "F1, both at 0.4",
            "F1, each at its own",
            "change",
        ],
        lines,
    )
)

# %% tags=["remove-input"]
say("""HeroCon keeps a smaller lead over DNN. DeepMTMV's lead over HeroCon is not significant any more: it came from where
probabilities lie. HeroCon has 420 photos per step here.""")

# %% [markdown]
# ## What can be chosen without test labels?

# %% tags=["remove-input"]
lines = [
    [
        name,
        CHOICES[name][0].shape[1],
        format_effect(chosen[name]),
        format_points(ceilings[name]),
        chosen[name].n,
    ]
    for name in names
]
added = ["Scene: a change and a threshold − the threshold", ""]
lines.append([*added, format_effect(more), "", more.n])
wide(
    table(
        ["chosen inside", "of", "F1 gained", "if test labels chose", "seeds"],
        lines,
    )
)

# %% tags=["remove-input"]
caption("""F1 over HeroCon as printed, in points. The fourth column is what each seed would gain if its own test samples chose: part of the
distance is luck, which no rule can choose; part is more than so few labels can detect. AUC has no threshold.""")

# %% tags=["remove-input"]
say(f"""**The threshold pays**, with small and with full steps. A change of the method chosen along with it changes that gain by
{ci(more)}, so it adds nothing detectable. Few labels do not find a temperature either: none of Scene's ten seeds chooses a lower one, and
{cooler["MOCHA"]} of MOCHA's five do. There τ = 0.2 for all seeds gains {ci(f1["τ = 0.2, MOCHA"])}, but the choice of each seed only
{ci(on_mocha)}.""")

# %% [markdown]
# ## Which other changes help?

# %% tags=["remove-input"]
lines = []
for name in CHANGES:
    if name != AS_PRINTED[0]:
        cells = [
            f"{mark(found[f'{name}, {data}'])} {format_points(found[f'{name}, {data}'].estimate)}"
            for data in page.stores
            for found in (f1, auc)
        ]
        lines.append([name, *cells])
heads = [
    f"{data}, {metric}"
    for data in ("Scene", "MOCHA", "N-MNIST")
    for metric in ("F1", "AUC")
]
wide(table(["change", *heads], lines))

# %% tags=["remove-input"]
caption("""Paired differences to HeroCon as printed on the test samples, in points: 10, 5 and 3 seeds. Marks as above.
[Extended results: settings](extended_settings.ipynb) has the intervals, and what each change does.""")

# %% tags=["remove-input"]
say(f"""No temperature suits all data: τ = 0.2 changes F1 by {points(f1["τ = 0.2, Scene"])} points on Scene,
{points(f1["τ = 0.2, MOCHA"])} on MOCHA and {points(f1["τ = 0.2, N-MNIST"])} on N-MNIST. No change raises AUC significantly on more
than one of the three. F1 on Scene is at 0.4, so *views averaged* may gain there by its threshold. With one class per sample σ is 1, so
moving it changes nothing on MOCHA and N-MNIST.""")

# %% [markdown]
# ## How do I choose the threshold on my data?
#
# `HeroConClassifier` does it unless it is given a number. Here on `yeast` {cite}`elisseeff2001`, with 120 labelled genes:

# %%
yeast = load("yeast")
parts = split(yeast, seed=0)
few, more = ([v[i] for v in yeast.views] for i in (parts.train, parts.test))
Y = yeast.labels[parts.train, :13]  # the last label is too rare
model = HeroConClassifier(random_state=0)
model.fit(few, Y, unlabeled=more)
print("below one half:", model.threshold_ < 0.5)

# %% [markdown]
# ## Where it breaks

# %% tags=["remove-input"]
say(f"""- **We looked first.** We decided to tune the threshold, and to extend its grid to 0.98, after seeing Scene's test scores. The
  choice within the grid uses labelled data only.
- **Edges.** Some seeds choose an end of the grid of thresholds; the best α is an end of its grid. Wider grids may give more.
- **Not the same network.** The choice is made by networks with four fifths of the labels, for samples they have not seen. The test
  samples that judge it were seen, unlabelled, in training.
- **MOCHA is not XRMB**, and 999 negatives are not 4,999. That the surface slopes the other way does not refute the paper's Fig. 3(a).
- **Few seeds.** The surface has 3 seeds, N-MNIST 3, the full-size choice {at_full.n}.
- **τ and the weights.** A lower τ also makes the gradient of a contrast larger, as a larger α or β does. These runs do not separate the
  two.""")

# %% [markdown]
# ## What we learnt

# %% tags=["remove-input"]
say("""- Compare methods at thresholds of their own, or by AUC. F1 at a fixed threshold mixes the order of probabilities with where they lie.
- On data with several labels, choose the threshold inside the labelled samples. Try τ = 1, 0.5, 0.2 and a larger α the same way; with a
  few hundred labels expect little of it.
- A best point needs a second look: on other seeds, or by cross-validation. Report its gain there, not on the samples that picked it.""")

# %% [markdown]
# ## Exercises
#
# **1.** Split the variance of the 25 means of F1 into a part of α, a part of β and the rest. `ablations.surface(mocha)` has F1 by α, β
# and seed.

# %%
answer_1 = ..., ...  # shares of α and of β
attempt("settings.shares", *answer_1)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Show solution 1", "code_prompt_hide": "Hide solution 1"}
z = ablations.surface(mocha).mean(2)
z = z - z.mean()
answer_1 = z.mean(1).var() / z.var(), z.mean(0).var() / z.var()
print(f"α {answer_1[0]:.2f}, β {answer_1[1]:.2f}")
attempt("settings.shares", *answer_1)

# %% [markdown]
# **2.** Let the true values of 25 points vary with standard deviation $s = 1$, and results have noise $1/\sqrt k$ with $k = 3$ seeds.
# Which share of the best point's lead over the average is kept when it is measured again?

# %%
answer_2 = ...  # a share, to 0.01
attempt("settings.kept", answer_2)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Show solution 2", "code_prompt_hide": "Hide solution 2"}
answer_2 = 1**2 / (1**2 + 1 / 3)
random = np.random.default_rng(2)
true = random.normal(size=(20_000, 25))
seen = true + random.normal(size=true.shape) / np.sqrt(3)
best = seen.argmax(1)[:, None]
lead, real = (np.take_along_axis(v, best, 1).mean() for v in (seen, true))
assert abs(real / lead - answer_2) < 0.02
attempt("settings.kept", answer_2)

# %% [markdown]
# **3.** Eleven methods are measured once each, with independent errors of one. One of them is better by δ, the others are equal. How
# large must δ be for it to win nine times out of ten?

# %%
answer_3 = ...  # in standard errors, to 0.2
attempt("settings.winner", answer_3)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Show solution 3", "code_prompt_hide": "Hide solution 3"}
noise_of = np.random.default_rng(0).normal(size=(20_000, 11))
deltas = np.arange(0, 6, 0.1)
others = noise_of[:, 1:].max(1)
wins = np.array([(noise_of[:, 0] + d > others).mean() for d in deltas])
answer_3 = deltas[np.argmax(wins > 0.9)]
print(f"δ = {answer_3:.1f}; the best of eleven equals looks 1.6 better")
attempt("settings.winner", answer_3)

# %% tags=["remove-input"]
KINDS = {  # of each row: the command's line, and its runs
    "the surface": (
        mocha,
        [
            {"changes": ablations.SURFACE_STEP | {"alpha": a, "beta": b}}
            for a in GRID
            for b in GRID
        ],
    )
}
for data, store in page.stores.items():
    for protocol in ablations.PROTOCOLS[store.data in ablations.JUDGED_ONLY :]:
        kinds = [
            {"protocol": protocol, "changes": ablations.changes(store.data, n)}
            for n in CHANGES
        ]
        KINDS[f"{data}, {protocol}"] = (store, kinds)
lines = []
for name, (store, kinds) in KINDS.items():
    cost, peak = (
        pd.concat([store.runs("herocon", c, **k) for k in kinds])
        for c in ("cost", "peak_mib")
    )
    lines.append(
        [
            name,
            len(cost),
            f"{cost.sum() / 60:.0f}",
            f"{cost.max():.0f}",
            f"{peak.max() / 1024:.1f}",
        ]
    )
values = " ".join(f"{v:g}" for v in GRID)
shell = f"""```sh
for a in {values}; do for b in {values}; do
  python -m herocon_lite run mocha herocon --budget paper --seeds 3 \\
    --set unlabeled_batch=750 alpha=$a beta=$b
done; done
python -m herocon_lite beyond scene --seeds 10  # all changes
python -m herocon_lite beyond mocha --seeds 5
python -m herocon_lite beyond mnist --seeds 3   # judged only
# the threshold alone, on all twenty seeds:
for protocol in transductive cross-validation; do
  python -m herocon_lite run scene herocon --budget paper --seeds 20 \\
    --set unlabeled_batch=300 --protocol $protocol
done
# each method's own threshold:
python -m herocon_lite run scene dnn herocon-s deepmtmv --budget paper \\
    --seeds 20 --protocol cross-validation
```"""
heads = ["", "runs stored", "minutes, all", "longest run (s)", "peak (GiB)"]
fold(
    "Make it again: commands, minutes, memory",
    f"{shell}\n\n{table(heads, lines).data}",
)
