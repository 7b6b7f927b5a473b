"""Measuring inside a Python program, on fake boards with constant power."""
# label: board
import contextlib
import json
import math
import multiprocessing
import os
import random
import subprocess
import threading
import time
import unittest
import warnings
from unittest import mock

import ridgewatt as rw
from board_support import OnAFakeBoard
from test_fuzz import values


class AConstantPower(OnAFakeBoard):
    """An idle fake board has a constant power, so energy is power times time."""

    def measure(self, **options):
        return rw.measure(self.device, **options)

    def test_energy_is_power_times_time(self):
        with self.measure(idle_s=1) as run:
            time.sleep(0.3)
        self.assertEqual(run.provenance, "fake")
        self.assertGreaterEqual(run.time_s, 0.3)
        self.assertAlmostEqual(run.energy_j, run.mean_power_w * run.time_s, 9)
        self.assertAlmostEqual(run.mean_power_w, run.peak_power_w, 6)
        self.assertAlmostEqual(run.idle_w, run.mean_power_w, 6)
        self.assertLess(run.energy_error_j, 1e-6)
        total = sum(rail.energy_j for rail in run.rails if rail.in_total)
        self.assertAlmostEqual(total, run.energy_j, 9)
        self.assertIsNone(run.stall_share)

    def test_windows_nest_and_are_known_during_the_run(self):
        with self.measure() as run:
            with run.window("outer") as outer:
                with run.window("inner") as inner:
                    time.sleep(0.1)
                self.assertTrue(inner.ended)
                self.assertFalse(outer.ended)
                self.assertGreater(outer.energy_j, 0)
                time.sleep(0.1)
            so_far = run.so_far()
        self.assertEqual([window.name for window in run.windows], ["inner", "outer"])
        for window in (inner, outer, so_far, *run.windows):
            self.assertAlmostEqual(window.energy_j, run.mean_power_w * window.time_s, 6)
        self.assertGreaterEqual(outer.time_s, inner.time_s + 0.1)
        self.assertLessEqual(outer.time_s, run.time_s)

    def test_minibatches_of_a_loader(self):
        def loader():
            for number in range(6):
                time.sleep(0.03)  # the fetch stall
                yield number
        with self.measure() as run:
            seen = []
            for number in run.minibatches(loader()):
                time.sleep(0.01)
                seen.append(number)
        self.assertEqual(seen, list(range(6)))
        self.assertEqual(run.minibatch.count + run.minibatch.excluded, 5)  # first: warm-up
        self.assertGreaterEqual(run.stall_share, 0.03 / run.minibatch.time_s)
        self.assertLessEqual(run.stall_share, 1 - 0.01 / run.minibatch.time_s)
        self.assertEqual(len(run), 5)
        for minibatch in run:
            self.assertGreaterEqual(minibatch.time_s, 0.04)
            self.assertGreaterEqual(minibatch.fetch_stall_s, 0.03)
            self.assertAlmostEqual(minibatch.energy_j, run.mean_power_w * minibatch.time_s, 6)
        self.assertAlmostEqual(run.minibatch.time_s, sum(m.time_s for m in run) / 5, 9)
        self.assertEqual(len(run.to_frame()["time_s"]), 5)

    def test_phases_as_blocks_and_decorators(self):
        with self.measure() as run:
            @run.phase("work")
            def work():
                time.sleep(0.02)
            with run.phase("load"):
                time.sleep(0.05)
            work()
            work()
        self.assertEqual([phase.name for phase in run.phases], ["load", "work", "work"])
        self.assertGreaterEqual(run.phases[0].time_s, 0.05)
        self.assertAlmostEqual(run.phases[0].energy_j, run.mean_power_w * run.phases[0].time_s, 6)

    def test_to_dict_has_the_keys_of_the_command(self):
        with self.measure(idle_s=0.1) as run:
            for _ in range(4):
                time.sleep(0.01)
                run.mark()
        script = "for i in 1 2 3 4; do sleep 0.01; echo minibatch >&$RIDGEWATT_MARK_FD; done"
        program = os.environ["RIDGEWATT_PROGRAM"]
        found = subprocess.run([program, "measure", "--device", self.device, "--idle", "0.1",
                                "--format", "json", "--", "/bin/sh", "-c", script],
                               capture_output=True, text=True, check=True)
        command = json.loads(found.stdout)

        def keys(value):
            if isinstance(value, dict):
                return {key: keys(part) for key, part in value.items() if key != "excluded_causes"}
            return [keys(part) for part in value[:1]] if isinstance(value, list) else None
        mine = run.to_dict()
        self.assertEqual(keys(mine), keys(command))
        self.assertEqual(mine["power"]["energy_j"], run.energy_j)
        self.assertEqual(mine["time_ms"], run.time_s * 1e3)
        self.assertIn("python", mine["command"][0])

    def test_an_exception_is_measured_until_there_and_goes_on(self):
        with self.assertRaisesRegex(KeyError, "mine"):
            with self.measure() as run:
                with run.window("half"):
                    time.sleep(0.05)
                    raise KeyError("mine")
        self.assertEqual(run.status, 1)
        self.assertGreaterEqual(run.time_s, 0.05)
        self.assertEqual(run.windows[0].name, "half")

    def test_power_over_time(self):
        with self.measure(idle_s=1, rate_hz=200) as run:
            while run.so_far().time_s < 0.2:
                time.sleep(0.05)
        times, powers = run.power()["total"]
        self.assertEqual(times.shape, powers.shape)
        self.assertLess(times[0], 0)  # the idle baseline
        self.assertGreater(len(times), 2)
        self.assertTrue(all(math.isclose(power, run.mean_power_w) for power in powers))

    def test_plot_shows_power_and_phases(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is not here")
        matplotlib.use("Agg")
        with self.measure() as run:
            with run.phase("work"):
                time.sleep(0.1)
        axes = run.plot()
        self.assertEqual({line.get_label() for line in axes.get_lines()}, set(run.power()))
        self.assertEqual([text.get_text() for text in axes.texts], ["work"])

    def test_decorator(self):
        @rw.measured(device=self.device)
        def double(number):
            """Twice."""
            return 2 * number
        self.assertIsNone(double.run)
        self.assertEqual(double(21), 42)
        self.assertEqual(double.__doc__, "Twice.")
        self.assertEqual(double.run.provenance, "fake")

    def test_marks_of_the_program_are_heard(self):
        """Marks for `ridgewatt measure` also reach the program's own measurement."""
        with self.measure() as run:
            with rw.phase("load"):
                rw.fetched()
            for _ in range(4):
                rw.mark()
        rw.mark()  # has no effect
        self.assertEqual(run.minibatch.count, 3)  # the first mark ends no minibatch
        self.assertEqual([phase.name for phase in run.phases], ["load"])

    def test_threads_mark_at_once(self):
        with self.measure() as run:
            def work():
                for _ in range(100):
                    with run.window("w"):
                        run.mark()
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(len(run.windows), 400)


class Faults(OnAFakeBoard):
    def test_use_before_and_after(self):
        run = rw.measure(self.device)
        for use in (run.mark, run.fetched, run.so_far, run.end, lambda: run.measurement,
                    lambda: run.energy_j):
            with self.assertRaisesRegex(rw.UsageError, "^the measurement was not started$"):
                use()
        with run:
            with self.assertRaisesRegex(rw.UsageError, "still running"):
                run.energy_j
        for use in (run.mark, run.fetched, run.so_far, run.end, lambda: run.begin_window("late")):
            with self.assertRaisesRegex(rw.UsageError, "^the measurement has already ended$"):
                use()
        with self.assertRaisesRegex(rw.UsageError, "already started"):
            with run:
                pass
        with self.assertRaises(AttributeError):
            run.nonsense

    def test_wrong_arguments(self):
        for options in (dict(rate_hz=0), dict(rate_hz=float("nan")), dict(rate_hz="fast"),
                        dict(idle_s=-1), dict(warm_up=0), dict(device=""), dict(device="nowhere"),
                        dict(meter_is_total=True), dict(series_rate_hz=1e9)):
            with self.assertRaises(rw.Error, msg=options) as caught:
                with rw.measure(**{"device": self.device, **options}):
                    pass
            self.assertNotIn("\n", str(caught.exception))

    def test_the_end_of_a_window_comes_once(self):
        with rw.measure(self.device) as run:
            window = run.begin_window("w")
            window.end()
            with self.assertRaisesRegex(rw.UsageError, "has ended"):
                window.end()


class Fuzz(OnAFakeBoard):
    """Values that programs pass by mistake raise one clear error, or have a meaning."""

    def call(self, chance):
        names = ["rate_hz", "idle_s", "meter", "meter_is_total", "warm_up", "series_rate_hz",
                 "sysroot", "device"]
        asked = {"device": self.device, chance.choice(names): values(chance)}
        asked[chance.choice(names)] = values(chance)
        run = rw.measure(**asked)
        if chance.random() < 0.2:
            run.begin()
        with contextlib.suppress(AttributeError):
            chance.choice([run.mark, run.so_far, run.end, lambda: run.begin_window(values(chance)),
                           lambda: run.energy_j, lambda: run[values(chance)],
                           lambda: rw.mode(values(chance), values(chance)).apply().restore(),
                           lambda: rw.Device(values(chance)).levels(),
                           lambda: rw.tune(values(chance), device=self.device,
                                           profiles=values(chance), store="/dev/null/none")])()

    def test_three_hundred_calls(self):
        chance = random.Random(20)
        answered = 0
        with mock.patch("time.sleep"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for number in range(300):
                try:
                    self.call(chance)
                    answered += 1
                except rw.Error as error:
                    self.assertNotIn("\n", str(error), number)
                except (TypeError, OverflowError, UnicodeError, IndexError):
                    pass  # raised by Python: an index that is not a number
        self.assertLess(answered, 300)


class WithoutPower(OnAFakeBoard):
    def test_times_alone_said_once(self):
        nothing = str(self.folder)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for _ in range(2):
                with rw.measure(sysroot=nothing) as run:
                    with run.window("w"):
                        run.mark()
        self.assertEqual([str(w.message)[:30] for w in said], ["ridgewatt: times alone are mea"])
        self.assertIsNone(run.energy_j)
        self.assertIsNone(run.windows[0].energy_j)
        self.assertGreater(run.time_s, 0)
        self.assertEqual(run.rails, [])
        self.assertIn("none: ", run.source)


def _worker(run, answers):
    try:
        run.mark()
    except rw.UsageError as error:
        answers.put(str(error))


class Forks(OnAFakeBoard):
    def test_workers_have_no_part_in_it(self):
        context = multiprocessing.get_context("fork")
        with rw.measure(self.device) as run:
            answers = context.Queue()
            workers = [context.Process(target=_worker, args=(run, answers)) for _ in range(3)]
            for worker in workers:
                worker.start()
            said = [answers.get(timeout=20) for _ in workers]
            for worker in workers:
                worker.join(20)
            self.assertEqual([worker.exitcode for worker in workers], [0, 0, 0])
            run.mark()
        self.assertEqual(set(said), {"a forked process cannot use the measurement of its parent process"})
        self.assertGreater(run.energy_j, 0)

    def test_a_fork_that_leaves_the_block_ends_alone(self):
        with rw.measure(self.device) as run:
            child = os.fork()
            if child == 0:
                try:
                    with run.phase("never"):
                        pass
                except rw.UsageError:
                    pass
                run.__exit__(None, None, None)  # as sys.exit would
                os._exit(7)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)
            time.sleep(0.05)
        self.assertGreater(run.energy_j, 0)


if __name__ == "__main__":
    unittest.main()
