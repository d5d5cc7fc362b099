"""Every loss once more, slowly: loops over samples straight from its definition.

Shares no line with herocon_lite. Works on scalars of torch, so gradients come along.
"""

import torch


def cos(a, b):
    return (a * b).sum() / (a * a).sum().sqrt() / (b * b).sum().sqrt()


def _mean(values):
    values = list(values)
    return sum(values) / len(values)


def info_nce(z1, z2, t):
    n = len(z1)

    def f(i, k):
        return torch.exp(cos(z1[i], z2[k]) / t)

    return _mean(-torch.log(f(i, i) / sum(f(i, k) for k in range(n))) for i in range(n))


def cmc(z1, z2, t):
    return (info_nce(z1, z2, t) + info_nce(z2, z1, t)) / 2


def _two_view_rows(z1, z2, t):
    """For each of the 2n rows: its positive f, and the list of its 2n − 2 negatives' f."""
    n, z = len(z1), [*z1, *z2]
    for i in range(2 * n):
        partner = (i + n) % (2 * n)
        negatives = [k for k in range(2 * n) if k not in (i, partner)]
        yield (
            torch.exp(cos(z[i], z[partner]) / t),
            [torch.exp(cos(z[i], z[k]) / t) for k in negatives],
        )


def nt_xent(z1, z2, t):
    return _mean(-torch.log(p / (p + sum(q))) for p, q in _two_view_rows(z1, z2, t))


def hard_negative(z1, z2, t, tau_plus=0.1, beta=1.0):
    def row(positive, negatives):
        size = len(negatives)
        w = [f**beta for f in negatives]
        total = sum(wi * f for wi, f in zip(w, negatives, strict=True)) / (sum(w) / size)
        total = (total - tau_plus * size * positive) / (1 - tau_plus)
        total = total.clamp_min(size * torch.exp(torch.tensor(-1 / t, dtype=total.dtype)))
        return -torch.log(positive / (positive + total))

    return _mean(row(p, q) for p, q in _two_view_rows(z1, z2, t))


def debiased(z1, z2, t, tau_plus=0.1):
    return hard_negative(z1, z2, t, tau_plus, beta=0.0)


def decoupled(z1, z2, t):
    return _mean(-torch.log(p / sum(q)) for p, q in _two_view_rows(z1, z2, t))


def _column(z, j):
    """One column as a list, and its mean."""
    values = [row[j] for row in z]
    return values, _mean(values)


def vicreg(z1, z2, similarity=25.0, variance=25.0, covariance=1.0):
    (n, d), total = z1.shape, 0

    def cov(z, j, k):
        (a, mean_a), (b, mean_b) = _column(z, j), _column(z, k)
        return sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True)) / (n - 1)

    for z in (z1, z2):
        for j in range(d):
            total = total + variance / 2 * (1 - (cov(z, j, j) + 1e-4).sqrt()).clamp_min(0) / d
            total = total + covariance * sum(cov(z, j, k) ** 2 for k in range(d) if k != j) / d
    return total + similarity * _mean(
        (z1[i, j] - z2[i, j]) ** 2 for i in range(n) for j in range(d)
    )


def barlow_twins(z1, z2, redundancy=0.005):
    n, d = z1.shape

    def normal(z, j):
        values, mean = _column(z, j)
        return [(x - mean) / (_mean((y - mean) ** 2 for y in values) + 1e-5).sqrt() for x in values]

    def correlation(j, k):
        return sum(x * y for x, y in zip(normal(z1, j), normal(z2, k), strict=True)) / n

    return sum(
        (1 - correlation(j, k)) ** 2 if j == k else redundancy * correlation(j, k) ** 2
        for j in range(d)
        for k in range(d)
    )


