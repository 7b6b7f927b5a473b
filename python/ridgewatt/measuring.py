"""Measuring this program: time, energy and power of what runs inside a `with` block.

    with ridgewatt.measure() as run:
        with run.phase("warm-up"): ...
        with run.window("epoch 1") as epoch:
            for batch in run.minibatches(loader):
                train(batch)
        print(epoch.energy_j, "J in", epoch.time_s, "s")
    print(run.energy_j, "+-", run.energy_error_j, "J;", run.minibatch.energy_j, "J per minibatch")
    run.to_frame(); run.plot()

Power is sampled by a thread of the compiled part, which never takes the interpreter's lock. Where
the machine has no power sensor there are times alone, and a warning says so once. Processes that are
forked during the run (workers of a data loader) have no part in the measurement: it raises UsageError
there, and their end does not end it.
"""
import contextlib
import functools
import importlib
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from os import PathLike
from typing import Any, TypeVar

from . import _core, errors, modes, worker

__all__ = ["measure", "measured", "Run"]

Item = TypeVar("Item")

_said: set[str] = set()  # devices that show no power


def _command() -> list[str]:
    """How the program was started, for the report."""
    words = getattr(sys, "orig_argv", sys.argv) or ["python3"]
    return [word.encode("utf-8", "replace").decode() or "''" for word in words]


def _text(name: object) -> str:
    if not isinstance(name, str):
        raise errors.UsageError(f"name: must be a text, is of type {type(name).__name__}")
    return name


def _say_without_power(device: str, source: str) -> None:
    if device in _said:
        return
    _said.add(device)
    warnings.warn(f"ridgewatt: times alone are measured, no energy: {source}", RuntimeWarning,
                  stacklevel=4)


class OpenWindow:
    """A window of a run: while it is open its figures are those so far, and in the end those of its
    whole. Times in s, energy in J, power in W; energy and power are None without a power source."""

    def __init__(self, core: _core._Run, name: str) -> None:
        self._core = core
        self._number = core.begin_window(_text(name))
        self._cost: _core.Window | None = None
        self.name = name

    @property
    def cost(self) -> _core.Window:
        """A Window with the figures of this moment."""
        cost = self._cost
        if cost is None or not cost.settled:
            cost = self._cost = self._core.window(self._number)
        return cost

    def end(self) -> _core.Window:
        """Ends it; what it cost as a Window, by the samples so far. UsageError: it has ended."""
        if self.ended:
            raise errors.UsageError(f"the window has ended: {self.name}")
        cost = self._cost = self._core.end_window(self._number)
        return cost

    @property
    def ended(self) -> bool:
        """It is not open any more."""
        return self.cost.ended

    @property
    def begin_s(self) -> float:
        """CLOCK_MONOTONIC (s)."""
        return self.cost.begin_s

    @property
    def end_s(self) -> float:
        """The same; of an open window: now."""
        return self.cost.end_s

    @property
    def time_s(self) -> float:
        """Its length (s)."""
        return self.cost.time_s

    @property
    def energy_j(self) -> float | None:
        """Of the total (J)."""
        return self.cost.energy_j

    @property
    def energy_error_j(self) -> float | None:
        """Bound on the error of sampling (J)."""
        return self.cost.energy_error_j

    @property
    def mean_power_w(self) -> float | None:
        """Energy over time (W)."""
        return self.cost.mean_power_w

    @property
    def peak_power_w(self) -> float | None:
        """Highest sample (W)."""
        return self.cost.peak_power_w

    def __repr__(self) -> str:
        return repr(self.cost)


