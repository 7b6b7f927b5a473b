"""Workers of `ridgewatt schedule run` in Python, and marks for measurements. This module needs only
the standard library.

    import ridgewatt
    worker = ridgewatt.Worker("training", "resnet18")
    for inputs, labels in loader:
        with worker.minibatch():          # waits until this worker may use the device
            train(inputs, labels)
            torch.cuda.synchronize()      # the device must be idle when the block ends

A program that is a single worker can use a shorter form. The environment variables RIDGEWATT_KIND
and RIDGEWATT_NAME give its kind and name:

        with ridgewatt.minibatch(): ...

A program that is measured from outside (`ridgewatt measure -- python3 train.py`) or that measures
itself (`ridgewatt.measure()`) marks the ends of its minibatches and its phases. If nothing measures
the program, marks have no effect:

    with ridgewatt.phase("warm-up"): ...
    for inputs, labels in loader:
        ridgewatt.fetched()               # optional: shows the fetch stall
        train(inputs, labels)
        torch.cuda.synchronize()
        ridgewatt.mark()                  # end of a minibatch

It may add remarks and numbers of its own to the report:

    ridgewatt.note("runs on the CPU")
    ridgewatt.value("accuracy", 0.91)     # a study compares it like times and energies
"""
import contextlib
import os
import socket
import struct
import time
import weakref
from typing import Any, ContextManager, Iterator, List, Optional

__all__ = ["Worker", "ControllerGone", "minibatch", "mark", "fetched", "phase", "note", "value"]


class ControllerGone(ConnectionError):
    """The controller has ended. The program must not use the device any more."""


def _default_socket() -> str:
    folder = os.environ.get("XDG_RUNTIME_DIR")
    if not folder and os.geteuid() == 0:
        folder = "/run/ridgewatt"
    if not folder:
        folder = os.path.expanduser("~/.local/state/ridgewatt/run")
    return os.path.join(folder, "ridgewatt.sock")


class Worker:
    """A connection to the controller, `ridgewatt schedule run`.

    `kind` is "inference" or "training". `path` is the socket of the controller; the default is
    $RIDGEWATT_SOCKET. If neither is given, the socket is ridgewatt.sock in the folder
    $XDG_RUNTIME_DIR or, without that variable, in ~/.local/state/ridgewatt/run (for root in
    /run/ridgewatt). The controller has the same default.

    An inference worker collects `batch` requests and then enters minibatch(). If the controller
    adapts its plan to the arrival rate, the worker reports its requests instead, and the controller
    decides how many are served:

        worker.count()
        worker.arrived(3)                 # three requests arrived; from any thread
        with worker.minibatch():          # whenever the worker is idle
            serve(waiting[worker.aside:worker.aside + worker.requests])
    """

    def __init__(self, kind: str, name: str, path: Optional[str] = None) -> None:
        path = path or os.environ.get("RIDGEWATT_SOCKET") or _default_socket()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._pending = b""
        try:
            self._join(kind, name, path)
        except BaseException:
            self._socket.close()
            raise
        self.deadline_s = 0.0
        self.requests = self.aside = 0

    def _join(self, kind: str, name: str, path: str) -> None:
        self._socket.connect(path)
        # Another user could have created the socket first. The kernel reports who listens on it.
        peer = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iII"))
        if struct.unpack("iII", peer)[1] != os.geteuid():
            raise PermissionError(f"ridgewatt: the controller at {path} belongs to another user")
        self._send(f"hello 1 {kind} {name}")
        words = self._receive().split()
        if len(words) != 4 or words[:2] != ["welcome", "1"]:
            raise ConnectionError(f"ridgewatt: the controller sent an unexpected reply: {' '.join(words)}")
        self.batch = int(words[2])
        self.period_s = int(words[3]) / 1e6

    def count(self) -> bool:
        """Asks the controller to count the requests that arrived() reports. Returns False, without
        any other effect, if the version of the controller does not support counting."""
        self._send("counting")
        return self._receive() == "counting"

    def arrived(self, count: int = 1, age_s: float = 0.0) -> None:
        """Reports that `count` requests arrived `age_s` seconds ago."""
        self._send(f"arrived {count} {max(0.0, age_s) * 1e6:.0f}")

    def _send(self, line: str) -> None:
        try:
            self._socket.sendall(line.encode("ascii") + b"\n")
        except (BrokenPipeError, ConnectionResetError) as error:
            raise ControllerGone("ridgewatt: the controller has closed the connection") from error

    def _receive(self) -> str:
        while b"\n" not in self._pending:
            try:
                data = self._socket.recv(256)
            except ConnectionResetError:
                data = b""
            if not data:
                raise ControllerGone("ridgewatt: the controller has closed the connection")
            self._pending += data
        line, self._pending = self._pending.split(b"\n", 1)
        return line.decode("ascii", "replace")

    @contextlib.contextmanager
    def minibatch(self) -> "Iterator[Worker]":
        """Waits for the device and holds it while the block runs. Raises ControllerGone if the
        controller ends."""
        self._send("ready")
        while True:
            words = self._receive().split()
            if words[0] == "grant":
                break
            if words[0] == "bye":
                raise ControllerGone("ridgewatt: the controller ended")
            if words[0] != "revoke":  # a late revoke is for a minibatch that has ended
                raise ConnectionError(f"ridgewatt: the controller sent an unexpected reply: {' '.join(words)}")
        self.deadline_s = int(words[2]) / 1e6
        # A controller that counts requests sends how many to serve and how many old ones to skip.
        self.requests, self.aside = map(int, words[3:5]) if len(words) == 5 else (0, 0)
        try:
            yield self
        finally:
            self._send(f"done {words[1]}")

    def close(self) -> None:
        with contextlib.suppress(OSError, ControllerGone):
            self._send("bye")
        self._socket.close()

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_worker: Optional[Worker] = None


