"""Times whole processes. They alternate, so that a busy machine slows all of them equally.

    time_process.py RUNS COMMAND [-- COMMAND]...

Prints the median and the fastest time of each command and its peak memory. For each further
command, also prints the ratio of its median to that of the first command.
"""
import os
import statistics
import subprocess
import sys
import time


def run(command):
    """Returns the time (s) and the peak memory (MB) of one run."""
    start = time.perf_counter()
    with open(os.devnull, "wb") as sink:
        process = subprocess.Popen(command, stdout=sink, stderr=sink)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def main():
    runs = int(sys.argv[1])
    commands = [[]]
    for word in sys.argv[2:]:
        if word == "--":
            commands.append([])
        else:
            commands[-1].append(word)
    results = [[] for _ in commands]
    for _ in range(runs):
        for command, times in zip(commands, results):
            times.append(run(command))
    medians = [statistics.median(t for t, _ in times) for times in results]
    for command, times, median in zip(commands, results, medians):
        fastest = min(t for t, _ in times)
        memory = max(m for _, m in times)
        ratio = f"  {median / medians[0]:5.1f}x" if median is not medians[0] else ""
        print(f"median {1e3 * median:7.1f} ms  fastest {1e3 * fastest:7.1f} ms  "
              f"peak {memory:6.1f} MB{ratio}  {' '.join(command)}")


main()
