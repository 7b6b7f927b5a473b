#!/usr/bin/env python3
"""Computes every estimate and counts the rows that break a rule. The estimates are all combinations
of boards, runtimes, precisions, networks of the zoo, presets and batches, for inference and
training, and of language models in every engine and quantization.

    tools/estimate_scan.py PROGRAM [--jobs N] [--models NAME,..] [--batch 1,8,32] [--examples N] [--idle PROGRAM]

Rules:
- Values are numbers within their intervals.
- Power is between idle power and the limit of the mode or the module.
- No time is shorter than the roof of the board's peaks permits.
- An interval wider than a factor of 6 states a reason.
- A precision or runtime that is slower than one that it should beat states a reason.

The exit status is 1 if a row breaks a rule. --idle names a build that prints idle_w, if PROGRAM
does not."""
import argparse
import collections
import concurrent.futures
import csv
import functools
import io
import json
import math
import re
import subprocess
import sys

RUNTIMES = ("pytorch-eager", "torchscript", "torch-compile", "onnxruntime", "tensorrt")
# For each runtime, the one that it should beat.
OLDER = {"torchscript": "pytorch-eager", "torch-compile": "pytorch-eager", "onnxruntime": "pytorch-eager",
         "tensorrt": "pytorch-eager"}
# Number format of the matrix products of these quantizations, if the GPU has units for it.
NARROW = {"int8": "int8", "fp8": "fp8", "fp8_block": "fp8", "nvfp4": "fp4"}
HELD_TO = 1.27  # a card may draw this multiple of its lowest power limit (docs/methods/estimate_error.md)
WIDEST = 6  # highest ratio of upper to lower bound without a reason
SLACK = 1 + 1e-6  # for the rounding of printed digits
QUANTITIES = (("time", "ms"), ("power", "w"), ("energy", "j"))
FIGURES = ("ttft_ms", "tpot_ms", "tokens_per_s", "prefill_power_w", "decode_power_w", "joules_per_token", "request_j")


def run(program, *words):
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr


def rows_of(program, *words):
    status, out, _ = run(program, *words, "--format", "csv", "-q")
    return list(csv.DictReader(io.StringIO(out))) if status in (0, 3) else []


def bits_of(precision):
    """Returns the bits in the name of a precision; 0: the name has none."""
    return int(re.sub(r"\D", "", precision) or 0)


@functools.lru_cache(maxsize=None)
def precisions(program):
    """Returns the precisions and, for each, the one that it should beat, or None."""
    options = json.loads(run(program, "help", "estimate", "--format", "json")[1])["options"]
    names = next(option["choices"] for option in options if "--precision" in option["names"])
    return {name: None if name == "fp32" or not bits_of(name) else
            "fp32" if bits_of(name) >= 16 else "fp16" if bits_of(name) >= 8 else "fp8"
            for name in names if name != "stored"}


class Boards:
    """Power limits of boards, and their peak compute rates and bandwidths."""

    def __init__(self, program):
        self.program = program

    @functools.lru_cache(maxsize=None)
    def facts(self, board):
        return json.loads(run(self.program, "device", "show", board, "--format", "json")[1])

    def limit_w(self, board, governor=""):
        most = self.facts(board)["power"]["limit_w"] or math.inf
        if not governor.endswith("W"):
            return most
        lowest = min(float(preset["name"][:-1]) for preset in self.facts(board)["bsps"][0]["presets"])
        return min(most, max(float(governor[:-1]), HELD_TO * lowest))

    def peaks(self, board, gpu_mhz, mem_mhz):
        """Returns FLOP/s by precision, and byte/s, at these clocks."""
        bsp = next(b for b in self.facts(board)["bsps"] if b["knobs"]["gpu_mhz"])
        top_gpu, top_mem = max(bsp["knobs"]["gpu_mhz"]), max(bsp["knobs"]["mem_mhz"])
        peaks = {key.split("_")[0]: value * min(1, gpu_mhz / top_gpu) for key, value in bsp["peaks"].items()
                 if value and not key.startswith("bandwidth")}
        return peaks, bsp["peaks"]["bandwidth_bytes_per_s"] * mem_mhz / top_mem


class Count:
    """Counts the rows that break each rule, and keeps examples."""

    def __init__(self, examples):
        self.rows, self.broken, self.examples = collections.Counter(), collections.Counter(), {}
        self.reasons = collections.Counter()
        self.most = examples

    def breaks(self, rule, row, what):
        self.broken[rule] += 1
        kept = self.examples.setdefault(rule, [])
        if len(kept) < self.most:
            kept.append(f"{row}: {what}")


