#!/usr/bin/env python3
"""Counts the tests of GoogleTest in the log of ctest, because a test of ctest may be a whole suite,
and lists those that were skipped.

usage: count_tests.py LOG
"""
import re
import sys


def main(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except FileNotFoundError:
        return
    ran = sum(map(int, re.findall(r"^\[={10}\] (\d+) tests? from .* ran\.", text, re.M)))
    skipped = re.findall(r"^\[  SKIPPED \] (\S+\.\S+)$", text, re.M)
    for name in skipped:
        print("skipped:", name)
    print(f"tests of GoogleTest: {ran} ran, {len(skipped)} of them skipped")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
