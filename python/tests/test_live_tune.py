"""Tuning a program on a fake board, from inside Python."""
# label: board
import os
import shlex
import signal
import sqlite3
import time
import unittest

import ridgewatt as rw
from board_support import OnAFakeBoard

PROGRAM = os.environ["RIDGEWATT_PROGRAM"]
RUN = f"{shlex.quote(PROGRAM)} fake-run zoo:mobilenet_v2 --batch 4 --quiet --speed 20 " \
      "--minibatches 1000000000 --device "
QUICK = dict(settle_s=0, idle_s=0, window=8, profiles=4, seed=1)


class TunedHere(OnAFakeBoard):
    device = "fake:agx-orin"

    def setUp(self):
        super().setUp()
        rw.Device(self.device)
        self.first = self.content()
        self.store = str(self.folder / "tune.db")

    def points(self):
        with sqlite3.connect(self.store) as store:
            return store.execute("SELECT COUNT(*) FROM point").fetchone()[0]

    def tune(self, **options):
        asked = dict(device=self.device, store=self.store, max_power_w=60, **QUICK)
        return rw.tune(RUN + self.device, **{**asked, **options})


class Live(TunedHere):
    def test_profiles_and_applies(self):
        seen = []
        best = self.tune(progress=lambda label, done, total: seen.append((label, done, total)))
        self.assertTrue(best.feasible)
        self.assertEqual(best.provenance, "fake")
        self.assertEqual(best.device, self.device)
        self.assertLessEqual(best.best.power_w, 60)
        self.assertEqual(len(best.profiled), self.points())
        self.assertLessEqual(len(best.profiled), 4)
        self.assertEqual(min(step.time_s for step in best.profiled if step.feasible),
                         best.best.time_s)
        self.assertEqual(seen[0][1:], (0, 4))  # done and total
        done = [step[1] for step in seen]  # at most one call every 50 ms
        self.assertEqual(done, sorted(set(done)))
        self.assertLess(done[-1], len(best.profiled))
        self.assert_comes_back(self.first)
        with best.apply() as held:
            self.assertEqual(held.applied, best.best.mode)
            self.assertEqual(rw.Device(self.device).state().mode.gpu_clock_hz,
                             best.best.mode.gpu_clock_hz)
        self.assert_comes_back(self.first)

    def test_what_progress_raises_ends_it(self):
        def stop(label, done, total):
            if done >= 2:
                raise KeyError(f"{done} are enough")
        with self.assertRaisesRegex(KeyError, "are enough") as ended:
            self.tune(progress=stop)
        self.assertEqual(f"{self.points()} are enough", ended.exception.args[0])  # complete points
        self.assert_comes_back(self.first)
        self.assertTrue(self.tune().feasible)  # the next search uses these points
        self.assert_comes_back(self.first)

    def test_faults(self):
        for options, line in ((dict(batch=[1, 2]), "never receives the batch size"),
                              (dict(max_power_w=-1), "max_power_w"),
                              (dict(governors=["none"]), "no such governor"),
                              (dict(nonsense=1), "nonsense")):
            with self.assertRaises((rw.UsageError, TypeError)) as caught:
                self.tune(**options)
            self.assertIn(line, str(caught.exception))
        with self.assertRaises(rw.Error):
            rw.tune("false", device=self.device, store=self.store, **QUICK)
        self.assert_comes_back(self.first)


class CtrlC(TunedHere):
    def test_the_program_ends_and_the_mode_comes_back(self):
        options = {**QUICK, "window": 1000000, "device": self.device, "store": self.store}
        process = self.python(f"""
import ridgewatt as rw
try:
    rw.tune({RUN + self.device!r}, **{options!r})
except KeyboardInterrupt:
    print("stopped", flush=True)
""")
        end = time.monotonic() + 100  # waits until the program runs
        while self.running(process.pid) == 0 and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(self.running(process.pid), 1)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.stdout.readline(), "stopped\n", process.stderr)
        self.assertLess(time.monotonic() - begin, 12)
        self.assertEqual(process.wait(20), 0)
        self.assertEqual(self.running(process.pid), 0)
        self.assert_comes_back(self.first)
        if os.path.exists(self.store):
            self.assertEqual(self.points(), 0)

    @staticmethod
    def running(parent):
        """Returns the child processes that already run the workload."""
        count = 0
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/comm") as file:
                    run = file.read() == os.path.basename(PROGRAM) + "\n"
                with open(f"/proc/{number}/stat") as file:
                    count += run and int(file.read().rpartition(")")[2].split()[1]) == parent
            except OSError:
                pass
        return count


if __name__ == "__main__":
    unittest.main()
