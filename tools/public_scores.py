#!/usr/bin/env python3
"""Scores the program on public measurements in ../shared/data/public, if that folder exists. Prints
the median signed error, the median absolute error, the share of rows inside the 90 % interval and
the ratio of its bounds, by set, board and precision. Uses only rows of models in the zoo and of
language models with known runtimes. The data are not part of the project.

    tools/public_scores.py                                     # build/ridgewatt/ridgewatt
    tools/public_scores.py --program OLD/ridgewatt --by-model
    tools/public_scores.py --arguments '--caller cpp'          # options of `estimate`
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Names of models in the data, and in the zoo.
MODELS = {"yoloxn": "yolox_nano", "yoloxt": "yolox_tiny", "yoloxs": "yolox_s", "yoloxm": "yolox_m"}
QUANTIZATIONS = {"fp16": "f16", "fp16_nocache": "f16", "f16_fa": "f16"}
Score = collections.namedtuple("Score", "group quantity measured answer low high")


def ask(program, arguments):
    """Returns the answer as JSON; None if the program has no answer."""
    done = subprocess.run([program, *arguments, "--format", "json", "-q"], capture_output=True,
                          text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 and done.stdout else None


def engine_scores(options, row):
    """Returns the scores of a row about an engine alone, with batch 1 at the highest clocks."""
    model = MODELS.get(row["workload"], row["workload"])
    answer = ask(options.program, [
        "estimate", f"zoo:{model}", "--device", row["board"], "--modes", "maxn", "--runtime",
        row["runtime"], "--precision", row["precision"], "--batch", row["batch"], "--dim",
        f"image={row['input'].split('x')[0]}", *options.arguments.split()])
    if answer is None:
        return []
    estimate = answer["estimates"][0]
    keys = [("engines " + row["runtime"], row["board"], row["precision"])]
    if options.by_model:
        keys.append(("engines " + row["runtime"], row["board"], model))
    if options.by_size:
        keys.append(("engines " + row["runtime"], row["board"], row["input"]))
    return [Score(key, "time", float(row["latency_ms"]), estimate["time_ms"],
                  estimate["time_lo_ms"], estimate["time_hi_ms"]) for key in keys]


def memory_shares(folder):
    """Returns by runtime the ratio of the power of the memory rail to the sum of the other three
    rails, which contain it. Sums of all four rails of an AGX Orin count memory twice. The ratios
    come from rows of the same source that list each rail."""
    shares = collections.defaultdict(list)
    path = folder.parent / "runtimes/llm-agx-orin-32gb.csv"
    for row in csv.DictReader(path.open(newline="")) if path.exists() else ():
        rails = [float(row[f"decode_{rail}_w"]) for rail in ("gpu", "cpu", "soc")]
        shares[row["runtime"].replace("llamacpp", "llama.cpp")].append(
            float(row["decode_dram_w"]) / sum(rails))
    return {runtime: statistics.median(of) for runtime, of in shares.items()}


def language_scores(options, row):
    """Returns the scores of a row about a language model: time to first token, time per token,
    power while decoding."""
    prompt, generated = row["input"].split("/")
    quantization = row["precision"].removeprefix("gguf_").lower()
    answer = ask(options.program, [
        "llm", f"zoo:{row['workload']}", "--device", row["board"], "--runtime", row["runtime"],
        "--quantization", QUANTIZATIONS.get(quantization, quantization), "--prompt", prompt,
        "--generate", generated])
    if answer is None:
        return []
    forecast = answer["rows"][0]
    found = []
    for quantity, column, name in (("first token", "ttft_ms", "ttft_ms"),
                                   ("time per token", "tpot_ms", "tpot_ms"),
                                   ("power", "power_w", "decode_power_w")):
        unit = name[name.rindex("_"):]
        bounds = [name.removesuffix(unit) + side + unit for side in ("_lo", "_hi")]
        if row[column] and all(key in forecast for key in (name, *bounds)):
            key = ("language " + row["runtime"], row["board"], row["precision"])
            answer = [forecast[name], *(forecast[bound] for bound in bounds)]
            found.append(Score(key, quantity, float(row[column]), *answer))
            share = options.memory_shares.get(row["runtime"])
            if quantity == "power" and share and "four rails" in row["what_is_timed"]:
                found.append(Score(key, "power, memory once", float(row[column]) / (1 + share),
                                   *answer))
    return found


def rows_of(folder):
    """Yields the usable rows, each with the function that scores it."""
    for name in ("trtutils.csv", "thor.csv", "orin_side.csv"):
        path = folder / name
        if not path.exists():
            continue
        for row in csv.DictReader(path.open(newline="")):
            alone = row["what_is_timed"].startswith("engine alone")
            tokens = re.fullmatch(r"[1-9]\d*/[1-9]\d*", row["input"])
            if alone and row["latency_ms"]:
                yield engine_scores, row
            elif tokens and row["what_is_timed"].startswith(("decoding", "first token")):
                yield language_scores, row


def print_table(scores):
    groups = collections.defaultdict(list)
    for score in scores:
        groups[score.group + (score.quantity,)].append(score)
    print("| set | board | precision or model | quantity | rows | signed | absolute | inside | "
          "upper/lower |\n|---|---|---|---|---|---|---|---|---|")
    for group, members in sorted(groups.items()):
        errors = [100 * (s.answer / s.measured - 1) for s in members]
        inside = sum(s.low <= s.measured <= s.high for s in members) / len(members)
        ratio = statistics.median(s.high / s.low for s in members)
        print(f"| {' | '.join(group)} | {len(members)} | {statistics.median(errors):+.1f} % | "
              f"{statistics.median(map(abs, errors)):.1f} % | {100 * inside:.0f} % | {ratio:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--program", default=str(ROOT / "build/ridgewatt/ridgewatt"))
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared/data/public")
    parser.add_argument("--arguments", default="--caller thin-python")
    parser.add_argument("--by-model", action="store_true")
    parser.add_argument("--by-size", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"nothing to score: no {options.data}")
        return 0
    options.memory_shares = memory_shares(options.data)
    asked = list(rows_of(options.data))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        answers = list(pool.map(lambda item: item[0](options, item[1]), asked))
    print_table([score for found in answers for score in found])
    print(f"\n{sum(map(bool, answers))} of {len(asked)} rows could be asked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
