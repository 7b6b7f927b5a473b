#!/usr/bin/env python3
"""Slows real programs down by known causes, runs `ridgewatt explain`, and prints the rank of the
cause.

    tools/explain_real_causes.py --device here.toml [--ridgewatt build/ridgewatt/ridgewatt] [--repeats 5]
        [--models tuned|held-out|check|fourth] [--only CAUSE ..] [-o rows.csv]

Each run is a model in ONNX Runtime on this machine's processor (tools/runtimes). The table CAUSES
lists how each program is slowed down and which names of causes are correct. It was written before
any of the runs. `explain` gets the intended settings and observes the program, but not the cause.
Create here.toml just before, on an idle machine, with `ridgewatt calibrate --device local -o
here.toml`.

`explain` was developed with the models of --models tuned. The models of --models held-out (default)
were used only for the score, and those of --models check after later changes of the method, and
those of --models fourth after the signs of profilers and workers were added.

Causes that this machine does not support (no control groups, no swap) are skipped with the reason.
The exit status is 77 if ONNX Runtime is not installed or nothing could run.
"""
import argparse
import contextlib
import csv
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import Callable

HERE = os.path.dirname(os.path.abspath(__file__))
RUNTIMES = os.path.join(HERE, "runtimes")
RUNNER = os.path.join(RUNTIMES, "run_slow.js")
NODE = ["node"]


class Skip(Exception):
    """This machine does not support the cause."""


@dataclass
class Program:
    """A program to observe, and its intended settings."""
    model: str                                     # intended model: zoo:NAME or a file
    words: list = field(default_factory=list)      # options of the runner
    file: str = ""                                 # file that runs instead; empty: `model`
    threads: int = 2
    dims: list = field(default_factory=list)       # intended dimensions
    batch: int = 1
    node: list = field(default_factory=list)       # options of node
    wrapper: list = field(default_factory=list)    # command before node
    measured: bool = False                         # give `explain` the mean that the program prints
    tries: int = 1


@dataclass
class Cause:
    name: str
    names: set                                     # correct names in the answer of `explain`
    tuned: tuple                                   # model (and dimensions) used in development
    held_out: tuple                                # another model, for the score
    check: tuple                                   # a third model, for runs after changes
    fourth: tuple                                  # a fourth one, for runs after later changes
    make: Callable                                 # context manager that yields the Program


def plain(*words, **more):
    """Returns a cause that only adds options of the runner."""
    @contextlib.contextmanager
    def made(context, model, dims):
        yield Program(model, list(words), dims=list(dims), **more)
    return made


@contextlib.contextmanager
def competing(context, model, dims):
    """Runs another program on all cores."""
    other = [*NODE, RUNNER, "--model", context.file("zoo:resnet50"), "--threads", str(os.cpu_count()), "--seconds",
             "600"]
    with subprocess.Popen(other, stdout=subprocess.DEVNULL, start_new_session=False) as process:
        time.sleep(1.5)
        try:
            yield Program(model, dims=list(dims))
        finally:
            process.kill()


def own_group(controller):
    """Returns (version, folder) of this program's control group, or None."""
    with open("/proc/self/cgroup", encoding="ascii") as lines:
        for line in lines:
            number, names, group = line.rstrip("\n").split(":", 2)
            if controller in names.split(","):
                return 1, "/sys/fs/cgroup/" + controller + group.rstrip("/")
            if number == "0" and os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
                return 2, "/sys/fs/cgroup" + group.rstrip("/")
    return None


@contextlib.contextmanager
def control_group(controller, limits):
    """Creates a control group with limits {version: {file: value}} and yields its folder."""
    found = own_group(controller)
    if not found:
        raise Skip(f"no control group of {controller}")
    version, parent = found
    folder = os.path.join(parent, f"ridgewatt_explain_{os.getpid()}")
    try:
        os.mkdir(folder)
    except OSError as error:
        raise Skip(f"no control group of {controller} can be made: {error.strerror}") from error
    try:
        for name, value in limits[version].items():
            try:
                with open(os.path.join(folder, name), "w", encoding="ascii") as out:
                    out.write(str(value))
            except OSError as error:
                raise Skip(f"{name} of a control group cannot be set: {error.strerror}") from error
        yield folder
    finally:
        for _ in range(50):
            try:
                os.rmdir(folder)
                break
            except OSError:
                time.sleep(0.1)


