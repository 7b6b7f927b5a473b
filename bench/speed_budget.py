#!/usr/bin/env python3
"""Checks that the program stays within its budgets for size, start-up, processor time and memory.

    bench/speed_budget.py build/ridgewatt/ridgewatt [--runs 3] [--factor 1]

The size is without symbols. A start is the median of 51, alternating with /bin/true. An answer is
the fastest of several runs of a whole process. Processor time is the sum over all cores, so that
other programs have little effect. Wall-clock time has no budget and shows whether the machine is
busy. The budgets of answers are 1.3 to 1.9 times their usual time; --factor scales all budgets of
time for a slower machine. The last line is a call of the Python package, if it is built. The exit
status is 1 if a budget is exceeded."""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

SIZE_MB = 8
STARTS = 51

# Highest processor time of a start (ms). SCRATCH is the folder of files that the commands read.
START_BUDGETS = [
    (3, "--version"),
    (5, "analyze SCRATCH/resnet50.onnx --quiet"),
]

# Highest processor time (s) and peak memory (MB) of a command.
BUDGETS = [
    (0.02, 30, "--version"),
    (0.02, 30, "analyze zoo:lenet5"),
    (0.28, 35, "estimate zoo:resnet50 --device agx-orin --modes all --batch 1,2,4,8,16 --format csv"),
    (0.70, 100, "tune zoo:resnet50 --device all --minimize energy"),
    (0.95, 40, "roofline --device agx-orin --modes all --format json"),
    (0.58, 65, "tune llm zoo:llama-3.1-8b --device all --quantization all --runtime all --modes presets"),
    (0.46, 160, "schedule plan --inference zoo:resnet50 --training zoo:resnet18 --device agx-orin --arrival-rate 60 "
               "--max-latency 1000 --max-power 30"),
]
# Highest processor time of pareto() on 108,576 rows in the Python package, only the call (s).
PARETO_S = 1
PARETO = """import sys, time, ridgewatt
rows = ridgewatt.read_sweep(sys.argv[1])
begin = time.process_time()
ridgewatt.pareto(rows, device="agx-orin")
print(time.process_time() - begin)"""


def stripped_mb(program, scratch):
    copy = scratch / "stripped"
    subprocess.run(["strip", "-o", copy, program], check=True)
    return copy.stat().st_size / 1e6


def start_ms(commands):
    """Returns the medians of processor time and wall-clock time of each command, run
    alternately."""
    times = [[] for _ in commands]
    for _ in range(STARTS):
        for command, taken in zip(commands, times):
            begin = time.perf_counter()
            processor_s, _ = cost(command)
            taken.append((1000 * processor_s, 1000 * (time.perf_counter() - begin)))
    return [[statistics.median(column) for column in zip(*taken)] for taken in times]


def cost(command):
    """Returns the processor time (s) and the peak memory (MB) of one run."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {process.returncode}: {errors.decode(errors='replace')}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def check_start(program, scratch, factor):
    """Prints size and starts. Returns the number of exceeded budgets."""
    over = 0

    def line(taken, budget, unit, what):
        nonlocal over
        over += taken > budget
        print(f"{taken:8.2f} {budget:8.2f} {unit:2}  {what}{'' if taken <= budget else '  OVER'}")

    print("            budget")
    line(stripped_mb(program, scratch), SIZE_MB, "MB", "the program without symbols")
    subprocess.run([program, "zoo", "write", "resnet50", "-o", scratch / "resnet50.onnx"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    commands = [[program, *words.replace("SCRATCH", str(scratch)).split()] for _, words in START_BUDGETS]
    least, *medians = start_ms([["/bin/true"], *commands])
    for (budget, words), (processor, clock) in zip(START_BUDGETS, medians):
        line(processor, budget * factor, "ms", f"{words}; by the clock {clock:.2f}; /bin/true {least[0]:.2f} and {least[1]:.2f}")
    return over


def check_answers(program, runs, factor):
    """Prints processor time and memory of answers. Returns the number of exceeded budgets."""
    over = 0
    print("   CPU s   budget      MB   budget  command")
    for seconds, megabytes, words in BUDGETS:
        costs = [cost([program, *words.split()]) for _ in range(runs)]
        took, peak = min(run[0] for run in costs), min(run[1] for run in costs)
        kept = took <= seconds * factor and peak <= megabytes
        over += not kept
        print(f"{took:8.3f} {seconds * factor:8.2f} {peak:7.0f} {megabytes:8.0f}  {words}"
              f"{'' if kept else '  OVER'}")
    return over


def check_python(program, scratch, runs, factor):
    """Prints the time of pareto(). Returns whether it exceeds its budget."""
    package = pathlib.Path(program).resolve().parent.parent / "python"
    if not list(package.glob("ridgewatt/_core*.so")):
        print("skipped: the Python package is not built")
        return 0
    sweep = scratch / "modes.csv"
    subprocess.run([program, "estimate", "zoo:resnet50", "--device", "agx-orin", "--modes", "all", "--batch",
                    "1,2,4,8,16,32", "--format", "csv", "-o", sweep], check=True, stderr=subprocess.DEVNULL)
    python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
    took = min(float(subprocess.run([python, "-c", PARETO, sweep], check=True, capture_output=True, text=True,
                                    env={**os.environ, "PYTHONPATH": str(package)}).stdout) for _ in range(runs))
    kept = took <= PARETO_S * factor
    print(f"{took:8.3f} {PARETO_S * factor:8.2f} {'':16}  pareto() of 108,576 rows from Python{'' if kept else '  OVER'}")
    return not kept


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--factor", type=float, default=1, help="on all budgets of time")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        over = check_start(arguments.program, scratch, arguments.factor)
        over += check_answers(arguments.program, arguments.runs, arguments.factor)
        over += check_python(arguments.program, scratch, arguments.runs, arguments.factor)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
