"""A callback for the Trainer of Hugging Face Transformers that marks its training steps.

    trainer = Trainer(..., callbacks=[ridgewatt.transformers.callback(run)])

It uses the documented events of TrainerCallback: on_epoch_begin, on_step_begin, on_step_end,
on_prediction_step, on_evaluate, on_save, on_epoch_end and on_train_end. A step after an evaluation
or a checkpoint is excluded, with the name of the phase as the reason. It was run with Transformers
5.17 on an H100, before the events of evaluation and checkpoints were added. The automatic tests use
a replacement for the base class that calls the events in the documented order, because Debian has
no package of Transformers. callback() imports Transformers.

With gradient accumulation, a step consists of several forward and backward passes. The Trainer has
no event between them, so only the wait for the data of the first pass counts as fetch stall. The
waits for the data of the other passes count as compute time.
"""
import importlib
from collections.abc import Callable
from typing import Any

from . import torch as _torch

__all__ = ["callback"]


class _Events(_torch.TrainingMarks):
    def on_epoch_begin(self, args: object, state: Any, control: object, **_: object) -> None:
        # state.epoch is a float: 0.0 when the first epoch begins, None before the training.
        self.epoch_begins(int(state.epoch or 0))

    def on_step_begin(self, args: object, state: Any, control: object, **_: object) -> None:
        self.data_came()

    def on_step_end(self, args: object, state: Any, control: object, **_: object) -> None:
        self.step_ended()
        self._announced(control)

    def _announced(self, control: Any) -> None:
        """Begins the phase that the Trainer will start next according to `control`."""
        if getattr(control, "should_evaluate", False):
            self.aside_begins("evaluation")
        elif getattr(control, "should_save", False):
            self.aside_begins("checkpoint")

    # Events of an evaluation or a checkpoint that `control` did not announce.
    def on_prediction_step(self, args: object, state: Any, control: object, **_: object) -> None:
        self.aside_begins("evaluation")

    def on_evaluate(self, args: object, state: Any, control: object, **_: object) -> None:
        self.aside_begins("evaluation")

    def on_save(self, args: object, state: Any, control: object, **_: object) -> None:
        self.aside_begins("checkpoint")

    def on_epoch_end(self, args: object, state: Any, control: object, **_: object) -> None:
        self.epoch_ended()
        self._announced(control)

    def on_train_end(self, args: object, state: Any, control: object, **_: object) -> None:
        self.epoch_ended()


def callback(run: Any, *, wait: Callable[[], object] | None = None) -> Any:
    """Returns a TrainerCallback that marks each training step in `run` (a Run) with its fetch
    stall, and creates a window "epoch N" for each epoch. `wait` is a function that waits for the
    device before each mark; the default is ridgewatt.torch.synchronize. Raises ImportError if
    Transformers is not installed."""
    base = importlib.import_module("transformers").TrainerCallback  # the package of Hugging Face
    made = type("RidgewattCallback", (_Events, base), {"__doc__": callback.__doc__})
    return made(run, wait)
