"""Tuning a Python program while it runs, on a fake board. The duration of a minibatch depends on
the clocks."""
# label: board
import gc
import os
import signal
import sqlite3
import time
import unittest

import ridgewatt as rw
from board_support import OnAFakeBoard

QUICK = dict(profiles=4, window_precision=0.1, longest_window_s=0.5, reference_every=0, seed=1)


class InPlaceHere(OnAFakeBoard):
    def setUp(self):
        super().setUp()
        self.board = rw.Device(self.device)
        self.first = self.content()
        self.store = str(self.folder / "tune.db")
        self.top_hz = self.board.state().mode.gpu_clock_hz or 1e9

    def tuning(self, **options):
        asked = dict(device=self.device, store=self.store, minimize="time", **QUICK)
        return rw.live.in_place(**{**asked, **options})

    def step(self):
        """Runs a minibatch, whose duration depends on the current GPU clock."""
        time.sleep(0.004 * self.top_hz / self.board.state().mode.gpu_clock_hz)

    def until_found(self, tuning, mark, within_s=60):
        end = time.monotonic() + within_s
        while tuning.found is None and time.monotonic() < end:
            self.step()
            mark()


class InPlace(InPlaceHere):
    def test_a_loop_is_tuned_while_it_runs(self):
        with self.tuning() as tuning:
            self.assertIsNone(tuning.found)
            self.until_found(tuning, tuning.mark)
            best = tuning.found
            self.assertTrue(best)
            for _ in range(20):  # the program continues in the best mode
                self.step()
                tuning.mark()
            self.assertEqual(self.board.state().mode.gpu_clock_hz, best.best.mode.gpu_clock_hz)
        self.assert_comes_back(self.first)
        tuned = tuning.tuned
        self.assertEqual(tuned.provenance, "fake")
        self.assertEqual(tuned.best.mode, best.best.mode)
        self.assertLessEqual(len(tuned.profiled), 5)  # and the answer, measured again
        self.assertIn(tuned.best.time_s, [step.time_s for step in tuned.profiled])
        report = tuning.report["in_place"]
        self.assertGreater(report["minibatches_trained"], 20)
        with sqlite3.connect(self.store) as store:
            self.assertGreaterEqual(store.execute("SELECT COUNT(*) FROM point").fetchone()[0], 4)
        tuning.mark()  # has no effect
        with self.assertRaises(rw.UsageError):
            tuning.begin()

    def test_it_hears_the_marks_of_the_program(self):
        with self.tuning(profiles=2) as tuning:
            self.until_found(tuning, rw.mark)
            self.assertIsNotNone(tuning.found)
        self.assert_comes_back(self.first)

    def test_minibatches_of_a_loader_and_other_threads(self):
        with self.tuning(profiles=2) as tuning:
            for number in tuning.minibatches(range(100000)):
                self.step()
                if tuning.found is not None:
                    break
        self.assertLess(number, 99999)
        self.assertTrue(tuning.tuned)

    def test_what_the_block_raises_goes_on_and_the_mode_comes_back(self):
        with self.assertRaises(KeyError):
            with self.tuning() as tuning:
                for _ in range(3):
                    self.step()
                    tuning.mark()
                raise KeyError("enough")
        self.assert_comes_back(self.first)

    def test_a_block_without_marks_says_so(self):
        with self.assertRaises(rw.Error):
            with self.tuning():
                time.sleep(0.05)
        self.assert_comes_back(self.first)
        tuning = self.tuning().begin()  # a search that is dropped restores the mode too
        del tuning
        gc.collect()
        self.assert_comes_back(self.first)

    def test_faults(self):
        for options, line in ((dict(batch=[1, 2]), "one batch"), (dict(nonsense=1), "nonsense"),
                              (dict(settle_s=1), "settle_s"), (dict(guard_s=-1), "guard_s"),
                              (dict(max_power_w=-1), "max_power_w")):
            with self.assertRaises((rw.UsageError, TypeError)) as caught:
                self.tuning(**options)
            self.assertIn(line, str(caught.exception))
        with self.assertRaises(rw.Error):
            with self.tuning(device="fake:none"):
                self.fail("there is no such board")
        with self.assertRaises(rw.UsageError):
            self.tuning().end()
        with self.assertRaises(rw.UsageError):
            self.tuning().tuned
        self.assert_comes_back(self.first)

    def test_a_child_has_no_part_in_it(self):
        with self.tuning() as tuning:
            child = os.fork()
            if child == 0:
                tuning.mark()
                os._exit(tuning.hears)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.until_found(tuning, tuning.mark)
        self.assertTrue(tuning.tuned)


PROGRAM = """
import time
import ridgewatt as rw
board = rw.Device({device!r})
with rw.live.in_place(device={device!r}, store={store!r}, minimize="time") as tuning:
    print("runs", flush=True)
    while True:
        time.sleep(0.005)
        tuning.mark()
"""


class Signals(InPlaceHere):
    def killed_by(self, number):
        process = self.python(PROGRAM.format(device=self.device, store=self.store))
        self.assertEqual(process.stdout.readline(), "runs\n")
        end = time.monotonic() + 20
        while self.content() == self.first and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.3)
        process.send_signal(number)
        status = process.wait(20)
        self.assert_comes_back(self.first)
        return status

    def test_ctrl_c(self):
        self.assertEqual(self.killed_by(signal.SIGINT), -signal.SIGINT)

    def test_sigkill(self):
        self.assertEqual(self.killed_by(signal.SIGKILL), -signal.SIGKILL)


if __name__ == "__main__":
    unittest.main()
