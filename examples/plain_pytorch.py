"""HeroCon in a plain PyTorch loop: two encoders, three terms, one optimiser.

Needs: herocon-lite
"""

import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits as bce

from herocon_lite.data import load, split
from herocon_lite.metrics import evaluate
from herocon_lite.nn import WeightedSupervised, WeightedUnsupervised

STEPS, BATCH, SIZE = 60, 128, 64
torch.manual_seed(0)

# Your data: two views (n, d1), (n, d2) and a 0/1 label matrix (n, c).
genes = load("yeast")
parts = split(genes, seed=0)  # 120 labelled rows, the others without labels
views = [torch.tensor(v, dtype=torch.float32) for v in genes.views]
views = [(v - v.mean(0)) / v.std(0) for v in views]
labelled = [v[parts.train] for v in views]
unlabelled = [v[parts.unlabeled] for v in views]
Y = torch.tensor(genes.labels[parts.train], dtype=torch.float32)


def block(inputs, outputs):
    layers = nn.Linear(inputs, outputs), nn.ReLU(), nn.BatchNorm1d(outputs)
    return nn.Sequential(*layers)


encoders = nn.ModuleList(block(v.shape[1], SIZE) for v in views)
projectors = nn.ModuleList(block(SIZE, SIZE) for _ in views)
classifier = nn.Linear(2 * SIZE, Y.shape[1])
contrast_views = WeightedUnsupervised(SIZE)  # Eq. 5, with its weight net
contrast_labels = WeightedSupervised()  # Eq. 7
model = nn.ModuleList([encoders, projectors, classifier, contrast_views])
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)


def encode(batch):
    return [e(x) for e, x in zip(encoders, batch, strict=True)]


def project(h):
    return [p(x) for p, x in zip(projectors, h, strict=True)]


for _ in range(STEPS):
    rows = torch.randperm(len(unlabelled[0]))[:BATCH]
    h = encode(labelled)
    S = torch.cat(h, 1)
    more = project(encode([v[rows] for v in unlabelled]))
    z = map(torch.cat, zip(project(h), more, strict=True))
    loss = bce(classifier(S), Y)
    loss = loss + 0.1 * contrast_views(*z) + 0.1 * contrast_labels(S, Y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

model.eval()
with torch.no_grad():
    h = encode([v[parts.test] for v in views])
    proba = classifier(torch.cat(h, 1)).sigmoid().numpy()
scores = evaluate(genes.labels[parts.test], proba, genes.kind)
print(f"AUC on {len(proba)} genes: {scores['auc']:.2f}")
