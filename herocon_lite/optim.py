"""LARS: every tensor's step is set beside the size of the tensor, in two forms.

What the paper calls LARS is, in its public code, SGD with a cap on each tensor's gradient (LARC
with clipping). The LARS of You, Gitman and Ginsburg (2017) scales instead of capping.
"""

from __future__ import annotations

import inspect

import torch
from torch.optim import Optimizer

from herocon_lite.checks import check_weight


class LARS(Optimizer):
    r"""Momentum SGD whose steps are tied, tensor by tensor, to the norm of the weights.

    With :math:`\lambda = \eta\,|w| / (|\nabla| + \text{decay}\,|w| + \epsilon)` and
    :math:`d = \nabla + \text{decay}\,w`:

    .. math:: \text{clip:}\quad v \leftarrow m v + \min(\lambda/\text{lr}, 1)\,d,
        \quad w \leftarrow w - \text{lr}\,v
        \qquad\quad \text{published:}\quad v \leftarrow m v + \text{lr}\,\lambda\,d,
        \quad w \leftarrow w - v

    So with ``clip`` the rate is min(lr, λ): plain SGD until the gradient would move a tensor by
    more than the share η of its norm. A tensor whose weights or gradient are all zero takes the
    plain gradient. Every tensor takes part, biases and batch normalisation too; put those to be
    left alone in a group with ``trust=math.inf`` (with ``clip``, that is plain SGD).

    Nothing here looks at a value, so a GPU is never waited for. Gradients are left as they are.

    Args:
        params: tensors or groups of them, as for every optimiser; a group may set each option.
        lr: the rate; the published form multiplies by it, the clipped one is capped by it.
        trust: η > 0. The published form was made for about 0.001.
        clip: as the paper's experiments have it; ``False`` as published.
    """

    def __init__(
        self,
        params,
        lr: float = 0.05,
        momentum: float = 0.95,
        weight_decay: float = 0.0,
        trust: float = 0.02,
        clip: bool = True,
        eps: float = 1e-8,
    ):
        options = {"lr": lr, "momentum": momentum, "weight_decay": weight_decay, "eps": eps}
        for name, value in options.items():
            check_weight(name, value)
        if not trust > 0:
            raise ValueError(f"trust must be a positive number; got {trust}.")
        super().__init__(params, {**options, "trust": trust, "clip": clip})

    # The first call of these loads torch's compiler, which takes seconds and is not used here.
    add_param_group = inspect.unwrap(Optimizer.add_param_group)
    zero_grad = inspect.unwrap(Optimizer.zero_grad)
    state_dict = inspect.unwrap(Optimizer.state_dict)
    load_state_dict = inspect.unwrap(Optimizer.load_state_dict)

    @torch.no_grad()
    def step(self, closure=None):
        """Take one step; return what the closure returned, if there is one."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            weights = [w for w in group["params"] if w.grad is not None]
            if weights:
                self._step(weights, [w.grad for w in weights], **group)
        return loss

    def _step(self, weights, slopes, lr, momentum, weight_decay, trust, clip, eps, **_):
        # one number per tensor, all tensors at once
        size, slope = (torch.stack(torch._foreach_norm(ts)) for ts in (weights, slopes))
        rate = trust * size / (slope + size * weight_decay + eps)
        rate = (rate / lr).clamp(max=1.0) if clip else rate
        adapted = (size > 0) & (slope > 0)
        rate = torch.where(adapted, rate, 1.0)
        moves = slopes
        if weight_decay:
            decay = weight_decay * adapted.to(size.dtype)
            moves = torch._foreach_add(slopes, torch._foreach_mul(weights, decay.unbind()))
        moves = torch._foreach_mul(moves, (rate if clip else rate * lr).unbind())
        for w in weights:
            if "momentum_buffer" not in self.state[w]:
                self.state[w]["momentum_buffer"] = torch.zeros_like(w)
        velocity = [self.state[w]["momentum_buffer"] for w in weights]
        torch._foreach_mul_(velocity, momentum)
        torch._foreach_add_(velocity, moves)
        torch._foreach_add_(weights, velocity, alpha=-lr if clip else -1.0)
