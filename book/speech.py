# %% [markdown]
# # Speech: does it help with two real views?

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show set-up and checks", "code_prompt_hide": "Hide set-up and checks"}
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import stats

from herocon_lite import metrics
from herocon_lite.data.readers import WINDOW_REACH
from herocon_lite.repro import paper, settings
from herocon_lite.repro.chapter import Page, answer, attempt, caption, say
from herocon_lite.repro.paper_tables import claims
from herocon_lite.repro.stats import Direction, ci_half_width, interval
from herocon_lite.repro.text import ci, percent, points

plt.style.use("herocon_lite.repro.book")
page = Page("speech")
store, f1, auc, check = page.store, page.f1, page.auc, page.check
setting, printed = settings.paper_config("mocha"), paper.RESULTS["xrmb"]
gain, gain_auc = f1["HeroCon − DNN"], auc["HeroCon − DNN"]
share = f1["L_u"].estimate / gain.estimate
windows = store.select("herocon").iloc[0]
labelled, tested = windows["split.train"], windows["split.test"]
negatives = setting.unlabeled_batch + labelled - 1
level = interval(100 * store.runs("dnn"))
overlap = 2 * 2 * WINDOW_REACH  # windows before and behind that share frames
near = overlap * labelled / tested
moved = [name for name in f1 if name.startswith("new − random")]
order = [
    (f"{pair}, 999", f"{pair}, new")
    for pair in ("CMC − DNN", "HeroCon-u − DNN", "HeroCon − DNN")
]
order += [
    (f"{pair}, 999", f"{pair}, new")
    for pair in ("HeroCon-u − CMC", "HeroCon − CMC")
]
needed = {  # accuracy, if a printed AUC were one of decisions
    name: (2 * cell.auc - 1 + 1 / 19) / (1 + 1 / 19)
    for name, cell in printed.items()
}
MIB, C2AE = "HeroCon − MIB", "HeroCon − C2AE"
DEBIASED, HARD = "HeroCon − debiased, 999", "HeroCon − hard negatives, 999"

# An author wrote the sentences below around numbers from the runs. Each thing
# they state is checked here: if new runs change one, the build stops and
# somebody rewrites the sentence.
page.check_runs()
page.check_marks(
    {
        "HeroCon − DNN": "▲▲",
        "HeroCon − SupCon": "▲▲",
        "HeroCon − CMC": "△△",
        MIB: "▲△",
        C2AE: "▲▲",
        "HeroCon − DeepMTMV": "△○",
        "BN(U)": "○○",
        "L_u": "▲▲",
        "weights g": "△△",
        "L_s on top": "△○",
        "L_s alone": "▲▲",
        "MIB − DNN": "▽△",
        "C2AE − DNN": "▽▼",
        "DeepMTMV − DNN": "△△",
        DEBIASED: "▽▽",
        HARD: "▽○",
        "4,999 − 999, HeroCon": "△△",
    }
)
check("the marks are for five seeds", {c.n for c in f1.values()} == {5})
check("a seed draws 250 labels", labelled == 250 and negatives == 4999)
check("L_u brings nearly all of the gain", share > 0.9)
check(
    "the weights are under a tenth",
    f1["weights g"].estimate < gain.estimate / 10,
)
check("L_s on top is under a tenth of a point", f1["L_s on top"].hi < 0.1)
steps = ("BN(U)", "L_u", "weights g", "L_s on top")
total = sum(f1[name].estimate for name in steps)
check("the four steps add up", np.isclose(total, gain.estimate))
check("MOCHA is harder than XRMB", level.hi < 100 * printed["DNN"].f1 - 10)
same = (100 * (store.runs("supcon") - store.runs("herocon-s"))).abs()
check("SupCon is HeroCon-s, run by run", len(same) == 5 and same.max() < 1e-4)
check("in the paper, too", printed["SupCon"] == printed["HeroCon-s"])
still = [
    c[name].direction is Direction.NONE for c in (f1, auc) for name in moved
]
check("new utterances change no F1 and no AUC", len(still) == 8 and all(still))
turned = [
    c[a].direction is c[b].direction for c in (f1, auc) for a, b in order
]
check("new utterances keep the order", all(turned))
hard = [needed[name] - cell.f1 for name, cell in printed.items()]
check("the paper's AUC is no area of decisions", min(hard) > 0.25)
weak = max(abs(f1[n].estimate) for n in f1 if n.startswith("4,999"))
check("more negatives move F1 by a tenth of a point or so", weak < 0.15)
below = printed["HeroCon-s"], printed["CMC"]
check(
    "in Table 3, HeroCon-s is below CMC",
    below[0].f1 < below[1].f1 and below[0].auc < below[1].auc,
)
page.badges(reads="6 min", runs="5 s")

# %% tags=["remove-input"]
answer(f"""**On MOCHA, yes, through $L_u$.** HeroCon's F1 is {ci(gain)} above a plain network's, its AUC {ci(gain_auc)};
{gain.n} seeds. Contrast between sound and tongue, with all weights 1, brings {percent(share)} of that gain in F1. The weights $g$
add {points(f1["weights g"])} points and $L_s$ on top of $L_u$ {points(f1["L_s on top"])}; neither survives the correction for
multiple tests. We could not obtain XRMB, the paper's data. MOCHA stands in for it under its own name, so nothing here confirms or
refutes a number of the paper's Table 3.""")