def minibatch() -> ContextManager[Worker]:
    """Waits for the device and holds it while the block runs, as the worker that the environment
    variables RIDGEWATT_KIND and RIDGEWATT_NAME describe."""
    global _worker
    if _worker is None:
        _worker = Worker(os.environ.get("RIDGEWATT_KIND", "training"),
                         os.environ.get("RIDGEWATT_NAME", "python"))
    return _worker.minibatch()


# The measurements and searches of this process, which also receive the marks.
runs: "weakref.WeakSet[Any]" = weakref.WeakSet()


def _hearing() -> List[Any]:
    return [run for run in runs if run.hears]


def _tell(line: str) -> None:
    descriptor = os.environ.get("RIDGEWATT_MARK_FD")
    if descriptor:
        os.write(int(descriptor), line.encode() + b"\n")


def _mark(line: str) -> None:
    _tell(f"{line} {time.clock_gettime(time.CLOCK_MONOTONIC):.9f}")


def note(text: str) -> None:
    """Adds a line to the reports of `ridgewatt measure` and `ridgewatt study`. Only the first 200
    characters are kept."""
    _tell("note " + " ".join(str(text).split())[:200])


def value(name: str, number: float) -> None:
    """Adds a number to the report, under a name of one word, such as accuracy or loss. Raises
    ValueError for another name."""
    if not name or len(name.split()) != 1:
        raise ValueError(f"ridgewatt: the name of a value is one word, not {name!r}")
    _tell(f"value {name} {float(number)!r}")


def mark() -> None:
    """Marks the end of a minibatch."""
    _mark("minibatch")
    for run in _hearing():
        run.mark()


def fetched() -> None:
    """Marks that the data of the next minibatch has arrived."""
    _mark("fetched")
    for run in _hearing():
        run.fetched()


@contextlib.contextmanager
def phase(name: str) -> Iterator[None]:
    """Measures the block as a named phase of the program, such as load, warm-up or infer. A
    minibatch during which a phase validation, evaluation or checkpoint begins and ends is
    excluded."""
    _mark(f"begin {name}")
    try:
        with contextlib.ExitStack() as stack:
            for run in _hearing():
                stack.enter_context(run.phase(name))
            yield
    finally:
        _mark(f"end {name}")
