"""Each row of the tables by name: ``build("herocon", problem, alpha=0.7, beta=0.02)``.

To add a method, write a subclass of :class:`Method` and give it a name in ``METHODS``.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
from collections.abc import Callable
from difflib import get_close_matches
from functools import partial
from pathlib import Path

from herocon_lite.checks import check_kind
from herocon_lite.methods.base import Method, Problem, probabilities
from herocon_lite.methods.c2ae import C2AE
from herocon_lite.methods.contrastive import DNN, FORMS
from herocon_lite.methods.deepmtmv import DeepMTMV
from herocon_lite.methods.herocon import HeroCon, HeroConS, HeroConU
from herocon_lite.methods.labels import MulSupCon, MultiSupCon, SupCon
from herocon_lite.methods.mib import MIB
from herocon_lite.methods.pseudo import PseudoLabels
from herocon_lite.methods.rivals import MVDHEL, BarlowTwins, Decoupled, MVInfoNCE, VICReg
from herocon_lite.methods.views import CMC, HardNegative, InfoNCE
from herocon_lite.moved import old_names

__getattr__ = old_names(__name__)

__all__ = [
    "FORMS",
    "METHODS",
    "Method",
    "Problem",
    "build",
    "method_params",
    "probabilities",
    "register_file",
]

# What a partial fixes is what the name means; it cannot be set from outside.
METHODS: dict[str, Callable[..., Method]] = {
    "dnn": partial(DNN, forward_unlabeled=False),
    "info-nce": InfoNCE,
    "supcon": SupCon,
    "cmc": CMC,
    "mib": MIB,
    "c2ae": C2AE,
    "deepmtmv": DeepMTMV,
    "herocon-s": HeroConS,
    "herocon-u": partial(HeroConU, weighted=True),
    "herocon": HeroCon,
    # controls
    "dnn-bnu": partial(DNN, forward_unlabeled=True),
    "herocon-u-g1": partial(HeroConU, weighted=False),
    # what readers ask about
    "debiased": partial(HardNegative, hardness=0.0),
    "hard-negative": HardNegative,
    "mulsupcon": MulSupCon,
    # rivals of 2021 to 2025
    "multisupcon": MultiSupCon,
    "vicreg": VICReg,
    "barlow": BarlowTwins,
    "mv-dhel": MVDHEL,
    "mv-infonce": MVInfoNCE,
    "decoupled": Decoupled,
    "pseudo": PseudoLabels,
}


def register_file(spec: str) -> str:
    """Make a class of somebody's own file a method: ``"my_file.py:MyMethod"``.

    The class is a subclass of :class:`Method`. The name holds a digest of the file, so that the
    runs of a changed file are new runs.

    Returns:
        The name, for :func:`build` and the command line.
    """
    path, _, wanted = spec.partition(":")
    file = Path(path)
    if not file.is_file():
        raise ValueError(f"method must be a name or FILE.py:Class; there is no file {path}.")
    content = file.read_bytes()
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_file_location(file.stem, file)
    )
    exec(compile(content, str(file), "exec"), vars(module))
    found = getattr(module, wanted, None)
    if not (isinstance(found, type) and issubclass(found, Method)):
        own = [k for k, v in vars(module).items() if _is_own_method(v, file.stem)]
        raise ValueError(
            f"{path} must hold a subclass of herocon_lite.methods.Method named {wanted or '…'!r}; "
            f"it has {', '.join(own) or 'none'}."
        )
    name = f"{wanted}@{hashlib.sha256(content).hexdigest()[:6]}"
    METHODS[name] = found
    return name


def _is_own_method(value: object, module: str) -> bool:
    return isinstance(value, type) and issubclass(value, Method) and value.__module__ == module


def build(name: str, problem: Problem, **options) -> Method:
    """Build a method with fresh weights; seed torch first to make them repeatable.

    Args:
        name: one of ``METHODS``.
        problem: what the data look like.
        options: the method's own; :func:`method_params` lists them with their defaults.

    Returns:
        The method, in float32 on the CPU.

    Raises:
        ValueError: the method has no such option, or its value is not allowed.

    Example:
        >>> problem = Problem(view_shapes=((79,), (24,)), n_labels=14, kind="multilabel")
        >>> method = build("herocon", problem, temperature=0.5)
        >>> method.temperature, method.alpha
        (0.5, 0.1)
    """
    found = _parameters(name)
    for key, value in options.items():
        if key not in found:
            fixed = getattr(METHODS[name], "keywords", {})
            why = f"fixes {key} = {fixed[key]}" if key in fixed else f"has no option {key!r}"
            raise ValueError(f"Method {name} {why}; it has {', '.join(found) or 'none'}.")
        check_kind(key, value, found[key].annotation)
    return METHODS[name](problem, **options)


def method_params(name: str) -> dict[str, object]:
    """List the options of a method, with their defaults.

    Example:
        >>> method_params("mulsupcon")
        {'beta': 0.1, 'temperature': 0.1}
    """
    return {key: parameter.default for key, parameter in _parameters(name).items()}


def _parameters(name: str) -> dict[str, inspect.Parameter]:
    """The arguments of the method's class; where it takes ``**options``, also its base's."""
    if name not in METHODS:
        near = get_close_matches(str(name).lower().replace("_", "-"), METHODS, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise ValueError(f"method must be one of {', '.join(METHODS)}; got {name!r}.{hint}")
    factory, found = METHODS[name], {}
    cls = getattr(factory, "func", factory)
    for base in cls.__mro__:
        if "__init__" in vars(base):
            own = dict(inspect.signature(base.__init__).parameters)
            further = [key for key, p in own.items() if p.kind is p.VAR_KEYWORD]
            found = own | found
            if not further:
                break
            del found[further[0]]
    hidden = {"self", "problem", *getattr(cls, "lacks", ()), *getattr(factory, "keywords", {})}
    return {key: parameter for key, parameter in found.items() if key not in hidden}
