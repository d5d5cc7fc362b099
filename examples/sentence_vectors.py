"""Fine-tune sentence vectors for several labels a text: a small head, one contrastive loss.

Needs: herocon-lite
"""

import torch
from torch import nn

from herocon_lite.nn import MultiSupCon

torch.manual_seed(0)

# Your data: vectors = torch.tensor(encoder.encode(texts)), and a 0/1 matrix of
# topics. Here they are drawn: what texts are about is a small part of them.
n, size, topics = 600, 384, 8
Y = (torch.rand(n, topics) < 0.25).float()
vectors = Y @ torch.randn(topics, size) + 4 * torch.randn(n, size)
train, test = slice(0, 400), slice(400, n)

head = nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, 64))
criterion = MultiSupCon(temperature=0.1, overlap=0.5, learn_temperature=True)
learned = [*head.parameters(), *criterion.parameters()]
optimizer = torch.optim.AdamW(learned, lr=1e-3, weight_decay=0.1)
for _ in range(100):
    rows = torch.randperm(400)[:200]
    loss = criterion(head(vectors[train][rows]), Y[train][rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def nearest_shares_topics(z):
    """Mean overlap of a test text's topics with those of its nearest train text."""
    z = nn.functional.normalize(z, dim=1)
    nearest = Y[train][(z[test] @ z[train].T).argmax(1)]
    both, either = nearest * Y[test], torch.maximum(nearest, Y[test])
    return (both.sum(1) / either.sum(1).clamp_min(1)).mean().item()


with torch.no_grad():
    before, after = map(nearest_shares_topics, (vectors, head(vectors)))
print(f"overlap with the nearest text: {before:.2f} before, {after:.2f} after")
assert after > before