# %% tags=["remove-input"] mystnb={"image": {"alt": "Two panels, F1 and AUC on MOCHA. One row per baseline shows HeroCon minus that baseline: a faint dot per seed, mean and 95 percent interval, a line at zero. All means lie right of zero; that for CMC is close to it, that for MIB is large in F1 and small in AUC, and the AUC interval for DeepMTMV includes zero."}, "figure": {"caption": "HeroCon minus each baseline on MOCHA: a dot per seed, the mean and its 95 % interval. Right of zero HeroCon is better. *What to see:* all means lie right of zero. CMC, plain contrast of the two views, comes closest. MIB falls far behind in F1, but not in AUC.", "name": "fig-speech-baselines"}}
numbers = page.figure("baselines", "HeroCon −")

# %% tags=["remove-input"]
numbers

# %% [markdown]
# ## Why this experiment
#
# Say a vowel, and two things can be measured: the sound, and where the tongue, lips and jaw are. These are two views by nature. In the
# other experiments the second view is made from the first. The label is the phone, the unit of sound that is being said. The
# paper uses the X-ray microbeam recordings, XRMB {cite}`wang2015xrmb`, and claims in section 4.3:

# %% tags=["remove-input"]
claims("xrmb")

# %% tags=["remove-input"]
say(f"""XRMB requires accepting its terms on a web page, which we could not reach. So its rows of [the ledger](ledger.ipynb) are
marked *not run*. One claim fails without any data: in the paper's own table HeroCon-s, with an F1 of
{100 * below[0].f1:.1f}, stands below CMC with {100 * below[1].f1:.1f}. If you have XRMB,
[Extended results: speech](extended_speech.ipynb) has the command.""")

# %% [markdown]
# ## What we ran

# %% tags=["remove-input"]
say(f"""- **Data.** MOCHA-TIMIT {{cite}}`wrench2000mocha`: 2 British speakers, coils on tongue, lips and jaw instead of XRMB's pellets.
  A sample is a window of {2 * WINDOW_REACH + 1} frames; its 273 numbers for the sound and 112 for the mouth have XRMB's form.
- **Protocol.** The paper's: 20 phones, 2,500 windows of each, {labelled:.0f} of the 50,000 labelled. The other {tested:,.0f} are the
  test set and, without labels, part of training. Silence, breath and phones with fewer than 2,500 windows are left out.
- **Training.** {setting.steps} steps of {labelled:.0f} labelled and {setting.unlabeled_batch:,} unlabelled windows, so each anchor has
  {negatives:,.0f} negatives. $\\alpha = {setting.alpha}$ and $\\beta = {setting.beta}$ as printed for Table 3; HeroCon-s has
  $\\beta = {setting.beta_s}$. The baselines get HeroCon-u's or HeroCon-s's weight, as the paper gives none.
- **Control.** *DNN + BN(U)* passes the same {setting.unlabeled_batch:,} unlabelled windows through the network with no loss on them, so
  that only the batch statistics change. It is the fair opponent of a method that sees unlabelled data.
- **Scores.** F1 weighted by class frequency and macro AUC, in points (hundredths). A sample has one class, so no threshold is needed.
- **Second size.** Some methods ran only with 750 unlabelled windows a step, 999 negatives. Their results are in
  [Extended results: speech](extended_speech.ipynb), where five times as many negatives change F1 by {weak:.1f} points at most.""")

# %% tags=["remove-input"]
page.settings_table()

# %% [markdown]
# Comparisons are paired: in one seed, both methods have the same windows and labels
# ([How do we compare methods fairly?](compare_fairly.ipynb)).

# %%
pair = {m: 100 * store.runs(m) for m in ("herocon", "dnn")}
pair = pd.DataFrame(pair)  # F1 in points, one row per seed
pair["difference"] = pair["herocon"] - pair["dnn"]
pair.round(2)

# %% [markdown]
# ## How much does each part add?

# %% tags=["remove-input"]
say(
    "Four steps lead from a plain network to HeroCon and add up to its gain. The last row has a β ten times as large."
)

# %% tags=["remove-input"]
page.differences("parts")

# %% tags=["remove-input"]
caption(f"""Paired differences in points with 95 % intervals, {negatives:,.0f} negatives. ▲ better, ▼ worse, after Bonferroni's
correction for all {page.tests} comparisons on MOCHA; △ ▽ before correction only; ○ no significant difference.""")