def inside(folder):
    """Returns a command that starts a program in a control group."""
    return ["sh", "-c", f'echo $$ > {folder}/cgroup.procs; exec "$@"', "sh"]


@contextlib.contextmanager
def quota(context, model, dims):
    with control_group("cpu", {1: {"cpu.cfs_period_us": 100000, "cpu.cfs_quota_us": 100000},
                               2: {"cpu.max": "100000 100000"}}) as folder:
        yield Program(model, dims=list(dims), wrapper=inside(folder))


@contextlib.contextmanager
def swapping(context, model, dims):
    """Limits memory, with a swap file, until the program takes at least twice as long."""
    program = Program(model, dims=list(dims))
    with control_group("memory", {1: {}, 2: {}}) as folder:
        first = os.path.exists(folder + "/memory.limit_in_bytes")
        names = ("memory.max_usage_in_bytes", "memory.limit_in_bytes") if first else ("memory.peak", "memory.high")
        probe = inside(folder) + context.command(program)
        alone_ms = json.loads(context.run(probe))["median_ms"]
        with open(os.path.join(folder, names[0]), encoding="ascii") as text:
            needed = int(text.read())
        file = os.path.join(context.folder, "swap")
        with open(file, "wb") as out:
            os.posix_fallocate(out.fileno(), 0, 2 * needed)
        os.chmod(file, 0o600)
        for words in (["mkswap", file], ["swapon", file]):
            if not shutil.which(words[0]) or subprocess.run(words, capture_output=True, check=False).returncode:
                raise Skip(f"{words[0]} does not work here")
        try:
            shares = context.shares.get(model) or [0.8, 0.7, 0.6, 0.55, 0.5, 0.45, 0.4, 0.37, 0.34, 0.3, 0.25]
            for share in shares:
                with open(os.path.join(folder, names[1]), "w", encoding="ascii") as out:
                    out.write(str(int(share * needed)))
                if len(shares) == 1 or json.loads(context.run(probe, 4))["median_ms"] > 2 * alone_ms:
                    break
            context.shares[model] = [share]
            program.wrapper, program.tries = inside(folder), 6
            yield program
        finally:
            subprocess.run(["swapoff", file], check=False)
            os.remove(file)


@contextlib.contextmanager
def cold_files(context, model, dims):
    """Reads data that is not in the page cache."""
    folder = os.path.join(context.folder, "data")
    os.makedirs(folder, exist_ok=True)
    for i in range(400):
        path = os.path.join(folder, f"{i:03}.bin")
        if not os.path.exists(path):
            with open(path, "wb") as out:
                out.write(os.urandom(1 << 23))
                out.flush()
                os.fsync(out.fileno())
        with open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    yield Program(model, ["--files", folder], dims=list(dims))


@contextlib.contextmanager
def wider(context, model, dims):
    """Runs matrix products in FP32 instead of INT8."""
    rows, width, layers = dims
    subprocess.run([sys.executable, os.path.join(RUNTIMES, "products.py"), context.folder, "--rows", rows, "--width",
                    width, "--layers", layers], check=True)
    yield Program(os.path.join(context.folder, model + "_int8.onnx"),
                  file=os.path.join(context.folder, model + "_fp32.onnx"))


@contextlib.contextmanager
def profiling(context, model, dims):
    yield Program(model, ["--profile", os.path.join(context.folder, "profile")], dims=list(dims))
    for path in glob.glob(os.path.join(context.folder, "profile*.json")):
        os.remove(path)


