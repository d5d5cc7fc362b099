"""HeroCon as a LightningModule: labelled and unlabelled batches side by side.

Needs: herocon-lite, pytorch-lightning
"""

import pytorch_lightning as pl
import torch
from pytorch_lightning.utilities import CombinedLoader
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits as bce
from torch.utils.data import DataLoader, TensorDataset

from herocon_lite.data import load, split
from herocon_lite.nn import WeightedSupervised, WeightedUnsupervised


def block(inputs, outputs):
    layers = nn.Linear(inputs, outputs), nn.ReLU(), nn.BatchNorm1d(outputs)
    return nn.Sequential(*layers)


class HeroCon(pl.LightningModule):
    def __init__(self, widths, labels, size=64, alpha=0.1, beta=0.1):
        super().__init__()
        self.save_hyperparameters()
        self.encoders = nn.ModuleList(block(w, size) for w in widths)
        self.projectors = nn.ModuleList(block(size, size) for _ in widths)
        self.classifier = nn.Linear(size * len(widths), labels)
        self.contrast_views = WeightedUnsupervised(size)
        self.contrast_labels = WeightedSupervised()

    def encode(self, views):
        return [e(x) for e, x in zip(self.encoders, views, strict=True)]

    def project(self, h):
        return [p(x) for p, x in zip(self.projectors, h, strict=True)]

    def forward(self, views):
        return self.classifier(torch.cat(self.encode(views), 1)).sigmoid()

    def training_step(self, batch, _):
        *labelled, Y = batch["labelled"]
        h = self.encode(labelled)
        S = torch.cat(h, 1)
        more = self.project(self.encode(batch["unlabelled"]))
        z = map(torch.cat, zip(self.project(h), more, strict=True))
        terms = {
            "L_c": bce(self.classifier(S), Y),
            "L_u": self.hparams.alpha * self.contrast_views(*z),
            "L_s": self.hparams.beta * self.contrast_labels(S, Y),
        }
        self.log_dict(terms)
        return sum(terms.values())

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=3e-3)


pl.seed_everything(0, verbose=False)
genes = load("yeast")
parts = split(genes, seed=0)
views = [torch.tensor(v, dtype=torch.float32) for v in genes.views]
views = [(v - v.mean(0)) / v.std(0) for v in views]
Y = torch.tensor(genes.labels, dtype=torch.float32)
few = TensorDataset(*[v[parts.train] for v in views], Y[parts.train])
many = TensorDataset(*[v[parts.unlabeled] for v in views])
loaders = {
    "labelled": DataLoader(few, 120, shuffle=True),
    "unlabelled": DataLoader(many, 128, shuffle=True, drop_last=True),
}
model = HeroCon([v.shape[1] for v in views], Y.shape[1])
trainer = pl.Trainer(
    max_epochs=3,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(model, CombinedLoader(loaders, "max_size_cycle"))
model.eval()
with torch.no_grad():
    proba = model([v[parts.test] for v in views])
print(f"{len(proba)} genes, {proba.shape[1]} labels, in {trainer.global_step} steps")
