"""Measures windows that begin and end by name, without `with` blocks.

    monitor = ridgewatt.EnergyMonitor()
    monitor.begin_window("epoch")
    train()
    cost = monitor.end_window("epoch")
    print(cost.time_s, cost.energy_j)

Windows may nest and overlap. The monitor samples power from its creation until close() or the end
of its `with` block.
"""
from typing import Any

from . import _core, errors, measuring

__all__ = ["EnergyMonitor"]


class EnergyMonitor:
    """Measures energy in named windows. `device` is "local" or "fake:BOARD", and `rate_hz` is the
    rate of power samples (Hz). Further options are those of measure()."""

    def __init__(self, device: str = "local", *, rate_hz: float = 100, **options: Any) -> None:
        self._run = measuring.Run(device, rate_hz=rate_hz, **options).begin()
        self._open: dict[str, measuring.OpenWindow] = {}

    def begin_window(self, name: str) -> None:
        """Begins a window. Raises UsageError if a window of this name is open or the monitor is
        closed."""
        if measuring._text(name) in self._open:
            raise errors.UsageError(f"a window of this name is already open: {name}")
        self._open[name] = self._run.begin_window(name)

    def end_window(self, name: str) -> _core.Window:
        """Ends the window and returns it as a Window: time_s (s), energy_j and energy_error_j (J;
        None without a power sensor). Raises UsageError if no window of this name is open."""
        if measuring._text(name) not in self._open:
            raise errors.UsageError(f"no window of this name is open: {name}")
        return self._open.pop(name).end()

    def close(self) -> _core.Measurement:
        """Ends all open windows and the sampling, and returns the Measurement of the whole time.
        Closing again is no error."""
        self._open.clear()
        return self._run.end() if self._run.hears else self._run.measurement

    def __enter__(self) -> "EnergyMonitor":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._open.clear()
        self._run.__exit__(kind, None, None)
