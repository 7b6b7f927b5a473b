#!/usr/bin/env python3
"""Runs `ridgewatt explain` on public cases of slow programs and prints the rank of the true cause.

    tools/explain_cases.py CASES.csv [--program build/ridgewatt/ridgewatt]

CASES.csv has a row per case with the columns id, board, software, model, batch, precision,
measured, measured_unit, expected, expected_unit, cause, certainty. `explain` gets only board,
model, software, batch, precision and both numbers. The tables below map words in these columns to
names in Ridgewatt. They were written without looking at the causes. Cases with an unknown board or
model are skipped and listed.

The priors of `explain` count how often a cause was stated in such cases. Before a case is ranked,
its own count is removed from the prior of its cause (not with --with-own-count).
"""
import argparse
import csv
import json
import re
import subprocess

# Patterns of boards; the first match counts.
BOARDS = [(r"orin 32gb", "agx-orin-32gb"), (r"agx.*orin|agx orin", "agx-orin"), (r"orin nx 8", "orin-nx-8gb"),
          (r"orin nx", "orin-nx-16gb"), (r"orin nano 4", "orin-nano-4gb"), (r"orin nano", "orin-nano-8gb"),
          (r"agx xavier", "agx-xavier"), (r"xavier nx", "xavier-nx"), (r"thor", "thor"), (r"tx2", "tx2"),
          (r"jetson nano", "nano")]
# Patterns of models. True: the model is unknown and replaced by a similar one, because only ratios
# between settings matter.
MODELS = [(r"openvla-7b|llama-2-7b|mistral-7b", "zoo:llama-3.1-8b", True), (r"llama-3\.1-8b", "zoo:llama-3.1-8b", False),
          (r"llama-3\.2-1b", "zoo:llama-3.2-1b", False), (r"llama-3\.2-3b", "zoo:llama-3.2-3b", False),
          (r"llama-?3-8b", "zoo:llama-3.1-8b", True), (r"qwen3-4b", "zoo:qwen3-4b", False),
          (r"resnet-?18 pose", "zoo:resnet18", True), (r"resnet-?18", "zoo:resnet18", False),
          (r"resnet-?50", "zoo:resnet50", False), (r"yolov8n", "zoo:yolov8n", False),
          (r"mobilenet-?v2", "zoo:mobilenet_v2", False), (r"alexnet", "zoo:alexnet", False)]
RUNTIMES = [(r"torch2trt|tensorrt|trt_pose", "tensorrt"), (r"onnx ?runtime", "onnxruntime"), (r"pytorch", "pytorch-eager")]
ENGINES = [(r"mlc", "mlc"), (r"llama\.cpp|ollama", "llama.cpp"), (r"vllm", "vllm"), (r"tensorrt-llm", "tensorrt-llm")]
PRECISIONS = {"FP32": "fp32", "FP16": "fp16", "INT8": "int8"}
RATES = {"FPS", "tok/s"}
TIMES = {"ms": 1e-3, "s": 1.0}
# The same as in ridgewatt/answer/explain: the prior of `none`, and the share of runs with two causes.
COUNT_OF_NONE, PAIRS = 6, 0.3


def first(table, text):
    return next((row for row in table if re.search(row[0], text, re.IGNORECASE)), None)


def rate_of(number, unit):
    """Converts a rate or a time to a rate per second; None if the unit is another one."""
    try:
        value = float(number)
    except ValueError:
        return None
    if unit in RATES:
        return value
    return 1 / (value * TIMES[unit]) if unit in TIMES else None


