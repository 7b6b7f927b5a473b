"""What measuring costs the Python program that is measured: CPU time of the whole process, of all
its threads, while the program itself sleeps, as a share of one core, in turns with the same sleep
unmeasured.

    PYTHONPATH=build/python python3 bench/measure_in_process.py [DEVICE] [ROUNDS]

DEVICE: local, or a fake board (default fake:agx-orin). The share counts power at 100 Hz, the looks
at clocks and temperatures every two seconds, and keeping the samples.
"""
import os
import statistics
import sys
import tempfile
import time

import ridgewatt

SLEEP_S = 5


def share(work):
    begin_cpu_s, begin_s = time.process_time(), time.monotonic()
    work()
    return (time.process_time() - begin_cpu_s) / (time.monotonic() - begin_s)


def median(shares):
    return f"{100 * statistics.median(shares):.3f} %"


def main():
    device = sys.argv[1] if len(sys.argv) > 1 else "fake:agx-orin"
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    if device != "local" and "RIDGEWATT_FAKE" not in os.environ:
        folder = tempfile.TemporaryDirectory()
        os.environ["RIDGEWATT_FAKE"] = os.path.join(folder.name, "fake")
    whole, sampler, without, rates = [], [], [], []
    for _ in range(rounds):
        without.append(share(lambda: time.sleep(SLEEP_S)))
        with ridgewatt.measure(device, rate_hz=100) as run:
            whole.append(share(lambda: time.sleep(SLEEP_S)))
        sampler.append(run.sampler_cpu_share)
        if run.energy_j is not None:
            rates.append(run.to_dict()["power"]["samples"] / run.time_s)
    print(f"{device}: {rounds} rounds of {SLEEP_S} s, {run.source}")
    print(f"unmeasured {median(without)}  measured {median(whole)}  of it power {median(sampler)}")
    if rates:
        print(f"{statistics.median(rates):.1f} samples per second")
    calls = 100_000
    with ridgewatt.measure(device) as run:
        begin_s = time.perf_counter()
        for _ in range(calls):
            run.mark()
        print(f"run.mark(): {1e6 * (time.perf_counter() - begin_s) / calls:.2f} us")


main()
