"""DeepMTMV (Zheng, Cheng, He, SDM'19): a narrow shared net that splits into groups of tasks.

Every label is a task. Above the encoders lie two hidden layers and one scalar head a task. While
training, each view by itself tells which tasks are hard on the same rows; tasks that are so in
all views stay together, the others get columns of their own, from the top layer down.

Re-implemented from the authors' code, labelled rows only, and approximate. That code stores one
score for all views, compares raw logits, shares a decay counter and starts new columns afresh;
here each view has its own score and probability, and new columns are copies.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from herocon_lite.methods.base import Method, Problem, classification
from herocon_lite.similarity import full_precision

DECAY = 0.99  # of the running averages, per step
AGREEMENT = 0.1  # weight of the other views' eigenvectors in spectral clustering
ROUNDS = 45  # of that clustering
SPLIT_AT = (0.25, 0.5)  # shares of the steps at which a layer may split
NOISE = 1e-3  # standard deviation of what is added to copied columns


class DeepMTMV(Method):
    """L_c of a net that grows twice at most."""

    def __init__(self, problem: Problem):
        super().__init__(problem)
        views, tasks = len(problem.view_shapes), problem.n_labels
        wide = max(2, self.joint_size // 2)
        sizes = [(1, self.joint_size, wide), (1, wide, wide // 2), (tasks, wide // 2, 1)]
        self.layers = nn.ModuleList(Columns(*size) for size in sizes)
        # running sums over the steps, and the sum of their weights
        self.register_buffer("error", torch.zeros(views, tasks))
        self.register_buffer("alike", torch.zeros(views, tasks, tasks))
        self.register_buffer("weight", torch.zeros(()))
        self.register_buffer("next_layer", torch.tensor(1))  # to split; −1 when all are
        self.register_buffer("attempts", torch.tensor(0))

    # ------------------------------------------------------------- the net

    def classifier(self, S: Tensor) -> Tensor:
        first, second, heads = self.layers
        x = first(S[:, None, :]).relu()  # (n, columns, width)
        return heads(second(x).relu()).squeeze(2)

    def terms(self, labeled, Y, unlabeled, progress):
        S = self.embed(labeled)
        if progress <= max(SPLIT_AT):
            self.watch(S.detach(), Y)
        return {"L_c": classification(self.classifier(S), Y)}

    # ------------------------------------------------------------- which tasks go together

    @torch.no_grad()
    def watch(self, S: Tensor, Y: Tensor) -> None:
        """Add a batch to the running averages of errors and of how alike tasks' errors are."""
        views, size = len(self.error), self.size
        Y = Y.to(self.error.dtype)
        error = []
        for v in range(views):
            alone = torch.zeros_like(S)  # what the net says when it sees this view only
            alone[:, v * size : (v + 1) * size] = S[:, v * size : (v + 1) * size]
            scores = self.classifier(alone).sigmoid().to(Y.dtype)
            error.append((Y - scores).abs())
        error = torch.stack(error)  # (V, n, T)
        self.weight.mul_(DECAY).add_(1)
        self.error.mul_(DECAY).add_(error.mean(1))
        hard = (error >= (self.error / self.weight)[:, None, :]).to(Y.dtype)
        self.alike.mul_(DECAY).add_(affinity(hard))

    @torch.no_grad()
    def after_step(self, step: int, steps: int) -> bool:
        """Try to split one layer after a quarter and after half of the steps."""
        if step not in {max(1, int(share * steps)) for share in SPLIT_AT}:
            return False
        layer = int(self.next_layer)
        if layer < 0 or self.weight == 0:
            return False
        groups = choose_groups(
            (self.alike / self.weight).cpu().double(),
            self._branches(layer),
            price=0.5 * 2.0 ** -(layer + 1),  # of one more column: half as much a layer higher
            scale=max(2 - 0.05 * int(self.attempts), 1.6),
            importance=self._importance().cpu().double(),
        )
        self.attempts += 1
        if groups is None:
            return False
        self.split(layer, groups)
        return True

    def split(self, layer: int, groups: Tensor) -> None:
        """Give each group of the columns above its own copy of ``layer``."""
        self.layers[layer].multiply(int(groups.max()) + 1)
        self.layers[layer + 1].source.copy_(groups)
        self.next_layer.fill_(layer - 1)

    def _branches(self, layer: int) -> list[list[int]]:
        """The tasks that each column above ``layer`` serves."""
        source = self.layers[2].source.tolist()
        if layer == 1:
            return [[t] for t in range(len(source))]
        return [[t for t, s in enumerate(source) if s == k] for k in range(max(source) + 1)]

    def _importance(self) -> Tensor:
        """(V,), sums to one: how strongly the first layer listens to each view."""
        weight = self.layers[0].weight.relu()  # (columns, wide, V · size)
        return weight.unflatten(2, (-1, self.size)).mean((0, 1, 3)).softmax(0)


