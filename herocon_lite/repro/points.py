"""Where the paper, its tables and its released code disagree: every point found, as data.

The paper is cited by section, equation (in compiled order: 1 the objective, 2 and 3 the vanilla
losses, 4 and 5 the weighted unsupervised loss, 6 SupCon, 7 the weighted supervised loss), table or
figure, and paraphrased. The released code is the authors' repository Leo02016/HeroCon, read in
2026 (main.py, module.py and LARS_optimizer.py at 94f4e32, data_loader.py at 110ddff, README.md at
1255cee); none of it is in this repository.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

GROUPS = {
    "A": "Text, equations and proofs",
    "B": "Text and tables",
    "C": "Hyper-parameters and optimiser",
    "D": "Loss code and equations",
    "E": "Data code and text",
    "F": "Evaluation",
}
EFFECTS = {
    "harmless": "a slip, or a difference without effect on results",
    "claim": "changes what may be concluded",
    "numbers": "who follows the other side gets other numbers",
}
EVIDENCE = {
    "checked": "the point, or what follows from it, is recomputed by a cell or a test",
    "text": "read in the paper's text",
    "code": "read in the released code, which is not in this repository",
}
PAGES = {  # the pages that show a point, by title
    "01_picture_to_loss": "From a picture to a loss",
    "02_special_cases": "Special cases: who contains whom?",
    "03_data_seen": "Complex heterogeneity, seen",
    "05_false_negatives": "The false-negative lemma",
    "06_weights": "What the weights do",
    "07_unsupervised_bound": "The unsupervised bound",
    "08_supervised_bound": "The supervised bound",
}
HERE = "A2_point_by_point"  # the page that prints this list


@dataclass(frozen=True)
class Point:
    """One inconsistency: what one place says, what another says, and what follows."""

    number: str  # group and place in it, such as "A1"
    where: str  # in the paper
    paper: str
    other: str  # the released code, or another place of the paper
    consequence: str
    effect: str  # a key of EFFECTS
    evidence: str  # a key of EVIDENCE
    page: str = ""  # a key of PAGES, or HERE
    function: str = ""  # of herocon_lite, that shows it or has both ways
    switch: str = ""  # a name of SWITCHES

    @property
    def group(self) -> str:
        return self.number[0]


POINTS = (
    # ------------------------------------------------------------ A
    Point(
        "A1",
        "introduction, section 3.4, conclusion",
        "The two losses are called lower bounds of mutual information.",
        (
            "Lemma 3.3 bounds it by log M − L_u (M negatives), Lemma 3.2 by (N − L_s)/σ: a "
            "constant minus the loss."
        ),
        "A small loss means a high bound. The loss itself bounds nothing.",
        "harmless",
        "text",
        page="07_unsupervised_bound",
    ),
    Point(
        "A2",
        "section 3.2.1, the naive loss L_2 and g of Eq. 4",
        (
            "The factor is introduced as a similarity, and g is said to reduce the weight of "
            "similar negatives."
        ),
        (
            "exp(1 − cos) falls as similarity grows, so it is a dissimilarity, and it is never "
            "below 1."
        ),
        (
            "The weighting is relative: a similar negative loses weight to dissimilar ones, but"
            " with g held constant all negatives together never push less than without weights."
        ),
        "claim",
        "checked",
        page="06_weights",
        function="losses.weighted_unsupervised",
    ),
    Point(
        "A3",
        "section 3.2.1, formula below L_2",
        "In the cosine's denominator a dot has slipped inside the second norm.",
        "Eq. 4 writes the same cosine without it.",
        "A misprint.",
        "harmless",
        "text",
    ),
    Point(
        "A4",
        "section 3.2.1, Definition 1; appendix A.2",
        "Definition 1 and Lemma 3.1 work with inner products and a small τ.",
        "Section 4.1 sets f = exp(cos), so τ = 1, in all experiments.",
        "The lemma's regime is not that of the experiments; what the weights do depends on τ.",
        "claim",
        "checked",
        page="06_weights",
        function="theory.definition_1",
    ),
    Point(
        "A5",
        "section 3.2.1, Definition 1",
        "A true negative has exp(z·z'/τ) ≈ 0 at the optimal representations.",
        (
            "No objective says what optimal is; and with the experiments' f the value is never "
            "below 1/e."
        ),
        (
            "Read with the experiments' f, no pair is a true negative. The definition needs a "
            "target from outside."
        ),
        "claim",
        "checked",
        page="05_false_negatives",
        function="theory.definition_1",
    ),
    Point(
        "A6",
        "appendix A.2, proof of Lemma 3.1",
        "The derivative of L_1 by a second view keeps the term of its own anchor only.",
        (
            "That view is also a negative of every other anchor; automatic differentiation has "
            "these terms."
        ),
        (
            "The printed proof does not hold. The conclusion survives in a repaired form: with "
            "a target from outside, unit vectors and enough dimensions."
        ),
        "claim",
        "checked",
        page="05_false_negatives",
        function="theory.full_gradient",
    ),
    Point(
        "A7",
        "section 3.2.1, Eq. 3",
        "Eq. 3 is given as SimCLR's loss.",
        (
            "It has one direction and negatives from the other view only; SimCLR's loss has "
            "both directions and negatives from both views."
        ),
        "Eq. 3 is Info-NCE between views. A SimCLR baseline made from it is another loss.",
        "numbers",
        "checked",
        page="02_special_cases",
        function="losses.nt_xent",
    ),
    Point(
        "A8",
        "section 3.2.1, Eq. 2 and Eq. 4; section 4.2",
        (
            "With one view, inputs are compared with representations, f(X, Z); section 4.2 uses"
            " this on Scene and N-MNIST."
        ),
        "A cosine needs equal sizes: Scene has 294 features, the released network 200 units.",
        (
            "Eq. 4 cannot be computed as printed. This module adds a learned map, the released "
            "code uses two noisy views (D21)."
        ),
        "numbers",
        "checked",
        page="A2_point_by_point",
        function="losses.input_contrast",
    ),
    Point(
        "A9",
        "section 3.2.1, Eq. 5",
        "The text takes both views of other samples as negatives, to have more of them.",
        (
            "In Eq. 5 the view index j is free, no sum runs over it; and 2,406, 4,199, 4,999 "
            "and 249 negatives count each sample once."
        ),
        (
            "Two readings with different values. If both views are summed and both are counted,"
            " the bound of Lemma 3.3 can fail; if samples are counted it holds."
        ),
        "numbers",
        "checked",
        page="07_unsupervised_bound",
        function="theory.both_views_loss",
    ),
    Point(
        "A10",
        "section 3.2.2, below Eq. 7",
        "σ is said to approach 0 as two label vectors become completely different.",
        ("The proof of Lemma 3.2 says σ ∈ [1/c, 1], and that is right: both samples have label a."),
        "σ never reaches 0 in Eq. 7.",
        "harmless",
        "checked",
        page="A2_point_by_point",
        function="losses.weighted_supervised",
    ),
    Point(
        "A11",
        "section 3.2.2, below Eq. 7",
        "σ is there to draw samples with similar labels closer together.",
        "The pull of a term falls as its σ grows: σ also stands in the denominator.",
        (
            "Within one label σ acts, slightly, the other way round. Similar pairs are still "
            "favoured, since they meet in more of the c terms."
        ),
        "claim",
        "checked",
        page="08_supervised_bound",
        function="theory.pull",
    ),
    Point(
        "A12",
        "section 3.4, Lemma 3.2",
        "The bound has one factor 1/σ.",
        (
            "σ depends on the pair, and the lemma takes an expectation over pairs; the proof "
            "drops σ and later brings it back."
        ),
        "The statement is not well defined, and none of the readings we tried saves it.",
        "claim",
        "checked",
        page="08_supervised_bound",
        function="theory.counterexample_b",
    ),
    Point(
        "A13",
        "appendix A.2, proof of Lemma 3.2",
        "I is written as the expectation of log P(X_j)/P(X_j given X_i).",
        "Mutual information is the expectation of the inverse ratio's logarithm.",
        "A slip of sign.",
        "harmless",
        "text",
        page="08_supervised_bound",
    ),
    Point(
        "A14",
        "section 3.4, Lemma 3.2; appendix A.2",
        (
            "The proof takes the mean density ratio over negatives to be 1, as for draws from "
            "the marginal."
        ),
        (
            "In Eq. 7 the negatives of label a are the samples without it: draws from another "
            "distribution."
        ),
        (
            "Lemma 3.2 is false: there are exact counterexamples. What N − L_s does bound is a "
            "divergence between a class and the rest."
        ),
        "claim",
        "checked",
        page="08_supervised_bound",
        function="theory.counterexample_a",
    ),
    Point(
        "A15",
        "appendix A.2, proof of Lemma 3.3",
        "The last line of the proof is an inequality.",
        "The two sides are equal, by the definition of I.",
        "A slip; the chain holds with =.",
        "harmless",
        "text",
        page="07_unsupervised_bound",
    ),
    Point(
        "A16",
        "appendix A.2, proofs of Lemma 3.2 and 3.3",
        "A sum over negatives is replaced by its mean, with ≈, inside a logarithm.",
        "By Jensen's inequality that step goes the wrong way for the proof.",
        (
            "Not a proof. Lemma 3.3 itself is true, by another argument, and with log(M + 1) in"
            " place of log M."
        ),
        "claim",
        "checked",
        page="07_unsupervised_bound",
        function="theory.exact_bound",
    ),
    Point(
        "A17",
        "section 3.3",
        "In the multi-class case labels are scalars and the distance is 0 or 1, so σ = γ = 1.",
        (
            "Eq. 7 sums over c label coordinates, and section 4.1 declares the Hamming "
            "distance: between two one-hot vectors it is 2."
        ),
        "γ is 2, not 1, unless the distance is changed to the indicator (D11).",
        "numbers",
        "checked",
        page="A2_point_by_point",
        function="losses.weighted_supervised",
    ),
    Point(
        "A18",
        "section 3.3; captions of Tables 2 and 3",
        "For classes, Eq. 7 becomes exactly SupCon, and HeroCon-s is identical to it.",
        (
            "SupCon's L_out keeps the other positives in the denominator, Eq. 6 does not. They "
            "agree if every class has two samples."
        ),
        (
            "The equal rows of the tables compare Eq. 6 with itself; Khosla's loss is probably "
            "not in them."
        ),
        "numbers",
        "checked",
        page="02_special_cases",
        function="losses.sup_con",
    ),
    Point(
        "A19",
        "section 3.3",
        "With all weights 1, the unsupervised loss becomes SimCLR's.",
        (
            "Eq. 5 with g = 1 and both views is one of the two directions, whose mean is "
            "SimCLR's loss; and no H gives g = 1 unless representations collapse."
        ),
        "True for one half of it, with a temperature added.",
        "claim",
        "checked",
        page="02_special_cases",
        function="losses.nt_xent",
    ),
    Point(
        "A20",
        "sections 3.4 and 4.5; Lemma 3.3",
        "Lemma 3.3 speaks of the information between two views of a sample.",
        (
            "The sentence after it says between their representations, section 4.5 says between"
            " two samples."
        ),
        (
            "The first two both hold where the lemma does, as f sees only representations. The "
            "third is a slip."
        ),
        "harmless",
        "text",
        page="07_unsupervised_bound",
    ),
    Point(
        "A21",
        "sections 3.2.1, 3.4 and 4.5, Figure 3(b)",
        "The bound is said to tighten with more negatives, as Figure 3(b) shows.",
        "Figure 3(b) plots F1. With f = exp(cos) the bound stops below 1 nat, whatever M.",
        (
            "F1 is no evidence about a bound. The sentence is true of the best critic, not of "
            "every critic."
        ),
        "claim",
        "checked",
        page="07_unsupervised_bound",
        function="theory.ceiling",
    ),
    Point(
        "A22",
        "section 4.5, last sentence",
        "The cost of more negatives is announced for the following subsection.",
        "It is in appendix A.1; the conclusion follows.",
        "A left-over of an earlier version.",
        "harmless",
        "text",
    ),
    Point(
        "A23",
        "section 3.1; appendix A.1 and A.2",
        "n is the number of labelled samples.",
        (
            "In the proof of Lemma 3.1 it is the number of samples in L_1, in appendix A.1 the "
            "size of the whole data set."
        ),
        "Read n by its place.",
        "harmless",
        "text",
    ),
    # ------------------------------------------------------------ B
    Point(
        "B1",
        "section 4.3, CelebA",
        "The proposed methods are said to outperform all baselines in F1 and AUC.",
        (
            "Table 3: HeroCon-u has less F1 than CMC, MIB, DeepMTMV and C2AE, and less AUC than"
            " C2AE."
        ),
        "True of HeroCon and HeroCon-s, not of HeroCon-u.",
        "claim",
        "checked",
        page="A2_point_by_point",
    ),
    Point(
        "B2",
        "section 4.3, XRMB",
        "The proposed methods are said to outperform all baselines in F1 and AUC.",
        "Table 3: HeroCon-s has less F1 and less AUC than CMC.",
        "True of HeroCon and HeroCon-u, not of HeroCon-s.",
        "claim",
        "checked",
        page="A2_point_by_point",
    ),
    Point(
        "B3",
        "section 4.3, XRMB",
        "The text does not tell the full method from its variants.",
        ("Table 3: the best AUC is that of HeroCon-u (and is printed bold there), not of HeroCon."),
        ("In the table, the supervised term adds little F1 to HeroCon-u on XRMB, and AUC falls."),
        "claim",
        "checked",
        page="A2_point_by_point",
    ),
    Point(
        "B4",
        "section 4.2, Scene",
        "HeroCon and HeroCon-u are said to outperform all baselines.",
        "Table 2: in AUC, HeroCon-u stands just below C2AE.",
        "True in F1; in AUC true of HeroCon only.",
        "claim",
        "checked",
        page="A2_point_by_point",
    ),
    Point(
        "B5",
        "sections 4.2 and 4.3",
        "Gains of 0.9, 2.2, more than 1.9, 2.7 and 3.8 per cent are reported.",
        "In Tables 2 and 3 these are differences of F1 in points, not relative gains.",
        "The numbers are right as points.",
        "harmless",
        "checked",
        page="A2_point_by_point",
    ),
    Point(
        "B6",
        "section 4.5 and Table 3, XRMB",
        "The best α and β are 0.01 and 10.",
        "Section 4.3 uses 0.1 and 0.001 for Table 3.",
        (
            "Table 3 is not made with the best setting found, and the two sections describe "
            "different regimes."
        ),
        "numbers",
        "text",
    ),
    Point(
        "B7",
        "section 4.5 and Table 3, XRMB",
        "HeroCon is said to rely mainly on the supervised term there.",
        "Table 3: HeroCon-u is 2.3 points of F1 better than HeroCon-s.",
        "At the setting of Table 3 it is the other way round.",
        "claim",
        "checked",
        page="A2_point_by_point",
    ),
    Point(
        "B8",
        "section 4.3, section 4.5 and appendix A.1, XRMB",
        "β is 0.001 for Table 3.",
        ("It is 0.01 in the second experiment of section 4.5, in appendix A.1 and in the README."),
        "Which β made Table 3 is open.",
        "numbers",
        "text",
        function="experiments.setting",
    ),
    Point(
        "B9",
        "section 4.3, CelebA",
        "α = 0.1 is given for HeroCon-s and β = 0.01 for HeroCon-u.",
        "HeroCon-s has no L_u, so no α; HeroCon-u has no L_s, so no β.",
        (
            "Either the methods' names or the letters are exchanged. We read the names so: "
            "α = 0.1 for -u and β = 0.01 for -s."
        ),
        "numbers",
        "text",
        function="experiments.setting",
    ),
    Point(
        "B10",
        "sections 4.2 and 4.4, N-MNIST",
        "Table 2: α = 0.1 and β = 1 (HeroCon-s: β = 2); HeroCon is best.",
        "Case study: α = 0.5 and β = 10 for all; HeroCon-s is best in Figure 2(a).",
        "The case study is about other models than Table 2.",
        "numbers",
        "text",
    ),
    Point(
        "B11",
        "titles of sections 4.2 and 4.3",
        "Single-view and multi-view multi-label settings.",
        "N-MNIST (4.2) and XRMB (4.3) are multi-class.",
        "Titles only; the tables' captions say it right.",
        "harmless",
        "text",
        page="03_data_seen",
    ),
    Point(
        "B12",
        "section 4.1 and 4.3, XRMB",
        "XRMB is called multi-class and said to have 40 binary labels.",
        "Section 4.3 uses the first 20 classes.",
        "It is a 20-class problem.",
        "harmless",
        "text",
        page="03_data_seen",
    ),
    Point(
        "B13",
        "sections 4.1 and 4.4, N-MNIST",
        "The noise is white and Gaussian.",
        (
            "Two sentences on it is uniform on [0, 1]; in the case study it is Gaussian with "
            "the data's mean and deviation, on a percentage of pixels."
        ),
        "Three data sets under one name.",
        "numbers",
        "text",
        page="03_data_seen",
        function="views.two_views",
    ),
    Point(
        "B14",
        "section 4.2, N-MNIST",
        "200 of 10,000 images train and the remaining 60,000 test.",
        "The set has 70,000: 9,800 are used nowhere.",
        "The remaining is the wrong word; the split itself is possible.",
        "harmless",
        "checked",
        page="A2_point_by_point",
    ),
    Point(
        "B15",
        "section 4.2, N-MNIST; section 4.4",
        "500 iterations.",
        "500 epochs in the case study, with the same batches.",
        (
            "500 steps if an epoch passes the 200 labelled images once; 7,500 if it passes the "
            "60,000 unlabelled ones, 4,000 at a time."
        ),
        "numbers",
        "checked",
        page="A2_point_by_point",
    ),
    Point(
        "B16",
        "section 4.1, all tables",
        "The test set serves as the unlabelled set. The paper says so.",
        (
            "Methods with an unsupervised term see the test inputs while training, the others "
            "do not."
        ),
        (
            "A transductive comparison. New rows are another task: this module offers the "
            "inductive protocol, too."
        ),
        "claim",
        "text",
        page="03_data_seen",
        function="data.split",
    ),
    Point(
        "B17",
        "sections 4.2 and 4.3",
        "Negatives: 2,406, 4,199, 4,999 and 249.",
        (
            "The unlabelled rows of a step follow from them, 4,750 (XRMB) and 200 (CelebA), but"
            " are stated for N-MNIST only."
        ),
        "They can be inferred, and the released code has others (C1 to C3).",
        "harmless",
        "checked",
        page="A2_point_by_point",
        function="experiments.setting",
    ),
    Point(
        "B18",
        "section 3.2.2, Table 1",
        (
            "CelebA has 115,114 label vectors, 1.76 images a vector on average, so SupCon is "
            "called not applicable to multi-label data."
        ),
        (
            "1.76 is the mean over vectors. Over images, the mean number with the same vector "
            "is about 10; Scene has 15 vectors for 2,407 images."
        ),
        (
            "The counts are right. The argument holds for small batches of CelebA and does not "
            "hold for Scene."
        ),
        "claim",
        "checked",
        page="03_data_seen",
        function="data.counts.label_counts",
    ),
    Point(
        "B19",
        "section 4.3, XRMB, with a reference to Scene",
        (
            "As on Scene, DeepMTMV, MIB and C2AE are said to do better than DNN only, and worse "
            "than all contrastive methods."
        ),
        "In Table 2 all three have a higher F1 on Scene than Info-NCE, SupCon and HeroCon-s.",
        "True of XRMB's column. The reference to Scene may mean less than it says.",
        "harmless",
        "text",
    ),
    # ------------------------------------------------------------ C
    Point(
        "C1",
        "section 4.3, XRMB",
        "α 0.1, β 0.001, 500 epochs, 4,999 negatives.",
        "README: α 5, β 0.01, 300 epochs. Code: 250 + 250 rows a step, so 499 negatives.",
        "Another experiment. The presets `paper` and `released` hold both.",
        "numbers",
        "code",
        page="A2_point_by_point",
        function="experiments.setting",
    ),
    Point(
        "C2",
        "section 4.2, N-MNIST",
        "500 iterations, 4,199 negatives.",
        (
            "README: 300 epochs. Code: 200 + 1,000 rows a step, so 1,199 negatives, and noise "
            "rate 0.1."
        ),
        "Fewer steps and negatives, other noise (E6).",
        "numbers",
        "code",
        page="A2_point_by_point",
        function="experiments.setting",
    ),
    Point(
        "C3",
        "section 4.3, CelebA",
        "Batch 50, 600 epochs, 249 negatives.",
        "README: 300 epochs. Code: 64 + 64 rows a step, so 127 negatives.",
        "A third of the steps (C6), half of the negatives.",
        "numbers",
        "code",
        page="A2_point_by_point",
        function="experiments.setting",
    ),
    Point(
        "C4",
        "section 4.1, optimiser",
        "Momentum SGD with the LARS scheduler.",
        (
            "The code has LARC in clipping mode: the layer's rate is the smaller of the local "
            "and the global one, where LARS multiplies them."
        ),
        ("Mostly plain momentum SGD, whose largest steps are cut. LARS proper trains otherwise."),
        "numbers",
        "code",
        function="optim.LARS",
    ),
    Point(
        "C5",
        "section 4.1, optimiser",
        "Learning rate 0.05; momentum, trust coefficient and weight decay are not given.",
        "The code: momentum 0.95, trust coefficient 0.02, no weight decay, no schedule.",
        "Needed to repeat anything; known from the code only.",
        "numbers",
        "code",
        function="optim.LARS",
    ),
    Point(
        "C6",
        "sections 4.2 and 4.3",
        "200 to 600 epochs.",
        (
            "In the code one epoch is one step on Scene, XRMB and N-MNIST, and 7 steps on "
            "CelebA, where 52 of 500 labelled images are left out each time."
        ),
        "Count steps, not epochs.",
        "numbers",
        "code",
        page="A2_point_by_point",
        function="experiments.setting",
    ),
    Point(
        "C7",
        "not in the paper",
        "—",
        (
            "The option -hid is read and changes only the name of a file; the linear model "
            "always has 200 units."
        ),
        "README commands with -hid 100 give 200 units.",
        "harmless",
        "code",
    ),
    Point(
        "C8",
        "not in the paper",
        "—",
        (
            "The default model, vgg, does not fit the default data, scene; the help text of -m "
            "is that of another option."
        ),
        "The call without options fails; the README's calls name the model.",
        "harmless",
        "code",
    ),
    Point(
        "C9",
        "not in the paper",
        "—",
        (
            "At one commit the README's MNIST command stands under CelebA and names the linear "
            "model, which cannot take images; a later README names cnn."
        ),
        "Use the later one.",
        "harmless",
        "code",
    ),
    Point(
        "C10",
        "not in the paper",
        "The precision is not given.",
        "Everything runs in float64.",
        (
            "Twice the memory, and slow on most GPUs; float32 with logarithms kept (this "
            "module) agrees to rounding."
        ),
        "harmless",
        "code",
    ),
    Point(
        "C11",
        "section 4.1, five repetitions",
        "Training samples are drawn at random, five times.",
        "torch's seed is set to 0 before every repetition, NumPy's never.",
        (
            "Noise and order, and on XRMB and CelebA the splits, differ from machine to machine; "
            "initial weights are the same in all five repetitions."
        ),
        "numbers",
        "code",
        function="data.split",
    ),
    # ------------------------------------------------------------ D
    Point(
        "D1",
        "section 3.2.1, Eq. 5",
        "The positive pair has weight 1 in the denominator.",
        "The code multiplies the whole row by g, the positive included.",
        "The positive is weighted, too; a constant g then adds log g and changes no gradient.",
        "numbers",
        "checked",
        page="02_special_cases",
        function="losses.weighted_unsupervised",
        switch="positive_weighted",
    ),
    Point(
        "D2",
        "section 3.2.1, g of Eq. 4, for Eq. 5",
        "Both halves of g compare the same two representations, H on one or on the other.",
        (
            "The half with H on view 2 belongs to the transposed pair: samples i and k change "
            "places."
        ),
        "Half of each weight is that of another pair; only the diagonal is right.",
        "numbers",
        "checked",
        page="02_special_cases",
        function="losses.weighted_unsupervised",
        switch="transposed",
    ),
    Point(
        "D3",
        "section 3.2.1, Eq. 5",
        "Anchors from view 1, negatives from both views.",
        (
            "The code sums over the first dimension: anchors from view 2, negatives from view 1"
            " only."
        ),
        "Half of the negatives, in the other direction.",
        "numbers",
        "checked",
        page="02_special_cases",
        function="losses.weighted_unsupervised",
        switch="view2_anchors",
    ),
    Point(
        "D4",
        "section 3.2, Eq. 5 and Eq. 7",
        "No constants.",
        (
            "The code subtracts logarithms of counts, which ones depends on the model: labelled"
            " rows, twice these, negatives, negatives plus one."
        ),
        "No gradient changes; logged values are not those of the equations.",
        "harmless",
        "code",
    ),
    Point(
        "D5",
        "section 3.1",
        "One representation Z serves all three terms.",
        (
            "L_u sees Z through one more projection layer; L_s and the classifier see it before"
            " that layer."
        ),
        "L_u regularises the encoder less directly. This module follows the code here.",
        "numbers",
        "code",
        function="models.projector",
    ),
    Point(
        "D6",
        "section 3.1",
        "Two views may have two encoders.",
        (
            "In the two image models the projection of view 1 serves both views; that of view 2"
            " is never called."
        ),
        "One projector for both, as in SimCLR.",
        "numbers",
        "code",
        function="experiments.options",
    ),
    Point(
        "D7",
        "section 3.2.2, Eq. 7",
        "The mean over the c labels.",
        "The code sums over labels.",
        "β counts c times as much: 6, 10, 20 or 40.",
        "numbers",
        "checked",
        page="02_special_cases",
        function="losses.weighted_supervised",
        switch="label_sum",
    ),
    Point(
        "D8",
        "section 3.2.2, Eq. 7",
        "Pairs of positives; whether a sample pairs with itself is not said.",
        "The code counts self pairs.",
        "They pull nothing, as their cosine is fixed, and dilute the others.",
        "numbers",
        "checked",
        page="02_special_cases",
        function="losses.weighted_supervised",
        switch="self_pairs",
    ),
    Point(
        "D9",
        "section 3.2.2, Eq. 7",
        "The denominator of pair (i, j) has the negatives of anchor i.",
        "The code adds the sums along the other dimension: those of j.",
        (
            "None: the mean runs over all pairs, and positives are symmetric, so the terms only"
            " change places."
        ),
        "harmless",
        "checked",
        page="A2_point_by_point",
        function="losses.weighted_supervised",
    ),
    Point(
        "D10",
        "section 3.2.2, γ of Eq. 7",
        "γ is the distance itself.",
        (
            "One model file (cnn) divides it by the mean number of labels a row has, in a "
            "branch that no published command runs."
        ),
        "A constant factor on all negatives.",
        "numbers",
        "checked",
        page="02_special_cases",
        function="losses.weighted_supervised",
        switch="gamma_by_cardinality",
    ),
    Point(
        "D11",
        "section 4.1, distance",
        "The Hamming distance, in all experiments.",
        "On classes the code sets σ = γ = 1, the indicator.",
        "γ is 1, not 2. Section 3.3 needs it so (A17).",
        "numbers",
        "checked",
        page="02_special_cases",
        function="losses.weighted_supervised",
        switch="indicator",
    ),
    Point(
        "D12",
        "section 3.2, Eq. 1",
        "L_c is the cross entropy.",
        (
            "Binary cross entropy on every label, for classes too; predictions for classes are "
            "then made with softmax."
        ),
        "Other numbers on N-MNIST and XRMB; for multi-label data both are the same.",
        "numbers",
        "code",
    ),
    Point(
        "D13",
        "section 3.2.1, H of Eq. 4",
        "How H is trained is not said.",
        "H is shared by the views and trained with the rest; gradients also flow through g.",
        (
            "At τ = 1 that gradient works against the repulsion, and training on L_u alone can "
            "collapse."
        ),
        "claim",
        "checked",
        page="06_weights",
        function="losses.weighted_unsupervised",
    ),
    Point(
        "D14",
        "section 3.1",
        "The activation of the last layer is not given.",
        "ReLU, then batch normalisation: representations have both signs.",
        (
            "Weights up to e² are possible; after a plain ReLU, with a sigmoid H, they would "
            "stay below e."
        ),
        "claim",
        "checked",
        page="06_weights",
        function="models.dense",
    ),
    Point(
        "D15",
        "not in the paper",
        "Labels without negatives are not discussed.",
        (
            "A label that all rows have is skipped in vgg, adds 0 in the linear model and "
            "divides by zero in cnn; one cosine in vgg has no guard against zero rows."
        ),
        (
            "No effect on the paper's data; other data may give infinite values. Here such a "
            "label adds exactly 0."
        ),
        "harmless",
        "checked",
        function="losses.weighted_supervised",
    ),
    Point(
        "D16",
        "section 4.3, CelebA",
        "vgg-16.",
        (
            "Thirteen convolutions and five poolings, but 32 to 128 channels in place of 64 to "
            "512, and one trunk a view."
        ),
        "A much smaller network than the name says.",
        "numbers",
        "code",
        function="models.vgg",
    ),
    Point(
        "D17",
        "section 4.2, N-MNIST",
        "Two convolutions, a pooling layer and two fully connected layers.",
        "One fully connected layer a view, then two on both views together.",
        "One layer more, if layers are counted along a path.",
        "harmless",
        "code",
        function="models.cnn",
    ),
    Point(
        "D18",
        "not in the paper",
        "—",
        "The image model's default input size is 728; MNIST's is 784.",
        "None: the value is never used.",
        "harmless",
        "code",
    ),
    Point(
        "D19",
        "section 4.1, baselines",
        "Seven baselines are compared.",
        (
            "No code of a baseline is there. A flag that sets g = 1 exists in two of three "
            "models, and no command sets it."
        ),
        "The baselines' exact losses, weights and budgets are unknown.",
        "numbers",
        "code",
        function="methods.build",
    ),
    Point(
        "D20",
        "not in the paper",
        "Batch normalisation is not discussed.",
        (
            "Labelled and unlabelled rows pass it separately; methods with α = 0 never see "
            "unlabelled rows."
        ),
        (
            "Methods with L_u also get test-set statistics in batch normalisation. The control "
            "`dnn-bnu` shows how much that does."
        ),
        "claim",
        "code",
        function="methods.build",
    ),
    Point(
        "D21",
        "section 4.2, Scene and N-MNIST",
        "Eq. 4, the single-view loss.",
        (
            "It is not implemented; every model takes two views, and these sets get two noisy "
            "copies."
        ),
        "Tables 2 and 3 use one equation, if this code made them.",
        "numbers",
        "code",
        page="01_picture_to_loss",
        function="losses.input_contrast",
    ),
    # ------------------------------------------------------------ E
    Point(
        "E1",
        "section 4.2, Scene",
        "One view.",
        (
            "Two: view 1 has noise on even rows only, view 2 on odd rows only, a hundredth of "
            "the data's deviation, with a mean that is not 0."
        ),
        "One view of each sample is clean, the other nearly so: the pair is easy to find.",
        "numbers",
        "code",
        function="views.alternate_rows",
    ),
    Point(
        "E2",
        "section 4.2, Scene",
        "A random 5 per cent train.",
        (
            "The first five of 20 stratified folds, not shuffled, with the parts' names "
            "exchanged so that the small one trains."
        ),
        "Labels are balanced better than at random, rows come from the file's order.",
        "numbers",
        "code",
        page="03_data_seen",
        function="data.split",
    ),
    Point(
        "E3",
        "section 4.1, five repetitions, N-MNIST",
        "Training samples are drawn anew each time.",
        (
            "The loop that stores five folds uses the same index in each: all five are the same"
            " 200 images."
        ),
        "If this code made Table 2, its deviations are not those of resampled training sets.",
        "numbers",
        "code",
        page="03_data_seen",
        function="data.split",
    ),
    Point(
        "E4",
        "section 4.2, N-MNIST",
        "20 images of each digit.",
        "200 images in a row, the first of MNIST's test part.",
        "Digits are not balanced.",
        "numbers",
        "code",
        page="03_data_seen",
        function="data.split",
    ),
    Point(
        "E5",
        "section 4.4, N-MNIST",
        "Gaussian noise with the data's mean and standard deviation.",
        "The variance is passed as the standard deviation: 0.095 in place of 0.308.",
        "Noise a third as strong.",
        "numbers",
        "checked",
        page="A2_point_by_point",
        function="views.threshold",
    ),
    Point(
        "E6",
        "section 4.4, N-MNIST",
        "A chosen percentage of pixels is contaminated.",
        "Noise is added where its value is below the rate.",
        "The rate is no percentage, and only small or negative noise is added.",
        "numbers",
        "checked",
        page="A2_point_by_point",
        function="views.threshold",
    ),
    Point(
        "E7",
        "section 4.1, N-MNIST",
        "Pixels in [0, 1].",
        "Stored as whole numbers from 0 to 255.",
        "Other scale of the inputs; the first layer is followed by batch normalisation.",
        "harmless",
        "code",
        function="views.two_views",
    ),
    Point(
        "E8",
        "section 4.3, XRMB",
        "2,500 samples of each class, drawn at random.",
        "The first 2,500 of each class; the 250 that train are one of 200 stratified folds.",
        (
            "Probably neighbouring frames of few utterances, so rows that are more alike. Training "
            "sets are balanced, and disjoint over the repetitions."
        ),
        "numbers",
        "code",
        function="data.select_classes",
    ),
    Point(
        "E9",
        "section 4.3, CelebA",
        "500 and 49,500 random images.",
        "Random among the first 50,000 of 202,599.",
        "The file's order is not random by design; probably small.",
        "numbers",
        "code",
    ),
    Point(
        "E10",
        "section 4.1, CelebA, view 1",
        "Crop and resize, after SimCLR.",
        (
            "One fixed crop of rows, no resizing: the picture is pasted on a black square of "
            "224 pixels, and mean subtraction is skipped."
        ),
        "No random augmentation.",
        "numbers",
        "code",
        function="views.fixed_crop_and_green",
    ),
    Point(
        "E11",
        "section 4.1, CelebA, view 2",
        "Colour distortion, after SimCLR.",
        "Noise of 0 to 49 on the green channel of the lower half, drawn once and stored.",
        "Far weaker than SimCLR's, and the same in each epoch.",
        "numbers",
        "code",
        function="views.fixed_crop_and_green",
    ),
    Point(
        "E12",
        "section 4.1, CelebA, view 2",
        "—",
        "A picture converted to RGB is written by a function that takes BGR.",
        "Red and blue are exchanged between the views: a constant colour change.",
        "numbers",
        "code",
        function="views.fixed_crop_and_green",
    ),
    # ------------------------------------------------------------ F
    Point(
        "F1",
        "section 4.1, F1",
        "No threshold is given.",
        "A label is predicted above 0.4.",
        "F1 at 0.5 differs; this module stores both.",
        "numbers",
        "code",
        function="metrics.evaluate",
    ),
    Point(
        "F2",
        "section 4.1, F1 and AUC",
        "The averages are not given.",
        "F1 is weighted by label frequency; AUC is the plain mean over labels.",
        "Micro or macro F1 would be other numbers.",
        "numbers",
        "code",
        function="metrics.evaluate",
    ),
    Point(
        "F3",
        "section 4.1",
        "No validation set; how α and β were chosen is not said.",
        "The model of the last epoch is tested on the rows that were its unlabelled set.",
        "If α and β were chosen by test scores, these are too high; the text does not tell.",
        "claim",
        "text",
        function="data.split",
    ),
    Point(
        "F4",
        "Table 2, N-MNIST, AUC",
        "F1 about 0.9 stands beside AUC about 0.95.",
        (
            "Half of the distinct rows fit, to 0.001, the AUC of hard predictions at an accuracy "
            "equal to F1; the code takes probabilities."
        ),
        (
            "These AUC values are probably not of probabilities; other rows fit neither. Not "
            "comparable with XRMB's."
        ),
        "numbers",
        "checked",
        page="A2_point_by_point",
        function="metrics.evaluate",
    ),
)

# ------------------------------------------------------------------ on the page


def to_markdown(points: Iterable[Point]) -> str:
    """A table of points, one row each; the search box of the page finds it by its heading."""
    rows = ["| No. | The paper | The code, or another place | So |", "|---|---|---|---|"]
    for point in points:
        last = f"**{point.effect}.** {point.consequence} *{point.evidence}*"
        if point.page == HERE:
            last += ", this page"
        elif point.page:
            last += f", [{PAGES[point.page]}]({point.page}.ipynb)"
        if point.function:
            last += f", `{point.function}`"
        if point.switch:
            last += f", switch `{point.switch}`"
        paper = f"*{point.where}:* {point.paper}"
        rows.append(f"| {point.number} | {paper} | {point.other} | {last} |")
    return "\n".join(rows)


# ------------------------------------------------------------------ the seven switches

# The stored runs that have one switch on, and nothing else, as query.Store finds them.
_OF_VIEWS = {"method": "herocon", "protocol": "inductive"}
_OF_LABELS = {"method": "herocon-s", "protocol": "transductive"}
SWITCHES = {
    "positive_weighted": {**_OF_VIEWS, "preset": "paper+positive_weighted"},
    "transposed": {**_OF_VIEWS, "preset": "paper+transposed"},
    "view2_anchors": {**_OF_VIEWS, "preset": "paper+view2_anchors"},
    "label_sum": {**_OF_LABELS, "preset": "paper+label_sum"},
    "self_pairs": {**_OF_LABELS, "preset": "paper+self_pairs"},
    "gamma_by_cardinality": {**_OF_LABELS, "preset": "paper+gamma_by_cardinality"},
    "indicator": {**_OF_LABELS, "changes": {"distance": "indicator"}},
}
