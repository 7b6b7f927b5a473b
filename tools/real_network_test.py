#!/usr/bin/env python3
"""Tests `measure`, `layers`, `explain` and inferred shapes with a real network in ONNX Runtime
(tools/runtimes). Skipped with exit status 77 if the packages of tools/runtimes are not installed.

    real_network_test.py --program build/ridgewatt/ridgewatt
"""
import argparse
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

RUNTIMES = pathlib.Path(__file__).resolve().parent / "runtimes"
PROGRAM = ""


def ridgewatt(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        raise AssertionError(f"ridgewatt {' '.join(words)}: {done.stderr}")
    return done


def run_words(model, *words):
    return ["node", str(RUNTIMES / "run_onnx.js"), "--model", model, *words]


class RealNetwork(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.model = os.path.join(cls.folder.name, "squeezenet1_1.onnx")
        ridgewatt("zoo", "write", "squeezenet1_1", "--weights", "random", "-o", cls.model)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_measure_sees_the_time_that_the_program_sees(self):
        done = ridgewatt("measure", "--idle", "0", "--format", "json", "--",
                         *run_words(self.model, "--runs", "30", "--seconds", "0.3"))
        measured = json.loads(done.stdout)
        own = json.loads(re.search(r'\{"model".*\}', done.stderr).group())
        self.assertGreaterEqual(measured["minibatches"]["count"], 29)  # the first one is warm-up
        ratio = measured["minibatches"]["time_median_ms"] / own["median_ms"]
        self.assertGreater(ratio, 0.8)  # the time between marks is a little longer than a run
        self.assertLess(ratio, 2)

    def profiled(self, name):
        prefix = os.path.join(self.folder.name, name)
        subprocess.run(run_words(self.model, "--runs", "5", "--profile", prefix), capture_output=True, check=True)
        [profile] = glob.glob(prefix + "*")
        return profile

    def test_explain_finds_the_nodes_that_fell_back_to_the_cpu(self):
        """The session was meant to run on a GPU, but this machine has none."""
        found = json.loads(ridgewatt("explain", self.model, "--device", "agx-orin", "--runtime", "onnxruntime",
                                     "--profile", self.profiled("fallback"), "--format", "json").stdout)
        self.assertEqual(found["rows"][0]["cause"], "cpu_fallback")
        [on_cpu] = [fault for fault in found["profile"]["faults"] if fault["fault"] == "on the CPU"]
        self.assertEqual(on_cpu["layer_count"], found["profile"]["layer_count"])
        for key, whole in (("time_ms", "measured_ms"), ("expected_ms", "expected_ms"), ("over_ms", "gap_ms")):
            self.assertAlmostEqual(sum(layer[key] for layer in found["layers"]), found[whole], places=9)

    def test_layers_joins_almost_all_time(self):
        profile = self.profiled("profile")
        found = json.loads(ridgewatt("layers", "--profile", profile, "--model", self.model, "--format", "json").stdout)
        [share] = [remark for remark in found["remarks"] if "% of the time is in nodes" in remark]
        joined, copies = (float(part) for part in re.findall(r"([0-9.]+) %", share))
        self.assertGreaterEqual(joined + copies, 95)
        self.assertEqual(found["mismatches"], [])

    def test_shapes_are_those_of_the_runtime(self):
        subprocess.run([sys.executable, str(RUNTIMES / "shapes.py"), "--ridgewatt", PROGRAM, self.model],
                       check=True, capture_output=True)


def main():
    global PROGRAM
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    PROGRAM = str(pathlib.Path(parser.parse_args().program).resolve())
    if shutil.which("node") is None or not (RUNTIMES / "node_modules" / "onnxruntime-node").exists():
        print("skipped: ONNX Runtime is not installed (npm ci --ignore-scripts in tools/runtimes)")
        return 77
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    sys.exit(main())
