"""Tuning a program on a real board. ridgewatt.tune() calls this module for device="local".

tune() starts a program for every operating point. in_place() tunes the program that calls it, while
it runs:

    with ridgewatt.live.in_place(max_power_w=30) as tuning:
        for batch in tuning.minibatches(loader):
            train(batch)                      # the mode changes only between minibatches
    print(tuning.tuned.best.mode, tuning.report["in_place"])
"""
import shlex
from typing import Any

from . import _core, errors
from .parameters import asks
from .running import InPlace

__all__ = ["tune", "in_place", "InPlace"]


def _tune(command: Any, device: str = "local", **options: Any) -> _core.Tuned:
    if isinstance(command, str):
        try:
            command = shlex.split(command)
        except ValueError as error:
            raise errors.UsageError(f"the command cannot be split into words: {error}") from None
    if not isinstance(command, (list, tuple)) or not command:
        raise errors.UsageError(f"on device {device} tune needs a program: give its command, "
                                "\"python3 train.py\"")
    if str(command[0]).startswith("zoo:") or str(command[0]).endswith(".onnx"):
        raise errors.UsageError(
            f"on device {device} tune needs a program, not a model: {command[0]}: "
            "for the board's twin give device=BOARD")
    return _core._tune_on_board(command=list(command), device=device, **options)


@asks("tune program", "Tuned", _tune)
def tune() -> None:
    """Finds the best power mode and batch for a program. The search sets each operating point on
    the board, measures it and stores the result. The original mode is restored before the function
    returns, also if it raises an exception. Ctrl+C, or an exception from `progress`, also ends the
    measured program. Complete points remain in the store, and the next search uses them.

    The program must mark its minibatches with ridgewatt.mark().

    Returns a Tuned. Raises UsageError if an argument is wrong, PermissionError without root rights,
    which are needed to set modes, IoError if the program does not exist or the board becomes too
    hot, and Error if no point can be profiled.
    """


@asks("tune in place", "InPlace", InPlace)
def in_place() -> None:
    """Returns an InPlace, a context manager that finds the best power mode for the current program
    while it runs. `batch` only labels the measured windows, because a running program has one batch
    size.

    Raises UsageError if an argument is wrong.
    """
