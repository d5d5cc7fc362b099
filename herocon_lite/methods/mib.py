r"""MIB, the multi-view information bottleneck (Federici et al. 2020), trained with the labels.

Each view's encoder is stochastic, p_v(z|x_v) = N(μ_v, diag σ_v²), and

    L = L_c + α · L_MIB,   L_MIB = −J(z_1; z_2) + β · SKL(p_1, p_2)

J bounds the information that the two samples share, the symmetrised KL divergence is what one
view says and the other does not. The original has two stages, the labels in the second.
"""

from __future__ import annotations

from itertools import combinations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from herocon_lite import distributed, models
from herocon_lite.checks import check_weight
from herocon_lite.methods.base import Method, Problem, check_several_views, classification

MIN_STD = 1e-7  # as its authors
BETA_START = 1e-3  # as its authors
CRITIC_WIDTH = 256  # the original's 1024 is for far more rows

Gaussian = tuple[Tensor, Tensor]  # mean and standard deviation, both (n, d)


class MIB(Method):
    """L_c + α · L_MIB on all rows; with more than two views L_MIB is the mean over pairs of views.

    Args:
        alpha: α ≥ 0.
        beta_max: weight of the symmetrised KL at the end, see :func:`beta_at`.
    """

    def __init__(self, problem: Problem, alpha: float = 0.1, beta_max: float = 1.0):
        check_weight("alpha", alpha)
        check_weight("beta_max", beta_max)
        check_several_views(problem)
        super().__init__(problem)
        views = len(problem.view_shapes)
        z_size = 64 if problem.encoder == "mlp" else 128  # of each view's z
        self.classifier = models.classifier(problem.encoder, views * z_size, problem.n_labels)
        heads = [nn.Linear(self.size, 2 * z_size) for _ in self.encoders]
        self.heads = models.PerView(heads)  # h_v to (μ_v, raw σ_v)
        self.pairs = list(combinations(range(views), 2))
        # The best critic is a density ratio, another one for each pair of views.
        self.critics = nn.ModuleList(_critic(z_size) for _ in self.pairs if alpha > 0)
        self.alpha, self.beta_max = alpha, beta_max
        self.uses_unlabeled = alpha > 0

    def terms(self, labeled, Y, unlabeled, progress):
        gaussians = self.gaussians(labeled)
        if self.alpha > 0 and unlabeled is not None:
            more = [
                tuple(map(distributed.all_gather_with_grad, p)) for p in self.gaussians(unlabeled)
            ]
            both = zip(gaussians, more, strict=True)
            gaussians = [(torch.cat([m, m2]), torch.cat([s, s2])) for (m, s), (m2, s2) in both]
        z = [sample(p) for p in gaussians]  # one draw serves both terms
        code = torch.cat(z, 1)[: len(Y)]  # the labelled rows come first
        terms = {"L_c": classification(self.classifier(code), Y)}
        if self.alpha == 0:
            return terms
        pairs = zip(self.critics, self.pairs, strict=True)
        information = [shared_information(critic, z[v], z[w]) for critic, (v, w) in pairs]
        divergence = [symmetric_kl(gaussians[v], gaussians[w]) for v, w in self.pairs]
        beta = beta_at(progress, self.beta_max)
        terms["information"] = -self.alpha * torch.stack(information).mean()
        terms["divergence"] = self.alpha * beta * torch.stack(divergence).mean()
        return terms

    def embed(self, views):
        """Return the means side by side: samples are for training."""
        return torch.cat([mean for mean, _ in self.gaussians(views)], 1)

    def gaussians(self, views: list[Tensor]) -> list[Gaussian]:
        """Return p_v(z|x_v) for each view."""
        found = []
        for raw in self.heads(self.encoders(views)):
            raw = raw.to(torch.promote_types(raw.dtype, torch.float32))  # half cannot hold 1e-7
            mean, std = raw.chunk(2, 1)
            found.append((mean, F.softplus(std) + MIN_STD))
        return found


def sample(p: Gaussian) -> Tensor:
    """Draw one z a row; gradients flow through it."""
    mean, std = p
    return mean + std * torch.randn_like(mean)


def symmetric_kl(p: Gaussian, q: Gaussian) -> Tensor:
    """Compute ½ [KL(p‖q) + KL(q‖p)], summed over dimensions, mean over rows; closed form."""
    (mean_p, std_p), (mean_q, std_q) = p, q
    gap, ratio = (mean_p - mean_q).square(), (std_p / std_q).square()
    # ¼ Σ (σp² + Δ²)/σq² + (σq² + Δ²)/σp² − 2
    each = ratio + 1 / ratio - 2 + gap * (std_p**-2 + std_q**-2)
    return each.sum(1).mean() / 4


def shared_information(critic: nn.Module, z1: Tensor, z2: Tensor) -> Tensor:
    """Compute J = −E softplus(−T) over true pairs − E softplus(T) over false ones: at most 0.

    Each row gets one false partner, by rolling z1. Its authors roll by one row of a shuffled
    batch; here the distance is random, since rows that follow each other may be alike.
    """
    shift = int(torch.randint(1, max(len(z1), 2), (), device="cpu"))  # no device waits
    true = critic(torch.cat([z1, z2], 1))
    false = critic(torch.cat([z1.roll(shift, 0), z2], 1))
    return -F.softplus(-true).mean() - F.softplus(false).mean()


def beta_at(progress: float, beta_max: float = 1.0) -> float:
    """Return β: 1e-3 in the first third of the steps, then growing by equal factors to
    ``beta_max``."""
    start = min(BETA_START, beta_max)
    if start == 0:
        return 0.0
    share = min(max((progress - 1 / 3) / (2 / 3), 0.0), 1.0)
    return start * (beta_max / start) ** share


def _critic(z_size: int) -> nn.Module:
    """T(z1, z2), one number a row."""
    return nn.Sequential(
        nn.Linear(2 * z_size, CRITIC_WIDTH),
        nn.ReLU(),
        nn.Linear(CRITIC_WIDTH, CRITIC_WIDTH),
        nn.ReLU(),
        nn.Linear(CRITIC_WIDTH, 1),
    )