# The correct names were chosen before the runs. If `explain` has no name for a cause, the correct
# name is one whose remedy finds it: a profiler is a setting of the runtime, and a loop that sleeps
# looks like waiting for data.
CAUSES = [
    Cause("one thread instead of two", {"threads"},
          ("zoo:resnet18",), ("zoo:googlenet",), ("zoo:vit_b_16",), ("zoo:squeezenet1_0",),
          plain(threads=1)),
    Cause("a competing process", {"contention"},
          ("zoo:squeezenet1_1",), ("zoo:densenet121",), ("zoo:mobilenet_v3_gld",), ("zoo:shufflenet_v2",),
          competing),
    Cause("taskset", {"threads"},
          ("zoo:mobilenet_v2",), ("zoo:inception_v3",), ("zoo:googlenet",), ("zoo:resnet18",),
          plain(wrapper=["taskset", "-c", "0"])),
    Cause("CPU quota", {"cpu_quota"},
          ("zoo:resnet18",), ("zoo:vit_b_32",), ("zoo:inception_v3",), ("zoo:densenet121",),
          quota),
    Cause("FP32 instead of INT8", {"precision"},
          ("products", "128", "768", "6"), ("products", "256", "512", "8"), ("products", "64", "1024", "4"),
          ("products", "192", "640", "5"),
          wider),
    Cause("dynamic shapes", {"input_size"},
          ("zoo:yolo11n", "image=320"), ("zoo:yolov8n", "image=256"), ("zoo:yolo11s", "image=256"),
          ("zoo:yolov5n", "image=320"),
          plain("--sizes", "image=320:448:384:576:512")),
    Cause("profiling on", {"runtime"},
          ("zoo:shufflenet_v2",), ("zoo:mobilenet_v3_gld",), ("zoo:densenet121",), ("zoo:efficientnet_b0",),
          profiling),
    Cause("debug build of the caller", {"pre_post_processing"},
          ("zoo:mobilenet_v2",), ("zoo:squeezenet1_0",), ("zoo:shufflenet_v2",), ("zoo:googlenet",),
          plain("--prepare", node=["--jitless"])),
    Cause("loader stall", {"loader"},
          ("zoo:squeezenet1_1",), ("zoo:efficientnet_b0",), ("zoo:googlenet",), ("zoo:resnet18",),
          plain("--loader", "12")),
    Cause("cold page cache", {"storage"},
          ("zoo:mobilenet_v2",), ("zoo:squeezenet1_0",), ("zoo:efficientnet_b0",), ("zoo:googlenet",),
          cold_files),
    Cause("swap pressure", {"memory_pressure"},
          ("zoo:resnet50",), ("zoo:alexnet",), ("zoo:resnext50_32x4d",), ("zoo:vgg11",),
          swapping),
    Cause("input copied per call", {"host_copy"},
          ("zoo:yolox_nano", "image=416"), ("zoo:yolov4_tiny", "image=416"), ("zoo:squeezenet1_0",),
          ("zoo:mobilenet_v2",),
          plain("--copy")),
    Cause("wrong provider order", {"runtime"},
          ("zoo:squeezenet1_1",), ("zoo:mobilenet_v3_gld",), ("zoo:resnet18",), ("zoo:mobilenet_v2",),
          plain("--providers", "wasm,cpu")),
    Cause("warm-up included", {"warm_up"},
          ("zoo:resnet18",), ("zoo:inception_v3",), ("zoo:densenet121",), ("zoo:efficientnet_b0",),
          plain("--count-load", measured=True)),
    Cause("sleep in the loop", {"loader"},
          ("zoo:resnet18",), ("zoo:googlenet",), ("zoo:efficientnet_b0",), ("zoo:densenet121",),
          plain("--sleep", "10")),
    Cause("nothing", {"none"},
          ("zoo:resnet18",), ("zoo:googlenet",), ("zoo:inception_v3",), ("zoo:densenet121",),
          plain()),
]


class Context:
    def __init__(self, asked, folder):
        self.asked = asked
        self.folder = folder
        self.shares = {}  # by model: share of the needed memory at which the model is slow

    def run(self, words, tries=1):
        """Returns the output of a command. Repeats it if it fails, because the kernel may kill it
        when memory is scarce."""
        for _ in range(tries - 1):
            with contextlib.suppress(RuntimeError):
                return self.run(words)
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
        except subprocess.TimeoutExpired as error:
            raise RuntimeError("a run takes more than two minutes") from error
        if done.returncode:
            said = done.stderr.strip().splitlines()
            raise RuntimeError(said[-1] if said else f"status {done.returncode}")
        return done.stdout

    def file(self, model):
        if not model.startswith("zoo:"):
            return model
        path = os.path.join(self.folder, model[len("zoo:"):] + ".onnx")
        if not os.path.exists(path):
            self.run([self.asked.ridgewatt, "zoo", "write", model[len("zoo:"):], "-o", path, "-q"])
        return path

    def command(self, program, seconds=None):
        words = [*program.wrapper, *NODE, *program.node, RUNNER, "--model", program.file or self.file(program.model),
                 "--threads", str(program.threads), "--batch", str(program.batch), "--seconds",
                 str(seconds or self.asked.seconds)]
        for dim in program.dims:
            words += ["--dim", dim]
        return words + program.words

    def explain(self, program):
        words = [self.asked.ridgewatt, "explain", program.model, "--device", self.asked.device, "--runtime",
                 "onnxruntime-cpu", "--batch", str(program.batch), "--format", "json", "-q"]
        for dim in program.dims:
            words += ["--dim", dim]
        command = self.command(program)
        if program.measured:
            words += ["--measured", f"{json.loads(self.run(command))['mean_ms']}ms"]
        return json.loads(self.run(words + ["--"] + command, program.tries))


