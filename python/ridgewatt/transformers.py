"""A callback of Hugging Face's Trainer that marks its training steps.

    trainer = Trainer(..., callbacks=[ridgewatt.transformers.callback(run)])

Written after the documented events of TrainerCallback (on_epoch_begin, on_step_begin, on_step_end,
on_epoch_end, on_train_end, each called with args, state, control and keyword arguments). The tests
have a stand-in for its base class that calls them in the documented order, since Debian does not
have Transformers; with Transformers 5.17 itself it was run on an H100. Transformers is imported when
callback() is called.

With gradient accumulation a step is several forward and backward passes; the wait for all of their
data but the first counts as compute, since the Trainer has no event between them."""
import importlib
from collections.abc import Callable
from typing import Any

from . import torch as _torch

__all__ = ["callback"]


class _Events(_torch.TrainingMarks):
    def on_epoch_begin(self, args: object, state: Any, control: object, **_: object) -> None:
        # state.epoch is a float: 0.0 when the first begins, and None before training.
        self.epoch_begins(int(state.epoch or 0))

    def on_step_begin(self, args: object, state: Any, control: object, **_: object) -> None:
        self.data_came()

    def on_step_end(self, args: object, state: Any, control: object, **_: object) -> None:
        self.step_ended()

    def on_epoch_end(self, args: object, state: Any, control: object, **_: object) -> None:
        self.epoch_ended()

    def on_train_end(self, args: object, state: Any, control: object, **_: object) -> None:
        self.epoch_ended()


def callback(run: Any, *, wait: Callable[[], object] | None = None) -> Any:
    """A TrainerCallback that marks each training step in `run` (a Run), with its fetch stall, and
    has a window "epoch N" for each epoch. wait: what waits for the device before a mark,
    ridgewatt.torch.synchronize by default. ImportError: Transformers is not here."""
    base = importlib.import_module("transformers").TrainerCallback  # of the package
    made = type("RidgewattCallback", (_Events, base), {"__doc__": callback.__doc__})
    return made(run, wait)
