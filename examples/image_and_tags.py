"""Pictures and their tags: a torchvision encoder for the one, a table for the other.

Needs: herocon-lite, torchvision
"""

import numpy as np
import torch
from torch import nn
from torchvision.models import mobilenet_v3_small

from herocon_lite import HeroConClassifier
from herocon_lite.data import load

torch.set_num_threads(1)

# Your data: pictures (n, 3, height, width), a 0/1 table of tags (n, tags),
# and a 0/1 label matrix, here two properties of handwritten digits.
rng = np.random.default_rng(0)
digits = load("mnist5k")
rows = rng.choice(len(digits.labels), 300, replace=False)
pictures = np.repeat(digits.views[0][rows].reshape(-1, 1, 28, 28), 3, 1)
pictures = pictures.astype(np.float32)
pictures /= pictures.max()
digit = digits.labels[rows].argmax(1)
Y = np.stack([digit % 2 == 0, digit >= 5], 1).astype(int)
tags = (rng.random((300, 20)) < 0.1).astype(np.float32)
tags[np.arange(300), digit] = 1  # people do tag what is there, and more
Y[100:] = -1  # 100 pictures have labels


class Pictures(nn.Module):
    """(n, 3, height, width) to (n, 64); weights="DEFAULT" starts pretrained."""

    def __init__(self):
        super().__init__()
        self.net = mobilenet_v3_small(weights=None, num_classes=64)

    def forward(self, x):
        return self.net(x)


model = HeroConClassifier(
    encoders=[Pictures(), None],  # None: the estimator's own, for tables
    members=1,  # one network; more are better and take longer
    folds=None,
    steps=8,  # some hundreds, with data of your own
    threshold=0.5,
    random_state=0,
)
model.fit([pictures, tags], Y)
proba = model.predict_proba([pictures, tags])
print(f"probabilities of {proba.shape[1]} labels for {len(proba)} pictures")
