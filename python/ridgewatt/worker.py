"""A worker of `ridgewatt schedule run` in Python; standard library only.

    import ridgewatt
    worker = ridgewatt.Worker("training", "resnet18")
    for inputs, labels in loader:
        with worker.minibatch():          # waits until the device is ours
            train(inputs, labels)
            torch.cuda.synchronize()      # the device must be idle when the block ends

Shorter, for a program that is one worker named by its environment (RIDGEWATT_KIND, RIDGEWATT_NAME):

        with ridgewatt.minibatch(): ...

A program that is measured (`ridgewatt measure -- python3 train.py`) says where its minibatches and
phases end, and so does one that measures itself (`ridgewatt.measure()`); else nothing happens:

    with ridgewatt.phase("warm-up"): ...
    for inputs, labels in loader:
        ridgewatt.fetched()               # optional: shows the fetch stall
        train(inputs, labels)
        torch.cuda.synchronize()
        ridgewatt.mark()                  # a minibatch ended

It may say in words what the report should not leave out, and numbers of its own:

    ridgewatt.note("runs on the CPU")
    ridgewatt.value("accuracy", 0.91)     # a study compares them like times and energies
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
    """The controller ended: the device must not be used any more."""


def _default_socket() -> str:
    folder = os.environ.get("XDG_RUNTIME_DIR")
    if not folder and os.geteuid() == 0:
        folder = "/run/ridgewatt"
    if not folder:
        folder = os.path.expanduser("~/.local/state/ridgewatt/run")
    return os.path.join(folder, "ridgewatt.sock")


class Worker:
    """One connection. `kind` is "inference" or "training"; `path` the controller's socket, by
    default $RIDGEWATT_SOCKET, else where `ridgewatt schedule run` listens by default: ridgewatt.sock
    in $XDG_RUNTIME_DIR. An inference worker enters minibatch() once `batch` requests are
    gathered, or leaves the gathering to a controller that re-plans:

        worker.count()
        worker.arrived(3)                 # three requests came; from any thread
        with worker.minibatch():          # always, when it is idle
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
        # The kernel tells who listens: not another user, who may have taken the place first.
        peer = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iII"))
        if struct.unpack("iII", peer)[1] != os.geteuid():
            raise PermissionError(f"ridgewatt: the controller at {path} is another user's")
        self._send(f"hello 1 {kind} {name}")
        words = self._receive().split()
        if len(words) != 4 or words[:2] != ["welcome", "1"]:
            raise ConnectionError(f"ridgewatt: the controller says: {' '.join(words)}")
        self.batch = int(words[2])
        self.period_s = int(words[3]) / 1e6

    def count(self) -> bool:
        """From now on the controller counts the requests that arrived() reports. False: it is an
        older one that does not know how, and nothing has changed."""
        self._send("counting")
        return self._receive() == "counting"

    def arrived(self, count: int = 1, age_s: float = 0.0) -> None:
        """`count` requests came, `age_s` seconds ago."""
        self._send(f"arrived {count} {max(0.0, age_s) * 1e6:.0f}")

    def _send(self, line: str) -> None:
        try:
            self._socket.sendall(line.encode("ascii") + b"\n")
        except (BrokenPipeError, ConnectionResetError) as error:
            raise ControllerGone("ridgewatt: the controller is gone") from error

    def _receive(self) -> str:
        while b"\n" not in self._pending:
            try:
                data = self._socket.recv(256)
            except ConnectionResetError:
                data = b""
            if not data:
                raise ControllerGone("ridgewatt: the controller is gone")
            self._pending += data
        line, self._pending = self._pending.split(b"\n", 1)
        return line.decode("ascii", "replace")

    @contextlib.contextmanager
    def minibatch(self) -> "Iterator[Worker]":
        """Holds the device while the block runs."""
        self._send("ready")
        while True:
            words = self._receive().split()
            if words[0] == "grant":
                break
            if words[0] == "bye":
                raise ControllerGone("ridgewatt: the controller ended")
            if words[0] != "revoke":  # a late revoke belongs to a minibatch that has ended
                raise ConnectionError(f"ridgewatt: the controller says: {' '.join(words)}")
        self.deadline_s = int(words[2]) / 1e6
        # Of the minibatch, where they are counted: how many it is for, after how many that wait.
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
    """Holds the device while the block runs, as the worker that the environment names."""
    global _worker
    if _worker is None:
        _worker = Worker(os.environ.get("RIDGEWATT_KIND", "training"),
                         os.environ.get("RIDGEWATT_NAME", "python"))
    return _worker.minibatch()


# Of ridgewatt.measure() in this process: they hear the marks too.
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
    """A line that the report of `ridgewatt measure` and `study` repeats; at most 200 characters."""
    _tell("note " + " ".join(str(text).split())[:200])


def value(name: str, number: float) -> None:
    """A number of the program's own, under a name of one word: accuracy, loss."""
    if not name or len(name.split()) != 1:
        raise ValueError(f"ridgewatt: the name of a value is one word, not {name!r}")
    _tell(f"value {name} {float(number)!r}")


def mark() -> None:
    """A minibatch ended."""
    _mark("minibatch")
    for run in _hearing():
        run.mark()


def fetched() -> None:
    """The data of the minibatch has come."""
    _mark("fetched")
    for run in _hearing():
        run.fetched()


@contextlib.contextmanager
def phase(name: str) -> Iterator[None]:
    """A named part of the program: load, warm-up, infer."""
    _mark(f"begin {name}")
    try:
        with contextlib.ExitStack() as stack:
            for run in _hearing():
                stack.enter_context(run.phase(name))
            yield
    finally:
        _mark(f"end {name}")
