"""The loop over a DataLoader, measured. PyTorch is not imported by this module: what it needs of it
is taken from the program's own, and without it the loop is marked all the same.

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
    """Waits until the device of the program's PyTorch is idle: CUDA, where it was initialized.
    Nothing happens without it."""
    torch = sys.modules.get("torch")  # a program that computes with it has imported it
    cuda = getattr(torch, "cuda", None)
    if cuda is not None and cuda.is_available() and cuda.is_initialized():
        cuda.synchronize()


def minibatches(loader: Iterable[Item], run: Any = None, *,
                wait: Callable[[], object] | None = None) -> Iterator[Item]:
    """What the loader yields. Before the next one is fetched the device is waited for and the
    minibatch marked, so that its time is that of its work, and the wait for data its fetch stall.

    run: a Run; without it marks go to the program that measures this one (`ridgewatt measure -- ..`),
    if there is one. wait: what waits for the device, synchronize() by default. A loop that is left
    by `break` or an exception leaves its last minibatch unmarked."""
    if run is None:
        from . import worker as run
    wait = wait or synchronize
    for batch in loader:
        run.fetched()
        yield batch
        wait()
        run.mark()


class TrainingMarks:
    """What the callbacks of training frameworks do: a window "epoch N" for each epoch, in it a
    minibatch for each step, marked once the device is idle."""

    def __init__(self, run: Any, wait: Callable[[], object] | None = None) -> None:
        self._run = run
        self._wait = wait or synchronize
        self._epoch: Any = None

    def epoch_begins(self, number: int) -> None:
        """Epoch `number` begins; the one before has ended."""
        self._epoch = self._run.begin_window(f"epoch {number}")

    def data_came(self) -> None:
        """The data of a step have come: what passed since the last step was fetch stall."""
        self._run.fetched()

    def step_ended(self) -> None:
        """A step ended: waits for the device and marks."""
        self._wait()
        self._run.mark()

    def epoch_ended(self) -> None:
        """The epoch ended, or training; nothing happens where none is open."""
        epoch, self._epoch = self._epoch, None
        if epoch is not None:
            epoch.end()
