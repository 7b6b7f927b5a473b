"""The original mode is restored, however the program ends."""
# label: board
import gc
import multiprocessing
import os
import signal
import subprocess
import unittest
import warnings

import ridgewatt as rw
from board_support import OnAFakeBoard

HOLD = """
import sys, time
import ridgewatt as rw
with rw.mode("MODE_30W", "fake:agx-orin"):
    print("held", flush=True)
    {body}
"""


class Held(OnAFakeBoard):
    device = "fake:agx-orin"

    def setUp(self):
        super().setUp()
        rw.Device(self.device)  # creates the files of the board
        self.first = self.content()

    def assert_held(self):
        self.assertEqual(rw.Device(self.device).state().preset, "MODE_30W")

    def test_a_block(self):
        before = rw.Device(self.device).state()
        with rw.mode("MODE_30W", self.device) as held:
            self.assert_held()
            self.assertEqual(held.applied, held.state().mode)
            held.check_safety()
        self.assertEqual(repr(rw.Device(self.device).state()), repr(before))
        self.assert_comes_back(self.first)

    def test_a_power_mode(self):
        device = rw.Device(self.device)
        levels = device.levels()
        wanted = rw.PowerMode(cpu_cores=4, cpu_clock_hz=levels["cpu_clock_hz"][3],
                              gpu_clock_hz=levels["gpu_clock_hz"][1])
        with rw.mode(wanted, self.device) as held:
            self.assertEqual(held.applied.cpu_cores, 4)
            self.assertEqual(held.applied.cpu_clock_hz, levels["cpu_clock_hz"][3])
            self.assertEqual(held.applied.gpu_clock_hz, levels["gpu_clock_hz"][1])
            self.assertTrue(device.state().gpu_fixed)
        self.assert_comes_back(self.first)

    def test_exceptions_and_exits(self):
        for raised in (ValueError("mine"), KeyboardInterrupt(), SystemExit(3)):
            with self.assertRaises(type(raised)):
                with rw.mode("MODE_30W", self.device):
                    self.assert_held()
                    raise raised
            self.assert_comes_back(self.first)

    def test_a_decorator_holds_at_every_call(self):
        @rw.mode("MODE_30W", self.device)
        def work(number):
            self.assert_held()
            return 2 * number
        for number in (1, 2):
            self.assertEqual(work(number), 2 * number)
            self.assert_comes_back(self.first)

    def test_without_a_block(self):
        held = rw.mode("MODE_30W", self.device).apply()
        self.assert_held()
        held.restore()
        held.restore()  # has no effect
        self.assert_comes_back(self.first)

    def test_it_is_held_although_nobody_keeps_the_object(self):
        rw.mode("MODE_30W", self.device).apply()
        gc.collect()
        self.assert_held()
        rw.restore_mode()
        rw.restore_mode()  # has no effect
        self.assert_comes_back(self.first)

    def test_a_clock_that_the_board_lacks_is_said(self):
        levels = rw.Device(self.device).levels()["gpu_clock_hz"]
        between = rw.PowerMode(gpu_clock_hz=0.4 * levels[1] + 0.6 * levels[2])
        with self.assertWarnsRegex(RuntimeWarning, "gpu = .* the nearest clock is used"):
            with rw.mode(between, self.device) as held:
                self.assertEqual(held.applied.gpu_clock_hz, levels[2])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with rw.mode(rw.PowerMode(gpu_clock_hz=levels[1]), self.device):
                pass

    def test_text_is_treated_as_a_mode(self):
        levels = rw.Device(self.device).levels()["gpu_clock_hz"]
        with rw.mode(f"gpu={levels[1] / 1e6}", self.device) as held:
            self.assertEqual(held.applied.gpu_clock_hz, levels[1])
        with self.assertWarnsRegex(RuntimeWarning, "gpu = .* the nearest clock is used"):
            with rw.mode(f"gpu={levels[1] / 1e6 + 1}", self.device):
                pass
        with self.assertRaisesRegex(rw.UsageError, "not a knob of a power mode"):
            rw.mode("gpuu=3", self.device).apply()

    def test_functions_that_run_later_are_refused(self):
        def generator():
            yield

        async def coroutine():
            pass
        for function in (generator, coroutine):
            for decorator in (rw.mode("MODE_30W", self.device), rw.measured):
                with self.assertRaisesRegex(rw.UsageError, "with block"):
                    decorator(function)

    def test_the_answer_of_a_twin_goes_to_a_named_board_alone(self):
        tuned = rw.tune("zoo:lenet5", device="orin-nano", batch=1)
        with self.assertRaisesRegex(rw.UsageError, "modelled"):
            tuned.apply()
        self.assert_comes_back(self.first)

    def test_one_at_a_time(self):
        with rw.mode("MODE_30W", self.device) as held:
            with self.assertRaisesRegex(rw.UsageError, "already"):
                held.apply()
            with self.assertRaisesRegex(rw.UsageError, "already"):
                with rw.mode("MODE_15W", self.device):
                    pass
            self.assert_held()
        self.assert_comes_back(self.first)

    def test_use_after_restore(self):
        with rw.mode("MODE_30W", self.device) as held:
            pass
        for use in (held.check_safety, held.state, lambda: held.applied, held.apply):
            with self.assertRaisesRegex(rw.UsageError, "the original mode was"):
                use()
        with self.assertRaisesRegex(rw.UsageError, "the mode is not set"):
            rw.mode("MODE_30W", self.device).state()

    def test_faults_leave_the_first_mode(self):
        for wanted, kind in (("MODE_NONE", rw.Error), (rw.PowerMode(cpu_cores=99), rw.UsageError),
                             (rw.PowerMode(gpu_clock_hz=1e10), rw.UsageError),
                             (rw.PowerMode(governor="none"), rw.UsageError)):
            with self.assertRaises(kind) as caught:
                with rw.mode(wanted, self.device):
                    pass
            self.assertNotIn("\n", str(caught.exception))
            self.assert_comes_back(self.first)
        for wanted in (None, 2.5, [], True):
            with self.assertRaises(rw.UsageError):
                rw.mode(wanted, self.device)

    def test_workers_that_are_forked_change_nothing(self):
        context = multiprocessing.get_context("fork")
        with rw.mode("MODE_30W", self.device) as held:
            worker = context.Process(target=held.restore)
            worker.start()
            worker.join(20)
            self.assertEqual(worker.exitcode, 0)
            self.assert_held()
        self.assert_comes_back(self.first)


