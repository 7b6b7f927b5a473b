"""Loops of PyTorch, Lightning and Transformers, with replacements for packages that are not
installed."""
# label: slow
import sys
import time
import types
import unittest
from unittest import mock

import ridgewatt as rw
from board_support import OnAFakeBoard


class Loop(OnAFakeBoard):
    def test_without_torch_the_loop_is_marked(self):
        with mock.patch.dict(sys.modules):
            sys.modules.pop("torch", None)
            with rw.measure(self.device) as run:
                seen = list(rw.torch.minibatches(range(5), run))
        self.assertEqual(seen, [0, 1, 2, 3, 4])
        self.assertEqual(run.minibatch.count + run.minibatch.excluded, 4)
        self.assertIsNotNone(run.minibatch.fetch_stall_s)

    def test_the_device_is_waited_for_before_each_mark(self):
        order = []
        cuda = types.SimpleNamespace(is_available=lambda: True, is_initialized=lambda: True,
                                     synchronize=lambda: order.append("synchronize"))
        run = types.SimpleNamespace(fetched=lambda: order.append("fetched"),
                                    mark=lambda: order.append("mark"))
        with mock.patch.dict(sys.modules, torch=types.SimpleNamespace(cuda=cuda)):
            for batch in rw.torch.minibatches("ab", run):
                order.append(batch)
        self.assertEqual(order, ["fetched", "a", "synchronize", "mark",
                                 "fetched", "b", "synchronize", "mark"])

    def test_cuda_that_was_never_used_is_left_alone(self):
        cuda = types.SimpleNamespace(is_available=lambda: True, is_initialized=lambda: False)
        with mock.patch.dict(sys.modules, torch=types.SimpleNamespace(cuda=cuda)):
            rw.torch.synchronize()

    def test_without_a_run_marks_go_to_the_measuring_program(self):
        with mock.patch("ridgewatt.worker.mark") as mark:
            list(rw.torch.minibatches(range(3)))
        self.assertEqual(mark.call_count, 3)


class Callbacks(OnAFakeBoard):
    """The hooks are called in the order that the documentation of the frameworks states."""

    def test_lightning(self):
        base = type("Callback", (), {"on_fit_end": lambda self, trainer, module: "base"})
        modules = {"lightning": types.ModuleType("lightning"),
                   "lightning.pytorch": types.SimpleNamespace(Callback=base)}
        with mock.patch.dict(sys.modules, modules), rw.measure(self.device) as run:
            callback = rw.lightning.callback(run)
            self.assertIsInstance(callback, base)
            for epoch in range(2):
                trainer = types.SimpleNamespace(current_epoch=epoch)
                callback.on_train_epoch_start(trainer, None)
                for index in range(3):
                    time.sleep(0.02)
                    callback.on_train_batch_start(trainer, None, "batch", index)
                    time.sleep(0.02)
                    callback.on_train_batch_end(trainer, None, {}, "batch", index)
                callback.on_train_epoch_end(trainer, None)
            callback.on_exception(trainer, None, KeyError())  # no window is open: has no effect
        self.check(run)

    def test_transformers(self):
        base = type("TrainerCallback", (), {})
        with mock.patch.dict(sys.modules, transformers=types.SimpleNamespace(TrainerCallback=base)):
            with rw.measure(self.device) as run:
                callback = rw.transformers.callback(run)
                self.assertIsInstance(callback, base)
                for epoch in range(2):
                    given = (None, types.SimpleNamespace(epoch=float(epoch)), None)
                    callback.on_epoch_begin(*given, train_dataloader=None)
                    for _ in range(3):
                        time.sleep(0.02)
                        callback.on_step_begin(*given, train_dataloader=None)
                        time.sleep(0.02)
                        callback.on_step_end(*given, train_dataloader=None)
                    callback.on_epoch_end(*given, train_dataloader=None)
                callback.on_train_end(*given)
        self.check(run)

    def check_without(self, run, reason):
        """Steps of 20 ms whose data came at once: nothing else counts."""
        self.assertEqual([row.excluded for row in run].count(reason), 1)
        self.assertLess(run.stall_share, 0.3)
        self.assertLess(run.minibatch.time_s, 0.1)
        self.assertIn(reason, [phase.name for phase in run.phases])

    def test_lightning_validation_is_no_fetch_stall(self):
        modules = {"lightning": types.ModuleType("lightning"),
                   "lightning.pytorch": types.SimpleNamespace(Callback=type("Callback", (), {}))}
        for hooks, reason in ((("on_validation_start", "on_validation_end"), "validation"),
                              (("on_save_checkpoint",), "checkpoint")):
            with mock.patch.dict(sys.modules, modules), rw.measure(self.device) as run:
                callback = rw.lightning.callback(run)
                trainer = types.SimpleNamespace(current_epoch=0)
                callback.on_train_epoch_start(trainer, None)
                for index in range(6):
                    callback.on_train_batch_start(trainer, None, "batch", index)
                    time.sleep(0.02)
                    callback.on_train_batch_end(trainer, None, {}, "batch", index)
                    if index == 2:
                        getattr(callback, hooks[0])(trainer, None)
                        time.sleep(0.5)
                        for hook in hooks[1:]:
                            getattr(callback, hook)(trainer, None)
                callback.on_train_epoch_end(trainer, None)
            self.check_without(run, reason)

    def test_transformers_evaluation_is_no_fetch_stall(self):
        base = type("TrainerCallback", (), {})
        quiet = types.SimpleNamespace(should_evaluate=False, should_save=False)
        for flag, event, reason in (("should_evaluate", "on_evaluate", "evaluation"),
                                    ("should_save", "on_save", "checkpoint"),
                                    ("unannounced", "on_evaluate", "evaluation")):
            due = types.SimpleNamespace(**{"should_evaluate": False, "should_save": False, flag: True})
            with mock.patch.dict(sys.modules, transformers=types.SimpleNamespace(TrainerCallback=base)):
                with rw.measure(self.device) as run:
                    callback = rw.transformers.callback(run)
                    state = types.SimpleNamespace(epoch=0.0)
                    callback.on_epoch_begin(None, state, quiet)
                    for index in range(6):
                        callback.on_step_begin(None, state, quiet)
                        time.sleep(0.02)
                        callback.on_step_end(None, state, due if index == 2 else quiet)
                        if index == 2:
                            time.sleep(0.5)
                            getattr(callback, event)(None, state, quiet)
                    callback.on_epoch_end(None, state, quiet)
                    callback.on_train_end(None, state, quiet)
            self.check_without(run, reason)

    def check(self, run):
        self.assertEqual([window.name for window in run.windows], ["epoch 0", "epoch 1"])
        self.assertEqual(run.minibatch.count + run.minibatch.excluded, 5)
        self.assertGreaterEqual(run.stall_share, 0.02 / run.minibatch.time_s)
        self.assertLessEqual(run.stall_share, 1 - 0.02 / run.minibatch.time_s)

    def test_a_framework_that_is_not_here_is_said(self):
        for module in (rw.lightning, rw.transformers):
            with mock.patch.dict(sys.modules, {"lightning": None, "pytorch_lightning": None,
                                               "transformers": None}):
                with self.assertRaises(ImportError):
                    module.callback(None)


if __name__ == "__main__":
    unittest.main()