def mv_info_nce(views, t, form="code"):
    V, n = len(views), len(views[0])

    def f(u, i, m, j):
        return torch.exp(cos(views[u][i], views[m][j]) / t)

    def row(i):
        up = sum(f(u, i, m, i) for u in range(V) for m in range(V) if u != m)
        others = [(u, m, j) for u in range(V) for m in range(V) for j in range(n)]
        if form == "printed":
            others = [(u, m, j) for u, m, j in others if u != m]
        return -torch.log(up / sum(f(u, i, m, j) for u, m, j in others if (m, j) != (u, i)))

    return _mean(row(i) for i in range(n))


def mv_dhel(views, t, form="code"):
    V, n, total = len(views), len(views[0]), 0
    for i in range(n):
        near = [
            torch.exp(cos(views[u][i], views[m][i]) / t)
            for u in range(V)
            for m in range(V)
            if (u != m if form == "printed" else u < m)
        ]
        down = 1
        for z in views:
            down = down * sum(
                torch.exp(cos(z[i], z[j]) / t) for j in range(n) if form == "printed" or j != i
            )
        total = total - torch.log(sum(near) / down)
    return total / n


def g(a, b, ha, hb):
    return 0.5 * (torch.exp(1 - cos(a, hb)) + torch.exp(1 - cos(b, ha)))


def input_contrast(x, z, A, t, H=None):
    n, ax = len(x), A(x)
    h = z if H is None else H(z)

    def row(i):
        def f(k):
            return torch.exp(cos(ax[i], z[k]) / t)

        others = [k for k in range(n) if k != i]
        total = sum((1 if H is None else g(z[i], z[k], h[i], h[k])) * f(k) for k in others)
        return -torch.log(f(i) / (f(i) + total))

    return _mean(row(i) for i in range(n))


def input_weighted(x, z, A, t):
    n, ax = len(x), A(x)

    def row(i):
        def f(k):
            return torch.exp(cos(ax[i], z[k]) / t)

        total = sum(torch.exp(1 - cos(x[i], x[k])) * f(k) for k in range(n) if k != i)
        return -torch.log(f(i) / (f(i) + total))

    return _mean(row(i) for i in range(n))


def weighted_unsupervised(z1, z2, H, t):
    n, z, h = len(z1), (z1, z2), (H(z1), H(z2))

    def row(i):
        positive = torch.exp(cos(z1[i], z2[i]) / t)
        total = sum(
            g(z1[i], z[j][k], h[0][i], h[j][k]) * torch.exp(cos(z1[i], z[j][k]) / t)
            for k in range(n)
            if k != i
            for j in (0, 1)
        )
        return -torch.log(positive / (positive + total))

    return _mean(row(i) for i in range(n))


def weighted_unsupervised_where(z1, z2, H, t, both):
    """Eq. 5 where only some rows have both views: no other is an anchor or a negative."""
    rows = [i for i in range(len(z1)) if both[i]]
    z, h, losses = (z1, z2), (H(z1), H(z2)), []
    for i in rows:
        positive = torch.exp(cos(z1[i], z2[i]) / t)
        total = 0
        for k in rows:
            for j in (0, 1):
                if k != i:
                    weight = g(z1[i], z[j][k], h[0][i], h[j][k])
                    total = total + weight * torch.exp(cos(z1[i], z[j][k]) / t)
        losses.append(-torch.log(positive / (positive + total)))
    return _mean(losses)


def classification(logits, Y, weight, known):
    """L_c of a label matrix over its known entries, each with the weight of its row."""
    total = count = 0
    for i in range(len(Y)):
        for a in range(Y.shape[1]):
            if known[i, a]:
                p = 1 / (1 + torch.exp(-logits[i, a]))
                total = total - weight[i] * torch.log(p if Y[i, a] == 1 else 1 - p)
                count = count + weight[i]
    return total / count


def released_unsupervised(z1, z2, H, t):
    """The public code's L_u less its constant: matrices over (row of view 1, row of view 2)."""
    n, h1, h2 = len(z1), H(z1), H(z2)
    f = [[torch.exp(cos(z1[i], z2[k]) / t) for k in range(n)] for i in range(n)]
    weight = [
        [
            0.5 * (torch.exp(1 - cos(h1[i], z2[k])) + torch.exp(1 - cos(h2[i], z1[k])))
            for k in range(n)
        ]
        for i in range(n)
    ]
    return _mean(
        torch.log(sum(weight[i][k] * f[i][k] for i in range(n)) / f[k][k]) for k in range(n)
    )


