"""Exercises of the chapter on the false-negative lemma: each function says whether it is right."""

import math

import torch

from herocon_lite import theory


def ten(tau):
    """The class size needed grows with the temperature: where is it 10?"""
    return math.isclose(
        theory.class_size_needed(6, 200, tau), 10, rel_tol=1e-2
    )


def stationary(z, w):
    """Both gradients must vanish. When are all the shares P equal?"""
    z, w = (torch.as_tensor(view, dtype=torch.float64) for view in (z, w))
    z, w = z.clone().requires_grad_(), w.clone().requires_grad_()
    slopes = torch.autograd.grad(theory.inner_loss(z, w), (z, w))
    largest = max(slope.abs().max().item() for slope in slopes)
    long = min(view.norm(dim=1).min().item() for view in (z, w))
    return z.shape == w.shape == (5, 3) and largest < 1e-6 and long > 1e-3
