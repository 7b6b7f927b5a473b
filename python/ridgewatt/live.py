"""Tuning a program on the board at hand; ridgewatt.tune() comes here for device="local".

tune() starts a program for every point; in_place() tunes the program that calls it, while it runs:

    with ridgewatt.live.in_place(max_power_w=30) as tuning:
        for batch in tuning.minibatches(loader):
            train(batch)                      # modes change under it, between minibatches
    print(tuning.tuned.best.mode, tuning.report["in_place"])
"""
import contextlib
import shlex

from . import _core, errors, worker

__all__ = ["tune", "in_place", "InPlace"]


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


class InPlace:
    """A search that runs while this program does; in_place() makes it. Within its block modes are
    tried, a few minibatches each; once the search has ended the block goes on in the best mode, and
    the first mode is back at its end, whatever ends it (also by SIGKILL: another process watches).
    Minibatches are marked by mark(), by minibatches(), or by ridgewatt.mark() anywhere in the
    program, at a moment when the device is idle."""

    def __init__(self, **options):
        self._core = _core._InPlace(**options)
        self._runs = False
        self._begun = False
        self._result = None

    @property
    def hears(self):
        """It runs, in this process: ridgewatt.mark() and fetched() are its own, too."""
        return self._runs and self._core.ours

    def begin(self):
        """Sets the first mode of the search. UsageError: it was begun before; PermissionError:
        modes need root; IoError: the board shows no power; NotSupportedError: it has no modes."""
        if self._begun:
            raise errors.UsageError("the search was begun before: search anew")
        self._begun = True
        self._core.begin()
        self._runs = True
        worker.runs.add(self)
        return self

    def end(self):
        """Ends it: the first mode is back. The Tuned of what was found until then; Error where no
        window was measured, and what ended the search."""
        if not self._runs:
            raise errors.UsageError("the search does not run")
        self._runs = False
        worker.runs.discard(self)
        self._result = self._core.end()
        return self._result[0]

    def __enter__(self):
        return self.begin()

    def __exit__(self, kind, error, trace):
        if not self.hears:
            return
        try:
            self.end()
        except errors.Error:
            if kind is None:  # else what the block raised says more
                raise

    def mark(self):
        """A minibatch ended. The device must be idle then (torch.cuda.synchronize())."""
        if self.hears:
            self._core.mark()

    def fetched(self):
        """The data of the minibatch has come."""
        if self.hears:
            self._core.fetched()

    def phase(self, name):
        """Phases of the program have no part in the search."""
        return contextlib.nullcontext()

    def minibatches(self, loader):
        """What the loader yields, with fetched() when it has come and mark() when the body of the
        loop is done with it."""
        for batch in loader:
            self.fetched()
            yield batch
            self.mark()

    @property
    def found(self):
        """The Tuned once the search has ended: from then on the block runs in its best mode. None
        before."""
        return self._result[0] if self._result else self._core.found()

    @property
    def tuned(self):
        """After the block: the Tuned. UsageError before."""
        if self._result is None:
            raise errors.UsageError("the search runs still: found tells its answer once there is one"
                                    if self._runs else "there is no answer")
        return self._result[0]

    @property
    def report(self):
        """After the block: what `ridgewatt tune --in-place --format json` prints, as a dict."""
        self.tuned
        return self._result[1]

    def __repr__(self):
        return f"InPlace({'runs' if self._runs else 'ended' if self._begun else 'not begun'})"


def in_place(device="local", **options):
    """An InPlace, to be entered with `with`: the best power mode for this program, while it runs.

    device: "local", or "fake:BOARD". The limits, profiles, strategy, time_budget_s, noise, seed and
    batch (a name for the windows; the program has one) of ridgewatt.tune(); of a window:
    window_precision (0.02), longest_window_s (4), window (minibatches at most, 40), warm_up (1);
    guard_s (0.05): a mode above max_power_w so long is left; reference_every (3 windows; 0: drift is
    not looked for); of the board: max_celsius, full_fan, no_idle_states, sysroot, state_folder;
    store ("tune.db"), workload (its name there) and training.

    UsageError: a wrong argument."""
    return InPlace(device=device, **options)
