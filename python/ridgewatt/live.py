"""Tuning a program on the board at hand; ridgewatt.tune() comes here for device="local"."""
import shlex

from . import _core, errors

__all__ = ["tune"]


def tune(command, *, device="local", **options):
    """The best power mode and batch for a program: every point that the search asks for is set on
    the board, measured and stored, and the first mode is back before this returns, whatever ends
    it. Ctrl+C, or what `progress` raises, ends the program too, and the store keeps the whole
    points: the next search goes on from there.

    command: text that is split as a shell splits words, or a list of words; {batch} stands for the
    batch. The program marks its minibatches (ridgewatt.mark()). Options of a point: settle_s
    (longest wait for steady power, 20), settle_window_s (2.5), window (minibatches, 40), warm_up
    (1), idle_s (2), rate_hz (100); of the board: max_celsius, full_fan, no_idle_states, sysroot,
    state_folder; governors to compare the answer with; store ("tune.db"); workload (its name
    there) and training; and the limits, batch, strategy, profiles, time_budget_s, minibatches,
    min_gain, noise, seed and progress of ridgewatt.tune().

    Returns Tuned. UsageError: a wrong argument; PermissionError: modes need root; Error: no point can
    be profiled (IoError where there is no such program, or it gets too hot)."""
    if isinstance(command, str):
        try:
            command = shlex.split(command)
        except ValueError as error:
            raise errors.UsageError(f"the command cannot be split into words: {error}") from None
    if not isinstance(command, (list, tuple)) or not command:
        raise errors.UsageError("a board at hand runs a program: give its command, "
                                "\"python3 train.py\"")
    if str(command[0]).startswith("zoo:") or str(command[0]).endswith(".onnx"):
        raise errors.UsageError(
            f"a board at hand runs a program, not a model: {command[0]}: "
            "for the board's twin give device=BOARD")
    return _core._tune_on_board(command=list(command), device=device, **options)