def number(row, key):
    try:
        return float(row[key])
    except (KeyError, ValueError, TypeError):
        return math.nan


def check_interval(count, name, key, low, value, high, reason):
    if not 0 < low <= value * SLACK or not value <= high * SLACK or math.isinf(high):
        count.breaks("figures are numbers within their intervals", name, f"{key} {value} ({low} to {high})")
    elif high > WIDEST * SLACK * low and not reason:
        count.breaks("an interval wider than 6 states a reason", name, f"{key} {low:.4g} to {high:.4g}")


def check_power(count, name, idle_w, limit_w, low, high):
    if low < idle_w / SLACK:
        count.breaks("power is not below idle", name, f"{low:.3f} W, idle {idle_w:.3f}")
    if high > limit_w * SLACK:
        count.breaks("power is not above the limit", name, f"{high:.3f} W, limit {limit_w:g}")


def check_estimate(count, boards, row, idle, work):
    name = " ".join(row[k] for k in ("board", "workload", "kind", "runtime", "precision", "preset", "batch"))
    count.rows["networks"] += 1
    reason = row.get("interval_widened_by", "")
    for what, unit in QUANTITIES:
        low, value, high = (number(row, f"{what}{end}_{unit}") for end in ("_lo", "", "_hi"))
        check_interval(count, name, what, low, value, high, reason)
    idle_w = number(row, "idle_w") if "idle_w" in row else idle.get(key_of(row), math.nan)
    governor = row.get("governor", "")
    check_power(count, name, idle_w, boards.limit_w(row["board"], governor),
                number(row, "power_lo_w"), number(row, "power_hi_w"))
    # Under a power limit, the clock is that of the estimate. At a lower power, it is higher.
    gpu_mhz = math.inf if governor.endswith("W") else number(row, "gpu_mhz")
    peaks, bytes_per_s = boards.peaks(row["board"], gpu_mhz, number(row, "mem_mhz"))
    # The shortest time is that of all work at the GPU's highest rate for this precision or a wider
    # one. FP32 may run in TF32; mixed and quantized networks may use any precision. Without tensor
    # cores, Winograd's algorithm saves a factor of 2.25.
    flop, quantized = work
    any_rate = quantized or bits_of(row["precision"]) < 16
    fastest = max(v for k, v in peaks.items() if any_rate or k in ("fp32", "tf32", row["precision"]))
    least_ms = 1e3 * flop / (fastest * (1 if fastest > 2 * peaks["fp32"] else 2.25))
    for end in ("_lo", ""):
        if number(row, f"time{end}_ms") * SLACK < least_ms:
            count.breaks("no time is below a roof", name, f"time{end} {number(row, f'time{end}_ms'):.4g} ms of "
                         f"{least_ms:.4g}")


def key_of(row, **other):
    keys = ("board", "workload", "kind", "runtime", "precision", "preset", "batch", "cpu_mhz", "gpu_mhz", "mem_mhz",
            "cpu_cores")
    return tuple(other.get(k, row.get(k, "")) for k in keys)


def check_order(count, rows, program):
    """Counts precisions and runtimes that are slower than the one that they should beat."""
    times = {key_of(row): number(row, "time_ms") for row in rows}
    for row in rows:
        name = " ".join(row[k] for k in ("board", "workload", "kind", "runtime", "precision", "preset", "batch"))
        for rule, key, than in (("a precision slower than a wider one states a reason", "precision", precisions(program)),
                                ("a runtime slower than pytorch-eager states a reason", "runtime", OLDER)):
            other = times.get(key_of(row, **{key: than.get(row[key])}))
            if not other or number(row, "time_ms") <= other * SLACK:
                continue
            count.reasons[rule] += 1
            if f"times as long as in {than[row[key]]}" not in row.get("interval_widened_by", ""):
                count.breaks(rule, name, f"{number(row, 'time_ms') / other:.3f} times {than[row[key]]}")


def ask_network(program, model, kind, batches):
    """Returns all rows of a network, and by batch the work of a minibatch and whether the network
    is quantized."""
    rows, work = [], {}
    training = ["--training"] if kind == "training" else []
    for runtime in RUNTIMES if kind == "inference" else RUNTIMES[:1]:
        for precision in precisions(program):
            rows += rows_of(program, "estimate", f"zoo:{model}", "--device", "all", "--runtime", runtime,
                            "--precision", precision, "--modes", "presets", "--batch", batches, *training)
    for batch in batches.split(","):
        out = run(program, "analyze", f"zoo:{model}", "--batch", batch, *training, "--format", "json", "-q")[1]
        counted = json.loads(out) if out else {"macs": 0, "int_ops": 0}
        work[batch] = 2 * counted["macs"], counted["int_ops"] > 0
    return rows, work