class Columns(nn.Module):
    """A layer of C parallel linear maps; each reads one column of the layer below."""

    def __init__(self, columns: int, p: int, q: int):
        super().__init__()
        maps = [nn.Linear(p, q) for _ in range(columns)]
        self.weight = nn.Parameter(torch.stack([m.weight.detach() for m in maps]))  # (C, q, p)
        self.bias = nn.Parameter(torch.stack([m.bias.detach() for m in maps]))  # (C, q)
        self.register_buffer("source", torch.zeros(columns, dtype=torch.long))  # column below

    def forward(self, x: Tensor) -> Tensor:
        """Return (n, columns below, p) to (n, C, q)."""
        return torch.einsum("ncp,cqp->ncq", x[:, self.source], self.weight) + self.bias

    def multiply(self, columns: int) -> None:
        """Make several columns of one: copies of it, plus noise."""
        for name in ("weight", "bias"):
            old = getattr(self, name).detach()
            new = old.repeat(columns, *[1] * (old.ndim - 1))
            setattr(self, name, nn.Parameter(new + NOISE * torch.randn_like(new)))
        self.source = self.source.repeat(columns)

    def _load_from_state_dict(self, state, prefix, *rest):
        # A saved net may have split, a fresh one has not: it grows in place, so that an optimiser
        # that knows its parameters still does.
        for name in ("weight", "bias", "source"):
            mine, saved = getattr(self, name), state.get(prefix + name)
            if saved is not None:
                mine.data = mine.data.new_empty(saved.shape)
        super()._load_from_state_dict(state, prefix, *rest)


# ------------------------------------------------------------------ affinity and grouping


def affinity(hard: Tensor) -> Tensor:
    """Return (V, T, T): the share of rows that two tasks find both hard or both easy.

    Args:
        hard: (V, n, T), 1 where a row's error is at least the task's mean error, else 0.
    """
    with full_precision(hard):
        return (hard.mT @ hard + (1 - hard).mT @ (1 - hard)) / hard.shape[1]


def choose_groups(
    A: Tensor, branches: list[list[int]], price: float, scale: float, importance: Tensor
) -> Tensor | None:
    """Return the cheapest grouping of branches, (B,) group numbers; None if one group is cheapest.

    cost(C) = (C − 1) · price + scale · Σ_v importance_v · mean over groups of
    (1 − the group's affinity) / V; one group for each branch is not considered.

    Args:
        A: (V, T, T), affinities of tasks. branches: the tasks of each branch.
        importance: (V,), sums to one.
    """
    between = branch_affinity(A, branches)

    def cost(groups: Tensor) -> float:
        joined = [
            [t for b, g in zip(branches, groups.tolist(), strict=True) if g == k for t in b]
            for k in range(int(groups.max()) + 1)
        ]
        within = torch.stack([A[:, g][:, :, g].amin(2).mean(1) for g in joined])  # (C, V)
        apart = ((1 - within).mean(0) * importance).sum() / len(A)
        return (len(joined) - 1) * price + scale * apart.item()

    best = torch.zeros(len(branches), dtype=torch.long)
    lowest = cost(best)
    for count in range(2, len(branches)):
        if (count - 1) * price >= lowest:
            break  # more groups cannot pay any more
        groups = cluster(between, count)
        if cost(groups) < lowest:
            best, lowest = groups, cost(groups)
    return best if best.any() else None


def branch_affinity(A: Tensor, branches: list[list[int]]) -> Tensor:
    """Return (V, B, B): mean over one branch's tasks of the least affinity to the other's,
    symmetrised."""
    rows = [
        torch.stack([A[:, b][:, :, other].amin(2).mean(1) for other in branches], 1)
        for b in branches
    ]
    between = torch.stack(rows, 1)
    return (between + between.mT) / 2


def cluster(A: Tensor, count: int) -> Tensor:
    """Cluster (V, B, B) affinities, spectral and co-regularised: (B,) group numbers.

    k-means sees the views' rows side by side; their mean would depend on the signs that the
    eigenvectors happen to have.
    """
    from sklearn.cluster import KMeans  # slow to import, and only needed here

    U = F.normalize(agreed_eigenvectors(A, count), dim=2)
    rows = U.permute(1, 0, 2).flatten(1)  # (B, V · count)
    groups = KMeans(count, n_init=10, random_state=0).fit_predict(rows.numpy())
    _, groups = torch.as_tensor(groups).unique(return_inverse=True)  # no empty group
    return groups


def agreed_eigenvectors(A: Tensor, count: int) -> Tensor:
    """Return (V, B, count): views take turns, each adding what the others found to its own
    affinity."""
    root = A.sum(2).clamp_min(1e-12).rsqrt()
    L = root[:, :, None] * A * root[:, None, :]
    U = torch.linalg.eigh(L).eigenvectors[:, :, -count:]
    for _ in range(ROUNDS if len(A) > 1 else 0):
        for v in range(len(A)):
            found = U @ U.mT
            agreed = L[v] + AGREEMENT * (found.sum(0) - found[v])
            U[v] = torch.linalg.eigh(agreed).eigenvectors[:, -count:]
    return U
