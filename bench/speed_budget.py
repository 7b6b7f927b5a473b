#!/usr/bin/env python3
"""Whether the program keeps its budgets of processor time and memory, whole processes, the least of several runs.

    bench/speed_budget.py build/ridgewatt/ridgewatt [--runs 3] [--factor 1]

Processor time is of both cores together, so that other programs count little; the budgets of long
answers are 1.5 to 1.9 times what they take. --factor loosens them for a slower machine. Exit status 1 when one is exceeded."""
import argparse
import os
import subprocess
import sys

# Processor time (s) and peak memory (MB) that a command may take.
BUDGETS = [
    (0.02, 30, "--version"),
    (0.02, 30, "analyze zoo:lenet5"),
    (0.40, 75, "estimate zoo:resnet50 --device agx-orin --modes all --batch 1,2,4,8,16 --format csv"),
    (1.4, 120, "tune zoo:resnet50 --device all --minimize energy"),
    (1.1, 60, "roofline --device agx-orin --modes all --format json"),
    (0.42, 60, "tune llm zoo:llama-3.1-8b --device all --quantization all --runtime all --modes presets"),
    (0.46, 200, "schedule plan --inference zoo:resnet50 --training zoo:resnet18 --device agx-orin --arrival-rate 60 "
               "--max-latency 1000 --max-power 30"),
]


def cost(command):
    """Processor seconds and peak megabytes of one run."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {process.returncode}: {errors.decode(errors='replace')}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--factor", type=float, default=1, help="on all budgets of time")
    arguments = parser.parse_args()
    over = 0
    print("   CPU s   budget      MB   budget  command")
    for seconds, megabytes, words in BUDGETS:
        runs = [cost([arguments.program, *words.split()]) for _ in range(arguments.runs)]
        took, peak = min(run[0] for run in runs), min(run[1] for run in runs)
        kept = took <= seconds * arguments.factor and peak <= megabytes
        over += not kept
        print(f"{took:8.3f} {seconds * arguments.factor:8.2f} {peak:7.0f} {megabytes:8.0f}  {words}"
              f"{'' if kept else '  OVER'}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
