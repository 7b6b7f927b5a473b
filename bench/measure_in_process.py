"""The overhead of measuring inside a Python program: the CPU time of all measuring threads, as a
share of one core. It is measured with all cores busy, as in a real measurement, and idle, when
waking up a thread costs more than reading the sensors.

    PYTHONPATH=build/python python3 bench/measure_in_process.py [DEVICE] [ROUNDS]

DEVICE: local, or a fake board (default fake:agx-orin). The share includes power at 100 Hz, clocks
and temperatures every two seconds, and storing the samples.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

import ridgewatt

ROUND_S = 5


def spin(duration_s):
    end_s = time.monotonic() + duration_s
    while time.monotonic() < end_s:
        pass


def others_s():
    """Returns the CPU time of all threads of this process except the main thread."""
    total_ns = 0
    for task in os.listdir("/proc/self/task"):
        if int(task) != os.getpid():
            with open(f"/proc/self/task/{task}/schedstat") as file:
                total_ns += int(file.read().split()[0])
    return total_ns * 1e-9


def rounds_of(device, work, rounds):
    """Returns the median shares of all measuring threads and of the power sampler, as text."""
    whole, sampler, rates = [], [], []
    for _ in range(rounds):
        with ridgewatt.measure(device, rate_hz=100) as run:
            begin_cpu_s, begin_s = others_s(), time.monotonic()
            work(ROUND_S)
            whole.append((others_s() - begin_cpu_s) / (time.monotonic() - begin_s))
        sampler.append(run.sampler_cpu_share)
        if run.energy_j is not None:
            rates.append(run.to_dict()["power"]["samples"] / run.time_s)
    rate = f"{statistics.median(rates):.1f} samples per second" if rates else run.source
    return (f"{100 * statistics.median(whole):.2f} % of a core ({100 * min(whole):.2f} to "
            f"{100 * max(whole):.2f}), of it power {100 * statistics.median(sampler):.2f} %; {rate}")


def main():
    device = sys.argv[1] if len(sys.argv) > 1 else "fake:agx-orin"
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    if device != "local" and "RIDGEWATT_FAKE" not in os.environ:
        folder = tempfile.TemporaryDirectory()
        os.environ["RIDGEWATT_FAKE"] = os.path.join(folder.name, "fake")
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
              for _ in range(1, os.cpu_count())]
    print(f"{device}, {rounds} rounds of {ROUND_S} s, all {os.cpu_count()} cores at work:")
    print(" ", rounds_of(device, spin, rounds))
    for process in others:
        process.kill()
        process.wait()
    print("at rest:")
    print(" ", rounds_of(device, time.sleep, rounds))
    calls = 100_000
    with ridgewatt.measure(device) as run:
        begin_s = time.perf_counter()
        for _ in range(calls):
            run.mark()
        print(f"run.mark(): {1e6 * (time.perf_counter() - begin_s) / calls:.2f} us")


main()