def judged(cause, answer):
    """Returns a row: rank and probability of the correct cause, the first cause, the gap between
    measured and expected time, and the sum of the times of all causes."""
    rows = answer["rows"]
    order = [row["cause"] for row in rows]
    at = next((i for i, name in enumerate(order) if name in cause.names), None)
    gap = answer["gap_ms"]
    parts = sum(row["time_ms"] for row in rows)
    return {"cause": cause.name, "right": "|".join(sorted(cause.names)), "rank": at + 1 if at is not None else 0,
            "probability": rows[at]["probability"] if at is not None else 0, "first": order[0],
            "first_probability": rows[0]["probability"], "measured_ms": answer["measured_ms"],
            "expected_ms": answer["expected_ms"], "gap_ms": gap, "parts_ms": parts}


def print_cause(cause, model, rows):
    ranks = " ".join(f"{row['rank'] or '-'} ({100 * row['probability']:.0f} %)" for row in rows)
    others = sorted({row["first"] for row in rows if row["rank"] != 1})
    slower = sum(row["measured_ms"] / row["expected_ms"] for row in rows) / len(rows)
    lack = max(abs(row["parts_ms"] - row["gap_ms"]) for row in rows)
    print(f"{cause.name:28}{'|'.join(sorted(cause.names)):22}{model:20}{slower:6.2f}  {ranks:40}"
          f"{','.join(others) or '-':30}{lack:.1e}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ridgewatt", default="ridgewatt")
    parser.add_argument("--device", required=True)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--models", choices=["tuned", "held-out", "check", "fourth"], default="held-out")
    parser.add_argument("--only", nargs="+", metavar="CAUSE", default=[])
    parser.add_argument("--answers", help="folder that keeps each answer as JSON")
    parser.add_argument("-o", "--output")
    asked = parser.parse_args()
    unknown = [name for name in asked.only if name not in {cause.name for cause in CAUSES}]
    if unknown:
        sys.exit(f"explain_real_causes: no such cause: {unknown[0]}; there are: {', '.join(c.name for c in CAUSES)}")
    if not shutil.which("node") or not os.path.isdir(os.path.join(RUNTIMES, "node_modules")):
        print("explain_real_causes: ONNX Runtime is not installed: npm ci --ignore-scripts in tools/runtimes")
        sys.exit(77)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    print(f"{'cause':28}{'right':22}{'model':20}{'slower':6}  {'rank (probability) per repeat':40}{'first instead':30}"
          "parts less gap (ms)")
    rows, skipped = [], []
    with tempfile.TemporaryDirectory() as folder:
        context = Context(asked, folder)
        for cause in CAUSES:
            if asked.only and cause.name not in asked.only:
                continue
            model, *dims = getattr(cause, asked.models.replace("-", "_"))
            found = []
            for repeat in range(asked.repeats):
                try:
                    with cause.make(context, model, dims) as program:
                        answer = context.explain(program)
                except (Skip, RuntimeError) as error:
                    skipped.append(f"{cause.name} {repeat + 1}")
                    print(f"{cause.name:28}left out: {error}", flush=True)
                    if isinstance(error, Skip):
                        break
                    continue
                found.append({**judged(cause, answer), "model": model, "repeat": repeat + 1})
                if asked.answers:
                    name = f"{cause.name.replace(' ', '_')}_{repeat + 1}.json"
                    with open(os.path.join(asked.answers, name), "w", encoding="utf-8") as out:
                        json.dump(answer, out, indent=1)
            if found:
                print_cause(cause, model, found)
            rows += found
    if not rows:
        sys.exit(77)
    real = [row for row in rows if row["right"] != "none"]
    first = sum(row["rank"] == 1 for row in real)
    if real:
        print(f"first in {first} of {len(real)} runs with a cause ({100 * first / len(real):.0f} %), among the first "
              f"two in {sum(0 < row['rank'] <= 2 for row in real)}; left out: {', '.join(skipped) or 'none'}")
    print(f"parts less gap, at most: {max(abs(row['parts_ms'] - row['gap_ms']) for row in rows):.1e} ms")
    if asked.output:
        with open(asked.output, "w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
