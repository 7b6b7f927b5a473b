"""A thousand calls with wrong shapes, types, NaN, units and closed handles. Each call returns an
answer or raises an error of one line; none crashes.

To run it under AddressSanitizer, create a separate build, which takes about 20 minutes. Python
itself is not instrumented, so the runtime is preloaded and leaks are not reported:

    cmake -S . -B /tmp/asan -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \\
          -DRIDGEWATT_SANITIZE=address,undefined -DRIDGEWATT_TESTS=OFF -DRIDGEWATT_EXAMPLES=OFF
    ninja -C /tmp/asan ridgewatt_python
    cd python/tests && LD_PRELOAD="$(gcc -print-file-name=libasan.so) \\
        $(gcc -print-file-name=libstdc++.so)" ASAN_OPTIONS=detect_leaks=0 \\
        PYTHONPATH=/tmp/asan/python /usr/bin/python3 -B -m unittest -v test_fuzz

The test then takes 6 s. Neither sanitizer reported an error in 15,000 calls (15 seeds).
"""
# label: slow
import math
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

import numpy

import ridgewatt as rw

CALLS = 1000


class Strange:
    """An object whose methods raise errors."""

    def __repr__(self):
        raise RuntimeError("no repr")

    def __float__(self):
        raise RuntimeError("no number")


def values(chance):
    """Returns a random value that a program may pass by mistake."""
    return chance.choice([
        None, True, False, 0, -1, 1, 3, 10 ** 400, -(2 ** 63), 2 ** 64, math.nan, math.inf, -0.0,
        1e-320, 1e308, 0.5, "", "zoo:resnet18", "zoo:", "agx-orin", "orin-nano", "all", "30 W", "\0",
        "\ud800", "é" * 50, "a\nb", b"bytes", [], [1, "2"], [math.nan], [[1, 2], [3, 4]], (), (1, 2),
        {}, {"time_s": [1.0]}, {"image": "large"}, {1: 2}, set(), object(), Strange(), 1j, range(3),
        numpy.array([]), numpy.zeros((2, 2)), numpy.float32(2), numpy.int64(4), numpy.array(3),
        numpy.array(["x"]), numpy.array([math.nan, 1.0]), pathlib.Path("/nowhere"),
        pathlib.Path("/dev/null"), "/etc", len, rw.PowerMode(cpu_cores=2), rw.Board("nano"),
        rw.Model("zoo:resnet18"), rw.PowerMode, Exception("x")])


NAMES = {
    rw.analyze: ["model", "batch", "training", "precision", "optimizer", "dims", "runtime",
                 "convention", "traffic", "cache_bytes"],
    rw.estimate: ["model", "device", "modes", "batch", "training", "precision", "runtime", "dims",
                  "workers", "loader_s_per_sample", "dataset_size", "epochs", "progress"],
    rw.roofline: ["model", "device", "modes", "batch", "power_cap_w", "levels", "runtime", "seed"],
    rw.tune: ["model", "device", "sweep", "samples", "references", "batch", "minimize",
              "max_power_w", "max_time_s", "max_latency_s", "arrival_rate_hz", "confidence",
              "strategy", "profiles", "verify", "seed", "max_slowdown", "noise"],
    rw.predict: ["samples", "device", "model", "references", "query", "method", "interval", "seed"],
    rw.suggest: ["samples", "count", "budgets_w", "device", "method"],
    rw.pareto: ["samples", "sweep", "costs", "device", "keep_outliers"],
    rw.llm.fits: ["model", "device", "quantization", "context", "batch", "kv_type",
                  "reserve_bytes"],
    rw.llm.estimate: ["model", "device", "runtime", "quantization", "prompt", "generate",
                      "concurrency", "contexts", "modes"],
    rw.llm.tune: ["model", "device", "runtime", "minimize", "max_power_w", "max_ttft_s", "phases",
                  "confidence", "modes"],
    rw.schedule.plan: ["inference", "training", "arrival_rate_hz", "max_latency_s", "bound",
                       "strategy", "profiles", "idle_power_w", "non_urgent", "non_urgent_rate_hz",
                       "inference_model", "training_model", "device", "modes", "confidence"],
    rw.read_sweep: ["path", "workload"],
    rw.PowerMode: ["cpu_cores", "cpu_clock_hz", "gpu_clock_hz", "mem_clock_hz", "governor"],
    rw.Model: ["model", "training", "precision", "runtime", "optimizer", "dims"],
    rw.Board: ["name"], rw.Store: ["path"],
    rw.Sweep: ["columns", "workload", "kind", "board", "provenance"]}
