"""What a deep neural network costs on an edge accelerator, in time, power and energy.

    import ridgewatt
    ridgewatt.tune("zoo:resnet50", device="agx-orin", max_power_w=30)

Marks and workers (`ridgewatt.worker`) need only the standard library. Everything else needs the
compiled part: install the Debian package python3-ridgewatt, or run `pip install .` in the source
tree.
"""
import warnings
from typing import NoReturn as _NoReturn

from . import errors
from .errors import *  # noqa: F403
from .worker import *  # noqa: F403

try:
    from . import _core
except ImportError as _error:
    _missing = _error

    class _MissingPart(errors.NotSupportedError, AttributeError):
        """Raised by every name that needs the compiled part. It is also an AttributeError, so that
        hasattr() and programs that inspect all modules continue."""

    _MissingPart.__name__ = "NotSupportedError"

    def _needs_compiled_part(name: str) -> _NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        raise _MissingPart(
            f"ridgewatt.{name} needs the compiled part, which is not here: {_missing}")

    # Not visible to type checkers, which would otherwise accept any name.
    globals()["__getattr__"] = _needs_compiled_part
else:
    from ._core import *  # noqa: F403
    from .questions import *  # noqa: F403
    from . import lightning, live, llm, schedule, torch, transformers
    from . import values as _values
    from .learning import *  # noqa: F403
    from .measuring import *  # noqa: F403
    from .modes import *  # noqa: F403
    from .monitor import *  # noqa: F403
    from .progress import *  # noqa: F403
    __version__ = _core.__version__

    def _former_name(name: str) -> type:
        if name != "Mend":
            raise AttributeError(f"module 'ridgewatt' has no attribute {name!r}")
        warnings.warn("ridgewatt.Mend is deprecated: use ridgewatt.Relaxation", DeprecationWarning,
                      stacklevel=2)
        return _core.Relaxation

    globals()["__getattr__"] = _former_name
