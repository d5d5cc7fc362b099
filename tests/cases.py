"""The table of losses that the tests walk over: inputs, our function, the naive loop."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from herocon_lite import losses
from tests import naive


@dataclass
class Batch:
    """Inputs for every loss: n rows, d columns, c labels."""

    z1: Tensor
    z2: Tensor
    x: Tensor
    W: Tensor  # the weight net H(z) = sigmoid(z Wᵀ)
    M: Tensor  # the map A(x) = x Mᵀ
    Y: Tensor
    y: Tensor
    known: Tensor  # (n, c), bool, for losses of labels some of which are not known

    def Y_with_gaps(self) -> Tensor:
        """Y, with −1 where it is not known."""
        return self.Y.masked_fill(~self.known, -1)

    def H(self, z: Tensor) -> Tensor:
        return torch.sigmoid(z @ self.W.T.to(z.dtype))

    def A(self, x: Tensor) -> Tensor:
        return x @ self.M.T.to(x.dtype)

    def learned(self) -> list[Tensor]:
        return [self.z1, self.z2, self.x, self.W, self.M]

    def to(self, dtype: torch.dtype) -> "Batch":
        """A copy with fresh leaves; labels stay as they are."""
        leaves = [t.detach().clone().to(dtype).requires_grad_() for t in self.learned()]
        return Batch(*leaves, self.Y, self.y, self.known)


def make_batch(n=6, d=4, c=3, p=5, seed=0, dtype=torch.float64, density=0.5) -> Batch:
    g = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return torch.randn(*shape, generator=g, dtype=torch.float64).to(dtype).requires_grad_()

    return Batch(
        normal(n, d),
        normal(n, d),
        normal(n, p),
        normal(d, d),
        normal(d, p),
        (torch.rand(n, c, generator=g) < density).double(),
        torch.randint(0, 3, (n,), generator=g),
        torch.rand(n, c, generator=g) < 0.7,
    )


@dataclass
class Case:
    ours: Callable[..., Tensor]  # (batch, τ, **options)
    naive: Callable[[Batch, float], Tensor]
    scale_free: bool = True  # rescaling rows and rotating change nothing
    chunked: bool = True
    # L_out is a difference of two logs, so its error is relative to 1 where the loss is smaller
    floor: float = 0.0
    has_temperature: bool = True
    least: int = 1  # rows; with fewer there is a sentence


def _two(ours, slow, **options):
    return Case(
        lambda b, t, **o: ours(b.z1, b.z2, temperature=t, **options, **o),
        lambda b, t: slow(b.z1, b.z2, t=t, **options),
    )


def _one(ours, slow, **options):
    return Case(
        lambda b, t, **o: ours(b.x, b.z1, b.A, temperature=t, **options, **o),
        lambda b, t: slow(b.x, b.z1, b.A, t=t, **options),
        scale_free=False,
    )


def _columns(ours, slow, **options):
    """A loss of columns: no temperature, no negatives."""
    return Case(
        lambda b, t, **o: ours(b.z1, b.z2, **options, **o),
        lambda b, t: slow(b.z1, b.z2, **options),
        scale_free=False,
        chunked=False,
        floor=1.0,
        has_temperature=False,
        least=2,
    )


def _all_views(ours, slow, least, **options):
    return Case(
        lambda b, t, **o: ours([b.z1, b.z2], temperature=t, **options, **o),
        lambda b, t: slow([b.z1, b.z2], t=t, **options),
        floor=1.0,
        least=least,
    )


def _labelled(ours, slow, labels="Y", out=False, ours_options=None, **options):
    return Case(
        lambda b, t, **o: ours(
            b.z1, getattr(b, labels), temperature=t, **(ours_options or {}), **o
        ),
        lambda b, t: slow(b.z1, getattr(b, labels), t=t, **options),
        chunked=out,
        floor=1.0 if out else 0.0,
    )


def _with_gaps(ours_options=None, **options):
    """Eq. 7 where single labels are unknown."""
    return Case(
        lambda b, t, **o: losses.weighted_supervised(
            b.z1, b.Y_with_gaps(), t, known=b.known, **(ours_options or {}), **o
        ),
        lambda b, t: naive.weighted_supervised(b.z1, b.Y_with_gaps(), t, known=b.known, **options),
        chunked=False,
    )


CASES = {
    "info_nce": _two(losses.info_nce, naive.info_nce),
    "cmc": _two(losses.cmc, naive.cmc),
    "nt_xent": _two(losses.nt_xent, naive.nt_xent),
    "debiased": _two(losses.debiased, naive.debiased),
    "hard_negative": _two(losses.hard_negative, naive.hard_negative),
    "hard_negative_strong": _two(losses.hard_negative, naive.hard_negative, tau_plus=0.3, beta=2.5),
    "eq2": _one(losses.input_contrast, naive.input_contrast),
    "eq4": Case(
        lambda b, t, **o: losses.input_contrast(b.x, b.z1, b.A, b.H, temperature=t, **o),
        lambda b, t: naive.input_contrast(b.x, b.z1, b.A, t, b.H),
        scale_free=False,
    ),
    "l2": _one(losses.input_weighted, naive.input_weighted),
    "eq5": Case(
        lambda b, t, **o: losses.weighted_unsupervised(b.z1, b.z2, b.H, temperature=t, **o),
        lambda b, t: naive.weighted_unsupervised(b.z1, b.z2, b.H, t),
        scale_free=False,
    ),
    "eq5_identity": Case(
        lambda b, t, **o: losses.weighted_unsupervised(b.z1, b.z2, lambda z: z, temperature=t, **o),
        lambda b, t: naive.weighted_unsupervised(b.z1, b.z2, lambda z: z, t),
    ),
    "eq5_released": Case(
        lambda b, t, **o: losses.weighted_unsupervised(
            b.z1, b.z2, b.H, temperature=t, preset="released", **o
        ),
        lambda b, t: naive.released_unsupervised(b.z1, b.z2, b.H, t),
        scale_free=False,
    ),
    "eq6": _labelled(losses.sup_con_eq6, naive.weighted_supervised, distance=None),
    "eq7": _labelled(losses.weighted_supervised, naive.weighted_supervised),
    "eq7_indicator": _labelled(
        losses.weighted_supervised,
        naive.weighted_supervised,
        ours_options={"distance": "indicator"},
        distance="indicator",
    ),
    "eq7_outside": _labelled(
        losses.weighted_supervised,
        naive.weighted_supervised,
        ours_options={"sigma_outside": True},
        outside=True,
    ),
    "eq7_released": _labelled(
        losses.weighted_supervised,
        naive.weighted_supervised,
        ours_options={"preset": "released"},
        self_pairs=True,
        label_sum=True,
    ),
    "eq7_gaps": _with_gaps(),
    "eq7_gaps_indicator": _with_gaps({"distance": "indicator"}, distance="indicator"),
    "eq7_gaps_outside": _with_gaps({"sigma_outside": True}, outside=True),
    "eq7_gaps_released": _with_gaps({"preset": "released"}, self_pairs=True, label_sum=True),
    "sup_con": _labelled(losses.sup_con, naive.sup_con, labels="y", out=True),
    "sup_con_vectors": _labelled(losses.sup_con, naive.sup_con, out=True),
    "sup_con_skip": _labelled(
        losses.sup_con, naive.sup_con_skip, out=True, ours_options={"empty": "skip"}
    ),
    "sup_con_any": _labelled(losses.sup_con_any, naive.sup_con_any, out=True),
    "mul_sup_con": _labelled(losses.mul_sup_con, naive.mul_sup_con, out=True),
}


CASES |= {
    "vicreg": _columns(losses.vicreg, naive.vicreg),
    "vicreg_weights": _columns(
        losses.vicreg, naive.vicreg, similarity=2.0, variance=3.0, covariance=5.0
    ),
    "barlow_twins": _columns(losses.barlow_twins, naive.barlow_twins),
    "barlow_twins_one": _columns(losses.barlow_twins, naive.barlow_twins, redundancy=1.0),
    "decoupled": Case(
        lambda b, t, **o: losses.decoupled(b.z1, b.z2, temperature=t, **o),
        lambda b, t: naive.decoupled(b.z1, b.z2, t),
        floor=1.0,
        least=2,
    ),
    "mv_info_nce": _all_views(losses.mv_info_nce, naive.mv_info_nce, least=1),
    "mv_info_nce_printed": _all_views(
        losses.mv_info_nce, naive.mv_info_nce, least=1, form="printed"
    ),
    "mv_dhel": _all_views(losses.mv_dhel, naive.mv_dhel, least=2),
    "mv_dhel_printed": _all_views(losses.mv_dhel, naive.mv_dhel, least=2, form="printed"),
}
CASES |= {
    f"multi_sup_con{name}": _labelled(
        losses.multi_sup_con, naive.multi_sup_con, out=True, ours_options=options, **options
    )
    for name, options in {
        "": {},
        "_all": {"overlap": 0.0},
        "_half": {"overlap": 0.5},
        "_skip": {"empty": "skip"},
    }.items()
}


def gradients(loss: Tensor, batch: Batch) -> list[Tensor]:
    """Gradients by every learned tensor, zeros where the loss does not use it."""
    found = torch.autograd.grad(loss, batch.learned(), allow_unused=True)
    return [
        torch.zeros_like(t) if g is None else g for g, t in zip(found, batch.learned(), strict=True)
    ]