USUAL = {"model": "zoo:resnet18", "device": "orin-nano", "modes": "maxn", "columns": {
    "time_s": [1.0, 2.0], "power_w": [3.0, 4.0]}, "batch": 1}


class Fuzz(unittest.TestCase):
    def test_a_thousand_calls(self):
        chance = random.Random(7)
        said = {}
        for number in range(CALLS):
            call = chance.choice(list(NAMES))
            names = NAMES[call]
            given = {name: USUAL[name] for name in names if name in USUAL}
            for name in chance.sample(names, chance.randint(1, min(3, len(names)))):
                given[name] = values(chance)
            if chance.random() < 0.05:
                given["max_power"] = 30
            try:
                call(**given)
                kind = "answer"
            except rw.Error as error:
                kind = type(error).__name__
                self.assertNotIn("\n", str(error), given)
                self.assertTrue(str(error), given)
            except TypeError as error:  # raised by Python: an unknown or missing argument
                kind = "TypeError"
                self.assertRegex(str(error), "argument|constructor", given)
            except RuntimeError as error:  # raised by Strange
                kind = "raised by the value"
                self.assertIn(str(error), ("no repr", "no number"), (number, given))
            said[kind] = said.get(kind, 0) + 1
        self.assertEqual(sum(said.values()), CALLS)
        self.assertGreater(said["UsageError"], CALLS / 4)
        print("fuzz:", dict(sorted(said.items())))

    def test_closed_handles(self):
        program = os.environ.get("RIDGEWATT_PROGRAM")
        if not program:
            self.skipTest("RIDGEWATT_PROGRAM makes the store")
        with tempfile.TemporaryDirectory() as folder:
            sweep, path = folder + "/sweep.csv", folder + "/points.db"
            rw.Sweep({"time_s": [1.0, 2.0], "power_w": [3.0, 4.0], "gpu_clock_hz": [921.6e6, 460.8e6]},
                     workload="w", kind="training").write(sweep)
            subprocess.run([program, "store", "import", path, sweep, "--device", "nano", "--quiet"],
                           check=True, capture_output=True)
            with rw.Store(path) as store:
                self.assertEqual([(one.workload, one.board, one.points) for one in store.list()],
                                 [("w", "nano", 2)])
                self.assertEqual(len(store.sweeps(workload="w")[0]), 2)
                with self.assertRaises(rw.UsageError):
                    store.sweeps(workload="other")
            for ask in (store.list, store.sweeps):
                with self.assertRaisesRegex(rw.UsageError, "the store is closed"):
                    ask()
            store.close()

    def test_rows_outlive_their_answer(self):
        row = rw.estimate("zoo:resnet18", device="orin-nano", modes="maxn")[0]
        mode = rw.tune("zoo:resnet18", device="orin-nano").best.mode
        layer = rw.analyze("zoo:resnet18")[3]
        self.assertGreater(row.time_s, 0)
        self.assertGreater(mode.gpu_clock_hz, 0)
        self.assertTrue(layer.name)

    def test_what_was_never_made(self):
        """An object that was created without its constructor is rejected."""
        for kind in (rw.Model, rw.Board, rw.PowerMode, rw.Sweep, rw.Store, rw.Tuned):
            with self.assertRaises((TypeError, RuntimeError)):
                repr(kind.__new__(kind)) if kind is not rw.Store else kind.__new__(kind).list()
        with self.assertRaises(TypeError):
            rw.Tuned()


if __name__ == "__main__":
    unittest.main()
