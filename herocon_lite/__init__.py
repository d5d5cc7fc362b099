"""Contrastive learning for data with several views and several labels (HeroCon, KDD'22)."""

__version__ = "0.1.0"
__all__ = ["HeroConClassifier"]


def __getattr__(name: str):
    """The estimator on first use: scikit-learn is slow to import, and the losses do not need it."""
    if name in __all__:
        from herocon_lite.estimator import HeroConClassifier

        return HeroConClassifier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
