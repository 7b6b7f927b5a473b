"""The board of this machine: its settings and sensors, and a power mode for the duration of a
block.

    with ridgewatt.mode("MODE_30W"):
        train()                     # at 30 W
                                    # now the original mode is restored

The original mode is the mode before the block. It is restored whenever the block ends: normally,
with an exception, with KeyboardInterrupt or with sys.exit. It is also restored if the process is
killed, because another process watches it. After a power loss, the next use of the board restores
it from a journal.
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

_held_now: "set[mode]" = set()  # an applied mode stays set even if the program drops the object


def refuse_generators(what: str, function: Callable[..., Any]) -> None:
    """Raises UsageError for functions whose body runs after they have returned. `what` names the
    decorator."""
    flags = getattr(getattr(function, "__code__", None), "co_flags", 0)
    if flags & (0x20 | 0x80 | 0x200):  # generator, coroutine, asynchronous generator
        raise errors.UsageError(f"{what} cannot decorate {function.__name__}, whose body runs after "
                                "the call: use a with block in it")


class Device:
    """A board: "local" (this machine) or "fake:BOARD" (simulated). Reading needs no special rights,
    but some values are available only to root. `sysroot` is the root of a recorded tree of system
    files that replaces "/". Raises UsageError for another name, and NotFoundError if the fake board
    or the tree does not exist. state() and levels() raise NotSupportedError if the board has no
    power modes."""

    def __init__(self, name: str = "local", *, sysroot: str | PathLike[str] | None = None) -> None:
        if not isinstance(name, str):
            raise errors.UsageError(f"device: must be a string, but is of type {type(name).__name__}")
        self._core = _core._Device(name, os.fspath(sysroot or ""))

    @property
    def name(self) -> str:
        """The name that was given."""
        return self._core.name

    @property
    def provenance(self) -> str:
        """Provenance of its measurements: "measured" or "fake"."""
        return self._core.provenance

    def state(self) -> _core.ModeState:
        """Returns the current settings as a ModeState."""
        return self._core.state()

    def levels(self) -> dict[str, list[float]]:
        """Returns a dict from the name of each knob in PowerMode to its possible values, ascending
        (clocks in Hz)."""
        return self._core.levels()

    def presets(self) -> dict[str, _core.PowerMode]:
        """Returns the presets of its nvpmodel.conf: a dict from name to PowerMode, whose clocks are
        upper limits."""
        return self._core.presets()

    def governors(self) -> list[str]:
        """Returns the names of the DVFS governors that a PowerMode may use."""
        names: list[str] = self._core.governors()
        return names

    def sensors(self) -> dict[str, Any]:
        """Returns rails, temperatures, clocks, loads and more as a dict, which `ridgewatt sensors
        --format json` also prints."""
        read: dict[str, Any] = self._core.sensors()
        return read

    def __repr__(self) -> str:
        return f"Device({self.name!r})"


class mode(contextlib.ContextDecorator):
    """Sets a power mode for the duration of a `with` block or of a decorated function.

    - wanted: name or id of a preset ("MODE_30W"), a PowerMode, or its text ("cores=4,gpu=612"); knobs
      not set in it do not change
    - device: "local" or "fake:BOARD"
    - max_celsius: if a temperature is higher, check_safety() restores the original mode (degrees C)
    - full_fan: also run the fan at full speed; restored with the mode
    - no_idle_states: also disable the idle states of the CPU; restored with the mode
    - state_folder: folder of the journal from which an interrupted run is restored
    - sysroot: root of a recorded tree of system files that replaces "/"

    `applied` is the PowerMode that the board accepted. A clock that the board does not support is
    rounded to the nearest one, with a RuntimeWarning. A process can hold one mode at a time. Raises
    UsageError if another mode is held, if a knob does not have the given value, or if the object is
    used after its end; PermissionError without root rights, which are needed to set modes; and
    IoError if the board rejected the mode, after the original mode was restored.
    """

    def __init__(self, wanted: str | int | _core.PowerMode, device: str = "local", *,
                 max_celsius: float = 100, full_fan: bool = False, no_idle_states: bool = False,
                 sysroot: str | PathLike[str] | None = None,
                 state_folder: str | PathLike[str] | None = None) -> None:
        if not isinstance(wanted, (str, int, _core.PowerMode)) or isinstance(wanted, bool):
            raise errors.UsageError("a mode must be the name or number of a preset, a PowerMode or its text, not of type "
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
        """Sets the mode without a block and returns this object. restore(), or the end of the
        process, restores the original mode."""
        if self._held is not None or self._ended:
            raise errors.UsageError("the mode is already set" if self._held is not None
                                    else "the original mode was restored: create a new mode object")
        held = _core._HeldMode(**self._asked)
        try:
            if isinstance(self.wanted, _core.PowerMode):
                self._applied = held.apply(self.wanted)
            else:
                self._applied = held.apply_text(str(self.wanted))
            self._held = held
            _held_now.add(self)
        except BaseException:  # including Ctrl+C before the mode is registered
            held.restore()
            raise
        for line in held.rounded():
            warnings.warn(line, RuntimeWarning, stacklevel=2)
        return self

    def restore(self) -> None:
        """Restores the original mode. Does nothing if it is already restored. Raises IoError if
        that fails."""
        self._ended = self._ended or self._held is not None
        held, self._held = self._held, None
        _held_now.discard(self)
        if held is not None:
            held.restore()

    def _in_use(self) -> _core._HeldMode:
        if self._held is None:
            raise errors.UsageError("the original mode was already restored" if self._ended
                                    else "the mode is not set: use it in a with block, or call apply()")
        return self._held

    @property
    def applied(self) -> _core.PowerMode:
        """The PowerMode that the board accepted. Raises UsageError while the mode is not set."""
        self._in_use()
        assert self._applied is not None
        return self._applied

    def state(self) -> _core.ModeState:
        """Returns the current settings of the board as a ModeState. Raises UsageError while the
        mode is not set."""
        return self._in_use().state()

    def check_safety(self) -> None:
        """Raises IoError if a temperature is above max_celsius, an over-current event occurred, or
        another program changed the fan or the idle states. The original mode has been restored
        then. Raises UsageError while the mode is not set."""
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
    """Restores the original mode if this process has set another one. It is meant for notebooks
    that have lost their `mode` object. Does nothing if no mode is held. Raises IoError if that
    fails."""
    for held in list(_held_now):
        held.restore()


def _apply(self: _core.Tuned, device: str | None = None, **options: Any) -> mode:
    """Sets the mode of the answer on the board and returns it as a `mode`. The mode is held until
    its restore(), the end of its `with` block, or the end of the process.

    `device` is "local" or "fake:BOARD". Without it, the mode is set on the board that was tuned,
    which must be this machine or a fake board. The options are those of mode(). Raises
    NoSolutionError if there is no answer, UsageError if the answer comes from a twin or a sweep and
    no device is given, and the errors of mode().
    """
    if device is None:
        if not self.device.startswith("fake:") and self.provenance != "measured":
            raise errors.UsageError(f"the answer is {self.provenance}, not of a real board: give "
                                    'device="local" to set it on this board')
        device = self.device if self.device.startswith("fake:") else "local"
    return mode(self.best.mode, device, **options).apply()


setattr(_core.Tuned, "apply", _apply)
