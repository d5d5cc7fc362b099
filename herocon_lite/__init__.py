"""Contrastive learning for data with several views and several labels (HeroCon, KDD'22)."""

from importlib import import_module

__version__ = "0.2.0"
__all__ = ["HeroConClassifier"]


_MODULES = (
    "data",
    "losses",
    "methods",
    "metrics",
    "models",
    "nn",
    "optim",
    "theory",
    "train",
    "views",
)


def __getattr__(name: str):
    """Each on first use: scikit-learn is slow to import, and the losses do not need it."""
    if name in __all__:
        from herocon_lite.estimator import HeroConClassifier

        return HeroConClassifier
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
