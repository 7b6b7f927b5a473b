"""Ctrl+C ends every long call. The tests do not use wall-clock time: the work of a call after the
signal (processor time) must be a small part of its whole work."""
# label: slow
import json
import pathlib
import subprocess
import sys
import unittest

PROGRAM = pathlib.Path(__file__).parent / "long_calls.py"
LEAST_S = 0.3  # shorter calls end before a user can press Ctrl+C


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
                # At the signal, 0.8 of the work remains.
                self.assertLess(seen["after_s"], 0.4 * seen["whole_s"] + 0.2, seen)
        if not measured:
            self.skipTest("skipped: every call ends within 0.3 s of processor time")


if __name__ == "__main__":
    unittest.main()
