#!/usr/bin/env python3
"""Tests `measure` and `tune --device local` with a real network in TensorFlow Lite
(tools/runtimes/tflite), and converted networks. Skipped with exit status 77 if the packages there
are not installed. Converted networks also need those of tools/runtimes, python3-onnx and
python3-numpy.

    tflite_test.py --program build/ridgewatt/ridgewatt
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TFLITE = pathlib.Path(__file__).resolve().parent / "runtimes" / "tflite"
RUN = str(TFLITE / "run_tflite.py")
HAND = str(TFLITE / "node_modules" / "@mediapipe" / "hands" / "hand_landmark_lite.tflite")
PROGRAM = ""


def finished(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, **options)


def answer(*words):
    done = finished(*words)
    if done.returncode:
        raise AssertionError(f"{' '.join(words)}: {done.stderr}")
    return done


class Worker(unittest.TestCase):
    def test_outputs_have_the_published_shapes(self):
        """MediaPipe's model card: 21 landmarks with three coordinates, in the image and in the world."""
        said = json.loads(answer(RUN, "--model", HAND, "--runs", "2", "--seconds", "0.01", "--shapes").stdout)
        shapes = sorted(one["shape"] for one in said["outputs"].values())
        self.assertEqual(shapes, [[1, 1], [1, 1], [1, 63], [1, 63]])
        self.assertGreater(said["min_ms"], 0)

    def test_measure_sees_the_time_that_the_program_sees(self):
        done = answer(PROGRAM, "measure", "--idle", "0", "--format", "json", "--",
                      RUN, "--model", HAND, "--runs", "30", "--seconds", "0.3")
        measured = json.loads(done.stdout)
        own = json.loads(re.search(r'\{"model".*\}', done.stderr).group())
        self.assertGreaterEqual(measured["minibatches"]["count"], 29)  # the first one is warm-up
        ratio = measured["minibatches"]["time_median_ms"] / own["median_ms"]
        self.assertGreater(ratio, 0.8)  # the time between marks is a little longer than a run
        self.assertLess(ratio, 2)

    def test_tune_measures_every_number_of_threads(self):
        done = answer(PROGRAM, "tune", "--device", "local", "--batch", "1", "--minimize", "time", "--format", "json",
                      "--", RUN, "--model", HAND, "--threads", "{threads}", "--runs", "1000", "--seconds", "20")
        found = json.loads(done.stdout)
        cores = {point["mode"]["cpu_cores"] for point in found["profiled"]}
        self.assertIn(len(os.sched_getaffinity(0)), cores)
        self.assertEqual(found["time_ms"], min(point["time_ms"] for point in found["profiled"]))

    def test_a_file_that_is_no_model_is_an_error_in_one_line(self):
        done = finished(RUN, "--model", __file__)
        self.assertEqual(done.returncode, 1)
        self.assertIn("not a TensorFlow Lite model", done.stderr)

    def test_a_missing_library_is_stated_in_one_line(self):
        done = finished(RUN, "--model", HAND, env=os.environ | {"RIDGEWATT_TFLITE": "/nonexistent.so"})
        self.assertEqual(done.returncode, 77)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


def can_compare():
    here = (TFLITE.parent / "node_modules" / "onnxruntime-node").exists()
    return here and finished("/usr/bin/python3", "-c", "import numpy, onnx").returncode == 0


@unittest.skipUnless(can_compare(), "no ONNX Runtime, python3-onnx or python3-numpy")
class Converted(unittest.TestCase):
    def test_networks_have_the_outputs_of_onnx_runtime(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [os.path.join(folder, name + ".onnx") for name in
                     ("lenet5", "squeezenet1_0", "mobilenet_v3_large", "densenet121")]
            for file in files:
                answer(PROGRAM, "zoo", "write", pathlib.Path(file).stem, "--weights", "random", "-o", file)
            done = answer(str(TFLITE / "same_values.py"), "--batch", "2", *files)
            self.assertEqual(done.stdout.count(": same:"), len(files), done.stdout)

    def test_an_operator_that_is_not_supported_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "bert_tiny.onnx")
            answer(PROGRAM, "zoo", "write", "bert_tiny", "--weights", "zeros", "-o", file)
            done = finished(str(TFLITE / "to_tflite.py"), file, "-o", file + ".tflite", "--dim", "sequence=8")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, "^to_tflite: .*(must have FP32|is not supported)")


def main():
    global PROGRAM
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    PROGRAM = str(pathlib.Path(parser.parse_args().program).resolve())
    if not os.path.exists(HAND):
        print("skipped: TensorFlow Lite is not installed (npm ci --ignore-scripts in tools/runtimes/tflite)")
        return 77
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    sys.exit(main())
