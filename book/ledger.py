# %% [markdown]
# # The ledger: every claim, with a verdict

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show set-up and checks", "code_prompt_hide": "Hide set-up and checks"}
from collections import Counter
from itertools import pairwise
from pathlib import Path

from IPython.display import HTML
from scipy.stats import ttest_ind_from_stats

from herocon_lite.repro import ledger, paper, plots, points, query, stats
from herocon_lite.repro.chapter import Checks, answer, badges, caption, say
from herocon_lite.repro.ledger import page, rules, words
from herocon_lite.repro.ledger.rules import Order, State, Verdict
from herocon_lite.repro.text import percent

rows, runs = ledger.ledger("../results"), query.load("../results")
cells = [row for row in rows if row.kind == "cell"]
counts = page.verdict_counts(rows)
total = sum(counts.values())
effects = Counter(point.effect for point in points.POINTS)


def neighbours(metric):
    """Whether two methods next to each other in a printed rank differ."""
    for methods in paper.RESULTS.values():
        ends = {
            (getattr(c, metric), getattr(c, f"{metric}_sd"))
            for c in methods.values()
        }
        for (a, sd_a), (b, sd_b) in pairwise(sorted(ends)):
            means = (
                a,
                sd_a,
                5,
                b,
                sd_b,
                5,
            )  # of five, as if nothing was paired
            yield ttest_ind_from_stats(*means, equal_var=False).pvalue < 0.05


apart = [*neighbours("f1"), *neighbours("auc")]
shown = []


def table_of(kind, data=None):
    """Show the rows of a kind."""
    chosen = [r for r in rows if r.kind == kind and data in (None, r.data)]
    shown.extend(chosen)
    return page.claims(chosen, Path("."))


# An author wrote the sentences below. Each thing they state is checked here:
# if new runs change one, the build stops and somebody rewrites the sentence.
check = Checks()
check("each cell of Tables 2 and 3 is a row", len(cells) == 72)
check(
    "the counts are right",
    {r.verdict for r in rows if r.kind == "count"} == {Verdict.REPRODUCED},
)
check(
    "each row has a page", all(Path(f"{r.page}.ipynb").exists() for r in rows)
)
judged = [r for r in rows if r.kind in ("cell", "comparison") and r.seeds]
open_ = {Verdict.UNDECIDED, Verdict.NOT_RUN, Verdict.CONTRADICTED}
check(
    "no verdict on fewer than three seeds",
    all(r.seeds >= 3 or r.verdict in open_ for r in judged),
)
xrmb = {r.verdict for r in rows if r.data == "XRMB"}
check("XRMB is not run", xrmb == {Verdict.NOT_RUN, Verdict.CONTRADICTED})
check("few neighbours of the tables differ", sum(apart) < len(apart) / 4)
check("few repetitions are the paper's five", paper.REPETITIONS == 5)
check("one kind of processor", len(set(runs["device"])) == 1)
badges(check, reads="10 min", runs="15 s")

# %% tags=["remove-input"]
answer(f"""We list {total} claims of the HeroCon paper {{cite}}`zheng2022herocon`: {counts["hold"]} hold, {counts["hold in part"]} hold in
part, {counts["do not hold"]} do not, {counts["undecided"]} are undecided, {counts["baseline not specified"]} depend on a baseline
that the paper does not specify, and {counts["not run"]} are not run. Each row below has the paper's value, ours with its 95 % interval,
a verdict and its reason. The ten that matter most: [Which of the paper's claims hold?](which_claims_hold.ipynb)""")

# %% tags=["remove-input"]
HTML(
    plots.search_box(
        "claim", "scene auc", "Verdict", [page.label(v) for v in Verdict]
    )
)

# %% tags=["remove-input"]
page.overview(
    rows,
    {
        "statement": "#lemmas-ranges-and-special-cases",
        "count": "#counts-of-labels-and-samples",
        "cell": "#table-2-scene",
        "comparison": "#sentences-that-compare-methods",
        "figure": "#figures",
    },
)

