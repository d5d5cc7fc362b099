# %% [markdown]
# # Extended results: speech

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show set-up and checks", "code_prompt_hide": "Hide set-up and checks"}
from collections import Counter
from dataclasses import replace
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import torch
from scipy import stats

from herocon_lite import metrics
from herocon_lite.data import load, select_classes, split
from herocon_lite.data.cards import find_card
from herocon_lite.data.readers import WINDOW_REACH
from herocon_lite.repro import paper, runner, settings
from herocon_lite.repro.chapter import Page, caption, fold, say, wide
from herocon_lite.repro.paper_tables import paper_table
from herocon_lite.repro.stats import Direction, compare
from herocon_lite.repro.text import ci, format_mean, percent, points, table

plt.style.use("herocon_lite.repro.book")
torch.set_num_threads(1)  # the matrices below are small
page = Page("speech")
store, f1, auc, check = page.store, page.f1, page.auc, page.check
printed = paper.RESULTS["xrmb"]
FOUR = ("DNN", "CMC", "HeroCon-u", "HeroCon")
RATES = ("f1", "f1_macro", "f1_micro", "accuracy", "auc", "auc_hard")

# An author wrote the sentences below around numbers from the runs. Each thing
# they state is checked here: if new runs change one, the build stops and
# somebody rewrites the sentence.
page.check_runs()
page.check_marks(
    {
        "weights g": "△△",
        "weights g, 999": "△△",
        "L_u, 999": "▲▲",
        "HeroCon − debiased, 999": "▽▽",
        "HeroCon − hard negatives, 999": "▽○",
        "HeroCon − Info-NCE, 999": "△△",
        "HeroCon − MulSupCon, 999": "▲▲",
        "4,999 − 999, CMC": "○△",
        "4,999 − 999, g = 1": "○△",
        "4,999 − 999, HeroCon-u": "○△",
        "4,999 − 999, HeroCon": "△△",
        "DeepMTMV − HeroCon-s": "○△",
        "C2AE − DNN": "▽▼",
        **{f"new − random, {name}": "○○" for name in FOUR},
    }
)

# near copies: test windows with a labelled window that shares frames
overlap = 2 * 2 * WINDOW_REACH  # windows before and behind
windows = store.select("dnn").iloc[0]
labelled, tested = windows["split.train"], windows["split.test"]
bound, COUNTED = (
    overlap * labelled / tested,
    0.023,
)  # seed 0, all windows of a recording
SENTENCE = 0.43  # of its test windows are from a sentence with a labelled one
check("the count is below the bound", COUNTED < bound < 0.061)
try:
    speech = select_classes(load("mocha", download=False), seed=0)
except FileNotFoundError:
    pass  # the two numbers above were counted where MOCHA is on the disk
