#!/usr/bin/env python3
"""Compares estimates of a processor's board file with runs in ONNX Runtime or TensorFlow Lite.

    tools/runtimes/check.py --ridgewatt build/ridgewatt/ridgewatt --device here.toml \\
        --models a.onnx b.onnx,sequence=128 --threads 1,2 --batches 1,4,16 -o rows.csv

A model is an ONNX file, followed by its symbolic dimensions after commas. Other dimensions have the
sizes that `ridgewatt` assumes. --runtime tflite-cpu converts it with tflite/to_tflite.py. Every
point is measured in --rounds rounds. The median (with --figure p10 the 10 % quantile) of the
fastest round counts, because other programs only make a round slower. Prints the median error, the
share inside the 90 % intervals, and the noise, which is the ratio of these figures of the slowest
and the fastest round.
"""
import argparse
import csv
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def output_of(command, dims=()):
    for dim in dims:
        command += ["--dim", dim]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr else "does not run")
    return done.stdout


def measured(runtime, folder, file, dims, threads, batch, seconds):
    options = ["--threads", str(threads), "--batch", str(batch), "--runs", "5", "--seconds", str(seconds)]
    if runtime != "tflite-cpu":
        return json.loads(output_of(["node", os.path.join(HERE, "run_onnx.js"), "--model", file, *options], dims))
    converted = os.path.join(folder, os.path.basename(file) + ".tflite")
    if not os.path.exists(converted):
        output_of([os.path.join(HERE, "tflite", "to_tflite.py"), file, "-o", converted], dims)
    return json.loads(output_of([os.path.join(HERE, "tflite", "run_tflite.py"), "--model", converted, *options]))


def estimated(program, device, runtime, file, dims, threads, batch):
    command = [program, "estimate", file, "--device", device, "--runtime", runtime, "--modes",
               f"cores={threads}", "--batch", str(batch), "--format", "csv", "-q"]
    row = next(csv.DictReader(output_of(command, dims).splitlines()))
    return [float(row[key]) for key in ("time_ms", "time_lo_ms", "time_hi_ms")]


def assumed(program, file, dims):
    """The given dimensions, and the sizes that the program assumes for others except the batch."""
    command = [program, "analyze", file, "--batch", "1"]
    for dim in dims:
        command += ["--dim", dim]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    return [*dims, *("=".join(pair) for pair in re.findall(r"^assumed (\S+) = (\d+) \(--dim ", done.stderr, re.M))]


def numbers(text):
    return [int(part) for part in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ridgewatt", default="ridgewatt")
    parser.add_argument("--device", required=True)
    parser.add_argument("--runtime", choices=("onnxruntime-cpu", "tflite-cpu"), default="onnxruntime-cpu")
    parser.add_argument("--figure", choices=("median", "p10"), default="median")
    parser.add_argument("--models", nargs="+", required=True)
    parser.add_argument("--threads", type=numbers, default=[1, 2])
    parser.add_argument("--batches", type=numbers, default=[1, 4, 16])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.8)
    parser.add_argument("-o", "--output")
    asked = parser.parse_args()
    folder = tempfile.TemporaryDirectory()  # of converted models
    runs, left_out, dims_of = {}, {}, {}
    for model in asked.models:
        file, *dims = model.split(",")
        dims_of[model] = assumed(asked.ridgewatt, file, dims)
    for _ in range(asked.rounds):
        for model in asked.models:
            file, dims = model.split(",")[0], dims_of[model]
            for batch in asked.batches:
                for threads in asked.threads:
                    point = (model, threads, batch)
                    if model in left_out or (model, batch) in left_out:
                        continue
                    try:
                        run = measured(asked.runtime, folder.name, file, dims, threads, batch, asked.seconds)
                        runs.setdefault(point, []).append(run[asked.figure + "_ms"])
                    except (RuntimeError, subprocess.TimeoutExpired) as error:
                        left_out[model if batch == asked.batches[0] else (model, batch)] = str(error)
    rows = []
    for (model, threads, batch), times in runs.items():
        file, dims = model.split(",")[0], dims_of[model]
        try:
            time, low, high = estimated(asked.ridgewatt, asked.device, asked.runtime, file, dims, threads, batch)
        except RuntimeError as error:
            left_out[model] = str(error)
            continue
        rows.append({"model": os.path.basename(file), "cpu_cores": threads, "batch": batch,
                     "measured_ms": round(min(times), 4), "slowest_ms": round(max(times), 4), "time_ms": time,
                     "time_lo_ms": low, "time_hi_ms": high, "ratio": round(time / min(times), 4)})
    for model, reason in left_out.items():
        print(f"left out: {model}: {reason[:150]}", file=sys.stderr)
    if not rows:
        sys.exit("check.py: nothing was compared")
    if asked.output:
        with open(asked.output, "w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
    errors = [abs(row["ratio"] - 1) for row in rows]
    inside = [row["time_lo_ms"] <= row["measured_ms"] <= row["time_hi_ms"] for row in rows]
    logs = [math.log(row["ratio"]) for row in rows]
    noise = [row["slowest_ms"] / row["measured_ms"] for row in rows]
    print(f"{len(rows)} points of {len({row['model'] for row in rows})} models: median error "
          f"{100 * statistics.median(errors):.1f} %, {100 * sum(inside) / len(inside):.0f} % inside the 90 % "
          f"intervals, bias {100 * math.expm1(statistics.mean(logs)):+.1f} %; noise: rounds differ by "
          f"{100 * (statistics.median(noise) - 1):.1f} % (median)")


if __name__ == "__main__":
    main()