def sup_con(s, y, t, alike=lambda one, other: bool((one == other).all())):
    n, total = len(s), 0
    for i in range(n):
        same = [p for p in range(n) if p != i and alike(y[p], y[i])]
        if same:
            everyone = sum(torch.exp(cos(s[i], s[k]) / t) for k in range(n) if k != i)
            total = total - _mean(
                torch.log(torch.exp(cos(s[i], s[p]) / t) / everyone) for p in same
            )
    return total / n


def sup_con_skip(s, Y, t):
    """Rows without any label have nothing in common."""
    return sup_con(s, Y, t, alike=lambda one, other: bool((one == other).all() and one.any()))


def sup_con_any(s, Y, t):
    return sup_con(s, Y, t, alike=lambda one, other: bool((one * other).any()))


def mul_sup_con(s, Y, t):
    (n, c), total = Y.shape, 0
    for i in range(n):
        for a in range(c):
            same = [p for p in range(n) if p != i and Y[p, a] == 1]
            if Y[i, a] == 1 and same:
                everyone = sum(torch.exp(cos(s[i], s[k]) / t) for k in range(n) if k != i)
                total = total - _mean(
                    torch.log(torch.exp(cos(s[i], s[p]) / t) / everyone) for p in same
                )
    return total / max(int(Y.sum()), 1)


def multi_sup_con(s, Y, t, overlap=0.3, empty=None):
    """MultiSupCon with label sets as sets; of two empty ones the overlap is 1."""
    n, total = len(s), 0
    has = [{a for a, y in enumerate(row) if y} for row in Y]
    for i in range(n):
        jaccard = {
            p: len(has[i] & has[p]) / len(has[i] | has[p]) if has[i] | has[p] else 1.0
            for p in range(n)
            if p != i
        }
        near = [p for p, share in jaccard.items() if share >= overlap]
        if near and not (empty == "skip" and not has[i]):
            everyone = sum(torch.exp(cos(s[i], s[k]) / t) for k in jaccard)
            total = total - _mean(
                jaccard[p] * torch.log(torch.exp(cos(s[i], s[p]) / t) / everyone) for p in near
            )
    return total / n


def weighted_supervised(
    s,
    Y,
    t,
    distance="hamming",
    self_pairs=False,
    label_sum=False,
    per=1.0,
    outside=False,
    known=None,
):
    """Eq. 7; ``distance=None`` is Eq. 6; ``per`` divides γ; ``outside``: σ times the logarithm;
    ``known``: which entries of Y exist, the others are never looked at."""
    (n, c), total = Y.shape, 0
    exists = [[known is None or bool(known[i, a]) for a in range(c)] for i in range(n)]

    def dist(i, k):
        both = [a for a in range(c) if exists[i][a] and exists[k][a]]
        d = sum(int(Y[i, a] != Y[k, a]) for a in both)
        return min(d, 1) if distance == "indicator" else d * c / len(both)

    def gamma(i, k):
        return 1 if distance is None else dist(i, k) / per

    def sigma(i, j):
        return 1 if distance is None else 1 - dist(i, j) / c

    for a in range(c):
        rows = [i for i in range(n) if exists[i][a]]
        has = [i for i in rows if Y[i, a] == 1]
        lacks = [k for k in rows if Y[k, a] == 0]
        terms = []
        for i in has:
            for j in has:
                if (i == j and not self_pairs) or not lacks:
                    continue
                up = (1 if outside else sigma(i, j)) * torch.exp(cos(s[i], s[j]) / t)
                down = up + sum(gamma(i, k) * torch.exp(cos(s[i], s[k]) / t) for k in lacks)
                terms.append(-torch.log(up / down) * (sigma(i, j) if outside else 1))
        if terms:
            total = total + _mean(terms)
    return total if label_sum else total / c