else:
    parts, info = split(speech, seed=0), speech.row_info
    recording = 2 * info["utterance"].astype(int) + info["speaker"]
    place = (
        speech.views[0].rows + 10**6 * recording
    )  # a gap between recordings
    lab = np.sort(place[parts.train])
    after = np.searchsorted(lab, place[parts.test]).clip(1, len(lab) - 1)
    away = np.abs(lab[np.array([after - 1, after])] - place[parts.test]).min(0)
    shared = np.isin(
        info["utterance"][parts.test], info["utterance"][parts.train]
    ).mean()
    assert round((away <= overlap // 2).mean(), 3) == COUNTED
    assert round(shared, 2) == SENTENCE
plain = store.runs("dnn", "accuracy").mean()
lift = 100 * COUNTED * (1 - plain) / (1 - COUNTED)
fresh = store.select("dnn", split="utterance")
check(
    "half of the windows are tested",
    fresh["split.test"].between(20_000, 30_000).all(),
)
usual = set(store.select("dnn")["split.checksum"])
check("the splits differ", usual.isdisjoint(fresh["split.checksum"]))
accuracy = compare(
    store.difference(page.kind("dnn, new"), page.kind("dnn"), "accuracy")
)
check("DNN's accuracy falls", accuracy.direction is Direction.LOWER)
ends = {"random": ("dnn", ", 999"), "new": ("dnn, new", ", new")}
best = {}
for name, (plain_kind, end) in ends.items():
    kinds = [plain_kind, *(method.lower() + end for method in FOUR[1:])]
    means = [store.runs(**page.kind(kind)).mean() for kind in kinds]
    best[name] = [FOUR[i] for i in np.argsort(means)[::-1]]
check("the order stays", best["random"] == best["new"] == list(FOUR[::-1]))

# which F1, which AUC
known = store.frame[
    store.frame["protocol"].eq("transductive")
    & store.frame["accuracy"].notna()
]
known = known[known["split"] == "paper"]
check(
    "weighted and macro F1 agree",
    (known["f1"] - known["f1_macro"]).abs().max() < 0.002,
)
check(
    "micro F1 is the accuracy",
    (known["f1_micro"] - known["accuracy"]).abs().max() < 1e-9,
)
formula = known["auc_hard"] - metrics.hard_auc(known["accuracy"], 20)
check("the formula gives the hard AUC", formula.abs().max() < 0.002)
needed = [
    (2 * cell.auc - 1 + 1 / 19) / (1 + 1 / 19) for cell in printed.values()
]
check(
    "it is solved right",
    np.allclose(
        metrics.hard_auc(np.array(needed), classes=20),
        [c.auc for c in printed.values()],
    ),
)
apart = [a - cell.f1 for a, cell in zip(needed, printed.values(), strict=True)]
check("printed AUCs are of probabilities", min(apart) > 0.25)
pair = [printed[m] for m in ("HeroCon", "HeroCon-u")]
welch = stats.ttest_ind_from_stats(
    *(n for cell in pair for n in (cell.f1, cell.f1_sd, paper.REPETITIONS)),
    equal_var=False,
)
check(
    "the best two F1 of Table 3 do not differ significantly",
    welch.pvalue > 0.5,
)
page.badges(reads="7 min", runs="30 s")

# %% [markdown]
# Every comparison behind [Speech: does it help with two real views?](speech.ipynb), and what that page has no room for.
#
# ## Every method
#
# Means of five seeds with 95 % intervals, in points. The column $|N|$ is the number of negatives. Methods without it see labelled
# windows only; MIB compares each window with one false partner; *BN(U)* passes 4,750 unlabelled windows a step, with no loss on them.

# %% tags=["remove-input"]
rows = {
    "DNN": ("dnn", "–"),
    "DNN + BN(U)": ("dnn-bnu", "–"),
    "SupCon": ("supcon", "–"),
    "HeroCon-s": ("herocon-s", "–"),
    "MulSupCon": ("mulsupcon", "–"),
    "C2AE": ("c2ae", "–"),
    "DeepMTMV": ("deepmtmv", "–"),
    "MIB": ("mib", "1"),
    "CMC": ("cmc", "4,999"),
    "HeroCon-u, g=1": ("herocon-u-g1", "4,999"),
    "HeroCon-u": ("herocon-u", "4,999"),
    "HeroCon": ("herocon", "4,999"),
    "CMC ": ("cmc, 999", "999"),
    "Info-NCE": ("info-nce, 999", "999"),
    "debiased": ("debiased, 999", "999"),
    "hard negatives": ("hard-negative, 999", "999"),
    "HeroCon-u, g=1 ": ("herocon-u-g1, 999", "999"),
    "HeroCon-u ": ("herocon-u, 999", "999"),
    "HeroCon ": ("herocon, 999", "999"),
}
lines = []
for name, (kind, size) in rows.items():
    line = [name.strip(), size]
    found = {m: 100 * store.runs(metric=m, **page.kind(kind)) for m in RATES}
    line += [format_mean(found[m], 2) for m in ("f1", "auc")]
    line += [f"{found[m].mean():.2f}" for m in ("accuracy", "auc_hard")]
    lines.append(line)
heads = ["method", "$\\lvert N\\rvert$", "F1 [95 %]", "AUC [95 %]"]
wide(table([*heads, "accuracy", "AUC of decisions"], lines))

# %% tags=["remove-input"]
say(f"""SupCon and HeroCon-s agree on every seed, since with one class per sample both are Eq. 6; MulSupCon is the form of SupCon's
authors. Weighted and macro F1 agree to 0.002 in every run, since classes have one size; micro F1 is the accuracy. The AUC of decisions
is $\\frac12 (a + 1 - \\frac{{1 - a}}{{K - 1}})$ for $K$ classes of one size and accuracy $a$, to 0.002. For the AUCs of the paper's
Table 3 that would need accuracies from {min(needed):.2f} to {max(needed):.2f}, while the printed F1 lie between
{min(c.f1 for c in printed.values()):.2f} and {max(c.f1 for c in printed.values()):.2f}. So Table 3 has areas of probabilities.""")

# %% tags=["remove-input"]
fold("The paper's table, for XRMB", paper_table("xrmb"))

# %% tags=["remove-input"]
say(f"""In the paper the best two F1, of HeroCon and HeroCon-u, lie {100 * (pair[0].f1 - pair[1].f1):.1f} points apart; by its
deviations that is not significant (Welch's test).""")

# %% [markdown]
# ## The parts again, with 999 negatives

# %% tags=["remove-input"]
page.differences("parts, 999", "999 negatives")

# %% tags=["remove-input"]
caption(f"""Paired differences in points with 95 % intervals. ▲ better, ▼ worse, after Bonferroni's correction for all {page.tests}
comparisons on MOCHA; △ ▽ before correction only; ○ no significant difference. $L_u$ is compared with BN(U), the other parts with
HeroCon without them. The tables below are read in the same way.""")

# %% tags=["remove-input"]
say("""BN(U) passes 4,750 unlabelled windows a step, the methods with 999 negatives 750. From HeroCon-s to HeroCon β falls to a tenth,
as in the paper.""")

# %% tags=["remove-input"]
page.differences("size", "4,999 − 999 negatives")

# %% tags=["remove-input"]
say(f"""A larger step brings more negatives, more anchors, a larger batch for the batch statistics, and each unlabelled window more often.
Together they change F1 by {points(f1["4,999 − 999, g = 1"])} points at most and raise AUC by about
{points(auc["4,999 − 999, HeroCon"])}, before correction only.""")

# %% [markdown]
# ## HeroCon and other methods

# %% tags=["remove-input"]
page.differences("other methods", "999 negatives or none")

# %% tags=["remove-input"]
say("""Debiased contrast and hard negatives have their authors' temperature of 0.5, MulSupCon 0.1, the other contrasts 1. So these three
differences are also differences of temperature. CMC and Info-NCE take negatives from the other view alone and have no $L_s$.""")

# %% [markdown]
# ## Random frames or new utterances?
#
# A window shares frames with twelve others. If windows are drawn at random, some test windows have a near copy with a label. With $R$
# samples in groups of $m$ and $n$ labelled ones, the share of test samples with a labelled mate is on average
#
# $$
# q(n) = 1 - \binom{R-m}{n} \Big/ \binom{R-1}{n} \approx 1 - (1 - n/R)^{m-1} .
# $$
#
# If a mate always gives the answer away, a random split shows the accuracy $q + (1 - q)\, a$, where $a$ is the accuracy on samples
# without a mate. A toy checks both: 300 groups of ten near copies, five classes, the nearest labelled neighbour decides.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show the toy", "code_prompt_hide": "Hide the toy"}
K, GROUPS, COPIES = 5, 300, 10
ROWS = GROUPS * COPIES


def draw(random, dimension=8, spread=0.2):
    centres = np.random.default_rng(0).normal(size=(K, dimension))
    kind = np.arange(GROUPS) % K
    middle = centres[kind] + random.normal(size=(GROUPS, dimension))
    group = np.repeat(np.arange(GROUPS), COPIES)
    return (
        middle[group] + spread * random.normal(size=(ROWS, dimension)),
        kind[group],
        group,
    )


def right(x, y, labelled, test):
    near = (x[labelled] ** 2).sum(1) - 2 * x[test] @ x[labelled].T
    return y[labelled][near.argmin(1)] == y[test]


sizes, tries = np.array([10, 30, 100, 300, 1000]), 12
found = np.empty((len(sizes), tries, 4))
for i, n in enumerate(sizes):
    for j in range(tries):
        random = np.random.default_rng(j)
        x, y, group = draw(random)
        order = random.permutation(ROWS)
        ours = np.isin(group[order], random.permutation(GROUPS)[: GROUPS // 2])
        mate = np.isin(group[order[n:]], group[order[:n]])
        hit = right(x, y, order[:n], order[n:])
        new = right(x, y, order[ours][:n], order[~ours])
        found[i, j] = hit.mean(), new.mean(), mate.mean(), hit[~mate].mean()
seen, new, mates, alone = found.mean(1).T
q = 1 - stats.hypergeom.pmf(0, ROWS - 1, COPIES - 1, sizes)
predicted = q + (1 - q) * alone
assert np.abs(mates - q).max() < 0.02 and np.abs(seen - predicted).max() < 0.02
assert abs(seen[0] - new[0]) < 0.03 and seen[-1] - new[-1] > 0.3

# %% tags=["remove-input"]
say(f"""With {sizes[0]} labels a random split is fair: {percent(seen[0])} of the test samples are right, and {percent(new[0])} with new
groups. With {sizes[-1]:,} labels, more than groups, it measures memory: {percent(seen[-1])} and {percent(new[-1])}.""")

# %% tags=["remove-input"]
say(f"""On MOCHA at most {percent(bound)} of the test windows overlap one of the {labelled:.0f} labelled ones. Counted on seed 0 it is
{100 * COUNTED:.1f} %, at most {lift:.1f} points of DNN's accuracy. But {percent(SENTENCE)} of the test windows come from a
sentence with a labelled window. The split *new utterances* cuts that tie, too: labelled windows from one half of the sentences, test
windows from the other half, both speakers in both. A seed has the same windows and first weights in both splits.""")

# %% tags=["remove-input"]
page.differences("new utterances", "999 negatives or none")

# %% tags=["remove-input"]
say(f"""No change is significant in F1 or AUC; all estimates are below zero. DNN's accuracy falls by {ci(-accuracy)}, a comparison
of its own without correction. By mean F1 the order is {", ".join(best["new"])} in both splits. We first compared the splits by
Welch's test, which is for independent runs; its intervals were wider.""")

# %% [markdown]
# ## What MOCHA says about the claims on XRMB
#
# Each claim is a set of pairs, *a above b* in F1 or AUC. With 4,999 negatives where a method has them, MOCHA gives these counts. They
# are no verdicts on the paper. The claim on α and β is in
# [Which settings matter, and can you choose them without test labels?](settings.ipynb).

# %% tags=["remove-input"]
kinds = dict.fromkeys(printed) | {
    name.strip(): kind for name, (kind, _) in list(rows.items())[::-1]
}
sentences = [
    c for c in paper.COMPARISONS if c.data == "xrmb" and not c.other_setting
]
size = sum(len(c.pairs) * len(c.metrics) for c in sentences)
lines = []
for sentence in sentences:
    count = Counter()
    for (a, b), metric in product(sentence.pairs, sentence.metrics):
        ends = page.kind(kinds[a]), page.kind(kinds[b])
        one = compare(
            store.difference(*ends, metric.lower()), page.tests + size
        )
        count[one.direction] += 1
        count["sure"] += one.corrected and one.direction is Direction.HIGHER
    told = sentence.claim.replace("On XRMB, ", "").rstrip(".")
    number = len(sentence.pairs) * len(sentence.metrics)
    lines.append(
        f"- *{told[0].upper() + told[1:]}:* {count[Direction.HIGHER]} of {number} comparisons are "
        f"as claimed, {count['sure']} after correction; {count[Direction.LOWER]} are reversed."
    )
say("\n".join(lines))

# %% tags=["remove-input"]
caption(
    f"""Paired 95 % intervals; the correction counts these {size} and the {page.tests} other comparisons on MOCHA."""
)

# %% [markdown]
# ## A control in miniature
#
# Ten handwritten digits (`mfeat` {cite}`duin_mfeat`), two of its six views, 100 labelled samples, 15 steps, three seeds. This trains
# while the page runs. It shows why *DNN + BN(U)* is needed, and says nothing about speech.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show the runs", "code_prompt_hide": "Hide the runs"}
digits = load("mfeat")
digits = replace(digits, views=[digits.views[v] for v in (0, 4)])
short = {"overrides": (("steps", 15),)}
scores = {
    method: np.array(
        [
            runner.execute(
                settings.Run("mfeat", method, seed=seed, **short), digits
            )["metrics"]["f1"]
            for seed in range(3)
        ]
    )
    for method in ("dnn", "dnn-bnu", "herocon-u")
}
statistics = 100 * (scores["dnn-bnu"] - scores["dnn"]).mean()
contrast = 100 * (scores["herocon-u"] - scores["dnn-bnu"]).mean()
assert statistics > 6 and abs(contrast) < 0.5 * statistics

# %% tags=["remove-input"]
say("""Batch statistics from unlabelled samples alone bring more than 5 points of F1, contrast on top of them less than half of that.
After 15 steps a fifth of the running averages' start is still in them, and the control updates them twice a step. With MOCHA's 500
steps nothing of this gain is left.""")

# %% [markdown]
# ## XRMB and MOCHA, and how to run XRMB

# %% tags=["remove-input"]
mocha, xrmb = find_card("mocha"), find_card("xrmb")
facts = ("919 recordings", "460 sentences", "324,422", "46 phones")
assert all(fact in mocha.about for fact in facts)
files = " ".join(
    f"`{file.path}`" for part in xrmb.parts.values() for file in part
)
compared = table(
    ["", "XRMB", "MOCHA-TIMIT"],
    [
        ["sound, a frame", "13 MFCC with Δ and ΔΔ", "the same"],
        ["articulation", "8 pellets, X-rays", "8 coils, magnetic field"],
        ["stacked frames", 7, 2 * WINDOW_REACH + 1],
        ["features", "273 + 112", "273 + 112"],
        ["speakers", "47, American English", "2, British English"],
        ["recordings", "not known to us", "919 of 460 sentences"],
        ["windows", "not known to us", "324,422"],
        ["phones", "40, says the paper", 46],
        ["scaling", "as in the files", "each speaker to mean 0, deviation 1"],
        ["files", files, "`mocha_frames.npz`"],
        ["licence", xrmb.licence, mocha.licence],
    ],
)
fold("What the two data sets share", compared)

# %% [markdown]
# If you have accepted [XRMB's terms](https://home.ttic.edu/~klivescu/XRMB_data/full/README), put both of its MATLAB files into
# `data/xrmb/`:
#
# ```sh
# python -m herocon_lite data xrmb   # are they there, and whole?
# python -m herocon_lite run xrmb dnn supcon cmc mib c2ae deepmtmv \
#     herocon-s herocon-u herocon --budget paper --seeds 5
# ```
#
# From the first file the reader takes `X1`, one line per frame, from the second `X2` and `trainLabel`. Their validation and test parts
# are not used, since the paper draws its own. We know no checksum of these files, and a run's record says so. The command is tested on a
# small file of this form only.