def question_of(case):
    """Returns (arguments, remark). If there are no arguments, they are None and the remark says
    why."""
    board, model = first(BOARDS, case["board"]), first(MODELS, case["model"])
    measured = rate_of(case["measured"], case["measured_unit"])
    claimed = rate_of(case["expected"], case["expected_unit"])
    if board is None:
        return None, f"board not known: {case['board'] or 'not stated'}"
    if model is None:
        return None, f"model not known: {case['model'] or 'not stated'}"
    if measured is None:
        return None, f"no rate and no time: {case['measured']} {case['measured_unit']}"
    language = "llama" in model[1] or "qwen" in model[1]
    arguments = [model[1], "--device", board[1]]
    runtime = first(ENGINES if language else RUNTIMES, case["software"])
    if runtime is not None:
        arguments += ["--runtime", runtime[1]]
    if language:
        arguments += ["--tokens-per-second", f"{measured:g}"]
        if claimed is not None:
            arguments += ["--claimed-tokens-per-second", f"{claimed:g}"]
    else:
        batch = int(case["batch"]) if case["batch"].isdigit() else 1
        arguments += ["--measured", f"{1e3 * batch / measured:g}ms", "--batch", str(batch)]
        if claimed is not None:
            arguments += ["--claimed", f"{1e3 * batch / claimed:g}ms"]
        precision = PRECISIONS.get(case["precision"].split(" ")[0])
        if precision is not None:
            arguments += ["--precision", precision]
    return arguments, "of the nearest model that is known" if model[2] else ""


def ranked(program, arguments):
    ran = subprocess.run([program, "explain", *arguments, "--format", "json"], capture_output=True, text=True)
    if ran.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)}: {ran.stderr.strip()}")
    return json.loads(ran.stdout)["rows"]


def counts(rows):
    """Returns the count of each cause from the priors of the rows, which include those of pairs (see
    weigh() in ridgewatt/answer/explain/weigh.cc)."""
    none = next(row["prior"] for row in rows if row["cause"] == "none")
    seen = {row["cause"]: COUNT_OF_NONE * row["prior"] / none for row in rows if row["cause"] != "none"}
    found = dict(seen)
    for _ in range(50):
        total, squares = sum(found.values()), sum(one * one for one in found.values())
        found = {cause: one / (1 - PAIRS + 2 * PAIRS * total * (total - found[cause]) / (total * total - squares))
                 for cause, one in seen.items()}
    return found


def without_own_count(rows, case):
    """Removes the case's own count from the prior of its cause."""
    count = counts(rows).get(case["cause"])
    for row in rows:
        if row["cause"] == case["cause"] and count:
            row["probability"] *= (count - 1) / count
    return sorted(rows, key=lambda row: -row["probability"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases")
    parser.add_argument("--program", default="build/ridgewatt/ridgewatt")
    parser.add_argument("--with-own-count", action="store_true")
    asked = parser.parse_args()
    left_out, ranks = [], []
    with open(asked.cases, newline="", encoding="utf-8") as file:
        cases = list(csv.DictReader(file))
    print(f"{'case':6}{'cause':20}{'certainty':22}{'rank':>5}{'probability':>13}  first")
    for case in cases:
        arguments, remark = question_of(case)
        if arguments is None:
            left_out.append((case["id"], remark))
            continue
        rows = ranked(asked.program, arguments)
        if not asked.with_own_count:
            rows = without_own_count(rows, case)
        total = sum(row["probability"] for row in rows)
        rank = next((at for at, row in enumerate(rows, 1) if row["cause"] == case["cause"]), None)
        share = rows[rank - 1]["probability"] / total if rank else 0
        ranks.append((case["certainty"], rank))
        print(f"{case['id']:6}{case['cause']:20}{case['certainty']:22}{rank or '-':>5}{100 * share:>12.0f}%  "
              f"{rows[0]['cause']}{', ' + remark if remark else ''}")
    for name, certain in (("confirmed", {"confirmed"}), ("all", {case["certainty"] for case in cases})):
        of = [rank for certainty, rank in ranks if certainty in certain]
        both = sum(rank is not None and rank <= 2 for rank in of)
        print(f"{name}: {len(of)} cases, the true cause first in {sum(rank == 1 for rank in of)}, among the first two "
              f"in {both}")
    print(f"left out: {len(left_out)} of {len(cases)}")
    for name, reason in left_out:
        print(f"  {name}: {reason}")


if __name__ == "__main__":
    main()
