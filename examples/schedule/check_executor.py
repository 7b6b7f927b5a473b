#!/usr/bin/env python3
"""Runs `ridgewatt schedule run` with two real workers and checks its log.

Grants must not overlap, the cycle must have the planned duration, and a worker that is killed
during a minibatch must be detected.

    check_executor.py --program build/ridgewatt/ridgewatt --workers pytorch --seconds 60
    check_executor.py --program build/ridgewatt/ridgewatt --workers matrix \\
        --matrix-worker build/examples/matrix_worker --seconds 60

Prints one line of JSON. The exit status is 1 if a check fails.
"""
import argparse
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent


def worker_command(options, *arguments):
    if options.workers == "matrix":
        return [options.matrix_worker, *arguments]
    return [sys.executable, str(HERE / "pytorch_worker.py"), *arguments]


def minibatch_ms(options, kind):
    output = subprocess.run(worker_command(options, "-", kind), check=True, capture_output=True,
                            text=True)
    return float(output.stdout)


def read_log(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["granted_s"], row["released_s"] = float(row["granted_s"]), float(row["released_s"])
    return rows


def wait_for(path, seconds=10):
    for _ in range(int(seconds / 0.01)):
        if os.path.exists(path):
            return
        time.sleep(0.01)
    sys.exit(f"{path} does not appear")


def cycle_run(options, folder, infer_ms, train_ms):
    """Runs the planned cycle for `seconds`. Returns the number of overlaps, the duration of a
    cycle, and the training minibatches per cycle."""
    batch = 16
    planned = options.training_per_cycle
    # A period of 1.1 times the work.
    period_ms = max(20.0, 1.1 * (infer_ms + planned * train_ms))
    rate = batch / period_ms * 1e3
    socket, log = f"{folder}/cycle.sock", f"{folder}/cycle.csv"
    controller = subprocess.Popen(
        [options.program, "schedule", "run", "--quiet", "--format", "json", "--socket", socket,
         "--log", log, "--duration", str(options.seconds), "--batch", str(batch), "--period",
         str(period_ms), "--training-per-cycle", str(planned), "--infer-time", str(infer_ms),
         "--train-time", str(train_ms)], stdout=subprocess.DEVNULL)
    wait_for(socket)
    workers = [subprocess.Popen(worker_command(options, socket, "inference", str(rate))),
               subprocess.Popen(worker_command(options, socket, "training"))]
    controller.wait()
    for worker in workers:
        worker.wait()
    rows = read_log(log)
    overlaps = sum(b["granted_s"] < a["released_s"] for a, b in zip(rows, rows[1:]))
    first = next(i for i, row in enumerate(rows) if row["kind"] == "inference")
    starts = [row["granted_s"] for row in rows[first:] if row["kind"] == "inference"]
    cycles = len(starts) - 1
    training = sum(row["kind"] == "training" and starts[0] <= row["granted_s"] < starts[-1]
                   for row in rows)
    return {"grants": len(rows), "overlaps": overlaps, "planned_cycle_ms": period_ms,
            "cycle_ms": (starts[-1] - starts[0]) / cycles * 1e3,
            "planned_training_per_cycle": planned, "training_per_cycle": training / cycles}


def kill_run(options, folder, train_ms):
    """Repeatedly kills the worker that holds the device with SIGKILL. Measures the time until the
    log reports it, and checks that the next worker gets the device."""
    delays = []
    for attempt in range(options.kills):
        socket, log = f"{folder}/kill{attempt}.sock", f"{folder}/kill{attempt}.csv"
        controller = subprocess.Popen(
            [options.program, "schedule", "run", "--quiet", "--socket", socket, "--log", log,
             "--duration", "30", "--train-time", str(train_ms)], stdout=subprocess.DEVNULL)
        wait_for(socket)
        # A training worker that is always busy holds the device almost all the time.
        victim = subprocess.Popen(worker_command(options, socket, "training"))
        deadline = time.monotonic() + 20
        while len(read_log(log)) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.0137 * attempt)
        # The worker is stopped before it is killed, so that its minibatch cannot end in between.
        victim.send_signal(signal.SIGSTOP)
        time.sleep(0.05)
        before = len(read_log(log))
        killed = time.monotonic()
        victim.send_signal(signal.SIGKILL)
        while len(read_log(log)) == before and time.monotonic() < killed + 1:
            time.sleep(0.001)
        noticed = time.monotonic() - killed
        rows = read_log(log)
        if len(rows) > before and rows[-1]["outcome"] == "died":
            delays.append(noticed * 1e3)
            other = subprocess.Popen(worker_command(options, socket, "training"))
            deadline = time.monotonic() + 20
            while len(read_log(log)) < before + 3 and time.monotonic() < deadline:
                time.sleep(0.01)
            goes_on = len(read_log(log)) >= before + 3
        else:
            other, goes_on = None, True  # killed between two minibatches
        controller.send_signal(signal.SIGTERM)
        controller.wait()
        victim.wait()
        if other is not None:
            other.wait()
        if not goes_on:
            sys.exit("the device did not go on after a worker died")
    return {"kills_in_minibatch": len(delays), "noticed_ms_worst": max(delays, default=None)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/ridgewatt/ridgewatt")
    parser.add_argument("--workers", choices=["pytorch", "matrix"], default="pytorch")
    parser.add_argument("--matrix-worker", default="build/examples/matrix_worker")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--training-per-cycle", type=int, default=3)
    parser.add_argument("--kills", type=int, default=3)
    options = parser.parse_args()
    infer_ms, train_ms = minibatch_ms(options, "inference"), minibatch_ms(options, "training")
    with tempfile.TemporaryDirectory() as folder:
        result = {"workers": options.workers, "infer_ms": infer_ms, "train_ms": train_ms}
        result.update(cycle_run(options, folder, infer_ms, train_ms))
        result.update(kill_run(options, folder, train_ms))
    print(json.dumps(result))
    good = (result["overlaps"] == 0 and
            abs(result["cycle_ms"] / result["planned_cycle_ms"] - 1) <= 0.05 and
            (result["noticed_ms_worst"] or 0) < 100)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