class Run:
    """A measurement that runs, or has run; measure() makes it. Marks, phases and windows may come
    from any thread. When it has ended it has every attribute of its Measurement: energy_j,
    energy_error_j, time_s, stall_share, rails, idle_w, minibatch, phases, windows, provenance, ..,
    to_dict() as `ridgewatt measure --format json` prints, to_frame() with a row per minibatch and
    plot() of power over time; it is the sequence of its minibatches."""

    def __init__(self, device: str = "local", *, rate_hz: float = 100, idle_s: float = 0,
                 meter: str | PathLike[str] | None = None, meter_is_total: bool = False,
                 warm_up: int = 1, series_rate_hz: float = 0.5,
                 sysroot: str | PathLike[str] | None = None) -> None:
        self._asked: dict[str, Any] = dict(device=device, rate_hz=rate_hz, idle_s=idle_s, meter=meter,
                           meter_is_total=meter_is_total, warm_up=warm_up,
                           series_rate_hz=series_rate_hz, sysroot=sysroot)
        self._core: _core._Run | None = None
        self._begun = False
        self._result: _core.Measurement | None = None

    # Beginning and end

    def begin(self) -> "Run":
        """Samples power for idle_s, then begins. UsageError: it was begun before."""
        if self._begun:
            raise errors.UsageError("the measurement was begun before: start a new one")
        core = _core._Run(**self._asked, command=_command())
        if not core.has_power and self._asked["meter"] is None:
            _say_without_power(self._asked["device"], core.source)
        elif self._asked["idle_s"]:
            time.sleep(self._asked["idle_s"])
        core.begin()
        self._core, self._begun = core, True
        worker.runs.add(self)
        return self

    def end(self, status: int = 0) -> _core.Measurement:
        """Ends it; the Measurement. `status` is what the program's would be. UsageError: it does
        not run."""
        core, self._core = self._running, None
        worker.runs.discard(self)
        result = self._result = core.stop(status)
        return result

    @property
    def hears(self) -> bool:
        """It runs, in this process: ridgewatt.mark(), fetched() and phase() are its own, too."""
        return self._core is not None and self._core.ours

    def __enter__(self) -> "Run":
        return self.begin()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        core = self._core
        if core is not None and core.ours:
            self.end(0 if kind is None else 1)

    @property
    def _running(self) -> _core._Run:
        if self._core is None:
            raise errors.UsageError("the measurement has ended" if self._begun
                                    else "the measurement has not begun")
        return self._core

    # While it runs

    def mark(self) -> None:
        """A minibatch ended. The device must be idle then (torch.cuda.synchronize())."""
        self._running.mark()

    def fetched(self) -> None:
        """The data of the minibatch has come: the time since the last mark was fetch stall."""
        self._running.fetched()

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """A named part of the run (load, warm-up, infer), as a block or as a decorator."""
        core = self._running
        core.begin_phase(_text(name))
        try:
            yield
        finally:
            if core is self._core and core.ours:
                core.end_phase(name)

    @contextlib.contextmanager
    def window(self, name: str = "") -> Iterator[OpenWindow]:
        """A part of the run and its cost, as a block (which gives an OpenWindow) or as a
        decorator; windows nest and overlap. Those that have ended are the run's `windows`."""
        window = OpenWindow(self._running, name)
        try:
            yield window
        finally:
            if window._core is self._core and window._core.ours:
                window.end()

    def begin_window(self, name: str = "") -> OpenWindow:
        """The same without a block: an OpenWindow, whose end() ends it."""
        return OpenWindow(self._running, name)

    def minibatches(self, loader: Iterable[Item]) -> Iterator[Item]:
        """What the loader yields, with fetched() when it has come and mark() when the body of the
        loop is done with it. The body leaves the device idle, or see ridgewatt.torch."""
        for batch in loader:
            self.fetched()
            yield batch
            self.mark()

    def so_far(self) -> _core.Window:
        """The run until now, as a Window."""
        return self._running.so_far()

    # After the end

    @property
    def measurement(self) -> _core.Measurement:
        """What it cost, a Measurement. UsageError while it runs."""
        if self._core is not None:
            raise errors.UsageError("the measurement runs still: so_far() tells its cost until now")
        if self._result is None:
            raise errors.UsageError("the measurement failed" if self._begun
                                    else "the measurement has not begun")
        return self._result

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") and name != "_repr_html_" or not hasattr(_core.Measurement, name):
            raise AttributeError(f"Run has no attribute {name}")
        return getattr(self.measurement, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(n for n in dir(_core.Measurement) if n[0] != "_")})

    def __len__(self) -> int:
        return len(self.measurement)

    def __getitem__(self, index: Any) -> Any:
        return self.measurement[index]

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        if self._result is not None:
            return repr(self._result)
        return "Run(runs)" if self._core else "Run(not begun)"


def _plot(self: Any, ax: Any = None) -> Any:
    """Power of the total and of each rail over time, with the phases behind it, by matplotlib on
    `ax`, or on new axes; the axes. NotSupportedError where matplotlib is not installed or there
    was no power source."""
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise errors.NotSupportedError(
            "a plot needs matplotlib, which is not here: install python3-matplotlib") from None
    channels = self.power()
    if not channels:
        raise errors.NotSupportedError(f"nothing to draw, power is {self.source}")
    ax = ax if ax is not None else pyplot.subplots()[1]
    for name, (times, powers) in channels.items():
        ax.plot(times, powers, label=name, linewidth=1.5 if name == "total" else 0.7)
    for number, phase in enumerate(self.phases):
        begin_s = phase.begin_s - self.begin_s
        ax.axvspan(begin_s, begin_s + phase.time_s, alpha=0.15, color=f"C{number % 10}")
        ax.text(begin_s, 0.99, phase.name, transform=ax.get_xaxis_transform(), va="top")
    ax.set_xlabel("time (s)")
    ax.set_ylabel("power (W)")
    ax.set_title(self.provenance)
    ax.legend()
    return ax


setattr(_core.Measurement, "plot", _plot)


def measure(device: str = "local", *, rate_hz: float = 100, idle_s: float = 0,
            meter: str | PathLike[str] | None = None, meter_is_total: bool = False,
            warm_up: int = 1, series_rate_hz: float = 0.5,
            sysroot: str | PathLike[str] | None = None) -> Run:
    """A Run, to be entered with `with`.

    device: "local", or "fake:BOARD". rate_hz: of power samples, 1 to 1000. idle_s: seconds of idle
    baseline before the block begins. meter: CSV that an external meter writes during the run;
    meter_is_total: its power counts and not the rails'. warm_up: minibatches that do not count, at
    least 1. series_rate_hz: of clocks, loads and temperatures, 0.1 to 50. sysroot: root of a
    recorded tree in place of "/".

    An exception in the block ends the measurement there and goes on; its status is 1 then.
    UsageError: an argument is wrong; NotFoundError: no such device."""
    return Run(device, rate_hz=rate_hz, idle_s=idle_s, meter=meter, meter_is_total=meter_is_total,
               warm_up=warm_up, series_rate_hz=series_rate_hz, sysroot=sysroot)


def measured(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """A decorator: every call of the function is measured, and `function.run` is the Run of the
    last one that began. Options are those of measure(): `@measured` or `@measured(rate_hz=200)`.
    UsageError: a generator or an async function, whose body runs after the call."""
    if function is None:
        return functools.partial(measured, **options)
    modes.refuse_generators("measured", function)
    call: Callable[..., Any] = function

    @functools.wraps(call)
    def wrapper(*arguments: Any, **named: Any) -> Any:
        with measure(**options) as run:
            setattr(wrapper, "run", run)
            return call(*arguments, **named)
    setattr(wrapper, "run", None)
    return wrapper
