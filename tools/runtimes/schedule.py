#!/usr/bin/env python3
"""Runs `ridgewatt schedule run` on the processor of this machine, with two programs that serve
networks in ONNX Runtime and one that trains in PyTorch, and compares the run with its plan.

    tools/runtimes/schedule.py --program build/ridgewatt/ridgewatt --seconds 60

Needs the packages of this folder and python3-torch. The times of minibatches are measured first.
The power is unknown, so the sweeps have the same power everywhere, and there is no power limit.
Prints CSV with one row per program."""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
TRAINER = FOLDER.parents[1] / "examples" / "schedule" / "pytorch_worker.py"
BATCHES = (1, 2, 4, 8)
TRAINING_BATCH = 16
POWER_W = 1  # placeholder for the unknown power
# Name, model, requests per second, latency limit in ms.
SERVED = (("detector", "mobilenet_v3_large", 40, 150), ("classifier", "squeezenet1_1", 30, 200))


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True).stdout


def write_sweep(path, times_ms):
    rows = "".join(f"1,{batch},{time_ms},{POWER_W}\n" for batch, time_ms in times_ms.items())
    pathlib.Path(path).write_text("cpu_cores,batch,time_ms,power_w\n" + rows)


def prepare(options):
    text = ""
    times_ms = {}
    for seed, (name, model, rate_hz, bound_ms) in enumerate(SERVED, 1):
        run(options.program, "zoo", "write", model)
        file = f"{model}.onnx"
        times_ms[name] = {
            batch: json.loads(run("node", FOLDER / "run_onnx.js", "--model", file, "--batch", batch,
                                  "--runs", 20, "--seconds", 1))["median_ms"] for batch in BATCHES}
        write_sweep(f"{name}.csv", times_ms[name])
        command = ["node", f"{FOLDER}/serve_onnx.js", "--model", file, "--rate", str(rate_hz), "--seed", str(seed)]
        text += (f'[[inference]]\nname = "{name}"\nsweep = "{name}.csv"\nmax_latency_ms = {bound_ms}\n'
                 f"arrival_rate_hz = {rate_hz}\ncommand = {json.dumps(command)}\n")
    times_ms["trainer"] = {TRAINING_BATCH: float(run(options.python, TRAINER, "-", "training"))}
    write_sweep("trainer.csv", times_ms["trainer"])
    command = [options.python, str(TRAINER), "", "training"]
    text += f'[[training]]\nname = "trainer"\nsweep = "trainer.csv"\ncommand = {json.dumps(command)}\n'
    pathlib.Path("programs.toml").write_text(text)
    return times_ms


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="ridgewatt")
    parser.add_argument("--python", default=sys.executable, help="a Python with torch")
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    options.program = os.path.abspath(options.program) if os.sep in options.program else options.program
    if not (FOLDER / "node_modules" / "onnxruntime-node").exists():
        sys.exit("schedule.py: skipped: ONNX Runtime is not installed (npm ci in tools/runtimes)")
    if subprocess.run([options.python, "-c", "import torch"], stderr=subprocess.DEVNULL, check=False).returncode:
        sys.exit("schedule.py: skipped: python3-torch is not installed")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        times_ms = prepare(options)
        said = json.loads(run(options.program, "schedule", "run", "--programs", "programs.toml", "--socket", "s.sock",
                              "--log", "grants.csv", "--duration", options.seconds, "--format", "json", "--quiet"))
        with open("grants.csv", newline="") as file:
            grants = sorted(csv.DictReader(file), key=lambda row: float(row["granted_s"]))
        own = {name: json.loads(pathlib.Path(f"{name}.json").read_text()) for name, *_ in SERVED}
    begin_s, end_s = options.seconds / 6, options.seconds  # skips the start of the programs
    grants = [row for row in grants if begin_s <= float(row["granted_s"]) and float(row["released_s"]) <= end_s]
    overlaps = sum(float(b["granted_s"]) < float(a["released_s"]) for a, b in zip(grants, grants[1:]))
    busy = {}
    print("program,per_s,minibatch_ms,measured_alone_ms,p50_ms,p99_ms,p99_of_worker_ms,bound_ms,late")
    for name in times_ms:
        of_program = [row for row in grants if row["worker"] == name]
        busy[name] = sum(float(row["released_s"]) - float(row["granted_s"]) for row in of_program)
        served = sum(int(row["requests"] or 0) for row in of_program)
        mean_ms = 1e3 * busy[name] / len(of_program)
        if name not in own:
            print(f"{name},{len(of_program) / (end_s - begin_s):.1f},{mean_ms:.1f},"
                  f"{times_ms[name][TRAINING_BATCH]:.1f},,,,,")
            continue
        found = next(one for one in said["programs"] if one["name"] == name)
        alone_ms = times_ms[name][1] * served / len(of_program)
        bound_ms = next(bound for one, _, _, bound in SERVED if one == name)
        print(f"{name},{served / (end_s - begin_s):.1f},{mean_ms:.1f},{alone_ms:.1f},{found['p50_ms']:.1f},"
              f"{found['p99_ms']:.1f},{own[name]['p99_ms']:.1f},{bound_ms},{found['late']}")
    served_share = sum(busy[name] for name in own) / (end_s - begin_s)
    left = (1 - served_share) / times_ms["trainer"][TRAINING_BATCH] * 1e3
    print(f"{len(grants)} grants, {overlaps} overlap; busy {100 * sum(busy.values()) / (end_s - begin_s):.1f} % of the "
          f"time; the time left would hold {left:.1f} minibatches of training per second", file=sys.stderr)
    return 1 if overlaps else 0


if __name__ == "__main__":
    sys.exit(main())
