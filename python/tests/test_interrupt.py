"""Ctrl+C ends every call that can take long. Not by a clock of the wall: the work (processor time) that a call does
after the signal is a part of what it does alone."""
# label: slow
import json
import pathlib
import subprocess
import sys
import unittest

PROGRAM = pathlib.Path(__file__).parent / "long_calls.py"
LEAST_S = 0.3  # shorter calls end by themselves before anybody presses a key


def output(*words):
    done = subprocess.run([sys.executable, PROGRAM, *words], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class Interrupt(unittest.TestCase):
    def test_ctrl_c_ends_every_long_call(self):
        measured = 0
        for name in output():
            with self.subTest(name):
                seen = output(name)
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
