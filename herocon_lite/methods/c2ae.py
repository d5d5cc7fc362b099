r"""C2AE, the canonical-correlated autoencoder (Yeh et al. 2017), on the labelled rows only.

F_x takes inputs and F_e takes labels to one space of L dimensions, F_d takes that space back to
labels; predictions are F_d(F_x(x)). With A = F_x(X) and E = F_e(Y):

    Φ = ‖A − E‖² + λ (‖AᵀA − I‖² + ‖EᵀE − I‖²)          inputs and labels agree, codes uncorrelated
    Γ = Σ_i mean over p ∈ y_i, q ∉ y_i of exp(−κ (ŷ_p − ŷ_q)),  ŷ = F_d(F_e(y_i))

Both are sums over the batch, as in its authors' code, and there is no cross-entropy: F_x learns
from Φ alone.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from herocon_lite.methods.base import Method, Problem
from herocon_lite.similarity import full_precision

# As its authors have them.
SLOPE = 0.1  # of the leaky ReLU
PENALTY = 0.5  # λ: how strictly the codes' columns must be orthonormal over the batch
RANKING = 0.5  # w, the weight of Γ
KAPPA = 5.0  # sharpness of Γ; their gradient carries no κ, hence a division by it
CODE_SHARE = 0.8  # L for each label
WIDTH = 512  # of the hidden layer in F_e and F_d


class C2AE(Method):
    """Φ + w · Γ/κ."""

    def __init__(self, problem: Problem):
        super().__init__(problem)
        labels = problem.n_labels
        code_size = max(1, round(CODE_SHARE * labels))  # L
        self.input_code = nn.Linear(self.joint_size, code_size)  # the end of F_x
        self.label_code = _two_layers(labels, code_size)  # F_e
        self.decoder = _two_layers(code_size, labels)  # F_d, as logits

    def terms(self, labeled, Y, unlabeled, progress):
        A = _centred(self.input_code(self.embed(labeled)))
        E = _centred(self.label_code(Y))
        phi = correlation(A, E, PENALTY)
        scores = _lifted(self.decoder(E)).sigmoid()
        return {"phi": phi, "gamma": RANKING / KAPPA * ranking(scores, Y, KAPPA).sum()}

    def logits(self, views):
        return self.decoder(_centred(self.input_code(self.embed(views))))


def correlation(A: Tensor, E: Tensor, penalty: float) -> Tensor:
    """Compute Φ of the codes A and E, both (b, L): the penalised form of canonical correlation."""
    with full_precision(A):
        A, E = _lifted(A), _lifted(E)
        eye = torch.eye(A.shape[1], dtype=A.dtype, device=A.device)
        # L × L, over the whole batch: columns, not rows, are to be orthonormal
        excess = (A.T @ A - eye).square().sum() + (E.T @ E - eye).square().sum()
        return (A - E).square().sum() + penalty * excess


def ranking(scores: Tensor, Y: Tensor, kappa: float) -> Tensor:
    """Compute Γ_i of each row, (b,): every label it has should score above every label it lacks.

    The double mean over pairs (p, q) is a product of two means. A row with all labels or none has
    no pair and gets 0.
    """
    Y, scores = Y.to(scores.dtype), scores - 0.5  # which cancels; so κ may be twice as large
    has, lacks = Y.sum(1), (1 - Y).sum(1)
    low = (Y * (-kappa * scores).exp()).sum(1) / has.clamp_min(1)
    high = ((1 - Y) * (kappa * scores).exp()).sum(1) / lacks.clamp_min(1)
    return low * high


def _centred(code: Tensor) -> Tensor:
    """Codes in (−½, ½): correlations need centred numbers."""
    return _lifted(code).sigmoid() - 0.5


def _lifted(x: Tensor) -> Tensor:
    """To float32 at least: in half precision numbers near ½, less ½, have few digits left."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def _two_layers(p: int, q: int) -> nn.Module:
    # no BatchNorm: F_d must treat a label's code and an input's code alike
    return nn.Sequential(nn.Linear(p, WIDTH), nn.LeakyReLU(SLOPE), nn.Linear(WIDTH, q))
