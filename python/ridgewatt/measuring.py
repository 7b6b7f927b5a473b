"""Measures the current program: time, power and energy of the code inside a `with` block.

    with ridgewatt.measure() as run:
        with run.phase("warm-up"): ...
        with run.window("epoch 1") as epoch:
            for batch in run.minibatches(loader):
                train(batch)
        print(epoch.energy_j, "J in", epoch.time_s, "s")
    print(run.energy_j, "+-", run.energy_error_j, "J;", run.minibatch.energy_j, "J per minibatch")
    run.to_frame(); run.plot()

A thread of the compiled part samples the power. It never takes the global interpreter lock (GIL).
On a machine without a power sensor, only times are measured, and a RuntimeWarning says so once per
device. A process that is forked during the run, such as a data loader worker, cannot use the
measurement: its calls raise UsageError. The measurement continues when the forked process ends.
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

_said: set[str] = set()  # devices for which the user was warned that there is no power sensor


def _command() -> list[str]:
    """Returns the command line of this program, for the report."""
    words = getattr(sys, "orig_argv", sys.argv) or ["python3"]
    return [word.encode("utf-8", "replace").decode() or "''" for word in words]


def _text(name: object) -> str:
    if not isinstance(name, str):
        raise errors.UsageError(f"name: must be a string, but is of type {type(name).__name__}")
    return name


def _say_without_power(device: str, source: str) -> None:
    if device in _said:
        return
    _said.add(device)
    warnings.warn(f"ridgewatt: times alone are measured, no energy: {source}", RuntimeWarning,
                  stacklevel=4)


class OpenWindow:
    """A window: a part of a run whose cost is reported. While the window is open, its attributes
    are the values so far; after its end, they are the values of the whole window. Energy and power
    are None without a power sensor."""

    def __init__(self, core: _core._Run, name: str) -> None:
        self._core = core
        self._number = core.begin_window(_text(name))
        self._cost: _core.Window | None = None
        self.name = name

    @property
    def cost(self) -> _core.Window:
        """A Window with the current values."""
        cost = self._cost
        if cost is None or not cost.settled:
            cost = self._cost = self._core.window(self._number)
        return cost

    def end(self) -> _core.Window:
        """Ends the window and returns its cost as a Window, computed from the samples so far.
        Raises UsageError if the window has ended."""
        if self.ended:
            raise errors.UsageError(f"the window has ended: {self.name}")
        cost = self._cost = self._core.end_window(self._number)
        return cost

    @property
    def ended(self) -> bool:
        """Whether the window has ended."""
        return self.cost.ended

    @property
    def begin_s(self) -> float:
        """Time of its beginning (s, CLOCK_MONOTONIC)."""
        return self.cost.begin_s

    @property
    def end_s(self) -> float:
        """Time of its end, or the current time while it is open (s, CLOCK_MONOTONIC)."""
        return self.cost.end_s

    @property
    def time_s(self) -> float:
        """Duration (s)."""
        return self.cost.time_s

    @property
    def energy_j(self) -> float | None:
        """Total energy (J)."""
        return self.cost.energy_j

    @property
    def energy_error_j(self) -> float | None:
        """Bound on the sampling error of the energy (J); None with fewer than two power samples."""
        return self.cost.energy_error_j

    @property
    def mean_power_w(self) -> float | None:
        """Mean power: energy divided by time (W)."""
        return self.cost.mean_power_w

    @property
    def peak_power_w(self) -> float | None:
        """Highest power sample (W)."""
        return self.cost.peak_power_w

    def __repr__(self) -> str:
        return repr(self.cost)


class Run:
    """A measurement, created by measure(). Any thread may mark minibatches and begin or end phases
    and windows. After its end, a Run has all attributes and methods of its Measurement, such as
    energy_j, minibatch, rails, phases and windows, and is the sequence of its minibatches.
    to_dict() returns what `ridgewatt measure --format json` prints, to_frame() has one row per
    minibatch, and plot() draws power over time."""

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
        """Samples idle power for idle_s, then begins the run and returns it. Raises UsageError if
        it was begun before."""
        if self._begun:
            raise errors.UsageError("the measurement was already started: create a new one")
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
        """Ends the run and returns its Measurement. `status` is recorded as the exit status of the
        program. Raises UsageError if the measurement is not running."""
        core, self._core = self._running, None
        worker.runs.discard(self)
        result = self._result = core.stop(status)
        return result

    @property
    def hears(self) -> bool:
        """Whether the measurement is running in this process. It then also receives
        ridgewatt.mark(), ridgewatt.fetched() and ridgewatt.phase()."""
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
            raise errors.UsageError("the measurement has already ended" if self._begun
                                    else "the measurement was not started")
        return self._core

    # While it runs

    def mark(self) -> None:
        """Marks the end of a minibatch. The device must be idle at that moment
        (torch.cuda.synchronize())."""
        self._running.mark()

    def fetched(self) -> None:
        """Marks that the data of the next minibatch has arrived. The time since the last mark
        counts as fetch stall, which is time spent waiting for data."""
        self._running.fetched()

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Measures a named phase of the run, such as load, warm-up or infer. Use it as a `with`
        block or as a decorator."""
        core = self._running
        core.begin_phase(_text(name))
        try:
            yield
        finally:
            if core is self._core and core.ours:
                core.end_phase(name)

    @contextlib.contextmanager
    def window(self, name: str = "") -> Iterator[OpenWindow]:
        """Measures a window of the run. Use it as a `with` block, which yields an OpenWindow, or as
        a decorator. Windows may nest and overlap. The run's `windows` contains those that have
        ended."""
        window = OpenWindow(self._running, name)
        try:
            yield window
        finally:
            if window._core is self._core and window._core.ours:
                window.end()

    def begin_window(self, name: str = "") -> OpenWindow:
        """Begins a window without a `with` block and returns it as an OpenWindow. Call its end() to
        end it."""
        return OpenWindow(self._running, name)

    def minibatches(self, loader: Iterable[Item]) -> Iterator[Item]:
        """Yields the items of the loader. Calls fetched() when an item has arrived, and mark()
        after the loop body. The device must be idle at the end of the loop body; if it is not, use
        ridgewatt.torch.minibatches()."""
        for batch in loader:
            self.fetched()
            yield batch
            self.mark()

    def so_far(self) -> _core.Window:
        """Returns the cost of the run until now, as a Window."""
        return self._running.so_far()

    # After the end

    @property
    def measurement(self) -> _core.Measurement:
        """The Measurement of the run. Raises UsageError while the run is not complete."""
        if self._core is not None:
            raise errors.UsageError("the measurement is still running: so_far() gives its cost until now")
        if self._result is None:
            raise errors.UsageError("the measurement failed" if self._begun
                                    else "the measurement was not started")
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
    """Draws the power of the total and of each rail over time with matplotlib, with the phases in
    the background, on `ax` or on new axes, and returns the axes. Raises NotSupportedError if
    matplotlib is not installed or there was no power sensor."""
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise errors.NotSupportedError(
            "a plot needs matplotlib, which is not installed: install python3-matplotlib") from None
    channels = self.power()
    if not channels:
        raise errors.NotSupportedError(f"there is nothing to draw, because power is {self.source}")
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
    """Returns a Run, a context manager that measures its `with` block.

    - device: "local", or a simulated board "fake:BOARD"
    - rate_hz: rate of power samples, 1 to 1000 (Hz)
    - idle_s: duration of an idle baseline that is measured before the block begins (s)
    - meter: CSV file that an external power meter writes during the run
    - meter_is_total: the meter gives the total power, instead of the board's sensors
    - warm_up: number of minibatches at the beginning that do not count, at least 1
    - series_rate_hz: rate at which clocks, loads and temperatures are recorded, 0.1 to 50 (Hz)
    - sysroot: root of a recorded tree of system files that replaces "/"

    An exception in the block ends the measurement with status 1 and then propagates. The beginning
    of the block raises UsageError if an argument is wrong, and NotFoundError if the fake board does
    not exist.
    """
    return Run(device, rate_hz=rate_hz, idle_s=idle_s, meter=meter, meter_is_total=meter_is_total,
               warm_up=warm_up, series_rate_hz=series_rate_hz, sysroot=sysroot)


def measured(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """A decorator that measures every call of a function. `function.run` is the Run of the call
    that began last. The options are those of measure(): use `@measured` or
    `@measured(rate_hz=200)`. Raises UsageError for a generator or an async function, because its
    body runs after the call."""
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