# %% tags=["remove-input"]
caption("""Rows with the same runs count once: on data with classes the paper's SupCon is its HeroCon-s. *How is a verdict made?* stands
below the rows. The same rows on your machine: `python -m herocon_lite ledger --csv`.""")

# %% [markdown]
# ## Lemmas, ranges and special cases

# %% tags=["remove-input"]
table_of("statement")

# %% [markdown]
# Beside these, the book states and proves eight sentences of its own. An altered constant, sign or condition fails its computation.

# %% tags=["remove-input"]
page.proven(ledger.theorems(), Path("."))

# %% [markdown]
# ## Counts of labels and samples

# %% tags=["remove-input"]
table_of("count")

# %% [markdown]
# ## Table 2, Scene
#
# Means over seeds, 95 % intervals. *One view* is the text's Eq. 4, *preset released* has all switches of the public code on, *inductive*
# keeps the test photos out of training. *Public code* is the mean of that code on five folds that it draws itself, measured once
# outside this repository (`results/public_code.json`); no verdict reads it.

# %% tags=["remove-input"]
table_of("cell", "Scene")

# %% [markdown]
# ## Table 2, N-MNIST
#
# The noise is documented in three ways, so each has its column: sign of the verdict, F1 or AUC with its interval, and seeds. The verdict
# at the right is that of the best-fitting noise, chosen for fitting, where a cell was run with it. Runs have bfloat16 products, and
# 1,000 unlabelled digits per step instead of 4,000.

# %% tags=["remove-input"]
table_of("cell", "N-MNIST")

# %% [markdown]
# ## Table 3, XRMB

# %% tags=["remove-input"]
table_of("cell", "XRMB")

# %% [markdown]
# ## Table 3, CelebA

# %% tags=["remove-input"]
table_of("cell", "CelebA")

# %% [markdown]
# ## Sentences that compare methods
#
# The paper's column has the least of its own differences on which the sentence hangs, in points. Ours are paired by seed, and begin with
# the pairs that fail, if any do.

# %% tags=["remove-input"]
table_of("comparison")

# %% [markdown]
# ## Figures

# %% tags=["remove-input"]
table_of("figure")

# %% [markdown]
# ## How is a verdict made?

# %% tags=["remove-input"]
page.rules()

# %% [markdown] tags=["constants"]
# - **Why widen?** The paper's mean of five repetitions is uncertain, too. One printed deviation, added to our interval, needs no guess
#   how that deviation was computed. It reaches up to 1.8 times as far as Welch's test with three seeds, up to 1.4 times with twenty.
# - **Why a limit of ± 0.02?** Without one, few and scattered runs would reproduce everything.
# - **Why does the order count?** Tables are read as comparisons, and a level depends on splits and preprocessing that the text does
#   not fix.
# - **Why all pairs?** "All baselines" is not true if one is missing. That all must hold makes the test stricter, so it needs no
#   correction for their number. *In part* has no such protection: among many cells a few orders are found by chance.
#
# The rules are functions. Try one:

# %%
printed, sd = 0.60, 0.01  # the paper's mean and deviation
near, far = [0.600, 0.606, 0.603], [0.650, 0.653, 0.651]
for ours in (near, far, near[:1], [0.55, 0.60, 0.66]):
    found = rules.judge_cell(printed, sd, ours)
    print(ours, "→", found.verdict, "·", words.cell_reason(found))

# %% tags=["remove-cell"]
found = rules.judge_cell(printed, sd, far, Order.FOUND, established=True)
assert found.verdict is Verdict.IN_PART
three = stats.compare([1.0, 1.2, 1.1])  # points
small, two = stats.compare([-0.1, 0.1, 0.0]), stats.compare([1.0, 1.2])
assert rules.judge_order(three, printed=1.0) is State.HOLDS
assert rules.judge_order(small, printed=1.0) is State.FAILS
assert rules.judge_order(small, printed=0.2) is State.OPEN
assert rules.judge_order(two, printed=1.0) is State.WAITING
assert shown == rows, "a claim has no place on the page"

