#!/usr/bin/env python3
"""Measures the compilation of the program and the server: processor time per unit and module, in a
new build folder without a compiler cache. Fails if a unit or the whole exceeds its budget.

    bench/compile_budget.py          # ./dev bench compile

Budgets are multiples of the time for the library's precompiled header in the same run, so that they
hold on any machine. As a compiler launcher (--unit LOG COMMAND...), this script records the time of
one command."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

UNIT = 10    # budget of a unit; the largest one, of predict, takes 9
WHOLE = 130  # budget of all units; chosen: a tenth more than they take
YARDSTICK = "ridgewatt_lib.dir/cmake_pch.hxx.gch"
ROOT = pathlib.Path(__file__).resolve().parent.parent


def run_unit(log, command):
    child = subprocess.Popen(command)
    _, status, usage = os.wait4(child.pid, 0)
    if "-o" in command:
        name = command[command.index("-o") + 1].split("CMakeFiles/")[-1]
        with open(log, "a", encoding="utf-8") as file:  # one write, as compilers run in parallel
            file.write(f"{usage.ru_utime + usage.ru_stime:.2f} {usage.ru_maxrss // 1024} {name}\n")
    return os.waitstatus_to_exitcode(status)


def build(folder, log):
    launcher = f"{sys.executable};{__file__};--unit;{log}"
    off = [f"-DRIDGEWATT_{part}=OFF" for part in ("TESTS", "EXAMPLES", "PYTHON")]
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DCCACHE=OFF",
                    f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}", *off], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--target", "ridgewatt", "ridgewatt_serve"], check=True,
                   stdout=subprocess.DEVNULL)


def report(rows):
    """Prints the modules, slowest first. Returns a line for each exceeded budget."""
    costs = {name: seconds for seconds, _, name in rows}
    yardstick = costs[YARDSTICK]
    modules = {}
    for name, seconds in costs.items():
        found = re.search(r"unity_(\w+?)_\d+_cxx", name)
        module = found[1] if found else "other"
        modules[module] = modules.get(module, 0) + seconds
    for module, seconds in sorted(modules.items(), key=lambda item: -item[1]):
        print(f"{module:12} {seconds:7.1f} s {seconds / yardstick:7.1f}")
    whole = sum(costs.values())
    print(f"{'all':12} {whole:7.1f} s {whole / yardstick:7.1f} of {WHOLE}; "
          f"largest compiler {max(memory for _, memory, _ in rows)} MiB; 1 is {yardstick:.1f} s")
    over = [f"{name}: {seconds / yardstick:.1f} of {UNIT}" for name, seconds in costs.items()
            if seconds > UNIT * yardstick]
    return over + ([f"all units: {whole / yardstick:.1f} of {WHOLE}"] if whole > WHOLE * yardstick else [])


def main():
    if sys.argv[1:2] == ["--unit"]:
        return run_unit(sys.argv[2], sys.argv[3:])
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        build(os.path.join(folder, "build"), log)
        with open(log, encoding="utf-8") as file:
            rows = [(float(seconds), int(memory), name) for seconds, memory, name in map(str.split, file)]
    over = report(rows)
    for line in over:
        print("over its budget: " + line)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
