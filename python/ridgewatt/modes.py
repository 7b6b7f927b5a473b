"""This machine's board: what it is set to, what its sensors say, and a power mode that is held.

    with ridgewatt.mode("MODE_30W"):
        train()                     # at 30 W
                                    # the first mode is back

However the block ends, the first mode comes back: at its end, by an exception, KeyboardInterrupt or
sys.exit, and when the process is killed, since another process watches over it. Power loss: the
journal of old values restores at the next use.
"""
import contextlib
import os
import warnings
from collections.abc import Callable
from os import PathLike
from typing import Any, TypeVar

from . import _core, errors

__all__ = ["Device", "mode", "restore_mode"]

Function = TypeVar("Function", bound=Callable[..., Any])

_held_now: "set[mode]" = set()  # a mode that is applied is held although nobody keeps the object


def refuse_generators(what: str, function: Callable[..., Any]) -> None:
    """UsageError for functions whose body runs after they have returned."""
    flags = getattr(getattr(function, "__code__", None), "co_flags", 0)
    if flags & (0x20 | 0x80 | 0x200):  # generator, coroutine, asynchronous generator
        raise errors.UsageError(f"{what} cannot decorate {function.__name__}, whose body runs after "
                                "the call: use a with block in it")


class Device:
    """A board: "local" (this machine) or "fake:BOARD". Reading needs no rights, but some values appear
    only for root. NotFoundError: no such device; NotSupportedError: it has no power modes."""

    def __init__(self, name: str = "local", *, sysroot: str | PathLike[str] | None = None) -> None:
        if not isinstance(name, str):
            raise errors.UsageError(f"device: must be a text, is of type {type(name).__name__}")
        self._core = _core._Device(name, os.fspath(sysroot or ""))

    @property
    def name(self) -> str:
        """As it was given."""
        return self._core.name

    @property
    def provenance(self) -> str:
        """Of what is measured on it: "measured" or "fake"."""
        return self._core.provenance

    def state(self) -> _core.ModeState:
        """What it is set to, a ModeState."""
        return self._core.state()

    def levels(self) -> dict[str, list[float]]:
        """The values of each knob, ascending, in a dict by the names of PowerMode (Hz)."""
        return self._core.levels()

    def presets(self) -> dict[str, _core.PowerMode]:
        """The presets of its nvpmodel.conf: a dict from name to PowerMode, of upper limits."""
        return self._core.presets()

    def governors(self) -> list[str]:
        """Names of DVFS governors that can be a mode."""
        names: list[str] = self._core.governors()
        return names

    def sensors(self) -> dict[str, Any]:
        """Rails, temperatures, clocks, loads and more: what `ridgewatt sensors --format json`
        prints, as a dict."""
        read: dict[str, Any] = self._core.sensors()
        return read

    def __repr__(self) -> str:
        return f"Device({self.name!r})"


