#!/usr/bin/env python3
"""Runs `ridgewatt explain` on public cases of slow programs and prints the rank of the true cause.

    tools/explain_cases.py CASES.csv [--program build/ridgewatt/ridgewatt]

CASES.csv has a row per case with the columns id, board, software, model, batch, precision,
measured, measured_unit, expected, expected_unit, expected_from, evidence, cause, certainty. Each
case is asked twice: by `numbers`, `explain` gets only board, model, software, batch, precision and
both numbers; by `stated`, also what the thread says about the origin of the expected number and
about the active power mode. The tables below map words in these columns to names and options of
Ridgewatt. Cases with an unknown board or model are skipped and listed.

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
# Patterns of models that are replaced by a similar one, because only ratios between settings matter.
# Names of built-in models are found first.
SIMILAR = [(r"openvla-7b|llama-?2-7b|llama-?3-8b|mistral-7b", "llama-3.1-8b"), (r"yolov5", "yolov5s"), (r"yolov7", "yolov7"),
           (r"yolov8", "yolov8s"), (r"yolo11|yolov11", "yolo11s"), (r"pelee|mobilenet.*ssd|ssd", "ssd_mobilenet_v1"),
           (r"efficientnet", "efficientnet_b0"), (r"inception", "inception_v3"), (r"vgg", "vgg16")]
RUNTIMES = [(r"torch2trt|tensorrt|trt_pose", "tensorrt"), (r"onnx ?runtime", "onnxruntime"), (r"pytorch", "pytorch-eager")]
ENGINES = [(r"mlc", "mlc"), (r"llama\.cpp|ollama", "llama.cpp"), (r"vllm", "vllm"), (r"tensorrt-llm", "tensorrt-llm")]
PRECISIONS = {"FP32": "fp32", "FP16": "fp16", "INT8": "int8"}
# What the origin of the expected number says about it: its error, and the causes that are excluded.
# A project's own benchmark has the same program in the same precision.
ORIGINS = [(r"\bsame\b", ["--claimed-error", "3%"]),
           (r"project|benchmark table|readme", ["--claimed-error", "5%", "--rule-out", "runtime", "--rule-out", "precision"])]
RATES = {"FPS", "tok/s"}
TIMES = {"ms": 1e-3, "s": 1.0}
# The same as in ridgewatt/answer/explain: the prior of `none`, and the share of runs with two causes.
COUNT_OF_NONE, PAIRS = 8, 0.3


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


def rows_of(program, *words):
    ran = subprocess.run([program, *words, "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)["rows"]


class Names:
    """The names of boards and models that the program knows."""
    def __init__(self, program):
        self.language = {row["name"] for row in rows_of(program, "zoo", "list", "--language")}
        self.models = self.patterns([*rows_of(program, "zoo", "list"), *({"name": name} for name in self.language)])
        self.boards = self.patterns(rows_of(program, "device", "list"))

    @staticmethod
    def patterns(rows):
        """Returns (pattern, name), the longest first. Separators may differ: "ResNet-18" is resnet18."""
        names = [(alias, row["name"]) for row in rows
                 for alias in [row["name"], *re.split(r"[ ,]+", row.get("alias") or row.get("aliases") or "")] if alias]
        spelled = [(re.findall(r"[a-z]+|[0-9]+|\.", alias.lower()), name) for alias, name in names]
        return [(r"(?<![a-z0-9])" + r"[-_ /]*".join(map(re.escape, words)) + r"(?![a-z0-9])", name)
                for words, name in sorted(spelled, key=lambda one: -len("".join(one[0])))]

    def board(self, text):
        return first(BOARDS, text) or first(self.boards, text)

    def model(self, text):
        """Returns (name, whether it is only similar)."""
        for table, similar in ((self.models, False), (SIMILAR, True)):
            found = first(table, text)
            if found:
                return found[1], similar or re.search("pose", text, re.IGNORECASE) is not None
        return None, False


def stated_in(case):
    """Returns the options for what the thread states in addition to its numbers."""
    origin = first(ORIGINS, case["expected_from"])
    options = list(origin[1]) if origin and case["expected"] else []
    modes = re.findall(r"\bMAXN\b|\b\d+ ?W\b", case["evidence"])
    if len(modes) == 1 and re.search(r"nvpmodel|mode|preset|MAXN", case["evidence"]):
        options += ["--seen-mode", modes[0].replace(" ", "")]
    return options


def question_of(case, names):
    """Returns (arguments, remark). If there are no arguments, they are None and the remark says
    why."""
    board, (model, similar) = names.board(case["board"]), names.model(case["model"])
    measured = rate_of(case["measured"], case["measured_unit"])
    claimed = rate_of(case["expected"], case["expected_unit"])
    if board is None:
        return None, f"board not known: {case['board'] or 'not stated'}"
    if model is None:
        return None, f"model not known: {case['model'] or 'not stated'}"
    if measured is None:
        return None, f"no rate and no time: {case['measured']} {case['measured_unit']}"
    language = model in names.language
    arguments = [f"zoo:{model}", "--device", board[1]]
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
    return arguments, "of the nearest model that is known" if similar else ""


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


def rank_of(program, case, arguments, own_count):
    """Returns the rank of the true cause (None: not listed), its probability and the first cause."""
    rows = ranked(program, arguments)
    if not own_count:
        rows = without_own_count(rows, case)
    total = sum(row["probability"] for row in rows)
    rank = next((at for at, row in enumerate(rows, 1) if row["cause"] == case["cause"]), None)
    return rank, rows[rank - 1]["probability"] / total if rank else 0, rows[0]["cause"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases")
    parser.add_argument("--program", default="build/ridgewatt/ridgewatt")
    parser.add_argument("--with-own-count", action="store_true")
    asked = parser.parse_args()
    names = Names(asked.program)
    left_out, ranks = [], []
    with open(asked.cases, newline="", encoding="utf-8") as file:
        cases = list(csv.DictReader(file))
    print(f"{'case':6}{'cause':20}{'certainty':22}{'by':9}{'rank':>5}{'probability':>13}  first")
    for case in cases:
        arguments, remark = question_of(case, names)
        if arguments is None:
            left_out.append((case["id"], remark))
            continue
        stated = stated_in(case)
        for by, options in (("numbers", []), ("stated", stated)):
            if by == "numbers" or stated:
                rank, share, top = rank_of(asked.program, case, arguments + options, asked.with_own_count)
                print(f"{case['id']:6}{case['cause']:20}{case['certainty']:22}{by:9}{rank or '-':>5}{100 * share:>12.0f}%  "
                      f"{top}{', ' + remark if remark else ''}{', ' + ' '.join(options) if options else ''}")
            ranks.append((by, case["certainty"], rank))
    for by in ("numbers", "stated"):
        for name, certain in (("confirmed", {"confirmed"}), ("all", {case["certainty"] for case in cases})):
            of = [rank for asked_by, certainty, rank in ranks if asked_by == by and certainty in certain]
            both = sum(rank is not None and rank <= 2 for rank in of)
            print(f"by {by}, {name}: {len(of)} cases, the true cause first in {sum(rank == 1 for rank in of)}, among the "
                  f"first two in {both}")
    print(f"left out: {len(left_out)} of {len(cases)}")
    for name, reason in left_out:
        print(f"  {name}: {reason}")


if __name__ == "__main__":
    main()
