"""Tuning a program on a real board; ridgewatt.tune() comes here for device="local".

tune() starts a program for every point; in_place() tunes the program that calls it, while it runs:

    with ridgewatt.live.in_place(max_power_w=30) as tuning:
        for batch in tuning.minibatches(loader):
            train(batch)                      # modes change under it, between minibatches
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
        raise errors.UsageError(f"{device} runs a program: give its command, "
                                "\"python3 train.py\"")
    if str(command[0]).startswith("zoo:") or str(command[0]).endswith(".onnx"):
        raise errors.UsageError(
            f"{device} runs a program, not a model: {command[0]}: "
            "for the board's twin give device=BOARD")
    return _core._tune_on_board(command=list(command), device=device, **options)


@asks("tune program", "Tuned", _tune)
def tune() -> None:
    """The best power mode and batch for a program: every point that the search asks for is set on
    the board, measured and stored, and the first mode is back before this returns, whatever ends
    it. Ctrl+C, or what `progress` raises, ends the program too, and the store keeps the whole
    points: the next search goes on from there.

    The program marks its minibatches (ridgewatt.mark()).

    Returns Tuned. UsageError: a wrong argument; PermissionError: modes need root; Error: no point can
    be profiled (IoError where there is no such program, or it gets too hot)."""


@asks("tune in place", "InPlace", InPlace)
def in_place() -> None:
    """An InPlace, to be entered with `with`: the best power mode for this program, while it runs.
    `batch` is a name for the windows; the program has one.

    UsageError: a wrong argument."""