# %% tags=["remove-input"]
say(f"""The two views do the work. $L_u$ with all weights 1 adds {ci(f1["L_u"])} to the control. The control differs from
DNN by {ci(f1["BN(U)"])}, so batch statistics do not explain the gain. The weights $g$ add {ci(f1["weights g"])}; it would take more
seeds to be sure of that. $L_s$ alone adds {ci(f1["L_s alone"])}, but on top of $L_u$ at most {f1["L_s on top"].hi:.2f} points
remain at Table 3's small β.

**Other methods.** CMC contrasts the same two views without $g$ and $L_s$; HeroCon is {ci(f1["HeroCon − CMC"])} ahead of it.
With 999 negatives, debiased contrast is {ci(-f1[DEBIASED])} *better* than HeroCon, and contrast with hard negatives
{ci(-f1[HARD])}, both before correction only. Their authors' temperature is 0.5 instead of 1, so this may be a difference of
temperature: HeroCon, too, gains with a lower one on MOCHA
([Which settings matter, and can you choose them without test labels?](settings.ipynb)).""")

# %% [markdown]
# ## Where it breaks

# %% tags=["remove-input"]
say(f"""- **MOCHA is not XRMB.** DNN's F1 is {level.mean:.1f} here and {100 * printed["DNN"].f1:.1f} in the paper. There are 2 speakers,
  not 47, and other phones. What can carry over is the difference that a part makes, not a level.
- **Two speakers.** The intervals speak for new draws of windows from these recordings, not for new speakers.
- **Random frames.** Neighbouring windows share frames. At most {percent(near)} of the test windows overlap a labelled one, because
  labels are few. When labelled and test windows come from different sentences, F1 and AUC of four methods do not change
  significantly, and their order stays.
- **F1 and AUC disagree about MIB.** It is {ci(-f1["MIB − DNN"])} below DNN in F1 and {ci(auc["MIB − DNN"])} above it in AUC. MIB removes
  what the other view does not know, at its authors' weight of 1. We did not tune it, and the paper does not say how it did.
- **C2AE** was made for several labels per sample. With one class its loss replaces the cross-entropy and is
  {ci(-f1["C2AE − DNN"])} below DNN. In the paper it gains on DNN.
- **Which AUC.** The paper does not define its AUC. An area of yes-or-no decisions as large as the printed ones would need an accuracy
  of {min(needed.values()):.2f} or more, while the printed F1 stay below {max(c.f1 for c in printed.values()):.2f}. So Table 3 has
  areas of probabilities, as we do.""")

# %% [markdown]
# ## What we learnt

# %% tags=["remove-input"]
say(f"""- With two real views, contrast between them is what helps: {points(f1["L_u"])} points of F1, nearly HeroCon's whole gain.
- The weights $g$ may help a little here. $L_s$ on top of $L_u$ changes almost nothing at the printed β.
- A stand-in keeps its own name. It answers what a part does; it cannot confirm a table about other data.""")

# %% [markdown]
# ## Exercises
#
# **1.** The weights $g$ gain F1 before correction only. If their mean and deviation over seeds stay, how many seeds make the mark ▲?
# `page.series["weights g", "f1"]` has the differences, `ci_half_width(sd, n, tests)` half an interval.

# %%
answer_1 = ...  # a number of seeds
attempt("speech.seeds", answer_1)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Show solution 1", "code_prompt_hide": "Hide solution 1"}
found = page.series["weights g", "f1"]
n = 3
while ci_half_width(found.std(), n, page.tests) >= found.mean():
    n += 1
answer_1 = n
print(answer_1)
attempt("speech.seeds", answer_1)

# %% [markdown]
# **2.** A window overlaps with 12 others. Draw $n$ labelled windows at random from all 324,422. For which $n$ does half of the other
# windows overlap a labelled one?

# %%
answer_2 = ...  # a number of windows, to 1 %
attempt("speech.near_copies", answer_2)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Show solution 2", "code_prompt_hide": "Hide solution 2"}
sizes = np.arange(100, 40_000, 10)
none = stats.hypergeom.pmf(0, 324_421, 12, sizes)  # no mate is labelled
answer_2 = int(sizes[none <= 0.5][0])
print(answer_2, "windows,", round(answer_2 / labelled), "times the paper's")
attempt("speech.near_copies", answer_2)

# %% [markdown]
# **3.** With $K$ classes of equal size and accuracy $a$, decisions have the AUC `metrics.hard_auc(a, classes=K)`. Which accuracy would
# HeroCon's printed AUC on XRMB, `printed["HeroCon"].auc`, need?

# %%
answer_3 = ...  # an accuracy, to 0.01
attempt("speech.hard_auc", answer_3)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Show solution 3", "code_prompt_hide": "Hide solution 3"}
grid = np.linspace(0, 1, 1001)
areas = np.array([metrics.hard_auc(a, classes=20) for a in grid])
answer_3 = grid[np.abs(areas - printed["HeroCon"].auc).argmin()]
print(f"{answer_3:.2f}, while the printed F1 is {printed['HeroCon'].f1:.2f}")
attempt("speech.hard_auc", answer_3)

# %% [markdown]
# ## Make it again
#
# MOCHA comes from the University of Edinburgh for research and teaching. The file of frames is a layout of our own, described on
# its card, [Data cards](data_cards.ipynb). No script here makes it: without that file these runs cannot be made again.

# %% tags=["remove-input"]
page.commands()
