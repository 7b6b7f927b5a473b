#!/usr/bin/env python3
"""Converts measurements of training under power limits on discrete GPUs
(../shared/data/public/zeus.csv) to sweeps for `calibrate`, and scores a twin with them. The source
has the time and energy of epochs; a row of a sweep is the mean minibatch. The data are not part of
the project.

    tools/power_limits.py sweeps -o FOLDER     # one file per GPU and network
    ridgewatt calibrate --device boards/a40.toml -o a40.toml \\
        --sweep FOLDER/a40_resnet50.csv,loader-ms=0 --sweep FOLDER/a40_neumf.csv,loader-ms=0.0067
    tools/power_limits.py score                # the built-in boards
    tools/power_limits.py score --board a40=a40.toml
"""
import argparse
import collections
import csv
import io
import math
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
Network = collections.namedtuple("Network", "name samples loader_ms")
# Samples per epoch: ILSVRC 2012, CIFAR-100, and MovieLens 1M without the last movie of each of
# 6,040 users, but with four unseen movies per seen movie. The loading time of a sample is chosen:
# zero if the GPU takes all the time; for NeuMF, 55 ms for 32,768 samples, divided among four
# workers.
NETWORKS = {
    "resnet50 (imagenet) training": Network("resnet50", 1281167, 0),
    "shufflenetv2 (cifar100) training": Network("shufflenet_v2_cifar", 50000, 0.2),
    "ncf (movielens-1m) training": Network("neumf", (1000209 - 6040) * 5, 0.0067),
}
BOARDS = {"A40": "a40", "V100": "v100-pcie", "P100": "p100-pcie"}


def read_rows(path):
    """Returns {(board, network): {batch: {limit: (seconds, watts)}}}. Of two optimizers, uses the
    one that was measured on all GPUs."""
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            network = NETWORKS[row["workload"]]
            if network.name != "neumf" and "adam;" in row["note"]:
                continue
            batch = int(row["batch"])
            limit_w = int(re.search(r"(\d+) W", row["power_mode"]).group(1))
            found[BOARDS[row["board"]], network][batch][limit_w] = (
                float(row["latency_ms"]) / 1e3 / math.ceil(network.samples / batch),
                float(row["power_w"]))
    return found


def write_sweeps(options):
    """Writes one CSV file per GPU and network, with the limit in the column `governor`."""
    options.output.mkdir(parents=True, exist_ok=True)
    for (board, network), batches in read_rows(options.data).items():
        with (options.output / f"{board}_{network.name}.csv").open("w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow("workload kind batch governor time_ms power_w energy_j".split())
            for batch, limits in sorted(batches.items()):
                for limit_w, (time_s, power_w) in sorted(limits.items()):
                    out.writerow([network.name, "training", batch, f"{limit_w}W",
                                  f"{1e3 * time_s:.6g}", f"{power_w:.6g}",
                                  f"{time_s * power_w:.6g}"])


def estimates(options, board, network, batch):
    """Returns the rows of `estimate` by limit; empty if the minibatch does not fit."""
    done = subprocess.run(
        [options.program, "estimate", f"zoo:{network.name}", "--device", board, "--training",
         "--batch", str(batch), "--modes", "presets", "--loader-time", f"{network.loader_ms}ms",
         "--format", "csv", "-q"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {}
    return {int(row["governor"].removesuffix("W")): row
            for row in csv.DictReader(io.StringIO(done.stdout)) if row["governor"]}


def inside(row, quantity, unit, value):
    return float(row[f"{quantity}_lo_{unit}"]) <= value <= float(row[f"{quantity}_hi_{unit}"])


def excess(energies, limit_w):
    """Energy at a limit over the least energy, minus 1."""
    return energies[limit_w] / min(energies.values()) - 1


def by_neighbors(measured, batch):
    """Returns the limit that needs the least measured energy at the next smaller and the next
    larger batch, that is, without the scatter of `batch` itself."""
    batches = sorted(measured)
    at = batches.index(batch)
    near = [measured[batches[i]] for i in (at - 1, at + 1) if 0 <= i < len(batches)]
    shared = [limit for limit in measured[batch] if all(limit in energies for energies in near)]
    return min(shared, key=lambda limit: sum(math.log(energies[limit]) for energies in near))


def score(options):
    """Prints the errors of time, power and energy, and the energy at the limit with the lowest
    modelled energy, relative to the lowest measured energy."""
    files = dict(text.split("=", 1) for text in options.board)
    print("| GPU | network | rows | time | power | energy | inside: time, power | upper/lower | "
          "best limit within 2 % | worst | by neighbors | by chance |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|---|")
    for (board, network), batches in read_rows(options.data).items():
        off, hits, ratios, losses = collections.defaultdict(list), [[], []], [], []
        near, chance = [], 0
        measured = {batch: {limit_w: time_s * power_w for limit_w, (time_s, power_w) in rows.items()}
                    for batch, rows in batches.items()}
        for batch, limits in batches.items():
            rows = estimates(options, files.get(board, board), network, batch)
            known = {limit_w: at for limit_w, at in limits.items() if limit_w in rows}
            for limit_w, (time_s, power_w) in known.items():
                row = rows[limit_w]
                time, power = float(row["time_ms"]) / 1e3 / time_s, float(row["power_w"]) / power_w
                for name, ratio in (("time", time), ("power", power), ("energy", time * power)):
                    off[name].append(100 * (ratio - 1))
                hits[0].append(inside(row, "time", "ms", 1e3 * time_s))
                hits[1].append(inside(row, "power", "w", power_w))
                ratios.append(float(row["time_hi_ms"]) / float(row["time_lo_ms"]))
            if known:
                chosen = min(known, key=lambda limit_w, rows=rows: float(
                    rows[limit_w]["time_ms"]) * float(rows[limit_w]["power_w"]))
                losses.append(excess({limit_w: measured[batch][limit_w] for limit_w in known}, chosen))
                near.append(excess(measured[batch], by_neighbors(measured, batch)))
                chance += statistics.mean(excess(measured[batch], limit_w) <= 0.02
                                          for limit_w in measured[batch])
        if not losses:
            continue
        errors = " | ".join(f"{statistics.median(map(abs, off[name])):.1f} % "
                            f"({statistics.median(off[name]):+.0f})"
                            for name in ("time", "power", "energy"))
        share = ", ".join(f"{100 * statistics.mean(hit):.0f}" for hit in hits)
        print(f"| {board} | {network.name} | {len(ratios)} | {errors} | {share} % | "
              f"{statistics.median(ratios):.2f} | {sum(loss <= 0.02 for loss in losses)} of "
              f"{len(losses)} | {100 * max(losses):.0f} % | {sum(loss <= 0.02 for loss in near)} | "
              f"{chance:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path,
                        default=ROOT.parent / "shared/data/public/zeus.csv")
    commands = parser.add_subparsers(required=True)
    sweeps = commands.add_parser("sweeps")
    sweeps.add_argument("-o", "--output", type=pathlib.Path, required=True)
    sweeps.set_defaults(run=write_sweeps)
    scores = commands.add_parser("score")
    scores.add_argument("--program", default=str(ROOT / "build/ridgewatt/ridgewatt"))
    scores.add_argument("--board", action="append", default=[], metavar="GPU=FILE")
    scores.set_defaults(run=score)
    options = parser.parse_args()
    if not options.data.exists():
        print(f"nothing to read: no {options.data}")
        return 0
    options.run(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
