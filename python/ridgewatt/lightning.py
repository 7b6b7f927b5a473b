"""A Lightning callback that marks the minibatches of a training for a measurement.

    trainer = lightning.Trainer(callbacks=[ridgewatt.lightning.callback(run)])

It uses the documented hooks of Lightning's Callback: on_train_batch_start and on_train_batch_end,
on_train_epoch_start and on_train_epoch_end, on_validation_start and on_validation_end,
on_save_checkpoint, and on_exception. A step after a validation or a checkpoint is excluded, with
the name of the phase as the reason. It was run with Lightning 2.6 on an H100, before the hooks of
validation and checkpoints were added. The automatic tests use a replacement for the base class that calls the hooks in the
documented order, because Debian has no package of Lightning. callback() imports Lightning.
"""
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

    def on_validation_start(self, *_: object) -> None:
        self.aside_begins("validation")

    def on_validation_end(self, *_: object) -> None:
        self.aside_ended()

    def on_save_checkpoint(self, *_: object) -> None:
        self.aside_begins("checkpoint")  # there is no hook after the file is written

    def on_train_epoch_end(self, *_: object) -> None:
        self.epoch_ended()

    def on_exception(self, *_: object) -> None:
        self.epoch_ended()


def callback(run: Any, *, wait: Callable[[], object] | None = None) -> Any:
    """Returns a Lightning Callback that marks each training minibatch in `run` (a Run) with its
    fetch stall, and creates a window "epoch N" for each epoch. `wait` is a function that waits for
    the device before each mark; the default is ridgewatt.torch.synchronize. Raises ImportError if
    Lightning is not installed."""
    made = type("RidgewattCallback", (_Events, _base()), {"__doc__": callback.__doc__})
    return made(run, wait)