class mode(contextlib.ContextDecorator):
    """A power mode that is held while a block or a decorated function runs.

    wanted: the name or id of a preset ("MODE_30W"), or a PowerMode; knobs that it lacks stay as
    they are. device: "local" or "fake:BOARD". max_celsius: above it a check restores. full_fan,
    no_idle_states: held too, and taken back. state_folder: of the journal.

    `applied` is the PowerMode as the board took it: a clock that it does not have becomes the
    nearest, with a RuntimeWarning. One mode is held at a time in a process. UsageError: another mode
    is held, a knob has no such value, use after the end; PermissionError: changing modes needs
    root; IoError: the board refused, and the first mode is back."""

    def __init__(self, wanted: str | int | _core.PowerMode, device: str = "local", *,
                 max_celsius: float = 100, full_fan: bool = False, no_idle_states: bool = False,
                 sysroot: str | PathLike[str] | None = None,
                 state_folder: str | PathLike[str] | None = None) -> None:
        if not isinstance(wanted, (str, int, _core.PowerMode)) or isinstance(wanted, bool):
            raise errors.UsageError("a mode is the name of a preset or a PowerMode, not of type "
                                    + type(wanted).__name__)
        self._asked: dict[str, Any] = dict(device=device, max_celsius=max_celsius, full_fan=full_fan,
                           no_idle_states=no_idle_states, sysroot=sysroot, state_folder=state_folder)
        self.wanted = wanted
        self._held: _core._HeldMode | None = None
        self._ended = False
        self._entered = False
        self._applied: _core.PowerMode | None = None

    def __call__(self, function: Function) -> Function:
        refuse_generators("mode", function)
        return super().__call__(function)

    def _recreate_cm(self) -> "mode":  # a decorated function may be called again
        return mode(self.wanted, **self._asked)

    def apply(self) -> "mode":
        """Sets it without a block; restore() brings the first mode back, and so does the end of the
        process."""
        if self._held is not None or self._ended:
            raise errors.UsageError("the mode is held already" if self._held is not None
                                    else "the mode was restored: set it again")
        held = _core._HeldMode(**self._asked)
        try:
            if isinstance(self.wanted, _core.PowerMode):
                self._applied = held.apply(self.wanted)
            else:
                self._applied = held.apply_preset(str(self.wanted))
            self._held = held
            _held_now.add(self)
        except BaseException:  # also Ctrl+C between the two
            held.restore()
            raise
        self._warn_of_other_clocks()
        return self

    def _warn_of_other_clocks(self) -> None:
        for knob in ("cpu_clock_hz", "gpu_clock_hz", "mem_clock_hz"):
            asked, got = getattr(self.wanted, knob, None), getattr(self._applied, knob)
            if asked and got and abs(got - asked) > 0.001 * asked:
                warnings.warn(f"{knob}: the board has no {asked / 1e6:g} MHz and took the nearest, "
                              f"{got / 1e6:g} MHz", RuntimeWarning, stacklevel=3)

    def restore(self) -> None:
        """Brings the first mode back; nothing happens when that was done. IoError: it failed."""
        self._ended = self._ended or self._held is not None
        held, self._held = self._held, None
        _held_now.discard(self)
        if held is not None:
            held.restore()

    def _in_use(self) -> _core._HeldMode:
        if self._held is None:
            raise errors.UsageError("the mode was restored" if self._ended
                                    else "the mode is not set: use it in a with block")
        return self._held

    @property
    def applied(self) -> _core.PowerMode:
        """The PowerMode as the board took it. UsageError while it is not held."""
        self._in_use()
        assert self._applied is not None
        return self._applied

    def state(self) -> _core.ModeState:
        """What the board is set to now, a ModeState. UsageError while it is not held."""
        return self._in_use().state()

    def check_safety(self) -> None:
        """IoError when a temperature is over max_celsius, an over-current event came or somebody
        took the fan back; the first mode is back then. UsageError while it is not held."""
        self._in_use().check_safety()

    def __enter__(self) -> "mode":
        if self._held is None or self._entered:
            self.apply()
        self._entered = True
        return self

    def __exit__(self, *_: object) -> None:
        self.restore()

    def __repr__(self) -> str:
        return f"mode({str(self.wanted)!r}, {self._asked['device']!r})"


def restore_mode() -> None:
    """Brings the first mode back where this process holds one, whoever set it: for a notebook whose
    `mode` object is gone. Nothing happens where none is held. IoError: it failed."""
    for held in list(_held_now):
        held.restore()


def _apply(self: _core.Tuned, device: str | None = None, **options: Any) -> mode:
    """Sets the answer's mode on the board and returns the `mode` that holds it: until its
    restore(), the end of its `with` block, or the end of the process.

    device: "local" or "fake:BOARD"; without it the board that was tuned, which must be
    this machine or a fake board. Options are those of mode(). NoSolutionError: there is no answer;
    UsageError: it is a twin's or a sweep's, and no device is given; else as mode()."""
    if device is None:
        if not self.device.startswith("fake:") and self.provenance != "measured":
            raise errors.UsageError(f"the answer is {self.provenance}, not of a real board: give "
                                    'device="local" to set it on this board')
        device = self.device if self.device.startswith("fake:") else "local"
    return mode(self.best.mode, device, **options).apply()


setattr(_core.Tuned, "apply", _apply)
