"""Ctrl+C ends every call that can take long. Not by a clock of the wall: the work (processor time) that a call does
after the signal is a part of what it does alone."""
# label: slow
import json
import subprocess
import sys
import unittest

PROGRAM = r"""
import json, os, signal, sys, threading, time
import ridgewatt as rw

signal.signal(signal.SIGINT, signal.default_int_handler)
modes = dict(device="agx-orin", modes="all")
model = rw.Model("zoo:resnet50")
batches = list(range(1, 17))


def samples():
    some = list(rw.estimate("zoo:resnet18", device="orin-nano", modes="all"))[::90]
    return rw.Sweep({"time_s": [row.time_s for row in some], "power_w": [row.power_w for row in some],
                     "batch": [row.batch for row in some],
                     "cpu_clock_hz": [row.mode.cpu_clock_hz for row in some],
                     "gpu_clock_hz": [row.mode.gpu_clock_hz for row in some]})


few = samples() if sys.argv[1] == "predict" else None
CALLS = {
    "estimate": lambda: rw.estimate(model, batch=batches, **modes),
    "estimate all boards": lambda: rw.estimate(model, device="all", modes="all", batch=[1, 16]),
    "estimate all runtimes": lambda: rw.estimate(model, runtime="all", batch=[1, 16], **modes),
    "tune": lambda: rw.tune(model, device="all", max_power_w=30, batch=batches),
    "roofline": lambda: rw.roofline(model, batch=16, **modes),
    "predict": lambda: rw.predict(few, device="orin-nano", method="nn", keep_outliers=True),
}


def used():
    return time.process_time()

call = CALLS[sys.argv[1]]
before = used()
call()
whole_s = used() - before
state = {}

def interrupt(after_s):
    begun = used()
    while used() - begun < after_s:
        time.sleep(0.001)
    state["signal"] = used()
    os.kill(os.getpid(), signal.SIGINT)

ended = "without a signal"
for _ in range(5):
    try:
        threading.Thread(target=interrupt, args=(0.2 * whole_s,), daemon=True).start()
        call()
    except KeyboardInterrupt:
        ended = "interrupted"
        break
print(json.dumps({"ended": ended, "whole_s": whole_s, "after_s": used() - state["signal"]}))
"""

LEAST_S = 0.3  # shorter calls end by themselves before anybody presses a key


class Interrupt(unittest.TestCase):
    def test_ctrl_c_ends_every_long_call(self):
        measured = 0
        for name in ("estimate", "estimate all boards", "estimate all runtimes", "tune", "roofline", "predict"):
            with self.subTest(name):
                done = subprocess.run([sys.executable, "-c", PROGRAM, name], check=False, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 0, done.stderr)
                seen = json.loads(done.stdout)
                if seen["whole_s"] < LEAST_S:
                    continue
                measured += 1
                self.assertEqual(seen["ended"], "interrupted", seen)
                # 0.8 of the work is left at the signal.
                self.assertLess(seen["after_s"], 0.4 * seen["whole_s"] + 0.2, seen)
        if not measured:
            self.skipTest("skipped: every call ends within 0.3 s of processor time")


if __name__ == "__main__":
    unittest.main()
