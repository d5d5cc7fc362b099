"""Small problems that the tests of methods share."""

import torch
import torch.nn.functional as F

from herocon_lite.methods import Problem, build

KINDS = ("multilabel", "multiclass")
TWO_VIEWS_ONLY = ("cmc", "mib", "debiased", "hard-negative")  # no form for one view
TWO_VIEWS_ONLY += ("vicreg", "barlow", "decoupled", "mv-infonce", "mv-dhel")
SEVERAL_LABELS = ("pseudo",)  # nothing for classes; and it needs two views, but has no contrast
HAVE_EQ4 = ("info-nce", "herocon", "herocon-u", "herocon-u-g1")
SMALL = {"widths": (16, 12)}  # the encoders' layers


def make_problem(views=2, kind="multilabel", labels=4, options=SMALL):
    shapes = tuple((6 + v,) for v in range(views))  # views of different sizes
    return Problem(shapes, labels, kind, encoder_options=options)


def make_rows(problem, n=24, seed=0, dtype=torch.float64):
    """Views that tell the labels through noise: (views, Y)."""
    g = torch.Generator().manual_seed(seed)
    classes = torch.randint(0, problem.n_labels, (n,), generator=g)
    Y = F.one_hot(classes, problem.n_labels).to(dtype)
    if problem.kind == "multilabel":
        Y = torch.maximum(Y, (torch.rand(Y.shape, generator=g) < 0.3).to(dtype))
    views = []
    for shape in problem.view_shapes:
        directions = torch.randn(problem.n_labels, *shape, generator=g, dtype=dtype)
        noise = torch.randn(n, *shape, generator=g, dtype=dtype)
        views.append(torch.tensordot(Y, directions, 1) + 0.5 * noise)
    return views, Y


def make(name, problem, seed=0, dtype=torch.float64, **settings):
    """A method with weights of this seed."""
    if name in HAVE_EQ4 and len(problem.view_shapes) == 1:
        settings.setdefault("form", "eq4")
    torch.manual_seed(seed)
    return build(name, problem, **settings).to(dtype)


def train(method, labeled, Y, unlabeled, steps=10, seed=1, lr=1e-2):
    """Steps of Adam; the loss before each."""
    torch.manual_seed(seed)
    optimizer = torch.optim.Adam(method.parameters(), lr)
    history = []
    for step in range(steps):
        loss = sum(method.train().terms(labeled, Y, unlabeled, step / steps).values())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.item())
        if method.after_step(step + 1, steps):
            optimizer = torch.optim.Adam(method.parameters(), lr)
    return history


def term_gradients(method, name, *batch):
    """The named term and its gradient by every parameter, zeros where it has none."""
    term = method.terms(*batch)[name]
    found = torch.autograd.grad(term, list(method.parameters()), allow_unused=True)
    pairs = zip(method.named_parameters(), found, strict=True)
    return term, {n: torch.zeros_like(p) if g is None else g for (n, p), g in pairs}
