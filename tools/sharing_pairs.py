#!/usr/bin/env python3
"""Compares the predicted and the measured slowdown of two programs that share a device. The
programs are real (examples/schedule/load_worker.cc), and the device is one core of this machine.
Each program first runs alone to measure the time of a minibatch and the share of this time in which
the core is busy. `ridgewatt schedule predict-sharing` predicts the slowdown of a pair from these
numbers, and `ridgewatt schedule measure-sharing` runs both programs.

    tools/sharing_pairs.py --seconds 16 --rounds 4                  # about 7 minutes
    tools/sharing_pairs.py --pairs compute:10:0,memory:10:10        # another pair

The prediction is not fitted to these pairs. A core loses almost no time when it switches, so
--switching is 1. If permitted, everything runs in a session with the highest priority below
real-time (autogroup nice -20), so that other programs use little of the core.

Prints JSON with each pair, and the errors of the prediction over all pairs. A slowdown is the time
of a minibatch with the other program running, divided by the time alone in the same round.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

# KIND:BUSY_MS:WAIT_MS[:BURSTS] of both programs: with and without gaps, short and long minibatches.
PAIRS = [
    ("compute:20:0", "compute:20:0"),
    ("compute:20:0", "compute:10:10"),
    ("compute:10:10", "compute:10:10"),
    ("compute:10:10:4", "compute:15:9:5"),
    ("compute:5:15", "compute:5:15"),
    ("compute:40:10:8", "compute:5:5"),
    ("compute:30:10:3", "compute:30:10:7"),
    ("memory:20:0", "memory:20:0"),
    ("memory:20:0", "compute:10:10"),
    ("memory:10:10:2", "memory:15:5:3"),
    ("mixed:20:0", "mixed:10:20"),
    ("mixed:12:6:3", "memory:8:12:2"),
]


def words(program):
    return program.split(":")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def prefer_this_session():
    """Gives this session a priority with which it gets almost all of the core."""
    if os.getsid(0) != os.getpid():
        if os.fork() != 0:  # a process group leader cannot start a session
            sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
        os.setsid()
    try:
        pathlib.Path("/proc/self/autogroup").write_text("-20")
    except OSError as error:
        print(f"without priority, other programs may disturb: {error}", file=sys.stderr)


def on_core(options, command):
    return ["taskset", "-c", str(options.core), *command]


def alone(options, program):
    text = run(on_core(options, [options.worker, "-", *words(program)]))
    time_ms, busy = map(float, text.split())
    return time_ms, min(busy, 1.0)


def predict(options, folder, programs):
    """Returns the prediction of the program, from sweeps with one row."""
    names = []
    for i, (time_ms, _) in enumerate(programs):
        names.append(f"{folder}/{i}.csv")
        pathlib.Path(names[-1]).write_text(
            f"workload,kind,cpu_cores,time_ms,power_w\nprogram{i},training,1,{time_ms},1\n")
    rows = json.loads(run(
        [options.program, "schedule", "predict-sharing", "--quiet", "--format", "json",
         "--keep-outliers", "--training-sweep", names[0], "--training-sweep", names[1],
         "--idle-power", "0", "--switching", "1", "--busy-share",
         ",".join(str(busy) for _, busy in programs)]))
    return (rows["rows"] if isinstance(rows, dict) else rows)[0]


def measure(options, pair):
    commands = [" ".join(on_core(options, [options.worker, *words(program)])) for program in pair]
    text = run([options.program, "schedule", "measure-sharing", "--quiet", "--format", "json",
                "--duration", str(options.seconds), "--rounds", str(options.rounds), "--socket",
                f"{options.folder}/pair.sock", *commands])
    rows = json.loads(text)
    return {row["quantity"]: row for row in (rows["rows"] if isinstance(rows, dict) else rows)}


def compare(options, pair):
    programs = [alone(options, program) for program in pair]
    predicted = predict(options, options.folder, programs)
    measured = measure(options, pair)
    result = {"pair": list(pair), "busy_share": [round(busy, 3) for _, busy in programs],
              "factor": {"predicted": predicted["factor"], "lo": predicted["factor_lo"],
                         "hi": predicted["factor_hi"],
                         "measured": measured["interference factor"]["value"],
                         "measured_lo": measured["interference factor"]["lo"],
                         "measured_hi": measured["interference factor"]["hi"]},
              "slowdown": []}
    for name, key in (("A", "a"), ("B", "b")):
        alone_ms = predicted[f"{key}_alone_ms"]
        result["slowdown"].append(
            {"predicted": predicted[f"{key}_together_ms"] / alone_ms,
             "lo": predicted[f"{key}_together_lo_ms"] / alone_ms,
             "hi": predicted[f"{key}_together_hi_ms"] / alone_ms,
             "measured": 1 / measured[f"{name} speed with both running"]["value"]})
    return result


def summary(pairs):
    factor = [abs(p["factor"]["predicted"] / p["factor"]["measured"] - 1) for p in pairs]
    slowdowns = [s for p in pairs for s in p["slowdown"]]
    slowdown = [abs(s["predicted"] / s["measured"] - 1) for s in slowdowns]
    full = [abs(1 / p["factor"]["measured"] - 1) for p in pairs]  # if each had half of the core
    within = [s["lo"] - 0.03 <= s["measured"] <= s["hi"] + 0.03 for s in slowdowns]
    in_factor = [p["factor"]["lo"] - 0.015 <= p["factor"]["measured"] <= p["factor"]["hi"] + 0.015
                 for p in pairs]
    percent = lambda values, of: round(100 * of(values), 1)  # noqa: E731
    return {"pairs": len(pairs), "factor_error_percent_median": percent(factor, statistics.median),
            "factor_error_percent_worst": percent(factor, max),
            "factor_error_percent_median_of_1": percent(full, statistics.median),
            "slowdown_error_percent_median": percent(slowdown, statistics.median),
            "slowdown_error_percent_worst": percent(slowdown, max),
            "slowdowns_within_bounds": f"{sum(within)} of {len(within)}",
            "factors_within_bounds": f"{sum(in_factor)} of {len(in_factor)}",
            "load_average": os.getloadavg()[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/ridgewatt/ridgewatt")
    parser.add_argument("--worker", default="build/examples/load_worker")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=16)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--pairs", action="append", help="A,B in place of the built-in ones")
    options = parser.parse_args()
    prefer_this_session()
    pairs = [tuple(pair.split(",")) for pair in options.pairs] if options.pairs else PAIRS
    with tempfile.TemporaryDirectory() as folder:
        options.folder = folder
        results = [compare(options, pair) for pair in pairs]
    print(json.dumps({"pairs": results, "summary": summary(results)}, indent=1))


if __name__ == "__main__":
    main()
