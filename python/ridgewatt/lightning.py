"""A Lightning callback that marks the minibatches of training, or measures it.

    trainer = lightning.Trainer(callbacks=[ridgewatt.lightning.callback(run)])

Written after Lightning's documented hooks (Callback.on_train_batch_start and .._end, on_train_epoch_
start and .._end, on_fit_end, on_exception). The tests have a stand-in for its base class that calls
them in the documented order, since Debian does not have Lightning; with Lightning 2.6 itself it was
run on an H100. Lightning is imported when callback() is called."""
import importlib
from collections.abc import Callable
from typing import Any

from . import torch as _torch

__all__ = ["callback"]


def _base() -> Any:
    try:
        return importlib.import_module("lightning.pytorch").Callback
    except ImportError:
        return importlib.import_module("pytorch_lightning").Callback


class _Events(_torch.TrainingMarks):
    def on_train_epoch_start(self, trainer: Any, *_: object) -> None:
        self.epoch_begins(trainer.current_epoch)

    def on_train_batch_start(self, *_: object) -> None:
        self.data_came()

    def on_train_batch_end(self, *_: object) -> None:
        self.step_ended()

    def on_train_epoch_end(self, *_: object) -> None:
        self.epoch_ended()

    def on_exception(self, *_: object) -> None:
        self.epoch_ended()


def callback(run: Any, *, wait: Callable[[], object] | None = None) -> Any:
    """A Lightning Callback that marks each training minibatch in `run` (a Run), with its fetch
    stall, and has a window "epoch N" for each epoch. wait: what waits for the device before a mark,
    ridgewatt.torch.synchronize by default. ImportError: Lightning is not here."""
    made = type("RidgewattCallback", (_Events, _base()), {"__doc__": callback.__doc__})
    return made(run, wait)
