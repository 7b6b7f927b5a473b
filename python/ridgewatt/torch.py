"""Measures the loop over a PyTorch DataLoader. This module does not import PyTorch. It uses the
PyTorch that the program has imported; without one, it only marks the minibatches.

    with ridgewatt.measure() as run:
        for inputs, labels in ridgewatt.torch.minibatches(loader, run):
            train(inputs.cuda(), labels.cuda())
"""
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

__all__ = ["minibatches", "synchronize"]

Item = TypeVar("Item")


def synchronize() -> None:
    """Waits until the CUDA device is idle. Does nothing if the program has not imported PyTorch or
    has not initialized CUDA."""
    # Does not import PyTorch, because a program that uses PyTorch has already imported it.
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    if cuda is not None and cuda.is_available() and cuda.is_initialized():
        cuda.synchronize()


def minibatches(loader: Iterable[Item], run: Any = None, *,
                wait: Callable[[], object] | None = None) -> Iterator[Item]:
    """Yields the items of the loader. After each loop body, waits for the device and marks the
    minibatch, before the next item is fetched. The time of a minibatch therefore includes all its
    work on the device, and the wait for data is its fetch stall.

    `run` is a Run. Without it, the marks go to the program that measures this one (`ridgewatt
    measure -- ..`), if there is one, and to every Run of this process. `wait` is a function that
    waits for the device; the default is synchronize(). If the loop ends by `break` or an exception,
    its last minibatch is not marked.
    """
    if run is None:
        from . import worker as run
    wait = wait or synchronize
    for batch in loader:
        run.fetched()
        yield batch
        wait()
        run.mark()


class TrainingMarks:
    """Base of the callbacks for training frameworks. Creates a window "epoch N" for each epoch, and
    marks each training step as a minibatch after the device has become idle. A step before which a
    validation, an evaluation or a checkpoint was made is excluded, because its time contains
    them."""

    def __init__(self, run: Any, wait: Callable[[], object] | None = None) -> None:
        self._run = run
        self._wait = wait or synchronize
        self._epoch: Any = None
        self._aside: Any = None

    def epoch_begins(self, number: int) -> None:
        """Begins the window of epoch `number`. The window of the previous epoch must have ended."""
        self._epoch = self._run.begin_window(f"epoch {number}")

    def aside_begins(self, name: str) -> None:
        """Begins a phase that is no part of a step: "validation", "evaluation" or "checkpoint".
        Does nothing if one is open. The next step is excluded."""
        if self._aside is None:
            self._aside = self._run.phase(name)
            self._aside.__enter__()

    def aside_ended(self) -> None:
        """Ends the phase that is no part of a step. Does nothing if none is open."""
        aside, self._aside = self._aside, None
        if aside is not None:
            aside.__exit__(None, None, None)

    def data_came(self) -> None:
        """Marks that the data of a step has arrived. The time since the last step counts as fetch
        stall."""
        self.aside_ended()
        self._run.fetched()

    def step_ended(self) -> None:
        """Waits for the device and marks the end of a step."""
        self._wait()
        self._run.mark()

    def epoch_ended(self) -> None:
        """Ends the window of the epoch. Does nothing if no window is open."""
        self.aside_ended()
        epoch, self._epoch = self._epoch, None
        if epoch is not None:
            epoch.end()
