"""Contrastive learning for data with several views and several labels (HeroCon, KDD'22)."""

__version__ = "0.1.0"