class Ends(OnAFakeBoard):
    """Ways in which a whole program can end."""
    device = "fake:agx-orin"

    def setUp(self):
        super().setUp()
        rw.Device(self.device)
        self.first = self.content()

    def hold(self, body):
        process = self.python(HOLD.format(body=body))
        self.assertEqual(process.stdout.readline(), "held\n", process.poll())
        return process

    def test_kill_9(self):
        process = self.hold("time.sleep(60)")
        self.assertEqual(rw.Device(self.device).state().preset, "MODE_30W")
        process.send_signal(signal.SIGKILL)
        self.assertEqual(process.wait(20), -signal.SIGKILL)
        self.assert_comes_back(self.first)
        with rw.mode("MODE_30W", self.device):  # the lock is free
            pass

    def test_kill_9_while_workers_live(self):
        process = self.hold("import os; child = os.fork(); "
                            "print(child, flush=True) if child else None; time.sleep(60)")
        child = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        process.wait(20)
        self.assert_comes_back(self.first)
        os.kill(child, signal.SIGKILL)

    def test_ctrl_c_is_an_exception_as_ever(self):
        process = self.hold("""
    try:
        print("inside", flush=True)
        time.sleep(60)
    except KeyboardInterrupt:
        print("caught", flush=True)
        raise""")
        self.assertEqual(process.stdout.readline(), "inside\n")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.stdout.readline(), "caught\n")
        process.wait(20)
        self.assertIn("KeyboardInterrupt", process.stderr.read())
        self.assert_comes_back(self.first, 0)

    def test_terminate(self):
        process = self.hold("time.sleep(60)")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(20), -signal.SIGTERM)
        self.assert_comes_back(self.first, 0)  # the program ended after the mode was restored

    def test_exits(self):
        for body, status in (("sys.exit(3)", 3), ("import os; os._exit(4)", 4)):
            process = self.hold(body)
            self.assertEqual(process.wait(20), status)
            self.assert_comes_back(self.first)


class Reading(OnAFakeBoard):
    device = "fake:agx-orin"

    def test_what_the_command_line_says(self):
        import json
        device = rw.Device(self.device)
        program = os.environ["RIDGEWATT_PROGRAM"]

        def said(*words):
            found = subprocess.run([program, *words, "--device", self.device, "--format", "json"],
                                   capture_output=True, text=True, check=True)
            return json.loads(found.stdout)
        modes = said("mode", "list")
        self.assertEqual(list(device.presets()), [preset["name"] for preset in modes["presets"]])
        self.assertEqual(device.governors(), modes["governors"])
        self.assertEqual([hz / 1e6 for hz in device.levels()["gpu_clock_hz"]],
                         modes["knobs"]["gpu_mhz"])
        self.assertEqual(device.levels()["cpu_cores"], modes["knobs"]["cpu_cores"])
        state = device.state()
        self.assertEqual(state.preset, said("mode", "show")["preset"])
        sensors = said("sensors")
        sensors.pop("schema", None)
        self.assertEqual(set(device.sensors()), set(sensors))
        self.assertEqual(device.sensors()["total"], sensors["total"])
        self.assertEqual(device.provenance, "fake")

    def test_no_such_device(self):
        for name in ("fake:none", "remote", ""):
            with self.assertRaises(rw.Error):
                rw.Device(name)


if __name__ == "__main__":
    unittest.main()