# %% [markdown]
# ## Decided after seeing results
#
# **The rules of this page**
#
# - They were rewritten in November 2026, as the table above, when all of Scene's runs and most of N-MNIST's were known. We wrote them
#   before looking at what they give. `CHANGELOG.md` explains each verdict that changed.
# - Earlier, *not reproduced* asked that half of the pairs fail; two sentences about Scene would then be *undecided*.
# - A wide interval once left even a missed mean *undecided*. Dropping that moved cells of N-MNIST to *not reproduced* and to *in part*.
# - *Much* once meant above zero. This changed before we had looked at a run of the case study.
# - Three rules came together with what they judge: that Eq. 4 may save a sentence in part, which has changed no verdict; row G6, whose
#   question stood in the case study before for HeroCon-u alone; and the stricter rule for Figure 4, which gives the same verdicts as
#   the old one. For Figure 4(b) we timed three more sizes because the first five left the interval too wide.
#
# **Settings and choices**
#
# - N-MNIST's best-fitting noise is chosen because it fits.
# - We looked at thresholds, and extended their grid to 0.98, after seeing Scene's test scores. The choice within the grid reads labelled
#   samples only ([Which settings matter, and can you choose them without test labels?](settings.ipynb)).
# - That τ = 0.2 or ten times α helps on MOCHA was read off test scores. So was the best point of the surface over α and β.
# - MIB's β on yeast, 0.01, was first chosen by test AUC. Cross-validation inside labelled samples later chose the same value.
# - The comparisons on yeast and birds were fixed before the runs on yeast, but after the first rows on birds were known.
# - *Should you use HeroCon?* judged by AUC alone at first; F1 was added when results were known.
# - `HeroConClassifier`'s recipe (noise, few steps, ranks, softmax, two draws of folds) comes from a prototype that looked at test samples of
#   yeast, mfeat, birds, MOCHA and Scene, splits 0 to 4. It was frozen before splits 10 to 19 were run.
# - New utterances on MOCHA were first compared by Welch's test, for independent runs; now they are paired.
#
# **Records that are missing**
#
# - The public code's values on Scene were measured before this project began; their command is not kept.
# - MOCHA's file of frames has a layout of our own, and no script here makes it.
#
# What was decided *before* the runs stands in `results/protocol.md`.

# %% [markdown]
# ## How was it done, and what was hard?

# %% tags=["remove-input"]
hours, sets = runs["seconds"].sum() / 3600, sorted(set(runs["data"]))
machine = runs["device"].iloc[0]
say(f"""**Scope.** The paper proposes two weighted contrastive losses for data with several views and several labels. It claims that the
vanilla loss suffers from false negatives and weights relieve that; that both losses bound mutual information from below; that its method
is best with few labels on four data sets; that it withstands noise; and that its time grows with the square of the negative set. The
claims are listed in `herocon_lite/repro/paper.yaml`. Explanations that no run here can test are left out, except G6.

**Method.** We wrote losses, methods and training anew from the paper's text; the public code was read and never copied. Settings are the
paper's, where it gives them. {len(runs):,} runs on {len(sets)} data sets ({", ".join(sets)}) took {hours:,.0f} hours on {machine}
processors; no GPU was used. Intervals cover another draw of labelled samples, noise and first weights, not another test set.

**What was easy.** The losses: small formulas, each compared with a loop, a closed form or a library. Table 1: its counts are right.
Scene: small, public, and the one data set on which text and public code agree. The counterexamples: ten samples refute Lemma 3.2.

**What was hard.**

- *XRMB* could not be obtained; MOCHA takes its place under its own name. *CelebA* at the paper's size needs a GPU.
- *The baselines:* their weights, and how they were joined to the classifier, are not published.
- *One view:* Eq. 4 cannot be computed as printed, and the public code does something else.
- *Which experiment?* Text, tables and public code differ in {len(points.POINTS)} points; {effects["numbers"]} of them change numbers and
  {effects["claim"]} what may be concluded ([the list](point_by_point.ipynb)).
- *Few repetitions:* five, and no test. {sum(apart)} of {len(apart)} pairs of methods next to each other in rank differ significantly by
  the printed numbers, {percent(sum(apart) / len(apart))}.

We did not write to the authors.""")