def ask_language(program, model):
    out = run(program, "llm", f"zoo:{model}", "--device", "all", "--runtime", "all", "--quantization", "all",
              "--modes", "presets", "--format", "json", "-q")[1]
    return json.loads(out) if out else {"rows": [], "phases": []}


def check_language(count, boards, answer):
    phases = {(p["quantization"], p["phase"]): p for p in answer["phases"]}
    for row in answer["rows"]:
        name = " ".join(str(row[k]) for k in ("board", "model", "runtime", "quantization", "preset"))
        board = row["board"].split("@")[0]
        count.rows["language models"] += 1
        reason = row.get("interval_widened_by", [])
        for key in FIGURES:
            stem, unit = key.split("_", 1) if not key.endswith("power_w") else (key[:-2], "w")
            check_interval(count, name, key, row[f"{stem}_lo_{unit}"], row[key], row[f"{stem}_hi_{unit}"], reason)
        for phase in ("prefill", "decode"):
            check_power(count, name, row.get("idle_w", 0), boards.limit_w(board), row[f"{phase}_power_lo_w"],
                        row[f"{phase}_power_hi_w"])
        if row["prefill_power_w"] * SLACK < row["decode_power_w"]:
            count.breaks("a prompt draws as much as decoding", name,
                         f"{row['prefill_power_w']:.2f} W, decoding {row['decode_power_w']:.2f}")
        peaks, bytes_per_s = boards.peaks(board, row["mode"]["gpu_mhz"], row["mode"]["mem_mhz"])
        narrow = NARROW.get(row["quantization"]) if row["runtime"] in ("tensorrt-llm", "vllm", "sglang") else None
        flop_per_s = peaks.get(narrow, peaks["fp16"])
        for phase, key in (("prefill", "ttft"), ("decode", "tpot")):
            step = phases[row["quantization"], phase]
            least_ms = 1e3 * max(step["work_flop"] / max(flop_per_s, peaks["fp16"]),
                                 step["traffic_bytes"] / bytes_per_s)
            for end in ("_lo", ""):
                if row[f"{key}{end}_ms"] * SLACK < least_ms:
                    count.breaks("no phase is above its roof", name,
                                 f"{key}{end} {row[f'{key}{end}_ms']:.4g} ms of {least_ms:.4g}")
        if narrow and narrow not in peaks and not any(r.startswith(f"{narrow}: the GPU has no units") for r in reason):
            count.breaks("few bits without units for them state a reason", name, f"no remark on {narrow}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--models", default="", help="networks and language models, separated by commas [all]")
    parser.add_argument("--batch", default="1,8,32")
    parser.add_argument("--examples", type=int, default=3, help="of each rule")
    parser.add_argument("--idle", default="", help="a build that prints idle_w")
    asked = parser.parse_args()
    networks = [r["name"] for r in rows_of(asked.program, "zoo", "list")]
    languages = [r["name"] for r in rows_of(asked.program, "zoo", "list", "--language")]
    if asked.models:
        networks = [n for n in networks if n in asked.models.split(",")]
        languages = [n for n in languages if n in asked.models.split(",")]
    boards, count = Boards(asked.program), Count(asked.examples)

    def network(one):
        model, kind = one
        idle = {}
        if asked.idle:
            idle = {key_of(r): number(r, "idle_w") for r in ask_network(asked.idle, model, kind, asked.batch)[0]}
        return ask_network(asked.program, model, kind, asked.batch), idle

    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        asked_networks = [(m, k) for m in networks for k in ("inference", "training")]
        for (rows, work), idle in pool.map(network, asked_networks):
            for row in rows:
                check_estimate(count, boards, row, idle, work[row["batch"]])
            check_order(count, rows, asked.program)
        for answer in pool.map(lambda m: ask_language(asked.program, m), languages):
            check_language(count, boards, answer)
    print(f"{count.rows['networks']} rows of networks, {count.rows['language models']} of language models")
    for rule, times in count.reasons.items():
        print(f"  of them {times}: {rule}")
    for rule, times in sorted(count.broken.items()):
        print(f"broken {times} times: {rule}")
        for example in count.examples[rule]:
            print(f"    {example}")
    if not count.rows:
        sys.exit("no rows: is this the program?")
    if not count.broken:
        print("no rule is broken")
    return 1 if count.broken else 0


if __name__ == "__main__":
    sys.exit(main())
